// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where the elements of an array lie whose memory the program maps (cuMemMapArrayAsync): as on an H200, so that memory that is mapped
// in arrays of several formats shows the same bytes in each. Plain C: the runtime of a program, which copies, has it as well.
//
// Where those of other arrays lie is not visible to a program, but which of them share a sector is: how long reading them takes depends on it.
//
// A tile consists of columns of 64 bytes. A column has @tile_depth slices one after the other, a slice the blocks of 8 rows
// one below the other. Such a block of 512 bytes is two halves of 32 bytes by 8 rows: in turn 16 bytes of two rows, then of the
// other half of their 32 bytes.
#pragma once

#include "sim/texture/descriptor.h"

enum {
  SMB_TEXTURE_PAGE = 65536,     // bytes of a page, which are mapped together
  SMB_TEXTURE_BLOCK_WIDTH = 64, // bytes of a block
  SMB_TEXTURE_BLOCK_HEIGHT = 8, // rows of it
  SMB_TEXTURE_UNIT = 16,        // bytes of a row that always lie side by side
};

/** smb_texture_place: How many bytes of the pages of a level come before an element. @x: in bytes */
uint64_t smb_texture_place(const SmbTextureLevel *level, uint64_t x, uint64_t y, uint64_t z);

/**
 * smb_texture_device_place: Where a device would have an element of a texture: that of an array lies in a block of 512 bytes as above, of
 * one row or slice as well (an H200: rows of an array of one dimension take twice the sectors of memory). Which blocks follow each
 * other is not known: rows of them do here. What is not in an array is where it is.
 * @address: of the element, in the memory of the process
 */
uint64_t smb_texture_device_place(const SmbTexture *texture, uint64_t address);
