// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// transposeSmem in dynamic shared memory of blockDim.x * blockDim.y * 4 bytes.

__global__ void transposeSmemDyn(float *out, float *in, int nrows, int ncols) {
  extern __shared__ float tile[];
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int idx = threadIdx.y * blockDim.x + threadIdx.x;
  int irow = idx / blockDim.y;
  int icol = idx % blockDim.y;
  int out_row = blockIdx.x * blockDim.x + irow;
  int out_col = blockIdx.y * blockDim.y + icol;

  if (row < nrows && col < ncols)
    tile[idx] = in[row * ncols + col];
  __syncthreads();
  if (out_row < ncols && out_col < nrows)
    out[out_row * nrows + out_col] = tile[icol * blockDim.x + irow];
}
