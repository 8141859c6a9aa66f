// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Layouts: the swizzle as CuTe defines it, places and back, and requests moved byte by byte.
#include "sim/program/layout.h"
#include "sim/tensor/map.h"

#include <check.h>
#include <string.h>

#include "sim/advise/array-use.h"
#include "sim/base/error.h"
#include "sim/trace/pattern.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

enum {
  SWIZZLED_BITS = 10,
  RANDOM_LAYOUTS = 2000,
  RANDOM_MOVES = 20000,
  MAP_BYTES = 65536,
};

// Swizzle<B,M,S> as CuTe's documentation writes it down: masks of equal length, yyy where the bits are
// read and zzz where they are changed.
static guint64
swizzle_like_cute(int bits, int base, int shift, guint64 offset) {
  guint64 mask = (1ull << bits) - 1;
  guint64 yyy = mask << (base + MAX(0, shift));
  guint64 zzz = mask << (base - MIN(0, shift));
  guint64 moved = shift >= 0 ? (offset & yyy) >> shift : (offset & yyy) << -shift;
  ck_assert((moved & ~zzz) == 0);
  return offset ^ moved;
}

// Every swizzle of a few bits: what it does, and that doing it twice undoes it.
START_TEST(test_swizzle) {
  for (int bits = 0; bits <= SWIZZLED_BITS / 2; bits++) {
    for (int base = 0; base + bits <= SWIZZLED_BITS; base++) {
      for (int shift = -SWIZZLED_BITS; shift <= SWIZZLED_BITS; shift++) {
        if (ABS(shift) < bits || bits + base + ABS(shift) > SWIZZLED_BITS)
          continue;
        SmbLayout layout = {4, 32, 0, (guint)bits, (guint)base, shift};
        for (guint64 n = 0; n < 1u << SWIZZLED_BITS; n++) {
          guint64 got = smb_layout_swizzle(&layout, n);
          ck_assert(got == swizzle_like_cute(bits, base, shift, n));
          ck_assert(smb_layout_swizzle(&layout, got) == n);
        }
      }
    }
  }
}
END_TEST

START_TEST(test_swizzle_values) {
  SmbLayout half = {2, 64, 0, 3, 3, 3}, down = {4, 4, 0, 1, 0, -2}, tile = {4, 32, 0, 5, 0, 5};
  ck_assert_uint_eq(smb_layout_swizzle(&half, 64), 72);
  ck_assert_uint_eq(smb_layout_swizzle(&half, 7 * 64 + 8 * 5 + 3), 7 * 64 + 8 * 2 + 3);
  ck_assert_uint_eq(smb_layout_swizzle(&down, 1), 5);
  ck_assert_uint_eq(smb_layout_swizzle(&down, 4), 4);
  ck_assert_uint_eq(smb_layout_swizzle(&tile, 31 * 32 + 1), 31 * 32 + 30);
}
END_TEST

static void
random_layout(SmbRandom *random, guint element_bytes, SmbLayout *layout) {
  layout->element_bytes = element_bytes;
  layout->columns = smb_random_below(random, 2) ? 1u << smb_random_below(random, 8)
                                                : 1 + smb_random_below(random, 100);
  layout->pad = smb_random_below(random, 2) ? smb_random_below(random, 40) : 0;
  layout->bits = smb_random_below(random, 4);
  layout->base = smb_random_below(random, 4);
  int shift = (int)(layout->bits + smb_random_below(random, 4));
  layout->shift = smb_random_below(random, 3) ? shift : -shift;
}

// Each element has a place of its own that leads back to it, and none lies beyond the bytes.
START_TEST(test_places) {
  SmbRandom random = smb_random_new(1);
  for (guint i = 0; i < RANDOM_LAYOUTS; i++) {
    SmbLayout layout;
    random_layout(&random, 1u << smb_random_below(&random, 5), &layout);
    guint64 n_elements = 1 + smb_random_below(&random, 300);
    guint64 bytes = smb_layout_bytes(&layout, n_elements);
    g_autofree guint8 *taken = g_malloc0(bytes);
    for (guint64 n = 0; n < n_elements; n++) {
      guint64 place = smb_layout_place(&layout, n), back;
      ck_assert(place + layout.element_bytes <= bytes);
      for (guint byte = 0; byte < layout.element_bytes; byte++) {
        ck_assert(taken[place + byte]++ == 0);
        ck_assert(smb_layout_find(&layout, place + byte, &back));
        ck_assert(back == n);
      }
    }
    guint64 pitch = layout.columns + layout.pad, n;
    for (guint64 column = layout.columns; column < pitch; column++)
      ck_assert(!smb_layout_find(&layout, (3 * pitch + column) * layout.element_bytes, &n));
  }
}
END_TEST

typedef struct {
  SmbLayout layout; // element bytes, columns, pad, B, M, S
  guint64 elements;
  guint64 bytes;
} Bytes;

static const Bytes bytes_cases[] = {
    {{4, 32, 0, 0, 0, 0}, 1024, 4096},
    {{4, 32, 1, 0, 0, 0}, 1024, 4224},
    {{4, 32, 1, 5, 0, 5}, 1024, 4224},
    {{2, 64, 0, 3, 3, 3}, 4096, 8192},
    {{16, 8, 1, 0, 0, 0}, 64, 1152},
    {{4, 100, 0, 0, 0, 0}, 100, 400},
    // No rows of its own: n + n / 32.
    {{4, 32, 1, 0, 0, 0}, 100, 412},
    {{4, 32, 1, 0, 0, 0}, 128, 528},
    // Whole blocks of what is exchanged; whole rows around them.
    {{4, 100, 0, 5, 0, 5}, 100, 512},
    {{4, 48, 0, 5, 0, 5}, 48, 256},
    {{4, 48, 0, 5, 0, 5}, 144, 768},
    {{4, 48, 0, 4, 0, 5}, 144, 576},
    {{4, 4, 0, 1, 0, -3}, 12, 64},
};

// Whether a copy of a box with a swizzle puts each byte of rows of @span bytes where a layout has it.
static gboolean
lies_as_box(const SmbLayout *layout, guint span, guint64 n_elements) {
  SmbTensorMap map = {.swizzle = span / 32 == 4 ? 3 : span / 32};
  for (guint64 n = 0; n < n_elements; n++)
    if (smb_layout_place(layout, n) != smb_tensor_swizzle(&map, n * layout->element_bytes))
      return FALSE;
  return TRUE;
}

// All swizzles of numbers of up to 16 bytes in rows of 32, 64 and 128.
START_TEST(test_tensor_span) {
  guint n_found = 0;
  for (guint bits = 0; bits < 5; bits++)
    for (guint base = 0; base < 6; base++)
      for (gint shift = -6; shift < 7; shift++)
        for (guint element = 1; element <= 16; element *= 2)
          for (guint span = 32; span <= 128; span *= 2) {
            SmbLayout layout = {element, span / element, 0, bits, base, shift};
            if ((guint)ABS(shift) < bits)
              continue;
            guint found = smb_layout_tensor_span(&layout, span);
            ck_assert_uint_eq(found, lies_as_box(&layout, span, 16384 / element) ? span : 0);
            n_found += found > 0;
            gboolean is_any =
                bits > 0 && bits <= 3 && lies_as_box(&layout, 16u << bits, 16384 / element);
            ck_assert_uint_eq(smb_layout_tensor_span(&layout, 0), is_any ? 16u << bits : 0);
            layout.pad = 1;
            ck_assert_uint_eq(smb_layout_tensor_span(&layout, span), 0);
          }
  ck_assert_uint_eq(n_found, 5 * 3);
}
END_TEST

START_TEST(test_bytes) {
  const Bytes *c = &bytes_cases[_i];
  ck_assert_uint_eq(smb_layout_bytes(&c->layout, c->elements), c->bytes);
}
END_TEST

typedef struct {
  const char *text;
  int bits, base, shift; // bits -1: refused
  const char *message;
} Parse;

#define EXPECTED "expected Swizzle<B,M,S> such as Swizzle<3,3,3>"
static const Parse parse_cases[] = {
    {"Swizzle<3,3,3>", 3, 3, 3, NULL},
    {" cute::Swizzle < 2, 4 ,3 > ", 2, 4, 3, NULL},
    {"cute :: Swizzle<1,0,-4>", 1, 0, -4, NULL},
    {"Swizzle<0,4,3>", 0, 4, 3, NULL},
    {"Swizzle<0,0,0>", 0, 0, 0, NULL},
    {"Swizzle<5,0,5>", 5, 0, 5, NULL},
    {"Swizzle<16,0,16>", 16, 0, 16, NULL},
    {"", -1, 0, 0, "'' is not a swizzle: " EXPECTED},
    {"3,3,3", -1, 0, 0, "'3,3,3' is not a swizzle: " EXPECTED},
    {"Swizzle<3,3>", -1, 0, 0, "'Swizzle<3,3>' is not a swizzle: " EXPECTED},
    {"Swizzle<-1,3,3>", -1, 0, 0, "'Swizzle<-1,3,3>' is not a swizzle: " EXPECTED},
    {"Swizzle<3,3,3>x", -1, 0, 0, "'Swizzle<3,3,3>x' is not a swizzle: " EXPECTED},
    {"Swizzle<1,2,300>", -1, 0, 0, "'Swizzle<1,2,300>' is not a swizzle: " EXPECTED},
    {"swizzle<3,3,3>", -1, 0, 0, "'swizzle<3,3,3>' is not a swizzle: " EXPECTED},
    {"Swizzle<3,3,2>", -1, 0, 0,
     "'Swizzle<3,3,2>': the bits that it reads and changes overlap: expected S of at least 3 or at "
     "most -3"},
    {"Swizzle<3,3,-2>", -1, 0, 0,
     "'Swizzle<3,3,-2>': the bits that it reads and changes overlap: expected S of at least 3 or "
     "at most -3"},
    {"Swizzle<8,16,9>", -1, 0, 0,
     "'Swizzle<8,16,9>' takes 33 bits: expected B + M + |S| of at most 32"},
};

START_TEST(test_parse) {
  const Parse *c = &parse_cases[_i];
  g_autoptr(GError) error = NULL;
  SmbLayout layout = {4, 32, 1, 9, 9, 9}, before = layout;
  gboolean parsed = smb_layout_parse_swizzle(c->text, &layout, &error);
  if (c->bits < 0) {
    ck_assert(!parsed);
    ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE));
    ck_assert_str_eq(error->message, c->message);
    ck_assert_mem_eq(&layout, &before, sizeof layout);
    return;
  }
  ck_assert_msg(parsed, "%s", error ? error->message : "");
  ck_assert_uint_eq(layout.bits, (guint)c->bits);
  ck_assert_uint_eq(layout.base, (guint)c->base);
  ck_assert_int_eq(layout.shift, c->shift);
  ck_assert_uint_eq(layout.columns, 32);
  ck_assert_uint_eq(layout.pad, 1);
}
END_TEST

// Where each byte of an array goes; bytes of no element: -1.
static void
map_bytes(const SmbLayout *from, const SmbLayout *to, gint64 *map) {
  for (guint i = 0; i < MAP_BYTES; i++)
    map[i] = -1;
  for (guint64 n = 0; n * from->element_bytes < MAP_BYTES; n++) {
    for (guint byte = 0; byte < from->element_bytes; byte++) {
      guint64 at = smb_layout_place(from, n) + byte;
      if (at < MAP_BYTES)
        map[at] = (gint64)(smb_layout_place(to, n) + byte);
    }
  }
}

static SmbLayoutFit
move_bytes(const gint64 *map, guint32 base, const SmbRequest *request, SmbRequest *moved) {
  *moved = *request;
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
    if (!(smb_request_lanes(request) >> lane & 1))
      continue;
    if (request->offset[lane] < base)
      return SMB_LAYOUT_OUTSIDE;
    guint32 offset = request->offset[lane] - base;
    for (guint byte = 0; byte < request->width; byte++) {
      if (map[offset + byte] < 0)
        return SMB_LAYOUT_OUTSIDE;
      if (map[offset + byte] != map[offset] + byte)
        return SMB_LAYOUT_TORN;
    }
    if ((base + (guint64)map[offset]) % smb_width_alignment(request->width))
      return SMB_LAYOUT_MISALIGNED;
    moved->offset[lane] = base + (guint32)map[offset];
  }
  return SMB_LAYOUT_FITS;
}

START_TEST(test_move) {
  static const guint32 bases[] = {0, 16, 4, 1024};
  SmbRandom random = smb_random_new(2);
  g_autofree gint64 *map = g_new(gint64, MAP_BYTES);
  SmbLayout from = {.element_bytes = 0}, to = from;
  guint seen[4] = {0};
  for (guint i = 0; i < RANDOM_MOVES; i++) {
    if (i % 20 == 0) {
      guint element = i % 200 == 0 ? 12 : 1u << smb_random_below(&random, 5);
      random_layout(&random, element, &from);
      random_layout(&random, element, &to);
      if (smb_random_below(&random, 2))
        from.bits = from.pad = 0;
      map_bytes(&from, &to, map);
    }
    guint32 base = bases[smb_random_below(&random, G_N_ELEMENTS(bases))];
    SmbRequest request, got, want;
    guint width = smb_width(smb_random_below(&random, SMB_N_WIDTHS));
    smb_pattern_request(&random, SMB_NVIDIA_LANES, SMB_OP_LD, width, 2048, &request);
    if (smb_random_below(&random, 4)) // few lanes, so that more of them fit
      request.mask &= 1u << smb_random_below(&random, 32);
    memset(&got, 0, sizeof got);
    SmbLayoutFit fit = smb_layout_move(&from, &to, base, &request, &got);
    SmbLayoutFit wanted = move_bytes(map, base, &request, &want);
    // Check's assertions are slow: one is made where something is wrong.
    if (fit != wanted || (fit == SMB_LAYOUT_FITS && memcmp(&got, &want, sizeof got) != 0))
      ck_abort_msg("round %u: %d, expected %d", i, (int)fit, (int)wanted);
    seen[fit]++;
  }
  for (guint i = 0; i < G_N_ELEMENTS(seen); i++)
    ck_assert_uint_gt(seen[i], 100);
}
END_TEST

// An array of a kernel of 32 threads, and how it lies.
typedef struct {
  const char *text; // t: the thread
  guint64 row;
  gsize dynamic_bytes;
  guint64 columns;
  guint64 pad;
} Original;

#define COLUMN "for (int i = 0; i < 16; i++) a[i][t] = t;"
static const Original originals[] = {
    {"__shared__ float a[32][33]; a[t][5] = t; a[5][t] = t;", 0, 0, 32, 1},
    {"__shared__ float a[32][32]; a[t][5] = t; a[5][t] = t;", 0, 0, 32, 0},
    {"__shared__ float a[16][32]; " COLUMN, 0, 0, 32, 0},
    {"__shared__ float a[16][36]; " COLUMN, 0, 0, 32, 4},
    // More than 16 bytes: not for alignment, so perhaps for a larger launch.
    {"__shared__ float a[16][37]; " COLUMN, 0, 0, 37, 0},
    {"__shared__ float a[32][32]; if (t < 16) for (int i = 0; i < 16; i++) a[i][t] = 1;", 0, 0, 32,
     0},
    {"__shared__ short a[32][40]; a[t][0] = 1; a[0][t] = 1;", 0, 0, 32, 8},
    {"__shared__ short a[32][41]; a[t][0] = 1; a[0][t] = 1;", 0, 0, 41, 0},
    // What runs on from row to row has no padding at its end.
    {"__shared__ float a[8][6]; *(float2 *)&a[0][2 * (t % 20)] = make_float2(1, 2); if (t < 4) "
     "*(float4 *)((float *)a + 4 * t) = make_float4(1, 2, 3, 4);",
     0, 0, 6, 0},
    {"__shared__ float4 a[4][9]; a[t / 8][t % 8] = make_float4(1, 2, 3, 4);", 0, 0, 8, 1},
    {"__shared__ float a[4][4][36]; a[t / 8 % 4][0][t] = 1;", 0, 0, 32, 4},
    {"__shared__ float a[32]; a[t] = t;", 0, 0, 32, 0},
    {"__shared__ float a[64]; a[t] = t;", 0, 0, 64, 0},
    {"__shared__ float a[330]; a[t % 10 * 33 + t] = t; a[32] = 1;", 33, 0, 33, 0},
    {"__shared__ float a[330]; a[t % 10 * 33] = t; a[t] = t;", 33, 0, 32, 1},
    {"extern __shared__ float a[]; a[t % 10 * 33] = t; a[t] = t;", 33, 1320, 32, 1},
    {"extern __shared__ float a[]; a[t % 10 * 33] = t; a[t] = t;", 0, 1320, 330, 0},
    {"__shared__ float a; if (t == 0) a = t;", 0, 0, 1, 0},
};

START_TEST(test_original) {
  const Original *c = &originals[_i];
  KernelSetup setup = {.block = {32}, .dynamic_bytes = c->dynamic_bytes, .keeps_requests = TRUE};
  g_autofree char *text =
      g_strdup_printf("__global__ void k(int *out) {\n  int t = threadIdx.x;\n  %s\n}\n", c->text);
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(run.kernel, NULL, run.analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, 0);
  SmbLayout layout = smb_array_use_layout(use, c->row);
  ck_assert_uint_eq(use->bytes, use->array->is_dynamic ? c->dynamic_bytes : use->array->bytes);
  ck_assert_uint_eq(layout.element_bytes, use->array->element_bytes);
  ck_assert_uint_eq(layout.columns, c->columns);
  ck_assert_uint_eq(layout.pad, c->pad);
  ck_assert_uint_eq(layout.bits, 0);
}
END_TEST

Suite *
suite_layout(void) {
  Suite *suite = suite_create("layout");
  TCase *tcase = tcase_create("layout");
  tcase_add_test(tcase, test_swizzle);
  tcase_add_test(tcase, test_swizzle_values);
  tcase_add_test(tcase, test_places);
  tcase_add_test(tcase, test_tensor_span);
  tcase_add_loop_test(tcase, test_bytes, 0, G_N_ELEMENTS(bytes_cases));
  tcase_add_loop_test(tcase, test_parse, 0, G_N_ELEMENTS(parse_cases));
  tcase_add_test(tcase, test_move);
  tcase_add_loop_test(tcase, test_original, 0, G_N_ELEMENTS(originals));
  suite_add_tcase(suite, tcase);
  return suite;
}
