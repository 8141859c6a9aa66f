// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/written.h"

#include <string.h>

#include "sim/cuda/rewrite/declared.h"
#include "src/advise/rewritten.h"
#include "src/analysis/verdict.h"

// Elements that rows are made longer by, and arrays that are looked at.
static const guint paddings[] = {1, 2, 4, 8};
enum {
  LDM_PADDING = 8, // of a matrix of wmma: 16 bytes of halves
  MAX_ARRAYS = 16,
  MAX_JOINED = 3,       // forms of an array that are tried beside what gains
  PIECE_BYTES = 1 << 16 // that are compared at once
};

void
smb_advise_padding_free(SmbAdvisePadding *form) {
  g_free(form->name);
  g_free(form->condition);
  g_array_unref(form->edits);
  smb_advise_compiled_free(form->compiled);
  g_free(form);
}

void
smb_advise_written_free(SmbAdviseWritten *written) {
  if (!written)
    return;
  smb_source_unref(written->source);
  g_ptr_array_unref(written->forms);
  g_ptr_array_unref(written->tried);
  g_ptr_array_unref(written->failed);
  g_ptr_array_unref(written->matrices);
  g_ptr_array_unref(written->rewritten);
  g_ptr_array_unref(written->left_alone);
  g_ptr_array_unref(written->unlike);
  g_free(written);
}

char *
smb_advise_written_text(const SmbAdviseWritten *written, const SmbAdvisePadding *form) {
  return smb_rewrite_apply(written->source, form->edits);
}

static SmbSource *
read_written_source(const SmbTarget *target) {
  // What was standard input or a pipe is read already.
  return target->compiled && target->file && g_file_test(target->file, G_FILE_TEST_IS_REGULAR)
             ? smb_source_load(target->file, NULL)
             : NULL;
}

// The name of a form with longer rows (transfer full).
static char *
describe_padding(const char *array, guint elements) {
  return g_strdup_printf("%s: pad %u", array, elements);
}

static gboolean
was_taken_up(const GPtrArray *names, const char *name) {
  for (guint i = 0; i < names->len; i++) {
    if (strcmp(names->pdata[i], name) == 0)
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_advise_written_pads(const SmbAdviseWritten *written, const char *array, guint elements,
                        const SmbAdvisePadding **form) {
  gboolean is_tried = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(paddings); i++)
    is_tried |= paddings[i] == elements;
  if (!is_tried || !was_taken_up(written->tried, array) ||
      (elements % LDM_PADDING != 0 && was_taken_up(written->matrices, array)))
    return FALSE;
  g_autofree char *name = describe_padding(array, elements);
  if (was_taken_up(written->failed, name))
    return FALSE;
  *form = NULL;
  for (guint i = 0; i < written->forms->len && !*form; i++) {
    const SmbAdvisePadding *one = g_ptr_array_index(written->forms, i);
    *form = strcmp(one->name, name) == 0 ? one : NULL;
  }
  return TRUE;
}

SmbAdvisePadding *
smb_advise_padding_new(const SmbAdviseWritten *written, char *name, GArray *edits,
                       gsize dynamic_bytes) {
  SmbAdvisePadding *form = g_new0(SmbAdvisePadding, 1);
  form->name = name;
  form->edits = edits;
  smb_edits_sort(edits);
  g_autofree char *text = smb_rewrite_apply(written->source, edits);
  form->compiled = smb_advise_compiled_new(text, dynamic_bytes);
  return form;
}

// A form that was run on buffers that hold numbers, and what it left in them.
typedef struct {
  SmbTarget *target;
  SmbGlobal *global;
  SmbAnalysis *analysis;
} Run;

static void
form_run_clear(Run *run) {
  smb_analysis_free(run->analysis);
  smb_global_free(run->global);
  smb_target_free(run->target);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, form_run_clear)

// The buffers of a target, and numbers for those that it knows nothing of (transfer full).
static GStrv
fill_buffers(const SmbTarget *target) {
  GStrvBuilder *all = g_strv_builder_new();
  for (guint i = 0; target->buffers && target->buffers[i]; i++)
    g_strv_builder_add(all, target->buffers[i]);
  for (guint i = 0; i < smb_program_n_parameters(target->kernel); i++) {
    const SmbParameter parameter = smb_program_parameter(target->kernel, i);
    const SmbBuffer *buffer = smb_launch_buffer(&target->launch, parameter.name, i);
    g_autofree char *numbers = g_strdup_printf("%u=iota:i32", i);
    if (smb_launch_is_pointer(&target->launch, target->kernel, i) &&
        (!buffer || buffer->is_default))
      g_strv_builder_add(all, numbers);
  }
  GStrv buffers = g_strv_builder_end(all);
  g_strv_builder_unref(all);
  return buffers;
}

// @form: (nullable): %NULL: as it is, @text; @shares: (nullable): of the run that it is compared with
static gboolean
run_form(Run *run, const SmbTarget *target, const SmbArch *arch, const char *text,
         const SmbAdviseCompiled *form, GArray *shares) {
  g_auto(GStrv) buffers = fill_buffers(target);
  SmbTarget filled = *target;
  filled.buffers = buffers;
  filled.launch.buffers = NULL; // those are read again
  run->target = form && form->batch
                    ? smb_target_compile_form(&filled, form->batch, form->form, form->dynamic_bytes,
                                              arch, NULL)
                    : smb_target_with_text(
                          &filled, form ? form->text : text,
                          form ? form->dynamic_bytes : target->launch.dynamic_bytes, arch, NULL);
  if (!run->target)
    return FALSE;
  run->global = smb_global_new(run->target->kernel, &run->target->launch);
  SmbAnalysisOptions options = run->target->options;
  options.global = run->global;
  options.few = shares == NULL;
  options.shares = shares;
  options.progress = NULL;
  run->analysis = smb_analysis_run(run->target->kernel, arch, &run->target->launch, &options, NULL);
  return run->analysis != NULL;
}

// Bytes of a parameter's buffer, if both left the same and all of it is known; else -1.
static gint64
compare_written_buffer(const Run *a, const Run *b, guint parameter) {
  guint64 reach = smb_global_reach(a->global, parameter);
  gboolean same = reach == smb_global_reach(b->global, parameter);
  g_autofree guchar *left = g_malloc(PIECE_BYTES), *right = g_malloc(PIECE_BYTES);
  for (guint64 at = 0; same && at < reach; at += PIECE_BYTES) {
    gsize n = (gsize)MIN(PIECE_BYTES, reach - at);
    smb_global_read(a->global, parameter, at, left, n);
    smb_global_read(b->global, parameter, at, right, n);
    same = smb_global_mask(a->global, parameter, at, left, n) == n &&
           smb_global_mask(b->global, parameter, at, right, n) == n && memcmp(left, right, n) == 0;
  }
  return same ? (gint64)reach : -1;
}

// What forms are tried of, and the kernel as it is, run once for all of them.
typedef struct {
  SmbAdviseWritten *written;
  const SmbTarget *target;
  const SmbArch *arch;
  gboolean is_run;
  Run before;
} Trials;

static void
trials_clear(Trials *trials) {
  form_run_clear(&trials->before);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trials, trials_clear)

static void
compile_written_forms(const Trials *trials, const GPtrArray *forms) {
  SmbAdviseWritten *written = trials->written;
  g_autoptr(GPtrArray) compiled = g_ptr_array_new();
  for (guint i = 0; i < forms->len; i++)
    g_ptr_array_add(compiled, ((const SmbAdvisePadding *)g_ptr_array_index(forms, i))->compiled);
  if (forms->len > 0)
    smb_advise_compile(trials->target, trials->arch, written->source, written->now, compiled);
}

// Whether a form leaves what the kernel leaves as it is.
static gboolean
leaves_same(Trials *trials, SmbAdvisePadding *form) {
  g_auto(Run) now = {0};
  Run *before = &trials->before;
  if (!trials->is_run)
    run_form(before, trials->target, trials->arch, smb_source_text(trials->written->source), NULL,
             NULL);
  trials->is_run = TRUE;
  if (!before->analysis ||
      !run_form(&now, trials->target, trials->arch, NULL, form->compiled, before->analysis->shares))
    return FALSE;
  for (guint i = 0; i < smb_program_n_parameters(before->target->kernel); i++) {
    if (!smb_launch_is_pointer(&before->target->launch, before->target->kernel, i))
      continue;
    gint64 bytes = compare_written_buffer(before, &now, i);
    if (bytes < 0)
      return FALSE;
    form->compared_bytes += (guint64)bytes;
  }
  return form->compared_bytes > 0;
}

static int
compare_forms(gconstpointer a, gconstpointer b) {
  const SmbAdvisePadding *x = *(const SmbAdvisePadding *const *)a;
  const SmbAdvisePadding *y = *(const SmbAdvisePadding *const *)b;
  return smb_advise_compiled_order(x->compiled, y->compiled);
}

// Whether wmma is told how long the rows are.
static gboolean
is_matrix(const SmbDeclared *array) {
  return array->lengths->len > 1;
}

// Adds the paddings of one array.
static void
add_paddings(SmbAdviseWritten *written, const SmbTarget *target, const SmbDeclared *array,
             GPtrArray *forms) {
  g_ptr_array_add(written->tried, g_strdup(array->name));
  if (is_matrix(array))
    g_ptr_array_add(written->matrices, g_strdup(array->name));
  for (guint i = 0; i < G_N_ELEMENTS(paddings); i++) {
    if (is_matrix(array) && paddings[i] % LDM_PADDING != 0)
      continue;
    GArray *edits = smb_edits_new();
    smb_declared_pad(array, paddings[i], edits);
    SmbAdvisePadding *form = smb_advise_padding_new(
        written, describe_padding(array->name, paddings[i]), edits, target->launch.dynamic_bytes);
    form->is_safe = array->use == SMB_DECLARED_INDEXED;
    g_ptr_array_add(forms, form);
  }
}

static gboolean
gains(const SmbAdviseWritten *written, const SmbAdvisePadding *form) {
  return smb_advise_compiled_gains(written->now, form->compiled);
}

static void
recommend(SmbAdviseWritten *written, const SmbAdvisePadding *form) {
  if (!written->best || smb_advise_compiled_order(form->compiled, written->best->compiled) < 0)
    written->best = form;
}

// The first of these forms that gains, and does the same; or NULL.
static SmbAdvisePadding *
find_right(Trials *trials, const GPtrArray *forms) {
  for (guint i = 0; i < forms->len; i++) {
    SmbAdvisePadding *form = g_ptr_array_index(forms, i);
    if (!gains(trials->written, form))
      return NULL;
    if (form->is_safe || leaves_same(trials, form))
      return form;
    g_ptr_array_add(trials->written->unlike, g_strdup(form->name));
  }
  return NULL;
}

// Adds the edits of a form to those of others. FALSE: both change one place.
static gboolean
add_edits(GArray *edits, const SmbAdvisePadding *form) {
  for (guint i = 0; i < form->edits->len; i++) {
    SmbEdit edit = g_array_index(form->edits, SmbEdit, i);
    edit.text = g_strdup(edit.text);
    g_array_append_val(edits, edit);
  }
  smb_edits_sort(edits);
  for (guint i = 1; i < edits->len; i++) {
    const SmbEdit *before = &g_array_index(edits, SmbEdit, i - 1);
    if (before->offset + before->length > g_array_index(edits, SmbEdit, i).offset)
      return FALSE;
  }
  return TRUE;
}

// Forms of several arrays in one text (transfer full) (nullable). @forms: SmbAdvisePadding, in the order of the text
static SmbAdvisePadding *
join_forms(const SmbAdviseWritten *written, const SmbTarget *target, const GPtrArray *forms) {
  g_autoptr(GString) name = g_string_new(NULL);
  g_autoptr(GString) condition = g_string_new(NULL);
  g_autoptr(GArray) edits = smb_edits_new();
  gsize dynamic_bytes = target->launch.dynamic_bytes;
  gboolean is_safe = TRUE;
  for (guint i = 0; i < forms->len; i++) {
    const SmbAdvisePadding *form = g_ptr_array_index(forms, i);
    g_string_append_printf(name, "%s%s", i ? ", " : "", form->name);
    if (form->condition)
      g_string_append_printf(condition, "%s%s", condition->len ? " and " : "", form->condition);
    dynamic_bytes += form->compiled->dynamic_bytes - target->launch.dynamic_bytes;
    is_safe = is_safe && form->is_safe;
    if (!add_edits(edits, form))
      return NULL;
  }
  SmbAdvisePadding *together =
      smb_advise_padding_new(written, g_strdup(name->str), g_steal_pointer(&edits), dynamic_bytes);
  together->is_safe = is_safe;
  together->condition = condition->len ? g_strdup(condition->str) : NULL;
  return together;
}

// The forms of an array, and the best one that gains and is right.
typedef struct {
  GPtrArray *forms;        // SmbAdvisePadding: of each array, the best first
  SmbAdvisePadding *right; // or NULL
} Tried;

static void
tried_clear(gpointer data) {
  Tried *tried = data;
  g_ptr_array_unref(tried->forms);
}

// How many of the first @n arrays have a form that gains.
static gint
count_right(const GArray *all, guint n) {
  gint right = 0;
  for (guint i = 0; i < n; i++)
    right += g_array_index(all, Tried, i).right != NULL;
  return right;
}

// Adds the best forms of all arrays that gain, and, beside them, each form of another array that takes fewer wavefronts: what gains nothing alone may
// gain where something else no longer limits.
static void
add_joined(const Trials *trials, const GArray *all, GPtrArray *joined) {
  g_autoptr(GPtrArray) gaining = g_ptr_array_new();
  for (guint i = 0; i < all->len; i++) {
    if (g_array_index(all, Tried, i).right)
      g_ptr_array_add(gaining, g_array_index(all, Tried, i).right);
  }
  SmbAdvisePadding *together =
      gaining->len > 1 ? join_forms(trials->written, trials->target, gaining) : NULL;
  if (together)
    g_ptr_array_add(joined, together);
  for (guint i = 0; gaining->len > 0 && i < all->len; i++) {
    const Tried *tried = &g_array_index(all, Tried, i);
    for (guint j = 0; !tried->right && j < MIN(tried->forms->len, MAX_JOINED); j++) {
      SmbAdvisePadding *form = g_ptr_array_index(tried->forms, j);
      g_autoptr(GPtrArray) beside = g_ptr_array_copy(gaining, NULL, NULL);
      if (form->compiled->total.wavefronts >= trials->written->now->total.wavefronts)
        continue;
      g_ptr_array_insert(beside, count_right(all, i), form);
      together = join_forms(trials->written, trials->target, beside);
      if (together)
        g_ptr_array_add(joined, together);
    }
  }
}

// Tries forms of several arrays together. What beats none of an array alone is not shown, but for the best of each.
static void
try_together(Trials *trials, const GArray *all) {
  SmbAdviseWritten *written = trials->written;
  g_autoptr(GPtrArray) joined =
      g_ptr_array_new_with_free_func((GDestroyNotify)smb_advise_padding_free);
  add_joined(trials, all, joined);
  gboolean has_best = count_right(all, all->len) > 1 && joined->len > 0;
  const SmbAdvisePadding *best = has_best ? g_ptr_array_index(joined, 0) : NULL;
  compile_written_forms(trials, joined);
  g_ptr_array_sort(joined, compare_forms);
  while (joined->len > 0) {
    SmbAdvisePadding *form = g_ptr_array_steal_index(joined, 0);
    gboolean better =
        gains(written, form) &&
        (!written->best || smb_advise_compiled_order(form->compiled, written->best->compiled) < 0);
    if (better && (form->is_safe || leaves_same(trials, form)))
      written->best = form;
    if (form == best || form == written->best)
      g_ptr_array_add(written->forms, form);
    else
      smb_advise_padding_free(form);
  }
}

// What is known of the forms of an array, once they are compiled: those that change wavefronts are kept, the best first.
static void
choose_right(Trials *trials, Tried *tried) {
  SmbAdviseWritten *written = trials->written;
  for (guint i = tried->forms->len; i-- > 0;) {
    const SmbAdvisePadding *form = g_ptr_array_index(tried->forms, i);
    if (form->compiled->failure)
      g_ptr_array_add(written->failed, g_strdup(form->name));
    if (form->compiled->failure ||
        form->compiled->total.wavefronts == written->now->total.wavefronts)
      g_ptr_array_remove_index(tried->forms, i);
  }
  g_ptr_array_sort(tried->forms, compare_forms);
  tried->right = find_right(trials, tried->forms);
  if (tried->right)
    recommend(written, tried->right);
  g_ptr_array_set_free_func(tried->forms, NULL);
  for (guint i = 0; i < tried->forms->len; i++)
    g_ptr_array_add(written->forms, g_ptr_array_index(tried->forms, i));
}

// The array of a report that the text has under a name, or NULL.
static const SmbAdviseArray *
find_advised(const SmbAdviseReport *report, const char *name) {
  for (guint i = 0; report->text && i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    if (strcmp(array->search->use->array->name, name) == 0)
      return array;
  }
  return NULL;
}

// Whether an array of that name has a tile, or may have one, since machine code names all static memory together ("shared"). No padding in the text
// may change a tile: its descriptions are elsewhere.
static gboolean
has_tile(const SmbAdviseReport *report, const char *name) {
  for (guint i = 0; i < report->uses->all->len; i++) {
    const SmbArrayUse *use = g_ptr_array_index(report->uses->all, i);
    const char *whole = use->array->variable ? use->array->variable : use->array->name;
    if (use->tile && (strcmp(whole, name) == 0 || strcmp(whole, "shared") == 0))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_declared(const GArray *declared, const char *name) {
  for (guint i = 0; i < declared->len; i++) {
    if (strcmp(g_array_index(declared, SmbDeclared, i).name, name) == 0)
      return TRUE;
  }
  return FALSE;
}

// Adds an array: in longer rows, if it is declared with rows, and as a search found it, if it is rewritten. One of both is NULL at most.
static void
add_array(Trials *trials, const SmbAdviseReport *report, const SmbDeclared *declared,
          const SmbAdviseArray *advised, GArray *all) {
  SmbAdviseWritten *written = trials->written;
  Tried tried = {g_ptr_array_new_with_free_func((GDestroyNotify)smb_advise_padding_free), NULL};
  if (declared && declared->use != SMB_DECLARED_OTHER)
    add_paddings(written, trials->target, declared, tried.forms);
  guint n_paddings = tried.forms->len;
  if (advised)
    smb_advise_add_rewritten(report, written, advised, tried.forms);
  if (tried.forms->len > n_paddings)
    g_ptr_array_add(written->rewritten, g_strdup(advised->search->use->array->name));
  if (tried.forms->len == 0 && declared)
    g_ptr_array_add(written->left_alone, g_strdup(declared->name));
  g_array_append_val(all, tried);
}

static void
try_arrays(SmbAdviseWritten *written, const SmbAdviseReport *report, const SmbTarget *target) {
  g_autoptr(GArray) declared = smb_declared_new(written->source);
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Tried));
  g_autoptr(GPtrArray) forms = g_ptr_array_new();
  g_auto(Trials) trials = {.written = written, .target = target, .arch = report->arch};
  g_array_set_clear_func(all, tried_clear);
  for (guint i = 0; i < MIN(declared->len, MAX_ARRAYS); i++) {
    const SmbDeclared *array = &g_array_index(declared, SmbDeclared, i);
    if (!has_tile(report, array->name))
      add_array(&trials, report, array, find_advised(report, array->name), all);
  }
  for (guint i = 0; report->text && i < MIN(report->arrays->len, MAX_ARRAYS); i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    const char *name = array->search->use->array->name;
    if (!is_declared(declared, name) && !has_tile(report, name))
      add_array(&trials, report, NULL, array, all);
  }
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_extend(forms, g_array_index(all, Tried, i).forms, NULL, NULL);
  compile_written_forms(&trials, forms);
  for (guint i = 0; i < all->len; i++)
    choose_right(&trials, &g_array_index(all, Tried, i));
  try_together(&trials, all);
}

SmbAdviseWritten *
smb_advise_written_new(const SmbAdviseReport *report, const SmbTarget *target,
                       const SmbAnalysis *analysis) {
  if (smb_analysis_total(analysis).excess == 0 || smb_analyze_uncounted(analysis) > 0 ||
      smb_advise_is_free(report))
    return NULL;
  SmbSource *source = report->text ? smb_source_ref(smb_program_source(report->text->kernel))
                                   : read_written_source(target);
  if (!source)
    return NULL;
  SmbAdviseWritten *written = g_new0(SmbAdviseWritten, 1);
  written->source = source;
  written->now = report->present;
  written->forms = g_ptr_array_new_with_free_func((GDestroyNotify)smb_advise_padding_free);
  written->tried = g_ptr_array_new_with_free_func(g_free);
  written->failed = g_ptr_array_new_with_free_func(g_free);
  written->matrices = g_ptr_array_new_with_free_func(g_free);
  written->rewritten = g_ptr_array_new_with_free_func(g_free);
  written->left_alone = g_ptr_array_new_with_free_func(g_free);
  written->unlike = g_ptr_array_new_with_free_func(g_free);
  try_arrays(written, report, target);
  return written;
}
