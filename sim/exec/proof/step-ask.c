// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel starts with, what its threads ask for, and what they load. Memory is not modelled: what is loaded is not known, but for
// parameters. Threads that load from one address of shared memory together get the same.
#include "sim/arch/rule.h"
#include "sim/exec/proof/step-walk.h"
#include "sim/machine/machine.h"

// Keys of unknown values of this file.
#define KEY_SPECIAL  ((guint64)1 << 61)
#define KEY_WORD     ((guint64)1 << 60) // of the parameters
#define KEY_CONSTANT ((guint64)1 << 59)

// --- what it starts with

static Term
name_unknown(const StepWalk *walk, guint64 key) {
  const Atom atom = {ATOM_UNKNOWN, key, {0}, 0};
  return smb_term_atom(walk->prover->terms, &atom);
}

// The word of the parameters at an offset.
static Term
parameter_term(const StepWalk *walk, gsize offset) {
  const SmbProver *prover = walk->prover;
  for (guint p = 0; p < walk->code->places->len; p++) {
    const ParameterPlace *place = &g_array_index(walk->code->places, ParameterPlace, p);
    if (place->offset != offset || place->bytes < 4 || place->bytes > 8)
      continue;
    gboolean is_pointer = smb_launch_is_pointer(prover->launch, prover->program, p);
    const Atom atom = {is_pointer ? ATOM_MEMORY : ATOM_PARAMETER, p, {0}, 0};
    return smb_term_atom(prover->terms, &atom);
  }
  return name_unknown(walk, KEY_WORD | offset);
}

static Term
preset_term(const StepWalk *walk, const Preset *preset, guint thread) {
  Terms *terms = walk->prover->terms;
  const guint *block = walk->prover->block;
  const guint at[3] = {thread % block[0], thread / block[0] % block[1],
                       thread / block[0] / block[1]};
  Special special = preset->special;
  if (special < SPECIAL_NTID)
    return smb_term_constant(terms, at[special]);
  if (special < SPECIAL_CTAID)
    return smb_term_constant(terms, block[special - SPECIAL_NTID]);
  if (special < SPECIAL_CLUSTERID) {
    gboolean is_grid = special >= SPECIAL_NCTAID;
    const Atom atom = {is_grid ? ATOM_GRID : ATOM_BLOCK,
                       special - (is_grid ? SPECIAL_NCTAID : SPECIAL_CTAID),
                       {0},
                       0};
    return smb_term_atom(terms, &atom);
  }
  switch ((guint)special) {
  case SPECIAL_LANE:
    return smb_term_constant(terms, thread % walk->n_lanes);
  case SPECIAL_WARP:
    return smb_term_constant(terms, thread / walk->n_lanes);
  case SPECIAL_OWN_SHARED: // the rank of the block is above all that decides a bank
  case SPECIAL_NUMBER:
    return smb_term_constant(terms, preset->argument);
  case SPECIAL_PARAMETER:
    return parameter_term(walk, preset->argument);
  default:
    return name_unknown(walk, KEY_SPECIAL | (guint64)special << 32 | preset->argument);
  }
}

void
smb_step_walk_start(StepWalk *walk, WalkState *state) {
  for (guint i = 0; i < walk->code->presets->len; i++) {
    const Preset *preset = &g_array_index(walk->code->presets, Preset, i);
    Term *lanes = smb_step_walk_lanes(walk);
    for (guint thread = 0; thread < walk->prover->n; thread++)
      lanes[thread] = preset_term(walk, preset, thread);
    state->rows[preset->row] = lanes;
  }
}

// --- where it goes

typedef struct {
  const Term *low, *high;
  guint32 offset;   // is added
  guint64 pointers; // the same where there is no base
} Address;

typedef enum {
  PLACE_SHARED,
  PLACE_OTHER,
  PLACE_UNKNOWN,
} AskedPlace;

static Address
find_asked_address(StepWalk *walk, WalkState *state, const Transfer *transfer) {
  Address address = {NULL, NULL, (guint32)transfer->offset, transfer->offset};
  if (transfer->address_rows > 0)
    address.low = smb_step_walk_row(walk, state, transfer->address);
  if (transfer->address_rows > 1)
    address.high = smb_step_walk_row(walk, state, transfer->address + 1);
  return address;
}

static Term
low_address(const StepWalk *walk, const Address *address, guint thread) {
  Term offset = smb_term_constant(walk->prover->terms, address->offset);
  return address->low ? smb_term_add(walk->prover->terms, address->low[thread], offset, 1) : offset;
}

// What a pointer points into, if it is known: the number of a region, + 1.
static guint
find_region(const StepWalk *walk, const Address *address, guint thread) {
  const guint64 below = G_MAXUINT64 >> POINTER_OFFSET_BITS; // a small negative offset
  guint64 of_offset = address->pointers >> POINTER_OFFSET_BITS;
  if (!address->low || (of_offset && of_offset != below))
    return (guint)of_offset;
  if (!address->high || !smb_term_is_constant(walk->prover->terms, address->high[thread]))
    return 0;
  guint32 high = smb_term_sum(walk->prover->terms, address->high[thread])->constant;
  return high >> (POINTER_OFFSET_BITS - 32);
}

static gboolean
is_buffer(const StepWalk *walk, Term term) {
  const Sum *sum = smb_term_sum(walk->prover->terms, term);
  guint n = 0;
  for (guint i = 0; i < sum->n; i++)
    n += smb_terms_atom(walk->prover->terms, sum->parts[i].atom)->kind == ATOM_MEMORY &&
         sum->parts[i].factor == 1;
  return n == 1;
}

static AskedPlace
find_asked_place(const StepWalk *walk, const Transfer *transfer, const Address *address,
                 guint thread) {
  if (transfer->window != WINDOW_GENERIC)
    return transfer->window == WINDOW_SHARED ? PLACE_SHARED : PLACE_OTHER;
  guint region = find_region(walk, address, thread);
  if (!transfer->is_generic || transfer->pieces || (region && region != REGION_SHARED + 1) ||
      (!region && address->low && is_buffer(walk, address->low[thread])))
    return PLACE_OTHER;
  return region ? PLACE_SHARED : PLACE_UNKNOWN;
}

// --- requests

// Lanes beyond those that give an address take no part in a request of matrices.
static gboolean
gives_address(const Step *step, guint lane) {
  gboolean is_matrix = step->opcode == STEP_LOAD_MATRIX || step->opcode == STEP_STORE_MATRIX;
  return !is_matrix || lane < 8 * step->transfer->n_components;
}

// What a step is to the counters. Of an atomic that is one instruction, more lanes, and lanes in one bank, take more, as of a load. One that is
// a loop goes around again for lanes that ask for one word.
static SmbOp
find_asked_op(const StepWalk *walk, const Step *step) {
  const Transfer *transfer = step->transfer;
  const Move *move = &transfer->move;
  return step->opcode == STEP_ATOMIC || step->opcode == STEP_POLL_ATOMIC
             ? smb_atomic_op(walk->prover->arch, move->atomic, move->kind, transfer->increments)
             : (SmbOp)move->op;
}

static gboolean
is_single_atomic(const StepWalk *walk, const Step *step) {
  const Move *move = &step->transfer->move;
  SmbOp op = find_asked_op(walk, step);
  return (op == SMB_OP_ATOM || op == SMB_OP_CAS || op == SMB_OP_RED_UNIFORM) &&
         smb_arch_rule(walk->prover->arch, op, move->width)->defined &&
         step->transfer->n_components == 1 && !step->transfer->is_cluster;
}

static const char *
find_refusal(const StepWalk *walk, const Step *step) {
  switch ((guint)step->opcode) {
  case STEP_LOAD:
  case STEP_STORE:
  case STEP_LOAD_MATRIX:
  case STEP_STORE_MATRIX:
    return step->transfer->is_cluster ? "it may ask for the shared memory of another block" : NULL;
  case STEP_ATOMIC:
  case STEP_POLL_ATOMIC:
    return is_single_atomic(walk, step) ? NULL : "it is an atomic that is a loop";
  case STEP_COPY:
    return "it is a copy from global memory";
  default:
    return "it waits for other threads";
  }
}

static void
ask_warp(StepWalk *walk, const Step *step, const Address *address, guint first,
         const Term *active) {
  const Move *move = &step->transfer->move;
  SmbRequest request = {.op = (guint8)find_asked_op(walk, step), .width = (guint8)move->width};
  Term offsets[SMB_MAX_LANES] = {0}, conditions[SMB_MAX_LANES] = {0};
  const char *refusal = find_refusal(walk, step);
  for (guint i = first; i < MIN(first + walk->n_lanes, walk->prover->n); i++) {
    guint lane = i - first;
    AskedPlace place = find_asked_place(walk, step->transfer, address, i);
    if (!active[i] || place == PLACE_OTHER || !gives_address(step, lane))
      continue;
    if (place == PLACE_UNKNOWN)
      refusal = "it is not known what a pointer points into";
    request.mask |= (SmbLanes)1 << lane;
    offsets[lane] = low_address(walk, address, i);
    conditions[lane] = active[i];
  }
  if (request.mask && refusal)
    smb_prover_refuse(walk->prover, move->site, refusal);
  else if (request.mask)
    smb_prover_request(walk->prover, move->site, &request, offsets, conditions);
}

// --- what is loaded

// A word of a component.
static Term
loaded_term(StepWalk *walk, const Step *step, const Address *address, guint thread, guint at,
            guint64 which) {
  const Transfer *transfer = step->transfer;
  guint region = find_region(walk, address, thread);
  Term low = low_address(walk, address, thread);
  gboolean is_word = transfer->bytes >= 4;
  if (transfer->window == WINDOW_GENERIC && region == REGION_PARAMETERS + 1 && is_word &&
      smb_term_is_constant(walk->prover->terms, low))
    return parameter_term(walk, smb_term_sum(walk->prover->terms, low)->constant + at);
  gboolean is_constant = transfer->pieces || transfer->move.constant_bytes;
  const Atom atom = {ATOM_UNKNOWN,
                     is_constant ? KEY_CONSTANT | (guint64)step->place << 8 | at : which + at,
                     {low, address->high ? address->high[thread] : 0, 0},
                     step->place};
  if (is_constant || find_asked_place(walk, transfer, address, thread) == PLACE_SHARED)
    return smb_term_atom(walk->prover->terms, &atom);
  return smb_prover_fresh(walk->prover, step->place);
}

static void
load_component(StepWalk *walk, WalkState *state, const Step *step, const Address *address,
               guint component, guint64 which) {
  const Transfer *transfer = step->transfer;
  Row data = transfer->data[component];
  for (guint row = 0; data != NO_ROW && row < MAX(transfer->rows, 1); row++) {
    Term *lanes = smb_step_walk_lanes(walk);
    gboolean is_beyond = row > 0 && 4 * row >= transfer->bytes;
    for (guint i = 0; i < walk->prover->n; i++) {
      if (state->active[i])
        lanes[i] =
            is_beyond && !transfer->is_signed
                ? 0
                : loaded_term(walk, step, address, i, component * transfer->bytes + 4 * row, which);
    }
    smb_step_walk_set_row(walk, state, step, data + row, lanes);
  }
}

void
smb_step_walk_ask(StepWalk *walk, WalkState *state, const Step *step) {
  const Transfer *transfer = step->transfer;
  const Term *active = smb_step_walk_guarded(walk, state, step);
  const Address address = find_asked_address(walk, state, transfer);
  for (guint first = 0; !walk->quiet && first < walk->prover->n; first += walk->n_lanes)
    ask_warp(walk, step, &address, first, active);
  walk->work += walk->prover->n;
  if (step->opcode == STEP_LOAD) {
    guint64 which = walk->prover->n_fresh + 1;
    walk->prover->n_fresh += 256;
    for (guint i = 0; i < transfer->n_components; i++)
      load_component(walk, state, step, &address, i, which);
    return;
  }
  smb_step_walk_forget(walk, state, step);
}
