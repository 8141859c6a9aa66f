// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Runs a part of a launch, or all of it: which blocks, how often, and in which order.
#include "sim/analysis/part.h"

#include <math.h>

#include "sim/analysis/impl.h"
#include "sim/arch/words.h"
#include "sim/base/error.h"
#include "sim/base/room.h"
#include "sim/machine/front-end.h"

enum {
  MAX_IN_ORDER =
      1 << 14, // blocks of a grid that is run a second time, in order, if not all of it is counted
  MANY_SAMPLES =
      4, // blocks of a sample are worth it if there are so many times as many: they are distinct then, too
  FEW_TURNS = 128, // of a loop: it is not for these that a launch does not end
};

// Of all threads together.
#define MAX_SUMS_BYTES (G_GUINT64_CONSTANT(1) << 30)

// What is run: a part of a launch of a program.
typedef struct {
  const SmbProgram *program;
  const SmbArch *arch;
  const SmbLaunch *launch;
  guint number;
  guint of;
} Task;

// What became apparent of how blocks depend on each other, even if the run fails.
typedef struct {
  gboolean misses; // something is not known because other blocks may have changed it
  gboolean waited; // blocks waited for others
} Ties;

static guint64
count_blocks(const SmbLaunch *launch) {
  return (guint64)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

guint
smb_analysis_threads(const SmbAnalysisOptions *options) {
  return options->threads ? options->threads : g_get_num_processors();
}

// The first of @n that are behind the first @number of @of parts.
static guint64
cut_part(guint64 n, guint number, guint of) {
  return n / of * number + n % of * number / of;
}

// Whether the blocks of clusters run together, since they need each other: all of the grid, if that does not take too long.
static gboolean
runs_clusters(const Task *task) {
  return smb_launch_meets(task->launch, task->program) > 1 &&
         (task->launch->runtime || count_blocks(task->launch) <= MAX_IN_ORDER);
}

static int
compare_samples(gconstpointer a, gconstpointer b) {
  guint64 x = ((const SmbShare *)a)->block, y = ((const SmbShare *)b)->block;
  return (x > y) - (x < y);
}

// So many blocks (transfer full), each of which stands for as many others. Multiples of the golden ratio are spread evenly, and along
// each side of the grid.
static GArray *
sample_blocks(guint64 n_blocks, guint n) {
  static const double golden_ratio = 0.6180339887498949;
  GArray *shares = g_array_new(FALSE, FALSE, sizeof(SmbShare));
  for (guint i = 0; i < n; i++) {
    double place = (i + 0.5) * golden_ratio;
    SmbShare share = {(guint64)((place - floor(place)) * (double)n_blocks),
                      n_blocks / n + (i < n_blocks % n)};
    g_array_append_val(shares, share);
  }
  g_array_sort(shares, compare_samples);
  return shares;
}

// Whether to sample blocks: they do not need each other.
static gboolean
is_sampled(const Task *task, const SmbAnalysisOptions *options, const GArray *shares) {
  guint64 n = shares ? shares->len : count_blocks(task->launch);
  return options->sample > 0 && !options->shares && n / MANY_SAMPLES > options->sample &&
         task->of == 1 && !runs_clusters(task) && !options->in_order &&
         !smb_program_is_serial(task->program) && !task->launch->runtime;
}

// What has to be run of the launch: all blocks, unless few of them are enough.
static gboolean
plan(Queue *queue, const Task *task, const SmbAnalysisOptions *options, GError **error) {
  guint64 max_blocks = options->max_blocks ? options->max_blocks : SMB_ANALYSIS_MAX_BLOCKS;
  guint64 n_blocks = count_blocks(task->launch);
  gboolean keeps_all = options->global && !options->few;
  if (options->shares)
    queue->shares = g_array_ref(options->shares);
  else if (!options->every_block && !keeps_all && !options->in_order &&
           n_blocks <= SMB_ANALYSIS_MAX_REPEATS)
    queue->shares = smb_repeat_search(task->program, task->arch, task->launch, options, max_blocks);
  queue->is_sampled = is_sampled(task, options, queue->shares);
  if (queue->is_sampled) {
    g_clear_pointer(&queue->shares, g_array_unref);
    queue->shares = sample_blocks(n_blocks, options->sample);
  }
  guint64 n = queue->shares ? queue->shares->len : n_blocks;
  guint64 unit = runs_clusters(task) ? smb_launch_meets(task->launch, task->program) : 1;
  queue->first = queue->next = cut_part(n / unit, task->number - 1, task->of) * unit;
  queue->end = cut_part(n / unit, task->number, task->of) * unit;
  return queue->end - queue->first <= max_blocks ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                  smb_arch_say(task->arch, "a grid of %" G_GUINT64_FORMAT
                                           " blocks: at most %" G_GUINT64_FORMAT " are run"),
                  n_blocks, max_blocks) ||
         smb_hint(error, SMB_HINT_LIMIT, "max_blocks", NULL);
}

// What the threads counted, in one.
static SmbPart *
gather_parts(const Task *task, const GPtrArray *workers, const SmbAnalysisOptions *options) {
  SmbPart *part = g_new0(SmbPart, 1);
  part->in_order = options->in_order;
  smb_sums_init(&part->sums, smb_program_n_sites(task->program));
  if (options->keep_requests)
    part->requests = g_ptr_array_new_with_free_func((GDestroyNotify)smb_requests_free);
  for (guint i = 0; i < workers->len; i++) {
    Worker *worker = g_ptr_array_index(workers, i);
    smb_sums_add(&part->sums, &worker->sums);
    if (worker->requests)
      g_ptr_array_add(part->requests, g_steal_pointer(&worker->requests));
    if (worker->tiles && worker->tiles->len > 0)
      part->tiles = g_steal_pointer(&worker->tiles);
    if (worker->peers && worker->peers->len > 0)
      part->peers = g_steal_pointer(&worker->peers);
  }
  smb_sums_note_unreached(&part->sums, task->program);
  smb_sums_note_order(&part->sums, task->program);
  return part;
}

// How many threads have the room for sums of their own: of a program of 100,000 accesses each takes a quarter of a
// gigabyte.
static guint64
count_worker_threads(const Task *task, const SmbAnalysisOptions *options) {
  gsize bytes = smb_sums_bytes(smb_program_n_sites(task->program));
  guint64 room = MIN(MAX_SUMS_BYTES, smb_room_bytes() / 4);
  return MIN(smb_analysis_threads(options), room / bytes);
}

static SmbPart *
run_blocks(const Task *task, const SmbAnalysisOptions *options, Ties *ties, GError **error) {
  Queue queue = {.failed_block = G_MAXUINT64, .progress = options->progress};
  if (!plan(&queue, task, options, error))
    return NULL;
  g_autoptr(GArray) shares = queue.shares;
  g_autoptr(SmbGlobal) own_global = NULL;
  SmbGlobal *global = options->global;
  if (!global && (options->in_order || smb_program_is_serial(task->program)))
    global = own_global = smb_global_new(task->program, task->launch);
  if (options->in_order)
    smb_global_keep_order(global);
  if (global)
    queue.next = 0; // what earlier blocks leave is seen
  guint64 n = queue.end - queue.next;
  guint64 n_workers =
      global || options->request ? 1 : MAX(1, MIN(count_worker_threads(task, options), n));
  g_autoptr(GPtrArray) workers = g_ptr_array_new_with_free_func((GDestroyNotify)smb_worker_free);
  for (guint64 i = 0; i < n_workers; i++) {
    Worker *worker =
        smb_worker_new(task->program, task->arch, task->launch, options, global, error);
    if (!worker)
      return NULL;
    g_ptr_array_add(workers, worker);
  }
  smb_progress_begin(options->progress, "blocks", n);
  g_mutex_init(&queue.lock);
  if (options->in_order)
    smb_worker_run_resident(g_ptr_array_index(workers, 0), &queue);
  else
    smb_workers_run(workers, &queue);
  smb_progress_begin(options->progress, NULL, 0);
  g_mutex_clear(&queue.lock);
  SmbPart *part = gather_parts(task, workers, options);
  part->n_run = queue.end - queue.first;
  part->is_sampled = queue.is_sampled;
  if (shares && task->of == 1)
    part->shares = g_array_ref(shares);
  *ties = (Ties){part->sums.misses_others, queue.waited};
  if (queue.error)
    g_clear_pointer(&part, smb_part_free);
  if (queue.error)
    g_propagate_error(error, queue.error);
  return part;
}

// Whether lanes take different ways, in a program of which it is not well known where they reconverge.
static gboolean
has_unsettled_counts(const SmbProgram *program, const Sums *sums) {
  return sums->diverged && (program->front_end->variant || program->irregular);
}

// Runs the variants of the program, if the counts may be others there.
static gboolean
run_variants(SmbPart *part, const Task *task, const SmbAnalysisOptions *options, GError **error) {
  // One that is run for its results would print, and allocate, again.
  if (task->launch->runtime || !has_unsettled_counts(task->program, &part->sums))
    return TRUE;
  SmbAnalysisOptions plain = *options;
  plain.keep_requests = FALSE;
  plain.global = NULL;
  plain.request = NULL;
  part->variants = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  for (guint i = 0; task->program->front_end->variant; i++) {
    g_autoptr(SmbProgram) variant = task->program->front_end->variant(task->program, i);
    if (!variant)
      break;
    SmbPart *other =
        smb_part_run(variant, task->arch, task->launch, &plain, task->number, task->of, error);
    if (!other)
      return FALSE;
    // The counts are compared, and nothing that is the variant's own.
    smb_sums_forget(&other->sums);
    g_ptr_array_add(part->variants, other);
  }
  return TRUE;
}

static gboolean
is_load(const SmbProgram *program, guint site) {
  return smb_program_site(program, site)->op_class == SMB_OP_CLASS_LOAD;
}

// The sites whose values a race decides, be it with a copy that is pending, of a program that marks such values
// (transfer full); NULL: there are none. Where a load and a store race it is the load, where two writers do what both
// leave.
static guint8 *
find_racing_sites(const SmbProgram *program, const Sums *sums) {
  guint8 *races = NULL;
  for (guint i = 0; program->tracks && i < sums->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(sums->warnings, SmbAnalysisWarning, i);
    if (warning->kind != SMB_WARNING_RACE && warning->kind != SMB_WARNING_PENDING)
      continue;
    if (!races)
      races = g_new0(guint8, sums->n_sites);
    gboolean loads = is_load(program, warning->site),
             other_loads = is_load(program, warning->other);
    races[warning->site] |= loads || !other_loads;
    races[warning->other] |= other_loads || !loads;
  }
  return races;
}

// Once more, now that it is known what races.
static SmbPart *
run_racing(const Task *task, const SmbAnalysisOptions *options, const guint8 *races, Ties *ties,
           GError **error) {
  SmbAnalysisOptions how = *options;
  how.races = races;
  return run_blocks(task, &how, ties, error);
}

static SmbPart *
run_task(const Task *task, const SmbAnalysisOptions *options, Ties *ties, GError **error) {
  SmbPart *part = run_blocks(task, options, ties, error);
  gboolean again = part && !options->races && !options->global && !options->request;
  g_autofree guint8 *races = again ? find_racing_sites(task->program, &part->sums) : NULL;
  if (races) {
    smb_part_free(part);
    part = run_racing(task, options, races, ties, error);
  }
  if (part && !run_variants(part, task, options, error))
    g_clear_pointer(&part, smb_part_free);
  return part;
}

static gboolean
has_all_counts(const Sums *sums) {
  for (guint site = 0; site < sums->n_sites; site++) {
    if (sums->accesses[site].uncounted)
      return FALSE;
  }
  return TRUE;
}

// Runs the blocks in order, those that wait for others beside these. NULL without an error: that does not help.
static SmbPart *
run_in_order(const Task *task, const SmbAnalysisOptions *options, GError **error) {
  SmbAnalysisOptions how = *options;
  Ties ties = {FALSE, FALSE};
  g_autoptr(GError) failure = NULL;
  how.in_order = TRUE;
  g_autoptr(SmbGlobal) own = options->global ? smb_global_new(task->program, task->launch) : NULL;
  how.global = own;
  g_autoptr(SmbPart) part = run_task(task, &how, &ties, &failure);
  if (part && own)
    smb_global_take(options->global, own);
  if (ties.waited && task->of > 1)
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
             "blocks of '%s' wait for each other: the launch cannot be split into parts",
             smb_program_name(task->program));
  else if (ties.waited && failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  else
    return g_steal_pointer(&part);
  return NULL;
}

// In order if something asks for it, or if blocks polled for others in vain.
static SmbPart *
run_as_needed(const Task *task, SmbAnalysisOptions *how, GError **error) {
  Ties ties = {FALSE, FALSE};
  g_autoptr(GError) failure = NULL;
  how->in_order = how->in_order || how->request || runs_clusters(task);
  if (how->in_order)
    return run_task(task, how, &ties, error);
  g_autoptr(SmbPart) part = run_task(task, how, &ties, &failure);
  if (ties.misses && (!part || !has_all_counts(&part->sums)) &&
      count_blocks(task->launch) <= MAX_IN_ORDER) {
    g_autoptr(GError) waiting = NULL;
    SmbPart *ordered = run_in_order(task, how, &waiting);
    if (ordered)
      return ordered;
    if (waiting) {
      g_propagate_error(error, g_steal_pointer(&waiting));
      return NULL;
    }
  }
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  return g_steal_pointer(&part);
}

// What is still running may need less to do: loops often go to an argument.
static void
hint_at_less(const Task *task, GError **error) {
  const SmbHint *hint = smb_error_hint(error ? *error : NULL, 0);
  gint64 number;
  if (!hint || hint->kind != SMB_HINT_LIMIT || g_strcmp0(hint->name, "max_steps") != 0)
    return;
  guint largest = smb_argument_largest(task->launch->arguments, task->program, &number);
  g_autofree char *value = g_strdup_printf("%" G_GINT64_FORMAT, number);
  if (largest != G_MAXUINT && number > FEW_TURNS)
    smb_hint(error, SMB_HINT_SMALLER, smb_program_parameter(task->program, largest).name, value);
}

SmbPart *
smb_part_run(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
             const SmbAnalysisOptions *options, guint number, guint of, GError **error) {
  static const SmbAnalysisOptions defaults = {{0}, 0, 0, NULL, FALSE};
  const Task task = {program, arch, launch, number, of};
  SmbAnalysisOptions how = options ? *options : defaults;
  SmbPart *part = run_as_needed(&task, &how, error);
  if (!part)
    hint_at_less(&task, error);
  return part;
}

void
smb_part_free(SmbPart *part) {
  if (!part)
    return;
  g_clear_pointer(&part->shares, g_array_unref);
  smb_sums_clear(&part->sums);
  g_clear_pointer(&part->variants, g_ptr_array_unref);
  g_clear_pointer(&part->requests, g_ptr_array_unref);
  g_clear_pointer(&part->tiles, g_array_unref);
  g_clear_pointer(&part->peers, g_array_unref);
  g_strfreev(part->parameters);
  g_clear_pointer(&part->sites, g_array_unref);
  g_clear_pointer(&part->texts, g_string_chunk_free);
  g_free(part);
}

// Where blocks polled for others in vain, all of the launch is run in order: so if one part was, all have to be.
gboolean
smb_parts_agree(const SmbPart *a, const SmbPart *b) {
  gboolean misses = a->sums.misses_others || b->sums.misses_others;
  gboolean complete = has_all_counts(&a->sums) && has_all_counts(&b->sums);
  gboolean alike = !a->variants || !b->variants || a->variants->len == b->variants->len;
  return alike && a->in_order == b->in_order && (a->in_order || !misses || complete);
}

// What was counted of all parts; @variant: of one of the variants, or of the program itself (G_MAXUINT).
static SmbAnalysis *
collect_parts(const GPtrArray *parts, guint variant, const SmbProgram *program, const SmbArch *arch,
              const SmbLaunch *launch) {
  Sums sums = {0};
  smb_sums_init(&sums, smb_program_n_sites(program));
  for (guint i = 0; i < parts->len; i++) {
    const SmbPart *part = g_ptr_array_index(parts, i);
    if (variant != G_MAXUINT && part->variants)
      part = g_ptr_array_index(part->variants, variant);
    smb_sums_add(&sums, &part->sums);
  }
  SmbAnalysis *analysis = smb_sums_collect(&sums, program, arch, launch);
  smb_sums_clear(&sums);
  return analysis;
}

SmbAnalysis *
smb_parts_collect(const GPtrArray *parts, const SmbProgram *program, const SmbArch *arch,
                  const SmbLaunch *launch, SmbHintWriter write_hint) {
  SmbAnalysis *analysis = collect_parts(parts, G_MAXUINT, program, arch, launch);
  g_autoptr(GPtrArray) kept = g_ptr_array_new(), variants = NULL;
  const GPtrArray *models = NULL;
  for (guint i = 0; i < parts->len; i++) {
    const SmbPart *part = g_ptr_array_index(parts, i);
    analysis->n_blocks_run += part->n_run;
    analysis->is_sampled = analysis->is_sampled || part->is_sampled;
    if (parts->len == 1 && part->shares)
      analysis->shares = g_array_ref(part->shares);
    models = part->variants ? part->variants : models;
    if (part->tiles)
      smb_tiles_collect(analysis, part->tiles);
    if (part->peers)
      smb_peers_collect(analysis, part->peers);
    for (guint r = 0; part->requests && r < part->requests->len; r++)
      g_ptr_array_add(kept, part->requests->pdata[r]);
  }
  if (kept->len > 0)
    smb_requests_collect(analysis, program, kept);
  if (models) {
    variants = g_ptr_array_new_with_free_func((GDestroyNotify)smb_analysis_free);
    for (guint v = 0; v < models->len; v++)
      g_ptr_array_add(variants, collect_parts(parts, v, program, arch, launch));
    smb_variants_compare(analysis, program, variants);
  }
  if (write_hint)
    smb_warnings_write_hints(analysis, write_hint);
  smb_accesses_judge(analysis, program, arch);
  return analysis;
}
