// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The threads of a block, all together, on sums of what is not known. A condition is a sum, too: 0 or 1 if it is known.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/cuda/parse/parse.h"
#include "sim/cuda/proof/impl.h"

enum {
  MAX_ITERATIONS = 4096,
  MAX_TERMS = 4000000,
  MAX_ROUNDS = 16, // until it is known what a loop changes
};

static Term *evaluate(Walk *walk, const Node *node, const Term *active);
static void execute(Walk *walk, const Statement *statement, Term *active);

static Term *
new_lanes(Walk *walk) {
  Term *lanes = g_new0(Term, walk->n);
  g_ptr_array_add(walk->kept, lanes);
  if (walk->terms->sums->len > MAX_TERMS)
    smb_walk_stop(walk, 0, "it takes too long");
  return lanes;
}

static Term *
copy_lanes(Walk *walk, const Term *lanes) {
  Term *copy = new_lanes(walk);
  memcpy(copy, lanes, walk->n * sizeof(Term));
  return copy;
}

// Something that is not known, and like nothing else.
static Term
fresh(Walk *walk, guint32 place) {
  const Atom atom = {ATOM_UNKNOWN, ++walk->n_fresh, {0}, place};
  return smb_term_atom(walk->terms, &atom);
}

static Term *
fresh_lanes(Walk *walk, guint32 place) {
  Term *lanes = new_lanes(walk);
  for (guint i = 0; i < walk->n; i++)
    lanes[i] = fresh(walk, place);
  return lanes;
}

static gboolean
is_any(const Walk *walk, const Term *active) {
  for (guint i = 0; i < walk->n; i++) {
    if (active[i])
      return TRUE;
  }
  return FALSE;
}

static gboolean
known(const Walk *walk, Term term) {
  return smb_term_is_constant(walk->terms, term);
}

static gint32
number(const Walk *walk, Term term) {
  return (gint32)smb_term_sum(walk->terms, term)->constant;
}

// What a pure operation of a node makes of operands: the same of the same. Of 64-bit values not all bits are in a sum.
static Term
operate(Walk *walk, const Node *node, gboolean is_wide, Term a, Term b, Term c) {
  const Atom atom = {ATOM_UNKNOWN, (guint64)(gsize)node, {a, b, c}, node->start};
  return is_wide ? fresh(walk, node->start) : smb_term_atom(walk->terms, &atom);
}

static gboolean
is_wide_number(const Type *type) {
  return smb_type_is_wide(type) && !smb_type_is_real(type);
}

// Both conditions; @no: not @b.
static Term
both(Walk *walk, Term a, Term b, gboolean no) {
  if (known(walk, b))
    return (number(walk, b) != 0) != no ? a : 0;
  if (!a)
    return 0;
  const Atom atom = {ATOM_UNKNOWN, no ? 2 : 1, {a, b, 0}, 0};
  return smb_term_atom(walk->terms, &atom);
}

static Term
either(Walk *walk, Term a, Term b, Term whole, Term before) {
  if (!a || !b || a == b)
    return a ? a : b;
  const Atom atom = {ATOM_UNKNOWN, 3, {a, b, 0}, 0};
  return a == before || b == before ? before : whole ? whole : smb_term_atom(walk->terms, &atom);
}

static Term
choose_term(Walk *walk, Term condition, Term yes, Term no) {
  if (yes == no)
    return yes;
  if (known(walk, condition))
    return number(walk, condition) ? yes : no;
  const Atom atom = {ATOM_UNKNOWN, 4, {condition, yes, no}, 0};
  return smb_term_atom(walk->terms, &atom);
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
  return smb_term_atom(walk->terms, &atom);
}

static gboolean
is_power(const Walk *walk, Term term) {
  return known(walk, term) && number(walk, term) > 0 &&
         (number(walk, term) & (number(walk, term) - 1)) == 0;
}

static Term
combine(Walk *walk, const Node *node, Term a, Term b) {
  Terms *terms = walk->terms;
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
  if (op == OPERATOR_SHL && known(walk, b) && number(walk, b) >= 0 && number(walk, b) < 32)
    return smb_term_add(terms, 0, a, 1u << number(walk, b));
  if (known(walk, a) && known(walk, b) && !is_wide &&
      compute_known(op, is_unsigned, number(walk, a), number(walk, b), &result))
    return smb_term_constant(terms, (guint32)result);
  if (op == OPERATOR_AND || op == OPERATOR_OR || op == OPERATOR_XOR)
    return bits_atom(walk,
                     op == OPERATOR_AND  ? ATOM_AND
                     : op == OPERATOR_OR ? ATOM_OR
                                         : ATOM_XOR,
                     MIN(a, b), MAX(a, b), node->start);
  if (op == OPERATOR_SHR && !is_wide && known(walk, b) && number(walk, b) >= 0 &&
      number(walk, b) < 32)
    return bits_atom(walk, ATOM_SHR, a, b, node->start);
  if (is_unsigned && !is_wide && is_power(walk, b) && op == OPERATOR_MOD)
    return bits_atom(walk, ATOM_AND, a, smb_term_constant(terms, (guint32)number(walk, b) - 1),
                     node->start);
  if (is_unsigned && !is_wide && is_power(walk, b) && op == OPERATOR_DIV)
    return bits_atom(walk, ATOM_SHR, a,
                     smb_term_constant(terms, (guint32)__builtin_ctz((guint)number(walk, b))),
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
  if (keeps && known(walk, a) && !is_wide_number(from)) {
    guint32 value = (guint32)number(walk, a);
    if (to->kind == KIND_BOOL)
      return value != 0;
    guint shift = 32 - 8 * (guint)MIN(to->size, 4);
    return smb_term_constant(walk->terms, smb_type_is_unsigned(to)
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
    return smb_term_add(walk->terms, smb_term_atom(walk->terms, &shared),
                        smb_term_constant(walk->terms, (guint32)start), 1);
  }
  const Atom other = {ATOM_MEMORY,
                      ((guint64)variable->slot + 1) << 32 |
                          (variable->storage == STORAGE_PRIVATE ? thread : 0),
                      {0},
                      variable->start};
  return smb_term_atom(walk->terms, &other);
}

static Term
special_term(Walk *walk, const Node *node, guint thread) {
  const guint *block = walk->block;
  const guint at[3] = {thread % block[0], thread / block[0] % block[1],
                       thread / block[0] / block[1]};
  const Atom atom = {
      node->special == SPECIAL_BLOCK ? ATOM_BLOCK : ATOM_GRID, node->component, {0}, node->start};
  switch ((int)node->special) {
  case SPECIAL_THREAD:
    return smb_term_constant(walk->terms, at[node->component]);
  case SPECIAL_BLOCK_DIM:
    return smb_term_constant(walk->terms, block[node->component]);
  default:
    return smb_term_atom(walk->terms, &atom);
  }
}

// What lies at addresses, which an access asks for.
static Term *
load(Walk *walk, const Node *node, const Term *address, const Term *active) {
  Term *value = new_lanes(walk);
  guint64 which = ++walk->n_fresh;
  smb_walk_access(walk, node->load_site, node_access_bytes(node), (guint)node->type->size, address,
                  active);
  for (guint i = 0; i < walk->n; i++) {
    const Atom atom = {ATOM_UNKNOWN, which, {address[i], 0, 0}, node->start};
    value[i] = smb_walk_space(walk, address[i]) == WALK_SHARED ? smb_term_atom(walk->terms, &atom)
                                                               : fresh(walk, node->start);
  }
  return value;
}

static void
assign_local(Walk *walk, const Variable *variable, const Term *value, const Term *active) {
  Term *lanes = walk->locals[variable->slot];
  walk->assigned[variable->slot] = TRUE;
  for (guint i = 0; i < walk->n; i++)
    lanes[i] = active[i] ? value[i] : lanes[i];
}

static Term *
assign(Walk *walk, const Node *node, const Term *active) {
  const Node *target = node->a;
  gboolean in_memory = target->kind == NODE_DEREFERENCE;
  const Node *local = target->kind == NODE_COMPONENT ? target->a : target;
  const Term *address = in_memory ? evaluate(walk, target->a, active) : NULL;
  Term *outer = walk->current, *old;
  if (in_memory)
    old = target->load_site >= 0 ? load(walk, target, address, active)
                                 : fresh_lanes(walk, node->start);
  else
    old = target->kind == NODE_LOCAL ? copy_lanes(walk, walk->locals[local->variable->slot])
                                     : fresh_lanes(walk, node->start);
  walk->current = old;
  Term *value = evaluate(walk, node->b, active);
  walk->current = outer;
  if (in_memory)
    smb_walk_access(walk, target->store_site, node_access_bytes(target), (guint)target->type->size,
                    address, active);
  else
    assign_local(walk, local->variable,
                 target->kind == NODE_LOCAL ? value : fresh_lanes(walk, node->start), active);
  return node->is_post ? old : value;
}

static Term *
narrow(Walk *walk, const Term *active, const Term *condition, gboolean no) {
  Term *lanes = new_lanes(walk);
  for (guint i = 0; i < walk->n; i++)
    lanes[i] = active[i] ? both(walk, active[i], condition[i], no) : 0;
  return lanes;
}

static Term *
copy_locals(Walk *walk) {
  guint n = walk->kernel->locals->len;
  Term *saved = g_new(Term, (gsize)n * walk->n + 1);
  g_ptr_array_add(walk->kept, saved);
  for (guint slot = 0; slot < n; slot++)
    memcpy(saved + (gsize)slot * walk->n, walk->locals[slot], walk->n * sizeof(Term));
  return saved;
}

static void
restore_locals(Walk *walk, const Term *saved) {
  for (guint slot = 0; slot < walk->kernel->locals->len; slot++)
    memcpy(walk->locals[slot], saved + (gsize)slot * walk->n, walk->n * sizeof(Term));
}

// Locals where a condition held, @yes, and where it did not, which are those of @walk: lanes that have left do not come here.
static void
join_locals(Walk *walk, const Term *condition, const Term *yes, const Term *active_yes,
            const Term *active_no) {
  for (guint slot = 0; slot < walk->kernel->locals->len; slot++) {
    for (guint i = 0; i < walk->n; i++) {
      Term a = yes[(gsize)slot * walk->n + i], *b = &walk->locals[slot][i];
      if (!active_no[i] && active_yes[i])
        *b = a;
      else if (active_no[i] && active_yes[i])
        *b = choose_term(walk, condition[i], a, *b);
    }
  }
}

// A && B, A || B, A ? B : C.
static Term *
choose(Walk *walk, const Node *node, const Term *active) {
  const Term *condition = evaluate(walk, node->a, active);
  const Term *yes_active = narrow(walk, active, condition, node->kind == NODE_OR_ELSE);
  const Term *before = copy_locals(walk);
  const Term *yes = evaluate(walk, node->b, yes_active);
  const Term *after = copy_locals(walk);
  restore_locals(walk, before);
  const Term *no_active = narrow(walk, active, condition, node->kind != NODE_OR_ELSE);
  const Term *no = node->kind == NODE_CHOICE ? evaluate(walk, node->c, no_active) : NULL;
  Term *value = new_lanes(walk);
  for (guint i = 0; i < walk->n; i++) {
    Term short_cut = node->kind == NODE_OR_ELSE;
    if (active[i])
      value[i] = node->kind == NODE_OR_ELSE
                     ? choose_term(walk, condition[i], short_cut, yes[i])
                     : choose_term(walk, condition[i], yes[i], no ? no[i] : 0);
  }
  if (node->kind == NODE_OR_ELSE) {
    const Term *now = copy_locals(walk);
    restore_locals(walk, after);
    join_locals(walk, condition, now, no_active, yes_active);
  } else {
    join_locals(walk, condition, after, yes_active, no_active);
  }
  return value;
}

static Term *
call(Walk *walk, const Node *node, const Term *active) {
  const Function *function = node->function;
  const Term *outer = walk->entered;
  Term *inside = copy_lanes(walk, active);
  for (guint i = 0; i < node->n_arguments; i++)
    assign_local(walk, function->parameters[i], evaluate(walk, node->arguments[i], active), active);
  walk->entered = active;
  execute(walk, function->body, inside);
  walk->entered = outer;
  return function->result ? copy_lanes(walk, walk->locals[function->result->slot])
                          : new_lanes(walk);
}

static Term *
builtin(Walk *walk, const Node *node, const Term *active) {
  const Term *values[MAX_ARGUMENTS] = {NULL};
  gboolean is_wide = FALSE;
  for (guint i = 0; i < node->n_arguments; i++) {
    values[i] = evaluate(walk, node->arguments[i], active);
    is_wide = is_wide || is_wide_number(node->arguments[i]->type);
  }
  if (node->builtin >= BUILTIN_ATOMIC_ADD)
    smb_walk_refuse(walk, node->store_site, values[0], active, "it is an atomic");
  if (node->builtin >= BUILTIN_BALLOT || node->n_arguments > 3)
    return fresh_lanes(walk, node->start);
  Term *value = new_lanes(walk);
  for (guint i = 0; i < walk->n; i++) {
    if (!active[i])
      continue;
    Term a = values[0] ? values[0][i] : 0, b = values[1] ? values[1][i] : 0;
    gboolean orders = node->builtin == BUILTIN_MIN || node->builtin == BUILTIN_MAX;
    if (orders && !is_wide && smb_type_is_integer(node->type) && known(walk, a) && known(walk, b)) {
      gint32 less;
      compute_known(OPERATOR_LT, smb_type_is_unsigned(node->arguments[0]->type), number(walk, a),
                    number(walk, b), &less);
      value[i] = less == (node->builtin == BUILTIN_MIN) ? a : b;
    } else {
      value[i] = operate(walk, node, is_wide, a, b, values[2] ? values[2][i] : 0);
    }
  }
  return value;
}

static Term
unary(Walk *walk, const Node *node, guint thread, Term a) {
  Terms *terms = walk->terms;
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
    if (known(walk, a) && !smb_type_is_real(node->a->type) && !is_wide_number(node->a->type))
      return number(walk, a) == 0;
    return operate(walk, node, is_wide_number(node->a->type), a, 0, 0);
  default: // a component of a vector, bits as another type
    return operate(walk, node, is_wide_number(node->a->type), a, 0, 0);
  }
}

static Term *
evaluate(Walk *walk, const Node *node, const Term *active) {
  const Term *a, *b;
  Term *value;
  if (walk->proof->stopped || !is_any(walk, active))
    return new_lanes(walk);
  switch ((int)node->kind) {
  case NODE_LOCAL:
    return copy_lanes(walk, walk->locals[node->variable->slot]);
  case NODE_DEREFERENCE:
    value = evaluate(walk, node->a, active);
    return smb_type_is_aggregate(node->type) ? value : load(walk, node, value, active);
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
  case NODE_CHOICE:
    return choose(walk, node, active);
  case NODE_ASSIGN:
    return assign(walk, node, active);
  case NODE_CURRENT:
    return copy_lanes(walk, walk->current);
  case NODE_COMMA:
    evaluate(walk, node->a, active);
    return evaluate(walk, node->b, active);
  case NODE_CALL:
    return call(walk, node, active);
  case NODE_BUILTIN:
    return builtin(walk, node, active);
  case NODE_COPY:
    smb_walk_stop(walk, node->start, "a structure is copied");
    return new_lanes(walk);
  case NODE_MAKE_VECTOR:
    for (guint i = 0; i < node->n_arguments; i++)
      evaluate(walk, node->arguments[i], active);
    return fresh_lanes(walk, node->start);
  case NODE_BINARY:
  case NODE_POINTER_ADD:
  case NODE_POINTER_DIFF:
    a = evaluate(walk, node->a, active);
    b = evaluate(walk, node->b, active);
    value = new_lanes(walk);
    for (guint i = 0; i < walk->n; i++) {
      if (active[i])
        value[i] = node->kind == NODE_BINARY ? combine(walk, node, a[i], b[i])
                   : node->kind == NODE_POINTER_ADD
                       ? smb_term_add(walk->terms, a[i], b[i], (guint32)node->integer)
                       : fresh(walk, node->start);
    }
    return value;
  default:
    a = node->a ? evaluate(walk, node->a, active) : NULL;
    value = new_lanes(walk);
    for (guint i = 0; i < walk->n; i++) {
      if (active[i])
        value[i] = unary(walk, node, i, a ? a[i] : 0);
    }
    return value;
  }
}

static void
execute_if(Walk *walk, const Statement *statement, Term *active) {
  const Term *condition = evaluate(walk, statement->value, active);
  Term *yes = narrow(walk, active, condition, FALSE), *no = narrow(walk, active, condition, TRUE);
  const Term *yes_before = copy_lanes(walk, yes), *no_before = copy_lanes(walk, no);
  const Term *before = copy_locals(walk);
  execute(walk, statement->then, yes);
  const Term *after = copy_locals(walk);
  restore_locals(walk, before);
  execute(walk, statement->otherwise, no);
  join_locals(walk, condition, after, yes, no);
  for (guint i = 0; i < walk->n; i++) {
    gboolean stays = yes[i] == yes_before[i] && no[i] == no_before[i];
    active[i] = either(walk, yes[i], no[i], stays ? active[i] : 0, active[i]);
  }
}

// Whether all that are active are so by the same condition.
static gboolean
is_uniform(const Walk *walk, const Term *condition, const Term *active) {
  Term first = 0;
  gboolean any = FALSE;
  for (guint i = 0; i < walk->n; i++) {
    if (!active[i])
      continue;
    if (any && condition[i] != first)
      return FALSE;
    first = condition[i];
    any = TRUE;
  }
  return TRUE;
}

static gboolean
all_known(const Walk *walk, const Term *condition, const Term *active) {
  for (guint i = 0; i < walk->n; i++) {
    if (active[i] && !known(walk, condition[i]))
      return FALSE;
  }
  return TRUE;
}

// One iteration, whose accesses count only if @walk->quiet is 0. @inside: whose it is
static void
iterate(Walk *walk, const Statement *loop, Term *inside) {
  const Loop *outer = walk->loop;
  const Loop here = {copy_lanes(walk, inside), new_lanes(walk), new_lanes(walk)};
  walk->loop = &here;
  execute(walk, loop->then, inside);
  for (guint i = 0; i < walk->n; i++)
    inside[i] = here.continued[i] ? here.continued[i] : inside[i];
  if (loop->step)
    evaluate(walk, loop->step, inside);
  walk->loop = outer;
}

// What a loop does to a local: whether it assigns to it; by how much it changes in each iteration, if by the same; whether it is the
// same for all threads.
typedef struct {
  guint8 *assigned;
  Term **steps; // or NULL
  guint8 *uniform;
} Change;

static void
set_heads(Walk *walk, const Term *start, const Change *change, Term counter, guint32 place) {
  for (guint slot = 0; slot < walk->kernel->locals->len; slot++) {
    Term shared = fresh(walk, place);
    for (guint i = 0; i < walk->n; i++) {
      Term first = start[(gsize)slot * walk->n + i], *head = &walk->locals[slot][i];
      if (!change->assigned[slot])
        *head = first;
      else if (change->steps[slot])
        *head = smb_term_add(walk->terms, first,
                             smb_term_mul(walk->terms, change->steps[slot][i], counter, place), 1);
      else
        *head = change->uniform[slot] ? shared : fresh(walk, place);
    }
  }
}

// Whether a sum has only atoms from before a loop.
static gboolean
is_older(const Walk *walk, Term term, guint n_atoms) {
  const Sum *sum = smb_term_sum(walk->terms, term);
  return sum->n == 0 || sum->parts[sum->n - 1].atom < n_atoms;
}

// An iteration from what the heads are, to see what it leaves; FALSE: it assigns to more than was known.
static gboolean
try_iteration(Walk *walk, const Statement *loop, const Term *active, Change *change,
              Term *condition) {
  guint n = walk->kernel->locals->len;
  g_autofree guint8 *outer = walk->assigned;
  gboolean is_whole = TRUE;
  walk->assigned = g_new0(guint8, n + 1);
  walk->quiet++;
  Term *inside = copy_lanes(walk, active);
  if (loop->value && loop->tests_first)
    memcpy(condition, evaluate(walk, loop->value, inside), walk->n * sizeof(Term));
  for (guint i = 0; i < walk->n; i++)
    inside[i] = active[i] ? fresh(walk, loop->start) : 0;
  iterate(walk, loop, inside);
  if (loop->value && !loop->tests_first)
    memcpy(condition, evaluate(walk, loop->value, active), walk->n * sizeof(Term));
  walk->quiet--;
  for (guint slot = 0; slot < n; slot++) {
    is_whole = is_whole && walk->assigned[slot] <= change->assigned[slot];
    change->assigned[slot] |= walk->assigned[slot];
    outer[slot] |= walk->assigned[slot];
  }
  g_free(walk->assigned);
  walk->assigned = g_steal_pointer(&outer);
  return is_whole;
}

// Which locals change by the same in each iteration, whatever the others are.
static void
find_steps(Walk *walk, const Term *heads, const Term *active, const Change *change, guint n_atoms) {
  for (guint slot = 0; slot < walk->kernel->locals->len; slot++) {
    Term *steps = new_lanes(walk);
    gboolean is_step = change->assigned[slot];
    for (guint i = 0; is_step && i < walk->n; i++) {
      if (!active[i])
        continue;
      steps[i] = smb_term_add(walk->terms, walk->locals[slot][i], heads[(gsize)slot * walk->n + i],
                              G_MAXUINT32);
      is_step = is_older(walk, steps[i], n_atoms);
    }
    change->steps[slot] = is_step ? steps : NULL;
  }
}

// A loop whose condition is not known, in general. What it has done before is in @start.
static void
generalize(Walk *walk, const Statement *loop, Term *active) {
  guint n = walk->kernel->locals->len, n_atoms = walk->terms->atoms->len;
  const Term *start = copy_locals(walk), *heads = start;
  g_autofree guint8 *assigned = g_new0(guint8, n + 1), *uniform = g_new0(guint8, n + 1);
  g_autofree Term **steps = g_new0(Term *, n + 1);
  Change change = {assigned, steps, uniform};
  Term *condition = new_lanes(walk);
  const Atom counter_atom = {ATOM_COUNTER, ++walk->n_fresh, {0}, loop->start};
  gboolean is_whole = FALSE;
  for (guint round = 0; !is_whole && round < MAX_ROUNDS; round++) {
    memset(steps, 0, n * sizeof *steps);
    set_heads(walk, start, &change, 0, loop->start);
    heads = copy_locals(walk);
    is_whole = try_iteration(walk, loop, active, &change, condition);
  }
  find_steps(walk, heads, active, &change, n_atoms);
  for (guint slot = 0; slot < n; slot++)
    uniform[slot] =
        assigned[slot] && !steps[slot] && is_uniform(walk, start + (gsize)slot * walk->n, active);
  Term counter = smb_term_atom(walk->terms, &counter_atom);
  gboolean is_stable = FALSE;
  while (is_whole && !is_stable && !walk->proof->stopped) {
    is_stable = TRUE;
    set_heads(walk, start, &change, counter, loop->start);
    try_iteration(walk, loop, active, &change, condition);
    for (guint slot = 0; slot < n; slot++) {
      if (uniform[slot] && !is_uniform(walk, walk->locals[slot], active)) {
        uniform[slot] = FALSE;
        is_stable = FALSE;
      }
    }
  }
  if (!is_whole)
    smb_walk_stop(walk, loop->start, "it is not known what a loop changes");
  gboolean together = is_uniform(walk, condition, active) && is_uniform(walk, active, active);
  Term in_loop = fresh(walk, loop->start), *inside = copy_lanes(walk, active);
  set_heads(walk, start, &change, counter, loop->start);
  if (loop->value && loop->tests_first)
    evaluate(walk, loop->value, active);
  for (guint i = 0; i < walk->n; i++)
    inside[i] = active[i] ? together ? in_loop : fresh(walk, loop->start) : 0;
  walk->general++;
  iterate(walk, loop, inside);
  if (loop->value && !loop->tests_first)
    evaluate(walk, loop->value, inside);
  walk->general--;
  const Atom end_atom = {ATOM_COUNTER, ++walk->n_fresh, {0}, loop->start};
  if (!together) {
    memset(steps, 0, n * sizeof *steps);
    memset(uniform, 0, n);
  }
  set_heads(walk, start, &change, smb_term_atom(walk->terms, &end_atom), loop->start);
}

static void
execute_loop(Walk *walk, const Statement *loop, Term *active) {
  Term *inside = copy_lanes(walk, active), *left = new_lanes(walk);
  for (guint round = 0; is_any(walk, inside) && !walk->proof->stopped; round++) {
    if (loop->tests_first || round > 0) {
      const Term *before = copy_locals(walk);
      const Term *condition =
          loop->value ? (walk->quiet++, evaluate(walk, loop->value, inside)) : NULL;
      walk->quiet -= condition ? 1 : 0;
      if (!condition || round == MAX_ITERATIONS || !all_known(walk, condition, inside)) {
        restore_locals(walk, before);
        generalize(walk, loop, inside);
        break;
      }
      restore_locals(walk, before);
      evaluate(walk, loop->value, inside);
      for (guint i = 0; i < walk->n; i++) {
        left[i] = inside[i] && !number(walk, condition[i]) ? inside[i] : left[i];
        inside[i] = inside[i] && number(walk, condition[i]) ? inside[i] : 0;
      }
    }
    if (!is_any(walk, inside))
      break;
    const Loop *outer = walk->loop;
    const Loop here = {copy_lanes(walk, inside), new_lanes(walk), left};
    walk->loop = &here;
    execute(walk, loop->then, inside);
    for (guint i = 0; i < walk->n; i++)
      inside[i] = here.continued[i] ? here.continued[i] : inside[i];
    if (loop->step)
      evaluate(walk, loop->step, inside);
    walk->loop = outer;
  }
  for (guint i = 0; i < walk->n; i++)
    active[i] = left[i] ? left[i] : inside[i];
}

// Leaves an iteration, or the loop: those for whom the way here was known in this iteration.
static void
jump(Walk *walk, const Statement *statement, Term *active) {
  Term *into = !walk->loop                             ? NULL
               : statement->kind == STATEMENT_CONTINUE ? walk->loop->continued
                                                       : walk->loop->left;
  for (guint i = 0; i < walk->n; i++) {
    if (!active[i])
      continue;
    if (!into || walk->general || active[i] != walk->loop->entered[i]) {
      smb_walk_stop(walk, statement->start, "a loop is left under a condition that is not known");
      return;
    }
    into[i] = active[i];
    active[i] = 0;
  }
}

static void
leave_function(Walk *walk, const Statement *statement, Term *active) {
  if (statement->value)
    assign_local(walk, statement->variable, evaluate(walk, statement->value, active), active);
  for (guint i = 0; walk->entered && i < walk->n; i++) {
    if (walk->entered[i] != active[i])
      smb_walk_stop(walk, statement->start, "a function is left under a condition");
  }
  if (walk->loop)
    smb_walk_stop(walk, statement->start, "a loop is left");
  memset(active, 0, walk->n * sizeof(Term));
}

static void
execute(Walk *walk, const Statement *statement, Term *active) {
  if (!statement || walk->proof->stopped || !is_any(walk, active))
    return;
  switch (statement->kind) {
  case STATEMENT_EXPRESSION:
    evaluate(walk, statement->value, active);
    return;
  case STATEMENT_DECLARE:
    assign_local(walk, statement->variable, fresh_lanes(walk, statement->start), active);
    return;
  case STATEMENT_BLOCK:
    for (const Statement *child = statement->first; child; child = child->next)
      execute(walk, child, active);
    return;
  case STATEMENT_IF:
    execute_if(walk, statement, active);
    return;
  case STATEMENT_LOOP:
    execute_loop(walk, statement, active);
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
    smb_walk_stop(walk, statement->start, "a switch");
    return;
  }
}

void
smb_walk_run(Walk *walk) {
  guint n = walk->kernel->locals->len;
  const Function *entry = walk->kernel->entry;
  walk->locals = g_new0(Term *, n + 1);
  walk->assigned = g_new0(guint8, n + 1);
  Term *active = new_lanes(walk);
  for (guint i = 0; i < walk->n; i++)
    active[i] = 1;
  for (guint slot = 0; slot < n; slot++)
    walk->locals[slot] = fresh_lanes(walk, 0);
  for (guint p = 0; p < entry->n_parameters; p++) {
    const Variable *parameter = entry->parameters[p];
    gboolean is_pointer = parameter->type->kind == KIND_POINTER;
    const Atom atom = {is_pointer ? ATOM_MEMORY : ATOM_PARAMETER, p, {0}, parameter->start};
    if (parameter->storage != STORAGE_LOCAL)
      continue;
    for (guint i = 0; i < walk->n; i++)
      walk->locals[parameter->slot][i] = smb_term_atom(walk->terms, &atom);
  }
  execute(walk, entry->body, active);
}
