// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The threads of a block, all together, on sums of what is not known. A condition is a sum, too: 0 or 1 if it is known.
#include <string.h>

#include "sim/cuda/parse/parse.h"
#include "sim/cuda/proof/impl.h"

static Term *
fresh_lanes(Walk *walk, guint32 place) {
  Term *lanes = smb_walk_new_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = smb_prover_fresh(walk->prover, place);
  return lanes;
}

// What a pure operation of a node makes of operands: the same of the same. Of 64-bit values not all bits are in a sum.
static Term
operate(Walk *walk, const Node *node, gboolean is_wide, Term a, Term b, Term c) {
  const Atom atom = {ATOM_UNKNOWN, (guint64)(gsize)node, {a, b, c}, node->start};
  return is_wide ? smb_prover_fresh(walk->prover, node->start)
                 : smb_term_atom(walk->prover->terms, &atom);
}

static gboolean
is_wide_number(const Type *type) {
  return smb_type_is_wide(type) && !smb_type_is_real(type);
}

static Term
either(Walk *walk, Term a, Term b, Term whole, Term before) {
  if (!a || !b || a == b)
    return a ? a : b;
  const Atom atom = {ATOM_UNKNOWN, 3, {a, b, 0}, 0};
  return a == before || b == before ? before
         : whole                    ? whole
                                    : smb_term_atom(walk->prover->terms, &atom);
}

static gboolean
compute_known(Operator op, gboolean is_unsigned, gint32 a, gint32 b, gint32 *result) {
  gint64 x = is_unsigned ? (gint64)(guint32)a : a, y = is_unsigned ? (gint64)(guint32)b : b;
  switch ((int)op) {
  case OPERATOR_DIV:
  case OPERATOR_MOD:
    if (y == 0)
      return FALSE;
    *result = (gint32)(op == OPERATOR_DIV ? x / y : x % y);
    return TRUE;
  case OPERATOR_SHR:
    *result = (gint32)(x >> (b & 31));
    return b >= 0 && b < 32;
  case OPERATOR_AND:
    *result = a & b;
    return TRUE;
  case OPERATOR_OR:
    *result = a | b;
    return TRUE;
  case OPERATOR_XOR:
    *result = a ^ b;
    return TRUE;
  case OPERATOR_LT:
    *result = x < y;
    return TRUE;
  case OPERATOR_LE:
    *result = x <= y;
    return TRUE;
  case OPERATOR_GT:
    *result = x > y;
    return TRUE;
  case OPERATOR_GE:
    *result = x >= y;
    return TRUE;
  case OPERATOR_EQ:
    *result = x == y;
    return TRUE;
  case OPERATOR_NE:
    *result = x != y;
    return TRUE;
  default:
    return FALSE;
  }
}

static Term
bits_atom(Walk *walk, AtomKind kind, Term a, Term b, guint32 place) {
  const Atom atom = {kind, 0, {a, b, 0}, place};
  return smb_term_atom(walk->prover->terms, &atom);
}

static gboolean
is_power(const Walk *walk, Term term) {
  return smb_walk_knows(walk, term) && smb_walk_number(walk, term) > 0 &&
         (smb_walk_number(walk, term) & (smb_walk_number(walk, term) - 1)) == 0;
}

static Term
combine_terms(Walk *walk, const Node *node, Term a, Term b) {
  Terms *terms = walk->prover->terms;
  Operator op = (Operator)node->op;
  gboolean is_wide = is_wide_number(node->a->type),
           is_unsigned = smb_type_is_unsigned(node->a->type);
  gint32 result;
  if (smb_type_is_real(node->a->type))
    return operate(walk, node, FALSE, a, b, 0);
  if (op == OPERATOR_ADD || op == OPERATOR_SUB)
    return smb_term_add(terms, a, b, op == OPERATOR_ADD ? 1 : G_MAXUINT32);
  if (op == OPERATOR_MUL)
    return smb_term_mul(terms, a, b, node->start);
  if (op == OPERATOR_SHL && smb_walk_knows(walk, b) && smb_walk_number(walk, b) >= 0 &&
      smb_walk_number(walk, b) < 32)
    return smb_term_add(terms, 0, a, 1u << smb_walk_number(walk, b));
  if (smb_walk_knows(walk, a) && smb_walk_knows(walk, b) && !is_wide &&
      compute_known(op, is_unsigned, smb_walk_number(walk, a), smb_walk_number(walk, b), &result))
    return smb_term_constant(terms, (guint32)result);
  if (op == OPERATOR_AND || op == OPERATOR_OR || op == OPERATOR_XOR)
    return bits_atom(walk,
                     op == OPERATOR_AND  ? ATOM_AND
                     : op == OPERATOR_OR ? ATOM_OR
                                         : ATOM_XOR,
                     MIN(a, b), MAX(a, b), node->start);
  if (op == OPERATOR_SHR && !is_wide && smb_walk_knows(walk, b) && smb_walk_number(walk, b) >= 0 &&
      smb_walk_number(walk, b) < 32)
    return bits_atom(walk, ATOM_SHR, a, b, node->start);
  if (is_unsigned && !is_wide && is_power(walk, b) && op == OPERATOR_MOD)
    return bits_atom(walk, ATOM_AND, a,
                     smb_term_constant(terms, (guint32)smb_walk_number(walk, b) - 1), node->start);
  if (is_unsigned && !is_wide && is_power(walk, b) && op == OPERATOR_DIV)
    return bits_atom(
        walk, ATOM_SHR, a,
        smb_term_constant(terms, (guint32)__builtin_ctz((guint)smb_walk_number(walk, b))),
        node->start);
  return operate(walk, node, is_wide, a, b, 0);
}

static Term
cast_term(Walk *walk, const Node *node, Term a) {
  const Type *from = node->a->type, *to = node->type;
  gboolean keeps = !smb_type_is_real(from) && !smb_type_is_real(to);
  if (smb_type_equal(from, to))
    return a;
  if (keeps && to->kind != KIND_BOOL && to->size >= 4 && to->kind != KIND_VECTOR)
    return a;
  if (keeps && smb_walk_knows(walk, a) && !is_wide_number(from)) {
    guint32 value = (guint32)smb_walk_number(walk, a);
    if (to->kind == KIND_BOOL)
      return value != 0;
    guint shift = 32 - 8 * (guint)MIN(to->size, 4);
    return smb_term_constant(walk->prover->terms,
                             smb_type_is_unsigned(to)
                                 ? value << shift >> shift
                                 : (guint32)((gint32)(value << shift) >> shift));
  }
  return operate(walk, node, is_wide_number(from), a, 0, 0);
}

static Term
object_term(Walk *walk, const Variable *variable, guint thread) {
  const Atom shared = {.kind = ATOM_SHARED};
  if (variable->storage == STORAGE_SHARED || variable->storage == STORAGE_DYNAMIC) {
    gsize start = variable->storage == STORAGE_SHARED ? variable->address
                                                      : walk->kernel->program.dynamic_start;
    return smb_term_add(walk->prover->terms, smb_term_atom(walk->prover->terms, &shared),
                        smb_term_constant(walk->prover->terms, (guint32)start), 1);
  }
  const Atom other = {ATOM_MEMORY,
                      ((guint64)variable->slot + 1) << 32 |
                          (variable->storage == STORAGE_PRIVATE ? thread : 0),
                      {0},
                      variable->start};
  return smb_term_atom(walk->prover->terms, &other);
}

static Term
special_term(Walk *walk, const Node *node, guint thread) {
  const guint *block = walk->prover->block;
  const guint at[3] = {thread % block[0], thread / block[0] % block[1],
                       thread / block[0] / block[1]};
  const Atom atom = {
      node->special == SPECIAL_BLOCK ? ATOM_BLOCK : ATOM_GRID, node->component, {0}, node->start};
  switch ((int)node->special) {
  case SPECIAL_THREAD:
    return smb_term_constant(walk->prover->terms, at[node->component]);
  case SPECIAL_BLOCK_DIM:
    return smb_term_constant(walk->prover->terms, block[node->component]);
  default:
    return smb_term_atom(walk->prover->terms, &atom);
  }
}

// What lies at addresses, which an access asks for.
static Term *
load_terms(Walk *walk, const Node *node, const Term *address, const Term *active) {
  Term *value = smb_walk_new_lanes(walk);
  guint64 which = ++walk->prover->n_fresh;
  smb_walk_access(walk, node->load_site, node_access_bytes(node), (guint)node->type->size, address,
                  active);
  for (guint i = 0; i < walk->prover->n; i++) {
    const Atom atom = {ATOM_UNKNOWN, which, {address[i], 0, 0}, node->start};
    value[i] = smb_walk_space(walk, address[i]) == WALK_SHARED
                   ? smb_term_atom(walk->prover->terms, &atom)
                   : smb_prover_fresh(walk->prover, node->start);
  }
  return value;
}

static void
assign_terms(Walk *walk, const Variable *variable, const Term *value, const Term *active) {
  Term *lanes = walk->locals[variable->slot];
  walk->assigned[variable->slot] = TRUE;
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = active[i] ? value[i] : lanes[i];
}

static Term *
assign(Walk *walk, const Node *node, const Term *active) {
  const Node *target = node->a;
  gboolean in_memory = target->kind == NODE_DEREFERENCE;
  const Node *local = target->kind == NODE_COMPONENT ? target->a : target;
  const Term *address = in_memory ? smb_walk_evaluate(walk, target->a, active) : NULL;
  Term *outer = walk->current, *old;
  if (in_memory)
    old = target->load_site >= 0 ? load_terms(walk, target, address, active)
                                 : fresh_lanes(walk, node->start);
  else
    old = target->kind == NODE_LOCAL
              ? smb_walk_copy_lanes(walk, walk->locals[local->variable->slot])
              : fresh_lanes(walk, node->start);
  walk->current = old;
  Term *value = smb_walk_evaluate(walk, node->b, active);
  walk->current = outer;
  if (in_memory)
    smb_walk_access(walk, target->store_site, node_access_bytes(target), (guint)target->type->size,
                    address, active);
  else
    assign_terms(walk, local->variable,
                 target->kind == NODE_LOCAL ? value : fresh_lanes(walk, node->start), active);
  return node->is_post ? old : value;
}

static Term *
narrow(Walk *walk, const Term *active, const Term *condition, gboolean no) {
  Term *lanes = smb_walk_new_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = active[i] ? smb_term_when(walk->prover->terms, active[i], condition[i], no) : 0;
  return lanes;
}

// Locals where a condition held, @yes, and where it did not, which are those of @walk: lanes that have left do not come here.
static void
join_locals(Walk *walk, const Term *condition, const Term *yes, const Term *active_yes,
            const Term *active_no) {
  for (guint slot = 0; slot < walk->kernel->locals->len; slot++) {
    for (guint i = 0; i < walk->prover->n; i++) {
      Term a = yes[(gsize)slot * walk->prover->n + i], *b = &walk->locals[slot][i];
      if (!active_no[i] && active_yes[i])
        *b = a;
      else if (active_no[i] && active_yes[i])
        *b = smb_term_choose(walk->prover->terms, condition[i], a, *b);
    }
  }
}

// A && B, A || B, A ? B : C.
static Term *
choose_side(Walk *walk, const Node *node, const Term *active) {
  const Term *condition = smb_walk_evaluate(walk, node->a, active);
  const Term *yes_active = narrow(walk, active, condition, node->kind == NODE_OR_ELSE);
  const Term *before = smb_walk_copy_locals(walk);
  const Term *yes = smb_walk_evaluate(walk, node->b, yes_active);
  const Term *after = smb_walk_copy_locals(walk);
  smb_walk_restore_locals(walk, before);
  const Term *no_active = narrow(walk, active, condition, node->kind != NODE_OR_ELSE);
  const Term *no = node->kind == NODE_CHOICE ? smb_walk_evaluate(walk, node->c, no_active) : NULL;
  Term *value = smb_walk_new_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++) {
    Term short_cut = node->kind == NODE_OR_ELSE;
    if (active[i])
      value[i] = node->kind == NODE_OR_ELSE
                     ? smb_term_choose(walk->prover->terms, condition[i], short_cut, yes[i])
                     : smb_term_choose(walk->prover->terms, condition[i], yes[i], no ? no[i] : 0);
  }
  if (node->kind == NODE_OR_ELSE) {
    const Term *now = smb_walk_copy_locals(walk);
    smb_walk_restore_locals(walk, after);
    join_locals(walk, condition, now, no_active, yes_active);
  } else {
    join_locals(walk, condition, after, yes_active, no_active);
  }
  return value;
}

static Term *
walk_call(Walk *walk, const Node *node, const Term *active) {
  const Function *function = node->function;
  const Term *outer = walk->entered,
             *arguments[MAX_ARGUMENTS + 1]; // and where a structure is returned
  const Loop *loop = walk->loop;
  Term *inside = smb_walk_copy_lanes(walk, active);
  // All of them before any parameter is set: an argument may call the same function.
  for (guint i = 0; i < node->n_arguments; i++)
    arguments[i] = smb_walk_evaluate(walk, node->arguments[i], active);
  for (guint i = 0; i < node->n_arguments; i++)
    assign_terms(walk, function->parameters[i], arguments[i], active);
  walk->entered = active;
  walk->loop = NULL;
  smb_walk_execute(walk, function->body, inside);
  walk->entered = outer;
  walk->loop = loop;
  return function->result ? smb_walk_copy_lanes(walk, walk->locals[function->result->slot])
                          : smb_walk_new_lanes(walk);
}

static Term *
builtin(Walk *walk, const Node *node, const Term *active) {
  const Term *values[MAX_ARGUMENTS] = {NULL};
  gboolean is_wide = FALSE;
  for (guint i = 0; i < node->n_arguments; i++) {
    values[i] = smb_walk_evaluate(walk, node->arguments[i], active);
    is_wide = is_wide || is_wide_number(node->arguments[i]->type);
  }
  if (node->builtin >= BUILTIN_ATOMIC_ADD)
    smb_walk_atomic(walk, node, values[0], active);
  if (node->builtin >= BUILTIN_BALLOT || node->n_arguments > 3)
    return fresh_lanes(walk, node->start);
  Term *value = smb_walk_new_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++) {
    if (!active[i])
      continue;
    Term a = values[0] ? values[0][i] : 0, b = values[1] ? values[1][i] : 0;
    gboolean orders = node->builtin == BUILTIN_MIN || node->builtin == BUILTIN_MAX;
    if (orders && !is_wide && smb_type_is_integer(node->type) && smb_walk_knows(walk, a) &&
        smb_walk_knows(walk, b)) {
      gint32 less;
      compute_known(OPERATOR_LT, smb_type_is_unsigned(node->arguments[0]->type),
                    smb_walk_number(walk, a), smb_walk_number(walk, b), &less);
      value[i] = less == (node->builtin == BUILTIN_MIN) ? a : b;
    } else {
      value[i] = operate(walk, node, is_wide, a, b, values[2] ? values[2][i] : 0);
    }
  }
  return value;
}

static Term
unary(Walk *walk, const Node *node, guint thread, Term a) {
  Terms *terms = walk->prover->terms;
  switch ((int)node->kind) {
  case NODE_CONSTANT:
    return smb_type_is_real(node->type) ? operate(walk, node, FALSE, 0, 0, 0)
                                        : smb_term_constant(terms, (guint32)node->integer);
  case NODE_OBJECT:
    return object_term(walk, node->variable, thread);
  case NODE_SPECIAL:
    return special_term(walk, node, thread);
  case NODE_CAST:
    return cast_term(walk, node, a);
  case NODE_NEGATE:
    return smb_type_is_real(node->type) ? operate(walk, node, FALSE, a, 0, 0)
                                        : smb_term_add(terms, 0, a, G_MAXUINT32);
  case NODE_COMPLEMENT:
    return smb_term_add(terms, smb_term_constant(terms, G_MAXUINT32), a, G_MAXUINT32);
  case NODE_NOT:
    if (smb_walk_knows(walk, a) && !smb_type_is_real(node->a->type) &&
        !is_wide_number(node->a->type))
      return smb_walk_number(walk, a) == 0;
    return operate(walk, node, is_wide_number(node->a->type), a, 0, 0);
  default: // a component of a vector, bits as another type
    return operate(walk, node, is_wide_number(node->a->type), a, 0, 0);
  }
}

Term *
smb_walk_evaluate(Walk *walk, const Node *node, const Term *active) {
  const Term *a, *b;
  Term *value;
  if (walk->prover->proof->stopped || !smb_prover_has_any(walk->prover, active))
    return smb_walk_new_lanes(walk);
  switch ((int)node->kind) {
  case NODE_LOCAL:
    return smb_walk_copy_lanes(walk, walk->locals[node->variable->slot]);
  case NODE_DEREFERENCE:
    value = smb_walk_evaluate(walk, node->a, active);
    return smb_type_is_aggregate(node->type) ? value : load_terms(walk, node, value, active);
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
  case NODE_CHOICE:
    return choose_side(walk, node, active);
  case NODE_ASSIGN:
    return assign(walk, node, active);
  case NODE_CURRENT:
    return smb_walk_copy_lanes(walk, walk->current);
  case NODE_COMMA:
    smb_walk_evaluate(walk, node->a, active);
    return smb_walk_evaluate(walk, node->b, active);
  case NODE_CALL:
    return walk_call(walk, node, active);
  case NODE_BUILTIN:
    return builtin(walk, node, active);
  case NODE_COPY:
    smb_prover_stop(walk->prover, node->start, "a structure is copied");
    return smb_walk_new_lanes(walk);
  case NODE_MAKE_VECTOR:
    for (guint i = 0; i < node->n_arguments; i++)
      smb_walk_evaluate(walk, node->arguments[i], active);
    return fresh_lanes(walk, node->start);
  case NODE_BINARY:
  case NODE_POINTER_ADD:
  case NODE_POINTER_DIFF:
    a = smb_walk_evaluate(walk, node->a, active);
    b = smb_walk_evaluate(walk, node->b, active);
    value = smb_walk_new_lanes(walk);
    for (guint i = 0; i < walk->prover->n; i++) {
      if (active[i])
        value[i] = node->kind == NODE_BINARY ? combine_terms(walk, node, a[i], b[i])
                   : node->kind == NODE_POINTER_ADD
                       ? smb_term_add(walk->prover->terms, a[i], b[i], (guint32)node->integer)
                       : smb_prover_fresh(walk->prover, node->start);
    }
    return value;
  default:
    a = node->a ? smb_walk_evaluate(walk, node->a, active) : NULL;
    value = smb_walk_new_lanes(walk);
    for (guint i = 0; i < walk->prover->n; i++) {
      if (active[i])
        value[i] = unary(walk, node, i, a ? a[i] : 0);
    }
    return value;
  }
}

static void
execute_if(Walk *walk, const Statement *statement, Term *active) {
  const Term *condition = smb_walk_evaluate(walk, statement->value, active);
  Term *yes = narrow(walk, active, condition, FALSE), *no = narrow(walk, active, condition, TRUE);
  const Term *yes_before = smb_walk_copy_lanes(walk, yes),
             *no_before = smb_walk_copy_lanes(walk, no);
  const Term *before = smb_walk_copy_locals(walk);
  smb_walk_execute(walk, statement->then, yes);
  const Term *after = smb_walk_copy_locals(walk);
  smb_walk_restore_locals(walk, before);
  smb_walk_execute(walk, statement->otherwise, no);
  join_locals(walk, condition, after, yes, no);
  for (guint i = 0; i < walk->prover->n; i++) {
    gboolean stays = yes[i] == yes_before[i] && no[i] == no_before[i];
    active[i] = either(walk, yes[i], no[i], stays ? active[i] : 0, active[i]);
  }
}

// Leaves an iteration, or the loop: those for whom the way here was known in this iteration.
static void
jump(Walk *walk, const Statement *statement, Term *active) {
  Term *into = !walk->loop                             ? NULL
               : statement->kind == STATEMENT_CONTINUE ? walk->loop->continued
                                                       : walk->loop->left;
  for (guint i = 0; i < walk->prover->n; i++) {
    if (!active[i])
      continue;
    if (!into || walk->general || active[i] != walk->loop->entered[i]) {
      smb_prover_stop(walk->prover, statement->start,
                      "a loop is left under a condition that is not known");
      return;
    }
    into[i] = active[i];
    active[i] = 0;
  }
}

static void
leave_function(Walk *walk, const Statement *statement, Term *active) {
  if (statement->value)
    assign_terms(walk, statement->variable, smb_walk_evaluate(walk, statement->value, active),
                 active);
  for (guint i = 0; walk->entered && i < walk->prover->n; i++) {
    if (walk->entered[i] != active[i])
      smb_prover_stop(walk->prover, statement->start, "a function is left under a condition");
  }
  if (walk->loop)
    smb_prover_stop(walk->prover, statement->start, "a loop is left");
  memset(active, 0, walk->prover->n * sizeof(Term));
}

void
smb_walk_execute(Walk *walk, const Statement *statement, Term *active) {
  if (!statement || walk->prover->proof->stopped || !smb_prover_has_any(walk->prover, active))
    return;
  switch (statement->kind) {
  case STATEMENT_EXPRESSION:
    smb_walk_evaluate(walk, statement->value, active);
    return;
  case STATEMENT_DECLARE:
    assign_terms(walk, statement->variable, fresh_lanes(walk, statement->start), active);
    return;
  case STATEMENT_BLOCK:
    for (const Statement *child = statement->first; child; child = child->next)
      smb_walk_execute(walk, child, active);
    return;
  case STATEMENT_IF:
    execute_if(walk, statement, active);
    return;
  case STATEMENT_LOOP:
    smb_walk_loop(walk, statement, active);
    return;
  case STATEMENT_BREAK:
  case STATEMENT_CONTINUE:
    jump(walk, statement, active);
    return;
  case STATEMENT_RETURN:
    leave_function(walk, statement, active);
    return;
  case STATEMENT_SWITCH:
  case STATEMENT_LABEL:
    smb_prover_stop(walk->prover, statement->start, "a switch");
    return;
  }
}

static void
run_walk(Walk *walk) {
  guint n = walk->kernel->locals->len;
  const Function *entry = walk->kernel->entry;
  walk->locals = g_new0(Term *, n + 1);
  walk->assigned = g_new0(guint8, n + 1);
  Term *active = smb_walk_new_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    active[i] = 1;
  for (guint slot = 0; slot < n; slot++)
    walk->locals[slot] = fresh_lanes(walk, 0);
  for (guint p = 0; p < entry->n_parameters; p++) {
    const Variable *parameter = entry->parameters[p];
    gboolean is_pointer = parameter->type->kind == KIND_POINTER;
    const Atom atom = {is_pointer ? ATOM_MEMORY : ATOM_PARAMETER, p, {0}, parameter->start};
    if (parameter->storage != STORAGE_LOCAL)
      continue;
    for (guint i = 0; i < walk->prover->n; i++)
      walk->locals[parameter->slot][i] = smb_term_atom(walk->prover->terms, &atom);
  }
  smb_walk_execute(walk, entry->body, active);
}

void
smb_walk_prove(SmbProver *prover) {
  g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func(g_free);
  Walk walk = {.prover = prover, .kernel = smb_cuda_kernel(prover->program), .kept = kept};
  run_walk(&walk);
  g_free(walk.locals);
  g_free(walk.assigned);
}
