// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of the program's own that is registered: kernels read and write it where it is.
#include <cstring>

#include "../check.h"

enum {
  N = 10000
};

__global__ void
scale(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = 3 * p[i] + 1;
}

static int fixed_data[N];

static int
check_range(int *p, int n) {
  int wrong = 0;
  for (int i = 0; i < n; i++)
    p[i] = i;
  CHECK(cudaHostRegister(p, n * sizeof *p, cudaHostRegisterDefault));
  for (int i = 0; i < n; i++)
    wrong += p[i] != i;
  int *device = nullptr;
  CHECK(cudaHostGetDevicePointer((void **)&device, p, 0));
  EXPECT(device == p);
  scale<<<(n + 127) / 128, 128>>>(device, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++)
    wrong += p[i] != 3 * i + 1;
  cudaPointerAttributes a;
  CHECK(cudaPointerGetAttributes(&a, p + 5));
  EXPECT(a.type == cudaMemoryTypeHost && a.hostPointer == p + 5 && a.device == 0);
  FAILS(cudaErrorHostMemoryAlreadyRegistered,
        cudaHostRegister(p, n * sizeof *p, cudaHostRegisterDefault));
  CHECK(cudaHostUnregister(p));
  for (int i = 0; i < n; i++)
    wrong += p[i] != 3 * i + 1;
  p[0] = 7;
  return wrong;
}

int
main() {
  int local[600];
  int *heap = (int *)malloc(N * sizeof *heap);
  EXPECT(check_range(heap, N) == 0);
  EXPECT(check_range(fixed_data, N) == 0);
  EXPECT(check_range(local, 600) == 0);
  // Two ranges that share pages, and copies between them and the device.
  CHECK(cudaHostRegister(heap, 100 * sizeof *heap, cudaHostRegisterMapped));
  CHECK(cudaHostRegister(heap + 200, 5000 * sizeof *heap, cudaHostRegisterPortable));
  int *device;
  CHECK(cudaMalloc(&device, 100 * sizeof *device));
  for (int i = 0; i < 100; i++)
    heap[i] = heap[200 + i] = i;
  scale<<<1, 128>>>(heap, 100);
  scale<<<1, 128>>>(heap + 200, 100);
  CHECK(cudaMemcpyAsync(device, heap, 100 * sizeof *heap, cudaMemcpyHostToDevice, 0));
  CHECK(cudaMemcpyAsync(heap + 300, device, 100 * sizeof *heap, cudaMemcpyDeviceToHost, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(memcmp(heap, heap + 200, 100 * sizeof *heap) == 0 && heap[99] == 298);
  EXPECT(memcmp(heap, heap + 300, 100 * sizeof *heap) == 0);
  CHECK(cudaHostUnregister(heap));
  EXPECT(heap[99] == 298 && heap[299] == 298);
  scale<<<1, 128>>>(heap + 200, 100);
  CHECK(cudaDeviceSynchronize());
  EXPECT(heap[299] == 895);
  CHECK(cudaHostUnregister(heap + 200));
  FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(heap + 200));
  FAILS(cudaErrorInvalidValue, cudaHostRegister(heap, 0, 0));
  free(heap);
  CHECK(cudaFree(device));
  cudaGetLastError();
  return finish("host-register");
}
