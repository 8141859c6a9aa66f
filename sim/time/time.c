// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch: which blocks are replayed, on one multiprocessor for all. Where blocks differ in length, some of all lengths are, and from how long
// that takes follows how long all of them take (sim/time/grid/balance.h).
#include "sim/time/time.h"

#include <math.h>
#include <string.h>

#include "sim/arch/occupancy.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "sim/time/grid/balance.h"
#include "sim/time/dram/footprint.h"
#include "sim/time/grid/lot.h"
#include "sim/time/grid/sampling.h"

// How much the conflicts of a site may come at other times than what is executed besides, as a part of them.
#define STEADY 0.1

enum {
  MAX_INSTRUCTIONS = 3 << 20, // that are replayed
  MIN_INSTRUCTIONS = 1 << 17, // the same, for a site,
  WINDOWS = 4,                // and how many times as many, if blocks are longer than that
  // Registers are given to warps in multiples of it (sm_70 and later, CUDA Occupancy Calculator).
  REGISTER_UNIT = 256,
  SM_REGISTERS = 65536,
};

static guint
find_warps(const SmbArch *arch, const SmbLaunch *launch) {
  return smb_arch_warps(arch, launch->block[0] * launch->block[1] * launch->block[2]);
}

// Blocks that a multiprocessor has at a time, with their registers.
static guint
find_resident(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch) {
  guint threads = launch->block[0] * launch->block[1] * launch->block[2];
  guint warps = find_warps(arch, launch);
  guint64 shared = smb_program_static_shared(program) + launch->dynamic_bytes;
  SmbOccupancy occupancy = smb_occupancy(arch, threads, shared);
  guint registers = smb_program_registers(program);
  guint of_warp =
      (registers * SMB_NVIDIA_LANES + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  // Each sub-partition has a quarter of the registers, and whole warps.
  guint of_registers = of_warp ? SM_REGISTERS / 4 / of_warp * 4 / warps : occupancy.blocks;
  return occupancy.known ? MIN(occupancy.blocks, of_registers) : 0;
}

static SmbUnit
find_busiest(const double busy[SMB_N_UNITS]) {
  SmbUnit limit = SMB_N_UNITS;
  double most = 0.5;
  for (guint u = 0; u < SMB_N_UNITS; u++) {
    if (busy[u] > most) {
      most = busy[u];
      limit = (SmbUnit)u;
    }
  }
  return limit;
}

// Sites whose requests have conflicts.
static GArray *
find_conflicts(const GPtrArray *records, const SmbProgram *program) {
  g_autofree guint8 *has = g_new0(guint8, smb_timed_sites(program) + 1);
  GArray *sites = g_array_new(FALSE, FALSE, sizeof(SmbSiteTime));
  for (guint b = 0; b < records->len; b++) {
    const SmbBlockRecord *record = g_ptr_array_index(records, b);
    for (guint r = 0; r < record->requests->len; r++) {
      const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
      if (request->wavefronts > request->ideal)
        has[request->site] = TRUE;
    }
  }
  for (guint s = 0; s < smb_program_n_sites(program); s++) {
    const SmbSiteTime site = {.site = s};
    if (has[s])
      g_array_append_val(sites, site);
  }
  return sites;
}

// Instructions of a block that are replayed.
static guint64
count_replayed(const SmbReplay *replay, const SmbBlockRecord *record) {
  guint64 n = 0;
  for (guint w = 0; w < record->warps->len; w++)
    n += smb_replay_warp_events(replay, ((GArray *)g_ptr_array_index(record->warps, w))->len);
  return n;
}

// How much longer blocks are than what is replayed of them.
static double
find_whole(const SmbReplay *replay) {
  guint64 replayed = 0, instructions = 0;
  for (guint i = 0; i < replay->records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(replay->records, i);
    replayed += replay->max_warp_events ? count_replayed(replay, record) : record->kept;
    instructions += record->instructions;
  }
  return (double)instructions / (double)replayed;
}

// How long a multiprocessor takes for so many copies of a block, all at the same time.
static double
replay_copies(const SmbReplay *launch, SmbBlockRecord *block, guint copies) {
  g_autoptr(GPtrArray) records = g_ptr_array_new();
  SmbReplay replay = *launch;
  g_ptr_array_add(records, block);
  replay.records = records;
  replay.n_blocks = replay.resident = copies;
  return smb_multiprocessor_replay(&replay).cycles * find_whole(&replay);
}

// Instructions a cycle of all of so many copies of the longest block.
static double
find_block_rate(const SmbReplay *launch, const SmbLot *lot, guint copies) {
  double cycles = replay_copies(launch, lot->longest, copies);
  return copies * (double)lot->longest->instructions / MAX(1, cycles - launch->chip->block_latency);
}

// How long all blocks take, if one multiprocessor takes @cycles for those that were replayed. @replayed: of these; of all afterwards
static double
balance_blocks(const SmbReplay *replay, const SmbLot *lot, double cycles, SmbReplayed *replayed) {
  guint multiprocessors = (guint)replay->chip->multiprocessors;
  SmbBalance balance = {.resident = replay->resident, .alone = find_block_rate(replay, lot, 1)};
  balance.together = MAX(balance.alone, find_block_rate(replay, lot, replay->resident));
  g_autofree double *own = g_new(double, replay->n_blocks);
  double sum = 0;
  for (guint64 i = 0; i < replay->n_blocks; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(lot->records, i % lot->records->len);
    sum += own[i] = (double)record->instructions;
  }
  smb_balance_fit(&balance, own, replay->n_blocks, cycles);
  double whole = (double)replay->grid[0] * replay->grid[1] * replay->grid[2] / (double)lot->n;
  double longest = smb_balance_cycles(&balance, lot->lengths, lot->n, multiprocessors) * whole;
  double busier = smb_lot_sum(lot) * whole / multiprocessors / MAX(1, sum) * cycles / longest;
  for (guint u = 0; u < SMB_N_UNITS; u++)
    replayed->busy[u] = MIN(1, replayed->busy[u] * busier);
  return longest;
}

static double
replay_records(SmbReplay *replay, const SmbLot *lot, const GPtrArray *records,
               SmbReplayed *replayed) {
  replay->records = records;
  replay->n_blocks = lot->n_blocks ? lot->n_blocks : records->len;
  *replayed = smb_multiprocessor_replay(replay);
  return replayed->cycles * find_whole(replay);
}

static double
replay_lot(SmbReplay *replay, const SmbLot *lot, SmbReplayed *replayed) {
  double cycles = replay_records(replay, lot, lot->records, replayed);
  if (lot->others) {
    SmbReplayed other;
    double longer = replay_records(replay, lot, lot->others, &other);
    *replayed = longer > cycles ? other : *replayed;
    cycles = MAX(cycles, longer);
  }
  if (lot->longest)
    cycles = balance_blocks(replay, lot, cycles, replayed);
  return cycles + replay->chip->launch_cycles;
}

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

// What is gained without the conflicts of one site alone. The more sites, the less of the launch is replayed for each.
static void
replay_sites(SmbTime *time, const SmbReplay *launch, const SmbLot *lot, const GArray *conflicts) {
  SmbReplay replay = *launch;
  SmbReplayed replayed;
  gboolean gains = time->cycles > time->without;
  guint n_sites = smb_timed_sites(replay.program) + 1;
  g_autofree guint8 *relieved = g_new0(guint8, n_sites);
  replay.max_instructions = MAX(MIN_INSTRUCTIONS, MAX_INSTRUCTIONS / (conflicts->len + 1));
  guint window = find_site_window(&replay, lot->records);
  g_autofree guint8 *steady = find_steady(lot->records, n_sites, window);
  double all[2] = {0}; // of whole warps, and of the window
  for (guint i = 0; i < conflicts->len; i++) {
    SmbSiteTime site = g_array_index(conflicts, SmbSiteTime, i);
    double *before = &all[steady[site.site]];
    replay.max_warp_events = steady[site.site] ? window : 0;
    replay.relieved = NULL;
    if (gains && conflicts->len > 1 && *before == 0)
      *before = replay_lot(&replay, lot, &replayed);
    relieved[site.site] = TRUE;
    replay.relieved = relieved;
    if (gains)
      site.cycles = conflicts->len == 1 ? time->cycles - time->without
                                        : MAX(0, *before - replay_lot(&replay, lot, &replayed));
    relieved[site.site] = FALSE;
    g_array_append_val(time->sites, site);
  }
}

// How much longer a block takes by itself than another one. @block: (nullable)
static double
find_longer(const SmbReplay *launch, SmbBlockRecord *block, SmbBlockRecord *other, guint n_alike) {
  const guint grid[3] = {n_alike, 1, 1};
  SmbReplay replay = *launch;
  if (!block)
    return 0;
  replay.grid = grid;
  replay.is_warm = TRUE;
  replay.relieved = NULL;
  double longer = replay_copies(&replay, block, 1) - replay_copies(&replay, other, 1);
  return MAX(0, longer);
}

// The launch goes on for as many cycles, in which little is busy.
static void
lengthen(double *cycles, double busy[SMB_N_UNITS], double by) {
  for (guint u = 0; u < SMB_N_UNITS; u++)
    busy[u] *= *cycles / (*cycles + by);
  *cycles += by;
}

// How much longer than @cycles blocks take that wait in a row.
static double
find_longer_relay(const SmbReplay *replay, const SmbRelay *relay, double cycles) {
  double all = smb_relay_cycles(relay, replay);
  return all > 0 ? MAX(0, all + replay->chip->launch_cycles - cycles) : 0;
}

// With conflicts, and where it is wanted without them. @last: cycles that the last block takes longer
static void
replay_launch(SmbTime *time, SmbReplay *replay, const SmbLot *lot, const SmbRelay *relay,
              const GArray *conflicts, double last, const SmbTimeOptions *options) {
  guint n_sites = smb_timed_sites(replay->program) + 1;
  g_autofree guint8 *relieved = g_new0(guint8, n_sites);
  SmbReplayed replayed, without;
  time->cycles = time->without = replay_lot(replay, lot, &replayed);
  double waits = find_longer_relay(replay, relay, time->cycles), without_waits = waits;
  without = replayed;
  if (conflicts->len > 0 && !options->like) {
    memset(relieved, TRUE, n_sites);
    replay->relieved = relieved;
    time->without = MIN(time->cycles, replay_lot(replay, lot, &without));
    without_waits = find_longer_relay(replay, relay, time->without);
  }
  lengthen(&time->cycles, replayed.busy, last + waits);
  lengthen(&time->without, without.busy, last + without_waits);
  time->without = MIN(time->cycles, time->without);
  double sum = 0;
  for (guint s = 0; s < SMB_N_STALLS; s++)
    sum += replayed.stalls[s];
  for (guint s = 0; s < SMB_N_STALLS; s++)
    time->stalls[s] = sum > 0 ? replayed.stalls[s] / sum : 0;
  memcpy(time->busy, replayed.busy, sizeof(time->busy));
  memcpy(time->without_busy, without.busy, sizeof(time->without_busy));
  time->limit = find_busiest(replayed.busy);
  time->without_limit = find_busiest(without.busy);
  time->blocks = replayed.blocks;
  time->instructions = replayed.instructions;
  time->simulated = replayed.simulated;
  if (options->sites)
    replay_sites(time, replay, lot, conflicts);
  replay->relieved = NULL;
}

static char *
find_obstacle(const GPtrArray *records, const SmbProgram *program, guint resident, guint warps) {
  if (resident == 0)
    return g_strdup("how many blocks are resident is not known");
  if (resident * warps > SMB_MAX_TIMED_WARPS)
    return g_strdup_printf("how %u resident warps share a multiprocessor is not modelled",
                           resident * warps);
  for (guint i = 0; i < records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(records, i);
    if (record->untimed != G_MAXUINT32 && smb_is_texture(program, record->untimed))
      return g_strdup("what the textures are is not known");
    if (record->untimed != G_MAXUINT32)
      return g_strdup_printf("how long the instruction at 0x%x takes is not modelled",
                             record->untimed * SMB_TIMING_BYTES);
    if (record->called)
      return g_strdup_printf("how long %s() takes is not modelled", record->called);
    if (record->kept == 0)
      return g_strdup("a block executes nothing");
  }
  return NULL;
}

// A site of global memory.
typedef struct {
  guint number;
  const SmbSite *site;
} GlobalSite;

// By line, and what it does; of several alike, by number.
static int
compare_global(gconstpointer a, gconstpointer b) {
  const GlobalSite *x = a, *y = b;
  return smb_order(x->site->line, y->site->line)
             ?: smb_order(x->site->op_class, y->site->op_class)
             ?: smb_order(x->site->width, y->site->width)
             ?: g_strcmp0(x->site->opcode, y->site->opcode) ?: smb_order(x->number, y->number);
}

// The sites of global memory, sorted (transfer full) (element-type GlobalSite).
static GArray *
sort_global_sites(const SmbProgram *program) {
  GArray *sites = g_array_new(FALSE, FALSE, sizeof(GlobalSite));
  for (guint s = 0; s < smb_program_n_sites(program); s++) {
    const GlobalSite site = {s, smb_program_site(program, s)};
    if (!site.site->is_shared)
      g_array_append_val(sites, site);
  }
  g_array_sort(sites, compare_global);
  return sites;
}

// Whether two programs have the same global accesses, of lines that may have moved together: a compiler may have put them in another order.
static gboolean
have_same_sites(const GArray *sites_a, const GArray *sites_b) {
  gboolean same = sites_a->len == sites_b->len;
  gint64 moved = 0;
  for (guint i = 0; same && i < sites_a->len; i++) {
    const SmbSite *x = g_array_index(sites_a, GlobalSite, i).site;
    const SmbSite *y = g_array_index(sites_b, GlobalSite, i).site;
    gint64 distance = (gint64)y->line - (gint64)x->line;
    moved = i == 0 ? distance : moved;
    same = distance == moved && x->width == y->width && x->op_class == y->op_class &&
           g_strcmp0(x->opcode, y->opcode) == 0;
  }
  return same;
}

static GArray *
number_sites(const GArray *sites) {
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < sites->len; i++)
    g_array_append_val(numbers, g_array_index(sites, GlobalSite, i).number);
  return numbers;
}

static gboolean
find_blocks_memory(SmbFootprint *footprint, SmbBlockRecorder *recorder,
                   const SmbBlockRecord *middle, const SmbProgram *program, const SmbLaunch *launch,
                   const SmbChip *chip, guint64 at_once, const SmbTimeOptions *options,
                   GError **error) {
  guint n_sites = smb_timed_sites(program);
  if (options->like && n_sites == smb_program_n_sites(program)) {
    g_autoptr(GArray) known = sort_global_sites(options->like_program);
    g_autoptr(GArray) same = sort_global_sites(program);
    if (have_same_sites(known, same)) {
      g_autoptr(GArray) sites = number_sites(known);
      g_autoptr(GArray) own = number_sites(same);
      smb_footprint_take(&options->like->footprint, sites, own, n_sites, footprint);
      return TRUE;
    }
  }
  return smb_footprint_find(recorder, middle, n_sites, launch, chip, MAX(1, at_once), footprint,
                            error);
}

// What is replayed: the samples, or more if blocks differ in length.
static gboolean
record_lot(SmbLot *lot, const SmbSampling *sampling, const SmbLaunch *launch, GPtrArray *samples,
           const SmbChip *chip, GError **error) {
  if (smb_lot_is_alike(launch, samples)) {
    lot->records = g_ptr_array_ref(samples);
    return TRUE;
  }
  g_autoptr(SmbBlockRecorder) shorter =
      smb_sampling_recorder(sampling, launch, SMB_MAX_EVENTS / SMB_LOT_BLOCKS, error);
  return shorter && smb_lot_record(lot, launch, samples, (guint)chip->multiprocessors,
                                   sampling->at_once, shorter, error);
}

SmbTime *
smb_time_predict(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                 const SmbChip *chip, const SmbTimeOptions *options, char **why, GError **error) {
  guint64 n_blocks = smb_launch_n_blocks(launch);
  guint resident = find_resident(program, arch, launch);
  guint64 at_once = MIN(n_blocks, (guint64)(resident * chip->multiprocessors));
  const SmbSampling sampling = {program, arch, at_once, options->is_cancelled, options->user};
  g_autoptr(GPtrArray) records = NULL;
  g_autoptr(SmbBlockRecorder) recorder = NULL;
  SmbLaunch ended;
  if (!smb_sampling_run(&sampling, &launch, &ended, &recorder, &records, error))
    return NULL;
  SmbBlockRecord *middle = g_ptr_array_index(records, 0);
  *why = find_obstacle(records, program, resident, find_warps(arch, launch));
  if (*why)
    return NULL;
  g_auto(SmbFootprint) footprint = {0};
  if (!find_blocks_memory(&footprint, recorder, middle, program, launch, chip, at_once, options,
                          error))
    return NULL;
  g_auto(SmbLot) lot = {.n_blocks = (guint64)ceil((double)n_blocks / chip->multiprocessors)};
  guint64 n_together = 1;
  g_autoptr(GArray) lengths = NULL;
  g_autoptr(SmbBlockRecord) last =
      smb_sampling_last(&sampling, launch, middle, &n_together, &lengths);
  SmbLaunch alike = *launch;
  alike.lengths = lengths ? lengths : launch->lengths;
  if (!record_lot(&lot, &sampling, &alike, records, chip, error))
    return NULL;
  guint64 shared = smb_program_static_shared(program) + launch->dynamic_bytes;
  SmbReplay replay = {
      .program = program,
      .chip = chip,
      .clock_khz = options->clock_khz > 0 ? options->clock_khz : chip->clock_khz,
      .resident = resident,
      .shared_bytes = resident * shared,
      .footprint = &footprint,
      .grid = launch->grid,
      .working = lot.working,
      .is_warm = options->is_warm,
      .max_instructions = MAX_INSTRUCTIONS,
  };
  SmbTime *time = g_atomic_rc_box_new0(SmbTime);
  time->clock_khz = replay.clock_khz;
  time->resident = resident;
  time->waves = (double)n_blocks / (resident * chip->multiprocessors);
  time->sites = g_array_new(FALSE, FALSE, sizeof(SmbSiteTime));
  g_autoptr(GArray) conflicts = find_conflicts(records, program);
  time->has_conflicts = conflicts->len > 0;
  for (guint i = 0; i < records->len; i++)
    time->is_managed |= ((const SmbBlockRecord *)g_ptr_array_index(records, i))->is_managed;
  double longer = find_longer(&replay, last, middle, (guint)(n_blocks / n_together));
  g_auto(SmbRelay) relay = smb_sampling_relay(&sampling, launch, middle);
  replay_launch(time, &replay, &lot, &relay, conflicts, longer, options);
  time->footprint = footprint;
  footprint = (SmbFootprint){.sites = NULL};
  return time;
}

static void
clear_time(gpointer data) {
  SmbTime *time = data;
  g_clear_pointer(&time->sites, g_array_unref);
  smb_footprint_clear(&time->footprint);
}

SmbTime *
smb_time_ref(SmbTime *time) {
  return time ? g_atomic_rc_box_acquire(time) : NULL;
}

void
smb_time_free(SmbTime *time) {
  if (time)
    g_atomic_rc_box_release_full(time, clear_time);
}

double
smb_time_microseconds(const SmbTime *time, double cycles) {
  return cycles / time->clock_khz * 1000;
}
