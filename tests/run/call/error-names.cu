// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The names and texts of all errors of CUDA 13.0.
#include <cstdio>

int
main() {
  for (int i = 0; i < 1000; i++) {
    const char *name = cudaGetErrorName((cudaError_t)i);
    if (name[0] == 'c')
      printf("%d %s: %s\n", i, name, cudaGetErrorString((cudaError_t)i));
  }
  printf("%s\n", cudaGetErrorString((cudaError_t)12345));
  return 0;
}
