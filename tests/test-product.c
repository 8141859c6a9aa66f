// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices: sums that a device made, bit by bit, and where numbers lie in registers, against the sentences of the PTX ISA
// ("Matrix Fragments for mma.m16n8k16", …), with unknown registers.
#include <check.h>
#include <string.h>

#include "sim/exec/product/product.h"
#include "sim/exec/product/sum-loop.h"
#include "tests/effort.h"
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

static void
read_operands(const ProductLoops *loops, const ProductForm *form, ProductOperands *operands) {
  for (guint i = 0; i < form->rows; i++)
    operands->is_special |=
        !loops->read((ProductNumber)form->a, form->depth, operands->a_whole[i], operands->a[i]);
  operands->is_special |= !loops->read((ProductNumber)form->b, form->depth * PRODUCT_COLUMNS,
                                       operands->b_whole[0], operands->b[0]);
  operands->is_special |= !loops->read((ProductNumber)form->sum, form->rows * PRODUCT_COLUMNS,
                                       operands->c_whole[0], operands->c[0]);
}

// Numbers of which some are subnormal; finite ones have a bit of their exponents that is 0.
static void
fill_randomly(GRand *random, gboolean is_finite, ProductOperands *operands) {
  guint32 *words = (guint32 *)(gpointer)operands;
  for (gsize i = 0; i < sizeof *operands / sizeof *words; i++)
    words[i] = g_rand_int(random) & (is_finite ? 0xbfbfbfbf : G_MAXUINT32) &
               (g_rand_int(random) % 4 ? G_MAXUINT32 : 0x80ff80ff);
  operands->is_special = FALSE;
}

// The loops for each kind of processor find the same.
START_TEST(loops_agree) {
  static const ProductForm forms[] = {{.a = PRODUCT_F16, .b = PRODUCT_F16, .sum = PRODUCT_F16},
                                      {.a = PRODUCT_BF16, .b = PRODUCT_BF16, .sum = PRODUCT_F32},
                                      {.a = PRODUCT_TF32, .b = PRODUCT_TF32, .sum = PRODUCT_F32},
                                      {.a = PRODUCT_E4M3, .b = PRODUCT_E5M2, .sum = PRODUCT_F32},
                                      {.a = PRODUCT_F64, .b = PRODUCT_F64, .sum = PRODUCT_F64},
                                      {.a = PRODUCT_S8, .b = PRODUCT_U4, .sum = PRODUCT_S32}};
  static const guint chips[] = {75, 80, 89, 90};
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  for (guint round = 0; round < effort(4000); round++) {
    static ProductOperands given, operands[SMB_N_PROCESSORS];
    static ProductSums found[SMB_N_PROCESSORS];
    ProductForm form = forms[round % G_N_ELEMENTS(forms)];
    form.rows = PRODUCT_ROWS;
    form.columns = PRODUCT_COLUMNS;
    form.depth = round % 2 ? 4 : 16;
    form.negates = round % 3 == 0;
    form.saturates = round % 5 == 0;
    smb_product_rule(&form, chips[round / 2 % G_N_ELEMENTS(chips)]);
    fill_randomly(random, round % 8 != 0, &given);
    for (guint i = 0; i <= smb_processor(); i++) {
      const ProductLoops *loops = smb_product_loops((SmbProcessor)i);
      operands[i] = given;
      read_operands(loops, &form, &operands[i]);
      ck_assert_int_eq(operands[i].is_special, operands[0].is_special);
      ck_assert(memcmp(operands[i].a_whole, operands[0].a_whole, sizeof given.a_whole) == 0);
      loops->sum(&form, &operands[i], found[i]);
      if (!operands[0].is_special)
        ck_assert(memcmp(found[i], found[0], sizeof found[i]) == 0);
    }
  }
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

// --- sparse factors

// Where four bits of metadata are (PTX ISA, "Sparse matrix storage"), of row g, and of row g + 8: the first lane of the four of group g, how many of
// them follow each other, and which bits of a register begin those of each row.
typedef struct {
  guint8 number;
  guint depth, selector;
  guint lane[2], shift[2]; // of row g and of row g + 8
  guint groups;            // in a register, of a row
  guint step;              // to the lane that has the next ones
} Sparse;

static const Sparse sparse_cases[] = {
    {PRODUCT_F16, 16, 0, {0, 0}, {0, 16}, 4, 0}, {PRODUCT_F16, 16, 3, {3, 3}, {0, 16}, 4, 0},
    {PRODUCT_F16, 32, 0, {0, 0}, {0, 16}, 4, 1}, {PRODUCT_F16, 32, 1, {2, 2}, {0, 16}, 4, 1},
    {PRODUCT_TF32, 8, 2, {2, 2}, {0, 16}, 4, 0}, {PRODUCT_TF32, 16, 1, {2, 2}, {0, 16}, 4, 1},
    {PRODUCT_S8, 32, 0, {0, 1}, {0, 0}, 8, 0},   {PRODUCT_S8, 32, 1, {2, 3}, {0, 0}, 8, 0},
    {PRODUCT_S8, 64, 0, {0, 1}, {0, 0}, 8, 2},   {PRODUCT_S4, 64, 1, {2, 3}, {0, 0}, 8, 0},
    {PRODUCT_S4, 128, 0, {0, 1}, {0, 0}, 8, 2},
};

// Stored numbers of a row, in groups of which half are, move to where their metadata say. Absent ones are 0, or have no exponent.
START_TEST(sparse_places) {
  const Sparse *sparse = &sparse_cases[_i];
  g_autoptr(GRand) random = g_rand_new_with_seed((guint32)_i + 1);
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  g_autoptr(Registers) registers = smb_registers_new(constants, 4, 1, NULL);
  static const guint places[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  Product product = {.form = {.a = sparse->number,
                              .b = sparse->number,
                              .rows = 16,
                              .depth = (guint16)sparse->depth,
                              .is_sparse = TRUE},
                     .metadata = 0,
                     .selector = (guint8)sparse->selector};
  static ProductOperands operands;
  ProductUnknown unknown = {.rows = 0};
  gboolean is_real = sparse->number <= PRODUCT_F32;
  guint32 words[LANES];
  guint in_group = sparse->number == PRODUCT_TF32 ? 2 : sparse->number == PRODUCT_S4 ? 8 : 4;
  ck_assert_uint_eq(smb_product_stored_depth(&product.form), sparse->depth / 2);
  for (guint lane = 0; lane < LANES; lane++) {
    words[lane] = 0;
    for (guint i = 0; i < 8; i++)
      words[lane] |= (in_group == 2 ? (g_rand_boolean(random) ? 0xe : 0x4)
                                    : places[g_rand_int_range(random, 0, 6)])
                     << 4 * i;
  }
  smb_registers_reset(registers, G_MAXUINT32);
  smb_row_set_known(registers, 0, G_MAXUINT32, words);
  for (guint i = 0; i < 16; i++)
    for (guint k = 0; k < sparse->depth / 2; k++) {
      operands.a_whole[i][k] = (gint32)(i * 1000 + k + 1);
      operands.a[i][k] = i * 1000 + k + 1;
    }
  smb_product_place_sparse(&product, registers, 0, &operands, &unknown);
  ck_assert_uint_eq(unknown.rows, 0);
  for (guint i = 0; i < 16; i++) {
    guint stored = 0;
    for (guint k = 0; k < sparse->depth; k++) {
      guint group = k / in_group,
            lane = sparse->lane[i / 8] + group / sparse->groups * sparse->step;
      guint bits =
          words[i % 8 * 4 + lane] >> (sparse->shift[i / 8] + group % sparse->groups * 4) & 15;
      guint unit = k % in_group * 4 / in_group; // of 8 numbers pairs, of 2 half ones
      gboolean is_there =
          in_group == 2 ? (bits & 3) == unit : unit == (bits & 3) || unit == bits >> 2;
      stored += is_there;
      ck_assert_int_eq(operands.a_whole[i][k], is_there  ? (gint32)(i * 1000 + stored)
                                               : is_real ? PRODUCT_ABSENT
                                                         : 0);
      ck_assert(operands.a[i][k] == (is_there ? i * 1000 + stored : 0));
    }
    ck_assert_uint_eq(stored, sparse->depth / 2);
  }
  // a lane whose metadata are unknown
  smb_row_forget(registers, 0, (SmbLanes)1 << (4 + sparse->lane[1]), 0, 7);
  smb_product_place_sparse(&product, registers, 0, &operands, &unknown);
  ck_assert_uint_eq(unknown.rows, sparse->lane[0] == sparse->lane[1] ? 0x202 : 0x200);
  ck_assert_uint_eq(unknown.origin, 7);
}
END_TEST

// --- shared memory: the layouts of the PTX ISA ("Shared Memory Matrix Layout"), as cells of 8 rows of 16, 32, 64 or 128 bytes

typedef struct {
  guint mode; // of a descriptor
  gboolean is_turned;
  guint bytes, row, k;
  guint32 address; // for a start of 0x400, 0x2000 from cell to cell along, 0x1000 across
} Cell;

static const Cell cells[] = {
    {0, FALSE, 2, 0, 0, 0x400},  {0, FALSE, 2, 3, 5, 0x43a},   {0, FALSE, 2, 9, 0, 0x1410},
    {0, FALSE, 2, 0, 9, 0x2402}, {0, FALSE, 1, 2, 17, 0x2421}, {0, TRUE, 2, 3, 5, 0x456},
    {0, TRUE, 2, 9, 0, 0x1402},  {0, TRUE, 2, 0, 9, 0x2410},   {1, FALSE, 2, 0, 9, 0x412},
    {1, FALSE, 2, 1, 9, 0x482},  {1, FALSE, 2, 7, 0, 0x7f0},   {1, FALSE, 2, 8, 0, 0x1400},
    {1, FALSE, 4, 2, 5, 0x534},  {1, TRUE, 2, 8, 3, 0x5a0},    {1, TRUE, 2, 64, 0, 0x2400},
    {1, TRUE, 2, 0, 8, 0x1400},  {2, FALSE, 2, 1, 0, 0x440},   {2, FALSE, 2, 2, 0, 0x490},
    {2, FALSE, 2, 7, 1, 0x5f2},  {2, TRUE, 2, 32, 0, 0x2400},  {3, FALSE, 1, 3, 31, 0x47f},
    {3, FALSE, 1, 4, 31, 0x48f}, {3, FALSE, 1, 4, 0, 0x490},   {3, TRUE, 2, 16, 8, 0x3400},
};

START_TEST(places) {
  const Cell *cell = &cells[_i];
  MatrixPlace place = smb_matrix_place(0x40 | 0x200 << 16, 0x100 | cell->mode << 30);
  guint32 found = smb_matrix_address(&place, cell->is_turned, cell->bytes, cell->row, cell->k);
  ck_assert_msg(found == cell->address, "cell %d: expected 0x%x, found 0x%x", _i, cell->address,
                found);
}
END_TEST

Suite *
suite_product(void) {
  Suite *suite = suite_create("product");
  TCase *tcase = tcase_create("product");
  tcase_add_loop_test(tcase, sum_is_the_devices, 0, G_N_ELEMENTS(sums));
  tcase_add_test(tcase, loops_agree);
  tcase_add_test(tcase, certain_sums);
  tcase_add_loop_test(tcase, fragments, 0, G_N_ELEMENTS(shapes));
  tcase_add_loop_test(tcase, sparse_places, 0, G_N_ELEMENTS(sparse_cases));
  tcase_add_loop_test(tcase, places, 0, G_N_ELEMENTS(cells));
  suite_add_tcase(suite, tcase);
  return suite;
}
