// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A program of two texts (two-second.cu): managed memory, pinned memory, streams and events.
#include <cstdio>

#ifdef SEPARATE
extern __device__ int twice(int);
#else
static __device__ int
twice(int value) {
  return 2 * value;
}
#endif

void add_one(int *numbers);

__global__ void
count_twice(int *numbers) {
  numbers[threadIdx.x] = twice(threadIdx.x);
}

__global__ void
scale(float *numbers, float factor) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

static void
use_streams() {
  const int half = 512, bytes = half * sizeof(float);
  float *numbers, *parts[2], milliseconds = -1;
  cudaStream_t streams[2];
  cudaEvent_t begin, end;
  cudaMallocHost(&numbers, 2 * bytes);
  for (int i = 0; i < 2 * half; i++)
    numbers[i] = (float)i;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  for (int i = 0; i < 2; i++) {
    cudaStreamCreate(&streams[i]);
    cudaMalloc(&parts[i], bytes);
    cudaMemcpyAsync(parts[i], numbers + i * half, bytes, cudaMemcpyHostToDevice, streams[i]);
    scale<<<half / 128, 128, 0, streams[i]>>>(parts[i], 2.0f + (float)i);
    cudaMemcpyAsync(numbers + i * half, parts[i], bytes, cudaMemcpyDeviceToHost, streams[i]);
  }
  cudaEventRecord(end);
  cudaDeviceSynchronize();
  cudaEventElapsedTime(&milliseconds, begin, end);
  printf("event after %s ms, halves %g %g, stream %s\n", milliseconds >= 0 ? "0 or more" : "no",
         numbers[10], numbers[600], cudaStreamQuery(streams[1]) == cudaSuccess ? "idle" : "busy");
}

int
main() {
  int *numbers;
  cudaMallocManaged(&numbers, 32 * sizeof *numbers);
  count_twice<<<1, 32>>>(numbers);
  cudaDeviceSynchronize();
  printf("managed 31: %d", numbers[31]);
  add_one(numbers);
  printf(", then %d\n", numbers[31]);
  use_streams();
  printf("last %s\n", cudaGetErrorName(cudaGetLastError()));
}
