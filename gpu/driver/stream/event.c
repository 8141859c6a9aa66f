// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Events: points of a stream. One that is recorded into a graph has no time, and cannot be waited for by the host.
#include <sched.h>
#include <stdlib.h>

#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/memory/other-process.h"
#include "gpu/driver/stream/call.h"
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
  if (event->shared)
    __atomic_store_n(&event->shared->happened,
                     __atomic_load_n(&event->shared->asked, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

// The words of an event between processes are memory of the device, which others can open.
static cudaError_t
share_event(Event *event) {
  Allocation words = {.bytes = sizeof *event->shared, .kind = INJECT_DEVICE, .is_hidden = true};
  event->shared = memory_allocate_as(&words);
  return event->shared ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
event_open(cudaEvent_t *event, SharedEvent *shared) {
  *event = handle_new(HANDLE_EVENT, sizeof **event);
  if (!*event)
    return cudaErrorMemoryAllocation;
  **event = (Event){.flags = cudaEventDisableTiming | cudaEventInterprocess,
                    .context = context_current(),
                    .shared = shared,
                    .is_opened = true};
  return cudaSuccess;
}

static bool
has_happened(const Event *event) {
  return queue_is_done(event->ticket) &&
         (!event->shared || __atomic_load_n(&event->shared->happened, __ATOMIC_ACQUIRE) ==
                                __atomic_load_n(&event->shared->asked, __ATOMIC_ACQUIRE));
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
  return error_return(flags & cudaEventInterprocess ? share_event(*event) : cudaSuccess);
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
  if (event->is_opened)
    share_close(event->shared, SHARE_EVENT);
  else if (event->shared)
    memory_drop(event->shared);
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
  if (event->shared)
    __atomic_add_fetch(&event->shared->asked, 1, __ATOMIC_ACQ_REL);
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

// The stream goes on when another process has reached the event.
static cudaError_t
wait_for_other(Stream *stream, const Event *event) {
  enum {
    NOT_LESS // CU_STREAM_WAIT_VALUE_GEQ
  };
  const MemoryOperation wait = {
      .value = {MEMORY_WAIT_32, &event->shared->happened, event->shared->asked, NOT_LESS}};
  Call call = {.kind = cudaGraphNodeTypeBatchMemOp,
               .memory = memory_call_new(stream_context(stream), &wait, 1, 0)};
  return call.memory ? call_submit(&call, stream, false) : error_return(cudaErrorMemoryAllocation);
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
  stream->last = queue_join((uint64_t[]){stream->last, event->ticket}, 2);
  return event->is_opened && !has_happened(event) ? wait_for_other(stream, event) : cudaSuccess;
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
    while (!has_happened(event) && !error_sticky())
      sched_yield();
    error = error_check();
  }
  return error_return(error);
}

API cudaError_t
cudaEventQuery(cudaEvent_t event) {
  cudaError_t error = use_happened(event);
  if (!error && !has_happened(event))
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
