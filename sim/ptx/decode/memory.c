// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that touch memory: which space, how wide, which registers.
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

static PtxArea
find_area(const PtxDecoder *decoder) {
  for (guint i = 0; decoder->parts[i]; i++) {
    for (guint a = 0; a < G_N_ELEMENTS(areas); a++) {
      if (strcmp(decoder->parts[i], areas[a].name) == 0)
        return areas[a].area;
    }
  }
  return AREA_GENERIC;
}

static guint
find_vector(const PtxDecoder *decoder) {
  return smb_ptx_has_part(decoder, "v2")   ? 2
         : smb_ptx_has_part(decoder, "v4") ? 4
         : smb_ptx_has_part(decoder, "v8") ? 8
                                           : 1;
}

// What stands in brackets.
gboolean
smb_ptx_set_address(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand,
                    PtxArea area) {
  if (operand->kind != PTX_OPERAND_ADDRESS || operand->n != 1)
    return smb_ptx_refuse(decoder, "expected an address");
  const PtxOperand *base = smb_ptx_element(decoder, operand, 0);
  transfer->is_generic = area == AREA_GENERIC;
  transfer->is_cluster = area == AREA_CLUSTER;
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
    return smb_ptx_refuse(decoder, "an address has 4 or 8 bytes");
  transfer->address = smb_ptx_register_row(decoder, base);
  if (transfer->address == NO_ROW)
    return smb_ptx_refuse(decoder, "expected a register that is no vector");
  transfer->address_rows = bytes / 4;
  if (area == AREA_LOCAL && bytes == 4)
    transfer->window = WINDOW_LOCAL;
  return TRUE;
}

// One component: a register, a constant that is stored, or nothing.
static gboolean
set_component(PtxDecoder *decoder, Transfer *transfer, Step *step, const PtxOperand *operand,
              gboolean loads) {
  guint c = transfer->n_components++, bytes = transfer->bytes;
  if (loads && operand->kind == PTX_OPERAND_SINK)
    return TRUE;
  if (loads && operand->kind != PTX_OPERAND_REGISTER)
    return smb_ptx_refuse(decoder, "expected a register");
  if (operand->kind == PTX_OPERAND_REGISTER) {
    guint has = smb_ptx_register_bytes(decoder, operand), rows = MAX(has, 4u) / 4;
    if (has < bytes)
      return smb_ptx_refuse(decoder, "register '%s' has too few bits for this",
                            smb_ptx_register(decoder, operand)->name);
    if ((has > 8 && bytes <= 8) || (transfer->rows && rows != transfer->rows))
      return smb_ptx_refuse(decoder, "register '%s' does not have the bits for this",
                            smb_ptx_register(decoder, operand)->name);
    transfer->rows = rows;
  }
  transfer->data[c] = smb_ptx_row(decoder, operand, bytes, TRUE);
  if (transfer->data[c] == NO_ROW)
    return smb_ptx_refuse(decoder, "expected a register or a number");
  if (loads)
    smb_code_writes_row(decoder->code, step, transfer->data[c], transfer->rows);
  return TRUE;
}

static gboolean
set_data(PtxDecoder *decoder, Transfer *transfer, Step *step, const PtxOperand *operand,
         guint vector, gboolean loads) {
  if (vector == 1 && operand->kind != PTX_OPERAND_VECTOR)
    return set_component(decoder, transfer, step, operand, loads);
  if (operand->kind != PTX_OPERAND_VECTOR || operand->n != vector)
    return smb_ptx_refuse(decoder, "expected a vector of %u registers", vector);
  for (guint i = 0; i < vector; i++) {
    if (!set_component(decoder, transfer, step, smb_ptx_element(decoder, operand, i), loads))
      return FALSE;
  }
  return TRUE;
}

static void
set_move(PtxDecoder *decoder, Transfer *transfer, SmbOpClass op_class, SmbOp op, guint width) {
  Move *move = &transfer->move;
  move->place = decoder->instruction->offset;
  move->op_class = op_class;
  move->op = op;
  move->width = width;
  move->align = width & -width;
  move->kind = SMB_SCALAR_U32;
  move->components = 1;
  move->reads = op_class != SMB_OP_CLASS_STORE;
  move->site = smb_ptx_add_site(decoder, op_class, width);
}

static MemoryOrder
find_order(const PtxDecoder *decoder) {
  gboolean acquires = smb_ptx_has_part(decoder, "acquire") || smb_ptx_has_part(decoder, "acq_rel");
  if (!acquires && !smb_ptx_has_part(decoder, "volatile") &&
      !smb_ptx_has_part(decoder, "relaxed") && !smb_ptx_has_part(decoder, "mmio"))
    return ORDER_WEAK;
  if (smb_ptx_has_part(decoder, "cta"))
    return ORDER_BLOCK;
  return acquires ? ORDER_ACQUIRE : ORDER_STRONG;
}

static PtxResult
decode_load_store(PtxDecoder *decoder, gboolean loads) {
  PtxArea area = find_area(decoder);
  const char *type = smb_ptx_last_part(decoder);
  guint bytes = smb_ptx_type_bytes(type), vector = find_vector(decoder);
  gboolean is_wide = area == AREA_GENERIC || area == AREA_GLOBAL;
  if (bytes == 0 || bytes * vector > (is_wide && bytes < 16 ? MAX_MOVE_BYTES : SMB_MAX_WIDTH))
    return PTX_UNKNOWN;
  Step step = smb_ptx_step(decoder, loads ? STEP_LOAD : STEP_STORE);
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->bytes = bytes;
  transfer->is_signed = type[0] == 's';
  transfer->order = find_order(decoder);
  const PtxOperand *data = smb_ptx_operand(decoder, loads ? 0 : 1);
  const PtxOperand *address = smb_ptx_operand(decoder, loads ? 1 : 0);
  if (!smb_ptx_set_address(decoder, transfer, address, area) ||
      !set_data(decoder, transfer, &step, data, vector, loads))
    return PTX_FAILED;
  gboolean generic = area == AREA_GENERIC || area == AREA_CLUSTER;
  set_move(decoder, transfer, loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE,
           loads     ? generic ? SMB_OP_LD_GENERIC : SMB_OP_LD
           : generic ? SMB_OP_ST_GENERIC
                     : SMB_OP_ST,
           bytes * vector);
  if (loads && (area == AREA_CONSTANT || area == AREA_PARAMETER) && transfer->address_rows > 0)
    transfer->move.constant_bytes = smb_constant_bytes(bytes, vector);
  step.transfer = transfer;
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// Which types each has (PTX ISA 9.0, atom and red, and what ptxas of CUDA 13.0 takes); of vectors: floating point.
static const struct {
  const char *name;
  Atomic atomic;
  const char *types, *vector_types;
} atomics[] = {
    {"add", ATOMIC_ADD, " u32 s32 u64 f32 f64 f16 f16x2 bf16 bf16x2 ",
     " f32 f16 f16x2 bf16 bf16x2 "},
    {"exch", ATOMIC_EXCHANGE, " b32 b64 b128 ", ""},
    {"min", ATOMIC_MIN, " u32 s32 u64 s64 ", " f16 f16x2 bf16 bf16x2 "},
    {"max", ATOMIC_MAX, " u32 s32 u64 s64 ", " f16 f16x2 bf16 bf16x2 "},
    {"and", ATOMIC_AND, " b32 b64 ", ""},
    {"or", ATOMIC_OR, " b32 b64 ", ""},
    {"xor", ATOMIC_XOR, " b32 b64 ", ""},
    {"inc", ATOMIC_INCREMENT, " u32 ", ""},
    {"dec", ATOMIC_DECREMENT, " u32 ", ""},
    {"cas", ATOMIC_CAS, " b16 b32 b64 b128 ", ""},
};

static const struct {
  const char *name;
  SmbScalar scalar;
} atomic_types[] = {
    {"u32", SMB_SCALAR_U32},     {"b32", SMB_SCALAR_U32},   {"s32", SMB_SCALAR_I32},
    {"u64", SMB_SCALAR_U64},     {"b64", SMB_SCALAR_U64},   {"s64", SMB_SCALAR_I64},
    {"f32", SMB_SCALAR_F32},     {"f64", SMB_SCALAR_F64},   {"f16", SMB_SCALAR_F16},
    {"b16", SMB_SCALAR_U16},     {"bf16", SMB_SCALAR_BF16}, {"f16x2", SMB_SCALAR_F16},
    {"bf16x2", SMB_SCALAR_BF16}, {"b128", SMB_SCALAR_U64},
};

// The type is behind the operation, or before it.
static const char *
find_atomic_type(const PtxDecoder *decoder, SmbScalar *scalar) {
  for (guint i = 0; i < G_N_ELEMENTS(atomic_types); i++) {
    if (!smb_ptx_has_part(decoder, atomic_types[i].name))
      continue;
    *scalar = atomic_types[i].scalar;
    return atomic_types[i].name;
  }
  return NULL;
}

// What it does and of what; FALSE if there is no such atomic.
static gboolean
find_atomic(const PtxDecoder *decoder, gboolean has_result, Move *move, const char **type) {
  gboolean is_vector = find_vector(decoder) > 1;
  *type = find_atomic_type(decoder, &move->kind);
  for (guint i = 0; i < G_N_ELEMENTS(atomics) && *type; i++) {
    if (!smb_ptx_has_part(decoder, atomics[i].name))
      continue;
    g_autofree char *word = g_strdup_printf(" %s ", *type);
    gboolean swaps = atomics[i].atomic == ATOMIC_EXCHANGE || atomics[i].atomic == ATOMIC_CAS;
    move->atomic = atomics[i].atomic;
    gboolean halves = move->kind == SMB_SCALAR_F16 || move->kind == SMB_SCALAR_BF16;
    if (halves != smb_ptx_has_part(decoder, "noftz"))
      break;
    if ((has_result || !swaps) &&
        strstr(is_vector ? atomics[i].vector_types : atomics[i].types, word))
      return TRUE;
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
add_operand(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand) {
  Row row = smb_ptx_row(decoder, operand, transfer->bytes, TRUE);
  transfer->operands[transfer->n_components++] = row;
  return row != NO_ROW || smb_ptx_refuse(decoder, "expected a register or a number");
}

static gboolean
set_operands(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand, guint vector) {
  if (vector == 1 && operand->kind != PTX_OPERAND_VECTOR)
    return add_operand(decoder, transfer, operand);
  if (operand->kind != PTX_OPERAND_VECTOR || operand->n != vector)
    return smb_ptx_refuse(decoder, "expected a register or a number, or a vector of them");
  for (guint i = 0; i < vector; i++) {
    if (!add_operand(decoder, transfer, smb_ptx_element(decoder, operand, i)))
      return FALSE;
  }
  return TRUE;
}

// What was there before: the components of the result.
static gboolean
set_results(PtxDecoder *decoder, Transfer *transfer, Step *step, const PtxOperand *result) {
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
      return smb_ptx_refuse(decoder, "expected a register of %u bits", 8 * transfer->bytes);
    smb_code_writes_row(decoder->code, step, transfer->data[i], transfer->rows);
  }
  return TRUE;
}

static gboolean
set_swap(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *swap) {
  transfer->swap = smb_ptx_row(decoder, swap, transfer->bytes, TRUE);
  return transfer->swap != NO_ROW || smb_ptx_refuse(decoder, "expected a register or a number");
}

static PtxResult
decode_atomic(PtxDecoder *decoder, gboolean has_result) {
  PtxArea area = find_area(decoder);
  guint vector = find_vector(decoder), at = has_result;
  const char *type;
  Move kinds = {0};
  if (!find_atomic(decoder, has_result, &kinds, &type)) {
    if (area == AREA_GLOBAL)
      return PTX_UNKNOWN;
    smb_ptx_refuse(decoder, "there is no atomic with these types: '%s'", smb_ptx_opcode(decoder));
    return PTX_FAILED;
  }
  Step step = smb_ptx_step(decoder, STEP_ATOMIC);
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->bytes = smb_ptx_type_bytes(type);
  transfer->rows = MAX(transfer->bytes, 4u) / 4;
  guint width = transfer->bytes * vector;
  const PtxOperand *result = has_result ? smb_ptx_operand(decoder, 0) : NULL;
  if (width > SMB_MAX_WIDTH || (vector > 1 && area == AREA_SHARED)) {
    smb_ptx_refuse(decoder, "there are no atomics on vectors of %u bytes%s", width,
                   area == AREA_SHARED ? " in shared memory" : "");
    return PTX_FAILED;
  }
  if (!smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, at), area) ||
      !set_operands(decoder, transfer, smb_ptx_operand(decoder, at + 1), vector) ||
      (kinds.atomic == ATOMIC_CAS &&
       !set_swap(decoder, transfer, smb_ptx_operand(decoder, at + 2))) ||
      (result && !set_results(decoder, transfer, &step, result)))
    return PTX_FAILED;
  set_move(decoder, transfer, SMB_OP_CLASS_ATOMIC, SMB_OP_ATOM, width);
  transfer->move.atomic = kinds.atomic;
  transfer->move.kind = kinds.kind;
  transfer->move.components = width / (guint)smb_scalar_bytes(kinds.kind);
  transfer->order = find_order(decoder);
  gboolean unused = !result || is_dropped(decoder, result);
  transfer->data[0] = unused ? NO_ROW : transfer->data[0];
  transfer->move.reads = !unused || kinds.atomic != ATOMIC_EXCHANGE;
  transfer->increments = unused && kinds.atomic == ATOMIC_ADD && width == 4 &&
                         transfer->operands[0] == smb_ptx_constant(decoder, 1, 4);
  step.transfer = transfer;
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// Of numbers of 8 bits and fewer only the requests are modelled: rows of 16 bytes as of those of 16 bits.
static gboolean
find_matrix(const PtxDecoder *decoder, gboolean loads, MatrixValues *values) {
  gboolean trans = smb_ptx_has_part(decoder, "trans");
  const char *type = smb_ptx_last_part(decoder);
  gboolean packed = strcmp(type, "b6x16_p32") == 0 || strcmp(type, "b4x16_p64") == 0;
  *values = trans ? MATRIX_TRANSPOSED : MATRIX_PLAIN;
  if (smb_ptx_has_part(decoder, "m8n8"))
    return strcmp(type, "b16") == 0;
  *values = MATRIX_UNKNOWN;
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

static PtxResult
decode_matrix(PtxDecoder *decoder, gboolean loads) {
  static const struct {
    guint n;
    SmbOp load, store;
  } counts[] = {{1, SMB_OP_LDMATRIX_X1, SMB_OP_STMATRIX_X1},
                {2, SMB_OP_LDMATRIX_X2, SMB_OP_STMATRIX_X2},
                {4, SMB_OP_LDMATRIX_X4, SMB_OP_STMATRIX_X4}};
  MatrixValues values;
  if (!find_matrix(decoder, loads, &values))
    return PTX_UNKNOWN;
  PtxArea area = find_area(decoder);
  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    if (count_matrices(decoder) != counts[i].n)
      continue;
    Step step = smb_ptx_step(decoder, loads ? STEP_LOAD_MATRIX : STEP_STORE_MATRIX);
    Transfer *transfer = smb_code_new_transfer(decoder->code);
    transfer->bytes = 4;
    if (!smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, loads ? 1 : 0), area) ||
        !set_data(decoder, transfer, &step, smb_ptx_operand(decoder, loads ? 0 : 1), counts[i].n,
                  loads))
      return PTX_FAILED;
    set_move(decoder, transfer, loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE,
             loads ? counts[i].load : counts[i].store, SMB_MAX_WIDTH);
    step.argument = values;
    step.transfer = transfer;
    smb_code_add(decoder->code, &step);
    return PTX_DECODED;
  }
  return PTX_UNKNOWN;
}

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
static PtxResult
decode_copy(PtxDecoder *decoder) {
  gboolean through = smb_ptx_has_part(decoder, "cg");
  if (!through && !smb_ptx_has_part(decoder, "ca"))
    return PTX_UNKNOWN;
  gboolean policy = smb_ptx_has_part(decoder, "L2::cache_hint");
  gboolean has_some = decoder->instruction->n_operands - policy > 3;
  const PtxOperand *size = smb_ptx_operand(decoder, 2);
  const PtxOperand *some = has_some ? smb_ptx_operand(decoder, 3) : NULL;
  if (size->kind != PTX_OPERAND_INTEGER ||
      (size->bits != 4 && size->bits != 8 && size->bits != 16)) {
    smb_ptx_refuse(decoder, "expected 4, 8 or 16 bytes to copy");
    return PTX_FAILED;
  }
  guint bytes = (guint)size->bits;
  Step step = smb_ptx_step(decoder, STEP_COPY);
  Transfer *to = smb_code_new_transfer(decoder->code), *from = smb_code_new_transfer(decoder->code);
  if (!smb_ptx_set_address(decoder, to, smb_ptx_operand(decoder, 0), AREA_SHARED) ||
      !smb_ptx_set_address(decoder, from, smb_ptx_operand(decoder, 1), AREA_GLOBAL))
    return PTX_FAILED;
  if (some && some->kind == PTX_OPERAND_REGISTER)
    from->copying = COPYING_EITHER;
  if (some && some->kind == PTX_OPERAND_REGISTER && smb_ptx_register_bytes(decoder, some) == 0)
    from->data[0] = ignore_source(decoder, some, bytes);
  else if (some)
    from->data[0] = smb_ptx_row(decoder, some, 4, FALSE);
  if (some && from->data[0] == NO_ROW) {
    smb_ptx_refuse(decoder, "expected how many bytes come from the source");
    return PTX_FAILED;
  }
  set_move(decoder, to, SMB_OP_CLASS_STORE, through ? SMB_OP_CP_ASYNC_CG : SMB_OP_CP_ASYNC_CA,
           bytes);
  set_move(decoder, from, SMB_OP_CLASS_LOAD, SMB_OP_LD, bytes);
  step.transfer = to;
  step.source = from;
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

PtxResult
smb_ptx_decode_memory(PtxDecoder *decoder) {
  const char *name = decoder->parts[0];
  if (strcmp(name, "ld") == 0 || strcmp(name, "ldu") == 0)
    return decode_load_store(decoder, TRUE);
  if (strcmp(name, "st") == 0 && !smb_ptx_has_part(decoder, "async") &&
      !smb_ptx_has_part(decoder, "bulk"))
    return decode_load_store(decoder, FALSE);
  if (strcmp(name, "atom") == 0)
    return decode_atomic(decoder, TRUE);
  if (strcmp(name, "red") == 0 && !smb_ptx_has_part(decoder, "async"))
    return decode_atomic(decoder, FALSE);
  if (strcmp(name, "ldmatrix") == 0)
    return decode_matrix(decoder, TRUE);
  if (strcmp(name, "stmatrix") == 0)
    return decode_matrix(decoder, FALSE);
  if (strcmp(name, "cp") == 0 && smb_ptx_has_part(decoder, "async") &&
      !smb_ptx_has_part(decoder, "bulk"))
    return decode_copy(decoder);
  return PTX_UNKNOWN;
}
