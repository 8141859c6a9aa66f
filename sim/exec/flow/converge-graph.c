// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loops are nested intervals of a depth-first search (Havlak, Nesting of Reducible and Irreducible Loops, 1997),
// without his distinction of two kinds.
#include "sim/exec/flow/converge-graph.h"

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

// A depth-first search with a stack of its own: a graph may be deeper than the stack of C allows.
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

// The numbers of nodes in the order of a depth-first search, from its root, 0, on, and what is known of each.
typedef struct {
  guint32 n;
  guint32 *node;
  guint32 *number; // by node, or SMB_NO_NODE
  guint32 *parent; // in the tree of the search
  guint32 *semi;   // the least number from which a path of greater ones leads here
  guint32 *up;     // the way to the root, where it was looked at: compressed
  guint32 *least;  // on that part of the way, whose semi is least
  guint32 *stack;
} Tree;

static Tree
tree_new(const SmbEdges *edges, guint32 n, guint32 root) {
  guint32 *memory = g_new(guint32, 7 * (gsize)n), depth = 0;
  Tree tree = {0,
               memory,
               memory + n,
               memory + 2 * n,
               memory + 3 * n,
               memory + 4 * n,
               memory + 5 * n,
               memory + 6 * n};
  guint32 *next = tree.semi; // by number, during the search: the next edge
  memset(tree.number, 0xff, n * sizeof *tree.number);
  tree.number[root] = tree.parent[0] = 0;
  tree.node[tree.n++] = root;
  next[0] = edges->first[root];
  tree.stack[depth++] = 0;
  while (depth) {
    guint32 at = tree.stack[depth - 1];
    if (next[at] == edges->first[tree.node[at] + 1]) {
      depth--;
      continue;
    }
    guint32 to = edges->to[next[at]++];
    if (tree.number[to] != SMB_NO_NODE)
      continue;
    tree.number[to] = tree.n;
    tree.node[tree.n] = to;
    tree.parent[tree.n] = at;
    next[tree.n] = edges->first[to];
    tree.stack[depth++] = tree.n++;
  }
  for (guint32 i = 0; i < tree.n; i++) {
    tree.semi[i] = tree.least[i] = i;
    tree.up[i] = tree.parent[i];
  }
  return tree;
}

// Of the nodes on the way up from @at that are numbered from @from on, one whose semi is least.
static guint32
tree_find_least(Tree *tree, guint32 at, guint32 from) {
  guint32 depth = 0;
  if (at < from)
    return at;
  for (; tree->up[at] >= from; at = tree->up[at])
    tree->stack[depth++] = at;
  while (depth) {
    guint32 below = tree->stack[--depth];
    if (tree->semi[tree->least[at]] < tree->semi[tree->least[below]])
      tree->least[below] = tree->least[at];
    tree->up[below] = tree->up[at];
    at = below;
  }
  return tree->least[at];
}

// The immediate dominators of what is reached from a root; the root's is itself (Georgiadis, Linear-Time Algorithms for
// Dominators and Related Problems, 2005: semi-dominators, then nearest common ancestors).
static guint32 *
find_dominators(const SmbEdges *successors, const SmbEdges *predecessors, guint32 n, guint32 root) {
  Tree tree = tree_new(successors, n, root);
  for (guint32 i = tree.n; i-- > 1;) {
    guint32 node = tree.node[i];
    for (guint32 j = predecessors->first[node]; j < predecessors->first[node + 1]; j++) {
      guint32 from = tree.number[predecessors->to[j]];
      if (from != SMB_NO_NODE)
        tree.semi[i] = MIN(tree.semi[i], tree.semi[tree_find_least(&tree, from, i + 1)]);
    }
  }
  guint32 *idom = g_new(guint32, n);
  memset(idom, 0xff, n * sizeof *idom);
  idom[root] = root;
  for (guint32 i = 1; i < tree.n; i++) {
    while (tree.parent[i] > tree.semi[i])
      tree.parent[i] = tree.parent[tree.parent[i]];
    idom[tree.node[i]] = tree.node[tree.parent[i]];
  }
  g_free(tree.node);
  return idom;
}

// The header of the outermost loop that is known to hold a node, or the node. What it finds it writes to @outermost,
// for later.
static guint32
find_outermost(const SmbGraph *graph, guint32 node, guint32 *outermost) {
  guint32 top = graph->loop[node] == SMB_NO_NODE ? node : graph->loop[node];
  while (outermost[top] != top)
    top = outermost[top] = outermost[outermost[top]];
  return top;
}

typedef struct {
  // by header: the header of the loop that it is in, or one farther out, or itself
  guint32 *outermost;
  guint32 *stack;
  guint32 depth;
} Loops;

// Adds what @node leads back to, to the loop that is being collected.
static void
add_to_loop(SmbGraph *graph, guint32 header, guint32 node, Loops *loops) {
  guint32 part = find_outermost(graph, node, loops->outermost);
  if (part == header)
    return;
  if (graph->rank[part] < graph->rank[header]) {
    graph->irreducible = TRUE;
    return;
  }
  if (graph->loop[part] == part)
    graph->outer[part] = loops->outermost[part] = header;
  else
    graph->loop[part] = header;
  loops->stack[loops->depth++] = part;
}

// The loop of a header: all that leads back to it without leaving what was searched from it.
static void
find_header_loop(SmbGraph *graph, guint32 header, Loops *loops) {
  const SmbEdges *predecessors = &graph->predecessors;
  for (guint32 i = predecessors->first[header]; i < predecessors->first[header + 1]; i++) {
    guint32 from = predecessors->to[i];
    if (!smb_graph_goes_back(graph, from, header))
      continue;
    graph->loop[header] = header;
    add_to_loop(graph, header, from, loops);
  }
  while (loops->depth) {
    guint32 part = loops->stack[--loops->depth];
    for (guint32 i = predecessors->first[part]; i < predecessors->first[part + 1]; i++)
      add_to_loop(graph, header, predecessors->to[i], loops);
  }
}

// Numbers loops, each before those in it: a loop holds those from @within of its header to below @behind.
static void
number_loops(SmbGraph *graph) {
  g_autofree guint32 *size = g_new0(guint32, graph->n); // by header: loops in it
  g_autofree guint32 *next = g_new0(guint32, graph->n); // by header: the next number in it
  guint32 next_outermost = 0;
  graph->within = g_new0(guint32, graph->n);
  graph->behind = g_new0(guint32, graph->n);
  for (guint32 i = graph->n_reachable; i-- > 0;) {
    guint32 header = graph->order[i];
    if (graph->loop[header] == header && graph->outer[header] != SMB_NO_NODE)
      size[graph->outer[header]] += size[header] + 1;
  }
  for (guint32 i = 0; i < graph->n_reachable; i++) {
    guint32 header = graph->order[i], outer = graph->outer[header];
    if (graph->loop[header] != header)
      continue;
    guint32 *from = outer == SMB_NO_NODE ? &next_outermost : &next[outer];
    graph->within[header] = *from;
    *from += size[header] + 1;
    graph->behind[header] = *from;
    next[header] = graph->within[header] + 1;
  }
}

static void
find_loops(SmbGraph *graph) {
  g_autofree guint32 *outermost = g_new(guint32, graph->n);
  g_autofree guint32 *stack = g_new(guint32, graph->n);
  Loops loops = {outermost, stack, 0};
  graph->loop = g_new(guint32, graph->n);
  graph->outer = g_new(guint32, graph->n);
  memset(graph->loop, 0xff, graph->n * sizeof *graph->loop);
  memset(graph->outer, 0xff, graph->n * sizeof *graph->outer);
  for (guint32 i = 0; i < graph->n; i++)
    outermost[i] = i;
  for (guint32 i = graph->n_reachable; i-- > 0;)
    find_header_loop(graph, graph->order[i], &loops);
  number_loops(graph);
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
  guint32 *ipdom = find_dominators(&predecessors, &successors, n, exit);
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
count_node_edges(const SmbEdges *edges, guint32 node) {
  return edges->first[node + 1] - edges->first[node];
}

// The block in which the function ends, of several: the last one that is entered by more than one edge, or the last
// one.
static guint32
find_main_exit(const SmbGraph *graph) {
  guint32 last = graph->exit, last_join = SMB_NO_NODE;
  for (guint32 i = 0; i < graph->n_reachable; i++) {
    guint32 node = graph->order[i];
    if (count_node_edges(&graph->successors, node) != 1 ||
        graph->successors.to[graph->successors.first[node]] != graph->exit)
      continue;
    last = node;
    if (count_node_edges(&graph->predecessors, node) > 1)
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

// Whether a block does nothing but leave the program.
static gboolean
only_exits(const SmbFlowBlock *block) {
  return block->n_successors == 0 && block->flow != SMB_FLOW_RETURN &&
         block->end - block->first <= 1;
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
redirect_loop_edges(SmbGraph *graph) {
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
  redirect_loop_edges(graph);
  search_graph(graph);
  graph->predecessors = edges_turn(&graph->successors, graph->n, graph->reachable);
  graph->idom = find_dominators(&graph->successors, &graph->predecessors, graph->n, graph->start);
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
  g_free(graph->within);
  g_free(graph->behind);
  g_free(graph->ends);
  g_free(graph);
}

gboolean
smb_graph_in_loop(const SmbGraph *graph, guint32 node, guint32 header) {
  guint32 loop = graph->loop[node];
  return loop != SMB_NO_NODE && graph->within[header] <= graph->within[loop] &&
         graph->within[loop] < graph->behind[header];
}
