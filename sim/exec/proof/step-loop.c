// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loops: executed while it is known who leaves them, and then in general: a register that each iteration changes by the same is its first value plus
// that times the number of the iteration, and any other one that it changes is not known.
#include "sim/exec/proof/step-walk.h"

enum {
  MAX_ITERATIONS = 256, // before a loop is taken in general
  MAX_ROUNDS = 16,      // until it is known what it changes
};

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
  WalkState *heads = smb_step_walk_copy(walk, start, active);
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
  smb_step_walk_part(walk, &part, header, heads);
  if (part.returned)
    walking->part->returned = smb_step_walk_join(walk, walking->part->returned, part.returned);
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
    part = iterate_loop(walk, walking, header, smb_step_walk_copy(walk, heads, heads->active));
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
    WalkState *state =
        smb_step_walk_copy(walk, exit->state, smb_step_walk_narrow(walk, rest, condition, FALSE));
    rest = smb_step_walk_narrow(walk, rest, condition, TRUE);
    smb_step_walk_go(walk, walking, exit->to, state);
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

void
smb_step_walk_loop(StepWalk *walk, const Walking *walking, guint header, WalkState *state) {
  for (guint round = 0; state && !walk->prover->proof->stopped; round++) {
    if (round == MAX_ITERATIONS) {
      generalize_loop(walk, walking, header, state);
      return;
    }
    WalkState *returned = walking->part->returned;
    const Term *active = state->active;
    gboolean ended = walk->ended;
    walk->ended = FALSE;
    WalkPart part =
        iterate_loop(walk, walking, header, smb_step_walk_copy(walk, state, state->active));
    gboolean is_known = is_iteration_known(walk, &part, active) &&
                        walking->part->returned == returned && !walk->prover->proof->stopped;
    walk->ended = walk->ended || ended;
    for (guint e = 0; is_known && e < part.exits->len; e++)
      smb_step_walk_go(walk, walking, g_array_index(part.exits, WalkExit, e).to,
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
