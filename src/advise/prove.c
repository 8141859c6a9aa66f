// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/prove.h"

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "src/advise/mode.h"

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
    if (!layout->is_first || !wanted || !is_cheaper(array, layout) || smb_advise_is_mode(layout))
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

enum {
  MAX_PAIRED = 4, // layouts of each of two arrays that are tried together
};

// A layout for each of several arrays, in one kernel.
typedef struct {
  GPtrArray *layouts; // SmbAdviseLayout: of each array; NULL: it stays as it is
  GArray *rewrites;   // SmbRewriteArray
  guint64 *expected;  // what each access is to cost
  SmbProof *proof;
  SmbAdviseCompiled *compiled; // or NULL
  gboolean is_checked;
  gboolean is_wanted; // what is shown even if it gains nothing
} Joined;

static void
joined_free(gpointer data) {
  Joined *joined = data;
  g_ptr_array_unref(joined->layouts);
  g_array_unref(joined->rewrites);
  g_free(joined->expected);
  smb_proof_free(joined->proof);
  smb_advise_compiled_free(joined->compiled);
  g_free(joined);
}

// Whether layouts of a kind are tried together even if one of them gains nothing but wavefronts alone: where arrays lie alike, their indices are
// computed once for all. @vector_bytes: of those that keep vectors of so many bytes whole, even if it alone gains nothing; 0: any.
static gboolean
is_alike(const SmbAdviseReport *report, const SmbAdviseLayout *layout, SmbAdviseKinds kind,
         guint vector_bytes) {
  const SmbAdviseCompiled *compiled = layout->compiled;
  return layout->kind == kind && layout->vector_bytes >= vector_bytes &&
         smb_proof_holds(layout->proof) &&
         (!report->now ||
          (compiled && !compiled->failure &&
           (vector_bytes || compiled->total.wavefronts < report->now->total.wavefronts)));
}

// The best layout of an array; @kind: the best of those that are alike; 0: that which gains most.
static const SmbAdviseLayout *
choose_layout(const SmbAdviseReport *report, const SmbAdviseArray *array, SmbAdviseKinds kind,
              guint vector_bytes) {
  if (!kind)
    return smb_advise_proven(report, array);
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (is_alike(report, layout, kind, vector_bytes))
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

// The kernel with these layouts, unless fewer than two arrays have one. @writes: whether it is written if it was not. (transfer none) (nullable)
static Joined *
find_joined(const SmbAdviseReport *report, GPtrArray *layouts, gboolean writes) {
  GPtrArray *known = report->joins;
  guint n = 0;
  for (guint i = 0; i < layouts->len; i++)
    n += g_ptr_array_index(layouts, i) != NULL;
  for (guint i = 0; i < known->len; i++) {
    if (are_same(((const Joined *)g_ptr_array_index(known, i))->layouts, layouts))
      return g_ptr_array_index(known, i);
  }
  if (n <= 1 || !writes)
    return NULL;
  Joined *joined = g_new0(Joined, 1);
  joined->layouts = g_ptr_array_ref(layouts);
  joined->rewrites = g_array_new(FALSE, FALSE, sizeof(SmbRewriteArray));
  joined->expected = present_wavefronts(report->analysis);
  for (guint i = 0; i < layouts->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    const SmbAdviseLayout *layout = g_ptr_array_index(layouts, i);
    if (!layout)
      continue;
    SmbRewriteArray rewrite = smb_advise_describe_rewrite(report, array->search, layout->candidate);
    rewrite.form = layout->proof->form;
    g_array_append_val(joined->rewrites, rewrite);
    add_change(joined->expected, array->search, layout->candidate);
  }
  const SmbOriginal original = describe_original(report);
  joined->proof = smb_proof_write(&original, (const SmbRewriteArray *)joined->rewrites->data,
                                  joined->rewrites->len);
  g_ptr_array_add(known, joined);
  return joined;
}

// The kernel with the best layout of each array. (transfer none) (nullable)
static Joined *
join_best(const SmbAdviseReport *report, SmbAdviseKinds kind, guint vector_bytes, gboolean writes) {
  g_autoptr(GPtrArray) layouts = g_ptr_array_new();
  for (guint i = 0; i < report->arrays->len; i++)
    g_ptr_array_add(layouts, (gpointer)choose_layout(report, g_ptr_array_index(report->arrays, i),
                                                     kind, vector_bytes));
  return find_joined(report, layouts, writes);
}

// Joins what lies alike. @wanted: whether it is shown even if it gains nothing
static void
join_alike(const SmbAdviseReport *report, gboolean wanted, gboolean writes) {
  static const guint vectors[] = {0, SMB_ADVISE_MIN_VECTOR, SMB_MAX_WIDTH};
  static const SmbAdviseKinds kinds[] = {SMB_ADVISE_PAD, SMB_ADVISE_SWIZZLE};
  for (guint i = 0; i < G_N_ELEMENTS(vectors); i++) {
    for (guint j = 0; j < G_N_ELEMENTS(kinds); j++) {
      Joined *joined = join_best(report, kinds[j], vectors[i], writes);
      if (joined && wanted)
        joined->is_wanted = TRUE;
    }
  }
}

// The layouts of an array that can be written, MAX_PAIRED at most (transfer full).
static GPtrArray *
find_written(const SmbAdviseArray *array) {
  GPtrArray *written = g_ptr_array_new();
  for (guint i = 0; i < array->layouts->len && written->len < MAX_PAIRED; i++) {
    SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (smb_proof_holds(layout->proof))
      g_ptr_array_add(written, layout);
  }
  return written;
}

// Joins each layout of one array with each of the other: what gains nothing alone may gain beside another.
static void
join_pair(const SmbAdviseReport *report, guint first, guint second) {
  g_autoptr(GPtrArray) of_first = find_written(g_ptr_array_index(report->arrays, first));
  g_autoptr(GPtrArray) of_second = find_written(g_ptr_array_index(report->arrays, second));
  for (guint i = 0; i < of_first->len; i++) {
    for (guint j = 0; j < of_second->len; j++) {
      g_autoptr(GPtrArray) layouts = g_ptr_array_new();
      g_ptr_array_set_size(layouts, (gint)report->arrays->len);
      layouts->pdata[first] = of_first->pdata[i];
      layouts->pdata[second] = of_second->pdata[j];
      find_joined(report, layouts, TRUE);
    }
  }
}

// Adds what is yet to be compiled.
static void
add_joined_forms(const SmbAdviseReport *report, GPtrArray *forms) {
  for (guint i = 0; i < report->joins->len; i++) {
    Joined *joined = g_ptr_array_index(report->joins, i);
    if (!smb_proof_holds(joined->proof) || joined->compiled)
      continue;
    joined->compiled =
        smb_advise_compiled_new(joined->proof->text, joined->proof->launch.dynamic_bytes);
    g_ptr_array_add(forms, joined->compiled);
  }
}

void
smb_advise_join(SmbAdviseReport *report, GPtrArray *forms) {
  guint changing[2] = {0}, n = 0;
  for (guint i = 0; i < report->arrays->len; i++) {
    g_autoptr(GPtrArray) written = find_written(g_ptr_array_index(report->arrays, i));
    if (written->len > 0 && n < 2)
      changing[n] = i;
    n += written->len > 0;
  }
  if (n == 2)
    join_pair(report, changing[0], changing[1]);
  else
    join_alike(report, FALSE, TRUE);
  add_joined_forms(report, forms);
}

// Compiles what was not before it was known what gains.
static void
compile_joined(const SmbAdviseReport *report) {
  g_autoptr(GPtrArray) forms = g_ptr_array_new();
  add_joined_forms(report, forms);
  if (forms->len > 0)
    smb_advise_compile(report->target, report->arch, smb_program_source(report->target->kernel),
                       report->now, forms);
}

// Whether a form holds, which is found out when it is asked for.
static gboolean
does_hold(const SmbAdviseReport *report, Joined *joined) {
  const SmbOriginal original = describe_original(report);
  if (!joined->is_checked)
    smb_proof_check(joined->proof, &original, (const SmbRewriteArray *)joined->rewrites->data,
                    joined->rewrites->len, joined->expected);
  joined->is_checked = TRUE;
  return smb_proof_holds(joined->proof);
}

static int
compare_joined(gconstpointer a, gconstpointer b) {
  const Joined *x = *(const Joined *const *)a, *y = *(const Joined *const *)b;
  return smb_advise_compiled_order(x->compiled, y->compiled);
}

// Whether it is faster than the kernel with another layout of one array alone.
static gboolean
beats_single(const SmbAdviseReport *report, const Joined *joined) {
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseLayout *layout = smb_advise_proven(report, g_ptr_array_index(report->arrays, i));
    if (layout && smb_advise_compiled_order(layout->compiled, joined->compiled) <= 0)
      return FALSE;
  }
  return !smb_advise_is_worse(report, joined->compiled);
}

// The best one that holds, or, if none does, one that says why.
static Joined *
find_best_joined(const SmbAdviseReport *report) {
  Joined *failed = NULL;
  for (guint i = 0; i < report->joins->len; i++) {
    Joined *joined = g_ptr_array_index(report->joins, i);
    if (!joined->is_wanted && (!joined->compiled || !beats_single(report, joined)))
      continue;
    if (does_hold(report, joined))
      return joined;
    failed = failed || !joined->is_wanted ? failed : joined;
  }
  return failed;
}

// Whether a layout of one array alone gains: if none does, nothing more is written.
static gboolean
gains_alone(const SmbAdviseReport *report) {
  for (guint i = 0; i < report->arrays->len; i++) {
    if (smb_advise_proven(report, g_ptr_array_index(report->arrays, i)))
      return TRUE;
  }
  return FALSE;
}

void
smb_advise_prove_together(SmbAdviseReport *report) {
  gboolean compiles = report->now && !report->now->failure;
  Joined *best = join_best(report, 0, 0, TRUE);
  if (best)
    best->is_wanted = TRUE;
  if (compiles) {
    join_alike(report, TRUE, gains_alone(report));
    compile_joined(report);
    g_ptr_array_sort(report->joins, compare_joined);
  }
  best = find_best_joined(report);
  if (!best)
    return;
  report->joined = g_ptr_array_ref(best->layouts);
  report->together = g_steal_pointer(&best->proof);
  report->compiled = g_steal_pointer(&best->compiled);
}

GPtrArray *
smb_advise_joins_new(void) {
  return g_ptr_array_new_with_free_func(joined_free);
}
