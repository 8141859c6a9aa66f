// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams: those that programs make, the legacy default stream, and the default stream of each thread.
#include "gpu/driver/stream/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/memory-pool.h"
#include "gpu/driver/stream/stream-capture.h"
#include "gpu/driver/stream/stream-variant.h"

// Priorities that there are: an H100's (cudaDeviceGetStreamPriorityRange).
enum {
  LEAST_PRIORITY = 0,
  GREATEST_PRIORITY = -5,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t of_thread;
static struct Stream legacy = {.id = 1};
static Stream *all = &legacy;
static uint64_t last_id = 2;

static Stream *
add_stream(unsigned flags, int priority) {
  Stream *stream = handle_new(HANDLE_STREAM, sizeof *stream);
  if (!stream)
    return NULL;
  stream->flags = flags;
  stream->priority = priority;
  pthread_mutex_lock(&lock);
  stream->id = ++last_id;
  stream->next = all;
  all = stream;
  pthread_mutex_unlock(&lock);
  return stream;
}

static void
remove_stream(void *removed) {
  Stream *stream = removed;
  capture_leave(stream);
  pthread_mutex_lock(&lock);
  Stream **at = &all;
  while (*at != stream)
    at = &(*at)->next;
  *at = stream->next;
  pthread_mutex_unlock(&lock);
  handle_free(stream);
}

static void
make_stream_key(void) {
  pthread_key_create(&of_thread, remove_stream);
}

static Stream *
find_own_stream(void) {
  pthread_once(&once, make_stream_key);
  Stream *stream = pthread_getspecific(of_thread);
  if (!stream && (stream = add_stream(0, 0)) != NULL) {
    stream->is_threads = true;
    pthread_setspecific(of_thread, stream);
  }
  return stream;
}

Stream *
stream_of(cudaStream_t handle) {
  if (!handle && variant_is_running())
    handle = cudaStreamPerThread;
  if (!handle || handle == cudaStreamLegacy || handle == &legacy)
    return &legacy;
  if (handle == cudaStreamPerThread)
    return find_own_stream();
  return handle_is(handle, HANDLE_STREAM) ? handle : NULL;
}

bool
stream_is_legacy(const Stream *stream) {
  return stream == &legacy;
}

cudaError_t
stream_check(const Stream *stream) {
  const Context *context = stream->context;
  return context && context->green && !context_is(context) ? cudaErrorContextIsDestroyed
                                                           : cudaSuccess;
}

Context *
stream_context(const Stream *stream) {
  return stream->context ? stream->context : context_current();
}

// Streams that do not say otherwise wait for the legacy stream, and it waits for them.
uint64_t
stream_ticket(const Stream *stream) {
  uint64_t ticket = stream->last;
  pthread_mutex_lock(&lock);
  for (const Stream *other = all; other; other = other->next) {
    bool is_joined = stream_is_legacy(stream)
                         ? !(other->flags & cudaStreamNonBlocking)
                         : stream_is_legacy(other) && !(stream->flags & cudaStreamNonBlocking);
    if (is_joined && other->last && other != stream)
      ticket = queue_join((uint64_t[]){ticket, other->last}, 2);
  }
  pthread_mutex_unlock(&lock);
  return ticket;
}

bool
stream_any(bool (*function)(Stream *stream, void *user), void *user) {
  bool is_one = false;
  pthread_mutex_lock(&lock);
  for (Stream *stream = all; stream && !is_one; stream = stream->next)
    is_one = function(stream, user);
  pthread_mutex_unlock(&lock);
  return is_one;
}

static Stream *
find_programs_stream(void) {
  pthread_mutex_lock(&lock);
  Stream *stream = all;
  while (stream && (stream == &legacy || stream->is_threads))
    stream = stream->next;
  pthread_mutex_unlock(&lock);
  return stream;
}

static bool
empty_stream(Stream *stream, void *user) {
  (void)user;
  stream->last = 0;
  return false;
}

// The default streams of threads go with their threads.
void
stream_reset(void) {
  queue_wait(queue_last());
  Stream *stream;
  while ((stream = find_programs_stream()) != NULL)
    remove_stream(stream);
  stream_any(empty_stream, NULL);
}

// The stream of a handle, or what to return instead.
static cudaError_t
use_stream(cudaStream_t handle, Stream **stream) {
  cudaError_t error = error_check();
  *stream = error ? NULL : stream_of(handle);
  return error ? error : !*stream ? cudaErrorInvalidResourceHandle : stream_check(*stream);
}

cudaError_t
stream_of_memory(cudaStream_t handle, Stream **stream) {
  cudaError_t error = use_stream(handle, stream);
  return error || !stream_is_legacy(*stream) ? error : capture_check_legacy();
}

// --- making them

API cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  cudaError_t error = error_check();
  if (!error && (!stream || flags & ~(unsigned)cudaStreamNonBlocking))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  int kept = priority > LEAST_PRIORITY      ? LEAST_PRIORITY
             : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                            : priority;
  *stream = add_stream(flags, kept);
  if (*stream)
    (*stream)->context = context_current();
  return error_return(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
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
  cudaError_t error = error_check();
  if (!error)
    error =
        handle_is(stream, HANDLE_STREAM) ? stream_check(stream) : cudaErrorInvalidResourceHandle;
  if (!error)
    remove_stream(stream);
  return error_return(error);
}

API cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = LEAST_PRIORITY;
  if (greatest)
    *greatest = GREATEST_PRIORITY;
  return error_return(error_check());
}

// --- waiting for them

// The stream of a handle whose work is waited for or asked about, which no stream that is captured has.
static cudaError_t
use_idle_stream(cudaStream_t handle, Stream **stream) {
  cudaError_t error = use_stream(handle, stream);
  if (!error && (*stream)->capture)
    error = capture_break(*stream, cudaErrorStreamCaptureUnsupported);
  return error ? error : capture_check_unsafe(stream_is_legacy(*stream));
}

API cudaError_t
cudaStreamSynchronize(cudaStream_t handle) {
  Stream *stream;
  cudaError_t error = use_idle_stream(handle, &stream);
  if (error)
    return error_return(error);
  queue_wait(stream_ticket(stream));
  pool_trim_all();
  return error_return(error_check());
}

API cudaError_t
cudaStreamQuery(cudaStream_t handle) {
  Stream *stream;
  cudaError_t error = use_idle_stream(handle, &stream);
  if (!error && !queue_is_done(stream_ticket(stream)))
    error = cudaErrorNotReady;
  return error_return(error);
}

API cudaError_t
cudaDeviceSynchronize(void) {
  cudaError_t error = error_check();
  if (!error)
    error = capture_check_unsafe(false);
  if (!error)
    error = capture_check_legacy();
  if (error)
    return error_return(error);
  queue_wait(queue_last());
  pool_trim_all();
  return error_return(error_check());
}

// --- what they are

// The stream of a handle of which something is asked, and whether there is a place for the answer.
static cudaError_t
ask_stream(cudaStream_t handle, const void *answer, Stream **stream) {
  cudaError_t error = use_stream(handle, stream);
  return error || answer ? error : cudaErrorInvalidValue;
}

API cudaError_t
cudaStreamGetPriority(cudaStream_t handle, int *priority) {
  Stream *stream;
  cudaError_t error = ask_stream(handle, priority, &stream);
  if (!error)
    *priority = stream->priority;
  return error_return(error);
}

API cudaError_t
cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
  Stream *stream;
  cudaError_t error = ask_stream(handle, flags, &stream);
  if (!error)
    *flags = stream->flags;
  return error_return(error);
}

API cudaError_t
cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
  Stream *stream;
  cudaError_t error = ask_stream(handle, id, &stream);
  if (!error)
    *id = stream->id;
  return error_return(error);
}

API cudaError_t
cudaStreamGetDevice(cudaStream_t handle, int *device) {
  Stream *stream;
  cudaError_t error = ask_stream(handle, device, &stream);
  if (!error)
    *device = 0;
  return error_return(error);
}

// Of a stream: the ones that the documentation lists.
static bool
has_stream_attribute(cudaLaunchAttributeID id) {
  return id == cudaLaunchAttributeAccessPolicyWindow ||
         id == cudaLaunchAttributeSynchronizationPolicy || id == cudaLaunchAttributePriority ||
         id == cudaLaunchAttributeMemSyncDomainMap || id == cudaLaunchAttributeMemSyncDomain;
}

API cudaError_t
cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                       cudaLaunchAttributeValue *value) {
  Stream *stream;
  cudaError_t error = use_stream(handle, &stream);
  if (!error && (!value || !has_stream_attribute(id)))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *value = stream->attributes[id];
  if (id == cudaLaunchAttributePriority)
    value->priority = stream->priority;
  if (id == cudaLaunchAttributeSynchronizationPolicy && value->syncPolicy == 0)
    value->syncPolicy = 1; // automatic
  return cudaSuccess;
}

// Of those that are numbers with a meaning.
static bool
is_attribute_right(cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value) {
  enum {
    SYNCHRONIZATION_POLICIES = 4 // cudaSyncPolicyAuto and those that follow, from 1 on
  };
  return id != cudaLaunchAttributeSynchronizationPolicy ||
         (value->syncPolicy >= 1 && (int)value->syncPolicy <= SYNCHRONIZATION_POLICIES);
}

API cudaError_t
cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                       const cudaLaunchAttributeValue *value) {
  Stream *stream;
  cudaError_t error = use_stream(handle, &stream);
  if (!error && (!value || !has_stream_attribute(id) || !is_attribute_right(id, value)))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  stream->attributes[id] = *value;
  if (id == cudaLaunchAttributePriority)
    stream->priority = value->priority;
  return cudaSuccess;
}

API cudaError_t
cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  Stream *source, *target;
  cudaError_t error = use_stream(from, &source);
  error = error ? error : use_stream(to, &target);
  if (!error)
    memcpy(target->attributes, source->attributes, sizeof target->attributes);
  return error_return(error);
}

// Managed memory is reached by all streams and by the host, whatever is said of it.
API cudaError_t
cudaStreamAttachMemAsync(cudaStream_t handle, void *address, size_t bytes, unsigned flags) {
  Stream *stream;
  cudaError_t error = use_stream(handle, &stream);
  (void)bytes;
  bool is_known =
      flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
  Allocation found;
  if (!error &&
      (!address || !is_known || (flags == cudaMemAttachSingle && stream_is_legacy(stream)) ||
       (memory_find(address, &found) && found.kind == INJECT_DEVICE)))
    error = cudaErrorInvalidValue;
  return error_return(error);
}

// --- functions of the host

API cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *user), void *user) {
  Call call = {.kind = cudaGraphNodeTypeHost, .host = {function, user}};
  return call_submit(&call, stream, false);
}

typedef struct {
  cudaStream_t stream;
  void (*function)(cudaStream_t stream, cudaError_t status, void *user);
  void *user;
} Callback;

void
stream_run_callback(void *user) {
  Callback *callback = user;
  callback->function(callback->stream, error_sticky(), callback->user);
  free(callback);
}

API cudaError_t
cudaStreamAddCallback(cudaStream_t handle,
                      void (*function)(cudaStream_t stream, cudaError_t status, void *user),
                      void *user, unsigned flags) {
  Stream *stream;
  cudaError_t error = use_stream(handle, &stream);
  if (!error && (!function || flags != 0))
    error = cudaErrorInvalidValue;
  if (!error && stream->capture)
    error = capture_break(stream, cudaErrorStreamCaptureUnsupported);
  Callback *callback = error ? NULL : malloc(sizeof *callback);
  if (!callback)
    return error_return(error ? error : cudaErrorMemoryAllocation);
  *callback = (Callback){handle, function, user};
  return cudaLaunchHostFunc(stream, stream_run_callback, callback);
}
