// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A walk through compiled code for all values of its parameters: the threads of a block execute the steps of a kernel together, on sums
// of what is not known (sim/proof/term.h). A register is a sum for each thread; of 64-bit values each half is one. A
// predicate, and whether a thread is active, is a sum, too: 0 or 1 if it is known.
//
//   step-flow.c   finds the blocks of a function and its loops
//   step-walk.c   takes states along them (step-state.c): branches divide a state, joins make one of two
//   step-loop.c   loops are executed while it is known who leaves them, and then taken in general
//   step-value.c  computes: with the operations of the machine where operands are known, or as many bits of them as decide the result,
//                 else as a sum (step-term.c)
//   step-ask.c    requests of memory, and what is loaded
//
// Private to sim/exec.
#pragma once

#include "sim/exec/code.h"
#include "sim/proof/prover.h"

/** WalkState: of all threads, at a step. @rows, @predicates: by their numbers; nobody changes what they point at. %NULL: never written */
typedef struct {
  Term *active;
  const Term **rows;
  const Term **predicates;
} WalkState;

// --- step-flow.c

/** A block of steps, in the order in which blocks are walked: each ahead of its successors, except along edges that go back. */
typedef struct {
  guint32 first, end;
  guint loop; // the innermost that it is in, by the number of its first block; or NO_LOOP
} FlowBlock;

#define NO_LOOP G_MAXUINT

/**
 * Flow: of a function
 * @failure: (nullable): why it cannot be walked, at @failed_step
 * @blocks: (element-type FlowBlock)
 * @block_of: (element-type guint32 guint): the block that begins at a step, + 1
 * @outer: (array length=blocks): of the first block of a loop the loop around it, or NO_LOOP
 */
typedef struct {
  const char *failure;
  guint32 failed_step;
  GArray *blocks;
  GHashTable *block_of;
  guint *outer;
} Flow;

Flow *smb_flow_new(const Code *code, guint32 entry);
void smb_flow_free(Flow *flow);

static inline const FlowBlock *
flow_block(const Flow *flow, guint number) {
  return &g_array_index(flow->blocks, FlowBlock, number);
}

// --- step-walk.c

/**
 * StepWalk:
 * @n_lanes: of a warp
 * @scratch: registers of a warp, to compute what is known
 * @bits: (element-type KnownBits): by term
 * @kept: what lives as long as it, @n_kept terms
 * @work: terms that were computed
 * @quiet: above 0: accesses do not count
 * @ended: whether threads have ended
 */
typedef struct {
  SmbProver *prover;
  const Code *code;
  guint n_lanes;
  Registers *scratch;
  GArray *bits;
  GPtrArray *kept;
  gsize n_kept;
  guint64 work;
  GHashTable *constants;
  GHashTable *flows;
  guint quiet;
  guint depth;
  gboolean ended;
} StepWalk;

// --- step-state.c

Term *smb_step_walk_lanes(StepWalk *walk);
// The same, of what is not known. @is_alike: for each warp one
Term *smb_step_walk_fresh(StepWalk *walk, guint32 place, gboolean is_alike);
const Term *smb_step_walk_row(StepWalk *walk, WalkState *state, Row row);
const Term *smb_step_walk_predicate(StepWalk *walk, WalkState *state, Predicate predicate);
// Those that are active and whose guard is true.
const Term *smb_step_walk_guarded(StepWalk *walk, WalkState *state, const Step *step);
// Where @step is executed; elsewhere a row keeps what it has.
void smb_step_walk_set_row(StepWalk *walk, WalkState *state, const Step *step, Row row,
                           const Term *value);
void smb_step_walk_set_predicate(StepWalk *walk, WalkState *state, const Step *step,
                                 Predicate predicate, const Term *value);
// What a step writes is not known, where it is executed.
void smb_step_walk_forget(StepWalk *walk, WalkState *state, const Step *step);
// Whether all lanes of a warp have the same value there, those that are active.
gboolean smb_step_walk_is_alike(const StepWalk *walk, guint warp, const Term *value,
                                const Term *active);

// Divides a state: those where a condition holds are returned, the others remain.
WalkState *smb_step_walk_divide(StepWalk *walk, WalkState *state, const Term *condition);
// @from: (nullable)
WalkState *smb_step_walk_copy(StepWalk *walk, const WalkState *from, Term *active);
// Threads that come from two sides, each from one of them. @first: (nullable)
WalkState *smb_step_walk_join(StepWalk *walk, const WalkState *first, WalkState *b);
// Those of @active where a condition holds; @no: where it does not.
Term *smb_step_walk_narrow(StepWalk *walk, const Term *active, const Term *condition, gboolean no);
// Whether the guard of a step is true.
const Term *smb_step_walk_guard(StepWalk *walk, WalkState *state, const Step *step);

// --- step-walk.c, step-loop.c: parts of a function

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

/** Walking: through a part. @pending: by block: who has come there */
typedef struct {
  WalkPart *part;
  WalkState **pending; // by block
} Walking;

void smb_step_walk_part(StepWalk *walk, WalkPart *part, guint first, WalkState *state);
// Threads go to a block, out of this part or in it.
void smb_step_walk_go(StepWalk *walk, const Walking *walking, guint block, WalkState *state);
void smb_step_walk_loop(StepWalk *walk, const Walking *walking, guint header, WalkState *state);

// --- step-term.c, step-value.c

// Results of a step.
enum {
  RESULT_LOW,
  RESULT_HIGH,
  RESULT_P,
  RESULT_Q,
  N_RESULTS,
};

/** Operands: of a step: words of its operands, predicates, and results, of all threads */
typedef struct {
  const Term *source[COMPUTE_SOURCES][2];
  const Term *in[3];
  Term *result[N_RESULTS];
} Operands;

// The bits of a sum that are not known, and the others.
typedef struct {
  gboolean is_set;
  guint32 value, unknown;
} KnownBits;

gboolean smb_step_term_is_known(const StepWalk *walk, Term term, guint32 *value);
void smb_step_operands_compute(StepWalk *walk, const Step *step, const Operands *operands,
                               guint thread);
KnownBits smb_step_walk_bits(StepWalk *walk, Term term);
Term smb_step_walk_choose(StepWalk *walk, Term condition, Term yes, Term no);
void smb_step_walk_compute(StepWalk *walk, WalkState *state, const Step *step);

// --- step-ask.c

// Rows and predicates that hold something when the kernel starts.
void smb_step_walk_start(StepWalk *walk, WalkState *state);
void smb_step_walk_ask(StepWalk *walk, WalkState *state, const Step *step);
