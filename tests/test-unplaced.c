// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses to global memory that are not known: a count and a time say that they leave them out, and why.
#include <check.h>
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/time/record/unplaced.h"
#include "sim/time/time.h"
#include "tests/suite.h"

enum {
  WARPS = 1024 * 8, // of the launch
};

// @buffer: whose contents decide
static const struct {
  const char *entry, *reason, *buffer;
  SmbOpClass op_class;
} kernels[] = {
    {"loaded", "the address depends on the contents of ", "0", SMB_OP_CLASS_LOAD},
    {"stored", "the address depends on the contents of ", "0", SMB_OP_CLASS_STORE},
    {"copied", "where it copies from depends on the contents of ", "0", SMB_OP_CLASS_LOAD},
    {"guarded", "whether it is executed depends on the contents of ", "0", SMB_OP_CLASS_LOAD},
};

static SmbProgram *
read_kernel(const char *entry) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path =
      g_strdup_printf("%s/tests/data/time/gather.sm_90.cubin", folder ? folder : ".");
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_load_any(path, &error);
  const SmbProgramOptions reading = {.entry = entry, .cuda_arch = 900, .lanes = 32};
  SmbProgram *program = source ? smb_program_read(source, &reading, &error) : NULL;
  ck_assert_msg(program != NULL, "%s: %s", path, error ? error->message : "");
  return program;
}

static SmbLaunch
make_launch(GPtrArray *buffers) {
  return (SmbLaunch){
      .block = {256, 1, 1}, .grid = {1024, 1, 1}, .buffers = buffers, .skips_unknown = TRUE};
}

START_TEST(a_count_says_so) {
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbProgram) program = read_kernel(kernels[_i].entry);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  const SmbLaunch launch = make_launch(buffers);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(program, arch, &launch, NULL, &error);
  ck_assert_msg(analysis != NULL, "%s", error ? error->message : "");
  guint found = 0;
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    if (!access->uncounted)
      continue;
    found++;
    ck_assert_uint_eq(access->uncounted, WARPS);
    ck_assert_uint_eq(access->requests, 0);
    ck_assert_int_eq(access->site->op_class, kernels[_i].op_class);
  }
  ck_assert_uint_eq(found, 1);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    ck_assert_int_eq(analysis->missing_globals[c] != 0, c == kernels[_i].op_class);
}
END_TEST

START_TEST(a_time_says_so) {
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbChip) chip = smb_chip_load("h200", arch, NULL);
  g_autoptr(SmbProgram) program = read_kernel(kernels[_i].entry);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  const SmbLaunch launch = make_launch(buffers);
  const SmbTimeOptions options = {.sites = TRUE};
  g_autoptr(GError) error = NULL;
  g_autofree char *why = NULL;
  g_autoptr(SmbTime) time = smb_time_predict(program, arch, &launch, chip, &options, &why, &error);
  ck_assert_msg(time != NULL, "%s", why ? why : error->message);
  ck_assert_uint_eq(time->unplaced->len, 1);
  const SmbUnplaced *unplaced = &g_array_index(time->unplaced, SmbUnplaced, 0);
  ck_assert_int_eq(smb_program_site(program, unplaced->site)->op_class, kernels[_i].op_class);
  ck_assert_msg(g_str_has_prefix(unplaced->reason, kernels[_i].reason), "%s", unplaced->reason);
  ck_assert_int_eq(unplaced->hint.kind, SMB_HINT_BUFFER);
  ck_assert_str_eq(unplaced->hint.name, kernels[_i].buffer);
}
END_TEST

Suite *
suite_unplaced(void) {
  Suite *suite = suite_create("unplaced");
  TCase *tcase = tcase_create("unplaced");
  tcase_add_loop_test(tcase, a_count_says_so, 0, G_N_ELEMENTS(kernels));
  tcase_add_loop_test(tcase, a_time_says_so, 0, G_N_ELEMENTS(kernels));
  suite_add_tcase(suite, tcase);
  return suite;
}
