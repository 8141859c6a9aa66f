// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the neighbours of a padding cost: against the kernel run with that padding in its text.
#include "sim/neighbour.h"

#include <check.h>
#include <string.h>

#include "sim/catalog.h"
#include "sim/pattern.h"
#include "tests/suite.h"

// A kernel, run with its requests kept.
typedef struct {
  SmbArch *arch;
  SmbProgram *kernel;
  SmbAnalysis *analysis;
} Run;

static void
run_clear(Run *run) {
  smb_analysis_free(run->analysis);
  smb_program_free(run->kernel);
  smb_arch_unref(run->arch);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static Run
run_source(SmbSource *source, const char *arch, const char *const *defines, guint x, guint y,
           gsize dynamic_bytes) {
  g_autoptr(GError) error = NULL;
  Run run = {.arch = smb_arch_load(arch, NULL)};
  SmbLaunch launch = {{x, y, 1}, {1, 1, 1}, dynamic_bytes, NULL};
  SmbAnalysisOptions options = {.threads = 1, .keep_requests = TRUE};
  run.kernel =
      smb_program_read(source, &(SmbProgramOptions){.defines = defines, .cuda_arch = 900}, &error);
  ck_assert_msg(run.kernel != NULL, "%s", error ? error->message : "");
  run.analysis = smb_analysis_run(run.kernel, run.arch, &launch, &options, &error);
  ck_assert_msg(run.analysis != NULL, "%s", error ? error->message : "");
  return run;
}

static Run
run_text(const char *text, const char *arch, guint threads, gsize dynamic_bytes) {
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  return run_source(source, arch, NULL, threads, 1, dynamic_bytes);
}

// A tile as --rows, --cols and their kin make it.
typedef struct {
  guint rows, cols;
  const char *elem;
  guint elem_bytes;
  gboolean write_col, read_col, dynamic;
} Tile;

static Run
run_tile(const Tile *tile, const char *arch, guint64 pad) {
  g_autoptr(SmbSource) source = smb_catalog_file("tile.cu", NULL);
  g_autofree char *text = g_strdup_printf(
      "ROWS=%u COLS=%u PAD=%" G_GUINT64_FORMAT " ELEM=%s WRITE_COL=%d READ_COL=%d DYNAMIC=%d",
      tile->rows, tile->cols, pad, tile->elem, tile->write_col, tile->read_col, tile->dynamic);
  g_auto(GStrv) defines = g_strsplit(text, " ", -1);
  gsize bytes = tile->dynamic ? (gsize)(tile->rows * (tile->cols + pad) * tile->elem_bytes) : 0;
  return run_source(source, arch, (const char *const *)defines, tile->cols, tile->rows, bytes);
}

static void
check_tally(const SmbTally *tally, const SmbTally *want) {
  ck_assert_uint_eq(tally->requests, want->requests);
  ck_assert_uint_eq(tally->wavefronts, want->wavefronts);
  ck_assert_uint_eq(tally->ideal, want->ideal);
  ck_assert_uint_eq(tally->excess, want->excess);
  ck_assert_uint_eq(tally->cycles, want->cycles);
  ck_assert_uint_eq(tally->max_degree, want->max_degree);
}

// A neighbour against the tile run with its padding.
static void
check_neighbour(const Tile *tile, const char *arch, guint access, const SmbNeighbour *neighbour) {
  g_auto(Run) run = run_tile(tile, arch, neighbour->pad);
  SmbTally array = {0};
  ck_assert_uint_eq(neighbour->fit, SMB_LAYOUT_FITS);
  ck_assert_uint_eq(neighbour->shared_bytes, run.analysis->shared_bytes);
  ck_assert_uint_eq(neighbour->room, SMB_ROOM_ENOUGH);
  for (guint i = 0; i < run.analysis->accesses->len; i++)
    smb_tally_add(&array, &g_array_index(run.analysis->accesses, SmbAccess, i).total);
  check_tally(&neighbour->array, &array);
  check_tally(&neighbour->access, &g_array_index(run.analysis->accesses, SmbAccess, access).total);
}

static void
check_tile(const Tile *tile, const char *arch, guint64 pad) {
  g_auto(Run) run = run_tile(tile, arch, pad);
  guint n_present = 0;
  for (guint access = 0; access < run.analysis->accesses->len; access++) {
    const SmbArray *array = smb_neighbour_array(run.kernel, run.analysis, access);
    ck_assert_ptr_nonnull(array);
    SmbLayout layout = {.element_bytes = tile->elem_bytes, .columns = tile->cols, .pad = pad};
    g_autoptr(GArray) neighbours =
        smb_neighbours_count(run.kernel, run.arch, run.analysis, access, array, &layout);
    for (guint i = 0; i < neighbours->len; i++) {
      const SmbNeighbour *neighbour = &g_array_index(neighbours, SmbNeighbour, i);
      ck_assert(i == 0 || neighbour->pad > (neighbour - 1)->pad);
      n_present += neighbour->present;
      if (neighbour->room == SMB_ROOM_ENOUGH)
        check_neighbour(tile, arch, access, neighbour);
    }
  }
  ck_assert_uint_eq(n_present, run.analysis->accesses->len);
}

START_TEST(test_tiles) {
  static const struct {
    const char *name;
    guint bytes;
  } types[] = {{"char", 1},   {"short", 2}, {"int", 4},    {"float", 4},
               {"double", 8}, {"int2", 8},  {"float4", 16}};
  static const char *const archs[] = {"sm_90", "sm_20", "sm_30_4B", "sm_30_8B", "sm_10"};
  SmbRandom random = smb_random_new(11);
  for (guint i = 0; i < 120; i++) {
    guint type = smb_random_below(&random, G_N_ELEMENTS(types));
    const char *arch = archs[smb_random_below(&random, G_N_ELEMENTS(archs))];
    guint most = strcmp(arch, "sm_10") == 0 ? 16 : 32;
    Tile tile = {.rows = 1 + smb_random_below(&random, most),
                 .cols = 1 + smb_random_below(&random, most),
                 .elem = types[type].name,
                 .elem_bytes = types[type].bytes,
                 .write_col = smb_random_below(&random, 2) != 0,
                 .read_col = smb_random_below(&random, 2) != 0,
                 .dynamic = smb_random_below(&random, 2) != 0};
    check_tile(&tile, arch, smb_random_below(&random, 7));
  }
}
END_TEST

// The tile of 16 rows of 32 columns, read by columns: wavefronts of its 16 requests.
START_TEST(test_known) {
  static const guint want[] = {256, 32, 16, 32, 32};
  const Tile tile = {16, 32, "int", 4, FALSE, TRUE, FALSE};
  g_auto(Run) run = run_tile(&tile, "sm_90", 1);
  const SmbArray *array = smb_neighbour_array(run.kernel, run.analysis, 1);
  SmbLayout layout;
  ck_assert_int_eq(smb_neighbour_rows(run.kernel, run.analysis, 1, array, 0, &layout),
                   SMB_ROWS_DIMENSION);
  ck_assert_uint_eq(layout.columns, 32);
  ck_assert_uint_eq(layout.pad, 1);
  g_autoptr(GArray) neighbours =
      smb_neighbours_count(run.kernel, run.arch, run.analysis, 1, array, &layout);
  ck_assert_uint_eq(neighbours->len, G_N_ELEMENTS(want));
  for (guint i = 0; i < neighbours->len; i++) {
    const SmbNeighbour *neighbour = &g_array_index(neighbours, SmbNeighbour, i);
    ck_assert_uint_eq(neighbour->pad, i);
    ck_assert_int_eq(neighbour->present, i == 1);
    ck_assert_uint_eq(neighbour->access.wavefronts, want[i]);
    ck_assert_uint_eq(neighbour->array.wavefronts, want[i] + 16);
    ck_assert_uint_eq(neighbour->shared_bytes, 16 * (32 + i) * 4);
  }
}
END_TEST

// What does not fit: vectors in rows of scalars, and shared memory.
START_TEST(test_misfits) {
  g_auto(Run) vectors = run_text("__global__ void k(float4 *out) {\n"
                                 "  __shared__ __align__(16) float t[32][32];\n"
                                 "  t[threadIdx.x][0] = 1.0f;\n"
                                 "  out[threadIdx.x] = *(float4 *)&t[threadIdx.x][4];\n}\n",
                                 "sm_90", 32, 0);
  const SmbArray *array = smb_neighbour_array(vectors.kernel, vectors.analysis, 0);
  SmbLayout layout = {.element_bytes = 4, .columns = 32};
  g_autoptr(GArray) neighbours =
      smb_neighbours_count(vectors.kernel, vectors.arch, vectors.analysis, 0, array, &layout);
  for (guint i = 0; i < neighbours->len; i++) {
    const SmbNeighbour *neighbour = &g_array_index(neighbours, SmbNeighbour, i);
    ck_assert_int_eq(neighbour->fit, i % 4 ? SMB_LAYOUT_MISALIGNED : SMB_LAYOUT_FITS);
    ck_assert_uint_eq(neighbour->misfit_access, i % 4 ? 1 : 0);
    ck_assert((neighbour->array.requests == 0) == (i % 4 != 0));
  }

  g_auto(Run) large = run_text("__global__ void k(int *out) {\n"
                               "  extern __shared__ int t[];\n"
                               "  t[threadIdx.x * 12288 % 58112] = 1;\n}\n",
                               "sm_90", 32, 232448);
  array = smb_neighbour_array(large.kernel, large.analysis, 0);
  layout = (SmbLayout){.element_bytes = 4, .columns = 32};
  g_autoptr(GArray) full =
      smb_neighbours_count(large.kernel, large.arch, large.analysis, 0, array, &layout);
  ck_assert_int_eq(g_array_index(full, SmbNeighbour, 0).room, SMB_ROOM_OPT_IN);
  ck_assert_int_eq(g_array_index(full, SmbNeighbour, 1).room, SMB_ROOM_TOO_SMALL);
}
END_TEST

// Where rows are known from: an access of 32 lanes to one array.
START_TEST(test_rows) {
  static const struct {
    const char *declaration, *index;
    guint64 row;
    SmbRows rows;
    guint64 columns, pad;
  } wants[] = {
      {"int t[32][36]", "[i][0]", 0, SMB_ROWS_DIMENSION, 36, 0},
      {"int t[32][36]", "[i][35]", 7, SMB_ROWS_DIMENSION, 36, 0},
      {"int t[1024]", "[i]", 0, SMB_ROWS_UNKNOWN, 0, 0},
      {"int t[1024]", "[i]", 32, SMB_ROWS_GIVEN, 32, 0},
      {"int t[1056]", "[i * 33]", 0, SMB_ROWS_STRIDE, 33, 0},
      {"int t[1056]", "[i % 16 * 33 + i / 16 + 31]", 0, SMB_ROWS_STRIDE, 33, 0},
      {"int t[1056]", "[i % 16 * 33 + i / 16 * 31]", 0, SMB_ROWS_STRIDE, 32, 1},
      {"int t[1024]", "[(i * 7 ^ 5) * i % 1024]", 0, SMB_ROWS_UNKNOWN, 0, 0},
      {"int t[1024]", "[0]", 0, SMB_ROWS_UNKNOWN, 0, 0},
      {"int t", "", 0, SMB_ROWS_UNKNOWN, 0, 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wants); i++) {
    g_autofree char *text = g_strdup_printf("__global__ void k(int *out) {\n"
                                            "  __shared__ %s;\n"
                                            "  int i = threadIdx.x;\n"
                                            "  out[i] = t%s;\n}\n",
                                            wants[i].declaration, wants[i].index);
    g_auto(Run) run = run_text(text, "sm_90", 32, 0);
    const SmbArray *array = smb_neighbour_array(run.kernel, run.analysis, 0);
    SmbLayout layout = {0};
    SmbRows rows = smb_neighbour_rows(run.kernel, run.analysis, 0, array, wants[i].row, &layout);
    ck_assert_msg(rows == wants[i].rows, "%s%s", wants[i].declaration, wants[i].index);
    ck_assert_uint_eq(layout.columns, wants[i].columns);
    ck_assert_uint_eq(layout.pad, wants[i].pad);
  }
}
END_TEST

// A large padding: those next to it are shown besides the small ones.
START_TEST(test_far) {
  const Tile tile = {4, 8, "int", 4, FALSE, TRUE, FALSE};
  static const guint64 want[] = {0, 1, 2, 3, 4, 19, 20, 21};
  g_auto(Run) run = run_tile(&tile, "sm_90", 20);
  const SmbArray *array = smb_neighbour_array(run.kernel, run.analysis, 1);
  SmbLayout layout = {.element_bytes = 4, .columns = 8, .pad = 20};
  g_autoptr(GArray) neighbours =
      smb_neighbours_count(run.kernel, run.arch, run.analysis, 1, array, &layout);
  ck_assert_uint_eq(neighbours->len, G_N_ELEMENTS(want));
  for (guint i = 0; i < neighbours->len; i++)
    ck_assert_uint_eq(g_array_index(neighbours, SmbNeighbour, i).pad, want[i]);
}
END_TEST

Suite *
suite_neighbour(void) {
  Suite *suite = suite_create("neighbour");
  TCase *tcase = tcase_create("neighbour");
  tcase_add_test(tcase, test_known);
  tcase_add_test(tcase, test_tiles);
  tcase_add_test(tcase, test_misfits);
  tcase_add_test(tcase, test_rows);
  tcase_add_test(tcase, test_far);
  suite_add_tcase(suite, tcase);
  return suite;
}
