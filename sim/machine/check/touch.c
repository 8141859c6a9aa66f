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
// Of tcgen05 (PTX ISA 9.2, section 9.7.16.6), mma and cp read shared memory in the same way ("Shared Memory Accesses": by the asynchronous proxy), until
// the mbarrier of a tcgen05.commit was waited for. Tensor memory they access until then, ld and st until tcgen05.wait::ld and ::st: whoever comes before that races
// with them, be it the same thread ("Non-pipelined instructions, same thread"). In turn, without a wait, are the pairs of is_in_turn().
// Registers of ld may be used before the wait ("Register dependencies, same thread"). tcgen05.fence is not asked for, since the usual synchronization orders
// tcgen05 as well ("Specialized Inter-thread Synchronization").
//
// A flag is what a loop polls that does nothing else: whoever finds it set sees what was done before it was set. So does the next
// compare-and-swap, or exchange, of one; and, of what was done before a fence, the next atomic of any kind that returns something.
//
// The system's part of shared memory has barriers of cooperative groups, and what they exchange: it puts threads in order, and nothing
// is said of it.
#include <string.h>

#include "sim/machine/check/checking.h"
#include "sim/machine/tensor-memory.h"

enum {
  POLLS_UNKNOWN,
  POLLS_NOT,
  POLLS,
};

// One granule of an access of a lane, or of an agent.
typedef struct {
  const CheckSpace *space;
  SmbOpClass op_class;
  CheckAgent agent;
  guint site, warp, lane, thread;
  const Move *move;     // (nullable): not of CheckWork
  const Access *access; // the same
  guint32 offset;       // in the space
  guint32 value;        // that is written; in tensor memory a CheckWork.form
  gboolean has_value;
  gboolean is_peer;  // of another block: CheckWork.block
  gboolean is_async; // reads by the asynchronous proxy: a product, a copy in bulk
  gboolean is_store; // of a thread: no copy
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

static gboolean
is_of_tensor(const SmbBlock *block, const Touching *touch) {
  return touch->space == &block->check->tensor;
}

// Whether it is the program's own memory.
static gboolean
is_own(const SmbBlock *block, const Touching *touch) {
  return is_of_tensor(block, touch) || touch->offset < block->shared_bytes;
}

// Of tensor memory only tcgen05.dealloc is executed by its thread.
static gboolean
gives_back(const SmbBlock *block, const Touching *touch) {
  return is_of_tensor(block, touch) && touch->agent == CHECK_THREAD;
}

// Whether what touches a granule need not wait for the end of what an agent was given before, but be given its work after that. PTX ISA 9.2,
// "Pipelined tcgen05 Instructions": tcgen05.mma after cp, and after mma of the same accumulator, shape and kind. Later editions add what an mma reads of tensor
// memory, before what cp or mma writes there. Taken from public kernels, which rely on it: ld before st of the same warp. Two cp are taken to have an mma between
// them. What is synchronous, as dealloc is, comes after all of its thread. @form: of what was written: CheckWork.form; 0: it was read, or copied
static gboolean
is_in_turn(const SmbBlock *block, const Touching *touch, guint other, guint32 form) {
  const CheckAgent before = check_agent_of(block, other);
  if (!is_of_tensor(block, touch))
    return FALSE;
  if (touch->agent == CHECK_STORES)
    return before == CHECK_LOADS && other == check_agent(block, CHECK_LOADS, touch->warp);
  return touch->agent == CHECK_THREAD ||
         (touch->agent == CHECK_TENSOR && (before == CHECK_TENSOR || before == CHECK_PEERS) &&
          (form == 0 || form == touch->value));
}

static const char *
describe_missing(const SmbBlock *block, const Touching *touch, guint other, guint32 form) {
  static const char *const waits[N_CHECK_AGENTS] = {
      [CHECK_COPIES] = "no wait for its mbarrier between them",
      [CHECK_PRODUCTS] = "no wgmma.wait_group, and barrier behind it, between them",
      [CHECK_SENDS] = "no cp.async.bulk.wait_group.read, and barrier behind it, between them",
      [CHECK_TENSOR] = "no wait for the mbarrier of a tcgen05.commit between them",
      [CHECK_PEERS] = "no wait for the mbarrier of a tcgen05.commit between them",
      [CHECK_LOADS] = "no tcgen05.wait::ld, and barrier behind it, between them",
      [CHECK_STORES] = "no tcgen05.wait::st, and barrier behind it, between them"};
  const CheckAgent before = check_agent_of(block, other);
  if (before != CHECK_THREAD && !is_in_turn(block, touch, other, form))
    return before == CHECK_STORES && other == check_agent(block, CHECK_STORES, touch->warp)
               ? "no tcgen05.wait::st between them"
               : waits[before];
  return touch->warp == check_warp(block->check, other) ? "no __syncwarp() or barrier between them"
                                                        : "no barrier between them";
}

// "a wgmma"; of tcgen05 as the first two words of its opcode in PTX say (transfer full)
static char *
describe_agent(const SmbBlock *block, CheckAgent agent, guint site) {
  if (agent < CHECK_TENSOR)
    return g_strdup(agent == CHECK_PRODUCTS ? "a wgmma" : "a copy in bulk");
  static const struct {
    const char *name, *what; // in machine code
  } names[] = {{"LDTM", "tcgen05.ld"}, {"STTM", "tcgen05.st"}, {"UTCCP", "tcgen05.cp"}};
  const char *opcode = smb_program_site(block->program, site)->opcode;
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (g_str_has_prefix(opcode, names[i].name))
      return g_strdup_printf("a %s", names[i].what);
  if (g_str_has_prefix(opcode, "UTC"))
    return g_strdup("a tcgen05.mma");
  g_auto(GStrv) words = g_strsplit(opcode, ".", 3);
  return g_strdup_printf("a %s.%s", words[0], words[1]);
}

static char *
describe_other(const SmbBlock *block, guint other, guint site) {
  const CheckAgent agent = check_agent_of(block, other);
  return agent == CHECK_THREAD ? smb_inspect_thread(block, other)
                               : describe_agent(block, agent, site);
}

// Where it is in tensor memory.
static guint32
find_tensor_address(const Touching *touch) {
  const guint32 word = touch->offset >> touch->space->shift;
  return word / TENSOR_COLUMNS << TENSOR_LANE_SHIFT | word % TENSOR_COLUMNS;
}

static const char *
find_touched_array(const SmbBlock *block, const Touching *touch) {
  if (touch->access)
    return smb_access_array(block, touch->access, touch->lane, touch->offset);
  const SmbArray *array = block->program->tracks && !is_of_tensor(block, touch)
                              ? smb_program_array_at(block->program, touch->offset)
                              : NULL;
  return array ? array->name : NULL;
}

// What it is that a touch does: the rest is said by who finds it.
static CheckFound
begin_found(const SmbBlock *block, const Touching *touch, SmbDefectKind kind) {
  const gboolean is_of_warp =
      touch->agent == CHECK_PRODUCTS || touch->agent == CHECK_LOADS || touch->agent == CHECK_STORES;
  return (CheckFound){.kind = kind,
                      .array = find_touched_array(block, touch),
                      .site = touch->site,
                      .other = G_MAXUINT,
                      .warp = touch->warp,
                      .lane = is_of_warp ? G_MAXUINT : touch->lane,
                      .other_thread = G_MAXUINT,
                      .address =
                          is_of_tensor(block, touch) ? find_tensor_address(touch) : touch->offset};
}

// Copies in bulk are their thread's, until others come.
static char *
describe_toucher(const SmbBlock *block, const Touching *touch) {
  return touch->access || touch->agent == CHECK_THREAD
             ? smb_inspect_thread(block, touch->thread)
             : describe_agent(block, touch->agent, touch->site);
}

// "lane 3, column 64 of tensor memory" (transfer full)
static char *
describe_memory(const SmbBlock *block, const Touching *touch, const char *array) {
  if (!is_of_tensor(block, touch))
    return smb_inspect_place(block, array, touch->offset);
  const guint32 address = find_tensor_address(touch);
  return g_strdup_printf("lane %u, column %u of tensor memory", address >> TENSOR_LANE_SHIFT,
                         address & G_MAXUINT16);
}

static const char *
describe_deed(const SmbBlock *block, const Touching *touch, SmbDefectKind kind) {
  return gives_back(block, touch)       ? "given back"
         : kind == SMB_DEFECT_RACE_READ ? "read"
                                        : "written";
}

static void
tell_hazard(SmbBlock *block, Touching *touch, SmbDefectKind kind, guint other, guint site,
            const char *missing) {
  CheckFound found = begin_found(block, touch, kind);
  found.other = site;
  found.other_thread = other;
  if (touch->told >> kind & 1 || !is_own(block, touch))
    return;
  touch->told |= 1u << kind;
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *me = describe_toucher(block, touch);
  g_autofree char *them = describe_other(block, other, site);
  g_autofree char *where = smb_site_place(smb_program_site(block->program, site));
  g_autofree char *memory = describe_memory(block, touch, found.array);
  smb_inspect_tell(block, &found, "%s is %s by %s and %s by %s at %s, with %s", memory,
                   describe_deed(block, touch, kind), me,
                   kind == SMB_DEFECT_RACE_OVERWRITE ? "read" : "written", them, where, missing);
}

// --- a granule

static gboolean
is_polled_cell(const SmbBlock *block, const Touching *touch, CheckCell *cell, guint site) {
  if (check_is_current(block->check, cell->polled) || !is_own(block, touch))
    return TRUE;
  if (!block->check->is_polling && !is_polled_site(block, site))
    return FALSE;
  cell->polled = block->check->now;
  return TRUE;
}

// Whether what was done at a time is before a touch. Lanes of a warp come to a wgmma together. @form: as of is_in_turn()
static gboolean
is_before(const SmbBlock *block, const Touching *touch, guint other, guint32 time, guint32 form) {
  const Inspection *check = block->check;
  if (!check_is_current(check, time) ||
      (time < check->floor && check_agent_of(block, other) == CHECK_THREAD))
    return TRUE;
  return (touch->agent == CHECK_PRODUCTS && check_warp(check, other) == touch->warp) ||
         smb_inspect_sees(block, touch->thread, other, time) ||
         (is_in_turn(block, touch, other, form) &&
          smb_inspect_sees_begun(block, touch->warp, other, time));
}

static void
check_last_write(SmbBlock *block, Touching *touch, CheckCell *cell, SmbDefectKind kind) {
  if (is_before(block, touch, cell->writer, cell->wrote, cell->value))
    return;
  if (is_polled_cell(block, touch, cell, touch->site)) {
    smb_inspect_acquire(block, touch->thread, cell->writer, cell->wrote);
    smb_inspect_find_released(block, touch->thread, touch->offset);
  } else
    tell_hazard(block, touch, kind, cell->writer, cell->write_site,
                describe_missing(block, touch, cell->writer, cell->value));
}

// Of the asynchronous proxy: whether it finds what a thread stored.
static void
check_fence(SmbBlock *block, Touching *touch, const CheckCell *cell) {
  if (cell->is_store && check_is_current(block->check, cell->wrote) &&
      !smb_inspect_is_fenced(block, touch->warp, cell->writer, cell->wrote))
    tell_hazard(block, touch, SMB_DEFECT_RACE_READ, cell->writer, cell->write_site,
                "no fence.proxy.async between them");
}

static void
check_last_reads(SmbBlock *block, Touching *touch, CheckCell *cell) {
  for (guint i = 0; i < G_N_ELEMENTS(cell->read); i++) {
    if (is_before(block, touch, cell->reader[i], cell->read[i], 0) ||
        is_polled_cell(block, touch, cell, cell->read_site[i]))
      continue;
    tell_hazard(block, touch, SMB_DEFECT_RACE_OVERWRITE, cell->reader[i], cell->read_site[i],
                describe_missing(block, touch, cell->reader[i], 0));
    if (!check_is_current(block->check, cell->set))
      block->check->races[cell->read_site[i]] = TRUE;
    return;
  }
}

// Among threads.
static guint
find_actor(const SmbBlock *block, const Touching *touch) {
  if (touch->is_peer)
    return check_agent(block, CHECK_PEERS, 0);
  return touch->agent == CHECK_THREAD ? touch->thread
                                      : check_agent(block, touch->agent, touch->warp);
}

// The reader takes its own place, that of one of its warp, or the older one.
static void
note_reader(const SmbBlock *block, const Touching *touch, CheckCell *cell) {
  const Inspection *check = block->check;
  guint reader = find_actor(block, touch);
  guint i = 0;
  if (cell->reader[0] != reader && check_is_current(check, cell->read[0]))
    i = check_warp(check, cell->reader[1]) == check_warp(check, reader) ||
        cell->read[1] <= cell->read[0];
  cell->read[i] = check->now;
  cell->reader[i] = (guint16)reader;
  cell->read_site[i] = touch->site;
}

static void
note_writer(const SmbBlock *block, const Touching *touch, CheckCell *cell, gboolean is_atomic) {
  cell->wrote = block->check->now;
  cell->set = block->check->now;
  cell->writer = (guint16)find_actor(block, touch);
  cell->write_site = touch->site;
  cell->is_atomic = (guint8)is_atomic;
  cell->is_store = (guint8)touch->is_store;
  cell->value = touch->value;
  cell->read[0] = cell->read[1] = 0;
}

static void
tell_unset(SmbBlock *block, Touching *touch) {
  const CheckFound found = begin_found(block, touch, SMB_DEFECT_UNSET_SHARED);
  if (touch->told >> found.kind & 1 || !is_own(block, touch))
    return;
  touch->told |= 1u << found.kind;
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *me = describe_toucher(block, touch);
  g_autofree char *memory = smb_inspect_place(block, found.array, touch->offset);
  smb_inspect_tell(block, &found, "%s is read by %s, but no thread of the block has written there",
                   memory, me);
}

// What another block does comes after all: nobody here can tell.
static void
note_touching_peer(const SmbBlock *block, const Touching *touch, CheckCell *cell) {
  if (touch->op_class == SMB_OP_CLASS_LOAD)
    note_reader(block, touch, cell);
  else
    note_writer(block, touch, cell, FALSE);
}

static void
read_cell_checked(SmbBlock *block, Touching *touch, CheckCell *cell) {
  if (!(block->check->pending >> touch->lane & 1))
    check_last_write(block, touch, cell, SMB_DEFECT_RACE_READ);
  if (touch->is_async)
    check_fence(block, touch, cell);
  if (!check_is_current(block->check, cell->set) && !is_of_tensor(block, touch))
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
  if (touch->agent == CHECK_THREAD) // a copy in bulk puts nothing of its thread in order
    smb_inspect_release(block, touch->warp, touch->offset);
  note_writer(block, touch, cell, TRUE);
}

// --- an access

// The granules of one lane, from @at on.
static void
touch_lane(SmbBlock *block, Touching *touch, guint32 at, gsize width, const MarkedWords *words) {
  const CheckSpace *space = touch->space;
  gsize granule = (gsize)1 << space->shift;
  gsize end = space->n << space->shift;
  width = MIN(width, end - MIN(at, end));
  for (gsize done = 0; done < width; done += granule) {
    touch->offset = at + (guint32)done;
    CheckCell *cell = &space->cells[touch->offset >> space->shift];
    if (words && touch->op_class != SMB_OP_CLASS_LOAD) {
      guint32 word = words->values[done / 4][touch->lane];
      touch->value = word >> (8 * (done % 4)) & (granule < 4 ? (1u << 8 * granule) - 1 : G_MAXUINT);
    }
    if (touch->is_peer)
      note_touching_peer(block, touch, cell);
    else if (touch->op_class == SMB_OP_CLASS_LOAD)
      read_cell_checked(block, touch, cell);
    else if (touch->op_class == SMB_OP_CLASS_STORE)
      write_cell_checked(block, touch, cell);
    else
      update_cell_checked(block, touch, cell);
  }
}

static Touching
begin_touch(const SmbBlock *block, const Move *move, const Access *access, guint lane) {
  return (Touching){.space = &block->check->shared,
                    .op_class = move->op_class,
                    .agent = CHECK_THREAD,
                    .site = move->site,
                    .warp = access->warp,
                    .lane = lane,
                    .thread = access->warp * block->lanes + lane,
                    .move = move,
                    .access = access};
}

void
smb_inspect_access(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                   const MarkedWords *words) {
  Inspection *check = block->check;
  gboolean sets_flag = move->op_class == SMB_OP_CLASS_ATOMIC && is_lock(move);
  gboolean copies = move->op == SMB_OP_CP_ASYNC_CA || move->op == SMB_OP_CP_ASYNC_CG;
  FOR_LANES(access->lanes[SPACE_SHARED] & lanes, lane) {
    Touching touch = begin_touch(block, move, access, (guint)lane);
    touch.has_value = words && !copies;
    touch.is_store = !copies;
    touch_lane(block, &touch, access->request.offset[lane], move->width,
               touch.has_value ? words : NULL);
    sets_flag = sets_flag || touch.sets_flag;
  }
  if (sets_flag) // what follows is not seen by who finds it
    smb_inspect_advance(block);
  if (access->lanes[SPACE_GLOBAL] & lanes)
    smb_inspect_initial(block, move, access, lanes);
  check->pending = 0;
}

void
smb_inspect_bulk(SmbBlock *block, const Move *move, const Access *access, guint lane) {
  gboolean reads = move->op_class == SMB_OP_CLASS_LOAD;
  Touching touch = begin_touch(block, move, access, lane);
  touch.is_async = reads && move->is_bulk;
  if (move->is_late && !reads)
    touch.agent = CHECK_COPIES;
  else if (touch.is_async && !move->is_late)
    touch.agent = CHECK_SENDS;
  touch_lane(block, &touch, access->request.offset[lane], move->width, NULL);
}

static Touching
begin_work(const SmbBlock *block, const CheckWork *work, const CheckSpace *space,
           SmbOpClass op_class) {
  return (Touching){.space = space,
                    .op_class = op_class,
                    .agent = work->agent,
                    .site = work->site,
                    .warp = work->warp,
                    .lane = work->lane,
                    .thread = work->warp * block->lanes + work->lane,
                    .is_peer = work->block != block};
}

// A descriptor may name what is ahead of the program's own memory, too: what the system has of it.
static void
tell_operand_outside(SmbBlock *block, const Touching *touch) {
  CheckFound found = begin_found(block, touch, SMB_DEFECT_ADDRESS);
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *me = describe_toucher(block, touch);
  if (touch->offset > G_MAXINT32)
    smb_inspect_tell(block, &found, "%u bytes ahead of the block's shared memory, read by %s",
                     -touch->offset, me);
  else
    smb_inspect_tell(block, &found,
                     "byte %u of shared memory, which has %" G_GSIZE_FORMAT " bytes, read by %s",
                     touch->offset, block->shared_bytes, me);
}

void
smb_inspect_operand(SmbBlock *block, const CheckWork *work, guint32 offset, gsize bytes) {
  Touching touch = begin_work(block, work, &block->check->shared, SMB_OP_CLASS_LOAD);
  touch.is_async = TRUE;
  touch.offset = offset;
  if (offset >= block->shared_bytes || block->shared_bytes - offset < bytes)
    tell_operand_outside(block, &touch);
  else
    touch_lane(block, &touch, offset, bytes, NULL);
}

static void
open_tensor(Inspection *check) {
  check->tensor.shift = 2;
  check->tensor.n = TENSOR_LANES * TENSOR_COLUMNS;
  check->tensor.cells = g_new0(CheckCell, check->tensor.n);
}

void
smb_inspect_tensor(SmbBlock *block, CheckWork *work, SmbOpClass op_class, guint lane,
                   guint column) {
  const CheckSpace *space = &block->check->tensor;
  if (!space->cells)
    open_tensor(block->check);
  Touching touch = begin_work(block, work, space, op_class);
  touch.value = op_class == SMB_OP_CLASS_STORE ? work->form : 0;
  touch.told = work->told;
  touch_lane(block, &touch, (lane * TENSOR_COLUMNS + column) << space->shift, 1u << space->shift,
             NULL);
  work->told = touch.told;
}

void
smb_inspect_peer_read(SmbBlock *block, const Move *move, guint warp, guint lane,
                      const PeerPlace *place) {
  SmbBlock *owner = place->block;
  const Inspection *check = owner->check;
  guint32 end = (guint32)MIN(place->offset + move->width, owner->shared_bytes), at = place->offset;
  while (at < end && check_is_current(check, check->shared.cells[at >> check->shared.shift].set))
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
    CheckCell *cell = &check->shared.cells[at >> check->shared.shift];
    cell->set = check->now;
    cell->is_store = FALSE;
  }
}

void
smb_inspect_exempt(SmbBlock *block, guint32 offset, gsize bytes) {
  const Inspection *check = block->check;
  smb_inspect_set(block, offset, bytes);
  for (gsize at = offset; check && at < offset + bytes && at < block->shared_bytes; at++)
    check->shared.cells[at >> check->shared.shift].polled = check->now;
}
