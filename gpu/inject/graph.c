// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The nodes of executable graphs: which kernels a launch of a graph runs, and in what order.
#include "gpu/inject/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  void *node;    // of the graph that the executable one was made of
  Launch launch; // owns its parameters
  bool is_first; // all other nodes run after it
  bool is_off;   // disabled in the executable graph
} GraphNode;

// A node that is a graph: its kernels are those from @first on.
typedef struct {
  void *node;
  size_t first, n;
} ChildGraph;

typedef struct Graph {
  void *exec;
  GraphNode *nodes; // that are kernels, those of child graphs among them
  size_t n;
  ChildGraph *children;
  size_t n_children;
  size_t n_unknown;      // nodes that launch kernels which the driver does not name
  bool writes_otherwise; // other nodes than kernels may write memory
  const char *lost;      // (nullable): why it is not known what it launches
  struct Graph *next;
} Graph;

static const char changed[] = "its graph was changed in an unsupported way";
static const char no_memory[] = "out of memory while reading its graph";

static const InjectDriver *driver;
static Graph *graphs;
static unsigned long n_launches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void
graph_start(const InjectDriver *the_driver) {
  driver = the_driver;
}

static Graph *
find_graph(void *exec) {
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
  free(graph->children);
  *graph = (Graph){.exec = graph->exec, .next = graph->next};
}

// The name of what a node launches; NULL: the driver does not say.
static const char *
find_kernel_name(const CuKernelNodeParams *params) {
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
set_node_launch(GraphNode *node, const CuKernelNodeParams *params) {
  const char *name = find_kernel_name(params);
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

// Room for one more element of @bytes behind @n.
static bool
grow(void **array, size_t n, size_t bytes) {
  void *room = realloc(*array, (n + 1) * bytes);
  if (!room)
    return false;
  *array = room;
  return true;
}

static void
add_kernel_node(Graph *graph, void *node, bool is_first) {
  CuKernelNodeParams params;
  GraphNode added = {.node = node, .is_first = is_first};
  memset(&params, 0, sizeof params);
  if (driver->node_kernel(node, &params) != CU_SUCCESS || !set_node_launch(&added, &params)) {
    graph->writes_otherwise = true;
    graph->n_unknown++;
  } else if (grow((void **)&graph->nodes, graph->n, sizeof added))
    graph->nodes[graph->n++] = added;
  else
    graph->lost = no_memory;
}

static void read_nodes(Graph *graph, void *of, bool is_first);

static void
add_child(Graph *graph, void *node, bool is_first) {
  ChildGraph added = {.node = node, .first = graph->n};
  void *child = NULL;
  if (driver->node_graph(node, &child) == CU_SUCCESS)
    read_nodes(graph, child, is_first);
  else
    graph->n_unknown++;
  added.n = graph->n - added.first;
  if (grow((void **)&graph->children, graph->n_children, sizeof added))
    graph->children[graph->n_children++] = added;
  else
    graph->lost = no_memory;
}

static void
add_node(Graph *graph, void *node, bool is_first) {
  int type = -1;
  driver->node_type(node, &type);
  switch (type) {
  case CU_GRAPH_NODE_TYPE_EMPTY:
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return;
  case CU_GRAPH_NODE_TYPE_KERNEL:
    add_kernel_node(graph, node, is_first);
    return;
  case CU_GRAPH_NODE_TYPE_GRAPH:
    add_child(graph, node, is_first);
    return;
  default: // the kernels of a conditional node are not to be had
    graph->n_unknown += type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
    graph->writes_otherwise = true;
  }
}

static bool
is_root(void *node) {
  size_t n = 0;
  driver->node_dependencies(node, NULL, &n);
  return n == 0;
}

// Adds the nodes of a graph. @is_first: nothing else runs before it, or beside it.
static void
read_nodes(Graph *graph, void *of, bool is_first) {
  size_t n = 0, n_roots = 0;
  if (driver->graph_nodes(of, NULL, &n) != CU_SUCCESS)
    n = 0;
  void **nodes = calloc(n + 1, sizeof *nodes);
  if (!nodes || driver->graph_nodes(of, nodes, &n) != CU_SUCCESS) {
    graph->lost = no_memory;
    n = 0;
  }
  for (size_t i = 0; i < n; i++)
    n_roots += is_root(nodes[i]);
  for (size_t i = 0; i < n; i++)
    add_node(graph, nodes[i], is_first && n_roots == 1 && is_root(nodes[i]));
  free(nodes);
}

// What @n nodes from @first on launch is what another graph says, which has the same nodes in the same order.
static void
replace_nodes(Graph *graph, size_t first, size_t n, void *of) {
  Graph other = {0};
  read_nodes(&other, of, true);
  if (other.lost || other.n != n)
    graph->lost = other.lost ? other.lost : changed;
  for (size_t i = 0; i < n && !graph->lost; i++) {
    Launch *launch = &graph->nodes[first + i].launch, old = *launch;
    *launch = other.nodes[i].launch;
    other.nodes[i].launch = old;
  }
  empty(&other);
}

void
graph_made(void *exec, void *of) {
  pthread_mutex_lock(&lock);
  Graph *graph = find_graph(exec);
  if (!graph && (graph = calloc(1, sizeof *graph))) {
    graph->exec = exec;
    graph->next = graphs;
    graphs = graph;
  }
  if (graph) {
    empty(graph);
    read_nodes(graph, of, true);
  }
  pthread_mutex_unlock(&lock);
}

void
graph_updated(void *exec, void *of) {
  pthread_mutex_lock(&lock);
  Graph *graph = find_graph(exec);
  if (graph) {
    graph->lost = NULL;
    replace_nodes(graph, 0, graph->n, of);
  }
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

static GraphNode *
find_node(Graph *graph, const void *node) {
  for (size_t i = 0; graph && i < graph->n; i++)
    if (graph->nodes[i].node == node)
      return &graph->nodes[i];
  return NULL;
}

void
graph_changed(void *exec, void *node, const CuKernelNodeParams *params) {
  pthread_mutex_lock(&lock);
  Graph *graph = find_graph(exec);
  GraphNode *found = find_node(graph, node);
  if (graph && (!found || !set_node_launch(found, params)))
    graph->lost = changed;
  pthread_mutex_unlock(&lock);
}

void
graph_child_changed(void *exec, void *node, void *of) {
  pthread_mutex_lock(&lock);
  Graph *graph = find_graph(exec);
  size_t i = 0;
  while (graph && i < graph->n_children && graph->children[i].node != node)
    i++;
  if (graph && i < graph->n_children)
    replace_nodes(graph, graph->children[i].first, graph->children[i].n, of);
  else if (graph)
    graph->lost = changed;
  pthread_mutex_unlock(&lock);
}

void
graph_enabled(void *exec, void *node, bool is_on) {
  pthread_mutex_lock(&lock);
  GraphNode *found = find_node(find_graph(exec), node);
  if (found)
    found->is_off = !is_on;
  pthread_mutex_unlock(&lock);
}

// What other nodes than one reach.
static void
reach_others(Reach *reach, const Graph *graph, size_t except) {
  reach_begin(reach, driver);
  for (size_t i = 0; i < graph->n; i++)
    if (i != except && !graph->nodes[i].is_off)
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

static void
launch_node(const Graph *graph, size_t index, void *stream) {
  Kernel *kernel = graph->nodes[index].launch.kernel;
  unsigned long number;
  if (!kernel->is_wanted || graph->nodes[index].is_off)
    return;
  __atomic_add_fetch(&kernel->seen, 1, __ATOMIC_RELAXED);
  if (!record_chooses(&number))
    return;
  if (graph->lost)
    record_drop(kernel->symbol, graph->lost);
  else if (record_is_open() || record_begin(kernel))
    record_node(graph, index, stream, number);
}

void
graph_launched(void *exec, void *stream) {
  pthread_mutex_lock(&lock);
  Graph *graph = find_graph(exec);
  n_launches++;
  for (size_t i = 0; graph && i < graph->n; i++)
    launch_node(graph, i, stream);
  for (size_t i = 0; graph && i < graph->n_unknown; i++)
    record_drop("a graph", "the driver does not say which kernels a node of it runs");
  pthread_mutex_unlock(&lock);
}
