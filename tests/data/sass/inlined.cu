// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions that are inlined into each other: compiled with "nvcc -cubin -lineinfo" in a folder /src, what lines must say.
__device__ __forceinline__ void put(float *tile, int at, float value) {
  tile[at] = value; // line 6
}

__device__ __forceinline__ void put_twice(float *tile, int at, float value) {
  put(tile, at, value);            // line 10
  put(tile, 32 * at + 1024, value); // line 11
}

__global__ void inlined(float *data) {
  __shared__ float tile[2048];
  put_twice(tile, threadIdx.x, data[threadIdx.x]); // line 16
  __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x ^ 33]; // line 18
}

__global__ void plain(float *data) {
  __shared__ float tile[64];
  put(tile, threadIdx.x, 1); // line 23
  __syncthreads();
  data[threadIdx.x] = tile[63 - threadIdx.x]; // line 25
}
