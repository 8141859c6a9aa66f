// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Nodes and edges: made, copied, put in order, run.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/error.h"
#include "gpu/driver/graph/device-graph.h"
#include "gpu/driver/handle.h"

Graph *
graph_new(void) {
  return handle_new(HANDLE_GRAPH, sizeof(Graph));
}

static void
free_node(Node *node) {
  call_clear(&node->call);
  if (node->device && handle_is(node->device, HANDLE_DEVICE_NODE) && node->device->node == node)
    handle_free(node->device);
  free(node->dependencies);
  handle_free(node);
}

void
graph_free(Graph *graph) {
  if (!graph)
    return;
  for (size_t i = 0; i < graph->n_nodes; i++)
    free_node(graph->nodes[i]);
  user_object_drop_all(graph);
  conditions_drop_all(graph);
  free(graph->nodes);
  handle_free(graph);
}

bool
node_follows(const Node *node, const Node *before) {
  for (size_t i = 0; i < node->n_dependencies; i++)
    if (node->dependencies[i] == before)
      return true;
  return false;
}

bool
node_follow(Node *node, Node *before) {
  size_t n = node->n_dependencies;
  if (node_follows(node, before))
    return false;
  if ((n & (n - 1)) == 0) { // room is a power of two
    Node **more = realloc(node->dependencies, (n ? 2 * n : 1) * sizeof *more);
    if (!more)
      return false;
    node->dependencies = more;
  }
  node->dependencies[node->n_dependencies++] = before;
  return true;
}

bool
node_unfollow(Node *node, const Node *before) {
  for (size_t i = 0; i < node->n_dependencies; i++)
    if (node->dependencies[i] == before) {
      memmove(&node->dependencies[i], &node->dependencies[i + 1],
              (node->n_dependencies - i - 1) * sizeof *node->dependencies);
      node->n_dependencies--;
      // The room is what node_follow() takes it for.
      return true;
    }
  return false;
}

Node *
graph_add(Graph *graph, Call *call, Node *const *dependencies, size_t n) {
  if (graph->n_nodes == graph->room) {
    size_t more = graph->room ? 2 * graph->room : 16;
    Node **nodes = realloc(graph->nodes, more * sizeof *nodes);
    if (!nodes)
      return NULL;
    graph->nodes = nodes;
    graph->room = more;
  }
  Node *node = handle_new(HANDLE_NODE, sizeof *node);
  if (!node)
    return NULL;
  node->graph = graph;
  node->call = *call;
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  for (size_t i = 0; i < n; i++)
    node_follow(node, dependencies[i]);
  graph->nodes[graph->n_nodes++] = node;
  return node;
}

void
graph_remove(Node *node) {
  Graph *graph = node->graph;
  size_t kept = 0;
  for (size_t i = 0; i < graph->n_nodes; i++) {
    node_unfollow(graph->nodes[i], node);
    if (graph->nodes[i] != node)
      graph->nodes[kept++] = graph->nodes[i];
  }
  graph->n_nodes = kept;
  free_node(node);
}

Graph *
graph_copy(const Graph *graph) {
  Graph *copy = graph_new();
  bool fits = copy && user_object_hold_again(copy, graph) && conditions_hold_again(copy, graph);
  for (size_t i = 0; fits && i < graph->n_nodes; i++) {
    Call call;
    Node *from = graph->nodes[i], *node = NULL;
    if ((fits = call_copy(&call, &from->call)))
      fits = (node = graph_add(copy, &call, NULL, 0)) != NULL;
    from->mark = i;
    if (node) {
      node->origin = from;
      node->is_disabled = from->is_disabled;
      node->device = from->device;
      if (node->device)
        node->device->node = node;
    }
  }
  for (size_t i = 0; fits && i < graph->n_nodes; i++)
    for (size_t j = 0; j < graph->nodes[i]->n_dependencies; j++)
      fits =
          fits && node_follow(copy->nodes[i], copy->nodes[graph->nodes[i]->dependencies[j]->mark]);
  if (fits)
    return copy;
  graph_free(copy);
  return NULL;
}

// Marks count what a node still has to follow; those with none are taken in the order in which they were added.
Node **
graph_sort(const Graph *graph) {
  size_t n = 0, n_edges = 0;
  Node **order = calloc(graph->n_nodes + 1, sizeof *order);
  for (size_t i = 0; i < graph->n_nodes; i++) {
    graph->nodes[i]->mark = i;
    n_edges += graph->nodes[i]->n_dependencies;
  }
  // The dependents of node i: dependents[first[i]..first[i + 1] - 1].
  size_t *first = calloc(graph->n_nodes + 2, sizeof *first);
  Node **dependents = calloc(n_edges + 1, sizeof *dependents);
  bool fits = order && first && dependents;
  for (size_t i = 0; fits && i < graph->n_nodes; i++)
    for (size_t j = 0; j < graph->nodes[i]->n_dependencies; j++)
      first[graph->nodes[i]->dependencies[j]->mark + 2]++;
  for (size_t i = 2; fits && i < graph->n_nodes + 2; i++)
    first[i] += first[i - 1];
  for (size_t i = 0; fits && i < graph->n_nodes; i++)
    for (size_t j = 0; j < graph->nodes[i]->n_dependencies; j++)
      dependents[first[graph->nodes[i]->dependencies[j]->mark + 1]++] = graph->nodes[i];
  size_t *left = calloc(graph->n_nodes + 1, sizeof *left);
  fits = fits && left;
  for (size_t i = 0; fits && i < graph->n_nodes; i++)
    if ((left[i] = graph->nodes[i]->n_dependencies) == 0)
      order[n++] = graph->nodes[i];
  for (size_t at = 0; fits && at < n; at++)
    for (size_t j = first[order[at]->mark]; j < first[order[at]->mark + 1]; j++)
      if (--left[dependents[j]->mark] == 0)
        order[n++] = dependents[j];
  free(left);
  free(first);
  free(dependents);
  if (fits && n == graph->n_nodes)
    return order;
  free(order);
  return NULL;
}

bool
graph_is_single(const Graph *graph) {
  bool is_single = graph_has_conditions(graph);
  for (size_t i = 0; i < graph->n_nodes && !is_single; i++) {
    const Node *node = graph->nodes[i];
    is_single = node->device || node->call.kind == cudaGraphNodeTypeMemAlloc ||
                node->call.kind == cudaGraphNodeTypeMemFree;
  }
  return is_single;
}

static cudaError_t
run_nodes(Node *const *order, size_t n) {
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && i < n; i++)
    if (!order[i]->is_disabled) {
      error = call_run(&order[i]->call);
      error = error ? error : exec_run_launched();
    }
  return error;
}

cudaError_t
graph_run(const Graph *graph) {
  Node **order = graph_sort(graph);
  cudaError_t error = order ? run_nodes(order, graph->n_nodes) : cudaErrorInvalidValue;
  free(order);
  return error;
}

cudaError_t
exec_run_nodes(const Exec *exec) {
  conditions_begin(exec->graph);
  return run_nodes(exec->order, exec->graph->n_nodes);
}

static bool
calls_host_anywhere(const Graph *graph) {
  bool calls = false;
  for (size_t i = 0; i < graph->n_nodes && !calls; i++) {
    const Call *call = &graph->nodes[i]->call;
    calls = call->kind == cudaGraphNodeTypeHost ||
            (call->kind == cudaGraphNodeTypeBatchMemOp && memory_call_waits(call->memory)) ||
            (call->kind == cudaGraphNodeTypeGraph && calls_host_anywhere(call->child));
  }
  return calls;
}

bool
exec_calls_host(const Exec *exec) {
  return calls_host_anywhere(exec->graph);
}

void
exec_set_ticket(Exec *exec, uint64_t ticket) {
  exec->ticket = ticket;
}

// Nodes of the bodies of conditions are found as well.
static Node *
find_copied_node(const Graph *graph, const Node *node) {
  Node *found = NULL;
  for (size_t i = 0; i < graph->n_nodes && !found; i++) {
    const Call *call = &graph->nodes[i]->call;
    if (graph->nodes[i]->origin == node)
      return graph->nodes[i];
    for (unsigned k = 0;
         call->kind == cudaGraphNodeTypeConditional && !found && k < call->condition->size; k++)
      found = find_copied_node(call->condition->bodies[k], node);
  }
  return found;
}

Node *
exec_find(const Exec *exec, const Node *node) {
  return find_copied_node(exec->graph, node);
}
