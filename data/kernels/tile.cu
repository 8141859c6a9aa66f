// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A tile of ROWS x COLS elements with PAD unused ones at the end of each row, written by a block of
// (COLS, ROWS) in one order and read in another. "By columns" counts the threads down the columns.
#ifndef ROWS
#define ROWS 32
#endif
#ifndef COLS
#define COLS 32
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef ELEM
#define ELEM int
#endif
#ifndef WRITE_COL
#define WRITE_COL 0
#endif
#ifndef READ_COL
#define READ_COL 1
#endif
#ifndef DYNAMIC
#define DYNAMIC 0
#endif

__global__ void tile(ELEM *out, const ELEM *in) {
  unsigned int idx = threadIdx.y * COLS + threadIdx.x;
#if DYNAMIC
  extern __shared__ ELEM dyn_tile[];
#if WRITE_COL
  dyn_tile[idx % ROWS * (COLS + PAD) + idx / ROWS] = in[idx];
#else
  dyn_tile[threadIdx.y * (COLS + PAD) + threadIdx.x] = in[idx];
#endif
  __syncthreads();
#if READ_COL
  out[idx] = dyn_tile[idx % ROWS * (COLS + PAD) + idx / ROWS];
#else
  out[idx] = dyn_tile[threadIdx.y * (COLS + PAD) + threadIdx.x];
#endif
#else
  __shared__ ELEM tile[ROWS][COLS + PAD];
#if WRITE_COL
  tile[idx % ROWS][idx / ROWS] = in[idx];
#else
  tile[threadIdx.y][threadIdx.x] = in[idx];
#endif
  __syncthreads();
#if READ_COL
  out[idx] = tile[idx % ROWS][idx / ROWS];
#else
  out[idx] = tile[threadIdx.y][threadIdx.x];
#endif
#endif
}
