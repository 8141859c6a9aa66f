// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What every built-in kernel writes to global memory, against the same computed in plain C; and the
// traps that such kernels are written into.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/machine/block.h"
#include "sim/open/catalog.h"
#include "src/cli/hint.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

typedef struct {
  SmbProgram *kernel;
  SmbGlobal *global;
  SmbAnalysis *analysis;
  GError *error;
} Result;

static void
result_clear(Result *result) {
  smb_analysis_free(result->analysis);
  smb_program_free(result->kernel);
  smb_global_free(result->global);
  g_clear_error(&result->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Result, result_clear)

// Runs an entry with a part of its text replaced, or with other dynamic memory.
static void
run_entry(const SmbCatalogEntry *entry, const char *from, const char *to, const char *dynamic_bytes,
          const char *arch_name, Result *result) {
  memset(result, 0, sizeof *result);
  g_autoptr(SmbArch) arch = kernel_run_arch(arch_name);
  g_autoptr(SmbSource) original = smb_catalog_file(entry->file, NULL);
  GString *text = g_string_new(smb_source_text(original));
  if (from)
    ck_assert_uint_gt(g_string_replace(text, from, to, 0), 0);
  g_autoptr(GBytes) bytes = g_string_free_to_bytes(text);
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  result->kernel =
      smb_program_read(source,
                       &(SmbProgramOptions){.entry = entry->entry,
                                            .defines = (const char *const *)entry->defines,
                                            .cuda_arch = 900,
                                            .lanes = smb_arch_info(arch)->lanes},
                       &result->error);
  ck_assert_msg(result->kernel != NULL, "%s", result->error ? result->error->message : "");
  SmbLaunch launch = {.arguments = (const char *const *)entry->args};
  memcpy(launch.block, entry->block, sizeof launch.block);
  memcpy(launch.grid, entry->grid, sizeof launch.grid);
  gint64 dynamic = 0;
  if (dynamic_bytes)
    ck_assert(smb_program_evaluate(result->kernel, dynamic_bytes, &dynamic, NULL));
  launch.dynamic_bytes = (gsize)dynamic;
  result->global = smb_global_new(result->kernel, &launch);
  SmbAnalysisOptions options = {.global = result->global};
  result->analysis = smb_analysis_run(result->kernel, arch, &launch, &options, &result->error);
}

static gint64
find_argument(const SmbCatalogEntry *entry, const char *name) {
  for (guint i = 0; entry->args[i]; i++) {
    if (g_str_has_prefix(entry->args[i], name) && entry->args[i][strlen(name)] == '=')
      return g_ascii_strtoll(entry->args[i] + strlen(name) + 1, NULL, 10);
  }
  ck_abort_msg("%s %s has no argument %s", entry->name, entry->shape, name);
}

// The value of parameter 0 or 1 at an index, as a number.
static gint64
read_value(const Result *result, guint parameter, guint64 index) {
  gboolean real = strcmp(smb_program_parameter(result->kernel, parameter).type, "float *") == 0;
  gint32 integer;
  float single;
  smb_global_read(result->global, parameter, index * 4, &integer, 4);
  memcpy(&single, &integer, 4);
  return real ? (gint64)single : integer;
}

// out[r][c] or out[c][r] = in[r][c], and nothing is written behind.
static void
check_matrix(const SmbCatalogEntry *entry, const Result *result) {
  gint64 rows = find_argument(entry, "nrows"), cols = find_argument(entry, "ncols");
  gboolean copies = g_str_has_prefix(entry->name, "copy");
  for (gint64 r = 0; r < rows; r++) {
    for (gint64 c = 0; c < cols; c++) {
      gint64 at = copies ? r * cols + c : c * rows + r;
      ck_assert_int_eq(read_value(result, 0, (guint64)at), r * cols + c);
    }
  }
  for (gint64 i = rows * cols; i < rows * cols + 2048; i++)
    ck_assert_int_eq(read_value(result, 0, (guint64)i), i);
}

// out[b] is the sum of what block b is given.
static void
check_sums(const SmbCatalogEntry *entry, const Result *result) {
  guint share = entry->block[0] * (strstr(entry->name, "Unroll") ? 4 : 1);
  gint64 n = find_argument(entry, "n");
  for (guint b = 0; b < entry->grid[0]; b++) {
    gint64 sum = 0;
    for (gint64 i = (gint64)b * share; i < MIN(n, (gint64)(b + 1) * share); i++)
      sum += i;
    ck_assert_int_eq(read_value(result, 1, b), sum);
  }
  ck_assert_int_eq(read_value(result, 1, entry->grid[0]), entry->grid[0]);
}

// out[i] is the sum of what the coefficients make of differences of neighbours, which are 2, 4, 6 and 8 wherever i is.
static void
check_stencil(const SmbCatalogEntry *entry, const Result *result) {
  static const float constants[] = {0.8f, -0.2f, 0.03809524f, -0.00357143f};
  gboolean given =
      strcmp(entry->name, "stencilConst") == 0; // else a buffer, whose element i holds i
  guint n = entry->block[0] * entry->grid[0];
  float sum = 0, found;
  for (guint i = 0; i < G_N_ELEMENTS(constants); i++) {
    float product = (given ? constants[i] : (float)i) * (float)(2 * (i + 1));
    sum += product;
  }
  for (guint i = 0; i <= n; i++) {
    smb_global_read(result->global, 1, i * sizeof found, &found, sizeof found);
    ck_assert_float_eq(found, i < n ? sum : (float)n);
  }
}

// Where thread number @id finds the number that it writes: its own, or that of the thread that stored
// the element of its column order.
static gint64
find_origin(const SmbCatalogEntry *entry, guint id) {
  guint width = entry->block[0], height = entry->block[1];
  if (g_str_has_prefix(entry->name, "setRowReadRow") ||
      g_str_has_prefix(entry->name, "setColReadCol"))
    return id;
  if (g_str_has_prefix(entry->name, "setColReadRow"))
    return id % width * width + id / width;
  return id % height * width + id / height;
}

// In warps of 32 and of 64 lanes, of which shuffles are written for the former.
static const char *const archs[] = {"sm_90", "wide"};

START_TEST(test_values) {
  g_autoptr(GPtrArray) catalog = smb_catalog_load(NULL);
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = catalog->pdata[i];
    g_auto(Result) result;
    gboolean shuffles = g_str_has_suffix(entry->name, "Shfl");
    run_entry(entry, NULL, NULL, entry->dynamic_bytes, archs[shuffles ? 0 : _i], &result);
    ck_assert_msg(result.analysis != NULL, "%s", result.error ? result.error->message : "");
    ck_assert_msg(result.analysis->warnings->len == 0, "%s %s: %s", entry->name, entry->shape,
                  g_array_index(result.analysis->warnings, SmbAnalysisWarning, 0).message);
    if (g_str_has_prefix(entry->name, "reduce")) {
      check_sums(entry, &result);
    } else if (g_str_has_prefix(entry->name, "stencil")) {
      check_stencil(entry, &result);
    } else if (g_str_has_prefix(entry->name, "set")) {
      for (guint id = 0; id < entry->block[0] * entry->block[1]; id++)
        ck_assert_int_eq(read_value(&result, 0, id), find_origin(entry, id));
    } else {
      check_matrix(entry, &result);
    }
  }
}
END_TEST

// A kernel, what is done to it, and what is said of that.
static const struct {
  const char *name;
  const char *from;
  const char *to;
  const char *dynamic_bytes;
  const char *message;
} traps[] = {
    {"setColReadCol", "tile[BDIMX][BDIMY]", "tile[BDIMY][BDIMX]", NULL,
     "k.cu:17:3: tile[threadIdx.x][threadIdx.y]: out of bounds: byte 2048 of 'tile', which has "
     "2048 "
     "bytes, by thread (16,0,0)\n   17 |   tile[threadIdx.x][threadIdx.y] = idx;\n      |   ^"},
    {"setRowReadColDynPad", NULL, NULL, "(BDIMX+1)*BDIMY",
     "k.cu:21:3: tile[threadIdx.y * (blockDim.x + IPAD) + threadIdx.x]: out of bounds: byte 528 of "
     "'tile', which has 528 bytes, by thread (30,3,0)\n"
     "   21 |   tile[threadIdx.y * (blockDim.x + IPAD) + threadIdx.x] = idx;\n      |   ^"},
    {"setRowReadColDyn", NULL, NULL, NULL,
     "k.cu:19:3: tile[idx]: out of bounds: 'tile' has no bytes, by thread (0,0,0); give the "
     "kernel dynamic shared memory with --dynamic-bytes N\n   19 |   tile[idx] = idx;\n      |   "
     "^"},
};

START_TEST(test_trap) {
  g_autoptr(GPtrArray) catalog = smb_catalog_load(NULL);
  const SmbCatalogEntry *entry = smb_catalog_find(catalog, traps[_i].name, "rect", NULL, NULL);
  g_auto(Result) result;
  run_entry(entry, traps[_i].from, traps[_i].to, traps[_i].dynamic_bytes, NULL, &result);
  ck_assert_ptr_null(result.analysis);
  g_autofree char *text = smb_cli_error_text(result.error);
  ck_assert_str_eq(text, traps[_i].message);
}
END_TEST

// Storing the row in place of the number is no error: the values tell.
START_TEST(test_row_index_trap) {
  g_autoptr(GPtrArray) catalog = smb_catalog_load(NULL);
  const SmbCatalogEntry *entry = smb_catalog_find(catalog, "setRowReadColPad", "rect", NULL, NULL);
  g_auto(Result) result;
  run_entry(entry, "[threadIdx.x] = idx", "[threadIdx.x] = irow", NULL, NULL, &result);
  ck_assert_ptr_nonnull(result.analysis);
  for (guint id = 0; id < 512; id++)
    ck_assert_int_eq(read_value(&result, 0, id), find_origin(entry, id) / 16);
}
END_TEST

Suite *
suite_kernel_catalog(void) {
  Suite *suite = suite_create("kernel-catalog");
  TCase *values = tcase_create("values");
  tcase_add_loop_test(values, test_values, 0, G_N_ELEMENTS(archs));
  tcase_add_loop_test(values, test_trap, 0, G_N_ELEMENTS(traps));
  tcase_add_test(values, test_row_index_trap);
  suite_add_tcase(suite, values);
  return suite;
}
