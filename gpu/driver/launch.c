// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches. A kernel runs when it is launched, whatever its stream: the order of the calls is one that streams and events
// allow.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/error.h"
#include "gpu/driver/device-heap.h"
#include "gpu/driver/memory.h"
#include "gpu/driver/module.h"
#include "gpu/driver/output.h"

enum {
  MAX_DEPTH = 8, // of configurations that are pushed: arguments of a launch may launch
};

typedef struct {
  dim3 grid, block;
  size_t dynamic_bytes;
  void *stream;
} Configuration;

static __thread Configuration pushed[MAX_DEPTH];
static __thread unsigned depth;

API unsigned
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_bytes, void *stream) {
  if (depth == MAX_DEPTH)
    return 1;
  pushed[depth++] = (Configuration){grid, block, dynamic_bytes, stream};
  return 0;
}

API cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_bytes, void *stream) {
  if (depth == 0)
    return error_return(cudaErrorInvalidConfiguration);
  const Configuration *last = &pushed[--depth];
  *grid = last->grid;
  *block = last->block;
  *dynamic_bytes = last->dynamic_bytes;
  memcpy(stream, &last->stream, sizeof last->stream);
  return cudaSuccess;
}

// Limits: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
static cudaError_t
check_extent(const Kernel *kernel, dim3 grid, dim3 block, size_t dynamic_bytes) {
  uint64_t threads = (uint64_t)block.x * block.y * block.z;
  if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 2147483647u ||
      grid.y > 65535 || grid.z > 65535 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
      threads > 1024)
    return cudaErrorInvalidConfiguration;
  if (dynamic_bytes > kernel->dynamic_bytes)
    return cudaErrorInvalidValue;
  // A multiprocessor has 65536 registers, which warps take in units of 256 (the same table).
  uint64_t warps = (threads + 31) / 32,
           warp_registers = (kernel->registers * 32u + 255) / 256 * 256;
  if ((kernel->max_threads && threads > kernel->max_threads) || warps * warp_registers > 65536)
    return cudaErrorLaunchOutOfResources;
  return cudaSuccess;
}

static void
add_triple(SmbPayload *payload, dim3 extent) {
  smb_payload_add_number(payload, extent.x);
  smb_payload_add_number(payload, extent.y);
  smb_payload_add_number(payload, extent.z);
}

static bool
add_parameters(SmbPayload *payload, const Kernel *kernel, void **arguments) {
  unsigned char *bytes = calloc(1, kernel->parameter_bytes + 1);
  for (size_t i = 0; bytes && i < kernel->n_parameters; i++) {
    uint64_t offset = kernel->parameters[2 * i], size = kernel->parameters[2 * i + 1];
    if (offset + size <= kernel->parameter_bytes)
      memcpy(bytes + offset, arguments[i], size);
  }
  if (bytes)
    smb_payload_add_bytes(payload, bytes, kernel->parameter_bytes);
  free(bytes);
  return bytes != NULL;
}

static cudaError_t
find_launch_error(RunStatus status) {
  return status == RUN_ADDRESS      ? cudaErrorIllegalAddress
         : status == RUN_MISALIGNED ? cudaErrorMisalignedAddress
         : status == RUN_ASSERT     ? cudaErrorAssert
                                    : cudaErrorLaunchFailure;
}

// Runs a kernel; what went wrong in it ends the context, and the reason is written where a person reads it.
static cudaError_t
run_kernel(const Kernel *kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic_bytes,
           const void *stream, bool is_cooperative) {
  const dim3 none = {0, 0, 0};
  SmbPayload payload = {0};
  smb_payload_add_number(&payload, module_id(kernel->module));
  smb_payload_add_text(&payload, kernel->symbol);
  add_triple(&payload, grid);
  add_triple(&payload, block);
  add_triple(&payload, none);
  smb_payload_add_number(&payload, dynamic_bytes);
  smb_payload_add_number(&payload, is_cooperative);
  smb_payload_add_number(&payload, (uintptr_t)stream);
  bool has_room = add_parameters(&payload, kernel, arguments);
  module_add_variables(&payload, kernel->module);
  memory_add_all(&payload);
  heap_add(&payload);
  RunStatus status = has_room ? client_ask(RUN_LAUNCH, &payload) : RUN_FAILED;
  size_t length = 0;
  const unsigned char *message = smb_payload_bytes(&payload, &length);
  error_tell(message, length);
  output_keep(&payload);
  smb_payload_clear(&payload);
  if (status != RUN_DONE)
    error_stick(find_launch_error(status));
  return cudaSuccess; // told by the next call, as a device does
}

static cudaError_t
launch(const void *function, dim3 grid, dim3 block, void **arguments, size_t dynamic_bytes,
       const void *stream, bool is_cooperative) {
  Kernel *kernel = NULL;
  cudaError_t error = module_kernel(function, &kernel);
  error = error ? error : check_extent(kernel, grid, block, dynamic_bytes);
  return error ? error_return(error)
               : run_kernel(kernel, grid, block, arguments, dynamic_bytes, stream, is_cooperative);
}

API cudaError_t
cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                 size_t dynamic_bytes, cudaStream_t stream) {
  return launch(function, grid, block, arguments, dynamic_bytes, stream, false);
}

API cudaError_t
__cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                   size_t dynamic_bytes, cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, dynamic_bytes, stream, false);
}

API cudaError_t
cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                            size_t dynamic_bytes, cudaStream_t stream) {
  return launch(function, grid, block, arguments, dynamic_bytes, stream, true);
}

// The handle of a kernel is the address of its host function.
API cudaError_t
__cudaGetKernel(const void **kernel, const void *function) {
  Kernel *found;
  *kernel = function;
  return module_kernel(function, &found);
}

API cudaError_t
cudaGetKernel(const void **kernel, const void *function) {
  return error_return(__cudaGetKernel(kernel, function));
}
