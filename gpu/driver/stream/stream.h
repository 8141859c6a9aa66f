// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams and events. What is asked of a stream is done at once, unless something that it has to follow is not done: functions of
// the host run in a thread of their own, one after another (call-queue.h), and what follows one waits there as well.
#pragma once

#include <time.h>

#include "gpu/driver/abi.h"
#include "gpu/driver/context.h"

typedef struct Capture Capture;

typedef struct Stream {
  struct Stream *next;
  unsigned flags;
  int priority;
  uint64_t id;
  Context *context; // that it was made in; NULL: it is that of the caller
  bool is_threads;  // the default stream of one
  uint64_t last;    // ticket of what was queued last, and what it has to follow
  Capture *capture; // (nullable): work is put in a graph (stream-capture.h)
  struct Node **tail;
  size_t n_tail; // what the next node follows
  cudaLaunchAttributeValue attributes[cudaLaunchAttributeEnd];
} Stream;

// How often an event was recorded, and the last of these that has happened.
typedef struct {
  uint32_t asked, happened;
} SharedEvent;

typedef struct Event {
  unsigned flags;
  Context *context; // that it was made in
  bool is_recorded;
  uint64_t ticket; // it has happened when that is done
  struct timespec time;
  uint64_t capture; // id of the capture in which it was recorded last; 0: in none
  struct Node **nodes;
  size_t n_nodes;      // what it follows there
  SharedEvent *shared; // (nullable): of one between processes
  bool is_opened;      // by another process than made it
} Event;

// The stream of a handle, or of a stream itself. NULL: there is none.
Stream *stream_of(cudaStream_t handle);

// The stream in whose order memory is given or freed.
cudaError_t stream_of_memory(cudaStream_t handle, Stream **stream);

// The ticket that work has to wait for which is given to a stream now.
uint64_t stream_ticket(const Stream *stream);

bool stream_is_legacy(const Stream *stream);

// The context of a stream, or the one that is current.
Context *stream_context(const Stream *stream);

// Calls a function for each stream, until it returns true. Returns whether one did.
bool stream_any(bool (*function)(Stream *stream, void *user), void *user);

// Destroys the streams of the program (cudaDeviceReset).
void stream_reset(void);

// The function of the host that calls a callback (cudaStreamAddCallback), which is told the error of the context.
void stream_run_callback(void *user);

void event_happen(Event *event);

// An event of another process.
cudaError_t event_open(cudaEvent_t *event, SharedEvent *shared);
