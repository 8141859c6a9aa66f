// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads of constant memory beyond what the program has there: the next variable, or zeros. On a device it is no error.
#include "../check.h"

__constant__ int few[5] = {1, 2, 3, 4, 5};
__constant__ double many[298];

struct Numbers {
  int n[10];
};

__global__ void load_few(int i, int *result) { *result = few[i]; }
__global__ void load_many(int i, double *result) { *result = many[i]; }
__global__ void load_parameter(Numbers numbers, int i, int *result) { *result = numbers.n[i]; }

int main() {
  static double values[298];
  double *real;
  int *whole;
  CHECK(cudaMallocManaged(&real, sizeof *real));
  CHECK(cudaMallocManaged(&whole, sizeof *whole));
  for (int i = 0; i < 298; i++)
    values[i] = i + 0.5;
  CHECK(cudaMemcpyToSymbol(many, values, sizeof values));
  for (int i : {4, 5, 6, 7, 8, 63, 64, 100, 597, 600, 601, 602, 603, 604, 640, 1000, 16383, 16384, 1000000, -1, -2, -100}) {
    *whole = -7;
    load_few<<<1, 1>>>(i, whole);
    CHECK(cudaDeviceSynchronize());
    printf("few %d: %x\n", i, *whole);
  }
  for (int i : {297, 298, 299, 310, 8191, 100000}) {
    *real = -7;
    load_many<<<1, 1>>>(i, real);
    CHECK(cudaDeviceSynchronize());
    printf("many %d: %g\n", i, *real);
  }
  Numbers numbers;
  for (int i = 0; i < 10; i++)
    numbers.n[i] = 100 + i;
  for (int i : {9, 10, 11, 14, 20, 100, 1000}) {
    *whole = -7;
    load_parameter<<<1, 1>>>(numbers, i, whole);
    CHECK(cudaDeviceSynchronize());
    printf("parameter %d: %x\n", i, *whole);
  }
  return 0;
}
