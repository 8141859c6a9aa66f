// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The clock of one multiprocessor: which warp issues when.
#include "sim/time/multiprocessor.h"

#include <math.h>
#include <string.h>

#include "sim/program/inside.h"
#include "sim/time/l1-cache.h"

enum {
  N_PARTITIONS = 4,
  MAX_RESIDENT_WARPS = 64,
  MAX_OPEN = 8,     // instructions that hold a scoreboard open, of which the times are kept
  MAX_QUEUE = 64,
  MAX_BLOCKS = 64,  // resident
  SECTOR_BYTES = 1 << SMB_SECTOR_SHIFT,
};

#define NEVER 1e300

typedef enum {
  WAY_ISSUE,
  WAY_FIXED,
  WAY_QUEUED,
  WAY_MEMORY,
} Way;

// Pipes of a sub-partition; LSU is shared by all.
typedef enum {
  PIPE_NONE,
  PIPE_FMA,
  PIPE_FMA_LITE, // the other half
  PIPE_ANY_FMA,
  PIPE_ALU,
  PIPE_FP64,
  PIPE_UNIFORM,
  PIPE_TENSOR,
  PIPE_XU,
  PIPE_SYSTEM,
  PIPE_CONSTANT,
  PIPE_LSU,
  N_PIPES,
} Pipe;

static const struct {
  guint8 way;
  guint8 pipe;
} ways[] = {
#define RATE(name, key, way, pipe) {WAY_##way, PIPE_##pipe},
#include "sim/program/rates.def"
#undef RATE
};

// A scoreboard of a warp: until when the instructions that opened it hold it open, in rising order.
typedef struct {
  double until[MAX_OPEN];
  guint n;
  SmbStall reason; // of a wait for it
} Scoreboard;

typedef struct {
  const SmbEvent *events;
  guint n, next;
  guint block;    // of the resident ones
  guint number;   // in the order in which warps came: the oldest goes first
  guint relief;   // the block's number, which tells lines of its own from those of other blocks
  const SmbBlockRecord *record;
  double issued;  // the last one
  double ready;   // the next one, but for its pipe
  double lsu;     // the pipe takes its next request
  double copies;  // until the copies that it asked for are complete
  SmbStall reason; // why it is not ready before
  double stalled;  // from when on
  Scoreboard boards[SMB_N_BOARDS];
} TimedWarp;

typedef struct {
  guint living; // warps
  guint arrived;
  double last_arrival;
  gboolean is_used;
  guint phase;                   // between two barriers, from 1
  guint phase_of[SMB_SHARINGS];  // in which it was decided
  gboolean is_first[SMB_SHARINGS]; // whether it is the first to ask for what it shares
} TimedBlock;

typedef struct {
  TimedWarp *warps[MAX_RESIDENT_WARPS]; // that live, the oldest first
  guint n;
  TimedWarp *last;
  double pipes[N_PIPES]; // free again
  double queue[MAX_QUEUE]; // when the last entries left, in a ring
  guint queue_at;
  double dequeued;
  double banks[SMB_REGISTER_BANKS]; // of registers: have read all that was asked for
  double now; // its next cycle
} Partition;

typedef struct {
  double average; // of its time that it was busy
  double at;
} Load;

typedef struct {
  const SmbReplay *replay;
  const SmbChip *chip;
  const SmbTiming *timings;
  Partition partitions[N_PARTITIONS];
  TimedBlock blocks[MAX_BLOCKS];
  TimedWarp *pool;
  guint warps_per_block;
  guint64 started, ended; // blocks
  guint n_warps; // that came so far
  double next_block; // may be launched
  double lsu, l2, l2_writes, dram, barrier; // free again
  Load l2_load, dram_load;
  double chip_cycles; // of all multiprocessors, in a second
  double dram_read, dram_written; // bytes so far
  double dram_latency;
  double due[SMB_SHARINGS]; // of lines that are shared, what DRAM has not served yet
  double stored;            // distinct bytes
  double end;
  double busy[SMB_N_UNITS];
  double stalls[SMB_N_STALLS];
  guint64 instructions;
  double warm_end; // when the first wave had ended
  guint64 warm_blocks;
  double warm_busy[SMB_N_UNITS];
  SmbL1Cache *cache;
} Multiprocessor;

const char *
smb_unit_name(SmbUnit unit) {
  static const char *const names[] = {"issue slots", "shared memory", "FMA",     "ALU", "FP64",
                                      "XU",          "tensor cores",  "uniform", "L2",  "DRAM"};
  G_STATIC_ASSERT(G_N_ELEMENTS(names) == SMB_N_UNITS);
  return names[unit];
}

const char *
smb_stall_name(SmbStall stall) {
  static const char *const names[] = {
      "selected",        "wait",          "barrier",      "short_scoreboard",
      "long_scoreboard", "math_throttle", "mio_throttle", "not_selected"};
  G_STATIC_ASSERT(G_N_ELEMENTS(names) == SMB_N_STALLS);
  return names[stall];
}

// --- scoreboards

static void
board_open(Scoreboard *board, double now, double until, SmbStall reason) {
  guint n = 0;
  for (guint i = 0; i < board->n; i++) {
    if (board->until[i] > now)
      board->until[n++] = board->until[i];
  }
  if (n == MAX_OPEN)
    memmove(board->until, board->until + 1, --n * sizeof(double));
  guint at = n;
  while (at > 0 && board->until[at - 1] > until)
    at--;
  memmove(board->until + at + 1, board->until + at, (n - at) * sizeof(double));
  board->until[at] = until;
  board->n = n + 1;
  board->reason = reason;
}

// When no more than @open instructions hold it open.
static double
board_time(const Scoreboard *board, guint open) {
  return board->n > open ? board->until[board->n - 1 - open] : 0;
}

// --- memory

// What a server was busy of late, of whose time @cycles are taken now.
static void
add_load(Load *load, double now, double cycles) {
  enum { MEMORY = 4096 }; // cycles, of the average
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

// DRAM reads or writes sectors. The more evenly it does both, the more time it takes to turn.
static void
move_dram(Multiprocessor *sm, double start, double bytes, gboolean reads) {
  const SmbChip *chip = sm->chip;
  double *moved = reads ? &sm->dram_read : &sm->dram_written;
  *moved += bytes;
  double both = sm->dram_read + sm->dram_written;
  double turns = 1 + chip->dram_turn * 2 * MIN(sm->dram_read, sm->dram_written) / both;
  double cycles = bytes * turns / ((reads ? chip->dram_read : chip->dram_write) / sm->chip_cycles);
  sm->dram = MAX(start, sm->dram) + cycles;
  add_load(&sm->dram_load, start, cycles);
  sm->busy[SMB_UNIT_DRAM] += cycles;
}

// Sectors that are loaded from the second-level cache, @of_dram of them from DRAM. When the last of them is there. @share: which part
// of the requests for them, of all multiprocessors, are not merged with another one's on the way.
static double
load_sectors(Multiprocessor *sm, double start, guint sectors, double share, guint of_dram) {
  const SmbChip *chip = sm->chip;
  double bytes = sectors * (double)SECTOR_BYTES;
  double cycles = MAX(bytes / chip->l2_port, bytes * share / chip->l2_read);
  double begin = MAX(start, sm->l2);
  sm->l2 = begin + cycles;
  sm->busy[SMB_UNIT_L2] += cycles;
  add_load(&sm->l2_load, begin, cycles);
  double there = sm->l2 + chip->l2_latency + find_wait(&sm->l2_load, chip->l2_wait);
  if (of_dram == 0)
    return there;
  move_dram(sm, begin, of_dram * (double)SECTOR_BYTES, TRUE);
  return MAX(there, sm->dram + sm->dram_latency + find_wait(&sm->dram_load, chip->dram_wait));
}

static void
store_sectors(Multiprocessor *sm, double start, guint sectors) {
  double bytes = sectors * (double)SECTOR_BYTES;
  sm->l2_writes = MAX(start, sm->l2_writes) + bytes / sm->chip->l2_write;
  sm->busy[SMB_UNIT_L2] += bytes / sm->chip->l2_write;
  // The first ones stay in the cache.
  sm->stored += bytes * sm->replay->footprint->distinct;
  if (sm->stored * sm->chip->multiprocessors > sm->chip->l2_dirty)
    move_dram(sm, start, bytes * sm->replay->footprint->distinct, FALSE);
}

// No more is asked for while so much is on its way.
static double
find_room(const Multiprocessor *sm, double start) {
  const SmbChip *chip = sm->chip;
  double l2 = sm->l2 - chip->open_bytes / chip->l2_read;
  double writes = sm->l2_writes - chip->open_bytes / chip->l2_write;
  double dram = sm->dram - chip->open_bytes * sm->chip_cycles / chip->dram_read;
  return MAX(MAX(start, writes), MAX(l2, dram));
}

// Tells a line of the block from the same one of another block, unless they share it.
static guint64
tag_of(const Multiprocessor *sm, const TimedWarp *warp, const SmbTimedLine *line, guint sharing) {
  guint64 block = (guint64)((double)warp->relief * sm->chip->multiprocessors), tag = 0;
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
  const double *shares = warp->relief < sm->replay->resident ? footprint->first : footprint->later;
  if (block->phase_of[sharing] != block->phase) {
    block->phase_of[sharing] = block->phase;
    sm->due[sharing] += shares[sharing];
    block->is_first[sharing] = sm->due[sharing] >= 1;
    sm->due[sharing] -= block->is_first[sharing];
  }
  return block->is_first[sharing] && !sm->replay->is_warm;
}

// A request of global memory that the pipe takes at @start. When what it loads is there.
static double
ask_global(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
           double start) {
  guint sharing = sm->replay->footprint->sharing[request->site];
  gboolean is_first = request->is_load && is_first_asker(sm, warp, sharing);
  guint missing = 0, of_dram = 0, written = 0;
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line =
        &g_array_index(warp->record->lines, SmbTimedLine, request->first + i);
    guint sectors = (guint)__builtin_popcount(line->sectors);
    written += request->is_store ? sectors : 0;
    if (!request->is_load)
      continue;
    // Atomics are made in the second-level cache.
    missing += request->is_store
                   ? sectors
                   : smb_l1_cache_load(sm->cache, tag_of(sm, warp, line, sharing), line->sectors);
    of_dram += is_first ? (guint)__builtin_popcount(line->news) : 0;
  }
  double there = start + sm->chip->l1_latency;
  if (written && !request->is_load)
    store_sectors(sm, start, written);
  if (missing)
    there = load_sectors(sm, start, missing, sm->replay->footprint->first[sharing],
                         MIN(missing, of_dram));
  return there;
}

// --- instructions

// Cycles of the pipe; one of a request without active lanes, and of what is stored to global memory.
static double
count_pipe(const Multiprocessor *sm, const SmbTimedRequest *request, const SmbTiming *timing) {
  if (!request)
    return timing->rate == SMB_RATE_REDUCE ? 2 : 1;
  gboolean is_relieved = sm->replay->relieved && sm->replay->relieved[request->site];
  double shared = is_relieved ? request->ideal : request->wavefronts;
  // A copy past the first-level cache takes a slot (an H200: as many wavefronts of the pipe), another one also its wavefronts.
  if (timing->rate == SMB_RATE_COPY)
    return shared + 1;
  return MAX(1, shared + request->loads);
}

// From issue to the result, if nothing is in the way.
static double
shared_latency(const SmbChip *chip, const SmbTimedRequest *request, double wavefronts) {
  double first = request && request->width == 8    ? chip->shared_latency_8
                 : request && request->width == 16 ? chip->shared_latency_16
                                                   : chip->shared_latency;
  guint least = request ? MAX(request->ideal, 1) : 1;
  return first + MAX(0, wavefronts - least) * chip->wavefront_latency;
}

static void
queue_leave(Multiprocessor *sm, Partition *partition, double when, double takes) {
  partition->dequeued = when + takes;
  partition->queue[partition->queue_at] = when;
  partition->queue_at = (partition->queue_at + 1) % (guint)sm->chip->queue_entries;
}

static double
queue_room(const Partition *partition) {
  return partition->queue[partition->queue_at];
}

// Goes through the queue to the pipe of shared memory and the first-level cache.
static void
issue_memory(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbTiming *timing,
             const SmbEvent *event, double now) {
  const SmbChip *chip = sm->chip;
  const SmbTimedRequest *request =
      event->request
          ? &g_array_index(warp->record->requests, SmbTimedRequest, event->request - 1)
          : NULL;
  double wavefronts = count_pipe(sm, request, timing);
  // While this one waits for its sub-partition, or for its warp's last one, the pipe serves others.
  double turn = MAX(now + chip->queue_latency, sm->lsu);
  sm->lsu = turn + wavefronts;
  double start = MAX(turn, MAX(partition->dequeued, warp->lsu));
  if (request && request->n)
    start = find_room(sm, start);
  warp->lsu = start + wavefronts * chip->same_warp;
  sm->busy[SMB_UNIT_SHARED] += wavefronts;
  queue_leave(sm, partition, start, timing->sends * chip->register_interval);
  double begun = start - chip->queue_latency;
  double there = begun + shared_latency(chip, request, wavefronts);
  SmbStall reason = SMB_STALL_SHORT_SCOREBOARD;
  if (timing->rate == SMB_RATE_SHUFFLE || timing->rate == SMB_RATE_REDUCE)
    there = begun + (timing->rate == SMB_RATE_SHUFFLE ? chip->shuffle_latency : chip->reduce_latency);
  if (request && request->n) {
    there = ask_global(sm, warp, request, begun);
    reason = SMB_STALL_LONG_SCOREBOARD;
  }
  if (timing->rate == SMB_RATE_COPY)
    warp->copies = MAX(warp->copies, there);
  sm->end = MAX(sm->end, there);
  if (timing->write_board < SMB_N_BOARDS)
    board_open(&warp->boards[timing->write_board], now, there, reason);
  if (timing->read_board < SMB_N_BOARDS)
    board_open(&warp->boards[timing->read_board], now, start + chip->operand_latency,
               SMB_STALL_SHORT_SCOREBOARD);
}

static double
queued_latency(const SmbChip *chip, Pipe pipe) {
  return pipe == PIPE_XU ? chip->special_latency
         : pipe == PIPE_CONSTANT ? chip->constant_latency
                                 : chip->system_latency;
}

// Goes through the queue to a pipe of the sub-partition.
static void
issue_queued(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbTiming *timing,
             double now) {
  Pipe pipe = ways[timing->rate].pipe;
  double start = MAX(MAX(now + sm->chip->queue_latency, partition->dequeued), partition->pipes[pipe]);
  partition->pipes[pipe] = start + sm->chip->rate[timing->rate];
  queue_leave(sm, partition, start, 0);
  double there = start - sm->chip->queue_latency + queued_latency(sm->chip, pipe);
  if (timing->write_board < SMB_N_BOARDS)
    board_open(&warp->boards[timing->write_board], now, there, SMB_STALL_SHORT_SCOREBOARD);
  if (timing->read_board < SMB_N_BOARDS)
    board_open(&warp->boards[timing->read_board], now, start + sm->chip->operand_latency,
               SMB_STALL_SHORT_SCOREBOARD);
}

static SmbUnit
pipe_unit(Pipe pipe) {
  static const SmbUnit units[N_PIPES] = {
      [PIPE_FMA] = SMB_UNIT_FMA, [PIPE_ANY_FMA] = SMB_UNIT_FMA,        [PIPE_ALU] = SMB_UNIT_ALU,       [PIPE_FP64] = SMB_UNIT_FP64,
      [PIPE_UNIFORM] = SMB_UNIT_UNIFORM, [PIPE_TENSOR] = SMB_UNIT_TENSOR, [PIPE_XU] = SMB_UNIT_XU,
  };
  return units[pipe];
}

// --- barriers and blocks

static void
wake_partition(Multiprocessor *sm, const TimedWarp *warp, double when) {
  Partition *partition = &sm->partitions[warp->number % N_PARTITIONS];
  partition->now = MIN(partition->now, MAX(when, 0));
}

// All living warps of a block have arrived.
static void
release_block(Multiprocessor *sm, guint index) {
  TimedBlock *block = &sm->blocks[index];
  double when = block->last_arrival + sm->chip->barrier_latency;
  block->arrived = 0;
  block->phase++;
  for (guint p = 0; p < N_PARTITIONS; p++) {
    for (guint i = 0; i < sm->partitions[p].n; i++) {
      TimedWarp *warp = sm->partitions[p].warps[i];
      if (warp->block != index || warp->ready < NEVER)
        continue;
      warp->ready = MAX(when, warp->issued + 1);
      wake_partition(sm, warp, warp->ready);
    }
  }
}

static void
arrive(Multiprocessor *sm, TimedWarp *warp, double now, gboolean waits) {
  TimedBlock *block = &sm->blocks[warp->block];
  sm->barrier = MAX(now, sm->barrier) + sm->chip->barrier_arrival;
  block->last_arrival = sm->barrier;
  block->arrived += waits;
  if (!waits)
    return;
  warp->ready = NEVER;
  warp->reason = SMB_STALL_BARRIER;
  if (block->arrived == block->living)
    release_block(sm, warp->block);
}

// Puts the next block in the place of one that has ended, if there is one.
static void
start_block(Multiprocessor *sm, guint index, double when) {
  const SmbReplay *replay = sm->replay;
  TimedBlock *block = &sm->blocks[index];
  block->is_used = sm->started < replay->n_blocks && sm->instructions < replay->max_instructions;
  if (!block->is_used)
    return;
  const SmbBlockRecord *record = g_ptr_array_index(replay->records, sm->started % replay->records->len);
  when = MAX(when, sm->next_block);
  sm->next_block = when + (sm->started < replay->resident
                               ? sm->chip->first_interval
                               : sm->chip->block_interval +
                                     record->warps->len * sm->chip->warp_interval);
  *block = (TimedBlock){.living = record->warps->len, .is_used = TRUE, .phase = 1};
  for (guint w = 0; w < record->warps->len; w++) {
    GArray *events = g_ptr_array_index(record->warps, w);
    TimedWarp *warp = &sm->pool[index * sm->warps_per_block + w];
    *warp = (TimedWarp){.events = (const SmbEvent *)(gpointer)events->data,
                        .n = events->len,
                        .block = index,
                        .number = sm->n_warps++,
                        .relief = (guint)sm->started,
                        .record = record,
                        .issued = when - 1,
                        .stalled = when,
                        .reason = SMB_STALL_WAIT,
                        .ready = when};
    Partition *partition = &sm->partitions[warp->number % N_PARTITIONS];
    partition->warps[partition->n++] = warp;
    wake_partition(sm, warp, when);
  }
  sm->started++;
}

static void
end_warp(Multiprocessor *sm, Partition *partition, TimedWarp *warp, double now) {
  guint at = 0;
  while (partition->warps[at] != warp)
    at++;
  memmove(&partition->warps[at], &partition->warps[at + 1],
          (--partition->n - at) * sizeof(TimedWarp *));
  partition->last = NULL;
  sm->end = MAX(sm->end, now);
  TimedBlock *block = &sm->blocks[warp->block];
  block->living--;
  if (block->living && block->arrived == block->living)
    release_block(sm, warp->block);
  if (block->living)
    return;
  sm->ended++;
  if (sm->ended == MIN(sm->replay->resident, sm->replay->n_blocks)) {
    sm->warm_end = now;
    sm->warm_blocks = sm->ended;
    memcpy(sm->warm_busy, sm->busy, sizeof(sm->busy));
  }
  start_block(sm, warp->block, now + sm->chip->block_latency);
}

// --- issue

// When the next instruction may be issued by what its warp waits for, and why not before.
static void
make_ready(Multiprocessor *sm, TimedWarp *warp, double next) {
  warp->stalled = next;
  warp->ready = next;
  warp->reason = SMB_STALL_WAIT;
  if (warp->next == warp->n)
    return;
  const SmbTiming *timing = &sm->timings[warp->events[warp->next].number];
  for (guint rest = timing->waits; rest; rest &= rest - 1) {
    const Scoreboard *board = &warp->boards[__builtin_ctz(rest)];
    double until = board_time(board, 0);
    if (until <= warp->ready)
      continue;
    warp->ready = until;
    warp->reason = board->reason;
  }
  if (timing->rate == SMB_RATE_WAIT && timing->board < SMB_N_BOARDS) {
    const Scoreboard *board = &warp->boards[timing->board];
    double until = board_time(board, timing->open);
    if (until > warp->ready) {
      warp->ready = until;
      warp->reason = board->reason;
    }
  }
}

static Pipe
choose_pipe(const Partition *partition, Pipe pipe) {
  if (pipe != PIPE_ANY_FMA)
    return pipe;
  const double *pipes = partition->pipes;
  return pipes[PIPE_FMA_LITE] <= pipes[PIPE_FMA] ? PIPE_FMA_LITE : PIPE_FMA;
}

// When its pipe, or its queue, takes the next instruction of a warp.
static double
find_free(const Partition *partition, const SmbTiming *timing) {
  switch ((Way)ways[timing->rate].way) {
  case WAY_ISSUE:
    return 0;
  case WAY_FIXED:
    return partition->pipes[choose_pipe(partition, ways[timing->rate].pipe)];
  case WAY_QUEUED:
  case WAY_MEMORY:
    return queue_room(partition);
  }
  return 0;
}

static void
count_stall(Multiprocessor *sm, const TimedWarp *warp, const SmbTiming *timing, double now) {
  double *stalls = sm->stalls;
  double ready = MIN(warp->ready, now);
  gboolean is_barrier = warp->reason == SMB_STALL_BARRIER;
  stalls[SMB_STALL_SELECTED] += 1;
  stalls[SMB_STALL_WAIT] += is_barrier ? 0 : MAX(0, warp->stalled - warp->issued - 1);
  stalls[warp->reason] += MAX(0, ready - (is_barrier ? warp->issued + 1 : warp->stalled));
  Way way = ways[timing->rate].way;
  double blocked = now - ready;
  stalls[way == WAY_FIXED   ? SMB_STALL_MATH
         : way == WAY_ISSUE ? SMB_STALL_NOT_SELECTED
                            : SMB_STALL_MIO] += blocked;
}

static void
issue(Multiprocessor *sm, Partition *partition, TimedWarp *warp, double now) {
  const SmbEvent *event = &warp->events[warp->next++];
  const SmbTiming *timing = &sm->timings[event->number];
  count_stall(sm, warp, timing, now);
  sm->instructions++;
  sm->busy[SMB_UNIT_ISSUE] += 1.0 / N_PARTITIONS;
  partition->last = warp;
  warp->issued = now;
  Pipe pipe = ways[timing->rate].pipe;
  switch ((Way)ways[timing->rate].way) {
  case WAY_ISSUE:
    break;
  case WAY_FIXED:
    partition->pipes[choose_pipe(partition, pipe)] = now + sm->chip->rate[timing->rate];
    sm->busy[pipe_unit(pipe)] += sm->chip->rate[timing->rate] / N_PARTITIONS /
                                 (pipe_unit(pipe) == SMB_UNIT_FMA ? 2 : 1);
    break;
  case WAY_QUEUED:
    issue_queued(sm, partition, warp, timing, now);
    if (pipe == PIPE_XU)
      sm->busy[SMB_UNIT_XU] += sm->chip->rate[timing->rate] / N_PARTITIONS;
    break;
  case WAY_MEMORY:
    issue_memory(sm, partition, warp, timing, event, now);
    break;
  }
  if (timing->rate == SMB_RATE_COMMIT && timing->write_board < SMB_N_BOARDS)
    board_open(&warp->boards[timing->write_board], now, warp->copies, SMB_STALL_LONG_SCOREBOARD);
  if (warp->next == warp->n) {
    end_warp(sm, partition, warp, now);
    return;
  }
  make_ready(sm, warp, now + MAX(1, timing->stall));
  if (timing->rate == SMB_RATE_BARRIER || timing->rate == SMB_RATE_ARRIVAL)
    arrive(sm, warp, now, timing->rate == SMB_RATE_BARRIER);
}

// Each bank reads a register a cycle. An instruction has three cycles for it ("Analyzing Modern NVIDIA GPU cores", arXiv 2503.20481); when
// the next one may follow.
static double
read_registers(Partition *partition, const TimedWarp *warp, const SmbTiming *timing, double now) {
  enum { WINDOW = 3 };
  double next = now;
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    guint reads = timing->reads[b] - (partition->last == warp ? timing->kept[b] : 0);
    partition->banks[b] = MAX(partition->banks[b], now) + reads;
    next = MAX(next, partition->banks[b] - WINDOW + 1);
  }
  return ceil(next);
}

// One cycle of a sub-partition.
static void
step_partition(Multiprocessor *sm, Partition *partition) {
  double now = partition->now, next = NEVER;
  TimedWarp *chosen = NULL;
  for (guint i = 0; i <= partition->n && !chosen; i++) {
    TimedWarp *warp = i == 0 ? partition->last : partition->warps[i - 1];
    if (!warp || warp->ready >= NEVER)
      continue;
    double when = warp->ready;
    if (when <= now)
      when = MAX(when, find_free(partition, &sm->timings[warp->events[warp->next].number]));
    if (when <= now)
      chosen = warp;
    next = MIN(next, when);
  }
  if (!chosen) {
    partition->now = next < NEVER ? ceil(next) : NEVER;
    return;
  }
  const SmbTiming *timing = &sm->timings[chosen->events[chosen->next].number];
  double read = read_registers(partition, chosen, timing, now);
  // A product of matrices holds the slots that follow (H200: beside it, others take as long as alone).
  partition->now =
      MAX(read, now + (ways[timing->rate].pipe == PIPE_TENSOR ? sm->chip->rate[timing->rate] : 1));
  issue(sm, partition, chosen, now);
}

// The sub-partition that is furthest behind; NULL: no warp can go on.
static Partition *
find_partition(Multiprocessor *sm) {
  Partition *first = &sm->partitions[0];
  for (guint p = 1; p < N_PARTITIONS; p++) {
    if (sm->partitions[p].now < first->now)
      first = &sm->partitions[p];
  }
  return first->now < NEVER ? first : NULL;
}

// Warps that wait for ones that never come, at a barrier that not all warps of the block take part in, go on.
static gboolean
release_some_block(Multiprocessor *sm) {
  for (guint b = 0; b < sm->replay->resident; b++) {
    if (!sm->blocks[b].is_used || !sm->blocks[b].arrived)
      continue;
    release_block(sm, b);
    return TRUE;
  }
  return FALSE;
}

static void
run(Multiprocessor *sm) {
  for (guint b = 0; b < sm->replay->resident; b++)
    start_block(sm, b, 0);
  for (;;) {
    Partition *partition = find_partition(sm);
    if (partition)
      step_partition(sm, partition);
    else if (!release_some_block(sm))
      return;
  }
}

// Blocks that were not replayed go on as those after the first wave did.
static void
extend(const Multiprocessor *sm, SmbReplayed *result) {
  guint64 left = sm->replay->n_blocks - sm->ended;
  if (left == 0)
    return;
  guint64 steady = sm->ended - sm->warm_blocks;
  gboolean has_steady = steady > 0 && sm->warm_end < sm->end;
  double cycles = has_steady ? (sm->end - sm->warm_end) / (double)steady : sm->end / (double)sm->ended;
  result->cycles += cycles * (double)left;
}

SmbReplayed
smb_multiprocessor_replay(const SmbReplay *replay) {
  Multiprocessor *sm = g_new0(Multiprocessor, 1);
  const SmbChip *chip = replay->chip;
  sm->replay = replay;
  sm->chip = chip;
  sm->timings = (const SmbTiming *)(gpointer)replay->program->timings->data;
  double faster = replay->clock_khz / chip->latency_khz;
  sm->chip_cycles = replay->clock_khz * 1000 * chip->multiprocessors;
  sm->dram_latency = chip->l2_latency + (chip->dram_latency - chip->l2_latency) * faster;
  for (guint i = 0; i < replay->records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(replay->records, i);
    sm->warps_per_block = MAX(sm->warps_per_block, record->warps->len);
  }
  sm->pool = g_new0(TimedWarp, (gsize)replay->resident * sm->warps_per_block);
  double left = chip->unified_bytes - (double)replay->shared_bytes;
  sm->cache = smb_l1_cache_new((guint64)MAX(0, MIN(chip->l1_bytes, left)));
  run(sm);
  sm->end = MAX(MAX(sm->end, sm->l2_writes), MAX(sm->l2, sm->dram));
  SmbReplayed result = {.cycles = sm->end, .blocks = sm->ended, .instructions = sm->instructions};
  for (guint u = 0; u < SMB_N_UNITS; u++)
    result.busy[u] = sm->end > 0 ? MIN(1, sm->busy[u] / sm->end) : 0;
  memcpy(result.stalls, sm->stalls, sizeof(result.stalls));
  extend(sm, &result);
  smb_l1_cache_free(sm->cache);
  g_free(sm->pool);
  g_free(sm);
  return result;
}
