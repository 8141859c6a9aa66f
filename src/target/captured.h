// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch of a capture as a target: --launch, --worst.
#pragma once

#include "src/target/target.h"

/** Whether FILE is a capture, or the options ask for a launch of one. */
gboolean smb_captured_is_asked(const SmbTargetOptions *options, const char *file);

/** Whether FILE is a capture of which the options choose no launch. */
gboolean smb_captured_is_whole(const SmbTargetOptions *options, const char *file);

/**
 * smb_captured_settle:
 * @options: (inout): takes the launch that is meant; a message names that of --worst
 * @file: (nullable): the argument FILE
 * @capture: (out) (nullable) (transfer full): FILE, which has the launch
 * @error: SMB_ERROR_USAGE: what is asked for is not one launch of a capture; as smb_capture_open()
 *
 * What a command does before it makes a target: the architecture of @cli becomes the one that was captured on, unless one was
 * given. Does nothing if nothing is captured.
 */
gboolean smb_captured_settle(SmbCli *cli, SmbTargetOptions *options, const char *file,
                             SmbCapture **capture, GError **error);

/** smb_captured_open_file: as smb_capture_open(), of FILE, which is called as @options say */
SmbCapture *smb_captured_open_file(const SmbTargetOptions *options, const char *file,
                                   GError **error);

/** smb_captured_check: whether no option is given that a launch of a capture has from its capture */
gboolean smb_captured_check(const SmbTargetOptions *options, GError **error);

/** smb_captured_open: as smb_target_new(), of the launch that --launch chooses of the capture @file */
SmbTarget *smb_captured_open(const SmbTargetOptions *options, const char *file, const SmbArch *arch,
                             SmbProgress *progress, GError **error);

/** smb_captured_target: Returns: (transfer full): the launch as a target */
SmbTarget *smb_captured_target(const SmbTargetOptions *options, SmbCapture *capture,
                               const SmbCaptureLaunch *launch, const SmbArch *arch,
                               SmbProgress *progress, GError **error);

/** smb_captured_arch: Returns: (transfer full): the architecture that a launch is counted for: the one that was given, or the one
 * that it was captured on */
SmbArch *smb_captured_arch(const SmbCli *cli, const SmbCaptureLaunch *launch, GError **error);

/** Adds what keeps a replay of @launch from being the same to @notes (element-type utf8, owned): texts without an end. */
void smb_captured_note(const SmbCaptureLaunch *launch, GPtrArray *notes);

/** Writes them, of the launch of a target. */
void smb_captured_write_notes(const SmbTarget *target, SmbSpool *messages);

/** Says that a capture ends early, if it does. */
void smb_captured_write_end(const SmbCapture *capture, SmbSpool *messages);
