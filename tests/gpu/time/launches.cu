// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measures what the clock's model needs to know of a device that only whole launches show: how fast blocks are handed out, what stores of a
// part of a sector cost and which of them leave together, how long a block keeps its place for them, how much a
// multiprocessor may have asked for, what the caches hold, how the second-level cache is divided, and how code arrives that is executed for the first time.
//
//   launches             writes lines 'name value unit how'
//   launches --nothing   launches a block that does nothing, three times, for Nsight Compute
//
// Nanoseconds are those of events, cycles those of the highest clock. Rows that end with "[launches …]" say what to launch of the cubin of this file
// for the same difference (replay.py).
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "facts.h"

enum {
  LINE_WORDS = 32,
  SECTOR_WORDS = 8,
  MOST_LINES = 64, // that stores go to in turns
  CODE_STEP = 16,  // KiB of code between two clocks
  INSTRUCTION_BYTES = 16,
  CODE_LINE_BYTES = 128,
};

// --- kernels: memory, and how often

extern "C" __global__ void nothing(unsigned *memory, int n) {}

// Each thread stores a word of a sector of its own, STRIDE words after the one before, in 64 KiB of its block's.
template <int STRIDE> __device__ void store_parts(unsigned *memory, int n) {
  const int part = 16384;
  unsigned *own = memory + blockIdx.x * part;
  for (int i = 0; i < n; i++) own[(i * blockDim.x + threadIdx.x) * STRIDE % part] = i;
}
extern "C" __global__ void store_sectors(unsigned *memory, int n) { store_parts<SECTOR_WORDS>(memory, n); }
extern "C" __global__ void store_pairs(unsigned *memory, int n) { store_parts<2 * SECTOR_WORDS>(memory, n); }
extern "C" __global__ void store_lines(unsigned *memory, int n) { store_parts<LINE_WORDS>(memory, n); }

// Each lane stores a word to a line of its own, and the warp loads beside that: words of shared memory, of a line that L1 has, or of 32 such lines, one bank.
enum class Beside { NOTHING, SHARED, LINE, LINES };
template <Beside BESIDE> __device__ void store_beside(unsigned *memory, int n) {
  __shared__ volatile unsigned words[16 * 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, part = 32 * LINE_WORDS, far = 1 << 20;
  unsigned *own = memory + (blockIdx.x * blockDim.x / 32 + warp) * part + lane * LINE_WORDS, got[16] = {0};
  const unsigned *from = BESIDE == Beside::LINES ? own + far : memory + far + lane; // of which the compiler does not know that nothing is stored there
  for (int i = 0; i < n; i++) {
    own[i % LINE_WORDS] = i;
#pragma unroll
    for (int k = 0; k < 16; k++) {
      if (BESIDE == Beside::SHARED) got[k] ^= words[k * 32 + lane];
      if (BESIDE == Beside::LINE) got[k] ^= from[k * 32];
      if (BESIDE == Beside::LINES && k == 0) got[k] ^= from[i % LINE_WORDS];
    }
  }
  unsigned sum = 0;
  for (unsigned g : got) sum ^= g;
  if (sum == 0x12345678) memory[0] = sum;
}
#define BESIDES \
  BESIDE(nothing, NOTHING, "nothing") BESIDE(shared, SHARED, "16 LDS") BESIDE(line, LINE, "16 LDG of a line that L1 has") \
  BESIDE(lines, LINES, "an LDG of 32 wavefronts of lines that L1 has")
#define BESIDE(name, beside, how) \
  extern "C" __global__ void store_beside_##name(unsigned *memory, int n) { store_beside<Beside::beside>(memory, n); }
BESIDES
#undef BESIDE

// A warp loads a row of so many KiB n times, and not from L1.
template <int KIB> __device__ void pass(unsigned *memory, int n) {
  const unsigned *row = memory + (size_t)blockIdx.x * (KIB << 8) + threadIdx.x;
  unsigned sum = 0;
  for (int i = 0; i < n; i++)
#pragma unroll 4
    for (int k = 0; k < KIB << 8; k += 32) sum ^= __ldcg(row + k) + i;
  if (sum == 0x12345678) memory[0] = sum;
}
extern "C" __global__ void pass_4(unsigned *memory, int n) { pass<4>(memory, n); }
extern "C" __global__ void pass_64(unsigned *memory, int n) { pass<64>(memory, n); }

// Four warps store the first words of the four sectors of LINES lines in all, one after the other, then the second words, and so on; then they go on to the
// next lines.
template <int LINES> __device__ void store_turns(unsigned *memory, int n) {
  const int warps = 4, each = LINES / warps, part = 16384;
  const int lane = threadIdx.x % 32;
  if (lane >= 4) return;
  unsigned *own = memory + (blockIdx.x * warps + threadIdx.x / 32) * part * 2 + lane * SECTOR_WORDS;
  for (int i = 0, at = 0; i < n; i++, at = (at + each * LINE_WORDS) % part)
#pragma unroll
    for (int w = 0; w < SECTOR_WORDS; w++)
#pragma unroll
      for (int l = 0; l < each; l++) *(volatile unsigned *)(own + at + l * LINE_WORDS + w) = i;
}
#define TURNS(lines) \
  extern "C" __global__ void store_turns_##lines(unsigned *memory, int n) { store_turns<lines>(memory, n); }
TURNS(4)
TURNS(8)
TURNS(12)
TURNS(16)
TURNS(20)
TURNS(24)
TURNS(28)
TURNS(32)
#undef TURNS

// All blocks load what DRAM has, 16 bytes a lane, eight in flight.
extern "C" __global__ void load_dram(uint4 *memory, int n) {
  const int unroll = 8;
  const uint4 *own = memory + (size_t)blockIdx.x * blockDim.x * unroll * n;
  uint4 sum = {0, 0, 0, 0};
  for (int i = 0; i < n; i++) {
    uint4 v[unroll];
#pragma unroll
    for (int k = 0; k < unroll; k++) v[k] = __ldcg(own + (i * unroll + k) * blockDim.x + threadIdx.x);
#pragma unroll
    for (int k = 0; k < unroll; k++) sum.x ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  if (sum.x == 0x12345678) memory[0] = sum;
}

// Code without a loop: 64 KiB of it is 4,096 instructions. A warp executes it n times; out: its clock, after each 16 KiB.
#define FOUR asm volatile("fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %1, %1, %1, %1; fma.rn.f32 %2, %2, %2, %2; fma.rn.f32 %3, %3, %3, %3;" : "+f"(a), "+f"(b), "+f"(c), "+f"(d));
#define SIXTEEN FOUR FOUR FOUR FOUR
#define STEP SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN \
  SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN \
  SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN \
  SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN \
  out[at++] = (unsigned)clock64();
#define CODE(kib, steps)                                                                              \
  extern "C" __global__ void code_##kib(unsigned *memory, int n) {                                    \
    unsigned *out = memory + blockIdx.x * 256, at = 0;                                                \
    float a = n, b = n + 1, c = n + 2, d = n + 3;                                                     \
    out[at++] = (unsigned)clock64();                                                                  \
    for (int i = 0; i < n; i++) { steps }                                                             \
    if (a + b + c + d == 1) out[0] = 0;                                                               \
  }
CODE(16, STEP)
CODE(32, STEP STEP)
CODE(48, STEP STEP STEP)
CODE(64, STEP STEP STEP STEP)
CODE(96, STEP STEP STEP STEP STEP STEP)
CODE(112, STEP STEP STEP STEP STEP STEP STEP)
CODE(128, STEP STEP STEP STEP STEP STEP STEP STEP)
CODE(144, STEP STEP STEP STEP STEP STEP STEP STEP STEP)
CODE(192, STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP)
CODE(256, STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP)

// Follows pointers, cached in L1.
extern "C" __global__ void chase(unsigned long long *out, const unsigned long long *at, int n, int turns) {
  unsigned long long p = (unsigned long long)at, from = 0;
  for (int t = 0; t < turns; t++) {
    from = clock64();
    for (int i = 0; i < n; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
  }
  out[0] = clock64() - from, out[1] = p;
}

// Of every STEP words the first WIDTH, for each thread one, n times as many as there are threads.
__device__ size_t part_of(size_t i, int width, int step) { return i / width * step + i % width; }
extern "C" __global__ void load_parts(const unsigned *from, unsigned *out, int n, int width, int step) {
  unsigned sum = 0;
  size_t threads = (size_t)gridDim.x * blockDim.x, own = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int i = 0; i < n; i++) sum ^= __ldcg(from + part_of(own + i * threads, width, step));
  if (sum == 0x12345678) out[0] = sum;
}
extern "C" __global__ void store_some(unsigned *to, int n, int width, int step) {
  size_t threads = (size_t)gridDim.x * blockDim.x, own = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++) to[part_of(own + i * threads, width, step)] = i;
}

// All warps change two words, in turns.
extern "C" __global__ void change_two(unsigned *memory, unsigned a, unsigned b, int n) {
  if (threadIdx.x % 32) return;
  unsigned *at = memory + ((blockIdx.x + threadIdx.x / 32) % 2 ? a : b);
  for (int i = 0; i < n; i++) atomicAdd(at, 1);
}

// Accesses of shared memory, of a word of each lane, then a barrier of the block, n times.
enum Access { LOAD, STORE, SHUFFLE };
template <Access ACCESS, int COUNT> __device__ void meet(unsigned *memory, int n) {
  __shared__ unsigned words[32];
  volatile unsigned *word = words + threadIdx.x % 32;
  unsigned got[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  *word = n;
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
      if (ACCESS == LOAD) got[k % 8] = *word;
      if (ACCESS == STORE) *word = got[k % 8];
      if (ACCESS == SHUFFLE) got[k % 8] = __shfl_xor_sync(~0u, got[k % 8], 1);
    }
    __syncthreads();
  }
  unsigned sum = 0;
  for (unsigned g : got) sum ^= g;
  if (sum == 0x12345678) memory[0] = sum;
}
#define MEETINGS \
  MEET(none, LOAD, 0) MEET(load, LOAD, 1) MEET(two_loads, LOAD, 2) MEET(loads, LOAD, 8) MEET(many_loads, LOAD, 24) \
  MEET(store, STORE, 1) MEET(stores, STORE, 8) MEET(many_stores, STORE, 24) MEET(shuffles, SHUFFLE, 8)
#define MEET(name, access, count) \
  extern "C" __global__ void meet_##name(unsigned *memory, int n) { meet<access, count>(memory, n); }
MEETINGS
#undef MEET

// Blocks of which one is resident, by what each does last: its place is free when that is done.
enum class Ending { NOTHING, STORE, STORES, WORDS, WIDE, LATE, LINES, BEHIND };
template <Ending ENDING> __device__ void end_with(unsigned *memory, int n) {
  extern __shared__ unsigned shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, part = 1024;
  volatile unsigned *bank = shared + lane * 32 + warp;
  unsigned *own = memory + (blockIdx.x % 256 * 8 + warp) * part;
  if (ENDING == Ending::STORE) *bank = n;
  if (ENDING == Ending::STORES)
#pragma unroll
    for (int i = 0; i < 4; i++) bank[i * part] = n;
  if (ENDING == Ending::WORDS) own[lane] = n;
  if (ENDING == Ending::LATE) { // after some time: no others are on their way
    float x = n;
#pragma unroll
    for (int i = 0; i < 384; i++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
    n = __float_as_int(x);
  }
  if (ENDING == Ending::WIDE || ENDING == Ending::LATE)
#pragma unroll
    for (int i = 0; i < 4; i++) ((uint4 *)own)[i * 32 + lane] = make_uint4(n, n, n, n);
  if (ENDING == Ending::LINES) own[lane * LINE_WORDS] = n;
  if (ENDING == Ending::BEHIND)
#pragma unroll
    for (int i = 0; i < 4; i++) own[i * 32 + lane] = bank[i * part];
}
#define ENDINGS \
  END(nothing, NOTHING, "nothing") END(store, STORE, "a store to shared memory, 32 wavefronts") END(stores, STORES, "four such stores") \
  END(words, WORDS, "a word of each lane, stored to global memory") END(wide, WIDE, "four stores of 16 bytes a lane") \
  END(late, LATE, "384 FFMA, each of which needs the one before, and four such stores") \
  END(lines, LINES, "a word of each of 32 lines") END(behind, BEHIND, "four loads from shared memory, 32 wavefronts each, that are stored")
#define END(name, ending, how) \
  extern "C" __global__ void drain_##name(unsigned *memory, int n) { end_with<Ending::ending>(memory, n); }
ENDINGS
#undef END

// --- measuring

static int sms, khz;
static unsigned *memory;
static const size_t memory_bytes = (size_t)4 << 30;

static double ns_of(cudaEvent_t from, cudaEvent_t to) {
  float ms;
  CHECK_RT(cudaEventSynchronize(to));
  CHECK_RT(cudaEventElapsedTime(&ms, from, to));
  return ms * 1e6;
}

// The best of some launches, in nanoseconds.
template <typename Launch> static double best_ns(Launch launch, int times = 5) {
  static cudaEvent_t from, to;
  if (!from) {
    CHECK_RT(cudaEventCreate(&from));
    CHECK_RT(cudaEventCreate(&to));
  }
  double best = 1e30;
  for (int turn = 0; turn < times; turn++) {
    CHECK_RT(cudaEventRecord(from));
    launch();
    CHECK_RT(cudaEventRecord(to));
    best = std::min(best, ns_of(from, to));
  }
  CHECK_RT(cudaGetLastError());
  return best;
}

typedef void (*Kernel)(unsigned *, int);
struct Launch {
  int blocks, threads, n;
};
static void say_launches(const std::string &name, double value, const char *unit, const char *how, const std::string &entry, Launch few, const std::string &other, Launch more, double of) {
  char launches[256];
  snprintf(launches, sizeof launches, " [launches %s %d %d %d %s %d %d %d of %.0f]", entry.c_str(), few.blocks, few.threads, few.n, other.c_str(), more.blocks, more.threads, more.n, of);
  say(name, value, unit, (how + std::string(launches)).c_str());
}
// The difference of two launches, in cycles, divided by @of; and what they are.
static void say_difference(const std::string &name, const char *entry, Kernel kernel, Launch few, Launch more, double of, const char *unit, const char *how, int bytes = 0) {
  auto time = [&](Launch l) { return best_ns([&] { kernel<<<l.blocks, l.threads, bytes>>>(memory, l.n); }); };
  double ns = time(more) - time(few);
  say_launches(name, ns * khz / 1e6 / of, unit, how, entry, few, entry, more, of);
}

static void measure_blocks() {
  for (int threads : {32, 256, 512, 1024})
    say_difference("grid_interval." + std::to_string(threads), "nothing", nothing, {8448, threads, 0}, {1 << 20, threads, 0}, (1 << 20) - 8448, "cycles/block",
                   "blocks that do nothing, all multiprocessors together");
}

// Beside so much shared memory (replay.py has as much) no other block is resident.
static void measure_drains() {
  const int bytes = 200 << 10, few = 16, more = 272;
  const struct {
    const char *name, *entry, *how;
    Kernel kernel;
  } endings[] = {
#define END(name, ending, how) {#name, "drain_" #name, how, drain_##name},
      ENDINGS
#undef END
  };
  for (auto &e : endings)
    for (int threads : {32, 256}) {
      CHECK_RT(cudaFuncSetAttribute(e.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
      say_difference(std::string("drain.") + e.name + "." + std::to_string(threads), e.entry, e.kernel, {sms * few, threads, 0}, {sms * more, threads, 0}, more - few,
                     "cycles/block of an SM", (std::string("one is resident, and ends with this in each warp: ") + e.how).c_str(), bytes);
    }
}

static void measure_stores() {
  const int few = 64, more = 1088, threads = 256; // 8 warps: each store of a block is as many of warps
  const double of = (more - few) * 8.0;
  say_difference("store_part.sectors", "store_sectors", store_sectors, {sms, threads, few}, {sms, threads, more}, of, "cycles/store of a warp/SM", "a word of each of 32 sectors of 8 lines, all multiprocessors");
  say_difference("store_part.pairs", "store_pairs", store_pairs, {sms, threads, few}, {sms, threads, more}, of, "cycles/store of a warp/SM", "a word of each of 32 sectors of 16 lines, all multiprocessors");
  say_difference("store_part.lines", "store_lines", store_lines, {sms, threads, few}, {sms, threads, more}, of, "cycles/store of a warp/SM", "a word of each of 32 lines, all multiprocessors");
  const struct {
    int lines;
    const char *entry;
    Kernel kernel;
  } turns[] = {
#define TURNS(lines) {lines, "store_turns_" #lines, store_turns_##lines},
      TURNS(4) TURNS(8) TURNS(12) TURNS(16) TURNS(20) TURNS(24) TURNS(28) TURNS(32)
#undef TURNS
  };
  for (auto &t : turns)
    say_difference("store_turns." + std::to_string(t.lines), t.entry, t.kernel, {sms, 128, 1}, {sms, 128, 65}, 64.0 * SECTOR_WORDS * t.lines, "cycles/store of a warp/SM",
                   "words of the sectors of so many lines, in turns");
}

static void measure_stores_beside() {
  const struct {
    const char *name, *entry, *how;
    Kernel kernel;
  } besides[] = {
#define BESIDE(name, beside, how) {#name, "store_beside_" #name, how, store_beside_##name},
      BESIDES
#undef BESIDE
  };
  const int few = 64, more = 1088;
  for (auto &b : besides)
    for (int warps : {8, 16})
      say_difference(std::string("store_beside.") + b.name + "." + std::to_string(warps), b.entry, b.kernel, {1, 32 * warps, few}, {1, 32 * warps, more}, (more - few) * (double)warps,
                     "cycles/store of a warp", (std::string("a word of each of 32 lines, so many warps of one SM; beside it ") + b.how).c_str());
}

// What the second-level cache has of it the next time: of 4,224 rows, 17 or 277 MB.
static void measure_passes() {
  const int few = 1, more = 5, resident = 32;
  say_difference("pass.4", "pass_4", pass_4, {sms * resident, 32, few * 16}, {sms * resident, 32, more * 16}, (more - few) * 16 * 4.0, "cycles/KiB of a warp", "a warp passes over a row of 4 KiB, 32 warps of each SM");
  say_difference("pass.64", "pass_64", pass_64, {sms * resident, 32, few}, {sms * resident, 32, more}, (more - few) * 64.0, "cycles/KiB of a warp", "the same of 64 KiB, which the second-level cache does not hold");
}

// Where the blocks of a multiprocessor keep its pipe of shared memory busy, or only its unit of barriers.
static void measure_barriers() {
  const struct {
    const char *name, *entry;
    Kernel kernel;
  } meetings[] = {
#define MEET(name, access, count) {#name, "meet_" #name, meet_##name},
      MEETINGS
#undef MEET
  };
  const int few = 64, more = 1088;
  for (auto &m : meetings)
    for (auto [warps, blocks] : {std::pair{1, 16}, {2, 16}, {4, 8}, {8, 1}, {8, 8}, {32, 2}})
      say_difference(std::string("meet.") + m.name + "." + std::to_string(warps) + "." + std::to_string(blocks), m.entry, m.kernel, {sms * blocks, 32 * warps, few},
                     {sms * blocks, 32 * warps, more}, more - few, "cycles/round of an SM", "accesses of shared memory by so many warps, and a barrier, in so many blocks of each SM");
}

// By few multiprocessors: what each has asked for, by Little's law.
static void measure_open() {
  for (int blocks : {1, 2, 4}) {
    const int few = 16, more = 80, threads = 1024;
    auto time = [&](int n) {
      double best = 1e30;
      for (int turn = 0; turn < 4; turn++) {
        CHECK_RT(cudaMemset((char *)memory + memory_bytes / 2, turn, (size_t)256 << 20));
        best = std::min(best, best_ns([&] { load_dram<<<blocks, threads>>>((uint4 *)memory, n); }, 1));
      }
      return best;
    };
    double bytes = (more - few) * 8.0 * 16 * threads;
    say("dram_alone." + std::to_string(blocks), bytes / ((time(more) - time(few)) * khz / 1e6), "bytes/cycle/SM", "so many SMs load what only DRAM has, a block of 1024 threads each");
  }
}

// The largest set of which all is found again, in steps of 4 KiB.
static void measure_l1() {
  std::vector<unsigned long long> order((256 << 10) / 8);
  auto time = [&](int kib) {
    unsigned long long *at = (unsigned long long *)memory + 16, got[2];
    size_t n = (kib << 10) / 128;
    for (size_t k = 0; k < n; k++) order[k * 16] = (unsigned long long)at + (k + 1) % n * 128;
    CHECK_RT(cudaMemcpy(at, order.data(), (size_t)kib << 10, cudaMemcpyHostToDevice));
    chase<<<1, 1>>>((unsigned long long *)memory, at, (int)n, 4);
    CHECK_RT(cudaMemcpy(got, memory, 16, cudaMemcpyDeviceToHost));
    return (double)got[0] / n;
  };
  auto most = [&](int carveout) {
    CHECK_RT(cudaFuncSetAttribute(chase, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    double near = time(4);
    int kib = 4;
    while (kib < 256 && time(kib + 4) < 1.2 * near) kib += 4;
    return kib;
  };
  say("l1_kib.no_shared", most(0), "KiB", "the largest set of lines that are found again in L1, as little shared memory as can be");
  say("l1_kib.most_shared", most(100), "KiB", "the same, as much shared memory as can be");
  int bytes;
  CHECK_RT(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  say("device.shared-bytes", bytes, "bytes", "of a multiprocessor, by the runtime");
}

// Memory of the host that kernels use in place.
static void measure_host() {
  const size_t bytes = (size_t)512 << 20;
  const int threads = 1024, n = 16;
  unsigned *host;
  CHECK_RT(cudaHostAlloc(&host, bytes, cudaHostAllocMapped));
  memset(host, 0, bytes);
  const struct {
    int width, step; // words
    const char *how;
  } parts[] = {{32, 32, "all of each line"}, {16, 32, "the first half of each line"}, {8, 16, "every other sector"}, {8, 32, "a sector of each line"}, {1, 8, "a word of each sector"}, {1, 32, "a word of each line"}};
  const double requests = (double)sms * threads * n;
  for (auto &p : parts) {
    double loads = best_ns([&] { load_parts<<<sms, threads>>>(host, memory, n, p.width, p.step); }) -
                   best_ns([&] { load_parts<<<sms, threads>>>(host, memory, n / 4, p.width, p.step); });
    double stores = best_ns([&] { store_some<<<sms, threads>>>(host, n, p.width, p.step); }) -
                    best_ns([&] { store_some<<<sms, threads>>>(host, n / 4, p.width, p.step); });
    std::string of = std::to_string(p.width) + "." + std::to_string(p.step);
    double lines = requests * 3 / 4 / p.width * std::min(p.step, 32) / 32;
    say("host_load." + of, loads / lines, "ns/line", (std::string("memory of the host in place: ") + p.how).c_str());
    say("host_store." + of, stores / lines, "ns/line", (std::string("memory of the host in place: ") + p.how).c_str());
  }
  const int lines = 64;
  for (int k = 0; k < lines; k++) *(unsigned long long *)(host + k * 1024) = (unsigned long long)(host + (k + 1) % lines * 1024);
  for (int turns : {1, 2}) {
    double best = 1e30;
    for (int again = 0; again < 4; again++) {
      unsigned long long got[2];
      chase<<<1, 1>>>((unsigned long long *)memory, (unsigned long long *)host, lines, turns);
      CHECK_RT(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
      best = std::min(best, (double)got[0] / lines);
    }
    say("host_latency." + std::to_string(turns), best * 1e6 / khz, "ns", turns == 1 ? "memory of the host in place, 64 places 4 KiB apart, cached in L1" : "the same, the second time");
  }
  CHECK_RT(cudaFreeHost(host));
}

// Pairs of pieces of 512 bytes at random: how long those take whose words are in one slice, and the others.
static void measure_slices() {
  const int pairs = 16384, n = 64, piece = 128;
  const unsigned pieces = (unsigned)(((size_t)256 << 20) / 512);
  std::mt19937 random(1);
  auto time = [&](unsigned a, unsigned b) { return best_ns([&] { change_two<<<sms, 1024>>>(memory, a * piece, b * piece, n); }, 2); };
  for (int i = 0; i < 64; i++) time(0, 1);
  std::vector<double> all;
  for (int i = 0; i < pairs; i++) {
    unsigned a = random() % pieces, b = random() % pieces;
    all.push_back(time(a, b));
  }
  std::sort(all.begin(), all.end());
  say("slice_pair.one", time(5, 5), "ns", "all warps change one word, 64 times");
  for (int part : {10, 500, 900, 950, 960, 970, 980, 985, 990, 995, 999}) say("slice_pair.permille" + std::to_string(part), all[pairs * part / 1000], "ns", "the same, two words that are somewhere: of 16,384 pairs");
}

struct Code {
  int kib;
  Kernel kernel;
};
// Clocks of each step, averaged over the blocks. Code comes from DRAM the first time.
static std::vector<double> steps_of(const Code &code, int blocks, int n, Kernel other) {
  const int steps = code.kib / CODE_STEP * n;
  std::vector<unsigned> got(blocks * 256);
  std::vector<double> sum(steps, 1e30);
  for (int turn = 0; turn < 3; turn++) {
    other<<<sms, 32>>>(memory, 1); // other code is where this was, and other memory
    CHECK_RT(cudaMemset((char *)memory + memory_bytes / 2, turn, (size_t)512 << 20));
    code.kernel<<<blocks, 32>>>(memory, n);
    CHECK_RT(cudaMemcpy(got.data(), memory, got.size() * 4, cudaMemcpyDeviceToHost));
    for (int s = 0; s < steps; s++) {
      double mean = 0;
      for (int b = 0; b < blocks; b++) mean += (double)(unsigned)(got[b * 256 + s + 1] - got[b * 256 + s]) / blocks;
      sum[s] = std::min(sum[s], mean);
    }
  }
  return sum;
}
static void measure_code_loop() {
  const int few = 2, more = 10;
  const double lines = 48 * 1024.0 / CODE_LINE_BYTES;
  for (int warps : {1, 4, 8, 16, 32})
    say_difference("code_loop." + std::to_string(warps), "code_48", code_48, {sms, 32 * warps, few}, {sms, 32 * warps, more}, (more - few) * lines, "cycles/line",
                   "a loop of 48 KiB of code, so many warps of each SM");
}
static void measure_code() {
  static const Code codes[] = {{16, code_16}, {32, code_32}, {48, code_48}, {64, code_64}, {96, code_96}, {112, code_112}, {128, code_128}, {144, code_144}, {192, code_192}, {256, code_256}};
  const double lines = CODE_STEP * 1024.0 / CODE_LINE_BYTES;
  for (int blocks : {1, sms})
    for (const Code &code : codes) {
      std::vector<double> steps = steps_of(code, blocks, 3, code.kib == 256 ? code_192 : code_256);
      const int each = code.kib / CODE_STEP, near = 64 / CODE_STEP;
      double first = 0, again = 0;
      for (int s = near; s < each; s++) first += steps[s] / lines / (each - near);
      for (int s = 0; s < each; s++) again += steps[each + s] / lines / each;
      std::string name = std::string(blocks == 1 ? "code_alone." : "code.") + std::to_string(code.kib);
      for (int s = 0; s < 3 * each; s++)
        say(name + ".turn" + std::to_string(s / each + 1) + "." + std::to_string(s % each * CODE_STEP), steps[s] / lines, "cycles/line",
            "16 KiB of code from there on, a warp, which time");
      if (blocks == 1 || code.kib != 192) continue;
      say_launches("code_first", first, "cycles/line", "what is not in the first 64 KiB, the first time, a warp on each SM", "code_64", {blocks, 32, 1}, "code_192", {blocks, 32, 1}, lines * (each - near));
      say_launches("code_again", again, "cycles/line", "the second time, where more came in between than stays", "code_192", {blocks, 32, 1}, "code_192", {blocks, 32, 2}, lines * each);
    }
}

int main(int count, char **words) {
  CHECK_RT(cudaMalloc(&memory, memory_bytes));
  CHECK_RT(cudaMemset(memory, 0, memory_bytes));
  CHECK_RT(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK_RT(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  if (count > 1 && !strcmp(words[1], "--nothing")) {
    for (int i = 0; i < 3; i++) nothing<<<1, 32>>>(memory, 0);
    CHECK_RT(cudaDeviceSynchronize());
    return 0;
  }
  measure_blocks();
  measure_drains();
  measure_stores();
  measure_stores_beside();
  measure_passes();
  measure_barriers();
  measure_open();
  measure_l1();
  measure_slices();
  measure_host();
  measure_code_loop();
  measure_code();
  return 0;
}
