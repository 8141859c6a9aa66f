// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which line of the source an instruction of a cubin was compiled from, and the calls that it was inlined through: the
// DWARF line table (.debug_line, of nvcc -lineinfo or -G), with NVIDIA's extension for inlined calls. A row of it may
// have a context: the row, counted in its sequence, that is the place of the call.
#pragma once

#include "sim/image/cubin.h"

G_BEGIN_DECLS

/** Most frames of an instruction: calls that are inlined deeper are left out. */
#define SMB_LINES_MAX_FRAMES 32

/** SmbLineFrame: @file: with its folder, as the compiler was given it; @line: from 1 */
typedef struct {
  const char *file;
  guint line;
} SmbLineFrame;

typedef struct _SmbLines SmbLines;

/**
 * smb_lines_read:
 * @cubin: (transfer none): not needed afterwards
 * @error: SMB_ERROR_INPUT: the line table is damaged, at which byte
 *
 * Returns: (transfer full): the lines of all functions; none of a cubin without a line table, or with one of another
 * version
 */
SmbLines *smb_lines_read(const SmbCubin *cubin, GError **error);
void smb_lines_free(SmbLines *lines);

/**
 * smb_lines_find:
 * @section: index of a section of code
 * @offset: byte offset in it
 * @frames: (out caller-allocates): room for SMB_LINES_MAX_FRAMES; live as long as @lines
 *
 * Returns: how many there are, innermost first; 0: nothing is known
 */
guint smb_lines_find(const SmbLines *lines, guint section, guint64 offset, SmbLineFrame *frames);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLines, smb_lines_free)

G_END_DECLS
