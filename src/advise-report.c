// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise-report.h"

#include <string.h>

#include "sim/error.h"
#include "src/cli.h"

static const SmbAdviseKinds kinds[] = {SMB_ADVISE_PAD, SMB_ADVISE_SWIZZLE, SMB_ADVISE_BOTH};

static void
array_free(SmbAdviseArray *array) {
  g_ptr_array_unref(array->layouts);
  smb_advise_layout_free(array->now);
  g_ptr_array_unref(array->searches);
  smb_advice_free(array->whole);
  g_array_unref(array->unseen);
  g_free(array);
}

void
smb_advise_report_free(SmbAdviseReport *report) {
  if (!report)
    return;
  smb_proof_free(report->together);
  g_ptr_array_unref(report->arrays);
  smb_analysis_free(report->analysis);
  smb_global_free(report->global);
  smb_arch_unref(report->arch);
  g_free(report);
}

gsize
smb_advise_array_bytes(const SmbAdviseReport *report, const SmbArray *array) {
  return array->is_dynamic ? report->target->launch.dynamic_bytes : array->bytes;
}

static gboolean
is_present(const SmbLayout *now, const SmbLayout *layout) {
  return layout->bits == 0 && layout->pad == now->pad &&
         (layout->pad == 0 || layout->columns == now->columns);
}

static int
compare_layouts(gconstpointer a, gconstpointer b) {
  const SmbAdviseLayout *x = *(const SmbAdviseLayout *const *)a;
  const SmbAdviseLayout *y = *(const SmbAdviseLayout *const *)b;
  if (x->candidate->total.wavefronts != y->candidate->total.wavefronts)
    return x->candidate->total.wavefronts < y->candidate->total.wavefronts ? -1 : 1;
  if (x->candidate->bytes != y->candidate->bytes)
    return x->candidate->bytes < y->candidate->bytes ? -1 : 1;
  return (int)x->kind - (int)y->kind;
}

// How many layouts of a kind are shown: of both together one, unless that is better than either alone.
static guint
find_rows(const SmbAdviseArray *array, SmbAdviseKinds kind, const SmbAdvice *advice,
          const SmbAdviseSearch *search) {
  if (kind != SMB_ADVISE_BOTH || search->kinds || advice->best->len == 0)
    return search->top;
  const SmbCandidate *best = g_ptr_array_index(advice->best, 0);
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (layout->candidate->total.wavefronts <= best->total.wavefronts)
      return 1;
  }
  return search->top;
}

// What a part of the space holds is not told as if it were all of it.
static gboolean
check_searched(const SmbAdvice *advice, guint64 max_counts, GError **error) {
  if (!advice->given_up)
    return TRUE;
  g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT,
              "the search for '%s' was given up: after %" G_GUINT64_FORMAT
              " counts of requests %" G_GUINT64_FORMAT
              " layouts were tried, and more are left; expected fewer layouts (--only pad), fewer "
              "requests (a smaller grid or loop), or a larger --max-counts",
              advice->array->name, max_counts, advice->searched);
  return FALSE;
}

// The best of each kind of layout.
static gboolean
search_kinds(SmbAdviseArray *array, const SmbAdviseReport *report, const SmbAdviseSearch *search,
             SmbAdviseOptions options, GError **error) {
  const SmbAdvice *whole = array->whole;
  const SmbLayout *now = &whole->original->layout;
  options.keep = search->top + 1; // the present layout may be among them
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
    if (search->kinds && !(search->kinds & kinds[i]))
      continue;
    options.kinds = kinds[i];
    SmbAdvice *advice = smb_advise_array(report->target->kernel, report->arch, report->analysis,
                                         whole->array, whole->array_bytes, &options);
    g_ptr_array_add(array->searches, advice);
    if (!check_searched(advice, options.max_counts, error))
      return FALSE;
    guint n = 0, most = find_rows(array, kinds[i], advice, search);
    for (guint j = 0; j < advice->best->len && n < most; j++) {
      const SmbCandidate *candidate = g_ptr_array_index(advice->best, j);
      const SmbLayout *layout = &candidate->layout;
      SmbAdviseKinds kind = smb_advise_kind(layout);
      if (kind != kinds[i] || is_present(now, layout))
        continue;
      g_ptr_array_add(array->layouts, smb_advise_layout_new(report, whole, candidate, kind));
      n++;
    }
  }
  g_ptr_array_sort(array->layouts, compare_layouts);
  return TRUE;
}

// What each access is to cost when an array lies otherwise.
static void
add_change(guint64 *wavefronts, const SmbAdvice *advice, const SmbCandidate *candidate) {
  for (guint i = 0; i < candidate->accesses->len; i++)
    wavefronts[i] += g_array_index(candidate->accesses, SmbTally, i).wavefronts -
                     g_array_index(advice->original->accesses, SmbTally, i).wavefronts;
}

static guint64 *
present_wavefronts(const SmbAnalysis *analysis) {
  guint64 *wavefronts = g_new0(guint64, analysis->accesses->len + 1);
  for (guint i = 0; i < analysis->accesses->len; i++)
    wavefronts[i] = g_array_index(analysis->accesses, SmbAccess, i).total.wavefronts;
  return wavefronts;
}

static SmbOriginal
describe_original(const SmbAdviseReport *report) {
  return (SmbOriginal){report->target->kernel,   report->arch,     report->target->launch,
                       &report->target->options, report->analysis, report->global};
}

static SmbRewriteArray
describe_rewrite(const SmbAdviseArray *array, const SmbAdviseLayout *layout) {
  return (SmbRewriteArray){array->whole->array, array->whole->array_bytes,
                           array->whole->original->layout, layout->candidate->layout};
}

static gboolean
is_cheaper(const SmbAdviseArray *array, const SmbAdviseLayout *layout) {
  return layout->candidate->total.wavefronts < array->now->candidate->total.wavefronts;
}

// What takes more than a static array may: a rewriting would have to change where the array comes from.
static SmbProof *
refuse_static(const SmbAdviseReport *report, const SmbArray *array) {
  SmbProof *proof = g_new0(SmbProof, 1);
  proof->launch = report->target->launch;
  proof->failure =
      g_strdup_printf("a block has at most %u bytes of static shared memory: declare %s extern, of "
                      "one dimension, and "
                      "launch with dynamic shared memory that cudaFuncSetAttribute has asked for",
                      smb_arch_info(report->arch)->static_shared_bytes, array->name);
  return proof;
}

// Rewrites the kernel for the best layout of each kind: of both together where that is better than either.
static void
prove_kinds(const SmbAdviseReport *report, SmbAdviseArray *array) {
  SmbAdviseKinds done = 0;
  guint64 least = G_MAXUINT64;
  SmbOriginal original = describe_original(report);
  for (guint i = 0; i < array->layouts->len; i++) {
    SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    guint64 wavefronts = layout->candidate->total.wavefronts;
    gboolean wanted = layout->kind != SMB_ADVISE_BOTH || wavefronts < least;
    if ((done & layout->kind) || !wanted || !is_cheaper(array, layout))
      continue;
    done |= layout->kind;
    SmbRewriteArray rewrite = describe_rewrite(array, layout);
    g_autofree guint64 *expected = present_wavefronts(report->analysis);
    add_change(expected, array->whole, layout->candidate);
    layout->proof = layout->fits == SMB_ADVISE_OPT_IN && !rewrite.array->is_dynamic
                        ? refuse_static(report, rewrite.array)
                        : smb_proof_rewrite(&original, &rewrite, 1, expected);
    if (!layout->proof->failure)
      least = MIN(least, wavefronts);
  }
}

const SmbAdviseLayout *
smb_advise_proven(const SmbAdviseArray *array) {
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (layout->proof && !layout->proof->failure)
      return layout;
  }
  return NULL;
}

// All arrays that have a better layout, in it.
static void
prove_together(SmbAdviseReport *report) {
  g_autoptr(GArray) rewrites = g_array_new(FALSE, FALSE, sizeof(SmbRewriteArray));
  g_autofree guint64 *expected = present_wavefronts(report->analysis);
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    const SmbAdviseLayout *best = smb_advise_proven(array);
    if (!best)
      continue;
    SmbRewriteArray rewrite = describe_rewrite(array, best);
    g_array_append_val(rewrites, rewrite);
    add_change(expected, array->whole, best->candidate);
  }
  SmbOriginal original = describe_original(report);
  if (rewrites->len > 1)
    report->together = smb_proof_rewrite(&original, (const SmbRewriteArray *)rewrites->data,
                                         rewrites->len, expected);
}

const SmbProof *
smb_advise_final(const SmbAdviseReport *report) {
  if (report->together && !report->together->failure)
    return report->together;
  const SmbProof *best = NULL;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseLayout *layout = smb_advise_proven(g_ptr_array_index(report->arrays, i));
    if (layout && !best)
      best = layout->proof;
  }
  return best;
}

static gboolean
advise(SmbAdviseReport *report, const SmbArray *found, const SmbAdviseSearch *search,
       GError **error) {
  gsize bytes = smb_advise_array_bytes(report, found);
  SmbAdviseOptions options = {.kinds = search->kinds,
                              .row = found->n_dimensions > 1 ? 0 : search->row,
                              .keep = 1,
                              .other_bytes = report->analysis->shared_bytes - bytes,
                              .max_counts = search->max_counts};
  SmbAdviseArray *array = g_new0(SmbAdviseArray, 1);
  array->kinds = search->kinds;
  array->searches = g_ptr_array_new_with_free_func((GDestroyNotify)smb_advice_free);
  array->layouts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_advise_layout_free);
  array->whole = smb_advise_array(report->target->kernel, report->arch, report->analysis, found,
                                  bytes, &options);
  array->now = smb_advise_layout_new(report, array->whole, array->whole->original, 0);
  array->unseen = smb_rewrite_unseen(report->target->kernel, found);
  g_ptr_array_add(report->arrays, array);
  if (!check_searched(array->whole, options.max_counts, error) ||
      !search_kinds(array, report, search, options, error))
    return FALSE;
  prove_kinds(report, array);
  return TRUE;
}

// Whether a request asks for the array.
static gboolean
is_used(const SmbAdviseReport *report, const SmbArray *array) {
  const SmbAnalysis *analysis = report->analysis;
  for (guint i = 0; i < analysis->requests->len; i++) {
    const SmbRequest *request = &g_array_index(analysis->requests, SmbAccessRequest, i).request;
    SmbLanes lanes = smb_request_lanes(request);
    if (lanes && smb_program_array_at(report->target->kernel,
                                      request->offset[smb_lanes_first(lanes)]) == array)
      return TRUE;
  }
  return FALSE;
}

GPtrArray *
smb_advise_select(const SmbAdviseReport *report, const char *name, GError **error) {
  const SmbProgram *kernel = report->target->kernel;
  g_autoptr(GPtrArray) selected = g_ptr_array_new();
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < smb_program_n_arrays(kernel); i++) {
    const SmbArray *array = smb_program_array(kernel, i);
    if (array->n_dimensions == 0 || !is_used(report, array))
      continue;
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", array->name);
    if (!name || strcmp(name, array->name) == 0)
      g_ptr_array_add(selected, (gpointer)array);
  }
  if (name && selected->len == 0) {
    smb_cli_usage_error(error, "--array '%s': %s%s", name,
                        names->len ? "expected one of " : "the kernel uses no shared array",
                        names->str);
    return NULL;
  }
  return g_steal_pointer(&selected);
}

SmbAdviseReport *
smb_advise_report_run(const SmbTarget *target, SmbArch *arch, GError **error) {
  g_autoptr(SmbAdviseReport) report = g_new0(SmbAdviseReport, 1);
  report->target = target;
  report->arch = smb_arch_ref(arch);
  report->arrays = g_ptr_array_new_with_free_func((GDestroyNotify)array_free);
  report->global = smb_global_new();
  SmbAnalysisOptions options = target->options;
  options.global = report->global;
  options.keep_requests = TRUE;
  report->analysis = smb_analysis_run(target->kernel, arch, &target->launch, &options, error);
  if (!report->analysis)
    return NULL;
  if (report->analysis->requests_dropped == 0)
    return g_steal_pointer(&report);
  g_set_error(
      error, SMB_ERROR, SMB_ERROR_INPUT,
      "%s makes more than %u different requests of shared memory, and %" G_GUINT64_FORMAT
      " were not kept: what is best for a part of them need not be best; expected a smaller "
      "grid or loop",
      target->name, SMB_ANALYSIS_MAX_REQUESTS, report->analysis->requests_dropped);
  return NULL;
}

SmbAdviseReport *
smb_advise_report_new(const SmbTarget *target, SmbArch *arch, const SmbAdviseSearch *search,
                      GError **error) {
  g_autoptr(SmbAdviseReport) report = smb_advise_report_run(target, arch, error);
  g_autoptr(GPtrArray) arrays = report ? smb_advise_select(report, search->array, error) : NULL;
  if (!arrays)
    return NULL;
  for (guint i = 0; i < arrays->len; i++) {
    if (!advise(report, g_ptr_array_index(arrays, i), search, error))
      return NULL;
  }
  prove_together(report);
  return g_steal_pointer(&report);
}
