// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What blocks load that some block before them has loaded, however many blocks are between: the rows above and below in a stencil whose blocks
// are numbered along the rows.
//
// It is taken that all blocks along a dimension load the same as their neighbours, by a distance that each access has. Then a block need be
// compared with itself only: what it loads at two places that are a multiple of that distance apart, two blocks load.
#pragma once

#include "sim/time/record/block-record.h"

G_BEGIN_DECLS

/**
 * smb_earlier_blocks_find:
 * @block: a block
 * @before: the one before it along a dimension of the grid
 * @most: how many blocks before along that dimension count
 *
 * Returns: (transfer full): what @block loads that one of these has loaded: line → bits of its sectors
 */
GHashTable *smb_earlier_blocks_find(const SmbBlockRecord *block, const SmbBlockRecord *before,
                                    double most);

G_END_DECLS
