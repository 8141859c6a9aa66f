// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers of the grid, and what they order.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void
phases(int *data, int *out, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int step = 0; step < 4; step++) {
    int left = data[(i + n - 1) % n], right = data[(i + 1) % n];
    grid.sync();
    data[i] = left + right + step;
    grid.sync();
  }
  if (i == 0)
    printf("ranks %d, valid %d\n", (int)grid.num_threads(), (int)grid.is_valid());
  out[i] = data[i];
}
__global__ void
total(int *data, unsigned *sum, int n) {
  __shared__ unsigned partial[256];
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  unsigned s = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    s += data[i];
  partial[threadIdx.x] = s;
  block.sync();
  for (int k = 128; k; k /= 2) {
    if (threadIdx.x < k)
      partial[threadIdx.x] += partial[threadIdx.x + k];
    block.sync();
  }
  if (threadIdx.x == 0)
    sum[blockIdx.x] = partial[0];
  grid.sync();
  if (grid.thread_rank() == 0) {
    unsigned all = 0;
    for (int b = 0; b < gridDim.x; b++)
      all += sum[b];
    sum[0] = all;
  }
}
int
main() {
  int n = 16 * 64, *data, *out;
  unsigned *sum;
  cudaMallocManaged(&data, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  cudaMallocManaged(&sum, 1024);
  for (int i = 0; i < n; i++)
    data[i] = i % 7;
  void *arguments[] = {&data, &out, &n};
  cudaError_t e = cudaLaunchCooperativeKernel((void *)phases, dim3(16), dim3(64), arguments, 0, 0);
  printf("%s %s\n", cudaGetErrorName(e), cudaGetErrorName(cudaDeviceSynchronize()));
  unsigned hash = 0;
  for (int i = 0; i < n; i++)
    hash = hash * 31 + out[i];
  printf("hash %u\n", hash);
  void *more[] = {&data, &sum, &n};
  e = cudaLaunchCooperativeKernel((void *)total, dim3(4), dim3(256), more, 0, 0);
  printf("%s %s ", cudaGetErrorName(e), cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%u\n", sum[0]);
  return 0;
}
