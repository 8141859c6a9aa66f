// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a warp of 64 lanes asks of memory is what two warps of 32 ask: every kernel is run with both, and what each half
// of a warp asked, from the first request to the last, must be the same.
#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/open/catalog.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

enum {
  HALF = 32,
  MAX_HALVES = SMB_MAX_BLOCK_THREADS / HALF,
  N_BLOCKS = 2, // of a grid that are run
};

// What half a warp asked in one request.
typedef struct {
  guint site;
  gboolean is_global;
  guint op; // of shared memory
  guint width;
  guint32 mask;
  guint64 address[HALF]; // 0 where a lane asks nothing
} Asked;

typedef struct {
  guint lanes; // of a warp
  GArray *asked[MAX_HALVES];
} Record;

// Takes what the lanes of a warp ask to the halves that they are in.
#define TAKE(user, warp, active, addresses, ...)                                                   \
  {                                                                                                \
    Record *record = (user);                                                                       \
    for (guint half = 0; half < record->lanes / HALF; half++) {                                    \
      Asked asked = {__VA_ARGS__, .mask = (guint32)((active) >> (half * HALF))};                   \
      for (guint lane = 0; lane < HALF; lane++)                                                    \
        asked.address[lane] = asked.mask >> lane & 1 ? (addresses)[half * HALF + lane] : 0;        \
      if (asked.mask)                                                                              \
        g_array_append_val(record->asked[(warp)*record->lanes / HALF + half], asked);              \
    }                                                                                              \
  }

static void
take_shared(gpointer user, guint site, guint warp, G_GNUC_UNUSED const char *array,
            const SmbRequest *request) {
  TAKE(user, warp, request->mask, request->offset, .site = site, .op = request->op,
       .width = request->width)
}

static void
take_global(gpointer user, guint site, guint warp, G_GNUC_UNUSED const char *buffer, SmbLanes mask,
            guint width, const guint64 *addresses) {
  TAKE(user, warp, mask, addresses, .site = site, .is_global = TRUE, .width = width)
}

static void
take_warning(G_GNUC_UNUSED gpointer user, G_GNUC_UNUSED SmbWarning warning,
             G_GNUC_UNUSED guint site, G_GNUC_UNUSED guint other,
             G_GNUC_UNUSED const char *message) {
}

static void
record_init(Record *record) {
  for (guint i = 0; i < MAX_HALVES; i++)
    record->asked[i] = g_array_new(FALSE, FALSE, sizeof(Asked));
}

static void
record_clear(Record *record) {
  for (guint i = 0; i < MAX_HALVES; i++)
    g_array_unref(record->asked[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Record, record_clear)

static void
record_kernel(Record *record, const char *arch_name, SmbSource *source,
              const SmbCatalogEntry *entry) {
  static const SmbSink sink = {take_shared, take_global, take_warning};
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = kernel_run_arch(arch_name);
  record->lanes = smb_arch_info(arch)->lanes;
  const SmbProgramOptions options = {.entry = entry->entry,
                                     .defines = (const char *const *)entry->defines,
                                     .cuda_arch = 900,
                                     .lanes = record->lanes};
  g_autoptr(SmbProgram) program = smb_program_read(source, &options, &error);
  ck_assert_msg(program != NULL, "%s", error ? error->message : "");
  SmbLaunch launch = {.arguments = (const char *const *)entry->args};
  memcpy(launch.block, entry->block, sizeof launch.block);
  memcpy(launch.grid, entry->grid, sizeof launch.grid);
  gint64 dynamic = 0;
  if (entry->dynamic_bytes)
    ck_assert(smb_program_evaluate(program, entry->dynamic_bytes, &dynamic, NULL));
  launch.dynamic_bytes = (gsize)dynamic;
  g_autoptr(SmbGlobal) global = smb_global_new(program, &launch);
  g_autoptr(SmbBlock) block =
      smb_block_new(program, arch, &launch, NULL, &sink, record, global, &error);
  ck_assert_msg(block != NULL, "%s", error ? error->message : "");
  guint64 n_blocks = (guint64)launch.grid[0] * launch.grid[1] * launch.grid[2];
  for (guint64 i = 0; i < MIN(n_blocks, N_BLOCKS); i++)
    ck_assert_msg(smb_block_run(block, i, &error), "%s", error ? error->message : "");
}

// How many requests of halves were compared.
static guint
compare_kernel(SmbSource *source, const SmbCatalogEntry *entry) {
  g_auto(Record) narrow, wide;
  guint n = 0;
  record_init(&narrow);
  record_init(&wide);
  record_kernel(&narrow, "sm_90", source, entry);
  record_kernel(&wide, "wide", source, entry);
  for (guint half = 0; half < MAX_HALVES; half++) {
    const GArray *a = narrow.asked[half], *b = wide.asked[half];
    ck_assert_msg(a->len == b->len, "%s %s: half %u asks %u times, not %u", entry->name,
                  entry->shape, half, b->len, a->len);
    for (guint i = 0; i < a->len; i++)
      ck_assert_msg(
          memcmp(&g_array_index(a, Asked, i), &g_array_index(b, Asked, i), sizeof(Asked)) == 0,
          "%s %s: request %u of half %u", entry->name, entry->shape, i, half);
    n += a->len;
  }
  return n;
}

START_TEST(test_catalog) {
  g_autoptr(GPtrArray) catalog = smb_catalog_load(NULL);
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = catalog->pdata[i];
    if (strcmp(entry->name, "reduceShfl") == 0)
      continue; // its masks name 32 lanes
    g_autoptr(SmbSource) source = smb_catalog_file(entry->file, NULL);
    ck_assert_uint_gt(compare_kernel(source, entry), 0);
  }
}
END_TEST

// What the catalogue has not: loops and branches that lanes leave apart, accesses to several objects at once, vectors,
// structures, local arrays, atomics, blocks that are not whole warps, and threads that return.
static const char *const texts[] = {
    "__global__ void k(int *a, int *b) { __shared__ int s[256]; int t = threadIdx.x;\n"
    "  for (int i = 0; i < t % 37; i++) { s[(t * 7 + i) & 255] = i; if (i * 3 > t) break;\n"
    "    if (i & 1) continue; a[t + i] += s[t]; } atomicAdd(&s[t % 5], t); b[t] = s[t % 5]; }",
    "__global__ void k(float4 *a, float *b) { __shared__ float4 s[200]; __shared__ float f[200];\n"
    "  int t = threadIdx.y * blockDim.x + threadIdx.x; s[t] = a[t * 3]; f[199 - t] = t;\n"
    "  float *p = t % 3 ? &f[t] : &s[t].y; *p += 2; a[t] = s[199 - t]; atomicAdd(&b[t / 9], *p); }",
    "struct S { int x; double y; };\n"
    "__global__ void k(S *a) { __shared__ S s[180]; int q[7]; int t = threadIdx.x;\n"
    "  if (t > 170) return; for (int i = 0; i < 7; i++) q[(t + i) % 7] = i * t;\n"
    "  s[t].x = q[t % 7]; s[t].y = q[3]; S v = s[t]; if (t % 2) a[t] = v; else a[t].x = v.x; }",
};

START_TEST(test_text) {
  char none[] = "";
  char *nothing[] = {NULL};
  const SmbCatalogEntry entry = {.name = none,
                                 .shape = none,
                                 .block = {_i == 1 ? 20 : 180, _i == 1 ? 9 : 1, 1},
                                 .grid = {2, 1, 1},
                                 .defines = nothing,
                                 .args = nothing};
  g_autoptr(GBytes) bytes = g_bytes_new_static(texts[_i], strlen(texts[_i]));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  ck_assert_uint_gt(compare_kernel(source, &entry), 20);
}
END_TEST

Suite *
suite_warps(void) {
  Suite *suite = suite_create("warps");
  TCase *cases = tcase_create("warps");
  tcase_add_test(cases, test_catalog);
  tcase_add_loop_test(cases, test_text, 0, G_N_ELEMENTS(texts));
  suite_add_tcase(suite, cases);
  return suite;
}
