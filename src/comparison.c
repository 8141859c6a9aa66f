// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/comparison.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#include "sim/data.h"
#include "sim/error.h"
#include "sim/reference.h"
#include "sim/trace.h"
#include "src/input.h"

SmbComparison *
smb_comparison_new(void) {
  SmbComparison *comparison = g_new0(SmbComparison, 1);
  comparison->rows = g_ptr_array_new_with_free_func(g_free);
  comparison->strings = g_string_chunk_new(1024);
  return comparison;
}

void
smb_comparison_free(SmbComparison *comparison) {
  if (!comparison)
    return;
  g_ptr_array_unref(comparison->rows);
  g_string_chunk_free(comparison->strings);
  g_free(comparison);
}

static const char *
keep(SmbComparison *comparison, const char *text) {
  return g_string_chunk_insert_const(comparison->strings, text);
}

static void
add_row(SmbComparison *comparison, SmbComparisonRow *row) {
  if (row->informative) {
    comparison->unmeasured += row->kernel == NULL;
  } else {
    comparison->compared++;
    comparison->matched += row->match;
    comparison->mismatched += !row->match;
  }
  g_ptr_array_add(comparison->rows, row);
}

static gboolean
has_macro(const SmbCatalogEntry *entry, const char *name) {
  for (guint i = 0; entry->defines[i]; i++) {
    if (g_str_has_prefix(entry->defines[i], name) && entry->defines[i][strlen(name)] == '=')
      return TRUE;
  }
  return FALSE;
}

// Runs the kernel that a published number is about.
static SmbAnalysis *
run_published(const GPtrArray *catalog, const SmbReference *reference, GError **error) {
  const SmbCatalogEntry *entry =
      smb_catalog_find(catalog, reference->kernel, reference->shape, NULL, error);
  g_autoptr(SmbArch) arch =
      entry ? smb_arch_load(reference->arch ? reference->arch : SMB_DEFAULT_ARCH, error) : NULL;
  if (!arch)
    return NULL;
  g_autofree char *ipad = g_strdup_printf("IPAD=%d", reference->ipad);
  const char *defines[2] = {NULL, NULL};
  if (reference->ipad >= 0 && has_macro(entry, "IPAD"))
    defines[0] = ipad;
  g_autoptr(SmbTarget) target = smb_target_from_catalog(entry, defines, arch, error);
  if (!target)
    return NULL;
  return smb_analysis_run(target->kernel, arch, &target->launch, &target->options, error);
}

// For a time the model says nothing: it stands beside all wavefronts of the launch.
static double
predict(SmbMetric metric, const SmbAnalysis *analysis) {
  if (metric != SMB_METRIC_TIME_US)
    return smb_metric_predict(metric, analysis);
  return smb_metric_predict(SMB_METRIC_WAVEFRONTS_LD, analysis) +
         smb_metric_predict(SMB_METRIC_WAVEFRONTS_ST, analysis);
}

static void
add_published(SmbComparison *comparison, const SmbReference *reference,
              const SmbAnalysis *analysis) {
  SmbComparisonRow *row = g_new0(SmbComparisonRow, 1);
  row->kernel = keep(comparison, reference->kernel);
  row->shape = keep(comparison, reference->shape);
  row->ipad = reference->ipad;
  row->metric = smb_metric_name(reference->metric);
  row->predicted = predict(reference->metric, analysis);
  row->measured = reference->value;
  row->gpu = keep(comparison, reference->gpu);
  row->source = keep(comparison, reference->source);
  row->arch = keep(comparison, reference->arch ? reference->arch : SMB_DEFAULT_ARCH);
  row->informative = reference->metric == SMB_METRIC_TIME_US;
  row->match = !row->informative && row->predicted == row->measured;
  add_row(comparison, row);
}

gboolean
smb_comparison_add_published(SmbComparison *comparison, const char *kernel, GError **error) {
  g_autoptr(GPtrArray) references = smb_reference_load(error);
  g_autoptr(GPtrArray) catalog = references ? smb_catalog_load(error) : NULL;
  if (!catalog || (kernel && !smb_catalog_find(catalog, kernel, NULL, NULL, error)))
    return FALSE;
  for (guint i = 0; i < references->len; i++) {
    const SmbReference *reference = g_ptr_array_index(references, i);
    if (kernel && strcmp(kernel, reference->kernel) != 0)
      continue;
    g_autoptr(SmbAnalysis) analysis = run_published(catalog, reference, error);
    if (!analysis) {
      g_prefix_error(error, "published.csv:%u: ", reference->line);
      return FALSE;
    }
    add_published(comparison, reference, analysis);
  }
  return TRUE;
}

static void
add_requests(SmbComparison *comparison, const SmbTraceBatch *batch, const char *name,
             const char *gpu, const SmbArch *arch) {
  for (gsize i = 0; i < batch->n; i++) {
    SmbComparisonRow *row = g_new0(SmbComparisonRow, 1);
    SmbWavefronts count = smb_wavefronts_count(arch, &batch->requests[i]);
    row->ipad = -1;
    row->op = (SmbOp)batch->requests[i].op;
    row->width = batch->requests[i].width;
    row->metric = "wavefronts";
    row->predicted = count.wavefronts;
    row->informative = batch->expected[i] == SMB_TRACE_NO_COUNT;
    row->measured = row->informative ? 0 : (double)batch->expected[i];
    row->gpu = keep(comparison, gpu);
    row->source = keep(comparison, name);
    row->line = batch->lines[i];
    row->arch = keep(comparison, smb_arch_info(arch)->name);
    row->match = !row->informative && row->predicted == row->measured;
    add_row(comparison, row);
  }
}

static gboolean
read_requests(SmbComparison *comparison, GInputStream *stream, const char *name, const char *gpu,
              SmbArch *arch, GError **error) {
  g_autoptr(SmbTraceReader) reader = smb_trace_reader_new(stream, name, arch);
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  do {
    if (!smb_trace_reader_next(reader, batch, error))
      return FALSE;
    add_requests(comparison, batch, name, gpu, arch);
  } while (batch->n > 0);
  return TRUE;
}

// What a recording says of its device in its first comment: "… on an NVIDIA H200 (compute capability
// 9.0, …)". The rules are those of that capability.
typedef struct {
  char *gpu;
  SmbArch *arch;
} RecordedDevice;

static gboolean
find_device(GBytes *bytes, const char *name, RecordedDevice *device, GError **error) {
  static const char words[] = " (compute capability ";
  const char *text = g_bytes_get_data(bytes, NULL);
  g_autofree char *line = g_strndup(text, strcspn(text, "\n"));
  char *start = strstr(line, "NVIDIA ");
  char *capability = start ? strstr(start, words) : NULL;
  guint major, minor;
  if (!capability || sscanf(capability + strlen(words), "%3u.%3u", &major, &minor) != 2) {
    g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT,
                "%s:1: expected the device and its compute capability in the first comment", name);
    return FALSE;
  }
  g_autofree char *arch = g_strdup_printf("sm_%u%u", major, minor);
  device->gpu = g_strndup(start, (gsize)(capability - start));
  device->arch = smb_arch_load(arch, error);
  return device->arch != NULL;
}

static gboolean
add_recording(SmbComparison *comparison, GBytes *bytes, const char *name, GError **error) {
  RecordedDevice device = {NULL, NULL};
  gboolean ok = find_device(bytes, name, &device, error);
  if (ok) {
    g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_bytes(bytes);
    ok = read_requests(comparison, stream, name, device.gpu, device.arch, error);
  }
  g_free(device.gpu);
  smb_arch_unref(device.arch);
  return ok;
}

static gboolean
add_recordings(SmbComparison *comparison, GError **error) {
  g_auto(GStrv) names = smb_data_list("measured", ".txt");
  for (guint i = 0; names[i]; i++) {
    g_autofree char *path = g_strdup_printf("measured/%s.txt", names[i]);
    g_autofree char *name = g_strdup_printf("data/%s", path);
    g_autoptr(GBytes) bytes = smb_data_load(path, error);
    if (!bytes || !add_recording(comparison, bytes, name, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_comparison_add_requests(SmbComparison *comparison, const char *file, SmbArch *arch,
                            GError **error) {
  if (!file)
    return add_recordings(comparison, error);
  g_autoptr(GInputStream) stream = smb_input_open(file, error);
  return stream && read_requests(comparison, stream, smb_input_name(file),
                                 "a device that is not named", arch, error);
}
