// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The shared arrays of a launch, each with the requests that ask for it: what a search for another layout,
// or a question about the present one, starts from.
#pragma once

#include <glib.h>

#include "sim/advise/placed-tile.h"
#include "sim/analysis/analysis.h"
#include "sim/launch/launch.h"
#include "sim/launch/shape.h"
#include "sim/program/layout.h"
#include "sim/program/program.h"

G_BEGIN_DECLS

/**
 * SmbArrayRequest: a request of which a lane asks for an array.
 * @made: (transfer none): of SmbAnalysis.requests
 * @whole: whether no lane asks for something else, with which it could not be made of another layout
 */
typedef struct {
  const SmbAccessRequest *made;
  gboolean whole;
} SmbArrayRequest;

/**
 * SmbArrayUse:
 * @analysis: (transfer none): with its requests
 * @array: (transfer none): the array
 * @bytes: its size in this launch
 * @member: (nullable): of the member of a union that the launch says @array is: requests for other members are not for it
 * @requests: (element-type SmbArrayRequest): in the order of SmbAnalysis.requests
 * @tile: (nullable) (transfer none): what it is to hardware: an operand of products, boxes of tensors, or both
 */
typedef struct {
  const SmbAnalysis *analysis;
  const SmbArray *array;
  gsize bytes;
  const SmbShape *member;
  GArray *requests;
  const SmbPlacedTile *tile;
} SmbArrayUse;

/**
 * SmbArrayUses:
 * @all: (element-type SmbArrayUse): one for each array of the program, in the order of the text; then for each member of a union all of
 *   whose requests say which member is meant. In place of an array that has tiles, and more than one of them alone, those, and what lies
 *   between them
 */
typedef struct {
  const SmbProgram *program;
  GPtrArray *all;
  GArray *carved;     /* SmbArray, or NULL */
  GPtrArray *tiles;   /* SmbPlacedTile */
  GPtrArray *parts;   /* SmbArray: of arrays that have tiles */
  GPtrArray *by_base; /* SmbArrayUse; of several dynamic ones the first */
  guint n_members;    /* of unions: the last ones of @all */
} SmbArrayUses;

/**
 * smb_array_uses_new:
 * @launch: (nullable): what @analysis is of: with it, parts of dynamic shared memory that pointers name are
 *   arrays of their own (smb_program_carved_arrays()), and so are those that it says itself (SmbLaunch.shapes)
 * @program, @analysis: (transfer none): must outlive the result; @analysis with its requests
 *
 * Returns: (transfer full): the arrays
 */
SmbArrayUses *smb_array_uses_new(const SmbProgram *program, const SmbLaunch *launch,
                                 const SmbAnalysis *analysis);
void smb_array_uses_free(SmbArrayUses *uses);

/**
 * smb_array_uses_of:
 * @opcode: (nullable): of its access, as of SmbSite
 *
 * Returns: (nullable) (transfer none): the array that all lanes of @request ask for; %NULL if they ask for
 *   several, or none asks for anything
 */
SmbArrayUse *smb_array_uses_of(const SmbArrayUses *uses, const SmbRequest *request,
                               const char *opcode);

/**
 * smb_array_use_layout:
 * @row: elements of a row of an array of one dimension, padding included, or 0: all are one row
 *
 * How an array lies as the kernel declares it: its rows are its innermost dimension. Up to 16 bytes at the
 * end of all rows that no request accesses are taken for padding, the length of the widest access, beyond
 * which needs no padding for alignment; but only if a larger power of two divides what is left than the
 * whole row, as 32 of 33. Else, and of more than that, another launch may access them.
 *
 * Returns: its layout, without a swizzle: what indices do is not seen
 */
SmbLayout smb_array_use_layout(const SmbArrayUse *use, guint64 row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbArrayUses, smb_array_uses_free)

G_END_DECLS
