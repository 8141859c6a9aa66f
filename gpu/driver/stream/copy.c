// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies: all are boxes of rows, in memory or in arrays.
#include <string.h>

#include "gpu/driver/memory/array-pages.h"
#include "gpu/driver/stream/call.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/memory/initialized.h"

// One side of a copy, in bytes.
typedef struct {
  char *start;
  size_t pitch, slice;
  const Array *
      paged; // (nullable): an array that the program maps, and where in it the box is: @start is NULL
  size_t x, y, z;
} Side;

// A width is in elements if an array takes part, else in bytes.
static size_t
count_row_bytes(const cudaMemcpy3DParms *copy) {
  const Array *array = copy->srcArray ? copy->srcArray : copy->dstArray;
  return copy->extent.width * (array ? array->element_bytes : 1);
}

static Side
take_side(const Array *array, cudaPos position, cudaPitchedPtr pointer) {
  size_t unit = array ? array->element_bytes : 1;
  if (array && array->pages)
    return (Side){.paged = array, .x = position.x * unit, .y = position.y, .z = position.z};
  Side side = {
      .start = pointer.ptr, .pitch = pointer.pitch, .slice = pointer.pitch * pointer.ysize};
  if (array) {
    cudaExtent extent = array_extent(array);
    side = (Side){.start = array->data,
                  .pitch = extent.width * unit,
                  .slice = extent.width * unit * extent.height};
  }
  side.start += position.x * unit + position.y * side.pitch + position.z * side.slice;
  return side;
}

static bool
fits_array(const Array *array, cudaPos position, cudaExtent box) {
  cudaExtent extent = array_extent(array);
  return position.x <= extent.width && box.width <= extent.width - position.x &&
         position.y <= extent.height && box.height <= extent.height - position.y &&
         position.z <= extent.depth && box.depth <= extent.depth - position.z;
}

// Whether bytes lie in one allocation, or, of the host's memory, anywhere.
static bool
fits_memory(const char *address, size_t bytes, bool is_device) {
  size_t reach = address ? memory_reach(address) : 0;
  return reach > 0 ? bytes <= reach : address && !is_device;
}

static cudaError_t
check_side(const Array *array, cudaPos position, cudaPitchedPtr pointer,
           const cudaMemcpy3DParms *copy, bool is_device) {
  size_t width = count_row_bytes(copy);
  cudaExtent box = copy->extent;
  if (array) {
    if (!handle_is(array, HANDLE_ARRAY))
      return cudaErrorInvalidResourceHandle;
    return !pointer.ptr && fits_array(array, position, box) ? cudaSuccess : cudaErrorInvalidValue;
  }
  Side side = take_side(NULL, position, pointer);
  bool has_rows = box.height > 1 || box.depth > 1;
  if (has_rows && position.x + width > side.pitch)
    return cudaErrorInvalidPitchValue;
  if (box.depth > 1 && pointer.ysize < position.y + box.height)
    return cudaErrorInvalidValue;
  size_t bytes = (box.depth - 1) * side.slice + (box.height - 1) * side.pitch + width;
  return pointer.ptr && fits_memory(side.start, bytes, is_device) ? cudaSuccess
                                                                  : cudaErrorInvalidValue;
}

bool
copy_is_empty(const cudaMemcpy3DParms *copy) {
  return copy->extent.width == 0 || copy->extent.height == 0 || copy->extent.depth == 0;
}

cudaError_t
copy_check(const cudaMemcpy3DParms *copy) {
  bool to_device = copy->kind == cudaMemcpyHostToDevice || copy->kind == cudaMemcpyDeviceToDevice;
  bool from_device = copy->kind == cudaMemcpyDeviceToHost || copy->kind == cudaMemcpyDeviceToDevice;
  bool is_any = copy->kind == cudaMemcpyDefault; // arrays are the device's
  if (copy->kind < cudaMemcpyHostToHost || copy->kind > cudaMemcpyDefault ||
      (copy->srcArray && !from_device && !is_any) || (copy->dstArray && !to_device && !is_any))
    return cudaErrorInvalidMemcpyDirection;
  if (copy_is_empty(copy))
    return cudaSuccess;
  cudaError_t error = check_side(copy->dstArray, copy->dstPos, copy->dstPtr, copy, to_device);
  return error ? error : check_side(copy->srcArray, copy->srcPos, copy->srcPtr, copy, from_device);
}

// The byte of a box; NULL: its page is not mapped. *@n: how many bytes lie side by side from there on, at most so many as before.
static char *
find_box_byte(const Side *side, size_t x, size_t y, size_t z, size_t *n) {
  if (!side->paged)
    return side->start + z * side->slice + y * side->pitch + x;
  size_t left = SMB_TEXTURE_UNIT - (side->x + x) % SMB_TEXTURE_UNIT;
  if (left < *n)
    *n = left;
  return pages_find(side->paged->pages, side->paged->level, side->x + x, side->y + y, side->z + z);
}

static bool
is_lost(const Side *side, const char *byte) {
  return !byte && !side->paged->pages->is_sparse;
}

// One of a box's rows. What is not mapped of a sparse array is zeros, and is not written to. Returns false if something else is not.
static bool
copy_paged_row(const Side *to, const Side *from, size_t width, size_t y, size_t z) {
  for (size_t x = 0, n; x < width; x += n) {
    n = width - x;
    char *row = find_box_byte(to, x, y, z, &n);
    const char *source = find_box_byte(from, x, y, z, &n);
    if (is_lost(to, row) || is_lost(from, source))
      return false;
    if (row && source) {
      memmove(row, source, n);
      written_note_copy(row, source, n);
    } else if (row) {
      memset(row, 0, n);
      written_note(row, n);
    }
  }
  return true;
}

// Bytes of arrays that are not mapped end the context, as on an H200.
static cudaError_t
copy_paged(const cudaMemcpy3DParms *copy, const Side *to, const Side *from) {
  size_t width = count_row_bytes(copy);
  for (size_t z = 0; z < copy->extent.depth; z++)
    for (size_t y = 0; y < copy->extent.height; y++)
      if (!copy_paged_row(to, from, width, y, z)) {
        error_stick(cudaErrorLaunchFailure);
        return cudaErrorLaunchFailure;
      }
  return cudaSuccess;
}

cudaError_t
copy_run(const cudaMemcpy3DParms *copy) {
  size_t width = count_row_bytes(copy);
  if (copy_is_empty(copy))
    return cudaSuccess;
  Side to = take_side(copy->dstArray, copy->dstPos, copy->dstPtr);
  Side from = take_side(copy->srcArray, copy->srcPos, copy->srcPtr);
  if (to.paged || from.paged)
    return copy_paged(copy, &to, &from);
  for (size_t z = 0; z < copy->extent.depth; z++)
    for (size_t y = 0; y < copy->extent.height; y++) {
      char *row = to.start + z * to.slice + y * to.pitch;
      const char *source = from.start + z * from.slice + y * from.pitch;
      memmove(row, source, width);
      written_note_copy(row, source, width);
    }
  return cudaSuccess;
}

bool
copy_is_pageable(const cudaMemcpy3DParms *copy) {
  return !copy_is_empty(copy) && ((!copy->dstArray && !memory_is_ours(copy->dstPtr.ptr)) ||
                                  (!copy->srcArray && !memory_is_ours(copy->srcPtr.ptr)));
}

// --- bytes and rows

static cudaError_t
copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, cudaExtent box, int kind,
          cudaStream_t stream, bool waits) {
  Call call = {.kind = cudaGraphNodeTypeMemcpy,
               .copy = {.dstPtr = {to, to_pitch, to_pitch, box.height},
                        .srcPtr = {(void *)from, from_pitch, from_pitch, box.height},
                        .extent = box,
                        .kind = kind}};
  return call_submit(&call, stream, waits);
}

API cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  return copy_rows(to, bytes, from, bytes, (cudaExtent){bytes, 1, 1}, kind, NULL, true);
}

API cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream) {
  return copy_rows(to, bytes, from, bytes, (cudaExtent){bytes, 1, 1}, kind, stream, false);
}

API cudaError_t
cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
             size_t height, int kind) {
  return width > to_pitch || width > from_pitch
             ? error_return(cudaErrorInvalidPitchValue)
             : copy_rows(to, to_pitch, from, from_pitch, (cudaExtent){width, height, 1}, kind, NULL,
                         true);
}

API cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                  size_t height, int kind, cudaStream_t stream) {
  return width > to_pitch || width > from_pitch
             ? error_return(cudaErrorInvalidPitchValue)
             : copy_rows(to, to_pitch, from, from_pitch, (cudaExtent){width, height, 1}, kind,
                         stream, false);
}

// --- boxes

static cudaError_t
copy_box(const cudaMemcpy3DParms *box, cudaStream_t stream, bool waits) {
  if (!box)
    return error_return(cudaErrorInvalidValue);
  Call call = {.kind = cudaGraphNodeTypeMemcpy, .copy = *box};
  return call_submit(&call, stream, waits);
}

API cudaError_t
cudaMemcpy3D(const cudaMemcpy3DParms *box) {
  return copy_box(box, NULL, true);
}

API cudaError_t
cudaMemcpy3DAsync(const cudaMemcpy3DParms *box, cudaStream_t stream) {
  return copy_box(box, stream, false);
}

// --- between devices: there is one, which is its own peer

static cudaError_t
copy_peer(const cudaMemcpy3DPeerParms *box, cudaStream_t stream, bool waits) {
  if (!box)
    return error_return(cudaErrorInvalidValue);
  if (box->srcDevice != 0 || box->dstDevice != 0)
    return error_return(cudaErrorInvalidDevice);
  const cudaMemcpy3DParms same = {box->srcArray, box->srcPos, box->srcPtr, box->dstArray,
                                  box->dstPos,   box->dstPtr, box->extent, cudaMemcpyDefault};
  return copy_box(&same, stream, waits);
}

API cudaError_t
cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *box) {
  return copy_peer(box, NULL, true);
}

API cudaError_t
cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *box, cudaStream_t stream) {
  return copy_peer(box, stream, false);
}

API cudaError_t
cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                    cudaStream_t stream) {
  return to_device != 0 || from_device != 0
             ? error_return(cudaErrorInvalidDevice)
             : cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

API cudaError_t
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
  return to_device != 0 || from_device != 0 ? error_return(cudaErrorInvalidDevice)
                                            : cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}

// Rows of memory in elements of @unit bytes; without a length they are as long as the box.
static cudaPitchedPtr
take_operand_memory(const cudaMemcpy3DOperand *operand, cudaExtent box, size_t unit) {
  size_t row = operand->op.ptr.rowLength ? operand->op.ptr.rowLength : box.width;
  size_t layer = operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : box.height;
  return (cudaPitchedPtr){operand->op.ptr.ptr, row * unit, row * unit, layer};
}

static cudaError_t
make_box(cudaMemcpy3DParms *box, const cudaMemcpy3DBatchOp *operation) {
  const cudaMemcpy3DOperand *to = &operation->dst, *from = &operation->src;
  *box = (cudaMemcpy3DParms){.extent = operation->extent, .kind = cudaMemcpyDefault};
  if (to->type == 2) {
    box->dstArray = to->op.array.array;
    box->dstPos = to->op.array.offset;
  }
  if (from->type == 2) {
    box->srcArray = from->op.array.array;
    box->srcPos = from->op.array.offset;
  }
  const Array *array = box->dstArray ? box->dstArray : box->srcArray;
  if (array && !handle_is(array, HANDLE_ARRAY))
    return cudaErrorInvalidValue;
  size_t unit = array ? array->element_bytes : 1;
  if (to->type == 1)
    box->dstPtr = take_operand_memory(to, box->extent, unit);
  if (from->type == 1)
    box->srcPtr = take_operand_memory(from, box->extent, unit);
  return (to->type == 1 || to->type == 2) && (from->type == 1 || from->type == 2)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

cudaError_t
copy_boxes(size_t n, const cudaMemcpy3DBatchOp *operations, unsigned long long flags,
           cudaStream_t stream) {
  cudaError_t error = n > 0 && operations && flags == 0 && stream && stream != cudaStreamLegacy
                          ? cudaSuccess
                          : cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++) {
    cudaMemcpy3DParms box;
    error = make_box(&box, &operations[i]);
    error = error ? error : copy_box(&box, stream, false);
  }
  return error_return(error);
}

// CUDA 12 also says which one failed.
#if CUDART_MAJOR == 12
API cudaError_t
cudaMemcpy3DBatchAsync(size_t n, const cudaMemcpy3DBatchOp *operations, size_t *failed,
                       unsigned long long flags, cudaStream_t stream) {
  cudaError_t error = copy_boxes(n, operations, flags, stream);
  if (error && failed)
    *failed = SIZE_MAX; // not told
  return error;
}
#else
API cudaError_t
cudaMemcpy3DBatchAsync(size_t n, const cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                       cudaStream_t stream) {
  return copy_boxes(n, operations, flags, stream);
}
#endif

// Copies of a batch have no order, and so are done in theirs.
cudaError_t
copy_batch(void *const *to, const void *const *from, const size_t *bytes, size_t n,
           const void *attributes, const size_t *firsts, size_t n_attributes, cudaStream_t stream) {
  if (!to || !from || !bytes || n == 0 || !attributes || !firsts || n_attributes == 0 ||
      n_attributes > n || !stream || stream == cudaStreamLegacy)
    return error_return(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && i < n; i++)
    error = cudaMemcpyAsync(to[i], from[i], bytes[i], cudaMemcpyDefault, stream);
  return error;
}

#if CUDART_MAJOR == 12
API cudaError_t
cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t n,
                     const void *attributes, const size_t *firsts, size_t n_attributes,
                     size_t *failed, cudaStream_t stream) {
  cudaError_t error = copy_batch(to, from, bytes, n, attributes, firsts, n_attributes, stream);
  if (error && failed)
    *failed = SIZE_MAX; // not told
  return error;
}
#else
API cudaError_t
cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t n,
                     const void *attributes, const size_t *firsts, size_t n_attributes,
                     cudaStream_t stream) {
  return copy_batch(to, from, bytes, n, attributes, firsts, n_attributes, stream);
}
#endif
