// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/sass-count.h"

#include "gpu/message.h"

// Of the metrics chips have the one or the other.
static const struct {
  const char *name;
  const char *metrics[2];
} counted[] = {
    {SMB_SASS_WAVEFRONTS,
     {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared"}},
    {SMB_SASS_EXECUTED, {"smsp__sass_inst_executed"}},
};

// By the first of the metrics that works; else the error is that of the first.
static gboolean
count(const SmbProfiler *profiler, int device, const char *const metrics[2], const char *symbol,
      const SmbProfilerLaunch *launch, GArray *counts, GError **error) {
  g_autoptr(GError) failure = NULL;
  if (profiler->instructions(device, metrics[0], symbol, launch, counts, &failure))
    return TRUE;
  g_array_set_size(counts, 0);
  if (metrics[1] && profiler->instructions(device, metrics[1], symbol, launch, counts, NULL))
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&failure));
  return FALSE;
}

gboolean
smb_sass_count(const SmbProfiler *profiler, int device, const char *symbol,
               const SmbProfilerLaunch *launch, GVariantDict *result, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(counted); i++) {
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(SmbInstructionCount));
    if (!count(profiler, device, counted[i].metrics, symbol, launch, counts, error))
      return FALSE;
    g_autoptr(GBytes) bytes = g_bytes_new(counts->data, counts->len * sizeof(SmbInstructionCount));
    g_variant_dict_insert_value(result, counted[i].name, smb_message_bytes(bytes));
  }
  return TRUE;
}
