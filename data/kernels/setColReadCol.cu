// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Written and read by columns: neighbouring lanes are BDIMY words apart, so that a warp meets in
// few banks, on the way in as on the way out. The tile is as high as the block is wide.
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif

__global__ void setColReadCol(int *out) {
  __shared__ int tile[BDIMX][BDIMY];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;

  tile[threadIdx.x][threadIdx.y] = idx;
  __syncthreads();
  out[idx] = tile[threadIdx.x][threadIdx.y];
}
