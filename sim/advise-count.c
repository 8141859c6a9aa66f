// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts the requests to an array in many layouts. What is the same in all of them is done once: equal
// requests are one with a number of times, whichever access and warp made them, and what a lane asks for
// is an item of a list. For each swizzle an item gets the byte at which it lies without padding, and its
// row; padding then only adds a multiple of the row. The most expensive requests are counted first, so
// that a layout that is not among the best is soon given up.
#include <string.h>

#include "sim/advise-impl.h"

enum {
  CHUNK = 16, // requests that are counted before asking whether it is too much already
};

// What a lane asks for: @n_elements from element @n on, beginning @part bytes into the first.
typedef struct {
  guint64 n;
  guint8 n_elements;
  guint8 part;
  guint8 width;
} Item;

typedef struct {
  guint32 lane[SMB_MAX_LANES];
} Lanes;

struct _Demand {
  const SmbArch *arch;
  SmbCounter counter;
  guint32 base;
  guint element_bytes;
  guint n;
  guint64 counted;
  SmbRequest *requests; // laid out like what was counted last
  guint64 *times;
  guint64 *least; // wavefronts that the requests from each on need in any layout; one more: 0
  Lanes *asked;   // index of an item
  Lanes *start;   // byte in the array, without padding
  Lanes *row;
  GArray *items;
  guint32 *item_start;
  guint32 *item_row;
  gboolean torn;    // without padding
  gboolean crosses; // from one row to the next
  guint32 seen[SMB_N_WIDTHS]
              [SMB_MAX_WIDTH]; // by width, row and start modulo the longest: a set of starts
};

Asks
advise_asks(const SmbProgram *kernel, const SmbArray *array, const SmbRequest *request) {
  gboolean asks = FALSE, others = FALSE;
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint32 offset = request->offset[smb_lanes_first(lanes)];
    gboolean within = smb_program_array_at(kernel, offset) == array;
    asks |= within;
    others |= !within;
  }
  return !asks ? ASKS_NOTHING : others ? ASKS_MIXED : ASKS_ALL;
}

static guint
hash_request(gconstpointer key) {
  const SmbRequest *request = key;
  guint64 hash = (guint64)request->mask << 16 | (guint64)request->op << 8 | request->width;
  for (guint lane = 0; lane < smb_request_span(request); lane++)
    hash = (hash ^ (hash >> 29) ^ request->offset[lane]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  return (guint)(hash >> 32);
}

static gboolean
equal_requests(gconstpointer a, gconstpointer b) {
  const SmbRequest *x = a, *y = b;
  return x->mask == y->mask && x->op == y->op && x->width == y->width &&
         memcmp(x->offset, y->offset, smb_request_span(x) * sizeof x->offset[0]) == 0;
}

// A distinct request, and what it costs now.
typedef struct {
  SmbRequest request;
  guint64 times;
  SmbWavefronts cost;
} Distinct;

// By what all of its kind cost beyond the least, the most first; else in any order that is always the same.
static int
compare_distinct(gconstpointer a, gconstpointer b) {
  const Distinct *x = a, *y = b;
  guint64 p = x->cost.excess * x->times, q = y->cost.excess * y->times;
  if (p != q)
    return p > q ? -1 : 1;
  if (x->request.mask != y->request.mask)
    return x->request.mask < y->request.mask ? -1 : 1;
  return memcmp(x->request.offset, y->request.offset,
                smb_request_span(&x->request) * sizeof x->request.offset[0]);
}

// The distinct requests to @array (element-type Distinct); %NULL if one asks for something else as well.
static GArray *
find_distinct(const SmbProgram *kernel, const SmbArch *arch, const SmbAnalysis *analysis,
              const SmbArray *array) {
  g_autoptr(GHashTable) table = g_hash_table_new(hash_request, equal_requests);
  g_autoptr(GArray) distinct = g_array_new(FALSE, FALSE, sizeof(Distinct));
  for (guint i = 0; i < analysis->requests->len; i++) {
    SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
    Asks asks = advise_asks(kernel, array, &made->request);
    if (asks == ASKS_MIXED)
      return NULL;
    if (asks == ASKS_NOTHING)
      continue;
    gpointer index;
    if (g_hash_table_lookup_extended(table, &made->request, NULL, &index)) {
      g_array_index(distinct, Distinct, GPOINTER_TO_UINT(index)).times += made->count;
      continue;
    }
    Distinct one = {made->request, made->count, smb_wavefronts_count(arch, &made->request)};
    g_hash_table_insert(table, &made->request, GUINT_TO_POINTER(distinct->len));
    g_array_append_val(distinct, one);
  }
  g_array_sort(distinct, compare_distinct);
  return g_steal_pointer(&distinct);
}

// The item of @width bytes at @offset of the array. %FALSE if that is no element of @original.
static gboolean
find_item(Demand *demand, const SmbLayout *original, GHashTable *known, guint32 offset, guint width,
          guint32 *index) {
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
take_requests(Demand *demand, const SmbLayout *original, const GArray *distinct) {
  g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < demand->n; i++) {
    const Distinct *one = &g_array_index(distinct, Distinct, i);
    demand->requests[i] = one->request;
    demand->times[i] = one->times;
    for (SmbLanes lanes = smb_request_lanes(&one->request); lanes; lanes &= lanes - 1) {
      guint lane = smb_lanes_first(lanes);
      guint32 offset = one->request.offset[lane] - demand->base;
      if (!find_item(demand, original, known, offset, one->request.width,
                     &demand->asked[i].lane[lane]))
        return FALSE;
    }
  }
  // Which lanes share an address is the same in every layout, and with it what is ideal.
  for (guint i = demand->n; i > 0; i--) {
    const Distinct *one = &g_array_index(distinct, Distinct, i - 1);
    demand->least[i - 1] = demand->least[i] + one->cost.ideal * one->times;
  }
  return TRUE;
}

Demand *
demand_new(const SmbProgram *kernel, const SmbArch *arch, const SmbAnalysis *analysis,
           const SmbArray *array, const SmbLayout *original, SmbCounter counter) {
  g_autoptr(GArray) distinct = find_distinct(kernel, arch, analysis, array);
  if (!distinct)
    return NULL;
  g_autoptr(Demand) demand = g_new0(Demand, 1);
  demand->arch = arch;
  demand->counter = counter;
  demand->base = array->base;
  demand->element_bytes = original->element_bytes;
  demand->n = distinct->len;
  demand->requests = g_new0(SmbRequest, demand->n + 1);
  demand->times = g_new0(guint64, demand->n + 1);
  demand->least = g_new0(guint64, demand->n + 1);
  demand->asked = g_new0(Lanes, demand->n + 1);
  demand->start = g_new0(Lanes, demand->n + 1);
  demand->row = g_new0(Lanes, demand->n + 1);
  demand->items = g_array_new(FALSE, FALSE, sizeof(Item));
  if (!take_requests(demand, original, distinct))
    return NULL;
  demand->item_start = g_new0(guint32, demand->items->len + 1);
  demand->item_row = g_new0(guint32, demand->items->len + 1);
  return g_steal_pointer(&demand);
}

void
demand_free(Demand *demand) {
  if (!demand)
    return;
  g_free(demand->requests);
  g_free(demand->times);
  g_free(demand->least);
  g_free(demand->asked);
  g_free(demand->start);
  g_free(demand->row);
  g_array_unref(demand->items);
  g_free(demand->item_start);
  g_free(demand->item_row);
  g_free(demand);
}

guint64
demand_counted(const Demand *demand) {
  return demand->counted;
}

static void
place_item(Demand *demand, const SmbLayout *layout, guint index) {
  const Item *item = &g_array_index(demand->items, Item, index);
  guint64 first = smb_layout_swizzle(layout, item->n);
  guint64 row = first / layout->columns;
  for (guint i = 1; i < item->n_elements; i++)
    demand->torn |= smb_layout_swizzle(layout, item->n + i) != first + i;
  demand->crosses |= (first + item->n_elements - 1) / layout->columns != row;
  guint32 start = (guint32)(first * layout->element_bytes + item->part);
  demand->item_start[index] = start;
  demand->item_row[index] = (guint32)row;
  demand->seen[smb_width_index(item->width)][row % SMB_MAX_WIDTH] |= 1u << start % SMB_MAX_WIDTH;
}

void
demand_place(Demand *demand, const SmbLayout *layout) {
  memset(demand->seen, 0, sizeof demand->seen);
  demand->torn = demand->crosses = FALSE;
  for (guint i = 0; i < demand->items->len; i++)
    place_item(demand, layout, i);
  if (demand->torn)
    return;
  demand->counted += demand->n;
  for (guint i = 0; i < demand->n; i++) {
    for (guint lane = 0; lane < smb_request_span(&demand->requests[i]); lane++) {
      demand->start[i].lane[lane] = demand->item_start[demand->asked[i].lane[lane]];
      demand->row[i].lane[lane] = demand->item_row[demand->asked[i].lane[lane]];
    }
  }
}

gboolean
demand_fits(const Demand *demand, guint64 pad) {
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
move_requests(Demand *demand, guint first, guint end, guint32 row_bytes) {
  for (guint i = first; i < end; i++) {
    const guint32 *start = demand->start[i].lane, *row = demand->row[i].lane;
    guint32 *offset = demand->requests[i].offset;
    for (guint lane = 0; lane < smb_request_span(&demand->requests[i]); lane++)
      offset[lane] = demand->base + start[lane] + row[lane] * row_bytes;
  }
}

guint64
demand_count(Demand *demand, guint64 pad, guint64 limit) {
  guint64 total = 0;
  for (guint first = 0; first < demand->n; first += CHUNK) {
    SmbWavefronts costs[CHUNK];
    guint end = MIN(first + CHUNK, demand->n);
    move_requests(demand, first, end, (guint32)(pad * demand->element_bytes));
    smb_wavefronts_count_span(demand->arch, demand->counter, &demand->requests[first], end - first,
                              costs);
    demand->counted += end - first;
    for (guint i = first; i < end; i++)
      total += costs[i - first].wavefronts * demand->times[i];
    if (total + demand->least[end] > limit)
      return total + demand->least[end];
  }
  return total;
}
