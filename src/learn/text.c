// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/learn/text.h"

#include <string.h>

#include "sim/arch/rule.h"
#include "src/analysis/heading.h"
#include "src/analysis/row.h"
#include "src/out/describe.h"
#include "src/out/table.h"

// The command line, as a shell reads it.
static char *
describe_lesson_command(const SmbLearnRun *run) {
  GString *line = g_string_new("smembank analyze");
  for (guint i = 0; run->words[i]; i++) {
    const char *word = run->words[i];
    gsize plain = strspn(word, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-+=.,/:%@");
    g_autofree char *quoted = word[plain] || !*word ? g_shell_quote(word) : g_strdup(word);
    g_string_append_printf(line, " %s", quoted);
  }
  return g_string_free(line, FALSE);
}

// The name of the course's kernel that FILE is, or NULL.
static const char *
find_course_kernel(const SmbLearnRun *run) {
  const char *file = run->target->file;
  return run->is_course && !g_str_has_prefix(file, "data/kernels/") ? file : NULL;
}

static void
write_commands(SmbCli *cli, const char *const *names, const SmbLearnRun *const *runs, guint n) {
  guint width = 0;
  for (guint i = 0; i < n; i++)
    width = MAX(width, smb_text_width(names[i]));
  for (guint i = 0; i < n; i++) {
    g_autofree char *command = describe_lesson_command(runs[i]);
    const char *file = find_course_kernel(runs[i]);
    gboolean told = FALSE;
    for (guint j = 0; j < i && file; j++)
      told = told || g_strcmp0(find_course_kernel(runs[j]), file) == 0;
    if (file && !told)
      smb_spool_printf(cli->out, "  %*s  $ smembank learn --kernel %s >%s\n", -(int)width, "", file,
                       file);
    smb_spool_printf(cli->out, "  %*s  $ %s\n", -(int)width, names[i], command);
  }
  smb_spool_puts(cli->out, "\n");
}

static SmbTable *
new_table(const char *access, const char *passes) {
  g_autofree char *columns =
      g_strdup_printf("run|line>|%s|op|requests>|%s>|ideal>|excess>|worst>", access, passes);
  return smb_table_new(columns);
}

static void
begin_lesson_row(SmbTable *table, const char *name, const SmbSite *site) {
  smb_table_cell(table, SMB_STYLE_PLAIN, name);
  smb_table_number(table, SMB_STYLE_DIM, site->line);
  smb_table_cell(table, SMB_STYLE_PLAIN, site->expression);
  smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_class_name(site->op_class));
}

static void
add_shared_row(SmbTable *table, const char *name, const SmbLearnRun *run) {
  for (guint i = 0; i < run->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(run->analysis->accesses, SmbAccess, i);
    begin_lesson_row(table, name, access->site);
    smb_analyze_add_tally(table, &access->total);
  }
}

static void
add_global_row(SmbTable *table, const char *name, const SmbLearnRun *run) {
  for (guint i = 0; i < run->analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(run->analysis->globals, SmbGlobalAccess, i);
    begin_lesson_row(table, name, access->site);
    smb_analyze_add_global(table, access);
  }
}

void
smb_learn_write_counts(SmbCli *cli, const char *const *names, const SmbLearnRun *const *runs,
                       guint n, SmbLearnTables tables) {
  guint vendors = 0;
  for (guint i = 0; i < n; i++)
    vendors |= 1u << smb_arch_info(runs[i]->arch)->vendor;
  g_autoptr(SmbTable) shared = vendors == 1u << SMB_VENDOR_NVIDIA
                                   ? new_table("shared access", "wavefronts")
                               : vendors == 1u << SMB_VENDOR_AMD ? new_table("LDS access", "cycles")
                                                                 : new_table("access", "passes");
  g_autoptr(SmbTable) global = new_table("global access", smb_analyze_segment_name(runs[0]->arch));
  write_commands(cli, names, runs, n);
  for (guint i = 0; i < n; i++) {
    add_shared_row(shared, names[i], runs[i]);
    add_global_row(global, names[i], runs[i]);
  }
  if (tables & SMB_LEARN_SHARED) {
    smb_table_write(shared, cli->out, cli->colour);
    smb_spool_puts(cli->out, "\n");
  }
  if (tables & SMB_LEARN_GLOBAL) {
    smb_table_write(global, cli->out, cli->colour);
    smb_spool_puts(cli->out, "\n");
  }
}

// The text of the run's kernel, from the first line that is not a comment on.
static void
write_step_kernel(SmbCli *cli, const SmbLearnRun *run) {
  const SmbSource *source = smb_program_source(run->target->kernel);
  guint n = smb_source_n_lines(source);
  gboolean begun = FALSE;
  for (guint i = 1; i <= n; i++) {
    g_autofree char *line = smb_source_line(source, i);
    begun = begun || (*line && !g_str_has_prefix(line, "//"));
    if (begun)
      smb_spool_printf(cli->out, *line ? "  %4u  %s\n" : "  %4u\n", i, line);
  }
  smb_spool_puts(cli->out, "\n");
}

static void
write_show(SmbCli *cli, const SmbLearnStep *step, guint run) {
  const SmbLearnRun *shown = step->runs->pdata[run];
  const char *name = "";
  SmbCli heading = *cli; // on the architecture of the run
  heading.arch = shown->arch;
  write_commands(cli, &name, &shown, 1);
  smb_analyze_write_heading(&heading, shown->target, shown->analysis);
  write_step_kernel(cli, shown);
}

// The counts of the runs that a part names.
static void
write_lesson_counts(SmbCli *cli, const SmbLearnStep *step, const SmbLessonPart *part,
                    SmbLearnTables tables) {
  g_auto(GStrv) words = g_strsplit_set(part->text, " \t\r\n", -1);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  g_autoptr(GPtrArray) runs = g_ptr_array_new();
  for (guint i = 0; words[i]; i++) {
    int index = *words[i] ? smb_lesson_find_run(step->lesson, words[i]) : -1;
    if (index < 0)
      continue;
    g_ptr_array_add(names, words[i]);
    g_ptr_array_add(runs, step->runs->pdata[index]);
  }
  smb_learn_write_counts(cli, (const char *const *)names->pdata,
                         (const SmbLearnRun *const *)runs->pdata, runs->len, tables);
}

// A row of the table of lanes: a number for each of some lanes, as wide as two digits.
static void
write_lesson_lanes(SmbCli *cli, const char *head, const guint *numbers, guint first, guint n,
                   SmbLanes mask) {
  g_autoptr(GString) line = g_string_new(head);
  for (guint lane = first; lane < first + n; lane++) {
    if (mask >> lane & 1)
      g_string_append_printf(line, " %2u", numbers[lane]);
    else
      g_string_append(line, "  -");
  }
  smb_spool_printf(cli->out, "%s\n", line->str);
}

// The bank that each lane asks in the costliest request; of a wide access the first one.
static void
write_lesson_banks(SmbCli *cli, const SmbAccess *access, const SmbArch *arch) {
  const SmbArchInfo *info = smb_arch_info(arch);
  const SmbRequest *request = &access->worst;
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  guint lanes[SMB_MAX_LANES], banks[SMB_MAX_LANES];
  for (guint lane = 0; lane < info->lanes; lane++) {
    lanes[lane] = lane;
    banks[lane] = request->offset[lane] / plan->bank_bytes % plan->banks;
  }
  smb_spool_printf(cli->out, "The %s of %s at line %u, in warp %u:\n",
                   smb_op_class_name(access->site->op_class), access->site->expression,
                   access->site->line, access->worst_warp);
  // Half a warp to a line where a whole one does not fit, and so on.
  guint n = info->lanes;
  while (strlen("lane") + 3 * n > smb_spool_columns(cli->out) && n > 1)
    n /= 2;
  for (guint first = 0; first < info->lanes; first += n) {
    write_lesson_lanes(cli, "lane", lanes, first, n, G_MAXUINT64);
    write_lesson_lanes(cli, "bank", banks, first, n, request->mask);
  }
  smb_spool_puts(cli->out, "\n");
}

static void
write_meeting(SmbCli *cli, const SmbAccess *access, const SmbArch *arch) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "In warp %u, ", access->worst_warp);
  if (smb_describe_meeting(text, arch, &access->worst)) {
    g_string_append_c(text, '.');
    smb_text_wrap(cli->out, text->str);
    smb_spool_puts(cli->out, "\n");
  }
}

// A text of the lesson, wrapped, and an empty line.
static gboolean
write_lesson_text(SmbCli *cli, const SmbLearnStep *step, const char *head,
                  const SmbLessonPart *part, GError **error) {
  g_autofree char *text = smb_lesson_text(step->lesson, part, smb_learn_step_results(step), error);
  if (!text)
    return FALSE;
  g_autofree char *line = g_strconcat(head, text, NULL);
  smb_text_wrap(cli->out, line);
  smb_spool_puts(cli->out, "\n");
  return TRUE;
}

static gboolean
write_lesson_access(SmbCli *cli, const SmbLearnStep *step, const SmbLessonPart *part,
                    GError **error) {
  guint run;
  const SmbAccess *access =
      smb_lesson_access(step->lesson, part, smb_learn_step_results(step), &run, error);
  if (!access)
    return FALSE;
  const SmbArch *arch = ((const SmbLearnRun *)step->runs->pdata[run])->arch;
  if (part->kind == SMB_LESSON_BANKS)
    write_lesson_banks(cli, access, arch);
  else
    write_meeting(cli, access, arch);
  return TRUE;
}

static gboolean
show_part(SmbCli *cli, const SmbLearnStep *step, const SmbLessonPart *part, GError **error) {
  switch (part->kind) {
  case SMB_LESSON_TEXT:
    return write_lesson_text(cli, step, "", part, error);
  case SMB_LESSON_SHOW:
    write_show(cli, step, (guint)smb_lesson_find_run(step->lesson, part->text));
    return TRUE;
  case SMB_LESSON_COUNTS:
    write_lesson_counts(cli, step, part, SMB_LEARN_SHARED);
    return TRUE;
  case SMB_LESSON_SECTORS:
    write_lesson_counts(cli, step, part, SMB_LEARN_GLOBAL);
    return TRUE;
  case SMB_LESSON_BANKS:
  case SMB_LESSON_MEETING:
    return write_lesson_access(cli, step, part, error);
  case SMB_LESSON_CHECK:
    return TRUE;
  }
  g_assert_not_reached();
}

static gboolean
write_lesson_parts(SmbCli *cli, const SmbLearnStep *step, const GArray *parts, GError **error) {
  for (guint i = 0; i < parts->len; i++) {
    if (!show_part(cli, step, &g_array_index(parts, SmbLessonPart, i), error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_learn_write_before(SmbCli *cli, const SmbLearnStep *step, GError **error) {
  g_autofree char *title =
      g_strdup_printf("Step %u of %u: %s", step->number, step->n_steps, step->lesson->title);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, title);
  smb_spool_puts(cli->out, "\n\n");
  return write_lesson_parts(cli, step, step->lesson->before, error) &&
         write_lesson_text(cli, step, "Question: ", &step->lesson->question, error);
}

gboolean
smb_learn_write_hint(SmbCli *cli, const SmbLearnStep *step, GError **error) {
  return write_lesson_text(cli, step, "Hint: ", &step->lesson->hint, error);
}

gboolean
smb_learn_write_after(SmbCli *cli, const SmbLearnStep *step, GError **error) {
  return write_lesson_parts(cli, step, step->lesson->after, error);
}
