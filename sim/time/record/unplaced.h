// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses to global memory of which it is not known where they go, or whether they are made: a replay leaves out what they ask for, so whoever says how
// long a launch takes says which they are.
#pragma once

#include <glib.h>

#include "sim/base/error.h"
#include "sim/program/program.h"

G_BEGIN_DECLS

/** SmbUnplaced: @opcode, @file (nullable), @line, @pc: of the instruction at @site; @reason: "the address depends on in[] (parameter 2), loaded at scan.cu:30"; @hint: what would make it known, if its kind is not %SMB_HINT_NONE */
typedef struct {
  guint site;
  char *opcode;
  char *file;
  guint line;
  guint32 pc;
  char *reason;
  SmbHint hint;
} SmbUnplaced;

/** smb_unplaced_new: Returns: (transfer full) (element-type SmbUnplaced): an empty list */
GArray *smb_unplaced_new(void);

/** smb_unplaced_note: Adds what is said of a site of the program, unless the list has it */
void smb_unplaced_note(GArray *list, const SmbProgram *program, guint site, const char *reason,
                       const SmbHint *hint);

/** smb_unplaced_place: Returns: (transfer full): where it stands: as smb_site_place() */
char *smb_unplaced_place(const SmbUnplaced *unplaced);

G_END_DECLS
