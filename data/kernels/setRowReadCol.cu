// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Written by rows, read by columns, as a transposition does: the store is free of conflicts, the
// lanes of the load are BDIMX words apart. In a square block [icol][irow] is
// [threadIdx.x][threadIdx.y].
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif

__global__ void setRowReadCol(int *out) {
  __shared__ int tile[BDIMY][BDIMX];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int irow = idx / blockDim.y;
  unsigned int icol = idx % blockDim.y;

  tile[threadIdx.y][threadIdx.x] = idx;
  __syncthreads();
  out[idx] = tile[icol][irow];
}
