// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Random requests of every structure that kernels have: strides, padded columns, swizzles, pairs,
// broadcasts, random words, under all sorts of masks. The same seed gives the same requests.
#pragma once

#include <glib.h>

#include "sim/arch.h"
#include "sim/request.h"

// A generator of random numbers (Marsaglia's xorshift64*); never zero.
typedef struct {
  guint64 state;
} Random;

// Any seed will do, also 0.
Random random_new(guint64 seed);

// A number below @below, which is at most 2^32.
guint32 random_below(Random *random, guint64 below);

// Makes a random request that @arch has a rule for.
void random_request(Random *random, const SmbArch *arch, SmbRequest *request);

// Writes a request as a line of a trace, without a line end (transfer full).
char *format_request(const SmbRequest *request);
