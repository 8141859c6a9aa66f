// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel whose registers are too many for large blocks.
// nvcc: -maxrregcount 255
#include "../check.h"

// Values that all live at once.
__global__ void
many(float *p, int n) {
  float v[120];
#pragma unroll
  for (int i = 0; i < 120; i++)
    v[i] = p[i * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 120; i++)
    p[i * n + threadIdx.x] = v[119 - i] + v[(i * 7) % 120];
}

int
main() {
  float *device;
  cudaFuncAttributes a;
  int blocks = -1;
  CHECK(cudaMalloc(&device, 120 * 1024 * sizeof *device));
  CHECK(cudaMemset(device, 0, 120 * 1024 * sizeof *device));
  CHECK(cudaFuncGetAttributes(&a, many));
  EXPECT(a.numRegs > 64 && a.maxThreadsPerBlock < 1024 && a.maxThreadsPerBlock % 128 == 0);
  many<<<1, 1024>>>(device, 1024);
  FAILS(cudaErrorLaunchOutOfResources, cudaGetLastError());
  many<<<1, a.maxThreadsPerBlock>>>(device, 1024);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many, 1024, 0));
  EXPECT(blocks == 0);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many, a.maxThreadsPerBlock, 0));
  EXPECT(blocks == 1);
  return finish("registers");
}
