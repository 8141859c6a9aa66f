// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An analysis: the counts of all workers, added up by site, the same whichever worker ran which block.
#include "sim/analysis/analysis.h"

#include <string.h>

#include "sim/analysis/impl.h"
#include "sim/arch/arch.h"
#include "sim/arch/rule.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "sim/machine/front-end.h"

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
  tally->pipe_wavefronts += cost->wavefronts * times;
  tally->ideal += cost->ideal * times;
  tally->excess += cost->excess * times;
  tally->cycles += cost->cycles * times;
  tally->max_degree = MAX(tally->max_degree, cost->degree);
  // The wavefronts of a request for each ideal one. A division only where the maximum grows.
  if (cost->wavefronts > tally->max_queue * (guint64)cost->ideal)
    tally->max_queue = (cost->wavefronts - 1) / MAX(cost->ideal, 1) + 1;
}

static int
compare_site_places(const SmbSite *a, const SmbSite *b) {
  return smb_order(a->offset, b->offset) ?: smb_order(a->op_class, b->op_class);
}

static int
compare_access_costs(gconstpointer a, gconstpointer b) {
  return compare_site_places(((const SmbAccess *)a)->site, ((const SmbAccess *)b)->site);
}

static int
compare_globals(gconstpointer a, gconstpointer b) {
  return compare_site_places(((const SmbGlobalAccess *)a)->site,
                             ((const SmbGlobalAccess *)b)->site);
}

static int
compare_constant_costs(gconstpointer a, gconstpointer b) {
  return compare_site_places(((const SmbConstantAccess *)a)->site,
                             ((const SmbConstantAccess *)b)->site);
}

static int
compare_traffic(gconstpointer a, gconstpointer b) {
  return compare_site_places(((const SmbOtherTraffic *)a)->site,
                             ((const SmbOtherTraffic *)b)->site);
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

// Why what an atomic takes is a lower bound by its rule; NULL: it is none, or there is no request.
static const char *
describe_bound(const SmbArch *arch, const SmbAccess *access) {
  if (access->site->op_class != SMB_OP_CLASS_ATOMIC || !access->total.requests)
    return NULL;
  const SmbRule *rule = smb_arch_rule(arch, (SmbOp)access->worst.op, access->worst.width);
  if (!rule->lower_bound)
    return NULL;
  g_autofree char *text =
      g_strdup_printf("counts of atomics are lower bounds: %s add to them", rule->lower_bound);
  return g_intern_string(text);
}

// Why a count is not exact, if no warning says more.
static const char missing[] =
    "requests are missing: their addresses, or whether they are made, are unknown";

void
smb_warnings_write_hints(SmbAnalysis *analysis, SmbHintWriter write_hint) {
  for (guint i = 0; i < analysis->warnings->len; i++) {
    SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    g_autofree char *message = warning->message;
    warning->message = write_hint(message, &warning->hint);
  }
  for (guint i = 0; i < analysis->constants->len; i++) {
    SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    if (access->hint.kind == SMB_HINT_NONE)
      continue;
    g_autofree char *reason = write_hint(access->reason, &access->hint);
    access->reason = g_intern_string(reason);
  }
}

// Whether each count is exact, and if not, why: the last of its warnings says the most, and their kinds rise.
void
smb_accesses_judge(SmbAnalysis *analysis, const SmbProgram *program, const SmbArch *arch) {
  g_autofree SmbAccess **accesses = g_new0(SmbAccess *, smb_program_n_sites(program) + 1);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    accesses[access->site - smb_program_site(program, 0)] = access;
    access->reason = access->uncounted ? missing : describe_bound(arch, access);
    if (access->site->may_merge)
      access->reason = "a compiler may merge accesses of a structure into wider ones";
    if (smb_access_is_copy(access) && access->no_source)
      access->reason = "the wavefronts of a copy also depend on its source, which is unknown: this "
                       "is a lower bound";
  }
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    SmbAccess *access = accesses[warning->site];
    // That contents are to be given is said first: then it may depend on less.
    gboolean is_less = access && access->data_source && warning->kind == SMB_WARNING_ORDER;
    if (access && !is_less &&
        (warning->kind == SMB_WARNING_LOOP || warning->kind >= SMB_WARNING_DATA))
      access->reason = warning->message;
    if (access && smb_warning_is_of_order(warning))
      access->is_by_order = TRUE;
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
      address ? "the addresses of '%s' depend on the contents of '%s', which are not known "
                "(counted with %s)"
              : "which threads reach '%s', or how often, depends on the contents of '%s', which "
                "are not known (counted with %s)",
      access->site->expression, access->data_source, stand_in);
  SmbAnalysisWarning warning = {
      .kind = SMB_WARNING_DATA,
      .site = site,
      .other = site,
      .block = first_block,
      .message = message,
      .hint = {.kind = SMB_HINT_BUFFER, .name = (char *)access->data_source}};
  smb_warnings_note(analysis->warnings, &warning);
}

static void
collect_constant(SmbAnalysis *analysis, const SmbProgram *program, const SmbLaunch *launch,
                 const Sums *sums, guint site) {
  SmbConstantAccess access = sums->constants[site];
  gboolean address = FALSE;
  access.site = smb_program_site(program, site);
  const char *source = smb_launch_data_source(launch, program, site, &address);
  if (access.uncounted)
    access.reason = missing;
  else if (source) {
    access.reason = "depends on contents of memory that are not known";
    access.hint = (SmbHint){.kind = SMB_HINT_BUFFER, .name = (char *)source};
  }
  smb_tally_add(&analysis->constant_total, &access.total);
  if (access.total.requests || access.uncounted)
    g_array_append_val(analysis->constants, access);
}

static void
collect_access(SmbAnalysis *analysis, const SmbProgram *program, const SmbLaunch *launch,
               const Sums *sums, guint site) {
  static const SmbOp plain[] = {SMB_OP_LD, SMB_OP_ST, SMB_OP_ATOM};
  SmbAccess access = sums->accesses[site];
  access.site = smb_program_site(program, site);
  for (guint w = 0; w < SMB_MAX_WARPS; w++)
    smb_tally_add(&access.total, &access.warps[w]);
  if (access.total.requests == 0 && access.uncounted == 0) { // perhaps never by an active lane
    smb_tally_add(&analysis->totals[access.site->op_class], &access.total);
    return;
  }
  // For an access without a request that is counted, a rule can be named nevertheless.
  if (access.total.requests == 0)
    access.worst = (SmbRequest){.op = (guint8)plain[access.site->op_class],
                                .width = (guint8)access.site->width};
  guint64 first_block = access.total.requests ? access.first_block : G_MAXUINT64;
  judge_loop(analysis, &access, site, first_block);
  judge_data(analysis, program, launch, &access, site, first_block);
  smb_loops_add(&analysis->loops, &access.loops);
  g_array_append_val(analysis->accesses, access);
  SmbTally *total =
      smb_access_is_copy(&access) ? &analysis->copies : &analysis->totals[access.site->op_class];
  smb_tally_add(total, &access.total);
}

static gint
compare_tiles(gconstpointer a, gconstpointer b) {
  const SmbPlacedRows *one = a, *other = b;
  return one->site != other->site ? (one->site > other->site) - (one->site < other->site)
                                  : one->name - other->name;
}

void
smb_tiles_collect(SmbAnalysis *analysis, const GArray *tiles) {
  analysis->tiles = g_array_new(FALSE, FALSE, sizeof(SmbPlacedRows));
  g_array_append_vals(analysis->tiles, tiles->data, tiles->len);
  g_array_sort(analysis->tiles, compare_tiles);
}

static gint
compare_peers(gconstpointer a, gconstpointer b) {
  const SmbPeerAccess *one = a, *other = b;
  return (one->site > other->site) - (one->site < other->site);
}

void
smb_peers_collect(SmbAnalysis *analysis, const GArray *peers) {
  analysis->peers = g_array_new(FALSE, FALSE, sizeof(SmbPeerAccess));
  g_array_append_vals(analysis->peers, peers->data, peers->len);
  g_array_sort(analysis->peers, compare_peers);
}

static void
collect_site(SmbAnalysis *analysis, const SmbProgram *program, const SmbLaunch *launch,
             const Sums *sums, guint site) {
  SmbGlobalAccess global = sums->globals[site];
  SmbOtherTraffic traffic = sums->traffic[site];
  global.site = traffic.site = smb_program_site(program, site);
  collect_access(analysis, program, launch, sums, site);
  collect_constant(analysis, program, launch, sums, site);
  if (traffic.executions)
    g_array_append_val(analysis->traffic, traffic);
  if (global.requests || global.uncounted) {
    g_array_append_val(analysis->globals, global);
    smb_global_access_add(&analysis->global_totals[global.site->op_class], &global);
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

// Whether an access that could have asked for shared memory polls global memory, and nothing else: then how often it
// does decides nothing about shared memory.
static gboolean
is_of_global(const Sums *sums, const SmbAnalysisWarning *warning) {
  const SmbAccess *access = &sums->accesses[warning->site];
  return warning->kind == SMB_WARNING_ORDER && access->worst.width == 0 && !access->uncounted &&
         sums->globals[warning->site].requests > 0;
}

SmbAnalysis *
smb_sums_collect(const Sums *sums, const SmbProgram *program, const SmbArch *arch,
                 const SmbLaunch *launch) {
  SmbAnalysis *analysis = g_new0(SmbAnalysis, 1);
  analysis->accesses = g_array_new(FALSE, FALSE, sizeof(SmbAccess));
  analysis->globals = g_array_new(FALSE, FALSE, sizeof(SmbGlobalAccess));
  analysis->constants = g_array_new(FALSE, FALSE, sizeof(SmbConstantAccess));
  analysis->traffic = g_array_new(FALSE, FALSE, sizeof(SmbOtherTraffic));
  analysis->warnings = smb_warnings_new();
  analysis->assumed = g_strdup(program->assumed);
  for (guint site = 0; site < smb_program_n_sites(program); site++)
    collect_site(analysis, program, launch, sums, site);
  note_merging(analysis, program);
  for (guint i = 0; i < sums->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(sums->warnings, SmbAnalysisWarning, i);
    if (warning->kind == SMB_WARNING_ORDER && !analysis->order)
      analysis->order = g_strdup(warning->message);
    if (!is_of_global(sums, warning))
      smb_warnings_note(analysis->warnings, warning);
  }
  if (analysis->accesses->len == 0 && sums->idle) {
    analysis->idle = g_strdup(sums->idle);
    analysis->idle_at = sums->idle_site ? *smb_program_site(program, sums->idle_site - 1)
                                        : (SmbSite){.line = sums->idle_line,
                                                    .column = sums->idle_column,
                                                    .offset = sums->idle_place};
  }
  g_array_sort(analysis->accesses, compare_access_costs);
  g_array_sort(analysis->globals, compare_globals);
  g_array_sort(analysis->constants, compare_constant_costs);
  g_array_sort(analysis->traffic, compare_traffic);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    const SmbTally *total = &analysis->totals[c];
    analysis->least[c] = analysis->most[c] =
        (SmbTally){.requests = total->requests, .wavefronts = total->wavefronts};
    analysis->missing_globals[c] = analysis->global_totals[c].uncounted > 0;
  }
  analysis->instructions = sums->instructions;
  analysis->is_cooperative = sums->is_cooperative;
  guint threads = launch->block[0] * launch->block[1] * launch->block[2];
  analysis->n_blocks = smb_launch_n_blocks(launch);
  analysis->n_warps = smb_arch_warps(arch, threads);
  analysis->shared_bytes = smb_program_static_shared(program) + launch->dynamic_bytes;
  analysis->vendor = smb_arch_info(arch)->vendor;
  analysis->segment_bytes = smb_arch_info(arch)->global_segment_bytes;
  return analysis;
}

SmbAnalysis *
smb_analysis_run(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                 const SmbAnalysisOptions *options, GError **error) {
  SmbPart *part = smb_part_run(program, arch, launch, options, 1, 1, error);
  if (!part)
    return NULL;
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  g_ptr_array_add(parts, part);
  return smb_parts_collect(parts, program, arch, launch, options ? options->write_hint : NULL);
}

void
smb_analysis_free(SmbAnalysis *analysis) {
  if (!analysis)
    return;
  g_free(analysis->idle);
  g_free(analysis->order);
  g_free(analysis->assumed);
  g_clear_pointer(&analysis->shares, g_array_unref);
  g_array_unref(analysis->accesses);
  g_array_unref(analysis->globals);
  g_array_unref(analysis->constants);
  g_array_unref(analysis->traffic);
  g_clear_pointer(&analysis->tiles, g_array_unref);
  g_clear_pointer(&analysis->peers, g_array_unref);
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
smb_other_traffic_wavefronts(const SmbOtherTraffic *traffic, guint vendor, guint64 *wavefronts) {
  enum {
    PRODUCT_BYTES = 128, // of operands of wgmma, a wavefront
  };
  gboolean is_shuffle = traffic->kind == SMB_TRAFFIC_SHUFFLE;
  gboolean has_rule = is_shuffle ? vendor == SMB_VENDOR_NVIDIA
                                 : smb_other_traffic_is_product(traffic) && !traffic->unsized;
  if (!has_rule)
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
