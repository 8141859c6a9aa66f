// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Parts of a device: multiprocessors in groups, and contexts for them. Kernels run as before: what a context has is what it is told.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/cu/green.h"
#include "gpu/driver/client.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/stream/stream.h"

enum {
  RESOURCE_SM = 1, // CUdevResourceType
  GREEN_DEFAULT_STREAM = 1,

  SPLIT_IGNORE_COSCHEDULING = 1, // CUdevSmResourceSplit_flags
  SPLIT_MAX_CLUSTER = 2,
  LOOSE_UNIT = 2, // multiprocessors that are given together in any case
};

typedef struct {
  unsigned count, least, unit;
} Multiprocessors;

// CUdevResource. Its middle is ours: the split that it came from; 0: it can be split.
typedef struct {
  int type;
  uint32_t split;
  unsigned char reserved[88];
  union {
    Multiprocessors sm;
    unsigned char bytes[48];
  };
} Resource;

typedef struct Resources {
  unsigned count;
} Resources;

struct Green {
  unsigned count;
  uint64_t id;
  Context *context;
};

static uint32_t last_split;
static uint64_t last_green;

// --- what there is

// Multiprocessors that are given together: of CUDA's programming guide, section Green contexts.
static unsigned
find_sm_unit(bool is_least) {
  unsigned major = client_device()->major;
  return major >= 9 ? 8 : major == 8 && is_least ? 4 : major >= 7 ? 2 : 1;
}

static cudaError_t
answer_resource(Resource *answer, int type, unsigned count) {
  if (!answer)
    return cudaErrorInvalidValue;
  if (type != RESOURCE_SM)
    return cudaErrorInvalidResourceType;
  *answer = (Resource){.type = RESOURCE_SM, .sm = {count, find_sm_unit(true), find_sm_unit(false)}};
  return cudaSuccess;
}

static unsigned
count_of(const Context *context) {
  return context->green ? context->green->count : client_device()->facts.multiprocessors;
}

cudaError_t
cuDeviceGetDevResource(CUdevice device, Resource *answer, int type) {
  return device == 0 ? answer_resource(answer, type, client_device()->facts.multiprocessors)
                     : cudaErrorInvalidDevice;
}

cudaError_t
cuCtxGetDevResource(CUcontext context, Resource *answer, int type) {
  return context && context_is(context) ? answer_resource(answer, type, count_of(context))
                                        : cudaErrorDeviceUninitialized;
}

cudaError_t
cuGreenCtxGetDevResource(const Green *green, Resource *answer, int type) {
  return handle_is(green, HANDLE_GREEN) ? answer_resource(answer, type, green->count)
                                        : cudaErrorDeviceUninitialized;
}

// --- groups

static unsigned
find_sm_group(unsigned wanted, unsigned flags, unsigned all) {
  bool is_loose = flags & SPLIT_IGNORE_COSCHEDULING;
  unsigned unit = is_loose ? LOOSE_UNIT : find_sm_unit(false);
  unsigned least = is_loose ? LOOSE_UNIT : find_sm_unit(true);
  unsigned group = ((wanted > least ? wanted : least) + unit - 1) / unit * unit;
  return group < all ? group : all;
}

static Resource
make_group(unsigned count, uint32_t split) {
  return (Resource){.type = count > 0 ? RESOURCE_SM : 0, .split = split, .sm = {.count = count}};
}

cudaError_t
cuDevSmResourceSplitByCount(Resource *groups, unsigned *n, const Resource *from, Resource *rest,
                            unsigned flags, unsigned wanted) {
  if (!n || !from || (flags & SPLIT_IGNORE_COSCHEDULING && flags & SPLIT_MAX_CLUSTER))
    return cudaErrorInvalidValue;
  if (from->type != RESOURCE_SM)
    return from->type == 0 ? cudaErrorInvalidValue : cudaErrorInvalidResourceType;
  if (from->split || wanted > from->sm.count)
    return cudaErrorInvalidResourceConfiguration;
  unsigned group = find_sm_group(wanted, flags, from->sm.count), most = from->sm.count / group;
  uint32_t split = __atomic_add_fetch(&last_split, 1, __ATOMIC_RELAXED);
  if (!groups || most < *n)
    *n = most;
  for (unsigned i = 0; groups && i < *n; i++)
    groups[i] = make_group(group, split);
  if (rest)
    *rest = make_group(from->sm.count - *n * group, split);
  return cudaSuccess;
}

// Groups of one split.
cudaError_t
cuDevResourceGenerateDesc(Resources **made, const Resource *resources, unsigned n) {
  if (!made || !resources || n == 0)
    return cudaErrorInvalidValue;
  unsigned count = 0;
  for (unsigned i = 0; i < n; i++) {
    if (resources[i].type != RESOURCE_SM)
      return cudaErrorInvalidResourceType;
    if (resources[i].split != resources[0].split || (n > 1 && !resources[i].split))
      return cudaErrorInvalidResourceConfiguration;
    count += resources[i].sm.count;
  }
  *made = handle_new(HANDLE_RESOURCES, sizeof **made);
  if (!*made)
    return cudaErrorMemoryAllocation;
  (*made)->count = count;
  return cudaSuccess;
}

// --- contexts

// The primary context is used as long as there is one for a part of the device.
cudaError_t
cuGreenCtxCreate(Green **made, const Resources *resources, CUdevice device, unsigned flags) {
  if (device != 0)
    return cudaErrorInvalidDevice;
  if (!made || !handle_is(resources, HANDLE_RESOURCES) || flags != GREEN_DEFAULT_STREAM)
    return cudaErrorInvalidValue;
  Green *green = handle_new(HANDLE_GREEN, sizeof *green);
  Context *context = green ? context_new(0) : NULL;
  if (!context) {
    handle_free(green);
    return cudaErrorMemoryAllocation;
  }
  context->id = context_primary()->id; // memory and modules are the primary one's
  context->green = green;
  context_primary()->users++;
  *green = (Green){resources->count, __atomic_add_fetch(&last_green, 1, __ATOMIC_RELAXED), context};
  *made = green;
  return cudaSuccess;
}

static cudaError_t
use_green(const Green *green, const void *answer) {
  return !handle_is(green, HANDLE_GREEN) ? cudaErrorDeviceUninitialized
         : answer                        ? cudaSuccess
                                         : cudaErrorInvalidValue;
}

// What it was is kept: streams have it.
cudaError_t
cuGreenCtxDestroy(Green *green) {
  cudaError_t error = use_green(green, green);
  if (error)
    return error;
  context_free(green->context);
  handle_forget(green);
  return cuDevicePrimaryCtxRelease_v2(0);
}

cudaError_t
cuCtxFromGreenCtx(CUcontext *context, const Green *green) {
  cudaError_t error = use_green(green, context);
  if (!error)
    *context = green->context;
  return error;
}

cudaError_t
cuGreenCtxGetId(const Green *green, unsigned long long *id) {
  cudaError_t error = use_green(green, id);
  if (!error)
    *id = green->id;
  return error;
}

cudaError_t
cuGreenCtxRecordEvent(const Green *green, cudaEvent_t event) {
  cudaError_t error = use_green(green, green);
  return error ? error : cuCtxRecordEvent(green->context, event);
}

cudaError_t
cuGreenCtxWaitEvent(const Green *green, cudaEvent_t event) {
  cudaError_t error = use_green(green, green);
  return error ? error : cuCtxWaitEvent(green->context, event);
}

// --- streams

cudaError_t
cuGreenCtxStreamCreate(cudaStream_t *stream, const Green *green, unsigned flags, int priority) {
  cudaError_t error = use_green(green, stream);
  if (!error && flags != cudaStreamNonBlocking)
    error = cudaErrorInvalidValue;
  error = error ? error : cudaStreamCreateWithPriority(stream, flags, priority);
  if (!error)
    (*stream)->context = green->context;
  return error;
}

cudaError_t
cuStreamGetGreenCtx(cudaStream_t stream, Green **green) {
  CUcontext context;
  return green ? cuStreamGetCtx_v2(stream, &context, green) : cudaErrorInvalidValue;
}

// --- affinities, which a device has where MPS runs

cudaError_t
cuDeviceGetExecAffinitySupport(int *is_supported, int type, CUdevice device) {
  (void)type;
  if (!is_supported || device != 0)
    return is_supported ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  *is_supported = 0;
  return cudaSuccess;
}

cudaError_t
cuCtxGetExecAffinity(CUexecAffinityParam *answer, int type) {
  enum {
    AFFINITY_SM_COUNT
  };
  if (!answer)
    return cudaErrorInvalidValue;
  if (type != AFFINITY_SM_COUNT)
    return cudaErrorUnsupportedExecAffinity;
  if (context_current()->green)
    return cudaErrorDeviceUninitialized;
  *answer = (CUexecAffinityParam){AFFINITY_SM_COUNT, count_of(context_current())};
  return cudaSuccess;
}
