// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The search: which layouts are tried, how each is counted, and which ones are kept.
#include "sim/advise/advise.h"

#include "sim/advise/advise-impl.h"
#include "sim/advise/tile-mode.h"
#include "sim/arch/arch.h"
#include "sim/base/order.h"

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
smb_advise_elements(const SmbLayout *layout, gsize array_bytes) {
  guint64 places = array_bytes / layout->element_bytes;
  guint64 pitch = layout->columns + layout->pad;
  return places / pitch * layout->columns + MIN(places % pitch, layout->columns);
}

SmbAdviseKinds
smb_advise_kind(const SmbLayout *layout) {
  if (layout->bits == 0)
    return SMB_ADVISE_PAD;
  return layout->pad ? SMB_ADVISE_BOTH : SMB_ADVISE_SWIZZLE;
}

// How an array lies, and how it is to lie: either elements, or a tile.
typedef struct {
  guint32 base;
  const SmbLayout *original, *layout;
  const SmbPlacement *tile, *mode;
} Way;

static SmbLayoutFit
move_request(const Way *way, const SmbRequest *request, SmbRequest *moved) {
  return way->mode ? smb_placement_move(way->tile, way->mode, request, moved)
                   : smb_layout_move(way->original, way->layout, way->base, request, moved);
}

// What the requests of an array cost then (transfer full), and nothing else.
static SmbCandidate *
count_way(const SmbArch *arch, const SmbArrayUse *use, const Way *way) {
  guint n_accesses = use->analysis->accesses->len;
  SmbCandidate *candidate = g_new0(SmbCandidate, 1);
  candidate->accesses = g_array_new(FALSE, TRUE, sizeof(SmbTally));
  g_array_set_size(candidate->accesses, n_accesses);
  for (guint i = 0; i < use->requests->len; i++) {
    const SmbArrayRequest *asked = &g_array_index(use->requests, SmbArrayRequest, i);
    const SmbAccessRequest *made = asked->made;
    SmbRequest moved;
    candidate->fit = asked->whole ? move_request(way, &made->request, &moved) : SMB_LAYOUT_OUTSIDE;
    if (candidate->fit != SMB_LAYOUT_FITS) {
      candidate->misfit_access = made->access;
      candidate->total = (SmbTally){0};
      g_array_set_size(candidate->accesses, 0);
      g_array_set_size(candidate->accesses, n_accesses);
      break;
    }
    SmbWavefronts cost = smb_wavefronts_count(arch, &moved);
    smb_tally_count(&g_array_index(candidate->accesses, SmbTally, made->access), &cost,
                    made->count);
    smb_tally_count(&candidate->total, &cost, made->count);
  }
  return candidate;
}

SmbCandidate *
smb_advise_try(const SmbArch *arch, const SmbArrayUse *use, const SmbLayout *original,
               const SmbLayout *layout) {
  const Way way = {.base = use->array->base, .original = original, .layout = layout};
  SmbCandidate *candidate = count_way(arch, use, &way);
  guint64 elements = smb_advise_elements(original, use->bytes);
  guint64 row = elements > layout->columns ? layout->columns * layout->element_bytes : 0;
  candidate->layout = *layout;
  candidate->tensor_span = smb_layout_tensor_span(layout, row);
  candidate->bytes = smb_layout_bytes(layout, elements);
  return candidate;
}

// What comes nearest to a mode among layouts of elements: a swizzle of those in a span, or padding after as many as are @next or @group apart.
static SmbLayout
describe_mode(const SmbPlacement *tile, const SmbPlacement *mode, guint element_bytes) {
  gboolean is_power = (element_bytes & (element_bytes - 1)) == 0;
  guint bytes = is_power && element_bytes <= SMB_PLACED_CHUNK ? element_bytes : 1;
  if (mode->span)
    return (SmbLayout){.element_bytes = bytes,
                       .columns = mode->span / bytes,
                       .bits = (guint)__builtin_ctz(mode->span / SMB_PLACED_CHUNK),
                       .base = (guint)__builtin_ctz(SMB_PLACED_CHUNK / bytes),
                       .shift = 3};
  gboolean is_next = mode->next == tile->next + SMB_PLACED_CHUNK;
  return (SmbLayout){.element_bytes = bytes,
                     .columns = (is_next ? tile->next : tile->group) / bytes,
                     .pad = SMB_PLACED_CHUNK / bytes};
}

static SmbCandidate *
try_mode(const SmbArch *arch, const SmbArrayUse *use, const SmbPlacement *mode) {
  const SmbPlacement *tile = &use->tile->placement;
  const Way way = {.tile = tile, .mode = mode};
  SmbCandidate *candidate = count_way(arch, use, &way);
  candidate->layout = describe_mode(tile, mode, use->array->element_bytes);
  candidate->tensor_span = mode->span;
  candidate->mode = *mode;
  candidate->bytes = use->bytes + smb_placement_bytes(mode) - smb_placement_bytes(tile);
  return candidate;
}

// Elements that fill all banks once: padding by as many more moves every row by a whole row of the banks.
static guint64
find_bank_period(const SmbArch *arch, guint element_bytes) {
  guint row_bytes = smb_arch_info(arch)->row_bytes;
  guint common = element_bytes & (0u - element_bytes); // row_bytes is a power of two
  return row_bytes / MIN(common, row_bytes);
}

// Bits of the highest number of @n elements.
static guint
count_index_bits(guint64 n) {
  return n > 1 ? 64 - (guint)__builtin_clzll(n - 1) : 0;
}

static void
add_strip(GArray *space, const SmbLayout *layout, guint64 first_pad, guint64 end_pad) {
  Strip strip = {*layout, first_pad, end_pad};
  if (first_pad < end_pad)
    g_array_append_val(space, strip);
}

// Whether the swizzle of @layout never moves an element to another row.
static gboolean
stays_in_row(const SmbLayout *layout) {
  guint end = layout->base + (layout->shift < 0 ? (guint)-layout->shift : 0) + layout->bits;
  return layout->columns % (G_GUINT64_CONSTANT(1) << end) == 0;
}

// Every swizzle whose bits are all among the @n_bits of an element's number.
static void
add_swizzles(GArray *space, const SmbLayout *plain, guint n_bits, guint64 end_pad,
             SmbAdviseKinds kinds) {
  SmbLayout layout = *plain;
  for (guint bits = 1; 2 * bits <= n_bits; bits++) {
    for (guint shift = bits; bits + shift <= n_bits; shift++) {
      for (guint base = 0; base + bits + shift <= n_bits; base++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
          layout.bits = bits;
          layout.base = base;
          layout.shift = sign * (int)shift;
          gboolean pads = (kinds & SMB_ADVISE_BOTH) && stays_in_row(&layout);
          add_strip(space, &layout, kinds & SMB_ADVISE_SWIZZLE ? 0 : 1, pads ? end_pad : 1);
        }
      }
    }
  }
}

// All strips of the space for an array of @n elements (element-type Strip): smb_advise_array() says what is in it.
static GArray *
list_strips(const SmbArch *arch, const SmbLayout *original, guint64 n, SmbAdviseKinds kinds,
            gboolean within) {
  GArray *space = g_array_new(FALSE, FALSE, sizeof(Strip));
  guint64 period = find_bank_period(arch, original->element_bytes);
  SmbLayout plain = {.element_bytes = original->element_bytes, .columns = original->columns};
  gboolean has_rows = plain.columns < n;
  guint64 end_pad = has_rows ? period : 1;

  add_strip(space, &plain, 0, kinds & SMB_ADVISE_PAD ? end_pad : 1);
  if ((!has_rows || within) && (kinds & SMB_ADVISE_PAD)) {
    SmbLayout rows = plain;
    guint64 all = has_rows ? plain.columns : n;
    for (rows.columns = period; rows.columns <= all / 2; rows.columns *= 2)
      add_strip(space, &rows, 1, !has_rows || all % rows.columns == 0 ? period : 1);
  }
  if (kinds & (SMB_ADVISE_SWIZZLE | SMB_ADVISE_BOTH))
    add_swizzles(space, &plain, count_index_bits(n), end_pad, kinds);
  return space;
}

// A layout that fits, and what it costs.
typedef struct {
  SmbLayout layout;
  guint64 wavefronts;
  guint64 bytes;
  guint vector_bytes;
} Found;

// The better layout first, as SmbAdvice.best says.
static int
compare_found(gconstpointer a, gconstpointer b) {
  const Found *p = a, *q = b;
  const SmbLayout *x = &p->layout, *y = &q->layout;
  return smb_order(p->wavefronts, q->wavefronts) ?: smb_order(p->bytes, q->bytes)
         ?: smb_order(q->vector_bytes, p->vector_bytes)
         ?: smb_order(smb_advise_kind(x), smb_advise_kind(y)) ?: smb_order(x->pad, y->pad)
         ?: smb_order(x->columns, y->columns) ?: smb_order(x->bits, y->bits)
         ?: smb_order(x->base, y->base)
         ?: smb_order((guint64)ABS(x->shift), (guint64)ABS(y->shift))
         ?: smb_order(x->shift < 0, y->shift < 0);
}

// The kinds of layouts; each is a bit of SmbAdviseKinds.
enum {
  N_KINDS = 3
};

// A search as far as it has come.
typedef struct {
  SmbAdvice *advice;
  SmbDemand *demand; // NULL: no other layout can be
  guint64 elements;
  guint64 max_bytes;
  guint64 max_counts; // 0: no limit
  SmbProgress *progress;
  guint keep;
  guint vector_bytes;
  guint64 least;          // wavefronts
  GArray *found[N_KINDS]; // Found, of each kind, the best first
} Search;

static void
rank(const Search *search, GArray *ranking, const Found *found) {
  guint at = ranking->len;
  while (at > 0 && compare_found(found, &g_array_index(ranking, Found, at - 1)) < 0)
    at--;
  if (at >= search->keep)
    return;
  g_array_insert_vals(ranking, at, found, 1);
  if (ranking->len > search->keep)
    g_array_set_size(ranking, search->keep);
}

// Counts one layout, as far as it is of interest: up to what the last costs that is kept of its kind.
static void
count_layout(Search *search, Found *found) {
  SmbAdvice *advice = search->advice;
  GArray *ranking = search->found[__builtin_ctz(smb_advise_kind(&found->layout))];
  guint64 limit = G_MAXUINT64;
  if (ranking->len == search->keep)
    limit = g_array_index(ranking, Found, search->keep - 1).wavefronts;
  found->wavefronts = smb_demand_count(search->demand, found->layout.pad, limit);
  if (found->wavefronts > limit)
    return;
  if (found->wavefronts < search->least) {
    search->least = found->wavefronts;
    advice->ties = 0;
  }
  advice->ties += found->wavefronts == search->least;
  rank(search, ranking, found);
}

// Counts every layout of one strip.
static void
search_strip(Search *search, const Strip *strip) {
  SmbAdvice *advice = search->advice;
  Found found = {.layout = strip->layout};
  if (search->demand)
    smb_demand_place(search->demand, strip);
  for (guint64 pad = strip->first_pad; pad < strip->end_pad; pad++) {
    advice->counts = search->demand ? smb_demand_counted(search->demand) : 0;
    advice->given_up = search->max_counts && advice->counts > search->max_counts;
    if (advice->given_up)
      return;
    smb_progress_add(search->progress, 1);
    found.layout.pad = pad;
    found.vector_bytes = smb_layout_vector_bytes(&found.layout, search->elements);
    if (found.vector_bytes < search->vector_bytes)
      continue;
    found.bytes = smb_layout_bytes(&found.layout, search->elements);
    advice->searched++;
    if (search->demand && found.bytes <= search->max_bytes && smb_demand_fits(search->demand, pad))
      count_layout(search, &found);
    else
      advice->unfit++;
  }
}

// What was found, in one order; each is counted once more, by access.
static void
collect_best(const Search *search, const SmbArch *arch) {
  SmbAdvice *advice = search->advice;
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Found));
  for (guint i = 0; i < N_KINDS; i++)
    g_array_append_vals(all, search->found[i]->data, search->found[i]->len);
  g_array_sort(all, compare_found);
  for (guint i = 0; i < all->len; i++) {
    const Found *found = &g_array_index(all, Found, i);
    g_ptr_array_add(advice->best,
                    smb_advise_try(arch, advice->use, &advice->original->layout, &found->layout));
  }
}

// The better one first, of two of a tile.
static gint
compare_modes(gconstpointer a, gconstpointer b) {
  const SmbCandidate *x = *(SmbCandidate *const *)a, *y = *(SmbCandidate *const *)b;
  return smb_order(x->total.wavefronts, y->total.wavefronts) ?: smb_order(x->bytes, y->bytes)
         ?: smb_order(y->tensor_span, x->tensor_span) ?: smb_order(x->layout.columns, y->layout.columns);
}

// All modes of a tile, which are few; the present one is among those that are searched.
static void
search_modes(SmbAdvice *advice, const SmbArch *arch, SmbAdviseKinds kinds, guint64 max_bytes) {
  const SmbArrayUse *use = advice->use;
  SmbTileChange changes = (kinds & SMB_ADVISE_SWIZZLE ? SMB_TILE_SWIZZLES : 0) |
                          (kinds & SMB_ADVISE_PAD ? SMB_TILE_SPREADS : 0);
  g_autoptr(GArray) modes = smb_tile_modes(use->tile, changes);
  advice->searched = 1 + modes->len;
  advice->original->tensor_span = use->tile->is_torn ? 0 : use->tile->placement.span;
  for (guint i = 0; i < modes->len; i++) {
    g_autoptr(SmbCandidate) found = try_mode(arch, use, &g_array_index(modes, SmbPlacement, i));
    if (found->fit == SMB_LAYOUT_FITS && found->bytes <= max_bytes)
      g_ptr_array_add(advice->best, g_steal_pointer(&found));
    else
      advice->unfit++;
  }
  const SmbLayout *now = &advice->original->layout;
  if (advice->original->fit == SMB_LAYOUT_FITS)
    g_ptr_array_add(advice->best, smb_advise_try(arch, use, now, now));
  else
    advice->unfit++;
  g_ptr_array_sort(advice->best, compare_modes);
  const SmbCandidate *best = advice->best->len ? g_ptr_array_index(advice->best, 0) : NULL;
  for (guint i = 0; i < advice->best->len; i++) {
    const SmbCandidate *other = g_ptr_array_index(advice->best, i);
    advice->ties += other->total.wavefronts == best->total.wavefronts;
  }
}

// Searches the space of an array that is no tile.
static void
search_space(SmbAdvice *advice, const SmbArch *arch, const SmbAdviseOptions *options,
             SmbAdviseKinds kinds, guint64 max_bytes) {
  const SmbLayout *original = &advice->original->layout;
  guint64 n = smb_advise_elements(original, advice->use->bytes), layouts = 0;
  SmbCounter counter = options->counter ? *options->counter : smb_counter_best();
  g_autoptr(GArray) space = list_strips(arch, original, n, kinds, options->within);
  g_autoptr(SmbDemand) demand = smb_demand_new(arch, advice->use, original, counter);
  Search search = {.advice = advice,
                   .demand = demand,
                   .elements = n,
                   .max_bytes = max_bytes,
                   .max_counts = options->max_counts,
                   .progress = options->progress,
                   .keep = MAX(options->keep, 1),
                   .vector_bytes = options->vector_bytes,
                   .least = G_MAXUINT64};
  for (guint i = 0; i < N_KINDS; i++)
    search.found[i] = g_array_new(FALSE, FALSE, sizeof(Found));
  for (guint i = 0; i < space->len; i++) {
    const Strip *strip = &g_array_index(space, Strip, i);
    layouts += strip->end_pad - strip->first_pad;
  }
  smb_progress_begin(options->progress, "layouts", layouts);
  for (guint i = 0; i < space->len && !advice->given_up; i++)
    search_strip(&search, &g_array_index(space, Strip, i));
  smb_progress_begin(options->progress, NULL, 0);
  collect_best(&search, arch);
  for (guint i = 0; i < N_KINDS; i++)
    g_array_unref(search.found[i]);
}

SmbAdvice *
smb_advise_array(const SmbArch *arch, const SmbArrayUse *use, const SmbAdviseOptions *options) {
  SmbLayout original =
      options->present ? *options->present : smb_array_use_layout(use, options->row);
  SmbAdviseKinds all = SMB_ADVISE_PAD | SMB_ADVISE_SWIZZLE | SMB_ADVISE_BOTH;
  SmbAdviseKinds kinds = options->kinds ? options->kinds : all;
  guint64 most = smb_arch_info(arch)->max_shared_bytes;
  guint64 others = use->analysis->shared_bytes - use->bytes;
  guint64 max_bytes = most > others ? most - others : 0;
  SmbAdvice *advice = g_new0(SmbAdvice, 1);
  advice->use = use;
  advice->original = smb_advise_try(arch, use, &original, &original);
  advice->original->bytes = use->bytes;
  advice->best = g_ptr_array_new_with_free_func((GDestroyNotify)smb_candidate_free);
  if (use->tile)
    search_modes(advice, arch, kinds, max_bytes);
  else
    search_space(advice, arch, options, kinds, max_bytes);
  return advice;
}
