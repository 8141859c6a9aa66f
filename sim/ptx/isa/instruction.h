// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Finds the line of instructions.def for an opcode, and how many operands it has. The handlers of the lines are in
// sim/ptx/decode/dispatch.c.
// Private to sim/ptx.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

// What happens to an instruction (doc/compiled.md, "What becomes of each instruction").
typedef enum {
  FATE_EXACT,    // executed as the device does
  FATE_NOTHING,  // changes nothing that is counted
  FATE_APART,    // uses shared memory without a request of a warp, and is listed separately
  FATE_MEASURED, // known on sm_90, where it was measured; unknown elsewhere
  FATE_UNKNOWN,  // the result is not known
  FATE_REFUSED,  // incomplete: a required part is missing
  N_FATES,
} PtxFate;

/**
 * PtxLine: a line of instructions.def
 * @words: of a computation, all parts of the opcode in order; else the name and parts in any order; | separates
 *   alternatives
 * @more: optional parts of a computation; NULL: it is not a computation
 * @operands: letters; NULL: as many as the operation of the computation has
 */
typedef struct {
  const char *words;
  const char *more;
  const char *operands;
  PtxFate fate;
} PtxLine;

#define PTX_NO_LINE G_MAXUINT

guint smb_ptx_n_lines(void);
const PtxLine *smb_ptx_line(guint line);

// The first line that matches an opcode; PTX_NO_LINE: none. @parts: (array zero-terminated=1): "mad", "lo", "s32"
guint smb_ptx_find_line(const char *const *parts);

// How many operands a line has: at least, at most (G_MAXUINT: any number).
void smb_ptx_line_count(guint line, guint *least, guint *most);
// For an opcode that no line matches: the range over the computations with its name. FALSE: there are none.
gboolean smb_ptx_name_count(const char *name, guint *least, guint *most);

// Whether @word is one of the words of a list, separated by @separator.
gboolean smb_ptx_is_among(const char *word, const char *list, char separator);

G_END_DECLS
