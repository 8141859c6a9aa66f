// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/trace/pattern.h"

// Bytes of a row of the banks, to which arrays are often aligned.
enum {
  ROW_BYTES = 128,
};

// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (OOPSLA 2014), the mixing function
// of SplitMix64: seeds that are close to each other give states that are not.
static guint64
mix_bits(guint64 z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

SmbRandom
smb_random_new(guint64 seed) {
  guint64 state = mix_bits(seed);
  return (SmbRandom){state ? state : 1};
}

SmbRandom
smb_random_new_stream(guint64 seed, guint64 stream) {
  return smb_random_new(mix_bits(seed) ^ stream);
}

static inline guint32
next_number(SmbRandom *random) {
  guint64 state = random->state;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  random->state = state;
  return (guint32)(state * 0x2545f4914f6cdd1dull >> 32);
}

static inline guint32
number_below(SmbRandom *random, guint64 below) {
  return (guint32)(next_number(random) * below >> 32);
}

guint32
smb_random_below(SmbRandom *random, guint64 below) {
  return number_below(random, below);
}

// Whether it happens this time, which it does once in @n.
static inline gboolean
happens(SmbRandom *random, guint n) {
  return number_below(random, n) == 0;
}

// Neighbouring lanes, from 1 to 32 of them.
static guint32
make_range(SmbRandom *random) {
  guint first = number_below(random, 32);
  guint n = 1 + number_below(random, 32 - first);
  return (0xffffffffu >> (32 - n)) << first;
}

static guint32
make_narrow_mask(SmbRandom *random) {
  static const guint32 pairs[] = {0x55555555u, 0xaaaaaaaau, 0x33333333u,
                                  0xccccccccu, 0x0f0f0f0fu, 0xf0f0f0f0u};
  switch (number_below(random, 16)) {
  case 0:
    return next_number(random);
  case 1:
    return next_number(random) & next_number(random);
  case 2:
    return next_number(random) | next_number(random);
  case 3:
    return number_below(random, 2) ? 0xffffu : 0xffff0000u;
  case 4:
    return 0xffu << 8 * number_below(random, 4) | 0xffu << 8 * number_below(random, 4);
  case 5:
    return 1u << number_below(random, 32);
  case 6:
    return 1u << number_below(random, 32) | 1u << number_below(random, 32);
  case 7:
    return 0x11111111u * (1 + number_below(random, 15));
  case 8:
    return make_range(random);
  case 9:
    return ~(1u << number_below(random, 32));
  case 10:
    return pairs[number_below(random, G_N_ELEMENTS(pairs))];
  default:
    return 0xffffffffu;
  }
}

// A mask of 64 lanes: both halves alike, or each its own.
static SmbLanes
make_mask(SmbRandom *random, guint n) {
  SmbLanes mask = make_narrow_mask(random);
  if (n > 32)
    mask |= (number_below(random, 2) ? mask : make_narrow_mask(random)) << 32;
  return mask;
}

// Where lanes are, in units of the width or of words. Each fill says what its words are.

// a[i * stride]
static void
fill_stride(SmbRandom *random, guint n, guint32 *at) {
  guint32 stride = number_below(random, 4) ? number_below(random, 70) : 1;
  guint32 start = number_below(random, 64);
  for (guint lane = 0; lane < n; lane++)
    at[lane] = start + lane * stride;
}

// tile[i % height][i / height] of rows with a pad
static void
fill_column(SmbRandom *random, guint n, guint32 *at) {
  guint32 row = (1u << number_below(random, 8)) + number_below(random, 3);
  guint shift = number_below(random, 6);
  for (guint lane = 0; lane < n; lane++)
    at[lane] = (lane & ((1u << shift) - 1)) * row + (lane >> shift);
}

// tile[i][column ^ i]
static void
fill_swizzle(SmbRandom *random, guint n, guint32 *at) {
  guint32 row = 1u << (2 + number_below(random, 5)), shift = number_below(random, 4);
  guint32 column = number_below(random, row);
  for (guint lane = 0; lane < n; lane++)
    at[lane] = lane * row + ((column ^ lane >> shift) & (row - 1));
}

// anywhere within a window of 2 to 65536 units
static void
fill_window(SmbRandom *random, guint n, guint32 *at) {
  guint shift = 31 - number_below(random, 16);
  for (guint lane = 0; lane < n; lane++)
    at[lane] = next_number(random) >> shift;
}

// a[i / 2] and its kin: lanes that differ in bit 0, or in bit 1, on one word; or all but one of them
static void
fill_pairs(SmbRandom *random, guint n, guint32 *at) {
  guint x = 1 + number_below(random, 2);
  if (number_below(random, 2))
    fill_window(random, n, at);
  else
    fill_stride(random, n, at);
  for (guint lane = 0; lane < n; lane++)
    at[lane] = at[lane & ~x];
  if (happens(random, 3))
    at[number_below(random, n)] += 4u << number_below(random, 6);
}

// one to eight words, of one bank or of neighbouring ones
static void
fill_few_words(SmbRandom *random, guint n, guint32 *at) {
  guint n_words = 1 + number_below(random, 8);
  guint32 words[8];
  guint32 step = number_below(random, 2) ? 1 : 32;
  for (guint i = 0; i < n_words; i++)
    words[i] = number_below(random, 256) * step;
  for (guint lane = 0; lane < n; lane++)
    at[lane] = words[number_below(random, n_words)];
}

static void
fill_one_bank(SmbRandom *random, guint n, guint32 *at) {
  guint32 bank = number_below(random, 32), rows = 1 + number_below(random, 64);
  for (guint lane = 0; lane < n; lane++)
    at[lane] = bank + 32 * number_below(random, rows);
}

// each bank once, in any order; or with a conflict or two, and rows apart
static void
fill_permuted(SmbRandom *random, guint n, guint32 *at) {
  for (guint lane = 0; lane < n; lane++)
    at[lane] = lane;
  for (guint lane = n - 1; lane > 0; lane--) {
    guint other = number_below(random, lane + 1);
    guint32 swap = at[lane];
    at[lane] = at[other];
    at[other] = swap;
  }
  if (number_below(random, 2))
    at[number_below(random, n)] += number_below(random, 65);
}

static void
fill_anywhere(SmbRandom *random, guint n, guint32 *at) {
  for (guint lane = 0; lane < n; lane++)
    at[lane] = next_number(random);
}

// A pattern at random: a switch, so that they are compiled into one function.
static inline void
fill_lanes(SmbRandom *random, guint n, guint32 *at) {
  switch (number_below(random, 10)) {
  case 0:
    return fill_stride(random, n, at);
  case 1:
    return fill_column(random, n, at);
  case 2:
    return fill_swizzle(random, n, at);
  case 3:
  case 4:
    return fill_window(random, n, at);
  case 5:
    return fill_pairs(random, n, at);
  case 6:
    return fill_few_words(random, n, at);
  case 7:
    return fill_one_bank(random, n, at);
  case 8:
    return fill_permuted(random, n, at);
  default:
    return fill_anywhere(random, n, at);
  }
}

// Where a pattern begins that may begin at the first @room bytes: at the start of memory, at a row, at
// the last place, anywhere.
static guint32
make_base(SmbRandom *random, guint64 room) {
  switch (number_below(random, 8)) {
  case 0:
    return 0;
  case 1:
    return number_below(random, room / ROW_BYTES + 1) * ROW_BYTES;
  case 2:
    return (guint32)room;
  default:
    return number_below(random, room + 1);
  }
}

// Puts a pattern into memory. It is one of units or, sometimes, one of words whatever the width. What
// would leave the memory comes back at the largest power of two that fits: so it stays in its bank.
static void
place_pattern(SmbRandom *random, guint n, const guint32 *at, guint64 limit, SmbRequest *request) {
  guint width = request->width, unit = number_below(random, 4) ? width : 4;
  guint alignment = smb_width_alignment(width);
  guint64 room = limit - (width - alignment); // for the first unit that is aligned
  guint64 power = G_GUINT64_CONSTANT(1) << (63 - __builtin_clzll(room));
  guint32 bits = (guint32)(power - 1) & ~(alignment - 1), last = 0;
  for (guint lane = 0; lane < n; lane++) {
    request->offset[lane] = at[lane] * unit & bits;
    last = MAX(last, request->offset[lane]);
  }
  guint32 base = make_base(random, limit - width - last) & ~(alignment - 1);
  for (guint lane = 0; lane < n; lane++)
    request->offset[lane] += base;
}

void
smb_pattern_request(SmbRandom *random, guint n, SmbOp op, guint width, guint32 limit_bytes,
                    SmbRequest *request) {
  guint64 limit = limit_bytes ? limit_bytes : G_GUINT64_CONSTANT(1) << 32;
  guint32 at[SMB_MAX_LANES];
  g_return_if_fail(limit >= width && n <= SMB_MAX_LANES);

  request->op = (guint8)op;
  request->width = (guint8)width;
  request->has_source = FALSE;
  request->mask = make_mask(random, n);
  if (smb_request_lanes(request) == 0)
    request->mask |= (SmbLanes)1 << number_below(random, MIN(smb_op_address_lanes(op), n));
  fill_lanes(random, n, at);
  place_pattern(random, n, at, limit, request);
}
