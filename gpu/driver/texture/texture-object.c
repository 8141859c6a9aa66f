// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Texture and surface objects: numbers for descriptions (sim/texture/descriptor.h), which each launch takes along. Which errors there
// are was seen on an H100 with CUDA 13.0.
#include "gpu/driver/texture/texture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/array-pages.h"
#include "gpu/driver/memory/memory.h"
#include "sim/texture/descriptor.h"

enum {
  ALIGNMENT = 512,            // of linear memory
  PITCH_ALIGNMENT = 32,       // of its rows
  MAX_LINEAR_WIDTH = 1 << 30, // elements
  MAX_PITCHED_WIDTH = 131072,
  MAX_PITCHED_HEIGHT = 65000,
  MAX_PITCH = 2097120,
};
#define MAX_LINEAR_BYTES ((uint64_t)1 << 32)

// What there is by a number; @resource: as it was given.
typedef struct {
  bool is_used;
  SmbTexture texture;
  cudaResourceDesc resource;
  cudaTextureDesc how;
  cudaResourceViewDesc view;
} Object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Object *objects; // from number 1 on
static size_t n_objects;

// --- what is described

// The bytes of an element; 0: there is no such format.
static size_t
describe_format(const cudaChannelFormatDesc *format, SmbTexture *texture) {
  size_t bytes = array_element_bytes(format);
  texture->channel = (uint32_t)format->f;
  texture->bits = (uint32_t)format->x;
  texture->n_components = bytes ? (uint32_t)(bytes * 8 / (size_t)format->x) : 0;
  return bytes;
}

static SmbTextureLevel
describe_array_level(const Array *array) {
  if (array->pages)
    return array->pages->levels[array->level];
  cudaExtent extent = array_extent(array);
  size_t row = extent.width * array->element_bytes;
  return (SmbTextureLevel){.address = (uintptr_t)array->data,
                           .row_bytes = row,
                           .slice_bytes = row * extent.height,
                           .width = (uint32_t)extent.width,
                           .height = (uint32_t)extent.height,
                           .depth = (uint32_t)extent.depth};
}

static SmbTextureShape
find_array_shape(const Array *array) {
  bool is_layered = array->flags & cudaArrayLayered;
  if (array->flags & cudaArrayCubemap)
    return is_layered ? SMB_SHAPE_CUBE_LAYERED : SMB_SHAPE_CUBE;
  if (array->extent.height == 0)
    return is_layered ? SMB_SHAPE_1D_LAYERED : SMB_SHAPE_1D;
  return is_layered ? SMB_SHAPE_2D_LAYERED : array->extent.depth > 0 ? SMB_SHAPE_3D : SMB_SHAPE_2D;
}

static cudaError_t
describe_levels(Array *const *levels, unsigned n, SmbTexture *texture) {
  describe_format(&levels[0]->format, texture);
  texture->shape = find_array_shape(levels[0]);
  texture->is_array = 1;
  texture->n_levels = n;
  for (unsigned i = 0; i < n && i < SMB_TEXTURE_LEVELS; i++)
    texture->levels[i] = describe_array_level(levels[i]);
  return cudaSuccess;
}

bool
textures_fit_linear(size_t bytes, size_t element) {
  size_t width = bytes / element;
  return width <= MAX_LINEAR_WIDTH && width <= MAX_LINEAR_BYTES / element;
}

bool
textures_fit_pitched(size_t width, size_t height, size_t pitch) {
  return pitch <= MAX_PITCH && width <= MAX_PITCHED_WIDTH && height <= MAX_PITCHED_HEIGHT;
}

// Whether memory can be the texture of an object; arrays always can.
static cudaError_t
check_texture_memory(const cudaResourceDesc *resource) {
  bool is_linear = resource->resType == cudaResourceTypeLinear;
  if (!is_linear && resource->resType != cudaResourceTypePitch2D)
    return cudaSuccess;
  const void *address = is_linear ? resource->res.linear.devPtr : resource->res.pitch2D.devPtr;
  size_t pitch = resource->res.pitch2D.pitchInBytes;
  size_t element =
      array_element_bytes(is_linear ? &resource->res.linear.desc : &resource->res.pitch2D.desc);
  if (element == 0)
    return cudaErrorInvalidChannelDescriptor;
  bool fits = is_linear ? textures_fit_linear(resource->res.linear.sizeInBytes, element)
                        : pitch % PITCH_ALIGNMENT == 0 &&
                              textures_fit_pitched(resource->res.pitch2D.width,
                                                   resource->res.pitch2D.height, pitch);
  return fits && (uintptr_t)address % ALIGNMENT == 0 && memory_is_ours(address)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

static cudaError_t
describe_linear(const cudaResourceDesc *resource, SmbTexture *texture) {
  const void *address = resource->res.linear.devPtr;
  size_t element = describe_format(&resource->res.linear.desc, texture);
  if (element == 0)
    return cudaErrorInvalidChannelDescriptor;
  size_t width = resource->res.linear.sizeInBytes / element;
  width = width < MAX_LINEAR_WIDTH ? width : MAX_LINEAR_WIDTH;
  texture->shape = SMB_SHAPE_BUFFER;
  texture->n_levels = 1;
  texture->levels[0] = (SmbTextureLevel){.address = (uintptr_t)address,
                                         .row_bytes = width * element,
                                         .width = (uint32_t)width,
                                         .height = 1,
                                         .depth = 1};
  return cudaSuccess;
}

static cudaError_t
describe_pitched(const cudaResourceDesc *resource, SmbTexture *texture) {
  const void *address = resource->res.pitch2D.devPtr;
  size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height;
  size_t pitch = resource->res.pitch2D.pitchInBytes;
  if (describe_format(&resource->res.pitch2D.desc, texture) == 0)
    return cudaErrorInvalidChannelDescriptor;
  texture->shape = SMB_SHAPE_2D;
  texture->n_levels = 1;
  texture->levels[0] = (SmbTextureLevel){.address = (uintptr_t)address,
                                         .row_bytes = pitch,
                                         .slice_bytes = pitch * height,
                                         .width = width ? (uint32_t)width : 1,
                                         .height = height ? (uint32_t)height : 1,
                                         .depth = 1};
  return cudaSuccess;
}

static cudaError_t
describe_resource(const cudaResourceDesc *resource, SmbTexture *texture) {
  Array *array = resource->res.array.array;
  struct Mipmap *mipmap = resource->res.mipmap.mipmap;
  switch (resource->resType) {
  case cudaResourceTypeArray:
    return handle_is(array, HANDLE_ARRAY) ? describe_levels(&array, 1, texture)
                                          : cudaErrorInvalidResourceHandle;
  case cudaResourceTypeMipmappedArray:
    return handle_is(mipmap, HANDLE_MIPMAP)
               ? describe_levels(mipmap_levels(mipmap), mipmap_count(mipmap), texture)
               : cudaErrorInvalidResourceHandle;
  case cudaResourceTypeLinear:
    return describe_linear(resource, texture);
  case cudaResourceTypePitch2D:
    return describe_pitched(resource, texture);
  default:
    return cudaErrorInvalidValue;
  }
}

// What an object can be asked; a reference can be asked all.
static cudaError_t
check_sampling(const cudaTextureDesc *how, const SmbTexture *texture) {
  bool is_float = texture->channel == SMB_CHANNEL_FLOAT;
  bool reads_float = how->readMode == cudaReadModeNormalizedFloat;
  bool is_linear = how->filterMode == cudaFilterModeLinear;
  if ((unsigned)how->filterMode > cudaFilterModeLinear)
    return cudaErrorInvalidValue;
  for (unsigned i = 0; i < 3; i++)
    if ((unsigned)how->addressMode[i] > SMB_ADDRESS_BORDER)
      return cudaErrorInvalidValue;
  if (is_linear && !is_float && (!reads_float || texture->bits == 32))
    return cudaErrorInvalidFilterSetting;
  return reads_float && (is_float || texture->bits == 32) ? cudaErrorInvalidNormSetting
                                                          : cudaSuccess;
}

// Linear memory has neither filters nor modes.
static void
describe_sampling(const cudaResourceDesc *resource, const cudaTextureDesc *how,
                  SmbTexture *texture) {
  for (unsigned i = 0; i < 3; i++) {
    unsigned mode = (unsigned)how->addressMode[i];
    texture->modes[i] = mode > SMB_ADDRESS_BORDER ? SMB_ADDRESS_CLAMP : mode;
  }
  texture->is_linear =
      how->filterMode == cudaFilterModeLinear && resource->resType != cudaResourceTypeLinear;
  texture->is_mip_linear = how->mipmapFilterMode == cudaFilterModeLinear;
  texture->is_normalized =
      how->normalizedCoords != 0 || resource->resType == cudaResourceTypeMipmappedArray;
  texture->reads_float = how->readMode == cudaReadModeNormalizedFloat;
  texture->is_srgb = how->sRGB != 0;
  texture->is_seamless = how->seamlessCubemap != 0;
  texture->anisotropy = (uint8_t)(how->maxAnisotropy > 16 ? 16 : how->maxAnisotropy);
  memcpy(texture->border, how->borderColor, sizeof texture->border);
  texture->bias = how->mipmapLevelBias;
  texture->min_level = how->minMipmapLevelClamp;
  texture->max_level = how->maxMipmapLevelClamp;
}

// Arrays keep their rows, whatever they are read as.
bool
textures_describe(const cudaResourceDesc *resource, const cudaChannelFormatDesc *texel,
                  const cudaTextureDesc *how, SmbTexture *texture) {
  cudaResourceDesc read = *resource;
  texture->is_surface = !texel;
  if (texel && read.resType == cudaResourceTypeLinear)
    read.res.linear.desc = *texel;
  else if (texel && read.resType == cudaResourceTypePitch2D)
    read.res.pitch2D.desc = *texel;
  if (describe_resource(&read, texture) || (texel && describe_format(texel, texture) == 0))
    return false;
  if (texel)
    describe_sampling(&read, how, texture);
  return true;
}

// --- views

// The formats of views in their order: how many bits, of which kind; each has 1, 2 and 4 components.
static const cudaChannelFormatDesc view_formats[] = {
    {8, 0, 0, 0, cudaChannelFormatKindUnsigned},  {8, 0, 0, 0, cudaChannelFormatKindSigned},
    {16, 0, 0, 0, cudaChannelFormatKindUnsigned}, {16, 0, 0, 0, cudaChannelFormatKindSigned},
    {32, 0, 0, 0, cudaChannelFormatKindUnsigned}, {32, 0, 0, 0, cudaChannelFormatKindSigned},
    {16, 0, 0, 0, cudaChannelFormatKindFloat},    {32, 0, 0, 0, cudaChannelFormatKindFloat},
};

// Some of the levels and layers, as another format of the same size. Compressed formats are missing.
static cudaError_t
apply_view(const cudaResourceViewDesc *view, SmbTexture *texture) {
  enum {
    PER_KIND = 3,
    N_FORMATS = PER_KIND * sizeof view_formats / sizeof *view_formats,
  };
  static const uint32_t counts[PER_KIND] = {1, 2, 4};
  const SmbTextureLevel *first = &texture->levels[0];
  unsigned bytes = texture->bits * texture->n_components, number = (unsigned)view->format - 1;
  bool has_layers = texture->shape == SMB_SHAPE_1D_LAYERED ||
                    texture->shape == SMB_SHAPE_2D_LAYERED ||
                    texture->shape == SMB_SHAPE_CUBE_LAYERED;
  bool has_height = texture->shape != SMB_SHAPE_1D && texture->shape != SMB_SHAPE_1D_LAYERED;
  if (view->format > N_FORMATS)
    return error_missing("a texture of compressed blocks");
  if (view->format == 0 || view->width != first->width ||
      (has_height ? view->height != first->height : view->height > 1) ||
      view->firstMipmapLevel > view->lastMipmapLevel ||
      view->lastMipmapLevel >= texture->n_levels || view->firstLayer > view->lastLayer ||
      (view->lastLayer > 0 && (!has_layers || view->lastLayer >= first->depth)))
    return cudaErrorInvalidValue;
  texture->channel = (uint32_t)view_formats[number / PER_KIND].f;
  texture->bits = (uint32_t)view_formats[number / PER_KIND].x;
  texture->n_components = counts[number % PER_KIND];
  if (texture->bits * texture->n_components != bytes)
    return cudaErrorInvalidValue;
  texture->n_levels = view->lastMipmapLevel - view->firstMipmapLevel + 1;
  memmove(texture->levels, texture->levels + view->firstMipmapLevel,
          texture->n_levels * sizeof *texture->levels);
  for (unsigned i = 0; has_layers && i < texture->n_levels; i++) {
    texture->levels[i].address += view->firstLayer * texture->levels[i].slice_bytes;
    texture->levels[i].depth = view->lastLayer - view->firstLayer + 1;
  }
  return cudaSuccess;
}

// --- numbers

// The first number that is free. 0: there is no memory.
static uint64_t
keep_object(const Object *object) {
  size_t i = 0;
  pthread_mutex_lock(&lock);
  while (i < n_objects && objects[i].is_used)
    i++;
  Object *larger = i < n_objects ? objects : realloc(objects, (n_objects + 1) * sizeof *objects);
  if (larger) {
    objects = larger;
    n_objects += i == n_objects;
    objects[i] = *object;
    objects[i].is_used = true;
    objects[i].texture.handle = i + 1;
  }
  pthread_mutex_unlock(&lock);
  return larger ? i + 1 : 0;
}

static bool
find_texture_object(uint64_t number, bool is_surface, Object *found) {
  pthread_mutex_lock(&lock);
  bool is_there = number > 0 && number <= n_objects && objects[number - 1].is_used &&
                  objects[number - 1].texture.is_surface == is_surface;
  if (is_there)
    *found = objects[number - 1];
  pthread_mutex_unlock(&lock);
  return is_there;
}

// One that is not there is nothing to say.
static void
drop_object(uint64_t number, bool is_surface) {
  Object found;
  if (!find_texture_object(number, is_surface, &found))
    return;
  pthread_mutex_lock(&lock);
  objects[number - 1].is_used = false;
  pthread_mutex_unlock(&lock);
}

void
textures_reset(void) {
  pthread_mutex_lock(&lock);
  n_objects = 0;
  pthread_mutex_unlock(&lock);
}

void
textures_add(SmbPayload *payload, const SmbTexture *besides, size_t n_besides) {
  size_t n = n_besides;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < n_objects; i++)
    n += objects[i].is_used;
  smb_payload_add_number(payload, n);
  for (size_t i = 0; i < n_objects; i++)
    if (objects[i].is_used)
      smb_payload_add_bytes(payload, &objects[i].texture, sizeof objects[i].texture);
  for (size_t i = 0; i < n_besides; i++)
    smb_payload_add_bytes(payload, &besides[i], sizeof besides[i]);
  pthread_mutex_unlock(&lock);
}

// --- calls

API cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                        const cudaTextureDesc *how, const cudaResourceViewDesc *view) {
  cudaError_t error = error_check();
  if (!error && (!texture || !resource))
    error = cudaErrorInvalidValue;
  if (!error && !how)
    error = cudaErrorInvalidResourceHandle;
  if (error)
    return error_return(error);
  Object object = {.resource = *resource, .how = *how};
  bool is_array = resource->resType == cudaResourceTypeArray ||
                  resource->resType == cudaResourceTypeMipmappedArray;
  error = check_texture_memory(resource);
  error = error ? error : describe_resource(resource, &object.texture);
  if (!error && view) {
    object.view = *view;
    error = is_array ? apply_view(view, &object.texture) : cudaSuccess;
  }
  error = error ? error : check_sampling(how, &object.texture);
  if (!error)
    describe_sampling(resource, how, &object.texture);
  uint64_t number = error ? 0 : keep_object(&object);
  if (!error && number == 0)
    error = cudaErrorMemoryAllocation;
  if (!error)
    *texture = number;
  return error_return(error);
}

API cudaError_t
cudaDestroyTextureObject(cudaTextureObject_t texture) {
  cudaError_t error = error_check();
  if (!error)
    drop_object(texture, false);
  return error_return(error);
}

static cudaError_t
ask_object(const void *answer, uint64_t number, bool is_surface, Object *found) {
  cudaError_t error = error_check();
  return error                                                      ? error
         : answer && find_texture_object(number, is_surface, found) ? cudaSuccess
                                                                    : cudaErrorInvalidValue;
}

API cudaError_t
cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t texture) {
  Object found;
  cudaError_t error = ask_object(resource, texture, false, &found);
  if (!error)
    *resource = found.resource;
  return error_return(error);
}

API cudaError_t
cudaGetTextureObjectTextureDesc(cudaTextureDesc *how, cudaTextureObject_t texture) {
  Object found;
  cudaError_t error = ask_object(how, texture, false, &found);
  if (!error)
    *how = found.how;
  return error_return(error);
}

API cudaError_t
cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *view, cudaTextureObject_t texture) {
  Object found;
  cudaError_t error = ask_object(view, texture, false, &found);
  if (!error)
    *view = found.view;
  return error_return(error);
}

// Only arrays have surfaces.
static cudaError_t
describe_surface(const cudaResourceDesc *resource, SmbTexture *surface) {
  cudaError_t error = check_texture_memory(resource);
  error = error ? error : describe_resource(resource, surface);
  surface->is_surface = true;
  return !error && resource->resType != cudaResourceTypeArray ? cudaErrorInvalidValue : error;
}

API cudaError_t
cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource) {
  cudaError_t error = error_check();
  if (!error && (!surface || !resource))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  Object object = {.resource = *resource};
  error = describe_surface(resource, &object.texture);
  uint64_t number = error ? 0 : keep_object(&object);
  if (!error && number == 0)
    error = cudaErrorMemoryAllocation;
  if (!error)
    *surface = number;
  return error_return(error);
}

API cudaError_t
cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  cudaError_t error = error_check();
  if (!error)
    drop_object(surface, true);
  return error_return(error);
}

API cudaError_t
cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, cudaSurfaceObject_t surface) {
  Object found;
  cudaError_t error = ask_object(resource, surface, true, &found);
  if (!error)
    *resource = found.resource;
  return error_return(error);
}

API cudaError_t
cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const cudaChannelFormatDesc *format,
                                     int device) {
  cudaError_t error = error_check();
  if (!error && (!width || !format))
    error = cudaErrorInvalidValue;
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  size_t element = error ? 0 : array_element_bytes(format);
  if (!error && element == 0)
    error = cudaErrorInvalidChannelDescriptor;
  if (error)
    return error_return(error);
  *width =
      MAX_LINEAR_BYTES / element < MAX_LINEAR_WIDTH ? MAX_LINEAR_BYTES / element : MAX_LINEAR_WIDTH;
  return cudaSuccess;
}
