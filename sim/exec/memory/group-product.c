// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products that four warps make together (wgmma; PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions"), of matrices
// in shared memory: each warp has 16 rows of A, of C and of D, as in products of its own, and all of B. They are made when all four have come to them
// (sync/warpgroup-meet.c), which is what a program sees that waits for them before it looks at D, or changes what they read.
#include "sim/exec/memory/memory.h"
#include "sim/machine/device/runtime.h"

// The bits of a number. Returns the marks that all of its bytes have, and those that one has: MARK_KNOWN, MARK_BLOCK.
static guint
read_shared_number(const SharedMatrix *matrix, guint row, guint k, guint32 *bits) {
  const SmbBlock *block = matrix->block;
  guint32 address = smb_matrix_address(&matrix->place, matrix->is_turned, matrix->bytes, row, k) -
                    matrix->reserved;
  guint known = MARK_KNOWN, any = 0;
  *bits = 0;
  if (address >= block->shared_bytes || block->shared_bytes - address < matrix->bytes)
    return 0;
  for (guint i = 0; i < matrix->bytes; i++) {
    *bits |= (guint32)block->shared[address + i] << (8 * i);
    known &= block->shared_marks ? block->shared_marks[address + i] : MARK_KNOWN;
    any |= block->shared_marks ? block->shared_marks[address + i] : 0;
  }
  return known | (any & MARK_BLOCK);
}

static gboolean
open_shared_matrix(Exec *exec, const Product *product, Row row, gboolean is_left,
                   SharedMatrix *matrix) {
  const Registers *registers = exec->warp->registers;
  ProductNumber number = (ProductNumber)(is_left ? product->form.a : product->form.b);
  exec_watch_row(exec, row);
  exec_watch_row(exec, row + 1);
  if (row_lane_unknown(registers, row, 0) || row_lane_unknown(registers, row + 1, 0))
    return FALSE;
  *matrix = (SharedMatrix){
      .block = exec->block,
      .place = smb_matrix_place(row_values(registers, row)[0], row_values(registers, row + 1)[0]),
      .is_left = is_left,
      .is_turned = is_left ? product->left_is_turned : product->right_is_turned,
      .reserved = product->reserved,
      .number = number,
      .bytes = smb_product_bits(number) / 8};
  return TRUE;
}

static void
note_marks(guint marks, guint32 bit, guint32 *unknown, guint *flags) {
  if (!(marks & MARK_KNOWN))
    *unknown |= bit;
  if (marks & MARK_BLOCK)
    *flags |= ROW_BLOCK;
}

static void
take_left(const SharedMatrix *matrix, guint first_row, const ProductForm *form,
          ProductOperands *operands, ProductUnknown *unknown) {
  const guint depth = smb_product_stored_depth(form);
  for (guint i = 0; i < PRODUCT_ROWS; i++) {
    for (guint k = 0; k < depth; k++) {
      guint32 bits;
      note_marks(read_shared_number(matrix, first_row + i, k, &bits), 1u << i, &unknown->rows,
                 &unknown->flags);
      operands->a_whole[i][k] = (gint32)bits;
    }
    operands->is_special |=
        !smb_product_read_all(matrix->number, depth, operands->a_whole[i], operands->a[i]);
  }
}

static void
take_right(const SharedMatrix *matrix, guint first_column, const ProductForm *form,
           ProductOperands *operands, ProductUnknown *unknown) {
  const guint depth = smb_product_stored_height(form);
  unknown->columns = 0;
  for (guint j = 0; j < PRODUCT_COLUMNS; j++)
    for (guint k = 0; k < depth; k++) {
      guint32 bits;
      note_marks(read_shared_number(matrix, first_column + j, k, &bits), 1u << j, &unknown->columns,
                 &unknown->flags);
      operands->b_whole[k][j] = (gint32)bits;
    }
  operands->is_special |= !smb_product_read_all(matrix->number, depth * PRODUCT_COLUMNS,
                                                operands->b_whole[0], operands->b[0]);
}

// C, if it is added, or zeros.
static void
take_sums(const Product *product, const Registers *registers, gboolean adds, guint at,
          ProductOperands *operands, ProductUnknown *unknown) {
  if (adds) {
    smb_product_take_c(product, registers, 0, at, operands, unknown);
    return;
  }
  memset(unknown->cells, 0, sizeof unknown->cells);
  memset(operands->c_whole, 0, sizeof operands->c_whole);
  smb_product_read_all((ProductNumber)product->form.sum, PRODUCT_ROWS * PRODUCT_COLUMNS,
                       operands->c_whole[0], operands->c[0]);
}

// FALSE: where a matrix is, or whether C is added, is not known.
static gboolean
make_product(Exec *exec, const Product *product, gboolean *is_certain) {
  const ProductForm *form = &product->form;
  Registers *registers = exec->warp->registers;
  SharedMatrix left, right;
  ProductOperands operands;
  ProductUnknown unknown = {.origin = 0};
  gboolean has_left = product->left != NO_MATRIX;
  if ((has_left && !open_shared_matrix(exec, product, product->left, TRUE, &left)) ||
      !open_shared_matrix(exec, product, product->right, FALSE, &right) ||
      registers->unknown_predicates[product->adds] & 1)
    return FALSE;
  if (exec->w % GROUP_WARPS == 0 && has_left)
    smb_operand_check(exec, &left, product->site, GROUP_WARPS * PRODUCT_ROWS,
                      smb_product_stored_depth(form));
  if (exec->w % GROUP_WARPS == 0)
    smb_operand_check(exec, &right, product->site, form->columns, smb_product_stored_height(form));
  gboolean adds = (registers->predicates[product->adds] & 1) != (guint)product->adds_unless;
  operands.is_special = FALSE;
  if (has_left) {
    take_left(&left, exec->w % GROUP_WARPS * PRODUCT_ROWS, form, &operands, &unknown);
    if (form->is_sparse)
      smb_product_place_sparse(product, registers, 0, &operands, &unknown);
  } else
    smb_product_take_a(product, registers, 0, &operands, &unknown);
  gboolean a_is_special = operands.is_special;
  for (guint at = 0; at < form->columns / PRODUCT_COLUMNS; at++) {
    operands.is_special = a_is_special;
    take_right(&right, at * PRODUCT_COLUMNS, form, &operands, &unknown);
    take_sums(product, registers, adds, at, &operands, &unknown);
    *is_certain &= smb_product_put(product, registers, 0, at, &operands, &unknown);
  }
  return TRUE;
}

void
smb_group_product_make(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbRuntime *runtime = exec->block->runtime;
  gboolean is_certain = TRUE;
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  if (exec->warp->registers->n_lanes != ROW_LANES || lanes != G_MAXUINT32 ||
      (step->product->form.is_published && !runtime) ||
      !make_product(exec, step->product, &is_certain))
    smb_doubt_writes(exec, step, lanes, step_origin(exec, step));
  if (!is_certain && runtime)
    smb_runtime_approximate(runtime, SMB_APPROXIMATE_PRODUCTS);
}
