// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a program that was read from a layout and its accesses (sim/layout/front-end.h) knows of them.
#pragma once

#include "sim/layout/tile-access.h"
#include "sim/program/program.h"

/** smb_layout_program_tile: Returns: (transfer none) (nullable): the tile of a program that was read from such a text */
const SmbTile *smb_layout_program_tile(const SmbProgram *program);

/** smb_layout_program_accesses: Returns: (transfer none) (element-type SmbTileAccess): its accesses, in the order of its sites */
const GPtrArray *smb_layout_program_accesses(const SmbProgram *program);
