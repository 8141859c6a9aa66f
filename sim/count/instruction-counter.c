// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads of 8 and 16 bytes as profilers count them per instruction.
#include "sim/count/instruction-counter.h"

#include "sim/arch/arch.h"

enum {
  WARP_LANES = 32,
  HALF_LANES = 16,
};

// The most different addresses in one place of a row of all banks, among the lanes. A lane's own is the one after the
// last of those before it in its place, unless it is one of them.
static guint
count_degree(const SmbRequest *request, SmbLanes lanes, guint row_bytes) {
  guint32 offset[WARP_LANES];
  guint rank[WARP_LANES], n = 0, most = 0;
  for (; lanes; lanes &= lanes - 1) {
    guint32 own = request->offset[smb_lanes_first(lanes)];
    guint last = 0, i = 0;
    for (; i < n && offset[i] != own; i++) {
      if ((offset[i] ^ own) % row_bytes == 0)
        last = MAX(last, rank[i]);
    }
    if (i < n)
      continue;
    offset[n] = own;
    rank[n++] = last + 1;
    most = MAX(most, last + 1);
  }
  return most;
}

static gboolean
is_one_address(const SmbRequest *request) {
  guint32 first = request->offset[smb_lanes_first(request->mask)];
  for (SmbLanes lanes = request->mask; lanes; lanes &= lanes - 1) {
    if (request->offset[smb_lanes_first(lanes)] != first)
      return FALSE;
  }
  return TRUE;
}

// Whether the lanes merge, and of each pair lane, lane^@x both are among them, or none.
static gboolean
are_pairs_whole(const SmbRequest *request, SmbLanes lanes, guint x) {
  SmbLanes lower = smb_pairs_lower(x);
  return (lanes & lower) == (lanes >> x & lower) && smb_request_pairs_agree(request, lanes, x);
}

// Whether lanes are served at once if none of them conflict. @lanes: of a warp, or of one half of it.
static gboolean
do_lanes_merge(const SmbRequest *request, SmbLanes lanes) {
  gboolean is_lower = lanes <= smb_lanes_below(HALF_LANES);
  gboolean is_last_active = request->mask >> (WARP_LANES - 1) & 1;
  if (request->width == 8 || !is_lower)
    return smb_request_pairs_agree(request, lanes, 1) || smb_request_pairs_agree(request, lanes, 2);
  return !is_last_active || are_pairs_whole(request, lanes, 1) ||
         are_pairs_whole(request, lanes, 2);
}

// Adds what the lanes of a group take: at once, or one half of the group after the other.
static void
add_group_wavefronts(SmbWavefronts *sum, const SmbRequest *request, SmbLanes group,
                     guint row_bytes) {
  SmbLanes lanes = request->mask & group;
  if (!lanes)
    return;
  guint degree = do_lanes_merge(request, lanes) ? count_degree(request, lanes, row_bytes) : 0;
  SmbLanes lower = group & group >> smb_lanes_count(group) / 2;
  guint first = count_degree(request, lanes & lower, row_bytes);
  guint second = count_degree(request, lanes & ~lower, row_bytes);
  sum->wavefronts += degree == 1 ? 1 : first + second;
  sum->ideal += degree ? 1 : (first > 0) + (second > 0);
  sum->degree = MAX(sum->degree, MAX(degree, MAX(first, second)));
}

// Whether both counters are sure to agree on a load of 8 or 16 bytes, at a glance: it does not merge, or the whole warp
// merges and no lanes conflict.
static gboolean
counters_agree(const SmbRequest *request, const SmbWavefronts *pipe) {
  const guint32 *lower = request->offset, *upper = request->offset + HALF_LANES;
  gboolean is_full = request->mask == smb_lanes_below(WARP_LANES);
  if (request->width == 8)
    return pipe->wavefronts == 1 || (is_full && lower[0] != lower[1] && lower[0] != lower[2]);
  return is_full && (pipe->wavefronts == 2 || (lower[0] != lower[1] && lower[0] != lower[2] &&
                                               upper[0] != upper[1] && upper[0] != upper[2]));
}

static gboolean
has_rules(const SmbArchInfo *info, const SmbRequest *request) {
  gboolean is_load = request->op == SMB_OP_LD || request->op == SMB_OP_LD_GENERIC;
  return is_load && (request->width == 8 || request->width == 16) && request->mask &&
         info->counts_instructions_apart && info->lanes == WARP_LANES;
}

SmbWavefronts
smb_wavefronts_by_instruction(const SmbArch *arch, const SmbRequest *request,
                              const SmbWavefronts *pipe) {
  const SmbArchInfo *info = smb_arch_info(arch);
  if (!has_rules(info, request) || counters_agree(request, pipe))
    return *pipe;
  SmbWavefronts count = {.cycles = pipe->cycles};
  const SmbLanes lower = smb_lanes_below(HALF_LANES);
  if (request->width == 8) {
    add_group_wavefronts(&count, request, smb_lanes_below(WARP_LANES), info->row_bytes);
  } else if (is_one_address(request)) {
    count.wavefronts = count.ideal = (smb_lanes_count(request->mask) - 1) / HALF_LANES + 1;
    count.degree = 1;
  } else {
    add_group_wavefronts(&count, request, lower, info->row_bytes);
    add_group_wavefronts(&count, request, lower << HALF_LANES, info->row_bytes);
  }
  count.excess = count.wavefronts - count.ideal;
  return count;
}

guint
smb_wavefronts_view_ideal(const SmbArch *arch, const SmbRequest *request, guint wavefronts) {
  guint row_bytes = smb_arch_info(arch)->row_bytes;
  guint bytes = smb_lanes_count(request->mask) * request->width;
  return MIN((bytes + row_bytes - 1) / row_bytes, wavefronts);
}
