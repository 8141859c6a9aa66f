// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Transposes a matrix of nrows x ncols straight through: a warp loads one row, and stores down a
// column, 32 lanes into as many memory segments.

__global__ void naiveGmem(float *out, float *in, int nrows, int ncols) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;

  if (row < nrows && col < ncols)
    out[col * nrows + row] = in[row * ncols + col];
}
