// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/rewritten.h"

#include <string.h>

#include "src/advise/mode.h"
#include "src/advise/prove.h"

GArray *
smb_advise_text_arrays(const SmbTarget *text) {
  GArray *arrays = g_array_new(FALSE, FALSE, sizeof(SmbArray));
  g_autoptr(GArray) parts = smb_program_carved_arrays(text->kernel, &text->launch);
  for (guint i = 0; i < smb_program_n_arrays(text->kernel); i++) {
    SmbArray array = *smb_program_array(text->kernel, i);
    if (array.is_dynamic)
      array.bytes = text->launch.dynamic_bytes;
    if (!parts || !array.is_dynamic)
      g_array_append_val(arrays, array);
  }
  if (parts)
    g_array_append_vals(arrays, parts->data, parts->len);
  return arrays;
}

const SmbArray *
smb_advise_text_array(const SmbAdviseReport *report, const SmbArray *array) {
  for (guint i = 0; report->text_arrays && i < report->text_arrays->len; i++) {
    const SmbArray *named = &g_array_index(report->text_arrays, SmbArray, i);
    gsize bytes = array->is_dynamic && !array->is_carved ? named->bytes : array->bytes;
    if (strcmp(named->name, array->name) == 0 && named->element_bytes == array->element_bytes &&
        named->bytes == bytes)
      return named;
  }
  return NULL;
}

static gboolean
has_form(const GPtrArray *forms, const char *text) {
  for (guint i = 0; i < forms->len; i++) {
    const SmbAdvisePadding *form = g_ptr_array_index(forms, i);
    if (strcmp(form->compiled->text, text) == 0)
      return TRUE;
  }
  return FALSE;
}

// Adds the text with an array in a layout, if it can be written so.
static void
add_text_form(const SmbAdviseReport *report, const SmbAdviseWritten *written,
              const SmbAdviseArray *array, const SmbAdviseLayout *layout, SmbRewriteForm way,
              GPtrArray *forms) {
  const SmbTarget *text = report->text;
  SmbRewriteArray wanted = smb_advise_describe_rewrite(report, array->search, layout->candidate);
  wanted.array = smb_advise_text_array(report, wanted.array);
  wanted.form = way;
  char *condition = NULL;
  GArray *edits =
      wanted.array ? smb_rewrite(text->kernel, &text->launch, &wanted, 1, &condition, NULL) : NULL;
  if (!edits)
    return;
  gssize growth = wanted.array->is_dynamic ? smb_rewrite_growth(&wanted) : 0;
  SmbAdvisePadding *form =
      smb_advise_padding_new(written, g_strdup_printf("%s: %s", wanted.array->name, layout->name),
                             edits, text->launch.dynamic_bytes + (gsize)growth);
  form->condition = condition;
  if (has_form(forms, form->compiled->text))
    smb_advise_padding_free(form);
  else
    g_ptr_array_add(forms, form);
}

void
smb_advise_add_rewritten(const SmbAdviseReport *report, const SmbAdviseWritten *written,
                         const SmbAdviseArray *array, GPtrArray *forms) {
  const SmbTally *now = &array->now->candidate->total;
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (!layout->is_first || layout->candidate->total.wavefronts >= now->wavefronts ||
        smb_advise_is_mode(layout))
      continue;
    for (gint way = SMB_REWRITE_IN_ROWS; way >= SMB_REWRITE_WHOLE; way--)
      add_text_form(report, written, array, layout, (SmbRewriteForm)way, forms);
  }
}
