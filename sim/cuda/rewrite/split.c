// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An index of an array without rows, as its text adds it up: multiples of a row, and the rest. If rows are padded, "k *
// 128 + x" becomes "k * (128 + 4) + x": place(q * row + rest) is q * (row + pad) + place(rest), and place(rest) is
// the rest itself where that lies within one row. A compiler makes more of this than of a division.
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

// What the launch says of blockDim.x, or the constant that a node is; 0: neither.
static guint64
find_value(const Rewriting *rewriting, const Node *node) {
  if (node->kind == NODE_CONSTANT)
    return node->integer > 0 ? (guint64)node->integer : 0;
  gboolean is_block = node->kind == NODE_SPECIAL && node->special == SPECIAL_BLOCK_DIM;
  return is_block && rewriting->launch ? rewriting->launch->block[node->component] : 0;
}

// A factor of a value that is a multiple of the row.
static gboolean
find_factor(const Rewriting *rewriting, const Node *node, guint64 row, Factor *factor) {
  node = smb_node_written(node);
  if (is_operation(node, OPERATOR_MUL))
    return find_factor(rewriting, node->a, row, factor) ||
           find_factor(rewriting, node->b, row, factor);
  guint64 value = find_value(rewriting, node);
  *factor = (Factor){.text = {node->start, node->end},
                     .elements = value,
                     .is_of_launch = node->kind == NODE_SPECIAL};
  if (is_operation(node, OPERATOR_SHL) && smb_place_binding(node->a, FALSE) >= BINDS_MUL) {
    guint64 bits = find_value(rewriting, smb_node_written(node->b));
    value = bits > 0 && bits < 32 ? G_GUINT64_CONSTANT(1) << bits : 0;
    *factor = (Factor){.text = {node->a->end, node->b->end}, .elements = value, .is_shift = TRUE};
  }
  factor->rows = value / row;
  return value > 0 && value % row == 0;
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

static void
add_rest(Split *split, const Node *node) {
  guint64 limit = find_limit(node);
  node = smb_node_written(node);
  if (split->n_rest == 0)
    split->rest = (Stretch){node->start, node->end};
  split->rest.end = node->end;
  split->rest_limit = split->n_rest == 0 ? limit : 0;
  split->rest_node = split->n_rest == 0 ? node : NULL;
  split->is_pure = (split->n_rest == 0 || split->is_pure) && smb_kernel_is_pure(node);
  split->n_rest++;
}

static gboolean
collect(const Rewriting *rewriting, Split *split, const Node *node, guint64 row) {
  node = smb_node_written(node);
  if (is_operation(node, OPERATOR_ADD))
    return collect(rewriting, split, node->a, row) && collect(rewriting, split, node->b, row);
  if (is_operation(node, OPERATOR_SUB)) {
    split->subtracts = TRUE;
    if (!collect(rewriting, split, node->a, row))
      return FALSE;
    add_rest(split, node->b);
    return TRUE;
  }
  Factor factor;
  if (!find_factor(rewriting, node, row, &factor)) {
    add_rest(split, node);
    return TRUE;
  }
  if (split->n_factors == SPLIT_MAX_FACTORS)
    return FALSE;
  split->factors[split->n_factors++] = factor;
  return TRUE;
}

// Whether a stretch of the index holds all of the rest, and nothing else.
static gboolean
is_in_one_piece(const Rewriting *rewriting, const Split *split) {
  gint at = smb_rewrite_raw_find(rewriting->raw, split->rest.start), depth = 0;
  for (guint i = 0; i < split->n_factors; i++) {
    if (split->factors[i].text.start >= split->rest.start &&
        split->factors[i].text.start < split->rest.end)
      return FALSE;
  }
  for (; at >= 0; at++) {
    const Token *token = g_ptr_array_index(rewriting->raw->tokens, (guint)at);
    if (token->start >= split->rest.end)
      return depth == 0;
    depth += smb_token_is(token, "(") - smb_token_is(token, ")");
    if (depth < 0)
      return FALSE;
  }
  return FALSE;
}

static gboolean
stands_in_index(const Place *place, const Stretch *stretch) {
  return stretch->start >= place->index[0].start && stretch->end <= place->index[0].end;
}

// "a % 8 < 32": a stretch of the text in one line, and a number.
static void
add_condition(const Rewriting *rewriting, const Stretch *stretch, const char *relation,
              guint64 number) {
  const char *text = smb_source_text(rewriting->raw->kernel->program.source);
  g_autofree char *part = g_strndup(text + stretch->start, stretch->end - stretch->start);
  g_auto(GStrv) words = g_strsplit_set(part, " \t\r\n", -1);
  g_autoptr(GString) line = g_string_new(NULL);
  for (guint i = 0; words[i]; i++) {
    if (*words[i])
      g_string_append_printf(line, "%s%s", line->len ? " " : "", words[i]);
  }
  g_string_append_printf(line, " %s %" G_GUINT64_FORMAT, relation, number);
  if (!g_ptr_array_find_with_equal_func(rewriting->conditions, line->str, g_str_equal, NULL))
    g_ptr_array_add(rewriting->conditions, g_strdup(line->str));
}

// What is left to be placed is the rest.
static void
place_rest(const Rewriting *rewriting, Place *place) {
  const Split *split = &place->split;
  const char *text = smb_source_text(rewriting->raw->kernel->program.source);
  guint32 length = split->rest.end - split->rest.start;
  Term *term = &place->terms[0];
  place->index[0] = split->rest;
  term->text = smb_kernel_pool_text(rewriting->raw->pool, text + split->rest.start, length);
  term->binding = split->rest_node ? smb_place_binding(split->rest_node, FALSE) : BINDS_ADD;
  term->limit = 0;
  place->repeatable[0] = smb_place_is_repeatable(place, split->is_pure, term->text);
}

// Whether all parts stand in the index itself.
static gboolean
shows_parts(const Place *place) {
  const Split *split = &place->split;
  gboolean shows = split->n_rest == 0 || stands_in_index(place, &split->rest);
  for (guint i = 0; shows && i < split->n_factors; i++)
    shows = stands_in_index(place, &split->factors[i].text);
  return shows;
}

void
smb_place_split(const Rewriting *rewriting, Place *place) {
  SmbLayout from, to;
  SmbRewriteForm form = rewriting->wanted->form;
  Split *split = &place->split;
  if (form == SMB_REWRITE_WHOLE || place->form != FORM_FLAT || rewriting->wanted->to.bits ||
      !smb_layout_scale(&rewriting->wanted->from, place->unit, &from) ||
      !smb_layout_scale(&rewriting->wanted->to, place->unit, &to) ||
      (from.pad && from.columns != to.columns))
    return;
  guint64 row = from.pad ? from.columns + from.pad : to.columns;
  split->more = (gint64)to.pad - (gint64)from.pad;
  if (!collect(rewriting, split, place->mention->steps[place->first].index, row) ||
      split->n_factors == 0 || !shows_parts(place))
    return;
  gboolean in_row =
      split->n_rest == 0 || (split->rest_limit && split->rest_limit <= row && !split->subtracts);
  gboolean assumes = !in_row && form == SMB_REWRITE_IN_ROWS;
  split->places_rest = !in_row && !assumes;
  if (split->places_rest && (split->subtracts || !is_in_one_piece(rewriting, split)))
    return;
  for (guint i = 0; i < split->n_factors; i++) {
    if (split->factors[i].is_of_launch)
      add_condition(rewriting, &split->factors[i].text, "==", split->factors[i].elements);
  }
  if (assumes)
    add_condition(rewriting, &split->rest, "<", row);
  if (split->places_rest)
    place_rest(rewriting, place);
  place->is_split = TRUE;
}
