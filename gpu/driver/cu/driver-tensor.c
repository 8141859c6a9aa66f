// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor maps are made: what is an error was seen on an H200 with driver 580 (tests/gpu/tensor-maps.c). Not so: four of 2,843 maps of
// slices with steps, which are refused there and are taken here.
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/cu/driver.h"
#include "sim/tensor/map.h"

enum {
  FIRST_MAJOR = 9, // compute capability with tensor maps
  MOST_STEP = 8,
  MOST_BOX = 256,
  MOST_PIXELS = 1024,
  SLICES_OF_16 = 1, // CU_TENSOR_MAP_INTERLEAVE_…
  SLICES_OF_32 = 2,
  MOST_SWIZZLE = 3, // of sm_90
  MOST_PROMOTION = 3,
};

typedef struct {
  uint64_t opaque[SMB_TENSOR_MAP_BYTES / sizeof(uint64_t)];
} CUtensorMap;

static bool
is_float(uint32_t type) {
  return type >= SMB_TENSOR_F16 && type < SMB_TENSOR_TYPES;
}

static bool
check_modes(const SmbTensorMap *map) {
  return map->type < SMB_TENSOR_TYPES && map->interleave <= SLICES_OF_32 &&
         map->swizzle <= MOST_SWIZZLE && map->promotion <= MOST_PROMOTION && map->fill <= 1 &&
         (!map->fill || is_float(map->type));
}

static bool
check_tensor(const SmbTensorMap *map) {
  const uint64_t align = map->interleave == SLICES_OF_32 ? 32 : 16;
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

// Elements side by side: without slices whole chunks, which a span of the swizzle has room for.
static bool
check_row(const SmbTensorMap *map, uint32_t n) {
  uint64_t bytes = (uint64_t)n * smb_tensor_type_bytes(map->type);
  return n >= 1 && n <= MOST_BOX &&
         (map->interleave || (bytes % SMB_TENSOR_CHUNK == 0 &&
                              (!map->swizzle || bytes <= (uint64_t)16 << map->swizzle)));
}

// A block has room for it.
static bool
check_bytes(const SmbTensorMap *map) {
  return smb_tensor_map_bytes(map) <= client_device()->opt_in_shared;
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

static cudaError_t
encode_map(CUtensorMap *result, SmbTensorMap *map, const uint64_t *dimensions,
           const uint64_t *strides, const uint32_t *steps) {
  if (client_device()->major < FIRST_MAJOR)
    return cudaErrorNotSupported;
  if (!result || (uintptr_t)result % 64 || !dimensions || !steps || !check_modes(map) ||
      map->rank < 1 || map->rank > SMB_TENSOR_RANK || (map->rank > 1 && !strides))
    return cudaErrorInvalidValue;
  memcpy(map->dimensions, dimensions, map->rank * sizeof *dimensions);
  memcpy(map->steps, steps, map->rank * sizeof *steps);
  if (map->rank > 1)
    memcpy(map->strides, strides, (map->rank - 1) * sizeof *strides);
  if (!check_tensor(map) || !(map->is_im2col ? check_pixels : check_tiles)(map) ||
      !check_bytes(map))
    return cudaErrorInvalidValue;
  smb_tensor_map_encode(map, (uint8_t *)result->opaque);
  return cudaSuccess;
}

cudaError_t
cuTensorMapEncodeTiled(CUtensorMap *result, unsigned type, uint32_t rank, void *address,
                       const uint64_t *dimensions, const uint64_t *strides, const uint32_t *box,
                       const uint32_t *steps, unsigned interleave, unsigned swizzle,
                       unsigned promotion, unsigned fill) {
  SmbTensorMap map = {.address = (uint64_t)(uintptr_t)address,
                      .rank = rank,
                      .type = type,
                      .interleave = interleave,
                      .swizzle = swizzle,
                      .promotion = promotion,
                      .fill = fill};
  if (!box || rank > SMB_TENSOR_RANK)
    return cudaErrorInvalidValue;
  memcpy(map.box, box, rank * sizeof *box);
  return encode_map(result, &map, dimensions, strides, steps);
}

cudaError_t
cuTensorMapEncodeIm2col(CUtensorMap *result, unsigned type, uint32_t rank, void *address,
                        const uint64_t *dimensions, const uint64_t *strides, const int *lower,
                        const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps,
                        unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill) {
  SmbTensorMap map = {.address = (uint64_t)(uintptr_t)address,
                      .is_im2col = true,
                      .rank = rank,
                      .type = type,
                      .interleave = interleave,
                      .swizzle = swizzle,
                      .promotion = promotion,
                      .fill = fill,
                      .channels = channels,
                      .pixels = pixels};
  if (!lower || !upper || rank < 3 || rank > SMB_TENSOR_RANK)
    return cudaErrorInvalidValue;
  memcpy(map.lower, lower, (rank - 2) * sizeof *lower);
  memcpy(map.upper, upper, (rank - 2) * sizeof *upper);
  return encode_map(result, &map, dimensions, strides, steps);
}

// The address alone is another.
cudaError_t
cuTensorMapReplaceAddress(CUtensorMap *result, void *address) {
  SmbTensorMap map;
  if (client_device()->major < FIRST_MAJOR)
    return cudaErrorNotSupported;
  if (!result || !smb_tensor_map_decode((const uint8_t *)result->opaque, &map))
    return cudaErrorInvalidValue;
  map.address = (uint64_t)(uintptr_t)address;
  if (!check_tensor(&map))
    return cudaErrorInvalidValue;
  smb_tensor_map_encode(&map, (uint8_t *)result->opaque);
  return cudaSuccess;
}
