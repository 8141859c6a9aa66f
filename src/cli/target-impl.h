// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How a target is made, for the files that make one.
#pragma once

#include "src/cli/target.h"

/** smb_target_begin: Returns: (transfer full): a launch of one thread, with the options that hold for any target */
SmbTarget *smb_target_begin(const SmbTargetOptions *options, GError **error);

/** Notes the files that the target is made of, as far as the options, and what was read of @source, say. */
void smb_target_note_files(const SmbTarget *target, const SmbSource *source);

/** Reads the kernel, of @source, and completes the launch. */
gboolean smb_target_finish(SmbTarget *target, SmbSource *source, const SmbArch *arch,
                           SmbProgress *progress, GError **error);
