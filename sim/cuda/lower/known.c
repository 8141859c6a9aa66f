// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Numbers that are known while a text is lowered: of loops that go round a few times, which are unrolled as a compiler does, so that
// arrays of a thread can lie in registers.
#include "sim/cuda/lower/impl.h"

enum {
  MAX_TRIPS = 128,
};

static gboolean
fold(const Lower *lower, const Node *node, Node *constant) {
  Node a, b, folded = *node;
  switch ((NodeKind)node->kind) {
  case NODE_CAST:
    if (!smb_type_is_integer(node->type) || !smb_lower_known(lower, node->a, &a))
      return FALSE;
    folded.a = &a;
    smb_cuda_fold_cast(&folded);
    break;
  case NODE_BINARY:
    if (!smb_lower_known(lower, node->a, &a) || !smb_lower_known(lower, node->b, &b))
      return FALSE;
    folded.a = &a;
    folded.b = &b;
    smb_cuda_fold_binary(&folded);
    break;
  case NODE_NEGATE:
  case NODE_COMPLEMENT:
  case NODE_NOT:
    if (!smb_lower_known(lower, node->a, &a))
      return FALSE;
    folded.a = &a;
    smb_cuda_fold_unary(&folded);
    break;
  case NODE_CURRENT:
    if (lower->turning)
      *constant = *lower->turning;
    return lower->turning != NULL;
  case NODE_CONSTANT:
  case NODE_LOCAL:
  case NODE_OBJECT:
  case NODE_SPECIAL:
  case NODE_COMPONENT:
  case NODE_BITS:
  case NODE_POINTER_ADD:
  case NODE_POINTER_DIFF:
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
  case NODE_CHOICE:
  case NODE_COMMA:
  case NODE_MAKE_VECTOR:
  case NODE_DEREFERENCE:
  case NODE_ASSIGN:
  case NODE_COPY:
  case NODE_CALL:
  case NODE_BUILTIN:
    return FALSE;
  }
  folded.a = folded.b = NULL;
  *constant = folded;
  return constant->kind == NODE_CONSTANT;
}

gboolean
smb_lower_known(const Lower *lower, const Node *node, Node *constant) {
  if (!smb_type_is_integer(node->type) || node->is_watched)
    return FALSE;
  if (node->kind == NODE_CONSTANT) {
    *constant = *node;
    return TRUE;
  }
  if (node->kind != NODE_LOCAL)
    return fold(lower, node, constant);
  guint slot = node->variable->slot;
  if (!lower->fixed[slot] && !lower->recent[slot])
    return FALSE;
  *constant = *node;
  constant->kind = NODE_CONSTANT;
  constant->integer = lower->numbers[slot];
  return TRUE;
}

void
smb_lower_note(Lower *lower, const Variable *variable, const Node *constant) {
  lower->recent[variable->slot] = constant != NULL;
  if (constant)
    lower->numbers[variable->slot] = constant->integer;
}

void
smb_lower_forget_recent(Lower *lower) {
  for (guint i = 0; i < lower->kernel->locals->len; i++)
    lower->recent[i] = FALSE;
}

// --- loops

static gboolean assigns_variable(const Node *node, const Variable *variable);

static gboolean
statements_assign(const Statement *statement, const Variable *variable) {
  for (; statement; statement = statement->next) {
    if (assigns_variable(statement->value, variable) ||
        assigns_variable(statement->step, variable) ||
        (statement->kind == STATEMENT_DECLARE && statement->variable == variable) ||
        statements_assign(statement->first, variable) ||
        statements_assign(statement->then, variable) ||
        statements_assign(statement->otherwise, variable))
      return TRUE;
  }
  return FALSE;
}

static gboolean
assigns_variable(const Node *node, const Variable *variable) {
  if (!node)
    return FALSE;
  if (node->kind == NODE_ASSIGN) {
    const Node *target = node->a->kind == NODE_COMPONENT ? node->a->a : node->a;
    if (target->kind == NODE_LOCAL && target->variable == variable)
      return TRUE;
  }
  if (node->kind == NODE_CALL && statements_assign(node->function->body, variable))
    return TRUE;
  for (guint i = 0; i < node->n_arguments; i++) {
    if (assigns_variable(node->arguments[i], variable))
      return TRUE;
  }
  return assigns_variable(node->a, variable) || assigns_variable(node->b, variable) ||
         assigns_variable(node->c, variable);
}

// What the step of a loop makes of its variable, of the number that it has now.
static gboolean
find_next(Lower *lower, const Node *step, Node *next) {
  const Node local = {.kind = NODE_LOCAL, .type = step->a->type, .variable = step->a->variable};
  Node current;
  if (!smb_lower_known(lower, &local, &current))
    return FALSE;
  lower->turning = &current;
  gboolean is_known = smb_lower_known(lower, step->b, next);
  lower->turning = NULL;
  return is_known;
}

guint
smb_lower_trips(Lower *lower, const Statement *loop, const Variable **variable) {
  const Node *step = loop->step;
  Node holds, next;
  guint n = 0;
  if (!loop->tests_first || !loop->value || !step || loop->is_rolled || step->kind != NODE_ASSIGN ||
      step->a->kind != NODE_LOCAL || step->is_watched)
    return 0;
  *variable = step->a->variable;
  guint slot = (*variable)->slot;
  if (lower->asked[slot] || !lower->recent[slot] || statements_assign(loop->then, *variable) ||
      assigns_variable(loop->value, *variable))
    return 0;
  gint64 first = lower->numbers[slot];
  while (n <= MAX_TRIPS && smb_lower_known(lower, loop->value, &holds) && holds.integer) {
    n++;
    if (!find_next(lower, step, &next)) {
      n = 0;
      break;
    }
    lower->numbers[slot] = next.integer;
  }
  if (n > MAX_TRIPS || !smb_lower_known(lower, loop->value, &holds))
    n = 0;
  lower->numbers[slot] = first;
  return n;
}

void
smb_lower_turn(Lower *lower, const Statement *loop, const Variable *variable, guint turn) {
  Node next;
  if (turn == 0)
    return;
  if (find_next(lower, loop->step, &next))
    lower->numbers[variable->slot] = next.integer;
}
