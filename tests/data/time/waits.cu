// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Warps that wait for barriers, for fences of their block, for local memory, and for loads.
// nvcc -O3 -arch=sm_90 -cubin -o waits.sm_90.cubin waits.cu

extern "C" __global__ void
barriers(float *out, int n) {
  __shared__ float s[1024];
  float v = threadIdx.x;
  int from = (threadIdx.x + 33) % blockDim.x;
  for (int k = 0; k < n; k++) {
    s[threadIdx.x] = v;
    __syncthreads();
    v += s[from];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void
fences(float *out, int n) {
  for (int k = 0; k < n; k++)
    __threadfence_block();
  out[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

// 128 words of each thread.
extern "C" __global__ void
local(float *out, int rounds, int step) {
  float a[128];
  for (int i = 0; i < 128; i++)
    a[i * step % 128] = i;
  float s = 0;
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < 128; i++)
      s += a[(i * step + r) % 128];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Blocks that go around the grid, and wait for their loads at a barrier.
extern "C" __global__ void
staged(float *out, const float *in, int n) {
  extern __shared__ float t[];
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
    t[threadIdx.x] = in[at] * 2;
    __syncthreads();
    out[at] = t[threadIdx.x ^ 1];
    __syncthreads();
  }
}
