// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which tensor maps an H200's driver (580, 2026-11-28) makes: of 11,162 sets of arguments the same ones (tests/gpu/tensor-maps.c). That of later chips makes
// packed ones as well: by the documentation of cuTensorMapEncodeTiled().
#include "sim/tensor/map.h"

enum {
  MOST_STEP = 8,
  MOST_BOX = 256,
  MOST_PIXELS = 1024,
  SLICES_OF_32 = 2, // CU_TENSOR_MAP_INTERLEAVE_32B
  MOST_SWIZZLE = 3, // of sm_90
  MOST_PROMOTION = 3,
  SPREAD_ROW =
      128, // elements: of a tensor of a type that leaves bytes free a multiple, of its box all
};

static bool
is_float(uint32_t type) {
  return type >= SMB_TENSOR_F16 && !smb_tensor_type_is_packed(type);
}

static bool
is_spread(uint32_t type) {
  const SmbTensorUnit unit = smb_tensor_type_unit(type);
  return unit.bytes != unit.shared_bytes;
}

// Packed elements are no slices; where they leave bytes free, rows are whole.
static bool
check_packed(const SmbTensorMap *map) {
  if (!smb_tensor_type_is_packed(map->type))
    return true;
  if (map->interleave || map->is_im2col)
    return false;
  return is_spread(map->type) ? map->dimensions[0] % SPREAD_ROW == 0 && map->box[0] == SPREAD_ROW &&
                                    (!map->swizzle || map->swizzle == MOST_SWIZZLE)
                              : map->dimensions[0] % 2 == 0;
}

static bool
check_modes(const SmbTensorMap *map) {
  return map->type < SMB_TENSOR_TYPES && map->interleave <= SLICES_OF_32 &&
         map->swizzle <= MOST_SWIZZLE &&
         (map->swizzle == MOST_SWIZZLE ? map->atomicity < SMB_TENSOR_ATOMICITIES
                                       : !map->atomicity) &&
         map->promotion <= MOST_PROMOTION && map->fill <= 1 && (!map->fill || is_float(map->type));
}

static bool
check_tensor(const SmbTensorMap *map) {
  const uint64_t align = map->interleave == SLICES_OF_32 || is_spread(map->type) ? 32 : 16;
  unsigned least = map->is_im2col || map->interleave ? 3 : 1;
  if (map->rank < least || map->rank > SMB_TENSOR_RANK || map->address % align ||
      map->address >> 57)
    return false;
  for (unsigned i = 0; i < map->rank; i++)
    if (map->dimensions[i] < 1 || map->dimensions[i] > (uint64_t)1 << 32 || map->steps[i] < 1 ||
        map->steps[i] > MOST_STEP)
      return false;
  for (unsigned i = 0; i + 1 < map->rank; i++)
    if (map->strides[i] % align || map->strides[i] >> 40)
      return false;
  return true;
}

// Elements side by side: whole chunks, which a span of the swizzle has room for, where they are not slices.
static bool
check_row(const SmbTensorMap *map, uint32_t n) {
  const SmbTensorUnit unit = smb_tensor_type_unit(map->type);
  uint64_t bytes = (uint64_t)n * unit.shared_bytes / unit.elements;
  return n >= 1 && n <= MOST_BOX && n % unit.elements == 0 && bytes % SMB_TENSOR_CHUNK == 0 &&
         (map->interleave || !map->swizzle || bytes <= (uint64_t)16 << map->swizzle);
}

static bool
check_tiles(const SmbTensorMap *map) {
  for (unsigned i = 0; i < map->rank; i++)
    if (map->box[i] < 1 || map->box[i] > MOST_BOX)
      return false;
  return check_row(map, map->box[0]);
}

static bool
check_pixels(const SmbTensorMap *map) {
  const int64_t half = (int64_t)1 << (smb_tensor_corner_bits(map->rank) - 1);
  if (map->pixels < 1 || map->pixels > MOST_PIXELS || !check_row(map, map->channels))
    return false;
  for (unsigned i = 0; i + 2 < map->rank; i++) {
    // Channels come first, but where they are slices. The driver has 32 bits for it.
    uint64_t dimension = map->dimensions[map->interleave ? i : 1 + i];
    int64_t last = (int64_t)(int32_t)(uint32_t)(dimension - 1) + map->upper[i];
    if (map->lower[i] < -half || map->lower[i] >= half || map->upper[i] < -half ||
        map->upper[i] >= half || last < map->lower[i])
      return false;
  }
  return true;
}

bool
smb_tensor_map_check(const SmbTensorMap *map, uint64_t shared_bytes) {
  return check_modes(map) && check_tensor(map) && check_packed(map) &&
         (map->is_im2col ? check_pixels : check_tiles)(map) &&
         smb_tensor_map_bytes(map) <= shared_bytes;
}
