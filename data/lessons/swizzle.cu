// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A square tile, written by rows and read by columns: with each row swizzled, or padded, or neither.
#ifndef SWIZZLE
#define SWIZZLE 1
#endif
#ifndef PAD
#define PAD 0
#endif
#if SWIZZLE
#define PLACE(row, column) ((column) ^ (row))
#else
#define PLACE(row, column) (column)
#endif

__global__ void swizzle(float *out, const float *in) {
  __shared__ float tile[32][32 + PAD];
  unsigned int x = threadIdx.x, y = threadIdx.y;

  tile[y][PLACE(y, x)] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[x][PLACE(x, y)];
}
