// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// When each lane of a request is served: the passes of its lane groups, one after the other. A lane is
// served whole: the banks of a wide access wait for each other's lanes in the same way. Hardware may take
// the passes in another order; their number is what sim/count/wavefront counts. Slow and complete, as
// sim/count/conflict.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/count/conflict.h"
#include "sim/base/request.h"

G_BEGIN_DECLS

/**
 * SmbPasses:
 * @n: passes of all lane groups together, at most one for each lane of a warp; of a loop, its rounds; 0 where the
 *   request goes elsewhere (SmbPlan.passes is 0) or no lane is active
 * @wavefronts: wavefronts of each pass: 1, or more (two for cas); 0 for a loop, whose rounds differ
 * @lanes: the lanes that each pass serves; every active lane is served once, unless its 12 bytes are words that
 *   wait apart; none in the pass of an empty group that counts
 * @group: the lane group of each pass; of a loop, 0: the warp
 * @of_lane: the pass of each active lane, the last one of several
 * @is_copy: the request says where it copies from, and is served by that (smb_request_copy()): a bank's lanes need not
 *   be what its lanes wait for
 */
typedef struct {
  guint n;
  guint wavefronts;
  SmbLanes lanes[SMB_MAX_LANES];
  guint8 group[SMB_MAX_LANES];
  guint8 of_lane[SMB_MAX_LANES];
  gboolean is_copy;
} SmbPasses;

/**
 * smb_request_passes:
 * @arch: an architecture
 * @request: a request that passed its checks
 *
 * Unless it is a loop, @n times @wavefronts of the result is what smb_wavefronts_count() counts.
 *
 * Returns: which lanes each pass serves
 */
SmbPasses smb_request_passes(const SmbArch *arch, const SmbRequest *request);

/**
 * smb_passes_of_bank:
 * @uses: (array length=n): the words of one bank of one lane group, as smb_request_words() has them
 *
 * Returns: how many passes of the group serve them; of a loop, rounds; 0 if the request has no passes
 */
guint smb_passes_of_bank(const SmbPasses *passes, const SmbPlan *plan, const SmbWordUse *uses,
                         guint n);

G_END_DECLS
