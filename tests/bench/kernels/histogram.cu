// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How often each number below 256 occurs.
__global__ void histogram(int *out, const int *in, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 256)
    atomicAdd(&bins[in[blockIdx.x * n + i]], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
