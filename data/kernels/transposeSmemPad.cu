// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// transposeSmem with IPAD unused words at the end of each row: the column that a warp reads
// spreads over the banks.
#ifndef BDIMX
#define BDIMX 16
#endif
#ifndef BDIMY
#define BDIMY 16
#endif
#ifndef IPAD
#define IPAD 2
#endif

__global__ void transposeSmemPad(float *out, float *in, int nrows, int ncols) {
  __shared__ float tile[BDIMY][BDIMX + IPAD];
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int idx = threadIdx.y * blockDim.x + threadIdx.x;
  int irow = idx / blockDim.y;
  int icol = idx % blockDim.y;
  int out_row = blockIdx.x * blockDim.x + irow;
  int out_col = blockIdx.y * blockDim.y + icol;

  if (row < nrows && col < ncols)
    tile[threadIdx.y][threadIdx.x] = in[row * ncols + col];
  __syncthreads();
  if (out_row < ncols && out_col < nrows)
    out[out_row * nrows + out_col] = tile[icol][irow];
}
