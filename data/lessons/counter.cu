// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// All lanes of a warp set one word, and then each adds to it.
__global__ void counter(int *out, const int *in) {
  __shared__ int sum;
  sum = 0;
  __syncwarp();
  atomicAdd(&sum, in[threadIdx.x]);
  __syncwarp();
  if (threadIdx.x == 0)
    out[0] = sum;
}
