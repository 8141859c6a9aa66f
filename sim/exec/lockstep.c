// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/lockstep.h"

#include <string.h>

#include "sim/exec/warp/warp.h"

// A step where lanes can wait, by its number from 1 on.
#define NO_PLACE 0u

/**
 * Lockstep:
 * @places: by step: where lanes may wait for those above, or NO_PLACE
 * @at: by place, from 1 on: its step
 * @plain: by step: as many steps from there on only compute, and nobody else comes in between
 * @waiting: (place - 1) * warps + warp: the lanes that wait
 * @occupied: bits, by place - 1: somebody waits there, or it is to be looked at whoever does
 * @turned: by loop: whether anybody has gone round
 * @here: the lanes that run, all at one step
 */
struct _Lockstep {
  guint32 *places;
  GArray *at; // guint32
  guint32 *plain;
  SmbLanes *waiting;
  guint64 *occupied;
  guint n_words;
  guint8 *turned;
  Mask here;
  gboolean has_run; // a block
  GArray *presets;  // Preset: those that the next block needs again
};

// --- its life

static gboolean
is_branch(const Step *step) {
  return step->opcode == STEP_BRANCH;
}

// Of a branch: where to look whether anybody comes there.
static guint32
look_at(const Step *step) {
  return g_array_index(step->targets, SwitchTarget, 0).step;
}

static void
make_place(Lockstep *lockstep, guint32 step) {
  if (lockstep->places[step] != NO_PLACE)
    return;
  g_array_append_val(lockstep->at, step);
  lockstep->places[step] = lockstep->at->len - 1;
}

static int
compare_steps(gconstpointer a, gconstpointer b) {
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
  return (x > y) - (x < y);
}

// Places are where branches lead, and behind those that lead back: numbered as they stand in the code.
static void
find_places(Lockstep *lockstep, const Code *code) {
  guint32 none = 0;
  lockstep->places = g_new0(guint32, code->steps->len + 1);
  lockstep->at = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_array_append_val(lockstep->at, none);
  for (guint32 i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    if (!is_branch(step))
      continue;
    make_place(lockstep, step->target);
    if (step->targets)
      make_place(lockstep, look_at(step));
    if (step->target <= i)
      make_place(lockstep, i + 1);
  }
  g_array_sort(lockstep->at, compare_steps);
  // Step 0 is no place unless a loop begins there: then it comes behind the one that stands for none.
  for (guint32 place = 1; place < lockstep->at->len; place++)
    lockstep->places[g_array_index(lockstep->at, guint32, place)] = place;
}

static void
find_plain(Lockstep *lockstep, const Code *code) {
  lockstep->plain = g_new0(guint32, code->steps->len + 1);
  for (guint32 i = code->steps->len; i-- > 0;) {
    guint opcode = g_array_index(code->steps, Step, i).opcode;
    if (opcode != STEP_COMPUTE && opcode != STEP_TEXT_WATCH)
      continue;
    lockstep->plain[i] = 1 + (lockstep->places[i + 1] == NO_PLACE ? lockstep->plain[i + 1] : 0);
  }
}

static guint
count_loops(const Code *code) {
  guint n = 0;
  for (guint32 i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    n = is_branch(step) ? MAX(n, step->argument) : n;
  }
  return n + 1;
}

// Where the block is, and what steps write to.
static void
find_presets(Lockstep *lockstep, const Code *code) {
  g_autofree guint8 *written = g_new0(guint8, code->n_rows + 2);
  lockstep->presets = g_array_new(FALSE, FALSE, sizeof(Preset));
  for (guint32 i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    gboolean has_row =
        step->opcode == STEP_COMPUTE &&
        smb_operation_info((Operation)step->compute.operation)->result != SHAPE_PREDICATE;
    for (guint row = 0; has_row && row < step->compute.n_rows[0]; row++)
      written[step->compute.d + row] = TRUE;
    for (guint k = 0; step->writes && k < step->writes->len; k++) {
      const Written *what = &g_array_index(step->writes, Written, k);
      memset(written + what->row, TRUE, what->n);
    }
  }
  for (guint i = 0; i < code->presets->len; i++) {
    const Preset *preset = &g_array_index(code->presets, Preset, i);
    gboolean is_position = preset->special >= SPECIAL_CTAID && preset->special < SPECIAL_NCTAID;
    if (is_position || written[preset->row])
      g_array_append_vals(lockstep->presets, preset, 1);
  }
}

static Lockstep *
make_lockstep(const Code *code, guint n_warps) {
  Lockstep *lockstep = g_new0(Lockstep, 1);
  find_places(lockstep, code);
  find_plain(lockstep, code);
  find_presets(lockstep, code);
  guint n = lockstep->at->len;
  lockstep->waiting = g_new0(SmbLanes, (gsize)n * n_warps);
  lockstep->n_words = n / 64 + 1;
  lockstep->occupied = g_new0(guint64, lockstep->n_words);
  lockstep->turned = g_new0(guint8, count_loops(code));
  return lockstep;
}

gpointer
smb_lockstep_new(SmbBlock *block, const Code *code, GBytes *parameters) {
  Exec *exec = g_new0(Exec, 1);
  exec->block = block;
  exec->code = code;
  exec->steps = &g_array_index(code->steps, Step, 0);
  exec->parameters.length = g_bytes_get_size(parameters);
  exec->parameters.bytes = g_memdup2(g_bytes_get_data(parameters, NULL), exec->parameters.length);
  exec->parameters.marks = g_malloc(exec->parameters.length);
  if (exec->parameters.length > 0)
    memset(exec->parameters.marks, MARK_KNOWN, exec->parameters.length);
  exec->lockstep = make_lockstep(code, block->n_warps);
  smb_exec_make_warps(exec);
  return exec;
}

void
smb_lockstep_free(gpointer data) {
  Exec *exec = data;
  smb_exec_free_warps(exec);
  smb_parameters_clear(&exec->parameters);
  g_free(exec->lockstep->places);
  g_array_unref(exec->lockstep->at);
  g_free(exec->lockstep->plain);
  g_free(exec->lockstep->waiting);
  g_free(exec->lockstep->occupied);
  g_free(exec->lockstep->turned);
  g_array_unref(exec->lockstep->presets);
  g_free(exec->lockstep);
  g_free(exec);
}

// --- where lanes wait

static void
occupy(Lockstep *lockstep, guint32 step) {
  guint32 place = lockstep->places[step] - 1;
  lockstep->occupied[place / 64] |= (guint64)1 << place % 64;
}

// The lowest place that somebody waits at, as a step; NO_STEP: there is none.
static guint32
find_lowest(const Lockstep *lockstep) {
  for (guint i = 0; i < lockstep->n_words; i++) {
    if (lockstep->occupied[i])
      return g_array_index(lockstep->at, guint32,
                           i * 64 + (guint)__builtin_ctzll(lockstep->occupied[i]) + 1);
  }
  return NO_STEP;
}

// Those that run come to a place, and those that wait there go on with them.
static void
gather(Lockstep *lockstep, guint32 step, guint n_warps) {
  guint32 place = lockstep->places[step] - 1;
  guint64 bit = (guint64)1 << place % 64;
  if (!(lockstep->occupied[place / 64] & bit))
    return;
  lockstep->occupied[place / 64] &= ~bit;
  SmbLanes *waiting = lockstep->waiting + (gsize)place * n_warps;
  for (guint w = 0; w < n_warps; w++) {
    lockstep->here.warp[w] |= waiting[w];
    waiting[w] = 0;
  }
}

// Those that run wait at a step.
static void
park(Lockstep *lockstep, guint32 step, guint n_warps) {
  SmbLanes *waiting = lockstep->waiting + (gsize)(lockstep->places[step] - 1) * n_warps;
  for (guint w = 0; w < n_warps; w++) {
    waiting[w] |= lockstep->here.warp[w];
    lockstep->here.warp[w] = 0;
  }
  occupy(lockstep, step);
}

// --- steps

static void
enter_warp(Exec *exec, guint w) {
  exec->w = w;
  exec->warp = &exec->warps[w];
}

static void
run_plain(Exec *exec, const Step *step, guint n) {
  FOR_WARPS(exec->block, &exec->lockstep->here, w) {
    SmbLanes lanes = exec->lockstep->here.warp[w];
    Registers *registers = exec->warps[w].registers;
    for (guint i = 0; i < n; i++) {
      if (G_LIKELY(step[i].opcode == STEP_COMPUTE))
        smb_compute(&step[i].compute, registers, lanes);
      else if (exec->block->signature) {
        enter_warp(exec, w);
        exec->code->text(exec, &step[i], lanes);
      }
    }
  }
}

static gboolean
run_warps(Exec *exec, const Step *step) {
  FOR_WARPS(exec->block, &exec->lockstep->here, w) {
    enter_warp(exec, w);
    if (!step->run(exec, step, exec->lockstep->here.warp[w]))
      return FALSE;
  }
  return TRUE;
}

// Says of a condition of which somebody asks (Step.callee) that it turned all away. Where all are within what it guards, the
// end of that is looked at: nobody may come there.
static void
note_idle_branch(Exec *exec, const Step *step, gboolean any_goes, gboolean any_stays) {
  Lockstep *lockstep = exec->lockstep;
  if (exec->block->idle)
    return;
  if (!any_stays && step->callee && (step->argument == 0 || !lockstep->turned[step->argument]))
    exec->code->turned_away(exec, step, FALSE);
  if (any_stays && step->argument > 0)
    lockstep->turned[step->argument] = TRUE;
  if (!any_goes && step->targets)
    occupy(lockstep, look_at(step));
}

// Returns: the next step.
static guint32
branch(Exec *exec, const Step *step) {
  Lockstep *lockstep = exec->lockstep;
  guint n_warps = exec->block->n_warps;
  guint32 next = step_number(exec, step) + 1;
  SmbLanes *waiting = lockstep->waiting + (gsize)(lockstep->places[step->target] - 1) * n_warps;
  SmbLanes goes = 0, stays = 0;
  for (guint w = 0; w < n_warps; w++) {
    SmbLanes lanes = lockstep->here.warp[w], taken = lanes;
    if (step->guard != PREDICATE_TRUE)
      taken &=
          exec->warps[w].registers->predicates[step->guard] ^ (step->unless ? ~(SmbLanes)0 : 0);
    waiting[w] |= taken;
    lockstep->here.warp[w] = lanes & ~taken;
    goes |= taken;
    stays |= lanes & ~taken;
  }
  if (goes)
    occupy(lockstep, step->target);
  if (step->guard != PREDICATE_TRUE)
    note_idle_branch(exec, step, goes != 0, stays != 0);
  if (stays && goes && step->target < next)
    park(lockstep, next, n_warps);
  return next;
}

// Steps of the block as a whole. Returns: FALSE with the block's error.
static gboolean
run_block_step(Exec *exec, const Step *step) {
  SmbBlock *block = exec->block;
  Lockstep *lockstep = exec->lockstep;
  switch ((guint)step->opcode) {
  case STEP_COUNT:
    for (guint i = 0; i < step->argument; i++) {
      if (!smb_block_step(block, step->place))
        return FALSE;
    }
    return TRUE;
  case STEP_MEET:
    return smb_block_barrier(block, step->place, step->callee, &lockstep->here);
  case STEP_ENTER_LOOP:
    lockstep->turned[step->argument] = FALSE;
    return TRUE;
  default: // STEP_LOOK
    if (!mask_any(block, &lockstep->here) && !block->idle)
      exec->code->turned_away(exec, step, TRUE);
    return TRUE;
  }
}

static void
leave(Exec *exec) {
  SmbBlock *block = exec->block;
  Mask *here = &exec->lockstep->here;
  FOR_WARPS(block, here, w) {
    block->exited.warp[w] |= here->warp[w];
    exec->warps[w].registers->lanes &= ~here->warp[w];
    here->warp[w] = 0;
  }
}

// A step, or several that compute, of those that are here. Returns: FALSE with the block's error.
static gboolean
take(Exec *exec, guint32 *pc) {
  Lockstep *lockstep = exec->lockstep;
  const Step *step = &exec->steps[*pc];
  if (lockstep->plain[*pc]) {
    run_plain(exec, step, lockstep->plain[*pc]);
    *pc += lockstep->plain[*pc];
    return TRUE;
  }
  if (is_branch(step)) {
    *pc = branch(exec, step);
    return TRUE;
  }
  ++*pc;
  if (step->opcode == STEP_EXIT)
    leave(exec);
  return step->opcode == STEP_EXIT ||
         (step->flags & STEP_OF_BLOCK ? run_block_step(exec, step) : run_warps(exec, step));
}

// All that is in registers is known.
static void
start_warp(Exec *exec, guint w) {
  const Registers *registers = exec->warps[w].registers;
  smb_exec_start_warp(exec, w);
  memset(registers->flags[0], 0, registers->n_rows);
  for (Predicate p = PREDICATE_TRUE + 1; p < registers->n_predicates; p++) {
    registers->predicates[p] = registers->unknown_predicates[p] = 0;
    registers->predicate_flags[p] = 0;
  }
}

// The same for the next block: steps set what they read, but for what is preset.
static void
start_again(Exec *exec, guint w) {
  Registers *registers = exec->warps[w].registers;
  registers->lanes = exec->block->launched.warp[w];
  for (guint i = 0; i < exec->lockstep->presets->len; i++) {
    const Preset *preset = &g_array_index(exec->lockstep->presets, Preset, i);
    smb_exec_preset(exec, w, preset);
    registers->flags[0][preset->row] = 0;
  }
}

// Nothing is left of the block before.
static void
start(Exec *exec) {
  Lockstep *lockstep = exec->lockstep;
  SmbBlock *block = exec->block;
  memset(lockstep->waiting, 0, (gsize)lockstep->at->len * block->n_warps * sizeof(SmbLanes));
  memset(lockstep->occupied, 0, lockstep->n_words * sizeof(guint64));
  lockstep->here = block->launched;
  for (guint w = 0; w < block->n_warps; w++)
    (lockstep->has_run ? start_again : start_warp)(exec, w);
  lockstep->has_run = TRUE;
}

gboolean
smb_lockstep_run(gpointer data) {
  Exec *exec = data;
  Lockstep *lockstep = exec->lockstep;
  guint32 pc = 0;
  start(exec);
  for (;;) {
    if (lockstep->places[pc] != NO_PLACE)
      gather(lockstep, pc, exec->block->n_warps);
    if (!take(exec, &pc))
      return FALSE;
    if (mask_any(exec->block, &lockstep->here))
      continue;
    pc = find_lowest(lockstep);
    if (pc == NO_STEP)
      return TRUE;
  }
}
