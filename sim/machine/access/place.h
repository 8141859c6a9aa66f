// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loops over the places that the lanes of a warp access, compiled for several processors. Private to the machine.
#pragma once

#include "sim/base/processor.h"
#include "sim/base/request.h"

// The marks of a word of 4 bytes that are known, and depend on nothing (MARK_KNOWN of each).
#define MARKS_KNOWN 0x01010101u

// What places may be, and what they are found to be: bits that are set if it holds for any lane.
typedef struct {
  guint64 last;  // the last place that may be accessed
  guint32 width; // bytes that each lane accesses
  // of PlaceLoops.share: the lowest place; away from the highest, so that each is read as it was written
  guint32 low;
  guint64 first;    // the place of the first lane that takes part
  guint64 outside;  // the highest bit: some are below 0, or beyond the last place
  guint64 low_bits; // of their offsets: at least four
  guint64 differ;   // from the first one
  guint64 stray;    // each from where it lay if the lanes, from lane 0, lay side by side
  guint32 high;     // of PlaceLoops.share: the highest place
} LanePlaces;

// Who asked for a granule of shared memory: a warp, from 1, or CLAIM_MANY, and above that the kind of access. 0: no
// warp. Accesses of one kind, if they are not stores, may be by many; a warp that does several things claims it as one
// that stores.
enum {
  CLAIM_MANY = 63,
  CLAIM_LOAD = 0,
  CLAIM_ATOMIC = 64,
  CLAIM_STORE = 128,
  CLAIM_KINDS = 192,
};

typedef struct {
  // Pointers of the machine as offsets behind @start, and as offsets into shared memory, which begins at @base of it.
  void (*point)(LanePlaces *places, guint n, const guint64 *restrict pointers, guint64 start,
                guint32 base, gint64 *restrict offsets, guint32 *restrict request);
  // LanePlaces at @base + @offset in shared memory; those of lanes that take no part become the first one.
  void (*share)(LanePlaces *places, guint n, SmbLanes lanes, const guint32 *restrict base,
                guint32 offset, guint32 *restrict request);
  // The lowest and the highest of @n places.
  void (*span)(guint n, const guint32 *restrict places, guint32 *low, guint32 *high);
  // A warp asks for @n granules of shared memory, of each of which @claims holds the claim so far; @claim: the warp's.
  // FALSE: one is claimed otherwise; then all is left half done.
  gboolean (*claim)(guint8 *restrict claims, gsize n, guint8 claim);
  // Loads words of 4 bytes, @words of them (1, 2 or 4) of each of @n lanes, from @bytes + @offsets, if all of them are
  // known, as
  // @marks says. FALSE: they are not; then the values are left half done.
  gboolean (*load)(guint n, guint words, const guint32 *restrict offsets, const guchar *bytes,
                   const guchar *marks, guint32 (*restrict values)[SMB_MAX_LANES]);
} PlaceLoops;

extern const PlaceLoops smb_place_loops_portable;
extern const PlaceLoops smb_place_loops_avx2;
extern const PlaceLoops smb_place_loops_avx512;

// Those for a kind of processor.
const PlaceLoops *smb_place_loops(SmbProcessor processor);
