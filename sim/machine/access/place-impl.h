// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops of place.h, for whatever processor this is compiled for; PLACE_LOOPS is the name of their table.
#include <string.h>

#include "sim/machine/access/lanes.h"
#include "sim/machine/access/place.h"

static void
point(LanePlaces *places, guint n, const guint64 *restrict pointers, guint64 start, guint32 base,
      gint64 *restrict offsets, guint32 *restrict request) {
  guint64 last = places->last, width = places->width, first = places->first;
  guint64 outside = 0, low_bits = 0, differ = 0, stray = 0;
  EACH_LANE(n, {
    guint64 offset = pointers[lane] - start;
    // The highest bit: below 0, or beyond the last place. Other objects are far away.
    outside |= offset | (last - offset);
    low_bits |= offset;
    differ |= offset ^ first;
    stray |= offset ^ (first + lane * width);
    offsets[lane] = (gint64)offset;
    request[lane] = (guint32)offset + base;
  })
  places->outside = outside;
  places->low_bits = low_bits | base;
  places->differ = differ;
  places->stray = stray;
}

enum {
  STRAY = 16
};

static void
share(LanePlaces *places, guint n, SmbLanes lanes, const guint32 *restrict base, guint32 offset,
      guint32 *restrict request) {
  static const guint32 bits[ROW_LANES] = {SMB_LANE_BITS};
  guint32 width = places->width, first = (guint32)places->first;
  guint32 low = G_MAXUINT32, high = 0, found = 0;
  for (gsize row = 0; row < n; row += ROW_LANES) {
    guint32 asked = (guint32)(lanes >> row), dense = first + (guint32)row * width;
    const guint32 *restrict from = base + row;
    guint32 *restrict to = request + row;
    for (gsize i = 0; i < ROW_LANES; i++) {
      guint32 chosen = asked & bits[i] ? G_MAXUINT32 : 0;
      guint32 place = ((from[i] + offset) & chosen) | (first & ~chosen);
      low = MIN(low, place);
      high = MAX(high, place);
      // Alignment is of at most 16 bytes: the bits above tell of what is astray.
      found |= (place & (STRAY - 1)) | (place != dense + (guint32)i * width ? STRAY : 0);
      to[i] = place;
    }
  }
  places->low = low;
  places->high = high;
  places->outside = (guint64)(high > places->last) << 63;
  places->low_bits = found & (STRAY - 1);
  places->differ = low ^ high;
  places->stray = found & STRAY;
}

static void
span(guint n, const guint32 *restrict places, guint32 *low, guint32 *high) {
  guint32 lowest = G_MAXUINT32, highest = 0;
  EACH_LANE(n, {
    lowest = MIN(lowest, places[lane]);
    highest = MAX(highest, places[lane]);
  })
  *low = lowest;
  *high = highest;
}

// Returns whether some are claimed otherwise, as bits.
static inline guint8
claim_some(guint8 *restrict claims, gsize n, guint8 claim) {
  guint8 kind = claim & CLAIM_KINDS, who = claim & (guint8)~CLAIM_KINDS, refused = 0;
  guint8 shares = kind == CLAIM_STORE ? 0 : 255, many = kind | CLAIM_MANY,
         mixed = CLAIM_STORE | who;
  for (gsize i = 0; i < n; i++) {
    guint8 differs = claims[i] ^ claim;
    guint8 is_free = claims[i] == 0 || differs == 0 ? 255 : 0;
    guint8 is_own = (differs & (guint8)~CLAIM_KINDS) == 0 ? 255 : 0;
    guint8 is_alike = (differs & CLAIM_KINDS) == 0 ? shares : 0;
    refused |= (guint8) ~(is_free | is_own | is_alike);
    guint8 other = (is_own & mixed) | ((guint8)~is_own & many);
    claims[i] = (is_free & claim) | ((guint8)~is_free & other);
  }
  return refused;
}

// Those of a whole warp, and of two, are a loop of a known length; what is claimed twice is claimed as before.
static gboolean
claim_granules(guint8 *restrict claims, gsize n, guint8 claim) {
  guint8 refused = 0;
  if (n < ROW_LANES)
    return !claim_some(claims, n, claim);
  gsize i = 0;
  for (; i + 2 * ROW_LANES <= n; i += 2 * ROW_LANES)
    refused |= claim_some(claims + i, 2 * ROW_LANES, claim);
  for (; i < n; i += ROW_LANES)
    refused |= claim_some(claims + MIN(i, n - ROW_LANES), ROW_LANES, claim);
  return !refused;
}

// --- words that are known

// Four words side by side: those of a lane, and one of four lanes.
typedef guint32 Four __attribute__((vector_size(16)));

static inline Four
get_four(const guchar *at) {
  Four four;
  memcpy(&four, at, sizeof four);
  return four;
}

static inline Four
shuffle_fours(Four a, Four b, gint i, gint j, gint k, gint l) {
#if defined __clang__
  guint32 all[8];
  memcpy(all, &a, sizeof a);
  memcpy(all + 4, &b, sizeof b);
  return (Four){all[i], all[j], all[k], all[l]};
#else
  return __builtin_shuffle(a, b, (Four){(guint32)i, (guint32)j, (guint32)k, (guint32)l});
#endif
}

static gboolean
load_fours(guint n, const guint32 *restrict offsets, const guchar *bytes, const guchar *marks,
           guint32 (*restrict values)[SMB_MAX_LANES]) {
  const Four known = {MARKS_KNOWN, MARKS_KNOWN, MARKS_KNOWN, MARKS_KNOWN};
  Four differ = {0, 0, 0, 0};
  for (guint lane = 0; lane < n; lane++)
    differ |= get_four(marks + offsets[lane]) ^ known;
  if (differ[0] | differ[1] | differ[2] | differ[3])
    return FALSE;
  for (guint lane = 0; lane < n; lane += 4) {
    Four a = get_four(bytes + offsets[lane]), b = get_four(bytes + offsets[lane + 1]);
    Four c = get_four(bytes + offsets[lane + 2]), d = get_four(bytes + offsets[lane + 3]);
    Four ab_low = shuffle_fours(a, b, 0, 4, 1, 5), ab_high = shuffle_fours(a, b, 2, 6, 3, 7);
    Four cd_low = shuffle_fours(c, d, 0, 4, 1, 5), cd_high = shuffle_fours(c, d, 2, 6, 3, 7);
    Four words[] = {
        shuffle_fours(ab_low, cd_low, 0, 1, 4, 5), shuffle_fours(ab_low, cd_low, 2, 3, 6, 7),
        shuffle_fours(ab_high, cd_high, 0, 1, 4, 5), shuffle_fours(ab_high, cd_high, 2, 3, 6, 7)};
    for (guint word = 0; word < G_N_ELEMENTS(words); word++)
      memcpy(&values[word][lane], &words[word], sizeof words[word]);
  }
  return TRUE;
}

static gboolean
load_words(guint n, guint words, const guint32 *restrict offsets, const guchar *bytes,
           const guchar *marks, guint32 (*restrict values)[SMB_MAX_LANES]) {
  if (words == 4)
    return load_fours(n, offsets, bytes, marks, values);
  for (guint word = 0; word < words; word++) {
    guint32 differ = 0;
    for (guint lane = 0; lane < n; lane++) {
      guint32 mark;
      memcpy(&mark, marks + offsets[lane] + sizeof mark * word, sizeof mark);
      differ |= mark ^ MARKS_KNOWN;
    }
    if (differ)
      return FALSE;
    for (guint lane = 0; lane < n; lane++)
      memcpy(&values[word][lane], bytes + offsets[lane] + sizeof(guint32) * word, sizeof(guint32));
  }
  return TRUE;
}

const PlaceLoops PLACE_LOOPS = {point, share, span, claim_granules, load_words};
