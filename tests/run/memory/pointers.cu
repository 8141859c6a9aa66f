// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What pointers are, pinned and managed memory, and advice about it.
#include "../check.h"

__managed__ int variable = 4;
__device__ int on_device;

__global__ void
add(int *to, const int *from) {
  *to += *from + variable;
  on_device = *to;
}

static cudaPointerAttributes
attributes(const void *p) {
  cudaPointerAttributes a;
  CHECK(cudaPointerGetAttributes(&a, p));
  return a;
}

static int
range(const void *p, size_t bytes, cudaMemRangeAttribute which) {
  int value = -100;
  CHECK(cudaMemRangeGetAttribute(&value, sizeof value, which, p, bytes));
  return value;
}

int
main() {
  int *device, *managed, *pinned, plain = 3;
  CHECK(cudaMalloc(&device, 4096));
  CHECK(cudaMallocManaged(&managed, 1 << 20));
  CHECK(cudaHostAlloc(&pinned, 4096, cudaHostAllocMapped | cudaHostAllocPortable));
  cudaPointerAttributes a = attributes(device + 3);
  EXPECT(a.type == cudaMemoryTypeDevice && a.devicePointer == device + 3 &&
         a.hostPointer == nullptr && a.device == 0);
  a = attributes(managed);
  EXPECT(a.type == cudaMemoryTypeManaged && a.devicePointer == managed && a.hostPointer == managed);
  a = attributes(pinned);
  EXPECT(a.type == cudaMemoryTypeHost && a.hostPointer == pinned && a.devicePointer == pinned);
  EXPECT(attributes(&plain).type == cudaMemoryTypeUnregistered);
  unsigned flags = 0;
  CHECK(cudaHostGetFlags(&flags, pinned));
  EXPECT(flags == (cudaHostAllocMapped | cudaHostAllocPortable));
  *managed = 10;
  *pinned = 1;
  add<<<1, 1>>>(managed, pinned);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*managed == 15);
  variable = 100;
  add<<<1, 1>>>(managed, pinned);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*managed == 116);
  int copy = 0;
  void *address;
  CHECK(cudaGetSymbolAddress(&address, on_device));
  CHECK(cudaMemcpy(&copy, address, sizeof copy, cudaMemcpyDeviceToHost));
  EXPECT(copy == 116);

  cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  EXPECT(range(managed, 1 << 20, cudaMemRangeAttributeReadMostly) == 0);
  EXPECT(range(managed, 1 << 20, cudaMemRangeAttributePreferredLocation) == cudaInvalidDeviceId);
#if CUDART_VERSION >= 13000
  CHECK(cudaMemAdvise(managed, 1 << 20, cudaMemAdviseSetReadMostly, gpu));
  CHECK(cudaMemAdvise(managed, 1 << 20, cudaMemAdviseSetPreferredLocation, gpu));
  CHECK(cudaMemAdvise(managed, 1 << 20, cudaMemAdviseSetAccessedBy, host));
  CHECK(cudaMemPrefetchAsync(managed, 1 << 20, gpu, 0, 0));
#else
  CHECK(cudaMemAdvise(managed, 1 << 20, cudaMemAdviseSetReadMostly, gpu.id));
  CHECK(cudaMemAdvise(managed, 1 << 20, cudaMemAdviseSetPreferredLocation, gpu.id));
  CHECK(cudaMemAdvise(managed, 1 << 20, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId + 0 * host.id));
  CHECK(cudaMemPrefetchAsync(managed, 1 << 20, gpu.id, 0));
#endif
  EXPECT(range(managed, 1 << 20, cudaMemRangeAttributeReadMostly) == 1);
  EXPECT(range(managed, 1 << 20, cudaMemRangeAttributePreferredLocation) == 0);
  EXPECT(range(managed, 1 << 20, cudaMemRangeAttributeLastPrefetchLocation) == 0);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*managed == 116);
  CHECK(cudaMallocManaged(&device, 0));
  FAILS(cudaErrorInvalidValue, cudaMallocManaged(&device, 16, 77));
  FAILS(cudaErrorInvalidValue, cudaFreeHost(managed));
  cudaGetLastError();
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
  return finish("pointers");
}
