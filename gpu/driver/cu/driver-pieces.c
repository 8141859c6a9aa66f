// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches in pieces, as before CUDA 4.0: a function keeps its block, its dynamic memory and its parameters from one to the next.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/cu/driver.h"

enum {
  MAX_PARAMETER_BYTES = 32764,
  MAX_BLOCK = 1024, // threads
  MAX_BLOCK_DEPTH = 64,
};

typedef struct {
  dim3 block;
  unsigned dynamic_bytes;
  unsigned char parameters[MAX_PARAMETER_BYTES];
} Pieces;

static cudaError_t
use_pieces(CUfunction function, Pieces **pieces) {
  Kernel *kernel;
  cudaError_t error = module_kernel(function, &kernel);
  *pieces = NULL;
  if (error)
    return error;
  if (!kernel->pieces) {
    kernel->pieces = calloc(1, sizeof **pieces);
    if (!kernel->pieces)
      return cudaErrorMemoryAllocation;
    ((Pieces *)kernel->pieces)->block = (dim3){1, 1, 1};
  }
  *pieces = kernel->pieces;
  return cudaSuccess;
}

cudaError_t
cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  Pieces *pieces;
  cudaError_t error = use_pieces(function, &pieces);
  bool fits = x > 0 && y > 0 && z > 0 && x <= MAX_BLOCK && y <= MAX_BLOCK && z <= MAX_BLOCK_DEPTH &&
              x * y * z <= MAX_BLOCK;
  if (error || !fits)
    return error ? error : cudaErrorInvalidValue;
  pieces->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z};
  return cudaSuccess;
}

cudaError_t
cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  Pieces *pieces;
  cudaError_t error = use_pieces(function, &pieces);
  if (error || bytes > client_device()->opt_in_shared)
    return error ? error : cudaErrorInvalidValue;
  pieces->dynamic_bytes = bytes;
  return cudaSuccess;
}

// What is not set is zero, so the size says nothing more.
cudaError_t
cuParamSetSize(CUfunction function, unsigned bytes) {
  Pieces *pieces;
  cudaError_t error = use_pieces(function, &pieces);
  return error ? error : bytes <= MAX_PARAMETER_BYTES ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
cuParamSetv(CUfunction function, int offset, const void *value, unsigned bytes) {
  Pieces *pieces;
  cudaError_t error = use_pieces(function, &pieces);
  bool fits = value && offset >= 0 && offset <= MAX_PARAMETER_BYTES &&
              bytes <= MAX_PARAMETER_BYTES - (unsigned)offset;
  if (error || !fits)
    return error ? error : cudaErrorInvalidValue;
  memcpy(pieces->parameters + offset, value, bytes);
  return cudaSuccess;
}

cudaError_t
cuParamSeti(CUfunction function, int offset, unsigned value) {
  return cuParamSetv(function, offset, &value, sizeof value);
}

cudaError_t
cuParamSetf(CUfunction function, int offset, float value) {
  return cuParamSetv(function, offset, &value, sizeof value);
}

cudaError_t
cuLaunchGridAsync(CUfunction function, int width, int height, cudaStream_t stream) {
  Pieces *pieces;
  cudaError_t error = use_pieces(function, &pieces);
  if (error || width <= 0 || height <= 0)
    return error ? error : cudaErrorInvalidValue;
  size_t bytes = sizeof pieces->parameters;
  void *extra[] = {(void *)DRIVER_EXTRA_BUFFER, pieces->parameters, (void *)DRIVER_EXTRA_BYTES,
                   &bytes, (void *)DRIVER_EXTRA_END};
  const cudaLaunchConfig_t configuration = {{(unsigned)width, (unsigned)height, 1},
                                            pieces->block,
                                            pieces->dynamic_bytes,
                                            stream,
                                            NULL,
                                            0};
  return driver_launch_function(function, &configuration, NULL, extra);
}

cudaError_t
cuLaunchGrid(CUfunction function, int width, int height) {
  return cuLaunchGridAsync(function, width, height, NULL);
}

cudaError_t
cuLaunch(CUfunction function) {
  return cuLaunchGrid(function, 1, 1);
}
