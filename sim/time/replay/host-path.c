// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of the host that a kernel uses in place, over PCIe. What is loaded stays in the first-level cache, and nowhere else. Both directions move pairs of
// sectors, each by itself, and take an even part of what all multiprocessors ask for.
//
// Measured on an H200 at PCIe 5 x16 (tests/gpu/time/launches.cu, 2026-11-29). Loads of whole lines take 2.6 ns a line, of half of each 1.5, of a sector of each
// 1.5, of every other sector 2.2. Stores take 2.4, 1.4, 1.9 and 2.6 ns, and 2.0 for each sector of which a word is stored.
//
// Not modelled: that a pair that is alone in its line takes 0.2 ns longer, and half a pair that is stored 0.6.
#include "sim/time/replay/multiprocessor-impl.h"

static double
move_pairs(double *free, double *busy, double start, double cycles) {
  *free = MAX(start, *free) + cycles;
  *busy += cycles;
  return *free;
}

double
smb_host_path_load(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                   double start) {
  const SmbChip *chip = sm->chip;
  double *pending[4 * SMB_NVIDIA_LANES];
  double ready = start + chip->l1_latency;
  guint n_pending = 0, pairs = 0;
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line =
        &g_array_index(warp->record->lines, SmbTimedLine, request->first + i);
    guint64 tag = smb_memory_path_tag(sm, warp->sequence, line, request->site);
    guint8 missing = line->sectors;
    if (request->is_strong || request->stores_host) {
      smb_l1_cache_drop(sm->cache, tag, line->sectors);
    } else {
      double *when = smb_l1_cache_load(sm->cache, tag, line->sectors, &missing);
      ready = MAX(ready, *when);
      if (missing && n_pending < G_N_ELEMENTS(pending))
        pending[n_pending++] = when;
    }
    pairs += (guint)__builtin_popcount(smb_sector_pairs(missing));
  }
  if (pairs == 0)
    return ready;
  double cycles = pairs * PAIR_BYTES * sm->chip_cycles / chip->host_load;
  double there = move_pairs(&sm->host_loads, &sm->host_load_busy, start, cycles) +
                 chip->host_latency * sm->replay->clock_khz / 1e6;
  for (guint i = 0; i < n_pending; i++)
    *pending[i] = there;
  return MAX(ready, there);
}

void
smb_host_path_store(Multiprocessor *sm, guint8 sectors, guint partial, double start) {
  const SmbChip *chip = sm->chip;
  double pairs = __builtin_popcount(smb_sector_pairs(sectors)) * PAIR_BYTES / chip->host_store;
  double seconds = MAX(pairs, partial * chip->host_partial / 1e9);
  move_pairs(&sm->host_stores, &sm->host_store_busy, start, seconds * sm->chip_cycles);
}
