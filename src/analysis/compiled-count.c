// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/compiled-count.h"

#include <string.h>

#include "sim/base/text.h"
#include "src/analysis/row.h"
#include "src/analysis/verdict.h"
#include "src/cli/hint.h"
#include "src/compile/compile.h"
#include "src/compile/read.h"

// Whether a compiler could be asked. HIP is for another one.
static gboolean
is_compilable(const SmbTarget *target, const SmbArch *arch) {
  return !target->shape && !target->tile && !target->compiled && !target->is_text_only &&
         smb_compile_is_for(arch) && !g_str_has_suffix(target->file, ".hip") &&
         strcmp(smb_program_level(target->kernel), "text") == 0;
}

gboolean
smb_target_can_compile(const SmbTarget *target, const SmbArch *arch) {
  g_autofree char *nvcc = is_compilable(target, arch) ? smb_compile_find_nvcc() : NULL;
  return nvcc != NULL;
}

gboolean
smb_target_lacks_compiler(const SmbTarget *target, const SmbArch *arch) {
  return is_compilable(target, arch) && !smb_target_can_compile(target, arch);
}

void
smb_compiled_count_free(SmbCompiledCount *count) {
  if (!count)
    return;
  g_clear_pointer(&count->analysis, smb_analysis_free);
  smb_target_free(count->target);
  g_free(count->failure);
  g_array_unref(count->lines);
  g_hash_table_unref(count->by_place);
  g_hash_table_unref(count->undivided);
  g_free(count);
}

// --- lines of the text

// What accesses of a line have in common, whichever way its file is called (transfer full). @array: (nullable): of one array
static char *
make_place_key(const SmbTarget *text, const SmbSite *site, const char *array) {
  const char *file = site->file ? site->file : smb_program_file(text->kernel);
  g_autofree char *path = g_canonicalize_filename(file, NULL);
  return g_strdup_printf("%s\n%u %d %s", path, site->line, (int)site->op_class, array ? array : "");
}

// What a line of the count stands for: arrays are told apart where the code says which of them it accesses.
static char *
make_line_key(const SmbCompiledCount *count, const SmbAccess *access) {
  char *place = make_place_key(count->target, access->site, NULL);
  if (g_hash_table_contains(count->undivided, place))
    return place;
  g_free(place);
  return make_place_key(count->target, access->site, access->array);
}

static SmbCompiledLine *
find_line(const SmbCompiledCount *count, const char *key) {
  guint number = GPOINTER_TO_UINT(g_hash_table_lookup(count->by_place, key));
  return number ? &g_array_index(count->lines, SmbCompiledLine, number - 1) : NULL;
}

const SmbCompiledLine *
smb_compiled_count_line(const SmbCompiledCount *count, const SmbAccess *access) {
  g_autofree char *key = make_line_key(count, access);
  return find_line(count, key);
}

gboolean
smb_compiled_count_share(const SmbCompiledCount *count, const SmbAccess *access, SmbTally *tally) {
  const SmbCompiledLine *line =
      smb_compiled_count_has(count) ? smb_compiled_count_line(count, access) : NULL;
  *tally = line ? line->total : (SmbTally){0};
  return smb_compiled_count_has(count) && (!line || line->first == access->site);
}

gboolean
smb_compiled_count_shares(const SmbCompiledCount *count, const SmbAnalysis *text) {
  SmbTally tally;
  for (guint i = 0; i < text->accesses->len && smb_compiled_count_has(count); i++) {
    if (!smb_compiled_count_share(count, &g_array_index(text->accesses, SmbAccess, i), &tally))
      return TRUE;
  }
  return FALSE;
}

// Finds the lines in which arrays cannot be told apart: of some access the code does not say which array of the text it is to.
static void
divide_lines(SmbCompiledCount *count, const SmbAnalysis *text) {
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < text->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(text->accesses, SmbAccess, i);
    g_hash_table_add(known, make_place_key(count->target, access->site, access->array));
  }
  for (guint i = 0; i < count->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(count->analysis->accesses, SmbAccess, i);
    g_autofree char *key = make_place_key(count->target, access->site, access->array);
    if (!access->array || !g_hash_table_contains(known, key))
      g_hash_table_add(count->undivided, make_place_key(count->target, access->site, NULL));
  }
}

static void
sum_compiled_lines(SmbCompiledCount *count) {
  for (guint i = 0; i < count->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(count->analysis->accesses, SmbAccess, i);
    char *key = make_line_key(count, access);
    SmbCompiledLine *line = find_line(count, key);
    if (!line) {
      const SmbCompiledLine first = {.site = access->site};
      g_array_append_val(count->lines, first);
      g_hash_table_insert(count->by_place, g_strdup(key), GUINT_TO_POINTER(count->lines->len));
      line = &g_array_index(count->lines, SmbCompiledLine, count->lines->len - 1);
    }
    line->n++;
    smb_tally_add(&line->total, &access->total);
    g_free(key);
  }
}

// Notes what the text has in those lines.
static void
match_text(SmbCompiledCount *count, const SmbAnalysis *text) {
  for (guint i = 0; i < text->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(text->accesses, SmbAccess, i);
    g_autofree char *key = make_line_key(count, access);
    SmbCompiledLine *line = find_line(count, key);
    if (line)
      line->n_first++;
    if (line && access->data_source && !line->assumed)
      line->assumed = access;
    if (line && !line->first) {
      line->first = access->site;
      line->array = access->array;
    } else if (line && g_strcmp0(line->array, access->array) != 0) {
      line->array = NULL;
    }
  }
}

static const SmbAccess *
find_assumed(const SmbAnalysis *text) {
  for (guint i = 0; i < text->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(text->accesses, SmbAccess, i);
    if (access->data_source)
      return access;
  }
  return NULL;
}

// What depends on contents that the launch of the text does not give, does so in machine code, which was counted with the same ones: of a
// line that the text does not have, it is not known that it does not.
static void
mark_assumed(SmbCompiledCount *count, const SmbAnalysis *text) {
  const SmbAccess *any = find_assumed(text);
  for (guint i = 0; any && i < count->analysis->accesses->len; i++) {
    SmbAccess *access = &g_array_index(count->analysis->accesses, SmbAccess, i);
    const SmbCompiledLine *line = smb_compiled_count_line(count, access);
    const SmbAccess *written = line->first ? line->assumed : any;
    if (!written)
      continue;
    access->data_source = written->data_source;
    access->reason = written->reason;
    access->exact = FALSE;
  }
}

// Where neither the line nor the code says which array of the text it is, machine code has one array, or bytes.
static void
name_arrays(SmbCompiledCount *count, const SmbAnalysis *text) {
  g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < text->accesses->len; i++) {
    const char *array = g_array_index(text->accesses, SmbAccess, i).array;
    if (array)
      g_hash_table_add(known, (gpointer)array);
  }
  for (guint i = 0; i < count->analysis->accesses->len; i++) {
    SmbAccess *access = &g_array_index(count->analysis->accesses, SmbAccess, i);
    const SmbCompiledLine *line = smb_compiled_count_line(count, access);
    if (line->array)
      access->array = line->array;
    else if (access->array)
      access->array = g_hash_table_lookup(known, access->array);
  }
}

// Which array the lines that the text does not have access, if it is one.
static void
name_own_lines(SmbCompiledCount *count) {
  for (guint i = 0; i < count->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(count->analysis->accesses, SmbAccess, i);
    g_autofree char *key = make_line_key(count, access);
    SmbCompiledLine *line = find_line(count, key);
    if (!line->first && line->site == access->site)
      line->array = access->array;
    else if (!line->first && g_strcmp0(line->array, access->array) != 0)
      line->array = NULL;
  }
}

// --- the count

// In the text alone what is not known may be counted: then it stands alone.
static void
check_uncounted(SmbCompiledCount *count, const SmbAnalysis *text) {
  if (!count->analysis || smb_analyze_uncounted(count->analysis) == 0 ||
      smb_analyze_uncounted(text) > 0)
    return;
  g_clear_pointer(&count->analysis, smb_analysis_free);
  count->failure = g_strdup("not all of its requests can be counted");
}

SmbCompiledCount *
smb_compiled_count_begin(const SmbTarget *target, const SmbArch *arch) {
  if (!smb_target_can_compile(target, arch))
    return NULL;
  g_autoptr(GError) error = NULL;
  smb_progress_begin(target->options.progress, "compiling", SMB_PROGRESS_UNCOUNTED);
  SmbTarget *compiled =
      smb_target_compile(target, NULL, target->launch.dynamic_bytes, arch, &error);
  smb_progress_begin(target->options.progress, NULL, 0);
  SmbCompiledCount *count = smb_compiled_count_of(compiled);
  if (!compiled)
    smb_compiled_count_fail(count, error);
  return count;
}

SmbCompiledCount *
smb_compiled_count_of(SmbTarget *compiled) {
  SmbCompiledCount *count = g_new0(SmbCompiledCount, 1);
  count->target = compiled;
  count->lines = g_array_new(FALSE, FALSE, sizeof(SmbCompiledLine));
  count->by_place = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  count->undivided = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return count;
}

void
smb_compiled_count_fail(SmbCompiledCount *count, const GError *error) {
  g_autofree char *reason = smb_cli_error_text(error);
  count->failure = g_strndup(reason, strcspn(reason, "\n"));
}

void
smb_compiled_count_take(SmbCompiledCount *count, SmbAnalysis *analysis, const SmbAnalysis *text) {
  count->analysis = analysis;
  check_uncounted(count, text);
  if (!count->analysis)
    return;
  divide_lines(count, text);
  sum_compiled_lines(count);
  match_text(count, text);
  mark_assumed(count, text);
  name_arrays(count, text);
  name_own_lines(count);
}

SmbCompiledCount *
smb_compiled_count_new(const SmbTarget *target, const SmbAnalysis *text, const SmbArch *arch) {
  g_autoptr(GError) error = NULL;
  SmbCompiledCount *count = smb_compiled_count_begin(target, arch);
  if (!count || count->failure)
    return count;
  SmbAnalysis *analysis = smb_target_analyze(count->target, arch, &error);
  if (analysis)
    smb_compiled_count_take(count, analysis, text);
  else
    smb_compiled_count_fail(count, error);
  return count;
}

gboolean
smb_compiled_count_has(const SmbCompiledCount *count) {
  return count && count->analysis;
}

gboolean
smb_compiled_count_agrees(const SmbCompiledCount *count, const SmbAnalysis *text) {
  const SmbTally written = smb_analysis_total(text), made = smb_analysis_total(count->analysis);
  return written.wavefronts == made.wavefronts && written.excess == made.excess;
}

// Whether lanes of an atomic that is a loop take turns at a word: of the text that is excess, of compiled code each turn is a request.
static gboolean
has_turns(const SmbAnalysis *text) {
  for (guint i = 0; i < text->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(text->accesses, SmbAccess, i);
    if (access->is_loop && access->total.excess)
      return TRUE;
  }
  return FALSE;
}

char *
smb_compiled_count_tell(const SmbCompiledCount *count, const SmbAnalysis *text) {
  const SmbTally written = smb_analysis_total(text), made = smb_analysis_total(count->analysis);
  if (smb_compiled_count_agrees(count, text))
    return g_strdup("The text and what nvcc makes of it take the same wavefronts.");
  return g_strdup_printf("The text asks for %s, %s of them in excess; what nvcc makes of it takes "
                         "%s, %s in excess, and "
                         "that is what the verdict and limits are of.%s",
                         smb_count(written.wavefronts, "wavefront").text,
                         smb_number(written.excess).text, smb_number(made.wavefronts).text,
                         smb_number(made.excess).text,
                         has_turns(text) ? " Lanes take turns at a word: the text counts their "
                                           "turns as excess, and compiled code as requests."
                                         : "");
}

char *
smb_compiled_count_summarize(const SmbCompiledCount *count, const SmbAnalysis *text,
                             const SmbArch *arch) {
  if (!smb_compiled_count_has(count))
    return smb_analyze_summarize(arch, text, NULL);
  g_autofree char *which = smb_compiled_count_tell(count, text);
  g_autofree char *summary = smb_analyze_summarize(
      arch, smb_compiled_count_agrees(count, text) ? text : count->analysis, count);
  return g_strconcat(summary, " ", which, NULL);
}

// "2 x LDS.128, LDS": the instructions of a line, alike ones together (transfer full).
static char *
list_opcodes(const SmbCompiledCount *count, const SmbCompiledLine *line) {
  GString *list = g_string_new(NULL);
  g_autoptr(GPtrArray) opcodes = g_ptr_array_new();
  g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < count->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(count->analysis->accesses, SmbAccess, i);
    const char *opcode = access->site->opcode;
    if (!opcode || smb_compiled_count_line(count, access) != line)
      continue;
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, opcode));
    if (n == 0)
      g_ptr_array_add(opcodes, (gpointer)opcode);
    g_hash_table_insert(numbers, (gpointer)opcode, GUINT_TO_POINTER(n + 1));
  }
  for (guint i = 0; i < opcodes->len; i++) {
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, opcodes->pdata[i]));
    g_autofree char *times = n > 1 ? g_strdup_printf("%u \u00d7 ", n) : g_strdup("");
    g_string_append_printf(list, "%s%s%s", i > 0 ? ", " : "", times, (char *)opcodes->pdata[i]);
  }
  return g_string_free(list, FALSE);
}

// " of 'a'", if its line has accesses of the class to other arrays as well, which are counted on their own (transfer full).
static char *
describe_array(const SmbCompiledCount *count, const SmbAccess *access) {
  g_autofree char *place = make_place_key(count->target, access->site, NULL);
  gboolean has_others = FALSE;
  for (guint i = 0; i < count->lines->len && access->array; i++) {
    const SmbCompiledLine *line = &g_array_index(count->lines, SmbCompiledLine, i);
    g_autofree char *other = make_place_key(count->target, line->site, NULL);
    has_others |=
        g_str_equal(place, other) && line->array && !g_str_equal(line->array, access->array);
  }
  return has_others ? g_strdup_printf(" of '%s'", access->array) : g_strdup("");
}

char *
smb_compiled_count_tell_line(const SmbCompiledCount *count, const SmbAccess *access) {
  const SmbCompiledLine *line = smb_compiled_count_line(count, access);
  const char *class = smb_op_class_name(access->site->op_class);
  g_autofree char *place = smb_site_place(access->site);
  g_autofree char *array = describe_array(count, access);
  if (!line)
    return g_strdup_printf("nvcc leaves no %s%s in shared memory of %s.", class, array, place);
  g_autofree char *opcodes = list_opcodes(count, line);
  const SmbTally *tally = &line->total;
  return g_strdup_printf(
      "Of the %ss%s in %s nvcc makes %s: %s, %s, %s in excess (%u-way at worst).", class, array,
      place, opcodes, smb_count(tally->requests, "request").text,
      smb_count(tally->wavefronts, "wavefront").text, smb_number(tally->excess).text,
      tally->max_degree);
}

const SmbSite *
smb_compiled_count_written(const SmbCompiledCount *count, const SmbAccess *access) {
  const SmbCompiledLine *line = smb_compiled_count_has(count) && access->site->opcode
                                    ? smb_compiled_count_line(count, access)
                                    : NULL;
  return line && line->n_first == 1 ? line->first : NULL;
}

char *
smb_compiled_count_name(const SmbCompiledCount *count, const SmbAccess *access, guint n) {
  const char *class = smb_op_class_name(access->site->op_class);
  const SmbSite *written = smb_compiled_count_written(count, access);
  g_autofree char *text = smb_analyze_row_text(access->site, n);
  if (written)
    return g_strdup_printf("the %s of %s (%s)", class, written->expression,
                           n == 1 ? access->site->opcode : text);
  return n == 1 ? g_strdup_printf("the %s of %s", class, text) : g_steal_pointer(&text);
}

void
smb_compiled_count_warn(const SmbCompiledCount *count, const SmbTarget *target,
                        SmbSpool *messages) {
  if (count && count->failure)
    smb_spool_printf(messages, "%s%s: warning: the text alone is counted: %s\n",
                     smb_text_ahead(target->file), target->file, count->failure);
}
