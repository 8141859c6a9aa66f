// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Layouts count what a kernel counts that does the same: random layouts and accesses in all notations, and lines of CUDA C that compute the
// same addresses from the definitions. A million accesses with SMEMBANK_TEST_EFFORT=full (doc/layout.md).
#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/layout/front-end.h"
#include "sim/layout/tile-program.h"
#include "tests/effort.h"
#include "tests/kernel-run.h"
#include "tests/random-tile.h"
#include "tests/suite.h"

enum {
  TILES = 16,     // of one kernel
  TOUCHES = 4,    // of each
  SIDE = 125,     // kernels: the square of it; a hundredth of them without full effort
  FIRST_LINE = 8, // of the kernel: of the first access
};

static const char head[] = "__global__ void k() {\n"
                           "  extern __shared__ char s[];\n"
                           "  int t = threadIdx.x, p, r, c;\n"
                           "  char z1 = 0; short z2 = 0; int z4 = 0;\n"
                           "  int2 z8 = make_int2(t, t);\n"
                           "  int4 z16 = make_int4(t, t, t, t);\n"
                           "  int l = t %% %u, w = t / %u;\n";

// One layout with its accesses, counted without a kernel. @width: what one instruction moves
typedef struct {
  RandomTile tile;
  RandomTouch touches[TOUCHES];
  SmbTally totals[TOUCHES];
  guint width[TOUCHES];
} Counted;

static void
count_requests(const SmbArch *arch, const GArray *requests, SmbTally *total) {
  *total = (SmbTally){.requests = requests->len};
  for (guint i = 0; i < requests->len; i++) {
    const SmbWavefronts one =
        smb_wavefronts_count(arch, &g_array_index(requests, SmbTileRequest, i).request);
    total->wavefronts += one.wavefronts;
    total->excess += one.excess;
    total->max_degree = MAX(total->max_degree, one.degree);
  }
}

static void
count_tile(SmbRandom *random, const SmbArch *arch, Counted *counted) {
  guint lanes = smb_arch_info(arch)->lanes;
  const SmbProgramOptions options = {.lanes = lanes};
  g_autoptr(GString) text = g_string_new("layout ");
  g_autoptr(GError) error = NULL;
  random_tile(random, &counted->tile);
  g_string_append_printf(text, "%s\n", counted->tile.text->str);
  for (guint i = 0; i < TOUCHES; i++) {
    random_touch(random, &counted->tile, lanes, smb_arch_info(arch)->vendor == SMB_VENDOR_NVIDIA,
                 &counted->touches[i]);
    g_string_append_printf(text, "access %s\n", counted->touches[i].text->str);
  }
  g_autoptr(GBytes) bytes = g_bytes_new(text->str, text->len);
  g_autoptr(SmbSource) source = smb_source_new("t", bytes, NULL);
  SmbProgram *program = smb_program_read(source, &options, &error);
  ck_assert_msg(program != NULL, "%s: %s", text->str, error ? error->message : "");
  for (guint i = 0; i < TOUCHES; i++) {
    g_autoptr(GArray) requests =
        smb_tile_access_requests(smb_layout_program_accesses(program)->pdata[i],
                                 smb_layout_program_tile(program), source, NULL);
    count_requests(arch, requests, &counted->totals[i]);
    counted->width[i] = g_array_index(requests, SmbTileRequest, 0).request.width;
  }
  smb_program_free(program);
}

static void
clear_counted(Counted *counted) {
  random_tile_clear(&counted->tile);
  for (guint i = 0; i < TOUCHES; i++)
    random_touch_clear(&counted->touches[i]);
}

// The access as a line of the kernel.
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
static void
compare_access(const Counted *counted, guint which, const SmbAccess *access) {
  const SmbTally *one = &counted->totals[which], *other = access ? &access->total : NULL;
  const RandomTouch *touch = &counted->touches[which];
  if (!other || one->requests * MAX(touch->matrices, 1) != other->requests ||
      one->wavefronts != other->wavefronts || one->excess != other->excess ||
      one->max_degree != other->max_degree)
    ck_abort_msg("%s, %s: %u requests, %u wavefronts, of a kernel %u, %u: %s %s",
                 counted->tile.text->str, touch->text->str, (guint)one->requests,
                 (guint)one->wavefronts, other ? (guint)other->requests : 0,
                 other ? (guint)other->wavefronts : 0, touch->element->str,
                 counted->tile.place->str);
}

// Returns: how many accesses have conflicts
static guint
compare_kernel(SmbRandom *random, const SmbArch *arch) {
  Counted counted[TILES];
  guint threads = 0, conflicts = 0, lanes = smb_arch_info(arch)->lanes;
  g_autoptr(GString) kernel = g_string_new(NULL);
  g_string_append_printf(kernel, head, lanes, lanes);
  for (guint i = 0; i < TILES; i++) {
    count_tile(random, arch, &counted[i]);
    for (guint k = 0; k < TOUCHES; k++) {
      append_line(kernel, &counted[i].tile, &counted[i].touches[k], counted[i].width[k]);
      threads = MAX(threads, (counted[i].touches[k].threads + lanes - 1) / lanes * lanes);
    }
  }
  g_string_append(kernel, "}\n");
  const KernelSetup setup = {.arch = smb_arch_info(arch)->name,
                             .block = {threads},
                             .dynamic_bytes = 1 << 16,
                             .limits = {.max_steps = 100000000},
                             .threads = 1,
                             .forgets = TRUE};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", kernel->str, &setup);
  ck_assert_msg(!run.error, "%s", run.error ? run.error->message : "");
  for (guint i = 0; i < TILES * TOUCHES; i++) {
    const SmbAccess *access = find_access(&run, FIRST_LINE + i);
    compare_access(&counted[i / TOUCHES], i % TOUCHES, access);
    conflicts += access->total.excess > 0;
  }
  for (guint i = 0; i < TILES; i++)
    clear_counted(&counted[i]);
  return conflicts;
}

START_TEST(test_kernel) {
  static const char *const chips[] = {"sm_90",  "sm_90",  "sm_90",  "sm_120",
                                      "gfx942", "gfx950", "gfx1201"};
  SmbArch *archs[G_N_ELEMENTS(chips)];
  guint kernels = 0, conflicts = 0;
  for (guint i = 0; i < G_N_ELEMENTS(chips); i++)
    archs[i] = smb_arch_load(chips[i], NULL);
  for (guint i = 0; i < effort(SIDE); i++) {
    SmbRandom random = smb_random_new(20261129 + i);
    for (guint k = 0; k < effort(SIDE); k++) {
      conflicts += compare_kernel(&random, archs[smb_random_below(&random, G_N_ELEMENTS(chips))]);
      kernels++;
    }
  }
  if (g_getenv("SMEMBANK_TEST_SHOW"))
    g_printerr("%u accesses, %u with conflicts\n", kernels * TILES * TOUCHES, conflicts);
  ck_assert_uint_gt(conflicts, kernels * TILES * TOUCHES / 10);
  ck_assert_uint_lt(conflicts, kernels * TILES * TOUCHES / 10 * 9);
  for (guint i = 0; i < G_N_ELEMENTS(chips); i++)
    smb_arch_unref(archs[i]);
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
