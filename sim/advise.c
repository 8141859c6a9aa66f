// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/advise.h"

#include "sim/advise-impl.h"

void
smb_candidate_free(SmbCandidate *candidate) {
  if (!candidate)
    return;
  g_array_unref(candidate->accesses);
  g_free(candidate);
}

void
smb_advice_free(SmbAdvice *advice) {
  if (!advice)
    return;
  smb_candidate_free(advice->original);
  g_ptr_array_unref(advice->best);
  g_free(advice);
}

guint64
advise_elements(const SmbLayout *layout, gsize array_bytes) {
  guint64 places = array_bytes / layout->element_bytes;
  guint64 pitch = layout->columns + layout->pad;
  return places / pitch * layout->columns + MIN(places % pitch, layout->columns);
}

SmbCandidate *
smb_advise_try(const SmbProgram *kernel, const SmbArch *arch, const SmbAnalysis *analysis,
               const SmbArray *array, const SmbLayout *original, gsize array_bytes,
               const SmbLayout *layout) {
  SmbCandidate *candidate = g_new0(SmbCandidate, 1);
  candidate->layout = *layout;
  candidate->bytes = smb_layout_bytes(layout, advise_elements(original, array_bytes));
  candidate->accesses = g_array_new(FALSE, TRUE, sizeof(SmbTally));
  g_array_set_size(candidate->accesses, analysis->accesses->len);
  for (guint i = 0; i < analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
    SmbRequest moved;
    Asks asks = advise_asks(kernel, array, &made->request);
    if (asks == ASKS_NOTHING)
      continue;
    candidate->fit = asks == ASKS_MIXED
                         ? SMB_LAYOUT_OUTSIDE
                         : smb_layout_move(original, layout, array->base, &made->request, &moved);
    if (candidate->fit != SMB_LAYOUT_FITS) {
      candidate->misfit_access = made->access;
      candidate->total = (SmbTally){0};
      g_array_set_size(candidate->accesses, 0);
      g_array_set_size(candidate->accesses, analysis->accesses->len);
      break;
    }
    SmbWavefronts cost = smb_wavefronts_count(arch, &moved);
    smb_tally_count_times(&g_array_index(candidate->accesses, SmbTally, made->access), &cost,
                          made->count);
    smb_tally_count_times(&candidate->total, &cost, made->count);
  }
  return candidate;
}

// A layout that fits, and what it costs.
typedef struct {
  SmbLayout layout;
  guint64 wavefronts;
  guint64 bytes;
} Found;

static int
compare_numbers(guint64 a, guint64 b) {
  return a < b ? -1 : a > b;
}

// The better layout first, as SmbAdvice.best says.
static int
compare_found(const Found *a, const Found *b) {
  const SmbLayout *x = &a->layout, *y = &b->layout;
  const int orders[] = {
      compare_numbers(a->wavefronts, b->wavefronts),
      compare_numbers(a->bytes, b->bytes),
      compare_numbers(smb_advise_kind(x), smb_advise_kind(y)),
      compare_numbers(x->pad, y->pad),
      compare_numbers(x->columns, y->columns),
      compare_numbers(x->bits, y->bits),
      compare_numbers(x->base, y->base),
      compare_numbers((guint64)ABS(x->shift), (guint64)ABS(y->shift)),
      compare_numbers(x->shift < 0, y->shift < 0),
  };
  for (guint i = 0; i < G_N_ELEMENTS(orders); i++) {
    if (orders[i] != 0)
      return orders[i];
  }
  return 0;
}

// The best layouts so far.
typedef struct {
  GArray *found; // Found, the best first
  guint keep;
  guint64 least; // wavefronts
  guint64 ties;
} Ranking;

// More wavefronts than this are of no interest.
static guint64
find_limit(const Ranking *ranking) {
  if (ranking->found->len < ranking->keep)
    return G_MAXUINT64;
  return g_array_index(ranking->found, Found, ranking->keep - 1).wavefronts;
}

static void
rank(Ranking *ranking, const Found *found) {
  if (found->wavefronts < ranking->least) {
    ranking->least = found->wavefronts;
    ranking->ties = 0;
  }
  ranking->ties += found->wavefronts == ranking->least;
  guint at = ranking->found->len;
  while (at > 0 && compare_found(found, &g_array_index(ranking->found, Found, at - 1)) < 0)
    at--;
  if (at >= ranking->keep)
    return;
  g_array_insert_vals(ranking->found, at, found, 1);
  if (ranking->found->len > ranking->keep)
    g_array_set_size(ranking->found, ranking->keep);
}

// How far a search may go.
typedef struct {
  guint64 max_bytes;
  guint64 max_counts; // 0: no limit
} Bounds;

// Counts every layout of one strip.
static void
search_strip(SmbAdvice *advice, Demand *demand, const Strip *strip, guint64 n, const Bounds *bounds,
             Ranking *ranking) {
  Found found = {.layout = strip->layout};
  demand_place(demand, &strip->layout);
  for (guint64 pad = strip->first_pad; pad < strip->end_pad; pad++) {
    advice->given_up = bounds->max_counts && demand_counted(demand) > bounds->max_counts;
    if (advice->given_up)
      return;
    found.layout.pad = pad;
    found.bytes = smb_layout_bytes(&found.layout, n);
    advice->searched++;
    if (found.bytes > bounds->max_bytes || !demand_fits(demand, pad)) {
      advice->unfit++;
      continue;
    }
    guint64 limit = find_limit(ranking);
    found.wavefronts = demand_count(demand, pad, limit);
    if (found.wavefronts <= limit)
      rank(ranking, &found);
  }
}

SmbAdvice *
smb_advise_array(const SmbProgram *kernel, const SmbArch *arch, const SmbAnalysis *analysis,
                 const SmbArray *array, gsize array_bytes, const SmbAdviseOptions *options) {
  SmbLayout original = smb_layout_original(kernel, array, array_bytes, options->row, analysis);
  SmbAdviseKinds all = SMB_ADVISE_PAD | SMB_ADVISE_SWIZZLE | SMB_ADVISE_BOTH;
  guint64 n = advise_elements(&original, array_bytes);
  guint64 most = smb_arch_info(arch)->max_shared_bytes;
  Bounds bounds = {most > options->other_bytes ? most - options->other_bytes : 0,
                   options->max_counts};
  SmbCounter counter = options->counter ? *options->counter : smb_counter_best();
  g_autoptr(GArray) space = space_new(arch, &original, n, options->kinds ? options->kinds : all);
  g_autoptr(GArray) kept = g_array_new(FALSE, FALSE, sizeof(Found));
  Ranking ranking = {kept, MAX(options->keep, 1), G_MAXUINT64, 0};

  SmbAdvice *advice = g_new0(SmbAdvice, 1);
  advice->array = array;
  advice->array_bytes = array_bytes;
  advice->original =
      smb_advise_try(kernel, arch, analysis, array, &original, array_bytes, &original);
  advice->original->bytes = array_bytes;
  advice->best = g_ptr_array_new_with_free_func((GDestroyNotify)smb_candidate_free);
  g_autoptr(Demand) demand = demand_new(kernel, arch, analysis, array, &original, counter);
  for (guint i = 0; i < space->len && !advice->given_up; i++) {
    const Strip *strip = &g_array_index(space, Strip, i);
    if (demand) {
      search_strip(advice, demand, strip, n, &bounds, &ranking);
      continue;
    }
    advice->searched += strip->end_pad - strip->first_pad;
    advice->unfit += strip->end_pad - strip->first_pad;
  }
  advice->ties = ranking.ties;
  for (guint i = 0; i < kept->len; i++) {
    const Found *found = &g_array_index(kept, Found, i);
    SmbCandidate *best =
        smb_advise_try(kernel, arch, analysis, array, &original, array_bytes, &found->layout);
    g_ptr_array_add(advice->best, best);
  }
  return advice;
}
