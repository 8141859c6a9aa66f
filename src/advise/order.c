// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which layout is better than another, and than the present one.
#include "sim/base/order.h"
#include "src/advise/mode.h"

int
smb_advise_layout_order(const SmbAdviseLayout *a, const SmbAdviseLayout *b) {
  return smb_advise_compiled_order(a->compiled, b->compiled)
             ?: smb_order(!a->keeps_vector, !b->keeps_vector)
             ?: smb_order(a->merged.wavefronts, b->merged.wavefronts)
             ?: smb_order(a->candidate->total.wavefronts, b->candidate->total.wavefronts);
}

gboolean
smb_advise_is_worse(const SmbAdviseReport *report, const SmbAdviseCompiled *compiled) {
  const SmbAdviseCompiled *now = report->now;
  return now && !now->failure && compiled && !smb_advise_compiled_gains(now, compiled);
}

const SmbLaunchTime *
smb_advise_time(const SmbAdviseReport *report) {
  const SmbAdviseCompiled *now = report->now ? report->now : report->present;
  return now ? now->time : NULL;
}

guint64
smb_advise_sample(const SmbAdviseReport *report) {
  const SmbAdviseCompiled *now = report->now ? report->now : report->present;
  return report->analysis->is_sampled ? report->analysis->n_blocks_run : now ? now->sample : 0;
}

gboolean
smb_advise_is_free(const SmbAdviseReport *report) {
  const SmbLaunchTime *launch = smb_advise_time(report);
  return launch && launch->time && launch->time->has_conflicts &&
         !smb_advise_time_gains(launch->time->cycles, launch->time->without);
}

gboolean
smb_advise_is_better(const SmbAdviseReport *report, const SmbAdviseArray *array,
                     const SmbAdviseLayout *layout) {
  const SmbAdviseLayout *now = array->now;
  if (smb_advise_is_mode(layout))
    return smb_advise_mode_gains(report, array, layout);
  if (report->now && !report->now->failure && layout->compiled)
    return !smb_advise_is_worse(report, layout->compiled);
  return layout->merged.wavefronts < now->merged.wavefronts && !smb_advise_is_free(report);
}

const SmbAdviseLayout *
smb_advise_proven(const SmbAdviseReport *report, const SmbAdviseArray *array) {
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (smb_proof_holds(layout->proof) && smb_advise_is_better(report, array, layout))
      return layout;
  }
  return NULL;
}

const SmbProof *
smb_advise_final(const SmbAdviseReport *report) {
  const SmbProof *final = NULL;
  const SmbAdviseCompiled *compiled = NULL;
  if (smb_proof_holds(report->together) && !smb_advise_is_worse(report, report->compiled)) {
    final = report->together;
    compiled = report->compiled;
  }
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseLayout *layout = smb_advise_proven(report, g_ptr_array_index(report->arrays, i));
    if (layout && (!final || smb_advise_compiled_order(layout->compiled, compiled) < 0)) {
      final = layout->proof;
      compiled = layout->compiled;
    }
  }
  return final;
}

char *
smb_advise_name_layouts(const SmbAdviseReport *report, const SmbProof *proof) {
  GString *names = g_string_new(NULL);
  gboolean together = proof == report->together;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    const SmbAdviseLayout *layout =
        together ? g_ptr_array_index(report->joined, i) : smb_advise_proven(report, array);
    if (layout && (together || proof == layout->proof))
      g_string_append_printf(names, "%s%s: %s", names->len ? ", " : "",
                             array->search->use->array->name, layout->name);
  }
  return g_string_free(names, FALSE);
}

const SmbAdvisePadding *
smb_advise_padded(const SmbAdviseReport *report) {
  return report->written ? report->written->best : NULL;
}

// Of padding and a swizzle that cost as much, with accesses merged, padding comes first: that an XOR keeps vectors whole is
// more than a compiler sees.
static int
compare_kinds(const SmbAdviseLayout *x, const SmbAdviseLayout *y) {
  if (x->merged.requests == x->candidate->total.requests)
    return 0;
  return smb_order(x->kind != SMB_ADVISE_PAD, y->kind != SMB_ADVISE_PAD);
}

static guint
count_edits(const SmbAdviseLayout *layout) {
  return smb_proof_holds(layout->proof) ? layout->proof->edits->len : G_MAXUINT;
}

static int
compare_layouts(gconstpointer a, gconstpointer b, gpointer data) {
  const SmbAdviseReport *report = data;
  const SmbAdviseLayout *x = *(SmbAdviseLayout *const *)a, *y = *(SmbAdviseLayout *const *)b;
  gboolean compiled = report->now && !report->now->failure;
  gboolean worse_x = compiled && (!x->compiled || smb_advise_is_worse(report, x->compiled));
  gboolean worse_y = compiled && (!y->compiled || smb_advise_is_worse(report, y->compiled));
  return smb_order(worse_x, worse_y) ?: smb_advise_layout_order(x, y) ?: compare_kinds(x, y)
         ?: smb_order(count_edits(x), count_edits(y))
         ?: smb_order(!x->is_declared, !y->is_declared)
         ?: smb_order(x->candidate->bytes, y->candidate->bytes);
}

void
smb_advise_sort(const SmbAdviseReport *report, const SmbAdviseArray *array) {
  g_ptr_array_sort_with_data(array->layouts, compare_layouts, (gpointer)report);
}
