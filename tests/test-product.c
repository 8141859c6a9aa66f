// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices: sums that a device made, bit by bit, and where numbers lie in registers, against the sentences of the PTX ISA
// ("Matrix Fragments for mma.m16n8k16", …), with unknown registers.
#include <check.h>
#include <string.h>

#include "sim/exec/product/product.h"
#include "tests/suite.h"

enum {
  PLAIN,
  SATURATES,
  AND,
  LANES = 32,
  CHIP = 90,
};

// --- sums

typedef struct {
  const char *instruction;
  guint8 a, b, sum;
  guint depth, how;
  const char *row, *column;
  guint64 c, d;
} Sum;

#define mma   "mma"
#define wgmma "wgmma"
#define SUM(instruction, a, b, sum, ...)                                                           \
  {instruction, PRODUCT_##a, PRODUCT_##b, PRODUCT_##sum, __VA_ARGS__},
static const Sum sums[] = {
#include "tests/product-values.def"
};

static gboolean
read_all(guint8 number, const char *text, guint n, double *reals, gint32 *wholes) {
  gboolean is_finite = TRUE;
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  ck_assert_uint_eq(g_strv_length(words), n);
  for (guint i = 0; i < n; i++)
    is_finite &= smb_product_read((ProductNumber)number, g_ascii_strtoull(words[i], NULL, 16),
                                  &reals[i], &wholes[i]);
  return is_finite;
}

START_TEST(sum_is_the_devices) {
  const Sum *sum = &sums[_i];
  ProductForm form = {.a = sum->a,
                      .b = sum->b,
                      .sum = sum->sum,
                      .rows = PRODUCT_ROWS,
                      .columns = PRODUCT_COLUMNS,
                      .depth = (guint16)sum->depth,
                      .saturates = sum->how == SATURATES,
                      .is_and = sum->how == AND};
  guint n = sum->a == PRODUCT_B1 ? sum->depth / 32 : sum->depth;
  double row[PRODUCT_DEPTH] = {0}, column[PRODUCT_DEPTH] = {0}, c = 0;
  gint32 row_whole[PRODUCT_DEPTH] = {0}, column_whole[PRODUCT_DEPTH] = {0}, c_whole = 0;
  ProductOperands operands;
  ProductSums found;
  smb_product_rule(&form, CHIP);
  ck_assert(!form.is_published);
  operands.is_special = !read_all(sum->a, sum->row, n, row, row_whole);
  operands.is_special |= !read_all(sum->b, sum->column, n, column, column_whole);
  operands.is_special |= !smb_product_read((ProductNumber)sum->sum, sum->c, &c, &c_whole);
  for (guint i = 0; i < PRODUCT_ROWS; i++) {
    memcpy(operands.a[i], row, sizeof row);
    memcpy(operands.a_whole[i], row_whole, sizeof row_whole);
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      operands.c[i][j] = c;
      operands.c_whole[i][j] = c_whole;
    }
  }
  for (guint k = 0; k < n; k++)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      operands.b[k][j] = column[k];
      operands.b_whole[k][j] = column_whole[k];
    }
  smb_product_sum(&form, &operands, found);
  for (guint i = 0; i < PRODUCT_ROWS; i++)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++)
      ck_assert_msg(found[i][j] == sum->d,
                    "sum %d, %s of %s and %s: expected 0x%" G_GINT64_MODIFIER
                    "x, found 0x%" G_GINT64_MODIFIER "x",
                    _i, sum->instruction, sum->row, sum->column, sum->d, found[i][j]);
}
END_TEST

// Rules of other chips give the same where nothing is cut off, which is told; else it is told that it may be something else.
START_TEST(certain_sums) {
  static const guint chips[] = {75, 80, 89, 90, 100};
  static const struct {
    double c;
    gboolean is_certain;
  } cases[] = {{3, TRUE}, {0x1p23, TRUE}, {0x1p24 + 0x1p20, FALSE}, {0x1p-30, FALSE}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    for (guint chip = 0; chip < G_N_ELEMENTS(chips); chip++) {
      ProductForm form = {.sum = PRODUCT_F32, .rows = 16, .columns = 8, .depth = 16};
      ProductOperands operands = {.is_special = FALSE};
      ProductSums found;
      smb_product_rule(&form, chips[chip]);
      ck_assert_int_eq(form.is_published, chips[chip] != CHIP);
      for (guint row = 0; row < 16; row++)
        for (guint k = 0; k < 16; k++)
          smb_product_read(PRODUCT_F16, 0x4200, &operands.a[row][k],
                           &operands.a_whole[row][k]); // 3
      for (guint k = 0; k < 16; k++)
        smb_product_read(PRODUCT_F16, 0xc500, &operands.b[k][0], &operands.b_whole[k][0]); // -5
      float c = (float)cases[i].c;
      guint32 bits;
      memcpy(&bits, &c, sizeof bits);
      smb_product_read(PRODUCT_F32, bits, &operands.c[0][0], &operands.c_whole[0][0]);
      for (guint k = 0; k < 16; k++)
        for (guint j = 1; j < 8; j++)
          operands.b_whole[k][j] = PRODUCT_NO_EXPONENT;
      for (guint row = 0; row < 16; row++)
        for (guint j = 0; j < 8; j++)
          operands.c_whole[row][j] = row + j ? PRODUCT_NO_EXPONENT : operands.c_whole[0][0];
      smb_product_sum(&form, &operands, found);
      ck_assert_int_eq(smb_product_is_certain(&form, &operands), cases[i].is_certain);
      float exact = (float)(cases[i].c - 240);
      memcpy(&bits, &exact, sizeof bits);
      ck_assert(!cases[i].is_certain || found[0][0] == bits);
    }
}
END_TEST

// --- registers

typedef struct {
  guint8 a, sum;
  guint rows, depth;
} Shape;

static const Shape shapes[] = {
    {PRODUCT_F16, PRODUCT_F32, 16, 8},  {PRODUCT_F16, PRODUCT_F16, 16, 16},
    {PRODUCT_F16, PRODUCT_F32, 16, 16}, {PRODUCT_TF32, PRODUCT_F32, 16, 4},
    {PRODUCT_TF32, PRODUCT_F32, 16, 8}, {PRODUCT_S8, PRODUCT_S32, 8, 16},
    {PRODUCT_S8, PRODUCT_S32, 16, 16},  {PRODUCT_S8, PRODUCT_S32, 16, 32},
    {PRODUCT_S4, PRODUCT_S32, 16, 64},  {PRODUCT_F64, PRODUCT_F64, 8, 4},
    {PRODUCT_F64, PRODUCT_F64, 16, 8},  {PRODUCT_F64, PRODUCT_F64, 16, 16},
};

// Where number @i of a lane is, of A: numbers of a register are in a row, as many as it holds, in group's row or the one eight below.
static void
place_in_a(const Shape *shape, guint lane, guint i, guint *row, guint *column) {
  guint group = lane >> 2, in_group = lane % 4;
  switch (shape->a) {
  case PRODUCT_F16:
    *row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
    *column = in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);
    break;
  case PRODUCT_TF32:
    *row = i == 0 || i == 2 ? group : group + 8;
    *column = in_group + (i >= 2 ? 4 : 0);
    break;
  case PRODUCT_S8:
    *row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
    *column = in_group * 4 + (i & 3) + (i >= 8 ? 16 : 0);
    break;
  case PRODUCT_S4:
    *row = i < 8 || (i >= 16 && i < 24) ? group : group + 8;
    *column = in_group * 8 + (i & 7) + (i >= 16 ? 32 : 0);
    break;
  default: // .f64
    *row = i % 2 == 0 || shape->rows == 8 ? group : group + 8;
    *column = in_group + i / 2 * 4;
  }
}

// The same of B.
static void
place_in_b(const Shape *shape, guint lane, guint i, guint *row, guint *column) {
  guint in_group = lane % 4;
  *column = lane >> 2;
  switch (shape->a) {
  case PRODUCT_F16:
    *row = in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0);
    break;
  case PRODUCT_TF32:
    *row = in_group + i * 4;
    break;
  case PRODUCT_S8:
    *row = in_group * 4 + (i & 3) + (i >= 4 ? 16 : 0);
    break;
  case PRODUCT_S4:
    *row = in_group * 8 + (i & 7) + (i >= 8 ? 32 : 0);
    break;
  default:
    *row = in_group + i * 4;
  }
}

static guint64
bits_of(guint8 number, int value) {
  float single = (float)value;
  double real = value;
  guint64 bits = (guint64)(gint64)value;
  guint32 word;
  if (number == PRODUCT_F16)
    return smb_half_from_real(SMB_SCALAR_F16, real);
  if (number == PRODUCT_F64)
    memcpy(&bits, &real, sizeof bits);
  if (number == PRODUCT_F32 || number == PRODUCT_TF32) {
    memcpy(&word, &single, sizeof word);
    bits = word;
  }
  return bits;
}

// Puts number @i of a lane into its registers: @words[register][lane].
static void
put_number(guint8 number, guint lane, guint i, int value, guint32 words[][LANES]) {
  guint bits = smb_product_bits((ProductNumber)number);
  guint64 all = bits_of(number, value);
  if (bits == 64) {
    words[2 * i][lane] = (guint32)all;
    words[2 * i + 1][lane] = (guint32)(all >> 32);
    return;
  }
  guint shift = i % (32 / bits) * bits;
  guint32 mask = bits == 32 ? G_MAXUINT32 : (1u << bits) - 1;
  words[i * bits / 32][lane] |= ((guint32)all & mask) << shift;
}

typedef struct {
  int a[16][64], b[64][8], c[16][8];
  guint32 a_words[16][LANES], b_words[16][LANES], c_words[16][LANES];
} Matrices;

static void
fill_matrices(Matrices *matrices, const Shape *shape, GRand *random) {
  memset(matrices, 0, sizeof *matrices);
  guint wide = smb_product_bits((ProductNumber)shape->a);
  guint n_a = shape->rows * shape->depth / LANES, n_b = 8 * shape->depth / LANES, row, column;
  ck_assert_uint_le(n_a * wide / 32, 16);
  for (guint lane = 0; lane < LANES; lane++) {
    for (guint i = 0; i < n_a; i++) {
      place_in_a(shape, lane, i, &row, &column);
      matrices->a[row][column] = g_rand_int_range(random, -8, 8);
      put_number(shape->a, lane, i, matrices->a[row][column], matrices->a_words);
    }
    for (guint i = 0; i < n_b; i++) {
      place_in_b(shape, lane, i, &row, &column);
      matrices->b[row][column] = g_rand_int_range(random, -8, 8);
      put_number(shape->a, lane, i, matrices->b[row][column], matrices->b_words);
    }
    for (guint i = 0; i < shape->rows / 4; i++) {
      int *c = &matrices->c[(lane >> 2) + (i < 2 ? 0 : 8)][lane % 4 * 2 + (i & 1)];
      *c = g_rand_int_range(random, -100, 100);
      put_number(shape->sum, lane, i, *c, matrices->c_words);
    }
  }
}

static void
set_registers(Registers *registers, guint n, Row first, guint32 words[][LANES], Row *rows) {
  for (guint i = 0; i < n; i++) {
    rows[i] = first + i;
    smb_row_set_known(registers, rows[i], G_MAXUINT32, words[i]);
  }
}

// Checks a product, of which a register of @lost (0: none, 1: A, 2: B, 3: C) is unknown in one lane.
static void
check_product(const Shape *shape, GRand *random, guint lost) {
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  g_autoptr(Registers) registers = smb_registers_new(constants, 64, 1, NULL);
  Matrices matrices;
  Product product = {.form = {.a = shape->a,
                              .b = shape->a,
                              .sum = shape->sum,
                              .rows = (guint8)shape->rows,
                              .columns = 8,
                              .depth = (guint16)shape->depth}};
  const ProductForm *form = &product.form;
  guint32 expected[16][LANES] = {{0}}, unknown = 0;
  guint lane = (guint)g_rand_int_range(random, 0, LANES), n = smb_product_registers_of_sum(form);
  smb_product_rule(&product.form, CHIP);
  smb_registers_reset(registers, G_MAXUINT32);
  fill_matrices(&matrices, shape, random);
  set_registers(registers, smb_product_registers_of_a(form), 0, matrices.a_words, product.a);
  set_registers(registers, smb_product_registers_of_b(form), 16, matrices.b_words, product.b);
  set_registers(registers, n, 32, matrices.c_words, product.c);
  memcpy(product.d, product.c, sizeof product.d);
  if (lost)
    smb_row_forget(registers,
                   lost == 1   ? product.a[0]
                   : lost == 2 ? product.b[0]
                               : product.c[0],
                   (SmbLanes)1 << lane, 0, 7);
  ck_assert(smb_product_make(&product, registers, G_MAXUINT32));
  for (guint t = 0; t < LANES; t++)
    for (guint i = 0; i < shape->rows / 4; i++) {
      guint row = (t >> 2) + (i < 2 ? 0 : 8), column = t % 4 * 2 + (i & 1);
      int sum = matrices.c[row][column];
      for (guint k = 0; k < shape->depth; k++)
        sum += matrices.a[row][k] * matrices.b[k][column];
      put_number(shape->sum, t, i, sum, expected);
    }
  for (guint r = 0; r < n; r++)
    for (guint t = 0; t < LANES; t++) {
      guint32 bits = row_lane_unknown(registers, product.d[r], t);
      ck_assert_uint_eq(row_values(registers, product.d[r])[t] | bits, expected[r][t] | bits);
      unknown += bits != 0;
    }
  // a row of D, a column, or what one register holds
  guint rows_of = form->sum == PRODUCT_F16 ? 1 : form->sum == PRODUCT_F64 ? 4 : 2;
  guint columns_of = form->sum == PRODUCT_F64 ? shape->rows * 2 : shape->rows;
  guint one = form->sum == PRODUCT_F64 ? 2 : 1;
  ck_assert_uint_eq(unknown, lost == 0   ? 0
                             : lost == 1 ? 4 * rows_of
                             : lost == 2 ? columns_of
                                         : one);
}

START_TEST(fragments) {
  GRand *random = g_rand_new_with_seed((guint32)_i + 1);
  for (guint round = 0; round < 20; round++)
    for (guint lost = 0; lost < 4; lost++)
      check_product(&shapes[_i], random, lost);
  g_rand_free(random);
}
END_TEST

Suite *
suite_product(void) {
  Suite *suite = suite_create("product");
  TCase *tcase = tcase_create("product");
  tcase_add_loop_test(tcase, sum_is_the_devices, 0, G_N_ELEMENTS(sums));
  tcase_add_test(tcase, certain_sums);
  tcase_add_loop_test(tcase, fragments, 0, G_N_ELEMENTS(shapes));
  suite_add_tcase(suite, tcase);
  return suite;
}
