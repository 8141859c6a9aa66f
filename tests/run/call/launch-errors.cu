// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches that are not possible: the error, and the call that returns it.
#include "../check.h"

__global__ void
plain(int *p) {
  p[0] = 1;
}

__global__ void
__launch_bounds__(128) bounded(int *p) {
  p[0] = 2;
}

static int *device;

// The error of the launch before, which is gone then.
#define LAUNCH_FAILS(expected)                                                                     \
  do {                                                                                             \
    FAILS(expected, cudaPeekAtLastError());                                                        \
    FAILS(expected, cudaGetLastError());                                                           \
    CHECK(cudaGetLastError());                                                                     \
  } while (0)

int
main() {
  CHECK(cudaMalloc(&device, sizeof *device));
  plain<<<0, 32>>>(device);
  LAUNCH_FAILS(cudaErrorInvalidValue);
  plain<<<1, 0>>>(device);
  LAUNCH_FAILS(cudaErrorInvalidValue);
  plain<<<1, 1025>>>(device);
  LAUNCH_FAILS(cudaErrorInvalidValue);
  plain<<<1, dim3(32, 33)>>>(device);
  LAUNCH_FAILS(cudaErrorInvalidValue);
  plain<<<1, dim3(1, 1, 65)>>>(device);
  LAUNCH_FAILS(cudaErrorInvalidValue);
  plain<<<dim3(1, 65536), 32>>>(device);
  LAUNCH_FAILS(cudaErrorInvalidValue);
  plain<<<1, 32, 49153>>>(device);
  LAUNCH_FAILS(cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  plain<<<1, 32, 100000>>>(device);
  CHECK(cudaGetLastError());
  plain<<<1, 32, 100001>>>(device);
  LAUNCH_FAILS(cudaErrorInvalidValue);
  bounded<<<1, 129>>>(device);
  EXPECT(cudaGetLastError() != cudaSuccess);
  bounded<<<1, 128>>>(device);
  CHECK(cudaGetLastError());
  void *arguments[] = {&device};
  FAILS(cudaErrorInvalidResourceHandle,
        cudaLaunchKernel((const void *)&device, dim3(1), dim3(32), arguments, 0, 0));
  // A grid of which not all blocks are resident.
  int blocks = 0;
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
  blocks *= p.multiProcessorCount;
  CHECK(cudaLaunchCooperativeKernel(plain, dim3(blocks), dim3(1024), arguments, 0, 0));
  FAILS(cudaErrorCooperativeLaunchTooLarge,
        cudaLaunchCooperativeKernel(plain, dim3(blocks + 1), dim3(1024), arguments, 0, 0));
  cudaGetLastError();
  CHECK(cudaDeviceSynchronize());
  int value = 0;
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDefault));
  EXPECT(value == 1);
  return finish("launch-errors");
}
