// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions of the runtime that those of the driver call.
#pragma once

#include "gpu/driver/abi-graph.h"
#include "gpu/driver/newer.h"

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceGetLimit(size_t *value, int limit);
cudaError_t cudaDeviceSetLimit(int limit, size_t value);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);

cudaError_t cudaMalloc(void **address, size_t bytes);
cudaError_t cudaMallocHost(void **address, size_t bytes);
cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned flags);
cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags);
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                              cudaExtent extent, unsigned flags);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const cudaChannelFormatDesc *format, cudaExtent extent,
                                     unsigned levels, unsigned flags);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
                             cudaArray_t array);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                            cudaStream_t stream);

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap);
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *function, int preference);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *configuration);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *configuration);

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *user), void *user);

// --- textures and surfaces
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *how, const cudaResourceViewDesc *view);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                             cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *how, cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource,
                                             cudaSurfaceObject_t surface);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const cudaChannelFormatDesc *format,
                                                 int device);

// --- graphs
typedef const cudaGraphNode_t *Nodes;
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies,
                                   size_t n, const cudaKernelNodeParams *parameters);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *parameters);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams *parameters);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies,
                                   size_t n, const cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *parameters);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams *parameters);
cudaError_t cudaGraphConditionalHandleCreate(unsigned long long *handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *answer);

// clang-format off
cudaError_t IN_12_OR_13(cudaGraphAddNode_v2, cudaGraphAddNode)(
    cudaGraphNode_t *node, cudaGraph_t graph, Nodes dependencies, const cudaGraphEdgeData *edges, size_t n,
    cudaGraphNodeParams *parameters);
cudaError_t IN_12_OR_13(cudaGraphGetEdges_v2, cudaGraphGetEdges)(
    cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *n);
cudaError_t IN_12_OR_13(cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies)(
    cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *n);
cudaError_t IN_12_OR_13(cudaGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes)(
    cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *n);
cudaError_t IN_12_OR_13(cudaGraphAddDependencies_v2, cudaGraphAddDependencies)(
    cudaGraph_t graph, Nodes from, Nodes to, const cudaGraphEdgeData *edges, size_t n);
cudaError_t IN_12_OR_13(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies)(
    cudaGraph_t graph, Nodes from, Nodes to, const cudaGraphEdgeData *edges, size_t n);

// --- what CUDA 12 has as later versions
cudaError_t IN_12_OR_13(cudaMemAdvise_v2, cudaMemAdvise)(
    const void *address, size_t bytes, int advice, cudaMemLocation location);
cudaError_t IN_12_OR_13(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync)(
    const void *address, size_t bytes, cudaMemLocation location, unsigned flags, cudaStream_t stream);
cudaError_t IN_12_OR_13(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo)(
    cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph, Nodes *nodes,
    const cudaGraphEdgeData **edges, size_t *n);
cudaError_t IN_12_OR_13(cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies)(
    cudaStream_t stream, Nodes nodes, const cudaGraphEdgeData *edges, size_t n, unsigned flags);
// clang-format on
