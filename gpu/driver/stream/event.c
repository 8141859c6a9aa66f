// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Events: points of a stream. One that is recorded into a graph has no time, and cannot be waited for by the host.
#include <stdlib.h>

#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/stream/stream-capture.h"

enum {
  EVENT_FLAGS = 7, // blocking, without timing, between processes
};

static cudaError_t
use_event(cudaEvent_t event) {
  cudaError_t error = error_check();
  return error                            ? error
         : handle_is(event, HANDLE_EVENT) ? cudaSuccess
                                          : cudaErrorInvalidResourceHandle;
}

void
event_happen(Event *event) {
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  event->is_recorded = true;
}

API cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  cudaError_t error = error_check();
  if (!error && (!event || flags & ~(unsigned)EVENT_FLAGS ||
                 (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming))))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *event = handle_new(HANDLE_EVENT, sizeof **event);
  if (!*event)
    return error_return(cudaErrorMemoryAllocation);
  (*event)->flags = flags;
  (*event)->context = context_current();
  return cudaSuccess;
}

API cudaError_t
cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, 0);
}

// An event that the queue still has to record is waited for.
API cudaError_t
cudaEventDestroy(cudaEvent_t event) {
  cudaError_t error = use_event(event);
  if (error)
    return error_return(error);
  queue_wait(event->ticket);
  free(event->nodes);
  handle_free(event);
  return cudaSuccess;
}

API cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
  cudaError_t error = use_event(event);
  Stream *stream = error ? NULL : stream_of(handle);
  if (!error && (!stream || stream_context(stream)->id != event->context->id))
    error = cudaErrorInvalidResourceHandle;
  if (!error && flags & ~(unsigned)cudaEventRecordExternal)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  if (stream->capture && !(flags & cudaEventRecordExternal))
    return error_return(capture_record(stream, event));
  Call call = {.kind = cudaGraphNodeTypeEventRecord, .event = event};
  if (stream->capture)
    return call_submit(&call, stream, false);
  if (flags & cudaEventRecordExternal)
    return error_return(cudaErrorIllegalState);
  error = call_submit(&call, stream, false);
  if (error)
    return error;
  event->is_recorded = true;
  event->capture = 0;
  event->ticket = stream->last;
  return cudaSuccess;
}

API cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

API cudaError_t
cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
  cudaError_t error = use_event(event);
  Stream *stream = error ? NULL : stream_of(handle);
  if (!error && !stream)
    error = cudaErrorInvalidResourceHandle;
  if (!error && flags & ~(unsigned)cudaEventWaitExternal)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  if (stream->capture && flags & cudaEventWaitExternal) {
    Call call = {.kind = cudaGraphNodeTypeWaitEvent, .event = event};
    return call_submit(&call, stream, false);
  }
  if (stream->capture || event->capture)
    return error_return(capture_wait(stream, event));
  if (event->ticket > stream->last)
    stream->last = event->ticket;
  return cudaSuccess;
}

static cudaError_t
use_happened(cudaEvent_t event) {
  cudaError_t error = use_event(event);
  if (!error && event->capture)
    error = capture_break_id(event->capture, cudaErrorCapturedEvent);
  return error ? error : capture_check_unsafe(false);
}

API cudaError_t
cudaEventSynchronize(cudaEvent_t event) {
  cudaError_t error = use_happened(event);
  if (!error) {
    queue_wait(event->ticket);
    error = error_check();
  }
  return error_return(error);
}

API cudaError_t
cudaEventQuery(cudaEvent_t event) {
  cudaError_t error = use_happened(event);
  if (!error && !queue_is_done(event->ticket))
    error = cudaErrorNotReady;
  return error_return(error);
}

API cudaError_t
cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  cudaError_t error = use_event(start);
  error = error ? error : use_event(end);
  if (!error && (start->capture || end->capture))
    error = cudaErrorCapturedEvent;
  if (!error && !milliseconds)
    error = cudaErrorInvalidValue;
  if (!error && (!start->is_recorded || !end->is_recorded ||
                 ((start->flags | end->flags) & cudaEventDisableTiming)))
    error = cudaErrorInvalidResourceHandle;
  if (!error && !(queue_is_done(start->ticket) && queue_is_done(end->ticket)))
    error = cudaErrorNotReady;
  if (!error)
    *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(end->time.tv_nsec - start->time.tv_nsec) / 1e6);
  return error_return(error);
}

#if CUDART_MAJOR == 12
// CUDA 12.8 gave it another name for a time.
API cudaError_t
cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
#endif
