// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/stream/call.h"

#include <string.h>

#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/error.h"
#include "gpu/driver/graph/graph.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/stream-capture.h"

cudaError_t
call_check(const Call *call) {
  switch (call->kind) {
  case cudaGraphNodeTypeKernel:
    return launch_check(call->kernel);
  case cudaGraphNodeTypeMemcpy:
    return copy_check(&call->copy);
  case cudaGraphNodeTypeMemset:
    return fill_check(&call->fill);
  case cudaGraphNodeTypeHost:
    return call->host.fn ? cudaSuccess : cudaErrorInvalidValue;
  case cudaGraphNodeTypeWaitEvent:
  case cudaGraphNodeTypeEventRecord:
    return handle_is(call->event, HANDLE_EVENT) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  case cudaGraphNodeTypeBatchMemOp:
    return memory_call_check(call->memory);
  case cudaGraphNodeTypeGraph:
  case cudaGraphNodeTypeEmpty:
  case cudaGraphNodeTypeMemAlloc:
  case cudaGraphNodeTypeMemFree:
  case cudaGraphNodeTypeConditional:
    return cudaSuccess;
  case cudaGraphNodeTypeExtSemaphoreSignal:
  case cudaGraphNodeTypeExtSemaphoreWait:
    break;
  }
  return cudaErrorNotSupported;
}

static cudaError_t
run_part(const Call *call) {
  switch (call->kind) {
  case cudaGraphNodeTypeKernel:
    launch_run(call->kernel);
    return cudaSuccess; // what went wrong is told by the next call, as a device does
  case cudaGraphNodeTypeMemcpy:
    return copy_run(&call->copy);
  case cudaGraphNodeTypeMemset:
    fill_run(&call->fill);
    return cudaSuccess;
  case cudaGraphNodeTypeHost:
    call->host.fn(call->host.userData);
    return cudaSuccess;
  case cudaGraphNodeTypeGraph:
    return call->is_launch ? exec_run(call->run) : graph_run(call->child);
  case cudaGraphNodeTypeEventRecord:
    event_happen(call->event);
    return cudaSuccess;
  case cudaGraphNodeTypeMemAlloc:
    return memory_set_live(call->allocation.dptr, true) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaGraphNodeTypeMemFree:
    return memory_set_live(call->freed, false) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaGraphNodeTypeConditional:
    return condition_run(call->condition);
  case cudaGraphNodeTypeBatchMemOp:
    memory_call_run(call->memory);
    return cudaSuccess;
  case cudaGraphNodeTypeWaitEvent:
  case cudaGraphNodeTypeEmpty:
  case cudaGraphNodeTypeExtSemaphoreSignal:
  case cudaGraphNodeTypeExtSemaphoreWait:
    break;
  }
  return cudaSuccess;
}

// After an error that ends the context nothing runs any more but callbacks.
cudaError_t
call_run(const Call *call) {
  bool is_callback = call->kind == cudaGraphNodeTypeHost && call->host.fn == stream_run_callback;
  return error_sticky() && !is_callback ? cudaSuccess : run_part(call);
}

bool
call_copy(Call *to, const Call *from) {
  *to = *from;
  if (from->kind == cudaGraphNodeTypeKernel)
    return (to->kernel = launch_call_copy(from->kernel)) != NULL;
  if (from->kind == cudaGraphNodeTypeGraph && !from->is_launch)
    return (to->child = graph_copy(from->child)) != NULL;
  if (from->kind == cudaGraphNodeTypeConditional)
    return (to->condition = condition_call_copy(from->condition)) != NULL;
  if (from->kind == cudaGraphNodeTypeBatchMemOp)
    return (to->memory = memory_call_new(from->memory->context, from->memory->operations,
                                         from->memory->n, from->memory->flags)) != NULL;
  if (from->kind == cudaGraphNodeTypeMemAlloc)
    memory_retain_graphs(from->allocation.dptr);
  return true;
}

void
call_clear(Call *call) {
  if (call->kind == cudaGraphNodeTypeKernel)
    launch_call_free(call->kernel);
  else if (call->kind == cudaGraphNodeTypeGraph && !call->is_launch)
    graph_free(call->child);
  else if (call->kind == cudaGraphNodeTypeConditional && call->condition)
    condition_call_free(call->condition);
  else if (call->kind == cudaGraphNodeTypeBatchMemOp && call->memory)
    memory_call_free(call->memory);
  else if (call->kind == cudaGraphNodeTypeMemAlloc)
    memory_release_graphs(call->allocation.dptr);
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
}

// Whether a call runs in the queue, although nothing that it follows does.
static bool
calls_host(const Call *call) {
  return call->kind == cudaGraphNodeTypeHost ||
         (call->kind == cudaGraphNodeTypeBatchMemOp && memory_call_waits(call->memory)) ||
         (call->kind == cudaGraphNodeTypeGraph && call->is_launch && exec_calls_host(call->run));
}

static cudaError_t
queue_call(Call *call, Stream *stream, uint64_t after) {
  cudaGraphExec_t run = call->kind == cudaGraphNodeTypeGraph ? call->run : NULL;
  uint64_t ticket = queue_add(call, after);
  if (!ticket)
    return cudaErrorMemoryAllocation;
  stream->last = ticket;
  if (run)
    exec_set_ticket(run, ticket);
  return cudaSuccess;
}

static cudaError_t
start_call(Call *call, Stream *stream, bool waits) {
  uint64_t ticket = stream_ticket(stream);
  bool follows = queue_follows_launch(stream->id + 1);
  bool copies_pages = call->kind == cudaGraphNodeTypeMemcpy && copy_is_pageable(&call->copy);
  if (waits || copies_pages)
    queue_wait(ticket);
  if (calls_host(call) || !queue_is_done(ticket))
    return queue_call(call, stream, ticket);
  if (call->kind != cudaGraphNodeTypeKernel || error_sticky())
    return call_run(call);
  launch_begin(call->kernel, stream_is_legacy(stream) ? 0 : (uintptr_t)stream, true,
               follows && launch_may_overlap(call->kernel));
  if (call->kernel->stopped)
    return queue_call(call, stream, 0);
  queue_note_launch(stream->id + 1);
  return cudaSuccess;
}

// Graphs have no such kernels.
static bool
names_references(const Call *call) {
  return call->kind == cudaGraphNodeTypeKernel && call->kernel->kernel->names_references;
}

static cudaError_t
take_call(Call *call, cudaStream_t handle, bool waits) {
  cudaError_t error = error_check();
  Stream *stream = error ? NULL : stream_of(handle);
  if (!error)
    error = stream ? stream_check(stream) : cudaErrorInvalidResourceHandle;
  if (!error && stream->capture && (waits || names_references(call)))
    error = capture_break(stream, cudaErrorStreamCaptureUnsupported);
  if (!error && !stream->capture)
    error = waits                      ? capture_check_unsafe(stream_is_legacy(stream))
            : stream_is_legacy(stream) ? capture_check_legacy()
                                       : cudaSuccess;
  if (!error)
    error = call_check(call);
  if (!error && !stream->capture && call->kind == cudaGraphNodeTypeKernel &&
      call->kernel->updatable)
    error = cudaErrorInvalidValue; // there is no node
  if (error)
    return error;
  return stream->capture ? capture_add(stream, call) : start_call(call, stream, waits);
}

cudaError_t
call_submit(Call *call, cudaStream_t handle, bool waits) {
  cudaError_t error = take_call(call, handle, waits);
  call_clear(call);
  return error || waits ? error_return(error)
                        : cudaSuccess; // that a kernel failed is told by a later call
}
