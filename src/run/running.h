// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A process of a program that runs without a GPU: what the library in it asks (gpu/driver/protocol.h).
#pragma once

#include "sim/arch/arch.h"
#include "src/run/checked.h"
#include "src/run/prediction.h"
#include "src/capture/application.h"
#include "src/capture/recorder.h"
#include "src/cli/watch.h"
#include "src/target/ranking.h"

/**
 * SmbRunning: what all processes share.
 * @ranking: (nullable) (transfer none): takes the launches that are wanted, with their counts; %NULL: nothing is counted
 * @predictions: (nullable) (transfer none): takes how long they take; with @ranking
 * @recorder: (nullable) (transfer none): takes the same launches, with their memory
 * @arch: (transfer none): of the device
 * @counts_as: (nullable) (transfer none): what launches are counted for; %NULL: what their code is for
 * @chip: the device: 90 of sm_90
 * @device_bytes: of its memory
 * @memory_bytes: most memory that is recorded of a launch
 * @kernel: (nullable): which kernels are wanted; %NULL: all
 * @first, @last, @every: which of the launches that match are wanted, in all processes
 * @n_matching: how many there were
 * @n_launches: and of all kernels
 * @matching: (element-type gpointer): what is known of symbols: whether @kernel matches
 * @only_firsts: whether @recorder takes a launch only if none before had the same kernel, shape and parameters
 * @firsts: with it: what these were
 * @skips: whether kernels are not run
 * @skips_unknown: SmbEngineOptions.skips_unknown
 * @threads: that run the blocks of a launch; 0: one for each processor
 * @checked: (nullable) (transfer none): takes what the program does wrong
 * @stage: (nullable): the application
 * @watch: (nullable): shows how far a kernel is
 */
typedef struct {
  SmbRanking *ranking;
  SmbPredictions *predictions;
  SmbRecorder *recorder;
  const SmbArch *arch;
  const SmbArch *counts_as;
  guint chip;
  guint64 device_bytes;
  guint64 memory_bytes;
  GRegex *kernel;
  guint64 first, last, every;
  guint64 n_matching, n_launches;
  GHashTable *matching;
  gboolean only_firsts;
  GHashTable *firsts;
  gboolean skips;
  gboolean skips_unknown;
  guint threads;
  SmbChecked *checked;
  SmbStage *stage;
  SmbWatch *watch;
} SmbRunning;

/** Its @user is an SmbRunning. */
extern const SmbListener smb_run_listener;
