// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory for kernels whose time is measured, and how they are launched: each once, on outputs that are zero.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t result_ = (call);                                                                  \
    if (result_) {                                                                                 \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(result_));  \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static const size_t buffer_bytes = (size_t)64 << 20;
// Inputs: numbers from 0.5 to 1.5 that repeat every 4 KiB, so that a capture of them is small; indices: 1 Mi of them, each once, scattered.
static float *in_a, *in_b, *out_a, *out_b;
static unsigned *indices;

static inline void
make_memory() {
  std::vector<float> numbers(buffer_bytes / 4);
  for (size_t i = 0; i < numbers.size(); i++)
    numbers[i] = 0.5f + (float)(i * 7 % 1024) / 1024;
  std::vector<unsigned> order(1 << 20);
  for (unsigned i = 0; i < order.size(); i++)
    order[i] = (i * 0x9e3779b1u + 12345) & ((1 << 20) - 1);
  CHECK(cudaMalloc(&in_a, buffer_bytes));
  CHECK(cudaMalloc(&in_b, buffer_bytes));
  CHECK(cudaMalloc(&out_a, buffer_bytes));
  CHECK(cudaMalloc(&out_b, buffer_bytes));
  CHECK(cudaMalloc(&indices, 4 << 20));
  CHECK(cudaMemcpy(in_a, numbers.data(), buffer_bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(in_b, numbers.data(), buffer_bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(indices, order.data(), 4 << 20, cudaMemcpyHostToDevice));
}

template <typename... P, typename... A>
static void
launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, A... arguments) {
  CHECK(cudaMemset(out_a, 0, buffer_bytes));
  CHECK(cudaMemset(out_b, 0, buffer_bytes));
  if (shared > 48 << 10)
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  kernel<<<grid, block, shared>>>(arguments...);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
