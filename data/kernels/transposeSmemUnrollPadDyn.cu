// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// transposeSmemUnrollPad in dynamic shared memory of (blockDim.x * 2 + IPAD) * blockDim.y * 4
// bytes.
#ifndef IPAD
#define IPAD 2
#endif

__global__ void transposeSmemUnrollPadDyn(float *out, float *in, int nrows, int ncols) {
  extern __shared__ float tile[];
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  int idx = threadIdx.y * blockDim.x + threadIdx.x;
  int irow = idx / blockDim.y;
  int icol = idx % blockDim.y;
  int out_row = blockIdx.x * blockDim.x * 2 + irow;
  int out_col = blockIdx.y * blockDim.y + icol;
  int width = blockDim.x;

  if (row < nrows && col < ncols)
    tile[threadIdx.y * (blockDim.x * 2 + IPAD) + threadIdx.x] = in[row * ncols + col];
  if (row < nrows && col + width < ncols)
    tile[threadIdx.y * (blockDim.x * 2 + IPAD) + threadIdx.x + width] = in[row * ncols + col + width];
  __syncthreads();
  if (out_row < ncols && out_col < nrows)
    out[out_row * nrows + out_col] = tile[icol * (blockDim.x * 2 + IPAD) + irow];
  if (out_row + width < ncols && out_col < nrows)
    out[(out_row + width) * nrows + out_col] = tile[icol * (blockDim.x * 2 + IPAD) + irow + width];
}
