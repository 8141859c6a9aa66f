// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Hazards in shared memory: two threads access a granule, at least one of them writes, and nothing puts one after the other. A write
// of what was there already is none (racecheck: of severity INFO), nor are atomics with each other. Of what reads a granule between two
// writes, two threads are remembered. And reads of what nobody has written.
//
// Products of four warps (wgmma) read as their warps do, and go on to read until one of the four has waited for them; copies in bulk from
// shared memory, until their warp has waited for their group. What a thread stored
// they find behind a fence.proxy.async, and so do copies in bulk from shared memory; copies (cp.async) are taken to need none, as in public
// kernels.
//
// A flag is what a loop polls that does nothing else: whoever finds it set sees what was done before it was set. So does the next
// compare-and-swap, or exchange, of one; and, of what was done before a fence, the next atomic of any kind that returns something.
//
// The system's part of shared memory has barriers of cooperative groups, and what they exchange: it puts threads in order, and nothing
// is said of it.
#include <string.h>

#include "sim/machine/check/checking.h"

enum {
  POLLS_UNKNOWN,
  POLLS_NOT,
  POLLS,
};

// One granule of an access of a lane.
typedef struct {
  const Move *move;
  const Access *access;
  guint lane, thread;
  guint32 offset; // in shared memory
  guint32 value;
  gboolean has_value, is_late;
  gboolean is_product; // of four warps, for the one of the thread
  gboolean is_sent;    // a copy in bulk reads it, which is waited for as a group
  gboolean is_async;   // reads by the asynchronous proxy: a product, a copy in bulk
  gboolean is_store;   // of a thread: no copy
  gboolean sets_flag;
  guint32 told; // a bit for each kind: of this lane's access, once is enough
} Touching;

static gboolean
is_polled_site(const SmbBlock *block, guint site) {
  const Inspection *check = block->check;
  if (check->polls[site] == POLLS_UNKNOWN)
    check->polls[site] =
        check->asks_polls && check->asks_polls(check->polls_user, site) ? POLLS : POLLS_NOT;
  return check->polls[site] == POLLS;
}

static const char *
describe_missing(const SmbBlock *block, guint one, guint other) {
  if (other == check_copier(block))
    return "no wait for its mbarrier between them";
  if (other >= check_sender(block, 0))
    return "no cp.async.bulk.wait_group.read, and barrier behind it, between them";
  if (other > check_copier(block))
    return "no wgmma.wait_group, and barrier behind it, between them";
  return check_warp(block->check, one) == check_warp(block->check, other)
             ? "no __syncwarp() or barrier between them"
             : "no barrier between them";
}

static char *
describe_other(const SmbBlock *block, guint other) {
  if (other < check_copier(block))
    return smb_inspect_thread(block, other);
  return g_strdup(other == check_copier(block) || other >= check_sender(block, 0) ? "a copy in bulk"
                                                                                  : "a wgmma");
}

// What it is that a touch does: the rest is said by who finds it.
static CheckFound
begin_found(const SmbBlock *block, const Touching *touch, SmbDefectKind kind) {
  const SmbArray *array = touch->is_product && block->program->tracks
                              ? smb_program_array_at(block->program, touch->offset)
                              : NULL;
  CheckFound found = {.kind = kind,
                      .array = array ? array->name : NULL,
                      .site = touch->move->site,
                      .other = G_MAXUINT,
                      .warp = touch->access->warp,
                      .lane = touch->is_product ? G_MAXUINT : touch->lane,
                      .other_thread = G_MAXUINT,
                      .address = touch->offset};
  if (!touch->is_product)
    found.array = smb_access_array(block, touch->access, touch->lane, touch->offset);
  return found;
}

static char *
describe_toucher(const SmbBlock *block, const Touching *touch) {
  return touch->is_product ? g_strdup("a wgmma") : smb_inspect_thread(block, touch->thread);
}

static void
tell_hazard(SmbBlock *block, Touching *touch, SmbDefectKind kind, guint other, guint site,
            const char *missing) {
  CheckFound found = begin_found(block, touch, kind);
  found.other = site;
  found.other_thread = other;
  if (touch->told >> kind & 1 || touch->offset >= block->shared_bytes)
    return;
  touch->told |= 1u << kind;
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *me = describe_toucher(block, touch);
  g_autofree char *them = describe_other(block, other);
  g_autofree char *where = smb_site_place(smb_program_site(block->program, site));
  g_autofree char *memory = smb_inspect_place(block, found.array, touch->offset);
  smb_inspect_tell(block, &found, "%s is %s by %s and %s by %s at %s, with %s", memory,
                   kind == SMB_DEFECT_RACE_READ ? "read" : "written", me,
                   kind == SMB_DEFECT_RACE_OVERWRITE ? "read" : "written", them, where, missing);
}

// --- a granule

static gboolean
is_polled_cell(const SmbBlock *block, const Touching *touch, CheckCell *cell, guint site) {
  if (check_is_current(block->check, cell->polled) || touch->offset >= block->shared_bytes)
    return TRUE;
  if (!block->check->is_polling && !is_polled_site(block, site))
    return FALSE;
  cell->polled = block->check->now;
  return TRUE;
}

// Whether what was done at a time is before a touch. Lanes of a warp come to a product together.
static gboolean
is_before(const SmbBlock *block, const Touching *touch, guint other, guint32 time) {
  const Inspection *check = block->check;
  if (!check_is_current(check, time) || (time < check->floor && other < check_copier(block)))
    return TRUE;
  return (touch->is_product && check_warp(check, other) == touch->access->warp) ||
         smb_inspect_sees(block, touch->thread, other, time);
}

static void
check_last_write(SmbBlock *block, Touching *touch, CheckCell *cell, SmbDefectKind kind) {
  if (is_before(block, touch, cell->writer, cell->wrote))
    return;
  if (is_polled_cell(block, touch, cell, touch->move->site)) {
    smb_inspect_acquire(block, touch->thread, cell->writer, cell->wrote);
    smb_inspect_find_released(block, touch->thread, touch->offset);
  } else
    tell_hazard(block, touch, kind, cell->writer, cell->write_site,
                describe_missing(block, touch->thread, cell->writer));
}

// Of the asynchronous proxy: whether it finds what a thread stored.
static void
check_fence(SmbBlock *block, Touching *touch, const CheckCell *cell) {
  if (cell->is_store && check_is_current(block->check, cell->wrote) &&
      !smb_inspect_is_fenced(block, touch->access->warp, cell->writer, cell->wrote))
    tell_hazard(block, touch, SMB_DEFECT_RACE_READ, cell->writer, cell->write_site,
                "no fence.proxy.async between them");
}

static void
check_last_reads(SmbBlock *block, Touching *touch, CheckCell *cell) {
  for (guint i = 0; i < G_N_ELEMENTS(cell->read); i++) {
    if (is_before(block, touch, cell->reader[i], cell->read[i]) ||
        is_polled_cell(block, touch, cell, cell->read_site[i]))
      continue;
    tell_hazard(block, touch, SMB_DEFECT_RACE_OVERWRITE, cell->reader[i], cell->read_site[i],
                describe_missing(block, touch->thread, cell->reader[i]));
    if (!check_is_current(block->check, cell->set))
      block->check->races[cell->read_site[i]] = TRUE;
    return;
  }
}

// The reader takes its own place, that of one of its warp, or the older one.
static void
note_reader(const SmbBlock *block, const Touching *touch, CheckCell *cell) {
  const Inspection *check = block->check;
  guint warp = touch->access->warp;
  guint reader = touch->is_product ? check_product(block, warp)
                 : touch->is_sent  ? check_sender(block, warp)
                                   : touch->thread;
  guint i = 0;
  if (cell->reader[0] != reader && check_is_current(check, cell->read[0]))
    i = check_warp(check, cell->reader[1]) == check_warp(check, reader) ||
        cell->read[1] <= cell->read[0];
  cell->read[i] = check->now;
  cell->reader[i] = (guint16)reader;
  cell->read_site[i] = touch->move->site;
}

static void
note_writer(const SmbBlock *block, const Touching *touch, CheckCell *cell, gboolean is_atomic) {
  cell->wrote = block->check->now;
  cell->set = block->check->now;
  cell->writer = (guint16)(touch->is_late ? check_copier(block) : touch->thread);
  cell->write_site = touch->move->site;
  cell->is_atomic = (guint8)is_atomic;
  cell->is_store = (guint8)touch->is_store;
  cell->value = touch->value;
  cell->read[0] = cell->read[1] = 0;
}

static void
tell_unset(SmbBlock *block, Touching *touch) {
  const CheckFound found = begin_found(block, touch, SMB_DEFECT_UNSET_SHARED);
  if (touch->told >> found.kind & 1 || touch->offset >= block->shared_bytes)
    return;
  touch->told |= 1u << found.kind;
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *me = describe_toucher(block, touch);
  g_autofree char *memory = smb_inspect_place(block, found.array, touch->offset);
  smb_inspect_tell(block, &found, "%s is read by %s, but no thread of the block has written there",
                   memory, me);
}

static void
read_cell_checked(SmbBlock *block, Touching *touch, CheckCell *cell) {
  if (!(block->check->pending >> touch->lane & 1))
    check_last_write(block, touch, cell, SMB_DEFECT_RACE_READ);
  if (touch->is_async)
    check_fence(block, touch, cell);
  if (!check_is_current(block->check, cell->set))
    tell_unset(block, touch);
  note_reader(block, touch, cell);
}

static void
write_cell_checked(SmbBlock *block, Touching *touch, CheckCell *cell) {
  gboolean is_same = touch->has_value && check_is_current(block->check, cell->wrote) &&
                     !cell->is_atomic && cell->value == touch->value;
  if (!is_same && !(block->check->pending >> touch->lane & 1))
    check_last_write(block, touch, cell, SMB_DEFECT_RACE_WRITE);
  check_last_reads(block, touch, cell);
  touch->sets_flag = touch->sets_flag || check_is_current(block->check, cell->polled);
  note_writer(block, touch, cell, FALSE);
}

// Locks are taken and given by these.
static gboolean
is_lock(const Move *move) {
  return move->atomic == ATOMIC_CAS || move->atomic == ATOMIC_EXCHANGE;
}

static void
update_cell_checked(SmbBlock *block, Touching *touch, CheckCell *cell) {
  gboolean was_written = check_is_current(block->check, cell->wrote);
  if (was_written && is_lock(touch->move))
    smb_inspect_acquire(block, touch->thread, cell->writer, cell->wrote);
  if (is_lock(touch->move))
    cell->polled = block->check->now;
  if (touch->move->reads)
    smb_inspect_find_released(block, touch->thread, touch->offset);
  if (was_written && !cell->is_atomic)
    check_last_write(block, touch, cell,
                     touch->move->reads ? SMB_DEFECT_RACE_READ : SMB_DEFECT_RACE_WRITE);
  if (touch->move->reads && !check_is_current(block->check, cell->set))
    tell_unset(block, touch);
  check_last_reads(block, touch, cell);
  if (!touch->is_late) // a copy in bulk puts nothing of its thread in order
    smb_inspect_release(block, touch->access->warp, touch->offset);
  note_writer(block, touch, cell, TRUE);
}

// --- an access

// The granules of one lane, from @at on.
static void
touch_lane(SmbBlock *block, Touching *touch, guint32 at, gsize width, const MarkedWords *words) {
  const Inspection *check = block->check;
  gsize granule = (gsize)1 << check->granule_shift;
  SmbOpClass op_class = touch->move->op_class;
  gsize end = check->n_cells << check->granule_shift;
  width = MIN(width, end - MIN(at, end));
  for (gsize done = 0; done < width; done += granule) {
    touch->offset = at + (guint32)done;
    CheckCell *cell = &check->cells[touch->offset >> check->granule_shift];
    if (words && op_class != SMB_OP_CLASS_LOAD) {
      guint32 word = words->values[done / 4][touch->lane];
      touch->value = word >> (8 * (done % 4)) & (granule < 4 ? (1u << 8 * granule) - 1 : G_MAXUINT);
    }
    if (op_class == SMB_OP_CLASS_LOAD)
      read_cell_checked(block, touch, cell);
    else if (op_class == SMB_OP_CLASS_STORE)
      write_cell_checked(block, touch, cell);
    else
      update_cell_checked(block, touch, cell);
  }
}

void
smb_inspect_access(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                   const MarkedWords *words) {
  Inspection *check = block->check;
  gboolean sets_flag = move->op_class == SMB_OP_CLASS_ATOMIC && is_lock(move);
  gboolean copies = move->op == SMB_OP_CP_ASYNC_CA || move->op == SMB_OP_CP_ASYNC_CG;
  Touching touch = {
      .move = move, .access = access, .has_value = words && !copies, .is_store = !copies};
  FOR_LANES(access->lanes[SPACE_SHARED] & lanes, lane) {
    touch.lane = (guint)lane;
    touch.thread = access->warp * block->lanes + (guint)lane;
    touch.told = 0;
    touch_lane(block, &touch, access->request.offset[lane], move->width,
               touch.has_value ? words : NULL);
  }
  if (sets_flag || touch.sets_flag) // what follows is not seen by who finds it
    smb_inspect_advance(block);
  if (access->lanes[SPACE_GLOBAL] & lanes)
    smb_inspect_initial(block, move, access, lanes);
  check->pending = 0;
}

void
smb_inspect_bulk(SmbBlock *block, const Move *move, const Access *access, guint lane) {
  gboolean reads = move->op_class == SMB_OP_CLASS_LOAD;
  Touching touch = {.move = move,
                    .access = access,
                    .lane = lane,
                    .thread = access->warp * block->lanes + lane,
                    .is_late = move->is_late && !reads,
                    .is_sent = reads && move->is_bulk && !move->is_late,
                    .is_async = reads && move->is_bulk};
  touch_lane(block, &touch, access->request.offset[lane], move->width, NULL);
}

// A descriptor may name what is ahead of the program's own memory, too: what the system has of it.
static void
tell_operand_outside(SmbBlock *block, guint site, guint warp, guint32 offset) {
  const CheckFound found = {.kind = SMB_DEFECT_ADDRESS,
                            .site = site,
                            .other = G_MAXUINT,
                            .warp = warp,
                            .lane = G_MAXUINT,
                            .other_thread = G_MAXUINT,
                            .address = offset};
  if (smb_inspect_counts(block, &found))
    return;
  if (offset > G_MAXINT32)
    smb_inspect_tell(block, &found, "%u bytes ahead of the block's shared memory, read by a wgmma",
                     -offset);
  else
    smb_inspect_tell(block, &found,
                     "byte %u of shared memory, which has %" G_GSIZE_FORMAT
                     " bytes, read by a wgmma",
                     offset, block->shared_bytes);
}

void
smb_inspect_operand(SmbBlock *block, guint site, guint warp, guint32 offset, gsize bytes) {
  const Move move = {.site = site, .op_class = SMB_OP_CLASS_LOAD};
  const Access access = {.warp = warp};
  if (offset >= block->shared_bytes || block->shared_bytes - offset < bytes) {
    tell_operand_outside(block, site, warp, offset);
    return;
  }
  Touching touch = {.move = &move,
                    .access = &access,
                    .thread = warp * block->lanes,
                    .is_product = TRUE,
                    .is_async = TRUE};
  touch_lane(block, &touch, offset, bytes, NULL);
}

void
smb_inspect_peer_read(SmbBlock *block, const Move *move, guint warp, guint lane,
                      const PeerPlace *place) {
  SmbBlock *owner = place->block;
  const Inspection *check = owner->check;
  guint32 end = (guint32)MIN(place->offset + move->width, owner->shared_bytes), at = place->offset;
  while (at < end && check_is_current(check, check->cells[at >> check->granule_shift].set))
    at++;
  if (at >= end)
    return;
  const SmbArray *array = block->program->tracks ? smb_program_array_at(block->program, at) : NULL;
  const CheckFound found = {.kind = SMB_DEFECT_UNSET_SHARED,
                            .site = move->site,
                            .other = G_MAXUINT,
                            .warp = warp,
                            .lane = lane,
                            .other_thread = G_MAXUINT,
                            .array = array ? array->name : NULL,
                            .address = at};
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *thread = smb_inspect_thread(block, warp * block->lanes + lane);
  g_autofree char *memory = smb_inspect_place(owner, found.array, at);
  smb_inspect_tell(block, &found,
                   "%s of block %u of the cluster is read by %s, but no thread has written there",
                   memory, owner->rank, thread);
}

void
smb_inspect_set(SmbBlock *block, guint32 offset, gsize bytes) {
  const Inspection *check = block->check;
  for (gsize at = offset; check && at < offset + bytes && at < block->shared_bytes; at++) {
    CheckCell *cell = &check->cells[at >> check->granule_shift];
    cell->set = check->now;
    cell->is_store = FALSE;
  }
}

void
smb_inspect_exempt(SmbBlock *block, guint32 offset, gsize bytes) {
  const Inspection *check = block->check;
  smb_inspect_set(block, offset, bytes);
  for (gsize at = offset; check && at < offset + bytes && at < block->shared_bytes; at++)
    check->cells[at >> check->granule_shift].polled = check->now;
}
