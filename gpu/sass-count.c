// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts the shared-memory wavefronts of each instruction of a kernel.
#include "gpu/sass-count.h"

#include "gpu/error.h"
#include "gpu/message.h"
#include "sim/base/error.h"

static gboolean
counted_nothing(const GArray *counts) {
  for (guint i = 0; i < counts->len; i++) {
    if (g_array_index(counts, SmbInstructionCount, i).value > 0)
      return FALSE;
  }
  return counts->len > 0;
}

gboolean
smb_sass_count(const SmbProfiler *profiler, int device, const char *symbol,
               const SmbProfilerLaunch *launch, GVariantDict *result, GError **error) {
  static const SmbInstructionMetric wavefronts = {
      {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared"}};
  g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(SmbInstructionCount));
  if (!profiler->instructions(device, &wavefronts, symbol, launch, counts, error))
    return FALSE;
  if (counted_nothing(counts))
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS,
                    "CUPTI counted nothing in any of %u instructions", counts->len);
  g_autoptr(GBytes) bytes = g_bytes_new(counts->data, counts->len * sizeof(SmbInstructionCount));
  g_variant_dict_insert_value(result, SMB_SASS_WAVEFRONTS, smb_message_bytes(bytes));
  return TRUE;
}
