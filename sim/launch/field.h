// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Fields of a structure that is a parameter of compiled code: NAME.MEMBER if its text is known (sim/program/prototype.h), else NAME+OFFSET or
// NUMBER+OFFSET, in bytes. An argument gives one a value: bytes as of a parameter, TYPE:NUMBER, or "pointer". A
// pointer, or what a buffer is of, points to a buffer of its own, which lies at an address that no process has.
#pragma once

#include "sim/launch/launch.h"

G_BEGIN_DECLS

/** The value of a field that is a pointer, of which nothing more is said. */
#define SMB_FIELD_POINTER "pointer"

/** Where buffers of fields lie: above all addresses of processes, each in a space of its own. */
#define SMB_FIELD_ADDRESS      (G_GUINT64_CONSTANT(1) << 47)
#define SMB_FIELD_BUFFER_BYTES (G_GUINT64_CONSTANT(1) << 40)
#define SMB_MAX_FIELD_BUFFERS  64u

/**
 * SmbField:
 * @parameter: its number
 * @offset: in the parameter, in bytes
 * @value: its bytes
 * @name: "NAME.MEMBER", or "NUMBER+OFFSET"
 * @address: for a pointer: where its buffer lies; else 0
 * @buffer: (nullable) (transfer none): for a pointer: what is said of that
 */
typedef struct {
  guint parameter;
  gsize offset;
  GBytes *value;
  char *name;
  guint64 address;
  const SmbBuffer *buffer;
} SmbField;

/** Whether a text, up to its "=", names a field of a parameter; @offset: (out) (optional): which one. */
gboolean smb_field_is_of(const char *text, const SmbProgram *program, guint parameter,
                         guint64 *offset);

/** Whether the launch says anything of a field of a parameter. */
gboolean smb_launch_has_field(const SmbLaunch *launch, const SmbProgram *program, guint parameter);

/**
 * smb_launch_fields:
 * @error: SMB_ERROR_USAGE; a file error for a file that cannot be read
 *
 * Returns: (transfer full) (element-type SmbField): what the launch says of fields, in the order in which it holds: a
 *   later one is laid over those ahead of it. There is one pointer at a place
 */
GArray *smb_launch_fields(const SmbLaunch *launch, const SmbProgram *program, GError **error);

G_END_DECLS
