// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measures how long a block takes from what it receives to what it sends, where each waits for the one before, and in which order the warps of
// a sub-partition end that begin together. Cycles are those of clock64().
//
//   waiting        writes lines 'name value unit how', and 'order.NAME.WARPS' with when each warp of the first sub-partition ends
#include <cstdio>
#include <string>
#include <vector>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); return 1; } } while (0)

struct Volatile {
  static __device__ void wait(unsigned *word, unsigned value) { while (*(volatile unsigned *)word != value); }
  static __device__ void store(unsigned *word, unsigned value) { *(volatile unsigned *)word = value; }
};
struct Fences {
  static __device__ void wait(unsigned *word, unsigned value) { while (*(volatile unsigned *)word != value); __threadfence(); }
  static __device__ void store(unsigned *word, unsigned value) { __threadfence(); *(volatile unsigned *)word = value; }
};
struct Ordered {
  static __device__ void wait(unsigned *word, unsigned value) { unsigned found; do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(found) : "l"(word) : "memory"); while (found != value); }
  static __device__ void store(unsigned *word, unsigned value) { asm volatile("st.release.gpu.u32 [%0], %1;" :: "l"(word), "r"(value) : "memory"); }
};

// The last block has come with the others, or before the chain comes to it: it waits for as long as all of them take.
template <class Way> __global__ void chain(unsigned *words, unsigned value, int apart, long long *waited) {
  long long start = clock64();
  if (threadIdx.x) return;
  if (blockIdx.x) Way::wait(words + (blockIdx.x - 1) * apart, value);
  Way::store(words + blockIdx.x * apart, value);
  waited[blockIdx.x] = clock64() - start;
}

template <class Way> int measure_chain(const char *name, unsigned *words, long long *waited) {
  const int blocks = 132; // on as many multiprocessors
  for (int apart : {1, 32}) {
    long long best = 1ll << 60, took;
    CHECK(cudaMemset(words, 0, blocks * 32 * 4));
    for (int turn = 1; turn <= 4; turn++) {
      chain<Way><<<blocks, 32>>>(words, turn, apart, waited);
      CHECK(cudaMemcpy(&took, waited + blocks - 1, sizeof took, cudaMemcpyDeviceToHost));
      if (turn > 1 && took < best) best = took;
    }
    printf("waiting_%s.%d %.1f cycles from block to block, words so far apart [%d blocks]\n", name, apart, (double)best / (blocks - 1), blocks);
  }
  return 0;
}

template <class Step> __global__ void order(unsigned *ends, int n) {
  float f[4] = {1, 2, 3, 4};
  unsigned r = threadIdx.x, start, end;
  __syncthreads();
  asm volatile("mov.u32 %0, %%clock;" : "=r"(start));
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int k = 0; k < 8; k++) Step::go(f, r);
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end));
  if (threadIdx.x % 32 == 0) ends[threadIdx.x / 32 * 2] = start, ends[threadIdx.x / 32 * 2 + 1] = end;
  if (r + f[0] + f[1] + f[2] + f[3] == 0.5f) ends[0] = 0;
}
struct Turns { static __device__ void go(float *, unsigned &r) { asm volatile("xor.b32 %0, %0, 0x1234567; mul.lo.u32 %0, %0, 3;" : "+r"(r)); } };
struct Chain { static __device__ void go(float *f, unsigned &) { asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f[0])); } };
struct Four { static __device__ void go(float *f, unsigned &) { for (int i = 0; i < 4; i++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f[i])); } };
struct Special { static __device__ void go(float *f, unsigned &) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[0])); } };

template <class Step> int measure_order(const char *name, unsigned *ends) {
  for (int warps : {4, 8, 16, 32}) {
    std::vector<unsigned> found(warps * 2);
    for (int turn = 0; turn < 3; turn++) order<Step><<<1, warps * 32>>>(ends, 256);
    CHECK(cudaMemcpy(found.data(), ends, found.size() * 4, cudaMemcpyDeviceToHost));
    unsigned first = found[0];
    for (int w = 0; w < warps; w++) first = min(first, found[w * 2]);
    printf("order.%s.%d", name, warps);
    for (int w = 0; w < warps; w += 4) printf(" %u", found[w * 2 + 1] - first);
    puts(" cycles until each warp ends, the oldest first");
  }
  return 0;
}

int main() {
  unsigned *words;
  long long *waited;
  CHECK(cudaMalloc(&words, 1 << 20));
  CHECK(cudaMalloc(&waited, 1 << 20));
  return measure_chain<Volatile>("volatile", words, waited) || measure_chain<Fences>("fences", words, waited) || measure_chain<Ordered>("ordered", words, waited) ||
         measure_order<Turns>("turns", words) || measure_order<Chain>("chain", words) || measure_order<Four>("four", words) || measure_order<Special>("special", words);
}
