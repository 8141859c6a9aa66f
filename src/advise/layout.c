// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A layout as advise tells of it: its name, its index, and what it means for shared memory.
#include "sim/arch/arch.h"
#include "src/advise/report.h"

const char *
smb_advise_fit_name(SmbAdviseFit fit) {
  static const char *const names[] = {"yes", "opt-in", "no"};
  return names[fit];
}

const char *
smb_advise_kind_name(SmbAdviseKinds kind) {
  return kind == SMB_ADVISE_PAD       ? "pad"
         : kind == SMB_ADVISE_SWIZZLE ? "swizzle"
         : kind == SMB_ADVISE_BOTH    ? "both"
                                      : "now";
}

char *
smb_advise_declare(const SmbArray *array) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s %s", array->element, array->name);
  for (guint i = 0; i < array->n_dimensions; i++) {
    if (array->dimension[i])
      g_string_append_printf(text, "[%" G_GUINT64_FORMAT "]", array->dimension[i]);
    else
      g_string_append(text, "[]");
  }
  return g_string_free(text, FALSE);
}

void
smb_advise_layout_free(SmbAdviseLayout *layout) {
  if (!layout)
    return;
  g_free(layout->name);
  g_free(layout->index);
  smb_proof_free(layout->proof);
  g_free(layout);
}

// "pad 2", "pad 1 after 32" where the array has no rows of its own, "Swizzle<3,2,3>".
static char *
name_layout(const SmbLayout *layout, gboolean has_rows) {
  g_autoptr(GString) name = g_string_new(NULL);
  if (layout->pad)
    g_string_append_printf(name, "pad %" G_GUINT64_FORMAT, layout->pad);
  if (layout->pad && !has_rows)
    g_string_append_printf(name, " after %" G_GUINT64_FORMAT, layout->columns);
  if (layout->bits)
    g_string_append_printf(name, "%sSwizzle<%u,%u,%d>", name->len ? " + " : "", layout->bits,
                           layout->base, layout->shift);
  return name->len ? g_string_free(g_steal_pointer(&name), FALSE) : g_strdup("no padding");
}

static SmbAdviseFit
find_fit(const SmbAdviseReport *report, const SmbArray *array, gint64 extra) {
  const SmbArchInfo *info = smb_arch_info(report->arch);
  gint64 all = (gint64)report->analysis->shared_bytes + extra;
  gint64 fixed = (gint64)smb_program_static_shared(report->target->kernel) + extra;
  if (all > (gint64)info->max_shared_bytes)
    return SMB_ADVISE_TOO_LARGE;
  gint64 without = array->is_dynamic ? all : fixed;
  return without > (gint64)info->static_shared_bytes ? SMB_ADVISE_OPT_IN : SMB_ADVISE_FITS;
}

SmbAdviseLayout *
smb_advise_layout_new(const SmbAdviseReport *report, const SmbAdvice *search,
                      const SmbCandidate *candidate, SmbAdviseKinds kind) {
  const SmbArray *array = search->use->array;
  const SmbLaunch *launch = &report->target->launch;
  SmbAdviseLayout *layout = g_new0(SmbAdviseLayout, 1);
  SmbRewriteArray wanted = {array, search->use->bytes, search->original->layout, candidate->layout};
  gboolean has_rows =
      array->n_dimensions > 1 && candidate->layout.columns == search->original->layout.columns;
  layout->candidate = candidate;
  layout->kind = kind;
  layout->name = kind ? name_layout(&candidate->layout, has_rows) : g_strdup("as it is");
  layout->index = smb_rewrite_describe(&wanted);
  layout->extra_bytes = (gint64)candidate->bytes - (gint64)search->use->bytes;
  layout->vector_bytes = smb_layout_vector_bytes(
      &candidate->layout, smb_advise_elements(&search->original->layout, search->use->bytes));
  layout->fits = find_fit(report, array, layout->extra_bytes);
  layout->occupancy =
      smb_occupancy(report->arch, launch->block[0] * launch->block[1] * launch->block[2],
                    (guint64)((gint64)report->analysis->shared_bytes + layout->extra_bytes));
  return layout;
}
