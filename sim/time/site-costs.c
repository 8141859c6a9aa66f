// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/site-costs.h"

#include <math.h>

#include "sim/base/parallel.h"

// How much the conflicts of a site may come at other times than what is executed besides, as a part of them.
#define STEADY 0.1

enum {
  MIN_INSTRUCTIONS = 1 << 17, // that are replayed for a site,
  WINDOWS = 4,                // and how many times as many, if blocks are longer than that
};

// How many instructions of each warp are enough for as many as are replayed, if all blocks that are resident have as many.
static guint
find_site_window(const SmbReplay *replay, const GPtrArray *records) {
  guint warps = 1;
  for (guint r = 0; r < records->len; r++)
    warps = MAX(warps, ((const SmbBlockRecord *)g_ptr_array_index(records, r))->warps->len);
  return MAX(1, (guint)(WINDOWS * replay->max_instructions / (replay->resident * warps)));
}

// Wavefronts in excess, and instructions: of the records, and of the first @window instructions of each of their warps.
typedef struct {
  double whole, window;
} Occurrence;

static void
count_warp(const SmbBlockRecord *record, const GArray *events, guint window, Occurrence *sites,
           Occurrence *all) {
  for (guint e = 0; e < events->len; e++) {
    guint32 number = g_array_index(events, SmbEvent, e).request;
    if (!number)
      continue;
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, number - 1);
    guint excess = request->wavefronts > request->ideal ? request->wavefronts - request->ideal : 0;
    sites[request->site].whole += excess;
    sites[request->site].window += e < window ? excess : 0;
  }
  all->whole += events->len;
  all->window += MIN(events->len, window);
}

// For each site whether it has as many conflicts in the first @window instructions of warps, in proportion, as in all of them: in the
// body of a loop it does, at the end of a kernel it does not.
static guint8 *
find_steady(const GPtrArray *records, guint n_sites, guint window) {
  guint8 *steady = g_new0(guint8, n_sites);
  g_autofree Occurrence *sites = g_new0(Occurrence, n_sites);
  Occurrence all = {0};
  for (guint r = 0; r < records->len; r++) {
    const SmbBlockRecord *record = g_ptr_array_index(records, r);
    for (guint w = 0; w < record->warps->len; w++)
      count_warp(record, g_ptr_array_index(record->warps, w), window, sites, &all);
  }
  for (guint s = 0; s < n_sites; s++) {
    double expected = all.whole > 0 ? sites[s].whole * all.window / all.whole : 0;
    steady[s] = sites[s].whole > 0 && fabs(sites[s].window - expected) <= STEADY * expected;
  }
  return steady;
}

// One replay of the launch. @relieved: the site that has no conflicts; %ALL_AS_IT_IS: none. @window: SmbReplay.max_warp_events
typedef struct {
  guint relieved;
  guint window;
  double cycles;
} SiteReplay;

enum {
  ALL_AS_IT_IS = G_MAXUINT
};

typedef struct {
  const SmbReplay *launch;
  const SmbLot *lot;
  GArray *replays; // element-type SiteReplay
  guint n_sites;
} SiteReplays;

static void
run_site_replay(gpointer user, guint item) {
  const SiteReplays *work = user;
  SiteReplay *own = &g_array_index(work->replays, SiteReplay, item);
  SmbReplay replay = *work->launch;
  SmbReplayed replayed;
  g_autofree guint8 *relieved = g_new0(guint8, work->n_sites);
  if (own->relieved != ALL_AS_IT_IS)
    relieved[own->relieved] = TRUE;
  replay.relieved = relieved;
  replay.max_warp_events = own->window;
  own->cycles = smb_lot_replay(&replay, work->lot, &replayed);
}

// The index of a replay, which is new if there was none with such numbers.
static guint
plan_replay(GArray *replays, guint relieved, guint window) {
  guint i = 0;
  for (; i < replays->len; i++) {
    const SiteReplay *known = &g_array_index(replays, SiteReplay, i);
    if (known->relieved == relieved && known->window == window)
      return i;
  }
  const SiteReplay replay = {.relieved = relieved, .window = window};
  g_array_append_val(replays, replay);
  return i;
}

void
smb_site_costs(const SmbReplay *launch, const SmbLot *lot, guint n_sites, guint n_threads,
               GArray *sites) {
  SmbReplay replay = *launch;
  g_autoptr(GArray) replays = g_array_new(FALSE, FALSE, sizeof(SiteReplay));
  SiteReplays work = {&replay, lot, replays, n_sites};
  replay.max_instructions = MAX(MIN_INSTRUCTIONS, launch->max_instructions / (sites->len + 1));
  guint window = find_site_window(&replay, lot->records);
  g_autofree guint8 *steady = find_steady(lot->records, n_sites, window);
  g_autofree guint *with = g_new(guint, sites->len);
  g_autofree guint *without = g_new(guint, sites->len);
  for (guint i = 0; i < sites->len; i++) {
    guint site = g_array_index(sites, SmbSiteTime, i).site;
    with[i] = plan_replay(replays, ALL_AS_IT_IS, steady[site] ? window : 0);
    without[i] = plan_replay(replays, site, steady[site] ? window : 0);
  }
  smb_parallel_run(replays->len, n_threads, run_site_replay, &work);
  for (guint i = 0; i < sites->len; i++)
    g_array_index(sites, SmbSiteTime, i).cycles =
        MAX(0, g_array_index(replays, SiteReplay, with[i]).cycles -
                   g_array_index(replays, SiteReplay, without[i]).cycles);
}
