// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measuring, as commands see it: the options for it, the meter that they ask for, and what it has
// measured as a recording: of the kernel that a user names, or of those of the catalogue.
#pragma once

#include "gpu/meter.h"
#include "src/shard/shard.h"
#include "src/target/target.h"

/** The options as the user typed them; %NULL where nothing was. */
typedef struct {
  char *device;
  char *timeout;
} SmbMeasureOptions;

/** The options of a command that measures, for SmbCliUsage.groups. */
extern const SmbCliGroup smb_measure_group;

/** smb_measure_options: Returns: (transfer none): what was typed, after smb_cli_parse() */
const SmbMeasureOptions *smb_measure_options(void);

/**
 * smb_measure_open:
 * @error: SMB_ERROR_USAGE; SMB_GPU_ERROR_UNAVAILABLE if the device cannot be used
 *
 * Returns: (transfer full): a meter on the device that the options name
 */
SmbMeter *smb_measure_open(const SmbMeasureOptions *options, GError **error);

/**
 * smb_measure_open_for:
 * @launch: (nullable): the launch that is to be measured; %NULL if only its file is known yet
 * @file: (nullable): the argument FILE
 * @arch: whose rules the launch is read by
 * @error: as smb_measure_open(); without a device, what is wrong with the launch comes first
 *
 * Returns: (transfer full): as smb_measure_open()
 */
SmbMeter *smb_measure_open_for(const SmbMeasureOptions *options, const SmbTargetOptions *launch,
                               const char *file, const SmbArch *arch, GError **error);

/** smb_measure_arch: Returns: (transfer full): the architecture of the meter's device; an unknown one is
 * an SMB_GPU_ERROR_UNAVAILABLE that says which are known */
SmbArch *smb_measure_arch(const SmbMeter *meter, GError **error);

/** smb_measure_recording: Returns: (transfer full): a recording of this device, date and program, in
 * which nothing is measured yet */
SmbRecording *smb_measure_recording(const SmbMeter *meter, const SmbArch *arch);

/** Writes into a recording which hardware metrics the meter read for its kernels. */
void smb_measure_note_counters(const SmbMeter *meter, SmbRecording *recording);

/**
 * smb_measure_kernel:
 * @warnings: (nullable): takes what is suspicious in the kernel: races, which may leave other values
 * @error: SMB_GPU_ERROR_UNAVAILABLE, or that of smb_analysis_run(); that this kernel cannot be measured is
 *   no error: the result tells it
 *
 * Runs a kernel on the device and in the model.
 *
 * Returns: (transfer full): what the device says
 */
SmbRecordedKernel *smb_measure_kernel(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch,
                                      SmbSpool *warnings, GError **error);

/** SmbMeasureModel: what the model says of a launch. @global: what it leaves in global memory */
typedef struct {
  SmbAnalysis *analysis;
  SmbGlobal *global;
} SmbMeasureModel;

void smb_measure_model_clear(SmbMeasureModel *model);

/**
 * smb_measure_target:
 * @recording: takes what the device says
 * @model: (out) (optional): what the model says; @target is to outlive it
 * @warnings, @error: as smb_measure_kernel()
 */
gboolean smb_measure_target(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch,
                            SmbRecording *recording, SmbMeasureModel *model, SmbSpool *warnings,
                            GError **error);

/**
 * smb_measure_catalog:
 * @kernel: (nullable): only this kernel
 * @shard: which part of the launches is measured: they are dealt out one by one
 * @recording: takes what the device says
 * @progress: (nullable): counts launches
 * @error: as smb_catalog_load(), smb_catalog_find() and smb_measure_kernel()
 *
 * Measures the built-in kernels: each in all its shapes, and where it has padding (the macro IPAD) with 0,
 * 1 and 2 elements of it.
 */
gboolean smb_measure_catalog(SmbMeter *meter, const char *kernel, const SmbShard *shard,
                             SmbArch *arch, SmbRecording *recording, SmbProgress *progress,
                             GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbMeasureModel, smb_measure_model_clear)
