// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/memory/array-pages.h"

#include <stdlib.h>

#include "gpu/driver/cu/virtual.h"
#include "gpu/driver/memory/initialized.h"
#include "gpu/driver/memory/memory.h"

enum {
  PAGE = SMB_TEXTURE_PAGE,
  WIDTH = SMB_TEXTURE_BLOCK_WIDTH,
  HEIGHT = SMB_TEXTURE_BLOCK_HEIGHT,
  MAX_BLOCKS = 16, // that are one below, or behind, the other
};

// How high and deep the tiles of levels are that are no tiles of a sparse array.
typedef struct {
  size_t height, depth;
} Blocks;

static size_t
round_to(size_t n, size_t unit) {
  return (n + unit - 1) / unit * unit;
}

// The least power of two that is not below.
static size_t
next_power(size_t n) {
  size_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

bool
pages_are_asked(unsigned flags) {
  return flags & (cudaArraySparse | cudaArrayDeferredMapping);
}

bool
pages_allow(cudaExtent extent, unsigned flags) {
  enum {
    OTHERS = cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayColorAttachment |
             cudaArrayDeferredMapping,
  };
  return !(flags & cudaArraySparse) || (extent.height > 0 && !(flags & OTHERS));
}

// --- how big tiles are

// Of 64 KiB: the standard shapes of Direct3D and Vulkan, in two dimensions halved along y and x in turn, in three along x, z and y.
static cudaExtent
find_tile(size_t element_bytes, bool is_volume) {
  cudaExtent tile = is_volume ? (cudaExtent){64, 32, 32} : (cudaExtent){256, 256, 1};
  unsigned step = 0;
  for (size_t bytes = 1; bytes < element_bytes; bytes *= 2, step++)
    if (!is_volume)
      *(step % 2 == 0 ? &tile.height : &tile.width) /= 2;
    else if (step % 3 == 0)
      tile.width /= 2;
    else
      *(step % 3 == 1 ? &tile.depth : &tile.height) /= 2;
  return tile;
}

// A power of two: the most blocks of which more than two thirds are filled.
static size_t
find_block_count(size_t extent, size_t unit) {
  size_t n = 1;
  while (n < MAX_BLOCKS && 3 * extent > 4 * n * unit)
    n *= 2;
  return n;
}

static Blocks
find_blocks(const Pages *pages) {
  if (pages->n_tiled > 0)
    return (Blocks){pages->tile.height / HEIGHT, pages->tile.depth};
  return pages->is_volume ? (Blocks){1, find_block_count(pages->extent.depth, 1)}
                          : (Blocks){find_block_count(pages->extent.height, HEIGHT), 1};
}

// --- where levels lie

cudaExtent
pages_extent(const Pages *pages, unsigned level) {
  cudaExtent extent = {pages->extent.width >> level, pages->extent.height >> level,
                       pages->extent.depth >> level};
  extent.width += extent.width == 0;
  extent.height += extent.height == 0;
  extent.depth += extent.depth == 0;
  return extent;
}

// A level of tiles. Returns its bytes.
static size_t
add_tiles(Pages *pages, SmbTextureLevel *level, cudaExtent extent) {
  size_t across = (extent.width + pages->tile.width - 1) / pages->tile.width;
  size_t down = (extent.height + pages->tile.height - 1) / pages->tile.height;
  size_t behind = (extent.depth + pages->tile.depth - 1) / pages->tile.depth;
  level->row_bytes = pages->tile.width * pages->element_bytes;
  level->tile_height = (uint32_t)pages->tile.height;
  level->tile_depth = (uint32_t)pages->tile.depth;
  level->n_across = (uint32_t)across;
  level->n_down = (uint32_t)down;
  return across * down * behind * PAGE;
}

// A level whose blocks follow each other: tiles as wide as it is.
static size_t
add_rows(const Pages *pages, SmbTextureLevel *level, cudaExtent extent, Blocks blocks) {
  size_t height = next_power((extent.height + HEIGHT - 1) / HEIGHT);
  size_t depth = next_power(extent.depth);
  height = HEIGHT * (height < blocks.height ? height : blocks.height);
  depth = depth < blocks.depth ? depth : blocks.depth;
  level->row_bytes = round_to(extent.width * pages->element_bytes, WIDTH);
  level->tile_height = (uint32_t)height;
  level->tile_depth = (uint32_t)depth;
  level->n_across = 1;
  level->n_down = (uint32_t)((extent.height + height - 1) / height);
  return level->row_bytes * round_to(extent.height, height) * round_to(extent.depth, depth);
}

// Levels consist of tiles as long as they have a whole one.
static unsigned
count_tiled(const Pages *pages) {
  unsigned n = 0;
  for (; pages->is_sparse && n < pages->n_levels; n++) {
    cudaExtent extent = pages_extent(pages, n);
    if (extent.width < pages->tile.width || extent.height < pages->tile.height ||
        extent.depth < pages->tile.depth)
      break;
  }
  return n;
}

static void
place_levels(Pages *pages) {
  Blocks blocks = find_blocks(pages);
  size_t at = 0;
  for (unsigned i = 0; i < pages->n_levels; i++) {
    SmbTextureLevel *level = &pages->levels[i];
    cudaExtent extent = pages_extent(pages, i);
    if (i == pages->n_tiled)
      pages->tail_start = at;
    *level =
        (SmbTextureLevel){.address = at,
                          .width = (uint32_t)extent.width,
                          .height = (uint32_t)extent.height,
                          .depth = (uint32_t)(pages->is_layered ? pages->n_layers : extent.depth),
                          .reads_zeros = pages->is_sparse};
    at += i < pages->n_tiled ? add_tiles(pages, level, extent)
                             : add_rows(pages, level, extent, blocks);
  }
  if (pages->n_tiled < pages->n_levels)
    pages->tail_bytes = round_to(at - pages->tail_start, PAGE);
  pages->layer_bytes = pages->n_tiled > 0 ? round_to(at, PAGE)
                       : pages->n_layers > 1
                           ? round_to(at, WIDTH * HEIGHT * blocks.height * blocks.depth)
                           : at;
  size_t bytes = round_to(pages->layer_bytes * pages->n_layers, PAGE);
  if (pages->n_tiled == 0)
    pages->tail_bytes = bytes;
  pages->n = bytes / PAGE;
}

// --- what is mapped

// The table is memory of the device, so that kernels find it.
static bool
make_table(Pages *pages) {
  Allocation table = {
      .bytes = pages->n * sizeof *pages->table, .kind = INJECT_DEVICE, .is_hidden = true};
  pages->owners = calloc(pages->n, sizeof(Physical *));
  pages->table = memory_allocate_as(&table);
  if (!pages->owners || !pages->table)
    return false;
  written_note(pages->table, table.bytes);
  for (unsigned i = 0; i < pages->n_levels; i++) {
    pages->levels[i].pages = (uintptr_t)pages->table;
    pages->levels[i].slice_bytes = pages->is_layered ? pages->layer_bytes : 0;
  }
  return true;
}

Pages *
pages_new(size_t element_bytes, cudaExtent extent, unsigned flags, unsigned n_levels,
          bool is_mipmap) {
  Pages *pages = calloc(1, sizeof *pages);
  if (!pages)
    return NULL;
  *pages = (Pages){.is_sparse = flags & cudaArraySparse,
                   .is_mipmap = is_mipmap,
                   .is_layered = flags & (cudaArrayLayered | cudaArrayCubemap),
                   .n_levels = n_levels,
                   .n_layers = 1,
                   .element_bytes = element_bytes};
  pages->is_volume = !pages->is_layered && extent.depth > 0;
  if (pages->is_layered)
    pages->n_layers = (unsigned)extent.depth;
  pages->extent = (cudaExtent){extent.width, extent.height ? extent.height : 1,
                               pages->is_volume ? extent.depth : 1};
  pages->tile = find_tile(element_bytes, pages->is_volume);
  pages->n_tiled = count_tiled(pages);
  pages->has_one_tail = pages->is_sparse && pages->n_tiled == 0;
  place_levels(pages);
  if (make_table(pages))
    return pages;
  pages_free(pages);
  return NULL;
}

void
pages_set(Pages *pages, size_t page, Physical *owner, char *address) {
  if (pages->owners[page])
    physical_release(pages->owners[page]);
  pages->owners[page] = owner;
  pages->table[page] = (uintptr_t)address;
}

void
pages_free(Pages *pages) {
  for (size_t i = 0; pages->owners && i < pages->n; i++)
    if (pages->owners[i])
      physical_release(pages->owners[i]);
  if (pages->table)
    memory_drop(pages->table);
  free(pages->owners);
  free(pages);
}

char *
pages_find(const Pages *pages, unsigned level, size_t x, size_t y, size_t z) {
  uint64_t place = smb_texture_place(&pages->levels[level], x, y, z);
  uint64_t page = pages->table[place / PAGE];
  return page ? (char *)(uintptr_t)page + place % PAGE : NULL;
}
