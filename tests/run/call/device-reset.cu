// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is left of a program's memory, variables and streams when the device is reset.
#include "../check.h"

__device__ int variable = 3;

__global__ void
increase(int *p) {
  p[0] += ++variable;
}

int
main() {
  int *device, *own = (int *)malloc(100000), value = 0;
  size_t before = 0, after = 0, all = 0;
  cudaStream_t stream;
  CHECK(cudaMemGetInfo(&before, &all));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&device, 64 << 20));
  CHECK(cudaMemset(device, 0, 4));
  CHECK(cudaHostRegister(own, 100000, 0));
  own[20000] = 9;
  increase<<<1, 1, 0, stream>>>(device);
  increase<<<1, 1>>>(own + 20000);
  CHECK(cudaDeviceSynchronize());
  EXPECT(own[20000] == 14);
  CHECK(cudaDeviceReset());
  EXPECT(own[20000] == 14);
  own[20000]++;
  free(own);
  CHECK(cudaMemGetInfo(&after, &all));
  EXPECT(after + (32 << 20) > before);
  // The module is loaded again, with its initial data.
  CHECK(cudaMalloc(&device, sizeof *device));
  CHECK(cudaMemset(device, 0, sizeof *device));
  increase<<<1, 1>>>(device);
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 4);
  CHECK(cudaMemcpyFromSymbol(&value, variable, sizeof value));
  EXPECT(value == 4);
  CHECK(cudaDeviceReset());
  return finish("device-reset");
}
