// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Changes of tensor maps (PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy") as the loads and stores that ptxas 13.0
// makes of them for sm_90a, with their requests: of a word with several fields, a load and a store; of a copy, a load and an
// exchange by each lane. Not modelled are the swizzles of later chips (values above 3, swizzle_atomicity).
#include <string.h>

#include "sim/ptx/decode/decode.h"
#include "sim/tensor/map.h"

// A field of a map that is replaced by a number.
typedef struct {
  const char *name;
  SmbTensorField field;
  guint8 bytes;       // of the number
  gboolean is_one_of; // several, which the operand before the number chooses from
  gboolean is_less;   // it is stored less 1
  guint8 values;      // it has so many, as a constant; 0: any, in a register or not
} MapChange;

static const MapChange changes[] = {
    {"global_address", SMB_TENSOR_FIELD_ADDRESS, 8, FALSE, FALSE, 0},
    {"rank", SMB_TENSOR_FIELD_RANK, 4, FALSE, FALSE, 0},
    {"box_dim", SMB_TENSOR_FIELD_BOX, 4, TRUE, TRUE, 0},
    {"global_dim", SMB_TENSOR_FIELD_DIMENSION, 4, TRUE, TRUE, 0},
    {"global_stride", SMB_TENSOR_FIELD_STRIDE, 8, TRUE, FALSE, 0},
    {"element_stride", SMB_TENSOR_FIELD_STEP, 4, TRUE, TRUE, 0},
    {"elemtype", SMB_TENSOR_FIELD_TYPE, 4, FALSE, FALSE, SMB_TENSOR_TYPES},
    {"interleave_layout", SMB_TENSOR_FIELD_INTERLEAVE, 4, FALSE, FALSE, 3},
    {"swizzle_mode", SMB_TENSOR_FIELD_SWIZZLE, 4, FALSE, FALSE, 4},
    {"fill_mode", SMB_TENSOR_FIELD_FILL, 4, FALSE, FALSE, 2},
};

static Row
add_map_step(PtxDecoder *decoder, Operation operation, Row a, Row b) {
  Compute compute = {
      .operation = (guint16)operation, .d = smb_code_new_rows(decoder->code, 1), .s = {a, b}};
  smb_ptx_add_compute(decoder, &compute);
  return compute.d;
}

// A load or store of words of the map at the first operand, from byte @at on. NULL with an error.
static Transfer *
new_map_transfer(PtxDecoder *decoder, guint at, guint n_words) {
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  if (!smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, 0), smb_ptx_area(decoder)))
    return NULL;
  transfer->offset += at;
  transfer->bytes = 4;
  transfer->rows = 1;
  transfer->n_components = n_words;
  return transfer;
}

static gboolean
store_map_words(PtxDecoder *decoder, guint at, guint n_words, Row row) {
  Transfer *transfer = new_map_transfer(decoder, at, n_words);
  for (guint i = 0; transfer && i < n_words; i++)
    transfer->data[i] = row + i;
  if (transfer)
    smb_build_access(&decoder->build, transfer, FALSE, smb_ptx_area(decoder) == AREA_GENERIC);
  return transfer != NULL;
}

// Some bits of a map, counted as in map-fields.def. @count: numbers whose bits are in one word: of each, its place and @rows.
static gboolean
replace_bits(PtxDecoder *decoder, guint count, const SmbTensorPlace *places, const Row *rows) {
  guint word = places[0].at / 32;
  if (places[0].width >= 32)
    return store_map_words(decoder, word * 4, places[0].width / 32, rows[0]);
  Transfer *load = new_map_transfer(decoder, word * 4, 1);
  if (!load)
    return FALSE;
  Row row = load->data[0] = smb_code_new_rows(decoder->code, 1);
  smb_build_access(&decoder->build, load, TRUE, smb_ptx_area(decoder) == AREA_GENERIC);
  for (guint i = 0; i < count; i++) {
    Compute insert = {.operation = OPERATION_BFI_32,
                      .d = smb_code_new_rows(decoder->code, 1),
                      .s = {rows[i], row, smb_ptx_constant(decoder, places[i].at % 32, 4),
                            smb_ptx_constant(decoder, places[i].width, 4)}};
    smb_ptx_add_compute(decoder, &insert);
    row = insert.d;
  }
  return store_map_words(decoder, word * 4, 1, row);
}

// A stride of 36 bits, without its lowest four, in two places.
static gboolean
replace_stride(PtxDecoder *decoder, guint nth, Row row) {
  SmbTensorPlace low = smb_tensor_map_place(SMB_TENSOR_FIELD_STRIDE, nth);
  SmbTensorPlace high = smb_tensor_map_place(SMB_TENSOR_FIELD_STRIDE_HIGH, nth);
  Compute shift = {.operation = OPERATION_SHR_U64,
                   .d = smb_code_new_rows(decoder->code, 2),
                   .s = {row, smb_ptx_constant(decoder, 4, 4)}};
  smb_ptx_add_compute(decoder, &shift);
  Row upper = shift.d + 1;
  return replace_bits(decoder, 1, &low, &shift.d) && replace_bits(decoder, 1, &high, &upper);
}

// Types and swizzles: a mode of later chips is taken back, and TF32 is a bit of its own, which other types leave as it is.
static gboolean
replace_mode(PtxDecoder *decoder, SmbTensorField field, guint value) {
  SmbTensorPlace places[2] = {smb_tensor_map_place(field, 0)};
  Row rows[2] = {smb_ptx_constant(decoder, value, 4)};
  guint n = 1;
  if (field == SMB_TENSOR_FIELD_SWIZZLE) {
    rows[n] = smb_ptx_constant(decoder, 0, 4);
    places[n++] = smb_tensor_map_place(SMB_TENSOR_FIELD_SWIZZLE_HIGH, 0);
  }
  const guint tf32 = 11, code = 7; // the first of two types that are those of F32 with that bit
  const guint packed = 13;         // the first of those whose codes come next
  if (field == SMB_TENSOR_FIELD_TYPE && value >= packed) {
    rows[0] = smb_ptx_constant(decoder, value - packed + tf32, 4);
  } else if (field == SMB_TENSOR_FIELD_TYPE && value >= tf32) {
    rows[0] = smb_ptx_constant(decoder, value - tf32 + code, 4);
    rows[n] = smb_ptx_constant(decoder, 1, 4);
    places[n++] = smb_tensor_map_place(SMB_TENSOR_FIELD_IS_TF32, 0);
  }
  return replace_bits(decoder, n, places, rows);
}

static const MapChange *
find_map_change(const PtxDecoder *decoder) {
  for (guint i = 0; i < G_N_ELEMENTS(changes); i++)
    if (smb_ptx_has_part(decoder, changes[i].name))
      return &changes[i];
  return NULL;
}

// tensormap.replace.tile.FIELD.SPACE.b1024.TYPE [map]{, which}, number
PtxResult
smb_ptx_decode_replace(PtxDecoder *decoder) {
  const MapChange *change = find_map_change(decoder);
  guint n = decoder->instruction->n_operands, nth = 0;
  if (!change)
    return PTX_UNKNOWN;
  const PtxOperand *value = smb_ptx_operand(decoder, n - 1);
  if (n != (change->is_one_of ? 3u : 2u))
    return smb_ptx_wants(decoder, change->is_one_of ? "which of them, and a number" : "a number");
  if (change->is_one_of) {
    const PtxOperand *which = smb_ptx_operand(decoder, 1);
    guint most = change->field == SMB_TENSOR_FIELD_STRIDE ? SMB_TENSOR_RANK - 1 : SMB_TENSOR_RANK;
    if (which->kind != PTX_OPERAND_INTEGER || which->bits >= most)
      return smb_ptx_wants(decoder, "the number of a dimension");
    nth = (guint)which->bits;
  }
  if (change->values) {
    if (value->kind != PTX_OPERAND_INTEGER)
      return smb_ptx_wants(decoder, "a constant");
    return value->bits >= change->values                              ? PTX_UNKNOWN
           : replace_mode(decoder, change->field, (guint)value->bits) ? PTX_DECODED
                                                                      : PTX_FAILED;
  }
  Row row = smb_ptx_row(decoder, value, change->bytes, FALSE);
  if (row == NO_ROW)
    return smb_ptx_wants(decoder, "a register or a number");
  if (change->is_less)
    row = add_map_step(decoder, OPERATION_SUB_32, row, smb_ptx_constant(decoder, 1, 4));
  SmbTensorPlace place = smb_tensor_map_place(change->field, nth);
  gboolean ok = change->field == SMB_TENSOR_FIELD_STRIDE ? replace_stride(decoder, nth, row)
                                                         : replace_bits(decoder, 1, &place, &row);
  return ok ? PTX_DECODED : PTX_FAILED;
}

// The word of each lane of what an address names.
static gboolean
set_lane_word(PtxDecoder *decoder, Transfer *transfer, guint operand, PtxArea area, Row bytes) {
  transfer->bytes = 4;
  transfer->rows = 1;
  transfer->n_components = 1;
  if (!smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, operand), area))
    return FALSE;
  if (transfer->address_rows == 2) {
    Compute widen = {
        .operation = OPERATION_CVT_64_U32, .d = smb_code_new_rows(decoder->code, 2), .s = {bytes}};
    smb_ptx_add_compute(decoder, &widen);
    Compute add = {.operation = OPERATION_ADD_64,
                   .d = smb_code_new_rows(decoder->code, 2),
                   .s = {transfer->address, widen.d}};
    smb_ptx_add_compute(decoder, &add);
    transfer->address = add.d;
    return TRUE;
  }
  transfer->address = transfer->address_rows == 0
                          ? bytes
                          : add_map_step(decoder, OPERATION_ADD_32, transfer->address, bytes);
  transfer->address_rows = 1;
  return TRUE;
}

// tensormap.cp_fenceproxy.global.shared::cta.… [to], [from], 128
PtxResult
smb_ptx_decode_copy_map(PtxDecoder *decoder) {
  const PtxOperand lane = {.kind = PTX_OPERAND_SPECIAL, .text = "%laneid"};
  const PtxOperand *size = smb_ptx_operand(decoder, 2);
  if (size->kind != PTX_OPERAND_INTEGER || size->bits != SMB_TENSOR_MAP_BYTES)
    return smb_ptx_wants(decoder, "128 bytes");
  Row bytes = add_map_step(decoder, OPERATION_SHL_32, smb_ptx_row(decoder, &lane, 4, FALSE),
                           smb_ptx_constant(decoder, 2, 4));
  Transfer *load = smb_code_new_transfer(decoder->code);
  if (!set_lane_word(decoder, load, 1, AREA_SHARED, bytes))
    return PTX_FAILED;
  Row row = load->data[0] = smb_code_new_rows(decoder->code, 1);
  smb_build_access(&decoder->build, load, TRUE, FALSE);
  Transfer *store = smb_code_new_transfer(decoder->code);
  if (!set_lane_word(decoder, store, 0, AREA_GLOBAL, bytes))
    return PTX_FAILED;
  store->operands[0] = row;
  const AtomicAccess access = {
      .atomic = ATOMIC_EXCHANGE, .kind = SMB_SCALAR_U32, .width = 4, .done = NO_ROW};
  smb_build_atomic(&decoder->build, store, &access);
  return PTX_DECODED;
}
