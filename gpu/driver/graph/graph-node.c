// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Nodes that programs add themselves, and their parameters.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/error.h"
#include "gpu/driver/graph/device-graph.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/symbol-copy.h"

// --- adding

static cudaError_t
check_dependencies(const Graph *graph, Node *const *dependencies, size_t n) {
  cudaError_t error = error_check();
  if (!error && (!handle_is(graph, HANDLE_GRAPH) || (n > 0 && !dependencies)))
    error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++) {
    if (!handle_is(dependencies[i], HANDLE_NODE) || dependencies[i]->graph != graph)
      error = cudaErrorInvalidValue;
    for (size_t j = 0; !error && j < i; j++)
      if (dependencies[j] == dependencies[i])
        error = cudaErrorInvalidValue;
  }
  return error;
}

// Adds a node whose call could be made (@error), and takes it.
static cudaError_t
add_given_node(Node **node, Graph *graph, Node *const *dependencies, size_t n, Call *call,
               cudaError_t error) {
  error = error ? error : check_dependencies(graph, dependencies, n);
  if (!error && !node)
    error = cudaErrorInvalidValue;
  error = error ? error : call_check(call);
  Node *added = error ? NULL : graph_add(graph, call, dependencies, n);
  if (added)
    *node = added;
  else
    call_clear(call);
  return error_return(error ? error : added ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t
node_make_kernel(Call *call, const cudaKernelNodeParams *parameters) {
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  if (!parameters || parameters->extra)
    return cudaErrorInvalidValue;
  const cudaLaunchConfig_t configuration = {.gridDim = parameters->gridDim,
                                            .blockDim = parameters->blockDim,
                                            .dynamicSmemBytes = parameters->sharedMemBytes};
  return launch_make(call, parameters->func, &configuration, parameters->kernelParams);
}

static cudaError_t
make_node_copy(Call *call, const cudaMemcpy3DParms *parameters) {
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  if (!parameters || copy_is_empty(parameters))
    return cudaErrorInvalidValue;
  *call = (Call){.kind = cudaGraphNodeTypeMemcpy, .copy = *parameters};
  return cudaSuccess;
}

static cudaError_t
make_bytes(Call *call, void *to, const void *from, size_t bytes, int kind) {
  const cudaMemcpy3DParms copy = {.dstPtr = {to, bytes, bytes, 1},
                                  .srcPtr = {(void *)from, bytes, bytes, 1},
                                  .extent = {bytes, 1, 1},
                                  .kind = kind};
  return make_node_copy(call, &copy);
}

static cudaError_t
make_fill(Call *call, const cudaMemsetParams *parameters) {
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  if (!parameters || parameters->width == 0 || parameters->height == 0)
    return cudaErrorInvalidValue;
  *call = (Call){.kind = cudaGraphNodeTypeMemset, .fill = {.rows = *parameters, .depth = 1}};
  return cudaSuccess;
}

static cudaError_t
make_host(Call *call, const cudaHostNodeParams *parameters) {
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  if (!parameters)
    return cudaErrorInvalidValue;
  *call = (Call){.kind = cudaGraphNodeTypeHost, .host = *parameters};
  return cudaSuccess;
}

static cudaError_t
make_child(Call *call, const Graph *child) {
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  if (!handle_is(child, HANDLE_GRAPH))
    return cudaErrorInvalidValue;
  if (graph_is_single(child))
    return cudaErrorNotSupported;
  Graph *copy = graph_copy(child);
  if (!copy)
    return cudaErrorMemoryAllocation;
  copy->is_part = true;
  *call = (Call){.kind = cudaGraphNodeTypeGraph, .child = copy};
  return cudaSuccess;
}

static cudaError_t
make_event(Call *call, cudaGraphNodeType kind, cudaEvent_t event) {
  *call = (Call){.kind = kind, .event = event};
  return event ? cudaSuccess : cudaErrorInvalidValue;
}

// The memory has its address from now on.
static cudaError_t
make_allocation(Call *call, cudaMemAllocNodeParams *parameters) {
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  if (!parameters || parameters->bytesize == 0 ||
      parameters->poolProps.allocType != cudaMemAllocationTypePinned ||
      parameters->poolProps.location.type != cudaMemLocationTypeDevice ||
      parameters->poolProps.location.id != 0)
    return cudaErrorInvalidValue;
  Allocation memory = {.bytes = parameters->bytesize,
                       .kind = INJECT_DEVICE,
                       .is_graphs = true,
                       .is_free = true,
                       .n_nodes = 1};
  parameters->dptr = memory_allocate_as(&memory);
  if (!parameters->dptr)
    return cudaErrorMemoryAllocation;
  *call = (Call){.kind = cudaGraphNodeTypeMemAlloc, .allocation = *parameters};
  return cudaSuccess;
}

static cudaError_t
make_operations(Call *call, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters) {
  if (parameters->count > MEMORY_MAX_OPERATIONS ||
      (parameters->count > 0 && !parameters->paramArray) ||
      (parameters->ctx ? !context_is(parameters->ctx) : parameters->count == 0))
    return cudaErrorInvalidValue;
  MemoryCall *made = memory_call_new(parameters->ctx, parameters->paramArray, parameters->count,
                                     parameters->flags);
  if (!made)
    return cudaErrorMemoryAllocation;
  *call = (Call){.kind = cudaGraphNodeTypeBatchMemOp, .memory = made};
  return cudaSuccess;
}

cudaError_t
node_make_call(Call *call, cudaGraphNodeParams *parameters) {
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  if (!parameters)
    return cudaErrorInvalidValue;
  switch (parameters->type) {
  case cudaGraphNodeTypeKernel:
    return node_make_kernel(call, &parameters->kernel);
  case cudaGraphNodeTypeMemcpy:
    return make_node_copy(call, &parameters->memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    return make_fill(call, &parameters->memset);
  case cudaGraphNodeTypeHost:
    return make_host(call, &parameters->host);
  case cudaGraphNodeTypeGraph:
    return make_child(call, parameters->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return cudaSuccess;
  case cudaGraphNodeTypeWaitEvent:
  case cudaGraphNodeTypeEventRecord:
    return make_event(call, parameters->type, parameters->event);
  case cudaGraphNodeTypeMemAlloc:
    return make_allocation(call, &parameters->alloc);
  case cudaGraphNodeTypeMemFree:
    *call = (Call){.kind = cudaGraphNodeTypeMemFree, .freed = parameters->free};
    return cudaSuccess;
  case cudaGraphNodeTypeConditional:
    return condition_make(call, &parameters->conditional);
  case cudaGraphNodeTypeBatchMemOp:
    return make_operations(call, &parameters->memOp);
  case cudaGraphNodeTypeExtSemaphoreSignal:
  case cudaGraphNodeTypeExtSemaphoreWait:
    break;
  }
  return error_missing("a node of a graph with a semaphore");
}

API cudaError_t
cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                       size_t n, const cudaKernelNodeParams *parameters) {
  Call call;
  cudaError_t error = node_make_kernel(&call, parameters);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                       size_t n, const cudaMemcpy3DParms *parameters) {
  Call call;
  cudaError_t error = make_node_copy(&call, parameters);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                         size_t n, void *to, const void *from, size_t bytes, int kind) {
  Call call;
  cudaError_t error = make_bytes(&call, to, from, bytes, kind);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                               size_t n, const void *symbol, const void *from, size_t bytes,
                               size_t offset, int kind) {
  Call call;
  cudaError_t error = symbol_make_copy(&call, symbol, (void *)from, bytes, offset, kind, true);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                 Node *const *dependencies, size_t n, void *to, const void *symbol,
                                 size_t bytes, size_t offset, int kind) {
  Call call;
  cudaError_t error = symbol_make_copy(&call, symbol, to, bytes, offset, kind, false);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                       size_t n, const cudaMemsetParams *parameters) {
  Call call;
  cudaError_t error = make_fill(&call, parameters);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies, size_t n,
                     const cudaHostNodeParams *parameters) {
  Call call;
  cudaError_t error = make_host(&call, parameters);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                           size_t n, cudaGraph_t child) {
  Call call;
  cudaError_t error = make_child(&call, child);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                      size_t n) {
  Call call = {.kind = cudaGraphNodeTypeEmpty};
  return add_given_node(node, graph, dependencies, n, &call, cudaSuccess);
}

API cudaError_t
cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                            size_t n, cudaEvent_t event) {
  Call call;
  cudaError_t error = make_event(&call, cudaGraphNodeTypeEventRecord, event);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                          size_t n, cudaEvent_t event) {
  Call call;
  cudaError_t error = make_event(&call, cudaGraphNodeTypeWaitEvent, event);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

API cudaError_t
cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                         size_t n, cudaMemAllocNodeParams *parameters) {
  Call call;
  cudaError_t error = make_allocation(&call, parameters);
  return add_given_node(node, graph, dependencies, n, &call, error);
}

// What a graph has allocated, and this one does not free yet.
static cudaError_t
check_freed(const Graph *graph, const void *address) {
  Allocation found;
  bool is_right = memory_find(address, &found) && found.is_graphs && handle_is(graph, HANDLE_GRAPH);
  for (size_t i = 0; is_right && i < graph->n_nodes; i++) {
    const Call *call = &graph->nodes[i]->call;
    is_right = call->kind != cudaGraphNodeTypeMemFree || call->freed != address;
  }
  return is_right ? cudaSuccess : cudaErrorInvalidValue;
}

API cudaError_t
cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                        size_t n, void *address) {
  Call call = {.kind = cudaGraphNodeTypeMemFree, .freed = address};
  return add_given_node(node, graph, dependencies, n, &call, check_freed(graph, address));
}

static cudaError_t
add_any_node(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies, size_t n,
             cudaGraphNodeParams *parameters) {
  Call call;
  Graph *moved =
      parameters && parameters->type == cudaGraphNodeTypeGraph && parameters->graph.ownership == 1
          ? parameters->graph.graph
          : NULL;
  bool is_wrong = parameters && parameters->type == cudaGraphNodeTypeConditional &&
                  !condition_is_of(parameters->conditional.handle, graph);
  if (is_wrong)
    return error_return(cudaErrorInvalidValue);
  cudaError_t error = node_make_call(&call, parameters);
  error = add_given_node(node, graph, dependencies, n, &call, error);
  if (!error && moved) { // the original is what the program goes on with
    graph_free((*node)->call.child);
    (*node)->call.child = moved;
    moved->is_part = true;
  }
  return error;
}

#if CUDART_MAJOR == 12
API cudaError_t
cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies, size_t n,
                 cudaGraphNodeParams *parameters) {
  return add_any_node(node, graph, dependencies, n, parameters);
}

API cudaError_t
cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                    const cudaGraphEdgeData *edges, size_t n, cudaGraphNodeParams *parameters) {
  (void)edges;
  return add_any_node(node, graph, dependencies, n, parameters);
}
#else
API cudaError_t
cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, Node *const *dependencies,
                 const cudaGraphEdgeData *edges, size_t n, cudaGraphNodeParams *parameters) {
  (void)edges;
  return add_any_node(node, graph, dependencies, n, parameters);
}
#endif

// --- setting

cudaError_t
node_replace(Node *node, Call *call) {
  cudaError_t error = node->call.kind == call->kind ? call_check(call) : cudaErrorInvalidValue;
  if (error) {
    call_clear(call);
    return error;
  }
  call_clear(&node->call);
  node->call = *call;
  return cudaSuccess;
}

static cudaError_t
use_node(const Node *node, cudaGraphNodeType kind) {
  cudaError_t error = error_check();
  return error                                                     ? error
         : handle_is(node, HANDLE_NODE) && node->call.kind == kind ? cudaSuccess
                                                                   : cudaErrorInvalidValue;
}

// The call of the node is @call from now on, if it could be made (@error).
static cudaError_t
set_node(Node *node, Call *call, cudaError_t error) {
  if (handle_is(node, HANDLE_NODE) && node->call.kind == cudaGraphNodeTypeConditional)
    error = cudaErrorNotSupported;
  error = error ? error : error_check();
  if (!error && !handle_is(node, HANDLE_NODE))
    error = cudaErrorInvalidValue;
  if (error)
    call_clear(call);
  return error_return(error ? error : node_replace(node, call));
}

// Whether a copy goes between other kinds of memory than it did.
static bool
turns_copy(const cudaMemcpy3DParms *was, const cudaMemcpy3DParms *is) {
  return was->kind != is->kind && was->kind != cudaMemcpyDefault && is->kind != cudaMemcpyDefault;
}

// The same of a graph that is executed.
static cudaError_t
set_executed(Exec *exec, const Node *node, Call *call, cudaError_t error) {
  Node *own = handle_is(exec, HANDLE_EXEC) ? exec_find(exec, node) : NULL;
  if (!error && own && call->kind == cudaGraphNodeTypeBatchMemOp && own->call.kind == call->kind &&
      own->call.memory->n != call->memory->n)
    error = cudaErrorInvalidValue;
  if (!error && own && call->kind == cudaGraphNodeTypeMemcpy && own->call.kind == call->kind &&
      turns_copy(&own->call.copy, &call->copy))
    error = cudaErrorInvalidValue;
  return set_node(own, call, error);
}

// Of the graph, and of one that is executed.
#define SETTERS(name, exec_name, make, type)                                                       \
  API cudaError_t name(cudaGraphNode_t node, type *parameters) {                                   \
    Call call;                                                                                     \
    cudaError_t error = make(&call, parameters);                                                   \
    return set_node(node, &call, error);                                                           \
  }                                                                                                \
  API cudaError_t exec_name(cudaGraphExec_t exec, cudaGraphNode_t node, type *parameters) {        \
    Call call;                                                                                     \
    cudaError_t error = make(&call, parameters);                                                   \
    return set_executed(exec, node, &call, error);                                                 \
  }
// clang-format off
SETTERS(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, node_make_kernel, const cudaKernelNodeParams)
SETTERS(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, make_node_copy, const cudaMemcpy3DParms)
SETTERS(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, make_fill, const cudaMemsetParams)
SETTERS(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, make_host, const cudaHostNodeParams)
SETTERS(cudaGraphNodeSetParams, cudaGraphExecNodeSetParams, node_make_call, cudaGraphNodeParams)
// clang-format on

// Copies of bytes: how the call is made of the parts in which it is given.
#define COPY_SETTERS(name, exec_name, make, arguments, ...)                                        \
  API cudaError_t name(cudaGraphNode_t node, __VA_ARGS__) {                                        \
    Call call;                                                                                     \
    cudaError_t error = make arguments;                                                            \
    return set_node(node, &call, error);                                                           \
  }                                                                                                \
  API cudaError_t exec_name(cudaGraphExec_t exec, cudaGraphNode_t node, __VA_ARGS__) {             \
    Call call;                                                                                     \
    cudaError_t error = make arguments;                                                            \
    return set_executed(exec, node, &call, error);                                                 \
  }
// clang-format off
COPY_SETTERS(cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
             make_bytes, (&call, to, from, bytes, kind),
             void *to, const void *from, size_t bytes, int kind)
COPY_SETTERS(cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsToSymbol,
             symbol_make_copy, (&call, symbol, (void *)from, bytes, offset, kind, true),
             const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
COPY_SETTERS(cudaGraphMemcpyNodeSetParamsFromSymbol, cudaGraphExecMemcpyNodeSetParamsFromSymbol,
             symbol_make_copy, (&call, symbol, to, bytes, offset, kind, false),
             void *to, const void *symbol, size_t bytes, size_t offset, int kind)
// clang-format on

API cudaError_t
cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  Call call = {.kind = cudaGraphNodeTypeEventRecord, .event = event};
  return set_node(node, &call, cudaSuccess);
}

API cudaError_t
cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  Call call = {.kind = cudaGraphNodeTypeWaitEvent, .event = event};
  return set_node(node, &call, cudaSuccess);
}

API cudaError_t
cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                     cudaEvent_t event) {
  Call call = {.kind = cudaGraphNodeTypeEventRecord, .event = event};
  return set_executed(exec, node, &call, cudaSuccess);
}

API cudaError_t
cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  Call call = {.kind = cudaGraphNodeTypeWaitEvent, .event = event};
  return set_executed(exec, node, &call, cudaSuccess);
}

API cudaError_t
cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                     cudaGraph_t child) {
  Call call;
  cudaError_t error = make_child(&call, child);
  const Node *own = handle_is(exec, HANDLE_EXEC) ? exec_find(exec, node) : NULL;
  if (!error && own && own->call.kind == cudaGraphNodeTypeGraph &&
      graphs_compare(own->call.child, child).result != cudaGraphExecUpdateSuccess)
    error = cudaErrorGraphExecUpdateFailure;
  return set_executed(exec, node, &call, error);
}

// --- getting

API cudaError_t
cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *parameters) {
  cudaError_t error = parameters ? use_node(node, cudaGraphNodeTypeKernel) : cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  const KernelCall *launch = node->call.kernel;
  *parameters = (cudaKernelNodeParams){.func = (void *)launch->function,
                                       .gridDim = launch->grid,
                                       .blockDim = launch->block,
                                       .sharedMemBytes = launch->dynamic_bytes,
                                       .kernelParams = launch->places};
  return cudaSuccess;
}

// What a part of the call is, by the kind of the node.
#define GETTER(name, part, kind, type)                                                             \
  API cudaError_t name(cudaGraphNode_t node, type *answer) {                                       \
    cudaError_t error = answer ? use_node(node, cudaGraphNodeType##kind) : cudaErrorInvalidValue;  \
    if (!error)                                                                                    \
      *answer = node->call.part;                                                                   \
    return error_return(error);                                                                    \
  }
GETTER(cudaGraphMemcpyNodeGetParams, copy, Memcpy, cudaMemcpy3DParms)
GETTER(cudaGraphMemsetNodeGetParams, fill.rows, Memset, cudaMemsetParams)
GETTER(cudaGraphHostNodeGetParams, host, Host, cudaHostNodeParams)
GETTER(cudaGraphChildGraphNodeGetGraph, child, Graph, cudaGraph_t)
GETTER(cudaGraphEventRecordNodeGetEvent, event, EventRecord, cudaEvent_t)
GETTER(cudaGraphEventWaitNodeGetEvent, event, WaitEvent, cudaEvent_t)
GETTER(cudaGraphMemAllocNodeGetParams, allocation, MemAlloc, cudaMemAllocNodeParams)
GETTER(cudaGraphMemFreeNodeGetParams, freed, MemFree, void *)
