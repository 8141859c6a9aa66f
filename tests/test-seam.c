// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// That the machine, the analysis, explain and report know no language: kernels of a front end of the tests
// (tests/mini-front.h) run through them as the same kernels in CUDA C do, with the same result.
#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "src/analysis/limit.h"
#include "src/analysis/line.h"
#include "src/analysis/warning.h"
#include "src/analyze/report.h"
#include "src/cli/hint.h"
#include "src/explain/report.h"
#include "src/report/report.h"
#include "tests/kernel-run.h"
#include "tests/mini-front.h"
#include "tests/suite.h"

enum {
  X, // registers
  Y,
  N,
  ROW,
  AT,
  V,
  LESS,
  FOUR,
  ZERO,
  ONE,
};

// The text that both run: a tile that is written by rows and read by columns, a branch that splits warps, and
// an atomic whose lanes ask for one word.
static const char tile_text[] = //
    "__global__ void mini(int *out, int n) {\n"
    "  __shared__ int tile[1024];\n"
    "  __shared__ int rest[64];\n"
    "  int x = threadIdx.x, y = threadIdx.y;\n"
    "  tile[y * 32 + x] = x * n + y;\n"
    "  if (y < 1)\n"
    "    rest[x] = 0;\n"
    "  __syncthreads();\n"
    "  int v = tile[x * 32 + y];\n"
    "  if (x < n)\n"
    "    out[x * 32 + y] = v;\n"
    "  atomicAdd(&rest[y], v);\n"
    "}\n";

#define TILE_OPERATIONS(...)                                                                       \
  {MINI_THREAD, X, 0}, {MINI_THREAD, Y, 1}, {MINI_ARG, N, 1}, {MINI_SET, FOUR, 4},                 \
      {MINI_SET, ZERO, 0}, {MINI_SET, ONE, 1}, {MINI_SET, ROW, 128},                               \
      {MINI_MAD, AT, X, FOUR, ZERO}, {MINI_MAD, AT, Y, ROW, AT}, {MINI_MAD, V, X, N, Y},           \
      {MINI_STORE, V, AT, 0, .text = "tile[y * 32 + x]"}, {MINI_LESS, LESS, Y, ONE},               \
      {MINI_SKIP, .a = LESS, .b = 15}, {MINI_MAD, AT, X, FOUR, ZERO},                              \
      {MINI_STORE, ZERO, AT, 1, .text = "rest[x]"}, __VA_ARGS__, {MINI_MAD, AT, Y, FOUR, ZERO},    \
      {MINI_MAD, AT, X, ROW, AT}, {MINI_LOAD, V, AT, 0, .text = "tile[x * 32 + y]"},               \
      {MINI_LESS, LESS, X, N}, {MINI_SKIP, .a = LESS, .b = 22},                                    \
      {MINI_STORE, V, AT, MINI_BUFFER, .text = "out[x * 32 + y]"}, {MINI_MAD, AT, Y, FOUR, ZERO},  \
      {MINI_ADD, V, AT, 1, .text = "atomicAdd(&rest[y], v)"}, {                                    \
    MINI_END                                                                                       \
  }

static const MiniOperation tile_operations[] = {TILE_OPERATIONS({MINI_BARRIER})};
static const MiniOperation race_operations[] = {TILE_OPERATIONS({MINI_SET, LESS})};

static const char *const arguments[] = {"n=20", NULL};

// A kernel of operations and what came of it.
typedef struct {
  SmbArch *arch;
  SmbSource *listing;
  SmbTarget *target;
  SmbGlobal *global;
  SmbAnalysis *analysis;
  GError *error;
} Run;

static void
run_clear(Run *run) {
  smb_analysis_free(run->analysis);
  smb_global_free(run->global);
  smb_target_free(run->target);
  g_clear_pointer(&run->listing, smb_source_unref);
  g_clear_pointer(&run->arch, smb_arch_unref);
  g_clear_error(&run->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

// A source with a line for each operation.
static SmbSource *
make_listing(const MiniOperation *operations) {
  GString *text = g_string_new(NULL);
  do
    g_string_append_printf(text, "  %s\n", operations->text ? operations->text : "...");
  while ((operations++)->code != MINI_END);
  g_autoptr(GBytes) bytes = g_string_free_to_bytes(text);
  return smb_source_new("mini.list", bytes, NULL);
}

static void
set_up(Run *run, const MiniOperation *operations, gboolean has_listing, guint rows,
       const char *arch) {
  memset(run, 0, sizeof *run);
  run->arch = kernel_run_arch(arch);
  run->listing = has_listing ? make_listing(operations) : NULL;
  run->target = g_new0(SmbTarget, 1);
  run->target->kernel = mini_program_new(operations, 4096, 256, run->listing,
                                         smb_arch_info(run->arch)->lanes, SMB_FRAMES_OWN);
  run->target->name = g_strdup(smb_program_name(run->target->kernel));
  run->target->file = g_strdup(smb_program_file(run->target->kernel));
  run->target->defines = g_new0(char *, 1);
  run->target->launch =
      (SmbLaunch){.block = {32, rows, 1}, .grid = {2, 1, 1}, .arguments = arguments};
  run->target->options.keep_requests = TRUE;
}

static void
start(Run *run) {
  run->global = smb_global_new(run->target->kernel, &run->target->launch);
  run->target->options.global = run->global;
  run->analysis = smb_analysis_run(run->target->kernel, run->arch, &run->target->launch,
                                   &run->target->options, &run->error);
  ck_assert((run->analysis == NULL) == (run->error != NULL));
}

static void
run_operations(Run *run, const MiniOperation *operations, gboolean has_listing, guint rows,
               guint64 max_steps, const char *arch) {
  set_up(run, operations, has_listing, rows, arch);
  run->target->options.limits.max_steps = max_steps;
  start(run);
}

static void
run_text(KernelRun *run, const char *text, const char *arch) {
  const KernelSetup setup = {
      .arch = arch, .arguments = arguments, .block = {32, 32}, .grid = {2}, .keeps_requests = TRUE};
  kernel_run(run, "mini.cu", text, &setup);
  ck_assert_msg(run->analysis != NULL, "%s", run->error ? run->error->message : "");
}

static void
check_same_counts(const SmbAnalysis *a, const SmbAnalysis *b) {
  ck_assert_uint_eq(a->accesses->len, 4);
  ck_assert_uint_eq(a->accesses->len, b->accesses->len);
  for (guint i = 0; i < a->accesses->len; i++) {
    const SmbAccess *x = &g_array_index(a->accesses, SmbAccess, i);
    const SmbAccess *y = &g_array_index(b->accesses, SmbAccess, i);
    ck_assert_mem_eq(&x->total, &y->total, sizeof x->total);
    ck_assert_mem_eq(x->warps, y->warps, sizeof x->warps);
    ck_assert_uint_eq(x->worst.mask, y->worst.mask);
    ck_assert_uint_eq(x->worst.op, y->worst.op);
    ck_assert_mem_eq(x->worst.offset, y->worst.offset,
                     smb_request_span(&x->worst) * sizeof x->worst.offset[0]);
    ck_assert_str_eq(x->array, y->array);
    ck_assert_uint_eq(x->site->op_class, y->site->op_class);
  }
  ck_assert_uint_eq(a->globals->len, 1);
  const SmbGlobalAccess *x = &g_array_index(a->globals, SmbGlobalAccess, 0);
  const SmbGlobalAccess *y = &g_array_index(b->globals, SmbGlobalAccess, 0);
  ck_assert_uint_eq(x->requests, y->requests);
  ck_assert_uint_eq(x->segments, y->segments);
  ck_assert_uint_eq(a->requests->len, b->requests->len);
}

// In warps of 32 and of 64 lanes.
static const char *const archs[] = {"sm_90", "wide"};

START_TEST(test_counts) {
  for (guint has_listing = 0; has_listing < 2; has_listing++) {
    g_auto(Run) mini;
    g_auto(KernelRun) text;
    gint32 made[1024], wanted[1024];
    run_operations(&mini, tile_operations, has_listing, 32, 0, archs[_i]);
    ck_assert_msg(mini.analysis != NULL, "%s", mini.error ? mini.error->message : "");
    run_text(&text, tile_text, archs[_i]);
    check_same_counts(mini.analysis, text.analysis);
    ck_assert_uint_eq(mini.analysis->warnings->len, 0);
    ck_assert_uint_eq(text.analysis->warnings->len, 0);
    const SmbAccess *load = smb_analysis_worst(mini.analysis);
    ck_assert_uint_eq(load->worst_cost.wavefronts, 32);
    ck_assert_uint_eq(load->worst.mask, smb_lanes_below(smb_arch_info(mini.arch)->lanes));
    kernel_run_read(&text, "out", 0, wanted, 1024, 4);
    smb_global_read(mini.global, 0, 0, made, sizeof made);
    ck_assert_mem_eq(made, wanted, sizeof made);
    ck_assert_str_eq(smb_program_level(mini.target->kernel), "mini");
    ck_assert_str_eq(smb_program_level(text.kernel), "text");
  }
}
END_TEST

static int
compare_texts(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The pairs of sites that race: which of them comes first depends on the order in which warps run.
static char *
list_races(const SmbAnalysis *analysis) {
  g_autoptr(GPtrArray) pairs = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    char *pair = g_strdup_printf("%u-%u", MIN(warning->site, warning->other),
                                 MAX(warning->site, warning->other));
    if (warning->kind != SMB_WARNING_RACE ||
        g_ptr_array_find_with_equal_func(pairs, pair, g_str_equal, NULL))
      g_free(pair);
    else
      g_ptr_array_add(pairs, pair);
  }
  g_ptr_array_sort(pairs, compare_texts);
  g_ptr_array_add(pairs, NULL);
  return g_strjoinv(" ", (char **)pairs->pdata);
}

// Without the barrier both find the same races; the words differ in the place only.
START_TEST(test_races) {
  g_auto(Run) mini;
  g_auto(KernelRun) text;
  g_autoptr(GString) without = g_string_new(tile_text);
  g_string_replace(without, "  __syncthreads();\n", "", 0);
  run_operations(&mini, race_operations, FALSE, 32, 0, archs[_i]);
  run_text(&text, without->str, archs[_i]);
  check_same_counts(mini.analysis, text.analysis);
  g_autofree char *mini_races = list_races(mini.analysis), *text_races = list_races(text.analysis);
  ck_assert_str_eq(mini_races, text_races);
  ck_assert_str_eq(mini_races, "0-2 1-4");
  g_autoptr(SmbSpool) messages = smb_spool_new();
  smb_analyze_write_warnings(mini.target, mini.analysis, messages);
  g_autoptr(GString) shown = smb_spool_take(messages, NULL);
  ck_assert_msg(strstr(shown->str, "mini.bin: mini+0x") && strstr(shown->str, ": warning: race on"),
                "%s", shown->str);
}
END_TEST

static const struct {
  const char *name;
  MiniOperation operations[6];
  const char *message; // without a listing
  const char *listed;  // how it begins with one
  guint64 max_steps;
} failures[] = {
    {"out of bounds",
     {{MINI_THREAD, Y, 1},
      {MINI_SET, ROW, 200},
      {MINI_MAD, AT, Y, ROW, ZERO},
      {MINI_STORE, Y, AT, 1, .text = "rest[50 * y]"},
      {MINI_END}},
     "mini.bin: mini+0x3: rest[50 * y]: out of bounds: byte 400 of 'rest', which has 256 bytes, by "
     "thread (0,2,0) of block (0,0,0)",
     "mini.list:4:1: rest[50 * y]: out of bounds: byte 400 of 'rest', which has 256 bytes, by "
     "thread (0,2,0) of block (0,0,0)\n    4 |   rest[50 * y]\n      | ^",
     0},
    {"misaligned",
     {{MINI_THREAD, X, 0}, {MINI_LOAD, V, X, 0, .text = "tile.bytes[x]"}, {MINI_END}},
     "mini.bin: mini+0x1: tile.bytes[x]: misaligned: byte 1 of shared memory is not a multiple of "
     "4, "
     "by thread (1,0,0) of block (0,0,0)",
     "mini.list:2:1: tile.bytes[x]: misaligned",
     0},
    {"a barrier that some pass by",
     {{MINI_THREAD, X, 0},
      {MINI_SKIP, .a = X, .b = 4},
      {MINI_BARRIER},
      {MINI_END},
      {MINI_BARRIER},
      {MINI_END}},
     "mini.bin: mini+0x2: the barrier is not reached by all threads of the block: thread (0,0,0) "
     "of block (0,0,0) does not reach it",
     "mini.list:3:1: the barrier is not reached",
     0},
    {"an endless loop",
     {{MINI_SET, ZERO, 0}, {MINI_SKIP, .a = ZERO, .b = 0}, {MINI_END}},
     "mini.bin: mini+0x1: still running after 101 operations: an endless loop, or a large trip "
     "count? (--max-steps allows more)",
     "mini.list:2:1: still running after",
     101},
};

START_TEST(test_failure) {
  for (guint has_listing = 0; has_listing < 2; has_listing++) {
    g_auto(Run) run;
    run_operations(&run, failures[_i].operations, has_listing, 4, failures[_i].max_steps, NULL);
    ck_assert_msg(run.error != NULL, "%s: runs", failures[_i].name);
    if (has_listing)
      ck_assert_msg(g_str_has_prefix(run.error->message, failures[_i].listed), "%s: %s",
                    failures[_i].name, run.error->message);
    else {
      g_autofree char *text = smb_cli_error_text(run.error);
      ck_assert_str_eq(text, failures[_i].message);
    }
  }
}
END_TEST

// What analyze, explain and report write of a program, with a listing and without a text.
START_TEST(test_views) {
  for (guint has_listing = 0; has_listing < 2; has_listing++) {
    g_auto(Run) run;
    g_auto(KernelRun) text;
    run_operations(&run, tile_operations, has_listing, 32, 0, archs[_i]);
    run_text(&text, tile_text, archs[_i]);
    SmbCli cli = {.command = "explain", .arch = run.arch, .columns = 100};
    g_autoptr(SmbSpool) out = cli.out = smb_spool_new();
    g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(SmbLimit));
    const SmbAnalyzeReport report = {run.target, run.analysis, FALSE, none, none, NULL, NULL};
    smb_analyze_write_text(&cli, &report);
    smb_analyze_annotate(&cli, &report);
    smb_analyze_write_json(&cli, &report);
    const SmbExplainQuestion question = {0};
    g_autoptr(SmbExplanation) explanation =
        smb_explanation_new(run.target, run.arch, run.analysis, &question, NULL);
    ck_assert_ptr_nonnull(explanation);
    ck_assert_uint_eq(explanation->cost.wavefronts, 32);
    ck_assert_uint_eq(explanation->neighbours->all->len > 0, 1);
    const SmbExplainReport explained = {
        .target = run.target, .analysis = run.analysis, .explanation = explanation};
    smb_explain_write_text(&cli, &explained);
    smb_explain_write_json(&cli, &explained);
    g_autoptr(GString) shown = smb_spool_take(out, NULL);
    ck_assert_ptr_nonnull(strstr(shown->str, "tile[x * 32 + y]"));
    ck_assert_msg(strstr(shown->str, has_listing ? "mini.list:19:1: load of tile[x * 32 + y]"
                                                 : "mini.bin: mini+0x12: load of tile[x * 32 + y]"),
                  "%s", shown->str);
    ck_assert_msg(strstr(shown->str, has_listing ? "at line 19." : "at 0x12."), "%s", shown->str);

    g_autoptr(SmbSpool) page = smb_spool_new();
    g_autoptr(SmbReport) made = smb_report_new(run.arch, run.target, run.analysis, NULL);
    ck_assert(smb_report_write(made, page, NULL));
    g_autoptr(GString) html = smb_spool_take(page, NULL);
    ck_assert_ptr_nonnull(strstr(html->str, "tile[x * 32 + y]"));
    ck_assert(!!strstr(html->str, "<section id=\"source\">") == has_listing);
    ck_assert(!!strstr(html->str, "#line-") == has_listing);
  }
}
END_TEST

// Of a warp's store the first lane's address is not known, of its load none is.
static const SmbFrame frames[] = {
    {"/usr/local/cuda/include/cub/block.cuh", 7, 0}, {"own.cuh", 40, 5}, {"scan.cu", 41, 0}};
static const MiniOperation unknown_operations[] = {
    {MINI_THREAD, X, 0},
    {MINI_SET, FOUR, 4},
    {MINI_SET, ZERO, 0},
    {MINI_UNKNOWN, V, X, X},
    {MINI_MAD, AT, V, FOUR, ZERO},
    {MINI_STORE, X, AT, 0, .text = "tile[v]", .opcode = "STS", .n_frames = 3, .frames = frames},
    {MINI_UNKNOWN, V, ZERO, ZERO},
    {MINI_LOAD, X, V, 1, .text = "rest[v]", .opcode = "LDS.32"},
    {MINI_END}};

START_TEST(test_unknown_fails) {
  g_auto(Run) run;
  run_operations(&run, unknown_operations, FALSE, 1, 0, archs[_i]);
  ck_assert_ptr_nonnull(run.error);
  ck_assert_str_eq(run.error->message, "mini.bin: mini+0x5: tile[v]: the address is not known");
}
END_TEST

// What is left out is in no count, and no view says that there was nothing.
START_TEST(test_unknown_is_skipped) {
  g_auto(Run) run;
  set_up(&run, unknown_operations, FALSE, 1, archs[_i]);
  run.target->launch.skips_unknown = TRUE;
  start(&run);
  ck_assert_msg(run.analysis != NULL, "%s", run.error ? run.error->message : "");
  ck_assert_uint_eq(run.analysis->accesses->len, 2);
  const SmbAccess *store = &g_array_index(run.analysis->accesses, SmbAccess, 0);
  const SmbAccess *load = &g_array_index(run.analysis->accesses, SmbAccess, 1);
  ck_assert_uint_eq(store->total.requests, 2); // one of each block
  ck_assert_uint_eq(store->worst.mask, 0xfffffffeu);
  ck_assert_uint_eq(store->uncounted, 2);
  ck_assert_str_eq(store->array, "tile");
  ck_assert_uint_eq(load->total.requests, 0);
  ck_assert_uint_eq(load->uncounted, 2);
  ck_assert_ptr_null(load->array);
  for (guint i = 0; i < 2; i++) {
    const SmbAccess *access = i ? load : store;
    ck_assert(!access->exact && smb_access_is_lower_bound(access));
    ck_assert_str_eq(access->reason, "the address is not known");
  }
  ck_assert_uint_eq(run.analysis->totals[SMB_OP_CLASS_STORE].requests, 2);
  ck_assert_uint_eq(run.analysis->totals[SMB_OP_CLASS_LOAD].requests, 0);
}
END_TEST

// What analyze, explain and report say of what is left out.
START_TEST(test_views_of_unknown) {
  static const char *const shown[] = {
      "No bank conflicts in the requests that are counted: 2 wavefronts",
      ("2 requests of tile[v] at own.cuh:40 are not counted: the address is not known. The same is "
       "true of another access."),
      "own.cuh:40  tile[v]        store         2",
      "      0x70  rest[v]        load          -           -      -       -  not counted",
      "<li>own.cuh:40: tile[v] is not counted: the address is not known</li>",
      "\"file\" : \"own.cuh\"",
      "\"inlined_at\" : [\n        {\n          \"file\" : \"scan.cu\",\n          \"line\" : 41",
      "\"opcode\" : \"LDS.32\"",
      "\"pc\" : 112",
      "\"array\" : null",
      "\"reason\" : \"the address is not known\"",
      "\"depends_on_data\" : true",
      "\"uncounted_requests\" : 2",
      "\"uncounted_requests\" : 4",
      "\"kind\" : \"uncounted\"",
      "shared,0,0,,load,4,rest[v],,0,",
      "no,own.cuh,80,STS,the address is not known,yes,2",
  };
  g_auto(Run) run;
  set_up(&run, unknown_operations, FALSE, 1, "sm_90");
  run.target->launch.skips_unknown = TRUE;
  start(&run);
  SmbCli cli = {.command = "analyze", .arch = run.arch, .columns = 200};
  g_autoptr(SmbSpool) out = cli.out = smb_spool_new();
  char *three[] = {(char *)"3", NULL};
  const SmbLimitOptions typed = {.ways = three};
  g_autoptr(GArray) limits = smb_limits_new(&typed, NULL);
  g_autoptr(GArray) failed = smb_limits_check(limits, run.target->kernel, run.analysis, NULL, NULL);
  const SmbAnalyzeReport report = {run.target, run.analysis, TRUE, limits, failed, NULL, NULL};
  const SmbExplainQuestion question = {0};
  g_autoptr(SmbExplanation) explanation =
      smb_explanation_new(run.target, run.arch, run.analysis, &question, NULL);
  ck_assert_ptr_nonnull(explanation);
  const SmbExplainReport explained = {
      .target = run.target, .analysis = run.analysis, .explanation = explanation};
  smb_analyze_write_text(&cli, &report);
  smb_analyze_annotate(&cli, &report);
  smb_analyze_write_json(&cli, &report);
  smb_analyze_write_csv(&cli, &report);
  smb_explain_write_text(&cli, &explained);
  smb_explain_write_json(&cli, &explained);
  g_autoptr(SmbReport) made = smb_report_new(run.arch, run.target, run.analysis, NULL);
  ck_assert(smb_report_write(made, out, NULL));
  g_autoptr(GString) text = smb_spool_take(out, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(shown); i++)
    ck_assert_msg(strstr(text->str, shown[i]) != NULL, "not shown: %s", shown[i]);
}
END_TEST

// Inlined code counts beside its instruction, as long as there is a listing of these.
START_TEST(test_lines_of_instructions) {
  g_auto(Run) run;
  set_up(&run, unknown_operations, TRUE, 1, "sm_90");
  run.target->launch.skips_unknown = TRUE;
  start(&run);
  g_autoptr(GArray) lines = smb_analyze_sum_lines(run.analysis, NULL, 9, NULL);
  g_autoptr(GArray) none = smb_analyze_sum_lines(run.analysis, NULL, 0, NULL);
  ck_assert_uint_eq(g_array_index(lines, SmbLineTally, 6).shared.requests, 2);
  ck_assert_uint_eq(g_array_index(lines, SmbLineTally, 0).shared.requests, 0);
  ck_assert_uint_eq(g_array_index(none, SmbLineTally, 0).shared.requests, 2);
}
END_TEST

// The place of the store, and how many calls lie further out.
static const struct {
  SmbFrames frames;
  const char *place;
  guint column;
  guint n_frames;
} chosen[] = {{SMB_FRAMES_LEAF, "/usr/local/cuda/include/cub/block.cuh:7", 0, 2},
              {SMB_FRAMES_OWN, "own.cuh:40", 5, 1},
              {SMB_FRAMES_OUTER, "scan.cu:41", 0, 0}};

START_TEST(test_frames) {
  SmbProgram *program =
      mini_program_new(unknown_operations, 4096, 256, NULL, 32, chosen[_i].frames);
  const SmbSite *store = smb_program_site(program, 0), *load = smb_program_site(program, 1);
  g_autofree char *place = smb_site_place(store), *no_line = smb_site_place(load);
  ck_assert_str_eq(place, chosen[_i].place);
  ck_assert_uint_eq(store->column, chosen[_i].column);
  ck_assert_uint_eq(store->n_frames, chosen[_i].n_frames);
  ck_assert(store->n_frames == 0 ||
            strcmp(store->frames[store->n_frames - 1].file, "scan.cu") == 0);
  ck_assert_str_eq(no_line, "0x70");
  ck_assert_uint_eq(load->n_frames, 0);
  smb_program_free(program);
}
END_TEST

static const struct {
  const char *file;
  gboolean is_own;
} files[] = {{"scan.cu", TRUE},
             {"/home/me/src/cub/scan.cu", TRUE},
             {"/home/me/myinclude/cub/scan.cuh", TRUE},
             {"/home/me/include/kernel.cuh", TRUE},
             {"include/cute/tensor.hpp", FALSE},
             {"../cutlass/include/cutlass/gemm.h", FALSE},
             {"/opt/conda/include/thrust/sort.h", FALSE},
             {"/usr/local/cuda-12.4/targets/x86_64-linux/include/cuda_fp16.hpp", FALSE},
             {"/usr/include/c++/12/cmath", FALSE},
             {"/usr/lib/llvm-14/lib/clang/14.0.6/include/__clang_cuda_intrinsics.h", FALSE}};

START_TEST(test_own_files) {
  const SmbFrame frame = {files[_i].file, 1, 0};
  ck_assert_msg(smb_frame_is_own(&frame) == files[_i].is_own, "%s", frame.file);
}
END_TEST

// Arguments by name and by number; a pointer that is given a value is none.
static const struct {
  const char *arguments[3];
  gboolean is_unnamed, may_be_value;
  const char *buffer;  // or NULL
  const char *message; // or NULL: it runs
} launches[] = {
    {{"n=20"}, FALSE, FALSE, NULL, NULL},
    {{"1=20"}, FALSE, FALSE, NULL, NULL},
    {{"n=7", "1=20"}, FALSE, FALSE, NULL, NULL},
    {{NULL}, FALSE, FALSE, NULL, "parameter 'n' (int) of 'mini' needs a value: give --arg n=VALUE"},
    {{NULL}, TRUE, FALSE, NULL, "parameter 1 (int) of 'mini' needs a value: give --arg 1=VALUE"},
    {{"2=20"}, FALSE, FALSE, NULL, "'mini' has no parameter '2': expected 'n' (int)"},
    {{"=20"}, FALSE, FALSE, NULL, "argument '=20': expected NAME=VALUE"},
    {{"20"}, FALSE, FALSE, NULL, "argument '20': expected NAME=VALUE"},
    {{"n=20", "out=1"},
     FALSE,
     FALSE,
     NULL,
     "parameter 'out' is a pointer: it is bound to a buffer automatically"},
    {{"n=20", "0=1"}, FALSE, TRUE, NULL, NULL},
    {{"n=20"}, FALSE, TRUE, "0=zeros", NULL},
    {{"n=20", "out=1"},
     FALSE,
     TRUE,
     "0=zeros",
     "buffer '0=zeros': 'out' is not a pointer: give --arg out=VALUE"},
};

START_TEST(test_arguments) {
  static const MiniOperation operations[] = {{MINI_ARG, N, 1}, {MINI_END}};
  const char *const buffers[] = {launches[_i].buffer, NULL};
  g_auto(Run) run;
  set_up(&run, operations, FALSE, 1, NULL);
  SmbParameter *parameters = (SmbParameter *)run.target->kernel->parameters->data;
  parameters[0].may_be_value = launches[_i].may_be_value;
  parameters[1].is_unnamed = launches[_i].is_unnamed;
  run.target->launch.arguments = launches[_i].arguments;
  run.target->launch.buffers = smb_buffers_parse(buffers, NULL);
  start(&run);
  g_autofree char *text = run.error ? smb_cli_error_text(run.error) : g_strdup("runs");
  ck_assert_str_eq(text, launches[_i].message ? launches[_i].message : "runs");
  gboolean is_value = launches[_i].may_be_value && !launches[_i].buffer;
  ck_assert(run.error ||
            smb_launch_is_pointer(&run.target->launch, run.target->kernel, 0) == !is_value);
}
END_TEST

Suite *
suite_seam(void) {
  Suite *suite = suite_create("seam");
  TCase *cases = tcase_create("seam");
  tcase_add_loop_test(cases, test_counts, 0, G_N_ELEMENTS(archs));
  tcase_add_loop_test(cases, test_races, 0, G_N_ELEMENTS(archs));
  tcase_add_loop_test(cases, test_failure, 0, G_N_ELEMENTS(failures));
  tcase_add_loop_test(cases, test_views, 0, G_N_ELEMENTS(archs));
  tcase_add_loop_test(cases, test_unknown_fails, 0, G_N_ELEMENTS(archs));
  tcase_add_loop_test(cases, test_unknown_is_skipped, 0, G_N_ELEMENTS(archs));
  tcase_add_test(cases, test_views_of_unknown);
  tcase_add_test(cases, test_lines_of_instructions);
  tcase_add_loop_test(cases, test_frames, 0, G_N_ELEMENTS(chosen));
  tcase_add_loop_test(cases, test_own_files, 0, G_N_ELEMENTS(files));
  tcase_add_loop_test(cases, test_arguments, 0, G_N_ELEMENTS(launches));
  suite_add_tcase(suite, cases);
  return suite;
}
