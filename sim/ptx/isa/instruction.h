// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which line of instructions.def an opcode is, and what that says of its operands. What is executed, and how, is none of its
// business: sim/ptx/decode/dispatch.c has the handlers of the lines.
// Private to sim/ptx.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

// What becomes of an instruction (doc/compiled.md, "What becomes of each instruction").
typedef enum {
  FATE_EXACT,    // executed as the device does
  FATE_REQUESTS, // its requests are counted, the values are not known
  FATE_NOTHING,  // changes nothing that is counted
  FATE_APART,    // uses shared memory in ways that are no requests, and is listed apart
  FATE_MEASURED, // of sm_90 known, where it was measured; elsewhere the result is not known
  FATE_UNKNOWN,  // the result is not known
  FATE_REFUSED,  // a word is missing without which it is not known what to do
  N_FATES,
} PtxFate;

/**
 * PtxLine: a line of instructions.def
 * @words: alternatives between |; of a computation all words of the opcode but @more, in their order
 * @more: of a computation; else NULL
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

// The first line that fits an opcode; PTX_NO_LINE: none does. @parts: (array zero-terminated=1): "mad", "lo", "s32"
guint smb_ptx_find_line(const char *const *parts);

// Whether an opcode is what a line says.
gboolean smb_ptx_line_fits(const PtxLine *line, const char *const *parts);

// How many operands a line has: at least, at most (G_MAXUINT: any number).
void smb_ptx_line_count(guint line, guint *least, guint *most);
// Of an opcode that no line fits: as many as computations of its name have. FALSE: there are none.
gboolean smb_ptx_name_count(const char *name, guint *least, guint *most);

// Whether @word is one of a list, whose words @separator stands between.
gboolean smb_ptx_is_among(const char *word, const char *list, char separator);

G_END_DECLS
