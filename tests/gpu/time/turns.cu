// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which warp of a sub-partition goes first: when each of them is half through a loop, and at its end. Cycles are those of %clock, from the first
// start on a multiprocessor.
//
//   turns          writes lines 'turns.LOOP.THREADSxBLOCKS start/half/end of each warp' and 'turns.product first/half/last of each block', and
//                  launches tiles, which Nsight Compute may look at
#include <cstdio>
#include <algorithm>
#include <vector>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); return 1; } } while (0)

struct Note {
  unsigned multiprocessor, start, half, end;
};

__device__ __forceinline__ float load(const float *p) {
  float v;
  asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"((unsigned)__cvta_generic_to_shared(p)));
  return v;
}

// N loads, then what adds them.
template <int N> struct Loads {
  static __device__ void go(const float *s, float *f, int lane) {
    float v[N];
    for (int i = 0; i < N; i++) v[i] = load(s + lane + 32 * i);
    for (int i = 0; i < N; i++) f[i & 3] = fmaf(v[i], f[i & 3], 1.0f);
  }
};
struct Mixed {
  static __device__ void go(const float *s, float *f, int lane) {
    float v[4];
    for (int i = 0; i < 4; i++) v[i] = load(s + lane + 32 * i);
    for (int j = 0; j < 6; j++)
      for (int i = 0; i < 4; i++) f[i] = fmaf(v[i], f[i], f[(i + j) & 3]);
  }
};
struct Sums {
  static __device__ void go(const float *, float *f, int) {
    for (int i = 0; i < 16; i++) f[i & 3] = fmaf(f[i & 3], f[i & 3], 1.0f);
  }
};

template <class Step> __global__ void turns(Note *notes, float *out, int n) {
  __shared__ float s[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = 0.5f;
  __syncthreads();
  float f[4] = {1, 2, 3, 4};
  int lane = threadIdx.x % 32;
  Note note = {};
  asm volatile("mov.u32 %0, %%smid;" : "=r"(note.multiprocessor));
  asm volatile("mov.u32 %0, %%clock;" : "=r"(note.start) :: "memory");
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    Step::go(s, f, lane);
    if (i == n / 2) asm volatile("mov.u32 %0, %%clock;" : "=r"(note.half) :: "memory");
  }
  asm volatile("mov.u32 %0, %%clock;" : "=r"(note.end) :: "memory");
  if (lane == 0) notes[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = note;
  out[blockIdx.x * blockDim.x + threadIdx.x] = f[0] + f[1] + f[2] + f[3];
}

// Of the first multiprocessor, the first warp of each sub-partition: each fourth.
template <class Step> int measure(const char *name, int threads, int blocks, int multiprocessors, Note *notes, float *out) {
  int warps = threads / 32, all = blocks == 1 ? 1 : multiprocessors * blocks;
  std::vector<Note> found(all * warps);
  for (int turn = 0; turn < 3; turn++) turns<Step><<<all, threads>>>(notes, out, 256);
  CHECK(cudaMemcpy(found.data(), notes, found.size() * sizeof(Note), cudaMemcpyDeviceToHost));
  unsigned which = found[0].multiprocessor, first = found[0].start;
  for (const Note &note : found)
    if (note.multiprocessor == which) first = std::min(first, note.start);
  printf("turns.%s.%dx%d", name, threads, blocks);
  for (int i = 0; i < all * warps; i += 4)
    if (found[i].multiprocessor == which) printf(" %u/%u/%u", found[i].start - first, found[i].half - first, found[i].end - first);
  puts("");
  return 0;
}

// A product in tiles: loads of global memory, a barrier, 32 steps of shared memory, a barrier.
__global__ void tiles(const float *a, const float *b, float *c, int n) {
  __shared__ float as[1024], bs[1024];
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  float sum = 0;
  const float *rows = a + (blockIdx.x / 64) * 32 * n, *columns = b + (blockIdx.x % 64) * 32;
  for (int t = 0; t < n; t += 32) {
    as[threadIdx.x] = rows[y * n + t + x];
    bs[threadIdx.x] = columns[(t + y) * n + x];
    __syncthreads();
    for (int k = 0; k < 32; k++) sum += as[y * 32 + k] * bs[k * 32 + x];
    __syncthreads();
  }
  c[blockIdx.x * 1024 + threadIdx.x] = sum;
}

// The product of doc/guides/engineer.md, which has fewer warps in a block. When a block comes to its first tile, to that in the middle and to its last.
__global__ void product(const float *a, const float *b, float *c, int n, Note *notes) {
  __shared__ float as[16][20], bs[16][20];
  int x = threadIdx.x, y = threadIdx.y;
  const float *row = a + (blockIdx.y * 16 + y) * n, *column = b + (blockIdx.x * 16 + y) * n;
  float sum = 0;
  Note note = {};
  asm volatile("mov.u32 %0, %%smid;" : "=r"(note.multiprocessor));
  for (int k = 0; k < n; k += 16) {
    as[y][x] = row[k + x];
    bs[y][x] = column[k + x];
    __syncthreads();
    if (k == 0) note.start = clock();
    if (k == n / 2) note.half = clock();
    if (k == n - 16) note.end = clock();
    for (int i = 0; i < 16; i++) sum += as[y][i] * bs[x][i];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = sum;
  if (x + y == 0) notes[blockIdx.y * gridDim.x + blockIdx.x] = note;
}

static int measure_product(const float *a, const float *b, float *c, Note *notes) {
  const int n = 1024, blocks = n / 16 * (n / 16);
  std::vector<Note> found(blocks);
  for (int turn = 0; turn < 2; turn++) product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n, notes);
  CHECK(cudaMemcpy(found.data(), notes, blocks * sizeof(Note), cudaMemcpyDeviceToHost));
  unsigned which = found[0].multiprocessor, first = found[0].start;
  found.erase(std::remove_if(found.begin(), found.end(), [&](const Note &note) { return note.multiprocessor != which; }), found.end());
  std::sort(found.begin(), found.end(), [&](const Note &x, const Note &y) { return int(x.start - first) < int(y.start - first); });
  printf("turns.product");
  for (const Note &note : found) printf(" %d/%d/%d", int(note.start - first), int(note.half - first), int(note.end - first));
  puts("");
  return 0;
}

int main() {
  const int n = 2048;
  Note *notes;
  float *out, *matrices;
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaMalloc(&notes, 1 << 20));
  CHECK(cudaMalloc(&out, 1 << 24));
  CHECK(cudaMalloc(&matrices, 3 * n * n * sizeof(float)));
  CHECK(cudaMemset(matrices, 0, 3 * n * n * sizeof(float)));
  const int shapes[][2] = {{256, 1}, {512, 1}, {1024, 1}, {1024, 2}, {256, 8}};
  for (auto &shape : shapes) {
    int threads = shape[0], blocks = shape[1], all = device.multiProcessorCount;
    if (measure<Loads<8>>("eight_loads", threads, blocks, all, notes, out) || measure<Loads<2>>("two_loads", threads, blocks, all, notes, out) ||
        measure<Mixed>("mixed", threads, blocks, all, notes, out) || measure<Sums>("sums", threads, blocks, all, notes, out))
      return 1;
  }
  if (measure_product(matrices, matrices + n * n, matrices + 2 * n * n, notes))
    return 1;
  tiles<<<4096, 1024>>>(matrices, matrices + n * n, matrices + 2 * n * n, n);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
