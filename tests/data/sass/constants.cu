// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Variables in constant memory that lie side by side, and that one instruction loads: ULDC.64. Made by: nvcc -cubin -arch=sm_90
// (CUDA 13.0).
__constant__ int stride, offset;

extern "C" __global__ void constants(int *out, const int *in) {
  __shared__ int s[1024];
  s[threadIdx.x * stride + offset] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + offset];
}
