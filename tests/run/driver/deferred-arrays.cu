// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays whose memory is mapped later, as a whole, and what memory arrays need. What is printed and expected is what an H200 with driver 580
// answered.
// nvcc: -lcuda
#include "sparse.h"

// --- what arrays need

struct Shape {
  int format;
  size_t width, height, depth;
  unsigned flags, levels;
};

static void
print_shape(const char *kind, const Shape &shape) {
  printf("%s %s %zux%zux%zu flags %02x", kind, formats[shape.format].name, shape.width,
         shape.height, shape.depth, shape.flags);
  if (shape.levels)
    printf(" levels %u", shape.levels);
}

static void
print_sparse(const Shape &shape) {
  CUDA_ARRAY_SPARSE_PROPERTIES found = {};
  print_shape(shape.levels ? "M" : "A", shape);
  if (shape.levels) {
    CUmipmappedArray mipmap = make_mipmap(shape.format, shape.width, shape.height, shape.depth,
                                          shape.flags, shape.levels);
    CHECK(cuMipmappedArrayGetSparseProperties(&found, mipmap));
    CHECK(cuMipmappedArrayDestroy(mipmap));
  } else {
    CUarray array = make_array(shape.format, shape.width, shape.height, shape.depth, shape.flags);
    CHECK(cuArrayGetSparseProperties(&found, array));
    CHECK(cuArrayDestroy(array));
  }
  printf(" tile %u %u %u first %u size %llu flags %u\n", found.tileExtent.width,
         found.tileExtent.height, found.tileExtent.depth, found.miptailFirstLevel,
         found.miptailSize, found.flags);
}

static void
print_needs(const Shape &shape) {
  CUDA_ARRAY_MEMORY_REQUIREMENTS found = {};
  print_shape(shape.levels ? "Q" : "R", shape);
  if (shape.levels) {
    CUmipmappedArray mipmap = make_mipmap(shape.format, shape.width, shape.height, shape.depth,
                                          shape.flags, shape.levels);
    CHECK(cuMipmappedArrayGetMemoryRequirements(&found, mipmap, 0));
    CHECK(cuMipmappedArrayDestroy(mipmap));
  } else {
    CUarray array = make_array(shape.format, shape.width, shape.height, shape.depth, shape.flags);
    CHECK(cuArrayGetMemoryRequirements(&found, array, 0));
    CHECK(cuArrayDestroy(array));
  }
  printf(" size %zu align %zu\n", found.size, found.alignment);
}

static void
needs() {
  for (int format = B1; format <= B16; format++) {
    static const Shape sparse[] = {
        {0, 512, 512, 0, SPARSE, 0},
        {0, 512, 512, 6, SPARSE | LAYERED, 0},
        {0, 512, 512, 6, SPARSE, 0},
        {0, 64, 64, 5, SPARSE | LAYERED, 0},
        {0, 64, 200, 20, SPARSE, 0},
        {0, 512, 512, 0, SPARSE, 99},
        {0, 512, 512, 6, SPARSE | LAYERED, 99},
        {0, 300, 300, 5, SPARSE | LAYERED, 99},
        {0, 300, 200, 0, SPARSE, 3},
        {0, 256, 256, 256, SPARSE, 4},
        {0, 60, 100, 33, SPARSE, 5},
    };
    static const Shape deferred[] = {
        {0, 513, 0, 0, DEFERRED, 0},
        {0, 4096, 0, 5, DEFERRED | LAYERED, 0},
        {0, 513, 513, 0, DEFERRED, 0},
        {0, 100, 100, 5, DEFERRED | LAYERED, 0},
        {0, 33, 33, 64, DEFERRED, 0},
        {0, 512, 512, 6, DEFERRED | CUBE, 0},
        {0, 512, 512, 12, DEFERRED | CUBE | LAYERED, 0},
        {0, 1000, 1000, 0, DEFERRED, 99},
        {0, 100, 100, 5, DEFERRED | LAYERED, 99},
        {0, 200, 200, 16, DEFERRED, 99},
        {0, 300, 200, 4, DEFERRED | LAYERED, 2},
    };
    for (Shape shape : sparse) {
      shape.format = format;
      print_sparse(shape);
    }
    for (Shape shape : deferred) {
      shape.format = format;
      print_needs(shape);
    }
  }
}

static void
support() {
  int sparse = 0, deferred = 0;
  CHECK(cuDeviceGetAttribute(&sparse, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED, 0));
  CHECK(cuDeviceGetAttribute(&deferred, CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED,
                             0));
  printf("sparse %d deferred %d\n", sparse, deferred);
}

static void
wrong_arrays() {
  static const Shape wrong[] = {{B4, 512, 0, 0, SPARSE, 0},
                                {B4, 512, 0, 4, SPARSE | LAYERED, 0},
                                {B4, 512, 512, 0, SPARSE | SURFACE, 0},
                                {B4, 512, 512, 6, SPARSE | CUBE, 0},
                                {B4, 512, 512, 0, SPARSE | CUDA_ARRAY3D_COLOR_ATTACHMENT, 0},
                                {B4, 512, 512, 0, SPARSE | DEFERRED, 0}};
  CUarray array;
  CUmipmappedArray mipmap;
  for (const Shape &shape : wrong) {
    CUDA_ARRAY3D_DESCRIPTOR given =
        describe(shape.format, shape.width, shape.height, shape.depth, shape.flags);
    FAILS(INVALID_VALUE, cuArray3DCreate(&array, &given));
    FAILS(INVALID_VALUE, cuMipmappedArrayCreate(&mipmap, &given, 3));
  }
}

// --- the runtime

static void
runtime() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>(), found;
  cudaExtent extent = {300, 200, 0}, whole;
  cudaArraySparseProperties sparse = {};
  cudaArrayMemoryRequirements needs = {};
  cudaArray_t array, later;
  cudaMipmappedArray_t mipmap, mipmap_later;
  unsigned flags;
  EXPECT(cudaMallocArray(&array, &format, 300, 200, cudaArraySparse) == cudaSuccess);
  EXPECT(cudaFreeArray(array) == cudaSuccess);
  EXPECT(cudaMalloc3DArray(&array, &format, extent, cudaArraySparse) == cudaSuccess);
  EXPECT(cudaMalloc3DArray(&later, &format, extent, cudaArrayDeferredMapping) == cudaSuccess);
  EXPECT(cudaMallocMipmappedArray(&mipmap, &format, extent, 5, cudaArraySparse) == cudaSuccess);
  EXPECT(cudaMallocMipmappedArray(&mipmap_later, &format, extent, 5, cudaArrayDeferredMapping) ==
         cudaSuccess);
  EXPECT(cudaArrayGetInfo(&found, &whole, &flags, array) == cudaSuccess);
  EXPECT(found.x == 32 && whole.width == 300 && whole.depth == 0 && flags == cudaArraySparse);
  EXPECT(cudaArrayGetSparseProperties(&sparse, array) == cudaSuccess);
  printf("%u %u %u\n", sparse.tileExtent.width, sparse.tileExtent.height, sparse.tileExtent.depth);
  EXPECT(cudaMipmappedArrayGetSparseProperties(&sparse, mipmap) == cudaSuccess);
  printf("%u %llu %u\n", sparse.miptailFirstLevel, sparse.miptailSize, sparse.flags);
  EXPECT(cudaArrayGetMemoryRequirements(&needs, later, 0) == cudaSuccess);
  printf("%zu %zu\n", needs.size, needs.alignment);
  EXPECT(cudaMipmappedArrayGetMemoryRequirements(&needs, mipmap_later, 0) == cudaSuccess);
  printf("%zu %zu\n", needs.size, needs.alignment);
  EXPECT(cudaArrayGetSparseProperties(NULL, array) == cudaErrorInvalidValue);
  EXPECT(cudaArrayGetSparseProperties(&sparse, NULL) == cudaErrorInvalidValue);
  EXPECT(cudaArrayGetMemoryRequirements(&needs, array, 0) == cudaErrorInvalidValue);
  EXPECT(cudaArrayGetMemoryRequirements(&needs, NULL, 0) == cudaErrorInvalidValue);
  EXPECT(cudaMipmappedArrayGetSparseProperties(&sparse, NULL) == cudaErrorInvalidValue);
  EXPECT(cudaMipmappedArrayGetMemoryRequirements(&needs, NULL, 0) == cudaErrorInvalidValue);
  extent.height = 0;
  cudaArray_t none;
  EXPECT(cudaMalloc3DArray(&none, &format, extent, cudaArraySparse) == cudaErrorInvalidValue);
  EXPECT(cudaFreeArray(array) == cudaSuccess && cudaFreeArray(later) == cudaSuccess);
  EXPECT(cudaFreeMipmappedArray(mipmap) == cudaSuccess);
  EXPECT(cudaFreeMipmappedArray(mipmap_later) == cudaSuccess);
  cudaGetLastError();
}

// Memory for tiles has no address.
static void
addresses() {
  CUmemGenericAllocationHandle pool = make_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUmemAllocationProp properties;
  CUdeviceptr address;
  CHECK(cuMemGetAllocationPropertiesFromHandle(&properties, pool));
  EXPECT(properties.allocFlags.usage == 0);
  CHECK(cuMemAddressReserve(&address, 2 << 20, 0, 0, 0));
  FAILS(INVALID_VALUE, cuMemMap(address, 2 << 20, 0, pool, 0));
  CHECK(cuMemAddressFree(address, 2 << 20));
  CHECK(cuMemRelease(pool));
}

// --- arrays that are mapped as a whole

__global__ void
write_plane(cudaSurfaceObject_t surface, int width, unsigned more) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width)
    surf2Dwrite<unsigned>((y << 12 | x) + 1 + more, surface, x * 4, y);
}

// What says which part is ignored.
static CUarrayMapInfo
name_whole(CUarray array, CUmemGenericAllocationHandle handle, unsigned long long offset) {
  CUarrayMapInfo info = name_tiles(array, 0, 0, 0, 0, 0, 0, handle, offset);
  memset(&info.subresource, 0xff, sizeof info.subresource);
  info.subresourceType = (CUarraySparseSubresourceType)7;
  return info;
}

static bool
has_numbers(CUarray array, unsigned more) {
  std::vector<unsigned> found = read_box(array, WIDTH, HEIGHT, 0, 1);
  for (unsigned y = 0; y < HEIGHT; y++)
    for (unsigned x = 0; x < WIDTH; x++)
      if (found[y * WIDTH + x] != number_of(x, y, 0) + more)
        return false;
  return true;
}

static void
write_surface(CUarray array, int width, int height, unsigned more) {
  CUDA_RESOURCE_DESC resource;
  CUsurfObject surface;
  memset(&resource, 0, sizeof resource);
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CHECK(cuSurfObjectCreate(&surface, &resource));
  write_plane<<<dim3((width + 127) / 128, height), 128>>>(surface, width, more);
  CHECK(cuCtxSynchronize());
  CHECK(cuSurfObjectDestroy(surface));
}

static void
wrong_deferred(CUarray array, CUmemGenericAllocationHandle pool) {
  CUarrayMapInfo right = name_whole(array, pool, 0), wrong;
  CUDA_ARRAY_SPARSE_PROPERTIES sparse;
  FAILS(INVALID_VALUE, cuArrayGetSparseProperties(&sparse, array));
  WRONG(offset, 4096);
  WRONG(offset, (4 << 20) - 4 * PAGE);
  WRONG(deviceBitMask, 2);
  WRONG(flags, 1);
  WRONG(reserved[0], 1);
  WRONG(memOperationType, (CUmemOperationType)3);
  right.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
  CHECK(map_one(right));
}

static void
deferred() {
  CUarray array = make_array(B4, WIDTH, HEIGHT, 0, DEFERRED | SURFACE);
  CUarray same = make_array(B4, WIDTH, HEIGHT, 0, DEFERRED | SURFACE);
  CUmemGenericAllocationHandle pool = make_memory(4 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUmemGenericAllocationHandle other = make_memory(4 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUmemGenericAllocationHandle plain = make_memory(4 << 20, 0);
  CUtexObject texture = make_texture(array, NULL, false);
  wrong_deferred(array, pool);
  FAILS(INVALID_VALUE, map_one(name_whole(array, plain, 0)));
  CHECK(map_one(name_whole(array, other, 0)));
  write_surface(array, WIDTH, HEIGHT, 0);
  EXPECT(has_numbers(array, 0));
  CHECK(map_one(name_whole(array, pool, 0)));
  EXPECT(sample_plane(texture, WIDTH, HEIGHT) == std::vector<unsigned>(WIDTH * HEIGHT));
  CHECK(map_one(name_whole(array, other, 0)));
  EXPECT(has_numbers(array, 0));
  CHECK(map_one(name_whole(array, 0, 0)));
  CHECK(map_one(name_whole(array, 0, 0)));
  CHECK(map_one(name_whole(array, pool, 0)));
  CHECK(map_one(name_whole(same, pool, 0)));
  write_surface(array, WIDTH, HEIGHT, 9);
  EXPECT(has_numbers(same, 9));
  CHECK(cuMemRelease(pool));
  EXPECT(has_numbers(same, 9)); // it is used
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuArrayDestroy(array));
  EXPECT(has_numbers(same, 9));
  CHECK(cuArrayDestroy(same));
  CHECK(cuMemRelease(other));
  CHECK(cuMemRelease(plain));
}

static void
deferred_mipmap() {
  CUmemGenericAllocationHandle pool = make_memory(4 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUmipmappedArray mipmap = make_mipmap(B4, 256, 256, 0, DEFERRED | SURFACE, 99);
  CUarrayMapInfo info = name_whole(NULL, pool, 0);
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
  CUarray array;
  CHECK(cuMipmappedArrayGetLevel(&array, mipmap, 1));
  FAILS(INVALID_VALUE, cuArrayGetMemoryRequirements(&needs, array, 0));
  FAILS(INVALID_VALUE, map_one(name_whole(array, pool, 0)));
  info.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  info.resource.mipmap = mipmap;
  CHECK(map_one(info));
  for (unsigned level = 0; level < 9; level++) {
    CHECK(cuMipmappedArrayGetLevel(&array, mipmap, level));
    write_surface(array, 256 >> level, 256 >> level, level << 28);
  }
  for (unsigned level = 0; level < 9; level++) {
    unsigned width = 256 >> level, last = width - 1;
    CHECK(cuMipmappedArrayGetLevel(&array, mipmap, level));
    EXPECT(read_box(array, width, width, 0, 1).back() == number_of(last, last, 0) + (level << 28));
  }
  CHECK(cuMipmappedArrayDestroy(mipmap));
  CHECK(cuMemRelease(pool));
}

// The last one: it ends the context.
static void
unmapped_deferred() {
  CUarray array = make_array(B4, WIDTH, HEIGHT, 0, DEFERRED);
  CUtexObject texture = make_texture(array, NULL, false);
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, WIDTH * HEIGHT * 4));
  read_plane<<<dim3(3, HEIGHT), 128>>>(texture, WIDTH, HEIGHT, (unsigned *)memory);
  FAILS(ILLEGAL_ADDRESS, cuCtxSynchronize());
}

int
main() {
  CHECK(cuInit(0));
  cudaFree(0); // the runtime's context
  support();
  needs();
  wrong_arrays();
  runtime();
  addresses();
  deferred();
  deferred_mipmap();
  unmapped_deferred();
  return finish("deferred-arrays");
}
