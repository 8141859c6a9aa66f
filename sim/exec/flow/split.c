// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/flow/split.h"

#include <string.h>

// A split that does not run.
typedef struct {
  SmbLaneState state;
  guint32 pc;
  SmbLanes lanes;
  guint number;      // of the barrier, or of what holds it
  SmbLanes wanted;   // for which it gathers
  gint64 turn;       // of those that can run, the one with the highest runs first
  gboolean waited;   // it comes from a barrier ahead of pc, not from a branch
  gboolean alone;    // it is not joined by others at its pc
  gboolean gave_way; // and has not run since: who arrives at a barrier does not wait for it
} Slot;

// What lanes recorded at one barrier.
typedef struct {
  SmbLanes by_lane[SMB_MAX_LANES];
} Record;

// Splits have no lane in common: there is a slot for each, also for the running one, which is marked in no set.
struct _SmbSplitSlots {
  Slot slot[SMB_MAX_LANES];
  guint64 ready; // slots of splits that can run
  guint64 waits; // slots of splits that wait for other lanes
  guint64 held;  // slots of splits that wait for a release
  guint running; // the slot that the running split has, or had last
  gint64 first;  // the next turns above those of all slots, and below
  gint64 last;
  SmbBarriers kind;
  // by barrier; none of barriers in registers: the lanes that have armed one wait for each other
  Record *records;
};

#define FOR_EACH(set, i)                                                                           \
  for (guint64 rest_of_##i = (set), i = 0;                                                         \
       rest_of_##i && (i = smb_lanes_first(rest_of_##i), TRUE); rest_of_##i &= rest_of_##i - 1)

static guint64
bit(guint64 i) {
  return G_GUINT64_CONSTANT(1) << i;
}

SmbSplits *
smb_splits_new(SmbBarriers kind) {
  SmbSplits *splits = g_new0(SmbSplits, 1);
  splits->slots = g_new0(SmbSplitSlots, 1);
  splits->slots->kind = kind;
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
  splits->slots->ready = splits->slots->waits = splits->slots->held = 0;
  splits->slots->running = 0;
  splits->slots->first = 0;
  splits->slots->last = -1;
}

static guint64
get_used(const SmbSplitSlots *slots) {
  return slots->ready | slots->waits | slots->held;
}

SmbLaneState
smb_splits_lane(const SmbSplits *splits, guint lane, guint32 *pc) {
  const SmbSplitSlots *slots = splits->slots;
  *pc = splits->pc;
  if (splits->mask & bit(lane))
    return SMB_LANE_RUNS;
  FOR_EACH(get_used(slots), i) {
    const Slot *slot = &slots->slot[i];
    *pc = slot->pc;
    if (slot->lanes & bit(lane))
      return slot->state;
  }
  return SMB_LANE_EXITED;
}

// A slot that is free.
static guint
find_free_slot(const SmbSplits *splits) {
  const SmbSplitSlots *slots = splits->slots;
  guint64 used = get_used(slots);
  return smb_lanes_first(~(splits->mask ? used | bit(slots->running) : used));
}

// Takes some or all of the running lanes out of the running split, into a slot of their own.
static Slot *
detach(SmbSplits *splits, SmbLanes lanes, SmbLaneState state, guint32 pc) {
  SmbSplitSlots *slots = splits->slots;
  splits->mask &= ~lanes;
  guint i = find_free_slot(splits);
  guint64 *set = state == SMB_LANE_RUNS   ? &slots->ready
                 : state == SMB_LANE_HELD ? &slots->held
                                          : &slots->waits;
  *set |= bit(i);
  slots->slot[i] = (Slot){.state = state, .pc = pc, .lanes = lanes, .turn = slots->first++};
  return &slots->slot[i];
}

// Releases those of @lanes that wait in some slots.
static void
go_on(SmbSplits *splits, guint64 which, SmbLanes lanes) {
  SmbSplitSlots *slots = splits->slots;
  FOR_EACH(which, i) {
    Slot *slot = &slots->slot[i];
    SmbLanes stay = slot->lanes & ~lanes;
    if (stay == slot->lanes)
      continue;
    if (stay) {
      guint other = find_free_slot(splits);
      slots->slot[other] = *slot;
      slots->slot[other].lanes = stay;
      slots->waits |= bit(other);
    }
    slot->lanes &= lanes;
    slot->state = SMB_LANE_RUNS;
    slot->turn = slots->first++;
    slot->waited = TRUE;
    slots->waits &= ~bit(i);
    slots->ready |= bit(i);
  }
}

static SmbLanes
get_recorded(const SmbSplits *splits, guint barrier, guint lane) {
  const Record *records = splits->slots->records;
  return records ? records[barrier].by_lane[lane] : splits->armed[barrier];
}

// The lanes that a split waits for.
static SmbLanes
get_needed(const SmbSplits *splits, const Slot *slot) {
  if (slot->state != SMB_LANE_JOINS)
    return slot->wanted;
  return get_recorded(splits, slot->number, smb_lanes_first(slot->lanes));
}

// The splits that wait for the same as this one, itself among them.
static guint64
find_company(const SmbSplits *splits, const Slot *slot) {
  SmbLanes needed = get_needed(splits, slot);
  guint64 company = 0;
  FOR_EACH(splits->slots->waits, i) {
    const Slot *other = &splits->slots->slot[i];
    if (other->state == slot->state && other->number == slot->number &&
        get_needed(splits, other) == needed)
      company |= bit(i);
  }
  return company;
}

// Lanes for which nobody who arrives at a barrier waits until they run again.
static SmbLanes
find_given_way(const SmbSplitSlots *slots) {
  SmbLanes lanes = 0;
  FOR_EACH(slots->ready, i)
  lanes |= slots->slot[i].gave_way ? slots->slot[i].lanes : 0;
  return lanes;
}

// Of splits in @which, releases the lanes that no longer wait for any other but @excused: at a register, those recorded
// there. Other lanes that wait at it were recorded earlier; they wait until they are recorded again or, with @empty,
// until it is empty.
static void
go_on_complete(SmbSplits *splits, guint64 which, SmbLanes excused, gboolean empty) {
  SmbSplitSlots *slots = splits->slots;
  for (guint64 left = which, company; left; left &= ~company) {
    const Slot *slot = &slots->slot[smb_lanes_first(left)];
    SmbLanes here = 0, needed = get_needed(splits, slot) & splits->living & ~excused;
    company = find_company(splits, slot);
    FOR_EACH(company, i)
    here |= slots->slot[i].lanes;
    if (needed ? needed & ~here : !empty)
      continue;
    if (slot->state == SMB_LANE_JOINS)
      splits->armed[slot->number] &= ~here;
    go_on(splits, company, needed ? needed : here);
  }
}

// Whether two splits that can run are one.
static gboolean
joins(const Slot *a, const Slot *b) {
  return a->pc == b->pc && a->waited == b->waited && !a->alone && !b->alone;
}

// If no split runs, that one does which is ready since last, with all others that are ready at the same pc, those from
// a barrier and those from branches apart: the former are still at the barrier. If none is ready, those are whose
// register is empty.
static void
choose_split(SmbSplits *splits) {
  SmbSplitSlots *slots = splits->slots;
  if (splits->mask)
    return;
  go_on_complete(splits, slots->waits, 0, FALSE);
  if (!slots->ready)
    go_on_complete(splits, slots->waits, 0, TRUE);
  if (!slots->ready)
    return;
  guint next = smb_lanes_first(slots->ready);
  FOR_EACH(slots->ready, i) {
    if (slots->slot[i].turn > slots->slot[next].turn)
      next = (guint)i;
  }
  slots->running = next;
  splits->pc = slots->slot[next].pc;
  FOR_EACH(slots->ready, i) {
    if (i == next || joins(&slots->slot[i], &slots->slot[next])) {
      splits->mask |= slots->slot[i].lanes;
      slots->ready &= ~bit(i);
    }
  }
}

void
smb_splits_fork(SmbSplits *splits, SmbLanes lanes, guint32 pc) {
  detach(splits, lanes, SMB_LANE_RUNS, pc);
}

void
smb_splits_divide(SmbSplits *splits, SmbLanes taken, guint32 target) {
  SmbLanes others = splits->mask & ~taken;
  if (smb_lanes_count(taken) >= smb_lanes_count(others)) {
    smb_splits_fork(splits, taken, target);
    return;
  }
  smb_splits_fork(splits, others, splits->pc);
  splits->pc = target;
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
grow_barriers(SmbSplits *splits, guint barrier) {
  guint n = MAX(barrier + 1, 2 * splits->n_barriers);
  splits->armed = g_renew(SmbLanes, splits->armed, n);
  memset(splits->armed + splits->n_barriers, 0, (n - splits->n_barriers) * sizeof *splits->armed);
  splits->n_barriers = n;
  if (splits->slots->kind == SMB_BARRIERS_OF_LANES)
    splits->slots->records = g_renew(Record, splits->slots->records, n);
}

SmbLanes
smb_splits_recorded(const SmbSplits *splits, guint barrier, guint lane) {
  if (barrier >= splits->n_barriers)
    return 0;
  if (splits->slots->kind == SMB_BARRIERS_IN_REGISTERS)
    return splits->armed[barrier];
  return splits->armed[barrier] & bit(lane) ? splits->slots->records[barrier].by_lane[lane] : 0;
}

void
smb_splits_record(SmbSplits *splits, guint barrier, SmbLanes lanes) {
  if (barrier >= splits->n_barriers)
    grow_barriers(splits, barrier);
  splits->armed[barrier] = lanes;
}

void
smb_splits_arm(SmbSplits *splits, guint barrier) {
  SmbLanes mask = splits->mask;
  if (splits->slots->kind == SMB_BARRIERS_IN_REGISTERS) {
    smb_splits_record(splits, barrier, mask);
    return;
  }
  if (barrier >= splits->n_barriers)
    grow_barriers(splits, barrier);
  SmbLanes *by_lane = splits->slots->records[barrier].by_lane;
  splits->armed[barrier] |= mask;
  if (mask == smb_lanes_below(SMB_NVIDIA_LANES)) {
    for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
      by_lane[lane] = mask;
    return;
  }
  FOR_EACH(mask, lane)
  by_lane[lane] = mask;
}

void
smb_splits_wait(SmbSplits *splits, guint barrier, SmbLanes lanes) {
  SmbLanes passing = splits->mask & ~(lanes & splits->armed[barrier]);
  guint64 arrived = 0;
  if (passing)
    detach(splits, passing, SMB_LANE_RUNS, splits->pc)->waited = TRUE;
  while (splits->mask) {
    SmbLanes recorded = get_recorded(splits, barrier, smb_lanes_first(splits->mask)), same = 0;
    FOR_EACH(splits->mask, lane)
    same |= get_recorded(splits, barrier, lane) == recorded ? bit(lane) : 0;
    Slot *slot = detach(splits, same, SMB_LANE_JOINS, splits->pc);
    slot->number = barrier;
    arrived |= bit((guint64)(slot - splits->slots->slot));
  }
  SmbLanes given_way = find_given_way(splits->slots);
  if (G_UNLIKELY(given_way))
    go_on_complete(splits, arrived, given_way, FALSE);
  choose_split(splits);
}

void
smb_splits_leave(SmbSplits *splits, guint barrier, SmbLanes lanes) {
  SmbSplitSlots *slots = splits->slots;
  SmbLanes leaving = lanes & splits->armed[barrier], told = 0;
  splits->armed[barrier] &= ~leaving;
  if (!slots->records)
    return;
  FOR_EACH(leaving, lane)
  told |= slots->records[barrier].by_lane[lane];
  FOR_EACH(told, lane)
  slots->records[barrier].by_lane[lane] &= ~leaving;
}

SmbLanes
smb_splits_joining(const SmbSplits *splits) {
  SmbLanes lanes = 0;
  FOR_EACH(splits->slots->waits, i) {
    const Slot *slot = &splits->slots->slot[i];
    lanes |= slot->state == SMB_LANE_JOINS ? slot->lanes : 0;
  }
  return lanes;
}

void
smb_splits_part(SmbSplits *splits, SmbLanes lanes) {
  FOR_EACH(splits->slots->waits, i) {
    const Slot *slot = &splits->slots->slot[i];
    guint barrier = slot->number;
    SmbLanes parting = slot->lanes & lanes;
    if (slot->state != SMB_LANE_JOINS || !parting)
      continue;
    smb_splits_leave(splits, barrier, parting);
    go_on(splits, bit(i), parting);
  }
  choose_split(splits);
}

void
smb_splits_assemble(SmbSplits *splits, SmbLanes lanes, SmbLanes wanted) {
  if (lanes & wanted)
    detach(splits, lanes & wanted, SMB_LANE_GATHERS, splits->pc)->wanted = wanted;
  choose_split(splits);
}

SmbLanes
smb_splits_gathering(const SmbSplits *splits, SmbLanes wanted) {
  const SmbSplitSlots *slots = splits->slots;
  SmbLanes lanes = 0;
  FOR_EACH(slots->waits, i) {
    const Slot *slot = &slots->slot[i];
    lanes |= slot->state == SMB_LANE_GATHERS && slot->wanted == wanted ? slot->lanes : 0;
  }
  return lanes;
}

void
smb_splits_exit(SmbSplits *splits, SmbLanes lanes) {
  splits->living &= ~lanes;
  splits->mask &= ~lanes;
  for (guint i = 0; i < splits->n_barriers; i++)
    splits->armed[i] &= ~lanes;
  choose_split(splits);
}

void
smb_splits_hold(SmbSplits *splits, SmbLanes lanes, guint number) {
  detach(splits, lanes, SMB_LANE_HELD, splits->pc)->number = number;
  choose_split(splits);
}

SmbLanes
smb_splits_held(const SmbSplits *splits, guint number) {
  const SmbSplitSlots *slots = splits->slots;
  SmbLanes held = 0;
  FOR_EACH(slots->held, i)
  held |= slots->slot[i].number == number ? slots->slot[i].lanes : 0;
  return held;
}

void
smb_splits_release(SmbSplits *splits, guint number, gboolean together) {
  SmbSplitSlots *slots = splits->slots;
  FOR_EACH(slots->held, i) {
    Slot *slot = &slots->slot[i];
    if (slot->number == number) {
      slot->state = SMB_LANE_RUNS;
      slot->alone = !together;
      slot->turn = slots->last--;
      slots->held &= ~bit(i);
      slots->ready |= bit(i);
    }
  }
  choose_split(splits);
}

void
smb_splits_yield(SmbSplits *splits) {
  SmbSplitSlots *slots = splits->slots;
  if (!slots->ready)
    return;
  detach(splits, splits->mask, SMB_LANE_RUNS, splits->pc)->turn = slots->last--;
  choose_split(splits);
}

SmbLanes
smb_splits_give_way(SmbSplits *splits) {
  SmbSplitSlots *slots = splits->slots;
  SmbLanes others = smb_splits_joining(splits), given = splits->mask;
  guint64 oldest = 0;
  FOR_EACH(slots->ready, i)
  others |= slots->slot[i].lanes;
  if (!others)
    return 0;
  FOR_EACH(slots->waits, i) {
    if (slots->slot[i].state == SMB_LANE_JOINS &&
        (!oldest || slots->slot[i].turn < slots->slot[smb_lanes_first(oldest)].turn))
      oldest = bit(i);
  }
  gboolean any_ready = slots->ready != 0;
  Slot *slot = detach(splits, given, SMB_LANE_RUNS, splits->pc);
  slot->turn = slots->last--;
  slot->gave_way = TRUE;
  if (any_ready)
    choose_split(splits);
  else
    smb_splits_part(splits, slots->slot[smb_lanes_first(oldest)].lanes);
  return given | others;
}
