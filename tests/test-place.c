// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops over the places of a warp's lanes, of every build, against a plain one: places around both ends of what may be
// touched, dense, alike and at random, of warps of 32 and 64 lanes of which some take part.
#include <check.h>

#include "sim/machine/access/place.h"
#include "tests/suite.h"

enum {
  N_TRIALS = 4000,
};

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
    guint build = trial % SMB_N_PROCESSORS, n = trial & 4 ? 64 : 32;
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
    if (build > smb_processor())
      continue;
    guint first = smb_lanes_first(lanes);
    LanePlaces places = {.last = size - width, .width = width, .first = (guint32)offsets[first]};
    smb_place_loops(build)->share(&places, n, lanes, rows, 100, request);
    check_places(&places, offsets, n, lanes, 0);
    for (guint lane = 0; lane < n; lane++)
      ck_assert_uint_eq(request[lane], (guint32)offsets[lanes >> lane & 1 ? lane : first]);
    places.first = (guint64)(gint64)offsets[0];
    smb_place_loops(build)->point(&places, n, pointers, start, base, found, request);
    check_places(&places, offsets, n, smb_lanes_below(n), base);
    for (guint lane = 0; lane < n; lane++) {
      ck_assert_int_eq(found[lane], offsets[lane]);
      ck_assert_uint_eq(request[lane], (guint32)offsets[lane] + base);
    }
  }
}
END_TEST

START_TEST(finds_spans) {
  g_autoptr(GRand) random = g_rand_new_with_seed(8);
  for (guint trial = 0; trial < N_TRIALS; trial++) {
    guint build = trial % SMB_N_PROCESSORS, n = trial & 4 ? 64 : 32;
    guint32 places[SMB_MAX_LANES], low = G_MAXUINT32, high = 0, lowest, highest;
    for (guint lane = 0; lane < n; lane++) {
      places[lane] = g_rand_int(random) >> (trial % 31);
      low = MIN(low, places[lane]);
      high = MAX(high, places[lane]);
    }
    if (build > smb_processor())
      continue;
    smb_place_loops(build)->span(n, places, &lowest, &highest);
    ck_assert_uint_eq(lowest, low);
    ck_assert_uint_eq(highest, high);
  }
}
END_TEST

// --- claims, beside the accesses that were made of each granule

enum {
  N_GRANULES = 200,
  N_CLAIMS = 40,
};

typedef struct {
  guint8 warp, kind;
  guint32 first, n;
} Claim;

// Whether two accesses cannot race, whatever they are of the granules that both reach.
static gboolean
get_along(const Claim *a, const Claim *b) {
  gboolean apart = a->first + a->n <= b->first || b->first + b->n <= a->first;
  return apart || a->warp == b->warp || (a->kind == b->kind && a->kind != CLAIM_STORE);
}

// Whether a warp is alone with what it does to a granule, or all do the same: what a mark can say.
static gboolean
is_certain(const Claim *claims, guint n, const Claim *last) {
  for (guint i = 0; i < n; i++) {
    if (!get_along(&claims[i], last))
      return FALSE;
  }
  return TRUE;
}

START_TEST(claims_what_warps_touch) {
  static const guint8 kinds[] = {CLAIM_LOAD, CLAIM_ATOMIC, CLAIM_STORE};
  g_autoptr(GRand) random = g_rand_new_with_seed(9);
  guint n_refused = 0, n_claimed = 0;
  for (guint trial = 0; trial < N_TRIALS; trial++) {
    guint build = trial % SMB_N_PROCESSORS, n_kinds = 1 + trial % 3, longest = 1 + trial % 90;
    guint8 marks[N_GRANULES + 2] = {0};
    Claim claims[N_CLAIMS];
    for (guint i = 0; i < N_CLAIMS && build <= smb_processor(); i++) {
      Claim *claim = &claims[i];
      claim->warp = (guint8)g_rand_int_range(random, 1, 5);
      claim->kind = kinds[g_rand_int_range(random, 0, (gint32)n_kinds)];
      claim->n = (guint32)g_rand_int_range(random, 1, (gint32)longest + 1);
      claim->first = (guint32)g_rand_int_range(random, 1, (gint32)(N_GRANULES + 2 - claim->n));
      gboolean claimed =
          smb_place_loops(build)->claim(marks + claim->first, claim->n, claim->kind | claim->warp);
      ck_assert_int_eq(claimed, is_certain(claims, i, claim));
      ck_assert_uint_eq(marks[0], 0);
      ck_assert_uint_eq(marks[N_GRANULES + 1], 0);
      n_claimed += claimed;
      n_refused += !claimed;
      if (!claimed)
        break;
    }
  }
  ck_assert_uint_gt(n_claimed, N_TRIALS);
  ck_assert_uint_gt(n_refused, N_TRIALS / 4);
}
END_TEST

Suite *
suite_place(void) {
  Suite *suite = suite_create("place");
  TCase *tcase = tcase_create("place");
  tcase_add_test(tcase, finds_places);
  tcase_add_test(tcase, finds_spans);
  tcase_add_test(tcase, claims_what_warps_touch);
  suite_add_tcase(suite, tcase);
  return suite;
}
