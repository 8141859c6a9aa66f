// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Hardware counters over ranges of launches: the interface, which CUPTI's two profilers and the tests
// implement. A session counts some metrics over some ranges of the current CUDA context. It may need
// several passes; in each the caller makes the same launches in the same ranges:
//
//   do {
//     begin_pass
//     for each range { push; launches; pop }
//     end_pass (more)
//   } while (more);
//   for each range { read }
#pragma once

#include <glib.h>

typedef struct _SmbProfilerSession SmbProfilerSession;

/** What one instruction counted: @pc: bytes from the first one of its function. */
typedef struct {
  guint64 pc;
  guint64 value;
} SmbInstructionCount;

/** A launch that is made to be counted: @run makes it, and waits for its end. */
typedef struct {
  gboolean (*run)(gpointer data, GError **error);
  gpointer data;
} SmbProfilerLaunch;

/** A metric of instructions, without a suffix: chips have it under the one name or the other, which may be %NULL. */
typedef struct {
  const char *names[2];
} SmbInstructionMetric;

/**
 * SmbProfiler:
 * @name: how the output calls it: "CUPTI Range Profiler"
 * @open: starts a session: the device (its index), the names of the metrics, and how many ranges a pass
 *   has at most. SMB_GPU_ERROR_COUNTERS if counters are refused or the chip has no such metric,
 *   SMB_GPU_ERROR_NO_PROFILER if this profiler is not there
 * @read: the values of a range, counted from 0 in the order of the pushes, one for each metric
 *
 * @instructions: (nullable): no session: appends to an array of SmbInstructionCount what each instruction of the kernel
 *   @symbol counts in a launch; a process asks for one metric only
 *
 * All functions but @close fail with SMB_GPU_ERROR_COUNTERS.
 */
typedef struct {
  const char *name;
  SmbProfilerSession *(*open)(int device, const char *const *metrics, guint n_metrics,
                              guint max_ranges, GError **error);
  gboolean (*begin_pass)(SmbProfilerSession *session, GError **error);
  gboolean (*push)(SmbProfilerSession *session, const char *range, GError **error);
  gboolean (*pop)(SmbProfilerSession *session, GError **error);
  gboolean (*end_pass)(SmbProfilerSession *session, gboolean *more, GError **error);
  gboolean (*read)(SmbProfilerSession *session, guint range, double *values, GError **error);
  void (*close)(SmbProfilerSession *session);
  gboolean (*instructions)(int device, const SmbInstructionMetric *metric, const char *symbol,
                           const SmbProfilerLaunch *launch, GArray *counts, GError **error);
} SmbProfiler;

/** CUPTI's Range Profiler: CUDA 12.6 and later (transfer none). */
const SmbProfiler *smb_profiler_range(void);

/** CUPTI's older profiler: CUDA 12; deprecated in CUDA 13 (transfer none). */
const SmbProfiler *smb_profiler_legacy(void);
