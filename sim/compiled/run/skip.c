// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A branch, or an exit, whose condition is not known. Between it and the place where its ways meet again, or the end of the
// threads if they do not, some lanes execute some steps, those of functions that they call there among them. If none of these
// asks for shared memory, waits for other threads or ends only some of them, no count depends on the branch: lanes go on where
// the ways meet, or return to the caller if they do so there, and nothing is known of what the steps between would have written.
#include <string.h>

#include "sim/compiled/run/run.h"

// What lies between a branch and where its ways meet.
typedef struct {
  guint32 end;        // the step where they meet; SMB_FLOW_EXIT: they do not
  const Step *needed; // a step that cannot be skipped, or NULL
  const Step *ends;   // one that ends threads, though others go on behind the stretch; or NULL
  const Step *blind;  // one that calls a function by a pointer: not known which; or NULL
  gboolean ordered;   // it was said that what is there depends on the order of threads
  GArray *steps;      // guint32: first and last + 1 of each block
} Stretch;

static void
stretch_free(gpointer data) {
  Stretch *stretch = data;
  g_array_unref(stretch->steps);
  g_free(stretch);
}

const CodeGraph *
smb_code_graph(const Code *code, guint32 step, guint32 *block) {
  for (guint g = 0; g < code->graphs->len; g++) {
    const CodeGraph *graph = g_ptr_array_index(code->graphs, g);
    for (guint b = 0; b < graph->blocks->len; b++) {
      const SmbFlowBlock *flow = &g_array_index(graph->blocks, SmbFlowBlock, b);
      *block = b;
      if (step >= flow->first && step < flow->end)
        return graph;
    }
  }
  g_assert_not_reached();
}

// Whether a step must not be skipped. A kernel that may stop itself is taken not to. @to_end: all ways end the threads, be it there or later.
static gboolean
is_needed(const Runner *runner, const Step *step, gboolean to_end) {
  switch (step->kind) {
  case STEP_TRANSFER:
    return smb_transfer_may_be_shared(runner, step->transfer) ||
           (step->source && smb_transfer_may_be_shared(runner, step->source));
  case STEP_OTHER:
    return !smb_step_is_harmless(step) && step->run != smb_step_gather &&
           step->run != smb_step_call && step->run != smb_step_return &&
           step->run != smb_step_call_code && step->run != smb_step_call_address &&
           step->run != smb_step_return_to && step->run != smb_step_trap &&
           step->run != smb_step_end && !(to_end && step->run == smb_step_exit);
  case STEP_APART:
    return TRUE;
  case STEP_COMPUTE:
  case STEP_BRANCH:
  case STEP_MEETING:
  case STEP_FRAME:
  case STEP_OPAQUE:
    return FALSE;
  }
  g_assert_not_reached();
}

gboolean
smb_graph_reach(const CodeGraph *graph, guint32 branch, guint32 but, gboolean *seen,
                guint *n_seen) {
  const SmbFlowBlock *blocks = (const SmbFlowBlock *)(gpointer)graph->blocks->data;
  g_autoptr(GArray) rest = g_array_new(FALSE, FALSE, sizeof(guint32));
  gboolean ends = FALSE;
  memset(seen, 0, graph->blocks->len * sizeof *seen);
  *n_seen = 0;
  g_array_append_vals(rest, blocks[branch].successors, blocks[branch].n_successors);
  while (rest->len > 0) {
    guint32 b = g_array_index(rest, guint32, rest->len - 1);
    g_array_set_size(rest, rest->len - 1);
    ends = ends || b == SMB_FLOW_EXIT;
    if (b == but || b == SMB_FLOW_EXIT || seen[b])
      continue;
    seen[b] = TRUE;
    ++*n_seen;
    ends = ends || blocks[b].n_successors == 0;
    g_array_append_vals(rest, blocks[b].successors, blocks[b].n_successors);
  }
  return ends;
}

// The first block that all ways from a branch lead to (its immediate post-dominator), or SMB_FLOW_EXIT. It is asked for
// a few branches, so all blocks are tried.
static guint32
find_meeting(const CodeGraph *graph, guint32 branch, gboolean *seen) {
  guint32 nearest = SMB_FLOW_EXIT;
  guint n, fewest = G_MAXUINT;
  g_autofree gboolean *reached = g_new0(gboolean, graph->blocks->len);
  smb_graph_reach(graph, branch, SMB_FLOW_EXIT, reached, &n);
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    if (!reached[b] || smb_graph_reach(graph, branch, b, seen, &n) || n >= fewest)
      continue;
    nearest = b;
    fewest = n;
  }
  return nearest;
}

static const SmbFlowBlock *
graph_blocks(const CodeGraph *graph) {
  return (const SmbFlowBlock *)(gpointer)graph->blocks->data;
}

static void add_block(const Runner *runner, Stretch *stretch, const SmbFlowBlock *block);

// What a call by an address can lead to, if that is none of the program's own functions: those of the run-time system that are
// known. FALSE: it may be another.
static gboolean
add_provided(const Runner *runner, Stretch *stretch) {
  const GArray *entries = runner->code->entries;
  if (runner->code->points_at_code)
    return FALSE;
  for (guint i = 0; i < entries->len; i++) {
    const CodeEntry *entry = &g_array_index(entries, CodeEntry, i);
    guint32 block;
    if (entry->name && entry->step == NO_STEP)
      return FALSE;
    if (entry->name)
      add_block(runner, stretch, graph_blocks(smb_code_graph(runner->code, entry->step, &block)));
  }
  return TRUE;
}

// A block of the stretch, once, and all blocks of the functions that it calls.
static void
add_block(const Runner *runner, Stretch *stretch, const SmbFlowBlock *block) {
  gboolean to_end = stretch->end == SMB_FLOW_EXIT;
  for (guint i = 0; i < stretch->steps->len; i += 2) {
    if (g_array_index(stretch->steps, guint32, i) == block->first)
      return;
  }
  guint32 ends[] = {block->first, block->end};
  g_array_append_vals(stretch->steps, ends, 2);
  for (guint32 i = block->first; i < block->end; i++) {
    const Step *step = &runner->steps[i];
    if (!stretch->needed && is_needed(runner, step, to_end))
      stretch->needed = step;
    if (!stretch->ends && !to_end && step->run == smb_step_exit)
      stretch->ends = step;
    if (step->run == smb_step_call_pointer ||
        (step->run == smb_step_call_address && !add_provided(runner, stretch)))
      stretch->blind = step;
    if (step->run != smb_step_call && step->run != smb_step_call_code)
      continue;
    guint32 first;
    const CodeGraph *callee = smb_code_graph(runner->code, step->target, &first);
    for (guint32 b = 0; b < callee->blocks->len; b++)
      add_block(runner, stretch, graph_blocks(callee) + b);
  }
}

// A return in blocks that do not meet, some of which may end the threads; NULL: there is none.
static const Step *
find_return(const Runner *runner, const CodeGraph *graph, const gboolean *seen) {
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    if (seen[b] && graph_blocks(graph)[b].flow == SMB_FLOW_RETURN)
      return &runner->steps[graph_blocks(graph)[b].end - 1];
  }
  return NULL;
}

static Stretch *
make_stretch(const Runner *runner, guint32 at) {
  guint32 branch;
  guint n;
  const CodeGraph *graph = smb_code_graph(runner->code, at, &branch);
  g_autofree gboolean *seen = g_new0(gboolean, graph->blocks->len);
  guint32 meeting = find_meeting(graph, branch, seen);
  Stretch *stretch = g_new0(Stretch, 1);
  stretch->steps = g_array_new(FALSE, FALSE, sizeof(guint32));
  stretch->end = meeting == SMB_FLOW_EXIT ? SMB_FLOW_EXIT : graph_blocks(graph)[meeting].first;
  smb_graph_reach(graph, branch, meeting, seen, &n);
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    if (seen[b])
      add_block(runner, stretch, graph_blocks(graph) + b);
  }
  if (meeting == SMB_FLOW_EXIT)
    stretch->ends = find_return(runner, graph, seen);
  return stretch;
}

static Stretch *
find_stretch(Runner *runner, guint32 at) {
  if (!runner->stretches)
    runner->stretches = g_hash_table_new_full(NULL, NULL, NULL, stretch_free);
  Stretch *stretch = g_hash_table_lookup(runner->stretches, GUINT_TO_POINTER(at));
  if (stretch)
    return stretch;
  stretch = make_stretch(runner, at);
  g_hash_table_insert(runner->stretches, GUINT_TO_POINTER(at), stretch);
  return stretch;
}

// What a step that may be executed by some of @lanes leaves.
static void
forget_step(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin) {
  if (step->kind == STEP_COMPUTE)
    smb_runner_forget_results(runner, step, lanes, origin);
  else if (step->kind == STEP_OPAQUE)
    smb_step_opaque(runner, step, lanes);
  else if (step->kind == STEP_APART)
    smb_runner_lose(runner, step, lanes, origin);
  else if (step->kind != STEP_FRAME)
    smb_runner_forget(runner, step, lanes, origin);
  smb_runner_lose_global(runner, step);
  smb_runner_forget_copies(runner, step, lanes);
  if (step->kind == STEP_TRANSFER && step->transfer->move.op_class != SMB_OP_CLASS_LOAD)
    smb_runner_blur(runner, step, lanes, origin);
  if (step->run != smb_step_sync && step->run != smb_step_sync_own)
    return;
  // Those that wait there wait for these lanes no longer.
  FOR_LANES(lanes, lane) {
    smb_splits_break(runner->warp->splits, smb_runner_barrier(runner, step->argument, lane),
                     (SmbLanes)1 << lane);
  }
}

static void
forget_stretch(Runner *runner, const Stretch *stretch, SmbLanes lanes, guint32 origin) {
  for (guint i = 0; i < stretch->steps->len; i += 2) {
    guint32 end = g_array_index(stretch->steps, guint32, i + 1);
    for (guint32 s = g_array_index(stretch->steps, guint32, i); s < end; s++)
      forget_step(runner, &runner->steps[s], lanes, origin);
  }
}

// The requests between the branch and where its ways meet are not counted.
static void
leave_out(Runner *runner, const Stretch *stretch, SmbLanes lanes, guint32 origin) {
  for (guint i = 0; i < stretch->steps->len; i += 2) {
    guint32 end = g_array_index(stretch->steps, guint32, i + 1);
    for (guint32 s = g_array_index(stretch->steps, guint32, i); s < end; s++) {
      const Step *step = &runner->steps[s];
      gboolean asks =
          step->kind == STEP_TRANSFER && smb_transfer_may_be_shared(runner, step->transfer);
      if (asks || step->kind == STEP_APART)
        smb_runner_uncounted(runner, step, lanes, "whether it is executed", origin);
    }
  }
}

void
smb_runner_warn_polling(Runner *runner, const Step *step) {
  guint32 block;
  const CodeGraph *graph = smb_code_graph(runner->code, step_number(runner, step), &block);
  const SmbFlowBlock *blocks = (const SmbFlowBlock *)(gpointer)graph->blocks->data;
  if (!runner->block->sink->warn || !g_hash_table_add(runner->polls, (gpointer)step))
    return;
  const Stretch *stretch = find_stretch(runner, step_number(runner, step));
  gboolean loops = FALSE;
  for (guint i = 0; i < stretch->steps->len; i += 2)
    loops = loops || g_array_index(stretch->steps, guint32, i) == blocks[block].first;
  for (guint i = 0; i < stretch->steps->len && loops; i += 2) {
    guint32 end = g_array_index(stretch->steps, guint32, i + 1);
    for (guint32 s = g_array_index(stretch->steps, guint32, i); s < end; s++) {
      const Step *other = &runner->steps[s];
      if (other->kind != STEP_TRANSFER || !smb_transfer_may_be_shared(runner, other->transfer))
        continue;
      guint site = other->transfer->move.site;
      g_autofree char *message = g_strdup_printf(
          "%s is repeated while a loop polls an mbarrier: it is counted as often as if the loop "
          "ended at the first chance",
          smb_program_site(runner->block->program, site)->expression);
      runner->block->sink->warn(runner->block->user, SMB_WARNING_TIMING, site, site, message);
    }
  }
}

gboolean
smb_runner_skip(Runner *runner, const Step *step, guint32 origin) {
  SmbSplits *splits = runner->warp->splits;
  const Stretch *stretch = find_stretch(runner, step_number(runner, step));
  if (stretch->needed && !runner->skips)
    smb_runner_uncounted(runner, stretch->needed, splits->mask, "whether it is executed", origin);
  if (stretch->ends || stretch->blind)
    return smb_runner_cannot_tell(runner, stretch->ends ? stretch->ends : stretch->blind, origin);
  leave_out(runner, stretch, splits->mask, origin);
  forget_stretch(runner, stretch, splits->mask, origin);
  if (stretch->end == SMB_FLOW_EXIT)
    return smb_step_exit(runner, step, splits->mask);
  splits->pc = stretch->end;
  return TRUE;
}

// What is written there, in lanes that keep other values, or in memory, depends on it from now on.
static void
mark_written(Runner *runner, const Step *step) {
  Registers *registers = runner->warp->registers;
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    for (guint row = 0; row < written->n; row++)
      registers->flags[0][written->row + row] |= ROW_ORDER;
    if (written->n == 0)
      registers->predicate_flags[written->predicate] |= ROW_ORDER;
  }
  if (step->kind == STEP_COMPUTE) {
    const OperationInfo *info = smb_operation_info((Operation)step->compute.operation);
    gboolean has_row = info->result != SHAPE_PREDICATE || step->compute.bytes > 0;
    for (guint row = 0; has_row && row < step->compute.n_rows[0]; row++)
      registers->flags[0][step->compute.d + row] |= ROW_ORDER;
    registers->predicate_flags[step->compute.p] |= ROW_ORDER;
    registers->predicate_flags[step->compute.q] |= ROW_ORDER;
    registers->predicate_flags[PREDICATE_TRUE] = 0;
  }
  if (step->kind == STEP_TRANSFER && step->transfer->move.op_class != SMB_OP_CLASS_LOAD) {
    if (smb_transfer_may_be_shared(runner, step->transfer))
      runner->written[REGION_SHARED] |= OBJECT_ORDERED;
    for (guint i = REGION_LOCAL;
         step->transfer->window != WINDOW_SHARED && i < runner->block->n_objects; i++)
      runner->written[i] |= OBJECT_ORDERED;
  }
}

void
smb_order_branches(Runner *runner, const Step *branch) {
  Stretch *stretch = find_stretch(runner, step_number(runner, branch));
  for (guint i = 0; i < stretch->steps->len; i += 2) {
    guint32 end = g_array_index(stretch->steps, guint32, i + 1);
    for (guint32 s = g_array_index(stretch->steps, guint32, i); s < end; s++) {
      const Step *step = &runner->steps[s];
      mark_written(runner, step);
      if (!stretch->ordered && step->kind == STEP_TRANSFER)
        smb_order_decides(runner, step->transfer, "whether it is executed");
    }
  }
  if (stretch->blind && !stretch->ordered)
    smb_order_decides_all(runner);
  stretch->ordered = TRUE;
}
