// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Written and read by columns in a tile of the block's own shape: the thread's number in the
// block, counted down the columns, gives the element.
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif

__global__ void setColReadCol2(int *out) {
  __shared__ int tile[BDIMY][BDIMX];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int irow = idx / blockDim.y;
  unsigned int icol = idx % blockDim.y;

  tile[icol][irow] = idx;
  __syncthreads();
  out[idx] = tile[icol][irow];
}
