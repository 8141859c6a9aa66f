// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The certificate of layout --find swizzle, of a proof by rank. K is a space of numbers of elements, whose places are at the beginning of a row
// of the banks. A lane group that asks for a coset of A takes as many wavefronts as K and A have elements in common, so all of K are
// written down. That no other K takes fewer is shown by dimensions, dim(A ∩ K) >= dim A + dim K - bits, or by trying all, up to MAX_SPACES.
// Each lane group of the requests has to be such a coset, and the weights of A their number.
#include "src/out/json.h"
#include "src/verify-proof/check-impl.h"

enum {
  MAX_BITS = 20,
  MAX_GROUPS = 64,
  MAX_SPACES = 1 << 16,
  BANK_BYTES = 4,
};

typedef struct {
  guint n;
  guint32 basis[MAX_BITS];
} Space;

// @n_kernel: dimension of each K; @unit_bits: the lowest bits of a number, which no element of K has
typedef struct {
  SmbVerified *verified;
  guint bits, unit_bits, n_kernel, n_groups;
  guint64 empty, least;
  Space groups[MAX_GROUPS];
  guint64 weights[MAX_GROUPS];
  guint8 *in_kernel;
  guint64 spaces;
} Search;

static gboolean
read_space(JsonArray *array, guint bits, Space *space) {
  space->n = smb_verify_length(array);
  for (guint i = 0; i < space->n; i++) {
    gint64 number = i < MAX_BITS ? smb_verify_number(array, i) : 0;
    if (number <= 0 || number >> bits)
      return FALSE;
    space->basis[i] = (guint32)number;
  }
  return TRUE;
}

// The sum of those vectors of a basis that are chosen.
static guint32
add_chosen(const Space *space, guint32 chosen) {
  guint32 sum = 0;
  for (guint i = 0; i < space->n; i++)
    sum ^= chosen >> i & 1 ? space->basis[i] : 0;
  return sum;
}

// Whether no sum of vectors is 0.
static gboolean
is_independent(const Space *space) {
  gboolean is_basis = TRUE;
  for (guint32 chosen = 1; is_basis && chosen >> space->n == 0; chosen++)
    is_basis = add_chosen(space, chosen) != 0;
  return is_basis;
}

// Wavefronts with this K. FALSE: its vectors are not independent, or no steps are left.
static gboolean
count_with(Search *search, const Space *kernel, guint64 *wavefronts) {
  guint64 steps = (guint64)3 << kernel->n;
  for (guint i = 0; i < search->n_groups; i++)
    steps += (guint64)1 << search->groups[i].n;
  if (!smb_verified_spend(search->verified, steps) || !is_independent(kernel))
    return FALSE;
  for (guint32 chosen = 0; chosen >> kernel->n == 0; chosen++)
    search->in_kernel[add_chosen(kernel, chosen)] = 1;
  *wavefronts = search->empty;
  for (guint i = 0; i < search->n_groups; i++) {
    const Space *group = &search->groups[i];
    for (guint32 chosen = 0; chosen >> group->n == 0; chosen++)
      *wavefronts += search->in_kernel[add_chosen(group, chosen)] * search->weights[i];
  }
  for (guint32 chosen = 0; chosen >> kernel->n == 0; chosen++)
    search->in_kernel[add_chosen(kernel, chosen)] = 0;
  return TRUE;
}

// What dimensions alone say that each K takes.
static guint64
bound_by_dimension(const Search *search) {
  guint64 bound = search->empty;
  for (guint i = 0; i < search->n_groups; i++) {
    guint sum = search->groups[i].n + search->n_kernel;
    bound += search->weights[i] << (sum > search->bits ? sum - search->bits : 0);
  }
  return bound;
}

// All spaces by their reduced bases: each vector has a highest bit that no other vector has, and these fall. FALSE: there are too many, or one
// takes fewer wavefronts. @top: above the highest bit of the next vector; @leading: the highest bits so far
static gboolean
try_spaces(Search *search, Space *kernel, guint top) {
  if (kernel->n == search->n_kernel) {
    guint64 wavefronts;
    return search->spaces++ < MAX_SPACES && count_with(search, kernel, &wavefronts) &&
           wavefronts >= search->least;
  }
  for (guint high = search->unit_bits; high < top; high++) {
    guint below = high - search->unit_bits;
    if (below + 1 < search->n_kernel - kernel->n)
      continue; // there is no room for the vectors after it
    for (guint32 rest = 0; rest >> below == 0; rest++) {
      guint32 leading = 1u << high;
      guint i = 0;
      while (i < kernel->n && !(kernel->basis[i] & leading))
        i++;
      if (i < kernel->n)
        break; // another vector has this bit: it is of another basis
      kernel->basis[kernel->n++] = leading | rest << search->unit_bits;
      gboolean holds = try_spaces(search, kernel, high);
      kernel->n--;
      if (!holds)
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
read_search(JsonObject *certificate, Search *search, Space *kernel) {
  JsonArray *groups = smb_json_get_array(certificate, "groups");
  gint64 bits = smb_json_get_number(certificate, "bits");
  gint64 row_bits = smb_json_get_number(certificate, "row_bits");
  gint64 unit_bits = smb_json_get_number(certificate, "unit_bits");
  search->n_groups = smb_verify_length(groups);
  if (bits < 1 || bits > MAX_BITS || row_bits < 0 || row_bits > MAX_BITS || unit_bits < 0 ||
      unit_bits > bits || search->n_groups > MAX_GROUPS)
    return FALSE;
  search->bits = (guint)bits;
  search->unit_bits = (guint)unit_bits;
  search->n_kernel = bits > row_bits ? (guint)(bits - row_bits) : 0;
  search->least = (guint64)smb_json_get_number(certificate, "least");
  search->empty = (guint64)smb_json_get_number(certificate, "empty");
  for (guint i = 0; i < search->n_groups; i++) {
    JsonObject *group = smb_verify_object(groups, i);
    search->weights[i] = group ? (guint64)smb_json_get_number(group, "weight") : 0;
    if (!group || search->weights[i] > G_MAXUINT32 ||
        !read_space(smb_json_get_array(group, "basis"), search->bits, &search->groups[i]))
      return FALSE;
  }
  return read_space(smb_json_get_array(certificate, "kernel"), search->bits, kernel) &&
         kernel->n == search->n_kernel;
}

// --- the lane groups of the requests

// Whether the elements of @lanes, with those that one lane moves or a word has, are all of a coset of @space.
static gboolean
is_coset(const Search *search, const Space *space, const SmbMoved *moved, guint64 lanes,
         guint unit) {
  guint64 steps = (guint64)__builtin_popcountll(lanes);
  guint32 first = moved->element[__builtin_ctzll(lanes)];
  if (!smb_verified_spend(search->verified, (guint64)1 << space->n) || !is_independent(space))
    return FALSE;
  for (guint32 chosen = 0; chosen >> space->n == 0; chosen++) {
    guint32 wanted = (add_chosen(space, chosen) ^ first) / unit;
    gboolean is_there = FALSE;
    for (guint64 rest = lanes; rest && !is_there; rest &= rest - 1)
      is_there = moved->element[__builtin_ctzll(rest)] / unit == wanted;
    if (!is_there || !smb_verified_spend(search->verified, steps))
      return FALSE;
  }
  for (guint64 rest = lanes; rest; rest &= rest - 1) {
    guint32 unit_number = moved->element[__builtin_ctzll(rest)] / unit;
    gboolean is_in = FALSE;
    for (guint32 chosen = 0; chosen >> space->n == 0 && !is_in; chosen++)
      is_in = (add_chosen(space, chosen) ^ first) / unit == unit_number;
    if (!is_in || !smb_verified_spend(search->verified, (guint64)1 << space->n))
      return FALSE;
  }
  return TRUE;
}

// Takes a lane group off the weights of its A. FALSE: there is none, or too little is left.
static gboolean
take_group(Search *search, guint64 *left, const SmbMoved *moved, guint64 lanes, guint unit) {
  guint64 weight = moved->rule.passes * moved->times;
  for (guint i = 0; i < search->n_groups && weight > 0; i++) {
    const Space *space = &search->groups[i];
    guint64 taken = MIN(left[i], weight);
    if (taken > 0 && (guint64)1 << space->n <= (guint64)SMB_RECOUNT_LANES * unit &&
        is_coset(search, space, moved, lanes, unit)) {
      left[i] -= taken;
      weight -= taken;
    }
  }
  return weight == 0;
}

static gboolean
take_moved(Search *search, guint64 *left, guint64 *empty, const SmbMoved *moved,
           guint element_bytes) {
  guint unit = MAX(MAX(moved->width, BANK_BYTES) / element_bytes, 1);
  guint64 groups[SMB_RECOUNT_GROUPS], address[SMB_RECOUNT_LANES];
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++)
    address[lane] = moved->element[lane];
  guint n = smb_recount_groups(&moved->rule, moved->mask, address, groups);
  for (guint i = 0; i < n; i++) {
    guint64 lanes = groups[i] & moved->mask;
    if (!lanes)
      *empty += moved->rule.pays_all * moved->rule.passes * moved->times;
    else if (moved->rule.waits_for_lanes || !take_group(search, left, moved, lanes, unit))
      return FALSE;
  }
  return TRUE;
}

// Whether the certificate has the lane groups of the requests, no fewer and no more, and a row of the banks is as long as theirs.
static gboolean
has_own_groups(Search *search, const SmbMovedTile *tile, gint64 row_bits) {
  guint64 left[MAX_GROUPS], empty = 0;
  if (tile->n != (guint64)1 << search->bits ||
      tile->element_bytes << row_bits != smb_moved_tile_row_bytes(tile))
    return FALSE;
  for (guint i = 0; i < search->n_groups; i++)
    left[i] = search->weights[i];
  for (guint i = 0; i < tile->requests->len; i++) {
    const SmbMoved *moved = &g_array_index(tile->requests, SmbMoved, i);
    if (moved->rule.banks * BANK_BYTES != smb_moved_tile_row_bytes(tile) ||
        !take_moved(search, left, &empty, moved, tile->element_bytes))
      return FALSE;
  }
  for (guint i = 0; i < search->n_groups; i++) {
    if (left[i] > 0)
      return FALSE;
  }
  return empty == search->empty;
}

void
smb_verify_rank(JsonObject *found, JsonObject *certificate, const SmbMovedTile *tile,
                SmbVerified *verified) {
  Search search = {.verified = verified};
  Space kernel, tried = {.n = 0};
  guint64 wavefronts;
  if (!read_search(certificate, &search, &kernel)) {
    smb_verified_fail(verified, "the certificate cannot be read");
    return;
  }
  g_autofree guint8 *in_kernel = search.in_kernel = g_new0(guint8, (gsize)1 << search.bits);
  if (!has_own_groups(&search, tile, smb_json_get_number(certificate, "row_bits")))
    smb_verified_fail(verified, "its lane groups are not those of the requests");
  if ((gint64)search.least != smb_json_get_number(found, "wavefronts"))
    smb_verified_fail(verified, "that is not the least that it shows");
  for (guint i = 0; i < kernel.n; i++) {
    if (kernel.basis[i] & ((1u << search.unit_bits) - 1))
      smb_verified_fail(verified, "K divides what stays together");
  }
  if (!count_with(&search, &kernel, &wavefronts))
    smb_verified_fail(verified, "the basis of K is none");
  else if ((gint64)wavefronts != smb_json_get_number(found, "wavefronts"))
    smb_verified_fail(verified, "with K it takes %" G_GUINT64_FORMAT " wavefronts", wavefronts);
  if (bound_by_dimension(&search) < search.least && !try_spaces(&search, &tried, search.bits)) {
    if (search.spaces > MAX_SPACES)
      verified->open = "dimensions do not decide it, and there are too many spaces to try all";
    else
      smb_verified_fail(verified, "another K takes fewer wavefronts");
  }
  verified->cases = 1 + search.spaces;
}
