// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Variants of functions that programs call which are compiled with --default-stream per-thread: name_ptsz and name_ptds (functions.def).
// Each is the function itself, in which the default stream, 0, is that of the thread.
#pragma once

#include <stdbool.h>

#include "gpu/driver/entry-call.h"

// Whether this thread is in a variant.
bool variant_is_running(void);

// Of the entries of variants.
int variant_begin(const Entry *entry, const void *caller);
int variant_end(const Entry *entry, int result);

// The variant @text of @function, which calls @called.
#define VARIANT(text, name, called)                                                                \
  const Entry entry_##name = {called, variant_begin, variant_end, 0};                              \
  ENTRY(text, "", "entry_" #name);
