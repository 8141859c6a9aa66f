// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/error.h"

#include <stdio.h>
#include <string.h>

#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/client.h"
#include "gpu/driver/context.h"
#include "gpu/driver/memory/initialized.h"
#include "gpu/driver/output.h"

static __thread cudaError_t last;
static __thread unsigned driver_depth;
static __thread bool is_answering;
static cudaError_t sticky;

static const struct {
  cudaError_t error;
  const char *name, *text;
} texts[] = {
#define ERROR(name, number, text) {name, #name, text},
#include "gpu/driver/errors.def"
#undef ERROR
};

API const char *
cudaGetErrorString(cudaError_t error) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].error == error)
      return texts[i].text;
  return "unrecognized error code";
}

API const char *
cudaGetErrorName(cudaError_t error) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].error == error)
      return texts[i].name;
  return "unrecognized error code";
}

static void
note_failed_call(cudaError_t error) {
  char text[256];
  if (!written_is_checked() || is_answering)
    return;
  snprintf(text, sizeof text, "%s (%s)", cudaGetErrorName(error), cudaGetErrorString(error));
  written_tell(RUN_FOUND_CALL, NULL, text, (uint64_t)error, 0);
}

static cudaError_t
set_last(cudaError_t error) {
  if (error && error != cudaErrorNotReady && driver_depth == 0 && !is_answering)
    last = error;
  return error;
}

cudaError_t
error_keep(cudaError_t error) {
  if (error && error != cudaErrorNotReady)
    note_failed_call(error);
  return set_last(error);
}

// Of the calls that all fail once the context has ended, the first one is noted.
cudaError_t
error_return(cudaError_t error) {
  static bool is_noted;
  cudaError_t ended = error_sticky();
  if (!ended)
    return error_keep(error);
  output_write();
  if (!__atomic_exchange_n(&is_noted, true, __ATOMIC_RELAXED))
    note_failed_call(ended);
  return set_last(ended);
}

cudaError_t
error_check_device(void) {
  return queue_is_inside() ? cudaErrorNotPermitted
         : client_device() ? cudaSuccess
                           : cudaErrorNoDevice;
}

cudaError_t
error_check(void) {
  cudaError_t ended = error_sticky();
  if (ended)
    return ended;
  cudaError_t error = error_check_device();
  if (!error && driver_depth == 0)
    context_enter();
  return error;
}

cudaError_t
error_sticky(void) {
  return __atomic_load_n(&sticky, __ATOMIC_RELAXED);
}

void
error_set_driver(bool begins) {
  driver_depth += begins ? 1 : -1u;
}

void
error_set_answering(bool begins) {
  is_answering = begins;
}

void
error_reset(void) {
  if (error_sticky())
    __atomic_store_n(&sticky, cudaErrorDevicesUnavailable, __ATOMIC_RELAXED);
}

void
error_stick(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  __atomic_compare_exchange_n(&sticky, &none, error, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void
error_tell(const unsigned char *text, size_t length) {
  static char told[1024];
  size_t kept = length < sizeof told - 1 ? length : sizeof told - 1;
  if (length == 0 || (strncmp(told, (const char *)text, kept) == 0 && told[kept] == '\0'))
    return;
  memcpy(told, text, kept);
  told[kept] = '\0';
  fprintf(stderr, "%.*s\n", (int)length, (const char *)text);
}

cudaError_t
error_missing(const char *name) {
  fprintf(stderr, "smembank run: %s is not supported\n", name);
  return error_return(cudaErrorNotSupported);
}

// A kernel that fails is told by a call that waits for it, or a later one, not by these.
API cudaError_t
cudaPeekAtLastError(void) {
  return last;
}

API cudaError_t
cudaGetLastError(void) {
  cudaError_t error = cudaPeekAtLastError();
  last = cudaSuccess;
  return error;
}
