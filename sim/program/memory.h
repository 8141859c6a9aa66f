// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of a process, at the addresses that it had there: what a recorded launch is replayed with.
#pragma once

#include "sim/program/contents.h"

G_BEGIN_DECLS

/**
 * SmbMemoryPiece: bytes that the process had at an address when the kernel was launched. Pieces of a launch do not overlap, and
 *   are sorted by address
 * @address: of the first byte
 * @bytes: how many
 * @variable: (nullable): a variable of the program (its name in the image) that lies there: its contents are those of
 *   SmbLaunch.buffers
 * @contents: %SMB_FILL_BYTES, %SMB_FILL_ZEROS or %SMB_FILL_UNKNOWN (was left out)
 */
typedef struct {
  guint64 address;
  guint64 bytes;
  const char *variable;
  SmbContents contents;
} SmbMemoryPiece;

G_END_DECLS
