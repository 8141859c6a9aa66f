// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices: mma.sync, wmma.mma and wgmma.mma_async. Fragments of wmma are those of mma, as ptxas lays them out: a product of
// m16n16k16 is two of m16n8k16, one of m32n8k16, too, and one of m8n32k16 is that of the transposed matrices. Numbers of binary16
// are repeated up to eight registers. On sm_90, numbers of 8 bits become binary16, and C is added last.
// Not modelled: D and C of different types, but of mma.m8n8k4.
#include <stdio.h>
#include <string.h>

#include "sim/exec/compute/real.h"
#include "sim/ptx/decode/decode.h"

enum {
  MOST_REGISTERS = 16,  // of an operand
  FIRST_UNPACKING = 90, // chips whose products of 8-bit reals are made of those of binary16
  LAST_UNPACKING = 99,
  GROUP_ROWS = 64, // of wgmma
};

static gboolean
find_product_type(const char *type, guint8 *number) {
  static const struct {
    const char *type;
    guint8 number;
  } numbers[] = {{"f16", PRODUCT_F16},   {"bf16", PRODUCT_BF16}, {"tf32", PRODUCT_TF32},
                 {"e4m3", PRODUCT_E4M3}, {"e5m2", PRODUCT_E5M2}, {"f32", PRODUCT_F32},
                 {"e2m3", PRODUCT_E2M3}, {"e3m2", PRODUCT_E3M2}, {"e2m1", PRODUCT_E2M1_MIDDLE},
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

// Scales: how many each row has, and of which kind. FALSE: there are no such.
static gboolean
read_scale_form(const PtxDecoder *decoder, ProductForm *form) {
  gboolean is_packed =
      smb_ptx_has_part(decoder, "kind::mxf4") || smb_ptx_has_part(decoder, "kind::mxf4nvf4");
  if (!smb_ptx_has_part(decoder, "block_scale"))
    return TRUE;
  form->has_fine_scales = smb_ptx_has_part(decoder, "ue4m3");
  form->scales = smb_ptx_has_part(decoder, "scale_vec::4X")   ? 4
                 : smb_ptx_has_part(decoder, "scale_vec::2X") ? 2
                 : smb_ptx_has_part(decoder, "scale_vec::1X") ? 1
                 : smb_ptx_has_part(decoder, "kind::mxf4")    ? 2
                                                              : 1;
  if (is_packed && form->a == PRODUCT_E2M1_MIDDLE && form->b == PRODUCT_E2M1_MIDDLE)
    form->a = form->b = PRODUCT_E2M1;
  return is_packed == (form->a == PRODUCT_E2M1) && is_packed == (form->scales > 1);
}

// What an opcode says: its shape, and the numbers of D, A, B and C, or of D and C where A and B are of binary16; of wgmma, with 3
// @named, of D, A and B.
static gboolean
read_product_types(const PtxDecoder *decoder, guint named, MatrixShape *shape, ProductForm *form) {
  guint8 numbers[4] = {0};
  guint n = 0;
  *shape = (MatrixShape){0, 0, 0};
  for (guint i = 1; decoder->parts[i]; i++) {
    const char *part = decoder->parts[i];
    if (shape->m == 0 && sscanf(part, "m%3un%3uk%3u", &shape->m, &shape->n, &shape->k) != 3)
      shape->m = 0;
    if (n < G_N_ELEMENTS(numbers) && find_product_type(part, &numbers[n]))
      n++;
  }
  form->sum = numbers[0];
  form->a = n > 2 ? numbers[1] : PRODUCT_F16;
  form->b = n > 2 ? numbers[2] : PRODUCT_F16;
  form->is_quad = n == 4 && form->a == PRODUCT_F16 && shape->k == 4;
  form->addend = n ? numbers[n - 1] : 0;
  gboolean has_two = n == 2 && strcmp(decoder->parts[0], "wmma") == 0;
  if ((!has_two && n != named) || shape->m == 0 ||
      (n != 3 && !form->is_quad && form->sum != form->addend))
    return FALSE;
  form->saturates = smb_ptx_has_part(decoder, "satfinite") && form->sum == PRODUCT_S32;
  form->is_and = smb_ptx_has_part(decoder, "and");
  form->is_sparse =
      smb_ptx_has_part(decoder, "sp") || smb_ptx_has_part(decoder, "sp::ordered_metadata");
  return read_scale_form(decoder, form);
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
  Row metadata;
  guint8 selector;
} ProductRows;

// An operand that is a constant; @otherwise: there is none.
static gint64
take_product_constant(const PtxDecoder *decoder, guint index, gint64 otherwise) {
  const PtxOperand *operand = smb_ptx_operand(decoder, index);
  return operand->kind == PTX_OPERAND_INTEGER ? (gint64)operand->bits : otherwise;
}

// The metadata of a sparse factor, and the selector behind them. FALSE: they are not what PTX has.
static gboolean
take_metadata(PtxDecoder *decoder, guint index, Row *metadata, guint8 *selector) {
  gint64 constant = take_product_constant(decoder, index + 1, -1);
  *metadata = smb_ptx_row(decoder, smb_ptx_operand(decoder, index), 4, FALSE);
  *selector = (guint8)constant;
  return *metadata != NO_ROW && constant >= 0 && constant < 4;
}

// {bytes}, {first byte, lanes}: the scales of a factor. FALSE: they are not what PTX has.
static gboolean
take_scale(PtxDecoder *decoder, guint index, ProductScale *scale) {
  const PtxOperand *data = smb_ptx_operand(decoder, index);
  const PtxOperand *place = smb_ptx_operand(decoder, index + 1);
  if (data->kind == PTX_OPERAND_VECTOR && data->n == 1)
    data = smb_ptx_element(decoder, data, 0);
  if (place->kind != PTX_OPERAND_VECTOR || place->n != 2)
    return FALSE;
  scale->data = smb_ptx_row(decoder, data, 4, FALSE);
  scale->byte = smb_ptx_row(decoder, smb_ptx_element(decoder, place, 0), 2, FALSE);
  scale->lane = smb_ptx_row(decoder, smb_ptx_element(decoder, place, 1), 2, FALSE);
  return scale->data != NO_ROW && scale->byte != NO_ROW && scale->lane != NO_ROW;
}

// --- products of one tile

static Product *
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
  return product;
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

// Behind the four operands: metadata and a selector of a sparse factor, and scales.
static PtxResult
add_tile_with_more(PtxDecoder *decoder, const ProductForm *form, ProductRows *rows) {
  guint scales = form->is_sparse ? 6 : 4;
  ProductScale a = {0}, b = {0};
  if ((form->is_sparse && !take_metadata(decoder, 4, &rows->metadata, &rows->selector)) ||
      (form->scales && (!take_scale(decoder, scales, &a) || !take_scale(decoder, scales + 2, &b))))
    return PTX_UNKNOWN;
  Product *product = add_tile(decoder, form, rows->a, rows->b, rows->c, rows->d);
  product->metadata = rows->metadata;
  product->selector = rows->selector;
  product->scale_a = a;
  product->scale_b = b;
  return PTX_DECODED;
}

// Four products of eight lanes each: mma.sync.aligned.m8n8k4.LAYOUT.LAYOUT.TYPE.f16.f16.TYPE.
static PtxResult
add_quads(PtxDecoder *decoder, ProductForm *form) {
  ProductRows rows;
  gboolean is_column[2] = {FALSE, FALSE};
  guint n = 0;
  form->rows = 8;
  form->depth = 4;
  for (guint i = 1; decoder->parts[i]; i++)
    if (n < 2 && (strcmp(decoder->parts[i], "row") == 0 || strcmp(decoder->parts[i], "col") == 0))
      is_column[n++] = decoder->parts[i][0] == 'c';
  if (n != 2 || take_product_rows(decoder, 1, PRODUCT_F16, rows.a) != 2 ||
      take_product_rows(decoder, 2, PRODUCT_F16, rows.b) != 2 ||
      take_product_rows(decoder, 3, (ProductNumber)form->addend, rows.c) !=
          (form->addend == PRODUCT_F16 ? 4 : 8) ||
      take_product_rows(decoder, 0, (ProductNumber)form->sum, rows.d) !=
          smb_product_registers_of_sum(form))
    return PTX_UNKNOWN;
  Product *product = smb_code_new_product(decoder->code);
  product->form = *form;
  memcpy(product->a, rows.a, 2 * sizeof *rows.a);
  memcpy(product->b, rows.b, 2 * sizeof *rows.b);
  memcpy(product->c, rows.c, (form->addend == PRODUCT_F16 ? 4 : 8) * sizeof *rows.c);
  memcpy(product->d, rows.d, smb_product_registers_of_sum(form) * sizeof *rows.d);
  product->left_is_turned = is_column[0];
  product->right_is_turned = !is_column[1];
  smb_build_product(&decoder->build, product, decoder->program->cuda_arch / 10);
  return PTX_DECODED;
}

PtxResult
smb_ptx_decode_mma(PtxDecoder *decoder) {
  MatrixShape shape;
  ProductForm form = {.columns = PRODUCT_COLUMNS};
  ProductRows rows;
  if (!read_product_types(decoder, 4, &shape, &form))
    return PTX_UNKNOWN;
  if (form.is_quad)
    return add_quads(decoder, &form);
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
  if (form.is_sparse || form.scales)
    return is_unpacked(decoder, &form) ? PTX_UNKNOWN : add_tile_with_more(decoder, &form, &rows);
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

// --- wmma.load.{a, b, c}.layout.shape.type d, [a]{, stride}; wmma.store.d.layout.shape.type [a], d{, stride}

const Fragment *
smb_ptx_fragment(PtxDecoder *decoder, gboolean loads) {
  MatrixShape shape = {0, 0, 0};
  guint8 number;
  gboolean is_a = loads && smb_ptx_has_part(decoder, "a"),
           is_b = loads && smb_ptx_has_part(decoder, "b");
  gboolean by_rows = smb_ptx_has_part(decoder, "row");
  for (guint i = 1; decoder->parts[i] && shape.m == 0; i++)
    if (sscanf(decoder->parts[i], "m%3un%3uk%3u", &shape.m, &shape.n, &shape.k) != 3)
      shape.m = 0;
  if (shape.m == 0 || !find_product_type(smb_ptx_last_part(decoder), &number))
    return NULL;
  // Of fewer bits, a row is one of bytes: they lie in registers as in memory.
  guint narrow = number == PRODUCT_B1 ? 8 : 8 / MIN(smb_product_bits((ProductNumber)number), 8);
  if (narrow > 1) {
    number = PRODUCT_U8;
    shape.k /= narrow;
  }
  gboolean is_turned = shape.m == 8 && shape.n == 32, is_sum = !is_a && !is_b;
  guint m = is_turned ? shape.n : shape.m, n = is_turned ? shape.m : shape.n;
  gboolean is_left = is_sum || is_a != is_turned; // it has tiles of 16 rows
  guint rows = is_left ? m : n, halves = is_left ? MIN(m, PRODUCT_ROWS) / 8 : 1;
  guint columns = is_sum ? n : shape.k, bits = smb_product_bits((ProductNumber)number);
  Row data[MOST_REGISTERS];
  guint count = take_product_rows(decoder, loads ? 0 : 1, (ProductNumber)number, data);
  guint base = rows * columns * bits / 32 / 32;
  if (base == 0 || count < base || count % base)
    return NULL;
  Fragment *fragment = g_new0(Fragment, 1);
  g_ptr_array_add(decoder->code->products, fragment);
  *fragment = (Fragment){.number = (ProductNumber)number,
                         .is_sum = is_sum,
                         .halves = halves,
                         .across = is_sum ? n / 8 : rows / (8 * halves),
                         .is_across = is_b || (is_sum && is_turned) ? !by_rows : by_rows,
                         .base = base,
                         .n = count};
  memcpy(fragment->data, data, count * sizeof *data);
  // without a stride, rows or columns follow each other
  guint width = is_a   ? (by_rows ? shape.k : shape.m)
                : is_b ? (by_rows ? shape.n : shape.k)
                       : (by_rows ? shape.n : shape.m);
  fragment->stride = smb_ptx_has_operand(decoder, 2)
                         ? smb_ptx_row(decoder, smb_ptx_operand(decoder, 2), 4, FALSE)
                         : smb_ptx_constant(decoder, (guint64)width * narrow, 4);
  if (narrow > 1 && fragment->stride != NO_ROW) {
    Row bytes = smb_code_new_rows(decoder->code, 1);
    smb_ptx_add_operation(decoder, OPERATION_SHR_U32, bytes, fragment->stride,
                          smb_ptx_constant(decoder, narrow == 8 ? 3 : 1, 4));
    fragment->stride = bytes;
  }
  return fragment->stride == NO_ROW ? NULL : fragment;
}

// --- wgmma.mma_async{.sp} d, a, b{, metadata, selector}, whether d is added to{, sign of a, sign of b{, a is turned, b is turned}}: a is a list of registers, which
// is not turned, or says where it is, as b does

// Behind A and B, a sparse product has its metadata.
static gboolean
take_group_factors(PtxDecoder *decoder, Product *product, guint behind) {
  const PtxOperand *a = smb_ptx_operand(decoder, 1);
  gboolean in_registers = a->kind == PTX_OPERAND_VECTOR;
  guint turns = in_registers ? behind + 3 : behind + 4;
  Row rows[MOST_REGISTERS];
  if (in_registers) {
    guint n = smb_product_registers_of_a(&product->form);
    if (take_product_rows(decoder, 1, (ProductNumber)product->form.a, rows) != n)
      return FALSE;
    memcpy(product->a, rows, n * sizeof *rows);
  } else
    product->left = smb_ptx_row(decoder, a, 8, FALSE);
  product->right = smb_ptx_row(decoder, smb_ptx_operand(decoder, 2), 8, FALSE);
  product->form.negates = (take_product_constant(decoder, behind + 1, 1) == -1) !=
                          (take_product_constant(decoder, behind + 2, 1) == -1);
  product->left_is_turned = !in_registers && take_product_constant(decoder, behind + 3, 0) == 1;
  product->right_is_turned = take_product_constant(decoder, turns, 0) == 1;
  return product->right != NO_ROW && (in_registers || product->left != NO_ROW);
}

gboolean
smb_ptx_condition(PtxDecoder *decoder, guint index, Predicate *condition, gboolean *unless) {
  const PtxOperand *operand = smb_ptx_operand(decoder, index);
  if (operand->kind == PTX_OPERAND_INTEGER) {
    *condition = PREDICATE_TRUE;
    *unless = operand->bits == 0;
    return TRUE;
  }
  *condition = smb_ptx_predicate(decoder, operand);
  *unless = operand->is_negated;
  return smb_ptx_is_predicate(decoder, operand);
}

gboolean
smb_ptx_add_group_product(PtxDecoder *decoder, guint site) {
  MatrixShape shape;
  ProductForm form = {.rows = PRODUCT_ROWS};
  const PtxOperand *d = smb_ptx_operand(decoder, 0);
  if (!read_product_types(decoder, 3, &shape, &form) || shape.m != GROUP_ROWS ||
      d->kind != PTX_OPERAND_VECTOR)
    return FALSE;
  guint bits = form.a == PRODUCT_B1 ? 1 : smb_product_bits((ProductNumber)form.a);
  form.columns = (guint16)shape.n;
  form.depth = (guint16)shape.k;
  if (shape.n % PRODUCT_COLUMNS || shape.n > 256 ||
      shape.k * bits != (form.is_sparse ? 512 : 256) ||
      d->n != smb_product_registers_of_sum(&form) || d->n > PRODUCT_SUMS)
    return FALSE;
  Product *product = smb_code_new_product(decoder->code);
  const guint behind = form.is_sparse ? 5 : 3; // A, B and the metadata
  product->form = form;
  product->site = site;
  for (guint i = 0; i < d->n; i++) {
    product->c[i] = product->d[i] =
        smb_ptx_row(decoder, smb_ptx_element(decoder, d, i), 4, form.sum == PRODUCT_F32);
    if (product->d[i] == NO_ROW)
      return FALSE;
  }
  if (!take_group_factors(decoder, product, behind) ||
      !smb_ptx_condition(decoder, behind, &product->adds, &product->adds_unless) ||
      (form.is_sparse && !take_metadata(decoder, 3, &product->metadata, &product->selector)))
    return FALSE;
  smb_build_product(&decoder->build, product, decoder->program->cuda_arch / 10);
  return TRUE;
}
