// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Straight-line PTX at random (tests/random-ptx.h), and the machine code that ptxas 13 made of it for each chip, without
// optimization and with: all registers are the same, run as PTX and as machine code. tests/nvcc-random.sh compares more of
// them where there is a ptxas. tests/data/sass/random has them, chosen for the forms of instructions that are in them.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "tests/compute-run.h"
#include "tests/sass-data.h"
#include "tests/suite.h"

enum {
  BLOCK = 256,
  BLOCKS = 2,
  STRIDE = 32768, // of the inputs, and of the results: 8 bytes of each of 4096 threads
  MAX_ROWS = 100,
};

// --- runs

// What a launch leaves in out[], with the numbers of a seed in in[] (transfer full).
static SmbGlobal *
run(GBytes *file, const char *chip, GBytes *inputs) {
  gsize length;
  g_autoptr(GError) error = NULL;
  const guchar *bytes = g_bytes_get_data(inputs, &length);
  SmbBuffer in = {.name = (char *)"1",
                  .contents = {.fill = SMB_FILL_BYTES, .bytes = bytes, .length = length}};
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  g_ptr_array_add(buffers, &in);
  SmbLaunch launch = {.block = {BLOCK, 1, 1}, .grid = {BLOCKS, 1, 1}, .buffers = buffers};
  g_autoptr(SmbArch) arch = smb_arch_load(chip, &error);
  g_autoptr(SmbSource) source = smb_source_new_any("random", file, &error);
  ck_assert_msg(!error, "%s", error ? error->message : "");
  SmbProgramOptions program_options = {.cuda_arch = smb_program_cuda_arch(arch), .lanes = 32};
  SmbProgram *program = smb_program_read(source, &program_options, &error);
  ck_assert_msg(program != NULL, "%s: %s", chip, error ? error->message : "");
  SmbGlobal *global = smb_global_new(program, &launch);
  SmbAnalysisOptions options = {.threads = 1, .global = global};
  SmbAnalysis *analysis = smb_analysis_run(program, arch, &launch, &options, &error);
  ck_assert_msg(analysis != NULL, "%s: %s", chip, error ? error->message : "");
  smb_analysis_free(analysis);
  smb_program_free(program);
  return global;
}

// Numbers of all kinds for each thread.
static GBytes *
make_inputs(guint32 seed) {
  static const char *const types[] = {"f16", "bf16", "f32", "f64"};
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  guint8 *bytes = g_malloc0(MAX_ROWS * STRIDE);
  for (guint row = 0; row < MAX_ROWS; row++)
    for (guint thread = 0; thread < BLOCK * BLOCKS; thread++) {
      guint64 number = g_rand_boolean(random)
                           ? runner_number(random)
                           : runner_real(random, types[g_rand_int_range(random, 0, 4)]);
      memcpy(bytes + (gsize)row * STRIDE + 8 * thread, &number, 8);
    }
  return g_bytes_new_take(bytes, MAX_ROWS * STRIDE);
}

// --- results: "st.global.b32 [%out+32768], %r27;"

typedef struct {
  guint compared, different, unknown;
  GString *text;
} Outcome;

static void
compare(const SmbGlobal *const *runs, guint64 offset, guint bytes, const char *line,
        Outcome *outcome) {
  gboolean told = FALSE;
  for (guint thread = 0; thread < BLOCK * BLOCKS; thread++) {
    guint64 values[2] = {0, 0};
    gboolean known[2];
    for (guint i = 0; i < 2; i++) {
      smb_global_read(runs[i], 0, offset + 8 * thread, &values[i], bytes);
      guint64 copy = values[i];
      known[i] = smb_global_mask(runs[i], 0, offset + 8 * thread, &copy, bytes) == bytes;
    }
    if (!known[0])
      continue;
    outcome->compared++;
    outcome->unknown += !known[1];
    if (!known[1] || values[0] == values[1])
      continue;
    outcome->different++;
    if (!told)
      g_string_append_printf(outcome->text,
                             "\n%s thread %u: %" G_GINT64_MODIFIER
                             "x, of machine code %" G_GINT64_MODIFIER "x",
                             line, thread, values[0], values[1]);
    told = TRUE;
  }
}

static Outcome
compare_all(GBytes *ptx, const SmbGlobal *const *runs) {
  Outcome outcome = {0, 0, 0, g_string_new(NULL)};
  g_autofree char *text = g_strndup(g_bytes_get_data(ptx, NULL), g_bytes_get_size(ptx));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    guint bits;
    guint64 offset = 0;
    if (sscanf(lines[i], "st.global.b%u [%%out+%" G_GUINT64_FORMAT "]", &bits, &offset) >= 1)
      compare(runs, offset, bits / 8, lines[i], &outcome);
  }
  return outcome;
}

static const struct {
  const char *name, *chip;
} kernels[] = {
#define RANDOM_SASS(name, chip) {name, chip},
#include "tests/sass-random.def"
};

START_TEST(is_the_ptx) {
  const char *name = kernels[_i].name;
  g_autofree char *ptx_name =
      g_strdup_printf("random/%.*s.ptx", (int)(strlen(name) - strlen(".O0")), name);
  g_autofree char *image_name = g_strdup_printf("random/%s.cubin", name);
  g_autoptr(GBytes) ptx = sass_data_read(ptx_name), image = sass_data_read(image_name);
  g_autoptr(GBytes) inputs = make_inputs(1);
  g_autoptr(SmbGlobal) of_ptx = run(ptx, kernels[_i].chip, inputs);
  g_autoptr(SmbGlobal) of_image = run(image, kernels[_i].chip, inputs);
  const SmbGlobal *const runs[] = {of_ptx, of_image};
  Outcome outcome = compare_all(ptx, runs);
  ck_assert_msg(outcome.different == 0, "%s: %u of %u:%s", name, outcome.different,
                outcome.compared, outcome.text->str);
  ck_assert_uint_gt(outcome.compared, 20000);
  // Approximate functions, and what is computed of their results.
  ck_assert_msg(5 * outcome.unknown <= outcome.compared, "%s: %u of %u are not known", name,
                outcome.unknown, outcome.compared);
  g_string_free(outcome.text, TRUE);
}
END_TEST

Suite *
suite_sass_random(void) {
  Suite *suite = suite_create("sass-random");
  TCase *tcase = tcase_create("sass-random");
  tcase_add_loop_test(tcase, is_the_ptx, 0, G_N_ELEMENTS(kernels));
  suite_add_tcase(suite, tcase);
  return suite;
}
