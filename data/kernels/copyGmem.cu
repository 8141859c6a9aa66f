// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies a matrix of nrows x ncols: both global sides coalesced. The most that a transposition can
// hope for.

__global__ void copyGmem(float *out, float *in, int nrows, int ncols) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;

  if (row < nrows && col < ncols)
    out[row * ncols + col] = in[row * ncols + col];
}
