// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory: cudaMalloc and cudaFree of the device, which are its malloc and free, and copies and fills, which are done when the grid has
// ended.
#include "sim/exec/service/service.h"

#include "sim/machine/check/checking.h"

gboolean
smb_service_allocate(Service *service) {
  SmbBlock *block = service->exec->block;
  SmbHeap *heap = smb_runtime_heap(block->runtime);
  guint64 bytes = service->values[1];
  guint64 address = heap && bytes > 0 ? smb_heap_take(heap, bytes) : 0;
  if (block->check && address)
    smb_inspect_allocated(block, address, bytes);
  if (!address)
    return smb_service_return(service, bytes > 0 ? SERVICE_NO_MEMORY : SERVICE_INVALID_VALUE);
  return smb_service_put(service, service->values[0], &address, sizeof address);
}

// What is not of the heap is left alone.
gboolean
smb_service_release(Service *service) {
  SmbHeap *heap = smb_runtime_heap(service->exec->block->runtime);
  guint64 address = service->values[0];
  gboolean is_elsewhere = !heap || smb_heap_find(heap, address, 1) == SMB_HEAP_ELSEWHERE;
  if (is_elsewhere || smb_heap_give(heap, address))
    return smb_service_return(service, 0);
  return smb_service_fail(service, SMB_FAULT_TRAP, "frees what cudaMalloc did not give: at",
                          address);
}

// --- copies and fills

// Whether it may point into global memory: not into that of the block or of the thread, nor at nothing.
static gboolean
is_global_pointer(guint64 pointer) {
  return pointer >> POINTER_OFFSET_BITS == 0 && pointer >= SMB_MEMORY_LOWEST;
}

// Adds them to a stream, unless they are empty.
static gboolean
add_to_stream(Service *service, SmbWork *work, guint64 stream) {
  gboolean is_empty = !work->extent[0] || !work->extent[1] || !work->extent[2];
  gboolean has_rows = work->extent[1] > 1 || work->extent[2] > 1;
  gboolean is_global = is_global_pointer(work->to.address) &&
                       (work->kind == SMB_WORK_FILL || is_global_pointer(work->from.address));
  if (!smb_service_is_stream(service, stream, &work->is_tail) || (!is_global && !is_empty))
    return smb_service_return(service, SERVICE_INVALID_VALUE);
  if (has_rows && !is_empty &&
      (work->to.pitch < work->extent[0] ||
       (work->kind == SMB_WORK_COPY && work->from.pitch < work->extent[0])))
    return smb_service_return(service, work->kind == SMB_WORK_COPY ? SERVICE_INVALID_PITCH
                                                                   : SERVICE_INVALID_VALUE);
  if (!is_empty)
    smb_children_add(service->children, work);
  return smb_service_return(service, 0);
}

// A copy of a kind (cudaMemcpyKind): a device does none that is said to be the host's.
static gboolean
add_copy(Service *service, SmbWork *work, guint64 kind, guint64 stream) {
  enum {
    DEVICE_TO_DEVICE = 3,
    DEFAULT = 4,
  };
  work->kind = SMB_WORK_COPY;
  return kind == DEVICE_TO_DEVICE || kind == DEFAULT
             ? add_to_stream(service, work, stream)
             : smb_service_return(service, SERVICE_INVALID_DIRECTION);
}

// to, from, bytes, kind, stream
gboolean
smb_service_copy(Service *service) {
  const guint64 *values = service->values;
  SmbWork work = {
      .to = {.address = values[0]}, .from = {.address = values[1]}, .extent = {values[2], 1, 1}};
  return add_copy(service, &work, values[3], values[4]);
}

// to, its pitch, from, its pitch, width, height, kind, stream
gboolean
smb_service_copy_2d(Service *service) {
  const guint64 *values = service->values;
  SmbWork work = {.to = {.address = values[0], .pitch = values[1]},
                  .from = {.address = values[2], .pitch = values[3]},
                  .extent = {values[4], values[5], 1}};
  return add_copy(service, &work, values[6], values[7]);
}

// An end of cudaMemcpy3DParms, and where in it.
typedef struct {
  guint64 array;
  guint64 position[3];
  guint64 pointer, pitch, width, height;
} CopyEnd;

typedef struct {
  CopyEnd from, to;
  guint64 extent[3];
  guint64 kind;
} CopyParameters;

static SmbWorkPlace
find_end(const CopyEnd *end) {
  return (SmbWorkPlace){.address = end->pointer + end->position[0] +
                                   end->pitch * (end->position[1] + end->height * end->position[2]),
                        .pitch = end->pitch,
                        .height = end->height};
}

// what is to be copied (cudaMemcpy3DParms, without arrays), stream
gboolean
smb_service_copy_3d(Service *service) {
  CopyParameters wanted;
  if (!smb_service_take(service, service->values[0], &wanted, sizeof wanted, "what is copied"))
    return FALSE;
  SmbWork work = {.to = find_end(&wanted.to),
                  .from = find_end(&wanted.from),
                  .extent = {wanted.extent[0], wanted.extent[1], wanted.extent[2]}};
  if (wanted.from.array || wanted.to.array)
    return smb_service_return(service, SERVICE_INVALID_VALUE);
  return add_copy(service, &work, wanted.kind & G_MAXUINT32, service->values[1]);
}

// to, value, bytes, stream
gboolean
smb_service_fill(Service *service) {
  const guint64 *values = service->values;
  SmbWork work = {.kind = SMB_WORK_FILL,
                  .to = {.address = values[0]},
                  .extent = {values[2], 1, 1},
                  .value = (guint8)values[1]};
  return add_to_stream(service, &work, values[3]);
}

// to, its pitch, value, width, height, stream
gboolean
smb_service_fill_2d(Service *service) {
  const guint64 *values = service->values;
  SmbWork work = {.kind = SMB_WORK_FILL,
                  .to = {.address = values[0], .pitch = values[1]},
                  .extent = {values[3], values[4], 1},
                  .value = (guint8)values[2]};
  return add_to_stream(service, &work, values[5]);
}

// to, its pitch, width and height, value, extent, stream
gboolean
smb_service_fill_3d(Service *service) {
  const guint64 *values = service->values;
  SmbWork work = {.kind = SMB_WORK_FILL,
                  .to = {.address = values[0], .pitch = values[1], .height = values[3]},
                  .extent = {values[5], values[6], values[7]},
                  .value = (guint8)values[4]};
  return add_to_stream(service, &work, values[8]);
}
