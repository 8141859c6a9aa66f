// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/measured/metric.h"

#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "tests/suite.h"

START_TEST(test_names) {
  SmbMetric metric;
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    ck_assert(smb_metric_parse(smb_metric_name((SmbMetric)i), &metric));
    ck_assert_uint_eq(metric, i);
  }
  ck_assert(!smb_metric_parse("wavefronts", &metric));
  ck_assert(!smb_metric_parse("", &metric));
}
END_TEST

// One warp: a store by rows, a load of a column of 32 rows, two atomics on one word.
static const char text[] = "__global__ void k(int *out) {\n"
                           "  __shared__ int a[1024];\n"
                           "  a[threadIdx.x] = out[threadIdx.x * 8];\n"
                           "  atomicAdd(&a[0], 5);\n"
                           "  atomicAdd(&a[0], 5);\n"
                           "  out[threadIdx.x] = a[threadIdx.x * 32 % 1024];\n"
                           "}\n";

static const struct {
  SmbMetric metric;
  double sm_90;
  double sm_20;
} predictions[] = {
    {SMB_METRIC_WAVEFRONTS_LD, 32, 32},   {SMB_METRIC_WAVEFRONTS_ST, 1, 1},
    {SMB_METRIC_WAVEFRONTS_ATOM, 64, 64}, {SMB_METRIC_CYCLES_LD, 32, 64},
    {SMB_METRIC_CYCLES_ST, 1, 2},         {SMB_METRIC_CYCLES_ATOM, 64, 64},
    {SMB_METRIC_INSTRUCTIONS_LD, 1, 1},   {SMB_METRIC_INSTRUCTIONS_ST, 1, 1},
    {SMB_METRIC_INSTRUCTIONS_ATOM, 2, 2}, {SMB_METRIC_SECTORS_LD, 32, -1},
    {SMB_METRIC_SECTORS_ST, 4, -1},       {SMB_METRIC_WAYS_LD, 32, 32},
    {SMB_METRIC_WAYS_ST, 1, 1},           {SMB_METRIC_VALUES, -1, -1},
    {SMB_METRIC_TIME_US, -1, -1},         {SMB_METRIC_TIME_COLD_US, -1, -1},
};

static SmbAnalysis *
analyse(const char *name, guint cuda_arch) {
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  g_autoptr(SmbProgram) kernel =
      smb_program_read(source, &(SmbProgramOptions){.cuda_arch = cuda_arch}, NULL);
  g_autoptr(SmbArch) arch = smb_arch_load(name, NULL);
  SmbLaunch launch = {{32, 1, 1}, {1, 1, 1}, 0, NULL, NULL};
  g_autoptr(GError) error = NULL;
  SmbAnalysis *analysis = smb_analysis_run(kernel, arch, &launch, NULL, &error);
  ck_assert_msg(analysis != NULL, "%s", error ? error->message : "");
  return analysis;
}

// 32 lanes load and store 4 bytes each: 256 bytes in 0.5 us.
START_TEST(test_bandwidth) {
  g_autoptr(SmbAnalysis) modern = analyse("sm_90", 900);
  ck_assert_double_eq_tol(smb_metric_bandwidth(modern, 0.5), 0.512, 1e-12);
}
END_TEST

START_TEST(test_predictions) {
  ck_assert_uint_eq(G_N_ELEMENTS(predictions), SMB_N_METRICS);
  g_autoptr(SmbAnalysis) modern = analyse("sm_90", 900);
  g_autoptr(SmbAnalysis) fermi = analyse("sm_20", 200);
  for (guint i = 0; i < G_N_ELEMENTS(predictions); i++) {
    SmbMetric metric = predictions[i].metric;
    double here = smb_metric_predict(metric, modern), there = smb_metric_predict(metric, fermi);
    ck_assert_msg(here == predictions[i].sm_90, "%s: %g", smb_metric_name(metric), here);
    ck_assert_msg(there == predictions[i].sm_20, "%s: %g", smb_metric_name(metric), there);
  }
}
END_TEST

// Of machine code the pipe may take other wavefronts than are counted per instruction: the counter that was read decides.
START_TEST(test_counters) {
  static const struct {
    SmbMetric metric;
    const char *counter;
    double more;
  } cases[] = {
      {SMB_METRIC_WAVEFRONTS_LD, NULL, 0},
      {SMB_METRIC_WAVEFRONTS_LD, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       0},
      {SMB_METRIC_WAVEFRONTS_LD, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 5},
      {SMB_METRIC_WAVEFRONTS_ST, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0},
      {SMB_METRIC_SECTORS_LD, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0},
  };
  g_autoptr(SmbAnalysis) modern = analyse("sm_90", 900);
  modern->totals[SMB_OP_CLASS_LOAD].pipe_wavefronts += 5;
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    ck_assert_double_eq(smb_metric_predict_as(cases[i].metric, cases[i].counter, modern),
                        smb_metric_predict(cases[i].metric, modern) + cases[i].more);
}
END_TEST

Suite *
suite_metric(void) {
  TCase *cases = tcase_create("metric");
  tcase_add_test(cases, test_names);
  tcase_add_test(cases, test_predictions);
  tcase_add_test(cases, test_bandwidth);
  tcase_add_test(cases, test_counters);
  Suite *suite = suite_create("metric");
  suite_add_tcase(suite, cases);
  return suite;
}
