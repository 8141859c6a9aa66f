// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The counter with AVX2: the 32 lanes of a request fill four registers. Requests whose banks are all
// asked once and those of one word end in the registers; for the others the words of each bank are
// counted, the lanes compared in the registers.
#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

#if SMB_HAVE_X86
#  include <immintrin.h>

#  define AVX2 __attribute__((target(SMB_TARGET_AVX2)))

enum {
  PARTS = 4,
  PART_LANES = NARROW_LANES / PARTS,
};

// A value for each lane.
typedef struct {
  __m256i part[PARTS];
} Lanes;

// A plan as the registers want it.
typedef struct {
  Lanes group_bank; // the first virtual bank of the group of each lane
  __m256i bank_mask;
  __m128i unit_shift;
  guint32 lanes;
  const SmbPlan *plan;
} Prepared;

AVX2 static void
prepare_plan_avx2(const SmbPlan *plan, Prepared *prepared) {
  __m128i group_shift = _mm_cvtsi32_si128(plan->group_shift);
  __m128i bank_bits = _mm_cvtsi32_si128(plan->bank_bits);
  for (int i = 0; i < PARTS; i++) {
    __m256i lane = _mm256_add_epi32(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0),
                                    _mm256_set1_epi32(PART_LANES * i));
    prepared->group_bank.part[i] = _mm256_sll_epi32(_mm256_srl_epi32(lane, group_shift), bank_bits);
  }
  prepared->bank_mask = _mm256_set1_epi32((1 << plan->bank_bits) - 1);
  prepared->unit_shift = _mm_cvtsi32_si128(plan->unit_shift);
  prepared->lanes = (guint32)plan->lanes;
  prepared->plan = plan;
}

AVX2 static inline Lanes
load_lanes(const guint32 *values) {
  Lanes lanes;
  for (int i = 0; i < PARTS; i++)
    lanes.part[i] = _mm256_loadu_si256((const __m256i *)(const void *)(values + PART_LANES * i));
  return lanes;
}

AVX2 static inline void
store_lanes(Lanes lanes, guint32 *values) {
  for (int i = 0; i < PARTS; i++)
    _mm256_storeu_si256((__m256i *)(void *)(values + PART_LANES * i), lanes.part[i]);
}

// All bits for a lane of @mask, none for the others.
AVX2 static inline Lanes
spread_mask(guint32 mask) {
  const __m256i bit = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
  __m256i all = _mm256_set1_epi32((int)mask);
  Lanes lanes;
  lanes.part[0] = _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit);
  for (int i = 1; i < PARTS; i++) {
    all = _mm256_srli_epi32(all, PART_LANES);
    lanes.part[i] = _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit);
  }
  return lanes;
}

// The lanes that hold the same value.
AVX2 static inline guint32
match_lanes(Lanes a, Lanes b) {
  guint32 mask = 0;
  for (int i = 0; i < PARTS; i++) {
    __m256i same = _mm256_cmpeq_epi32(a.part[i], b.part[i]);
    mask |= (guint32)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << (PART_LANES * i);
  }
  return mask;
}

// smb_request_mergeable(), from the registers.
AVX2 static inline gboolean
is_mergeable_avx2(Lanes offset, guint32 mask) {
  Lanes partner;
  for (int i = 0; i < PARTS; i++)
    partner.part[i] = _mm256_shuffle_epi32(offset.part[i], 0xb1);
  if (!(~match_lanes(offset, partner) & mask & mask >> 1 & 0x55555555u))
    return TRUE;
  for (int i = 0; i < PARTS; i++)
    partner.part[i] = _mm256_shuffle_epi32(offset.part[i], 0x4e);
  return !(~match_lanes(offset, partner) & mask & mask >> 2 & 0x33333333u);
}

AVX2 static inline Lanes
find_banks_avx2(const Prepared *prepared, Lanes offset) {
  Lanes bank;
  for (int i = 0; i < PARTS; i++) {
    __m256i unit = _mm256_srl_epi32(offset.part[i], prepared->unit_shift);
    bank.part[i] =
        _mm256_or_si256(_mm256_and_si256(unit, prepared->bank_mask), prepared->group_bank.part[i]);
  }
  return bank;
}

// The set of banks that the lanes ask.
AVX2 static inline guint32
collect_banks(Lanes bank, Lanes active) {
  __m256i asked = _mm256_setzero_si256();
  for (int i = 0; i < PARTS; i++) {
    __m256i one = _mm256_srli_epi32(active.part[i], 31);
    asked = _mm256_or_si256(asked, _mm256_sllv_epi32(one, bank.part[i]));
  }
  __m128i half = _mm_or_si128(_mm256_castsi256_si128(asked), _mm256_extracti128_si256(asked, 1));
  half = _mm_or_si128(half, _mm_unpackhi_epi64(half, half));
  guint64 both = (guint64)_mm_cvtsi128_si64(half);
  return (guint32)(both | both >> 32);
}

// Whether all of @lanes access one unit.
AVX2 static inline gboolean
is_broadcast_avx2(const Prepared *prepared, const SmbRequest *request, Lanes offset, Lanes active,
                  guint32 lanes) {
  __m256i first = _mm256_set1_epi32((int)request->offset[__builtin_ctz(lanes)]);
  __m256i differs = _mm256_setzero_si256();
  for (int i = 0; i < PARTS; i++) {
    __m256i difference = _mm256_xor_si256(offset.part[i], first);
    differs = _mm256_or_si256(differs, _mm256_and_si256(difference, active.part[i]));
  }
  differs = _mm256_srl_epi32(differs, prepared->unit_shift);
  return _mm256_testz_si256(differs, differs);
}

// A request that asks some bank twice, under a plan whose lanes wait for words or for lanes. Idle lanes claim a spare
// bank. Not inlined, so that the registers are kept for requests without conflicts.
AVX2 G_GNUC_NO_INLINE static Passes
count_conflicts_avx2(const SmbPlan *plan, Lanes offset, Lanes bank, Lanes active, guint32 lanes) {
  const __m256i spare = _mm256_set1_epi32(SPARE_BANK);
  __m128i row_shift = _mm_cvtsi32_si128(plan->row_shift);
  LaneKeys keys;
  Lanes key;
  for (int i = 0; i < PARTS; i++) {
    __m256i row = _mm256_srl_epi32(offset.part[i], row_shift);
    key.part[i] = _mm256_or_si256(_mm256_slli_epi32(row, 5), bank.part[i]);
    bank.part[i] = _mm256_blendv_epi8(spare, bank.part[i], active.part[i]);
  }
  store_lanes(key, keys.key);
  store_lanes(bank, keys.bank);
  return count_keys(plan, &keys, lanes);
}

AVX2 static inline SmbWavefronts
count_request_avx2(const Prepared *prepared, const SmbRequest *request, Lanes offset) {
  guint32 lanes = (guint32)request->mask & prepared->lanes;
  Lanes bank = find_banks_avx2(prepared, offset);
  Lanes active = spread_mask(lanes);
  gboolean once = __builtin_popcount(collect_banks(bank, active)) == __builtin_popcount(lanes);
  gboolean words = prepared->plan->conflict == SMB_CONFLICT_WORDS;
  if (G_LIKELY(once) || (words && is_broadcast_avx2(prepared, request, offset, active, lanes)))
    return finish_clean(prepared->plan, lanes);
  if (!words && prepared->plan->conflict != SMB_CONFLICT_LANES)
    return finish_count(prepared->plan, smb_count_passes_narrow(prepared->plan, request));
  return finish_count(prepared->plan,
                      count_conflicts_avx2(prepared->plan, offset, bank, active, lanes));
}

typedef Lanes Offsets;

AVX2 static inline Offsets
load_offsets_avx2(const SmbRequest *request) {
  return load_lanes(request->offset);
}

DEFINE_COUNT_SPAN(smb_count_span_avx2, avx2, AVX2)

AVX2 gboolean
smb_is_moved_avx2(const SmbRequest *request, const SmbRequest *other, guint32 distance) {
  return is_moved(request, other, distance);
}
#endif
