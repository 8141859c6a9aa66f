// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The least that linear layouts take, against all of them: in a tile of 128 elements every subspace can be written down. The layout that
// is found is counted, request by request.
#include "sim/layout/linear-search.h"

#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/layout/linear-check.h"
#include "sim/trace/pattern.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  BITS = 7,     // of a tile of 128 floats
  ROW_BITS = 5, // of a row of the banks
  KERNEL = BITS - ROW_BITS,
};

// The element that a lane has: an XOR of constants chosen by its bits.
static guint32
find_linear_element(const guint32 *vectors, guint n, guint lane) {
  guint32 element = 0;
  for (guint bit = 0; bit < n; bit++)
    element ^= lane >> bit & 1 ? vectors[bit] : 0;
  return element;
}

static SmbRequest
make_linear_request(SmbRandom *random, guint width) {
  guint unit = width / 4;
  guint32 vectors[5], start = smb_random_below(random, (1 << BITS) / unit) * unit;
  for (guint bit = 0; bit < 5; bit++)
    vectors[bit] = smb_random_below(random, (1 << BITS) / unit) * unit;
  // Of half a warp a group may be left without a lane.
  SmbRequest request = {.mask = smb_random_below(random, 8) ? 0xffffffff : 0xffff,
                        .op = SMB_OP_LD,
                        .width = (guint8)width};
  for (guint lane = 0; lane < 32; lane++)
    request.offset[lane] = (find_linear_element(vectors, 5, lane) ^ start) * 4;
  return request;
}

// Wavefronts of requests in the layout with these bases.
static guint64
count_in_layout(const SmbArch *arch, const GArray *requests, const guint32 *bases) {
  guint64 wavefronts = 0;
  for (guint i = 0; i < requests->len; i++) {
    SmbRequest request = g_array_index(requests, SmbRequest, i);
    for (guint lane = 0; lane < 32; lane++)
      request.offset[lane] = find_linear_element(bases, BITS, request.offset[lane] / 4) * 4;
    ck_assert(smb_request_check(&request, NULL));
    wavefronts += smb_wavefronts_count(arch, &request).wavefronts;
  }
  return wavefronts;
}

// Bases of a layout whose rows of banks differ by @a and @b; FALSE: they are no subspace of two dimensions above the lowest bits.
static gboolean
make_bases(guint32 a, guint32 b, guint unit_bits, guint32 *bases) {
  guint32 place[1 << BITS], vectors[BITS] = {0};
  guint n = 0;
  gboolean is_met[1 << BITS] = {FALSE};
  vectors[ROW_BITS] = a;
  vectors[ROW_BITS + 1] = b;
  if (!a || !b || a == b || (a | b) & ((1u << unit_bits) - 1))
    return FALSE;
  for (guint bit = 0; bit < BITS && n < ROW_BITS; bit++) {
    gboolean is_new = TRUE;
    for (guint32 i = 0; i < 1u << BITS; i++) // of what is there
      is_new = is_new && ((i & ((1u << ROW_BITS) - 1)) >> n ||
                          find_linear_element(vectors, BITS, i) != 1u << bit);
    if (is_new)
      vectors[n++] = 1u << bit;
  }
  for (guint32 i = 0; i < 1u << BITS; i++) {
    guint32 element = find_linear_element(vectors, BITS, i);
    if (is_met[element])
      return FALSE;
    is_met[element] = TRUE;
    place[element] = i;
  }
  for (guint bit = 0; bit < BITS; bit++)
    bases[bit] = place[1u << bit];
  return TRUE;
}

static guint64
find_least_slowly(const SmbArch *arch, const GArray *requests, guint unit_bits) {
  guint64 least = G_MAXUINT64;
  for (guint32 a = 1; a < 1u << BITS; a++) {
    for (guint32 b = a + 1; b < 1u << BITS; b++) {
      guint32 bases[BITS];
      if ((a ^ b) > b && make_bases(a, b, unit_bits, bases)) // each subspace once
        least = MIN(least, count_in_layout(arch, requests, bases));
    }
  }
  return least;
}

START_TEST(test_all_layouts) {
  SmbRandom random = smb_random_new(32);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  guint decided = 0, conflicts = 0, rounds = effort(4000);
  for (guint round = 0; round < rounds; round++) {
    g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(SmbRequest));
    guint n = 1 + smb_random_below(&random, 9), unit_bits = 0;
    for (guint i = 0; i < n; i++) {
      guint bits = smb_random_below(&random, 3);
      SmbRequest request = make_linear_request(&random, 4u << bits);
      g_array_append_val(requests, request);
      unit_bits = MAX(unit_bits, bits);
    }
    g_autoptr(SmbLinearSearch) search = smb_linear_search_new(arch, requests, 1 << BITS, 4);
    if (search->failure)
      continue;
    guint32 bases[SMB_LINEAR_MAX_BITS];
    smb_linear_search_bases(search, bases);
    ck_assert_uint_eq(count_in_layout(arch, requests, bases), search->found);
    guint64 least = find_least_slowly(arch, requests, unit_bits);
    ck_assert_uint_le(search->least, least);
    ck_assert_uint_ge(search->found, least);
    ck_assert(smb_linear_check(search));
    decided += search->found == search->least;
    conflicts += least > search->ideal;
    search->found++;
    ck_assert(!smb_linear_check(search));
    search->found--;
    search->kernel[0] = search->kernel[1];
    ck_assert(!smb_linear_check(search));
  }
  ck_assert_uint_gt(decided, rounds / 2);
  ck_assert_uint_gt(conflicts, rounds / 20);
}
END_TEST

static const struct {
  const char *why;
  guint op, width, n, n_lanes;
  gint stride;
  const char *arch; // NULL: sm_90
} undecided[] = {
    {"the number of elements is not a power of two", SMB_OP_LD, 4, 96, 32, 4},
    {"the elements of a lane group are no coset of a subspace", SMB_OP_LD, 4, 128, 31, 4},
    {"the elements of a lane group are no coset of a subspace", SMB_OP_LD, 4, 128, 32, 12},
    {"an operation waits for lanes, or is served otherwise than by words", SMB_OP_ATOM, 4, 128, 32,
     4},
    {"accesses are of 12 bytes, which is not a power of two", SMB_OP_LD, 12, 128, 32, 12, "gfx90a"},
    {"one lane moves more than a row of the tile or of the banks", SMB_OP_LD, 16, 2, 1, 16},
};

START_TEST(test_undecided) {
  const char *name = undecided[_i].arch ? undecided[_i].arch : "sm_90";
  g_autoptr(SmbArch) arch = smb_arch_load(name, NULL);
  g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(SmbRequest));
  SmbRequest request = {.mask = smb_lanes_below(undecided[_i].n_lanes),
                        .op = (guint8)undecided[_i].op,
                        .width = (guint8)undecided[_i].width};
  for (guint lane = 0; lane < 32; lane++)
    request.offset[lane] = lane * (guint)undecided[_i].stride;
  g_array_append_val(requests, request);
  g_autoptr(SmbLinearSearch) search = smb_linear_search_new(arch, requests, undecided[_i].n, 4);
  ck_assert_str_eq(search->failure, undecided[_i].why);
}
END_TEST

// Many lane groups that differ by different subspaces: so many as are compared at most, and one more.
START_TEST(test_too_many) {
  SmbRandom random = smb_random_new(12);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(SmbRequest));
  const char *failure = NULL;
  for (guint groups = 0; !failure; groups++) {
    SmbRequest request = make_linear_request(&random, 4);
    g_array_append_val(requests, request);
    g_autoptr(SmbLinearSearch) search = smb_linear_search_new(arch, requests, 1 << BITS, 4);
    failure = search->failure;
    ck_assert_uint_le(search->groups->len, groups + 1);
    ck_assert_int_eq(failure != NULL, search->groups->len > SMB_LINEAR_MAX_GROUPS);
  }
  ck_assert_str_eq(failure, "too many different lane groups");
}
END_TEST

Suite *
suite_linear_search(void) {
  Suite *suite = suite_create("linear-search");
  TCase *cases = tcase_create("linear-search");
  tcase_set_timeout(cases, 300);
  tcase_add_test(cases, test_all_layouts);
  tcase_add_test(cases, test_too_many);
  tcase_add_loop_test(cases, test_undecided, 0, G_N_ELEMENTS(undecided));
  suite_add_tcase(suite, cases);
  return suite;
}
