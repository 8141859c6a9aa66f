// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One mistake each, and the same without it: NAME makes it, NAME-not does not (tests/cli/run-check.sh). The line of a mistake is the
// one that names its case in a comment.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <cstdio>
#include <cstring>
#include <mma.h>

namespace cg = cooperative_groups;

enum {
  N = 64
}; // threads of a block, two warps

// --- memcheck

__global__ void
store_behind(int *p, bool wrong) {
  p[threadIdx.x + (wrong ? 4 : 0)] = 1; // store-behind
}

__global__ void
load_before(int *p, bool wrong) {
  p[threadIdx.x] = p[(int)threadIdx.x - (wrong ? 2 : 0)]; // load-before
}

__global__ void
misaligned(int *p, bool wrong) {
  *(int *)((char *)p + 8 * (threadIdx.x % 8) + (wrong ? 2 : 0)) = 1; // misaligned
}

__global__ void
shared_behind(int *p, bool wrong) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x + (wrong ? 300 : 0)] = 3; // shared-behind
  __syncthreads();
  p[threadIdx.x] = dynamic[threadIdx.x];
}

__global__ void
local_behind(int *p, bool wrong, int n) {
  int own[128];
  for (int i = 0; i < 128; i++)
    own[i] = p[(n + i * i) % N];
  p[threadIdx.x] = own[(threadIdx.x * 5 + n) % 128 + (wrong ? 1 << 20 : 0)]; // local-behind
}

__global__ void
freed(int *p) {
  p[threadIdx.x] = 1; // freed null
}

__global__ void
free_twice(int *p, bool wrong) {
  void *piece = malloc(24);
  p[threadIdx.x] = piece != NULL;
  free(piece);
  if (wrong)
    free(piece); // free-twice
}

__global__ void
free_foreign(int *p, bool wrong) {
  p[threadIdx.x] = 1;
  if (wrong && threadIdx.x == 0)
    free(p + 4); // free-foreign
}

__global__ void
heap_behind(int *p, bool wrong) {
  char *piece = (char *)malloc(21);
  piece[20 + (wrong ? 1 : 0)] = 1; // heap-behind
  p[threadIdx.x] = 1;
  free(piece);
}

__global__ void
heap_freed(int *p, bool wrong) {
  int *piece = (int *)malloc(64);
  piece[3] = 1;
  if (wrong)
    free(piece);
  p[threadIdx.x] = piece[3]; // heap-freed
  if (!wrong)
    free(piece);
}

__global__ void
heap_left(int *p, bool wrong) {
  void *piece = malloc(24);
  p[threadIdx.x] = piece != NULL;
  if (!wrong || threadIdx.x > 2)
    free(piece);
}

// --- racecheck

__global__ void
read_early(int *p, bool wrong) {
  __shared__ int tile[N];
  tile[threadIdx.x] = threadIdx.x;
  if (!wrong)
    __syncthreads();
  p[threadIdx.x] = tile[N - 1 - threadIdx.x]; // read-early
}

__global__ void
overwrite(int *p, bool wrong) {
  __shared__ int tile[N];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int found = tile[N - 1 - threadIdx.x];
  if (!wrong)
    __syncthreads();
  tile[threadIdx.x] = found + 1; // overwrite
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x];
}

__global__ void
write_twice(int *p, bool wrong) {
  __shared__ int last;
  if (wrong || threadIdx.x == 0)
    last = threadIdx.x; // write-twice
  __syncthreads();
  p[threadIdx.x] = last;
}

__global__ void
in_warp(int *p, bool wrong) {
  __shared__ int tile[N];
  volatile int *seen = tile;
  seen[threadIdx.x] = threadIdx.x;
  if (!wrong)
    __syncwarp();
  p[threadIdx.x] = seen[threadIdx.x ^ 1]; // in-warp
}

__global__ void
in_half(int *p, bool wrong) {
  __shared__ int tile[N];
  volatile int *seen = tile;
  unsigned lane = threadIdx.x % 32, half = lane / 16;
  seen[threadIdx.x] = threadIdx.x;
  if (half == 0)
    __syncwarp(0xffff);
  else
    __syncwarp(0xffff0000);
  p[threadIdx.x] = seen[threadIdx.x ^ (wrong ? 16 : 1)]; // in-half
}

__global__ void
with_atomic(int *p, bool wrong) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  if (!wrong)
    __syncthreads();
  p[threadIdx.x] = sum; // with-atomic
}

__global__ void
named_barrier(int *p, bool wrong) {
  __shared__ int tile[N];
  if (threadIdx.x < 32) {
    if (wrong)
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    tile[threadIdx.x] = threadIdx.x;
    if (!wrong)
      asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    p[threadIdx.x] = tile[threadIdx.x - 32]; // named-barrier
  }
}

__global__ void
flag(int *p, bool wrong) {
  __shared__ int data, other;
  __shared__ volatile int ready;
  if (threadIdx.x == 0)
    ready = other = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    data = p[5];
    __threadfence_block();
    ready = 1;
    other = 8; // flag
  }
  if (threadIdx.x == 0) {
    while (!ready)
      ;
    __threadfence_block();
    p[0] = data;
  }
  if (threadIdx.x == 1 && wrong)
    p[1] = other; // flag
}

__global__ void
pending_copy(int *p, const int *from, bool wrong) {
  __shared__ int tile[N];
  __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int));
  __pipeline_commit();
  if (!wrong)
    __pipeline_wait_prior(0);
  p[threadIdx.x] = tile[threadIdx.x]; // pending-copy
  __pipeline_wait_prior(0);
}

__global__ void
copied_by_others(int *p, const int *from, bool wrong) {
  __shared__ int tile[N];
  __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (!wrong)
    __syncthreads();
  p[threadIdx.x] = tile[N - 1 - threadIdx.x]; // copied-by-others
}

__global__ void
bulk_copy(int *p, const int *from, bool wrong) {
  __shared__ alignas(16) int tile[N];
  __shared__ alignas(8) unsigned long long barrier;
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  unsigned to = (unsigned)__cvta_generic_to_shared(tile), done = 0;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "256, [%2];" ::"r"(to),
                 "l"(from), "r"(at)
                 : "memory");
  }
  while (!done && !wrong)
    asm volatile(
        "{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }"
        : "=r"(done)
        : "r"(at)
        : "memory");
  p[threadIdx.x] = tile[threadIdx.x]; // bulk-copy
}

// Two threads add to the same memory of the block, in bulk and each a number; all read it when the barrier says so.
__global__ void
bulk_reduction(int *p, bool wrong) {
  __shared__ alignas(16) int ones[N], sums[N];
  __shared__ alignas(8) unsigned long long barrier;
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  unsigned from = (unsigned)__cvta_generic_to_shared(ones);
  unsigned to = (unsigned)__cvta_generic_to_shared(sums), done = 0;
  ones[threadIdx.x] = 1;
  sums[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 520;" ::"r"(at) : "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add"
                 ".s32 [%0], [%1], 256, [%2];" ::"r"(to),
                 "r"(from), "r"(at)
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%0], %1, [%2];" ::"r"(to),
                 "r"(1), "r"(at)
                 : "memory");
  }
  while (!done && !wrong)
    asm volatile(
        "{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }"
        : "=r"(done)
        : "r"(at)
        : "memory");
  p[threadIdx.x] = sums[threadIdx.x]; // bulk-reduction
}

__global__ void
block_barrier(int *p, bool wrong) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int tile[N];
  if (threadIdx.x == 0)
    init(&barrier, N);
  __syncthreads();
  tile[threadIdx.x] = threadIdx.x;
  auto token = barrier.arrive();
  if (!wrong)
    barrier.wait(std::move(token));
  p[threadIdx.x] = tile[N - 1 - threadIdx.x]; // block-barrier
}

__global__ void
counted(int *p, bool wrong) {
  __shared__ int tile[N];
  int n = 0;
  tile[threadIdx.x] = threadIdx.x;
  if (!wrong)
    n = __syncthreads_count(threadIdx.x % 3 == 0) + __syncthreads_or(1) + __syncthreads_and(1);
  p[threadIdx.x] = tile[N - 1 - threadIdx.x] + n; // counted
}

// A barrier that half of the threads reduce at.
__global__ void
reduced(int *p, bool wrong) {
  __shared__ int tile[N];
  int any = 0;
  tile[threadIdx.x] = 1;
  if (threadIdx.x < 32)
    asm volatile("{ .reg .pred q, r; setp.gt.s32 q, %1, 3; bar.red.or.pred r, 5, 32, q; selp.b32 "
                 "%0, 1, 0, r; }"
                 : "=r"(any)
                 : "r"((int)threadIdx.x)
                 : "memory");
  p[threadIdx.x] = any + (threadIdx.x < 32 ? tile[threadIdx.x ^ (wrong ? 32 : 16)] : 0); // reduced
}

// One warp fills two buffers in turn, the other one empties them.
__global__ void
two_buffers(int *p, bool wrong) {
  __shared__ int buffer[2][32];
  int lane = threadIdx.x % 32, sum = 0, late = wrong ? 3 : 2;
  for (int i = 0; i < 6; i++) {
    if (threadIdx.x < 32) {
      if (i >= late)
        asm volatile("bar.sync %0, 64;" ::"r"(3 + (i - late) % 2) : "memory");
      buffer[i % 2][lane] = i;
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + i % 2) : "memory");
    } else {
      asm volatile("bar.sync %0, 64;" ::"r"(1 + i % 2) : "memory");
      sum += buffer[i % 2][31 - lane]; // two-buffers
      if (i < 6 - late)
        asm volatile("barrier.cta.arrive %0, 64;" ::"r"(3 + i % 2) : "memory");
    }
  }
  p[threadIdx.x] = sum;
}

__global__ void
elected(int *p, bool wrong) {
  __shared__ volatile int last[2];
  unsigned is_one;
  asm volatile("{ .reg .pred q; elect.sync _|q, 0xffffffff; selp.b32 %0, 1, 0, q; }"
               : "=r"(is_one));
  if (is_one)
    last[threadIdx.x / 32] = threadIdx.x;
  if (!wrong)
    __syncwarp();
  p[threadIdx.x] = last[threadIdx.x / 32]; // elected
}

__global__ void
in_part(int *p, bool wrong) {
  __shared__ volatile int tile[N];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x % 32 < 16) {
    if (!wrong)
      __syncwarp(0xffff);
    p[threadIdx.x] = tile[threadIdx.x ^ 3]; // in-part
  } else
    p[threadIdx.x] = 7;
}

// Some threads leave a barrier for good.
__global__ void
dropped(int *p, bool wrong) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int tile[N];
  if (threadIdx.x == 0)
    init(&barrier, N);
  __syncthreads();
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= 48) {
    barrier.arrive_and_drop();
    return;
  }
  barrier.arrive_and_wait();
  int found = tile[threadIdx.x + 16];
  if (!wrong)
    barrier.arrive_and_wait();
  tile[threadIdx.x] = found; // dropped
  barrier.arrive_and_wait();
  p[threadIdx.x] = tile[47 - threadIdx.x];
}

// Two mbarriers, whose phases one warp and the other wait for by their parity.
__global__ void
parity(int *p, bool wrong) {
  __shared__ alignas(8) unsigned long long barriers[2];
  __shared__ int stage;
  unsigned full = (unsigned)__cvta_generic_to_shared(barriers), empty = full + 8;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(full) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(empty) : "memory");
  }
  __syncthreads();
#define wait_for(at, phase)                                                                        \
  for (unsigned done = 0; !done;)                                                                  \
  asm volatile(                                                                                    \
      "{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"   \
      : "=r"(done)                                                                                 \
      : "r"(at), "r"((phase)&1)                                                                    \
      : "memory")
  for (int i = 0; i < 4; i++) {
    if (threadIdx.x == 0) {
      if (!wrong)
        wait_for(empty, i + 1);
      stage = i; // parity
      asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(full) : "memory");
      if (wrong)
        wait_for(empty, i);
    } else if (threadIdx.x >= 32) {
      wait_for(full, i);
      if (wrong)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(empty)
                     : "memory");
      p[threadIdx.x] = stage;
      if (!wrong)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(empty)
                     : "memory");
    }
  }
}

// The last warp that counts itself reads what all wrote.
__global__ void
counter(int *p, bool wrong) {
  __shared__ int count, part[2];
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    part[threadIdx.x / 32] = threadIdx.x; // counter
    __threadfence_block();
    if (atomicAdd(&count, 1) == (wrong ? 0 : 1)) {
      __threadfence_block();
      p[0] = part[0] + part[1]; // counter
    }
  }
}

__global__ void
ticket(int *p, bool wrong) {
  __shared__ int next, sum;
  __shared__ volatile int serving;
  if (threadIdx.x == 0)
    next = sum = serving = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    int mine = atomicAdd(&next, 1);
    while (!wrong && serving != mine)
      ;
    __threadfence_block();
    sum += 2; // ticket
    __threadfence_block();
    serving = mine + 1;
  }
  __syncthreads();
  p[threadIdx.x] = sum;
}

// A tile of several warps meets at a barrier in the system's part of shared memory.
__global__ void
wide_tile(int *p, bool wrong) {
  __shared__ cg::block_tile_memory<N> memory;
  __shared__ int tile[N];
  cg::thread_block block = cg::this_thread_block(memory);
  auto all = cg::tiled_partition<N>(block);
  tile[threadIdx.x] = all.shfl((int)threadIdx.x, 3);
  if (!wrong)
    all.sync();
  p[threadIdx.x] = tile[threadIdx.x ^ 32]; // wide-tile
}

__global__ void
in_turn(int *p, const int *from, bool wrong) {
  __shared__ int tile[2][N];
  int sum = 0;
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &from[threadIdx.x], sizeof(int));
  __pipeline_commit();
  for (int i = 0; i < 4; i++) {
    int *next = &tile[(i + 1) % 2][threadIdx.x];
    if (i < 3)
      __pipeline_memcpy_async(next, &from[threadIdx.x], sizeof(int)); // in-turn
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[i % 2][N - 1 - threadIdx.x];
    if (!wrong)
      __syncthreads();
  }
  p[threadIdx.x] = sum;
}

// Two calls of one function, both of which read too early.
__device__ __forceinline__ int
find_other(const int *tile, unsigned at) {
  return ((volatile const int *)tile)[at]; // inlined-twice
}

__global__ void
inlined_twice(int *p, bool wrong) {
  __shared__ int tile[2][N];
  tile[0][threadIdx.x] = threadIdx.x;
  if (!wrong)
    __syncthreads();
  int one = find_other(tile[0], threadIdx.x ^ 32); // first call
  tile[1][threadIdx.x] = one;
  if (!wrong)
    __syncthreads();
  p[threadIdx.x] = find_other(tile[1], threadIdx.x ^ 33); // second call
}

// --- a kernel that may begin before the one ahead of it has ended

__global__ void
first_kernel(int *p, const int *from) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  p[threadIdx.x] = from[threadIdx.x] + 1;
}

__global__ void
quiet_kernel(int *p, const int *from) {
  p[threadIdx.x] = from[threadIdx.x] + 1;
}

enum Wait { NOBODY, ALL, ONE, LATE };

__device__ static void
wait_for_grid(Wait who) {
  if (who == ALL || (who == ONE && threadIdx.x == 40))
    asm volatile("griddepcontrol.wait;" ::: "memory");
  if (who == ONE)
    __syncthreads();
}

__global__ void
reads_first(int *p, const int *from, Wait who) {
  wait_for_grid(who);
  int found = from[threadIdx.x]; // dependent dependent-quiet
  if (who == LATE)
    wait_for_grid(ALL);
  p[threadIdx.x] = found;
}

__global__ void
writes_first(int *p, Wait who) {
  wait_for_grid(who);
  p[threadIdx.x] = 7; // dependent-write dependent-overwrite
}

// --- initcheck

__global__ void
copy_on(int *p, const int *from) {
  p[threadIdx.x] = from[threadIdx.x]; // unset
}

__global__ void
add_to(int *p) {
  atomicAdd(&p[threadIdx.x], 1); // unset-atomic
}

__global__ void
unset_shared(int *p, bool wrong) {
  __shared__ int tile[N];
  if (!wrong || threadIdx.x != 5)
    tile[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x]; // unset-shared
}

__global__ void
unset_heap(int *p, bool wrong) {
  int *piece = (int *)malloc(16);
  if (!wrong)
    piece[2] = 1;
  p[threadIdx.x] = piece[2]; // unset-heap
  free(piece);
}

__global__ void
fill(char *p, int n) {
  for (int i = threadIdx.x; i < n; i += N)
    p[i] = 1;
}

// --- synccheck

__global__ void
some_threads(int *p, bool wrong) {
  if (threadIdx.x < 40 || !wrong)
    __syncthreads(); // some-threads
  p[threadIdx.x] = 1;
}

__global__ void
ended(int *p, bool wrong) {
  if (threadIdx.x >= 50 && wrong)
    return;
  p[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = 2;
}

__global__ void
two_barriers(int *p, bool wrong) {
  if (threadIdx.x % 2 == 0 && wrong) {
    p[threadIdx.x] = 1;
    __syncthreads(); // two-barriers
    p[threadIdx.x] = 2;
  } else {
    p[threadIdx.x] = 3;
    __syncthreads(); // two-barriers
    p[threadIdx.x] = 4;
  }
}

__global__ void
too_few(int *p, bool wrong) {
  if (threadIdx.x < 32 || !wrong)
    asm volatile("bar.sync 3, 64;" ::: "memory"); // too-few
  p[threadIdx.x] = 1;
}

__global__ void
wrong_mask(int *p, bool wrong) {
  unsigned lane = threadIdx.x % 32;
  if (lane < 8) {
    __syncwarp(wrong ? 0xf : 0xff); // wrong-mask
    p[threadIdx.x] = 1;
  } else
    p[threadIdx.x] = 2;
}

// A constant mask: machine code waits for it only if threads are divided, and says whom it would wait for (BRA.DIV, BRA.CONV).
__global__ void
wrong_constant(int *p, bool wrong) {
  p[threadIdx.x] = 1;
  if (threadIdx.x % 32 < 8) {
    if (wrong)
      __syncwarp(0xf); // wrong-constant
    else
      __syncwarp(0xff);
    p[threadIdx.x ^ 1] += 1;
  } else
    p[threadIdx.x] = 2;
  __syncwarp();
  p[threadIdx.x ^ 2] += 1;
}

// Masks that differ, of threads that run together.
__global__ void
wrong_half(int *p, bool wrong) {
  unsigned half = threadIdx.x % 32 / 16;
  p[threadIdx.x] = 1;
  __syncwarp(half == wrong ? 0xffff : 0xffff0000); // wrong-half
  p[threadIdx.x ^ 1] += 1;
}

// Where threads are known to run together, machine code has nothing of the mask, unless it is compiled for debuggers (nvcc -G).
__global__ void
wrong_together(int *p, bool wrong) {
  p[threadIdx.x] = 1;
  __syncwarp(wrong ? 0xffff : 0xffffffff); // wrong-together
  p[threadIdx.x ^ 1] += 1;
}

#define arrive(at, n)                                                                              \
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0], %1; }" ::"r"(at), "r"(n)        \
               : "memory")

__global__ void
no_barrier(int *p, bool wrong) {
  __shared__ alignas(8) unsigned long long barrier;
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0 && !wrong)
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  arrive(at, 1); // no-barrier
  p[threadIdx.x] = 1;
}

__global__ void
arrive_often(int *p, bool wrong) {
  __shared__ alignas(8) unsigned long long barrier;
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 70;" ::"r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    arrive(at, wrong ? 80 : 7); // arrive-often
  p[threadIdx.x] = 1;
}

// --- right as they are

__global__ void
tiles(int *p, bool) {
  __shared__ int tile[N];
  cg::thread_block block = cg::this_thread_block();
  auto quarter = cg::tiled_partition<8>(block);
  tile[threadIdx.x] = threadIdx.x;
  quarter.sync();
  int next = tile[threadIdx.x / 8 * 8 + (threadIdx.x + 1) % 8];
  quarter.sync();
  tile[threadIdx.x] = next;
  block.sync();
  p[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

__global__ void
locked(int *p, bool) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0)
    lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0)
      ;
    __threadfence_block();
    sum += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  p[threadIdx.x] = sum;
}

__global__ void
same_value(int *p, bool) {
  __shared__ int any;
  if (threadIdx.x == 0)
    any = 0;
  __syncthreads();
  if (threadIdx.x > 10)
    any = 1;
  __syncthreads();
  p[threadIdx.x] = any;
}

// --- clusters

__global__ void __cluster_dims__(2, 1, 1)
peer_ended(int *p, bool wrong) {
  __shared__ int own[N / 2];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  own[threadIdx.x] = threadIdx.x;
  cluster.sync();
  int *other = cluster.map_shared_rank(own, rank ^ 1);
  p[rank * N / 2 + threadIdx.x] = other[threadIdx.x]; // peer-ended
  if (!wrong)
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1)
peer_behind(int *p, bool wrong) {
  __shared__ int own[N / 2];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  own[threadIdx.x] = threadIdx.x;
  cluster.sync();
  int *other = cluster.map_shared_rank(own, rank ^ 1);
  other[threadIdx.x ^ (wrong ? 32 : 1)] += 1; // peer-behind
  cluster.sync();
  p[rank * N / 2 + threadIdx.x] = own[threadIdx.x];
}

// Reads what the other block has not written, if it is the second one.
__global__ void __cluster_dims__(2, 1, 1)
peer_unset(int *p, bool wrong) {
  __shared__ int own[N / 2];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (rank == 0 || !wrong)
    own[threadIdx.x] = threadIdx.x;
  cluster.sync();
  int *other = cluster.map_shared_rank(own, rank ^ 1);
  p[rank * N / 2 + threadIdx.x] = other[threadIdx.x]; // peer-unset
  cluster.sync();
}

// What is in order by the barrier of the cluster, and by barriers in the memory of the other block.
__global__ void __cluster_dims__(2, 1, 1)
peers(int *p, bool) {
  __shared__ __align__(16) int in[N / 2], from[N / 2], given[N / 2];
  __shared__ unsigned long long arrived;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), barrier = (unsigned)__cvta_generic_to_shared(&arrived), there, done = 0;
  from[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 32; fence.mbarrier_init.release.cluster;" ::"r"(barrier) : "memory");
  }
  cluster.barrier_arrive();
  given[threadIdx.x] = 2;
  cluster.barrier_wait();
  cluster.map_shared_rank(in, rank ^ 1)[threadIdx.x ^ 1] = from[threadIdx.x ^ 3];
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(barrier), "r"(rank ^ 1));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(barrier) : "memory");
  in[threadIdx.x] += given[threadIdx.x];
  cluster.sync();
  p[rank * N / 2 + threadIdx.x] = cluster.map_shared_rank(in, rank ^ 1)[threadIdx.x ^ 5];
  cluster.sync();
}

// Fragments are stored at once, also where PTX is run as it is.
__global__ void
fragments(int *p, bool) {
  using namespace nvcuda::wmma;
  __shared__ int sums[256];
  fragment<accumulator, 16, 16, 16, int> sum;
  fill_fragment(sum, 3);
  if (threadIdx.x < 32) {
    store_matrix_sync(sums, sum, 16, mem_row_major);
    __syncwarp();
    p[threadIdx.x] = sums[8 * threadIdx.x];
  }
}

// Not modelled: refused by its name.
__global__ void
formatted(int *p, bool) {
  asm volatile("sust.p.1d.b32.trap [%0, {%1}], %2;" ::"l"((unsigned long long)p), "r"(0), "r"(1));
}

static int *p, *from;

// The first kernel writes what @more points at, and reads @from.
static void
call_dependent(const char *how, int *more, Wait who) {
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t configuration = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  configuration.gridDim = 1;
  configuration.blockDim = N;
  configuration.attrs = &attribute;
  configuration.numAttrs = strcmp(how, "-serial") != 0;
  who = !strcmp(how, "-told") ? ONE : !strcmp(how, "-late") ? LATE : who;
  if (!strcmp(how, "-quiet") || !strcmp(how, "-spare"))
    quiet_kernel<<<1, N>>>(more, from);
  else
    first_kernel<<<1, N>>>(more, from);
  if (!strcmp(how, "-synchronized"))
    cudaStreamSynchronize(0);
  if (!strcmp(how, "-behind-copy"))
    cudaMemsetAsync(p, 0, 4, 0);
  if (!strcmp(how, "-write"))
    cudaLaunchKernelEx(&configuration, writes_first, more, who);
  else if (!strcmp(how, "-overwrite") || !strcmp(how, "-spare"))
    cudaLaunchKernelEx(&configuration, writes_first, from, who);
  else
    cudaLaunchKernelEx(&configuration, reads_first, p, (const int *)more, who);
}

static bool
calls(const char *name, bool wrong) {
  int host[N];
  int *more = NULL;
  if (!strcmp(name, "unset")) {
    cudaMalloc(&more, sizeof host);
    fill<<<1, N>>>((char *)more, wrong ? 255 : 256);
    copy_on<<<1, N>>>(p, more);
  } else if (!strncmp(name, "dependent", 9)) {
    cudaMalloc(&more, sizeof host);
    call_dependent(name + 9, more, wrong ? NOBODY : ALL);
  } else if (!strcmp(name, "unset-atomic")) {
    cudaMalloc(&more, sizeof host);
    if (!wrong)
      cudaMemset(more, 0, sizeof host);
    add_to<<<2, N>>>(more);
  } else if (!strcmp(name, "unset-copy")) {
    cudaMalloc(&more, sizeof host);
    cudaMemcpy(more, from, wrong ? 252 : 256, cudaMemcpyDeviceToDevice);
    cudaMemcpy(host, more, sizeof host, cudaMemcpyDeviceToHost);
  } else if (!strcmp(name, "call")) {
    cudaMemcpy(host, p, wrong ? 4096 : 256, cudaMemcpyDeviceToHost);
  } else if (!strcmp(name, "launch")) {
    freed<<<1, wrong ? 2048 : 64>>>(p);
  } else if (!strcmp(name, "freed")) {
    cudaMalloc(&more, sizeof host);
    if (wrong)
      cudaFree(more);
    freed<<<1, N>>>(more);
    more = wrong ? NULL : more;
  } else if (!strcmp(name, "null")) {
    freed<<<1, N>>>(wrong ? NULL : p);
  } else if (!strcmp(name, "leak")) {
    cudaMalloc(&more, 1000);
    more = wrong ? NULL : more;
  } else
    return false;
  cudaDeviceSynchronize();
  cudaFree(more);
  return true;
}

int
main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*kernel)(int *, bool);
  } kernels[] = {{"store-behind", store_behind},
                 {"load-before", load_before},
                 {"misaligned", misaligned},
                 {"free-twice", free_twice},
                 {"free-foreign", free_foreign},
                 {"heap-behind", heap_behind},
                 {"heap-freed", heap_freed},
                 {"heap-left", heap_left},
                 {"read-early", read_early},
                 {"overwrite", overwrite},
                 {"write-twice", write_twice},
                 {"in-warp", in_warp},
                 {"in-half", in_half},
                 {"with-atomic", with_atomic},
                 {"named-barrier", named_barrier},
                 {"flag", flag},
                 {"bulk-reduction", bulk_reduction},
                 {"block-barrier", block_barrier},
                 {"unset-shared", unset_shared},
                 {"unset-heap", unset_heap},
                 {"some-threads", some_threads},
                 {"ended", ended},
                 {"two-barriers", two_barriers},
                 {"too-few", too_few},
                 {"wrong-mask", wrong_mask},
                 {"wrong-constant", wrong_constant},
                 {"wrong-half", wrong_half},
                 {"wrong-together", wrong_together},
                 {"no-barrier", no_barrier},
                 {"arrive-often", arrive_often},
                 {"counted", counted},
                 {"reduced", reduced},
                 {"two-buffers", two_buffers},
                 {"elected", elected},
                 {"in-part", in_part},
                 {"dropped", dropped},
                 {"parity", parity},
                 {"counter", counter},
                 {"ticket", ticket},
                 {"wide-tile", wide_tile},
                 {"fragments", fragments},
                 {"inlined-twice", inlined_twice},
                 {"formatted", formatted},
                 {"tiles", tiles},
                 {"locked", locked},
                 {"same-value", same_value}},
    clustered[] = {{"peer-ended", peer_ended}, {"peer-behind", peer_behind}, {"peer-unset", peer_unset}, {"peers", peers}};
  static const struct {
    const char *name;
    void (*kernel)(int *, const int *, bool);
  } copies[] = {{"pending-copy", pending_copy},
                {"copied-by-others", copied_by_others},
                {"bulk-copy", bulk_copy},
                {"in-turn", in_turn}};
  char name[64];
  snprintf(name, sizeof name, "%s", argc > 1 ? argv[1] : "");
  char *no = strstr(name, "-not");
  bool wrong = !no;
  if (no)
    *no = '\0';
  cudaMalloc(&p, N * sizeof(int));
  cudaMalloc(&from, N * sizeof(int));
  cudaMemset(p, 0, N * sizeof(int));
  cudaMemset(from, 0, N * sizeof(int));
  bool known = calls(name, wrong);
  for (auto &each : kernels)
    if (!strcmp(name, each.name))
      known = true, each.kernel<<<1, N>>>(p, wrong);
  for (auto &each : clustered)
    if (!strcmp(name, each.name))
      known = true, each.kernel<<<2, N / 2>>>(p, wrong);
  for (auto &each : copies)
    if (!strcmp(name, each.name))
      known = true, each.kernel<<<1, N>>>(p, from, wrong);
  if (!strcmp(name, "shared-behind"))
    known = true, shared_behind<<<1, N, 1024>>>(p, wrong);
  if (!strcmp(name, "local-behind"))
    known = true, local_behind<<<1, N>>>(p, wrong, 3);
  cudaDeviceSynchronize();
  cudaFree(p);
  cudaFree(from);
  return !known;
}
