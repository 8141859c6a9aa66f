// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loops over the numbers of a product, and over their sums, compiled for several processors. Private to sim/exec/product.
#pragma once

#include "sim/base/processor.h"
#include "sim/exec/product/product.h"

// Of numbers with fewer than 32 bits, and of TF32: how they are written.
typedef struct {
  guint8 bits;     // that it takes
  guint8 unused;   // low ones
  guint8 fraction; // 0: it is an integer
  gint16 bias;
  gboolean has_infinity;
  gboolean is_finite; // and no NaN either
} NumberFormat;

extern const NumberFormat smb_number_formats[N_PRODUCT_NUMBERS];

typedef struct {
  // smb_product_read_all()
  gboolean (*read)(ProductNumber number, guint n, gint32 *whole, double *real);
  // The sums of finite numbers.
  void (*sum)(const ProductForm *form, const ProductOperands *operands, ProductSums sums);
} ProductLoops;

extern const ProductLoops smb_product_loops_portable;
extern const ProductLoops smb_product_loops_avx2;
extern const ProductLoops smb_product_loops_avx512;

// Those for a kind of processor.
const ProductLoops *smb_product_loops(SmbProcessor processor);
