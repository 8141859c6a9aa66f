// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Integer expressions over what a text defines: its macros, the command line's first, and names that all of it gives one
// constant value ("constexpr int TILE = 32;" outside of functions).
#include "sim/cuda/text/constant.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/cuda/text/host.h"
#include "sim/cuda/text/macro-impl.h"

// Names that stand for names, and names in all that one expression stands for.
enum {
  MAX_STAND_INS = 32,
  MAX_NAMES = 4096
};

// An expression being evaluated. @host: what the text says of names, read when one is asked for
typedef struct {
  KernelMacros *macros;
  SmbHost *host;
  guint nesting;
  guint n_names;
} Evaluation;

static gboolean evaluate_text_constant(Evaluation *evaluation, const char *expression,
                                       gint64 *value, GError **error);

static gboolean
find_constant(gpointer data, const char *name, ConstantValue *value) {
  Evaluation *evaluation = data;
  if (!evaluation->host) {
    evaluation->host = smb_host_new();
    smb_host_read_raw(evaluation->host, evaluation->macros->source, NULL);
  }
  const char *text = smb_host_text(evaluation->host, name);
  if (!text || !*text || evaluation->nesting == MAX_STAND_INS || evaluation->n_names++ == MAX_NAMES)
    return FALSE;
  evaluation->nesting++;
  *value = (ConstantValue){0};
  gboolean found = evaluate_text_constant(evaluation, text, &value->whole, NULL);
  evaluation->nesting--;
  return found;
}

static gboolean
evaluate_text_constant(Evaluation *evaluation, const char *expression, gint64 *value,
                       GError **error) {
  const ConstantNames names = {find_constant, NULL, evaluation};
  Token *tokens = smb_macros_lex(evaluation->macros, expression, error);
  return tokens &&
         smb_macros_evaluate_line(evaluation->macros, tokens, tokens, &names, value, error);
}

gboolean
smb_kernel_macros_evaluate(const KernelMacros *macros, const char *expression, gint64 *value,
                           GError **error) {
  g_autoptr(GError) local = NULL;
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  // The table is read only; what comes of the expression is its own.
  KernelMacros own = *macros;
  own.pool = smb_kernel_pool_new();
  own.texts = texts;
  Evaluation evaluation = {.macros = &own};
  gboolean ok = evaluate_text_constant(&evaluation, expression, value, &local);
  smb_host_free(evaluation.host);
  smb_kernel_pool_free(own.pool);
  if (!ok) {
    // Of a message about a place in a text, what is said of it.
    g_auto(GStrv) lines = g_strsplit(local->message, "\n", 2);
    g_autoptr(GRegex) place = g_regex_new("^.*?:[0-9]+:[0-9]+: ", G_REGEX_RAW, 0, NULL);
    g_autofree char *reason = g_regex_replace_literal(place, lines[0], -1, 0, "", 0, NULL);
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "'%s' is not an integer expression: %s", expression,
             reason);
    smb_error_add_hints(error ? *error : NULL, local, 0);
  }
  return ok;
}

gboolean
smb_cuda_constant(SmbSource *source, const SmbProgramOptions *options, const char *expression,
                  gint64 *value, GError **error) {
  g_autoptr(SmbSource) whole = smb_source_whole(source);
  const guint given = options->limits.max_tokens;
  KernelPool *pool = smb_kernel_pool_new();
  KernelMacros *macros =
      smb_kernel_macros_new(pool, whole, options->folders, given ? given : SMB_PROGRAM_MAX_TOKENS,
                            options->cuda_arch, options->lanes, options->processor);
  gboolean ok = TRUE;
  for (guint i = 0; ok && options->defines && options->defines[i]; i++)
    ok = smb_kernel_macros_define(macros, options->defines[i], error);
  // What the preprocessor refuses hides only what follows: a name that is missing then is told.
  if (ok)
    smb_kernel_macros_run_file(macros, NULL);
  ok = ok && smb_kernel_macros_evaluate(macros, expression, value, error);
  smb_kernel_macros_free(macros);
  smb_kernel_pool_free(pool);
  return ok;
}
