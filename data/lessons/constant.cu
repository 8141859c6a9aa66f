// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A warp loads words of constant memory, SHARE lanes each.
#ifndef SHARE
#define SHARE 32
#endif

__constant__ float weights[32];

__global__ void constant(float *out) {
  out[threadIdx.x] = weights[threadIdx.x / SHARE];
}
