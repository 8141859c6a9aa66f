// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor maps: what a copy of a box of a tensor (TMA) finds in its descriptor of 128 bytes, and which bytes it moves. Plain C: the
// runtime of a program, which makes them, has it as well. How bytes are placed was compared with 12,653 random copies on an H200
// (driver 580, 2026-11-29; tests/run/kernel/tensor-maps.cu), of which all are equal.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
  SMB_TENSOR_MAP_BYTES = 128,
  SMB_TENSOR_RANK = 5,    // at most
  SMB_TENSOR_SPATIAL = 3, // dimensions of pixels, at most
  SMB_TENSOR_CHUNK = 16,  // bytes that a swizzle keeps together
  SMB_TENSOR_ATOMICITIES = 4,
  SMB_TENSOR_PICKED = 4, // rows of a copy that names each of them
};

// Numbers as in CUtensorMapDataType.
typedef enum {
  SMB_TENSOR_U8,
  SMB_TENSOR_U16,
  SMB_TENSOR_U32,
  SMB_TENSOR_S32,
  SMB_TENSOR_U64,
  SMB_TENSOR_S64,
  SMB_TENSOR_F16,
  SMB_TENSOR_F32,
  SMB_TENSOR_F64,
  SMB_TENSOR_BF16,
  SMB_TENSOR_F32_FTZ,
  SMB_TENSOR_TF32,
  SMB_TENSOR_TF32_FTZ,
  SMB_TENSOR_U4,        // packed, since sm_100: of 4 bits
  SMB_TENSOR_U4_SPREAD, // 16 of them in the first half of 16 bytes of shared memory
  SMB_TENSOR_U6_SPREAD, // 16 of 6 bits in the first 12 of 16 bytes
  SMB_TENSOR_TYPES,
} SmbTensorType;

/**
 * SmbTensorUnit: the least that is copied of a row
 * @elements: that it has
 * @bytes: in the tensor
 * @shared_bytes: in shared memory
 */
typedef struct {
  uint8_t elements, bytes, shared_bytes;
} SmbTensorUnit;

/**
 * SmbTensorMap: a tensor, and how boxes of it are copied
 * @address: of its first element
 * @interleave: 0; 1, 2: an element of the first dimension is a slice of 16 or 32 bytes
 * @swizzle: 0; 1, 2, 3: chunks of 16 bytes within 32, 64, 128 bytes
 * @atomicity: 0; within 128 bytes (sm_100; PTX ISA, "tensormap.replace"): 1: chunks of 32 bytes; 2: the same, and halves of each 16 bytes change places in
 *   each second row; 3: chunks of 64 bytes
 * @promotion, @fill: as in the driver's enumerations
 * @dimensions: elements
 * @strides: bytes from an element of each dimension but the first to the next
 * @steps: of the box: every how many elements of a dimension are copied
 * @box: elements that it spans; of a map that is not of pixels
 * @lower, @upper: of the box of pixels: where it begins, and by how much it ends beyond the tensor
 * @channels, @pixels: that a copy of pixels moves
 */
typedef struct {
  uint64_t address;
  bool is_im2col;
  uint32_t rank, type, interleave, swizzle, atomicity, promotion, fill;
  uint64_t dimensions[SMB_TENSOR_RANK], strides[SMB_TENSOR_RANK - 1];
  uint32_t steps[SMB_TENSOR_RANK], box[SMB_TENSOR_RANK];
  int32_t lower[SMB_TENSOR_SPATIAL], upper[SMB_TENSOR_SPATIAL];
  uint32_t channels, pixels;
} SmbTensorMap;

/**
 * SmbTensorBox: a box of a tensor
 * @coordinates: of its first element
 * @offsets: of an im2col map: of the pixels that are loaded to those of the box
 * @leaves: it is stored to the tensor
 * @picks_rows: @coordinates are that of the first column, and those of SMB_TENSOR_PICKED rows (smb_tensor_map_pick_rows())
 */
typedef struct {
  int32_t coordinates[SMB_TENSOR_RANK];
  uint32_t offsets[SMB_TENSOR_SPATIAL];
  bool leaves;
  bool picks_rows;
} SmbTensorBox;

// What map-fields.def says is in a map.
typedef enum {
#define FIELD(name, at, step, width) SMB_TENSOR_FIELD_##name,
#include "sim/tensor/map-fields.def"
#undef FIELD
} SmbTensorField;

// Bits of a map, from the lowest of its first byte on.
typedef struct {
  uint32_t at, width;
} SmbTensorPlace;

// Bytes that lie side by side in the tensor and in the box.
typedef struct {
  uint64_t at;      // from the start of the box in shared memory on, before it is swizzled
  uint64_t address; // in the tensor
  uint32_t bytes;
  bool is_outside; // of the tensor: filled when it is loaded, left out when it is stored
} SmbTensorRun;

// FALSE: no more.
typedef bool (*SmbTensorVisit)(void *user, const SmbTensorRun *run);

// Where the @i-th of several is, or the only one.
SmbTensorPlace smb_tensor_map_place(SmbTensorField field, unsigned i);

SmbTensorUnit smb_tensor_type_unit(uint32_t type);

// Whether it has several elements in a byte, as of sm_100 on. How these lie is by cuda.h and by the PTX ISA ("Packed Data Types"); it was compared with no device.
bool smb_tensor_type_is_packed(uint32_t type);

// Bits of each corner of the box of an im2col map.
uint32_t smb_tensor_corner_bits(uint32_t rank);

// Bytes that a map says its box has, which is not what is copied where steps do not divide the box, or slices are.
uint64_t smb_tensor_map_bytes(const SmbTensorMap *map);

/** smb_tensor_map_check: Returns: whether the driver makes this map. @shared_bytes: that a block can have */
bool smb_tensor_map_check(const SmbTensorMap *map, uint64_t shared_bytes);

/** smb_tensor_map_encode: of one that smb_tensor_map_check() accepts */
void smb_tensor_map_encode(const SmbTensorMap *map, uint8_t bytes[SMB_TENSOR_MAP_BYTES]);

/** smb_tensor_map_decode: Returns: false: the bytes are no tensor map, or one whose copies are not known */
bool smb_tensor_map_decode(const uint8_t bytes[SMB_TENSOR_MAP_BYTES], SmbTensorMap *map);

/** smb_tensor_map_pick_rows: Makes the box of a map that of copies which name its rows (tile::gather4 and tile::scatter4 of sm_100; by the PTX ISA:
 * they were compared with no device). Returns: false: the map is not for these */
bool smb_tensor_map_pick_rows(SmbTensorMap *map);

/** smb_tensor_map_recognize: Returns: whether these bytes may be a tensor map of any chip: not if they are zeros, or have another type or rank */
bool smb_tensor_map_recognize(const uint8_t bytes[SMB_TENSOR_MAP_BYTES]);

/** smb_tensor_box_problem: Returns: why an H200 ends the launch of a copy of this box with an illegal instruction; or NULL */
const char *smb_tensor_box_problem(const SmbTensorMap *map, const SmbTensorBox *box);

/** smb_tensor_box_bytes: Returns: bytes that are copied, and complete on an mbarrier, outside of the tensor or not; none that are left free */
uint64_t smb_tensor_box_bytes(const SmbTensorMap *map);

/** smb_tensor_box_rows: Returns: rows of a box, outside of the tensor or not; of one of pixels these */
uint64_t smb_tensor_box_rows(const SmbTensorMap *map);

/** smb_tensor_row_bytes: Returns: of a row of a box, outside of the tensor or not */
uint64_t smb_tensor_row_bytes(const SmbTensorMap *map);

/** smb_tensor_row_pitch: Returns: bytes from row to row in shared memory: with a swizzle, each begins a span of it */
uint64_t smb_tensor_row_pitch(const SmbTensorMap *map);

/** smb_tensor_box_flat_rows: Returns: how many rows of a box follow each other in one dimension, before it goes on elsewhere; 0: none do. @stride: (out): of
 * them in the tensor, in bytes; 0: there is one row only */
uint64_t smb_tensor_box_flat_rows(const SmbTensorMap *map, uint64_t *stride);

/** smb_tensor_box_rows_of_width: Returns: how many rows a box has for one width, and then again for the next, since its last dimension leads on along the rows;
 * 0: it does not */
uint64_t smb_tensor_box_rows_of_width(const SmbTensorMap *map);

/** smb_tensor_box_walk: Visits what a copy moves, until @visit returns false. */
void smb_tensor_box_walk(const SmbTensorMap *map, const SmbTensorBox *box, SmbTensorVisit visit,
                         void *user);

/** smb_tensor_swizzle: Returns: where a byte lies that would be at @address of shared memory without a swizzle. How chunks that are not of 16 bytes change places is by cuda.h
 * ("swap lower 8B with upper 8B within each 16B for every alternate row"), of which the second row is taken to be the first one, and was compared with no device. */
uint64_t smb_tensor_swizzle(const SmbTensorMap *map, uint64_t address);

/** smb_tensor_swizzle_unit: Returns: bytes that stay together then */
uint32_t smb_tensor_swizzle_unit(const SmbTensorMap *map);

/** smb_tensor_convert: What a load makes of bytes inside the tensor. */
void smb_tensor_convert(const SmbTensorMap *map, uint8_t *bytes, uint32_t n);

/** smb_tensor_fill: What it puts where it finds none. */
void smb_tensor_fill(const SmbTensorMap *map, uint8_t *bytes, uint32_t n);
