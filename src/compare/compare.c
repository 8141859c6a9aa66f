// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compare/compare.h"

#include <math.h>
#include <string.h>

#include "sim/base/error.h"
#include "src/analysis/launch-time.h"
#include "src/cli/hint.h"
#include "src/out/json.h"

// Of a predicted time: what is less is no change.
#define LEAST_CHANGE 0.01

// Clocks that differ by less are the same, in GHz.
#define CLOCK_TOLERANCE 1e-6

static SmbComparedCost
read_cost(JsonObject *access) {
  return (SmbComparedCost){(guint64)smb_json_get_number(access, "requests"),
                           (guint64)smb_json_get_number(access, "wavefronts"),
                           (guint64)smb_json_get_number(access, "excess_wavefronts")};
}

void
smb_compared_cost_add(SmbComparedCost *sum, const SmbComparedCost *more) {
  sum->requests += more->requests;
  sum->wavefronts += more->wavefronts;
  sum->excess += more->excess;
}

static SmbChange
compare_costs(const SmbComparedCost *before, const SmbComparedCost *now) {
  if (now->wavefronts != before->wavefronts)
    return now->wavefronts > before->wavefronts ? SMB_CHANGE_WORSE : SMB_CHANGE_BETTER;
  if (now->excess != before->excess)
    return now->excess > before->excess ? SMB_CHANGE_WORSE : SMB_CHANGE_BETTER;
  return SMB_CHANGE_SAME;
}

// What accesses that match have in common; of compiled code the opcode, since registers are chosen anew each time.
static char *
make_access_key(JsonObject *access, gboolean in_content) {
  const char *opcode = smb_json_get_text(access, "opcode");
  return g_strjoin("\n", smb_json_get_text(access, "op"),
                   in_content ? smb_result_lasting_name(access) : "",
                   in_content && opcode ? opcode : "", smb_json_get_text(access, "array"), NULL);
}

static JsonObject *
access_at(JsonArray *accesses, guint i) {
  return json_array_get_object_element(accesses, i);
}

// Gives each new access that has none yet the first old one like it that has none yet.
static void
match(JsonArray *before, JsonArray *now, gboolean in_content, gint *matches, gboolean *is_taken) {
  g_autoptr(GHashTable) waiting =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_queue_free);
  for (guint j = 0; j < json_array_get_length(before); j++) {
    char *key = make_access_key(access_at(before, j), in_content);
    GQueue *queue = g_hash_table_lookup(waiting, key);
    if (!queue)
      g_hash_table_insert(waiting, g_strdup(key), queue = g_queue_new());
    if (!is_taken[j])
      g_queue_push_tail(queue, GUINT_TO_POINTER(j));
    g_free(key);
  }
  for (guint i = 0; i < json_array_get_length(now); i++) {
    g_autofree char *key = make_access_key(access_at(now, i), in_content);
    GQueue *queue = g_hash_table_lookup(waiting, key);
    if (matches[i] >= 0 || !queue || g_queue_is_empty(queue))
      continue;
    matches[i] = GPOINTER_TO_INT(g_queue_pop_head(queue));
    is_taken[matches[i]] = TRUE;
  }
}

static void
take_access(SmbComparedCase *one, JsonObject *before, JsonObject *now) {
  SmbComparedAccess access = {.old_access = before, .new_access = now};
  if (before)
    access.old_cost = read_cost(before);
  if (now)
    access.new_cost = read_cost(now);
  access.change = !before ? SMB_CHANGE_ADDED
                  : !now  ? SMB_CHANGE_GONE
                          : compare_costs(&access.old_cost, &access.new_cost);
  smb_compared_cost_add(&one->old_cost, &access.old_cost);
  smb_compared_cost_add(&one->new_cost, &access.new_cost);
  g_array_append_val(one->accesses, access);
}

static void
compare_case_accesses(SmbComparedCase *one, JsonArray *before, JsonArray *now) {
  guint n_before = json_array_get_length(before), n_now = json_array_get_length(now);
  g_autofree gint *matches = g_new(gint, n_now + 1);
  g_autofree gboolean *is_taken = g_new0(gboolean, n_before + 1);
  for (guint i = 0; i < n_now; i++)
    matches[i] = -1;
  match(before, now, TRUE, matches, is_taken);
  match(before, now, FALSE, matches, is_taken);
  for (guint i = 0; i < n_now; i++)
    take_access(one, matches[i] < 0 ? NULL : access_at(before, (guint)matches[i]),
                access_at(now, i));
  for (guint j = 0; j < n_before; j++) {
    if (!is_taken[j])
      take_access(one, access_at(before, j), NULL);
  }
}

gboolean
smb_compared_access_is_worse(const SmbComparedAccess *access) {
  return access->change == SMB_CHANGE_WORSE ||
         (access->change == SMB_CHANGE_ADDED && access->new_cost.excess > 0);
}

double
smb_compared_case_times(const SmbComparedCase *one) {
  const SmbComparedTime *before = &one->old_time, *now = &one->new_time;
  if (!before->device || !now->device || strcmp(before->device, now->device) != 0 ||
      fabs(before->ghz - now->ghz) > CLOCK_TOLERANCE || before->is_warm != now->is_warm ||
      before->all <= 0)
    return 0;
  double ratio = now->all / before->all;
  return fabs(ratio - 1) < LEAST_CHANGE ? 1 : ratio;
}

// By the launch as a whole: an access that got worse may be what others are better for.
static SmbChange
judge_case(const SmbComparedCase *one) {
  double times = smb_compared_case_times(one);
  SmbChange change = compare_costs(&one->old_cost, &one->new_cost);
  if (times > 0 && times != 1)
    return times > 1 ? SMB_CHANGE_WORSE : SMB_CHANGE_BETTER;
  // More accesses without conflicts are more work, and no conflict.
  if (change == SMB_CHANGE_WORSE && one->new_cost.excess <= one->old_cost.excess)
    return SMB_CHANGE_SAME;
  return change;
}

// What differs besides: the counts are compared all the same.
static char *
describe_differences(JsonObject *before, JsonObject *now) {
  static const char *const members[] = {"name", "block", "grid", "defines", "buffers"};
  JsonObject *old_kernel = smb_json_get_object(before, "kernel");
  JsonObject *new_kernel = smb_json_get_object(now, "kernel");
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < G_N_ELEMENTS(members); i++) {
    JsonNode *a = json_object_get_member(old_kernel, members[i]);
    JsonNode *b = json_object_get_member(new_kernel, members[i]);
    if (a != b && (!a || !b || !json_node_equal(a, b)))
      g_ptr_array_add(names, (gpointer)members[i]);
  }
  g_ptr_array_add(names, NULL);
  if (names->len == 1)
    return NULL;
  g_autofree char *list = smb_cli_list((const char *const *)names->pdata, " and ");
  return g_strdup_printf("not the same: %s", list);
}

static gboolean
check_comparable(const char *name, JsonObject *before, JsonObject *now, GError **error) {
  const char *old_arch = smb_json_get_text(smb_json_get_object(before, "arch"), "name");
  const char *new_arch = smb_json_get_text(smb_json_get_object(now, "arch"), "name");
  const char *old_level = smb_json_get_text(before, "level");
  const char *new_level = smb_json_get_text(now, "level");
  if (strcmp(old_arch, new_arch) != 0)
    return smb_fail(
        error, SMB_ERROR, SMB_ERROR_INPUT,
        "%s: counted for %s and for %s: only counts of one architecture can be compared", name,
        old_arch, new_arch);
  return strcmp(old_level, new_level) == 0 ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "%s: counts of '%s' and of '%s' cannot be compared: a compiler changes the "
                  "accesses of the text",
                  name, old_level, new_level);
}

static void
free_compared_case(gpointer data) {
  SmbComparedCase *one = data;
  g_free(one->note);
  g_array_unref(one->accesses);
  g_free(one);
}

// Why a case could not be counted: what comes after the first line shows the place.
static char *
describe_lost_case(const SmbResultCase *one) {
  return one->error ? g_strndup(one->error, strcspn(one->error, "\n")) : NULL;
}

static SmbComparedCase *
add_compared_case(SmbResultComparison *comparison, const SmbResultCase *of, SmbChange change) {
  SmbComparedCase *one = g_new0(SmbComparedCase, 1);
  one->name = of->name;
  one->change = change;
  one->accesses = g_array_new(FALSE, FALSE, sizeof(SmbComparedAccess));
  g_ptr_array_add(comparison->cases, one);
  return one;
}

// What is compared of an analysis, if there is one: what was compiled, if it is compared.
static JsonArray *
find_accesses(JsonObject *analysis, gboolean is_compiled, JsonArray *none) {
  JsonObject *of = is_compiled && analysis ? smb_result_compiled(analysis) : analysis;
  return of ? smb_json_get_array(of, "accesses") : none;
}

// Adds a note to others (transfer full).
static char *
append_compare_note(char *note, const char *more) {
  char *text = note ? g_strdup_printf("%s; %s", note, more) : g_strdup(more);
  g_free(note);
  return text;
}

// @analysis: (nullable)
static SmbComparedTime
read_compared_time(JsonObject *analysis) {
  JsonObject *time = analysis ? smb_json_get_object(analysis, "time") : NULL;
  JsonObject *without = time ? smb_json_get_object(time, "without_conflicts") : NULL;
  JsonObject *error = time ? smb_json_get_object(time, "error") : NULL;
  if (!without)
    return (SmbComparedTime){NULL};
  double all = json_object_get_double_member_with_default(time, "microseconds", 0);
  double rest = json_object_get_double_member_with_default(without, "microseconds", 0);
  return (SmbComparedTime){
      .device = smb_json_get_text(time, "device"),
      .ghz = json_object_get_double_member_with_default(time, "clock_ghz", 0),
      .is_warm = g_strcmp0(smb_json_get_text(time, "cache"), "warm") == 0,
      .is_measured = smb_time_json_is_measured(time),
      .error = error ? json_object_get_double_member_with_default(error, "typical", 0) : 0,
      .all = all,
      .conflicts = all > rest ? all - rest : 0,
  };
}

// A case that both have, or that was added or is gone: the other is NULL then.
static void
take_case(SmbResultComparison *comparison, const SmbResultCase *before, const SmbResultCase *now) {
  g_autoptr(JsonArray) none = json_array_new();
  JsonObject *new_analysis = now ? now->analysis : NULL, *old = before ? before->analysis : NULL;
  SmbComparedCase *one = add_compared_case(comparison, now ? now : before, SMB_CHANGE_SAME);
  guint n_compiled = (old && smb_result_compiled(old) != NULL) +
                     (new_analysis && smb_result_compiled(new_analysis) != NULL);
  gboolean is_compiled = n_compiled == (old != NULL) + (guint)(new_analysis != NULL);
  compare_case_accesses(one, find_accesses(old, is_compiled, none),
                        find_accesses(new_analysis, is_compiled, none));
  one->vendor = smb_vendor_of(
      smb_json_get_text(smb_json_get_object(new_analysis ? new_analysis : old, "arch"), "name"));
  if (new_analysis)
    one->file = smb_json_get_text(smb_json_get_object(new_analysis, "kernel"), "file");
  if (old && new_analysis)
    one->note = describe_differences(old, new_analysis);
  if (n_compiled == 1 && !is_compiled)
    one->note =
        append_compare_note(one->note, "the text is compared: one of both was not compiled");
  one->old_time = read_compared_time(old);
  one->new_time = read_compared_time(new_analysis);
  one->change = !now ? SMB_CHANGE_GONE : !old ? SMB_CHANGE_ADDED : judge_case(one);
  one->is_worse = one->change == SMB_CHANGE_WORSE;
}

// @single: whether an error of the case is that of all
static gboolean
compare_case(SmbResultComparison *comparison, const SmbResultCase *before, const SmbResultCase *now,
             gboolean single, GError **error) {
  JsonObject *old = before ? before->analysis : NULL;
  g_autoptr(GError) failure = NULL;
  if (!now->analysis) {
    SmbComparedCase *one = add_compared_case(comparison, now, SMB_CHANGE_LOST);
    one->note = describe_lost_case(now);
    one->is_worse = !before || old;
  } else if (!old || check_comparable(now->name, old, now->analysis, &failure)) {
    take_case(comparison, before, now);
  } else if (single) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  } else {
    add_compared_case(comparison, now, SMB_CHANGE_REFUSED)->note = smb_cli_error_text(failure);
  }
  return TRUE;
}

SmbResultComparison *
smb_results_compare(const SmbResult *old_result, const SmbResult *new_result, GError **error) {
  g_autoptr(SmbResultComparison) comparison = g_new0(SmbResultComparison, 1);
  gboolean single =
      strcmp(old_result->command, "analyze") == 0 && strcmp(new_result->command, "analyze") == 0;
  comparison->old_result = old_result;
  comparison->new_result = new_result;
  comparison->cases = g_ptr_array_new_with_free_func(free_compared_case);
  for (guint i = 0; i < new_result->cases->len; i++) {
    const SmbResultCase *now = &g_array_index(new_result->cases, SmbResultCase, i);
    const SmbResultCase *before = single ? &g_array_index(old_result->cases, SmbResultCase, 0)
                                         : smb_result_find(old_result, now->name);
    if (!compare_case(comparison, before, now, single, error))
      return NULL;
  }
  for (guint i = 0; !single && i < old_result->cases->len; i++) {
    const SmbResultCase *before = &g_array_index(old_result->cases, SmbResultCase, i);
    if (!smb_result_find(new_result, before->name))
      take_case(comparison, before, NULL);
  }
  for (guint i = 0; i < comparison->cases->len; i++)
    comparison->n[((const SmbComparedCase *)comparison->cases->pdata[i])->change]++;
  return g_steal_pointer(&comparison);
}

void
smb_result_comparison_free(SmbResultComparison *comparison) {
  if (!comparison)
    return;
  g_ptr_array_unref(comparison->cases);
  g_free(comparison);
}

const char *
smb_change_name(SmbChange change) {
  static const char *const names[SMB_N_CHANGES] = {
      [SMB_CHANGE_WORSE] = "worse",         [SMB_CHANGE_BETTER] = "better",
      [SMB_CHANGE_SAME] = "same",           [SMB_CHANGE_ADDED] = "added",
      [SMB_CHANGE_GONE] = "gone",           [SMB_CHANGE_LOST] = "not counted",
      [SMB_CHANGE_REFUSED] = "not compared"};
  return names[change];
}

gboolean
smb_result_comparison_is_worse(const SmbResultComparison *comparison) {
  for (guint i = 0; i < comparison->cases->len; i++) {
    if (((const SmbComparedCase *)comparison->cases->pdata[i])->is_worse)
      return TRUE;
  }
  return FALSE;
}

SmbExit
smb_result_comparison_status(const SmbResultComparison *comparison) {
  return comparison->n[SMB_CHANGE_REFUSED] > 0        ? SMB_EXIT_INPUT
         : smb_result_comparison_is_worse(comparison) ? SMB_EXIT_DIFFERS
                                                      : SMB_EXIT_DONE;
}
