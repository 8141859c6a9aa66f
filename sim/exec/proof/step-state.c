// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What threads hold on their way: registers, predicates, and whether they are active.
#include "sim/exec/proof/step-walk.h"

enum {
  MAX_TERMS = 4000000,
  MAX_KEPT = 1 << 26, // a quarter of a gigabyte
  MAX_WORK = 1 << 22, // terms that are computed: seconds
};

// --- values of threads

static gpointer
keep_zeros(StepWalk *walk, gsize n_bytes) {
  gpointer memory = g_malloc0(n_bytes);
  g_ptr_array_add(walk->kept, memory);
  walk->n_kept += n_bytes / sizeof(Term);
  if (walk->prover->terms->sums->len > MAX_TERMS || walk->n_kept > MAX_KEPT)
    smb_prover_stop(walk->prover, 0, "it takes too much memory");
  if (walk->work > MAX_WORK)
    smb_prover_stop(walk->prover, 0, "it takes too long");
  return memory;
}

Term *
smb_step_walk_lanes(StepWalk *walk) {
  return keep_zeros(walk, walk->prover->n * sizeof(Term));
}

Term *
smb_step_walk_fresh(StepWalk *walk, guint32 place, gboolean is_alike) {
  Term *lanes = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = is_alike && i % walk->n_lanes ? lanes[i - 1] : smb_prover_fresh(walk->prover, place);
  return lanes;
}

static const Term *
constant_lanes(StepWalk *walk, Row row) {
  gpointer known = g_hash_table_lookup(walk->constants, GUINT_TO_POINTER(row));
  if (known)
    return known;
  const Constants *constants = walk->code->constants;
  Term *lanes = smb_step_walk_lanes(walk);
  gsize first = row_index(row) * constants->n_lanes;
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] =
        smb_term_constant(walk->prover->terms, g_array_index(constants->values, guint32,
                                                             first + i % constants->n_lanes));
  g_hash_table_insert(walk->constants, GUINT_TO_POINTER(row), lanes);
  return lanes;
}

const Term *
smb_step_walk_row(StepWalk *walk, WalkState *state, Row row) {
  if (row & ROW_CONSTANT)
    return constant_lanes(walk, row);
  if (!state->rows[row])
    state->rows[row] = smb_step_walk_fresh(walk, 0, FALSE);
  return state->rows[row];
}

const Term *
smb_step_walk_predicate(StepWalk *walk, WalkState *state, Predicate predicate) {
  if (!state->predicates[predicate])
    state->predicates[predicate] = smb_step_walk_fresh(walk, 0, FALSE);
  return state->predicates[predicate];
}

// Of conditions, which are 0 or 1: that it is not so.
static Term
negate(const StepWalk *walk, Term condition) {
  return smb_term_add(walk->prover->terms, 1, condition, G_MAXUINT32);
}

// Both; what is said of the opposite of a condition is said of that.
static Term
narrow_term(const StepWalk *walk, Term active, Term condition) {
  Terms *terms = walk->prover->terms;
  const Sum *sum = smb_term_sum(terms, condition);
  gboolean is_negated = sum->constant == 1 && sum->n == 1 && sum->parts[0].factor == G_MAXUINT32;
  return is_negated ? smb_term_when(terms, active, negate(walk, condition), TRUE)
                    : smb_term_when(terms, active, condition, FALSE);
}

// Whether the guard of a step is true.
const Term *
smb_step_walk_guard(StepWalk *walk, WalkState *state, const Step *step) {
  const Term *guard = smb_step_walk_predicate(walk, state, step->guard);
  if (!step->unless)
    return guard;
  Term *lanes = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = negate(walk, guard[i]);
  return lanes;
}

Term *
smb_step_walk_narrow(StepWalk *walk, const Term *active, const Term *condition, gboolean no) {
  Term *lanes = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = active[i]
                   ? narrow_term(walk, active[i], no ? negate(walk, condition[i]) : condition[i])
                   : 0;
  return lanes;
}

static gboolean
is_guarded(const Step *step) {
  return step->guard != PREDICATE_TRUE || step->unless;
}

const Term *
smb_step_walk_guarded(StepWalk *walk, WalkState *state, const Step *step) {
  return is_guarded(step) ? smb_step_walk_narrow(walk, state->active,
                                                 smb_step_walk_guard(walk, state, step), FALSE)
                          : state->active;
}

static const Term *
mix(StepWalk *walk, WalkState *state, const Step *step, const Term *value, const Term *old) {
  const Term *guard = smb_step_walk_guard(walk, state, step);
  Term *lanes = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = smb_step_walk_choose(walk, guard[i], value[i], old[i]);
  return lanes;
}

void
smb_step_walk_set_row(StepWalk *walk, WalkState *state, const Step *step, Row row,
                      const Term *value) {
  state->rows[row] =
      is_guarded(step) ? mix(walk, state, step, value, smb_step_walk_row(walk, state, row)) : value;
}

void
smb_step_walk_set_predicate(StepWalk *walk, WalkState *state, const Step *step, Predicate predicate,
                            const Term *value) {
  if (predicate != PREDICATE_TRUE)
    state->predicates[predicate] =
        is_guarded(step)
            ? mix(walk, state, step, value, smb_step_walk_predicate(walk, state, predicate))
            : value;
}

void
smb_step_walk_forget(StepWalk *walk, WalkState *state, const Step *step) {
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    for (guint r = 0; r < written->n; r++)
      smb_step_walk_set_row(walk, state, step, written->row + r,
                            smb_step_walk_fresh(walk, step->place, FALSE));
    if (written->n == 0)
      smb_step_walk_set_predicate(walk, state, step, written->predicate,
                                  smb_step_walk_fresh(walk, step->place, FALSE));
  }
}

gboolean
smb_step_walk_is_alike(const StepWalk *walk, guint warp, const Term *value, const Term *active) {
  guint first = warp * walk->n_lanes, known = G_MAXUINT;
  for (guint i = first; i < MIN(first + walk->n_lanes, walk->prover->n); i++) {
    if (!active[i])
      continue;
    if (known != G_MAXUINT && value[i] != value[known])
      return FALSE;
    known = i;
  }
  return TRUE;
}

// --- states

WalkState *
smb_step_walk_copy(StepWalk *walk, const WalkState *from, Term *active) {
  WalkState *state = keep_zeros(walk, sizeof *state);
  gsize n_rows = walk->code->n_rows, n_predicates = walk->code->n_predicates;
  state->active = active;
  state->rows = keep_zeros(walk, (n_rows + 1) * sizeof *state->rows);
  state->predicates = keep_zeros(walk, n_predicates * sizeof *state->predicates);
  if (from) {
    memcpy(state->rows, from->rows, n_rows * sizeof *state->rows);
    memcpy(state->predicates, from->predicates, n_predicates * sizeof *state->predicates);
  }
  return state;
}

WalkState *
smb_step_walk_divide(StepWalk *walk, WalkState *state, const Term *condition) {
  Term *held = smb_step_walk_narrow(walk, state->active, condition, FALSE);
  WalkState *taken = smb_step_walk_copy(walk, state, held);
  state->active = smb_step_walk_narrow(walk, state->active, condition, TRUE);
  return taken;
}

// What two conditions have in common that differ by one that is true in one and not in the other; 0: they do not.
static Term
find_whole_condition(const StepWalk *walk, Term a, Term b) {
  const Sum *x = smb_term_sum(walk->prover->terms, a), *y = smb_term_sum(walk->prover->terms, b);
  if (x->n != 1 || y->n != 1)
    return 0;
  const Atom *one = smb_terms_atom(walk->prover->terms, x->parts[0].atom);
  const Atom *other = smb_terms_atom(walk->prover->terms, y->parts[0].atom);
  gboolean are_opposite = one->kind == ATOM_UNKNOWN && other->kind == ATOM_UNKNOWN &&
                          ((one->key == KEY_AND && other->key == KEY_AND_NOT) ||
                           (one->key == KEY_AND_NOT && other->key == KEY_AND));
  return are_opposite && one->operand[0] == other->operand[0] &&
                 one->operand[1] == other->operand[1]
             ? one->operand[0]
             : 0;
}

// One of two conditions that exclude each other.
static Term
join_active_terms(const StepWalk *walk, Term a, Term b) {
  Terms *terms = walk->prover->terms;
  if (!a || !b || a == b)
    return a ? a : b;
  Term whole = find_whole_condition(walk, a, b);
  if (whole)
    return whole;
  const Term sides[2] = {a, b};
  for (guint side = 0; side < 2; side++) {
    const Sum *sum = smb_term_sum(terms, sides[side]);
    const Atom *atom = sum->n == 1 ? smb_terms_atom(terms, sum->parts[0].atom) : NULL;
    for (guint i = 0; atom && atom->kind == ATOM_UNKNOWN && atom->key == KEY_EITHER && i < 2; i++) {
      whole = find_whole_condition(walk, atom->operand[i], sides[1 - side]);
      if (whole)
        return join_active_terms(walk, whole, atom->operand[1 - i]);
    }
  }
  const Atom atom = {ATOM_UNKNOWN, KEY_EITHER, {MIN(a, b), MAX(a, b), 0}, 0};
  return smb_term_atom(terms, &atom);
}

static void
join_lanes(StepWalk *walk, const Term **into, const Term *other, const Term *active,
           const Term *other_active) {
  const Term *own = *into;
  if (own == other)
    return;
  if (!own || !other) { // nobody may use it
    *into = NULL;
    return;
  }
  Term *lanes = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = !other_active[i] ? own[i]
               : !active[i]     ? other[i]
                                : smb_step_walk_choose(walk, active[i], own[i], other[i]);
  walk->work += walk->prover->n;
  *into = lanes;
}

// Threads that come from two sides, each from one of them. @first: (nullable)
WalkState *
smb_step_walk_join(StepWalk *walk, const WalkState *first, WalkState *b) {
  if (!first)
    return b;
  WalkState *a = smb_step_walk_copy(walk, first, first->active);
  for (guint r = 0; r < walk->code->n_rows; r++)
    join_lanes(walk, &a->rows[r], b->rows[r], a->active, b->active);
  for (guint p = 0; p < walk->code->n_predicates; p++)
    join_lanes(walk, &a->predicates[p], b->predicates[p], a->active, b->active);
  Term *active = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    active[i] = join_active_terms(walk, a->active[i], b->active[i]);
  a->active = active;
  return a;
}
