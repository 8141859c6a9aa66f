// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the user says of the buffer behind a pointer: NAME=SPEC[@OFFSET].
#pragma once

#include "sim/program/contents.h"

G_BEGIN_DECLS

/** The types of elements, for messages. */
#define SMB_BUFFER_TYPES "i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32 or f64"

/** Largest file that a buffer takes its contents from, in bytes. */
#define SMB_BUFFER_MAX_BYTES (1u << 30)

/** Largest OFFSET, in elements. */
#define SMB_BUFFER_MAX_OFFSET (G_GUINT64_CONSTANT(1) << 31)

/**
 * SmbBuffer:
 * @name: the pointer parameter, or its number from 0; or a variable in global memory
 * @spec: what stood behind "="
 * @is_default: whether it has the contents that it has without a word; then @contents says nothing
 * @offset: elements of what the pointer points at that lie before it in the buffer
 * @path: (nullable): the file that @contents are of
 * @file: (nullable): its bytes
 */
typedef struct {
  char *name;
  char *spec;
  gboolean is_default;
  SmbContents contents;
  guint64 offset;
  char *path;
  GBytes *file;
} SmbBuffer;

/**
 * smb_buffer_parse:
 * @text: "NAME=SPEC[@OFFSET]"; SPEC is "iota:TYPE", "zeros", "random:TYPE[:SEED[:BELOW]]" (SEED 0), a file, or nothing
 * @error: SMB_ERROR_USAGE; a file error, or SMB_ERROR_INPUT, for a file that cannot be read or is too large
 *
 * Returns: (transfer full): what it means
 */
SmbBuffer *smb_buffer_parse(const char *text, GError **error);
void smb_buffer_free(SmbBuffer *buffer);

/** Whether a text is one of the types of elements, such as "f16"; @scalar: (out): which. */
gboolean smb_buffer_type(const char *text, SmbScalar *scalar);

/**
 * smb_buffer_file: Returns: (transfer none) (nullable): where the name of the file, with its @OFFSET, begins in such a
 * text
 */
const char *smb_buffer_file(const char *text);

/** Whether it is that of a pointer parameter of that name, or of that number; for a variable: G_MAXUINT. */
gboolean smb_buffer_is_of(const SmbBuffer *buffer, const char *name, guint index);

/** Of all texts (nullable) (array zero-terminated=1): (transfer full) (element-type SmbBuffer). */
GPtrArray *smb_buffers_parse(const char *const *texts, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbBuffer, smb_buffer_free)

G_END_DECLS
