// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The 128 bytes of a tensor map, by map-fields.def.
#include <string.h>

#include "sim/tensor/map.h"

typedef struct {
  uint16_t at;
  uint8_t step, width;
} Field;

static const Field fields[] = {
#define FIELD(name, at, step, width) {at, step, width},
#include "sim/tensor/map-fields.def"
#undef FIELD
};

// Codes of packed types are those of ptxas 13.0 (tensormap.replace for sm_100a).
static const struct {
  SmbTensorUnit unit;
  uint8_t code;
  bool is_tf32;
} types[SMB_TENSOR_TYPES] = {
    [SMB_TENSOR_U8] = {{1, 1, 1}, 0, false},
    [SMB_TENSOR_U16] = {{1, 2, 2}, 1, false},
    [SMB_TENSOR_U32] = {{1, 4, 4}, 2, false},
    [SMB_TENSOR_S32] = {{1, 4, 4}, 3, false},
    [SMB_TENSOR_U64] = {{1, 8, 8}, 4, false},
    [SMB_TENSOR_S64] = {{1, 8, 8}, 5, false},
    [SMB_TENSOR_F16] = {{1, 2, 2}, 6, false},
    [SMB_TENSOR_F32] = {{1, 4, 4}, 7, false},
    [SMB_TENSOR_F32_FTZ] = {{1, 4, 4}, 8, false},
    [SMB_TENSOR_F64] = {{1, 8, 8}, 9, false},
    [SMB_TENSOR_BF16] = {{1, 2, 2}, 10, false},
    [SMB_TENSOR_TF32] = {{1, 4, 4}, 7, true},
    [SMB_TENSOR_TF32_FTZ] = {{1, 4, 4}, 8, true},
    [SMB_TENSOR_U4] = {{2, 1, 1}, 11, false},
    [SMB_TENSOR_U4_SPREAD] = {{16, 8, 16}, 12, false},
    [SMB_TENSOR_U6_SPREAD] = {{16, 12, 16}, 13, false},
};

SmbTensorUnit
smb_tensor_type_unit(uint32_t type) {
  return types[type].unit;
}

bool
smb_tensor_type_is_packed(uint32_t type) {
  return types[type].unit.elements > 1;
}

uint32_t
smb_tensor_corner_bits(uint32_t rank) {
  return rank == 3 ? 16 : rank == 4 ? 8 : 5;
}

static void
put_map_bits(uint8_t *bytes, unsigned at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    bytes[(at + i) / 8] |= (uint8_t)((value >> i & 1) << (at + i) % 8);
}

static uint64_t
get_map_bits(const uint8_t *bytes, unsigned at, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++)
    value |= (uint64_t)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
  return value;
}

SmbTensorPlace
smb_tensor_map_place(SmbTensorField field, unsigned i) {
  return (SmbTensorPlace){fields[field].at + i * fields[field].step, fields[field].width};
}

static void
put(uint8_t *bytes, unsigned field, unsigned i, uint64_t value) {
  put_map_bits(bytes, fields[field].at + i * fields[field].step, fields[field].width, value);
}

static uint64_t
get(const uint8_t *bytes, unsigned field, unsigned i) {
  return get_map_bits(bytes, fields[field].at + i * fields[field].step, fields[field].width);
}

static void
put_corner(const SmbTensorMap *map, uint8_t *bytes, unsigned field, const int32_t *corner) {
  unsigned width = smb_tensor_corner_bits(map->rank);
  for (unsigned i = 0; i + 2 < map->rank; i++)
    put_map_bits(bytes, fields[field].at + i * width, width, (uint64_t)corner[i]);
}

static void
get_corner(const SmbTensorMap *map, const uint8_t *bytes, unsigned field, int32_t *corner) {
  unsigned width = smb_tensor_corner_bits(map->rank);
  for (unsigned i = 0; i + 2 < map->rank; i++) {
    int32_t value = (int32_t)get_map_bits(bytes, fields[field].at + i * width, width);
    corner[i] = value >> (width - 1) ? value - (1 << width) : value;
  }
}

uint64_t
smb_tensor_map_bytes(const SmbTensorMap *map) {
  const SmbTensorUnit unit = types[map->type].unit;
  uint64_t elements = 1;
  for (unsigned i = 0; i < map->rank && !map->is_im2col; i++)
    elements *= map->box[i] / map->steps[i];
  if (map->is_im2col)
    elements = (uint64_t)map->channels * map->pixels;
  return elements * unit.shared_bytes / unit.elements;
}

void
smb_tensor_map_encode(const SmbTensorMap *map, uint8_t bytes[SMB_TENSOR_MAP_BYTES]) {
  memset(bytes, 0, SMB_TENSOR_MAP_BYTES);
  put(bytes, SMB_TENSOR_FIELD_ADDRESS, 0, map->address);
  put(bytes, SMB_TENSOR_FIELD_IS_IM2COL, 0, map->is_im2col);
  put(bytes, SMB_TENSOR_FIELD_RANK, 0, map->rank - 1);
  put(bytes, SMB_TENSOR_FIELD_TYPE, 0, types[map->type].code);
  put(bytes, SMB_TENSOR_FIELD_IS_TF32, 0, types[map->type].is_tf32);
  put(bytes, SMB_TENSOR_FIELD_INTERLEAVE, 0, map->interleave);
  put(bytes, SMB_TENSOR_FIELD_SWIZZLE, 0, map->swizzle);
  put(bytes, SMB_TENSOR_FIELD_ATOMICITY, 0, map->atomicity);
  put(bytes, SMB_TENSOR_FIELD_FILL, 0, map->fill);
  put(bytes, SMB_TENSOR_FIELD_PROMOTION, 0, map->promotion);
  for (unsigned i = 0; i < map->rank; i++) {
    put(bytes, SMB_TENSOR_FIELD_DIMENSION, i, map->dimensions[i] - 1);
    put(bytes, SMB_TENSOR_FIELD_STEP, i, map->steps[i] - 1);
    if (!map->is_im2col)
      put(bytes, SMB_TENSOR_FIELD_BOX, i, map->box[i] - 1);
    if (i + 1 == map->rank)
      break;
    put(bytes, SMB_TENSOR_FIELD_STRIDE, i, map->strides[i] >> 4);
    put(bytes, SMB_TENSOR_FIELD_STRIDE_HIGH, i, map->strides[i] >> 36);
  }
  if (map->is_im2col) {
    put(bytes, SMB_TENSOR_FIELD_CHANNELS, 0, map->channels - 1);
    put(bytes, SMB_TENSOR_FIELD_PIXELS, 0, map->pixels - 1);
    put_corner(map, bytes, SMB_TENSOR_FIELD_LOWER, map->lower);
    put_corner(map, bytes, SMB_TENSOR_FIELD_UPPER, map->upper);
  }
  put(bytes, SMB_TENSOR_FIELD_BOX_BYTES, 0, smb_tensor_map_bytes(map));
  put(bytes, SMB_TENSOR_FIELD_ALIGNMENT, 0, map->swizzle ? 128u << map->swizzle : 16);
}

static bool
find_type(const uint8_t *bytes, uint32_t *type) {
  for (*type = 0; *type < SMB_TENSOR_TYPES; ++*type)
    if (types[*type].code == get(bytes, SMB_TENSOR_FIELD_TYPE, 0) &&
        types[*type].is_tf32 == get(bytes, SMB_TENSOR_FIELD_IS_TF32, 0))
      return true;
  return false;
}

bool
smb_tensor_map_recognize(const uint8_t bytes[SMB_TENSOR_MAP_BYTES]) {
  uint8_t any = 0;
  uint32_t type;
  for (unsigned i = 0; i < SMB_TENSOR_MAP_BYTES; i++)
    any |= bytes[i];
  return any && find_type(bytes, &type) && get(bytes, SMB_TENSOR_FIELD_RANK, 0) < SMB_TENSOR_RANK;
}

bool
smb_tensor_map_decode(const uint8_t bytes[SMB_TENSOR_MAP_BYTES], SmbTensorMap *map) {
  *map = (SmbTensorMap){
      .address = get(bytes, SMB_TENSOR_FIELD_ADDRESS, 0),
      .is_im2col = get(bytes, SMB_TENSOR_FIELD_IS_IM2COL, 0),
      .rank = (uint32_t)get(bytes, SMB_TENSOR_FIELD_RANK, 0) + 1,
      .interleave = (uint32_t)get(bytes, SMB_TENSOR_FIELD_INTERLEAVE, 0),
      .swizzle = (uint32_t)get(bytes, SMB_TENSOR_FIELD_SWIZZLE, 0),
      .atomicity = (uint32_t)get(bytes, SMB_TENSOR_FIELD_ATOMICITY, 0),
      .promotion = (uint32_t)get(bytes, SMB_TENSOR_FIELD_PROMOTION, 0),
      .fill = (uint32_t)get(bytes, SMB_TENSOR_FIELD_FILL, 0),
  };
  // Pixels of slices were not tried on a device.
  unsigned least = map->is_im2col || map->interleave ? 3 : 1;
  if (!find_type(bytes, &map->type) ||
      (smb_tensor_type_is_packed(map->type) && (map->is_im2col || map->interleave)) ||
      map->rank > SMB_TENSOR_RANK || map->rank < least || map->interleave > 2 ||
      (map->is_im2col && map->interleave) || get(bytes, SMB_TENSOR_FIELD_SWIZZLE_HIGH, 0) ||
      map->atomicity >= SMB_TENSOR_ATOMICITIES || (map->atomicity && map->swizzle != 3))
    return false;
  for (unsigned i = 0; i < map->rank; i++) {
    map->dimensions[i] = get(bytes, SMB_TENSOR_FIELD_DIMENSION, i) + 1;
    map->steps[i] = (uint32_t)get(bytes, SMB_TENSOR_FIELD_STEP, i) + 1;
    if (!map->is_im2col)
      map->box[i] = (uint32_t)get(bytes, SMB_TENSOR_FIELD_BOX, i) + 1;
    if (i + 1 < map->rank)
      map->strides[i] = get(bytes, SMB_TENSOR_FIELD_STRIDE, i) << 4 |
                        get(bytes, SMB_TENSOR_FIELD_STRIDE_HIGH, i) << 36;
  }
  if (map->is_im2col) {
    map->channels = (uint32_t)get(bytes, SMB_TENSOR_FIELD_CHANNELS, 0) + 1;
    map->pixels = (uint32_t)get(bytes, SMB_TENSOR_FIELD_PIXELS, 0) + 1;
    get_corner(map, bytes, SMB_TENSOR_FIELD_LOWER, map->lower);
    get_corner(map, bytes, SMB_TENSOR_FIELD_UPPER, map->upper);
  }
  return true;
}
