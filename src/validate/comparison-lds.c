// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What was counted of instructions on AMD's LDS: a user's file, and those of data/measured/.
#include "src/validate/comparison-impl.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/data.h"
#include "sim/count/wavefront.h"
#include "sim/measured/lds.h"

static void
add_lds_count(SmbComparison *comparison, const SmbLdsCount *count, const SmbArch *arch,
              const char *name) {
  const char *metric = smb_comparison_keep(comparison, count->counter_name);
  SmbComparisonRow *row = smb_comparison_row(SMB_ROW_REQUEST, metric);
  SmbWavefronts cost = smb_wavefronts_count(arch, &count->request);
  g_autofree char *place = g_strdup_printf("%s:%u", name, count->line);
  // Numbers of one counter and document are added up together.
  g_autofree char *source = g_strdup_printf("%s, %s: %s", name, metric, count->source);
  row->op = (SmbOp)count->request.op;
  row->width = count->request.width;
  row->predicted = (double)smb_lds_predict(count->counter, &cost);
  row->measured = (double)count->value;
  row->gpu = smb_comparison_keep(comparison, count->gpu);
  row->source = smb_comparison_keep(comparison, source);
  row->place = smb_comparison_keep(comparison, place);
  row->arch = smb_comparison_keep(comparison, count->arch);
  row->outcome = row->predicted == row->measured ? SMB_OUTCOME_MATCH : SMB_OUTCOME_MISMATCH;
  smb_comparison_take(comparison, row);
}

gboolean
smb_comparison_add_lds(SmbComparison *comparison, const char *name, const char *text, gsize length,
                       GError **error) {
  g_autoptr(SmbLdsCounts) counts = smb_lds_counts_new(name, text, length, error);
  g_autoptr(SmbArch) arch = NULL;
  smb_comparison_begin(comparison);
  for (guint i = 0; counts && i < counts->rows->len; i++) {
    const SmbLdsCount *count = &g_array_index(counts->rows, SmbLdsCount, i);
    if (!smb_comparison_deal(comparison))
      continue;
    if (!arch || strcmp(smb_arch_info(arch)->name, count->arch) != 0) {
      g_clear_pointer(&arch, smb_arch_unref);
      arch = smb_arch_load(count->arch, error);
    }
    if (!arch)
      return FALSE;
    add_lds_count(comparison, count, arch, name);
  }
  return counts != NULL;
}

gboolean
smb_comparison_add_lds_all(SmbComparison *comparison, GError **error) {
  g_auto(GStrv) names = smb_data_list("measured", ".csv");
  for (guint i = 0; names[i]; i++) {
    g_autofree char *path = g_strdup_printf("measured/%s.csv", names[i]);
    g_autofree char *name = g_strdup_printf("data/%s", path);
    g_autoptr(GBytes) bytes = smb_data_load(path, error);
    gsize length = 0;
    const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;
    if (!bytes || !smb_comparison_add_lds(comparison, name, text ? text : "", length, error))
      return FALSE;
  }
  return TRUE;
}
