// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Prefix sums of an array of many blocks.
#include "../check.h"

enum {
  BLOCK = 512,
  BLOCKS = 40,
  N = BLOCK * BLOCKS - 100
};

__global__ void
scan_blocks(const int *in, int *out, int *sums, int n) {
  __shared__ int two[2][BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x, now = 0;
  two[0][threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < BLOCK; offset *= 2) {
    int sum = two[now][threadIdx.x];
    if (threadIdx.x >= offset)
      sum += two[now][threadIdx.x - offset];
    now ^= 1;
    two[now][threadIdx.x] = sum;
    __syncthreads();
  }
  if (i < n)
    out[i] = two[now][threadIdx.x];
  if (threadIdx.x == BLOCK - 1 && sums)
    sums[blockIdx.x] = two[now][threadIdx.x];
}

__global__ void
add_sums(int *out, const int *sums, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n && blockIdx.x > 0)
    out[i] += sums[blockIdx.x - 1];
}

int
main() {
  static int in[N], out[N];
  int *device_in, *device_out, *sums, wrong = 0, sum = 0;
  for (int i = 0; i < N; i++)
    in[i] = i * 7 % 13 - 5;
  CHECK(cudaMalloc(&device_in, sizeof in));
  CHECK(cudaMalloc(&device_out, sizeof out));
  CHECK(cudaMalloc(&sums, BLOCKS * sizeof *sums));
  CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
  scan_blocks<<<BLOCKS, BLOCK>>>(device_in, device_out, sums, N);
  scan_blocks<<<1, BLOCK>>>(sums, sums, nullptr, BLOCKS);
  add_sums<<<BLOCKS, BLOCK>>>(device_out, sums, N);
  CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++) {
    sum += in[i];
    wrong += out[i] != sum;
  }
  EXPECT(wrong == 0);
  return finish("scan");
}
