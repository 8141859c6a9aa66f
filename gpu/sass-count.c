// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/sass-count.h"

#include "gpu/message.h"

enum {
  N_COUNTED = 2,
};

static const char *const counted[N_COUNTED] = {SMB_SASS_WAVEFRONTS, SMB_SASS_EXECUTED};

static const SmbInstructionMetric metrics[N_COUNTED] = {
    {{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared"}},
    {{"smsp__sass_inst_executed"}},
};

gboolean
smb_sass_count(const SmbProfiler *profiler, int device, const char *symbol,
               const SmbProfilerLaunch *launch, GVariantDict *result, GError **error) {
  GArray *counts[N_COUNTED];
  for (guint i = 0; i < N_COUNTED; i++)
    counts[i] = g_array_new(FALSE, FALSE, sizeof(SmbInstructionCount));
  gboolean ok = profiler->instructions(device, metrics, N_COUNTED, symbol, launch, counts, error);
  for (guint i = 0; i < N_COUNTED; i++) {
    gsize length = counts[i]->len * sizeof(SmbInstructionCount);
    g_autoptr(GBytes) bytes = g_bytes_new_take(g_array_free(counts[i], FALSE), length);
    if (ok)
      g_variant_dict_insert_value(result, counted[i], smb_message_bytes(bytes));
  }
  return ok;
}
