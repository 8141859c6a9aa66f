// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// tcgen05: instructions of tensor memory (PTX ISA 9.0, section 9.7.16), but for alloc (bulk.c) and commit (mbarrier.c). Nothing is known of products with .ashift, or with a mask
// of columns that is not zero.
#include <stdio.h>
#include <string.h>

#include "sim/ptx/decode/decode.h"

enum {
  FACTOR_QUANTUM = 16, // bytes
  WORD_BYTES = 4,      // of tensor memory
};

// Where findings in tensor memory say that they are.
static const Transfer *
add_tensor_site(const PtxDecoder *decoder, gboolean loads) {
  return smb_build_apart(&decoder->build, loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE,
                         WORD_BYTES);
}

// [address]. FALSE with an error.
static gboolean
set_tensor_address(PtxDecoder *decoder, guint index, TensorPlace *place) {
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  if (!smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, index), AREA_SHARED))
    return FALSE;
  *place = (TensorPlace){transfer->address_rows ? transfer->address : NO_MATRIX,
                         (guint32)transfer->offset};
  return TRUE;
}

// tcgen05.dealloc address, columns
PtxResult
smb_ptx_decode_tensor_free(PtxDecoder *decoder) {
  Row address = smb_ptx_row(decoder, smb_ptx_operand(decoder, 0), 4, FALSE);
  Row columns = smb_ptx_row(decoder, smb_ptx_operand(decoder, 1), 4, FALSE);
  if (address == NO_ROW || columns == NO_ROW)
    return smb_ptx_wants(decoder, "an address, and a number of columns");
  smb_build_tensor_free(&decoder->build, address, columns, add_tensor_site(decoder, FALSE));
  return PTX_DECODED;
}

// --- tcgen05.ld.SPREAD.xN{.pack::16b} data, [address]{, split}; tcgen05.st.SPREAD.xN{.unpack::16b} [address]{, split}, data;
// tcgen05.ld.red.SPREAD.xN.EXTREME{.abs}{.NaN}.TYPE data, extreme, [address]{, split}

// How registers are spread, and how many there are. FALSE: it does not say.
static gboolean
find_spread(const PtxDecoder *decoder, TensorMove *move, guint *n) {
  static const struct {
    const char *name;
    TensorSpread spread;
    guint registers; // of .x1
  } spreads[] = {{"32x32b", TENSOR_32X32, 1},
                 {"16x64b", TENSOR_16X64, 1},
                 {"16x128b", TENSOR_16X128, 2},
                 {"16x256b", TENSOR_16X256, 4},
                 {"16x32bx2", TENSOR_16X32X2, 1}};
  guint times = 0, registers = 0;
  for (guint i = 2; decoder->parts[i]; i++) {
    if (times == 0 && sscanf(decoder->parts[i], "x%3u", &times) != 1)
      times = 0;
    for (guint k = 0; k < G_N_ELEMENTS(spreads); k++)
      if (strcmp(decoder->parts[i], spreads[k].name) == 0) {
        move->spread = spreads[k].spread;
        registers = spreads[k].registers;
      }
  }
  *n = times * registers;
  return *n > 0 && *n <= TENSOR_REGISTERS;
}

// The least or the largest number of what a lane has loaded. FALSE: it is not what PTX has.
static gboolean
add_extreme(PtxDecoder *decoder, const TensorMove *move) {
  static const Operation extremes[][3] = {
      {OPERATION_MIN_F32, OPERATION_MIN_U32, OPERATION_MIN_S32},
      {OPERATION_MAX_F32, OPERATION_MAX_U32, OPERATION_MAX_S32}};
  const Operation *of_type = extremes[smb_ptx_has_part(decoder, "max")];
  guint type = smb_ptx_has_part(decoder, "u32") ? 1 : smb_ptx_has_part(decoder, "s32") ? 2 : 0;
  Compute step = {.operation = of_type[type],
                  .modifiers = (smb_ptx_has_part(decoder, "abs") ? MODIFIER_ABSOLUTE : 0) |
                               (smb_ptx_has_part(decoder, "NaN") ? MODIFIER_NAN : 0),
                  .d = smb_ptx_row(decoder, smb_ptx_operand(decoder, 1), 4, type == 0)};
  if (step.d == NO_ROW || step.d & ROW_CONSTANT || move->n < 2)
    return FALSE;
  for (guint i = 1; i < move->n; i++) {
    step.s[0] = i == 1 ? move->data[0] : step.d;
    step.s[1] = move->data[i];
    smb_ptx_add_compute(decoder, &step);
  }
  return TRUE;
}

PtxResult
smb_ptx_decode_tensor_move(PtxDecoder *decoder) {
  gboolean loads = decoder->argument, reduces = smb_ptx_has_part(decoder, "red");
  TensorStep *step = smb_code_new_tensor(decoder->code);
  TensorMove *move = &step->move;
  guint n, place = loads ? 1 + (guint)reduces : 0;
  if (!find_spread(decoder, move, &n))
    return smb_ptx_wants(decoder, "a shape, and a number of registers");
  gboolean is_split = move->spread == TENSOR_16X32X2;
  const PtxOperand *data = smb_ptx_operand(decoder, loads ? 0 : is_split ? 2 : 1);
  gboolean is_list = data->kind == PTX_OPERAND_VECTOR;
  if (is_split) {
    const PtxOperand *split = smb_ptx_operand(decoder, place + 1);
    if (split->kind != PTX_OPERAND_INTEGER)
      return smb_ptx_wants(decoder, "a constant: columns to the second half");
    move->split = (guint32)split->bits;
  }
  move->packs = smb_ptx_has_part(decoder, "pack::16b") || smb_ptx_has_part(decoder, "unpack::16b");
  move->n = is_list ? data->n : 1;
  if (move->n != n)
    return smb_ptx_wants(decoder, "as many registers as the shape has");
  for (guint i = 0; i < n; i++) {
    move->data[i] =
        smb_ptx_row(decoder, is_list ? smb_ptx_element(decoder, data, i) : data, 4, FALSE);
    if (move->data[i] == NO_ROW || (loads && move->data[i] & ROW_CONSTANT))
      return smb_ptx_wants(decoder, "registers of 32 bits");
  }
  if (!set_tensor_address(decoder, place, &move->place))
    return PTX_FAILED;
  smb_build_tensor(&decoder->build, loads ? STEP_TENSOR_LOAD : STEP_TENSOR_STORE, step,
                   add_tensor_site(decoder, loads));
  return !reduces || add_extreme(decoder, move)
             ? PTX_DECODED
             : smb_ptx_wants(decoder, "two registers or more, and one for the extreme");
}

// tcgen05.shift.down [address]
PtxResult
smb_ptx_decode_tensor_shift(PtxDecoder *decoder) {
  TensorStep *step = smb_code_new_tensor(decoder->code);
  if (!set_tensor_address(decoder, 0, &step->move.place))
    return PTX_FAILED;
  smb_build_tensor(&decoder->build, STEP_TENSOR_SHIFT, step, NULL);
  return smb_ptx_add_opaque(decoder, LOOKS | APART_ONLY);
}

// The blocks that an instruction concerns: .cta_group::1 or ::2.
static guint
count_pair(const PtxDecoder *decoder) {
  return smb_ptx_has_part(decoder, "cta_group::2") ? 2 : 1;
}

// --- tcgen05.cp.ROWSxBITSb{.WARPS}{.TO.FROM} [address], matrix

PtxResult
smb_ptx_decode_tensor_copy(PtxDecoder *decoder) {
  static const struct {
    const char *shape, *warps;
    TensorRows rows;
    guint bytes;
  } shapes[] = {{"128x256b", NULL, TENSOR_ALL_ROWS, 32},
                {"4x256b", NULL, TENSOR_FOUR_ROWS, 32},
                {"128x128b", NULL, TENSOR_ALL_ROWS, 16},
                {"64x128b", "warpx2::02_13", TENSOR_HALF_02_13, 16},
                {"64x128b", "warpx2::01_23", TENSOR_HALF_01_23, 16},
                {"32x128b", "warpx4", TENSOR_QUARTER, 16}};
  TensorStep *step = smb_code_new_tensor(decoder->code);
  TensorCopy *copy = &step->copy;
  for (guint i = 0; i < G_N_ELEMENTS(shapes) && !copy->bytes; i++)
    if (smb_ptx_has_part(decoder, shapes[i].shape) &&
        (!shapes[i].warps || smb_ptx_has_part(decoder, shapes[i].warps))) {
      copy->rows = shapes[i].rows;
      copy->bytes = shapes[i].bytes;
    }
  if (!copy->bytes)
    return smb_ptx_wants(decoder, "a shape");
  copy->blocks = count_pair(decoder);
  copy->unpacked = smb_ptx_has_part(decoder, "b6x16_p32")   ? 6
                   : smb_ptx_has_part(decoder, "b4x16_p64") ? 4
                                                            : 0;
  copy->matrix = smb_ptx_row(decoder, smb_ptx_operand(decoder, 1), 8, FALSE);
  if (copy->matrix == NO_ROW)
    return smb_ptx_wants(decoder, "a descriptor");
  if (!set_tensor_address(decoder, 0, &copy->place))
    return PTX_FAILED;
  smb_build_tensor(&decoder->build, STEP_TENSOR_COPY, step,
                   smb_build_apart(&decoder->build, SMB_OP_CLASS_LOAD, FACTOR_QUANTUM));
  return PTX_DECODED;
}

// --- tcgen05.mma{.ws}{.sp}.cta_group.kind… [d], a, b{, [metadata]}, form{, [scale of a], [scale of b]}{, {lanes that are left alone}}, whether d is added{, what d is
// multiplied by}; of .ws, a mask of columns behind. a is a descriptor, or [a].

static gboolean
find_kind(const PtxDecoder *decoder, TensorKind *kind) {
  static const char *const kinds[N_TENSOR_KINDS] = {
      [TENSOR_KIND_F16] = "kind::f16",           [TENSOR_KIND_TF32] = "kind::tf32",
      [TENSOR_KIND_F8F6F4] = "kind::f8f6f4",     [TENSOR_KIND_I8] = "kind::i8",
      [TENSOR_KIND_MXF8F6F4] = "kind::mxf8f6f4", [TENSOR_KIND_MXF4] = "kind::mxf4"};
  for (guint i = 0; i < N_TENSOR_KINDS; i++)
    if (smb_ptx_has_part(decoder, kinds[i])) {
      *kind = (TensorKind)i;
      return TRUE;
    }
  *kind = TENSOR_KIND_MXF4;
  return smb_ptx_has_part(decoder, "kind::mxf4nvf4");
}

// How many scales each row of a kind has, if they are not named: PTX ISA, "tcgen05.mma", .scale_vectorsize.
static guint
count_scales(const PtxDecoder *decoder, TensorKind kind) {
  if (kind == TENSOR_KIND_MXF8F6F4)
    return 1;
  return smb_ptx_has_part(decoder, "scale_vec::4X") || smb_ptx_has_part(decoder, "block16") ? 4 : 2;
}

// What stands behind the instruction descriptor, from operand @i on. FALSE: it is not what PTX has.
static gboolean
take_rest(PtxDecoder *decoder, guint i, TensorProduct *product) {
  const PtxOperand *disabled = smb_ptx_operand(decoder, i);
  if (disabled->kind == PTX_OPERAND_VECTOR) {
    product->n_disabled = disabled->n;
    for (guint k = 0; k < disabled->n; k++) {
      product->disabled[MIN(k, TENSOR_MASK_WORDS - 1)] =
          smb_ptx_row(decoder, smb_ptx_element(decoder, disabled, k), 4, FALSE);
      if (k >= TENSOR_MASK_WORDS || product->disabled[k] == NO_ROW)
        return FALSE;
    }
    i++;
  }
  if (!smb_ptx_condition(decoder, i, &product->adds, &product->adds_unless))
    return FALSE;
  const PtxOperand *last = smb_ptx_operand(decoder, i + 1);
  if (product->is_stationary && smb_ptx_has_operand(decoder, i + 1)) {
    product->masked = smb_ptx_row(decoder, last, 8, FALSE);
    return product->masked != NO_ROW;
  }
  if (last->kind == PTX_OPERAND_INTEGER)
    product->scale = (guint)last->bits;
  return TRUE;
}

PtxResult
smb_ptx_decode_tensor_product(PtxDecoder *decoder) {
  TensorStep *step = smb_code_new_tensor(decoder->code);
  TensorProduct *product = &step->product;
  product->masked = NO_MATRIX;
  gboolean is_scaled = smb_ptx_has_part(decoder, "block_scale");
  gboolean is_tensor = smb_ptx_operand(decoder, 1)->kind == PTX_OPERAND_ADDRESS;
  product->is_sparse = smb_ptx_has_part(decoder, "sp");
  guint form = product->is_sparse ? 4 : 3;
  product->is_lost = !find_kind(decoder, &product->kind) ||
                     is_scaled != (product->kind >= TENSOR_KIND_MXF8F6F4) ||
                     smb_ptx_has_part(decoder, "ashift");
  product->n_scales = is_scaled ? count_scales(decoder, product->kind) : 0;
  product->is_stationary = smb_ptx_has_part(decoder, "ws");
  product->blocks = count_pair(decoder);
  product->left =
      is_tensor ? NO_MATRIX : smb_ptx_row(decoder, smb_ptx_operand(decoder, 1), 8, FALSE);
  product->right = smb_ptx_row(decoder, smb_ptx_operand(decoder, 2), 8, FALSE);
  product->form = smb_ptx_row(decoder, smb_ptx_operand(decoder, form), 4, FALSE);
  if ((!is_tensor && product->left == NO_ROW) || product->right == NO_ROW ||
      product->form == NO_ROW || !take_rest(decoder, form + (is_scaled ? 3 : 1), product))
    return smb_ptx_wants(decoder, "factors, an instruction descriptor, and whether D is added");
  if (!set_tensor_address(decoder, 0, &product->d) ||
      (is_tensor && !set_tensor_address(decoder, 1, &product->a)) ||
      (product->is_sparse && !set_tensor_address(decoder, 3, &product->metadata)) ||
      (is_scaled && (!set_tensor_address(decoder, form + 1, &product->scale_a) ||
                     !set_tensor_address(decoder, form + 2, &product->scale_b))))
    return PTX_FAILED;
  Transfer *site = smb_build_apart(&decoder->build, SMB_OP_CLASS_LOAD, FACTOR_QUANTUM);
  product->site = site->move.site;
  smb_build_tensor(&decoder->build, STEP_TENSOR_PRODUCT, step, site);
  return PTX_DECODED;
}
