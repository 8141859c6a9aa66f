// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/tune.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/occupancy.h"
#include "sim/arch/words.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "src/advise/measure.h"
#include "src/analysis/vendor.h"
#include "src/cli/hint.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/table.h"
#include "src/target/target-json.h"

// Macros that are tuned at once, and combinations of their values.
enum {
  MAX_RANGES = 4,
  MAX_TRIALS = 4096
};

typedef struct {
  char *name;
  gint64 low, high;
} Range;

// One combination of values, and what the kernel takes with it.
typedef struct {
  gint64 values[MAX_RANGES];
  SmbTally total;
  SmbTally classes[SMB_N_OP_CLASSES];
  gsize shared_bytes;
  SmbOccupancy occupancy;
  gboolean is_present;
  char *failure;         // why it does not run
  char *assumed;         // by which rules that are assumed it is counted, in a sentence
  SmbAnalysis *analysis; // of one that is measured, or NULL
} Trial;

typedef struct {
  SmbCli *cli;
  const SmbTargetOptions *options;
  const char *file;
  Range ranges[MAX_RANGES];
  guint n_ranges;
  guint n_classes; // of access that are shown: atomics if there are any
  gboolean present_known;
  gint64 present[MAX_RANGES];
  GPtrArray *trials; // Trial
  guint top;         // trials that are shown in text, and measured; the present one besides
  SmbAdviseMeasured *measured; // or NULL
} Tuning;

static void
trial_free(gpointer data) {
  Trial *trial = data;
  g_free(trial->assumed);
  g_free(trial->failure);
  smb_analysis_free(trial->analysis);
  g_free(trial);
}

static void
tuning_clear(Tuning *tuning) {
  for (guint i = 0; i < MAX_RANGES; i++)
    g_free(tuning->ranges[i].name);
  g_clear_pointer(&tuning->measured, smb_advise_measured_free);
  g_clear_pointer(&tuning->trials, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tuning, tuning_clear)

static gboolean
parse_macro_range(Tuning *tuning, const char *text, GError **error) {
  Range *range = &tuning->ranges[tuning->n_ranges];
  const char *equals = strchr(text, '=');
  const char *dots = equals ? strstr(equals, "..") : NULL;
  g_autofree char *low = dots ? g_strndup(equals + 1, (gsize)(dots - equals - 1)) : NULL;
  gboolean good =
      low && equals > text &&
      g_ascii_string_to_signed(low, 10, G_MININT32, G_MAXINT32, &range->low, NULL) &&
      g_ascii_string_to_signed(dots + 2, 10, range->low, G_MAXINT32, &range->high, NULL);
  if (!good)
    return smb_cli_usage_error(
        error, "--tune '%s': expected NAME=LO..HI: a macro, and its whole numbers from LO to HI",
        text);
  range->name = g_strndup(text, (gsize)(equals - text));
  for (guint i = 0; i < tuning->n_ranges; i++) {
    if (strcmp(tuning->ranges[i].name, range->name) == 0)
      return smb_cli_usage_error(error, "--tune '%s': '%s' is tuned twice", text, range->name);
  }
  tuning->n_ranges++;
  return TRUE;
}

static gboolean
parse_ranges(Tuning *tuning, const char *const *ranges, guint64 *n, GError **error) {
  *n = 1;
  for (guint i = 0; ranges[i]; i++) {
    if (i == MAX_RANGES)
      return smb_cli_usage_error(error, "--tune: at most %d macros are tuned at once", MAX_RANGES);
    if (!parse_macro_range(tuning, ranges[i], error))
      return FALSE;
    *n *= (guint64)(tuning->ranges[i].high - tuning->ranges[i].low) + 1;
    if (*n > MAX_TRIALS)
      return smb_cli_usage_error(
          error, "--tune: more than %d combinations of values: expected fewer", MAX_TRIALS);
  }
  return TRUE;
}

// The target with the macros set to the values of a trial; NULL: as they are.
static SmbTarget *
make_tuned_target(const Tuning *tuning, const gint64 *values, GError **error) {
  SmbTargetOptions options = *tuning->options;
  g_autoptr(GStrvBuilder) defines = g_strv_builder_new();
  if (options.defines)
    g_strv_builder_addv(defines, (const char **)options.defines);
  for (guint i = 0; values && i < tuning->n_ranges; i++) {
    g_autofree char *define =
        g_strdup_printf("%s=%" G_GINT64_FORMAT, tuning->ranges[i].name, values[i]);
    g_strv_builder_add(defines, define);
  }
  g_auto(GStrv) all = g_strv_builder_end(defines);
  options.defines = all;
  return smb_target_new(&options, tuning->file, tuning->cli->arch, NULL, error);
}

// A macro that nothing mentions would be tuned in vain.
static gboolean
check_macros(const Tuning *tuning, const SmbTarget *target, GError **error) {
  g_auto(GStrv) unused = smb_program_unused_defines(target->kernel);
  for (guint i = 0; i < tuning->n_ranges; i++) {
    if (g_strv_contains((const char *const *)unused, tuning->ranges[i].name))
      return smb_cli_usage_error(error, "--tune %s: the text has no such macro",
                                 tuning->ranges[i].name);
  }
  return TRUE;
}

static void
find_present(Tuning *tuning) {
  g_autoptr(SmbTarget) target = make_tuned_target(tuning, NULL, NULL);
  tuning->present_known = target != NULL;
  for (guint i = 0; tuning->present_known && i < tuning->n_ranges; i++)
    tuning->present_known =
        smb_program_evaluate(target->kernel, tuning->ranges[i].name, &tuning->present[i], NULL);
}

static void
run_tuning_trial(const Tuning *tuning, Trial *trial, const SmbTarget *target, GError **error) {
  const SmbArch *arch = tuning->cli->arch;
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, arch, error);
  if (!analysis)
    return;
  const guint *block = target->launch.block;
  memcpy(trial->classes, analysis->totals, sizeof trial->classes);
  trial->total = smb_analysis_total(analysis);
  trial->shared_bytes = analysis->shared_bytes;
  trial->assumed = smb_analyze_describe_assumed(arch, analysis);
  trial->occupancy = smb_occupancy(arch, block[0] * block[1] * block[2], analysis->shared_bytes);
}

static gboolean
try_values(Tuning *tuning, guint64 number, GError **error) {
  Trial *trial = g_new0(Trial, 1);
  g_ptr_array_add(tuning->trials, trial);
  for (guint i = tuning->n_ranges; i-- > 0;) {
    guint64 n = (guint64)(tuning->ranges[i].high - tuning->ranges[i].low) + 1;
    trial->values[i] = tuning->ranges[i].low + (gint64)(number % n);
    number /= n;
  }
  trial->is_present =
      tuning->present_known && memcmp(trial->values, tuning->present, sizeof trial->values) == 0;
  g_autoptr(GError) local = NULL;
  g_autoptr(SmbTarget) target = make_tuned_target(tuning, trial->values, &local);
  if (target) {
    if (!check_macros(tuning, target, error))
      return FALSE;
    run_tuning_trial(tuning, trial, target, &local);
  }
  if (local) {
    g_autofree char *told = smb_cli_error_text(local);
    g_auto(GStrv) lines = g_strsplit(told, "\n", 2);
    trial->failure = g_strdup(lines[0]);
  }
  return TRUE;
}

static int
compare_trials(gconstpointer a, gconstpointer b) {
  const Trial *x = *(const Trial *const *)a, *y = *(const Trial *const *)b;
  return smb_order(x->failure != NULL, y->failure != NULL)
             ?: smb_order(x->total.wavefronts, y->total.wavefronts)
             ?: smb_order(x->shared_bytes, y->shared_bytes);
}

// Whether a trial is among those that are shown in text.
static gboolean
is_shown(const Tuning *tuning, guint trial) {
  return trial < tuning->top ||
         ((const Trial *)g_ptr_array_index(tuning->trials, trial))->is_present;
}

// "IPAD=2"
static char *
name_values(const Tuning *tuning, const Trial *trial) {
  GString *name = g_string_new(NULL);
  for (guint i = 0; i < tuning->n_ranges; i++)
    g_string_append_printf(name, "%s%s=%" G_GINT64_FORMAT, i ? " " : "", tuning->ranges[i].name,
                           trial->values[i]);
  return g_string_free(name, FALSE);
}

// Runs on the device what is shown.
static gboolean
measure_trials(Tuning *tuning, SmbMeter *meter, GError **error) {
  SmbArch *arch = tuning->cli->arch;
  tuning->measured = smb_advise_measured_new(meter, arch);
  for (guint i = 0; i < tuning->trials->len; i++) {
    Trial *trial = g_ptr_array_index(tuning->trials, i);
    if (trial->failure || !is_shown(tuning, i))
      continue;
    g_autofree char *name = name_values(tuning, trial);
    g_autoptr(SmbTarget) target = make_tuned_target(tuning, trial->values, error);
    if (!target || !(trial->analysis = smb_target_analyze(target, arch, error)))
      return FALSE;
    if (!smb_advise_measured_add(tuning->measured, target, NULL, name, trial->analysis, error))
      return FALSE;
  }
  return TRUE;
}

// No value runs: what is wrong with the first is told as if it were asked for.
static gboolean
fail_trial(const Tuning *tuning, const Trial *trial, GError **error) {
  g_autoptr(SmbTarget) target = make_tuned_target(tuning, trial->values, error);
  if (target)
    smb_analysis_free(smb_target_analyze(target, tuning->cli->arch, error));
  return FALSE;
}

static gboolean
knows_resident_blocks(const SmbCli *cli) {
  return smb_arch_info(cli->arch)->sm_shared_bytes != 0;
}

static void
write_tuning_row(SmbTable *table, const Tuning *tuning, const Trial *trial, guint rank) {
  SmbStyle style = trial->total.excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  gboolean knows_residents = knows_resident_blocks(tuning->cli);
  smb_table_number(table, SMB_STYLE_BOLD, rank);
  for (guint i = 0; i < tuning->n_ranges; i++)
    smb_table_printf(table, SMB_STYLE_PLAIN, "%" G_GINT64_FORMAT, trial->values[i]);
  if (trial->failure) {
    for (guint i = 0; i < tuning->n_classes + 3 + knows_residents; i++)
      smb_table_cell(table, SMB_STYLE_DIM, "-");
    smb_table_cell(table, SMB_STYLE_BAD, trial->failure);
    return;
  }
  for (guint c = 0; c < tuning->n_classes; c++)
    smb_table_number(table, SMB_STYLE_PLAIN, trial->classes[c].wavefronts);
  smb_table_number(table, style, trial->total.wavefronts);
  smb_table_number(table, style, trial->total.excess);
  smb_table_number(table, SMB_STYLE_PLAIN, trial->shared_bytes);
  if (knows_residents)
    smb_table_number(table, SMB_STYLE_PLAIN, trial->occupancy.blocks);
  smb_table_cell(table, SMB_STYLE_BOLD, trial->is_present ? "now" : "");
}

static void
write_tuning_table(SmbCli *cli, const Tuning *tuning) {
  g_autoptr(SmbTable) table = smb_table_new(">");
  for (guint i = 0; i < tuning->n_ranges; i++)
    smb_table_column(table, tuning->ranges[i].name, SMB_ALIGN_RIGHT);
  smb_table_columns(table, tuning->n_classes > SMB_OP_CLASS_ATOMIC ? "loads>|stores>|atomics>"
                                                                   : "loads>|stores>");
  smb_table_columns(table, smb_arch_say(cli->arch, "wavefronts>|excess>|bytes>"));
  if (knows_resident_blocks(cli))
    smb_table_columns(table, smb_arch_say(cli->arch, "blocks/SM>"));
  smb_table_column(table, "", SMB_ALIGN_LEFT);
  smb_table_wrap(table);
  for (guint i = 0; i < tuning->trials->len; i++) {
    if (is_shown(tuning, i))
      write_tuning_row(table, tuning, g_ptr_array_index(tuning->trials, i), i + 1);
  }
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_tuning_text(SmbCli *cli, gconstpointer result) {
  const Tuning *tuning = result;
  const Trial *best = g_ptr_array_index(tuning->trials, 0);
  g_autoptr(SmbTarget) target = make_tuned_target(tuning, best->values, NULL);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, target->name);
  smb_spool_printf(cli->out, "  %s, %s\n\n", target->file, smb_arch_info(cli->arch)->name);
  write_tuning_table(cli, tuning);
  guint ties = 0, failed = 0;
  for (guint i = 0; i < tuning->trials->len; i++) {
    const Trial *trial = g_ptr_array_index(tuning->trials, i);
    failed += trial->failure != NULL;
    ties += !trial->failure && trial->total.wavefronts == best->total.wavefronts;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(
      text, "Tried %s. Best: %s", smb_count(tuning->trials->len, "combination").text,
      smb_count(best->total.wavefronts, smb_arch_say(cli->arch, "wavefront")).text);
  if (best->total.excess)
    g_string_append_printf(text, ", %s of them in excess", smb_number(best->total.excess).text);
  g_string_append_printf(
      text,
      smb_arch_say(cli->arch,
                   ", reached by %u; these are listed by shared memory, the least first."),
      ties);
  if (failed)
    g_string_append_printf(text, " %u cannot be run.", failed);
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap(cli->out, text->str);
  if (tuning->measured)
    smb_advise_write_measured(cli, "macros", tuning->measured);
}

static void
write_tuning_json(SmbCli *cli, gconstpointer result) {
  const Tuning *tuning = result;
  const Trial *best = g_ptr_array_index(tuning->trials, 0);
  g_autoptr(SmbTarget) target = make_tuned_target(tuning, best->values, NULL);
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_target(json, target, best->shared_bytes);
  smb_json_arch(json, cli->arch);
  smb_json_array(json, "tuned");
  for (guint i = 0; i < tuning->trials->len; i++) {
    const Trial *trial = g_ptr_array_index(tuning->trials, i);
    smb_json_object(json, NULL);
    smb_json_number(json, "rank", i + 1);
    smb_json_object(json, "values");
    for (guint j = 0; j < tuning->n_ranges; j++)
      smb_json_number(json, tuning->ranges[j].name, trial->values[j]);
    json_builder_end_object(json);
    smb_json_boolean(json, "present", trial->is_present);
    smb_json_text(json, "failure", trial->failure);
    if (trial->failure) {
      smb_json_null(json, "totals");
      smb_json_null(json, "shared_bytes");
      smb_json_null(json, "blocks_per_sm");
    } else {
      smb_json_totals(json, trial->classes, NULL);
      smb_json_number(json, "shared_bytes", (gint64)trial->shared_bytes);
      smb_json_number_if(json, "blocks_per_sm", trial->occupancy.known, trial->occupancy.blocks);
    }
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_advise_json_measured(json, tuning->measured);
  smb_json_end(json, cli->out);
}

static void
write_tuning_csv(SmbCli *cli, gconstpointer result) {
  const Tuning *tuning = result;
  g_autoptr(GString) names = g_string_new("rank");
  for (guint i = 0; i < tuning->n_ranges; i++)
    g_string_append_printf(names, ",%s", tuning->ranges[i].name);
  g_string_append(names, ",present,requests,wavefronts,ideal_wavefronts,shared_bytes,failure");
  SmbCsv csv = smb_csv_begin(cli->out, names->str);
  for (guint i = 0; i < tuning->trials->len; i++) {
    const Trial *trial = g_ptr_array_index(tuning->trials, i);
    smb_csv_number(&csv, i + 1);
    for (guint j = 0; j < tuning->n_ranges; j++) {
      g_autofree char *value = g_strdup_printf("%" G_GINT64_FORMAT, trial->values[j]);
      smb_csv_text(&csv, value);
    }
    smb_csv_text(&csv, trial->is_present ? "yes" : "no");
    if (trial->failure)
      smb_csv_skip(&csv, 4);
    else
      SMB_CSV_NUMBERS(&csv, trial->total.requests, trial->total.wavefronts, trial->total.ideal,
                      trial->shared_bytes);
    smb_csv_text(&csv, trial->failure);
    smb_csv_end_row(&csv);
  }
}

const SmbFormat smb_tuning_formats[] = {{"text", write_tuning_text, NULL},
                                        {"json", write_tuning_json, NULL},
                                        {"csv", write_tuning_csv, NULL},
                                        {NULL, NULL, NULL}};
const SmbFormat smb_tuning_measured_formats[] = {
    {"text", write_tuning_text, NULL}, {"json", write_tuning_json, NULL}, {NULL, NULL, NULL}};

gboolean
smb_advise_tune(SmbCli *cli, const SmbTargetOptions *options, const char *file,
                const char *const *ranges, guint top, SmbMeter *meter, GError **error) {
  g_auto(Tuning) tuning = {.cli = cli, .options = options, .file = file, .top = top};
  guint64 n;
  if (!parse_ranges(&tuning, ranges, &n, error))
    return FALSE;
  tuning.trials = g_ptr_array_new_with_free_func(trial_free);
  find_present(&tuning);
  SmbProgress *progress = smb_cli_progress(cli);
  smb_progress_begin(progress, "combinations", n);
  for (guint64 i = 0; i < n; i++) {
    if (!try_values(&tuning, i, error))
      return FALSE;
    smb_progress_add(progress, 1);
  }
  tuning.n_classes = SMB_OP_CLASS_ATOMIC;
  for (guint i = 0; i < tuning.trials->len; i++) {
    const Trial *trial = g_ptr_array_index(tuning.trials, i);
    if (trial->classes[SMB_OP_CLASS_ATOMIC].requests)
      tuning.n_classes = SMB_N_OP_CLASSES;
  }
  g_ptr_array_sort(tuning.trials, compare_trials);
  const Trial *best = g_ptr_array_index(tuning.trials, 0);
  if (best->failure)
    return fail_trial(&tuning, best, error);
  if (meter && !measure_trials(&tuning, meter, error))
    return FALSE;
  cli->format->write(cli, &tuning);
  if (*best->assumed)
    smb_spool_printf(cli->messages, "smembank advise: note: %s\n", best->assumed);
  if (tuning.measured && tuning.measured->mismatches > 0)
    cli->status = SMB_EXIT_DIFFERS;
  return TRUE;
}
