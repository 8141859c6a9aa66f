// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which multiprocessors get the blocks that are left when each has had equally many: those whose blocks end first. Where all blocks of a multiprocessor end at
// the same time, one that is a little ahead of the others gets a new block for each of its places, and one that is behind gets none.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * smb_hand_out_most:
 * @ends: (array length=resident): when the blocks of a multiprocessor end in whose places others may come, from the first to the last
 * @rest: blocks that are left for all multiprocessors, fewer than these have places
 * @spread: how far multiprocessors are apart: the standard deviation of the times that they take, as a part of these
 *
 * Returns: how many of the rest the multiprocessor gets that is furthest ahead
 */
guint smb_hand_out_most(const double *ends, guint resident, guint64 rest, guint multiprocessors,
                        double spread);

G_END_DECLS
