// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel for each width of accesses: neighbours in a block exchange what they hold.
#include <hip/hip_runtime.h>

#define EXCHANGE(name, type)                                                                       \
  extern "C" __global__ void __launch_bounds__(256) name(type *out, const type *in) {              \
    __shared__ type held[256];                                                                     \
    unsigned at = hipThreadIdx_x + hipBlockDim_x * hipBlockIdx_x;                                  \
    held[hipThreadIdx_x] = in[at];                                                                 \
    __syncthreads();                                                                               \
    out[at] = held[hipThreadIdx_x ^ 5];                                                            \
  }

EXCHANGE(bytes, unsigned char)
EXCHANGE(shorts, unsigned short)
EXCHANGE(words, float)
EXCHANGE(doubles, double)
EXCHANGE(longs, unsigned long long)
EXCHANGE(pairs, float2)
EXCHANGE(quads, float4)

extern "C" __global__ void __launch_bounds__(256) dynamic(int *out, const int *in) {
  HIP_DYNAMIC_SHARED(int, held)
  held[threadIdx.x] = in[threadIdx.x];
  __builtin_amdgcn_s_barrier();
  out[threadIdx.x] = held[255 - threadIdx.x];
}
