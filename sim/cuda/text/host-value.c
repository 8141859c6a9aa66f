// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What expressions of the host's text come to: sums and products of constants and of names that stand for such.
#include <string.h>

#include "sim/cuda/cuda.h"
#include "sim/cuda/text/host-impl.h"

enum {
  MAX_NESTING = 64, // of names and parentheses in an expression
  MAX_NAMES = 4096  // in an expression, and in what they stand for
};

// An expression being evaluated. @failed: it is no constant
typedef struct {
  const SmbHost *host;
  const SmbHostLaunch *launch; // or NULL
  const char *at;
  guint *names; // that may still be looked up
  guint nesting;
  gboolean failed;
} Evaluation;

static gint64 evaluate_sum(Evaluation *evaluation);

// What a name is for a launch; NULL: nothing is said of it.
static const char *
find_value(const SmbHost *host, const SmbHostLaunch *launch, const char *name) {
  const guint scopes[] = {launch ? launch->scope : 0, launch ? launch->file_scope : 0};
  for (guint i = 0; launch && i < G_N_ELEMENTS(scopes); i++) {
    g_autofree char *key = smb_host_key(scopes[i], name);
    const char *value = g_hash_table_lookup(host->values, key);
    if (value)
      return value;
  }
  return g_hash_table_lookup(host->values, name);
}

static gboolean
take_host_token(Evaluation *evaluation, const char *text) {
  while (g_ascii_isspace(*evaluation->at))
    evaluation->at++;
  if (!g_str_has_prefix(evaluation->at, text))
    return FALSE;
  evaluation->at += strlen(text);
  return TRUE;
}

static gint64
fail(Evaluation *evaluation) {
  evaluation->failed = TRUE;
  return 0;
}

// A name: a constant, or sizeof(TYPE).
static gint64
evaluate_name(Evaluation *evaluation) {
  const char *start = evaluation->at;
  while (g_ascii_isalnum(*evaluation->at) || *evaluation->at == '_')
    evaluation->at++;
  g_autofree char *name = g_strndup(start, (gsize)(evaluation->at - start));
  if (strcmp(name, "sizeof") == 0 && take_host_token(evaluation, "(")) {
    gsize length = strcspn(evaluation->at, ")");
    g_autofree char *type = g_strstrip(g_strndup(evaluation->at, length));
    gsize size = smb_cuda_element_size(type);
    evaluation->at += length;
    return take_host_token(evaluation, ")") && size > 0 ? (gint64)size : fail(evaluation);
  }
  const char *value = find_value(evaluation->host, evaluation->launch, name);
  if (!value || !*value || evaluation->nesting >= MAX_NESTING || *evaluation->names == 0)
    return fail(evaluation);
  --*evaluation->names;
  Evaluation inner = {.host = evaluation->host,
                      .launch = evaluation->launch,
                      .at = value,
                      .names = evaluation->names,
                      .nesting = evaluation->nesting + 1};
  gint64 number = evaluate_sum(&inner);
  take_host_token(&inner, "");
  return inner.failed || *inner.at ? fail(evaluation) : number;
}

static gint64
evaluate_primary(Evaluation *evaluation) {
  if (take_host_token(evaluation, "(")) {
    if (++evaluation->nesting > MAX_NESTING)
      return fail(evaluation);
    gint64 number = evaluate_sum(evaluation);
    evaluation->nesting--;
    return take_host_token(evaluation, ")") ? number : fail(evaluation);
  }
  if (g_ascii_isalpha(*evaluation->at) || *evaluation->at == '_')
    return evaluate_name(evaluation);
  char *end = NULL;
  guint64 number = g_ascii_isdigit(*evaluation->at) ? g_ascii_strtoull(evaluation->at, &end, 0) : 0;
  if (!end || number > G_MAXINT64)
    return fail(evaluation);
  evaluation->at = end + strspn(end, "uUlL");
  return (gint64)number;
}

static gint64
evaluate_product(Evaluation *evaluation) {
  gint64 number = evaluate_primary(evaluation);
  while (!evaluation->failed) {
    char op = take_host_token(evaluation, "*")   ? '*'
              : take_host_token(evaluation, "/") ? '/'
              : take_host_token(evaluation, "%") ? '%'
                                                 : 0;
    if (!op)
      return number;
    gint64 right = evaluate_primary(evaluation);
    if (op == '*' ? __builtin_mul_overflow(number, right, &number) : right <= 0 || number < 0)
      return fail(evaluation);
    if (op != '*')
      number = op == '/' ? number / right : number % right;
  }
  return 0;
}

static gint64
evaluate_sum(Evaluation *evaluation) {
  gint64 number = evaluate_product(evaluation);
  while (!evaluation->failed) {
    gboolean adds = take_host_token(evaluation, "+");
    if (!adds && !take_host_token(evaluation, "-"))
      return number;
    gint64 right = evaluate_product(evaluation);
    if (adds ? __builtin_add_overflow(number, right, &number)
             : __builtin_sub_overflow(number, right, &number))
      return fail(evaluation);
  }
  return 0;
}

gboolean
smb_host_number(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                guint64 *value) {
  guint names = MAX_NAMES;
  Evaluation evaluation = {.host = host, .launch = launch, .at = expression, .names = &names};
  gint64 number = evaluate_sum(&evaluation);
  take_host_token(&evaluation, "");
  *value = (guint64)number;
  return !evaluation.failed && !*evaluation.at && number >= 0;
}

// The numbers of "dim3(X, Y, Z)", behind its bracket.
static gboolean
evaluate_extents(Evaluation *evaluation, guint64 extent[3]) {
  guint n = 0;
  do {
    gint64 number = n < 3 ? evaluate_sum(evaluation) : fail(evaluation);
    if (evaluation->failed || number < 0)
      return FALSE;
    extent[n++] = (guint64)number;
  } while (take_host_token(evaluation, ","));
  return take_host_token(evaluation, ")") || take_host_token(evaluation, "}");
}

gboolean
smb_host_extent(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                guint64 extent[3]) {
  extent[0] = extent[1] = extent[2] = 1;
  const char *value = find_value(host, launch, expression), *next = value;
  for (guint i = 0; next && i < MAX_NESTING; i++) {
    value = next;
    next = find_value(host, launch, value);
  }
  guint names = MAX_NAMES;
  Evaluation evaluation = {
      .host = host, .launch = launch, .at = value ? value : expression, .names = &names};
  if (take_host_token(&evaluation, "dim3"))
    return (take_host_token(&evaluation, "(") || take_host_token(&evaluation, "{")) &&
           evaluate_extents(&evaluation, extent) &&
           (take_host_token(&evaluation, ""), !*evaluation.at);
  return smb_host_number(host, launch, expression, &extent[0]);
}
