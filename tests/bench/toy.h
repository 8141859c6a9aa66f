// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A yardstick for the run loop: an interpreter of the same steps that knows nothing. Every bit is known, no address is checked, no
// request is counted, all lanes of a warp go the same way. It runs a kernel that keeps to that, and refuses any other.
#pragma once

#include "sim/exec/code.h"

// Runs @n_blocks blocks, each of the registers that the first block begins with. @seconds: processor time. FALSE: the kernel has a
// step that the toy does not know, which is printed.
gboolean toy_run(const SmbProgram *program, const SmbLaunch *launch, const SmbArch *arch,
                 guint64 n_blocks, double *seconds, GError **error);
