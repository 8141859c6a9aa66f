// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// When instructions may be issued: bits 105 to 121 of each, as ptxas wrote them, and the rate of its opcode.
#include <string.h>

#include "sim/program/timing.h"
#include "sim/sass/decode/decode.h"

// (element-type SmbRate): by the names of opcodes. One that two lines name has the rate of the first.
static GHashTable *
list_rates(void) {
  static const struct {
    const char *name;
    SmbRate rate;
  } rates[] = {
#define TIMED(name, rate) {name, SMB_RATE_##rate},
#include "sim/sass/opcodes/rates.def"
#undef TIMED
  };
  GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = G_N_ELEMENTS(rates); i > 0; i--)
    g_hash_table_insert(table, (gpointer)rates[i - 1].name, GUINT_TO_POINTER(rates[i - 1].rate));
  return table;
}

static SmbRate
find_rate(const SassInstruction *instruction) {
  static gsize table;
  gpointer rate = NULL;
  if (g_once_init_enter(&table)) {
    GHashTable *rates = list_rates();
    g_once_init_leave(&table, GPOINTER_TO_SIZE(rates));
  }
  gboolean is_known =
      instruction->name &&
      g_hash_table_lookup_extended(GSIZE_TO_POINTER(table), instruction->name, NULL, &rate);
  return is_known ? (SmbRate)GPOINTER_TO_UINT(rate) : SMB_RATE_CONTROL;
}

// Whether a product of matrices takes as long as one of half the depth of most (an H200).
static gboolean
is_short_product(const SassInstruction *instruction) {
  return (sass_has(instruction, PART_1688) && !sass_has(instruction, PART_TF32)) ||
         sass_has(instruction, PART_1684) || sass_has(instruction, PART_8816) ||
         sass_has(instruction, PART_88128) || sass_has(instruction, PART_168128) ||
         (g_str_equal(instruction->name, "IMMA") && sass_has(instruction, PART_16816));
}

// Where the parts of an instruction make a difference.
static SmbRate
refine_rate(const SassInstruction *instruction, SmbRate rate) {
  if (rate == SMB_RATE_TENSOR && is_short_product(instruction))
    return SMB_RATE_TENSOR_SHORT;
  if (rate == SMB_RATE_FENCE)
    return sass_has(instruction, PART_SYS)   ? SMB_RATE_SYSTEM_FENCE
           : sass_has(instruction, PART_GPU) ? SMB_RATE_FENCE
           : sass_has(instruction, PART_CTA) ? SMB_RATE_BLOCK_FENCE
                                             : SMB_RATE_CONTROL;
  if (rate == SMB_RATE_INVALIDATE && !sass_has(instruction, PART_IVALL))
    return SMB_RATE_CONTROL;
  if (rate == SMB_RATE_PHASE && sass_has(instruction, PART_PHASECHK))
    return SMB_RATE_PHASE_WAIT;
  if (g_strcmp0(instruction->name, "WARPGROUP") == 0 && sass_has(instruction, PART_DEPBAR))
    return SMB_RATE_WAIT;
  if (rate == SMB_RATE_HALF && sass_has(instruction, PART_MMA))
    return SMB_RATE_HALF_MMA;
  if (rate == SMB_RATE_MULTIPLY &&
      (sass_has(instruction, PART_WIDE) || sass_has(instruction, PART_HI)))
    return SMB_RATE_MULTIPLY_WIDE;
  if (rate == SMB_RATE_BRANCH && instruction->n_operands > 0 &&
      instruction->operands[0].kind == SASS_REGISTER)
    return SMB_RATE_INDIRECT;
  if (rate == SMB_RATE_BARRIER && sass_has(instruction, PART_ARV))
    return SMB_RATE_ARRIVAL;
  return rate;
}

// Registers of 32 bits that hold what an instruction moves in each lane.
static guint
count_data_words(const SassInstruction *instruction) {
  return sass_has(instruction, PART_128) || sass_has(instruction, PART_4)  ? 4
         : sass_has(instruction, PART_64) || sass_has(instruction, PART_2) ? 2
                                                                           : 1;
}

// Each register that an instruction sends to the pipe of memory takes its time (data/devices: register-interval): those of the address,
// and what is stored. What comes back is not counted.
static guint
count_sent(const SassInstruction *instruction, SmbRate rate) {
  static const struct {
    const char *name;
    guint address;
    gboolean has_data; // of as many bits as it says
  } senders[] = {
      {"LDS", 1, FALSE},  {"LDL", 1, FALSE},  {"LDSM", 1, FALSE}, {"STS", 1, TRUE},
      {"STL", 1, TRUE},   {"STSM", 1, TRUE},  {"ATOMS", 1, TRUE}, {"LD", 2, FALSE},
      {"LDG", 2, FALSE},  {"ST", 2, TRUE},    {"STG", 2, TRUE},   {"ATOM", 2, TRUE},
      {"ATOMG", 2, TRUE}, {"RED", 2, TRUE},   {"REDG", 2, TRUE},  {"LDGSTS", 3, FALSE},
      {"SHFL", 1, FALSE}, {"S2R", 4, FALSE},  {"TEX", 2, FALSE},  {"TLD4", 2, FALSE},
      {"TXD", 6, FALSE},  {"SULD", 2, FALSE}, {"SUST", 2, TRUE},
  };
  if (rate == SMB_RATE_SHUFFLE && sass_has(instruction, PART_IDX))
    return 2;
  for (guint i = 0; instruction->name && i < G_N_ELEMENTS(senders); i++) {
    if (strcmp(senders[i].name, instruction->name) != 0)
      continue;
    guint data = senders[i].has_data ? count_data_words(instruction) : 0;
    return senders[i].address + data * (sass_has(instruction, PART_CAS) ? 2 : 1);
  }
  return 1;
}

// Registers that an instruction of a pipe with a fixed latency reads. IMAD.WIDE and IMAD.HI add 64 bits.
static void
list_registers_read(const SassInstruction *instruction, SmbTiming *timing) {
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (operand->kind != SASS_REGISTER || !operand->slot || operand->number == SASS_RZ)
      continue;
    timing->reads[operand->slot - 1] = operand->number;
    timing->keeps |= (guint8)(operand->is_reused << (operand->slot - 1));
  }
  if (timing->rate == SMB_RATE_MULTIPLY_WIDE && timing->reads[SMB_SLOT_C] != SMB_NO_REGISTER) {
    timing->reads[SMB_SLOT_C_UPPER] = timing->reads[SMB_SLOT_C] + 1;
    timing->keeps |= (guint8)((timing->keeps >> SMB_SLOT_C & 1) << SMB_SLOT_C_UPPER);
  }
}

static void
add_sent(SmbTiming *timing, guint number) {
  if (timing->n_sent == SMB_MAX_SENT)
    return;
  timing->sent |= (guint8)(number % SMB_REGISTER_BANKS << timing->n_sent);
  timing->n_sent++;
}

// Code of sm_75 says of the instruction, not of the register, that an address has 64 bits.
static gboolean
has_wide_base(const SassInstruction *instruction, const SassOperand *address) {
  return address->base_part == PART_64 ||
         (address->base_part == PART_NONE && sass_has(instruction, PART_E));
}

// Registers that are read for the queue, in their order (dispatch.cu): what is stored or changed, a cycle after the instruction, and then its address, the
// upper half first. Of conversions from 64 bits it is the lower half; accesses of 256 bits were not measured.
static void
list_registers_sent(const SassInstruction *instruction, SmbTiming *timing) {
  gboolean is_memory = timing->rate == SMB_RATE_SHARED || timing->rate == SMB_RATE_GLOBAL;
  if (sass_has(instruction, PART_256))
    return;
  guint words = is_memory ? count_data_words(instruction) : 1;
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (operand->kind != SASS_REGISTER || !operand->slot || operand->number == SASS_RZ)
      continue;
    for (guint w = 0; w < words; w++)
      add_sent(timing, operand->number + w);
  }
  timing->sent_late = timing->n_sent > 0;
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (operand->kind != SASS_ADDRESS || !operand->has_base || operand->base == SASS_RZ)
      continue;
    if (has_wide_base(instruction, operand))
      add_sent(timing, operand->base + 1);
    add_sent(timing, operand->base);
  }
}

// The register of its result: the one that is not in the place of A, B or C.
static void
find_registers_written(const SassInstruction *instruction, SmbTiming *timing) {
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (operand->kind != SASS_REGISTER || operand->slot || operand->number == SASS_RZ)
      continue;
    guint words = sass_has(instruction, PART_WIDE) ? 2 : count_data_words(instruction);
    timing->writes = words > 1 ? (1 << SMB_REGISTER_BANKS) - 1
                               : (guint8)(1 << operand->number % SMB_REGISTER_BANKS);
    timing->turns = (guint8)MAX(1, words / SMB_REGISTER_BANKS);
    return;
  }
}

static gboolean
reads_at_once(SmbRate rate) {
  return rate == SMB_RATE_FLOAT || rate == SMB_RATE_HALF || rate == SMB_RATE_HALF_MMA ||
         rate == SMB_RATE_MULTIPLY || rate == SMB_RATE_MULTIPLY_WIDE || rate == SMB_RATE_LOGIC ||
         rate == SMB_RATE_ADD;
}

// Whether what it writes waits for banks, or keeps them from what does (tests/gpu/time/registers.cu). What comes from global memory does not.
static gboolean
writes_registers(SmbRate rate) {
  return reads_at_once(rate) || rate == SMB_RATE_SHARED || rate == SMB_RATE_SHUFFLE ||
         rate == SMB_RATE_SPECIAL;
}

static gboolean
sends_registers(SmbRate rate) {
  return rate == SMB_RATE_SHARED || rate == SMB_RATE_GLOBAL || rate == SMB_RATE_COPY ||
         rate == SMB_RATE_SHUFFLE || rate == SMB_RATE_SYSTEM || rate == SMB_RATE_TEXTURE;
}

// Whether it is known in which cycles the registers that it sends are read.
static gboolean
sends_in_order(SmbRate rate) {
  return rate == SMB_RATE_SHARED || rate == SMB_RATE_GLOBAL || rate == SMB_RATE_SHUFFLE ||
         rate == SMB_RATE_SPECIAL || rate == SMB_RATE_CONVERT || rate == SMB_RATE_CONVERT_WIDE ||
         rate == SMB_RATE_COUNT;
}

static gboolean
has_reals(const SassInstruction *instruction) {
  return sass_has(instruction, PART_F32) || sass_has(instruction, PART_F64) ||
         sass_has(instruction, PART_F16x2) || sass_has(instruction, PART_BF16x2);
}

// Those of a block's scope find what others of their multiprocessor have left in its cache.
static gboolean
is_strong(const SassInstruction *instruction) {
  return sass_has(instruction, PART_STRONG) &&
         (sass_has(instruction, PART_GPU) || sass_has(instruction, PART_SYS));
}

// DMMA.16x8x8: so many times as long as 8x8x4, or 16x8x4, which take as long as each other.
static void
read_double_product(const SassInstruction *instruction, SmbTiming *timing) {
  timing->repeats = sass_has(instruction, PART_16x8x16)  ? 4
                    : sass_has(instruction, PART_16x8x8) ? 2
                                                         : 1;
  timing->has_late_rows = timing->repeats > 1 || sass_has(instruction, PART_16x8x4);
}

// HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0: how wide it is, what it reads from shared memory, and whether a group ends with it.
static void
read_group_product(const SassInstruction *instruction, SmbTiming *timing) {
  enum {
    COLUMNS = 8,
    GROUP_ROWS = 64,
    LINE_BYTES = 128,
  };
  gboolean is_sparse = sass_has(instruction, PART_SP);
  SassPart width = instruction->parts[is_sparse ? 1 : 0];
  if (width < PART_64x8 || width > PART_64x256 || instruction->n_operands < 2)
    return;
  timing->repeats = (guint8)(1 + width - PART_64x8);
  timing->has_left = instruction->operands[1].kind == SASS_REGISTER;
  // A row of A, and a column of B, has 32 bytes in each of them; a column of B has twice as many if A is sparse.
  guint columns = timing->repeats * COLUMNS * (is_sparse ? 2 : 1);
  guint rows = columns + (timing->has_left ? 0 : GROUP_ROWS);
  timing->lines = (guint8)(rows * 32 / LINE_BYTES);
  for (guint i = 2; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (operand->kind == SASS_WORD && operand->part == PART_gsb0)
      timing->board = SMB_GROUP_BOARD;
  }
}

// DEPBAR.LE SB0, 0x1, {2}: the scoreboard and how many instructions may hold it open; those of the list may not be open at all. WARPGROUP.DEPBAR.LE gsb0,
// 0x1: the same of groups of products.
static void
read_wait(const SassInstruction *instruction, SmbTiming *timing) {
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (operand->kind == SASS_SCOREBOARD)
      timing->board = operand->number;
    else if (operand->kind == SASS_SCOREBOARDS)
      timing->waits |= (guint8)operand->value;
    else if (operand->kind == SASS_WORD && operand->part == PART_gsb0)
      timing->board = SMB_GROUP_BOARD;
    else if (operand->kind == SASS_IMMEDIATE)
      timing->open = (guint8)operand->value;
  }
}

void
smb_sass_add_timing(SassDecoder *decoder, const SassInstruction *instruction, const guint8 *bytes) {
  guint64 high;
  memcpy(&high, bytes + 8, sizeof(high));
  high = GUINT64_FROM_LE(high);
  SmbTiming timing = {.rate = (guint8)refine_rate(instruction, find_rate(instruction)),
                      .stall = high >> (105 - 64) & 15,
                      .gives_way = !(high >> (109 - 64) & 1),
                      .write_board = high >> (110 - 64) & 7,
                      .read_board = high >> (113 - 64) & 7,
                      .waits = high >> (116 - 64) & 63,
                      .sends = 1,
                      .reads = {SMB_NO_REGISTER, SMB_NO_REGISTER, SMB_NO_REGISTER, SMB_NO_REGISTER},
                      .is_strong = is_strong(instruction),
                      .is_real = has_reals(instruction),
                      .is_swap = sass_has(instruction, PART_CAS),
                      .board = SMB_NO_BOARD,
                      .repeats = 1};
  if (sends_registers((SmbRate)timing.rate))
    timing.sends = (guint8)count_sent(instruction, (SmbRate)timing.rate);
  if (sends_in_order((SmbRate)timing.rate))
    list_registers_sent(instruction, &timing);
  if (reads_at_once((SmbRate)timing.rate))
    list_registers_read(instruction, &timing);
  if (writes_registers((SmbRate)timing.rate))
    find_registers_written(instruction, &timing);
  if (timing.rate == SMB_RATE_WAIT)
    read_wait(instruction, &timing);
  if (timing.rate == SMB_RATE_TENSOR_DOUBLE)
    read_double_product(instruction, &timing);
  if (timing.rate == SMB_RATE_TENSOR_GROUP)
    read_group_product(instruction, &timing);
  g_array_append_val(decoder->program->timings, timing);
}
