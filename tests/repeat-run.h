// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Runs a kernel in all blocks and in those that smb_repeat_search() leaves, and compares all that an analysis says.
#pragma once

#include "sim/analysis/analysis.h"

typedef struct {
  SmbProgram *program;
  SmbLaunch launch;
  SmbProgramLimits limits;
  guint64 n_blocks, n_run; // of the last run
} Subject;

// Both ways; whether blocks were counted that were not run. @text: of the kernel, for the message of a difference.
gboolean repeat_check(Subject *subject, const SmbArch *arch, const char *text);

// A program of a text, whose name tells the language to a reader of messages.
SmbProgram *repeat_program(const char *name, const char *text);
