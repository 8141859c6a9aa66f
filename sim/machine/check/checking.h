// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch that is checked (SmbLaunch.defects): what its blocks do wrong, though they may run to their end. Each access to shared
// memory is compared with those of other threads that nothing puts in order with it, lane by lane; what is read must have been
// written. Private to the machine and to sim/exec, which says what puts threads in order. A block that is not checked has no Inspection,
// and costs a test of a pointer.
#pragma once

#include "sim/check/defect.h"
#include "sim/check/trail.h"
#include "sim/machine/access/access.h"

/**
 * CheckCell: what happened to a granule of shared or tensor memory, in the times of the block's clock; 0, or a time of an earlier block: nothing
 * @wrote, @writer, @write_site: the last write
 * @read, @reader, @read_site: reads since then, by two threads
 * @value: of the last write, for writes that change nothing; in tensor memory its CheckWork.form
 * @set: when it was first written
 * @polled: since when its reads and writes are a flag's
 * @is_atomic: the last write is
 * @is_store: it is a thread's, by a store or an atomic, and no copy's
 */
typedef struct {
  guint32 wrote;
  guint32 read[2];
  guint32 write_site;
  guint32 read_site[2];
  guint32 value;
  guint32 set;
  guint32 polled;
  guint16 writer;
  guint16 reader[2];
  guint8 is_atomic;
  guint8 is_store;
} CheckCell;

// Who asks whether the loads of a site poll (smb_inspect_set_polls()).
typedef gboolean (*CheckPolls)(gconstpointer user, guint site);

enum {
  // Of what a warp has begun, that can be told apart: of products no more than 8 can go on (PTX ISA, "wgmma.wait_group").
  CHECK_GROUPS = 64,
  CHECK_GROUP_WARPS = 4 // that make such a product
};

typedef guint32 CheckGroups[CHECK_GROUPS];

// Who makes an access: a thread, or what goes on by itself once a thread has begun it, each kind with its own way to wait for it.
typedef enum {
  CHECK_COPIES,   // in bulk, of the block: their mbarriers
  CHECK_PRODUCTS, // wgmma, of four warps: wgmma.wait_group
  CHECK_SENDS, // copies in bulk from shared memory, without an mbarrier, of a warp: cp.async.bulk.wait_group
  CHECK_TENSOR, // tcgen05.mma and .cp, of a warp: the mbarrier of a tcgen05.commit
  CHECK_PEERS,  // the same of other blocks of the cluster, in memory of this one
  CHECK_LOADS,  // tcgen05.ld, of a warp: tcgen05.wait::ld
  CHECK_STORES, // tcgen05.st, of a warp: tcgen05.wait::st
  N_CHECK_AGENTS,
  CHECK_THREAD = N_CHECK_AGENTS // that executes the instruction
} CheckAgent;

/**
 * CheckWork: an instruction that something else than its thread executes
 * @block: of the thread. In memory of another block, what it does is noted as of CHECK_PEERS, and not compared with what was done before
 * @lane: of the thread that has begun it; 0: those of a warp have together
 * @form: of a tcgen05.mma: which accumulator it has, of which shape and kind; else 0
 * @told: a bit for each kind of defect that was found of it in tensor memory: once is enough
 */
typedef struct {
  CheckAgent agent;
  const SmbBlock *block;
  guint site, warp, lane;
  guint32 form;
  guint32 told;
} CheckWork;

// Memory whose granules are looked at, of 1 << @shift bytes each.
typedef struct {
  CheckCell *cells;
  gsize n;
  guint shift;
} CheckSpace;

/**
 * Inspection:
 * @defects: of the running block
 * @known: those of @defects that count again, by kind and sites: SmbDefect
 * @code: (nullable): SmbCodeLine, once a place was asked for
 * @failed_place, @failed_text: of the last smb_block_fail()
 * @lane_shift: the bits of a thread's number that are its lane
 * @shared: the program's own shared memory, and the system's part, if the program uses it
 * @tensor: tensor memory, lane by lane, once it was accessed
 * @now: the time: it rises whenever threads are put in order
 * @start: that of the block's start
 * @floor: all threads see what was done before
 * @seen: [warp][column]: what a warp sees of each warp: all that it did before that time; of each CheckAgent of each warp; and of each warp again,
 *   what products and copies in bulk see of its stores (check-order.c)
 * @lane_seen: [warp][lane][lane]: the same of lanes of a warp
 * @fenced: [warp]: what it did before that time, it did before its last fence
 * @has_fences: whether a warp had one
 * @groups: of each agent that has groups, [warp]: when it ended its last ones, the newest first
 * @posts: by smb_inspect_arrive()'s key: Post
 * @polls: by site: 0: not known yet, 1: no, 2: yes
 * @races: by site: whether a read of what was not written yet races with a later write
 * @asks_polls, @polls_user: (nullable)
 * @is_polling: the access that is made polls
 * @pending: lanes of the access of which it was said that they access what a copy may still write
 * @call_place: of machine code: of the last call by an address, such as that of free(), which is behind all code; 0: there was none
 * @trail, @ahead: (nullable): SmbLaunch.trail, SmbLaunch.ahead
 * @waited, @waited_at: [warp]: lanes that have executed griddepcontrol.wait, and when the first of them had
 * @has_waited: whether there are any
 * @has_triggered: whether the block has executed griddepcontrol.launch_dependents
 * @fault, @failed_lane: what is wrong with the access that failed last, and of which lane
 */
struct _Inspection {
  SmbDefects *defects;
  GHashTable *known;
  GPtrArray *code;
  gboolean has_code;
  guint32 failed_place;
  char *failed_text;
  guint lane_shift;
  CheckSpace shared, tensor;
  guint32 now, start, floor;
  guint n_columns;
  guint32 *seen;
  guint32 *lane_seen;
  guint32 *fenced;
  gboolean has_fences;
  CheckGroups *groups[N_CHECK_AGENTS];
  GHashTable *posts;
  guint8 *polls;
  guint8 *races;
  CheckPolls asks_polls;
  gconstpointer polls_user;
  gboolean is_polling;
  SmbLanes pending;
  guint32 call_place;
  SmbTrail *trail;
  const SmbTrail *ahead;
  SmbLanes *waited;
  guint32 *waited_at;
  gboolean has_waited, has_triggered;
  SmbFault fault;
  guint failed_lane;
};

// Whether accesses are compared with those of the launch ahead, or noted for the next one.
static inline gboolean
smb_inspect_overlaps(const Inspection *check) {
  return check->ahead || check->has_triggered;
}

// NULL: the launch is not checked.
Inspection *smb_inspect_new(const SmbBlock *block, const SmbLaunch *launch);
void smb_inspect_free(Inspection *check);
void smb_inspect_start_block(SmbBlock *block);

// --- what is found (block-check.c)

/**
 * CheckFound: a defect as it is found
 * @site: G_MAXUINT: none: then it is at @at, a place of the program
 * @other: of a race: the site of the other access
 * @lane: G_MAXUINT: of no thread
 * @other_thread: of a race: warp * lanes + lane, or check_agent(); G_MAXUINT: none
 * @array: (nullable)
 */
typedef struct {
  SmbDefectKind kind;
  guint site;
  guint32 at;
  guint other;
  guint warp, lane;
  guint other_thread;
  const char *array;
  guint64 address;
} CheckFound;

// Counts it, if it was found in this block; else returns FALSE, and smb_inspect_tell() adds it.
gboolean smb_inspect_counts(SmbBlock *block, const CheckFound *found);
G_GNUC_PRINTF(3, 4)
void smb_inspect_tell(SmbBlock *block, const CheckFound *found, const char *format, ...);
// Where in shared memory: "'tile' (byte 12 of shared memory)" (transfer full). @name: as of smb_access_array()
char *smb_inspect_place(const SmbBlock *block, const char *name, guint32 offset);
// Both, of what needs no more text.
void smb_inspect_note(SmbBlock *block, const CheckFound *found, const char *text);
// An access of a lane is not possible: @problem, in words.
void smb_inspect_fault(SmbBlock *block, const Move *move, guint warp, guint lane,
                       const char *problem);
// A message of smb_block_fail(). @check: (nullable)
void smb_inspect_remember(Inspection *check, guint32 place, const char *text);
// The last smb_block_fail() is a defect of this kind. @lane: G_MAXUINT: of no thread
void smb_inspect_note_failure(SmbBlock *block, SmbDefectKind kind, guint warp, guint lane);
// "thread (3,0,0)" (transfer full).
char *smb_inspect_thread(const SmbBlock *block, guint thread);

// --- accesses (touch.c)

// An access was resolved and reported, and is not made yet. @words: what is written; NULL: nothing, or it is not known
void smb_inspect_access(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                        const MarkedWords *words);
// A copy in bulk of one lane, or another access by parts.
void smb_inspect_bulk(SmbBlock *block, const Move *move, const Access *access, guint lane);
// What a product, or a copy to tensor memory, reads of the program's own shared memory.
void smb_inspect_operand(SmbBlock *block, const CheckWork *work, guint32 offset, gsize bytes);
// A word of tensor memory is read or written.
void smb_inspect_tensor(SmbBlock *block, CheckWork *work, SmbOpClass op_class, guint lane,
                        guint column);
// What a lane reads of another block of the cluster.
void smb_inspect_peer_read(SmbBlock *block, const Move *move, guint warp, guint lane,
                           const PeerPlace *place);
// Bytes of shared memory hold what the system wrote, or may.
void smb_inspect_set(SmbBlock *block, guint32 offset, gsize bytes);
// They are a barrier's: whoever accesses them does not race.
void smb_inspect_exempt(SmbBlock *block, guint32 offset, gsize bytes);
// The device's malloc gave these bytes, which nothing was written to yet (initial.c).
void smb_inspect_allocated(SmbBlock *block, guint64 address, guint64 bytes);
// What is accessed of global memory.
void smb_inspect_initial(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes);
void smb_inspect_initial_bytes(SmbBlock *block, const Move *move, guint warp, guint lane,
                               const Object *object, guint64 offset, gsize length);

// --- the launch before (dependency.c)

// Lanes have executed griddepcontrol.wait; the block lets the next launch begin.
void smb_inspect_grid_wait(SmbBlock *block, guint warp, SmbLanes lanes);
void smb_inspect_grid_trigger(SmbBlock *block);
// Bytes of global memory are accessed.
// Only if smb_inspect_overlaps().
void smb_inspect_dependency(SmbBlock *block, const Move *move, guint warp, guint lane,
                            guint64 address, gsize length);

// --- order (check-order.c)

enum {
  CHECK_BLOCK_BARRIERS =
      0x40000000, // keys of barriers of the block: plus the number; others are offsets of mbarriers
  CHECK_COUNTERS = 0x20000000,   // of what atomics count: plus the offset
  CHECK_TOLD_PEERS = 0x10000000, // of what this block has arrived with in others of its cluster
};

guint smb_inspect_columns(guint n_warps);
GHashTable *smb_inspect_posts_new(void);
// Lanes of a warp have met.
void smb_inspect_meet(SmbBlock *block, guint warp, SmbLanes lanes);
// All threads of @mask have met at a barrier; @is_all: those are all that live. What arrived there counts, too.
void smb_inspect_barrier(SmbBlock *block, guint32 key, const Mask *mask, gboolean is_all);
// Threads of a warp arrive, and go on; what an agent of a warp has been given ends there; a phase is complete; lanes have waited for it.
void smb_inspect_arrive(SmbBlock *block, guint warp, guint32 key);
void smb_inspect_finish(SmbBlock *block, CheckAgent agent, guint warp, guint32 key);
// Another block of the cluster arrives, or its copy completes; all blocks of the cluster have met. It is taken to see what CHECK_TOLD_PEERS has, and that all
// is made that its tensor cores were given.
void smb_inspect_arrive_from_peer(SmbBlock *block, guint32 key);
void smb_inspect_meet_peers(SmbBlock *block);
void smb_inspect_complete(SmbBlock *block, guint32 key);
void smb_inspect_await(SmbBlock *block, guint warp, SmbLanes lanes, guint32 key);
// A fence of a warp. What it did before is seen by who finds, by an atomic or as it polls, what an atomic of the warp left there later, or
// other atomics that followed.
void smb_inspect_fence(SmbBlock *block, guint warp);
// What the warp sees of stores, products and copies in bulk see as well, of whoever sees this.
void smb_inspect_fence_async(SmbBlock *block, guint warp);
// What an agent was given by a warp is a group; the warp has waited for all but @n groups, or for all that there is.
void smb_inspect_commit(SmbBlock *block, CheckAgent agent, guint warp);
void smb_inspect_await_groups(SmbBlock *block, CheckAgent agent, guint warp, guint n);
void smb_inspect_await_all(SmbBlock *block, CheckAgent agent, guint warp);
// An atomic changes what is at an offset; a thread finds there what atomics left.
void smb_inspect_release(SmbBlock *block, guint warp, guint32 offset);
void smb_inspect_find_released(SmbBlock *block, guint thread, guint32 offset);
// A thread has seen what another one wrote at a time, as a flag.
void smb_inspect_acquire(SmbBlock *block, guint thread, guint writer, guint32 time);
// Whether a thread sees what another one did at a time.
gboolean smb_inspect_sees(const SmbBlock *block, guint thread, guint other, guint32 time);
// The same of an agent: whether the warp sees that it was given what it did, which may go on. What those of another block were given is not known: TRUE.
gboolean smb_inspect_sees_begun(const SmbBlock *block, guint warp, guint agent, guint32 time);
// Whether a product, or a copy in bulk, of a warp sees what a thread stored at a time that the warp sees.
gboolean smb_inspect_is_fenced(const SmbBlock *block, guint warp, guint writer, guint32 time);
// What follows is later.
void smb_inspect_advance(SmbBlock *block);

static inline gboolean
check_is_current(const Inspection *check, guint32 time) {
  return time >= check->start;
}

// The warp of a thread.
static inline guint
check_warp(const Inspection *check, guint thread) {
  return thread >> check->lane_shift;
}

// The number of an agent of a warp, among threads.
static inline guint
check_agent(const SmbBlock *block, CheckAgent agent, guint warp) {
  guint i = agent == CHECK_PRODUCTS ? warp / CHECK_GROUP_WARPS : warp;
  if (agent == CHECK_COPIES || agent == CHECK_PEERS)
    i = 0;
  return ((1 + agent) * block->n_warps + i) * block->lanes;
}

// Which one has a number.
static inline CheckAgent
check_agent_of(const SmbBlock *block, guint number) {
  guint of = number / (block->n_warps * block->lanes);
  return of == 0 ? CHECK_THREAD : (CheckAgent)(of - 1);
}
