// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices, D = A B + C, as tensor cores make them: mma, wmma, wgmma; HMMA, IMMA, DMMA, QMMA, BMMA, HGMMA and
// their like. What kinds of numbers there are, how a chip adds, and where the numbers lie in registers.
//
// A sum of real numbers is made in blocks of products: the products, which are exact, and what is there already are cut off
// below one digit, so many below the largest exponent of all (of which those of subnormal numbers count as they are written),
// and added; the sum is cut off to the digits of the result, or, of binary16, rounded to nearest. Zeros take no part. That is
// the device's result on sm_90, bit by bit: of 82 forms of mma.sync and 24 of wgmma, in 2.8 million sums of an H200, random
// ones of 16 kinds (tests/product-values.def has some). Of other chips the rules are those that were published (Khattak and Mikaitis, "Accurate
// Models of NVIDIA Tensor Cores", 2025), and were not compared with a device.
// Private to sim/exec and its front ends.
#pragma once

#include "sim/exec/compute/registers.h"

G_BEGIN_DECLS

typedef enum {
  PRODUCT_F16,
  PRODUCT_BF16,
  PRODUCT_TF32, // in 32 bits, of which the low 13 are not looked at
  PRODUCT_E4M3,
  PRODUCT_E5M2,
  PRODUCT_E2M3, // of 6 and 4 bits, without infinities and NaN
  PRODUCT_E3M2,
  PRODUCT_E2M1,
  PRODUCT_E2M1_MIDDLE, // in the middle of 8 bits, as mma wants it beside those of other kinds
  PRODUCT_F32,
  PRODUCT_F64,
  PRODUCT_S8,
  PRODUCT_U8,
  PRODUCT_S4,
  PRODUCT_U4,
  PRODUCT_B1,
  PRODUCT_S32,
  N_PRODUCT_NUMBERS,
} ProductNumber;

/**
 * ProductForm: which product
 * @a, @b, @sum: ProductNumber: of the factors; of C and D
 * @rows: 8 or 16; @columns: a multiple of 8; @depth: of A's columns and B's rows
 * @saturates: integers beyond the range of the result become its ends
 * @is_and: of B1: common bits are counted, else those that differ
 * @negates: products are negated
 * @is_sparse: half of A's numbers are stored, and metadata say which (sparse.c)
 * @scales: of each row of A and each column of B, whose parts they multiply (scale.c); 0: none
 * @has_fine_scales: they are UE4M3, else UE8M0
 * @block, @digits, @kept: how real numbers are added (smb_product_rule())
 * @is_published: that papers report, and was not compared with a device
 * @is_quad: four products, of eight lanes each, whose C has numbers of another kind, @addend (quad.c)
 */
typedef struct {
  guint8 a, b, sum;
  guint8 rows;
  guint16 columns, depth;
  gboolean saturates;
  gboolean is_and;
  gboolean negates;
  gboolean is_sparse;
  guint8 scales;
  gboolean has_fine_scales;
  guint8 block;  // products that are added at once
  guint8 digits; // binary digits below the largest exponent
  guint8 kept;   // of a binary32 result, behind the first one
  gboolean is_published;
  gboolean is_quad;
  guint8 addend;
} ProductForm;

enum {
  PRODUCT_ROWS = 16,
  PRODUCT_COLUMNS = 8, // that are computed at once
  PRODUCT_DEPTH = 128, // at most; of B1 in words
  PRODUCT_GROUPS = 32, // of numbers of a row of a sparse A, at most
  PRODUCT_SUMS = 128,  // registers of C and D, at most
  PRODUCT_FACTORS = 16,
};

// Fills in how a chip (90 of sm_90) adds what a form says.
void smb_product_rule(ProductForm *form, guint chip);

// Whether it is as documents say, and was compared with no chip: numbers of 4 and 6 bits, scales.
gboolean smb_product_is_assumed(const ProductForm *form);

// Bits of a number.
guint smb_product_bits(ProductNumber number);

/**
 * ProductOperands: numbers of A, of eight columns of B and C; each as its kind wants it
 * @a, @b, @c: real numbers
 * @a_whole, @b_whole, @c_whole: integers, words of bits; of real numbers their exponents, PRODUCT_NO_EXPONENT of zeros, and
 *   PRODUCT_ABSENT of what a sparse A does not have
 * @is_special: one is not finite
 */
typedef struct {
  double a[PRODUCT_ROWS][PRODUCT_DEPTH];
  double b[PRODUCT_DEPTH][PRODUCT_COLUMNS];
  double c[PRODUCT_ROWS][PRODUCT_COLUMNS];
  gint32 a_whole[PRODUCT_ROWS][PRODUCT_DEPTH];
  gint32 b_whole[PRODUCT_DEPTH][PRODUCT_COLUMNS];
  gint32 c_whole[PRODUCT_ROWS][PRODUCT_COLUMNS];
  gboolean is_special;
} ProductOperands;

#define PRODUCT_NO_EXPONENT (-100000)
#define PRODUCT_ABSENT      (2 * PRODUCT_NO_EXPONENT)

// Reads a number. Returns whether it is finite.
gboolean smb_product_read(ProductNumber number, guint64 bits, double *real, gint32 *whole);
// Reads @n numbers, whose bits are in @whole, or those of F64 in @real; of numbers of fewer bits, they are the low ones. Returns
// whether all are finite.
gboolean smb_product_read_all(ProductNumber number, guint n, gint32 *whole, double *real);

// The bits of D's numbers.
typedef guint64 ProductSums[PRODUCT_ROWS][PRODUCT_COLUMNS];

void smb_product_sum(const ProductForm *form, const ProductOperands *operands, ProductSums sums);
// Whether nothing is cut off, whatever the order: the sum of all magnitudes has no more than 24 binary digits; of binary16 sums no more
// than 11.
gboolean smb_product_is_certain(const ProductForm *form, const ProductOperands *operands);

// --- in registers (PTX ISA, "Matrix Fragments"): a lane has, of A, numbers of row lane / 4 and of the one eight below; of B, of
// column lane / 4; of C and D, two numbers of each of these rows

/**
 * ProductScale: the scales of a factor, four bytes of each lane
 * @data: a row: bytes
 * @byte, @lane: rows: the first byte that counts, and which lanes: of A a pair of each four, of B one of them
 */
typedef struct {
  Row data, byte, lane;
} ProductScale;

/**
 * Product: one that a warp makes, or a quarter of one that four warps make together (wgmma)
 * @a, @b, @c, @d: rows of registers of 32 bits, in their order; of 64-bit numbers two for each
 * @left, @right: the first of two rows that say where A and B are in shared memory; NO_MATRIX: they are in registers
 * @left_is_turned, @right_is_turned: numbers of a column of A, of a row of B follow each other there; in registers only of a form that is_quad
 * @reserved: what addresses of the code have ahead of the program's own shared memory
 * @site: the instruction, of one that reads shared memory
 * @adds, @adds_unless: whether C is added: a predicate, or its opposite
 * @metadata, @selector: of a sparse A: a row of 32 bits, and which pair of each four lanes has what counts
 * @scale_a, @scale_b: of a form with scales
 */
typedef struct {
  ProductForm form;
  Row a[PRODUCT_FACTORS], b[PRODUCT_FACTORS];
  Row c[PRODUCT_SUMS], d[PRODUCT_SUMS];
  Row left, right;
  gboolean left_is_turned, right_is_turned;
  guint32 reserved;
  guint site;
  Predicate adds;
  gboolean adds_unless;
  Row metadata;
  guint8 selector;
  ProductScale scale_a, scale_b;
} Product;

#define NO_MATRIX G_MAXUINT32

/**
 * Fragment: an operand of wmma in registers, that is moved from or to memory
 * @number: of 8 bits or more
 * @is_sum: C or D; else A, or B as if it were transposed
 * @halves: 2: tiles of it have 16 rows; 1: 8
 * @across: of sums, how many tiles are side by side
 * @is_across: numbers of a row follow each other in memory, else those of a column
 * @stride: a row: numbers from one row, or column, to the next
 * @base: registers that differ; others hold the same again
 * @data: @n registers of 32 bits; of 64-bit numbers two for each
 */
typedef struct {
  ProductNumber number;
  gboolean is_sum;
  guint halves, across;
  gboolean is_across;
  Row stride;
  guint base, n;
  Row data[PRODUCT_FACTORS];
} Fragment;

// Where the number @index of a lane's is: row and column.
void smb_fragment_place(const Fragment *fragment, guint index, guint lane, guint *row,
                        guint *column);

// --- in shared memory, where a descriptor says (place.c)

// Where a matrix is: rows of @width bytes, @group of which follow each other, whose units of @unit bytes are swapped: by those bits of
// the address / 128, less @base, that are in @mask.
typedef struct {
  guint32 start, leading, stride; // bytes
  guint32 width;
  guint32 mask, base;
  guint32 group, unit;
} MatrixPlace;

// The low and the high word of a descriptor.
MatrixPlace smb_matrix_place(guint32 low, guint32 high);
// The address of a number of @bytes: in row @row of A, or column @row of B, the @k-th. @is_turned: numbers of different rows follow
// each other, not those of one row.
guint32 smb_matrix_address(const MatrixPlace *place, gboolean is_turned, guint bytes, guint row,
                           guint k);

// Numbers along a row of A, and along a column of B, as they are stored: of B1 words.
guint smb_product_stored_depth(const ProductForm *form);
guint smb_product_stored_height(const ProductForm *form);
// How many registers of 32 bits each operand has.
guint smb_product_registers_of_a(const ProductForm *form);
guint smb_product_registers_of_b(const ProductForm *form);
guint smb_product_registers_of_sum(const ProductForm *form);

// What is not known of operands.
typedef struct {
  guint32 rows;                // of A: a bit each
  guint32 columns;             // of B
  guint32 cells[PRODUCT_ROWS]; // of C: of each row, a bit for each column
  guint flags;                 // of all registers that were read
  guint32 origin;              // of the first one that is not known
} ProductUnknown;

// Moves what is stored of a sparse A, of the 32 lanes from @first on, to where the metadata say.
void smb_product_place_sparse(const Product *product, const Registers *registers, guint first,
                              ProductOperands *operands, ProductUnknown *unknown);
// Moves what is stored of row @i of a sparse A to where @metadata say: four bits for each group of @in_group numbers, of which half are stored.
void smb_product_spread_row(const ProductForm *form, guint i, guint in_group,
                            const guint8 *metadata, ProductOperands *operands);
// Multiplies numbers of a row of A, or a column of B, which are @step apart, by the scales in the low bytes of a word. Returns whether these are finite.
gboolean smb_product_scale(const ProductForm *form, guint32 scales, gsize step, gint32 *whole,
                           double *real);
// Multiplies A, or eight columns of B, by the scales that 32 lanes have.
void smb_product_scale_a(const Product *product, const Registers *registers, guint first,
                         ProductOperands *operands, ProductUnknown *unknown);
void smb_product_scale_b(const Product *product, const Registers *registers, guint first,
                         ProductOperands *operands, ProductUnknown *unknown);
// Reads operands of the 32 lanes from @first on: A; eight columns of B; of C, those from 8 * @at on.
void smb_product_take_a(const Product *product, const Registers *registers, guint first,
                        ProductOperands *operands, ProductUnknown *unknown);
void smb_product_take_b(const Product *product, const Registers *registers, guint first,
                        ProductOperands *operands, ProductUnknown *unknown);
void smb_product_take_c(const Product *product, const Registers *registers, guint first, guint at,
                        ProductOperands *operands, ProductUnknown *unknown);
// Computes, and writes those columns of D. Returns whether all rules of adding give that, or the one of the chip was measured.
gboolean smb_product_put(const Product *product, Registers *registers, guint first, guint at,
                         const ProductOperands *operands, const ProductUnknown *unknown);

// Whether nothing is known of the result, since nothing is of a factor; makes it so, of 32 lanes.
gboolean smb_product_is_lost(const ProductForm *form, const ProductUnknown *unknown);
void smb_product_forget(const Product *product, Registers *registers, guint first,
                        const ProductUnknown *unknown);

// Four products of the 32 lanes from @first on. Returns whether all rules of adding give that, or the one of the chip is known.
gboolean smb_product_make_quads(const Product *product, Registers *registers, guint first);
// All of it, of lanes that are all of one or more groups of 32. Returns whether all rules of adding give that.
gboolean smb_product_make(const Product *product, Registers *registers, SmbLanes lanes);

G_END_DECLS
