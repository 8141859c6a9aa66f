// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// nvcc: -gencode arch=compute_90a,code=sm_90a
//
// Operands of a product of warpgroups that boxes of tensors (TMA) brought, or threads wrote, by all swizzles, as rows of A or B and turned; and
// descriptors that do not fit them, one mistake at a time. Prints whether the product is right: on a device it is not where something is to be found.
//   descriptor-cases CASE [OPERAND [WRITER [packed | widths | swizzled | bare]]]: of A, or of B; box, copied (cp.async), stored, parts (by 8, 4 and 2 bytes), computed, matrix (stmatrix); of a tensor without columns that are not copied,
//   by one box with all rows for one width after the other, of a tensor whose rows are swizzled in global memory, by 128 bytes, or into shared memory
//   that nothing else was written to
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdlib>
#include <cstring>

#include "../check.h"

enum {
  SIZE = 64,         // of both operands: rows or columns, and the depth
  ROOM = 64 * 1024, // bytes for boxes of an operand
};

// Boxes side by side, each of @wide numbers and @rows rows, @bytes apart, of a tensor with @pitch numbers from row to row; and a descriptor: of @steps products that follow each other
// @step bytes apart, before it goes on @jump bytes from the first of these.
struct Operand {
  CUtensorMap map;
  const __half *numbers;
  unsigned swizzle; // bytes of its span; 16: none
  unsigned shift;   // of the address that it is by: 7
  unsigned gap;     // bytes between two rows that threads write
  bool is_rotated;  // these begin one chunk further each
  float one;
  bool widths;      // another box has all of these
  bool is_bare;     // nothing else is written to shared memory
  unsigned pitch, boxes, wide, rows, bytes;
  unsigned offset, start, mode, leading, stride, base, steps, step, jump;
};

__device__ static unsigned
place(const void *pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ static unsigned long long
describe(const Operand &o, unsigned at, unsigned k) {
  at += o.offset + o.start + k / o.steps * o.jump + k % o.steps * o.step;
  return (at & 0x3ffff) >> 4 | (unsigned long long)(o.leading >> 4) << 16 | (unsigned long long)(o.stride >> 4) << 32 |
         (unsigned long long)o.base << 49 | (unsigned long long)o.mode << 62;
}

#define LOAD(operand, to)                                                                                                                  \
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2,%3}], [%4];" ::"r"(             \
                   (to) + (operand).offset + i * (operand).bytes),                                                                         \
               "l"(&(operand).map), "r"(i * (operand).wide), "r"(0), "r"(place(&barrier))                                                  \
               : "memory")

#define LOAD_ALL(operand, to)                                                                                                              \
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2,%2,%2}], [%3];" ::"r"(          \
                   (to) + (operand).offset),                                                                                               \
               "l"(&(operand).map), "r"(0), "r"(place(&barrier))                                                                           \
               : "memory")

enum Writer { BOX, COPIED, STORED, PARTS, COMPUTED, MATRIX };

// Where 16 bytes of a row are to be written.
__device__ static unsigned
locate(const Operand &o, unsigned row, unsigned chunk) {
  unsigned across = o.wide / 8, in_row = (chunk + (o.is_rotated ? row : 0)) % across;
  unsigned at = o.offset + chunk / across * o.bytes + row * (o.wide * 2 + o.gap) + in_row * 16;
  return at ^ ((at >> o.shift & (o.swizzle / 16 - 1)) * 16);
}

// A row's parts are of 8, 4 or 2 bytes.
__device__ static void
write_parts(unsigned row, const __half *from, unsigned to) {
  for (unsigned i = 0; i < 8; i += row % 3 == 0 ? 4 : row % 3 == 1 ? 2 : 1) {
    const uint2 x = row % 3 == 0 ? *(const uint2 *)(from + i) : uint2();
    const unsigned y = row % 3 == 1 ? *(const unsigned *)(from + i) : 0;
    // clang-format off
    if (row % 3 == 0) { asm volatile("st.shared.v2.b32 [%0], {%1,%2};" ::"r"(to + i * 2), "r"(x.x), "r"(x.y) : "memory"); } else if (row % 3 == 1) { asm volatile("st.shared.b32 [%0], %1;" ::"r"(to + i * 2), "r"(y) : "memory"); } else { asm volatile("st.shared.b16 [%0], %1;" ::"r"(to + i * 2), "h"(*(const short *)(from + i)) : "memory"); } // parts
    // clang-format on
  }
}

// What boxes would bring, by threads.
template <Writer writer>
__device__ static void
write_rows(const Operand &o, unsigned to) {
  for (unsigned i = threadIdx.x; i < SIZE * SIZE / 8; i += 128) {
    unsigned row = i / (SIZE / 8), chunk = i % (SIZE / 8);
    const __half *from = o.numbers + row * o.pitch + chunk * 8;
    if (writer == COPIED)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + locate(o, row, chunk)), "l"(from) : "memory"); // copied
    if (writer == STORED) {
      uint4 x = *(const uint4 *)from;
      asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(to + locate(o, row, chunk)), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory"); // stored
    }
    if (writer == PARTS)
      write_parts(row, from, to + locate(o, row, chunk));
    if (writer == COMPUTED) {
      uint4 x = *(const uint4 *)from;
      __half2 *h = (__half2 *)&x;
      for (unsigned j = 0; j < 4; j++)
        h[j] = __floats2half2_rn(__low2float(h[j]) * o.one, __high2float(h[j]) * o.one);
      asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(to + locate(o, row, chunk)), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory"); // computed
    }
  }
  unsigned lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  for (unsigned chunk = 0; chunk < SIZE / 8 && writer == MATRIX; chunk += 2) {
    unsigned x[4];
    for (unsigned j = 0; j < 4; j++)
      x[j] = *(const unsigned *)(o.numbers + (row + j % 2 * 8 + lane / 4) * o.pitch + (chunk + j / 2) * 8 + lane % 4 * 2);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to + locate(o, row + lane % 16, chunk + lane / 16)), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory"); // matrix
  }
}

#define SUMS8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define LIST32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"

template <Writer writer, int turns_a, int turns_b>
__global__ void __launch_bounds__(128) multiply(const __grid_constant__ Operand a, const __grid_constant__ Operand b, float *result) {
  extern __shared__ __align__(1024) char boxes[];
  __shared__ unsigned long long barrier;
  unsigned left = place(boxes), right = left + ROOM;
  float d[32] = {};
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(place(&barrier)));
  for (unsigned i = threadIdx.x; i < 2 * ROOM / 4 && !a.is_bare; i += 128)
    ((unsigned *)boxes)[i] = 0;
  __syncthreads();
  if (writer != BOX)
    write_rows<writer>(a, left), write_rows<writer>(b, right);
  asm volatile("cp.async.wait_all; fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (writer == BOX && threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&barrier)), "r"((a.rows + b.rows) * SIZE * 2) : "memory");
    for (unsigned i = 0; i < a.boxes; i++)
      LOAD(a, left); // copy of A
    for (unsigned i = 0; i < b.boxes; i++)
      LOAD(b, right); // copy of B
    if (a.widths)
      LOAD_ALL(a, left); // copy of all of A
    if (b.widths)
      LOAD_ALL(b, right); // copy of all of B
  }
  if (writer == BOX)
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @p bra D; bra W; D: }" ::"r"(place(&barrier)) : "memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (unsigned k = 0; k < SIZE / 16; k++)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" LIST32 "}, %32, %33, 1, 1, 1, %34, %35;" // product
                 : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24)
                 : "l"(describe(a, left, k)), "l"(describe(b, right, k)), "n"(turns_a), "n"(turns_b));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (unsigned i = 0; i < 32; i++)
    result[(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8) * SIZE + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
}

typedef CUresult (*Encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                           const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// Boxes whose rows are as wide as the swizzle's span (16 bytes without one).
static void
copy_boxes(Operand *o, unsigned span) {
  o->wide = span / 2;
  o->boxes = SIZE / o->wide;
  o->rows = SIZE;
  o->shift = 7;
  o->bytes = SIZE * span;
}

// What fits boxes of these.
static void
describe_boxes(Operand *o, unsigned span, bool turned) {
  unsigned boxes = SIZE * span; // bytes of each
  o->mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  o->leading = boxes;
  o->stride = 8 * span;
  if (turned) {
    o->steps = SIZE / 16;
    o->step = 16 * span;
    if (span == 16) { // where the offsets have each other's meaning
      o->leading = 8 * span;
      o->stride = boxes;
    }
    return;
  }
  o->steps = span > 32 ? span / 32 : 1;
  o->step = 32;
  o->jump = span == 16 ? 2 * boxes : boxes;
}

// The mistake of a case. FALSE: there is no such case.
static bool
mistake(const char *name, Operand *o, unsigned *swizzle, unsigned copied, bool turned) {
  unsigned read;
  if (strcmp(name, "right") == 0)
    return true;
  if (sscanf(name, "read-%u", &read) == 1)
    describe_boxes(o, read, turned);
  else if (strcmp(name, "unswizzled") == 0)
    *swizzle = 16;
  else if (sscanf(name, "swizzled-%u", &read) == 1) // by threads: too few bits
    *swizzle = read;
  else if (strcmp(name, "shifted") == 0) // by threads: by other bits
    o->shift = copied == 64 ? 6 : 8;
  else if (strcmp(name, "padded") == 0) // by threads, without a swizzle
    *swizzle = 16, o->gap = 16;
  else if (strcmp(name, "rotated") == 0) // the same
    *swizzle = 16, o->is_rotated = true;
  else if (strcmp(name, "leading-128") == 0)
    o->leading = 128;
  else if (strcmp(name, "leading-less") == 0)
    o->leading -= 8 * copied;
  else if (strcmp(name, "leading-half") == 0)
    o->leading /= 2;
  else if (strcmp(name, "leading-double") == 0)
    o->leading *= 2;
  else if (strcmp(name, "leading-zero") == 0)
    o->leading = 0;
  else if (strcmp(name, "stride-zero") == 0)
    o->stride = 0;
  else if (strcmp(name, "eight") == 0) // the same eight rows again and again
    o->stride = 0, o->rows = 8;
  else if (strcmp(name, "stride-half-alone") == 0)
    o->stride /= 2, o->leading = 0;
  else if (strcmp(name, "stride-half") == 0)
    o->stride /= 2;
  else if (strcmp(name, "stride-double") == 0)
    o->stride *= 2;
  else if (strcmp(name, "exchanged") == 0) {
    unsigned leading = o->leading;
    o->leading = o->stride;
    o->stride = leading;
  } else if (strcmp(name, "base") == 0)
    o->base = 1;
  else if (strcmp(name, "moved") == 0) // which a swizzle by the address does not mind
    o->offset = 128;
  else if (strcmp(name, "moved-base") == 0)
    o->offset = 128, o->base = 1;
  else if (strcmp(name, "halfway") == 0) // a row's first half is read as its second one
    o->offset = 512, o->base = 4;
  else if (strcmp(name, "next-row") == 0) // from the second row on
    o->start = copied;
  else if (strcmp(name, "start") == 0)
    o->start = copied - 16;
  else
    return false;
  return true;
}

// Exchanges chunks of the first 128 bytes of each row; twice: nothing.
static void
swizzle_rows(__half *numbers, unsigned pitch) {
  for (unsigned i = 0; i < SIZE; i++) {
    __half row[SIZE];
    memcpy(row, numbers + i * pitch, sizeof row);
    for (unsigned j = 0; j < SIZE; j++)
      numbers[i * pitch + (j ^ i % 8 * 8)] = row[j];
  }
}

typedef void (*Kernel)(Operand, Operand, float *);

template <Writer writer>
static Kernel
find_kernel(bool turned, bool is_b) {
  return !turned ? (Kernel)multiply<writer, 0, 0> : is_b ? (Kernel)multiply<writer, 0, 1> : (Kernel)multiply<writer, 1, 0>;
}

int
main(int argc, char **argv) {
  char name[32] = "";
  unsigned copied = 0;
  const bool is_packed = argc > 4 && !strcmp(argv[4], "packed"), has_widths = argc > 4 && !strcmp(argv[4], "widths");
  const bool is_swizzled = argc > 4 && !strcmp(argv[4], "swizzled");
  const unsigned pitch = is_packed ? SIZE : 2 * SIZE;
  bool is_b = argc > 2 && *argv[2] == 'B', turned = argc > 1 && strncmp(argv[1], "turned-", 7) == 0;
  if (argc < 2 || sscanf(argv[1] + (turned ? 7 : 0), "%u-%31s", &copied, name) != 2)
    return 2;
  Encode encode;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
  __half *numbers;
  float *result, right = 0;
  CHECK(cudaMallocManaged(&numbers, 2 * SIZE * pitch * sizeof *numbers));
  CHECK(cudaMallocManaged(&result, SIZE * SIZE * sizeof *result));
  for (unsigned i = 0; i < 2 * SIZE * pitch; i++)
    numbers[i] = (__half)(float)((int)(i * 29 + i / pitch * 5 + i / (SIZE * pitch)) % 23 - 11);
  Operand operands[2];
  for (int i = 0; i < 2; i++) {
    bool is_case = i == is_b;
    unsigned span = is_case ? copied : 128, swizzle = span;
    Operand *o = &operands[i];
    memset(o, 0, sizeof *o);
    copy_boxes(o, span);
    describe_boxes(o, span, is_case && turned);
    if (is_case && !mistake(name, o, &swizzle, copied, turned))
      return 2;
    o->numbers = numbers + i * SIZE * pitch;
    o->pitch = pitch;
    o->swizzle = swizzle;
    o->one = 1;
    o->widths = has_widths && is_case;
    o->is_bare = argc > 4 && !strcmp(argv[4], "bare");
    o->boxes = o->widths ? 0 : o->boxes;
    cuuint64_t extents[] = {o->widths ? o->wide : pitch, SIZE, SIZE / o->wide}, strides[] = {pitch * 2, o->wide * 2};
    cuuint32_t box[] = {o->wide, o->rows, SIZE / o->wide}, steps[] = {1, 1, 1};
    unsigned by = swizzle < 2 * o->wide ? 16 : swizzle; // no box is wider than what it is swizzled by
    EXPECT(encode(&o->map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, o->widths ? 3 : 2, numbers + i * SIZE * pitch, extents, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE,
                  by == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                  : by == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                  : by == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                             : CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  }
  const char *writer = argc > 3 ? argv[3] : "box";
  Kernel kernel = !strcmp(writer, "copied")   ? find_kernel<COPIED>(turned, is_b)
                  : !strcmp(writer, "stored") ? find_kernel<STORED>(turned, is_b)
                  : !strcmp(writer, "parts")  ? find_kernel<PARTS>(turned, is_b)
                  : !strcmp(writer, "computed") ? find_kernel<COMPUTED>(turned, is_b)
                  : !strcmp(writer, "matrix") ? find_kernel<MATRIX>(turned, is_b)
                                              : find_kernel<BOX>(turned, is_b);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * ROOM));
  if (is_swizzled)
    swizzle_rows(numbers + is_b * SIZE * pitch, pitch);
  kernel<<<1, 128, 2 * ROOM>>>(operands[0], operands[1], result);
  CHECK(cudaDeviceSynchronize());
  if (is_swizzled)
    swizzle_rows(numbers + is_b * SIZE * pitch, pitch);
  int wrong = 0;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++, right = 0) {
      for (int k = 0; k < SIZE; k++) {
        int a = turned && !is_b ? k * pitch + i : i * pitch + k, b = turned && is_b ? k * pitch + j : j * pitch + k;
        right += (float)numbers[a] * (float)numbers[SIZE * pitch + b];
      }
      wrong += result[i * SIZE + j] != right;
    }
  printf("%s: %s\n", argv[1], wrong ? "wrong" : "right");
  return 0;
}
