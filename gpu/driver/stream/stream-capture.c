// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Captures: CUDA C++ Programming Guide, Creating a Graph Using Stream Capture. A capture begins in one stream, spreads to those that
// wait for its events, and ends where it began.
#include "gpu/driver/stream/stream-capture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/error.h"
#include "gpu/driver/graph/device-graph.h"
#include "gpu/driver/handle.h"

struct Capture {
  struct Capture *next;
  uint64_t id;
  Stream *origin;
  Graph *graph;
  bool is_programs; // the graph is: it was there before
  bool is_invalid;
  int mode;
  pthread_t thread;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Capture *captures;
static uint64_t last_capture;
static __thread int thread_mode = cudaStreamCaptureModeGlobal; // of calls of this thread

// --- what is not allowed

cudaError_t
capture_break(Stream *stream, cudaError_t error) {
  if (stream->capture->is_invalid)
    return cudaErrorStreamCaptureInvalidated;
  stream->capture->is_invalid = true;
  return error;
}

cudaError_t
capture_break_id(uint64_t capture, cudaError_t error) {
  pthread_mutex_lock(&lock);
  for (Capture *one = captures; one; one = one->next)
    if (one->id == capture)
      one->is_invalid = true;
  pthread_mutex_unlock(&lock);
  return error;
}

// A thread that is not relaxed makes no such call while it captures itself, nor, unless it looks at itself alone, while another
// thread captures that is not, either.
static bool
forbids_unsafe(const Capture *capture) {
  if (capture->mode == cudaStreamCaptureModeRelaxed || thread_mode == cudaStreamCaptureModeRelaxed)
    return false;
  if (pthread_equal(capture->thread, pthread_self()))
    return true;
  return capture->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
}

cudaError_t
capture_check_unsafe(bool is_legacy) {
  cudaError_t error = is_legacy ? capture_check_legacy() : cudaSuccess;
  pthread_mutex_lock(&lock);
  for (Capture *capture = captures; capture && !error; capture = capture->next)
    if (forbids_unsafe(capture)) {
      capture->is_invalid = true;
      error = cudaErrorStreamCaptureUnsupported;
    }
  pthread_mutex_unlock(&lock);
  return error;
}

// Whether the legacy stream would have to wait for what a stream captures.
static bool
blocks_legacy(Stream *stream, void *user) {
  (void)user;
  return stream->capture && !(stream->flags & cudaStreamNonBlocking);
}

static bool
breaks_blocking(Stream *stream, void *user) {
  if (!blocks_legacy(stream, user))
    return false;
  stream->capture->is_invalid = true;
  return true;
}

cudaError_t
capture_check_legacy(void) {
  return captures && stream_any(breaks_blocking, NULL) ? cudaErrorStreamCaptureImplicit
                                                       : cudaSuccess;
}

// --- nodes

static bool
set_tail(Stream *stream, Node *const *nodes, size_t n) {
  Node **tail = malloc((n + 1) * sizeof *tail);
  if (!tail)
    return false;
  if (n > 0)
    memcpy(tail, nodes, n * sizeof *tail);
  free(stream->tail);
  stream->tail = tail;
  stream->n_tail = n;
  return true;
}

// The stream follows more nodes.
static bool
widen_tail(Stream *stream, Node *const *nodes, size_t n) {
  Node **all = malloc((stream->n_tail + n + 1) * sizeof *all);
  size_t n_all = stream->n_tail;
  if (!all)
    return false;
  memcpy(all, stream->tail, n_all * sizeof *all);
  for (size_t i = 0; i < n; i++) {
    bool is_there = false;
    for (size_t j = 0; j < n_all; j++)
      is_there = is_there || all[j] == nodes[i];
    if (!is_there)
      all[n_all++] = nodes[i];
  }
  bool fits = set_tail(stream, all, n_all);
  free(all);
  return fits;
}

cudaError_t
capture_add(Stream *stream, Call *call) {
  if (stream->capture->is_invalid)
    return cudaErrorStreamCaptureInvalidated;
  Node *node = graph_add(stream->capture->graph, call, stream->tail, stream->n_tail);
  KernelCall *launch =
      node && node->call.kind == cudaGraphNodeTypeKernel ? node->call.kernel : NULL;
  if (launch && launch->updatable) {
    launch->updatable->deviceUpdatableKernelNode.devNode = device_node_make(node);
    launch->updatable = NULL;
  }
  return node && set_tail(stream, &node, 1) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
capture_record(Stream *stream, Event *event) {
  if (stream->capture->is_invalid)
    return cudaErrorStreamCaptureInvalidated;
  Node **nodes = malloc((stream->n_tail + 1) * sizeof *nodes);
  if (!nodes)
    return cudaErrorMemoryAllocation;
  memcpy(nodes, stream->tail, stream->n_tail * sizeof *nodes);
  free(event->nodes);
  event->nodes = nodes;
  event->n_nodes = stream->n_tail;
  event->capture = stream->capture->id;
  return cudaSuccess;
}

static Capture *
find_capture(uint64_t id) {
  pthread_mutex_lock(&lock);
  Capture *capture = captures;
  while (capture && capture->id != id)
    capture = capture->next;
  pthread_mutex_unlock(&lock);
  return capture;
}

cudaError_t
capture_wait(Stream *stream, Event *event) {
  Capture *capture = event->capture ? find_capture(event->capture) : NULL;
  if (stream->capture && stream->capture->is_invalid)
    return cudaErrorStreamCaptureInvalidated;
  if (!event->capture) // an event that was never recorded is one that has happened
    return event->is_recorded ? capture_break(stream, cudaErrorStreamCaptureIsolation)
                              : cudaSuccess;
  if (!capture)
    return cudaErrorCapturedEvent;
  if (capture->is_invalid)
    return cudaErrorStreamCaptureInvalidated;
  if (stream->capture && stream->capture != capture) {
    capture->is_invalid = true;
    return capture_break(stream, cudaErrorStreamCaptureMerge);
  }
  if (!stream->capture) {
    if (stream_is_legacy(stream))
      return capture->is_invalid = true, cudaErrorStreamCaptureImplicit;
    if (!set_tail(stream, NULL, 0))
      return cudaErrorMemoryAllocation;
    stream->capture = capture;
  }
  return widen_tail(stream, event->nodes, event->n_nodes) ? cudaSuccess : cudaErrorMemoryAllocation;
}

// --- begin and end

static void
leave_capture(Stream *stream) {
  free(stream->tail);
  stream->tail = NULL;
  stream->n_tail = 0;
  stream->capture = NULL;
}

static void
drop_capture(Capture *capture) {
  pthread_mutex_lock(&lock);
  Capture **at = &captures;
  while (*at != capture)
    at = &(*at)->next;
  *at = capture->next;
  pthread_mutex_unlock(&lock);
  free(capture);
}

static bool
leaves_capture(Stream *stream, void *user) {
  if (stream->capture == user)
    leave_capture(stream);
  return false;
}

// --- what is joined

static void
clear_marks(const Graph *graph) {
  for (size_t i = 0; i < graph->n_nodes; i++)
    graph->nodes[i]->mark = 0;
}

static void
mark_tail(const Stream *stream) {
  for (size_t i = 0; i < stream->n_tail; i++)
    stream->tail[i]->mark = 1;
}

// Marks the nodes that marked ones follow. A node that is captured follows earlier ones.
static void
mark_before(const Graph *graph) {
  for (size_t i = graph->n_nodes; i-- > 0;)
    for (size_t j = 0; graph->nodes[i]->mark && j < graph->nodes[i]->n_dependencies; j++)
      graph->nodes[i]->dependencies[j]->mark = 1;
}

static bool
is_unjoined(Stream *stream, void *user) {
  bool is_joined = true;
  for (size_t i = 0; stream->capture == user && i < stream->n_tail; i++)
    is_joined = is_joined && stream->tail[i]->mark;
  return !is_joined;
}

static bool
marks_other(Stream *stream, void *leaving) {
  if (stream != leaving && stream->capture == ((const Stream *)leaving)->capture)
    mark_tail(stream);
  return false;
}

// Whether other streams follow all that a stream has captured.
static bool
is_joined_by_others(Stream *stream) {
  const Graph *graph = stream->capture->graph;
  clear_marks(graph);
  stream_any(marks_other, stream);
  mark_before(graph);
  return !is_unjoined(stream, stream->capture);
}

void
capture_leave(Stream *stream) {
  Capture *capture = stream->capture;
  if (!capture)
    return;
  if (capture->origin != stream) {
    capture->is_invalid = capture->is_invalid || !is_joined_by_others(stream);
    leave_capture(stream);
    return;
  }
  stream_any(leaves_capture, capture);
  if (!capture->is_programs)
    graph_free(capture->graph);
  drop_capture(capture);
}

static cudaError_t
begin_capture(cudaStream_t handle, Graph *graph, Node *const *nodes, size_t n, int mode) {
  cudaError_t error = error_check();
  Stream *stream = error ? NULL : stream_of(handle);
  if (!error && !stream)
    error = cudaErrorInvalidResourceHandle;
  if (!error && (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed))
    error = cudaErrorInvalidValue;
  if (!error && stream_is_legacy(stream))
    error = cudaErrorStreamCaptureUnsupported;
  if (!error && stream->capture)
    error = cudaErrorIllegalState;
  Capture *capture = error ? NULL : calloc(1, sizeof *capture);
  Graph *filled = graph ? graph : graph_new();
  if (!error && (!capture || !filled || !set_tail(stream, nodes, n)))
    error = cudaErrorMemoryAllocation;
  if (error) {
    if (!graph)
      graph_free(filled);
    free(capture);
    return error_return(error);
  }
  pthread_mutex_lock(&lock);
  *capture = (Capture){captures,      ++last_capture, stream, filled,
                       graph != NULL, false,          mode,   pthread_self()};
  captures = capture;
  pthread_mutex_unlock(&lock);
  stream->capture = capture;
  return cudaSuccess;
}

API cudaError_t
cudaStreamBeginCapture(cudaStream_t stream, int mode) {
  return begin_capture(stream, NULL, NULL, 0, mode);
}

API cudaError_t
cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, Node *const *nodes,
                              const cudaGraphEdgeData *edges, size_t n, int mode) {
  (void)edges;
  return !handle_is(graph, HANDLE_GRAPH) || (n > 0 && !nodes)
             ? error_return(cudaErrorInvalidValue)
             : begin_capture(stream, graph, nodes, n, mode);
}

static cudaError_t
check_joined(const Capture *capture) {
  clear_marks(capture->graph);
  mark_tail(capture->origin);
  mark_before(capture->graph);
  return stream_any(is_unjoined, (void *)capture) ? cudaErrorStreamCaptureUnjoined : cudaSuccess;
}

static cudaError_t
check_end(const Stream *stream) {
  Capture *capture = stream->capture;
  if (!capture)
    return cudaErrorIllegalState;
  if (capture->origin != stream)
    return capture->is_invalid = true, cudaErrorStreamCaptureUnmatched;
  return capture->mode != cudaStreamCaptureModeRelaxed &&
                 !pthread_equal(capture->thread, pthread_self())
             ? cudaErrorStreamCaptureWrongThread
             : cudaSuccess;
}

API cudaError_t
cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  cudaError_t error = error_check();
  Stream *stream = error ? NULL : stream_of(handle);
  if (!error && !stream)
    error = cudaErrorInvalidResourceHandle;
  error = error ? error : check_end(stream);
  if (error)
    return error_return(error);
  Capture *capture = stream->capture;
  error = capture->is_invalid ? cudaErrorStreamCaptureInvalidated : check_joined(capture);
  if (graph)
    *graph = error ? NULL : capture->graph;
  if (error && !capture->is_programs)
    graph_free(capture->graph);
  stream_any(leaves_capture, capture);
  drop_capture(capture);
  return error_return(error);
}

API cudaError_t
cudaThreadExchangeStreamCaptureMode(int *mode) {
  if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
    return error_return(cudaErrorInvalidValue);
  int before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return cudaSuccess;
}

// --- asking

static int
find_status(const Stream *stream) {
  return !stream->capture              ? cudaStreamCaptureStatusNone
         : stream->capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
}

static cudaError_t
use_capturing(cudaStream_t handle, Stream **stream) {
  cudaError_t error = error_check();
  *stream = error ? NULL : stream_of(handle);
  if (error || !*stream)
    return error ? error : cudaErrorInvalidResourceHandle;
  return stream_is_legacy(*stream) && stream_any(blocks_legacy, NULL)
             ? cudaErrorStreamCaptureImplicit
             : cudaSuccess;
}

API cudaError_t
cudaStreamIsCapturing(cudaStream_t handle, int *status) {
  Stream *stream;
  cudaError_t error = status ? use_capturing(handle, &stream) : cudaErrorInvalidValue;
  if (!error)
    *status = find_status(stream);
  return error_return(error);
}

static cudaError_t
answer_capture(cudaStream_t handle, int *status, unsigned long long *id, cudaGraph_t *graph,
               Node *const **nodes, size_t *n) {
  Stream *stream;
  cudaError_t error = status ? use_capturing(handle, &stream) : cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *status = find_status(stream);
  if (*status != cudaStreamCaptureStatusActive)
    return cudaSuccess;
  if (id)
    *id = stream->capture->id;
  if (graph)
    *graph = stream->capture->graph;
  if (nodes)
    *nodes = stream->tail;
  if (n)
    *n = stream->n_tail;
  return cudaSuccess;
}

static cudaError_t
update_capture(cudaStream_t handle, Node *const *nodes, size_t n, unsigned flags) {
  Stream *stream;
  cudaError_t error = use_capturing(handle, &stream);
  if (!error && find_status(stream) != cudaStreamCaptureStatusActive)
    error = cudaErrorIllegalState;
  if (!error && ((n > 0 && !nodes) || flags > cudaStreamSetCaptureDependencies))
    error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++)
    if (!handle_is(nodes[i], HANDLE_NODE) || nodes[i]->graph != stream->capture->graph)
      error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  bool fits = flags == cudaStreamSetCaptureDependencies ? set_tail(stream, nodes, n)
                                                        : widen_tail(stream, nodes, n);
  return error_return(fits ? cudaSuccess : cudaErrorMemoryAllocation);
}

// CUDA 13 has the data of edges in the first version, CUDA 12 in the third.
#if CUDART_MAJOR == 12
API cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id) {
  return answer_capture(stream, status, id, NULL, NULL, NULL);
}

API cudaError_t
cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id,
                            cudaGraph_t *graph, Node *const **nodes, size_t *n) {
  return answer_capture(stream, status, id, graph, nodes, n);
}

API cudaError_t
cudaStreamGetCaptureInfo_v3(cudaStream_t stream, int *status, unsigned long long *id,
                            cudaGraph_t *graph, Node *const **nodes,
                            const cudaGraphEdgeData **edges, size_t *n) {
  if (edges)
    *edges = NULL;
  return answer_capture(stream, status, id, graph, nodes, n);
}

API cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream, Node *const *nodes, size_t n,
                                    unsigned flags) {
  return update_capture(stream, nodes, n, flags);
}

API cudaError_t
cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, Node *const *nodes,
                                       const cudaGraphEdgeData *edges, size_t n, unsigned flags) {
  (void)edges;
  return update_capture(stream, nodes, n, flags);
}
#else
API cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id,
                         cudaGraph_t *graph, Node *const **nodes, const cudaGraphEdgeData **edges,
                         size_t *n) {
  if (edges)
    *edges = NULL;
  return answer_capture(stream, status, id, graph, nodes, n);
}

API cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream, Node *const *nodes,
                                    const cudaGraphEdgeData *edges, size_t n, unsigned flags) {
  (void)edges;
  return update_capture(stream, nodes, n, flags);
}
#endif
