// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads, stores, atomics, copies, and instructions that move matrices. Which bits of an address are added to what was
// found in machine code of kernels whose memory an H200 left the same.
#include "sim/sass/decode/decode.h"

Transfer *
smb_sass_new_transfer(SassDecoder *decoder) {
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->bytes = 4;
  transfer->rows = 1;
  return transfer;
}

// --- addresses

static Row
emit_rows(SassDecoder *decoder, Operation operation, guint n_rows, Row a, Row b) {
  Compute compute = {.operation = operation, .d = smb_sass_scratch(decoder, n_rows), .s = {a, b}};
  smb_sass_add_compute(decoder, &compute);
  return compute.d;
}

// The base of an address of 32 bits: R4, or R4.X16.
static gboolean
find_address_base(SassDecoder *decoder, const SassOperand *operand, Row *row) {
  SassPart part = operand->base_part;
  guint shift = part == PART_X4 ? 2 : part == PART_X8 ? 3 : part == PART_X16 ? 4 : 0;
  *row = decoder->registers + operand->base;
  if (shift > 0)
    *row = emit_rows(decoder, OPERATION_SHL_32, 1, *row, smb_sass_constant(decoder, shift, 1));
  return shift > 0 || part <= PART_NONE || part == PART_U32;
}

gboolean
smb_sass_set_index(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand) {
  gboolean based = operand->base != SASS_RZ, uniform = operand->uniform != SASS_URZ;
  Row row = decoder->uniforms + operand->uniform;
  transfer->address_rows = 0;
  if (!based && !uniform)
    return TRUE;
  if (based && !find_address_base(decoder, operand, &row))
    return FALSE;
  if (based && uniform)
    row = emit_rows(decoder, OPERATION_ADD_32, 1, row, decoder->uniforms + operand->uniform);
  transfer->address = row;
  transfer->address_rows = 1;
  // Parameters have an address of 64 bits: the index is added to it as it is.
  if (transfer->window == WINDOW_GENERIC && !transfer->pieces) {
    Compute compute = {
        .operation = OPERATION_CVT_64_S32, .d = smb_sass_scratch(decoder, 2), .s = {row}};
    smb_sass_add_compute(decoder, &compute);
    transfer->address = compute.d;
    transfer->address_rows = 2;
  }
  return TRUE;
}

// [R2.64 + UR4 + 8]: of 64 bits; a base of 32 has no sign. Without .E an address has 32 bits, as those of shared
// memory.
static gboolean
set_wide_address(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand) {
  gboolean based = operand->base != SASS_RZ, uniform = operand->uniform != SASS_URZ;
  Row row = based ? decoder->registers + operand->base : decoder->uniforms + operand->uniform;
  SassPart part = operand->base_part;
  if (based && part == PART_U32) {
    Compute compute = {
        .operation = OPERATION_CVT_64_U32, .d = smb_sass_scratch(decoder, 2), .s = {row}};
    smb_sass_add_compute(decoder, &compute);
    row = compute.d;
  } else if (based && part > PART_NONE && part != PART_64)
    return FALSE;
  if (based && uniform)
    row = emit_rows(decoder, OPERATION_ADD_64, 2, row, decoder->uniforms + operand->uniform);
  transfer->address = row;
  transfer->address_rows = based || uniform ? 2 : 0;
  return TRUE;
}

// Addresses of 32 bits in global memory, without .E, are not modelled.
static gboolean
set_sass_address(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand,
                 guint space) {
  if (!operand || operand->kind != SASS_ADDRESS)
    return FALSE;
  transfer->offset = (guint64)operand->value;
  if (space == SPACE_OF_GLOBAL || space == SPACE_OF_ANY) {
    transfer->window = WINDOW_GENERIC;
    transfer->is_generic = space == SPACE_OF_ANY;
    transfer->reserved = decoder->reserved_shared;
    return smb_sass_has(decoder, PART_E) && set_wide_address(decoder, transfer, operand);
  }
  transfer->window = space == SPACE_OF_SHARED ? WINDOW_SHARED : WINDOW_LOCAL;
  if (space == SPACE_OF_SHARED)
    transfer->offset = (guint32)(operand->value - decoder->reserved_shared);
  return smb_sass_set_index(decoder, transfer, operand);
}

gboolean
smb_sass_set_shared_address(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand) {
  return set_sass_address(decoder, transfer, operand, SPACE_OF_SHARED);
}

// --- loads and stores

// Bytes that a lane moves.
static guint
find_access_width(const SassDecoder *decoder, gboolean *is_signed) {
  static const SassChoice sizes[] = {{PART_U8, 1}, {PART_S8, 1},   {PART_U16, 2}, {PART_S16, 2},
                                     {PART_64, 8}, {PART_128, 16}, {PART_256, 32}};
  *is_signed = smb_sass_has(decoder, PART_S8) || smb_sass_has(decoder, PART_S16);
  return SASS_CHOOSE(decoder, sizes, 4);
}

// .STRONG.GPU and the like: who else may change the memory meanwhile. Of .SYS it is what it is of .GPU.
static MemoryOrder
find_sass_order(const SassDecoder *decoder) {
  if (!smb_sass_has(decoder, PART_STRONG))
    return ORDER_WEAK;
  return smb_sass_has(decoder, PART_CTA) || smb_sass_has(decoder, PART_SM) ? ORDER_BLOCK
                                                                           : ORDER_STRONG;
}

// Rows side by side; a constant, such as RZ, is the same row again.
static void
set_rows(Row *rows, const Transfer *transfer, Row first) {
  gboolean repeats = (first & ROW_CONSTANT) != 0;
  for (guint i = 0; i < transfer->n_components; i++)
    rows[i] = first + (repeats ? 0 : i * transfer->rows);
}

// The registers that are loaded or stored.
static gboolean
set_sass_data(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand, guint width,
              gboolean loads) {
  if (!operand)
    return FALSE;
  transfer->bytes = MIN(width, 4);
  transfer->n_components = MAX(width, 4) / 4;
  if (loads && smb_sass_is_dropped(operand))
    return TRUE;
  Row row = loads ? smb_sass_result(decoder, operand, transfer->n_components)
                  : smb_sass_source(decoder, operand, 1);
  if (row == NO_ROW)
    return FALSE;
  set_rows(transfer->data, transfer, row);
  return TRUE;
}

// Of the space that the argument says.
static gboolean
decode_sass_access(SassDecoder *decoder, gboolean loads) {
  guint space = decoder->argument;
  Transfer *transfer = smb_sass_new_transfer(decoder);
  guint width = find_access_width(decoder, &transfer->is_signed);
  // Some chips give a predicate first that says whether the page is there.
  const SassOperand *first = smb_sass_operand(decoder, 0);
  guint at = loads && first && smb_sass_is_predicate(first) ? 1 : 0;
  transfer->order = find_sass_order(decoder);
  if (width > (space == SPACE_OF_GLOBAL ? MAX_MOVE_BYTES : SMB_MAX_WIDTH) ||
      !set_sass_address(decoder, transfer, smb_sass_operand(decoder, loads ? at + 1 : 0), space) ||
      !set_sass_data(decoder, transfer, smb_sass_operand(decoder, loads ? at : 1), width, loads))
    return smb_sass_refused(decoder);
  smb_build_access(&decoder->builder, transfer, loads, space == SPACE_OF_ANY);
  return TRUE;
}

gboolean
smb_sass_load(SassDecoder *decoder) {
  return decode_sass_access(decoder, TRUE);
}

gboolean
smb_sass_store(SassDecoder *decoder) {
  return decode_sass_access(decoder, FALSE);
}

// --- atomics

static const SassChoice atomics[] = {
    {PART_ADD, ATOMIC_ADD},       {PART_MIN, ATOMIC_MIN},       {PART_MAX, ATOMIC_MAX},
    {PART_AND, ATOMIC_AND},       {PART_OR, ATOMIC_OR},         {PART_XOR, ATOMIC_XOR},
    {PART_CAS, ATOMIC_CAS},       {PART_EXCH, ATOMIC_EXCHANGE}, {PART_CAST, ATOMIC_CAS},
    {PART_INC, ATOMIC_INCREMENT}, {PART_DEC, ATOMIC_DECREMENT},
};

guint
smb_sass_named_atomic(const SassDecoder *decoder, guint otherwise) {
  return SASS_CHOOSE(decoder, atomics, otherwise);
}

static const struct {
  SassPart part;
  SmbScalar kind;
  guint bytes; // of all of it
} atomic_kinds[] = {
    {PART_S32, SMB_SCALAR_I32, 4},   {PART_S64, SMB_SCALAR_I64, 8},
    {PART_F32, SMB_SCALAR_F32, 4},   {PART_F64, SMB_SCALAR_F64, 8},
    {PART_F16x2, SMB_SCALAR_F16, 4}, {PART_BF16x2, SMB_SCALAR_BF16, 4},
    {PART_128, SMB_SCALAR_U64, 16},  {PART_64, SMB_SCALAR_U64, 8},
};

static gboolean
find_sass_atomic(const SassDecoder *decoder, AtomicAccess *access) {
  guint atomic = smb_sass_named_atomic(decoder, G_MAXUINT);
  if (atomic == G_MAXUINT)
    return FALSE;
  *access =
      (AtomicAccess){.atomic = (Atomic)atomic, .kind = SMB_SCALAR_U32, .width = 4, .done = NO_ROW};
  for (guint i = 0; i < G_N_ELEMENTS(atomic_kinds); i++) {
    if (!smb_sass_has(decoder, atomic_kinds[i].part))
      continue;
    access->kind = atomic_kinds[i].kind;
    access->width = atomic_kinds[i].bytes;
    break;
  }
  return TRUE;
}

// Whether a swap succeeded goes to a predicate, or as 1 to a register, or to two for a swap of 64 bits.
static void
set_outcome(const SassDecoder *decoder, AtomicAccess *access, const SassOperand *result) {
  if (smb_sass_is_predicate(result))
    access->done_p = smb_sass_predicate(decoder, result);
  else if (access->is_used)
    access->done = smb_sass_result(decoder, result, 2);
}

// ATOMS, ATOM, ATOMG: [P0,] R0, [address], R2 [, R3]; RED, REDG: [address], R2
static gboolean
decode_atomic(SassDecoder *decoder, gboolean has_result) {
  AtomicAccess access;
  if (!find_sass_atomic(decoder, &access))
    return smb_sass_refused(decoder);
  guint at = 0, space = decoder->argument;
  gboolean counts = smb_sass_has(decoder, PART_POPC);
  access.atomic = counts ? ATOMIC_ADD : access.atomic; // POPC.INC: of how many lanes there are
  const SassOperand *done = smb_sass_operand(decoder, 0), *next = smb_sass_operand(decoder, 1);
  // A predicate alone, before the address, is the outcome of a swap.
  if (done && smb_sass_is_predicate(done) && next && next->kind != SASS_ADDRESS)
    at++;
  else
    done = NULL;
  const SassOperand *result = has_result ? smb_sass_operand(decoder, at++) : NULL;
  const SassOperand *address = smb_sass_operand(decoder, at++);
  const SassOperand *value = smb_sass_operand(decoder, at++), *swap = smb_sass_operand(decoder, at);
  Transfer *transfer = smb_sass_new_transfer(decoder);
  transfer->bytes = MIN(access.width, 8);
  transfer->rows = transfer->bytes / 4;
  transfer->n_components = access.width / transfer->bytes;
  transfer->order = find_sass_order(decoder);
  transfer->increments = counts;
  Row row = counts  ? smb_sass_constant(decoder, 1, 1)
            : value ? smb_sass_source(decoder, value, transfer->rows)
                    : NO_ROW;
  if (!set_sass_address(decoder, transfer, address, space) || row == NO_ROW ||
      (has_result && !result))
    return smb_sass_refused(decoder);
  set_rows(transfer->operands, transfer, row);
  if (access.atomic == ATOMIC_CAS) {
    transfer->swap = swap ? smb_sass_source(decoder, swap, transfer->rows) : NO_ROW;
    if (transfer->swap == NO_ROW)
      return smb_sass_refused(decoder);
  }
  access.is_cast = smb_sass_has(decoder, PART_CAST);
  access.is_used = result && !smb_sass_is_dropped(result);
  if (access.is_cast)
    set_outcome(decoder, &access, result);
  else if (access.is_used)
    set_rows(transfer->data, transfer, smb_sass_result(decoder, result, access.width / 4));
  smb_build_atomic(&decoder->builder, transfer, &access);
  if (access.is_cast && access.width == 8 && access.done != NO_ROW)
    smb_sass_add_move(decoder, result, access.done + 1, smb_sass_constant(decoder, 0, 1));
  if (done && !smb_sass_is_dropped(done)) { // whether it was made at once
    Compute compute = {
        .operation = OPERATION_PREDICATE, .table = 0xff, .p = smb_sass_predicate(decoder, done)};
    smb_sass_add_compute(decoder, &compute);
  }
  return TRUE;
}

// ATOMS.ARRIVE is another instruction than the sums that share its opcode.
gboolean
smb_sass_atomic(SassDecoder *decoder) {
  if (decoder->argument == SPACE_OF_SHARED && smb_sass_has(decoder, PART_ARRIVE))
    return smb_sass_arrive_early(decoder, smb_sass_operand(decoder, 0),
                                 smb_sass_operand(decoder, 1));
  return decode_atomic(decoder, TRUE);
}

gboolean
smb_sass_reduction(SassDecoder *decoder) {
  return decode_atomic(decoder, FALSE);
}

// --- matrices: LDSM.16.M88.4 R4, [R2]; STSM.16.MT88.2 [R2], R4; of sm_100 and later LDSM.8.MT1616,
// LDSM.U6x16P32TO8.M816 and STSM.8.MT168

// MatrixValues of a shape and what its numbers are in memory; G_MAXUINT: there are no such matrices.
static guint
find_matrix_values(const SassDecoder *decoder, gboolean loads) {
  static const SassChoice shapes[] = {
      {PART_M88, MATRIX_PLAIN},    {PART_MT88, MATRIX_TRANSPOSED}, {PART_M816, MATRIX_PLAIN},
      {PART_MT1616, MATRIX_BYTES}, {PART_MT168, MATRIX_BYTES},
  };
  static const SassChoice packings[] = {{PART_U4x16P64TO8, MATRIX_OF_4},
                                        {PART_U6x16P32TO8, MATRIX_OF_6}};
  guint shape = SASS_CHOOSE(decoder, shapes, G_MAXUINT);
  guint packing = SASS_CHOOSE(decoder, packings, 0);
  if (smb_sass_has(decoder, PART_M88) || smb_sass_has(decoder, PART_MT88))
    return smb_sass_has(decoder, PART_16) ? shape : G_MAXUINT;
  if (shape == G_MAXUINT || packing)
    return shape == G_MAXUINT || !loads ? G_MAXUINT : shape | packing;
  return shape == MATRIX_BYTES && smb_sass_has(decoder, PART_8) ? shape : G_MAXUINT;
}

static gboolean
decode_matrix(SassDecoder *decoder, gboolean loads) {
  static const SassChoice counts[] = {{PART_4, 4}, {PART_2, 2}};
  guint n = SASS_CHOOSE(decoder, counts, 1) * (smb_sass_has(decoder, PART_MT1616) ? 2 : 1);
  guint values = find_matrix_values(decoder, loads);
  Transfer *transfer = smb_sass_new_transfer(decoder);
  if (values == G_MAXUINT || n > 4)
    return smb_sass_refused(decoder);
  if (!set_sass_address(decoder, transfer, smb_sass_operand(decoder, loads ? 1 : 0),
                        SPACE_OF_SHARED) ||
      !set_sass_data(decoder, transfer, smb_sass_operand(decoder, loads ? 0 : 1), 4 * n, loads))
    return smb_sass_refused(decoder);
  smb_build_matrix(&decoder->builder, transfer, loads, n, values);
  return TRUE;
}

gboolean
smb_sass_load_matrix(SassDecoder *decoder) {
  return decode_matrix(decoder, TRUE);
}

gboolean
smb_sass_store_matrix(SassDecoder *decoder) {
  return decode_matrix(decoder, FALSE);
}

// --- copies: LDGSTS.E.BYPASS.128 [shared], desc[UR4][global] [, P0]: without the predicate zeros are stored. With
// ZFILL (of the PTX "cp.async … 16, %r1") ptxas adds (16 - %r1) & 15 to the address, and P0 is %r1 != 0.

gboolean
smb_sass_copy(SassDecoder *decoder) {
  gboolean is_signed;
  guint width = find_access_width(decoder, &is_signed);
  const SassOperand *some = smb_sass_operand(decoder, 2);
  Transfer *to = smb_sass_new_transfer(decoder), *from = smb_sass_new_transfer(decoder);
  if (!set_sass_address(decoder, to, smb_sass_operand(decoder, 0), SPACE_OF_SHARED) ||
      !set_sass_address(decoder, from, smb_sass_operand(decoder, 1), SPACE_OF_GLOBAL) ||
      (width != 4 && width != 8 && width != 16) || (some && !smb_sass_is_predicate(some)))
    return smb_sass_refused(decoder);
  if (some) {
    Compute compute = {
        .operation = OPERATION_SELECT_32,
        .d = smb_sass_scratch(decoder, 1),
        .s = {smb_sass_constant(decoder, width, 1), smb_sass_constant(decoder, 0, 1)},
        .in = {smb_sass_condition(decoder, some)}};
    smb_sass_add_compute(decoder, &compute);
    from->data[0] = compute.d;
    from->copying = some->number != 0   ? COPYING_SAID
                    : some->is_inverted ? COPYING_NOT_P0
                                        : COPYING_P0;
  }
  from->is_shortened = smb_sass_has(decoder, PART_ZFILL);
  from->is_by_p0 = decoder->instruction->guard == 0 && !decoder->instruction->guard_is_uniform;
  smb_build_copy(&decoder->builder, to, from, width, smb_sass_has(decoder, PART_BYPASS));
  return TRUE;
}
