// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of a process, at its addresses: what a launch that was recorded finds behind the pointers that it is given,
// and after those that lie in memory.
#pragma once

#include <glib.h>

#include "sim/program/contents.h"

G_BEGIN_DECLS

/** Addresses have so many bits; a pointer of the machine to a buffer, a variable or shared memory has more. */
#define SMB_MEMORY_ADDRESS_BITS 48

/** Nothing lies below: an address there is a null pointer, or a small offset from one. */
#define SMB_MEMORY_LOWEST (G_GUINT64_CONSTANT(1) << 16)

/** SmbMemoryKind: whose memory it is */
typedef enum {
  SMB_MEMORY_DEVICE,
  SMB_MEMORY_MANAGED, /* of the device or the host: it moves to where it is used */
  SMB_MEMORY_HOST,    /* kernels use it in place */
} SmbMemoryKind;

/**
 * SmbMemoryPiece: bytes that a process had at an address when it launched a kernel
 * @address: of the first of them
 * @bytes: how many they are, at least one
 * @variable: (nullable) (transfer none): the variable that lies there, by its name in the compiled code. An address
 *   within names the same memory as the code does. It holds what SmbLaunch.buffers says of that name; @contents, if
 *   they say nothing
 * @begins: whether an allocation begins with it. A piece that does not, and touches the one ahead of it, is of the same
 *   allocation: what is stored somewhere in it may have been stored anywhere in it
 * @kind: whose memory it is
 * @contents: %SMB_FILL_BYTES (behind the bytes that are given lie zeros), %SMB_FILL_ZEROS, or %SMB_FILL_UNKNOWN of what
 *   was not recorded
 * @home: (nullable) (transfer none): where the bytes are if the process runs: what blocks write goes there, and @contents
 *   are those
 * @written: (nullable) (transfer none): a bit for each byte, the lowest of a byte first: whether anything was written there since it
 *   was allocated. Kept with @home. %NULL: all of it was
 */
typedef struct {
  guint64 address;
  guint64 bytes;
  const char *variable;
  gboolean begins;
  SmbContents contents;
  guchar *home;
  guchar *written;
  SmbMemoryKind kind;
} SmbMemoryPiece;

/** smb_memory_kind: @memory: (nullable) (element-type SmbMemoryPiece), as smb_memory_check() wants them. Returns: whose memory an address is, the
 * device's if none of them has it */
SmbMemoryKind smb_memory_kind(const GArray *memory, guint64 address);

/**
 * smb_memory_check:
 * @memory: (element-type SmbMemoryPiece)
 * @error: SMB_ERROR_USAGE
 *
 * Returns: whether the pieces are in the order of their addresses, do not overlap, and lie where memory can be
 */
gboolean smb_memory_check(const GArray *memory, GError **error);

G_END_DECLS
