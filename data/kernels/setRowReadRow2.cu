// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// setRowReadRow with row and column taken from the thread's number in the block: other index
// arithmetic, the same addresses.
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif

__global__ void setRowReadRow2(int *out) {
  __shared__ int tile[BDIMY][BDIMX];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int row = idx / blockDim.x;
  unsigned int col = idx % blockDim.x;

  tile[row][col] = idx;
  __syncthreads();
  out[idx] = tile[row][col];
}
