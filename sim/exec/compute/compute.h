// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What compiled code computes of registers, without memory and control: an operation of operations.def, in all lanes of
// a warp at once. Decoders of any instruction set make them. Of functions that the device approximates
// the result is known where it was measured (smb_compute_approximate()), else not (MODIFIER_APPROXIMATE). Bits that
// depend on unknown ones are unknown: by bit where operations.def has a rule, else the whole result is.
// Private to sim/exec and its front ends.
#pragma once

#include "sim/exec/compute/registers.h"

G_BEGIN_DECLS

typedef enum {
#define OPERATION(name, ...)  OPERATION_##name,
#define COMPARISON(name, ...) OPERATION_##name,
#define SPECIAL(name, ...)    OPERATION_##name,
#include "sim/exec/compute/operations.def"
  N_OPERATIONS,
} Operation;

// Variations that several operations have.
enum {
  MODIFIER_ROUND = 3, // for a floating-point result: one of
  MODIFIER_NEAREST = 0,
  MODIFIER_ZERO = 1,
  MODIFIER_DOWN = 2,
  MODIFIER_UP = 3,
  MODIFIER_FLUSH = 1 << 2, // subnormal operands and results count as 0 with their sign (.ftz)
  MODIFIER_SATURATE =
      1 << 3,             // floating point: to [0, 1], NaN to 0; integers: to the ends of the range
  MODIFIER_RELU = 1 << 4, // a negative result becomes 0
  MODIFIER_NAN = 1 << 5,  // for min and max: NaN if one operand is
  MODIFIER_ABSOLUTE = 1 << 6,    // for min and max: of absolute values
  MODIFIER_XOR_SIGN = 1 << 7,    // for min and max: the sign is the xor of the operands'
  MODIFIER_APPROXIMATE = 1 << 8, // the result is not known
  MODIFIER_INTEGER = 1 << 9,     // for a conversion: to a whole number (.rni, .rzi, .rmi, .rpi)
  MODIFIER_AWAY =
      1 << 10, // for a conversion: of two equally near results the one away from 0 (.rna)
  MODIFIER_NOT = 1 << 11,     // for a comparison: its opposite
  MODIFIER_NOT_IN = 1 << 12,  // the predicate @in is negated
  MODIFIER_COMBINE = 3 << 13, // for a comparison: what is done with it and @in, one of
  MODIFIER_AND = 1 << 13,
  MODIFIER_OR = 2 << 13,
  MODIFIER_XOR = 3 << 13,
  MODIFIER_FINITE =
      1 << 15, // for a conversion: what is beyond the range becomes the largest finite number
};

// Compute.table of a conversion to binary32: to a TF32, which has fewer bits.
enum {
  CONVERT_TF32 = 1
};

// Compute.table of ADD3_CARRY_32.
enum {
  SUM_MINUS = 1,      // << i: operand i is subtracted: 2^32 less it is added
  SUM_CARRY = 1 << 3, // << i: in[i] is added
};

// Compute.table of a shuffle: a lane that does not take part gives 0, else what it gives is not known.
enum {
  SHUFFLE_ZERO = 1
};

typedef struct _Compute Compute;

// Executes an operation in @lanes, which are active, and whose guard is true. Others keep their value.
typedef void (*ComputeHandler)(const Compute *compute, Registers *registers, SmbLanes lanes);

// Computes a known result of rows in every lane (sim/exec/compute/loop.h).
typedef void (*ComputeLoop)(const Compute *compute, guint n, const guint32 *const *sources,
                            guint32 *d);

enum {
  COMPUTE_SOURCES = 4
};

/**
 * Compute: an operation with its operands
 * @run, @handler, @loop, @forgets, @spreads, @n_sources, @n_rows: what executes it, and what that wants to know
 *   (smb_compute_prepare()); @run calls @handler, or is it
 * @table: of LOP3 and of predicates: the result for each combination of the operands' bits (a 0xf0, b 0xcc, c 0xaa);
 *   of permutations the mode
 * @bytes: of a comparison whose result goes into a row, or of a conversion: of the result
 * @from, @to: for a conversion: SmbScalar; @to as well of a comparison whose result goes into a row
 * @d: the row of its result, or the first of two
 * @s: rows of its operands, or the first of two
 * @p: the predicate of its result: of a comparison, or what is carried or borrowed
 * @q: for a comparison: the predicate of its opposite
 * @in: an operand: what is carried, the choice of a selection, what a comparison is combined with
 * @is_uniform: whichever lanes take part, its result is written in all that still run (the uniform datapath of machine
 *   code)
 * @is_parted: rows of pairs are numbers of their own, each affine in blockIdx or not; else the pair is one
 * @index: the operation's number, for origins
 */
struct _Compute {
  ComputeHandler run;
  ComputeHandler handler;
  ComputeLoop loop;
  guint16 operation;
  guint16 modifiers;
  guint8 table;
  guint8 from, to;
  guint8 bytes;
  guint8 forgets;
  guint8 spreads;
  guint8 is_uniform;
  guint8 is_parted;
  guint8 n_sources;
  guint8 n_rows[1 + COMPUTE_SOURCES]; // of the result and the operands
  Row d;
  Row s[COMPUTE_SOURCES];
  Predicate p, q;
  Predicate in[3];
  guint32 index;
};

// Before that: what approximates (MODIFIER_APPROXIMATE) and was measured of @chip (90 of sm_90) is known
// (multifunction.h).
void smb_compute_approximate(Compute *compute, guint chip);

// Chooses the handler of an operation that is filled in.
void smb_compute_prepare(Compute *compute);

static inline void
smb_compute(const Compute *compute, Registers *registers, SmbLanes lanes) {
  compute->run(compute, registers, lanes);
}

// Whether a lane's result depends on what other lanes have, and on which of them take part.
gboolean smb_compute_is_exchange(const Compute *compute);
// The same, and on which others name each other: a shuffle asks one lane, whoever they are.
gboolean smb_compute_has_members(const Compute *compute);

// --- what an operation is, for decoders

// What its operands are, and what happens to it.
typedef enum {
  SHAPE_NONE,
  SHAPE_U16, // of the low half of a row
  SHAPE_S16,
  SHAPE_U32,
  SHAPE_S32,
  SHAPE_U64, // two rows
  SHAPE_S64,
  SHAPE_U8, // of the low byte of a row
  SHAPE_S8,
  SHAPE_F32,
  SHAPE_F64,
  SHAPE_PREDICATE,
} Shape;

typedef struct {
  const char *name;
  guint8 result;                   // Shape
  guint8 sources[COMPUTE_SOURCES]; // Shape; SHAPE_NONE ends them
} OperationInfo;

const OperationInfo *smb_operation_info(Operation operation);

// Rows that a shape takes.
static inline guint
shape_rows(Shape shape) {
  return shape == SHAPE_U64 || shape == SHAPE_S64 || shape == SHAPE_F64 ? 2 : 1;
}

G_END_DECLS
