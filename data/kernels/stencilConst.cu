// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A difference of eighth order along one dimension: each element from its RADIUS neighbours on either side,
// which a block of DIM threads keeps in shared memory. The coefficients are in constant memory, where all
// lanes of a warp ask for one word at a time. in[] has RADIUS more elements at either end than out[].
#ifndef DIM
#define DIM 128
#endif
#define RADIUS 4

__constant__ float coef[RADIUS] = {0.8f, -0.2f, 0.03809524f, -0.00357143f};

__global__ void stencilConst(float *in, float *out) {
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
    sum += coef[i] * (smem[sidx + i + 1] - smem[sidx - i - 1]);
  out[idx] = sum;
}
