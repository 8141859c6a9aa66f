// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What requests of the shared memory of other blocks of a cluster send to them: packets of 32 bytes, rather than wavefronts of banks.
#pragma once

#include "sim/base/request.h"

G_BEGIN_DECLS

/**
 * SmbPeerPackets:
 * @packets: that are sent
 * @ideal: as few as the same bytes take: of an atomic those of all lanes, else each byte once
 */
typedef struct {
  guint64 packets;
  guint64 ideal;
} SmbPeerPackets;

/**
 * smb_peer_packets:
 * @mask: lanes that ask, for @width bytes each at @addresses, which tell blocks apart
 *
 * Returns: 32-byte sectors of a load; of a store those as well, twice those of which it writes bytes that are not consecutive, since it
 *   then sends which ones they are; of an atomic the most lanes at one word of each sector, added up. So count
 *   l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_ld and …_bytes_mem_dshared of Nsight Compute (an H200, 2026-11-28).
 *   Of a copy in bulk: its bytes
 */
SmbPeerPackets smb_peer_packets(SmbOpClass op_class, SmbLanes mask, guint64 width,
                                const guint64 *addresses);

G_END_DECLS
