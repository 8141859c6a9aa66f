// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Traces of warp requests, as text, one request a line:
//
//   OP WIDTH MASK OFF0 … OFF31 [= WAVEFRONTS]
//
// OP is an operation of ops.def, WIDTH is in bytes, MASK says which lanes are active (hexadecimal, with
// or without 0x), OFFn is the byte offset of lane n into shared memory (decimal, or hexadecimal with
// 0x): all are there, whatever the mask. An architecture whose warps have 64 lanes
// has masks of up to 16 digits and 64 offsets. WAVEFRONTS is what was counted elsewhere. A # starts a
// comment; blanks, tabs and carriage returns separate. A trace has at least one request.
#pragma once

#include <gio/gio.h>

#include "sim/arch/forward.h"
#include "sim/base/request.h"

G_BEGIN_DECLS

/** Most requests that are read at once. */
#define SMB_TRACE_BATCH_REQUESTS 256

/** Longest line, comment aside, in bytes. */
#define SMB_TRACE_MAX_LINE_BYTES 4096

/** Value of SmbTraceBatch.expected where the line has no count. */
#define SMB_TRACE_NO_COUNT (-1)

/**
 * SmbTraceBatch: some requests of a trace, in order.
 * @n: their number
 * @requests: they passed smb_request_check() and smb_arch_check_request()
 * @lines: the line of each, from 1
 * @expected: the wavefronts that the line says, or SMB_TRACE_NO_COUNT
 */
typedef struct {
  gsize n;
  SmbRequest requests[SMB_TRACE_BATCH_REQUESTS];
  guint64 lines[SMB_TRACE_BATCH_REQUESTS];
  gint64 expected[SMB_TRACE_BATCH_REQUESTS];
} SmbTraceBatch;

typedef struct _SmbTraceReader SmbTraceReader;

/**
 * smb_trace_reader_new:
 * @stream: gives the text; is read once, from where it stands
 * @name: how messages call it
 * @arch: the architecture that must have the operations
 *
 * Returns: (transfer full): a reader that takes constant memory
 */
SmbTraceReader *smb_trace_reader_new(GInputStream *stream, const char *name, SmbArch *arch);
void smb_trace_reader_free(SmbTraceReader *reader);

/**
 * smb_trace_reader_next:
 * @batch: (out caller-allocates): the next requests; none at the end of the trace
 * @error: SMB_ERROR_INPUT, naming the trace, the line and the column, also if the trace ends without a
 *   request; or an error of the stream. Nothing can be read after an error.
 */
gboolean smb_trace_reader_next(SmbTraceReader *reader, SmbTraceBatch *batch, GError **error);

/** Adds a request of @n_lanes lanes (32 or 64) to @text as a trace writes it: without a count and without a line
 * feed. */
void smb_trace_append_request(GString *text, const SmbRequest *request, guint n_lanes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTraceReader, smb_trace_reader_free)

G_END_DECLS
