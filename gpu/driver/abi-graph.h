// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What CUDA's runtime interface has of types for graphs (CUDA Runtime API 13.0).
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/driver/stream/memory-operation.h"

typedef enum {
  cudaGraphNodeTypeKernel,
  cudaGraphNodeTypeMemcpy,
  cudaGraphNodeTypeMemset,
  cudaGraphNodeTypeHost,
  cudaGraphNodeTypeGraph,
  cudaGraphNodeTypeEmpty,
  cudaGraphNodeTypeWaitEvent,
  cudaGraphNodeTypeEventRecord,
  cudaGraphNodeTypeExtSemaphoreSignal,
  cudaGraphNodeTypeExtSemaphoreWait,
  cudaGraphNodeTypeMemAlloc,
  cudaGraphNodeTypeMemFree,
  cudaGraphNodeTypeBatchMemOp, // of the driver alone
  cudaGraphNodeTypeConditional,
} cudaGraphNodeType;

typedef struct {
  void *func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
} cudaKernelNodeParams;

typedef struct {
  void (*fn)(void *user);
  void *userData;
} cudaHostNodeParams;

typedef struct {
  int flags, reserved[3];
  cudaMemcpy3DParms copyParams;
} cudaMemcpyNodeParams;

typedef struct {
  Context *ctx;
  unsigned count;
  MemoryOperation *paramArray;
  unsigned flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;

typedef enum {
  cudaGraphCondTypeIf,
  cudaGraphCondTypeWhile,
  cudaGraphCondTypeSwitch,
} cudaGraphConditionalNodeType;

typedef struct {
  unsigned long long handle;
  cudaGraphConditionalNodeType type;
  unsigned size;
  cudaGraph_t *phGraph_out; // as many as @size, which are the node's
} cudaConditionalNodeParams;

typedef struct {
  cudaGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParams kernel;
    cudaMemcpyNodeParams memcpy;
    cudaMemsetParams memset;
    cudaHostNodeParams host;
    struct {
      cudaGraph_t graph;
      int ownership; // 0: it is copied, 1: it becomes the node's
    } graph;
    cudaEvent_t event;
    cudaMemAllocNodeParams alloc;
    void *free;
    cudaConditionalNodeParams conditional;
    CUDA_BATCH_MEM_OP_NODE_PARAMS memOp;
  };
  long long reserved2;
} cudaGraphNodeParams;

typedef struct {
  unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;

typedef enum {
  cudaGraphExecUpdateSuccess,
  cudaGraphExecUpdateError,
  cudaGraphExecUpdateErrorTopologyChanged,
  cudaGraphExecUpdateErrorNodeTypeChanged,
  cudaGraphExecUpdateErrorFunctionChanged,
  cudaGraphExecUpdateErrorParametersChanged,
  cudaGraphExecUpdateErrorNotSupported,
} cudaGraphExecUpdateResult;

typedef struct {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

typedef struct {
  unsigned long long flags;
  cudaStream_t uploadStream;
  cudaGraphNode_t errNode_out;
  int result_out;
} cudaGraphInstantiateParams;

enum {
  cudaGraphInstantiateSuccess,
  cudaGraphInstantiateError,
  cudaGraphInstantiateInvalidStructure,
  cudaGraphInstantiateNodeOperationNotSupported,
  cudaGraphInstantiateConditionalHandleUnused = 5,

  cudaGraphCondAssignDefault = 1,

  cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
  cudaGraphInstantiateFlagUpload = 2,
  cudaGraphInstantiateFlagDeviceLaunch = 4,
  cudaGraphInstantiateFlagsKnown = 15,
};

enum {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated,

  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed,

  cudaStreamAddCaptureDependencies = 0,
  cudaStreamSetCaptureDependencies,
};

typedef enum {
  cudaGraphMemAttrUsedMemCurrent,
  cudaGraphMemAttrUsedMemHigh,
  cudaGraphMemAttrReservedMemCurrent,
  cudaGraphMemAttrReservedMemHigh,
} cudaGraphMemAttributeType;
