// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The distinct requests of an analysis: which a warp makes again and again is kept once, with a count.
#include <string.h>

#include "sim/analysis/impl.h"
#include "sim/base/order.h"

// A request of a site, in the order in which a worker saw it first.
typedef struct {
  guint site;
  SmbAccessRequest seen;
  gsize order;
} Seen;

struct _Requests {
  GHashTable *table; // Seen
  guint64 dropped;
};

static guint
hash_seen(gconstpointer key) {
  const Seen *seen = key;
  const SmbRequest *request = &seen->seen.request;
  guint64 hash = (guint64)seen->site << 32 | seen->seen.warp;
  hash = (hash ^ request->mask) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  for (guint lane = 0; lane < smb_request_span(request); lane++)
    hash = (hash ^ (hash >> 29) ^ request->offset[lane]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  return (guint)(hash >> 32);
}

static gboolean
equal_seen(gconstpointer a, gconstpointer b) {
  const Seen *x = a, *y = b;
  const SmbRequest *p = &x->seen.request, *q = &y->seen.request;
  return x->site == y->site && x->seen.warp == y->seen.warp && p->mask == q->mask &&
         p->op == q->op && p->width == q->width &&
         memcmp(p->offset, q->offset, smb_request_span(p) * sizeof p->offset[0]) == 0 &&
         smb_request_same_source(p, q);
}

Requests *
smb_requests_new(void) {
  Requests *requests = g_new0(Requests, 1);
  requests->table = g_hash_table_new_full(hash_seen, equal_seen, g_free, NULL);
  return requests;
}

void
smb_requests_free(Requests *requests) {
  if (!requests)
    return;
  g_hash_table_unref(requests->table);
  g_free(requests);
}

void
smb_requests_note(Requests *requests, guint site, guint warp, const SmbShare *share,
                  const SmbRequest *request) {
  Seen key = {
      site, {0, warp, share->block, share->times, *request}, g_hash_table_size(requests->table)};
  for (guint lane = 0; lane < smb_request_span(request); lane++) {
    key.seen.request.offset[lane] &= 0u - (guint32)(request->mask >> lane & 1);
    if (!request->has_source || !(request->mask >> lane & 1))
      key.seen.request.source[lane] = 0;
  }
  Seen *known = g_hash_table_lookup(requests->table, &key);
  if (known) {
    known->seen.count += share->times;
    known->seen.block = MIN(known->seen.block, share->block);
  } else if (key.order < SMB_ANALYSIS_MAX_REQUESTS)
    g_hash_table_add(requests->table, g_memdup2(&key, sizeof key));
  else
    requests->dropped += share->times;
}

// Takes what one worker saw to what others did; the first block that made a request keeps its order.
static void
merge(GHashTable *into, const Requests *from) {
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init(&iter, from->table);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    Seen *more = key, *known = g_hash_table_lookup(into, more);
    if (!known) {
      g_hash_table_add(into, more);
      continue;
    }
    if (more->seen.block < known->seen.block) {
      known->seen.block = more->seen.block;
      known->order = more->order;
    }
    known->seen.count += more->seen.count;
  }
}

static int
compare_seen(gconstpointer a, gconstpointer b) {
  const Seen *x = *(const Seen *const *)a, *y = *(const Seen *const *)b;
  return smb_order(x->seen.access, y->seen.access) ?: smb_order(x->seen.warp, y->seen.warp)
         ?: smb_order(x->seen.block, y->seen.block) ?: smb_order(x->order, y->order);
}

// Index of the access of each site.
static guint *
map_sites(const SmbAnalysis *analysis, const SmbProgram *program) {
  guint n = smb_program_n_sites(program);
  guint *accesses = g_new0(guint, n + 1);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbSite *site = g_array_index(analysis->accesses, SmbAccess, i).site;
    accesses[site - smb_program_site(program, 0)] = i;
  }
  return accesses;
}

void
smb_requests_collect(SmbAnalysis *analysis, const SmbProgram *program, const GPtrArray *kept) {
  g_autoptr(GHashTable) table = g_hash_table_new(hash_seen, equal_seen);
  g_autoptr(GPtrArray) sorted = g_ptr_array_new();
  g_autofree guint *accesses = map_sites(analysis, program);
  for (guint i = 0; i < kept->len; i++) {
    const Requests *requests = g_ptr_array_index(kept, i);
    merge(table, requests);
    analysis->requests_dropped += requests->dropped;
  }
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init(&iter, table);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    Seen *seen = key;
    seen->seen.access = accesses[seen->site];
    g_ptr_array_add(sorted, seen);
  }
  g_ptr_array_sort(sorted, compare_seen);
  analysis->requests = g_array_sized_new(FALSE, FALSE, sizeof(SmbAccessRequest), sorted->len);
  for (guint i = 0; i < sorted->len; i++)
    g_array_append_val(analysis->requests, ((const Seen *)g_ptr_array_index(sorted, i))->seen);
}
