// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs run one after the other: what a kernel launches to be forgotten runs when the kernel has ended, whether as a sibling or not, and
// what it launches as a tail when its graph has, in the order of the calls, each before what waited already.
#include "gpu/driver/graph/device-graph.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/driver/handle.h"

// Handles that stand for ways to launch (cuda_device_runtime_api.h).
static const uint64_t stream_tail = 0x0100000000000000, stream_forget = 0x0200000000000000,
                      stream_sibling = 0x0300000000000000;

typedef struct {
  Exec **execs;
  size_t n;
} ExecList;

typedef struct Running {
  const struct Running *outer;
  const Exec *exec;
  ExecList forgotten, tails; // launched by its kernels
} Running;

static __thread Running *running; // the innermost graph that this thread runs

static bool
add_exec(ExecList *list, Exec *exec) {
  Exec **more = realloc(list->execs, (list->n + 1) * sizeof *more);
  if (!more)
    return false;
  list->execs = more;
  more[list->n++] = exec;
  return true;
}

// --- running

cudaError_t
exec_run_launched(void) {
  cudaError_t error = cudaSuccess;
  if (!running || running->forgotten.n == 0)
    return cudaSuccess;
  ExecList launched = running->forgotten;
  running->forgotten = (ExecList){NULL, 0};
  for (size_t i = 0; !error && i < launched.n; i++)
    error = exec_run(launched.execs[i]);
  free(launched.execs);
  return error;
}

static cudaError_t
begin_exec(Exec *exec) {
  exec->waits = false;
  exec->is_uploaded = exec->flags & cudaGraphInstantiateFlagDeviceLaunch;
  return exec_run_nodes(exec);
}

cudaError_t
exec_run(Exec *exec) {
  ExecList waiting = {NULL, 0}; // the next one last
  cudaError_t error = add_exec(&waiting, exec) ? cudaSuccess : cudaErrorMemoryAllocation;
  while (!error && waiting.n > 0) {
    Exec *next = waiting.execs[--waiting.n];
    Running *outer = running, own = {.outer = outer, .exec = next};
    running = &own;
    error = handle_is(next, HANDLE_EXEC) ? begin_exec(next) : cudaErrorInvalidValue;
    running = outer;
    while (!error && own.tails.n > 0)
      if (!add_exec(&waiting, own.tails.execs[--own.tails.n]))
        error = cudaErrorMemoryAllocation;
    free(own.forgotten.execs);
    free(own.tails.execs);
  }
  free(waiting.execs);
  return error;
}

uint64_t
device_graph_current(void) {
  bool is_launchable = running && running->exec->flags & cudaGraphInstantiateFlagDeviceLaunch;
  return is_launchable ? (uintptr_t)running->exec : 0;
}

static bool
is_running(const Exec *exec) {
  const Running *one = running;
  while (one && one->exec != exec)
    one = one->outer;
  return one;
}

// A graph is launched again when it has begun to run, and, but as a tail, when it has ended.
cudaError_t
device_graph_launch(Exec *exec, uint64_t stream) {
  if (!running || !handle_is(exec, HANDLE_EXEC) || !exec->is_uploaded || exec->waits ||
      (stream != stream_tail && stream != stream_forget && stream != stream_sibling) ||
      (stream != stream_tail && is_running(exec)))
    return cudaErrorInvalidValue;
  ExecList *list = stream == stream_tail ? &running->tails : &running->forgotten;
  exec->waits = add_exec(list, exec);
  return exec->waits ? cudaSuccess : cudaErrorMemoryAllocation;
}

// --- what kernels can launch: kernels, copies and fills, and at least one kernel

static bool
is_of_device(cudaGraphNodeType kind) {
  return kind == cudaGraphNodeTypeKernel || kind == cudaGraphNodeTypeMemcpy ||
         kind == cudaGraphNodeTypeMemset || kind == cudaGraphNodeTypeGraph;
}

static bool
has_device_kernel(const Graph *graph, Node **wrong) {
  bool has = false;
  for (size_t i = 0; i < graph->n_nodes; i++) {
    const Call *call = &graph->nodes[i]->call;
    if (!is_of_device(call->kind) && !*wrong)
      *wrong = graph->nodes[i];
    if (call->kind == cudaGraphNodeTypeGraph && has_device_kernel(call->child, wrong))
      has = true;
    has = has || call->kind == cudaGraphNodeTypeKernel;
  }
  return has;
}

int
device_graph_check(const Graph *graph, Node **node) {
  *node = NULL;
  bool has = has_device_kernel(graph, node);
  return *node ? cudaGraphInstantiateNodeOperationNotSupported
         : has ? cudaGraphInstantiateSuccess
               : cudaGraphInstantiateError;
}

// --- nodes that kernels change

DeviceNode *
device_node_make(Node *node) {
  if (!node->device && (node->device = handle_new(HANDLE_DEVICE_NODE, sizeof *node->device)))
    node->device->node = node;
  return node->device;
}

cudaError_t
device_node_set_parameter(DeviceNode *node, uint64_t offset, const void *bytes, uint64_t length) {
  if (!handle_is(node, HANDLE_DEVICE_NODE))
    return cudaErrorInvalidValue;
  KernelCall *launch = node->node->call.kernel;
  uint64_t end = launch->kernel->parameter_bytes;
  if (offset > end || length > end - offset)
    return cudaErrorInvalidValue;
  memcpy(launch->parameters + offset, bytes, length);
  return cudaSuccess;
}

cudaError_t
device_node_set_grid(DeviceNode *node, dim3 grid) {
  if (!handle_is(node, HANDLE_DEVICE_NODE))
    return cudaErrorInvalidValue;
  KernelCall changed = *node->node->call.kernel;
  changed.grid = grid;
  cudaError_t error = launch_check(&changed);
  if (!error)
    node->node->call.kernel->grid = grid;
  return error;
}

cudaError_t
device_node_enable(DeviceNode *node, bool is_enabled) {
  if (!handle_is(node, HANDLE_DEVICE_NODE))
    return cudaErrorInvalidValue;
  node->node->is_disabled = !is_enabled;
  return cudaSuccess;
}
