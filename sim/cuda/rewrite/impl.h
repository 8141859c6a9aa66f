// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the parts of a rewriting share: texts of indices, and edits. Private to them.
#pragma once

#include "sim/cuda/rewrite/mention.h"
#include "sim/cuda/rewrite/rewrite.h"

// How tightly C binds what stands at the top of a text (operator.def).
enum {
  BINDS_NOTHING = 0,
  BINDS_XOR = 4,
  BINDS_SHIFT = 8,
  BINDS_ADD = 9,
  BINDS_MUL = 10,
  BINDS_ALL = 12, // a name, a number, a call, parentheses
};

// A value as text. @limit: it is less than that; 0: not known.
typedef struct {
  const char *text;
  gint binding;
  guint64 limit;
} Term;

// Most dimensions of a declaration that is rewritten.
enum {
  MAX_RANK = 8
};

// --- expressions (rewrite-index.c)

// Appends what the swizzle of @layout, if it has one, does to the number @n behind which it stands: " ^ (n >> 5)".
void smb_index_append_swizzle(GString *out, const SmbLayout *layout, const Term *n);

// The number of the element at place i of an array without rows: "i", or without the padding.
char *smb_index_write_number(const SmbLayout *from);

// The first @n indices as one number: ((i * J + j) * K + k). @out takes the text.
Term smb_index_join(GString *out, const Term *indices, const guint64 *dimensions, guint n);

// Appends "n + n / 32 * 2": where element n lies if @pad elements more follow each row of @row.
void smb_index_append_padded(GString *out, const Term *n, guint64 row, gint64 pad);

// Appends a term, in parentheses if it binds less tightly than @least.
void smb_index_append_term(GString *out, const Term *term, gint least);

// Whether the swizzle of @layout leaves every element in its row.
gboolean smb_layout_keeps_rows(const SmbLayout *layout);

// @layout in units of @unit elements, or FALSE: then it does not leave them side by side.
gboolean smb_layout_scale(const SmbLayout *layout, guint64 unit, SmbLayout *scaled);

// What the swizzle of @layout, which keeps rows, turns the last index into. @rank indices; @dimensions
// are the declared ones (0: not known). @uses: (nullable): set for each index that is read for it,
// besides the last one in its place.
char *smb_index_write_row(const SmbLayout *layout, const Term *indices, const guint64 *dimensions,
                          guint rank, gboolean *uses);

// The place of what lies at place @i of an array without rows, in one expression; NULL if that takes
// statements.
char *smb_index_write_flat(const SmbLayout *from, const SmbLayout *to, const Term *i);

// The body of a function that returns that place for its parameter i.
char *smb_index_write_flat_body(const SmbLayout *from, const SmbLayout *to, guint64 limit);

// The body of a function that returns the place, in the whole array, of the element of indices i, j, ...
char *smb_index_write_row_body(const SmbLayout *to, const guint64 *dimensions, guint rank);

// Name of the parameter of these functions: i, j, k, ...
const char *smb_index_name(guint number);

// --- the array that is rewritten, and its mentions (rewrite-mention.c)

// Tokens of the text before any macro, by their place.
typedef struct {
  const SmbKernel *kernel; // NULL: it was not read as one
  KernelPool *pool;
  GPtrArray *tokens; // Token; the last is TOKEN_END
  GHashTable *names; // those that the text has
} RawText;

// Stretches of the text.
typedef struct {
  Stretch brackets[MENTION_MAX_STEPS]; // "[" to "]"
  guint n;
} Brackets;

typedef struct {
  const SmbRewriteArray *wanted;
  const Variable *variable;
  const Member *member; // that the array is, of the variable; or NULL
  GHashTable *aliases;  // Variable: other names of the variable
  GHashTable *elements; // Variable: of these, those that stand for what they point at alone
  GHashTable *counting; // Variable: of these, those that count in the present layout
  guint64 dimension[MAX_RANK];
  guint64 stride[MAX_RANK]; // bytes
  guint rank;
  RawText *raw;
  const SmbLaunch *launch; // or NULL
  const GArray *carved;    // Carved: pointers into the array that it is a part of; or NULL
  GArray *mentions;
  GArray *edits;         // SmbEdit
  GPtrArray *lent;       // Function: those that get the address of the array beside pointers
  GPtrArray *conditions; // "x < 32": what has to hold of the indices
  GString *helpers;      // functions that the new text calls
  guint32 first_use;     // where the first function that calls one starts
} Rewriting;

// Reads the tokens of a text, which need not be in the kernel language. FALSE with an error: it has none.
gboolean smb_rewrite_raw_lex(RawText *raw, const SmbSource *source, guint max_tokens,
                             GError **error);
void smb_rewrite_raw_clear(RawText *raw);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RawText, smb_rewrite_raw_clear)

// The token that starts at an offset, or NULL: its index.
gint smb_rewrite_raw_find(const RawText *raw, guint32 offset);

// Finds brackets behind the name at token @at: @n of them; parentheses that close may stand between.
gboolean smb_rewrite_raw_brackets(const RawText *raw, guint at, guint n, Brackets *brackets);

// Whether what stands in a bracket binds less tightly than "+".
gboolean smb_rewrite_raw_is_loose(const RawText *raw, const Stretch *bracket);

// Adds to a number of a declaration: "[32]" becomes "[32 + 1]".
void smb_rewrite_edit_dimension(GArray *edits, const Stretch *bracket, gboolean is_loose,
                                gint64 more);

void smb_rewrite_edit_add(GArray *edits, guint32 offset, guint32 length, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

// How the elements of a mention are found.
typedef enum {
  FORM_ORIGIN,  // the first element, whatever the layout
  FORM_ROWS,    // an index for each dimension; the last may be in units of a vector
  FORM_FLAT,    // one index, which counts places from the first element, perhaps of a vector
  FORM_ADDRESS, // an address that counts places in the present layout
  FORM_OTHER,   // the address goes elsewhere
} Form;

// Multiples of a row that one index adds, and other addends.
enum {
  SPLIT_MAX_PARTS = 8
};

// What makes a multiple of @rows rows, by @elements: "128", "blockDim.x"; a sum in parentheses, "(blockDim.x + 1)"; or a shift,
// " << 7".
typedef struct {
  Stretch text;
  guint64 rows;
  guint64 elements;
  gboolean is_sum;
  gboolean is_shift;
  gboolean is_of_launch;
} Factor;

// An index as a sum of multiples of a row, each with a factor, and the rest. Addends are in the order of the text.
typedef struct {
  Factor factors[SPLIT_MAX_PARTS];
  guint n_factors;
  const Node *rest[SPLIT_MAX_PARTS];
  gboolean is_negative[SPLIT_MAX_PARTS];
  guint n_rest;
  gint64 more;          // elements that are added to each row
  gboolean subtracts;   // some of the rest
  gboolean places_rest; // some of it may lie in another row: that is what is left to be placed
} Split;

// A mention, and the text of its indices.
typedef struct {
  const Mention *mention;
  Form form;
  guint first;  // steps of constant 0 before the indices
  guint n;      // indices
  guint64 unit; // elements that the last index counts by
  guint token;  // the name
  Brackets brackets;
  Stretch index[MAX_RANK];
  Term terms[MAX_RANK];
  gboolean repeatable[MAX_RANK];
  gboolean is_within; // FORM_FLAT: the index counts elements of a row, which is padded within
  gboolean is_split;  // what @index and @terms say is the rest
  Split split;
} Place;

// Finds out how a place has to change; refuses what cannot be rewritten.
gboolean smb_place_examine(const Rewriting *rewriting, Place *place, gboolean *changes,
                           GError **error);

// Where the name of the object stands in the text: also in an argument of a macro.
guint32 smb_mention_start(const Mention *mention);

// Whether an address is that of the beginning of a row, which its text says in any layout that keeps rows. What a swizzle does depends on the
// row: it is to be the first.
gboolean smb_rewrite_points_at_row(const Rewriting *rewriting, const Mention *mention);

// How tightly the text of an index binds; @one_word: whether it is a single token.
gint smb_place_binding(const Node *index, gboolean one_word);

// Whether a text may be written twice. @is_pure: whether it may be evaluated twice.
gboolean smb_place_is_repeatable(const Place *place, gboolean is_pure, const char *text);

// The node that the text has: without conversions that it does not have.
const Node *smb_node_written(const Node *node);

// The layouts of what the index of a place of FORM_FLAT counts, in its units. FALSE: these do not stay side by side.
gboolean smb_place_layouts(const Rewriting *rewriting, const Place *place, SmbLayout *from,
                           SmbLayout *to);

// Whether rows that are declared are padded within.
gboolean smb_rewrite_is_within(const Rewriting *rewriting);

// Finds the mentions of the array, and by which pointers.
void smb_rewrite_find_mentions(Rewriting *rewriting);

// A name that the text does not have, of that of the array, an ending, and a number above 1.
char *smb_rewrite_new_name(const Rewriting *rewriting, const char *ending, guint64 number);

// The function whose text has the array's name.
const Function *smb_rewrite_home(const Rewriting *rewriting);

// The address of the array, as a text, in that function or in one that is lent it.
char *smb_rewrite_base(const Rewriting *rewriting, const Function *function);

// Lends a function the array. FALSE: its text does not stand there as it is.
gboolean smb_rewrite_lend(Rewriting *rewriting, const Function *function);
gboolean smb_rewrite_is_lent(const Rewriting *rewriting, const Function *function);

// Makes the edits within functions that are lent the array, from the one of number @first on, those of copies, and calls go there.
gboolean smb_rewrite_copy_lent(Rewriting *rewriting, guint first, GError **error);

// A stretch of a text with the edits that are within it.
char *smb_rewrite_apply_within(const SmbSource *source, const GArray *edits,
                               const Stretch *stretch);

// Whether a mention is by a pointer that counts in the present layout.
gboolean smb_rewrite_keeps_counting(const Rewriting *rewriting, const Mention *mention);

// Whether an address is only compared with others, and they all count in the present layout.
gboolean smb_rewrite_is_distance(const Rewriting *rewriting, const Mention *mention);

// Makes a place one of FORM_ADDRESS. FALSE: its access cannot be moved.
gboolean smb_place_move(const Rewriting *rewriting, Place *place, gboolean *changes);

// Writes the access of a place of FORM_ADDRESS: "p[i]" becomes "a[function(&p[i] - a)]".
void smb_place_write_moved(Rewriting *rewriting, const Place *place, const char *function);

// Places that an index in the units of a place may have; 0: not known.
guint64 smb_place_limit(const Rewriting *rewriting, const Place *place);

// Splits the index of a place that changes, as far as SmbRewriteArray.form asks for it (split.c).
void smb_place_split(const Rewriting *rewriting, Place *place);

// Says why a place cannot be rewritten, and what to write by hand. Always FALSE.
G_GNUC_PRINTF(4, 5)
gboolean smb_place_refuse(const Rewriting *rewriting, const Place *place, GError **error,
                          const char *format, ...);

// Notes that a function which gets the array as an argument, and is changed, has to be called for it alone; not of the entry.
void smb_rewrite_note_lent(Rewriting *rewriting, const Function *function);

// Changes the indices of all mentions (rewrite-change.c).
gboolean smb_rewrite_mentions(Rewriting *rewriting, GError **error);
