// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Contexts. One that is destroyed takes its memory and its modules with it.
#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/call-queue.h"

enum {
  CONTEXT_FLAGS = 0xff,
  CONTEXT_SCHEDULE = 7,    // at most one of these
  CONTEXT_SETTABLE = 0xe7, // by cuCtxSetFlags(): not CU_CTX_MAP_HOST and CU_CTX_LMEM_RESIZE_TO_MAX
  INTERFACE_VERSION = 3020,
};

static cudaError_t
check_context_flags(unsigned flags) {
  unsigned schedule = flags & CONTEXT_SCHEDULE;
  return flags & ~(unsigned)CONTEXT_FLAGS || (schedule & (schedule - 1)) != 0
             ? cudaErrorInvalidValue
             : cudaSuccess;
}

static void
clear_context(const Context *context) {
  queue_wait(queue_last());
  module_close_context(context->id);
  memory_free_context(context->id);
}

// --- of the program

cudaError_t
cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  cudaError_t error = context ? check_context_flags(flags) : cudaErrorInvalidValue;
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  if (error)
    return error;
  *context = context_new(flags);
  return *context && context_push(*context) ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Without MPS a part of the device cannot be asked for.
cudaError_t
cuCtxCreate_v3(CUcontext *context, const void *affinities, int n, unsigned flags, CUdevice device) {
  (void)affinities;
  return n > 0 ? cudaErrorUnsupportedExecAffinity : cuCtxCreate_v2(context, flags, device);
}

cudaError_t
cuCtxCreate_v4(CUcontext *context, const CUctxCreateParams *parameters, unsigned flags,
               CUdevice device) {
  if (parameters && parameters->cigParams)
    return error_missing("a context for graphics");
  return cuCtxCreate_v3(context, NULL, parameters ? parameters->numExecAffinityParams : 0, flags,
                        device);
}

cudaError_t
cuCtxDestroy_v2(CUcontext context) {
  if (!context)
    return cudaErrorInvalidValue;
  if (context->is_primary || context->green || !context_is(context))
    return cudaErrorDeviceUninitialized;
  clear_context(context);
  if (context_current() == context)
    context_pop();
  context_free(context);
  return cudaSuccess;
}

// Deprecated: how often a context is used.
cudaError_t
cuCtxAttach(CUcontext *context, unsigned flags) {
  Context *current = context_current();
  if (!context || flags != 0)
    return cudaErrorInvalidValue;
  if (!current)
    return cudaErrorDeviceUninitialized;
  current->users++;
  *context = current;
  return cudaSuccess;
}

cudaError_t
cuCtxDetach(CUcontext context) {
  if (!context || context != context_current())
    return cudaErrorDeviceUninitialized;
  return context->users > 1 ? (context->users--, cudaSuccess) : cuCtxDestroy_v2(context);
}

// --- which one is current

cudaError_t
cuCtxPushCurrent_v2(CUcontext context) {
  return !context                ? cudaErrorInvalidValue
         : !context_is(context)  ? cudaErrorDeviceUninitialized
         : context_push(context) ? cudaSuccess
                                 : cudaErrorMemoryAllocation;
}

cudaError_t
cuCtxPopCurrent_v2(CUcontext *context) {
  Context *popped = context_pop();
  if (popped && context)
    *context = popped;
  return popped ? cudaSuccess : cudaErrorDeviceUninitialized;
}

cudaError_t
cuCtxSetCurrent(CUcontext context) {
  if (context && !context_is(context))
    return cudaErrorDeviceUninitialized;
  context_pop();
  return !context || context_push(context) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
cuCtxGetCurrent(CUcontext *context) {
  if (!context)
    return cudaErrorInvalidValue;
  *context = context_current();
  return cudaSuccess;
}

// --- what one is

// A context that is given, or else the current one.
static cudaError_t
use_context(CUcontext given, Context **context) {
  *context = given ? given : context_current();
  return *context && context_is(*context) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

cudaError_t
cuCtxGetDevice_v2(CUdevice *device, CUcontext given) {
  Context *context;
  cudaError_t error = device ? use_context(given, &context) : cudaErrorInvalidValue;
  if (!error)
    *device = 0;
  return error;
}

cudaError_t
cuCtxGetDevice(CUdevice *device) {
  return cuCtxGetDevice_v2(device, NULL);
}

cudaError_t
cuCtxGetId(CUcontext given, unsigned long long *id) {
  Context *context;
  cudaError_t error = id ? use_context(given, &context) : cudaErrorInvalidValue;
  if (!error)
    *id = context->id;
  return error;
}

cudaError_t
cuCtxGetApiVersion(CUcontext given, unsigned *version) {
  Context *context;
  cudaError_t error = version ? use_context(given, &context) : cudaErrorInvalidValue;
  if (!error)
    *version = INTERFACE_VERSION;
  return error;
}

cudaError_t
cuCtxGetFlags(unsigned *flags) {
  if (!flags)
    return cudaErrorInvalidValue;
  *flags = context_current()->flags;
  return cudaSuccess;
}

cudaError_t
cuCtxSetFlags(unsigned flags) {
  Context *current = context_current();
  cudaError_t error = check_context_flags(flags);
  if (!error && flags & ~(unsigned)CONTEXT_SETTABLE)
    error = cudaErrorInvalidValue;
  if (!error)
    current->flags = (current->flags & ~(unsigned)CONTEXT_SETTABLE) | flags;
  return error;
}

// Numbers that name no limit, which the runtime says are not supported.
static cudaError_t
check_limit_number(int limit) {
  enum {
    LIMITS = 10
  };
  return limit < 0 || limit >= LIMITS ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t
cuCtxGetLimit(size_t *value, int limit) {
  cudaError_t error = check_limit_number(limit);
  return error ? error : cudaDeviceGetLimit(value, limit);
}

cudaError_t
cuCtxSetLimit(int limit, size_t value) {
  cudaError_t error = check_limit_number(limit);
  return error ? error : cudaDeviceSetLimit(limit, value);
}

cudaError_t
cuCtxSynchronize_v2(CUcontext given) {
  Context *context;
  cudaError_t error = use_context(given, &context);
  return error ? error : cudaDeviceSynchronize();
}

// --- the one that the runtime uses

cudaError_t
cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (!context || device != 0)
    return context ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  *context = context_primary();
  context_primary()->users++;
  return cudaSuccess;
}

// The last one that releases it resets it.
cudaError_t
cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  Context *primary = context_primary();
  if (device != 0)
    return cudaErrorInvalidDevice;
  if (primary->users == 0)
    return cudaErrorDeviceUninitialized;
  if (--primary->users == 0)
    clear_context(primary);
  return cudaSuccess;
}

cudaError_t
cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice;
}

cudaError_t
cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  cudaError_t error = device == 0 ? check_context_flags(flags) : cudaErrorInvalidDevice;
  if (!error)
    context_primary()->flags = flags;
  return error;
}

cudaError_t
cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *is_active) {
  if (device != 0 || !flags || !is_active)
    return device == 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
  *flags = context_primary()->flags;
  *is_active = context_primary()->users > 0;
  return cudaSuccess;
}

// --- peers: there is none

cudaError_t
cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return flags != 0         ? cudaErrorInvalidValue
         : context_is(peer) ? cudaErrorPeerAccessUnsupported
                            : cudaErrorDeviceUninitialized;
}

cudaError_t
cuCtxDisablePeerAccess(CUcontext peer) {
  return context_is(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorDeviceUninitialized;
}
