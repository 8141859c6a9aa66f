// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a launch gains if one site alone has no conflicts: it is replayed once for each of them.
#pragma once

#include "sim/time/grid/lot-replay.h"

G_BEGIN_DECLS

/** SmbSiteTime: what the conflicts of a site of a program cost: @cycles that the launch takes less without them */
typedef struct {
  guint site;
  double cycles;
} SmbSiteTime;

/**
 * smb_site_costs:
 * @launch: as smb_lot_replay() takes it
 * @n_sites: numbers that sites may have
 * @n_threads: that replay at the same time, at most
 * @sites: (inout) (element-type SmbSiteTime): sites with conflicts, whose @cycles are found
 *
 * The more sites, the less of the launch is replayed for each.
 */
void smb_site_costs(const SmbReplay *launch, const SmbLot *lot, guint n_sites, guint n_threads,
                    GArray *sites);

G_END_DECLS
