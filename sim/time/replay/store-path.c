// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The way of stores to the second-level cache. Those of the sub-partitions take turns to come to the buffer in which lines wait for others, whatever the order
// in which they were issued: so four warps of as many sub-partitions that store to eight lines each find none of these again, and to six all (an H200).
//
// The pipe takes a store when load-store-unit.c says so. Which one of a sub-partition's comes at that time is decided here, when it has passed: nobody waits for
// what becomes of a store.
#include "sim/time/replay/multiprocessor-impl.h"

// --- lines that are sent

// While a line leaves of which some sectors are not whole, the first-level cache looks up nothing (an H200: stores of a word to 32 lines take 64 cycles, as
// beside 16 LDS, and 83 to 88 beside a load of 32 wavefronts).
static void
send_line(Multiprocessor *sm, const SmbStoreLine *line, double start) {
  guint partial = smb_store_line_partial(line);
  if (partial) {
    sm->look_up = MAX(start, sm->look_up) + sm->chip->l2_partial_line;
    sm->look_up_busy += sm->chip->l2_partial_line;
  }
  if (line->is_host)
    smb_host_path_store(sm, line->sectors, partial, start);
  else if (line->tag)
    smb_memory_path_send(sm, start, (guint)__builtin_popcount(line->sectors), partial);
}

// How long the way of stores is taken for lines that have not come to the buffer, if each is sent as it is.
static double
count_leaving(const Multiprocessor *sm, const SmbTimedLine *lines, guint n) {
  double cycles = 0;
  for (guint i = 0; i < n; i++) {
    const SmbTimedLine *line = &lines[i];
    const SmbStoreLine stored = {.words = line->words, .sectors = line->sectors};
    cycles += smb_memory_path_leave(sm->chip, (guint)__builtin_popcount(line->sectors),
                                    smb_store_line_partial(&stored));
  }
  return cycles;
}

// Lines that are whole leave when there is nothing else on their way.
static void
send_whole(Multiprocessor *sm, double now) {
  while (sm->leaving <= now) {
    SmbStoreLine line = smb_store_buffer_take_whole(&sm->stores);
    if (!line.tag)
      return;
    send_line(sm, &line, now);
  }
}

static void
put_lines(Multiprocessor *sm, const SentStore *store, double start) {
  const SmbTimedRequest *request = store->request;
  sm->leaving -= store->leaving;
  send_whole(sm, start);
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line = &store->lines[i];
    SmbStoreLine stored = {
        .tag = smb_memory_path_tag(sm, store->sequence, line, request->site),
        .warps = 1ULL << store->place,
        .words = line->words,
        .sectors = line->sectors,
        .is_host = request->stores_host,
    };
    stored = smb_store_buffer_put(&sm->stores, (guint)sm->chip->store_lines, stored);
    send_line(sm, &stored, start);
  }
}

// --- turns

// Lines of the warps that have ended behind their last store leave.
static void
end_warps(Multiprocessor *sm, SentStores *stores, double when) {
  for (; stores->n && !stores->waiting[stores->at].request; stores->n--) {
    guint place = stores->waiting[stores->at].place;
    SmbStoreLine line = smb_store_buffer_end(&sm->stores, place);
    for (; line.tag; line = smb_store_buffer_end(&sm->stores, place))
      send_line(sm, &line, when);
    stores->at = (stores->at + 1) % MAX_SENT_STORES;
  }
}

// The stores of the sub-partition whose turn it is, of those that have any.
static SentStores *
choose_stores(Multiprocessor *sm) {
  for (guint i = 0; i < N_PARTITIONS; i++) {
    guint p = (sm->store_turn + i) % N_PARTITIONS;
    if (!sm->partitions[p].stores.n)
      continue;
    sm->store_turn = (p + 1) % N_PARTITIONS;
    return &sm->partitions[p].stores;
  }
  return NULL;
}

// All that the pipe has taken by @now.
static void
serve_stores(Multiprocessor *sm, double now) {
  while (sm->n_store_times && sm->store_times[sm->n_store_times - 1] <= now) {
    double when = sm->store_times[--sm->n_store_times];
    SentStores *stores = choose_stores(sm);
    put_lines(sm, &stores->waiting[stores->at], when);
    stores->at = (stores->at + 1) % MAX_SENT_STORES;
    stores->n--;
    end_warps(sm, stores, when);
  }
}

// The last times first.
static void
note_time(Multiprocessor *sm, double when) {
  guint at = sm->n_store_times++;
  for (; at > 0 && sm->store_times[at - 1] < when; at--)
    sm->store_times[at] = sm->store_times[at - 1];
  sm->store_times[at] = when;
}

static void
push_store(Partition *partition, SentStore store) {
  SentStores *stores = &partition->stores;
  stores->waiting[(stores->at + stores->n++) % MAX_SENT_STORES] = store;
}

void
smb_store_path_ask(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                   double start) {
  Partition *partition = &sm->partitions[warp->partition];
  serve_stores(sm, warp->issued);
  if (partition->stores.n == MAX_SENT_STORES)
    serve_stores(sm, NEVER);
  const SmbTimedLine *lines = &g_array_index(warp->record->lines, SmbTimedLine, request->first);
  const SentStore store = {
      .request = request,
      .lines = lines,
      .sequence = warp->sequence,
      .place = smb_warp_place(sm, warp),
      .leaving = count_leaving(sm, lines, request->n),
  };
  push_store(partition, store);
  note_time(sm, start);
  sm->leaving = MAX(start, sm->leaving) + store.leaving;
}

void
smb_store_path_end(Multiprocessor *sm, const TimedWarp *warp) {
  Partition *partition = &sm->partitions[warp->partition];
  if (partition->stores.n == MAX_SENT_STORES)
    serve_stores(sm, NEVER);
  push_store(partition, (SentStore){.place = smb_warp_place(sm, warp)});
  if (partition->stores.n == 1)
    end_warps(sm, &partition->stores, warp->issued);
}

void
smb_store_path_finish(Multiprocessor *sm) {
  serve_stores(sm, NEVER);
}
