// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rule by which an architecture serves one operation in one width: its lane groups, the banks that
// addresses fall into, and what a conflict is. Rules are data of an architecture (sim/arch/arch.h) and were validated
// when it was read.
#pragma once

#include <glib.h>

#include "sim/arch/arch.h"

G_BEGIN_DECLS

/** What makes two lanes of one lane group, in one bank, wait for each other. */
typedef enum {
  SMB_CONFLICT_WORDS,     /* different words; lanes on one word share it (broadcast) */
  SMB_CONFLICT_LANES,     /* any two lanes, also on the same word (atomics) */
  SMB_CONFLICT_ADDRESSES, /* different addresses, also within one word */
  SMB_CONFLICT_ONE_BROADCAST, /* any two lanes, but each wavefront broadcasts one word to all its lanes */
  SMB_CONFLICT_LOOP, /* rounds of a load and a swap, which lets one lane of each bank through (SmbLoop) */
} SmbConflict;

/** Most banks of shared memory (gfx950 has 64). */
#define SMB_MAX_BANKS 64

/** Most masks that split a warp into lane groups, and most groups. */
#define SMB_MAX_GROUP_MASKS 4
#define SMB_MAX_GROUPS      (1 << SMB_MAX_GROUP_MASKS)

/** A set of banks: bit i is bank i. */
typedef guint64 SmbBanks;

/**
 * SmbPlan: how one kind of request is counted
 * @lanes: lanes whose addresses count
 * @n_groups: lane groups, which are served one after the other
 * @n_masks: number of @masks; @n_groups is 2 to the power of it
 * @masks: a lane group is the set of lanes with equal parities of (lane & mask) for each of them: 0x10 makes the
 *   half-warps of 32 lanes, 0x10 and 0x08 the quarters
 * @groups: (array length=n_groups): the lanes of each group; groups are numbered by their lowest lane
 * @counts_empty: whether a group without an active lane costs as much as one without conflicts
 * @banks: 1, 2, 4, … or 64
 * @bank_bytes: bytes of a word, of which successive ones lie in successive banks
 * @unit_bytes: bytes that a lane accesses at once: a word, or for wider accesses words of neighbouring banks; a power
 *   of two, or 12
 * @row_shift: log2 bytes of one row across all banks; words of one bank and row are served together
 * @conflict: an SmbConflict
 * @source_lines: whether a copy that says where its bytes come from is counted by both sides, of
 *   cp.async.cg by the lines of its source (SmbRequest.source), whatever the lane groups
 * @passes: wavefronts that each pass of a group costs (2: compare-and-swap; 0: it goes elsewhere); of a loop: that
 *   each swap of a group costs
 * @floor: fewest cycles under saturation, whatever the wavefronts
 * @cycles: cycles of one wavefront
 * @vendor: SmbVendor, whose words describe it
 * @narrow: 32 lanes in at most four groups of neighbours, a unit that is a power of two, rows of at least 64 bytes,
 *   at most 32 banks for all groups together: what the fast counters know
 * @unit_shift, @bank_bits, @group_shift: of narrow plans, log2 of @unit_bytes, of the units that all banks together
 *   hold, and of the lanes of a group
 */
struct _SmbPlan {
  SmbLanes lanes;
  guint8 n_groups;
  guint8 n_masks;
  guint8 masks[SMB_MAX_GROUP_MASKS];
  guint8 counts_empty;
  guint8 banks;
  guint8 bank_bytes;
  guint16 unit_bytes;
  guint8 row_shift;
  guint8 conflict;
  guint8 source_lines;
  guint8 passes;
  guint8 floor;
  guint8 cycles;
  guint8 narrow;
  guint8 unit_shift;
  guint8 bank_bits;
  guint8 group_shift;
  guint8 vendor;
  SmbLanes groups[SMB_MAX_GROUPS];
};

/**
 * SmbRule: the rule for one operation and width; strings are owned by the architecture.
 * @defined: whether the architecture has the operation in this width
 * @narrow: whether the fast counters know it: its plans are narrow, and it is not a loop
 * @merges: whether pairs of lanes on equal addresses are served by @merged; of a loop: whether its
 *   loads are
 * @evidence: how well it is known
 * @source: where the rule comes from, in words
 * @disputed: (nullable): which source says otherwise, and what
 * @since: first architecture whose chips have the instruction, or %NULL: all have it
 * @lower_bound: what adds to the wavefronts that are counted, in words; %NULL: nothing does
 * @cycles_lower_bound: what adds to the cycles, in words; %NULL: nothing does
 */
struct _SmbRule {
  gboolean defined;
  gboolean narrow;
  gboolean merges;
  SmbPlan plan;
  SmbPlan merged;
  SmbEvidence evidence;
  const char *source;
  const char *disputed;
  const char *since;
  const char *lower_bound;
  const char *cycles_lower_bound;
};

/** smb_plan_group: Returns: the lane group, from 0, of a lane; of a loop, whose lanes go round together: 0 */
guint smb_plan_group(const SmbPlan *plan, guint lane);

/** smb_plan_group_lanes: Returns: the lanes of a lane group; of a loop, of the warp */
SmbLanes smb_plan_group_lanes(const SmbPlan *plan, guint group);

/** smb_plan_n_groups: Returns: lane groups of a full warp that hold an address; of a loop: 1 */
guint smb_plan_n_groups(const SmbPlan *plan);

/** smb_plan_count_groups: Returns: lane groups that cost something when @lanes of @plan.lanes are active */
guint smb_plan_count_groups(const SmbPlan *plan, SmbLanes lanes);

/**
 * smb_plan_group_name: Returns: (transfer none): what its lane groups are called: "warp", "half-warp", "quarter-warp",
 *   or "lane group" where they are not neighbours or more
 */
const char *smb_plan_group_name(const SmbPlan *plan);

/** smb_conflict_name: Returns: (transfer none): what the files of architectures call it: "words" */
const char *smb_conflict_name(SmbConflict conflict);

G_END_DECLS
