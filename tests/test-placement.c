// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Placements against the address of an operand's number (sim/exec/product), and against the swizzle of a tensor map; tiles of several placements, and what may
// become of them.
#include "sim/program/placement.h"

#include <check.h>
#include <string.h>

#include "sim/advise/tile-mode.h"
#include "sim/exec/product/product.h"
#include "sim/tensor/map.h"
#include "tests/suite.h"

enum {
  RANDOM_OPERANDS = 2000,
  SPANS = 4,
};

static const guint32 all_spans[SPANS] = {0, 32, 64, 128};

// An operand of a descriptor whose distances lead to no byte twice, of 2 bytes a number.
static SmbPlacement
random_operand(GRand *random, MatrixPlace *place) {
  const guint32 mode = (guint32)g_rand_int_range(random, 0, SPANS);
  const guint32 lines = 8 * (guint32)g_rand_int_range(random, 1, 9);
  const guint32 turned = (guint32)g_rand_int_range(random, 0, 2);
  *place = smb_matrix_place((guint32)g_rand_int_range(random, 0, 64) * 8, mode << 30);
  SmbPlacement operand = {.start = place->start,
                          .lines = lines,
                          .line_bytes = place->width * (guint32)g_rand_int_range(random, 1, 5),
                          .width = place->width,
                          .pitch = place->width,
                          .span = place->mask ? place->width : 0,
                          .unit = SMB_PLACED_CHUNK,
                          .is_turned = turned != 0};
  const guint32 gap = 16 * (guint32)g_rand_int_range(random, 0, 3);
  if (g_rand_boolean(random)) {
    operand.group = 8 * operand.width + gap;
    operand.next = lines / 8 * operand.group + gap;
  } else {
    operand.next = 8 * operand.width + gap;
    operand.group = operand.line_bytes / operand.width * operand.next + gap;
  }
  const gboolean is_exchanged = turned && !place->mask;
  place->leading = is_exchanged ? operand.group : operand.next;
  place->stride = is_exchanged ? operand.next : operand.group;
  if (lines == 8)
    operand.group = 0;
  if (operand.line_bytes == operand.width)
    operand.next = 0;
  return operand;
}

// Each chunk of an operand lies where its number is read, and is found there.
START_TEST(test_operand) {
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  for (guint i = 0; i < RANDOM_OPERANDS; i++) {
    MatrixPlace place;
    const SmbPlacement operand = random_operand(random, &place);
    ck_assert(smb_placement_is_sound(&operand));
    for (guint32 line = 0; line < operand.lines; line++)
      for (guint32 x = 0; x < operand.line_bytes; x += SMB_PLACED_CHUNK) {
        guint32 found_line, found_x, offset = smb_placement_locate(&operand, line, x + 6);
        guint row = operand.is_turned ? x / 2 + 3 : line, k = operand.is_turned ? line : x / 2 + 3;
        ck_assert_uint_eq(offset, smb_matrix_address(&place, operand.is_turned, 2, row, k));
        ck_assert(smb_placement_find(&operand, offset, &found_line, &found_x));
        ck_assert_uint_eq(found_line, line);
        ck_assert_uint_eq(found_x, x + 6);
      }
    ck_assert_uint_eq(
        smb_placement_end(&operand),
        operand.start + smb_placement_at(&operand, operand.lines - 1, operand.line_bytes - 1) + 1);
  }
}
END_TEST

// Rows of a box with each swizzle lie where the tensor map puts them, and begin spans.
START_TEST(test_box) {
  for (guint mode = 1; mode < SPANS; mode++) {
    const SmbTensorMap map = {.swizzle = mode};
    const SmbPlacement plain = {.start = 2048 + 128,
                                .lines = 24,
                                .line_bytes = all_spans[mode],
                                .width = all_spans[mode],
                                .pitch = all_spans[mode],
                                .group = 8 * all_spans[mode],
                                .unit = SMB_PLACED_CHUNK};
    const SmbPlacement box = smb_placement_swizzle(&plain, all_spans[mode]);
    ck_assert_uint_eq(box.start % (8 * all_spans[mode]), 0);
    ck_assert(box.start >= plain.start && box.start - plain.start < 8 * all_spans[mode]);
    for (guint32 line = 0; line < box.lines; line++)
      for (guint32 x = 0; x < box.line_bytes; x++)
        ck_assert_uint_eq(smb_placement_locate(&box, line, x),
                          smb_tensor_swizzle(&map, box.start + line * all_spans[mode] + x));
  }
}
END_TEST

// Distances that lead to a byte twice.
START_TEST(test_unsound) {
  const SmbPlacement good = {.lines = 16,
                             .line_bytes = 64,
                             .width = 16,
                             .pitch = 16,
                             .group = 128,
                             .next = 256,
                             .unit = 16};
  SmbPlacement bad = good;
  ck_assert(smb_placement_is_sound(&good));
  bad.next = 128;
  ck_assert(!smb_placement_is_sound(&bad));
  bad = good;
  bad.group = 64;
  ck_assert(!smb_placement_is_sound(&bad));
  bad = good;
  bad.lines = 24;
  ck_assert(!smb_placement_is_sound(&bad));
}
END_TEST

// Padding between units keeps the matrix whole, and moves each of its bytes by a multiple of 16.
START_TEST(test_spread) {
  const SmbPlacement now[] = {{.lines = 64,
                               .line_bytes = 128,
                               .width = 16,
                               .pitch = 16,
                               .group = 128,
                               .next = 1024,
                               .unit = 16},
                              {.lines = 64,
                               .line_bytes = 128,
                               .width = 16,
                               .pitch = 16,
                               .group = 1024,
                               .next = 128,
                               .unit = 16}};
  for (guint i = 0; i < 2; i++)
    for (guint is_group = 0; is_group < 2; is_group++) {
      const SmbPlacement then = smb_placement_spread(&now[i], 16, is_group);
      ck_assert(smb_placement_is_sound(&then));
      ck_assert_uint_eq(is_group ? then.group : then.next,
                        (is_group ? now[i].group : now[i].next) + 16);
      ck_assert(smb_placement_bytes(&then) > smb_placement_bytes(&now[i]));
    }
}
END_TEST

// --- tiles

typedef struct {
  char name;
  guint site;
  SmbPlacement placement;
} Part;

#define CHUNKS(at, rows, bytes, by_eight, by_chunk)                                                \
  {                                                                                                \
    .start = (at), .lines = (rows), .line_bytes = (bytes), .width = 16, .pitch = 16,               \
    .group = (by_eight), .next = (by_chunk), .unit = 16                                            \
  }
#define ROWS(at, rows, bytes, swizzle)                                                             \
  {                                                                                                \
    .start = (at), .lines = (rows), .line_bytes = (bytes), .width = (bytes), .pitch = (bytes),     \
    .group = 8 * (bytes), .span = (swizzle), .unit = 16                                            \
  }

// What each case has, and the tiles of it: "FIRST-END LINESxBYTES PARTS MODES", or "torn"; B, L and S: a box that is loaded, or stored. Threads store to bytes 0 to 15, and, where that
// is said, load from there.
static const struct {
  Part parts[5];
  gboolean loads;
  const char *tiles;
} tile_cases[] = {
    // four steps along k, which is further for chunks than for rows, and the other way round
    {{{'A', 0, CHUNKS(0, 64, 32, 128, 1024)},
      {'A', 0, CHUNKS(2048, 64, 32, 128, 1024)},
      {'A', 1, CHUNKS(4096, 64, 32, 128, 1024)}},
     FALSE,
     "0-6144 64x96 3 32B 128B 128/1040 144/1152"},
    {{{'B', 0, CHUNKS(0, 64, 32, 1024, 128)}, {'B', 0, CHUNKS(256, 64, 32, 1024, 128)}},
     FALSE,
     "0-7680 64x64 2 32B 64B 128B 1088/144 1040/128"},
    // A and B side by side, and two stages of rows
    {{{'A', 0, CHUNKS(0, 64, 32, 128, 1024)}, {'B', 0, CHUNKS(2048, 64, 32, 128, 1024)}},
     FALSE,
     "0-2048 64x32 1 32B 64B 128B 128/1040 144/1152, 2048-4096 64x32 1 32B 64B 128B 128/1040 "
     "144/1152"},
    // an operand in the box that brought it, which has more rows
    {{{'A',
       0,
       {.lines = 64,
        .line_bytes = 32,
        .width = 128,
        .pitch = 128,
        .group = 1024,
        .span = 128,
        .unit = 16}},
      {'A',
       0,
       {.start = 32,
        .lines = 64,
        .line_bytes = 32,
        .width = 128,
        .pitch = 128,
        .group = 1024,
        .span = 128,
        .unit = 16}},
      {'L', 2, ROWS(0, 128, 128, 128)}},
     FALSE,
     "0-16384 128x128 3"},
    // a box alone
    {{{'S', 3, ROWS(1024, 32, 64, 0)}}, FALSE, "1024-3072 32x64 1 64B 128B"},
    {{{'L', 2, ROWS(0, 32, 256, 0)}}, FALSE, "0-8192 32x256 1 128B"},
    // a product without a swizzle, of a box with one; and one memory for two things
    {{{'A', 0, CHUNKS(0, 64, 32, 128, 1024)}, {'L', 2, ROWS(0, 64, 128, 128)}},
     TRUE,
     "torn 0-8192"},
    {{{'L', 2, ROWS(0, 64, 128, 128)}, {'S', 3, ROWS(0, 64, 64, 0)}}, FALSE, "torn 0-8192"},
    {{{'A', 0, ROWS(0, 64, 128, 128)},
      {'L', 2, ROWS(0, 64, 128, 128)},
      {'S', 3, ROWS(0, 64, 64, 0)}},
     FALSE,
     "0-4096 64x64 1 64B 128B"},
    {{{'A', 0, ROWS(0, 64, 128, 128)},
      {'L', 2, ROWS(0, 64, 128, 128)},
      {'S', 3, ROWS(0, 64, 64, 0)}},
     TRUE,
     "torn 0-8192"},
};

static char *
show_tile(const SmbPlacedTile *tile) {
  GString *text = g_string_new(NULL);
  if (tile->is_torn) {
    g_string_printf(text, "torn %u-%u", tile->first, tile->end);
    return g_string_free(text, FALSE);
  }
  g_autoptr(GArray) modes = smb_tile_modes(tile, SMB_TILE_SWIZZLES | SMB_TILE_SPREADS);
  g_string_printf(text, "%u-%u %ux%u %u", tile->first, tile->end, tile->placement.lines,
                  tile->placement.line_bytes, tile->parts->len);
  for (guint i = 0; i < modes->len; i++) {
    const SmbPlacement *mode = &g_array_index(modes, SmbPlacement, i);
    if (mode->span)
      g_string_append_printf(text, " %uB", mode->span);
    else
      g_string_append_printf(text, " %u/%u", mode->group, mode->next);
  }
  return g_string_free(text, FALSE);
}

START_TEST(test_tiles) {
  static const SmbSite sites[] = {{.op_class = SMB_OP_CLASS_LOAD},
                                  {.op_class = SMB_OP_CLASS_LOAD},
                                  {.op_class = SMB_OP_CLASS_STORE},
                                  {.op_class = SMB_OP_CLASS_LOAD},
                                  {.op_class = SMB_OP_CLASS_STORE}};
  g_autoptr(GArray) placed = g_array_new(FALSE, FALSE, sizeof(SmbPlacedRows)),
                    warnings = g_array_new(FALSE, FALSE, sizeof(SmbAnalysisWarning));
  g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(SmbAccessRequest)),
                    accesses = g_array_new(FALSE, FALSE, sizeof(SmbAccess));
  g_autofree SmbAccess *access = g_new0(SmbAccess, 1);
  const SmbAccessRequest request = {.request = {.op = SMB_OP_ST, .width = 16, .mask = 1}};
  access->site = &sites[tile_cases[_i].loads ? 0 : 4];
  g_array_append_vals(accesses, access, 1);
  g_array_append_val(requests, request);
  for (guint i = 0; tile_cases[_i].parts[i].name; i++) {
    const Part *part = &tile_cases[_i].parts[i];
    const SmbPlacedRows rows = {&sites[part->site],
                                strchr("LS", part->name) ? SMB_PLACED_BOX : part->name,
                                part->placement,
                                {.width = 16}};
    g_array_append_val(placed, rows);
  }
  const SmbAnalysis analysis = {
      .tiles = placed, .warnings = warnings, .requests = requests, .accesses = accesses};
  g_autoptr(GPtrArray) tiles = smb_placed_tiles_new(NULL, &analysis);
  g_autoptr(GString) shown = g_string_new(NULL);
  for (guint i = 0; i < tiles->len; i++) {
    g_autofree char *tile = show_tile(g_ptr_array_index(tiles, i));
    g_string_append_printf(shown, "%s%s", i ? ", " : "", tile);
  }
  ck_assert_str_eq(shown->str, tile_cases[_i].tiles);
}
END_TEST

Suite *
suite_placement(void) {
  Suite *suite = suite_create("placement");
  TCase *tcase = tcase_create("placement");
  tcase_add_test(tcase, test_operand);
  tcase_add_test(tcase, test_box);
  tcase_add_test(tcase, test_unsound);
  tcase_add_test(tcase, test_spread);
  tcase_add_loop_test(tcase, test_tiles, 0, G_N_ELEMENTS(tile_cases));
  suite_add_tcase(suite, tcase);
  return suite;
}
