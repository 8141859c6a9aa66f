// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Written by columns, read by rows: the store conflicts, the load does not. A square tile only:
// with BDIMX different from BDIMY the two index orders do not fit one array.
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif

__global__ void setColReadRow(int *out) {
  __shared__ int tile[BDIMX][BDIMY];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

  tile[threadIdx.x][threadIdx.y] = idx;
  __syncthreads();
  out[idx] = tile[threadIdx.y][threadIdx.x];
}
