// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Waiting for what other threads store. A warp that is about to load what others change lets these run first: it looks
// again and again on a device, as often as time has it, and here as seldom as it can.
//
// A block that does not end. If no way leads out of the loop that it is in, that is certain; if the loop does nothing
// but load a value, over and over, that load is named.
#include "sim/exec/sync/sync.h"

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
  if (!smb_transfer_load(exec, step, lanes, &found))
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
