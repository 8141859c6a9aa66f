// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What blocks before a block have loaded, and what the one beside it loads, compared with these blocks, sector by sector: random stencils.
#include <check.h>

#include "sim/time/dram/common-lines.h"
#include "sim/time/dram/earlier-blocks.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  MAX_ACCESSES = 6,
  MAX_SECTORS = 12, // of an access
  START = 1 << 20,  // sectors
};

// What all blocks do: each access begins as far behind that of the block before as the others.
typedef struct {
  gint distance;
  guint n, sectors;
  gint offsets[MAX_ACCESSES];
} Stencil;

static gint64
find_start(const Stencil *stencil, guint access, gint block) {
  return START + stencil->offsets[access] + (gint64)block * stencil->distance;
}

static SmbBlockRecord *
record_block(const Stencil *stencil, gint block) {
  SmbBlockRecord *record = g_new0(SmbBlockRecord, 1);
  record->requests = g_array_new(FALSE, FALSE, sizeof(SmbTimedRequest));
  record->lines = g_array_new(FALSE, FALSE, sizeof(SmbTimedLine));
  for (guint a = 0; a < stencil->n; a++) {
    SmbTimedRequest request = {.site = a, .first = record->lines->len, .is_load = TRUE};
    gint64 start = find_start(stencil, a, block), end = start + stencil->sectors;
    for (gint64 line = start / SMB_LINE_SECTORS; line * SMB_LINE_SECTORS < end; line++) {
      SmbTimedLine touched = {.line = (guint64)line};
      for (guint s = 0; s < SMB_LINE_SECTORS; s++)
        if (line * SMB_LINE_SECTORS + s >= start && line * SMB_LINE_SECTORS + s < end)
          touched.sectors |= (guint8)(1u << s);
      g_array_append_val(record->lines, touched);
      request.n++;
    }
    g_array_append_val(record->requests, request);
  }
  return record;
}

static gboolean
is_loaded_by(const Stencil *stencil, gint block, gint64 sector) {
  for (guint a = 0; a < stencil->n; a++) {
    gint64 start = find_start(stencil, a, block);
    if (sector >= start && sector < start + stencil->sectors)
      return TRUE;
  }
  return FALSE;
}

static void
compare_with_blocks(const Stencil *stencil, gint most) {
  g_autoptr(SmbBlockRecord) block = record_block(stencil, 0), before = record_block(stencil, -1);
  g_autoptr(GHashTable) found = smb_earlier_blocks_find(block, before, most);
  for (guint i = 0; i < block->lines->len; i++) {
    const SmbTimedLine *line = &g_array_index(block->lines, SmbTimedLine, i);
    guint bits = GPOINTER_TO_UINT(g_hash_table_lookup(found, GSIZE_TO_POINTER(line->line)));
    for (guint s = 0; s < SMB_LINE_SECTORS; s++) {
      gint64 sector = (gint64)line->line * SMB_LINE_SECTORS + s;
      gboolean expected = FALSE;
      for (gint earlier = 1; earlier <= most; earlier++)
        expected = expected || is_loaded_by(stencil, -earlier, sector);
      expected = expected && is_loaded_by(stencil, 0, sector);
      ck_assert_int_eq(bits >> s & 1, expected);
    }
  }
}

static Stencil
draw_stencil(GRand *rand) {
  Stencil stencil = {.n = (guint)g_rand_int_range(rand, 1, MAX_ACCESSES + 1),
                     .sectors = (guint)g_rand_int_range(rand, 1, MAX_SECTORS + 1)};
  stencil.distance = g_rand_int_range(rand, 1, 2 * MAX_SECTORS) * (g_rand_boolean(rand) ? 1 : -1);
  for (guint a = 0; a < stencil.n; a++) {
    gint offset = g_rand_int_range(rand, -40, 40);
    stencil.offsets[a] = g_rand_boolean(rand) ? offset : offset / 8 * stencil.distance;
  }
  return stencil;
}

START_TEST(is_what_blocks_before_load) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(20261128);
  for (guint round = 0; round < effort(20000); round++) {
    Stencil stencil = draw_stencil(rand);
    compare_with_blocks(&stencil, g_rand_int_range(rand, 1, 30));
  }
}
END_TEST

// Of an access of @block, how many sectors @other loads as well.
static guint
count_shared_sectors(const Stencil *stencil, guint access, gint block, gint other) {
  guint common = 0;
  for (guint s = 0; s < stencil->sectors; s++)
    common += is_loaded_by(stencil, other, find_start(stencil, access, block) + s);
  return common;
}

static GHashTable *
collect_block_loads(const SmbBlockRecord *record) {
  GHashTable *loads = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (guint i = 0; i < record->lines->len; i++) {
    const SmbTimedLine *line = &g_array_index(record->lines, SmbTimedLine, i);
    gpointer key = GSIZE_TO_POINTER(line->line);
    guint bits = GPOINTER_TO_UINT(g_hash_table_lookup(loads, key)) | line->sectors;
    g_hash_table_insert(loads, key, GUINT_TO_POINTER(bits));
  }
  return loads;
}

// The blocks on both sides, by the one before alone.
START_TEST(is_what_blocks_beside_load) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(20261130);
  for (guint round = 0; round < effort(5000); round++) {
    Stencil stencil = draw_stencil(rand);
    g_autoptr(SmbBlockRecord) block = record_block(&stencil, 0),
                              before = record_block(&stencil, -1);
    g_autoptr(GHashTable) own = collect_block_loads(block), loads = collect_block_loads(before);
    const SmbBeside beside[] = {{0}, {.record = before, .loads = loads}};
    g_autofree double *parts =
        smb_common_lines_find(block, own, beside, G_N_ELEMENTS(beside), stencil.n);
    for (guint a = 0; a < stencil.n; a++) {
      guint common =
          MAX(count_shared_sectors(&stencil, a, 0, -1), count_shared_sectors(&stencil, a, 0, 1));
      ck_assert_double_eq_tol(parts[a], (double)common / stencil.sectors, 1e-9);
    }
    // What a far block loads, too, is nobody's edge.
    const SmbBeside far = {.record = before, .loads = loads, .far = own};
    g_autofree double *none = smb_common_lines_find(block, own, &far, 1, stencil.n);
    for (guint a = 0; a < stencil.n; a++)
      ck_assert_double_eq_tol(none[a], 0, 1e-9);
  }
}
END_TEST

Suite *
suite_earlier_blocks(void) {
  Suite *suite = suite_create("earlier-blocks");
  TCase *tcase = tcase_create("earlier-blocks");
  tcase_add_test(tcase, is_what_blocks_before_load);
  tcase_add_test(tcase, is_what_blocks_beside_load);
  suite_add_tcase(suite, tcase);
  return suite;
}
