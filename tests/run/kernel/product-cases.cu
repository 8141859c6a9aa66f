// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// nvcc: -gencode arch=compute_90a,code=sm_90a
//
// What a product of a warpgroup, or a copy in bulk, reads from shared memory, and registers that warpgroups give to each other: one mistake each, and the same without it, as in
// check-cases.cu (tests/cli/run-check.sh).
#include <cstdio>
#include <cstring>

enum {
  THREADS = 128,
  LEFT = 2048, // bytes of A: 64 rows of 16 numbers; and of B: 8 columns
  RIGHT = 256,
};

struct Shared {
  alignas(128) char left[2][LEFT];
  alignas(128) char right[2][RIGHT];
  alignas(8) unsigned long long barrier;
};

__device__ static unsigned
place(const void *pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ static unsigned long long
describe(const void *at) {
  return (place(at) & 0x3ffff) >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

__device__ static void
multiply(float *d, const Shared &s, int i, unsigned beyond = 0) {
  unsigned long long left = describe(s.left[i]), right = describe(beyond ? (const char *)&s + beyond : s.right[i]);
  asm volatile("wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(left), "l"(right) : "memory"); // early unfenced hole beyond copied one-waits partial
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__device__ static void
fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

template <int N>
__device__ static void
wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

__device__ static void
set(char *bytes, int i) {
  ((uint4 *)bytes)[i] = make_uint4(i, 0, 0, 0);
}

__device__ static void
fill(Shared &s, int left_out) {
  for (int i = 0; i < 2; i++) {
    set(s.left[i], threadIdx.x);
    if (threadIdx.x < RIGHT / 16 && (int)threadIdx.x != left_out)
      set(s.right[i], threadIdx.x);
  }
}

__device__ static void
copy(Shared &s, const int *from) {
  unsigned barrier = place(&s.barrier);
  if (threadIdx.x)
    return;
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
  unsigned to = place(s.right[0]);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to), "l"(from), "r"(barrier) : "memory"); // recopied
}

__device__ static void
wait_copy(Shared &s) {
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra W; }" ::"r"(place(&s.barrier)) : "memory");
}

// To global memory, by one thread.
__device__ static void
send(const Shared &s, float *to, bool waits) {
  if (threadIdx.x)
    return;
  unsigned from = place(s.right[0]);
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to), "r"(from) : "memory"); // sent-unfenced sent-early
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  if (waits)
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  else
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}

enum Case { EARLY, UNFENCED, FENCED_LATE, HOLE, BEYOND, COPIED, ONE_WAITS, REPLACED, RECOPIED, TWO_GROUPS, PARTIAL, OWN_ROWS, SENT_UNFENCED, SENT_LATE, SENT_EARLY, SENT_ON, RESENT };

template <Case which>
__global__ void
run(float *p, const int *from, bool wrong) {
  __shared__ Shared s;
  float d[4] = {};
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(place(&s.barrier)));
  fill(s, which == HOLE && wrong ? 5 : -1);
  constexpr bool fences_late = which == FENCED_LATE || which == SENT_LATE;
  if (which != UNFENCED && which != SENT_UNFENCED && !fences_late)
    fence();
  if ((which == UNFENCED || which == SENT_UNFENCED) && !wrong)
    fence();
  if ((which != EARLY && which != SENT_EARLY) || !wrong)
    __syncthreads();
  if (fences_late)
    fence();
  if (which == SENT_ON) { // what a copy brought needs no fence
    copy(s, from);
    wait_copy(s);
  }
  if (which >= SENT_UNFENCED) {
    send(s, p, which != RESENT || !wrong);
    __syncthreads();
    if (which == RESENT && threadIdx.x < 64)
      ((int *)s.right[0])[threadIdx.x] = -1; // resent
    return;
  }
  if (which == OWN_ROWS) { // of A, which no other warp reads
    set(s.left[0], threadIdx.x);
    fence();
    __syncwarp();
  }
  if (which == COPIED || which == ONE_WAITS)
    copy(s, from);
  if (which == COPIED && !wrong)
    wait_copy(s);
  if (which == ONE_WAITS && threadIdx.x < 32)
    wait_copy(s);
  if (which == ONE_WAITS && !wrong)
    __syncthreads();
  if (which != PARTIAL || !wrong || threadIdx.x / 32 != 2)
    multiply(d, s, 0, which == BEYOND && wrong ? 8192 : 0);
  if (which == REPLACED || which == RECOPIED) {
    if (!wrong)
      wait<0>();
    __syncthreads();
  }
  if (which == REPLACED)
    ((int *)s.left[0])[threadIdx.x] = -1; // replaced
  if (which == RECOPIED) {
    copy(s, from);
    wait_copy(s);
  }
  if (which == TWO_GROUPS) {
    multiply(d, s, 1);
    wait<1>();
    __syncthreads();
    ((int *)s.left[wrong])[threadIdx.x] = -1; // two-groups
  }
  wait<0>();
  for (int i = 0; i < 4; i++)
    p[threadIdx.x * 4 + i] = d[i];
}

// --- registers: 168 of each of 384 threads are there, 504 of three

enum Pool { SHORT, ENDED, PART, UNLIKE, UNORDERED, FEWER, IN_TURN };

#define GIVE(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 " #n ";")
#define TAKE(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 " #n ";")
#define MEET(barrier, threads) asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(threads) : "memory")

template <Pool which, bool wrong>
__global__ void __launch_bounds__(384, 1)
share(float *p) {
  const unsigned warp = threadIdx.x / 32;
  if (warp >= 4) {
    if (which != UNLIKE && which != UNORDERED)
      TAKE(240); // pool-short pool-ended
    if (which == IN_TURN) {
      MEET(2 + (warp >= 8), 128);
      GIVE(160);
      MEET(2 + (warp >= 8), 128);
      TAKE(200);
    }
    if (which == SHORT || which == IN_TURN)
      MEET(1, 384);
  } else if (which == UNORDERED) {
    GIVE(40);
    if (!wrong)
      MEET(4, 128);
    GIVE(24); // pool-unordered
  } else if (which == FEWER) {
    GIVE(24);
    MEET(4, 128);
    if (wrong)
      GIVE(32); // pool-fewer
  } else if (which == UNLIKE && wrong && warp == 2) {
    GIVE(16 + 8); // pool-unlike
    MEET(4, 128);
    GIVE(24);
  } else if (which == UNLIKE) {
    GIVE(32); // pool-unlike
    MEET(4, 128);
    GIVE(24);
  } else if (which != PART || !wrong || warp > 0) {
    if ((which == SHORT || which == ENDED) && wrong)
      GIVE(32);
    else
      GIVE(24); // pool-part
    if (which == SHORT || which == IN_TURN)
      MEET(1, 384);
  }
  p[threadIdx.x] = 1;
}

int
main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*kernel)(float *, const int *, bool);
  } cases[] = {{"early", run<EARLY>},       {"unfenced", run<UNFENCED>}, {"fenced-late", run<FENCED_LATE>}, {"hole", run<HOLE>}, {"beyond", run<BEYOND>},
               {"copied", run<COPIED>},     {"one-waits", run<ONE_WAITS>}, {"replaced", run<REPLACED>},     {"recopied", run<RECOPIED>},
               {"two-groups", run<TWO_GROUPS>}, {"partial", run<PARTIAL>}, {"own-rows", run<OWN_ROWS>}, {"sent-unfenced", run<SENT_UNFENCED>}, {"sent-late", run<SENT_LATE>},
               {"sent-early", run<SENT_EARLY>}, {"sent-on", run<SENT_ON>}, {"resent", run<RESENT>}};
  static const struct {
    const char *name;
    void (*wrong)(float *);
    void (*right)(float *);
  } pools[] = {{"pool-short", share<SHORT, true>, share<SHORT, false>}, {"pool-ended", share<ENDED, true>, share<ENDED, false>},
               {"pool-part", share<PART, true>, share<PART, false>}, {"pool-unlike", share<UNLIKE, true>, share<UNLIKE, false>},
               {"pool-unordered", share<UNORDERED, true>, share<UNORDERED, false>}, {"pool-fewer", share<FEWER, true>, share<FEWER, false>},
               {"pool-in-turn", share<IN_TURN, true>, share<IN_TURN, false>}};
  char name[64];
  bool known = false;
  float *p;
  int *from;
  snprintf(name, sizeof name, "%s", argc > 1 ? argv[1] : "");
  char *no = strstr(name, "-not");
  if (no)
    *no = '\0';
  cudaMalloc(&p, THREADS * 4 * sizeof *p);
  cudaMalloc(&from, RIGHT);
  cudaMemset(from, 0, RIGHT);
  for (auto &each : cases)
    if (!strcmp(name, each.name))
      known = true, each.kernel<<<1, THREADS>>>(p, from, !no);
  for (auto &each : pools)
    if (!strcmp(name, each.name))
      known = true, (no ? each.right : each.wrong)<<<1, 384>>>(p);
  cudaDeviceSynchronize();
  cudaFree(p);
  cudaFree(from);
  return !known;
}
