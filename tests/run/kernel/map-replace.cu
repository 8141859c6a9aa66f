// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor maps that a kernel changes (tensormap.replace) and copies to where a copy finds them (tensormap.cp_fenceproxy): the changed
// map has the bytes of one that the driver makes, apart from those that no copy reads, and a box that it copies is the right one.
// nvcc: -gencode arch=compute_90a,code=sm_90a
#include <cuda.h>

#include <cstdint>
#include <cstring>

#include "../check.h"

enum {
  MAP_WORDS = 32,
  READ_WORDS = 16, // by copies
  COLUMNS = 64,
  ROWS = 96
};

#define REPLACE(field, type, values) \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], " values ";" ::"r"(place), "r"(number), "l"(wide) : "memory")
#define REPLACE_GLOBAL(field, type, values) \
  asm volatile("tensormap.replace.tile." field ".global.b1024." type " [%0], " values ";" ::"l"(to), "r"(number), "l"(wide) : "memory")

// Each case changes one thing, or two. Those from GLOBAL_CASES on are changed where they are copied to.
enum {
  CASES = 16,
  GLOBAL_CASES = 13
};

__device__ void change(int which, uint32_t place, CUtensorMap *to, const void *moved) {
  uint32_t number = 0;
  uint64_t wide = (uint64_t)moved;
  switch (which) {
  case 0: REPLACE("global_address", "b64", "%2"); break;
  case 1: number = 1; REPLACE("rank", "b32", "%1"); break;
  case 2: number = 16; REPLACE("box_dim", "b32", "0, %1"); break;
  case 3: number = 7; REPLACE("box_dim", "b32", "1, %1"); break;
  case 4: number = 40; REPLACE("global_dim", "b32", "0, %1"); break;
  case 5: number = 77; REPLACE("global_dim", "b32", "1, %1"); break;
  case 6: wide = 512; REPLACE("global_stride", "b64", "0, %2"); break;
  case 7: number = 2; REPLACE("element_stride", "b32", "1, %1"); break;
  case 8: REPLACE("elemtype", "b32", "2"); break;
  case 9: REPLACE("elemtype", "b32", "11"); break;
  case 10: REPLACE("swizzle_mode", "b32", "1"); break;
  case 11: REPLACE("fill_mode", "b32", "1"); break;
  case 12: wide = 0x123456780ull; REPLACE("global_stride", "b64", "0, %2"); break;
  case 13: REPLACE_GLOBAL("global_address", "b64", "%2"); break;
  case 14: number = 33; REPLACE_GLOBAL("global_dim", "b32", "0, %1"); break;
  case 15: REPLACE_GLOBAL("swizzle_mode", "b32", "3"); break;
  }
}

__global__ void replace(const __grid_constant__ CUtensorMap map, CUtensorMap *to, const void *moved, int which, uint32_t *box, uint32_t bytes) {
  __shared__ alignas(1024) uint32_t data[2048];
  __shared__ alignas(128) uint32_t changed[MAP_WORDS];
  __shared__ uint64_t bar;
  uint32_t place = (uint32_t)__cvta_generic_to_shared(changed), barrier = (uint32_t)__cvta_generic_to_shared(&bar);
  for (uint32_t i = threadIdx.x; i < 2048; i += MAP_WORDS)
    data[i] = 0;
  asm volatile("fence.proxy.async;" ::: "memory");
  changed[threadIdx.x] = ((const uint32_t *)&map)[threadIdx.x];
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(barrier));
  __syncwarp();
  if (threadIdx.x == 0 && which < GLOBAL_CASES)
    change(which, place, to, moved);
  __syncwarp();
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(to), "r"(place) : "memory");
  if (threadIdx.x == 0 && which >= GLOBAL_CASES) {
    change(which, place, to, moved);
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
  }
  __syncwarp();
  if (bytes == 0)
    return;
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(to) : "memory");
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], [%2];" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(data)),
                 "l"(to), "r"(barrier), "r"(4)
                 : "memory");
  }
  asm volatile("{.reg .pred p; w%=: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra w%=;}" ::"r"(barrier) : "memory");
  for (uint32_t i = threadIdx.x; i < bytes / 4; i += MAP_WORDS)
    box[i] = data[i];
}

typedef CUresult (*EncodeTiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                                const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// The map that a case changes (-1), or that it makes.
static void encode(CUtensorMap *map, EncodeTiled encode_tiled, int which, char *tensor, char *moved) {
  cuuint64_t extents[2] = {COLUMNS, ROWS}, strides[1] = {COLUMNS * 4};
  cuuint32_t box[2] = {8, 16}, steps[2] = {1, 1};
  int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, swizzle = 0, fill = 0, rank = 2;
  switch (which) {
  case 2: box[0] = 16; break;
  case 3: box[1] = 7; break;
  case 4: extents[0] = 40; break;
  case 5: extents[1] = 77; break;
  case 6: strides[0] = 512; break;
  case 7: steps[1] = 2; break;
  case 8: type = CU_TENSOR_MAP_DATA_TYPE_UINT32; break;
  case 9: type = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32; break;
  case 10: swizzle = 1; break;
  case 11: fill = 1; break;
  case 12: strides[0] = 0x123456780ull; break;
  case 14: extents[0] = 33; break;
  case 15: swizzle = 3; break;
  }
  expect_true(encode_tiled(map, (CUtensorMapDataType)type, rank, which == 0 || which == 13 ? moved : tensor, extents, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           (CUtensorMapFloatOOBfill)fill) == CUDA_SUCCESS,
              "encode", __LINE__);
}

int main() {
  EncodeTiled encode_tiled;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode_tiled, 12000, cudaEnableDefault, &found));
  static float numbers[2 * 256 * 1024];
  for (int i = 0; i < 2 * 256 * 1024; i++)
    numbers[i] = i * 0.37f;
  char *tensor;
  CUtensorMap *to;
  static CUtensorMap base, made, changed;
  uint32_t *box, words[1024];
  CHECK(cudaMalloc(&tensor, sizeof numbers));
  CHECK(cudaMalloc(&to, sizeof *to));
  CHECK(cudaMalloc(&box, sizeof words));
  CHECK(cudaMemcpy(tensor, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  char *moved = tensor + sizeof numbers / 2;
  for (int which = 0; which < CASES; which++) {
    uint32_t bytes = which == 12 ? 0 : 4 * (which == 2 ? 256 : which == 3 ? 56 : which == 7 ? 64 : 128), hash = 0;
    if (which == 15 || which == 10)
      bytes = 512;
    encode(&base, encode_tiled, -1, tensor, moved);
    encode(&made, encode_tiled, which, tensor, moved);
    memset(words, 0, sizeof words);
    CHECK(cudaMemcpy(box, words, sizeof words, cudaMemcpyHostToDevice));
    replace<<<1, MAP_WORDS>>>(base, to, moved, which, box, bytes);
    CHECK(cudaMemcpy(&changed, to, sizeof changed, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(words, box, sizeof words, cudaMemcpyDeviceToHost));
    bool is_equal = memcmp(&made, &changed, READ_WORDS * 4) == 0;
    for (int i = 0; i < 1024; i++)
      hash = hash * 31 + words[i];
    printf("%d: %s, box %08x\n", which, is_equal ? "as the driver makes it" : "another map", hash);
    for (int i = 0; i < READ_WORDS && !is_equal; i++)
      if (((uint32_t *)&made)[i] != ((uint32_t *)&changed)[i])
        printf("  word %d: %08x, not %08x\n", i, ((uint32_t *)&changed)[i], ((uint32_t *)&made)[i]);
  }
}
