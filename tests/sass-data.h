// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Files of tests/data/sass, and a kernel among them that any instruction can be put into.
#pragma once

#include "sim/program/program.h"

// What NAME.gz holds, as it was before it was compressed (transfer full).
GBytes *sass_data_read(const char *name);

enum {
  SASS_PLACE = 0x20, // of the instruction in the kernel, "reads"
};

typedef struct {
  guint chip;
  char *file;
  gsize size;
  gsize at; // where the instruction lies in the file
} SassKernel;

// Of a chip of which there is machine code: 75, 80, 90, 100 or 120.
SassKernel sass_kernel_open(guint chip);
void sass_kernel_clear(SassKernel *kernel);
// The kernel with that instruction (transfer full); NULL with an error: it is refused.
SmbProgram *sass_kernel_read(const SassKernel *kernel, const guint8 *bytes, GError **error);
