// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// malloc, free, new and delete of a kernel: alignment, what lives from launch to launch, and an empty heap.
#include <cstdio>

struct Node {
  Node *next;
  int value;
};
__device__ Node *list;
__device__ int *kept[64];

__global__ void
build(int n) {
  for (int i = 0; i < n; i++) {
    Node *node = (Node *)malloc(sizeof(Node));
    node->next = list;
    node->value = i;
    list = node;
  }
}
__global__ void
sum(int *out) {
  int s = 0;
  for (Node *node = list; node; node = node->next)
    s += node->value;
  *out = s;
}
__global__ void
drop() {
  while (list) {
    Node *next = list->next;
    free(list);
    list = next;
  }
}
__global__ void
each(int *bad) {
  int *p = new int[threadIdx.x + 1];
  for (int i = 0; i <= threadIdx.x; i++)
    p[i] = threadIdx.x;
  if ((size_t)p % 16)
    atomicAdd(bad, 1);
  kept[threadIdx.x] = p;
}
__global__ void
check(int *bad) {
  for (int i = 0; i <= threadIdx.x; i++)
    if (kept[threadIdx.x][i] != threadIdx.x)
      atomicAdd(bad, 1);
  delete[] kept[threadIdx.x];
}
__global__ void
exhaust(int *out, size_t bytes) {
  int n = 0;
  while (n < 1000 && malloc(bytes))
    n++;
  *out = n;
}
__global__ void
zero(int *out) {
  void *p = malloc(0);
  free(nullptr);
  out[0] = p != nullptr;
  free(p);
  out[1] = malloc((size_t)1 << 40) != nullptr;
}
int
main() {
  int *out;
  cudaMallocManaged(&out, 64);
  out[0] = out[1] = 0;
  build<<<1, 1>>>(100);
  sum<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("sum %d\n", out[0]);
  drop<<<1, 1>>>();
  out[0] = 0;
  cudaDeviceSynchronize();
  each<<<1, 64>>>(out);
  check<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("bad %d\n", out[0]);
  zero<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("zero %d large %d\n", out[0], out[1]);
  exhaust<<<1, 1>>>(out, 1 << 20);
  cudaDeviceSynchronize();
  printf("pieces %d\n",
         out[0] == 6 || out[0] == 7); // of 8 MiB, with what the heap keeps for itself
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
