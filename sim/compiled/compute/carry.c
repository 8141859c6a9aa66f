// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums, differences and products with a carry (PTX ISA, extended-precision arithmetic): numbers of more words than one.
// The flag is one for all of them, as in hardware: a difference is the sum with the complement, and sets it where nothing
// is borrowed (measured on an H100: an addc behind a sub.cc adds 1 where nothing was borrowed).
#include "sim/compiled/compute/compute-impl.h"

typedef struct {
  Bits value;
  Bits carry;
} Sum;

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
multiply_high(Operation operation, Bits x, Bits y) {
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
  gboolean low = operation == OPERATION_MAD_CARRY_32 || operation == OPERATION_MAD_CARRY_64;
  Bits product = low ? bits_multiply(x, y) : multiply_high(operation, x, y);
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
  return compute->n_rows[0] == 1 ? values[lane]
                                 : join_32(values[lane], values[registers->n_lanes + lane]);
}

static void
run_carry_known(const Compute *compute, Registers *registers, SmbLanes lanes, guint marks) {
  guint32 values[2 * SMB_MAX_LANES] = {0};
  guint n = registers->n_lanes, width = 32u * compute->n_rows[0];
  SmbLanes in = smb_compute_in(compute, registers, 0).value, out = 0;
  for (guint lane = 0; lane < n; lane++) {
    WideUnsigned sum = sum_known(compute, read_known(compute, registers, 0, lane),
                                 read_known(compute, registers, 1, lane),
                                 read_known(compute, registers, 2, lane), in >> lane & 1);
    values[lane] = (guint32)sum;
    values[n + lane] = (guint32)(sum >> 32);
    out |= (SmbLanes)(sum >> width & 1) << lane;
  }
  smb_compute_merge(compute, registers, lanes, marks, values);
  smb_predicate_set(registers, compute->p, lanes, out, 0, marks, 0);
}

void
smb_compute_carry(const Compute *compute, Registers *registers, SmbLanes lanes) {
  guint32 values[2 * SMB_MAX_LANES] = {0}, unknown[2 * SMB_MAX_LANES] = {0};
  guint n = registers->n_lanes, in_flags = registers->predicate_flags[compute->in[0]];
  guint flags = smb_compute_flags(compute, registers) | in_flags;
  if (!(flags & ROW_UNKNOWN)) {
    run_carry_known(compute, registers, lanes, taint_of(flags));
    return;
  }
  Bits in = smb_compute_in(compute, registers, 0), out = {0, 0}, zero = {0, 0};
  FOR_LANES(lanes, lane) {
    Sum sum =
        compute_carry(compute, smb_compute_read(compute, registers, 0, lane),
                      smb_compute_read(compute, registers, 1, lane),
                      compute->n_sources > 2 ? smb_compute_read(compute, registers, 2, lane) : zero,
                      bits_field(bits_right(in, lane), 1));
    for (guint i = 0; i < compute->n_rows[0]; i++) {
      values[i * n + lane] = (guint32)(sum.value.value >> 32 * i);
      unknown[i * n + lane] = (guint32)(sum.value.unknown >> 32 * i);
    }
    out = bits_or(out, bits_left(sum.carry, lane));
  }
  guint32 origin = smb_compute_origin(compute, registers);
  if (origin == 0)
    origin = registers->predicate_origin[compute->in[0]];
  for (guint i = 0; i < compute->n_rows[0]; i++)
    smb_row_set(registers, compute->d + i, lanes, values + i * n, unknown + i * n, taint_of(flags),
                origin);
  smb_predicate_set(registers, compute->p, lanes, out.value, out.unknown, taint_of(flags), origin);
}
