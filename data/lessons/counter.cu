// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// All lanes of a warp set one word; then each adds its number to the word of the number. Below 32 that is
// the first word, but a compiler cannot know it: what it knows to be one word it adds up before.
__global__ void counter(int *out, const int *in) {
  __shared__ int sum[2];
  int value = in[threadIdx.x];
  sum[0] = 0;
  __syncwarp();
  atomicAdd(&sum[value / 32], value);
  __syncwarp();
  if (threadIdx.x == 0)
    out[0] = sum[0];
}
