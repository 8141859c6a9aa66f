// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which blocks of a grid have to be run, and how many each of them stands for. The grid is cut into boxes whose corners
// have matching signatures, and along whose edges quotients grow evenly; what that means for the blocks within is said
// in sim/machine/signature.h. If the grid is no such box, its coordinates are divided into digits first (digits.h).
#include <string.h>

#include "sim/analysis/digits.h"
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

__extension__ typedef unsigned __int128 Product;

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
  SmbGlobal *global; // of a program whose blocks see what others left; else NULL
  // of Trial, by &Trial.index: of blocks that other threads ran before they are asked for
  GHashTable *ahead;
  SmbProgress *progress;
  guint grid[3];
  Digits digits; // in which blocks are named below: at[i] is digit i
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
  return smb_digits_index(&search->digits, search->grid, at);
}

// A launch that is not allowed, which is NULL, is refused by who runs it.
static SmbBlock *
new_block(const Search *search) {
  static const SmbSink nobody = {0};
  return smb_block_new(search->program, search->arch, search->launch, &search->options->limits,
                       &nobody, NULL, search->global, NULL);
}

static Trial *
run_block_trial(SmbBlock *block, guint64 index) {
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
    trial = run_block_trial(search->block, index);
  g_hash_table_insert(search->trials, &trial->index, trial);
  smb_progress_add(search->progress, 1);
  return trial;
}

static const Trial *
try_along(Search *search, const guint *from, guint axis, guint position) {
  guint at[MAX_DIGITS];
  memcpy(at, from, sizeof at);
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
    corners->trials[i] = run_block_trial(block, corners->indices[i]);
  }
}

// All corners are asked for, unless they differ. What happens to the search does not depend on that they were run at
// once.
static void
run_ahead(Search *search, guint n_threads) {
  Corners corners = {.search = search};
  for (guint corner = 0; corner < N_CORNERS; corner++) {
    guint at[MAX_DIGITS] = {0};
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
  if (n_threads < 2 || search->global)
    return;
  smb_parallel_run(n_threads, n_threads, run_corners, &corners);
  for (guint i = 0; i < corners.n; i++)
    g_hash_table_insert(search->ahead, &corners.trials[i]->index, corners.trials[i]);
}

// FALSE too if one of them was not run.
static gboolean
trials_match(const Trial *a, const Trial *b) {
  return a && b && !a->failed && !b->failed && smb_signature_matches(&a->signature, &b->signature);
}

// Whether a block that is @n steps on is like this one if each step adds @slope to the sum of quotients.
static gboolean
grows(const Trial *from, const Trial *to, guint n, guint64 slope) {
  return trials_match(from, to) && (guint64)(((Product)slope * n + from->signature.quotients) %
                                             SMB_QUOTIENT_MODULUS) == to->signature.quotients;
}

// What a step along an axis adds, from @from up to a position; FALSE: the next block is another one.
static gboolean
find_slope(Search *search, const guint *from, guint axis, guint to, guint64 *slope) {
  const Trial *first = try_block(search, from);
  *slope = 0;
  if (from[axis] == to || grows(first, try_along(search, from, axis, to), to - from[axis], 0))
    return TRUE;
  const Trial *next = try_along(search, from, axis, from[axis] + 1);
  if (!trials_match(first, next))
    return FALSE;
  *slope = (next->signature.quotients + SMB_QUOTIENT_MODULUS - first->signature.quotients) %
           SMB_QUOTIENT_MODULUS;
  return TRUE;
}

// Whether the blocks along an axis may be alike, from @from up to a position.
static gboolean
is_line(Search *search, const guint *from, guint axis, guint to) {
  guint64 slope;
  if (from[axis] == to)
    return TRUE;
  return find_slope(search, from, axis, to, &slope) &&
         grows(try_block(search, from), try_along(search, from, axis, to), to - from[axis], slope);
}

// Two corners that differ in one axis only, and in their signatures: the one of them with the lower coordinates, and
// the axis. FALSE: all corners match, and quotients grow along all edges of an axis alike.
static gboolean
find_differing_corners(Search *search, const Box *box, guint *at, guint *axis) {
  guint64 slopes[MAX_DIGITS];
  guint n = search->digits.n;
  memcpy(at, box->low, sizeof box->low);
  for (*axis = 0; *axis < n; ++*axis) {
    if (!find_slope(search, at, *axis, box->high[*axis], &slopes[*axis]))
      return TRUE;
  }
  for (guint corner = 1; corner < 1u << n; corner++) {
    memcpy(at, box->low, sizeof box->low);
    for (*axis = 0; *axis < n; ++*axis) {
      guint high = box->high[*axis];
      if (!(corner >> *axis & 1) || box->low[*axis] == high)
        continue;
      if (!grows(try_block(search, at), try_along(search, at, *axis, high), high - at[*axis],
                 slopes[*axis]))
        return TRUE;
      at[*axis] = high;
    }
  }
  return FALSE;
}

// Where along the axis something changes: blocks up to the one below may be alike. The first and the last block are
// often unlike all between them.
static guint
find_cut(Search *search, const Box *box, const guint *at, guint axis) {
  guint low = box->low[axis], high = box->high[axis], start = low, from[MAX_DIGITS];
  guint64 slope;
  if (is_line(search, at, axis, high - 1))
    return high;
  memcpy(from, at, sizeof from);
  from[axis] = low + 1;
  if (is_line(search, from, axis, high) || !find_slope(search, at, axis, low + 1, &slope))
    return low + 1;
  const Trial *first = try_block(search, at);
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (grows(first, try_along(search, at, axis, middle), middle - start, slope))
      low = middle;
    else
      high = middle;
  }
  return high;
}

// An edge that is a line, but not like those beside it: what is cut is an axis along which it is beside them.
static guint
find_axis_beside(const Box *box, const guint *at) {
  guint axis = 0;
  while (at[axis] == box->low[axis])
    axis++;
  return axis;
}

static void
cut_box(Search *search, const Box *box, const guint *at, guint axis) {
  Box below = *box, above = *box;
  guint cut;
  if (is_line(search, at, axis, box->high[axis])) {
    axis = find_axis_beside(box, at);
    cut = box->low[axis] + (box->high[axis] - box->low[axis] + 1) / 2;
  } else {
    cut = find_cut(search, box, at, axis);
  }
  below.high[axis] = cut - 1;
  above.low[axis] = cut;
  g_array_append_val(search->boxes, above);
  g_array_append_val(search->boxes, below);
}

// After how many blocks along an axis global requests lie in their segments as before: at most as many as there are.
// The period divides a segment, which is a power of two: if they do so at both ends, an odd number of blocks apart, it
// is 1.
static guint
find_segment_period(Search *search, const Box *box, guint axis) {
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
  guint period[MAX_DIGITS], n_digits = search->digits.n;
  guint64 classes = 1;
  for (guint axis = 0; axis < n_digits; axis++) {
    period[axis] = find_segment_period(search, box, axis);
    classes *= period[axis];
  }
  for (guint64 class = 0; class < classes; class ++) {
    guint at[MAX_DIGITS] = {0};
    guint64 rest = class, n = 1;
    for (guint axis = 0; axis < n_digits; axis++) {
      guint residue = (guint)(rest % period[axis]);
      at[axis] = box->low[axis] + residue;
      n *= (box->high[axis] - at[axis]) / period[axis] + 1;
      rest /= period[axis];
    }
    if (!add_share(search, at, n))
      return FALSE;
  }
  return TRUE;
}

// Looks at a box: counts it, or cuts it in two. Blocks behind one that fails do not matter.
static gboolean
search_box(Search *search, const Box *box) {
  guint at[MAX_DIGITS], axis;
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
  if (!find_differing_corners(search, box, at, &axis))
    return add_box(search, box);
  cut_box(search, box, at, axis);
  return TRUE;
}

// Whether a block has neighbours along an axis that are like it, as most have if blocks repeat at all.
static gboolean
has_like(Search *search, guint axis) {
  guint at[MAX_DIGITS], count = search->digits.digit[axis].count;
  for (guint i = 0; i < search->digits.n; i++)
    at[i] = search->digits.digit[i].count / 2;
  for (guint part = 2; part <= 3 && count > 3; part++) {
    guint position = count / part;
    if (trials_match(try_along(search, at, axis, position),
                     try_along(search, at, axis, position - 1)))
      return TRUE;
  }
  return count <= 3;
}

// Divides coordinates by what the program divides them by. Of digits, the highest of each axis says whether blocks
// repeat.
static gboolean
choose_digits(Search *search) {
  const Digits plain = search->digits;
  const guint origin[MAX_DIGITS] = {0};
  const Trial *first = try_block(search, origin);
  Digits digits = {0};
  for (guint axis = 0; axis < plain.n; axis++) {
    const Trial *next = search->grid[axis] > 1 ? try_along(search, origin, axis, 1) : first;
    if (!first || !next)
      return FALSE;
    smb_digits_divide(&digits, search->grid, axis, &first->signature, &next->signature);
  }
  search->digits = digits;
  for (guint i = 0; i < digits.n; i++) {
    gboolean is_highest = i + 1 == digits.n || digits.digit[i + 1].axis != digits.digit[i].axis;
    if (is_highest && !has_like(search, i))
      return FALSE;
  }
  return TRUE;
}

static gboolean
search_grid(Search *search) {
  Box all;
  guint at[MAX_DIGITS], different;
  memset(&all, 0, sizeof all);
  for (guint axis = 0; axis < search->digits.n; axis++)
    all.high[axis] = search->grid[axis] - 1;
  if (find_differing_corners(search, &all, at, &different)) {
    if (!choose_digits(search))
      return FALSE;
    g_autoptr(GArray) boxes = smb_digits_boxes(&search->digits, search->grid);
    g_array_append_vals(search->boxes, boxes->data, boxes->len);
  } else {
    g_array_append_val(search->boxes, all);
  }
  while (search->boxes->len > 0) {
    Box box = g_array_index(search->boxes, Box, search->boxes->len - 1);
    g_array_set_size(search->boxes, search->boxes->len - 1);
    // What could not be tried does not match: boxes are cut to no end, but for this.
    if (!search_box(search, &box) || g_hash_table_size(search->trials) == search->max_trials)
      return FALSE;
  }
  return TRUE;
}

// Whether the first block fails: no other one matters, and one that runs into a limit takes long. It is all that has to be run then.
static gboolean
fails_at_once(Search *search) {
  const guint first[MAX_DIGITS] = {0};
  return try_block(search, first)->failed && add_share(search, first, 1);
}

static int
compare_shares(gconstpointer a, gconstpointer b) {
  const SmbShare *x = a, *y = b;
  return smb_order(x->block, y->block);
}

GArray *
smb_repeat_search(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                  const SmbAnalysisOptions *options, guint64 max_blocks) {
  guint64 n_blocks = smb_launch_n_blocks(launch);
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
  smb_digits_plain(&search.digits, search.grid);
  g_autoptr(SmbGlobal) global =
      smb_program_is_serial(program) ? smb_global_new(program, launch) : NULL;
  search.global = global;
  g_autoptr(SmbBlock) block = search.block = new_block(&search);
  if (!block)
    return NULL;
  smb_progress_begin(search.progress, "sample blocks", 0);
  if (fails_at_once(&search))
    return g_steal_pointer(&shares);
  run_ahead(&search, smb_analysis_threads(options));
  if (!search_grid(&search))
    return NULL;
  g_array_sort(shares, compare_shares);
  return g_steal_pointer(&shares);
}
