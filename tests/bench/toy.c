// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/bench/toy.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/exec/compute/loop.h"
#include "sim/exec/exec.h"
#include "sim/machine/block.h"

enum {
  LANES = 32,
  MEMORY_BYTES = 1 << 24, // where all buffers begin: what they hold is of no interest
  MAX_WARPS = 32,
};

typedef struct {
  const Step *steps;
  ComputeLoop *loops; // by step
  guint32 *registers; // [row][lane]
  const guint32 *constants;
  guint32 *predicates; // lanes as bits
  guint32 pc;
  gboolean waits, ends;
} ToyWarp;

typedef struct {
  guchar *shared, *memory;
  GPtrArray *warps;
} Toy;

static const guint32 *
toy_row(const ToyWarp *warp, Row row) {
  return row & ROW_CONSTANT ? warp->constants + row_index(row) * LANES
                            : warp->registers + (gsize)row * LANES;
}

static guint32
pack(const guint8 *bytes) {
  guint32 lanes = 0;
  for (guint i = 0; i < LANES; i++)
    lanes |= (guint32)bytes[i] << i;
  return lanes;
}

static gboolean
toy_compute(const ToyWarp *warp, const Step *step, ComputeLoop loop) {
  const Compute *compute = &step->compute;
  const guint32 *sources[COMPUTE_SOURCES] = {NULL};
  for (guint i = 0; i < compute->n_sources; i++)
    sources[i] = toy_row(warp, compute->s[i]);
  if (compute->operation == OPERATION_FIRST) {
    for (guint i = 0; i < LANES; i++)
      warp->registers[(gsize)compute->d * LANES + i] = sources[0][0];
    return TRUE;
  }
  if (compute->operation == OPERATION_PREDICATE)
    return TRUE;
  if (!loop)
    return FALSE;
  if (smb_operation_info((Operation)compute->operation)->result != SHAPE_PREDICATE) {
    loop(compute, LANES, sources, warp->registers + (gsize)compute->d * LANES);
    return TRUE;
  }
  guint8 bytes[LANES];
  loop(compute, LANES, sources, (guint32 *)(gpointer)bytes);
  guint32 lanes = pack(bytes);
  warp->predicates[compute->p] = compute->modifiers & MODIFIER_NOT ? ~lanes : lanes;
  return (compute->modifiers & ~MODIFIER_NOT) == 0;
}

// Where each lane's bytes are.
static void
toy_addresses(const Toy *toy, const ToyWarp *warp, const Transfer *transfer, guchar **at) {
  const guint32 *low = toy_row(warp, transfer->address);
  guchar *base = transfer->window == WINDOW_SHARED ? toy->shared : toy->memory;
  guint32 within = transfer->window == WINDOW_SHARED ? G_MAXUINT32 : MEMORY_BYTES - 1;
  for (guint i = 0; i < LANES; i++)
    at[i] = base + ((low[i] + (guint32)transfer->offset) & within);
}

static gboolean
toy_transfer(const Toy *toy, const ToyWarp *warp, const Step *step) {
  const Transfer *transfer = step->transfer;
  guchar *at[LANES];
  toy_addresses(toy, warp, transfer, at);
  for (guint c = 0; c < transfer->n_components; c++) {
    guint32 *data = (guint32 *)(gpointer)toy_row(warp, transfer->data[c]);
    gsize skip = sizeof *data * c;
    if (step->opcode == STEP_LOAD) {
      for (guint i = 0; i < LANES; i++)
        memcpy(&data[i], at[i] + skip, sizeof *data);
      continue;
    }
    for (guint i = 0; i < LANES; i++)
      memcpy(at[i] + skip, &data[i], sizeof *data);
  }
  return transfer->bytes == sizeof(guint32);
}

// To its end, or to a barrier. FALSE: a step that is not known.
static gboolean
toy_warp(const Toy *toy, ToyWarp *warp) {
  for (;;) {
    const Step *step = &warp->steps[warp->pc++];
    guint32 truth = warp->predicates[step->guard] ^ (step->unless ? G_MAXUINT32 : 0);
    gboolean known = TRUE;
    if (truth == 0)
      continue;
    guint opcode = step->opcode;
    if (opcode == STEP_COMPUTE || opcode == STEP_EXCHANGE)
      known = toy_compute(warp, step, warp->loops[warp->pc - 1]);
    else if (opcode == STEP_LOAD || opcode == STEP_STORE)
      known = toy_transfer(toy, warp, step);
    else if (opcode == STEP_BRANCH)
      warp->pc = step->target;
    else if (opcode == STEP_BARRIER || opcode == STEP_EXIT) {
      warp->waits = opcode == STEP_BARRIER;
      warp->ends = opcode == STEP_EXIT;
      return TRUE;
    } else
      known = step->kind == KIND_MEETING || step->kind == KIND_HARMLESS;
    if (!known || truth != G_MAXUINT32) {
      printf("the toy does not know step %u\n", warp->pc - 1);
      return FALSE;
    }
  }
}

// --- the registers that warps begin with

// Stops a block ahead of its first step, when the registers of all warps are set.
static gboolean
capture(Exec *exec, const Step *step, G_GNUC_UNUSED SmbLanes lanes) {
  Toy *toy = exec->block->user;
  gsize bytes = (gsize)exec->code->n_rows * LANES * sizeof(guint32);
  for (guint w = 0; w < exec->block->n_warps; w++)
    g_ptr_array_add(toy->warps, g_memdup2(exec->warps[w].registers->values[0], bytes));
  return smb_block_fail(exec->block, step->place, "its registers are known");
}

static gboolean
find_registers(Code *code, const SmbLaunch *launch, const SmbArch *arch, Toy *toy, GError **error) {
  static const SmbSink sink = {0};
  g_autoptr(GError) stopped = NULL;
  g_autoptr(SmbGlobal) global = smb_global_new(&code->program, launch);
  g_autoptr(SmbBlock) block =
      smb_block_new(&code->program, arch, launch, NULL, &sink, toy, global, error);
  Step *first = &g_array_index(code->steps, Step, 0), step = *first;
  if (!block)
    return FALSE;
  first->run = capture;
  first->n_computing = 0;
  smb_block_run(block, 0, &stopped);
  *first = step;
  return toy->warps->len > 0;
}

// --- blocks

static ComputeLoop *
find_loops(const Code *code) {
  ComputeLoop *loops = g_new0(ComputeLoop, code->steps->len);
  for (guint i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    if (step->opcode == STEP_COMPUTE)
      loops[i] = step->compute.loop;
  }
  return loops;
}

static gboolean
run_block(const Toy *toy, const Code *code, ComputeLoop *loops) {
  ToyWarp warps[MAX_WARPS];
  guint n = MIN(toy->warps->len, MAX_WARPS), n_ended = 0;
  gsize bytes = (gsize)code->n_rows * LANES * sizeof(guint32);
  gboolean ok = TRUE;
  for (guint w = 0; w < n; w++) {
    warps[w] = (ToyWarp){.steps = (const Step *)(gpointer)code->steps->data,
                         .loops = loops,
                         .registers = g_aligned_alloc(1, bytes, 64),
                         .constants = (const guint32 *)(gpointer)code->constants->values->data,
                         .predicates = g_new0(guint32, code->n_predicates)};
    memcpy(warps[w].registers, toy->warps->pdata[w], bytes);
    warps[w].predicates[PREDICATE_TRUE] = G_MAXUINT32;
  }
  while (ok && n_ended < n) {
    for (guint w = 0; ok && w < n; w++) {
      if (warps[w].ends)
        continue;
      warps[w].waits = FALSE;
      ok = toy_warp(toy, &warps[w]);
      n_ended += warps[w].ends;
    }
  }
  for (guint w = 0; w < n; w++) {
    g_aligned_free(warps[w].registers);
    g_free(warps[w].predicates);
  }
  return ok;
}

gboolean
toy_run(const SmbProgram *program, const SmbLaunch *launch, const SmbArch *arch, guint64 n_blocks,
        double *seconds, GError **error) {
  const Code *code = (const Code *)program;
  g_autoptr(GPtrArray) registers = g_ptr_array_new_with_free_func(g_free);
  g_autofree guchar *shared = g_malloc0(1 << 18), *memory = g_malloc0(MEMORY_BYTES + 64);
  g_autofree ComputeLoop *loops = find_loops(code);
  Toy toy = {.shared = shared, .memory = memory, .warps = registers};
  if (!find_registers((Code *)program, launch, arch, &toy, error))
    return FALSE;
  clock_t start = clock();
  for (guint64 i = 0; i < n_blocks; i++) {
    if (!run_block(&toy, code, loops))
      return FALSE;
  }
  *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  return TRUE;
}
