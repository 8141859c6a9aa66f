// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Waiting for what other threads store. A warp that is about to load what others change lets these run first: it looks again
// and again on a device, as often as time has it, and here as seldom as it can.
//
// A block that does not end. If no way leads out of the loop that it is in, that is certain; if the loop does nothing but load a
// value, over and over, that load is named.
#include "sim/compiled/run/run.h"

enum {
  MAX_BLOCKS = 4096,   // that are looked at: each of them with all of them
  MAX_LOOKS = 1 << 16, // of a block, before its warps look whenever they come to it
};

gboolean
smb_runner_may_look(Runner *runner, const Step *step, SmbLanes lanes) {
  Warp *warp = runner->warp;
  if (!lanes || warp->looks & lanes || runner->n_looks == MAX_LOOKS) {
    warp->looks &= ~lanes;
    return TRUE;
  }
  warp->splits->pc = step_number(runner, step);
  runner->block->instructions -= step->begins;
  smb_splits_hold(warp->splits, warp->splits->mask, HELD_BEFORE_LOOK);
  return FALSE;
}

gboolean
smb_looks_release(Runner *runner) {
  SmbLanes any = 0;
  for (guint w = 0; w < runner->block->n_warps; w++) {
    Warp *warp = &runner->warps[w];
    warp->looks = smb_splits_held(warp->splits, HELD_BEFORE_LOOK);
    smb_splits_release(warp->splits, HELD_BEFORE_LOOK, FALSE);
    any |= warp->looks;
  }
  runner->n_looks += any != 0;
  return any != 0;
}

// The blocks from which a block comes back to itself, in an array by block; none, if there are too many.
static gboolean *
find_loop(const CodeGraph *graph, guint32 block) {
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
  gboolean moves = step->kind == STEP_TRANSFER;
  return (moves && step->transfer->move.op_class == SMB_OP_CLASS_STORE) ||
         (step->kind == STEP_OTHER && !smb_step_is_harmless(step) && step->run != smb_step_gather);
}

// The access that a step makes, unless it reads a parameter, which is none.
static const SmbSite *
find_site(const Runner *runner, const Step *step) {
  const SmbProgram *program = &runner->code->program;
  if (step->kind != STEP_TRANSFER || step->transfer->move.site >= smb_program_n_sites(program))
    return NULL;
  const SmbSite *site = smb_program_site(program, step->transfer->move.site);
  gboolean is_parameter = site->opcode && g_str_has_prefix(site->opcode, "ld.param");
  return site->offset == step->place && !is_parameter ? site : NULL;
}

const SmbSite *
smb_runner_polled(const Runner *runner, const Step *step) {
  guint32 block;
  const CodeGraph *graph = smb_code_graph(runner->code, step_number(runner, step), &block);
  g_autofree gboolean *loop = find_loop(graph, block);
  const SmbSite *polled = NULL;
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    const SmbFlowBlock *flow = &g_array_index(graph->blocks, SmbFlowBlock, b);
    for (guint32 s = flow->first; loop[b] && s < flow->end; s++) {
      const Step *other = &runner->steps[s];
      const SmbSite *site = find_site(runner, other);
      if (does_more(other) || (site && polled))
        return NULL;
      polled = site ? site : polled;
    }
  }
  return polled;
}

// Whether a step may lead to where the graph does not show it: out of the function, or to an end in one that is called.
static gboolean
may_leave(const Step *step) {
  return step->run == smb_step_jump ||
         (step->kind == STEP_OTHER && !smb_step_is_harmless(step) && step->run != smb_step_gather &&
          step->run != smb_step_barrier);
}

gboolean
smb_runner_is_endless(const Runner *runner) {
  guint32 block;
  guint n;
  const CodeGraph *graph = smb_code_graph(runner->code, runner->warp->splits->pc, &block);
  g_autofree gboolean *reached = g_new0(gboolean, graph->blocks->len);
  gboolean ends = smb_graph_reach(graph, block, SMB_FLOW_EXIT, reached, &n) ||
                  g_array_index(graph->blocks, SmbFlowBlock, block).n_successors == 0;
  reached[block] = TRUE;
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    const SmbFlowBlock *flow = &g_array_index(graph->blocks, SmbFlowBlock, b);
    for (guint32 s = flow->first; !ends && reached[b] && s < flow->end; s++)
      ends = may_leave(&runner->steps[s]);
  }
  return !ends;
}
