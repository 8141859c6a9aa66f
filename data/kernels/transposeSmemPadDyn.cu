// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// transposeSmemPad in dynamic shared memory of (blockDim.x + IPAD) * blockDim.y * 4 bytes.
#ifndef IPAD
#define IPAD 2
#endif

__global__ void transposeSmemPadDyn(float *out, float *in, int nrows, int ncols) {
  extern __shared__ float tile[];
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int idx = threadIdx.y * blockDim.x + threadIdx.x;
  int irow = idx / blockDim.y;
  int icol = idx % blockDim.y;
  int out_row = blockIdx.x * blockDim.x + irow;
  int out_col = blockIdx.y * blockDim.y + icol;

  if (row < nrows && col < ncols)
    tile[threadIdx.y * (blockDim.x + IPAD) + threadIdx.x] = in[row * ncols + col];
  __syncthreads();
  if (out_row < ncols && out_col < nrows)
    out[out_row * nrows + out_col] = tile[icol * (blockDim.x + IPAD) + irow];
}
