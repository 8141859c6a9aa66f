// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sparse arrays, of which parts are mapped. What is printed and expected is what an H200 with driver 580 answered, but for whether texels
// are resident, which is as CUDA documents it.
// nvcc: -lcuda
#include "sparse.h"

// Of two dimensions.
static CUresult
map_tiles(CUarray array, unsigned x, unsigned y, unsigned width, unsigned height,
          CUmemGenericAllocationHandle handle, unsigned long long offset) {
  return map_one(name_tiles(array, x, y, 0, width, height, 1, handle, offset));
}

static CUarrayMapInfo
name_level(CUmipmappedArray mipmap, unsigned level, unsigned layer, unsigned x, unsigned y,
           unsigned width, unsigned height, CUmemGenericAllocationHandle handle,
           unsigned long long offset) {
  CUarrayMapInfo info = name_tiles(NULL, x, y, 0, width, height, 1, handle, offset);
  info.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  info.resource.mipmap = mipmap;
  info.subresource.sparseLevel.level = level;
  info.subresource.sparseLevel.layer = layer;
  return info;
}

static CUarrayMapInfo
name_tail(CUmipmappedArray mipmap, unsigned layer, unsigned long long start,
          unsigned long long size, CUmemGenericAllocationHandle handle, unsigned long long offset) {
  CUarrayMapInfo info = name_level(mipmap, 0, 0, 0, 0, 0, 0, handle, offset);
  memset(&info.subresource, 0, sizeof info.subresource);
  info.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
  info.subresource.miptail.layer = layer;
  info.subresource.miptail.offset = start;
  info.subresource.miptail.size = size;
  return info;
}

__global__ void
read_level(cudaTextureObject_t texture, int width, int height, int layer, float level,
           unsigned *found) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float u = (x + 0.5f) / width, v = (y + 0.5f) / height;
  if (x < width)
    found[y * width + x] = layer < 0 ? tex2DLod<unsigned>(texture, u, v, level)
                                     : tex2DLayeredLod<unsigned>(texture, u, v, layer, level);
}

__global__ void
read_filtered(cudaTextureObject_t texture, float *found) {
  found[threadIdx.x] = tex2D<float>(texture, 125 + threadIdx.x * 0.25f, 5.5f);
}

// @layer: below 0: there are none
static std::vector<unsigned>
sample_level(CUtexObject texture, int width, int layer, int level) {
  std::vector<unsigned> found(width * width);
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, found.size() * 4));
  read_level<<<dim3((width + 127) / 128, width), 128>>>(texture, width, width, layer, (float)level,
                                                        (unsigned *)memory);
  CHECK(cuMemcpyDtoH(found.data(), memory, found.size() * 4));
  CHECK(cuMemFree(memory));
  return found;
}

// --- sparse arrays

// What the tiles have, row by row: 0: zeros; N: what was written to tile N - 1, at the same place in it.
static bool
has_tiles(const std::vector<unsigned> &found, const int *tiles, unsigned more) {
  for (unsigned y = 0; y < HEIGHT; y++)
    for (unsigned x = 0; x < WIDTH; x++) {
      int tile = tiles[y / 128 * 3 + x / 128] - 1;
      unsigned from_x = tile % 3 * 128 + x % 128, from_y = tile / 3 * 128 + y % 128;
      unsigned expected = tile < 0 ? 0 : number_of(from_x, from_y, 0) + more;
      if (found[y * WIDTH + x] != expected && (tile < 0 || (from_x < WIDTH && from_y < HEIGHT)))
        return false;
    }
  return true;
}

static bool
are_tiles(CUarray array, const int *tiles, unsigned more) {
  return has_tiles(read_box(array, WIDTH, HEIGHT, 0, 1), tiles, more);
}

static void
plane() {
  static const int none[6] = {}, aliased[6] = {2, 2, 0, 0, 0, 6}, second[6] = {0, 2, 0, 0, 0, 6};
  static const int left[6] = {1, 1, 0, 0, 0, 0}, all[6] = {1, 2, 0, 4, 5, 6};
  static const int swapped[6] = {2, 2, 0, 4, 5, 6}, below[6] = {4, 2, 0, 4, 5, 6};
  CUarray array = make_array(B4, WIDTH, HEIGHT, 0, SPARSE);
  CUmemGenericAllocationHandle pool = make_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUtexObject texture = make_texture(array, NULL, false);
  EXPECT(has_tiles(sample_plane(texture, WIDTH, HEIGHT), none, 0));
  write_box(array, WIDTH, HEIGHT, 0, 1, 0);
  EXPECT(are_tiles(array, none, 0));
  CHECK(map_tiles(array, 0, 0, 128, 128, pool, 0));
  EXPECT(are_tiles(array, none, 0)); // the memory is zeros
  CHECK(map_tiles(array, 128, 0, 128, 128, pool, 0));
  CHECK(map_tiles(array, 256, 128, 44, 72, pool, PAGE));
  write_box(array, WIDTH, HEIGHT, 0, 1, 0);
  EXPECT(are_tiles(array, aliased, 0));
  EXPECT(has_tiles(sample_plane(texture, WIDTH, HEIGHT), aliased, 0));
  CHECK(map_tiles(array, 0, 0, 128, 128, 0, 0));
  EXPECT(has_tiles(sample_plane(texture, WIDTH, HEIGHT), second, 0));
  CHECK(map_tiles(array, 0, 0, 128, 128, 0, 0));
  CHECK(map_tiles(array, 0, 0, 128, 128, pool, 0));
  EXPECT(are_tiles(array, aliased, 0));
  CHECK(map_tiles(array, 256, 128, 44, 72, 0, 0));
  write_box(array, 128, 128, 0, 1, 5);
  EXPECT(are_tiles(array, left, 5));
  CHECK(map_tiles(array, 256, 128, 44, 72, pool, PAGE));
  CHECK(map_tiles(array, 0, 0, 256, 200, pool, 2 * PAGE));
  write_box(array, WIDTH, HEIGHT, 0, 1, 7);
  EXPECT(are_tiles(array, all, 7));
  CHECK(map_tiles(array, 0, 0, 128, 128, pool, 3 * PAGE)); // tiles were mapped row by row
  EXPECT(are_tiles(array, swapped, 7));
  CHECK(map_tiles(array, 0, 0, 128, 128, pool, 4 * PAGE));
  EXPECT(are_tiles(array, below, 7));
  CHECK(map_tiles(array, 0, 0, 300, 200, 0, 0));
  EXPECT(has_tiles(sample_plane(texture, WIDTH, HEIGHT), none, 0));
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuArrayDestroy(array));
  CHECK(cuMemRelease(pool));
}

static void
filtered() {
  CUDA_ARRAY3D_DESCRIPTOR given = {256, 128, 0, CU_AD_FORMAT_FLOAT, 1, SPARSE};
  CUmemGenericAllocationHandle pool = make_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUarray array;
  CUdeviceptr memory;
  std::vector<float> ones(256 * 128, 1), found(32);
  CHECK(cuArray3DCreate(&array, &given));
  CHECK(map_tiles(array, 0, 0, 128, 128, pool, PAGE));
  EXPECT(cudaMemcpy2DToArray((cudaArray_t)array, 0, 0, ones.data(), 1024, 1024, 128,
                             cudaMemcpyHostToDevice) == cudaSuccess);
  CUtexObject texture = make_texture(array, NULL, true);
  CHECK(cuMemAlloc(&memory, 128));
  read_filtered<<<1, 32>>>(texture, (float *)memory);
  CHECK(cuMemcpyDtoH(found.data(), memory, 128));
  for (float value : found)
    printf("%g ", value);
  printf("\n");
  CHECK(cuMemFree(memory));
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuArrayDestroy(array));
  CHECK(cuMemRelease(pool));
}

// Entries that say something wrong.
static void
wrong_tiles(CUarray array, CUmemGenericAllocationHandle pool) {
  const struct {
    unsigned x, y, z, width, height, depth;
    unsigned long long offset;
  } wrong[] = {{256, 128, 0, 128, 128, 1, 0},   {256, 128, 0, 128, 72, 1, 0},
               {256, 128, 0, 44, 128, 1, 0},    {0, 0, 0, 256, 256, 1, 0},
               {0, 0, 0, 128, 128, 1, 4096},    {0, 0, 0, 128, 128, 1, 2 << 20},
               {0, 0, 0, 256, 128, 1, 2031616}, {1, 0, 0, 128, 128, 1, 0},
               {0, 64, 0, 128, 128, 1, 0},      {0, 0, 1, 128, 128, 1, 0},
               {0, 0, 0, 127, 128, 1, 0},       {0, 0, 0, 0, 128, 1, 0},
               {0, 0, 0, 128, 128, 0, 0},       {0, 0, 0, 128, 128, 2, 0},
               {384, 0, 0, 128, 128, 1, 0},     {256, 0, 0, 256, 128, 1, 0}};
  for (const auto &tile : wrong)
    FAILS(INVALID_VALUE, map_one(name_tiles(array, tile.x, tile.y, tile.z, tile.width, tile.height,
                                            tile.depth, pool, tile.offset)));
  FAILS(INVALID_VALUE, map_tiles(array, 0, 0, 384, 256, 0, 0));
}

static void
wrong_entries() {
  CUarray array = make_array(B4, WIDTH, HEIGHT, 0, SPARSE), plain = make_array(B4, 64, 64, 0, 0);
  CUmemGenericAllocationHandle pool = make_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUmemGenericAllocationHandle other = make_memory(2 << 20, 0);
  CUarrayMapInfo right = name_tiles(array, 0, 0, 0, 128, 128, 1, pool, 0), wrong;
  wrong_tiles(array, pool);
  WRONG(subresource.sparseLevel.level, 1);
  WRONG(subresource.sparseLevel.layer, 1);
  WRONG(deviceBitMask, 0);
  WRONG(deviceBitMask, 2);
  WRONG(deviceBitMask, 3);
  WRONG(flags, 1);
  WRONG(reserved[0], 1);
  WRONG(reserved[1], 1);
  WRONG(memHandleType, (CUmemHandleType)1);
  WRONG(memOperationType, (CUmemOperationType)0);
  WRONG(memOperationType, (CUmemOperationType)3);
  WRONG(memHandle.memHandle, other);
  WRONG(subresourceType, (CUarraySparseSubresourceType)2);
  WRONG(resourceType, CU_RESOURCE_TYPE_LINEAR);
  WRONG(resource.array, NULL);
  WRONG(resource.array, plain);
  wrong = name_tail(NULL, 0, 0, PAGE, pool, 0);
  FAILS(INVALID_VALUE, map_one(wrong));
  wrong.resourceType = CU_RESOURCE_TYPE_ARRAY;
  wrong.resource.array = array;
  FAILS(INVALID_VALUE, map_one(wrong));
  wrong = right; // what is said of the memory does not matter
  wrong.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
  wrong.memHandleType = (CUmemHandleType)1;
  wrong.offset = PAGE;
  wrong.memHandle.memHandle = 0;
  CHECK(map_one(wrong));
  FAILS(INVALID_VALUE, cuMemMapArrayAsync(&right, 0, 0));
  FAILS(INVALID_VALUE, cuMemMapArrayAsync(NULL, 1, 0));
  CHECK(map_one(right));
  write_box(array, 128, 128, 0, 1, 0);
  CHECK(map_tiles(array, 0, 0, 128, 128, 0, 0));
  CUarrayMapInfo two[] = {right, right};
  two[1].subresource.sparseLevel.layer = 9;
  FAILS(INVALID_VALUE, map_list(two, 2));
  EXPECT(read_box(array, 128, 1, 0, 1)[0] == 0); // the first was not done either
  two[1] = name_tiles(array, 128, 0, 0, 128, 128, 1, pool, 0);
  CHECK(map_list(two, 2));
  EXPECT(read_box(array, 256, 1, 0, 1)[128] == 1);
  CHECK(cuArrayDestroy(array));
  CHECK(cuArrayDestroy(plain));
  CHECK(cuMemRelease(pool));
  CHECK(cuMemRelease(other));
}

static void
streams() {
  CUarray array = make_array(B4, WIDTH, HEIGHT, 0, SPARSE);
  CUmemGenericAllocationHandle pool = make_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUarrayMapInfo info = name_tiles(array, 0, 0, 0, 128, 128, 1, pool, 0);
  CUstream stream;
  CUstreamCaptureStatus status;
  CUgraph graph = NULL;
  CUresult (*per_thread)(CUarrayMapInfo *, unsigned, CUstream) = NULL;
  CUdriverProcAddressQueryResult found;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemMapArrayAsync(&info, 1, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemMapArrayAsync(&info, 1, CU_STREAM_PER_THREAD));
  CHECK(cuGetProcAddress("cuMemMapArrayAsync", (void **)&per_thread, 13000,
                         CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &found));
  CHECK(per_thread(&info, 1, 0));
  CHECK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  FAILS(STREAM_CAPTURE_UNSUPPORTED, cuMemMapArrayAsync(&info, 1, stream));
  CHECK(cuStreamIsCapturing(stream, &status));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  FAILS(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemRelease(pool));
  CHECK(cuArrayDestroy(array));
}

static void
layers_and_volumes() {
  CUmemGenericAllocationHandle pool = make_memory(8 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUarray layered = make_array(B4, 256, 256, 3, SPARSE | LAYERED);
  CUarrayMapInfo info = name_tiles(layered, 0, 0, 0, 128, 128, 1, pool, 0);
  for (unsigned layer = 1; layer < 3; layer++) {
    info.subresource.sparseLevel.layer = layer;
    CHECK(map_one(info));
  }
  info.subresource.sparseLevel.layer = 3;
  FAILS(INVALID_VALUE, map_one(info));
  CHECK(map_tiles(layered, 0, 0, 256, 256, pool, PAGE));
  for (unsigned layer = 0; layer < 3; layer++)
    write_box(layered, 256, 256, layer, 1, layer * 1000);
  EXPECT(read_box(layered, 256, 256, 0, 1)[255 * 256 + 255] == number_of(255, 255, 0));
  EXPECT(read_box(layered, 256, 256, 1, 1)[255] == 0);
  EXPECT(read_box(layered, 256, 256, 1, 1)[127 * 256 + 5] == number_of(5, 127, 0) + 2000);
  EXPECT(read_box(layered, 256, 256, 2, 1)[127 * 256 + 5] == number_of(5, 127, 0) + 2000);
  CUarray volume = make_array(B4, 64, 64, 40, SPARSE);
  CHECK(map_one(name_tiles(volume, 0, 0, 0, 32, 32, 16, pool, 0)));
  CHECK(map_one(name_tiles(volume, 32, 0, 16, 32, 32, 16, pool, PAGE)));
  CHECK(map_one(name_tiles(volume, 0, 0, 32, 32, 32, 8, pool, 2 * PAGE)));
  FAILS(INVALID_VALUE, map_one(name_tiles(volume, 0, 0, 32, 32, 32, 16, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_tiles(volume, 0, 0, 0, 32, 32, 1, pool, 0)));
  write_box(volume, 64, 64, 0, 40, 0);
  std::vector<unsigned> found = read_box(volume, 64, 64, 0, 40);
  unsigned wrong = 0;
  for (unsigned z = 0; z < 40; z++)
    for (unsigned y = 0; y < 64; y++)
      for (unsigned x = 0; x < 64; x++) {
        bool is_mapped = y < 32 && (z / 16 == 1 ? x >= 32 : x < 32);
        wrong += found[(z * 64 + y) * 64 + x] != (is_mapped ? number_of(x, y, z) : 0);
      }
  EXPECT(wrong == 0);
  CUarray small = make_array(B4, 64, 64, 0, SPARSE); // less than a tile: all of it is a tail
  FAILS(INVALID_VALUE, map_tiles(small, 0, 0, 64, 64, pool, 0));
  info = name_tail(NULL, 0, 0, PAGE, pool, 4 * PAGE);
  info.resourceType = CU_RESOURCE_TYPE_ARRAY;
  info.resource.array = make_array(B4, 512, 512, 6, SPARSE);
  CHECK(map_one(info));
  info.subresource.miptail.size = 8388608;
  FAILS(INVALID_VALUE, map_one(info)); // more than there is
  CHECK(cuArrayDestroy(info.resource.array));
  CHECK(cuArrayDestroy(small));
  CHECK(cuArrayDestroy(volume));
  CHECK(cuArrayDestroy(layered));
  CHECK(cuMemRelease(pool));
}

// --- mipmaps

static void
wrong_levels(CUmipmappedArray mipmap, CUmemGenericAllocationHandle pool) {
  CUarray level;
  CUDA_ARRAY_SPARSE_PROPERTIES sparse;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
  CHECK(cuMipmappedArrayGetLevel(&level, mipmap, 1));
  FAILS(INVALID_VALUE, cuArrayGetSparseProperties(&sparse, level));
  FAILS(INVALID_VALUE, cuMipmappedArrayGetMemoryRequirements(&needs, mipmap, 0));
  FAILS(INVALID_VALUE, map_tiles(level, 0, 0, 128, 128, pool, 0));
  FAILS(INVALID_VALUE, map_one(name_level(mipmap, 3, 0, 0, 0, 64, 64, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_level(mipmap, 99, 0, 0, 0, 128, 128, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_tail(mipmap, 1, 0, PAGE, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_tail(mipmap, 0, 0, 2 * PAGE, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_tail(mipmap, 0, 4096, PAGE, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_tail(mipmap, 0, PAGE, PAGE, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_tail(mipmap, 0, 0, 4096, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_tail(mipmap, 0, 0, 0, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_tail(mipmap, 0, 0, PAGE, pool, 4096)));
}

// Whether a level has what was written to it, where it is mapped, and zeros elsewhere; of level 0 one tile is.
static bool
is_level(const std::vector<unsigned> &found, unsigned width, unsigned level, bool is_mapped) {
  for (unsigned y = 0; y < width; y++)
    for (unsigned x = 0; x < width; x++) {
      bool is_there = is_mapped && (level > 0 || (x >= 128 && x < 256 && y < 128));
      unsigned expected = is_there ? number_of(x, y, 0) + (level << 28) : 0;
      if (found[y * width + x] != expected)
        return false;
    }
  return true;
}

static void
mipmap() {
  CUmemGenericAllocationHandle pool = make_memory(4 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUmipmappedArray mipmap = make_mipmap(B4, 512, 512, 0, SPARSE, 99);
  CUarray array;
  wrong_levels(mipmap, pool);
  CHECK(map_one(name_level(mipmap, 0, 0, 128, 0, 128, 128, pool, 0)));
  CHECK(map_one(name_level(mipmap, 1, 0, 0, 0, 256, 256, pool, PAGE)));
  CHECK(map_one(name_level(mipmap, 2, 0, 0, 0, 128, 128, pool, 5 * PAGE)));
  CHECK(map_one(name_tail(mipmap, 0, 0, PAGE, pool, 8 * PAGE)));
  for (unsigned level = 0; level < 10; level++) {
    CHECK(cuMipmappedArrayGetLevel(&array, mipmap, level));
    write_box(array, 512 >> level, 512 >> level, 0, 1, level << 28);
  }
  CUtexObject texture = make_texture(NULL, mipmap, false);
  for (unsigned level = 0; level < 10; level++) {
    unsigned width = 512 >> level;
    CHECK(cuMipmappedArrayGetLevel(&array, mipmap, level));
    EXPECT(is_level(read_box(array, width, width, 0, 1), width, level, true));
    EXPECT(is_level(sample_level(texture, (int)width, -1, (int)level), width, level, true));
  }
  CHECK(map_one(name_tail(mipmap, 0, 0, PAGE, 0, 0)));
  for (unsigned level = 0; level < 10; level++)
    EXPECT(is_level(sample_level(texture, 512 >> level, -1, (int)level), 512 >> level, level,
                    level < 3));
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuMipmappedArrayDestroy(mipmap));
  CHECK(cuMemRelease(pool));
}

// A tail of two pages, of which one is mapped.
static void
long_tail() {
  CUmemGenericAllocationHandle pool = make_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUmipmappedArray mipmap = make_mipmap(B4, 300, 200, 0, SPARSE, 99);
  CHECK(map_one(name_level(mipmap, 0, 0, 256, 128, 44, 72, pool, 0)));
  FAILS(INVALID_VALUE, map_one(name_level(mipmap, 1, 0, 0, 0, 128, 100, pool, 0)));
  CHECK(map_one(name_tail(mipmap, 0, PAGE, PAGE, pool, 0)));
  CHECK(map_one(name_tail(mipmap, 0, 0, 2 * PAGE, pool, PAGE)));
  CHECK(map_one(name_tail(mipmap, 0, 0, 2 * PAGE, 0, 0)));
  CHECK(cuMipmappedArrayDestroy(mipmap));
  CHECK(cuMemRelease(pool));
}

// --- memory that arrays of several formats share

// How many bytes of a tile come before one: columns of 64 bytes, of slices, of 8 rows.
static unsigned
place_in_tile(unsigned x, unsigned y, unsigned z, unsigned height, unsigned depth) {
  unsigned place = (x / 64 * depth + z) * 64 * height + y / 8 * 512;
  return place + x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}

// The bytes of the only tile of an array, in the order in which they lie in memory, are read, or written.
static void
copy_tile(CUarray array, unsigned width, unsigned height, unsigned depth, unsigned char *bytes,
          bool is_read) {
  std::vector<unsigned char> rows(PAGE);
  CUDA_MEMCPY3D box = {};
  for (unsigned i = 0; !is_read && i < PAGE; i++)
    rows[i] =
        bytes[place_in_tile(i % width, i / width % height, i / width / height, height, depth)];
  box.srcMemoryType = is_read ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
  box.dstMemoryType = is_read ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
  box.srcArray = is_read ? array : NULL;
  box.dstArray = is_read ? NULL : array;
  box.srcHost = box.dstHost = rows.data();
  box.srcPitch = box.dstPitch = width;
  box.srcHeight = box.dstHeight = height;
  box.WidthInBytes = width;
  box.Height = height;
  box.Depth = depth;
  CHECK(cuMemcpy3D(&box));
  for (unsigned i = 0; is_read && i < PAGE; i++)
    bytes[place_in_tile(i % width, i / width % height, i / width / height, height, depth)] =
        rows[i];
}

static void
shared_tiles() {
  CUmemGenericAllocationHandle pool = make_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  std::vector<unsigned char> given(PAGE), found(PAGE);
  for (unsigned i = 0; i < PAGE; i++)
    given[i] = (unsigned char)(i % 251 + i / 4096);
  CUarray first = make_array(B4, 128, 128, 0, SPARSE);
  CHECK(map_tiles(first, 0, 0, 128, 128, pool, 0));
  copy_tile(first, 512, 128, 1, given.data(), false);
  for (unsigned is_volume = 0; is_volume < 2; is_volume++)
    for (int format = B1; format <= B16; format++) {
      static const unsigned extents[2][5][3] = {
          {{256, 256, 0}, {256, 128, 0}, {128, 128, 0}, {128, 64, 0}, {64, 64, 0}},
          {{64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16}}};
      const unsigned *extent = extents[is_volume][format];
      unsigned depth = extent[2] ? extent[2] : 1;
      CUarray array = make_array(format, extent[0], extent[1], extent[2], SPARSE);
      CHECK(map_one(name_tiles(array, 0, 0, 0, extent[0], extent[1], depth, pool, 0)));
      copy_tile(array, extent[0] * formats[format].bytes, extent[1], depth, found.data(), true);
      EXPECT(found == given);
      CHECK(cuArrayDestroy(array));
    }
  CHECK(cuArrayDestroy(first));
  CHECK(cuMemRelease(pool));
}

// --- whether texels have memory

__global__ void
ask_resident(cudaTextureObject_t texture, int *found) {
  bool is_plain, is_level;
  tex2D<unsigned>(texture, threadIdx.x * 2 + 0.5f, 3.5f, &is_plain);
  tex2DLod<unsigned>(texture, threadIdx.x * 2 + 0.5f, 3.5f, 0, &is_level);
  found[threadIdx.x] = is_plain + 2 * is_level;
}

static void
residency() {
  CUarray array = make_array(B4, 256, 256, 0, SPARSE);
  CUmemGenericAllocationHandle pool = make_memory(2 << 20, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUtexObject texture = make_texture(array, NULL, false);
  std::vector<int> found(128);
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, 512));
  CHECK(map_tiles(array, 128, 0, 128, 128, pool, 0));
  ask_resident<<<1, 128>>>(texture, (int *)memory);
  CHECK(cuMemcpyDtoH(found.data(), memory, 512));
  for (int i = 0; i < 128; i++)
    EXPECT(found[i] == (i >= 64 ? 3 : 0));
  CHECK(cuMemFree(memory));
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuArrayDestroy(array));
  CHECK(cuMemRelease(pool));
}

int
main() {
  CHECK(cuInit(0));
  cudaFree(0); // the runtime's context
  plane();
  filtered();
  wrong_entries();
  streams();
  layers_and_volumes();
  mipmap();
  long_tail();
  shared_tiles();
  residency();
  return finish("sparse-arrays");
}
