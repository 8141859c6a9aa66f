// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks that wait for each other: at barriers of the grid, and for what one of them leaves. grid.ptx and grid.sm_*.cubin
// are made of it, in this folder, for 75, 90 and 100 (grid.ptx: 90); h200.tar.xz is what ncu counted:
//   nvcc -arch=sm_90 -lineinfo -ptx -o grid.ptx grid.cu
//   sed -i "s|\"$PWD/|\"|" grid.ptx
//   ptxas -arch=sm_90 -lineinfo -o grid.sm_90.cubin grid.ptx
// launch: --entry total --block 128 --grid 4 --arg 3=4096
// launch: --entry jacobi --block 64 --grid 6 --arg 2=5
// launch: --entry handmade --block 64 --grid 5
// launch: --entry behind --block 128 --grid 8 --buffer 1=zeros
// launch: --entry ahead --block 128 --grid 8 --buffer 1=zeros
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Sums of blocks, then of all blocks, with a barrier of the grid between, and one before the result is read back.
extern "C" __global__ void
total(const int *in, int *partial, int *out, int n) {
  __shared__ int s[128];
  cg::grid_group grid = cg::this_grid();
  int t = threadIdx.x, sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    sum += in[i];
  s[t] = sum;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (t < k)
      s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0)
    partial[blockIdx.x] = s[0];
  grid.sync();
  if (blockIdx.x == 0 && t < 32) {
    s[t * 4] = t < gridDim.x ? partial[t] : 0;
    __syncwarp();
    for (int i = 1; t == 0 && i < 32; i++)
      s[0] += s[i * 4];
    if (t == 0)
      partial[0] = s[0];
  }
  grid.sync();
  s[t] = partial[0] + t;
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = s[t * 32 % 128 + t / 4];
}

// Steps of an iteration in one dimension, from one array to the other and back.
extern "C" __global__ void
jacobi(int *a, int *b, int steps) {
  __shared__ int s[66];
  cg::grid_group grid = cg::this_grid();
  int t = threadIdx.x, n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + t;
  a[i] = i;
  for (int step = 0; step < steps; step++) {
    grid.sync();
    s[t + 1] = a[i];
    if (t == 0)
      s[0] = a[(i + n - 1) % n];
    if (t == blockDim.x - 1)
      s[t + 2] = a[(i + 1) % n];
    __syncthreads();
    b[i] = s[t] + s[t + 2] - s[t + 1];
    __syncthreads();
    int *c = a;
    a = b;
    b = c;
  }
}

__device__ unsigned arrived;

// A barrier without a library.
extern "C" __global__ void
handmade(int *out) {
  __shared__ int s[64 * 8];
  int t = threadIdx.x;
  out[blockIdx.x * 64 + t] = t * 8;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    while (*(volatile unsigned *)&arrived < gridDim.x)
      ;
    __threadfence();
  }
  __syncthreads();
  s[out[(blockIdx.x + 1) % gridDim.x * 64 + t]] = t;
  __syncthreads();
  out[gridDim.x * 64 + blockIdx.x * 64 + t] = s[(63 - t) * 8];
}

// The first thread of a block takes what a neighbour leaves, adds its own, and leaves that for the next.
static __device__ int
carry(volatile int *flags, int from, int own) {
  int before = 0;
  if (from >= 0 && from < gridDim.x)
    while ((before = flags[from]) == 0)
      ;
  flags[blockIdx.x] = before + own;
  return before;
}

static __device__ void
scan(int *out, volatile int *flags, int from) {
  __shared__ int s[128], before;
  int t = threadIdx.x;
  s[t] = 1 + t % 3;
  __syncthreads();
  for (int k = 1; k < 128; k *= 2) {
    int more = t >= k ? s[t - k] : 0;
    __syncthreads();
    s[t] += more;
    __syncthreads();
  }
  if (t == 0)
    before = carry(flags, from, s[127]);
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[(t * 4 + before) % 128] + before;
}

// Blocks wait for the one before them, and for the one behind them.
extern "C" __global__ void
behind(int *out, volatile int *flags) {
  scan(out, flags, blockIdx.x - 1);
}
extern "C" __global__ void
ahead(int *out, volatile int *flags) {
  scan(out, flags, blockIdx.x + 1);
}

// The iteration ends when all blocks say so.
extern "C" __global__ void
until(int *done, int limit) {
  __shared__ int s[64];
  cg::grid_group grid = cg::this_grid();
  int t = threadIdx.x, value = blockIdx.x * 64 + t;
  for (int round = 0;; round++) {
    s[t] = value;
    __syncthreads();
    value = s[t ^ 1] / 2;
    if (t == 0 && s[0] < limit)
      atomicAdd(&done[round], 1);
    grid.sync();
    if (((volatile int *)done)[round] == gridDim.x)
      return;
  }
}

// A block that does not come.
extern "C" __global__ void
early(int *out, int which) {
  __shared__ int s[64];
  cg::grid_group grid = cg::this_grid();
  if (blockIdx.x == which)
    return;
  s[threadIdx.x] = 1;
  grid.sync();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}

// Waits for a value that nobody stores: forever, counting, or until it has had enough.
extern "C" __global__ void
vain(volatile int *flag, int *out, unsigned tries) {
  __shared__ int s[64];
  unsigned n = 0;
  while (*flag == 0 && n < tries)
    n++;
  s[(threadIdx.x + n) % 64] = n;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}

// Which words are asked for depends on who comes first.
extern "C" __global__ void
ticket(int *next, int *out) {
  __shared__ int s[1024], mine;
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0)
    mine = atomicAdd(next, 1);
  grid.sync();
  int i = threadIdx.x * (mine + 1) % 1024;
  s[i] = 1;
  __syncthreads();
  out[threadIdx.x] = s[i];
}
