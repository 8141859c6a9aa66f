// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Stores, and the lines in which they wait for others: how long launches take that do little else, and which lines leave when.
#include <check.h>

#include "sim/arch/arch.h"
#include "sim/time/replay/store-buffer.h"
#include "sim/time/time.h"
#include "tests/effort.h"
#include "tests/suite.h"

// Cycles of an H200: of stores.cu (Nsight Compute 2025.3, 2026-11-28) with 16 MB that were in its second-level cache; of store-mix.cu (2026-12-01) some of those that
// doc/time-evidence.md has, where it says which are further off. Of six words 3.0 of six stores are sent, and 3.6 here.
static const struct {
  const char *file, *entry, *argument;
  guint threads, blocks;
  double measured, tolerance;
} launches[] = {
    {"stores", "nothing", "1=4194304", 32, 8448, 12764, 0.13},
    {"stores", "nothing", "1=4194304", 32, 131072, 158821, 0.13},
    {"stores", "nothing", "1=4194304", 256, 131072, 158771, 0.13},
    {"stores", "words_2_of_2", "1=2097152", 256, 8192, 13435, 0.13},
    {"stores", "words_3_of_3", "1=1398101", 256, 5462, 11625, 0.13},
    {"stores", "words_5_of_5", "1=838860", 256, 3277, 24110, 0.13},
    {"stores", "words_6_of_6", "1=699050", 256, 2731, 31115, 0.25},
    {"stores", "words_8_of_8", "1=524288", 256, 2048, 78960, 0.13},
    {"stores", "words_8_of_16", "1=262144", 256, 1024, 51869, 0.13},
    {"stores", "words_32_of_32", "1=131072", 256, 512, 127486, 0.13},
    {"store-mix", "in_turns_3", "2=128", 256, 132, 28854, 0.18},
    {"store-mix", "in_turns_3", "2=128", 768, 132, 708576, 0.18},
    {"store-mix", "in_turns_4", "2=128", 256, 132, 44095, 0.18},
    {"store-mix", "in_turns_4", "2=128", 512, 132, 561781, 0.18},
    {"store-mix", "in_turns_6", "2=128", 512, 132, 929742, 0.18},
    {"store-mix", "in_turns_8", "2=128", 128, 132, 345577, 0.18},
    {"store-mix", "beside_1_0_3", "2=256", 512, 264, 682268, 0.18},
    {"store-mix", "beside_1_0_6", "2=256", 512, 264, 894596, 0.18},
    {"store-mix", "beside_2_0_5", "2=256", 512, 264, 1282245, 0.18},
    {"store-mix", "quarters_end", "2=1", 256, 16384, 137154, 0.18},
    {"store-mix", "quarters_meet", "2=1", 256, 16384, 97724, 0.18},
};

static SmbProgram *
read_kernel(const char *name, const char *entry) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path =
      g_strdup_printf("%s/tests/data/time/%s.sm_90.cubin", folder ? folder : ".", name);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_load_any(path, &error);
  const SmbProgramOptions reading = {.entry = entry, .cuda_arch = 900, .lanes = 32};
  SmbProgram *program = source ? smb_program_read(source, &reading, &error) : NULL;
  ck_assert_msg(program != NULL, "%s: %s", path, error ? error->message : "");
  return program;
}

START_TEST(stores_take_as_long) {
  if (is_left_out(_i, 3))
    return;
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbChip) chip = smb_chip_load("h200", arch, NULL);
  g_autoptr(SmbProgram) program = read_kernel(launches[_i].file, launches[_i].entry);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  const char *arguments[] = {launches[_i].argument, NULL};
  const SmbLaunch launch = {.block = {launches[_i].threads, 1, 1},
                            .grid = {launches[_i].blocks, 1, 1},
                            .arguments = arguments,
                            .buffers = buffers,
                            .skips_unknown = TRUE};
  const SmbTimeOptions options = {.sites = TRUE};
  g_autoptr(GError) error = NULL;
  g_autofree char *why = NULL;
  g_autoptr(SmbTime) time = smb_time_predict(program, arch, &launch, chip, &options, &why, &error);
  ck_assert_msg(time != NULL, "%s", why ? why : error->message);
  ck_assert_double_eq_tol(time->cycles / launches[_i].measured, 1, launches[_i].tolerance);
}
END_TEST

static SmbStoreLine
store_words(SmbStoreBuffer *buffer, guint64 tag, guint32 words, guint8 sectors, guint place) {
  const SmbStoreLine stored = {
      .tag = tag, .warps = 1ULL << place, .words = words, .sectors = sectors};
  return smb_store_buffer_put(buffer, 4, stored);
}

// Parts of a line that come one after the other leave as one.
START_TEST(store_buffer) {
  SmbStoreBuffer buffer = {0};
  for (guint word = 0; word < 8; word++) {
    for (guint64 tag = 1; tag <= 4; tag++)
      ck_assert_uint_eq(store_words(&buffer, tag, 1u << word, 1, 0).tag, 0);
  }
  SmbStoreLine sent = store_words(&buffer, 9, 1, 1, 0);
  ck_assert_uint_eq(sent.tag, 1);
  ck_assert_uint_eq(smb_store_line_partial(&sent), 0);
  for (guint64 tag = 2; tag <= 5; tag++)
    sent = store_words(&buffer, 10 * tag, 0x100, 3, 0);
  ck_assert_uint_eq(sent.tag, 9);
  ck_assert_uint_eq(smb_store_line_partial(&sent), 1);
}
END_TEST

// Lines leave that are whole, or that a warp which ends has stored to; the others stay.
START_TEST(lines_leave_early) {
  SmbStoreBuffer buffer = {0};
  store_words(&buffer, 1, 0xffff, 3, 5);
  store_words(&buffer, 2, 1, 1, 6);
  store_words(&buffer, 1, 0xffff0000, 0xc, 6);
  store_words(&buffer, 3, 1, 1, 7);
  ck_assert_uint_eq(smb_store_buffer_take_whole(&buffer).tag, 1);
  ck_assert_uint_eq(smb_store_buffer_take_whole(&buffer).tag, 0);
  store_words(&buffer, 3, 2, 1, 63);
  ck_assert_uint_eq(smb_store_buffer_end(&buffer, 5).tag, 0);
  ck_assert_uint_eq(smb_store_buffer_end(&buffer, 63).tag, 3);
  ck_assert_uint_eq(smb_store_buffer_end(&buffer, 6).tag, 2);
  for (guint place = 0; place < 64; place++)
    ck_assert_uint_eq(smb_store_buffer_end(&buffer, place).tag, 0);
}
END_TEST

Suite *
suite_store_path(void) {
  Suite *suite = suite_create("store-path");
  TCase *tcase = tcase_create("store-path");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, stores_take_as_long, 0, G_N_ELEMENTS(launches));
  tcase_add_test(tcase, store_buffer);
  tcase_add_test(tcase, lines_leave_early);
  suite_add_tcase(suite, tcase);
  return suite;
}
