// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Scaled factors (PTX ISA, "Block Scaling"): parts of equal length of each row of A, and of each column of B, are multiplied by a number of
// 8 bits of their own. That products of numbers and scales are exact is assumed: it was compared with no device.
#include <math.h>

#include "sim/exec/product/product.h"

enum {
  SCALE_BITS = 8,
  SCALE_BIAS = 127, // of UE8M0
  SCALE_NAN = 0xff, // of UE8M0
  IN_A_ROW = 4,     // lanes
  EIGHT = 8,        // rows, or columns, that lanes are spread over
};

// Its value, and its exponent as it is written. Returns whether it is finite.
static gboolean
read_scale(const ProductForm *form, guint32 bits, double *real, gint32 *exponent) {
  if (form->has_fine_scales)
    return smb_product_read(PRODUCT_E4M3, bits & 0x7f, real, exponent);
  *exponent = (gint32)(bits & 0xff) - SCALE_BIAS;
  *real = (bits & 0xff) == SCALE_NAN ? (double)NAN : ldexp(1, *exponent);
  return (bits & 0xff) != SCALE_NAN;
}

gboolean
smb_product_scale(const ProductForm *form, guint32 scales, gsize step, gint32 *whole,
                  double *real) {
  const guint n = form->depth / form->scales;
  gboolean is_finite = TRUE;
  for (guint k = 0; k < form->depth; k++) {
    double scale;
    gint32 exponent;
    gint32 *to = &whole[k * step];
    is_finite &= read_scale(form, scales >> k / n * SCALE_BITS, &scale, &exponent);
    if (*to == PRODUCT_ABSENT)
      continue;
    real[k * step] *= scale;
    *to = *to == PRODUCT_NO_EXPONENT || exponent == PRODUCT_NO_EXPONENT ? PRODUCT_NO_EXPONENT
                                                                        : *to + exponent;
  }
  return is_finite;
}

// --- in registers: of each four lanes, a pair has those of rows g and g + 8 of A, and one those of column g of B

// The scales of row or column @i of a factor, which are in lane @of_row of those of its group.
static guint32
read_lane_scales(const ProductScale *scale, const Registers *registers, guint first, guint group,
                 guint of_group, ProductUnknown *unknown, gboolean *is_unknown) {
  guint lane = first + group * IN_A_ROW + of_group % IN_A_ROW;
  guint flags = row_flags(registers, scale->data);
  unknown->flags |= flags;
  *is_unknown = (flags & ROW_UNKNOWN) && row_lane_unknown(registers, scale->data, lane);
  if (*is_unknown && !unknown->origin)
    unknown->origin = row_origin(registers, scale->data);
  return row_values(registers, scale->data)[lane] >>
         row_values(registers, scale->byte)[first] % IN_A_ROW * SCALE_BITS;
}

// Whether it is known which lanes and bytes are meant.
static gboolean
is_scale_place_known(const ProductScale *scale, const Registers *registers, guint first,
                     ProductUnknown *unknown) {
  const Row rows[] = {scale->byte, scale->lane};
  gboolean is_known = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    unknown->flags |= row_flags(registers, rows[i]);
    if (row_lane_unknown(registers, rows[i], first)) {
      is_known = FALSE;
      unknown->origin = unknown->origin ? unknown->origin : row_origin(registers, rows[i]);
    }
  }
  return is_known;
}

void
smb_product_scale_a(const Product *product, const Registers *registers, guint first,
                    ProductOperands *operands, ProductUnknown *unknown) {
  const ProductScale *scale = &product->scale_a;
  const guint rows = product->form.rows;
  if (!is_scale_place_known(scale, registers, first, unknown))
    unknown->rows |= (1u << rows) - 1;
  guint pair = row_values(registers, scale->lane)[first] * 2;
  for (guint i = 0; i < rows; i++) {
    gboolean is_unknown;
    guint32 scales = read_lane_scales(scale, registers, first, i % EIGHT, pair + i / EIGHT, unknown,
                                      &is_unknown);
    unknown->rows |= (guint32)is_unknown << i;
    operands->is_special |=
        !smb_product_scale(&product->form, scales, 1, operands->a_whole[i], operands->a[i]);
  }
}

void
smb_product_scale_b(const Product *product, const Registers *registers, guint first,
                    ProductOperands *operands, ProductUnknown *unknown) {
  const ProductScale *scale = &product->scale_b;
  if (!is_scale_place_known(scale, registers, first, unknown))
    unknown->columns |= (1u << EIGHT) - 1;
  guint lane = row_values(registers, scale->lane)[first];
  for (guint j = 0; j < EIGHT; j++) {
    gboolean is_unknown;
    guint32 scales = read_lane_scales(scale, registers, first, j, lane, unknown, &is_unknown);
    unknown->columns |= (guint32)is_unknown << j;
    operands->is_special |= !smb_product_scale(&product->form, scales, PRODUCT_COLUMNS,
                                               &operands->b_whole[0][j], &operands->b[0][j]);
  }
}
