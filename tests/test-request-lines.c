// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a block has asked for before, by its warps, beside a list of all that they have asked for.
#include <check.h>

#include "sim/time/record/request-lines.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  N_WARPS = 4,
  N_LINES = 1500,
  NEAR = 256, // sectors: what is asked for again within so many counts once
};

typedef struct {
  guint warp;
  guint64 line;
  guint sectors;
  gboolean stores;
  guint64 when;  // sectors that the warp had asked for before
  guint counted; // that it asks for with this
} Touch;

// The last touch of a line by a warp, or the last time that it stored there; NULL: there was none.
static const Touch *
find_last(const GArray *touches, guint warp, guint64 line, gboolean stores) {
  for (guint i = touches->len; i > 0; i--) {
    const Touch *touch = &g_array_index(touches, Touch, i - 1);
    if (touch->warp == warp && touch->line == line && (touch->stores || !stores))
      return touch;
  }
  return NULL;
}

// Sectors of a line that were touched, of one warp or of all.
static guint
find_touched(const GArray *touches, guint warp, guint64 line, gboolean own) {
  guint sectors = 0;
  for (guint i = 0; i < touches->len; i++) {
    const Touch *touch = &g_array_index(touches, Touch, i);
    if (touch->line == line && (touch->warp == warp || !own))
      sectors |= touch->sectors;
  }
  return sectors;
}

static SmbBlockRecord *
new_record(void) {
  SmbBlockRecord *record = g_new0(SmbBlockRecord, 1);
  record->requests = g_array_new(FALSE, FALSE, sizeof(SmbTimedRequest));
  record->lines = g_array_new(FALSE, FALSE, sizeof(SmbTimedLine));
  return record;
}

static void
check_touch(const GArray *touches, const SmbTimedLine *line, Touch *touch) {
  guint all = find_touched(touches, touch->warp, touch->line, FALSE);
  guint own = find_touched(touches, touch->warp, touch->line, TRUE);
  const Touch *last = find_last(touches, touch->warp, touch->line, FALSE);
  const Touch *same = touch->stores ? find_last(touches, touch->warp, touch->line, TRUE) : last;
  guint64 since = last ? touch->when - last->when : 0;
  ck_assert_uint_eq(line->since, same ? touch->when - same->when : 0);
  if (!touch->stores) { // of what is loaded, the rest of a pair is there as well
    ck_assert_uint_eq(line->news & smb_sector_pairs(all), 0);
    ck_assert_uint_eq((line->news | smb_sector_pairs(all)) & smb_sector_pairs(touch->sectors),
                      smb_sector_pairs(touch->sectors));
  } else {
    ck_assert_uint_eq(line->news, 0);
  }
  ck_assert_uint_eq(line->others,
                    touch->stores ? 0 : smb_sector_pairs(touch->sectors & all & ~own));
  gboolean counts = (touch->sectors & ~own) || since >= NEAR;
  touch->counted = counts ? (guint)__builtin_popcount(touch->sectors) : 0;
}

// Whole pairs of sectors, so that what comes with a sector is what was asked for.
START_TEST(touches_are_those_of_a_list) {
  static const guint pairs[] = {0x3, 0xc, 0xf};
  g_autoptr(SmbBlockRecord) record = new_record();
  g_autoptr(GArray) touches = g_array_new(FALSE, FALSE, sizeof(Touch));
  g_autoptr(GRand) random = g_rand_new_with_seed(20261201);
  guint64 asked[N_WARPS] = {0};
  SmbSeenLines seen = {.sectors = NULL};
  smb_seen_lines_init(&seen);
  smb_seen_lines_reset(&seen);
  for (guint turn = 0; turn < effort(20000); turn++) {
    Touch touch = {.warp = (guint)g_rand_int_range(random, 0, N_WARPS),
                   .sectors = pairs[g_rand_int_range(random, 0, 3)],
                   .stores = g_rand_int_range(random, 0, 3) == 0};
    gboolean again = touches->len > 0 && g_rand_boolean(random);
    touch.line = again ? g_array_index(touches, Touch, touches->len - 1).line
                       : (guint64)g_rand_int_range(random, 0, turn % 1000 < 500 ? 20 : N_LINES);
    touch.when = asked[touch.warp];
    const SmbTimedRequest request = {.first = record->lines->len, .n = 1};
    const SmbTimedLine added = {.line = touch.line, .sectors = (guint8)touch.sectors};
    g_array_append_val(record->lines, added);
    smb_request_find_news(record, &seen, &request, touch.warp, !touch.stores);
    check_touch(touches, &g_array_index(record->lines, SmbTimedLine, request.first), &touch);
    asked[touch.warp] += touch.counted;
    ck_assert_uint_eq(seen.asked[touch.warp], asked[touch.warp]);
    g_array_append_val(touches, touch);
  }
  ck_assert(record->has_others);
  smb_seen_lines_clear(&seen);
}
END_TEST

Suite *
suite_request_lines(void) {
  Suite *suite = suite_create("request-lines");
  TCase *tcase = tcase_create("request-lines");
  tcase_add_test(tcase, touches_are_those_of_a_list);
  suite_add_tcase(suite, tcase);
  return suite;
}
