// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Notations of layouts and accesses: cases worked out by hand, exact messages, and random layouts and accesses against an evaluation
// that follows the definitions: a tree of modes, bit by bit, and the rules of tests/oracle.c.
#include "sim/layout/front-end.h"

#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/layout/tile-program.h"
#include "sim/trace/pattern.h"
#include "tests/effort.h"
#include "tests/oracle.h"
#include "tests/suite.h"

static SmbProgram *
read_program(const char *text, GError **error) {
  static const SmbProgramOptions options = {.cuda_arch = 900};
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("t", bytes, error);
  return source ? smb_program_read(source, &options, error) : NULL;
}

// A tile with an access that any tile can have.
static SmbProgram *
read_layout_text(const char *layout, const char *access, GError **error) {
  g_autofree char *text = g_strdup_printf("layout %s\naccess %s\n", layout, access);
  return read_program(text, error);
}

static const struct {
  const char *layout;
  const char *coordinate;
  guint32 place;
} tiles[] = {
#define TILE(layout, coordinate, place) {layout, #coordinate, place},
#include "tests/tile-cases.def"
#undef TILE
};

START_TEST(test_place) {
  g_autoptr(GError) error = NULL;
  SmbProgram *program = read_layout_text(tiles[_i].layout, "(1,1):(0,0)", NULL);
  if (!program) // of less than a byte, no element is moved alone
    program = read_layout_text(tiles[_i].layout, "row", &error);
  ck_assert_msg(program != NULL, "%s", error ? error->message : "");
  const SmbTile *tile = smb_layout_program_tile(program);
  g_autofree char *wanted = g_strdup(tiles[_i].coordinate);
  g_strdelimit(wanted, " ()", ',');
  g_auto(GStrv) parts = g_strsplit(wanted, ",", -1);
  guint64 coordinate[SMB_TUPLE_MAX_RANK];
  guint n = 0;
  for (guint i = 0; parts[i]; i++) {
    if (*parts[i])
      coordinate[n++] = g_ascii_strtoull(parts[i], NULL, 10);
  }
  ck_assert_uint_eq(n, tile->rank);
  guint32 place = tile->offset[smb_tile_number(tile, coordinate)];
  ck_assert_msg(place == tiles[_i].place, "%s: %u", tiles[_i].layout, place);
  smb_program_free(program);
}
END_TEST

static const struct {
  const char *text, *place, *message;
} refusals[] = {
#define REFUSAL(text, place, message) {text, place, message},
#include "tests/tile-refusals.def"
#undef REFUSAL
};

START_TEST(test_refusal) {
  g_autoptr(GError) error = NULL;
  SmbProgram *program = read_program(refusals[_i].text, &error);
  ck_assert_msg(!program, "%s: was read", refusals[_i].text);
  g_autofree char *wanted =
      g_strdup_printf("t:%s: error: %s", refusals[_i].place, refusals[_i].message);
  g_autofree char *plain = g_strdup_printf("t:%s: %s", refusals[_i].place, refusals[_i].message);
  ck_assert_msg(g_str_has_prefix(error->message, wanted) || g_str_has_prefix(error->message, plain),
                "%s: %s", refusals[_i].text, error->message);
}
END_TEST

static const struct {
  const char *layout, *access;
  guint requests, wavefronts;
} counts[] = {
#define COUNT(layout, access, requests, wavefronts) {layout, access, requests, wavefronts},
#include "tests/tile-counts.def"
#undef COUNT
};

// What an access of a program takes; checked against the oracle, request by request.
static guint
count_access(const SmbProgram *program, const SmbArch *arch, guint *wavefronts) {
  const SmbTile *tile = smb_layout_program_tile(program);
  const SmbTileAccess *access = g_ptr_array_index(smb_layout_program_accesses(program), 0);
  const Oracle *oracle = oracle_find(smb_arch_info(arch)->name);
  g_autoptr(GArray) requests =
      smb_tile_access_requests(access, tile, smb_program_source(program), NULL);
  *wavefronts = 0;
  for (guint i = 0; i < requests->len; i++) {
    const SmbRequest *request = &g_array_index(requests, SmbTileRequest, i).request;
    const SmbWavefronts counted = smb_wavefronts_count(arch, request);
    const SmbWavefronts slow = oracle_count(oracle, request);
    ck_assert(smb_request_check(request, NULL));
    ck_assert_uint_eq(counted.wavefronts, slow.wavefronts);
    ck_assert_uint_eq(counted.excess, slow.excess);
    *wavefronts += counted.wavefronts;
  }
  return requests->len;
}

START_TEST(test_count) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  SmbProgram *program = read_layout_text(counts[_i].layout, counts[_i].access, &error);
  if (counts[_i].requests == 0) {
    ck_assert_ptr_null(program);
    return;
  }
  ck_assert_msg(program != NULL, "%s", error ? error->message : "");
  guint wavefronts, requests = count_access(program, arch, &wavefronts);
  ck_assert_msg(requests == counts[_i].requests && wavefronts == counts[_i].wavefronts,
                "%s, %s: %u requests, %u wavefronts", counts[_i].layout, counts[_i].access,
                requests, wavefronts);
  smb_program_free(program);
}
END_TEST

// --- random layouts and accesses

// A mode: a number with a stride, or a tuple.
typedef struct _Mode {
  guint64 extent;
  gint64 stride;
  guint n;
  struct _Mode *parts[3];
} Mode;

static Mode *
make_mode(SmbRandom *random, guint depth, guint64 most) {
  Mode *mode = g_new0(Mode, 1);
  if (depth > 0 && smb_random_below(random, 2)) {
    mode->n = 1 + smb_random_below(random, 3);
    for (guint i = 0; i < mode->n; i++)
      mode->parts[i] = make_mode(random, depth - 1, most);
    return mode;
  }
  mode->extent = 1 + smb_random_below(random, (guint)most);
  mode->stride = (gint64)smb_random_below(random, 2) ? (gint64)1 << smb_random_below(random, 8)
                                                     : (gint64)smb_random_below(random, 100);
  return mode;
}

static void
free_mode(Mode *mode) {
  for (guint i = 0; i < mode->n; i++)
    free_mode(mode->parts[i]);
  g_free(mode);
}

static guint64
size_of_mode(const Mode *mode) {
  guint64 size = mode->n ? 1 : mode->extent;
  for (guint i = 0; i < mode->n; i++)
    size *= size_of_mode(mode->parts[i]);
  return size;
}

static void
print_mode(GString *text, const Mode *mode, gboolean strides) {
  if (!mode->n) {
    g_string_append_printf(text, "%" G_GINT64_FORMAT,
                           strides ? mode->stride : (gint64)mode->extent);
    return;
  }
  g_string_append_c(text, '(');
  for (guint i = 0; i < mode->n; i++) {
    g_string_append(text, i ? "," : "");
    print_mode(text, mode->parts[i], strides);
  }
  g_string_append_c(text, ')');
}

// The place of a coordinate: of a tuple, its first part runs fastest.
static gint64
place_in_mode(const Mode *mode, guint64 coordinate) {
  gint64 place = mode->n ? 0 : (gint64)coordinate * mode->stride;
  for (guint i = 0; i < mode->n; i++) {
    guint64 size = size_of_mode(mode->parts[i]);
    place += place_in_mode(mode->parts[i], coordinate % size);
    coordinate /= size;
  }
  return place;
}

// Bit by bit: bit M+S+i of the place is XORed into bit M+i, of negative S the other way round.
static guint64
swizzle_slowly(guint64 place, guint b, guint m, gint s) {
  guint64 result = place;
  for (guint i = 0; i < b; i++) {
    guint from = m + i + (s > 0 ? (guint)s : 0), to = m + i + (s < 0 ? (guint)-s : 0);
    if (place >> from & 1)
      result ^= (guint64)1 << to;
  }
  return result;
}

// Layouts of two modes, with a swizzle or without one; accesses of threads and values whose indices are within the tile.
typedef struct {
  Mode *rows, *columns, *threads, *values;
  guint b, m;
  gint s;
  guint bytes;
} Random;

static char *
print_random(const Random *made) {
  static const char *const types[] = {[1] = "u8", [2] = "f16", [4] = "f32", [8] = "f64"};
  GString *text = g_string_new("layout ");
  const Mode *const layout[] = {made->rows, made->columns};
  const Mode *const access[] = {made->threads, made->values};
  if (made->b)
    g_string_append_printf(text, "Swizzle<%u,%u,%d> o ", made->b, made->m, made->s);
  for (guint of = 0; of < 2; of++) {
    g_string_append(text, of ? "access (" : "(");
    for (guint part = 0; part < 4; part++) {
      if (part == 2)
        g_string_append(text, "):(");
      g_string_append(text, part % 2 ? "," : "");
      print_mode(text, of ? access[part % 2] : layout[part % 2], part / 2 == 1);
    }
    g_string_append_printf(text, of ? ")\n" : ") x%s\n", types[made->bytes]);
  }
  return g_string_free(text, FALSE);
}

static void
check_random(const SmbProgram *program, const Random *made) {
  const SmbTile *tile = smb_layout_program_tile(program);
  const SmbTileAccess *access = g_ptr_array_index(smb_layout_program_accesses(program), 0);
  guint64 rows = size_of_mode(made->rows), columns = size_of_mode(made->columns);
  ck_assert_uint_eq(tile->n, rows * columns);
  for (guint64 i = 0; i < tile->n; i++) {
    guint64 place = (guint64)(place_in_mode(made->rows, i / columns) +
                              place_in_mode(made->columns, i % columns));
    ck_assert_uint_eq(tile->offset[i],
                      swizzle_slowly(place, made->b, made->m, made->s) * made->bytes);
  }
  guint64 threads = size_of_mode(made->threads);
  for (guint thread = 0; thread < access->n_warps * access->n_lanes; thread++) {
    for (guint value = 0; value < access->n_values; value++) {
      guint32 element = access->element[(gsize)thread * access->n_values + value];
      guint64 index = (guint64)(place_in_mode(made->threads, thread % threads) +
                                place_in_mode(made->values, value));
      // CuTe's index of a tile goes down its columns.
      guint64 wanted = index % rows * columns + index / rows;
      ck_assert_uint_eq(element, thread < threads ? wanted : SMB_TILE_NONE);
    }
  }
}

static guint64
reach_of_mode(const Mode *mode) {
  guint64 reach = mode->n ? 0 : (mode->extent - 1) * (guint64)mode->stride;
  for (guint i = 0; i < mode->n; i++)
    reach += reach_of_mode(mode->parts[i]);
  return reach;
}

START_TEST(test_random) {
  SmbRandom random = smb_random_new(2026);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  guint checked = 0, conflicts = 0;
  for (guint round = 0; round < effort(505000); round++) {
    Random made = {.rows = make_mode(&random, 2, 4),
                   .columns = make_mode(&random, 2, 4),
                   .threads = make_mode(&random, 1, 8),
                   .values = make_mode(&random, 1, 3),
                   .b = smb_random_below(&random, 4),
                   .m = smb_random_below(&random, 5),
                   .bytes = 1u << smb_random_below(&random, 4)};
    made.s = (gint)(made.b + smb_random_below(&random, 3));
    if (made.b == 0)
      made.m = 0, made.s = 0;
    else if (smb_random_below(&random, 4) == 0)
      made.s = -made.s;
    guint64 n = size_of_mode(made.rows) * size_of_mode(made.columns);
    if (n <= 1 << 12 && reach_of_mode(made.threads) + reach_of_mode(made.values) < n &&
        size_of_mode(made.threads) <= 1024) {
      g_autofree char *text = print_random(&made);
      g_autoptr(GError) error = NULL;
      SmbProgram *program = read_program(text, &error);
      ck_assert_msg(program != NULL, "%s: %s", text, error ? error->message : "");
      check_random(program, &made);
      guint wavefronts, requests = count_access(program, arch, &wavefronts);
      conflicts += wavefronts > requests;
      checked++;
      smb_program_free(program);
    }
    free_mode(made.rows);
    free_mode(made.columns);
    free_mode(made.threads);
    free_mode(made.values);
  }
  ck_assert_uint_gt(checked, effort(505000) / 20);
  ck_assert_uint_gt(conflicts, checked / 20);
}
END_TEST

// One row and one column of each: what sits on one place, who shares, how much is asked for.
START_TEST(test_coverage) {
  SmbProgram *program = read_program("layout (4,32):(0,1)\naccess column\n", NULL);
  const SmbTile *tile = smb_layout_program_tile(program);
  const SmbTileAccess *access = g_ptr_array_index(smb_layout_program_accesses(program), 0);
  const SmbTileCoverage coverage = smb_tile_access_coverage(access, tile);
  ck_assert_uint_eq(tile->n_shared, 96);
  ck_assert_uint_eq(coverage.elements, 32);
  ck_assert_uint_eq(coverage.most_threads, 1);
  ck_assert_uint_eq(smb_tile_find(tile, 127), 31);
  ck_assert_uint_eq(smb_tile_find(tile, 128), SMB_TILE_NONE);
  smb_program_free(program);
  program = read_program("layout 4x32\naccess (32,2):(0,4)\n", NULL);
  tile = smb_layout_program_tile(program);
  access = g_ptr_array_index(smb_layout_program_accesses(program), 0);
  ck_assert_uint_eq(smb_tile_access_coverage(access, tile).elements, 2);
  ck_assert_uint_eq(smb_tile_access_coverage(access, tile).most_threads, 32);
  smb_program_free(program);
}
END_TEST

Suite *
suite_tile(void) {
  Suite *suite = suite_create("tile");
  TCase *cases = tcase_create("notations");
  tcase_add_loop_test(cases, test_place, 0, G_N_ELEMENTS(tiles));
  tcase_add_loop_test(cases, test_refusal, 0, G_N_ELEMENTS(refusals));
  tcase_add_loop_test(cases, test_count, 0, G_N_ELEMENTS(counts));
  tcase_add_test(cases, test_coverage);
  suite_add_tcase(suite, cases);
  TCase *random = tcase_create("random");
  tcase_set_timeout(random, 300);
  tcase_add_test(random, test_random);
  suite_add_tcase(suite, random);
  return suite;
}
