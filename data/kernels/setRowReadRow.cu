// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Written and read by rows: a warp touches 32 neighbouring words, so every access is one
// wavefront. The block is (BDIMX, BDIMY).
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif

__global__ void setRowReadRow(int *out) {
  __shared__ int tile[BDIMY][BDIMX];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

  tile[threadIdx.y][threadIdx.x] = idx;
  __syncthreads();
  out[idx] = tile[threadIdx.y][threadIdx.x];
}
