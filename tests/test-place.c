// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops over the places of a warp's lanes, of every build, against a plain one: places around both ends of what may be
// touched, dense, alike and at random, of warps of 32 and 64 lanes of which some take part.
#include <check.h>

#include "sim/machine/place.h"
#include "tests/suite.h"

enum {
  N_TRIALS = 4000,
};

static const PlaceLoops *const builds[] = {
    &smb_place_loops_portable,
#if SMB_HAVE_AVX2_PLACES
    &smb_place_loops_avx2,
#endif
};

static gboolean
can_run(guint build) {
  return build == 0 || smb_place_loops_choose() == builds[build];
}

// Offsets of lanes behind the start of an object of @size bytes; some lie a little outside.
static void
make_offsets(GRand *random, guint32 size, guint32 width, gint32 *offsets) {
  guint kind = (guint)g_rand_int_range(random, 0, 4);
  gint32 first = g_rand_int_range(random, -8, (gint32)size + 4) / 4 * 4;
  for (guint lane = 0; lane < SMB_MAX_LANES; lane++) {
    gint32 any = g_rand_int_range(random, 0, (gint32)size);
    gint32 stray = g_rand_int_range(random, 0, 40) == 0;
    offsets[lane] = kind == 0 ? any : kind == 1 ? first : first + (gint32)(lane * width) + stray;
  }
}

// What the loops say of places, in a few words.
static void
check_places(const LanePlaces *places, const gint32 *offsets, guint n, SmbLanes lanes,
             guint32 base) {
  guint first = smb_lanes_first(lanes);
  gboolean outside = FALSE, same = TRUE, dense = TRUE;
  guint32 low_bits = base;
  for (guint lane = 0; lane < n; lane++) {
    gint32 offset = lanes >> lane & 1 ? offsets[lane] : offsets[first];
    outside = outside || offset < 0 || (guint64)offset > places->last;
    same = same && offset == offsets[first];
    dense = dense && offset == offsets[first] + (gint32)(lane * places->width);
    low_bits |= (guint32)offset;
  }
  ck_assert_uint_eq(places->outside >> 63, outside);
  ck_assert_uint_eq(places->differ == 0, same);
  ck_assert_uint_eq(places->stray == 0, dense);
  ck_assert_uint_eq(places->low_bits & 15, low_bits & 15);
}

START_TEST(finds_places) {
  g_autoptr(GRand) random = g_rand_new_with_seed(7);
  for (guint trial = 0; trial < N_TRIALS; trial++) {
    guint build = trial % G_N_ELEMENTS(builds), n = trial & 4 ? 64 : 32;
    guint32 width = 4u << (trial % 3), size = (guint32)g_rand_int_range(random, 64, 2000);
    guint32 base = (guint32)g_rand_int_range(random, 0, 9) * 16, request[SMB_MAX_LANES];
    SmbLanes some = (guint64)g_rand_int(random) << 32 | g_rand_int(random) | 1;
    SmbLanes lanes = (trial & 8 ? some : G_MAXUINT64) & smb_lanes_below(n);
    const guint64 start = G_GUINT64_CONSTANT(0x3800000000000);
    gint32 offsets[SMB_MAX_LANES];
    guint32 rows[SMB_MAX_LANES];
    guint64 pointers[SMB_MAX_LANES];
    gint64 found[SMB_MAX_LANES];
    make_offsets(random, size, width, offsets);
    for (guint lane = 0; lane < n; lane++) {
      rows[lane] = (guint32)offsets[lane] - 100;
      pointers[lane] = start + (guint64)(gint64)offsets[lane];
    }
    if (!can_run(build))
      continue;
    guint first = smb_lanes_first(lanes);
    LanePlaces places = {.last = size - width, .width = width, .first = (guint32)offsets[first]};
    builds[build]->share(&places, n, lanes, rows, 100, request);
    check_places(&places, offsets, n, lanes, 0);
    for (guint lane = 0; lane < n; lane++)
      ck_assert_uint_eq(request[lane], (guint32)offsets[lanes >> lane & 1 ? lane : first]);
    places.first = (guint64)(gint64)offsets[0];
    builds[build]->point(&places, n, pointers, start, base, found, request);
    check_places(&places, offsets, n, smb_lanes_below(n), base);
    for (guint lane = 0; lane < n; lane++) {
      ck_assert_int_eq(found[lane], offsets[lane]);
      ck_assert_uint_eq(request[lane], (guint32)offsets[lane] + base);
    }
  }
}
END_TEST

Suite *
suite_place(void) {
  Suite *suite = suite_create("place");
  TCase *tcase = tcase_create("place");
  tcase_add_test(tcase, finds_places);
  suite_add_tcase(suite, tcase);
  return suite;
}
