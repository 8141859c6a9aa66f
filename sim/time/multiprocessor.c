// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The clock of one multiprocessor: which warp issues when.
#include "sim/time/multiprocessor.h"

#include <math.h>
#include <string.h>

#include "sim/program/inside.h"
#include "sim/time/multiprocessor-impl.h"

#define NEVER 1e300

typedef enum {
  WAY_ISSUE,
  WAY_FIXED,
  WAY_QUEUED,
  WAY_MEMORY,
} Way;

static const struct {
  guint8 way;
  guint8 pipe;
} ways[] = {
#define RATE(name, key, way, pipe) {WAY_##way, PIPE_##pipe},
#include "sim/program/rates.def"
#undef RATE
};

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

// --- instructions

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

// What is sent in addition comes later.
static double
exchange_latency(const SmbChip *chip, const SmbTiming *timing) {
  if (timing->rate == SMB_RATE_SYSTEM)
    return chip->system_latency;
  return timing->rate == SMB_RATE_REDUCE
             ? chip->reduce_latency
             : chip->shuffle_latency + (timing->sends - 1) * chip->register_interval;
}

// Goes through the queue to the pipe of shared memory and the first-level cache.
static void
issue_memory(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbTiming *timing,
             const SmbEvent *event, double now) {
  const SmbChip *chip = sm->chip;
  const SmbTimedRequest *request =
      event->request ? &g_array_index(warp->record->requests, SmbTimedRequest, event->request - 1)
                     : NULL;
  double wavefronts = smb_memory_path_cycles(sm, request, timing);
  // While this one waits for its sub-partition, or for its warp's last one, the pipe serves others.
  double turn = MAX(now + chip->queue_latency, sm->lsu);
  sm->lsu = turn + wavefronts;
  double start = MAX(turn, MAX(partition->dequeued, warp->lsu));
  if (request && request->n)
    start = smb_memory_path_room(sm, start);
  warp->lsu = start + wavefronts * chip->same_warp;
  sm->busy[SMB_UNIT_SHARED] += wavefronts;
  // Where no lane is active, no registers are sent (an H200: one such instruction a cycle).
  gboolean is_idle =
      !request && (timing->rate == SMB_RATE_SHARED || timing->rate == SMB_RATE_GLOBAL);
  queue_leave(sm, partition, start, is_idle ? 1 : timing->sends * chip->register_interval);
  double begun = start - chip->queue_latency;
  double there = begun + smb_memory_path_latency(chip, timing, wavefronts);
  SmbStall reason = SMB_STALL_SHORT_SCOREBOARD;
  if (timing->rate == SMB_RATE_SHUFFLE || timing->rate == SMB_RATE_REDUCE ||
      timing->rate == SMB_RATE_SYSTEM)
    there = begun + exchange_latency(chip, timing);
  if (request && request->n) {
    there = smb_memory_path_ask(sm, warp, request, begun);
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
  return pipe == PIPE_XU         ? chip->special_latency
         : pipe == PIPE_CONSTANT ? chip->constant_latency
                                 : chip->uniform_latency;
}

// Goes through the queue to a pipe of the sub-partition.
static void
issue_queued(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbTiming *timing,
             double now) {
  Pipe pipe = ways[timing->rate].pipe;
  double start =
      MAX(MAX(now + sm->chip->queue_latency, partition->dequeued), partition->pipes[pipe]);
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
      [PIPE_FMA] = SMB_UNIT_FMA,         [PIPE_ANY_FMA] = SMB_UNIT_FMA,
      [PIPE_ALU] = SMB_UNIT_ALU,         [PIPE_FP64] = SMB_UNIT_FP64,
      [PIPE_UNIFORM] = SMB_UNIT_UNIFORM, [PIPE_TENSOR] = SMB_UNIT_TENSOR,
      [PIPE_XU] = SMB_UNIT_XU,
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
  const SmbBlockRecord *record =
      g_ptr_array_index(replay->records, sm->started % replay->records->len);
  when = MAX(when, sm->next_block);
  sm->next_block =
      when + (sm->started < replay->resident
                  ? sm->chip->first_interval
                  : sm->chip->block_interval + record->warps->len * sm->chip->warp_interval);
  *block = (TimedBlock){.living = record->warps->len, .is_used = TRUE, .phase = 1};
  for (guint w = 0; w < record->warps->len; w++) {
    GArray *events = g_ptr_array_index(record->warps, w);
    TimedWarp *warp = &sm->pool[index * sm->warps_per_block + w];
    *warp = (TimedWarp){.events = (const SmbEvent *)(gpointer)events->data,
                        .n = smb_replay_warp_events(replay, events->len),
                        .block = index,
                        .number = sm->n_warps++,
                        .sequence = (guint)sm->started,
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
    sm->busy[pipe_unit(pipe)] +=
        sm->chip->rate[timing->rate] / N_PARTITIONS / (pipe_unit(pipe) == SMB_UNIT_FMA ? 2 : 1);
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

// Returns: when the next instruction may follow. Each bank reads registers one after the other; an instruction has three cycles for it
// ("Analyzing Modern NVIDIA GPU cores", arXiv 2503.20481).
static double
read_registers(Partition *partition, const TimedWarp *warp, const SmbTiming *timing, double now,
               double interval) {
  enum {
    WINDOW = 3
  };
  double next = now;
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    guint reads = timing->reads[b] - (partition->last == warp ? timing->kept[b] : 0);
    partition->banks[b] = MAX(partition->banks[b], now) + reads * interval;
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
  double read = read_registers(partition, chosen, timing, now, sm->chip->bank_interval);
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
run_multiprocessor(Multiprocessor *sm) {
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
extend_replay(const Multiprocessor *sm, SmbReplayed *result) {
  guint64 left = sm->replay->n_blocks - sm->ended;
  if (left == 0)
    return;
  guint64 steady = sm->ended - sm->warm_blocks;
  gboolean has_steady = steady > 0 && sm->warm_end < sm->end;
  double cycles =
      has_steady ? (sm->end - sm->warm_end) / (double)steady : sm->end / (double)sm->ended;
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
  double n_blocks = (double)replay->grid[0] * replay->grid[1] * replay->grid[2];
  double working = MIN(n_blocks, chip->multiprocessors), all = chip->multiprocessors / working;
  sm->working = working;
  sm->chip_cycles = replay->clock_khz * 1000 * working;
  sm->l2_read = MIN(chip->l2_read * all, chip->l2_read_alone);
  sm->l2_port = MIN(chip->l2_port * all, chip->l2_read_alone);
  sm->l2_write = MIN(chip->l2_write * all, chip->l2_write_alone);
  sm->dram_latency = chip->l2_latency + (chip->dram_latency - chip->l2_latency) * faster;
  for (guint i = 0; i < replay->records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(replay->records, i);
    sm->warps_per_block = MAX(sm->warps_per_block, record->warps->len);
  }
  sm->looked_up = g_new0(double, smb_program_n_sites(replay->program) + 1);
  sm->pool = g_new0(TimedWarp, (gsize)replay->resident * sm->warps_per_block);
  double left = chip->unified_bytes - (double)replay->shared_bytes;
  sm->cache = smb_l1_cache_new((guint64)MAX(0, MIN(chip->l1_bytes, left)));
  run_multiprocessor(sm);
  sm->end = MAX(MAX(sm->end, sm->l2_writes), MAX(sm->l2, sm->dram));
  sm->end = MAX(sm->end, MAX(sm->changes, sm->hottest));
  for (guint i = 0; i < G_N_ELEMENTS(sm->slice_busy); i++)
    sm->busy[SMB_UNIT_L2] = MAX(sm->busy[SMB_UNIT_L2], sm->slice_busy[i]);
  SmbReplayed result = {.cycles = sm->end, .blocks = sm->ended, .instructions = sm->instructions};
  for (guint u = 0; u < SMB_N_UNITS; u++)
    result.busy[u] = sm->end > 0 ? MIN(1, sm->busy[u] / sm->end) : 0;
  memcpy(result.stalls, sm->stalls, sizeof(result.stalls));
  result.simulated = sm->end;
  extend_replay(sm, &result);
  smb_l1_cache_free(sm->cache);
  g_free(sm->looked_up);
  g_free(sm->pool);
  g_free(sm);
  return result;
}
