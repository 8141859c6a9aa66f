// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operands: registers, literals, special registers and addresses, as rows.
#include <string.h>

#include "sim/ptx/decode/decode.h"

static const PtxOperand no_operand = {.kind = PTX_OPERAND_NONE, .text = ""};

// An operand that does not exist is PTX_OPERAND_NONE, which no handler accepts.
static const PtxOperand *
get_operand(const PtxDecoder *decoder, guint64 at) {
  const GArray *operands = decoder->current->function->operands;
  return at < operands->len ? &g_array_index(operands, PtxOperand, at) : &no_operand;
}

const PtxOperand *
smb_ptx_operand(const PtxDecoder *decoder, guint index) {
  return smb_ptx_has_operand(decoder, index)
             ? get_operand(decoder, (guint64)decoder->instruction->operand + index)
             : &no_operand;
}

const PtxOperand *
smb_ptx_partner(const PtxDecoder *decoder) {
  return get_operand(decoder, decoder->instruction->partner);
}

const PtxOperand *
smb_ptx_element(const PtxDecoder *decoder, const PtxOperand *operand, guint index) {
  return index < operand->n ? get_operand(decoder, (guint64)operand->index + index) : &no_operand;
}

const PtxRegister *
smb_ptx_register(const PtxDecoder *decoder, const PtxOperand *operand) {
  const GArray *registers = decoder->current->function->registers;
  gboolean is_register = operand->kind == PTX_OPERAND_REGISTER && operand->index < registers->len;
  return is_register ? &g_array_index(registers, PtxRegister, operand->index) : NULL;
}

guint
smb_ptx_register_bytes(const PtxDecoder *decoder, const PtxOperand *operand) {
  const PtxRegister *named = smb_ptx_register(decoder, operand);
  return named ? smb_ptx_type_bytes(named->type) : 0;
}

guint
smb_ptx_register_rows(const PtxRegister *named) {
  return MAX(smb_ptx_type_bytes(named->type), 4u) / 4 * named->vector;
}

// A scalar register has no component, and a vector register needs one.
Row
smb_ptx_register_row(const PtxDecoder *decoder, const PtxOperand *operand) {
  const PtxRegister *named = smb_ptx_register(decoder, operand);
  if (!named)
    return NO_ROW;
  Row first = decoder->current->rows[operand->index];
  if (named->vector == 1)
    return operand->component ? NO_ROW : first;
  if (operand->component == 0 || operand->component > named->vector)
    return NO_ROW;
  return first + smb_ptx_register_rows(named) / named->vector * (operand->component - 1u);
}

Row
smb_ptx_constant(PtxDecoder *decoder, guint64 bits, guint bytes) {
  if (bytes < 8)
    bits &= (G_GUINT64_CONSTANT(1) << (8 * bytes)) - 1;
  return smb_constants_add(decoder->code->constants, bits, MAX(bytes, 4u) / 4);
}

// The bits of a literal in a register of so many bytes; @is_real: it is a floating-point number there.
static guint64
literal_bits(const PtxOperand *operand, guint bytes, gboolean is_real) {
  gboolean is_single = operand->kind == PTX_OPERAND_SINGLE;
  if (operand->kind == PTX_OPERAND_INTEGER || !is_real || (is_single && bytes == 4) ||
      (!is_single && bytes == 8))
    return operand->bits;
  double number;
  float single;
  guint32 low = (guint32)operand->bits;
  memcpy(&number, &operand->bits, sizeof number);
  memcpy(&single, &low, sizeof single);
  guchar encoded[8] = {0};
  guint64 bits = 0;
  smb_scalar_encode_real(bytes == 8   ? SMB_SCALAR_F64
                         : bytes == 4 ? SMB_SCALAR_F32
                                      : SMB_SCALAR_F16,
                         is_single ? (double)single : number, encoded);
  memcpy(&bits, encoded, bytes);
  return bits;
}

// @has_axes: one along each axis, "%tid.x" and so on.
static const struct {
  const char *name;
  Special special;
  gboolean has_axes;
} specials[] = {
    {"%tid", SPECIAL_TID, TRUE},
    {"%ntid", SPECIAL_NTID, TRUE},
    {"%ctaid", SPECIAL_CTAID, TRUE},
    {"%nctaid", SPECIAL_NCTAID, TRUE},
    {"%clusterid", SPECIAL_CLUSTERID, TRUE},
    {"%nclusterid", SPECIAL_NCLUSTERID, TRUE},
    {"%cluster_ctaid", SPECIAL_CLUSTER_CTAID, TRUE},
    {"%cluster_nctaid", SPECIAL_CLUSTER_NCTAID, TRUE},
    {"%cluster_ctarank", SPECIAL_CLUSTER_RANK, FALSE},
    {"%cluster_nctarank", SPECIAL_CLUSTER_BLOCKS, FALSE},
    {"%is_explicit_cluster", SPECIAL_IS_CLUSTER, FALSE},
    {"%laneid", SPECIAL_LANE, FALSE},
    {"%warpid", SPECIAL_WARP, FALSE},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_BYTES, FALSE},
    {"%total_smem_size", SPECIAL_SHARED_BYTES, FALSE},
    {"%current_graph_exec", SPECIAL_GRAPH, FALSE},
};

// Whether the launch decides the value of a special register (section 10), and which one it is.
static gboolean
find_launched(const char *name, Special *special) {
  for (guint i = 0; i < G_N_ELEMENTS(specials); i++) {
    gsize length = strlen(specials[i].name);
    if (strncmp(name, specials[i].name, length) != 0)
      continue;
    const char *axis = specials[i].has_axes ? name + length : ".x";
    if (!specials[i].has_axes && name[length])
      continue;
    if (axis[0] != '.' || axis[1] < 'x' || axis[1] > 'z' || axis[2])
      continue;
    *special = specials[i].special + (guint)(axis[1] - 'x');
    return TRUE;
  }
  return FALSE;
}

// Registers that hold the same in all threads of any launch.
static const struct {
  const char *name;
  guint32 value;
} fixed[] = {
    {"WARP_SZ", SMB_NVIDIA_LANES}, {"%tid.w", 0}, {"%ctaid.w", 0}, {"%ntid.w", 1}, {"%nctaid.w", 1},
};

// %lanemask_lt and the like: for each lane the mask of the lanes below it, and so on (sections 10.14 to 10.18).
static gboolean
find_lane_mask_values(const char *name, guint n_lanes, guint32 *values) {
  const char *relation = g_str_has_prefix(name, "%lanemask_") ? name + strlen("%lanemask_") : "";
  for (guint lane = 0; lane < n_lanes; lane++) {
    guint32 self = 1u << (lane % 32), below = self - 1;
    values[lane] = strcmp(relation, "lt") == 0   ? below
                   : strcmp(relation, "le") == 0 ? below | self
                   : strcmp(relation, "eq") == 0 ? self
                   : strcmp(relation, "gt") == 0 ? ~(below | self)
                                                 : ~below;
  }
  return strlen(relation) == 2;
}

// A constant that differs by lane, in one row, or in two with zeros.
static Row
lane_constant(PtxDecoder *decoder, const guint32 *values, guint bytes) {
  static const guint32 zeros[SMB_MAX_LANES];
  Row row = smb_constants_add_lanes(decoder->code->constants, values);
  if (bytes > 4)
    smb_constants_add_lanes(decoder->code->constants, zeros);
  return row;
}

// Where the part of shared memory that the system reserves lies. The driver decides its end and size.
static gboolean
is_reserved_offset_name(const char *name) {
  static const char *const names[] = {"%reserved_smem_offset_begin", "%reserved_smem_offset_0",
                                      "%reserved_smem_offset_1", NULL};
  return g_strv_contains(names, name);
}

// What a launch that is run for its results finds in a clock, whose row is @row: the low word, and the high one behind it.
static Row
add_ptx_clock(PtxDecoder *decoder, const char *name, Row row) {
  gboolean is_high = g_str_has_suffix(name, "_hi");
  if (!g_str_has_prefix(name, "%clock") && !g_str_has_prefix(name, "%globaltimer"))
    return row;
  for (guint i = is_high; i < 2; i++) {
    Step step = smb_build_step(&decoder->build, STEP_CLOCK);
    step.argument = i;
    step.compute.d = row + i - is_high;
    smb_code_add(decoder->code, &step);
  }
  return row;
}

// The row of a special register. The clock and others like it get a row that is never written, so nothing is known of
// their value.
static Row
special_row(PtxDecoder *decoder, const char *name, guint bytes) {
  guint32 values[SMB_MAX_LANES];
  gpointer known;
  if (g_hash_table_lookup_extended(decoder->specials, name, NULL, &known))
    return add_ptx_clock(decoder, name, GPOINTER_TO_UINT(known));
  for (guint i = 0; i < G_N_ELEMENTS(fixed); i++) {
    if (strcmp(fixed[i].name, name) == 0)
      return smb_ptx_constant(decoder, fixed[i].value, bytes);
  }
  if (strcmp(name, "%envreg1") == 0 || strcmp(name, "%envreg2") == 0)
    return smb_ptx_constant(
        decoder, make_pointer(REGION_GRID, 0) >> (name[7] == '1' ? 32 : 0) & G_MAXUINT32, bytes);
  if (is_reserved_offset_name(name)) {
    decoder->program->reaches_reserved = TRUE;
    return smb_ptx_constant(decoder, -CODE_RESERVED_BYTES, bytes);
  }
  if (find_lane_mask_values(name, decoder->program->lanes, values))
    return lane_constant(decoder, values, bytes);
  Preset preset = {.row = smb_code_new_rows(decoder->code, 2)};
  if (find_launched(name, &preset.special))
    g_array_append_val(decoder->code->presets, preset);
  if (preset.special == SPECIAL_GRAPH) { // of 64 bits
    const Preset high = {.special = SPECIAL_GRAPH_HIGH, .row = preset.row + 1};
    g_array_append_val(decoder->code->presets, high);
  }
  g_hash_table_insert(decoder->specials, (gpointer)name, GUINT_TO_POINTER(preset.row));
  return add_ptx_clock(decoder, name, preset.row);
}

// The address of a variable of the kernel in local memory or among its parameters, or of a function's variable that all
// calls share.
static gboolean
local_address(const PtxDecoder *decoder, const PtxOperand *operand, guint64 *address) {
  const PtxDecoded *current = decoder->current;
  guint region = REGION_LOCAL;
  guint64 at = 0;
  switch ((PtxWhere)operand->where) {
  case PTX_WHERE_LOCAL: {
    const PtxVariable *variable =
        &g_array_index(current->function->variables, PtxVariable, operand->index);
    if (strcmp(variable->space, "shared") == 0) {
      *address = current->locals[operand->index];
      return TRUE;
    }
    at = current->locals[operand->index];
    if (strcmp(variable->space, "local") != 0 && strcmp(variable->space, "param") != 0) {
      *address = make_pointer((guint)at, 0);
      return TRUE;
    }
    break;
  }
  case PTX_WHERE_PARAMETER:
    at = current->parameters[operand->index];
    region = REGION_PARAMETERS;
    break;
  case PTX_WHERE_RETURN:
  case PTX_WHERE_MODULE:
  case PTX_WHERE_FUNCTION:
    return FALSE;
  }
  *address = make_pointer(region, (gint64)at);
  return TRUE;
}

gboolean
smb_ptx_address(const PtxDecoder *decoder, const PtxOperand *operand, guint64 *address) {
  if (operand->kind != PTX_OPERAND_SYMBOL || operand->where == PTX_WHERE_FUNCTION ||
      smb_ptx_in_frame(decoder, operand, address))
    return FALSE;
  if (operand->where == PTX_WHERE_MODULE) {
    const PtxVariable *variable =
        &g_array_index(decoder->module->variables, PtxVariable, operand->index);
    gboolean is_shared = strcmp(variable->space, "shared") == 0;
    if (!is_shared && strcmp(variable->space, "global") != 0 &&
        strcmp(variable->space, "const") != 0)
      return FALSE;
    *address = is_shared ? decoder->shared[operand->index]
                         : smb_ptx_variable_address(decoder, operand->index);
  } else if (!local_address(decoder, operand, address))
    return FALSE;
  *address += operand->bits;
  return TRUE;
}

static gboolean
is_shared_symbol(const PtxDecoder *decoder, const PtxOperand *symbol) {
  const GArray *variables = symbol->where == PTX_WHERE_MODULE ? decoder->module->variables
                            : symbol->where == PTX_WHERE_LOCAL
                                ? decoder->current->function->variables
                                : NULL;
  return variables &&
         strcmp(g_array_index(variables, PtxVariable, symbol->index).space, "shared") == 0;
}

// The address of a variable. In a kernel whose blocks reach the memory of each other, one in shared memory has the block's rank, so that
// it means the same memory in all blocks of the cluster.
static Row
address_row(PtxDecoder *decoder, const PtxOperand *symbol, guint64 address, guint bytes) {
  gpointer known;
  if (!decoder->code->carries_rank || !is_shared_symbol(decoder, symbol))
    return smb_ptx_constant(decoder, address, bytes);
  g_autofree char *text = g_strdup_printf("shared+%" G_GUINT64_FORMAT, address);
  const char *name = g_string_chunk_insert_const(decoder->module->strings, text);
  if (g_hash_table_lookup_extended(decoder->specials, name, NULL, &known))
    return GPOINTER_TO_UINT(known);
  const Preset low = {.special = SPECIAL_OWN_SHARED,
                      .argument = (guint32)address,
                      .row = smb_code_new_rows(decoder->code, 2)};
  const Preset high = {.special = SPECIAL_NUMBER, .row = low.row + 1};
  g_array_append_val(decoder->code->presets, low);
  g_array_append_val(decoder->code->presets, high);
  g_hash_table_insert(decoder->specials, (gpointer)name, GUINT_TO_POINTER(low.row));
  return low.row;
}

// Literals and addresses become constants. What has no row, such as a vector, is NO_ROW.
Row
smb_ptx_row(PtxDecoder *decoder, const PtxOperand *operand, guint bytes, gboolean is_real) {
  guint64 address;
  if (bytes > 8 && operand->kind != PTX_OPERAND_REGISTER)
    return NO_ROW;
  switch ((PtxOperandKind)operand->kind) {
  case PTX_OPERAND_REGISTER:
    if (operand->is_negated || smb_ptx_register_bytes(decoder, operand) < bytes ||
        smb_ptx_register_bytes(decoder, operand) == 0)
      return NO_ROW;
    return smb_ptx_register_row(decoder, operand);
  case PTX_OPERAND_SPECIAL:
    return special_row(decoder, operand->text, bytes);
  case PTX_OPERAND_INTEGER:
  case PTX_OPERAND_SINGLE:
  case PTX_OPERAND_DOUBLE:
    return smb_ptx_constant(decoder, literal_bits(operand, bytes, is_real), bytes);
  case PTX_OPERAND_SYMBOL:
    if (smb_ptx_in_frame(decoder, operand, &address))
      return smb_ptx_frame_row(decoder, address, bytes);
    if (operand->where == PTX_WHERE_FUNCTION)
      return bytes == 8 ? smb_ptx_constant(decoder, smb_ptx_function_address(operand->index), 8)
                        : NO_ROW;
    return smb_ptx_address(decoder, operand, &address)
               ? address_row(decoder, operand, address, bytes)
               : NO_ROW;
  case PTX_OPERAND_LABEL:
  case PTX_OPERAND_ADDRESS:
  case PTX_OPERAND_VECTOR:
  case PTX_OPERAND_LIST:
  case PTX_OPERAND_SINK:
  case PTX_OPERAND_NONE:
    return NO_ROW;
  }
  g_assert_not_reached();
}

gboolean
smb_ptx_is_predicate(const PtxDecoder *decoder, const PtxOperand *operand) {
  return smb_ptx_register(decoder, operand) && smb_ptx_register_bytes(decoder, operand) == 0;
}

Predicate
smb_ptx_predicate(const PtxDecoder *decoder, const PtxOperand *operand) {
  return smb_ptx_register(decoder, operand) ? decoder->current->rows[operand->index]
                                            : PREDICATE_TRUE;
}
