// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What instructions do to tensor memory (tcgen05; PTX ISA, "TensorCore 5th Generation Family Instructions"): where what lies, by that document and
// by the layouts of CuTe (CUTLASS 7107b0553). None of it was compared with a device.
// Private to sim/exec and its front ends.
#pragma once

#include "sim/exec/product/product.h"

G_BEGIN_DECLS

enum {
  TENSOR_REGISTERS = 128, // that a move has at most
  TENSOR_MASK_WORDS = 8,  // of lanes that a product leaves alone
};

// How the registers of a warp are spread over lanes and columns: of lane t, register r.
typedef enum {
  TENSOR_32X32,   // lane t, column r
  TENSOR_16X64,   // lanes t / 4 and 8 below: of two columns
  TENSOR_16X128,  // lanes t / 4 and 8 below: of four columns
  TENSOR_16X256,  // the same: of eight columns, two side by side
  TENSOR_16X32X2, // lane t % 16, column r; those of t >= 16 further on
} TensorSpread;

// Which row of a matrix in shared memory comes into lane L of 128.
typedef enum {
  TENSOR_ALL_ROWS,   // row L
  TENSOR_FOUR_ROWS,  // of lanes 0, 32, 64 and 96: row L / 32
  TENSOR_QUARTER,    // row L % 32
  TENSOR_HALF_02_13, // row L % 64
  TENSOR_HALF_01_23, // row L % 32, of the second 64 lanes 32 below
} TensorRows;

// What an instruction descriptor names numbers of.
typedef enum {
  TENSOR_KIND_F16,
  TENSOR_KIND_TF32,
  TENSOR_KIND_F8F6F4,
  TENSOR_KIND_I8,
  TENSOR_KIND_MXF8F6F4, // with scales
  TENSOR_KIND_MXF4,     // and two numbers in a byte
  N_TENSOR_KINDS,
} TensorKind;

// The lanes of a warp that a move is of: machine code moves TENSOR_16X32X2 by halves.
typedef enum {
  TENSOR_WARP,
  TENSOR_FIRST_HALF,
  TENSOR_SECOND_HALF,
} TensorHalf;

// A place in tensor memory: what a row, or NO_MATRIX, holds, and what is added.
typedef struct {
  Row base;
  guint32 offset;
} TensorPlace;

/**
 * TensorMove: between registers and tensor memory
 * @packs: a register has the low halves of two columns
 * @split: of TENSOR_16X32X2: columns from the first half to the second; @half: the lanes that move anything
 */
typedef struct {
  TensorPlace place;
  TensorSpread spread;
  gboolean packs;
  guint32 split;
  TensorHalf half;
  guint n;
  Row data[TENSOR_REGISTERS];
} TensorMove;

/**
 * TensorCopy: from shared memory to tensor memory
 * @matrix: two rows: the descriptor
 * @bytes: of a row: 16 or 32
 * @blocks: 1, or 2: it happens in both blocks of a pair
 * @unpacked: bits of numbers that get a byte each, 4 or 6; 0: none are unpacked
 */
typedef struct {
  TensorPlace place;
  Row matrix;
  guint32 reserved;
  TensorRows rows;
  guint bytes;
  guint blocks;
  guint unpacked;
} TensorCopy;

/**
 * TensorProduct: D = A B + D, with D in tensor memory
 * @is_lost: it has what is not modelled
 * @is_stationary: it is one of mma.ws, which has a layout of its own
 * @is_sparse: of A, half of the numbers are stored; @metadata: where in tensor memory it says which
 * @is_by_form: the instruction descriptor alone says whether A is sparse, and of TENSOR_KIND_F16 whether the numbers are those of
 *   TENSOR_KIND_TF32: so it is in machine code
 * @blocks: 1, or 2: of a pair of blocks, which have half of A's rows, of B's columns and of D's rows each
 * @d, @a: places in tensor memory; of A, if @left is NO_MATRIX
 * @left, @right: two rows each: descriptors of A and B
 * @reserved, @site: as in Product
 * @form: a row: the instruction descriptor
 * @adds, @adds_unless: whether D is added
 * @masked: of mma.ws, two rows: a mask of columns, of which only zeros are modelled, which mask none; NO_MATRIX: there is none
 * @disabled: rows: lanes that are left alone, a bit each; @n_disabled of them
 * @scale: D is multiplied by 2 to the power of -@scale before
 * @n_scales: of each row of A and column of B (ProductForm.scales); @scale_a, @scale_b: where they are
 */
typedef struct {
  TensorKind kind;
  gboolean is_lost, is_stationary, is_sparse, is_by_form;
  guint blocks;
  TensorPlace d, a, metadata;
  Row left, right;
  guint32 reserved;
  guint site;
  Row form;
  Predicate adds;
  gboolean adds_unless;
  Row masked;
  Row disabled[TENSOR_MASK_WORDS];
  guint n_disabled;
  guint scale;
  guint n_scales;
  TensorPlace scale_a, scale_b;
} TensorProduct;

/**
 * TensorStep: what a step does, by its opcode: STEP_TENSOR_LOAD and STORE, COPY and SHIFT (which has a place only), PRODUCT
 */
typedef union {
  TensorMove move;
  TensorCopy copy;
  TensorProduct product;
} TensorStep;

// Where the register @r of lane @t is: a lane from the first one of the move on, and a column; of packed ones counting pairs.
void smb_tensor_cell(TensorSpread spread, guint r, guint t, guint *lane, guint *column);
// Columns from the first one on that @n registers reach, without those of TensorMove.split.
guint smb_tensor_columns(TensorSpread spread, guint n);
// The row of a matrix that comes into a lane; NO_MATRIX: none does.
guint32 smb_tensor_row(TensorRows rows, guint lane);

/**
 * TensorForm: what an instruction descriptor says, but how many scales there are
 * @product: numbers, columns, depth, and what is done with their sums
 * @rows: of D
 * @left_is_turned, @right_is_turned: as in Product
 * @first_scales: of a kind with scales, the first byte that counts in each word of those of A, and of B
 * @selector: of a sparse A, the column that has the metadata, if these need one of two
 */
typedef struct {
  ProductForm product;
  guint rows;
  gboolean left_is_turned, right_is_turned;
  guint8 first_scales[2];
  guint8 selector;
} TensorForm;

// The kind whose numbers an instruction descriptor names, of one of TENSOR_KIND_F16 or TENSOR_KIND_TF32; whether it says that A is sparse.
TensorKind smb_tensor_kind_of_form(guint32 descriptor);
gboolean smb_tensor_is_sparse_form(guint32 descriptor);
// Reads an instruction descriptor. FALSE: there is no such product, or it is not modelled.
gboolean smb_tensor_form(TensorKind kind, guint32 descriptor, TensorForm *form);
// Numbers of a row of a sparse A that share four bits of metadata.
guint smb_tensor_group(TensorKind kind);

// Where four bits of metadata are: in which lane and column, and from which bit on.
typedef struct {
  guint lane, column, shift;
} TensorMetadata;

// Those of a group of row @i of A, whose numbers in D are in lane @lane. The column is one of two where a selector chooses, else it counts from the first one.
TensorMetadata smb_tensor_metadata(TensorKind kind, guint i, guint lane, guint group);

G_END_DECLS
