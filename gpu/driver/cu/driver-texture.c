// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Textures and surfaces: what the driver says of them in other words than the runtime.
#include <string.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/array.h"

// CU_TRSF_…
enum {
  READ_AS_INTEGER = 1,
  NORMALIZED_COORDINATES = 2,
  SRGB = 0x10,
  NO_TRILINEAR_OPTIMIZATION = 0x20,
  SEAMLESS_CUBEMAP = 0x40,
  TEXTURE_FLAGS = 0x73, // all of these
};

// --- what they are of

static cudaError_t
take_driver_resource(const CUDA_RESOURCE_DESC *given, cudaResourceDesc *resource) {
  bool is_known = true;
  if (!given || given->flags != 0)
    return cudaErrorInvalidValue;
  memset(resource, 0, sizeof *resource);
  resource->resType = given->resType;
  if (given->resType == cudaResourceTypeArray)
    resource->res.array.array = given->res.array;
  else if (given->resType == cudaResourceTypeMipmappedArray)
    resource->res.mipmap.mipmap = given->res.mipmap;
  else if (given->resType == cudaResourceTypeLinear) {
    resource->res.linear.devPtr = (void *)given->res.linear.address;
    resource->res.linear.sizeInBytes = given->res.linear.bytes;
    is_known = driver_take_format(given->res.linear.format, given->res.linear.channels,
                                  &resource->res.linear.desc);
  } else if (given->resType == cudaResourceTypePitch2D) {
    resource->res.pitch2D.devPtr = (void *)given->res.pitch.address;
    resource->res.pitch2D.width = given->res.pitch.width;
    resource->res.pitch2D.height = given->res.pitch.height;
    resource->res.pitch2D.pitchInBytes = given->res.pitch.pitch;
    is_known = driver_take_format(given->res.pitch.format, given->res.pitch.channels,
                                  &resource->res.pitch2D.desc);
  } else
    is_known = false;
  return is_known ? cudaSuccess : cudaErrorInvalidValue;
}

static void
give_resource(const cudaResourceDesc *resource, CUDA_RESOURCE_DESC *answer) {
  memset(answer, 0, sizeof *answer);
  answer->resType = resource->resType;
  if (resource->resType == cudaResourceTypeArray)
    answer->res.array = resource->res.array.array;
  else if (resource->resType == cudaResourceTypeMipmappedArray)
    answer->res.mipmap = resource->res.mipmap.mipmap;
  else if (resource->resType == cudaResourceTypeLinear) {
    answer->res.linear.address = (CUdeviceptr)resource->res.linear.devPtr;
    answer->res.linear.bytes = resource->res.linear.sizeInBytes;
    answer->res.linear.format =
        driver_give_format(&resource->res.linear.desc, &answer->res.linear.channels);
  } else {
    answer->res.pitch.address = (CUdeviceptr)resource->res.pitch2D.devPtr;
    answer->res.pitch.width = resource->res.pitch2D.width;
    answer->res.pitch.height = resource->res.pitch2D.height;
    answer->res.pitch.pitch = resource->res.pitch2D.pitchInBytes;
    answer->res.pitch.format =
        driver_give_format(&resource->res.pitch2D.desc, &answer->res.pitch.channels);
  }
}

// --- how they are read

// The format of what is read. False: there is nothing.
static bool
find_read_format(const cudaResourceDesc *resource, cudaChannelFormatDesc *format) {
  const Array *array = NULL;
  if (resource->resType == cudaResourceTypeLinear)
    *format = resource->res.linear.desc;
  else if (resource->resType == cudaResourceTypePitch2D)
    *format = resource->res.pitch2D.desc;
  else if (resource->resType == cudaResourceTypeArray &&
           handle_is(resource->res.array.array, HANDLE_ARRAY))
    array = resource->res.array.array;
  else if (resource->resType == cudaResourceTypeMipmappedArray &&
           handle_is(resource->res.mipmap.mipmap, HANDLE_MIPMAP))
    array = mipmap_levels(resource->res.mipmap.mipmap)[0];
  else
    return false;
  if (array)
    *format = array->format;
  return true;
}

// Integers of 8 and 16 bits are read as numbers up to 1 unless a flag says otherwise; nothing else is.
void
driver_take_flags(unsigned flags, const cudaChannelFormatDesc *format, cudaTextureDesc *how) {
  bool is_normalized = !(flags & READ_AS_INTEGER) && format &&
                       format->f != cudaChannelFormatKindFloat && format->x <= 16;
  how->readMode = is_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how->sRGB = (flags & SRGB) != 0;
  how->normalizedCoords = (flags & NORMALIZED_COORDINATES) != 0;
  how->disableTrilinearOptimization = (flags & NO_TRILINEAR_OPTIMIZATION) != 0;
  how->seamlessCubemap = (flags & SEAMLESS_CUBEMAP) != 0;
}

static cudaTextureDesc
take_sampler(const CUDA_TEXTURE_DESC *given, const cudaResourceDesc *resource) {
  cudaTextureDesc how = {.filterMode = given->filterMode,
                         .maxAnisotropy = given->maxAnisotropy,
                         .mipmapFilterMode = given->mipmapFilterMode,
                         .mipmapLevelBias = given->mipmapLevelBias,
                         .minMipmapLevelClamp = given->minMipmapLevelClamp,
                         .maxMipmapLevelClamp = given->maxMipmapLevelClamp};
  cudaChannelFormatDesc format = {0};
  driver_take_flags(given->flags, find_read_format(resource, &format) ? &format : NULL, &how);
  memcpy(how.addressMode, given->addressMode, sizeof how.addressMode);
  memcpy(how.borderColor, given->borderColor, sizeof how.borderColor);
  return how;
}

static void
give_sampler(const cudaTextureDesc *how, CUDA_TEXTURE_DESC *answer) {
  unsigned flags = 0;
  flags |= how->readMode == cudaReadModeElementType ? READ_AS_INTEGER : 0;
  flags |= how->normalizedCoords ? NORMALIZED_COORDINATES : 0;
  flags |= how->sRGB ? SRGB : 0;
  flags |= how->disableTrilinearOptimization ? NO_TRILINEAR_OPTIMIZATION : 0;
  flags |= how->seamlessCubemap ? SEAMLESS_CUBEMAP : 0;
  *answer = (CUDA_TEXTURE_DESC){.filterMode = how->filterMode,
                                .flags = flags,
                                .maxAnisotropy = how->maxAnisotropy,
                                .mipmapFilterMode = how->mipmapFilterMode,
                                .mipmapLevelBias = how->mipmapLevelBias,
                                .minMipmapLevelClamp = how->minMipmapLevelClamp,
                                .maxMipmapLevelClamp = how->maxMipmapLevelClamp};
  memcpy(answer->addressMode, how->addressMode, sizeof answer->addressMode);
  memcpy(answer->borderColor, how->borderColor, sizeof answer->borderColor);
}

// --- calls; views are the runtime's

cudaError_t
cuTexObjectCreate(cudaTextureObject_t *texture, const CUDA_RESOURCE_DESC *given,
                  const CUDA_TEXTURE_DESC *given_how, const cudaResourceViewDesc *view) {
  cudaResourceDesc resource;
  cudaError_t error = take_driver_resource(given, &resource);
  bool has_none = !error && resource.resType == cudaResourceTypeArray && !resource.res.array.array;
  if (!error && (has_none || !texture || !given_how || given_how->flags & ~(unsigned)TEXTURE_FLAGS))
    error = cudaErrorInvalidValue;
  if (error)
    return error;
  const cudaTextureDesc how = take_sampler(given_how, &resource);
  return cudaCreateTextureObject(texture, &resource, &how, view);
}

cudaError_t
cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *answer, cudaTextureObject_t texture) {
  cudaResourceDesc resource;
  cudaError_t error =
      answer ? cudaGetTextureObjectResourceDesc(&resource, texture) : cudaErrorInvalidValue;
  if (!error)
    give_resource(&resource, answer);
  return error;
}

cudaError_t
cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *answer, cudaTextureObject_t texture) {
  cudaTextureDesc how;
  cudaError_t error =
      answer ? cudaGetTextureObjectTextureDesc(&how, texture) : cudaErrorInvalidValue;
  if (!error)
    give_sampler(&how, answer);
  return error;
}

cudaError_t
cuSurfObjectCreate(cudaSurfaceObject_t *surface, const CUDA_RESOURCE_DESC *given) {
  cudaResourceDesc resource;
  cudaError_t error = take_driver_resource(given, &resource);
  return error ? error : cudaCreateSurfaceObject(surface, &resource);
}

cudaError_t
cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *answer, cudaSurfaceObject_t surface) {
  cudaResourceDesc resource;
  cudaError_t error =
      answer ? cudaGetSurfaceObjectResourceDesc(&resource, surface) : cudaErrorInvalidValue;
  if (!error)
    give_resource(&resource, answer);
  return error;
}

cudaError_t
cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format, unsigned channels, CUdevice device) {
  cudaChannelFormatDesc taken;
  return driver_take_format(format, channels, &taken)
             ? cudaDeviceGetTexture1DLinearMaxWidth(width, &taken, device)
             : cudaErrorInvalidValue;
}
