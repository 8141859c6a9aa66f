// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The frames of a connection to a process (gpu/inject/protocol.h), as this side reads and answers them.
#pragma once

#include <glib.h>

#include "gpu/inject/payload.h"
#include "sim/capture/launch.h"

/** SmbFrameTaker: does what a frame says. Returns: whether it makes sense */
typedef gboolean (*SmbFrameTaker)(gpointer user, guint64 kind, SmbPayload *payload);

/**
 * smb_frames_read:
 * @in: what was read and is not a whole frame yet
 * @user: for @take
 *
 * Reads what there is, and has all whole frames taken.
 *
 * Returns: whether there may be more: not after the end of the process, nor after nonsense
 */
gboolean smb_frames_read(int fd, GByteArray *in, SmbFrameTaker take, gpointer user);

/** smb_frames_send: Returns: whether a frame was sent; not if @payload has failed */
gboolean smb_frames_send(int fd, guint64 kind, const SmbPayload *payload);

/** smb_frames_bytes: Returns: (transfer full): the next byte string, which stays */
GBytes *smb_frames_bytes(SmbPayload *payload);

/** smb_frames_text: Returns: (transfer full): the next byte string as valid UTF-8 */
char *smb_frames_text(SmbPayload *payload);

/** smb_frames_configuration: fills in @launch: grid, block, cluster, dynamic bytes, whether it is cooperative, and stream */
void smb_frames_configuration(SmbPayload *payload, SmbCaptureLaunch *launch);
