// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/analysis.h"

#include <string.h>

#include "sim/error.h"

// One thread's share of the blocks: counts by site, which are added up in the end.
typedef struct {
  const SmbArch *arch;
  guint segment_shift;
  guint n_sites;
  SmbAccess *accesses;
  SmbGlobalAccess *globals;
  guint64 *first_block; // by site: the block that named its array
  GArray *warnings;
  SmbBlock *block;
  guint64 index; // of the block that runs
} Worker;

// What the workers share.
typedef struct {
  GMutex lock;
  guint64 next;
  guint64 n_blocks;
  guint64 failed_block; // G_MAXUINT64: none
  GError *error;
} Queue;

void
smb_tally_add(SmbTally *tally, const SmbTally *more) {
  tally->requests += more->requests;
  tally->wavefronts += more->wavefronts;
  tally->ideal += more->ideal;
  tally->excess += more->excess;
  tally->cycles += more->cycles;
  tally->max_degree = MAX(tally->max_degree, more->max_degree);
}

void
smb_tally_count(SmbTally *tally, const SmbWavefronts *cost) {
  tally->requests++;
  tally->wavefronts += cost->wavefronts;
  tally->ideal += cost->ideal;
  tally->excess += cost->excess;
  tally->cycles += cost->cycles;
  tally->max_degree = MAX(tally->max_degree, cost->degree);
}

static void
count_shared(gpointer user, guint site, guint warp, const char *array, const SmbRequest *request) {
  Worker *worker = user;
  SmbAccess *access = &worker->accesses[site];
  SmbWavefronts cost = smb_wavefronts_count(worker->arch, request);
  if (access->total.requests == 0) {
    access->array = array;
    worker->first_block[site] = worker->index;
  }
  if (access->total.requests == 0 || cost.excess > access->worst_cost.excess) {
    access->worst = *request;
    access->worst_cost = cost;
    access->worst_block = worker->index;
    access->worst_warp = warp;
  }
  smb_tally_count(&access->total, &cost);
  smb_tally_count(&access->warps[warp], &cost);
}

// Distinct values of a short array, which is reordered. Most come in rising order.
static guint
count_distinct(guint64 *values, guint n) {
  guint distinct = 0;
  guint64 highest = 0;
  for (guint i = 0; i < n; i++) {
    guint j = i == 0 || values[i] > highest ? 0 : distinct;
    highest = MAX(highest, values[i]);
    while (j > 0 && values[j - 1] != values[i])
      j--;
    if (j == 0)
      values[distinct++] = values[i];
  }
  return distinct;
}

// Segments that a request touches. An access is aligned to its width, so it lies within one.
static void
count_global(gpointer user, guint site, G_GNUC_UNUSED guint warp, const char *buffer, guint32 mask,
             guint width, const guint64 *addresses) {
  Worker *worker = user;
  SmbGlobalAccess *access = &worker->globals[site];
  guint64 asked[SMB_WARP_LANES], segments[SMB_WARP_LANES];
  guint n = 0;
  for (; mask; mask &= mask - 1, n++) {
    asked[n] = addresses[__builtin_ctz(mask)];
    segments[n] = asked[n] >> worker->segment_shift;
  }
  guint touched = count_distinct(segments, n);
  guint bytes = count_distinct(asked, n) * width;
  guint segment_bytes = 1u << worker->segment_shift;
  if (access->requests == 0) {
    access->buffer = buffer;
    worker->first_block[site] = worker->index;
  }
  access->requests++;
  access->segments += touched;
  access->ideal += (bytes + segment_bytes - 1) / segment_bytes;
  access->max_segments = MAX(access->max_segments, touched);
}

static void
note_warning(GArray *warnings, const SmbAnalysisWarning *warning) {
  for (guint i = 0; i < warnings->len; i++) {
    SmbAnalysisWarning *known = &g_array_index(warnings, SmbAnalysisWarning, i);
    if (known->kind != warning->kind || known->site != warning->site ||
        known->other != warning->other)
      continue;
    if (warning->block < known->block) {
      g_free(known->message);
      *known = *warning;
      known->message = g_strdup(warning->message);
    }
    return;
  }
  g_array_append_vals(warnings, warning, 1);
  SmbAnalysisWarning *added = &g_array_index(warnings, SmbAnalysisWarning, warnings->len - 1);
  added->message = g_strdup(warning->message);
}

static void
take_warning(gpointer user, SmbWarning kind, guint site, guint other, const char *message) {
  Worker *worker = user;
  SmbAnalysisWarning warning = {kind, site, other, worker->index, (char *)message};
  note_warning(worker->warnings, &warning);
}

static void
clear_warning(gpointer warning) {
  g_free(((SmbAnalysisWarning *)warning)->message);
}

static GArray *
new_warnings(void) {
  GArray *warnings = g_array_new(FALSE, FALSE, sizeof(SmbAnalysisWarning));
  g_array_set_clear_func(warnings, clear_warning);
  return warnings;
}

static void
worker_free(Worker *worker) {
  if (!worker)
    return;
  g_free(worker->accesses);
  g_free(worker->globals);
  g_free(worker->first_block);
  g_array_unref(worker->warnings);
  smb_block_free(worker->block);
  g_free(worker);
}

static Worker *
worker_new(const SmbKernel *kernel, const SmbArch *arch, const SmbLaunch *launch,
           const SmbAnalysisOptions *options, SmbGlobal *global, GError **error) {
  static const SmbSink sink = {count_shared, count_global, take_warning};
  Worker *worker = g_new0(Worker, 1);
  worker->arch = arch;
  worker->segment_shift = (guint)__builtin_ctz(smb_arch_info(arch)->global_segment_bytes);
  worker->n_sites = smb_kernel_n_sites(kernel);
  worker->accesses = g_new0(SmbAccess, worker->n_sites + 1);
  worker->globals = g_new0(SmbGlobalAccess, worker->n_sites + 1);
  worker->first_block = g_new0(guint64, worker->n_sites + 1);
  worker->warnings = new_warnings();
  worker->block =
      smb_block_new(kernel, arch, launch, &options->limits, &sink, worker, global, error);
  if (worker->block)
    return worker;
  worker_free(worker);
  return NULL;
}

// Takes blocks, in order, until there are none or an earlier one has failed.
static void
work(gpointer data, gpointer user) {
  Worker *worker = data;
  Queue *queue = user;
  for (;;) {
    g_mutex_lock(&queue->lock);
    gboolean ends = queue->next >= queue->n_blocks || queue->next > queue->failed_block;
    worker->index = queue->next;
    queue->next += !ends;
    g_mutex_unlock(&queue->lock);
    if (ends)
      return;
    GError *error = NULL;
    if (smb_block_run(worker->block, worker->index, &error))
      continue;
    g_mutex_lock(&queue->lock);
    if (worker->index < queue->failed_block) {
      queue->failed_block = worker->index;
      g_clear_error(&queue->error);
      queue->error = g_steal_pointer(&error);
    }
    g_mutex_unlock(&queue->lock);
    g_clear_error(&error);
  }
}

// Adds what a worker counted at one site to what others did.
static void
merge_access(SmbAccess *into, guint64 *first_block, const Worker *worker, guint site) {
  const SmbAccess *from = &worker->accesses[site];
  if (from->total.requests == 0)
    return;
  gboolean first = into->total.requests == 0;
  gboolean worse = from->worst_cost.excess > into->worst_cost.excess;
  gboolean earlier =
      from->worst_cost.excess == into->worst_cost.excess && from->worst_block < into->worst_block;
  if (first || worse || earlier) {
    into->worst = from->worst;
    into->worst_cost = from->worst_cost;
    into->worst_block = from->worst_block;
    into->worst_warp = from->worst_warp;
  }
  if (first || worker->first_block[site] < *first_block) {
    into->array = from->array;
    *first_block = worker->first_block[site];
  }
  smb_tally_add(&into->total, &from->total);
  for (guint w = 0; w < SMB_MAX_WARPS; w++)
    smb_tally_add(&into->warps[w], &from->warps[w]);
}

static void
add_global(SmbGlobalAccess *into, const SmbGlobalAccess *from) {
  into->requests += from->requests;
  into->segments += from->segments;
  into->ideal += from->ideal;
  into->max_segments = MAX(into->max_segments, from->max_segments);
}

static int
compare_places(const SmbSite *a, const SmbSite *b) {
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return (int)a->op_class - (int)b->op_class;
}

static int
compare_accesses(gconstpointer a, gconstpointer b) {
  return compare_places(((const SmbAccess *)a)->site, ((const SmbAccess *)b)->site);
}

static int
compare_globals(gconstpointer a, gconstpointer b) {
  return compare_places(((const SmbGlobalAccess *)a)->site, ((const SmbGlobalAccess *)b)->site);
}

static int
compare_warnings(gconstpointer a, gconstpointer b) {
  const SmbAnalysisWarning *x = a, *y = b;
  if (x->site != y->site)
    return x->site < y->site ? -1 : 1;
  return x->other < y->other ? -1 : x->other > y->other;
}

static void
collect_site(SmbAnalysis *analysis, const SmbKernel *kernel, const GPtrArray *workers, guint site) {
  SmbAccess access = {.site = smb_kernel_site(kernel, site)};
  SmbGlobalAccess global = {.site = access.site};
  guint64 first_block = G_MAXUINT64, first_global = G_MAXUINT64;
  for (guint i = 0; i < workers->len; i++) {
    const Worker *worker = g_ptr_array_index(workers, i);
    merge_access(&access, &first_block, worker, site);
    const SmbGlobalAccess *from = &worker->globals[site];
    if (from->requests && worker->first_block[site] < first_global) {
      first_global = worker->first_block[site];
      global.buffer = from->buffer;
    }
    add_global(&global, from);
  }
  if (access.total.requests) {
    g_array_append_val(analysis->accesses, access);
    smb_tally_add(&analysis->totals[access.site->op_class], &access.total);
  }
  if (global.requests) {
    g_array_append_val(analysis->globals, global);
    add_global(&analysis->global_totals[global.site->op_class], &global);
  }
}

static SmbAnalysis *
collect(const SmbKernel *kernel, const SmbLaunch *launch, const GPtrArray *workers) {
  SmbAnalysis *analysis = g_new0(SmbAnalysis, 1);
  analysis->accesses = g_array_new(FALSE, FALSE, sizeof(SmbAccess));
  analysis->globals = g_array_new(FALSE, FALSE, sizeof(SmbGlobalAccess));
  analysis->warnings = new_warnings();
  for (guint site = 0; site < smb_kernel_n_sites(kernel); site++)
    collect_site(analysis, kernel, workers, site);
  for (guint i = 0; i < workers->len; i++) {
    const Worker *worker = g_ptr_array_index(workers, i);
    for (guint j = 0; j < worker->warnings->len; j++)
      note_warning(analysis->warnings, &g_array_index(worker->warnings, SmbAnalysisWarning, j));
  }
  g_array_sort(analysis->accesses, compare_accesses);
  g_array_sort(analysis->globals, compare_globals);
  g_array_sort(analysis->warnings, compare_warnings);
  guint threads = launch->block[0] * launch->block[1] * launch->block[2];
  analysis->n_warps = (threads + SMB_WARP_LANES - 1) / SMB_WARP_LANES;
  analysis->shared_bytes = smb_kernel_static_shared(kernel) + launch->dynamic_bytes;
  return analysis;
}

static void
run_workers(const GPtrArray *workers, Queue *queue) {
  if (workers->len == 1) {
    work(g_ptr_array_index(workers, 0), queue);
    return;
  }
  // A pool that is not exclusive starts what threads it can get, and cannot fail.
  GThreadPool *pool = g_thread_pool_new(work, queue, (gint)workers->len, FALSE, NULL);
  for (guint i = 0; i < workers->len; i++)
    g_thread_pool_push(pool, g_ptr_array_index(workers, i), NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
}

SmbAnalysis *
smb_analysis_run(const SmbKernel *kernel, const SmbArch *arch, const SmbLaunch *launch,
                 const SmbAnalysisOptions *options, GError **error) {
  static const SmbAnalysisOptions defaults = {{0}, 0, 0, NULL};
  options = options ? options : &defaults;
  Queue queue = {.failed_block = G_MAXUINT64};
  queue.n_blocks = (guint64)launch->grid[0] * launch->grid[1] * launch->grid[2];
  guint64 max_blocks = options->max_blocks ? options->max_blocks : SMB_ANALYSIS_MAX_BLOCKS;
  if (queue.n_blocks > max_blocks) {
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE,
                "a grid of %" G_GUINT64_FORMAT " blocks: at most %" G_GUINT64_FORMAT
                " are run (--max-blocks allows more)",
                queue.n_blocks, max_blocks);
    return NULL;
  }
  g_autoptr(SmbGlobal) own_global = NULL;
  SmbGlobal *global = options->global;
  if (!global && smb_kernel_is_serial(kernel))
    global = own_global = smb_global_new();
  guint64 wanted = options->threads ? options->threads : g_get_num_processors();
  guint64 n_workers = global ? 1 : MAX(1, MIN(wanted, queue.n_blocks));
  g_autoptr(GPtrArray) workers = g_ptr_array_new_with_free_func((GDestroyNotify)worker_free);
  for (guint64 i = 0; i < n_workers; i++) {
    Worker *worker = worker_new(kernel, arch, launch, options, global, error);
    if (!worker)
      return NULL;
    g_ptr_array_add(workers, worker);
  }
  g_mutex_init(&queue.lock);
  run_workers(workers, &queue);
  g_mutex_clear(&queue.lock);
  if (queue.error) {
    g_propagate_error(error, queue.error);
    return NULL;
  }
  return collect(kernel, launch, workers);
}

void
smb_analysis_free(SmbAnalysis *analysis) {
  if (!analysis)
    return;
  g_array_unref(analysis->accesses);
  g_array_unref(analysis->globals);
  g_array_unref(analysis->warnings);
  g_free(analysis);
}

const SmbAccess *
smb_analysis_worst(const SmbAnalysis *analysis) {
  const SmbAccess *worst = NULL;
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (!worst || access->total.excess > worst->total.excess)
      worst = access;
  }
  return worst;
}

guint
smb_analysis_max_degree(const SmbAnalysis *analysis) {
  guint degree = 0;
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    degree = MAX(degree, analysis->totals[c].max_degree);
  return degree;
}
