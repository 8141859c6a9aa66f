// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which of the launches that Nsight Compute measured is one of a target.
#pragma once

#include "sim/measured/kernel-metrics.h"
#include "sim/measured/profile.h"
#include "src/target/target.h"

/**
 * smb_target_find_profile:
 * @target: a kernel of machine code
 * @file: how messages call @profile
 * @number: which of its launches of this kernel, from 1; 0: the only one, or all have the same counts
 * @error: SMB_ERROR_INPUT: it has no launch of this kernel, or one of other code; SMB_ERROR_USAGE: no machine code, a number
 *   beyond them, none where they differ
 *
 * Returns: (transfer none): the launch, whose instructions are those of the kernel
 */
const SmbProfileLaunch *smb_target_find_profile(const SmbTarget *target, const SmbProfile *profile,
                                                const char *file, guint number, GError **error);

/** smb_target_is_measured: Returns: whether @kernel, as ncu writes it, is the kernel of @target, by its name, plain or mangled */
gboolean smb_target_is_measured(const SmbTarget *target, const char *kernel);

/**
 * smb_target_find_metrics:
 * @target: a kernel; its block and grid, if they were not given, become those that were measured
 * @file: how messages call @metrics
 * @number: which of its launches of this kernel, from 1; 0: the only one, or all have the same counts
 * @error: SMB_ERROR_INPUT: it has no launch of this kernel; SMB_ERROR_USAGE: a number beyond them, none where they differ, or
 *   another launch than that of @target
 *
 * Returns: (transfer none): what was measured of the kernel
 */
const SmbMeasuredLaunch *smb_target_find_metrics(SmbTarget *target, const SmbKernelMetrics *metrics,
                                                 const char *file, guint number, GError **error);

/** (transfer full): "LDS.128" of "@!P0 LDS.128 R4, [R2]", as ncu and smembank write it. */
char *smb_profile_opcode(const char *text);
