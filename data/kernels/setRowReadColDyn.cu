// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// setRowReadCol in dynamic shared memory of BDIMX * BDIMY * 4 bytes: the program finds the rows by
// itself, the conflicts are the same.
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif

__global__ void setRowReadColDyn(int *out) {
  extern __shared__ int tile[];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int irow = idx / blockDim.y;
  unsigned int icol = idx % blockDim.y;

  tile[idx] = idx;
  __syncthreads();
  out[idx] = tile[icol * blockDim.x + irow];
}
