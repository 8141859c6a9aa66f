// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What requests of memory take: wavefronts of the pipe, bandwidth of the second-level cache and of DRAM, and how long they are on their way.
// Each resource is a time at which it is free again. What this multiprocessor has of what all share is an even part of it.
#include <math.h>

#include "sim/base/hash.h"
#include "sim/time/multiprocessor-impl.h"

enum {
  OPEN_CHANGES = 16, // that a multiprocessor has sent to one slice and that are not done: assumed
};

// Cycles of the pipe; at least one. That of a request without active lanes is one, or two where the pipe exchanges or reads a register.
double
smb_memory_path_cycles(const Multiprocessor *sm, const SmbTimedRequest *request,
                       const SmbTiming *timing) {
  if (!request)
    return timing->rate == SMB_RATE_REDUCE || timing->rate == SMB_RATE_SYSTEM ? 2 : 1;
  gboolean is_relieved = sm->replay->relieved && sm->replay->relieved[request->site];
  double shared = is_relieved ? request->ideal : request->wavefronts;
  // A copy past the first-level cache takes a slot (an H200: as many wavefronts of the pipe), another one also its wavefronts.
  if (timing->rate == SMB_RATE_COPY)
    return shared + 1;
  // Lanes of an atomic that change one word go one after the other (an H200: 32 of them take 32 cycles).
  if (request->is_load && request->is_store)
    return MAX(MAX(1, request->same), sm->chip->atomic_interval * request->sectors);
  return MAX(1, shared + request->loads);
}

// Each further wavefront comes two cycles later, as does what an atomic sends in addition.
double
smb_memory_path_latency(const SmbChip *chip, const SmbTiming *timing, double wavefronts) {
  double first = timing->write_board == SMB_NO_BOARD || timing->sends < 2
                     ? chip->shared_latency
                     : chip->atomic_latency + 2 * (timing->sends - 2) * chip->register_interval;
  return first + MAX(0, wavefronts - 1) * chip->wavefront_latency;
}

// What a server was busy of late, of whose time @cycles are taken now.
static void
add_load(Load *load, double now, double cycles) {
  enum {
    MEMORY = 4096
  }; // cycles, of the average
  double passed = MAX(0, now - load->at);
  load->average = load->average * exp(-passed / MEMORY) + cycles / MEMORY;
  load->at = MAX(load->at, now);
}

// How long a request waits because others come when they like: that of a queue whose server takes as long for each (M/D/1).
static double
find_wait(const Load *load, double scale) {
  double busy = MIN(load->average, 0.8);
  return scale * busy / (2 * (1 - busy));
}

// DRAM reads or writes sectors. That what is written stays in the second-level cache for a while makes no launch faster (an H200: launches
// that leave 22 of 33 MB there take as long as those that leave 5).
static void
move_dram(Multiprocessor *sm, double start, double bytes, gboolean reads) {
  const SmbChip *chip = sm->chip;
  double cycles = bytes * sm->chip_cycles / (reads ? chip->dram_read : chip->dram_write);
  sm->dram = MAX(start, sm->dram) + cycles;
  add_load(&sm->dram_load, start, cycles);
  sm->busy[SMB_UNIT_DRAM] += cycles;
}

// Sectors that are loaded from the second-level cache, @of_dram of them from DRAM. When the last of them is there. @cycles: that the cache
// takes for them; @latency: of the first
static double
load_sectors(Multiprocessor *sm, double start, double cycles, guint of_dram, double latency) {
  const SmbChip *chip = sm->chip;
  double begin = MAX(start, sm->l2);
  sm->l2 = begin + cycles;
  sm->busy[SMB_UNIT_L2] += cycles;
  add_load(&sm->l2_load, begin, cycles);
  double there = sm->l2 + latency + find_wait(&sm->l2_load, chip->l2_wait);
  if (of_dram == 0)
    return there;
  move_dram(sm, begin, of_dram * (double)SECTOR_BYTES, TRUE);
  double behind = sm->dram_latency - chip->l2_latency + latency;
  return MAX(there, sm->dram + behind + find_wait(&sm->dram_load, chip->dram_wait));
}

static void
store_sectors(Multiprocessor *sm, double start, guint sectors, guint partial) {
  double bytes = sectors * (double)SECTOR_BYTES;
  double cycles =
      (sectors - partial) * SECTOR_BYTES / sm->l2_write + partial * sm->chip->l2_partial;
  sm->l2_writes = MAX(start, sm->l2_writes) + cycles;
  sm->busy[SMB_UNIT_L2] += cycles;
  move_dram(sm, start, bytes * sm->replay->footprint->distinct, FALSE);
}

// An atomic changes a line in the slice of the second-level cache that has it. Its lines are spread over the slices as good as at random.
// Where other multiprocessors change the same line at the same time, they queue at its slice, and this one sees what all of them ask for.
// @askers: blocks that change it. Returns when it is done, or @before if that is later.
static double
change_line(Multiprocessor *sm, double start, const SmbTimedLine *line, guint64 tag, double askers,
            double before) {
  const SmbChip *chip = sm->chip;
  const guint n_slices = (guint)chip->l2_slices;
  double khz = sm->replay->clock_khz, together = MIN(sm->working, askers);
  double sectors = chip->atomic_sector * __builtin_popcount(line->sectors) * khz / 1e6;
  double words = chip->atomic_word * line->same * khz / 1e6;
  double even = MAX(sectors, chip->atomic_lane * line->lanes * khz / 1e6) * sm->working / n_slices;
  double cycles = MAX(sectors, words);
  sm->changes = MAX(start, sm->changes) + even;
  sm->busy[SMB_UNIT_L2] += even;
  if (together <= 1)
    return MAX(before, sm->changes);
  guint64 place = 0;
  smb_hash_mix(&place, tag >> SMB_SLICE_SHIFT);
  guint number = (guint)(place >> 32) % n_slices;
  double *slice = &sm->slices[number];
  *slice = MAX(start, *slice) + cycles * together;
  sm->slice_busy[number] += cycles * together;
  if (*slice >= sm->hottest) {
    sm->hottest = *slice;
    sm->hot_cycles = cycles * together;
  }
  return MAX(before, MAX(sm->changes, *slice));
}

// No more is asked for while so much is on its way.
double
smb_memory_path_room(const Multiprocessor *sm, double start) {
  const SmbChip *chip = sm->chip;
  start = MAX(start, sm->hottest - OPEN_CHANGES * sm->hot_cycles);
  start = MAX(start, sm->changes - chip->l2_latency);
  double l2 = sm->l2 - chip->open_bytes / sm->l2_read;
  double writes = sm->l2_writes - chip->open_bytes / sm->l2_write;
  double dram = sm->dram - chip->open_bytes * sm->chip_cycles / chip->dram_read;
  return MAX(MAX(start, writes), MAX(l2, dram));
}

// Tells a line of the block from the same one of another block, unless they share it.
static guint64
tag_of(const Multiprocessor *sm, const TimedWarp *warp, const SmbTimedLine *line, guint sharing) {
  guint64 block = (guint64)((double)warp->sequence * sm->chip->multiprocessors), tag = 0;
  for (guint d = 0; d < 3; d++) {
    guint64 place = block % sm->replay->grid[d];
    block /= sm->replay->grid[d];
    tag = tag * 65599 + (sharing >> d & 1 ? 0 : place + 1);
  }
  return line->line ^ tag << 34;
}

// Whether DRAM has to serve what blocks along @sharing ask for at the same time, and this one between two of its barriers: one in so
// many of these is the first to ask.
static gboolean
is_first_asker(Multiprocessor *sm, const TimedWarp *warp, guint sharing) {
  TimedBlock *block = &sm->blocks[warp->block];
  const SmbFootprint *footprint = sm->replay->footprint;
  const double *shares =
      warp->sequence < sm->replay->resident ? footprint->first : footprint->later;
  if (block->phase_of[sharing] != block->phase) {
    block->phase_of[sharing] = block->phase;
    sm->due[sharing] += shares[sharing];
    block->is_first[sharing] = sm->due[sharing] >= 1;
    sm->due[sharing] -= block->is_first[sharing];
  }
  return block->is_first[sharing] && !sm->replay->is_warm;
}

// A request of global memory that the pipe takes at @start. When what it loads is there.
double
smb_memory_path_ask(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                    double start) {
  guint sharing = sm->replay->footprint->sharing[request->site];
  gboolean is_first = request->is_load && is_first_asker(sm, warp, sharing);
  guint missing = 0, of_dram = 0, written = 0, partial = 0;
  double changed = start;
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line =
        &g_array_index(warp->record->lines, SmbTimedLine, request->first + i);
    guint sectors = (guint)__builtin_popcount(line->sectors);
    written += request->is_store ? sectors : 0;
    partial += (guint)__builtin_popcount(line->partial);
    if (!request->is_load && !request->is_local)
      continue;
    guint64 tag = tag_of(sm, warp, line, sharing);
    double askers = 1 / sm->replay->footprint->first[sharing];
    if (request->is_local && request->is_store) // it goes to the second-level cache, too
      smb_l1_cache_load(sm->cache, tag, line->sectors);
    else if (request->is_store) // atomics are made in the second-level cache
      changed = change_line(sm, start, line, tag, askers, changed);
    else
      missing += smb_l1_cache_load(sm->cache, tag, line->sectors);
    of_dram += is_first ? (guint)__builtin_popcount(line->news) : 0;
  }
  double there = start + sm->chip->l1_latency;
  if (written && !request->is_load)
    store_sectors(sm, start, written, partial);
  if (missing) {
    double bytes = missing * (double)SECTOR_BYTES;
    double unmerged = bytes * sm->replay->footprint->first[sharing];
    there = load_sectors(sm, start, MAX(bytes / sm->l2_port, unmerged / sm->l2_read),
                         MIN(missing, of_dram), sm->chip->l2_latency);
  } else if (of_dram && request->is_store)
    move_dram(sm, start, of_dram * (double)SECTOR_BYTES, TRUE);
  if (request->is_load && request->is_store)
    there = MAX(there, changed + sm->chip->l2_latency);
  return there;
}

// Copies in bulk pass the first-level cache by.
double
smb_memory_path_bulk(Multiprocessor *sm, TimedWarp *warp, const SmbTimedRequest *request,
                     double now) {
  const SmbChip *chip = sm->chip;
  double start = smb_memory_path_room(sm, now), box = request->is_box ? chip->tensor_latency : 0;
  if (request->is_store) {
    sm->bulk_writes = MAX(start, sm->bulk_writes) + request->bytes / chip->bulk_write;
    store_sectors(sm, start, request->sectors, 0);
    return MAX(sm->bulk_writes, sm->l2_writes) + chip->bulk_write_latency;
  }
  guint sharing = sm->replay->footprint->sharing[request->site], news = 0;
  for (guint i = 0; i < request->n; i++)
    news += (guint)__builtin_popcount(
        g_array_index(warp->record->lines, SmbTimedLine, request->first + i).news);
  guint of_dram = is_first_asker(sm, warp, sharing) ? news : 0;
  double unmerged = request->sectors * (double)SECTOR_BYTES * sm->replay->footprint->first[sharing];
  double all = chip->multiprocessors / sm->working;
  double cycles = MAX(request->bytes / chip->bulk_read, unmerged / (chip->l2_read * all));
  return load_sectors(sm, start, cycles, of_dram, chip->bulk_latency + box);
}
