// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The counter with AVX-512: the 32 lanes of a request fill two registers.
//
// A request whose banks are all asked once ends after one OR over the lanes, one of a single unit after
// one comparison. For the others the bit matrix lane × bank is transposed to the lanes of each bank, and
// the distinct words of a bank are counted in two ways. A round serves, in every bank, all lanes on the
// word of its highest lane: fast when lanes share words. As soon as a round finds no lane that shares,
// each remaining lane is compared with the lanes below it in its bank instead, all lanes at once: fast
// when words differ.
#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

#if SMB_HAVE_X86
#  include <immintrin.h>

#  define AVX512 __attribute__((target(SMB_TARGET_AVX512)))

// Lanes compared with those below them before asking whether there are more: random words of 32
// lanes seldom put more than this and two in a bank.
enum {
  USUAL_COMPARISONS = 3
};

typedef struct {
  __m512i low;  // lanes, or virtual banks, 0 to 15
  __m512i high; // 16 to 31
} Pair;

// A plan as the registers want it.
typedef struct {
  Pair group_bank; // of each lane: the first virtual bank of its group
  __m512i bank_mask;
  __m128i unit_shift;
  __m128i row_shift;
  guint32 lanes;
  const SmbPlan *plan;
} Prepared;

// One request under one plan.
typedef struct {
  Pair row;      // of each lane
  Pair bank;     // of each lane
  Pair lanes_of; // of each virtual bank: a set of lanes
} Crowd;

AVX512 static inline void
prepare_plan_avx512(const SmbPlan *plan, Prepared *prepared) {
  __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  __m128i group_shift = _mm_cvtsi32_si128(plan->group_shift);
  __m128i bank_bits = _mm_cvtsi32_si128(plan->bank_bits);
  __m512i upper = _mm512_add_epi32(lane, _mm512_set1_epi32(16));
  prepared->group_bank.low = _mm512_sll_epi32(_mm512_srl_epi32(lane, group_shift), bank_bits);
  prepared->group_bank.high = _mm512_sll_epi32(_mm512_srl_epi32(upper, group_shift), bank_bits);
  prepared->bank_mask = _mm512_set1_epi32((1 << plan->bank_bits) - 1);
  prepared->unit_shift = _mm_cvtsi32_si128(plan->unit_shift);
  prepared->row_shift = _mm_cvtsi32_si128(plan->row_shift);
  prepared->lanes = (guint32)plan->lanes;
  prepared->plan = plan;
}

// smb_request_mergeable(), from the registers.
AVX512 static inline gboolean
is_mergeable_avx512(Pair offset, guint32 mask) {
  __m512i low1 = _mm512_shuffle_epi32(offset.low, _MM_PERM_CDAB);
  __m512i high1 = _mm512_shuffle_epi32(offset.high, _MM_PERM_CDAB);
  guint32 differs1 = _cvtmask16_u32(_mm512_cmpneq_epi32_mask(offset.low, low1)) |
                     _cvtmask16_u32(_mm512_cmpneq_epi32_mask(offset.high, high1)) << 16;
  if (!(differs1 & mask & mask >> 1 & 0x55555555u))
    return TRUE;
  __m512i low2 = _mm512_shuffle_epi32(offset.low, _MM_PERM_BADC);
  __m512i high2 = _mm512_shuffle_epi32(offset.high, _MM_PERM_BADC);
  guint32 differs2 = _cvtmask16_u32(_mm512_cmpneq_epi32_mask(offset.low, low2)) |
                     _cvtmask16_u32(_mm512_cmpneq_epi32_mask(offset.high, high2)) << 16;
  return !(differs2 & mask & mask >> 2 & 0x33333333u);
}

AVX512 static inline Pair
find_banks_avx512(const Prepared *prepared, Pair offset) {
  enum {
    MASK_OR_GROUP = 0xea // (A & B) | C
  };
  __m512i low = _mm512_srl_epi32(offset.low, prepared->unit_shift);
  __m512i high = _mm512_srl_epi32(offset.high, prepared->unit_shift);
  return (Pair){
      _mm512_ternarylogic_epi32(low, prepared->bank_mask, prepared->group_bank.low, MASK_OR_GROUP),
      _mm512_ternarylogic_epi32(high, prepared->bank_mask, prepared->group_bank.high,
                                MASK_OR_GROUP)};
}

AVX512 static inline guint32
or_all(__m512i x) {
  __m256i y = _mm256_or_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
  __m128i z = _mm_or_si128(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
  z = _mm_or_si128(z, _mm_unpackhi_epi64(z, z));
  guint64 both = (guint64)_mm_cvtsi128_si64(z);
  return (guint32)(both | both >> 32);
}

// Row r of an 8 × 8 block of bits is byte c of lane 8h + 7 - r: the transposition below turns rows around.
#  define ROW(h, c, r) (8 * (h) + 7 - (r)) * 4 + (c)
#  define BLOCK(h, c)                                                                              \
    ROW(h, c, 0), ROW(h, c, 1), ROW(h, c, 2), ROW(h, c, 3), ROW(h, c, 4), ROW(h, c, 5),            \
        ROW(h, c, 6), ROW(h, c, 7)
static const guint8 to_blocks[64] __attribute__((aligned(64))) = {
    BLOCK(0, 0), BLOCK(1, 0), BLOCK(0, 1), BLOCK(1, 1),
    BLOCK(0, 2), BLOCK(1, 2), BLOCK(0, 3), BLOCK(1, 3),
};

// The two bytes of a bank, one from each of its blocks, in an order that interleaving puts right.
#  define BYTES(bank) (bank) / 8 * 16 + (bank) % 8, (bank) / 8 * 16 + (bank) % 8 + 8
#  define BANKS(bank) BYTES(bank), BYTES((bank) + 1), BYTES((bank) + 2), BYTES((bank) + 3)
static const guint8 to_banks[64] __attribute__((aligned(64))) = {
    BANKS(0), BANKS(16), BANKS(4), BANKS(20), BANKS(8), BANKS(24), BANKS(12), BANKS(28),
};

// From the one bank of each lane, as a bit, to the lanes of each bank.
AVX512 static inline Pair
transpose_bits(Pair bank_bit) {
  const __m512i unit = _mm512_set1_epi64((gint64)0x8040201008040201ull);
  __m512i blocks = _mm512_load_si512(to_blocks), banks = _mm512_load_si512(to_banks);
  __m512i low = _mm512_permutexvar_epi8(blocks, bank_bit.low);
  __m512i high = _mm512_permutexvar_epi8(blocks, bank_bit.high);
  low = _mm512_permutexvar_epi8(banks, _mm512_gf2p8affine_epi64_epi8(unit, low, 0));
  high = _mm512_permutexvar_epi8(banks, _mm512_gf2p8affine_epi64_epi8(unit, high, 0));
  return (Pair){_mm512_unpacklo_epi16(low, high), _mm512_unpackhi_epi16(low, high)};
}

AVX512 static inline __m512i
look_up_lanes(Pair table, __m512i index) {
  return _mm512_permutex2var_epi32(table.low, index, table.high);
}

AVX512 static inline Pair
keep_lanes(Pair sets, guint32 lanes) {
  __m512i keep = _mm512_set1_epi32((int)lanes);
  return (Pair){_mm512_and_si512(sets.low, keep), _mm512_and_si512(sets.high, keep)};
}

AVX512 static inline Pair
count_bits_avx512(Pair sets) {
  return (Pair){_mm512_popcnt_epi32(sets.low), _mm512_popcnt_epi32(sets.high)};
}

AVX512 static inline Pair
add_pairs(Pair a, Pair b) {
  return (Pair){_mm512_add_epi32(a.low, b.low), _mm512_add_epi32(a.high, b.high)};
}

// 1 for each set that is not empty.
AVX512 static inline Pair
are_occupied(Pair sets) {
  const __m512i one = _mm512_set1_epi32(1);
  return (Pair){_mm512_min_epu32(sets.low, one), _mm512_min_epu32(sets.high, one)};
}

// A table in which the number of leading zeros of a set of lanes finds the entry of its highest lane.
AVX512 static inline Pair
turn_around(Pair lanes) {
  const __m512i turned = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return (Pair){_mm512_permutexvar_epi32(turned, lanes.high),
                _mm512_permutexvar_epi32(turned, lanes.low)};
}

// In every bank, serves the word of its highest lane. Returns the lanes served.
AVX512 static inline guint32
serve_round(const Crowd *crowd, Pair turned_rows, Pair lanes_of, guint32 lanes) {
  Pair served = {look_up_lanes(turned_rows, _mm512_lzcnt_epi32(lanes_of.low)),
                 look_up_lanes(turned_rows, _mm512_lzcnt_epi32(lanes_of.high))};
  __m512i low = look_up_lanes(served, crowd->bank.low),
          high = look_up_lanes(served, crowd->bank.high);
  __mmask16 k_low = _mm512_mask_cmpeq_epi32_mask((__mmask16)lanes, low, crowd->row.low);
  __mmask16 k_high = _mm512_mask_cmpeq_epi32_mask((__mmask16)(lanes >> 16), high, crowd->row.high);
  return _cvtmask16_u32(k_low) | _cvtmask16_u32(k_high) << 16;
}

// Compares each lane of @lanes with the highest of the lanes in @below and takes that one away.
AVX512 static inline __mmask16
compare_next(Pair turned_rows, __m512i row, __m512i *below, __mmask16 lanes) {
  const __m512i lane31 = _mm512_set1_epi32((int)0x80000000u);
  __m512i zeros = _mm512_lzcnt_epi32(*below);
  *below = _mm512_xor_si512(*below, _mm512_srlv_epi32(lane31, zeros));
  return _mm512_mask_cmpneq_epi32_mask(lanes, look_up_lanes(turned_rows, zeros), row);
}

// Of @lanes, the lowest of those that ask one bank for one word.
AVX512 static inline guint32
find_first_lanes(const Crowd *crowd, Pair turned_rows, Pair lanes_of, guint32 lanes) {
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i ones = _mm512_set1_epi32(-1);
  __m512i not_below = _mm512_sllv_epi32(ones, lane);
  __m512i not_below16 = _mm512_slli_epi32(not_below, 16);
  __mmask16 low = (__mmask16)lanes, high = (__mmask16)(lanes >> 16);
  Pair below = {_mm512_permutex2var_epi32(lanes_of.low, crowd->bank.low, lanes_of.high),
                _mm512_permutex2var_epi32(lanes_of.low, crowd->bank.high, lanes_of.high)};
  below.low = _mm512_maskz_andnot_epi32(low, not_below, below.low);
  below.high = _mm512_maskz_andnot_epi32(high, not_below16, below.high);
  // Lane 31 is below none, but an empty set looks at its entry: a row that no offset has.
  turned_rows.low = _mm512_mask_mov_epi32(turned_rows.low, 1, ones);

  for (guint i = 0; i < USUAL_COMPARISONS; i++) {
    low = compare_next(turned_rows, crowd->row.low, &below.low, low);
    high = compare_next(turned_rows, crowd->row.high, &below.high, high);
  }
  for (;;) {
    __m512i any = _mm512_or_si512(below.low, below.high);
    if (_mm512_test_epi32_mask(any, any) == 0)
      break;
    low = compare_next(turned_rows, crowd->row.low, &below.low, low);
    high = compare_next(turned_rows, crowd->row.high, &below.high, high);
  }
  return _cvtmask16_u32(low) | _cvtmask16_u32(high) << 16;
}

// The distinct words that each bank is asked for, by @lanes in @n_banks banks.
AVX512 static inline Pair
count_bank_words(const Crowd *crowd, guint32 lanes, guint n_banks) {
  Pair turned_rows = turn_around(crowd->row);
  Pair lanes_of = crowd->lanes_of;
  Pair words = are_occupied(lanes_of);
  guint32 served = serve_round(crowd, turned_rows, lanes_of, lanes);
  guint32 left = lanes & ~served;

  while (left && (guint)__builtin_popcount(served) != n_banks) {
    lanes_of = keep_lanes(lanes_of, left);
    Pair occupied = are_occupied(lanes_of);
    words = add_pairs(words, occupied);
    n_banks = (guint)__builtin_popcount(
        _cvtmask16_u32(_mm512_test_epi32_mask(lanes_of.low, lanes_of.low)) |
        _cvtmask16_u32(_mm512_test_epi32_mask(lanes_of.high, lanes_of.high)) << 16);
    served = serve_round(crowd, turned_rows, lanes_of, left);
    left &= ~served;
  }
  if (left) {
    lanes_of = keep_lanes(lanes_of, left);
    guint32 first = find_first_lanes(crowd, turned_rows, lanes_of, left);
    words = add_pairs(words, count_bits_avx512(keep_lanes(lanes_of, first)));
  }
  return words;
}

// The highest count of each eight banks, in four bytes. Counts are at most 32.
AVX512 static inline guint32
find_highest_counts(Pair counts) {
  __m512i words = _mm512_or_si512(counts.low, _mm512_slli_epi32(counts.high, 16));
  __m256i upper = _mm256_slli_epi32(_mm512_extracti64x4_epi64(words, 1), 8);
  __m256i bytes = _mm256_or_si256(_mm512_castsi512_si256(words), upper);
  __m128i most = _mm_max_epu8(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
  most = _mm_max_epu8(most, _mm_shuffle_epi32(most, 0x4e));
  most = _mm_max_epu8(most, _mm_shuffle_epi32(most, 0xb1));
  return (guint32)_mm_cvtsi128_si32(most);
}

static inline guint
most_of_all(guint32 most) {
  guint a = MAX(most & 0xff, most >> 8 & 0xff), b = MAX(most >> 16 & 0xff, most >> 24);
  return MAX(a, b);
}

// Sum over the lane groups of the highest count of its banks.
static inline guint
sum_groups(guint32 most, guint bank_bits) {
  if (bank_bits == 5)
    return most_of_all(most);
  if (bank_bits == 4)
    return MAX(most & 0xff, most >> 8 & 0xff) + MAX(most >> 16 & 0xff, most >> 24);
  return most * 0x01010101u >> 24;
}

AVX512 static inline Passes
count_crowd(const Prepared *prepared, const Crowd *crowd, guint32 lanes, guint n_banks) {
  const SmbPlan *plan = prepared->plan;
  guint groups = count_groups(lanes, plan->group_shift);
  guint32 words = find_highest_counts(count_bank_words(crowd, lanes, n_banks));
  guint32 cost = words;
  if (plan->conflict == SMB_CONFLICT_LANES)
    cost = find_highest_counts(count_bits_avx512(crowd->lanes_of));
  return (Passes){sum_groups(cost, plan->bank_bits), groups, most_of_all(words)};
}

// Plans of fewer than eight banks a group, and of compute capability 1.x, are left to the portable code.
static inline gboolean
is_plan_simple(const SmbPlan *plan) {
  return plan->bank_bits >= 3 &&
         (plan->conflict == SMB_CONFLICT_WORDS || plan->conflict == SMB_CONFLICT_LANES);
}

// Whether all of @lanes access one unit.
AVX512 static inline gboolean
is_broadcast_avx512(const Prepared *prepared, const SmbRequest *request, Pair offset,
                    guint32 lanes) {
  __m512i first = _mm512_set1_epi32((int)request->offset[__builtin_ctz(lanes)]);
  __m512i low = _mm512_maskz_xor_epi32((__mmask16)lanes, offset.low, first);
  __m512i high = _mm512_maskz_xor_epi32((__mmask16)(lanes >> 16), offset.high, first);
  __m512i differs = _mm512_srl_epi32(_mm512_or_si512(low, high), prepared->unit_shift);
  return _mm512_test_epi32_mask(differs, differs) == 0;
}

// A request that asks some bank twice; @bank and @bit: the bank of each lane, also as a bit.
AVX512 static inline SmbWavefronts
count_conflicts_avx512(const Prepared *prepared, const SmbRequest *request, Pair offset, Pair bank,
                       Pair bit) {
  const SmbPlan *plan = prepared->plan;
  guint32 lanes = (guint32)request->mask & prepared->lanes;
  if (plan->conflict == SMB_CONFLICT_WORDS && is_broadcast_avx512(prepared, request, offset, lanes))
    return finish_clean(prepared->plan, lanes);
  if (!is_plan_simple(plan))
    return finish_count(plan, smb_count_passes_narrow(plan, request));
  guint n_banks = (guint)__builtin_popcount(or_all(_mm512_or_si512(bit.low, bit.high)));
  Crowd crowd;
  crowd.row.low = _mm512_srl_epi32(offset.low, prepared->row_shift);
  crowd.row.high = _mm512_srl_epi32(offset.high, prepared->row_shift);
  crowd.bank = bank;
  crowd.lanes_of = transpose_bits(bit);
  return finish_count(plan, count_crowd(prepared, &crowd, lanes, n_banks));
}

AVX512 static inline SmbWavefronts
count_request_avx512(const Prepared *prepared, const SmbRequest *request, Pair offset) {
  const __m512i one = _mm512_set1_epi32(1);
  guint32 lanes = (guint32)request->mask & prepared->lanes;
  Pair bank = find_banks_avx512(prepared, offset);
  Pair bit = {_mm512_maskz_sllv_epi32((__mmask16)lanes, one, bank.low),
              _mm512_maskz_sllv_epi32((__mmask16)(lanes >> 16), one, bank.high)};
  guint32 asked = or_all(_mm512_or_si512(bit.low, bit.high));
  if (G_LIKELY(__builtin_popcount(asked) == __builtin_popcount(lanes)))
    return finish_clean(prepared->plan, lanes);
  return count_conflicts_avx512(prepared, request, offset, bank, bit);
}

typedef Pair Offsets;

AVX512 static inline Offsets
load_offsets_avx512(const SmbRequest *request) {
  return (Pair){_mm512_loadu_si512(request->offset), _mm512_loadu_si512(request->offset + 16)};
}

DEFINE_COUNT_SPAN(smb_count_span_avx512, avx512, AVX512)

AVX512 gboolean
smb_is_moved_avx512(const SmbRequest *request, const SmbRequest *other, guint32 distance) {
  return is_moved(request, other, distance);
}
#endif
