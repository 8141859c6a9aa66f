// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What requests of memory take: wavefronts of the pipe, bandwidth of the second-level cache and of DRAM, and how long they are on their way.
// Each resource is a time at which it is free again. What this multiprocessor has of what all share is an even part of it.
#include <math.h>

#include "sim/base/hash.h"
#include "sim/time/record/timed-sites.h"
#include "sim/time/replay/multiprocessor-impl.h"

enum {
  MAX_LINES = 4 * SMB_NVIDIA_LANES, // of a request, of which it is known when they are there
  OPEN_CHANGES = 16, // that a multiprocessor has sent to one slice and that are not done: assumed
};

static const double MOST = 0.5; // of the sectors of a site

// Where blocks differ, more of them are replayed than one multiprocessor gets.
static double
find_alike(const SmbReplay *replay, double n_blocks, double working) {
  gboolean is_more = (double)replay->n_blocks * working >= n_blocks + working;
  return is_more ? n_blocks / (double)replay->n_blocks : working;
}

void
smb_memory_path_start(Multiprocessor *sm) {
  const SmbReplay *replay = sm->replay;
  const SmbChip *chip = sm->chip;
  double faster = replay->clock_khz / chip->latency_khz;
  double n_blocks = (double)replay->grid[0] * replay->grid[1] * replay->grid[2];
  double given = MIN(n_blocks, chip->multiprocessors);
  double working = replay->working > 0 ? MIN(given, replay->working) : given;
  double all = chip->multiprocessors / working;
  double first = (double)MIN(replay->resident, replay->n_blocks) - 1;
  sm->given = given;
  sm->working = working;
  sm->alike = find_alike(replay, n_blocks, working);
  sm->head_start = first * MAX(0, chip->grid_interval * given - chip->first_interval);
  sm->chip_cycles = replay->clock_khz * 1000 * working;
  sm->l2_read = MIN(chip->l2_read * all, chip->l2_read_alone);
  sm->l2_port = MIN(chip->l2_port * all, chip->l2_read_alone);
  sm->l2_write = MIN(chip->l2_write * all, chip->l2_write_alone);
  sm->dram_latency = chip->l2_latency + (chip->dram_latency - chip->l2_latency) * faster;
  sm->looked_up = g_new0(double, smb_timed_sites(replay->program) + 1);
}

// What a request asks for.
typedef struct {
  guint pairs;    // of sectors, of the second-level cache
  guint news;     // of these, that no request of the block has asked for before,
  guint lost;     // and that one has, and that have left the second-level cache since
  double of_dram; // bytes that DRAM moves for it, or as many as take as long
  double filled;  // those that come into the second-level cache for it
  double unknown; // of a table, which part nobody has asked for before
  gboolean
      is_new; // DRAM loads some of it, though it may be another multiprocessor that has asked for it, just now
  double *pending[MAX_LINES]; // of the lines that it waits for: when they are there
  guint n_pending;
  double luck;  // of what comes last of them from DRAM (smb_dram_path_arrival())
  double since; // blocks beside have asked for it; NEVER: they do not
} Asked;

// What the second-level cache is given, by multiprocessors or by DRAM, comes in one way (an H200: what is copied, and does not leave the cache before the
// launch ends, takes as long as to load as much and to store as much). Its even part for this multiprocessor is as that of DRAM.
static void
take_in(Multiprocessor *sm, double start, double cycles) {
  sm->l2_writes = MAX(start - sm->dram_latency, sm->l2_writes) + cycles;
  sm->l2_write_busy += cycles;
  smb_load_add(&sm->l2_write_load, start, cycles);
}

// What it then does for stores takes as long, or longer, if they change sectors in part. Meanwhile more may come in, of which it does little then: what DRAM brings
// beside such stores takes a part of its own time (an H200: tests/data/time/store-mix.cu).
static void
take_turns(Multiprocessor *sm, double start, double cycles) {
  sm->l2_turns = MAX(start - sm->dram_latency, sm->l2_turns) + cycles;
  sm->l2_turns_busy += cycles;
}

// Loads from the second-level cache, and what of it is not there from DRAM. That serves two sectors side by side at once, and one alone takes
// as long (an H200: single sectors at random from 8 MB, and pairs of them). When all of it is there. @cycles: that the cache takes for it;
// @latency: of the first.
static double
load_pairs(Multiprocessor *sm, double start, const Asked *asked, double cycles, double latency) {
  const SmbChip *chip = sm->chip;
  double begin = MAX(start, sm->l2);
  sm->l2 = begin + cycles;
  sm->busy[SMB_UNIT_L2] += cycles;
  smb_load_add(&sm->l2_load, begin, cycles);
  double there = sm->l2 + latency + smb_load_wait(&sm->l2_load, chip->l2_wait);
  if (!asked->is_new)
    return there;
  if (asked->of_dram > 0) {
    smb_dram_path_read(sm, begin, asked->of_dram);
    double filled = asked->filled / sm->l2_write;
    take_in(sm, begin, filled);
    take_turns(sm, begin, filled * chip->l2_fill_turn);
  }
  double way = smb_dram_path_arrival(sm, begin, asked->luck) - begin;
  return MAX(there, MIN(begin, asked->since) + way - chip->l2_latency + latency);
}

double
smb_memory_path_leave(const SmbChip *chip, guint sectors, guint partial) {
  return (sectors - partial) * SECTOR_BYTES / chip->l2_write_alone +
         (partial ? chip->l2_partial_line : 0);
}

// The second-level cache takes sectors of a line. @partial: of which a part is stored. A multiprocessor sends a line that has such in two cycles, however
// many they are. The cache takes longer for each of them, but all share it (an H200: 2.0 cycles for a line with one, and 2.2 with four, for 1 to 16
// multiprocessors; 3.9 with one for all).
void
smb_memory_path_send(Multiprocessor *sm, double start, guint sectors, guint partial) {
  const SmbChip *chip = sm->chip;
  double sent = partial ? chip->l2_partial_line : 0;
  double taken = (sent + partial * chip->l2_partial) * sm->working / chip->multiprocessors;
  double cycles = (sectors - partial) * SECTOR_BYTES / sm->l2_write + MAX(sent, taken);
  take_in(sm, start, MIN(cycles, sectors * SECTOR_BYTES / sm->l2_write));
  take_turns(sm, start, cycles);
  sm->busy[SMB_UNIT_L2] += cycles;
  double ahead = partial ? 0 : chip->store_ahead / chip->l2_write_alone;
  sm->leaving = MAX(start - ahead, sm->leaving) + smb_memory_path_leave(chip, sectors, partial);
}

// What an atomic takes of the slice that has a line, in nanoseconds: a turn for each sector, and for each group of lanes at different words. Those that
// change one word go one after the other. A real number is there later than an integer: the next one that is added to the
// same word waits for it.
static double
find_change(const SmbChip *chip, const SmbTimedRequest *request, const SmbTimedLine *line) {
  double sectors = chip->atomic_turn * __builtin_popcount(line->sectors);
  double groups = chip->atomic_turn * line->full_turns + chip->atomic_word * line->other_turns;
  double words = request->is_real ? chip->atomic_real * line->same : 0;
  return MAX(MAX(sectors, chip->atomic_word), MAX(groups, words));
}

static ChangedLine *
find_changed(Multiprocessor *sm, guint64 tag) {
  for (guint i = 0; i < CHANGED_LINES; i++) {
    if (sm->changed[i].until > 0 && sm->changed[i].tag == tag)
      return &sm->changed[i];
  }
  return NULL;
}

static void
note_changed(Multiprocessor *sm, guint64 tag, double until, double each) {
  ChangedLine *changed = find_changed(sm, tag);
  if (!changed) {
    changed = &sm->changed[sm->changed_at];
    sm->changed_at = (sm->changed_at + 1) % CHANGED_LINES;
  }
  *changed = (ChangedLine){tag, until, each};
}

// A number that says which slice of the second-level cache has a line: as good as random.
static guint64
find_slice_hash(guint64 tag) {
  guint64 place = 0;
  smb_hash_mix(&place, tag >> SMB_SLICE_SHIFT);
  return place;
}

// What comes from one slice comes at once.
static double
find_luck(guint64 tag) {
  return (double)(find_slice_hash(tag) >> 11) / (double)(1LL << 53);
}

// An atomic changes a line in the slice of the second-level cache that has it. Its lines are spread over the slices as good as at random.
// Where other multiprocessors change the same line at the same time, they queue at its slice, and this one sees what all of them ask for.
// @askers: blocks that change it. Returns when it is done, or @before if that is later.
static double
change_line(Multiprocessor *sm, double start, const SmbTimedRequest *request,
            const SmbTimedLine *line, guint64 tag, double askers, double before) {
  const SmbChip *chip = sm->chip;
  const guint n_slices = (guint)chip->l2_slices;
  double khz = sm->replay->clock_khz, together = MIN(sm->working, askers);
  double sectors = chip->atomic_sector * __builtin_popcount(line->sectors) * khz / 1e6;
  double even = MAX(sectors, chip->atomic_lane * line->lanes * khz / 1e6) * sm->working / n_slices;
  double cycles = find_change(chip, request, line) * khz / 1e6;
  sm->changes = MAX(start, sm->changes) + even;
  sm->busy[SMB_UNIT_L2] += even;
  if (together <= 1)
    return MAX(before, sm->changes);
  guint number = (guint)(find_slice_hash(tag) >> 32) % n_slices;
  double *slice = &sm->slices[number];
  *slice = MAX(start, *slice) + cycles * together;
  sm->slice_busy[number] += cycles * together;
  note_changed(sm, tag, *slice, 0);
  if (*slice >= sm->hottest) {
    sm->hottest = *slice;
    sm->hot_cycles = cycles * together;
  }
  return MAX(before, MAX(sm->changes, *slice));
}

// A compare-and-swap of a word that others change fails until it knows what they have left, and is taken to be tried until then. So one
// of all that try succeeds in the time in which they learn that the last one has, which takes longer the more lanes fail meanwhile
// (l2_swap in tests/gpu/time/facts.cu). Here each request is one that succeeds. Returns when it is done, but for its answer,
// or @before if that is later.
static double
swap_word(Multiprocessor *sm, double start, const SmbTimedLine *line, guint64 tag, double askers,
          double before) {
  const SmbChip *chip = sm->chip;
  double khz = sm->replay->clock_khz, together = MAX(1, MIN(sm->working, askers));
  guint64 word = tag;
  smb_hash_mix(&word, line->words);
  const ChangedLine *last = find_changed(sm, word);
  double free = last ? MAX(start, last->until) : start;
  double trying = together + (last && last->each > 0 ? (free - start) / last->each : 0);
  double each = (chip->swap + chip->swap_try * trying * line->lanes) * khz / 1e6;
  double done = free + each * together;
  note_changed(sm, word, done, each);
  return MAX(before, done - chip->atomic_answer); // that comes on top
}

// No more is asked for while so much is on its way.
double
smb_memory_path_room(const Multiprocessor *sm, double start) {
  const SmbChip *chip = sm->chip;
  start = MAX(start, sm->hottest - OPEN_CHANGES * sm->hot_cycles);
  start = MAX(start, sm->changes - chip->l2_latency);
  double l2 = sm->l2 - chip->open_bytes / sm->l2_read;
  double writes = MAX(sm->l2_writes, sm->l2_turns) - chip->open_bytes / sm->l2_write;
  double dram = sm->dram - chip->open_bytes * sm->chip_cycles / chip->dram_read;
  double host = sm->host_stores - chip->open_bytes * sm->chip_cycles / chip->host_store;
  return MAX(MAX(MAX(start, writes), host), MAX(l2, dram));
}

guint64
smb_memory_path_tag(const Multiprocessor *sm, guint sequence, const SmbTimedLine *line,
                    guint32 site) {
  const SmbFootprint *footprint = sm->replay->footprint;
  guint64 block = (guint64)((double)sequence * sm->chip->multiprocessors), tag = 0;
  if (footprint->sites[site].table > 0) {
    smb_hash_mix(&tag, block + 1);
    smb_hash_mix(&tag, line->line);
    return tag % (guint64)ceil(footprint->sites[site].table / 2) ^
           (guint64)(footprint->sites[site].group + 1) << 34;
  }
  for (guint d = 0; d < 3; d++) {
    guint64 place = block % sm->replay->grid[d];
    block /= sm->replay->grid[d];
    tag = tag * 65599 + (footprint->sites[site].sharing >> d & 1 ? 0 : place + 1);
  }
  return line->line ^ tag << 34;
}

// Which part of what blocks along @sharing ask for at the same time DRAM has to serve for each of them.
static double
find_dram_share(const Multiprocessor *sm, const TimedWarp *warp, guint sharing) {
  const SmbFootprint *footprint = sm->replay->footprint;
  const double *shares =
      warp->sequence < sm->replay->resident ? footprint->first : footprint->later;
  return shares[sharing] * (sm->replay->is_warm ? footprint->absent : 1);
}

// Whether this block, between two of its barriers, is the one of those that ask for the same that DRAM serves.
static gboolean
is_first_asker(Multiprocessor *sm, const TimedWarp *warp, guint sharing, double share) {
  TimedBlock *block = &sm->blocks[warp->block];
  if (block->phase_of[sharing] != block->phase) {
    block->phase_of[sharing] = block->phase;
    sm->due[sharing] += share;
    block->is_first[sharing] = sm->due[sharing] >= 1;
    sm->due[sharing] -= block->is_first[sharing];
  }
  return block->is_first[sharing];
}

// Of a table that blocks look up by chance, which part of what is asked for now nobody has asked for before. One that does not fit into the
// second-level cache is never all there. @pairs: of sectors; half a pair is one sector
static double
find_unknown_part(Multiprocessor *sm, guint32 site, double pairs, gboolean is_warm) {
  const SmbSiteFootprint *known = &sm->replay->footprint->sites[site];
  double absent = 1 - sm->chip->l2_reach / (known->table * PAIR_BYTES);
  double *looked_up = &sm->looked_up[known->group], part = exp(-*looked_up / known->table);
  *looked_up += pairs * sm->alike;
  return is_warm ? MAX(0, absent) : MAX(part, absent);
}

// Of what blocks ask for at a site that share nothing as far as it is known: whether all blocks together have asked for as much as there is, so
// that it is all in the second-level cache. So it is where each asks for a word of a sector, and others for the rest.
static gboolean
is_all_there(Multiprocessor *sm, guint32 site, guint news) {
  const double span = sm->replay->footprint->sites[site].span;
  gboolean is_all =
      span > 0 && sm->looked_up[site] >= span && span * PAIR_BYTES <= sm->chip->l2_reach;
  sm->looked_up[site] += news * sm->alike;
  return is_all;
}

// Of local memory some is in DRAM: of so many requests that the first-level cache does not have one waits for it. A pair of sectors that is alone in
// its line opens a row for itself.
static void
ask_dram_for_local(Multiprocessor *sm, guint lines, Asked *asked) {
  const SmbChip *chip = sm->chip;
  sm->local_due += asked->pairs ? sm->replay->footprint->local : 0;
  if (sm->local_due < 1)
    return;
  sm->local_due--;
  asked->is_new = TRUE;
  asked->of_dram =
      MAX(asked->pairs * PAIR_BYTES, MIN(lines, asked->pairs) * chip->dram_read / chip->dram_rows);
}

// The largest of random numbers, if only a part of them counts.
static double
find_luck_of_some(double luck, double part) {
  return part > 0 ? pow(luck, 1 / part) : 0;
}

// Since when what blocks beside load as well is on its way; NEVER: they do not. They are taken to have come as far as this one: when it first asked for anything
// since its last barrier, they did.
static double
find_since(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request, double now) {
  TimedBlock *block = &sm->blocks[warp->block];
  if (block->asked_phase != block->phase) {
    block->asked_phase = block->phase;
    block->asked = now;
  }
  return sm->replay->footprint->sites[request->site].common > MOST ? block->asked : NEVER;
}

// What DRAM has to do for what a request asks for first, of the block.
static void
ask_dram_for_news(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                  Asked *asked) {
  const SmbFootprint *footprint = sm->replay->footprint;
  double bytes = asked->news * footprint->sites[request->site].moved * PAIR_BYTES;
  if (request->is_local) {
    ask_dram_for_local(sm, request->n, asked);
    return;
  }
  if (footprint->sites[request->site].table > 0) {
    double pairs = request->is_store ? request->sectors / 2.0 : asked->pairs;
    asked->unknown = find_unknown_part(sm, request->site, pairs, sm->replay->is_warm);
    asked->of_dram = bytes * asked->unknown;
    asked->filled = asked->news * PAIR_BYTES * asked->unknown;
    asked->is_new = asked->news * asked->unknown >= 0.5;
    asked->luck = find_luck_of_some(asked->luck, asked->unknown);
    return;
  }
  guint sharing = footprint->sites[request->site].sharing;
  if (!sharing && is_all_there(sm, request->site, asked->news))
    return;
  double share = find_dram_share(sm, warp, sharing);
  bytes *= sharing ? 1 : footprint->loaded;
  asked->luck = sharing ? asked->luck : find_luck_of_some(asked->luck, footprint->loaded);
  asked->of_dram = is_first_asker(sm, warp, sharing, share) ? bytes : 0;
  asked->filled = asked->of_dram / footprint->sites[request->site].moved;
  gboolean all_wait = !sm->replay->is_warm && (!sharing || sharing == footprint->together);
  asked->is_new = asked->news > 0 && (all_wait ? share : asked->of_dram) > 0;
}

// What DRAM has to do for a request.
static void
ask_dram(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request, Asked *asked) {
  ask_dram_for_news(sm, warp, request, asked);
  double bytes = asked->lost * (double)PAIR_BYTES;
  asked->of_dram += bytes * sm->replay->footprint->sites[request->site].moved;
  asked->filled += bytes;
  asked->is_new |= asked->lost > 0;
}

// A load past the first-level cache of a line that other multiprocessors change by atomics: its warp waits for all of them. It asks again and again.
// The last of so many warps has asked just before the last change, and asks once more (an H200: a barrier of 33 blocks or more takes longer than
// that of a block by as much as a load takes). What they ask for takes turns at the slice that has the line. Returns when it is there, or @start.
static double
await_change(Multiprocessor *sm, double start, guint64 tag, double askers) {
  const SmbChip *chip = sm->chip;
  const ChangedLine *changed = find_changed(sm, tag);
  if (!changed)
    return start;
  double turns = askers * chip->atomic_turn * sm->replay->clock_khz / 1e6;
  return MAX(start, changed->until) + MAX(chip->l2_latency, turns);
}

// What of a line the second-level cache has to get from DRAM, unless other blocks have asked for it: what the block has not asked for before, whichever of its warps comes
// first, and what has been lost since. What other blocks ask for as well is kept.
static void
look_for_pairs(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
               const SmbTimedLine *line, guint8 missing, Asked *asked) {
  SmbBlockLines *lines = sm->blocks[warp->block].lines;
  guint8 pairs = smb_sector_pairs(line->sectors);
  SmbAskedPairs found = {.news = missing & line->news};
  if (lines && !request->is_local)
    found = smb_block_lines_ask(lines, line->line, pairs, missing);
  asked->news += (guint)__builtin_popcount(found.news);
  const SmbSiteFootprint *site = &sm->replay->footprint->sites[request->site];
  if (!site->sharing && site->table == 0)
    asked->lost += (guint)__builtin_popcount(found.lost);
}

// A line of a request, and what of it is asked for. Returns when what is there already is there, or an atomic is done.
static double
ask_line(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
         const SmbTimedLine *line, double start, Asked *asked) {
  const SmbFootprint *footprint = sm->replay->footprint;
  guint64 tag = smb_memory_path_tag(sm, warp->sequence, line, request->site);
  guint8 missing = line->sectors;
  double there = 0;
  double askers = 1 / footprint->first[footprint->sites[request->site].sharing];
  if (request->is_load && request->is_store) { // atomics are made in the second-level cache
    there = change_line(sm, start, request, line, tag, askers, start);
    if (request->is_swap && line->same == line->lanes)
      there = swap_word(sm, start, line, tag, askers, there);
  } else if (request->is_strong) {
    there = await_change(sm, start, tag, askers);
    // What it finds does not stay: a load of the same word after it asks the second-level cache again, one of another line does not (flow.cu, an H200).
    smb_l1_cache_drop(sm->cache, tag, line->sectors);
  } else {
    double *when = smb_l1_cache_load(sm->cache, tag, line->sectors, &missing);
    there = *when;
    if (missing && asked->n_pending < MAX_LINES)
      asked->pending[asked->n_pending++] = when;
    if (missing)
      asked->luck = MAX(asked->luck, find_luck(tag));
  }
  guint8 pairs = smb_sector_pairs(missing);
  asked->pairs += (guint)__builtin_popcount(pairs);
  look_for_pairs(sm, warp, request, line, pairs, asked);
  return there;
}

// What is stored or changed leaves the second-level cache for DRAM. @part: of the sectors, those that nothing has been written to before
static void
write_sectors(Multiprocessor *sm, const SmbTimedRequest *request, double start, guint sectors,
              double part) {
  const SmbSiteFootprint *site = &sm->replay->footprint->sites[request->site];
  double drained = request->is_local ? 1 : sm->replay->footprint->drained;
  smb_dram_path_write(sm, start, sectors * SECTOR_BYTES * part * drained, site->written);
}

// Which part of what an atomic changes none has changed before: what is loaded for it, if all blocks change the same.
static double
find_unchanged(const Multiprocessor *sm, const SmbTimedRequest *request, const Asked *asked) {
  const SmbFootprint *footprint = sm->replay->footprint;
  const SmbSiteFootprint *site = &footprint->sites[request->site];
  if (site->table > 0)
    return asked->unknown;
  return site->sharing ? asked->of_dram > 0 : footprint->distinct;
}

// A block that asks for so much that the second-level cache loses some of it stores to a line: how many sectors DRAM has to write for that, if all that is stored leaves
// the cache. What it has stored to already is written once, unless that has left since.
static double
count_dirtied(const Multiprocessor *sm, SmbBlockLines *lines, const SmbTimedLine *line) {
  SmbAskedPairs found = smb_block_lines_store(lines, line->line, smb_sector_pairs(line->sectors));
  return __builtin_popcount(line->sectors & found.news * 3) * sm->replay->footprint->unshared +
         __builtin_popcount(line->sectors & found.lost * 3);
}

// What is stored to local memory stays in the first-level cache, too.
static void
store_local_line(Multiprocessor *sm, const SmbTimedLine *line, guint64 tag, double start) {
  guint8 missing;
  smb_l1_cache_load(sm->cache, tag, line->sectors, &missing);
  SmbStoreLine stored = {.words = line->words, .sectors = line->sectors};
  guint sectors = (guint)__builtin_popcount(line->sectors);
  smb_memory_path_send(sm, start, sectors, smb_store_line_partial(&stored));
}

static void
store_request(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
              double start) {
  const SmbFootprint *footprint = sm->replay->footprint;
  SmbBlockLines *lines =
      request->is_local || request->stores_host ? NULL : sm->blocks[warp->block].lines;
  guint written = 0;
  double dirtied = 0;
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line =
        &g_array_index(warp->record->lines, SmbTimedLine, request->first + i);
    written += (guint)__builtin_popcount(line->sectors);
    dirtied += lines ? count_dirtied(sm, lines, line) : 0;
    if (request->is_local)
      store_local_line(sm, line, smb_memory_path_tag(sm, warp->sequence, line, request->site),
                       start);
  }
  if (!request->is_local)
    smb_store_path_ask(sm, warp, request, start);
  if (request->stores_host)
    return;
  double part = request->is_local ? footprint->local
                : footprint->sites[request->site].table > 0
                    ? find_unknown_part(sm, request->site, written / 2.0, FALSE)
                : lines && footprint->reach < G_MAXDOUBLE ? dirtied / MAX(1, written)
                                                          : footprint->distinct;
  write_sectors(sm, request, start, written, part);
}

// Which part of the requests for what is loaded, of all multiprocessors, are not merged with another one's on the way.
static double
find_unmerged(const Multiprocessor *sm, const SmbTimedRequest *request) {
  const SmbFootprint *footprint = sm->replay->footprint;
  return footprint->first[footprint->sites[request->site].sharing];
}

// A request of global memory that the pipe takes at @start. When what it loads is there.
double
smb_memory_path_ask(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                    double start) {
  Asked asked = {0};
  double there = start + sm->chip->l1_latency;
  if (request->loads_host)
    return smb_host_path_load(sm, warp, request, start);
  if (!request->is_load) {
    store_request(sm, warp, request, start);
    return there;
  }
  double ready = start;
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line =
        &g_array_index(warp->record->lines, SmbTimedLine, request->first + i);
    double when = ask_line(sm, warp, request, line, start, &asked);
    ready = MAX(ready, when);
  }
  ask_dram(sm, warp, request, &asked);
  asked.since = find_since(sm, warp, request, start);
  if (request->is_store) {
    if (asked.of_dram > 0)
      smb_dram_path_read(sm, start, asked.of_dram);
    write_sectors(sm, request, start, request->sectors, find_unchanged(sm, request, &asked));
    return MAX(there, ready + sm->chip->atomic_answer);
  }
  double bytes = (double)asked.pairs * PAIR_BYTES, unmerged = bytes * find_unmerged(sm, request);
  if (asked.pairs)
    there = load_pairs(sm, start, &asked, MAX(bytes / sm->l2_port, unmerged / sm->l2_read),
                       sm->chip->l2_latency);
  for (guint i = 0; i < asked.n_pending; i++)
    *asked.pending[i] = there;
  return MAX(there, ready);
}

// Copies in bulk pass the first-level cache by.
double
smb_memory_path_bulk(Multiprocessor *sm, TimedWarp *warp, const SmbTimedRequest *request,
                     double now) {
  const SmbChip *chip = sm->chip;
  if (request->peer_bytes)
    return smb_cluster_port_copy(sm, request, now);
  double start = smb_memory_path_room(sm, now), box = request->is_box ? chip->tensor_latency : 0;
  if (request->is_store) {
    sm->bulk_writes = MAX(start, sm->bulk_writes) + request->bytes / chip->bulk_write;
    smb_memory_path_send(sm, start, request->sectors, 0);
    double part = sm->replay->footprint->distinct * sm->replay->footprint->drained;
    smb_dram_path_write(sm, start, request->sectors * SECTOR_BYTES * part, 1);
    return MAX(sm->bulk_writes, sm->l2_writes) + chip->bulk_write_latency;
  }
  Asked asked = {.pairs = (request->sectors + 1u) / 2};
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line =
        &g_array_index(warp->record->lines, SmbTimedLine, request->first + i);
    look_for_pairs(sm, warp, request, line, smb_sector_pairs(line->sectors), &asked);
  }
  ask_dram(sm, warp, request, &asked);
  asked.since = find_since(sm, warp, request, start);
  double unmerged = request->bytes * find_unmerged(sm, request);
  double all = chip->multiprocessors / sm->working;
  double arrives = (double)request->bytes * (1 + request->more_blocks);
  double cycles = MAX(arrives / chip->bulk_read, unmerged / (chip->l2_read * all));
  return load_pairs(sm, start, &asked, cycles, chip->bulk_latency + box);
}
