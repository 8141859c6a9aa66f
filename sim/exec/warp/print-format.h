// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The format of the device's printf.
#pragma once

#include "sim/machine/machine.h"

// Where the arguments of a thread's call are: each at a multiple of its size.
typedef struct {
  const SmbBlock *block;
  guint warp, lane;
  guint64 arguments;
} PrintSource;

// Adds what is printed. Returns how many arguments the format asks for, as the device's printf does.
guint smb_print_format(const PrintSource *source, const char *format, GString *printed);
