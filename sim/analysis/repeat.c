// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which blocks of a grid have to be run, and how many each of them stands for. The grid is cut into boxes whose corners
// have matching signatures; what that means for the blocks within is said in sim/machine/signature.h.
#include <string.h>

#include "sim/analysis/impl.h"
#include "sim/arch/arch.h"
#include "sim/base/order.h"
#include "sim/base/parallel.h"

// Blocks that are run to find this out: of small grids up to one in SMALL_SHARE, of others one in LARGE_SHARE, however
// many threads there are. If that is not enough, all are run.
enum {
  MIN_TRIALS = 4, // what the simplest program takes in one dimension
  SMALL_SHARE = 16,
  SMALL_TRIALS = 64,
  LARGE_SHARE = 32,
  MAX_TRIALS = 1 << 14,
  N_CORNERS = 8,
};

// The blocks from @low to @high, both included.
typedef struct {
  guint low[3];
  guint high[3];
} Box;

// What is known of a block.
typedef struct {
  guint64 index;
  SmbSignature signature;
  gboolean failed;
} Trial;

typedef struct {
  const SmbProgram *program;
  const SmbArch *arch;
  const SmbLaunch *launch;
  const SmbAnalysisOptions *options;
  SmbBlock *block;
  GHashTable *
      ahead; // of Trial, by &Trial.index: of blocks that other threads ran before they are asked for
  SmbProgress *progress;
  guint grid[3];
  guint segment_bytes;
  GHashTable *trials; // of Trial, by &Trial.index
  guint64 max_trials;
  guint64 max_shares;
  guint64 first_failed; // G_MAXUINT64: none
  GArray *boxes;        // that are yet to be looked at
  GArray *shares;
} Search;

static guint64
index_of(const Search *search, const guint *at) {
  return ((guint64)at[2] * search->grid[1] + at[1]) * search->grid[0] + at[0];
}

// A launch that is not allowed, which is NULL, is refused by who runs it.
static SmbBlock *
new_block(const Search *search) {
  static const SmbSink nobody = {0};
  return smb_block_new(search->program, search->arch, search->launch, &search->options->limits,
                       &nobody, NULL, NULL, NULL);
}

static Trial *
run_trial(SmbBlock *block, guint64 index) {
  Trial *trial = g_new0(Trial, 1);
  trial->index = index;
  trial->failed = !smb_block_sign(block, index, &trial->signature);
  return trial;
}

// Runs a block, unless that was done; NULL if there have been enough.
static const Trial *
try_block(Search *search, const guint *at) {
  guint64 index = index_of(search, at);
  Trial *trial = g_hash_table_lookup(search->trials, &index);
  if (trial)
    return trial;
  if (g_hash_table_size(search->trials) == search->max_trials)
    return NULL;
  trial = g_hash_table_lookup(search->ahead, &index);
  if (trial)
    g_hash_table_steal(search->ahead, &index);
  else
    trial = run_trial(search->block, index);
  g_hash_table_insert(search->trials, &trial->index, trial);
  smb_progress_add(search->progress, 1);
  return trial;
}

static const Trial *
try_along(Search *search, const guint *from, guint axis, guint position) {
  guint at[3] = {from[0], from[1], from[2]};
  at[axis] = position;
  return try_block(search, at);
}

// The corners of the grid, which threads take one after the other.
typedef struct {
  const Search *search;
  guint64 indices[N_CORNERS];
  Trial *trials[N_CORNERS];
  guint n;
  guint taken; // atomic
} Corners;

// Threads that begin once all are taken make no block.
static void
run_corners(gpointer user, G_GNUC_UNUSED guint item) {
  Corners *corners = user;
  g_autoptr(SmbBlock) block = NULL;
  for (guint i; (i = (guint)g_atomic_int_add(&corners->taken, 1)) < corners->n;) {
    if (!block)
      block = new_block(corners->search);
    corners->trials[i] = run_trial(block, corners->indices[i]);
  }
}

// All corners are asked for, unless they differ. What becomes of the search does not depend on that they were run at once.
static void
run_ahead(Search *search, guint n_threads) {
  Corners corners = {.search = search};
  for (guint corner = 0; corner < N_CORNERS; corner++) {
    guint at[3] = {0};
    gboolean is_other = TRUE;
    for (guint axis = 0; axis < 3; axis++) {
      gboolean is_last = corner >> axis & 1;
      at[axis] = is_last ? search->grid[axis] - 1 : 0;
      is_other = is_other && (!is_last || search->grid[axis] > 1);
    }
    if (is_other)
      corners.indices[corners.n++] = index_of(search, at);
  }
  n_threads = MIN(n_threads, corners.n);
  if (n_threads < 2)
    return;
  smb_parallel_run(n_threads, n_threads, run_corners, &corners);
  for (guint i = 0; i < corners.n; i++)
    g_hash_table_insert(search->ahead, &corners.trials[i]->index, corners.trials[i]);
}

// FALSE too if one of them was not run.
static gboolean
matches(const Trial *a, const Trial *b) {
  return a && b && !a->failed && !b->failed && smb_signature_matches(&a->signature, &b->signature);
}

// Two corners that differ in one axis only, and in their signatures: the one of them with the lower coordinates, and
// the axis. FALSE: all corners match.
static gboolean
find_difference(Search *search, const Box *box, guint *at, guint *axis) {
  for (guint corner = 1; corner < 8; corner++) {
    memcpy(at, box->low, sizeof box->low);
    for (*axis = 0; *axis < 3; ++*axis) {
      if (!(corner >> *axis & 1) || box->low[*axis] == box->high[*axis])
        continue;
      if (!matches(try_block(search, at), try_along(search, at, *axis, box->high[*axis])))
        return TRUE;
      at[*axis] = box->high[*axis];
    }
  }
  return FALSE;
}

// Where along the axis something changes: two neighbours do not match, of which this is the upper one. The first and
// the last block are often unlike all between them.
static guint
find_cut(Search *search, const Box *box, const guint *at, guint axis) {
  guint low = box->low[axis], high = box->high[axis];
  const Trial *first = try_along(search, at, axis, low);
  if (matches(first, try_along(search, at, axis, high - 1)))
    return high;
  if (matches(try_along(search, at, axis, low + 1), try_along(search, at, axis, high)))
    return low + 1;
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (matches(first, try_along(search, at, axis, middle)))
      low = middle;
    else
      high = middle;
  }
  return high;
}

static void
cut_box(Search *search, const Box *box, const guint *at, guint axis) {
  Box below = *box, above = *box;
  guint cut = find_cut(search, box, at, axis);
  below.high[axis] = cut - 1;
  above.low[axis] = cut;
  g_array_append_val(search->boxes, above);
  g_array_append_val(search->boxes, below);
}

// After how many blocks along an axis global requests lie in their segments as before: at most as many as there are.
// The period divides a segment, which is a power of two: if they do so at both ends, an odd number of blocks apart, it
// is 1.
static guint
find_period(Search *search, const Box *box, guint axis) {
  guint length = box->high[axis] - box->low[axis] + 1;
  const Trial *first = try_block(search, box->low);
  const Trial *last = try_along(search, box->low, axis, box->high[axis]);
  if (length % 2 == 0 && last && last->signature.residues == first->signature.residues)
    return 1;
  for (guint period = 1; period < length; period *= 2) {
    if (period == search->segment_bytes)
      return period;
    const Trial *other = try_along(search, box->low, axis, box->low[axis] + period);
    if (other && other->signature.residues == first->signature.residues)
      return period;
  }
  return length;
}

static gboolean
add_share(Search *search, const guint *at, guint64 times) {
  SmbShare share = {index_of(search, at), times};
  g_array_append_val(search->shares, share);
  return search->shares->len <= search->max_shares;
}

// Blocks of a box are alike but for the residues: one of each class of them stands for the others.
static gboolean
add_box(Search *search, const Box *box) {
  guint period[3], n[3];
  guint64 classes = 1;
  for (guint axis = 0; axis < 3; axis++) {
    period[axis] = find_period(search, box, axis);
    classes *= period[axis];
  }
  for (guint64 class = 0; class < classes; class ++) {
    guint at[3];
    guint64 rest = class;
    for (guint axis = 0; axis < 3; axis++) {
      guint residue = (guint)(rest % period[axis]);
      at[axis] = box->low[axis] + residue;
      n[axis] = (box->high[axis] - at[axis]) / period[axis] + 1;
      rest /= period[axis];
    }
    if (!add_share(search, at, (guint64)n[0] * n[1] * n[2]))
      return FALSE;
  }
  return TRUE;
}

// Looks at a box: counts it, or cuts it in two. Blocks behind one that fails do not matter.
static gboolean
search_box(Search *search, const Box *box) {
  guint at[3], axis;
  guint64 index = index_of(search, box->low);
  if (index > search->first_failed)
    return TRUE;
  const Trial *first = try_block(search, box->low);
  if (!first)
    return FALSE;
  if (first->failed) {
    search->first_failed = index;
    return add_share(search, box->low, 1);
  }
  if (!find_difference(search, box, at, &axis))
    return add_box(search, box);
  cut_box(search, box, at, axis);
  return TRUE;
}

// Whether a block has neighbours along an axis that are like it, as most have if blocks repeat at all.
static gboolean
has_like(Search *search, guint axis) {
  guint at[3] = {search->grid[0] / 2, search->grid[1] / 2, search->grid[2] / 2};
  for (guint part = 2; part <= 3 && search->grid[axis] > 3; part++) {
    guint position = search->grid[axis] / part;
    if (matches(try_along(search, at, axis, position), try_along(search, at, axis, position - 1)))
      return TRUE;
  }
  return search->grid[axis] <= 3;
}

static gboolean
search_grid(Search *search) {
  Box all = {{0, 0, 0}, {search->grid[0] - 1, search->grid[1] - 1, search->grid[2] - 1}};
  guint at[3], different;
  gboolean cut = find_difference(search, &all, at, &different);
  for (guint axis = 0; axis < 3 && cut; axis++) {
    if (!has_like(search, axis))
      return FALSE;
  }
  g_array_append_val(search->boxes, all);
  while (search->boxes->len > 0) {
    Box box = g_array_index(search->boxes, Box, search->boxes->len - 1);
    g_array_set_size(search->boxes, search->boxes->len - 1);
    // What could not be tried does not match: boxes are cut to no end, but for this.
    if (!search_box(search, &box) || g_hash_table_size(search->trials) == search->max_trials)
      return FALSE;
  }
  return TRUE;
}

static int
compare_shares(gconstpointer a, gconstpointer b) {
  const SmbShare *x = a, *y = b;
  return smb_order(x->block, y->block);
}

GArray *
smb_repeat_search(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                  const SmbAnalysisOptions *options, guint64 max_blocks) {
  guint64 n_blocks = (guint64)launch->grid[0] * launch->grid[1] * launch->grid[2];
  guint64 few = MIN(n_blocks / SMALL_SHARE, SMALL_TRIALS);
  if (few < MIN_TRIALS || !smb_program_may_repeat(program))
    return NULL;
  g_autoptr(GHashTable) trials = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
  g_autoptr(GHashTable) ahead = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
  g_autoptr(GArray) boxes = g_array_new(FALSE, FALSE, sizeof(Box));
  g_autoptr(GArray) shares = g_array_new(FALSE, FALSE, sizeof(SmbShare));
  Search search = {.program = program,
                   .arch = arch,
                   .launch = launch,
                   .options = options,
                   .ahead = ahead,
                   .progress = options->progress,
                   .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                   .segment_bytes = smb_arch_info(arch)->global_segment_bytes,
                   .trials = trials,
                   .max_trials = CLAMP(n_blocks / LARGE_SHARE, few, MAX_TRIALS),
                   .max_shares = MIN(n_blocks / 2, max_blocks),
                   .first_failed = G_MAXUINT64,
                   .boxes = boxes,
                   .shares = shares};
  g_autoptr(SmbBlock) block = search.block = new_block(&search);
  if (!block)
    return NULL;
  smb_progress_begin(search.progress, "sample blocks", 0);
  run_ahead(&search, smb_analysis_threads(options));
  if (!search_grid(&search))
    return NULL;
  g_array_sort(shares, compare_shares);
  return g_steal_pointer(&shares);
}
