// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The search of advise, from a tile whose rows have neither padding nor a swizzle.
#include "src/layout/report.h"

#include <string.h>

enum {
  KEPT = 1, // of each kind
};

// The text of the program with the tile row by row in place of its layout; lines stay where they are.
static char *
write_row_source(const SmbTarget *target, const SmbTile *tile) {
  const SmbSource *source = smb_program_source(target->kernel);
  const SmbArray *array = smb_program_array(target->kernel, 0);
  GString *text = g_string_new(NULL);
  for (guint line = 1; line <= smb_source_n_lines(source); line++) {
    g_autofree char *own = smb_source_line(source, line);
    if (line != array->line) {
      g_string_append_printf(text, "%s\n", own);
      continue;
    }
    g_string_append(text, "layout ");
    for (guint i = 0; i < tile->rank; i++)
      g_string_append_printf(text, "%" G_GUINT64_FORMAT "x", tile->extent[i]);
    g_string_append_printf(text, "%s\n", tile->element->name);
  }
  return g_string_free(text, FALSE);
}

static gboolean
search_rows(SmbLayoutOthers *others, const SmbTarget *target, const SmbArch *arch,
            SmbAdviseKinds kinds, GError **error) {
  static const SmbTargetOptions none = {0};
  const SmbTile *tile = smb_layout_program_tile(target->kernel);
  g_autofree char *text = write_row_source(target, tile);
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source =
      smb_source_new(smb_source_name(smb_program_source(target->kernel)), bytes, error);
  others->target = source ? smb_target_new_from_source(&none, source, arch, error) : NULL;
  if (!others->target)
    return FALSE;
  others->target->options.keep_requests = TRUE;
  others->analysis = smb_target_analyze(others->target, arch, error);
  if (!others->analysis)
    return FALSE;
  others->uses =
      smb_array_uses_new(others->target->kernel, &others->target->launch, others->analysis);
  const SmbLayout rows = {.element_bytes = tile->element->bytes,
                          .columns = tile->extent[tile->rank - 1]};
  const SmbAdviseOptions options = {.kinds = kinds, .present = &rows, .keep = KEPT};
  others->advice = smb_advise_array(arch, g_ptr_array_index(others->uses->all, 0), &options);
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
