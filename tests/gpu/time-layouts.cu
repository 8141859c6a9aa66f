// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Times kernels (float *c, const float *a, const float *b, int n), each in a cubin of its own, in turns, so that clocks and
// temperature are the same for all. For time-layouts.py; built with nvcc.
//
//   time-layouts TURNS N GRID_X GRID_Y BLOCK_X BLOCK_Y KERNEL CUBIN...
//
// Writes a line for each cubin: its name, the median, least and most milliseconds of a launch, and whether C is what the
// first cubin left.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void
check(cudaError_t result, const char *what) {
  if (result == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  exit(1);
}

int
main(int argc, char **argv) {
  if (argc < 9)
    return 2;
  int turns = atoi(argv[1]), n = atoi(argv[2]), forms = argc - 8;
  dim3 grid(atoi(argv[3]), atoi(argv[4])), block(atoi(argv[5]), atoi(argv[6]));
  size_t elements = (size_t)n * n, bytes = elements * sizeof(float);
  std::vector<float> host(elements), first(elements), left(elements);
  float *a, *b, *c;
  check(cudaMalloc(&a, bytes), "a");
  check(cudaMalloc(&b, bytes), "b");
  check(cudaMalloc(&c, bytes), "c");
  for (size_t i = 0; i < elements; i++)
    host[i] = (float)(int)(i * 2654435761u >> 28) - 8;
  check(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice), "a");
  check(cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice), "b");
  cudaEvent_t start, end;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&end), "event");
  void *arguments[] = {&c, &a, &b, &n};
  std::vector<cudaKernel_t> kernels(forms);
  std::vector<const char *> same(forms, "same");
  for (int i = 0; i < forms; i++) {
    cudaLibrary_t library;
    check(cudaLibraryLoadFromFile(&library, argv[8 + i], nullptr, nullptr, 0, nullptr, nullptr, 0), argv[8 + i]);
    check(cudaLibraryGetKernel(&kernels[i], library, argv[7]), argv[7]);
    check(cudaMemset(c, 0, bytes), "c");
    check(cudaLaunchKernel((const void *)kernels[i], grid, block, arguments, 0, 0), argv[8 + i]);
    check(cudaMemcpy((i ? left : first).data(), c, bytes, cudaMemcpyDeviceToHost), argv[8 + i]);
    if (i && memcmp(left.data(), first.data(), bytes) != 0)
      same[i] = "OTHER";
  }
  std::vector<std::vector<float>> times(forms);
  for (int turn = 0; turn < turns; turn++) {
    for (int i = 0; i < forms; i++) {
      float milliseconds;
      check(cudaEventRecord(start), "event");
      check(cudaLaunchKernel((const void *)kernels[i], grid, block, arguments, 0, 0), argv[8 + i]);
      check(cudaEventRecord(end), "event");
      check(cudaEventSynchronize(end), argv[8 + i]);
      check(cudaEventElapsedTime(&milliseconds, start, end), "time");
      times[i].push_back(milliseconds);
    }
  }
  for (int i = 0; i < forms; i++) {
    std::sort(times[i].begin(), times[i].end());
    printf("%s %.4f %.4f %.4f %s\n", argv[8 + i], times[i][turns / 2], times[i].front(), times[i].back(), same[i]);
  }
  return 0;
}
