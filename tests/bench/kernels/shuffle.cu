// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums of 256 integers each, by shuffles and one word of shared memory for each warp; eight sums by each block.
__global__ void shuffle(int *out, const int *in) {
  __shared__ int sums[8];
  int t = threadIdx.x;
  for (int row = blockIdx.x * 8; row < blockIdx.x * 8 + 8; row++) {
    int sum = in[row * 256 + t];
    for (int by = 16; by > 0; by /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, by);
    if (t % 32 == 0)
      sums[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
      int all = 0;
      for (int i = 0; i < 8; i++)
        all += sums[i];
      out[row] = all;
    }
    __syncthreads();
  }
}
