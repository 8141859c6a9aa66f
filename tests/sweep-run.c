// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/sweep-run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/launch/launch.h"

enum {
  STRIDE = 16, // bytes from one thread's operand, or result, to the next one's
  MAX_THREADS = 1024,
  FIRST_ARGUMENT = 7, // of a line
};

// --- cases

static void
free_case(gpointer data) {
  SweepCase *kernel = data;
  g_free(kernel->name);
  g_free(kernel->kind);
  g_free(kernel->digest);
  g_array_unref(kernel->columns);
  g_strfreev(kernel->arguments);
  g_free(kernel);
}

static SweepCase *
parse_case(const char *line) {
  g_auto(GStrv) words = g_strsplit(line, " ", -1);
  if (g_strv_length(words) < FIRST_ARGUMENT)
    return NULL;
  SweepCase *kernel = g_new0(SweepCase, 1);
  kernel->name = g_strdup(words[0]);
  kernel->kind = g_strdup(words[1]);
  kernel->slack = (guint)strtoul(words[2], NULL, 10);
  kernel->may_be_unknown = words[3][0] == '1';
  kernel->columns = g_array_new(FALSE, FALSE, sizeof(guint));
  g_auto(GStrv) columns = g_strsplit(words[4], ",", -1);
  for (guint i = 0; columns[i]; i++) {
    guint column = (guint)strtoul(columns[i], NULL, 10);
    g_array_append_val(kernel->columns, column);
  }
  kernel->bytes = (guint)strtoul(words[5], NULL, 10);
  if (strcmp(kernel->kind, "digest") == 0)
    kernel->digest = g_strdup(words[6]);
  else
    kernel->offset = (gsize)strtoull(words[6], NULL, 10);
  kernel->arguments = g_strdupv(words + FIRST_ARGUMENT);
  return kernel;
}

static gboolean
is_sound(const Sweep *sweep, const SweepCase *kernel) {
  gsize size = g_bytes_get_size(sweep->expected);
  gsize last = 0;
  for (guint i = 0; i < kernel->columns->len; i++)
    last = MAX(last, g_array_index(kernel->columns, guint, i));
  gsize needed = (last + 1) * sweep->threads * kernel->bytes;
  return kernel->bytes > 0 && kernel->bytes <= STRIDE &&
         (strcmp(kernel->kind, "none") == 0 || kernel->digest ||
          (kernel->offset <= size && needed <= size - kernel->offset));
}

Sweep *
sweep_new(const char *manifest, GBytes *inputs, GBytes *expected) {
  Sweep *sweep = g_new0(Sweep, 1);
  sweep->cases = g_ptr_array_new_with_free_func(free_case);
  sweep->inputs = inputs;
  sweep->expected = expected;
  g_auto(GStrv) lines = g_strsplit(manifest, "\n", -1);
  gboolean sound = lines[0] && g_str_has_prefix(lines[0], "threads ");
  sweep->threads = sound ? (guint)strtoul(lines[0] + strlen("threads "), NULL, 10) : 0;
  sound = sound && sweep->threads > 0 && sweep->threads <= MAX_THREADS;
  for (guint i = 1; sound && lines[i]; i++) {
    if (!*lines[i])
      continue;
    SweepCase *kernel = parse_case(lines[i]);
    sound = kernel != NULL;
    if (!kernel)
      break;
    g_ptr_array_add(sweep->cases, kernel);
    sound = is_sound(sweep, kernel);
  }
  if (!sound)
    g_clear_pointer(&sweep, sweep_free);
  return sweep;
}

void
sweep_free(Sweep *sweep) {
  g_ptr_array_unref(sweep->cases);
  g_bytes_unref(sweep->inputs);
  g_bytes_unref(sweep->expected);
  g_free(sweep);
}

// --- results

typedef struct {
  const char *name;
  guint bytes, fraction; // bits of its fraction
} Format;

static const Format formats[] = {
    {"f16", 2, 10}, {"bf16", 2, 7}, {"f32", 4, 23}, {"f64", 8, 52}, {"e5m2", 1, 2}};

static const Format *
find_format(const char *kind) {
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
    if (strcmp(formats[i].name, kind) == 0)
      return &formats[i];
  return NULL;
}

static guint64
load(const guint8 *bytes, guint n) {
  guint64 word = 0;
  memcpy(&word, bytes, n);
  return GUINT64_FROM_LE(word);
}

// Where a number stands among all of its format.
static gint64
order(const Format *format, guint64 word) {
  guint64 sign = G_GUINT64_CONSTANT(1) << (8 * format->bytes - 1);
  return word & sign ? -(gint64)(word & ~sign) : (gint64)word;
}

static gboolean
is_nan(const Format *format, guint64 word) {
  guint64 sign = G_GUINT64_CONSTANT(1) << (8 * format->bytes - 1);
  guint64 infinity = (sign - 1) >> format->fraction << format->fraction;
  return (word & ~sign) > infinity;
}

static gboolean
is_equal(const SweepCase *kernel, const guint8 *found, const guint8 *expected) {
  const Format *format = find_format(kernel->kind);
  if (!format)
    return memcmp(found, expected, kernel->bytes) == 0;
  for (guint i = 0; i < kernel->bytes; i += format->bytes) {
    guint64 x = load(found + i, format->bytes), y = load(expected + i, format->bytes);
    gboolean nan = is_nan(format, x) && is_nan(format, y);
    if (!nan && (is_nan(format, x) != is_nan(format, y) ||
                 ABS(order(format, x) - order(format, y)) > kernel->slack))
      return FALSE;
  }
  return TRUE;
}

static char *
hexadecimal(const guint8 *bytes, guint n) {
  GString *text = g_string_new("0x");
  for (guint i = n; i > 0; i--)
    g_string_append_printf(text, "%02x", bytes[i - 1]);
  return g_string_free(text, FALSE);
}

// One call of all threads.
static void
compare(const Sweep *sweep, const SweepCase *kernel, const SmbGlobal *global, guint column,
        GChecksum *digest, SweepResult *result) {
  const guint8 *expected = g_bytes_get_data(sweep->expected, NULL);
  gboolean has_expected = strcmp(kernel->kind, "none") != 0 && !kernel->digest;
  for (guint thread = 0; thread < sweep->threads; thread++) {
    guint8 found[STRIDE], known[STRIDE];
    gsize at = (gsize)column * sweep->threads + thread;
    const guint8 *wanted = has_expected ? expected + kernel->offset + at * kernel->bytes : NULL;
    smb_global_read(global, 0, at * STRIDE, found, kernel->bytes);
    memset(known, 1, sizeof known);
    g_checksum_update(digest, found, kernel->bytes);
    result->compared++;
    gboolean is_known =
        smb_global_mask(global, 0, at * STRIDE, known, kernel->bytes) == kernel->bytes;
    gboolean is_wrong = is_known && wanted && !is_equal(kernel, found, wanted);
    result->unknown += !is_known;
    result->wrong += is_wrong;
    if (is_known && !is_wrong)
      continue;
    if (result->example && (!is_wrong || result->wrong > 1))
      continue;
    g_autofree char *is = hexadecimal(found, kernel->bytes);
    g_autofree char *should = wanted ? hexadecimal(wanted, kernel->bytes) : g_strdup("any");
    g_free(result->example);
    result->example = g_strdup_printf("call %u, thread %u: %s, of the host %s", column, thread,
                                      is_known ? is : "not known", should);
  }
}

SweepResult
sweep_run(const Sweep *sweep, const SweepCase *kernel, SmbSource *source, const char *chip) {
  SweepResult result = {0};
  g_autoptr(GError) error = NULL;
  gsize length;
  const guchar *bytes = g_bytes_get_data(sweep->inputs, &length);
  SmbBuffer in = {.name = (char *)"1",
                  .contents = {.fill = SMB_FILL_BYTES, .bytes = bytes, .length = length}};
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  g_ptr_array_add(buffers, &in);
  SmbLaunch launch = {.block = {sweep->threads, 1, 1},
                      .grid = {1, 1, 1},
                      .buffers = buffers,
                      .arguments = (const char *const *)kernel->arguments};
  g_autoptr(SmbArch) arch = smb_arch_load(chip, &error);
  SmbProgramOptions options = {.entry = kernel->name, .lanes = 32};
  options.cuda_arch = arch ? smb_program_cuda_arch(arch) : 0;
  SmbProgram *program = arch ? smb_program_read(source, &options, &error) : NULL;
  SmbGlobal *global = program ? smb_global_new(program, &launch) : NULL;
  SmbAnalysisOptions run = {.threads = 1, .global = global};
  SmbAnalysis *analysis = program ? smb_analysis_run(program, arch, &launch, &run, &error) : NULL;
  g_autoptr(GChecksum) digest = g_checksum_new(G_CHECKSUM_SHA256);
  for (guint i = 0; analysis && i < kernel->columns->len; i++)
    compare(sweep, kernel, global, g_array_index(kernel->columns, guint, i), digest, &result);
  result.digest = g_strdup(g_checksum_get_string(digest));
  if (kernel->digest && strcmp(kernel->digest, result.digest) != 0)
    result.wrong++;
  if (!analysis)
    result.refused = g_strdup(error ? error->message : "no reason");
  g_clear_pointer(&global, smb_global_free);
  smb_analysis_free(analysis);
  smb_program_free(program);
  return result;
}

void
sweep_result_clear(SweepResult *result) {
  g_clear_pointer(&result->refused, g_free);
  g_clear_pointer(&result->digest, g_free);
  g_clear_pointer(&result->example, g_free);
}
