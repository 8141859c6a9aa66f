// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Waiting for what other threads store. A warp that is about to load what others change lets these run first: it looks
// again and again on a device, as often as time has it, and here as seldom as it can.
//
// A block that does not end. If no way leads out of the loop that it is in, that is certain; if the loop does nothing
// but load a value, over and over, that load is named.
#include "sim/exec/sync/sync.h"

#include "sim/machine/check/checking.h"

enum {
  MAX_BLOCKS = 4096,   // that are looked at: each of them with all of them
  MAX_LOOKS = 1 << 16, // of a block, before its warps look whenever they come to it
};

gboolean
smb_spin_may_look(Exec *exec, const Step *step, SmbLanes lanes) {
  Warp *warp = exec->warp;
  if (!lanes || warp->looks & lanes || exec->sync->n_looks == MAX_LOOKS) {
    warp->looks &= ~lanes;
    return TRUE;
  }
  warp->splits->pc = step_number(exec, step);
  exec->block->instructions -= step->begins;
  smb_splits_hold(warp->splits, warp->splits->mask, HELD_BEFORE_LOOK);
  return FALSE;
}

gboolean
smb_spin_release(Exec *exec) {
  SmbLanes any = 0;
  for (guint w = 0; w < exec->block->n_warps; w++) {
    Warp *warp = &exec->warps[w];
    warp->looks = smb_splits_held(warp->splits, HELD_BEFORE_LOOK);
    smb_splits_release(warp->splits, HELD_BEFORE_LOOK, FALSE);
    any |= warp->looks;
  }
  if (any) {
    exec->sync->n_looks++;
    exec->order->divides = TRUE;
  }
  return any != 0;
}

gboolean
smb_step_spin(Exec *exec, const Step *step, SmbLanes lanes) {
  Found found;
  if (exec_may_be_shared(exec, step->transfer) && !smb_spin_may_look(exec, step, lanes))
    return TRUE;
  // A volatile load need not be of a flag.
  if (exec->block->check)
    exec->block->check->is_polling = step->transfer->order == ORDER_ACQUIRE;
  gboolean loaded = smb_transfer_load(exec, step, lanes, &found);
  if (exec->block->check)
    exec->block->check->is_polling = FALSE;
  if (!loaded)
    return FALSE;
  smb_wait_note(exec, &found);
  return TRUE;
}

gboolean
smb_step_spin_atomic(Exec *exec, const Step *step, SmbLanes lanes) {
  Found found;
  if (!smb_transfer_atomic(exec, step, lanes, &found))
    return FALSE;
  smb_wait_note(exec, &found);
  return TRUE;
}

void
smb_spin_warn(Exec *exec, const Step *step) {
  SmbBlock *block = exec->block;
  guint32 number;
  const CodeGraph *graph = smb_code_graph(exec->code, step_number(exec, step), &number);
  if (!block->sink->warn || !g_hash_table_add(exec->sync->warned, (gpointer)step))
    return;
  const Stretch *stretch = smb_stretch_find(exec, step_number(exec, step));
  guint32 i = 0;
  if (!smb_stretch_has_block(stretch, graph_blocks(graph)[number].first)) // it does not loop
    return;
  for (const Step *other; (other = smb_stretch_next(exec, stretch, &i));) {
    if (other->kind != KIND_TRANSFER || !exec_may_be_shared(exec, other->transfer))
      continue;
    guint site = other->transfer->move.site;
    g_autofree char *message =
        g_strdup_printf("%s is repeated while a loop polls an mbarrier: it is counted as if the "
                        "loop ended at the first opportunity",
                        smb_program_site(block->program, site)->expression);
    block->sink->warn(block->user, SMB_WARNING_TIMING, site, site, message);
  }
}

// --- loops

// The blocks from which a block comes back to itself, in an array by block; none, if there are too many.
static gboolean *
find_spin_loop(const CodeGraph *graph, guint32 block) {
  guint n;
  gboolean *loop = g_new0(gboolean, graph->blocks->len);
  g_autofree gboolean *seen = g_new0(gboolean, graph->blocks->len);
  smb_graph_reach(graph, block, SMB_FLOW_EXIT, loop, &n);
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    if (loop[b] && n <= MAX_BLOCKS)
      smb_graph_reach(graph, b, SMB_FLOW_EXIT, seen, &n);
    loop[b] = loop[b] && n <= MAX_BLOCKS && seen[block];
  }
  return loop;
}

// Whether a step does something that others see, or waits for them.
static gboolean
does_more(const Step *step) {
  gboolean stores =
      step->kind == KIND_TRANSFER && step->transfer->move.op_class == SMB_OP_CLASS_STORE;
  return stores || step->kind == KIND_EXIT ||
         (step->kind == KIND_CONTROL && !(step->flags & STEP_IN_WARP));
}

// The access that a step makes; NULL for a load of a parameter.
static const SmbSite *
find_accessed_site(const Exec *exec, const Step *step) {
  const SmbProgram *program = &exec->code->program;
  if (step->kind != KIND_TRANSFER || step->transfer->move.site >= smb_program_n_sites(program))
    return NULL;
  const SmbSite *site = smb_program_site(program, step->transfer->move.site);
  gboolean is_parameter = site->opcode && g_str_has_prefix(site->opcode, "ld.param");
  return site->offset == step->place && !is_parameter ? site : NULL;
}

const SmbSite *
smb_spin_site(const Exec *exec, const Step *step) {
  guint32 block;
  const CodeGraph *graph = smb_code_graph(exec->code, step_number(exec, step), &block);
  g_autofree gboolean *loop = find_spin_loop(graph, block);
  const SmbSite *polled = NULL;
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    const SmbFlowBlock *flow = &g_array_index(graph->blocks, SmbFlowBlock, b);
    for (guint32 s = flow->first; loop[b] && s < flow->end; s++) {
      const Step *other = &exec->steps[s];
      const SmbSite *site = find_accessed_site(exec, other);
      if (does_more(other) || (site && polled))
        return NULL;
      polled = site ? site : polled;
    }
  }
  return polled;
}

// Whether a step sets any of some rows.
static gboolean
sets_rows(const Step *step, Row first, guint n_rows) {
  const Compute *compute = &step->compute;
  gboolean has_result =
      step->kind == KIND_COMPUTE &&
      smb_operation_info((Operation)compute->operation)->result != SHAPE_PREDICATE;
  guint n = has_result ? compute->n_rows[0] : 0;
  gboolean computes = n > 0 && compute->d < first + n_rows && first < compute->d + n;
  gboolean loads = step->kind == KIND_TRANSFER && step->transfer->data[0] < first + n_rows &&
                   first < step->transfer->data[0] + step->transfer->n_components;
  return computes || loads;
}

// Whether a step of a loop sets the address of a transfer, of what the loop sets.
static gboolean
moves_address(const Exec *exec, const CodeGraph *graph, const gboolean *loop, const Step *step,
              const Transfer *transfer) {
  const Compute *compute = &step->compute;
  if (!sets_rows(step, transfer->address, transfer->address_rows))
    return FALSE;
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    const SmbFlowBlock *flow = &g_array_index(graph->blocks, SmbFlowBlock, b);
    for (guint32 s = flow->first; loop[b] && s < flow->end; s++) {
      for (guint i = 0; i < compute->n_sources; i++) {
        if (step->kind != KIND_COMPUTE ||
            sets_rows(&exec->steps[s], compute->s[i], compute->n_rows[1 + i]))
          return TRUE;
      }
    }
  }
  return FALSE;
}

// Whether a step of a loop that polls may be there: it does nothing that others see, and asks for no other memory.
static gboolean
is_idle(const Step *step, const Transfer *polled) {
  return (step->kind != KIND_TRANSFER || step->transfer == polled || step->transfer->pieces) &&
         step->kind != KIND_EXIT && step->opcode != STEP_BARRIER &&
         step->opcode != STEP_CLUSTER_ARRIVE && step->opcode != STEP_CLUSTER_WAIT;
}

// Whether the loop around a step does nothing else; not of a step that is in no loop.
static gboolean
only_polls(const Exec *exec, const Step *polled) {
  guint32 block;
  const CodeGraph *graph = smb_code_graph(exec->code, step_number(exec, polled), &block);
  g_autofree gboolean *loop = find_spin_loop(graph, block);
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    const SmbFlowBlock *flow = &g_array_index(graph->blocks, SmbFlowBlock, b);
    for (guint32 s = flow->first; loop[b] && s < flow->end; s++) {
      if (!is_idle(&exec->steps[s], polled->transfer) ||
          moves_address(exec, graph, loop, &exec->steps[s], polled->transfer))
        return FALSE;
    }
  }
  return loop[block];
}

gboolean
smb_spin_polls(gconstpointer data, guint site) {
  const Exec *exec = data;
  for (guint32 s = 0; s < exec->code->steps->len; s++) {
    const Step *step = &exec->steps[s];
    if (step->kind == KIND_TRANSFER && step->transfer->move.site == site &&
        step->transfer->move.op_class != SMB_OP_CLASS_STORE)
      return only_polls(exec, step);
  }
  return FALSE;
}

gboolean
smb_spin_is_endless(const Exec *exec) {
  guint32 block;
  guint n;
  const CodeGraph *graph = smb_code_graph(exec->code, exec->warp->splits->pc, &block);
  g_autofree gboolean *reached = g_new0(gboolean, graph->blocks->len);
  gboolean ends = smb_graph_reach(graph, block, SMB_FLOW_EXIT, reached, &n) ||
                  g_array_index(graph->blocks, SmbFlowBlock, block).n_successors == 0;
  reached[block] = TRUE;
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    const SmbFlowBlock *flow = &g_array_index(graph->blocks, SmbFlowBlock, b);
    for (guint32 s = flow->first; !ends && reached[b] && s < flow->end; s++)
      ends = (exec->steps[s].flags & STEP_LEAVES) != 0;
  }
  return !ends;
}
