// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The toolkit's libraries, to capture on a GPU (capture.sh): cuBLAS, cuFFT and CUB as they come.
#include <cstdio>
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cufft.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if (int error = (int)(call)) {                                                                 \
      printf("%s: %d\n", #call, error);                                                            \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

int main() {
  const int n = 512, items = 1 << 16;
  float *a, *b, *c, one = 1, zero = 0;
  CHECK(cudaMalloc(&a, n * n * 8));
  CHECK(cudaMalloc(&b, n * n * 8));
  CHECK(cudaMalloc(&c, n * n * 8));
  CHECK(cudaMemset(a, 0, n * n * 8));
  CHECK(cudaMemset(b, 0, n * n * 8));
  cublasHandle_t blas;
  CHECK(cublasCreate(&blas));
  CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n));
  CHECK(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, 100, 60, 40, &one, a, n, b, n, &zero, c, n));
  CHECK(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, CUDA_R_16F, n, b, CUDA_R_16F, n,
                     &zero, c, CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  CHECK(cublasSgemv(blas, CUBLAS_OP_T, n, n, &one, a, n, b, 1, &zero, c, 1));
  cufftHandle fft;
  CHECK(cufftPlan1d(&fft, 1000, CUFFT_C2C, 16));
  CHECK(cufftExecC2C(fft, (cufftComplex *)a, (cufftComplex *)c, CUFFT_FORWARD));
  CHECK(cufftPlan2d(&fft, 64, 128, CUFFT_R2C));
  CHECK(cufftExecR2C(fft, a, (cufftComplex *)c));
  std::vector<unsigned> keys(items);
  for (unsigned i = 0; i < items; i++)
    keys[i] = i * 2654435761u >> 7;
  unsigned *in, *out, *temporary = nullptr;
  size_t bytes = 0;
  CHECK(cudaMalloc(&in, items * 4));
  CHECK(cudaMalloc(&out, items * 4));
  CHECK(cudaMemcpy(in, keys.data(), items * 4, cudaMemcpyDefault));
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, items));
  CHECK(cudaMalloc(&temporary, bytes));
  CHECK(cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, items));
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, items));
  CHECK(cudaMalloc(&temporary, bytes));
  CHECK(cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, items));
  CHECK(cub::DeviceReduce::Sum(nullptr, bytes, in, out, items));
  CHECK(cudaMalloc(&temporary, bytes));
  CHECK(cub::DeviceReduce::Sum(temporary, bytes, in, out, items));
  CHECK(cudaDeviceSynchronize());
  puts("done");
  return 0;
}
