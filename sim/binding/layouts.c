// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The search for layouts, for other languages: of a kernel, or of an array that only requests are known of.
#include <string.h>

#include "sim/advise/advise.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/binding/impl.h"

enum {
  MAX_KEEP = 1000,
  MAX_ROW = 1 << 20,
};

// Requests that a search may count.
static const guint64 default_max_counts = G_GUINT64_CONSTANT(1) << 29;

struct _SmbLayouts {
  GArray *arrays;  // SmbSearchedArray
  GArray *layouts; // SmbFoundLayout
};

static void
clear_array(gpointer array) {
  g_free((char *)((SmbSearchedArray *)array)->name);
}

static SmbLayouts *
layouts_new(void) {
  SmbLayouts *layouts = g_new0(SmbLayouts, 1);
  layouts->arrays = g_array_new(FALSE, FALSE, sizeof(SmbSearchedArray));
  g_array_set_clear_func(layouts->arrays, clear_array);
  layouts->layouts = g_array_new(FALSE, FALSE, sizeof(SmbFoundLayout));
  return layouts;
}

void
smb_layouts_free(SmbLayouts *layouts) {
  if (!layouts)
    return;
  g_array_unref(layouts->arrays);
  g_array_unref(layouts->layouts);
  g_free(layouts);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLayouts, smb_layouts_free)

static void
add_layout(SmbLayouts *layouts, const char *kind, const SmbCandidate *candidate) {
  const SmbLayout *layout = &candidate->layout;
  const SmbFoundLayout row = {.kind = kind,
                              .element_bytes = layout->element_bytes,
                              .columns = layout->columns,
                              .pad = layout->pad,
                              .bits = layout->bits,
                              .base = layout->base,
                              .shift = layout->shift,
                              .bytes = candidate->bytes,
                              .sums = smb_sums(&candidate->total)};
  g_array_append_val(layouts->layouts, row);
}

static gboolean
is_same_layout(const SmbLayout *a, const SmbLayout *b) {
  return a->bits == 0 && b->bits == 0 && a->pad == b->pad &&
         (a->pad == 0 || a->columns == b->columns);
}

// The present layout, and as many of the best of each kind as are wanted.
static void
add_advised_layouts(SmbLayouts *layouts, const SmbAdvice *advice, guint keep) {
  static const char *const names[] = {
      [SMB_ADVISE_PAD] = "pad", [SMB_ADVISE_SWIZZLE] = "swizzle", [SMB_ADVISE_BOTH] = "both"};
  guint n[SMB_ADVISE_BOTH + 1] = {0};
  add_layout(layouts, "now", advice->original);
  for (guint i = 0; i < advice->best->len; i++) {
    const SmbCandidate *candidate = g_ptr_array_index(advice->best, i);
    SmbAdviseKinds kind = smb_advise_kind(&candidate->layout);
    if (n[kind] == keep || is_same_layout(&candidate->layout, &advice->original->layout))
      continue;
    n[kind]++;
    add_layout(layouts, names[kind], candidate);
  }
}

// Searches the layouts of one array; @present: (nullable): how it lies, if that is known.
static gboolean
search_array(SmbLayouts *layouts, const SmbModel *model, const SmbArrayUse *use,
             const SmbSearch *search, const SmbLayout *present, GError **error) {
  const guint keep = MAX(search->keep, 1);
  const SmbAdviseOptions options = {.kinds = (SmbAdviseKinds)search->kinds,
                                    .row = search->row,
                                    .present = present,
                                    .keep = keep + 1, // the present layout may be among them
                                    .max_counts = search->max_counts ? search->max_counts
                                                                     : default_max_counts};
  g_autoptr(SmbAdvice) advice = smb_advise_array(model->arch, use, &options);
  if (advice->given_up)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "the search for '%s' was given up after %s counts of requests: expected fewer "
                    "layouts, fewer requests, or a higher limit",
                    use->array->name, smb_number(options.max_counts).text);
  SmbSearchedArray row = {.name = g_strdup(use->array->name),
                          .searched = advice->searched,
                          .unfit = advice->unfit,
                          .ties = advice->ties,
                          .first = layouts->layouts->len};
  if (advice->original->fit == SMB_LAYOUT_FITS)
    add_advised_layouts(layouts, advice, keep);
  row.n_layouts = layouts->layouts->len - row.first;
  g_array_append_val(layouts->arrays, row);
  return TRUE;
}

static gboolean
check_search(const SmbSearch *search, GError **error) {
  const guint all = SMB_SEARCH_PAD | SMB_SEARCH_SWIZZLE | SMB_SEARCH_BOTH;
  if (search->kinds & ~all)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "kinds 0x%x: expected bits of 0x%x",
                    search->kinds, all);
  if (search->keep > MAX_KEEP)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%u layouts of a kind: expected at most %u",
                    search->keep, MAX_KEEP);
  return search->row <= MAX_ROW ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "rows of %s elements: expected at most %u",
                  smb_number(search->row).text, MAX_ROW);
}

// The arrays that are asked for; of a name that none has, an error that lists them.
static gboolean
search_run(SmbLayouts *layouts, const SmbModel *model, const SmbRun *run, const SmbSearch *search,
           GError **error) {
  if (run->analysis->requests_dropped > 0)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s makes more than %u different requests of shared memory, and not all were "
                    "kept: expected a smaller grid or loop",
                    smb_program_name(run->program), SMB_ANALYSIS_MAX_REQUESTS);
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(run->program, &run->launch, run->analysis);
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < uses->all->len; i++) {
    const SmbArrayUse *use = g_ptr_array_index(uses->all, i);
    if (use->array->n_dimensions == 0 || use->requests->len == 0)
      continue;
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", use->array->name);
    if ((!search->array || strcmp(search->array, use->array->name) == 0) &&
        !search_array(layouts, model, use, search, NULL, error))
      return FALSE;
  }
  return !search->array || layouts->arrays->len > 0 ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "array '%s': %s%s", search->array,
                  names->len ? "expected one of " : "the kernel uses no shared array", names->str);
}

SmbStatus
smb_kernel_search(const SmbModel *model, const SmbKernelLaunch *launch, const SmbSearch *search,
                  SmbLayouts **layouts, char **error) {
  GError *failure = NULL;
  g_auto(SmbRun) run = {0};
  g_autoptr(SmbLayouts) found = layouts_new();
  if (check_search(search, &failure) && smb_run_kernel(model, launch, TRUE, &run, &failure) &&
      search_run(found, model, &run, search, &failure))
    *layouts = g_steal_pointer(&found);
  return smb_status_of(failure, error);
}

// The requests as those of an access of an analysis, and as many bytes as they reach.
static gboolean
gather_requests(const SmbModel *model, const SmbRequests *requests, SmbAnalysis *analysis,
                guint64 *end, GError **error) {
  if (requests->n > SMB_ANALYSIS_MAX_REQUESTS)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "%" G_GSIZE_FORMAT " requests: expected at most %u", requests->n,
                    SMB_ANALYSIS_MAX_REQUESTS);
  for (size_t i = 0; i < requests->n; i++) {
    SmbAccessRequest made = {.count = 1};
    if (!smb_requests_get(model, requests, i, &made.request, error))
      return FALSE;
    if (!smb_op_is_shared((SmbOp)made.request.op))
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s is not of shared memory",
                      requests->op);
    for (SmbLanes left = smb_request_lanes(&made.request); left; left &= left - 1)
      *end = MAX(*end, (guint64)made.request.offset[smb_lanes_first(left)] + made.request.width);
    g_array_append_val(analysis->requests, made);
  }
  return TRUE;
}

// How the array lies now, and what it takes. Everything is within what a block has, so nothing overflows.
static gboolean
place_array(const SmbModel *model, const SmbPresentLayout *now, guint64 end, SmbLayout *present,
            guint64 *bytes, GError **error) {
  const guint most = smb_arch_info(model->arch)->max_shared_bytes;
  const guint64 elements = now->columns + now->pad;
  if (now->element_bytes == 0 || now->element_bytes > most || now->columns > most ||
      now->pad > most || elements * now->element_bytes > most)
    return smb_fail(
        error, SMB_ERROR, SMB_ERROR_USAGE,
        "rows of %s elements of %u bytes: expected no more than the %u bytes of a block",
        smb_number(elements).text, now->element_bytes, most);
  if (now->pad && !now->columns)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "padding of an array without rows: expected the number of columns");
  const guint64 unit = (now->columns ? elements : 1) * now->element_bytes;
  *bytes = now->bytes ? now->bytes : (end + unit - 1) / unit * unit;
  if (*bytes < MAX(end, unit) || *bytes > most || *bytes % now->element_bytes)
    return smb_fail(
        error, SMB_ERROR, SMB_ERROR_USAGE,
        "an array of %s bytes, of which the requests reach %s: expected whole elements, "
        "and no more than the %u bytes of a block",
        smb_number(*bytes).text, smb_number(end).text, most);
  *present = (SmbLayout){.element_bytes = now->element_bytes,
                         .columns = now->columns ? now->columns : *bytes / now->element_bytes,
                         .pad = now->pad};
  return TRUE;
}

static void
free_arrays(SmbAnalysis *analysis) {
  g_array_unref(analysis->accesses);
  g_array_unref(analysis->requests);
}

SmbStatus
smb_requests_search(const SmbModel *model, const SmbRequests *requests, const SmbPresentLayout *now,
                    const SmbSearch *search, SmbLayouts **layouts, char **error) {
  GError *failure = NULL;
  guint64 end = 0, bytes = 0;
  SmbLayout present;
  SmbAnalysis analysis = {.accesses = g_array_new(FALSE, TRUE, sizeof(SmbAccess)),
                          .requests = g_array_new(FALSE, FALSE, sizeof(SmbAccessRequest))};
  g_array_set_size(analysis.accesses, 1);
  g_autoptr(SmbLayouts) found = layouts_new();
  if (check_search(search, &failure) &&
      gather_requests(model, requests, &analysis, &end, &failure) &&
      place_array(model, now, end, &present, &bytes, &failure)) {
    const SmbArray array = {.name = search->array ? search->array : "array",
                            .element = "",
                            .element_bytes = now->element_bytes,
                            .bytes = bytes};
    g_autoptr(GArray) made = g_array_new(FALSE, FALSE, sizeof(SmbArrayRequest));
    for (guint i = 0; i < analysis.requests->len; i++) {
      const SmbArrayRequest one = {&g_array_index(analysis.requests, SmbAccessRequest, i), TRUE};
      g_array_append_val(made, one);
    }
    const SmbArrayUse use = {
        .analysis = &analysis, .array = &array, .bytes = bytes, .requests = made};
    analysis.shared_bytes = bytes;
    if (search_array(found, model, &use, search, &present, &failure))
      *layouts = g_steal_pointer(&found);
  }
  free_arrays(&analysis);
  return smb_status_of(failure, error);
}

size_t
smb_layouts_n_arrays(const SmbLayouts *layouts) {
  return layouts->arrays->len;
}

const SmbSearchedArray *
smb_layouts_array(const SmbLayouts *layouts, size_t index) {
  return index < layouts->arrays->len ? &g_array_index(layouts->arrays, SmbSearchedArray, index)
                                      : NULL;
}

const SmbFoundLayout *
smb_layouts_layout(const SmbLayouts *layouts, size_t index) {
  return index < layouts->layouts->len ? &g_array_index(layouts->layouts, SmbFoundLayout, index)
                                       : NULL;
}
