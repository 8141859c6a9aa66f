// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies and fills.
#include "gpu/driver/cu/driver.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/array.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/call.h"

// --- of bytes

static cudaError_t
copy_waiting(CUdeviceptr to, CUdeviceptr from, size_t bytes, int kind) {
  return cudaMemcpy((void *)to, (const void *)from, bytes, kind);
}

static cudaError_t
copy_in_stream(CUdeviceptr to, CUdeviceptr from, size_t bytes, int kind, cudaStream_t stream) {
  return cudaMemcpyAsync((void *)to, (const void *)from, bytes, kind, stream);
}

// Both ways to copy: waiting, and in a stream.
#define COPY(name, name_async, kind)                                                               \
  cudaError_t name(CUdeviceptr to, CUdeviceptr from, size_t bytes) {                               \
    return copy_waiting(to, from, bytes, kind);                                                    \
  }                                                                                                \
  cudaError_t name_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, cudaStream_t stream) {    \
    return copy_in_stream(to, from, bytes, kind, stream);                                          \
  }
// clang-format off
COPY(cuMemcpy, cuMemcpyAsync, cudaMemcpyDefault)
COPY(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, cudaMemcpyHostToDevice)
COPY(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, cudaMemcpyDeviceToHost)
COPY(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, cudaMemcpyDeviceToDevice)
// clang-format on

static cudaError_t
check_contexts(CUcontext to, CUcontext from) {
  bool are_there = (!to || context_is(to)) && (!from || context_is(from)); // NULL: the current one
  return are_there ? cudaSuccess : cudaErrorDeviceUninitialized;
}

cudaError_t
cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                  size_t bytes, cudaStream_t stream) {
  cudaError_t error = check_contexts(to_context, from_context);
  return error ? error : copy_in_stream(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t
cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
             size_t bytes) {
  cudaError_t error = check_contexts(to_context, from_context);
  return error ? error : copy_waiting(to, from, bytes, cudaMemcpyDeviceToDevice);
}

// --- of boxes

// An array that takes part says how long elements are.
static const Array *
find_box_array(const CUDA_MEMCPY3D *given) {
  return given->src.type == CU_MEMORYTYPE_ARRAY   ? given->src.array
         : given->dst.type == CU_MEMORYTYPE_ARRAY ? given->dst.array
                                                  : NULL;
}

// A pitch of 0 is as long as the rows, if there is one row.
static cudaPitchedPtr
take_driver_side(const CopySide *side, size_t width, size_t height) {
  char *start = side->type == CU_MEMORYTYPE_HOST ? side->host : (char *)side->device;
  size_t pitch = side->pitch ? side->pitch : side->x + width;
  return (cudaPitchedPtr){start, pitch, pitch, side->height ? side->height : side->y + height};
}

static cudaError_t
check_box_side(const CopySide *side, const CUDA_MEMCPY3D *given) {
  if (side->type < CU_MEMORYTYPE_HOST || side->type > CU_MEMORYTYPE_UNIFIED || side->lod != 0)
    return cudaErrorInvalidValue;
  bool has_rows = given->Height > 1 || given->Depth > 1;
  bool is_short = has_rows && side->pitch < side->x + given->WidthInBytes;
  return side->type != CU_MEMORYTYPE_ARRAY && is_short ? cudaErrorInvalidValue : cudaSuccess;
}

static int
find_copy_kind(CUmemorytype from, CUmemorytype to) {
  bool is_any = from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED;
  return is_any ? cudaMemcpyDefault
         : from == CU_MEMORYTYPE_HOST
             ? to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice
         : to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost
                                    : cudaMemcpyDeviceToDevice;
}

cudaError_t
driver_take_box(const CUDA_MEMCPY3D *given, cudaMemcpy3DParms *box) {
  if (!given)
    return cudaErrorInvalidValue;
  const Array *array = find_box_array(given);
  const CopySide *src = &given->src, *dst = &given->dst;
  if (given->WidthInBytes == 0 && given->Height == 0) {
    *box = (cudaMemcpy3DParms){.kind = cudaMemcpyDefault};
    return cudaSuccess;
  }
  cudaError_t error = check_box_side(src, given);
  error = error ? error : check_box_side(dst, given);
  if (!error && array && !handle_is(array, HANDLE_ARRAY))
    error = cudaErrorInvalidResourceHandle;
  size_t unit = error || !array ? 1 : array->element_bytes;
  if (!error && (given->WidthInBytes % unit || (array && (src->x % unit || dst->x % unit))))
    error = cudaErrorInvalidValue;
  if (error)
    return error;
  *box = (cudaMemcpy3DParms){.srcPos = {src->x, src->y, src->z},
                             .dstPos = {dst->x, dst->y, dst->z},
                             .extent = {given->WidthInBytes / unit, given->Height, given->Depth},
                             .kind = find_copy_kind(src->type, dst->type)};
  if (src->type == CU_MEMORYTYPE_ARRAY) {
    box->srcArray = src->array;
    box->srcPos.x /= unit;
  } else
    box->srcPtr = take_driver_side(src, given->WidthInBytes, given->Height);
  if (dst->type == CU_MEMORYTYPE_ARRAY) {
    box->dstArray = dst->array;
    box->dstPos.x /= unit;
  } else
    box->dstPtr = take_driver_side(dst, given->WidthInBytes, given->Height);
  return cudaSuccess;
}

static CopySide
give_side(const Array *array, cudaPos position, cudaPitchedPtr pointer, bool is_host) {
  size_t unit = array ? array->element_bytes : 1;
  CopySide side = {.x = position.x * unit,
                   .y = position.y,
                   .z = position.z,
                   .type = array     ? CU_MEMORYTYPE_ARRAY
                           : is_host ? CU_MEMORYTYPE_HOST
                                     : CU_MEMORYTYPE_DEVICE,
                   .array = (cudaArray_t)array,
                   .pitch = pointer.pitch,
                   .height = pointer.ysize};
  if (!array && is_host)
    side.host = pointer.ptr;
  else if (!array)
    side.device = (CUdeviceptr)pointer.ptr;
  return side;
}

void
driver_give_box(const cudaMemcpy3DParms *box, CUDA_MEMCPY3D *given) {
  const Array *array = box->srcArray ? box->srcArray : box->dstArray;
  bool from_host = box->kind == cudaMemcpyHostToHost || box->kind == cudaMemcpyHostToDevice;
  bool to_host = box->kind == cudaMemcpyHostToHost || box->kind == cudaMemcpyDeviceToHost;
  *given = (CUDA_MEMCPY3D){.src = give_side(box->srcArray, box->srcPos, box->srcPtr, from_host),
                           .dst = give_side(box->dstArray, box->dstPos, box->dstPtr, to_host),
                           .WidthInBytes = box->extent.width * (array ? array->element_bytes : 1),
                           .Height = box->extent.height,
                           .Depth = box->extent.depth};
}

static cudaError_t
copy_driver_box(const CUDA_MEMCPY3D *given, cudaStream_t stream, bool waits) {
  Call call = {.kind = cudaGraphNodeTypeMemcpy};
  cudaError_t error = driver_take_box(given, &call.copy);
  return error ? error : call_submit(&call, stream, waits);
}

cudaError_t
cuMemcpy3D_v2(const CUDA_MEMCPY3D *given) {
  return copy_driver_box(given, NULL, true);
}

cudaError_t
cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *given, cudaStream_t stream) {
  return copy_driver_box(given, stream, false);
}

// Contexts are those of one device.
static cudaError_t
copy_peer_box(const CUDA_MEMCPY3D *given, cudaStream_t stream, bool waits) {
  cudaError_t error =
      given ? check_contexts(given->dst.context, given->src.context) : cudaErrorInvalidValue;
  return error ? error : copy_driver_box(given, stream, waits);
}

cudaError_t
cuMemcpy3DPeer(const CUDA_MEMCPY3D *given) {
  return copy_peer_box(given, NULL, true);
}

cudaError_t
cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *given, cudaStream_t stream) {
  return copy_peer_box(given, stream, false);
}

static CUDA_MEMCPY3D
widen_rows(const CUDA_MEMCPY2D *rows) {
  return (CUDA_MEMCPY3D){.src = {.x = rows->srcXInBytes,
                                 .y = rows->srcY,
                                 .type = rows->srcMemoryType,
                                 .host = (void *)rows->srcHost,
                                 .device = rows->srcDevice,
                                 .array = rows->srcArray,
                                 .pitch = rows->srcPitch},
                         .dst = {.x = rows->dstXInBytes,
                                 .y = rows->dstY,
                                 .type = rows->dstMemoryType,
                                 .host = rows->dstHost,
                                 .device = rows->dstDevice,
                                 .array = rows->dstArray,
                                 .pitch = rows->dstPitch},
                         .WidthInBytes = rows->WidthInBytes,
                         .Height = rows->Height,
                         .Depth = 1};
}

cudaError_t
cuMemcpy2D_v2(const CUDA_MEMCPY2D *rows) {
  if (!rows)
    return cudaErrorInvalidValue;
  const CUDA_MEMCPY3D box = widen_rows(rows);
  return copy_driver_box(&box, NULL, true);
}

cudaError_t
cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *rows, cudaStream_t stream) {
  if (!rows)
    return cudaErrorInvalidValue;
  const CUDA_MEMCPY3D box = widen_rows(rows);
  return copy_driver_box(&box, stream, false);
}

// --- between memory and arrays of one dimension

static CopySide
name_array(cudaArray_t array, size_t offset) {
  return (CopySide){.x = offset, .type = CU_MEMORYTYPE_ARRAY, .array = array};
}

static CopySide
name_device(CUdeviceptr address) {
  return (CopySide){.type = CU_MEMORYTYPE_DEVICE, .device = address};
}

static CopySide
name_host(const void *address) {
  return (CopySide){.type = CU_MEMORYTYPE_HOST, .host = (void *)address};
}

static cudaError_t
copy_row(CopySide dst, CopySide src, size_t bytes, cudaStream_t stream, bool waits) {
  const CUDA_MEMCPY3D box = {src, dst, bytes, 1, 1};
  return copy_driver_box(&box, stream, waits);
}

cudaError_t
cuMemcpyDtoA_v2(cudaArray_t to, size_t offset, CUdeviceptr from, size_t bytes) {
  return copy_row(name_array(to, offset), name_device(from), bytes, NULL, true);
}

cudaError_t
cuMemcpyAtoD_v2(CUdeviceptr to, cudaArray_t from, size_t offset, size_t bytes) {
  return copy_row(name_device(to), name_array(from, offset), bytes, NULL, true);
}

cudaError_t
cuMemcpyHtoA_v2(cudaArray_t to, size_t offset, const void *from, size_t bytes) {
  return copy_row(name_array(to, offset), name_host(from), bytes, NULL, true);
}

cudaError_t
cuMemcpyAtoH_v2(void *to, cudaArray_t from, size_t offset, size_t bytes) {
  return copy_row(name_host(to), name_array(from, offset), bytes, NULL, true);
}

cudaError_t
cuMemcpyAtoA_v2(cudaArray_t to, size_t to_offset, cudaArray_t from, size_t from_offset,
                size_t bytes) {
  return copy_row(name_array(to, to_offset), name_array(from, from_offset), bytes, NULL, true);
}

cudaError_t
cuMemcpyHtoAAsync_v2(cudaArray_t to, size_t offset, const void *from, size_t bytes,
                     cudaStream_t stream) {
  return copy_row(name_array(to, offset), name_host(from), bytes, stream, false);
}

cudaError_t
cuMemcpyAtoHAsync_v2(void *to, cudaArray_t from, size_t offset, size_t bytes, cudaStream_t stream) {
  return copy_row(name_host(to), name_array(from, offset), bytes, stream, false);
}

// --- batches: the first versions also say which copy failed

cudaError_t
cuMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t n,
                   const void *attributes, const size_t *firsts, size_t n_attributes,
                   size_t *failed, cudaStream_t stream) {
  cudaError_t error = copy_batch(to, from, bytes, n, attributes, firsts, n_attributes, stream);
  if (error && failed)
    *failed = SIZE_MAX; // not told
  return error;
}

cudaError_t
cuMemcpy3DBatchAsync(size_t n, const cudaMemcpy3DBatchOp *operations, size_t *failed,
                     unsigned long long flags, cudaStream_t stream) {
  cudaError_t error = copy_boxes(n, operations, flags, stream);
  if (error && failed)
    *failed = SIZE_MAX; // not told
  return error;
}

// --- fills

static cudaError_t
fill_rows(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width,
          size_t height, cudaStream_t stream) {
  Call call = {.kind = cudaGraphNodeTypeMemset,
               .fill = {.rows = {(void *)to, pitch, value, element, width, height}, .depth = 1}};
  return call_submit(&call, stream, false);
}

// The host does not wait for fills of memory of the device.
#define FILL(line, line_async, rows, rows_async, type)                                             \
  cudaError_t line(CUdeviceptr to, type value, size_t n) {                                         \
    return fill_rows(to, n * sizeof value, value, sizeof value, n, 1, NULL);                       \
  }                                                                                                \
  cudaError_t line_async(CUdeviceptr to, type value, size_t n, cudaStream_t stream) {              \
    return fill_rows(to, n * sizeof value, value, sizeof value, n, 1, stream);                     \
  }                                                                                                \
  cudaError_t rows(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) {        \
    return fill_rows(to, pitch, value, sizeof value, width, height, NULL);                         \
  }                                                                                                \
  cudaError_t rows_async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,    \
                         cudaStream_t stream) {                                                    \
    return fill_rows(to, pitch, value, sizeof value, width, height, stream);                       \
  }
// clang-format off
FILL(cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD2D8_v2, cuMemsetD2D8Async, uint8_t)
FILL(cuMemsetD16_v2, cuMemsetD16Async, cuMemsetD2D16_v2, cuMemsetD2D16Async, uint16_t)
FILL(cuMemsetD32_v2, cuMemsetD32Async, cuMemsetD2D32_v2, cuMemsetD2D32Async, uint32_t)
// clang-format on
