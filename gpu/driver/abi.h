// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What CUDA's runtime interface has of types and numbers, as far as it is implemented here. Facts of the CUDA Runtime API
// documentation, 13.0; numbers are those of its enumerations. tests/cli/run-programs.sh compares sizes and offsets with the toolkit's.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef enum {
#define ERROR(name, number, text) name = number,
#include "gpu/driver/errors.def"
#undef ERROR
} cudaError_t;

enum {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};

typedef struct {
  unsigned x, y, z;
} dim3;

// --- handles: what they point to is ours
typedef struct Stream *cudaStream_t;
typedef struct Event *cudaEvent_t;
typedef struct Array *cudaArray_t;
typedef struct Mipmap *cudaMipmappedArray_t;
typedef struct Pool *cudaMemPool_t;
typedef struct Graph *cudaGraph_t;
typedef struct Node *cudaGraphNode_t;
typedef struct Exec *cudaGraphExec_t;
typedef struct UserObject *cudaUserObject_t;
typedef struct Library *cudaLibrary_t;
typedef struct Kernel *cudaKernel_t;

#define cudaStreamLegacy    ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

enum {
  cudaStreamNonBlocking = 1,

  cudaEventDisableTiming = 2,
  cudaEventInterprocess = 4,
  cudaEventRecordExternal = 1,
  cudaEventWaitExternal = 1,

  cudaHostAllocMapped = 2,
  cudaHostAllocFlags = 7, // all that are known
  cudaHostRegisterFlags = 15,
  cudaHostRegisterIoMemory = 4,

  cudaMemAttachGlobal = 1,
  cudaMemAttachHost = 2,
  cudaMemAttachSingle = 4,

  cudaDeviceScheduleMask = 7,
  cudaDeviceMapHost = 8,
  cudaDeviceFlagsMask = 255,

  cudaCpuDeviceId = -1,
  cudaInvalidDeviceId = -2,
};

// --- memory
typedef struct {
  int x, y, z, w; // bits of each component
  int f;          // kind of the components
} cudaChannelFormatDesc;

enum {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,

  cudaArrayLayered = 1,
  cudaArraySurfaceLoadStore = 2,
  cudaArrayCubemap = 4,
  cudaArrayTextureGather = 8,
  cudaArrayColorAttachment = 32,
  cudaArraySparse = 64,
  cudaArrayDeferredMapping = 128,
};

typedef struct {
  void *ptr;
  size_t pitch, xsize, ysize;
} cudaPitchedPtr;

typedef struct {
  size_t width, height, depth;
} cudaExtent;

typedef struct {
  size_t x, y, z;
} cudaPos;

typedef struct {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  int kind;
} cudaMemcpy3DParms;

typedef struct {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
} cudaMemcpy3DPeerParms;

// --- textures and surfaces
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

enum {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D,

  cudaFilterModePoint = 0,
  cudaFilterModeLinear = 1,

  cudaReadModeElementType = 0,
  cudaReadModeNormalizedFloat = 1,
};

typedef struct {
  int resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
#if CUDART_MAJOR != 12
    int reserved[32];
#endif
  } res;
#if CUDART_MAJOR != 12
  unsigned flags;
#endif
} cudaResourceDesc;

typedef struct {
  int addressMode[3], filterMode, readMode, sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;

typedef struct {
  int format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
#if CUDART_MAJOR != 12
  unsigned reserved[16];
#endif
} cudaResourceViewDesc;

// One side of a copy of a batch: memory whose rows and layers have lengths in elements, or an array.
typedef struct {
  int type; // 1: memory, 2: an array
  union {
    struct {
      void *ptr;
      size_t rowLength, layerHeight;
      struct {
        int type, id;
      } locHint;
    } ptr;
    struct {
      cudaArray_t array;
      cudaPos offset;
    } array;
  } op;
} cudaMemcpy3DOperand;

typedef struct {
  cudaMemcpy3DOperand src, dst;
  cudaExtent extent;
  int srcAccessOrder;
  unsigned flags;
} cudaMemcpy3DBatchOp;

typedef struct {
  void *dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
} cudaMemsetParams;

typedef struct {
  size_t size, alignment;
  unsigned reserved[4];
} cudaArrayMemoryRequirements;

typedef struct {
  struct {
    unsigned width, height, depth;
  } tileExtent;
  unsigned miptailFirstLevel;
  unsigned long long miptailSize;
  unsigned flags, reserved[4];
} cudaArraySparseProperties;

enum {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged,
};

typedef struct {
  int type, device;
  void *devicePointer, *hostPointer;
#if CUDART_MAJOR != 12
  long reserved[8];
#endif
} cudaPointerAttributes;

typedef struct {
  int type, id;
} cudaMemLocation;

enum {
  cudaMemLocationTypeNone,
  cudaMemLocationTypeDevice,
  cudaMemLocationTypeHost,
  cudaMemLocationTypeHostNuma,
  cudaMemLocationTypeHostNumaCurrent,

  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtReadWrite = 3,

  cudaMemAllocationTypePinned = 1,
  cudaMemAllocationTypeManaged = 2,
};

typedef struct {
  cudaMemLocation location;
  int flags;
} cudaMemAccessDesc;

typedef struct {
  int allocType, handleTypes;
  cudaMemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} cudaMemPoolProps;

typedef enum {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold,
  cudaMemPoolAttrReservedMemCurrent,
  cudaMemPoolAttrReservedMemHigh,
  cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrUsedMemHigh,
} cudaMemPoolAttr;

typedef struct {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  void *dptr;
} cudaMemAllocNodeParams;

// --- kernels
typedef struct {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA,
      maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth,
      requiredClusterHeight, requiredClusterDepth, clusterSchedulingPolicyPreference,
      nonPortableClusterSizeAllowed;
  int reserved[16];
} cudaFuncAttributes;

typedef enum {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout,
  cudaFuncAttributeClusterDimMustBeSet,
  cudaFuncAttributeRequiredClusterWidth,
  cudaFuncAttributeRequiredClusterHeight,
  cudaFuncAttributeRequiredClusterDepth,
  cudaFuncAttributeNonPortableClusterSizeAllowed,
  cudaFuncAttributeClusterSchedulingPolicyPreference,
} cudaFuncAttribute;

typedef enum {
  cudaLaunchAttributeIgnore,
  cudaLaunchAttributeAccessPolicyWindow,
  cudaLaunchAttributeCooperative,
  cudaLaunchAttributeSynchronizationPolicy,
  cudaLaunchAttributeClusterDimension,
  cudaLaunchAttributeClusterSchedulingPolicyPreference,
  cudaLaunchAttributeProgrammaticStreamSerialization,
  cudaLaunchAttributeProgrammaticEvent,
  cudaLaunchAttributePriority,
  cudaLaunchAttributeMemSyncDomainMap,
  cudaLaunchAttributeMemSyncDomain,
  cudaLaunchAttributePreferredClusterDimension,
  cudaLaunchAttributeLaunchCompletionEvent,
  cudaLaunchAttributeDeviceUpdatableKernelNode,
  cudaLaunchAttributePreferredSharedMemoryCarveout,
  cudaLaunchAttributeNvlinkUtilCentricScheduling = 16,
  cudaLaunchAttributeEnd, // one after the last
} cudaLaunchAttributeID;

typedef union {
  char pad[64];
  int cooperative, syncPolicy, priority, clusterSchedulingPolicyPreference,
      programmaticStreamSerializationAllowed;
  dim3 clusterDim;
  struct {
    cudaEvent_t event;
    int flags, triggerAtBlockStart;
  } programmaticEvent;
  struct {
    cudaEvent_t event;
    int flags;
  } launchCompletionEvent;
  struct {
    int deviceUpdatable;
    void *devNode;
  } deviceUpdatableKernelNode;
  unsigned sharedMemCarveout;
  void *alignment;
} cudaLaunchAttributeValue;

typedef struct {
  cudaLaunchAttributeID id;
  char pad[8 - sizeof(cudaLaunchAttributeID)];
  cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
} cudaLaunchConfig_t;

typedef struct {
  char reserved[64];
} cudaIpcHandle; // of memory and of events
