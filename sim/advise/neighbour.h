// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What other paddings of an array's rows would do: the best one, from the search that sim/advise/advise makes, and a
// few next to the present one. Everything else stays as it is: which elements are asked for, the order of
// the lanes, where the array begins. What other indices cost to compute is not looked at.
#pragma once

#include <glib.h>

#include "sim/advise/advise.h"

G_BEGIN_DECLS

/** Where it is known from how long the rows of an array are. */
typedef enum {
  SMB_ROWS_UNKNOWN, /* an array of one dimension, and no padding of it takes fewer wavefronts; or a tile */
  SMB_ROWS_GIVEN,     /* the caller said it */
  SMB_ROWS_DIMENSION, /* the innermost dimension of the declaration */
  SMB_ROWS_SEARCHED, /* an array of one dimension: padding after each row takes the fewest wavefronts */
} SmbRows;

/** Whether a block can have the shared memory that it takes. */
typedef enum {
  SMB_ROOM_ENOUGH,
  SMB_ROOM_OPT_IN,    /* only dynamic, and if the launch opts in: more than static memory may be */
  SMB_ROOM_TOO_SMALL, /* the architecture has no block with so much */
} SmbRoom;

/**
 * SmbNeighbour: one padding of the rows.
 * @candidate: the layout, what it costs by access and together, or why it cannot be
 * @present: whether the array has that padding now
 * @shared_bytes: shared memory of a block, of all arrays
 * @room: whether a block can have that
 */
typedef struct {
  SmbCandidate *candidate;
  gboolean present;
  guint64 shared_bytes;
  SmbRoom room;
} SmbNeighbour;

/**
 * SmbNeighbours:
 * @use: (transfer none): the array
 * @rows: where its rows are known from
 * @layout: how it lies; unless the rows are unknown
 * @all: (element-type SmbNeighbour): by padding: 0 to 4 elements, or to two bank words of elements that are
 *   smaller than one; those next to the present one; and the best. Empty if the rows are unknown
 * @best: (nullable): of @all, the best of all paddings that were searched, if it takes fewer wavefronts than
 *   the present one
 * @wavefronts: of all requests to the array now
 * @searched: paddings that were searched; 0: there were too many, or the array has no elements to pad
 */
typedef struct {
  const SmbArrayUse *use;
  SmbRows rows;
  SmbLayout layout;
  GPtrArray *all;
  const SmbNeighbour *best;
  guint64 wavefronts;
  guint64 searched;
} SmbNeighbours;

/**
 * smb_neighbours_new:
 * @use: (transfer none): an array and its requests, none dropped; must outlive the result
 * @row: elements of a row of an array of one dimension, padding included; 0: not given
 * @present: (nullable): how the array lies, if that is known
 *
 * Returns: (transfer full): other paddings of the array
 */
SmbNeighbours *smb_neighbours_new(const SmbArch *arch, const SmbArrayUse *use, guint64 row,
                                  const SmbLayout *present);
void smb_neighbours_free(SmbNeighbours *neighbours);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbNeighbours, smb_neighbours_free)

G_END_DECLS
