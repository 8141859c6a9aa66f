// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// 1024 integers in rising order, by a bitonic network.
__global__ void sort(int *data) {
  __shared__ int keys[1024];
  int t = threadIdx.x;
  keys[t] = data[blockIdx.x * 1024 + t];
  keys[t + 512] = data[blockIdx.x * 1024 + t + 512];
  for (int length = 2; length <= 1024; length *= 2) {
    for (int stride = length / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * t - (t & (stride - 1)), high = low + stride;
      int a = keys[low], b = keys[high];
      int falls = (low & length) != 0;
      keys[low] = (a > b) != falls ? b : a;
      keys[high] = (a > b) != falls ? a : b;
    }
  }
  __syncthreads();
  data[blockIdx.x * 1024 + t] = keys[t];
  data[blockIdx.x * 1024 + t + 512] = keys[t + 512];
}
