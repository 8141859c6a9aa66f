// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs as programs make, copy and inspect them: nodes and edges. An edge has no data beyond its two nodes.
#include <stdio.h>
#include <string.h>

#include "gpu/driver/error.h"
#include "gpu/driver/graph/device-graph.h"
#include "gpu/driver/handle.h"

static cudaError_t
use_graph(const Graph *graph) {
  cudaError_t error = error_check();
  return error ? error : handle_is(graph, HANDLE_GRAPH) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t
use_graph_node(const Node *node) {
  cudaError_t error = error_check();
  return error ? error : handle_is(node, HANDLE_NODE) ? cudaSuccess : cudaErrorInvalidValue;
}

API cudaError_t
cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  cudaError_t error = error_check();
  if (!error && (!graph || flags != 0))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *graph = graph_new();
  return error_return(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

API cudaError_t
cudaGraphDestroy(cudaGraph_t graph) {
  cudaError_t error = use_graph(graph);
  if (!error && graph->is_part)
    error = cudaErrorInvalidValue;
  if (!error)
    graph_free(graph);
  return error_return(error);
}

API cudaError_t
cudaGraphClone(cudaGraph_t *copy, cudaGraph_t graph) {
  cudaError_t error = use_graph(graph);
  if (!error && !copy)
    error = cudaErrorInvalidValue;
  if (!error && graph_is_single(graph))
    error = cudaErrorNotSupported;
  if (error)
    return error_return(error);
  *copy = graph_copy(graph);
  return error_return(*copy ? cudaSuccess : cudaErrorMemoryAllocation);
}

API cudaError_t
cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node, cudaGraph_t copy) {
  cudaError_t error = use_graph(copy);
  if (!error && !found)
    error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < copy->n_nodes; i++)
    if (copy->nodes[i]->origin == node) {
      *found = copy->nodes[i];
      return cudaSuccess;
    }
  return error_return(error ? error : cudaErrorInvalidValue);
}

API cudaError_t
cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *kind) {
  cudaError_t error = use_graph_node(node);
  if (!error && !kind)
    error = cudaErrorInvalidValue;
  if (!error)
    *kind = node->call.kind;
  return error_return(error);
}

API cudaError_t
cudaGraphDestroyNode(cudaGraphNode_t node) {
  cudaError_t error = use_graph_node(node);
  if (!error && (node->device || node->call.kind == cudaGraphNodeTypeMemAlloc ||
                 node->call.kind == cudaGraphNodeTypeMemFree))
    error = cudaErrorNotSupported;
  if (!error)
    graph_remove(node);
  return error_return(error);
}

// --- lists: their length, if there is nowhere to put them; else as many as there is room for, and nothing behind

typedef struct {
  Node **from, **to; // either may be NULL
  cudaGraphEdgeData *data;
  size_t room, n;
} List;

static void
add_edge(List *list, Node *from, Node *to) {
  if (list->n < list->room) {
    if (list->from)
      list->from[list->n] = from;
    if (list->to)
      list->to[list->n] = to;
    if (list->data)
      memset(&list->data[list->n], 0, sizeof *list->data);
  }
  list->n++;
}

static cudaError_t
end_list(const List *list, bool is_asked_for, size_t *n) {
  for (size_t i = list->n; i < list->room; i++) {
    if (list->from)
      list->from[i] = NULL;
    if (list->to)
      list->to[i] = NULL;
  }
  *n = !is_asked_for || list->n < list->room ? list->n : list->room;
  return cudaSuccess;
}

static cudaError_t
list_nodes(const Graph *graph, Node **nodes, size_t *n, bool roots_only) {
  cudaError_t error = use_graph(graph);
  if (error || !n)
    return error_return(error ? error : cudaErrorInvalidValue);
  List list = {.from = nodes, .room = nodes ? *n : 0};
  for (size_t i = 0; i < graph->n_nodes; i++)
    if (!roots_only || graph->nodes[i]->n_dependencies == 0)
      add_edge(&list, graph->nodes[i], NULL);
  return end_list(&list, nodes != NULL, n);
}

API cudaError_t
cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
  return list_nodes(graph, nodes, n, false);
}

API cudaError_t
cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
  return list_nodes(graph, nodes, n, true);
}

static cudaError_t
list_edges(const Graph *graph, Node **from, Node **to, cudaGraphEdgeData *data, size_t *n) {
  cudaError_t error = use_graph(graph);
  if (error || !n || !from != !to)
    return error_return(error ? error : cudaErrorInvalidValue);
  List list = {from, to, data, from ? *n : 0, 0};
  for (size_t i = 0; i < graph->n_nodes; i++)
    for (size_t j = 0; j < graph->nodes[i]->n_dependencies; j++)
      add_edge(&list, graph->nodes[i]->dependencies[j], graph->nodes[i]);
  return end_list(&list, from != NULL, n);
}

static cudaError_t
list_before(const Node *node, Node **nodes, cudaGraphEdgeData *data, size_t *n) {
  cudaError_t error = use_graph_node(node);
  if (error || !n)
    return error_return(error ? error : cudaErrorInvalidValue);
  List list = {nodes, NULL, data, nodes ? *n : 0, 0};
  for (size_t i = 0; i < node->n_dependencies; i++)
    add_edge(&list, node->dependencies[i], NULL);
  return end_list(&list, nodes != NULL, n);
}

static cudaError_t
list_after(const Node *node, Node **nodes, cudaGraphEdgeData *data, size_t *n) {
  cudaError_t error = use_graph_node(node);
  if (error || !n)
    return error_return(error ? error : cudaErrorInvalidValue);
  List list = {nodes, NULL, data, nodes ? *n : 0, 0};
  for (size_t i = 0; i < node->graph->n_nodes; i++)
    if (node_follows(node->graph->nodes[i], node))
      add_edge(&list, node->graph->nodes[i], NULL);
  return end_list(&list, nodes != NULL, n);
}

// --- edges

static cudaError_t
check_edges(const Graph *graph, Node *const *from, Node *const *to, size_t n, bool are_there) {
  cudaError_t error = use_graph(graph);
  if (!error && n > 0 && (!from || !to))
    error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++) {
    bool fits = handle_is(from[i], HANDLE_NODE) && handle_is(to[i], HANDLE_NODE) &&
                from[i]->graph == graph && to[i]->graph == graph && from[i] != to[i] &&
                node_follows(to[i], from[i]) == are_there;
    error = fits ? cudaSuccess : cudaErrorInvalidValue;
  }
  return error;
}

static cudaError_t
add_edges(Graph *graph, Node *const *from, Node *const *to, size_t n) {
  cudaError_t error = check_edges(graph, from, to, n, false);
  for (size_t i = 0; !error && i < n; i++)
    if (!node_follow(to[i], from[i]))
      error = cudaErrorInvalidValue; // twice in the list
  return error_return(error);
}

static cudaError_t
remove_edges(Graph *graph, Node *const *from, Node *const *to, size_t n) {
  cudaError_t error = check_edges(graph, from, to, n, true);
  for (size_t i = 0; !error && i < n; i++)
    node_unfollow(to[i], from[i]);
  return error_return(error);
}

// CUDA 13 gave all of these the data of edges, which CUDA 12 has in second versions.
#if CUDART_MAJOR == 12
#  define WITH_DATA(in_13, in_12) in_12
API cudaError_t
cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) {
  return list_edges(graph, from, to, NULL, n);
}

API cudaError_t
cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n) {
  return list_before(node, nodes, NULL, n);
}

API cudaError_t
cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n) {
  return list_after(node, nodes, NULL, n);
}

API cudaError_t
cudaGraphAddDependencies(cudaGraph_t graph, Node *const *from, Node *const *to, size_t n) {
  return add_edges(graph, from, to, n);
}

API cudaError_t
cudaGraphRemoveDependencies(cudaGraph_t graph, Node *const *from, Node *const *to, size_t n) {
  return remove_edges(graph, from, to, n);
}
#else
#  define WITH_DATA(in_13, in_12) in_13
#endif

// clang-format off
API cudaError_t
WITH_DATA(cudaGraphGetEdges, cudaGraphGetEdges_v2)(cudaGraph_t graph, cudaGraphNode_t *from,
                                                   cudaGraphNode_t *to, cudaGraphEdgeData *data,
                                                   size_t *n) {
  return list_edges(graph, from, to, data, n);
}

API cudaError_t
WITH_DATA(cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v2)(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *data, size_t *n) {
  return list_before(node, nodes, data, n);
}

API cudaError_t
WITH_DATA(cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v2)(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                             cudaGraphEdgeData *data, size_t *n) {
  return list_after(node, nodes, data, n);
}

API cudaError_t
WITH_DATA(cudaGraphAddDependencies, cudaGraphAddDependencies_v2)(cudaGraph_t graph, Node *const *from, Node *const *to,
                                       const cudaGraphEdgeData *data, size_t n) {
  (void)data;
  return add_edges(graph, from, to, n);
}

API cudaError_t
WITH_DATA(cudaGraphRemoveDependencies, cudaGraphRemoveDependencies_v2)(cudaGraph_t graph, Node *const *from, Node *const *to,
                                          const cudaGraphEdgeData *data, size_t n) {
  (void)data;
  return remove_edges(graph, from, to, n);
}
// clang-format on

// --- a picture

static const char *const kind_names[] = {
    [cudaGraphNodeTypeKernel] = "KERNEL",
    [cudaGraphNodeTypeMemcpy] = "MEMCPY",
    [cudaGraphNodeTypeMemset] = "MEMSET",
    [cudaGraphNodeTypeHost] = "HOST",
    [cudaGraphNodeTypeGraph] = "GRAPH",
    [cudaGraphNodeTypeEmpty] = "EMPTY",
    [cudaGraphNodeTypeWaitEvent] = "WAIT_EVENT",
    [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
    [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
    [cudaGraphNodeTypeMemFree] = "MEM_FREE",
    [cudaGraphNodeTypeConditional] = "CONDITIONAL",
    [cudaGraphNodeTypeBatchMemOp] = "BATCH_MEM_OP",
};

API cudaError_t
cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
  cudaError_t error = use_graph(graph);
  (void)flags;
  FILE *file = error || !path ? NULL : fopen(path, "w");
  if (!file)
    return error_return(error ? error : !path ? cudaErrorInvalidValue : cudaErrorOperatingSystem);
  fprintf(file, "digraph dot {\n");
  for (size_t i = 0; i < graph->n_nodes; i++) {
    const Node *node = graph->nodes[i];
    graph->nodes[i]->mark = i;
    fprintf(file, "  n%zu [label=\"%zu %s%s%s\"];\n", i, i, kind_names[node->call.kind],
            node->call.kind == cudaGraphNodeTypeKernel ? " " : "",
            node->call.kind == cudaGraphNodeTypeKernel ? node->call.kernel->kernel->symbol : "");
  }
  for (size_t i = 0; i < graph->n_nodes; i++)
    for (size_t j = 0; j < graph->nodes[i]->n_dependencies; j++)
      fprintf(file, "  n%zu -> n%zu;\n", graph->nodes[i]->dependencies[j]->mark, i);
  fprintf(file, "}\n");
  return error_return(fclose(file) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}
