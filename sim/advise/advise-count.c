// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts the requests to an array in many layouts. What is the same in all of them is done once: equal
// requests are one with a number of times, whichever access and warp made them, and what a lane accesses
// is an item of a list. For each swizzle an item gets the byte at which it lies without padding, and its
// row; padding then only adds a multiple of the row.
//
// Requests that differ by a shift alone are counted once, too. What a request costs depends only on which
// of its lanes access the same address, word, bank and row (every rule compares such bit fields of
// offsets, and nothing else), and this is the same
//  - if all its elements' numbers are XORed with one number and no row is padded: a swizzle XORs their
//    places with one number, then;
//  - if all its offsets are moved by one multiple of what a bank serves at once.
// The most expensive requests are counted first, so that a layout that is not among the best is soon given
// up.
#include <string.h>

#include "sim/advise/advise-impl.h"
#include "sim/arch/rule.h"
#include "sim/base/order.h"

enum {
  CHUNK = 16, // requests that are counted before asking whether it is too much already
  PREFIX =
      64, // the most expensive requests, which settle most layouts: only these are laid out first
};

// What a lane asks for: @n_elements from element @n on, beginning @part bytes into the first.
typedef struct {
  guint64 n;
  guint8 n_elements;
  guint8 part;
  guint8 width;
} Item;

// A distinct request, and what it costs now.
typedef struct {
  SmbRequest request;
  guint64 times;
  SmbWavefronts cost;
} Distinct;

// Requests that cost the same: one of them, and how often all are made.
typedef struct {
  guint leader; // index of a distinct request
  guint64 times;
} Class;

// Classes of requests of the same kind for which the same @n_words were found out.
typedef struct {
  guint n_words;
  GArray *classes; // Class
  guint32 *words;  // of each class, and room for those of one more
  guint *slots;    // by hash: the index of a class and one more; 0: none
  guint mask;      // a power of two less 1
} ClassTable;

struct _SmbDemand {
  const SmbArch *arch;
  SmbCounter counter;
  guint32 base;
  guint element_bytes;
  guint64 counted;
  GArray *distinct; // Distinct
  guint span;       // lanes of the widest of them
  guint32 *asked;   // by distinct request and lane: index of an item
  guint64 *least;   // by distinct request: wavefronts that it and those after it need in any layout
  // of requests that are the same but for an XOR: the elements' numbers without it
  ClassTable twins;
  // The strip that was placed last:
  // by lane the byte without padding, then by lane the row; 0 of lanes that ask nothing
  ClassTable placed;
  guint reached; // distinct requests that are in a class
  guint64 *rest; // by class: what it, those after it and what is in no class need in any layout
  SmbRequest *requests; // by class: as it was counted last
  GArray *items;
  guint32 *item_start;
  guint32 *item_row;
  gboolean torn;    // without padding
  gboolean crosses; // from one row to the next
  // by width, row and start modulo the longest: a set of starts
  guint32 seen[SMB_N_WIDTHS][SMB_MAX_WIDTH];
};

static guint64
mix_hash(guint64 hash, guint64 word) {
  return (hash ^ (hash >> 29) ^ word) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
}

// Of a multiple of four words, as there are lanes: two chains of products take less time than one.
static guint
hash_words(guint64 hash, const guint32 *words, guint n) {
  guint64 other = 0;
  for (guint i = 0; i < n; i += 4) {
    hash = mix_hash(hash, words[i] | (guint64)words[i + 1] << 32);
    other = mix_hash(other, words[i + 2] | (guint64)words[i + 3] << 32);
  }
  return (guint)(mix_hash(hash, other) >> 32);
}

static guint64
hash_kind(const SmbRequest *request) {
  return (guint64)request->mask << 16 | (guint64)request->op << 8 | request->width;
}

static gboolean
is_same_kind(const SmbRequest *x, const SmbRequest *y) {
  return x->mask == y->mask && x->op == y->op && x->width == y->width &&
         smb_request_same_source(x, y);
}

// By what all of its kind cost beyond the least, the most first; else in any order that is always the same.
static int
compare_distinct(gconstpointer a, gconstpointer b) {
  const Distinct *x = a, *y = b;
  return smb_order(y->cost.excess * y->times, x->cost.excess * x->times)
         ?: smb_order(x->request.mask, y->request.mask)
         ?: memcmp(x->request.offset, y->request.offset,
                   smb_request_span(&x->request) * sizeof x->request.offset[0])
         ?: smb_order(x->request.has_source, y->request.has_source)
         ?: memcmp(x->request.source, y->request.source,
                   x->request.has_source ? smb_request_span(&x->request) * sizeof x->request.source[0] : 0);
}

// The distinct requests (element-type Distinct); %NULL if one asks for something else as well.
static GArray *
find_distinct(const SmbArch *arch, const SmbArrayUse *use) {
  g_autoptr(GHashTable) table = g_hash_table_new(smb_request_hash, smb_request_equal);
  g_autoptr(GArray) distinct = g_array_new(FALSE, TRUE, sizeof(Distinct));
  for (guint i = 0; i < use->requests->len; i++) {
    const SmbArrayRequest *asked = &g_array_index(use->requests, SmbArrayRequest, i);
    const SmbAccessRequest *made = asked->made;
    gpointer index;
    if (!asked->whole)
      return NULL;
    if (g_hash_table_lookup_extended(table, &made->request, NULL, &index)) {
      g_array_index(distinct, Distinct, GPOINTER_TO_UINT(index)).times += made->count;
      continue;
    }
    Distinct one = {made->request, made->count, smb_wavefronts_count(arch, &made->request)};
    g_hash_table_insert(table, (gpointer)&made->request, GUINT_TO_POINTER(distinct->len));
    g_array_append_val(distinct, one);
  }
  g_array_sort(distinct, compare_distinct);
  return g_steal_pointer(&distinct);
}

// The item of @width bytes at @offset of the array. %FALSE if that is no element of @original.
static gboolean
find_item(SmbDemand *demand, const SmbLayout *original, GHashTable *known, guint32 offset,
          guint width, guint32 *index) {
  guint element = original->element_bytes;
  gpointer key = GUINT_TO_POINTER(offset * 8 + smb_width_index(width)), value;
  if (g_hash_table_lookup_extended(known, key, NULL, &value)) {
    *index = GPOINTER_TO_UINT(value);
    return TRUE;
  }
  Item item = {.part = (guint8)(offset % element), .width = (guint8)width};
  item.n_elements = (guint8)((item.part + width + element - 1) / element);
  if (!smb_layout_find(original, offset, &item.n))
    return FALSE;
  for (guint i = 1; i < item.n_elements; i++) {
    guint64 n;
    if (!smb_layout_find(original, offset - item.part + i * element, &n) || n != item.n + i)
      return FALSE;
  }
  *index = demand->items->len;
  g_array_append_val(demand->items, item);
  g_hash_table_insert(known, key, GUINT_TO_POINTER(*index));
  return TRUE;
}

static gboolean
take_requests(SmbDemand *demand, const SmbLayout *original) {
  g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < demand->distinct->len; i++) {
    const SmbRequest *request = &g_array_index(demand->distinct, Distinct, i).request;
    guint32 *asked = &demand->asked[i * demand->span];
    for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
      guint lane = smb_lanes_first(lanes);
      if (!find_item(demand, original, known, request->offset[lane] - demand->base, request->width,
                     &asked[lane]))
        return FALSE;
    }
  }
  // Which lanes share an address is the same in every layout, and with it what is ideal.
  for (guint i = demand->distinct->len; i > 0; i--) {
    const Distinct *one = &g_array_index(demand->distinct, Distinct, i - 1);
    demand->least[i - 1] = demand->least[i] + one->cost.ideal * one->times;
  }
  return TRUE;
}

static void
table_init(ClassTable *table, guint n_words, guint n) {
  table->n_words = n_words;
  table->classes = g_array_new(FALSE, FALSE, sizeof(Class));
  table->words = g_new(guint32, (gsize)(n + 1) * n_words);
  while (table->mask < 2 * n + 1)
    table->mask = 2 * table->mask + 1;
  table->slots = g_new0(guint, (gsize)table->mask + 1);
}

static void
table_clear(ClassTable *table) {
  g_array_unref(table->classes);
  g_free(table->words);
  g_free(table->slots);
}

static void
table_empty(ClassTable *table) {
  g_array_set_size(table->classes, 0);
  memset(table->slots, 0, sizeof table->slots[0] * ((gsize)table->mask + 1));
}

// The words of a class, or where those of the next one are to be put.
static guint32 *
table_words(const ClassTable *table, guint class) {
  return &table->words[(gsize) class * table->n_words];
}

static void
table_append(ClassTable *table, guint leader, guint64 times) {
  Class class = {leader, times};
  g_array_append_val(table->classes, class);
}

// Adds a distinct request to its class, or makes one of it, by the words that were put behind the last.
static void
table_add(ClassTable *table, const GArray *distinct, guint index) {
  const Distinct *one = &g_array_index(distinct, Distinct, index);
  const guint32 *words = table_words(table, table->classes->len);
  guint at = hash_words(hash_kind(&one->request), words, table->n_words);
  for (;; at++) {
    guint *slot = &table->slots[at & table->mask];
    if (!*slot) {
      table_append(table, index, one->times);
      *slot = table->classes->len;
      return;
    }
    Class *class = &g_array_index(table->classes, Class, *slot - 1);
    if (is_same_kind(&g_array_index(distinct, Distinct, class->leader).request, &one->request) &&
        memcmp(table_words(table, *slot - 1), words, sizeof *words * table->n_words) == 0) {
      class->times += one->times;
      return;
    }
  }
}

// Offsets that a request's are moved by without a change of its cost under a plan: multiples of this. Where a
// bank serves several words of a row together, only whole rows keep them together; so it is with the columns of a copy.
static guint32
find_grain(const SmbPlan *plan, guint width) {
  guint32 row = 1u << plan->row_shift, unit = plan->bank_bytes;
  while (unit < width)
    unit *= 2;
  return row == (guint32)plan->banks * plan->bank_bytes && !plan->source_lines ? unit : row;
}

static guint32
get_grain(const SmbDemand *demand, const SmbRequest *request) {
  const SmbRule *rule = smb_arch_rule(demand->arch, (SmbOp)request->op, request->width);
  guint32 grain = find_grain(&rule->plan, request->width);
  return rule->merges ? MAX(grain, find_grain(&rule->merged, request->width)) : grain;
}

// The numbers of the elements that a request asks for, but for an XOR. %FALSE: no other may stand for it,
// since what a lane accesses at once would not be moved together.
static gboolean
find_element_numbers(const SmbDemand *demand, guint index, guint32 *words) {
  const SmbRequest *request = &g_array_index(demand->distinct, Distinct, index).request;
  SmbLanes lanes = smb_request_lanes(request);
  guint32 first = 0;
  memset(words, 0, sizeof *words * demand->span);
  for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    const Item *item =
        &g_array_index(demand->items, Item, demand->asked[index * demand->span + lane]);
    guint32 n = (guint32)item->n;
    if (item->n_elements > 1 &&
        ((item->n_elements & (item->n_elements - 1)) || item->part || n % item->n_elements))
      return FALSE;
    if (rest == lanes)
      first = n;
    words[lane] = (n ^ first) * SMB_MAX_WIDTH + item->part;
  }
  return demand->base % get_grain(demand, request) == 0;
}

// Requests that are the same but for an XOR.
static void
find_twins(SmbDemand *demand) {
  ClassTable *twins = &demand->twins;
  gboolean powers = (demand->element_bytes & (demand->element_bytes - 1)) == 0;
  for (guint i = 0; i < demand->distinct->len; i++) {
    if (powers && find_element_numbers(demand, i, table_words(twins, twins->classes->len)))
      table_add(twins, demand->distinct, i);
    else
      table_append(twins, i, g_array_index(demand->distinct, Distinct, i).times);
  }
}

SmbDemand *
smb_demand_new(const SmbArch *arch, const SmbArrayUse *use, const SmbLayout *original,
               SmbCounter counter) {
  g_autoptr(GArray) distinct = find_distinct(arch, use);
  if (!distinct)
    return NULL;
  guint n = distinct->len;
  g_autoptr(SmbDemand) demand = g_new0(SmbDemand, 1);
  demand->arch = arch;
  demand->counter = counter;
  demand->base = use->array->base;
  demand->element_bytes = original->element_bytes;
  for (guint i = 0; i < n; i++)
    demand->span =
        MAX(demand->span, smb_request_span(&g_array_index(distinct, Distinct, i).request));
  demand->distinct = g_steal_pointer(&distinct);
  demand->asked = g_new0(guint32, (gsize)n * demand->span + 1);
  demand->least = g_new0(guint64, n + 1);
  demand->rest = g_new0(guint64, n + 1);
  demand->requests = g_new0(SmbRequest, n + 1);
  demand->items = g_array_new(FALSE, FALSE, sizeof(Item));
  table_init(&demand->twins, demand->span, n);
  table_init(&demand->placed, 2 * demand->span, n);
  if (!take_requests(demand, original))
    return NULL;
  demand->item_start = g_new0(guint32, demand->items->len + 1);
  demand->item_row = g_new0(guint32, demand->items->len + 1);
  find_twins(demand);
  return g_steal_pointer(&demand);
}

void
smb_demand_free(SmbDemand *demand) {
  if (!demand)
    return;
  g_array_unref(demand->distinct);
  g_free(demand->asked);
  g_free(demand->least);
  table_clear(&demand->twins);
  table_clear(&demand->placed);
  g_free(demand->rest);
  g_free(demand->requests);
  g_array_unref(demand->items);
  g_free(demand->item_start);
  g_free(demand->item_row);
  g_free(demand);
}

guint64
smb_demand_counted(const SmbDemand *demand) {
  return demand->counted;
}

// Inlined, with a layout of which the compiler knows that nothing changes it. @row_shift: log2 of its columns; 0: they
// are no power of two, or 1.
static inline void
place_item(SmbDemand *demand, const SmbLayout *layout, guint row_shift, guint index) {
  const Item *item = &g_array_index(demand->items, Item, index);
  guint64 first = smb_layout_swizzle(layout, item->n);
  guint64 row = row_shift ? first >> row_shift : first / layout->columns;
  for (guint i = 1; i < item->n_elements; i++)
    demand->torn |= smb_layout_swizzle(layout, item->n + i) != first + i;
  demand->crosses |= first + item->n_elements > (row + 1) * layout->columns;
  guint32 start = (guint32)(first * layout->element_bytes + item->part);
  demand->item_start[index] = start;
  demand->item_row[index] = (guint32)row;
  demand->seen[smb_width_index(item->width)][row % SMB_MAX_WIDTH] |= 1u << start % SMB_MAX_WIDTH;
}

// Puts where a request lies behind the last class.
static guint32 *
place_request(const SmbDemand *demand, guint index) {
  const SmbRequest *request = &g_array_index(demand->distinct, Distinct, index).request;
  const guint32 *asked = &demand->asked[index * demand->span];
  guint32 *start = table_words(&demand->placed, demand->placed.classes->len);
  guint32 *row = start + demand->span;
  memset(start, 0, sizeof *start * demand->placed.n_words);
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    start[lane] = demand->item_start[asked[lane]];
    row[lane] = demand->item_row[asked[lane]];
  }
  return start;
}

// Moves a request towards the beginning of the array, by what changes its cost with no padding: bytes of
// whole grains, and rows whose padding is whole grains.
static void
move_to_front(const SmbDemand *demand, const SmbRequest *request, guint32 *start) {
  guint32 *row = start + demand->span;
  guint32 grain = get_grain(demand, request), element = demand->element_bytes;
  guint32 rows = grain / MIN(grain, element & (0u - element));
  guint32 least_start = G_MAXUINT32, least_row = G_MAXUINT32;
  SmbLanes active = smb_request_lanes(request);
  for (SmbLanes lanes = active; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    least_start = MIN(least_start, start[lane]);
    least_row = MIN(least_row, row[lane]);
  }
  least_start -= least_start % grain;
  least_row -= least_row % rows;
  for (SmbLanes lanes = active; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    start[lane] -= least_start;
    row[lane] -= least_row;
  }
}

// A request to be laid out: all of it but for its offsets.
static void
copy_kind(SmbRequest *to, const SmbRequest *from) {
  to->mask = from->mask;
  to->op = from->op;
  to->width = from->width;
  to->has_source = from->has_source;
  if (from->has_source)
    memcpy(to->source, from->source, sizeof to->source);
}

// What every class and those after it need at least; and the requests of those from @first on, but for their offsets.
static void
finish_classes(SmbDemand *demand, guint first) {
  const GArray *classes = demand->placed.classes;
  demand->rest[classes->len] = demand->least[demand->reached];
  for (guint i = classes->len; i > 0; i--) {
    const Class *class = &g_array_index(classes, Class, i - 1);
    const Distinct *leader = &g_array_index(demand->distinct, Distinct, class->leader);
    demand->rest[i - 1] = demand->rest[i] + leader->cost.ideal * class->times;
    if (i > first)
      copy_kind(&demand->requests[i - 1], &leader->request);
  }
}

// Lays out the distinct requests up to number @end; those that are the same but for a move are one class.
static void
extend_classes(SmbDemand *demand, guint end) {
  guint first = demand->placed.classes->len;
  demand->counted += end - demand->reached;
  for (; demand->reached < end; demand->reached++) {
    guint32 *start = place_request(demand, demand->reached);
    move_to_front(demand, &g_array_index(demand->distinct, Distinct, demand->reached).request,
                  start);
    table_add(&demand->placed, demand->distinct, demand->reached);
  }
  finish_classes(demand, first);
}

// Lays out one request of each class that does not depend on the strip.
static void
place_twins(SmbDemand *demand) {
  const GArray *twins = demand->twins.classes;
  for (guint i = 0; i < twins->len; i++) {
    const Class *class = &g_array_index(twins, Class, i);
    place_request(demand, class->leader);
    table_append(&demand->placed, class->leader, class->times);
  }
  demand->reached = demand->distinct->len;
  demand->counted += twins->len;
  finish_classes(demand, 0);
}

void
smb_demand_place(SmbDemand *demand, const Strip *strip) {
  const SmbLayout layout = strip->layout;
  gboolean power = (layout.columns & (layout.columns - 1)) == 0;
  guint row_shift = power ? (guint)__builtin_ctzll(layout.columns) : 0;
  memset(demand->seen, 0, sizeof demand->seen);
  demand->torn = demand->crosses = FALSE;
  for (guint i = 0; i < demand->items->len; i++)
    place_item(demand, &layout, row_shift, i);
  demand->reached = 0;
  table_empty(&demand->placed);
  if (demand->torn)
    return;
  if (strip->end_pad <= 1)
    place_twins(demand);
  else
    extend_classes(demand, MIN(PREFIX, demand->distinct->len));
}

gboolean
smb_demand_fits(const SmbDemand *demand, guint64 pad) {
  if (demand->torn || (demand->crosses && pad))
    return FALSE;
  // Whether an offset is a multiple of the width, its start and its row say modulo the longest width.
  for (guint i = 0; i < SMB_N_WIDTHS; i++) {
    for (guint row = 0; row < SMB_MAX_WIDTH; row++) {
      for (guint32 starts = demand->seen[i][row]; starts; starts &= starts - 1) {
        guint start = (guint)__builtin_ctz(starts);
        if ((demand->base + start + row * pad * demand->element_bytes) %
            smb_width_alignment(smb_width(i)))
          return FALSE;
      }
    }
  }
  return TRUE;
}

// Lays some requests out with @row_bytes of padding after each row.
static void
move_requests(SmbDemand *demand, guint first, guint end, guint32 row_bytes) {
  for (guint i = first; i < end; i++) {
    const guint32 *start = table_words(&demand->placed, i), *row = start + demand->span;
    guint32 *offset = demand->requests[i].offset;
    for (guint lane = 0; lane < demand->span; lane++)
      offset[lane] = demand->base + start[lane] + row[lane] * row_bytes;
  }
}

// Wavefronts of the requests in a class, and the least of the others; or any number above @limit.
static guint64
count_reached(SmbDemand *demand, guint64 pad, guint64 limit) {
  const GArray *classes = demand->placed.classes;
  guint64 total = 0;
  guint n = classes->len, first;
  for (first = 0; first < n && total + demand->rest[first] <= limit; first += CHUNK) {
    SmbWavefronts costs[CHUNK];
    guint end = MIN(first + CHUNK, n);
    move_requests(demand, first, end, (guint32)(pad * demand->element_bytes));
    smb_wavefronts_count_span(demand->arch, demand->counter, &demand->requests[first], end - first,
                              costs);
    demand->counted += end - first;
    for (guint i = first; i < end; i++)
      total += costs[i - first].wavefronts * g_array_index(classes, Class, i).times;
  }
  return total + demand->rest[MIN(first, n)];
}

guint64
smb_demand_count(SmbDemand *demand, guint64 pad, guint64 limit) {
  guint64 total = count_reached(demand, pad, limit);
  if (total > limit || demand->reached == demand->distinct->len)
    return total;
  extend_classes(demand, demand->distinct->len);
  return count_reached(demand, pad, limit);
}
