// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads, stores, atomics, copies, and instructions that move matrices. Which bits of an address are added to what was
// found in machine code of kernels whose memory an H200 left the same.
#include <string.h>

#include "sim/sass/decode/decode.h"

// Of addresses of 32 bits and of 64, by space.
typedef enum {
  SPACE_OF_SHARED,
  SPACE_OF_LOCAL,
  SPACE_OF_GLOBAL,
  SPACE_OF_ANY, // a generic address
} AddressSpace;

Transfer *
smb_sass_new_transfer(SassDecoder *decoder) {
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->bytes = 4;
  transfer->rows = 1;
  return transfer;
}

void
smb_sass_set_move(SassDecoder *decoder, Transfer *transfer, SmbOpClass op_class, SmbOp op,
                  guint width) {
  transfer->move = (Move){.place = decoder->place,
                          .site = smb_sass_add_site(decoder, op_class, width),
                          .op_class = op_class,
                          .op = op,
                          .width = width,
                          .align = width & -width,
                          .kind = SMB_SCALAR_U32,
                          .components = 1,
                          .reads = op_class != SMB_OP_CLASS_STORE};
}

// --- addresses

static Row
add_rows(SassDecoder *decoder, Operation operation, guint n_rows, Row a, Row b) {
  Compute compute = {.operation = operation, .d = smb_sass_scratch(decoder, n_rows), .s = {a, b}};
  smb_sass_add_compute(decoder, &compute);
  return compute.d;
}

// What is written behind a base; "" if there is nothing.
static const char *
find_part(const SassOperand *operand) {
  return operand->base_part ? operand->base_part : "";
}

// The base of an address of 32 bits: R4, or R4.X16.
static gboolean
find_base(SassDecoder *decoder, const SassOperand *operand, Row *row) {
  static const char *const scales[] = {"X1", "X2", "X4", "X8", "X16"};
  *row = decoder->registers + operand->base;
  for (guint i = 0; i < G_N_ELEMENTS(scales); i++) {
    if (strcmp(find_part(operand), scales[i]) != 0)
      continue;
    if (i > 0)
      *row = add_rows(decoder, OPERATION_SHL_32, 1, *row, smb_sass_constant(decoder, i, 1));
    return TRUE;
  }
  return *find_part(operand) == '\0' || strcmp(find_part(operand), "U32") == 0;
}

gboolean
smb_sass_set_index(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand) {
  gboolean based = operand->base != SASS_RZ, uniform = operand->uniform != SASS_URZ;
  Row row = decoder->uniforms + operand->uniform;
  transfer->address_rows = 0;
  if (!based && !uniform)
    return TRUE;
  if (based && !find_base(decoder, operand, &row))
    return FALSE;
  if (based && uniform)
    row = add_rows(decoder, OPERATION_ADD_32, 1, row, decoder->uniforms + operand->uniform);
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

// [R2.64 + UR4 + 8]: of 64 bits; a base of 32 has no sign. Without .E an address has 32 bits, as those of shared memory.
static gboolean
set_wide_address(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand) {
  gboolean based = operand->base != SASS_RZ, uniform = operand->uniform != SASS_URZ;
  Row row = based ? decoder->registers + operand->base : decoder->uniforms + operand->uniform;
  const char *part = find_part(operand);
  if (based && strcmp(part, "U32") == 0) {
    Compute compute = {
        .operation = OPERATION_CVT_64_U32, .d = smb_sass_scratch(decoder, 2), .s = {row}};
    smb_sass_add_compute(decoder, &compute);
    row = compute.d;
  } else if (based && *part && strcmp(part, "64") != 0)
    return FALSE;
  if (based && uniform)
    row = add_rows(decoder, OPERATION_ADD_64, 2, row, decoder->uniforms + operand->uniform);
  transfer->address = row;
  transfer->address_rows = based || uniform ? 2 : 0;
  return TRUE;
}

static gboolean
set_address(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand,
            AddressSpace space) {
  if (!operand || operand->kind != SASS_ADDRESS)
    return FALSE;
  transfer->offset = (guint64)operand->value;
  if (space == SPACE_OF_GLOBAL || space == SPACE_OF_ANY) {
    transfer->window = WINDOW_GENERIC;
    transfer->is_generic = space == SPACE_OF_ANY;
    transfer->reserved = decoder->reserved_shared;
    return smb_sass_has(decoder, "E") && set_wide_address(decoder, transfer, operand);
  }
  transfer->window = space == SPACE_OF_SHARED ? WINDOW_SHARED : WINDOW_LOCAL;
  if (space == SPACE_OF_SHARED)
    transfer->offset = (guint32)(operand->value - decoder->reserved_shared);
  return smb_sass_set_index(decoder, transfer, operand);
}

gboolean
smb_sass_set_shared_address(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand) {
  return set_address(decoder, transfer, operand, SPACE_OF_SHARED);
}

// --- loads and stores

static const struct {
  const char *part;
  guint bytes;
  gboolean is_signed;
} sizes[] = {
    {"U8", 1, FALSE}, {"S8", 1, TRUE},    {"U16", 2, FALSE},  {"S16", 2, TRUE},
    {"64", 8, FALSE}, {"128", 16, FALSE}, {"256", 32, FALSE},
};

// Bytes that a lane moves.
static guint
find_width(const SassDecoder *decoder, gboolean *is_signed) {
  *is_signed = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    if (!smb_sass_has(decoder, sizes[i].part))
      continue;
    *is_signed = sizes[i].is_signed;
    return sizes[i].bytes;
  }
  return 4;
}

static MemoryOrder
find_order(const SassDecoder *decoder) {
  if (!smb_sass_has(decoder, "STRONG"))
    return ORDER_WEAK;
  return smb_sass_has(decoder, "CTA") || smb_sass_has(decoder, "SM") ? ORDER_BLOCK : ORDER_STRONG;
}

// The registers that are loaded or stored.
static gboolean
set_data(SassDecoder *decoder, Transfer *transfer, Step *step, const SassOperand *operand,
         guint width, gboolean loads) {
  if (!operand)
    return FALSE;
  transfer->bytes = MIN(width, 4);
  transfer->n_components = MAX(width, 4) / 4;
  if (loads && smb_sass_is_dropped(operand))
    return TRUE;
  Row row = loads ? smb_sass_result(decoder, operand, transfer->n_components)
                  : smb_sass_source(decoder, operand, 1);
  gboolean repeats = !loads && row & ROW_CONSTANT;
  for (guint i = 0; i < transfer->n_components && row != NO_ROW; i++)
    transfer->data[i] = row + (repeats ? 0 : i);
  if (loads && row != NO_ROW)
    smb_code_writes_row(decoder->code, step, row, transfer->n_components);
  return row != NO_ROW;
}

static SassResult
decode_access(SassDecoder *decoder, AddressSpace space, gboolean loads) {
  Step step = smb_sass_step(decoder, loads ? STEP_LOAD : STEP_STORE);
  Transfer *transfer = smb_sass_new_transfer(decoder);
  guint width = find_width(decoder, &transfer->is_signed);
  // Some chips give a predicate first that says whether the page is there.
  guint first =
      loads && smb_sass_operand(decoder, 0) && smb_sass_is_predicate(smb_sass_operand(decoder, 0))
          ? 1
          : 0;
  transfer->order = find_order(decoder);
  if (width > (space == SPACE_OF_GLOBAL ? MAX_MOVE_BYTES : SMB_MAX_WIDTH) ||
      !set_address(decoder, transfer, smb_sass_operand(decoder, loads ? first + 1 : 0), space) ||
      !set_data(decoder, transfer, &step, smb_sass_operand(decoder, loads ? first : 1), width,
                loads))
    return SASS_OTHER;
  gboolean generic = space == SPACE_OF_ANY;
  smb_sass_set_move(decoder, transfer, loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE,
                    loads     ? generic ? SMB_OP_LD_GENERIC : SMB_OP_LD
                    : generic ? SMB_OP_ST_GENERIC
                              : SMB_OP_ST,
                    width);
  step.transfer = transfer;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// --- atomics

static const struct {
  const char *name;
  Atomic atomic;
} atomics[] = {
    {"ADD", ATOMIC_ADD},       {"MIN", ATOMIC_MIN},       {"MAX", ATOMIC_MAX},
    {"AND", ATOMIC_AND},       {"OR", ATOMIC_OR},         {"XOR", ATOMIC_XOR},
    {"CAS", ATOMIC_CAS},       {"EXCH", ATOMIC_EXCHANGE}, {"CAST", ATOMIC_CAS},
    {"INC", ATOMIC_INCREMENT}, {"DEC", ATOMIC_DECREMENT},
};

static const struct {
  const char *name;
  SmbScalar kind;
  guint bytes; // of all of it
} atomic_kinds[] = {
    {"S32", SMB_SCALAR_I32, 4},      {"S64", SMB_SCALAR_I64, 8},   {"F32", SMB_SCALAR_F32, 4},
    {"F64", SMB_SCALAR_F64, 8},      {"F16x2", SMB_SCALAR_F16, 4}, {"BF16x2", SMB_SCALAR_BF16, 4},
    {"BF16_V2", SMB_SCALAR_BF16, 4}, {"128", SMB_SCALAR_U64, 16},  {"64", SMB_SCALAR_U64, 8},
    {"U64", SMB_SCALAR_U64, 8},
};

static gboolean
find_atomic(const SassDecoder *decoder, Move *move) {
  gboolean found = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(atomics) && !found; i++) {
    found = smb_sass_has(decoder, atomics[i].name);
    move->atomic = atomics[i].atomic;
  }
  move->kind = SMB_SCALAR_U32;
  move->width = 4;
  for (guint i = 0; i < G_N_ELEMENTS(atomic_kinds); i++) {
    if (!smb_sass_has(decoder, atomic_kinds[i].name))
      continue;
    move->kind = atomic_kinds[i].kind;
    move->width = atomic_kinds[i].bytes;
    break;
  }
  return found;
}

static void
set_rows(Row *rows, const Transfer *transfer, Row first) {
  gboolean repeats = (first & ROW_CONSTANT) != 0;
  for (guint i = 0; i < transfer->n_components; i++)
    rows[i] = first + (repeats ? 0 : i * transfer->rows);
}

// Whether a swap succeeded goes to a predicate, or as 1 to a register, or to two for a swap of 64 bits.
static void
set_outcome(SassDecoder *decoder, Step *step, const SassOperand *result) {
  smb_step_bind(step, STEP_CAST);
  step->compute.d = NO_ROW;
  if (smb_sass_is_predicate(result)) {
    step->compute.p = smb_sass_predicate(decoder, result);
    smb_code_writes_predicate(decoder->code, step, step->compute.p);
  } else if (!smb_sass_is_dropped(result)) {
    step->compute.d = smb_sass_result(decoder, result, 1);
    smb_code_writes_row(decoder->code, step, step->compute.d, 1);
  }
}

// ATOMS, ATOM, ATOMG: [P0,] R0, [address], R2 [, R3]; RED, REDG: [address], R2
static SassResult
decode_atomic(SassDecoder *decoder, AddressSpace space, gboolean has_result) {
  Move kinds = {0};
  if (!find_atomic(decoder, &kinds))
    return SASS_OTHER;
  guint at = 0;
  gboolean casts = smb_sass_has(decoder, "CAST"), counts = smb_sass_has(decoder, "POPC");
  const SassOperand *done = smb_sass_operand(decoder, 0), *next = smb_sass_operand(decoder, 1);
  // A predicate alone, before the address, is the outcome of a swap.
  if (done && smb_sass_is_predicate(done) && next && next->kind != SASS_ADDRESS)
    at++;
  else
    done = NULL;
  const SassOperand *result = has_result ? smb_sass_operand(decoder, at++) : NULL;
  const SassOperand *address = smb_sass_operand(decoder, at++);
  const SassOperand *value = smb_sass_operand(decoder, at++), *swap = smb_sass_operand(decoder, at);
  Step step = smb_sass_step(decoder, STEP_ATOMIC);
  Transfer *transfer = smb_sass_new_transfer(decoder);
  transfer->bytes = MIN(kinds.width, 8);
  transfer->rows = transfer->bytes / 4;
  transfer->n_components = kinds.width / transfer->bytes;
  Row row = counts  ? smb_sass_constant(decoder, 1, 1)
            : value ? smb_sass_source(decoder, value, transfer->rows)
                    : NO_ROW;
  if (!set_address(decoder, transfer, address, space) || row == NO_ROW || (has_result && !result))
    return SASS_OTHER;
  set_rows(transfer->operands, transfer, row);
  if (kinds.atomic == ATOMIC_CAS) {
    transfer->swap = swap ? smb_sass_source(decoder, swap, transfer->rows) : NO_ROW;
    if (transfer->swap == NO_ROW)
      return SASS_OTHER;
  }
  gboolean unused = !result || smb_sass_is_dropped(result);
  if (casts)
    set_outcome(decoder, &step, result);
  else if (!unused)
    set_rows(transfer->data, transfer, smb_sass_result(decoder, result, kinds.width / 4));
  if (transfer->data[0] != NO_ROW)
    smb_code_writes_row(decoder->code, &step, transfer->data[0], kinds.width / 4);
  smb_sass_set_move(decoder, transfer, SMB_OP_CLASS_ATOMIC, SMB_OP_ATOM, kinds.width);
  transfer->move.atomic = counts ? ATOMIC_ADD : kinds.atomic;
  transfer->move.kind = kinds.kind;
  transfer->move.components = kinds.width / (guint)smb_scalar_bytes(kinds.kind);
  transfer->move.reads = !unused || kinds.atomic != ATOMIC_EXCHANGE;
  transfer->order = find_order(decoder);
  transfer->increments = counts;
  step.transfer = transfer;
  smb_code_add(decoder->code, &step);
  if (casts && kinds.width == 8 && smb_sass_is_register(result) && !unused)
    smb_sass_add_move(decoder, result, smb_sass_result(decoder, result, 2) + 1,
                      smb_sass_constant(decoder, 0, 1));
  if (done && !smb_sass_is_dropped(done)) { // whether it was made at once
    Compute compute = {
        .operation = OPERATION_PREDICATE, .table = 0xff, .p = smb_sass_predicate(decoder, done)};
    smb_sass_add_compute(decoder, &compute);
  }
  return SASS_DECODED;
}

// --- matrices: LDSM.16.M88.4 R4, [R2]; STSM.16.MT88.2 [R2], R4

static SassResult
decode_matrix(SassDecoder *decoder, gboolean loads) {
  static const struct {
    guint n;
    SmbOp load, store;
  } counts[] = {{1, SMB_OP_LDMATRIX_X1, SMB_OP_STMATRIX_X1},
                {2, SMB_OP_LDMATRIX_X2, SMB_OP_STMATRIX_X2},
                {4, SMB_OP_LDMATRIX_X4, SMB_OP_STMATRIX_X4}};
  guint index = smb_sass_has(decoder, "4") ? 2 : smb_sass_has(decoder, "2") ? 1 : 0;
  gboolean plain = smb_sass_has(decoder, "M88"), turned = smb_sass_has(decoder, "MT88");
  Step step = smb_sass_step(decoder, loads ? STEP_LOAD_MATRIX : STEP_STORE_MATRIX);
  Transfer *transfer = smb_sass_new_transfer(decoder);
  if (!set_address(decoder, transfer, smb_sass_operand(decoder, loads ? 1 : 0), SPACE_OF_SHARED) ||
      !set_data(decoder, transfer, &step, smb_sass_operand(decoder, loads ? 0 : 1),
                4 * counts[index].n, loads))
    return SASS_OTHER;
  smb_sass_set_move(decoder, transfer, loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE,
                    loads ? counts[index].load : counts[index].store, SMB_MAX_WIDTH);
  step.argument = !smb_sass_has(decoder, "16") || plain == turned ? MATRIX_UNKNOWN
                  : plain                                         ? MATRIX_PLAIN
                                                                  : MATRIX_TRANSPOSED;
  step.transfer = transfer;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// --- copies: LDGSTS.E.BYPASS.128 [shared], desc[UR4][global] [, P0]: without the predicate zeros are stored. With ZFILL (of the
// PTX "cp.async … 16, %r1") ptxas adds (16 - %r1) & 15 to the address, and P0 is %r1 != 0.

static SassResult
decode_copy(SassDecoder *decoder) {
  gboolean is_signed;
  guint width = find_width(decoder, &is_signed);
  const SassOperand *some = smb_sass_operand(decoder, 2);
  Step step = smb_sass_step(decoder, STEP_COPY);
  Transfer *to = smb_sass_new_transfer(decoder), *from = smb_sass_new_transfer(decoder);
  if (!set_address(decoder, to, smb_sass_operand(decoder, 0), SPACE_OF_SHARED) ||
      !set_address(decoder, from, smb_sass_operand(decoder, 1), SPACE_OF_GLOBAL) ||
      (width != 4 && width != 8 && width != 16) || (some && !smb_sass_is_predicate(some)))
    return SASS_OTHER;
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
  from->is_shortened = smb_sass_has(decoder, "ZFILL");
  from->is_by_p0 = decoder->instruction->guard == 0 && !decoder->instruction->guard_is_uniform;
  smb_sass_set_move(decoder, to, SMB_OP_CLASS_STORE,
                    smb_sass_has(decoder, "BYPASS") ? SMB_OP_CP_ASYNC_CG : SMB_OP_CP_ASYNC_CA,
                    width);
  smb_sass_set_move(decoder, from, SMB_OP_CLASS_LOAD, SMB_OP_LD, width);
  step.transfer = to;
  step.source = from;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// --- all

SassResult
smb_sass_decode_memory(SassDecoder *decoder) {
  static const struct {
    const char *name;
    AddressSpace space;
    gboolean loads;
  } accesses[] = {
      {"LDS", SPACE_OF_SHARED, TRUE}, {"STS", SPACE_OF_SHARED, FALSE},
      {"LDL", SPACE_OF_LOCAL, TRUE},  {"STL", SPACE_OF_LOCAL, FALSE},
      {"LDG", SPACE_OF_GLOBAL, TRUE}, {"STG", SPACE_OF_GLOBAL, FALSE},
      {"LD", SPACE_OF_ANY, TRUE},     {"ST", SPACE_OF_ANY, FALSE},
  };
  static const struct {
    const char *name;
    AddressSpace space;
    gboolean has_result;
  } changes[] = {
      {"ATOMS", SPACE_OF_SHARED, TRUE}, {"ATOMG", SPACE_OF_GLOBAL, TRUE},
      {"ATOM", SPACE_OF_ANY, TRUE},     {"REDG", SPACE_OF_GLOBAL, FALSE},
      {"RED", SPACE_OF_GLOBAL, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(accesses); i++) {
    if (smb_sass_is(decoder, accesses[i].name))
      return decode_access(decoder, accesses[i].space, accesses[i].loads);
  }
  for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
    if (smb_sass_is(decoder, changes[i].name))
      return decode_atomic(decoder, changes[i].space, changes[i].has_result);
  }
  if (smb_sass_is(decoder, "LDSM"))
    return decode_matrix(decoder, TRUE);
  if (smb_sass_is(decoder, "STSM"))
    return decode_matrix(decoder, FALSE);
  return smb_sass_is(decoder, "LDGSTS") ? decode_copy(decoder) : SASS_OTHER;
}
