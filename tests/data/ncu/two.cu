// What ncu writes of this is recorded beside it (ncu 2025.3.1, an H100, 2026-11-27):
//   ncu --metrics … ./two >two.txt; with --csv >two.details.csv; with --csv --page raw >two.raw.csv
#include <cstdio>

__global__ void two(float *o, const float *in, int n) {
  __shared__ float s[512];
  int g = blockIdx.x * 256 + threadIdx.x;
  if (g < n) s[threadIdx.x * 2] = in[g] + 10.0f;
  __syncthreads();
  if (g < n) { o[g] = s[threadIdx.x * 2] * 2.0f; }
}

__global__ void zero(float *o, const float *in, int n) {
  __shared__ float s[256];
  int g = blockIdx.x * 256 + threadIdx.x;
  if (g < n) s[threadIdx.x] = in[g] + 10.0f;
  __syncthreads();
  if (g < n) { o[g] = s[threadIdx.x] * 2.0f; }
}

int main() {
  float *o, *in;
  int n = 8192;
  cudaMalloc(&o, n * 4);
  cudaMalloc(&in, n * 4);
  cudaMemset(in, 0, n * 4);
  two<<<32, 256>>>(o, in, n);
  zero<<<32, 256>>>(o, in, n);
  two<<<32, 256>>>(o, in, n - 100);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
