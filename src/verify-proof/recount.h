// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Wavefronts of a load or a store of shared memory by the rules of NVIDIA's chips from compute capability 5.0 on (doc/model.md), of 1, 2, 4, 8
// or 16 bytes, written a second time. Not: atomics, matrices, AMD's chips.
#pragma once

#include <glib.h>

enum {
  SMB_RECOUNT_LANES = 32,
};

/** SmbRecount: @wavefronts, @ideal: what they would be without conflicts; @degree: the most words that one bank is asked for at once */
typedef struct {
  guint wavefronts;
  guint ideal;
  guint degree;
} SmbRecount;

/**
 * smb_recount:
 * @mask: active lanes
 * @address: (array length=SMB_RECOUNT_LANES): in bytes, multiples of @width
 *
 * Returns: what a request takes
 */
SmbRecount smb_recount(gboolean is_load, guint width, guint32 mask, const guint64 *address);
