// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Padded rows of a source that only a compiler reads, as text.
#include "sim/base/text.h"
#include "src/advise/text.h"
#include "src/out/table.h"

static void
add_form(SmbTable *table, const char *name, const SmbAdviseCompiled *compiled, gboolean is_timed,
         gboolean is_best) {
  smb_table_cell(table, is_best ? SMB_STYLE_BOLD : SMB_STYLE_PLAIN, name);
  smb_table_number(table, SMB_STYLE_PLAIN, compiled->total.wavefronts);
  smb_table_number(table, compiled->total.excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD,
                   compiled->total.excess);
  if (compiled->instructions)
    smb_table_number(table, SMB_STYLE_PLAIN, compiled->instructions);
  else
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  if (is_timed)
    smb_advise_write_time_cell(table, compiled);
  smb_table_number(table, SMB_STYLE_PLAIN, compiled->shared_bytes);
  smb_table_end_row(table);
}

static void
write_forms(SmbCli *cli, const SmbAdviseWritten *written) {
  gboolean is_timed = smb_advise_compiled_has_times(written->now, written->now);
  g_autoptr(SmbTable) table = smb_table_new("form|wavefronts>|excess>|instructions>");
  smb_table_columns(table, is_timed ? "time>|bytes>" : "bytes>");
  add_form(table, "as it is", written->now, is_timed, FALSE);
  for (guint i = 0; i < written->forms->len; i++) {
    const SmbAdvisePadding *form = g_ptr_array_index(written->forms, i);
    add_form(table, form->name, form->compiled, is_timed, form == written->best);
  }
  smb_table_write(table, cli->out, cli->colour);
}

// "a, b and c" (transfer full).
static char *
join_names(const GPtrArray *names) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf(text, "%s%s", smb_comma_and(i, names->len),
                           (const char *)g_ptr_array_index(names, i));
  return g_string_free(text, FALSE);
}

static void
write_best(SmbCli *cli, const SmbAdviseWritten *written) {
  const SmbAdvisePadding *best = written->best;
  if (!best) {
    smb_text_wrap(cli->out, "None is recommended.");
    return;
  }
  g_autofree char *counts = smb_advise_describe_compiled(written->now, best->compiled);
  g_autofree char *same =
      best->compared_bytes
          ? g_strdup_printf("with numbers in its buffers the kernel leaves the same %s in global "
                            "memory",
                            smb_count(best->compared_bytes, "byte").text)
          : g_strdup("only the lengths of rows change, and these arrays are always used with "
                     "all their indices, so the kernel does the same");
  g_autofree char *gain = smb_advise_describe_gain(written->now, best->compiled);
  g_autoptr(GString) launch = g_string_new(NULL);
  if (best->compiled->dynamic_bytes != written->now->dynamic_bytes)
    g_string_append_printf(launch, " Launch it with %s bytes of dynamic shared memory, not %s.",
                           smb_number(best->compiled->dynamic_bytes).text,
                           smb_number(written->now->dynamic_bytes).text);
  if (best->condition)
    g_string_append_printf(launch, " It is valid only while %s, as in this launch.",
                           best->condition);
  smb_text_wrap_printf(cli->out, "Recommended: %s: %s; %s.%s%s%s", best->name, counts, same,
                       *gain ? " " : "", gain, launch->str);
  smb_advise_write_changes(cli, written->source, best->edits);
}

void
smb_advise_write_written(SmbCli *cli, const SmbAdviseReport *report) {
  const SmbAdviseWritten *written = report->written;
  g_autofree char *tried = join_names(written->tried), *left = join_names(written->left_alone);
  g_autofree char *matrices = join_names(written->matrices);
  g_autofree char *unlike = join_names(written->unlike);
  g_autofree char *rewritten = join_names(written->rewritten);
  if (!*tried && !*left && !*rewritten)
    return;
  if (!smb_advise_padded(report))
    smb_spool_puts(cli->out, "\n");
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour,
                  *rewritten ? "Layouts in the source\n" : "Rows in the source\n");
  if (*tried)
    smb_text_wrap_printf(cli->out,
                         "Rows of %s were made 1, 2, 4 and 8 elements longer, compiled, and counted"
                         "%s.",
                         tried,
                         written->forms->len ? "; those that take other wavefronts are shown"
                                             : ": none takes other wavefronts");
  if (*rewritten)
    smb_text_wrap_printf(cli->out,
                         "Layouts that were found for %s were written into the text, compiled, and "
                         "counted.",
                         rewritten);
  if (*matrices)
    smb_text_wrap_printf(cli->out,
                         "Rows of %s became 8 elements longer only, and with them the leading "
                         "dimensions that wmma is given.",
                         matrices);
  if (written->forms->len > 0) {
    write_forms(cli, written);
    write_best(cli, written);
  }
  if (*unlike)
    smb_text_wrap_printf(cli->out,
                         "Not recommended, since the kernel does not leave, or is not known to "
                         "leave, the same in global memory: %s.",
                         unlike);
  if (*left)
    smb_text_wrap_printf(cli->out, "Left alone: %s, which the text uses without all indices.",
                         left);
}
