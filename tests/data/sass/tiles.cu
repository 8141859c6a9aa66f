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

// How much shared memory a block has.
__global__ void sizes(unsigned *out) {
  extern __shared__ int dynamic[];
  unsigned total, own;
  asm volatile("mov.u32 %0, %total_smem_size;" : "=r"(total));
  asm volatile("mov.u32 %0, %dynamic_smem_size;" : "=r"(own));
  dynamic[threadIdx.x * (total / 160) % 128] = own;
  out[threadIdx.x] = dynamic[threadIdx.x * (own / 64 + 8) % 128];
}
