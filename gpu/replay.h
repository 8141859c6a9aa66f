// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of another process, on the device: what a captured launch finds after its pointers. The driver gives no
// memory at addresses that are asked for, so that allocations lie elsewhere here, and addresses in parameters and in
// memory are moved with them: each number of 8 bytes, at a multiple of 8, that is an address in one of the allocations.
#pragma once

#include "gpu/device-memory.h"

typedef struct _SmbReplay SmbReplay;

SmbReplay *smb_replay_new(const SmbCuda *cuda);
void smb_replay_free(SmbReplay *replay);

/**
 * smb_replay_add:
 * @address: that the process had it at
 * @bytes: (transfer none): what it held
 * @function: with the variable, if it is one
 * @variable: (nullable): the variable of the image that it is; %NULL: an allocation
 */
gboolean smb_replay_add(SmbReplay *replay, guint64 address, GBytes *bytes,
                        SmbCudaFunction *function, const char *variable, GError **error);

/**
 * smb_replay_move: Returns: (transfer full): @bytes, with the addresses in them moved. To be called when all were added
 */
GBytes *smb_replay_move(const SmbReplay *replay, GBytes *bytes);

/** Puts into all of them what they held, with the addresses in it moved. */
gboolean smb_replay_upload(const SmbReplay *replay, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbReplay, smb_replay_free)
