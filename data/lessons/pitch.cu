// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A square tile is transposed. How far apart its rows are is a parameter.
__global__ void pitch(float *out, const float *in, int pitch) {
  extern __shared__ float tile[];
  int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 1024 + y * 32 + x;
  tile[y * pitch + x] = in[at];
  __syncthreads();
  out[at] = tile[x * pitch + y];
}
