// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The doors of a fuzzer. None of them fails because of what the bytes say; a crash, a leak, undefined behaviour,
// an input that takes long, or g_error() is a bug of the program.
#pragma once

#include <glib.h>

#define TARGET(name) void fuzz_##name(const guint8 *data, gsize size);
#include "tests/fuzz/targets.def"
#undef TARGET
