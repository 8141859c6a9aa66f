// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A warp reads WORDS different words of one bank: lane i the word (i % WORDS) * 32.
#ifndef WORDS
#define WORDS 2
#endif

__global__ void word(int *out, const int *in) {
  __shared__ int tile[1024];
  for (unsigned int i = threadIdx.x; i < 1024; i += blockDim.x)
    tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % WORDS * 32];
}
