// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operands of products in registers, and products of these (PTX ISA, "Matrix Fragments"). One rule has all shapes: lane
// 4 g + t holds, in each register of A, consecutive numbers of a row, those of t behind those of t - 1; registers alternate
// between rows g and g + 8, if there are so many, and then go on along the row. Those of B hold numbers of column g alike. Those of C and D
// have two numbers, or one of them or half of one, of columns 2 t and 2 t + 1: those of row g, and then those of row g + 8.
#include <string.h>

#include "sim/exec/compute/real.h"
#include "sim/exec/product/product.h"
#include "sim/machine/access/lanes.h"

enum {
  EIGHT = 8,    // rows, or columns, that lanes are spread over
  IN_A_ROW = 4, // lanes that share one
};

// How numbers lie in registers.
typedef struct {
  guint in_register; // numbers; of wide ones one in two
  guint registers;   // of a number: 1 or 2
  guint bits;
} Packing;

// Floats of 6 bits take 8.
static guint
bits_in_register(ProductNumber number) {
  guint bits = smb_product_bits(number);
  return bits == 6 ? 8 : bits;
}

static Packing
packing_of(ProductNumber number) {
  guint bits = bits_in_register(number);
  return (Packing){MAX(32 / bits, 1), MAX(bits / 32, 1), bits};
}

static guint
count_fragment_registers(ProductNumber number, guint numbers) {
  return numbers * bits_in_register(number) / 32 / 32;
}

enum {
  QUAD_FACTORS = 2, // registers
  QUAD_SUMS = 8,    // of floats
};

guint
smb_product_registers_of_a(const ProductForm *form) {
  if (form->is_quad)
    return QUAD_FACTORS;
  return count_fragment_registers((ProductNumber)form->a,
                                  form->rows * smb_product_stored_depth(form));
}

guint
smb_product_registers_of_b(const ProductForm *form) {
  if (form->is_quad)
    return QUAD_FACTORS;
  return count_fragment_registers((ProductNumber)form->b, EIGHT * smb_product_stored_height(form));
}

guint
smb_product_registers_of_sum(const ProductForm *form) {
  if (form->is_quad)
    return form->sum == PRODUCT_F16 ? QUAD_SUMS / 2 : QUAD_SUMS;
  return count_fragment_registers((ProductNumber)form->sum, (guint)form->rows * form->columns);
}

// --- reading

// A register, or two, of the lanes from @first on.
typedef struct {
  const guint32 *low, *high;
  guint32 unknown[ROW_LANES];
  gboolean has_unknown;
} Loaded;

static void
load_register(const Registers *registers, const Row *rows, const Packing *packing, guint first,
              Loaded *loaded, ProductUnknown *unknown) {
  loaded->low = row_values(registers, rows[0]) + first;
  loaded->high = packing->registers == 2 ? row_values(registers, rows[1]) + first : NULL;
  loaded->has_unknown = FALSE;
  for (guint i = 0; i < packing->registers; i++) {
    guint flags = row_flags(registers, rows[i]);
    unknown->flags |= flags;
    if (!(flags & ROW_UNKNOWN))
      continue;
    if (!loaded->has_unknown)
      memset(loaded->unknown, 0, sizeof loaded->unknown);
    loaded->has_unknown = TRUE;
    if (!unknown->origin)
      unknown->origin = row_origin(registers, rows[i]);
    for (guint lane = 0; lane < ROW_LANES; lane++)
      loaded->unknown[lane] |= row_lane_unknown(registers, rows[i], first + lane);
  }
}

// Where the numbers of a register, or of two, belong, as smb_product_read_all() wants them: how far it is from one number
// to the next, and from those of four lanes to the next.
typedef struct {
  gsize across, down;
  gint32 *whole;
  double *real;
} Spread;

static inline void
spread_words(const guint32 *words, guint in_register, gsize across, gsize down, gint32 *whole) {
  for (guint group = 0; group < EIGHT; group++)
    for (guint i = 0; i < IN_A_ROW; i++)
      for (guint e = 0; e < in_register; e++)
        whole[group * down + (i * in_register + e) * across] =
            (gint32)(words[group * IN_A_ROW + i] >> e * (32 / in_register));
}

static void
spread_numbers(const Loaded *loaded, const Packing *packing, Spread to) {
  if (packing->in_register == 2)
    spread_words(loaded->low, 2, to.across, to.down, to.whole);
  else if (!loaded->high)
    spread_words(loaded->low, packing->in_register, to.across, to.down, to.whole);
  else
    for (guint lane = 0; lane < ROW_LANES; lane++)
      to.real[lane / IN_A_ROW * to.down + lane % IN_A_ROW * to.across] =
          double_of(loaded->low[lane] | (guint64)loaded->high[lane] << 32);
}

// The groups of four lanes, a bit each, of which one has unknown bits.
static guint32
find_lost_groups(const Loaded *loaded) {
  guint32 groups = 0;
  for (guint lane = 0; loaded->has_unknown && lane < ROW_LANES; lane++)
    groups |= loaded->unknown[lane] ? 1u << lane / IN_A_ROW : 0;
  return groups;
}

void
smb_product_take_a(const Product *product, const Registers *registers, guint first,
                   ProductOperands *operands, ProductUnknown *unknown) {
  const ProductForm *form = &product->form;
  const Packing packing = packing_of((ProductNumber)form->a);
  guint n = smb_product_registers_of_a(form) / packing.registers, per = form->rows / EIGHT;
  for (guint r = 0; r < n; r++) {
    Loaded loaded;
    load_register(registers, product->a + r * packing.registers, &packing, first, &loaded, unknown);
    guint below = r % per * EIGHT, from = r / per * IN_A_ROW * packing.in_register;
    spread_numbers(&loaded, &packing,
                   (Spread){.across = 1,
                            .down = PRODUCT_DEPTH,
                            .whole = &operands->a_whole[below][from],
                            .real = &operands->a[below][from]});
    unknown->rows |= find_lost_groups(&loaded) << below;
  }
  for (guint i = 0; i < form->rows; i++)
    operands->is_special |=
        !smb_product_read_all((ProductNumber)form->a, smb_product_stored_depth(form),
                              operands->a_whole[i], operands->a[i]);
  if (form->is_sparse)
    smb_product_place_sparse(product, registers, first, operands, unknown);
  if (form->scales)
    smb_product_scale_a(product, registers, first, operands, unknown);
}

void
smb_product_take_b(const Product *product, const Registers *registers, guint first,
                   ProductOperands *operands, ProductUnknown *unknown) {
  const ProductForm *form = &product->form;
  const Packing packing = packing_of((ProductNumber)form->b);
  guint n = smb_product_registers_of_b(form) / packing.registers;
  for (guint r = 0; r < n; r++) {
    Loaded loaded;
    load_register(registers, product->b + r * packing.registers, &packing, first, &loaded, unknown);
    guint k = r * IN_A_ROW * packing.in_register;
    spread_numbers(&loaded, &packing,
                   (Spread){.across = PRODUCT_COLUMNS,
                            .down = 1,
                            .whole = operands->b_whole[k],
                            .real = operands->b[k]});
    unknown->columns |= find_lost_groups(&loaded);
  }
  operands->is_special |= !smb_product_read_all((ProductNumber)form->b,
                                                smb_product_stored_height(form) * PRODUCT_COLUMNS,
                                                operands->b_whole[0], operands->b[0]);
  if (form->scales)
    smb_product_scale_b(product, registers, first, operands, unknown);
}

// Where numbers of C and D lie in registers: those of eight columns of eight rows are in @registers of them, or in as many pairs.
typedef struct {
  Packing packing;
  guint registers;
} SumPacking;

static SumPacking
sum_packing_of(const ProductForm *form) {
  Packing packing = packing_of((ProductNumber)form->sum);
  return (SumPacking){packing, 2 / packing.in_register};
}

static guint
find_sum_register(const ProductForm *form, const SumPacking *packing, guint at, guint half,
                  guint part) {
  return ((at * (form->rows / EIGHT) + half) * packing->registers + part) *
         packing->packing.registers;
}

void
smb_product_take_c(const Product *product, const Registers *registers, guint first, guint at,
                   ProductOperands *operands, ProductUnknown *unknown) {
  const ProductForm *form = &product->form;
  const SumPacking packing = sum_packing_of(form);
  memset(unknown->cells, 0, sizeof unknown->cells);
  for (guint half = 0; half < form->rows / EIGHT; half++)
    for (guint part = 0; part < packing.registers; part++) {
      Loaded loaded;
      guint r = find_sum_register(form, &packing, at, half, part), i = half * EIGHT;
      load_register(registers, product->c + r, &packing.packing, first, &loaded, unknown);
      spread_numbers(&loaded, &packing.packing,
                     (Spread){.across = packing.registers,
                              .down = PRODUCT_COLUMNS,
                              .whole = &operands->c_whole[i][part],
                              .real = &operands->c[i][part]});
      guint32 cells = (1u << packing.packing.in_register) - 1;
      for (guint lane = 0; loaded.has_unknown && lane < ROW_LANES; lane++)
        if (loaded.unknown[lane])
          unknown->cells[i + lane / IN_A_ROW] |= cells << (lane % IN_A_ROW * 2 + part);
    }
  operands->is_special |= !smb_product_read_all(
      (ProductNumber)form->sum, form->rows * PRODUCT_COLUMNS, operands->c_whole[0], operands->c[0]);
}

// --- writing

// How what is computed depends on the block, and on the order of threads.
static guint
find_marks(const ProductUnknown *unknown) {
  return (unknown->flags & ROW_TAINT) | (unknown->flags & ROW_AFFINE ? ROW_BLOCK : 0);
}

// The bits of a lane's register that are not known, whose first number is in that row and column.
static guint32
find_unknown_bits(const ProductUnknown *unknown, guint in_register, guint i, guint j) {
  guint32 cells = unknown->rows >> i & 1 ? G_MAXUINT32 : unknown->columns | unknown->cells[i];
  guint32 low = cells >> j & 1 ? G_MAXUINT32 : 0, high = cells >> (j + 1) & 1 ? G_MAXUINT32 : 0;
  return in_register == 1 ? low : (low & 0xffff) | high << 16;
}

static gboolean
has_unknown_sums(const ProductUnknown *unknown) {
  guint32 any = unknown->rows | unknown->columns;
  for (guint i = 0; i < PRODUCT_ROWS; i++)
    any |= unknown->cells[i];
  return any != 0;
}

static void
put_sums_register(Row row, Registers *registers, guint first, guint32 *values, const guint32 *bits,
                  const ProductUnknown *unknown) {
  guint32 any = 0;
  for (guint lane = first; lane < first + ROW_LANES; lane++) {
    values[lane] &= ~bits[lane];
    any |= bits[lane];
  }
  SmbLanes lanes = (SmbLanes)G_MAXUINT32 << first;
  smb_row_set(registers, row, lanes, values, any ? bits : NULL, find_marks(unknown),
              unknown->origin);
}

gboolean
smb_product_put(const Product *product, Registers *registers, guint first, guint at,
                const ProductOperands *operands, const ProductUnknown *unknown) {
  const ProductForm *form = &product->form;
  const SumPacking packing = sum_packing_of(form);
  const guint in_register = packing.packing.in_register;
  guint32 low[SMB_MAX_LANES] = {0}, high[SMB_MAX_LANES] = {0}, bits[SMB_MAX_LANES] = {0};
  gboolean has_unknown = has_unknown_sums(unknown);
  ProductSums sums;
  smb_product_sum(form, operands, sums);
  for (guint half = 0; half < form->rows / EIGHT; half++)
    for (guint part = 0; part < packing.registers; part++) {
      const Row *row = product->d + find_sum_register(form, &packing, at, half, part);
      for (guint lane = 0; lane < ROW_LANES; lane++) {
        guint i = half * EIGHT + lane / IN_A_ROW, j = 2 * (lane % IN_A_ROW) + part;
        low[first + lane] = (guint32)(sums[i][j] | (in_register == 2 ? sums[i][j + 1] << 16 : 0));
        high[first + lane] = (guint32)(sums[i][j] >> 32);
        if (has_unknown)
          bits[first + lane] = find_unknown_bits(unknown, in_register, i, j);
      }
      put_sums_register(row[0], registers, first, low, bits, unknown);
      if (packing.packing.registers == 2)
        put_sums_register(row[1], registers, first, high, bits, unknown);
    }
  return !form->is_published || smb_product_is_certain(form, operands);
}

gboolean
smb_product_is_lost(const ProductForm *form, const ProductUnknown *unknown) {
  return unknown->rows == (1u << form->rows) - 1 || unknown->columns == (1u << EIGHT) - 1;
}

void
smb_product_forget(const Product *product, Registers *registers, guint first,
                   const ProductUnknown *unknown) {
  for (guint i = 0; i < smb_product_registers_of_sum(&product->form); i++)
    smb_row_forget(registers, product->d[i], (SmbLanes)G_MAXUINT32 << first, find_marks(unknown),
                   unknown->origin);
}

// The rows or columns, a bit each, whose lanes have unknown bits of a register.
static guint32
find_unknown_groups(const Registers *registers, Row row, guint first, ProductUnknown *unknown) {
  guint flags = row_flags(registers, row);
  guint32 groups = 0, lanes;
  unknown->flags |= flags;
  if (!(flags & ROW_UNKNOWN))
    return 0;
  if (!unknown->origin)
    unknown->origin = row_origin(registers, row);
  lanes = ~(guint32)(smb_row_known(registers, row, (SmbLanes)G_MAXUINT32 << first) >> first);
  for (guint i = 0; i < EIGHT; i++)
    groups |= (guint32)((lanes >> i * IN_A_ROW & ((1 << IN_A_ROW) - 1)) != 0) << i;
  return groups;
}

// What is not known of A and of B, before a number of them is read.
static void
find_unknown_factors(const Product *product, const Registers *registers, guint first,
                     ProductUnknown *unknown) {
  const ProductForm *form = &product->form;
  guint wide = packing_of((ProductNumber)form->a).registers, per = form->rows / EIGHT;
  for (guint r = 0; r < smb_product_registers_of_a(form); r++)
    unknown->rows |= find_unknown_groups(registers, product->a[r], first, unknown)
                     << r / wide % per * EIGHT;
  for (guint r = 0; r < smb_product_registers_of_b(form); r++)
    unknown->columns |= find_unknown_groups(registers, product->b[r], first, unknown);
}

gboolean
smb_product_make(const Product *product, Registers *registers, SmbLanes lanes) {
  gboolean is_certain = TRUE;
  for (guint first = 0; first < registers->n_lanes; first += ROW_LANES) {
    ProductOperands operands;
    ProductUnknown unknown = {0};
    if (!(lanes >> first & 1))
      continue;
    if (product->form.is_quad) {
      is_certain &= smb_product_make_quads(product, registers, first);
      continue;
    }
    operands.is_special = FALSE;
    find_unknown_factors(product, registers, first, &unknown);
    if (smb_product_is_lost(&product->form, &unknown)) {
      smb_product_forget(product, registers, first, &unknown);
      continue;
    }
    smb_product_take_a(product, registers, first, &operands, &unknown);
    smb_product_take_b(product, registers, first, &operands, &unknown);
    for (guint at = 0; at < product->form.columns / PRODUCT_COLUMNS; at++) {
      smb_product_take_c(product, registers, first, at, &operands, &unknown);
      is_certain &= smb_product_put(product, registers, first, at, &operands, &unknown);
    }
  }
  return is_certain;
}

// --- wmma: tiles one behind the other

void
smb_fragment_place(const Fragment *fragment, guint index, guint lane, guint *row, guint *column) {
  const Packing packing = packing_of(fragment->number);
  guint down = fragment->halves * EIGHT,
        of_base = fragment->base * packing.in_register / packing.registers;
  index %= of_base;
  if (fragment->is_sum) {
    guint tile = index / (2 * fragment->halves), in_tile = index % (2 * fragment->halves);
    *row = tile / fragment->across * down + in_tile / 2 * EIGHT + lane / IN_A_ROW;
    *column = tile % fragment->across * EIGHT + lane % IN_A_ROW * 2 + in_tile % 2;
    return;
  }
  // what a tile has: all of the depth of its rows
  guint of_tile = of_base / fragment->across, tile = index / of_tile;
  guint part = index % of_tile / packing.in_register;
  *row = tile * down + part % fragment->halves * EIGHT + lane / IN_A_ROW;
  *column = (part / fragment->halves * IN_A_ROW + lane % IN_A_ROW) * packing.in_register +
            index % packing.in_register;
}
