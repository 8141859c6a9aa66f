// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What instructions say of their time, as ptxas wrote it. Cubins of tests/data are asked for what must hold of any schedule: whoever
// reads what a load of shared memory finds has waited for its scoreboard, a store's register is written again only after it was read, and
// what is not in doubt takes no scoreboard.
#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/program/inside.h"
#include "sim/program/timing.h"
#include "tests/sass-data.h"
#include "tests/suite.h"

typedef struct {
  SmbProgram *program;
  GPtrArray *code; // SmbCodeLine
} Kernel;

static Kernel
read_kernel(const char *file, const char *entry) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path = g_build_filename(folder ? folder : ".", "tests/data", file, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_load_any(path, &error);
  ck_assert_msg(source != NULL, "%s", error ? error->message : path);
  const SmbProgramOptions options = {.entry = entry, .cuda_arch = 900};
  SmbProgram *program = smb_program_read(source, &options, &error);
  ck_assert_msg(program != NULL, "%s: %s", file, error ? error->message : "");
  return (Kernel){program, smb_program_instructions(program)};
}

static void
kernel_clear(Kernel *kernel) {
  g_ptr_array_unref(kernel->code);
  smb_program_free(kernel->program);
}

static const char *
text_at(const Kernel *kernel, guint i) {
  return ((const SmbCodeLine *)g_ptr_array_index(kernel->code, i))->text;
}

static const SmbTiming *
timing_at(const Kernel *kernel, guint i) {
  const SmbCodeLine *line = g_ptr_array_index(kernel->code, i);
  return &g_array_index(kernel->program->timings, SmbTiming, line->pc / SMB_TIMING_BYTES);
}

// Whether a register is among the operands behind the first.
static gboolean
reads_register(const char *text, guint number) {
  g_autofree char *name = g_strdup_printf("R%u", number);
  const char *at = strchr(text, ',');
  while (at && (at = strstr(at + 1, name)) != NULL) {
    char before = at[-1], behind = at[strlen(name)];
    if (!g_ascii_isalnum(before) && !g_ascii_isdigit(behind))
      return TRUE;
  }
  return FALSE;
}

static gboolean
leaves_block(const char *text) {
  static const char *const words[] = {"BRA", "EXIT", "RET", "CALL", "BSYNC", "BRX", "WARPSYNC"};
  for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
    if (strstr(text, words[i]))
      return TRUE;
  }
  return FALSE;
}

// The register that "LDS.64 R4, [R2]" loads; FALSE: it is none.
static gboolean
parse_load(const char *text, guint *number) {
  const char *at = strstr(text, "LDS");
  if (!at || strncmp(at, "LDSM", 4) == 0 || *text == '@')
    return FALSE;
  at = strchr(at, ' ');
  if (!at || at[1] != 'R' || !g_ascii_isdigit(at[2]))
    return FALSE;
  *number = (guint)g_ascii_strtoull(at + 2, NULL, 10);
  return TRUE;
}

// The scoreboard that says when a load has ended: its own, or, as loads of shared memory end in order, that of the next one that has one.
static guint
find_board(const Kernel *kernel, guint i) {
  for (; i < kernel->code->len && !leaves_block(text_at(kernel, i)); i++) {
    const SmbTiming *timing = timing_at(kernel, i);
    if (timing->rate == SMB_RATE_SHARED && timing->write_board < SMB_N_BOARDS)
      return timing->write_board;
  }
  return SMB_NO_BOARD;
}

// Loads of a kernel whose first reader in the same block waits for them, and how many there are.
static void
count_waited(const Kernel *kernel, guint *loads, guint *waited) {
  for (guint i = 0; i < kernel->code->len; i++) {
    guint number, mask = 0;
    if (!parse_load(text_at(kernel, i), &number))
      continue;
    guint board = find_board(kernel, i);
    for (guint j = i + 1; j < kernel->code->len && !leaves_block(text_at(kernel, j)); j++) {
      mask |= timing_at(kernel, j)->waits;
      if (!reads_register(text_at(kernel, j), number))
        continue;
      ck_assert_uint_lt(board, SMB_N_BOARDS);
      ++*loads;
      *waited += mask >> board & 1;
      break;
    }
  }
}

static const struct {
  const char *file, *entry;
} kernels[] = {
    {"sass/wide.sm_90.cubin", "corner"},     {"sass/code.sm_90.cubin", "changes"},
    {"sass/code.sm_90.cubin", "divides"},    {"sass/inlined.sm_90.cubin", "inlined"},
    {"memory/memory.sm_90.cubin", "stages"}, {"resident/grid.sm_90.cubin", "ahead"},
};

START_TEST(readers_of_loads_wait) {
  guint loads = 0, waited = 0;
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
    Kernel kernel = read_kernel(kernels[i].file, kernels[i].entry);
    count_waited(&kernel, &loads, &waited);
    kernel_clear(&kernel);
  }
  ck_assert_uint_gt(loads, 10);
  ck_assert_uint_eq(waited, loads);
}
END_TEST

// What ptxas knows the latency of opens no scoreboard for its result; what it does not know, and has a result, does.
START_TEST(scoreboards_are_of_unknown_latencies) {
  guint fixed = 0, open = 0;
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
    Kernel kernel = read_kernel(kernels[i].file, kernels[i].entry);
    for (guint n = 0; n < kernel.code->len; n++) {
      const SmbTiming *timing = timing_at(&kernel, n);
      const char *text = text_at(&kernel, n);
      if (timing->rate == SMB_RATE_FLOAT || timing->rate == SMB_RATE_LOGIC ||
          timing->rate == SMB_RATE_MULTIPLY) {
        ck_assert_msg(timing->write_board == SMB_NO_BOARD, "%s", text);
        ck_assert_msg(timing->stall > 0, "%s", text);
        fixed++;
      }
      if (timing->rate == SMB_RATE_SPECIAL || timing->rate == SMB_RATE_SYSTEM) {
        ck_assert_msg(timing->write_board < SMB_N_BOARDS, "%s", text);
        open++;
      }
    }
    kernel_clear(&kernel);
  }
  ck_assert_uint_gt(fixed, 50);
  ck_assert_uint_gt(open, 3);
}
END_TEST

// Bits of real instructions, read by hand: the high word of "MOV R1, c[0x0][0x28]" that begins kernels, and of loads and stores.
START_TEST(bits_are_read) {
  static const struct {
    guint64 low, high;
    SmbTiming timing;
  } cases[] = {
      // MOV R1, c[0x0][0x28]
      {0x00000a0000017a02,
       0x000fc40000000f00,
       {.rate = SMB_RATE_LOGIC,
        .stall = 2,
        .write_board = 7,
        .read_board = 7,
        .sends = 1,
        .writes = 2,
        .turns = 1}},
      // LDS R0, [R2]: two cycles, scoreboard 0, after scoreboard 1 is closed
      {0x0000000002007984,
       0x002e240000000800,
       {.rate = SMB_RATE_SHARED,
        .stall = 2,
        .write_board = 0,
        .read_board = 7,
        .waits = 2,
        .sends = 1,
        .writes = 1,
        .turns = 1}},
      // LDS.64 R16, [UR4], and LDS.128 R12, [UR7]: registers of both banks
      {0x00000004ff107984,
       0x000fe80008000a00,
       {.rate = SMB_RATE_SHARED,
        .stall = 4,
        .write_board = 7,
        .read_board = 7,
        .sends = 1,
        .writes = 3,
        .turns = 1}},
      {0x00000007ff0c7984,
       0x000e280008000c00,
       {.rate = SMB_RATE_SHARED,
        .stall = 4,
        .write_board = 0,
        .read_board = 7,
        .sends = 1,
        .writes = 3,
        .turns = 2}},
      // STS.128 [R0], R4: it has no result
      {0x0000000400007388,
       0x000fe80000000c00,
       {.rate = SMB_RATE_SHARED, .stall = 4, .write_board = 7, .read_board = 7, .sends = 5}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    SassKernel kernel = sass_kernel_open(90);
    guint64 words[2] = {GUINT64_TO_LE(cases[i].low), GUINT64_TO_LE(cases[i].high)};
    g_autoptr(GError) error = NULL;
    SmbProgram *program = sass_kernel_read(&kernel, (const guint8 *)words, &error);
    ck_assert_msg(program != NULL, "%s", error ? error->message : "");
    const SmbTiming *found =
        &g_array_index(program->timings, SmbTiming, SASS_PLACE / SMB_TIMING_BYTES);
    const SmbTiming *wanted = &cases[i].timing;
    ck_assert_uint_eq(found->rate, wanted->rate);
    ck_assert_uint_eq(found->stall, wanted->stall);
    ck_assert_uint_eq(found->write_board, wanted->write_board);
    ck_assert_uint_eq(found->read_board, wanted->read_board);
    ck_assert_uint_eq(found->waits, wanted->waits);
    ck_assert_uint_eq(found->sends, wanted->sends);
    ck_assert_uint_eq(found->writes, wanted->writes);
    ck_assert_uint_eq(found->turns, wanted->turns);
    smb_program_free(program);
    sass_kernel_clear(&kernel);
  }
}
END_TEST

Suite *
suite_timing(void) {
  Suite *suite = suite_create("timing");
  TCase *tcase = tcase_create("timing");
  tcase_add_test(tcase, readers_of_loads_wait);
  tcase_add_test(tcase, scoreboards_are_of_unknown_latencies);
  tcase_add_test(tcase, bits_are_read);
  suite_add_tcase(suite, tcase);
  return suite;
}
