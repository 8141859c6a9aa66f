// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays whose memory the program maps itself (cuMemMapArrayAsync), page by page: sparse arrays, of which a part may be mapped, tile by
// tile, and arrays that are mapped as a whole. How tiles and levels lie, and how much memory they take, is what an H200 with
// driver 580 answered; how elements lie in them is in sim/texture/place.h.
#pragma once

#include "gpu/driver/memory/array.h"
#include "sim/texture/place.h"

typedef struct Physical Physical; // memory without an address (cu/virtual.h)

/**
 * Pages:
 * @table: kernels find the address of each page there, or 0
 * @owners: what each is part of, or NULL
 * @n: how many there are
 * @layer_bytes: from one layer to the next
 * @tile: elements of a tile of a sparse array
 * @n_tiled: levels that consist of tiles; the others are its tail
 * @tail_start: bytes of a layer before its tail; @tail_bytes: of a layer, or of all of them if @has_one_tail
 */
typedef struct Pages {
  uint64_t *table;
  Physical **owners;
  size_t n;
  bool is_sparse, is_mipmap, is_layered, is_volume, has_one_tail;
  unsigned n_levels, n_layers, n_tiled;
  size_t element_bytes, layer_bytes, tail_start, tail_bytes;
  cudaExtent extent, tile; // each at least 1; a layer's
  SmbTextureLevel levels[SMB_TEXTURE_LEVELS];
} Pages;

// Whether arrays of these flags are made of pages.
bool pages_are_asked(unsigned flags);

// Whether an array of pages can have these flags and this extent.
bool pages_allow(cudaExtent extent, unsigned flags);

// The pages of an array or a mipmap, of which none is mapped. NULL: there is no memory.
Pages *pages_new(size_t element_bytes, cudaExtent extent, unsigned flags, unsigned n_levels,
                 bool is_mipmap);
void pages_free(Pages *pages);

// Maps a page, or unmaps it (@owner: NULL). What was there is released.
void pages_set(Pages *pages, size_t page, Physical *owner, char *address);

// The extent of a level, without its layers.
cudaExtent pages_extent(const Pages *pages, unsigned level);

// Where a byte of an element lies. NULL: nothing is mapped there.
char *pages_find(const Pages *pages, unsigned level, size_t x, size_t y, size_t z);
