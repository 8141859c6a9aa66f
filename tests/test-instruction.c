// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What profilers count per instruction: as Nsight Compute counted it, and in agreement with the pipe where there are no
// rules of its own.
#include "sim/count/instruction-counter.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/count/wavefront.h"
#include "tests/random-request.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 500, // for each architecture
};

// A line of tests/data/instructions.txt. Returns FALSE for one that is no request.
static gboolean
read_request(const char *line, SmbRequest *request, guint *wavefronts, guint *ideal) {
  char op[16], units[2 * SMB_NVIDIA_LANES + 1];
  guint width;
  guint64 mask;
  if (sscanf(line, "%15s %u %" G_GINT64_MODIFIER "x %64s %u %u", op, &width, &mask, units,
             wavefronts, ideal) != 6)
    return FALSE;
  SmbOp parsed;
  ck_assert(smb_op_parse(op, strlen(op), &parsed));
  *request = (SmbRequest){.mask = mask, .op = (guint8)parsed, .width = (guint8)width};
  const char *at = units;
  for (SmbLanes lanes = mask; lanes; lanes &= lanes - 1, at += 2) {
    guint unit = (guint)(g_ascii_xdigit_value(at[0]) << 4 | g_ascii_xdigit_value(at[1]));
    request->offset[smb_lanes_first(lanes)] = unit * width;
  }
  return TRUE;
}

// All requests that were recorded; and all of a launch together by the pipe's own counter, where that was read.
START_TEST(test_recorded) {
  enum {
    REQUESTS = 7676,
    LAUNCHES = 6,
  };
  const char *folder = g_getenv("srcdir");
  g_autofree char *path =
      g_build_filename(folder ? folder : ".", "tests", "data", "instructions.txt", NULL);
  g_autofree char *text = NULL;
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  guint n = 0, n_launches = 0;
  guint64 sum = 0;
  for (guint i = 0; lines[i]; i++) {
    SmbRequest request;
    guint wavefronts, ideal, taken;
    if (read_request(lines[i], &request, &wavefronts, &ideal)) {
      SmbWavefronts pipe = smb_wavefronts_count(arch, &request);
      SmbWavefronts count = smb_wavefronts_by_instruction(arch, &request, &pipe);
      ck_assert_msg(count.wavefronts == wavefronts, "line %u: %u, counted %u", i + 1,
                    count.wavefronts, wavefronts);
      ck_assert_uint_eq(smb_wavefronts_view_ideal(arch, &request, wavefronts), ideal);
      sum += pipe.wavefronts;
      n++;
    } else if (sscanf(lines[i], "pipe %u", &taken) == 1) {
      ck_assert_uint_eq(sum, taken);
      n_launches++;
      sum = 0;
    } else if (strstr(lines[i], "of here on")) {
      sum = 0;
    }
  }
  ck_assert_uint_eq(n, REQUESTS);
  ck_assert_uint_eq(n_launches, LAUNCHES);
}
END_TEST

static gboolean
has_rules(const SmbRequest *request) {
  return (request->op == SMB_OP_LD || request->op == SMB_OP_LD_GENERIC) && request->width >= 8;
}

static void
check_request(const SmbArch *arch, const SmbRequest *request) {
  SmbWavefronts pipe = smb_wavefronts_count(arch, request);
  SmbWavefronts count = smb_wavefronts_by_instruction(arch, request, &pipe);
  ck_assert(count.cycles == pipe.cycles);
  ck_assert(count.excess == count.wavefronts - count.ideal);
  ck_assert(count.ideal <= count.wavefronts);
  ck_assert((count.degree > 0) == (request->mask != 0));
  if (has_rules(request) && smb_arch_info(arch)->counts_instructions_apart)
    ck_assert(count.excess == 0 || count.degree > 1);
  else
    ck_assert(memcmp(&count, &pipe, sizeof pipe) == 0);
}

START_TEST(test_random) {
  check_random_requests(2026, N_REQUESTS, check_request);
}
END_TEST

// Lanes 0 and 16 ask for one address: the pipe serves each half, the counter has one wavefront. Pairs that merge, two
// of them in one place of the banks: the pipe serves a half at once, in two passes; the counter has its quarters.
START_TEST(test_examples) {
  static const struct {
    guint32 mask, offset[4]; // of pairs of lanes: 0 and 1, 2 and 3, then the same again
    SmbWavefronts pipe, count;
  } cases[] = {
      {0x00010001, {0}, {2, 2, 0, 1, 2}, {1, 1, 0, 1, 2}},
      {0xffffffff, {0, 128, 16, 32}, {4, 2, 2, 2, 4}, {8, 2, 6, 2, 4}},
  };
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    SmbRequest request = {.mask = cases[i].mask, .op = SMB_OP_LD, .width = 16};
    for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
      request.offset[lane] = cases[i].offset[lane / 2 % 4];
    SmbWavefronts pipe = smb_wavefronts_count(arch, &request);
    SmbWavefronts count = smb_wavefronts_by_instruction(arch, &request, &pipe);
    ck_assert_mem_eq(&pipe, &cases[i].pipe, sizeof pipe);
    ck_assert_mem_eq(&count, &cases[i].count, sizeof count);
  }
}
END_TEST

Suite *
suite_instruction(void) {
  Suite *suite = suite_create("instruction");
  TCase *tests = tcase_create("counter");
  tcase_add_test(tests, test_recorded);
  tcase_add_test(tests, test_random);
  tcase_add_test(tests, test_examples);
  suite_add_tcase(suite, tests);
  return suite;
}
