// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's interface: textures and surfaces, read and written by kernels of the runtime's.
// nvcc: -lcuda
#include "driver.h"

#include <cuda_runtime.h>
#include <vector>

__global__ void
read_linear(cudaTextureObject_t texture, float *found) {
  found[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

__global__ void
read_bytes(cudaTextureObject_t texture, unsigned *found) {
  found[threadIdx.x] = tex1Dfetch<unsigned char>(texture, threadIdx.x);
}

__global__ void
read_plane(cudaTextureObject_t texture, float *found) {
  found[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 1.0f, 1.5f);
}

__global__ void
write_plane(cudaSurfaceObject_t surface) {
  surf2Dwrite(threadIdx.x * 2.0f, surface, threadIdx.x * 4, 2);
}

static void
linear() {
  CUtexObject texture;
  CUDA_RESOURCE_DESC resource, found_resource;
  CUDA_TEXTURE_DESC how, found_how;
  CUdeviceptr memory, found;
  std::vector<float> host(32), back(32);
  std::vector<unsigned> numbers(32);
  for (int i = 0; i < 32; i++)
    host[i] = i * 0.5f;
  CHECK(cuMemAlloc(&memory, 128));
  CHECK(cuMemAlloc(&found, 128));
  CHECK(cuMemcpyHtoD(memory, host.data(), 128));
  memset(&resource, 0, sizeof resource);
  memset(&how, 0, sizeof how);
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = memory;
  resource.res.linear.format = CU_AD_FORMAT_FLOAT;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = 128;
  CHECK(cuTexObjectCreate(&texture, &resource, &how, NULL));
  read_linear<<<1, 32>>>(texture, (float *)found);
  CHECK(cuMemcpyDtoH(back.data(), found, 128));
  EXPECT(back == host);
  CHECK(cuTexObjectGetResourceDesc(&found_resource, texture));
  EXPECT(found_resource.res.linear.devPtr == memory &&
         found_resource.res.linear.format == CU_AD_FORMAT_FLOAT);
  CHECK(cuTexObjectDestroy(texture));
  resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
  how.flags = CU_TRSF_READ_AS_INTEGER;
  CHECK(cuMemsetD8(memory, 200, 32));
  CHECK(cuTexObjectCreate(&texture, &resource, &how, NULL));
  CHECK(cuTexObjectGetTextureDesc(&found_how, texture));
  EXPECT(found_how.flags & CU_TRSF_READ_AS_INTEGER);
  read_bytes<<<1, 32>>>(texture, (unsigned *)found);
  CHECK(cuMemcpyDtoH(numbers.data(), found, 128));
  EXPECT(numbers[0] == 200 && numbers[31] == 200);
  CHECK(cuTexObjectDestroy(texture));
  FAILS(INVALID_VALUE, cuTexObjectCreate(&texture, NULL, &how, NULL));
  CHECK(cuMemFree(memory));
  CHECK(cuMemFree(found));
}

static void
plane() {
  CUarray array;
  CUtexObject texture;
  CUsurfObject surface;
  CUDA_ARRAY3D_DESCRIPTOR given = {16, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC how;
  CUDA_MEMCPY2D rows;
  CUdeviceptr found;
  std::vector<float> host(64), back(64);
  for (int i = 0; i < 64; i++)
    host[i] = (float)(i % 16 + 100 * (i / 16));
  CHECK(cuMemAlloc(&found, 256));
  CHECK(cuArray3DCreate(&array, &given));
  memset(&rows, 0, sizeof rows);
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host.data();
  rows.srcPitch = 64;
  rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  rows.dstArray = array;
  rows.WidthInBytes = 64;
  rows.Height = 4;
  CHECK(cuMemcpy2D(&rows));
  memset(&resource, 0, sizeof resource);
  memset(&how, 0, sizeof how);
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  how.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CHECK(cuTexObjectCreate(&texture, &resource, &how, NULL));
  read_plane<<<1, 16>>>(texture, (float *)found);
  CHECK(cuMemcpyDtoH(back.data(), found, 64));
  EXPECT(back[0] == 100.5f && back[3] == 103.5f && back[15] == 115.0f);
  CHECK(cuSurfObjectCreate(&surface, &resource));
  write_plane<<<1, 16>>>(surface);
  CHECK(cuCtxSynchronize());
  CHECK(cuSurfObjectDestroy(surface));
  CHECK(cuTexObjectDestroy(texture));
  rows.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  rows.srcArray = array;
  rows.dstMemoryType = CU_MEMORYTYPE_HOST;
  rows.dstHost = back.data();
  rows.dstPitch = 64;
  CHECK(cuMemcpy2D(&rows));
  EXPECT(back[32] == 0 && back[47] == 30 && back[48] == 300);
  CHECK(cuArrayDestroy(array));
  CHECK(cuMemFree(found));
}

int
main() {
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  linear();
  plane();
  return finish("driver-textures");
}
