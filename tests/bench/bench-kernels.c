// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Processor time of whole analyses on one core: kernels of CUDA C from their text to their counts, the best of
// several runs. `make bench` in two builds compares them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/open/catalog.h"

enum {
  N_RUNS = 7,
};

// A scalar SGEMM, as it is written before anyone vectorises it: each thread keeps an 8 x 8 tile.
static const char sgemm[] = //
    "#define BM 128\n"
    "#define BN 128\n"
    "#define BK 8\n"
    "#define TM 8\n"
    "#define TN 8\n"
    "__global__ void sgemm(int n, const float *a, const float *b, float *c) {\n"
    "  __shared__ float as[BK * BM], bs[BK * BN];\n"
    "  int row = threadIdx.x / (BN / TN), column = threadIdx.x % (BN / TN);\n"
    "  float sum[TM * TN], rm[TM], rn[TN];\n"
    "  for (int i = 0; i < TM * TN; i++) sum[i] = 0;\n"
    "  for (int k0 = 0; k0 < n; k0 += BK) {\n"
    "    for (int i = threadIdx.x; i < BK * BM; i += 256) {\n"
    "      as[i % BK * BM + i / BK] = a[(blockIdx.y * BM + i / BK) * n + k0 + i % BK];\n"
    "      bs[i] = b[(k0 + i / BN) * n + blockIdx.x * BN + i % BN];\n"
    "    }\n"
    "    __syncthreads();\n"
    "    for (int k = 0; k < BK; k++) {\n"
    "      for (int i = 0; i < TM; i++) rm[i] = as[k * BM + row * TM + i];\n"
    "      for (int i = 0; i < TN; i++) rn[i] = bs[k * BN + column * TN + i];\n"
    "      for (int i = 0; i < TM; i++)\n"
    "        for (int j = 0; j < TN; j++) sum[i * TN + j] += rm[i] * rn[j];\n"
    "    }\n"
    "    __syncthreads();\n"
    "  }\n"
    "  for (int i = 0; i < TM; i++)\n"
    "    for (int j = 0; j < TN; j++)\n"
    "      c[(blockIdx.y * BM + row * TM + i) * n + blockIdx.x * BN + column * TN + j] =\n"
    "          sum[i * TN + j];\n"
    "}\n";

// A kernel of the catalogue by its file, or a text; launched so that it takes some tenths of a second.
typedef struct {
  const char *what;
  const char *file;
  const char *text;
  const char *defines[3];
  const char *arguments[3];
  guint block[3];
  guint grid[3];
} Case;

static const Case cases[] = {
    {"setRowReadCol, 10000 blocks", .file = "setRowReadCol.cu", .defines = {"BDIMX=32", "BDIMY=32"},
     .block = {32, 32, 1}, .grid = {10000, 1, 1}},
    {"transposeSmem, 4096 x 4096", .file = "transposeSmem.cu", .defines = {"BDIMX=32", "BDIMY=16"},
     .arguments = {"nrows=4096", "ncols=4096"}, .block = {32, 16, 1}, .grid = {128, 256, 1}},
    {"scalar SGEMM 128x128x8, 512^3", .text = sgemm, .arguments = {"n=512"}, .block = {256, 1, 1},
     .grid = {4, 4, 1}},
};

static gboolean
run(const Case *kernel, const SmbArch *arch, guint64 *wavefronts, GError **error) {
  g_autoptr(GBytes) bytes =
      kernel->text ? g_bytes_new_static(kernel->text, strlen(kernel->text)) : NULL;
  g_autoptr(SmbSource) source =
      bytes ? smb_source_new(kernel->what, bytes, error) : smb_catalog_file(kernel->file, error);
  if (!source)
    return FALSE;
  const SmbProgramOptions reading = {.defines = kernel->defines,
                                     .cuda_arch = smb_program_cuda_arch(arch),
                                     .lanes = smb_arch_info(arch)->lanes};
  g_autoptr(SmbProgram) program = smb_program_read(source, &reading, error);
  if (!program)
    return FALSE;
  SmbLaunch launch = {.arguments = kernel->arguments};
  memcpy(launch.block, kernel->block, sizeof launch.block);
  memcpy(launch.grid, kernel->grid, sizeof launch.grid);
  const SmbAnalysisOptions options = {.threads = 1, .every_block = TRUE};
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(program, arch, &launch, &options, error);
  if (!analysis)
    return FALSE;
  *wavefronts = analysis->totals[SMB_OP_CLASS_LOAD].wavefronts +
                analysis->totals[SMB_OP_CLASS_STORE].wavefronts;
  return TRUE;
}

// With an argument, only those whose names it is part of.
int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, &error);
  for (guint i = 0; arch && !error && i < G_N_ELEMENTS(cases); i++) {
    double best = 1e9;
    guint64 wavefronts = 0;
    if (argc > 1 && !strstr(cases[i].what, argv[1]))
      continue;
    for (guint n = 0; n < N_RUNS && !error; n++) {
      clock_t start = clock();
      if (run(&cases[i], arch, &wavefronts, &error))
        best = MIN(best, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    if (!error)
      printf("%-30s %8.4f s, %" G_GUINT64_FORMAT " wavefronts\n", cases[i].what, best, wavefronts);
  }
  if (!error)
    return EXIT_SUCCESS;
  fprintf(stderr, "%s\n", error->message);
  return EXIT_FAILURE;
}
