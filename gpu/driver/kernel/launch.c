// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches: what configurations are possible, and running them.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/client.h"
#include "gpu/driver/error.h"
#include "gpu/driver/graph/device-graph.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/memory/device-heap.h"
#include "gpu/driver/memory/other-process.h"
#include "gpu/driver/kernel/occupancy.h"
#include "gpu/driver/output.h"
#include "gpu/driver/texture/texture-reference.h"
#include "gpu/driver/texture/texture.h"

enum {
  MAX_DEPTH = 8, // of configurations that are pushed: arguments of a launch may launch
  // CUDA C++ Programming Guide, Technical Specifications per Compute Capability, and Thread Block Clusters
  MAX_PORTABLE_CLUSTER = 8,
  MAX_CLUSTER = 16,
  FIRST_CLUSTERS = 90, // the compute capability
  // a launch that waits, in nanoseconds
  NANOSECONDS = 1000000000, // of a second
  SHORTEST_PAUSE = 10000,
  LONGEST_PAUSE = 1000000,
  LONGEST_WAIT = 250000000, // for nobody
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
    return error_return(cudaErrorMissingConfiguration);
  const Configuration *last = &pushed[--depth];
  *grid = last->grid;
  *block = last->block;
  *dynamic_bytes = last->dynamic_bytes;
  memcpy(stream, &last->stream, sizeof last->stream);
  return cudaSuccess;
}

// --- what is possible

// As CUDA 13 returns them on an H200. CUDA 12 has errors of its own for these.
static const cudaError_t impossible_extent =
    CUDART_MAJOR == 12 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
static const cudaError_t beyond_bounds =
    CUDART_MAJOR == 12 ? cudaErrorLaunchOutOfResources : cudaErrorInvalidValue;

// Limits: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
static cudaError_t
check_extent(const Kernel *kernel, dim3 grid, dim3 block, size_t dynamic_bytes) {
  uint64_t threads = (uint64_t)block.x * block.y * block.z;
  if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 2147483647u ||
      grid.y > 65535 || grid.z > 65535 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
      threads > 1024)
    return impossible_extent;
  if (dynamic_bytes > kernel->dynamic_bytes)
    return cudaErrorInvalidValue;
  if (kernel->max_threads && threads > (uint64_t)kernel->max_threads)
    return beyond_bounds;
  return threads > occupancy_most_threads(kernel) ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

// Clusters divide the grid, and are those that the kernel requires, if it does; there are none before sm_90.
static cudaError_t
check_launch_cluster(const KernelCall *launch) {
  const Kernel *kernel = launch->kernel;
  const dim3 grid = launch->grid, cluster = launch->cluster;
  uint64_t blocks = (uint64_t)cluster.x * cluster.y * cluster.z;
  if (cluster.x == 0 && cluster.y == 0 && cluster.z == 0)
    return kernel->must_cluster ? cudaErrorInvalidClusterSize : cudaSuccess;
  if (kernel->must_cluster && (cluster.x != kernel->cluster.x || cluster.y != kernel->cluster.y ||
                               cluster.z != kernel->cluster.z))
    return cudaErrorInvalidClusterSize;
  if (client_device()->major * 10 + client_device()->minor < FIRST_CLUSTERS && blocks > 1)
    return cudaErrorInvalidClusterSize;
  unsigned most = kernel->may_cluster_more ? MAX_CLUSTER : MAX_PORTABLE_CLUSTER;
  return blocks == 0 || blocks > most || grid.x % cluster.x || grid.y % cluster.y ||
                 grid.z % cluster.z
             ? cudaErrorInvalidClusterSize
             : cudaSuccess;
}

cudaError_t
launch_check(const KernelCall *launch) {
  cudaError_t error =
      check_extent(launch->kernel, launch->grid, launch->block, launch->dynamic_bytes);
  error = error ? error : check_launch_cluster(launch);
  if (error || !launch->is_cooperative)
    return error;
  uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
  unsigned threads = launch->block.x * launch->block.y * launch->block.z;
  uint64_t resident = (uint64_t)occupancy_blocks(launch->kernel, threads, launch->dynamic_bytes) *
                      client_device()->facts.multiprocessors;
  return blocks > resident ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

// --- making one

static bool
take_parameters(KernelCall *launch, void **arguments) {
  const Kernel *kernel = launch->kernel;
  launch->parameters = calloc(1, kernel->parameter_bytes + 1);
  launch->places = calloc(kernel->n_parameters + 1, sizeof *launch->places);
  if (!launch->parameters || !launch->places)
    return false;
  for (size_t i = 0; i < kernel->n_parameters; i++) {
    uint64_t offset = kernel->parameters[2 * i], bytes = kernel->parameters[2 * i + 1];
    launch->places[i] = launch->parameters + offset;
    if (offset + bytes <= kernel->parameter_bytes && arguments)
      memcpy(launch->places[i], arguments[i], bytes);
  }
  return true;
}

static cudaError_t
take_attributes(KernelCall *launch, const cudaLaunchConfig_t *configuration) {
  for (unsigned i = 0; i < configuration->numAttrs; i++) {
    const cudaLaunchAttribute *attribute = &configuration->attrs[i];
    if ((unsigned)attribute->id >= cudaLaunchAttributeEnd)
      return cudaErrorInvalidValue;
    launch->attributes[attribute->id] = attribute->val;
    if (attribute->id == cudaLaunchAttributeDeviceUpdatableKernelNode &&
        attribute->val.deviceUpdatableKernelNode.deviceUpdatable)
      launch->updatable = (cudaLaunchAttributeValue *)&attribute->val;
    if (attribute->id == cudaLaunchAttributeCooperative)
      launch->is_cooperative = attribute->val.cooperative != 0;
    if (attribute->id == cudaLaunchAttributeClusterDimension)
      launch->cluster = attribute->val.clusterDim;
  }
  return cudaSuccess;
}

cudaError_t
launch_make(Call *call, const void *function, const cudaLaunchConfig_t *configuration,
            void **arguments) {
  Kernel *kernel = NULL;
  *call = (Call){.kind = cudaGraphNodeTypeEmpty};
  cudaError_t error = module_kernel(function, &kernel);
  if (error)
    return error;
  if (!arguments && kernel->n_parameters > 0)
    return cudaErrorInvalidValue;
  KernelCall *launch = calloc(1, sizeof *launch);
  if (!launch)
    return cudaErrorMemoryAllocation;
  *launch = (KernelCall){.kernel = kernel,
                         .function = function,
                         .grid = configuration->gridDim,
                         .block = configuration->blockDim,
                         .cluster = kernel->cluster,
                         .dynamic_bytes = (unsigned)configuration->dynamicSmemBytes};
  if (configuration->dynamicSmemBytes > UINT32_MAX)
    launch->dynamic_bytes = UINT32_MAX;
  *call = (Call){.kind = cudaGraphNodeTypeKernel, .kernel = launch};
  if (kernel->names_references)
    launch->bound = references_take(kernel->module, &launch->n_bound);
  error = take_attributes(launch, configuration);
  return error                                ? error
         : take_parameters(launch, arguments) ? cudaSuccess
                                              : cudaErrorMemoryAllocation;
}

KernelCall *
launch_call_copy(const KernelCall *launch) {
  KernelCall *copy = malloc(sizeof *copy);
  if (!copy)
    return NULL;
  *copy = *launch;
  copy->updatable = NULL;
  copy->bound = launch->bound ? malloc((launch->n_bound + 1) * sizeof *copy->bound) : NULL;
  copy->n_bound = copy->bound ? launch->n_bound : 0;
  if (copy->bound)
    memcpy(copy->bound, launch->bound, copy->n_bound * sizeof *copy->bound);
  if (take_parameters(copy, launch->places))
    return copy;
  launch_call_free(copy);
  return NULL;
}

void
launch_call_free(KernelCall *launch) {
  free(launch->parameters);
  free(launch->places);
  free(launch->bound);
  free(launch);
}

// --- running it

static void
add_triple(SmbPayload *payload, dim3 extent) {
  smb_payload_add_number(payload, extent.x);
  smb_payload_add_number(payload, extent.y);
  smb_payload_add_number(payload, extent.z);
}

static cudaError_t
find_launch_error(RunStatus status) {
  return status == RUN_ADDRESS       ? cudaErrorIllegalAddress
         : status == RUN_MISALIGNED  ? cudaErrorMisalignedAddress
         : status == RUN_ASSERT      ? cudaErrorAssert
         : status == RUN_INSTRUCTION ? cudaErrorIllegalInstruction
                                     : cudaErrorLaunchFailure;
}

// The answer to a launch, also to one that goes on. What went wrong in a kernel ends the context, and the reason is written where a person
// reads it. Returns whether anything has happened: it has ended, or changed memory.
static bool
take_launch_answer(KernelCall *launch, RunStatus status, SmbPayload *payload) {
  launch->stopped = status == RUN_WAITS ? smb_payload_number(payload) : 0;
  bool moved = !launch->stopped || smb_payload_number(payload);
  if (!launch->stopped) {
    size_t length = 0;
    const unsigned char *message = smb_payload_bytes(payload, &length);
    error_tell(message, length);
    output_keep(payload);
    if (status != RUN_DONE)
      error_stick(find_launch_error(status));
  }
  smb_payload_clear(payload);
  return moved;
}

bool
launch_may_overlap(const KernelCall *launch) {
  enum {
    FIRST =
        9, // major compute capability; CUDA C++ Programming Guide, "Programmatic Dependent Launch"
  };
  return client_device()->major >= FIRST &&
         launch->attributes[cudaLaunchAttributeProgrammaticStreamSerialization]
             .programmaticStreamSerializationAllowed;
}

void
launch_begin(KernelCall *launch, uint64_t stream, bool may_stop, bool overlaps) {
  const Kernel *kernel = launch->kernel;
  SmbPayload payload = {0};
  smb_payload_add_number(&payload, may_stop);
  smb_payload_add_number(&payload, overlaps);
  smb_payload_add_number(&payload, module_id(kernel->module));
  smb_payload_add_text(&payload, kernel->symbol);
  add_triple(&payload, launch->grid);
  add_triple(&payload, launch->block);
  add_triple(&payload, launch->cluster);
  smb_payload_add_number(&payload, launch->dynamic_bytes);
  smb_payload_add_number(&payload, launch->is_cooperative);
  smb_payload_add_number(&payload, stream);
  smb_payload_add_bytes(&payload, launch->parameters, kernel->parameter_bytes);
  module_add_variables(&payload, kernel->module);
  memory_add_all(&payload);
  heap_add(&payload);
  textures_add(&payload, launch->bound, launch->n_bound);
  references_add(&payload, kernel->module);
  smb_payload_add_number(&payload, device_graph_current());
  RunStatus status = client_ask(RUN_LAUNCH, &payload);
  take_launch_answer(launch, status, &payload);
}

// --- one that waits

static pthread_mutex_t patience = PTHREAD_MUTEX_INITIALIZER;
static struct timespec moved_last; // any launch

static void
note_moved(void) {
  pthread_mutex_lock(&patience);
  clock_gettime(CLOCK_MONOTONIC, &moved_last);
  pthread_mutex_unlock(&patience);
}

// Whether nobody is left who could write what launches wait for, and nothing has happened for a while.
static bool
is_in_vain(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (share_is_used() || !queue_is_stuck()) {
    note_moved();
    return false;
  }
  pthread_mutex_lock(&patience);
  int64_t waited =
      (int64_t)(now.tv_sec - moved_last.tv_sec) * NANOSECONDS + now.tv_nsec - moved_last.tv_nsec;
  pthread_mutex_unlock(&patience);
  return waited > LONGEST_WAIT;
}

// Lets it look again and again, seldom if nothing happens.
void
launch_run(KernelCall *launch) {
  bool may_stop = queue_is_inside();
  if (!launch->stopped)
    launch_begin(launch, 0, may_stop, false);
  if (!launch->stopped)
    return;
  queue_hand_over();
  note_moved();
  for (long pause = SHORTEST_PAUSE; launch->stopped;) {
    const struct timespec time = {.tv_nsec = pause};
    nanosleep(&time, NULL);
    SmbPayload payload = {0};
    smb_payload_add_number(&payload, launch->stopped);
    smb_payload_add_number(&payload, is_in_vain() || error_sticky());
    RunStatus status = client_ask(RUN_RESUME, &payload);
    bool moved = take_launch_answer(launch, status, &payload);
    if (moved)
      note_moved();
    pause = moved ? SHORTEST_PAUSE : pause * 2 < LONGEST_PAUSE ? pause * 2 : LONGEST_PAUSE;
  }
}

// --- calls

static cudaError_t
submit_launch(const void *function, const cudaLaunchConfig_t *configuration, void **arguments) {
  Call call;
  cudaError_t error = launch_make(&call, function, configuration, arguments);
  if (!error)
    return call_submit(&call, configuration->stream, false);
  call_clear(&call);
  return error_return(error);
}

API cudaError_t
cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                 size_t dynamic_bytes, cudaStream_t stream) {
  const cudaLaunchConfig_t configuration = {grid, block, dynamic_bytes, stream, NULL, 0};
  return submit_launch(function, &configuration, arguments);
}

API cudaError_t
__cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                   size_t dynamic_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, dynamic_bytes, stream);
}

API cudaError_t
cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                            size_t dynamic_bytes, cudaStream_t stream) {
  cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative,
                                     .val = {.cooperative = 1}};
  const cudaLaunchConfig_t configuration = {grid, block, dynamic_bytes, stream, &cooperative, 1};
  return submit_launch(function, &configuration, arguments);
}

// What programs ask of the order of blocks and of kernels, the order of the calls is part of.
API cudaError_t
cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *function,
                    void **arguments) {
  if (!configuration || (configuration->numAttrs > 0 && !configuration->attrs))
    return error_return(cudaErrorInvalidValue);
  return submit_launch(function, configuration, arguments);
}
