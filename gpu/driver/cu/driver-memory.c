// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory and arrays, as far as the driver has them otherwise than the runtime.
#include <string.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/memory/array.h"
#include "gpu/driver/memory/memory.h"

// --- allocating: none has no bytes

cudaError_t
cuMemAlloc_v2(void **address, size_t bytes) {
  return bytes > 0 ? cudaMalloc(address, bytes) : cudaErrorInvalidValue;
}

cudaError_t
cuMemAllocManaged(void **address, size_t bytes, unsigned flags) {
  return bytes > 0 ? cudaMallocManaged(address, bytes, flags) : cudaErrorInvalidValue;
}

cudaError_t
cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
  return bytes > 0 ? cudaHostAlloc(address, bytes, flags) : cudaErrorInvalidValue;
}

cudaError_t
cuMemAllocPitch_v2(void **address, size_t *pitch, size_t width, size_t height, unsigned element) {
  bool is_known = element == 4 || element == 8 || element == 16;
  return width > 0 && height > 0 && is_known ? cudaMallocPitch(address, pitch, width, height)
                                             : cudaErrorInvalidValue;
}

// --- what an address is

cudaError_t
cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, const void *address) {
  Allocation found;
  if (!memory_find(address, &found))
    return cudaErrorSymbolNotFound;
  if (start)
    *start = found.address;
  if (bytes)
    *bytes = found.bytes;
  return cudaSuccess;
}

// CUpointer_attribute
typedef enum {
  POINTER_CONTEXT = 1,
  POINTER_MEMORY_TYPE,
  POINTER_DEVICE_POINTER,
  POINTER_HOST_POINTER,
  POINTER_SYNC_MEMOPS = 6,
  POINTER_BUFFER_ID,
  POINTER_IS_MANAGED,
  POINTER_DEVICE_ORDINAL,
  POINTER_IS_LEGACY_IPC,
  POINTER_RANGE_START,
  POINTER_RANGE_BYTES,
  POINTER_IS_MAPPED,
  POINTER_HANDLE_TYPES,
  POINTER_IS_RDMA,
  POINTER_ACCESS_FLAGS,
  POINTER_POOL,
  POINTER_MAPPING_BYTES,
  POINTER_MAPPING_START,
  POINTER_BLOCK_ID,
  POINTER_IS_DECOMPRESSED,
} PointerAttribute;

// How many bytes the answer has. 0: nobody knows the attribute.
static size_t
count_answer_bytes(int attribute) {
  switch (attribute) {
  case POINTER_MEMORY_TYPE:
  case POINTER_DEVICE_ORDINAL:
  case POINTER_ACCESS_FLAGS:
    return sizeof(int);
  case POINTER_SYNC_MEMOPS:
  case POINTER_IS_MANAGED:
  case POINTER_IS_LEGACY_IPC:
  case POINTER_IS_MAPPED:
  case POINTER_IS_RDMA:
  case POINTER_IS_DECOMPRESSED:
    return sizeof(bool);
  default:
    return attribute >= POINTER_CONTEXT && attribute <= POINTER_IS_DECOMPRESSED &&
                   attribute != POINTER_SYNC_MEMOPS - 1
               ? sizeof(uint64_t)
               : 0;
  }
}

static uint64_t
find_pointer_answer(PointerAttribute attribute, const Allocation *memory, uintptr_t address) {
  enum {
    READ_WRITE = 3
  };
  switch (attribute) {
  case POINTER_CONTEXT:
    return (uintptr_t)(context_current());
  case POINTER_MEMORY_TYPE:
    return memory->kind == INJECT_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  case POINTER_DEVICE_POINTER:
    return address;
  case POINTER_HOST_POINTER:
    return memory->kind == INJECT_DEVICE ? 0 : address;
  case POINTER_BUFFER_ID:
  case POINTER_BLOCK_ID:
    return memory->id;
  case POINTER_IS_MANAGED:
    return memory->kind == INJECT_MANAGED;
  case POINTER_RANGE_START:
  case POINTER_MAPPING_START:
    return memory->address;
  case POINTER_RANGE_BYTES:
  case POINTER_MAPPING_BYTES:
    return memory->bytes;
  case POINTER_IS_MAPPED:
    return true;
  case POINTER_ACCESS_FLAGS:
    return READ_WRITE;
  case POINTER_POOL:
    return (uintptr_t)memory->pool;
  case POINTER_SYNC_MEMOPS:
  case POINTER_DEVICE_ORDINAL:
  case POINTER_IS_LEGACY_IPC:
  case POINTER_HANDLE_TYPES:
  case POINTER_IS_RDMA:
  case POINTER_IS_DECOMPRESSED:
    break;
  }
  return 0;
}

static bool
find_live_memory(const void *address, Allocation *found) {
  return memory_find(address, found) && !found->is_free;
}

cudaError_t
cuPointerGetAttribute(void *answer, int attribute, const void *address) {
  Allocation found;
  size_t n = count_answer_bytes(attribute);
  if (!answer || n == 0 || !find_live_memory(address, &found))
    return cudaErrorInvalidValue;
  bool has_host = found.kind != INJECT_DEVICE;
  if (attribute == POINTER_HOST_POINTER && !has_host)
    return cudaErrorInvalidValue;
  uint64_t value = find_pointer_answer((PointerAttribute)attribute, &found, (uintptr_t)address);
  memcpy(answer, &value, n); // little-endian
  return cudaSuccess;
}

// Of memory that is the program's own, zeros.
cudaError_t
cuPointerGetAttributes(unsigned n, const int *attributes, void **answers, const void *address) {
  static const int no_device = -2;
  Allocation found;
  if (n == 0 || !attributes || !answers)
    return cudaErrorInvalidValue;
  bool is_ours = find_live_memory(address, &found);
  for (unsigned i = 0; i < n; i++) {
    size_t bytes = count_answer_bytes(attributes[i]);
    if (bytes == 0 || !answers[i])
      return cudaErrorInvalidValue;
    uint64_t value =
        is_ours ? find_pointer_answer((PointerAttribute)attributes[i], &found, (uintptr_t)address)
                : 0;
    memcpy(answers[i], &value, bytes);
    if (!is_ours && attributes[i] == POINTER_DEVICE_ORDINAL)
      memcpy(answers[i], &no_device, sizeof no_device);
  }
  return cudaSuccess;
}

cudaError_t
cuPointerSetAttribute(const void *value, int attribute, const void *address) {
  Allocation found;
  return value && attribute == POINTER_SYNC_MEMOPS && find_live_memory(address, &found)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

// --- places by the number of a device

static cudaMemLocation
locate_ordinal(int device) {
  return device == cudaCpuDeviceId ? (cudaMemLocation){cudaMemLocationTypeHost, 0}
                                   : (cudaMemLocation){cudaMemLocationTypeDevice, device};
}

cudaError_t
cuMemAdvise(const void *address, size_t bytes, int advice, CUdevice device) {
  return IN_12_OR_13(cudaMemAdvise_v2, cudaMemAdvise)(address, bytes, advice,
                                                      locate_ordinal(device));
}

cudaError_t
cuMemPrefetchAsync(const void *address, size_t bytes, CUdevice device, cudaStream_t stream) {
  return IN_12_OR_13(cudaMemPrefetchAsync_v2,
                     cudaMemPrefetchAsync)(address, bytes, locate_ordinal(device), 0, stream);
}

// --- arrays

// CUarray_format, of the formats that elements of a runtime's array can have: kind and bits of a component.
static const struct {
  int format, kind, bits;
} formats[] = {
    {0x01, cudaChannelFormatKindUnsigned, 8},  {0x02, cudaChannelFormatKindUnsigned, 16},
    {0x03, cudaChannelFormatKindUnsigned, 32}, {0x08, cudaChannelFormatKindSigned, 8},
    {0x09, cudaChannelFormatKindSigned, 16},   {0x0a, cudaChannelFormatKindSigned, 32},
    {0x10, cudaChannelFormatKindFloat, 16},    {0x20, cudaChannelFormatKindFloat, 32},
};

bool
driver_take_format(int format, unsigned n, cudaChannelFormatDesc *taken) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i].format == format && (n == 1 || n == 2 || n == 4)) {
      int bits = formats[i].bits, last = n > 2 ? bits : 0;
      *taken = (cudaChannelFormatDesc){bits, n > 1 ? bits : 0, last, last, formats[i].kind};
      return true;
    }
  return false;
}

int
driver_give_format(const cudaChannelFormatDesc *format, unsigned *n) {
  *n = 1u + (format->y != 0) + (format->z != 0) + (format->w != 0);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i].kind == format->f && formats[i].bits == format->x)
      return formats[i].format;
  return 0;
}

cudaError_t
cuArray3DCreate_v2(cudaArray_t *array, const CUDA_ARRAY3D_DESCRIPTOR *given) {
  cudaChannelFormatDesc format;
  if (!given || !driver_take_format(given->Format, given->NumChannels, &format))
    return cudaErrorInvalidValue;
  const cudaExtent extent = {given->Width, given->Height, given->Depth};
  return cudaMalloc3DArray(array, &format, extent, given->Flags);
}

cudaError_t
cuArrayDestroy(cudaArray_t array) {
  return array ? cudaFreeArray(array) : cudaErrorInvalidResourceHandle;
}

cudaError_t
cuMipmappedArrayDestroy(cudaMipmappedArray_t mipmap) {
  return mipmap ? cudaFreeMipmappedArray(mipmap) : cudaErrorInvalidResourceHandle;
}

cudaError_t
cuMipmappedArrayCreate(cudaMipmappedArray_t *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *given,
                       unsigned levels) {
  cudaChannelFormatDesc format;
  if (!given || !driver_take_format(given->Format, given->NumChannels, &format))
    return cudaErrorInvalidValue;
  const cudaExtent extent = {given->Width, given->Height, given->Depth};
  return cudaMallocMipmappedArray(mipmap, &format, extent, levels, given->Flags);
}

cudaError_t
cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *answer, cudaArray_t array) {
  cudaChannelFormatDesc format;
  cudaExtent extent;
  unsigned flags;
  cudaError_t error =
      answer ? cudaArrayGetInfo(&format, &extent, &flags, array) : cudaErrorInvalidValue;
  if (error)
    return error;
  *answer = (CUDA_ARRAY3D_DESCRIPTOR){
      .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
  answer->Format = driver_give_format(&format, &answer->NumChannels);
  return cudaSuccess;
}

cudaError_t
cuArrayCreate_v2(cudaArray_t *array, const CUDA_ARRAY_DESCRIPTOR *given) {
  if (!given)
    return cudaErrorInvalidValue;
  const CUDA_ARRAY3D_DESCRIPTOR box = {.Width = given->Width,
                                       .Height = given->Height,
                                       .Format = given->Format,
                                       .NumChannels = given->NumChannels};
  return cuArray3DCreate_v2(array, &box);
}

cudaError_t
cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *answer, cudaArray_t array) {
  CUDA_ARRAY3D_DESCRIPTOR box;
  cudaError_t error = answer ? cuArray3DGetDescriptor_v2(&box, array) : cudaErrorInvalidValue;
  if (!error)
    *answer = (CUDA_ARRAY_DESCRIPTOR){box.Width, box.Height, box.Format, box.NumChannels};
  return error;
}
