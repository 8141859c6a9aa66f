// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is recalled is what is counted: requests at random, each followed by others that are it moved as a whole, or all but
// it, of a site that repeats itself and of one that never does.
#include "sim/count/recall.h"

#include <check.h>
#include <string.h>

#include "sim/count/instruction-counter.h"
#include "tests/random-request.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 150, // for each architecture
  N_FOLLOWERS = 12,
};

static SmbRandom variations;

static guint
choose(guint n) {
  return (guint)smb_random_below(&variations, n);
}

// The request moved as a whole, by rows or by some bytes; or with one lane moved, or gone.
static void
vary(const SmbRequest *request, SmbRequest *varied) {
  guint kind = choose(5), lane = choose(SMB_MAX_LANES);
  guint32 distance = kind == 0 ? 32 * choose(64) : kind == 1 ? request->width * choose(256) : 0;
  *varied = *request;
  for (guint i = 0; i < SMB_MAX_LANES; i++)
    varied->offset[i] += distance;
  if (kind == 2)
    varied->offset[lane] += 1024;
  else if (kind == 3)
    varied->offset[lane] += request->width;
  else if (kind == 4)
    varied->mask &= ~(G_GUINT64_CONSTANT(1) << lane);
}

static void
check_costs(const SmbArch *arch, SmbCounter counter, gboolean by_instruction,
            const SmbRequest *request, const SmbCosts *costs) {
  SmbWavefronts pipe = smb_wavefronts_count(arch, request);
  SmbWavefronts counted =
      by_instruction ? smb_wavefronts_by_instruction(arch, request, &pipe) : pipe;
  if (memcmp(&costs->pipe, &pipe, sizeof pipe) == 0 &&
      memcmp(&costs->counted, &counted, sizeof counted) == 0)
    return;
  g_autofree char *line = format_request(request);
  ck_abort_msg("%s, %s: %s: recalled %u and %u wavefronts, counted %u and %u",
               smb_arch_info(arch)->name, smb_counter_name(counter), line, costs->pipe.wavefronts,
               costs->counted.wavefronts, pipe.wavefronts, counted.wavefronts);
}

// A request and its followers, of site 0, and the same in between of site 64, which shares its memory: so that now and
// then it is patient, and now and then not.
static void
check_request(const SmbArch *arch, const SmbRequest *request) {
  for (guint counter = 0; counter < SMB_N_COUNTERS; counter++) {
    if (!smb_counter_available((SmbCounter)counter))
      continue;
    gboolean by_instruction = choose(2) == 1;
    g_autoptr(SmbRecall) recall = smb_recall_new(arch, (SmbCounter)counter, by_instruction);
    guint n_strange = choose(8) / 7 * choose(300);
    for (guint i = 0; i < n_strange + N_FOLLOWERS; i++) {
      SmbRequest varied;
      vary(request, &varied);
      if (i < n_strange)
        varied.offset[smb_lanes_first(request->mask | 1)] += 4096 * i;
      check_costs(arch, (SmbCounter)counter, by_instruction, &varied,
                  smb_recall_count(recall, i % 2 * 64, &varied));
    }
  }
}

START_TEST(test_random) {
  variations = smb_random_new(7);
  check_random_requests(2027, N_REQUESTS, check_request);
}
END_TEST

Suite *
suite_recall(void) {
  Suite *suite = suite_create("recall");
  TCase *tests = tcase_create("random");
  tcase_add_test(tests, test_random);
  suite_add_tcase(suite, tests);
  return suite;
}
