// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a little more or less padding would do: the requests of a run, laid out anew for each of a few paddings
// of the array's rows, and counted. Everything else stays as it is: which elements are asked for, the
// order of the lanes, where the array begins. What other indices cost to compute is not looked at.
#pragma once

#include <glib.h>

#include "sim/layout.h"

G_BEGIN_DECLS

/** Where it is known from how long the rows of an array are. */
typedef enum {
  SMB_ROWS_UNKNOWN,   /* an array of one dimension, and nothing says it */
  SMB_ROWS_GIVEN,     /* the caller said it */
  SMB_ROWS_DIMENSION, /* the innermost dimension of the declaration */
  SMB_ROWS_STRIDE,    /* the stride of an access: a guess */
} SmbRows;

/**
 * smb_neighbour_rows:
 * @analysis: with its requests
 * @access: index of SmbAnalysis.accesses, of one that touches @array
 * @row: elements of a row of an array of one dimension, padding included; 0: nobody says it
 * @layout: (out): how the array lies; set unless the rows are unknown
 *
 * Elements at the end of all rows that no request touches are taken for padding, as in
 * smb_layout_original(). The stride is that of the costliest request of the access.
 *
 * Returns: where the rows are known from
 */
SmbRows smb_neighbour_rows(const SmbProgram *kernel, const SmbAnalysis *analysis, guint access,
                           const SmbArray *array, guint64 row, SmbLayout *layout);

/**
 * smb_neighbour_array:
 * @access: index of SmbAnalysis.accesses
 *
 * Returns: (transfer none) (nullable): the array that the costliest request of @access touches; %NULL if it
 *   touches several, or none
 */
const SmbArray *smb_neighbour_array(const SmbProgram *kernel, const SmbAnalysis *analysis,
                                    guint access);

/** smb_neighbour_bytes: Returns: the size of @array in this launch: of a dynamic one all dynamic memory */
gsize smb_neighbour_bytes(const SmbProgram *kernel, const SmbAnalysis *analysis,
                          const SmbArray *array);

/** Whether a block can have the shared memory that it takes. */
typedef enum {
  SMB_ROOM_ENOUGH,
  SMB_ROOM_OPT_IN,    /* only dynamic, and if the launch opts in: more than static memory may be */
  SMB_ROOM_TOO_SMALL, /* the architecture has no block with so much */
} SmbRoom;

/**
 * SmbNeighbour: one padding of the rows.
 * @pad: elements at the end of each row that hold nothing
 * @present: whether the array has that padding now
 * @fit: whether all requests of the array can be made then, or why not; the tallies are empty if not
 * @misfit_access: index of the first access that cannot be made
 * @shared_bytes: shared memory of a block, of all arrays
 * @room: whether a block can have that
 * @access: what the access costs
 * @array: what all accesses of the array cost together
 */
typedef struct {
  guint64 pad;
  gboolean present;
  SmbLayoutFit fit;
  guint misfit_access;
  guint64 shared_bytes;
  SmbRoom room;
  SmbTally access;
  SmbTally array;
} SmbNeighbour;

/**
 * smb_neighbours_count:
 * @analysis: with its requests, none dropped
 * @access: index of SmbAnalysis.accesses, of one that touches @array
 * @array: the array
 * @present: how it lies; its swizzle, if it has one, is that of all paddings
 *
 * Paddings of 0 to 4 elements, or to two bank words of elements that are smaller than one; and those
 * next to the present one.
 *
 * Returns: (transfer full) (element-type SmbNeighbour): by @pad
 */
GArray *smb_neighbours_count(const SmbProgram *kernel, const SmbArch *arch,
                             const SmbAnalysis *analysis, guint access, const SmbArray *array,
                             const SmbLayout *present);

G_END_DECLS
