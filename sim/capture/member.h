// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The members of a capture, which is a tar archive: where each of them is, and what it holds. All that is not whole,
// not expected, too large or there twice is refused or left out, and said so. Private to sim/capture.
#pragma once

#include <glib.h>

typedef struct _SmbCaptureMembers SmbCaptureMembers;

/**
 * smb_capture_members_open:
 * @path: a capture
 * @error: a file error; SMB_ERROR_INPUT: damaged, at which byte, or a member that no capture has
 *
 * Finds the members. For a file that is cut, those that are whole.
 *
 * Returns: (transfer full): constant from then on, for any thread
 */
G_GNUC_INTERNAL SmbCaptureMembers *smb_capture_members_open(const char *path, GError **error);
G_GNUC_INTERNAL void smb_capture_members_free(SmbCaptureMembers *members);

/** smb_capture_members_names: Returns: (transfer container) (element-type utf8): of all of them, sorted */
G_GNUC_INTERNAL GPtrArray *smb_capture_members_names(const SmbCaptureMembers *members);

/** Whether there is one of that name. */
G_GNUC_INTERNAL gboolean smb_capture_members_has(const SmbCaptureMembers *members,
                                                 const char *name);

/**
 * smb_capture_members_read:
 * @max: most bytes
 * @error: SMB_ERROR_INPUT: it is missing, or larger, or damaged; a file error
 *
 * Returns: (transfer full): what it holds, as it is stored
 */
G_GNUC_INTERNAL GBytes *smb_capture_members_read(const SmbCaptureMembers *members, const char *name,
                                                 gsize max, GError **error);

/**
 * smb_capture_members_unpack:
 * @hash: SHA-256 of what it holds when it is decompressed
 * @max: most bytes of that
 * @error: as smb_capture_members_read(), or it holds something else
 *
 * Returns: (transfer full): what a compressed member holds
 */
G_GNUC_INTERNAL GBytes *smb_capture_members_unpack(const SmbCaptureMembers *members,
                                                   const char *name, const char *hash, gsize max,
                                                   GError **error);

/** The names of an image, of a piece of memory, of a launch (transfer full). */
G_GNUC_INTERNAL char *smb_capture_members_image_name(const char *hash);
G_GNUC_INTERNAL char *smb_capture_members_memory_name(const char *hash);
G_GNUC_INTERNAL char *smb_capture_members_launch_name(guint64 number);

/** The number of the launch that has that name; 0: it is the name of something else. */
G_GNUC_INTERNAL guint64 smb_capture_members_launch_number(const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCaptureMembers, smb_capture_members_free)
