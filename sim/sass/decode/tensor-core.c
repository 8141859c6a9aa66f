// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor memory: LDTM, STTM and the UTC instructions, which ptxas makes of tcgen05 (sim/ptx/decode/tcgen05.c). Those of the uniform datapath are
// executed once for a warp. What bits mean was found by compiling PTX that says it (ptxas 13.0, sm_100a and sm_103a). As in PTX, nothing is known of
// UTCSHIFT, of products with .ASHIFT, or with a mask of columns that is not zero.
#include <string.h>

#include "sim/program/timing.h"
#include "sim/sass/decode/decode.h"

enum {
  TENSOR_QUANTUM = 16,    // bytes of shared memory
  TENSOR_WORD_BYTES = 4,  // of tensor memory
  UNIT_SHIFT = 5,         // of units of 32 columns
  SCALES_OF_SMALL = 1,    // of each row of numbers of 8 bits and fewer
  SCALES_OF_PACKED = 2,   // of two numbers in a byte
  SCALES_OF_PACKED_4 = 4, // with .4X
  MASK_WORDS = 4,         // of lanes of a block
};

// None of it was compared with a device.
static void
note_assumed(SassDecoder *decoder) {
  decoder->program->assumed = "tcgen05 (tensor memory)";
}

static Row
put_tensor(SassDecoder *decoder, Operation operation, Row a, Row b) {
  Compute compute = {.operation = operation, .d = smb_sass_scratch(decoder, 1), .s = {a, b}};
  smb_sass_add_compute(decoder, &compute);
  return compute.d;
}

// A uniform register, or the next one; of URZ zeros.
static Row
find_uniform_rows(SassDecoder *decoder, guint number, guint n) {
  return number >= SASS_URZ ? smb_sass_constant(decoder, 0, n) : decoder->uniforms + number;
}

// What an operand names by a uniform register: tmem[UR4+0x8], gdesc[UR4], idesc[UR5]. NULL: it names nothing.
static const SassOperand *
find_uniform_place(const SassDecoder *decoder, guint index, SassPart part) {
  const SassOperand *operand = smb_sass_operand(decoder, index);
  gboolean is_named = operand && operand->kind == SASS_ADDRESS && operand->base_part == part;
  return is_named ? operand : NULL;
}

static gboolean
take_tensor_place(SassDecoder *decoder, guint index, TensorPlace *place) {
  const SassOperand *operand = find_uniform_place(decoder, index, PART_tmem);
  if (operand)
    *place =
        (TensorPlace){find_uniform_rows(decoder, operand->descriptor, 1), (guint32)operand->value};
  return operand != NULL;
}

static guint
count_tensor_blocks(const SassDecoder *decoder) {
  return smb_sass_has(decoder, PART_2CTA) ? 2 : 1;
}

// All that is not understood is refused.
static gboolean
is_read(const SassDecoder *decoder) {
  return decoder->instruction->is_complete && decoder->instruction->is_modelled;
}

// --- LDTM.16dp128bit.x2.PACK16BIT R4, tmem[UR4+0x8]; STTM.x4 tmem[UR4], R4

// How registers are spread, and how many there are.
static guint
find_move_shape(const SassDecoder *decoder, TensorMove *move) {
  static const SassChoice spreads[] = {{PART_16dp64bit, TENSOR_16X64},
                                       {PART_16dp128bit, TENSOR_16X128},
                                       {PART_16dp256bit, TENSOR_16X256},
                                       {PART_16dp32bit_t0_t15, TENSOR_16X32X2},
                                       {PART_16dp32bit_t16_t31, TENSOR_16X32X2}};
  static const SassChoice registers[] = {{PART_16dp128bit, 2}, {PART_16dp256bit, 4}};
  static const SassChoice times[] = {{PART_times_2, 2},    {PART_times_4, 4},   {PART_times_8, 8},
                                     {PART_times_16, 16},  {PART_times_32, 32}, {PART_times_64, 64},
                                     {PART_times_128, 128}};
  move->spread = (TensorSpread)SASS_CHOOSE(decoder, spreads, TENSOR_32X32);
  move->half = smb_sass_has(decoder, PART_16dp32bit_t0_t15)    ? TENSOR_FIRST_HALF
               : smb_sass_has(decoder, PART_16dp32bit_t16_t31) ? TENSOR_SECOND_HALF
                                                               : TENSOR_WARP;
  move->packs = smb_sass_has(decoder, PART_PACK16BIT) || smb_sass_has(decoder, PART_EXPAND16BIT);
  return SASS_CHOOSE(decoder, times, 1) * SASS_CHOOSE(decoder, registers, 1);
}

// The registers that are moved, from that of an operand on. FALSE: there are none of these.
static gboolean
set_moved(SassDecoder *decoder, guint index, gboolean loads, TensorMove *move) {
  const SassOperand *data = smb_sass_operand(decoder, index);
  move->n = find_move_shape(decoder, move);
  if (!data || data->kind != SASS_REGISTER || move->n > TENSOR_REGISTERS)
    return FALSE;
  gboolean is_dropped = smb_sass_is_dropped(data);
  if (!is_dropped && data->number + move->n > SASS_RZ)
    return FALSE;
  Row first = loads ? smb_sass_result(decoder, data, 1) : smb_sass_source(decoder, data, 1);
  for (guint i = 0; i < move->n; i++)
    move->data[i] = first + (is_dropped ? 0 : i);
  return TRUE;
}

// Which lanes are those of the half of a move, as a predicate.
static Predicate
emit_half(SassDecoder *decoder, const TensorMove *move) {
  enum {
    HALF = 16,
  };
  guint32 values[SMB_MAX_LANES] = {0};
  for (guint lane = 0; lane < decoder->program->lanes; lane++)
    values[lane] = (lane < HALF) != (move->half == TENSOR_FIRST_HALF);
  Compute compute = {.operation = OPERATION_EQ_32,
                     .p = smb_sass_scratch_predicate(decoder),
                     .s = {smb_constants_add_lanes(decoder->code->constants, values),
                           smb_sass_constant(decoder, 0, 1)}};
  smb_sass_add_compute(decoder, &compute);
  return compute.p;
}

// LDTM.MIN.ABS.NAN.F32.x2 R4, R7, tmem[UR4]: the least or the largest number of what a lane has loaded goes to the second register.
static gboolean
add_loaded_extreme(SassDecoder *decoder, const TensorMove *move) {
  static const Operation extremes[][3] = {
      {OPERATION_MIN_F32, OPERATION_MIN_U32, OPERATION_MIN_S32},
      {OPERATION_MAX_F32, OPERATION_MAX_U32, OPERATION_MAX_S32}};
  const SassOperand *extreme = smb_sass_operand(decoder, 1);
  guint type = smb_sass_has(decoder, PART_U32) ? 1 : smb_sass_has(decoder, PART_S32) ? 2 : 0;
  if (!extreme || extreme->kind != SASS_REGISTER || move->n < 2)
    return FALSE;
  Row d = smb_sass_result(decoder, extreme, 1), scratch = smb_sass_scratch(decoder, 1);
  for (guint i = 1; i < move->n; i++) {
    Compute step = {.operation = extremes[smb_sass_has(decoder, PART_MAX)][type],
                    .modifiers = (smb_sass_has(decoder, PART_ABS) ? MODIFIER_ABSOLUTE : 0) |
                                 (smb_sass_has(decoder, PART_NAN) ? MODIFIER_NAN : 0),
                    .d = scratch,
                    .s = {i == 1 ? move->data[0] : scratch, move->data[i]}};
    smb_sass_add_compute(decoder, &step);
  }
  Compute last = {.operation = OPERATION_MOV_32, .d = d, .s = {scratch}};
  if (move->half != TENSOR_WARP)
    last = (Compute){.operation = OPERATION_SELECT_32,
                     .d = d,
                     .s = {scratch, d},
                     .in = {emit_half(decoder, move)}};
  smb_sass_add_compute(decoder, &last);
  return TRUE;
}

// @data, @place: its operands
static gboolean
add_tensor_move(SassDecoder *decoder, TensorStep *step, gboolean loads, guint data, guint place) {
  if (!is_read(decoder) || !set_moved(decoder, data, loads, &step->move) ||
      !take_tensor_place(decoder, place, &step->move.place))
    return smb_sass_refused(decoder);
  note_assumed(decoder);
  smb_build_tensor(&decoder->builder, loads ? STEP_TENSOR_LOAD : STEP_TENSOR_STORE, step,
                   smb_build_apart(&decoder->builder,
                                   loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE,
                                   TENSOR_WORD_BYTES));
  return TRUE;
}

// The argument says whether there is an extreme.
gboolean
smb_sass_tensor_load(SassDecoder *decoder) {
  TensorStep *step = smb_code_new_tensor(decoder->code);
  return add_tensor_move(decoder, step, TRUE, 0, decoder->argument ? 2 : 1) &&
         (!decoder->argument || add_loaded_extreme(decoder, &step->move) ||
          smb_sass_refused(decoder));
}

gboolean
smb_sass_tensor_store(SassDecoder *decoder) {
  return add_tensor_move(decoder, smb_code_new_tensor(decoder->code), FALSE, 1, 0);
}

// --- waiting for loads: tcgen05.wait::ld is no instruction. Whoever uses the registers, or is behind that, waits for the scoreboard.

void
smb_sass_note_tensor_load(SassDecoder *decoder, const SassInstruction *instruction) {
  if (g_strcmp0(instruction->name, "LDTM") == 0 && instruction->board < SMB_N_BOARDS)
    decoder->load_boards |= (guint8)(1u << instruction->board);
}

void
smb_sass_await_tensor_loads(SassDecoder *decoder) {
  if (!(decoder->instruction->waits & decoder->load_boards))
    return;
  decoder->builder.guard = PREDICATE_TRUE;
  decoder->builder.unless = FALSE;
  smb_build_plain(&decoder->builder, STEP_FENCE, FENCE_TENSOR_LOADS);
}

// --- UTCCP.T.S.2CTA.4x32dp128bit tmem[UR4], gdesc[UR6]; UTCSHIFT.DOWN tmem[UR4]

gboolean
smb_sass_tensor_copy(SassDecoder *decoder) {
  static const SassChoice rows[] = {{PART_4dp256bit, TENSOR_FOUR_ROWS},
                                    {PART_2x64dp128bit_lw02_lw13, TENSOR_HALF_02_13},
                                    {PART_2x64dp128bit_lw01_lw23, TENSOR_HALF_01_23},
                                    {PART_4x32dp128bit, TENSOR_QUARTER}};
  static const SassChoice bytes[] = {{PART_128dp128bit, 16},
                                     {PART_2x64dp128bit_lw02_lw13, 16},
                                     {PART_2x64dp128bit_lw01_lw23, 16},
                                     {PART_4x32dp128bit, 16}};
  static const SassChoice unpacked[] = {{PART_U4x16P64, 4}, {PART_U6x16P32, 6}};
  TensorStep *step = smb_code_new_tensor(decoder->code);
  TensorCopy *copy = &step->copy;
  const SassOperand *matrix = find_uniform_place(decoder, 1, PART_gdesc);
  if (!is_read(decoder) || !matrix || !take_tensor_place(decoder, 0, &copy->place))
    return smb_sass_refused(decoder);
  note_assumed(decoder);
  copy->rows = (TensorRows)SASS_CHOOSE(decoder, rows, TENSOR_ALL_ROWS);
  copy->bytes = SASS_CHOOSE(decoder, bytes, 32);
  copy->unpacked = SASS_CHOOSE(decoder, unpacked, 0);
  copy->blocks = count_tensor_blocks(decoder);
  copy->matrix = find_uniform_rows(decoder, matrix->descriptor, 2);
  copy->reserved = decoder->reserved_shared;
  smb_build_tensor_of_warp(&decoder->builder, STEP_TENSOR_COPY, step,
                           smb_build_apart(&decoder->builder, SMB_OP_CLASS_LOAD, TENSOR_QUANTUM));
  return TRUE;
}

gboolean
smb_sass_tensor_shift(SassDecoder *decoder) {
  TensorStep *step = smb_code_new_tensor(decoder->code);
  if (!is_read(decoder) || !take_tensor_place(decoder, 0, &step->move.place))
    return smb_sass_refused(decoder);
  note_assumed(decoder);
  smb_build_tensor_of_warp(&decoder->builder, STEP_TENSOR_SHIFT, step, NULL);
  return TRUE;
}

// --- UTCHMMA.2CTA gdesc[UR12], gdesc[UR14], tmem[UR8], tmem[UR4], idesc[UR5], UP0: A, which may be in tensor memory, B, D, the metadata of a sparse A, the
// instruction descriptor behind them, and whether D is added. Ahead of that may be the first register of lanes that are left alone (of .WS: a mask of
// columns), or, with scales, the register with the place of those of A, and behind it that of B's; at the end what D is multiplied by.

enum {
  LEFT,
  RIGHT,
  SUMS,
  METADATA,
  FORM,
  N_PRODUCT_OPERANDS,
};

// Which numbers it has: the name says it, but for halves and tf32, of which the descriptor does. The argument says whether there are scales.
static void
find_numbers(const SassDecoder *decoder, TensorProduct *product) {
  switch (decoder->instruction->name[3]) {
  case 'I':
    product->kind = TENSOR_KIND_I8;
    break;
  case 'Q':
    product->kind = decoder->argument ? TENSOR_KIND_MXF8F6F4 : TENSOR_KIND_F8F6F4;
    product->n_scales = decoder->argument ? SCALES_OF_SMALL : 0;
    break;
  case 'O':
    product->kind = TENSOR_KIND_MXF4;
    product->n_scales = smb_sass_has(decoder, PART_4X) ? SCALES_OF_PACKED_4 : SCALES_OF_PACKED;
    break;
  default:
    product->kind = TENSOR_KIND_F16;
    product->is_lost = decoder->argument; // halves have no scales
  }
  product->is_by_form = TRUE;
  product->is_stationary = smb_sass_has(decoder, PART_WS);
  product->is_lost |= smb_sass_has(decoder, PART_ASHIFT);
  product->blocks = count_tensor_blocks(decoder);
}

// What stands ahead of the predicate, if anything does. FALSE: it is not what these have.
static gboolean
take_extra(SassDecoder *decoder, guint *index, TensorProduct *product) {
  const SassOperand *extra = smb_sass_operand(decoder, *index);
  if (product->n_scales) {
    const SassOperand *scales = find_uniform_place(decoder, (*index)++, PART_tmem);
    if (!scales || scales->descriptor >= SASS_URZ)
      return FALSE;
    product->scale_a = (TensorPlace){find_uniform_rows(decoder, scales->descriptor, 1), 0};
    product->scale_b = (TensorPlace){find_uniform_rows(decoder, scales->descriptor + 1u, 1), 0};
    return TRUE;
  }
  if (!extra || extra->kind != SASS_UNIFORM)
    return TRUE;
  ++*index;
  if (product->is_stationary) {
    product->masked = find_uniform_rows(decoder, extra->number, 2);
    return TRUE;
  }
  product->n_disabled = MASK_WORDS * product->blocks;
  for (guint i = 0; i < product->n_disabled; i++)
    product->disabled[i] = find_uniform_rows(decoder, extra->number + i, 1);
  return extra->number + product->n_disabled <= SASS_URZ;
}

// From operand @index on. FALSE: as above.
static gboolean
take_sum(SassDecoder *decoder, guint index, TensorProduct *product) {
  const SassOperand *adds = smb_sass_operand(decoder, index);
  const SassOperand *scale = smb_sass_operand(decoder, index + 1);
  if (!adds || adds->kind != SASS_UNIFORM_PREDICATE)
    return FALSE;
  product->adds = smb_sass_predicate(decoder, adds);
  product->adds_unless = adds->is_inverted;
  product->scale = scale ? (guint)scale->value : 0;
  return TRUE;
}

static gboolean
take_factors(SassDecoder *decoder, TensorProduct *product) {
  const SassOperand *left = find_uniform_place(decoder, LEFT, PART_gdesc);
  const SassOperand *right = find_uniform_place(decoder, RIGHT, PART_gdesc);
  const SassOperand *form = find_uniform_place(decoder, FORM, PART_idesc);
  product->left = left ? find_uniform_rows(decoder, left->descriptor, 2) : NO_MATRIX;
  if (!right || !form || (!left && !take_tensor_place(decoder, LEFT, &product->a)))
    return FALSE;
  product->right = find_uniform_rows(decoder, right->descriptor, 2);
  product->form = find_uniform_rows(decoder, form->descriptor, 1);
  return take_tensor_place(decoder, SUMS, &product->d) &&
         take_tensor_place(decoder, METADATA, &product->metadata);
}

gboolean
smb_sass_tensor_product(SassDecoder *decoder) {
  TensorStep *step = smb_code_new_tensor(decoder->code);
  TensorProduct *product = &step->product;
  guint index = N_PRODUCT_OPERANDS;
  product->masked = NO_MATRIX;
  find_numbers(decoder, product);
  if (!is_read(decoder) || !take_factors(decoder, product) ||
      !take_extra(decoder, &index, product) || !take_sum(decoder, index, product))
    return smb_sass_refused(decoder);
  note_assumed(decoder);
  product->reserved = decoder->reserved_shared;
  Transfer *site = smb_build_apart(&decoder->builder, SMB_OP_CLASS_LOAD, TENSOR_QUANTUM);
  product->site = site->move.site;
  smb_build_tensor_of_warp(&decoder->builder, STEP_TENSOR_PRODUCT, step, site);
  return TRUE;
}

// --- UTCBAR.2CTA.MULTICAST [UR4], URZ, UR5: arrives at the barrier when what tensor cores were given before is complete, or at that of each block of a mask

gboolean
smb_sass_tensor_commit(SassDecoder *decoder) {
  const SassOperand *address = smb_sass_operand(decoder, 0), *with = smb_sass_operand(decoder, 1);
  const SassOperand *blocks = smb_sass_operand(decoder, 2);
  Transfer *at = smb_sass_new_transfer(decoder);
  at->is_cluster = TRUE;
  if (!is_read(decoder) || !address || !with || !smb_sass_is_dropped(with) ||
      !smb_sass_set_shared_address(decoder, at, address) ||
      (blocks && blocks->kind != SASS_UNIFORM))
    return smb_sass_refused(decoder);
  note_assumed(decoder);
  if (blocks)
    smb_build_mbarrier_each(&decoder->builder, at, MBARRIER_COMMIT | MBARRIER_OF_WARP,
                            find_uniform_rows(decoder, blocks->number, 1));
  else
    smb_build_mbarrier(&decoder->builder, STEP_MBARRIER_ONCE, at, MBARRIER_COMMIT, NO_ROW, NO_ROW,
                       NO_ROW);
  return TRUE;
}

// --- columns. ptxas makes of tcgen05.alloc a loop that asks for them until there are some, and keeps what it has been given in the system's part of shared memory
// (sim/machine/tensor-memory.h).

// Says where that is. FALSE: the image does not say it.
static gboolean
find_column_words(SassDecoder *decoder) {
  static const char name[] = "__nv_reservedSMEM_tcgen05_partition";
  const GArray *symbols = decoder->cubin->symbols;
  for (guint i = 0; i < symbols->len && !decoder->program->tensor_partition; i++) {
    const SmbCubinSymbol *symbol = &g_array_index(symbols, SmbCubinSymbol, i);
    if (g_strcmp0(symbol->name, name) == 0 && symbol->value < decoder->reserved_shared)
      decoder->program->tensor_partition = (guint32)symbol->value;
  }
  return decoder->program->tensor_partition != 0;
}

// UTCATOMSWS.FIND_AND_SET.ALIGN UP0, UR4, UR5: so many units of columns are given, from the unit in UR4 on, and UP0 says whether they are. Here they are, or the
// launch fails.
gboolean
smb_sass_tensor_allocate(SassDecoder *decoder) {
  const SassOperand *granted = smb_sass_operand(decoder, 0), *d = smb_sass_operand(decoder, 1);
  const SassOperand *units = smb_sass_operand(decoder, 2);
  if (!is_read(decoder) || !granted || !d || !units || !smb_sass_is_predicate(granted) ||
      !smb_sass_is_register(d) || !smb_sass_is_register(units) || !find_column_words(decoder))
    return smb_sass_refused(decoder);
  note_assumed(decoder);
  Row shift = smb_sass_constant(decoder, UNIT_SHIFT, 1);
  Row columns = put_tensor(decoder, OPERATION_SHL_32, smb_sass_source(decoder, units, 1), shift);
  Row address = smb_build_tensor_allocate(&decoder->builder, columns, count_tensor_blocks(decoder));
  if (smb_sass_has(decoder, PART_2CTA))
    decoder->code->maps_cluster = TRUE;
  Row unit = put_tensor(decoder, OPERATION_SHR_U32, address, shift);
  if (!smb_sass_is_dropped(d))
    smb_sass_add_move(decoder, d, smb_sass_result(decoder, d, 1), unit);
  if (!smb_sass_is_dropped(granted))
    smb_sass_add_compute(decoder, &(Compute){.operation = OPERATION_PREDICATE,
                                             .table = 0xff,
                                             .p = smb_sass_predicate(decoder, granted),
                                             .is_uniform = TRUE});
  return TRUE;
}

// UTCATOMSWS.AND URZ, UR4: the units whose bits are not set are given back.
gboolean
smb_sass_tensor_free(SassDecoder *decoder) {
  const SassOperand *d = smb_sass_operand(decoder, 0), *kept = smb_sass_operand(decoder, 1);
  if (!is_read(decoder) || !d || !smb_sass_is_dropped(d) || !kept || !smb_sass_is_register(kept) ||
      !find_column_words(decoder))
    return smb_sass_refused(decoder);
  note_assumed(decoder);
  Row ones = smb_sass_constant(decoder, G_MAXUINT32, 1);
  Row shift = smb_sass_constant(decoder, UNIT_SHIFT, 1);
  Row units = put_tensor(decoder, OPERATION_XOR_32, smb_sass_source(decoder, kept, 1), ones);
  Row turned = put_tensor(decoder, OPERATION_BREV_32, units, NO_ROW);
  Row first = put_tensor(decoder, OPERATION_CLZ_32, turned, NO_ROW);
  Row count = put_tensor(decoder, OPERATION_POPC_32, units, NO_ROW);
  Row address = put_tensor(decoder, OPERATION_SHL_32, first, shift);
  Row columns = put_tensor(decoder, OPERATION_SHL_32, count, shift);
  smb_build_tensor_free(&decoder->builder, address, columns,
                        smb_build_apart(&decoder->builder, SMB_OP_CLASS_STORE, TENSOR_WORD_BYTES));
  return TRUE;
}

// UVIRTCOUNT.DEALLOC.SMPOOL: the block gives up the right to more; what says so to its own code is stored beside it.
gboolean
smb_sass_tensor_permit(SassDecoder *decoder) {
  find_column_words(decoder);
  smb_build_plain(&decoder->builder, STEP_FENCE, FENCE_PERMIT);
  return TRUE;
}

const char *
smb_sass_tensor_guard(SassDecoder *decoder) {
  static const char mark[] = "tcgen05_guardrail_trap_";
  const SassSection *section = smb_sass_section_at(decoder, decoder->builder.place);
  const GArray *symbols = decoder->cubin->symbols;
  for (guint i = 0; section && i < symbols->len; i++) {
    const SmbCubinSymbol *symbol = &g_array_index(symbols, SmbCubinSymbol, i);
    guint64 at = decoder->builder.place - section->base;
    const char *what = symbol->kind == SMB_CUBIN_FUNCTION && symbol->section == section->section &&
                               at >= symbol->value && at - symbol->value < symbol->bytes
                           ? strstr(symbol->name, mark)
                           : NULL;
    if (!what)
      continue;
    g_autofree char *words = g_strdelimit(g_strdup(what + strlen(mark)), "_", ' ');
    return g_string_chunk_insert_const(decoder->cubin->strings, words);
  }
  return NULL;
}
