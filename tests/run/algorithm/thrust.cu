// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Thrust and CUB: sorting, scanning, reducing.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include "../check.h"

struct Square {
  __host__ __device__ int
  operator()(int x) const {
    return x * x;
  }
};

int
main() {
  const int N = 3000;
  thrust::device_vector<int> numbers(N), squares(N);
  thrust::sequence(numbers.begin(), numbers.end(), 1);
  thrust::transform(numbers.begin(), numbers.end(), squares.begin(), Square());
  EXPECT(thrust::reduce(squares.begin(), squares.begin() + 100) == 338350);
  thrust::inclusive_scan(numbers.begin(), numbers.end(), numbers.begin());
  EXPECT(numbers[N - 1] == N * (N + 1) / 2 && numbers[99] == 5050);
  thrust::host_vector<int> mixed(N);
  for (int i = 0; i < N; i++)
    mixed[i] = (int)(i * 2654435761u % 10007);
  thrust::device_vector<int> sorted = mixed;
  thrust::sort(sorted.begin(), sorted.end());
  thrust::host_vector<int> out = sorted;
  int wrong = 0;
  for (int i = 1; i < N; i++)
    wrong += out[i - 1] > out[i];
  EXPECT(wrong == 0);
  int *sum;
  void *space = nullptr;
  size_t bytes = 0;
  CHECK(cudaMalloc(&sum, sizeof *sum));
  CHECK(cub::DeviceReduce::Max(space, bytes, thrust::raw_pointer_cast(sorted.data()), sum, N));
  CHECK(cudaMalloc(&space, bytes));
  CHECK(cub::DeviceReduce::Max(space, bytes, thrust::raw_pointer_cast(sorted.data()), sum, N));
  int most = 0;
  CHECK(cudaMemcpy(&most, sum, sizeof most, cudaMemcpyDeviceToHost));
  EXPECT(most == out[N - 1]);
  return finish("thrust");
}
