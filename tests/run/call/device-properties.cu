// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the device is: properties, attributes, limits and flags that are the same on every H100.
#include <cstring>

#include "../check.h"

static int
attribute(cudaDeviceAttr which) {
  int value = -100;
  CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

static void
check_properties() {
  cudaDeviceProp p;
  memset(&p, 0xab, sizeof p);
  CHECK(cudaGetDeviceProperties(&p, 0));
  EXPECT(p.major == 9 && p.minor == 0);
  EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
  EXPECT(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
  EXPECT(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
  EXPECT(p.sharedMemPerBlock == 49152 && p.sharedMemPerBlockOptin == 232448);
  EXPECT(p.sharedMemPerMultiprocessor == 233472 && p.reservedSharedMemPerBlock == 1024);
  EXPECT(p.regsPerBlock == 65536 && p.regsPerMultiprocessor == 65536);
  EXPECT(p.maxThreadsPerMultiProcessor == 2048 && p.maxBlocksPerMultiProcessor == 32);
  EXPECT(p.totalConstMem == 65536 && p.totalGlobalMem > (size_t)1 << 30);
  EXPECT(p.multiProcessorCount > 0 && p.l2CacheSize > 0 && p.memoryBusWidth > 0);
  EXPECT(p.unifiedAddressing == 1 && p.managedMemory == 1 && p.concurrentManagedAccess == 1);
  EXPECT(p.cooperativeLaunch == 1 && p.clusterLaunch == 1 && p.memoryPoolsSupported == 1);
  EXPECT(p.canMapHostMemory == 1 && p.concurrentKernels == 1 && p.integrated == 0);
  EXPECT(p.maxTexture1D == 131072 && p.maxTexture2D[0] == 131072 && p.maxTexture2D[1] == 65536);
  EXPECT(p.maxTexture3D[0] == 16384 && p.textureAlignment == 512 && p.memPitch == 2147483647);
  EXPECT(strlen(p.name) > 0 && strlen(p.name) < sizeof p.name);
  EXPECT(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
  EXPECT(p.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
  FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 99));
  int device = -1;
  CHECK(cudaChooseDevice(&device, &p));
  EXPECT(device >= 0);
}

static void
check_attributes() {
  int value;
  EXPECT(attribute(cudaDevAttrMaxBlockDimZ) == 64);
  EXPECT(attribute(cudaDevAttrWarpSize) == 32);
  EXPECT(attribute(cudaDevAttrComputeCapabilityMajor) == 9);
  EXPECT(attribute(cudaDevAttrComputeCapabilityMinor) == 0);
  EXPECT(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == 232448);
  EXPECT(attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio) == 2);
  EXPECT(attribute(cudaDevAttrCanUseHostPointerForRegisteredMem) == 1);
  EXPECT(attribute(cudaDevAttrClockRate) > 0);
  FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
  FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
}

static void
check_limits() {
  size_t value = 0;
  CHECK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  EXPECT(value == 1024);
  CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  EXPECT(value == 8 << 20);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
  CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  EXPECT(value >= 64 << 20);
  FAILS(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth));
  cudaFuncCache cache;
  CHECK(cudaDeviceGetCacheConfig(&cache));
  EXPECT(cache == cudaFuncCachePreferNone);
  CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
}

static void
check_devices() {
  int count = 0, device = -1, found = -1, runtime = 0, driver = 0;
  char bus[32];
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count >= 1);
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  EXPECT(device == 0);
  FAILS(cudaErrorInvalidDevice, cudaSetDevice(99));
  FAILS(cudaErrorInvalidDevice, cudaGetLastError());
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  EXPECT(strlen(bus) == 12);
  CHECK(cudaDeviceGetByPCIBusId(&found, bus));
  EXPECT(found == 0);
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));
  EXPECT(runtime >= 12000 && driver >= runtime);
  int least = 1, greatest = 1;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest == -5);
  size_t free_bytes = 0, all_bytes = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
  EXPECT(free_bytes > 0 && free_bytes <= all_bytes);
}

int
main() {
  check_devices();
  check_properties();
  check_attributes();
  check_limits();
  return finish("device-properties");
}
