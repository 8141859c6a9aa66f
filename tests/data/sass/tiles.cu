// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tiles of several warps: their barriers, and the values that they exchange, lie in the part of shared memory that the
// system has of each block.
// nvcc -std=c++17 -cubin -arch=sm_80 (sm_90, sm_100)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tiles(int *out, const int *in) {
  __shared__ int values[256];
  auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  values[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile.shfl(values[(threadIdx.x ^ 33) % 256], 40);
}
