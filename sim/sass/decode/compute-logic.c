// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Bits of integers: LOP3, shifts, permutations and fields.
#include "sim/exec/compute/scalar.h"
#include "sim/sass/decode/compute.h"

// --- LOP3: a table of 8 bits (a 0xf0, b 0xcc, c 0xaa), and whether the result is not 0

// The table if an operand is 0, as one in which that has no part.
static guint
restrict_table(guint table, guint source) {
  static const guint masks[] = {0x0f, 0x33, 0x55}; // where the operand is 0
  guint shift = 4u >> source;
  table &= masks[source];
  return table | table << shift;
}

// Whether a bit of the result can be another one where only that operand is.
static gboolean
depends_on(guint table, guint source) {
  static const guint masks[] = {0x0f, 0x33, 0x55};
  guint shift = 4u >> source;
  return ((table ^ table >> shift) & masks[source]) != 0;
}

// An operation of two operands at most that a table is: these are followed over blocks where they can be.
static gboolean
find_logic(SassReading *reading, guint table, const Row *rows, Row d) {
  static const struct {
    guint first, second, both; // tables of a and b, of a and c, of b and c
    Operation operation;
  } operations[] = {{0xc0, 0xa0, 0x88, OPERATION_AND_32},
                    {0xfc, 0xfa, 0xee, OPERATION_OR_32},
                    {0x3c, 0x5a, 0x66, OPERATION_XOR_32}};
  static const guint copies[] = {0xf0, 0xcc, 0xaa};
  if (table == 0 || table == 0xff) {
    smb_sass_put(reading, OPERATION_MOV_32, d, smb_sass_number(reading, table ? G_MAXUINT32 : 0), 0,
                 0);
    return TRUE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(copies); i++)
    if (table == copies[i] || table == (copies[i] ^ 0xff)) {
      smb_sass_put(reading, table == copies[i] ? OPERATION_MOV_32 : OPERATION_NOT_32, d, rows[i], 0,
                   0);
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS(operations); i++) {
    Operation operation = operations[i].operation;
    if (table == operations[i].first)
      smb_sass_put(reading, operation, d, rows[0], rows[1], 0);
    else if (table == operations[i].second)
      smb_sass_put(reading, operation, d, rows[0], rows[2], 0);
    else if (table == operations[i].both)
      smb_sass_put(reading, operation, d, rows[1], rows[2], 0);
    else
      continue;
    return TRUE;
  }
  return FALSE;
}

// Zeros are taken out first: "LOP3.LUT R0, R1, 0xff, RZ, 0xc0" is an AND, and known as far as one is.
static void
put_logic(SassReading *reading, guint table, const Row *rows, Row d) {
  Row zero = smb_sass_number(reading, 0);
  for (guint i = 0; i < 3; i++)
    if (rows[i] == zero)
      table = restrict_table(table, i);
  if (find_logic(reading, table, rows, d))
    return;
  Compute compute = {.operation = OPERATION_LOP3, .table = (guint8)table, .d = d};
  for (guint i = 0; i < 3; i++)
    compute.s[i] = depends_on(table, i) ? rows[i] : zero;
  smb_sass_emit(reading, compute);
}

void
smb_sass_compute_logic(SassReading *reading) {
  Predicate p = smb_sass_take_target(reading);
  gboolean is_dropped = smb_sass_peek(reading) && smb_sass_is_zero(smb_sass_peek(reading));
  Row d = smb_sass_take_result(reading, 1), rows[3];
  for (guint i = 0; i < 3; i++)
    rows[i] = smb_sass_take(reading, 1);
  guint table = (guint)smb_sass_take_number(reading) & 0xff;
  Predicate with = smb_sass_take_condition(reading);
  if (is_dropped)
    d = smb_sass_scratch(reading->decoder, 1);
  put_logic(reading, table, rows, d);
  if (p == PREDICATE_TRUE)
    return;
  gboolean is_and = smb_sass_says(reading, PART_PAND);
  smb_sass_emit(reading,
                (Compute){.operation = OPERATION_EQ_32,
                          .p = p,
                          .s = {d, smb_sass_number(reading, 0)},
                          .in = {with},
                          .modifiers = MODIFIER_NOT | (is_and ? MODIFIER_AND : MODIFIER_OR)});
}

// --- SHF: of a pair, {high, low}

typedef struct {
  Row d, low, amount, high;
  gint64 number; // of the amount; -1: it is no constant
  guint limit;   // amounts beyond it count as it
  gboolean is_signed, wraps;
} Funnel;

// The low word is shifted up; the high word takes what leaves the low one. Amounts of 32 and more move the low word
// itself up, if 64 bits are shifted.
static void
put_left(SassReading *reading, const Funnel *funnel, gboolean wants_high) {
  gboolean wide = funnel->limit == 64;
  if (!wants_high) {
    Row amount = funnel->amount;
    if (funnel->wraps)
      amount = smb_sass_apply(reading, OPERATION_AND_32, amount,
                              smb_sass_number(reading, funnel->limit - 1), 0);
    smb_sass_put(reading, OPERATION_SHL_32, funnel->d, funnel->low, amount, 0);
  } else if (funnel->number >= 32 && wide && !funnel->wraps)
    smb_sass_put(reading, OPERATION_SHL_32, funnel->d, funnel->low,
                 smb_sass_number(reading, (guint32)funnel->number - 32), 0);
  else if (wide && funnel->wraps)
    reading->is_other = TRUE;
  else
    smb_sass_put(reading,
                 funnel->wraps                ? OPERATION_SHF_L_WRAP
                 : wide && funnel->number < 0 ? OPERATION_SHF_L_64
                                              : OPERATION_SHF_L_CLAMP,
                 funnel->d, funnel->low, funnel->high, funnel->amount);
}

// The same to the right: .HI is the high word, into which zeros or the sign go; the low word takes what leaves it.
static void
put_right(SassReading *reading, const Funnel *funnel, gboolean wants_high) {
  gboolean wide = funnel->limit == 64;
  Operation shift = funnel->is_signed ? OPERATION_SHR_S32 : OPERATION_SHR_U32;
  if (wants_high) {
    Row amount = funnel->amount;
    if (funnel->wraps)
      amount = smb_sass_apply(reading, OPERATION_AND_32, amount,
                              smb_sass_number(reading, funnel->limit - 1), 0);
    smb_sass_put(reading, shift, funnel->d, funnel->high, amount, 0);
  } else if (funnel->number >= 32 && wide && !funnel->wraps)
    smb_sass_put(reading, shift, funnel->d, funnel->high,
                 smb_sass_number(reading, (guint32)funnel->number - 32), 0);
  else if (wide && funnel->wraps)
    reading->is_other = TRUE;
  else if (wide && funnel->number < 0)
    smb_sass_put(reading, funnel->is_signed ? OPERATION_SHF_R_S64 : OPERATION_SHF_R_U64, funnel->d,
                 funnel->low, funnel->high, funnel->amount);
  else
    smb_sass_put(reading, funnel->wraps ? OPERATION_SHF_R_WRAP : OPERATION_SHF_R_CLAMP, funnel->d,
                 funnel->low, funnel->high, funnel->amount);
}

void
smb_sass_compute_shift(SassReading *reading) {
  gboolean wants_high = smb_sass_says(reading, PART_HI);
  gboolean wide = smb_sass_says(reading, PART_U64) || smb_sass_says(reading, PART_S64);
  Funnel funnel = {.number = -1,
                   .limit = wide ? 64 : 32,
                   .is_signed =
                       smb_sass_says(reading, PART_S32) || smb_sass_says(reading, PART_S64),
                   .wraps = smb_sass_says(reading, PART_W)};
  funnel.d = smb_sass_take_result(reading, 1);
  funnel.low = smb_sass_take(reading, 1);
  const SassOperand *amount = smb_sass_peek(reading);
  if (amount && amount->kind == SASS_IMMEDIATE)
    funnel.number = (guint32)amount->value;
  else if (amount && smb_sass_is_zero(amount))
    funnel.number = 0;
  funnel.amount = smb_sass_take(reading, 1);
  funnel.high = smb_sass_take(reading, 1);
  if (smb_sass_says(reading, PART_L))
    put_left(reading, &funnel, wants_high);
  else
    put_right(reading, &funnel, wants_high);
}

// --- PRMT d, a, selector, c

void
smb_sass_compute_permutation(SassReading *reading) {
  static const SassChoice modes[] = {
      {PART_F4E, PERMUTE_FORWARD},     {PART_B4E, PERMUTE_BACKWARD},
      {PART_RC8, PERMUTE_REPLICATE_8}, {PART_ECL, PERMUTE_EDGE_LEFT},
      {PART_ECR, PERMUTE_EDGE_RIGHT},  {PART_RC16, PERMUTE_REPLICATE_16}};
  guint mode = SASS_CHOOSE(reading->decoder, modes, PERMUTE_ANY);
  Row d = smb_sass_take_result(reading, 1), a = smb_sass_take(reading, 1);
  Row selector = smb_sass_take(reading, 1), c = smb_sass_take(reading, 1);
  smb_sass_emit(
      reading,
      (Compute){.operation = OPERATION_PRMT, .table = (guint8)mode, .d = d, .s = {a, c, selector}});
}

// --- fields

static void
put_field(SassReading *reading, Operation operation) {
  Row d = smb_sass_take_result(reading, 1);
  gboolean two = smb_operation_info(operation)->sources[1] != SHAPE_NONE;
  Row a = smb_sass_take(reading, 1), b = two ? smb_sass_take(reading, 1) : 0;
  smb_sass_put(reading, operation, d, a, b, 0);
}

// BMSK d, a, b: b ones from bit a on.
void
smb_sass_compute_mask(SassReading *reading) {
  gboolean wraps = smb_sass_says(reading, PART_W);
  put_field(reading, wraps ? OPERATION_BMSK_WRAP : OPERATION_BMSK_CLAMP);
}

// SGXT d, a, b: the low b bits of a, and their sign above them.
void
smb_sass_compute_extension(SassReading *reading) {
  gboolean wraps = smb_sass_says(reading, PART_W);
  if (smb_sass_says(reading, PART_U32))
    put_field(reading, wraps ? OPERATION_SZEXT_U32_WRAP : OPERATION_SZEXT_U32_CLAMP);
  else
    put_field(reading, wraps ? OPERATION_SZEXT_S32_WRAP : OPERATION_SZEXT_S32_CLAMP);
}

// FLO d, a: where the leading one is; .SH: how far it is from the top.
void
smb_sass_compute_leading(SassReading *reading) {
  gboolean shifts = smb_sass_says(reading, PART_SH);
  if (smb_sass_says(reading, PART_U32))
    put_field(reading, shifts ? OPERATION_BFIND_SHIFT_U32 : OPERATION_BFIND_U32);
  else
    put_field(reading, shifts ? OPERATION_BFIND_SHIFT_S32 : OPERATION_BFIND_S32);
}
