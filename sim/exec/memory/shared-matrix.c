// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Matrices in shared memory that descriptors name, number by number: factors of products that four warps make (group-product.c), or that tensor memory
// takes part in (tensor-product.c).
#include "sim/exec/memory/memory.h"

enum {
  UNIT_NUMBERS = 16, // of fewer than 8 bits: that lie side by side from a multiple of 16 bytes on
};

gboolean
smb_shared_matrix_watch(Exec *exec, Row row, guint lane) {
  const Registers *registers = exec->warp->registers;
  exec_watch_row(exec, row);
  exec_watch_row(exec, row + 1);
  return !row_lane_unknown(registers, row, lane) && !row_lane_unknown(registers, row + 1, lane);
}

// Units of 32 bytes, in rows of 128 of which four follow each other (CuTe, "Swizzle<2,5,2>").
static void
set_units_of_32(MatrixPlace *place) {
  place->width = 128;
  place->mask = 3;
  place->group = 4;
  place->unit = 32;
}

gboolean
smb_shared_matrix_set_mode(const Exec *exec, Row row, guint lane, SharedMatrix *matrix) {
  enum {
    ABSOLUTE_LEADING = 1 << 20, // not an offset, but an address
    MODE_BY_32 = 1,
  };
  guint32 high = row_values(exec->warp->registers, row + 1)[lane], mode = high >> 29;
  if (mode == MODE_BY_32)
    set_units_of_32(&matrix->place);
  return !(high & ABSOLUTE_LEADING) && (mode == MODE_BY_32 ? matrix->is_turned : mode % 2 == 0);
}

SharedMatrix
smb_shared_matrix_open(const Exec *exec, Row row, guint lane, guint32 reserved,
                       ProductNumber number) {
  const Registers *registers = exec->warp->registers;
  return (SharedMatrix){.block = exec->block,
                        .place = smb_matrix_place(row_values(registers, row)[lane],
                                                  row_values(registers, row + 1)[lane]),
                        .reserved = reserved,
                        .number = number,
                        .bytes = MAX(smb_product_bits(number) / 8, 1)};
}

guint
smb_shared_matrix_read(const SharedMatrix *matrix, guint32 address, guint n, guint32 *bits) {
  const SmbBlock *block = matrix->block;
  guint known = MARK_KNOWN, any = 0;
  *bits = 0;
  if (address >= block->shared_bytes || block->shared_bytes - address < n)
    return 0;
  for (guint i = 0; i < n; i++) {
    *bits |= (guint32)block->shared[address + i] << (8 * i);
    known &= block->shared_marks ? block->shared_marks[address + i] : MARK_KNOWN;
    any |= block->shared_marks ? block->shared_marks[address + i] : 0;
  }
  return known | (any & MARK_BLOCK);
}

// The bits of a number. Returns the marks that all of its bytes have, and those that one has: MARK_KNOWN, MARK_BLOCK. Sixteen numbers of 4 or 6
// bits are in the first of 16 bytes (PTX ISA, "Packing formats used in shared memory" of kind::f8f6f4), but where they are packed.
static guint
read_shared_number(const SharedMatrix *matrix, guint row, guint k, guint32 *bits) {
  guint of_number = smb_product_bits(matrix->number), first = k, n = matrix->bytes, from = 0;
  if (matrix->is_packed) {
    first = k / 2;
    from = k % 2 * of_number;
  } else if (of_number < 8) {
    first = k / UNIT_NUMBERS * UNIT_NUMBERS;
    from = k % UNIT_NUMBERS * of_number;
    n = (from % 8 + of_number + 7) / 8;
  }
  guint32 address =
      smb_matrix_address(&matrix->place, matrix->is_turned, matrix->bytes, row, first) -
      matrix->reserved + from / 8;
  guint marks = smb_shared_matrix_read(matrix, address, n, bits);
  *bits >>= from % 8;
  return marks;
}

static void
note_marks(guint marks, guint32 bit, guint32 *unknown, guint *flags) {
  if (!(marks & MARK_KNOWN))
    *unknown |= bit;
  if (marks & MARK_BLOCK)
    *flags |= ROW_BLOCK;
}

void
smb_shared_matrix_take_rows(const SharedMatrix *matrix, guint first, guint depth,
                            ProductOperands *operands, ProductUnknown *unknown) {
  for (guint i = 0; i < PRODUCT_ROWS; i++) {
    for (guint k = 0; k < depth; k++) {
      guint32 bits;
      note_marks(read_shared_number(matrix, first + i, k, &bits), 1u << i, &unknown->rows,
                 &unknown->flags);
      operands->a_whole[i][k] = (gint32)bits;
    }
    operands->is_special |=
        !smb_product_read_all(matrix->number, depth, operands->a_whole[i], operands->a[i]);
  }
}

void
smb_shared_matrix_take_columns(const SharedMatrix *matrix, guint first, guint depth,
                               ProductOperands *operands, ProductUnknown *unknown) {
  unknown->columns = 0;
  for (guint j = 0; j < PRODUCT_COLUMNS; j++)
    for (guint k = 0; k < depth; k++) {
      guint32 bits;
      note_marks(read_shared_number(matrix, first + j, k, &bits), 1u << j, &unknown->columns,
                 &unknown->flags);
      operands->b_whole[k][j] = (gint32)bits;
    }
  operands->is_special |= !smb_product_read_all(matrix->number, depth * PRODUCT_COLUMNS,
                                                operands->b_whole[0], operands->b[0]);
}
