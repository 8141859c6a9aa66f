// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Rows that are passed over several times: by a warp each, with factors that all warps share, and by a thread each.
// nvcc -O3 -arch=sm_90 -cubin -o passes.sm_90.cubin passes.cu

// Whichever warp of a block comes to a factor first waits for DRAM.
extern "C" __global__ void
scaled(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ factor,
       const float *__restrict__ offset, int n) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const float *from = in + (long)row * n;
  float sum = 0;
  for (int i = lane; i < n; i += 32)
    sum += from[i];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_xor_sync(~0u, sum, lanes);
#pragma unroll 1
  for (int i = lane; i < n; i += 32)
    out[(long)row * n + i] = (from[i] - sum) * factor[i] + offset[i];
}

// What is stored in the first pass has left the second-level cache when the second one changes it, if rows are long.
extern "C" __global__ void
in_place(float *out, const float *in, int n) {
  const int lane = threadIdx.x % 32;
  const float *from = in + (long)blockIdx.x * n;
  float *to = out + (long)blockIdx.x * n, sum = 0;
  for (int i = lane; i < n; i += 32)
    sum += to[i] = from[i] * 2;
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_xor_sync(~0u, sum, lanes);
  for (int i = lane; i < n; i += 32)
    to[i] = to[i] - sum;
}

// Each lane stores a part of a sector of its own: L1 looks up nothing meanwhile.
extern "C" __global__ void
of_threads(float *out, const float *in, int n) {
  const long row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++)
    sum += in[row * n + i];
#pragma unroll 1
  for (int i = 0; i < n; i++)
    out[row * n + i] = in[row * n + i] - sum;
}
