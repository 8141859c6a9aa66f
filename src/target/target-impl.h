// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How a target is made, for the files that make one.
#pragma once

#include "src/target/target.h"

/** smb_target_begin: Returns: (transfer full): a launch of one thread, with the options that hold for any target */
SmbTarget *smb_target_begin(const SmbTargetOptions *options, GError **error);

/** Notes the files that the target is made of, as far as the options, and what was read of @source, say. */
void smb_target_note_files(const SmbTarget *target, const SmbSource *source);

/** Reads the kernel, of @source, and completes the launch. */
gboolean smb_target_finish(SmbTarget *target, SmbSource *source, const SmbArch *arch,
                           SmbProgress *progress, GError **error);

/**
 * smb_target_read_block:
 * @block: (inout): set if --block is of numbers
 * @expression: (out) (nullable) (transfer full): --block, if it is an expression
 * @error: SMB_ERROR_USAGE: numbers that no block has
 */
gboolean smb_target_read_block(const SmbTargetOptions *options, guint block[3], char **expression,
                               GError **error);

/** The same for --block, --grid and --cluster, into the launch of @target, and SmbTarget.extents. */
gboolean smb_target_parse_extents(const SmbTargetOptions *options, SmbTarget *target,
                                  GError **error);

/**
 * smb_target_settle_numbers:
 * @source: the kernel, before it is read
 * @reading: how it will be
 * @error: SMB_ERROR_USAGE
 *
 * Makes numbers of the expressions in SmbTarget.extents and SmbTarget.args.
 *
 * Returns: (transfer full) (element-type utf8): the expressions, of which macros count for something
 */
GPtrArray *smb_target_settle_numbers(SmbTarget *target, SmbSource *source,
                                     const SmbProgramOptions *reading, GError **error);

/** smb_target_settle_bytes: makes the number of SmbTarget.dynamic_bytes, of a kernel that was read from @source, or of one that
 * is to be compiled */
gboolean smb_target_settle_bytes(SmbTarget *target, SmbSource *source,
                                 const SmbProgramOptions *reading, const SmbArch *arch,
                                 GError **error);
