// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums, differences and products with a carry (PTX ISA, extended-precision arithmetic; IADD3 and IMAD of machine code):
// numbers of more words than one.
// The flag is one for all of them, as in hardware: a difference is the sum with the complement, and sets it where
// nothing is borrowed (measured on an H100: an addc behind a sub.cc adds 1 where nothing was borrowed).
#include "sim/exec/compute/compute-impl.h"
#include "sim/machine/access/lanes.h"

typedef struct {
  Bits value;
  Bits carry;
} Sum;

// What lanes write, and what is not known of it; p and q are lanes.
typedef struct {
  guint32 values[2 * SMB_MAX_LANES];
  guint32 unknown[2 * SMB_MAX_LANES];
  Bits p, q;
} Results;

static gboolean
is_wide(const Compute *compute) {
  return compute->operation == OPERATION_MAD_WIDE_CARRY_U32 ||
         compute->operation == OPERATION_MAD_WIDE_CARRY_S32;
}

// Of the low @width bits.
static Sum
add_carry(Bits x, Bits y, Bits carry, guint width) {
  Sum sum = {.value = smb_bits_add(x, y, carry)};
  if (width < 64) {
    sum.carry = bits_field(bits_right(sum.value, width), 1);
    return sum;
  }
  WideUnsigned least = (WideUnsigned)x.value + y.value + (carry.value & 1);
  WideUnsigned most = (WideUnsigned)bits_most(x) + bits_most(y) + (bits_most(carry) & 1);
  sum.carry = bits_either(bits_of((guint64)(least >> 64)), bits_of((guint64)(most >> 64)));
  return sum;
}

// The high half of a product.
static Bits
multiply_high_bits(Operation operation, Bits x, Bits y) {
  gboolean known = !x.unknown && !y.unknown;
  if (operation == OPERATION_MAD_HI_CARRY_U32 || operation == OPERATION_MAD_HI_CARRY_S32)
    return bits_right(bits_multiply(x, y), 32);
  if (!known)
    return bits_unknown(G_MAXUINT64);
  if (operation == OPERATION_MAD_HI_CARRY_U64)
    return bits_of((guint64)((WideUnsigned)x.value * y.value >> 64));
  return bits_of((guint64)((Wide)(gint64)x.value * (gint64)y.value >> 64));
}

static Sum
compute_carry(const Compute *compute, Bits x, Bits y, Bits z, Bits carry) {
  Operation operation = (Operation)compute->operation;
  guint width = 32u * compute->n_rows[0];
  if (operation == OPERATION_ADD_CARRY_32 || operation == OPERATION_ADD_CARRY_64)
    return add_carry(x, y, carry, width);
  if (operation == OPERATION_SUB_CARRY_32 || operation == OPERATION_SUB_CARRY_64)
    return add_carry(x, bits_field(bits_not(y), width), carry, width);
  gboolean low = operation == OPERATION_MAD_CARRY_32 || operation == OPERATION_MAD_CARRY_64 ||
                 is_wide(compute);
  Bits product = low ? bits_multiply(x, y) : multiply_high_bits(operation, x, y);
  return add_carry(bits_field(product, width), z, carry, width);
}

// The same of known numbers, of which the sum with its carry fits.
static WideUnsigned
sum_known(const Compute *compute, guint64 x, guint64 y, guint64 z, gboolean carry) {
  guint width = 32u * compute->n_rows[0];
  switch ((guint)compute->operation) {
  case OPERATION_ADD_CARRY_32:
  case OPERATION_ADD_CARRY_64:
    return (WideUnsigned)x + y + (guint)carry;
  case OPERATION_SUB_CARRY_32:
  case OPERATION_SUB_CARRY_64:
    return (WideUnsigned)x + (~y & low_ones(width)) + (guint)carry;
  case OPERATION_MAD_CARRY_32:
  case OPERATION_MAD_CARRY_64:
    return (WideUnsigned)(x * y & low_ones(width)) + z + (guint)carry;
  case OPERATION_MAD_WIDE_CARRY_U32:
    return (WideUnsigned)(x * y) + z + (guint)carry;
  case OPERATION_MAD_WIDE_CARRY_S32:
    return (WideUnsigned)(guint64)((gint64)(gint32)x * (gint32)y) + z + (guint)carry;
  case OPERATION_MAD_HI_CARRY_S32:
    x = (guint64)((gint64)(gint32)x * (gint32)y);
    return (WideUnsigned)(x >> 32) + z + (guint)carry;
  case OPERATION_MAD_HI_CARRY_S64:
    return (WideUnsigned)(guint64)((Wide)(gint64)x * (gint64)y >> 64) + z + (guint)carry;
  }
  return ((WideUnsigned)x * y >> width) + z + (guint)carry;
}

static guint64
read_known(const Compute *compute, const Registers *registers, guint source, guint lane) {
  if (source >= compute->n_sources)
    return 0;
  const guint32 *values = row_values(registers, compute->s[source]);
  return compute->n_rows[1 + source] == 1
             ? values[lane]
             : join_32(values[lane], values[registers->n_lanes + lane]);
}

// --- results

static void
put_results(const Compute *compute, Registers *registers, SmbLanes lanes, const Results *results,
            guint marks, guint32 origin, gboolean known) {
  guint n = registers->n_lanes, taint = marks & ROW_TAINT;
  for (guint i = 0; i < compute->n_rows[0]; i++)
    smb_row_set(registers, compute->d + i, lanes, results->values + i * n,
                known ? NULL : results->unknown + i * n,
                i > 0 && compute->is_parted ? taint : marks, origin);
  smb_predicate_set(registers, compute->p, lanes, results->p.value, results->p.unknown, taint,
                    origin);
  smb_predicate_set(registers, compute->q, lanes, results->q.value, results->q.unknown, taint,
                    origin);
}

static void
put_bits(const Compute *compute, guint n, guint lane, Bits bits, Results *results) {
  for (guint i = 0; i < compute->n_rows[0]; i++) {
    results->values[i * n + lane] = (guint32)(bits.value >> 32 * i);
    results->unknown[i * n + lane] = (guint32)(bits.unknown >> 32 * i);
  }
}

// Marks of a result that is known. What is carried is noted in the signature, and so is what decides it: then the
// result is affine where the operands are.
static guint
mark_results(const Compute *compute, const Registers *registers, SmbLanes lanes, guint flags,
             const Results *results) {
  if (!(flags & ROW_AFFINE) || flags & ROW_BLOCK ||
      !smb_affine_carry(compute, registers, lanes, results->values))
    return taint_of(flags);
  smb_signature_note(registers->block, results->p.value & lanes);
  smb_signature_note(registers->block, results->q.value & lanes);
  return (flags & ROW_TAINT) | ROW_AFFINE;
}

// --- of one row, where everything is known

static void
accumulate_words(guint n, const guint32 *words, gboolean minus, guint64 *sums) {
  guint32 mask = minus ? G_MAXUINT32 : 0, one = mask & 1;
  EACH_LANE(n, sums[lane] += (guint64)(words[lane] ^ mask) + one;)
}

static void
add_lanes(guint n, SmbLanes lanes, guint64 *sums) {
  guint32 words[SMB_MAX_LANES];
  smb_lanes_spread(lanes, n, words);
  EACH_LANE(n, sums[lane] += words[lane] & 1;)
}

// The low words of sums, which have two bits more; p: one of these is 1, q: the higher one.
static void
split_sums(const Registers *registers, const guint64 *sums, Results *results) {
  guint n = registers->n_lanes;
  guint32 carries[SMB_MAX_LANES];
  EACH_LANE(n, results->values[lane] = (guint32)sums[lane];)
  EACH_LANE(n, carries[lane] = (guint32)(sums[lane] >> 32);)
  results->p = bits_of(find_set_lanes(n, carries));
  EACH_LANE(n, carries[lane] &= 2;)
  results->q = bits_of(find_set_lanes(n, carries));
}

static void
run_carry_narrow(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags) {
  Results results;
  guint64 sums[SMB_MAX_LANES] = {0};
  guint n = registers->n_lanes;
  const guint32 *x = row_values(registers, compute->s[0]);
  const guint32 *y = row_values(registers, compute->s[1]);
  if (compute->operation == OPERATION_MAD_CARRY_32) {
    EACH_LANE(n, sums[lane] = x[lane] * y[lane];)
    accumulate_words(n, row_values(registers, compute->s[2]), FALSE, sums);
  } else {
    accumulate_words(n, x, FALSE, sums);
    accumulate_words(n, y, FALSE, sums);
  }
  add_lanes(n, smb_compute_in(compute, registers, 0).value, sums);
  split_sums(registers, sums, &results);
  put_results(compute, registers, lanes, &results,
              mark_results(compute, registers, lanes, flags, &results), 0, TRUE);
}

static void
run_carry_known(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags) {
  Results results = {.p = {0, 0}, .q = {0, 0}};
  guint n = registers->n_lanes, width = 32u * compute->n_rows[0];
  SmbLanes in = smb_compute_in(compute, registers, 0).value;
  for (guint lane = 0; lane < n; lane++) {
    WideUnsigned sum = sum_known(compute, read_known(compute, registers, 0, lane),
                                 read_known(compute, registers, 1, lane),
                                 read_known(compute, registers, 2, lane), in >> lane & 1);
    put_bits(compute, n, lane, bits_of((guint64)sum), &results);
    results.p.value |= (SmbLanes)(sum >> width & 1) << lane;
  }
  put_results(compute, registers, lanes, &results,
              mark_results(compute, registers, lanes, flags, &results), 0, TRUE);
}

static guint
predicate_flags(const Compute *compute, const Registers *registers, SmbLanes lanes) {
  guint flags = 0;
  for (guint i = 0; i < 2; i++)
    flags |= predicate_flags_in(registers, compute->in[i], lanes);
  return flags;
}

// Where unknown bits come from: of a row, or else of a predicate.
static guint32
find_unknown_origin(const Compute *compute, const Registers *registers) {
  guint32 origin = smb_compute_origin(compute, registers);
  for (guint i = 0; i < 2 && origin == 0; i++)
    if (registers->predicate_flags[compute->in[i]] & ROW_UNKNOWN)
      origin = registers->predicate_origin[compute->in[i]];
  return origin;
}

void
smb_compute_carry(const Compute *compute, Registers *registers, SmbLanes lanes) {
  guint flags =
      smb_compute_flags_in(compute, registers, lanes) | predicate_flags(compute, registers, lanes);
  Operation operation = (Operation)compute->operation;
  if (!(flags & ROW_UNKNOWN)) {
    if (operation == OPERATION_ADD_CARRY_32 || operation == OPERATION_MAD_CARRY_32)
      run_carry_narrow(compute, registers, lanes, flags);
    else
      run_carry_known(compute, registers, lanes, flags);
    return;
  }
  Results results = {.p = {0, 0}, .q = {0, 0}};
  Bits in = smb_compute_in(compute, registers, 0), zero = {0, 0};
  FOR_LANES(lanes, lane) {
    Sum sum =
        compute_carry(compute, smb_compute_read(compute, registers, 0, lane),
                      smb_compute_read(compute, registers, 1, lane),
                      compute->n_sources > 2 ? smb_compute_read(compute, registers, 2, lane) : zero,
                      bits_field(bits_right(in, lane), 1));
    put_bits(compute, registers->n_lanes, lane, sum.value, &results);
    results.p = bits_or(results.p, bits_left(sum.carry, lane));
  }
  put_results(compute, registers, lanes, &results, taint_of(flags),
              find_unknown_origin(compute, registers), FALSE);
}

// --- sums of three

// The summand of an operand. A subtracted one has 33 bits, so that 0 - 0 carries (machine code, IADD3).
static Bits
read_addend(const Compute *compute, const Registers *registers, guint source, guint lane) {
  Bits x = smb_compute_read(compute, registers, source, lane);
  if (compute->table >> source & SUM_MINUS)
    return bits_add(bits_field(bits_not(x), 32), bits_of(1));
  return x;
}

static Bits
read_carry(const Compute *compute, const Registers *registers, guint i, guint lane) {
  if (!(compute->table & SUM_CARRY << i))
    return bits_of(0);
  return bits_field(bits_right(smb_compute_in(compute, registers, i), lane), 1);
}

static void
run_sum_known(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags) {
  Results results;
  guint64 sums[SMB_MAX_LANES] = {0};
  guint n = registers->n_lanes;
  for (guint i = 0; i < 3; i++)
    accumulate_words(n, row_values(registers, compute->s[i]), compute->table >> i & SUM_MINUS,
                     sums);
  for (guint i = 0; i < 2; i++)
    if (compute->table & SUM_CARRY << i)
      add_lanes(n, smb_compute_in(compute, registers, i).value, sums);
  split_sums(registers, sums, &results);
  put_results(compute, registers, lanes, &results,
              mark_results(compute, registers, lanes, flags, &results), 0, TRUE);
}

void
smb_compute_sum(const Compute *compute, Registers *registers, SmbLanes lanes) {
  guint flags =
      smb_compute_flags_in(compute, registers, lanes) | predicate_flags(compute, registers, lanes);
  if (!(flags & ROW_UNKNOWN)) {
    run_sum_known(compute, registers, lanes, flags);
    return;
  }
  Results results = {.p = {0, 0}, .q = {0, 0}};
  FOR_LANES(lanes, lane) {
    Bits sum = bits_of(0);
    for (guint i = 0; i < 3; i++)
      sum = bits_add(sum, read_addend(compute, registers, i, lane));
    for (guint i = 0; i < 2; i++)
      sum = bits_add(sum, read_carry(compute, registers, i, lane));
    put_bits(compute, registers->n_lanes, lane, sum, &results);
    Bits low = bits_field(bits_right(sum, 32), 1), high = bits_field(bits_right(sum, 33), 1);
    results.p = bits_or(results.p, bits_left(bits_or(low, high), lane));
    results.q = bits_or(results.q, bits_left(high, lane));
  }
  put_results(compute, registers, lanes, &results, taint_of(flags),
              find_unknown_origin(compute, registers), FALSE);
}
