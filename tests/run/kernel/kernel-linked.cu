// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Variables and functions of another module (nvcc -rdc=true): kernel-linked-more.cu.
#include <cstdio>
extern __device__ int shared_value;
extern __constant__ int factor;
extern __device__ int twice(int);
typedef int (*F)(int);
extern __device__ F table[2];
__global__ void
use(int *out) {
  out[0] = twice(shared_value) * factor;
  out[1] = table[threadIdx.x](5);
  printf("in a: %d\n", out[0]);
}
void change();
int
main() {
  int *out;
  cudaMallocManaged(&out, 8);
  use<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d\n", out[0], out[1]);
  change();
  use<<<1, 1>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d %d\n", out[0], out[1]);
}
