// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Four products of 8x8x4 halves, each of two groups of four lanes (PTX ISA, "Matrix Fragments for mma.m8n8k4"): lanes 4 q to 4 q + 3, which have rows and columns 0 to 3, and those
// 16 further, which have 4 to 7. From sm_80 on there is no such instruction: ptxas of CUDA 13.0 makes shuffles and sums of it, in the order below.
#include <math.h>

#include "sim/exec/compute/real.h"
#include "sim/exec/product/product.h"
#include "sim/machine/access/lanes.h"

enum {
  QUADS = 4,
  HALF = 4,       // lanes, rows or columns of one group
  HALF_STEP = 16, // lanes from one group to the other
  SIDE = 8,
  DEPTH = 4,
};

// A number of a lane, in the order of its registers.
typedef struct {
  guint lane, index;
} QuadPlace;

// Of a factor: row @across of A, or column @across of B, at depth @k. @is_turned: a lane has one of each of four rows, or columns; else a row, or a column.
static QuadPlace
find_factor_place(gboolean is_turned, guint quad, guint across, guint k) {
  guint first = quad * HALF + across / HALF * HALF_STEP;
  return is_turned ? (QuadPlace){first + k, across % HALF} : (QuadPlace){first + across % HALF, k};
}

static QuadPlace
find_sum_place(ProductNumber number, guint quad, guint i, guint j) {
  guint first = quad * HALF + i / HALF * HALF_STEP;
  return number == PRODUCT_F32 ? (QuadPlace){first + (i & 1) + (j & 2), (i & 2) + (j & 4) + (j & 1)}
                               : (QuadPlace){first + i % HALF, j};
}

// The register of a number, and where it begins there.
static guint
find_register(ProductNumber number, guint index, guint *shift) {
  *shift = number == PRODUCT_F16 ? index % 2 * 16 : 0;
  return number == PRODUCT_F16 ? index / 2 : index;
}

// Returns whether all bits are known.
static gboolean
read_quad_number(const Registers *registers, const Row *rows, ProductNumber number, guint first,
                 QuadPlace place, gint32 *whole, double *real, ProductUnknown *unknown) {
  guint shift;
  Row row = rows[find_register(number, place.index, &shift)];
  guint32 mask = number == PRODUCT_F16 ? 0xffff : G_MAXUINT32;
  guint flags = row_flags(registers, row);
  guint32 lost = flags & ROW_UNKNOWN ? row_lane_unknown(registers, row, first + place.lane) : 0;
  unknown->flags |= flags;
  smb_product_read(number, row_values(registers, row)[first + place.lane] >> shift & mask, real,
                   whole);
  if (!(lost >> shift & mask))
    return TRUE;
  unknown->origin = unknown->origin ? unknown->origin : row_origin(registers, row);
  return FALSE;
}

static void
take_quad(const Product *product, const Registers *registers, guint first, guint quad,
          ProductOperands *o, ProductUnknown *unknown) {
  const ProductNumber addend = (ProductNumber)product->form.addend;
  for (guint i = 0; i < SIDE; i++) {
    for (guint k = 0; k < DEPTH; k++) {
      QuadPlace a = find_factor_place(product->left_is_turned, quad, i, k);
      QuadPlace b = find_factor_place(product->right_is_turned, quad, i, k);
      if (!read_quad_number(registers, product->a, PRODUCT_F16, first, a, &o->a_whole[i][k],
                            &o->a[i][k], unknown))
        unknown->rows |= 1u << i;
      if (!read_quad_number(registers, product->b, PRODUCT_F16, first, b, &o->b_whole[k][i],
                            &o->b[k][i], unknown))
        unknown->columns |= 1u << i;
    }
    for (guint j = 0; j < SIDE; j++)
      if (!read_quad_number(registers, product->c, addend, first,
                            find_sum_place(addend, quad, i, j), &o->c_whole[i][j], &o->c[i][j],
                            unknown))
        unknown->cells[i] |= 1u << j;
  }
}

// What ptxas makes of it.
static guint32
add_as_assembled(const ProductForm *form, const ProductOperands *o, guint i, guint j) {
  float a[DEPTH], b[DEPTH], c = (float)o->c[i][j], sum;
  for (guint k = 0; k < DEPTH; k++) {
    a[k] = (float)o->a[i][k];
    b[k] = (float)o->b[k][j];
  }
  if (form->sum == PRODUCT_F16) {
    sum = fmaf(a[1], b[1], a[0] * b[0]) + c;
    sum += fmaf(a[3], b[3], a[2] * b[2]);
    return isnan(sum) ? 0x7fff : smb_half_from_real(SMB_SCALAR_F16, (double)sum);
  }
  sum = 0;
  for (guint k = 0; k < DEPTH; k++)
    sum = fmaf(a[k], b[k], sum);
  sum += c;
  return isnan(sum) ? NAN_32 : float_bits(sum);
}

// Registers of D, and what is not known of them.
typedef struct {
  guint32 values[SIDE][SMB_MAX_LANES], unknown[SIDE][SMB_MAX_LANES];
} QuadSums;

static void
put_quad(const ProductForm *form, guint first, guint quad, const ProductSums sums,
         const ProductUnknown *unknown, QuadSums *to) {
  const ProductNumber number = (ProductNumber)form->sum;
  for (guint i = 0; i < SIDE; i++)
    for (guint j = 0; j < SIDE; j++) {
      guint shift;
      QuadPlace place = find_sum_place(number, quad, i, j);
      guint r = find_register(number, place.index, &shift), lane = first + place.lane;
      gboolean is_lost = (unknown->rows >> i | unknown->columns >> j | unknown->cells[i] >> j) & 1;
      to->values[r][lane] |= is_lost ? 0 : (guint32)sums[i][j] << shift;
      to->unknown[r][lane] |=
          is_lost ? (number == PRODUCT_F16 ? 0xffffu : G_MAXUINT32) << shift : 0;
    }
}

gboolean
smb_product_make_quads(const Product *product, Registers *registers, guint first) {
  const ProductForm *form = &product->form;
  g_autofree ProductOperands *operands = g_new0(ProductOperands, 1);
  g_autofree QuadSums *to = g_new0(QuadSums, 1);
  gboolean is_certain = TRUE;
  guint flags = 0;
  guint32 origin = 0;
  for (guint quad = 0; quad < QUADS; quad++) {
    ProductUnknown unknown = {.origin = origin};
    ProductSums sums;
    take_quad(product, registers, first, quad, operands, &unknown);
    if (form->is_published) {
      operands->is_special = TRUE;
      smb_product_sum(form, operands, sums);
      is_certain = is_certain && smb_product_is_certain(form, operands);
    } else
      for (guint i = 0; i < SIDE; i++)
        for (guint j = 0; j < SIDE; j++)
          sums[i][j] = add_as_assembled(form, operands, i, j);
    put_quad(form, first, quad, sums, &unknown, to);
    flags |= unknown.flags;
    origin = unknown.origin;
  }
  for (guint r = 0; r < smb_product_registers_of_sum(form); r++)
    smb_row_set(registers, product->d[r], (SmbLanes)G_MAXUINT32 << first, to->values[r],
                to->unknown[r], (flags & ROW_TAINT) | (flags & ROW_AFFINE ? ROW_BLOCK : 0), origin);
  return is_certain;
}
