// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What states of an mbarrier say of its pending count: of one thread that arrives again and again, and of a warp whose lanes arrive at two of them by
// noComplete, of which each finds what the lanes below it have left.
#include "../check.h"

enum { LANES = 32, TURNS = 6, ROUNDS = 20, MOST = (1 << 20) - 1 };

typedef unsigned long long u64;

__device__ unsigned
place(const void *shared) {
  return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ void
make(u64 *barrier, unsigned n) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(barrier)), "r"(n) : "memory");
}

__device__ unsigned
pending(u64 state) {
  unsigned n;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(state));
  return n;
}

#define ARRIVE(words, ...)                                                                         \
  asm volatile("mbarrier." words ".shared.b64 %0, [%1]" __VA_ARGS__ : "memory")

__global__ void
one(unsigned n, const unsigned *counts, unsigned *out) {
  __shared__ u64 barrier;
  u64 state[TURNS];
  unsigned at = place(&barrier);
  make(&barrier, n);
  ARRIVE("arrive", ";" : "=l"(state[0]) : "r"(at));
  ARRIVE("arrive", ", %2;" : "=l"(state[1]) : "r"(at), "r"(counts[1]));
  ARRIVE("arrive_drop", ";" : "=l"(state[2]) : "r"(at));
  ARRIVE("arrive_drop", ", %2;" : "=l"(state[3]) : "r"(at), "r"(counts[3]));
  ARRIVE("arrive.noComplete", ", %2;" : "=l"(state[4]) : "r"(at), "r"(counts[4]));
  ARRIVE("arrive_drop.noComplete", ", %2;" : "=l"(state[5]) : "r"(at), "r"(counts[5]));
  for (int i = 0; i < TURNS; i++)
    out[i] = pending(state[i]);
}

__global__ void
many(unsigned n, unsigned count, unsigned *out) {
  __shared__ u64 barriers[2];
  u64 state;
  if (threadIdx.x < 2)
    make(&barriers[threadIdx.x], n + threadIdx.x);
  __syncwarp();
  ARRIVE("arrive.noComplete", ", %2;" : "=l"(state) : "r"(place(&barriers[threadIdx.x % 2])), "r"(count));
  out[threadIdx.x] = pending(state);
}

int
main() {
  unsigned *counts, *out;
  CHECK(cudaMallocManaged(&counts, TURNS * sizeof *counts));
  CHECK(cudaMallocManaged(&out, LANES * sizeof *out));
  for (int round = 0; round < ROUNDS; round++) {
    unsigned n = round == 0 ? MOST : 1000 + (unsigned)rand() % (MOST - 1000), count = 1 + (unsigned)rand() % 50;
    for (int i = 0; i < TURNS; i++)
      counts[i] = i == 0 || i == 2 ? 1 : 1 + (unsigned)rand() % 100;
    one<<<1, 1>>>(n, counts, out);
    CHECK(cudaDeviceSynchronize());
    unsigned left = n;
    for (int i = 0; i < TURNS; i++) {
      EXPECT(out[i] == left);
      left -= counts[i];
    }
    many<<<1, LANES>>>(n - 1, count, out);
    CHECK(cudaDeviceSynchronize());
    for (unsigned lane = 0; lane < LANES; lane++)
      EXPECT(out[lane] == n - 1 + lane % 2 - lane / 2 * count);
  }
  return finish("kernel-pending");
}
