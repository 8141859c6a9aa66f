// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What compilers make of a kernel and its forms, in sentences.
#include "src/advise/text.h"

#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/out/table.h"

// "24 % fewer", "as many".
static char *
compare_counts(guint64 now, guint64 then) {
  if (now == then)
    return g_strdup("as many");
  const char *word = then < now ? "fewer" : "more";
  guint64 difference = then < now ? now - then : then - now;
  return difference * 100 < now
             ? g_strdup_printf("less than 1 %% %s", word)
             : g_strdup_printf("%.0f %% %s", 100.0 * (double)difference / (double)MAX(1, now),
                               word);
}

static char *
describe_torn(const SmbArch *arch, const SmbAdviseArray *array, const SmbAdviseLayout *layout) {
  const SmbAdviseLayout *now = array->now;
  g_autofree char *text =
      compare_counts(now->candidate->total.wavefronts, layout->candidate->total.wavefronts);
  g_autofree char *merged = compare_counts(now->merged.wavefronts, layout->merged.wavefronts);
  GString *reason = g_string_new(NULL);
  g_string_printf(reason,
                  smb_arch_say(arch, "%s wavefronts in the text, %s with adjacent accesses merged"),
                  text, merged);
  if (layout->vector_bytes < now->vector_bytes)
    g_string_append_printf(reason, ", of which it keeps %u bytes together, not %u",
                           layout->vector_bytes, now->vector_bytes);
  return g_string_free(reason, FALSE);
}

char *
smb_advise_describe_worse(const SmbAdviseReport *report, const SmbProof *proof,
                          const SmbAdviseCompiled *compiled) {
  const SmbAdviseCompiled *now = report->now;
  if (compiled->failure)
    return g_strdup_printf("it does not compile: %s", compiled->failure);
  g_autofree char *text = compare_counts(smb_analysis_total(report->analysis).wavefronts,
                                         smb_analysis_total(proof->analysis).wavefronts);
  g_autofree char *waves = compare_counts(now->total.wavefronts, compiled->total.wavefronts);
  g_autofree char *work = compare_counts(now->instructions, compiled->instructions);
  guint width = smb_advise_compiled_lost_width(now, compiled);
  gboolean timed = smb_advise_compiled_has_times(now, compiled);
  GString *reason = g_string_new(NULL);
  g_string_printf(reason, "%s wavefronts in the text, %s as compiled", text, waves);
  if ((!timed || compiled->total.wavefronts <= now->total.wavefronts) && compiled->instructions)
    g_string_append_printf(reason, ", with %s instructions", work);
  if (timed) {
    g_autofree char *times = smb_launch_time_compare(now->time, compiled->time);
    g_string_append_printf(reason, ": %s", times);
  } else if (smb_advise_compiled_crowds(now, compiled)) {
    g_string_append_printf(reason,
                           ", and %u registers a thread, which leaves %u of %u warps resident",
                           compiled->registers, compiled->warps, now->warps);
  }
  if (timed && smb_advise_is_free(report)) {
    g_autofree char *cost = smb_launch_time_tell_cost(smb_advise_time(report));
    g_string_append_printf(reason, "; %s", cost);
  } else if (smb_advise_compiled_is_slight(now, compiled)) {
    g_string_append(reason, ", too small a gain: nvcc's scheduling of the rest may cost as much");
  } else if (!timed && !smb_advise_compiled_crowds(now, compiled) &&
             compiled->total.wavefronts < now->total.wavefronts) {
    g_string_append(reason, ", which take longer to issue than these wavefronts");
  }
  if (width && compiled->loads[smb_width_index(width)] == 0)
    g_string_append_printf(reason, ": nvcc no longer makes %u-byte loads", width);
  else if (width)
    g_string_append_printf(reason, ": nvcc makes fewer %u-byte loads", width);
  return g_string_free(reason, FALSE);
}

char *
smb_advise_describe_refusal(const SmbAdviseReport *report, const SmbAdviseArray *array,
                            const SmbAdviseLayout *layout) {
  gboolean is_slight =
      smb_advise_is_mode(layout) && layout->time && layout->time->time &&
      layout->candidate->total.wavefronts < array->now->candidate->total.wavefronts;
  return smb_advise_is_worse(report, layout->compiled)
             ? smb_advise_describe_worse(report, layout->proof, layout->compiled)
         : smb_advise_is_free(report) ? smb_launch_time_tell_cost(smb_advise_time(report))
         : is_slight ? smb_launch_time_compare(smb_advise_time(report), layout->time)
                     : describe_torn(report->arch, array, layout);
}

char *
smb_advise_describe_compiled(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s -> %s", smb_number(now->total.wavefronts).text,
                  smb_count(then->total.wavefronts, "wavefront").text);
  if (now->instructions && then->instructions)
    g_string_append_printf(text, "; %s -> %s", smb_number(now->instructions).text,
                           smb_count(then->instructions, "instruction").text);
  return g_string_free(text, FALSE);
}

void
smb_advise_write_time_cell(SmbTable *table, const SmbAdviseCompiled *compiled) {
  gboolean knows = smb_advise_compiled_has_times(compiled, compiled);
  g_autofree char *time = knows ? smb_launch_time_duration(compiled->time) : g_strdup("-");
  smb_table_cell(table, knows ? SMB_STYLE_PLAIN : SMB_STYLE_DIM, time);
}

char *
smb_advise_describe_gain(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  if (!smb_advise_compiled_has_times(now, then))
    return g_strdup("");
  const SmbChip *chip = now->time->chip;
  g_autofree char *times = smb_launch_time_compare(now->time, then->time);
  g_autofree char *device = smb_time_device(chip->title, smb_chip_is_measured(chip));
  return g_strdup_printf("Predicted on %s: %s.", device, times);
}

char *
smb_advise_describe_layout_compiled(const SmbAdviseReport *report, const SmbAdviseArray *array,
                                    const SmbAdviseLayout *layout) {
  const SmbAdviseCompiled *now = report->now, *then = layout->compiled;
  if (now && !now->failure && then) {
    g_autofree char *counts = smb_advise_describe_compiled(now, then);
    g_autofree char *time = smb_advise_describe_gain(now, then);
    return g_strdup_printf(" As compiled, all shared accesses: %s.%s%s", counts, *time ? " " : "",
                           time);
  }
  if (!array->merged)
    return g_strdup("");
  return g_strdup_printf(
      " With adjacent accesses merged: %s -> %s.", smb_number(array->now->merged.wavefronts).text,
      smb_count(layout->merged.wavefronts, smb_arch_say(report->arch, "wavefront")).text);
}

static gboolean
has_layouts(const SmbAdviseReport *report) {
  for (guint i = 0; i < report->arrays->len; i++) {
    if (((const SmbAdviseArray *)g_ptr_array_index(report->arrays, i))->layouts->len > 0)
      return TRUE;
  }
  return FALSE;
}

// How long the kernel takes as it is, and whether it may stay so; that it is not known, if it is asked for.
static void
write_present_time(SmbCli *cli, const SmbAdviseReport *report) {
  const SmbLaunchTime *time = smb_advise_time(report);
  if (!time || (!time->time && !smb_launch_time_is_asked()))
    return;
  g_autofree char *sentences = smb_launch_time_tell(time);
  gboolean leave = report->arrays->len > 0 && smb_advise_is_free(report);
  smb_text_wrap_printf(cli->out, "%s%s\n", sentences, leave ? " Leave the layout as it is." : "");
}

void
smb_advise_write_present(SmbCli *cli, const SmbAdviseReport *report) {
  const SmbAdviseCompiled *now = report->now;
  if (now && now->failure)
    smb_spool_printf(cli->out,
                     "It cannot be counted as compiled, and is ranked by its text:\n%-s\n\n",
                     now->failure);
  else if (now)
    smb_text_wrap_printf(
        cli->out, "As compiled (%s): %s for all shared accesses%s%s. Layouts are ranked by %s.\n",
        now->command, smb_count(now->total.wavefronts, "wavefront").text,
        now->instructions ? ", " : "",
        now->instructions ? smb_count(now->instructions, "instruction").text : "",
        now->time && now->time->time ? "the time that is predicted of each" : "these numbers");
  else if (report->can_compile && has_layouts(report))
    smb_text_wrap(cli->out, "No layout can be written into the text automatically, so none was "
                            "compiled: layouts are ranked by the text.\n");
  write_present_time(cli, report);
}
