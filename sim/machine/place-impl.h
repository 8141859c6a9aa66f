// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops of place.h, for whatever processor this is compiled for; PLACE_LOOPS is the name of their table.
#include "sim/machine/lanes.h"
#include "sim/machine/place.h"

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

static void
share(LanePlaces *places, guint n, SmbLanes lanes, const guint32 *restrict base, guint32 offset,
      guint32 *restrict request) {
  static const guint32 bits[ROW_LANES] = {LANE_BITS};
  guint32 last = (guint32)places->last, width = places->width, first = (guint32)places->first;
  guint32 outside = 0, low_bits = 0, differ = 0, stray = 0;
  for (gsize row = 0; row < n; row += ROW_LANES) {
    guint32 asked = (guint32)(lanes >> row), dense = first + (guint32)row * width;
    const guint32 *restrict from = base + row;
    guint32 *restrict to = request + row;
    for (gsize i = 0; i < ROW_LANES; i++) {
      guint32 chosen = asked & bits[i] ? G_MAXUINT32 : 0;
      guint32 place = ((from[i] + offset) & chosen) | (first & ~chosen);
      outside |= place | (last - place);
      low_bits |= place;
      differ |= place ^ first;
      stray |= place ^ (dense + (guint32)i * width);
      to[i] = place;
    }
  }
  places->outside = (guint64)outside << 32;
  places->low_bits = low_bits;
  places->differ = differ;
  places->stray = stray;
}

const PlaceLoops PLACE_LOOPS = {point, share};
