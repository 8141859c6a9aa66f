// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/written.h"

#include <string.h>

#include "sim/cuda/rewrite/declared.h"
#include "src/analysis/verdict.h"

// Elements that rows are made longer by, and arrays that are looked at.
static const guint paddings[] = {1, 2, 4, 8};
enum {
  LDM_PADDING = 8, // of a matrix of wmma: 16 bytes of halves
  MAX_ARRAYS = 16,
  PIECE_BYTES = 1 << 16 // that are compared at once
};

static void
padding_free(gpointer data) {
  SmbAdvisePadding *form = data;
  g_free(form->name);
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
  g_ptr_array_unref(written->matrices);
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

// Takes @name and @edits.
static SmbAdvisePadding *
padding_new(const SmbAdviseWritten *written, const SmbTarget *target, char *name, GArray *edits) {
  SmbAdvisePadding *form = g_new0(SmbAdvisePadding, 1);
  form->name = name;
  form->edits = edits;
  smb_edits_sort(edits);
  g_autofree char *text = smb_rewrite_apply(written->source, edits);
  form->compiled = smb_advise_compiled_new(text, target->launch.dynamic_bytes);
  return form;
}

static void
compile_written_form(SmbAdviseWritten *written, const SmbTarget *target, const SmbArch *arch,
                     const GPtrArray *forms) {
  g_autoptr(GPtrArray) compiled = g_ptr_array_new();
  for (guint i = 0; i < forms->len; i++)
    g_ptr_array_add(compiled, ((const SmbAdvisePadding *)g_ptr_array_index(forms, i))->compiled);
  smb_advise_compile(target, arch, written->now, compiled);
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

// @shares: (nullable): of the run that it is compared with
static gboolean
run_form(Run *run, const SmbTarget *target, const SmbArch *arch, const char *text, GArray *shares) {
  g_auto(GStrv) buffers = fill_buffers(target);
  SmbTarget filled = *target;
  filled.buffers = buffers;
  filled.launch.buffers = NULL; // those are read again
  run->target = smb_target_with_text(&filled, text, target->launch.dynamic_bytes, arch, NULL);
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

// Whether a form leaves what the kernel leaves as it is.
static gboolean
leaves_same(const SmbAdviseWritten *written, SmbAdvisePadding *form, const SmbTarget *target,
            const SmbArch *arch) {
  g_auto(Run) before = {0}, now = {0};
  if (!run_form(&before, target, arch, smb_source_text(written->source), NULL) ||
      !run_form(&now, target, arch, form->compiled->text, before.analysis->shares))
    return FALSE;
  for (guint i = 0; i < smb_program_n_parameters(before.target->kernel); i++) {
    if (!smb_launch_is_pointer(&before.target->launch, before.target->kernel, i))
      continue;
    gint64 bytes = compare_written_buffer(&before, &now, i);
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

// The paddings of one array, the best first; those that change no wavefronts are left out.
static GPtrArray *
pad_array(SmbAdviseWritten *written, const SmbTarget *target, const SmbArch *arch,
          const SmbDeclared *array) {
  GPtrArray *forms = g_ptr_array_new_with_free_func(padding_free);
  for (guint i = 0; i < G_N_ELEMENTS(paddings); i++) {
    if (is_matrix(array) && paddings[i] % LDM_PADDING != 0)
      continue;
    GArray *edits = smb_edits_new();
    smb_declared_pad(array, paddings[i], edits);
    g_ptr_array_add(forms,
                    padding_new(written, target,
                                g_strdup_printf("%s: pad %u", array->name, paddings[i]), edits));
  }
  compile_written_form(written, target, arch, forms);
  for (guint i = forms->len; i-- > 0;) {
    const SmbAdvisePadding *form = g_ptr_array_index(forms, i);
    if (form->compiled->failure ||
        form->compiled->total.wavefronts == written->now->total.wavefronts)
      g_ptr_array_remove_index(forms, i);
  }
  g_ptr_array_sort(forms, compare_forms);
  return forms;
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
find_right(SmbAdviseWritten *written, const SmbTarget *target, const SmbArch *arch,
           const GPtrArray *forms, SmbDeclaredUse use) {
  for (guint i = 0; i < forms->len; i++) {
    SmbAdvisePadding *form = g_ptr_array_index(forms, i);
    if (!gains(written, form))
      return NULL;
    if (use == SMB_DECLARED_INDEXED || leaves_same(written, form, target, arch))
      return form;
    g_ptr_array_add(written->unlike, g_strdup(form->name));
  }
  return NULL;
}

// The best of several arrays, in one text. @gaining: SmbAdvisePadding, in the order of the text
static void
pad_together(SmbAdviseWritten *written, const SmbTarget *target, const SmbArch *arch,
             const GPtrArray *gaining, SmbDeclaredUse use) {
  g_autoptr(GString) name = g_string_new(NULL);
  GArray *edits = smb_edits_new();
  for (guint i = 0; i < gaining->len; i++) {
    const SmbAdvisePadding *form = g_ptr_array_index(gaining, i);
    g_string_append_printf(name, "%s%s", i ? ", " : "", form->name);
    for (guint j = 0; j < form->edits->len; j++) {
      SmbEdit edit = g_array_index(form->edits, SmbEdit, j);
      edit.text = g_strdup(edit.text);
      g_array_append_val(edits, edit);
    }
  }
  g_autoptr(GPtrArray) forms = g_ptr_array_new();
  SmbAdvisePadding *together = padding_new(written, target, g_strdup(name->str), edits);
  g_ptr_array_add(forms, together);
  g_ptr_array_add(written->forms, together);
  compile_written_form(written, target, arch, forms);
  if (find_right(written, target, arch, forms, use))
    recommend(written, together);
}

static void
pad_arrays(SmbAdviseWritten *written, const SmbTarget *target, const SmbArch *arch,
           const GArray *arrays) {
  g_autoptr(GPtrArray) gaining = g_ptr_array_new();
  SmbDeclaredUse uses = SMB_DECLARED_INDEXED;
  for (guint i = 0; i < MIN(arrays->len, MAX_ARRAYS); i++) {
    const SmbDeclared *array = &g_array_index(arrays, SmbDeclared, i);
    if (array->use == SMB_DECLARED_OTHER) {
      g_ptr_array_add(written->left_alone, g_strdup(array->name));
      continue;
    }
    g_ptr_array_add(written->tried, g_strdup(array->name));
    if (is_matrix(array))
      g_ptr_array_add(written->matrices, g_strdup(array->name));
    g_autoptr(GPtrArray) forms = pad_array(written, target, arch, array);
    SmbAdvisePadding *right = find_right(written, target, arch, forms, array->use);
    if (right) {
      recommend(written, right);
      g_ptr_array_add(gaining, right);
      uses = MAX(uses, array->use);
    }
    g_ptr_array_set_free_func(forms, NULL);
    g_ptr_array_extend(written->forms, forms, NULL, NULL);
  }
  if (gaining->len > 1)
    pad_together(written, target, arch, gaining, uses);
}

SmbAdviseWritten *
smb_advise_written_new(const SmbTarget *target, const SmbArch *arch, const SmbAnalysis *analysis,
                       SmbAdviseCompiled *now) {
  if (smb_analysis_total(analysis).excess == 0 || smb_analyze_uncounted(analysis) > 0)
    return NULL;
  SmbSource *source = read_written_source(target);
  if (!source)
    return NULL;
  SmbAdviseWritten *written = g_new0(SmbAdviseWritten, 1);
  written->source = source;
  written->now = now;
  written->forms = g_ptr_array_new_with_free_func(padding_free);
  written->tried = g_ptr_array_new_with_free_func(g_free);
  written->matrices = g_ptr_array_new_with_free_func(g_free);
  written->left_alone = g_ptr_array_new_with_free_func(g_free);
  written->unlike = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) arrays = smb_declared_new(source);
  pad_arrays(written, target, arch, arrays);
  return written;
}
