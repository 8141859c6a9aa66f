// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What expressions of the host's text come to: those of constants, and of names and functions that stand for such.
#include <string.h>

#include "sim/base/text.h"
#include "sim/cuda/text/host-impl.h"
#include "sim/cuda/text/macro-impl.h"

enum {
  MAX_STAND_INS = 20,      // names that stand for names
  MAX_NAMES = 4096,        // in an expression, and in what they stand for
  MAX_EVALUATED = 1 << 16, // tokens of an expression
};

// What the parameters of a function, or of a template, are in its expression.
typedef struct {
  char **names;
  const ConstantValue *values;
  guint n;
} Frame;

// An expression being evaluated.
typedef struct {
  const SmbHost *host;
  guint scope;
  KernelPool *pool;
  const Frame *frame; // or NULL
  guint n_names;
  guint nesting;
} Evaluation;

static gboolean evaluate_host_text(Evaluation *evaluation, const char *text, ConstantValue *value);

// The tokens of an expression; NULL: it is none. @source: (out) (transfer full): has their places
static const Token *
lex_expression(Evaluation *evaluation, const char *text, SmbSource **source) {
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  guint left = MAX_EVALUATED;
  *source = smb_source_new("expression", bytes, NULL);
  return *source ? smb_kernel_lex(*source, *source, 0, evaluation->pool, &left, NULL) : NULL;
}

// Follows names that stand for a dim3. Returns: (nullable): the text of it
static const char *
find_extent(const Evaluation *evaluation, const char *name) {
  const char *text = name;
  for (guint i = 0; i < MAX_STAND_INS; i++) {
    const SmbHostValue *value = smb_host_find_value(evaluation->host, evaluation->scope, text);
    if (!value)
      return text;
    if (value->parameters)
      return NULL;
    text = value->text;
  }
  return NULL;
}

// The numbers of "dim3(X, Y, Z)" or "dim3{…}". FALSE: it is none, or they are not known
static gboolean
evaluate_dim3(Evaluation *evaluation, const char *text, guint64 extent[3]) {
  g_autoptr(SmbSource) source = NULL;
  const Token *token = lex_expression(evaluation, text, &source);
  extent[0] = extent[1] = extent[2] = 1;
  if (!token || !smb_token_is(token, "dim3"))
    return FALSE;
  token = token->next;
  int nesting = 0;
  guint n = 0, start = 0;
  for (; token->kind != TOKEN_END; token = token->next) {
    gboolean is_comma = nesting == 1 && smb_token_is(token, ",");
    int deeper = smb_host_nesting(token);
    nesting += deeper;
    gboolean is_end = nesting == 0 && token->next->kind == TOKEN_END;
    if (nesting == 1 && deeper == 1)
      start = token->end;
    if (!is_comma && !is_end)
      continue;
    g_autofree char *part = g_strstrip(smb_source_slice(source, start, token->start));
    ConstantValue value;
    if (is_end && n == 0 && !*part)
      return TRUE;
    if (n == 3 || !evaluate_host_text(evaluation, part, &value) ||
        !smb_kernel_constant_convert(&value, FALSE) || value.whole < 0)
      return FALSE;
    extent[n++] = (guint64)value.whole;
    start = token->end;
    if (is_end)
      return TRUE;
  }
  return FALSE;
}

// "block.x" of a dim3.
static gboolean
find_member(Evaluation *evaluation, const char *name, const char *member, ConstantValue *value) {
  guint64 extent[3];
  const char *text = find_extent(evaluation, name);
  guint axis = (guint)(member[0] - 'x');
  if (!text || strlen(member) != 1 || axis > 2 || !evaluate_dim3(evaluation, text, extent))
    return FALSE;
  *value = (ConstantValue){.whole = (gint64)extent[axis]};
  return TRUE;
}

static gboolean
find_host_value(gpointer data, const char *name, ConstantValue *value) {
  Evaluation *evaluation = data;
  for (guint i = 0; evaluation->frame && i < evaluation->frame->n; i++) {
    if (strcmp(evaluation->frame->names[i], name) == 0) {
      *value = evaluation->frame->values[i];
      return TRUE;
    }
  }
  if (evaluation->nesting >= MAX_STAND_INS || evaluation->n_names++ >= MAX_NAMES)
    return FALSE;
  const Frame *frame = g_steal_pointer(&evaluation->frame);
  const char *dot = strchr(name, '.');
  g_autofree char *first = dot ? g_strndup(name, (gsize)(dot - name)) : NULL;
  evaluation->nesting++;
  const SmbHostValue *found =
      dot ? NULL : smb_host_find_value(evaluation->host, evaluation->scope, name);
  gboolean ok = dot ? find_member(evaluation, first, dot + 1, value)
                    : found && *found->text && !found->parameters &&
                          evaluate_host_text(evaluation, found->text, value);
  evaluation->nesting--;
  evaluation->frame = frame;
  return ok && (!found || found->kind == SMB_HOST_ANY ||
                smb_kernel_constant_convert(value, found->kind == SMB_HOST_REAL));
}

static gboolean
call_host_function(gpointer data, const char *name, const ConstantValue *arguments, guint n,
                   ConstantValue *value) {
  Evaluation *evaluation = data;
  const SmbHostValue *found = smb_host_find_value(evaluation->host, evaluation->scope, name);
  if (!found || !found->parameters || g_strv_length(found->parameters) != n ||
      evaluation->nesting >= MAX_STAND_INS || evaluation->n_names++ >= MAX_NAMES)
    return FALSE;
  const Frame frame = {found->parameters, arguments, n}, *outer = evaluation->frame;
  evaluation->frame = &frame;
  evaluation->nesting++;
  gboolean ok = evaluate_host_text(evaluation, found->text, value);
  evaluation->nesting--;
  evaluation->frame = outer;
  return ok && (found->kind == SMB_HOST_ANY ||
                smb_kernel_constant_convert(value, found->kind == SMB_HOST_REAL));
}

static gboolean
evaluate_host_text(Evaluation *evaluation, const char *text, ConstantValue *value) {
  g_autoptr(SmbSource) source = NULL;
  const ConstantNames names = {find_host_value, call_host_function, evaluation};
  const Token *tokens = lex_expression(evaluation, text, &source);
  return tokens && smb_kernel_constant_evaluate(source, tokens, tokens, &names, value, NULL);
}

// An evaluation where @launch (nullable) is; freed with its pool.
static Evaluation
begin_evaluation(const SmbHost *host, const SmbHostLaunch *launch) {
  return (Evaluation){.host = host,
                      .scope = launch ? launch->scope : SMB_HOST_NO_SCOPE,
                      .pool = smb_kernel_pool_new()};
}

static gboolean
evaluate_expression(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                    ConstantValue *value) {
  Evaluation evaluation = begin_evaluation(host, launch);
  gboolean ok = evaluate_host_text(&evaluation, expression, value);
  smb_kernel_pool_free(evaluation.pool);
  return ok;
}

gboolean
smb_host_number(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                guint64 *value) {
  ConstantValue found;
  if (!evaluate_expression(host, launch, expression, &found) ||
      !smb_kernel_constant_convert(&found, FALSE) || found.whole < 0)
    return FALSE;
  *value = (guint64)found.whole;
  return TRUE;
}

gboolean
smb_host_extent(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                guint64 extent[3]) {
  Evaluation evaluation = begin_evaluation(host, launch);
  const char *text = find_extent(&evaluation, expression);
  gboolean is_dim3 = text && evaluate_dim3(&evaluation, text, extent);
  smb_kernel_pool_free(evaluation.pool);
  if (is_dim3)
    return TRUE;
  extent[0] = extent[1] = extent[2] = 1;
  return smb_host_number(host, launch, expression, &extent[0]);
}

static char *
describe_constant(const ConstantValue *value) {
  return value->is_real ? smb_text_real(value->real, FALSE)
                        : g_strdup_printf("%" G_GINT64_FORMAT, value->whole);
}

// The kind of a type of several words.
static SmbHostKind
find_kind(const char *type) {
  g_auto(GStrv) words = g_strsplit_set(type, " \t\n&", -1);
  SmbHostKind kind = SMB_HOST_ANY;
  for (guint i = 0; words[i]; i++)
    kind = kind == SMB_HOST_ANY ? smb_host_kind(words[i]) : kind;
  return kind;
}

char *
smb_host_constant(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                  const char *type) {
  ConstantValue value;
  SmbHostKind kind = find_kind(type);
  if (!evaluate_expression(host, launch, expression, &value) ||
      (kind == SMB_HOST_WHOLE && !smb_kernel_constant_convert(&value, FALSE)))
    return NULL;
  return describe_constant(&value);
}

// Whether one of some names is in an expression, or one that stands for something in a scope.
static gboolean
has_name(const SmbHost *host, guint scope, const GPtrArray *templates, const char *expression) {
  Evaluation evaluation = {.pool = smb_kernel_pool_new()};
  g_autoptr(SmbSource) source = NULL;
  const Token *token = lex_expression(&evaluation, expression, &source);
  gboolean found = FALSE;
  for (; token && token->kind != TOKEN_END && !found; token = token->next) {
    for (guint i = 0; templates && i < templates->len; i++)
      found |= smb_token_is(token, ((const SmbHostTemplate *)templates->pdata[i])->name);
    found |= token->kind == TOKEN_NAME && host && smb_host_find_value(host, scope, token->text);
  }
  smb_kernel_pool_free(evaluation.pool);
  return found;
}

gboolean
smb_host_is_open(const SmbHost *host, const SmbHostLaunch *launch, const char *argument) {
  ConstantValue value;
  return !evaluate_expression(host, launch, argument, &value) &&
         has_name(host, launch->scope, NULL, argument);
}

char *
smb_host_default(const SmbHost *host, const SmbHostKernel *kernel, const SmbHostLaunch *launch,
                 guint n) {
  const SmbHostTemplate *parameter =
      n < kernel->templates->len ? kernel->templates->pdata[n] : NULL;
  if (!parameter || !parameter->value)
    return NULL;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(ConstantValue));
  for (guint i = 0; i < n; i++) {
    const SmbHostTemplate *before = kernel->templates->pdata[i];
    const char *given = launch->instance && i < launch->instance->len
                            ? (const char *)launch->instance->pdata[i]
                            : before->value;
    ConstantValue value;
    if (given && evaluate_expression(host, launch, given, &value)) {
      g_strv_builder_add(builder, before->name);
      g_array_append_val(values, value);
    }
  }
  g_auto(GStrv) names = g_strv_builder_end(builder);
  const Frame frame = {names, (const ConstantValue *)(gpointer)values->data, values->len};
  Evaluation evaluation = {.host = host, .pool = smb_kernel_pool_new(), .frame = &frame};
  ConstantValue value;
  gboolean ok = evaluate_host_text(&evaluation, parameter->value, &value);
  smb_kernel_pool_free(evaluation.pool);
  if (ok)
    return describe_constant(&value);
  return has_name(NULL, 0, kernel->templates, parameter->value) ? NULL : g_strdup(parameter->value);
}
