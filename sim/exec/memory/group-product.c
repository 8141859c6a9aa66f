// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products that four warps make together (wgmma; PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions"), of matrices
// in shared memory: each warp has 16 rows of A, of C and of D, as in products of its own, and all of B. They are made when all four have come to them
// (sync/warpgroup-meet.c), which is what a program sees that waits for them before it looks at D, or changes what they read.
#include "sim/exec/memory/memory.h"
#include "sim/machine/device/runtime.h"

static gboolean
open_factor(Exec *exec, const Product *product, gboolean is_left, SharedMatrix *matrix) {
  const Row row = is_left ? product->left : product->right;
  if (!smb_shared_matrix_watch(exec, row, 0))
    return FALSE;
  *matrix = smb_shared_matrix_open(exec, row, 0, product->reserved,
                                   (ProductNumber)(is_left ? product->form.a : product->form.b));
  matrix->is_left = is_left;
  matrix->is_turned = is_left ? product->left_is_turned : product->right_is_turned;
  return TRUE;
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
  if ((has_left && !open_factor(exec, product, TRUE, &left)) ||
      !open_factor(exec, product, FALSE, &right) ||
      registers->unknown_predicates[product->adds] & 1)
    return FALSE;
  if (exec->w % GROUP_WARPS == 0 && has_left)
    smb_operand_check(exec, &left, product->site, GROUP_WARPS * PRODUCT_ROWS,
                      smb_product_stored_depth(form));
  if (exec->w % GROUP_WARPS == 0)
    smb_operand_check(exec, &right, product->site, form->columns, smb_product_stored_height(form));
  if (exec->w % GROUP_WARPS == 0 && has_left && !form->is_sparse)
    smb_operand_compare(exec, &left, &right, product->site);
  const CheckWork work = {
      .agent = CHECK_PRODUCTS, .block = exec->block, .site = product->site, .warp = exec->w};
  if (has_left)
    smb_operand_read(&left, &work, exec->w % GROUP_WARPS * PRODUCT_ROWS, PRODUCT_ROWS,
                     smb_product_stored_depth(form));
  smb_operand_read(&right, &work, 0, form->columns, smb_product_stored_height(form));
  gboolean adds = (registers->predicates[product->adds] & 1) != (guint)product->adds_unless;
  operands.is_special = FALSE;
  if (has_left) {
    smb_shared_matrix_take_rows(&left, exec->w % GROUP_WARPS * PRODUCT_ROWS,
                                smb_product_stored_depth(form), &operands, &unknown);
    if (form->is_sparse)
      smb_product_place_sparse(product, registers, 0, &operands, &unknown);
  } else
    smb_product_take_a(product, registers, 0, &operands, &unknown);
  gboolean a_is_special = operands.is_special;
  for (guint at = 0; at < form->columns / PRODUCT_COLUMNS; at++) {
    operands.is_special = a_is_special;
    smb_shared_matrix_take_columns(&right, at * PRODUCT_COLUMNS, smb_product_stored_height(form),
                                   &operands, &unknown);
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
