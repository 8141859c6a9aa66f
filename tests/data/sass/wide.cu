// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads of 16 and 8 bytes that a profiler's counter per instruction counts otherwise than the pipe takes them. Made by:
// nvcc -cubin -arch=sm_90 -lineinfo (CUDA 13.0).

// In blocks 16 threads wide, lanes 0 and 16 of a warp load one address.
extern "C" __global__ void corner(float *out) {
  __shared__ float4 row[16];
  if (threadIdx.y == 0)
    row[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3);
  __syncthreads();
  if (threadIdx.x == 0) {
    float4 a = row[0], b = row[9];
    out[threadIdx.y] = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
}

// Neighbours load one address, and of the four addresses of a quarter two lie in the same banks.
extern "C" __global__ void pairs(float *out) {
  __shared__ float4 quads[16];
  __shared__ double doubles[32];
  if (threadIdx.x < 16)
    quads[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3);
  doubles[threadIdx.x % 32] = threadIdx.x % 32;
  __syncthreads();
  int k = threadIdx.x / 2 % 4;
  float4 quad = quads[k == 1 ? 8 : k];
  double twice = doubles[k == 1 ? 16 : k];
  out[threadIdx.x] = quad.x + quad.y + quad.z + quad.w + (float)twice;
}
