// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/proof/step-walk.h"

#include "sim/arch/arch.h"
#include "sim/exec/build.h"

enum {
  MAX_DEPTH = 16,       // of calls
  MAX_ITERATIONS = 256, // of a loop, before it is taken in general
  MAX_ROUNDS = 16,      // until it is known what a loop changes
  MAX_TERMS = 4000000,
  MAX_KEPT = 1 << 26, // a quarter of a gigabyte
  MAX_WORK = 1 << 22, // terms that are computed: seconds
};

/** WalkExit: @state: of threads that leave a part of a function for the block @to */
typedef struct {
  guint to;
  WalkState *state;
} WalkExit;

/** WalkPart: of a function, or an iteration of a loop: what is left of it. @back: (nullable): who goes back to its header */
typedef struct {
  const Flow *flow;
  guint loop; // NO_LOOP: the whole
  WalkState *back;
  WalkState *returned; // (nullable)
  GArray *exits;       // WalkExit
} WalkPart;

// --- values of threads

static gpointer
keep(StepWalk *walk, gsize n_bytes) {
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
  return keep(walk, walk->prover->n * sizeof(Term));
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
static const Term *
guard_lanes(StepWalk *walk, WalkState *state, const Step *step) {
  const Term *guard = smb_step_walk_predicate(walk, state, step->guard);
  if (!step->unless)
    return guard;
  Term *lanes = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    lanes[i] = negate(walk, guard[i]);
  return lanes;
}

static Term *
narrow_lanes(StepWalk *walk, const Term *active, const Term *condition, gboolean no) {
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
  return is_guarded(step) ? narrow_lanes(walk, state->active, guard_lanes(walk, state, step), FALSE)
                          : state->active;
}

static const Term *
mix(StepWalk *walk, WalkState *state, const Step *step, const Term *value, const Term *old) {
  const Term *guard = guard_lanes(walk, state, step);
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

static gboolean
is_any_active(const StepWalk *walk, const Term *active) {
  for (guint i = 0; i < walk->prover->n; i++) {
    if (active[i])
      return TRUE;
  }
  return FALSE;
}

static WalkState *
copy_state(StepWalk *walk, const WalkState *from, Term *active) {
  WalkState *state = keep(walk, sizeof *state);
  gsize n_rows = walk->code->n_rows, n_predicates = walk->code->n_predicates;
  state->active = active;
  state->rows = keep(walk, (n_rows + 1) * sizeof *state->rows);
  state->predicates = keep(walk, n_predicates * sizeof *state->predicates);
  if (from) {
    memcpy(state->rows, from->rows, n_rows * sizeof *state->rows);
    memcpy(state->predicates, from->predicates, n_predicates * sizeof *state->predicates);
  }
  return state;
}

// What two conditions have in common that differ by one that is true in one and not in the other; 0: they do not.
static Term
find_whole(const StepWalk *walk, Term a, Term b) {
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
join_conditions(const StepWalk *walk, Term a, Term b) {
  Terms *terms = walk->prover->terms;
  if (!a || !b || a == b)
    return a ? a : b;
  Term whole = find_whole(walk, a, b);
  if (whole)
    return whole;
  const Term sides[2] = {a, b};
  for (guint side = 0; side < 2; side++) {
    const Sum *sum = smb_term_sum(terms, sides[side]);
    const Atom *atom = sum->n == 1 ? smb_terms_atom(terms, sum->parts[0].atom) : NULL;
    for (guint i = 0; atom && atom->kind == ATOM_UNKNOWN && atom->key == KEY_EITHER && i < 2; i++) {
      whole = find_whole(walk, atom->operand[i], sides[1 - side]);
      if (whole)
        return join_conditions(walk, whole, atom->operand[1 - i]);
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
static WalkState *
join_states(StepWalk *walk, const WalkState *first, WalkState *b) {
  if (!first)
    return b;
  WalkState *a = copy_state(walk, first, first->active);
  for (guint r = 0; r < walk->code->n_rows; r++)
    join_lanes(walk, &a->rows[r], b->rows[r], a->active, b->active);
  for (guint p = 0; p < walk->code->n_predicates; p++)
    join_lanes(walk, &a->predicates[p], b->predicates[p], a->active, b->active);
  Term *active = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++)
    active[i] = join_conditions(walk, a->active[i], b->active[i]);
  a->active = active;
  return a;
}

// --- steps

static WalkState *walk_function(StepWalk *walk, guint32 entry, WalkState *state);

// Whether the lanes of a branch go together, or are divided: then each warp does as a whole, whichever.
static const Term *
branch_lanes(StepWalk *walk, WalkState *state, const Step *step) {
  const Term *guard = guard_lanes(walk, state, step);
  guint n = walk->prover->n;
  gboolean divided = step->opcode == STEP_BRANCH_DIVIDED;
  if (step->opcode != STEP_BRANCH_ANY && !divided)
    return guard;
  const Term *unknown = smb_step_walk_fresh(walk, step->place, TRUE);
  Term *lanes = smb_step_walk_lanes(walk);
  for (guint i = 0; i < n; i++) {
    guint warp = i / walk->n_lanes, first = warp * walk->n_lanes;
    gboolean alike = smb_step_walk_is_alike(walk, warp, guard, state->active);
    gboolean whole = first + walk->n_lanes <= n;
    for (guint k = first; k < MIN(first + walk->n_lanes, n); k++)
      whole = whole && state->active[k] && state->active[k] == state->active[first];
    if (divided)
      lanes[i] = whole ? (Term)(step->argument != BRANCH_IF_DIVIDED) : unknown[i];
    else
      lanes[i] = alike ? guard[i] : unknown[i];
  }
  return lanes;
}

static void
walk_call(StepWalk *walk, WalkState **state, const Step *step) {
  if (walk->depth == MAX_DEPTH) {
    smb_prover_stop(walk->prover, step->place, "a function calls itself");
    return;
  }
  WalkState *returned = walk_function(walk, step->target, *state);
  if (returned)
    *state = returned;
  else
    (*state)->active = smb_step_walk_lanes(walk);
}

// One that is no branch.
static void
walk_step(StepWalk *walk, WalkState **state, const Step *step) {
  switch ((guint)step->opcode) {
  case STEP_COMPUTE:
  case STEP_EXCHANGE:
    smb_step_walk_compute(walk, *state, step);
    return;
  case STEP_CALL:
  case STEP_CALL_CODE:
    walk_call(walk, state, step);
    return;
  default:
    break;
  }
  if (step->kind == KIND_TRANSFER) {
    smb_step_walk_ask(walk, *state, step);
    return;
  }
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    for (guint r = 0; r < written->n; r++)
      smb_step_walk_set_row(walk, *state, step, written->row + r,
                            smb_step_walk_fresh(walk, step->place, FALSE));
    if (written->n == 0)
      smb_step_walk_set_predicate(walk, *state, step, written->predicate,
                                  smb_step_walk_fresh(walk, step->place, FALSE));
  }
}

// --- flow

typedef struct {
  WalkPart *part;
  WalkState **pending; // by block
} Walking;

static gboolean
is_in_loop(const Flow *flow, guint block, guint loop) {
  guint at = flow_block(flow, block)->loop;
  while (at != NO_LOOP && at != loop)
    at = flow->outer[at];
  return loop == NO_LOOP || at == loop;
}

static void
go_to(StepWalk *walk, const Walking *walking, guint block, WalkState *state) {
  WalkPart *part = walking->part;
  if (!is_any_active(walk, state->active))
    return;
  if (block == part->loop) {
    part->back = join_states(walk, part->back, state);
    return;
  }
  if (is_in_loop(part->flow, block, part->loop)) {
    walking->pending[block] = join_states(walk, walking->pending[block], state);
    return;
  }
  for (guint i = 0; i < part->exits->len; i++) {
    WalkExit *exit = &g_array_index(part->exits, WalkExit, i);
    if (exit->to == block) {
      exit->state = join_states(walk, exit->state, state);
      return;
    }
  }
  const WalkExit exit = {block, state};
  g_array_append_val(part->exits, exit);
}

static guint
block_at(const Flow *flow, guint32 step) {
  return GPOINTER_TO_UINT(g_hash_table_lookup(flow->block_of, GUINT_TO_POINTER(step))) - 1;
}

// Takes a state through a block, and to what follows it.
static void
walk_block(StepWalk *walk, const Walking *walking, guint number, WalkState *state) {
  const Flow *flow = walking->part->flow;
  const FlowBlock *block = flow_block(flow, number);
  for (guint32 at = block->first; at < block->end && !walk->prover->proof->stopped; at++) {
    const Step *step = &g_array_index(walk->code->steps, Step, at);
    const Term *condition;
    WalkState *taken;
    gboolean ends = FALSE;
    switch ((guint)step->opcode) {
    case STEP_BRANCH:
    case STEP_BRANCH_ANY:
    case STEP_BRANCH_AROUND:
    case STEP_BRANCH_DIVIDED:
      condition = branch_lanes(walk, state, step);
      taken = copy_state(walk, state, narrow_lanes(walk, state->active, condition, FALSE));
      state->active = narrow_lanes(walk, state->active, condition, TRUE);
      go_to(walk, walking, block_at(flow, step->target), taken);
      break;
    case STEP_EXIT:
    case STEP_TRAP:
    case STEP_END:
      ends = TRUE;
      G_GNUC_FALLTHROUGH;
    case STEP_RETURN:
    case STEP_RETURN_TO:
      condition = guard_lanes(walk, state, step);
      taken = copy_state(walk, state, narrow_lanes(walk, state->active, condition, FALSE));
      state->active = narrow_lanes(walk, state->active, condition, TRUE);
      if (ends || walk->depth == 0)
        walk->ended = walk->ended || is_any_active(walk, taken->active);
      else if (is_any_active(walk, taken->active))
        walking->part->returned = join_states(walk, walking->part->returned, taken);
      break;
    default:
      walk_step(walk, &state, step);
    }
  }
  if (!walk->prover->proof->stopped && is_any_active(walk, state->active))
    go_to(walk, walking, block_at(flow, block->end), state);
}

static void walk_loop(StepWalk *walk, const Walking *walking, guint header, WalkState *state);

static void
walk_part(StepWalk *walk, WalkPart *part, guint first, WalkState *state) {
  guint n = part->flow->blocks->len;
  g_autofree WalkState **pending = g_new0(WalkState *, n);
  const Walking walking = {part, pending};
  pending[first] = state;
  for (guint b = first; b < n && !walk->prover->proof->stopped; b++) {
    WalkState *here = g_steal_pointer(&pending[b]);
    if (!here)
      continue;
    if (flow_block(part->flow, b)->loop == b && b != part->loop)
      walk_loop(walk, &walking, b, here);
    else
      walk_block(walk, &walking, b, here);
  }
}

// --- loops

// What a loop does to rows and predicates: whether it changes them, by how much in each iteration, whether it is the same for
// the lanes of a warp.
typedef struct {
  guint n;
  guint8 *changed;
  Term **steps;
  guint8 *alike;
} LoopChange;

static const Term **
state_lanes(const StepWalk *walk, const WalkState *state, guint which) {
  return which < walk->code->n_rows ? &state->rows[which]
                                    : &state->predicates[which - walk->code->n_rows];
}

// @counter: iterations before this one, of each thread; @together: (nullable): of which warps rows may be alike; all
static WalkState *
set_loop_heads(StepWalk *walk, const WalkState *start, const LoopChange *change,
               const Term *counter, const guint8 *together, Term *active) {
  WalkState *heads = copy_state(walk, start, active);
  for (guint which = 0; which < change->n; which++) {
    const Term **head = state_lanes(walk, heads, which), *first = *head;
    if (!change->changed[which])
      continue;
    const Term *alike = smb_step_walk_fresh(walk, 0, TRUE);
    Term *lanes = smb_step_walk_lanes(walk);
    for (guint i = 0; i < walk->prover->n; i++) {
      if (first && change->steps[which])
        lanes[i] = smb_term_add(
            walk->prover->terms, first[i],
            smb_term_mul(walk->prover->terms, change->steps[which][i], counter[i], 0), 1);
      else
        lanes[i] = change->alike[which] && (!together || together[i / walk->n_lanes])
                       ? alike[i]
                       : smb_prover_fresh(walk->prover, 0);
    }
    *head = lanes;
  }
  return heads;
}

// An iteration of a loop.
static WalkPart
iterate_loop(StepWalk *walk, const Walking *walking, guint header, WalkState *heads) {
  WalkPart part = {walking->part->flow, header, NULL, NULL,
                   g_array_new(FALSE, FALSE, sizeof(WalkExit))};
  walk_part(walk, &part, header, heads);
  if (part.returned)
    walking->part->returned = join_states(walk, walking->part->returned, part.returned);
  return part;
}

// Threads that are in a loop, under conditions of their own, or of their warps.
static Term *
enter_loop(StepWalk *walk, const Term *active) {
  Term *inside = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++) {
    guint first = i / walk->n_lanes * walk->n_lanes, before = i;
    gboolean alike = smb_step_walk_is_alike(walk, i / walk->n_lanes, active, active);
    while (before > first && !inside[before - 1])
      before--;
    if (active[i])
      inside[i] = alike && before > first ? inside[before - 1] : smb_prover_fresh(walk->prover, 0);
  }
  return inside;
}

// Which rows differ behind an iteration. Returns: whether more of them do than was known
static gboolean
note_changes(const StepWalk *walk, const WalkState *heads, const WalkState *back,
             const Term *active, LoopChange *change) {
  gboolean is_new = FALSE;
  for (guint which = 0; back && which < change->n; which++) {
    const Term *was = *state_lanes(walk, heads, which), *is = *state_lanes(walk, back, which);
    gboolean differs = was != is && (!was || !is);
    for (guint i = 0; was && is && !differs && was != is && i < walk->prover->n; i++)
      differs = active[i] && back->active[i] && was[i] != is[i];
    is_new = is_new || (differs && !change->changed[which]);
    change->changed[which] |= (guint8)differs;
  }
  return is_new;
}

// Which rows change by the same in each iteration, whatever the others are: by sums that have atoms from before the loop only.
static void
note_steps(StepWalk *walk, const WalkState *heads, const WalkState *back, const Term *active,
           LoopChange *change, guint n_atoms) {
  for (guint which = 0; back && which < walk->code->n_rows; which++) {
    const Term *was = *state_lanes(walk, heads, which), *is = *state_lanes(walk, back, which);
    gboolean is_step = change->changed[which] && was && is;
    Term *steps = is_step ? smb_step_walk_lanes(walk) : NULL;
    for (guint i = 0; is_step && i < walk->prover->n; i++) {
      if (!active[i] || !back->active[i])
        continue;
      steps[i] = smb_term_add(walk->prover->terms, is[i], was[i], G_MAXUINT32);
      const Sum *sum = smb_term_sum(walk->prover->terms, steps[i]);
      is_step = sum->n == 0 || sum->parts[sum->n - 1].atom < n_atoms;
    }
    change->steps[which] = is_step ? steps : NULL;
  }
}

static gboolean
is_alike_everywhere(const StepWalk *walk, const Term *value, const Term *active) {
  for (guint warp = 0; value && warp * walk->n_lanes < walk->prover->n; warp++) {
    if (!smb_step_walk_is_alike(walk, warp, value, active))
      return FALSE;
  }
  return value != NULL;
}

// Finds out what a loop does. FALSE: not in a number of rounds
static gboolean
study_loop(StepWalk *walk, const Walking *walking, guint header, const WalkState *start,
           LoopChange *change, const Term *counter) {
  guint n_atoms = walk->prover->terms->atoms->len;
  gboolean is_new = TRUE, loses = TRUE;
  WalkState *heads = NULL;
  WalkPart part = {NULL, NO_LOOP, NULL, NULL, NULL};
  for (guint round = 0; is_new && round < MAX_ROUNDS; round++) {
    heads = set_loop_heads(walk, start, change, counter, NULL, enter_loop(walk, start->active));
    g_clear_pointer(&part.exits, g_array_unref);
    part = iterate_loop(walk, walking, header, copy_state(walk, heads, heads->active));
    is_new = note_changes(walk, heads, part.back, start->active, change);
  }
  note_steps(walk, heads, part.back, start->active, change, n_atoms);
  g_clear_pointer(&part.exits, g_array_unref);
  for (guint which = 0; which < change->n; which++)
    change->alike[which] =
        change->changed[which] && !change->steps[which] &&
        is_alike_everywhere(walk, *state_lanes(walk, start, which), start->active);
  while (!is_new && loses && !walk->prover->proof->stopped) {
    loses = FALSE;
    heads = set_loop_heads(walk, start, change, counter, NULL, enter_loop(walk, start->active));
    part = iterate_loop(walk, walking, header, heads);
    g_clear_pointer(&part.exits, g_array_unref);
    for (guint which = 0; part.back && which < change->n; which++) {
      const Term *is = *state_lanes(walk, part.back, which);
      if (change->alike[which] && !is_alike_everywhere(walk, is, part.back->active)) {
        change->alike[which] = FALSE;
        loses = TRUE;
      }
    }
  }
  return !is_new;
}

// By warps: whether its lanes leave a loop together.
static gboolean
leaves_together(const StepWalk *walk, const WalkPart *part, guint warp, const Term *start) {
  gboolean together = smb_step_walk_is_alike(walk, warp, start, start);
  for (guint i = 0; i < part->exits->len; i++)
    together = together &&
               smb_step_walk_is_alike(walk, warp,
                                      g_array_index(part->exits, WalkExit, i).state->active, start);
  return together;
}

// Threads go on behind a loop, each by one of its exits; if none can end inside, all of them by the last one that is left.
static void
leave_loop(StepWalk *walk, const Walking *walking, const WalkPart *part, const Term *active,
           const guint8 *together, gboolean all_leave) {
  guint n = walk->prover->n;
  const Term *rest = active;
  for (guint e = 0; e < part->exits->len; e++) {
    const WalkExit *exit = &g_array_index(part->exits, WalkExit, e);
    gboolean is_last = e + 1 == part->exits->len && all_leave;
    const Term *alike = smb_step_walk_fresh(walk, 0, TRUE),
               *apart = smb_step_walk_fresh(walk, 0, FALSE);
    Term *condition = smb_step_walk_lanes(walk);
    for (guint i = 0; i < n; i++)
      condition[i] = !exit->state->active[i]       ? 0
                     : is_last                     ? 1
                     : together[i / walk->n_lanes] ? alike[i]
                                                   : apart[i];
    WalkState *state = copy_state(walk, exit->state, narrow_lanes(walk, rest, condition, FALSE));
    rest = narrow_lanes(walk, rest, condition, TRUE);
    go_to(walk, walking, exit->to, state);
  }
}

// How many iterations each thread has behind it: of a warp the same for all lanes, or for each its own.
static const Term *
count_iterations(StepWalk *walk, guint32 place, const guint8 *together) {
  Term *lanes = smb_step_walk_lanes(walk);
  for (guint i = 0; i < walk->prover->n; i++) {
    const Atom atom = {ATOM_COUNTER, ++walk->prover->n_fresh, {0}, place};
    gboolean is_same = !together || together[i / walk->n_lanes];
    lanes[i] =
        is_same && i % walk->n_lanes ? lanes[i - 1] : smb_term_atom(walk->prover->terms, &atom);
  }
  return lanes;
}

// A loop of which it is not known who leaves it when.
static void
generalize_loop(StepWalk *walk, const Walking *walking, guint header, WalkState *start) {
  guint n = walk->code->n_rows + walk->code->n_predicates;
  g_autofree guint8 *changed = g_new0(guint8, n), *alike = g_new0(guint8, n);
  g_autofree Term **steps = g_new0(Term *, n);
  LoopChange change = {n, changed, steps, alike};
  guint32 place =
      g_array_index(walk->code->steps, Step, flow_block(walking->part->flow, header)->first).place;
  WalkState *returned = walking->part->returned;
  const Term *counter = count_iterations(walk, place, NULL);
  gboolean ended = walk->ended;
  walk->quiet++;
  gboolean is_studied = study_loop(walk, walking, header, start, &change, counter);
  walk->quiet--;
  walking->part->returned = returned;
  if (!is_studied) {
    smb_prover_stop(walk->prover, place, "it is not known what a loop changes");
    return;
  }
  walk->ended = FALSE;
  WalkPart part = iterate_loop(
      walk, walking, header,
      set_loop_heads(walk, start, &change, counter, NULL, enter_loop(walk, start->active)));
  gboolean all_leave = !walk->ended && walking->part->returned == returned;
  guint n_warps = (walk->prover->n + walk->n_lanes - 1) / walk->n_lanes;
  g_autofree guint8 *together = g_new0(guint8, n_warps);
  gboolean is_together = TRUE;
  for (guint warp = 0; warp < n_warps; warp++) {
    together[warp] = (guint8)leaves_together(walk, &part, warp, start->active);
    is_together = is_together && together[warp];
  }
  if (!is_together) { // once more: each lane has its own number of iterations when it leaves
    g_array_unref(part.exits);
    WalkState *heads = set_loop_heads(walk, start, &change, count_iterations(walk, place, together),
                                      together, enter_loop(walk, start->active));
    walk->quiet++;
    walking->part->returned = returned;
    part = iterate_loop(walk, walking, header, heads);
    walk->quiet--;
  }
  walk->ended = walk->ended || ended;
  leave_loop(walk, walking, &part, start->active, together, all_leave);
  g_array_unref(part.exits);
}

// Whether it is known of each thread where it goes from an iteration.
static gboolean
is_iteration_known(const StepWalk *walk, const WalkPart *part, const Term *active) {
  for (guint i = 0; i < walk->prover->n; i++) {
    gboolean known = !part->back || !part->back->active[i] || part->back->active[i] == active[i];
    for (guint e = 0; e < part->exits->len; e++) {
      Term exit = g_array_index(part->exits, WalkExit, e).state->active[i];
      known = known && (!exit || exit == active[i]);
    }
    if (!known)
      return FALSE;
  }
  return TRUE;
}

static void
walk_loop(StepWalk *walk, const Walking *walking, guint header, WalkState *state) {
  for (guint round = 0; state && !walk->prover->proof->stopped; round++) {
    if (round == MAX_ITERATIONS) {
      generalize_loop(walk, walking, header, state);
      return;
    }
    WalkState *returned = walking->part->returned;
    const Term *active = state->active;
    gboolean ended = walk->ended;
    walk->ended = FALSE;
    WalkPart part = iterate_loop(walk, walking, header, copy_state(walk, state, state->active));
    gboolean is_known = is_iteration_known(walk, &part, active) &&
                        walking->part->returned == returned && !walk->prover->proof->stopped;
    walk->ended = walk->ended || ended;
    for (guint e = 0; is_known && e < part.exits->len; e++)
      go_to(walk, walking, g_array_index(part.exits, WalkExit, e).to,
            g_array_index(part.exits, WalkExit, e).state);
    g_array_unref(part.exits);
    if (!is_known) {
      walking->part->returned = returned;
      generalize_loop(walk, walking, header, state);
      return;
    }
    state = part.back;
  }
}

// --- functions

static const Flow *
find_flow(StepWalk *walk, guint32 entry) {
  Flow *flow = g_hash_table_lookup(walk->flows, GUINT_TO_POINTER(entry));
  if (!flow) {
    flow = smb_flow_new(walk->code, entry);
    g_hash_table_insert(walk->flows, GUINT_TO_POINTER(entry), flow);
  }
  return flow;
}

// Returns: (nullable): who returns
static WalkState *
walk_function(StepWalk *walk, guint32 entry, WalkState *state) {
  const Flow *flow = find_flow(walk, entry);
  g_autoptr(GArray) exits = g_array_new(FALSE, FALSE, sizeof(WalkExit));
  WalkPart part = {flow, NO_LOOP, NULL, NULL, exits};
  if (flow->failure) {
    const Step *step = &g_array_index(walk->code->steps, Step, flow->failed_step);
    smb_prover_stop(walk->prover, step->place, flow->failure);
    return NULL;
  }
  walk->depth++;
  walk_part(walk, &part, 0, state);
  walk->depth--;
  return part.returned;
}

void
smb_exec_prove(SmbProver *prover) {
  const Code *code = (const Code *)prover->program;
  g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) bits = g_array_new(FALSE, TRUE, sizeof(KnownBits));
  g_autoptr(GHashTable) constants = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) flows =
      g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)smb_flow_free);
  g_autoptr(Registers) scratch =
      smb_registers_new(code->constants, code->n_rows, code->n_predicates, NULL);
  StepWalk walk = {.prover = prover,
                   .code = code,
                   .n_lanes = code->constants->n_lanes,
                   .scratch = scratch,
                   .bits = bits,
                   .kept = kept,
                   .constants = constants,
                   .flows = flows};
  Term *active = smb_step_walk_lanes(&walk);
  for (guint i = 0; i < prover->n; i++)
    active[i] = 1;
  smb_registers_reset(scratch, smb_lanes_below(walk.n_lanes));
  WalkState *state = copy_state(&walk, NULL, active);
  state->predicates[PREDICATE_TRUE] = active;
  smb_step_walk_start(&walk, state);
  walk_function(&walk, 0, state);
}
