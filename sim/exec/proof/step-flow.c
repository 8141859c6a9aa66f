// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/proof/step-walk.h"

typedef struct {
  const Code *code;
  Flow *flow;
  GArray *order;       // guint32: first steps of blocks, as they were found
  GArray *found;       // FlowBlock, by that
  GHashTable *numbers; // first step → its place in @order, + 1
  GArray *successors;  // guint: two of each: places in @order, or NO_LOOP
} FlowBuilder;

enum {
  NEXT_STEP = 1,
  TARGET_STEP = 2,
};

static const Step *
builder_step(const FlowBuilder *builder, guint32 number) {
  return &g_array_index(builder->code->steps, Step, number);
}

// Where a step leads to; *@failure: why it is not known.
static guint
find_directions(const Step *step, const char **failure) {
  gboolean is_sure = step->guard == PREDICATE_TRUE && !step->unless;
  switch ((guint)step->opcode) {
  case STEP_BRANCH:
  case STEP_BRANCH_ANY:
  case STEP_BRANCH_ALL:
  case STEP_BRANCH_AROUND:
    return TARGET_STEP | (is_sure ? 0 : NEXT_STEP);
  case STEP_BRANCH_DIVIDED:
    return TARGET_STEP | NEXT_STEP;
  case STEP_EXIT:
  case STEP_TRAP:
  case STEP_RETURN:
  case STEP_RETURN_TO:
    return is_sure ? 0 : NEXT_STEP;
  case STEP_END:
    return 0;
  case STEP_SWITCH:
    *failure = "a branch by a table";
    return 0;
  case STEP_JUMP:
    *failure = "a jump to an address in a register";
    return 0;
  case STEP_CALL_POINTER:
  case STEP_CALL_ADDRESS:
    *failure = "a call through a pointer";
    return 0;
  case STEP_MISSING:
    *failure = "a call of a function that has no body";
    return 0;
  default:
    return NEXT_STEP;
  }
}

// Marks where blocks begin: at what branches lead to, and behind them.
static GHashTable *
find_leaders(FlowBuilder *builder, guint32 entry) {
  GHashTable *leaders = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  g_autoptr(GArray) rest = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_array_append_val(rest, entry);
  g_hash_table_add(leaders, GUINT_TO_POINTER(entry));
  while (rest->len > 0) {
    guint32 at = g_array_index(rest, guint32, rest->len - 1);
    g_array_set_size(rest, rest->len - 1);
    if (!g_hash_table_add(seen, GUINT_TO_POINTER(at)))
      continue;
    const Step *step = builder_step(builder, at);
    const char *failure = NULL;
    guint directions = find_directions(step, &failure);
    guint32 next = at + 1;
    if (failure && !builder->flow->failure) {
      builder->flow->failure = failure;
      builder->flow->failed_step = at;
    }
    if (directions & TARGET_STEP) {
      g_array_append_val(rest, step->target);
      g_hash_table_add(leaders, GUINT_TO_POINTER(step->target));
    }
    if (directions & NEXT_STEP)
      g_array_append_val(rest, next);
    if (directions != NEXT_STEP)
      g_hash_table_add(leaders, GUINT_TO_POINTER(next));
  }
  return leaders;
}

static guint
find_builder_block(FlowBuilder *builder, guint32 first, gboolean *is_new) {
  gpointer known = g_hash_table_lookup(builder->numbers, GUINT_TO_POINTER(first));
  *is_new = !known;
  if (known)
    return GPOINTER_TO_UINT(known) - 1;
  g_array_append_val(builder->order, first);
  g_hash_table_insert(builder->numbers, GUINT_TO_POINTER(first),
                      GUINT_TO_POINTER(builder->order->len));
  return builder->order->len - 1;
}

// Blocks and what follows them.
static void
find_flow_blocks(FlowBuilder *builder, guint32 entry, GHashTable *leaders) {
  gboolean is_new;
  find_builder_block(builder, entry, &is_new);
  for (guint b = 0; b < builder->order->len; b++) {
    guint32 first = g_array_index(builder->order, guint32, b), end = first;
    const char *ignored = NULL;
    guint directions;
    do
      directions = find_directions(builder_step(builder, end++), &ignored);
    while (directions == NEXT_STEP && !g_hash_table_contains(leaders, GUINT_TO_POINTER(end)));
    guint next[2] = {NO_LOOP, NO_LOOP};
    if (directions & TARGET_STEP)
      next[0] = find_builder_block(builder, builder_step(builder, end - 1)->target, &is_new);
    if (directions & NEXT_STEP)
      next[1] = find_builder_block(builder, end, &is_new);
    const FlowBlock block = {first, end, NO_LOOP};
    g_array_append_val(builder->found, block);
    g_array_append_vals(builder->successors, next, 2);
  }
}

static guint
successor_of(const FlowBuilder *builder, guint block, guint which) {
  return g_array_index(builder->successors, guint, 2 * block + which);
}

// Blocks in the order of the walk: each ahead of its successors, but for those that a path has come from.
static guint *
sort_blocks(const FlowBuilder *builder) {
  guint n = builder->order->len, place = n;
  guint *sorted = g_new(guint, n);
  g_autofree guint8 *state = g_new0(guint8, n); // successors that were looked at, + 1
  g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint));
  guint entry = 0;
  g_array_append_val(path, entry);
  state[0] = 1;
  while (path->len > 0) {
    guint at = g_array_index(path, guint, path->len - 1);
    if (state[at] == 3) {
      sorted[--place] = at;
      g_array_set_size(path, path->len - 1);
      continue;
    }
    guint next = successor_of(builder, at, state[at]++ - 1u);
    if (next != NO_LOOP && state[next] == 0) {
      state[next] = 1;
      g_array_append_val(path, next);
    }
  }
  return sorted;
}

// --- loops

typedef struct {
  guint n;
  guint *to;         // two of each block, by its place in the order
  guint *dominators; // the nearest
} FlowGraph;

static guint
find_common_dominator(const FlowGraph *graph, guint a, guint b) {
  while (a != b) {
    if (a > b)
      a = graph->dominators[a];
    else
      b = graph->dominators[b];
  }
  return a;
}

static void
find_flow_dominators(FlowGraph *graph) {
  gboolean changes = TRUE;
  for (guint b = 0; b < graph->n; b++)
    graph->dominators[b] = b ? NO_LOOP : 0;
  while (changes) {
    changes = FALSE;
    for (guint from = 0; from < graph->n; from++) {
      for (guint i = 0; i < 2; i++) {
        guint to = graph->to[2 * from + i];
        if (to == NO_LOOP || to == 0 || graph->dominators[from] == NO_LOOP)
          continue;
        guint old = graph->dominators[to];
        guint common = old == NO_LOOP ? from : find_common_dominator(graph, old, from);
        changes = changes || common != old;
        graph->dominators[to] = common;
      }
    }
  }
}

static gboolean
is_dominated(const FlowGraph *graph, guint block, guint by) {
  while (block > by)
    block = graph->dominators[block];
  return block == by;
}

// The blocks from which the edges back to a header come, without passing it. @inside: by block
static void
collect_loop(const FlowGraph *graph, guint header, guint8 *inside) {
  gboolean changes = TRUE;
  memset(inside, 0, graph->n);
  inside[header] = 1;
  for (guint from = header; from < graph->n; from++)
    inside[from] |= graph->to[2 * from] == header || graph->to[2 * from + 1] == header;
  while (changes) {
    changes = FALSE;
    for (guint from = graph->n; from-- > header + 1;) {
      for (guint i = 0; i < 2 && !inside[from]; i++) {
        guint to = graph->to[2 * from + i];
        inside[from] = to != NO_LOOP && to != header && inside[to];
        changes = changes || inside[from];
      }
    }
  }
}

static gboolean
has_edge_back(const FlowGraph *graph, guint header) {
  for (guint from = header; from < graph->n; from++) {
    if (graph->to[2 * from] == header || graph->to[2 * from + 1] == header)
      return TRUE;
  }
  return FALSE;
}

// Inner loops first: their headers come later.
static void
find_flow_loops(Flow *flow, const FlowGraph *graph) {
  g_autofree guint8 *inside = g_new(guint8, graph->n);
  for (guint header = graph->n; header-- > 0;) {
    if (!has_edge_back(graph, header))
      continue;
    collect_loop(graph, header, inside);
    for (guint b = header; b < graph->n; b++) {
      guint *loop = &g_array_index(flow->blocks, FlowBlock, b).loop;
      if (!inside[b])
        continue;
      if (*loop == NO_LOOP) {
        *loop = header;
        continue;
      }
      guint outermost = *loop;
      while (flow->outer[outermost] != NO_LOOP && outermost != header)
        outermost = flow->outer[outermost];
      if (outermost != header)
        flow->outer[outermost] = header;
    }
  }
}

// FALSE: a loop can be entered elsewhere than at its header.
static gboolean
is_reducible(const FlowGraph *graph) {
  for (guint from = 0; from < graph->n; from++) {
    for (guint i = 0; i < 2; i++) {
      guint to = graph->to[2 * from + i];
      if (to != NO_LOOP && to <= from && !is_dominated(graph, from, to))
        return FALSE;
    }
  }
  return TRUE;
}

static void
order_blocks(FlowBuilder *builder) {
  Flow *flow = builder->flow;
  guint n = builder->order->len;
  g_autofree guint *sorted = sort_blocks(builder), *rank = g_new(guint, n);
  g_autofree guint *to = g_new(guint, 2 * (gsize)n), *dominators = g_new(guint, n);
  FlowGraph graph = {n, to, dominators};
  for (guint i = 0; i < n; i++)
    rank[sorted[i]] = i;
  flow->outer = g_new(guint, n);
  for (guint i = 0; i < n; i++) {
    FlowBlock block = g_array_index(builder->found, FlowBlock, sorted[i]);
    flow->outer[i] = NO_LOOP;
    g_array_append_val(flow->blocks, block);
    g_hash_table_insert(flow->block_of, GUINT_TO_POINTER(block.first), GUINT_TO_POINTER(i + 1));
    for (guint which = 0; which < 2; which++) {
      guint next = successor_of(builder, sorted[i], which);
      to[2 * i + which] = next == NO_LOOP ? NO_LOOP : rank[next];
    }
  }
  find_flow_dominators(&graph);
  if (!is_reducible(&graph) && !flow->failure) {
    flow->failure = "a loop that is entered in more than one place";
    flow->failed_step = flow_block(flow, 0)->first;
  }
  find_flow_loops(flow, &graph);
}

Flow *
smb_flow_new(const Code *code, guint32 entry) {
  Flow *flow = g_new0(Flow, 1);
  g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(FlowBlock));
  g_autoptr(GArray) successors = g_array_new(FALSE, FALSE, sizeof(guint));
  g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
  FlowBuilder builder = {code, flow, order, found, numbers, successors};
  flow->blocks = g_array_new(FALSE, FALSE, sizeof(FlowBlock));
  flow->block_of = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) leaders = find_leaders(&builder, entry);
  find_flow_blocks(&builder, entry, leaders);
  order_blocks(&builder);
  return flow;
}

void
smb_flow_free(Flow *flow) {
  g_array_unref(flow->blocks);
  g_hash_table_unref(flow->block_of);
  g_free(flow->outer);
  g_free(flow);
}
