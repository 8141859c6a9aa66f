// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One line of a trace, or one request alone. Private to sim/trace*.c and sim/measured/recording-json.c.
#pragma once

#include "sim/trace/trace.h"

/**
 * SmbTraceLine: a line and where it stands.
 * @name: how messages call the trace; %NULL for a request alone: they begin with "column N" then
 * @number: of the line, from 1
 * @text: the line; a line feed ends it
 * @arch: must have the operation; says how many lanes there are
 */
typedef struct {
  const char *name;
  guint64 number;
  const char *text;
  const SmbArch *arch;
} SmbTraceLine;

/**
 * smb_trace_line_parse:
 * @request: (out): the request
 * @expected: (out): the wavefronts that the line says, or SMB_TRACE_NO_COUNT
 * @found: (out): whether there is a request: not on an empty line
 * @error: SMB_ERROR_INPUT
 */
G_GNUC_INTERNAL gboolean smb_trace_line_parse(const SmbTraceLine *line, SmbRequest *request,
                                              gint64 *expected, gboolean *found, GError **error);
