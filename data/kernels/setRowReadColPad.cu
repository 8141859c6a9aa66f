// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// setRowReadCol with IPAD unused words at the end of each row, which shift the rows by IPAD banks.
// A square block needs one word; one of 32 x 16, where a warp reads two columns, needs two.
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif
#ifndef IPAD
#define IPAD 1
#endif

__global__ void setRowReadColPad(int *out) {
  __shared__ int tile[BDIMY][BDIMX + IPAD];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int irow = idx / blockDim.y;
  unsigned int icol = idx % blockDim.y;

  tile[threadIdx.y][threadIdx.x] = idx;
  __syncthreads();
  out[idx] = tile[icol][irow];
}
