// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays are allocated, described and copied.
#include "gpu/driver/memory/array.h"

#include <stdlib.h>

#include "gpu/driver/stream/call.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/array-pages.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/stream/stream-capture.h"
#include "gpu/driver/texture/texture-reference.h"

enum {
  KNOWN_FLAGS = 0xef, // all but CUDA_ARRAY3D_DEPTH_TEXTURE
  CUBE_FACES = 6,
};

cudaExtent
array_extent(const Array *array) {
  cudaExtent extent = array->extent;
  extent.height += extent.height == 0;
  extent.depth += extent.depth == 0;
  return extent;
}

size_t
array_element_bytes(const cudaChannelFormatDesc *format) {
  const int bits[] = {format->x, format->y, format->z, format->w};
  int n = 0;
  while (n < 4 && bits[n] != 0)
    n++;
  for (int i = 0; i < 4; i++)
    if (bits[i] != (i < n ? bits[0] : 0))
      return 0;
  bool is_known = (bits[0] == 8 || bits[0] == 16 || bits[0] == 32) && n != 3 && n != 0 &&
                  !(format->f == cudaChannelFormatKindFloat && bits[0] == 8) &&
                  format->f >= cudaChannelFormatKindSigned &&
                  format->f <= cudaChannelFormatKindFloat;
  return is_known ? (size_t)(n * bits[0] / 8) : 0;
}

// The most elements in each direction, as an H100 has them (CUDA C++ Programming Guide, "Compute Capabilities").
static const struct {
  unsigned flags; // of those that decide
  bool has_height, has_depth;
  cudaExtent most;
} limits[] = {
    {0, false, false, {131072, 0, 0}},
    {0, true, false, {131072, 65536, 0}},
    {0, true, true, {16384, 16384, 16384}},
    {cudaArrayLayered, false, true, {32768, 0, 2048}},
    {cudaArrayLayered, true, true, {32768, 32768, 2048}},
    {cudaArrayCubemap, true, true, {32768, 32768, CUBE_FACES}},
    {cudaArrayCubemap | cudaArrayLayered, true, true, {32768, 32768, 2046}},
    {cudaArrayTextureGather, true, false, {32768, 32768, 0}},
};

static bool
is_extent_allowed(cudaExtent extent, unsigned flags) {
  unsigned deciding = flags & (cudaArrayLayered | cudaArrayCubemap | cudaArrayTextureGather);
  bool is_cube = flags & cudaArrayCubemap;
  if (is_cube && (extent.width != extent.height || extent.depth % CUBE_FACES))
    return false;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (limits[i].flags == deciding && limits[i].has_height == (extent.height > 0) &&
        limits[i].has_depth == (extent.depth > 0))
      return extent.width > 0 && extent.width <= limits[i].most.width &&
             extent.height <= limits[i].most.height && extent.depth <= limits[i].most.depth;
  return false;
}

cudaError_t
array_check(const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags,
            size_t *element_bytes) {
  if (!format || flags & ~(unsigned)KNOWN_FLAGS || !is_extent_allowed(extent, flags) ||
      !pages_allow(extent, flags))
    return cudaErrorInvalidValue;
  *element_bytes = array_element_bytes(format);
  return *element_bytes > 0 ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

// Its memory, or pages for memory that is mapped.
static bool
make_array_memory(Array *array) {
  cudaExtent all = array_extent(array);
  if (pages_are_asked(array->flags))
    array->pages = pages_new(array->element_bytes, array->extent, array->flags, 1, false);
  else
    array->data = memory_allocate(all.width * all.height * all.depth * array->element_bytes,
                                  INJECT_DEVICE, false);
  return array->pages || array->data;
}

static cudaError_t
allocate_array(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
               unsigned flags) {
  size_t element;
  cudaError_t error = error_check();
  error = error ? error : capture_check_unsafe(false);
  if (!error)
    error = array ? array_check(format, extent, flags, &element) : cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  Array *made = handle_new(HANDLE_ARRAY, sizeof *made);
  if (!made)
    return error_return(cudaErrorMemoryAllocation);
  *made = (Array){.format = *format, .extent = extent, .flags = flags, .element_bytes = element};
  if (!make_array_memory(made)) {
    handle_free(made);
    return error_return(cudaErrorMemoryAllocation);
  }
  *array = made;
  return cudaSuccess;
}

API cudaError_t
cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width,
                size_t height, unsigned flags) {
  return allocate_array(array, format, (cudaExtent){width, height, 0}, flags);
}

API cudaError_t
cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                  unsigned flags) {
  return allocate_array(array, format, extent, flags);
}

API cudaError_t
cudaFreeArray(cudaArray_t array) {
  cudaError_t error = error_check();
  error = error ? error : capture_check_unsafe(false);
  if (error || !array)
    return error_return(error);
  if (!handle_is(array, HANDLE_ARRAY))
    return error_return(cudaErrorContextIsDestroyed);
  references_forget(array);
  if (array->pages && !array->is_level) {
    queue_wait(queue_last());
    pages_free(array->pages);
  }
  if (array->data)
    memory_drop(array->data);
  handle_free(array);
  return cudaSuccess;
}

static cudaError_t
use_array(const Array *array) {
  cudaError_t error = error_check();
  return error                            ? error
         : handle_is(array, HANDLE_ARRAY) ? cudaSuccess
                                          : cudaErrorInvalidResourceHandle;
}

API cudaError_t
cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
                 cudaArray_t array) {
  cudaError_t error = use_array(array);
  if (error)
    return error_return(error);
  if (format)
    *format = array->format;
  if (extent)
    *extent = array->extent;
  if (flags)
    *flags = array->flags;
  return cudaSuccess;
}

API cudaError_t
cudaGetChannelDesc(cudaChannelFormatDesc *format, const Array *array) {
  cudaError_t error = use_array(array);
  if (!error && !format)
    error = cudaErrorInvalidValue;
  if (!error)
    *format = array->format;
  return error_return(error);
}

API cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return (cudaChannelFormatDesc){x, y, z, w, kind};
}

// --- copies

static cudaError_t
copy_array(Array *array, cudaPos at, void *memory, size_t pitch, size_t width, size_t height,
           int kind, bool is_to, cudaStream_t stream, bool waits) {
  cudaError_t error = use_array(array);
  if (!error && (width > pitch || width % array->element_bytes || at.x % array->element_bytes))
    error = width > pitch ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  at.x /= array->element_bytes;
  const cudaPitchedPtr rows = {memory, pitch, width, height};
  Call call = {.kind = cudaGraphNodeTypeMemcpy,
               .copy = {.extent = {width / array->element_bytes, height, 1}, .kind = kind}};
  if (is_to) {
    call.copy.dstArray = array;
    call.copy.dstPos = at;
    call.copy.srcPtr = rows;
  } else {
    call.copy.srcArray = array;
    call.copy.srcPos = at;
    call.copy.dstPtr = rows;
  }
  return call_submit(&call, stream, waits);
}

API cudaError_t
cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                    size_t width, size_t height, int kind) {
  return copy_array(to, (cudaPos){x, y, 0}, (void *)from, pitch, width, height, kind, true, NULL,
                    true);
}

API cudaError_t
cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                         size_t width, size_t height, int kind, cudaStream_t stream) {
  return copy_array(to, (cudaPos){x, y, 0}, (void *)from, pitch, width, height, kind, true, stream,
                    false);
}

API cudaError_t
cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width,
                      size_t height, int kind) {
  return copy_array(from, (cudaPos){x, y, 0}, to, pitch, width, height, kind, false, NULL, true);
}

API cudaError_t
cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
                           size_t width, size_t height, int kind, cudaStream_t stream) {
  return copy_array(from, (cudaPos){x, y, 0}, to, pitch, width, height, kind, false, stream, false);
}

API cudaError_t
cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x,
                         size_t from_y, size_t width, size_t height, int kind) {
  cudaError_t error = use_array(to);
  error = error ? error : use_array(from);
  if (!error &&
      (to->element_bytes != from->element_bytes || (to_x | from_x | width) % to->element_bytes))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  size_t unit = to->element_bytes;
  Call call = {.kind = cudaGraphNodeTypeMemcpy,
               .copy = {.dstArray = to,
                        .dstPos = {to_x / unit, to_y, 0},
                        .srcArray = from,
                        .srcPos = {from_x / unit, from_y, 0},
                        .extent = {width / unit, height, 1},
                        .kind = kind}};
  return call_submit(&call, NULL, true);
}

// Bytes that go on in the next row where one ends: the first part of a row, whole rows, the last part.
static cudaError_t
copy_array_bytes(Array *array, size_t x, size_t y, void *memory, size_t bytes, int kind, bool is_to,
                 cudaStream_t stream, bool waits) {
  cudaError_t error = use_array(array);
  size_t row = error ? 0 : array->extent.width * array->element_bytes;
  if (!error && x >= row)
    error = cudaErrorInvalidValue;
  char *at = memory;
  while (!error && bytes > 0) {
    size_t height = x == 0 && bytes >= row ? bytes / row : 1;
    size_t width = height > 1 || row - x < bytes ? row - x : bytes;
    error =
        copy_array(array, (cudaPos){x, y, 0}, at, width, width, height, kind, is_to, stream, waits);
    at += width * height;
    bytes -= width * height;
    y += height;
    x = 0;
  }
  return error_return(error);
}

API cudaError_t
cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind) {
  return copy_array_bytes(to, x, y, (void *)from, bytes, kind, true, NULL, true);
}

API cudaError_t
cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                       cudaStream_t stream) {
  return copy_array_bytes(to, x, y, (void *)from, bytes, kind, true, stream, false);
}

API cudaError_t
cudaMemcpyFromArray(void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind) {
  return copy_array_bytes(from, x, y, to, bytes, kind, false, NULL, true);
}

API cudaError_t
cudaMemcpyFromArrayAsync(void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind,
                         cudaStream_t stream) {
  return copy_array_bytes(from, x, y, to, bytes, kind, false, stream, false);
}

// By way of the host: rows of the two need not have the same length.
API cudaError_t
cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x,
                       size_t from_y, size_t bytes, int kind) {
  void *between =
      kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault ? malloc(bytes + 1) : NULL;
  if (!between)
    return error_return(cudaErrorInvalidMemcpyDirection);
  cudaError_t error = cudaMemcpyFromArray(between, from, from_x, from_y, bytes, cudaMemcpyDefault);
  error = error ? error : cudaMemcpyToArray(to, to_x, to_y, between, bytes, cudaMemcpyDefault);
  free(between);
  return error;
}
