// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches, and what functions are.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/kernel/occupancy.h"
#include "gpu/driver/stream/call.h"

// --- launches

// Where each parameter is in the buffer.
static cudaError_t
divide_buffer(const Kernel *kernel, char *buffer, size_t n_bytes, void **arguments) {
  for (size_t i = 0; i < kernel->n_parameters; i++) {
    uint64_t offset = kernel->parameters[2 * i], bytes = kernel->parameters[2 * i + 1];
    if (!buffer || offset > n_bytes || bytes > n_bytes - offset)
      return cudaErrorInvalidValue;
    arguments[i] = buffer + offset;
  }
  return cudaSuccess;
}

cudaError_t
driver_take_arguments(const Kernel *kernel, void **given, void **extra, void ***arguments,
                      void ***kept) {
  char *buffer = NULL;
  size_t n_bytes = 0;
  *arguments = given;
  *kept = NULL;
  if (!extra)
    return cudaSuccess;
  if (given)
    return cudaErrorInvalidValue;
  for (; (uintptr_t)extra[0] != DRIVER_EXTRA_END; extra += 2) {
    if ((uintptr_t)extra[0] == DRIVER_EXTRA_BUFFER)
      buffer = extra[1];
    else if ((uintptr_t)extra[0] == DRIVER_EXTRA_BYTES)
      memcpy(&n_bytes, extra[1], sizeof n_bytes);
    else
      return cudaErrorInvalidValue;
  }
  *arguments = *kept = calloc(kernel->n_parameters + 1, sizeof(void *));
  return *kept ? divide_buffer(kernel, buffer, n_bytes, *kept) : cudaErrorMemoryAllocation;
}

cudaError_t
driver_launch_function(CUfunction function, const cudaLaunchConfig_t *configuration, void **given,
                       void **extra) {
  Call call = {.kind = cudaGraphNodeTypeEmpty};
  Kernel *kernel = NULL;
  void **arguments = NULL, **kept = NULL;
  cudaError_t error = module_kernel(function, &kernel);
  error = error ? error : driver_take_arguments(kernel, given, extra, &arguments, &kept);
  error = error ? error : launch_make(&call, function, configuration, arguments);
  free(kept);
  if (!error)
    return call_submit(&call, configuration->stream, false);
  call_clear(&call);
  return error;
}

cudaError_t
cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
               unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_bytes,
               cudaStream_t stream, void **given, void **extra) {
  const cudaLaunchConfig_t configuration = {
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_bytes, stream, NULL, 0};
  return driver_launch_function(function, &configuration, given, extra);
}

cudaError_t
cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned dynamic_bytes, cudaStream_t stream, void **given) {
  cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative,
                                     .val = {.cooperative = 1}};
  const cudaLaunchConfig_t configuration = {{grid_x, grid_y, grid_z},
                                            {block_x, block_y, block_z},
                                            dynamic_bytes,
                                            stream,
                                            &cooperative,
                                            1};
  return driver_launch_function(function, &configuration, given, NULL);
}

static cudaLaunchConfig_t
take_configuration(const CUlaunchConfig *given) {
  return (cudaLaunchConfig_t){given->grid,    given->block, given->sharedMemBytes,
                              given->hStream, given->attrs, given->numAttrs};
}

cudaError_t
cuLaunchKernelEx(const CUlaunchConfig *given, CUfunction function, void **arguments, void **extra) {
  if (!given || (given->numAttrs > 0 && !given->attrs))
    return cudaErrorInvalidValue;
  const cudaLaunchConfig_t configuration = take_configuration(given);
  return driver_launch_function(function, &configuration, arguments, extra);
}

// --- what functions are

cudaError_t
cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  cudaFuncAttributes all;
  cudaError_t error = value ? cudaFuncGetAttributes(&all, function) : cudaErrorInvalidValue;
  if (error)
    return error;
  const int values[] = {all.maxThreadsPerBlock,
                        (int)all.sharedSizeBytes,
                        (int)all.constSizeBytes,
                        (int)all.localSizeBytes,
                        all.numRegs,
                        all.ptxVersion,
                        all.binaryVersion,
                        all.cacheModeCA,
                        all.maxDynamicSharedSizeBytes,
                        all.preferredShmemCarveout,
                        all.clusterDimMustBeSet,
                        all.requiredClusterWidth,
                        all.requiredClusterHeight,
                        all.requiredClusterDepth,
                        all.nonPortableClusterSizeAllowed,
                        all.clusterSchedulingPolicyPreference};
  if (attribute < 0 || (size_t)attribute >= sizeof values / sizeof *values)
    return cudaErrorInvalidValue;
  *value = values[attribute];
  return cudaSuccess;
}

cudaError_t
cuKernelGetAttribute(int *value, int attribute, CUfunction kernel, CUdevice device) {
  return device == 0 ? cuFuncGetAttribute(value, attribute, kernel) : cudaErrorInvalidDevice;
}

cudaError_t
cuKernelSetAttribute(int attribute, int value, CUfunction kernel, CUdevice device) {
  return device == 0 ? cudaFuncSetAttribute(kernel, attribute, value) : cudaErrorInvalidDevice;
}

cudaError_t
cuKernelSetCacheConfig(CUfunction kernel, int preference, CUdevice device) {
  return device == 0 ? cudaFuncSetCacheConfig(kernel, preference) : cudaErrorInvalidDevice;
}

cudaError_t
cuFuncGetModule(CUmodule *module, CUfunction function) {
  Kernel *kernel = NULL;
  cudaError_t error = module && function ? module_kernel(function, &kernel) : cudaErrorInvalidValue;
  if (!error)
    *module = kernel->module;
  return error;
}

cudaError_t
cuFuncGetName(const char **name, CUfunction function) {
  return function ? cudaFuncGetName(name, function) : cudaErrorInvalidValue;
}

cudaError_t
cuFuncIsLoaded(int *state, CUfunction function) {
  Kernel *kernel = NULL;
  cudaError_t error = state ? module_kernel(function, &kernel) : cudaErrorInvalidValue;
  if (!error)
    *state = 1; // CU_FUNCTION_LOADING_STATE_LOADED
  return error;
}

cudaError_t
cuFuncLoad(CUfunction function) {
  Kernel *kernel = NULL;
  return module_kernel(function, &kernel);
}

// --- occupancy

typedef size_t (*CUoccupancyB2DSize)(int threads);

// The block with the most resident threads, and of those the largest one: multiples of a warp are tried.
cudaError_t
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize find_bytes, size_t dynamic_bytes,
                                          int limit, unsigned flags) {
  enum {
    WARP = 32,
    MULTIPROCESSORS = 16
  };
  Kernel *kernel = NULL;
  int multiprocessors = 0;
  cudaError_t error =
      grid && block && flags <= 1 ? module_kernel(function, &kernel) : cudaErrorInvalidValue;
  error = error ? error : cudaDeviceGetAttribute(&multiprocessors, MULTIPROCESSORS, 0);
  if (error)
    return error;
  unsigned most = occupancy_most_threads(kernel), best = 0;
  if (limit > 0 && (unsigned)limit < most)
    most = (unsigned)limit;
  for (unsigned start = (most + WARP - 1) / WARP * WARP; start > 0; start -= WARP) {
    unsigned threads = start < most ? start : most;
    size_t bytes = find_bytes ? find_bytes((int)threads) : dynamic_bytes;
    unsigned blocks = occupancy_blocks(kernel, threads, bytes);
    if (blocks * threads <= best)
      continue;
    best = blocks * threads;
    *block = (int)threads;
    *grid = (int)blocks * multiprocessors;
  }
  return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                 CUoccupancyB2DSize find_bytes, size_t dynamic_bytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, find_bytes, dynamic_bytes,
                                                   limit, 0);
}

cudaError_t
cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *given) {
  if (!given)
    return cudaErrorInvalidValue;
  const cudaLaunchConfig_t configuration = take_configuration(given);
  return cudaOccupancyMaxPotentialClusterSize(size, function, &configuration);
}

cudaError_t
cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *given) {
  if (!given)
    return cudaErrorInvalidValue;
  const cudaLaunchConfig_t configuration = take_configuration(given);
  return cudaOccupancyMaxActiveClusters(clusters, function, &configuration);
}
