// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The inputs of random kernels, and what our machine computes of them.
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "tests/compute-run.h"
#include "tests/random-ptx.h"

// --- inputs

// A floating-point number that is a zero, subnormal, the least, the greatest, infinite or none.
static guint64
make_special(GRand *random, guint bits, guint fraction) {
  guint64 ones = (G_GUINT64_CONSTANT(1) << fraction) - 1;
  guint64 top = (G_GUINT64_CONSTANT(1) << (bits - 1 - fraction)) - 1;
  const guint64 exponents[] = {0, 0, 1, top / 2, top - 1, top},
                fractions[] = {0, 1, ones, ones / 2 + 1};
  guint64 digits = g_rand_boolean(random)
                       ? fractions[g_rand_int_range(random, 0, 4)]
                       : ((guint64)g_rand_int(random) << 32 | g_rand_int(random)) & ones;
  return (guint64)g_rand_boolean(random) << (bits - 1) |
         exponents[g_rand_int_range(random, 0, 6)] << fraction | digits;
}

static guint64
make_number(GRand *random) {
  static const char *const types[] = {"f16", "bf16", "f32", "f64"};
  static const guint8 forms[][2] = {{16, 10}, {16, 7}, {32, 23}, {64, 52}};
  guint type = (guint)g_rand_int_range(random, 0, 4);
  guint64 low, high;
  switch (g_rand_int_range(random, 0, 5)) {
  case 0:
  case 1:
    return runner_number(random);
  case 2:
    low = make_special(random, forms[type][0], forms[type][1]);
    high = make_special(random, forms[type][0], forms[type][1]);
    return forms[type][0] == 16 ? low | high << 16 : low;
  }
  return runner_real(random, types[type]);
}

GBytes *
random_ptx_inputs(const RandomPtx *ptx, guint32 seed, guint n_threads) {
  GRand *random = g_rand_new_with_seed(seed);
  gsize n = (gsize)ptx->n_inputs * n_threads;
  guint64 *values = g_new(guint64, n);
  for (gsize i = 0; i < n; i++) {
    values[i] = make_number(random);
    // Often close to another input of the thread, or the same.
    if (i >= n_threads && g_rand_int_range(random, 0, 5) == 0)
      values[i] = values[i - n_threads] + (guint64)g_rand_int_range(random, -1, 2);
  }
  g_rand_free(random);
  return g_bytes_new_take(values, n * sizeof *values);
}

// --- our machine

static SmbProgram *
read_program(const RandomPtx *ptx, GBytes *image, const SmbArch *arch, GError **error) {
  g_autoptr(GBytes) bytes = image ? g_bytes_ref(image) : g_bytes_new(ptx->text, strlen(ptx->text));
  g_autoptr(SmbSource) source = smb_source_new_any("random", bytes, error);
  SmbProgramOptions options = {.cuda_arch = smb_program_cuda_arch(arch), .lanes = 32};
  return source ? smb_program_read(source, &options, error) : NULL;
}

static void
read_outcome(const RandomPtx *ptx, const SmbGlobal *global, guint n_threads,
             RandomOutcome *outcome) {
  gsize n = (gsize)ptx->results->len * n_threads;
  outcome->values = g_new0(guint64, n);
  outcome->known = g_new0(guint8, n);
  for (gsize i = 0; i < n; i++) {
    guint bytes = g_array_index(ptx->results, RandomResult, i / n_threads).bytes;
    bytes = bytes ? bytes : 4;
    smb_global_read(global, 0, 8 * i, &outcome->values[i], bytes);
    outcome->known[i] = smb_global_mask(global, 0, 8 * i, &outcome->values[i], bytes) == bytes;
  }
}

gboolean
random_ptx_run(const RandomPtx *ptx, GBytes *image, const char *target, GBytes *inputs,
               guint n_threads, RandomOutcome *outcome, GError **error) {
  gsize length;
  const guchar *bytes = g_bytes_get_data(inputs, &length);
  SmbContents contents = {.fill = SMB_FILL_BYTES, .bytes = bytes, .length = length};
  SmbBuffer in = {.name = (char *)"1", .contents = contents};
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  g_ptr_array_add(buffers, &in);
  SmbLaunch launch = {.block = {RANDOM_THREADS, 1, 1},
                      .grid = {n_threads / RANDOM_THREADS, 1, 1},
                      .buffers = buffers};
  g_autoptr(SmbArch) arch = smb_arch_load(target, error);
  SmbProgram *program = arch ? read_program(ptx, image, arch, error) : NULL;
  if (!program)
    return FALSE;
  g_autoptr(SmbGlobal) global = smb_global_new(program, &launch);
  SmbAnalysisOptions options = {.threads = 1, .global = global};
  SmbAnalysis *analysis = smb_analysis_run(program, arch, &launch, &options, error);
  if (analysis)
    read_outcome(ptx, global, n_threads, outcome);
  smb_analysis_free(analysis);
  smb_program_free(program);
  return analysis != NULL;
}

void
random_outcome_clear(RandomOutcome *outcome) {
  g_clear_pointer(&outcome->values, g_free);
  g_clear_pointer(&outcome->known, g_free);
}
