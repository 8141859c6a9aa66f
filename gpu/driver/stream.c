// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams and events. All that is asked of a stream is done at once, so a stream is always idle, and an event that is recorded has
// happened.
#include <stdlib.h>
#include <time.h>

#include "gpu/driver/error.h"
#include "gpu/driver/output.h"

struct Stream {
  unsigned flags;
  int priority;
};

struct Event {
  unsigned flags;
  bool is_recorded;
  struct timespec time;
};

enum {
  EVENT_DISABLE_TIMING = 2,
};

API cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  cudaError_t error = error_check();
  if (error)
    return error_return(error);
  *stream = calloc(1, sizeof **stream);
  if (!*stream)
    return error_return(cudaErrorMemoryAllocation);
  **stream = (struct Stream){flags, priority};
  return cudaSuccess;
}

API cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

API cudaError_t
cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}

API cudaError_t
cudaStreamDestroy(cudaStream_t stream) {
  free(stream);
  return error_return(error_check());
}

API cudaError_t
cudaStreamSynchronize(cudaStream_t stream) {
  output_write();
  (void)stream;
  return error_return(error_check());
}

API cudaError_t
cudaStreamQuery(cudaStream_t stream) {
  (void)stream;
  return error_return(error_check());
}

API cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  (void)stream, (void)event, (void)flags;
  return error_return(error_check());
}

API cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *user), void *user) {
  cudaError_t error = error_check();
  (void)stream;
  if (!error)
    function(user);
  return error_return(error);
}

API cudaError_t
cudaDeviceSynchronize(void) {
  output_write();
  return error_return(error_check());
}

API cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  cudaError_t error = error_check();
  if (error)
    return error_return(error);
  *event = calloc(1, sizeof **event);
  if (!*event)
    return error_return(cudaErrorMemoryAllocation);
  (*event)->flags = flags;
  return cudaSuccess;
}

API cudaError_t
cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, 0);
}

API cudaError_t
cudaEventDestroy(cudaEvent_t event) {
  free(event);
  return error_return(error_check());
}

API cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  (void)stream;
  if (!event)
    return error_return(cudaErrorInvalidResourceHandle);
  event->is_recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  return error_return(error_check());
}

API cudaError_t
cudaEventSynchronize(cudaEvent_t event) {
  output_write();
  return error_return(event ? error_check() : cudaErrorInvalidResourceHandle);
}

API cudaError_t
cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}

API cudaError_t
cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!start || !end || !start->is_recorded || !end->is_recorded ||
      ((start->flags | end->flags) & EVENT_DISABLE_TIMING))
    return error_return(cudaErrorInvalidResourceHandle);
  *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                          (double)(end->time.tv_nsec - start->time.tv_nsec) / 1e6);
  return error_return(error_check());
}
