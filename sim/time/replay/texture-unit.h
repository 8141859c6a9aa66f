// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The unit of a multiprocessor that looks up textures and surfaces.
//
// It takes four lanes side by side in a turn, whether they are active or not. All were measured on an H200, with texels in the first-level cache
// (tests/gpu/time/texture.cu, 2026-11-28; cycles that an instruction of a warp takes there):
//   - Texels of up to 8 bytes take a turn, those of 16 bytes two, of two lanes each. Where texels are weighed, those of up to 4 bytes take one, of
//     8 bytes two, of 16 bytes four; in three dimensions twice as many, and of 16 bytes four times as many.
//   - Of lanes whose first texels are in sectors at the same place of different tiles each takes a turn of its own. A tile of an array has
//     32 bytes of 8 rows, or 64 bytes of 4 rows if texels that are sampled are larger than 4 bytes; one of memory has 128 bytes.
//   - Eight lanes that need no level and no filter are taken together if what they ask for lies in 64 bytes.
//   - Gathers take two turns; by gradients each lane takes one.
#pragma once

#include "sim/machine/block.h"

G_BEGIN_DECLS

/** smb_texture_unit_count: Returns: turns that an instruction of a warp takes */
guint smb_texture_unit_count(const SmbTexels *texels);

G_END_DECLS
