// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers in shared memory (PTX ISA, "mbarrier"): a phase is complete when all arrivals that it expects have come, and
// as many bytes have been copied as were announced; then the next one begins. An asynchronous copy is complete as soon
// as it begins; one of unknown size, once nothing else can continue.
//
// Threads of other blocks of the cluster arrive, announce bytes and copy as those of the block do.
//
// A lane that tests a phase before it is complete waits: hardware may delay it as long. If nothing else can run, the
// test fails; a kernel in which this happens again and again does not end. The object is kept beside shared memory:
// what its 8 bytes hold is not defined, and here not known.
#include <string.h>

#include "sim/base/hash.h"
#include "sim/exec/sync/sync.h"
#include "sim/machine/check/checking.h"

enum {
  MAX_COUNT = (1 << 20) - 1, // of arrivals, and of bytes
  OBJECT_BYTES = 8,
  MAX_TIMEOUTS = 256, // waits that end without success, one after the other, while nothing happens
};

// Where lanes name objects: whose they are, and where in its shared memory.
typedef struct {
  Exec *owner[SMB_MAX_LANES];
  guint32 offset[SMB_MAX_LANES];
} Places;

typedef struct {
  guint32 offset;
  guint32 expected; // arrivals, of the next phase
  guint32 pending;  // arrivals
  gint64 bytes;     // that are announced and not copied
  guint32 phase;
  gboolean is_unsized; // it is not known how many bytes were copied
} MBarrier;

// Lanes that wait go on. Those that gave way to others test for themselves, also where these do.
static void
release_warp(Warp *warp) {
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
    release_warp(&exec->warps[w]);
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

static gpointer
key_of(guint32 offset) {
  return GUINT_TO_POINTER(offset);
}

// --- where they are

// A number that @lanes hold in a row; FALSE: it is not known.
static gboolean
read_known_row(const Exec *exec, Row row, SmbLanes lanes, const guint32 **values) {
  const Registers *registers = exec->warp->registers;
  if (smb_row_known(registers, row, lanes) != lanes)
    return FALSE;
  exec_watch_row(exec, row);
  *values = row_values(registers, row);
  return TRUE;
}

// Tells what a lane does at a barrier of the block; what happens at those of others is theirs.
static void
tell_mbarrier(const Exec *exec, const Exec *owner, const MBarrier *barrier, guint what,
              guint64 bytes) {
  if (owner == exec)
    exec_tell_phase(exec, what, SMB_BARRIER_SHARED + (guint64)barrier->offset, barrier->phase,
                    bytes);
}

// Where @lanes name objects, or @above that, in another block; those of other blocks are left out of them, unless these are here.
// *@known: FALSE: it is not known.
static gboolean
locate_mbarriers(Exec *exec, const Step *step, const Transfer *transfer, guint32 above,
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
create_mbarrier(Exec *exec, guint32 offset, guint32 count) {
  MBarrier *barrier = g_new0(MBarrier, 1);
  barrier->offset = offset;
  barrier->expected = barrier->pending = count;
  smb_inspect_set(exec->block, offset, OBJECT_BYTES);
  g_hash_table_insert(exec->sync->mbarriers, key_of(offset), barrier);
  memset(exec->block->shared_marks + offset, 0, OBJECT_BYTES);
}

// Where lanes may differ in how many arrivals they expect, machine code makes one by storing its 8 bytes: what is left
// of the most arrivals that there can be, from bit 1 and from bit 43 on. What an mbarrier holds is not known once it is
// made.
static void
read_stored_mbarrier(Exec *exec, guint32 offset) {
  const SmbBlock *block = exec->block;
  guint32 words[2];
  for (guint i = 0; i < OBJECT_BYTES; i++) {
    if (!(block->shared_marks[offset + i] & MARK_KNOWN))
      return;
  }
  memcpy(words, block->shared + offset, sizeof words);
  guint32 left = words[0] >> 1;
  if (left <= MAX_COUNT && words[0] == left << 1 && words[1] == left << 11)
    create_mbarrier(exec, offset, MAX_COUNT + 1 - left);
}

// *@barrier: NULL, if nothing is known of it.
static gboolean
find_mbarrier(Exec *exec, const Step *step, guint lane, const Places *places, MBarrier **barrier) {
  Exec *owner = places->owner[lane];
  guint32 offset = places->offset[lane];
  read_stored_mbarrier(owner, offset);
  *barrier = g_hash_table_lookup(owner->sync->mbarriers, key_of(offset));
  return *barrier || owner->sync->forgot_mbarriers ||
         fail_mbarrier(exec, step, lane, offset, "not an mbarrier: expected mbarrier.init first");
}

// --- phases

static void
complete_phase(Exec *exec, MBarrier *barrier) {
  barrier->phase++;
  barrier->pending = barrier->expected;
  barrier->bytes = 0;
  barrier->is_unsized = FALSE;
  smb_shadow_barrier(exec->block->shadow);
  if (exec->block->check)
    smb_inspect_complete(exec->block, barrier->offset);
  for (guint w = 0; w < exec->block->n_warps; w++)
    release_warp(&exec->warps[w]);
}

static void
complete_if_due(Exec *exec, MBarrier *barrier) {
  exec->sync->timeouts = 0;
  if (barrier->pending == 0 && barrier->bytes == 0 && !barrier->is_unsized)
    complete_phase(exec, barrier);
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
  if (exec->block->check && owner == exec)
    smb_inspect_arrive(exec->block, exec->w, offset);
  complete_if_due(owner, barrier);
  return TRUE;
}

static gboolean
init_mbarrier(Exec *exec, const Step *step, guint lane, const Places *places, guint32 count) {
  guint32 offset = places->offset[lane];
  if (count == 0 || count > MAX_COUNT)
    return fail_mbarrier(exec, step, lane, offset, "expected a count of 1 to 1048575 arrivals");
  create_mbarrier(places->owner[lane], offset, count);
  return TRUE;
}

// --- what lanes do, one after the other

// What the instruction does for one lane (PTX ISA, "mbarrier"). Dropping lowers the count of the next phase and
// arrives in this one; complete_tx is expect_tx with the opposite sign.
static gboolean
act(Exec *exec, const Step *step, MBarrier *barrier, guint lane, const Places *places,
    guint32 number) {
  Exec *owner = places->owner[lane];
  guint32 offset = places->offset[lane];
  if (owner != exec)
    ++*exec->block->peers->changes;
  switch ((MBarrierAction)step->argument) {
  case MBARRIER_INIT:
    return init_mbarrier(exec, step, lane, places, number);
  case MBARRIER_INVALIDATE:
    g_hash_table_remove(owner->sync->mbarriers, key_of(offset));
    return TRUE;
  case MBARRIER_DROP:
    barrier->expected -= MIN(number, barrier->expected);
    return arrive_at_mbarrier(exec, step, barrier, lane, places, number);
  case MBARRIER_ARRIVE:
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

// The number of each lane; 1, if it takes none. FALSE: it is not known.
static gboolean
read_lane_numbers(const Exec *exec, const Step *step, SmbLanes lanes, guint32 *numbers) {
  const guint32 *values = NULL;
  if (step->compute.s[0] != NO_ROW && !read_known_row(exec, step->compute.s[0], lanes, &values))
    return FALSE;
  FOR_LANES(lanes, lane) {
    numbers[lane] = values ? values[lane] : 1;
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
    exec_list_traffic(exec, step, SMB_TRAFFIC_CLUSTER, (guint64)OBJECT_BYTES * n_away);
  if (n > n_away)
    exec_list_traffic(exec, step, SMB_TRAFFIC_BARRIER, (guint64)OBJECT_BYTES * (n - n_away));
}

gboolean
smb_step_mbarrier(Exec *exec, const Step *step, SmbLanes lanes) {
  guint32 numbers[SMB_MAX_LANES];
  guint32 states[2][SMB_MAX_LANES] = {{0}}, unknown[SMB_MAX_LANES] = {0};
  gboolean known;
  Places places;
  SmbLanes here = lanes;
  if (!lanes)
    return TRUE;
  if (!locate_mbarriers(exec, step, step->transfer, 0, &here, &places, &known))
    return FALSE;
  if (known)
    list_mbarriers(exec, step, lanes, here, &places);
  else
    exec_list_traffic(exec, step, SMB_TRAFFIC_BARRIER,
                      (guint64)OBJECT_BYTES * smb_lanes_count(lanes));
  if (known && !read_lane_numbers(exec, step, here, numbers)) {
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
    if (needs && !find_mbarrier(exec, step, (guint)lane, &places, &barrier))
      return FALSE;
    states[0][lane] = barrier ? barrier->pending : 0;
    states[1][lane] = barrier ? barrier->phase : 0;
    unknown[lane] = barrier ? 0 : G_MAXUINT32;
    if ((barrier || !needs) && !act(exec, step, barrier, (guint)lane, &places, numbers[lane]))
      return FALSE;
  }
  for (guint row = 0; here && row < 2 && step->compute.d != NO_ROW; row++)
    smb_row_set(exec->warp->registers, step->compute.d + row, here, states[row], unknown, 0,
                step_origin(exec, step));
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
  if (!locate_mbarriers(exec, step, transfer, above, &one, &places, &known))
    return FALSE;
  if (!known || !one)
    return TRUE;
  Exec *owner = places.owner[lane];
  guint32 offset = places.offset[lane];
  if (!find_mbarrier(exec, step, lane, &places, &barrier))
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
    smb_inspect_copied(owner->block, offset);
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
      if (!complete_bytes(exec, step, transfer, (guint)lane, above[i], bytes[lane]))
        return FALSE;
  }
  return TRUE;
}

// --- waits

// Tells of a wait that is over for which phase it was, by the first lane whose barrier is the block's own: the one before this, if there
// was one.
static void
tell_awaited(const Exec *exec, const Places *places, SmbLanes done) {
  FOR_LANES(done, lane) {
    if (places->owner[lane] != exec)
      continue;
    const MBarrier *barrier =
        g_hash_table_lookup(exec->sync->mbarriers, key_of(places->offset[lane]));
    exec_tell_phase(exec, SMB_PHASE_WAITS, SMB_BARRIER_SHARED + (guint64)barrier->offset,
                    barrier->phase - 1, 0);
    return;
  }
}

// The lanes of @lanes whose phase is complete, and those where that is unknown.
static gboolean
test_phases(Exec *exec, const Step *step, SmbLanes lanes, const Places *places, SmbLanes *done,
            SmbLanes *unknown) {
  const guint32 *numbers = NULL;
  gboolean parity = step->argument == MBARRIER_PARITY;
  gboolean known = read_known_row(exec, step->compute.s[0] + (parity ? 0 : 1), lanes, &numbers);
  FOR_LANES(lanes, lane) {
    MBarrier *barrier;
    if (!find_mbarrier(exec, step, (guint)lane, places, &barrier))
      return FALSE;
    if (!barrier || !known)
      *unknown |= (SmbLanes)1 << lane;
    else if (parity ? (barrier->phase ^ numbers[lane]) % 2 : barrier->phase != numbers[lane])
      *done |= (SmbLanes)1 << lane;
    if (exec->block->check && *done >> lane & 1 && places->owner[lane] == exec)
      smb_inspect_await(exec->block, exec->w, (SmbLanes)1 << lane, places->offset[lane]);
  }
  return TRUE;
}

// What is copied meanwhile, and when, is not known.
static void
forget_copied(Exec *exec, const Step *step) {
  const Registers *registers = exec->warp->registers;
  const Row number = step->compute.s[0];
  const guint32 origin = row_flags(registers, number) & ROW_UNKNOWN ? row_origin(registers, number)
                                                                    : exec->sync->mbarrier_origin;
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
  smb_unknown_forget_shared(exec, step);
}

gboolean
smb_step_mbarrier_wait(Exec *exec, const Step *step, SmbLanes lanes) {
  Warp *warp = exec->warp;
  Places places;
  gboolean known;
  SmbLanes done = 0, here = lanes, unknown = 0;
  if (!lanes)
    return TRUE;
  smb_spin_warn(exec, step);
  if (!locate_mbarriers(exec, step, step->transfer, 0, &here, &places, &known) ||
      (known && !test_phases(exec, step, here, &places, &done, &unknown)))
    return FALSE;
  unknown |= known ? lanes & ~here : lanes;
  if (unknown)
    forget_copied(exec, step);
  else if (!done && !(warp->timed_out & lanes)) {
    warp->splits->pc = step_number(exec, step);
    smb_splits_hold(warp->splits, warp->splits->mask, HELD_BY_MBARRIER);
    return TRUE;
  }
  warp->timed_out &= ~lanes;
  if (done)
    tell_awaited(exec, &places, done);
  exec_list_traffic(exec, step, SMB_TRAFFIC_WAIT, (guint64)OBJECT_BYTES * smb_lanes_count(lanes));
  smb_predicate_set(warp->registers, step->compute.p, lanes, done, unknown, 0,
                    step_origin(exec, step));
  return TRUE;
}

// Of a block that stands for its cluster, what others bring is taken to come where something has come.
static gboolean
may_complete(const Exec *exec, const MBarrier *barrier) {
  gboolean is_alike = exec->block->peers && exec->block->peers->is_alike;
  gboolean has_begun = barrier->bytes != 0 || barrier->pending < barrier->expected;
  return (barrier->is_unsized && barrier->pending == 0) || (is_alike && has_begun);
}

static gboolean
complete_unsized(Exec *exec) {
  GHashTableIter iter;
  gpointer value;
  gboolean any = FALSE;
  g_hash_table_iter_init(&iter, exec->sync->mbarriers);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    MBarrier *barrier = value;
    if (!may_complete(exec, barrier))
      continue;
    complete_phase(exec, barrier);
    any = TRUE;
  }
  return any;
}

static SmbLanes
count_held(const Exec *exec) {
  SmbLanes held = 0;
  for (guint w = 0; w < exec->block->n_warps; w++)
    held |= smb_splits_held(exec->warps[w].splits, HELD_BY_MBARRIER);
  return held;
}

gboolean
smb_mbarriers_release(Exec *exec) {
  if (!count_held(exec) || smb_cluster_may_move(exec))
    return FALSE;
  if (complete_unsized(exec)) {
    exec->sync->timeouts = 0;
    return TRUE;
  }
  if (++exec->sync->timeouts > MAX_TIMEOUTS)
    return FALSE;
  for (guint w = 0; w < exec->block->n_warps; w++) {
    Warp *warp = &exec->warps[w];
    warp->timed_out = smb_splits_held(warp->splits, HELD_BY_MBARRIER);
    release_warp(warp);
  }
  return TRUE;
}

gboolean
smb_mbarriers_check(Exec *exec) {
  for (guint w = 0; w < exec->block->n_warps; w++) {
    SmbLanes held = smb_splits_held(exec->warps[w].splits, HELD_BY_MBARRIER);
    if (!held)
      continue;
    guint lane = smb_lanes_first(held);
    guint32 pc;
    Places places;
    gboolean known;
    SmbLanes one = (SmbLanes)1 << lane;
    smb_splits_lane(exec->warps[w].splits, lane, &pc);
    exec->w = w;
    exec->warp = &exec->warps[w];
    const Step *step = &exec->steps[pc];
    if (!locate_mbarriers(exec, step, step->transfer, 0, &one, &places, &known))
      return FALSE;
    const MBarrier *barrier =
        known && one && places.owner[lane] == exec
            ? g_hash_table_lookup(exec->sync->mbarriers, key_of(places.offset[lane]))
            : NULL;
    if (!barrier)
      continue;
    const guint *cluster = exec->block->cluster;
    return smb_block_fail(
        exec->block, step->place,
        "%s: warp %u waits here forever: the mbarrier at byte %u of shared memory still expects %u "
        "arrival%s and %" G_GINT64_FORMAT " bytes%s",
        smb_program_site(exec->block->program, step->transfer->move.site)->expression, w,
        places.offset[lane], barrier->pending, barrier->pending == 1 ? "" : "s", barrier->bytes,
        !exec->block->peers && cluster[0] * cluster[1] * cluster[2] > 1
            ? "; what other blocks of the cluster do to it is not modelled"
            : "");
  }
  return TRUE;
}
