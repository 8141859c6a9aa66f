// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the table of macros and the directives share. Private to the preprocessor of the kernel
// language.
#pragma once

#include "sim/cuda/text/macro.h"

// #if within #if, and macro arguments within macro arguments.
enum {
  MAX_NESTING = 200,
  MAX_PARAMETERS = 64
};

typedef struct {
  const char *name;
  gboolean function_like;
  gboolean from_command_line;
  gboolean is_variadic; // its last parameter is "...", for what __VA_ARGS__ stands
  gint used;            // changed while others look on: see macros_use()
  const char *outside;  // what in it is outside the subset, or NULL: then it must not be used
  guint n_parameters;
  const Token *parameters; // the first; a "," stands before each of the others
  Token *body;             // ends in TOKEN_END
} Macro;

typedef struct {
  const Token *opened; // the #if
  gboolean taken;      // a branch of it was taken already
  gboolean active;     // the present branch is taken
  gboolean in_else;
} Branch;

struct _KernelMacros {
  KernelPool *pool;
  SmbSource *source; // a whole
  GHashTable *table; // name → Macro
  GArray *overruled; // Stretch, see smb_kernel_macros_overruled()
  GPtrArray *texts;  // sources of the command line's definitions
  guint max_tokens;
  guint tokens_left;
  guint hidden_left;
  guint nesting;
  Branch branches[MAX_NESTING];
  guint n_branches;
  guint first_branch; // of the file that is read
  gboolean packs;     // there is a #pragma pack
  gboolean is_hip;    // its names are defined (hip.c)
  guint text_tokens_left;
  // of #include (include.c)
  const char *const *folders;
  const char *file;     // that is read
  guint depth;          // files around it
  GHashTable *files;    // path → its text
  GHashTable *once;     // names of those with #pragma once
  GArray *includes;     // Include
  gboolean is_tolerant; // what cannot be done is left out, if nothing else needs the text
  GPtrArray *missing;   // or NULL: names of files that were not found: "NAME", or "<NAME"
};

// Notes that a macro counts for something. Expressions over the macros of one kernel may be evaluated
// side by side: this is all that they change.
static inline void
macros_use(Macro *macro) {
  g_atomic_int_set(&macro->used, TRUE);
}

G_GNUC_PRINTF(4, 5)
gboolean smb_macros_fail(KernelMacros *macros, const Token *at, GError **error, const char *format,
                         ...);

// Where a directive names a file of the user: what its text gives, ending in TOKEN_END; else NULL.
gboolean smb_macros_include(KernelMacros *macros, const Token *hash, Token *line, Token **included,
                            GError **error);
void smb_macros_free_file(gpointer file); // of KernelMacros.files

// Splits a text that is not part of the file; its places are not shown.
Token *smb_macros_lex(KernelMacros *macros, const char *text, GError **error);

// The macro that a token names, or NULL.
Macro *smb_macros_find(KernelMacros *macros, const Token *token);

// Expands the macro at @token, if it is one. @expanded is what stands there afterwards.
gboolean smb_macros_expand_token(KernelMacros *macros, Token *token, gboolean *is_macro,
                                 Token **expanded, GError **error);

// Expands all macros of a list that ends in TOKEN_END.
Token *smb_macros_expand(KernelMacros *macros, Token *tokens, GError **error);

// What a constant expression comes to: a whole number, or one with a fraction, which may be a float.
typedef struct {
  gboolean is_real, is_single;
  gint64 whole;
  double real;
} ConstantValue;

// Makes it a number of the other kind, as a conversion of C does. Returns: whether it is in range
gboolean smb_kernel_constant_convert(ConstantValue *value, gboolean to_real);

// What names that are no macros come to, in an expression outside of the text: "a", "a::b", or "a.x". Return: whether that is a value
// @call: (nullable): of "NAME(…)", unless it is min(), max(), ceil() or floor()
typedef struct {
  gboolean (*value_of)(gpointer data, const char *name, ConstantValue *value);
  gboolean (*call)(gpointer data, const char *name, const ConstantValue *arguments, guint n,
                   ConstantValue *value);
  gpointer data;
} ConstantNames;

// Evaluates the tokens up to TOKEN_END; macros are expanded already. @whole is where an error about a missing operand points. @names:
// (nullable): of %NULL, as in #if, a name that is left counts as 0; else it is an error if they do not have it, sizeof(TYPE) and
// casts are known, and numbers may have fractions.
gboolean smb_kernel_constant_evaluate(const SmbSource *source, const Token *tokens,
                                      const Token *whole, const ConstantNames *names,
                                      ConstantValue *value, GError **error);

// The same, of a whole number of 64 bits; another one is an error.
gboolean smb_kernel_condition_evaluate(const SmbSource *source, const Token *tokens,
                                       const Token *whole, const ConstantNames *names,
                                       gint64 *value, GError **error);

// Expands the macros of such a line, and evaluates it.
gboolean smb_macros_evaluate_line(KernelMacros *macros, Token *line, const Token *whole,
                                  const ConstantNames *names, gint64 *value, GError **error);
