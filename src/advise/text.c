// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/text.h"

#include <string.h>

#include "src/analyze/report.h"
#include "src/advise/changes.h"
#include "src/out/table.h"

static SmbStyle
style_cost(const SmbTally *tally) {
  return tally->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
}

static void
write_layout(SmbTable *table, const SmbAdviseLayout *layout, guint number) {
  const SmbTally *total = &layout->candidate->total;
  if (number)
    smb_table_printf(table, SMB_STYLE_BOLD, "%u", number);
  else
    smb_table_cell(table, SMB_STYLE_DIM, "now");
  smb_table_cell(table, SMB_STYLE_PLAIN, layout->name);
  smb_table_number(table, style_cost(total), total->wavefronts);
  smb_table_number(table, style_cost(total), total->excess);
  smb_table_printf(table, SMB_STYLE_PLAIN, "%+" G_GINT64_FORMAT, layout->extra_bytes);
  smb_table_number(table, SMB_STYLE_PLAIN, layout->vector_bytes);
  smb_table_cell(table, layout->fits == SMB_ADVISE_FITS ? SMB_STYLE_PLAIN : SMB_STYLE_BAD,
                 smb_advise_fit_name(layout->fits));
  if (layout->occupancy.known)
    smb_table_number(table, SMB_STYLE_PLAIN, layout->occupancy.blocks);
  else
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  smb_table_cell(table, SMB_STYLE_PLAIN, layout->index);
}

static void
write_layouts(SmbCli *cli, const SmbAdviseArray *array) {
  g_autoptr(SmbTable) table = smb_table_new();
  smb_table_column(table, "", SMB_ALIGN_RIGHT);
  smb_table_column(table, "layout", SMB_ALIGN_LEFT);
  smb_table_column(table, "wavefronts", SMB_ALIGN_RIGHT);
  smb_table_column(table, "excess", SMB_ALIGN_RIGHT);
  smb_table_column(table, "bytes", SMB_ALIGN_RIGHT);
  smb_table_column(table, "vector", SMB_ALIGN_RIGHT);
  smb_table_column(table, "fits", SMB_ALIGN_LEFT);
  smb_table_column(table, "blocks/SM", SMB_ALIGN_RIGHT);
  smb_table_column(table, "index", SMB_ALIGN_LEFT);
  smb_table_wrap(table);
  write_layout(table, array->now, 0);
  smb_table_rule(table);
  for (guint i = 0; i < array->layouts->len; i++)
    write_layout(table, g_ptr_array_index(array->layouts, i), i + 1);
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_access_cell(SmbTable *table, const SmbAdviseLayout *layout, guint access) {
  const SmbTally *tally = &g_array_index(layout->candidate->accesses, SmbTally, access);
  smb_table_number(table, style_cost(tally), tally->wavefronts);
}

// What each access takes in each of the layouts.
static void
write_accesses(SmbCli *cli, const SmbAdviseReport *report, const SmbAdviseArray *array) {
  g_autoptr(SmbTable) table = smb_table_new();
  smb_table_column(table, "line", SMB_ALIGN_RIGHT);
  smb_table_column(table, "op", SMB_ALIGN_LEFT);
  smb_table_column(table, "access", SMB_ALIGN_LEFT);
  smb_table_column(table, "ideal", SMB_ALIGN_RIGHT);
  smb_table_column(table, "now", SMB_ALIGN_RIGHT);
  for (guint i = 0; i < array->layouts->len; i++) {
    g_autofree char *number = g_strdup_printf("%u", i + 1);
    smb_table_column(table, number, SMB_ALIGN_RIGHT);
  }
  for (guint a = 0; a < report->analysis->accesses->len; a++) {
    const SmbSite *site = g_array_index(report->analysis->accesses, SmbAccess, a).site;
    const SmbTally *now = &g_array_index(array->now->candidate->accesses, SmbTally, a);
    if (now->requests == 0)
      continue;
    smb_table_number(table, SMB_STYLE_DIM, site->line);
    smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_class_name(site->op_class));
    smb_table_cell(table, SMB_STYLE_PLAIN, site->expression);
    smb_table_number(table, SMB_STYLE_PLAIN, now->ideal);
    write_access_cell(table, array->now, a);
    for (guint i = 0; i < array->layouts->len; i++)
      write_access_cell(table, g_ptr_array_index(array->layouts, i), a);
  }
  smb_spool_puts(cli->out, "\nWavefronts of each access:\n");
  smb_table_write(table, cli->out, cli->colour);
}

// What was searched (SmbAdviseKinds), in words.
static void
append_space(GString *text, const SmbAdviseArray *array) {
  SmbAdviseKinds all = SMB_ADVISE_PAD | SMB_ADVISE_SWIZZLE | SMB_ADVISE_BOTH;
  SmbAdviseKinds kinds = array->kinds ? array->kinds : all;
  const SmbLayout *now = &array->search->original->layout;
  gboolean rows = array->search->use->bytes / now->element_bytes > now->columns + now->pad;
  const char *parts[3];
  guint n = 0;
  if (kinds & SMB_ADVISE_PAD)
    parts[n++] = rows ? "padding of rows up to what fills all banks once"
                      : "padding after every power of two of elements (--row names a row)";
  if (kinds & SMB_ADVISE_SWIZZLE)
    parts[n++] = "every XOR swizzle of the elements' numbers";
  if ((kinds & SMB_ADVISE_BOTH) && rows)
    parts[n++] = "every swizzle within rows in padded rows";
  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, "%s%s",
                           i == 0       ? ""
                           : i + 1 == n ? (n > 2 ? ", and " : " and ")
                                        : ", ",
                           parts[i]);
}

char *
smb_advise_describe(const SmbAdviseArray *array) {
  const SmbAdvice *whole = array->search;
  const SmbTally *now = &whole->original->total;
  GString *text = g_string_new(NULL);
  const SmbCandidate *best = whole->best->len ? g_ptr_array_index(whole->best, 0) : NULL;
  if (!best)
    g_string_append_printf(text, "None of the %" G_GUINT64_FORMAT " layouts can hold %s", //
                           whole->searched, whole->use->array->name);
  else if (best->total.wavefronts == now->wavefronts)
    g_string_append_printf(text,
                           "The present layout is the best of %" G_GUINT64_FORMAT
                           ": none takes fewer than %" G_GUINT64_FORMAT " wavefronts",
                           whole->searched, now->wavefronts);
  else
    g_string_append_printf(
        text,
        "Of %" G_GUINT64_FORMAT " layouts none takes fewer than %" G_GUINT64_FORMAT
        " wavefronts, where there are %" G_GUINT64_FORMAT " now; %" G_GUINT64_FORMAT " take as few",
        whole->searched, best->total.wavefronts, now->wavefronts, whole->ties);
  g_string_append(text, ". Every one was counted: ");
  append_space(text, array);
  g_string_append_c(text, '.');
  if (whole->unfit)
    g_string_append_printf(text,
                           " %" G_GUINT64_FORMAT " of them cannot be: an access would be torn or "
                           "misaligned, or shared memory is too small.",
                           whole->unfit);
  if (best && best->total.excess)
    g_string_append_printf(text,
                           " %" G_GUINT64_FORMAT " wavefronts remain in excess: no layout of the "
                           "space serves all accesses at once.",
                           best->total.excess);
  return g_string_free(text, FALSE);
}

// Lines, each with its number and a mark.
static void
write_lines(SmbCli *cli, guint line, char mark, const char *lines, SmbStyle style) {
  g_auto(GStrv) parts = g_strsplit(lines, "\n", -1);
  for (guint i = 0; parts[i]; i++) {
    g_autofree char *shown =
        g_strdup_printf("%5u%c %s", line + (mark == '-' ? i : 0), mark, parts[i]);
    smb_style_write(cli->out, style, cli->colour, g_strchomp(shown));
    smb_spool_puts(cli->out, "\n");
  }
}

static void
write_changes(SmbCli *cli, const SmbSource *source, const GArray *edits) {
  g_autoptr(GArray) changes = smb_changes_new(source, edits);
  for (guint i = 0; i < changes->len; i++) {
    const SmbChange *change = &g_array_index(changes, SmbChange, i);
    if (change->before)
      write_lines(cli, change->line, '-', change->before, SMB_STYLE_DIM);
    write_lines(cli, change->line, '+', change->after, SMB_STYLE_GOOD);
  }
}

static guint64
sum_wavefronts(const SmbAnalysis *analysis) {
  guint64 sum = 0;
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    sum += analysis->totals[c].wavefronts;
  return sum;
}

// A rewritten kernel: its lines, or why there are none.
static void
write_proof(SmbCli *cli, const SmbAdviseReport *report, const char *title, const SmbProof *proof) {
  g_autofree char *heading = g_strconcat("\n", title, NULL);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, heading);
  if (proof->failure) {
    smb_spool_printf(cli->out, "%s:\n%s\n",
                     proof->edits ? ", as CUDA C, does not hold and is not shown"
                                  : ", to be written by hand",
                     proof->failure);
    return;
  }
  smb_spool_puts(cli->out, ", as CUDA C:\n");
  write_changes(cli, smb_program_source(report->target->kernel), proof->edits);
  g_autoptr(GString) text = g_string_new(NULL);
  gsize dynamic = proof->launch.dynamic_bytes;
  if (dynamic != report->target->launch.dynamic_bytes)
    g_string_append_printf(text,
                           "Launched with %" G_GSIZE_FORMAT
                           " bytes of dynamic shared memory instead of %" G_GSIZE_FORMAT ". ",
                           dynamic, report->target->launch.dynamic_bytes);
  if (dynamic > smb_arch_info(report->arch)->static_shared_bytes)
    g_string_append_printf(text,
                           "More than %u bytes need cudaFuncSetAttribute with "
                           "cudaFuncAttributeMaxDynamicSharedMemorySize. ",
                           smb_arch_info(report->arch)->static_shared_bytes);
  g_string_append_printf(text,
                         "Evaluated in this form: %" G_GUINT64_FORMAT " wavefronts of all shared "
                         "accesses, each as predicted",
                         sum_wavefronts(proof->analysis));
  if (proof->compared_bytes)
    g_string_append_printf(text, ", and the same %" G_GUINT64_FORMAT " bytes in global memory.",
                           proof->compared_bytes);
  else
    g_string_append(text, "; the kernel touches no global memory to compare.");
  smb_text_wrap(cli->out, text->str);
}

char *
smb_advise_describe_unseen(const SmbAdviseArray *array) {
  const GArray *lines = array->unseen;
  if (lines->len == 0)
    return NULL;
  GString *text = g_string_new(lines->len > 1 ? "Lines " : "Line ");
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf(text, "%s%u",
                           i == 0                ? ""
                           : i + 1 == lines->len ? " and "
                                                 : ", ",
                           g_array_index(lines, guint, i));
  g_string_append_printf(text,
                         " %s %s where nothing is evaluated (in a branch of #if, sizeof or another "
                         "function), and %s left as %s.",
                         lines->len > 1 ? "mention" : "mentions", array->search->use->array->name,
                         lines->len > 1 ? "are" : "is", lines->len > 1 ? "they are" : "it is");
  return g_string_free(text, FALSE);
}

// Lines that the rewriting left alone.
static void
write_unseen(SmbCli *cli, const SmbAdviseArray *array) {
  g_autofree char *lines = smb_advise_describe_unseen(array);
  if (lines && smb_advise_proven(array))
    smb_text_wrap(cli->out, lines);
}

// Counts that are lower bounds.
static void
append_bounds(GString *text, const SmbAdviseReport *report, const SmbAdviseArray *array) {
  guint n = 0;
  for (guint i = 0; i < report->analysis->accesses->len; i++)
    n += !g_array_index(report->analysis->accesses, SmbAccess, i).exact &&
         g_array_index(array->now->candidate->accesses, SmbTally, i).requests > 0;
  if (n > 0)
    g_string_append(text, " Atomics that are loops are counted by a lower bound.");
}

// A rewritten kernel whose rows end earlier: a larger launch may need what this one leaves alone.
static void
write_narrower(SmbCli *cli, const SmbAdviseArray *array, const SmbAdviseLayout *layout) {
  const SmbLayout *now = &array->now->candidate->layout, *then = &layout->candidate->layout;
  guint64 before = now->columns + now->pad, after = then->columns + then->pad;
  // Of an array without rows, a row is where padding goes.
  if (!layout->proof || layout->proof->failure || array->search->use->array->n_dimensions < 2 ||
      after >= before)
    return;
  g_autofree char *text = g_strdup_printf(
      "Rows of %s are %" G_GUINT64_FORMAT " element%s shorter than now: no request of this launch "
      "touches the end of a row.",
      array->search->use->array->name, before - after, before - after == 1 ? "" : "s");
  smb_text_wrap(cli->out, text);
}

static void
write_array(SmbCli *cli, const SmbAdviseReport *report, const SmbAdviseArray *array) {
  const SmbArray *found = array->search->use->array;
  g_autofree char *declaration = smb_advise_declare(found);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, declaration);
  smb_spool_printf(cli->out, "  line %u, %" G_GSIZE_FORMAT " bytes\n\n", found->line,
                   array->search->use->bytes);
  write_layouts(cli, array);
  write_accesses(cli, report, array);
  g_autofree char *sentences = smb_advise_describe(array);
  g_autoptr(GString) text = g_string_new(sentences);
  append_bounds(text, report, array);
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap(cli->out, text->str);
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    g_autofree char *title = g_strdup_printf("%u  %s", i + 1, layout->name);
    if (layout->proof)
      write_proof(cli, report, title, layout->proof);
    write_narrower(cli, array, layout);
  }
  write_unseen(cli, array);
}

static void
write_legend(SmbCli *cli) {
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap(
      cli->out,
      "bytes: shared memory more than now. vector: the widest access, in bytes, that stays whole "
      "and aligned. fits: opt-in is dynamic shared memory beyond what a block has without asking. "
      "blocks/SM: resident blocks, as far as shared memory and threads limit them, not registers. "
      "A count of wavefronts is no time, and what an index costs to compute is not counted. New "
      "text is evaluated for this launch, and its constants are for these macros.");
}

void
smb_advise_write_text(SmbCli *cli, gconstpointer result) {
  const SmbAdviseResult *written = result;
  const SmbAdviseReport *report = written->report;
  const SmbAdviseMeasured *measured = written->measured;
  SmbAnalyzeReport heading = {report->target, report->analysis, FALSE, G_MAXUINT};
  smb_analyze_write_heading(cli, &heading);
  if (report->arrays->len == 0)
    smb_spool_puts(cli->out, "The kernel makes no request of a shared array.\n");
  for (guint i = 0; i < report->arrays->len; i++) {
    if (i > 0)
      smb_spool_puts(cli->out, "\n");
    write_array(cli, report, g_ptr_array_index(report->arrays, i));
  }
  if (report->together)
    write_proof(cli, report, "The best of each array together", report->together);
  if (measured)
    smb_advise_write_measured(cli, "layout", measured);
  if (report->arrays->len > 0)
    write_legend(cli);
}
