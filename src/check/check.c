// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/check/check.h"

#include <string.h>
#include <sys/wait.h>

#include "src/analysis/launch-time.h"
#include "src/analysis/prove-option.h"
#include "src/cli/child.h"
#include "src/compare/result.h"
#include "src/compile/cache.h"
#include "src/compile/compile.h"
#include "src/compile/workshop.h"
#include "src/out/json.h"
#include "src/target/target.h"

static void
checked_case_free(SmbChecked *checked) {
  g_clear_pointer(&checked->result, json_node_unref);
  g_free(checked->error);
  g_strfreev(checked->messages);
  g_free(checked);
}

void
smb_check_free(SmbCheck *check) {
  if (!check)
    return;
  g_ptr_array_unref(check->cases);
  g_free(check);
}

SmbCheck *
smb_check_new(const SmbProject *project) {
  SmbCheck *check = g_new0(SmbCheck, 1);
  check->project = project;
  check->cases = g_ptr_array_new_with_free_func((GDestroyNotify)checked_case_free);
  return check;
}

SmbChecked *
smb_check_add(SmbCheck *check, const SmbCase *one) {
  SmbChecked *checked = g_new0(SmbChecked, 1);
  checked->one = one;
  g_ptr_array_add(check->cases, checked);
  return checked;
}

const char *const smb_verdict_names[] = {"passed", "failed", "no limit", "error", NULL};

const char *
smb_verdict_name(SmbCaseVerdict verdict) {
  return smb_verdict_names[verdict];
}

typedef struct {
  SmbCheck *check;
  SmbFiles *files;
  SmbProgress *progress;
} Run;

// Why a case could not be counted. That its words are wrong is said by check where the case begins.
static char *
describe_case_error(const SmbCase *one, const SmbChild *child) {
  g_autofree char *origin = g_strdup_printf(" (--case %s, %s:%u)", one->name, one->path, one->line);
  char *text = smb_child_describe_end(child);
  if (g_str_has_suffix(text, origin))
    text[strlen(text) - strlen(origin)] = '\0';
  return text;
}

// Whether a result was checked: analyze says which limits failed, if there are some, and what is proved, if that was asked.
static gboolean
has_limit(JsonNode *result) {
  JsonObject *object = json_node_get_object(result);
  return json_object_has_member(object, "failed_limits") || json_object_has_member(object, "proof");
}

static void
take_case_result(guint index, const SmbChild *child, gpointer data) {
  const Run *run = data;
  SmbChecked *checked = run->check->cases->pdata[index];
  checked->messages = smb_child_messages(child);
  smb_files_read_all(run->files, (const char *const *)child->read);
  checked->result = smb_child_json(child);
  checked->verdict = !checked->result                              ? SMB_VERDICT_ERROR
                     : WEXITSTATUS(child->status) != SMB_EXIT_DONE ? SMB_VERDICT_FAILED
                     : has_limit(checked->result)                  ? SMB_VERDICT_PASSED
                                                                   : SMB_VERDICT_NO_LIMIT;
  if (checked->verdict == SMB_VERDICT_ERROR) {
    checked->error = describe_case_error(checked->one, child);
    g_clear_pointer(&checked->messages, g_strfreev);
    checked->messages = g_new0(char *, 1);
  }
  run->check->n[checked->verdict]++;
  smb_progress_add(run->progress, 1);
}

// analyze --project FILE --case NAME --format json; cases that run at a time share the processors.
static SmbChildLine *
make_line(const SmbProject *project, const SmbCase *one, guint jobs, const char *const *further) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_autofree char *path = g_strconcat("--project=", project->path, NULL);
  g_autofree char *name = g_strconcat("--case=", one->name, NULL);
  g_autofree char *threads =
      g_strdup_printf("--threads=%u", MAX(1, g_get_num_processors() / MAX(jobs, 1)));
  g_strv_builder_add_many(words, "analyze", path, name, "--format=json", NULL);
  if (smb_target_options()->trusts)
    g_strv_builder_add(words, "--" SMB_TRUST_OPTION);
  if (smb_target_options()->text)
    g_strv_builder_add(words, "--" SMB_TEXT_OPTION);
  if (smb_prove_is_asked())
    g_strv_builder_add(words, "--prove");
  smb_launch_time_words(words);
  gboolean has_threads = FALSE;
  for (guint i = 0; one->words[i]; i++)
    has_threads |= g_str_has_prefix(one->words[i], "--threads=");
  if (!has_threads)
    g_strv_builder_add(words, threads);
  for (guint i = 0; further && further[i]; i++)
    g_strv_builder_add(words, further[i]);
  return smb_child_line_new(g_strv_builder_end(words), NULL);
}

// What is compiled of a case: the same text with the same options is compiled once, and the others wait for that.
static char *
describe_compilation(const SmbCase *one) {
  static const char *const options[] = {
      "--nvcc=", "--define=", "--include=", "--instance=", "--arch=", "--wave="};
  g_autoptr(GString) text = g_string_new(one->file);
  for (guint i = 0; one->words[i]; i++) {
    for (guint j = 0; j < G_N_ELEMENTS(options); j++) {
      if (g_str_has_prefix(one->words[i], options[j]))
        g_string_append_printf(text, "\n%s", one->words[i]);
    }
  }
  return g_strdup(text->str);
}

static void
order_lines(const GPtrArray *cases, const GPtrArray *lines) {
  g_autoptr(GHashTable) first = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *nvcc = smb_compile_find_nvcc();
  for (guint i = 0; nvcc && i < cases->len; i++) {
    const SmbCase *one = cases->pdata[i];
    SmbChildLine *line = lines->pdata[i];
    char *compilation = one->file ? describe_compilation(one) : NULL;
    gpointer before = NULL;
    if (compilation && g_hash_table_lookup_extended(first, compilation, NULL, &before))
      line->after = GPOINTER_TO_UINT(before);
    if (compilation && line->after == SMB_CHILD_NONE)
      g_hash_table_insert(first, compilation, GUINT_TO_POINTER(i));
    else
      g_free(compilation);
  }
}

// Where what is compiled is kept for this run alone, if it is not for others.
static SmbWorkshop *
make_cache(GStrv *environment) {
  g_autofree char *folder = smb_target_options()->compiles_anew ? NULL : smb_cache_folder();
  SmbWorkshop *workshop = folder ? NULL : smb_workshop_new("check", NULL);
  if (!workshop)
    return NULL;
  *environment =
      g_environ_setenv(g_get_environ(), SMB_CACHE_VARIABLE, smb_workshop_folder(workshop), TRUE);
  *environment = g_environ_unsetenv(*environment, SMB_CACHE_SIZE_VARIABLE);
  return workshop;
}

SmbCheck *
smb_check_run(const SmbProject *project, const GPtrArray *cases, guint jobs,
              const char *const *words, SmbFiles *files, SmbProgress *progress) {
  SmbCheck *check = smb_check_new(project);
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func((GDestroyNotify)smb_child_line_free);
  for (guint i = 0; i < cases->len; i++) {
    smb_check_add(check, cases->pdata[i]);
    g_ptr_array_add(lines, make_line(project, cases->pdata[i], MIN(jobs, cases->len), words));
  }
  order_lines(cases, lines);
  Run run = {check, files, progress};
  g_auto(GStrv) environment = NULL;
  G_GNUC_UNUSED g_autoptr(SmbWorkshop) cache = make_cache(&environment); // until the cases have run
  smb_progress_begin(progress, "cases", cases->len);
  smb_children_run(lines, jobs, environment, take_case_result, &run);
  return check;
}

static void
add_total(G_GNUC_UNUSED JsonObject *totals, G_GNUC_UNUSED const char *op, JsonNode *node,
          gpointer data) {
  SmbCheckedCosts *costs = data;
  JsonObject *total = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
  costs->requests += (guint64)smb_json_get_number(total, "requests");
  costs->wavefronts += (guint64)smb_json_get_number(total, "wavefronts");
  costs->ideal += (guint64)smb_json_get_number(total, "ideal_wavefronts");
  costs->excess += (guint64)smb_json_get_number(total, "excess_wavefronts");
}

static void
raise_degree(G_GNUC_UNUSED JsonArray *accesses, G_GNUC_UNUSED guint index, JsonNode *node,
             gpointer data) {
  SmbCheckedCosts *costs = data;
  gint64 degree = smb_json_get_number(json_node_get_object(node), "max_degree");
  costs->max_degree = MAX(costs->max_degree, (guint)degree);
}

static void
read_checked_time(JsonObject *result, SmbCheckedCosts *costs) {
  JsonObject *time = smb_json_get_object(result, "time");
  JsonObject *without = time ? smb_json_get_object(time, "without_conflicts") : NULL;
  if (!without)
    return;
  double rest = json_object_get_double_member_with_default(without, "microseconds", 0);
  costs->is_timed = TRUE;
  costs->device = smb_json_get_text(time, "device");
  costs->is_measured = smb_time_json_is_measured(time);
  costs->microseconds = json_object_get_double_member_with_default(time, "microseconds", 0);
  costs->conflicts = MAX(0, costs->microseconds - rest);
}

gboolean
smb_checked_costs(const SmbChecked *checked, SmbCheckedCosts *costs) {
  SmbCheckedCosts text = {0};
  *costs = text;
  if (!checked->result)
    return FALSE;
  JsonObject *result = json_node_get_object(checked->result);
  JsonObject *compiled = smb_result_compiled(result), *judged = compiled ? compiled : result;
  JsonObject *totals = smb_json_get_object(judged, "totals");
  JsonObject *of_text = smb_json_get_object(result, "totals");
  costs->kernel = smb_json_get_text(smb_json_get_object(result, "kernel"), "name");
  costs->vendor = smb_vendor_of(smb_json_get_text(smb_json_get_object(result, "arch"), "name"));
  if (of_text)
    json_object_foreach_member(of_text, add_total, &text);
  costs->text_excess = text.excess;
  if (totals)
    json_object_foreach_member(totals, add_total, costs);
  json_array_foreach_element(smb_json_get_array(judged, "accesses"), raise_degree, costs);
  read_checked_time(result, costs);
  return TRUE;
}
