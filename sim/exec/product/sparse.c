// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sparse factors (PTX ISA, "Warp-level matrix multiply-accumulate operations on sparse matrices"). Of each group of four units along a row of A,
// two are stored. A unit is a number; or a pair of numbers of 4 bits, or half a number of 32. Four bits of metadata say which units these are.
// A register has those of eight groups of a row; of numbers of 16 and of 32 bits, those of four groups of row g, and of four of row g + 8. Each four
// lanes share rows g and g + 8. Where these need one register, the selector names the lane; where they need two, it names the pair of lanes; else all have some.
// The layout was found from random products of an H200: doc/compiled.md.
#include <string.h>

#include "sim/exec/product/product.h"

enum {
  GROUP_UNITS = 4,
  GROUP_BITS = 4,
  UNIT_BITS = 2,
  WORD_GROUPS = 32 / GROUP_BITS,
  IN_A_ROW = 4, // lanes
};

// Numbers of a group, of which half are stored, in registers of a warp.
static guint
count_in_group(ProductNumber number) {
  guint bits = smb_product_bits(number);
  return bits == 32 ? GROUP_UNITS / 2 : bits == 4 ? GROUP_UNITS * 2 : GROUP_UNITS;
}

guint
smb_product_stored_height(const ProductForm *form) {
  return form->a == PRODUCT_B1 ? form->depth / 32u : form->depth;
}

guint
smb_product_stored_depth(const ProductForm *form) {
  guint height = smb_product_stored_height(form);
  return form->is_sparse ? height / 2 : height;
}

// Where four bits of metadata are.
typedef struct {
  guint lane, shift;
} MetadataPlace;

// Those of a group of row @i, which has @n groups.
static MetadataPlace
find_metadata(const Product *product, guint i, guint group, guint n) {
  gboolean is_wide = smb_product_bits((ProductNumber)product->form.a) >= 16;
  guint below = i / 8, of_a_row = is_wide ? WORD_GROUPS / 2 : WORD_GROUPS;
  guint lanes = MAX(n / of_a_row, 1) * (is_wide ? 1 : 2); // that rows g and g + 8 need
  guint lane = is_wide ? group / of_a_row : group / of_a_row * 2 + below;
  guint at = group % of_a_row + (is_wide ? below * of_a_row : 0);
  return (MetadataPlace){i % 8 * IN_A_ROW + (product->selector * lanes + lane) % IN_A_ROW,
                         at * GROUP_BITS};
}

// Moves the stored numbers of a group, which has @n, to their places.
static void
place_group(guint n, guint32 bits, const gint32 *whole, const double *real, gint32 *to_whole,
            double *to_real) {
  const guint in_unit = MAX(n / GROUP_UNITS, 1);
  for (guint i = 0; i < n / 2; i++) {
    guint unit = bits >> (i * GROUP_UNITS / n * UNIT_BITS) & ((1 << UNIT_BITS) - 1);
    guint to = unit * n / GROUP_UNITS + i % in_unit;
    to_whole[to] = whole[i];
    to_real[to] = real[i];
  }
}

void
smb_product_spread_row(const ProductForm *form, guint i, guint in_group, const guint8 *metadata,
                       ProductOperands *operands) {
  const gint32 absent = form->a <= PRODUCT_F32 ? PRODUCT_ABSENT : 0;
  gint32 whole[PRODUCT_DEPTH], *to_whole = operands->a_whole[i];
  double real[PRODUCT_DEPTH], *to_real = operands->a[i];
  memcpy(whole, to_whole, sizeof whole);
  memcpy(real, to_real, sizeof real);
  for (guint k = 0; k < form->depth; k++) {
    to_whole[k] = absent;
    to_real[k] = 0;
  }
  for (guint at = 0; at < form->depth; at += in_group)
    place_group(in_group, metadata[at / in_group], whole + at / 2, real + at / 2, to_whole + at,
                to_real + at);
}

void
smb_product_place_sparse(const Product *product, const Registers *registers, guint first,
                         ProductOperands *operands, ProductUnknown *unknown) {
  const ProductForm *form = &product->form;
  const guint in_group = count_in_group((ProductNumber)form->a), n = form->depth / in_group;
  const guint32 *words = row_values(registers, product->metadata) + first;
  guint flags = row_flags(registers, product->metadata);
  unknown->flags |= flags;
  if ((flags & ROW_UNKNOWN) && !unknown->origin)
    unknown->origin = row_origin(registers, product->metadata);
  for (guint i = 0; i < form->rows; i++) {
    guint8 metadata[PRODUCT_GROUPS];
    for (guint group = 0; group < n; group++) {
      MetadataPlace place = find_metadata(product, i, group, n);
      if ((flags & ROW_UNKNOWN) &&
          row_lane_unknown(registers, product->metadata, first + place.lane))
        unknown->rows |= 1u << i;
      metadata[group] = (guint8)(words[place.lane] >> place.shift & ((1 << GROUP_BITS) - 1));
    }
    smb_product_spread_row(form, i, in_group, metadata, operands);
  }
}
