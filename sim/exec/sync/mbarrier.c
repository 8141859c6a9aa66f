// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers in shared memory (PTX ISA, "mbarrier"): a phase is complete when all arrivals that it expects have come, and
// as many bytes have been copied as were announced; then the next one begins. An asynchronous copy is complete as soon
// as it begins; one of unknown size, once nothing else can continue.
//
// Threads of other blocks of the cluster arrive, announce bytes and copy as those of the block do.
//
// The object is kept beside shared memory: what its 8 bytes hold is not defined, and here not known. mbarrier-wait.c has those who wait.
#include <string.h>

#include "sim/base/hash.h"
#include "sim/exec/sync/mbarrier-impl.h"
#include "sim/machine/check/checking.h"

enum {
  MAX_COUNT = (1 << 20) - 1,     // of arrivals, and of bytes
  PAIR_BIT = 1 << CLUSTER_SHIFT, // which block of a pair it is
};

void
smb_mbarriers_let_go(Warp *warp) {
  smb_splits_release(warp->splits, HELD_BY_MBARRIER, !warp->parted);
}

void
smb_mbarriers_reset(Exec *exec) {
  g_hash_table_remove_all(exec->sync->mbarriers);
  exec->sync->forgot_mbarriers = FALSE;
  exec->sync->timeouts = 0;
}

void
smb_mbarriers_forget(Exec *exec, guint32 origin) {
  if (!exec->sync->forgot_mbarriers)
    exec->sync->mbarrier_origin = origin;
  g_hash_table_remove_all(exec->sync->mbarriers);
  exec->sync->forgot_mbarriers = TRUE;
  for (guint w = 0; w < exec->block->n_warps; w++)
    smb_mbarriers_let_go(&exec->warps[w]);
}

guint64
smb_mbarriers_hash(const Exec *exec) {
  GHashTableIter iter;
  gpointer place, value;
  guint64 sum = 0; // in any order
  g_hash_table_iter_init(&iter, exec->sync->mbarriers);
  while (g_hash_table_iter_next(&iter, &place, &value)) {
    guint64 hash = GPOINTER_TO_UINT(place);
    smb_hash_bytes(&hash, value, sizeof(MBarrier));
    sum += hash;
  }
  return sum;
}

// --- where they are

// Tells what a lane does at a barrier of the block; what happens at those of others is theirs.
static void
tell_mbarrier(const Exec *exec, const Exec *owner, const MBarrier *barrier, guint what,
              guint64 bytes) {
  if (owner == exec)
    exec_tell_phase(exec, what, SMB_BARRIER_SHARED + (guint64)barrier->offset,
                    barrier->phase - barrier->first, bytes);
}

gboolean
smb_mbarriers_locate(Exec *exec, const Step *step, const Transfer *transfer, guint32 above,
                     SmbLanes *lanes, Places *places, gboolean *known) {
  guint64 addresses[SMB_MAX_LANES];
  guint flags;
  guint32 origin;
  *known = smb_transfer_addresses(exec, transfer, *lanes, addresses, &flags, &origin) == *lanes;
  exec_watch(exec, flags);
  if (!*known) {
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
    smb_mbarriers_forget(exec, step_origin(exec, step));
    return TRUE;
  }
  FOR_LANES(*lanes, lane) {
    addresses[lane] += above;
  }
  SmbLanes away = smb_transfer_elsewhere(*lanes, addresses), here = *lanes & ~away;
  if (here &&
      !smb_shared_locate(exec->block, &transfer->move, exec->w, here, addresses, places->offset))
    return FALSE;
  FOR_LANES(here, lane) {
    places->owner[lane] = exec;
  }
  if (!exec->block->peers)
    *lanes = here;
  FOR_LANES(*lanes & away, lane) {
    PeerPlace place;
    if (!smb_peer_find(exec->block, &transfer->move, exec->w, (guint)lane, addresses[lane], &place))
      return FALSE;
    places->owner[lane] = place.block->state;
    places->offset[lane] = place.offset;
  }
  return TRUE;
}

// How many of @lanes name one of another block, of those that are located.
static guint
count_away(const Exec *exec, SmbLanes lanes, const Places *places) {
  guint n = 0;
  FOR_LANES(lanes, lane) {
    n += places->owner[lane] != exec;
  }
  return n;
}

static gboolean
fail_mbarrier(Exec *exec, const Step *step, guint lane, guint32 offset, const char *problem) {
  const SmbProgram *program = exec->block->program;
  g_autofree char *thread = smb_block_thread(exec->block, exec->w, lane);
  smb_block_fail(exec->block, step->place, "%s: byte %u of shared memory: %s, by %s",
                 smb_program_site(program, step->transfer->move.site)->expression, offset, problem,
                 thread);
  smb_inspect_note_failure(exec->block, SMB_DEFECT_MBARRIER, exec->w, lane);
  return FALSE;
}

static void
create_mbarrier(Exec *exec, guint32 offset, guint32 count, guint32 phase) {
  MBarrier *barrier = g_new0(MBarrier, 1);
  barrier->offset = offset;
  barrier->expected = barrier->pending = count;
  barrier->first = barrier->phase = phase;
  smb_inspect_set(exec->block, offset, MBARRIER_OBJECT_BYTES);
  g_hash_table_insert(exec->sync->mbarriers, mbarrier_key(offset), barrier);
  memset(exec->block->shared_marks + offset, 0, MBARRIER_OBJECT_BYTES);
}

// Where lanes may differ in how many arrivals they expect, machine code makes one by storing its 8 bytes: what is left
// of the most arrivals that there can be, from bit 1 and from bit 43 on, and the parity of its phase in the highest bit. What an mbarrier
// holds is not known once it is made.
static void
read_stored_mbarrier(Exec *exec, guint32 offset) {
  const SmbBlock *block = exec->block;
  guint32 words[2];
  for (guint i = 0; i < MBARRIER_OBJECT_BYTES; i++) {
    if (!(block->shared_marks[offset + i] & MARK_KNOWN))
      return;
  }
  memcpy(words, block->shared + offset, sizeof words);
  guint32 left = words[0] >> 1, phase = words[1] >> 31;
  if (left <= MAX_COUNT && words[0] == left << 1 && words[1] == (left << 11 | phase << 31))
    create_mbarrier(exec, offset, MAX_COUNT + 1 - left, phase);
}

// What is in the system's part of shared memory is there before a block begins, so that another one may arrive there: what the block before
// left is forgotten then.
static void
reset_ahead(const Exec *exec, Exec *owner) {
  if (owner == exec || owner->block->steps > 0 || owner->sync->is_reset)
    return;
  smb_mbarriers_reset(owner);
  owner->sync->is_reset = TRUE;
}

gboolean
smb_mbarrier_find(Exec *exec, const Step *step, guint lane, const Places *places,
                  MBarrier **barrier) {
  Exec *owner = places->owner[lane];
  guint32 offset = places->offset[lane];
  reset_ahead(exec, owner);
  read_stored_mbarrier(owner, offset);
  *barrier = g_hash_table_lookup(owner->sync->mbarriers, mbarrier_key(offset));
  return *barrier || owner->sync->forgot_mbarriers ||
         fail_mbarrier(exec, step, lane, offset,
                       owner == exec
                           ? "not an mbarrier: expected mbarrier.init first"
                           : "not an mbarrier in another block of the cluster: expected its "
                             "mbarrier.init first, and a barrier of the cluster after it");
}

// --- phases

void
smb_mbarrier_complete_phase(Exec *exec, MBarrier *barrier) {
  barrier->phase++;
  barrier->pending = barrier->expected;
  barrier->bytes = 0;
  barrier->is_unsized = FALSE;
  smb_shadow_barrier(exec->block->shadow);
  if (exec->block->check)
    smb_inspect_complete(exec->block, barrier->offset);
  for (guint w = 0; w < exec->block->n_warps; w++)
    smb_mbarriers_let_go(&exec->warps[w]);
}

static void
complete_if_due(Exec *exec, MBarrier *barrier) {
  exec->sync->timeouts = 0;
  if (barrier->pending == 0 && barrier->bytes == 0 && !barrier->is_unsized)
    smb_mbarrier_complete_phase(exec, barrier);
}

static gboolean
expect_bytes(Exec *exec, const Step *step, MBarrier *barrier, guint lane, guint32 offset,
             gint64 bytes) {
  barrier->bytes += bytes;
  if (ABS(barrier->bytes) > MAX_COUNT)
    return fail_mbarrier(exec, step, lane, offset,
                         "the tx-count of the mbarrier is more than 1048575 bytes");
  return TRUE;
}

// Of a block that is checked.
static void
note_arrival(Exec *exec, Exec *owner, guint32 offset) {
  smb_inspect_arrive(exec->block, exec->w, owner == exec ? offset : CHECK_TOLD_PEERS);
  if (owner != exec)
    smb_inspect_arrive_from_peer(owner->block, offset);
}

// The same of what a copy has brought, to this block or that of the mbarrier.
static void
note_copied(Exec *exec, Exec *owner, guint32 offset) {
  smb_inspect_finish(owner->block, CHECK_COPIES, 0, offset);
  if (owner == exec)
    return;
  smb_inspect_finish(exec->block, CHECK_COPIES, 0, CHECK_TOLD_PEERS);
  smb_inspect_arrive_from_peer(owner->block, offset);
}

static gboolean
arrive_at_mbarrier(Exec *exec, const Step *step, MBarrier *barrier, guint lane,
                   const Places *places, guint32 count) {
  Exec *owner = places->owner[lane];
  guint32 offset = places->offset[lane];
  // Where one block stands for all, some of them may have arrived elsewhere.
  if (count > barrier->pending && exec->block->peers && exec->block->peers->is_alike)
    count = barrier->pending;
  if (count > barrier->pending)
    return fail_mbarrier(exec, step, lane, offset,
                         "more arrivals than the pending count of the mbarrier");
  barrier->pending -= count;
  tell_mbarrier(exec, owner, barrier, SMB_PHASE_ARRIVES, 0);
  if (exec->block->check)
    note_arrival(exec, owner, offset);
  complete_if_due(owner, barrier);
  return TRUE;
}

static gboolean
init_mbarrier(Exec *exec, const Step *step, guint lane, const Places *places, guint32 count,
              guint32 phase) {
  guint32 offset = places->offset[lane];
  if (count == 0 || count > MAX_COUNT)
    return fail_mbarrier(exec, step, lane, offset, "expected a count of 1 to 1048575 arrivals");
  create_mbarrier(places->owner[lane], offset, count, phase);
  return TRUE;
}

// --- what lanes do, one after the other

// What the instruction does for one lane (PTX ISA, "mbarrier"). Dropping lowers the count of the next phase and
// arrives in this one; complete_tx is expect_tx with the opposite sign.
static gboolean
act(Exec *exec, const Step *step, MBarrier *barrier, guint lane, const Places *places,
    guint32 number, guint32 phase) {
  Exec *owner = places->owner[lane];
  guint32 offset = places->offset[lane];
  if (owner != exec)
    ++*exec->block->peers->changes;
  switch ((MBarrierAction)(step->argument & MBARRIER_ACTION)) {
  case MBARRIER_INIT:
    return init_mbarrier(exec, step, lane, places, number, phase);
  case MBARRIER_INVALIDATE:
    g_hash_table_remove(owner->sync->mbarriers, mbarrier_key(offset));
    return TRUE;
  case MBARRIER_DROP:
    barrier->expected -= MIN(number, barrier->expected);
    return arrive_at_mbarrier(exec, step, barrier, lane, places, number);
  case MBARRIER_ARRIVE:
    return arrive_at_mbarrier(exec, step, barrier, lane, places, number);
  case MBARRIER_COMMIT:
    if (exec->block->check)
      smb_inspect_finish(exec->block, CHECK_TENSOR, exec->w,
                         owner == exec ? offset : CHECK_TOLD_PEERS);
    return arrive_at_mbarrier(exec, step, barrier, lane, places, number);
  case MBARRIER_DROP_EXPECT:
    tell_mbarrier(exec, owner, barrier, SMB_PHASE_ANNOUNCES, number);
    barrier->expected -= MIN(1, barrier->expected);
    return expect_bytes(exec, step, barrier, lane, offset, number) &&
           arrive_at_mbarrier(exec, step, barrier, lane, places, 1);
  case MBARRIER_ARRIVE_EXPECT:
    tell_mbarrier(exec, owner, barrier, SMB_PHASE_ANNOUNCES, number);
    return expect_bytes(exec, step, barrier, lane, offset, number) &&
           arrive_at_mbarrier(exec, step, barrier, lane, places, 1);
  case MBARRIER_EXPECT:
    tell_mbarrier(exec, owner, barrier, SMB_PHASE_ANNOUNCES, number);
    owner->sync->timeouts = 0;
    return expect_bytes(exec, step, barrier, lane, offset, number);
  case MBARRIER_COMPLETE:
    if (!expect_bytes(exec, step, barrier, lane, offset, -(gint64)number))
      return FALSE;
    complete_if_due(owner, barrier);
    return TRUE;
  case MBARRIER_TOUCH:
    return TRUE;
  }
  g_assert_not_reached();
}

// Those of @lanes that name the same object as @lane.
static SmbLanes
find_companions(SmbLanes lanes, guint lane, const Places *places) {
  SmbLanes found = 0;
  FOR_LANES(lanes, other) {
    if (places->owner[other] == places->owner[lane] &&
        places->offset[other] == places->offset[lane])
      found |= (SmbLanes)1 << other;
  }
  return found;
}

// The state ahead of what @lane does: the pending arrivals and the phase. In machine code it is what is left of the most arrivals that there
// can be, of those that are expected from bit 1 on and of those that are pending from bit 43 on, and the parity of the
// phase in the highest bit.
static void
take_state(const Step *step, const MBarrier *barrier, SmbLanes lanes, guint lane,
           const Places *places, guint32 states[2][SMB_MAX_LANES]) {
  states[0][lane] = barrier->pending;
  states[1][lane] = barrier->phase;
  if (!(step->argument & (MBARRIER_WORDS | MBARRIER_LANES)))
    return;
  states[0][lane] = (MAX_COUNT + 1 - barrier->expected) << 1;
  states[1][lane] = barrier->phase << 31 | ((MAX_COUNT + 1 - barrier->pending) & MAX_COUNT) << 11;
  if (!(step->argument & MBARRIER_LANES))
    return;
  SmbLanes companions = find_companions(lanes, lane, places);
  states[0][lane] = (guint32)companions;
  states[1][lane] = states[1][smb_lanes_first(companions)];
}

// The number of each lane; @otherwise, if it takes none. FALSE: it is not known.
static gboolean
read_lane_numbers(const Exec *exec, Row row, SmbLanes lanes, guint32 otherwise, guint32 *numbers) {
  const guint32 *values = NULL;
  if (row != NO_ROW && !mbarrier_known_row(exec, row, lanes, &values))
    return FALSE;
  FOR_LANES(lanes, lane) {
    numbers[lane] = values ? values[lane] : otherwise;
  }
  return TRUE;
}

// @located: of @lanes, those of which it is known where they name one.
static void
list_mbarriers(const Exec *exec, const Step *step, SmbLanes lanes, SmbLanes located,
               const Places *places) {
  guint n = smb_lanes_count(lanes);
  guint n_away = smb_lanes_count(lanes & ~located) + count_away(exec, located, places);
  if (n_away)
    exec_list_traffic(exec, step, SMB_TRAFFIC_CLUSTER, (guint64)MBARRIER_OBJECT_BYTES * n_away);
  if (n > n_away)
    exec_list_traffic(exec, step, SMB_TRAFFIC_BARRIER,
                      (guint64)MBARRIER_OBJECT_BYTES * (n - n_away));
}

gboolean
smb_step_mbarrier(Exec *exec, const Step *step, SmbLanes lanes) {
  guint32 numbers[SMB_MAX_LANES], phases[SMB_MAX_LANES];
  guint32 states[2][SMB_MAX_LANES] = {{0}}, unknown[SMB_MAX_LANES] = {0};
  gboolean known;
  Places places;
  SmbLanes here = lanes;
  if (!lanes)
    return TRUE;
  if (!smb_mbarriers_locate(exec, step, step->transfer, 0, &here, &places, &known))
    return FALSE;
  if (known)
    list_mbarriers(exec, step, lanes, here, &places);
  else
    exec_list_traffic(exec, step, SMB_TRAFFIC_BARRIER,
                      (guint64)MBARRIER_OBJECT_BYTES * smb_lanes_count(lanes));
  if (known && (!read_lane_numbers(exec, step->compute.s[0], here, 1, numbers) ||
                !read_lane_numbers(exec, step->compute.s[1], here, 0, phases))) {
    guint32 origin = row_origin(exec->warp->registers, step->compute.s[0]);
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
    known = FALSE;
  }
  if (!known) {
    smb_doubt_apart(exec, step, lanes, step_origin(exec, step));
    return TRUE;
  }
  if (exec->sync->forgot_mbarriers)
    smb_unknown_note(exec, step,
                     (Cause){.kind = CAUSE_ADDRESS, .origin = exec->sync->mbarrier_origin});
  FOR_LANES(here, lane) {
    MBarrier *barrier = NULL;
    gboolean needs = step->argument != MBARRIER_INIT;
    if (needs && !smb_mbarrier_find(exec, step, (guint)lane, &places, &barrier))
      return FALSE;
    if (barrier)
      take_state(step, barrier, here, (guint)lane, &places, states);
    unknown[lane] = barrier ? 0 : G_MAXUINT32;
    if ((barrier || !needs) &&
        !act(exec, step, barrier, (guint)lane, &places, numbers[lane], phases[lane]))
      return FALSE;
  }
  for (guint row = 0; here && row < 2 && step->compute.d != NO_ROW; row++)
    smb_row_set(exec->warp->registers, step->compute.d + row, here, states[row], unknown, 0,
                step_origin(exec, step));
  return TRUE;
}

// At the one that a lane names, in one block of the cluster.
static gboolean
act_in_block(Exec *exec, const Step *step, guint lane, guint32 above) {
  Places places;
  gboolean known;
  MBarrier *barrier;
  SmbLanes one = (SmbLanes)1 << lane;
  if (!smb_mbarriers_locate(exec, step, step->transfer, above, &one, &places, &known))
    return FALSE;
  if (!known || !one)
    return TRUE;
  exec_list_traffic(exec, step,
                    places.owner[lane] == exec ? SMB_TRAFFIC_BARRIER : SMB_TRAFFIC_CLUSTER,
                    MBARRIER_OBJECT_BYTES);
  return smb_mbarrier_find(exec, step, lane, &places, &barrier) &&
         (!barrier || act(exec, step, barrier, lane, &places, 1, 0));
}

gboolean
smb_step_mbarrier_each(Exec *exec, const Step *step, SmbLanes lanes) {
  if (step->argument & MBARRIER_OF_WARP)
    lanes &= -lanes;
  if (smb_row_known(exec->warp->registers, step->bulk->blocks, lanes) != lanes)
    smb_doubt_apart(exec, step, lanes, row_origin(exec->warp->registers, step->bulk->blocks));
  FOR_LANES(lanes, lane) {
    guint32 above[SMB_MAX_CLUSTER_BLOCKS];
    guint n = smb_bulk_ranks(exec, step->bulk, (guint)lane, above);
    for (guint i = 0; i < n; i++)
      if (!act_in_block(exec, step, (guint)lane, above[i]))
        return FALSE;
  }
  return TRUE;
}

gboolean
smb_step_mbarrier_once(Exec *exec, const Step *step, SmbLanes lanes) {
  return smb_step_mbarrier(exec, step, lanes & -lanes);
}

// Bytes of a lane complete on the barrier that it names, in one block of the cluster.
static gboolean
complete_bytes(Exec *exec, const Step *step, const Transfer *transfer, guint lane, guint32 above,
               guint64 bytes) {
  Places places;
  gboolean known;
  MBarrier *barrier;
  SmbLanes one = (SmbLanes)1 << lane;
  if (!smb_mbarriers_locate(exec, step, transfer, above, &one, &places, &known))
    return FALSE;
  if (!known || !one)
    return TRUE;
  Exec *owner = places.owner[lane];
  guint32 offset = places.offset[lane];
  if (!smb_mbarrier_find(exec, step, lane, &places, &barrier))
    return FALSE;
  if (!barrier)
    return TRUE;
  tell_mbarrier(exec, owner, barrier, SMB_PHASE_ARRIVES, bytes);
  if (bytes == SMB_BYTES_UNKNOWN)
    barrier->is_unsized = TRUE;
  else if (!expect_bytes(exec, step, barrier, lane, offset, -(gint64)bytes))
    return FALSE;
  if (owner != exec)
    ++*exec->block->peers->changes;
  if (owner->block->check)
    note_copied(exec, owner, offset);
  complete_if_due(owner, barrier);
  return TRUE;
}

gboolean
smb_mbarriers_complete(Exec *exec, const Step *step, const Transfer *transfer, SmbLanes lanes,
                       const guint64 *bytes) {
  FOR_LANES(lanes, lane) {
    guint32 above[SMB_MAX_CLUSTER_BLOCKS];
    guint n = smb_bulk_ranks(exec, step->bulk, (guint)lane, above);
    for (guint i = 0; i < n; i++)
      if (!complete_bytes(exec, step, transfer, (guint)lane,
                          step->bulk->is_paired ? above[i] & ~PAIR_BIT : above[i], bytes[lane]))
        return FALSE;
  }
  return TRUE;
}
