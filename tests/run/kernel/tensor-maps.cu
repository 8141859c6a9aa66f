// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies of boxes of tensors (TMA), by maps of all kinds, at random: types, swizzles, steps, slices, pixels, fills, places beside the
// tensor; to one block and to several of a cluster; stored and combined. Of each copy, a hash of all that is in shared memory
// afterwards, or in the tensor.
//
//   tensor-maps [TIMES [SEED]]      TIMES 200 copies (default 1)
#include <cuda.h>

#include <cstdlib>
#include <cstring>

#include "../check.h"

enum {
  SHARED_BYTES = 16384,
  TENSOR_BYTES = 1 << 17,
};

struct Copy {
  int rank, pixels, bytes, offset, reduction;
  bool is_stored;
  int at[5], shift[3];
  unsigned short blocks;
};

struct Shape {
  int type, slices, swizzle, fill;
  cuuint64_t extents[5], strides[5];
  cuuint32_t box[5], steps[5];
  int lower[3], upper[3];
  cuuint32_t channels, pixels;
};

__device__ unsigned place_of(const void *pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

#define LOAD(rank, at)                                                                                                                     \
  asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " at "], [%2];" ::"r"(to),    \
               "l"(map), "r"(barrier), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])                                               \
               : "memory")
#define LOAD_PIXELS(rank, at, shifts)                                                                                                      \
  asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " at "], [%2], " shifts \
               ";" ::"r"(to),                                                                                                              \
               "l"(map), "r"(barrier), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "h"(s[0]), "h"(s[1]), "h"(s[2])              \
               : "memory")
#define STORE(rank, at)                                                                                                                    \
  asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta.bulk_group [%1, " at "], [%0];" ::"r"(to), "l"(map), "r"(c[0]),           \
               "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])                                                                                  \
               : "memory")
#define REDUCE(operation)                                                                                                                  \
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." operation ".tile.bulk_group [%1, {%2,%3}], [%0];" ::"r"(to), "l"(map), \
               "r"(c[0]), "r"(c[1])                                                                                                        \
               : "memory")

__device__ void load(const Copy &copy, unsigned to, unsigned barrier, unsigned long long map) {
  const int *c = copy.at;
  unsigned short s[3] = {(unsigned short)copy.shift[0], (unsigned short)copy.shift[1], (unsigned short)copy.shift[2]};
  if (copy.blocks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3,%4}], [%2], "
                 "%5;" ::"r"(to & 0xffffff), // the offset within a block is all that counts
                 "l"(map), "r"(barrier), "r"(c[0]), "r"(c[1]), "h"(copy.blocks)
                 : "memory");
    return;
  }
  switch (copy.rank + (copy.pixels ? 10 : 0)) {
  case 1: LOAD("1d", "{%3}"); break;
  case 2: LOAD("2d", "{%3,%4}"); break;
  case 3: LOAD("3d", "{%3,%4,%5}"); break;
  case 4: LOAD("4d", "{%3,%4,%5,%6}"); break;
  case 5: LOAD("5d", "{%3,%4,%5,%6,%7}"); break;
  case 13: LOAD_PIXELS("3d", "{%3,%4,%5}", "{%8}"); break;
  case 14: LOAD_PIXELS("4d", "{%3,%4,%5,%6}", "{%8,%9}"); break;
  case 15: LOAD_PIXELS("5d", "{%3,%4,%5,%6,%7}", "{%8,%9,%10}"); break;
  }
}

__device__ void store(const Copy &copy, unsigned to, unsigned long long map) {
  const int *c = copy.at;
  switch (copy.rank + 10 * copy.reduction) {
  case 1: STORE("1d", "{%2}"); break;
  case 2: STORE("2d", "{%2,%3}"); break;
  case 3: STORE("3d", "{%2,%3,%4}"); break;
  case 4: STORE("4d", "{%2,%3,%4,%5}"); break;
  case 5: STORE("5d", "{%2,%3,%4,%5,%6}"); break;
  case 12: REDUCE("add"); break;
  case 22: REDUCE("min"); break;
  case 32: REDUCE("max"); break;
  case 42: REDUCE("inc"); break;
  case 52: REDUCE("dec"); break;
  case 62: REDUCE("and"); break;
  case 72: REDUCE("or"); break;
  case 82: REDUCE("xor"); break;
  }
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void run(const __grid_constant__ CUtensorMap map, const __grid_constant__ Copy copy, unsigned short *result) {
  extern __shared__ __align__(1024) unsigned short data[];
  __shared__ unsigned long long barrier;
  for (int i = threadIdx.x; i < SHARED_BYTES / 2; i += blockDim.x)
    data[i] = (unsigned short)(copy.is_stored ? i + 1 : 0xeeee);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place_of(&barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  unsigned to = place_of(data) + copy.offset, at = place_of(&barrier), rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0 && copy.is_stored)
    store(copy, to, (unsigned long long)&map);
  if (threadIdx.x == 0 && !copy.is_stored && (copy.blocks == 0 || copy.blocks >> rank & 1)) {
    unsigned done = 0;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(copy.bytes) : "memory");
    if (copy.blocks == 0)
      load(copy, to, at, (unsigned long long)&map);
    else if (rank == __ffs(copy.blocks) - 1u)
      load(copy, to, at, (unsigned long long)&map);
    while (!done)
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(at)
                   : "memory");
  }
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  __syncthreads();
  for (int i = threadIdx.x; i < SHARED_BYTES / 2 && !copy.is_stored; i += blockDim.x)
    result[blockIdx.x * SHARED_BYTES / 2 + i] = data[i];
}

// --- at random

static unsigned long long state = 20261128;

static int draw(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)((state >> 11) % (unsigned long long)n);
}

static const int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static unsigned long long hash_of(const unsigned char *bytes, size_t n) {
  unsigned long long hash = 14695981039346656037ull;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

typedef CUresult (*EncodeTiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult (*EncodePixels)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const int *,
                                 const int *, cuuint32_t, cuuint32_t, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

typedef CUresult (*ReplaceAddress)(CUtensorMap *, void *);

static EncodeTiled encode_tiled;
static ReplaceAddress replace_address;
static EncodePixels encode_pixels;
static unsigned char *tensor, bytes[TENSOR_BYTES];
static unsigned short *result;

static bool encode(CUtensorMap *map, const Copy &copy, const Shape &s) {
  if (copy.pixels)
    return encode_pixels(map, (CUtensorMapDataType)s.type, copy.rank, tensor, s.extents, s.strides, s.lower, s.upper, s.channels, s.pixels, s.steps,
                         (CUtensorMapInterleave)s.slices, (CUtensorMapSwizzle)s.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         (CUtensorMapFloatOOBfill)s.fill) == CUDA_SUCCESS;
  // The address of another place first, which is then replaced.
  return encode_tiled(map, (CUtensorMapDataType)s.type, copy.rank, tensor + 4096, s.extents, s.strides, s.box, s.steps, (CUtensorMapInterleave)s.slices,
                      (CUtensorMapSwizzle)s.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)s.fill) == CUDA_SUCCESS &&
         replace_address(map, tensor) == CUDA_SUCCESS;
}

static void launch(const CUtensorMap &map, const Copy &copy, int blocks) {
  cudaLaunchConfig_t how = {};
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = (unsigned)blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  how.gridDim = dim3((unsigned)blocks);
  how.blockDim = dim3(128);
  how.dynamicSmemBytes = SHARED_BYTES;
  how.attrs = &cluster;
  how.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&how, run, map, copy, result));
  CHECK(cudaDeviceSynchronize());
}

static void try_copy(const char *kind, int number, const Copy &copy, const Shape &s, int blocks) {
  alignas(64) CUtensorMap map;
  memset(&map, 0, sizeof map);
  if (!encode(&map, copy, s)) {
    printf("%s %d: refused\n", kind, number);
    return;
  }
  for (int i = 0; i < TENSOR_BYTES / 2; i++)
    ((unsigned short *)bytes)[i] = (unsigned short)(copy.reduction ? i * 40503 % 0x7c00 : i + 1);
  CHECK(cudaMemcpy(tensor, bytes, TENSOR_BYTES, cudaMemcpyHostToDevice));
  launch(map, copy, blocks);
  size_t n = copy.is_stored ? TENSOR_BYTES : (size_t)blocks * SHARED_BYTES;
  CHECK(cudaMemcpy(bytes, copy.is_stored ? (void *)tensor : (void *)result, n, cudaMemcpyDeviceToHost));
  printf("%s %d: type %d, rank %d, swizzle %d, slices %d, %d bytes: %016llx\n", kind, number, s.type, copy.rank, s.swizzle, s.slices, copy.bytes,
         hash_of(bytes, n));
}

// A tensor, and a box of it. FALSE: one that is too large for this.
static bool make_shape(Copy &copy, Shape &s, bool has_steps) {
  int size = sizes[s.type], unit = s.slices ? 16 * s.slices : size;
  int span = s.swizzle == 0 || s.slices ? 128 : 16 << s.swizzle;
  s.extents[0] = (cuuint64_t)(1 + draw(copy.rank == 1 ? 200 : 40));
  s.strides[0] = (s.extents[0] * unit + 31) / 32 * 32 + 32 * draw(2);
  for (int i = 1; i < 5; i++) {
    s.extents[i] = (cuuint64_t)(copy.pixels ? 2 + draw(7) : 1 + draw(i == 1 ? 12 : 5));
    s.strides[i] = s.strides[i - 1] * s.extents[i];
  }
  s.box[0] = (cuuint32_t)(s.slices ? 1 + draw(8) : 16 * (1 + draw(span / 16)) / size);
  for (int i = 0; i < 5; i++) {
    if (i > 0)
      s.box[i] = (cuuint32_t)(1 + draw(i == 1 ? 12 : 4));
    s.steps[i] = (cuuint32_t)(has_steps && draw(2) ? 1 + draw(4) : 1);
    copy.at[i] = draw(2) || copy.is_stored ? draw((int)s.extents[i]) : draw((int)s.extents[i] + 6) - 3;
  }
  if (!s.slices)
    copy.at[0] = copy.at[0] * size / 16 * 16 / size;
  copy.offset = draw(2) ? 0 : 128 * draw(16);
  copy.bytes = unit;
  for (int i = 0; i < copy.rank && !copy.pixels; i++)
    copy.bytes *= (int)(i == 0 && !s.slices                ? s.box[0]
                        : s.slices && i == copy.rank - 2 ? 1
                                                           : (s.box[i] + s.steps[i] - 1) / s.steps[i]);
  return s.strides[copy.rank > 1 ? copy.rank - 1 : 0] <= TENSOR_BYTES;
}

static void make_pixels(Copy &copy, Shape &s) {
  s.channels = s.box[0];
  s.pixels = (cuuint32_t)(1 + draw(60));
  copy.bytes = (int)(sizes[s.type] * s.channels * s.pixels);
  for (int i = 0; i + 2 < copy.rank; i++) {
    s.lower[i] = draw(5) - 2;
    s.upper[i] = draw(5) - 2;
    copy.shift[i] = draw(3);
    int extent = (int)s.extents[1 + i] + s.upper[i] - s.lower[i];
    copy.at[1 + i] = s.lower[i] + (extent > 0 ? draw(extent) : 0);
  }
}

// Whether shared memory has room for the box: with a swizzle, each row of it begins a span.
static bool fits(const Copy &copy, const Shape &s) {
  int row = copy.pixels ? (int)s.channels * sizes[s.type] : s.slices ? 16 * s.slices * (int)((s.box[0] + s.steps[0] - 1) / s.steps[0])
                                                                    : (int)s.box[0] * sizes[s.type];
  int pitch = s.swizzle && !s.slices ? 16 << s.swizzle : row;
  return copy.offset + copy.bytes / row * pitch <= SHARED_BYTES;
}

static void try_kind(const char *kind, int count) {
  static const int reduced[] = {2, 3, 2, 4, 6, 9};
  for (int number = 0; number < count;) {
    Copy copy = {};
    Shape s = {};
    int blocks = 1;
    s.type = draw(13);
    s.swizzle = draw(4);
    s.fill = s.type >= 6 && draw(2);
    copy.rank = 1 + draw(5);
    if (strcmp(kind, "slices") == 0) {
      copy.rank = 3 + draw(3);
      s.slices = 1 + draw(2);
    }
    if (strcmp(kind, "pixels") == 0) {
      copy.rank = 3 + draw(3);
      copy.pixels = 1;
    }
    copy.is_stored = strcmp(kind, "stored") == 0 || strcmp(kind, "reduced") == 0;
    if (strcmp(kind, "reduced") == 0) {
      copy.rank = 2;
      copy.reduction = 1 + draw(3);
      s.type = reduced[draw(6)];
      if (s.type == 2 && draw(2))
        copy.reduction = 4 + draw(5);
    }
    if (strcmp(kind, "cluster") == 0) {
      blocks = 2 << draw(2);
      copy.rank = 2;
      copy.blocks = (unsigned short)(1 + draw((1 << blocks) - 1));
    }
    if (!make_shape(copy, s, !copy.is_stored || draw(2)))
      continue;
    if (copy.pixels)
      make_pixels(copy, s);
    if (copy.bytes > 8192 || !fits(copy, s) || copy.reduction && s.steps[1] > 1)
      continue;
    try_copy(kind, number++, copy, s, blocks);
  }
}

int main(int n, char **words) {
  int times = n > 1 ? atoi(words[1]) : 1;
  if (n > 2)
    state = strtoull(words[2], NULL, 10) * 2 + 1;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode_tiled, 12000, cudaEnableDefault, &found));
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode_pixels, 12000, cudaEnableDefault, &found));
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapReplaceAddress", (void **)&replace_address, 12000, cudaEnableDefault, &found));
  CHECK(cudaMalloc(&tensor, TENSOR_BYTES + 4096));
  CHECK(cudaMalloc(&result, 8 * SHARED_BYTES));
  try_kind("loaded", 60 * times);
  try_kind("slices", 30 * times);
  try_kind("pixels", 30 * times);
  try_kind("stored", 30 * times);
  try_kind("reduced", 30 * times);
  try_kind("cluster", 20 * times);
  return 0;
}
