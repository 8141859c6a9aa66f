// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What kernels are, and what can be asked of them.
#include <cstring>

#include "../check.h"

__global__ void
plain(int *p, float f, double d) {
  p[0] = (int)(f + d);
}

__global__ void
__launch_bounds__(128) shared(int *p) {
  __shared__ int tile[1000];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void
__cluster_dims__(2, 1, 1) clustered(int *p) {
  p[blockIdx.x] = 1;
}

int
main() {
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, plain));
  EXPECT(a.sharedSizeBytes == 0 && a.maxThreadsPerBlock == 1024 && a.numRegs > 0 &&
         a.binaryVersion == 90);
  EXPECT(a.maxDynamicSharedSizeBytes == 49152 && a.clusterDimMustBeSet == 0 &&
         a.preferredShmemCarveout == -1);
  CHECK(cudaFuncGetAttributes(&a, shared));
  EXPECT(a.sharedSizeBytes == 4000 && a.maxThreadsPerBlock == 128 &&
         a.maxDynamicSharedSizeBytes == 49152 - 4000);
  CHECK(cudaFuncGetAttributes(&a, clustered));
  EXPECT(a.clusterDimMustBeSet == 1 && a.requiredClusterWidth == 2 && a.requiredClusterHeight == 1);
  CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  CHECK(cudaFuncGetAttributes(&a, plain));
  EXPECT(a.maxDynamicSharedSizeBytes == 232448);
  FAILS(cudaErrorInvalidValue,
        cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
  FAILS(cudaErrorInvalidValue,
        cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutDefault));
  FAILS(cudaErrorInvalidValue,
        cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferShared));
  FAILS(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&a, (const void *)&a));
  const char *name = nullptr;
  CHECK(cudaFuncGetName(&name, (const void *)plain));
  EXPECT(name && strcmp(name, "_Z5plainPifd") == 0);
  size_t offset = 99, bytes = 99;
  CHECK(cudaFuncGetParamInfo((const void *)plain, 0, &offset, &bytes));
  EXPECT(offset == 0 && bytes == 8);
  CHECK(cudaFuncGetParamInfo((const void *)plain, 1, &offset, &bytes));
  EXPECT(offset == 8 && bytes == 4);
  CHECK(cudaFuncGetParamInfo((const void *)plain, 2, &offset, &bytes));
  EXPECT(offset == 16 && bytes == 8);
  FAILS(cudaErrorInvalidValue, cudaFuncGetParamInfo((const void *)plain, 3, &offset, &bytes));
  return finish("function-attributes");
}
