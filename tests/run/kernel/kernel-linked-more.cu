// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What kernel-linked.cu uses.
__device__ int shared_value = 21;
__constant__ int factor = 3;
__device__ int
twice(int x) {
  return 2 * x;
}
__device__ int
thrice(int x) {
  return 3 * x;
}
typedef int (*F)(int);
__device__ F table[2] = {thrice, twice};
__global__ void
set(int v) {
  shared_value = v;
  table[0] = table[1];
}
void
change() {
  set<<<1, 1>>>(100);
  int f = 5;
  cudaMemcpyToSymbol(factor, &f, 4);
}
