// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/analysis/execute.h"

#include <string.h>

#include "sim/analysis/impl.h"
#include "sim/base/error.h"
#include "sim/base/parallel.h"
#include "sim/check/defect.h"
#include "sim/machine/front-end.h"
#include "sim/machine/device/runtime.h"

// How many blocks are a wave: the same on every machine, so that results are.
enum {
  FIRST_WAVE = 1024,
  LEAST_WAVE = 64,
  LARGEST_WAVE = 1 << 20,
  ALONE_MICROSECONDS = 300, // of a launch, before it is worth having other threads
};

// What the blocks of a wave may write, as far as the wave before says.
#define WAVE_BYTES (G_GUINT64_CONSTANT(256) << 20)

typedef struct {
  const SmbProgram *program;
  const SmbArch *arch;
  const SmbLaunch *launch;
  const SmbAnalysisOptions *options;
  SmbGlobal *global;
  Queue queue;
  guint64 n_blocks;
  Worker **workers; // NULL: it has not begun
  guint n_workers;
  Sums sums; // of the waves that have ended
  // of a wave
  SmbWritten **written; // by block
  SmbDefects **defects; // by block
  guint64 first;
  gint needs_order; // atomic
  gint cancelled;   // atomic
  GError *refusal;  // of the launch
} Execution;

static gboolean
is_execution_cancelled(const Execution *execution) {
  const SmbAnalysisOptions *options = execution->options;
  return options->is_cancelled && options->is_cancelled(options->cancel_user);
}

static guint
count_sites(const Execution *execution) {
  return execution->options->only_runs ? 0 : smb_program_n_sites(execution->program);
}

// That of a thread, or NULL: the launch is refused.
static Worker *
find_worker(Execution *execution, guint number) {
  Worker **worker = &execution->workers[number];
  GError *error = NULL;
  if (*worker && !(*worker)->sums.warnings) // another wave had it
    smb_sums_init(&(*worker)->sums, count_sites(execution));
  if (!*worker)
    *worker = smb_worker_new(execution->program, execution->arch, execution->launch,
                             execution->options, NULL, &error);
  if (*worker) {
    smb_block_set_defers((*worker)->block);
    return *worker;
  }
  g_mutex_lock(&execution->queue.lock);
  if (!execution->refusal)
    execution->refusal = g_steal_pointer(&error);
  execution->queue.next = execution->queue.end;
  g_mutex_unlock(&execution->queue.lock);
  g_clear_error(&error);
  return NULL;
}

static gboolean
take_wave_block(Execution *execution, SmbShare *share) {
  g_mutex_lock(&execution->queue.lock);
  gboolean taken = !g_atomic_int_get(&execution->needs_order) &&
                   !g_atomic_int_get(&execution->cancelled) &&
                   smb_queue_take(&execution->queue, share);
  g_mutex_unlock(&execution->queue.lock);
  return taken;
}

// Runs the next block. FALSE: there is none.
static gboolean
run_wave_block(Execution *execution, guint number) {
  SmbShare share;
  GError *error = NULL;
  if (!take_wave_block(execution, &share))
    return FALSE;
  Worker *worker = find_worker(execution, number);
  if (!worker)
    return FALSE;
  smb_worker_turn_to(worker, &share);
  smb_block_run(worker->block, share.block, &error);
  if (smb_block_misses_others(worker->block)) {
    g_atomic_int_set(&execution->needs_order, TRUE);
    g_clear_error(&error);
    return FALSE;
  }
  execution->written[share.block - execution->first] = smb_block_take_written(worker->block);
  execution->defects[share.block - execution->first] = smb_block_take_defects(worker->block);
  smb_worker_end_block(worker, worker->block, &execution->queue, error);
  return TRUE;
}

static void
run_other_worker(gpointer user, guint item) {
  while (run_wave_block(user, item + 1))
    continue;
}

// Others help once it takes long.
static void
run_wave(Execution *execution) {
  SmbParallel *others = NULL;
  gint64 start = g_get_monotonic_time();
  while (run_wave_block(execution, 0)) {
    gboolean helps = !others && execution->n_workers > 1 &&
                     execution->queue.end - execution->queue.next > 1 &&
                     g_get_monotonic_time() - start > ALONE_MICROSECONDS;
    if (helps)
      others = smb_parallel_start(execution->n_workers - 1, execution->n_workers - 1,
                                  run_other_worker, execution);
    if (is_execution_cancelled(execution))
      g_atomic_int_set(&execution->cancelled, TRUE);
  }
  smb_parallel_finish(others);
}

// What the wave has counted is kept, or dropped.
static void
settle_sums(Execution *execution, gboolean keeps) {
  for (guint i = 0; i < execution->n_workers; i++) {
    Worker *worker = execution->workers[i];
    if (!worker || !worker->sums.warnings) // it had no block of the wave
      continue;
    if (keeps) {
      smb_worker_note_facts(worker, worker->block);
      smb_sums_add(&execution->sums, &worker->sums);
    }
    smb_sums_clear(&worker->sums);
    worker->sums = (Sums){0};
  }
}

// Puts what the blocks up to the first that failed have written into memory. Returns how many bytes of chunks these
// were.
static guint64
put_wave(Execution *execution, guint64 n, gboolean keeps) {
  guint64 bytes = 0;
  for (guint64 i = 0; i < n; i++) {
    SmbWritten *written = execution->written[i];
    if (written && keeps && execution->first + i <= execution->queue.failed_block) {
      smb_global_put(execution->global, written);
      bytes += smb_written_bytes(written);
    }
    if (keeps && execution->first + i <= execution->queue.failed_block)
      smb_defects_merge(execution->launch->defects, g_steal_pointer(&execution->defects[i]), FALSE);
    g_clear_pointer(&execution->written[i], smb_written_free);
    g_clear_pointer(&execution->defects[i], smb_defects_free);
  }
  return bytes;
}

// The blocks from the first one that has not been run on. FALSE: it has to be in order.
static gboolean
run_in_waves(Execution *execution) {
  guint64 size = FIRST_WAVE;
  Queue *queue = &execution->queue;
  execution->n_workers = (guint)MIN(smb_analysis_threads(execution->options), execution->n_blocks);
  execution->workers = g_new0(Worker *, execution->n_workers);
  while (execution->first < execution->n_blocks && !queue->error && !execution->refusal) {
    guint64 n = MIN(size, execution->n_blocks - execution->first);
    if (execution->first > 0 && !smb_global_is_settled(execution->global))
      return FALSE;
    execution->written = g_renew(SmbWritten *, execution->written, n);
    memset(execution->written, 0, n * sizeof *execution->written);
    execution->defects = g_renew(SmbDefects *, execution->defects, n);
    memset(execution->defects, 0, n * sizeof(SmbDefects *));
    queue->next = execution->first;
    queue->end = execution->first + n;
    run_wave(execution);
    gboolean keeps = !execution->needs_order && !execution->cancelled && !execution->refusal;
    guint64 bytes = put_wave(execution, n, keeps);
    settle_sums(execution, keeps);
    if (execution->launch->runtime)
      smb_runtime_settle(execution->launch->runtime, keeps);
    if (execution->needs_order)
      return FALSE;
    if (execution->cancelled)
      return TRUE;
    execution->first += n;
    size = CLAMP(WAVE_BYTES / (bytes / n + 1), LEAST_WAVE, LARGEST_WAVE);
  }
  return TRUE;
}

// The rest of the blocks, one after the other.
static gboolean
run_rest_in_order(Execution *execution, GError **error) {
  Queue *queue = &execution->queue;
  smb_global_keep_order(execution->global);
  Worker *worker = smb_worker_new(execution->program, execution->arch, execution->launch,
                                  execution->options, execution->global, error);
  if (!worker)
    return FALSE;
  queue->next = execution->first;
  queue->end = execution->n_blocks;
  smb_worker_run_resident(worker, queue);
  smb_sums_add(&execution->sums, &worker->sums);
  smb_worker_free(worker);
  return TRUE;
}

static SmbAnalysis *
collect_execution(Execution *execution) {
  SmbPart *part = g_new0(SmbPart, 1);
  part->sums = execution->sums;
  execution->sums = (Sums){0};
  part->n_run = execution->n_blocks;
  smb_sums_note_unreached(&part->sums, execution->program);
  smb_sums_note_order(&part->sums, execution->program);
  if (part->sums.diverged && execution->program->irregular)
    part->variants = g_ptr_array_new();
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  g_ptr_array_add(parts, part);
  return smb_parts_collect(parts, execution->program, execution->arch, execution->launch,
                           execution->options->write_hint);
}

static void
clear_execution(Execution *execution) {
  for (guint i = 0; execution->workers && i < execution->n_workers; i++)
    smb_worker_free(execution->workers[i]);
  g_free(execution->workers);
  g_free(execution->written);
  g_free(execution->defects);
  g_mutex_clear(&execution->queue.lock);
  smb_sums_clear(&execution->sums);
  g_clear_error(&execution->queue.error);
  g_clear_error(&execution->refusal);
}

// TRUE: all blocks have run.
static gboolean
run_execution(Execution *execution, gboolean *in_order, GError **error) {
  *in_order = execution->options->in_order || execution->n_blocks == 1 ||
              smb_launch_meets(execution->launch, execution->program) > 1 ||
              !run_in_waves(execution);
  if (execution->refusal) {
    g_propagate_error(error, g_steal_pointer(&execution->refusal));
    return FALSE;
  }
  if (*in_order && !run_rest_in_order(execution, error))
    return FALSE;
  if (execution->queue.error) {
    g_propagate_error(error, g_steal_pointer(&execution->queue.error));
    return FALSE;
  }
  return !execution->cancelled || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "interrupted");
}

gboolean
smb_execute_launch(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                   const SmbAnalysisOptions *options, SmbGlobal *global, gboolean *in_order,
                   SmbAnalysis **analysis, GError **error) {
  guint64 n_blocks = smb_launch_n_blocks(launch);
  Execution execution = {.program = program,
                         .arch = arch,
                         .launch = launch,
                         .options = options,
                         .global = global,
                         .n_blocks = n_blocks,
                         .queue = {.failed_block = G_MAXUINT64, .progress = options->progress}};
  execution.queue.first = options->only_runs ? n_blocks : 0;
  smb_sums_init(&execution.sums, count_sites(&execution));
  g_mutex_init(&execution.queue.lock);
  smb_progress_begin(options->progress, "blocks", n_blocks);
  gboolean ran = run_execution(&execution, in_order, error);
  smb_progress_begin(options->progress, NULL, 0);
  if (analysis)
    *analysis = ran && !options->only_runs ? collect_execution(&execution) : NULL;
  clear_execution(&execution);
  return ran;
}
