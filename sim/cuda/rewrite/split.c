// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An index, as its text adds it up: multiples of a row, and the rest. If rows are padded, "k * 128 + x" becomes "k * (128 +
// 4) + x": place(q * row + rest) is q * (row + pad) + place(rest), and place(rest) is the rest itself where that lies
// within one row. A compiler makes more of this than of a division: of x * 8 + i, too, if i stays out of it.
#include "sim/cuda/rewrite/impl.h"

#include <string.h>

const Node *
smb_node_written(const Node *node) {
  while (node->kind == NODE_CAST && node->a && node->start == node->a->start &&
         node->end == node->a->end)
    node = node->a;
  return node;
}

// The operation of @node, if its text is that of its operands, one behind the other: a macro has one text for both.
static gboolean
is_operation(const Node *node, Operator op) {
  return node->kind == NODE_BINARY && node->op == op && node->a->end <= node->b->start;
}

// The value of a node that is made of constants and of what the launch says of blockDim; 0: not known. @of_launch: set if it
// is made of that.
static guint64
find_split_value(const Rewriting *rewriting, const Node *node, gboolean *of_launch) {
  node = smb_node_written(node);
  if (node->kind == NODE_CONSTANT)
    return node->integer > 0 ? (guint64)node->integer : 0;
  if (is_operation(node, OPERATOR_ADD)) {
    guint64 a = find_split_value(rewriting, node->a, of_launch);
    guint64 b = find_split_value(rewriting, node->b, of_launch);
    return a && b ? a + b : 0;
  }
  if (node->kind != NODE_SPECIAL || node->special != SPECIAL_BLOCK_DIM || !rewriting->launch)
    return 0;
  *of_launch = TRUE;
  return rewriting->launch->block[node->component];
}

// A factor of a value that is a multiple of the row.
static gboolean
find_factor(const Rewriting *rewriting, const Node *node, guint64 row, Factor *factor) {
  node = smb_node_written(node);
  if (is_operation(node, OPERATOR_MUL))
    return find_factor(rewriting, node->a, row, factor) ||
           find_factor(rewriting, node->b, row, factor);
  *factor = (Factor){.text = {node->start, node->end}, .is_sum = node->kind == NODE_BINARY};
  factor->elements = find_split_value(rewriting, node, &factor->is_of_launch);
  if (is_operation(node, OPERATOR_SHL) && smb_place_binding(node->a, FALSE) >= BINDS_MUL) {
    guint64 bits = find_split_value(rewriting, node->b, &factor->is_of_launch);
    *factor = (Factor){.text = {node->a->end, node->b->end}, .is_shift = TRUE};
    factor->elements =
        bits > 0 && bits < 32 && !factor->is_of_launch ? G_GUINT64_CONSTANT(1) << bits : 0;
  }
  factor->rows = factor->elements / row;
  return factor->elements > 0 && factor->elements % row == 0;
}

// A number that a value, which is not negative, is less than; 0: not known.
static guint64
find_limit(const Node *node) {
  node = smb_node_written(node);
  if (node->kind == NODE_CONSTANT)
    return node->integer >= 0 ? (guint64)node->integer + 1 : 0;
  if (node->kind != NODE_BINARY)
    return 0;
  const Node *right = smb_node_written(node->b);
  guint64 value = right->kind == NODE_CONSTANT && right->integer > 0 ? (guint64)right->integer : 0;
  if (node->op == OPERATOR_AND)
    return value ? value + 1 : 0;
  if (node->op == OPERATOR_MOD)
    return smb_type_is_unsigned(node->type) ? value : 0;
  guint64 a = find_limit(node->a), b = find_limit(node->b);
  if (!a || !b || a > G_MAXUINT16 || b > G_MAXUINT16)
    return 0;
  if (node->op == OPERATOR_ADD)
    return a + b - 1;
  return node->op == OPERATOR_MUL ? (a - 1) * (b - 1) + 1 : 0;
}

static gboolean
add_rest(Split *split, const Node *node, gboolean is_negative) {
  if (split->n_rest == SPLIT_MAX_PARTS)
    return FALSE;
  split->subtracts = split->subtracts || is_negative;
  split->is_negative[split->n_rest] = is_negative;
  split->rest[split->n_rest++] = smb_node_written(node);
  return TRUE;
}

static gboolean
collect(const Rewriting *rewriting, Split *split, const Node *node, guint64 row) {
  node = smb_node_written(node);
  if (is_operation(node, OPERATOR_ADD))
    return collect(rewriting, split, node->a, row) && collect(rewriting, split, node->b, row);
  if (is_operation(node, OPERATOR_SUB))
    return collect(rewriting, split, node->a, row) && add_rest(split, node->b, TRUE);
  Factor factor;
  if (!find_factor(rewriting, node, row, &factor))
    return add_rest(split, node, FALSE);
  if (split->n_factors == SPLIT_MAX_PARTS)
    return FALSE;
  split->factors[split->n_factors++] = factor;
  return TRUE;
}

// Whether all parts stand in the index itself.
static gboolean
shows_parts(const Place *place) {
  const Split *split = &place->split;
  const Stretch *index = &place->index[0];
  gboolean shows = TRUE;
  for (guint i = 0; shows && i < split->n_factors; i++)
    shows =
        split->factors[i].text.start >= index->start && split->factors[i].text.end <= index->end;
  for (guint i = 0; shows && i < split->n_rest; i++)
    shows = split->rest[i]->start >= index->start && split->rest[i]->end <= index->end;
  return shows;
}

// Addends of the rest that stand side by side.
typedef struct {
  guint first, n;
} Run;

static Stretch
find_text(const Split *split, const Run *run) {
  return (Stretch){split->rest[run->first]->start, split->rest[run->first + run->n - 1]->end};
}

// Whether the text of a run is a sum: it has nothing else, and its parentheses are its own.
static gboolean
is_sum(const Rewriting *rewriting, const Split *split, const Run *run) {
  Stretch text = find_text(split, run);
  gint depth = 0;
  for (guint i = 0; i < split->n_factors; i++) {
    guint32 factor = split->factors[i].text.start;
    if (factor >= text.start && factor < text.end)
      return FALSE;
  }
  for (gint at = smb_rewrite_raw_find(rewriting->raw, text.start); at >= 0; at++) {
    const Token *token = g_ptr_array_index(rewriting->raw->tokens, (guint)at);
    if (token->start >= text.end)
      return depth == 0;
    depth += smb_token_is(token, "(") - smb_token_is(token, ")");
    if (depth < 0)
      return FALSE;
  }
  return FALSE;
}

// The rest is less than a row whatever the launch is, if it is one value of which that is known.
static gboolean
is_in_row(const Split *split, guint64 row) {
  guint64 limit = split->n_rest == 1 ? find_limit(split->rest[0]) : 0;
  return split->n_rest == 0 || (limit > 0 && limit <= row && !split->subtracts);
}

static gboolean
is_simple(const Node *node) {
  return node->kind == NODE_LOCAL || node->kind == NODE_CONSTANT;
}

// Takes one addend away that may be a step within the row of the others: a variable, the last one or else the first.
static gboolean
take_step(const Split *split, Run *run, const Node **step) {
  if (split->n_rest < 2)
    return FALSE;
  gboolean last = is_simple(split->rest[split->n_rest - 1]);
  *step = split->rest[last ? split->n_rest - 1 : 0];
  *run = (Run){last ? 0 : 1, split->n_rest - 1};
  return is_simple(*step);
}

// Appends the text of a stretch in one line.
static void
append_line(GString *out, const Rewriting *rewriting, Stretch stretch) {
  const char *text = smb_source_text(rewriting->raw->kernel->program.source);
  g_autofree char *part = g_strndup(text + stretch.start, stretch.end - stretch.start);
  g_auto(GStrv) words = g_strsplit_set(part, " \t\r\n", -1);
  gboolean any = FALSE;
  for (guint i = 0; words[i]; i++) {
    if (*words[i])
      g_string_append_printf(out, "%s%s", any ? " " : "", words[i]);
    any = any || *words[i];
  }
}

static void
append_sum(GString *out, const Rewriting *rewriting, const Split *split, const Run *run) {
  for (guint i = run->first; i < run->first + run->n; i++) {
    const char *first = split->is_negative[i] ? "-" : "";
    g_string_append(out, i == run->first ? first : split->is_negative[i] ? " - " : " + ");
    append_line(out, rewriting, (Stretch){split->rest[i]->start, split->rest[i]->end});
  }
}

static void
add_condition(const Rewriting *rewriting, const char *condition) {
  if (!g_ptr_array_find_with_equal_func(rewriting->conditions, condition, g_str_equal, NULL))
    g_ptr_array_add(rewriting->conditions, g_strdup(condition));
}

static gint
find_binding(const Split *split, const Run *run) {
  return run->n == 1 ? smb_place_binding(split->rest[run->first], FALSE) : BINDS_ADD;
}

// "a * 8 + i < 32"
static void
assume_in_row(const Rewriting *rewriting, const Split *split, guint64 row) {
  g_autoptr(GString) text = g_string_new(NULL);
  append_sum(text, rewriting, split, &(Run){0, split->n_rest});
  g_string_append_printf(text, " < %" G_GUINT64_FORMAT, row);
  add_condition(rewriting, text->str);
}

// "a * 8 % 32 + i < 32"
static void
assume_step(const Rewriting *rewriting, const Split *split, const Run *run, const Node *step,
            guint64 row) {
  gboolean loose = find_binding(split, run) < BINDS_MUL;
  g_autoptr(GString) text = g_string_new(loose ? "(" : "");
  append_sum(text, rewriting, split, run);
  g_string_append_printf(text, "%s %% %" G_GUINT64_FORMAT " + ", loose ? ")" : "", row);
  append_line(text, rewriting, (Stretch){step->start, step->end});
  g_string_append_printf(text, " < %" G_GUINT64_FORMAT, row);
  add_condition(rewriting, text->str);
}

// "blockDim.x == 32", "blockDim.x + 1 == 33"
static void
assume_launch(const Rewriting *rewriting, const Split *split) {
  for (guint i = 0; i < split->n_factors; i++) {
    const Factor *factor = &split->factors[i];
    g_autoptr(GString) text = g_string_new(NULL);
    guint32 skip = factor->is_sum; // its parentheses
    append_line(text, rewriting, (Stretch){factor->text.start + skip, factor->text.end - skip});
    g_string_append_printf(text, " == %" G_GUINT64_FORMAT, factor->elements);
    if (factor->is_of_launch)
      add_condition(rewriting, text->str);
  }
}

// A run is what is left to be placed.
static void
place_run(const Rewriting *rewriting, Place *place, const Run *run) {
  const Split *split = &place->split;
  const char *text = smb_source_text(rewriting->raw->kernel->program.source);
  Stretch stretch = find_text(split, run);
  Term *term = &place->terms[0];
  gboolean is_pure = TRUE;
  for (guint i = 0; i < run->n; i++)
    is_pure = is_pure && smb_kernel_is_pure(split->rest[run->first + i]);
  place->index[0] = stretch;
  term->text =
      smb_kernel_pool_text(rewriting->raw->pool, text + stretch.start, stretch.end - stretch.start);
  term->binding = find_binding(split, run);
  term->limit = 0;
  place->repeatable[0] = smb_place_is_repeatable(place, is_pure, term->text);
}

// What is done with a rest that may lie in another row. FALSE: nothing can be.
static gboolean
place_rest(const Rewriting *rewriting, Place *place, guint64 row) {
  Split *split = &place->split;
  SmbRewriteForm form = rewriting->wanted->form;
  Run run = {0, split->n_rest};
  const Node *step = NULL;
  if (form == SMB_REWRITE_IN_ROWS && split->n_factors > 0) {
    assume_in_row(rewriting, split, row);
    return TRUE;
  }
  if (split->subtracts)
    return FALSE;
  split->places_rest = TRUE;
  if (form >= SMB_REWRITE_READS_ON && take_step(split, &run, &step) &&
      is_sum(rewriting, split, &run)) {
    assume_step(rewriting, split, &run, step, row);
  } else {
    run = (Run){0, split->n_rest};
    if (split->n_factors == 0 || !is_sum(rewriting, split, &run))
      return FALSE;
  }
  place_run(rewriting, place, &run);
  return TRUE;
}

void
smb_place_split(const Rewriting *rewriting, Place *place) {
  SmbLayout from, to;
  Split *split = &place->split;
  if (place->mention->object->spelled || // the parts of its indices are where a macro is used
      rewriting->wanted->form == SMB_REWRITE_WHOLE || place->form != FORM_FLAT ||
      rewriting->wanted->to.bits || !smb_place_layouts(rewriting, place, &from, &to) ||
      (from.pad && from.columns != to.columns))
    return;
  guint64 row = from.pad ? from.columns + from.pad : to.columns;
  split->more = (gint64)to.pad - (gint64)from.pad;
  if (!collect(rewriting, split, place->mention->steps[place->first].index, row) ||
      !shows_parts(place))
    return;
  place->is_split = is_in_row(split, row) || place_rest(rewriting, place, row);
  if (place->is_split)
    assume_launch(rewriting, split);
}
