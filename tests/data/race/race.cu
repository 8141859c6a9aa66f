// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Races that decide what is asked of shared memory next, and races that decide nothing; of 64 threads. race.ptx and
// race.sm_90.cubin are made of it, in this folder:
//   nvcc -arch=sm_90 -lineinfo -ptx -o race.ptx race.cu
//   sed -i "s|\"$PWD/|\"|" race.ptx
//   ptxas -arch=sm_90 -lineinfo -o race.sm_90.cubin race.ptx

// The first warp loads what the second one stores, before it does or after.
extern "C" __global__ void
overtaken(int *out) {
  __shared__ int s[64], t[2048];
  int i = threadIdx.x;
  s[i] = i;
  for (int k = i; k < 2048; k += 64)
    t[k] = k;
  __syncthreads();
  if (i >= 32)
    s[i] = 5 * i;
  else
    out[i] = t[s[i + 32] * 4];
}

// The second warp loads what the first one stores.
extern "C" __global__ void
awaited(int *out) {
  __shared__ int s[64], t[2048];
  int i = threadIdx.x;
  s[i] = i;
  for (int k = i; k < 2048; k += 64)
    t[k] = k;
  __syncthreads();
  if (i < 32)
    s[i] = 5 * i;
  else if (s[i - 32] > 20)
    out[i] = t[i];
}

// Both warps store to the same words; what is left is used behind the barrier.
extern "C" __global__ void
disputed(int *out) {
  __shared__ int s[32], t[2048];
  int i = threadIdx.x;
  for (int k = i; k < 2048; k += 64)
    t[k] = k;
  s[i % 32] = i * 3;
  __syncthreads();
  out[i] = t[s[i % 32]];
}

// Both warps store the same to the same words.
extern "C" __global__ void
agreed(int *out) {
  __shared__ int s[32], t[2048];
  int i = threadIdx.x;
  for (int k = i; k < 2048; k += 64)
    t[k] = k;
  s[i % 32] = i % 32 * 3;
  __syncthreads();
  out[i] = t[s[i % 32]];
}

// What is found goes nowhere but to global memory.
extern "C" __global__ void
harmless(int *out) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = i;
  out[i] = s[i ^ 32];
}
