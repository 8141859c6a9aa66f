// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/linear-search.h"

#include <string.h>

#include "sim/arch/rule.h"

// Subspaces that are looked at before the search is given up.
#define MAX_TRIED (G_GUINT64_CONSTANT(1) << 22)

// A subspace of F2^20: rows of which the highest bits differ, and none of which has the highest bit of another.
typedef struct {
  guint n;
  guint32 row[SMB_LINEAR_MAX_BITS];
} Space;

static guint32
get_highest(guint32 vector) {
  return vector ? 1u << (31 - (guint)__builtin_clz(vector)) : 0;
}

// What of a vector is not in the space.
static guint32
reduce_by_space(const Space *space, guint32 vector) {
  for (guint i = 0; i < space->n; i++) {
    if (vector & get_highest(space->row[i]))
      vector ^= space->row[i];
  }
  return vector;
}

// Whether the space grows.
static gboolean
extend_space(Space *space, guint32 vector) {
  vector = reduce_by_space(space, vector);
  if (!vector)
    return FALSE;
  guint32 highest = get_highest(vector);
  for (guint i = 0; i < space->n; i++) {
    if (space->row[i] & highest)
      space->row[i] ^= vector;
  }
  space->row[space->n++] = vector;
  return TRUE;
}

static Space
make_space(const guint32 *vectors, guint n) {
  Space space = {0};
  for (guint i = 0; i < n; i++)
    extend_space(&space, vectors[i]);
  return space;
}

// What two spaces have together.
static Space
add_spaces(const Space *a, const Space *b) {
  Space both = *a;
  for (guint i = 0; i < b->n; i++)
    extend_space(&both, b->row[i]);
  return both;
}

// The space of the lowest @bits bits.
static Space
make_low_space(guint bits) {
  Space space = {0};
  for (guint i = 0; i < bits; i++)
    extend_space(&space, 1u << i);
  return space;
}

// What of a space has zeros in the lowest @bits bits.
static Space
drop_low_bits(const Space *space, guint bits) {
  guint32 low = (1u << bits) - 1;
  Space reversed = {0}, result = {0};
  // Rows whose low bits differ are told apart by these; what is left of the others has none.
  guint32 row[SMB_LINEAR_MAX_BITS];
  for (guint i = 0; i < space->n; i++) {
    row[i] = space->row[i];
    for (guint k = 0; k < reversed.n; k++) {
      guint32 lowest = reversed.row[k] & low & -(reversed.row[k] & low);
      row[i] ^= row[i] & lowest ? reversed.row[k] : 0;
    }
    if (!(row[i] & low)) {
      extend_space(&result, row[i]);
      continue;
    }
    reversed.row[reversed.n++] = row[i];
  }
  return result;
}

// --- from requests to groups

static int
compare_vectors(gconstpointer a, gconstpointer b) {
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
  return (x > y) - (x < y);
}

// Adds a lane group, or the weight of one that differs by the same subspace.
static gboolean
add_group(SmbLinearSearch *search, const Space *space, guint width_bits, guint weight) {
  SmbLinearGroup group = {.n = space->n, .width_bits = width_bits, .weight = weight};
  memcpy(group.basis, space->row, space->n * sizeof *space->row);
  qsort(group.basis, group.n, sizeof *group.basis, compare_vectors);
  for (guint i = 0; i < search->groups->len; i++) {
    SmbLinearGroup *other = &g_array_index(search->groups, SmbLinearGroup, i);
    if (other->n == group.n && other->width_bits == width_bits &&
        memcmp(other->basis, group.basis, group.n * sizeof *group.basis) == 0) {
      other->weight += weight;
      return TRUE;
    }
  }
  g_array_append_val(search->groups, group);
  return search->groups->len <= SMB_LINEAR_MAX_GROUPS;
}

// Whether the elements of these lanes are a coset of a subspace, apart from the bits of one lane's own.
static gboolean
find_coset(const SmbRequest *request, SmbLanes lanes, guint element_bytes, guint width_bits,
           Space *space) {
  guint32 first = request->offset[smb_lanes_first(lanes)] / element_bytes;
  guint n = 0;
  guint32 seen[SMB_MAX_LANES];
  *space = make_low_space(width_bits);
  for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
    guint32 difference = request->offset[smb_lanes_first(rest)] / element_bytes ^ first;
    guint32 unit = difference >> width_bits;
    guint at = 0;
    while (at < n && seen[at] != unit)
      at++;
    if (at == n)
      seen[n++] = unit;
    extend_space(space, difference);
  }
  return n == 1u << (space->n - width_bits);
}

static const char *
add_linear_request(SmbLinearSearch *search, const SmbArch *arch, const SmbRequest *request,
                   guint element_bytes) {
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  const SmbLanes active = smb_request_lanes(request);
  if (plan->conflict != SMB_CONFLICT_WORDS || plan->passes == 0)
    return "an operation waits for lanes, or is served otherwise than by words";
  if (request->width == 12)
    return "accesses are of 12 bytes, which is not a power of two";
  guint bytes = MAX(request->width, plan->bank_bytes);
  guint width_bits = (guint)g_bit_storage(MAX(bytes / element_bytes, 1)) - 1;
  guint row_bits = (guint)g_bit_storage((1ul << plan->row_shift) / element_bytes) - 1;
  if (search->row_bits && search->row_bits != row_bits)
    return "the operations have different rows of banks";
  search->row_bits = row_bits;
  search->unit_bits = MAX(search->unit_bits, width_bits);
  for (guint group = 0; group < plan->n_groups; group++) {
    SmbLanes lanes = plan->groups[group] & active;
    Space space;
    if (!lanes) {
      search->empty += plan->counts_empty && plan->groups[group] & plan->lanes ? plan->passes : 0;
      continue;
    }
    if (!find_coset(request, lanes, element_bytes, width_bits, &space))
      return "the elements of a lane group are no coset of a subspace";
    if (!add_group(search, &space, width_bits, plan->passes))
      return "too many different lane groups";
    search->ideal += plan->passes;
  }
  return NULL;
}

// --- the search for K

// A subspace is looked for that has only 0 in common with each of these, and @n_kernel dimensions.
typedef struct {
  guint bits, n_kernel;
  guint n;
  Space avoid[SMB_LINEAR_MAX_GROUPS + 1];
  Space choices; // those that differ by an element of @avoid[0] cover all complements of it
  Space complement;
  guint32 kernel[SMB_LINEAR_MAX_BITS];
  guint64 *tried;
} Hunt;

// Element @i of a space.
static guint32
pick_vector(const Space *space, guint32 i) {
  guint32 vector = 0;
  for (guint bit = 0; bit < space->n; bit++)
    vector ^= i >> bit & 1 ? space->row[bit] : 0;
  return vector;
}

// Chooses the vectors of K from @depth on; @taken: each of @avoid with what of K there is.
static gboolean
hunt_kernel(Hunt *hunt, guint depth, const Space *taken) {
  if (depth == hunt->n_kernel)
    return TRUE;
  for (guint32 i = 0; i >> hunt->choices.n == 0; i++) {
    guint32 vector = hunt->complement.row[depth] ^ pick_vector(&hunt->choices, i);
    Space next[SMB_LINEAR_MAX_GROUPS + 1];
    guint fits = 0;
    if (++*hunt->tried > MAX_TRIED)
      return FALSE;
    while (fits < hunt->n) {
      next[fits] = taken[fits];
      if (!extend_space(&next[fits], vector))
        break;
      fits++;
    }
    hunt->kernel[depth] = vector;
    if (fits == hunt->n && hunt_kernel(hunt, depth + 1, next))
      return TRUE;
  }
  return FALSE;
}

// The largest first: all complements of it are looked at, if it leaves room for K and no more.
static void
sort_avoided(Hunt *hunt) {
  for (guint i = 1; i < hunt->n; i++) {
    if (hunt->avoid[i].n > hunt->avoid[0].n) {
      const Space first = hunt->avoid[0];
      hunt->avoid[0] = hunt->avoid[i];
      hunt->avoid[i] = first;
    }
  }
}

// Dimensions of the space that K is in.
static guint
get_room(const SmbLinearSearch *search) {
  return search->bits - search->unit_bits;
}

// What of a group's subspace K may have in common with it.
static Space
get_group_space(const SmbLinearSearch *search, guint i) {
  const SmbLinearGroup *group = &g_array_index(search->groups, SmbLinearGroup, i);
  const Space whole = make_space(group->basis, group->n);
  return drop_low_bits(&whole, search->unit_bits);
}

// The dimension that a group and any K have in common at least.
static guint
count_forced(const SmbLinearSearch *search, guint i) {
  guint together = get_group_space(search, i).n + search->n_kernel;
  return together > get_room(search) ? together - get_room(search) : 0;
}

// Of groups that conflict, the part that K does not have to have anything in common with: of its rows the first, or the last ones.
static Space
shrink_space(const SmbLinearSearch *search, guint i, gboolean takes_last) {
  Space space = get_group_space(search, i), part = {0};
  guint n = space.n - MIN(space.n, count_forced(search, i));
  for (guint row = 0; row < n; row++)
    extend_space(&part, space.row[takes_last ? space.n - 1 - row : row]);
  return part;
}

// How groups that may conflict are treated: in the first two ways K may have no more in common with them than it must.
typedef enum {
  SHRINK_FIRST,
  SHRINK_LAST,
  IGNORE,
  N_WAYS,
} Way;

static void
fill_hunt(Hunt *hunt, const SmbLinearSearch *search, guint conflicting, Way way) {
  hunt->avoid[hunt->n++] = (Space){0};
  for (guint i = 0; i < search->groups->len; i++) {
    if (!(conflicting >> i & 1))
      hunt->avoid[hunt->n++] = get_group_space(search, i);
    else if (way != IGNORE && count_forced(search, i) > 0)
      hunt->avoid[hunt->n++] = shrink_space(search, i, way == SHRINK_LAST);
  }
  sort_avoided(hunt);
  hunt->choices = hunt->avoid[0];
  for (guint bit = search->unit_bits;
       hunt->choices.n + hunt->n_kernel < get_room(search) && bit < hunt->bits; bit++)
    extend_space(&hunt->choices, 1u << bit);
  Space all = hunt->choices;
  for (guint bit = search->unit_bits; bit < hunt->bits; bit++) {
    if (extend_space(&all, 1u << bit))
      hunt->complement.row[hunt->complement.n++] = 1u << bit;
  }
}

// Whether there is a K without conflicts of the groups that are not @conflicting, a bit for each; *@is_decided: a "no" is certain.
static gboolean
find_free_kernel(SmbLinearSearch *search, guint conflicting, Way way, guint32 *kernel,
                 gboolean *is_decided) {
  Hunt hunt = {.bits = search->bits, .n_kernel = search->n_kernel, .tried = &search->tried};
  fill_hunt(&hunt, search, conflicting, way);
  gboolean is_found = hunt_kernel(&hunt, 0, hunt.avoid);
  // With more room than K takes, complements of one larger space are enough to find a K, but not to exclude it.
  *is_decided = hunt.avoid[0].n + hunt.n_kernel == get_room(search) && search->tried <= MAX_TRIED;
  memcpy(kernel, hunt.kernel, sizeof hunt.kernel);
  return is_found;
}

// Wavefronts of a layout with this K: 2^dim(A ∩ (K + what one lane moves)) for each group.
static guint64
count_with_kernel(const SmbLinearSearch *search, const guint32 *kernel) {
  guint64 wavefronts = search->empty;
  const Space rows = make_space(kernel, search->n_kernel);
  for (guint i = 0; i < search->groups->len; i++) {
    const SmbLinearGroup *group = &g_array_index(search->groups, SmbLinearGroup, i);
    const Space own = make_space(group->basis, group->n), both = add_spaces(&own, &rows);
    wavefronts += group->weight << (own.n + rows.n - both.n);
  }
  return wavefronts;
}

// What the groups of a set add if they conflict, at least: each once its wavefronts, or as often as it must.
static guint64
weigh_groups(const SmbLinearSearch *search, guint conflicting) {
  guint64 weight = 0;
  for (guint i = 0; i < search->groups->len; i++) {
    guint64 times = ((guint64)1 << MAX(count_forced(search, i), 1)) - 1;
    if (conflicting >> i & 1)
      weight += g_array_index(search->groups, SmbLinearGroup, i).weight * times;
  }
  return weight;
}

// Groups that conflict in every layout.
static guint
find_forced(const SmbLinearSearch *search) {
  guint forced = 0;
  for (guint i = 0; i < search->groups->len; i++)
    forced |= count_forced(search, i) > 0 ? 1u << i : 0;
  return forced;
}

// The set of groups, of those not looked at yet, that adds least.
static guint
pick_set(const guint8 *is_done, const guint64 *weights, guint n_sets) {
  guint set = n_sets;
  for (guint i = 0; i < n_sets; i++) {
    if (!is_done[i] && (set == n_sets || weights[i] < weights[set]))
      set = i;
  }
  return set;
}

// Lets a set of groups conflict. Returns whether that cannot be excluded.
static gboolean
try_set(SmbLinearSearch *search, guint set) {
  gboolean is_possible = FALSE;
  for (guint way = 0; way < N_WAYS; way++) {
    guint32 kernel[SMB_LINEAR_MAX_BITS];
    gboolean is_decided, is_found = find_free_kernel(search, set, (Way)way, kernel, &is_decided);
    guint64 takes = is_found ? count_with_kernel(search, kernel) : G_MAXUINT64;
    is_possible = is_possible || is_found || (way == IGNORE && !is_decided);
    if (takes < search->found) {
      search->found = takes;
      memcpy(search->kernel, kernel, sizeof kernel);
    }
    if (takes <= search->ideal + weigh_groups(search, set))
      break;
  }
  return is_possible;
}

// Sets of groups conflict, those first that add least; the first that cannot be excluded bounds what any layout takes.
static void
search_kernels(SmbLinearSearch *search) {
  guint n_sets = 1u << search->groups->len, forced = find_forced(search);
  g_autofree guint8 *is_done = g_new0(guint8, n_sets);
  g_autofree guint64 *weights = g_new(guint64, n_sets);
  for (guint i = 0; i < n_sets; i++) {
    weights[i] = weigh_groups(search, i);
    is_done[i] = (i & forced) != forced;
  }
  search->found = search->least = G_MAXUINT64;
  for (guint set; (set = pick_set(is_done, weights, n_sets)) < n_sets;) {
    is_done[set] = TRUE;
    guint64 at_least = search->ideal + weights[set];
    if (at_least >= search->found)
      break;
    if (search->tried > MAX_TRIED) {
      search->least = MIN(search->least, at_least);
      break;
    }
    if (try_set(search, set) && search->least == G_MAXUINT64)
      search->least = at_least;
  }
  search->least = MIN(search->least, search->found);
}

SmbLinearSearch *
smb_linear_search_new(const SmbArch *arch, const GArray *requests, guint64 n, guint element_bytes) {
  SmbLinearSearch *search = g_new0(SmbLinearSearch, 1);
  search->groups = g_array_new(FALSE, FALSE, sizeof(SmbLinearGroup));
  search->bits = (guint)g_bit_storage(n) - 1;
  if (n & (n - 1))
    search->failure = "the number of elements is not a power of two";
  for (guint i = 0; i < requests->len && !search->failure; i++)
    search->failure =
        add_linear_request(search, arch, &g_array_index(requests, SmbRequest, i), element_bytes);
  if (search->failure)
    return search;
  search->ideal += search->empty;
  if (search->unit_bits > search->row_bits || search->unit_bits > search->bits) {
    search->failure = "one lane moves more than a row of the tile or of the banks";
    return search;
  }
  search->n_kernel = search->bits > search->row_bits ? search->bits - search->row_bits : 0;
  search_kernels(search);
  if (search->found == G_MAXUINT64)
    search->failure = "the search was given up";
  return search;
}

void
smb_linear_search_free(SmbLinearSearch *search) {
  if (!search)
    return;
  g_array_unref(search->groups);
  g_free(search);
}

void
smb_linear_search_offsets(const SmbLinearSearch *search, guint32 *offsets) {
  guint row_bits = MIN(search->row_bits, search->bits), n = search->unit_bits;
  Space all = make_low_space(search->unit_bits);
  for (guint i = 0; i < search->unit_bits; i++)
    offsets[i] = 1u << i;
  for (guint i = 0; i < search->n_kernel; i++)
    extend_space(&all, offsets[row_bits + i] = search->kernel[i]);
  for (guint bit = 0; bit < search->bits && n < row_bits; bit++) {
    if (extend_space(&all, 1u << bit))
      offsets[n++] = 1u << bit;
  }
}

void
smb_linear_search_bases(const SmbLinearSearch *search, guint32 *bases) {
  guint32 offsets[SMB_LINEAR_MAX_BITS], rows[SMB_LINEAR_MAX_BITS], means[SMB_LINEAR_MAX_BITS] = {0};
  smb_linear_search_offsets(search, offsets);
  // Gauss and Jordan: rows become the bits one by one, and means what they stand for.
  for (guint i = 0; i < search->bits; i++) {
    rows[i] = offsets[i];
    means[i] = 1u << i;
  }
  for (guint bit = 0; bit < search->bits; bit++) {
    guint pivot = bit;
    while (!(rows[pivot] >> bit & 1))
      pivot++;
    guint32 row = rows[pivot], mean = means[pivot];
    rows[pivot] = rows[bit];
    means[pivot] = means[bit];
    for (guint i = 0; i < search->bits; i++) {
      if (i != bit && rows[i] >> bit & 1) {
        rows[i] ^= row;
        means[i] ^= mean;
      }
    }
    rows[bit] = row;
    means[bit] = mean;
  }
  memcpy(bases, means, search->bits * sizeof *means);
}
