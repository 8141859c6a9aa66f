// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Dominators by the iteration of Cooper, Harvey and Kennedy (A Simple, Fast Dominance Algorithm, 2001); loops
// as nested intervals of a depth-first search (Havlak, Nesting of Reducible and Irreducible Loops, 1997), without his
// distinction of two kinds.
#include "sim/compiled/converge-graph.h"

#include <string.h>

static void
edges_clear(SmbEdges *edges) {
  g_free(edges->first);
  g_free(edges->to);
}

// The edges the other way round; those from nodes that are not @wanted (NULL: all are) are left out.
static SmbEdges
edges_turn(const SmbEdges *edges, guint32 n, const gboolean *wanted) {
  SmbEdges turned = {g_new0(guint32, n + 2), g_new(guint32, edges->first[n])};
  for (guint32 from = 0; from < n; from++) {
    for (guint32 i = edges->first[from]; i < edges->first[from + 1]; i++)
      turned.first[edges->to[i] + 2] += !wanted || wanted[from];
  }
  for (guint32 i = 2; i < n + 2; i++)
    turned.first[i] += turned.first[i - 1];
  for (guint32 from = 0; from < n; from++) {
    for (guint32 i = edges->first[from]; i < edges->first[from + 1]; i++) {
      if (!wanted || wanted[from])
        turned.to[turned.first[edges->to[i] + 1]++] = from;
    }
  }
  return turned;
}

// A depth-first search, and where it is.
typedef struct {
  const SmbEdges *edges;
  gboolean *seen;
  guint32 *next; // by node: its next edge
  guint32 *stack;
  guint32 *done; // nodes, in the order in which they were left
  guint32 n_done;
} Search;

static void
search_from(Search *search, guint32 root) {
  guint32 depth = 0;
  search->seen[root] = TRUE;
  search->stack[depth++] = root;
  search->next[root] = search->edges->first[root];
  while (depth) {
    guint32 node = search->stack[depth - 1];
    if (search->next[node] == search->edges->first[node + 1]) {
      search->done[search->n_done++] = node;
      depth--;
      continue;
    }
    guint32 to = search->edges->to[search->next[node]++];
    if (search->seen[to])
      continue;
    search->seen[to] = TRUE;
    search->next[to] = search->edges->first[to];
    search->stack[depth++] = to;
  }
}

static Search
search_new(const SmbEdges *edges, guint32 n) {
  return (Search){
      edges, g_new0(gboolean, n), g_new(guint32, n), g_new(guint32, n), g_new(guint32, n), 0};
}

static void
search_close(Search *search) {
  g_free(search->seen);
  g_free(search->next);
  g_free(search->stack);
  g_free(search->done);
}

// The nodes that a search left last come first.
static void
reverse_order(guint32 *order, guint32 n) {
  for (guint32 i = 0; i < n / 2; i++) {
    guint32 other = order[i];
    order[i] = order[n - 1 - i];
    order[n - 1 - i] = other;
  }
}

static guint32 *
rank_nodes(const guint32 *order, guint32 n_order, guint32 n) {
  guint32 *rank = g_new(guint32, n);
  memset(rank, 0xff, n * sizeof *rank);
  for (guint32 i = 0; i < n_order; i++)
    rank[order[i]] = i;
  return rank;
}

static guint32
find_common(const guint32 *idom, const guint32 *rank, guint32 a, guint32 b) {
  while (a != b) {
    if (rank[a] > rank[b])
      a = idom[a];
    else
      b = idom[b];
  }
  return a;
}

// The immediate dominators of the nodes in @order, whose first is the root: its own one.
static guint32 *
find_dominators(const SmbEdges *predecessors, const guint32 *order, const guint32 *rank,
                guint32 n_order, guint32 n) {
  guint32 *idom = g_new(guint32, n);
  memset(idom, 0xff, n * sizeof *idom);
  idom[order[0]] = order[0];
  for (gboolean changed = TRUE; changed;) {
    changed = FALSE;
    for (guint32 i = 1; i < n_order; i++) {
      guint32 node = order[i], nearest = SMB_NO_NODE;
      for (guint32 j = predecessors->first[node]; j < predecessors->first[node + 1]; j++) {
        guint32 from = predecessors->to[j];
        if (idom[from] != SMB_NO_NODE)
          nearest = nearest == SMB_NO_NODE ? from : find_common(idom, rank, from, nearest);
      }
      changed |= nearest != idom[node];
      idom[node] = nearest;
    }
  }
  return idom;
}

// The header of the outermost loop that is known to hold a node, or the node.
static guint32
find_outermost(const SmbGraph *graph, guint32 node) {
  guint32 header = graph->loop[node];
  if (header == SMB_NO_NODE)
    return node;
  while (graph->outer[header] != SMB_NO_NODE)
    header = graph->outer[header];
  return header;
}

// Adds what @node leads back to, to the loop that is being collected.
static void
add_to_loop(SmbGraph *graph, guint32 header, guint32 node, guint32 *stack, guint32 *depth) {
  guint32 part = find_outermost(graph, node);
  if (part == header)
    return;
  if (graph->rank[part] < graph->rank[header]) {
    graph->irreducible = TRUE;
    return;
  }
  *(graph->loop[part] == part ? &graph->outer[part] : &graph->loop[part]) = header;
  stack[(*depth)++] = part;
}

// The loop of a header: all that leads back to it without leaving what was searched from it.
static void
find_loop(SmbGraph *graph, guint32 header, guint32 *stack) {
  const SmbEdges *predecessors = &graph->predecessors;
  guint32 depth = 0;
  for (guint32 i = predecessors->first[header]; i < predecessors->first[header + 1]; i++) {
    guint32 from = predecessors->to[i];
    if (!smb_graph_goes_back(graph, from, header))
      continue;
    graph->loop[header] = header;
    add_to_loop(graph, header, from, stack, &depth);
  }
  while (depth) {
    guint32 part = stack[--depth];
    for (guint32 i = predecessors->first[part]; i < predecessors->first[part + 1]; i++)
      add_to_loop(graph, header, predecessors->to[i], stack, &depth);
  }
}

static void
find_loops(SmbGraph *graph) {
  g_autofree guint32 *stack = g_new(guint32, graph->n);
  graph->loop = g_new(guint32, graph->n);
  graph->outer = g_new(guint32, graph->n);
  memset(graph->loop, 0xff, graph->n * sizeof *graph->loop);
  memset(graph->outer, 0xff, graph->n * sizeof *graph->outer);
  for (guint32 i = graph->n_reachable; i-- > 0;)
    find_loop(graph, graph->order[i], stack);
}

// The edges, and one to the exit from the last node, in order, of each loop that never ends.
static SmbEdges
add_ways_out(const SmbEdges *edges, guint32 n, guint32 exit) {
  SmbEdges turned = edges_turn(edges, n, NULL);
  Search search = search_new(&turned, n);
  SmbEdges more = {g_new0(guint32, n + 1), g_new(guint32, edges->first[n] + n)};
  g_autofree gboolean *leaves = g_new0(gboolean, n);
  search_from(&search, exit);
  for (guint32 node = n; node-- > 0;) {
    leaves[node] = !search.seen[node];
    if (leaves[node])
      search_from(&search, node);
  }
  for (guint32 node = 0, n_edges = 0; node < n; node++) {
    for (guint32 i = edges->first[node]; i < edges->first[node + 1]; i++)
      more.to[n_edges++] = edges->to[i];
    if (leaves[node])
      more.to[n_edges++] = exit;
    more.first[node + 1] = n_edges;
  }
  search_close(&search);
  edges_clear(&turned);
  return more;
}

// The immediate post-dominators of nodes, each of which should have a way to the exit.
static guint32 *
find_postdominators(const SmbEdges *edges, guint32 n, guint32 exit) {
  SmbEdges successors = add_ways_out(edges, n, exit);
  SmbEdges predecessors = edges_turn(&successors, n, NULL);
  Search search = search_new(&predecessors, n);
  search_from(&search, exit);
  reverse_order(search.done, search.n_done);
  g_autofree guint32 *rank = rank_nodes(search.done, search.n_done, n);
  guint32 *ipdom = find_dominators(&successors, search.done, rank, search.n_done, n);
  search_close(&search);
  edges_clear(&successors);
  edges_clear(&predecessors);
  return ipdom;
}

// Nodes from which one of some exits is reached.
static gboolean *
find_ends(const SmbGraph *graph, guint32 exit) {
  Search search = search_new(&graph->predecessors, graph->n);
  search_from(&search, exit);
  gboolean *seen = g_steal_pointer(&search.seen);
  search_close(&search);
  return seen;
}

static guint32
count_edges(const SmbEdges *edges, guint32 node) {
  return edges->first[node + 1] - edges->first[node];
}

// The block in which the function ends, of several: the last one that is entered by more than one edge, or the last one.
static guint32
find_main_exit(const SmbGraph *graph) {
  guint32 last = graph->exit, last_join = SMB_NO_NODE;
  for (guint32 i = 0; i < graph->n_reachable; i++) {
    guint32 node = graph->order[i];
    if (count_edges(&graph->successors, node) != 1 ||
        graph->successors.to[graph->successors.first[node]] != graph->exit)
      continue;
    last = node;
    if (count_edges(&graph->predecessors, node) > 1)
      last_join = node;
  }
  return last_join != SMB_NO_NODE ? last_join : last;
}

guint32 *
smb_graph_postdominators(const SmbGraph *graph, gboolean all_edges) {
  const SmbEdges *edges = &graph->successors;
  const gboolean *ends = graph->ends;
  guint32 n = 0;
  SmbEdges kept = {g_new0(guint32, graph->n + 1), g_new(guint32, edges->first[graph->n])};
  for (guint32 node = 0; node < graph->n; node++) {
    for (guint32 i = edges->first[node]; i < edges->first[node + 1]; i++) {
      if (all_edges || !ends[node] || ends[edges->to[i]] || node == graph->main_exit)
        kept.to[n++] = edges->to[i];
    }
    kept.first[node + 1] = n;
  }
  guint32 *ipdom = find_postdominators(&kept, graph->n, graph->exit);
  edges_clear(&kept);
  return ipdom;
}

// Whether a block does nothing but leave.
static gboolean
only_exits(const SmbFlowBlock *block) {
  return block->n_successors == 0 && block->end - block->first <= 1;
}

// The blocks' edges; exits go to the exit, and so does who goes to a block that does nothing else.
static SmbEdges
get_successors(const SmbFlowBlock *blocks, guint32 n_blocks) {
  guint32 n_edges = 1, start = n_blocks, exit = n_blocks + 1;
  for (guint32 i = 0; i < n_blocks; i++)
    n_edges += MAX(blocks[i].n_successors, 1);
  SmbEdges edges = {g_new0(guint32, n_blocks + 3), g_new(guint32, n_edges)};
  guint32 n = 0;
  for (guint32 i = 0; i < n_blocks; i++) {
    for (guint32 j = 0; j < blocks[i].n_successors; j++) {
      guint32 to = blocks[i].successors[j];
      edges.to[n++] = to == SMB_FLOW_EXIT || only_exits(&blocks[to]) ? exit : to;
    }
    if (blocks[i].n_successors == 0)
      edges.to[n++] = exit;
    edges.first[i + 1] = n;
  }
  edges.to[n++] = 0;
  edges.first[start + 1] = edges.first[exit + 1] = n;
  return edges;
}

// What a search from the start finds.
static void
search_graph(SmbGraph *graph) {
  Search search = search_new(&graph->successors, graph->n);
  search_from(&search, graph->start);
  reverse_order(search.done, search.n_done);
  graph->n_reachable = search.n_done;
  graph->rank = rank_nodes(search.done, search.n_done, graph->n);
  graph->order = g_steal_pointer(&search.done);
  graph->reachable = g_steal_pointer(&search.seen);
  search_close(&search);
}

static void
forget_search(SmbGraph *graph) {
  g_clear_pointer(&graph->rank, g_free);
  g_clear_pointer(&graph->order, g_free);
  g_clear_pointer(&graph->reachable, g_free);
}

// Makes an entry and a latch for each header.
static void
name_entries(SmbGraph *graph) {
  const SmbEdges *edges = &graph->successors;
  guint32 n = graph->n;
  graph->latch = g_new(guint32, 3 * n);
  graph->block = g_new(guint32, 3 * n);
  memset(graph->latch, 0xff, 3 * n * sizeof *graph->latch);
  for (guint32 i = 0; i < n; i++)
    graph->block[i] = i;
  for (guint32 i = 0; i < graph->n_reachable; i++) {
    guint32 node = graph->order[i];
    for (guint32 j = edges->first[node]; j < edges->first[node + 1]; j++) {
      guint32 to = edges->to[j];
      if (!smb_graph_goes_back(graph, node, to) || graph->latch[to] != SMB_NO_NODE)
        continue;
      graph->latch[to] = graph->n++;
      graph->block[graph->latch[to]] = graph->block[graph->n++] = to;
    }
  }
}

// Leads the edges to headers through their entries and latches.
static void
add_entries(SmbGraph *graph) {
  guint32 n_before = graph->n;
  name_entries(graph);
  SmbEdges *edges = &graph->successors;
  guint32 n_edges = edges->first[n_before];
  edges->first = g_renew(guint32, edges->first, graph->n + 1);
  edges->to = g_renew(guint32, edges->to, n_edges + graph->n - n_before);
  for (guint32 i = 0; i < graph->n_reachable; i++) {
    guint32 node = graph->order[i];
    for (guint32 j = edges->first[node]; j < edges->first[node + 1]; j++) {
      guint32 to = edges->to[j], latch = graph->latch[to];
      if (latch != SMB_NO_NODE)
        edges->to[j] = smb_graph_goes_back(graph, node, to) ? latch : latch + 1;
    }
  }
  for (guint32 i = n_before; i < graph->n; i++) {
    edges->to[n_edges++] = graph->block[i];
    edges->first[i + 1] = n_edges;
  }
  forget_search(graph);
}

SmbGraph *
smb_graph_new(const SmbFlowBlock *blocks, guint32 n_blocks) {
  SmbGraph *graph = g_new0(SmbGraph, 1);
  graph->n = n_blocks + 2;
  graph->n_blocks = graph->start = n_blocks;
  graph->exit = n_blocks + 1;
  graph->successors = get_successors(blocks, n_blocks);
  search_graph(graph);
  add_entries(graph);
  search_graph(graph);
  graph->predecessors = edges_turn(&graph->successors, graph->n, graph->reachable);
  graph->idom = find_dominators(&graph->predecessors, graph->order, graph->rank, graph->n_reachable,
                                graph->n);
  find_loops(graph);
  graph->main_exit = find_main_exit(graph);
  graph->ends = find_ends(graph, graph->main_exit);
  return graph;
}

void
smb_graph_free(SmbGraph *graph) {
  if (!graph)
    return;
  edges_clear(&graph->successors);
  edges_clear(&graph->predecessors);
  forget_search(graph);
  g_free(graph->block);
  g_free(graph->latch);
  g_free(graph->idom);
  g_free(graph->loop);
  g_free(graph->outer);
  g_free(graph->ends);
  g_free(graph);
}

gboolean
smb_graph_in_loop(const SmbGraph *graph, guint32 node, guint32 header) {
  guint32 loop = graph->loop[node];
  while (loop != SMB_NO_NODE && loop != header)
    loop = graph->outer[loop];
  return loop == header;
}
