// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums of eight streams. Neighbours exchange them through shared memory: sum stores every other word, sum_dense every word.
extern "C" __global__ void sum(float *out, const float *in, int n) {
  __shared__ float s[512];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float total = 0;
  for (int k = 0; k < 8; k++)
    total += in[k * n + i];
  s[t * 2] = total;
  __syncthreads();
  out[i] = s[(t ^ 1) * 2];
}

extern "C" __global__ void sum_dense(float *out, const float *in, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float total = 0;
  for (int k = 0; k < 8; k++)
    total += in[k * n + i];
  s[t] = total;
  __syncthreads();
  out[i] = s[t ^ 1];
}
