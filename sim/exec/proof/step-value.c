// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a computing step makes of sums. Where all operands are known, or as many of their bits as decide the result, the machine's own
// operation computes it; else step-term.c does.
#include "sim/exec/proof/step-walk.h"

#define NOT_KNOWN G_MAXUINT32 // a result that the machine does not compute

static void
put_operand_row(StepWalk *walk, Row row, guint first, SmbLanes lanes, const Term *value) {
  guint32 values[SMB_MAX_LANES] = {0}, unknown[SMB_MAX_LANES] = {0};
  FOR_LANES(lanes, lane) {
    KnownBits bits = smb_step_walk_bits(walk, value[first + lane]);
    values[lane] = bits.value;
    unknown[lane] = bits.unknown;
  }
  if (!(row & ROW_CONSTANT))
    smb_row_set(walk->scratch, row, lanes, values, unknown, 0, 1);
}

static void
put_predicate(StepWalk *walk, Predicate predicate, guint first, SmbLanes lanes, const Term *value) {
  SmbLanes truth = 0, unknown = 0;
  guint32 one;
  FOR_LANES(lanes, lane) {
    gboolean known = smb_step_term_is_known(walk, value[first + lane], &one);
    unknown |= (SmbLanes)!known << lane;
    truth |= (SmbLanes)(known && one) << lane;
  }
  if (predicate != PREDICATE_TRUE)
    smb_predicate_set(walk->scratch, predicate, lanes, truth, unknown, 0, 1);
}

static void
take_row(StepWalk *walk, Row row, guint first, SmbLanes lanes, Term *value) {
  SmbLanes known = smb_row_known(walk->scratch, row, lanes);
  const guint32 *values = row_values(walk->scratch, row);
  FOR_LANES(known, lane) {
    value[first + lane] = smb_term_constant(walk->prover->terms, values[lane]);
  }
}

static void
take_predicate(StepWalk *walk, Predicate predicate, guint first, SmbLanes lanes, Term *value) {
  SmbLanes known = lanes & ~walk->scratch->unknown_predicates[predicate];
  FOR_LANES(known, lane) {
    value[first + lane] = walk->scratch->predicates[predicate] >> lane & 1;
  }
}

// Whether a result is in rows, and not only in predicates.
static gboolean
has_result_row(const Compute *compute) {
  return smb_operation_info((Operation)compute->operation)->result != SHAPE_PREDICATE ||
         compute->bytes;
}

// Has the machine compute a warp, and takes what it knows then. Rows of results may be those of operands.
static void
compute_known_lanes(StepWalk *walk, const Step *step, const Operands *operands, guint first,
                    SmbLanes lanes) {
  const Compute *compute = &step->compute;
  for (guint i = 0; i < compute->n_sources; i++) {
    for (guint r = 0; r < compute->n_rows[1 + i]; r++)
      put_operand_row(walk, compute->s[i] + r, first, lanes, operands->source[i][r]);
  }
  for (guint i = 0; i < 3; i++)
    put_predicate(walk, compute->in[i], first, lanes, operands->in[i]);
  smb_compute(compute, walk->scratch, lanes);
  for (guint word = 0; has_result_row(compute) && word < compute->n_rows[0]; word++)
    take_row(walk, compute->d + word, first, lanes, operands->result[word]);
  if (compute->p != PREDICATE_TRUE)
    take_predicate(walk, compute->p, first, lanes, operands->result[RESULT_P]);
  if (compute->q != PREDICATE_TRUE)
    take_predicate(walk, compute->q, first, lanes, operands->result[RESULT_Q]);
}

// Between lanes: not known, but the same for a warp whose lanes all take part. A shuffle of what all lanes have is that, and so is what the first
// of some lanes has that all of them have.
static void
exchange_terms(StepWalk *walk, const Step *step, const Operands *operands, guint first, guint end,
               const Term *active) {
  Operation operation = (Operation)step->compute.operation;
  guint warp = first / walk->n_lanes;
  gboolean is_first = operation == OPERATION_FIRST || operation == OPERATION_FIRST_PREDICATE;
  gboolean shuffles = operation >= OPERATION_SHFL_UP && operation <= OPERATION_SHFL_IDX;
  gboolean is_one = is_first ||
                    (operation >= OPERATION_VOTE_ALL && operation <= OPERATION_VOTE_BALLOT) ||
                    (operation >= OPERATION_REDUX_ADD && operation <= OPERATION_REDUX_MAX_F32);
  gboolean whole = end - first == walk->n_lanes;
  for (guint i = first; i < end; i++)
    whole = whole && active[i] && active[i] == active[first];
  const Term *source = operation == OPERATION_FIRST_PREDICATE ? operands->in[0]
                       : is_first || shuffles                 ? operands->source[0][0]
                                                              : NULL;
  gboolean keeps =
      source && (is_first || whole) && smb_step_walk_is_alike(walk, warp, source, active);
  guint kept = operation == OPERATION_FIRST_PREDICATE ? RESULT_P : RESULT_LOW;
  for (guint result = 0; result < N_RESULTS; result++) {
    Term one = smb_prover_fresh(walk->prover, step->place);
    for (guint i = first; i < end; i++)
      operands->result[result][i] = keeps && result == kept ? source[i]
                                    : is_one && whole       ? one
                                                      : smb_prover_fresh(walk->prover, step->place);
  }
}

static gboolean
has_result(const Compute *compute, guint result) {
  return result == RESULT_P   ? compute->p != PREDICATE_TRUE
         : result == RESULT_Q ? compute->q != PREDICATE_TRUE
                              : has_result_row(compute) && result < compute->n_rows[0];
}

static void
compute_warp(StepWalk *walk, const Step *step, const Operands *operands, guint first,
             const Term *active) {
  guint end = MIN(first + walk->n_lanes, walk->prover->n);
  gboolean exchanges = smb_compute_is_exchange(&step->compute), all = TRUE;
  SmbLanes lanes = 0;
  for (guint i = first; i < end; i++) {
    lanes |= (SmbLanes)(active[i] != 0) << (i - first);
    all = all && active[i] == 1;
    for (guint result = 0; result < N_RESULTS; result++)
      operands->result[result][i] = active[i] ? NOT_KNOWN : 0;
  }
  walk->work += end - first;
  if (!lanes)
    return;
  if (exchanges)
    exchange_terms(walk, step, operands, first, end, active);
  if (!exchanges || (all && end - first == walk->n_lanes))
    compute_known_lanes(walk, step, operands, first, lanes);
  FOR_LANES(exchanges ? 0 : lanes, lane) {
    guint i = first + lane;
    Term known[N_RESULTS];
    gboolean is_whole = TRUE;
    for (guint result = 0; result < N_RESULTS; result++) {
      known[result] = operands->result[result][i];
      is_whole = is_whole && (known[result] != NOT_KNOWN || !has_result(&step->compute, result));
    }
    if (!is_whole)
      smb_step_operands_compute(walk, step, operands, i);
    for (guint result = 0; result < N_RESULTS; result++)
      operands->result[result][i] =
          known[result] != NOT_KNOWN ? known[result] : operands->result[result][i];
  }
}

void
smb_step_walk_compute(StepWalk *walk, WalkState *state, const Step *step) {
  const Compute *compute = &step->compute;
  const Term *active = smb_step_walk_guarded(walk, state, step);
  Operands operands = {.source = {{NULL}}};
  for (guint i = 0; i < compute->n_sources; i++) {
    for (guint r = 0; r < compute->n_rows[1 + i]; r++)
      operands.source[i][r] = smb_step_walk_row(walk, state, compute->s[i] + r);
  }
  for (guint i = 0; i < 3; i++)
    operands.in[i] = smb_step_walk_predicate(walk, state, compute->in[i]);
  for (guint result = 0; result < N_RESULTS; result++)
    operands.result[result] = smb_step_walk_lanes(walk);
  for (guint first = 0; first < walk->prover->n; first += walk->n_lanes)
    compute_warp(walk, step, &operands, first, active);
  for (guint word = 0; has_result_row(compute) && word < compute->n_rows[0]; word++)
    smb_step_walk_set_row(walk, state, step, compute->d + word, operands.result[word]);
  if (compute->p != PREDICATE_TRUE)
    smb_step_walk_set_predicate(walk, state, step, compute->p, operands.result[RESULT_P]);
  if (compute->q != PREDICATE_TRUE)
    smb_step_walk_set_predicate(walk, state, step, compute->q, operands.result[RESULT_Q]);
}
