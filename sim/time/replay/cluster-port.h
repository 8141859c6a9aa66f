// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What requests of the shared memory of other blocks of a cluster send through the port of a multiprocessor.
#pragma once

#include "sim/base/request.h"
#include "sim/machine/access/lanes.h"

G_BEGIN_DECLS

/**
 * smb_cluster_port_count:
 * @mask: lanes that ask, for @width bytes each at @addresses, which tell blocks apart
 *
 * Returns: 32-byte sectors of a load; of a store those as well, twice those of which it writes bytes that are not consecutive, since the
 *   port then sends which ones they are; of an atomic the most lanes at one word of each sector, added up. So count
 *   l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_ld and …_bytes_mem_dshared of Nsight Compute (an H200, 2026-11-28)
 */
guint smb_cluster_port_count(SmbOpClass op_class, SmbLanes mask, guint width,
                             const guint64 *addresses);

G_END_DECLS
