// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Wavefronts of a request of shared memory by the rules of doc/model.md, written a second time: NVIDIA's chips from compute capability
// 5.0 on, and AMD's. Not: copies, atomics that are loops, older chips.
#pragma once

#include <glib.h>

enum {
  SMB_RECOUNT_LANES = 64,
  SMB_RECOUNT_MASKS = 3,
  SMB_RECOUNT_GROUPS = 1 << SMB_RECOUNT_MASKS,
};

/**
 * SmbRecountRule: how a chip serves an operation of a width
 * @access: (nullable): "load", "store" or "atomic"; %NULL: the rule is not known
 * @lanes: of a warp
 * @givers: lanes that give an address, from lane 0 on: fewer for matrices
 * @banks: of 4 bytes
 * @group: (array): lanes of one group have equal parities of (lane & mask) for each; 0: no more masks
 * @merges: whether a request has the groups @merged if each active lane has the address of its neighbour
 * @waits_for_lanes: whether any two lanes in a bank conflict, also on the same word
 * @pays_all: whether a group without an active lane takes a wavefront, too
 * @passes: wavefronts of one group for each time that it is served
 */
typedef struct {
  const char *access;
  guint lanes;
  guint givers;
  guint banks;
  guint8 group[SMB_RECOUNT_MASKS];
  gboolean merges;
  guint8 merged[SMB_RECOUNT_MASKS];
  gboolean waits_for_lanes;
  gboolean pays_all;
  guint passes;
} SmbRecountRule;

/**
 * smb_recount_rule:
 * @chip: (nullable), such as "sm_90" or "gfx942"
 * @op: (nullable), such as "ldmatrix.x4" (doc/smembank-trace.1)
 * @width: in bytes
 *
 * Returns: its rule; one without @access if it is not known
 */
SmbRecountRule smb_recount_rule(const char *chip, const char *op, guint width);

/** smb_recount_knows: Returns: whether rules of this chip are known; @chip: (nullable) */
gboolean smb_recount_knows(const char *chip);

/**
 * smb_recount_groups:
 * @groups: (out) (array length=SMB_RECOUNT_GROUPS): lanes of a warp that are served together, active or not, for this request
 *
 * Returns: their number
 */
guint smb_recount_groups(const SmbRecountRule *rule, guint64 mask, const guint64 *address,
                         guint64 *groups);

/** SmbRecount: @wavefronts, @ideal: what they would be without conflicts; @degree: the most words that one bank is asked for at once */
typedef struct {
  guint wavefronts;
  guint ideal;
  guint degree;
} SmbRecount;

/**
 * smb_recount:
 * @mask: active lanes, of those that give an address
 * @address: (array length=SMB_RECOUNT_LANES): in bytes, aligned to @width; of 12 bytes to 4
 *
 * Returns: what a request takes
 */
SmbRecount smb_recount(const SmbRecountRule *rule, guint width, guint64 mask,
                       const guint64 *address);
