// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the neighbours of a padding cost: against the kernel run with that padding in its text.
#include "sim/advise/neighbour.h"

#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/open/catalog.h"
#include "sim/trace/pattern.h"
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
  SmbLaunch launch = {{x, y, 1}, {1, 1, 1}, dynamic_bytes, NULL, NULL};
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
check_neighbour(const Tile *tile, const char *arch, const SmbNeighbour *neighbour) {
  const SmbCandidate *candidate = neighbour->candidate;
  g_auto(Run) run = run_tile(tile, arch, candidate->layout.pad);
  SmbTally array = {0};
  ck_assert_uint_eq(candidate->fit, SMB_LAYOUT_FITS);
  ck_assert_uint_eq(neighbour->shared_bytes, run.analysis->shared_bytes);
  ck_assert_uint_eq(neighbour->room, SMB_ROOM_ENOUGH);
  for (guint i = 0; i < run.analysis->accesses->len; i++) {
    const SmbTally *total = &g_array_index(run.analysis->accesses, SmbAccess, i).total;
    smb_tally_add(&array, total);
    check_tally(&g_array_index(candidate->accesses, SmbTally, i), total);
  }
  check_tally(&candidate->total, &array);
}

// The paddings of the array that all of a run is about; the arrays are released with @uses.
static SmbNeighbours *
find_neighbours(const Run *run, guint64 row, const SmbLayout *present, SmbArrayUses **uses) {
  *uses = smb_array_uses_new(run->kernel, NULL, run->analysis);
  const SmbArrayUse *use = g_ptr_array_index((*uses)->all, 0);
  return smb_neighbours_new(run->arch, use, row, present);
}

static const SmbNeighbour *
get_neighbour(const SmbNeighbours *neighbours, guint i) {
  return g_ptr_array_index(neighbours->all, i);
}

static void
check_tile(const Tile *tile, const char *arch, guint64 pad) {
  g_auto(Run) run = run_tile(tile, arch, pad);
  SmbLayout layout = {.element_bytes = tile->elem_bytes, .columns = tile->cols, .pad = pad};
  g_autoptr(SmbArrayUses) uses = NULL;
  g_autoptr(SmbNeighbours) neighbours = find_neighbours(&run, 0, &layout, &uses);
  guint n_present = 0, n_best = 0;
  for (guint i = 0; i < neighbours->all->len; i++) {
    const SmbNeighbour *neighbour = get_neighbour(neighbours, i);
    const SmbCandidate *candidate = neighbour->candidate;
    ck_assert(i == 0 ||
              candidate->layout.pad > get_neighbour(neighbours, i - 1)->candidate->layout.pad);
    n_present += neighbour->present;
    n_best += neighbour == neighbours->best;
    if (neighbour->room == SMB_ROOM_ENOUGH) {
      check_neighbour(tile, arch, neighbour);
      // No padding is better than the best.
      ck_assert_uint_ge(candidate->total.wavefronts,
                        neighbours->best ? neighbours->best->candidate->total.wavefronts
                                         : neighbours->wavefronts);
    }
  }
  ck_assert_uint_eq(n_present, 1);
  ck_assert_uint_eq(n_best, neighbours->best != NULL);
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
  g_autoptr(SmbArrayUses) uses = NULL;
  g_autoptr(SmbNeighbours) neighbours = find_neighbours(&run, 0, NULL, &uses);
  ck_assert_int_eq(neighbours->rows, SMB_ROWS_DIMENSION);
  ck_assert_uint_eq(neighbours->layout.columns, 32);
  ck_assert_uint_eq(neighbours->layout.pad, 1);
  ck_assert_uint_eq(neighbours->all->len, G_N_ELEMENTS(want));
  // Row lengths of 34 elements serve 16 rows without a conflict.
  ck_assert_ptr_eq(neighbours->best, get_neighbour(neighbours, 2));
  for (guint i = 0; i < neighbours->all->len; i++) {
    const SmbNeighbour *neighbour = get_neighbour(neighbours, i);
    const SmbCandidate *candidate = neighbour->candidate;
    ck_assert_uint_eq(candidate->layout.pad, i);
    ck_assert_int_eq(neighbour->present, i == 1);
    ck_assert_uint_eq(g_array_index(candidate->accesses, SmbTally, 1).wavefronts, want[i]);
    ck_assert_uint_eq(candidate->total.wavefronts, want[i] + 16);
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
  g_autoptr(SmbArrayUses) uses = NULL;
  g_autoptr(SmbNeighbours) neighbours = find_neighbours(&vectors, 0, NULL, &uses);
  for (guint i = 0; i < neighbours->all->len; i++) {
    const SmbCandidate *candidate = get_neighbour(neighbours, i)->candidate;
    ck_assert_int_eq(candidate->fit, i % 4 ? SMB_LAYOUT_MISALIGNED : SMB_LAYOUT_FITS);
    ck_assert_uint_eq(candidate->misfit_access, i % 4 ? 1 : 0);
    ck_assert((candidate->total.requests == 0) == (i % 4 != 0));
  }

  g_auto(Run) large = run_text("__global__ void k(int *out) {\n"
                               "  extern __shared__ int t[];\n"
                               "  t[threadIdx.x * 12288 % 58112] = 1;\n}\n",
                               "sm_90", 32, 232448);
  g_autoptr(SmbArrayUses) large_uses = NULL;
  g_autoptr(SmbNeighbours) full = find_neighbours(&large, 32, NULL, &large_uses);
  ck_assert_int_eq(get_neighbour(full, 0)->room, SMB_ROOM_OPT_IN);
  ck_assert_int_eq(get_neighbour(full, 1)->room, SMB_ROOM_TOO_SMALL);
}
END_TEST

// Where rows are known from, and the best padding of them: an access of 32 lanes to one array.
START_TEST(test_rows) {
  static const struct {
    const char *declaration, *access;
    guint64 row;
    SmbRows rows;
    guint64 columns, pad, best;
  } wants[] = {
      {"int t[32][36]", "t[i][0]", 0, SMB_ROWS_DIMENSION, 36, 0, 1},
      {"int t[32][36]", "t[i][35]", 7, SMB_ROWS_DIMENSION, 36, 0, 1},
      {"int t[1024]", "t[i]", 0, SMB_ROWS_UNKNOWN, 0, 0, 0},
      {"int t[1024]", "t[i]", 32, SMB_ROWS_GIVEN, 32, 0, 0},
      {"int t[1024]", "t[i * 32]", 0, SMB_ROWS_SEARCHED, 32, 0, 1},
      {"int t[1056]", "t[i * 33]", 0, SMB_ROWS_UNKNOWN, 0, 0, 0},
      {"int t[1056]", "t[i % 16 * 33 + i / 16 * 31]", 33, SMB_ROWS_GIVEN, 32, 1, 2},
      // A row of 128, though the stride of the access is 512, or none is to be seen.
      {"int t[4096]", "t[i * 128]", 0, SMB_ROWS_SEARCHED, 128, 0, 1},
      {"int t[4096]", "t[i % 8 * 512 + i / 8 * 128]", 0, SMB_ROWS_SEARCHED, 128, 0, 1},
      {"__align__(16) int t[4096]", "(((int4 *)t)[i * 32] = make_int4(i, i, i, i), 0)", 0,
       SMB_ROWS_SEARCHED, 128, 0, 4},
      {"int t[1024]", "t[0]", 0, SMB_ROWS_UNKNOWN, 0, 0, 0},
      {"int t", "t", 0, SMB_ROWS_UNKNOWN, 0, 0, 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wants); i++) {
    g_autofree char *text = g_strdup_printf("__global__ void k(int *out) {\n"
                                            "  __shared__ %s;\n"
                                            "  int i = threadIdx.x;\n"
                                            "  out[i] = %s;\n}\n",
                                            wants[i].declaration, wants[i].access);
    g_auto(Run) run = run_text(text, "sm_90", 32, 0);
    g_autoptr(SmbArrayUses) uses = NULL;
    g_autoptr(SmbNeighbours) neighbours = find_neighbours(&run, wants[i].row, NULL, &uses);
    ck_assert_msg(neighbours->rows == wants[i].rows, "%s: %s: %d", wants[i].declaration,
                  wants[i].access, neighbours->rows);
    ck_assert_int_eq(neighbours->all->len == 0, wants[i].rows == SMB_ROWS_UNKNOWN);
    ck_assert_uint_gt(neighbours->searched, 0);
    if (wants[i].rows == SMB_ROWS_UNKNOWN)
      continue;
    ck_assert_uint_eq(neighbours->layout.columns, wants[i].columns);
    ck_assert_uint_eq(neighbours->layout.pad, wants[i].pad);
    ck_assert_uint_eq(neighbours->best ? neighbours->best->candidate->layout.pad : 0,
                      wants[i].best);
  }
}
END_TEST

START_TEST(test_far) {
  const Tile tile = {4, 8, "int", 4, FALSE, TRUE, FALSE};
  static const guint64 want[] = {0, 1, 2, 3, 4, 19, 20, 21};
  g_auto(Run) run = run_tile(&tile, "sm_90", 20);
  SmbLayout layout = {.element_bytes = 4, .columns = 8, .pad = 20};
  g_autoptr(SmbArrayUses) uses = NULL;
  g_autoptr(SmbNeighbours) neighbours = find_neighbours(&run, 0, &layout, &uses);
  ck_assert_uint_eq(neighbours->all->len, G_N_ELEMENTS(want));
  for (guint i = 0; i < neighbours->all->len; i++)
    ck_assert_uint_eq(get_neighbour(neighbours, i)->candidate->layout.pad, want[i]);
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
