// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Places convergence barriers: post-dominators first, then joins, then the ends of loops; gives them numbers.
#include "sim/exec/flow/converge.h"

#include <string.h>

#include "sim/exec/flow/converge-graph.h"

enum {
  MAX_STEPS = 1 << 23, // nodes that are looked at, until no more barriers are placed
};

static guint32
count_placing_edges(const SmbEdges *edges, guint32 node) {
  return edges->first[node + 1] - edges->first[node];
}

// A barrier in the making.
typedef struct {
  guint32 block; // where lanes reconverge
  guint32 arms;  // the block at whose end it is armed, or the entry of a loop
  guint32 *live; // blocks at whose start lanes may have it armed, but for @block; rising
  guint32 n_live;
  guint number;
} Barrier;

typedef struct {
  const SmbFlowBlock *blocks;
  const SmbGraph *graph;
  guint32 *marks; // by node: the last walk that came here
  guint32 n_walks;
  GArray *barriers;     // of Barrier
  guint32 *at;          // by node: which of them is there, from 1; or 0
  guint32 *ipdom;       // by node
  guint32 *stack;       // for walks
  gboolean *meets;      // by node: whether lanes reconverge there after a branch, in any case
  gboolean *returns;    // by node: whether it alone goes back to the header of a loop by some edge
  guint64 *used_starts; // by node: numbers that are armed at its start, and at its end
  guint64 *used_ends;
  guint n_left_out;
  guint64 n_steps; // of walks
} Placing;

static gboolean
is_divergent(const Placing *placing, guint32 node) {
  return node < placing->graph->n_blocks && placing->blocks[node].flow == SMB_FLOW_DIVERGENT;
}

// The block at whose end the barrier of a meeting place is armed: the nearest that dominates it, in no loop that the
// meeting place is not in.
static guint32
find_arming(const SmbGraph *graph, guint32 block) {
  guint32 node = graph->idom[block];
  while (graph->loop[node] != SMB_NO_NODE && !smb_graph_in_loop(graph, block, graph->loop[node]))
    node = graph->idom[graph->irreducible ? node : graph->loop[node]];
  return node;
}

// Marks nodes from which @to is reached without passing @stop, with the number of this walk.
static guint32
mark_backwards(Placing *placing, guint32 to, guint32 stop) {
  guint32 *stack = placing->stack;
  const SmbEdges *edges = &placing->graph->predecessors;
  guint32 depth = 0, walk = ++placing->n_walks;
  placing->marks[to] = walk;
  stack[depth++] = to;
  while (depth) {
    guint32 node = stack[--depth];
    placing->n_steps++;
    for (guint32 i = edges->first[node]; i < edges->first[node + 1]; i++) {
      guint32 from = edges->to[i];
      if (from == stop || placing->marks[from] == walk)
        continue;
      placing->marks[from] = walk;
      stack[depth++] = from;
    }
  }
  return walk;
}

static int
compare_nodes(gconstpointer a, gconstpointer b) {
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
  return (x > y) - (x < y);
}

// Where a barrier is armed: from its arming block on, as long as the meeting place can be reached.
static void
find_live(Placing *placing, Barrier *barrier) {
  const SmbEdges *edges = &placing->graph->successors;
  guint32 *stack = placing->stack;
  guint32 before = mark_backwards(placing, barrier->block, barrier->arms);
  guint32 walk = ++placing->n_walks, depth = 0;
  g_autoptr(GArray) live = g_array_new(FALSE, FALSE, sizeof(guint32));
  stack[depth++] = barrier->arms;
  while (depth) {
    guint32 node = stack[--depth];
    placing->n_steps++;
    for (guint32 i = edges->first[node]; i < edges->first[node + 1]; i++) {
      guint32 to = edges->to[i];
      if (to == barrier->block || placing->marks[to] != before)
        continue;
      placing->marks[to] = walk;
      g_array_append_val(live, to);
      stack[depth++] = to;
    }
  }
  g_array_sort(live, compare_nodes);
  barrier->n_live = live->len;
  barrier->live = (guint32 *)g_array_free(g_steal_pointer(&live), FALSE);
}

// Whether lanes can come apart where the barrier is armed, and come to the meeting place in more than one way.
static gboolean
is_barrier_needed(const Placing *placing, const Barrier *barrier) {
  gboolean divides = is_divergent(placing, barrier->arms);
  for (guint32 i = 0; i < barrier->n_live && !divides; i++)
    divides = is_divergent(placing, barrier->live[i]);
  return divides && barrier->n_live > 0;
}

// Whether lanes that wait at a meeting place could wait, over lanes that wait elsewhere, for lanes that wait there.
static gboolean
waits_for_itself(Placing *placing, const Barrier *barrier) {
  guint32 depth = 0, walk = ++placing->n_walks, first = barrier->block;
  for (;;) {
    for (guint32 i = 0; i < barrier->n_live; i++) {
      guint32 block = barrier->live[i];
      if (block == first)
        return TRUE;
      if (placing->at[block] && placing->marks[block] != walk) {
        placing->marks[block] = walk;
        placing->stack[depth++] = placing->at[block] - 1;
      }
    }
    placing->n_steps += barrier->n_live;
    if (depth == 0)
      return FALSE;
    barrier = &g_array_index(placing->barriers, Barrier, placing->stack[--depth]);
  }
}

// Gives a barrier the lowest number that is not in use where it is armed; FALSE if there is none.
static gboolean
number_barrier(Placing *placing, Barrier *barrier) {
  guint64 used = placing->used_ends[barrier->arms] | placing->used_starts[barrier->block];
  for (guint32 i = 0; i < barrier->n_live; i++)
    used |= placing->used_starts[barrier->live[i]] | placing->used_ends[barrier->live[i]];
  if (used == ~(guint64)0)
    return FALSE;
  barrier->number = smb_lanes_first(~used);
  guint64 bit = G_GUINT64_CONSTANT(1) << barrier->number;
  placing->used_ends[barrier->arms] |= bit;
  placing->used_starts[barrier->block] |= bit;
  for (guint32 i = 0; i < barrier->n_live; i++) {
    placing->used_starts[barrier->live[i]] |= bit;
    placing->used_ends[barrier->live[i]] |= bit;
  }
  return TRUE;
}

// Lets lanes reconverge at a block, if they have to.
static void
add_barrier(Placing *placing, const Barrier *wanted) {
  Barrier barrier = *wanted;
  gboolean needed = is_barrier_needed(placing, &barrier);
  gboolean possible = !placing->graph->irreducible || !waits_for_itself(placing, &barrier);
  if (needed && possible && number_barrier(placing, &barrier)) {
    g_array_append_val(placing->barriers, barrier);
    placing->at[barrier.block] = placing->barriers->len;
    return;
  }
  placing->n_left_out += needed;
  g_free(barrier.live);
}

// A barrier for a meeting place. FALSE if there is one, or too much has been looked at.
static gboolean
start_barrier(Placing *placing, guint32 node, Barrier *barrier) {
  if (node == placing->graph->exit || placing->at[node])
    return FALSE;
  if (placing->n_steps > MAX_STEPS) {
    placing->n_left_out++;
    return FALSE;
  }
  *barrier = (Barrier){.block = node, .arms = find_arming(placing->graph, node)};
  find_live(placing, barrier);
  return TRUE;
}

// Whether several edges that do not go back enter a block.
static gboolean
is_join(const SmbGraph *graph, guint32 block) {
  guint32 n = 0;
  for (guint32 i = graph->predecessors.first[block]; i < graph->predecessors.first[block + 1]; i++)
    n += !smb_graph_goes_back(graph, graph->predecessors.to[i], block);
  return n > 1;
}

static gboolean
is_live(const Barrier *barrier, guint32 node) {
  return barrier->n_live > 0 &&
         bsearch(&node, barrier->live, barrier->n_live, sizeof node, compare_nodes) != NULL;
}

// Whether no lane misses the meeting place but one that leaves the function.
static gboolean
none_leaves(const Placing *placing, const Barrier *barrier, guint32 node) {
  const SmbGraph *graph = placing->graph;
  for (guint32 i = graph->successors.first[node]; i < graph->successors.first[node + 1]; i++) {
    guint32 to = graph->successors.to[i];
    if (to != barrier->block && !is_live(barrier, to) && graph->ends[to])
      return FALSE;
  }
  return TRUE;
}

static gboolean
all_come(const Placing *placing, const Barrier *barrier) {
  for (guint32 i = 0; i < barrier->n_live; i++) {
    if (!none_leaves(placing, barrier, barrier->live[i]))
      return FALSE;
  }
  return none_leaves(placing, barrier, barrier->arms);
}

// The nearest node after the arming block that all lanes come to that do not leave the function on the way, and that
// is not where the barrier is armed.
static guint32
find_barrier_end(const Placing *placing, const Barrier *barrier) {
  guint32 node = placing->ipdom[barrier->arms];
  while (node != placing->graph->exit && (node == barrier->block || is_live(barrier, node)))
    node = placing->ipdom[node];
  return node;
}

// Marks what can be reached from @from, itself included, without passing the arming block or @end, with the number of a
// walk. FALSE as soon as something is reached that was marked by walk @other.
static gboolean
walk_apart(Placing *placing, const Barrier *barrier, guint32 from, guint32 end, guint32 walk,
           guint32 other) {
  const SmbEdges *edges = &placing->graph->successors;
  guint32 depth = 0;
  if (from == end || from == barrier->arms || placing->marks[from] == walk)
    return TRUE;
  if (placing->marks[from] == other)
    return FALSE;
  placing->marks[from] = walk;
  placing->stack[depth++] = from;
  while (depth) {
    guint32 node = placing->stack[--depth];
    placing->n_steps++;
    for (guint32 i = edges->first[node]; i < edges->first[node + 1]; i++) {
      guint32 to = edges->to[i];
      if (to == end || to == barrier->arms || to == placing->graph->exit ||
          placing->marks[to] == walk)
        continue;
      if (placing->marks[to] == other)
        return FALSE;
      placing->marks[to] = walk;
      placing->stack[depth++] = to;
    }
  }
  return TRUE;
}

// Whether lanes that continue from @node and miss the meeting place meet those that do not at @end at the earliest, and
// do not go to another such meeting place.
static gboolean
leaves_well(Placing *placing, const Barrier *barrier, guint32 node, guint32 end, guint32 walk) {
  const SmbGraph *graph = placing->graph;
  for (guint32 i = graph->successors.first[node]; i < graph->successors.first[node + 1]; i++) {
    guint32 to = graph->successors.to[i];
    if (to == barrier->block || to == graph->exit || to == end || is_live(barrier, to))
      continue;
    if ((placing->at[to] && !placing->meets[to]) ||
        !walk_apart(placing, barrier, to, end, walk + 1, walk))
      return FALSE;
  }
  return TRUE;
}

static gboolean
all_leave_well(Placing *placing, const Barrier *barrier) {
  if (all_come(placing, barrier))
    return TRUE;
  guint32 end = find_barrier_end(placing, barrier), walk = placing->n_walks + 1;
  placing->n_walks += 2;
  walk_apart(placing, barrier, barrier->block, end, walk, 0);
  for (guint32 i = 0; i < barrier->n_live; i++) {
    if (!leaves_well(placing, barrier, barrier->live[i], end, walk))
      return FALSE;
  }
  return leaves_well(placing, barrier, barrier->arms, end, walk);
}

// Whether a node stands for an edge that goes back to the header of a loop, the only one.
static gboolean
is_latch(const SmbGraph *graph, guint32 node) {
  return node >= graph->n_blocks && graph->latch[graph->block[node]] == node &&
         count_placing_edges(&graph->predecessors, node) == 1;
}

static gboolean
returns_to_loop(const SmbGraph *graph, guint32 node) {
  for (guint32 i = graph->successors.first[node]; i < graph->successors.first[node + 1]; i++) {
    if (is_latch(graph, graph->successors.to[i]))
      return TRUE;
  }
  return FALSE;
}

// Whether a branch that goes back to the header of a loop continues to a node otherwise, out of the loop.
static gboolean
is_loop_exit(const Placing *placing, guint32 node) {
  const SmbGraph *graph = placing->graph;
  if (!graph->ends[node])
    return FALSE;
  for (guint32 i = graph->predecessors.first[node]; i < graph->predecessors.first[node + 1]; i++) {
    guint32 from = graph->predecessors.to[i];
    if (!placing->returns[from])
      continue;
    for (guint32 j = graph->successors.first[from]; j < graph->successors.first[from + 1]; j++) {
      guint32 latch = graph->successors.to[j];
      if (latch != node && is_latch(graph, latch) &&
          !smb_graph_in_loop(graph, node, graph->block[latch]))
        return TRUE;
    }
  }
  return FALSE;
}

static void
add_joins(Placing *placing, gboolean all) {
  const SmbGraph *graph = placing->graph;
  for (guint32 i = 0; i < graph->n_reachable; i++) {
    guint32 node = graph->order[i];
    Barrier barrier;
    if (!(is_join(graph, node) || is_loop_exit(placing, node)) ||
        !start_barrier(placing, node, &barrier))
      continue;
    if (all || all_leave_well(placing, &barrier))
      add_barrier(placing, &barrier);
    else
      g_free(barrier.live);
  }
}

// The immediate post-dominators of divergent branches, but for those that are because lanes that miss them
// come by again.
static void
add_postdominators(Placing *placing, gboolean all) {
  const SmbGraph *graph = placing->graph;
  for (guint32 i = 0; i < graph->n_reachable; i++) {
    guint32 node = graph->order[i], meets = placing->ipdom[node];
    Barrier barrier;
    if (!is_divergent(placing, node) || placing->meets[meets] ||
        !start_barrier(placing, meets, &barrier))
      continue;
    placing->meets[meets] = all || all_come(placing, &barrier);
    if (placing->meets[meets])
      add_barrier(placing, &barrier);
    else
      g_free(barrier.live);
  }
}

// The lanes that leave @node for somewhere where the barrier is not armed break out of it.
static void
write_leaves(const Placing *placing, const Barrier *barrier, guint32 node,
             SmbConvergence *convergence) {
  const SmbGraph *graph = placing->graph;
  if (node >= graph->n_blocks)
    return;
  for (guint32 i = 0; i < placing->blocks[node].n_successors; i++) {
    guint32 to = graph->successors.to[graph->successors.first[node] + i];
    if (to != graph->exit && to != barrier->block && !is_live(barrier, to))
      convergence->blocks[node].leave[i] |= G_GUINT64_CONSTANT(1) << barrier->number;
  }
}

static void
write_barrier(const Placing *placing, const Barrier *barrier, SmbConvergence *convergence) {
  const SmbGraph *graph = placing->graph;
  guint64 bit = G_GUINT64_CONSTANT(1) << barrier->number;
  convergence->blocks[graph->block[barrier->block]].sync |= bit;
  if (barrier->arms < graph->n_blocks)
    convergence->blocks[barrier->arms].arm |= bit;
  else
    convergence->blocks[graph->block[barrier->arms]].enter |= bit;
  write_leaves(placing, barrier, barrier->arms, convergence);
  for (guint32 i = 0; i < barrier->n_live; i++)
    write_leaves(placing, barrier, barrier->live[i], convergence);
  convergence->n_barriers = MAX(convergence->n_barriers, barrier->number + 1);
}

// Places without barriers.
static SmbConvergence *
convergence_new(const SmbFlowBlock *blocks, guint32 n_blocks) {
  SmbConvergence *convergence = g_new0(SmbConvergence, 1);
  gsize n_edges = 0;
  for (guint32 i = 0; i < n_blocks; i++)
    n_edges += blocks[i].n_successors;
  convergence->blocks = g_new0(SmbBlockBarriers, n_blocks);
  convergence->leaves = g_new0(guint64, n_edges + 1);
  n_edges = 0;
  for (guint32 i = 0; i < n_blocks; i++) {
    convergence->blocks[i] = (SmbBlockBarriers){.leave = convergence->leaves + n_edges};
    n_edges += blocks[i].n_successors;
  }
  return convergence;
}

SmbConvergence *
smb_converge(const SmbFlowBlock *blocks, guint32 n_blocks, SmbMeeting meeting) {
  g_autoptr(SmbGraph) graph = smb_graph_new(blocks, n_blocks);
  g_autoptr(GArray) barriers = g_array_new(FALSE, FALSE, sizeof(Barrier));
  g_autofree guint32 *marks = g_new0(guint32, graph->n);
  g_autofree guint32 *at = g_new0(guint32, graph->n);
  g_autofree guint32 *stack = g_new(guint32, graph->n);
  g_autofree gboolean *meets = g_new0(gboolean, graph->n);
  g_autofree gboolean *returns = g_new0(gboolean, graph->n);
  g_autofree guint64 *used = g_new0(guint64, 2 * graph->n);
  g_autofree guint32 *ipdom = smb_graph_postdominators(graph, meeting == SMB_MEETING_FEWEST);
  Placing placing = {.blocks = blocks,
                     .graph = graph,
                     .ipdom = ipdom,
                     .marks = marks,
                     .stack = stack,
                     .barriers = barriers,
                     .at = at,
                     .meets = meets,
                     .returns = returns,
                     .used_starts = used,
                     .used_ends = used + graph->n};
  for (guint32 node = 0; node < graph->n; node++)
    returns[node] = returns_to_loop(graph, node);
  add_postdominators(&placing, meeting == SMB_MEETING_FEWEST);
  if (meeting != SMB_MEETING_FEWEST)
    add_joins(&placing, meeting == SMB_MEETING_MOST);
  SmbConvergence *convergence = convergence_new(blocks, n_blocks);
  for (guint i = 0; i < barriers->len; i++) {
    Barrier *barrier = &g_array_index(barriers, Barrier, i);
    write_barrier(&placing, barrier, convergence);
    g_free(barrier->live);
  }
  convergence->irreducible = graph->irreducible;
  convergence->n_left_out = placing.n_left_out;
  return convergence;
}

void
smb_convergence_free(SmbConvergence *convergence) {
  if (!convergence)
    return;
  g_free(convergence->blocks);
  g_free(convergence->leaves);
  g_free(convergence);
}
