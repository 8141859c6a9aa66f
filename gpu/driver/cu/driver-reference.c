// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Texture and surface references: what a program binds to the names that PTX declares. What can be set, also if it makes no sense, and which
// errors there are was seen on an H200 (driver 580).
#include <string.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/array.h"
#include "gpu/driver/texture/texture-reference.h"
#include "gpu/driver/texture/texture.h"

enum {
  ALIGNMENT = 512, // of memory
  PITCH_ALIGNMENT = 32,
  OVERRIDE_FORMAT = 1,  // CU_TRSA_OVERRIDE_FORMAT
  ALLOWED_FLAGS = 0x3f, // of CU_TRSF_…, and two that are none
  N_AXES = 3,
};

// What a function needs besides one of its arguments: one that is there.
static cudaError_t
use_kind(const Reference *reference, HandleKind kind, const void *argument) {
  if (!handle_is(reference, kind))
    return cudaErrorInvalidResourceHandle;
  cudaError_t error = error_check();
  return error || argument ? error : cudaErrorInvalidValue;
}

static cudaError_t
use_reference(const Reference *reference, const void *argument) {
  return use_kind(reference, HANDLE_TEXTURE_REFERENCE, argument);
}

static cudaError_t
use_surface(const Reference *reference, const void *argument) {
  return use_kind(reference, HANDLE_SURFACE_REFERENCE, argument);
}

// --- in modules

static cudaError_t
find_in_module(Reference **answer, const Module *module, const char *name, bool is_surface) {
  if (!answer || !name)
    return cudaErrorInvalidValue;
  if (!handle_is(module, HANDLE_MODULE))
    return cudaErrorInvalidResourceHandle;
  Reference *found = reference_find(module, name, is_surface);
  if (found)
    *answer = found;
  return found ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t
cuModuleGetTexRef(Reference **answer, CUmodule module, const char *name) {
  return find_in_module(answer, module, name, false);
}

cudaError_t
cuModuleGetSurfRef(Reference **answer, CUmodule module, const char *name) {
  return find_in_module(answer, module, name, true);
}

cudaError_t
cuTexRefCreate(Reference **answer) {
  if (!answer)
    return cudaErrorInvalidValue;
  Reference *made = reference_new(NULL, NULL, false);
  if (made)
    *answer = made;
  return made ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
cuTexRefDestroy(Reference *reference) {
  cudaError_t error = use_reference(reference, reference);
  if (!error)
    reference_free(reference);
  return error;
}

// All that are bound are available to kernels: there is nothing to do.
cudaError_t
cuParamSetTexRef(const Kernel *kernel, int unit, const Reference *reference) {
  (void)unit;
  if (!handle_is(kernel, HANDLE_KERNEL) || !handle_is(reference, HANDLE_TEXTURE_REFERENCE))
    return cudaErrorInvalidResourceHandle;
  return reference->is_bound ? cudaSuccess : cudaErrorInvalidValue;
}

// --- formats

static void
refresh_how(Reference *reference) {
  driver_take_flags(reference->flags, &reference->texel, &reference->how);
}

static void
set_format(Reference *reference, int format, unsigned n) {
  reference->format = format;
  reference->channels = n;
  if (!driver_take_format(format, n, &reference->texel))
    reference->texel = (cudaChannelFormatDesc){0};
  refresh_how(reference);
}

// The bytes of so many components, also of numbers that no texture has; of a format that there is not, 0.
static size_t
measure_format(int format, unsigned n) {
  cudaChannelFormatDesc one;
  return driver_take_format(format, 1, &one) ? (size_t)one.x / 8 * n : 0;
}

cudaError_t
cuTexRefSetFormat(Reference *reference, int format, int n) {
  cudaError_t error = use_reference(reference, reference);
  if (!error && (n < 0 || n == 3 || n > 4))
    error = cudaErrorInvalidValue;
  if (!error)
    set_format(reference, format, (unsigned)n);
  return error;
}

cudaError_t
cuTexRefGetFormat(int *format, int *n, const Reference *reference) {
  cudaError_t error = use_reference(reference, reference);
  if (!error && format)
    *format = reference->format;
  if (!error && n)
    *n = (int)reference->channels;
  return error;
}

// --- what they are bound to

static void
bind_reference(Reference *reference, const cudaResourceDesc *resource) {
  reference->resource = *resource;
  reference->is_bound = true;
}

static void
bind_array(Reference *reference, cudaArray_t array) {
  cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
  resource.res.array.array = array;
  bind_reference(reference, &resource);
}

static void
override_format(Reference *reference, const Array *array) {
  unsigned n;
  int format = driver_give_format(&array->format, &n);
  set_format(reference, format, n);
}

cudaError_t
cuTexRefSetArray(Reference *reference, cudaArray_t array, unsigned flags) {
  cudaError_t error = use_reference(reference, reference);
  if (error)
    return error;
  if (!handle_is(array, HANDLE_ARRAY))
    return cudaErrorInvalidResourceHandle;
  if (flags > OVERRIDE_FORMAT)
    return cudaErrorInvalidValue;
  bind_array(reference, array);
  if (flags & OVERRIDE_FORMAT)
    override_format(reference, array);
  return cudaSuccess;
}

cudaError_t
cuTexRefSetMipmappedArray(Reference *reference, cudaMipmappedArray_t mipmap, unsigned flags) {
  cudaError_t error = use_reference(reference, reference);
  if (error)
    return error;
  if (!handle_is(mipmap, HANDLE_MIPMAP))
    return cudaErrorInvalidResourceHandle;
  if (flags > OVERRIDE_FORMAT)
    return cudaErrorInvalidValue;
  cudaResourceDesc resource = {.resType = cudaResourceTypeMipmappedArray};
  resource.res.mipmap.mipmap = mipmap;
  bind_reference(reference, &resource);
  if (flags & OVERRIDE_FORMAT)
    override_format(reference, mipmap_levels(mipmap)[0]);
  return cudaSuccess;
}

// A texture begins where memory is aligned: the program is told how far before its own that is, and adds it to what it fetches.
cudaError_t
cuTexRefSetAddress_v2(size_t *offset, Reference *reference, CUdeviceptr address, size_t bytes) {
  cudaError_t error = use_reference(reference, reference);
  size_t before = address % ALIGNMENT;
  if (error)
    return error;
  size_t element = measure_format(reference->format, reference->channels);
  if ((before && !offset) || bytes > SIZE_MAX - before ||
      !textures_fit_linear(bytes + before, element ? element : 1))
    return cudaErrorInvalidValue;
  const cudaResourceDesc resource = {
      .resType = cudaResourceTypeLinear,
      .res = {.linear = {.devPtr = (void *)(address - before), .sizeInBytes = bytes + before}}};
  bind_reference(reference, &resource);
  if (offset)
    *offset = before;
  return cudaSuccess;
}

static cudaError_t
bind_rows(Reference *reference, const CUDA_ARRAY_DESCRIPTOR *rows, CUdeviceptr address,
          size_t pitch, size_t alignment) {
  cudaError_t error = use_reference(reference, rows);
  if (error)
    return error;
  if (address % ALIGNMENT || pitch % alignment ||
      !textures_fit_pitched(rows->Width, rows->Height, pitch) ||
      pitch < rows->Width * measure_format(rows->Format, rows->NumChannels))
    return cudaErrorInvalidValue;
  const cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D,
                                     .res = {.pitch2D = {.devPtr = (void *)address,
                                                         .width = rows->Width,
                                                         .height = rows->Height,
                                                         .pitchInBytes = pitch}}};
  bind_reference(reference, &resource);
  set_format(reference, rows->Format, rows->NumChannels);
  return cudaSuccess;
}

cudaError_t
cuTexRefSetAddress2D_v3(Reference *reference, const CUDA_ARRAY_DESCRIPTOR *rows,
                        CUdeviceptr address, size_t pitch) {
  return bind_rows(reference, rows, address, pitch, PITCH_ALIGNMENT);
}

// Rows can begin anywhere.
cudaError_t
cuTexRefSetAddress2D_v2(Reference *reference, const CUDA_ARRAY_DESCRIPTOR *rows,
                        CUdeviceptr address, size_t pitch) {
  return bind_rows(reference, rows, address, pitch, 1);
}

static bool
is_bound_to(const Reference *reference, int type) {
  return reference->is_bound && (int)reference->resource.resType == type;
}

cudaError_t
cuTexRefGetAddress_v2(CUdeviceptr *address, const Reference *reference) {
  cudaError_t error = use_reference(reference, address);
  if (error)
    return error;
  const cudaResourceDesc *resource = &reference->resource;
  bool is_linear = is_bound_to(reference, cudaResourceTypeLinear);
  bool has_rows = is_bound_to(reference, cudaResourceTypePitch2D);
  *address = is_linear  ? (CUdeviceptr)resource->res.linear.devPtr
             : has_rows ? (CUdeviceptr)resource->res.pitch2D.devPtr
                        : 0;
  return is_linear || has_rows ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t
give_array(cudaArray_t *array, const Reference *reference) {
  if (!is_bound_to(reference, cudaResourceTypeArray))
    return cudaErrorInvalidValue;
  *array = reference->resource.res.array.array;
  return cudaSuccess;
}

cudaError_t
cuTexRefGetArray(cudaArray_t *array, const Reference *reference) {
  cudaError_t error = use_reference(reference, array);
  return error ? error : give_array(array, reference);
}

cudaError_t
cuTexRefGetMipmappedArray(cudaMipmappedArray_t *mipmap, const Reference *reference) {
  cudaError_t error = use_reference(reference, mipmap);
  if (!error && !is_bound_to(reference, cudaResourceTypeMipmappedArray))
    error = cudaErrorInvalidValue;
  if (!error)
    *mipmap = reference->resource.res.mipmap.mipmap;
  return error;
}

cudaError_t
cuSurfRefSetArray(Reference *reference, cudaArray_t array, unsigned flags) {
  cudaError_t error = use_surface(reference, reference);
  if (error)
    return error;
  if (!handle_is(array, HANDLE_ARRAY))
    return cudaErrorInvalidResourceHandle;
  if (flags || !(array->flags & cudaArraySurfaceLoadStore))
    return cudaErrorInvalidValue;
  bind_array(reference, array);
  return cudaSuccess;
}

cudaError_t
cuSurfRefGetArray(cudaArray_t *array, const Reference *reference) {
  cudaError_t error = use_surface(reference, array);
  return error ? error : give_array(array, reference);
}

// --- how they are read

cudaError_t
cuTexRefSetAddressMode(Reference *reference, int axis, int mode) {
  cudaError_t error = use_reference(reference, reference);
  if (!error && (axis < 0 || axis >= N_AXES))
    error = cudaErrorInvalidValue;
  if (!error)
    reference->how.addressMode[axis] = mode;
  return error;
}

cudaError_t
cuTexRefGetAddressMode(int *mode, const Reference *reference, int axis) {
  cudaError_t error = use_reference(reference, mode);
  if (!error && (axis < 0 || axis >= N_AXES))
    error = cudaErrorInvalidValue;
  if (!error)
    *mode = (int)reference->how.addressMode[axis];
  return error;
}

cudaError_t
cuTexRefSetFilterMode(Reference *reference, int mode) {
  cudaError_t error = use_reference(reference, reference);
  if (!error)
    reference->how.filterMode = mode;
  return error;
}

cudaError_t
cuTexRefGetFilterMode(int *mode, const Reference *reference) {
  cudaError_t error = use_reference(reference, mode);
  if (!error)
    *mode = (int)reference->how.filterMode;
  return error;
}

cudaError_t
cuTexRefSetMipmapFilterMode(Reference *reference, int mode) {
  cudaError_t error = use_reference(reference, reference);
  if (!error && (mode < 0 || mode > cudaFilterModeLinear))
    error = cudaErrorInvalidValue;
  if (!error)
    reference->how.mipmapFilterMode = mode;
  return error;
}

cudaError_t
cuTexRefGetMipmapFilterMode(int *mode, const Reference *reference) {
  cudaError_t error = use_reference(reference, mode);
  if (!error)
    *mode = (int)reference->how.mipmapFilterMode;
  return error;
}

cudaError_t
cuTexRefSetMipmapLevelBias(Reference *reference, float bias) {
  cudaError_t error = use_reference(reference, reference);
  if (!error)
    reference->how.mipmapLevelBias = bias;
  return error;
}

cudaError_t
cuTexRefGetMipmapLevelBias(float *bias, const Reference *reference) {
  cudaError_t error = use_reference(reference, bias);
  if (!error)
    *bias = reference->how.mipmapLevelBias;
  return error;
}

cudaError_t
cuTexRefSetMipmapLevelClamp(Reference *reference, float low, float high) {
  cudaError_t error = use_reference(reference, reference);
  if (error)
    return error;
  reference->how.minMipmapLevelClamp = low;
  reference->how.maxMipmapLevelClamp = high;
  return cudaSuccess;
}

cudaError_t
cuTexRefGetMipmapLevelClamp(float *low, float *high, const Reference *reference) {
  cudaError_t error = use_reference(reference, low && high ? low : NULL);
  if (error)
    return error;
  *low = reference->how.minMipmapLevelClamp;
  *high = reference->how.maxMipmapLevelClamp;
  return cudaSuccess;
}

cudaError_t
cuTexRefSetMaxAnisotropy(Reference *reference, unsigned most) {
  cudaError_t error = use_reference(reference, reference);
  if (!error)
    reference->how.maxAnisotropy = most;
  return error;
}

cudaError_t
cuTexRefGetMaxAnisotropy(int *most, const Reference *reference) {
  cudaError_t error = use_reference(reference, most);
  if (!error)
    *most = (int)reference->how.maxAnisotropy;
  return error;
}

cudaError_t
cuTexRefSetBorderColor(Reference *reference, const float *color) {
  cudaError_t error = use_reference(reference, color);
  if (!error)
    memcpy(reference->how.borderColor, color, sizeof reference->how.borderColor);
  return error;
}

cudaError_t
cuTexRefGetBorderColor(float *color, const Reference *reference) {
  cudaError_t error = use_reference(reference, color);
  if (!error)
    memcpy(color, reference->how.borderColor, sizeof reference->how.borderColor);
  return error;
}

cudaError_t
cuTexRefSetFlags(Reference *reference, unsigned flags) {
  cudaError_t error = use_reference(reference, reference);
  if (!error && flags & ~(unsigned)ALLOWED_FLAGS)
    error = cudaErrorInvalidValue;
  if (error)
    return error;
  reference->flags = flags;
  refresh_how(reference);
  return cudaSuccess;
}

cudaError_t
cuTexRefGetFlags(unsigned *flags, const Reference *reference) {
  cudaError_t error = use_reference(reference, flags);
  if (!error)
    *flags = reference->flags;
  return error;
}
