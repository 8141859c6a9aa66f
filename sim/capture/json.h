// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The JSON in a capture, read strictly: a member that is not known is refused, and so is a value of another type.
#pragma once

#include "sim/capture/launch.h"

/** The name of the header and of the end in the file; that of a launch has its number. */
#define SMB_CAPTURE_HEADER_NAME "smembank-capture.json"
#define SMB_CAPTURE_END_NAME    "end.json"

/**
 * smb_capture_header_from_json:
 * @name: what messages call the text
 * @error: SMB_ERROR_INPUT, with the place; of another format or version
 *
 * Returns: (transfer full): what it says. The same for a launch, which is checked (smb_capture_launch_check()), and of
 * the end
 */
G_GNUC_INTERNAL SmbCaptureHeader *smb_capture_header_from_json(const char *name, GBytes *json,
                                                               GError **error);
G_GNUC_INTERNAL SmbCaptureLaunch *smb_capture_launch_from_json(const char *name, GBytes *json,
                                                               GError **error);
G_GNUC_INTERNAL SmbCaptureEnd *smb_capture_end_from_json(const char *name, GBytes *json,
                                                         GError **error);

/** smb_capture_header_to_json: Returns: (transfer full): the text; the same for a launch and for the end */
G_GNUC_INTERNAL GString *smb_capture_header_to_json(const SmbCaptureHeader *header);
G_GNUC_INTERNAL GString *smb_capture_launch_to_json(const SmbCaptureLaunch *launch);
G_GNUC_INTERNAL GString *smb_capture_end_to_json(const SmbCaptureEnd *end);
