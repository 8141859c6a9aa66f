// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A block of compiled code that runs.
//
// The life of a step. A decoder (sim/ptx/decode, sim/sass/decode) fills in an opcode of steps.def and its operands, and adds it to
// the code (build.h), where it gets the handler of its opcode. Nothing is looked up after that: the run loop (loop.c) takes the step
// at the pc of the running lanes, and asks once for its guard. There are three answers.
//
//   go      It is known of each lane whether it executes the step. The handler gets the lanes that do: it computes (compute/), makes a
//           request (memory/), waits (sync/), or says where lanes go on (warp/).
//   skip    It is not known of some lanes, and no count depends on it. What the step may have changed is not known any more: its
//           doubt (the column of steps.def) sees to that. Of a branch, so it is with all steps up to where its ways meet.
//   refuse  It is not known, and a count depends on it: the run fails, and says what would have to be known (unknown/).
//
// A request of memory goes through memory/access.c: its addresses become pointers of the machine, lanes that ask another block of the
// cluster are listed and leave, the machine moves the words and counts them (sim/machine/words.h), and registers get what was
// loaded, with what is known of it and what it depends on: blockIdx (compute/affine.c), the order of threads (unknown/order.c), or
// memory that holds nothing known, of which is kept who stored it (unknown/provenance.c).
//
// The rooms, each of which includes none to its right:
//   compute < flow < step, code, build < exec < unknown < warp < memory < sync < table, loop
// What a lower room wants of a higher one it finds in the row of a step (StepInfo): so a branch that is skipped makes a copy unknown
// without knowing what a copy is.
//
// Private to sim/exec.
#pragma once

#include "sim/exec/code.h"
#include "sim/machine/lanes.h"
#include "sim/launch/field.h"

typedef struct _Unknown Unknown;   // unknown/unknown.h
typedef struct _Order Order;       // unknown/order.h
typedef struct _Sync Sync;         // sync/sync.h
typedef struct _Lockstep Lockstep; // lockstep.c

typedef struct {
  Registers *registers;
  SmbSplits *splits;
  // guint32: [depth][lane]: where each lane goes on after its calls
  GArray *calls;
  guint16 depth[SMB_MAX_LANES];
  // Of bar.red: what the lanes that wait contributed, and where that is not known.
  SmbLanes answers, unknown_answers;
  // Their wait for an mbarrier ends, whatever its phase.
  SmbLanes timed_out;
  // They load now what others change, which have run.
  SmbLanes looks;
  // The lanes of one set run alone now (WARPSYNC.EXCLUSIVE), and it is not known which; why not.
  gboolean has_unknown_members;
  guint32 members_origin;
} Warp;

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
 * @own_rank: of the block in its cluster, where it stands in addresses (CLUSTER_SHIFT); else 0
 * @allocated: bytes that STEP_ALLOCATE has given away
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
  char *pointers;
  Unknown *unknown;
  Order *order;
  Sync *sync;
  Lockstep *lockstep; // of code whose warps go in step; such code has none of the three above
};

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

// Lists what a step did in the shared memory of this block.
static inline void
exec_list_traffic(const Exec *exec, const Step *step, SmbTraffic kind, guint64 bytes) {
  const SmbBlock *block = exec->block;
  if (block->sink->traffic)
    block->sink->traffic(block->user, kind, step->transfer->move.site, bytes);
}

// Whether a transfer may ask for shared memory.
static inline gboolean
exec_may_be_shared(const Exec *exec, const Transfer *transfer) {
  return transfer->window == WINDOW_SHARED ||
         (transfer->window == WINDOW_GENERIC && transfer->is_generic &&
          exec->block->shared_bytes > 0);
}

// Nothing is known any more of the memory of @lanes of the running warp.
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

// The rank of the block in its cluster.
guint32 smb_exec_rank(const SmbBlock *block);
// Regions of words that are the same in all blocks of a launch.
void smb_exec_set_launch_words(Exec *exec);
// Registers of a warp, and where it begins.
void smb_exec_start_warp(Exec *exec, guint w);
void smb_exec_preset(Exec *exec, guint w, const Preset *preset);
