// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the lanes of a warp tell each other: shuffles and votes.
#include "sim/cuda/lower/impl.h"
#include "sim/machine/access/lanes.h"

// The lane that a shuffle reads from, or the lane itself where there is none in its segment.
static guint
find_source(Builtin builtin, guint n_lanes, guint lane, gint32 by, guint width) {
  guint first = lane & ~(width - 1), last = first + width - 1;
  guint32 distance = (guint32)by;
  switch ((guint)builtin) {
  case BUILTIN_SHFL:
    return first + (distance & (width - 1));
  case BUILTIN_SHFL_UP:
    return distance > lane - first ? lane : lane - distance;
  case BUILTIN_SHFL_DOWN:
    return distance > last - lane ? lane : lane + distance;
  default: {
    guint source = lane ^ (distance & (n_lanes - 1));
    return source > last ? lane : source;
  }
  }
}

// The lanes that a call names by its mask.
static SmbLanes
read_members(const Node *node, const void *masks, guint lane) {
  return smb_type_is_wide(node->arguments[0]->type) ? ((const guint64 *)masks)[lane]
                                                    : ((const guint32 *)masks)[lane];
}

// A mask made for 32 lanes does not name the other lanes of a wider warp.
static gboolean
check_members(SmbBlock *block, const Node *node, guint warp, SmbLanes lanes, const void *masks) {
  guint n = block->lanes;
  FOR_LANES(lanes & ~smb_lanes_below(32), lane) {
    SmbLanes members = read_members(node, masks, lane);
    if (members >> lane & 1)
      continue;
    g_autofree char *who = smb_block_thread(block, warp, lane);
    return smb_block_fail(block, node->start,
                          "the mask 0x%" G_GINT64_MODIFIER
                          "x does not include lane %u of a warp of "
                          "%u lanes, which is %s",
                          members, (guint)lane, n, who);
  }
  return TRUE;
}

// Gives @lane what @source, one of @lanes, has of the values at @from.
static gboolean
read_lane(SmbBlock *block, const Node *node, guint warp, SmbLanes lanes, guint lane, guint source,
          const void *from, void *out) {
  if (!(lanes >> source & 1)) {
    g_autofree char *who = smb_block_thread(block, warp, lane);
    return smb_block_fail(block, node->start, "%s %s lane %u, which is not active", who,
                          node->builtin == BUILTIN_READLANE ? "reads" : "shuffles from", source);
  }
  if (smb_type_is_wide(node->type))
    ((guint64 *)out)[lane] = ((const guint64 *)from)[source];
  else
    ((guint32 *)out)[lane] = ((const guint32 *)from)[source];
  return TRUE;
}

static gboolean
shuffle_warp(SmbBlock *block, const Node *node, guint warp, SmbLanes lanes,
             const void *const *arguments, void *out) {
  guint n = block->lanes;
  FOR_LANES(lanes, lane) {
    guint width = arguments[3] ? ((const guint32 *)arguments[3])[lane] : n;
    if (width < 1 || width > n || (width & (width - 1)))
      return smb_block_fail(block, node->start,
                            "a shuffle of width %d: expected a power of two up to %u", (gint)width,
                            n);
    gint32 by = ((const gint32 *)arguments[2])[lane];
    guint source = find_source(node->builtin, n, lane, by, width);
    if (!read_lane(block, node, warp, lanes, lane, source, arguments[1], out))
      return FALSE;
  }
  return TRUE;
}

// A value of 8 bytes takes two.
static void
list_shuffle(SmbBlock *block, const Node *node, SmbLanes lanes) {
  for (gsize at = 0; lanes && block->sink->traffic && at < node->type->size; at += 4)
    block->sink->traffic(block->user, SMB_TRAFFIC_SHUFFLE, (guint)node->load_site, 0);
}

// The number of the lane is the wave's, not a lane's: that of the first.
static gboolean
read_one_lane(SmbBlock *block, const Node *node, guint warp, SmbLanes lanes,
              const void *const *arguments, void *out) {
  const guint32 *numbers = arguments[1];
  guint source = lanes ? numbers[smb_lanes_first(lanes)] % block->lanes : 0;
  FOR_LANES(lanes, lane) {
    if (!read_lane(block, node, warp, lanes, lane, source, arguments[0], out))
      return FALSE;
  }
  return TRUE;
}

static gboolean
vote(SmbBlock *block, const Node *node, guint warp, SmbLanes lanes, const void *const *arguments,
     void *out) {
  const guint32 *conditions = arguments[1];
  SmbLanes holds = 0;
  if (arguments[0] && !check_members(block, node, warp, lanes, arguments[0]))
    return FALSE;
  FOR_LANES(lanes, lane)
  holds |= (SmbLanes)(conditions ? conditions[lane] != 0 : 1) << lane;
  FOR_LANES(lanes, lane) {
    SmbLanes asked = arguments[0] ? read_members(node, arguments[0], lane) & lanes : lanes;
    SmbLanes answer = node->builtin == BUILTIN_ANY   ? (holds & asked) != 0
                      : node->builtin == BUILTIN_ALL ? (holds & asked) == asked
                                                     : holds & asked;
    if (smb_type_is_wide(node->type))
      ((guint64 *)out)[lane] = answer;
    else
      ((guint32 *)out)[lane] = (guint32)answer;
  }
  return TRUE;
}

gboolean
smb_lowered_exchange(SmbBlock *block, const Node *node, guint warp, SmbLanes lanes,
                     const void *const *arguments, void *out) {
  if (node->builtin == BUILTIN_READLANE)
    return read_one_lane(block, node, warp, lanes, arguments, out);
  if (node->builtin >= BUILTIN_BALLOT && node->builtin <= BUILTIN_ACTIVEMASK)
    return vote(block, node, warp, lanes, arguments, out);
  if (!check_members(block, node, warp, lanes, arguments[0]) ||
      !shuffle_warp(block, node, warp, lanes, arguments, out))
    return FALSE;
  list_shuffle(block, node, lanes);
  return TRUE;
}
