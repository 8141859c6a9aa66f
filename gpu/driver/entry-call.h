// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Names under which programs call a function with something around it: variants for per-thread default streams (stubs.c), and the functions
// of the driver's interface (cu/driver-table.c). The function gets the arguments that the name was called with, whatever they are.
#pragma once

#include "gpu/driver/assembly.h"

typedef struct Entry {
  const void *function; // returns a number
  // Called before it; @caller: where the name was called. Unless it returns 0, that is what the function would have returned.
  int (*begin)(const struct Entry *entry, const void *caller);
  // Called at the end, whether the function was called or not. Returns what the caller gets.
  int (*end)(const struct Entry *entry, int result);
  unsigned needs; // of begin()
} Entry;

// Makes the function @name, which does what the Entry @entry says; both are text. Other libraries see it unless @mark says otherwise.
#ifdef __x86_64__
#  define ENTRY(name, mark, entry)                                                                 \
    ASSEMBLY(name, mark, "lea " entry "(%rip), %r11\n\tjmp entry_call\n")
#else
#  define ENTRY(name, mark, entry)                                                                 \
    ASSEMBLY(name, mark, "adrp x16, " entry "\n\tadd x16, x16, :lo12:" entry "\n\tb entry_call\n")
#endif
