// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The search of advise, from a tile whose rows have neither padding nor a swizzle.
#include "src/layout/report.h"

#include "sim/base/error.h"

enum {
  KEPT = 1, // of each kind
};

// The program with another layout in place of its own; lines stay where they are.
static SmbTarget *
open_with_layout(const SmbTarget *target, const SmbArch *arch, const char *layout, GError **error) {
  static const SmbTargetOptions none = {0};
  const SmbSource *own = smb_program_source(target->kernel);
  const SmbArray *array = smb_program_array(target->kernel, 0);
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint line = 1; line <= smb_source_n_lines(own); line++) {
    g_autofree char *kept = smb_source_line(own, line);
    if (line == array->line)
      g_string_append_printf(text, "layout %s\n", layout);
    else
      g_string_append_printf(text, "%s\n", kept);
  }
  g_autoptr(GBytes) bytes = g_bytes_new(text->str, text->len);
  g_autoptr(SmbSource) source = smb_source_new(smb_source_name(own), bytes, error);
  SmbTarget *opened = source ? smb_target_new_from_source(&none, source, arch, error) : NULL;
  if (opened)
    opened->options.keep_requests = TRUE;
  return opened;
}

gboolean
smb_layout_recount(const SmbTarget *target, const SmbArch *arch, const char *layout,
                   SmbTally *total) {
  g_autoptr(SmbTarget) opened = open_with_layout(target, arch, layout, NULL);
  g_autoptr(SmbAnalysis) analysis = opened ? smb_target_analyze(opened, arch, NULL) : NULL;
  if (analysis)
    *total = smb_analysis_total(analysis);
  return analysis != NULL;
}

// Each request as often as it was made.
static SmbLinearSearch *
search_linear(const SmbLayoutOthers *others, const SmbArch *arch, const SmbTile *tile) {
  g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(SmbRequest));
  for (guint i = 0; i < others->analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(others->analysis->requests, SmbAccessRequest, i);
    for (guint64 n = 0; n < made->count; n++)
      g_array_append_val(requests, made->request);
  }
  return smb_linear_search_new(arch, requests, tile->n, tile->element->bytes);
}

static gboolean
search_rows(SmbLayoutOthers *others, const SmbTarget *target, const SmbArch *arch,
            SmbAdviseKinds kinds, GError **error) {
  const SmbTile *tile = smb_layout_program_tile(target->kernel);
  if (smb_element_is_packed(tile->element))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "layouts are not searched of elements of less than a byte: write the tile as "
                    "u8, with as many bytes in a row");
  g_autoptr(GString) rows_text = g_string_new(NULL);
  for (guint i = 0; i < tile->rank; i++)
    g_string_append_printf(rows_text, "%" G_GUINT64_FORMAT "x", tile->extent[i]);
  g_string_append(rows_text, tile->element->name);
  others->target = open_with_layout(target, arch, rows_text->str, error);
  if (!others->target)
    return FALSE;
  others->analysis = smb_target_analyze(others->target, arch, error);
  if (!others->analysis)
    return FALSE;
  others->uses =
      smb_array_uses_new(others->target->kernel, &others->target->launch, others->analysis);
  const SmbLayout rows = {.element_bytes = tile->element->bytes,
                          .columns = tile->extent[tile->rank - 1]};
  const SmbAdviseOptions options = {.kinds = kinds, .present = &rows, .keep = KEPT};
  others->advice = smb_advise_array(arch, g_ptr_array_index(others->uses->all, 0), &options);
  others->linear = search_linear(others, arch, tile);
  return TRUE;
}

SmbLayoutOthers *
smb_layout_others_new(const SmbTarget *target, const SmbArch *arch, SmbAdviseKinds kinds) {
  SmbLayoutOthers *others = g_new0(SmbLayoutOthers, 1);
  g_autoptr(GError) error = NULL;
  if (!search_rows(others, target, arch, kinds, &error))
    others->failure = g_strdup(error->message);
  return others;
}

void
smb_layout_others_free(SmbLayoutOthers *others) {
  if (!others)
    return;
  smb_linear_search_free(others->linear);
  smb_advice_free(others->advice);
  smb_array_uses_free(others->uses);
  smb_analysis_free(others->analysis);
  smb_target_free(others->target);
  g_free(others->failure);
  g_free(others);
}

char *
smb_layout_name(const SmbTile *tile, const SmbLayout *layout) {
  GString *name = g_string_new(NULL);
  g_autoptr(GString) strides = g_string_new(NULL);
  if (layout->bits)
    g_string_append_printf(name, "Swizzle<%u,%u,%d> o ", layout->bits, layout->base, layout->shift);
  guint64 stride = 1;
  for (guint i = tile->rank; i-- > 0;) {
    g_autofree char *number =
        g_strdup_printf("%" G_GUINT64_FORMAT "%s", stride, i + 1 < tile->rank ? "," : "");
    g_string_prepend(strides, number);
    stride = i + 1 == tile->rank ? layout->columns + layout->pad : stride * tile->extent[i];
  }
  for (guint i = 0; i < tile->rank; i++)
    g_string_append_printf(name, "%s%" G_GUINT64_FORMAT, i ? "," : "(", tile->extent[i]);
  g_string_append_printf(name, "):(%s)", strides->str);
  return g_string_free(name, FALSE);
}
