// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// sum: '(' INTEGER (' + ' INTEGER ' * ' atom)* ')'
// atom: NAME | '(' sum (' * ' | ' & ' | ' | ' | ' ^ ' | ' >> ') sum ')'
#include "src/verify-proof/formula.h"

#include <string.h>

enum {
  MAX_DEPTH = 200,
};

// A part of a sum, or one side of an operation, whose factor is 1.
typedef struct {
  guint32 factor;
  SmbFormula *of;
} Summand;

// @kind: '+': a sum; 'x': a name; otherwise an operator, and @parts its two sides
struct _SmbFormula {
  char kind;
  guint name;
  guint32 constant;
  char *rest;
  GArray *parts;
};

typedef struct {
  const char *at;
  const char *const *names;
  guint depth;
} Reading;

void
smb_formula_free(SmbFormula *formula) {
  if (!formula)
    return;
  for (guint i = 0; i < formula->parts->len; i++)
    smb_formula_free(g_array_index(formula->parts, Summand, i).of);
  g_array_unref(formula->parts);
  g_free(formula->rest);
  g_free(formula);
}

static SmbFormula *
make_formula(char kind) {
  SmbFormula *formula = g_new0(SmbFormula, 1);
  formula->kind = kind;
  formula->parts = g_array_new(FALSE, FALSE, sizeof(Summand));
  return formula;
}

static gboolean
skip_word(Reading *reading, const char *word) {
  gsize length = strlen(word);
  if (strncmp(reading->at, word, length) != 0)
    return FALSE;
  reading->at += length;
  return TRUE;
}

static gboolean
read_formula_integer(Reading *reading, guint32 *value) {
  char *end;
  gint64 number = g_ascii_strtoll(reading->at, &end, 10);
  if (end == reading->at || number < G_MININT32 || number > G_MAXUINT32)
    return FALSE;
  reading->at = end;
  *value = (guint32)number;
  return TRUE;
}

static SmbFormula *read_sum(Reading *reading);

static SmbFormula *
read_formula_name(Reading *reading) {
  gsize length = 0;
  while (g_ascii_isalnum(reading->at[length]) || reading->at[length] == '_')
    length++;
  for (guint i = 0; length > 0 && reading->names[i]; i++) {
    if (strlen(reading->names[i]) != length || strncmp(reading->names[i], reading->at, length) != 0)
      continue;
    SmbFormula *name = make_formula('x');
    name->name = i;
    reading->at += length;
    return name;
  }
  return NULL;
}

static SmbFormula *
read_operation(Reading *reading) {
  static const char *const operators[] = {" * ", " & ", " | ", " ^ ", " >> "};
  g_autoptr(SmbFormula) formula = make_formula(0);
  Summand side = {1, read_sum(reading)};
  if (!side.of)
    return NULL;
  g_array_append_val(formula->parts, side);
  for (guint i = 0; i < G_N_ELEMENTS(operators) && !formula->kind; i++) {
    if (skip_word(reading, operators[i]))
      formula->kind = operators[i][1];
  }
  side.of = formula->kind ? read_sum(reading) : NULL;
  if (!side.of)
    return NULL;
  g_array_append_val(formula->parts, side);
  gboolean is_constant = side.of->parts->len == 0 && side.of->constant < 32;
  return (formula->kind != '>' || is_constant) && skip_word(reading, ")")
             ? g_steal_pointer(&formula)
             : NULL;
}

static SmbFormula *
read_sum(Reading *reading) {
  g_autoptr(SmbFormula) sum = make_formula('+');
  if (reading->depth == MAX_DEPTH || !skip_word(reading, "(") ||
      !read_formula_integer(reading, &sum->constant))
    return NULL;
  reading->depth++;
  const char *from = reading->at;
  while (skip_word(reading, " + ")) {
    Summand part;
    if (!read_formula_integer(reading, &part.factor) || !skip_word(reading, " * "))
      return NULL;
    part.of = skip_word(reading, "(") ? read_operation(reading) : read_formula_name(reading);
    if (!part.of)
      return NULL;
    g_array_append_val(sum->parts, part);
  }
  sum->rest = g_strndup(from, (gsize)(reading->at - from));
  reading->depth--;
  return skip_word(reading, ")") ? g_steal_pointer(&sum) : NULL;
}

SmbFormula *
smb_formula_parse(const char *text, const char *const *names) {
  Reading reading = {.at = text, .names = names};
  g_autoptr(SmbFormula) formula = read_sum(&reading);
  return formula && *reading.at == 0 ? g_steal_pointer(&formula) : NULL;
}

guint32
smb_formula_constant(const SmbFormula *formula) {
  return formula->constant;
}

const char *
smb_formula_rest(const SmbFormula *formula) {
  return formula->rest;
}

guint32
smb_formula_evaluate(const SmbFormula *formula, const guint32 *values) {
  const Summand *parts = (const Summand *)(gpointer)formula->parts->data;
  guint32 sum = formula->constant;
  if (formula->kind == 'x')
    return values[formula->name];
  if (formula->kind == '+') {
    for (guint i = 0; i < formula->parts->len; i++)
      sum += parts[i].factor * smb_formula_evaluate(parts[i].of, values);
    return sum;
  }
  guint32 a = smb_formula_evaluate(parts[0].of, values);
  guint32 b = smb_formula_evaluate(parts[1].of, values);
  return formula->kind == '*'   ? a * b
         : formula->kind == '&' ? a & b
         : formula->kind == '|' ? a | b
         : formula->kind == '^' ? a ^ b
                                : a >> b;
}

// Bits of a sum, a product or a bit operation are decided by as many of what they are of; those that a shift moves down are higher; of
// what is masked by a constant none above its highest 1 counts.
void
smb_formula_need(const SmbFormula *formula, guint bits, guint *needed) {
  const Summand *parts = (const Summand *)(gpointer)formula->parts->data;
  if (formula->kind == 'x')
    needed[formula->name] = MAX(needed[formula->name], bits);
  for (guint i = 0; formula->kind == '&' && i < formula->parts->len; i++) {
    guint32 mask = parts[i].of->constant;
    guint used = 0;
    while (used < 32 && mask >> used)
      used++;
    if (parts[i].of->kind == '+' && parts[i].of->parts->len == 0)
      bits = MIN(bits, used);
  }
  for (guint i = 0; i < formula->parts->len; i++) {
    guint zeros = (guint)g_bit_nth_lsf(parts[i].factor, -1); // all ones, if the factor is 0
    guint more = formula->kind == '>' && i == 0 ? parts[1].of->constant : 0;
    if (bits > zeros)
      smb_formula_need(parts[i].of, bits - zeros + more, needed);
  }
}
