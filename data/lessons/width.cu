// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A warp loads elements of a type, STRIDE apart.
#ifndef ELEM
#define ELEM float4
#endif
#ifndef STRIDE
#define STRIDE 1
#endif

__global__ void width(ELEM *out, const ELEM *in) {
  __shared__ ELEM tile[32 * STRIDE];
  for (unsigned int i = threadIdx.x; i < 32 * STRIDE; i += blockDim.x)
    tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x * STRIDE];
}
