// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Eight streams are read; a tile has 2-way conflicts.
extern "C" __global__ void stream(float *out, const float *in, int n) {
  __shared__ float s[512];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float sum = 0;
  for (int k = 0; k < 8; k++)
    sum += in[k * n + i];
  s[t * 2] = sum;
  __syncthreads();
  out[i] = s[(t ^ 1) * 2];
}
