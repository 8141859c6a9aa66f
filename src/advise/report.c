// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/report.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "src/advise/mode.h"
#include "src/advise/prove.h"
#include "src/advise/rewritten.h"
#include "src/analysis/compiled-count.h"
#include "src/cli/cli.h"
#include "src/cli/hint.h"

enum {
  BANK_ROW_BYTES = 128, // 32 banks of 4 bytes
  LONG_BLOCKS = 1,      // that stand for all, if a block executes more statements than it may
};

const char *
smb_advise_fit_name(SmbAdviseFit fit) {
  static const char *const names[] = {"yes", "opt-in", "no"};
  return names[fit];
}

const char *
smb_advise_kind_name(SmbAdviseKinds kind) {
  return kind == SMB_ADVISE_PAD       ? "pad"
         : kind == SMB_ADVISE_SWIZZLE ? "swizzle"
         : kind == SMB_ADVISE_BOTH    ? "both"
                                      : "now";
}

gboolean
smb_advise_is_compiled(const SmbTarget *target) {
  return strcmp(smb_program_level(target->kernel), "text") != 0;
}

char *
smb_advise_declare(const SmbArray *array) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s %s", array->element, array->name);
  for (guint i = 0; i < array->n_dimensions; i++) {
    if (array->dimension[i])
      g_string_append_printf(text, "[%s]", smb_number(array->dimension[i]).text);
    else
      g_string_append(text, "[]");
  }
  return g_string_free(text, FALSE);
}

static void
layout_free(SmbAdviseLayout *layout) {
  g_free(layout->name);
  g_free(layout->index);
  smb_proof_free(layout->proof);
  smb_advise_compiled_free(layout->compiled);
  smb_launch_time_free(layout->time);
  g_free(layout);
}

// "pad 2", "pad 1 after 32" where the array has no rows of its own, "Swizzle<3,2,3>".
static char *
name_layout(const SmbLayout *layout, gboolean has_rows) {
  g_autoptr(GString) name = g_string_new(NULL);
  if (layout->pad)
    g_string_append_printf(name, "pad %s", smb_number(layout->pad).text);
  if (layout->pad && !has_rows)
    g_string_append_printf(name, " after %s", smb_number(layout->columns).text);
  if (layout->bits)
    g_string_append_printf(name, "%sSwizzle<%u,%u,%d>", name->len ? " + " : "", layout->bits,
                           layout->base, layout->shift);
  return name->len ? g_string_free(g_steal_pointer(&name), FALSE) : g_strdup("no padding");
}

static SmbAdviseFit
find_fit(const SmbAdviseReport *report, const SmbArray *array, gint64 extra) {
  const SmbArchInfo *info = smb_arch_info(report->arch);
  gint64 all = (gint64)report->analysis->shared_bytes + extra;
  gint64 fixed = (gint64)smb_program_static_shared(report->target->kernel) + extra;
  if (all > (gint64)info->max_shared_bytes)
    return SMB_ADVISE_TOO_LARGE;
  gint64 without = array->is_dynamic ? all : fixed;
  return without > (gint64)info->static_shared_bytes ? SMB_ADVISE_OPT_IN : SMB_ADVISE_FITS;
}

// What the requests of an array cost in a layout if accesses are merged that go on, as far as it keeps them whole.
static SmbTally
count_merged(const SmbAdviseReport *report, const SmbAdvice *search, const SmbCandidate *candidate,
             guint vector_bytes) {
  g_autoptr(SmbMergedUse) merged = smb_array_use_merge(search->use, vector_bytes);
  g_autoptr(SmbCandidate) tried =
      merged ? smb_advise_try(report->arch, &merged->use, &search->original->layout,
                              &candidate->layout)
             : NULL;
  return tried && tried->fit == SMB_LAYOUT_FITS ? tried->total : candidate->total;
}

// What is told of a layout of an array; @kind: 0 for the present one.
static SmbAdviseLayout *
layout_new(const SmbAdviseReport *report, const SmbAdviseArray *told, const SmbCandidate *candidate,
           SmbAdviseKinds kind) {
  const SmbAdvice *search = told->search;
  const SmbArray *array = search->use->array;
  const SmbLaunch *launch = &report->target->launch;
  SmbAdviseLayout *layout = g_new0(SmbAdviseLayout, 1);
  SmbRewriteArray wanted = smb_advise_describe_rewrite(report, search, candidate);
  gboolean has_rows =
      array->n_dimensions > 1 && candidate->layout.columns == search->original->layout.columns;
  layout->candidate = candidate;
  layout->is_declared = has_rows && candidate->layout.bits == 0;
  layout->kind = kind;
  const SmbPlacement *mode = candidate->mode.lines ? &candidate->mode : NULL;
  layout->name = mode   ? smb_mode_name(search->use->tile, mode)
                 : kind ? name_layout(&candidate->layout, has_rows)
                        : g_strdup("as it is");
  layout->index = mode                         ? smb_mode_index(mode)
                  : search->use->tile && !kind ? smb_tile_index(search->use->tile)
                                               : NULL;
  if (!layout->index)
    layout->index = smb_rewrite_describe(&wanted);
  layout->extra_bytes = array->is_carved ? smb_rewrite_growth(&wanted)
                                         : (gint64)candidate->bytes - (gint64)search->use->bytes;
  layout->vector_bytes = smb_layout_vector_bytes(
      &candidate->layout, smb_advise_elements(&search->original->layout, search->use->bytes));
  layout->merged = told->merged ? count_merged(report, search, candidate, layout->vector_bytes)
                                : candidate->total;
  layout->keeps_vector = !told->merged || layout->vector_bytes >= told->merged->width;
  layout->fits = find_fit(report, array, layout->extra_bytes);
  layout->occupancy =
      smb_occupancy(report->arch, launch->block[0] * launch->block[1] * launch->block[2],
                    (guint64)((gint64)report->analysis->shared_bytes + layout->extra_bytes));
  return layout;
}

static void
array_free(SmbAdviseArray *array) {
  g_ptr_array_unref(array->layouts);
  layout_free(array->now);
  smb_advice_free(array->merged_search);
  smb_merged_use_free(array->merged);
  g_ptr_array_unref(array->candidates);
  smb_advice_free(array->search);
  g_array_unref(array->unseen);
  g_free(array);
}

void
smb_advise_report_free(SmbAdviseReport *report) {
  if (!report)
    return;
  smb_proof_free(report->together);
  g_clear_pointer(&report->joined, g_ptr_array_unref);
  g_ptr_array_unref(report->joins);
  smb_advise_compiled_free(report->now);
  smb_advise_compiled_free(report->compiled);
  smb_advise_written_free(report->written);
  smb_advise_compiled_free(report->present);
  smb_launch_time_free(report->modes);
  g_clear_pointer(&report->text_arrays, g_array_unref);
  g_free(report->text_failure);
  smb_rewrite_names_free(report->names);
  g_ptr_array_unref(report->arrays);
  smb_array_uses_free(report->uses);
  smb_analysis_free(report->analysis);
  smb_global_free(report->global);
  g_clear_pointer(&report->machine, smb_target_free);
  smb_arch_unref(report->arch);
  g_free(report);
}

static gboolean
is_present(const SmbLayout *now, const SmbLayout *layout) {
  return layout->bits == 0 && layout->pad == now->pad &&
         (layout->pad == 0 || layout->columns == now->columns);
}

// What a part of the space holds is not told as if it were all of it.
static gboolean
check_searched(const SmbAdvice *search, guint64 max_counts, GError **error) {
  if (!search->given_up)
    return TRUE;
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "the search for '%s' stopped after %s counts of requests and %s layouts, with "
                  "more left to try; expected fewer layouts (--only pad), fewer requests (a "
                  "smaller grid or loop), or a larger --max-counts",
                  search->use->array->name, smb_number(max_counts).text,
                  smb_number(search->searched).text);
}

// Whether a layout is shown: it has to be better than the present one, and one of both kinds better than
// those of one.
static gboolean
is_wanted(const SmbAdvice *search, const SmbCandidate *candidate, const SmbAdviseSearch *asked) {
  const SmbCandidate *best = g_ptr_array_index(search->best, 0);
  SmbAdviseKinds kind = smb_advise_kind(&candidate->layout);
  if ((asked->kinds && kind != asked->kinds) ||
      is_present(&search->original->layout, &candidate->layout))
    return FALSE;
  if (asked->all)
    return TRUE;
  return candidate->total.wavefronts < search->original->total.wavefronts &&
         (asked->kinds || kind != SMB_ADVISE_BOTH ||
          smb_advise_kind(&best->layout) == SMB_ADVISE_BOTH);
}

static gboolean
has_layout(const SmbAdviseArray *array, const SmbLayout *layout) {
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *known = g_ptr_array_index(array->layouts, i);
    const SmbLayout *other = &known->candidate->layout;
    if (other->columns == layout->columns && other->pad == layout->pad &&
        other->bits == layout->bits && other->base == layout->base && other->shift == layout->shift)
      return TRUE;
  }
  return FALSE;
}

// Adds the best layouts of each kind that a search found.
static void
add_array_layouts(SmbAdviseArray *array, const SmbAdviseReport *report, const SmbAdvice *search,
                  const SmbAdviseSearch *asked) {
  guint n[SMB_ADVISE_BOTH + 1] = {0};
  for (guint i = 0; i < search->best->len; i++) {
    const SmbCandidate *candidate = g_ptr_array_index(search->best, i);
    SmbAdviseKinds kind = smb_advise_kind(&candidate->layout);
    if (n[kind] == asked->top || !is_wanted(search, candidate, asked) ||
        has_layout(array, &candidate->layout))
      continue;
    if (search != array->search) {
      candidate = smb_advise_try(report->arch, array->search->use, &array->search->original->layout,
                                 &candidate->layout);
      g_ptr_array_add(array->candidates, (gpointer)candidate);
    }
    SmbAdviseLayout *layout = layout_new(report, array, candidate, kind);
    layout->is_first = n[kind]++ == 0;
    g_ptr_array_add(array->layouts, layout);
  }
}

// Whether a layout of the kind is shown that keeps vectors of as many bytes whole.
static gboolean
has_wide(const SmbAdviseArray *array, SmbAdviseKinds kind, guint vector_bytes) {
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (layout->kind == kind && layout->vector_bytes >= vector_bytes)
      return TRUE;
  }
  return FALSE;
}

// A compiler may merge what the text does not show: of each kind, the best layout that keeps vectors of these bytes whole
// is tried, too. It stays if it turns out to be better.
static void
add_trials(SmbAdviseArray *array, const SmbAdviseReport *report, const SmbAdviseOptions *options,
           guint vector_bytes) {
  SmbAdviseOptions wide = *options;
  wide.keep = 1;
  wide.vector_bytes = vector_bytes;
  wide.present = &array->search->original->layout;
  g_autoptr(SmbAdvice) search = smb_advise_array(report->arch, array->search->use, &wide);
  while (search->best->len > 0) {
    g_autoptr(SmbCandidate) found = g_ptr_array_steal_index(search->best, 0);
    SmbAdviseKinds kind = smb_advise_kind(&found->layout);
    if (kind == SMB_ADVISE_BOTH || (options->kinds && kind != options->kinds) ||
        found->total.wavefronts >= search->original->total.wavefronts ||
        has_wide(array, kind, vector_bytes))
      continue;
    SmbAdviseLayout *layout = layout_new(report, array, found, kind);
    layout->is_first = layout->is_trial = TRUE;
    g_ptr_array_add(array->layouts, layout);
    g_ptr_array_add(array->candidates, g_steal_pointer(&found));
  }
}

// The padding of one vector after each row, or, of an array without rows, after each row of the banks. nvcc sees that a multiple of a power of
// two leaves vectors aligned, of another one it may not: it made no 8-byte loads of rows that are padded by 12 elements.
static void
add_plain_padding(SmbAdviseArray *array, const SmbAdviseReport *report,
                  const SmbAdviseOptions *options, guint vector_bytes) {
  const SmbCandidate *now = array->search->original;
  const SmbArrayUse *use = array->search->use;
  SmbLayout layout = now->layout;
  if ((options->kinds && options->kinds != SMB_ADVISE_PAD) ||
      has_wide(array, SMB_ADVISE_PAD, vector_bytes))
    return;
  if (use->array->n_dimensions < 2 && !options->row)
    layout.columns = MAX(1, BANK_ROW_BYTES / layout.element_bytes);
  layout.bits = 0;
  layout.pad = (now->layout.columns == layout.columns ? now->layout.pad : 0) +
               vector_bytes / layout.element_bytes;
  if (vector_bytes < layout.element_bytes || has_layout(array, &layout))
    return;
  g_autoptr(SmbCandidate) found = smb_advise_try(report->arch, use, &now->layout, &layout);
  if (!found || found->fit != SMB_LAYOUT_FITS || found->total.wavefronts >= now->total.wavefronts)
    return;
  SmbAdviseLayout *trial = layout_new(report, array, found, SMB_ADVISE_PAD);
  trial->is_first = trial->is_trial = TRUE;
  g_ptr_array_add(array->layouts, trial);
  g_ptr_array_add(array->candidates, g_steal_pointer(&found));
}

// The best of each kind of layout.
static void
choose_layouts(SmbAdviseArray *array, const SmbAdviseReport *report, const SmbAdviseSearch *asked,
               const SmbAdviseOptions *options) {
  add_array_layouts(array, report, array->search, asked);
  if (array->merged_search)
    add_array_layouts(array, report, array->merged_search, asked);
  gboolean tries = report->can_compile && !array->search->use->tile;
  for (guint bytes = SMB_MAX_WIDTH; tries && bytes >= SMB_ADVISE_MIN_VECTOR; bytes /= 2) {
    add_plain_padding(array, report, options, bytes);
    add_trials(array, report, options, bytes);
  }
  smb_advise_sort(report, array);
}

static gboolean
is_joined(const SmbAdviseReport *report, const SmbAdviseLayout *layout) {
  return report->joined && g_ptr_array_find(report->joined, layout, NULL);
}

// What was tried in vain: the kernel as it is, or another layout of the kind, is as good as compiled, and it is not among those that are best
// together.
static void
drop_trials(const SmbAdviseReport *report, const SmbAdviseArray *array) {
  for (guint i = array->layouts->len; i-- > 0;) {
    const SmbAdviseLayout *trial = g_ptr_array_index(array->layouts, i);
    gboolean kept = !trial->is_trial || is_joined(report, trial);
    gboolean wanted = kept || (trial->compiled && !smb_advise_is_worse(report, trial->compiled));
    for (guint j = 0; wanted && !kept && j < array->layouts->len; j++) {
      const SmbAdviseLayout *other = g_ptr_array_index(array->layouts, j);
      wanted = other == trial || other->kind != trial->kind ||
               smb_advise_compiled_order(trial->compiled, other->compiled) < 0;
    }
    if (!wanted)
      g_ptr_array_remove_index(array->layouts, i);
  }
}

// The kernel as it is, and in every form that holds, through a compiler.
static void
compile_layouts(SmbAdviseReport *report) {
  g_autoptr(GPtrArray) forms = g_ptr_array_new();
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    for (guint j = 0; j < array->layouts->len; j++) {
      SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, j);
      if (smb_proof_holds(layout->proof))
        layout->compiled =
            smb_advise_compiled_new(layout->proof->text, layout->proof->launch.dynamic_bytes);
      if (layout->compiled)
        g_ptr_array_add(forms, layout->compiled);
    }
  }
  if (forms->len == 0)
    return;
  smb_advise_join(report, forms);
  report->now = smb_advise_compiled_new(NULL, report->target->launch.dynamic_bytes);
  smb_advise_compile(report->target, report->arch, smb_program_source(report->target->kernel),
                     report->now, forms);
  for (guint i = 0; i < report->arrays->len; i++)
    smb_advise_sort(report, g_ptr_array_index(report->arrays, i));
}

guint64
smb_advise_row(const SmbAdviseSearch *asked, const SmbArray *array) {
  guint64 row = 0, own = 0;
  for (guint i = 0; asked->rows && asked->rows[i]; i++) {
    const char *equals = strchr(asked->rows[i], '=');
    if (!equals)
      row = g_ascii_strtoull(asked->rows[i], NULL, 10);
    else if (strncmp(asked->rows[i], array->name, (gsize)(equals - asked->rows[i])) == 0 &&
             array->name[equals - asked->rows[i]] == '\0')
      own = g_ascii_strtoull(equals + 1, NULL, 10);
  }
  return own ? own : row;
}

static gboolean
advise_on_array(SmbAdviseReport *report, const SmbArrayUse *use, const SmbAdviseSearch *asked,
                GError **error) {
  SmbAdviseOptions options = {.kinds = asked->kinds,
                              .row = smb_advise_row(asked, use->array),
                              .present = report->target->tile,
                              .within = TRUE,
                              .keep = asked->top + 1, // the present layout may be among them
                              .max_counts = asked->max_counts,
                              .progress = report->target->options.progress};
  SmbAdviseArray *array = g_new0(SmbAdviseArray, 1);
  array->kinds = asked->kinds;
  array->is_compiled = smb_advise_is_compiled(report->target);
  array->layouts = g_ptr_array_new_with_free_func((GDestroyNotify)layout_free);
  array->candidates = g_ptr_array_new_with_free_func((GDestroyNotify)smb_candidate_free);
  array->search = smb_advise_array(report->arch, use, &options);
  array->merged = array->is_compiled ? NULL : smb_array_use_merge(use, SMB_MAX_WIDTH);
  if (array->merged) {
    options.present = &array->search->original->layout;
    array->merged_search = smb_advise_array(report->arch, &array->merged->use, &options);
  }
  array->now = layout_new(report, array, array->search->original, 0);
  const SmbArray *named = report->text ? smb_advise_text_array(report, use->array) : use->array;
  array->unseen =
      named ? smb_rewrite_unseen(report->names, named) : g_array_new(FALSE, FALSE, sizeof(guint));
  g_ptr_array_add(report->arrays, array);
  if (!check_searched(array->search, options.max_counts, error) ||
      (array->merged_search && !check_searched(array->merged_search, options.max_counts, error)))
    return FALSE;
  choose_layouts(array, report, asked, &options);
  smb_advise_prove_kinds(report, array);
  smb_advise_sort(report, array);
  return TRUE;
}

// Adds the array of that name, or its parts; of an empty name, all of them. FALSE with an error: there is none of it.
static gboolean
select_named(const SmbAdviseReport *report, const char *name, GPtrArray *selected, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  guint before = selected->len;
  for (guint i = 0; i < report->uses->all->len; i++) {
    SmbArrayUse *use = g_ptr_array_index(report->uses->all, i);
    if (use->array->n_dimensions == 0 || use->requests->len == 0)
      continue;
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", use->array->name);
    if (!*name || strcmp(name, use->array->name) == 0 || g_strcmp0(name, use->array->variable) == 0)
      g_ptr_array_add(selected, use);
  }
  return !*name || selected->len > before ||
         smb_cli_usage_error(error, "--array '%s': %s%s", name,
                             names->len ? "expected one of " : "the kernel uses no shared array",
                             names->str);
}

GPtrArray *
smb_advise_select(const SmbAdviseReport *report, const char *const *names, GError **error) {
  g_autoptr(GPtrArray) selected = g_ptr_array_new();
  gboolean any = FALSE;
  for (guint i = 0; names && names[i]; i++) {
    if (strchr(names[i], '='))
      continue;
    any = TRUE;
    if (!select_named(report, names[i], selected, error))
      return NULL;
  }
  return any || select_named(report, "", selected, error) ? g_steal_pointer(&selected) : NULL;
}

SmbAdviseReport *
smb_advise_report_run(const SmbTarget *target, SmbArch *arch, GError **error) {
  g_autoptr(SmbAdviseReport) report = g_new0(SmbAdviseReport, 1);
  report->target = target;
  report->arch = smb_arch_ref(arch);
  report->arrays = g_ptr_array_new_with_free_func((GDestroyNotify)array_free);
  report->joins = smb_advise_joins_new();
  report->names = smb_rewrite_names_new(target->kernel);
  report->global = smb_global_new(target->kernel, &target->launch);
  SmbAnalysisOptions options = target->options;
  options.global = report->global;
  options.few = TRUE;
  options.keep_requests = TRUE;
  report->analysis = smb_analysis_run(target->kernel, arch, &target->launch, &options, error);
  if (!report->analysis)
    return NULL;
  report->uses = smb_array_uses_new(target->kernel, &target->launch, report->analysis);
  if (report->analysis->requests_dropped == 0)
    return g_steal_pointer(&report);
  smb_fail(
      error, SMB_ERROR, SMB_ERROR_INPUT,
      smb_arch_say(
          arch,
          "%s makes more than %u different shared-memory requests, and %s were not kept: the best "
          "layout for some of them need not be the best for all; expected a smaller grid or loop"),
      target->name, SMB_ANALYSIS_MAX_REQUESTS, smb_number(report->analysis->requests_dropped).text);
  return NULL;
}

// No layout can be written into the text: rows where it declares them may still be, and the time is that of the machine code.
static void
compile_source(SmbAdviseReport *report, const SmbAdviseSearch *search) {
  const SmbTarget *target = report->target;
  SmbTarget *machine =
      smb_target_compile(target, NULL, target->launch.dynamic_bytes, report->arch, NULL);
  g_autoptr(SmbAnalysis) analysis =
      machine ? smb_target_analyze(machine, report->arch, NULL) : NULL;
  if (!analysis) {
    g_clear_pointer(&machine, smb_target_free);
    return;
  }
  report->present = smb_advise_compiled_now(machine, report->arch, analysis);
  report->present->own_machine = machine;
  if (search->writes)
    report->written = smb_advise_written_new(report, machine, analysis);
}

// Whether it is only too long that a text runs.
static gboolean
is_endless(const GError *error) {
  const SmbHint *hint;
  for (guint i = 0; (hint = smb_error_hint(error, i)); i++) {
    if (hint->kind == SMB_HINT_LIMIT && g_strcmp0(hint->name, "max_steps") == 0)
      return TRUE;
  }
  return FALSE;
}

// The same of what a compiler makes of a text that cannot be run; NULL: there is no compiler, or that cannot be run either.
static SmbAdviseReport *
run_machine_code(const SmbTarget *text, SmbArch *arch, const GError *failure) {
  g_autoptr(SmbTarget) machine =
      smb_target_can_compile(text, arch)
          ? smb_target_compile(text, NULL, text->launch.dynamic_bytes, arch, NULL)
          : NULL;
  if (!machine)
    return NULL;
  g_autoptr(GArray) parts = smb_program_carved_arrays(text->kernel, &text->launch);
  g_array_unref(machine->launch.shapes);
  machine->launch.shapes = smb_shapes_of(parts, text->kernel, machine->kernel);
  if (is_endless(failure))
    machine->options.sample = LONG_BLOCKS;
  SmbAdviseReport *report = smb_advise_report_run(machine, arch, NULL);
  if (!report)
    return NULL;
  smb_rewrite_names_free(report->names);
  report->names = smb_rewrite_names_new(text->kernel);
  report->text_arrays = smb_advise_text_arrays(text);
  report->text = text;
  report->text_failure = smb_cli_error_text(failure);
  report->machine = g_steal_pointer(&machine);
  return report;
}

static SmbAdviseReport *
run_target(const SmbTarget *target, SmbArch *arch, const SmbAdviseSearch *search, GError **error) {
  g_autoptr(GError) failure = NULL;
  SmbAdviseReport *report = smb_advise_report_run(target, arch, &failure);
  if (!report && search->compiles)
    report = run_machine_code(target, arch, failure);
  if (!report)
    g_propagate_error(error, g_steal_pointer(&failure));
  return report;
}

SmbAdviseReport *
smb_advise_report_new(const SmbTarget *target, SmbArch *arch, const SmbAdviseSearch *search,
                      GError **error) {
  g_autoptr(SmbAdviseReport) report = run_target(target, arch, search, error);
  g_autoptr(GPtrArray) arrays = report ? smb_advise_select(report, search->arrays, error) : NULL;
  if (!arrays)
    return NULL;
  target = report->target;
  report->can_compile = search->compiles && smb_target_can_compile(target, arch);
  for (guint i = 0; i < arrays->len; i++) {
    if (!advise_on_array(report, g_ptr_array_index(arrays, i), search, error))
      return NULL;
  }
  if (report->can_compile)
    compile_layouts(report);
  smb_advise_prove_together(report);
  for (guint i = 0; i < report->arrays->len; i++)
    drop_trials(report, g_ptr_array_index(report->arrays, i));
  if (smb_advise_is_compiled(target))
    report->present = smb_advise_compiled_now(target, arch, report->analysis);
  smb_advise_time_modes(report);
  if (report->present && search->writes)
    report->written = smb_advise_written_new(report, target, report->analysis);
  else if (report->can_compile && !report->now && smb_analysis_total(report->analysis).excess > 0)
    compile_source(report, search);
  return g_steal_pointer(&report);
}
