// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Resident blocks by threads, registers and shared memory, and what the header makes of them.
#include "../check.h"

__global__ void
small(int *p) {
  p[threadIdx.x] = 1;
}

__global__ void
shared(int *p) {
  __shared__ int tile[4096];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void
__launch_bounds__(256) bounded(int *p) {
  p[threadIdx.x] = 2;
}

static int
blocks(const void *kernel, int threads, size_t bytes) {
  int n = -1;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, bytes));
  return n;
}

int
main() {
  EXPECT(blocks((const void *)small, 32, 0) == 32);
  EXPECT(blocks((const void *)small, 256, 0) == 8);
  EXPECT(blocks((const void *)small, 1024, 0) == 2);
  EXPECT(blocks((const void *)small, 1000, 0) == 2);
  // 16 KB and the reserved 1 KB of 228 KB.
  EXPECT(blocks((const void *)shared, 128, 0) == 13);
  EXPECT(blocks((const void *)shared, 128, 16384) == 6);
  int n = -1, grid = 0, block = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      &n, small, 512, 0, cudaOccupancyDisableCachingOverride));
  EXPECT(n == 4);
  CHECK(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  EXPECT(blocks((const void *)small, 128, 100 << 10) == 2);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small, 0, 0));
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  EXPECT(block == 1024 && grid == 2 * p.multiProcessorCount);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  EXPECT(block == 256 && grid == 8 * p.multiProcessorCount);
  size_t bytes = 0;
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, small, 2, 128));
  EXPECT(bytes == 100 << 10);
  FAILS(cudaErrorInvalidValue,
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, small, 32, 0));
  FAILS(cudaErrorInvalidResourceHandle,
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)&n, 32, 0));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 2;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(16);
  configuration.blockDim = dim3(128);
  configuration.attrs = &cluster;
  configuration.numAttrs = 1;
  int size = 0, clusters = 0;
  CHECK(cudaOccupancyMaxPotentialClusterSize(&size, small, &configuration));
  EXPECT(size == 8);
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, small, &configuration));
  EXPECT(clusters > 0);
  return finish("occupancy");
}
