// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls about the device and its kernels that have little effect, but answers.
#include <cuda_profiler_api.h>

#include "../check.h"

__global__ void
store(int *p) {
  *p = 5;
}

int
main() {
  unsigned flags = 0;
  int *device, value = 0, can = -1;
  CHECK(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid));
  CHECK(cudaGetDeviceFlags(&flags));
  EXPECT((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleSpin);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  CHECK(cudaGetDeviceFlags(&flags));
  EXPECT((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
  FAILS(cudaErrorInvalidValue,
        cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
  CHECK(cudaSetValidDevices(nullptr, 0));
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT(can == 0);
  FAILS(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
  cudaGetLastError();
  CHECK(cudaCtxResetPersistingL2Cache());
  CHECK(cudaProfilerStart());
  cudaKernel_t kernel;
  CHECK(cudaGetKernel(&kernel, (const void *)store));
  CHECK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536,
                                        0));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, store));
  EXPECT(attributes.maxDynamicSharedSizeBytes == 65536);
  CHECK(cudaMalloc(&device, sizeof *device));
  void *arguments[] = {&device};
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = configuration.blockDim = dim3(1);
  CHECK(cudaLaunchKernelExC(&configuration, (const void *)kernel, arguments));
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDefault));
  EXPECT(value == 5);
  CHECK(cudaProfilerStop());
  cudaStream_t one, other;
  int which = -1;
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaStreamGetDevice(one, &which));
  EXPECT(which == 0);
  CHECK(cudaStreamCopyAttributes(other, one));
  cudaMemPool_t pool, same;
  cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemGetDefaultMemPool(&pool, &place, cudaMemAllocationTypePinned));
  CHECK(cudaDeviceGetDefaultMemPool(&same, 0));
  EXPECT(pool == same);
  CHECK(cudaMemGetMemPool(&same, &place, cudaMemAllocationTypePinned));
  EXPECT(pool == same);
  cudaMemAccessDesc access = {place, cudaMemAccessFlagsProtReadWrite};
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  return finish("device-calls");
}
