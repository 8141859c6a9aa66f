// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor maps are made (sim/tensor).
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/cu/driver.h"
#include "sim/tensor/map.h"

enum {
  FIRST_MAJOR = 9,        // compute capability with tensor maps
  ALIGN = 64,             // of one
  FIRST_MAJOR_ATOMS = 10, // and with packed types, and chunks that are not of 16 bytes
  SWIZZLE_128 =
      3, // CU_TENSOR_MAP_SWIZZLE_128B; of other chunks: CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, …_ATOM_32B_FLIP_8B, …_ATOM_64B
};

typedef struct {
  uint64_t opaque[SMB_TENSOR_MAP_BYTES / sizeof(uint64_t)];
} CUtensorMap;

static cudaError_t
encode_map(CUtensorMap *result, SmbTensorMap *map, const uint64_t *dimensions,
           const uint64_t *strides, const uint32_t *steps) {
  if (client_device()->major < FIRST_MAJOR)
    return cudaErrorNotSupported;
  if (!result || (uintptr_t)result % ALIGN || !dimensions || !steps || map->rank < 1 ||
      map->rank > SMB_TENSOR_RANK || (map->rank > 1 && !strides))
    return cudaErrorInvalidValue;
  memcpy(map->dimensions, dimensions, map->rank * sizeof *dimensions);
  memcpy(map->steps, steps, map->rank * sizeof *steps);
  if (map->rank > 1)
    memcpy(map->strides, strides, (map->rank - 1) * sizeof *strides);
  if (!smb_tensor_map_check(map, client_device()->opt_in_shared) ||
      (smb_tensor_type_is_packed(map->type) && client_device()->major < FIRST_MAJOR_ATOMS))
    return cudaErrorInvalidValue;
  smb_tensor_map_encode(map, (uint8_t *)result->opaque);
  return cudaSuccess;
}

cudaError_t
cuTensorMapEncodeTiled(CUtensorMap *result, unsigned type, uint32_t rank, void *address,
                       const uint64_t *dimensions, const uint64_t *strides, const uint32_t *box,
                       const uint32_t *steps, unsigned interleave, unsigned swizzle,
                       unsigned promotion, unsigned fill) {
  const bool has_atoms = swizzle > SWIZZLE_128 && client_device()->major >= FIRST_MAJOR_ATOMS;
  SmbTensorMap map = {.address = (uint64_t)(uintptr_t)address,
                      .rank = rank,
                      .type = type,
                      .interleave = interleave,
                      .swizzle = has_atoms ? SWIZZLE_128 : swizzle,
                      .atomicity = has_atoms ? swizzle - SWIZZLE_128 : 0,
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
  if (!smb_tensor_map_check(&map, client_device()->opt_in_shared))
    return cudaErrorInvalidValue;
  smb_tensor_map_encode(&map, (uint8_t *)result->opaque);
  return cudaSuccess;
}
