// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// transposeSmemPad with two tiles side by side for each block: twice the loads in flight for each
// thread.
#ifndef BDIMX
#define BDIMX 16
#endif
#ifndef BDIMY
#define BDIMY 16
#endif
#ifndef IPAD
#define IPAD 2
#endif

__global__ void transposeSmemUnrollPad(float *out, float *in, int nrows, int ncols) {
  __shared__ float tile[BDIMY][BDIMX * 2 + IPAD];
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  int idx = threadIdx.y * blockDim.x + threadIdx.x;
  int irow = idx / blockDim.y;
  int icol = idx % blockDim.y;
  int out_row = blockIdx.x * blockDim.x * 2 + irow;
  int out_col = blockIdx.y * blockDim.y + icol;
  int width = blockDim.x;

  if (row < nrows && col < ncols)
    tile[threadIdx.y][threadIdx.x] = in[row * ncols + col];
  if (row < nrows && col + width < ncols)
    tile[threadIdx.y][threadIdx.x + width] = in[row * ncols + col + width];
  __syncthreads();
  if (out_row < ncols && out_col < nrows)
    out[out_row * nrows + out_col] = tile[icol][irow];
  if (out_row + width < ncols && out_col < nrows)
    out[(out_row + width) * nrows + out_col] = tile[icol][irow + width];
}
