// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A branch, or an exit, whose condition is not known. Between it and the place where its ways reconverge, or the end of
// the threads if they do not, some lanes execute some steps, those of functions that they call there among them. If
// none of these asks for shared memory, waits for other threads or ends only some of them, no count depends on the
// branch: lanes continue where the paths reconverge, or return to the caller if they do so there, and nothing is known
// of what the steps between would have written.
#include "sim/exec/unknown/unknown.h"

// What lies between a branch and where its paths reconverge.
struct _Stretch {
  guint32 end;          // the step where they reconverge; SMB_FLOW_EXIT: they do not
  const Step *needed;   // a step that cannot be skipped, or NULL
  const Step *ends;     // one that ends threads, though others continue behind the stretch; or NULL
  const Step *blind;    // one that calls a function by a pointer: not known which; or NULL
  gboolean stores;      // some of it may store to local memory, where registers say
  gboolean ordered;     // it was said that what is there depends on the order of threads
  GArray *steps;        // guint32: their numbers, block after block
  GHashTable *blocks;   // the first step of each, + 1
  StretchWrites writes; // smb_stretch_writes(); there are no rows before
};

static void
stretch_free(gpointer data) {
  Stretch *stretch = data;
  g_array_unref(stretch->steps);
  g_hash_table_unref(stretch->blocks);
  g_clear_pointer(&stretch->writes.rows, g_array_unref);
  g_clear_pointer(&stretch->writes.predicates, g_array_unref);
  g_free(stretch);
}

const Step *
smb_stretch_next(const Exec *exec, const Stretch *stretch, guint32 *i) {
  return *i < stretch->steps->len ? &exec->steps[g_array_index(stretch->steps, guint32, (*i)++)]
                                  : NULL;
}

gboolean
smb_stretch_has_block(const Stretch *stretch, guint32 first) {
  return g_hash_table_contains(stretch->blocks, GUINT_TO_POINTER(first + 1));
}

gboolean
smb_stretch_is_open(const Stretch *stretch) {
  return stretch->blind != NULL;
}

gboolean
smb_stretch_mark_ordered(Stretch *stretch) {
  gboolean before = stretch->ordered;
  stretch->ordered = TRUE;
  return before;
}

// --- what is part of it

// Whether a step must not be skipped. A kernel that may stop itself is taken not to. @to_end: all ways end the threads,
// be it there or later.
static gboolean
must_execute(const Exec *exec, const Step *step, gboolean to_end) {
  switch ((StepKind)step->kind) {
  case KIND_TRANSFER:
    return exec_may_be_shared(exec, step->transfer) ||
           (step->source && exec_may_be_shared(exec, step->source));
  case KIND_CONTROL:
    return !(step->flags & STEP_SKIPPED);
  case KIND_EXIT:
    return !to_end;
  case KIND_APART:
    return TRUE;
  case KIND_COMPUTE:
  case KIND_BRANCH:
  case KIND_MEETING:
  case KIND_FRAME:
  case KIND_HARMLESS:
  case KIND_OPAQUE:
    return FALSE;
  }
  g_assert_not_reached();
}

// The first block that all ways from a branch lead to (its immediate post-dominator), or SMB_FLOW_EXIT. It is asked for
// a few branches, so all blocks are tried.
static guint32
find_postdominator(const CodeGraph *graph, guint32 branch, gboolean *seen) {
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

static void add_stretch_block(const Exec *exec, Stretch *stretch, const SmbFlowBlock *block);

// What a call through an address can reach besides the program's own functions: known functions of the run-time system.
// FALSE: it may reach others.
static gboolean
add_provided(const Exec *exec, Stretch *stretch) {
  const GArray *entries = exec->code->entries;
  if (exec->code->points_at_code)
    return FALSE;
  for (guint i = 0; i < entries->len; i++) {
    const CodeEntry *entry = &g_array_index(entries, CodeEntry, i);
    guint32 block;
    if (entry->name && entry->step == NO_STEP)
      return FALSE;
    if (entry->name)
      add_stretch_block(exec, stretch,
                        graph_blocks(smb_code_graph(exec->code, entry->step, &block)));
  }
  return TRUE;
}

static void
add_stretch_function(const Exec *exec, Stretch *stretch, guint32 step) {
  guint32 first;
  const CodeGraph *graph = smb_code_graph(exec->code, step, &first);
  for (guint32 b = 0; b < graph->blocks->len; b++)
    add_stretch_block(exec, stretch, graph_blocks(graph) + b);
}

static gboolean
may_store_locally(const Step *step) {
  return step_stores(step) && step->transfer->address_rows > 0 &&
         (step->transfer->window == WINDOW_LOCAL || step->transfer->is_generic);
}

// A block of the stretch, once, and all blocks of the functions that it calls.
static void
add_stretch_block(const Exec *exec, Stretch *stretch, const SmbFlowBlock *block) {
  gboolean to_end = stretch->end == SMB_FLOW_EXIT;
  if (!g_hash_table_add(stretch->blocks, GUINT_TO_POINTER(block->first + 1)))
    return;
  for (guint32 i = block->first; i < block->end; i++)
    g_array_append_val(stretch->steps, i);
  for (guint32 i = block->first; i < block->end; i++) {
    const Step *step = &exec->steps[i];
    if (!stretch->needed && must_execute(exec, step, to_end))
      stretch->needed = step;
    if (!stretch->ends && !to_end && step->kind == KIND_EXIT)
      stretch->ends = step;
    if (step->flags & STEP_CALLS_ANY ||
        (step->flags & STEP_CALLS_PROVIDED && !add_provided(exec, stretch)))
      stretch->blind = step;
    stretch->stores = stretch->stores || may_store_locally(step);
    if (step->flags & STEP_CALLS)
      add_stretch_function(exec, stretch, step->target);
  }
}

// A return in a stretch whose paths do not reconverge and may end threads; NULL: there is none.
static const Step *
find_return(const Exec *exec, const CodeGraph *graph, const gboolean *seen) {
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    if (seen[b] && graph_blocks(graph)[b].flow == SMB_FLOW_RETURN)
      return &exec->steps[graph_blocks(graph)[b].end - 1];
  }
  return NULL;
}

// The steps from a branch up to its immediate post-dominator, including those of functions that they call. Without a
// post-dominator the stretch ends where the threads do.
static Stretch *
make_stretch(const Exec *exec, guint32 at) {
  guint32 branch;
  guint n;
  const CodeGraph *graph = smb_code_graph(exec->code, at, &branch);
  g_autofree gboolean *seen = g_new0(gboolean, graph->blocks->len);
  guint32 meeting = find_postdominator(graph, branch, seen);
  Stretch *stretch = g_new0(Stretch, 1);
  stretch->steps = g_array_new(FALSE, FALSE, sizeof(guint32));
  stretch->blocks = g_hash_table_new(NULL, NULL);
  stretch->end = meeting == SMB_FLOW_EXIT ? SMB_FLOW_EXIT : graph_blocks(graph)[meeting].first;
  smb_graph_reach(graph, branch, meeting, seen, &n);
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    if (seen[b])
      add_stretch_block(exec, stretch, graph_blocks(graph) + b);
  }
  if (meeting == SMB_FLOW_EXIT)
    stretch->ends = find_return(exec, graph, seen);
  return stretch;
}

Stretch *
smb_stretch_find(Exec *exec, guint32 branch) {
  GHashTable **stretches = &exec->unknown->stretches;
  if (!*stretches)
    *stretches = g_hash_table_new_full(NULL, NULL, NULL, stretch_free);
  Stretch *stretch = g_hash_table_lookup(*stretches, GUINT_TO_POINTER(branch));
  if (stretch)
    return stretch;
  stretch = make_stretch(exec, branch);
  g_hash_table_insert(*stretches, GUINT_TO_POINTER(branch), stretch);
  return stretch;
}

// --- what it writes

// Adds a number that is not there yet.
static void
add_distinct(GArray *numbers, guint32 number) {
  for (guint i = 0; i < numbers->len; i++) {
    if (g_array_index(numbers, guint32, i) == number)
      return;
  }
  g_array_append_val(numbers, number);
}

static void
add_predicate(StretchWrites *writes, Predicate predicate) {
  if (predicate != PREDICATE_TRUE)
    add_distinct(writes->predicates, predicate);
}

static void
add_writes(StretchWrites *writes, const Exec *exec, const Step *step) {
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    for (guint row = 0; row < written->n; row++)
      add_distinct(writes->rows, written->row + row);
    if (written->n == 0)
      add_predicate(writes, written->predicate);
  }
  if (step->kind == KIND_COMPUTE) {
    const OperationInfo *info = smb_operation_info((Operation)step->compute.operation);
    gboolean has_row = info->result != SHAPE_PREDICATE || step->compute.bytes > 0;
    for (guint row = 0; has_row && row < step->compute.n_rows[0]; row++)
      add_distinct(writes->rows, step->compute.d + row);
    add_predicate(writes, step->compute.p);
    add_predicate(writes, step->compute.q);
  }
  if (step_stores(step)) {
    writes->shared = writes->shared || exec_may_be_shared(exec, step->transfer);
    writes->elsewhere = writes->elsewhere || step->transfer->window != WINDOW_SHARED;
  }
}

const StretchWrites *
smb_stretch_writes(const Exec *exec, Stretch *stretch) {
  StretchWrites *writes = &stretch->writes;
  guint32 i = 0;
  if (writes->rows)
    return writes;
  writes->rows = g_array_new(FALSE, FALSE, sizeof(guint32));
  writes->predicates = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (const Step *step; (step = smb_stretch_next(exec, stretch, &i));)
    add_writes(writes, exec, step);
  return writes;
}

// --- where it is skipped

// Whether a step computes, in all lanes that reach it, from what is alike in all blocks and in any order of threads.
static gboolean
computes_alike(const Registers *registers, const Step *step) {
  const Compute *compute = &step->compute;
  guint flags = 0;
  for (guint i = 0; i < compute->n_sources; i++) {
    for (guint row = 0; row < compute->n_rows[1 + i]; row++)
      flags |= row_flags(registers, compute->s[i] + row);
  }
  for (guint i = 0; i < G_N_ELEMENTS(compute->in); i++)
    flags |= registers->predicate_flags[compute->in[i]];
  return step->n_computing > 0 && !(flags & (ROW_DEPENDS | ROW_TAINT));
}

// What the steps of a block change in memory, from the @i-th of the stretch on, up to a call. What the stretch writes is
// not known where they begin. They compute from the rest, so that it is known where they store if they do; then their
// results are forgotten again. Returns the step behind.
static guint32
doubt_stores(Exec *exec, const Stretch *stretch, guint32 i, SmbLanes lanes, guint32 origin) {
  const Step *step;
  guint32 first = i, calls = STEP_CALLS | STEP_CALLS_ANY | STEP_CALLS_PROVIDED;
  do {
    step = smb_stretch_next(exec, stretch, &i);
    if (step->kind == KIND_TRANSFER)
      smb_step_info(step->opcode)->doubt(exec, step, lanes, origin);
    else if (step->kind == KIND_COMPUTE && computes_alike(exec->warp->registers, step))
      smb_compute(&step->compute, exec->warp->registers, lanes);
    else if (step->kind == KIND_COMPUTE)
      smb_doubt_compute(exec, step, lanes, origin);
    else if (step->kind != KIND_FRAME)
      smb_doubt_writes(exec, step, lanes, origin);
  } while (i < stretch->steps->len && !(step->flags & calls) &&
           !smb_stretch_has_block(stretch, g_array_index(stretch->steps, guint32, i)));
  for (guint32 at = first; at < i;) {
    step = smb_stretch_next(exec, stretch, &at);
    if (step->kind == KIND_COMPUTE)
      smb_doubt_compute(exec, step, lanes, origin);
  }
  return i;
}

// What steps that may be executed by some of @lanes leave: registers, then memory.
static void
doubt_all(Exec *exec, const Stretch *stretch, SmbLanes lanes, guint32 origin) {
  const Step *step;
  for (guint32 i = 0; (step = smb_stretch_next(exec, stretch, &i));) {
    if (step->kind == KIND_TRANSFER && stretch->stores)
      smb_doubt_writes(exec, step, lanes, origin);
    else if (step->kind != KIND_FRAME)
      smb_step_info(step->opcode)->doubt(exec, step, lanes, origin);
  }
  for (guint32 i = 0; stretch->stores && i < stretch->steps->len;)
    i = doubt_stores(exec, stretch, i, lanes, origin);
}

// The requests between the branch and where its paths reconverge are not counted.
static void
leave_out(Exec *exec, const Stretch *stretch, SmbLanes lanes, guint32 origin) {
  guint32 i = 0;
  for (const Step *step; (step = smb_stretch_next(exec, stretch, &i));) {
    gboolean asks = step->kind == KIND_TRANSFER && exec_may_be_shared(exec, step->transfer);
    if (asks || step->kind == KIND_APART)
      smb_unknown_uncounted(exec, step, lanes, "whether it is executed", origin);
  }
}

gboolean
smb_unknown_skip(Exec *exec, const Step *step, guint32 origin) {
  SmbSplits *splits = exec->warp->splits;
  const Stretch *stretch = smb_stretch_find(exec, step_number(exec, step));
  if (stretch->needed && !exec->unknown->skips)
    smb_unknown_uncounted(exec, stretch->needed, splits->mask, "whether it is executed", origin);
  if (stretch->ends || stretch->blind)
    return smb_unknown_cannot_tell(exec, stretch->ends ? stretch->ends : stretch->blind, origin);
  leave_out(exec, stretch, splits->mask, origin);
  doubt_all(exec, stretch, splits->mask, origin);
  if (stretch->end == SMB_FLOW_EXIT)
    return smb_step_info(STEP_EXIT)->run(exec, step, splits->mask);
  splits->pc = stretch->end;
  return TRUE;
}
