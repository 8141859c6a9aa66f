// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/validate/comparison-report.h"

#include <math.h>
#include <string.h>

char *
smb_comparison_number(double value) {
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  if (value < 0)
    return g_strdup("");
  return g_strdup(
      g_ascii_formatd(buffer, sizeof buffer, value == floor(value) ? "%.0f" : "%.3f", value));
}

char *
smb_comparison_provenance(const SmbComparison *comparison) {
  gboolean recorded = FALSE, published = FALSE;
  const SmbRecording *now = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    published = published || row->kind == SMB_ROW_PUBLISHED;
    recorded = recorded || (row->kind != SMB_ROW_PUBLISHED &&
                            strcmp(row->source, SMB_RECORDING_THIS_DEVICE) != 0);
  }
  for (guint i = 0; i < comparison->recordings->len && comparison->device; i++) {
    const SmbRecording *recording = g_ptr_array_index(comparison->recordings, i);
    if (strcmp(recording->source, SMB_RECORDING_THIS_DEVICE) == 0)
      now = recording;
  }
  const char *kept = recorded && published ? "recorded and published values"
                     : published           ? "published values"
                     : recorded            ? "recorded values"
                                           : "none";
  if (!now)
    return g_strdup_printf("%s; no GPU was used", kept);
  return g_strdup_printf("this GPU, %s (%s)%s%s", now->gpu, now->method,
                         recorded || published ? "; also " : "", recorded || published ? kept : "");
}

const char *
smb_comparison_short_gpu(const char *gpu) {
  static const char *const makers[] = {"NVIDIA ", "GeForce "};
  for (guint i = 0; i < G_N_ELEMENTS(makers); i++)
    gpu += g_str_has_prefix(gpu, makers[i]) ? strlen(makers[i]) : 0;
  return gpu;
}

char *
smb_comparison_published(const SmbComparisonRow *row) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; row->published && i < row->published->len; i++) {
    const SmbComparisonRow *published = g_ptr_array_index(row->published, i);
    g_autofree char *value = smb_comparison_number(published->measured);
    g_string_append_printf(text, "%s%s (%s)", text->len ? ", " : "", value,
                           smb_comparison_short_gpu(published->gpu));
  }
  return g_string_free(text, FALSE);
}

char *
smb_comparison_metric(const SmbComparisonRow *row) {
  return row->parameter ? g_strdup_printf("%s (%s)", row->metric, row->parameter)
                        : g_strdup(row->metric);
}

char *
smb_comparison_shape(const SmbComparisonRow *row) {
  if (row->shape || !row->recorded)
    return g_strdup(row->shape ? row->shape : "");
  const guint *block = row->recorded->block;
  return block[2] > 1 ? g_strdup_printf("%ux%ux%u", block[0], block[1], block[2])
                      : g_strdup_printf("%ux%u", block[0], block[1]);
}

gboolean
smb_comparison_is_time(const SmbComparisonRow *row) {
  return smb_comparison_is_cold(row) ||
         strcmp(row->metric, smb_metric_name(SMB_METRIC_TIME_US)) == 0;
}

gboolean
smb_comparison_is_cold(const SmbComparisonRow *row) {
  return strcmp(row->metric, smb_metric_name(SMB_METRIC_TIME_COLD_US)) == 0;
}
