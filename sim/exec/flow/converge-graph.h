// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The control-flow graph of a function, as sim/exec/flow/converge.c looks at it: what dominates what, which edges go
// back, which loops there are. Private to converge.
#pragma once

#include "sim/exec/flow/converge.h"

/** No node, no loop. */
#define SMB_NO_NODE G_MAXUINT32

/** The neighbours of each node: those of node i are to[first[i]] … to[first[i + 1] − 1]. */
typedef struct {
  guint32 *first;
  guint32 *to;
} SmbEdges;

/**
 * SmbGraph:
 * @n: nodes: the @n_blocks blocks, one from which the function starts, one that all exits lead to, and for each header
 *   of a loop a latch, through which edges go back to it, and an entry, through which all others go
 * @start, @exit: the two. Who goes to a block that only exits goes to @exit
 * @block: the block at whose start a node is: of a latch and an entry, the header
 * @latch: of a header its latch, or %SMB_NO_NODE; its entry is the node after that
 * @reachable: nodes that can be reached from the start; there is nothing to be said about the others
 * @order: (array length=n_reachable): these, each before its successors, except along edges that go back
 * @rank: where a node is in @order
 * @idom: the nearest node that all paths from the start to a node go through
 * @loop: the header of the innermost loop that a node is in, of a header itself; or %SMB_NO_NODE
 * @outer: the header of the loop that the loop of this header is in
 * @within, @behind: for a header: the loops in its loop have numbers from the first, its own, to below the second; of
 *   other nodes 0
 * @main_exit: the block in which the function ends, of several
 * @ends: nodes from which that can be reached
 * @irreducible: whether a loop can be entered elsewhere than at its header
 */
typedef struct {
  guint32 n;
  guint32 n_blocks;
  guint32 start;
  guint32 exit;
  guint32 *block;
  guint32 *latch;
  SmbEdges successors;
  SmbEdges predecessors; // reachable ones only
  guint32 n_reachable;
  gboolean *reachable;
  guint32 *order;
  guint32 *rank;
  guint32 *idom;
  guint32 *loop;
  guint32 *outer;
  guint32 *within;
  guint32 *behind;
  guint32 main_exit;
  gboolean *ends;
  gboolean irreducible;
} SmbGraph;

/** The graph of some blocks; the first one is the entry (transfer full). */
SmbGraph *smb_graph_new(const SmbFlowBlock *blocks, guint32 n_blocks);
void smb_graph_free(SmbGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbGraph, smb_graph_free)

/** Whether the edge from one reachable node to another goes back, to a loop's header. */
static inline gboolean
smb_graph_goes_back(const SmbGraph *graph, guint32 from, guint32 to) {
  return graph->rank[from] >= graph->rank[to];
}

/** Whether @node is in the loop with this header. */
gboolean smb_graph_in_loop(const SmbGraph *graph, guint32 node, guint32 header);

/**
 * smb_graph_postdominators:
 * @all_edges: whether edges that lead only to other exits than the last one are looked at; if not, lanes that take them
 *   are seen as leaving at once. From a loop that never ends, a way out is made up
 *
 * Returns: (transfer full): by node, the nearest node that all paths to the exit go through; of what cannot be reached,
 * anything
 */
guint32 *smb_graph_postdominators(const SmbGraph *graph, gboolean all_edges);
