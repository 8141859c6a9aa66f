// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Cooperative groups: blocks, tiles of a warp, lanes that are active together.
// launch: --entry 'group_tiles<8>' --block 64
// launch: --entry 'group_tiles<32>' --block 64
// launch: --entry group_reduce --block 128 --arg 2=500
// launch: --entry group_active --block 64 --buffer 1=iota:i32
// launch: --entry group_copy --block 64
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

template <int SIZE> __global__ void group_tiles(int *out, const int *in) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<SIZE> tile = cg::tiled_partition<SIZE>(block);
  int t = block.thread_rank();
  s[t] = in[t];
  tile.sync();
  for (int half = tile.size() / 2; half > 0; half /= 2) {
    if (tile.thread_rank() < half) {
      s[t] += s[t + half];
    }
    tile.sync();
  }
  block.sync();
  out[t] = s[t / SIZE * SIZE] + tile.shfl(t, 0);
}
template __global__ void group_tiles<8>(int *, const int *);
template __global__ void group_tiles<32>(int *, const int *);

extern "C" __global__ void group_reduce(float *out, const float *in, int n) {
  __shared__ float s[4];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float sum = 0.0f;
  for (int i = block.thread_rank(); i < n; i += block.size()) {
    sum += in[i];
  }
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) {
    s[warp.meta_group_rank()] = sum;
  }
  block.sync();
  if (block.thread_rank() == 0) {
    *out = s[0] + s[1] + s[2] + s[3];
  }
}

// One lane of those that found something reserves places for all.
extern "C" __global__ void group_active(int *out, const int *in) {
  __shared__ int found[64];
  __shared__ int count;
  if (threadIdx.x == 0) {
    count = 0;
  }
  found[threadIdx.x] = 0;
  __syncthreads();
  if (in[threadIdx.x] % 3 != 1) {
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) {
      first = atomicAdd(&count, active.size());
    }
    first = active.shfl(first, 0);
    found[first + active.thread_rank()] = threadIdx.x;
  }
  __syncthreads();
  out[threadIdx.x] = found[threadIdx.x];
}

extern "C" __global__ void group_copy(int *out, const int *in) {
  __shared__ __align__(16) int s[256];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof s);
  cg::wait(block);
  out[threadIdx.x] = s[threadIdx.x * 4];
}
