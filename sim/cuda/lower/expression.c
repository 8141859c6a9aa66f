// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Expressions: each value lies in rows, those of a variable in its own. What only some lanes need is behind a branch.
#include <string.h>

#include "sim/base/scalar.h"
#include "sim/cuda/lower/impl.h"

// --- what is there

guint64
smb_lower_bits(SmbScalar scalar, gint64 whole, double real) {
  guint64 bits = 0;
  if (!smb_scalar_is_real(scalar))
    return smb_scalar_is_wide(scalar) ? (guint64)whole : (guint32)whole;
  smb_scalar_encode_real(scalar, real, (guchar *)&bits);
  return bits;
}

static Row
lower_constant(const Lower *lower, const Node *node) {
  guint64 bits = smb_lower_bits(smb_cuda_scalar(node->type->kind), node->integer, node->real);
  return smb_lower_number(lower, bits, type_rows(node->type));
}

static void
check_set(Lower *lower, const Node *local, guint component) {
  const Variable *variable = local->variable;
  guint slot = variable->slot + component;
  if (lower->is_set[slot])
    return;
  if (!lower->asked[slot]) {
    lower->asked[slot] = lower->asks_more = TRUE;
    return;
  }
  Foreign *check = smb_lower_check(lower, STEP_TEXT_SET, lower->flags[slot], local, local->start);
  check->variable = variable;
  check->component = component;
  lower->is_set[slot] = TRUE; // or it has failed
}

void
smb_lower_mark_set(Lower *lower, const Variable *variable, guint component, const Type *type) {
  for (guint c = component; c < component + smb_type_components(type); c++) {
    guint slot = variable->slot + c;
    if (lower->asked[slot])
      smb_lower_set_predicate(lower, lower->flags[slot], TRUE);
    lower->is_set[slot] = TRUE;
  }
}

static Row
lower_local(Lower *lower, const Node *node) {
  for (guint c = 0; c < smb_type_components(node->type); c++)
    check_set(lower, node, c);
  return lower->rows[node->variable->slot];
}

static Row
lower_component(Lower *lower, const Node *node) {
  Row vector;
  if (node->a->kind == NODE_LOCAL) {
    check_set(lower, node->a, node->component);
    vector = lower->rows[node->a->variable->slot];
  } else
    vector = smb_lower_value(lower, node->a, NO_ROW);
  return vector + node->component * type_rows(node->type);
}

// A register that holds it from the start.
static Row
lower_special(Lower *lower, const Node *node) {
  lower->is_read[node->special][node->component] = TRUE;
  return lower->specials[node->special][node->component];
}

// --- operators

// Whether evaluating it can change a variable.
gboolean
smb_lower_assigns(const Node *node) {
  if (!node)
    return FALSE;
  if (node->kind == NODE_ASSIGN || node->kind == NODE_CALL)
    return TRUE;
  for (guint i = 0; i < node->n_arguments; i++) {
    if (smb_lower_assigns(node->arguments[i]))
      return TRUE;
  }
  return smb_lower_assigns(node->a) || smb_lower_assigns(node->b) || smb_lower_assigns(node->c);
}

// The first of two operands. It stays as it is, whatever the second one assigns.
static Row
evaluate_first(Lower *lower, const Node *node) {
  Row row = smb_lower_value(lower, node->a, NO_ROW);
  if (lower->is_refused || node->a->kind != NODE_CAST || !smb_lower_assigns(node->b))
    return row;
  Row kept = smb_lower_take(lower, value_rows(node->a->type));
  smb_lower_move(lower, node->a->type, kept, row);
  return kept;
}

static Row
lower_cast(Lower *lower, const Node *node, Row d) {
  const Type *from = node->a->type;
  gboolean from_pointer = from->kind == KIND_POINTER || from->kind == KIND_ARRAY;
  if (node->type->kind == KIND_VOID) {
    smb_lower_value(lower, node->a, NO_ROW);
    return NO_ROW;
  }
  if (smb_type_equal(from, node->type) || (node->type->kind == KIND_POINTER && from_pointer))
    return smb_lower_value(lower, node->a, d);
  Row a = smb_lower_value(lower, node->a, NO_ROW);
  if (lower->is_refused)
    return 0;
  Row out = smb_lower_cast(lower, node, node->is_watched ? NO_ROW : d, a);
  smb_lower_watch(lower, node, a, NO_ROW, out);
  return out;
}

static Row
lower_unary(Lower *lower, const Node *node, Row d) {
  Row a = smb_lower_value(lower, node->a, NO_ROW);
  d = smb_lower_give(lower, node->type, d);
  smb_lower_unary(lower, node, d, a);
  smb_lower_watch(lower, node, a, NO_ROW, d);
  return d;
}

static Row
lower_binary(Lower *lower, const Node *node, Row d) {
  Row a = evaluate_first(lower, node), b = smb_lower_value(lower, node->b, NO_ROW);
  if (node->is_watched) // it compares what was there
    d = NO_ROW;
  d = smb_lower_give(lower, node->type, d);
  smb_lower_binary(lower, node, d, a, b);
  smb_lower_watch(lower, node, a, b, d);
  return d;
}

// A pointer, and an index as it was before it became 64 bits wide.
static Row
lower_pointer_add(Lower *lower, const Node *node, Row d) {
  const Node *index = node->b;
  Row a = evaluate_first(lower, node);
  gboolean widens = !node->is_watched && index->kind == NODE_CAST && !index->is_watched &&
                    (index->a->type->kind == KIND_INT || index->a->type->kind == KIND_UINT) &&
                    node->integer <= G_MAXINT32 && node->integer >= 0;
  Row b = smb_lower_value(lower, widens ? index->a : index, NO_ROW);
  if (node->is_watched)
    d = NO_ROW;
  d = smb_lower_give(lower, node->type, d);
  if (widens)
    smb_lower_compute(
        lower, index->a->type->kind == KIND_INT ? OPERATION_MAD_WIDE_S32 : OPERATION_MAD_WIDE_U32,
        d, b, smb_lower_number(lower, (guint64)node->integer, 1), a);
  else
    smb_lower_compute(lower, OPERATION_MAD_64, d, b,
                      smb_lower_number(lower, (guint64)node->integer, 2), a);
  smb_lower_watch(lower, node, a, b, d);
  return d;
}

static Row
lower_pointer_difference(Lower *lower, const Node *node, Row d) {
  Row a = evaluate_first(lower, node), b = smb_lower_value(lower, node->b, NO_ROW);
  Row difference = smb_lower_take(lower, 2);
  d = smb_lower_give(lower, node->type, d);
  smb_lower_compute(lower, OPERATION_SUB_64, difference, a, b, NO_ROW);
  smb_lower_compute(lower, OPERATION_DIV_S64, d, difference,
                    smb_lower_number(lower, (guint64)node->integer, 2), NO_ROW);
  return d;
}

// --- conditions

// Whether lanes that do not need it can evaluate it, too: it does not fail, and nobody notices.
static gboolean
is_plain(const Lower *lower, const Node *node) {
  if (!node)
    return TRUE;
  gboolean divides =
      node->kind == NODE_BINARY && (node->op == OPERATOR_DIV || node->op == OPERATOR_MOD);
  if (node->is_watched || divides)
    return FALSE;
  switch ((NodeKind)node->kind) {
  case NODE_LOCAL:
    for (guint c = 0; c < smb_type_components(node->type); c++) {
      if (!lower->is_set[node->variable->slot + c])
        return FALSE;
    }
    return TRUE;
  case NODE_CONSTANT:
  case NODE_OBJECT:
  case NODE_SPECIAL:
  case NODE_COMPONENT:
  case NODE_CAST:
  case NODE_BITS:
  case NODE_NEGATE:
  case NODE_COMPLEMENT:
  case NODE_NOT:
  case NODE_BINARY:
  case NODE_POINTER_ADD:
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
    return is_plain(lower, node->a) && is_plain(lower, node->b);
  case NODE_POINTER_DIFF:
  case NODE_CHOICE:
  case NODE_COMMA:
  case NODE_MAKE_VECTOR:
  case NODE_DEREFERENCE:
  case NODE_ASSIGN:
  case NODE_COPY:
  case NODE_CURRENT:
  case NODE_CALL:
  case NODE_BUILTIN:
    break;
  }
  return FALSE;
}

static void lower_condition(Lower *lower, const Node *node, Predicate p);

// a && b, a || b: b is evaluated only by the threads that need it.
static void
lower_logical(Lower *lower, const Node *node, Predicate p) {
  gboolean is_and = node->kind == NODE_AND_THEN;
  lower_condition(lower, node->a, p);
  if (is_plain(lower, node->b)) {
    smb_lower_combine(lower, is_and, p, smb_lower_condition(lower, node->b));
    return;
  }
  Label end = smb_lower_label(lower);
  smb_lower_branch(lower, p, is_and, end, node->start);
  guint8 *kept = smb_lower_keep_set(lower);
  lower_condition(lower, node->b, p);
  smb_lower_take_set(lower, kept);
  smb_lower_here(lower, end);
}

// A number that is 0 where this one is: without the conversions of C around what is true or false.
static const Node *
strip_truth(const Node *node) {
  while (node->kind == NODE_CAST && !node->is_watched && smb_type_is_integer(node->type) &&
         smb_type_is_integer(node->a->type) &&
         (node->type->kind == KIND_BOOL || node->a->type->kind == KIND_BOOL))
    node = node->a;
  return node;
}

// What does not come here keeps its own.
static void
lower_condition(Lower *lower, const Node *node, Predicate p) {
  if (lower->is_refused)
    return;
  node = strip_truth(node);
  if (node->kind == NODE_AND_THEN || node->kind == NODE_OR_ELSE) {
    lower_logical(lower, node, p);
    return;
  }
  if (node->kind == NODE_BINARY && node->op >= OPERATOR_LT && !smb_type_is_half(node->a->type)) {
    Row a = evaluate_first(lower, node), b = smb_lower_value(lower, node->b, NO_ROW);
    smb_lower_compares(lower, node, p, a, b);
    Foreign *watch = smb_lower_watch(lower, node, a, b, NO_ROW);
    if (watch)
      watch->outcome = p;
    return;
  }
  Row row = smb_lower_value(lower, node, NO_ROW);
  guint n = type_rows(node->type);
  smb_lower_compare(lower, n == 2 ? OPERATION_EQ_64 : OPERATION_EQ_32, TRUE, p, row,
                    smb_lower_number(lower, 0, n));
}

Predicate
smb_lower_condition(Lower *lower, const Node *node) {
  Predicate p = smb_code_new_predicate(lower->code);
  lower_condition(lower, node, p);
  return p;
}

static Row
lower_choice(Lower *lower, const Node *node) {
  gboolean is_void = node->type->kind == KIND_VOID;
  Row d = is_void ? NO_ROW : smb_lower_take(lower, value_rows(node->type));
  Predicate p = smb_lower_condition(lower, node->a);
  if (!is_void && node->type->kind != KIND_VECTOR && is_plain(lower, node->b) &&
      is_plain(lower, node->c)) {
    Row b = smb_lower_value(lower, node->b, NO_ROW), c = smb_lower_value(lower, node->c, NO_ROW);
    smb_lower_select(lower, node->type, d, p, b, c);
    return d;
  }
  Label otherwise = smb_lower_label(lower), end = smb_lower_label(lower);
  smb_lower_branch(lower, p, TRUE, otherwise, node->start);
  guint8 *kept = smb_lower_keep_set(lower);
  for (guint side = 0; side < 2; side++) {
    Row value = smb_lower_value(lower, side == 0 ? node->b : node->c, NO_ROW);
    if (!is_void)
      smb_lower_move(lower, node->type, d, value);
    memcpy(lower->is_set, kept, lower->n_slots);
    if (side == 0) {
      smb_lower_branch(lower, PREDICATE_TRUE, FALSE, end, node->start);
      smb_lower_here(lower, otherwise);
    }
  }
  smb_lower_take_set(lower, kept);
  smb_lower_here(lower, end);
  return d;
}

// --- assignments

// @drops: nobody uses the result.
static Row
assign_local(Lower *lower, const Node *node, gboolean drops) {
  const Node *target = node->a;
  gboolean is_part = target->kind == NODE_COMPONENT;
  const Node *local = is_part ? target->a : target;
  guint component = is_part ? target->component : 0;
  Row storage = lower->rows[local->variable->slot] + component * type_rows(target->type);
  Row old = storage, outer = lower->current;
  if (node->special) {
    check_set(lower, local, component);
    if ((node->is_post && !drops) || smb_lower_assigns(node->b)) {
      old = smb_lower_take(lower, value_rows(target->type));
      smb_lower_move(lower, target->type, old, storage);
    }
  }
  lower->current = old;
  Row value =
      smb_lower_value(lower, node->b, drops && !smb_lower_assigns(node->b) ? storage : NO_ROW);
  lower->current = outer;
  smb_lower_move(lower, target->type, storage, value);
  smb_lower_mark_set(lower, local->variable, component, target->type);
  if (!is_part && smb_type_is_integer(target->type)) {
    Node constant;
    smb_lower_note(lower, local->variable,
                   !node->special && smb_lower_known(lower, node->b, &constant) ? &constant : NULL);
  }
  return node->is_post ? old : value;
}

static Row
lower_assign(Lower *lower, const Node *node, gboolean drops) {
  return node->a->kind == NODE_DEREFERENCE ? smb_lower_assign_memory(lower, node, drops)
                                           : assign_local(lower, node, drops);
}

// --- functions that the language has

static Row
lower_builtin(Lower *lower, const Node *node, Row d) {
  Row operands[4] = {NO_ROW, NO_ROW, NO_ROW, NO_ROW};
  gboolean is_void = node->type->kind == KIND_VOID;
  if (node->builtin >= BUILTIN_ATOMIC_ADD && !is_void)
    return smb_lower_atomic(lower, node);
  for (guint i = 0; i < node->n_arguments; i++)
    operands[i] = smb_lower_value(lower, node->arguments[i], NO_ROW);
  if (node->builtin == BUILTIN_SYNCTHREADS) {
    Step step = {.callee = smb_kernel_builtin_name(node->builtin)};
    smb_lower_add(lower, &step, STEP_MEET, node->start);
    return NO_ROW;
  }
  if (is_void) // fences: that warps go in step keeps their promise
    return NO_ROW;
  if (node->is_watched)
    d = NO_ROW;
  d = smb_lower_give(lower, node->type, d);
  gboolean of_warp = node->builtin == BUILTIN_READLANE ||
                     (node->builtin >= BUILTIN_SHFL && node->builtin <= BUILTIN_SHFL_XOR) ||
                     (node->builtin >= BUILTIN_BALLOT && node->builtin <= BUILTIN_ACTIVEMASK);
  if (of_warp) {
    Foreign *foreign = smb_lower_foreign(lower, STEP_TEXT_WARP, node, node->start);
    smb_lower_gives(lower, foreign, node->type, d);
    for (guint i = 0; i < node->n_arguments; i++) {
      foreign->types[i] = node->arguments[i]->type;
      foreign->operands[i] = operands[i];
    }
    return d;
  }
  if (lower->is_refused)
    return d;
  smb_lower_function(lower, node, d, operands);
  smb_lower_watch(lower, node, operands[0], operands[1], d);
  return d;
}

static Row
make_vector(Lower *lower, const Node *node) {
  const Type *of = node->type->of;
  Row d = smb_lower_take(lower, value_rows(node->type));
  for (guint i = 0; i < node->n_arguments; i++)
    smb_lower_move(lower, of, d + i * type_rows(of),
                   smb_lower_value(lower, node->arguments[i], d + i * type_rows(of)));
  return d;
}

static Row
lower_truth(Lower *lower, const Node *node) {
  Row d = smb_lower_take(lower, 1);
  smb_lower_truth(lower, d, smb_lower_condition(lower, node));
  return d;
}

Row
smb_lower_value(Lower *lower, const Node *node, Row d) {
  Node constant;
  if (lower->is_refused)
    return 0;
  if (lower->n_fixed > 0 && node->kind != NODE_CONSTANT && smb_lower_known(lower, node, &constant))
    node = &constant;
  switch ((NodeKind)node->kind) {
  case NODE_CONSTANT:
    return lower_constant(lower, node);
  case NODE_LOCAL:
    return lower_local(lower, node);
  case NODE_OBJECT:
    smb_lower_put_in_memory(lower, node->variable);
    return smb_lower_number(lower, make_pointer(node->variable->slot, 0), 2);
  case NODE_SPECIAL:
    return lower_special(lower, node);
  case NODE_DEREFERENCE:
    return node->type->kind == KIND_STRUCT ? smb_lower_value(lower, node->a, NO_ROW)
                                           : smb_lower_load(lower, node, d);
  case NODE_COMPONENT:
    return lower_component(lower, node);
  case NODE_CAST:
    return lower_cast(lower, node, d);
  case NODE_BITS:
    return smb_lower_value(lower, node->a, NO_ROW);
  case NODE_NEGATE:
  case NODE_COMPLEMENT:
  case NODE_NOT:
    return lower_unary(lower, node, node->is_watched ? NO_ROW : d);
  case NODE_BINARY:
    return lower_binary(lower, node, d);
  case NODE_POINTER_ADD:
    return lower_pointer_add(lower, node, d);
  case NODE_POINTER_DIFF:
    return lower_pointer_difference(lower, node, d);
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
    return lower_truth(lower, node);
  case NODE_CHOICE:
    return lower_choice(lower, node);
  case NODE_ASSIGN:
    return lower_assign(lower, node, FALSE);
  case NODE_COPY:
    return smb_lower_copy(lower, node);
  case NODE_CURRENT:
    return lower->current;
  case NODE_COMMA:
    smb_lower_value(lower, node->a, NO_ROW);
    return smb_lower_value(lower, node->b, NO_ROW);
  case NODE_CALL:
    return smb_lower_call(lower, node);
  case NODE_BUILTIN:
    return lower_builtin(lower, node, d);
  case NODE_MAKE_VECTOR:
    return make_vector(lower, node);
  }
  g_assert_not_reached();
}

void
smb_lower_effect(Lower *lower, const Node *node) {
  if (lower->is_refused)
    return;
  if (node->kind == NODE_ASSIGN)
    lower_assign(lower, node, TRUE);
  else if (node->kind == NODE_COMMA) {
    smb_lower_effect(lower, node->a);
    smb_lower_effect(lower, node->b);
  } else
    smb_lower_value(lower, node, NO_ROW);
}
