// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The things on a machine that smembank can use, and what each of them is, or why it cannot be used.
#pragma once

#include "src/cli/cli.h"

/**
 * SmbPart:
 * @name: of parts.def
 * @without: what does not work without it
 * @usable: whether it is there and works
 * @detail: its path and version, or why it cannot be used: a sentence without its full stop
 */
typedef struct {
  const char *name;
  const char *without;
  gboolean usable;
  char *detail;
} SmbPart;

/**
 * smb_parts_find:
 *
 * Looks for everything, and tries what can be tried: the programs are asked for their versions, and counters are read on the first
 * device.
 *
 * Returns: (transfer full) (element-type SmbPart): all parts, in the order of parts.def
 */
GPtrArray *smb_parts_find(const SmbCuda *cuda);
