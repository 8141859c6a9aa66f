// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A running block of compiled code, and the life of a step.
//
// A decoder (sim/ptx/decode, sim/sass/decode) picks an opcode from steps.def, fills in its operands and adds the step
// to the code (build.h), which binds the handler of the opcode. From then on nothing is looked up: the run loop
// (loop.c) takes the step at the pc of the running lanes and asks once whether they execute it. There are three
// answers.
//
//   go      Each lane either executes the step or does not, and it is known which. The handler gets the lanes that do.
//           It computes (compute/), makes a request of memory (memory/), waits (sync/), or sets where lanes continue
//           (warp/).
//   skip    For some lanes it is not known, and no count depends on it. Whatever the step might have changed becomes
//           unknown: that is the "doubt" of its opcode. For a branch, the same holds for every step before its paths
//           reconverge.
//   refuse  It is not known, and a count depends on it. The run fails, and the message says what has to be given
//   (unknown/).
//
// Runs of steps that only compute are executed without asking at all (Step.n_computing).
//
// A request goes through memory/transfer.c. Addresses in registers become pointers of the machine. Lanes that address
// another block of the cluster are listed and leave. The machine moves the words and reports the request
// (sim/machine/access/words.c). Registers receive what was loaded, with its known bits and with what it depends on: blockIdx
// (compute/affine.c), the order of threads (unknown/order.c), or memory that holds an unknown value, with the step that
// stored it (unknown/provenance.c).
//
// A room includes only rooms to its left (tests/includes.sh):
//   compute, flow < step < code < build < exec < unknown < warp, memory < sync < table, loop
// What a room needs from one to its right it reaches through the row of a step (StepInfo). That is how a skipped branch
// makes a copy unknown without knowing what a copy is.
//
// Private to sim/exec.
#pragma once

#include "sim/exec/code.h"
#include "sim/machine/access/lanes.h"
#include "sim/launch/field.h"

typedef struct _Unknown Unknown;       // unknown/unknown.h
typedef struct _Order Order;           // unknown/order.h
typedef struct _Sync Sync;             // sync/sync.h
typedef struct _Lockstep Lockstep;     // lockstep.c
typedef struct _CopiedRows CopiedRows; // memory/copied.c

enum {
  EXEC_FOUND = 8, // loads of a warp of which it is known what they have found
};

typedef struct {
  Registers *registers;
  SmbSplits *splits;
  // guint32: [depth][lane]: where each lane continues after its calls
  GArray *calls;
  guint16 depth[SMB_MAX_LANES];
  // Of bar.red: what the lanes that wait contributed, and where that is not known.
  SmbLanes answers, unknown_answers;
  // They have arrived at the barrier of the cluster, whose phase is not complete.
  SmbLanes arrived;
  // Their wait for an mbarrier ends, whatever its phase.
  SmbLanes timed_out;
  // They load now what others change, which have run.
  SmbLanes looks;
  // The lanes of one set run alone now (WARPSYNC.EXCLUSIVE), and it is not known which; why not.
  gboolean has_unknown_members;
  // Some of them gave way (YIELD): which of them run together is not certain until all do.
  SmbLanes parted;
  guint32 members_origin;
  guint clock_looks; // how often it asked for the clock
  guint64 polled
      [SMB_MAX_LANES]; // the address of the last atomic of each lane whose result is used; 0: there was none
  // Of a block that guesses: hashes of what loads of memory that others may change have found, and where, by their steps.
  guint64 found[EXEC_FOUND];
} Warp;

enum {
  EXEC_SHARE_STEPS = 1 << 16, // of a warp, before the next one has its turn
};

// The parameters of a launch.
typedef struct {
  guint8 *bytes;
  guint8 *marks; // MARK_KNOWN of each byte, or 0
  gsize length;
  GArray *fields; // SmbField
} Parameters;

/**
 * Exec: one block after the other
 * @w, @warp: the running one
 * @own_rank: rank of the block in its cluster, as it appears in addresses (CLUSTER_SHIFT); else 0
 * @allocated: bytes that STEP_ALLOCATE has given away
 * @left: of the running warp's share of steps, as of the step that runs
 * @ends_turn: the step that runs is its last one for now
 * @clock: what STEP_CLOCK found last, of a launch that is run for its results, when the block had executed @clock_steps
 * @copied: (nullable): what threads copy by registers
 * @pointers: what to say of parameters that are taken as pointers
 */
struct _Exec {
  SmbBlock *block;
  const Code *code;
  const Step *steps;
  Warp *warps;
  guint w;
  Warp *warp;
  Parameters parameters;
  guint32 *launch_words;
  guint32 own_rank;
  guint64 allocated;
  guint left;
  gboolean ends_turn;
  guint64 clock;
  guint64 clock_steps;
  char *pointers;
  Unknown *unknown;
  Order *order;
  Sync *sync;
  CopiedRows *copied;
  Lockstep *lockstep; // of code whose warps go in step; such code has none of the three above
};

// The running warp computes something by a step that STEP_COPIES; there is an Exec.copied (memory/copied.c).
void smb_copied_note_compute(const Exec *exec, const Step *step, SmbLanes lanes);

static inline guint32
step_number(const Exec *exec, const Step *step) {
  return (guint32)(step - exec->steps);
}

// Where bits that a step makes unknown come from: for Registers.origin.
static inline guint32
step_origin(const Exec *exec, const Step *step) {
  return step_number(exec, step) + 1;
}

static inline gboolean
depends_on_block(guint flags) {
  return (flags & ROW_DEPENDS) != 0;
}

// Something of the block is decided by what is marked so: if that is not the same in all blocks, none repeats another.
static inline void
exec_watch(const Exec *exec, guint flags) {
  if (flags & ROW_BLOCK && exec->block->signature)
    smb_signature_refuse(exec->block);
}

// The same of a row's value, also where it is affine in blockIdx.
static inline void
exec_watch_row(const Exec *exec, Row row) {
  if (depends_on_block(row_flags(exec->warp->registers, row)))
    exec_watch(exec, ROW_BLOCK);
}

// The clock of a block that is run for its results: it rises with each step, and from block to block
// where these run one after the other.
static inline guint64
smb_exec_time(const Exec *exec) {
  enum {
    TICKS = 4, // for a step of a warp: a dependent instruction takes about as many cycles
  };
  guint64 steps = exec->block->steps + EXEC_SHARE_STEPS - exec->left;
  return exec->clock + (steps > exec->clock_steps ? TICKS * (steps - exec->clock_steps) : 0);
}

// Lists what a step did in the shared memory of this block.
static inline void
exec_list_traffic(const Exec *exec, const Step *step, SmbTraffic kind, guint64 bytes) {
  const SmbBlock *block = exec->block;
  if (block->sink->traffic)
    block->sink->traffic(block->user, kind, step->transfer->move.site, bytes);
}

// Tells what the running warp does at a barrier (SmbSink.phase).
static inline void
exec_tell_phase(const Exec *exec, guint what, guint64 barrier, guint32 number, guint64 bytes) {
  const SmbBlock *block = exec->block;
  const SmbPhase phase = {barrier, number};
  if (G_UNLIKELY(block->sink->phase))
    block->sink->phase(block->user, exec->w, what, &phase, bytes);
}

// Whether a transfer may ask for shared memory.
static inline gboolean
exec_may_be_shared(const Exec *exec, const Transfer *transfer) {
  return transfer->window == WINDOW_SHARED ||
         (transfer->window == WINDOW_GENERIC && transfer->is_generic &&
          exec->block->shared_bytes > 0);
}

// Nothing is known any longer of the memory of @lanes of the running warp.
static inline void
exec_forget_local(const Exec *exec, SmbLanes lanes) {
  Mask mask = {{0}};
  mask.warp[exec->w] = lanes;
  smb_private_forget(exec->block, REGION_LOCAL, &mask);
}

// --- parameters (parameters.c)

// Pointers are those of the machine.
gboolean smb_parameters_set(Parameters *parameters, const Code *code, const SmbBlock *block,
                            const SmbLaunch *launch, GError **error);
void smb_parameters_clear(Parameters *parameters);

// --- what a block begins with (start.c)

// Regions of words that are the same in all blocks of a launch.
void smb_exec_set_launch_words(Exec *exec);
// The warps of a block, with registers for its code.
void smb_exec_make_warps(Exec *exec);
void smb_exec_free_warps(Exec *exec);
// Registers of a warp, and where it begins.
void smb_exec_start_warp(Exec *exec, guint w);
void smb_exec_preset(Exec *exec, guint w, const Preset *preset);
