// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams, as far as the driver has them otherwise than the runtime, and operations of theirs on memory.
#include "gpu/driver/cu/driver.h"
#include "gpu/driver/cu/green.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/stream/call.h"
#include "gpu/driver/stream/stream-capture.h"

enum {
  CAPTURE_GLOBAL,
};

static cudaError_t
find_stream_context(cudaStream_t handle, CUcontext *context) {
  const Stream *stream = stream_of(handle);
  if (!context || !stream)
    return context ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
  Context *of = stream_context(stream);
  if (!of || !context_is(of))
    return of ? cudaErrorContextIsDestroyed : cudaErrorDeviceUninitialized;
  *context = of;
  return cudaSuccess;
}

// Of a part of the device: the primary context, and that part.
cudaError_t
cuStreamGetCtx_v2(cudaStream_t stream, CUcontext *context, Green **green) {
  cudaError_t error = find_stream_context(stream, context);
  if (!error && green)
    *green = (*context)->green;
  if (!error && (*context)->green)
    *context = context_primary();
  return error;
}

cudaError_t
cuStreamGetCtx(cudaStream_t stream, CUcontext *context) {
  return find_stream_context(stream, context);
}

// --- all streams of a context

static bool
breaks_capture(Stream *stream, void *context) {
  if (stream->context == context && stream->capture)
    return capture_break(stream, cudaErrorStreamCaptureUnsupported), true;
  return false;
}

static cudaError_t
use_whole_context(CUcontext context, cudaEvent_t event) {
  if (!context || !context_is(context))
    return context_is_ended(context) ? cudaErrorContextIsDestroyed : cudaErrorDeviceUninitialized;
  if (!handle_is(event, HANDLE_EVENT))
    return cudaErrorInvalidResourceHandle;
  return stream_any(breaks_capture, context) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

// What waits runs in the order in which it was given, so it is behind all that there is.
cudaError_t
cuCtxRecordEvent(CUcontext context, cudaEvent_t event) {
  Call call = {.kind = cudaGraphNodeTypeEventRecord, .event = event};
  cudaError_t error = use_whole_context(context, event);
  if (error || event->context->id != context->id)
    return error ? error : cudaErrorInvalidResourceHandle;
  event->is_recorded = true;
  event->capture = 0;
  uint64_t last = queue_last();
  if (queue_is_done(last))
    return call_run(&call);
  event->ticket = queue_add(&call, last);
  return event->ticket ? cudaSuccess : cudaErrorMemoryAllocation;
}

typedef struct {
  const Context *context;
  uint64_t ticket;
} ContextWait;

static bool
waits_also(Stream *stream, void *user) {
  const ContextWait *wait = user;
  if (!stream->context || stream->context == wait->context)
    stream->last = queue_join((uint64_t[]){stream->last, wait->ticket}, 2);
  return false;
}

cudaError_t
cuCtxWaitEvent(CUcontext context, cudaEvent_t event) {
  cudaError_t error = use_whole_context(context, event);
  if (!error && event->capture)
    error = capture_break_id(event->capture, cudaErrorStreamCaptureUnsupported);
  ContextWait wait = {context, error ? 0 : event->ticket};
  if (!error)
    stream_any(waits_also, &wait);
  return error;
}

// --- captures: versions of before

cudaError_t
cuStreamBeginCapture(cudaStream_t stream) {
  return cudaStreamBeginCapture(stream, CAPTURE_GLOBAL);
}

cudaError_t
cuStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id,
                          cudaGraph_t *graph, Nodes *nodes, size_t *n) {
  return IN_12_OR_13(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo)(stream, status, id,
                                                                            graph, nodes, NULL, n);
}

cudaError_t
cuStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

cudaError_t
cuStreamUpdateCaptureDependencies(cudaStream_t stream, Nodes nodes, size_t n, unsigned flags) {
  return IN_12_OR_13(cudaStreamUpdateCaptureDependencies_v2,
                     cudaStreamUpdateCaptureDependencies)(stream, nodes, NULL, n, flags);
}

// --- operations on memory

cudaError_t
cuStreamBatchMemOp_v2(cudaStream_t stream, unsigned n, const MemoryOperation *operations,
                      unsigned flags) {
  if (!operations || n > MEMORY_MAX_OPERATIONS || flags != 0)
    return cudaErrorInvalidValue;
  Call call = {.kind = cudaGraphNodeTypeBatchMemOp,
               .memory = memory_call_new(context_current(), operations, n, flags)};
  return call.memory ? call_submit(&call, stream, false) : cudaErrorMemoryAllocation;
}

static cudaError_t
submit_value(cudaStream_t stream, MemoryOperationKind kind, void *address, uint64_t value,
             unsigned flags) {
  const MemoryOperation operation = {.value = {kind, address, value, flags}};
  return cuStreamBatchMemOp_v2(stream, 1, &operation, 0);
}

cudaError_t
cuStreamWriteValue32_v2(cudaStream_t stream, void *address, uint32_t value, unsigned flags) {
  return submit_value(stream, MEMORY_WRITE_32, address, value, flags);
}

cudaError_t
cuStreamWriteValue64_v2(cudaStream_t stream, void *address, uint64_t value, unsigned flags) {
  return submit_value(stream, MEMORY_WRITE_64, address, value, flags);
}

cudaError_t
cuStreamWaitValue32_v2(cudaStream_t stream, void *address, uint32_t value, unsigned flags) {
  return submit_value(stream, MEMORY_WAIT_32, address, value, flags);
}

cudaError_t
cuStreamWaitValue64_v2(cudaStream_t stream, void *address, uint64_t value, unsigned flags) {
  return submit_value(stream, MEMORY_WAIT_64, address, value, flags);
}
