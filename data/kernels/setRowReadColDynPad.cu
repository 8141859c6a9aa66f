// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// setRowReadColPad in dynamic shared memory of (BDIMX + IPAD) * BDIMY * 4 bytes.
#ifndef BDIMX
#define BDIMX 32
#endif
#ifndef BDIMY
#define BDIMY 32
#endif
#ifndef IPAD
#define IPAD 1
#endif

__global__ void setRowReadColDynPad(int *out) {
  extern __shared__ int tile[];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int irow = idx / blockDim.y;
  unsigned int icol = idx % blockDim.y;

  tile[threadIdx.y * (blockDim.x + IPAD) + threadIdx.x] = idx;
  __syncthreads();
  out[idx] = tile[icol * (blockDim.x + IPAD) + irow];
}
