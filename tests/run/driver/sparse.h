// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the programs share that map the memory of arrays.
#pragma once

#include "driver.h"

#include <cuda_runtime.h>
#include <vector>

enum {
  PAGE = 65536,
  SPARSE = CUDA_ARRAY3D_SPARSE,
  DEFERRED = CUDA_ARRAY3D_DEFERRED_MAPPING,
  LAYERED = CUDA_ARRAY3D_LAYERED,
  SURFACE = CUDA_ARRAY3D_SURFACE_LDST,
  CUBE = CUDA_ARRAY3D_CUBEMAP,
};

// By the bytes of an element.
static const struct {
  const char *name;
  CUarray_format format;
  unsigned channels, bytes;
} formats[] = {{"b1", CU_AD_FORMAT_UNSIGNED_INT8, 1, 1},
               {"b2", CU_AD_FORMAT_UNSIGNED_INT16, 1, 2},
               {"b4", CU_AD_FORMAT_UNSIGNED_INT32, 1, 4},
               {"b8", CU_AD_FORMAT_UNSIGNED_INT32, 2, 8},
               {"b16", CU_AD_FORMAT_UNSIGNED_INT32, 4, 16}};

enum {
  B1,
  B2,
  B4,
  B8,
  B16,
};

static inline CUDA_ARRAY3D_DESCRIPTOR
describe(int format, size_t width, size_t height, size_t depth, unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR given = {width, height, depth};
  given.Format = formats[format].format;
  given.NumChannels = formats[format].channels;
  given.Flags = flags;
  return given;
}

static inline CUarray
make_array(int format, size_t width, size_t height, size_t depth, unsigned flags) {
  CUarray array = NULL;
  CUDA_ARRAY3D_DESCRIPTOR given = describe(format, width, height, depth, flags);
  CHECK(cuArray3DCreate(&array, &given));
  return array;
}

static inline CUmipmappedArray
make_mipmap(int format, size_t width, size_t height, size_t depth, unsigned flags,
            unsigned levels) {
  CUmipmappedArray mipmap = NULL;
  CUDA_ARRAY3D_DESCRIPTOR given = describe(format, width, height, depth, flags);
  CHECK(cuMipmappedArrayCreate(&mipmap, &given, levels));
  return mipmap;
}

static inline CUmemGenericAllocationHandle
make_memory(size_t bytes, unsigned short usage) {
  CUmemGenericAllocationHandle handle = 0;
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.allocFlags.usage = usage;
  CHECK(cuMemCreate(&handle, bytes, &properties, 0));
  return handle;
}

// --- copies

// An array's elements of four bytes.
static inline std::vector<unsigned>
read_box(CUarray array, size_t width, size_t height, size_t first, size_t depth) {
  std::vector<unsigned> found(width * height * depth, 0xaaaaaaaa);
  CUDA_MEMCPY3D box = {};
  box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  box.srcArray = array;
  box.srcZ = first;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = found.data();
  box.dstPitch = width * 4;
  box.dstHeight = height;
  box.WidthInBytes = width * 4;
  box.Height = height;
  box.Depth = depth;
  CHECK(cuMemcpy3D(&box));
  return found;
}

static inline unsigned
number_of(size_t x, size_t y, size_t z) {
  return (unsigned)(z << 24 | y << 12 | x) + 1;
}

static inline void
write_box(CUarray array, size_t width, size_t height, size_t first, size_t depth, unsigned more) {
  std::vector<unsigned> given;
  for (size_t z = 0; z < depth; z++)
    for (size_t y = 0; y < height; y++)
      for (size_t x = 0; x < width; x++)
        given.push_back(number_of(x, y, z) + more);
  CUDA_MEMCPY3D box = {};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = given.data();
  box.srcPitch = width * 4;
  box.srcHeight = height;
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  box.dstArray = array;
  box.dstZ = first;
  box.WidthInBytes = width * 4;
  box.Height = height;
  box.Depth = depth;
  CHECK(cuMemcpy3D(&box));
}

// --- mapping

static inline CUarrayMapInfo
name_tiles(CUarray array, unsigned x, unsigned y, unsigned z, unsigned width, unsigned height,
           unsigned depth, CUmemGenericAllocationHandle handle, unsigned long long offset) {
  CUarrayMapInfo info = {};
  info.resourceType = CU_RESOURCE_TYPE_ARRAY;
  info.resource.array = array;
  info.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL;
  info.subresource.sparseLevel.offsetX = x;
  info.subresource.sparseLevel.offsetY = y;
  info.subresource.sparseLevel.offsetZ = z;
  info.subresource.sparseLevel.extentWidth = width;
  info.subresource.sparseLevel.extentHeight = height;
  info.subresource.sparseLevel.extentDepth = depth;
  info.memOperationType = handle ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP;
  info.memHandleType = CU_MEM_HANDLE_TYPE_GENERIC;
  info.memHandle.memHandle = handle;
  info.offset = offset;
  info.deviceBitMask = 1;
  return info;
}

static inline CUresult
map_list(CUarrayMapInfo *list, unsigned n) {
  CUresult result = cuMemMapArrayAsync(list, n, 0);
  CHECK(cuStreamSynchronize(0));
  return result;
}

static inline CUresult
map_one(CUarrayMapInfo info) {
  return map_list(&info, 1);
}

// --- textures

static __global__ void
read_plane(cudaTextureObject_t texture, int width, int height, unsigned *found) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width)
    found[y * width + x] = tex2D<unsigned>(texture, x + 0.5f, y + 0.5f);
}

static inline CUtexObject
make_texture(CUarray array, CUmipmappedArray mipmap, bool is_linear) {
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC how;
  CUtexObject texture = 0;
  memset(&resource, 0, sizeof resource);
  memset(&how, 0, sizeof how);
  if (array) {
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
  } else {
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = mipmap;
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    how.maxMipmapLevelClamp = 20;
  }
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = CU_TR_ADDRESS_MODE_CLAMP;
  how.filterMode = is_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  CHECK(cuTexObjectCreate(&texture, &resource, &how, NULL));
  return texture;
}

static inline std::vector<unsigned>
sample_plane(CUtexObject texture, int width, int height) {
  std::vector<unsigned> found(width * height);
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, found.size() * 4));
  CHECK(cuMemsetD8(memory, 0xaa, found.size() * 4));
  read_plane<<<dim3((width + 127) / 128, height), 128>>>(texture, width, height,
                                                         (unsigned *)memory);
  CHECK(cuMemcpyDtoH(found.data(), memory, found.size() * 4));
  CHECK(cuMemFree(memory));
  return found;
}

enum {
  WIDTH = 300,
  HEIGHT = 200, // 3 by 2 tiles of 128 by 128, if they are of four bytes
};

// An entry that says something wrong: @right but for one member.
#define WRONG(member, value)                                                                       \
  wrong = right;                                                                                   \
  wrong.member = value;                                                                            \
  FAILS(INVALID_VALUE, map_one(wrong))
