// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// clock, clock64, %globaltimer and __nanosleep: they never go back.
#include <cstdio>
__device__ unsigned long long
timer() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__global__ void
times(int *bad, int n) {
  long long a = clock64();
  unsigned c = clock();
  unsigned long long t = timer();
  float x = threadIdx.x;
  for (int i = 0; i < n; i++)
    x = x * 1.5f + 1;
  __nanosleep(100);
  long long b = clock64();
  if (b <= a || (unsigned)clock() - c > 1u << 31 || timer() < t || x == 0)
    atomicAdd(bad, 1);
}
__global__ void
waits(int *bad, long long cycles) {
  long long a = clock64();
  while (clock64() - a < cycles)
    ;
  if (clock64() - a < cycles)
    atomicAdd(bad, 1);
}
int
main() {
  int *bad;
  cudaMallocManaged(&bad, 4);
  *bad = 0;
  times<<<4, 64>>>(bad, 100);
  waits<<<2, 32>>>(bad, 10000);
  waits<<<2, 32>>>(bad, 4000000000); // two seconds of a device
  printf("%s, bad ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d\n", *bad);
  return 0;
}
