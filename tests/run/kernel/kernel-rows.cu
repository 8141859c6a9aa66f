// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// nvcc: -gencode arch=compute_100a,code=sm_100a
//
// Copies that name the rows of a tensor (tile::gather4, tile::scatter4; PTX ISA 9.0), with and without a swizzle, of rows beside the tensor and of
// columns beyond it. What they leave is by the document; it was compared with no device. Prints the first number of each row, and one more.
#include <cuda.h>

#include "../check.h"

enum {
  ROWS = 64,
  COLUMNS = 48, // of which a copy has WIDE
  WIDE = 32,
  PICKED = 4,
};

__device__ static unsigned
place(const void *pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

__global__ void
gather(const __grid_constant__ CUtensorMap map, int column, int4 rows, int *out) {
  __shared__ __align__(1024) int box[PICKED * WIDE];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(place(&barrier)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&barrier)), "n"(PICKED * WIDE * 4) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2,%3,%4,%5,%6}], [%7];" ::"r"(
                     place(box)),
                 "l"(&map), "r"(column), "r"(rows.x), "r"(rows.y), "r"(rows.z), "r"(rows.w), "r"(place(&barrier))
                 : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra W; }" ::"r"(place(&barrier)) : "memory");
  out[threadIdx.x] = box[threadIdx.x];
}

__global__ void
scatter(const __grid_constant__ CUtensorMap map, int column, int4 rows) {
  __shared__ __align__(1024) int box[PICKED * WIDE];
  box[threadIdx.x] = -1 - (int)threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%1,%2,%3,%4,%5}], [%6];" ::"l"(&map), "r"(column),
                 "r"(rows.x), "r"(rows.y), "r"(rows.z), "r"(rows.w), "r"(place(box))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

static int tensor[ROWS][COLUMNS], box[PICKED][WIDE];

int
main() {
  decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
  int *numbers, *out;
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      tensor[row][column] = row * 100 + column;
  CHECK(cudaMalloc(&numbers, sizeof tensor));
  CHECK(cudaMalloc(&out, sizeof box));
  CHECK(cudaMemcpy(numbers, tensor, sizeof tensor, cudaMemcpyHostToDevice));
  const cuuint64_t extents[] = {COLUMNS, ROWS}, strides[] = {sizeof tensor[0]};
  const cuuint32_t shape[] = {WIDE, 1}, steps[] = {1, 1};
  for (int swizzle = 0; swizzle < 2; swizzle++) {
    CUtensorMap map;
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, numbers, extents, strides, shape, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               swizzle ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
      printf("the map is refused\n");
    for (int column = 0; column < 48; column += 24) {
      gather<<<1, PICKED * WIDE>>>(map, column, make_int4(5, 63, 64, 2), out);
      CHECK(cudaMemcpy(box, out, sizeof box, cudaMemcpyDeviceToHost));
      for (int i = 0; i < PICKED; i++) // the second 16 bytes of a row are elsewhere if it is swizzled
        printf("%d %d%s", box[i][swizzle ? 4 * i : 0], box[i][(swizzle ? 4 * (7 ^ i) : 28) + 3], i < 3 ? ", " : "\n");
    }
  }
  CUtensorMap map;
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, numbers, extents, strides, shape, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    printf("the map is refused\n");
  scatter<<<1, PICKED * WIDE>>>(map, 4, make_int4(9, 3, 64, 40));
  CHECK(cudaMemcpy(tensor, numbers, sizeof tensor, cudaMemcpyDeviceToHost));
  int written = 0;
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      written += tensor[row][column] < 0;
  printf("%d written: %d %d, %d %d, %d %d\n", written, tensor[9][4], tensor[9][35], tensor[3][4], tensor[3][35], tensor[40][4], tensor[40][35]);
  cudaFree(numbers);
  cudaFree(out);
}
