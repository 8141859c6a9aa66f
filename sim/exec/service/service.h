// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions of the device runtime, as a thread calls them. runtime-function.def has a row for each: smb_service_HANDLER() answers it.
#pragma once

#include "sim/exec/runtime-function.h"
#include "sim/exec/warp/warp.h"
#include "sim/machine/device/children.h"

enum {
  SERVICE_VALUES = 16, // at most: a dim3 has three, a cudaPitchedPtr four, a cudaExtent three
};

/**
 * Service: one call, of a launch that is run for its results
 * @lane: that calls, of the running warp
 * @thread: its number in the grid
 * @values: of its arguments; of pointers that are answered to, where that is
 * @result: what it returns
 * @outcome: of the step, if the handler has failed
 */
typedef struct {
  Exec *exec;
  const Step *step;
  const Provided *provided;
  SmbChildren *children;
  guint lane;
  guint64 thread;
  guint64 values[SERVICE_VALUES];
  guint n;
  guint64 result;
  gboolean outcome;
} Service;

// The step of a call: Step.argument is the row of runtime-function.def.
gboolean smb_step_service(Exec *exec, const Step *step, SmbLanes lanes);

// FALSE: the thread has ended, or the block has failed.
typedef gboolean (*ServiceHandler)(Service *service);

#define PROVIDED(name, opcode, passed, returned)
#define SERVICE(name, handler, passed, returned) gboolean smb_service_##handler(Service *service);
#include "sim/exec/runtime-function.def"
#undef PROVIDED
#undef SERVICE

// Errors of the runtime that functions of it return (driver_types.h), where an H200 (driver 580) returns them.
enum {
  SERVICE_INVALID_VALUE = 1,
  SERVICE_NO_MEMORY = 2,
  SERVICE_INVALID_PITCH = 12,
  SERVICE_INVALID_DIRECTION = 21,
  SERVICE_TOO_MANY_PENDING = 69,
  SERVICE_INVALID_FUNCTION = 98,
  SERVICE_OUT_OF_RESOURCES = 701,
};

// The call returns an error, or 0, which is the last one of its thread from then on. Always TRUE.
gboolean smb_service_return(Service *service, guint error);

// The thread ends, with a fault: @what it does to a pointer. Always FALSE.
gboolean smb_service_fail(Service *service, SmbFault fault, const char *what, guint64 pointer);

// Puts an answer where a pointer of the thread points. FALSE, with a fault, if that is nowhere.
gboolean smb_service_put(Service *service, guint64 pointer, gconstpointer bytes, gsize length);

// Takes what is there. The same; also if it is not known: @what.
gboolean smb_service_take(Service *service, guint64 pointer, gpointer bytes, gsize length,
                          const char *what);

// Has the process answer: the error that it returns. @kernel: the index of the value that is a kernel's address; G_MAXUINT: none.
guint smb_service_question(const Service *service, const char *function, guint kernel,
                           GByteArray *answer);

// Whether work may be put into a stream, and whether that is the one of the grid's end.
gboolean smb_service_is_stream(const Service *service, guint64 stream, gboolean *is_tail);
