// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's interface: memory, copies, fills, pools, arrays, and virtual memory.
// nvcc: -lcuda
#include "driver.h"

#include <stdlib.h>
#include <vector>

static void
allocations() {
  CUdeviceptr memory, pitched, managed, none, start = 0, registered = 0;
  size_t pitch = 0, no_pitch = 0, bytes = 0, free_bytes = 0, all = 0;
  void *pinned, *mapped;
  unsigned flags = 0;
  CHECK(cuMemGetInfo(&free_bytes, &all));
  EXPECT(free_bytes > 0 && free_bytes <= all);
  FAILS(INVALID_VALUE, cuMemAlloc(&memory, 0));
  FAILS(OUT_OF_MEMORY, cuMemAlloc(&memory, (size_t)1 << 50));
  CHECK(cuMemAlloc(&memory, 1000));
  EXPECT(memory % 256 == 0);
  CHECK(cuMemGetAddressRange(&start, &bytes, memory + 100));
  EXPECT(start == memory && bytes == 1000);
  CHECK(cuMemAllocPitch(&pitched, &pitch, 100, 10, 4));
  EXPECT(pitch >= 100 && pitch % 32 == 0);
  FAILS(INVALID_VALUE, cuMemAllocPitch(&none, &no_pitch, 100, 10, 5));
  CHECK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  FAILS(INVALID_VALUE, cuMemAllocManaged(&none, 4096, 77));
  *(int *)managed = 5;
  CHECK(cuMemAllocHost(&pinned, 4096));
  CHECK(cuMemHostAlloc(&mapped, 4096, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED));
  CHECK(cuMemHostGetFlags(&flags, mapped));
  EXPECT(flags & CU_MEMHOSTALLOC_WRITECOMBINED);
  CHECK(cuMemHostGetDevicePointer(&registered, mapped, 0));
  CHECK(cuMemFreeHost(pinned));
  CHECK(cuMemFreeHost(mapped));
  FAILS(INVALID_VALUE, cuMemFreeHost(mapped));
  void *own = aligned_alloc(4096, 8192);
  CHECK(cuMemHostRegister(own, 8192, 0));
  FAILS(HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(own, 8192, 0));
  CHECK(cuMemHostGetDevicePointer(&registered, own, 0));
  CHECK(cuMemHostUnregister(own));
  FAILS(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(own));
  free(own);
  CHECK(cuMemFree(memory));
  FAILS(INVALID_VALUE, cuMemFree(memory));
  CHECK(cuMemFree(pitched));
  CHECK(cuMemFree(managed));
  CHECK(cuMemFree(0));
}

static void
attributes() {
  CUdeviceptr memory, managed, device = 0, start = 0;
  CUmemorytype type = (CUmemorytype)0;
  CUcontext context = NULL, current;
  int ordinal = -1, local = 0;
  bool is_managed = true, is_mapped = false;
  size_t bytes = 0;
  unsigned long long id = 0, other = 0;
  CHECK(cuMemAlloc(&memory, 1024));
  CHECK(cuMemAllocManaged(&managed, 1024, CU_MEM_ATTACH_GLOBAL));
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 8));
  EXPECT(type == CU_MEMORYTYPE_DEVICE);
  CHECK(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(context == current);
  CHECK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory + 8));
  EXPECT(device == memory + 8);
  CHECK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, memory));
  EXPECT(!is_managed);
  CHECK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  EXPECT(is_managed);
  CHECK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory));
  EXPECT(ordinal == 0);
  CHECK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, memory + 9));
  CHECK(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, memory + 9));
  EXPECT(start == memory && bytes == 1024);
  CHECK(cuPointerGetAttribute(&is_mapped, CU_POINTER_ATTRIBUTE_MAPPED, memory));
  EXPECT(is_mapped);
  CHECK(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, memory));
  CHECK(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_BUFFER_ID, managed));
  EXPECT(id != other);
  FAILS(INVALID_VALUE,
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&local));
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *answers[] = {&type, &ordinal};
  CHECK(cuPointerGetAttributes(2, wanted, answers, memory));
  EXPECT(type == CU_MEMORYTYPE_DEVICE && ordinal == 0);
  CHECK(cuPointerGetAttributes(2, wanted, answers, (CUdeviceptr)&local));
  EXPECT(type == 0 && ordinal == -2);
  unsigned sync = 1;
  CHECK(cuPointerSetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  CHECK(cuMemFree(memory));
  CHECK(cuMemFree(managed));
}

static void
copies() {
  CUdeviceptr one, other;
  CUcontext current;
  std::vector<unsigned> host(256), back(256);
  for (unsigned i = 0; i < 256; i++)
    host[i] = i;
  CHECK(cuCtxGetCurrent(&current));
  CHECK(cuMemAlloc(&one, 1024));
  CHECK(cuMemAlloc(&other, 1024));
  CHECK(cuMemcpyHtoD(one, host.data(), 1024));
  CHECK(cuMemcpyDtoD(other, one, 1024));
  CHECK(cuMemcpy((CUdeviceptr)back.data(), other, 1024));
  EXPECT(back == host);
  CHECK(cuMemcpyPeer(other, current, one, current, 512));
  FAILS(INVALID_VALUE, cuMemcpyHtoD(one, host.data(), 1025));
  FAILS(INVALID_VALUE, cuMemcpyDtoH(back.data(), one + 1000, 100));
  CHECK(cuMemcpyHtoD(one, host.data(), 0));

  CHECK(cuMemsetD32(one, 0x01020304, 256));
  CHECK(cuMemsetD8(one, 0xff, 4));
  CHECK(cuMemsetD16(one + 4, 0xabcd, 2));
  CHECK(cuMemsetD2D8(one + 8, 16, 0x11, 4, 2));
  CHECK(cuMemsetD2D32(one + 64, 32, 9, 2, 3));
  CHECK(cuMemsetD32Async(one + 1020, 77, 1, NULL));
  CHECK(cuMemcpyDtoH(back.data(), one, 1024));
  EXPECT(back[0] == 0xffffffff && back[1] == 0xabcdabcd && back[2] == 0x11111111 &&
         back[3] == 0x01020304 && back[6] == 0x11111111 && back[16] == 9 && back[17] == 9 &&
         back[18] == 0x01020304 && back[24] == 9 && back[32] == 9 && back[255] == 77);
  FAILS(INVALID_VALUE, cuMemsetD32(one + 2, 1, 1));
  FAILS(INVALID_VALUE, cuMemsetD32(one, 1, 257));

  // A box of 3 by 4 words at (2, 1) of rows of 16 words.
  CUDA_MEMCPY2D rows;
  memset(&rows, 0, sizeof rows);
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host.data();
  rows.srcPitch = 64;
  rows.srcXInBytes = 8;
  rows.srcY = 1;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = other;
  rows.dstPitch = 32;
  rows.WidthInBytes = 12;
  rows.Height = 4;
  CHECK(cuMemsetD8(other, 0, 1024));
  CHECK(cuMemcpy2D(&rows));
  CHECK(cuMemcpyDtoH(back.data(), other, 1024));
  EXPECT(back[0] == 18 && back[2] == 20 && back[3] == 0 && back[8] == 34 && back[24] == 66);
  rows.dstPitch = 8;
  FAILS(INVALID_VALUE, cuMemcpy2D(&rows));
  FAILS(INVALID_VALUE, cuMemcpy2D(NULL));

  CUDA_MEMCPY3D box;
  memset(&box, 0, sizeof box);
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = other;
  box.srcPitch = 32;
  box.srcHeight = 2;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = back.data();
  box.dstPitch = 16;
  box.dstHeight = 2;
  box.WidthInBytes = 8;
  box.Height = 2;
  box.Depth = 2;
  CHECK(cuMemcpy3D(&box));
  EXPECT(back[0] == 18 && back[1] == 19 && back[4] == 34 && back[8] == 50 && back[12] == 66);
  CHECK(cuMemFree(one));
  CHECK(cuMemFree(other));
}

static void
arrays() {
  CUarray array, box, none;
  CUDA_ARRAY_DESCRIPTOR given = {16, 4, CU_AD_FORMAT_FLOAT, 2}, found;
  CUDA_ARRAY3D_DESCRIPTOR given_box = {8, 4, 2, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0}, found_box;
  std::vector<float> host(128), back(128);
  for (int i = 0; i < 128; i++)
    host[i] = (float)i;
  CHECK(cuArrayCreate(&array, &given));
  CHECK(cuArrayGetDescriptor(&found, array));
  EXPECT(found.Width == 16 && found.Height == 4 && found.Format == CU_AD_FORMAT_FLOAT &&
         found.NumChannels == 2);
  CHECK(cuArray3DCreate(&box, &given_box));
  CHECK(cuArray3DGetDescriptor(&found_box, box));
  EXPECT(found_box.Depth == 2 && found_box.Format == CU_AD_FORMAT_UNSIGNED_INT16);
  given.NumChannels = 3;
  FAILS(INVALID_VALUE, cuArrayCreate(&none, &given));
  CUDA_MEMCPY2D rows;
  memset(&rows, 0, sizeof rows);
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host.data();
  rows.srcPitch = 128;
  rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  rows.dstArray = array;
  rows.WidthInBytes = 128;
  rows.Height = 4;
  CHECK(cuMemcpy2D(&rows));
  CHECK(cuMemcpyAtoH(back.data(), array, 8, 32));
  EXPECT(back[0] == 2 && back[7] == 9);
  CHECK(cuArrayDestroy(array));
  CHECK(cuArrayDestroy(box));
  CUmipmappedArray mipmap;
  given_box.Depth = 0;
  CHECK(cuMipmappedArrayCreate(&mipmap, &given_box, 3));
  CHECK(cuMipmappedArrayGetLevel(&array, mipmap, 1));
  CHECK(cuArray3DGetDescriptor(&found_box, array));
  EXPECT(found_box.Width == 4 && found_box.Height == 2);
  CHECK(cuMipmappedArrayDestroy(mipmap));
}

static void
pools() {
  CUmemoryPool pool, current;
  CUmemPoolProps properties;
  CUstream stream;
  CUdeviceptr memory, more;
  cuuint64_t used = 0;
  memset(&properties, 0, sizeof properties);
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CHECK(cuMemAllocAsync(&memory, 1000, stream));
  CHECK(cuMemsetD8Async(memory, 3, 1000, stream));
  CHECK(cuMemPoolCreate(&pool, &properties));
  CHECK(cuMemAllocFromPoolAsync(&more, 4096, pool, stream));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used >= 4096);
  CHECK(cuMemFreeAsync(memory, stream));
  CHECK(cuMemFreeAsync(more, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuDeviceGetDefaultMemPool(&current, 0));
  CHECK(cuDeviceSetMemPool(0, pool));
  CHECK(cuDeviceGetMemPool(&current, 0));
  EXPECT(current == pool);
  CHECK(cuMemPoolTrimTo(pool, 0));
  CHECK(cuDeviceGetDefaultMemPool(&current, 0));
  CHECK(cuDeviceSetMemPool(0, current));
  CHECK(cuMemPoolDestroy(pool));
  CHECK(cuStreamDestroy(stream));
}

// Two pieces of memory side by side, at addresses that are reserved.
static void
virtual_memory() {
  CUmemAllocationProp properties;
  CUmemGenericAllocationHandle one, other, same;
  CUdeviceptr address;
  CUmemAccessDesc access;
  CUmodule module;
  CUfunction fill, scale;
  size_t unit = 0;
  unsigned long long flags = 9;
  unsigned numbers[64];
  memset(&properties, 0, sizeof properties);
  memset(&access, 0, sizeof access);
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT(unit > 0 && (unit & (unit - 1)) == 0);
  CHECK(cuMemAddressReserve(&address, 4 * unit, 0, 0, 0));
  FAILS(INVALID_VALUE, cuMemCreate(&one, unit + 1, &properties, 0));
  CHECK(cuMemCreate(&one, unit, &properties, 0));
  CHECK(cuMemCreate(&other, unit, &properties, 0));
  CHECK(cuMemMap(address, unit, 0, one, 0));
  CHECK(cuMemMap(address + unit, unit, 0, other, 0));
  FAILS(INVALID_VALUE, cuMemMap(address, unit, 0, other, 0));
  CHECK(cuMemSetAccess(address, 2 * unit, &access, 1));
  CHECK(cuMemGetAccess(&flags, &access.location, address));
  EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK(cuMemRetainAllocationHandle(&same, (void *)(address + unit)));
  EXPECT(same == other);
  CHECK(cuMemRelease(same));
  CHECK(cuMemRelease(other));

  CHECK(cuModuleLoadData(&module, module_text));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CUdeviceptr middle = address + unit - 128;
  void *arguments[] = {&middle};
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
  CHECK(cuMemcpyDtoH(numbers, middle, sizeof numbers));
  EXPECT(numbers[0] == 7 && numbers[31] == 38 && numbers[32] == 39 && numbers[63] == 70);
  CHECK(cuMemsetD32(middle, 5, 64));
  CHECK(cuMemcpyDtoH(numbers, middle, sizeof numbers));
  EXPECT(numbers[0] == 5 && numbers[63] == 5);

  // The same memory at another address.
  CHECK(cuMemUnmap(address, unit));
  CHECK(cuMemMap(address + 2 * unit, unit, 0, one, 0));
  CHECK(cuMemSetAccess(address + 2 * unit, unit, &access, 1));
  CHECK(cuMemcpyDtoH(numbers, address + 3 * unit - 128, 128));
  EXPECT(numbers[31] == 5);
  CHECK(cuMemRelease(one));
  CHECK(cuMemUnmap(address + unit, 2 * unit));
  CHECK(cuMemAddressFree(address, 4 * unit));
  CHECK(cuModuleUnload(module));
}

int
main() {
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, NULL, 0, 0));
  allocations();
  attributes();
  copies();
  arrays();
  pools();
  virtual_memory();
  CHECK(cuCtxDestroy(context));
  return finish("driver-memory");
}
