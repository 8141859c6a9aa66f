// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A histogram by atomics on shared and on global memory.
#include "../check.h"

enum {
  N = 1 << 15,
  BINS = 64
};

__global__ void
count(const unsigned char *in, unsigned *bins, int n) {
  __shared__ unsigned own[BINS];
  if (threadIdx.x < BINS)
    own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i] % BINS], 1);
  __syncthreads();
  if (threadIdx.x < BINS)
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void
extremes(const unsigned char *in, int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicMin(&values[0], in[i]);
  atomicMax(&values[1], in[i]);
  atomicOr((unsigned *)&values[2], 1u << (in[i] & 31));
  atomicXor((unsigned *)&values[3], (unsigned)in[i]);
  atomicCAS(&values[4], -1, 7);
  atomicInc((unsigned *)&values[5], 99);
}

int
main() {
  static unsigned char in[N];
  unsigned expected[BINS] = {}, bins[BINS], bits = 0, sum = 0;
  int least = 255, most = 0, values[6] = {1000, -1, 0, 0, -1, 0};
  for (int i = 0; i < N; i++) {
    in[i] = (unsigned char)((i * 2654435761u >> 13) % 200 + 3);
    expected[in[i] % BINS]++;
    least = in[i] < least ? in[i] : least;
    most = in[i] > most ? in[i] : most;
    bits |= 1u << (in[i] & 31);
    sum ^= in[i];
  }
  unsigned char *device;
  unsigned *device_bins;
  int *device_values;
  CHECK(cudaMalloc(&device, sizeof in));
  CHECK(cudaMalloc(&device_bins, sizeof bins));
  CHECK(cudaMalloc(&device_values, sizeof values));
  CHECK(cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_values, values, sizeof values, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(device_bins, 0, sizeof bins));
  count<<<8, 128>>>(device, device_bins, N);
  extremes<<<N / 128, 128>>>(device, device_values, N);
  CHECK(cudaMemcpy(bins, device_bins, sizeof bins, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(values, device_values, sizeof values, cudaMemcpyDeviceToHost));
  for (int i = 0; i < BINS; i++)
    EXPECT(bins[i] == expected[i]);
  EXPECT(values[0] == least && values[1] == most);
  EXPECT((unsigned)values[2] == bits && (unsigned)values[3] == sum);
  EXPECT(values[4] == 7 && values[5] == N % 100);
  return finish("histogram");
}
