// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Resident blocks by warps, blocks, shared memory and registers: CUDA C++ Programming Guide, Technical Specifications per Compute
// Capability, and the units of cuda_occupancy.h. sim/arch/occupancy.c has the same without registers.
#include "gpu/driver/kernel/occupancy.h"

#include "gpu/driver/stream/call.h"
#include "gpu/driver/client.h"
#include "gpu/driver/error.h"

enum {
  WARP = 32,
  SM_REGISTERS = 65536,
  REGISTER_UNIT = 256, // of a warp
  SM_PARTS = 4,        // each has a quarter of the registers
  BLOCK_THREADS = 1024,
  MAX_CLUSTER_BLOCKS = 16,
  MAX_PORTABLE_BLOCKS = 8,
  GPC_MULTIPROCESSORS =
      16, // H100: 144 multiprocessors in 8 clusters of the full chip, up to 18 of which 16 are used
};

static unsigned
min_unsigned(uint64_t a, uint64_t b) {
  return (unsigned)(a < b ? a : b);
}

// Warps that the registers of a multiprocessor are enough for.
static unsigned
count_register_warps(const Kernel *kernel) {
  uint64_t warp =
      ((uint64_t)kernel->registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  return warp ? (unsigned)(SM_REGISTERS / SM_PARTS / warp * SM_PARTS) : client_device()->sm_warps;
}

unsigned
occupancy_most_threads(const Kernel *kernel) {
  unsigned threads = min_unsigned(BLOCK_THREADS, (uint64_t)count_register_warps(kernel) * WARP);
  return kernel->max_threads && kernel->max_threads < threads ? (unsigned)kernel->max_threads
                                                              : threads;
}

// Shared memory that a block takes; 0: it takes none.
static uint64_t
count_block_shared(uint64_t bytes) {
  const Device *device = client_device();
  uint64_t unit = device->shared_unit ? device->shared_unit : 1;
  return (bytes + device->block_reserved + unit - 1) / unit * unit;
}

unsigned
occupancy_blocks(const Kernel *kernel, unsigned threads, uint64_t dynamic_bytes) {
  const Device *device = client_device();
  uint64_t shared = kernel->shared_bytes + dynamic_bytes;
  unsigned warps = (threads + WARP - 1) / WARP;
  if (threads == 0 || threads > occupancy_most_threads(kernel) || shared > device->opt_in_shared)
    return 0;
  unsigned blocks = min_unsigned(device->sm_blocks, device->sm_warps / warps);
  blocks = min_unsigned(blocks, count_register_warps(kernel) / warps);
  uint64_t block = count_block_shared(shared);
  return block ? min_unsigned(blocks, device->sm_shared / block) : blocks;
}

// --- calls

static cudaError_t
use_kernel(const void *function, const void *answer, Kernel **kernel) {
  return answer ? module_kernel(function, kernel) : cudaErrorInvalidValue;
}

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                       int threads, size_t dynamic_bytes,
                                                       unsigned flags) {
  Kernel *kernel;
  cudaError_t error = use_kernel(function, blocks, &kernel);
  if (!error && (threads <= 0 || flags > 1))
    error = cudaErrorInvalidValue;
  if (!error)
    *blocks = (int)occupancy_blocks(kernel, (unsigned)threads, dynamic_bytes);
  return error_return(error);
}

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                              size_t dynamic_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                dynamic_bytes, 0);
}

// The most that so many blocks can have each, of what a launch can ask for.
API cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                          int threads) {
  Kernel *kernel;
  cudaError_t error = use_kernel(function, bytes, &kernel);
  if (!error && (blocks <= 0 || threads <= 0 ||
                 (unsigned)blocks > occupancy_blocks(kernel, (unsigned)threads, 0)))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  const Device *device = client_device();
  uint64_t unit = device->shared_unit ? device->shared_unit : 1;
  uint64_t most =
      device->sm_shared / (unsigned)blocks / unit * unit; // with what the system keeps: an H100
  *bytes = min_unsigned(most - kernel->shared_bytes, kernel->dynamic_bytes);
  return cudaSuccess;
}

static unsigned
find_cluster_blocks(const Kernel *kernel, const cudaLaunchConfig_t *configuration) {
  dim3 cluster = kernel->cluster;
  for (unsigned i = 0; i < configuration->numAttrs; i++)
    if (configuration->attrs[i].id == cudaLaunchAttributeClusterDimension)
      cluster = configuration->attrs[i].val.clusterDim;
  return cluster.x * cluster.y * cluster.z;
}

static unsigned
count_threads(const cudaLaunchConfig_t *configuration) {
  dim3 block = configuration->blockDim;
  return block.x * block.y * block.z;
}

API cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                     const cudaLaunchConfig_t *configuration) {
  Kernel *kernel;
  cudaError_t error = use_kernel(function, size, &kernel);
  if (!error &&
      (!configuration || client_device()->major < 9 ||
       !occupancy_blocks(kernel, count_threads(configuration), configuration->dynamicSmemBytes)))
    error = cudaErrorInvalidValue;
  if (!error)
    *size = kernel->may_cluster_more ? MAX_CLUSTER_BLOCKS : MAX_PORTABLE_BLOCKS;
  return error_return(error);
}

// As if each group of multiprocessors that a cluster runs on had the same size.
API cudaError_t
cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                               const cudaLaunchConfig_t *configuration) {
  Kernel *kernel;
  cudaError_t error = use_kernel(function, clusters, &kernel);
  unsigned blocks = error || !configuration ? 0 : find_cluster_blocks(kernel, configuration);
  if (!error && (blocks == 0 || client_device()->major < 9))
    error = cudaErrorInvalidClusterSize;
  if (error)
    return error_return(error);
  unsigned resident =
      occupancy_blocks(kernel, count_threads(configuration), configuration->dynamicSmemBytes);
  unsigned groups = client_device()->facts.multiprocessors / GPC_MULTIPROCESSORS;
  *clusters = (int)(resident * GPC_MULTIPROCESSORS / blocks * groups);
  return cudaSuccess;
}
