// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the jobs of a worker share. Private to gpu/worker*.c.
#pragma once

#include "gpu/device.h"
#include "gpu/probe.h"
#include "sim/records/metric.h"

/**
 * SmbWorker:
 * @device: (nullable): the device of this process; nothing is measured before it is known
 * @architecture: of it, for the compiler
 * @profiler: (nullable): how counters are read; %NULL if they are refused
 * @refusal: (nullable): why
 * @counters: by SmbMetric: the hardware metric that is read for it, or %NULL
 * @counters_known: whether @counters was looked up
 * @probes: by index of smb_instruction(): those compiled so far
 */
typedef struct {
  const SmbCuda *cuda;
  SmbGpuInventory *inventory;
  const SmbGpuDevice *device;
  char *architecture;
  const SmbProfiler *profiler;
  char *refusal;
  const char *counters[SMB_N_METRICS];
  gboolean counters_known;
  SmbProbe **probes;
} SmbWorker;

/** What counts single requests: all shared wavefronts, of whatever instruction. */
#define SMB_REQUEST_COUNTER "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"

/** smb_worker_kernel: Returns: whether the kernel of @job was measured, as entries of @result */
gboolean smb_worker_kernel(SmbWorker *worker, GVariant *job, GVariantDict *result, GError **error);
