// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a block loads that the blocks beside it load as well, at about the same time: the edges of a stencil's tiles.
#pragma once

#include "sim/time/record/block-record.h"

G_BEGIN_DECLS

/**
 * SmbBeside: a block beside another one, along a dimension of the grid
 * @record: (nullable): what it executes; %NULL: there is none
 * @loads: (nullable): what it loads: line → bits of its sectors
 * @far: (nullable): what one far away along that dimension loads
 */
typedef struct {
  const SmbBlockRecord *record;
  GHashTable *loads;
  GHashTable *far;
} SmbBeside;

/**
 * smb_common_lines_find:
 * @block: a block
 * @own: what it loads: line → bits of its sectors
 * @beside: (array length=n): the blocks before it along each dimension; those behind it are taken to lie to it as it does to these
 *
 * Returns: (transfer full) (array): by site: of the sectors that it loads, the part that blocks on one side load too, and no far ones
 */
double *smb_common_lines_find(const SmbBlockRecord *block, GHashTable *own, const SmbBeside *beside,
                              guint n, guint n_sites);

G_END_DECLS
