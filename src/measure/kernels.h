// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which kernels are measured: the one that a user names, or those of the catalogue in every shape and
// padding.
#pragma once

#include "src/measure/measure.h"

/**
 * smb_measure_target:
 * @options: as the user typed them
 * @file: (nullable): the argument FILE
 * @recording: takes what the device says
 * @error: as smb_target_new() and smb_measure_kernel()
 */
gboolean smb_measure_target(SmbMeter *meter, const SmbTargetOptions *options, const char *file,
                            SmbArch *arch, SmbRecording *recording, GError **error);

/**
 * smb_measure_catalog:
 * @kernel: (nullable): only this kernel
 * @recording: takes what the device says
 * @progress: (nullable): counts launches
 * @error: as smb_catalog_load(), smb_catalog_find() and smb_measure_kernel()
 *
 * Measures the built-in kernels: each in all its shapes, and where it has padding (the macro IPAD) with 0,
 * 1 and 2 elements of it.
 */
gboolean smb_measure_catalog(SmbMeter *meter, const char *kernel, SmbArch *arch,
                             SmbRecording *recording, SmbProgress *progress, GError **error);
