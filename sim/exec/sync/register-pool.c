// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Registers that warps of a block give up and ask for (PTX ISA, "setmaxnreg"). A block has as many as it was launched with: those of its warps, and a
// pool that these give to and take from. Who asks for more than there are waits. Of PTX that does not say how many its threads begin with, and where it is not known
// who executes a setmaxnreg, nobody waits. A warp that ends is taken to leave its registers to the others: the PTX ISA does not say so, nor that it does not.
//
// Of a launch that is checked: whether all warps of a warpgroup execute the same, with a barrier between one and the next, and whether an increase is none.
#include "sim/exec/sync/sync.h"
#include "sim/machine/check/checking.h"

enum {
  ALLOCATED_WARPS = 4, // registers are given to so many warps at once (CUDA occupancy calculator)
  REGISTER_STEP = 8,   // of a thread's registers
};

/**
 * Share: of a warp
 * @owned: registers of a thread; 0: not known
 * @n: how often it has executed a setmaxnreg
 * @time: of the block's check, when it did so last
 */
typedef struct {
  guint owned;
  guint n;
  guint32 time;
} Share;

/**
 * RegisterPool:
 * @launched: registers of a thread that the block was launched with; 0: not known
 * @shares: by warp
 * @asked: by warpgroup: const Step *: what its warps have executed, in their order; whoever comes first adds it
 */
struct _RegisterPool {
  guint launched;
  guint n_warps;
  Share *shares;
  GPtrArray **asked;
};

static guint
count_groups(guint n_warps) {
  return (n_warps + GROUP_WARPS - 1) / GROUP_WARPS;
}

RegisterPool *
smb_register_pool_new(guint n_warps) {
  RegisterPool *pool = g_new0(RegisterPool, 1);
  pool->n_warps = n_warps;
  pool->shares = g_new0(Share, n_warps);
  pool->asked = g_new0(GPtrArray *, count_groups(n_warps));
  for (guint i = 0; i < count_groups(n_warps); i++)
    pool->asked[i] = g_ptr_array_new();
  return pool;
}

void
smb_register_pool_free(RegisterPool *pool) {
  if (!pool)
    return;
  for (guint i = 0; i < count_groups(pool->n_warps); i++)
    g_ptr_array_unref(pool->asked[i]);
  g_free(pool->asked);
  g_free(pool->shares);
  g_free(pool);
}

void
smb_register_pool_start(RegisterPool *pool, const SmbProgram *program) {
  if (!pool)
    return;
  pool->launched = (program->entry_registers + REGISTER_STEP - 1) / REGISTER_STEP * REGISTER_STEP;
  for (guint w = 0; w < pool->n_warps; w++)
    pool->shares[w] = (Share){.owned = pool->launched};
  for (guint i = 0; i < count_groups(pool->n_warps); i++)
    g_ptr_array_set_size(pool->asked[i], 0);
}

// --- how many there are: counts are of a thread of each warp

static guint
count_all(const RegisterPool *pool) {
  return (pool->n_warps + ALLOCATED_WARPS - 1) / ALLOCATED_WARPS * ALLOCATED_WARPS * pool->launched;
}

// @with_ended: also those that warps have left that have ended.
static guint
count_free(const Exec *exec, gboolean with_ended) {
  const RegisterPool *pool = exec->sync->pool;
  guint owned = 0;
  for (guint w = 0; w < pool->n_warps; w++)
    owned += exec->warps[w].splits->living || !with_ended ? pool->shares[w].owned : 0;
  return count_all(pool) - MIN(owned, count_all(pool));
}

static guint
asked_count(const Step *step) {
  return step->argument & ~(guint32)RESIZE_MORE;
}

// Whether a warp can have what it asks for.
static gboolean
is_granted(const Exec *exec, guint w, const Step *step) {
  const RegisterPool *pool = exec->sync->pool;
  guint owned = pool->shares[w].owned;
  return !(step->argument & RESIZE_MORE) || !pool->launched || asked_count(step) <= owned ||
         asked_count(step) - owned <= count_free(exec, TRUE);
}

// The setmaxnreg that a warp is held at; NULL: none.
static const Step *
find_awaited_pool(const Exec *exec, guint w) {
  const SmbSplits *splits = exec->warps[w].splits;
  SmbLanes held = smb_splits_held(splits, HELD_BY_POOL);
  guint32 pc;
  if (!held)
    return NULL;
  smb_splits_lane(splits, smb_lanes_first(held), &pc);
  return &exec->steps[pc];
}

// --- what is wrong with one

static CheckFound
make_resize_found(const Step *step, guint w, SmbLanes lanes) {
  return (CheckFound){.kind = SMB_DEFECT_REGISTERS,
                      .site = G_MAXUINT,
                      .at = step->place,
                      .other = G_MAXUINT,
                      .warp = w,
                      .lane = lanes ? smb_lanes_first(lanes) : 0,
                      .other_thread = G_MAXUINT};
}

// Of PTX, a thread may begin with fewer registers than are known here (find_entry_registers()).
static void
check_resize_direction(SmbBlock *block, const Step *step, const CheckFound *found,
                       const Share *share) {
  const guint owned = share->owned;
  gboolean is_exact = share->n > 0 || smb_program_is_machine_code(block->program);
  gboolean is_more = (step->argument & RESIZE_MORE) != 0;
  guint count = asked_count(step);
  if (owned && (!is_more || is_exact) && (is_more ? count < owned : count > owned) &&
      !smb_inspect_counts(block, found))
    smb_inspect_tell(block, found,
                     "setmaxnreg.%s %u: warp %u has %u registers a thread, which is %s already",
                     is_more ? "inc" : "dec", count, found->warp, owned, is_more ? "more" : "less");
}

// Registers that it can have only because other warps have ended. The PTX ISA says that it may have those that others give up by setmaxnreg.dec.
static void
check_given_up(const Exec *exec, const Step *step, const CheckFound *found, const Share *share) {
  const RegisterPool *pool = exec->sync->pool;
  guint lanes = exec->block->lanes, count = asked_count(step);
  guint more = count > share->owned ? count - share->owned : 0, given = count_free(exec, FALSE);
  if (!(step->argument & RESIZE_MORE) || !pool->launched || more <= given ||
      smb_inspect_counts(exec->block, found))
    return;
  smb_inspect_tell(
      exec->block, found,
      "warp %u asks for %u more registers (%u a thread instead of %u), but other warps have given "
      "up only %u: it has them because warps have ended, which the PTX ISA does not promise",
      found->warp, more * lanes, count, share->owned, given * lanes);
}

// All warps of the group have executed the one before, and this warp has waited for them since.
static void
check_barrier_between(const Exec *exec, const CheckFound *found) {
  SmbBlock *block = exec->block;
  const Share *shares = exec->sync->pool->shares;
  guint n = shares[found->warp].n, first = found->warp / GROUP_WARPS * GROUP_WARPS;
  for (guint w = first; n > 0 && w < MIN(first + GROUP_WARPS, block->n_warps); w++) {
    gboolean is_behind = shares[w].n < n && exec->warps[w].splits->living;
    gboolean is_unseen =
        shares[w].n == n && w != found->warp &&
        !smb_inspect_sees(block, found->warp * block->lanes, w * block->lanes, shares[w].time);
    if ((!is_behind && !is_unseen) || smb_inspect_counts(block, found))
      continue;
    smb_inspect_tell(block, found,
                     "warp %u executes another setmaxnreg, with no barrier between it and the "
                     "one before of warp %u of its warpgroup",
                     found->warp, w);
  }
}

// Others of the warpgroup execute the same one.
static void
check_alike(const Exec *exec, const Step *step, const CheckFound *found) {
  const RegisterPool *pool = exec->sync->pool;
  GPtrArray *asked = pool->asked[found->warp / GROUP_WARPS];
  guint n = pool->shares[found->warp].n;
  if (n == asked->len)
    g_ptr_array_add(asked, (gpointer)step);
  if (n >= asked->len)
    return;
  const Step *theirs = g_ptr_array_index(asked, n);
  if (theirs->argument != step->argument && !smb_inspect_counts(exec->block, found))
    smb_inspect_tell(exec->block, found,
                     "warp %u asks for %u registers a thread, another one of its warpgroup for %u",
                     found->warp, asked_count(step), asked_count(theirs));
}

static void
check_resize(const Exec *exec, const Step *step, SmbLanes lanes) {
  SmbBlock *block = exec->block;
  Share *share = &exec->sync->pool->shares[exec->w];
  const CheckFound found = make_resize_found(step, exec->w, lanes);
  if (lanes != exec->warp->splits->living && !smb_inspect_counts(block, &found))
    smb_inspect_tell(block, &found, "not all threads of warp %u execute this setmaxnreg together",
                     exec->w);
  check_resize_direction(block, step, &found, share);
  check_given_up(exec, step, &found, share);
  check_alike(exec, step, &found);
  check_barrier_between(exec, &found);
  share->time = block->check->now;
}

void
smb_register_pool_check_ended(const Exec *exec) {
  const RegisterPool *pool = exec->sync->pool;
  if (!pool || !exec->block->check)
    return;
  for (guint w = 0; w < pool->n_warps; w++) {
    const GPtrArray *asked = pool->asked[w / GROUP_WARPS];
    if (exec->warps[w].splits->living || pool->shares[w].n >= asked->len)
      continue;
    const CheckFound found = make_resize_found(g_ptr_array_index(asked, pool->shares[w].n), w, 0);
    if (!smb_inspect_counts(exec->block, &found))
      smb_inspect_tell(exec->block, &found,
                       "warp %u never executes this setmaxnreg, as others of its warpgroup do", w);
  }
}

// --- steps

gboolean
smb_step_resize(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbSplits *splits = exec->warp->splits;
  Share *share = &exec->sync->pool->shares[exec->w];
  if (!lanes)
    return TRUE;
  if (!is_granted(exec, exec->w, step)) {
    splits->pc = step_number(exec, step);
    smb_splits_hold(splits, splits->mask, HELD_BY_POOL);
    return TRUE;
  }
  if (exec->block->check)
    check_resize(exec, step, lanes);
  share->owned = asked_count(step);
  share->n++;
  return TRUE;
}

void
smb_doubt_resize(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  smb_doubt_writes(exec, step, lanes, origin);
  if (lanes)
    exec->sync->pool->launched = 0;
}

gboolean
smb_register_pool_release(Exec *exec) {
  for (guint w = 0; exec->sync->pool && w < exec->block->n_warps; w++) {
    const Step *step = find_awaited_pool(exec, w);
    if (!step || !is_granted(exec, w, step))
      continue;
    smb_splits_release(exec->warps[w].splits, HELD_BY_POOL, TRUE);
    return TRUE;
  }
  return FALSE;
}

gboolean
smb_register_pool_check(const Exec *exec) {
  const RegisterPool *pool = exec->sync->pool;
  const guint lanes = exec->block->lanes;
  for (guint w = 0; pool && w < pool->n_warps; w++) {
    const Step *step = find_awaited_pool(exec, w);
    if (!step)
      continue;
    return smb_block_fail(
        exec->block, step->place,
        "warp %u waits here forever for %u registers (setmaxnreg.inc: %u a thread instead "
        "of %u): of the %u that the block was launched with, %u are free",
        w, (asked_count(step) - pool->shares[w].owned) * lanes, asked_count(step),
        pool->shares[w].owned, count_all(pool) * lanes, count_free(exec, TRUE) * lanes);
  }
  return TRUE;
}
