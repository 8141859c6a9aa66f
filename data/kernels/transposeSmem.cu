// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Transposes a matrix of nrows x ncols through a tile: written by rows, read by columns, so that
// both global sides are coalesced and the conflicts are in the shared load.
#ifndef BDIMX
#define BDIMX 16
#endif
#ifndef BDIMY
#define BDIMY 16
#endif

__global__ void transposeSmem(float *out, float *in, int nrows, int ncols) {
  __shared__ float tile[BDIMY][BDIMX];
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
