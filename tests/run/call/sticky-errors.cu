// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An error of a kernel: which calls return it; a reset does not bring the device back.
#include <cstdio>

__global__ void
store(int *p) {
  *p = 3;
}

static void
say(const char *what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
}

int
main() {
  int *p, value = 0;
  cudaMalloc(&p, sizeof *p);
  say("before", cudaDeviceSynchronize());
  store<<<1, 1>>>(p + (1 << 28));
  say("launch", cudaGetLastError());
  say("wait", cudaDeviceSynchronize());
  say("wait again", cudaDeviceSynchronize());
  say("last", cudaGetLastError());
  say("last again", cudaGetLastError());
  say("malloc", cudaMalloc(&p, sizeof *p));
  say("copy", cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  cudaDeviceReset();
  cudaGetLastError();
  cudaMalloc(&p, sizeof *p);
  store<<<1, 1>>>(p);
  cudaError_t error = cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
  printf("after the reset: %s, %d\n", cudaGetErrorName(error), value);
  printf("%s\n", cudaGetErrorString(cudaErrorIllegalAddress));
  return value != 0;
}
