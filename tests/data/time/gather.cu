// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses to global memory whose addresses are what memory holds: of a load, a store, a copy to shared memory, and a load that memory decides about.
// nvcc -O3 -arch=sm_90 -cubin -o gather.sm_90.cubin gather.cu
#include <cuda_pipeline.h>

enum { THREADS = 256 };

extern "C" __global__ void
loaded(const int *index, const float *in, float *out) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  out[i] = in[index[i]];
}

extern "C" __global__ void
stored(float **outs, const float *in) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  outs[blockIdx.x & 7][i] = in[i];
}

extern "C" __global__ void
copied(const int *index, const float *in, float *out) {
  __shared__ float tile[THREADS];
  int i = blockIdx.x * THREADS + threadIdx.x;
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[index[i]], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[THREADS - 1 - threadIdx.x];
}

extern "C" __global__ void
guarded(const int *flag, const float *in, float *out) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  float x = 0;
  if (flag[i])
    x = in[i];
  out[i] = x;
}
