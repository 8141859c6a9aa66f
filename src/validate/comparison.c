// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/validate/comparison-impl.h"

#include "sim/launch/buffer.h"

void
smb_comparison_row_free(gpointer data) {
  SmbComparisonRow *row = data;
  g_clear_pointer(&row->published, g_ptr_array_unref);
  g_free(row);
}

SmbComparison *
smb_comparison_new(void) {
  SmbComparison *comparison = g_new0(SmbComparison, 1);
  comparison->rows = g_ptr_array_new_with_free_func(smb_comparison_row_free);
  comparison->recordings = g_ptr_array_new();
  comparison->strings = g_string_chunk_new(1024);
  comparison->lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  return comparison;
}

void
smb_comparison_free(SmbComparison *comparison) {
  if (!comparison)
    return;
  g_ptr_array_unref(comparison->rows);
  g_ptr_array_unref(comparison->recordings);
  g_string_chunk_free(comparison->strings);
  g_ptr_array_unref(comparison->lists);
  g_free(comparison->sources);
  g_free(comparison);
}

const char *
smb_comparison_keep(SmbComparison *comparison, const char *text) {
  return text ? g_string_chunk_insert_const(comparison->strings, text) : NULL;
}

const char *const *
smb_comparison_defines(SmbComparison *comparison, const char *const *defines) {
  GStrv copy = g_strdupv((GStrv)(gpointer)defines);
  g_ptr_array_add(comparison->lists, copy);
  return (const char *const *)copy;
}

SmbComparisonRow *
smb_comparison_row(SmbRowKind kind, const char *metric) {
  static const char *const no_defines[] = {NULL};
  SmbComparisonRow *row = g_new0(SmbComparisonRow, 1);
  row->kind = kind;
  row->metric = metric;
  row->defines = no_defines;
  row->variant = "";
  row->ipad = -1;
  row->predicted = SMB_NO_PREDICTION;
  row->measured = row->min = row->max = row->bandwidth = SMB_NOT_MEASURED;
  return row;
}

void
smb_comparison_begin(SmbComparison *comparison) {
  comparison->n_sources++;
  comparison->next = 0;
}

gboolean
smb_comparison_deal(SmbComparison *comparison) {
  return smb_shard_has(&comparison->shard, comparison->next++);
}

void
smb_comparison_take(SmbComparison *comparison, SmbComparisonRow *row) {
  guint *const counts[] = {
      [SMB_OUTCOME_MATCH] = &comparison->matched,
      [SMB_OUTCOME_EXPLAINED] = &comparison->explained,
      [SMB_OUTCOME_MISMATCH] = &comparison->mismatched,
      [SMB_OUTCOME_UNMEASURED] = &comparison->unmeasured,
      [SMB_OUTCOME_SHOWN] = NULL,
  };
  row->part = comparison->n_sources;
  row->index = comparison->next - 1;
  if (counts[row->outcome])
    (*counts[row->outcome])++;
  comparison->compared = comparison->matched + comparison->explained + comparison->mismatched;
  g_ptr_array_add(comparison->rows, row);
}

void
smb_comparison_note_files(SmbComparison *comparison, const SmbRecordedKernel *recorded,
                          const SmbProgram *program) {
  const SmbSource *source = smb_program_source(program);
  g_auto(GStrv) included = source ? smb_source_inputs(source) : NULL;
  smb_files_read(comparison->files, recorded->file);
  smb_files_read_all(comparison->files, (const char *const *)included);
  for (guint i = 0; recorded->contents && recorded->contents[i]; i++)
    smb_files_read(comparison->files, smb_buffer_file(recorded->contents[i]));
}
