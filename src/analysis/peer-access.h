// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses to the shared memory of other blocks of a cluster: which are shown, and in which words.
#pragma once

#include "sim/analysis/analysis.h"

/**
 * smb_peer_accesses_choose:
 * @file, @line: (nullable): of the text; 0: all lines
 *
 * Returns: (transfer full) (element-type SmbPeerAccess): those of the line
 */
GArray *smb_peer_accesses_choose(const SmbProgram *program, const SmbAnalysis *analysis,
                                 const char *file, guint line);

/** smb_peer_access_name: Returns: (transfer full): "ld.shared::cluster.u32 at scan.cu:41, in another block's shared memory" */
char *smb_peer_access_name(const SmbPeerAccess *access);

/** smb_peer_access_packets: Returns: packets of 32 bytes that it sends or gets */
guint smb_peer_access_packets(const SmbPeerAccess *access);

/** smb_peer_access_describe: Returns: (transfer full): which blocks are asked, for what, and what that costs, in sentences */
char *smb_peer_access_describe(const SmbPeerAccess *access);
