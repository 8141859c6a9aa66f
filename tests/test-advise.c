// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The search for a layout against every layout of the space, tried one by one. What it finds for the
// textbook's kernels is in test-advise-kernels.c.
#include "sim/advise/advise.h"

#include <check.h>
#include <string.h>

#include "sim/arch/rule.h"
#include "sim/trace/pattern.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  KEEP = 12,
  RANDOM_ARRAYS = 1600,
  FEW_REQUESTS = 6,
  MANY_REQUESTS = 80, // the search may give up a layout between them
  N_ACCESSES = 3,
  PERIOD_ARRAYS = 1000,
};

// A made-up run: a kernel with an array, and requests that it could have made of it.
typedef struct {
  SmbProgram *kernel;
  SmbArch *arch;
  SmbAnalysis analysis;
  const SmbArray *array;
  gsize other_bytes; // shared memory that other arrays take
} Fixture;

static void
fixture_init(Fixture *fixture, const char *arch, const char *declarations) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text =
      g_strdup_printf("__global__ void k(int *out) { __shared__ %s; out[0] = sizeof(before[0]) + "
                      "sizeof(a[0]) + sizeof(after[0]); }",
                      declarations);
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, &error);
  memset(fixture, 0, sizeof *fixture);
  fixture->kernel = smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900}, &error);
  ck_assert_msg(fixture->kernel != NULL, "%s", error ? error->message : "");
  fixture->arch = smb_arch_load(arch, &error);
  ck_assert_ptr_nonnull(fixture->arch);
  fixture->analysis.accesses = g_array_new(FALSE, TRUE, sizeof(SmbAccess));
  g_array_set_size(fixture->analysis.accesses, N_ACCESSES);
  fixture->analysis.requests = g_array_new(FALSE, TRUE, sizeof(SmbAccessRequest));
  for (guint i = 0; i < smb_program_n_arrays(fixture->kernel); i++) {
    const SmbArray *array = smb_program_array(fixture->kernel, i);
    if (strcmp(array->name, "a") == 0)
      fixture->array = array;
  }
  ck_assert_ptr_nonnull(fixture->array);
}

static void
fixture_clear(Fixture *fixture) {
  smb_program_free(fixture->kernel);
  smb_arch_unref(fixture->arch);
  g_array_unref(fixture->analysis.accesses);
  g_array_unref(fixture->analysis.requests);
}

static void
add_request(Fixture *fixture, guint access, guint64 count, const SmbRequest *request) {
  SmbAccessRequest made = {.access = access, .count = count, .request = *request};
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    made.request.offset[lane] &= 0u - (request->mask >> lane & 1);
  g_array_append_val(fixture->analysis.requests, made);
}

// A random request of the first @columns of rows of @pitch elements, or of any part of the array.
static void
random_request(Fixture *fixture, SmbRandom *random, guint pitch, guint columns,
               SmbRequest *request) {
  const SmbArray *array = fixture->array;
  guint rows = (guint)(array->bytes / array->element_bytes / pitch);
  SmbOp op;
  guint width;
  do {
    op = (SmbOp)smb_random_below(random, SMB_N_OPS);
    width = smb_width(smb_random_below(random, SMB_N_WIDTHS));
  } while (!(smb_op_has_width(op, width)) || !smb_arch_rule(fixture->arch, op, width)->defined ||
           width > array->bytes);
  if (columns == pitch && smb_random_below(random, 4) == 0) {
    smb_pattern_request(random, SMB_NVIDIA_LANES, op, width, (guint32)array->bytes, request);
    for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
      request->offset[lane] += array->base;
    return;
  }
  memset(request, 0, sizeof *request);
  request->op = (guint8)op;
  request->width = (guint8)width;
  request->mask = smb_random_below(random, 2) ? 0xffffffffu : smb_random_below(random, 1ull << 32);
  guint down = smb_random_below(random, rows + 1), across = smb_random_below(random, columns + 1);
  guint slow = 1u << smb_random_below(random, 5), first = smb_random_below(random, rows);
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
    guint row = (first + lane / slow * down) % rows;
    guint column = lane * across % columns;
    guint32 offset = (row * pitch + column) * array->element_bytes;
    request->offset[lane] = array->base + offset / width * width;
  }
}

static const char *const arch_names[] = {"sm_90",    "sm_20", "sm_30_4B",
                                         "sm_30_8B", "sm_10", "sm_80"};

// A random array under random requests. Returns whether its rows are padded.
static gboolean
fixture_random(Fixture *fixture, SmbRandom *random) {
  static const char *const types[] = {"char", "short", "float", "float2", "float4", "float3"};
  static const guint columns[] = {4, 8, 16, 6};
  guint used = columns[smb_random_below(random, G_N_ELEMENTS(columns))];
  guint pad = smb_random_below(random, 3) ? 0 : 1;
  guint rows = 1u << smb_random_below(random, 5);
  const char *type = types[smb_random_below(random, G_N_ELEMENTS(types))];
  gboolean flat = smb_random_below(random, 4) == 0;
  g_autofree char *extents =
      flat ? g_strdup_printf("[%u]", rows * used) : g_strdup_printf("[%u][%u]", rows, used + pad);
  g_autofree char *declarations =
      g_strdup_printf("float4 before[%u]; __shared__ %s a%s; __shared__ float after[1]",
                      smb_random_below(random, 2) ? 8u : 3u, type, extents);
  fixture_init(fixture, arch_names[smb_random_below(random, G_N_ELEMENTS(arch_names))],
               declarations);
  guint pitch = flat ? rows * used : used + pad;
  guint most = smb_random_below(random, 4) ? FEW_REQUESTS : MANY_REQUESTS;
  guint n = 1 + smb_random_below(random, most);
  for (guint i = 0; i < n; i++) {
    SmbRequest request;
    random_request(fixture, random, pitch, flat ? pitch : used, &request);
    add_request(fixture, i * N_ACCESSES / n, 1 + smb_random_below(random, 3), &request);
  }
  return !flat && pad;
}

// Every layout of the space, tried one by one (element-type SmbCandidate).
typedef struct {
  const Fixture *fixture;
  const SmbArrayUse *use;
  SmbLayout original;
  GPtrArray *fit;
  guint64 searched;
  guint64 unfit;
  guint64 max_bytes;
  guint64 elements;
  guint vector_bytes; // layouts that keep fewer bytes together are left out
} Brute;

static guint count_together(const SmbLayout *layout, guint64 n);

static void
brute_try(Brute *brute, const SmbLayout *layout) {
  if (brute->vector_bytes && count_together(layout, brute->elements) < brute->vector_bytes)
    return;
  const Fixture *fixture = brute->fixture;
  SmbCandidate *candidate = smb_advise_try(fixture->arch, brute->use, &brute->original, layout);
  brute->searched++;
  if (candidate->fit == SMB_LAYOUT_FITS && candidate->bytes <= brute->max_bytes) {
    g_ptr_array_add(brute->fit, candidate);
    return;
  }
  brute->unfit++;
  smb_candidate_free(candidate);
}

static guint
kind_of(const SmbLayout *layout) {
  return !layout->bits ? 0 : layout->pad ? 2 : 1;
}

// Whether every piece of @bytes of a row of elements stays side by side and aligned under the swizzle.
static gboolean
stays_together(const SmbLayout *layout, guint bytes) {
  guint element = layout->element_bytes;
  for (guint64 at = 0; at < 4096 * element; at += bytes) {
    guint64 first = at / element, place = smb_layout_swizzle(layout, first);
    if ((place * element + at % element) % bytes)
      return FALSE;
    for (guint64 n = first; n <= (at + bytes - 1) / element; n++) {
      if (smb_layout_swizzle(layout, n) != place + n - first)
        return FALSE;
    }
  }
  return TRUE;
}

// Bytes that stay together in pieces of 16, 8, ... wherever such a piece begins in a row.
static guint
count_together(const SmbLayout *layout, guint64 n) {
  guint64 row = layout->columns * layout->element_bytes;
  guint64 pitch = row + layout->pad * layout->element_bytes;
  guint bytes = 16;
  while (!stays_together(layout, bytes) || (layout->columns < n && (row % bytes || pitch % bytes)))
    bytes /= 2;
  return bytes;
}

static int
compare_candidates(gconstpointer a, gconstpointer b, gpointer user) {
  const SmbCandidate *x = *(SmbCandidate *const *)a, *y = *(SmbCandidate *const *)b;
  const SmbLayout *p = &x->layout, *q = &y->layout;
  guint64 n = *(const guint64 *)user;
  if (x->total.wavefronts != y->total.wavefronts)
    return x->total.wavefronts < y->total.wavefronts ? -1 : 1;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? -1 : 1;
  const guint64 keys[2][8] = {
      {16 - count_together(p, n), kind_of(p), p->pad, p->columns, p->bits, p->base,
       (guint64)ABS(p->shift), p->shift < 0},
      {16 - count_together(q, n), kind_of(q), q->pad, q->columns, q->bits, q->base,
       (guint64)ABS(q->shift), q->shift < 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS(keys[0]); i++) {
    if (keys[0][i] != keys[1][i])
      return keys[0][i] < keys[1][i] ? -1 : 1;
  }
  return 0;
}

// Elements that fill all banks once.
static guint
find_period(const SmbArch *arch, guint element_bytes) {
  guint n = 1;
  while (n * element_bytes % smb_arch_info(arch)->row_bytes)
    n++;
  return n;
}

// Whether an element that a swizzle of so many bits moves leaves its row, in an array of any length.
static gboolean
leaves_row(const SmbLayout *layout, guint n_bits) {
  for (guint64 n = 0; n < layout->columns << n_bits; n++) {
    if (smb_layout_swizzle(layout, n) / layout->columns != n / layout->columns)
      return TRUE;
  }
  return FALSE;
}

// All swizzles of numbers of @n_bits bits, with every padding below @period where they stay in their row.
static void
try_swizzles(Brute *brute, guint n_bits, guint period, SmbAdviseKinds kinds, gboolean has_rows) {
  for (int shift = -(int)n_bits; shift <= (int)n_bits; shift++) {
    for (guint bits = 1; bits <= (guint)ABS(shift); bits++) {
      for (guint base = 0; base + bits + (guint)ABS(shift) <= n_bits; base++) {
        SmbLayout layout = {
            brute->original.element_bytes, brute->original.columns, 0, bits, base, shift};
        if (kinds & SMB_ADVISE_SWIZZLE)
          brute_try(brute, &layout);
        if (!(kinds & SMB_ADVISE_BOTH) || !has_rows || leaves_row(&layout, n_bits))
          continue;
        for (layout.pad = 1; layout.pad < period; layout.pad++)
          brute_try(brute, &layout);
      }
    }
  }
}

static void
brute_run(Brute *brute, const Fixture *fixture, const SmbArrayUse *use, SmbAdviseKinds kinds,
          const SmbAdviseOptions *options) {
  const SmbArray *array = fixture->array;
  guint period = find_period(fixture->arch, array->element_bytes), n_bits = 0;
  brute->fixture = fixture;
  brute->use = use;
  brute->original = smb_array_use_layout(use, options->row);
  brute->fit = g_ptr_array_new_with_free_func((GDestroyNotify)smb_candidate_free);
  guint64 pitch = brute->original.columns + brute->original.pad;
  guint64 n = 0;
  for (guint64 place = 0; place < array->bytes / array->element_bytes; place++)
    n += place % pitch < brute->original.columns;
  gboolean has_rows = brute->original.columns < n;
  brute->elements = n;
  while (1ull << n_bits < n)
    n_bits++;

  SmbLayout plain = {array->element_bytes, brute->original.columns, 0, 0, 0, 0};
  brute_try(brute, &plain);
  for (plain.pad = 1; kinds & SMB_ADVISE_PAD && has_rows && plain.pad < period; plain.pad++)
    brute_try(brute, &plain);
  guint64 all = has_rows ? brute->original.columns : n;
  gboolean parts = kinds & SMB_ADVISE_PAD && (!has_rows || options->within);
  for (guint64 each = period; parts && each * 2 <= all; each *= 2) {
    if (has_rows && all % each)
      continue;
    plain.columns = each;
    for (plain.pad = 1; plain.pad < period; plain.pad++)
      brute_try(brute, &plain);
  }
  try_swizzles(brute, n_bits, period, kinds, has_rows);
  g_ptr_array_sort_with_data(brute->fit, compare_candidates, &n);
}

static void
check_candidate(const SmbCandidate *got, const SmbCandidate *want) {
  ck_assert_uint_eq(got->total.wavefronts, want->total.wavefronts);
  ck_assert_uint_eq(got->total.excess, want->total.excess);
  ck_assert_uint_eq(got->bytes, want->bytes);
  ck_assert_uint_eq(got->layout.columns, want->layout.columns);
  ck_assert_uint_eq(got->layout.pad, want->layout.pad);
  ck_assert_uint_eq(got->layout.bits, want->layout.bits);
  ck_assert_uint_eq(got->layout.base, want->layout.base);
  ck_assert_int_eq(got->layout.shift, want->layout.shift);
  ck_assert_int_eq(got->fit, SMB_LAYOUT_FITS);
  SmbTally sum = {0};
  for (guint i = 0; i < got->accesses->len; i++)
    smb_tally_add(&sum, &g_array_index(got->accesses, SmbTally, i));
  ck_assert_mem_eq(&sum, &got->total, sizeof sum);
}

// The array of a fixture, and its requests.
static SmbArrayUses *
find_uses(Fixture *fixture, const SmbArrayUse **use) {
  fixture->analysis.shared_bytes = fixture->array->bytes + fixture->other_bytes;
  SmbArrayUses *uses = smb_array_uses_new(fixture->kernel, NULL, &fixture->analysis);
  for (guint i = 0; i < uses->all->len; i++) {
    const SmbArrayUse *one = g_ptr_array_index(uses->all, i);
    *use = one->array == fixture->array ? one : *use;
  }
  return uses;
}

// Searches fast and slowly.
static void
check_search(Fixture *fixture, const SmbAdviseOptions *options, guint64 *found) {
  SmbAdviseKinds all = SMB_ADVISE_PAD | SMB_ADVISE_SWIZZLE | SMB_ADVISE_BOTH;
  guint64 most = smb_arch_info(fixture->arch)->max_shared_bytes;
  Brute brute = {.max_bytes = most - MIN(most, fixture->other_bytes),
                 .vector_bytes = options->vector_bytes};
  const SmbArrayUse *use = NULL;
  G_GNUC_UNUSED g_autoptr(SmbArrayUses) uses = find_uses(fixture, &use);
  brute_run(&brute, fixture, use, options->kinds ? options->kinds : all, options);
  g_autoptr(SmbAdvice) advice = smb_advise_array(fixture->arch, use, options);
  ck_assert_uint_eq(advice->searched, brute.searched);
  ck_assert_uint_eq(advice->unfit, brute.unfit);
  ck_assert_uint_eq(advice->searched - advice->unfit, brute.fit->len);
  guint64 ties = 0;
  guint kept = 0, of_kind[3] = {0};
  for (guint i = 0; i < brute.fit->len; i++) {
    const SmbCandidate *candidate = g_ptr_array_index(brute.fit, i);
    const SmbCandidate *best = g_ptr_array_index(brute.fit, 0);
    ties += candidate->total.wavefronts == best->total.wavefronts;
    if (of_kind[kind_of(&candidate->layout)]++ >= options->keep)
      continue;
    ck_assert_uint_lt(kept, advice->best->len);
    check_candidate(g_ptr_array_index(advice->best, kept++), candidate);
  }
  ck_assert_uint_eq(advice->best->len, kept);
  ck_assert_uint_eq(advice->ties, ties);
  *found += brute.fit->len;
  g_ptr_array_unref(brute.fit);
}

START_TEST(test_brute_force) {
  static const guint64 others[] = {0, 0, 0, 48000, 100000, 15500, 1 << 20};
  static const guint64 rows[] = {0, 0, 8, 16, 5, 33};
  SmbRandom random = smb_random_new_stream(3, (guint64)_i);
  guint64 found = 0, padded = 0;
  for (guint i = 0; i < MAX(effort(RANDOM_ARRAYS / 8), RANDOM_ARRAYS / 80); i++) {
    Fixture fixture;
    padded += (guint64)fixture_random(&fixture, &random);
    SmbAdviseOptions options = {
        .kinds = (SmbAdviseKinds)smb_random_below(&random, 8),
        .keep = 1 + smb_random_below(&random, KEEP),
        .within = (gboolean)smb_random_below(&random, 2),
        .vector_bytes = smb_random_below(&random, 4) ? 0 : 8u << smb_random_below(&random, 2),
        .row = fixture.array->n_dimensions == 1 ? rows[smb_random_below(&random, 6)] : 0};
    fixture.other_bytes = others[smb_random_below(&random, G_N_ELEMENTS(others))];
    SmbCounter counter = (SmbCounter)smb_random_below(&random, SMB_N_COUNTERS);
    options.counter = smb_counter_available(counter) ? &counter : NULL;
    check_search(&fixture, &options, &found);
    fixture_clear(&fixture);
  }
  ck_assert_uint_gt(found, MAX(effort(1000), 100));
  ck_assert_uint_gt(padded, 0);
}
END_TEST

// Padding by one period more is never better: nor by two.
START_TEST(test_periods) {
  SmbRandom random = smb_random_new(4);
  guint compared = 0;
  for (guint i = 0; i < MAX(effort(PERIOD_ARRAYS), PERIOD_ARRAYS / 10); i++) {
    Fixture fixture;
    fixture_random(&fixture, &random);
    const SmbArray *array = fixture.array;
    const SmbArrayUse *use = NULL;
    G_GNUC_UNUSED g_autoptr(SmbArrayUses) uses = find_uses(&fixture, &use);
    SmbLayout original = smb_array_use_layout(use, 0);
    guint period = find_period(fixture.arch, array->element_bytes);
    SmbLayout layout = original;
    for (guint pad = 0; pad < period; pad++) {
      guint64 wavefronts[3] = {0};
      for (guint times = 0; times < 3; times++) {
        layout.pad = pad + times * period;
        g_autoptr(SmbCandidate) candidate = smb_advise_try(fixture.arch, use, &original, &layout);
        gboolean fits = candidate->fit == SMB_LAYOUT_FITS;
        wavefronts[times] = fits ? candidate->total.wavefronts : G_MAXUINT64;
      }
      ck_assert_uint_le(wavefronts[0], wavefronts[1]);
      ck_assert_uint_le(wavefronts[0], wavefronts[2]);
      compared += wavefronts[1] != G_MAXUINT64;
    }
    fixture_clear(&fixture);
  }
  ck_assert_uint_gt(compared, 1000);
}
END_TEST

// A large tile: the whole space of 64 x 64 floats under three accesses, fast and slowly.
START_TEST(test_tile) {
  static const guint32 all = 0xffffffffu;
  Fixture fixture;
  fixture_init(&fixture, "sm_90",
               "float before[1]; __shared__ float4 align[1]; __shared__ float "
               "a[64][64]; __shared__ float after[1]");
  guint32 base = fixture.array->base;
  for (guint32 i = 0; i < 64; i += 16) {
    SmbRequest row = {.op = SMB_OP_ST, .width = 4, .mask = all}, column = row, wide = row;
    column.op = wide.op = SMB_OP_LD;
    wide.width = 16;
    for (guint32 lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
      row.offset[lane] = base + i * 256 + lane * 4;
      column.offset[lane] = base + lane * 256 + i * 4;
      wide.offset[lane] = base + lane * 256 + i * 16 % 256;
    }
    add_request(&fixture, 0, 1, &row);
    add_request(&fixture, 1, 1, &column);
    add_request(&fixture, 2, 1, &wide);
  }
  guint64 found = 0;
  SmbAdviseOptions options = {.keep = KEEP, .max_counts = G_MAXUINT64};
  check_search(&fixture, &options, &found);
  // Given up, it says so.
  options.max_counts = 1000;
  const SmbArrayUse *use = NULL;
  G_GNUC_UNUSED g_autoptr(SmbArrayUses) uses = find_uses(&fixture, &use);
  g_autoptr(SmbAdvice) part = smb_advise_array(fixture.arch, use, &options);
  ck_assert(part->given_up);
  ck_assert_uint_gt(part->searched, 0);
  fixture_clear(&fixture);
}
END_TEST

// A request of two arrays cannot be laid out anew; requests of others do not matter.
START_TEST(test_others) {
  Fixture fixture;
  fixture_init(&fixture, "sm_90",
               "float before[32]; __shared__ float a[32][32]; __shared__ float "
               "after[32]");
  SmbRequest request = {.op = SMB_OP_LD, .width = 4, .mask = 0xffffffffu};
  for (guint32 lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request.offset[lane] = lane * 4;
  add_request(&fixture, 0, 1, &request);
  SmbAdviseOptions options = {.keep = 3};
  guint64 found = 0;
  check_search(&fixture, &options, &found);
  ck_assert_uint_gt(found, 0);
  request.offset[31] += 4;
  add_request(&fixture, 1, 1, &request);
  const SmbArrayUse *use = NULL;
  G_GNUC_UNUSED g_autoptr(SmbArrayUses) uses = find_uses(&fixture, &use);
  g_autoptr(SmbAdvice) advice = smb_advise_array(fixture.arch, use, &options);
  ck_assert_uint_eq(advice->best->len, 0);
  ck_assert_uint_eq(advice->ties, 0);
  ck_assert_uint_gt(advice->searched, 0);
  ck_assert_uint_eq(advice->unfit, advice->searched);
  ck_assert_int_eq(advice->original->fit, SMB_LAYOUT_OUTSIDE);
  ck_assert_uint_eq(advice->original->misfit_access, 1);
  fixture_clear(&fixture);
  smb_advice_free(NULL);
  smb_candidate_free(NULL);
}
END_TEST

Suite *
suite_advise(void) {
  Suite *suite = suite_create("advise");
  TCase *tcase = tcase_create("advise");
  tcase_add_loop_test(tcase, test_brute_force, 0, 8);
  tcase_add_test(tcase, test_periods);
  tcase_add_test(tcase, test_tile);
  tcase_add_test(tcase, test_others);
  suite_add_tcase(suite, tcase);
  return suite;
}
