// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Published numbers of the built-in kernels, by the rules of their devices.
#include "sim/base/error.h"
#include "src/validate/comparison-impl.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/measured/reference.h"
#include "src/target/target.h"

// The modern family of banks (doc/model.md): 32 of 4 bytes, from this compute capability on.
enum {
  MODERN_CAPABILITY = 5,
  MODERN_BANK_BYTES = 4
};

// Runs the kernel that a published number is about by the rules of its device.
static SmbAnalysis *
run_published(const GPtrArray *catalog, const SmbReference *reference, const SmbArch *arch,
              GError **error) {
  const SmbCatalogEntry *entry =
      smb_catalog_find(catalog, reference->kernel, reference->shape, NULL, error);
  if (!entry)
    return NULL;
  g_autofree char *ipad = g_strdup_printf("IPAD=%d", reference->ipad);
  const char *defines[2] = {NULL, NULL};
  if (reference->ipad >= 0 && smb_catalog_defines(entry, "IPAD"))
    defines[0] = ipad;
  g_autoptr(SmbTarget) target = smb_target_from_catalog(entry, defines, arch, error);
  return target ? smb_target_analyze(target, arch, error) : NULL;
}

// For a time the model says nothing: it stands beside all wavefronts of the launch.
static double
predict_published(SmbMetric metric, const SmbAnalysis *analysis) {
  if (metric != SMB_METRIC_TIME_US)
    return smb_metric_predict(metric, analysis);
  return smb_metric_predict(SMB_METRIC_WAVEFRONTS_LD, analysis) +
         smb_metric_predict(SMB_METRIC_WAVEFRONTS_ST, analysis);
}

static gboolean
is_modern(const SmbReference *reference, const SmbArch *arch) {
  return reference->bank_mode == MODERN_BANK_BYTES &&
         smb_arch_info(arch)->capability_major >= MODERN_CAPABILITY;
}

static gboolean
is_same_number(const SmbComparisonRow *recorded, const SmbComparisonRow *published) {
  return recorded->kind == SMB_ROW_KERNEL && recorded->shape && published->ipad >= 0 &&
         recorded->recording->capability_major >= MODERN_CAPABILITY &&
         recorded->ipad == published->ipad && recorded->metric == published->metric &&
         strcmp(recorded->kernel, published->kernel) == 0 &&
         strcmp(recorded->shape, published->shape) == 0;
}

// Puts a published row beside the rows of recordings that have the same number.
static void
join_published(SmbComparison *comparison, SmbComparisonRow *published) {
  for (guint i = 0; i < comparison->rows->len; i++) {
    SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_same_number(row, published))
      continue;
    if (!row->published)
      row->published = g_ptr_array_new();
    g_ptr_array_add(row->published, published);
    published->joined = TRUE;
  }
}

static void
add_published(SmbComparison *comparison, const SmbReference *reference, const SmbArch *arch,
              const SmbAnalysis *analysis) {
  SmbComparisonRow *row = smb_comparison_row(SMB_ROW_PUBLISHED, smb_metric_name(reference->metric));
  row->kernel = smb_comparison_keep(comparison, reference->kernel);
  row->shape = smb_comparison_keep(comparison, reference->shape);
  row->ipad = reference->ipad;
  if (row->ipad >= 0) {
    g_autofree char *ipad = g_strdup_printf("IPAD=%d", row->ipad);
    row->defines = smb_comparison_defines(comparison, (const char *const[]){ipad, NULL});
    row->variant = row->ipad > 0 ? row->defines[0] : "";
  }
  row->predicted = predict_published(reference->metric, analysis);
  row->measured = reference->value;
  row->gpu = smb_comparison_keep(comparison, reference->gpu);
  row->source = row->place = smb_comparison_keep(comparison, reference->source);
  row->arch = smb_comparison_keep(comparison, smb_arch_info(arch)->name);
  if (reference->metric == SMB_METRIC_TIME_US)
    row->outcome = SMB_OUTCOME_SHOWN;
  else
    row->outcome = row->predicted == row->measured ? SMB_OUTCOME_MATCH : SMB_OUTCOME_MISMATCH;
  row->is_modern = is_modern(reference, arch);
  smb_comparison_take_published(comparison, row);
}

void
smb_comparison_take_published(SmbComparison *comparison, SmbComparisonRow *row) {
  gboolean whole = comparison->shard.of == 0;
  if (whole && row->outcome != SMB_OUTCOME_SHOWN && row->is_modern)
    join_published(comparison, row);
  if (whole && comparison->device && !row->joined)
    smb_comparison_row_free(row);
  else
    smb_comparison_take(comparison, row);
}

gboolean
smb_comparison_add_published(SmbComparison *comparison, const char *kernel, GError **error) {
  g_autoptr(GPtrArray) references = smb_reference_load(error);
  g_autoptr(GPtrArray) catalog = references ? smb_catalog_load(error) : NULL;
  if (!catalog || (kernel && !smb_catalog_find(catalog, kernel, NULL, NULL, error)))
    return FALSE;
  smb_comparison_begin(comparison);
  for (guint i = 0; i < references->len; i++) {
    const SmbReference *reference = g_ptr_array_index(references, i);
    if ((kernel && strcmp(kernel, reference->kernel) != 0) || !smb_comparison_deal(comparison))
      continue;
    g_autoptr(SmbArch) arch =
        smb_arch_load(reference->arch ? reference->arch : SMB_DEFAULT_ARCH, error);
    g_autoptr(SmbAnalysis) analysis = arch ? run_published(catalog, reference, arch, error) : NULL;
    if (!analysis) {
      smb_prefix_error(error, "published.csv:%u: ", reference->line);
      return FALSE;
    }
    add_published(comparison, reference, arch, analysis);
  }
  return TRUE;
}
