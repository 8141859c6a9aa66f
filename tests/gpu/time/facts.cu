// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measures what the clock's model needs to know of a device: how often a pipe takes an instruction, how long a result takes,
// how many instructions wait in a queue, what barriers, blocks, caches and memory cost. Cycles are those of clock64() on one SM.
//
//   facts [--part PART] [--only NAME] [--cubins FOLDER]    writes lines 'name value unit how'
//   facts --ptx FOLDER                                     writes what it would compile; needs no device
//
// Instructions come from instructions.def: PTX that the driver compiles. A text stands 12 times in the loop of one kernel and
// 28 times in that of another, for each of 4 chains (or of one, for latency); the difference of their times has neither loop nor start.
#include <algorithm>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

#include "facts.h"

enum Start { NUMBER, UNIFORM, ZERO, SHARED, GLOBAL };
struct Instruction {
  const char *name, *opcode;
  int many;
  Start start;
  int step;
  const char *text;
};
static const Instruction instructions[] = {
#define INSTRUCTION(name, opcode, many, start, step, text) {name, opcode, many, start, step, text},
#include "instructions.def"
#undef INSTRUCTION
};

static const int iterations = 64, shared_bytes = 40960, global_bytes = 65536;

static std::string guarded(std::string text) {
  std::replace(text.begin(), text.end(), '~', '@');
  return text;
}

// The loop of one kernel: TEXT copies times for each of chains.
static std::string loop_of(const std::string &text, int copies, int chains) {
  std::string body;
  int place = 0;
  for (int copy = 0; copy < copies; copy++)
    for (int chain = 0; chain < chains; chain++) body += "  " + guarded(with(with(text, '@', chain), '#', place++ * 512)) + "\n";
  return body;
}

static std::string head_of(const char *target) {
  std::string constants;
  return std::string(".version 9.0\n.target ") + target + "\n.address_size 64\n.const .align 16 .b8 numbers[4096];\n";
}

// A kernel: start values, a barrier, the loop, its time, and the sum of all chains, so that all of them are needed.
static std::string kernel_of(const char *name, const Instruction &i, const std::string &before, const std::string &body,
                             const std::string &after, int chains) {
  std::string k = std::string(".visible .entry ") + name +
                  "(.param .u64 out, .param .u64 global, .param .u32 n, .param .u32 y, .param .u32 z, .param .u64 yd, .param .u64 zd, .param .u32 skip)\n.maxntid 512\n{\n"
                  "  .reg .b32 %r<200>, %q<200>, %y, %z, %n, %lane, %s, %t, %u, %sum, %at, %zero, %uy, %uz;\n"
                  "  .reg .b64 %d<64>, %g, %yd, %zd, %t0, %t1, %out, %w, %zw, %base;\n  .reg .pred %p<64>, %on, %off, %away, %again, %x;\n";
  for (int c = 0; c < chains; c++)
    k += with("  .reg .b32 %c@_0, %c@_1, %c@_2, %c@_3; .reg .b64 %e@_0, %e@_1, %e@_2, %e@_3;\n", '@', c);
  k += "  .shared .align 128 .b8 memory[" + std::to_string(shared_bytes) +
       "];\n"
       "  ld.param.u64 %out, [out]; ld.param.u64 %base, [global]; ld.param.u32 %n, [n]; ld.param.u32 %y, [y]; ld.param.u32 %z, [z];\n"
       "  ld.param.u64 %yd, [yd]; ld.param.u64 %zd, [zd]; mov.u32 %t, %tid.x; and.b32 %lane, %t, 31;\n"
       "  not.b32 %u, %lane; setp.gt.s32 %on, %n, %u; setp.lt.s32 %off, %n, %u; setp.eq.s32 %away, %n, %u;\n"
       // Zero, which the compiler takes for another number in each lane: without it, equal lanes would go to the uniform datapath.
       "  selp.b32 %zero, %lane, 0, %off; cvt.u64.u32 %w, %zero; mov.u64 %zw, %w; add.s64 %yd, %yd, %w; add.s64 %zd, %zd, %w;\n"
       "  mov.u32 %s, memory; mov.u32 %uy, %y; mov.u32 %uz, %z; add.u32 %y, %y, %zero; add.u32 %z, %z, %zero;\n  shl.b32 %at, %t, 2; \n";
  // Each word of shared memory holds its own address, or that of the first word, if all lanes ask for it.
  k += "FILL:\n  add.u32 %u, %s, %at;\n";
  k += i.step || i.start != SHARED ? "  st.shared.u32 [%u], %u;\n" : "  st.shared.u32 [%u], %s;\n";
  k += "  mov.u32 %u, %ntid.x; shl.b32 %u, %u, 2; add.u32 %at, %at, %u; setp.lt.u32 %again, %at, " + std::to_string(shared_bytes) +
       ";\n  @%again bra FILL;\n"
       "  mul.lo.u32 %u, %lane, " + std::to_string(i.step) + "; add.u32 %u, %u, %zero; cvt.u64.u32 %w, %u; add.u64 %g, %base, %w;\n" +
       "  mul.lo.u32 %u, %lane, " + std::to_string(i.start == GLOBAL ? std::min(i.step, 16) : i.step) + "; add.u32 %u, %u, %zero; add.u32 %s, %s, %u;\n";
  for (int c = 0; c < chains; c++) {
    std::string start = i.start == NUMBER    ? "add.u32 %r@, %y, " + std::to_string(c) + ";"
                        : i.start == UNIFORM ? "add.u32 %r@, %uy, " + std::to_string(c) + ";"
                        : i.start == ZERO    ? "mov.u32 %r@, %zero;"
                                             : "mov.u32 %r@, %s;";
    start += i.start == GLOBAL ? " mov.u64 %d@, %g;" : " add.u64 %d@, %yd, %w;";
    k += with("  " + start + " mov.u32 %q@, %y; setp.lt.s32 %p@, %y, 0; mov.u32 %c@_0, %y; mov.u32 %c@_1, %y; mov.u32 %c@_2, %z; mov.u32 %c@_3, %z;"
              " mov.u64 %e@_0, %yd; mov.u64 %e@_1, %yd; mov.u64 %e@_2, %zd; mov.u64 %e@_3, %zd;\n", '@', c);
  }
  k += "  bar.sync 0;\n"
       // Warps whose number has one of these bits leave: what is left is on one sub-partition, or two.
       "  ld.param.u32 %u, [skip]; shr.u32 %at, %t, 5; and.b32 %u, %u, %at; setp.ne.u32 %x, %u, 0;\n  @%x ret;\n  mov.u64 %t0, %clock64;\n" + before + "LOOP:\n  .pragma \"nounroll\";\n" +
       (strchr(i.text, '#') ? "  add.u64 %g, %g, %zw; add.u32 %s, %s, %zero;\n" : "") + body +
       "  sub.u32 %n, %n, 1; setp.gt.s32 %again, %n, 0;\n  @%again bra LOOP;\n" + after + "  mov.u32 %sum, 0;\n";
  for (int c = 0; c < chains; c++)
    k += with("  xor.b32 %sum, %sum, %r@; xor.b32 %sum, %sum, %q@; mov.b64 {%u, %at}, %d@; xor.b32 %sum, %sum, %u; xor.b32 %sum, %sum, %at; selp.b32 %u, 1, 0, %p@; xor.b32 %sum, %sum, %u;\n"
              "  xor.b32 %sum, %sum, %c@_0; xor.b32 %sum, %sum, %c@_1; xor.b32 %sum, %sum, %c@_2; xor.b32 %sum, %sum, %c@_3;"
              " cvt.u32.u64 %u, %e@_0; xor.b32 %sum, %sum, %u; cvt.u32.u64 %u, %e@_1; xor.b32 %sum, %sum, %u; cvt.u32.u64 %u, %e@_2; xor.b32 %sum, %sum, %u;\n", '@', c);
  k += "  mov.u64 %t1, %clock64;\n"
       "  mul.wide.u32 %w, %t, 24; add.u64 %out, %out, %w; st.global.u64 [%out], %t0; st.global.u64 [%out+8], %t1; st.global.u32 [%out+16], %sum;\n"
       "  ret;\n}\n";
  return k;
}

struct Stamps {
  unsigned long long from, to, sum;
};

static CUdeviceptr out_memory, global_memory;

// What the memory of GLOBAL rows holds: its own addresses, or the first, if all lanes ask for it.
static void fill_global(const Instruction &i) {
  static std::vector<unsigned long long> words(global_bytes / 8);
  for (size_t w = 0; w < words.size(); w++) words[w] = i.step ? global_memory + 8 * w : global_memory;
  CHECK(cuMemcpyHtoD(global_memory, words.data(), global_bytes));
}

// Cycles from the first warp's start to the last one's end; for each warp, if wanted.
static double run(CUfunction function, const Instruction &i, int threads, int n, unsigned skip = 0) {
  float y = 1.0001f, z = 1e-3f;
  double yd = 1.0001, zd = 1e-3;
  void *arguments[] = {&out_memory, &global_memory, &n, &y, &z, &yd, &zd, &skip};
  double best = 1e30;
  for (int turn = 0; turn < 4; turn++) {
    if (i.start == GLOBAL) fill_global(i);
    CHECK(cuMemsetD8(out_memory, 0, threads * sizeof(Stamps)));
    CHECK(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuCtxSynchronize());
    static std::vector<Stamps> stamps;
    stamps.resize(threads);
    CHECK(cuMemcpyDtoH(stamps.data(), out_memory, threads * sizeof(Stamps)));
    unsigned long long from = ~0ull, to = 0;
    for (const Stamps &s : stamps)
      if (s.to) from = std::min(from, s.from), to = std::max(to, s.to);
    if (turn) best = std::min(best, (double)(to - from));
  }
  return best;
}

static void measure_instruction(const Instruction &i, const char *target, void (*edit)(char *, size_t) = nullptr) {
  std::string ptx = head_of(target);
  std::string wait = strstr(i.text, "cp.async") ? "  cp.async.wait_all;\n" : "";
  // The places of '#' are all different, so that no two accesses become one.
  const int few = strchr(i.text, '#') ? 4 : 12, more = strchr(i.text, '#') ? 12 : 28;
  const char *kernels[] = {"rate_few", "rate_more", "chain_few", "chain_more"};
  for (int k = 0; k < 4; k++) {
    int chains = k < 2 ? 4 : 1;
    ptx += kernel_of(kernels[k], i, "", loop_of(i.text, (k % 2 ? more : few) * (k < 2 ? 1 : 4), chains), wait, chains);
  }
  CUmodule module = module_of(ptx, i.name, edit);
  if (!module) return;
  CUfunction f[4];
  for (int k = 0; k < 4; k++) CHECK(cuModuleGetFunction(&f[k], module, kernels[k]));
  const double texts = (more - few) * 4.0 * iterations;
  double one = run(f[1], i, 32, iterations) - run(f[0], i, 32, iterations);
  double all = run(f[1], i, 512, iterations) - run(f[0], i, 512, iterations);
  double sub = run(f[1], i, 512, iterations, 3) - run(f[0], i, 512, iterations, 3);
  double chain = run(f[3], i, 32, iterations) - run(f[2], i, 32, iterations);
  say(std::string("interval.") + i.name, all / texts / 4, "cycles/text/subpartition", "16 warps, 4 chains");
  say(std::string("one_sub.") + i.name, sub / texts / 4, "cycles/text", "4 warps of one sub-partition alone, 4 chains");
  say(std::string("one_warp.") + i.name, one / texts, "cycles/text", "1 warp, 4 chains");
  say(std::string("latency.") + i.name, chain / texts, "cycles/text", "1 warp, 1 chain");
  CHECK(cuModuleUnload(module));
}

static void measure_instructions(const char *target, const char *only) {
  for (const Instruction &i : instructions)
    if (!only || strstr(i.name, only)) measure_instruction(i, target);
}

// Each FFMA reads these registers, and keeps none for the next one.
template <int A, int B, int C> static void read_registers(char *cubin, size_t bytes) {
  edit_instructions(cubin, bytes, [](Encoded &e, unsigned opcode, unsigned guard) {
    if (opcode != OPCODE_FFMA || guard != GUARD_NONE) return;
    e.low = (e.low & ~0xffff000000ull) | (unsigned long long)A << 24 | (unsigned long long)B << 32;
    e.high = (e.high & ~(0xfull << REUSE_BIT | 0xff)) | C;
  });
}

// Each IADD3 that has a guard and adds a constant becomes a VIADD, whose second word has nothing but control bits.
static void add_by_viadd(char *cubin, size_t bytes) {
  edit_instructions(cubin, bytes, [](Encoded &e, unsigned opcode, unsigned guard) {
    if (opcode != 0x810 || guard == 7) return;
    e.low = (e.low & ~0xfffull) | 0x836;
    e.high = e.high >> CONTROL_BIT << CONTROL_BIT;
  });
}

static void measure_edited(const char *target) {
  const char *text = "fma.rn.f32 %r@, %r@, %y, %z;";
  measure_instruction({"banks_two", "FFMA", 1, NUMBER, 0, text}, target, read_registers<4, 6, 5>);
  measure_instruction({"banks_three", "FFMA", 1, NUMBER, 0, text}, target, read_registers<4, 6, 8>);
  measure_instruction({"banks_one", "FFMA", 1, NUMBER, 0, text}, target, read_registers<4, 4, 4>);
  measure_instruction({"banks_again", "FFMA", 1, NUMBER, 0, text}, target, read_registers<4, 6, 4>);
  measure_instruction({"viadd", "VIADD", 2, NUMBER, 0, "~%on add.s32 %r@, %r@, 3; ~%off add.s32 %r@, %r@, 5;"}, target, add_by_viadd);
  measure_instruction({"mix_viadd_imad", "VIADD", 1, NUMBER, 0, "~%on add.s32 %r@, %r@, 3; mad.lo.s32 %q@, %q@, %y, %z;"}, target, add_by_viadd);
}

// How many instructions a warp issues before the queue is full: the cycles until K of them are issued.
static void measure_queues(const char *target) {
  static const Instruction kinds[] = {
      {"lds_32way", "LDS", 1, SHARED, 128, "ld.volatile.shared.u32 %r@, [%s+#];"},
      {"lds_8way", "LDS", 1, SHARED, 32, "ld.volatile.shared.u32 %r@, [%s+#];"},
      {"lds_128", "LDS", 1, SHARED, 16, "ld.volatile.shared.v4.u32 {%r@,%q@,%c@_0,%c@_1}, [%s+#];"},
      {"sts_32way", "STS", 1, SHARED, 128, "st.volatile.shared.u32 [%s+#], %y;"},
      {"atoms_32way", "ATOMS", 1, SHARED, 128, "atom.shared.exch.b32 %r@, [%s+#], %y;"},
      {"mufu", "MUFU", 1, NUMBER, 0, "ex2.approx.ftz.f32 %r@, %r@;"},
      {"popc", "POPC", 1, NUMBER, 0, "popc.b32 %r@, %r@;"},
      {"shfl", "SHFL", 1, NUMBER, 0, "shfl.sync.bfly.b32 %r@, %r@, 1, 31, -1;"},
      {"ldg_128b", "LDG", 1, GLOBAL, 128, "ld.volatile.global.u32 %r@, [%g+#];"},
      {"dfma", "DFMA", 1, NUMBER, 0, "fma.rn.f64 %d@, %d@, %yd, %zd;"},
  };
  static const int deepest = 28;
  for (const Instruction &i : kinds) {
    std::string ptx = head_of(target);
    for (int k = 1; k <= deepest; k++) {
      std::string name = "queue_" + std::to_string(k), text;
      for (int c = 0; c < k; c++) text += "  " + with(with(i.text, '@', c), '#', c * 512) + "\n";
      // The clock is read after the last is issued; the end of the kernel waits for the results.
      ptx += kernel_of(name.c_str(), i, "", "  mov.u64 %t0, %clock64;\n" + text + "  mov.u64 %base, %clock64;\n", "", k);
      ptx.replace(ptx.rfind("[%out+8], %t1"), 13, "[%out+8], %base");
    }
    CUmodule module = module_of(ptx, std::string("queue_") + i.name);
    if (!module) continue;
    // A warp, one of each sub-partition, four of each; four of one sub-partition, four of two.
    const struct {
      const char *name;
      int threads;
      unsigned skip;
    } launches[] = {{"1", 32, 0}, {"4", 128, 0}, {"16", 512, 0}, {"one_sub", 512, 3}, {"two_subs", 512, 2}};
    for (auto &l : launches) {
      printf("queue.%s.%s ", i.name, l.name);
      for (int k = 1; k <= deepest; k++) {
        CUfunction f;
        CHECK(cuModuleGetFunction(&f, module, ("queue_" + std::to_string(k)).c_str()));
        run(f, i, l.threads, 1, l.skip);
        std::vector<Stamps> stamps(l.threads);
        CHECK(cuMemcpyDtoH(stamps.data(), out_memory, l.threads * sizeof(Stamps)));
        unsigned long long least = ~0ull;
        for (const Stamps &s : stamps)
          if (s.to) least = std::min(least, s.to - s.from);
        printf(" %llu", least);
      }
      printf("\n");
    }
    CHECK(cuModuleUnload(module));
  }
}

// A barrier of all warps, over and over.
static void measure_barriers(const char *target) {
  static const Instruction bar = {"bar", "BAR", 1, NUMBER, 0, "bar.sync 0;"};
  std::string ptx = head_of(target);
  ptx += kernel_of("few", bar, "", loop_of(bar.text, 8, 1), "", 1) + kernel_of("more", bar, "", loop_of(bar.text, 24, 1), "", 1);
  CUmodule module = module_of(ptx, "barrier");
  CUfunction a, b;
  CHECK(cuModuleGetFunction(&a, module, "few"));
  CHECK(cuModuleGetFunction(&b, module, "more"));
  for (int warps : {1, 2, 3, 4, 6, 8, 12, 16})
    say("barrier." + std::to_string(warps), (run(b, bar, warps * 32, iterations) - run(a, bar, warps * 32, iterations)) / (16.0 * iterations), "cycles/barrier", "all warps of a block, nothing between");
  CHECK(cuModuleUnload(module));
}

// ---- caches and memory

// Each thread follows pointers.
__global__ void chase(unsigned long long *out, const unsigned long long *at, int n) {
  unsigned long long p = (unsigned long long)at, from = clock64();
  for (int i = 0; i < n; i++) p = *(volatile unsigned long long *)p;
  unsigned long long to = clock64();
  out[0] = to - from, out[1] = p;
}

// As above, cached in L1.
__global__ void chase_l1(unsigned long long *out, const unsigned long long *at, int n, int turns) {
  unsigned long long p = (unsigned long long)at, from = 0;
  for (int t = 0; t < turns; t++) {
    from = clock64();
    for (int i = 0; i < n; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
  }
  unsigned long long to = clock64();
  out[0] = to - from, out[1] = p;
}

enum Way { READ, WRITE, COPY };
// All threads of all blocks go through memory, 16 bytes each at a time, four in flight; turns times through the same part.
// Each block has a part of its own, SPAN after the one before.
template <Way WAY> __global__ void stream(uint4 *to, const uint4 *from, size_t each, size_t span, int turns, unsigned long long *cycles, unsigned zero) {
  const uint4 *f = from + blockIdx.x * span;
  uint4 *t = to + blockIdx.x * each, sum = {0, 0, 0, 0};
  __syncthreads();
  unsigned long long begin = clock64();
  for (int turn = 0; turn < turns; turn++, f += zero)
    for (size_t i = threadIdx.x; i < each; i += 4 * blockDim.x) {
      uint4 v[4] = {};
      if (WAY != WRITE)
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = __ldcg(f + i + k * blockDim.x);
#pragma unroll
      for (int k = 0; k < 4; k++)
        if (WAY == READ) sum.x ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        else t[i + k * blockDim.x] = v[k];
    }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
  if (sum.x == 0x12345678) to[0] = sum;
}

// How many times 16 bytes of L2 an SM reads, so that all of them together take 32 MiB, or less.
static size_t l2_part(int sms) {
  return ((size_t)32 << 20) / 16 / sms / 8192 * 8192;
}

// Streams by a part of the SMs, a few warps each: what a byte costs, and how long a load takes then.
static void measure_streams(int sms) {
  size_t total = (size_t)3 << 30;
  uint4 *a, *b;
  unsigned long long *cycles;
  CHECK_RT(cudaMalloc(&a, total));
  CHECK_RT(cudaMalloc(&b, total));
  CHECK_RT(cudaMalloc(&cycles, 4096 * 8));
  CHECK_RT(cudaMemset(a, 0, total));
  CHECK_RT(cudaMemset(b, 0, total));
  cudaEvent_t e0, e1;
  CHECK_RT(cudaEventCreate(&e0));
  CHECK_RT(cudaEventCreate(&e1));
  auto time = [&](Way way, int blocks, int threads, size_t each, size_t span, int turns, double *per_sm, double *milliseconds) {
    double best = 1e30, best_ms = 1e30;
    for (int turn = 0; turn < 4; turn++) {
      CHECK_RT(cudaEventRecord(e0));
      if (way == READ) stream<READ><<<blocks, threads>>>(b, a, each, span, turns, cycles, 0);
      if (way == WRITE) stream<WRITE><<<blocks, threads>>>(b, a, each, span, turns, cycles, 0);
      if (way == COPY) stream<COPY><<<blocks, threads>>>(b, a, each, span, turns, cycles, 0);
      CHECK_RT(cudaEventRecord(e1));
      CHECK_RT(cudaEventSynchronize(e1));
      float ms;
      CHECK_RT(cudaEventElapsedTime(&ms, e0, e1));
      std::vector<unsigned long long> c(blocks);
      CHECK_RT(cudaMemcpy(c.data(), cycles, blocks * 8, cudaMemcpyDeviceToHost));
      double mean = 0;
      for (auto x : c) mean += (double)x / blocks;
      if (turn) best = std::min(best, mean), best_ms = std::min(best_ms, (double)ms);
    }
    *per_sm = best, *milliseconds = best_ms;
  };
  double per, ms;
  // DRAM: 2 GiB, 2 blocks of 1024 threads an SM.
  for (Way way : {READ, WRITE, COPY}) {
    size_t each = ((size_t)2 << 30) / 16 / (sms * 2) / 4096 * 4096;
    time(way, sms * 2, 1024, each, each, 1, &per, &ms);
    double bytes = (double)each * 16 * sms * 2 * (way == COPY ? 2 : 1);
    const char *names[] = {"read", "write", "copy"};
    say(std::string("dram_tb_s.") + names[way], bytes / ms / 1e9, "TB/s", "2 GiB, 2 blocks of 1024 threads an SM, by events");
    say(std::string("dram_bytes.") + names[way], bytes / sms / per, "bytes/cycle/SM", "the same, by clock64");
  }
  // L2: all SMs go through the same 4, 16 or 32 MiB, each from a place of its own.
  for (int mib : {4, 16, 32})
    for (int used : {1, 2, 4, 8, 16, 33, 66, 100, sms}) {
      size_t whole = ((size_t)mib << 20) / 16;
      time(READ, used, 1024, whole, whole / sms / 8 * 8, 1, &per, &ms);
      say("l2_read_" + std::to_string(mib) + "mib." + std::to_string(used), (double)whole * 16 / per, "bytes/cycle/SM", "hits, that many SMs, a block of 1024 threads each, ld.cg");
    }
  for (int used : {1, 16, 66, sms}) {
    size_t each = l2_part(sms) / 2;
    time(WRITE, used, 1024, each, each, 16, &per, &ms);
    say("l2_write." + std::to_string(used), (double)each * 16 * 16 / per, "bytes/cycle/SM", "that many SMs");
    time(COPY, used, 1024, each, each, 16, &per, &ms);
    say("l2_copy." + std::to_string(used), 2.0 * each * 16 * 16 / per, "bytes/cycle/SM", "that many SMs, both ways");
  }
  // Latency against load: all SMs, few warps. By Little's law: the bytes in flight over the bytes a cycle.
  for (bool dram : {false, true})
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
      size_t each = (dram ? (size_t)1 << 30 : (size_t)32 << 20) / 16 / sms / 4096 * 4096;
      time(READ, sms, threads, each, each, dram ? 1 : 8, &per, &ms);
      double rate = (double)each * 16 * (dram ? 1 : 8) / per;
      std::string name = std::string(dram ? "dram" : "l2") + "_load." + std::to_string(threads / 32);
      say(name, rate, "bytes/cycle/SM", "that many warps an SM, 4 loads of 16 bytes a lane in flight");
      say(name + ".cycles", threads * 64.0 / rate, "cycles", "the same: bytes in flight / rate");
    }
  CHECK_RT(cudaFree(a));
  CHECK_RT(cudaFree(b));
  CHECK_RT(cudaFree(cycles));
}

static void measure_latencies() {
  unsigned long long *out, *memory, got[2];
  size_t most = (size_t)1 << 30;
  CHECK_RT(cudaMalloc(&out, 64));
  CHECK_RT(cudaMalloc(&memory, most));
  std::vector<unsigned long long> words(most / 8);
  // A ring through SIZE bytes in steps that no prefetcher guesses (a full cycle of lines by a linear congruence).
  auto ring = [&](size_t size, size_t step) {
    size_t n = size / step;
    size_t at = 0;
    for (size_t k = 0; k < n; k++) {
      size_t next = n > 4 ? (at * 5 + 3) % n : (at + 1) % n; // n is a power of two: a full period by Hull and Dobell
      words[at * step / 8] = (unsigned long long)memory + next * step;
      at = next;
    }
    CHECK_RT(cudaMemcpy(memory, words.data(), size, cudaMemcpyHostToDevice));
  };
  for (size_t kib : {4, 16, 64, 128, 160, 192, 208, 224, 256, 512}) {
    size_t size = kib << 10, n = size / 128;
    std::vector<unsigned long long> order(size / 8);
    for (size_t k = 0; k < n; k++) order[k * 16] = (unsigned long long)memory + (k + 1) % n * 128;
    CHECK_RT(cudaMemcpy(memory, order.data(), size, cudaMemcpyHostToDevice));
    chase_l1<<<1, 1>>>(out, memory, (int)n, 4);
    CHECK_RT(cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost));
    say("chase_l1." + std::to_string(kib) + "kib", (double)got[0] / n, "cycles", "lines of 128 bytes in order, the last of 4 turns, ld.ca");
  }
  unsigned char *other;
  CHECK_RT(cudaMalloc(&other, most));
  for (size_t mib : {1, 4, 16, 32, 64, 128, 512}) {
    size_t size = mib << 20, step = std::max((size_t)256, size / 8192);
    ring(size, step);
    int n = (int)std::min(size / step, (size_t)8192);
    for (int turn = 0; turn < 2; turn++) {
      chase<<<1, 1>>>(out, memory, n);
      CHECK_RT(cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost));
      if (!turn) {
        say("l2_latency." + std::to_string(mib) + "mib", (double)got[0] / n, "cycles", "a ring through that much memory, in a scattered order, past L1; written by the host just before");
        chase<<<1, 1>>>(out, memory, n);
        CHECK_RT(cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost));
        say("l2_latency2." + std::to_string(mib) + "mib", (double)got[0] / n, "cycles", "the same, a second turn");
        CHECK_RT(cudaMemset(other, 1, most));
      }
    }
    say("dram_latency." + std::to_string(mib) + "mib", (double)got[0] / n, "cycles", "the same, after 1 GiB of other memory was written");
  }
  CHECK_RT(cudaFree(other));
  CHECK_RT(cudaFree(memory));
  CHECK_RT(cudaFree(out));
}

// The best of a few launches, in nanoseconds.
template <typename Launch> static double best_ns(Launch launch) {
  cudaEvent_t e0, e1;
  CHECK_RT(cudaEventCreate(&e0));
  CHECK_RT(cudaEventCreate(&e1));
  double best = 1e30;
  for (int turn = 0; turn < 7; turn++) {
    CHECK_RT(cudaEventRecord(e0));
    launch();
    CHECK_RT(cudaEventRecord(e1));
    CHECK_RT(cudaEventSynchronize(e1));
    float ms;
    CHECK_RT(cudaEventElapsedTime(&ms, e0, e1));
    best = std::min(best, ms * 1e6);
  }
  CHECK_RT(cudaEventDestroy(e0));
  CHECK_RT(cudaEventDestroy(e1));
  return best;
}

// ---- single sectors of L2 and DRAM
enum Order { RANDOM, IN_STEPS };
// Each lane reads, or writes, a word of a sector of its own. GROUP lanes side by side have sectors that lie side by side; where a group
// lies is random, or so many groups behind the one before. SECTORS is a power of two.
template <Order ORDER, bool READS, int GROUP> __global__ void sectors(unsigned *memory, size_t sectors, size_t step, int n) {
  const int unroll = 8;
  size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (int i = 0; i < n; i += unroll) {
    unsigned v[unroll];
#pragma unroll
    for (int k = 0; k < unroll; k++) {
      unsigned long long g = ((i + k) * threads + thread) / GROUP;
      if (ORDER == IN_STEPS) g *= step;
      else { // the finalizer of MurmurHash3
        g ^= g >> 33, g *= 0xff51afd7ed558ccdull;
        g ^= g >> 33, g *= 0xc4ceb9fe1a85ec53ull, g ^= g >> 33;
      }
      unsigned *at = memory + ((g * GROUP + threadIdx.x % GROUP) & (sectors - 1)) * 8;
      if (READS) v[k] = __ldcg(at);
      else *at = i;
    }
    for (int k = 0; READS && k < unroll; k++) sum ^= v[k];
  }
  if (READS && sum == 0x12345678) memory[0] = sum;
}
template <Order ORDER, bool READS, int GROUP> static void say_sectors(int sms, unsigned *memory, size_t mib, size_t step, const char *name) {
  const int n = 64; // of each thread
  size_t count = (mib << 20) / 32;
  double ns = best_ns([&] { sectors<ORDER, READS, GROUP><<<sms * 2, 1024>>>(memory, count, step, n); });
  std::string label = std::string(name) + (ORDER == RANDOM ? ".g" + std::to_string(GROUP) : ".step" + std::to_string(step)) + "." + std::to_string(mib) + "mib";
  say(label, sms * 2048.0 * n / ns, "sectors/ns", ORDER == RANDOM ? "random groups of so many sectors, 8 loads a lane in flight, 2 blocks of 1024 threads an SM" : "the same, a sector each so many");
}
static void measure_sectors(int sms) {
  unsigned *memory;
  size_t most = (size_t)32 << 30;
  CHECK_RT(cudaMalloc(&memory, most));
  CHECK_RT(cudaMemset(memory, 0, most));
  for (size_t mib : {1, 8, 32, 64, 128, 512, 1024, 2048, 4096, 8192, 16384, 32768}) {
    say_sectors<RANDOM, true, 1>(sms, memory, mib, 1, "sector_read");
    say_sectors<RANDOM, true, 2>(sms, memory, mib, 1, "sector_read");
    say_sectors<RANDOM, true, 4>(sms, memory, mib, 1, "sector_read");
    say_sectors<RANDOM, true, 32>(sms, memory, mib, 1, "sector_read");
    say_sectors<RANDOM, false, 1>(sms, memory, mib, 1, "sector_write");
    say_sectors<RANDOM, false, 4>(sms, memory, mib, 1, "sector_write");
  }
  for (int used : {1, 8, 33, 66}) {
    std::string name = "sector_read_of_" + std::to_string(used);
    say_sectors<RANDOM, true, 1>(used, memory, 8, 1, name.c_str());
    say_sectors<RANDOM, true, 2>(used, memory, 8, 1, name.c_str());
    say_sectors<RANDOM, true, 4>(used, memory, 8, 1, name.c_str());
    say_sectors<RANDOM, true, 1>(used, memory, 8192, 1, name.c_str());
  }
  say_sectors<RANDOM, true, 8>(sms, memory, 8192, 1, "sector_read");
  say_sectors<RANDOM, true, 16>(sms, memory, 8192, 1, "sector_read");
  for (size_t step : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256})
    say_sectors<IN_STEPS, true, 1>(sms, memory, 32768, step, "sector_read");
  for (size_t step : {1, 2, 4, 8, 16, 32, 64}) say_sectors<IN_STEPS, false, 1>(sms, memory, 32768, step, "sector_write");
  CHECK_RT(cudaFree(memory));
}

// A ring through much memory, written on the device.
__global__ void make_ring(unsigned long long *memory, size_t n, size_t step) {
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
    memory[k * step / 8] = (unsigned long long)memory + (k * 5 + 3) % n * step;
}
static void measure_reach() {
  unsigned long long *memory, *out, got[2];
  const size_t most = (size_t)64 << 30, n = 16384;
  CHECK_RT(cudaMalloc(&memory, most));
  CHECK_RT(cudaMalloc(&out, 64));
  for (size_t gib : {1, 2, 4, 8, 16, 32, 64}) {
    make_ring<<<64, 256>>>(memory, n, (gib << 30) / n);
    CHECK_RT(cudaMemset((char *)memory + (gib << 29) + 4096, 0, 0));
    for (int turn = 0; turn < 2; turn++) {
      chase<<<1, 1>>>(out, memory, (int)n);
      CHECK_RT(cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost));
    }
    say("reach_latency." + std::to_string(gib) + "gib", (double)got[0] / n, "cycles", "a ring of 16,384 lines through so much memory, past L1, a second turn: what translations cost");
  }
  CHECK_RT(cudaFree(memory));
  CHECK_RT(cudaFree(out));
}

// ---- all SMs read the same bytes of L2: over and over, or one window after the other, from the same place or from one of their own
__global__ void windows(const uint4 *memory, unsigned window, unsigned apart, int n, unsigned *out) {
  const int unroll = 4;
  unsigned at = blockIdx.x * apart + threadIdx.x, sum = 0;
  for (int i = 0; i < n; i += unroll) {
    uint4 v[unroll];
#pragma unroll
    for (int k = 0; k < unroll; k++) v[k] = __ldcg(memory + ((at + (i + k) * blockDim.x) & (window - 1)));
#pragma unroll
    for (int k = 0; k < unroll; k++) sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  if (sum == 0x12345678) out[0] = sum;
}
static void measure_windows(int sms) {
  uint4 *memory;
  const size_t most = (size_t)32 << 20;
  CHECK_RT(cudaMalloc(&memory, most));
  CHECK_RT(cudaMemset(memory, 0, most));
  int khz;
  CHECK_RT(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  for (bool apart : {false, true})
    for (int threads : {128, 512, 1024})
      for (size_t bytes = 512; bytes <= most; bytes *= 4) {
        const int n = 1024;
        double ns = best_ns([&] { windows<<<sms, threads>>>(memory, bytes / 16, apart ? bytes / 16 / sms / 8 * 8 : 0, n, (unsigned *)memory); });
        say(std::string(apart ? "l2_window_apart." : "l2_window.") + std::to_string(bytes / 512) + "." + std::to_string(threads / 32),
            16.0 * threads * n / (ns * khz / 1e6), "bytes/cycle/SM at boost",
            "so many times 512 bytes, that many warps an SM, 4 loads of 16 bytes a lane in flight; events");
      }
  CHECK_RT(cudaFree(memory));
}

// ---- atomics on L2, by all SMs
// ATOMIC(name, type of an operand, what a lane does at an address, whether that is used)
#define ATOMICS                                                                                                                    \
  ATOMIC(red, unsigned, atomicAdd(at, v), false)                                                                                   \
  ATOMIC(add, unsigned, atomicAdd(at, v), true)                                                                                    \
  ATOMIC(exch, unsigned, atomicExch(at, sum), true)                                                                                \
  ATOMIC(cas, unsigned, atomicCAS(at, v, sum), true)                                                                               \
  ATOMIC(red_max, int, atomicMax(at, v), false)                                                                                    \
  ATOMIC(red_or, unsigned, atomicOr(at, v + i), false)                                                                                \
  ATOMIC(red_u64, unsigned long long, atomicAdd(at, v), false)                                                                     \
  ATOMIC(add_u64, unsigned long long, atomicAdd(at, v), true)                                                                      \
  ATOMIC(red_max_u64, unsigned long long, atomicMax(at, v), false)                                                                 \
  ATOMIC(cas_u64, unsigned long long, atomicCAS(at, v, (unsigned long long)sum), true)                                             \
  ATOMIC(red_f32, float, atomicAdd(at, v), false)                                                                                  \
  ATOMIC(add_f32, float, atomicAdd(at, v), true)                                                                                   \
  ATOMIC(red_f64, double, atomicAdd(at, v), false)                                                                                 \
  ATOMIC(red_f16x2, __half2, atomicAdd(at, v), false)                                                                              \
  ATOMIC(red_bf16x2, __nv_bfloat162, atomicAdd(at, v), false)
template <typename T> __device__ unsigned bits_of(T value) {
  return *(unsigned *)&value;
}
template <typename T> __device__ T operand_of(unsigned number) {
  return T(number);
}
template <> __device__ __half2 operand_of(unsigned number) {
  return __half2(number, number);
}
template <> __device__ __nv_bfloat162 operand_of(unsigned number) {
  return __nv_bfloat162(number, number);
}
#define ATOMIC(name, type, call, used)                                                                                             \
  __global__ void atomic_##name(char *memory, int step, int words, int n) {                                                        \
    size_t place = words ? threadIdx.x % words : blockIdx.x * blockDim.x + threadIdx.x;                                            \
    type *at = (type *)(memory + place * step), v = operand_of<type>(threadIdx.x);                                                 \
    unsigned sum = 0;                                                                                                              \
    for (int i = 0; i < n; i++)                                                                                                    \
      if (used) sum += bits_of(call);                                                                                              \
      else call;                                                                                                                   \
    if (sum == 0x12345678) *(unsigned *)at = sum;                                                                                  \
  }
ATOMICS
#undef ATOMIC
struct AtomicKind {
  const char *name;
  int bytes;
  void (*kernel)(char *, int, int, int);
};
// Of an instruction of a warp, of those of the whole chip: the difference of two launches.
static void say_atomic(const AtomicKind &kind, int sms, char *memory, int step, int words, const std::string &label, const char *how) {
  const int few = 16, more = 80, threads = 512;
  double ns = best_ns([&] { kind.kernel<<<sms, threads>>>(memory, step, words, more); }) - best_ns([&] { kind.kernel<<<sms, threads>>>(memory, step, words, few); });
  say(std::string("l2_") + kind.name + label, ns / (sms * (threads / 32.0) * (more - few)), "ns/warp instruction, whole chip", how);
}
// Atomics of some lanes: those of MASK change one of WORDS words side by side, one after the other of them, or two of them each.
__global__ void atomics_of_lanes(unsigned *memory, unsigned mask, unsigned words, unsigned shift, int n) {
  unsigned lane = threadIdx.x % 32, rank = __popc(mask & ((1u << lane) - 1));
  unsigned *at = memory + (rank >> shift) % words;
  if (mask >> lane & 1)
    for (int i = 0; i < n; i++) atomicAdd(at, 1);
}
static void measure_atomics_of_lanes(int sms, unsigned *memory) {
  static const struct {
    const char *name;
    unsigned mask, words, shift;
  } rows[] = {{"first5", 0x1f, 5, 0},         {"first8", 0xff, 8, 0},          {"every8", 0x01010101, 4, 0}, {"every4", 0x11111111, 8, 0},
              {"every2", 0x55555555, 16, 0}, {"every8.words2", 0x01010101, 2, 0}, {"all.words5", ~0u, 5, 0},    {"first8.twice", 0xff, 4, 1},
              {"all.twice", ~0u, 16, 1},       {"all.words16", ~0u, 16, 0},     {"first12", 0xfff, 12, 0},     {"first6.words3", 0x3f, 3, 0}};
  const int few = 16, more = 80, threads = 512;
  for (auto &row : rows) {
    auto ns = [&](int n) { return best_ns([&] { atomics_of_lanes<<<sms, threads>>>(memory, row.mask, row.words, row.shift, n); }); };
    say(std::string("l2_lanes.") + row.name, (ns(more) - ns(few)) / (sms * (threads / 32.0) * (more - few)), "ns/warp instruction, whole chip",
        "some lanes change one word after the other, those of all blocks");
  }
}
// All lanes change one word by compare-and-swap, each until it succeeds.
__global__ void swap_until_done(unsigned *word) {
  unsigned guess = *(volatile unsigned *)word, found;
  while ((found = atomicCAS(word, guess, guess + 1)) != guess) guess = found;
}
static void measure_swaps(int sms, unsigned *words) {
  const int places = 16, apart = 1031 * 128; // words in slices near and far
  struct { const char *name; int blocks, threads; } rows[] = {{"few", 4, 128}, {"some", sms, 32}, {"single", 4 * sms, 1}, {"many", 4 * sms, 32}};
  for (auto &row : rows) {
    double ns = 0;
    for (int p = 0; p < places; p++) ns += best_ns([&] { swap_until_done<<<row.blocks, row.threads>>>(words + p * apart); }) / places;
    say(std::string("l2_swap.") + row.name, ns / (row.blocks * row.threads), "ns from change to change",
        "all lanes change one word by compare-and-swap, each until it succeeds: the mean of 16 words");
  }
}
static void measure_atomics(int sms) {
#define ATOMIC(name, type, call, used) {#name, sizeof(type), atomic_##name},
  static const AtomicKind kinds[] = {ATOMICS};
#undef ATOMIC
  char *memory;
  CHECK_RT(cudaMalloc(&memory, 64 << 20));
  CHECK_RT(cudaMemset(memory, 0, 64 << 20));
  for (const AtomicKind &kind : kinds) {
    for (int step : {0, kind.bytes, 32, 128}) {
      say_atomic(kind, sms, memory, step, 256, ".step" + std::to_string(step), "256 addresses that far apart, those of all blocks");
      say_atomic(kind, sms, memory, step, 0, "_apart.step" + std::to_string(step), "addresses that far apart, each block its own");
    }
    for (int words : {2, 4, 8, 16, 32}) say_atomic(kind, sms, memory, kind.bytes, words, ".words" + std::to_string(words), "so many words side by side, those of all blocks");
  }
  measure_atomics_of_lanes(sms, (unsigned *)memory);
  measure_swaps(sms, (unsigned *)memory);
  CHECK_RT(cudaFree(memory));
}

// ---- whole lines, of which those beside them in memory are asked for so many blocks later
enum { ROW_BYTES = 16384, LINES_DOWN = 32 };
// A block has a line of each of 32 rows. Blocks that follow each other go down gridDim.x of them before the next column, so that the line beside is asked
// for so many blocks later. ALONE: rows are shuffled, so that it is asked for at any time.
template <bool READS> __global__ void lines_down(unsigned *memory, bool alone) {
  const unsigned words = ROW_BYTES / 4, each = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned row = (blockIdx.z * gridDim.x + blockIdx.x) * LINES_DOWN, column = blockIdx.y, v[LINES_DOWN / 8];
  if (alone) row = (row + column * 0x9E3779B1u) & (gridDim.x * gridDim.z * LINES_DOWN - 1);
  unsigned *at = memory + (size_t)(row & ~(LINES_DOWN - 1)) * words + warp * words + column * 32 + lane;
#pragma unroll
  for (int k = 0; k < LINES_DOWN / 8; k++)
    if (READS) v[k] = at[k * each * words];
    else at[k * each * words] = column;
#pragma unroll
  for (int k = 0; k < LINES_DOWN / 8; k++)
    if (READS && v[k] == 0x12345678) at[0] = v[k];
}
template <bool READS> static void say_lines(unsigned *memory, unsigned rows, unsigned down, const char *name) {
  const unsigned columns = ROW_BYTES / 128, groups = rows / LINES_DOWN;
  dim3 grid(down ? down : 1, columns, down ? groups / down : groups);
  double ns = best_ns([&] { lines_down<READS><<<grid, 8 * 32>>>(memory, !down); });
  say(std::string(name) + (down ? ".apart" + std::to_string(down) : ".alone"), (double)rows * columns / ns, "lines/ns",
      down ? "lines of 32 rows a block; the line beside is asked for so many blocks later" : "the same, at any time");
}
static void measure_lines() {
  const unsigned rows = 1 << 16;
  unsigned *memory;
  CHECK_RT(cudaMalloc(&memory, (size_t)rows * ROW_BYTES));
  CHECK_RT(cudaMemset(memory, 0, (size_t)rows * ROW_BYTES));
  for (unsigned down : {1, 4, 16, 64, 256, 512, 1024, 2048, 0}) {
    say_lines<true>(memory, rows, down, "line_read");
    say_lines<false>(memory, rows, down, "line_write");
  }
  CHECK_RT(cudaFree(memory));
}

// ---- blocks
__global__ void stamp(unsigned long long *out, int wait) {
  unsigned long long begin = clock64();
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  while (clock64() - begin < wait) {}
  if (threadIdx.x == 0) {
    out[blockIdx.x * 3] = sm;
    out[blockIdx.x * 3 + 1] = begin;
    out[blockIdx.x * 3 + 2] = clock64();
  }
}
static void measure_blocks(int sms) {
  unsigned long long *out;
  int most = sms * 64;
  CHECK_RT(cudaMalloc(&out, most * 24));
  for (int threads : {32, 128, 256, 1024}) {
    // The first wave: when each block of an SM starts after the SM's first.
    int resident = std::min(32, 2048 / threads), blocks = sms * resident;
    std::vector<unsigned long long> got(most * 3);
    for (int wait : {20000, 0}) {
      for (int turn = 0; turn < 2; turn++) stamp<<<wait ? blocks : most, threads>>>(out, wait);
      CHECK_RT(cudaMemcpy(got.data(), out, most * 24, cudaMemcpyDeviceToHost));
      int count = wait ? blocks : most;
      std::vector<std::vector<unsigned long long>> starts(sms), ends(sms);
      for (int b = 0; b < count; b++)
        if (got[b * 3] < (unsigned)sms) starts[got[b * 3]].push_back(got[b * 3 + 1]), ends[got[b * 3]].push_back(got[b * 3 + 2]);
      double sum = 0;
      int many = 0;
      for (int s = 0; s < sms; s++) {
        std::sort(starts[s].begin(), starts[s].end());
        if (starts[s].size() > 1) sum += (double)(starts[s].back() - starts[s].front()) / (starts[s].size() - 1), many++;
      }
      say("block_interval." + std::to_string(threads) + (wait ? ".first_wave" : ".short_blocks"), many ? sum / many : 0, "cycles/block/SM",
          wait ? "starts of the blocks of the first wave, clock64" : "64 blocks an SM that end at once");
    }
    // Waves: a block that waits is followed by another.
    int count = sms * resident * 3;
    if (count <= most) {
      stamp<<<count, threads>>>(out, 20000);
      CHECK_RT(cudaMemcpy(got.data(), out, most * 24, cudaMemcpyDeviceToHost));
      std::vector<std::vector<std::pair<unsigned long long, unsigned long long>>> by(sms);
      for (int b = 0; b < count; b++)
        if (got[b * 3] < (unsigned)sms) by[got[b * 3]].push_back({got[b * 3 + 1], got[b * 3 + 2]});
      double gap = 0;
      int many = 0;
      for (auto &v : by) {
        std::sort(v.begin(), v.end());
        std::vector<unsigned long long> ends;
        for (auto &x : v) ends.push_back(x.second);
        std::sort(ends.begin(), ends.end());
        for (size_t k = resident; k < v.size(); k++) gap += (double)v[k].first - (double)ends[k - resident], many++;
      }
      say("block_gap." + std::to_string(threads), many ? gap / many : 0, "cycles", "from the last instruction of a block to the first of the one that follows");
    }
  }
  // One block an SM: from the end of one to the start of the next.
  CHECK_RT(cudaFuncSetAttribute(stamp, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int threads : {32, 128, 512, 1024}) {
    int count = sms * 8;
    std::vector<unsigned long long> got(count * 3);
    stamp<<<count, threads, 200 << 10>>>(out, 3000);
    CHECK_RT(cudaMemcpy(got.data(), out, count * 24, cudaMemcpyDeviceToHost));
    std::vector<std::vector<std::pair<unsigned long long, unsigned long long>>> by(sms);
    for (int b = 0; b < count; b++)
      if (got[b * 3] < (unsigned)sms) by[got[b * 3]].push_back({got[b * 3 + 1], got[b * 3 + 2]});
    double gap = 0;
    int many = 0;
    for (auto &v : by) {
      std::sort(v.begin(), v.end());
      for (size_t k = 1; k < v.size(); k++) gap += (double)v[k].first - (double)v[k - 1].second, many++;
    }
    say("block_gap_alone." + std::to_string(threads), many ? gap / many : 0, "cycles", "one block an SM (200 KiB): from its last clock to the first of the next");
  }
  CHECK_RT(cudaFree(out));
}

// What programs are told of the device.
static void describe(const cudaDeviceProp &p) {
  auto attribute = [](cudaDeviceAttr which) {
    int value;
    CHECK_RT(cudaDeviceGetAttribute(&value, which, 0));
    return value;
  };
  printf("# %s\n", p.name);
  say("device.arch", p.major * 10 + p.minor, "", "compute capability");
  say("device.multiprocessors", p.multiProcessorCount, "", "by the runtime, as all of device");
  say("device.clock-khz", attribute(cudaDevAttrClockRate), "kHz", "of the multiprocessors, boost");
  say("device.memory-clock-khz", attribute(cudaDevAttrMemoryClockRate), "kHz", "");
  say("device.memory-bus-bits", attribute(cudaDevAttrGlobalMemoryBusWidth), "bits", "");
  say("device.l2-bytes", p.l2CacheSize, "bytes", "");
  say("device.persisting-l2-bytes", p.persistingL2CacheMaxSize, "bytes", "");
  say("device.copy-engines", p.asyncEngineCount, "", "");
  say("device.single-to-double-ratio", attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio), "", "");
  say("device.ecc", p.ECCEnabled, "", "");
}

int main(int count, char **words) {
  const char *part = nullptr, *only = nullptr;
  for (int w = 1; w < count; w++) {
    if (!strcmp(words[w], "--part") && w + 1 < count) part = words[++w];
    else if (!strcmp(words[w], "--only") && w + 1 < count) only = words[++w];
    else if (!strcmp(words[w], "--cubins") && w + 1 < count) cubin_folder = words[++w];
    else if (!strcmp(words[w], "--ptx") && w + 1 < count) ptx_folder = words[++w];
    else return fprintf(stderr, "facts [--part instructions|edited|queues|barriers|blocks|latencies|reach|streams|sectors|lines|windows|atomics] [--only NAME] [--cubins FOLDER]\n"), 2;
  }
  if (ptx_folder) {
    measure_instructions("sm_90", only);
    measure_queues("sm_90");
    return 0;
  }
  auto wanted = [&](const char *name) { return !part || !strcmp(part, name); };
  cudaDeviceProp properties;
  CHECK_RT(cudaGetDeviceProperties(&properties, 0));
  CHECK_RT(cudaFree(nullptr));
  CHECK(cuInit(0));
  std::string target = "sm_" + std::to_string(properties.major * 10 + properties.minor);
  CHECK(cuMemAlloc(&out_memory, 1024 * sizeof(Stamps)));
  CHECK(cuMemAlloc(&global_memory, global_bytes));
  describe(properties);
  if (wanted("instructions")) measure_instructions(target.c_str(), only);
  if (wanted("edited")) measure_edited(target.c_str());
  if (wanted("queues")) measure_queues(target.c_str());
  if (wanted("barriers")) measure_barriers(target.c_str());
  if (wanted("blocks")) measure_blocks(properties.multiProcessorCount);
  if (wanted("latencies")) measure_latencies();
  if (wanted("streams")) measure_streams(properties.multiProcessorCount);
  if (wanted("reach")) measure_reach();
  if (wanted("sectors")) measure_sectors(properties.multiProcessorCount);
  if (wanted("lines")) measure_lines();
  if (wanted("windows")) measure_windows(properties.multiProcessorCount);
  if (wanted("atomics")) measure_atomics(properties.multiProcessorCount);
  return 0;
}
