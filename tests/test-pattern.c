// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Random requests: that they are requests and stay where they are told to, and that what decides between
// rules is frequent among them.
#include "sim/trace/pattern.h"

#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/count/wavefront.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 20000,
};

// Of the first thousand requests of seed 1.
#define SUM_OF_SEED_1 G_GUINT64_CONSTANT(4222978691003392142)

// Limits: anywhere, shared memory of some devices, and hardly anything.
static const guint32 limits[] = {0, 16, 17, 48, 1000, 1024, 49152, 101376, 232448, 0xffffffffu};

static void
check_request(const SmbRequest *request, SmbOp op, guint width, guint32 limit) {
  g_autoptr(GError) error = NULL;
  ck_assert_uint_eq(request->op, op);
  ck_assert_uint_eq(request->width, width);
  ck_assert_msg(smb_request_check(request, &error), "%s", error ? error->message : "");
  ck_assert_uint_ne(smb_request_lanes(request), 0);
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
    ck_assert(request->offset[lane] % smb_width_alignment(width) == 0);
    ck_assert(limit == 0 || (guint64)request->offset[lane] + width <= limit);
  }
}

// Every operation in every width of it; _i: the limit.
START_TEST(test_limits) {
  SmbRandom random = smb_random_new((guint64)_i);
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint w = 0; w < SMB_N_WIDTHS; w++) {
      guint width = smb_width(w);
      if (!(smb_op_has_width((SmbOp)op, width)))
        continue;
      for (guint i = 0; i < N_REQUESTS / 20; i++) {
        SmbRequest request;
        smb_pattern_request(&random, SMB_NVIDIA_LANES, (SmbOp)op, width, limits[_i], &request);
        check_request(&request, (SmbOp)op, width, limits[_i]);
      }
    }
  }
}
END_TEST

// Whether pairs of active lanes, lane and lane ^ @x, are on one address, but for @n_apart of them.
static gboolean
has_pairs(const SmbRequest *request, guint x, guint n_apart) {
  guint apart = 0, pairs = 0;
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
    if ((lane & x) || !(request->mask >> lane & 1) || !(request->mask >> (lane ^ x) & 1))
      continue;
    pairs++;
    apart += request->offset[lane] != request->offset[lane ^ x];
  }
  return pairs > 1 && apart == n_apart;
}

static gboolean
is_merged(const SmbRequest *request) {
  return has_pairs(request, 1, 0) || has_pairs(request, 2, 0);
}

static gboolean
is_nearly_merged(const SmbRequest *request) {
  return !is_merged(request) && (has_pairs(request, 1, 1) || has_pairs(request, 2, 1));
}

static gboolean
has_full_mask(const SmbRequest *request) {
  return request->mask == 0xffffffffu;
}

static gboolean
has_one_lane(const SmbRequest *request) {
  return (request->mask & (request->mask - 1)) == 0;
}

static gboolean
has_half_a_warp(const SmbRequest *request) {
  return request->mask == 0xffffu || request->mask == 0xffff0000u;
}

static gboolean
lacks_one_lane(const SmbRequest *request) {
  return has_one_lane(&(SmbRequest){.mask = (guint32)~request->mask});
}

static guint32
lowest_offset(const SmbRequest *request) {
  guint32 lowest = G_MAXUINT32;
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    lowest = MIN(lowest, request->offset[lane]);
  return lowest;
}

static gboolean
begins_within_a_row(const SmbRequest *request) {
  return lowest_offset(request) % 128 != 0;
}

static gboolean
begins_at_the_start(const SmbRequest *request) {
  return lowest_offset(request) == 0;
}

static gboolean
reaches_the_end(const SmbRequest *request) {
  guint32 last = 0;
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    last = MAX(last, request->offset[lane]);
  return last == 232448 - 8;
}

// What is among 64-bit loads in the shared memory of an H200, at least this often in a thousand.
static const struct {
  const char *what;
  gboolean (*is)(const SmbRequest *request);
  guint per_mille;
} kinds[] = {
    {"merged", is_merged, 50},
    {"merged but for one pair", is_nearly_merged, 10},
    {"all lanes", has_full_mask, 250},
    {"one lane", has_one_lane, 50},
    {"half a warp", has_half_a_warp, 40},
    {"all lanes but one", lacks_one_lane, 40},
    {"not from the start of a row", begins_within_a_row, 400},
    {"from the start of memory", begins_at_the_start, 20},
    {"to the end of memory", reaches_the_end, 20},
};

START_TEST(test_kinds) {
  SmbRandom random = smb_random_new(3);
  guint found = 0;
  for (guint i = 0; i < N_REQUESTS; i++) {
    SmbRequest request;
    smb_pattern_request(&random, SMB_NVIDIA_LANES, SMB_OP_LD, 8, 232448, &request);
    found += kinds[_i].is(&request);
  }
  ck_assert_msg(found >= kinds[_i].per_mille * N_REQUESTS / 1000, "%s: %u of %d", kinds[_i].what,
                found, N_REQUESTS);
}
END_TEST

// Each number of wavefronts that a load of one word can take.
START_TEST(test_wavefronts) {
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  SmbRandom random = smb_random_new(4);
  guint found[SMB_NVIDIA_LANES + 1] = {0};
  for (guint i = 0; i < 20 * N_REQUESTS; i++) {
    SmbRequest request;
    smb_pattern_request(&random, SMB_NVIDIA_LANES, SMB_OP_LD, 4, 232448, &request);
    found[smb_wavefronts_count(arch, &request).wavefronts]++;
  }
  ck_assert_uint_eq(found[0], 0);
  for (guint n = 1; n <= SMB_NVIDIA_LANES; n++)
    ck_assert_msg(found[n] > 0, "no request of %u wavefronts", n);
}
END_TEST

START_TEST(test_random) {
  static const guint64 seeds[] = {0, 1, 2, G_MAXUINT64, 0x61c8864680b583ebull};
  for (guint i = 0; i < G_N_ELEMENTS(seeds); i++) {
    SmbRandom a = smb_random_new(seeds[i]), b = a, other = smb_random_new(seeds[i] + 1);
    SmbRandom stream = smb_random_new_stream(seeds[i], 0),
              next = smb_random_new_stream(seeds[i], 1);
    guint same = 0;
    for (guint n = 0; n < 1000; n++) {
      guint32 number = smb_random_below(&a, G_GUINT64_CONSTANT(1) << 32);
      ck_assert_uint_eq(number, smb_random_below(&b, G_GUINT64_CONSTANT(1) << 32));
      same += number == smb_random_below(&other, G_GUINT64_CONSTANT(1) << 32);
      same += smb_random_below(&stream, 1u << 31) == smb_random_below(&next, 1u << 31);
      ck_assert_uint_lt(smb_random_below(&a, 7), 7);
      ck_assert_uint_eq(smb_random_below(&a, 1), 0);
      b = a;
    }
    ck_assert_uint_le(same, 1);
  }
}
END_TEST

// The same seed makes the same requests everywhere: a report names the seed.
START_TEST(test_same) {
  SmbRandom random = smb_random_new(1);
  SmbRequest request;
  guint64 sum = 0;
  memset(&request, 0, sizeof request);
  for (guint i = 0; i < 1000; i++) {
    smb_pattern_request(&random, SMB_NVIDIA_LANES, SMB_OP_LD, 4, 232448, &request);
    sum = sum * 31 + request.mask;
    for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
      sum = sum * 31 + request.offset[lane];
  }
  ck_assert_uint_eq(sum, SUM_OF_SEED_1);
}
END_TEST

Suite *
suite_pattern(void) {
  Suite *suite = suite_create("pattern");
  TCase *tcase = tcase_create("pattern");
  tcase_add_loop_test(tcase, test_limits, 0, G_N_ELEMENTS(limits));
  tcase_add_loop_test(tcase, test_kinds, 0, G_N_ELEMENTS(kinds));
  tcase_add_test(tcase, test_wavefronts);
  tcase_add_test(tcase, test_random);
  tcase_add_test(tcase, test_same);
  suite_add_tcase(suite, tcase);
  return suite;
}
