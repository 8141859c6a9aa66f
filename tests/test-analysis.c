// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an analysis says besides its sums: which counts are exact, how hardware counts what is not, the
// distinct requests, and the arrays that they go to.
#include "sim/analysis/analysis.h"

#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/open/catalog.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

// One statement of a kernel of 64 threads, two warps, whose first shared access is looked at. Another
// statement leaves none.
typedef struct {
  const char *statement;
  const char *arch;
  gboolean exact;
  guint64 wavefronts;
  SmbLoopTally loops; // requests, loads, wavefronts of loads, swaps
  const char *message;
} Case;

#define ALONE  " is a loop of loads and swaps: the count is for a warp alone"
#define BOUND  ", a lower bound where warps contend for a word"
#define CHANGE " that changes something in each swap"
static const Case cases[] = {
    {"f[t] = 1;", "sm_90", TRUE, 2, {0, 0, 0, 0}, NULL},
    {"atomicAdd(&i[0], t);", "sm_90", TRUE, 64, {0, 0, 0, 0}, NULL},
    {"atomicAdd(&f[t], 1.0f);",
     "sm_90",
     FALSE,
     6,
     {2, 2, 2, 2},
     "atomicAdd(&f[t], 1.0f)" ALONE BOUND},
    {"atomicAdd(&f[0], 1.0f);",
     "sm_80",
     FALSE,
     192,
     {2, 64, 64, 64},
     "atomicAdd(&f[0], 1.0f)" ALONE BOUND},
    {"if (t < 40) atomicAdd(&f[t / 2], 1.0f);",
     "sm_90",
     FALSE,
     12,
     {2, 4, 4, 4},
     "atomicAdd(&f[t / 2], 1.0f)" ALONE BOUND},
    {"atomicAdd(&d[t], 1.0);",
     "sm_90",
     FALSE,
     12,
     {2, 2, 4, 2},
     "atomicAdd(&d[t], 1.0)" ALONE CHANGE BOUND},
    {"atomicMax(&u[0], 5ull);",
     "sm_90",
     FALSE,
     2,
     {2, 2, 2, 0},
     "atomicMax(&u[0], 5ull) is a loop that swaps only while it has something to change: only its "
     "first load is counted, a lower bound"},
    {"atomicAdd(&f[0], 1.0f);",
     "sm_30_4B",
     FALSE,
     64,
     {0, 0, 0, 0},
     "atomicAdd(&f[0], 1.0f)" ALONE BOUND},
};

START_TEST(test_loops) {
  const Case *c = &cases[_i];
  KernelRun run;
  KernelSetup setup = {.block = {64}, .arch = c->arch};
  g_autofree char *text =
      g_strdup_printf("__global__ void k(int *out) {\n"
                      "  __shared__ float f[64]; __shared__ int i[64]; __shared__ double d[64];\n"
                      "  __shared__ unsigned long long u[64]; int t = threadIdx.x;\n  %s\n}\n",
                      c->statement);
  kernel_run(&run, "k.cu", text, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  const SmbAccess *access = &g_array_index(run.analysis->accesses, SmbAccess, 0);
  ck_assert_int_eq(access->exact, c->exact);
  ck_assert_uint_eq(access->total.wavefronts, c->wavefronts);
  ck_assert_uint_eq(access->loops.requests, c->loops.requests);
  ck_assert_uint_eq(access->loops.loads, c->loops.loads);
  ck_assert_uint_eq(access->loops.load_wavefronts, c->loops.load_wavefronts);
  ck_assert_uint_eq(access->loops.swaps, c->loops.swaps);
  ck_assert_mem_eq(&run.analysis->loops, &access->loops, sizeof access->loops);
  const char *message = NULL;
  for (guint i = 0; i < run.analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning =
        &g_array_index(run.analysis->warnings, SmbAnalysisWarning, i);
    message = warning->kind == SMB_WARNING_LOOP ? warning->message : message;
  }
  ck_assert_pstr_eq(message, c->message);
  kernel_run_clear(&run);
}
END_TEST

// A built-in kernel, run in so many threads; its requests are kept.
static SmbAnalysis *
run_entry(const SmbCatalogEntry *entry, const SmbProgram *kernel, const SmbArch *arch,
          guint threads) {
  g_autoptr(GError) error = NULL;
  SmbLaunch launch = {.arguments = (const char *const *)entry->args};
  memcpy(launch.block, entry->block, sizeof launch.block);
  memcpy(launch.grid, entry->grid, sizeof launch.grid);
  gint64 dynamic = 0;
  if (entry->dynamic_bytes)
    ck_assert(smb_program_evaluate(kernel, entry->dynamic_bytes, &dynamic, NULL));
  launch.dynamic_bytes = (gsize)dynamic;
  SmbAnalysisOptions options = {.threads = threads, .keep_requests = TRUE};
  SmbAnalysis *analysis = smb_analysis_run(kernel, arch, &launch, &options, &error);
  ck_assert_msg(analysis != NULL, "%s", error ? error->message : "");
  return analysis;
}

// The distinct requests, each as often as it was made, cost what the accesses do.
static void
check_sums(const SmbAnalysis *analysis, const SmbArch *arch) {
  for (guint a = 0; a < analysis->accesses->len; a++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, a);
    SmbTally total = {0}, warps[SMB_MAX_WARPS] = {{0}};
    for (guint i = 0; i < analysis->requests->len; i++) {
      const SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
      SmbWavefronts cost = smb_wavefronts_count(arch, &made->request);
      for (guint64 times = 0; made->access == a && times < made->count; times++)
        smb_tally_count(&total, &cost, 1);
      if (made->access == a)
        smb_tally_count(&warps[made->warp], &cost, made->count);
    }
    ck_assert_mem_eq(&total, &access->total, sizeof total);
    ck_assert_mem_eq(warps, access->warps, sizeof warps);
  }
}

// By access, warp, and the block that made it first; no request of an access and a warp twice.
static void
check_order(const SmbAnalysis *analysis) {
  for (guint i = 1; i < analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
    const SmbAccessRequest *before = made - 1;
    ck_assert_uint_ge(made->access, before->access);
    if (made->access != before->access)
      continue;
    ck_assert_uint_ge(made->warp, before->warp);
    if (made->warp == before->warp)
      ck_assert_uint_ge(made->block, before->block);
    for (; before >= (SmbAccessRequest *)(void *)analysis->requests->data; before--) {
      if (before->access != made->access || before->warp != made->warp)
        break;
      ck_assert(!smb_request_equal(&before->request, &made->request));
    }
  }
}

START_TEST(test_requests) {
  static const char *const archs[] = {"sm_90", "sm_20", "sm_30_8B"};
  g_autoptr(GPtrArray) catalog = smb_catalog_load(NULL);
  guint made = 0;
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = g_ptr_array_index(catalog, i);
    g_autoptr(SmbArch) arch = smb_arch_load(archs[i % G_N_ELEMENTS(archs)], NULL);
    g_autoptr(SmbSource) source = smb_catalog_file(entry->file, NULL);
    g_autoptr(SmbProgram) kernel =
        smb_program_read(source,
                         &(SmbProgramOptions){.entry = entry->entry,
                                              .defines = (const char *const *)entry->defines,
                                              .cuda_arch = 900},
                         NULL);
    g_autoptr(SmbAnalysis) one = run_entry(entry, kernel, arch, 1);
    g_autoptr(SmbAnalysis) three = run_entry(entry, kernel, arch, 3);
    ck_assert_uint_eq(one->requests_dropped, 0);
    check_sums(one, arch);
    check_order(one);
    ck_assert_uint_eq(one->requests->len, three->requests->len);
    for (guint j = 0; j < one->requests->len; j++) {
      const SmbAccessRequest *x = &g_array_index(one->requests, SmbAccessRequest, j);
      const SmbAccessRequest *y = &g_array_index(three->requests, SmbAccessRequest, j);
      ck_assert(x->access == y->access && x->warp == y->warp && x->block == y->block &&
                x->count == y->count);
      ck_assert_mem_eq(&x->request, &y->request, G_STRUCT_OFFSET(SmbRequest, width) + 1);
    }
    made += one->requests->len;
  }
  ck_assert_uint_gt(made, 1000);
}
END_TEST

// Nobody asked for them.
START_TEST(test_no_requests) {
  KernelRun run;
  KernelSetup setup = {.block = {32}};
  kernel_run(&run, "k.cu", "__global__ void k() { __shared__ int a[32]; a[threadIdx.x] = 1; }",
             &setup);
  ck_assert_ptr_null(run.analysis->requests);
  kernel_run_clear(&run);
}
END_TEST

// Bytes of global memory: each lane's own, of two blocks of 40 threads.
static const struct {
  const char *statement;
  guint64 bytes;
} global_bytes[] = {
    {"out[t] = t;", 320},
    {"out[t] = out[0];", 640}, // a word that all lanes ask for is asked for by each
    {"if (t < 3) ((double *)out)[t] = 0;", 48},
    {"atomicAdd(&out[t], 1);", 640}, // loads and stores
    {"a[t] = t;", 0},
};

START_TEST(test_global_bytes) {
  KernelRun run;
  KernelSetup setup = {.block = {40}, .grid = {2}};
  g_autofree char *text = g_strdup_printf("__global__ void k(int *out) {\n"
                                          "  __shared__ int a[40]; int t = threadIdx.x;\n  %s\n}\n",
                                          global_bytes[_i].statement);
  kernel_run(&run, "k.cu", text, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  ck_assert_uint_eq(smb_analysis_global_bytes(run.analysis), global_bytes[_i].bytes);
  kernel_run_clear(&run);
}
END_TEST

// Arrays of a kernel: "name element bytes[extents]@base" and the place, each on a line of its own.
typedef struct {
  const char *declarations;
  const char *uses;
  const char *arrays;
} Arrays;

static const Arrays arrays[] = {
    {"__shared__ float a[32][33];", "a[0][0] = 1;", "a float 4 [32][33] @0 4224 1:48\n"},
    {"__shared__ char c[3]; __shared__ double d[2];", "c[0] = 1; d[0] = 1;",
     "c char 1 [3] @0 3 1:47\nd double 8 [2] @8 16 1:71\n"},
    {"__shared__ int a[2][3][4][5];", "a[0][0][0][0] = 1;", "a int 4 [6][4][5] @0 480 1:46\n"},
    {"__shared__ int a[2][3][4][5][6];", "a[0][0][0][0][0] = 1;",
     "a int 4 [24][5][6] @0 2880 1:46\n"},
    {"__shared__ int one; extern __shared__ float4 e[];", "one = 1; e[0].x = 1;",
     "one int 4 @0 4 1:46\ne float4 16 [0] @16 dynamic 1:76\n"},
    {"", "out[0] = 1;", ""},
};

START_TEST(test_arrays) {
  const Arrays *c = &arrays[_i];
  g_autoptr(GError) error = NULL;
  g_autofree char *text =
      g_strdup_printf("__global__ void k(int *out) { %s\n%s }\n", c->declarations, c->uses);
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  g_autoptr(SmbProgram) kernel =
      smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900}, &error);
  ck_assert_msg(kernel != NULL, "%s", error ? error->message : "");
  g_autoptr(GString) got = g_string_new(NULL);
  for (guint i = 0; i < smb_program_n_arrays(kernel); i++) {
    const SmbArray *array = smb_program_array(kernel, i);
    g_string_append_printf(got, "%s %s %u ", array->name, array->element, array->element_bytes);
    for (guint d = 0; d < array->n_dimensions; d++)
      g_string_append_printf(got, "[%u]%s", (guint)array->dimension[d],
                             d + 1 == array->n_dimensions ? " " : "");
    g_string_append_printf(got, "@%u ", array->base);
    if (array->is_dynamic)
      g_string_append(got, "dynamic");
    else
      g_string_append_printf(got, "%u", (guint)array->bytes);
    g_string_append_printf(got, " %u:%u\n", array->line, array->column);
    ck_assert_ptr_eq(smb_program_array_at(kernel, array->base), array);
    guint32 end = array->base + (guint32)array->bytes;
    if (array->is_dynamic)
      ck_assert_ptr_eq(smb_program_array_at(kernel, 200000), array);
    else
      ck_assert(smb_program_array_at(kernel, end - 1) == array &&
                smb_program_array_at(kernel, end) != array);
  }
  ck_assert_str_eq(got->str, c->arrays);
}
END_TEST

Suite *
suite_analysis(void) {
  Suite *suite = suite_create("analysis");
  TCase *tcase = tcase_create("analysis");
  tcase_add_loop_test(tcase, test_loops, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_requests);
  tcase_add_test(tcase, test_no_requests);
  tcase_add_loop_test(tcase, test_global_bytes, 0, G_N_ELEMENTS(global_bytes));
  tcase_add_loop_test(tcase, test_arrays, 0, G_N_ELEMENTS(arrays));
  suite_add_tcase(suite, tcase);
  return suite;
}
