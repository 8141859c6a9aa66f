// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A product whose A is a box of pixels (im2col): each row follows from the one before, and nothing is wrong with its descriptors.
#include <cuda.h>
#include <cuda_fp16.h>
#include <stdio.h>

// 64 pixels of 64 channels are the rows of A; B has eight rows of 64.
__global__ void
convolve(const __grid_constant__ CUtensorMap pixels, const __grid_constant__ CUtensorMap weights, float *out) {
  __shared__ __align__(1024) half a[64 * 64], b[8 * 64];
  __shared__ __align__(8) unsigned long long bar;
  unsigned at = (unsigned)__cvta_generic_to_shared(&bar), to = (unsigned)__cvta_generic_to_shared(a), tb = (unsigned)__cvta_generic_to_shared(b);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n fence.proxy.async;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 9216;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2}], [%3], {%4};" ::"r"(to), "l"(&pixels), "r"(0), "r"(at), "h"((short)0) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(tb), "l"(&weights), "r"(0), "r"(at) : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra WAIT;\n}" ::"r"(at) : "memory");
  float d[4] = {0, 0, 0, 0};
  unsigned long long x = ((unsigned long long)to >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62, y = ((unsigned long long)tb >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < 4; k++)
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(x + 2 * k), "l"(y + 2 * k));
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  for (int i = 0; i < 4; i++)
    out[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}

int
main() {
  half *in, *w;
  float *out;
  cudaMallocManaged(&in, 4 * 32 * 64 * 2);
  cudaMallocManaged(&w, 8 * 64 * 2);
  cudaMallocManaged(&out, 64 * 8 * 4);
  for (int i = 0; i < 4 * 32 * 64; i++)
    in[i] = __float2half(i * 7 % 11);
  for (int i = 0; i < 8 * 64; i++)
    w[i] = __float2half(i * 5 % 7);
  CUtensorMap pixels, weights;
  void *encode[2];
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &encode[0], 12000, cudaEnableDefault, &found);
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode[1], 12000, cudaEnableDefault, &found);
  cuuint64_t dims[3] = {64, 32, 4}, strides[2] = {128, 4096}, wd[2] = {64, 8}, ws[1] = {128};
  int lower[1] = {0}, upper[1] = {0};
  cuuint32_t steps[3] = {1, 1, 1}, box[2] = {64, 8};
  int bad = ((decltype(&cuTensorMapEncodeIm2col))encode[0])(&pixels, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, in, dims, strides, lower, upper, 64, 64, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  bad |= ((decltype(&cuTensorMapEncodeTiled))encode[1])(&weights, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, w, wd, ws, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  convolve<<<1, 128>>>(pixels, weights, out);
  cudaError_t error = cudaDeviceSynchronize();
  for (int r = 0; r < 64; r++)
    for (int c = 0; c < 8; c++) {
      float sum = 0;
      for (int k = 0; k < 64; k++)
        sum += __half2float(in[r * 64 + k]) * __half2float(w[c * 64 + k]);
      bad |= sum != out[r * 8 + c];
    }
  cudaFree(in);
  cudaFree(w);
  cudaFree(out);
  printf("%s %s\n", cudaGetErrorName(error), bad ? "wrong" : "right");
}
