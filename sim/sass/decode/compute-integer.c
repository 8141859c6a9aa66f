// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums and products of integers.
#include "sim/sass/decode/compute.h"

// --- sums: IADD3, IADD, VIADD; the argument says how many addends there are

typedef struct {
  Row rows[3];
  gboolean negated[3];
  guint n;
} Addends;

// The predicates that are carried in, at the end: "!PT" is none.
static guint
take_carries(SassReading *reading, Predicate *in) {
  guint table = 0;
  for (guint i = 0; i < 2 && smb_sass_at_predicate(reading); i++) {
    in[i] = smb_sass_take_condition(reading);
    if (in[i] != reading->decoder->never)
      table |= (guint)SUM_CARRY << i;
    else
      in[i] = PREDICATE_TRUE;
  }
  return table;
}

// Two addends or three, but for zeros, none of which is carried. At most one of them is subtracted by the operation.
static void
put_sum(SassReading *reading, Row d, Addends *addends) {
  Row added[3], zero = smb_sass_number(reading, 0), subtracted = zero;
  guint n_added = 0;
  gboolean subtracts = FALSE;
  for (guint i = 0; i < addends->n; i++) {
    Row row = addends->rows[i];
    if (row == zero)
      continue;
    if (addends->negated[i] && subtracts)
      added[n_added++] = smb_sass_apply(reading, OPERATION_NEG_32, row, 0, 0);
    else if (addends->negated[i]) {
      subtracts = TRUE;
      subtracted = row;
    } else
      added[n_added++] = row;
  }
  for (guint i = n_added; i < 3; i++)
    added[i] = zero;
  if (!subtracts && n_added <= 1)
    smb_sass_put(reading, OPERATION_MOV_32, d, added[0], 0, 0);
  else if (!subtracts)
    smb_sass_put(reading, n_added == 3 ? OPERATION_ADD3_32 : OPERATION_ADD_32, d, added[0],
                 added[1], added[2]);
  else if (n_added == 0)
    smb_sass_put(reading, OPERATION_NEG_32, d, subtracted, 0, 0);
  else
    smb_sass_put(reading, n_added == 2 ? OPERATION_SUB_ADD_32 : OPERATION_SUB_32, d, added[0],
                 subtracted, added[1]);
}

static void
put_sum_carry(SassReading *reading, Row d, const Predicate *out, const Addends *addends,
              guint table, const Predicate *in) {
  Compute compute = {.operation = OPERATION_ADD3_CARRY_32,
                     .d = d,
                     .p = out[0],
                     .q = out[1],
                     .in = {in[0], in[1]},
                     .table = (guint8)table};
  for (guint i = 0; i < 3; i++) {
    compute.s[i] = i < addends->n ? addends->rows[i] : smb_sass_number(reading, 0);
    if (i < addends->n && addends->negated[i])
      compute.table |= (guint8)(SUM_MINUS << i);
  }
  smb_sass_emit(reading, compute);
}

// Of two pairs, with a carry in and out: a - b is a + ~b + 1, whose carry is that of b = 0, too.
static void
put_wide_carry(SassReading *reading, Row d, const Predicate *out, const Addends *addends,
               guint table, const Predicate *in) {
  gboolean subtracts = addends->negated[0] || addends->negated[1];
  Row rows[2];
  for (guint i = 0; i < 2; i++)
    rows[i] = addends->negated[i]
                  ? smb_sass_apply(reading, OPERATION_NOT_64, addends->rows[i], 0, 0)
                  : addends->rows[i];
  if (out[1] != PREDICATE_TRUE || (table & SUM_CARRY << 1) || addends->n > 2 ||
      (addends->negated[0] && addends->negated[1]) || (subtracts && table))
    reading->is_other = TRUE;
  smb_sass_emit(reading, (Compute){.operation = OPERATION_ADD_CARRY_64,
                                   .d = d,
                                   .s = {rows[0], rows[1]},
                                   .p = out[0],
                                   .in = {table ? in[0] : PREDICATE_TRUE},
                                   .modifiers = table || subtracts ? 0 : MODIFIER_NOT_IN});
}

static void
put_64_bit_sum(SassReading *reading, Row d, const Addends *addends) {
  Row sum = addends->rows[0];
  if (addends->negated[0])
    sum = smb_sass_apply(reading, OPERATION_NEG_64, sum, 0, 0);
  for (guint i = 1; i < addends->n; i++) {
    Row next = i + 1 == addends->n ? d : smb_sass_scratch(reading->decoder, 2);
    smb_sass_put(reading, addends->negated[i] ? OPERATION_SUB_64 : OPERATION_ADD_64, next, sum,
                 addends->rows[i], 0);
    sum = next;
  }
}

// --- numbers of 8 and 16 bits in a register: VIADD.16x2, VIADD.U8x4

// Carries go no further than the byte: the highest bits are added apart.
static Row
add_bytes(SassReading *reading, Row a, Row b) {
  Row rest = smb_sass_number(reading, 0x7f7f7f7f), top = smb_sass_number(reading, 0x80808080);
  Row low = smb_sass_apply(reading, OPERATION_ADD_32,
                           smb_sass_apply(reading, OPERATION_AND_32, a, rest, 0),
                           smb_sass_apply(reading, OPERATION_AND_32, b, rest, 0), 0);
  Row high = smb_sass_apply(reading, OPERATION_XOR_32, a, b, 0);
  high = smb_sass_apply(reading, OPERATION_AND_32, high, top, 0);
  return smb_sass_apply(reading, OPERATION_XOR_32, low, high, 0);
}

// -a of each half.
static Row
negate_halves(SassReading *reading, Row a) {
  Row opposite = smb_sass_apply(reading, OPERATION_NOT_32, a, 0, 0);
  return smb_sass_apply(reading, OPERATION_ADD_16X2, opposite, smb_sass_number(reading, 0x10001),
                        0);
}

static Row
take_halves(SassReading *reading) {
  gboolean is_negated;
  Row row = smb_sass_take_addend(reading, 1, &is_negated);
  return is_negated ? negate_halves(reading, row) : row;
}

static Row
negate_bytes(SassReading *reading, Row a) {
  Row opposite = smb_sass_apply(reading, OPERATION_NOT_32, a, 0, 0);
  return add_bytes(reading, opposite, smb_sass_number(reading, 0x1010101));
}

static void
put_small_sums(SassReading *reading, Row d, const Addends *addends) {
  gboolean halves = smb_sass_says(reading, PART_16x2);
  Row rows[2];
  for (guint i = 0; i < 2; i++)
    rows[i] = !addends->negated[i] ? addends->rows[i]
              : halves             ? negate_halves(reading, addends->rows[i])
                                   : negate_bytes(reading, addends->rows[i]);
  if (halves)
    smb_sass_put(reading, OPERATION_ADD_16X2, d, rows[0], rows[1], 0);
  else
    smb_sass_put(reading, OPERATION_MOV_32, d, add_bytes(reading, rows[0], rows[1]), 0, 0);
}

void
smb_sass_compute_sum(SassReading *reading) {
  guint n_rows = smb_sass_says(reading, PART_64) ? 2 : 1;
  Addends addends = {.n = reading->decoder->argument};
  Predicate out[2] = {PREDICATE_TRUE, PREDICATE_TRUE}, in[2] = {PREDICATE_TRUE, PREDICATE_TRUE};
  Row d = smb_sass_take_result(reading, n_rows);
  for (guint i = 0; i < 2; i++)
    out[i] = smb_sass_take_target(reading);
  for (guint i = 0; i < addends.n; i++)
    addends.rows[i] = smb_sass_take_addend(reading, n_rows, &addends.negated[i]);
  guint table = take_carries(reading, in);
  gboolean subtracts = addends.negated[0] != addends.negated[1];
  gboolean carries = table || out[0] != PREDICATE_TRUE || out[1] != PREDICATE_TRUE;
  gboolean is_small = smb_sass_says(reading, PART_16x2) || smb_sass_says(reading, PART_U8x4);
  if (n_rows == 2 && carries)
    put_wide_carry(reading, d, out, &addends, table, in);
  else if (n_rows == 2)
    put_64_bit_sum(reading, d, &addends);
  else if (is_small)
    put_small_sums(reading, d, &addends);
  else if (smb_sass_says(reading, PART_ISAT))
    smb_sass_put(reading, subtracts ? OPERATION_SUB_SAT_S32 : OPERATION_ADD_SAT_S32, d,
                 addends.rows[addends.negated[0]], addends.rows[!addends.negated[0]], 0);
  else if (carries)
    put_sum_carry(reading, d, out, &addends, table, in);
  else
    put_sum(reading, d, &addends);
  gboolean is_negated = addends.negated[0] || addends.negated[1];
  if (smb_sass_says(reading, PART_ISAT) && (is_small || (is_negated && !subtracts)))
    reading->is_other = TRUE;
}

// --- products: IMAD

typedef struct {
  Row d;
  Predicate out;
  Row a, b, c;
  gboolean a_is_zero, b_is_one, c_is_zero;
  Predicate in; // SassDecoder.never: none
} IntegerProduct;

static gboolean
is_one(const SassOperand *operand) {
  return operand && operand->kind == SASS_IMMEDIATE && operand->value == 1;
}

static gboolean
is_nothing(const SassOperand *operand) {
  return operand && smb_sass_is_zero(operand);
}

// d, the carry out, a, b, c and the carry in, as all forms of IMAD have them.
static IntegerProduct
take_product(SassReading *reading, guint d_rows, guint c_rows) {
  IntegerProduct product = {.d = smb_sass_take_result(reading, d_rows),
                            .out = smb_sass_take_target(reading)};
  product.a_is_zero = is_nothing(smb_sass_peek(reading));
  product.a = smb_sass_take(reading, 1);
  product.b_is_one = is_one(smb_sass_peek(reading));
  product.b = smb_sass_take(reading, 1);
  product.c_is_zero = is_nothing(smb_sass_peek(reading));
  product.c = smb_sass_take(reading, c_rows);
  product.in = smb_sass_take_condition(reading);
  return product;
}

static void
put_carrying(SassReading *reading, Operation operation, Row d, const IntegerProduct *product) {
  smb_sass_emit(reading, (Compute){.operation = (guint16)operation,
                                   .d = d,
                                   .s = {product->a, product->b, product->c},
                                   .p = product->out,
                                   .in = {product->in}});
}

// ptxas moves and adds with IMAD, too: then that is the operation.
static void
put_low_product(SassReading *reading) {
  IntegerProduct product = take_product(reading, 1, 1);
  gboolean carries = smb_sass_says(reading, PART_X) || product.out != PREDICATE_TRUE;
  if (carries)
    put_carrying(reading, OPERATION_MAD_CARRY_32, product.d, &product);
  else if (product.a_is_zero)
    smb_sass_put(reading, OPERATION_MOV_32, product.d, product.c, 0, 0);
  else if (product.b_is_one)
    smb_sass_put(reading, OPERATION_ADD_32, product.d, product.a, product.c, 0);
  else if (product.c_is_zero)
    smb_sass_put(reading, OPERATION_MUL_32, product.d, product.a, product.b, 0);
  else
    smb_sass_put(reading, OPERATION_MAD_32, product.d, product.a, product.b, product.c);
}

// The whole product, or the high word of it and the pair that is added.
void
smb_sass_compute_product(SassReading *reading) {
  gboolean is_signed = !smb_sass_says(reading, PART_U32), high = smb_sass_says(reading, PART_HI);
  if (!high && !smb_sass_says(reading, PART_WIDE)) {
    put_low_product(reading);
    return;
  }
  IntegerProduct product = take_product(reading, high ? 1 : 2, 2);
  gboolean carries = smb_sass_says(reading, PART_X) || product.out != PREDICATE_TRUE;
  Operation carrying = is_signed ? OPERATION_MAD_WIDE_CARRY_S32 : OPERATION_MAD_WIDE_CARRY_U32;
  if (carries && high) {
    Row sum = smb_sass_scratch(reading->decoder, 2);
    put_carrying(reading, carrying, sum, &product);
    smb_sass_put(reading, OPERATION_MOV_32, product.d, sum + 1, 0, 0);
  } else if (carries)
    put_carrying(reading, carrying, product.d, &product);
  else if (high)
    smb_sass_put(reading, is_signed ? OPERATION_MAD_UPPER_S32 : OPERATION_MAD_UPPER_U32, product.d,
                 product.a, product.b, product.c);
  else if (product.c_is_zero)
    smb_sass_put(reading, is_signed ? OPERATION_MUL_WIDE_S32 : OPERATION_MUL_WIDE_U32, product.d,
                 product.a, product.b, 0);
  else
    smb_sass_put(reading, is_signed ? OPERATION_MAD_WIDE_S32 : OPERATION_MAD_WIDE_U32, product.d,
                 product.a, product.b, product.c);
}

// --- LEA: (a << n) + b; .HI: the high word of {c, a} << n, and b

// The carry of b - (a << n), and of (a << n) - b. Nothing is borrowed where 0 is subtracted: it is that of b + ~(a <<
// n) + 1. ("LEA RZ, P0, -R6, R8, 3" and an IADD3.X with it subtract numbers of 64 bits; ncu on an H200 shows which
// blocks of such a kernel continue.)
static void
put_difference_carry(SassReading *reading, Row d, Predicate target, Addends *addends,
                     guint32 factor) {
  Predicate out[2] = {target, PREDICATE_TRUE}, in[2] = {PREDICATE_TRUE};
  addends->rows[0] = smb_sass_apply(reading, OPERATION_MUL_32, addends->rows[0],
                                    smb_sass_number(reading, factor), 0);
  guint table = take_carries(reading, in);
  put_sum_carry(reading, d, out, addends, table, in);
}

static void
put_low_address(SassReading *reading) {
  Row d = smb_sass_take_result(reading, 1);
  Predicate out = smb_sass_take_target(reading);
  Addends addends = {.n = 2};
  if (smb_sass_says(reading, PART_SX32)) // of the high part only
    reading->is_other = TRUE;
  Row a = addends.rows[0] = smb_sass_take_addend(reading, 1, &addends.negated[0]);
  gboolean no_base = is_nothing(smb_sass_peek(reading));
  Row b = addends.rows[1] = smb_sass_take_addend(reading, 1, &addends.negated[1]);
  guint32 factor = 1u << (smb_sass_take_number(reading) & 31);
  gboolean carries = smb_sass_says(reading, PART_X) || out != PREDICATE_TRUE;
  if (carries && (addends.negated[0] || addends.negated[1])) {
    put_difference_carry(reading, d, out, &addends, factor);
    return;
  }
  if (addends.negated[1])
    b = smb_sass_apply(reading, OPERATION_NEG_32, b, 0, 0);
  Row by = smb_sass_number(reading, addends.negated[0] ? 0 - factor : factor);
  Predicate in = smb_sass_take_condition(reading);
  if (carries)
    smb_sass_emit(
        reading,
        (Compute){
            .operation = OPERATION_MAD_CARRY_32, .d = d, .s = {a, by, b}, .p = out, .in = {in}});
  else
    smb_sass_put(reading, no_base ? OPERATION_MUL_32 : OPERATION_MAD_32, d, a, by, b);
}

// The bits of a, and of what is above it, that are shifted out of the low word.
static Row
take_high_part(SassReading *reading, Row a, Addends *addends) {
  gboolean is_extended = smb_sass_says(reading, PART_SX32);
  addends->rows[1] = smb_sass_take_addend(reading, 1, &addends->negated[1]);
  gboolean no_top = is_nothing(smb_sass_peek(reading));
  Row top = is_extended ? a : smb_sass_take(reading, 1);
  guint amount = (guint)(smb_sass_take_number(reading) & 31);
  Row back = smb_sass_number(reading, 32 - amount);
  if (is_extended)
    return smb_sass_apply(reading, OPERATION_SHR_S32, a, back, 0);
  if (no_top)
    return smb_sass_apply(reading, OPERATION_SHR_U32, a, back, 0);
  return smb_sass_apply(reading, OPERATION_SHF_L_CLAMP, a, top, smb_sass_number(reading, amount));
}

void
smb_sass_compute_address(SassReading *reading) {
  if (!smb_sass_says(reading, PART_HI)) {
    put_low_address(reading);
    return;
  }
  Row d = smb_sass_take_result(reading, 1);
  Predicate out[2] = {smb_sass_take_target(reading), PREDICATE_TRUE}, in[2] = {PREDICATE_TRUE};
  Addends addends = {.n = 2};
  Row a = smb_sass_take(reading, 1);
  addends.rows[0] = take_high_part(reading, a, &addends);
  guint table = take_carries(reading, in);
  if (table || out[0] != PREDICATE_TRUE)
    put_sum_carry(reading, d, out, &addends, table, in);
  else
    put_sum(reading, d, &addends);
}

// --- extremes: the smaller one if the predicate is true

typedef struct {
  Operation smallest, largest;
} Extreme;

// The minimum and the maximum for the type that the instruction names; .RELU also makes negative results 0.
static Extreme
find_extreme(const SassReading *reading) {
  static const struct {
    SassPart part;
    Extreme plain, relu;
  } kinds[] = {
      {PART_S16x2,
       {OPERATION_MIN_S16X2, OPERATION_MAX_S16X2},
       {OPERATION_MIN_RELU_S16X2, OPERATION_MAX_RELU_S16X2}},
      {PART_U16x2, {OPERATION_MIN_U16X2, OPERATION_MAX_U16X2}, {0, 0}},
      {PART_U32, {OPERATION_MIN_U32, OPERATION_MAX_U32}, {0, 0}},
      {PART_U64, {OPERATION_MIN_U64, OPERATION_MAX_U64}, {0, 0}},
      {PART_S64, {OPERATION_MIN_S64, OPERATION_MAX_S64}, {0, 0}},
  };
  gboolean relu = smb_sass_says(reading, PART_RELU);
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
    if (smb_sass_says(reading, kinds[i].part))
      return relu ? kinds[i].relu : kinds[i].plain;
  if (relu)
    return (Extreme){OPERATION_MIN_RELU_S32, OPERATION_MAX_RELU_S32};
  return (Extreme){OPERATION_MIN_S32, OPERATION_MAX_S32};
}

// Of two or three rows.
static void
put_extreme(SassReading *reading, Row d, guint n_rows, const Row *rows, guint n,
            Predicate is_smallest) {
  Extreme extreme = find_extreme(reading);
  gboolean known = is_smallest == PREDICATE_TRUE || is_smallest == reading->decoder->never;
  Row results[2];
  for (guint i = 0; i < 2; i++) {
    Operation operation = i == 0 ? extreme.smallest : extreme.largest;
    if (known && (is_smallest == PREDICATE_TRUE) != (i == 0))
      continue;
    Row result = rows[0];
    for (guint j = 1; j < n; j++) {
      Row next = known && j + 1 == n ? d : smb_sass_scratch(reading->decoder, n_rows);
      smb_sass_put(reading, operation, next, result, rows[j], 0);
      result = next;
    }
    results[i] = result;
  }
  if (!known)
    smb_sass_emit(reading,
                  (Compute){.operation = n_rows == 2 ? OPERATION_SELECT_64 : OPERATION_SELECT_32,
                            .d = d,
                            .s = {results[0], results[1]},
                            .in = {is_smallest}});
}

// The smaller, or larger, of each two bytes.
static void
put_extreme_bytes(SassReading *reading, Row d, const Row *rows, Predicate is_smallest) {
  gboolean smallest = is_smallest == PREDICATE_TRUE;
  Row width = smb_sass_number(reading, 8), result = smb_sass_number(reading, 0);
  if (!smallest && is_smallest != reading->decoder->never)
    reading->is_other = TRUE;
  for (guint byte = 0; byte < 4; byte++) {
    Row at = smb_sass_number(reading, 8 * byte), bytes[2];
    for (guint i = 0; i < 2; i++)
      bytes[i] = smb_sass_apply(reading, OPERATION_BFE_U32, rows[i], at, width);
    Row chosen = smb_sass_apply(reading, smallest ? OPERATION_MIN_U32 : OPERATION_MAX_U32, bytes[0],
                                bytes[1], 0);
    chosen = smb_sass_apply(reading, OPERATION_SHL_32, chosen, at, 0);
    result = smb_sass_apply(reading, OPERATION_OR_32, result, chosen, 0);
  }
  smb_sass_put(reading, OPERATION_MOV_32, d, result, 0, 0);
}

// IMNMX, VIMNMX, VIMNMX3, of as many as the argument says: from sm_100 on two predicates may come first, or
// behind, the result, which say what was chosen.
void
smb_sass_compute_extreme(SassReading *reading) {
  gboolean is_wide = smb_sass_says(reading, PART_S64) || smb_sass_says(reading, PART_U64);
  guint n_rows = is_wide ? 2 : 1, n = reading->decoder->argument;
  gboolean chosen = FALSE;
  while (smb_sass_at_predicate(reading))
    chosen = smb_sass_take_target(reading) != PREDICATE_TRUE || chosen;
  Row d = smb_sass_take_result(reading, n_rows), rows[3];
  while (smb_sass_at_predicate(reading))
    chosen = smb_sass_take_target(reading) != PREDICATE_TRUE || chosen;
  for (guint i = 0; i < n; i++)
    rows[i] = smb_sass_take(reading, n_rows);
  Predicate is_smallest = smb_sass_take_condition(reading);
  while (smb_sass_at_predicate(reading))
    chosen = smb_sass_take_condition(reading) != reading->decoder->never || chosen;
  gboolean bytes = smb_sass_says(reading, PART_U8x4);
  if (find_extreme(reading).smallest == 0 || chosen ||
      (bytes && (n > 2 || smb_sass_says(reading, PART_RELU))))
    reading->is_other = TRUE;
  else if (bytes)
    put_extreme_bytes(reading, d, rows, is_smallest);
  else
    put_extreme(reading, d, n_rows, rows, n, is_smallest);
}

// VIADDMNMX: of a + b and c.
void
smb_sass_compute_extreme_sum(SassReading *reading) {
  Row d = smb_sass_take_result(reading, 1);
  while (smb_sass_at_predicate(reading))
    reading->is_other = smb_sass_take_target(reading) != PREDICATE_TRUE || reading->is_other;
  gboolean halves = smb_sass_says(reading, PART_S16x2) || smb_sass_says(reading, PART_U16x2);
  Row a = halves ? take_halves(reading) : smb_sass_take(reading, 1);
  Row b = halves ? take_halves(reading) : smb_sass_take(reading, 1);
  Row sum = smb_sass_apply(reading, halves ? OPERATION_ADD_16X2 : OPERATION_ADD_32, a, b, 0);
  Row rows[2] = {sum, halves ? take_halves(reading) : smb_sass_take(reading, 1)};
  Predicate is_smallest = smb_sass_take_condition(reading);
  if (find_extreme(reading).smallest == 0)
    reading->is_other = TRUE;
  else
    put_extreme(reading, d, 1, rows, 2, is_smallest);
}

// --- others

// IABS, BREV, POPC: the argument is the operation.
void
smb_sass_compute_unary(SassReading *reading) {
  Row d = smb_sass_take_result(reading, 1), a = smb_sass_take(reading, 1);
  smb_sass_put(reading, (Operation)reading->decoder->argument, d, a, 0, 0);
}

// VABSDIFF: |a - b| + c.
void
smb_sass_compute_difference(SassReading *reading) {
  Operation operation = smb_sass_says(reading, PART_U32) ? OPERATION_SAD_U32 : OPERATION_SAD_S32;
  Row d = smb_sass_take_result(reading, 1), rows[3];
  for (guint i = 0; i < 3; i++)
    rows[i] = smb_sass_take(reading, 1);
  smb_sass_put(reading, operation, d, rows[0], rows[1], rows[2]);
}

// VABSDIFF4: |a - b| of each byte, or, with ACC, their sum + c.
void
smb_sass_compute_differences(SassReading *reading) {
  gboolean is_signed = smb_sass_says(reading, PART_S8), adds = smb_sass_says(reading, PART_ACC);
  Operation extract = is_signed ? OPERATION_BFE_S32 : OPERATION_BFE_U32;
  Row d = smb_sass_take_result(reading, 1), a = smb_sass_take(reading, 1);
  Row b = smb_sass_take(reading, 1), result = smb_sass_take(reading, 1);
  Row width = smb_sass_number(reading, 8), zero = smb_sass_number(reading, 0);
  for (guint byte = 0; byte < 4; byte++) {
    Row at = smb_sass_number(reading, 8 * byte);
    Row x = smb_sass_apply(reading, extract, a, at, width);
    Row y = smb_sass_apply(reading, extract, b, at, width);
    Row difference = smb_sass_apply(reading, OPERATION_SAD_S32, x, y, adds ? result : zero);
    Row placed =
        adds ? difference : smb_sass_apply(reading, OPERATION_SHL_32, difference, at, zero);
    result =
        adds || byte == 0 ? placed : smb_sass_apply(reading, OPERATION_OR_32, result, placed, zero);
  }
  smb_sass_put(reading, OPERATION_MOV_32, d, result, 0, 0);
}

// IDP: the types of its operands are the last two parts.
void
smb_sass_compute_dot(SassReading *reading) {
  static const Operation operations[3][2][2] = {
      {{OPERATION_DP4A_UU, OPERATION_DP4A_US}, {OPERATION_DP4A_SU, OPERATION_DP4A_SS}},
      {{OPERATION_DP2A_LO_UU, OPERATION_DP2A_LO_US}, {OPERATION_DP2A_LO_SU, OPERATION_DP2A_LO_SS}},
      {{OPERATION_DP2A_HI_UU, OPERATION_DP2A_HI_US}, {OPERATION_DP2A_HI_SU, OPERATION_DP2A_HI_SS}},
  };
  const guint16 *parts = reading->decoder->instruction->parts;
  guint n = 0;
  while (parts[n])
    n++;
  if (n < 3) {
    reading->is_other = TRUE;
    return;
  }
  guint form = smb_sass_says(reading, PART_4A) ? 0 : smb_sass_says(reading, PART_LO) ? 1 : 2;
  gboolean a_is_signed = parts[n - 2] == PART_S8 || parts[n - 2] == PART_S16;
  Operation operation = operations[form][a_is_signed][parts[n - 1] == PART_S8];
  Row d = smb_sass_take_result(reading, 1), rows[3];
  for (guint i = 0; i < 3; i++)
    rows[i] = smb_sass_take(reading, 1);
  smb_sass_put(reading, operation, d, rows[0], rows[1], rows[2]);
}
