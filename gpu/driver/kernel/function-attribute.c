// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What kernels are, and what can be asked of them.
#include "gpu/driver/client.h"
#include "gpu/driver/error.h"
#include "gpu/driver/kernel/module.h"
#include "gpu/driver/kernel/occupancy.h"

enum {
  CACHE_PREFERENCES = 4, // none, shared, L1, equal
};

void
function_describe(const Kernel *kernel, cudaFuncAttributes *attributes) {
  int version = (int)(10 * client_device()->major + client_device()->minor);
  *attributes = (cudaFuncAttributes){.sharedSizeBytes = kernel->shared_bytes,
                                     .localSizeBytes = kernel->local_bytes,
                                     .maxThreadsPerBlock = (int)occupancy_most_threads(kernel),
                                     .numRegs = (int)kernel->registers,
                                     .ptxVersion = version,
                                     .binaryVersion = version,
                                     .maxDynamicSharedSizeBytes = (int)kernel->dynamic_bytes,
                                     .preferredShmemCarveout = kernel->carveout,
                                     .clusterDimMustBeSet = kernel->must_cluster,
                                     .requiredClusterWidth = (int)kernel->cluster.x,
                                     .requiredClusterHeight = (int)kernel->cluster.y,
                                     .requiredClusterDepth = (int)kernel->cluster.z,
                                     .clusterSchedulingPolicyPreference = kernel->cluster_policy,
                                     .nonPortableClusterSizeAllowed = kernel->may_cluster_more};
}

API cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  Kernel *kernel = NULL;
  cudaError_t error = attributes ? module_kernel(function, &kernel) : cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  function_describe(kernel, attributes);
  return cudaSuccess;
}

static cudaError_t
set_attribute(Kernel *kernel, int attribute, int value) {
  switch ((cudaFuncAttribute)attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize:
    if (value < 0 || (unsigned)value + kernel->shared_bytes > client_device()->opt_in_shared)
      return cudaErrorInvalidValue;
    kernel->dynamic_bytes = (unsigned)value;
    return cudaSuccess;
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100)
      return cudaErrorInvalidValue;
    kernel->carveout = value;
    return cudaSuccess;
  case cudaFuncAttributeRequiredClusterWidth:
    kernel->cluster.x = (unsigned)value;
    return value < 0 ? cudaErrorInvalidValue : cudaSuccess;
  case cudaFuncAttributeRequiredClusterHeight:
    kernel->cluster.y = (unsigned)value;
    return value < 0 ? cudaErrorInvalidValue : cudaSuccess;
  case cudaFuncAttributeRequiredClusterDepth:
    kernel->cluster.z = (unsigned)value;
    return value < 0 ? cudaErrorInvalidValue : cudaSuccess;
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
    kernel->may_cluster_more = value != 0;
    return cudaSuccess;
  case cudaFuncAttributeClusterSchedulingPolicyPreference:
    if (value < 0 || value > 2)
      return cudaErrorInvalidValue;
    kernel->cluster_policy = value;
    return cudaSuccess;
  case cudaFuncAttributeClusterDimMustBeSet: // is only read
    break;
  }
  return cudaErrorInvalidValue;
}

API cudaError_t
cudaFuncSetAttribute(const void *function, int attribute, int value) {
  Kernel *kernel = NULL;
  cudaError_t error = module_kernel(function, &kernel);
  return error_return(error ? error : set_attribute(kernel, attribute, value));
}

API cudaError_t
cudaKernelSetAttributeForDevice(const void *function, int attribute, int value, int device) {
  return device == 0 ? cudaFuncSetAttribute(function, attribute, value)
                     : error_return(cudaErrorInvalidDevice);
}

// The cache is not modelled.
API cudaError_t
cudaFuncSetCacheConfig(const void *function, int preference) {
  Kernel *kernel = NULL;
  cudaError_t error = module_kernel(function, &kernel);
  if (!error && (preference < 0 || preference >= CACHE_PREFERENCES))
    error = cudaErrorInvalidValue;
  return error_return(error);
}

// Banks have 4 bytes since sm_50.
API cudaError_t
cudaFuncSetSharedMemConfig(const void *function, int configuration) {
  Kernel *kernel = NULL;
  (void)configuration;
  return error_return(module_kernel(function, &kernel));
}

API cudaError_t
cudaFuncGetName(const char **name, const void *function) {
  Kernel *kernel = NULL;
  cudaError_t error = name ? module_kernel(function, &kernel) : cudaErrorInvalidValue;
  if (!error)
    *name = kernel->symbol;
  return error_return(error);
}

API cudaError_t
cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes) {
  Kernel *kernel = NULL;
  cudaError_t error = offset ? module_kernel(function, &kernel) : cudaErrorInvalidValue;
  if (!error && index >= kernel->n_parameters)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *offset = kernel->parameters[2 * index];
  if (bytes)
    *bytes = kernel->parameters[2 * index + 1];
  return cudaSuccess;
}
