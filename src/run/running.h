// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A process of a program that runs without a GPU: what the library in it asks (gpu/driver/protocol.h).
#pragma once

#include "sim/arch/arch.h"
#include "src/capture/application.h"
#include "src/capture/recorder.h"

/**
 * SmbRunning: what all processes share.
 * @recorder: (transfer none): takes the launches
 * @arch: (transfer none): of the device
 * @chip: the device: 90 of sm_90
 * @memory_bytes: most memory that is recorded of a launch
 * @first, @last, @every: which of the launches that match are recorded, in all processes
 * @n_matching: how many there were
 * @skips: whether kernels are not run
 */
typedef struct {
  SmbRecorder *recorder;
  const SmbArch *arch;
  guint chip;
  guint64 memory_bytes;
  guint64 first, last, every;
  guint64 n_matching;
  gboolean skips;
} SmbRunning;

/** Its @user is an SmbRunning. */
extern const SmbListener smb_run_listener;
