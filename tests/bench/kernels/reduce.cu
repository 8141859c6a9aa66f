// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums of 256 integers each, by a tree in shared memory.
__global__ void reduce(int *out, const int *in) {
  __shared__ int sums[256];
  int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int n = 128; n > 0; n /= 2) {
    if (t < n)
      sums[t] += sums[t + n];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = sums[0];
}
