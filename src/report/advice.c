// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The advice of the page: of each array the best layout of each kind, as advise ranks them, with the lines that change.
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/advise/changes.h"
#include "src/advise/text.h"
#include "src/report/impl.h"

// The lines that change, as a diff.
static void
write_page_changes(const SmbSource *source, const GArray *edits, SmbSpool *page) {
  g_autoptr(GArray) changes = smb_changes_new(source, edits);
  smb_spool_puts(page, "<pre class=\"diff\">");
  for (guint i = 0; i < changes->len; i++) {
    const SmbChange *change = &g_array_index(changes, SmbChange, i);
    const char *const texts[] = {change->before, change->after};
    for (guint side = 0; side < G_N_ELEMENTS(texts); side++) {
      g_auto(GStrv) lines = texts[side] ? g_strsplit(texts[side], "\n", -1) : NULL;
      for (guint j = 0; lines && lines[j]; j++) {
        smb_spool_printf(page, "<%s>%4u %c ", side ? "ins" : "del", change->line + (side ? 0 : j),
                         side ? '+' : '-');
        smb_html_text(page, g_strchomp(lines[j]));
        smb_spool_printf(page, "</%s>\n", side ? "ins" : "del");
      }
    }
  }
  smb_spool_puts(page, "</pre>\n");
}

// What the rewritten kernel asks of its launch.
static void
write_page_advice_launch(const SmbReport *report, const SmbProof *proof, SmbSpool *page) {
  gsize bytes = proof->launch.dynamic_bytes;
  if (bytes != report->target->launch.dynamic_bytes)
    smb_spool_printf(page,
                     smb_arch_say(report->arch,
                                  "<p>Launch it with %" G_GSIZE_FORMAT
                                  " bytes of dynamic shared memory instead of %" G_GSIZE_FORMAT
                                  ".</p>\n"),
                     bytes, report->target->launch.dynamic_bytes);
}

static void
write_advised_layout(const SmbReport *report, const SmbAdviseArray *array,
                     const SmbAdviseLayout *layout, SmbSpool *page) {
  const SmbTally *now = &array->now->candidate->total, *then = &layout->candidate->total;
  const SmbProof *proof = layout->proof;
  smb_spool_puts(page, "<h4>");
  smb_html_text(page, layout->name);
  smb_spool_printf(
      page,
      smb_arch_say(report->arch, ": <strong class=\"%s\">%" G_GUINT64_FORMAT
                                 " wavefronts</strong> instead of %" G_GUINT64_FORMAT "</h4>\n<p>"),
      then->wavefronts < now->wavefronts ? "good" : "bad", then->wavefronts, now->wavefronts);
  if (then->excess > 0)
    smb_spool_printf(page, "%" G_GUINT64_FORMAT " are still in excess. ", then->excess);
  else
    smb_spool_puts(page, "No bank conflicts remain. ");
  if (layout->extra_bytes != 0)
    smb_spool_printf(
        page, smb_arch_say(report->arch, "Shared memory: %+" G_GINT64_FORMAT " bytes a block."),
        layout->extra_bytes);
  else
    smb_spool_puts(page, smb_arch_say(report->arch, "The same shared memory."));
  g_autofree char *compiled = smb_advise_describe_layout_compiled(report->advice, array, layout);
  smb_html_text(page, compiled);
  smb_spool_puts(page, "</p>\n");
  if (smb_proof_holds(proof)) {
    write_page_changes(smb_program_source(report->target->kernel), proof->edits, page);
    if (proof->condition)
      smb_html_within(page, "<p>It is valid only while <code>", proof->condition,
                      "</code>, as in this launch.</p>\n");
    write_page_advice_launch(report, proof, page);
    return;
  }
  smb_html_within(page, "<p class=\"note\">To try by hand, with the index <code>", layout->index,
                  "</code>");
  if (proof)
    smb_html_within(page, ": ", proof->failure, "");
  smb_spool_puts(page, "</p>\n");
}

// A layout that is the best of its kind, as advise ranks it; or why it is not recommended.
static void
write_page_layout(const SmbReport *report, const SmbAdviseArray *array,
                  const SmbAdviseLayout *layout, SmbSpool *page) {
  if (smb_advise_is_better(report->advice, array, layout)) {
    write_advised_layout(report, array, layout, page);
    return;
  }
  g_autofree char *reason = smb_advise_describe_refusal(report->advice, array, layout);
  g_autofree char *sentence = g_strdup_printf("%s is not recommended: %s.", layout->name, reason);
  sentence[0] = g_ascii_toupper(sentence[0]);
  smb_html_within(page, "<p class=\"note\">", sentence, "</p>\n");
}

static void
write_advised_array(const SmbReport *report, const SmbAdviseArray *array, SmbSpool *page) {
  const SmbArray *declared = array->search->use->array;
  g_autofree char *declaration = smb_advise_declare(declared);
  if (array->now->candidate->total.excess == 0)
    return;
  smb_html_within(page, "<h3><code>", declaration, "</code>");
  if (declared->line)
    smb_spool_printf(page, ", <a href=\"#%sline-%u\">line %u</a>", report->prefix, declared->line,
                     declared->line);
  smb_spool_puts(page, "</h3>\n");
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (layout->proof)
      write_page_layout(report, array, layout, page);
  }
  if (array->layouts->len == 0)
    smb_spool_printf(
        page, "<p>No padding or XOR swizzle of the whole array takes fewer than its %s%s.</p>\n",
        smb_count(array->now->candidate->total.wavefronts, smb_arch_say(report->arch, "wavefront"))
            .text,
        array->search->given_up ? ", as far as was searched" : "");
}

// Rows that are longer in the source of what was compiled.
static void
write_padded_source(const SmbReport *report, SmbSpool *page) {
  const SmbAdviseWritten *written = report->advice->written;
  const SmbAdvisePadding *best = smb_advise_padded(report->advice);
  if (!best)
    return;
  g_autofree char *counts = smb_advise_describe_compiled(written->now, best->compiled);
  g_autofree char *gain = smb_advise_describe_gain(written->now, best->compiled);
  smb_html_within(page, "<h3>", best->name, "</h3>\n<p>");
  smb_html_within(page, "As compiled: ", counts, ". ");
  smb_html_within(page, "", gain, "</p>\n");
  write_page_changes(written->source, best->edits, page);
}

void
smb_report_write_advice(const SmbReport *report, SmbSpool *page) {
  if (!report->advice && !report->advice_failure)
    return;
  smb_spool_printf(page, "<section id=\"%sadvice\">\n<h2>Advice</h2>\n", report->prefix);
  if (report->advice)
    write_padded_source(report, page);
  for (guint i = 0; report->advice && i < report->advice->arrays->len; i++)
    write_advised_array(report, g_ptr_array_index(report->advice->arrays, i), page);
  if (report->advice_failure)
    smb_html_message(page, "No layouts were searched: ", report->advice_failure);
  smb_spool_puts(
      page,
      smb_arch_say(report->arch,
                   "<p class=\"words\">Wavefronts are those of the array in the whole launch. "));
  if (!smb_advise_is_compiled(report->target))
    smb_spool_puts(page, "The changed kernel was run for this launch: its counts are these, and it "
                         "leaves the same values in global memory. ");
  smb_spool_puts(page, "<code>smembank advise</code> shows more layouts.</p>\n</section>\n");
}
