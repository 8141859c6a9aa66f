// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/proof/step-walk.h"

enum {
  MAX_DEPTH = 16, // of calls
};

// --- steps

static WalkState *walk_function(StepWalk *walk, guint32 entry, WalkState *state);

// Whether the lanes of a branch go together, or are divided: then each warp does as a whole, whichever.
static const Term *
branch_lanes(StepWalk *walk, WalkState *state, const Step *step) {
  const Term *guard = smb_step_walk_guard(walk, state, step);
  guint n = walk->prover->n;
  gboolean divided = step->opcode == STEP_BRANCH_DIVIDED;
  if (step->opcode != STEP_BRANCH_ANY && step->opcode != STEP_BRANCH_ALL && !divided)
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
walk_called(StepWalk *walk, WalkState **state, const Step *step) {
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
    walk_called(walk, state, step);
    return;
  default:
    break;
  }
  if (step->kind == KIND_TRANSFER) {
    smb_step_walk_ask(walk, *state, step);
    return;
  }
  smb_step_walk_forget(walk, *state, step);
}

// --- flow

static gboolean
is_in_loop(const Flow *flow, guint block, guint loop) {
  guint at = flow_block(flow, block)->loop;
  while (at != NO_LOOP && at != loop)
    at = flow->outer[at];
  return loop == NO_LOOP || at == loop;
}

void
smb_step_walk_go(StepWalk *walk, const Walking *walking, guint block, WalkState *state) {
  WalkPart *part = walking->part;
  if (!smb_prover_has_any(walk->prover, state->active))
    return;
  if (block == part->loop) {
    part->back = smb_step_walk_join(walk, part->back, state);
    return;
  }
  if (is_in_loop(part->flow, block, part->loop)) {
    walking->pending[block] = smb_step_walk_join(walk, walking->pending[block], state);
    return;
  }
  for (guint i = 0; i < part->exits->len; i++) {
    WalkExit *exit = &g_array_index(part->exits, WalkExit, i);
    if (exit->to == block) {
      exit->state = smb_step_walk_join(walk, exit->state, state);
      return;
    }
  }
  const WalkExit exit = {block, state};
  g_array_append_val(part->exits, exit);
}

static guint
flow_block_at(const Flow *flow, guint32 step) {
  return GPOINTER_TO_UINT(g_hash_table_lookup(flow->block_of, GUINT_TO_POINTER(step))) - 1;
}

// Takes a state through a block, and to what follows it.
static void
walk_block(StepWalk *walk, const Walking *walking, guint number, WalkState *state) {
  const Flow *flow = walking->part->flow;
  const FlowBlock *block = flow_block(flow, number);
  for (guint32 at = block->first; at < block->end && !walk->prover->proof->stopped; at++) {
    const Step *step = &g_array_index(walk->code->steps, Step, at);
    WalkState *taken;
    gboolean ends = FALSE;
    switch ((guint)step->opcode) {
    case STEP_BRANCH:
    case STEP_BRANCH_ANY:
    case STEP_BRANCH_ALL:
    case STEP_BRANCH_AROUND:
    case STEP_BRANCH_DIVIDED:
      taken = smb_step_walk_divide(walk, state, branch_lanes(walk, state, step));
      smb_step_walk_go(walk, walking, flow_block_at(flow, step->target), taken);
      break;
    case STEP_EXIT:
    case STEP_TRAP:
    case STEP_END:
      ends = TRUE;
      G_GNUC_FALLTHROUGH;
    case STEP_RETURN:
    case STEP_RETURN_TO:
      taken = smb_step_walk_divide(walk, state, smb_step_walk_guard(walk, state, step));
      if (ends || walk->depth == 0)
        walk->ended = walk->ended || smb_prover_has_any(walk->prover, taken->active);
      else if (smb_prover_has_any(walk->prover, taken->active))
        walking->part->returned = smb_step_walk_join(walk, walking->part->returned, taken);
      break;
    default:
      walk_step(walk, &state, step);
    }
  }
  if (!walk->prover->proof->stopped && smb_prover_has_any(walk->prover, state->active))
    smb_step_walk_go(walk, walking, flow_block_at(flow, block->end), state);
}

void
smb_step_walk_part(StepWalk *walk, WalkPart *part, guint first, WalkState *state) {
  guint n = part->flow->blocks->len;
  g_autofree WalkState **pending = g_new0(WalkState *, n);
  const Walking walking = {part, pending};
  pending[first] = state;
  for (guint b = first; b < n && !walk->prover->proof->stopped; b++) {
    WalkState *here = g_steal_pointer(&pending[b]);
    if (!here)
      continue;
    if (flow_block(part->flow, b)->loop == b && b != part->loop)
      smb_step_walk_loop(walk, &walking, b, here);
    else
      walk_block(walk, &walking, b, here);
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
  smb_step_walk_part(walk, &part, 0, state);
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
  WalkState *state = smb_step_walk_copy(&walk, NULL, active);
  state->predicates[PREDICATE_TRUE] = active;
  smb_step_walk_start(&walk, state);
  walk_function(&walk, 0, state);
}
