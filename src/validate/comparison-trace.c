// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Traces whose requests carry counts: a user's, and those of data/measured/.
#include "src/validate/comparison-impl.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/data.h"
#include "sim/base/error.h"
#include "sim/trace/trace.h"
#include "sim/count/wavefront.h"

static void
add_requests(SmbComparison *comparison, const SmbTraceBatch *batch, const char *name,
             const char *gpu, const SmbArch *arch) {
  for (gsize i = 0; i < batch->n; i++) {
    if (!smb_comparison_deal(comparison))
      continue;
    SmbComparisonRow *row = smb_comparison_row(SMB_ROW_REQUEST, "wavefronts");
    g_autofree char *place = g_strdup_printf("%s:%" G_GUINT64_FORMAT, name, batch->lines[i]);
    row->op = (SmbOp)batch->requests[i].op;
    row->width = batch->requests[i].width;
    row->predicted = smb_wavefronts_count(arch, &batch->requests[i]).wavefronts;
    row->gpu = smb_comparison_keep(comparison, gpu);
    row->source = smb_comparison_keep(comparison, name);
    row->place = smb_comparison_keep(comparison, place);
    row->arch = smb_comparison_keep(comparison, smb_arch_info(arch)->name);
    row->outcome = SMB_OUTCOME_UNMEASURED;
    if (batch->expected[i] != SMB_TRACE_NO_COUNT) {
      row->measured = (double)batch->expected[i];
      row->outcome = row->predicted == row->measured ? SMB_OUTCOME_MATCH : SMB_OUTCOME_MISMATCH;
    }
    smb_comparison_take(comparison, row);
  }
}

static gboolean
read_compared_requests(SmbComparison *comparison, GInputStream *stream, const char *name,
                       const char *gpu, SmbArch *arch, GError **error) {
  g_autoptr(SmbTraceReader) reader = smb_trace_reader_new(stream, name, arch);
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  smb_comparison_begin(comparison);
  do {
    if (!smb_trace_reader_next(reader, batch, error))
      return FALSE;
    add_requests(comparison, batch, name, gpu, arch);
  } while (batch->n > 0);
  return TRUE;
}

gboolean
smb_comparison_add_trace(SmbComparison *comparison, GInputStream *stream, const char *name,
                         SmbArch *arch, GError **error) {
  return read_compared_requests(comparison, stream, name, "unknown GPU", arch, error);
}

// A recorded trace says its device in the first comment: "… on an NVIDIA H200 (compute capability 9.0, …)". The rules are
// those of that capability.
static gboolean
add_measured_trace(SmbComparison *comparison, GBytes *bytes, const char *name, GError **error) {
  static const char words[] = " (compute capability ";
  const char *text = g_bytes_get_data(bytes, NULL);
  g_autofree char *line = g_strndup(text, strcspn(text, "\n"));
  char *start = strstr(line, "NVIDIA ");
  char *capability = start ? strstr(start, words) : NULL;
  guint major, minor;
  if (!capability || sscanf(capability + strlen(words), "%3u.%3u", &major, &minor) != 2)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s:1: expected the device and its compute capability in the first comment",
                    name);
  *capability = '\0'; // behind the name of the device
  g_autofree char *rules = g_strdup_printf("sm_%u%u", major, minor);
  g_autoptr(SmbArch) arch = smb_arch_load(rules, error);
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_bytes(bytes);
  return arch && read_compared_requests(comparison, stream, name, start, arch, error);
}

gboolean
smb_comparison_add_traces(SmbComparison *comparison, GError **error) {
  g_auto(GStrv) names = smb_data_list("measured", ".txt");
  for (guint i = 0; names[i]; i++) {
    g_autofree char *path = g_strdup_printf("measured/%s.txt", names[i]);
    g_autofree char *name = g_strdup_printf("data/%s", path);
    g_autoptr(GBytes) bytes = smb_data_load(path, error);
    if (!bytes || !add_measured_trace(comparison, bytes, name, error))
      return FALSE;
  }
  return TRUE;
}
