// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensors come to shared memory and leave it, and a warpgroup multiplies what is there: none of it are requests of a warp.
// Made by: nvcc -cubin -arch=sm_90a (CUDA 13.0).
#include <cstdint>

struct alignas(64) Map {
  uint64_t words[16];
};

extern "C" __global__ void __launch_bounds__(128) tensors(const __grid_constant__ Map map, float *o) {
  __shared__ alignas(1024) uint16_t a[64 * 64], b[16 * 64];
  __shared__ alignas(8) uint64_t barrier;
  int t = threadIdx.x;
  uint32_t to = (uint32_t)__cvta_generic_to_shared(a), other = (uint32_t)__cvta_generic_to_shared(b);
  uint32_t at = (uint32_t)__cvta_generic_to_shared(&barrier);
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 8192;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(&map), "r"(0), "r"(64), "r"(at)
                 : "memory");
  }
  for (int i = t; i < 16 * 64; i += 128)
    b[i] = 0;
  __syncthreads();
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }" ::"r"(at) : "memory");
  uint64_t left = (to & 0x3ffff) >> 4 | 1ull << 62, right = (other & 0x3ffff) >> 4 | 1ull << 62;
  float d[8] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < 4; k++)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "l"(left + 2 * k), "l"(right + 2 * k), "r"(k));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float sum = 0;
  for (int i = 0; i < 8; i++)
    sum += d[i];
  ((float *)a)[t] = sum;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(64), "r"(to) : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(0), "r"(to) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
  o[t] = ((float *)a)[t ^ 1];
}
