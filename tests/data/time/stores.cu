// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks that do nothing, threads that each store words side by side, one after the other, and blocks that load the like.
// nvcc -O3 -arch=sm_90 -cubin -o stores.sm_90.cubin stores.cu

extern "C" __global__ void
nothing(float *, int) {}

template <int WIDE, int WORDS>
__device__ void
store(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
#pragma unroll
    for (int w = 0; w < WORDS; w++)
      out[(size_t)i * WIDE + w] = i + w;
}

#define STORE(wide, words)                                                                         \
  extern "C" __global__ void words_##words##_of_##wide(float *out, int n) {                        \
    store<wide, words>(out, n);                                                                    \
  }
STORE(2, 2)
STORE(3, 3)
STORE(5, 5)
STORE(6, 6)
STORE(8, 4)
STORE(8, 8)
STORE(16, 8)
STORE(32, 32)

// Blocks of 128 threads load four lines each, of which three are those of the next one.
extern "C" __global__ void
window(float *out, const float *in) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
}
