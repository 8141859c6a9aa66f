// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operands of products in registers, and products of these (PTX ISA, "Matrix Fragments"). One rule has all shapes: lane
// 4 g + t holds, in each register of A, consecutive numbers of a row, those of t behind those of t - 1; registers alternate
// between rows g and g + 8, if there are so many, and then go on along the row. Those of B hold numbers of column g alike. Those of C and D
// have two numbers, or one of them or half of one, of columns 2 t and 2 t + 1: those of row g, and then those of row g + 8.
#include <string.h>

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

static Packing
packing_of(ProductNumber number) {
  guint bits = smb_product_bits(number);
  return (Packing){MAX(32 / bits, 1), MAX(bits / 32, 1), bits};
}

// Numbers along a row of A, as they are stored: of B1 words.
static guint
find_stored_depth(const ProductForm *form) {
  return form->a == PRODUCT_B1 ? form->depth / 32 : form->depth;
}

static guint
count_fragment_registers(ProductNumber number, guint numbers) {
  return numbers * smb_product_bits(number) / 32 / 32;
}

guint
smb_product_registers_of_a(const ProductForm *form) {
  return count_fragment_registers((ProductNumber)form->a, form->rows * find_stored_depth(form));
}

guint
smb_product_registers_of_b(const ProductForm *form) {
  return count_fragment_registers((ProductNumber)form->b, EIGHT * find_stored_depth(form));
}

guint
smb_product_registers_of_sum(const ProductForm *form) {
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

static guint64
number_of(const Loaded *loaded, const Packing *packing, guint lane, guint i) {
  return loaded->high ? loaded->low[lane] | (guint64)loaded->high[lane] << 32
                      : loaded->low[lane] >> (i * packing->bits);
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
    for (guint lane = 0; lane < ROW_LANES; lane++) {
      guint i = lane / IN_A_ROW + below, k = from + lane % IN_A_ROW * packing.in_register;
      for (guint e = 0; e < packing.in_register; e++)
        operands->is_special |=
            !smb_product_read((ProductNumber)form->a, number_of(&loaded, &packing, lane, e),
                              &operands->a[i][k + e], &operands->a_whole[i][k + e]);
      if (loaded.has_unknown && loaded.unknown[lane])
        unknown->rows |= 1u << i;
    }
  }
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
    for (guint lane = 0; lane < ROW_LANES; lane++) {
      guint j = lane / IN_A_ROW, k = (r * IN_A_ROW + lane % IN_A_ROW) * packing.in_register;
      for (guint e = 0; e < packing.in_register; e++)
        operands->is_special |=
            !smb_product_read((ProductNumber)form->b, number_of(&loaded, &packing, lane, e),
                              &operands->b[k + e][j], &operands->b_whole[k + e][j]);
      if (loaded.has_unknown && loaded.unknown[lane])
        unknown->columns |= 1u << j;
    }
  }
}

// Where a number of C lies: which of those of eight columns that a lane has.
typedef struct {
  guint register_;
  guint in_register;
} SumPlace;

static SumPlace
find_sum_place(const ProductForm *form, const Packing *packing, guint at, guint half, guint e) {
  guint number = 2 * (at * (form->rows / EIGHT) + half) + e;
  return (SumPlace){number / packing->in_register * packing->registers,
                    number % packing->in_register};
}

void
smb_product_take_c(const Product *product, const Registers *registers, guint first, guint at,
                   ProductOperands *operands, ProductUnknown *unknown) {
  const ProductForm *form = &product->form;
  const Packing packing = packing_of((ProductNumber)form->sum);
  memset(unknown->cells, 0, sizeof unknown->cells);
  for (guint half = 0; half < form->rows / EIGHT; half++)
    for (guint e = 0; e < 2; e++) {
      Loaded loaded;
      SumPlace place = find_sum_place(form, &packing, at, half, e);
      load_register(registers, product->c + place.register_, &packing, first, &loaded, unknown);
      for (guint lane = 0; lane < ROW_LANES; lane++) {
        guint i = half * EIGHT + lane / IN_A_ROW, j = 2 * (lane % IN_A_ROW) + e;
        operands->is_special |= !smb_product_read(
            (ProductNumber)form->sum, number_of(&loaded, &packing, lane, place.in_register),
            &operands->c[i][j], &operands->c_whole[i][j]);
        if (loaded.has_unknown && loaded.unknown[lane])
          unknown->cells[i] |= 1u << j;
      }
    }
}

// --- writing

// How what is computed depends on the block, and on the order of threads.
static guint
find_marks(const ProductUnknown *unknown) {
  return (unknown->flags & ROW_TAINT) | (unknown->flags & ROW_AFFINE ? ROW_BLOCK : 0);
}

static void
put_sums_register(Row row, Registers *registers, guint first, guint32 *values, guint32 *bits,
                  const ProductUnknown *unknown) {
  guint32 all[SMB_MAX_LANES] = {0}, all_unknown[SMB_MAX_LANES] = {0};
  guint32 any = 0;
  for (guint lane = 0; lane < ROW_LANES; lane++) {
    all[first + lane] = values[lane] & ~bits[lane];
    all_unknown[first + lane] = bits[lane];
    any |= bits[lane];
  }
  SmbLanes lanes = (SmbLanes)G_MAXUINT32 << first;
  smb_row_set(registers, row, lanes, all, any ? all_unknown : NULL, find_marks(unknown),
              unknown->origin);
}

gboolean
smb_product_put(const Product *product, Registers *registers, guint first, guint at,
                const ProductOperands *operands, const ProductUnknown *unknown) {
  const ProductForm *form = &product->form;
  const Packing packing = packing_of((ProductNumber)form->sum);
  guint n = 2 * form->rows / EIGHT / packing.in_register *
            packing.registers; // registers of eight columns
  guint32 values[8][ROW_LANES] = {{0}}, bits[8][ROW_LANES] = {{0}};
  ProductSums sums;
  smb_product_sum(form, operands, sums);
  for (guint half = 0; half < form->rows / EIGHT; half++)
    for (guint e = 0; e < 2; e++) {
      SumPlace place = find_sum_place(form, &packing, 0, half, e);
      for (guint lane = 0; lane < ROW_LANES; lane++) {
        guint i = half * EIGHT + lane / IN_A_ROW, j = 2 * (lane % IN_A_ROW) + e;
        gboolean is_unknown =
            (unknown->rows >> i & 1) | (unknown->columns >> j & 1) | (unknown->cells[i] >> j & 1);
        guint64 ones = packing.bits < 32 ? 0xffff : G_MAXUINT64;
        values[place.register_][lane] |= (guint32)(sums[i][j] << (place.in_register * 16));
        bits[place.register_][lane] |= is_unknown ? (guint32)(ones << (place.in_register * 16)) : 0;
        if (packing.registers == 2) {
          values[place.register_ + 1][lane] = (guint32)(sums[i][j] >> 32);
          bits[place.register_ + 1][lane] = is_unknown ? G_MAXUINT32 : 0;
        }
      }
    }
  for (guint r = 0; r < n; r++)
    put_sums_register(product->d[at * n + r], registers, first, values[r], bits[r], unknown);
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
