// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs that are executed: a copy of the graph, with the order in which its nodes run.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/error.h"
#include "gpu/driver/graph/device-graph.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/stream-capture.h"

static void
free_exec(Exec *exec) {
  graph_free(exec->graph);
  free(exec->order);
  handle_free(exec);
}

// What kernels launch does not free what an earlier launch has allocated.
static bool
are_flags_right(unsigned long long flags) {
  const unsigned long long both =
      cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch;
  return !(flags & ~(unsigned long long)cudaGraphInstantiateFlagsKnown) && (flags & both) != both;
}

static cudaError_t
instantiate(cudaGraphExec_t *answer, Graph *graph, unsigned long long flags, int *result,
            Node **node) {
  cudaError_t error = error_check();
  if (!error && (!answer || !handle_is(graph, HANDLE_GRAPH) || !are_flags_right(flags)))
    error = cudaErrorInvalidValue;
  *node = NULL;
  *result = error ? cudaGraphInstantiateError : conditions_check(graph);
  if (!error && !*result && flags & cudaGraphInstantiateFlagDeviceLaunch)
    *result = device_graph_check(graph, node);
  if (!error && graph_is_single(graph) && handle_is(graph->exec, HANDLE_EXEC)) {
    *result = cudaGraphInstantiateError;
    error = cudaErrorNotSupported;
  }
  if (!error && *result)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  Exec *exec = handle_new(HANDLE_EXEC, sizeof *exec);
  if (!exec)
    return error_return(cudaErrorMemoryAllocation);
  exec->flags = flags;
  exec->is_uploaded =
      flags & cudaGraphInstantiateFlagUpload && flags & cudaGraphInstantiateFlagDeviceLaunch;
  exec->graph = graph_copy(graph);
  exec->order = exec->graph ? graph_sort(exec->graph) : NULL;
  if (!exec->order) { // no order: a circle
    error = exec->graph ? cudaErrorInvalidValue : cudaErrorMemoryAllocation;
    free_exec(exec);
    *result = cudaGraphInstantiateError;
    return error_return(error);
  }
  graph->exec = exec;
  *answer = exec;
  return cudaSuccess;
}

API cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  int result;
  Node *node;
  if (flags & cudaGraphInstantiateFlagUpload) // there is no stream for it
    return error_return(cudaErrorInvalidValue);
  return instantiate(exec, graph, flags, &result, &node);
}

API cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

API cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                               cudaGraphInstantiateParams *parameters) {
  if (!parameters)
    return error_return(cudaErrorInvalidValue);
  return instantiate(exec, graph, parameters->flags, &parameters->result_out,
                     &parameters->errNode_out);
}

static cudaError_t
use_exec(const Exec *exec) {
  cudaError_t error = error_check();
  return error ? error : handle_is(exec, HANDLE_EXEC) ? cudaSuccess : cudaErrorInvalidValue;
}

API cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t exec) {
  cudaError_t error = use_exec(exec);
  if (error)
    return error_return(error);
  queue_wait(exec->ticket);
  free_exec(exec);
  return cudaSuccess;
}

API cudaError_t
cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  cudaError_t error = use_exec(exec);
  if (!error && !flags)
    error = cudaErrorInvalidValue;
  if (!error)
    *flags = exec->flags & (cudaGraphInstantiateFlagAutoFreeOnLaunch |
                            cudaGraphInstantiateFlagDeviceLaunch); // all that an H100 returns
  return error_return(error);
}

// --- launching

// What the graph has allocated and not freed: freed now, or in the way.
static cudaError_t
check_allocations(const Exec *exec) {
  for (size_t i = 0; i < exec->graph->n_nodes; i++) {
    const Call *call = &exec->graph->nodes[i]->call;
    Allocation found;
    if (call->kind != cudaGraphNodeTypeMemAlloc || !memory_find(call->allocation.dptr, &found) ||
        found.is_free)
      continue;
    if (!(exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch))
      return cudaErrorInvalidValue;
    memory_set_live(call->allocation.dptr, false);
  }
  return cudaSuccess;
}

API cudaError_t
cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  cudaError_t error = use_exec(exec);
  Stream *stream = error ? NULL : stream_of(handle);
  if (!error && !stream)
    error = cudaErrorInvalidResourceHandle;
  if (error)
    return error_return(error);
  Call call = {.kind = cudaGraphNodeTypeGraph, .run = exec, .is_launch = true};
  if (stream->capture) {
    if (graph_has_conditions(exec->graph))
      return error_return(cudaErrorNotSupported);
    call = (Call){.kind = cudaGraphNodeTypeGraph, .child = graph_copy(exec->graph)};
    if (!call.child)
      return error_return(cudaErrorMemoryAllocation);
    call.child->is_part = true;
  } else {
    queue_wait(exec->ticket); // a graph does not run twice at a time
    error = check_allocations(exec);
  }
  return error ? error_return(error) : call_submit(&call, stream, false);
}

API cudaError_t
cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t handle) {
  cudaError_t error = use_exec(exec);
  if (!error && !stream_of(handle))
    error = cudaErrorInvalidResourceHandle;
  if (!error)
    exec->is_uploaded = exec->flags & cudaGraphInstantiateFlagDeviceLaunch;
  return error_return(error);
}

// --- nodes of it

static cudaError_t
use_own_node(const Exec *exec, const Node *node, Node **own) {
  cudaError_t error = use_exec(exec);
  if (error)
    return error;
  *own = exec_find(exec, node);
  return *own && ((*own)->call.kind == cudaGraphNodeTypeKernel ||
                  (*own)->call.kind == cudaGraphNodeTypeMemcpy ||
                  (*own)->call.kind == cudaGraphNodeTypeMemset)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

API cudaError_t
cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled) {
  Node *own;
  cudaError_t error = use_own_node(exec, node, &own);
  if (!error)
    own->is_disabled = !is_enabled;
  return error_return(error);
}

API cudaError_t
cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *is_enabled) {
  Node *own;
  cudaError_t error = is_enabled ? use_own_node(exec, node, &own) : cudaErrorInvalidValue;
  if (!error)
    *is_enabled = !own->is_disabled;
  return error_return(error);
}

// --- another graph of the same form

// Nodes correspond in the order in which they were added.
static cudaGraphExecUpdateResult
compare_call_nodes(const Node *own, const Node *node) {
  if (own->call.kind != node->call.kind)
    return cudaGraphExecUpdateErrorNodeTypeChanged;
  if (own->n_dependencies != node->n_dependencies)
    return cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < node->n_dependencies; i++)
    if (!node_follows(own, own->graph->nodes[node->dependencies[i]->mark]))
      return cudaGraphExecUpdateErrorTopologyChanged;
  return own->call.kind == cudaGraphNodeTypeMemAlloc || own->call.kind == cudaGraphNodeTypeMemFree
             ? cudaGraphExecUpdateErrorNotSupported
             : cudaGraphExecUpdateSuccess;
}

// Conditions have the same form, and their bodies as well.
static cudaGraphExecUpdateResultInfo
compare_conditions(const ConditionCall *own, Node *node) {
  const ConditionCall *call = node->call.condition;
  cudaGraphExecUpdateResultInfo info = {cudaGraphExecUpdateSuccess, NULL, NULL};
  if (own->type != call->type || own->size != call->size)
    return (cudaGraphExecUpdateResultInfo){cudaGraphExecUpdateErrorParametersChanged, node, NULL};
  for (unsigned k = 0; info.result == cudaGraphExecUpdateSuccess && k < call->size; k++)
    info = graphs_compare(own->bodies[k], call->bodies[k]);
  return info;
}

cudaGraphExecUpdateResultInfo
graphs_compare(const Graph *own, const Graph *graph) {
  cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateSuccess};
  if (own->n_nodes != graph->n_nodes)
    info.result = cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < graph->n_nodes; i++)
    graph->nodes[i]->mark = i;
  for (size_t i = 0; info.result == cudaGraphExecUpdateSuccess && i < graph->n_nodes; i++) {
    info.result = compare_call_nodes(own->nodes[i], graph->nodes[i]);
    if (info.result != cudaGraphExecUpdateSuccess)
      info.errorNode = graph->nodes[i];
    else if (graph->nodes[i]->call.kind == cudaGraphNodeTypeConditional)
      info = compare_conditions(own->nodes[i]->call.condition, graph->nodes[i]);
  }
  return info;
}

// Handles are those of the other graph from now on: its kernels set them.
static cudaError_t
take_conditions(Graph *own, const Graph *graph) {
  conditions_drop_all(own);
  return conditions_hold_again(own, graph) ? cudaSuccess : cudaErrorMemoryAllocation;
}

API cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                    cudaGraphExecUpdateResultInfo *answer) {
  cudaError_t error = use_exec(exec);
  if (!error && (!handle_is(graph, HANDLE_GRAPH) || !answer))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  queue_wait(exec->ticket);
  *answer = graphs_compare(exec->graph, graph);
  if (answer->result != cudaGraphExecUpdateSuccess)
    return error_return(cudaErrorGraphExecUpdateFailure);
  for (size_t i = 0; !error && i < graph->n_nodes; i++) {
    Call call;
    if (!call_copy(&call, &graph->nodes[i]->call))
      error = cudaErrorMemoryAllocation;
    else
      error = node_replace(exec->graph->nodes[i], &call);
  }
  return error_return(error ? error : take_conditions(exec->graph, graph));
}

// --- attributes of kernels

static cudaError_t
use_launch(const Node *node, int attribute) {
  cudaError_t error = error_check();
  return error ? error
         : handle_is(node, HANDLE_NODE) && node->call.kind == cudaGraphNodeTypeKernel &&
                 attribute >= 0 && attribute < cudaLaunchAttributeEnd
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

API cudaError_t
cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int attribute,
                                cudaLaunchAttributeValue *value) {
  cudaError_t error = value ? use_launch(node, attribute) : cudaErrorInvalidValue;
  if (!error)
    *value = node->call.kernel->attributes[attribute];
  return error_return(error);
}

// Answers in the value, although it is constant, as CUDA does. It stays so.
static cudaError_t
set_updatable(Node *node, cudaLaunchAttributeValue *value) {
  int wanted = value->deviceUpdatableKernelNode.deviceUpdatable;
  if (wanted != 0 && wanted != 1)
    return cudaErrorInvalidValue;
  if (!wanted)
    return node->device ? cudaErrorNotSupported : cudaSuccess;
  value->deviceUpdatableKernelNode.devNode = device_node_make(node);
  return node->device ? cudaSuccess : cudaErrorMemoryAllocation;
}

API cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute,
                                const cudaLaunchAttributeValue *value) {
  cudaError_t error = value ? use_launch(node, attribute) : cudaErrorInvalidValue;
  if (!error && attribute == cudaLaunchAttributeDeviceUpdatableKernelNode)
    error = set_updatable(node, (cudaLaunchAttributeValue *)value);
  if (error)
    return error_return(error);
  KernelCall *launch = node->call.kernel;
  launch->attributes[attribute] = *value;
  if (attribute == cudaLaunchAttributeCooperative)
    launch->is_cooperative = value->cooperative != 0;
  if (attribute == cudaLaunchAttributeClusterDimension)
    launch->cluster = value->clusterDim;
  return cudaSuccess;
}

API cudaError_t
cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  cudaError_t error = use_launch(to, 0);
  error = error ? error : use_launch(from, 0);
  if (!error && (to->device || from->device))
    error = cudaErrorNotSupported;
  if (error)
    return error_return(error);
  memcpy(to->call.kernel->attributes, from->call.kernel->attributes,
         sizeof to->call.kernel->attributes);
  to->call.kernel->is_cooperative = from->call.kernel->is_cooperative;
  to->call.kernel->cluster = from->call.kernel->cluster;
  return cudaSuccess;
}

// --- memory of graphs: nothing is kept for the next launch

API cudaError_t
cudaDeviceGraphMemTrim(int device) {
  cudaError_t error = error_check();
  return error_return(error ? error : device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

// High marks are those of now: nothing is kept of earlier launches.
API cudaError_t
cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
  cudaError_t error = error_check();
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  if (!error && (!value || attribute < cudaGraphMemAttrUsedMemCurrent ||
                 attribute > cudaGraphMemAttrReservedMemHigh))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  uint64_t bytes = memory_count_graphs(attribute <= cudaGraphMemAttrUsedMemHigh);
  memcpy(value, &bytes, sizeof bytes);
  return cudaSuccess;
}

API cudaError_t
cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value) {
  uint64_t number = 1;
  cudaError_t error = error_check();
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  if (!error && value)
    memcpy(&number, value, sizeof number);
  bool is_mark =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  return error_return(error ? error : is_mark && number == 0 ? cudaSuccess : cudaErrorInvalidValue);
}
