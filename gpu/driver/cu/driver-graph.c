// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs, as far as the driver has them otherwise than the runtime: nodes of kernels and copies, and versions of before.
#include <stdlib.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/graph/graph.h"
#include "gpu/driver/handle.h"

// --- kernels

// The second version names a kernel in another place too, and what follows it.
static cudaKernelNodeParams
take_node_kernel(const CUDA_KERNEL_NODE_PARAMS *given) {
  cudaKernelNodeParams parameters = given->same;
  parameters.func = parameters.func ? parameters.func : given->kern;
  return parameters;
}

// With the arguments as one list. The caller frees *@kept.
static cudaError_t
take_node_arguments(cudaKernelNodeParams *parameters, void ***kept) {
  Kernel *kernel = NULL;
  *kept = NULL;
  cudaError_t error = parameters->extra ? module_kernel(parameters->func, &kernel) : cudaSuccess;
  if (error || !parameters->extra)
    return error;
  error = driver_take_arguments(kernel, parameters->kernelParams, parameters->extra,
                                &parameters->kernelParams, kept);
  parameters->extra = NULL;
  return error;
}

static cudaError_t
add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies, size_t n,
           cudaKernelNodeParams parameters) {
  void **kept;
  cudaError_t error = take_node_arguments(&parameters, &kept);
  error = error ? error : cudaGraphAddKernelNode(node, graph, dependencies, n, &parameters);
  free(kept);
  return error;
}

cudaError_t
cuGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies, size_t n,
                     const cudaKernelNodeParams *parameters) {
  return parameters ? add_kernel(node, graph, dependencies, n, *parameters) : cudaErrorInvalidValue;
}

cudaError_t
cuGraphAddKernelNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies, size_t n,
                        const CUDA_KERNEL_NODE_PARAMS *parameters) {
  return parameters ? add_kernel(node, graph, dependencies, n, take_node_kernel(parameters))
                    : cudaErrorInvalidValue;
}

// @exec (nullable): set the node there.
static cudaError_t
set_kernel(cudaGraphExec_t exec, cudaGraphNode_t node, cudaKernelNodeParams parameters) {
  void **kept;
  cudaError_t error = take_node_arguments(&parameters, &kept);
  if (!error)
    error = exec ? cudaGraphExecKernelNodeSetParams(exec, node, &parameters)
                 : cudaGraphKernelNodeSetParams(node, &parameters);
  free(kept);
  return error;
}

cudaError_t
cuGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *parameters) {
  return parameters ? set_kernel(NULL, node, *parameters) : cudaErrorInvalidValue;
}

cudaError_t
cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *parameters) {
  return parameters ? set_kernel(NULL, node, take_node_kernel(parameters)) : cudaErrorInvalidValue;
}

cudaError_t
cuGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                               const cudaKernelNodeParams *parameters) {
  return exec && parameters ? set_kernel(exec, node, *parameters) : cudaErrorInvalidValue;
}

cudaError_t
cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t exec, cudaGraphNode_t node,
                                  const CUDA_KERNEL_NODE_PARAMS *parameters) {
  return exec && parameters ? set_kernel(exec, node, take_node_kernel(parameters))
                            : cudaErrorInvalidValue;
}

cudaError_t
cuGraphKernelNodeGetParams_v2(cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *answer) {
  if (!answer)
    return cudaErrorInvalidValue;
  *answer = (CUDA_KERNEL_NODE_PARAMS){.ctx = context_current()};
  return cudaGraphKernelNodeGetParams(node, &answer->same);
}

// --- copies

cudaError_t
cuGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies, size_t n,
                     const CUDA_MEMCPY3D *given, CUcontext context) {
  cudaMemcpy3DParms box;
  cudaError_t error = driver_take_box(given, &box);
  (void)context;
  return error ? error : cudaGraphAddMemcpyNode(node, graph, dependencies, n, &box);
}

cudaError_t
cuGraphMemcpyNodeGetParams(cudaGraphNode_t node, CUDA_MEMCPY3D *answer) {
  cudaMemcpy3DParms box;
  cudaError_t error = answer ? cudaGraphMemcpyNodeGetParams(node, &box) : cudaErrorInvalidValue;
  if (!error)
    driver_give_box(&box, answer);
  return error;
}

cudaError_t
cuGraphMemcpyNodeSetParams(cudaGraphNode_t node, const CUDA_MEMCPY3D *given) {
  cudaMemcpy3DParms box;
  cudaError_t error = driver_take_box(given, &box);
  return error ? error : cudaGraphMemcpyNodeSetParams(node, &box);
}

cudaError_t
cuGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                               const CUDA_MEMCPY3D *given, CUcontext context) {
  cudaMemcpy3DParms box;
  cudaError_t error = driver_take_box(given, &box);
  (void)context;
  return error ? error : cudaGraphExecMemcpyNodeSetParams(exec, node, &box);
}

// --- nodes of any kind: all but those of copies and kernels are the runtime's

static cudaError_t
take_any(const CUgraphNodeParams *given, cudaGraphNodeParams *parameters, void ***kept) {
  *kept = NULL;
  if (!given)
    return cudaErrorInvalidValue;
  *parameters = *(const cudaGraphNodeParams *)given;
  if (given->type == cudaGraphNodeTypeMemcpy)
    return driver_take_box(&given->memcpy.copyParams, &parameters->memcpy.copyParams);
  if (given->type != cudaGraphNodeTypeKernel)
    return cudaSuccess;
  parameters->kernel = take_node_kernel(&given->kernel);
  return take_node_arguments(&parameters->kernel, kept);
}

static cudaError_t
add_any(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies,
        const cudaGraphEdgeData *edges, size_t n, CUgraphNodeParams *given) {
  cudaGraphNodeParams parameters;
  void **kept;
  cudaError_t error = take_any(given, &parameters, &kept);
  if (!error)
    error = IN_12_OR_13(cudaGraphAddNode_v2, cudaGraphAddNode)(node, graph, dependencies, edges, n,
                                                               &parameters);
  if (!error && given->type == cudaGraphNodeTypeMemAlloc) // its address is told
    ((cudaGraphNodeParams *)given)->alloc.dptr = parameters.alloc.dptr;
  if (!error && given->type == cudaGraphNodeTypeConditional) // and its bodies
    ((cudaGraphNodeParams *)given)->conditional.phGraph_out = parameters.conditional.phGraph_out;
  free(kept);
  return error;
}

cudaError_t
cuGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies, size_t n,
               CUgraphNodeParams *given) {
  return add_any(node, graph, dependencies, NULL, n, given);
}

cudaError_t
cuGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies,
                  const cudaGraphEdgeData *edges, size_t n, CUgraphNodeParams *given) {
  return add_any(node, graph, dependencies, edges, n, given);
}

cudaError_t
cuGraphConditionalHandleCreate(unsigned long long *handle, cudaGraph_t graph, CUcontext context,
                               unsigned value, unsigned flags) {
  return context && !context_is(context)
             ? cudaErrorDeviceUninitialized
             : cudaGraphConditionalHandleCreate(handle, graph, value, flags);
}

cudaError_t
cuGraphNodeSetParams(cudaGraphNode_t node, CUgraphNodeParams *given) {
  cudaGraphNodeParams parameters;
  void **kept;
  cudaError_t error = take_any(given, &parameters, &kept);
  error = error ? error : cudaGraphNodeSetParams(node, &parameters);
  free(kept);
  return error;
}

cudaError_t
cuGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, CUgraphNodeParams *given) {
  cudaGraphNodeParams parameters;
  void **kept;
  cudaError_t error = take_any(given, &parameters, &kept);
  error = error ? error : cudaGraphExecNodeSetParams(exec, node, &parameters);
  free(kept);
  return error;
}

// --- versions of before: without data of edges, and with other answers

cudaError_t
cuGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) {
  return IN_12_OR_13(cudaGraphGetEdges_v2, cudaGraphGetEdges)(graph, from, to, NULL, n);
}

cudaError_t
cuGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n) {
  return IN_12_OR_13(cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies)(node, nodes,
                                                                                    NULL, n);
}

cudaError_t
cuGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n) {
  return IN_12_OR_13(cudaGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes)(node, nodes,
                                                                                        NULL, n);
}

cudaError_t
cuGraphAddDependencies(cudaGraph_t graph, Nodes from, Nodes to, size_t n) {
  return IN_12_OR_13(cudaGraphAddDependencies_v2, cudaGraphAddDependencies)(graph, from, to, NULL,
                                                                            n);
}

cudaError_t
cuGraphRemoveDependencies(cudaGraph_t graph, Nodes from, Nodes to, size_t n) {
  return IN_12_OR_13(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies)(graph, from, to,
                                                                                  NULL, n);
}

// The node that an error is of, and a text, which there is not.
cudaError_t
cuGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *text,
                   size_t bytes) {
  if (node)
    *node = NULL;
  if (text && bytes > 0)
    *text = '\0';
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}

cudaError_t
cuGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, int *result) {
  cudaGraphExecUpdateResultInfo info = {0};
  if (!result)
    return cudaErrorInvalidValue;
  cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  *result = (int)info.result;
  if (node)
    *node = info.errorNode;
  return error;
}

// --- operations on memory

static cudaGraphNodeParams
take_operations(const CUDA_BATCH_MEM_OP_NODE_PARAMS *given) {
  cudaGraphNodeParams parameters = {.type = cudaGraphNodeTypeBatchMemOp};
  parameters.memOp = *given;
  return parameters;
}

cudaError_t
cuGraphAddBatchMemOpNode(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies, size_t n,
                         const CUDA_BATCH_MEM_OP_NODE_PARAMS *given) {
  if (!given)
    return cudaErrorInvalidValue;
  cudaGraphNodeParams parameters = take_operations(given);
  return IN_12_OR_13(cudaGraphAddNode_v2, cudaGraphAddNode)(node, graph, dependencies, NULL, n,
                                                            &parameters);
}

// The operations are the node's.
cudaError_t
cuGraphBatchMemOpNodeGetParams(cudaGraphNode_t node, CUDA_BATCH_MEM_OP_NODE_PARAMS *answer) {
  if (!answer || !handle_is(node, HANDLE_NODE) || node->call.kind != cudaGraphNodeTypeBatchMemOp)
    return cudaErrorInvalidValue;
  const MemoryCall *call = node->call.memory;
  *answer = (CUDA_BATCH_MEM_OP_NODE_PARAMS){call->context, call->n, call->operations, call->flags};
  return cudaSuccess;
}

cudaError_t
cuGraphBatchMemOpNodeSetParams(cudaGraphNode_t node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *given) {
  if (!given)
    return cudaErrorInvalidValue;
  cudaGraphNodeParams parameters = take_operations(given);
  return cudaGraphNodeSetParams(node, &parameters);
}

cudaError_t
cuGraphExecBatchMemOpNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *given) {
  if (!given)
    return cudaErrorInvalidValue;
  cudaGraphNodeParams parameters = take_operations(given);
  return cudaGraphExecNodeSetParams(exec, node, &parameters);
}
