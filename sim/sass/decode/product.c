// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices in registers: HMMA, IMMA, DMMA, QMMA, OMMA and BMMA. Registers of an operand follow each other, in the order of
// the fragments of mma.sync, of which ptxas makes them. Sparse ones (.SP) have metadata and a
// selector behind them. Scaled ones (.SF) have the scales of A and of B behind them, and a uniform register that says where these are: bits 0 and 1, the first byte of A's; bit 2, the lanes
// of A's; bits 3 and 4, and 5 and 6, the same of B's (from what ptxas 13.0 makes of each). Results are unknown of sparse ones with scales, and of HMMA.884 of sm_75, which has four steps.
#include <string.h>

#include "sim/sass/decode/decode.h"

// The argument of the table's row.
enum {
  OF_HALVES,
  OF_INTEGERS,
  OF_DOUBLES,
  OF_NARROWS,
  OF_BITS,
  OF_STEPS,
  OF_SCALED,
  OF_PACKED, // the same, of two numbers in a byte
};

typedef struct {
  SassPart part;
  guint8 rows;
  guint16 depth;
} ProductShape;

static gboolean
find_shape(const SassDecoder *decoder, ProductForm *form) {
  static const ProductShape shapes[] = {
      {PART_1684, 16, 4},     {PART_1688, 16, 8},     {PART_16816, 16, 16},   {PART_16832, 16, 32},
      {PART_16864, 16, 64},   {PART_8816, 8, 16},     {PART_8832, 8, 32},     {PART_88128, 8, 128},
      {PART_168128, 16, 128}, {PART_168256, 16, 256}, {PART_884, 8, 4},       {PART_8x8x4, 8, 4},
      {PART_16x8x4, 16, 4},   {PART_16x8x8, 16, 8},   {PART_16x8x16, 16, 16},
  };
  for (guint i = 0; i < G_N_ELEMENTS(shapes); i++)
    if (smb_sass_has(decoder, shapes[i].part)) {
      form->rows = shapes[i].rows;
      form->depth = shapes[i].depth;
      return TRUE;
    }
  return FALSE;
}

// What a part says of the numbers of a factor. FALSE: nothing that is modelled.
static gboolean
find_product_part(SassPart part, guint8 *number) {
  static const SassChoice numbers[] = {
      {PART_U8, PRODUCT_U8},     {PART_S8, PRODUCT_S8},     {PART_U4, PRODUCT_U4},
      {PART_S4, PRODUCT_S4},     {PART_E4M3, PRODUCT_E4M3}, {PART_E5M2, PRODUCT_E5M2},
      {PART_E3M2, PRODUCT_E3M2}, {PART_E2M3, PRODUCT_E2M3}, {PART_E2M1, PRODUCT_E2M1_MIDDLE}};
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    if (numbers[i].part == part) {
      *number = (guint8)numbers[i].value;
      return TRUE;
    }
  return FALSE;
}

// The numbers of both factors, which parts say one behind the other.
static gboolean
find_factors(const SassDecoder *decoder, ProductForm *form) {
  const guint16 *parts = decoder->instruction->parts;
  for (guint i = 0; parts[i] && parts[i + 1]; i++)
    if (find_product_part((SassPart)parts[i], &form->a))
      return find_product_part((SassPart)parts[i + 1], &form->b);
  return FALSE;
}

static gboolean
find_product_parts(const SassDecoder *decoder, ProductForm *form) {
  static const SassChoice halves[] = {{PART_BF16, PRODUCT_BF16}, {PART_TF32, PRODUCT_TF32}};
  switch (decoder->argument) {
  case OF_HALVES:
    form->a = form->b = (guint8)SASS_CHOOSE(decoder, halves, PRODUCT_F16);
    // what is said of C is said of D alike, or is not modelled
    form->sum = smb_sass_has(decoder, PART_F32) ? PRODUCT_F32 : PRODUCT_F16;
    return TRUE;
  case OF_INTEGERS:
    form->sum = PRODUCT_S32;
    form->saturates = smb_sass_has(decoder, PART_SAT);
    return find_factors(decoder, form);
  case OF_DOUBLES:
    form->a = form->b = form->sum = PRODUCT_F64;
    return TRUE;
  case OF_NARROWS:
    form->sum = smb_sass_has(decoder, PART_F32) ? PRODUCT_F32 : PRODUCT_F16;
    return find_factors(decoder, form);
  case OF_SCALED:
    form->sum = PRODUCT_F32;
    form->scales = 1;
    return find_factors(decoder, form);
  case OF_PACKED:
    form->a = form->b = PRODUCT_E2M1;
    form->sum = PRODUCT_F32;
    form->has_fine_scales = smb_sass_has(decoder, PART_UE4M3);
    form->scales = form->has_fine_scales ? 4 : 2;
    return TRUE;
  case OF_STEPS:
    return FALSE;
  default:
    form->a = form->b = PRODUCT_B1;
    form->sum = PRODUCT_S32;
    form->is_and = smb_sass_has(decoder, PART_AND);
    return TRUE;
  }
}

// Some shapes there are of some numbers only: sparse factors have others.
static gboolean
is_possible(const ProductForm *form) {
  guint bits = form->a == PRODUCT_B1 ? 1 : smb_product_bits((ProductNumber)form->a);
  return form->depth * bits <= (form->is_sparse ? 512 : 256) || form->a == PRODUCT_F64;
}

static void
set_product_rows(SassDecoder *decoder, const SassOperand *operand, guint n, Row *rows) {
  gboolean is_zero = smb_sass_is_dropped(operand);
  Row first = smb_sass_source(decoder, operand, 1);
  for (guint i = 0; i < n; i++)
    rows[i] = is_zero ? first : first + i;
}

// The metadata of a sparse factor, and the selector behind them.
static void
take_sparse_places(SassDecoder *decoder, guint at, Product *product) {
  product->metadata = smb_sass_source(decoder, smb_sass_operand(decoder, at), 1);
  product->selector = (guint8)smb_sass_operand(decoder, at + 1)->value;
}

static Row
shift_places(SassDecoder *decoder, Row places, guint bits) {
  Compute shift = {.operation = OPERATION_SHR_U32,
                   .d = smb_code_new_rows(decoder->code, 1),
                   .s = {places, smb_sass_constant(decoder, bits, 1)}};
  smb_sass_add_compute(decoder, &shift);
  return shift.d;
}

// The scales of both factors, and where they are, from operand @at on.
static void
take_scale_places(SassDecoder *decoder, guint at, Product *product) {
  Row places = smb_sass_source(decoder, smb_sass_operand(decoder, at + 2), 1);
  product->scale_a = (ProductScale){smb_sass_source(decoder, smb_sass_operand(decoder, at), 1),
                                    places, shift_places(decoder, places, 2)};
  product->scale_b =
      (ProductScale){smb_sass_source(decoder, smb_sass_operand(decoder, at + 1), 1),
                     shift_places(decoder, places, 3), shift_places(decoder, places, 5)};
}

// Results of which nothing is known. HMMA….F16 has two registers of pairs; IMMA.8816 and IMMA.8832 have two of 32 bits.
static gboolean
add_unknown_matrix(SassDecoder *decoder) {
  const SassOperand *result = smb_sass_operand(decoder, 0);
  gboolean is_short = smb_sass_has(decoder, PART_F16) && !smb_sass_has(decoder, PART_F32);
  gboolean is_small = smb_sass_has(decoder, PART_8816) || smb_sass_has(decoder, PART_8832);
  guint n = is_short || is_small ? 2 : 4;
  Row row = result ? smb_sass_result(decoder, result, n) : NO_ROW;
  if (row == NO_ROW)
    return smb_sass_unknown(decoder);
  smb_sass_add_unknown(decoder, row, n);
  return TRUE;
}

gboolean
smb_sass_matrix(SassDecoder *decoder) {
  const SassInstruction *instruction = decoder->instruction;
  gboolean is_sparse = smb_sass_has(decoder, PART_SP);
  ProductForm form = {.columns = PRODUCT_COLUMNS, .is_sparse = is_sparse};
  gboolean is_modelled = instruction->is_complete && instruction->is_modelled &&
                         find_shape(decoder, &form) && find_product_parts(decoder, &form) &&
                         instruction->n_operands == (form.scales ? 7
                                                     : is_sparse ? 6
                                                                 : 4) &&
                         is_possible(&form);
  for (guint i = 0; i < (is_sparse ? 5 : 4) && is_modelled; i++)
    is_modelled =
        instruction->operands[i].kind == SASS_REGISTER && !instruction->operands[i].is_negated;
  if (!is_modelled && smb_sass_has(decoder, PART_SF) && is_sparse)
    smb_sass_add_unsupported(decoder,
                             strcmp(instruction->name, "OMMA") == 0 ? "OMMA.SF.SP" : "QMMA.SF.SP");
  if (!is_modelled)
    return add_unknown_matrix(decoder);
  guint n = smb_product_registers_of_sum(&form);
  Product *product = smb_code_new_product(decoder->code);
  product->form = form;
  set_product_rows(decoder, smb_sass_operand(decoder, 1), smb_product_registers_of_a(&form),
                   product->a);
  set_product_rows(decoder, smb_sass_operand(decoder, 2), smb_product_registers_of_b(&form),
                   product->b);
  set_product_rows(decoder, smb_sass_operand(decoder, 3), n, product->c);
  Row d = smb_sass_result(decoder, smb_sass_operand(decoder, 0), n);
  for (guint i = 0; i < n; i++)
    product->d[i] = d + i;
  if (is_sparse)
    take_sparse_places(decoder, 4, product);
  if (form.scales)
    take_scale_places(decoder, 4, product);
  smb_build_product(&decoder->builder, product, decoder->chip);
  return TRUE;
}

// --- of four warps: D, where A and B are or A, where B is, C, whether it is added

enum {
  ADDRESS_ROWS = 2,
  MATRIX_BITS = 256, // of a row of A
};

gboolean
smb_sass_is_group_product(const SassDecoder *decoder, guint bits, ProductForm *form) {
  static const SassChoice halves[] = {{PART_BF16, PRODUCT_BF16}, {PART_TF32, PRODUCT_TF32}};
  const SassInstruction *instruction = decoder->instruction;
  gboolean is_half = bits >= 16, is_bit = bits == 1;
  form->rows = PRODUCT_ROWS;
  form->sum = smb_sass_has(decoder, PART_F32)   ? PRODUCT_F32
              : smb_sass_has(decoder, PART_F16) ? PRODUCT_F16
                                                : PRODUCT_S32;
  form->saturates = smb_sass_has(decoder, PART_SAT);
  form->is_and = TRUE;
  if (is_half || is_bit)
    form->a = form->b = is_bit ? PRODUCT_B1 : (guint8)SASS_CHOOSE(decoder, halves, PRODUCT_F16);
  else if (!find_factors(decoder, form))
    return FALSE;
  gboolean is_real = form->a < PRODUCT_F32;
  return instruction->is_complete && instruction->is_modelled && instruction->n_operands >= 3 &&
         form->depth * bits == (form->is_sparse ? 2 : 1) * MATRIX_BITS &&
         is_real == (form->sum != PRODUCT_S32);
}

// What is said of a matrix behind where it is: "negA.tnspB".
static gboolean
says_of_matrix(const SassOperand *operand, const char *word) {
  return operand->part > PART_NONE && strstr(smb_sass_part_name(operand->part), word);
}

static gboolean
ends_group(const SassDecoder *decoder) {
  const SassInstruction *instruction = decoder->instruction;
  for (guint i = 0; i < instruction->n_operands; i++)
    if (instruction->operands[i].kind == SASS_WORD && instruction->operands[i].part == PART_gsb0)
      return TRUE;
  return FALSE;
}

gboolean
smb_sass_add_group_product(SassDecoder *decoder, const ProductForm *form, guint site) {
  const SassOperand *a = smb_sass_operand(decoder, 1), *place = a;
  gboolean in_registers = smb_sass_is_register(a);
  guint at = 2, n = smb_product_registers_of_sum(form);
  Product *product = smb_code_new_product(decoder->code);
  if (in_registers)
    place = smb_sass_operand(decoder, at++);
  guint behind = form->is_sparse ? at + 3 : at + 1; // C, metadata and selector
  const SassOperand *c = smb_sass_operand(decoder, at), *adds = smb_sass_operand(decoder, behind);
  const SassOperand *d = smb_sass_operand(decoder, 0);
  product->form = *form;
  // A's descriptor is in the first two of four registers, which nobody asks for if A is in registers itself.
  product->right = decoder->uniforms + place->descriptor + ADDRESS_ROWS;
  if (in_registers)
    set_product_rows(decoder, a, smb_product_registers_of_a(form), product->a);
  else
    product->left = decoder->uniforms + place->descriptor;
  product->left_is_turned = says_of_matrix(place, "tnspA");
  product->right_is_turned = says_of_matrix(place, "tnspB");
  gboolean negates_a = in_registers ? a->is_negated : says_of_matrix(place, "negA");
  product->form.negates = negates_a != says_of_matrix(place, "negB");
  product->reserved = decoder->reserved_shared;
  product->site = site;
  set_product_rows(decoder, c, n, product->c);
  for (guint i = 0; i < n; i++)
    product->d[i] = smb_sass_is_dropped(d) ? decoder->dropped : decoder->registers + d->number + i;
  if (form->is_sparse)
    take_sparse_places(decoder, at + 1, product);
  if (adds && smb_sass_is_predicate(adds)) {
    product->adds = smb_sass_predicate(decoder, adds);
    product->adds_unless = adds->is_inverted;
  }
  smb_build_product(&decoder->builder, product, decoder->chip);
  if (ends_group(decoder))
    smb_build_plain(&decoder->builder, STEP_FENCE, FENCE_COMMIT);
  return TRUE;
}
