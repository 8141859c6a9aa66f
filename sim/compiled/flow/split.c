// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/compiled/flow/split.h"

#include <string.h>

// A split that does not run.
typedef struct {
  SmbLaneState state;
  guint32 pc;
  SmbLanes lanes;
  guint number;    // of the barrier, or of what holds it
  SmbLanes wanted; // for which it gathers
} Slot;

// What lanes recorded at one barrier.
typedef struct {
  SmbLanes by_lane[SMB_MAX_LANES];
} Record;

// Splits have no lane in common: there is a slot for each, also for the running one, which is marked in neither set.
struct _SmbSplitSlots {
  Slot slot[SMB_MAX_LANES];
  guint64 ready; // slots of splits that can run
  guint64 waits; // slots of splits that cannot
  guint running; // the slot that the running split has, or had last
  guint n_records;
  Record *records; // by barrier
};

#define FOR_EACH(set, i)                                                                           \
  for (guint64 rest_of_##i = (set), i = 0;                                                         \
       rest_of_##i && (i = smb_lanes_first(rest_of_##i), TRUE); rest_of_##i &= rest_of_##i - 1)

static guint64
bit(guint64 i) {
  return G_GUINT64_CONSTANT(1) << i;
}

SmbSplits *
smb_splits_new(void) {
  SmbSplits *splits = g_new0(SmbSplits, 1);
  splits->slots = g_new0(SmbSplitSlots, 1);
  return splits;
}

void
smb_splits_free(SmbSplits *splits) {
  if (!splits)
    return;
  g_free(splits->slots->records);
  g_free(splits->slots);
  g_free(splits->armed);
  g_free(splits);
}

void
smb_splits_start(SmbSplits *splits, SmbLanes lanes, guint32 pc) {
  splits->pc = pc;
  splits->mask = splits->living = lanes;
  if (splits->n_barriers)
    memset(splits->armed, 0, splits->n_barriers * sizeof *splits->armed);
  splits->slots->ready = splits->slots->waits = 0;
  splits->slots->running = 0;
}

SmbLaneState
smb_splits_lane(const SmbSplits *splits, guint lane, guint32 *pc) {
  const SmbSplitSlots *slots = splits->slots;
  *pc = splits->pc;
  if (splits->mask & bit(lane))
    return SMB_LANE_RUNS;
  FOR_EACH(slots->ready | slots->waits, i) {
    const Slot *slot = &slots->slot[i];
    *pc = slot->pc;
    if (slot->lanes & bit(lane))
      return slot->state;
  }
  return SMB_LANE_EXITED;
}

// Takes some or all of the running lanes out of the running split, into a slot of their own.
static Slot *
detach(SmbSplits *splits, SmbLanes lanes, SmbLaneState state, guint32 pc) {
  SmbSplitSlots *slots = splits->slots;
  guint64 used = slots->ready | slots->waits;
  splits->mask &= ~lanes;
  if (splits->mask)
    used |= bit(slots->running);
  guint i = smb_lanes_first(~used);
  *(state == SMB_LANE_RUNS ? &slots->ready : &slots->waits) |= bit(i);
  slots->slot[i] = (Slot){.state = state, .pc = pc, .lanes = lanes};
  return &slots->slot[i];
}

// Runs the next split that can, in the order of the slots, if none does.
static void
choose(SmbSplits *splits) {
  SmbSplitSlots *slots = splits->slots;
  if (splits->mask || !slots->ready)
    return;
  guint64 behind = slots->ready & ~(bit(slots->running) | (bit(slots->running) - 1));
  guint i = smb_lanes_first(behind ? behind : slots->ready);
  slots->ready &= ~bit(i);
  slots->running = i;
  splits->pc = slots->slot[i].pc;
  splits->mask = slots->slot[i].lanes;
}

// Lets splits that wait go on: those at the same pc as one.
static void
join(SmbSplitSlots *slots, guint64 which) {
  slots->waits &= ~which;
  while (which) {
    guint first = smb_lanes_first(which);
    Slot *joined = &slots->slot[first];
    which &= which - 1;
    FOR_EACH(which, i) {
      if (slots->slot[i].pc == joined->pc) {
        joined->lanes |= slots->slot[i].lanes;
        which &= ~bit(i);
      }
    }
    joined->state = SMB_LANE_RUNS;
    slots->ready |= bit(first);
  }
}

// The lanes that a split waits for.
static SmbLanes
get_needed(const SmbSplitSlots *slots, const Slot *slot) {
  if (slot->state != SMB_LANE_JOINS)
    return slot->wanted;
  return slots->records[slot->number].by_lane[smb_lanes_first(slot->lanes)];
}

// The splits that wait for the same as this one, itself among them.
static guint64
find_company(const SmbSplitSlots *slots, const Slot *slot) {
  SmbLanes needed = get_needed(slots, slot);
  guint64 company = 0;
  FOR_EACH(slots->waits, i) {
    const Slot *other = &slots->slot[i];
    if (other->state == slot->state && other->number == slot->number &&
        get_needed(slots, other) == needed)
      company |= bit(i);
  }
  return company;
}

// Joins all splits that wait for nobody any more, and sees that one runs.
static void
settle(SmbSplits *splits) {
  SmbSplitSlots *slots = splits->slots;
  FOR_EACH(slots->waits, i) {
    const Slot *slot = &slots->slot[i];
    if (!(slots->waits & bit(i)) || slot->state == SMB_LANE_HELD)
      continue;
    SmbLanes here = 0;
    guint64 company = find_company(slots, slot);
    FOR_EACH(company, j)
    here |= slots->slot[j].lanes;
    if (get_needed(slots, slot) & splits->living & ~here)
      continue;
    if (slot->state == SMB_LANE_JOINS)
      splits->armed[slot->number] &= ~here;
    join(slots, company);
  }
  choose(splits);
}

void
smb_splits_fork(SmbSplits *splits, SmbLanes lanes, guint32 pc) {
  detach(splits, lanes, SMB_LANE_RUNS, pc);
}

void
smb_splits_jump(SmbSplits *splits, const guint32 *targets) {
  splits->pc = targets[smb_lanes_first(splits->mask)];
  SmbLanes rest = splits->mask;
  while (rest) {
    guint32 target = targets[smb_lanes_first(rest)];
    SmbLanes same = 0;
    FOR_EACH(rest, lane)
    same |= targets[lane] == target ? bit(lane) : 0;
    if (target != splits->pc)
      smb_splits_fork(splits, same, target);
    rest &= ~same;
  }
}

// Makes room for one more barrier than there is, and for others ahead.
static void
add_barriers(SmbSplits *splits, guint barrier) {
  guint n = MAX(barrier + 1, 2 * splits->n_barriers);
  splits->armed = g_renew(SmbLanes, splits->armed, n);
  memset(splits->armed + splits->n_barriers, 0, (n - splits->n_barriers) * sizeof *splits->armed);
  splits->n_barriers = n;
  splits->slots->records = g_renew(Record, splits->slots->records, n);
}

void
smb_splits_arm(SmbSplits *splits, guint barrier) {
  if (barrier >= splits->n_barriers)
    add_barriers(splits, barrier);
  SmbLanes *by_lane = splits->slots->records[barrier].by_lane;
  SmbLanes mask = splits->mask;
  splits->armed[barrier] |= mask;
  if (mask == smb_lanes_below(SMB_NVIDIA_LANES)) {
    for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
      by_lane[lane] = mask;
    return;
  }
  FOR_EACH(mask, lane)
  by_lane[lane] = mask;
}

SmbLanes
smb_splits_recorded(const SmbSplits *splits, guint barrier, guint lane) {
  gboolean armed = barrier < splits->n_barriers && splits->armed[barrier] & bit(lane);
  return armed ? splits->slots->records[barrier].by_lane[lane] : 0;
}

void
smb_splits_record(SmbSplits *splits, guint barrier, guint lane, SmbLanes recorded) {
  if (barrier >= splits->n_barriers)
    add_barriers(splits, barrier);
  splits->slots->records[barrier].by_lane[lane] = recorded;
  splits->armed[barrier] = (splits->armed[barrier] & ~bit(lane)) | (recorded ? bit(lane) : 0);
}

void
smb_splits_wait(SmbSplits *splits, guint barrier, SmbLanes lanes) {
  const SmbLanes *by_lane = splits->slots->records[barrier].by_lane;
  SmbLanes rest = lanes & splits->armed[barrier], needed = 0;
  FOR_EACH(rest, lane)
  needed |= by_lane[lane];
  if (lanes == splits->mask && !(needed & splits->living & ~lanes)) {
    splits->armed[barrier] &= ~rest;
    return;
  }
  while (rest) {
    SmbLanes recorded = by_lane[smb_lanes_first(rest)], same = 0;
    FOR_EACH(rest, lane)
    same |= by_lane[lane] == recorded ? bit(lane) : 0;
    detach(splits, same, SMB_LANE_JOINS, splits->pc)->number = barrier;
    rest &= ~same;
  }
  settle(splits);
}

void
smb_splits_leave(SmbSplits *splits, guint barrier, SmbLanes lanes) {
  SmbLanes *by_lane = splits->slots->records[barrier].by_lane;
  SmbLanes leaving = lanes & splits->armed[barrier], told = 0;
  FOR_EACH(leaving, lane)
  told |= by_lane[lane];
  splits->armed[barrier] &= ~leaving;
  FOR_EACH(told, lane)
  by_lane[lane] &= ~leaving;
  settle(splits);
}

void
smb_splits_assemble(SmbSplits *splits, SmbLanes lanes, SmbLanes wanted) {
  if (lanes & wanted)
    detach(splits, lanes & wanted, SMB_LANE_GATHERS, splits->pc)->wanted = wanted;
  settle(splits);
}

void
smb_splits_exit(SmbSplits *splits, SmbLanes lanes) {
  splits->living &= ~lanes;
  splits->mask &= ~lanes;
  for (guint i = 0; i < splits->n_barriers; i++)
    splits->armed[i] &= ~lanes;
  settle(splits);
}

void
smb_splits_hold(SmbSplits *splits, SmbLanes lanes, guint number) {
  detach(splits, lanes, SMB_LANE_HELD, splits->pc)->number = number;
  choose(splits);
}

SmbLanes
smb_splits_held(const SmbSplits *splits, guint number) {
  const SmbSplitSlots *slots = splits->slots;
  SmbLanes held = 0;
  FOR_EACH(slots->waits, i) {
    if (slots->slot[i].state == SMB_LANE_HELD && slots->slot[i].number == number)
      held |= slots->slot[i].lanes;
  }
  return held;
}

void
smb_splits_release(SmbSplits *splits, guint number) {
  SmbSplitSlots *slots = splits->slots;
  FOR_EACH(slots->waits, i) {
    Slot *slot = &slots->slot[i];
    if (slot->state == SMB_LANE_HELD && slot->number == number) {
      slot->state = SMB_LANE_RUNS;
      slots->waits &= ~bit(i);
      slots->ready |= bit(i);
    }
  }
  choose(splits);
}

void
smb_splits_yield(SmbSplits *splits) {
  SmbSplitSlots *slots = splits->slots;
  if (!slots->ready)
    return;
  slots->slot[slots->running] =
      (Slot){.state = SMB_LANE_RUNS, .pc = splits->pc, .lanes = splits->mask};
  slots->ready |= bit(slots->running);
  splits->mask = 0;
  choose(splits);
}
