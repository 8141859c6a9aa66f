// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/launch-time.h"

#include <math.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/time/record/unplaced.h"
#include "src/cli/hint.h"
#include "src/out/json.h"
#include "src/out/table.h"

#define CACHES "cold|warm"

// Warp instructions that are counted in the time that a prediction with all its accesses takes: two replays of 3 million, one for each access
// that conflicts, and the blocks that are executed for them (0.5 to 2 s of a processor, which counts 30 million a second).
#define PREDICTION_INSTRUCTIONS 64e6

// Of a time: what is less is no change.
#define LEAST_CHANGE 0.005

static gboolean option_time, option_no_time;
static char *option_device, *option_clock, *option_cache;

static const GOptionEntry entries[] = {
    {"device", 0, 0, G_OPTION_ARG_STRING, &option_device,
     "the device that it is predicted for (default: the first one of the architecture)", "NAME"},
    {"time", 0, 0, G_OPTION_ARG_NONE, &option_time,
     "always predict how long the launch takes, what limits it, and what its conflicts cost", NULL},
    {"no-time", 0, 0, G_OPTION_ARG_NONE, &option_no_time, "never predict it", NULL},
    {"clock", 0, 0, G_OPTION_ARG_STRING, &option_clock,
     "the clock of its multiprocessors (default: its boost clock)", "GHZ"},
    {"cache", 0, 0, G_OPTION_ARG_STRING, &option_cache,
     "what the second-level cache holds when the launch begins (default: cold)", CACHES},
    G_OPTION_ENTRY_NULL,
};
const SmbCliGroup smb_launch_time_group = {"Time", entries};
const SmbCliGroup smb_launch_time_own_device_group = {"Time", entries + 1};

void
smb_launch_time_choose(char *device) {
  option_device = device;
}

static gboolean
parse_clock(double *khz, GError **error) {
  char *end = option_clock;
  double ghz = option_clock ? g_ascii_strtod(option_clock, &end) : 0;
  *khz = ghz * 1e6;
  if (!option_clock || (*option_clock && !*end && ghz >= 0.1 && ghz <= 10))
    return TRUE;
  return smb_cli_usage_error(error, "--clock '%s': expected GHz between 0.1 and 10, such as 1.98",
                             option_clock);
}

static gboolean
parse_cache(gboolean *is_warm, GError **error) {
  *is_warm = g_strcmp0(option_cache, "warm") == 0;
  if (!option_cache || *is_warm || g_str_equal(option_cache, "cold"))
    return TRUE;
  return smb_cli_usage_error(error, "--cache '%s': expected cold or warm", option_cache);
}

gboolean
smb_launch_time_is_asked(void) {
  return !option_no_time && (option_time || option_device || option_clock || option_cache);
}

gboolean
smb_launch_time_ask(const char *option, GError **error) {
  if (option_no_time)
    return smb_cli_usage_error(error, "%s needs the predicted time: not with --no-time", option);
  option_time = TRUE;
  return TRUE;
}

static void
add_time_word(GStrvBuilder *words, const char *option, const char *value) {
  g_autofree char *word = value ? g_strdup_printf("--%s=%s", option, value) : NULL;
  if (word)
    g_strv_builder_add(words, word);
}

void
smb_launch_time_words(GStrvBuilder *words) {
  if (option_time)
    g_strv_builder_add(words, "--time");
  if (option_no_time)
    g_strv_builder_add(words, "--no-time");
  add_time_word(words, "device", option_device);
  add_time_word(words, "clock", option_clock);
  add_time_word(words, "cache", option_cache);
}

gboolean
smb_launch_time_is_wanted(gboolean usually) {
  return smb_launch_time_is_asked() || (usually && !option_no_time);
}

static gboolean
predict(SmbLaunchTime *time, const SmbArch *arch, const SmbTimeOptions *options, GError **error) {
  const SmbTarget *target = time->target;
  time->chip = smb_chip_load(option_device, arch, error);
  if (!time->chip && error && *error)
    return FALSE;
  if (!time->chip)
    time->why = g_strdup_printf("no device of %s is known", smb_arch_info(arch)->name);
  else if (!smb_program_is_machine_code(target->kernel))
    time->why = g_strdup("only machine code has a time, and the kernel was not compiled");
  if (time->why)
    return TRUE;
  g_autoptr(GError) failure = NULL;
  time->time = smb_time_predict(target->kernel, arch, &target->launch, time->chip, options,
                                &time->why, &failure);
  if (failure) {
    time->why = g_strdup(failure->message);
    g_strdelimit(time->why, "\n", ' ');
  }
  return TRUE;
}

static SmbLaunchTime *
predict_with(const SmbTarget *target, const SmbArch *arch, gboolean sites,
             const SmbLaunchTime *like, const SmbTimedMove *move, GError **error) {
  guint threads = target->options.threads;
  SmbTimeOptions options = {.sites = sites,
                            .n_threads = threads ? threads : g_get_num_processors(),
                            .like = like ? like->time : NULL,
                            .like_program = like ? like->target->kernel : NULL,
                            .move = move ? *move : (SmbTimedMove){NULL, NULL},
                            .is_cancelled = target->options.is_cancelled,
                            .user = target->options.cancel_user};
  // What each site costs is asked for by those who decide themselves whether to predict.
  if ((option_no_time && !sites) || !parse_clock(&options.clock_khz, error) ||
      !parse_cache(&options.is_warm, error))
    return NULL;
  g_autoptr(SmbLaunchTime) time = g_new0(SmbLaunchTime, 1);
  time->target = target;
  GError *wrong = NULL;
  if (predict(time, arch, &options, &wrong))
    return g_steal_pointer(&time);
  g_propagate_error(error, wrong);
  return NULL;
}

gboolean
smb_launch_time_check(const SmbArch *arch, GError **error) {
  SmbTimeOptions options;
  if (!parse_clock(&options.clock_khz, error) || !parse_cache(&options.is_warm, error))
    return FALSE;
  g_autoptr(SmbChip) chip = option_device ? smb_chip_load(option_device, arch, error) : NULL;
  return chip || !option_device;
}

SmbLaunchTime *
smb_launch_time_predict(const SmbTarget *target, const SmbArch *arch, GError **error) {
  return predict_with(target, arch, TRUE, NULL, NULL, error);
}

SmbLaunchTime *
smb_launch_time_total(const SmbTarget *target, const SmbArch *arch, GError **error) {
  return predict_with(target, arch, FALSE, NULL, NULL, error);
}

SmbLaunchTime *
smb_launch_time_like(const SmbTarget *target, const SmbArch *arch, const SmbLaunchTime *like,
                     const SmbTimedMove *move) {
  return predict_with(target, arch, FALSE, like, move, NULL);
}

// Whether counting a launch of machine code took longer than a prediction of its time does, on whatever machine. That replays as many
// instructions of any launch at the most, and executes a few of its blocks.
static gboolean
is_dear(const SmbTarget *target, const SmbAnalysis *analysis) {
  double share = (double)analysis->n_blocks_run / (double)MAX(analysis->n_blocks, 1);
  return smb_program_is_machine_code(target->kernel) &&
         (double)analysis->instructions * share > PREDICTION_INSTRUCTIONS;
}

SmbLaunchTime *
smb_launch_time_new(const SmbTarget *target, const SmbAnalysis *analysis, const SmbArch *arch,
                    GError **error) {
  if (smb_launch_time_is_asked())
    return smb_launch_time_predict(target, arch, error);
  if (!smb_launch_time_is_wanted(is_dear(target, analysis)))
    return NULL;
  SmbLaunchTime *time = smb_launch_time_predict(target, arch, NULL);
  if (time && !time->time) // nobody asked why
    g_clear_pointer(&time, smb_launch_time_free);
  return time;
}

static const char *
find_ungiven(const SmbTarget *text, const SmbSite *site) {
  gboolean address = FALSE;
  guint index = (guint)(site - smb_program_site(text->kernel, 0));
  return smb_launch_data_source(&text->launch, text->kernel, index, &address);
}

void
smb_launch_time_assume(SmbLaunchTime *time, const SmbTarget *text, const SmbAnalysis *analysis) {
  const char *assumed = NULL;
  if (!time)
    return;
  for (guint i = 0; i < analysis->accesses->len && !assumed; i++)
    assumed = find_ungiven(text, g_array_index(analysis->accesses, SmbAccess, i).site);
  for (guint i = 0; i < analysis->globals->len && !assumed; i++)
    assumed = find_ungiven(text, g_array_index(analysis->globals, SmbGlobalAccess, i).site);
  time->assumed = g_strdup(assumed);
}

void
smb_launch_time_free(SmbLaunchTime *time) {
  if (!time)
    return;
  g_free(time->assumed);
  smb_chip_free(time->chip);
  smb_time_free(time->time);
  g_free(time->why);
  g_free(time);
}

char *
smb_time_describe(double us) {
  static const char *const units[] = {"µs", "ms", "s"};
  guint unit = 0;
  if (us < 0.005)
    return g_strdup("0 µs");
  for (; us >= 999.5 && unit + 1 < G_N_ELEMENTS(units); unit++)
    us /= 1000;
  int digits = us >= 99.95 ? 0 : us >= 9.995 ? 1 : 2;
  return g_strdup_printf("%.*f %s", digits, us, units[unit]);
}

static const char *
limit_name(SmbUnit limit) {
  return limit == SMB_N_UNITS ? "latency" : smb_unit_name(limit);
}

// Whether it is said of several: issue slots, tensor cores.
static gboolean
is_plural(SmbUnit limit) {
  return g_str_has_suffix(limit_name(limit), "s");
}

// Whether a launch that is so many cycles shorter is faster in what is said of it.
static gboolean
is_gain(const SmbTime *time, double cycles) {
  return time->cycles / (time->cycles - cycles) >= 1 + LEAST_CHANGE;
}

// What is gained without @cycles of it: "12.3 µs, 1.80 times as fast"
static char *
describe_gain(const SmbTime *time, double cycles) {
  double rest = time->cycles - cycles;
  g_autofree char *us = smb_time_describe(smb_time_microseconds(time, rest));
  return g_strdup_printf("%s, %.*f times as fast", us, time->cycles / rest < 1.1 ? 2 : 1,
                         time->cycles / rest);
}

char *
smb_time_range(double error) {
  return error > 0 ? g_strdup_printf(" (typically ±%.0f %%)", 100 * error) : g_strdup("");
}

char *
smb_time_device(const char *title, gboolean is_measured) {
  return g_strdup_printf("%s %s%s", strchr("AEFHILMNORSX", *title) ? "an" : "a", title,
                         is_measured ? "" : ", which was not measured");
}

char *
smb_time_device_named(const char *device, gboolean is_measured) {
  g_autofree char *title = g_ascii_strup(device, -1);
  return smb_time_device(title, is_measured);
}

gboolean
smb_time_json_is_measured(JsonObject *time) {
  static const char *const unmeasured[] = {"documented", "assumed", NULL};
  const char *evidence = smb_json_get_text(time, "evidence");
  return !evidence || !g_strv_contains(unmeasured, evidence);
}

static char *
describe_chip(const SmbChip *chip) {
  return smb_time_device(chip->title, smb_chip_is_measured(chip));
}

// " What LDG.E at scan.cu:30 and 2 other instructions ask for is not in it: the address depends on …"
static void
append_unplaced(GString *text, const GArray *unplaced) {
  const SmbUnplaced *first = &g_array_index(unplaced, SmbUnplaced, 0);
  g_autofree char *place = smb_unplaced_place(first);
  g_autofree char *reason = smb_cli_write_hint(first->reason, &first->hint);
  g_string_append_printf(text, " What %s at %s", first->opcode, place);
  if (unplaced->len > 1)
    g_string_append_printf(text, " and %s", smb_count(unplaced->len - 1, "other instruction").text);
  g_string_append_printf(text, " ask%s for takes no time here: %s.", unplaced->len > 1 ? "" : "s",
                         reason);
}

char *
smb_launch_time_tell(const SmbLaunchTime *launch) {
  const SmbTime *time = launch->time;
  if (!time)
    return g_strdup_printf("Time: not known: %s.", launch->why);
  g_autofree char *all = smb_time_describe(smb_time_microseconds(time, time->cycles));
  g_autofree char *device = describe_chip(launch->chip);
  GString *text = g_string_new(NULL);
  g_string_printf(text, "Time on %s: %s, limited by %s", device, all, limit_name(time->limit));
  if (time->limit != SMB_N_UNITS)
    g_string_append_printf(text, " (busy %.0f %%)", 100 * time->busy[time->limit]);
  if (!time->has_conflicts) {
    g_string_append(text, ". It has no bank conflicts.");
  } else if (!is_gain(time, time->cycles - time->without)) {
    g_string_append(text, ". Bank conflicts cost nothing here.");
  } else {
    g_autofree char *gain = describe_gain(time, time->cycles - time->without);
    g_string_append_printf(text, ". Without bank conflicts: %s.", gain);
  }
  if (time->is_managed)
    g_string_append(
        text, " Its managed memory is taken to be on the device: what has to move there takes "
              "longer.");
  if (launch->assumed)
    g_string_append_printf(text,
                           " The time depends on the contents of '%s', which were not given: "
                           "give --buffer %s=SPEC.",
                           launch->assumed, launch->assumed);
  else if (time->unplaced->len > 0)
    append_unplaced(text, time->unplaced);
  else if (launch->chip->error > 0)
    g_string_append_printf(text, " Typical error: %.0f %%.", 100 * launch->chip->error);
  return g_string_free(text, FALSE);
}

char *
smb_launch_time_tell_cost(const SmbLaunchTime *launch) {
  const SmbTime *time = launch->time;
  double cost = smb_launch_time_conflicts(launch);
  return is_gain(time, cost)
             ? g_strdup_printf("all bank conflicts together cost %.0f %% of the time",
                               100 * cost / time->cycles)
             : g_strdup("bank conflicts cost nothing here");
}

// "DRAM limits", "latency limits: no unit is busy half of the time"
static void
append_limit(GString *text, const SmbTime *time) {
  if (time->limit == SMB_N_UNITS)
    g_string_append(text, "no unit is busy for half of the time, so that latency limits");
  else
    g_string_append_printf(text, "%s %s busy %.0f %% of the time", smb_unit_name(time->limit),
                           is_plural(time->limit) ? "are" : "is", 100 * time->busy[time->limit]);
}

char *
smb_launch_time_explain(const SmbLaunchTime *launch, const double *own) {
  const SmbTime *time = launch->time;
  if (!time)
    return smb_launch_time_tell(launch);
  double all = smb_launch_time_conflicts(launch);
  g_autofree char *us = smb_time_describe(smb_time_microseconds(time, time->cycles));
  g_autofree char *device = describe_chip(launch->chip);
  g_autofree char *range = smb_time_range(time->unplaced->len ? 0 : launch->chip->error);
  gboolean is_measured = smb_chip_is_measured(launch->chip);
  GString *text = g_string_new(NULL);
  g_string_printf(text, "On %s%s the launch takes %s%s: ", device, is_measured ? "" : ",", us,
                  range);
  append_limit(text, time);
  if (!time->has_conflicts) {
    g_string_append(text, ". It has no bank conflicts.");
  } else if (!is_gain(time, all)) {
    g_string_append(text, ". Bank conflicts cost nothing here.");
  } else {
    g_autofree char *gain = describe_gain(time, all);
    g_string_append_printf(text, ". Without bank conflicts %s%s limit%s: %s.",
                           limit_name(time->without_limit),
                           time->without_limit == time->limit ? " still" : "",
                           is_plural(time->without_limit) ? "" : "s", gain);
  }
  if (own && is_gain(time, all) && is_gain(time, *own)) {
    g_autofree char *gain = describe_gain(time, *own);
    g_string_append_printf(text, " Without those of this access alone: %s.", gain);
  } else if (own && is_gain(time, all)) {
    g_string_append(text, " Those of this access alone cost nothing.");
  }
  if (time->unplaced->len > 0)
    append_unplaced(text, time->unplaced);
  return g_string_free(text, FALSE);
}

char *
smb_launch_time_duration(const SmbLaunchTime *time) {
  return smb_time_describe(smb_time_microseconds(time->time, time->time->cycles));
}

char *
smb_launch_time_compare(const SmbLaunchTime *now, const SmbLaunchTime *then) {
  const SmbTime *before = now->time, *after = then->time;
  g_autofree char *from = smb_launch_time_duration(now), *to = smb_launch_time_duration(then);
  double speedup = before->cycles / after->cycles;
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s in place of %s", to, from);
  if (fabs(speedup - 1) >= LEAST_CHANGE)
    g_string_append_printf(text, ", %.*f times as fast", fabs(speedup - 1) < 0.1 ? 2 : 1, speedup);
  if (after->limit != before->limit)
    g_string_append_printf(text, "; %s limit%s then", limit_name(after->limit),
                           is_plural(after->limit) ? "" : "s");
  return g_string_free(text, FALSE);
}

void
smb_launch_time_write(SmbCli *cli, const SmbLaunchTime *time) {
  if (!time)
    return;
  g_autofree char *sentences = smb_launch_time_tell(time);
  smb_text_wrap(cli->out, sentences);
  smb_spool_puts(cli->out, "\n");
}

static void
write_units_json(JsonBuilder *json, const SmbTime *time) {
  smb_json_array(json, "units");
  for (guint u = 0; u < SMB_N_UNITS; u++) {
    smb_json_object(json, NULL);
    smb_json_text(json, "name", smb_unit_name((SmbUnit)u));
    smb_json_double(json, "busy", time->busy[u]);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_array(json, "stalls");
  for (guint s = 0; s < SMB_N_STALLS; s++) {
    smb_json_object(json, NULL);
    smb_json_text(json, "reason", smb_stall_name((SmbStall)s));
    smb_json_double(json, "share", time->stalls[s]);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

static void
write_unplaced_json(JsonBuilder *json, const GArray *unplaced) {
  smb_json_array(json, "left_out");
  for (guint i = 0; i < unplaced->len; i++) {
    const SmbUnplaced *access = &g_array_index(unplaced, SmbUnplaced, i);
    smb_json_object(json, NULL);
    smb_json_text(json, "file", access->file);
    smb_json_number(json, "line", access->line);
    smb_json_number(json, "pc", access->pc);
    smb_json_text(json, "opcode", access->opcode);
    smb_json_text(json, "reason", access->reason);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

void
smb_launch_time_json(JsonBuilder *json, const SmbLaunchTime *launch) {
  if (!launch)
    return;
  const SmbTime *time = launch->time;
  smb_json_object(json, "time");
  smb_json_text(json, "device", launch->chip ? launch->chip->name : NULL);
  smb_json_text(json, "unknown", launch->why);
  if (time) {
    smb_json_text(json, "evidence", smb_evidence_name(launch->chip->evidence));
    smb_json_double(json, "clock_ghz", time->clock_khz / 1e6);
    smb_json_text(json, "cache", time->is_warm ? "warm" : "cold");
    smb_json_number(json, "cycles", (gint64)round(time->cycles));
    smb_json_double(json, "microseconds", smb_time_microseconds(time, time->cycles));
    smb_json_object(json, "without_conflicts");
    smb_json_number(json, "cycles", (gint64)round(time->without));
    smb_json_double(json, "microseconds", smb_time_microseconds(time, time->without));
    smb_json_double(json, "speedup", time->cycles / time->without);
    smb_json_text(json, "bound_by", limit_name(time->without_limit));
    json_builder_end_object(json);
    smb_json_text(json, "bound_by", limit_name(time->limit));
    write_units_json(json, time);
    smb_json_double(json, "waves", time->waves);
    smb_json_number(json, "resident_blocks", time->resident);
    smb_json_object(json, "simulated");
    smb_json_number(json, "blocks", (gint64)time->blocks);
    smb_json_number(json, "instructions", (gint64)time->instructions);
    smb_json_number(json, "cycles", (gint64)round(time->simulated));
    json_builder_end_object(json);
    if (time->is_managed)
      smb_json_text(json, "managed_memory", "taken to be on the device");
    if (launch->assumed)
      smb_json_text(json, "assumed_contents", launch->assumed);
    if (time->unplaced->len > 0)
      write_unplaced_json(json, time->unplaced);
    if (smb_json_object_if(json, "error", launch->chip->error > 0 && time->unplaced->len == 0)) {
      smb_json_double(json, "typical", launch->chip->error);
      smb_json_text(json, "measured_on", launch->chip->error_of);
      json_builder_end_object(json);
    }
  }
  smb_json_boolean(json, "exact", FALSE);
  json_builder_end_object(json);
}

void
smb_launch_time_brief_json(JsonBuilder *json, const SmbLaunchTime *launch) {
  const SmbTime *time = launch ? launch->time : NULL;
  if (!time)
    return;
  smb_json_double(json, "microseconds", smb_time_microseconds(time, time->cycles));
  smb_json_text(json, "bound_by", limit_name(time->limit));
}

double
smb_launch_time_conflicts(const SmbLaunchTime *launch) {
  // As both are written: without fractions.
  return launch && launch->time ? round(launch->time->cycles) - round(launch->time->without) : 0;
}

gboolean
smb_launch_time_cost(const SmbLaunchTime *launch, const SmbSite *site, double *cycles) {
  *cycles = 0;
  if (!launch || !launch->time)
    return FALSE;
  guint index = (guint)(site - smb_program_site(launch->target->kernel, 0));
  const GArray *sites = launch->time->sites;
  for (guint i = 0; i < sites->len; i++) {
    const SmbSiteTime *cost = &g_array_index(sites, SmbSiteTime, i);
    double most = smb_launch_time_conflicts(launch);
    if (cost->site == index) // by itself, it costs what all conflicts do
      *cycles = sites->len == 1 ? most : MIN(cost->cycles, most);
  }
  return TRUE;
}

void
smb_launch_time_site_json(JsonBuilder *json, const SmbLaunchTime *launch, const SmbSite *site) {
  double cycles;
  if (smb_launch_time_cost(launch, site, &cycles))
    smb_json_number(json, "cost_cycles", (gint64)round(cycles));
}
