// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a run may need and not have: memory of the device, and values that are not known. With an argument it does not end.
#include <cstdio>

__global__ void
guess(int *out) {
  __shared__ int known[64], unset[64];
  known[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = known[unset[threadIdx.x] & 63];
}

__global__ void
loop(int *p, int n) {
  for (int i = 0; i < n; i++)
    p[threadIdx.x] = p[threadIdx.x] * 3 + i;
}

int
main(int argc, char **argv) {
  void *pieces[8];
  size_t left, all;
  int failed = 0;
  for (int i = 0; i < 8; i++)
    failed += cudaMalloc(&pieces[i], 1 << 20) == cudaErrorMemoryAllocation;
  cudaMemGetInfo(&left, &all);
  printf("%d failed, %zu of %zu MiB left, %s; ", failed, left >> 20, all >> 20,
         cudaGetErrorName(cudaGetLastError()));
  if (argc == 1) {
    guess<<<1, 64>>>((int *)pieces[0]);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  loop<<<1, 32>>>((int *)pieces[0], 4);
  puts("looping");
  fflush(stdout);
  loop<<<1, 32>>>((int *)pieces[0], 1 << 30);
  return cudaDeviceSynchronize();
}
