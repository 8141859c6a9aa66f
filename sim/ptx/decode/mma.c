// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices in registers: mma.sync and wmma.mma. Fragments of wmma are those of mma, as ptxas lays them out: a product of
// m16n16k16 is two of m16n8k16, one of m32n8k16, too, and one of m8n32k16 is that of the transposed matrices. Numbers of binary16
// are repeated up to eight registers. On sm_90, numbers of 8 bits become binary16, and C is added last.
// Not modelled: sparse and scaled factors, mma.m8n8k4 of binary16, and D and C of different types.
#include <stdio.h>
#include <string.h>

#include "sim/exec/compute/real.h"
#include "sim/ptx/decode/decode.h"

enum {
  MOST_REGISTERS = 16,  // of an operand
  FIRST_UNPACKING = 90, // chips whose products of 8-bit reals are made of those of binary16
  LAST_UNPACKING = 99,
};

static gboolean
find_product_type(const char *type, guint8 *number) {
  static const struct {
    const char *type;
    guint8 number;
  } numbers[] = {{"f16", PRODUCT_F16},   {"bf16", PRODUCT_BF16}, {"tf32", PRODUCT_TF32},
                 {"e4m3", PRODUCT_E4M3}, {"e5m2", PRODUCT_E5M2}, {"f32", PRODUCT_F32},
                 {"f64", PRODUCT_F64},   {"s8", PRODUCT_S8},     {"u8", PRODUCT_U8},
                 {"s4", PRODUCT_S4},     {"u4", PRODUCT_U4},     {"b1", PRODUCT_B1},
                 {"s32", PRODUCT_S32}};
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    if (strcmp(type, numbers[i].type) == 0) {
      *number = numbers[i].number;
      return TRUE;
    }
  return FALSE;
}

typedef struct {
  guint m, n, k;
} MatrixShape;

// What an opcode says: its shape, and the numbers of D, A, B and C, or of D and C where A and B are of binary16.
static gboolean
read_product(const PtxDecoder *decoder, MatrixShape *shape, ProductForm *form) {
  static const char *const others[] = {"sp", "block_scale", "sp::ordered_metadata"};
  guint8 numbers[4];
  guint n = 0;
  *shape = (MatrixShape){0, 0, 0};
  for (guint i = 1; decoder->parts[i]; i++) {
    const char *part = decoder->parts[i];
    if (shape->m == 0 && sscanf(part, "m%3un%3uk%3u", &shape->m, &shape->n, &shape->k) != 3)
      shape->m = 0;
    if (n < G_N_ELEMENTS(numbers) && find_product_type(part, &numbers[n]))
      n++;
  }
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    if (smb_ptx_has_part(decoder, others[i]))
      return FALSE;
  if ((n != 2 && n != 4) || shape->m == 0 || numbers[0] != numbers[n - 1])
    return FALSE;
  form->sum = numbers[0];
  form->a = n == 4 ? numbers[1] : PRODUCT_F16;
  form->b = n == 4 ? numbers[2] : PRODUCT_F16;
  form->saturates = smb_ptx_has_part(decoder, "satfinite") && form->sum == PRODUCT_S32;
  form->is_and = smb_ptx_has_part(decoder, "and");
  return !(form->a == PRODUCT_F16 && shape->k == 4);
}

// --- operands

// The rows of 32 bits of an operand; 0: they are not such rows.
static guint
take_product_rows(PtxDecoder *decoder, guint index, ProductNumber number, Row *rows) {
  const PtxOperand *operand = smb_ptx_operand(decoder, index);
  gboolean is_list = operand->kind == PTX_OPERAND_VECTOR, is_wide = number == PRODUCT_F64;
  guint n = is_list ? operand->n : 1;
  for (guint i = 0; i < n; i++) {
    Row row = smb_ptx_row(decoder, is_list ? smb_ptx_element(decoder, operand, i) : operand,
                          is_wide ? 8 : 4, number == PRODUCT_F32 || is_wide);
    if (row == NO_ROW || (is_wide ? 2 * i + 1 : i) >= MOST_REGISTERS)
      return 0;
    rows[is_wide ? 2 * i : i] = row;
    if (is_wide)
      rows[2 * i + 1] = row + 1;
  }
  return is_wide ? 2 * n : n;
}

typedef struct {
  Row a[MOST_REGISTERS], b[MOST_REGISTERS], c[MOST_REGISTERS], d[MOST_REGISTERS];
} ProductRows;

// --- products of one tile

static void
add_tile(PtxDecoder *decoder, const ProductForm *form, const Row *a, const Row *b, const Row *c,
         const Row *d) {
  Product *product = smb_code_new_product(decoder->code);
  gsize sums = smb_product_registers_of_sum(form) * sizeof *c;
  product->form = *form;
  memcpy(product->a, a, smb_product_registers_of_a(form) * sizeof *a);
  memcpy(product->b, b, smb_product_registers_of_b(form) * sizeof *b);
  memcpy(product->c, c, sums);
  memcpy(product->d, d, sums);
  smb_build_product(&decoder->build, product, decoder->program->cuda_arch / 10);
}

// Two numbers of 8 bits of each of @n registers, the low or the high ones, as pairs of binary16.
static void
unpack_factors(PtxDecoder *decoder, ProductNumber number, gboolean is_high, guint n,
               const Row *packed, Row *unpacked) {
  for (guint i = 0; i < n; i++) {
    Row from = packed[i];
    unpacked[i] = smb_code_new_rows(decoder->code, 1);
    if (is_high) {
      smb_ptx_add_operation(decoder, OPERATION_SHR_U32, unpacked[i], from,
                            smb_ptx_constant(decoder, 16, 4));
      from = unpacked[i];
    }
    Compute widen = {.operation = OPERATION_WIDEN_PAIR,
                     .d = unpacked[i],
                     .s = {from},
                     .table = number == PRODUCT_E4M3 ? NARROW_E4M3 : NARROW_E5M2};
    smb_ptx_add_compute(decoder, &widen);
  }
}

// First the low pairs of all registers, then the high ones, and C.
static void
add_unpacked_tile(PtxDecoder *decoder, const ProductForm *form, const ProductRows *rows) {
  ProductForm half = *form;
  Row a[MOST_REGISTERS], b[MOST_REGISTERS], zeros[MOST_REGISTERS], sums[MOST_REGISTERS];
  guint n = smb_product_registers_of_sum(form);
  half.a = half.b = PRODUCT_F16;
  half.depth /= 2;
  for (guint i = 0; i < n; i++) {
    zeros[i] = smb_ptx_constant(decoder, 0, 4);
    sums[i] = smb_code_new_rows(decoder->code, 1);
  }
  for (guint is_high = 0; is_high < 2; is_high++) {
    unpack_factors(decoder, (ProductNumber)form->a, is_high, smb_product_registers_of_a(form),
                   rows->a, a);
    unpack_factors(decoder, (ProductNumber)form->b, is_high, smb_product_registers_of_b(form),
                   rows->b, b);
    add_tile(decoder, &half, a, b, is_high ? sums : zeros, sums);
  }
  for (guint i = 0; i < n; i++)
    smb_ptx_add_operation(decoder,
                          form->sum == PRODUCT_F32 ? OPERATION_ADD_F32 : OPERATION_ADD_F16X2,
                          rows->d[i], sums[i], rows->c[i]);
}

// --- all tiles

static gboolean
is_unpacked(const PtxDecoder *decoder, const ProductForm *form) {
  guint chip = decoder->program->cuda_arch / 10;
  return (form->a == PRODUCT_E4M3 || form->a == PRODUCT_E5M2) && chip >= FIRST_UNPACKING &&
         chip <= LAST_UNPACKING;
}

PtxResult
smb_ptx_decode_mma(PtxDecoder *decoder) {
  MatrixShape shape;
  ProductForm form = {.columns = PRODUCT_COLUMNS};
  ProductRows rows;
  if (!read_product(decoder, &shape, &form))
    return PTX_UNKNOWN;
  gboolean is_turned = shape.m == 8 && shape.n == 32;
  guint m = is_turned ? shape.n : shape.m, n = is_turned ? shape.m : shape.n;
  guint8 a = form.a;
  form.a = is_turned ? form.b : form.a;
  form.b = is_turned ? a : form.b;
  form.rows = (guint8)MIN(m, PRODUCT_ROWS);
  form.depth = (guint16)shape.k;
  guint down = m / form.rows, across = n / PRODUCT_COLUMNS;
  guint of_a = smb_product_registers_of_a(&form), of_b = smb_product_registers_of_b(&form);
  guint of_sum = smb_product_registers_of_sum(&form);
  if (take_product_rows(decoder, is_turned ? 2 : 1, (ProductNumber)form.a, rows.a) < down * of_a ||
      take_product_rows(decoder, is_turned ? 1 : 2, (ProductNumber)form.b, rows.b) <
          across * of_b ||
      take_product_rows(decoder, 3, (ProductNumber)form.sum, rows.c) != down * across * of_sum ||
      take_product_rows(decoder, 0, (ProductNumber)form.sum, rows.d) != down * across * of_sum ||
      of_sum == 0)
    return PTX_UNKNOWN;
  if (is_unpacked(decoder, &form)) {
    add_unpacked_tile(decoder, &form, &rows);
    return PTX_DECODED;
  }
  for (guint i = 0; i < down; i++)
    for (guint j = 0; j < across; j++) {
      guint sum = (i * across + j) * of_sum;
      add_tile(decoder, &form, rows.a + i * of_a, rows.b + j * of_b, rows.c + sum, rows.d + sum);
    }
  return PTX_DECODED;
}
