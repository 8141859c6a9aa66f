// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products with D in tensor memory (tcgen05.mma; PTX ISA, "tcgen05.mma"), of one block or of a pair of blocks. A is in shared memory or in tensor memory, B
// in shared memory. They are made at once, by the rules of adding that were published for the chip (product.h). Scales are in tensor
// memory: those of row i of A in lane i % 32 of column i / 32, those of B alike, but if two blocks have 64 rows each. Of these nothing is known: of mma.ws,
// products of fewer than 128 rows with A in tensor memory.
#include <math.h>

#include "sim/exec/memory/memory.h"
#include "sim/machine/device/runtime.h"
#include "sim/machine/tensor-memory.h"

enum {
  MOST_TILES = 16,  // of 16 rows
  LANE_STEP = 32,   // from one quarter of the lanes to the next
  SCALE_LANES = 32, // that scales are in; those in others are the same
};

/**
 * Making: a product that is being made
 * @kind: of the product, or what its descriptor says
 * @rows: of D
 * @blocks: it takes part: the pair, or this block alone
 * @left, @right: of each of them
 * @d, @a, @metadata, @scale_a, @scale_b: addresses in tensor memory
 * @first_scales, @selector: of TensorForm
 * @work: (nullable): of a launch that is checked
 */
typedef struct {
  const TensorProduct *product;
  TensorKind kind;
  ProductForm form;
  guint rows;
  SmbBlock *blocks[2];
  SharedMatrix left[2], right[2];
  guint32 d, a, metadata, scale_a, scale_b;
  guint8 first_scales[2], selector;
  gboolean adds;
  guint32 disabled[TENSOR_MASK_WORDS];
  CheckWork *work;
} Making;

// Where a number of D, or a row of A, is: in which block, and there in which lane and column.
typedef struct {
  guint block, lane, column;
} DataPlace;

// Whether lanes further on have the other columns, if a block has fewer rows than lanes (PTX ISA, "Data Path Layout Organization").
static gboolean
has_spread_rows(const Making *making) {
  const TensorProduct *product = making->product;
  return (product->blocks == 2 && !making->form.is_sparse) || product->is_stationary;
}

// Rows of a block that has @rows of them: in the order of the lanes; 64 that are not spread have 16 of each quarter.
static DataPlace
find_data(const Making *making, guint i, guint j) {
  const TensorProduct *product = making->product;
  guint rows = making->rows / product->blocks, row = i % rows;
  guint columns = making->form.columns / (has_spread_rows(making) ? TENSOR_LANES / rows : 1);
  guint lane = has_spread_rows(making) || rows == TENSOR_LANES
                   ? j / columns * rows + row
                   : row / PRODUCT_ROWS * LANE_STEP + row % PRODUCT_ROWS;
  return (DataPlace){i / rows, lane, j % columns};
}

static guint
count_data_columns(const Making *making) {
  return has_spread_rows(making)
             ? making->form.columns / (TENSOR_LANES * making->product->blocks / making->rows)
             : making->form.columns;
}

// Numbers of a row of A that are stored.
static guint
count_stored_depth(const Making *making) {
  return making->form.depth >> making->form.is_sparse;
}

// Whether there are such products (PTX ISA, "tcgen05.mma", the shapes of each kind).
static gboolean
has_shape(const TensorProduct *product, guint rows, guint columns) {
  if (product->n_scales && product->blocks == 1 && rows != TENSOR_LANES)
    return FALSE;
  if (product->is_stationary)
    return product->blocks == 1 && (rows == 32 || rows == 64 || rows == 128) && columns % 64 == 0;
  return (rows == 64 * product->blocks || rows == 128 * product->blocks) &&
         columns % (8 * product->blocks) == 0;
}

// Others are not held against what copies brought.
static gboolean
has_eight_rows(const SharedMatrix *matrix) {
  return matrix->place.group == 8;
}

// A factor in one of the blocks. FALSE: its mode is not modelled.
static gboolean
open_tensor_factor(Exec *exec, const Making *making, Row row, guint lane, ProductNumber number,
                   SmbBlock *block, SharedMatrix *matrix) {
  gboolean is_turned = matrix->is_turned, is_left = matrix->is_left;
  *matrix = smb_shared_matrix_open(exec, row, lane, making->product->reserved, number);
  matrix->block = block;
  matrix->is_turned = is_turned;
  matrix->is_left = is_left;
  matrix->is_packed = making->kind == TENSOR_KIND_MXF4;
  gboolean is_known = smb_shared_matrix_set_mode(exec, row, lane, matrix);
  if (!has_eight_rows(matrix) && block == exec->block)
    smb_operand_check_unit(exec, matrix, making->product->site);
  return is_known;
}

// Whether columns are masked, or it is not known: ptxas -O0 gives a mask of zeros where PTX has none.
static gboolean
is_masked(const Exec *exec, const TensorProduct *product, guint lane) {
  const Registers *registers = exec->warp->registers;
  for (guint i = 0; i < 2 && product->masked != NO_MATRIX; i++) {
    exec_watch_row(exec, product->masked + i);
    if (row_lane_unknown(registers, product->masked + i, lane) ||
        row_values(registers, product->masked + i)[lane])
      return TRUE;
  }
  return FALSE;
}

// The instruction descriptor. FALSE: it is not known, or not modelled.
static gboolean
open_form(Exec *exec, const TensorProduct *product, guint lane, Making *making) {
  const Registers *registers = exec->warp->registers;
  TensorForm form;
  *making = (Making){.product = product, .kind = product->kind};
  exec_watch_row(exec, product->form);
  if (product->is_lost || is_masked(exec, product, lane) ||
      row_lane_unknown(registers, product->form, lane) ||
      registers->unknown_predicates[product->adds] >> lane & 1)
    return FALSE;
  guint32 descriptor = row_values(registers, product->form)[lane];
  if (product->is_by_form && product->kind == TENSOR_KIND_F16)
    making->kind = smb_tensor_kind_of_form(descriptor);
  if (!smb_tensor_form(making->kind, descriptor, &form) ||
      (!product->is_by_form && form.product.is_sparse != product->is_sparse) ||
      !has_shape(product, form.rows, form.product.columns))
    return FALSE;
  making->form = form.product;
  making->form.scales = (guint8)product->n_scales;
  making->rows = form.rows;
  making->selector = form.selector;
  memcpy(making->first_scales, form.first_scales, sizeof form.first_scales);
  for (guint i = 0; i < product->blocks; i++) {
    making->right[i].is_turned = form.right_is_turned;
    making->left[i].is_turned = form.left_is_turned;
    making->left[i].is_left = TRUE;
  }
  return product->left != NO_MATRIX || !product->is_stationary || making->rows == TENSOR_LANES;
}

// Where operands are. FALSE: it is not known.
static gboolean
open_places(Exec *exec, const TensorProduct *product, guint lane, Making *making) {
  return smb_tensor_place_find(exec, &product->d, lane, &making->d) &&
         (!making->form.is_sparse ||
          smb_tensor_place_find(exec, &product->metadata, lane, &making->metadata)) &&
         (!product->n_scales ||
          (smb_tensor_place_find(exec, &product->scale_a, lane, &making->scale_a) &&
           smb_tensor_place_find(exec, &product->scale_b, lane, &making->scale_b))) &&
         smb_shared_matrix_watch(exec, product->right, lane) &&
         (product->left == NO_MATRIX ? smb_tensor_place_find(exec, &product->a, lane, &making->a)
                                     : smb_shared_matrix_watch(exec, product->left, lane));
}

// What registers say. FALSE: it is not known, or not modelled.
static gboolean
open_product(Exec *exec, const TensorProduct *product, guint lane, Making *making) {
  const Registers *registers = exec->warp->registers;
  if (!open_form(exec, product, lane, making) || !open_places(exec, product, lane, making))
    return FALSE;
  making->adds = (registers->predicates[product->adds] >> lane & 1) != (guint)product->adds_unless;
  for (guint i = 0; i < product->n_disabled; i++) {
    if (row_lane_unknown(registers, product->disabled[i], lane))
      return FALSE;
    making->disabled[i] = row_values(registers, product->disabled[i])[lane];
  }
  for (guint i = 0; i < product->blocks; i++) {
    SmbBlock *block = smb_tensor_block(exec, product->blocks, i);
    if (!block)
      return FALSE;
    making->blocks[i] = block;
    if (!open_tensor_factor(exec, making, product->right, lane, (ProductNumber)making->form.b,
                            block, &making->right[i]) ||
        (product->left != NO_MATRIX &&
         !open_tensor_factor(exec, making, product->left, lane, (ProductNumber)making->form.a,
                             block, &making->left[i])))
      return FALSE;
  }
  return TRUE;
}

// Where in tensor memory a number of D is.
static DataPlace
locate_word(const Making *making, guint i, guint j) {
  DataPlace place = find_data(making, i, j);
  place.lane = (place.lane + (making->d >> TENSOR_LANE_SHIFT)) % TENSOR_LANES;
  place.column += making->d & 0xffff;
  return place;
}

// --- operands

// A word of tensor memory is read or written.
static void
inspect_word(const Making *making, SmbBlock *block, SmbOpClass op_class, guint lane, guint column) {
  if (making->work)
    smb_inspect_tensor(block, making->work, op_class, lane, column);
}

static void
note_data_mark(guint8 mark, guint32 bit, guint32 *unknown, guint *flags) {
  if (!(mark & MARK_KNOWN))
    *unknown |= bit;
  if (mark & MARK_BLOCK)
    *flags |= ROW_BLOCK;
}

// How A is kept in tensor memory: numbers of 4 and 6 bits have a byte each, those of 4 its middle, unless two are packed (PTX ISA, "Packing format used for matrix A").
static ProductNumber
find_kept_number(const Making *making, guint *bits) {
  ProductNumber number = (ProductNumber)making->form.a;
  gboolean is_packed = making->kind == TENSOR_KIND_MXF4;
  *bits = MAX(smb_product_bits(number), is_packed ? 4 : 8);
  return number == PRODUCT_E2M1 && !is_packed ? PRODUCT_E2M1_MIDDLE : number;
}

// Sixteen rows of A in tensor memory: numbers of a row follow each other.
static void
take_tensor_rows(const Making *making, guint first, ProductOperands *operands,
                 ProductUnknown *unknown) {
  guint bits;
  const ProductNumber number = find_kept_number(making, &bits);
  const guint in_word = 32 / bits, depth = count_stored_depth(making);
  for (guint i = 0; i < PRODUCT_ROWS; i++) {
    DataPlace place = find_data(making, first + i, 0);
    SmbBlock *block = making->blocks[place.block];
    const TensorMemory *tensor = smb_tensor_memory(block);
    guint lane = (place.lane + (making->a >> TENSOR_LANE_SHIFT)) % TENSOR_LANES;
    for (guint k = 0; k < depth; k++) {
      guint column = (making->a & 0xffff) + k / in_word;
      if (k % in_word == 0)
        inspect_word(making, block, SMB_OP_CLASS_LOAD, lane, column);
      operands->a_whole[i][k] = (gint32)(tensor->words[lane][column] >> k % in_word * bits);
      note_data_mark(tensor->marks[lane][column], 1u << i, &unknown->rows, &unknown->flags);
    }
    operands->is_special |=
        !smb_product_read_all(number, depth, operands->a_whole[i], operands->a[i]);
  }
}

// Moves what is stored of sixteen rows of a sparse A to where the metadata say.
static void
spread_left(const Making *making, guint first, ProductOperands *operands, ProductUnknown *unknown) {
  const TensorKind kind = making->kind;
  const guint in_group = smb_tensor_group(kind), n = making->form.depth / in_group;
  for (guint i = 0; i < PRODUCT_ROWS; i++) {
    guint8 metadata[PRODUCT_GROUPS];
    DataPlace place = find_data(making, first + i, 0);
    SmbBlock *block = making->blocks[place.block];
    const TensorMemory *tensor = smb_tensor_memory(block);
    for (guint group = 0; group < n; group++) {
      TensorMetadata at = smb_tensor_metadata(kind, i, place.lane, group);
      guint lane = (at.lane + (making->metadata >> TENSOR_LANE_SHIFT)) % TENSOR_LANES;
      guint column = (making->metadata & 0xffff) + making->selector + at.column;
      inspect_word(making, block, SMB_OP_CLASS_LOAD, lane, column);
      metadata[group] = tensor->words[lane][column] >> at.shift & 0xf;
      note_data_mark(tensor->marks[lane][column], 1u << i, &unknown->rows, &unknown->flags);
    }
    smb_product_spread_row(&making->form, i, in_group, metadata, operands);
  }
}

// The scales of row @i of A, or of column @i of B, in the low bytes: in the copy from lane @copy on.
static guint32
read_tensor_scales(const Making *making, SmbBlock *block, guint32 address, guint8 first, guint copy,
                   guint i, guint8 *mark) {
  const TensorMemory *tensor = smb_tensor_memory(block);
  guint lane = ((address >> TENSOR_LANE_SHIFT) + copy + i % SCALE_LANES) % TENSOR_LANES;
  guint column = (address & 0xffff) + i / SCALE_LANES;
  inspect_word(making, block, SMB_OP_CLASS_LOAD, lane, column);
  *mark = tensor->marks[lane][column];
  return tensor->words[lane][column] >> first * 8;
}

// Sixteen rows of A, from @first on.
static void
scale_left(const Making *making, guint first, ProductOperands *operands, ProductUnknown *unknown) {
  for (guint i = 0; i < PRODUCT_ROWS; i++) {
    guint8 mark;
    guint rows = making->rows / making->product->blocks, row = first + i;
    guint32 scales = read_tensor_scales(making, making->blocks[row / rows], making->scale_a,
                                        making->first_scales[0], 0, row % rows, &mark);
    note_data_mark(mark, 1u << i, &unknown->rows, &unknown->flags);
    operands->is_special |=
        !smb_product_scale(&making->form, scales, 1, operands->a_whole[i], operands->a[i]);
  }
}

// Columns whose scales of B follow each other. Where lanes further on have the other half of the columns, they have its scales, too (CuTe, ScaleFactorDuplicated2by2).
static guint
count_scaled_columns(const Making *making) {
  gboolean is_halved =
      has_spread_rows(making) && making->rows < TENSOR_LANES * making->product->blocks;
  return making->form.columns >> is_halved;
}

// Eight columns of B, from @first on. Both blocks of a pair have the scales of all columns, of which those of the first are taken.
static void
scale_right(const Making *making, guint first, ProductOperands *operands, ProductUnknown *unknown) {
  const guint columns = count_scaled_columns(making);
  for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
    guint8 mark;
    guint copy = (first + j) / columns * (TENSOR_LANES / 2);
    guint32 scales =
        read_tensor_scales(making, making->blocks[0], making->scale_b, making->first_scales[1],
                           copy, (first + j) % columns, &mark);
    note_data_mark(mark, 1u << j, &unknown->columns, &unknown->flags);
    operands->is_special |= !smb_product_scale(&making->form, scales, PRODUCT_COLUMNS,
                                               &operands->b_whole[0][j], &operands->b[0][j]);
  }
}

static void
take_left_tile(const Making *making, guint tile, ProductOperands *operands,
               ProductUnknown *unknown) {
  guint rows = making->rows / making->product->blocks, first = tile * PRODUCT_ROWS;
  operands->is_special = FALSE;
  if (making->product->left == NO_MATRIX)
    take_tensor_rows(making, first, operands, unknown);
  else
    smb_shared_matrix_take_rows(&making->left[first / rows], first % rows,
                                count_stored_depth(making), operands, unknown);
  if (making->form.is_sparse)
    spread_left(making, first, operands, unknown);
  if (making->form.scales)
    scale_left(making, first, operands, unknown);
}

// A number of D.
static guint32 *
find_word(const Making *making, guint i, guint j, guint8 **mark) {
  const DataPlace place = locate_word(making, i, j);
  TensorMemory *tensor = smb_tensor_memory(making->blocks[place.block]);
  *mark = &tensor->marks[place.lane][place.column];
  return &tensor->words[place.lane][place.column];
}

// A number of D times 2 to the power of -scale.
static void
scale_sum(guint scale, double *real, gint32 *exponent) {
  if (*exponent == PRODUCT_NO_EXPONENT)
    return;
  *real = ldexp(*real, -(int)scale);
  *exponent -= (gint32)scale;
}

// D as it is, if it is added, or zeros.
static void
take_data(const Making *making, guint tile, guint at, ProductOperands *operands,
          ProductUnknown *unknown) {
  const ProductForm *form = &making->form;
  memset(unknown->cells, 0, sizeof unknown->cells);
  memset(operands->c_whole, 0, sizeof operands->c_whole);
  for (guint i = 0; making->adds && i < PRODUCT_ROWS; i++)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      guint8 *mark;
      operands->c_whole[i][j] =
          (gint32)*find_word(making, tile * PRODUCT_ROWS + i, at * PRODUCT_COLUMNS + j, &mark);
      note_data_mark(*mark, 1u << j, &unknown->cells[i], &unknown->flags);
    }
  operands->is_special |=
      !smb_product_read_all((ProductNumber)form->sum, PRODUCT_ROWS * PRODUCT_COLUMNS,
                            operands->c_whole[0], operands->c[0]);
  for (guint i = 0; making->product->scale && i < PRODUCT_ROWS; i++)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++)
      scale_sum(making->product->scale, &operands->c[i][j], &operands->c_whole[i][j]);
}

// --- sums

static void
check_data(const Making *making, guint i, guint j) {
  const DataPlace place = locate_word(making, i, j);
  inspect_word(making, making->blocks[place.block], SMB_OP_CLASS_STORE, place.lane, place.column);
}

// @unknown: nothing is known of any of them: NULL.
static void
put_data(const Making *making, guint tile, guint at, const ProductSums *sums,
         const ProductUnknown *unknown) {
  for (guint i = 0; i < PRODUCT_ROWS; i++)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      guint row = tile * PRODUCT_ROWS + i, column = at * PRODUCT_COLUMNS + j;
      DataPlace place = find_data(making, row, column);
      guint lane = place.block * TENSOR_LANES + place.lane;
      guint8 *mark;
      guint32 *word = find_word(making, row, column, &mark);
      if (making->disabled[lane / 32] >> lane % 32 & 1)
        continue;
      if (making->work)
        check_data(making, row, column);
      gboolean is_known =
          unknown && !((unknown->rows >> i | unknown->columns >> j | unknown->cells[i] >> j) & 1);
      *word = is_known ? (guint32)(*sums)[i][j] : 0;
      *mark = (guint8)((is_known ? MARK_KNOWN : 0) |
                       (!unknown || unknown->flags & ROW_DEPENDS ? MARK_BLOCK : 0));
    }
}

// Whether all rules of adding give it.
static gboolean
make_sums(const Making *making) {
  const ProductForm *form = &making->form;
  const guint tiles = making->rows / PRODUCT_ROWS,
              of_block = form->columns / making->product->blocks;
  g_autofree ProductOperands *tile_operands = g_new(ProductOperands, tiles);
  g_autofree ProductOperands *right = g_new(ProductOperands, 1);
  ProductUnknown unknown[MOST_TILES] = {0}, of_right = {0};
  gboolean is_certain = TRUE, is_special[MOST_TILES];
  ProductSums sums;
  for (guint tile = 0; tile < tiles; tile++) {
    take_left_tile(making, tile, &tile_operands[tile], &unknown[tile]);
    is_special[tile] = tile_operands[tile].is_special;
  }
  for (guint at = 0; at < form->columns / PRODUCT_COLUMNS; at++) {
    guint first = at * PRODUCT_COLUMNS;
    right->is_special = FALSE;
    smb_shared_matrix_take_columns(&making->right[first / of_block], first % of_block, form->depth,
                                   right, &of_right);
    if (form->scales)
      scale_right(making, first, right, &of_right);
    for (guint tile = 0; tile < tiles; tile++) {
      ProductOperands *operands = &tile_operands[tile];
      memcpy(operands->b, right->b, form->depth * sizeof right->b[0]);
      memcpy(operands->b_whole, right->b_whole, form->depth * sizeof right->b_whole[0]);
      operands->is_special = is_special[tile] || right->is_special;
      unknown[tile].columns = of_right.columns;
      unknown[tile].flags |= of_right.flags;
      take_data(making, tile, at, operands, &unknown[tile]);
      smb_product_sum(form, operands, sums);
      put_data(making, tile, at, (const ProductSums *)&sums, &unknown[tile]);
      is_certain = is_certain && smb_product_is_certain(form, operands);
    }
  }
  return is_certain;
}

// --- the step

static void
forget_data(const Making *making) {
  for (guint tile = 0; tile < making->rows / PRODUCT_ROWS; tile++)
    for (guint at = 0; at < making->form.columns / PRODUCT_COLUMNS; at++)
      put_data(making, tile, at, NULL, NULL);
}

// Numbers of a row of A, or of a column of B, as they are stored: two of a byte count as one.
static guint
count_stored_numbers(const Making *making, gboolean is_left) {
  guint n = is_left ? count_stored_depth(making) : making->form.depth;
  return making->kind == TENSOR_KIND_MXF4 ? n / 2 : n;
}

// Bytes of factors that are in the shared memory of this block.
static guint64
count_factor_bytes(const Making *making) {
  const ProductForm *form = &making->form;
  guint64 rows = making->product->left == NO_MATRIX ? 0 : making->rows;
  return (rows * making->left[0].bytes * count_stored_numbers(making, TRUE) +
          form->columns * making->right[0].bytes * count_stored_numbers(making, FALSE)) /
         making->product->blocks;
}

// Whether a block has the columns of scales of @n rows of A, or columns of B.
static gboolean
check_scales(SmbBlock *block, const Step *step, guint32 address, guint n) {
  return smb_tensor_check(block, step, address & 0xffff, (n + SCALE_LANES - 1) / SCALE_LANES);
}

// Whether a block has the columns of D, of A and of what belongs to it.
static gboolean
check_block_places(SmbBlock *block, const Step *step, const Making *making) {
  const TensorProduct *product = making->product;
  guint bits;
  find_kept_number(making, &bits);
  guint columns = count_stored_depth(making) * bits / 32;
  guint of_metadata = smb_tensor_metadata(making->kind, 0, 0,
                                          making->form.depth / smb_tensor_group(making->kind) - 1)
                          .column +
                      1;
  return smb_tensor_check(block, step, making->d & 0xffff, count_data_columns(making)) &&
         (product->left != NO_MATRIX ||
          smb_tensor_check(block, step, making->a & 0xffff, columns)) &&
         (!making->form.is_sparse ||
          smb_tensor_check(block, step, (making->metadata & 0xffff) + making->selector,
                           of_metadata)) &&
         (!making->form.scales ||
          check_scales(block, step, making->scale_a, making->rows / product->blocks));
}

static gboolean
check_places(const Step *step, const Making *making) {
  for (guint i = 0; i < making->product->blocks; i++)
    if (!check_block_places(making->blocks[i], step, making))
      return FALSE;
  if (making->form.scales &&
      !check_scales(making->blocks[0], step, making->scale_b, count_scaled_columns(making)))
    return FALSE;
  return TRUE;
}

// A factor in the shared memory of one block, which has @n rows or columns of it.
static void
check_factor(Exec *exec, const Making *making, const SharedMatrix *matrix, guint n) {
  const guint depth = count_stored_numbers(making, matrix->is_left);
  if (matrix->block == exec->block && has_eight_rows(matrix))
    smb_operand_check(exec, matrix, making->product->site, n, depth);
  if (making->work)
    smb_operand_read(matrix, making->work, 0, n, depth);
}

static void
check_factors(Exec *exec, const Making *making) {
  const guint n = making->product->blocks;
  for (guint i = 0; i < n; i++) {
    if (making->product->left != NO_MATRIX)
      check_factor(exec, making, &making->left[i], making->rows / n);
    check_factor(exec, making, &making->right[i], making->form.columns / n);
  }
}

// Which accumulator a product has, of which shape and kind (PTX ISA, "Pipelined tcgen05 Instructions"): never 0.
static guint32
name_accumulator(const Making *making) {
  const TensorProduct *product = making->product;
  const guint32 lane = making->d >> TENSOR_LANE_SHIFT, column = making->d % TENSOR_COLUMNS;
  return lane | column << 7 | making->rows / 32 << 16 | making->form.columns / 8 << 20 |
         (guint32)making->kind << 26 | (product->blocks - 1) << 29 |
         (guint32)product->is_stationary << 30 | (guint32)making->form.is_sparse << 31;
}

gboolean
smb_step_tensor_product(Exec *exec, const Step *step, SmbLanes lanes) {
  const TensorProduct *product = &step->tensor->product;
  SmbRuntime *runtime = exec->block->runtime;
  FOR_LANES(tensor_lanes(step, lanes), lane) {
    CheckWork work = smb_tensor_work(exec, step, CHECK_TENSOR, (guint)lane);
    Making making;
    if (!open_product(exec, product, (guint)lane, &making)) {
      exec_list_traffic(exec, step, SMB_TRAFFIC_MATRIX, SMB_BYTES_UNKNOWN);
      smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
      smb_doubt_tensor(exec, step, lanes, step_origin(exec, step));
      continue;
    }
    exec_list_traffic(exec, step, SMB_TRAFFIC_MATRIX, count_factor_bytes(&making));
    if (!check_places(step, &making))
      return FALSE;
    work.form = name_accumulator(&making);
    making.work = exec->block->check ? &work : NULL;
    check_factors(exec, &making);
    smb_product_rule(&making.form, exec->code->program.cuda_arch / 10);
    if (making.form.is_published && !runtime)
      forget_data(&making);
    else if (!make_sums(&making) && making.form.is_published && runtime)
      smb_runtime_approximate(runtime, SMB_APPROXIMATE_PRODUCTS);
  }
  return TRUE;
}
