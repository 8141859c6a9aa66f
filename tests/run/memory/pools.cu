// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory that streams allocate, from the pool of the device and from one of the program's own.
#include "../check.h"

__global__ void
fill(int *p, int value) {
  p[threadIdx.x] = value + threadIdx.x;
}

static unsigned long long
number(cudaMemPool_t pool, cudaMemPoolAttr which) {
  unsigned long long value = 0;
  CHECK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

int
main() {
  cudaStream_t stream;
  cudaMemPool_t pool, found, own;
  int *p, *q, out[64], reuse = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaDeviceGetMemPool(&found, 0));
  EXPECT(found == pool);
  EXPECT(number(pool, cudaMemPoolAttrReleaseThreshold) == 0);
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
  EXPECT(reuse == 1);
  unsigned long long keep = ~0ull;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  EXPECT(number(pool, cudaMemPoolAttrReleaseThreshold) == keep);

  CHECK(cudaMallocAsync(&p, 1 << 20, stream));
  CHECK(cudaMallocAsync(&q, 1 << 20, stream));
  EXPECT(number(pool, cudaMemPoolAttrUsedMemCurrent) == 2 << 20);
  fill<<<1, 64, 0, stream>>>(p, 100);
  CHECK(cudaMemcpyAsync(out, p, sizeof out, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(p, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(out[0] == 100 && out[63] == 163);
  EXPECT(number(pool, cudaMemPoolAttrUsedMemCurrent) == 1 << 20);
  EXPECT(number(pool, cudaMemPoolAttrUsedMemHigh) == 2 << 20);
  EXPECT(number(pool, cudaMemPoolAttrReservedMemCurrent) >= 2 << 20);
  CHECK(cudaFree(q));
  CHECK(cudaMemPoolTrimTo(pool, 0));
  EXPECT(number(pool, cudaMemPoolAttrReservedMemCurrent) == 0);

  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  CHECK(cudaMemPoolCreate(&own, &properties));
  CHECK(cudaMallocFromPoolAsync(&p, 4096, own, stream));
  EXPECT(number(own, cudaMemPoolAttrUsedMemCurrent) >= 4096);
  fill<<<1, 64, 0, stream>>>(p, 5);
  CHECK(cudaMemcpyAsync(out, p, sizeof out, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(out[63] == 68);
  CHECK(cudaDeviceSetMemPool(0, own));
  CHECK(cudaDeviceGetMemPool(&found, 0));
  EXPECT(found == own);
  CHECK(cudaDeviceSetMemPool(0, pool));
  cudaMemAccessFlags flags;
  cudaMemLocation place = properties.location;
  CHECK(cudaMemPoolGetAccess(&flags, own, &place));
  EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
  CHECK(cudaFreeAsync(p, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaStreamDestroy(stream));
  return finish("pools");
}
