// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Variables of the module: addresses, sizes, copies, initial values.
#include "../check.h"

__device__ int counters[16] = {1, 2, 3};
__constant__ float factors[4] = {0.5f, 1, 2, 4};
__device__ double sum;
struct Pair {
  int a;
  short b;
};
__device__ Pair pair = {7, -2};

__global__ void
count() {
  atomicAdd(&counters[threadIdx.x & 15], 1);
  if (threadIdx.x < 4)
    atomicAdd(&sum, (double)factors[threadIdx.x]);
  if (threadIdx.x == 0)
    pair.b *= 10;
}

int
main() {
  cudaStream_t stream;
  int values[16];
  size_t bytes = 0;
  void *address = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaGetSymbolSize(&bytes, counters));
  EXPECT(bytes == 64);
  CHECK(cudaGetSymbolSize(&bytes, pair));
  EXPECT(bytes == 8);
  count<<<1, 32>>>();
  CHECK(cudaMemcpyFromSymbol(values, counters, sizeof values));
  EXPECT(values[0] == 3 && values[1] == 4 && values[2] == 5 && values[3] == 2);
  double total = 0;
  CHECK(cudaMemcpyFromSymbol(&total, sum, sizeof total));
  EXPECT(total == 7.5);
  Pair got;
  CHECK(cudaMemcpyFromSymbolAsync(&got, pair, sizeof got, 0, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(got.a == 7 && got.b == -20);
  float changed[2] = {10, 20};
  CHECK(cudaMemcpyToSymbolAsync(factors, changed, sizeof changed, 2 * sizeof(float),
                                cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
  count<<<1, 32>>>();
  CHECK(cudaMemcpyFromSymbol(&total, sum, sizeof total));
  EXPECT(total == 7.5 + 31.5);
  CHECK(cudaGetSymbolAddress(&address, counters));
  CHECK(cudaMemset(address, 0, 64));
  CHECK(cudaMemcpyFromSymbol(values, counters, sizeof values));
  EXPECT(values[5] == 0);
  FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(values, counters, sizeof values, 4));
  FAILS(cudaErrorInvalidMemcpyDirection,
        cudaMemcpyToSymbol(counters, values, 4, 0, cudaMemcpyDeviceToHost));
  FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, (const void *)&values));
  CHECK(cudaStreamDestroy(stream));
  cudaGetLastError();
  return finish("symbols");
}
