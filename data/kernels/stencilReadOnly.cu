// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// stencilConst with its coefficients in global memory, through the read-only path: a load of one word by all lanes
// is one sector there, and lanes may as well ask for different words.
#ifndef DIM
#define DIM 128
#endif
#define RADIUS 4

__global__ void stencilReadOnly(float *in, float *out, const float *__restrict__ coef) {
  __shared__ float smem[DIM + 2 * RADIUS];
  unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int sidx = threadIdx.x + RADIUS;

  smem[sidx] = in[idx + RADIUS];
  if (threadIdx.x < RADIUS) {
    smem[sidx - RADIUS] = in[idx];
    smem[sidx + blockDim.x] = in[idx + blockDim.x + RADIUS];
  }
  __syncthreads();

  float sum = 0.0f;
  for (int i = 0; i < RADIUS; i++)
    sum += __ldg(&coef[i]) * (smem[sidx + i + 1] - smem[sidx - i - 1]);
  out[idx] = sum;
}
