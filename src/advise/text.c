// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/text.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "src/advise/changes.h"
#include "src/analysis/compiled-count.h"
#include "src/analysis/heading.h"
#include "src/analysis/vendor.h"
#include "src/analysis/verdict.h"
#include "src/out/table.h"

static SmbStyle
style_cost(const SmbTally *tally) {
  return tally->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
}

// What a form of the kernel takes as compiled, if that is known.
static void
write_compiled_cells(SmbTable *table, const SmbAdviseCompiled *compiled) {
  if (compiled && !compiled->failure) {
    smb_table_number(table, style_cost(&compiled->total), compiled->total.wavefronts);
  } else {
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  }
  if (compiled && compiled->instructions)
    smb_table_number(table, SMB_STYLE_PLAIN, compiled->instructions);
  else
    smb_table_cell(table, SMB_STYLE_DIM, "-");
}

static void
show_layout(SmbTable *table, const SmbAdviseReport *report, const SmbAdviseArray *array,
            const SmbAdviseLayout *layout, guint number) {
  const SmbTally *total = &layout->candidate->total;
  if (number)
    smb_table_printf(table, SMB_STYLE_BOLD, "%u", number);
  else
    smb_table_cell(table, SMB_STYLE_DIM, "now");
  smb_table_cell(table, SMB_STYLE_PLAIN, layout->name);
  smb_table_number(table, style_cost(total), total->wavefronts);
  smb_table_number(table, style_cost(total), total->excess);
  if (array->merged)
    smb_table_number(table, style_cost(&layout->merged), layout->merged.wavefronts);
  if (report->now)
    write_compiled_cells(table, number ? layout->compiled : report->now);
  if (smb_advise_compiled_has_times(report->now, report->now))
    smb_advise_write_time_cell(table, number ? layout->compiled : report->now);
  smb_table_printf(table, SMB_STYLE_PLAIN, "%+" G_GINT64_FORMAT, layout->extra_bytes);
  smb_table_number(table, SMB_STYLE_PLAIN, layout->vector_bytes);
  smb_table_cell(table, layout->fits == SMB_ADVISE_FITS ? SMB_STYLE_PLAIN : SMB_STYLE_BAD,
                 smb_advise_fit_name(layout->fits));
  if (layout->occupancy.known)
    smb_table_number(table, SMB_STYLE_PLAIN, layout->occupancy.blocks);
  smb_table_cell(table, SMB_STYLE_PLAIN, layout->index);
}

static void
write_layouts(SmbCli *cli, const SmbAdviseReport *report, const SmbAdviseArray *array) {
  g_autoptr(SmbTable) table =
      smb_table_new(smb_arch_say(cli->arch, ">|layout|wavefronts>|excess>"));
  if (array->merged)
    smb_table_columns(table, "merged>");
  if (report->now)
    smb_table_columns(table, "compiled>|instructions>");
  if (smb_advise_compiled_has_times(report->now, report->now))
    smb_table_columns(table, "time>");
  smb_table_columns(table, "bytes>|vector>|fits");
  if (array->now->occupancy.known) // which depends on the architecture alone
    smb_table_columns(table, smb_arch_say(cli->arch, "blocks/SM>"));
  smb_table_columns(table, "index");
  smb_table_wrap(table);
  show_layout(table, report, array, array->now, 0);
  smb_table_rule(table);
  for (guint i = 0; i < array->layouts->len; i++)
    show_layout(table, report, array, g_ptr_array_index(array->layouts, i), i + 1);
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
  g_autoptr(SmbTable) table = smb_table_new("line>|op|access|ideal>|now>");
  for (guint i = 0; i < array->layouts->len; i++) {
    g_autofree char *number = g_strdup_printf("%u", i + 1);
    smb_table_column(table, number, SMB_ALIGN_RIGHT);
  }
  for (guint a = 0; a < report->analysis->accesses->len; a++) {
    const SmbSite *site = g_array_index(report->analysis->accesses, SmbAccess, a).site;
    const SmbTally *now = &g_array_index(array->now->candidate->accesses, SmbTally, a);
    if (now->requests == 0)
      continue;
    smb_table_place(table, site);
    smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_class_name(site->op_class));
    smb_table_cell(table, SMB_STYLE_PLAIN, site->expression);
    smb_table_number(table, SMB_STYLE_PLAIN, now->ideal);
    write_access_cell(table, array->now, a);
    for (guint i = 0; i < array->layouts->len; i++)
      write_access_cell(table, g_ptr_array_index(array->layouts, i), a);
  }
  smb_spool_puts(cli->out, smb_arch_say(cli->arch, "\nWavefronts of each access:\n"));
  smb_table_write(table, cli->out, cli->colour);
}

// "[COLS + PAD + 1]": what a bracket becomes if that is all that changes; else %NULL.
static char *
find_bracket(const SmbProof *proof) {
  if (proof->edits->len != 1)
    return NULL;
  const SmbEdit *edit = &g_array_index(proof->edits, SmbEdit, 0);
  gsize end = edit->offset + strlen(edit->text), start = end, depth = 0;
  if (edit->length > 0 || proof->text[end] != ']')
    return NULL;
  while (start > 0 && (proof->text[start] != '[' || --depth > 0))
    depth += proof->text[start--] == ']';
  return g_strndup(proof->text + start, end + 1 - start);
}

// "line 3", "lines 3, 5 and 9".
static void
append_lines(GString *text, const GArray *lines) {
  g_string_append(text, lines->len == 1 ? "line " : "lines ");
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf(text, "%s%u", smb_comma_and(i, lines->len),
                           g_array_index(lines, guint, i));
}

// Whether a layout only has other rows than are declared: indices stay as they are.
static gboolean
is_padded_layout(const SmbAdviseArray *array, const SmbAdviseLayout *layout) {
  const SmbArray *declared = array->search->use->array;
  return declared->n_dimensions > 1 && layout->candidate->layout.bits == 0 &&
         layout->candidate->layout.columns == array->now->candidate->layout.columns;
}

// What is to be changed.
static void
append_change(GString *text, const SmbAdviseReport *report, const SmbAdviseArray *array,
              const SmbAdviseLayout *layout) {
  const SmbProof *proof = layout->proof;
  if (smb_proof_holds(proof)) {
    g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GArray) changes =
        smb_changes_new(smb_program_source(report->target->kernel), proof->edits);
    g_autofree char *bracket = find_bracket(proof);
    for (guint i = 0; i < changes->len; i++)
      g_array_append_val(lines, g_array_index(changes, SmbChange, i).line);
    if (bracket) {
      g_string_append(text, "change ");
      append_lines(text, lines);
      g_string_append_printf(text, " to %s", bracket);
    } else {
      g_string_append_printf(text, "apply %s in ", layout->name);
      append_lines(text, lines);
    }
  } else if ((array->is_compiled || array->search->use->array->variable) &&
             is_padded_layout(array, layout)) {
    SmbArray padded = *array->search->use->array;
    padded.dimension[padded.n_dimensions - 1] =
        layout->candidate->layout.columns + layout->candidate->layout.pad;
    g_autofree char *declaration = smb_advise_declare(&padded);
    g_string_append_printf(text, "pad the rows to %s elements (%s)",
                           smb_number(padded.dimension[padded.n_dimensions - 1]).text, declaration);
  } else if (smb_advise_is_mode(layout)) {
    g_string_append_printf(text, "to write by hand, with its descriptions: %s (index %s)",
                           layout->name, layout->index);
  } else {
    g_string_append_printf(text, "to try by hand: %s (index %s)", layout->name, layout->index);
  }
}

// The same rows in the source, as compiled: a space and a sentence (transfer full). NULL: they were not
static char *
describe_padded(const SmbAdviseReport *report, const SmbAdviseArray *array,
                const SmbAdviseLayout *layout) {
  const SmbArray *declared = array->search->use->array;
  const SmbLayout *then = &layout->candidate->layout;
  const SmbAdvisePadding *form;
  if (!report->written || !is_padded_layout(array, layout) ||
      !smb_advise_written_pads(report->written, declared->name,
                               (guint)(then->columns + then->pad) -
                                   declared->dimension[declared->n_dimensions - 1],
                               &form))
    return NULL;
  if (!form)
    return g_strdup(" As compiled, it gains nothing.");
  g_autofree char *counts = smb_advise_describe_compiled(report->written->now, form->compiled);
  return g_strdup_printf(" As compiled, all shared accesses: %s.", counts);
}

// What is to be changed, and what that gives.
static char *
describe_layout(const SmbAdviseReport *report, const SmbAdviseArray *array,
                const SmbAdviseLayout *layout, gboolean first) {
  const SmbTally *now = &array->now->candidate->total, *then = &layout->candidate->total;
  GString *text = g_string_new(first ? "" : "or ");
  if (!smb_advise_is_better(report, array, layout)) {
    g_autofree char *reason = smb_advise_describe_refusal(report, array, layout);
    g_string_printf(text, "%s is not recommended: %s.", layout->name, reason);
    text->str[0] = g_ascii_toupper(text->str[0]);
    return g_string_free(text, FALSE);
  }
  append_change(text, report, array, layout);
  g_string_append_printf(text, ": %s -> %s", smb_number(now->wavefronts).text,
                         smb_count(then->wavefronts, smb_arch_say(report->arch, "wavefront")).text);
  if (then->excess)
    g_string_append_printf(text, ", %s of them in excess", smb_number(then->excess).text);
  if (layout->extra_bytes)
    g_string_append_printf(
        text, smb_arch_say(report->arch, ", %+" G_GINT64_FORMAT " bytes of shared memory"),
        layout->extra_bytes);
  g_string_append_c(text, '.');
  smb_advise_append_mode_time(text, report, layout->time);
  g_autofree char *compiled = smb_advise_describe_layout_compiled(report, array, layout);
  g_string_append(text, compiled);
  g_autofree char *padded = layout->compiled ? NULL : describe_padded(report, array, layout);
  if (padded)
    g_string_append(text, padded);
  else if (!layout->compiled && !smb_advise_is_mode(layout) &&
           (report->can_compile || array->is_compiled))
    g_string_append(text, " This was not compiled: the compiled kernel may gain nothing, or lose.");
  smb_advise_append_tensor_mode(text, report, array, layout->candidate);
  text->str[0] = g_ascii_toupper(text->str[0]);
  return g_string_free(text, FALSE);
}

GPtrArray *
smb_advise_describe_verdict(const SmbAdviseReport *report, const SmbAdviseArray *array) {
  GPtrArray *sentences = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (layout->proof || (layout->is_first && smb_advise_is_mode(layout)))
      g_ptr_array_add(sentences, describe_layout(report, array, layout, sentences->len == 0));
  }
  return sentences;
}

// Lines, each with its number and a mark.
static void
write_unseen_lines(SmbCli *cli, guint line, char mark, const char *lines, SmbStyle style) {
  g_auto(GStrv) parts = g_strsplit(lines, "\n", -1);
  for (guint i = 0; parts[i]; i++) {
    g_autofree char *shown =
        g_strdup_printf("%5u%c %s", line + (mark == '-' ? i : 0), mark, parts[i]);
    smb_style_write(cli->out, style, cli->colour, g_strchomp(shown));
    smb_spool_puts(cli->out, "\n");
  }
}

void
smb_advise_write_changes(SmbCli *cli, const SmbSource *source, const GArray *edits) {
  g_autoptr(GArray) changes = smb_changes_new(source, edits);
  for (guint i = 0; i < changes->len; i++) {
    const SmbChange *change = &g_array_index(changes, SmbChange, i);
    if (change->before)
      write_unseen_lines(cli, change->line, '-', change->before, SMB_STYLE_DIM);
    write_unseen_lines(cli, change->line, '+', change->after, SMB_STYLE_GOOD);
  }
}

// How a rewritten kernel is launched, and what it did when it was run.
static void
write_advised_launch(SmbCli *cli, const SmbAdviseReport *report, const SmbProof *proof) {
  g_autoptr(GString) text = g_string_new(NULL);
  gsize dynamic = proof->launch.dynamic_bytes;
  guint most = smb_arch_info(report->arch)->static_shared_bytes;
  if (dynamic != report->target->launch.dynamic_bytes)
    g_string_append_printf(
        text,
        smb_arch_say(cli->arch, "Launch it with %s bytes of dynamic shared memory instead of %s. "),
        smb_number(dynamic).text, smb_number(report->target->launch.dynamic_bytes).text);
  if (dynamic > most)
    g_string_append_printf(text,
                           "More than %u bytes need cudaFuncSetAttribute with "
                           "cudaFuncAttributeMaxDynamicSharedMemorySize. ",
                           most);
  g_string_append_printf(
      text,
      smb_arch_say(cli->arch, "This form was run: %s for all shared accesses, each as predicted"),
      smb_count(smb_analysis_total(proof->analysis).wavefronts,
                smb_arch_say(cli->arch, "wavefront"))
          .text);
  const SmbAnalysis *original = report->analysis;
  if (proof->compared_bytes && original->shares)
    g_string_append_printf(
        text,
        smb_arch_say(cli->arch, original->is_sampled
                                    ? ", and the same %s in global memory after these %s of %s "
                                      "blocks."
                                    : ", and the same %s in global memory after the %s of %s "
                                      "blocks that the others repeat."),
        smb_count(proof->compared_bytes, "byte").text, smb_number(original->shares->len).text,
        smb_number(original->n_blocks).text);
  else if (proof->compared_bytes)
    g_string_append_printf(text, ", and the same %s in global memory.",
                           smb_count(proof->compared_bytes, "byte").text);
  else
    g_string_append(text, "; the kernel writes no global memory to compare.");
  smb_text_wrap(cli->out, text->str);
}

// A rewritten kernel: its lines, or why there are none.
static void
show_proof(SmbCli *cli, const SmbAdviseReport *report, const char *title, const SmbProof *proof) {
  g_autofree char *heading = g_strconcat("\n", title, NULL);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, heading);
  if (proof->failure) {
    smb_spool_printf(cli->out, "%s:\n%-s\n",
                     proof->edits
                         ? smb_arch_say(cli->arch, ", as CUDA C, failed its check and is not shown")
                         : ", to be written by hand",
                     proof->failure);
    return;
  }
  smb_spool_puts(cli->out, smb_arch_say(cli->arch, ", as CUDA C:\n"));
  smb_advise_write_changes(cli, smb_program_source(report->target->kernel), proof->edits);
  if (proof->condition)
    smb_text_wrap_printf(cli->out, "It is valid only while %s, as in this launch.",
                         proof->condition);
  write_advised_launch(cli, report, proof);
}

char *
smb_advise_describe_unseen(const SmbAdviseReport *report, const SmbAdviseArray *array) {
  const GArray *lines = array->unseen;
  gboolean is_rewritten =
      report->text ? smb_advise_padded(report) != NULL : smb_advise_proven(report, array) != NULL;
  if (lines->len == 0 || !is_rewritten)
    return NULL;
  GString *text = g_string_new(NULL);
  append_lines(text, lines);
  text->str[0] = 'L';
  g_string_append_printf(text,
                         " %s %s in code that was not run (#if, sizeof or another function) and %s "
                         "not changed.",
                         lines->len > 1 ? "mention" : "mentions", array->search->use->array->name,
                         lines->len > 1 ? "are" : "is");
  return g_string_free(text, FALSE);
}

// Accesses to an array that are loops, and those whose requests depend on contents that are not known. What is not
// counted may be of any array.
static void
count_inexact(const SmbAdviseReport *report, const SmbAdviseArray *array, guint *loops,
              guint *unknown) {
  *loops = *unknown = 0;
  for (guint i = 0; i < report->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(report->analysis->accesses, SmbAccess, i);
    gboolean is_of = g_array_index(array->now->candidate->accesses, SmbTally, i).requests > 0;
    *loops += access->is_loop && is_of;
    *unknown += access->uncounted || (access->data_source && is_of);
  }
}

// For what a verdict on an array holds, behind what it says; "" for all that the kernel does.
static const char *
qualify(const SmbAdviseReport *report, const SmbAdviseArray *array) {
  guint loops, unknown;
  count_inexact(report, array, &loops, &unknown);
  return unknown ? " as far as contents are known" : "";
}

static void
append_bounds(GString *text, const SmbAdviseReport *report, const SmbAdviseArray *array) {
  guint loops, unknown;
  count_inexact(report, array, &loops, &unknown);
  if (loops > 0)
    g_string_append(text, " Counts of atomics that are loops are lower bounds.");
  if (unknown > 0)
    g_string_append(
        text, " The best layout depends on unknown contents of buffers: give them with --buffer.");
}

// A rewritten kernel whose rows end earlier: a larger launch may need what this one leaves alone.
static void
write_narrower(SmbCli *cli, const SmbAdviseArray *array, const SmbAdviseLayout *layout) {
  const SmbLayout *now = &array->now->candidate->layout, *then = &layout->candidate->layout;
  guint64 before = now->columns + now->pad;
  guint64 after = now->columns / then->columns * (then->columns + then->pad);
  // Of an array without rows, a row is where padding goes.
  if (!smb_proof_holds(layout->proof) || array->search->use->array->n_dimensions < 2 ||
      after >= before)
    return;
  smb_text_wrap_printf(
      cli->out,
      "Rows of %s are %s shorter than now: no request of this launch accesses the end of a row.",
      array->search->use->array->name, smb_count(before - after, "element").text);
}

// What a compiler may make of the text, which was not asked.
static void
write_merged(SmbCli *cli, const SmbAdviseReport *report, const SmbAdviseArray *array) {
  if (!array->merged || (report->now && !report->now->failure))
    return;
  const SmbSite *site =
      g_array_index(report->analysis->accesses, SmbAccess, array->merged->access).site;
  g_autofree char *place = smb_site_place(site);
  smb_text_wrap_printf(
      cli->out,
      "The lanes of %s at %s %s consecutive elements. A compiler may merge these into %ss of "
      "up to %u bytes: now %s, instead of %s in the text. %sayouts are ranked by the text: those "
      "that keep such vectors whole (column vector) first, as these take fewer instructions, then "
      "by %s with adjacent accesses merged.%s",
      site->expression, place, site->op_class == SMB_OP_CLASS_LOAD ? "read" : "store",
      smb_op_class_name(site->op_class), array->merged->width,
      smb_count(array->now->merged.wavefronts, smb_arch_say(cli->arch, "wavefront")).text,
      smb_number(array->now->candidate->total.wavefronts).text,
      smb_target_lacks_compiler(report->target, report->arch) ? "No compiler was found: l" : "L",
      smb_arch_say(cli->arch, "wavefronts"),
      smb_arch_counts_cycles(cli->arch) ? " Clang also pairs accesses that are not adjacent "
                                          "(ds_read2_b32), which is not counted here."
                                        : "");
}

static void
show_array(SmbCli *cli, const SmbAdviseReport *report, const SmbAdviseArray *array, gboolean all) {
  const SmbArray *found = array->search->use->array;
  const SmbTally *now = &array->now->candidate->total;
  g_autofree char *declaration = smb_advise_declare(found);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, declaration);
  smb_spool_puts(cli->out, "  ");
  if (found->line > 0)
    smb_spool_printf(cli->out, "line %u, ", found->line);
  smb_spool_printf(cli->out, "%s bytes\n", smb_number(array->search->use->bytes).text);
  if (now->excess == 0 && array->now->merged.excess == 0 &&
      array->now->candidate->fit == SMB_LAYOUT_FITS && !all) {
    smb_text_wrap_printf(
        cli->out,
        smb_arch_say(cli->arch,
                     "No bank conflicts%s: %s wavefronts, the minimum for these accesses."),
        qualify(report, array), smb_number(now->wavefronts).text);
    return;
  }
  g_autoptr(GPtrArray) verdict = smb_advise_describe_verdict(report, array);
  // What was written into the text is told with its forms.
  gboolean is_told = report->text && report->written;
  for (guint i = 0; !is_told && i < verdict->len; i++)
    smb_text_wrap(cli->out, g_ptr_array_index(verdict, i));
  g_autofree char *sentences = smb_advise_describe(report, array);
  g_autoptr(GString) text = g_string_new(sentences);
  append_bounds(text, report, array);
  smb_text_wrap(cli->out, text->str);
  if (array->layouts->len > 0) {
    smb_spool_puts(cli->out, "\n");
    write_layouts(cli, report, array);
  }
  if (array->layouts->len > 0)
    write_merged(cli, report, array);
  if (all)
    write_accesses(cli, report, array);
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    g_autofree char *title = g_strdup_printf("%u  %s", i + 1, layout->name);
    if (layout->is_first && smb_advise_is_mode(layout))
      smb_advise_write_mode(cli, report, array, layout, title);
    if (layout->proof && !array->is_compiled)
      show_proof(cli, report, title, layout->proof);
    write_narrower(cli, array, layout);
  }
  if (array->is_compiled && array->layouts->len > 0 && !array->search->use->tile &&
      !smb_advise_padded(report) && !report->text)
    smb_text_wrap_printf(cli->out,
                         "\nCompiled code is not rewritten: change %s where its source declares "
                         "and indexes it, and compile it again.",
                         found->line > 0 ? found->name : "the array");
  g_autofree char *unseen = smb_advise_describe_unseen(report, array);
  if (unseen)
    smb_text_wrap(cli->out, unseen);
}

static void
write_legend(SmbCli *cli) {
  g_autoptr(GString) text = g_string_new(
      "bytes: additional shared memory. vector: the widest access, in bytes, that stays whole and "
      "aligned. fits: opt-in needs dynamic shared memory beyond the default limit. ");
  if (smb_arch_info(cli->arch)->sm_shared_bytes)
    g_string_append(text, "blocks/SM: resident blocks by shared memory and threads; registers are "
                          "not considered. ");
  g_string_append(
      text, "Wavefront counts are not run times, and computing the indices is not counted. New "
            "text was run for this launch, and its constants are valid only for these macros.");
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap(cli->out, smb_arch_say(cli->arch, text->str));
}

void
smb_advise_write_nothing(SmbCli *cli, const SmbAdviseReport *report) {
  if (smb_analysis_total(report->analysis).requests == 0)
    smb_analyze_write_verdict(cli, report->analysis);
  else if (smb_analyze_uncounted(report->analysis))
    smb_spool_puts(cli->out, "No counted request accesses a shared array.\n");
  else
    smb_spool_puts(cli->out, "The kernel makes no requests to a shared array.\n");
  smb_analyze_write_bounds(cli, report->analysis);
}

// What all arrays together take as compiled.
static void
write_together(SmbCli *cli, const SmbAdviseReport *report) {
  const SmbAdviseCompiled *now = report->now, *then = report->compiled;
  g_autofree char *names = smb_advise_name_layouts(report, report->together);
  g_autofree char *title = g_strconcat("Together, ", names, NULL);
  show_proof(cli, report, title, report->together);
  if (smb_advise_is_worse(report, then)) {
    g_autofree char *reason = smb_advise_describe_worse(report, report->together, then);
    smb_text_wrap_printf(cli->out, "Together they are not recommended: %s.", reason);
  } else if (then) {
    g_autofree char *counts = smb_advise_describe_compiled(now, then);
    g_autofree char *gain = smb_advise_describe_gain(now, then);
    smb_text_wrap_printf(cli->out, "As compiled: %s.%s%s", counts, *gain ? " " : "", gain);
  }
}

// How many blocks stand for the grid, if it is not known that they do.
static void
write_sample(SmbCli *cli, const SmbAdviseReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  if (smb_advise_sample(report) > 0)
    smb_text_wrap_printf(
        cli->out,
        smb_arch_say(cli->arch, "The blocks of the grid are not known to repeat each other%s: %s "
                                "of %s stand for all, so that these counts are estimates.\n"),
        analysis->is_sampled ? "" : " as compiled", smb_number(smb_advise_sample(report)).text,
        smb_number(analysis->n_blocks).text);
}

void
smb_advise_write_text(SmbCli *cli, gconstpointer result) {
  const SmbAdviseResult *written = result;
  const SmbAdviseReport *report = written->report;
  const SmbAdviseMeasured *measured = written->measured;
  if (written->quiet) {
    smb_advise_write_quiet(cli, report);
    return;
  }
  if (report->can_compile)
    smb_analyze_write_heading(cli, report->target, report->analysis);
  else
    smb_analyze_write_careful_heading(cli, report->target, report->analysis, NULL);
  if (report->arrays->len == 0)
    smb_advise_write_nothing(cli, report);
  smb_advise_write_present(cli, report);
  write_sample(cli, report);
  // What was compiled is recommended before what is to be tried by hand.
  gboolean is_padded = smb_advise_padded(report) != NULL;
  if (is_padded) {
    smb_advise_write_written(cli, report);
    smb_spool_puts(cli->out, "\n");
  }
  for (guint i = 0; i < report->arrays->len; i++) {
    if (i > 0)
      smb_spool_puts(cli->out, "\n");
    show_array(cli, report, g_ptr_array_index(report->arrays, i), written->all);
  }
  if (report->together)
    write_together(cli, report);
  smb_advise_write_modes(cli, report);
  if (report->written && !is_padded)
    smb_advise_write_written(cli, report);
  g_autofree char *assumed = smb_analyze_describe_assumed(cli->arch, report->analysis);
  if (*assumed)
    smb_text_wrap_printf(cli->out, "\n%s", assumed);
  if (measured)
    smb_advise_write_measured(cli, "layout", measured);
  if (report->arrays->len > 0 && written->verbose)
    write_legend(cli);
}
