// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks of a launch that see what others left, in one thread: in rising order, until one waits for others, at a
// barrier of the grid for instance. It is kept as it is, as a device keeps resident blocks, and the next one is
// started; once there are no more, or no room, those that wait have turns, round after round, in rising order. Which
// blocks a device has resident at a time, and in what order they run there, is not modelled. Blocks of a cluster that need each other
// are there together, one cluster after the other.
#include "sim/analysis/impl.h"
#include "sim/arch/arch.h"
#include "sim/arch/occupancy.h"
#include "sim/base/error.h"
#include "sim/base/room.h"
#include "sim/base/text.h"
#include "sim/check/defect.h"
#include "sim/machine/device/runtime.h"

enum {
  MULTIPROCESSORS =
      192, // as many as no chip exceeds: blocks that fit on them may be resident at once
  MAX_VAIN_ROUNDS = 1 << 12, // in which nothing changes in global memory, though loops may count
};

// Memory of blocks that wait, unless the limits of the launch set it; at most half of what the machine has.
#define MAX_BYTES (G_GUINT64_CONSTANT(4) << 30)

// The blocks of a cluster, by rank.
typedef struct {
  SmbCluster *cluster;
  SmbBlock *blocks[SMB_MAX_CLUSTER_BLOCKS];
  guint n_left; // that have not ended
} Together;

typedef struct {
  SmbBlock *block;
  SmbShare share;
  Together *together; // NULL: it runs alone
} Resident;

typedef struct {
  Worker *worker;
  Queue *queue;
  GArray *waiting;   // Resident, in rising order
  GPtrArray *spare;  // SmbBlocks that can run another block
  guint64 most;      // that may wait at once
  guint64 room;      // bytes that they may take; 0: not known yet
  guint64 bytes;     // that those which wait take
  gsize block_bytes; // that one takes at first
  guint64 n_ended;
  guint n_together;     // blocks of a cluster; 1: each runs alone
  GPtrArray *clusters;  // Together: that have not ended
  Together *starting;   // the one whose blocks start
  guint64 peer_changes; // what blocks did to others of their cluster
} Residents;

// Blocks that a device may have at once.
static guint64
find_most_resident(const Worker *worker) {
  const guint *dims = worker->launch->block;
  gsize shared = smb_program_static_shared(worker->program) + worker->launch->dynamic_bytes;
  SmbOccupancy occupancy = smb_occupancy(worker->arch, dims[0] * dims[1] * dims[2], shared);
  return occupancy.known ? MAX((guint64)occupancy.blocks, 1) * MULTIPROCESSORS : MULTIPROCESSORS;
}

static guint64
find_resident_room(const Worker *worker) {
  guint64 given = worker->options->limits.max_memory;
  return MIN(given ? given : MAX_BYTES, smb_room_bytes() / 2);
}

// Whether another block would take more memory than there is for those that wait.
static gboolean
is_full(Residents *residents) {
  if (residents->waiting->len == 0)
    return FALSE;
  if (residents->room == 0)
    residents->room = find_resident_room(residents->worker);
  return residents->room - MIN(residents->bytes, residents->room) < residents->block_bytes;
}

static void
take_defects(const Residents *residents, SmbBlock *block) {
  SmbDefects *defects = residents->worker->launch->defects;
  if (defects)
    smb_defects_merge(defects, smb_block_take_defects(block), FALSE);
}

// --- clusters

// The k-th block in the order of clusters: by rank, x first.
static guint64
find_clustered_block(const Worker *worker, guint64 k) {
  const guint *grid = worker->launch->grid;
  guint cluster[3], at[3];
  smb_launch_cluster(worker->launch, worker->program, cluster);
  guint64 size = cluster[0] * cluster[1] * cluster[2], rank = k % size, number = k / size;
  for (guint i = 0; i < 3; i++) {
    guint n = grid[i] / cluster[i];
    at[i] = (guint)(number % n * cluster[i] + rank % cluster[i]);
    number /= n;
    rank /= cluster[i];
  }
  return ((guint64)at[2] * grid[1] + at[1]) * grid[0] + at[0];
}

static SmbBlock *
take_spare_block(Residents *residents, GError **error) {
  return residents->spare->len > 0
             ? g_ptr_array_steal_index(residents->spare, residents->spare->len - 1)
             : smb_worker_new_block(residents->worker, error);
}

static void
free_together(Residents *residents, Together *together) {
  smb_cluster_free(together->cluster);
  for (guint i = 0; i < residents->n_together && together->blocks[i]; i++)
    g_ptr_array_add(residents->spare, together->blocks[i]);
  g_free(together);
}

// All blocks of the cluster whose first one is the k-th; FALSE: there is no room for one of them.
static gboolean
form_cluster(Residents *residents, guint64 k, GError **error) {
  Together *together = residents->starting = g_new0(Together, 1);
  together->cluster = smb_cluster_new(&residents->peer_changes);
  together->n_left = residents->n_together;
  g_ptr_array_add(residents->clusters, together);
  for (guint i = 0; i < residents->n_together; i++) {
    together->blocks[i] = take_spare_block(residents, error);
    if (!together->blocks[i])
      return FALSE;
    smb_cluster_join(together->cluster, together->blocks[i],
                     find_clustered_block(residents->worker, k + i));
  }
  return TRUE;
}

// The block that is to start; NULL with an error.
static SmbBlock *
take_block(Residents *residents, Resident *resident, GError **error) {
  guint64 k = resident->share.block;
  guint rank = (guint)(k % residents->n_together);
  resident->together = NULL;
  if (residents->n_together == 1)
    return take_spare_block(residents, error);
  resident->share.block = find_clustered_block(residents->worker, k);
  if (rank == 0 && !form_cluster(residents, k, error))
    return NULL;
  resident->together = residents->starting;
  return resident->together->blocks[rank];
}

// A block has ended. Others of its cluster may still ask for what it left in shared memory.
static void
leave_block(Residents *residents, const Resident *resident) {
  Together *together = resident->together;
  if (!together)
    g_ptr_array_add(residents->spare, resident->block);
  else if (--together->n_left == 0) {
    g_ptr_array_remove(residents->clusters, together);
    free_together(residents, together);
  }
}

// Whether all blocks of the cluster that starts have.
static gboolean
has_started(const Residents *residents) {
  return residents->queue->next % residents->n_together == 0;
}

// --- turns

// After a turn of a block: it waits among the others, or makes room. FALSE: it failed.
static gboolean
settle_turn(Residents *residents, const Resident *resident, SmbTurn turn, GError *error) {
  switch (turn) {
  case SMB_TURN_WAITS:
    g_array_append_val(residents->waiting, *resident);
    residents->bytes += smb_block_bytes(resident->block);
    residents->queue->waited = TRUE;
    return TRUE;
  case SMB_TURN_ENDED:
  case SMB_TURN_FAILED:
    leave_block(residents, resident);
    residents->n_ended++;
    take_defects(residents, resident->block);
    smb_worker_end_block(residents->worker, resident->block, residents->queue, error);
    return turn == SMB_TURN_ENDED;
  }
  g_assert_not_reached();
}

static gboolean
is_worker_cancelled(const Worker *worker) {
  const SmbAnalysisOptions *options = worker->options;
  return options->is_cancelled && options->is_cancelled(options->cancel_user);
}

// Blocks that have not run, as long as there is room.
static gboolean
start_blocks(Residents *residents) {
  Worker *worker = residents->worker;
  Resident resident;
  while ((!has_started(residents) ||
          (residents->waiting->len < residents->most && !is_full(residents))) &&
         smb_queue_take(residents->queue, &resident.share)) {
    GError *error = NULL;
    resident.block = is_worker_cancelled(worker) ? NULL : take_block(residents, &resident, &error);
    smb_worker_turn_to(worker, &resident.share);
    if (!resident.block) { // the first one could be made
      if (!error)
        smb_fail(&error, SMB_ERROR, SMB_ERROR_INPUT, "interrupted");
      smb_worker_end_block(worker, NULL, residents->queue, error);
      return FALSE;
    }
    SmbTurn turn = smb_block_start(resident.block, resident.share.block, &error);
    if (!settle_turn(residents, &resident, turn, error))
      return FALSE;
  }
  return TRUE;
}

// A turn for each block that waits.
static gboolean
resume_blocks(Residents *residents) {
  g_autoptr(GArray) waited = g_steal_pointer(&residents->waiting);
  gboolean ok = TRUE;
  residents->waiting = g_array_new(FALSE, FALSE, sizeof(Resident));
  residents->bytes = 0;
  for (guint i = 0; i < waited->len; i++) {
    const Resident *resident = &g_array_index(waited, Resident, i);
    GError *error = NULL;
    if (!ok) {
      if (!resident->together)
        g_ptr_array_add(residents->spare, resident->block);
      continue;
    }
    smb_worker_turn_to(residents->worker, &resident->share);
    SmbTurn turn = smb_block_resume(resident->block, &error);
    ok = settle_turn(residents, resident, turn, error);
  }
  return ok;
}

// Whether no block made progress in this round or the previous one.
static gboolean
are_stuck(const Residents *residents) {
  gboolean stuck = TRUE;
  for (guint i = 0; i < residents->waiting->len; i++)
    stuck = smb_block_is_stuck(g_array_index(residents->waiting, Resident, i).block) && stuck;
  return stuck;
}

// Nothing that is waited for comes: says so of the first block.
static void
fail_waiting(Residents *residents, gboolean stuck) {
  const Resident *first = &g_array_index(residents->waiting, Resident, 0);
  guint64 n_left = residents->queue->end - residents->queue->next;
  guint n = residents->waiting->len;
  g_autoptr(GString) why = g_string_new(NULL);
  GError *error = NULL;
  g_string_printf(why, "%u block%s of the grid wait%s, %" G_GUINT64_FORMAT " %s ended", n,
                  smb_plural(n), n == 1 ? "s" : "", residents->n_ended,
                  residents->n_ended == 1 ? "has" : "have");
  if (n_left > 0)
    g_string_append_printf(why,
                           ", and %" G_GUINT64_FORMAT " cannot start, since at most %" //
                           G_GUINT64_FORMAT " are resident at once%s",
                           n_left, n < residents->most ? n : residents->most,
                           n < residents->most ? ", for lack of memory" : "");
  if (!stuck)
    g_string_append_printf(why, "; nothing changed in global memory in %u rounds",
                           (guint)MAX_VAIN_ROUNDS);
  smb_worker_turn_to(residents->worker, &first->share);
  smb_block_fail_waiting(first->block, why->str, &error);
  if (n_left > 0 && n < residents->most)
    smb_hint(&error, SMB_HINT_LIMIT, "max_memory", NULL);
  smb_worker_end_block(residents->worker, first->block, residents->queue, error);
}

// All blocks wait: whether somebody else may write what they wait for. @before: changes of memory when that was asked last
static gboolean
wait_for_outsider(const Residents *residents, guint64 *before) {
  guint64 changes = smb_global_changes(residents->worker->global);
  gboolean moved = changes != *before;
  *before = changes;
  return smb_runtime_wait(residents->worker->launch->runtime, moved);
}

// FALSE: nobody waits for the blocks any more.
static gboolean
check_rounds(Residents *residents) {
  GError *error = NULL;
  if (!is_worker_cancelled(residents->worker))
    return TRUE;
  smb_fail(&error, SMB_ERROR, SMB_ERROR_INPUT, "interrupted");
  smb_worker_turn_to(residents->worker, &g_array_index(residents->waiting, Resident, 0).share);
  smb_worker_end_block(residents->worker, NULL, residents->queue, error);
  return FALSE;
}

static void
run_rounds(Residents *residents) {
  const SmbGlobal *global = residents->worker->global;
  guint vain = 0;     // rounds, one after the other
  guint64 before = 0; // changes, when an outsider was waited for
  if (!start_blocks(residents))
    return;
  while (residents->waiting->len > 0) {
    guint64 changes = smb_global_changes(global) + residents->peer_changes;
    guint64 ended = residents->n_ended;
    if (!check_rounds(residents) || !resume_blocks(residents) || !start_blocks(residents))
      return;
    gboolean moved = changes != smb_global_changes(global) + residents->peer_changes ||
                     ended != residents->n_ended;
    vain = moved ? 0 : vain + 1;
    gboolean stuck = vain > 0 && are_stuck(residents) && vain > 1;
    if (!stuck && vain < MAX_VAIN_ROUNDS)
      continue;
    if (!wait_for_outsider(residents, &before)) {
      fail_waiting(residents, stuck);
      return;
    }
    vain = 0;
  }
}

void
smb_worker_run_resident(Worker *worker, Queue *queue) {
  Residents residents = {.worker = worker,
                         .queue = queue,
                         .waiting = g_array_new(FALSE, FALSE, sizeof(Resident)),
                         .spare = g_ptr_array_new(),
                         .clusters = g_ptr_array_new(),
                         .n_together = smb_launch_meets(worker->launch, worker->program),
                         .most = find_most_resident(worker),
                         .block_bytes = smb_block_bytes(worker->block)};
  g_ptr_array_add(residents.spare, g_steal_pointer(&worker->block));
  run_rounds(&residents);
  for (guint i = 0; i < residents.waiting->len; i++) {
    const Resident *resident = &g_array_index(residents.waiting, Resident, i);
    if (!resident->together)
      g_ptr_array_add(residents.spare, resident->block);
  }
  for (guint i = 0; i < residents.clusters->len; i++)
    free_together(&residents, g_ptr_array_index(residents.clusters, i));
  g_ptr_array_unref(residents.clusters);
  for (guint i = 0; i < residents.spare->len; i++) {
    SmbBlock *block = g_ptr_array_index(residents.spare, i);
    smb_worker_note_facts(worker, block);
    take_defects(&residents, block);
    smb_block_free(block);
  }
  g_array_unref(residents.waiting);
  g_ptr_array_unref(residents.spare);
}
