// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Transposes through shared memory: with conflicts, padded, swizzled, in vectors, of doubles.
// launch: --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 # nvcc clang
// launch: --entry 'transpose<1>' --block 32,8 --grid 2,2 --arg 2=64 # nvcc clang
// launch: --entry transpose_swizzled --block 32,8 --grid 2,2 --arg 2=64 # nvcc clang
// launch: --entry transpose_float4 --block 8,32 --grid 2,2 --arg 2=64 # nvcc
// launch: --entry transpose_double --block 16,16 --grid 2,2 --arg 2=32 # nvcc clang
template <int PAD> __global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8) {
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8) {
    out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
  }
}
template __global__ void transpose<0>(float *, const float *, int);
template __global__ void transpose<1>(float *, const float *, int);

extern "C" __global__ void transpose_swizzled(float *out, const float *in, int n) {
  __shared__ float tile[32 * 32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32;
  for (int row = threadIdx.y; row < 32; row += blockDim.y) {
    tile[row * 32 + (threadIdx.x ^ row)] = in[(y + row) * n + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32;
  for (int row = threadIdx.y; row < 32; row += blockDim.y) {
    out[(y + row) * n + x] = tile[threadIdx.x * 32 + (row ^ threadIdx.x)];
  }
}

extern "C" __global__ void transpose_float4(float *out, const float *in, int n) {
  __shared__ float tile[32][36];
  int row = threadIdx.y;
  int column = threadIdx.x * 4;
  float4 v = *(const float4 *)&in[(blockIdx.y * 32 + row) * n + blockIdx.x * 32 + column];
  *(float4 *)&tile[row][column] = v;
  __syncthreads();
  v.x = tile[column][row];
  v.y = tile[column + 1][row];
  v.z = tile[column + 2][row];
  v.w = tile[column + 3][row];
  *(float4 *)&out[(blockIdx.x * 32 + row) * n + blockIdx.y * 32 + column] = v;
}

extern "C" __global__ void transpose_double(double *out, const double *in, int n) {
  __shared__ double tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
