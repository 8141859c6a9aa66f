// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums by shared memory, by shuffles, by atomics, and of a warp's votes.
#include "../check.h"

enum {
  N = 1 << 15,
  BLOCK = 256
};

__global__ void
by_shared(const int *in, int *out, int n) {
  __shared__ int part[BLOCK];
  int sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}

__global__ void
by_shuffle(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
    sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(~0u, sum, offset);
  if ((threadIdx.x & 31) == 0)
    atomicAdd(out, sum);
}

__global__ void
by_vote(const int *in, int *out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  unsigned mask = __ballot_sync(~0u, i < n && in[i] % 3 == 0);
  int largest = __reduce_max_sync(~0u, i < n ? in[i] : 0);
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(&out[0], __popc(mask));
    atomicMax(&out[1], largest);
  }
}

int
main() {
  static int in[N], out[16];
  static float floats[N];
  long long sum = 0, threes = 0;
  for (int i = 0; i < N; i++) {
    in[i] = i * 37 % 1001;
    floats[i] = (float)(in[i] % 8);
    sum += in[i];
    threes += in[i] % 3 == 0;
  }
  int *device, *results;
  float *device_floats, *total;
  CHECK(cudaMalloc(&device, sizeof in));
  CHECK(cudaMalloc(&results, sizeof out));
  CHECK(cudaMalloc(&device_floats, sizeof floats));
  CHECK(cudaMalloc(&total, sizeof *total));
  CHECK(cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_floats, floats, sizeof floats, cudaMemcpyHostToDevice));
  by_shared<<<16, BLOCK>>>(device, results, N);
  CHECK(cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost));
  long long got = 0;
  for (int i = 0; i < 16; i++)
    got += out[i];
  EXPECT(got == sum);
  // Whole numbers: the order of the additions does not matter.
  float expected = 0, value = 0;
  for (int i = 0; i < N; i++)
    expected += floats[i];
  CHECK(cudaMemset(total, 0, sizeof *total));
  by_shuffle<<<8, BLOCK>>>(device_floats, total, N);
  CHECK(cudaMemcpy(&value, total, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == expected);
  CHECK(cudaMemset(results, 0, sizeof out));
  by_vote<<<N / BLOCK, BLOCK>>>(device, results, N - 5);
  CHECK(cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = N - 5; i < N; i++)
    threes -= in[i] % 3 == 0;
  EXPECT(out[0] == threes && out[1] == 1000);
  return finish("reduction");
}
