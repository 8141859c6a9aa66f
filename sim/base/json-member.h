// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// JSON read strictly, and written. What an object may have is a table of members; each says how its value is read and
// written, where it is kept, and, if the object has sums, how it is added to that of another. A member that no table
// has is refused, and so is a value of another type: nothing is guessed.
#pragma once

#include <json-glib/json-glib.h>

/**
 * SmbPlace: where a value stands, for messages; lives on the stack.
 * @above: the object or array that it is in; %NULL for the document
 * @name: name of the member or of the document; %NULL for an element of an array
 * @index: of an element
 * @texts: (nullable): for the document: keeps the texts of SMB_MEMBER_KEPT
 */
typedef struct _SmbPlace SmbPlace;
struct _SmbPlace {
  const SmbPlace *above;
  const char *name;
  guint index;
  GStringChunk *texts;
};

/** Reads @node, which is not null, into @target; the error is SMB_ERROR_INPUT and names @place. */
typedef gboolean (*SmbMemberRead)(const SmbPlace *place, JsonNode *node, gpointer target,
                                  GError **error);

/** Adds @value to the text; %FALSE: there is none, and nothing was added. */
typedef gboolean (*SmbMemberWrite)(GString *json, gconstpointer value);

/** Adds @more to @into, which are values of the same member. */
typedef void (*SmbMemberAdd)(gpointer into, gconstpointer more);

/** Whether a member has to be there. Others may be absent or null, and then leave their target as it is. */
typedef enum {
  MEMBER_REQUIRED,
  MEMBER_NULL,   /* written as null if there is no value */
  MEMBER_ABSENT, /* not written if there is no value */
} SmbMemberNeed;

typedef struct _SmbMembers SmbMembers;

/**
 * SmbMember:
 * @name: its key; of values in one array it is for those who read the table
 * @need: whether it has to be there
 * @read, @write: how; %NULL: as @of, @most or @words say; if these say nothing, whoever has the table does it
 * @offset: byte offset of its value in the struct of the object
 * @add: (nullable): how; %NULL: it says what the object is about, and is not added
 * @of: (nullable): of a value that is made of others
 * @most: of a whole number from 0, a guint; 0: it is none, or @read says
 * @words: (nullable) (array zero-terminated=1): for a value that is one of these: its index, a guint
 */
typedef struct {
  const char *name;
  SmbMemberNeed need;
  SmbMemberRead read;
  SmbMemberWrite write;
  gsize offset;
  SmbMemberAdd add;
  const SmbMembers *of;
  guint most;
  const char *const *words;
} SmbMember;

/**
 * SmbMembers: a value that is made of others
 * @members: (array length=n): what it has
 * @size: for an array of objects: the size of the struct of each; a GArray keeps them, and is made if there is none. 0:
 *   it is one struct, whose values are in one array
 * @clear: (nullable): of structs in a GArray
 * @blank: (nullable): what a struct is where members are absent; %NULL: all zero
 * @picks: whether objects may have other members: smb_members_pick()
 * @is_object: it is one struct, and an object
 * @separator: (nullable): what is between members that are written; %NULL: ","
 * @line: (nullable): what each object of an array begins with, so that it is on a line of its own
 */
struct _SmbMembers {
  const SmbMember *members;
  guint n;
  gsize size;
  GDestroyNotify clear;
  gconstpointer blank;
  gboolean picks;
  gboolean is_object;
  const char *separator;
  const char *line;
};

/** What a table and its length are, as arguments; and where a member of a struct is. */
#define SMB_MEMBERS(table)         table, G_N_ELEMENTS(table)
#define SMB_MEMBER_AT(type, field) G_STRUCT_OFFSET(type, field)

/** Reads an object whose members are among @members, in their order; @target is its struct. */
G_GNUC_INTERNAL gboolean smb_members_read(const SmbPlace *place, JsonNode *node,
                                          const SmbMember *members, guint n, gpointer target,
                                          GError **error);

/** As smb_members_read(), of an object that has other members, too. */
G_GNUC_INTERNAL gboolean smb_members_pick(const SmbPlace *place, JsonNode *node,
                                          const SmbMember *members, guint n, gpointer target,
                                          GError **error);

/** Adds the members of @more to those of @into. */
G_GNUC_INTERNAL void smb_members_add(const SmbMember *members, guint n, gpointer into,
                                     gconstpointer more);

/** Whether two objects are written alike. */
G_GNUC_INTERNAL gboolean smb_members_equal(const SmbMember *members, guint n, gconstpointer a,
                                           gconstpointer b);

/** Writes the members of an object in their order, with @separator between them. */
G_GNUC_INTERNAL void smb_members_write(GString *json, const SmbMember *members, guint n,
                                       gconstpointer object, const char *separator);

/** Sets an SMB_ERROR_INPUT "DOCUMENT: member[3].member: text"; returns %FALSE. */
G_GNUC_INTERNAL gboolean smb_member_fail(const SmbPlace *place, GError **error, const char *format,
                                         ...) G_GNUC_PRINTF(3, 4);

/** Says that a value, which the message quotes, is not @what was expected; returns %FALSE. */
G_GNUC_INTERNAL gboolean smb_member_expected(const SmbPlace *place, JsonNode *node, GError **error,
                                             const char *what);

#define SMB_MEMBER_KIND(kind)                                                                      \
  G_GNUC_INTERNAL gboolean smb_member_##kind(const SmbPlace *place, JsonNode *node,                \
                                             gpointer target, GError **error);                     \
  G_GNUC_INTERNAL gboolean smb_member_write_##kind(GString *json, gconstpointer value)

/** A text without control characters: a char *, which is replaced; %NULL: no value. */
SMB_MEMBER_KIND(text);
#define SMB_MEMBER_TEXT smb_member_text, smb_member_write_text

/** A text of any characters, such as one of several lines: a char *, which is replaced. Written as any text. */
G_GNUC_INTERNAL gboolean smb_member_words(const SmbPlace *place, JsonNode *node, gpointer target,
                                          GError **error);
#define SMB_MEMBER_WORDS smb_member_words, smb_member_write_text

/** Whether something is so: a gboolean. */
SMB_MEMBER_KIND(flag);
#define SMB_MEMBER_FLAG smb_member_flag, smb_member_write_flag

/** A finite number from 0: a double; any other: no value. Written as short as it can be without losing a bit. */
SMB_MEMBER_KIND(number);
#define SMB_MEMBER_NUMBER smb_member_number, smb_member_write_number

/** A whole number from 0: a guint64. */
SMB_MEMBER_KIND(count);
#define SMB_MEMBER_COUNT smb_member_count, smb_member_write_count

/** A whole number from 1: a guint. */
SMB_MEMBER_KIND(some);
#define SMB_MEMBER_SOME smb_member_some, smb_member_write_some

/** An array of texts: a GStrv, which is replaced. */
SMB_MEMBER_KIND(texts);
#define SMB_MEMBER_TEXTS smb_member_texts, smb_member_write_texts

/** A text as SMB_MEMBER_WORDS, which the document keeps: a const char *. */
G_GNUC_INTERNAL gboolean smb_member_kept(const SmbPlace *place, JsonNode *node, gpointer target,
                                         GError **error);
#define SMB_MEMBER_KEPT smb_member_kept, smb_member_write_text

/** What a member with SmbMember.most has for @write. */
#define SMB_MEMBER_MOST NULL, smb_member_write_some

/** An object as it is, which is the document's: a JsonNode *. */
G_GNUC_INTERNAL gboolean smb_member_object(const SmbPlace *place, JsonNode *node, gpointer target,
                                           GError **error);

/** Reads one of @words (array zero-terminated=1): its index, a guint. */
G_GNUC_INTERNAL gboolean smb_member_word(const SmbPlace *place, JsonNode *node,
                                         const char *const *words, gpointer target, GError **error);

/* Values that are made of others: as a member of @target, or of an object, has them. */
G_GNUC_INTERNAL gboolean smb_members_read_value(const SmbPlace *place, JsonNode *node,
                                                const SmbMembers *of, gpointer target,
                                                GError **error);
G_GNUC_INTERNAL void smb_members_write_value(GString *json, const SmbMembers *of,
                                             gconstpointer value);

/* How values are added: numbers up, that of most, whether one is set. */
G_GNUC_INTERNAL void smb_add_count(gpointer into, gconstpointer more);
G_GNUC_INTERNAL void smb_add_number(gpointer into, gconstpointer more);
G_GNUC_INTERNAL void smb_add_most(gpointer into, gconstpointer more);
G_GNUC_INTERNAL void smb_add_flag(gpointer into, gconstpointer more);

/** An array of texts of any characters: a GStrv, which is replaced. */
G_GNUC_INTERNAL gboolean smb_member_lines(const SmbPlace *place, JsonNode *node, gpointer target,
                                          GError **error);
#define SMB_MEMBER_LINES smb_member_lines, smb_member_write_texts

/** A compute capability, "9.0": two guints, one behind the other. */
SMB_MEMBER_KIND(capability);
#define SMB_MEMBER_CAPABILITY smb_member_capability, smb_member_write_capability

/** Writes an array of three whole numbers, a guint[3]. */
G_GNUC_INTERNAL gboolean smb_member_write_extents(GString *json, gconstpointer value);

/** Reads one, each number from 1. */
G_GNUC_INTERNAL gboolean smb_member_any_extents(const SmbPlace *place, JsonNode *node,
                                                gpointer target, GError **error);

/** As that, each number at most its @max. */
G_GNUC_INTERNAL gboolean smb_member_extents(const SmbPlace *place, JsonNode *node,
                                            const guint max[3], guint extents[3], GError **error);

/**
 * smb_json_parse:
 * @source: how messages call the text
 * @max_nesting: how deep objects and arrays may be nested
 * @error: SMB_ERROR_INPUT, naming the line and the column of a syntax error
 *
 * Returns: (transfer full): the root
 */
G_GNUC_INTERNAL JsonNode *smb_json_parse(const char *source, const char *text, gsize length,
                                         guint max_nesting, GError **error);
