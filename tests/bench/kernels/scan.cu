// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums of all integers before each of 512, in a tree: up, and down again. Every second step conflicts.
__global__ void scan(int *out, const int *in) {
  __shared__ int sums[512];
  int t = threadIdx.x, offset = 1;
  sums[2 * t] = in[blockIdx.x * 512 + 2 * t];
  sums[2 * t + 1] = in[blockIdx.x * 512 + 2 * t + 1];
  for (int d = 256; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      sums[b] += sums[a];
    }
    offset *= 2;
  }
  if (t == 0)
    sums[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      int left = sums[a];
      sums[a] = sums[b];
      sums[b] += left;
    }
  }
  __syncthreads();
  out[blockIdx.x * 512 + 2 * t] = sums[2 * t];
  out[blockIdx.x * 512 + 2 * t + 1] = sums[2 * t + 1];
}
