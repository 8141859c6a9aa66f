// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// nvcc: -gencode arch=compute_100a,code=compute_100a
//
// What tensor cores read of shared memory, and who accesses tensor memory when (tcgen05): one mistake each, and the same without it, as in
// check-cases.cu (tests/cli/run-check.sh).
#include <cstdio>
#include <cstring>

enum {
  THREADS = 128,
  LEFT = 4096,  // bytes of A: 128 rows of 16 numbers; and of B: 64 columns
  RIGHT = 2048,
  COLUMNS = 128, // of tensor memory
  FORM = 0x08100010,      // 128 rows and 64 columns of f32, of f16
  FORM_HALF = 0x08080010, // 32 columns
  FORM_PAIR = 0x10100010, // 256 rows, of two blocks
  AT_LEFT = 64,           // where A is in tensor memory: 8 columns
};

struct Shared {
  alignas(128) char left[LEFT];
  alignas(128) char right[RIGHT];
  alignas(8) unsigned long long copied, made;
  unsigned columns;
};

__device__ static unsigned
place(const void *pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ static unsigned long long
describe(const void *at) {
  return (place(at) & 0x3ffff) >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32 | 1ull << 46;
}

// --- what tensor cores are given

__device__ static void
multiply(const Shared &s, unsigned form = FORM, unsigned adds = 0, unsigned beyond = 0) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(s.columns), "l"(describe(s.left)), "l"(describe(s.right + beyond)), "r"(form), "r"(adds) : "memory"); // early unfenced beyond unbrought other-form unstored unloaded
}

__device__ static void
multiply_tensor(const Shared &s, unsigned left, unsigned to = 0) {
  asm volatile("tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, 0;" ::"r"(s.columns + to), "r"(s.columns + left), "l"(describe(s.right)), "r"(FORM) : "memory"); // chained unordered unstored-left
}

__device__ static void
copy_left(const Shared &s, unsigned to = AT_LEFT) {
  asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(s.columns + to), "l"(describe(s.left)) : "memory"); // copy-early copy-over
}

__device__ static void
commit(Shared &s) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(place(&s.made)) : "memory");
}

__device__ static void
wait(const unsigned long long &barrier) {
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra W; }" ::"r"(place(&barrier)) : "memory");
}

// --- what threads do

__device__ static unsigned
load(const Shared &s, unsigned column = 0) {
  unsigned word;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(word) : "r"(s.columns + column) : "memory"); // uncommitted one-waits stored-early pair-uncommitted
  return word;
}

// ptxas leaves out a load whose word nobody uses.
__device__ static void
use(unsigned word) {
  if (word == 0x7fc0dead)
    __trap();
}

__device__ static void
store(const Shared &s, unsigned word, unsigned column = 0) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(s.columns + column), "r"(word) : "memory"); // store-over
}

__device__ static void
wait_loads() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

__device__ static void
wait_stores() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

__device__ static void
fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// By one thread.
__device__ static void
bring(Shared &s, const int *from) {
  unsigned barrier = place(&s.copied);
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(RIGHT) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(s.right)), "l"(from), "r"(RIGHT), "r"(barrier) : "memory"); // brought-again pair-brought-again
}

__device__ static void
fill(Shared &s) {
  for (int i = threadIdx.x; i < LEFT / 16; i += THREADS)
    ((uint4 *)s.left)[i] = make_uint4(i, 0, 0, 0);
  for (int i = threadIdx.x; i < RIGHT / 16; i += THREADS)
    ((uint4 *)s.right)[i] = make_uint4(i, 0, 0, 0);
}

template <bool pair = false>
__device__ static void
begin(Shared &s) {
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; mbarrier.init.shared.b64 [%1], 1; fence.mbarrier_init.release.cluster;" ::"r"(place(&s.copied)), "r"(place(&s.made)) : "memory");
  if (pair && threadIdx.x >= THREADS - 32)
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(place(&s.columns)), "r"(COLUMNS) : "memory");
  else if (threadIdx.x >= THREADS - 32)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(place(&s.columns)), "r"(COLUMNS) : "memory");
  __syncthreads();
}

template <bool pair = false>
__device__ static void
end(const Shared &s) {
  if (pair && threadIdx.x >= THREADS - 32)
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(s.columns), "r"(COLUMNS) : "memory");
  else if (threadIdx.x >= THREADS - 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(s.columns), "r"(COLUMNS) : "memory"); // given-back
}

// Both operands are there, for whoever multiplies.
__device__ static void
prepare(Shared &s) {
  fill(s);
  fence();
  __syncthreads();
}

__device__ static bool
leads() {
  return threadIdx.x == 0;
}

// A product, which all wait for.
__device__ static void
finish(Shared &s) {
  if (leads())
    commit(s);
  wait(s.made);
}

// --- shared memory

__device__ static void
unfenced(Shared &s, const int *, bool wrong) {
  fill(s);
  if (!wrong)
    fence();
  __syncthreads();
  if (leads())
    multiply(s);
  finish(s);
}

__device__ static void
early(Shared &s, const int *, bool wrong) {
  fill(s);
  fence();
  if (!wrong)
    __syncthreads();
  if (leads())
    multiply(s);
  finish(s);
}

__device__ static void
copy_early(Shared &s, const int *, bool wrong) {
  fill(s);
  if (!wrong)
    fence();
  __syncthreads();
  if (leads())
    copy_left(s);
  finish(s);
}

__device__ static void
unbrought(Shared &s, const int *from, bool wrong) {
  prepare(s);
  if (leads()) {
    bring(s, from);
    if (!wrong)
      wait(s.copied);
    multiply(s);
  }
  finish(s);
}

__device__ static void
beyond(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads())
    multiply(s, FORM, 0, wrong ? RIGHT : 0);
  finish(s);
}

// The barrier that says the stage is empty is missing.
__device__ static void
replaced(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads()) {
    multiply(s);
    commit(s);
  }
  if (!wrong)
    wait(s.made);
  __syncthreads();
  ((int *)s.left)[threadIdx.x] = -1; // replaced
  wait(s.made);
}

__device__ static void
brought_again(Shared &s, const int *from, bool wrong) {
  prepare(s);
  if (leads()) {
    multiply(s);
    commit(s);
    if (!wrong)
      wait(s.made);
    bring(s, from);
  }
  wait(s.made);
}

// --- tensor memory

__device__ static void
uncommitted(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads()) {
    multiply(s);
    commit(s);
  }
  if (!wrong)
    wait(s.made);
  __syncthreads();
  use(load(s));
  wait(s.made);
}

// What one warp has waited for, others learn by a barrier.
__device__ static void
one_waits(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads()) {
    multiply(s);
    commit(s);
  }
  if (threadIdx.x < 32)
    wait(s.made);
  if (!wrong)
    __syncthreads();
  use(load(s));
  __syncthreads();
}

__device__ static void
other_form(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads()) {
    multiply(s);
    multiply(s, wrong ? FORM_HALF : FORM, 1);
  }
  finish(s);
}

// What a product makes is the next one's A.
__device__ static void
chained(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads()) {
    multiply(s);
    commit(s);
    if (!wrong)
      wait(s.made);
    multiply_tensor(s, 0, AT_LEFT);
  }
  wait(s.made);
}

__device__ static void
copy_over(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads()) {
    multiply(s);
    commit(s);
    if (!wrong)
      wait(s.made);
    copy_left(s, 0);
  }
  wait(s.made);
}

// One warp copies A, and another one multiplies: the copy is begun before.
__device__ static void
unordered(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads())
    copy_left(s);
  if (!wrong)
    __syncthreads();
  if (threadIdx.x == 32)
    multiply_tensor(s, AT_LEFT);
  __syncthreads();
}

__device__ static void
stored_early(Shared &s, const int *, bool wrong) {
  store(s, threadIdx.x);
  if (!wrong)
    wait_stores();
  use(load(s));
}

// D is stored, and a product adds to it.
__device__ static void
unstored(Shared &s, const int *, bool wrong) {
  fill(s);
  fence();
  store(s, 0);
  if (!wrong)
    wait_stores();
  __syncthreads();
  if (leads())
    multiply(s, FORM, 1);
  finish(s);
}

// So is A.
__device__ static void
unstored_left(Shared &s, const int *, bool wrong) {
  fill(s);
  fence();
  for (unsigned i = 0; i < 8; i++)
    store(s, i, AT_LEFT + i);
  if (!wrong)
    wait_stores();
  __syncthreads();
  if (leads())
    multiply_tensor(s, AT_LEFT);
  finish(s);
}

// The next product replaces what is loaded still.
__device__ static void
unloaded(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads())
    multiply(s);
  finish(s);
  unsigned word = load(s);
  if (!wrong)
    wait_loads();
  __syncthreads();
  if (leads())
    multiply(s);
  use(word);
}

__device__ static void
store_over(Shared &s, const int *, bool wrong) {
  prepare(s);
  if (leads()) {
    multiply(s);
    commit(s);
  }
  if (!wrong)
    wait(s.made);
  store(s, 1);
  wait(s.made);
}

__device__ static void
given_back(Shared &s, const int *, bool wrong) {
  store(s, threadIdx.x);
  wait_stores();
  use(load(s));
  if (!wrong)
    __syncthreads();
}

// --- right: what is in turn without a wait

__device__ static void
in_turn(Shared &s, const int *, bool) {
  prepare(s);
  if (leads()) {
    copy_left(s);
    multiply_tensor(s, AT_LEFT);
    copy_left(s);
    multiply_tensor(s, AT_LEFT);
  }
  finish(s);
  store(s, load(s) + 1);
  wait_stores();
  use(load(s));
}

template <void (*body)(Shared &, const int *, bool)>
__global__ void
run(const int *from, bool wrong) {
  __shared__ Shared s;
  begin(s);
  body(s, from, wrong);
  if (body != given_back)
    __syncthreads();
  end(s);
}

// --- pairs of blocks: the second one makes the products of both, and says in both that they are made. The first one has its turn after that

__device__ static void
meet() {
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

__device__ static void
multiply_pair(Shared &s) {
  asm volatile("tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, 0;" ::"r"(s.columns), "l"(describe(s.left)), "l"(describe(s.right)), "r"(FORM_PAIR) : "memory");
  asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(place(&s.made)), "h"((short)3) : "memory");
}

template <bool brings>
__global__ void __cluster_dims__(2)
run_pair(const int *from, bool wrong) {
  __shared__ Shared s;
  begin<true>(s);
  prepare(s);
  meet();
  if (leads() && blockIdx.x == 1)
    multiply_pair(s);
  if (!wrong || blockIdx.x == 1)
    wait(s.made);
  if (!brings)
    use(load(s));
  else if (leads())
    bring(s, from);
  wait(s.made);
  meet();
  end<true>(s);
}

int
main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*kernel)(const int *, bool);
  } cases[] = {{"unfenced", run<unfenced>},         {"early", run<early>},           {"copy-early", run<copy_early>},     {"unbrought", run<unbrought>},
               {"beyond", run<beyond>},             {"replaced", run<replaced>},     {"brought-again", run<brought_again>}, {"uncommitted", run<uncommitted>},
               {"one-waits", run<one_waits>},       {"other-form", run<other_form>}, {"chained", run<chained>},           {"copy-over", run<copy_over>},
               {"unordered", run<unordered>},       {"stored-early", run<stored_early>}, {"unstored", run<unstored>},     {"unstored-left", run<unstored_left>},
               {"unloaded", run<unloaded>},         {"store-over", run<store_over>}, {"given-back", run<given_back>},     {"in-turn", run<in_turn>}},
    pairs[] = {{"pair-uncommitted", run_pair<false>}, {"pair-brought-again", run_pair<true>}};
  char name[64];
  bool known = false;
  int *from;
  snprintf(name, sizeof name, "%s", argc > 1 ? argv[1] : "");
  char *no = strstr(name, "-not");
  if (no)
    *no = '\0';
  cudaMalloc(&from, RIGHT);
  cudaMemset(from, 0, RIGHT);
  for (auto &each : cases)
    if (!strcmp(name, each.name))
      known = true, each.kernel<<<1, THREADS>>>(from, !no);
  for (auto &each : pairs)
    if (!strcmp(name, each.name))
      known = true, each.kernel<<<2, THREADS>>>(from, !no);
  cudaDeviceSynchronize();
  cudaFree(from);
  return !known;
}
