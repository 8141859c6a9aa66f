// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What CUDA's driver interface has of types and numbers that the runtime's has not: facts of the CUDA Driver API documentation, 13.0.
// Streams, events, arrays, pools, graphs, libraries and kernels are the runtime's. tests/cli/run-programs.sh compares sizes
// and offsets with the toolkit's.
#pragma once

#include "gpu/driver/abi-graph.h"
#include "gpu/driver/context.h"
#include "gpu/driver/kernel/module.h"

typedef uintptr_t CUdeviceptr;
typedef int CUdevice;
typedef Context *CUcontext;
typedef Module *CUmodule;
typedef Kernel *CUfunction;
typedef struct Link *CUlinkState;

typedef enum {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE,
  CU_MEMORYTYPE_ARRAY,
  CU_MEMORYTYPE_UNIFIED,
} CUmemorytype;

typedef struct {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  cudaArray_t srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  cudaArray_t dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

// One side of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER.
typedef struct {
  size_t x, y, z, lod;
  CUmemorytype type;
  void *host;
  CUdeviceptr device;
  cudaArray_t array;
  CUcontext context; // of CUDA_MEMCPY3D: reserved
  size_t pitch, height;
} CopySide;

typedef struct {
  CopySide src, dst;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct {
  dim3 grid, block;
  unsigned sharedMemBytes;
  cudaStream_t hStream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;

typedef struct {
  cudaKernelNodeParams same; // the first version
  Kernel *kern;
  CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct {
  cudaGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_KERNEL_NODE_PARAMS kernel;
    struct {
      int flags, reserved;
      CUcontext copyCtx;
      CUDA_MEMCPY3D copyParams;
    } memcpy;
  };
  long long reserved2;
} CUgraphNodeParams;

typedef struct {
  size_t Width, Height;
  int Format;
  unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
  size_t Width, Height, Depth;
  int Format;
  unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct {
  int resType;
  union {
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    struct {
      CUdeviceptr address;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      CUdeviceptr address;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitch;
    int reserved[32];
  } res;
  unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct {
  int addressMode[3], filterMode;
  unsigned flags, maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;

typedef struct {
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory,
      SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;

typedef struct {
  int type;
  unsigned count; // of multiprocessors
} CUexecAffinityParam;

typedef struct {
  void *execAffinityParams;
  int numExecAffinityParams;
  void *cigParams;
} CUctxCreateParams;

typedef struct {
  int type, requestedHandleTypes;
  cudaMemLocation location;
  void *win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
} CUmemAllocationProp;

typedef struct {
  int resourceType;
  union {
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
  } resource;
  int subresourceType;
  union {
    struct {
      unsigned level, layer, offsetX, offsetY, offsetZ, extentWidth, extentHeight, extentDepth;
    } sparseLevel;
    struct {
      unsigned layer;
      unsigned long long offset, size;
    } miptail;
  } subresource;
  int memOperationType, memHandleType;
  union {
    struct Physical *memHandle;
  } memHandle;
  unsigned long long offset;
  unsigned deviceBitMask, flags, reserved[2];
} CUarrayMapInfo;
