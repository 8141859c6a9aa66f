// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Random warp requests of every structure that kernels have: strides, padded columns, swizzles, pairs,
// windows, few words, one bank, permutations, under all sorts of masks. They look for requests that the
// model gets wrong, on a device or against a second model: so what is rare in kernels and decides
// between rules (all pairs equal but one, half a warp, rows not begun at their start) is frequent here.
#pragma once

#include <glib.h>

#include "sim/base/request.h"

G_BEGIN_DECLS

/** SmbRandom: a generator of random numbers (Marsaglia's xorshift64*); a plain value, never all zero. */
typedef struct {
  guint64 state;
} SmbRandom;

/** smb_random_new: Returns: the generator of a seed, which may be any number; the same seed gives the
 * same numbers on every machine */
SmbRandom smb_random_new(guint64 seed);

/** smb_random_new_stream: Returns: one of many generators that a seed has, which do not depend on each
 * other: for parts of a work that are done in any order */
SmbRandom smb_random_new_stream(guint64 seed, guint64 stream);

/** smb_random_below: Returns: a number below @below, which is from 1 to 2^32 */
guint32 smb_random_below(SmbRandom *random, guint64 below);

/**
 * smb_pattern_request:
 * @random: gives what is left to chance
 * @n_lanes: lanes of a warp: 32 or 64
 * @op: an operation
 * @width: bytes of one lane, a width that @op has
 * @limit_bytes: every lane, active or not, stays below it; at least @width; 0: anywhere in 32 bits
 * @request: (out): passes smb_request_check()
 *
 * Makes a random request of a random structure. At least one of the lanes whose addresses count is
 * active. About 5 million a second on one core.
 */
void smb_pattern_request(SmbRandom *random, guint n_lanes, SmbOp op, guint width,
                         guint32 limit_bytes, SmbRequest *request);

G_END_DECLS
