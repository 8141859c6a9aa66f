// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// DESIGN
#pragma once

#include "sim/cuda/tree/ast.h"
#include "sim/exec/code.h"

/**
 * Lowered: a kernel of a text as steps
 * @rows: by slot of a local: its first row
 */
struct _Lowered {
  Code code;
  const SmbKernel *kernel;
  GPtrArray *foreign; // Foreign
  Row *rows;
};

// Of a kernel that is read; NULL: something of it has no steps yet, @refused says what (transfer full).
Lowered *smb_lower(const SmbKernel *kernel, char **refused);
void smb_lowered_free(Lowered *lowered);
// The state of a block, for smb_lockstep_run(); NULL with an error of usage.
gpointer smb_lowered_new_state(const Lowered *lowered, SmbBlock *block, const SmbLaunch *launch,
                               GError **error);
