// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies, a transpose with a bank conflict, an atomic on a variable, constants, events and a stream: results are checked here.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = call;                                                                      \
    if (error != cudaSuccess) {                                                                    \
      printf("%s: %s\n", #call, cudaGetErrorString(error));                                        \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

__global__ void
transpose(float *out, const float *in, float factor, int n) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 1024 + y * 32 + x;
  tile[y][x] = in[i];
  __syncthreads();
  if (i < n)
    out[i] = factor * tile[x][y];
}

__device__ int counter = 5;
__constant__ int table[4] = {1, 2, 3, 4};

__global__ void
count() {
  atomicAdd(&counter, table[threadIdx.x & 3]);
}

__managed__ int managed = 3;

__global__ void
stray(int *out) {
  managed += 4;
  out[1 << 20] = 1;
}

int
main(int argc, char **argv) {
  enum {
    N = 4096
  };
  static float in[N], out[N];
  float *device_in, *device_out, milliseconds;
  int total = 0, wrong = 0, word;
  cudaStream_t stream;
  cudaEvent_t begin, end;
  CHECK(cudaMalloc(&device_in, sizeof in));
  CHECK(cudaMalloc(&device_out, sizeof out));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int i = 0; i < N; i++)
    in[i] = (float)i;
  CHECK(cudaMemcpyAsync(device_in, in, sizeof in, cudaMemcpyHostToDevice, stream));
  CHECK(cudaEventRecord(begin, stream));
  transpose<<<N / 1024, dim3(32, 32), 0, stream>>>(device_out, device_in, 2.5f, N);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    wrong += out[i] != 2.5f * in[i / 1024 * 1024 + i % 32 * 32 + i / 32 % 32];
  count<<<2, 64>>>();
  CHECK(cudaMemcpyFromSymbol(&total, counter, sizeof total));
  transpose<<<1, dim3(64, 32)>>>(device_out, device_in, 1, N);
  printf("%d wrong, total %d, then: %s\n", wrong, total, cudaGetErrorName(cudaGetLastError()));
  CHECK(cudaFree(device_in));
  stray<<<1, 1>>>((int *)device_out);
  printf("after the launch %s, ", cudaGetErrorName(cudaGetLastError()));
  printf("waiting %s, ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("later %s, managed %d\n", cudaGetErrorName(cudaMalloc(&device_in, 4)), managed);
  if (scanf("%d", &word) == 1)
    printf("%d words, the last '%s'; read %d\n", argc, argv[argc - 1], word);
  return wrong ? 1 : 7;
}
