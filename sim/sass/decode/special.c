// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Special registers, and loads from constant banks.
#include "sim/sass/decode/decode.h"

// Numbers of special registers, as the disassembler of CUDA 12 and 13 names them.
static const struct {
  guint8 number;
  Special special;
} specials[] = {
    {0x00, SPECIAL_LANE},      {0x21, SPECIAL_TID},          {0x22, SPECIAL_TID + 1},
    {0x23, SPECIAL_TID + 2},   {0x25, SPECIAL_CTAID},        {0x26, SPECIAL_CTAID + 1},
    {0x27, SPECIAL_CTAID + 2}, {0x32, SPECIAL_SHARED_BYTES}, {0x88, SPECIAL_CLUSTER_RANK},
};

enum {
  FIRST_CHIP_WITH_RESERVED = 80, // whose size of shared memory has the system's part in it
  SR_SWINHI = 0x2f,              // high word of generic addresses of shared memory
  SR_LWINHI = 0x2e,
  SR_STACK_END = 0x37, // code of ptxas -O0 traps where its stack would reach below
  SR_EQMASK = 0x38,    // five masks of lanes
  SR_CLOCK = 0x50,     // low word; the high one is the next
  SR_GLOBAL_TIMER = 0x52,
  SR_GEMASK = 0x3c,
  SR_CGA_CTA_ID = 0x88,
  SR_CGA_SIZE = 0x8a, // which of the launch's words hold (constant.c)
  SRZ = 0xff,
};

// The lanes equal to each one, below it, up to it, above it, from it on.
static Row
emit_lane_mask(SassDecoder *decoder, guint which) {
  guint32 values[SMB_MAX_LANES];
  for (guint lane = 0; lane < decoder->program->lanes; lane++) {
    guint32 self = 1u << (lane % 32), below = self - 1;
    const guint32 masks[] = {self, below, below | self, ~(below | self), ~below};
    values[lane] = masks[which];
  }
  return smb_constants_add_lanes(decoder->code->constants, values);
}

// NO_ROW: it is no constant.
static Row
find_fixed(SassDecoder *decoder, guint number) {
  if (number >= SR_EQMASK && number <= SR_GEMASK)
    return emit_lane_mask(decoder, number - SR_EQMASK);
  switch (number) {
  case SR_SWINHI:
    return smb_sass_constant(decoder, make_pointer(REGION_SHARED, 0) >> 32, 1);
  case SR_LWINHI:
    return smb_sass_constant(decoder, make_pointer(REGION_LOCAL, 0) >> 32, 1);
  case SR_STACK_END:
  case SRZ:
    return smb_sass_constant(decoder, 0, 1);
  case SR_CGA_SIZE:
    return smb_sass_constant(decoder, 1, 1);
  default:
    return NO_ROW;
  }
}

// A row that is never written, so nothing is known of it, stands for the clock and the like.
static Row
find_special(SassDecoder *decoder, guint number) {
  gpointer known;
  if (g_hash_table_lookup_extended(decoder->specials, GUINT_TO_POINTER(number), NULL, &known))
    return GPOINTER_TO_UINT(known);
  Row row = find_fixed(decoder, number);
  if (row == NO_ROW) {
    row = smb_code_new_rows(decoder->code, 1);
    for (guint i = 0; i < G_N_ELEMENTS(specials); i++) {
      Preset preset = {.special = specials[i].special, .row = row};
      if (preset.special == SPECIAL_SHARED_BYTES && decoder->chip >= FIRST_CHIP_WITH_RESERVED)
        preset.argument = CODE_RESERVED_BYTES;
      if (specials[i].number == number && preset.special == SPECIAL_CLUSTER_RANK)
        decoder->code->carries_rank = TRUE;
      if (specials[i].number == number)
        g_array_append_val(decoder->code->presets, preset);
    }
  }
  g_hash_table_insert(decoder->specials, GUINT_TO_POINTER(number), GUINT_TO_POINTER(row));
  return row;
}

Row
smb_sass_cluster_mask(SassDecoder *decoder) {
  Preset preset = {.special = SPECIAL_CLUSTER_BLOCKS, .row = smb_code_new_rows(decoder->code, 1)};
  g_array_append_val(decoder->code->presets, preset);
  Compute mask = {.operation = OPERATION_BMSK_CLAMP,
                  .d = smb_sass_scratch(decoder, 1),
                  .s = {smb_sass_constant(decoder, 0, 1), preset.row}};
  smb_sass_add_compute(decoder, &mask);
  return mask.d;
}

// What a launch that is run for its results finds in a clock.
static void
add_clock(SassDecoder *decoder, const SassOperand *d, Row row, guint number, gboolean wide) {
  if (number < SR_CLOCK || number > SR_GLOBAL_TIMER + 1)
    return;
  for (guint i = 0; i < (wide ? 2 : 1); i++) {
    Step step = smb_sass_step(decoder, STEP_CLOCK);
    step.argument = number % 2 + i;
    step.compute.d = row + i;
    step.compute.is_uniform = d->kind == SASS_UNIFORM;
    smb_code_add(decoder->code, &step);
  }
}

// S2R, S2UR; CS2R, CS2UR. The argument says how many rows there are, unless .32 says otherwise.
gboolean
smb_sass_special(SassDecoder *decoder) {
  gboolean wide = decoder->argument == 2 && !smb_sass_has(decoder, PART_32);
  const SassOperand *d = smb_sass_operand(decoder, 0), *s = smb_sass_operand(decoder, 1);
  if (!d || !s || s->kind != SASS_SPECIAL)
    return smb_sass_unknown(decoder);
  Row row = smb_sass_result(decoder, d, 2), from = find_special(decoder, s->number);
  if (row == NO_ROW)
    return smb_sass_unknown(decoder);
  smb_sass_add_move(decoder, d, row, from);
  if (wide && s->number == SRZ)
    smb_sass_add_move(decoder, d, row + 1, smb_sass_constant(decoder, 0, 1));
  else if (wide)
    smb_sass_add_unknown(decoder, row + 1, 1);
  add_clock(decoder, d, row, s->number, wide);
  return TRUE;
}

// Bytes that a lane loads.
static guint
find_bytes(const SassDecoder *decoder, gboolean *is_signed) {
  static const SassChoice sizes[] = {{PART_U8, 1},  {PART_S8, 1}, {PART_U16, 2},
                                     {PART_S16, 2}, {PART_64, 8}, {PART_128, 16}};
  *is_signed = smb_sass_has(decoder, PART_S8) || smb_sass_has(decoder, PART_S16);
  return SASS_CHOOSE(decoder, sizes, 4);
}

// Loads into rows that a uniform register takes them from, or into the register.
static gboolean
emit_load(SassDecoder *decoder, const SassOperand *d, const SassOperand *s, guint bytes,
          gboolean is_signed) {
  guint n_rows = MAX(bytes, 4u) / 4;
  gboolean uniform = d->kind == SASS_UNIFORM;
  Row row = uniform ? smb_sass_scratch(decoder, n_rows) : smb_sass_result(decoder, d, n_rows);
  Transfer *transfer = smb_sass_new_transfer(decoder);
  transfer->bytes = MIN(bytes, 4);
  transfer->is_signed = is_signed;
  transfer->n_components = n_rows;
  if (!smb_sass_set_bank_address(decoder, transfer, s))
    smb_sass_add_unknown(decoder, row, n_rows);
  else {
    for (guint i = 0; i < n_rows; i++)
      transfer->data[i] = row + i;
    transfer->move.constant_bytes = s->base != SASS_RZ ? bytes : 0;
    smb_build_access(&decoder->builder, transfer, TRUE, FALSE);
  }
  for (guint i = 0; uniform && i < n_rows && !smb_sass_is_dropped(d); i++)
    smb_sass_add_move(decoder, d, smb_sass_result(decoder, d, n_rows) + i, row + i);
  return TRUE;
}

// LDC R0, c[3][R2+4], and the uniform ones. Words of a fixed place are loaded one by one: ptxas takes variables
// that lie side by side with one instruction.
gboolean
smb_sass_constant_load(SassDecoder *decoder) {
  const SassOperand *d = smb_sass_operand(decoder, 0), *s = smb_sass_operand(decoder, 1);
  gboolean is_signed;
  guint bytes = find_bytes(decoder, &is_signed), n_rows = MAX(bytes, 4u) / 4;
  if (!d || !s || s->kind != SASS_CONSTANT || !smb_sass_is_register(d))
    return smb_sass_refused(decoder);
  gboolean indexed = s->base != SASS_RZ || s->uniform != SASS_URZ || s->is_bindless;
  Row from[4];
  if (bytes < 4 || indexed)
    return emit_load(decoder, d, s, bytes, is_signed);
  for (guint i = 0; i < n_rows; i++) {
    SassOperand word = *s;
    word.value += 4 * i;
    from[i] = smb_sass_load_bank(decoder, &word, 1);
  }
  for (guint i = 0; i < n_rows && !smb_sass_is_dropped(d); i++)
    smb_sass_add_move(decoder, d, smb_sass_result(decoder, d, n_rows) + i, from[i]);
  return TRUE;
}

// The rank of the block is in its own addresses, if it asks for that at all.
static void
exclude_peers(SassDecoder *decoder, Row pointer, Predicate p) {
  Row own = decoder->code->carries_rank ? find_special(decoder, SR_CGA_CTA_ID)
                                        : smb_sass_constant(decoder, 0, 1);
  Row above = smb_sass_scratch(decoder, 1);
  Compute shift = {.operation = OPERATION_SHR_U32,
                   .d = above,
                   .s = {pointer, smb_sass_constant(decoder, CLUSTER_SHIFT, 1)}};
  smb_sass_add_compute(decoder, &shift);
  Compute same = {.operation = OPERATION_EQ_32,
                  .p = p,
                  .s = {above, own},
                  .in = {p},
                  .modifiers = MODIFIER_AND};
  smb_sass_add_compute(decoder, &same);
}

// QSPC.E.S P0, RZ, [R2]: whether a generic address is one of shared (S), of local (L), or of other memory (G).
// Shared memory of the cluster (D) has that of the block in it.
gboolean
smb_sass_space(SassDecoder *decoder) {
  const SassOperand *p = smb_sass_operand(decoder, 0);
  const SassOperand *address = smb_sass_operand(decoder, decoder->instruction->n_operands - 1);
  gboolean shared = smb_sass_has(decoder, PART_S) || smb_sass_has(decoder, PART_D);
  gboolean local = smb_sass_has(decoder, PART_L);
  gboolean global = smb_sass_has(decoder, PART_G);
  if (!p || !smb_sass_is_predicate(p) || !address || address->kind != SASS_ADDRESS ||
      (address->base == SASS_RZ) == (address->uniform == SASS_URZ) || shared + local + global != 1)
    return smb_sass_unknown(decoder);
  Row pointer = address->base == SASS_RZ ? decoder->uniforms + address->uniform
                                         : decoder->registers + address->base;
  guint64 window = make_pointer(local ? REGION_LOCAL : REGION_SHARED, 0);
  guint64 other = make_pointer(REGION_LOCAL, 0);
  Compute compute = {.operation = OPERATION_EQ_32,
                     .p = smb_sass_predicate(decoder, p),
                     .modifiers = global ? MODIFIER_NOT : 0,
                     .s = {pointer + 1, smb_sass_constant(decoder, window >> 32, 1)}};
  smb_sass_add_compute(decoder, &compute);
  if (smb_sass_has(decoder, PART_S))
    exclude_peers(decoder, pointer, compute.p);
  if (!global)
    return TRUE;
  compute.modifiers |= MODIFIER_AND;
  compute.in[0] = compute.p;
  compute.s[1] = smb_sass_constant(decoder, other >> 32, 1);
  smb_sass_add_compute(decoder, &compute);
  return TRUE;
}
