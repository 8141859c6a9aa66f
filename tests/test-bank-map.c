// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The bank map agrees with the counter: it draws as many passes as are counted, and marks a bank exactly
// when there is an excess. And the pictures of a few requests, as a terminal shows them.
#include "src/draw/bank-map.h"

#include <check.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/arch/rule.h"
#include "tests/effort.h"
#include "tests/random-request.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 150, // for each architecture
};

static char *
drain(SmbSpool *spool) {
  g_autofree char *path = NULL;
  char *text = NULL;
  int fd = g_file_open_tmp("smembank-test-XXXXXX", &path, NULL);
  ck_assert_int_ge(fd, 0);
  ck_assert(smb_spool_flush(spool, fd, NULL));
  close(fd);
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  g_unlink(path);
  return text;
}

// What the words of an SVG say.
typedef struct {
  guint words, now, waiting;
  SmbLanes lanes, passes; // sets
  gboolean clash;
} Seen;

static SmbLanes
parse_set(const char *numbers) {
  SmbLanes set = 0;
  g_auto(GStrv) parts = g_strsplit(numbers, " ", -1);
  for (guint i = 0; parts[i]; i++)
    set |= (SmbLanes)1 << g_ascii_strtoull(parts[i], NULL, 10);
  return set;
}

static void
see_element(G_GNUC_UNUSED GMarkupParseContext *context, const char *element, const char **names,
            const char **values, gpointer user, G_GNUC_UNUSED GError **error) {
  Seen *seen = user;
  if (strcmp(element, "g") != 0 || !g_str_has_prefix(values[0], "word"))
    return;
  seen->words++;
  seen->now += strstr(values[0], " now") != NULL;
  seen->waiting += strstr(values[0], " wait") != NULL;
  seen->clash |= strstr(values[0], " clash") != NULL;
  for (guint i = 0; names[i]; i++) {
    seen->lanes |= strcmp(names[i], "data-lanes") == 0 ? parse_set(values[i]) : 0;
    seen->passes |= strcmp(names[i], "data-passes") == 0 ? parse_set(values[i]) : 0;
  }
}

static Seen
look(const SmbBankMap *map, int pass) {
  static const GMarkupParser parser = {.start_element = see_element};
  Seen seen = {0};
  g_autoptr(SmbSpool) spool = smb_spool_new();
  smb_bank_map_write_svg(map, pass, SMB_BANK_MAP_BARE, spool);
  g_autofree char *text = drain(spool);
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &seen, NULL);
  ck_assert(g_markup_parse_context_parse(context, text, -1, NULL));
  ck_assert(g_markup_parse_context_end_parse(context, NULL));
  g_markup_parse_context_free(context);
  return seen;
}

// Words of the request that the lanes of @pass ask for.
static guint
count_words(const SmbBankMap *map, SmbLanes lanes) {
  guint n = 0;
  for (guint i = 0; i < map->words->len; i++)
    n += (g_array_index(map->words, SmbBankMapWord, i).lanes & lanes) != 0;
  return n;
}

static void
check_map(const SmbArch *arch, const SmbRequest *request) {
  g_autoptr(SmbBankMap) map = smb_bank_map_new(arch, request);
  g_autofree char *line = format_request(request);
  SmbWavefronts counted = smb_wavefronts_count(arch, request);
  Seen all = look(map, SMB_BANK_MAP_ALL);
  ck_assert_uint_eq(all.lanes, smb_request_lanes(request));
  ck_assert_uint_eq(all.words, map->words->len);
  ck_assert_msg(all.clash == (counted.excess != 0), "%s %s", smb_arch_info(arch)->name, line);
  guint drawn = smb_lanes_count(all.passes);
  if (map->plan->conflict == SMB_CONFLICT_LOOP)
    ck_assert_uint_eq(drawn, smb_wavefronts_loop(arch, request).rounds);
  else if (map->plan->unit_bytes != 12 && !map->plan->counts_empty)
    ck_assert_msg(drawn * map->plan->passes == counted.wavefronts, "%s %s: %u drawn, counted %u",
                  smb_arch_info(arch)->name, line, drawn, counted.wavefronts);
  for (guint p = 0; p < map->passes.n; p++) {
    Seen seen = look(map, (int)p);
    ck_assert_uint_eq(seen.now, count_words(map, map->passes.lanes[p]));
    ck_assert(p + 1 < map->passes.n || seen.waiting == 0);
  }
}

START_TEST(test_agrees) {
  check_random_requests(6, N_REQUESTS / 10, check_map);
}
END_TEST

// Lines fit the width; with colour they read the same, but for what colour tells.
START_TEST(test_fits) {
  static const guint widths[] = {1, 24, 40, 60, 72, 80, 100, 120, 200};
  g_auto(GStrv) names = smb_arch_list();
  SmbRandom random = smb_random_new(7);
  for (guint i = 0; names[i]; i++) {
    g_autoptr(SmbArch) arch = smb_arch_load(names[i], NULL);
    for (guint j = 0; j < effort(N_REQUESTS); j++) {
      SmbRequest request;
      random_request(&random, arch, &request);
      g_autoptr(SmbBankMap) map = smb_bank_map_new(arch, &request);
      guint columns = widths[j % G_N_ELEMENTS(widths)];
      int pass = j % 3 == 0 ? SMB_BANK_MAP_ALL : (int)(j % MAX(map->passes.n, 1));
      g_autoptr(SmbSpool) spool = smb_spool_new();
      smb_bank_map_write_text(map, pass, columns, FALSE, spool);
      g_autofree char *text = drain(spool);
      g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
      guint rows = 0, rows_shown = 0;
      for (guint l = 0; lines[l]; l++) {
        ck_assert_msg(columns < 40 || strlen(lines[l]) <= columns, "%u columns: %s", columns, text);
        ck_assert(g_str_is_ascii(lines[l]) && !strchr(lines[l], '\033'));
        rows_shown += strstr(lines[l], "byte") != NULL;
      }
      for (guint w = 0; w < map->words->len; w++) {
        const SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, w);
        rows += w == 0 || word->row != word[-1].row;
      }
      ck_assert_uint_ge(rows_shown, rows);
    }
  }
}
END_TEST

// Lane i asks for i / div * stride bytes.
typedef struct {
  const char *arch;
  SmbOp op;
  guint width;
  guint32 mask;
  guint div;
  guint32 stride;
  int pass;
  guint columns;
  const char *want; // from the start of the picture
} Case;

#define ALL 0xffffffffu
static const Case cases[] = {
    {"sm_90", SMB_OP_LD, 4, 0, 1, 4, 0, 80, "ld, 4 bytes per lane: no lane is active\n\n"},
    {"sm_90", SMB_OP_LD, 4, 7, 2, 128, SMB_BANK_MAP_ALL, 80,
     "ld, 4 bytes per lane: 2 wavefronts, ideal 1\n\n"
     "     bank  0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30\n"
     "   byte 0 0+ . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
     " byte 128  2 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
     "    words  2\n"
     " conflict  !\n\n"},
    {"sm_90", SMB_OP_LD, 4, 7, 2, 256, 1, 80,
     "wavefront 2 of 2: lane 2\n\n"
     "      bank  0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30\n"
     "    byte 0  - . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
     "~ byte 256  2 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
     "     words  2\n"
     "  conflict  !\n\n"},
    {"sm_90", SMB_OP_ATOM, 4, 7, 3, 4, 1, 80,
     "wavefront 2 of 3: lane 1\n\n"
     "     bank  0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30\n"
     "   byte 0  1 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
     "    words  1\n"
     "   passes  3\n"
     " conflict  !\n\n"},
    {"sm_90", SMB_OP_ST, 16, ALL, 1, 32, 3, 40,
     "wavefront 4 of 8: lanes 12-15 (of the\nlane group of lanes 8-15)\n\n"
     "     bank   0  1  2  3  4  5  6  7\n"
     "   byte 0   -  -  -  -  .  .  .  .\n"},
    {"sm_10", SMB_OP_ST, 1, 3, 1, 1, SMB_BANK_MAP_ALL, 80,
     "st, 1 byte per lane: 2 wavefronts, ideal 1\n\n"
     "     bank    0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
     "   byte 0  !0+   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .\n"
     "addresses    2\n"
     " conflict    !\n\n"},
    {"sm_30_8B", SMB_OP_LD, 4, 7, 1, 4, SMB_BANK_MAP_ALL, 80,
     "ld, 4 bytes per lane: 1 wavefront, ideal 1\n\n"
     "     bank  0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30\n"
     "   byte 0 0+ 2 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
     "    words  1 1\n\n"},
    {"sm_90", SMB_OP_ATOM_LOOP, 4, 3, 2, 4, 0, 80,
     "round 1 of 2: lane 0\n\n"
     "     bank  0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30\n"
     "   byte 0  0 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
     "    words  1\n"
     "   rounds  2\n"
     " conflict  !\n\n"},
    {"sm_90", SMB_OP_CP_ASYNC_CG, 16, 1, 1, 16, 0, 80,
     "cp.async.cg, 16 bytes per lane: no wavefronts are counted\n\n"
     "     bank  0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30\n"
     "   byte 0  0 = = = . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n"
     "    words  1 1 1 1\n\n"},
};

START_TEST(test_picture) {
  const Case *c = &cases[_i];
  g_autoptr(SmbArch) arch = smb_arch_load(c->arch, NULL);
  SmbRequest request = {.op = (guint8)c->op, .width = (guint8)c->width, .mask = c->mask};
  for (guint32 lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request.offset[lane] = lane / c->div * c->stride;
  g_autoptr(SmbBankMap) map = smb_bank_map_new(arch, &request);
  g_autoptr(SmbSpool) spool = smb_spool_new();
  smb_bank_map_write_text(map, c->pass, c->columns, FALSE, spool);
  g_autofree char *got = drain(spool);
  ck_assert_msg(g_str_has_prefix(got, c->want), "got:\n%s\nwant:\n%s", got, c->want);
}
END_TEST

Suite *
suite_bank_map(void) {
  Suite *suite = suite_create("bank-map");
  TCase *tcase = tcase_create("bank-map");
  tcase_add_test(tcase, test_agrees);
  tcase_add_test(tcase, test_fits);
  tcase_add_loop_test(tcase, test_picture, 0, G_N_ELEMENTS(cases));
  suite_add_tcase(suite, tcase);
  return suite;
}
