// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An analysis: the counts of all workers, added up by site, the same whichever worker ran which block.
#include "sim/analysis/analysis.h"

#include <string.h>

#include "sim/analysis/impl.h"
#include "sim/program/front-end.h"
#include "sim/arch/arch.h"
#include "sim/arch/rule.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/text.h"

void
smb_tally_add(SmbTally *tally, const SmbTally *more) {
  tally->requests += more->requests;
  tally->wavefronts += more->wavefronts;
  tally->ideal += more->ideal;
  tally->excess += more->excess;
  tally->cycles += more->cycles;
  tally->max_degree = MAX(tally->max_degree, more->max_degree);
  tally->max_queue = MAX(tally->max_queue, more->max_queue);
}

SmbTally
smb_analysis_total(const SmbAnalysis *analysis) {
  SmbTally total = {0};
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    smb_tally_add(&total, &analysis->totals[c]);
  smb_tally_add(&total, &analysis->copies);
  return total;
}

gboolean
smb_access_is_copy(const SmbAccess *access) {
  return access->worst.op == SMB_OP_CP_ASYNC_CA || access->worst.op == SMB_OP_CP_ASYNC_CG;
}

void
smb_tally_count(SmbTally *tally, const SmbWavefronts *cost, guint64 times) {
  tally->requests += times;
  tally->wavefronts += cost->wavefronts * times;
  tally->ideal += cost->ideal * times;
  tally->excess += cost->excess * times;
  tally->cycles += cost->cycles * times;
  tally->max_degree = MAX(tally->max_degree, cost->degree);
  // The wavefronts of a request for each ideal one. A division only where the maximum grows.
  if (cost->wavefronts > tally->max_queue * (guint64)cost->ideal)
    tally->max_queue = (cost->wavefronts - 1) / MAX(cost->ideal, 1) + 1;
}

static void
add_loops(SmbLoopTally *into, const SmbLoopTally *more) {
  into->requests += more->requests;
  into->loads += more->loads;
  into->load_wavefronts += more->load_wavefronts;
  into->swaps += more->swaps;
}

// Adds what a worker counted at one site to what others did.
static void
merge_access(SmbAccess *into, guint64 *first_block, const Worker *worker, guint site) {
  const SmbAccess *from = &worker->accesses[site];
  into->uncounted += from->uncounted;
  if (from->worst.width == 0)
    return; // nothing was counted
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
  into->doubt |= from->doubt;
  into->lanes += from->lanes;
  add_loops(&into->loops, &from->loops);
  for (guint w = 0; w < SMB_MAX_WARPS; w++) {
    smb_tally_add(&into->warps[w], &from->warps[w]);
    smb_tally_add(&into->total, &from->warps[w]);
  }
}

static void
add_global(SmbGlobalAccess *into, const SmbGlobalAccess *from) {
  into->requests += from->requests;
  into->segments += from->segments;
  into->ideal += from->ideal;
  into->max_segments = MAX(into->max_segments, from->max_segments);
  into->bytes += from->bytes;
}

static int
compare_places(const SmbSite *a, const SmbSite *b) {
  return smb_order(a->offset, b->offset) ?: smb_order(a->op_class, b->op_class);
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
compare_constants(gconstpointer a, gconstpointer b) {
  return compare_places(((const SmbConstantAccess *)a)->site, ((const SmbConstantAccess *)b)->site);
}

static int
compare_traffic(gconstpointer a, gconstpointer b) {
  return compare_places(((const SmbOtherTraffic *)a)->site, ((const SmbOtherTraffic *)b)->site);
}

// Says whether an access is a loop; of one that swaps only if it must, the loads are all that counts.
static void
judge_loop(SmbAnalysis *analysis, SmbAccess *access, guint site, guint64 first_block) {
  const SmbOp op = (SmbOp)access->worst.op;
  gboolean only_loads =
      access->site->op_class == SMB_OP_CLASS_ATOMIC && smb_op_class(op) == SMB_OP_CLASS_LOAD;
  access->is_loop = op == SMB_OP_ATOM_LOOP || only_loads;
  if (!access->is_loop)
    return;
  const SmbTally *total = &access->total;
  g_autofree char *message = NULL;
  if (only_loads) {
    access->loops = (SmbLoopTally){total->requests, total->requests, total->wavefronts, 0};
    message = g_strdup_printf("%s is a loop that swaps only while it has something to change: "
                              "only its first load is counted, a lower bound",
                              access->site->expression);
  } else {
    message =
        g_strdup_printf("%s is a loop of loads and swaps: the count is for a warp alone%s, a "
                        "lower bound where warps contend for a word",
                        access->site->expression,
                        access->site->width > 4 ? " that changes something in each swap" : "");
  }
  SmbAnalysisWarning warning = {SMB_WARNING_LOOP, site, site, first_block, message};
  smb_warnings_note(analysis->warnings, &warning);
}

// Why the wavefronts of a copy from global memory may be others; NULL: they are known.
static const char *
describe_doubt(guint doubt) {
  if (doubt & SMB_COPY_NO_SOURCE)
    return "the wavefronts of a copy depend on its source, too, which is not known: these are "
           "the least";
  if (doubt & SMB_COPY_HALVES)
    return "of a copy that reads only the second halves of several lines of its source, a device "
           "was seen to take half as many wavefronts";
  if (doubt & SMB_COPY_BOTH)
    return "lanes of a copy conflict in banks of its source and of shared memory: in which order "
           "they "
           "are served, and so how many wavefronts that takes, is known within a few wavefronts "
           "only";
  return doubt & SMB_COPY_COLUMNS ? "where a copy arranges the sectors of a line of its source "
                                    "otherwise, the rule for its wavefronts rests on few "
                                    "measurements"
                                  : NULL;
}

// Whether each count is exact, and if not, why: the last of its warnings says the most, and their kinds rise.
static void
judge_accesses(SmbAnalysis *analysis, const SmbProgram *program) {
  g_autofree SmbAccess **accesses = g_new0(SmbAccess *, smb_program_n_sites(program) + 1);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    accesses[access->site - smb_program_site(program, 0)] = access;
    if (access->site->may_merge)
      access->reason = "a compiler may merge accesses of a structure into wider ones";
    if (smb_access_is_copy(access))
      access->reason = describe_doubt(access->doubt);
  }
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    if (accesses[warning->site] &&
        (warning->kind == SMB_WARNING_LOOP || warning->kind >= SMB_WARNING_DATA))
      accesses[warning->site]->reason = warning->message;
  }
  for (guint i = 0; i < analysis->accesses->len; i++) {
    SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    access->exact = !access->reason;
  }
}

// What was put in the place of the contents of a buffer or variable (transfer full).
static char *
describe_stand_in(const SmbProgram *program, const char *name) {
  for (guint i = 0; i < smb_program_n_parameters(program); i++) {
    if (g_strcmp0(smb_program_parameter(program, i).name, name) == 0)
      return g_strdup_printf("%s[i] = i", name);
  }
  return g_strdup("its initial value");
}

// Says of an access that its requests depend on contents that are not given.
static void
judge_data(SmbAnalysis *analysis, const SmbProgram *program, const SmbLaunch *launch,
           SmbAccess *access, guint site, guint64 first_block) {
  gboolean address = FALSE;
  access->data_source = smb_launch_data_source(launch, program, site, &address);
  if (!access->data_source)
    return;
  g_autofree char *stand_in = describe_stand_in(program, access->data_source);
  g_autofree char *message = g_strdup_printf(
      address ? "the addresses of '%s' depend on the contents of '%s', which are not known: "
                "counted with %s. Give --buffer %s=SPEC"
              : "which threads reach '%s', or how often, depends on the contents of '%s', which "
                "are not known: counted with %s. Give --buffer %s=SPEC",
      access->site->expression, access->data_source, stand_in, access->data_source);
  SmbAnalysisWarning warning = {SMB_WARNING_DATA, site, site, first_block, message};
  smb_warnings_note(analysis->warnings, &warning);
}

static void
collect_traffic(SmbAnalysis *analysis, const SmbSite *place, const GPtrArray *workers, guint site) {
  SmbOtherTraffic traffic = {.site = place};
  for (guint i = 0; i < workers->len; i++) {
    const SmbOtherTraffic *from = &((const Worker *)g_ptr_array_index(workers, i))->traffic[site];
    if (from->executions)
      traffic.kind = from->kind;
    traffic.executions += from->executions;
    traffic.unsized += from->unsized;
    traffic.bytes += from->bytes;
  }
  if (traffic.executions)
    g_array_append_val(analysis->traffic, traffic);
}

static void
collect_constant(SmbAnalysis *analysis, const SmbProgram *program, const SmbLaunch *launch,
                 const GPtrArray *workers, guint site) {
  SmbConstantAccess access = {.site = smb_program_site(program, site)};
  gboolean address = FALSE;
  guint64 first = G_MAXUINT64;
  for (guint i = 0; i < workers->len; i++) {
    const Worker *worker = g_ptr_array_index(workers, i);
    const SmbConstantAccess *from = &worker->constants[site];
    if (from->variable && worker->first_block[site] < first) {
      first = worker->first_block[site];
      access.variable = from->variable;
    }
    access.uncounted += from->uncounted;
    smb_tally_add(&access.total, &from->total);
  }
  if (smb_launch_data_source(launch, program, site, &address))
    access.reason = "depends on contents of memory that are not known: --buffer gives them";
  if (access.uncounted)
    access.reason = "requests are missing: it is not known where they go, or whether they are made";
  smb_tally_add(&analysis->constant_total, &access.total);
  if (access.total.requests || access.uncounted)
    g_array_append_val(analysis->constants, access);
}

static void
collect_site(SmbAnalysis *analysis, const SmbProgram *program, const SmbLaunch *launch,
             const GPtrArray *workers, guint site) {
  SmbAccess access = {.site = smb_program_site(program, site)};
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
  // Of an access without a request that is counted, a rule can be named nevertheless.
  static const SmbOp plain[] = {SMB_OP_LD, SMB_OP_ST, SMB_OP_ATOM};
  if (access.total.requests == 0)
    access.worst = (SmbRequest){.op = (guint8)plain[access.site->op_class],
                                .width = (guint8)access.site->width};
  if (access.total.requests || access.uncounted) {
    judge_loop(analysis, &access, site, first_block);
    judge_data(analysis, program, launch, &access, site, first_block);
    add_loops(&analysis->loops, &access.loops);
    g_array_append_val(analysis->accesses, access);
    SmbTally *total =
        smb_access_is_copy(&access) ? &analysis->copies : &analysis->totals[access.site->op_class];
    smb_tally_add(total, &access.total);
  }
  collect_constant(analysis, program, launch, workers, site);
  collect_traffic(analysis, access.site, workers, site);
  if (global.requests) {
    g_array_append_val(analysis->globals, global);
    add_global(&analysis->global_totals[global.site->op_class], &global);
  }
}

// One warning for all copies of structures that may be fewer accesses.
static void
note_merging(SmbAnalysis *analysis, const SmbProgram *program) {
  const SmbAccess *first = NULL;
  guint n = 0;
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    n += access->site->may_merge;
    first = !first && access->site->may_merge ? access : first;
  }
  if (!first)
    return;
  guint index = (guint)(first->site - smb_program_site(program, 0));
  g_autofree char *others =
      n > 1 ? g_strdup_printf(", as of %u other%s", n - 1, smb_plural(n - 1)) : g_strdup("");
  g_autofree char *message = g_strdup_printf(
      "%s copies a structure in accesses of %u byte%s; a compiler may merge them "
      "into wider ones: an upper bound%s",
      first->site->expression, first->site->width, smb_plural(first->site->width), others);
  SmbAnalysisWarning warning = {SMB_WARNING_MERGE, index, index, first->worst_block, message};
  smb_warnings_note(analysis->warnings, &warning);
}

// Why there are no accesses to the shared memory that the kernel has, as far as a condition is why.
static void
collect_idle(SmbAnalysis *analysis, const SmbProgram *program, const GPtrArray *workers) {
  if (smb_program_n_arrays(program) == 0)
    return;
  for (guint i = 0; analysis->accesses->len == 0 && i < workers->len; i++) {
    guint32 place;
    const char *idle =
        smb_block_idle(((const Worker *)g_ptr_array_index(workers, i))->block, &place);
    if (!idle || (analysis->idle && analysis->idle_place <= place))
      continue;
    g_free(analysis->idle);
    analysis->idle = g_strdup(idle);
    analysis->idle_place = place;
  }
}

static guint64
count_blocks(const SmbLaunch *launch) {
  return (guint64)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static guint64
count_threads(const SmbAnalysisOptions *options) {
  return options->threads ? options->threads : g_get_num_processors();
}

// What has to be run of the launch: all blocks, unless few of them are enough.
static gboolean
plan(Queue *queue, const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
     const SmbAnalysisOptions *options, GError **error) {
  guint64 max_blocks = options->max_blocks ? options->max_blocks : SMB_ANALYSIS_MAX_BLOCKS;
  guint64 n_blocks = count_blocks(launch);
  if (!options->every_block && !options->global && !options->in_order &&
      n_blocks <= SMB_ANALYSIS_MAX_REPEATS)
    queue->shares = smb_repeat_search(program, arch, launch, options, max_blocks);
  queue->n = queue->shares ? queue->shares->len : n_blocks;
  return queue->n <= max_blocks ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                  "a grid of %" G_GUINT64_FORMAT " blocks: at most %" G_GUINT64_FORMAT
                  " are run (--max-blocks allows more)",
                  n_blocks, max_blocks);
}

static SmbAnalysis *
collect(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
        const GPtrArray *workers) {
  SmbAnalysis *analysis = g_new0(SmbAnalysis, 1);
  analysis->accesses = g_array_new(FALSE, FALSE, sizeof(SmbAccess));
  analysis->globals = g_array_new(FALSE, FALSE, sizeof(SmbGlobalAccess));
  analysis->constants = g_array_new(FALSE, FALSE, sizeof(SmbConstantAccess));
  analysis->traffic = g_array_new(FALSE, FALSE, sizeof(SmbOtherTraffic));
  analysis->warnings = smb_warnings_new();
  for (guint site = 0; site < smb_program_n_sites(program); site++)
    collect_site(analysis, program, launch, workers, site);
  note_merging(analysis, program);
  for (guint i = 0; i < workers->len; i++) {
    const Worker *worker = g_ptr_array_index(workers, i);
    for (guint j = 0; j < worker->warnings->len; j++)
      smb_warnings_note(analysis->warnings,
                        &g_array_index(worker->warnings, SmbAnalysisWarning, j));
  }
  collect_idle(analysis, program, workers);
  g_array_sort(analysis->accesses, compare_accesses);
  g_array_sort(analysis->globals, compare_globals);
  g_array_sort(analysis->constants, compare_constants);
  g_array_sort(analysis->traffic, compare_traffic);
  if (((const Worker *)g_ptr_array_index(workers, 0))->requests)
    smb_requests_collect(analysis, program, workers);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    const SmbTally *total = &analysis->totals[c];
    analysis->least[c] = analysis->most[c] =
        (SmbTally){.requests = total->requests, .wavefronts = total->wavefronts};
    for (guint i = 0; i < workers->len; i++)
      analysis->lost_globals[c] =
          analysis->lost_globals[c] ||
          smb_block_lost_globals(((const Worker *)g_ptr_array_index(workers, i))->block,
                                 (SmbOpClass)c);
  }
  for (guint i = 0; i < workers->len; i++)
    analysis->instructions += ((const Worker *)g_ptr_array_index(workers, i))->instructions;
  guint threads = launch->block[0] * launch->block[1] * launch->block[2];
  analysis->n_warps = smb_arch_warps(arch, threads);
  analysis->shared_bytes = smb_program_static_shared(program) + launch->dynamic_bytes;
  analysis->segment_bytes = smb_arch_info(arch)->global_segment_bytes;
  return analysis;
}

// Whether lanes take different ways, in a program of which it is not well known where they meet again.
static gboolean
find_divergence(const SmbProgram *program, const GPtrArray *workers) {
  gboolean is_known = !program->front_end->variant && !program->irregular;
  for (guint i = 0; !is_known && i < workers->len; i++) {
    if (smb_block_diverged(((const Worker *)g_ptr_array_index(workers, i))->block))
      return TRUE;
  }
  return FALSE;
}

// Whether blocks of a run did not know what others had changed meanwhile.
static gboolean
find_misses(const GPtrArray *workers) {
  for (guint i = 0; i < workers->len; i++) {
    if (smb_block_misses_others(((const Worker *)g_ptr_array_index(workers, i))->block))
      return TRUE;
  }
  return FALSE;
}

// *@misses: whether that may be why it fails, or is not complete.
static SmbAnalysis *
run_launch(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
           const SmbAnalysisOptions *options, gboolean *misses, GError **error) {
  g_autoptr(GArray) shares = NULL;
  Queue queue = {.failed_block = G_MAXUINT64, .progress = options->progress};
  if (!plan(&queue, program, arch, launch, options, error))
    return NULL;
  shares = queue.shares;
  g_autoptr(SmbGlobal) own_global = NULL;
  SmbGlobal *global = options->global;
  if (!global && (options->in_order || smb_program_is_serial(program)))
    global = own_global = smb_global_new(program, launch);
  if (options->in_order)
    smb_global_keep_order(global);
  guint64 n_workers = global || options->request ? 1 : MAX(1, MIN(count_threads(options), queue.n));
  g_autoptr(GPtrArray) workers = g_ptr_array_new_with_free_func((GDestroyNotify)smb_worker_free);
  for (guint64 i = 0; i < n_workers; i++) {
    Worker *worker = smb_worker_new(program, arch, launch, options, global, error);
    if (!worker)
      return NULL;
    g_ptr_array_add(workers, worker);
  }
  smb_progress_begin(options->progress, "blocks", queue.n);
  g_mutex_init(&queue.lock);
  smb_workers_run(workers, &queue);
  smb_progress_begin(options->progress, NULL, 0);
  g_mutex_clear(&queue.lock);
  *misses = find_misses(workers);
  if (queue.error) {
    g_propagate_error(error, queue.error);
    return NULL;
  }
  SmbAnalysis *analysis = collect(program, arch, launch, workers);
  analysis->n_blocks = count_blocks(launch);
  analysis->n_blocks_run = queue.n;
  if (find_divergence(program, workers) &&
      !smb_variants_compare(analysis, program, arch, launch, options, error))
    g_clear_pointer(&analysis, smb_analysis_free);
  else
    judge_accesses(analysis, program);
  return analysis;
}

// Blocks of a grid that is run a second time, in order, if not all of it is counted, and steps of each: a block that waits for
// later ones polls in vain.
enum {
  MAX_IN_ORDER = 1 << 14,
  MAX_STEPS_IN_ORDER = 1 << 22,
};

static gboolean
is_complete(const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->accesses->len; i++) {
    if (g_array_index(analysis->accesses, SmbAccess, i).uncounted)
      return FALSE;
  }
  return TRUE;
}

SmbAnalysis *
smb_analysis_run(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                 const SmbAnalysisOptions *options, GError **error) {
  static const SmbAnalysisOptions defaults = {{0}, 0, 0, NULL, FALSE};
  gboolean misses = FALSE;
  SmbAnalysisOptions how = options ? *options : defaults;
  g_autoptr(GError) failure = NULL;
  how.in_order = how.in_order || how.request;
  SmbAnalysis *analysis = run_launch(program, arch, launch, &how, &misses, &failure);
  if (misses && !how.global && !how.in_order && (!analysis || !is_complete(analysis)) &&
      count_blocks(launch) <= MAX_IN_ORDER) {
    how.in_order = TRUE;
    how.limits.max_steps =
        how.limits.max_steps ? MIN(how.limits.max_steps, MAX_STEPS_IN_ORDER) : MAX_STEPS_IN_ORDER;
    SmbAnalysis *ordered = run_launch(program, arch, launch, &how, &misses, NULL);
    if (ordered) {
      smb_analysis_free(analysis);
      return ordered;
    }
  }
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  return analysis;
}

void
smb_analysis_free(SmbAnalysis *analysis) {
  if (!analysis)
    return;
  g_free(analysis->idle);
  g_array_unref(analysis->accesses);
  g_array_unref(analysis->globals);
  g_array_unref(analysis->constants);
  g_array_unref(analysis->traffic);
  g_array_unref(analysis->warnings);
  g_clear_pointer(&analysis->requests, g_array_unref);
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

gboolean
smb_access_is_lower_bound(const SmbAccess *access) {
  return access->is_loop || access->uncounted > 0;
}

gboolean
smb_access_depends_on_data(const SmbAccess *access) {
  return access->data_source != NULL || (access->uncounted > 0 && !access->site->no_rule);
}

gboolean
smb_other_traffic_is_exact(const SmbOtherTraffic *traffic) {
  return traffic->unsized == 0 && traffic->kind != SMB_TRAFFIC_WAIT;
}

// PTX has one name for them; machine code says of what kind the numbers are: HGMMA, QGMMA, …
gboolean
smb_other_traffic_is_product(const SmbOtherTraffic *traffic) {
  const char *opcode = traffic->site->opcode;
  return traffic->kind == SMB_TRAFFIC_MATRIX && opcode &&
         (g_str_has_prefix(opcode, "wgmma") || strstr(opcode, "GMMA"));
}

gboolean
smb_other_traffic_wavefronts(const SmbOtherTraffic *traffic, guint64 *wavefronts) {
  enum {
    PRODUCT_BYTES = 128, // of operands of wgmma, a wavefront
  };
  gboolean is_shuffle = traffic->kind == SMB_TRAFFIC_SHUFFLE;
  if (!is_shuffle && (!smb_other_traffic_is_product(traffic) || traffic->unsized))
    return FALSE;
  *wavefronts = is_shuffle ? traffic->executions : traffic->bytes / PRODUCT_BYTES;
  return TRUE;
}

guint64
smb_analysis_global_bytes(const SmbAnalysis *analysis) {
  const SmbGlobalAccess *totals = analysis->global_totals;
  return totals[SMB_OP_CLASS_LOAD].bytes + totals[SMB_OP_CLASS_STORE].bytes +
         2 * totals[SMB_OP_CLASS_ATOMIC].bytes;
}
