// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/inject/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  void *node;
  Launch launch; // owns its parameters
  bool is_first; // all other nodes run after it
} GraphNode;

typedef struct Graph {
  void *exec;
  GraphNode *nodes; // that are kernels
  size_t n;
  bool writes_otherwise; // other nodes than kernels may write memory
  bool is_lost;
  struct Graph *next;
} Graph;

static const InjectDriver *driver;
static Graph *graphs;
static unsigned long n_launches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void
graph_start(const InjectDriver *the_driver) {
  driver = the_driver;
}

static Graph *
find(void *exec) {
  Graph *graph = graphs;
  while (graph && graph->exec != exec)
    graph = graph->next;
  return graph;
}

static void
empty(Graph *graph) {
  for (size_t i = 0; i < graph->n; i++)
    free((void *)graph->nodes[i].launch.parameters);
  free(graph->nodes);
  graph->nodes = NULL;
  graph->n = 0;
  graph->writes_otherwise = graph->is_lost = false;
}

// The name of what a node launches; NULL: the driver does not say.
static const char *
find_name(const CuKernelNodeParams *params) {
  const char *name = NULL;
  void *function = params->func;
  if (!driver->function_name)
    return NULL;
  if (function && driver->function_name(&name, function) == CU_SUCCESS)
    return name;
  void *kernel = function ? function : params->kern;
  if (!driver->kernel_function || driver->kernel_function(&function, kernel) != CU_SUCCESS)
    return NULL;
  return driver->function_name(&name, function) == CU_SUCCESS ? name : NULL;
}

static void
set_attributes(GraphNode *node) {
  CuLaunchAttributeValue value;
  memset(&value, 0, sizeof value);
  if (driver->node_attribute(node->node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) ==
      CU_SUCCESS)
    memcpy(node->launch.cluster, value.clusterDim, sizeof node->launch.cluster);
  memset(&value, 0, sizeof value);
  if (driver->node_attribute(node->node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value) == CU_SUCCESS)
    node->launch.is_cooperative = value.cooperative != 0;
}

// Whether it is known what the node launches.
static bool
set_launch(GraphNode *node, const CuKernelNodeParams *params) {
  const char *name = find_name(params);
  Kernel *kernel =
      name ? kernel_find(driver, params->func ? params->func : params->kern, name) : NULL;
  if (!kernel)
    return false;
  free((void *)node->launch.parameters);
  node->launch.kernel = kernel;
  memcpy(node->launch.grid, params->grid, sizeof params->grid);
  memcpy(node->launch.block, params->block, sizeof params->block);
  node->launch.dynamic_bytes = params->sharedMemBytes;
  node->launch.parameters =
      kernel_gather(kernel, params->kernelParams, params->extra, &node->launch.parameter_bytes);
  set_attributes(node);
  return true;
}

static void
add_node(Graph *graph, void *node, size_t n_nodes, size_t n_roots) {
  int type = -1;
  size_t n_dependencies = 0;
  driver->node_type(node, &type);
  if (type == CU_GRAPH_NODE_TYPE_EMPTY || type == CU_GRAPH_NODE_TYPE_WAIT_EVENT ||
      type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    return;
  CuKernelNodeParams params;
  memset(&params, 0, sizeof params);
  GraphNode *added = &graph->nodes[graph->n];
  memset(added, 0, sizeof *added);
  added->node = node;
  if (type != CU_GRAPH_NODE_TYPE_KERNEL || driver->node_kernel(node, &params) != CU_SUCCESS ||
      !set_launch(added, &params)) {
    graph->writes_otherwise = true;
    return;
  }
  driver->node_dependencies(node, NULL, &n_dependencies);
  added->is_first = n_nodes == 1 || (n_dependencies == 0 && n_roots == 1);
  graph->n++;
}

static size_t
count_roots(void *const *nodes, size_t n) {
  size_t n_roots = 0;
  for (size_t i = 0; i < n; i++) {
    size_t n_dependencies = 0;
    driver->node_dependencies(nodes[i], NULL, &n_dependencies);
    n_roots += n_dependencies == 0;
  }
  return n_roots;
}

static void
read_nodes(Graph *graph, void *of) {
  size_t n = 0;
  empty(graph);
  if (driver->graph_nodes(of, NULL, &n) != CU_SUCCESS)
    n = 0;
  void **nodes = calloc(n + 1, sizeof *nodes);
  graph->nodes = calloc(n + 1, sizeof *graph->nodes);
  graph->is_lost = !nodes || !graph->nodes || driver->graph_nodes(of, nodes, &n) != CU_SUCCESS;
  size_t n_roots = graph->is_lost ? 0 : count_roots(nodes, n);
  for (size_t i = 0; !graph->is_lost && i < n; i++)
    add_node(graph, nodes[i], n, n_roots);
  free(nodes);
}

void
graph_made(void *exec, void *of) {
  pthread_mutex_lock(&lock);
  Graph *graph = find(exec);
  if (!graph && (graph = calloc(1, sizeof *graph))) {
    graph->exec = exec;
    graph->next = graphs;
    graphs = graph;
  }
  if (graph)
    read_nodes(graph, of);
  pthread_mutex_unlock(&lock);
}

void
graph_destroyed(void *exec) {
  pthread_mutex_lock(&lock);
  for (Graph **at = &graphs; *at; at = &(*at)->next)
    if ((*at)->exec == exec) {
      Graph *graph = *at;
      *at = graph->next;
      empty(graph);
      free(graph);
      break;
    }
  pthread_mutex_unlock(&lock);
}

void
graph_changed(void *exec, void *node, const CuKernelNodeParams *params) {
  pthread_mutex_lock(&lock);
  Graph *graph = find(exec);
  for (size_t i = 0; graph && i < graph->n; i++)
    if (graph->nodes[i].node == node && !set_launch(&graph->nodes[i], params))
      graph->is_lost = true;
  pthread_mutex_unlock(&lock);
}

void
graph_lost(void *exec) {
  pthread_mutex_lock(&lock);
  Graph *graph = find(exec);
  if (graph)
    graph->is_lost = true;
  pthread_mutex_unlock(&lock);
}

// What other nodes than one reach.
static void
reach_others(Reach *reach, const Graph *graph, size_t except) {
  reach_begin(reach, driver);
  for (size_t i = 0; i < graph->n; i++)
    if (i != except)
      reach_add(reach, graph->nodes[i].launch.parameters, graph->nodes[i].launch.parameter_bytes);
  reach_follow(reach);
}

static void
record_node(const Graph *graph, size_t index, void *stream, unsigned long number) {
  const GraphNode *node = &graph->nodes[index];
  Reach others;
  Launch launch = node->launch;
  launch.stream = stream;
  launch.number = number;
  reach_others(&others, graph, index);
  const Place place = {.graph = n_launches,
                       .node = index + 1,
                       .others = node->is_first ? NULL : &others,
                       .all_spoilt = !node->is_first && graph->writes_otherwise};
  record_launch(&launch, &place);
  reach_clear(&others);
}

void
graph_launched(void *exec, void *stream) {
  pthread_mutex_lock(&lock);
  Graph *graph = find(exec);
  n_launches++;
  for (size_t i = 0; graph && !graph->is_lost && i < graph->n; i++) {
    Kernel *kernel = graph->nodes[i].launch.kernel;
    unsigned long number;
    if (!kernel->is_wanted)
      continue;
    __atomic_add_fetch(&kernel->seen, 1, __ATOMIC_RELAXED);
    if (record_chooses(&number) && (record_is_open() || record_begin(kernel)))
      record_node(graph, i, stream, number);
  }
  pthread_mutex_unlock(&lock);
}
