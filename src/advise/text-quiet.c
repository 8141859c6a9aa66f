// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Advice in one line: the best form of the kernel, and what it gains.
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/advise/text.h"
#include "src/analysis/verdict.h"

// What a rewritten kernel takes as compiled, or NULL.
static const SmbAdviseCompiled *
find_compiled(const SmbAdviseReport *report, const SmbProof *proof) {
  if (proof == report->together)
    return report->compiled;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseLayout *layout = smb_advise_proven(report, g_ptr_array_index(report->arrays, i));
    if (layout && layout->proof == proof)
      return layout->compiled;
  }
  return NULL;
}

static void
write_gain(SmbCli *cli, const char *name, const SmbAdviseCompiled *now,
           const SmbAdviseCompiled *then) {
  g_autofree char *counts = smb_advise_describe_compiled(now, then);
  g_autofree char *gain = smb_advise_describe_gain(now, then);
  smb_spool_printf(cli->out, "%s: %s.%s%s\n", name, counts, *gain ? " " : "", gain);
}

static void
write_proven(SmbCli *cli, const SmbAdviseReport *report, const SmbProof *proof) {
  const SmbAdviseCompiled *then = find_compiled(report, proof);
  g_autofree char *name = smb_advise_name_layouts(report, proof);
  if (then && report->now && !report->now->failure)
    write_gain(cli, name, report->now, then);
  else
    smb_spool_printf(cli->out, "%s: %s -> %s.\n", name,
                     smb_number(smb_analysis_total(report->analysis).wavefronts).text,
                     smb_count(smb_analysis_total(proof->analysis).wavefronts,
                               smb_arch_say(cli->arch, "wavefront"))
                         .text);
}

// What is recommended of tiles, a line each. FALSE: nothing.
static gboolean
write_recommended_modes(SmbCli *cli, const SmbAdviseReport *report) {
  gboolean any = FALSE;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    const SmbAdviseLayout *mode = smb_advise_recommended_mode(report, array);
    g_autoptr(GString) time = g_string_new(NULL);
    if (!mode)
      continue;
    any = TRUE;
    smb_advise_append_mode_time(time, report, mode->time);
    smb_spool_printf(
        cli->out, "%s: %s, by hand: %s -> %s.%s\n", array->search->use->array->name, mode->name,
        smb_number(array->now->candidate->total.wavefronts).text,
        smb_count(mode->candidate->total.wavefronts, smb_arch_say(cli->arch, "wavefront")).text,
        time->str);
  }
  return any;
}

void
smb_advise_write_quiet(SmbCli *cli, const SmbAdviseReport *report) {
  const SmbAdvisePadding *padded = smb_advise_padded(report);
  const SmbProof *proof = smb_advise_final(report);
  if (padded)
    write_gain(cli, padded->name, report->written->now, padded->compiled);
  else if (proof)
    write_proven(cli, report, proof);
  else if (smb_analysis_total(report->analysis).excess == 0)
    smb_spool_printf(cli->out, "Nothing is recommended: there are no bank conflicts%s.\n",
                     smb_analyze_qualify(report->analysis));
  else if (smb_advise_is_free(report))
    smb_spool_puts(cli->out, "Nothing is recommended: bank conflicts cost nothing here.\n");
  else if (!write_recommended_modes(cli, report))
    smb_spool_puts(cli->out, "Nothing is recommended: no layout that can be written into the text "
                             "is better.\n");
}
