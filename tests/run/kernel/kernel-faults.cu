// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel for each thing that a kernel must not do, by its name: which errors the program sees.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern __shared__ int words[];

__global__ void
asserts(int *p, long at) {
  assert(p[threadIdx.x] < at && "many");
}
__global__ void
traps(int *p, long) {
  p[0] = 1;
  if (threadIdx.x == 1)
    __trap();
}
__global__ void
breaks(int *p, long) {
  __brkpt();
  p[0] = 3;
}
// No fault: it has a value, whose last digits may be others on a device.
__global__ void
approximates(int *p, long) {
  float x = threadIdx.x * 0.125f - 2, y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  p[threadIdx.x] = fabsf(y - tanhf(x)) < 0x1p-10f;
  __syncthreads();
  if (!p[threadIdx.x])
    __trap();
}
__global__ void
stores(int *p, long at) {
  p[at] = 1;
}
__global__ void
loads(int *p, long at) {
  p[0] = p[at];
}
__global__ void
wide(int *p, long at) {
  *(int4 *)(p + at) = make_int4(1, 2, 3, 4);
}
__global__ void
adds(int *p, long at) {
  atomicAdd(p + at, 1);
}
__global__ void
misaligned(int *p, long at) {
  *(int *)((char *)p + at) = 1;
}
__global__ void
misaligned_shared(int *p, long at) {
  __shared__ __align__(16) char s[64];
  *(int *)(s + at) = 1;
  __syncthreads();
  p[0] = s[1];
}
__global__ void
shared(int *p, long at) {
  __shared__ int s[4];
  s[threadIdx.x] = 1;
  __syncthreads();
  p[0] = s[at];
}
__global__ void
dynamic(int *p, long at) {
  words[at] = 1;
  __syncthreads();
  p[0] = words[0];
}
__global__ void
frees(int *p, long) {
  void *piece = malloc(16);
  free(piece);
  free(piece);
  p[0] = 7;
}
__device__ __noinline__ int
deep(long n) {
  volatile int a[64];
  a[n & 63] = (int)n;
  return n == 0 ? a[0] : deep(n - 1) + a[n & 63];
}
__global__ void
recurses(int *p, long n) {
  p[0] = deep(n);
}

static const struct {
  const char *name;
  void (*kernel)(int *, long);
} kernels[] = {
    {"asserts", asserts},       {"traps", traps},
    {"approximates", approximates},
    {"breaks", breaks},         {"stores", stores},
    {"loads", loads},           {"adds", adds},
    {"wide", wide},
    {"misaligned", misaligned}, {"misaligned_shared", misaligned_shared},
    {"shared", shared},         {"dynamic", dynamic},
    {"frees", frees},           {"recurses", recurses},
};

int
main(int, char **arguments) {
  int *p;
  void *more;
  cudaMalloc(&p, 63 * sizeof(int));
  cudaMemset(p, 0, 63 * sizeof(int));
  for (auto &each : kernels)
    if (strcmp(each.name, arguments[1]) == 0)
      each.kernel<<<2, 4, 64>>>(p, atol(arguments[2]));
  int waited = cudaDeviceSynchronize();
  printf("%d %d\n", waited, cudaMalloc(&more, 4));
  return 0;
}
