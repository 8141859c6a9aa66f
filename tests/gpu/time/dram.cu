// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long DRAM lets a load wait, and how far apart loads come that go out together. On each multiprocessor, 32 warps load a line each, at the
// same time, again and again. Meanwhile 32 others load, copy or store, and pause in between, so that DRAM has more or less to do.
//
//   dram              a few rows for each of these, and what DRAM moves if a launch copies much, in order
//   dram --copy       copies 64 MiB: Nsight Compute says how much of it is written before the launch ends
#include "facts.h"
#include <cstring>

enum { WARPS = 32, THREADS = 32 * WARPS, CHUNK = 2048, FAR = 256 << 10, CYCLES = 1000000 };
enum Way { NONE, READ, COPY, WRITE, AGAIN }; // AGAIN: stores to what is in the second-level cache
struct Sums {
  unsigned long long rounds, mean, last, reads, writes, cycles;
};

// A warp moves two KiB.
template <Way WAY> __device__ float move(const uint4 *from, uint4 *to) {
  uint4 v[4] = {};
  for (int k = 0; k < 4 && WAY < WRITE; k++) v[k] = __ldcg(from + 32 * k);
  for (int k = 0; k < 4 && WAY != READ; k++) to[32 * k] = v[k];
  return WAY == READ ? v[0].x + v[1].x + v[2].x + v[3].x : 0;
}

__device__ unsigned random_of(unsigned *state) {
  *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
  return *state;
}

template <Way WAY> __device__ float keep_busy(char *mine, size_t each, int pause, long long end, Sums *sums) {
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, state = blockIdx.x * WARPS + warp + 1;
  unsigned long long moved = 0;
  float sum = 0;
  for (size_t at = warp * CHUNK; clock64() < end; at = WAY == AGAIN ? at : (at + WARPS * CHUNK) % (each / 2), moved += CHUNK) {
    uint4 *from = (uint4 *)(mine + at) + lane;
    sum += move<WAY>(from, from + each / 2 / sizeof(uint4));
    for (long long until = clock64() + random_of(&state) % (2 * pause + 1); clock64() < until;) continue;
  }
  if (lane == 0) atomicAdd(&sums->reads, WAY >= WRITE ? 0 : moved), atomicAdd(&sums->writes, WAY == READ ? 0 : moved);
  return sum;
}

// The first half of the blocks, one on each multiprocessor, load the lines of which the time is taken: from places far apart, which no slice and no
// row of DRAM have in common.
template <Way WAY> __global__ void __launch_bounds__(THREADS, 2) spread(char *memory, size_t each, int pause, Sums *sums, float *sink) {
  __shared__ unsigned took[WARPS];
  __shared__ bool goes_on;
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  char *mine = memory + blockIdx.x * each;
  long long start = clock64(), end = start + CYCLES;
  float sum = 0;
  if (blockIdx.x >= gridDim.x / 2) {
    if (WAY != NONE) sum = keep_busy<WAY>(mine, each, pause, end, sums);
    sink[blockIdx.x * THREADS + threadIdx.x] = sum;
    return;
  }
  Sums own = {};
  for (size_t round = 0;; round++) {
    if (threadIdx.x == 0) goes_on = clock64() < end;
    const float *line = (const float *)(mine + (warp * FAR + round % (FAR / 128) * 128 + round / (FAR / 128) * FAR * WARPS) % each) + lane;
    __syncthreads();
    if (!goes_on) break;
    unsigned before = clock();
    sum += __ldcg(line);
    asm volatile("" ::"f"(sum) : "memory");
    unsigned after = sum == 1e30f ? 0 : clock();
    took[warp] = after - before;
    __syncthreads();
    unsigned mean = took[lane], last = mean;
    for (int d = 16; d; d /= 2) mean += __shfl_xor_sync(~0u, mean, d), last = max(last, __shfl_xor_sync(~0u, last, d));
    own.rounds++, own.mean += mean, own.last += last;
  }
  if (threadIdx.x == 0) {
    atomicAdd(&sums->rounds, own.rounds), atomicAdd(&sums->mean, own.mean), atomicAdd(&sums->last, own.last);
    atomicAdd(&sums->reads, own.rounds * WARPS * 128), atomicMax(&sums->cycles, (unsigned long long)(clock64() - start));
  }
  sink[blockIdx.x * THREADS + threadIdx.x] = sum;
}

template <Way WAY> static void measure(const std::string &name, int pause, int sms, char *memory, size_t each, Sums *sums, float *sink) {
  Sums got;
  for (int turn = 0; turn < 2; turn++) {
    CHECK_RT(cudaMemset(sums, 0, sizeof got));
    spread<WAY><<<2 * sms, THREADS>>>(memory, each, pause, sums, sink);
    CHECK_RT(cudaGetLastError());
    CHECK_RT(cudaDeviceSynchronize());
  }
  CHECK_RT(cudaMemcpy(&got, sums, sizeof got, cudaMemcpyDeviceToHost));
  double cycles = (double)got.cycles * sms;
  std::string beside = WAY == NONE ? "nothing beside them" : "others that pause " + std::to_string(pause) + " cycles on average";
  say(name + ".reads", got.reads / cycles, "bytes/cycle/SM", beside.c_str());
  say(name + ".writes", got.writes / cycles, "bytes/cycle/SM", "the same");
  say(name + ".mean", (double)got.mean / got.rounds / WARPS, "cycles", "32 loads of a line that go out together, on average");
  say(name + ".last", (double)got.last / got.rounds, "cycles", "the last of them");
}

__global__ void copy(uint4 *to, const uint4 *from) { to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x]; }

// Bytes that are loaded, and as many that are stored, of which the second-level cache keeps few.
static void measure_copy(char *memory, size_t bytes) {
  cudaEvent_t begin, end;
  float ms, best = 1e30f;
  CHECK_RT(cudaEventCreate(&begin));
  CHECK_RT(cudaEventCreate(&end));
  for (int turn = 0; turn < 4; turn++) {
    CHECK_RT(cudaEventRecord(begin));
    copy<<<bytes / 16 / 256, 256>>>((uint4 *)memory, (const uint4 *)(memory + bytes));
    CHECK_RT(cudaEventRecord(end));
    CHECK_RT(cudaEventSynchronize(end));
    CHECK_RT(cudaEventElapsedTime(&ms, begin, end));
    best = ms < best ? ms : best;
  }
  say("dram_copy", 2.0 * bytes / best / 1e9, "TB/s", "1 GiB in order, loads and stores together, by events");
}

int main(int count, char **words) {
  cudaDeviceProp properties;
  CHECK_RT(cudaGetDeviceProperties(&properties, 0));
  int sms = properties.multiProcessorCount;
  const size_t each = (size_t)2 * FAR * WARPS;
  char *memory;
  Sums *sums;
  float *sink;
  CHECK_RT(cudaMalloc(&memory, each * 2 * sms));
  CHECK_RT(cudaMemset(memory, 0, each * 2 * sms));
  if (count > 1 && !strcmp(words[1], "--copy")) {
    copy<<<(64 << 20) / 16 / 256, 256>>>((uint4 *)memory, (const uint4 *)(memory + ((size_t)1 << 30)));
    CHECK_RT(cudaDeviceSynchronize());
    return 0;
  }
  CHECK_RT(cudaMalloc(&sums, sizeof *sums));
  CHECK_RT(cudaMalloc(&sink, (size_t)2 * sms * THREADS * sizeof *sink));
  measure_copy(memory, (size_t)1 << 30);
  measure<NONE>("dram_spread.alone", 0, sms, memory, each, sums, sink);
  for (int pause : {24000, 12000, 8000, 6000, 4000, 3000, 2000, 1000, 0}) {
    measure<READ>("dram_spread.read." + std::to_string(pause), pause, sms, memory, each, sums, sink);
    measure<COPY>("dram_spread.copy." + std::to_string(pause), pause, sms, memory, each, sums, sink);
    measure<WRITE>("dram_spread.write." + std::to_string(pause), pause, sms, memory, each, sums, sink);
    measure<AGAIN>("dram_spread.again." + std::to_string(pause), pause, sms, memory, each, sums, sink);
  }
  return 0;
}
