// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What lanes of a warp exchange, of those that are active. Results in the uniform datapath are written in
// all lanes.
#include "sim/sass/decode/compute.h"

// Steps of the active lanes, whatever their result goes to.
static void
emit_active(SassReading *reading, Compute compute) {
  smb_sass_add_compute(reading->decoder, &compute);
}

// What goes to a uniform register is the first lane's.
static void
put_first(SassReading *reading, Row d, Row from) {
  emit_active(reading, (Compute){.operation = OPERATION_FIRST, .d = d, .s = {from}});
}

// SHFL p, d, a, b, c
void
smb_sass_compute_exchange(SassReading *reading) {
  static const SassChoice modes[] = {{PART_UP, OPERATION_SHFL_UP},
                                     {PART_DOWN, OPERATION_SHFL_DOWN},
                                     {PART_BFLY, OPERATION_SHFL_BFLY},
                                     {PART_IDX, OPERATION_SHFL_IDX}};
  Compute compute = {.operation = (guint16)SASS_CHOOSE(reading->decoder, modes, N_OPERATIONS),
                     .table = SHUFFLE_ZERO};
  compute.p = smb_sass_take_target(reading);
  compute.d = smb_sass_take_result(reading, 1);
  for (guint i = 0; i < 3; i++)
    compute.s[i] = smb_sass_take(reading, 1);
  if (compute.operation == N_OPERATIONS) {
    reading->is_other = TRUE;
    return;
  }
  smb_build_shuffle(&reading->decoder->builder);
  emit_active(reading, compute);
}

// VOTE [d,] p, a: in d the lanes where a is true. The argument says whether d and p are uniform (VOTEU).
void
smb_sass_compute_vote(SassReading *reading) {
  SassDecoder *decoder = reading->decoder;
  gboolean is_uniform = decoder->argument;
  Operation operation = smb_sass_says(reading, PART_ALL)   ? OPERATION_VOTE_ALL
                        : smb_sass_says(reading, PART_ANY) ? OPERATION_VOTE_ANY
                                                           : OPERATION_VOTE_UNI;
  gboolean has_row = !smb_sass_at_predicate(reading);
  Row d = has_row ? smb_sass_take_result(reading, 1) : 0;
  Predicate p = smb_sass_take_target(reading), a = smb_sass_take_condition(reading);
  if (has_row) {
    Row ballot = is_uniform ? smb_sass_scratch(decoder, 1) : d;
    emit_active(reading, (Compute){.operation = OPERATION_VOTE_BALLOT, .d = ballot, .in = {a}});
    if (is_uniform)
      put_first(reading, d, ballot);
  }
  if (p == PREDICATE_TRUE)
    return;
  Predicate vote = is_uniform ? smb_sass_scratch_predicate(decoder) : p;
  emit_active(reading, (Compute){.operation = (guint16)operation, .p = vote, .in = {a}});
  if (is_uniform)
    emit_active(reading, (Compute){.operation = OPERATION_FIRST_PREDICATE, .p = p, .in = {vote}});
}

// MATCH.ANY d, a; MATCH.ALL p, d, a
void
smb_sass_compute_match(SassReading *reading) {
  gboolean is_wide = smb_sass_says(reading, PART_U64), any = smb_sass_says(reading, PART_ANY);
  Compute compute = {.operation = is_wide
                                      ? (any ? OPERATION_MATCH_ANY_64 : OPERATION_MATCH_ALL_64)
                                      : (any ? OPERATION_MATCH_ANY_32 : OPERATION_MATCH_ALL_32)};
  compute.p = smb_sass_take_target(reading);
  compute.d = smb_sass_take_result(reading, 1);
  compute.s[0] = smb_sass_take(reading, is_wide ? 2 : 1);
  emit_active(reading, compute);
}

static Operation
find_reduction(const SassReading *reading) {
  gboolean is_signed = smb_sass_says(reading, PART_S32);
  if (smb_sass_says(reading, PART_MIN))
    return is_signed ? OPERATION_REDUX_MIN_S32 : OPERATION_REDUX_MIN_U32;
  if (smb_sass_says(reading, PART_MAX))
    return is_signed ? OPERATION_REDUX_MAX_S32 : OPERATION_REDUX_MAX_U32;
  return smb_sass_says(reading, PART_SUM)   ? OPERATION_REDUX_ADD
         : smb_sass_says(reading, PART_OR)  ? OPERATION_REDUX_OR
         : smb_sass_says(reading, PART_XOR) ? OPERATION_REDUX_XOR
                                            : OPERATION_REDUX_AND;
}

// REDUX, CREDUX: into a uniform register.
void
smb_sass_compute_reduction(SassReading *reading) {
  Row d = smb_sass_take_result(reading, 1), sum = smb_sass_scratch(reading->decoder, 1);
  reading->is_uniform = FALSE;
  emit_active(reading, (Compute){.operation = (guint16)find_reduction(reading),
                                 .d = sum,
                                 .s = {smb_sass_take(reading, 1)}});
  put_first(reading, d, sum);
}

// R2UR P0, UR4, R6: P0 in lanes that have another number than the first one, whose number is in UR4; .OR: or had P0
// before.
void
smb_sass_compute_first(SassReading *reading) {
  Predicate p = smb_sass_take_target(reading);
  Row d = smb_sass_take_result(reading, 1), a = smb_sass_take(reading, 1);
  gboolean adds = smb_sass_says(reading, PART_OR);
  put_first(reading, d, a);
  if (p == PREDICATE_TRUE)
    return;
  Predicate same = smb_sass_scratch_predicate(reading->decoder);
  smb_sass_emit(reading, (Compute){.operation = OPERATION_EQ_32, .p = same, .s = {a, d}});
  smb_sass_put_predicate(reading, p, adds ? 0xcf : 0x0f, same, p, PREDICATE_TRUE);
}

// ELECT p, d, PT: p in one of the lanes, whose number is in d.
void
smb_sass_compute_election(SassReading *reading) {
  Predicate p = smb_sass_take_target(reading);
  Row d = smb_sass_take_result(reading, 1), leader = smb_sass_scratch(reading->decoder, 1);
  if (smb_sass_take_condition(reading) != PREDICATE_TRUE)
    reading->is_other = TRUE;
  Predicate elected = smb_sass_scratch_predicate(reading->decoder);
  emit_active(reading, (Compute){.operation = OPERATION_ELECT, .d = leader, .p = elected});
  put_first(reading, d, leader);
  smb_sass_put_predicate(reading, p, 0xf0, elected, PREDICATE_TRUE, PREDICATE_TRUE);
}

static Row
emit_to_scratch(SassReading *reading, Operation operation, Row a, Row b) {
  Row d = smb_sass_scratch(reading->decoder, 1);
  emit_active(reading, (Compute){.operation = (guint16)operation, .d = d, .s = {a, b}});
  return d;
}

static Row
emit_with_number(SassReading *reading, Operation operation, Row a, guint32 number) {
  return emit_to_scratch(reading, operation, a, smb_sass_constant(reading->decoder, number, 1));
}

// MOVM.U4TO8.M832: a matrix of 8 by 32 numbers of 4 bits, of which lane 4 * i + j holds numbers 8 * j to 8 * j + 7 of row i,
// becomes two of 8 by 16 bytes, of which it holds bytes 4 * j to 4 * j + 3 of row i. It is what ptxas makes products of single bits with,
// which are the same in whatever order a row has its numbers.
static void
widen_matrix(SassReading *reading) {
  const guint32 lanes_of_warp = 0x1f;
  SassDecoder *decoder = reading->decoder;
  Row d = smb_sass_take_result(reading, 2), a = smb_sass_take(reading, 1);
  guint32 lanes[2][SMB_MAX_LANES], shifts[SMB_MAX_LANES];
  for (guint lane = 0; lane < decoder->program->lanes; lane++) {
    lanes[0][lane] = (lane & ~3u) + lane % 4 / 2;
    lanes[1][lane] = lanes[0][lane] + 2;
    shifts[lane] = lane % 2 * 16;
  }
  Row shift = smb_constants_add_lanes(decoder->code->constants, shifts);
  Row words[2]; // both, ahead of what is written to the same register
  for (guint i = 0; i < 2; i++) {
    words[i] = smb_sass_scratch(decoder, 1);
    emit_active(reading,
                (Compute){.operation = OPERATION_SHFL_IDX,
                          .table = SHUFFLE_ZERO,
                          .d = words[i],
                          .s = {a, smb_constants_add_lanes(decoder->code->constants, lanes[i]),
                                smb_sass_constant(decoder, lanes_of_warp, 1)}});
  }
  for (guint i = 0; i < 2; i++) {
    Row four =
        emit_with_number(reading, OPERATION_AND_32,
                         emit_to_scratch(reading, OPERATION_SHR_U32, words[i], shift), 0xffff);
    Row more = emit_with_number(reading, OPERATION_SHL_32, four, 8);
    Row two = emit_with_number(reading, OPERATION_AND_32,
                               emit_to_scratch(reading, OPERATION_OR_32, four, more), 0x00ff00ff);
    more = emit_with_number(reading, OPERATION_SHL_32, two, 4);
    smb_sass_put(reading, OPERATION_AND_32, d + i,
                 emit_to_scratch(reading, OPERATION_OR_32, two, more),
                 smb_sass_constant(decoder, 0x0f0f0f0f, 1), 0);
  }
}

// MOVM.16.MT88: a matrix of 8 by 8 halves is transposed.
void
smb_sass_compute_matrix(SassReading *reading) {
  gboolean widens = smb_sass_says(reading, PART_U4TO8);
  if (widens != smb_sass_says(reading, PART_M832)) {
    reading->is_other = TRUE;
    return;
  }
  if (widens) {
    widen_matrix(reading);
    return;
  }
  Row d = smb_sass_take_result(reading, 1), a = smb_sass_take(reading, 1);
  emit_active(reading, (Compute){.operation = OPERATION_MOVMATRIX, .d = d, .s = {a}});
}
