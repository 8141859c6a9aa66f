// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs of the made-up driver: each node runs after the one before it.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/driver/impl.h"

struct CuNode {
  int type;
  CuKernelNodeParams params;
  struct CuGraph *child;
  struct CuNode *after;
  struct CuNode *origin; // of an executable graph
  bool is_off;
};

struct CuGraph {
  struct CuNode *nodes[8];
  size_t n;
};

int
fake_driver_graph(struct CuGraph **graph) {
  *graph = calloc(1, sizeof **graph);
  return 0;
}

static struct CuNode *
add(struct CuGraph *graph, const struct CuNode *like) {
  struct CuNode *node = malloc(sizeof *node);
  *node = *like;
  node->after = graph->n > 0 ? graph->nodes[graph->n - 1] : NULL;
  graph->nodes[graph->n++] = node;
  return node;
}

struct CuNode *
fake_driver_add(struct CuGraph *graph, int type, const CuKernelNodeParams *params) {
  struct CuNode node = {.type = type};
  if (params)
    node.params = *params;
  return add(graph, &node);
}

static struct CuGraph *
copy(const struct CuGraph *graph) {
  struct CuGraph *own = calloc(1, sizeof *own);
  for (size_t i = 0; i < graph->n; i++) {
    struct CuNode *node = add(own, graph->nodes[i]);
    node->origin = graph->nodes[i];
    node->child = node->child ? copy(node->child) : NULL;
  }
  return own;
}

struct CuNode *
fake_driver_add_child(struct CuGraph *graph, const struct CuGraph *child) {
  const struct CuNode node = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = copy(child)};
  return add(graph, &node);
}

int
cuGraphChildGraphNodeGetGraph(void *node, void **graph) {
  *graph = ((struct CuNode *)node)->child;
  return 0;
}

int
cuGraphGetNodes(void *graph, void **nodes, size_t *n) {
  const struct CuGraph *of = graph;
  if (nodes)
    memcpy(nodes, of->nodes, of->n * sizeof *nodes);
  *n = of->n;
  return 0;
}

int
cuGraphNodeGetType(void *node, int *type) {
  *type = ((struct CuNode *)node)->type;
  return 0;
}

int
cuGraphKernelNodeGetParams_v2(void *node, CuKernelNodeParams *params) {
  *params = ((struct CuNode *)node)->params;
  return 0;
}

int
cuGraphKernelNodeGetAttribute(void *node, int attribute, CuLaunchAttributeValue *value) {
  (void)node, (void)attribute, (void)value;
  return 0;
}

int
cuGraphNodeGetDependencies(void *node, void **dependencies, size_t *n) {
  if (dependencies)
    *dependencies = ((struct CuNode *)node)->after;
  *n = ((struct CuNode *)node)->after != NULL;
  return 0;
}

int
fake_driver_instantiate(struct CuGraph **exec, struct CuGraph *graph) {
  *exec = copy(graph);
  CuptiGraphData data = {.graph = graph, .graphExec = *exec};
  driver_call_back_resource(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, &data);
  return 0;
}

static struct CuNode *
find_node(const struct CuGraph *exec, const struct CuNode *origin) {
  struct CuNode *found = NULL;
  for (size_t i = 0; i < exec->n && !found; i++)
    found = exec->nodes[i]->origin == origin ? exec->nodes[i]
            : exec->nodes[i]->child          ? find_node(exec->nodes[i]->child, origin)
                                             : NULL;
  return found;
}

int
fake_driver_change(uint32_t id, struct CuGraph *exec, void *what, const void *to) {
  const struct {
    void *exec, *what;
    const void *to;
  } params = {exec, what, to};
  struct CuNode *node = find_node(exec, what);
  driver_call_back(id, CUPTI_API_ENTER, NULL, &params);
  if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2)
    *exec = *copy(what);
  else if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams)
    node->child = copy(to);
  else if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled)
    node->is_off = to == NULL;
  else if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams)
    node->params = ((const CuGraphNodeParams *)to)->of.kernel;
  else if (node)
    node->params = *(const CuKernelNodeParams *)to;
  driver_call_back(id, CUPTI_API_EXIT, NULL, &params);
  return 0;
}

static void
run_graph(const struct CuGraph *graph) {
  for (size_t i = 0; i < graph->n; i++) {
    const struct CuNode *node = graph->nodes[i];
    if (node->child)
      run_graph(node->child);
    else if (node->type == CU_GRAPH_NODE_TYPE_KERNEL && !node->is_off)
      driver_run(node->params.func, node->params.grid, node->params.block,
                 node->params.kernelParams);
  }
}

int
cuGraphLaunch(void *exec, void *stream) {
  const CuGraphLaunchParams params = {exec, stream};
  driver_call_back(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_API_ENTER, NULL, &params);
  run_graph(exec);
  driver_call_back(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_API_EXIT, NULL, &params);
  return 0;
}
