// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Layouts count what a kernel counts that does the same: random layouts and accesses in all notations, and lines of CUDA C that compute the
// same addresses from the definitions. A million accesses with SMEMBANK_TEST_EFFORT=full (doc/layout.md).
#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/program/program.h"
#include "tests/effort.h"
#include "tests/kernel-run.h"
#include "tests/random-tile.h"
#include "tests/suite.h"

enum {
  TILES = 8,      // of one kernel
  TOUCHES = 4,    // of each
  SIDE = 177,     // kernels: the square of it; a hundredth of them without full effort
  FIRST_LINE = 8, // of the kernel: of the first access
};

static const char head[] = "__global__ void k() {\n"
                           "  extern __shared__ char s[];\n"
                           "  int t = threadIdx.x, p, r, c;\n"
                           "  char z1 = 0; short z2 = 0; int z4 = 0;\n"
                           "  int2 z8 = make_int2(t, t);\n"
                           "  int4 z16 = make_int4(t, t, t, t);\n"
                           "  int l = t %% %u, w = t / %u;\n";

// One layout with its accesses, counted without a kernel.
typedef struct {
  RandomTile tile;
  RandomTouch touches[TOUCHES];
  KernelRun run;
} Counted;

static void
count_tile(SmbRandom *random, const char *arch, guint lanes, Counted *counted) {
  g_autoptr(GString) text = g_string_new("layout ");
  random_tile(random, &counted->tile);
  g_string_append_printf(text, "%s\n", counted->tile.text->str);
  guint threads = 0;
  for (guint i = 0; i < TOUCHES; i++) {
    random_touch(random, &counted->tile, lanes, &counted->touches[i]);
    g_string_append_printf(text, "access %s\n", counted->touches[i].text->str);
    threads = MAX(threads, (counted->touches[i].threads + lanes - 1) / lanes * lanes);
  }
  const KernelSetup setup = {.arch = arch, .block = {threads}, .forgets = TRUE};
  kernel_run(&counted->run, "t", text->str, &setup);
  ck_assert_msg(!counted->run.error, "%s: %s", text->str,
                counted->run.error ? counted->run.error->message : "");
}

static void
clear_counted(Counted *counted) {
  random_tile_clear(&counted->tile);
  for (guint i = 0; i < TOUCHES; i++)
    random_touch_clear(&counted->touches[i]);
  kernel_run_clear(&counted->run);
}

// The access as a line of the kernel. @width: what one instruction moves
static void
append_line(GString *kernel, const RandomTile *tile, const RandomTouch *touch, guint width) {
  static const char *const types[] = {
      [1] = "char", [2] = "short", [4] = "int", [8] = "int2", [16] = "int4"};
  guint step = touch->matrices ? 1 : width / tile->bytes;
  g_string_append_printf(kernel, "  if (t < %u) for (int v = 0; v < %u; v += %u) ", touch->threads,
                         touch->values, step);
  if (touch->matrices)
    g_string_append(kernel, "if (l / 8 == v) ");
  g_string_append_printf(kernel, "{ %s { %s ", touch->element->str, tile->place->str);
  if (touch->op == SMB_OP_LD)
    g_string_append_printf(kernel, "z%u = *(%s *)(s + p);", width, types[width]);
  else if (touch->op == SMB_OP_ST)
    g_string_append_printf(kernel, "*(%s *)(s + p) = z%u;", types[width], width);
  else
    g_string_append(kernel, "z4 = atomicAdd((int *)(s + p), t);");
  g_string_append(kernel, " } }\n");
}

static const SmbAccess *
find_access(const KernelRun *run, guint line) {
  for (guint i = 0; i < run->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(run->analysis->accesses, SmbAccess, i);
    if (access->site->line == line)
      return access;
  }
  return NULL;
}

// What both count of one access; matrices are requests of their own in the kernel.
static gboolean
compare_access(const SmbAccess *counted, const SmbAccess *kernel, guint matrices) {
  return counted && kernel && counted->site->op_class == kernel->site->op_class &&
         counted->total.requests * MAX(matrices, 1) == kernel->total.requests &&
         counted->total.wavefronts == kernel->total.wavefronts &&
         counted->total.ideal == kernel->total.ideal &&
         counted->total.excess == kernel->total.excess &&
         counted->total.max_degree == kernel->total.max_degree;
}

static void
refuse_difference(const Counted *of, const RandomTouch *touch, const SmbAccess *counted,
                  const SmbAccess *kernel) {
  ck_abort_msg("%s, %s: %u requests, %u wavefronts, of a kernel %u, %u: %s %s", of->tile.text->str,
               touch->text->str, (guint)counted->total.requests, (guint)counted->total.wavefronts,
               kernel ? (guint)kernel->total.requests : 0,
               kernel ? (guint)kernel->total.wavefronts : 0, touch->element->str,
               of->tile.place->str);
}

// Returns: how many accesses have conflicts
static guint
compare_kernel(SmbRandom *random, const char *arch, guint lanes) {
  Counted counted[TILES];
  guint threads = 0, conflicts = 0;
  g_autoptr(GString) kernel = g_string_new(NULL);
  g_string_append_printf(kernel, head, lanes, lanes);
  for (guint i = 0; i < TILES; i++) {
    count_tile(random, arch, lanes, &counted[i]);
    for (guint k = 0; k < TOUCHES; k++) {
      const RandomTouch *touch = &counted[i].touches[k];
      const SmbAccess *access = find_access(&counted[i].run, 2 + k);
      ck_assert_msg(access != NULL, "%s: no request", touch->text->str);
      append_line(kernel, &counted[i].tile, touch, access->site->width);
      threads = MAX(threads, (touch->threads + lanes - 1) / lanes * lanes);
    }
  }
  g_string_append(kernel, "}\n");
  const KernelSetup setup = {.arch = arch,
                             .block = {threads},
                             .dynamic_bytes = 1 << 16,
                             .limits = {.max_steps = 100000000},
                             .forgets = TRUE};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", kernel->str, &setup);
  ck_assert_msg(!run.error, "%s", run.error ? run.error->message : "");
  for (guint i = 0; i < TILES * TOUCHES; i++) {
    const Counted *of = &counted[i / TOUCHES];
    const RandomTouch *touch = &of->touches[i % TOUCHES];
    const SmbAccess *one = find_access(&of->run, 2 + i % TOUCHES);
    const SmbAccess *other = find_access(&run, FIRST_LINE + i);
    if (!compare_access(one, other, touch->matrices))
      refuse_difference(of, touch, one, other);
    conflicts += one->total.excess > 0;
  }
  for (guint i = 0; i < TILES; i++)
    clear_counted(&counted[i]);
  return conflicts;
}

START_TEST(test_kernel) {
  guint kernels = 0, conflicts = 0;
  for (guint i = 0; i < effort(SIDE); i++) {
    SmbRandom random = smb_random_new(20261129 + i);
    for (guint k = 0; k < effort(SIDE); k++) {
      gboolean is_amd = smb_random_below(&random, 5) == 0;
      conflicts += compare_kernel(&random, is_amd ? "gfx942" : "sm_90", is_amd ? 64 : 32);
      kernels++;
    }
  }
  if (g_getenv("SMEMBANK_TEST_SHOW"))
    g_printerr("%u accesses, %u with conflicts\n", kernels * TILES * TOUCHES, conflicts);
  ck_assert_uint_gt(conflicts, kernels * TILES * TOUCHES / 10);
  ck_assert_uint_lt(conflicts, kernels * TILES * TOUCHES / 10 * 9);
}
END_TEST

Suite *
suite_tile_kernel(void) {
  Suite *suite = suite_create("tile-kernel");
  TCase *tcase = tcase_create("tile-kernel");
  tcase_set_timeout(tcase, 0);
  tcase_add_test(tcase, test_kernel);
  suite_add_tcase(suite, tcase);
  return suite;
}
