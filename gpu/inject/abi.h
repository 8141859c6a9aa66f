// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of the driver's and of CUPTI's binary interfaces that the injection library sees and calls. Both are found
// at run time, so that it builds without a toolkit. Names and order of the members are those of cuda.h,
// cupti_callbacks.h, cupti_driver_cbid.h, generated_cuda_meta.h and cupti_activity.h of CUDA 13.0; tests/cupti-abi.sh
// compares them with a toolkit's.
#pragma once

#include <stddef.h>
#include <stdint.h>

// --- CUPTI

enum {
  CUPTI_CB_DOMAIN_DRIVER_API = 1,
  CUPTI_CB_DOMAIN_RESOURCE = 3,

  CUPTI_API_ENTER = 0,
  CUPTI_API_EXIT = 1,

  CUPTI_CBID_RESOURCE_MODULE_LOADED = 6,
  CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING = 7,
  CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED = 18,
  CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING = 19,

  CUPTI_DRIVER_TRACE_CBID_cuModuleLoad = 18,
  CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData = 19,
  CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx = 20,
  CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary = 21,
  CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction = 23,
  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel = 307,
  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz = 442,
  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel = 477,
  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz = 478,
  CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch = 514,
  CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz = 515,
  CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams = 538,
  CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate = 561,
  CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams = 586,
  CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled = 650,
  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx = 652,
  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz = 653,
  CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel = 681,
  CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule = 682,
  CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction = 683,
  CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2 = 692,
  CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2 = 696,
  CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams = 714,
  CUPTI_DRIVER_TRACE_CBID_cuModuleEnumerateFunctions = 738,
  CUPTI_DRIVER_TRACE_CBID_cuLibraryEnumerateKernels = 740,

  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1,
};

typedef struct {
  int callbackSite;
  const char *functionName;
  const void *functionParams;
  void *functionReturnValue;
  const char *symbolName;
  void *context;
  uint32_t contextUid;
  uint64_t *correlationData;
  uint32_t correlationId;
} CuptiCallbackData;

typedef struct {
  void *context;
  void *stream;
  void *resourceDescriptor;
} CuptiResourceData;

typedef struct {
  uint32_t moduleId;
  size_t cubinSize;
  const char *pCubin;
} CuptiModuleResourceData;

typedef struct {
  void *graph;
  void *originalGraph;
  void *node;
  void *originalNode;
  int nodeType;
  void *dependency;
  void *graphExec;
} CuptiGraphData;

// The beginning of CUpti_ActivityKernel10, which all its versions share, up to where they begin to differ.
typedef struct {
  uint32_t kind;
  uint8_t cacheConfig;
  uint8_t sharedMemoryConfig;
  uint16_t registersPerThread;
  uint32_t partitionedGlobalCacheRequested;
  uint32_t partitionedGlobalCacheExecuted;
  uint64_t start; /* nanoseconds */
  uint64_t end;
  uint64_t completed;
  uint32_t deviceId;
  uint32_t contextId;
  uint32_t streamId;
  int32_t gridX, gridY, gridZ;
  int32_t blockX, blockY, blockZ;
  int32_t staticSharedMemory;
  int32_t dynamicSharedMemory;
  uint32_t localMemoryPerThread;
  uint32_t localMemoryTotal;
  uint32_t correlationId;
  int64_t gridId;
  const char *name;
} CuptiActivityKernel;

typedef void (*CuptiCallback)(void *user, int domain, uint32_t id, const void *data);
typedef void (*CuptiBufferRequested)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*CuptiBufferCompleted)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                     size_t valid);

// --- the driver

enum {
  CU_SUCCESS = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_MEMORYTYPE_HOST = 1,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_STREAM_NON_BLOCKING = 1,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_GRAPH_NODE_TYPE_KERNEL = 0,
  CU_GRAPH_NODE_TYPE_GRAPH = 4,
  CU_GRAPH_NODE_TYPE_EMPTY = 5,
  CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
  CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
  CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
};

#define CU_LAUNCH_PARAM_END            ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)0x02)

// cuModuleLoadData_params, and those of other functions that give a module; and cuKernelGetFunction_params.
typedef struct {
  void **given;
} CuGiveParams;

// cuModuleGetFunction_params, and cuLibraryGetKernel_params.
typedef struct {
  void **function;
  void *module;
  const char *name;
} CuGetFunctionParams;

// cuLaunchKernel_params, and cuLaunchCooperativeKernel_params, which ends with kernelParams.
typedef struct {
  void *f;
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedMemBytes;
  void *hStream;
  void **kernelParams;
  void **extra;
} CuLaunchKernelParams;

typedef union {
  char pad[64];
  int cooperative;
  unsigned clusterDim[3];
} CuLaunchAttributeValue;

typedef struct {
  int id;
  char pad[8 - sizeof(int)];
  CuLaunchAttributeValue value;
} CuLaunchAttribute;

typedef struct {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedMemBytes;
  void *hStream;
  CuLaunchAttribute *attrs;
  unsigned numAttrs;
} CuLaunchConfig;

typedef struct {
  const CuLaunchConfig *config;
  void *f;
  void **kernelParams;
  void **extra;
} CuLaunchKernelExParams;

typedef struct {
  void *hGraphExec;
  void *hStream;
} CuGraphLaunchParams;

// CUDA_KERNEL_NODE_PARAMS_v2; the first version ends with extra.
typedef struct {
  void *func;
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
  void *kern;
  void *ctx;
} CuKernelNodeParams;

// CUgraphNodeParams: the members that are looked at.
typedef struct {
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CuKernelNodeParams kernel;
    void *graph;
  } of;
} CuGraphNodeParams;
