// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The counters: against what an H200 was measured to do, against cases counted by hand, and each
// implementation against the oracle on random requests.
#include "sim/count/wavefront.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/arch/rule.h"
#include "sim/base/data.h"
#include "sim/count/copy.h"
#include "sim/count/passes.h"
#include "tests/effort.h"
#include "tests/oracle.h"
#include "tests/random-arch.h"
#include "tests/random-request.h"
#include "tests/suite.h"

enum {
  CHUNK = 512, // requests counted by one call
  RANDOM_REQUESTS = 2000000,
  MADE_UP_ARCHS = 300,
  MADE_UP_REQUESTS = 300,
};

static SmbArch *
load(const char *name) {
  g_autoptr(GError) error = NULL;
  SmbArch *arch = smb_arch_load(name, &error);
  ck_assert_msg(arch != NULL, "%s", error ? error->message : "");
  return arch;
}

static gboolean
are_equal(const SmbWavefronts *a, const SmbWavefronts *b) {
  return a->wavefronts == b->wavefronts && a->ideal == b->ideal && a->excess == b->excess &&
         a->degree == b->degree && a->cycles == b->cycles;
}

static void
check_equal(const char *what, const SmbRequest *request, SmbWavefronts got, SmbWavefronts want) {
  if (are_equal(&got, &want))
    return;
  g_autofree char *line = format_request(request);
  ck_abort_msg(
      "%s: %s: wavefronts %u ideal %u excess %u degree %u cycles %u, expected %u %u %u %u %u", what,
      line, got.wavefronts, got.ideal, got.excess, got.degree, got.cycles, want.wavefronts,
      want.ideal, want.excess, want.degree, want.cycles);
}

// Checks every way to count one request.
static void
check_request(const char *what, const SmbArch *arch, const SmbRequest *request,
              SmbWavefronts want) {
  check_equal(what, request, smb_wavefronts_count(arch, request), want);
  for (guint counter = 0; counter < SMB_N_COUNTERS; counter++) {
    SmbWavefronts got;
    if (!smb_counter_available((SmbCounter)counter))
      continue;
    smb_wavefronts_count_span(arch, (SmbCounter)counter, request, 1, &got);
    check_equal(smb_counter_name((SmbCounter)counter), request, got, want);
  }
}

// A line of data/measured/h200-requests.txt: OP WIDTH MASK OFF0 … OFF31 = WAVEFRONTS
static guint
parse_recorded(const char *line, SmbRequest *request) {
  g_auto(GStrv) words = g_strsplit(line, " ", -1);
  SmbOp op;
  ck_assert_uint_eq(g_strv_length(words), 37);
  ck_assert(smb_op_parse(words[0], strlen(words[0]), &op));
  request->op = (guint8)op;
  request->width = (guint8)strtoul(words[1], NULL, 10);
  request->mask = (guint32)strtoul(words[2], NULL, 16);
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request->offset[lane] = (guint32)strtoul(words[3 + lane], NULL, 0);
  ck_assert_str_eq(words[35], "=");
  return (guint)strtoul(words[36], NULL, 10);
}

START_TEST(test_recorded) {
  g_autoptr(SmbArch) arch = load("sm_90");
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = smb_data_load("measured/h200-requests.txt", &error);
  ck_assert_msg(bytes != NULL, "%s", error ? error->message : "");
  g_auto(GStrv) lines = g_strsplit(g_bytes_get_data(bytes, NULL), "\n", -1);
  const Oracle *oracle = oracle_find("sm_90");
  guint compared = 0;

  for (guint i = 0; lines[i]; i++) {
    SmbRequest request;
    if (lines[i][0] == '#' || lines[i][0] == '\0')
      continue;
    guint measured = parse_recorded(lines[i], &request);
    ck_assert_msg(smb_request_check(&request, &error), "%s", error ? error->message : "");
    ck_assert_uint_eq(smb_wavefronts_count(arch, &request).wavefronts, measured);
    check_request("recorded", arch, &request, oracle_count(oracle, &request));
    compared++;
  }
  ck_assert_uint_gt(compared, 0);
}
END_TEST

// One case counted by hand: lane i asks for base + (i / div % mod) * stride bytes.
typedef struct {
  const char *what;
  const char *arch;
  SmbOp op;
  guint width;
  guint32 mask;
  guint div;
  guint mod;
  guint32 stride;
  SmbWavefronts want; // wavefronts, ideal, excess, degree, cycles
} Case;

#define ALL 0xffffffffu
static const Case cases[] = {
    {"unit stride", "sm_90", SMB_OP_LD, 4, ALL, 1, 32, 4, {1, 1, 0, 1, 1}},
    {"stride of two words", "sm_90", SMB_OP_LD, 4, ALL, 1, 32, 8, {2, 1, 1, 2, 2}},
    {"stride of three words", "sm_90", SMB_OP_LD, 4, ALL, 1, 32, 12, {1, 1, 0, 1, 1}},
    {"column of 32", "sm_90", SMB_OP_LD, 4, ALL, 1, 32, 128, {32, 1, 31, 32, 32}},
    {"padded column", "sm_90", SMB_OP_ST, 4, ALL, 1, 32, 132, {1, 1, 0, 1, 1}},
    {"half a column", "sm_90", SMB_OP_LD, 4, 0xffff, 1, 32, 128, {16, 1, 15, 16, 16}},
    {"broadcast", "sm_90", SMB_OP_LD, 4, ALL, 1, 1, 4, {1, 1, 0, 1, 1}},
    {"store to one word", "sm_90", SMB_OP_ST, 4, ALL, 1, 1, 4, {1, 1, 0, 1, 1}},
    {"bytes of eight words", "sm_90", SMB_OP_LD, 1, ALL, 1, 32, 1, {1, 1, 0, 1, 1}},
    {"bytes, stride of 64", "sm_90", SMB_OP_LD, 1, ALL, 1, 32, 64, {16, 1, 15, 16, 16}},
    {"empty mask", "sm_90", SMB_OP_LD, 4, 0, 1, 32, 128, {0, 0, 0, 0, 0}},
    {"empty mask, wide", "sm_90", SMB_OP_ST, 16, 0, 1, 32, 16, {0, 0, 0, 0, 0}},
    {"no row address", "sm_90", SMB_OP_LDMATRIX_X1, 16, 0xffffff00u, 1, 32, 16, {0, 0, 0, 0, 0}},
    {"float2", "sm_90", SMB_OP_LD, 8, ALL, 1, 32, 8, {2, 2, 0, 1, 2}},
    {"float2 pairs", "sm_90", SMB_OP_LD, 8, ALL, 2, 32, 8, {1, 1, 0, 1, 1}},
    {"float2 pairs stored", "sm_90", SMB_OP_ST, 8, ALL, 2, 32, 8, {2, 2, 0, 1, 2}},
    {"float2 in one half", "sm_90", SMB_OP_LD, 8, 0xffff, 1, 32, 8, {1, 1, 0, 1, 2}},
    {"alternate float2 lanes", "sm_90", SMB_OP_LD, 8, 0x55555555, 1, 32, 8, {2, 1, 1, 2, 2}},
    {"float4", "sm_90", SMB_OP_LD, 16, ALL, 1, 32, 16, {4, 4, 0, 1, 4}},
    {"float4 pairs", "sm_90", SMB_OP_LD, 16, ALL, 2, 32, 16, {2, 2, 0, 1, 2}},
    {"float4 broadcast", "sm_90", SMB_OP_LD, 16, ALL, 1, 1, 16, {2, 2, 0, 1, 2}},
    {"float4 stored to one place", "sm_90", SMB_OP_ST, 16, ALL, 1, 1, 16, {4, 4, 0, 1, 4}},
    {"float4 of four lanes", "sm_90", SMB_OP_LD, 16, 0xf, 1, 32, 16, {1, 1, 0, 1, 4}},
    {"float4, no partners: merged", "sm_90", SMB_OP_LD, 16, 0x01010101, 1, 32, 16, {4, 2, 2, 2, 4}},
    {"float4 column", "sm_90", SMB_OP_ST, 16, ALL, 1, 32, 128, {32, 4, 28, 8, 32}},
    {"atomics on one word", "sm_90", SMB_OP_ATOM, 4, ALL, 1, 1, 4, {32, 1, 31, 1, 32}},
    {"atomics, unit stride", "sm_90", SMB_OP_ATOM, 4, ALL, 1, 32, 4, {1, 1, 0, 1, 1}},
    {"atomics, two lanes a word", "sm_90", SMB_OP_ATOM, 4, ALL, 2, 32, 4, {2, 1, 1, 1, 2}},
    {"uniform on one word", "sm_90", SMB_OP_RED_UNIFORM, 4, ALL, 1, 1, 4, {1, 1, 0, 1, 1}},
    {"cas on one word", "sm_90", SMB_OP_CAS, 4, ALL, 1, 1, 4, {64, 2, 62, 1, 64}},
    {"cas, unit stride", "sm_90", SMB_OP_CAS, 4, ALL, 1, 32, 4, {2, 2, 0, 1, 2}},
    {"cas of 64 bits", "sm_90", SMB_OP_CAS, 8, ALL, 1, 32, 8, {4, 4, 0, 1, 4}},
    {"cas of 64 bits by one half", "sm_90", SMB_OP_CAS, 8, 0xffff, 1, 32, 8, {2, 2, 0, 1, 4}},
    {"exchange of 64 bits", "sm_90", SMB_OP_ATOM, 8, ALL, 1, 32, 8, {2, 2, 0, 1, 2}},
    {"loop, unit stride", "sm_90", SMB_OP_ATOM_LOOP, 4, ALL, 1, 32, 4, {3, 3, 0, 1, 6}},
    {"loop, one word", "sm_90", SMB_OP_ATOM_LOOP, 4, ALL, 1, 1, 4, {96, 3, 93, 1, 96}},
    {"loop, two lanes a word", "sm_90", SMB_OP_ATOM_LOOP, 4, ALL, 2, 32, 4, {6, 3, 3, 1, 6}},
    {"loop, two words a bank", "sm_90", SMB_OP_ATOM_LOOP, 4, ALL, 1, 32, 8, {7, 3, 4, 2, 7}},
    {"loop, column", "sm_90", SMB_OP_ATOM_LOOP, 4, 7, 1, 32, 128, {12, 3, 9, 3, 12}},
    {"loop of 64 bits", "sm_90", SMB_OP_ATOM_LOOP, 8, ALL, 1, 32, 8, {6, 6, 0, 1, 6}},
    {"loop of 64 bits, pairs", "sm_90", SMB_OP_ATOM_LOOP, 8, ALL, 2, 32, 8, {10, 5, 5, 1, 10}},
    {"loop of 64 bits, one lane", "sm_90", SMB_OP_ATOM_LOOP, 8, 4, 1, 32, 8, {3, 3, 0, 1, 6}},
    {"the halves on one word", "sm_90", SMB_OP_ATOM_LOOP, 8, 0x10001, 1, 1, 8, {8, 5, 3, 1, 8}},
    {"loop, nobody", "sm_90", SMB_OP_ATOM_LOOP, 8, 0, 1, 1, 8, {0, 0, 0, 0, 0}},
    {"loop, Kepler", "sm_30_4B", SMB_OP_ATOM_LOOP, 4, ALL, 1, 1, 4, {32, 1, 31, 1, 32}},
    {"generic float2 pairs", "sm_90", SMB_OP_LD_GENERIC, 8, ALL, 2, 32, 8, {2, 2, 0, 1, 2}},
    {"generic float", "sm_90", SMB_OP_LD_GENERIC, 4, 1, 1, 32, 4, {1, 1, 0, 1, 1}},
    {"generic float4 stored", "sm_90", SMB_OP_ST_GENERIC, 16, ALL, 1, 32, 16, {4, 4, 0, 1, 5}},
    {"copy, unit stride", "sm_90", SMB_OP_CP_ASYNC_CA, 16, ALL, 1, 32, 16, {4, 4, 0, 1, 4}},
    {"copy to one place", "sm_90", SMB_OP_CP_ASYNC_CA, 4, ALL, 1, 1, 4, {32, 1, 31, 1, 32}},
    {"copy past L1", "sm_90", SMB_OP_CP_ASYNC_CG, 16, ALL, 1, 32, 128, {0, 0, 0, 8, 1}},
    {"ldmatrix, rows of 16", "sm_90", SMB_OP_LDMATRIX_X1, 16, ALL, 1, 32, 16, {1, 1, 0, 1, 1}},
    {"ldmatrix, rows of 128", "sm_90", SMB_OP_LDMATRIX_X4, 16, ALL, 1, 32, 128, {32, 4, 28, 8, 32}},
    {"stmatrix, rows of 144", "sm_90", SMB_OP_STMATRIX_X2, 16, ALL, 1, 32, 144, {2, 2, 0, 1, 2}},
    {"Fermi, float2 pairs", "sm_20", SMB_OP_LD, 8, ALL, 2, 32, 8, {2, 2, 0, 1, 4}},
    {"Fermi, unit stride", "sm_20", SMB_OP_LD, 4, ALL, 1, 32, 4, {1, 1, 0, 1, 2}},
    {"Kepler, words 32 apart", "sm_30_4B", SMB_OP_LD, 4, ALL, 1, 2, 128, {1, 1, 0, 1, 1}},
    {"Kepler, words 64 apart", "sm_30_4B", SMB_OP_LD, 4, ALL, 1, 2, 256, {2, 1, 1, 2, 2}},
    {"Kepler, stride of two words", "sm_30_4B", SMB_OP_LD, 4, ALL, 1, 32, 8, {1, 1, 0, 1, 1}},
    {"Kepler, double", "sm_30_8B", SMB_OP_LD, 8, ALL, 1, 32, 8, {1, 1, 0, 1, 1}},
    {"Kepler, halves of a word", "sm_30_8B", SMB_OP_LD, 4, ALL, 1, 32, 4, {1, 1, 0, 1, 1}},
    {"Tesla, unit stride", "sm_10", SMB_OP_LD, 4, ALL, 1, 32, 4, {2, 2, 0, 1, 4}},
    {"Tesla, broadcast", "sm_10", SMB_OP_LD, 4, ALL, 1, 1, 4, {2, 2, 0, 1, 4}},
    {"Tesla, bytes: four ways", "sm_10", SMB_OP_LD, 1, ALL, 1, 32, 1, {8, 2, 6, 1, 16}},
    {"Tesla, bytes stored", "sm_10", SMB_OP_ST, 1, ALL, 1, 32, 1, {8, 2, 6, 4, 16}},
    {"Tesla, double", "sm_10", SMB_OP_LD, 8, ALL, 1, 32, 8, {8, 4, 4, 2, 16}},
};

START_TEST(test_case) {
  const Case *c = &cases[_i];
  g_autoptr(SmbArch) arch = load(c->arch);
  SmbRequest request = {.op = (guint8)c->op, .width = (guint8)c->width, .mask = c->mask};
  for (guint32 lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request.offset[lane] = 512 + lane / c->div % c->mod * c->stride;
  check_request(c->what, arch, &request, c->want);
  check_equal("oracle", &request, oracle_count(oracle_find(c->arch), &request), c->want);
}
END_TEST

// Half the requests go to the architectures that differ, half to all in turn.
START_TEST(test_random) {
  static const char *const different[] = {"sm_10",  "sm_20",  "sm_30_4B", "sm_30_8B",      "sm_90",
                                          "gfx942", "gfx950", "gfx1100",  "gfx1201_wave64"};
  g_auto(GStrv) names = smb_arch_list();
  guint n_names = g_strv_length(names);
  g_autofree SmbRequest *requests = g_new0(SmbRequest, CHUNK);
  g_autofree SmbWavefronts *want = g_new(SmbWavefronts, CHUNK);
  g_autofree SmbWavefronts *got = g_new(SmbWavefronts, CHUNK);
  SmbRandom random = smb_random_new(20261120);

  for (guint chunk = 0; chunk < effort(RANDOM_REQUESTS / CHUNK); chunk++) {
    const char *name =
        chunk % 2 ? names[chunk / 2 % n_names] : different[chunk / 2 % G_N_ELEMENTS(different)];
    g_autoptr(SmbArch) arch = load(name);
    const Oracle *oracle = oracle_find(name);
    for (guint i = 0; i < CHUNK; i++) {
      random_request(&random, arch, &requests[i]);
      want[i] = oracle_count(oracle, &requests[i]);
    }
    for (guint counter = 0; counter < SMB_N_COUNTERS; counter++) {
      if (!smb_counter_available((SmbCounter)counter))
        continue;
      smb_wavefronts_count_span(arch, (SmbCounter)counter, requests, CHUNK, got);
      for (guint i = 0; i < CHUNK; i++) {
        if (!are_equal(&got[i], &want[i])) {
          g_autofree char *what = g_strdup_printf("%s %s", name, smb_counter_name(counter));
          check_equal(what, &requests[i], got[i], want[i]);
        }
      }
    }
  }
}
END_TEST

// Every counter against the oracle on architectures of any shape.
START_TEST(test_made_up) {
  g_autofree SmbRequest *requests = g_new0(SmbRequest, MADE_UP_REQUESTS);
  g_autofree SmbWavefronts *got = g_new(SmbWavefronts, MADE_UP_REQUESTS);
  SmbRandom random = smb_random_new(20261122);
  guint n_rules = 0, n_narrow = 0;

  for (guint i = 0; i < effort(MADE_UP_ARCHS); i++) {
    Oracle oracle;
    SmbRandom start = random;
    g_autoptr(SmbArch) arch = random_arch(&random, &oracle);
    for (const Line *line = oracle.lines; line->wait != WAIT_END; line++) {
      guint op = (guint)__builtin_ctz(line->ops), width = (guint)__builtin_ctz(line->widths);
      n_rules++;
      n_narrow += smb_arch_rule(arch, (SmbOp)op, width)->narrow;
    }
    for (guint j = 0; j < MADE_UP_REQUESTS; j++)
      random_request(&random, arch, &requests[j]);
    for (guint counter = 0; counter < SMB_N_COUNTERS; counter++) {
      if (!smb_counter_available((SmbCounter)counter))
        continue;
      smb_wavefronts_count_span(arch, (SmbCounter)counter, requests, MADE_UP_REQUESTS, got);
      for (guint j = 0; j < MADE_UP_REQUESTS; j++) {
        SmbWavefronts want = oracle_count(&oracle, &requests[j]);
        if (are_equal(&got[j], &want))
          continue;
        g_autofree char *text = random_arch_text(&start, &oracle);
        g_autofree char *what = g_strdup_printf("%s\n%s", text, smb_counter_name(counter));
        check_equal(what, &requests[j], got[j], want);
      }
    }
  }
  // Both kinds are there: those of the fast counters, and the others.
  ck_assert_uint_gt(n_narrow, effort(100));
  ck_assert_uint_gt(n_rules - n_narrow, effort(1000));
}
END_TEST

// The oracle's short cut for compute capability 1.x against the procedure, step by step.
START_TEST(test_broadcast_steps) {
  const Oracle *oracle = oracle_find("sm_10");
  g_autoptr(SmbArch) arch = load("sm_10");
  SmbRandom random = smb_random_new(1);
  for (guint i = 0; i < 3000; i++) {
    guint n_lanes = 1 + smb_random_below(&random, 8);
    guint banks = 1 + smb_random_below(&random, 3), rows = 1 + smb_random_below(&random, 3);
    SmbRequest request = {.op = SMB_OP_LD, .width = 4, .mask = (1u << n_lanes) - 1};
    guint32 words[SMB_NVIDIA_LANES];
    for (guint lane = 0; lane < n_lanes; lane++) {
      words[lane] = smb_random_below(&random, banks) + 16 * smb_random_below(&random, rows);
      request.offset[lane] = words[lane] * 4;
    }
    SmbWavefronts want = oracle_count(oracle, &request);
    ck_assert_uint_eq(want.wavefronts, oracle_search_steps(words, n_lanes));
    check_request("steps", arch, &request, want);
  }
}
END_TEST

START_TEST(test_mergeable) {
  SmbRandom random = smb_random_new(2);
  g_autoptr(SmbArch) arch = load("sm_90");
  for (guint i = 0; i < 100000; i++) {
    SmbRequest request;
    gboolean agree[3] = {FALSE, TRUE, TRUE};
    random_request(&random, arch, &request);
    for (guint x = 1; x <= 2; x++) {
      for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
        if ((request.mask >> lane & 1) && (request.mask >> (lane ^ x) & 1))
          agree[x] &= request.offset[lane] == request.offset[lane ^ x];
      }
    }
    ck_assert_int_eq(smb_request_mergeable(&request), agree[1] || agree[2]);
  }
}
END_TEST

// The lines of a file of tests/data.
static GStrv
read_lines(const char *name) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path = g_build_filename(folder ? folder : ".", "tests", "data", name, NULL);
  g_autofree char *text = NULL;
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  return g_strsplit(text, "\n", -1);
}

// The places of the lanes of @lanes, in units of @unit bytes, as a kernel's request says them: lines of the source have numbers.
static void
read_places(const char *at, SmbLanes lanes, guint unit, SmbRequest *request) {
  guint64 lines[SMB_NVIDIA_LANES] = {0};
  guint n = 0;
  char *next = (char *)at;
  request->has_source = TRUE;
  for (SmbLanes left = lanes; left; left &= left - 1) {
    guint lane = smb_lanes_first(left), i = 0;
    request->offset[lane] = (guint32)g_ascii_strtoull(next, &next, 16) * unit;
    guint64 from = g_ascii_strtoull(next + 1, &next, 16) * unit;
    while (i < n && lines[i] != from / SMB_SOURCE_LINE_BYTES)
      i++;
    if (i == n)
      lines[n++] = from / SMB_SOURCE_LINE_BYTES;
    request->source[lane] = (guint16)(i * SMB_SOURCE_LINE_WORDS + from % SMB_SOURCE_LINE_BYTES / 4);
  }
}

enum {
  NOT_SAID = G_MAXUINT32, // an ideal
};

// A line of a file with copies, as a kernel's request says it, and the wavefronts and ideal ones that ncu counts. Returns FALSE
// for a comment.
typedef gboolean (*CopyReader)(const char *line, SmbRequest *request, guint *wavefronts,
                               guint *ideal);

// The wavefronts of a copy, one by one: as many as are counted, each of lanes that take one alone; and N-way if it is in excess.
static void
check_turns(const SmbArch *arch, const SmbRequest *request, const SmbWavefronts *counted,
            const char *name, guint line) {
  SmbCopy copy = smb_request_copy(arch, request);
  SmbPasses passes = smb_request_passes(arch, request);
  SmbLanes served = 0;
  guint n = 0;
  ck_assert_msg(copy.n == counted->wavefronts, "%s:%u: %u wavefronts", name, line, copy.n);
  ck_assert_msg(passes.n == copy.n && passes.is_copy, "%s:%u: %u passes", name, line, passes.n);
  ck_assert_msg((counted->degree > 1) == (counted->excess > 0), "%s:%u: %u-way, %u in excess", name,
                line, counted->degree, counted->excess);
  for (guint i = 0; i < copy.n_parts; i++) {
    ck_assert_uint_eq(copy.parts[i].first, n);
    n += copy.parts[i].wavefronts;
  }
  ck_assert_uint_eq(n, copy.n);
  for (guint i = 0; i < copy.n; i++) {
    SmbRequest alone = *request;
    alone.mask = copy.lanes[i];
    served |= copy.lanes[i];
    ck_assert_msg(smb_request_zeros(request) || !copy.lanes[i] ||
                      smb_wavefronts_count(arch, &alone).wavefronts == 1,
                  "%s:%u: wavefront %u is of lanes that wait for each other", name, line, i);
  }
  ck_assert((served & ~smb_request_lanes(request)) == 0);
  if (request->op == SMB_OP_CP_ASYNC_CA)
    ck_assert(served == smb_request_lanes(request));
}

static void
check_copies(const char *name, CopyReader read, guint n_cases) {
  g_auto(GStrv) lines = read_lines(name);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  guint n = 0;
  for (guint i = 0; lines[i]; i++) {
    SmbRequest request;
    guint wavefronts, ideal = NOT_SAID;
    if (!read(lines[i], &request, &wavefronts, &ideal))
      continue;
    SmbWavefronts counted = smb_wavefronts_count(arch, &request);
    ck_assert(smb_wavefronts_copy_is_known(arch, &request));
    ck_assert_msg(counted.wavefronts == wavefronts, "%s:%u: %u, ncu says %u", name, i + 1,
                  counted.wavefronts, wavefronts);
    check_turns(arch, &request, &counted, name, i + 1);
    ck_assert_msg(ideal == NOT_SAID || counted.ideal == ideal, "%s:%u: ideal %u, ncu says %u", name,
                  i + 1, counted.ideal, ideal);
    n++;
  }
  ck_assert_uint_eq(n, n_cases);
}

static gboolean
read_copy(const char *line, SmbRequest *request, guint *wavefronts, guint *ideal) {
  guint width, mask;
  int length;
  if (sscanf(line, "%u %x %u %u%n", &width, &mask, wavefronts, ideal, &length) != 4)
    return FALSE;
  *request = (SmbRequest){.mask = mask, .op = SMB_OP_CP_ASYNC_CA, .width = (guint8)width};
  read_places(line + length, smb_lanes_below(SMB_NVIDIA_LANES), 1, request);
  return TRUE;
}

// Copies through the cache.
START_TEST(test_copies) {
  check_copies("copies.txt", read_copy, 225);
}
END_TEST

static gboolean
read_random(const char *line, SmbRequest *request, guint *wavefronts, guint *ideal) {
  guint width, mask, zeros;
  int length;
  if (sscanf(line, "c%*c %u %x %x %u %u%n", &width, &mask, &zeros, wavefronts, ideal, &length) != 5)
    return FALSE;
  *request = (SmbRequest){.mask = mask,
                          .op = line[1] == 'a' ? SMB_OP_CP_ASYNC_CA : SMB_OP_CP_ASYNC_CG,
                          .width = (guint8)width};
  read_places(line + length, smb_lanes_below(SMB_NVIDIA_LANES), width, request);
  for (SmbLanes left = zeros; left; left &= left - 1)
    request->source[smb_lanes_first(left)] = SMB_SOURCE_NONE;
  return TRUE;
}

// Copies of all kinds, of which some lanes write zeros.
START_TEST(test_copies_random) {
  check_copies("copies-random.txt", read_random, 766);
}
END_TEST

static gboolean
read_past(const char *line, SmbRequest *request, guint *wavefronts, G_GNUC_UNUSED guint *ideal) {
  guint mask;
  int length;
  if (sscanf(line, "%x %u%n", &mask, wavefronts, &length) != 2)
    return FALSE;
  *request = (SmbRequest){.mask = mask, .op = SMB_OP_CP_ASYNC_CG, .width = 16};
  read_places(line + length, mask, 16, request);
  return TRUE;
}

// Copies past the cache.
START_TEST(test_copies_past) {
  check_copies("copies-past.txt", read_past, 1008);
}
END_TEST

// By P0: as if all lanes wrote zeros.
static gboolean
read_p0(const char *line, SmbRequest *request, guint *wavefronts, guint *ideal) {
  gboolean is_copy = read_past(line, request, wavefronts, ideal);
  for (guint lane = 0; is_copy && lane < SMB_NVIDIA_LANES; lane++)
    request->source[lane] = SMB_SOURCE_NONE;
  return is_copy;
}

// Copies past the cache by P0.
START_TEST(test_copies_p0) {
  check_copies("copies-p0.txt", read_p0, 56);
}
END_TEST

START_TEST(test_counters) {
  g_autoptr(SmbArch) arch = load("sm_90");
  ck_assert(smb_counter_available(SMB_COUNTER_PORTABLE));
  ck_assert(smb_counter_available(smb_counter_best()));
  ck_assert(!smb_counter_available(SMB_N_COUNTERS));
  ck_assert_str_eq(smb_counter_name(SMB_COUNTER_AVX2), "avx2");
  smb_wavefronts_count_span(arch, smb_counter_best(), NULL, 0, NULL);
}
END_TEST

Suite *
suite_wavefront(void) {
  Suite *suite = suite_create("wavefront");
  TCase *tcase = tcase_create("wavefront");
  tcase_add_test(tcase, test_recorded);
  tcase_add_loop_test(tcase, test_case, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_random);
  tcase_add_test(tcase, test_made_up);
  tcase_add_test(tcase, test_broadcast_steps);
  tcase_add_test(tcase, test_mergeable);
  tcase_add_test(tcase, test_copies);
  tcase_add_test(tcase, test_copies_random);
  tcase_add_test(tcase, test_copies_past);
  tcase_add_test(tcase, test_copies_p0);
  tcase_add_test(tcase, test_counters);
  suite_add_tcase(suite, tcase);
  return suite;
}
