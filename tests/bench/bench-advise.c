// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long the search for a layout takes on one core: a 64 x 64 tile of floats under four accesses, once
// as rows are known and once as a flat array, with each counter.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/advise/advise.h"
#include "sim/arch/arch.h"

enum {
  N_RUNS = 5,
};

#define BODY                                                                                       \
  "  int t = threadIdx.x;\n"                                                                       \
  "  for (int i = t / 32; i < 64; i += 8)\n"                                                       \
  "    for (int j = t % 32; j < 64; j += 32) T(i, j) = t;\n"                                       \
  "  __syncthreads();\n"                                                                           \
  "  float sum = 0;\n"                                                                             \
  "  for (int i = t / 32; i < 64; i += 8)\n"                                                       \
  "    for (int j = t % 32; j < 64; j += 32) sum += T(j, i);\n"                                    \
  "  float4 v;\n"                                                                                  \
  "  for (int i = t / 16; i < 64; i += 16) { v = *(float4 *)&T(i, t % 16 * 4); sum += v.x; }\n"    \
  "  for (int i = t / 64; i < 16; i += 4) { v = *(float4 *)&T(t % 64, i * 4); sum += v.y; }\n"     \
  "  out[t] = sum;\n"                                                                              \
  "}\n"

typedef struct {
  const char *what;
  const char *text;
} Tile;

static const Tile tiles[] = {
    {"float tile[64][64]", "#define T(i, j) tile[i][j]\n__global__ void k(float *out) {\n"
                           "  __shared__ float tile[64][64];\n" BODY},
    {"float tile[4096]", "#define T(i, j) tile[(i) * 64 + (j)]\n__global__ void k(float *out) {\n"
                         "  __shared__ float tile[4096];\n" BODY},
};

// Seconds of one search, the best of several, and printed.
static void
time_search(const SmbProgram *kernel, const SmbArch *arch, const SmbAnalysis *analysis,
            SmbCounter counter) {
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(kernel, NULL, analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, 0);
  const SmbAdviseOptions options = {.keep = 8, .counter = &counter};
  double best = 1e9;
  guint64 searched = 0, wavefronts = 0;
  for (guint run = 0; run < N_RUNS; run++) {
    gint64 start = g_get_monotonic_time();
    g_autoptr(SmbAdvice) advice = smb_advise_array(arch, use, &options);
    best = MIN(best, (double)(g_get_monotonic_time() - start) / 1e6);
    searched = advice->searched;
    wavefronts = ((const SmbCandidate *)g_ptr_array_index(advice->best, 0))->total.wavefronts;
  }
  printf("  %-9s %8.4f s, %" G_GUINT64_FORMAT " layouts, best %" G_GUINT64_FORMAT " wavefronts\n",
         smb_counter_name(counter), best, searched, wavefronts);
}

static gboolean
time_tile(const Tile *tile, const SmbArch *arch, GError **error) {
  g_autoptr(GBytes) bytes = g_bytes_new_static(tile->text, strlen(tile->text));
  g_autoptr(SmbSource) source = smb_source_new("tile.cu", bytes, error);
  if (!source)
    return FALSE;
  g_autoptr(SmbProgram) kernel =
      smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900}, error);
  if (!kernel)
    return FALSE;
  const SmbLaunch launch = {.block = {256, 1, 1}, .grid = {1, 1, 1}};
  const SmbAnalysisOptions options = {.keep_requests = TRUE};
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(kernel, arch, &launch, &options, error);
  if (!analysis)
    return FALSE;
  printf("%s, %u accesses, %u distinct requests: the search\n", tile->what, analysis->accesses->len,
         analysis->requests->len);
  for (guint counter = 0; counter < SMB_N_COUNTERS; counter++) {
    if (smb_counter_available((SmbCounter)counter))
      time_search(kernel, arch, analysis, (SmbCounter)counter);
  }
  return TRUE;
}

int
main(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, &error);
  for (guint i = 0; arch && i < G_N_ELEMENTS(tiles); i++) {
    if (!time_tile(&tiles[i], arch, &error))
      break;
  }
  if (!error)
    return EXIT_SUCCESS;
  fprintf(stderr, "%s\n", error->message);
  return EXIT_FAILURE;
}
