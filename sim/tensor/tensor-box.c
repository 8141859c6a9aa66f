// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which bytes a copy of a box moves. All rules but those of packed types are what an H200 did (map.h). Of these, coordinates and
// boxes are counted in units: the bytes that a unit leaves free in shared memory stay as they are, and do not complete on an mbarrier: CUTLASS
// (sm100_blockscaled_mma_warpspecialized.hpp, ABTmaTransactionBytes) expects those of the numbers only.
#include <string.h>

#include "sim/tensor/map.h"

enum {
  FILL_NAN = 0x7ff7,     // in each 16 bits, of all floating-point types
  SPREAD_ELEMENTS = 128, // of a type that leaves bytes free: coordinates are multiples of it
};

// What is walked.
typedef struct {
  const SmbTensorMap *map;
  const SmbTensorBox *box;
  SmbTensorVisit visit;
  void *user;
  SmbTensorUnit unit;
  uint64_t inner; // bytes of a row of the box, in shared memory
  uint64_t pitch; // from row to row, in shared memory
  uint64_t width; // units of a row of the tensor, as far as the copy is concerned
  uint64_t rows;  // that were visited
} Walk;

// A slice, or an element, or several.
static SmbTensorUnit
find_copy_unit(const SmbTensorMap *map) {
  uint8_t slice = (uint8_t)(SMB_TENSOR_CHUNK * map->interleave);
  return slice ? (SmbTensorUnit){1, slice, slice} : smb_tensor_type_unit(map->type);
}

// How many elements of a dimension are copied, of the first how many units. Those of the first lie side by side, whatever its step is; between it and the batch,
// a tensor of slices has one dimension of slices, of which one is copied.
static uint64_t
count_along(const SmbTensorMap *map, unsigned i) {
  if (i == 0 && !map->interleave)
    return map->box[0] / find_copy_unit(map).elements;
  return map->interleave && i + 2 == map->rank ? 1
                                               : (map->box[i] + map->steps[i] - 1) / map->steps[i];
}

static uint64_t
row_units(const SmbTensorMap *map) {
  return map->is_im2col ? map->channels : count_along(map, 0);
}

uint64_t
smb_tensor_box_rows(const SmbTensorMap *map) {
  uint64_t rows = 1;
  for (unsigned i = 1; i < map->rank && !map->is_im2col; i++)
    rows *= count_along(map, i);
  return map->is_im2col ? map->pixels : rows;
}

uint64_t
smb_tensor_row_bytes(const SmbTensorMap *map) {
  return row_units(map) * find_copy_unit(map).shared_bytes;
}

uint64_t
smb_tensor_row_pitch(const SmbTensorMap *map) {
  return map->swizzle && !map->interleave ? 16u << map->swizzle : smb_tensor_row_bytes(map);
}

bool
smb_tensor_map_pick_rows(SmbTensorMap *map) {
  if (map->rank != 2 || map->is_im2col || map->box[1] != 1)
    return false;
  map->box[1] = SMB_TENSOR_PICKED;
  map->steps[1] = 1;
  return true;
}

uint64_t
smb_tensor_box_flat_rows(const SmbTensorMap *map, uint64_t *stride) {
  uint64_t rows = 1;
  *stride = 0;
  if (map->is_im2col || map->interleave)
    return 0;
  for (unsigned i = 1; i < map->rank; i++) {
    uint64_t n = count_along(map, i), next = map->strides[i - 1] * map->steps[i];
    if (n > 1 && *stride && next != rows * *stride)
      return rows;
    if (n > 1 && !*stride)
      *stride = next;
    rows *= n;
  }
  return rows;
}

uint64_t
smb_tensor_box_rows_of_width(const SmbTensorMap *map) {
  unsigned last = map->rank - 1;
  while (last > 1 && count_along(map, last) == 1)
    last--;
  bool has_widths = last > 1 && !map->is_im2col && !map->interleave &&
                    map->strides[last - 1] * map->steps[last] == smb_tensor_row_bytes(map);
  return has_widths ? smb_tensor_box_rows(map) / count_along(map, last) : 0;
}

uint64_t
smb_tensor_box_bytes(const SmbTensorMap *map) {
  return smb_tensor_box_rows(map) * row_units(map) * find_copy_unit(map).bytes;
}

static bool
visit_run(const Walk *walk, uint64_t first, uint64_t n, uint64_t address, bool is_outside) {
  // units that leave bytes free are not side by side
  uint64_t at_once = walk->unit.bytes == walk->unit.shared_bytes ? n : 1;
  for (uint64_t i = 0; i < n; i += at_once) {
    const SmbTensorRun run = {.at =
                                  walk->rows * walk->pitch + (first + i) * walk->unit.shared_bytes,
                              .address = address + i * walk->unit.bytes,
                              .bytes = (uint32_t)(at_once * walk->unit.bytes),
                              .is_outside = is_outside};
    if (!walk->visit(walk->user, &run))
      return false;
  }
  return true;
}

// A row of units that lie side by side, at (x, …): what is to the left of the tensor, in it, and to its right.
static bool
visit_row(const Walk *walk, int64_t x, uint64_t address, bool is_outside) {
  int64_t n = (int64_t)(walk->inner / walk->unit.shared_bytes), width = (int64_t)walk->width;
  if (is_outside)
    return visit_run(walk, 0, (uint64_t)n, 0, true);
  int64_t before = x < 0 ? -x : 0, after = x + n > width ? x + n - width : 0;
  before = before < n ? before : n;
  after = after < n - before ? after : n - before;
  int64_t within = n - before - after;
  uint64_t start = address + (uint64_t)(x + before) * walk->unit.bytes;
  return visit_run(walk, 0, (uint64_t)before, 0, true) &&
         visit_run(walk, (uint64_t)before, (uint64_t)within, start, false) &&
         visit_run(walk, (uint64_t)(before + within), (uint64_t)after, 0, true);
}

// Slices that are not side by side.
static bool
visit_slices(const Walk *walk, int64_t x, uint64_t address, bool is_outside) {
  uint64_t n = walk->inner / walk->unit.bytes;
  for (uint64_t i = 0; i < n; i++, x += walk->map->steps[0]) {
    bool outside = is_outside || x < 0 || (uint64_t)x >= walk->width;
    if (!visit_run(walk, i, 1, outside ? 0 : address + (uint64_t)x * walk->unit.bytes, outside))
      return false;
  }
  return true;
}

// The row at these coordinates of all dimensions but the first.
static bool
visit_at(Walk *walk, const int64_t *at) {
  const SmbTensorMap *map = walk->map;
  uint64_t address = map->address;
  bool is_outside = false;
  for (unsigned i = 1; i < map->rank; i++) {
    is_outside = is_outside || at[i] < 0 || (uint64_t)at[i] >= map->dimensions[i];
    address += (uint64_t)at[i] * map->strides[i - 1];
  }
  int64_t x = at[0] / walk->unit.elements;
  bool goes_on =
      (map->interleave && !map->is_im2col ? visit_slices : visit_row)(walk, x, address, is_outside);
  walk->rows++;
  return goes_on;
}

static void
walk_tiles(Walk *walk) {
  const SmbTensorMap *map = walk->map;
  uint64_t index[SMB_TENSOR_RANK] = {0}, n = smb_tensor_box_rows(map);
  for (uint64_t row = 0; row < n; row++) {
    int64_t at[SMB_TENSOR_RANK];
    for (unsigned i = 0; i < map->rank; i++)
      at[i] = walk->box->coordinates[i] + (int64_t)(index[i] * (i ? map->steps[i] : 1));
    if (walk->box->picks_rows)
      at[1] = walk->box->coordinates[1 + row];
    if (!visit_at(walk, at))
      return;
    for (unsigned i = 1; i < map->rank && ++index[i] == count_along(map, i); i++)
      index[i] = 0;
  }
}

// Pixels of the bounding box, from one on, row by row, image by image.
static void
walk_pixels(Walk *walk) {
  const SmbTensorMap *map = walk->map;
  unsigned spatial = map->rank - 2;
  int64_t pixel[SMB_TENSOR_RANK];
  for (unsigned i = 0; i < map->rank; i++)
    pixel[i] = walk->box->coordinates[i];
  for (uint32_t n = 0; n < map->pixels; n++) {
    int64_t at[SMB_TENSOR_RANK];
    memcpy(at, pixel, sizeof at);
    for (unsigned i = 0; i < spatial; i++)
      at[1 + i] += walk->box->offsets[i];
    if (!visit_at(walk, at))
      return;
    unsigned i = 0;
    for (; i < spatial; i++) {
      pixel[1 + i] += map->steps[1 + i];
      if (pixel[1 + i] < (int64_t)map->dimensions[1 + i] + map->upper[i])
        break;
      pixel[1 + i] = map->lower[i];
    }
    if (i == spatial)
      pixel[1 + i] += map->steps[1 + i];
  }
}

void
smb_tensor_box_walk(const SmbTensorMap *map, const SmbTensorBox *box, SmbTensorVisit visit,
                    void *user) {
  Walk walk = {.map = map, .box = box, .visit = visit, .user = user, .unit = find_copy_unit(map)};
  walk.inner = smb_tensor_row_bytes(map);
  walk.pitch = smb_tensor_row_pitch(map);
  walk.width = map->dimensions[0] / walk.unit.elements;
  // A store writes whole chunks, also beyond the end of a row.
  if (box->leaves && !map->interleave)
    walk.width = (walk.width * walk.unit.bytes + SMB_TENSOR_CHUNK - 1) / SMB_TENSOR_CHUNK *
                 SMB_TENSOR_CHUNK / walk.unit.bytes;
  if (map->is_im2col)
    walk_pixels(&walk);
  else
    walk_tiles(&walk);
}

static const char *
find_pixel_problem(const SmbTensorMap *map, const SmbTensorBox *box) {
  for (unsigned i = 0; i + 2 < map->rank; i++) {
    int64_t at = box->coordinates[1 + i];
    if (at < map->lower[i] || at >= (int64_t)map->dimensions[1 + i] + map->upper[i])
      return "the box begins outside of the map's box of pixels";
    if (box->leaves && (map->lower[i] < 0 || map->upper[i] > 0))
      return "the box is stored, and the map's box of pixels is not in the tensor";
  }
  return NULL;
}

const char *
smb_tensor_box_problem(const SmbTensorMap *map, const SmbTensorBox *box) {
  const SmbTensorUnit unit = find_copy_unit(map);
  int64_t start = box->coordinates[0] * (int64_t)unit.shared_bytes;
  if (start % (SMB_TENSOR_CHUNK * unit.elements))
    return "the first coordinate of the box is not at a multiple of 16 bytes";
  if (unit.bytes != unit.shared_bytes && box->coordinates[0] % SPREAD_ELEMENTS)
    return "the first coordinate of the box is not a multiple of 128";
  for (unsigned i = 0; i < (box->picks_rows ? 1 : map->rank); i++)
    if (box->leaves && box->coordinates[i] < 0)
      return "the box is stored, and a coordinate is negative";
  return map->is_im2col ? find_pixel_problem(map, box) : NULL;
}

uint64_t
smb_tensor_swizzle(const SmbTensorMap *map, uint64_t address) {
  uint64_t within = (1u << map->swizzle) - 1; // chunks of the span
  const uint64_t row = address >> 7;
  switch (map->atomicity) {
  case 1:
    return address ^ (row & 3) << 5;
  case 2:
    return address ^ (row & 3) << 5 ^ (row & 1) << 3;
  case 3:
    return address ^ (row & 1) << 6;
  default:
    return address ^ (row & within) << 4;
  }
}

uint32_t
smb_tensor_swizzle_unit(const SmbTensorMap *map) {
  static const uint8_t units[SMB_TENSOR_ATOMICITIES] = {SMB_TENSOR_CHUNK, 32, 8, 64};
  return units[map->atomicity];
}

static uint32_t
read_float_bits(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// TF32: the nearest number of ten digits, of two equally near ones the larger.
void
smb_tensor_convert(const SmbTensorMap *map, uint8_t *bytes, uint32_t n) {
  if (map->type != SMB_TENSOR_TF32 && map->type != SMB_TENSOR_TF32_FTZ)
    return;
  for (uint32_t i = 0; i + 4 <= n; i += 4) {
    uint32_t rounded = (read_float_bits(bytes + i) + 0x1000) & ~0x1fffu;
    for (unsigned b = 0; b < 4; b++)
      bytes[i + b] = (uint8_t)(rounded >> 8 * b);
  }
}

void
smb_tensor_fill(const SmbTensorMap *map, uint8_t *bytes, uint32_t n) {
  memset(bytes, 0, n);
  for (uint32_t i = 0; map->fill && i + 2 <= n; i += 2) {
    bytes[i] = FILL_NAN & 0xff;
    bytes[i + 1] = FILL_NAN >> 8;
  }
}
