// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/prove.h"

#include "sim/arch/arch.h"
#include "sim/arch/words.h"

// Whether no other part of dynamic memory lies behind an array.
static gboolean
is_last(const SmbAdviseReport *report, const SmbArray *array) {
  for (guint i = 0; i < report->uses->all->len; i++) {
    const SmbArrayUse *use = g_ptr_array_index(report->uses->all, i);
    if (use->array->is_carved && use->array->base > array->base)
      return FALSE;
  }
  return TRUE;
}

SmbRewriteArray
smb_advise_describe_rewrite(const SmbAdviseReport *report, const SmbAdvice *search,
                            const SmbCandidate *candidate) {
  const SmbArray *array = search->use->array;
  return (SmbRewriteArray){array, search->use->bytes, search->original->layout, candidate->layout,
                           is_last(report, array)};
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

static gboolean
is_cheaper(const SmbAdviseArray *array, const SmbAdviseLayout *layout) {
  return layout->candidate->total.wavefronts < array->now->candidate->total.wavefronts ||
         layout->merged.wavefronts < array->now->merged.wavefronts;
}

// What takes more than a static array may: a rewriting would have to change where the array comes from.
static SmbProof *
refuse_static(const SmbAdviseReport *report, const SmbArray *array) {
  SmbProof *proof = g_new0(SmbProof, 1);
  proof->launch = report->target->launch;
  proof->failure = g_strdup_printf(
      smb_arch_say(
          report->arch,
          "a block has at most %u bytes of static shared memory: declare %s as a one-dimensional "
          "extern array, and launch with dynamic shared memory that cudaFuncSetAttribute allows"),
      smb_arch_info(report->arch)->static_shared_bytes, array->name);
  return proof;
}

void
smb_advise_prove_kinds(const SmbAdviseReport *report, SmbAdviseArray *array) {
  const SmbAdviseLayout *best = NULL;
  SmbOriginal original = describe_original(report);
  for (guint i = 0; i < array->layouts->len; i++) {
    SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    gboolean wanted =
        layout->kind != SMB_ADVISE_BOTH || !best || smb_advise_layout_order(layout, best) < 0;
    if (!layout->is_first || !wanted || !is_cheaper(array, layout))
      continue;
    SmbRewriteArray rewrite = smb_advise_describe_rewrite(report, array->search, layout->candidate);
    g_autofree guint64 *expected = present_wavefronts(report->analysis);
    add_change(expected, array->search, layout->candidate);
    layout->proof = layout->fits == SMB_ADVISE_OPT_IN && !rewrite.array->is_dynamic
                        ? refuse_static(report, rewrite.array)
                        : smb_proof_choose(&original, &rewrite, expected);
    if (!best && smb_proof_holds(layout->proof))
      best = layout;
  }
}

// A layout for each of several arrays, in one kernel.
typedef struct {
  GPtrArray *layouts; // SmbAdviseLayout: of each array; NULL: it stays as it is
  SmbProof *proof;
  SmbAdviseCompiled *compiled; // or NULL
} Joined;

static void
joined_free(gpointer data) {
  Joined *joined = data;
  g_ptr_array_unref(joined->layouts);
  smb_proof_free(joined->proof);
  smb_advise_compiled_free(joined->compiled);
  g_free(joined);
}

// The best layout of an array; @kind: of that kind, even if it alone gains nothing but wavefronts: where arrays lie alike, their indices are
// computed once for all. @vector_bytes: of those that keep vectors of so many bytes whole, even if it alone gains nothing; 0: any.
static const SmbAdviseLayout *
choose_layout(const SmbAdviseReport *report, const SmbAdviseArray *array, SmbAdviseKinds kind,
              guint vector_bytes) {
  if (!kind)
    return smb_advise_proven(report, array);
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    const SmbAdviseCompiled *compiled = layout->compiled;
    if (layout->kind == kind && layout->vector_bytes >= vector_bytes &&
        smb_proof_holds(layout->proof) && compiled && !compiled->failure &&
        (vector_bytes || compiled->total.wavefronts < report->now->total.wavefronts))
      return layout;
  }
  return NULL;
}

static gboolean
are_same(const GPtrArray *a, const GPtrArray *b) {
  for (guint i = 0; i < a->len; i++) {
    if (g_ptr_array_index(a, i) != g_ptr_array_index(b, i))
      return FALSE;
  }
  return TRUE;
}

// Adds the kernel with a layout for each array, if several have one, and these are not among those that are known.
static void
join_layouts(const SmbAdviseReport *report, SmbAdviseKinds kind, guint vector_bytes,
             GPtrArray *known) {
  g_autoptr(GPtrArray) layouts = g_ptr_array_new();
  g_autoptr(GArray) rewrites = g_array_new(FALSE, FALSE, sizeof(SmbRewriteArray));
  g_autofree guint64 *expected = present_wavefronts(report->analysis);
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    const SmbAdviseLayout *layout = choose_layout(report, array, kind, vector_bytes);
    g_ptr_array_add(layouts, (gpointer)layout);
    if (!layout)
      continue;
    SmbRewriteArray rewrite = smb_advise_describe_rewrite(report, array->search, layout->candidate);
    rewrite.form = layout->proof->form;
    g_array_append_val(rewrites, rewrite);
    add_change(expected, array->search, layout->candidate);
  }
  for (guint i = 0; i < known->len; i++) {
    if (are_same(((const Joined *)g_ptr_array_index(known, i))->layouts, layouts))
      return;
  }
  if (rewrites->len <= 1)
    return;
  SmbOriginal original = describe_original(report);
  Joined *joined = g_new0(Joined, 1);
  joined->layouts = g_steal_pointer(&layouts);
  joined->proof = smb_proof_rewrite(&original, (const SmbRewriteArray *)rewrites->data,
                                    rewrites->len, expected);
  g_ptr_array_add(known, joined);
}

// Whether one is better than another: as compiled; else what was first.
static gboolean
is_joined_better(const Joined *a, const Joined *b) {
  if (smb_proof_holds(a->proof) != smb_proof_holds(b->proof))
    return smb_proof_holds(a->proof);
  return smb_advise_compiled_order(a->compiled, b->compiled) < 0;
}

void
smb_advise_prove_together(SmbAdviseReport *report) {
  static const guint vectors[] = {0, SMB_ADVISE_MIN_VECTOR, SMB_MAX_WIDTH};
  gboolean compiles = report->now && !report->now->failure;
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(joined_free);
  g_autoptr(GPtrArray) forms = g_ptr_array_new();
  join_layouts(report, 0, 0, all);
  for (guint i = 0; compiles && i < G_N_ELEMENTS(vectors); i++) {
    join_layouts(report, SMB_ADVISE_PAD, vectors[i], all);
    join_layouts(report, SMB_ADVISE_SWIZZLE, vectors[i], all);
  }
  Joined *best = NULL;
  for (guint i = 0; compiles && i < all->len; i++) {
    Joined *joined = g_ptr_array_index(all, i);
    if (!smb_proof_holds(joined->proof))
      continue;
    joined->compiled =
        smb_advise_compiled_new(joined->proof->text, joined->proof->launch.dynamic_bytes);
    g_ptr_array_add(forms, joined->compiled);
  }
  if (forms->len > 0)
    smb_advise_compile(report->target, report->arch, smb_program_source(report->target->kernel),
                       report->now, forms);
  for (guint i = 0; i < all->len; i++) {
    Joined *joined = g_ptr_array_index(all, i);
    if (!best || is_joined_better(joined, best))
      best = joined;
  }
  if (!best)
    return;
  report->joined = g_ptr_array_ref(best->layouts);
  report->together = g_steal_pointer(&best->proof);
  report->compiled = g_steal_pointer(&best->compiled);
}
