// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Single warp requests on the device: each is issued over and over, and counted by hardware counters or
// timed by the clock (gpu/probe.cu). What one instruction needs is compiled once.
#pragma once

#include "gpu/cuda.h"
#include "gpu/instruction.h"

/** A request as gpu/probe.cu reads it from the device's memory: a warp of 32 lanes. */
typedef struct {
  guint32 offset[SMB_NVIDIA_LANES];
  guint32 mask;
  guint32 unused;
} SmbProbeRequest;

typedef struct _SmbProbe SmbProbe;

/**
 * SmbProbeDevice: where probes run. The device is bound.
 * @cuda: the functions of the machine
 * @device: index of the device
 * @architecture: for the compiler: "sm_90"
 * @multiprocessors: their number
 * @shared_bytes: most shared memory of a block
 */
typedef struct {
  const SmbCuda *cuda;
  int device;
  const char *architecture;
  guint multiprocessors;
  gsize shared_bytes;
} SmbProbeDevice;

/**
 * smb_probe_new:
 * @device: is copied; what it points at must outlive the probe
 * @text: what issues the instruction, see SmbInstruction
 * @whole_warp: whether all lanes take part
 * @error: SMB_GPU_ERROR_COMPILE, SMB_GPU_ERROR_LAUNCH
 */
SmbProbe *smb_probe_new(const SmbProbeDevice *device, const char *text, gboolean whole_warp,
                        GError **error);
void smb_probe_free(SmbProbe *probe);

/** Requests of a warp in one counted launch: a count is a whole number times this. */
#define SMB_PROBE_COUNTED 64

/** Most requests of one call of smb_probe_count(). */
#define SMB_PROBE_MAX_RANGES 1024

/**
 * smb_probe_clock:
 * @requests: (array length=n): of one instruction, each within the shared memory of a block
 * @cycles: (array length=n) (out caller-allocates): clock cycles of each under saturation
 * @error: SMB_GPU_ERROR_LAUNCH
 *
 * 16 warps of one block on each multiprocessor issue each request 256 times. What comes out lies up
 * to 0.3 above a whole number (measured on an H200): the way in and out of the loop.
 */
gboolean smb_probe_clock(SmbProbe *probe, const SmbRequest *requests, gsize n, double *cycles,
                         GError **error);

/**
 * smb_probe_count:
 * @profiler: how counters are read
 * @metrics: (array length=n_metrics): what is counted
 * @requests: (array length=n): at most %SMB_PROBE_MAX_RANGES
 * @values: (array) (out caller-allocates): @n_metrics values for each request in turn, for one
 *   execution of it
 * @error: SMB_GPU_ERROR_LAUNCH, SMB_GPU_ERROR_COUNTERS
 */
gboolean smb_probe_count(SmbProbe *probe, const SmbProfiler *profiler, const char *const *metrics,
                         guint n_metrics, const SmbRequest *requests, gsize n, double *values,
                         GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbProbe, smb_probe_free)
