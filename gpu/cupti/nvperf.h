// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Metrics by name, for CUPTI's older profiler: what the hardware has to count for them, where the counts
// are stored, and the metrics' values from the counts. NVIDIA's perf host library, which comes with CUPTI,
// knows that; it needs no GPU. It is opened at run time and stays open.
#pragma once

#include <glib.h>

typedef struct _SmbNvperf SmbNvperf;

/**
 * smb_nvperf_new:
 * @cupti: (nullable): CUPTI as it was opened: the library is looked for in its folder first
 * @chip: such as "GH100"
 * @availability: (nullable): which counters the device has; it must outlive what is made
 * @metrics: (array length=n): their names: "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
 * @error: SMB_GPU_ERROR_COUNTERS: also if the chip has no such metric. So in all that follows
 */
SmbNvperf *smb_nvperf_new(gpointer cupti, const char *chip, const guint8 *availability,
                          const char *const *metrics, guint n, GError **error);
void smb_nvperf_free(SmbNvperf *nvperf);

/** What is to be counted, in the form that the hardware takes (transfer full). */
GBytes *smb_nvperf_config(const SmbNvperf *nvperf, GError **error);

/** What is stored of a range, from which CUPTI makes its counter data (transfer full). */
GBytes *smb_nvperf_prefix(const SmbNvperf *nvperf, GError **error);

/**
 * smb_nvperf_evaluate:
 * @data: (array length=size): counter data
 * @range: counted from 0
 * @values: (out caller-allocates): one for each metric
 */
gboolean smb_nvperf_evaluate(const SmbNvperf *nvperf, const guint8 *data, gsize size, guint range,
                             double *values, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbNvperf, smb_nvperf_free)
