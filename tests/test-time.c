// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The clock: what holds of any multiprocessor, whatever its numbers. A launch takes at least as long as each of its units works, never longer
// without conflicts; twice the blocks of a full chip take twice as long; half the clock takes as many cycles where no memory is behind the
// caches, and so on. Of some launches also that the times are a device's; of others see doc/time.md.
#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/time/replay/code-fetch.h"
#include "sim/time/replay/l1-cache.h"
#include "sim/time/time.h"
#include "src/analysis/launch-time.h"
#include "tests/effort.h"
#include "tests/suite.h"

static SmbArch *arch;
static SmbChip *chip;

static void
set_up(void) {
  arch = smb_arch_load("sm_90", NULL);
  chip = smb_chip_load("h200", arch, NULL);
  ck_assert(arch && chip);
}

static void
tear_down(void) {
  smb_chip_free(chip);
  smb_arch_unref(arch);
}

static SmbProgram *
read_kernel(const char *file, const char *entry) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path = g_build_filename(folder ? folder : ".", "tests/data", file, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_load_any(path, &error);
  const SmbProgramOptions reading = {.entry = entry, .cuda_arch = 900, .lanes = 32};
  SmbProgram *program = source ? smb_program_read(source, &reading, &error) : NULL;
  ck_assert_msg(program != NULL, "%s: %s", path, error ? error->message : "");
  return program;
}

static SmbTime *
predict_launch(const char *file, const char *entry, const SmbLaunch *launch, double clock_khz) {
  g_autoptr(GError) error = NULL;
  g_autofree char *why = NULL;
  g_autoptr(SmbProgram) program = read_kernel(file, entry);
  const SmbTimeOptions options = {.clock_khz = clock_khz, .sites = TRUE};
  SmbTime *time = smb_time_predict(program, arch, launch, chip, &options, &why, &error);
  ck_assert_msg(time != NULL, "%s: %s", entry, why ? why : error->message);
  return time;
}

static SmbTime *
predict(const char *file, const char *entry, guint threads, guint blocks, double clock_khz) {
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  const SmbLaunch launch = {
      .block = {threads, 1, 1}, .grid = {blocks, 1, 1}, .buffers = buffers, .skips_unknown = TRUE};
  return predict_launch(file, entry, &launch, clock_khz);
}

static const struct {
  const char *file, *entry;
  guint threads;
} kernels[] = {
    {"sass/wide.sm_90.cubin", "corner", 16},         {"sass/wide.sm_90.cubin", "pairs", 128},
    {"race/race.sm_90.cubin", "overtaken", 64},      {"memory/memory.sm_90.cubin", "stages", 32},
    {"pending/pending.sm_90.cubin", "disputed", 64},
};

START_TEST(shares_are_shares) {
  g_autoptr(SmbTime) time =
      predict(kernels[_i].file, kernels[_i].entry, kernels[_i].threads, 1056, 0);
  double stalls = 0, sites = 0;
  for (guint u = 0; u < SMB_N_UNITS; u++) {
    ck_assert_double_ge(time->busy[u], 0);
    ck_assert_double_le(time->busy[u], 1);
  }
  for (guint s = 0; s < SMB_N_STALLS; s++)
    stalls += time->stalls[s];
  ck_assert_double_eq_tol(stalls, 1, 1e-9);
  ck_assert_double_gt(time->cycles, chip->launch_cycles);
  ck_assert_double_le(time->without, time->cycles);
  for (guint i = 0; i < time->sites->len; i++)
    sites += g_array_index(time->sites, SmbSiteTime, i).cycles;
  ck_assert_double_ge(sites, 0);
  ck_assert(time->sites->len > 0 || time->without == time->cycles);
}
END_TEST

static gboolean
count_down(gpointer user) {
  gint *left = user;
  return g_atomic_int_dec_and_test(left);
}

static gboolean
has_counted_down(gpointer user) {
  return count_down(user) || g_atomic_int_get((gint *)user) < 0;
}

// Whenever it is interrupted, it says so; a clock that nobody asks to stop counts all questions.
START_TEST(a_prediction_can_be_interrupted) {
  const gint many = 1 << 30;
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  g_autoptr(SmbProgram) program = read_kernel("sass/wide.sm_90.cubin", "pairs");
  const SmbLaunch launch = {
      .block = {128, 1, 1}, .grid = {10560, 1, 1}, .buffers = buffers, .skips_unknown = TRUE};
  gint left = many;
  const SmbTimeOptions options = {
      .sites = TRUE, .is_cancelled = has_counted_down, .user = &left, .n_threads = 1};
  g_autofree char *why = NULL;
  SmbTime *time = smb_time_predict(program, arch, &launch, chip, &options, &why, NULL);
  ck_assert_ptr_nonnull(time);
  smb_time_free(time);
  gint questions = many - left;
  ck_assert_int_gt(questions, 4);
  for (gint i = 1; i <= questions; i++) {
    g_autoptr(GError) error = NULL;
    left = i;
    ck_assert_ptr_null(smb_time_predict(program, arch, &launch, chip, &options, &why, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "interrupted"));
  }
}
END_TEST

START_TEST(more_blocks_take_longer) {
  if (is_left_out(_i, 3))
    return;
  const char *file = kernels[_i].file, *entry = kernels[_i].entry;
  double before = 0;
  for (guint blocks = 132; blocks <= 132 * 1024; blocks *= 32) {
    g_autoptr(SmbTime) time = predict(file, entry, kernels[_i].threads, blocks, 0);
    ck_assert_double_gt(time->cycles, before);
    before = time->cycles;
  }
  // Of very many, twice as many take twice as long, but for the launch.
  g_autoptr(SmbTime) once = predict(file, entry, kernels[_i].threads, 132 << 14, 0);
  g_autoptr(SmbTime) twice = predict(file, entry, kernels[_i].threads, 132 << 15, 0);
  double ratio = (twice->cycles - chip->launch_cycles) / (once->cycles - chip->launch_cycles);
  ck_assert_double_eq_tol(ratio, 2, 0.02);
}
END_TEST

START_TEST(is_the_same_every_time) {
  g_autoptr(SmbTime) a = predict(kernels[_i].file, kernels[_i].entry, kernels[_i].threads, 1056, 0);
  g_autoptr(SmbTime) b = predict(kernels[_i].file, kernels[_i].entry, kernels[_i].threads, 1056, 0);
  ck_assert_double_eq(a->cycles, b->cycles);
  ck_assert_double_eq(a->without, b->without);
}
END_TEST

// Memory behind the caches takes as long by the clock on the wall: at a lower clock it is fewer cycles.
START_TEST(a_lower_clock_takes_longer) {
  g_autoptr(SmbTime) high =
      predict(kernels[_i].file, kernels[_i].entry, kernels[_i].threads, 1056, 1980000);
  g_autoptr(SmbTime) low =
      predict(kernels[_i].file, kernels[_i].entry, kernels[_i].threads, 1056, 990000);
  ck_assert_double_le(low->cycles, high->cycles);
  ck_assert_double_gt(smb_time_microseconds(low, low->cycles),
                      smb_time_microseconds(high, high->cycles));
}
END_TEST

// What conflicts cost of 10,000 cycles, in words: below half a percent, nothing.
START_TEST(costs_have_words) {
  static const struct {
    double without;
    const char *words;
  } costs[] = {
      {10000, "bank conflicts cost nothing here"},
      {9960, "bank conflicts cost nothing here"},
      {9800, "all bank conflicts together cost 2 % of the time"},
      {4000, "all bank conflicts together cost 60 % of the time"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(costs); i++) {
    SmbTime time = {.cycles = 10000, .without = costs[i].without, .has_conflicts = TRUE};
    g_autofree char *words = smb_launch_time_tell_cost(&(SmbLaunchTime){.time = &time});
    ck_assert_str_eq(words, costs[i].words);
  }
}
END_TEST

static guint
count_missing(SmbL1Cache *cache, guint64 line, guint8 sectors) {
  guint8 missing;
  smb_l1_cache_load(cache, line, sectors, &missing);
  return (guint)__builtin_popcount(missing);
}

// A set keeps the lines that were asked for last; a line is loaded by sectors.
START_TEST(first_level_cache) {
  SmbL1Cache *cache = smb_l1_cache_new(64 << 10);
  ck_assert_uint_eq(count_missing(cache, 5, 0x3), 2);
  ck_assert_uint_eq(count_missing(cache, 5, 0x6), 1);
  ck_assert_uint_eq(count_missing(cache, 5, 0x7), 0);
  guint again = 0;
  for (guint64 line = 100; line < 100 + 256; line++) // half of it
    count_missing(cache, line, 0xf);
  for (guint64 line = 100; line < 100 + 256; line++)
    again += count_missing(cache, line, 0xf);
  ck_assert_uint_lt(again, 256 * 4 / 4);
  again = 0;
  for (guint round = 0; round < 2; round++) {
    again = 0;
    for (guint64 line = 1000; line < 1000 + 4096; line++) // eight times as much
      again += count_missing(cache, line, 0xf);
  }
  ck_assert_uint_gt(again, 4096 * 4 * 9 / 10);
  smb_l1_cache_free(cache);
}
END_TEST

// Blocks take chunks from a queue until there are none: each takes its part of them, however many blocks there are.
START_TEST(a_queue_is_shared) {
  static const char file[] = "time/shared-work.sm_90.cubin";
  const char *chunks[] = {"2=16384", NULL}, *more[] = {"2=32768", NULL};
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  SmbLaunch launch = {.block = {128, 1, 1},
                      .grid = {132, 1, 1},
                      .arguments = chunks,
                      .buffers = buffers,
                      .skips_unknown = TRUE};
  g_autoptr(SmbTime) few = predict_launch(file, "queue", &launch, 0);
  launch.arguments = more;
  g_autoptr(SmbTime) twice = predict_launch(file, "queue", &launch, 0);
  ck_assert_double_eq_tol(
      (twice->cycles - chip->launch_cycles) / (few->cycles - chip->launch_cycles), 2, 0.1);
  launch.arguments = chunks;
  launch.grid[0] = 264;
  g_autoptr(SmbTime) halves = predict_launch(file, "queue", &launch, 0);
  ck_assert_double_lt(halves->cycles, 0.75 * few->cycles);
  // As many instructions for each chunk, however the blocks share them.
  ck_assert_double_eq_tol((double)(few->instructions * 132) / (double)(halves->instructions * 132),
                          1, 0.05);
}
END_TEST

// Where the warps of a block store, of a list whose places an atomic hands out.
START_TEST(places_of_a_list_are_plausible) {
  enum {
    AT_ONCE = 10,
    WARPS = 4
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbProgram) program = read_kernel("time/shared-work.sm_90.cubin", "list");
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  const SmbLaunch launch = {
      .block = {32 * WARPS, 1, 1}, .grid = {100, 1, 1}, .buffers = buffers, .skips_unknown = TRUE};
  g_autoptr(SmbBlockRecorder) recorder =
      smb_block_recorder_new(program, arch, &launch, AT_ONCE, 1 << 20, &error);
  g_autoptr(SmbBlockRecord) record = recorder ? smb_block_recorder_run(recorder, 7, &error) : NULL;
  ck_assert_msg(record != NULL, "%s", error ? error->message : "");
  guint64 before = 0;
  guint stores = 0;
  for (guint r = 0; r < record->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
    if (request->is_load || request->n == 0)
      continue;
    // One line, all of it: the counter begins with 0, and buffers at whole lines.
    ck_assert_uint_eq(request->n, 1);
    ck_assert_uint_eq(request->sectors, 4);
    guint64 line = g_array_index(record->lines, SmbTimedLine, request->first).line;
    ck_assert(stores == 0 || line == before + AT_ONCE);
    before = line;
    stores++;
  }
  ck_assert_uint_eq(stores, WARPS);
}
END_TEST

// Cycles that a kernel of tests/data/time/shared-work.cu takes longer with some rounds than without.
static double
predict_rounds(const char *entry, guint x, guint y) {
  static const char *const rounds[] = {"2=0", "2=20000"};
  double cycles[2];
  for (guint i = 0; i < 2; i++) {
    const char *arguments[] = {rounds[i], NULL};
    g_autoptr(GPtrArray) buffers = g_ptr_array_new();
    const SmbLaunch launch = {.block = {64, 1, 1},
                              .grid = {x, y, 1},
                              .arguments = arguments,
                              .buffers = buffers,
                              .skips_unknown = TRUE};
    g_autoptr(SmbTime) time = predict_launch("time/shared-work.sm_90.cubin", entry, &launch, 0);
    cycles[i] = time->cycles;
  }
  return cycles[1] - cycles[0];
}

// What the last block does takes as long as in a launch of one block, which is the last one: one of each column, or of all.
START_TEST(the_last_block_goes_on) {
  static const char *const entries[] = {"last", "last_of_all"};
  for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
    double alone = predict_rounds(entries[i], 1, 1);
    ck_assert_double_gt(alone, 20000 * 4);
    ck_assert_double_eq_tol(predict_rounds(entries[i], 8, 64) / alone, 1, 0.01);
    ck_assert_double_eq_tol(predict_rounds(entries[i], 300, 7) / alone, 1, 0.01);
  }
}
END_TEST

// Cycles of an H200 (Nsight Compute 2025.3, 2026-11-29). Before the rules for them these were predicted at 0.30 to 0.81.
static const struct {
  const char *entry;
  guint threads, blocks, rounds;
  double measured, tolerance;
} waits[] = {
    {"barriers", 32, 4224, 128, 37466, 0.11}, {"barriers", 64, 2112, 128, 27028, 0.11},
    {"fences", 1024, 132, 128, 20133, 0.11},  {"fences", 256, 264, 128, 11684, 0.11},
    {"local", 256, 528, 8, 178230, 0.23},     {"local", 256, 1056, 8, 522058, 0.23},
};

START_TEST(warps_wait) {
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  g_autofree char *rounds = g_strdup_printf("1=%u", waits[_i].rounds);
  const char *arguments[] = {rounds, g_str_equal(waits[_i].entry, "local") ? "2=3" : NULL, NULL};
  const SmbLaunch launch = {.block = {waits[_i].threads, 1, 1},
                            .grid = {waits[_i].blocks, 1, 1},
                            .arguments = arguments,
                            .buffers = buffers,
                            .skips_unknown = TRUE};
  g_autoptr(SmbTime) time =
      predict_launch("time/waits.sm_90.cubin", waits[_i].entry, &launch, 1970000);
  ck_assert_double_eq_tol(time->cycles / waits[_i].measured, 1, waits[_i].tolerance);
}
END_TEST

// Words that many threads change by compare-and-swap, loads whose lines come one after the other, and launches of which a few blocks have all the
// work. Cycles of an H200 (Nsight Compute 2025.3, 2026-11-30). Before the rules for them these were predicted at 0.02 to 0.73, and the
// last two at 1.16 and 1.97.
static const struct {
  const char *entry;
  guint threads, blocks;
  const char *arguments[3];
  double measured;
} shared_words[] = {
    {"swaps", 128, 4, {NULL}, 334565},
    {"swaps", 32, 132, {NULL}, 6952811},
    {"swaps", 1, 528, {NULL}, 285653},
    {"rows", 16, 128, {"2=2048"}, 360461},
    {"rows", 32, 64, {"2=2048"}, 452282},
    {"rows", 16, 16384, {"2=2048"}, 359790},
    {"parts", 256, 1, {"1=256", "2=1024"}, 528074},
    {"parts", 256, 1024, {"1=1024", "2=1024"}, 528292},
};

START_TEST(words_and_lines_are_waited_for) {
  static const char *const zeros[] = {"0=zeros", NULL};
  g_autoptr(GPtrArray) buffers = smb_buffers_parse(zeros, NULL);
  const SmbLaunch launch = {.block = {shared_words[_i].threads, 1, 1},
                            .grid = {shared_words[_i].blocks, 1, 1},
                            .arguments = shared_words[_i].arguments,
                            .buffers = buffers,
                            .skips_unknown = TRUE};
  g_autoptr(SmbTime) time =
      predict_launch("time/shared-words.sm_90.cubin", shared_words[_i].entry, &launch, 1980000);
  ck_assert_double_eq_tol(time->cycles / shared_words[_i].measured, 1, 0.19);
}
END_TEST

// Rows that are passed over several times. Cycles of an H200 (Nsight Compute 2025.3, 2026-12-01). Before the rules for them they were predicted at 0.61 to
// 1.02.
static const struct {
  const char *entry;
  guint threads, blocks;
  const char *argument;
  double measured;
} passes[] = {
    {"scaled", 32, 2048, "4=1024", 35409},     {"scaled", 128, 512, "4=1024", 32409},
    {"scaled", 256, 256, "4=1024", 32007},     {"scaled", 1024, 64, "4=1024", 32106},
    {"scaled", 256, 1056, "4=512", 25051},     {"in_place", 32, 2112, "2=1024", 34267},
    {"in_place", 32, 2112, "2=16384", 576881}, {"of_threads", 32, 64, "2=768", 339421},
    {"of_threads", 128, 16, "2=768", 502095},  {"of_threads", 256, 8, "2=768", 833906},
    {"of_threads", 128, 132, "2=256", 182221},
};

START_TEST(rows_are_passed_over_again) {
  if (is_left_out(_i, 3))
    return;
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  const char *arguments[] = {passes[_i].argument, NULL};
  const SmbLaunch launch = {.block = {passes[_i].threads, 1, 1},
                            .grid = {passes[_i].blocks, 1, 1},
                            .arguments = arguments,
                            .buffers = buffers,
                            .skips_unknown = TRUE};
  g_autoptr(SmbTime) time =
      predict_launch("time/passes.sm_90.cubin", passes[_i].entry, &launch, 1980000);
  ck_assert_double_eq_tol(time->cycles / passes[_i].measured, 1, 0.14);
}
END_TEST

// Products in tiles that blocks share, and for which they wait. Cycles of an H200 (Nsight Compute 2025.3, 2026-12-01), measured after they had been predicted. Before
// the rule for tiles along two dimensions of the grid they were predicted at 1.08 to 1.32.
static const struct {
  const char *entry;
  guint threads, side, size; // of the matrices: a block has side x side of their numbers
  double measured;
} tiles[] = {
    {"halves", 256, 128, 1024, 116338},       {"halves", 256, 128, 2048, 291740},
    {"halves_padded", 256, 128, 1024, 82025}, {"halves_padded", 256, 128, 2048, 175926},
    {"words", 64, 64, 1024, 364534},          {"words_padded", 64, 64, 1024, 321660},
};

START_TEST(tiles_are_shared) {
  if (is_left_out(_i, 3))
    return;
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  g_autofree char *n = g_strdup_printf("3=%u", tiles[_i].size);
  const char *arguments[] = {n, NULL};
  guint across = tiles[_i].size / tiles[_i].side;
  const SmbLaunch launch = {.block = {tiles[_i].threads, 1, 1},
                            .grid = {across, across, 1},
                            .arguments = arguments,
                            .buffers = buffers,
                            .skips_unknown = TRUE};
  g_autoptr(SmbTime) time =
      predict_launch("time/tiles.sm_90.cubin", tiles[_i].entry, &launch, 1980000);
  ck_assert_double_eq_tol(time->cycles / tiles[_i].measured, 1, 0.11);
}
END_TEST

// Grids of blocks that wait for their loads at barriers: fewer than are resident together, and more; DRAM writes little or nothing of what they store
// before they end. Cycles of an H200 (Nsight Compute 2025.3, 2026-11-29). Before the rules for them they were predicted at 0.69 to 1.16.
static const struct {
  guint blocks;
  double measured;
} grids[] = {{66, 71170}, {132, 38908}, {264, 25054}, {528, 24002}};

START_TEST(loads_come_at_different_times) {
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  const char *arguments[] = {"2=4194304", NULL};
  const SmbLaunch launch = {.block = {1024, 1, 1},
                            .grid = {grids[_i].blocks, 1, 1},
                            .dynamic_bytes = 64 << 10,
                            .arguments = arguments,
                            .buffers = buffers,
                            .skips_unknown = TRUE};
  g_autoptr(SmbTime) time = predict_launch("time/waits.sm_90.cubin", "staged", &launch, 0);
  ck_assert_double_eq_tol(time->cycles / grids[_i].measured, 1, 0.09);
}
END_TEST

// What a block loads that its neighbours have loaded DRAM does not load again.
START_TEST(edges_are_loaded_once) {
  g_autoptr(SmbTime) time = predict("time/stores.sm_90.cubin", "window", 128, 1 << 16, 0);
  ck_assert_double_eq(time->footprint.loaded, 0.25);
  g_autoptr(SmbTime) other = predict("time/shared-work.sm_90.cubin", "list", 128, 1 << 16, 0);
  ck_assert_double_eq(other->footprint.loaded, 1);
}
END_TEST

// Lines of code come one by one to the cache next to the sub-partitions, where they make room for others. Beyond those of the beginning they come later.
START_TEST(code_is_fetched) {
  const guint64 first = (guint64)chip->code_first, near = (guint64)chip->code_near,
                all = (guint64)chip->code_bytes;
  const double line = chip->code_first_line;
  SmbCodeFetch *code = smb_code_fetch_new(chip, 4 * all);
  for (guint64 at = 0; at < first; at += 128)
    ck_assert_double_eq_tol(smb_code_fetch_ask(code, at, 0), line * (double)(at / 128 + 1), 1e-6);
  ck_assert_double_eq_tol(smb_code_fetch_ask(code, 0, 1e5), 1e5, 1e-6);
  for (guint64 at = first; at < near; at += 128)
    smb_code_fetch_ask(code, at, 1e5);
  double then = 1e5 + line * (double)(near / 128);
  ck_assert_double_eq_tol(smb_code_fetch_ask(code, 0, then), then,
                          1e-6); // the way is free: it comes before it is needed
  ck_assert_double_eq_tol(smb_code_fetch_ask(code, 128, then), then + line, 1e-6);
  ck_assert_double_eq_tol(smb_code_fetch_ask(code, near, 1e6), 1e6 + chip->code_line, 1e-6);
  ck_assert_double_eq_tol(smb_code_fetch_ask(code, near + 128, 1e6), 1e6 + 2 * chip->code_line,
                          1e-6);
  ck_assert_double_eq_tol(smb_code_fetch_ask(code, near + 64, 1e6 + 10), 1e6 + chip->code_line,
                          1e-6);
  for (guint64 at = near + 256; at < all + 256; at += 128)
    smb_code_fetch_ask(code, at, 1e6);
  ck_assert_double_eq_tol(smb_code_fetch_ask(code, 512, 1e9), 1e9, 1e-6);
  ck_assert_double_eq_tol(smb_code_fetch_ask(code, 128, 2e9), 2e9 + chip->code_again, 1e-6);
  smb_code_fetch_free(code);
}
END_TEST

// A block that polls by atomics does not wait for ever, nor does its prediction.
START_TEST(polls_end) {
  g_autoptr(SmbTime) time = predict("time/shared-work.sm_90.cubin", "poll", 64, 264, 0);
  ck_assert_double_gt(time->cycles, chip->launch_cycles);
  ck_assert_uint_lt(time->instructions, 10000);
}
END_TEST

Suite *
suite_time(void) {
  Suite *suite = suite_create("time");
  TCase *tcase = tcase_create("time");
  tcase_add_unchecked_fixture(tcase, set_up, tear_down);
  tcase_add_loop_test(tcase, shares_are_shares, 0, G_N_ELEMENTS(kernels));
  tcase_add_loop_test(tcase, more_blocks_take_longer, 0, G_N_ELEMENTS(kernels));
  tcase_add_loop_test(tcase, is_the_same_every_time, 0, G_N_ELEMENTS(kernels));
  tcase_add_loop_test(tcase, a_lower_clock_takes_longer, 0, G_N_ELEMENTS(kernels));
  tcase_add_test(tcase, a_prediction_can_be_interrupted);
  tcase_add_test(tcase, costs_have_words);
  tcase_add_test(tcase, first_level_cache);
  tcase_add_test(tcase, a_queue_is_shared);
  tcase_add_test(tcase, places_of_a_list_are_plausible);
  tcase_add_test(tcase, polls_end);
  tcase_add_loop_test(tcase, rows_are_passed_over_again, 0, G_N_ELEMENTS(passes));
  tcase_add_loop_test(tcase, tiles_are_shared, 0, G_N_ELEMENTS(tiles));
  tcase_add_test(tcase, the_last_block_goes_on);
  tcase_add_loop_test(tcase, warps_wait, 0, G_N_ELEMENTS(waits));
  tcase_add_loop_test(tcase, words_and_lines_are_waited_for, 0, G_N_ELEMENTS(shared_words));
  tcase_add_loop_test(tcase, loads_come_at_different_times, 0, G_N_ELEMENTS(grids));
  tcase_add_test(tcase, code_is_fetched);
  tcase_add_test(tcase, edges_are_loaded_once);
  suite_add_tcase(suite, tcase);
  return suite;
}
