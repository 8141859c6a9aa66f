// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What CUPTI's two profilers share: the library, its results as errors, what it says about a device, and how a
// session is opened and closed. The library stays open.
#pragma once

#include "gpu/profiler.h"
#include "gpu/symbols.h"

/** A function of CUPTI: takes a pointer to its parameters and returns a CUptiResult. */
typedef int (*SmbCuptiFunction)(void *parameters);

typedef struct _SmbCuptiInterface SmbCuptiInterface;

/**
 * SmbCupti: what the session of any profiler begins with.
 * @handle: the library; the functions that any profiler needs follow
 * @max_ranges: ranges of a pass, at most
 * @availability: which counters the context has, as an image that metrics are chosen by
 * @config: what is to be counted, in the form that the hardware takes
 * @data: where the counters are stored, of @data_size bytes
 */
typedef struct {
  const SmbCuptiInterface *interface;
  gpointer handle;
  SmbCuptiFunction initialize, chip_name, counter_availability;
  int (*result_text)(int result, const char **text);
  guint max_ranges;
  guint8 *availability;
  GBytes *config;
  guint8 *data;
  gsize data_size;
} SmbCupti;

/**
 * SmbCuptiInterface: one profiler.
 * @name: the interface: "Range Profiler"
 * @toolkit: which toolkit has it: "CUDA 12.6 or later has it"
 * @symbols: its functions, at offsets into its session
 * @session_size: of its SmbProfilerSession, which begins with an SmbCupti, in bytes
 * @plan: makes SmbCupti.config for metrics of a chip
 * @prepare: makes SmbCupti.data, and sets the device up to count
 * @end: ends what @plan and @prepare began, as far as they came, and releases what the session has beside its
 *   SmbCupti
 */
struct _SmbCuptiInterface {
  const char *name;
  const char *toolkit;
  const SmbSymbol *symbols;
  guint n_symbols;
  gsize session_size;
  gboolean (*plan)(SmbProfilerSession *session, const char *chip, const char *const *metrics,
                   guint n_metrics, GError **error);
  gboolean (*prepare)(SmbProfilerSession *session, GError **error);
  void (*end)(SmbProfilerSession *session);
};

/** smb_cupti_open: SmbProfiler.open of an interface */
SmbProfilerSession *smb_cupti_open(const SmbCuptiInterface *interface, int device,
                                   const char *const *metrics, guint n_metrics, guint max_ranges,
                                   GError **error);

/** smb_cupti_start: opens the library for the interface of @cupti. Returns: (transfer none): the chip of a device */
const char *smb_cupti_start(SmbCupti *cupti, int device, GError **error);

/** smb_cupti_count_instructions: SmbProfiler.instructions of both, by CUPTI's SASS metrics */
gboolean smb_cupti_count_instructions(int device, const SmbInstructionMetric *metric,
                                      const char *symbol, const SmbProfilerLaunch *launch,
                                      GArray *counts, GError **error);

/** smb_cupti_close: SmbProfiler.close of any */
void smb_cupti_close(SmbProfilerSession *session);

/**
 * smb_cupti_check:
 * @session: whose library returned @result
 * @result: what a function of CUPTI returned
 * @what: what was tried: "end a pass"
 * @error: SMB_GPU_ERROR_COUNTERS
 *
 * Returns: whether the function succeeded
 */
gboolean smb_cupti_check(const SmbProfilerSession *session, int result, const char *what,
                         GError **error);

/** smb_cupti_check_dropped: Returns: whether no range, and no byte of what was collected, was dropped */
gboolean smb_cupti_check_dropped(gsize ranges, gsize bytes, GError **error);
