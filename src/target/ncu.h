// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Files of Nsight Compute: the tables of its page 'source', what 'ncu --metrics …' writes, and reports, which ncu itself has to
// read.
#pragma once

#include "sim/measured/kernel-metrics.h"
#include "sim/measured/profile.h"
#include "src/cli/cli.h"

/**
 * SmbNcuFile:
 * @name: how messages call the file
 * @profile: (nullable): instruction by instruction
 * @metrics: (nullable): kernel by kernel, if it is not that
 */
typedef struct {
  char *name;
  SmbProfile *profile;
  SmbKernelMetrics *metrics;
} SmbNcuFile;

/** Whether a file is a report of Nsight Compute (.ncu-rep): by its first bytes. */
gboolean smb_ncu_is_report(const char *path);

/**
 * smb_ncu_open:
 * @path: the file; "-": standard input
 * @error: SMB_ERROR_INPUT: neither, broken, or a report that no ncu reads; a file error
 *
 * The format is detected from the contents. A report is given to the ncu in $PATH, $CUDA_HOME or /usr/local/cuda.
 *
 * Returns: (transfer full): what it holds
 */
SmbNcuFile *smb_ncu_open(const char *path, GError **error);
void smb_ncu_file_free(SmbNcuFile *file);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbNcuFile, smb_ncu_file_free)
