// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches with attributes: clusters, cooperative grids, programmatic serialization.
#include <cooperative_groups.h>

#include "../check.h"

namespace groups = cooperative_groups;

__global__ void
clustered(int *ranks, int *sizes) {
  groups::cluster_group cluster = groups::this_cluster();
  if (threadIdx.x == 0) {
    ranks[blockIdx.x] = cluster.block_rank();
    sizes[blockIdx.x] = cluster.num_blocks();
  }
}

__global__ void
whole_grid(int *p) {
  groups::grid_group grid = groups::this_grid();
  if (threadIdx.x == 0)
    p[blockIdx.x] = blockIdx.x;
  grid.sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
      sum += p[i];
    p[gridDim.x] = sum;
  }
}

__global__ void
__cluster_dims__(2, 1, 1) pairs(int *p) {
  p[blockIdx.x] = 1;
}

int
main() {
  int *device, out[32];
  CHECK(cudaMalloc(&device, 64 * sizeof *device));
  CHECK(cudaMemset(device, 0, 64 * sizeof *device));
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 4;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(8);
  configuration.blockDim = dim3(64);
  configuration.attrs = attributes;
  configuration.numAttrs = 2;
  CHECK(cudaLaunchKernelEx(&configuration, clustered, device, device + 32));
  CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDefault));
  EXPECT(out[0] == 0 && out[3] == 3 && out[4] == 0 && out[7] == 3);
  CHECK(cudaMemcpy(out, device + 32, sizeof out, cudaMemcpyDefault));
  EXPECT(out[0] == 4 && out[7] == 4);
  attributes[0].val.clusterDim.x = 2;
  configuration.gridDim = dim3(7);
  FAILS(cudaErrorInvalidClusterSize,
        cudaLaunchKernelEx(&configuration, clustered, device, device + 32));
  cudaGetLastError();
  // A kernel that says its clusters itself has no others.
  configuration.gridDim = dim3(8);
  CHECK(cudaLaunchKernelEx(&configuration, pairs, device));
  attributes[0].val.clusterDim.x = 4;
  FAILS(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&configuration, pairs, device));
  FAILS(cudaErrorInvalidClusterSize, cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val = {};
  attributes[0].val.cooperative = 1;
  configuration.gridDim = dim3(16);
  configuration.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&configuration, whole_grid, device));
  CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDefault));
  EXPECT(out[16] == 120);
  configuration.numAttrs = 0;
  configuration.attrs = nullptr;
  CHECK(cudaLaunchKernelEx(&configuration, clustered, device, device + 32));
  CHECK(cudaMemcpy(out, device + 32, sizeof out, cudaMemcpyDefault));
  EXPECT(out[5] == 1);
  return finish("launch-config");
}
