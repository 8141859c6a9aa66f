// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What lanes of a warp exchange (PTX ISA: shfl, vote, match, redux, movmatrix, activemask, elect), of those that
// execute it together. Groups are of 32 lanes, also in wider warps.
#include <string.h>

#include "sim/exec/compute/compute-impl.h"
#include "sim/exec/compute/real.h"
#include "sim/machine/access/lanes.h"

gboolean
smb_compute_is_exchange(const Compute *compute) {
  static const ComputeHandler handlers[] = {
      smb_exchange_shuffle, smb_exchange_vote,           smb_exchange_ballot,
      smb_exchange_match,   smb_exchange_reduce,         smb_exchange_activemask,
      smb_exchange_elect,   smb_exchange_reduce_real,    smb_exchange_transpose,
      smb_exchange_first,   smb_exchange_first_predicate};
  for (guint i = 0; i < G_N_ELEMENTS(handlers); i++) {
    if (compute->run == handlers[i])
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_compute_has_members(const Compute *compute) {
  return smb_compute_is_exchange(compute) && compute->run != smb_exchange_shuffle;
}

static guint
group_of(guint lane) {
  return lane - lane % ROW_LANES;
}

// The lanes of the group of a lane, from bit 0.
static guint32
cut_group(SmbLanes lanes, guint lane) {
  return (guint32)(lanes >> group_of(lane));
}

static SmbLanes
group_lanes(SmbLanes lanes, guint lane) {
  return lanes & (SmbLanes)G_MAXUINT32 << group_of(lane);
}

typedef struct {
  guint32 values[SMB_MAX_LANES];
  guint32 unknown[SMB_MAX_LANES];
} Words;

static void
put_words(const Compute *compute, Registers *registers, SmbLanes lanes, const Words *words,
          guint flags, guint32 origin) {
  SmbLanes any = find_set_lanes(registers->n_lanes, words->unknown) & lanes;
  smb_row_set(registers, compute->d, lanes, words->values, any ? words->unknown : NULL, flags,
              origin);
}

// --- shfl

// The lane that each lane asks, and whether that is one of its segment: 1 or 0.
typedef struct {
  guint32 lane[SMB_MAX_LANES];
  guint32 is_inside[SMB_MAX_LANES];
} Partners;

static void
find_partners(Operation operation, guint n, const guint32 *by, const guint32 *clamp,
              Partners *partners) {
  gboolean is_up = operation == OPERATION_SHFL_UP, is_down = operation == OPERATION_SHFL_DOWN;
  gboolean is_across = operation == OPERATION_SHFL_BFLY;
  EACH_LANE(n, {
    gint32 b = by[lane] & 31, c = clamp[lane] & 31, segment = clamp[lane] >> 8 & 31;
    gint32 self = (gint32)in_row, limit = (self & segment) | (c & ~segment);
    gint32 partner = is_up       ? self - b
                     : is_down   ? self + b
                     : is_across ? self ^ b
                                 : (self & segment) | (b & ~segment);
    gboolean is_inside = is_up ? partner >= limit : partner <= limit;
    partners->lane[lane] = (guint32)row + (guint32)(is_inside ? partner : self);
    partners->is_inside[lane] = (guint32)is_inside;
  })
}

// Marks of what comes from other lanes: affine values stay affine if it is the same lanes in all blocks.
static guint
mark_shuffled(const Compute *compute, const Registers *registers, SmbLanes lanes) {
  guint by = taint_of(row_flags_in(registers, compute->s[1], lanes) |
                      row_flags_in(registers, compute->s[2], lanes));
  guint what = row_flags_in(registers, compute->s[0], lanes);
  gboolean keeps = !(what & ROW_UNKNOWN) && !(by & ROW_BLOCK);
  return (keeps ? what & (ROW_TAINT | ROW_AFFINE) : taint_of(what)) | by;
}

// What a lane that does not take part gives (PTX ISA: unpredictable): machine code gets 0, as a reduction on an H200
// showed whose last lanes had left.
static Bits
absent_value(const Compute *compute) {
  return compute->table == SHUFFLE_ZERO ? bits_of(0) : bits_unknown(G_MAXUINT32);
}

// What is not known of what lanes ask for. Returns lanes of which it is not known which one they ask.
static SmbLanes
find_lost(const Compute *compute, const Registers *registers, SmbLanes lanes,
          const Partners *partners, Words *words) {
  SmbLanes lost = 0;
  FOR_LANES(lanes, lane) {
    guint partner = partners->lane[lane];
    Bits a = {words->values[lane], row_lane_unknown(registers, compute->s[0], partner)};
    if (!(lanes >> partner & 1))
      a = absent_value(compute);
    if (row_lane_unknown(registers, compute->s[1], lane) & 31 ||
        row_lane_unknown(registers, compute->s[2], lane) & 0x1f1f) {
      a = bits_unknown(G_MAXUINT32);
      lost |= (SmbLanes)1 << lane;
    }
    words->values[lane] = (guint32)a.value;
    words->unknown[lane] = (guint32)a.unknown;
  }
  return lost;
}

void
smb_exchange_shuffle(const Compute *compute, Registers *registers, SmbLanes lanes) {
  guint n = registers->n_lanes;
  const guint32 *values = row_values(registers, compute->s[0]);
  gboolean is_known =
      lanes == smb_lanes_below(n) && !(smb_compute_flags(compute, registers) & ROW_UNKNOWN);
  Words words;
  Partners partners;
  SmbLanes lost = 0;
  find_partners((Operation)compute->operation, n, row_values(registers, compute->s[1]),
                row_values(registers, compute->s[2]), &partners);
  EACH_LANE(n, words.values[lane] = values[partners.lane[lane]];)
  if (!is_known) {
    memset(words.unknown, 0, sizeof words.unknown);
    lost = find_lost(compute, registers, lanes, &partners, &words);
  }
  guint marks = mark_shuffled(compute, registers, lanes);
  guint32 origin = smb_compute_origin(compute, registers);
  if (origin == 0)
    origin = compute->index + 1;
  if (is_known)
    smb_row_set(registers, compute->d, lanes, words.values, NULL, marks, origin);
  else
    put_words(compute, registers, lanes, &words, marks, origin);
  SmbLanes inside = find_set_lanes(n, partners.is_inside) & lanes;
  smb_predicate_set(registers, compute->p, lanes, inside, lost, marks & ROW_TAINT, origin);
}

// --- vote

static Bits
read_votes(const Compute *compute, const Registers *registers, SmbLanes lanes) {
  Bits votes = {registers->predicates[compute->in[0]],
                registers->unknown_predicates[compute->in[0]]};
  if (compute->modifiers & MODIFIER_NOT_IN)
    votes = bits_not(votes);
  return bits_and(votes, bits_of(lanes));
}

// Whether any of @votes is 1.
static Bits
find_any(Bits votes) {
  return votes.value ? bits_of(1) : votes.unknown ? bits_unknown(1) : bits_of(0);
}

static Bits
decide(Operation operation, Bits votes, SmbLanes group) {
  Bits any = find_any(votes);
  Bits all = bits_field(bits_not(find_any(bits_and(bits_not(votes), bits_of(group)))), 1);
  if (operation == OPERATION_VOTE_ANY)
    return any;
  return operation == OPERATION_VOTE_ALL ? all : bits_or(all, bits_field(bits_not(any), 1));
}

void
smb_exchange_vote(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Bits votes = read_votes(compute, registers, lanes), result = {0, 0};
  for (guint first = 0; first < registers->n_lanes; first += ROW_LANES) {
    SmbLanes group = group_lanes(lanes, first);
    Bits one = decide((Operation)compute->operation, bits_and(votes, bits_of(group)), group);
    result.value |= one.value ? group : 0;
    result.unknown |= one.unknown ? group : 0;
  }
  smb_predicate_set(registers, compute->p, lanes, result.value, result.unknown,
                    predicate_flags_in(registers, compute->in[0], lanes) & ROW_TAINT,
                    registers->predicate_origin[compute->in[0]]);
}

void
smb_exchange_ballot(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Bits votes = read_votes(compute, registers, lanes);
  guint32 values[SMB_MAX_LANES], unknown[SMB_MAX_LANES];
  EACH_LANE(registers->n_lanes, {
    values[lane] = (guint32)(votes.value >> row);
    unknown[lane] = (guint32)(votes.unknown >> row);
  })
  smb_row_set(registers, compute->d, lanes, values, votes.unknown ? unknown : NULL,
              predicate_flags_in(registers, compute->in[0], lanes) & ROW_TAINT,
              registers->predicate_origin[compute->in[0]]);
}

// --- match

// Which lanes of @group have the value of @lane; may be unknown.
static Bits
find_equal(const Compute *compute, const Registers *registers, SmbLanes group, guint lane) {
  Bits equal = {0, 0}, own = smb_compute_read(compute, registers, 0, lane);
  FOR_LANES(group, other) {
    Bits same = other == lane ? bits_of(1)
                              : bits_equal(own, smb_compute_read(compute, registers, 0, other));
    equal = bits_or(equal, bits_left(same, other));
  }
  return equal;
}

void
smb_exchange_match(const Compute *compute, Registers *registers, SmbLanes lanes) {
  gboolean any =
      compute->operation == OPERATION_MATCH_ANY_32 || compute->operation == OPERATION_MATCH_ANY_64;
  Words words = {{0}, {0}};
  Bits p = {0, 0};
  FOR_LANES(lanes, lane) {
    SmbLanes group = group_lanes(lanes, lane);
    Bits equal = find_equal(compute, registers, group, lane);
    if (!any) { // all of them, or none
      Bits all = bits_field(bits_not(find_any(bits_and(bits_not(equal), bits_of(group)))), 1);
      p = bits_or(p, bits_left(all, lane));
      equal = bits_choose(all, bits_of(group), bits_of(0));
    }
    words.values[lane] = cut_group(equal.value, lane);
    words.unknown[lane] = cut_group(equal.unknown, lane);
  }
  guint marks = taint_of(smb_compute_flags_in(compute, registers, lanes));
  guint32 origin = smb_compute_origin(compute, registers);
  put_words(compute, registers, lanes, &words, marks, origin);
  smb_predicate_set(registers, compute->p, lanes, p.value, p.unknown, marks, origin);
}

// --- redux

static Bits
reduce_two(Operation operation, Bits x, Bits y) {
  gboolean is_min = operation == OPERATION_REDUX_MIN_U32 || operation == OPERATION_REDUX_MIN_S32;
  gboolean is_signed = operation == OPERATION_REDUX_MIN_S32 || operation == OPERATION_REDUX_MAX_S32;
  if (operation == OPERATION_REDUX_ADD)
    return bits_add(x, y);
  if (operation == OPERATION_REDUX_AND)
    return bits_and(x, y);
  if (operation == OPERATION_REDUX_OR)
    return bits_or(x, y);
  if (operation == OPERATION_REDUX_XOR)
    return bits_xor(x, y);
  Bits less = is_signed ? bits_less(bits_bias(x, 32), bits_bias(y, 32)) : bits_less(x, y);
  return is_min ? bits_choose(less, x, y) : bits_choose(less, y, x);
}

void
smb_exchange_reduce(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Words words = {{0}, {0}};
  for (guint first = 0; first < registers->n_lanes; first += ROW_LANES) {
    SmbLanes group = group_lanes(lanes, first);
    Bits result = {0, 0};
    gboolean any = FALSE;
    FOR_LANES(group, lane) {
      Bits one = smb_compute_read(compute, registers, 0, lane);
      result = any ? reduce_two((Operation)compute->operation, result, one) : one;
      any = TRUE;
    }
    FOR_LANES(group, lane) {
      words.values[lane] = (guint32)result.value;
      words.unknown[lane] = (guint32)result.unknown;
    }
  }
  put_words(compute, registers, lanes, &words,
            taint_of(smb_compute_flags_in(compute, registers, lanes)),
            smb_compute_origin(compute, registers));
}

// Of floating-point numbers: NaN counts only with MODIFIER_NAN, or if there is nothing else (PTX ISA, redux).
static guint32
reduce_real(const Compute *compute, const Registers *registers, SmbLanes group) {
  gboolean is_min = compute->operation == OPERATION_REDUX_MIN_F32;
  const guint32 *values = row_values(registers, compute->s[0]);
  double result = (double)float_of(values[smb_lanes_first(group)]);
  FOR_LANES(group, lane) {
    double one = (double)float_of(values[lane]);
    result = is_min ? real_minimum(compute->modifiers, result, one)
                    : real_maximum(compute->modifiers, result, one);
  }
  return isnan(result) ? NAN_32 : float_bits((float)result);
}

void
smb_exchange_reduce_real(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Words words = {{0}, {0}};
  SmbLanes known = smb_row_known(registers, compute->s[0], lanes);
  for (guint first = 0; first < registers->n_lanes; first += ROW_LANES) {
    SmbLanes group = group_lanes(lanes, first);
    gboolean all = (group & ~known) == 0;
    guint32 result = group && all ? reduce_real(compute, registers, group) : 0;
    FOR_LANES(group, lane) {
      words.values[lane] = result;
      words.unknown[lane] = all ? 0 : G_MAXUINT32;
    }
  }
  put_words(compute, registers, lanes, &words,
            taint_of(smb_compute_flags_in(compute, registers, lanes)),
            smb_compute_origin(compute, registers));
}

// --- movmatrix: lane 4 * i + j / 2 holds the number of row i and column j in its half j % 2; of the transposed matrix,
// too

void
smb_exchange_transpose(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Words words = {{0}, {0}};
  FOR_LANES(lanes, lane) {
    guint i = lane % ROW_LANES / 4;
    for (guint half = 0; half < 2; half++) {
      guint j = lane % 4 * 2 + half, from = group_of(lane) + 4 * j + i / 2;
      Bits number = bits_unknown(0xffff);
      if (lanes >> from & 1)
        number =
            bits_field(bits_right(smb_compute_read(compute, registers, 0, from), i % 2 * 16), 16);
      words.values[lane] |= (guint32)number.value << (16 * half);
      words.unknown[lane] |= (guint32)number.unknown << (16 * half);
    }
  }
  guint32 origin = smb_compute_origin(compute, registers);
  put_words(compute, registers, lanes, &words,
            taint_of(smb_compute_flags_in(compute, registers, lanes)),
            origin ? origin : compute->index + 1);
}

// --- what the first of the lanes has, for the uniform datapath of machine code: in all lanes that still run

// The common case: one group, and all of the value is known.
static gboolean
broadcasts_known(const Compute *compute, Registers *registers, Row row, SmbLanes lanes) {
  guint32 values[SMB_MAX_LANES];
  guint flags = lanes ? row_flags_in(registers, row, lanes) : ROW_UNKNOWN;
  if (registers->n_lanes > ROW_LANES || flags & ROW_UNKNOWN)
    return FALSE;
  guint32 value = row_values(registers, row)[smb_lanes_first(lanes)];
  for (guint lane = 0; lane < ROW_LANES; lane++)
    values[lane] = value;
  smb_row_set(registers, compute->d, registers->lanes, values, NULL,
              flags & (ROW_TAINT | ROW_AFFINE), smb_compute_origin(compute, registers));
  return TRUE;
}

void
smb_exchange_first(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Row row = compute->s[0];
  if (broadcasts_known(compute, registers, row, lanes))
    return;
  Words words = {{0}, {0}};
  for (guint begin = 0; begin < registers->n_lanes; begin += ROW_LANES) {
    SmbLanes group = group_lanes(lanes, begin);
    guint end = MIN(begin + ROW_LANES, registers->n_lanes);
    for (guint lane = begin; lane < end; lane++) {
      guint from = group ? smb_lanes_first(group) : lane;
      words.unknown[lane] = row_lane_unknown(registers, row, from);
      words.values[lane] = row_values(registers, row)[from] & ~words.unknown[lane];
    }
  }
  gboolean is_one = registers->n_lanes <= ROW_LANES && lanes;
  guint flags = row_flags_in(registers, row, is_one ? lanes : registers->lanes);
  guint marks = flags & ROW_UNKNOWN ? taint_of(flags) : flags & (ROW_TAINT | ROW_AFFINE);
  put_words(compute, registers, registers->lanes, &words, marks,
            smb_compute_origin(compute, registers));
}

void
smb_exchange_first_predicate(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Bits in = smb_compute_in(compute, registers, 0), result = {0, 0};
  FOR_LANES(registers->lanes, lane) {
    SmbLanes group = group_lanes(lanes, lane);
    Bits one = bits_field(bits_right(in, group ? smb_lanes_first(group) : lane), 1);
    result = bits_or(result, bits_left(one, lane));
  }
  smb_predicate_set(registers, compute->p, registers->lanes, result.value, result.unknown,
                    registers->predicate_flags[compute->in[0]] & ROW_TAINT,
                    registers->predicate_origin[compute->in[0]]);
}

// --- who is there

void
smb_exchange_activemask(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Words words = {{0}, {0}};
  FOR_LANES(lanes, lane)
  words.values[lane] = cut_group(lanes, lane);
  put_words(compute, registers, lanes, &words, 0, 0);
}

// The first one (PTX ISA: any, always the same).
void
smb_exchange_elect(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Words words = {{0}, {0}};
  SmbLanes leaders = 0;
  FOR_LANES(lanes, lane) {
    guint leader = smb_lanes_first(group_lanes(lanes, lane));
    words.values[lane] = leader % ROW_LANES;
    leaders |= (SmbLanes)1 << leader;
  }
  put_words(compute, registers, lanes, &words, 0, 0);
  smb_predicate_set(registers, compute->p, lanes, leaders, 0, 0, 0);
}
