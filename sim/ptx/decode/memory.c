// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that make requests: loads, stores, atomics, matrices, copies (PTX ISA 9.0, section 9.7.9; atom and red
// 9.7.13). Here are read the state space, the width and the registers; everything else follows from these in
// sim/exec/build.c.
#include <string.h>

#include "sim/ptx/decode/decode.h"

static const struct {
  const char *name;
  PtxArea area;
} areas[] = {
    {"shared", AREA_SHARED},           {"shared::cta", AREA_SHARED},
    {"global", AREA_GLOBAL},           {"local", AREA_LOCAL},
    {"const", AREA_CONSTANT},          {"param", AREA_PARAMETER},
    {"param::entry", AREA_PARAMETER},  {"param::func", AREA_PARAMETER},
    {"shared::cluster", AREA_CLUSTER},
};

PtxArea
smb_ptx_area(const PtxDecoder *decoder) {
  for (guint i = 0; decoder->parts[i]; i++) {
    for (guint a = 0; a < G_N_ELEMENTS(areas); a++) {
      if (strcmp(decoder->parts[i], areas[a].name) == 0)
        return areas[a].area;
    }
  }
  return AREA_GENERIC;
}

// .v2, .v4, .v8: the number of components.
static guint
find_vector(const PtxDecoder *decoder) {
  return smb_ptx_has_part(decoder, "v2")   ? 2
         : smb_ptx_has_part(decoder, "v4") ? 4
         : smb_ptx_has_part(decoder, "v8") ? 8
                                           : 1;
}

// [register+offset], [variable+offset] or [number]. A variable of a function's frame is relative to it; other variables
// have fixed addresses. An address of 4 bytes in local memory is an offset.
gboolean
smb_ptx_set_address(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand,
                    PtxArea area) {
  if (operand->kind != PTX_OPERAND_ADDRESS || operand->n != 1)
    return smb_ptx_refuse(decoder, "expected an address");
  const PtxOperand *base = smb_ptx_element(decoder, operand, 0);
  transfer->is_generic = area == AREA_GENERIC;
  // A variable is the block's own, and its address here has no rank.
  transfer->is_cluster = area == AREA_CLUSTER && base->kind != PTX_OPERAND_SYMBOL;
  transfer->window = area == AREA_SHARED || area == AREA_CLUSTER ? WINDOW_SHARED : WINDOW_GENERIC;
  transfer->offset = operand->bits;
  if (base->kind != PTX_OPERAND_REGISTER) {
    guint64 address = base->bits;
    gboolean of_thread = area == AREA_GENERIC || area == AREA_LOCAL || area == AREA_PARAMETER;
    if (of_thread && smb_ptx_in_frame(decoder, base, &address)) {
      transfer->window = WINDOW_LOCAL;
      transfer->is_generic = FALSE;
      transfer->address = decoder->current->frame;
      transfer->address_rows = 1;
    } else if (base->kind == PTX_OPERAND_SYMBOL && !smb_ptx_address(decoder, base, &address))
      return smb_ptx_refuse(decoder, "'%s' has no address", base->text);
    transfer->offset += address;
    return TRUE;
  }
  guint bytes = smb_ptx_register_bytes(decoder, base);
  if (bytes != 4 && bytes != 8)
    return smb_ptx_refuse(decoder, "expected an address of 4 or 8 bytes");
  transfer->address = smb_ptx_register_row(decoder, base);
  if (transfer->address == NO_ROW)
    return smb_ptx_refuse(decoder, "expected a single register, not a vector");
  transfer->address_rows = bytes / 4;
  if (area == AREA_LOCAL && bytes == 4)
    transfer->window = WINDOW_LOCAL;
  return TRUE;
}

// One component: a register, a constant to be stored, or nothing (_). A load extends into a wider register.
static gboolean
set_component(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand, gboolean loads) {
  guint c = transfer->n_components++, bytes = transfer->bytes;
  if (loads && operand->kind == PTX_OPERAND_SINK)
    return TRUE;
  if (loads && operand->kind != PTX_OPERAND_REGISTER)
    return smb_ptx_refuse(decoder, "expected a register");
  if (operand->kind == PTX_OPERAND_REGISTER) {
    guint has = smb_ptx_register_bytes(decoder, operand), rows = MAX(has, 4u) / 4;
    if (has < bytes)
      return smb_ptx_refuse(decoder, "register '%s' is too narrow for this instruction",
                            smb_ptx_register(decoder, operand)->name);
    if ((has > 8 && bytes <= 8) || (transfer->rows && rows != transfer->rows))
      return smb_ptx_refuse(decoder, "register '%s' does not have the width of this instruction",
                            smb_ptx_register(decoder, operand)->name);
    transfer->rows = rows;
  }
  transfer->data[c] = smb_ptx_row(decoder, operand, bytes, TRUE);
  return transfer->data[c] != NO_ROW || smb_ptx_refuse(decoder, "expected a register or a number");
}

// All components: as many as .v2, .v4 or .v8 says.
static gboolean
set_ptx_data(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand, guint vector,
             gboolean loads) {
  if (vector == 1 && operand->kind != PTX_OPERAND_VECTOR)
    return set_component(decoder, transfer, operand, loads);
  if (operand->kind != PTX_OPERAND_VECTOR || operand->n != vector)
    return smb_ptx_refuse(decoder, "expected a vector of %u registers", vector);
  for (guint i = 0; i < vector; i++) {
    if (!set_component(decoder, transfer, smb_ptx_element(decoder, operand, i), loads))
      return FALSE;
  }
  return TRUE;
}

// How the access is ordered (section 8): .relaxed, .acquire, .volatile and .mmio see what other threads write
// meanwhile.
static MemoryOrder
find_ptx_order(const PtxDecoder *decoder) {
  gboolean acquires = smb_ptx_has_part(decoder, "acquire") || smb_ptx_has_part(decoder, "acq_rel");
  if (!acquires && !smb_ptx_has_part(decoder, "volatile") &&
      !smb_ptx_has_part(decoder, "relaxed") && !smb_ptx_has_part(decoder, "mmio"))
    return ORDER_WEAK;
  if (smb_ptx_has_part(decoder, "cta"))
    return ORDER_BLOCK;
  return acquires ? ORDER_ACQUIRE : ORDER_STRONG;
}

// What it releases (section 8) was done ahead of it.
static void
add_release(PtxDecoder *decoder) {
  if (smb_ptx_has_part(decoder, "release") || smb_ptx_has_part(decoder, "acq_rel"))
    smb_build_plain(&decoder->build, STEP_FENCE, 0);
}

// ld and st. One that is wider than any access of the device is not an instruction.
static PtxResult
decode_ptx_access(PtxDecoder *decoder, gboolean loads) {
  PtxArea area = smb_ptx_area(decoder);
  const char *type = smb_ptx_last_part(decoder);
  guint bytes = smb_ptx_type_bytes(type), vector = find_vector(decoder);
  gboolean is_wide = area == AREA_GENERIC || area == AREA_GLOBAL;
  if (bytes == 0 || bytes * vector > (is_wide && bytes < 16 ? MAX_MOVE_BYTES : SMB_MAX_WIDTH))
    return smb_ptx_add_opaque(decoder, loads ? LOOKS : 0);
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->bytes = bytes;
  transfer->is_signed = type[0] == 's';
  transfer->order = find_ptx_order(decoder);
  if (!smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, loads ? 1 : 0), area) ||
      !set_ptx_data(decoder, transfer, smb_ptx_operand(decoder, loads ? 0 : 1), vector, loads))
    return PTX_FAILED;
  if (loads && (area == AREA_CONSTANT || area == AREA_PARAMETER) && transfer->address_rows > 0)
    transfer->move.constant_bytes = smb_constant_bytes(bytes, vector);
  if (!loads)
    add_release(decoder);
  smb_build_access(&decoder->build, transfer, loads, area == AREA_GENERIC || area == AREA_CLUSTER);
  return PTX_DECODED;
}

PtxResult
smb_ptx_decode_load(PtxDecoder *decoder) {
  return decode_ptx_access(decoder, TRUE);
}

PtxResult
smb_ptx_decode_store(PtxDecoder *decoder) {
  return decode_ptx_access(decoder, FALSE);
}

// --- atomics

// Which types each has (PTX ISA 9.0, atom and red, and what ptxas of CUDA 13.0 takes); of vectors: floating point.
static const struct {
  const char *name;
  Atomic atomic;
  const char *types, *vector_types;
} atomics[] = {
    {"add", ATOMIC_ADD, "u32 s32 u64 f32 f64 f16 f16x2 bf16 bf16x2", "f32 f16 f16x2 bf16 bf16x2"},
    {"exch", ATOMIC_EXCHANGE, "b32 b64 b128", ""},
    {"min", ATOMIC_MIN, "u32 s32 u64 s64", "f16 f16x2 bf16 bf16x2"},
    {"max", ATOMIC_MAX, "u32 s32 u64 s64", "f16 f16x2 bf16 bf16x2"},
    {"and", ATOMIC_AND, "b32 b64", ""},
    {"or", ATOMIC_OR, "b32 b64", ""},
    {"xor", ATOMIC_XOR, "b32 b64", ""},
    {"inc", ATOMIC_INCREMENT, "u32", ""},
    {"dec", ATOMIC_DECREMENT, "u32", ""},
    {"cas", ATOMIC_CAS, "b16 b32 b64 b128", ""},
};

Atomic
smb_ptx_named_atomic(const PtxDecoder *decoder, Atomic otherwise) {
  for (guint i = 0; i < G_N_ELEMENTS(atomics); i++)
    if (smb_ptx_has_part(decoder, atomics[i].name))
      return atomics[i].atomic;
  return otherwise;
}

// The type precedes or follows the operation.
static const PtxType *
find_access_type(const PtxDecoder *decoder) {
  const PtxType *type = NULL;
  for (guint i = 1; decoder->parts[i] && !type; i++)
    type = smb_ptx_type_named(decoder->parts[i]);
  return type;
}

// What it does and of what, one component; FALSE if there is no such atomic.
static gboolean
find_ptx_atomic(const PtxDecoder *decoder, gboolean has_result, AtomicAccess *access) {
  const PtxType *type = find_access_type(decoder);
  gboolean is_vector = find_vector(decoder) > 1;
  for (guint i = 0; i < G_N_ELEMENTS(atomics) && type; i++) {
    if (!smb_ptx_has_part(decoder, atomics[i].name))
      continue;
    const char *types = is_vector ? atomics[i].vector_types : atomics[i].types;
    gboolean swaps = atomics[i].atomic == ATOMIC_EXCHANGE || atomics[i].atomic == ATOMIC_CAS;
    access->atomic = atomics[i].atomic;
    access->kind = (SmbScalar)type->scalar;
    access->width = type->bytes;
    gboolean halves = access->kind == SMB_SCALAR_F16 || access->kind == SMB_SCALAR_BF16;
    return halves == smb_ptx_has_part(decoder, "noftz") && (has_result || !swaps) &&
           smb_ptx_is_among(type->name, types, ' ');
  }
  return FALSE;
}

// Whether nothing reads the result.
static gboolean
is_dropped(const PtxDecoder *decoder, const PtxOperand *result) {
  return result->kind == PTX_OPERAND_SINK ||
         (result->kind == PTX_OPERAND_REGISTER && decoder->current->reads[result->index] == 0);
}

// A component of an operand.
static gboolean
add_atomic_operand(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand) {
  Row row = smb_ptx_row(decoder, operand, transfer->bytes, TRUE);
  transfer->operands[transfer->n_components++] = row;
  return row != NO_ROW || smb_ptx_refuse(decoder, "expected a register or a number");
}

static gboolean
set_operands(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand, guint vector) {
  if (vector == 1 && operand->kind != PTX_OPERAND_VECTOR)
    return add_atomic_operand(decoder, transfer, operand);
  if (operand->kind != PTX_OPERAND_VECTOR || operand->n != vector)
    return smb_ptx_refuse(decoder, "expected a register or a number, or a vector of them");
  for (guint i = 0; i < vector; i++) {
    if (!add_atomic_operand(decoder, transfer, smb_ptx_element(decoder, operand, i)))
      return FALSE;
  }
  return TRUE;
}

// What was there before: the components of the result.
static gboolean
set_results(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *result) {
  gboolean is_vector = result->kind == PTX_OPERAND_VECTOR;
  if (is_vector && result->n != transfer->n_components)
    return smb_ptx_refuse(decoder, "expected a vector of %u registers", transfer->n_components);
  for (guint i = 0; i < transfer->n_components; i++) {
    const PtxOperand *one = is_vector ? smb_ptx_element(decoder, result, i) : result;
    if (one->kind == PTX_OPERAND_SINK)
      continue;
    gboolean fits = one->kind == PTX_OPERAND_REGISTER &&
                    smb_ptx_register_bytes(decoder, one) <= MAX(transfer->bytes, 8);
    transfer->data[i] = fits ? smb_ptx_row(decoder, one, transfer->bytes, FALSE) : NO_ROW;
    if (transfer->data[i] == NO_ROW)
      return smb_ptx_refuse(decoder, "expected a %u-bit register", 8 * transfer->bytes);
  }
  return TRUE;
}

// The third operand of atom.cas.
static gboolean
set_swap(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *swap) {
  transfer->swap = smb_ptx_row(decoder, swap, transfer->bytes, TRUE);
  return transfer->swap != NO_ROW || smb_ptx_refuse(decoder, "expected a register or a number");
}

// Vector atomics exist in global memory only.
static gboolean
check_width(PtxDecoder *decoder, PtxArea area, guint vector, guint width) {
  return (width <= SMB_MAX_WIDTH && (vector == 1 || area != AREA_SHARED)) ||
         smb_ptx_refuse(decoder, "there are no vector atomics of %u bytes%s", width,
                        area == AREA_SHARED ? " in shared memory" : "");
}

// atom d, [a], b{, c}; red [a], b. An atom with an unused result is a red.
PtxResult
smb_ptx_decode_atomic(PtxDecoder *decoder) {
  gboolean has_result = decoder->argument;
  PtxArea area = smb_ptx_area(decoder);
  guint vector = find_vector(decoder), at = has_result;
  const PtxOperand *result = has_result ? smb_ptx_operand(decoder, 0) : NULL;
  AtomicAccess access = {.is_used = result && !is_dropped(decoder, result)};
  if (!find_ptx_atomic(decoder, has_result, &access)) {
    if (area == AREA_GLOBAL)
      return PTX_UNKNOWN;
    smb_ptx_refuse(decoder, "there is no atomic with these types: '%s'", smb_ptx_opcode(decoder));
    return PTX_FAILED;
  }
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->bytes = access.width;
  transfer->rows = MAX(transfer->bytes, 4u) / 4;
  access.width *= vector;
  if (!check_width(decoder, area, vector, access.width) ||
      !smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, at), area) ||
      !set_operands(decoder, transfer, smb_ptx_operand(decoder, at + 1), vector) ||
      (access.atomic == ATOMIC_CAS &&
       !set_swap(decoder, transfer, smb_ptx_operand(decoder, at + 2))) ||
      (result && !set_results(decoder, transfer, result)))
    return PTX_FAILED;
  transfer->order = find_ptx_order(decoder);
  if (!access.is_used)
    transfer->data[0] = NO_ROW;
  // At a generic address it is an atomic like others, even if that is one of shared memory (an H200: ATOM.E.ADD).
  transfer->increments = area == AREA_SHARED && !access.is_used && access.atomic == ATOMIC_ADD &&
                         access.width == 4 &&
                         transfer->operands[0] == smb_ptx_constant(decoder, 1, 4);
  add_release(decoder);
  smb_build_atomic(&decoder->build, transfer, &access);
  return PTX_DECODED;
}

// st.async [to], value, …; red.async [to], value, …: the registers
gboolean
smb_ptx_set_async_value(PtxDecoder *decoder, const Transfer **value) {
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  const PtxOperand *operand = smb_ptx_operand(decoder, 1);
  guint vector = find_vector(decoder);
  AtomicAccess access;
  transfer->bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  if (strcmp(smb_ptx_name(decoder, decoder->instruction), "st") == 0) {
    *value = transfer;
    return set_ptx_data(decoder, transfer, operand, vector, FALSE);
  }
  if (!find_ptx_atomic(decoder, FALSE, &access))
    return smb_ptx_refuse(decoder, "there is no reduction with these types: '%s'",
                          smb_ptx_opcode(decoder));
  transfer->move = (Move){.op_class = SMB_OP_CLASS_ATOMIC,
                          .op = SMB_OP_ATOM,
                          .atomic = access.atomic,
                          .kind = access.kind,
                          .components = 1,
                          .width = access.width,
                          .align = access.width,
                          .reads = TRUE};
  *value = transfer;
  return set_operands(decoder, transfer, operand, 1);
}

// --- matrices

static gboolean
find_matrix(const PtxDecoder *decoder, gboolean loads, guint *values) {
  gboolean trans = smb_ptx_has_part(decoder, "trans");
  const char *type = smb_ptx_last_part(decoder);
  guint packed = strcmp(type, "b6x16_p32") == 0   ? MATRIX_OF_6
                 : strcmp(type, "b4x16_p64") == 0 ? MATRIX_OF_4
                                                  : 0;
  *values = trans ? MATRIX_TRANSPOSED : MATRIX_PLAIN;
  if (smb_ptx_has_part(decoder, "m8n8"))
    return strcmp(type, "b16") == 0;
  *values = (trans ? MATRIX_BYTES : MATRIX_PLAIN) | packed;
  if (!loads)
    return smb_ptx_has_part(decoder, "m16n8") && trans && strcmp(type, "b8") == 0;
  if (smb_ptx_has_part(decoder, "m16n16"))
    return trans && (packed || strcmp(type, "b8") == 0);
  return smb_ptx_has_part(decoder, "m8n16") && packed && !trans;
}

// How many registers there are: one for each matrix of 8 rows, two for one of 16.
static guint
count_matrices(const PtxDecoder *decoder) {
  guint n = smb_ptx_has_part(decoder, "x1")   ? 1
            : smb_ptx_has_part(decoder, "x2") ? 2
            : smb_ptx_has_part(decoder, "x4") ? 4
                                              : 0;
  return smb_ptx_has_part(decoder, "m16n16") ? 2 * n : n;
}

// ldmatrix d, [a]; stmatrix [a], d
PtxResult
smb_ptx_decode_matrix(PtxDecoder *decoder) {
  gboolean loads = decoder->argument;
  guint n = count_matrices(decoder);
  guint values;
  if (!find_matrix(decoder, loads, &values) || (n != 1 && n != 2 && n != 4))
    return PTX_UNKNOWN;
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->bytes = 4;
  if (!smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, loads ? 1 : 0),
                           smb_ptx_area(decoder)) ||
      !set_ptx_data(decoder, transfer, smb_ptx_operand(decoder, loads ? 0 : 1), n, loads))
    return PTX_FAILED;
  smb_build_matrix(&decoder->build, transfer, loads, n, values);
  return PTX_DECODED;
}

// --- copies

// How many bytes are copied where a predicate says whether the source is ignored: then zeros are.
static Row
ignore_source(PtxDecoder *decoder, const PtxOperand *predicate, guint bytes) {
  Compute compute = {.operation = OPERATION_SELECT_32,
                     .d = smb_code_new_rows(decoder->code, 1),
                     .s = {smb_ptx_constant(decoder, 0, 4), smb_ptx_constant(decoder, bytes, 4)},
                     .in = {smb_ptx_predicate(decoder, predicate)},
                     .modifiers = predicate->is_negated ? MODIFIER_NOT_IN : 0};
  smb_ptx_add_compute(decoder, &compute);
  return compute.d;
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes | whether the source is ignored}{, cache policy}
// The optional operand: the number of bytes to copy, or a predicate that ignores the source.
static gboolean
set_source(PtxDecoder *decoder, Transfer *from, const PtxOperand *some, guint bytes) {
  gboolean is_register = some->kind == PTX_OPERAND_REGISTER;
  if (is_register)
    from->copying = COPYING_EITHER;
  from->data[0] = is_register && smb_ptx_register_bytes(decoder, some) == 0
                      ? ignore_source(decoder, some, bytes)
                      : smb_ptx_row(decoder, some, 4, FALSE);
  return from->data[0] != NO_ROW ||
         smb_ptx_refuse(decoder, "expected the number of bytes to read from the source");
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes | whether the source is ignored}{, cache policy}
PtxResult
smb_ptx_decode_copy(PtxDecoder *decoder) {
  gboolean policy = smb_ptx_has_part(decoder, "L2::cache_hint");
  const PtxOperand *size = smb_ptx_operand(decoder, 2);
  if (size->kind != PTX_OPERAND_INTEGER || (size->bits != 4 && size->bits != 8 && size->bits != 16))
    return smb_ptx_wants(decoder, "4, 8 or 16 bytes to copy");
  guint bytes = (guint)size->bits;
  Transfer *to = smb_code_new_transfer(decoder->code), *from = smb_code_new_transfer(decoder->code);
  if (!smb_ptx_set_address(decoder, to, smb_ptx_operand(decoder, 0), AREA_SHARED) ||
      !smb_ptx_set_address(decoder, from, smb_ptx_operand(decoder, 1), AREA_GLOBAL) ||
      (decoder->instruction->n_operands - policy > 3 &&
       !set_source(decoder, from, smb_ptx_operand(decoder, 3), bytes)))
    return PTX_FAILED;
  smb_build_copy(&decoder->build, to, from, bytes, smb_ptx_has_part(decoder, "cg"));
  return PTX_DECODED;
}
