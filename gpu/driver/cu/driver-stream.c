// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams, as far as the driver has them otherwise than the runtime, and operations of theirs on memory.
#include <sched.h>
#include <stdlib.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/call.h"

enum {
  CAPTURE_GLOBAL,
};

cudaError_t
cuStreamGetCtx(cudaStream_t stream, CUcontext *context) {
  if (!context || !stream_of(stream))
    return context ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
  *context = context_current();
  return cudaSuccess;
}

// No stream belongs to a part of a device.
cudaError_t
cuStreamGetCtx_v2(cudaStream_t stream, CUcontext *context, void **part) {
  if (part)
    *part = NULL;
  return cuStreamGetCtx(stream, context);
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

// --- writing: a fill of words; waiting: a function of the host

static cudaError_t
write_words(cudaStream_t stream, CUdeviceptr address, const uint32_t *words, size_t n) {
  for (size_t i = 0; i < n; i++) {
    Call call = {.kind = cudaGraphNodeTypeMemset,
                 .fill = {.rows = {(void *)(address + i * sizeof *words), sizeof *words, words[i],
                                   sizeof *words, 1, 1},
                          .depth = 1}};
    cudaError_t error = call_submit(&call, stream, false);
    if (error)
      return error;
  }
  return cudaSuccess;
}

cudaError_t
cuStreamWriteValue32_v2(cudaStream_t stream, CUdeviceptr address, uint32_t value, unsigned flags) {
  return flags > 1 ? cudaErrorInvalidValue : write_words(stream, address, &value, 1);
}

cudaError_t
cuStreamWriteValue64_v2(cudaStream_t stream, CUdeviceptr address, uint64_t value, unsigned flags) {
  const uint32_t words[] = {(uint32_t)value, (uint32_t)(value >> 32)};
  return flags > 1 ? cudaErrorInvalidValue : write_words(stream, address, words, 2);
}

// CUstreamWaitValue_flags; the value of memory goes first.
typedef enum {
  WAIT_NOT_LESS,
  WAIT_EQUAL,
  WAIT_AND,
  WAIT_NOR,
} WaitKind;

typedef struct {
  const void *address;
  uint64_t value, mask; // of the bits that a value has
  WaitKind kind;
} Wait;

static bool
is_over(const Wait *wait) {
  uint64_t found = wait->mask > UINT32_MAX
                       ? __atomic_load_n((const uint64_t *)wait->address, __ATOMIC_ACQUIRE)
                       : __atomic_load_n((const uint32_t *)wait->address, __ATOMIC_ACQUIRE);
  switch (wait->kind) {
  case WAIT_NOT_LESS: // as a circle of numbers
    return ((found - wait->value) & wait->mask) <= wait->mask / 2;
  case WAIT_EQUAL:
    return found == wait->value;
  case WAIT_AND:
    return (found & wait->value) != 0;
  case WAIT_NOR:
    return (~(found | wait->value) & wait->mask) != 0;
  }
  return true;
}

static void
run_wait(void *user) {
  Wait *wait = user;
  while (!is_over(wait) && !error_sticky())
    sched_yield();
  free(wait);
}

static cudaError_t
wait_for_value(cudaStream_t stream, Wait wait, unsigned flags) {
  Allocation found;
  if (flags > WAIT_NOR || !memory_find(wait.address, &found) ||
      (uintptr_t)wait.address % sizeof(uint32_t) != 0)
    return cudaErrorInvalidValue;
  Wait *kept = malloc(sizeof *kept);
  if (!kept)
    return cudaErrorMemoryAllocation;
  *kept = wait;
  kept->kind = (WaitKind)flags;
  cudaError_t error = cudaLaunchHostFunc(stream, run_wait, kept);
  if (error)
    free(kept);
  return error;
}

cudaError_t
cuStreamWaitValue32_v2(cudaStream_t stream, const void *address, uint32_t value, unsigned flags) {
  return wait_for_value(stream, (Wait){address, value, UINT32_MAX, WAIT_EQUAL}, flags);
}

cudaError_t
cuStreamWaitValue64_v2(cudaStream_t stream, const void *address, uint64_t value, unsigned flags) {
  return wait_for_value(stream, (Wait){address, value, UINT64_MAX, WAIT_EQUAL}, flags);
}
