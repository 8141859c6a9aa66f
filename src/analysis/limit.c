// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/limit.h"

#include <string.h>

#include "sim/arch/words.h"
#include "src/analysis/row.h"
#include "src/analysis/verdict.h"

enum {
  WHOLE = 100, // percent
};

// What was typed: GOption writes here.
static SmbLimitOptions typed;

static const GOptionEntry entries[] = {
    {"max-ways", 0, 0, G_OPTION_ARG_STRING_ARRAY, &typed.ways,
     "exit with status 1 if an access, or one at PLACE, is more than N-way; PLACE is an array, "
     "LINE or FILE:LINE",
     "[PLACE=]N"},
    {"max-excess", 0, 0, G_OPTION_ARG_STRING_ARRAY, &typed.excess,
     "exit with status 1 if more than N wavefronts, or N percent of them, are in excess, in the "
     "kernel or at PLACE",
     "[PLACE=]N[%]"},
    {"max-wavefronts", 0, 0, G_OPTION_ARG_STRING_ARRAY, &typed.wavefronts,
     "exit with status 1 if the kernel, or the accesses at PLACE, take more than N wavefronts",
     "[PLACE=]N"},
    {"max-cost", 0, 0, G_OPTION_ARG_STRING_ARRAY, &typed.cost,
     "exit with status 1 if bank conflicts, or those at PLACE, cost more than N percent of the "
     "launch's predicted time",
     "[PLACE=]N%"},
    G_OPTION_ENTRY_NULL,
};

const SmbCliGroup smb_analyze_limit_group = {"Limits of the result", entries};

const SmbLimitOptions *
smb_limit_options(void) {
  return &typed;
}

static void
clear_limit(gpointer data) {
  SmbLimit *limit = data;
  g_free(limit->where);
  g_free(limit->file);
}

static void
clear_failure(gpointer data) {
  g_free(((SmbFailedLimit *)data)->message);
}

// One option has one limit: "tile=5%,keys=1%" has two.
static gboolean
is_one_limit(const char *text, const char *equals) {
  const char *comma = strchr(text, ',');
  return !equals || (strchr(text, '=') == equals &&
                     !(comma && comma > text && comma[-1] == '%' && comma < equals));
}

// "tile", "44" or "FILE:44"
static void
parse_where(SmbLimit *limit, char *where) {
  const char *colon = strrchr(where, ':');
  guint64 line = 0;
  limit->where = where;
  if (!g_ascii_string_to_unsigned(colon ? colon + 1 : where, 10, 1, G_MAXUINT, &line, NULL))
    return;
  limit->line = (guint)line;
  limit->file = colon ? g_strndup(where, (gsize)(colon - where)) : NULL;
}

// Of limits for the same place the last one holds.
static void
add_limit(GArray *limits, SmbLimit *limit) {
  for (guint i = 0; i < limits->len; i++) {
    SmbLimit *old = &g_array_index(limits, SmbLimit, i);
    if (old->option == limit->option && g_strcmp0(old->where, limit->where) == 0) {
      clear_limit(old);
      *old = *limit;
      return;
    }
  }
  g_array_append_val(limits, *limit);
}

// What a limit is a number of.
typedef enum {
  UNIT_COUNT,
  UNIT_EITHER,
  UNIT_PERCENT
} Unit;

// Takes the sign from "5%" or "5 %".
static gboolean
take_percent(char *number) {
  if (!g_str_has_suffix(number, "%"))
    return FALSE;
  number[strlen(number) - 1] = '\0';
  g_strchomp(number);
  return TRUE;
}

static gboolean
parse_limit(GArray *limits, const char *option, guint least, Unit unit, const char *text,
            GError **error) {
  static const char *const also[] = {
      [UNIT_COUNT] = "", [UNIT_EITHER] = " or a percentage", [UNIT_PERCENT] = " to 100 and %"};
  const char *equals = strrchr(text, '=');
  g_autofree char *number = g_strdup(equals ? equals + 1 : text);
  SmbLimit limit = {.option = option};
  limit.is_percent = unit != UNIT_COUNT && take_percent(number);
  guint64 most = limit.is_percent ? WHOLE : G_MAXINT64;
  if (equals == text || (unit == UNIT_PERCENT && !limit.is_percent) ||
      !g_ascii_string_to_unsigned(number, 10, least, most, &limit.most, NULL))
    return smb_cli_usage_error(error,
                               "%s '%s': expected a whole number from %u%s, or PLACE=NUMBER where "
                               "PLACE is an array, LINE or FILE:LINE",
                               option, text, least, also[unit]);
  if (!is_one_limit(text, equals))
    return smb_cli_usage_error(error, "%s '%s': expected one limit: %s can be given several times",
                               option, text, option);
  if (equals)
    parse_where(&limit, g_strndup(text, (gsize)(equals - text)));
  add_limit(limits, &limit);
  return TRUE;
}

static const char ways_option[] = "--max-ways";
static const char excess_option[] = "--max-excess";
static const char wavefronts_option[] = "--max-wavefronts";
static const char cost_option[] = "--max-cost";

GArray *
smb_limits_new(const SmbLimitOptions *options, GError **error) {
  const struct {
    const char *option;
    guint least;
    Unit unit;
    char *const *texts;
  } kinds[] = {
      {ways_option, 1, UNIT_COUNT, options->ways},
      {excess_option, 0, UNIT_EITHER, options->excess},
      {wavefronts_option, 0, UNIT_COUNT, options->wavefronts},
      {cost_option, 0, UNIT_PERCENT, options->cost},
  };
  g_autoptr(GArray) limits = g_array_new(FALSE, FALSE, sizeof(SmbLimit));
  g_array_set_clear_func(limits, clear_limit);
  for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
    for (guint i = 0; kinds[k].texts && kinds[k].texts[i]; i++) {
      if (!parse_limit(limits, kinds[k].option, kinds[k].least, kinds[k].unit, kinds[k].texts[i],
                       error))
        return NULL;
    }
  }
  return g_steal_pointer(&limits);
}

guint
smb_limits_ways(const GArray *limits) {
  for (guint i = 0; i < limits->len; i++) {
    const SmbLimit *limit = &g_array_index(limits, SmbLimit, i);
    if (limit->option == ways_option && !limit->where)
      return (guint)MIN(limit->most, G_MAXUINT - 1);
  }
  return G_MAXUINT;
}

gboolean
smb_limits_need_time(const GArray *limits) {
  for (guint i = 0; i < limits->len; i++) {
    if (g_array_index(limits, SmbLimit, i).option == cost_option)
      return TRUE;
  }
  return FALSE;
}

char *
smb_limit_describe(const SmbLimit *limit) {
  return g_strdup_printf("%s %s%s%" G_GUINT64_FORMAT "%s", limit->option,
                         limit->where ? limit->where : "", limit->where ? "=" : "", limit->most,
                         limit->is_percent ? "%" : "");
}

// Whether an access is at the place that a limit names.
static gboolean
is_place_there(const SmbLimit *limit, const SmbProgram *program, const SmbAccess *access) {
  if (!limit->line)
    return g_strcmp0(access->array, limit->where) == 0;
  return access->site->line == limit->line &&
         smb_program_site_is_in(program, access->site, limit->file);
}

static gboolean
has_own_ways(const GArray *limits, const SmbProgram *program, const SmbAccess *access) {
  for (guint i = 0; i < limits->len; i++) {
    const SmbLimit *limit = &g_array_index(limits, SmbLimit, i);
    if (limit->option == ways_option && limit->where && is_place_there(limit, program, access))
      return TRUE;
  }
  return FALSE;
}

// What is checked: @limits against @analysis, and @time (nullable); what fails is added to @failed. @compiled: whose analysis that is;
// NULL: of the text
typedef struct {
  const GArray *limits;
  const SmbProgram *program;
  const SmbAnalysis *analysis;
  const SmbLaunchTime *time;
  const SmbCompiledCount *compiled;
  GArray *failed;
} Check;

static void
fail_limit(const Check *check, const SmbLimit *limit, const SmbAccess *access, const double *value,
           char *message) {
  SmbFailedLimit failure = {limit, value != NULL, value ? *value : 0, access, message};
  g_array_append_val(check->failed, failure);
}

// That a limit may not be kept, since @access is not counted for certain.
static void
fail_uncertain(const Check *check, const SmbLimit *limit, const SmbAccess *access) {
  g_autofree char *described = smb_limit_describe(limit);
  g_autofree char *reason = smb_analyze_describe_reason(access);
  fail_limit(check, limit, access, NULL,
             g_strdup_printf("%s cannot be checked: %c%s", described, g_ascii_tolower(*reason),
                             reason + 1));
}

// "the store of a[t] is 8-way", or of alike instructions of a line "4 × STS are up to 8-way"
static char *
describe_ways(const Check *check, const SmbLimit *limit, const SmbAnalyzeRow *row, guint ways) {
  g_autofree char *described = smb_limit_describe(limit);
  g_autofree char *subject = smb_compiled_count_name(check->compiled, row->access, row->n);
  gboolean conflicts = ways == row->total.max_degree;
  gboolean is_one = row->n == 1 || smb_compiled_count_written(check->compiled, row->access);
  const char *verb = conflicts ? (is_one ? "is" : "are") : (is_one ? "queues" : "queue");
  return g_strdup_printf("%s %s %s%u%s: more than %s", subject, verb, row->n > 1 ? "up to " : "",
                         ways, conflicts ? "-way" : " deep in a bank", described);
}

static guint
find_row_ways(const SmbAnalyzeRow *row) {
  gboolean queues = row->access->site->op_class == SMB_OP_CLASS_ATOMIC;
  return MAX(row->total.max_degree, queues ? row->total.max_queue : 0);
}

// @there: the accesses at the place; those of a line that a compiler made alike fail together
static void
check_ways(const Check *check, const SmbLimit *limit, const GPtrArray *there) {
  g_autoptr(GArray) beyond = g_array_new(FALSE, FALSE, sizeof(SmbAccess));
  g_autoptr(GPtrArray) accesses = g_ptr_array_new();
  for (guint i = 0; i < there->len; i++) {
    const SmbAccess *access = there->pdata[i];
    if (!limit->where && has_own_ways(check->limits, check->program, access))
      continue;
    if (access->uncounted || access->data_source)
      fail_uncertain(check, limit, access);
    if (smb_analyze_ways(access) <= limit->most)
      continue;
    g_array_append_vals(beyond, access, 1);
    g_ptr_array_add(accesses, (gpointer)access);
  }
  g_autoptr(GArray) rows = smb_analyze_gather(beyond, FALSE);
  for (guint i = 0; i < rows->len; i++) {
    const SmbAnalyzeRow *row = &g_array_index(rows, SmbAnalyzeRow, i);
    guint ways = find_row_ways(row);
    double value = ways;
    fail_limit(check, limit,
               accesses->pdata[row->access - (const SmbAccess *)(gpointer)beyond->data], &value,
               describe_ways(check, limit, row, ways));
  }
}

// "array 'tile' has 992 excess wavefronts: more than --max-excess 0"
static char *
describe_sum(const Check *check, const SmbLimit *limit, double value) {
  g_autofree char *described = smb_limit_describe(limit);
  g_autofree char *subject =
      !limit->where ? g_strdup_printf("kernel '%s'", smb_program_name(check->program))
                    : g_strdup_printf(limit->line ? "line %s" : "array '%s'", limit->where);
  if (limit->is_percent)
    return g_strdup_printf(
        smb_vendor_say(check->analysis->vendor,
                       "%.1f%% of the wavefronts of %s are in excess: more than %s"),
        value, subject, described);
  return g_strdup_printf(
      smb_vendor_say(check->analysis->vendor, limit->option == excess_option
                                                  ? "%s takes %.0f excess wavefronts: more than %s"
                                                  : "%s takes %.0f wavefronts: more than %s"),
      subject, value, described);
}

// Whether an access may cost more than what is counted.
static gboolean
is_uncertain(const SmbAccess *access) {
  return access->uncounted || access->data_source || access->is_loop ||
         (!access->exact && !access->site->may_merge);
}

static void
check_sum(const Check *check, const SmbLimit *limit, const GPtrArray *there) {
  gboolean is_excess = limit->option == excess_option;
  const SmbAccess *most = NULL, *uncertain = NULL;
  SmbTally total = {0};
  for (guint i = 0; i < there->len; i++) {
    const SmbAccess *access = there->pdata[i];
    gboolean more = most && (is_excess ? access->total.excess > most->total.excess
                                       : access->total.wavefronts > most->total.wavefronts);
    smb_tally_add(&total, &access->total);
    most = !most || more ? access : most;
    uncertain = !uncertain && is_uncertain(access) ? access : uncertain;
  }
  double value = is_excess ? (double)total.excess : (double)total.wavefronts;
  if (limit->is_percent)
    value = total.wavefronts ? WHOLE * value / (double)total.wavefronts : 0;
  if (value > (double)limit->most)
    fail_limit(check, limit, most, &value, describe_sum(check, limit, value));
  else if (uncertain)
    fail_uncertain(check, limit, uncertain);
}

static void
fail_untimed(const Check *check, const SmbLimit *limit, const char *why) {
  g_autofree char *described = smb_limit_describe(limit);
  fail_limit(check, limit, NULL, NULL, g_strdup_printf("%s cannot be checked: %s", described, why));
}

// "bank conflicts cost 41.2% of the time of kernel 'turn' on an H200: more than --max-cost 5%"
static char *
describe_share(const Check *check, const SmbLimit *limit, double share) {
  g_autofree char *described = smb_limit_describe(limit);
  g_autofree char *subject = !limit->where
                                 ? g_strdup("bank conflicts")
                                 : g_strdup_printf(limit->line ? "the bank conflicts of line %s"
                                                               : "the bank conflicts of array '%s'",
                                                   limit->where);
  const SmbChip *chip = check->time->chip;
  g_autofree char *device = smb_time_device(chip->title, smb_chip_is_measured(chip));
  return g_strdup_printf("%s cost %.1f%% of the time of kernel '%s' on %s: more than %s", subject,
                         share, smb_program_name(check->program), device, described);
}

// The share of the launch's time that is gained without the conflicts of these accesses.
static void
check_share(const Check *check, const SmbLimit *limit, const GPtrArray *there) {
  if (!check->time || !check->time->time) {
    fail_untimed(check, limit, check->time ? check->time->why : "parts of a launch have no time");
    return;
  }
  if (check->time->target->kernel != check->program && !check->compiled) {
    fail_untimed(check, limit, "not all instructions have a line, or an array");
    return;
  }
  const SmbAccess *most = NULL, *uncertain = NULL;
  double sum = 0, highest = 0, all = smb_launch_time_conflicts(check->time);
  for (guint i = 0; i < there->len; i++) {
    const SmbAccess *access = there->pdata[i];
    double cycles;
    smb_launch_time_cost(check->time, access->site, &cycles);
    sum += cycles;
    most = !most || cycles > highest ? access : most;
    highest = MAX(highest, cycles);
    uncertain = !uncertain && is_uncertain(access) ? access : uncertain;
  }
  double share = WHOLE * (limit->where ? MIN(sum, all) : all) / check->time->time->cycles;
  if (share > (double)limit->most)
    fail_limit(check, limit, most, &share, describe_share(check, limit, share));
  else if (uncertain)
    fail_uncertain(check, limit, uncertain);
}

static void
check_analysis_limit(const Check *check, const SmbLimit *limit) {
  const GArray *accesses = check->analysis->accesses;
  g_autoptr(GPtrArray) there = g_ptr_array_new();
  for (guint i = 0; i < accesses->len; i++) {
    SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    if (!limit->where || is_place_there(limit, check->program, access))
      g_ptr_array_add(there, access);
  }
  if (there->len == 0 && (limit->where || check->analysis->idle)) {
    g_autofree char *described = smb_limit_describe(limit);
    fail_limit(check, limit, NULL, NULL,
               g_strdup_printf("%s: nothing was checked%s", described,
                               limit->where
                                   ? smb_vendor_say(check->analysis->vendor,
                                                    ": no access to shared memory there is counted")
                                   : ""));
  } else if (limit->option == ways_option) {
    check_ways(check, limit, there);
  } else if (limit->option == cost_option) {
    check_share(check, limit, there);
  } else {
    check_sum(check, limit, there);
  }
}

static gboolean
is_place_counted(const Check *check, const SmbLimit *limit) {
  const GArray *accesses = check->analysis->accesses;
  for (guint i = 0; i < accesses->len; i++) {
    if (is_place_there(limit, check->program, &g_array_index(accesses, SmbAccess, i)))
      return TRUE;
  }
  return FALSE;
}

// Whether it is known of all compiled code whether it is at the place of a limit: the line that it was made of, or the array.
static gboolean
says_place(const SmbLimit *limit, const SmbCompiledCount *compiled) {
  for (guint i = 0; i < compiled->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(compiled->analysis->accesses, SmbAccess, i);
    if (limit->line ? !access->site->line : !access->array)
      return FALSE;
  }
  return TRUE;
}

// Checks a limit of what was compiled. What the text has at its place, and the compiler left nothing of, takes nothing.
static void
check_compiled_limit(const Check *text, const SmbLimit *limit, const SmbCompiledCount *compiled) {
  Check judged = *text;
  judged.analysis = compiled->analysis;
  judged.compiled = compiled;
  gboolean is_there = !limit->where || is_place_counted(&judged, limit);
  gboolean is_gone = !is_there && is_place_counted(text, limit);
  if (limit->where && (is_there || is_gone) && !says_place(limit, compiled)) {
    if (limit->option == cost_option)
      fail_untimed(text, limit, "nvcc makes no instructions of it alone");
    else
      check_analysis_limit(text, limit);
  } else if (!is_gone)
    check_analysis_limit(&judged, limit);
}

GArray *
smb_limits_check(const GArray *limits, const SmbProgram *program, const SmbAnalysis *analysis,
                 const SmbCompiledCount *compiled, const SmbLaunchTime *time) {
  GArray *failed = g_array_new(FALSE, FALSE, sizeof(SmbFailedLimit));
  g_array_set_clear_func(failed, clear_failure);
  const Check text = {limits, program, analysis, time, NULL, failed};
  for (guint i = 0; i < limits->len; i++) {
    const SmbLimit *limit = &g_array_index(limits, SmbLimit, i);
    if (smb_compiled_count_has(compiled))
      check_compiled_limit(&text, limit, compiled);
    else
      check_analysis_limit(&text, limit);
  }
  return failed;
}

guint
smb_analyze_ways(const SmbAccess *access) {
  gboolean queues = access->site->op_class == SMB_OP_CLASS_ATOMIC;
  return MAX(access->total.max_degree, queues ? access->total.max_queue : 0);
}
