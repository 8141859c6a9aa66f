// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch: which blocks are replayed, on one multiprocessor for all. Where blocks differ in length, some of all lengths are, and from how long
// that takes follows how long all of them take (sim/time/grid/balance.h).
#include "sim/time/time.h"

#include <math.h>
#include <string.h>

#include "sim/arch/occupancy.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "sim/time/dram/footprint.h"
#include "sim/time/grid/lot-replay.h"
#include "sim/time/grid/sampling.h"
#include "sim/time/record/timed-sites.h"
#include "sim/time/record/unplaced.h"

enum {
  MAX_INSTRUCTIONS = 3 << 20, // that are replayed
  // Registers are given to warps in multiples of it (sm_70 and later, CUDA Occupancy Calculator).
  REGISTER_UNIT = 256,
  SM_REGISTERS = 65536,
};

#define UNTIMED_CALL "how long %s() takes is not modelled"

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
  double longer =
      smb_lot_replay_copies(&replay, block, 1) - smb_lot_replay_copies(&replay, other, 1);
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

// What the launch gains without the conflicts of each site.
static void
find_site_costs(SmbTime *time, const SmbReplay *replay, const SmbLot *lot, const GArray *conflicts,
                guint n_threads) {
  double gain = time->cycles - time->without;
  g_array_append_vals(time->sites, conflicts->data, conflicts->len);
  if (conflicts->len == 1)
    g_array_index(time->sites, SmbSiteTime, 0).cycles = gain;
  else if (gain > 0)
    smb_site_costs(replay, lot, smb_timed_sites(replay->program) + 1, n_threads, time->sites);
}

// With conflicts, and where it is wanted without them. @last: cycles that the last block takes longer
static void
replay_launch(SmbTime *time, SmbReplay *replay, const SmbLot *lot, const SmbRelay *relay,
              const GArray *conflicts, double last, const SmbTimeOptions *options) {
  guint n_sites = smb_timed_sites(replay->program) + 1;
  g_autofree guint8 *relieved = g_new0(guint8, n_sites);
  SmbReplayed replayed, without;
  time->cycles = time->without = smb_lot_replay(replay, lot, &replayed);
  double waits = find_longer_relay(replay, relay, time->cycles), without_waits = waits;
  without = replayed;
  if (conflicts->len > 0 && !options->like) {
    memset(relieved, TRUE, n_sites);
    replay->relieved = relieved;
    time->without = MIN(time->cycles, smb_lot_replay(replay, lot, &without));
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
  replay->relieved = NULL;
  if (options->sites)
    find_site_costs(time, replay, lot, conflicts, options->n_threads);
}

// The instruction of this number, which has no time: why there is none of the launch (transfer full).
static char *
describe_untimed(const SmbProgram *program, guint32 number) {
  g_autoptr(GPtrArray) code = smb_program_instructions(program);
  const SmbCodeLine *line = code && number < code->len ? code->pdata[number] : NULL;
  if (!line || line->pc != number * SMB_TIMING_BYTES)
    return g_strdup_printf("how long the instruction at 0x%x takes is not modelled",
                           number * SMB_TIMING_BYTES);
  g_autofree char *name = line->file ? g_path_get_basename(line->file) : NULL;
  g_autofree char *place =
      name ? g_strdup_printf("%s:%u", name, line->line) : g_strdup_printf("0x%x", line->pc);
  return g_strdup_printf("how long %s at %s takes is not modelled", line->text, place);
}

static char *
find_obstacle(const GPtrArray *records, const SmbProgram *program, const SmbLaunch *launch,
              guint resident, guint warps) {
  if (resident == 0)
    return g_strdup("how many blocks are resident is not known");
  if (resident * warps > SMB_MAX_TIMED_WARPS)
    return g_strdup_printf("how %u resident warps share a multiprocessor is not modelled",
                           resident * warps);
  if (launch->has_printed)
    return g_strdup_printf(UNTIMED_CALL, "vprintf");
  for (guint i = 0; i < records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(records, i);
    if (record->untimed != G_MAXUINT32 && smb_is_texture(program, record->untimed))
      return g_strdup("what the textures are is not known");
    if (record->untimed != G_MAXUINT32)
      return describe_untimed(program, record->untimed);
    if (record->called)
      return g_strdup_printf(UNTIMED_CALL, record->called);
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

// Of which nothing has been replayed yet.
static SmbTime *
new_time(const SmbReplay *replay, const SmbLaunch *launch, const GPtrArray *records,
         gboolean has_conflicts) {
  SmbTime *time = g_atomic_rc_box_new0(SmbTime);
  time->clock_khz = replay->clock_khz;
  time->is_warm = replay->is_warm;
  time->resident = replay->resident;
  time->waves =
      (double)smb_launch_n_blocks(launch) / (replay->resident * replay->chip->multiprocessors);
  time->sites = g_array_new(FALSE, FALSE, sizeof(SmbSiteTime));
  time->has_conflicts = has_conflicts;
  time->unplaced = smb_unplaced_new();
  for (guint i = 0; i < records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(records, i);
    time->is_managed |= record->is_managed;
    for (guint j = 0; j < record->unplaced->len; j++) {
      const SmbUnplaced *unplaced = &g_array_index(record->unplaced, SmbUnplaced, j);
      smb_unplaced_note(time->unplaced, replay->program, unplaced->site, unplaced->reason,
                        &unplaced->hint);
    }
  }
  return time;
}

SmbTime *
smb_time_predict(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                 const SmbChip *chip, const SmbTimeOptions *options, char **why, GError **error) {
  guint64 n_blocks = smb_launch_n_blocks(launch);
  guint resident = find_resident(program, arch, launch);
  guint64 at_once = MIN(n_blocks, (guint64)(resident * chip->multiprocessors));
  const SmbSampling sampling = {program,      arch, at_once, options->move, options->is_cancelled,
                                options->user};
  g_autoptr(GPtrArray) records = NULL;
  g_autoptr(SmbBlockRecorder) recorder = NULL;
  SmbLaunch ended;
  if (!smb_sampling_run(&sampling, &launch, &ended, &recorder, &records, error))
    return NULL;
  SmbBlockRecord *middle = g_ptr_array_index(records, 0);
  *why = find_obstacle(records, program, launch, resident, find_warps(arch, launch));
  if (!*why && smb_sampling_hands_over(&sampling, launch, middle))
    *why = g_strdup("its blocks wait for each other; a run of the whole program knows for what");
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
      .is_cancelled = options->is_cancelled,
      .user = options->user,
  };
  g_autoptr(GArray) conflicts = find_conflicts(records, program);
  g_autoptr(SmbTime) time = new_time(&replay, launch, records, conflicts->len > 0);
  double longer = find_longer(&replay, last, middle, (guint)(n_blocks / n_together));
  g_auto(SmbRelay) relay = smb_sampling_relay(&sampling, launch, middle);
  replay_launch(time, &replay, &lot, &relay, conflicts, longer, options);
  time->footprint = footprint;
  footprint = (SmbFootprint){.sites = NULL};
  if (!options->is_cancelled || !options->is_cancelled(options->user))
    return g_steal_pointer(&time);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "interrupted");
  return NULL;
}

static void
clear_time(gpointer data) {
  SmbTime *time = data;
  g_clear_pointer(&time->sites, g_array_unref);
  g_clear_pointer(&time->unplaced, g_array_unref);
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
