// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The clock of one multiprocessor: which warp issues when.
#include "sim/time/replay/multiprocessor.h"

#include <string.h>

#include "sim/program/inside.h"
#include "sim/time/replay/multiprocessor-impl.h"

enum {
  ASK_STEPS = 1 << 16, // between two questions whether to stop
};

typedef enum {
  WAY_ISSUE,
  WAY_FIXED,
  WAY_QUEUED,
  WAY_MEMORY,
  WAY_TEXTURE,
  WAY_PHASE,
  WAY_MEET,
  WAY_GROUP,
  WAY_BULK,
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
  static const char *const names[] = {
      "issue slots",   "shared memory", "L1", "FMA",  "ALU",     "FP64",     "XU",
      "tensor cores",  "uniform",       "L2", "DRAM", "cluster", "textures", "PCIe",
      "block launches"};
  G_STATIC_ASSERT(G_N_ELEMENTS(names) == SMB_N_UNITS);
  return names[unit];
}

const char *
smb_stall_name(SmbStall stall) {
  static const char *const names[] = {"selected",
                                      "wait",
                                      "barrier",
                                      "short_scoreboard",
                                      "long_scoreboard",
                                      "math_pipe_throttle",
                                      "mio_throttle",
                                      "not_selected",
                                      "no_instruction",
                                      "dispatch_stall",
                                      "drain"};
  G_STATIC_ASSERT(G_N_ELEMENTS(names) == SMB_N_STALLS);
  return names[stall];
}

// --- scoreboards

void
smb_board_open(Scoreboard *board, double now, double until, SmbStall reason) {
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

void
smb_boards_hold(const Multiprocessor *sm, TimedWarp *warp, const SmbTiming *timing, double now,
                double start, double there, SmbStall reason) {
  if (timing->write_board < SMB_N_BOARDS)
    smb_board_open(&warp->boards[timing->write_board], now, there, reason);
  if (timing->read_board < SMB_N_BOARDS)
    smb_board_open(&warp->boards[timing->read_board], now, start + sm->chip->operand_latency,
                   SMB_STALL_SHORT_SCOREBOARD);
}

// When no more than @open instructions hold it open.
static double
board_time(const Scoreboard *board, guint open) {
  return board->n > open ? board->until[board->n - 1 - open] : 0;
}

// --- instructions

void
smb_queue_leave(Multiprocessor *sm, Partition *partition, double when, double takes) {
  partition->left = when;
  partition->dequeued = when + takes;
  partition->queue[partition->queue_at] = when;
  partition->queue_at = (partition->queue_at + 1) % (guint)sm->chip->queue_entries;
}

static double
queue_room(const Partition *partition) {
  return partition->queue[partition->queue_at];
}

double
smb_queue_start(Multiprocessor *sm, Partition *partition, double now, double taker) {
  return MAX(MAX(now + sm->chip->queue_latency, partition->dequeued), taker);
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
  double start = smb_queue_start(sm, partition, now, partition->pipes[pipe]);
  partition->pipes[pipe] = start + sm->chip->rate[timing->rate];
  smb_queue_leave(sm, partition, start, 0);
  smb_registers_send(partition, timing, now);
  double there = start - sm->chip->queue_latency + queued_latency(sm->chip, pipe);
  smb_registers_return(partition, timing, there - sm->chip->result_lead);
  smb_boards_hold(sm, warp, timing, now, start, there, SMB_STALL_SHORT_SCOREBOARD);
}

static SmbUnit
pipe_unit(Pipe pipe) {
  static const SmbUnit units[N_PIPES] = {
      [PIPE_FMA] = SMB_UNIT_FMA,       [PIPE_ANY_FMA] = SMB_UNIT_FMA,
      [PIPE_BOTH_FMA] = SMB_UNIT_FMA,  [PIPE_ALU] = SMB_UNIT_ALU,
      [PIPE_FP64] = SMB_UNIT_FP64,     [PIPE_UNIFORM] = SMB_UNIT_UNIFORM,
      [PIPE_TENSOR] = SMB_UNIT_TENSOR, [PIPE_XU] = SMB_UNIT_XU,
  };
  return units[pipe];
}

// When the next instruction may be issued by what its warp waits for, and why not before.
static void
make_ready(Multiprocessor *sm, TimedWarp *warp, double next) {
  warp->stalled = next;
  warp->ready = next;
  warp->reason = SMB_STALL_WAIT;
  if (warp->next == warp->n)
    return;
  guint32 number = warp->events[warp->next].number;
  const SmbTiming *timing = &sm->timings[number];
  for (guint rest = timing->waits; rest; rest &= rest - 1) {
    const Scoreboard *board = &warp->boards[__builtin_ctz(rest)];
    double until = board_time(board, 0);
    if (until <= warp->ready)
      continue;
    warp->ready = until;
    warp->reason = board->reason;
  }
  if (timing->rate == SMB_RATE_WAIT && timing->board < SMB_N_ALL_BOARDS) {
    const Scoreboard *board = &warp->boards[timing->board];
    double until = board_time(board, timing->open);
    if (until > warp->ready) {
      warp->ready = until;
      warp->reason = board->reason;
    }
  }
  double fetched = smb_code_fetch_ask(sm->code, (guint64)number * SMB_TIMING_BYTES, next);
  if (fetched > warp->ready) {
    warp->ready = fetched;
    warp->reason = SMB_STALL_NO_INSTRUCTION;
  }
}

// --- warps that wait

void
smb_partition_wake(Multiprocessor *sm, const TimedWarp *warp, double when) {
  Partition *partition = &sm->partitions[warp->partition];
  partition->now = MIN(partition->now, MAX(when, 0));
}

void
smb_warp_resume(Multiprocessor *sm, TimedWarp *warp, double when) {
  const SmbTiming *timing = &sm->timings[warp->events[warp->next - 1].number];
  sm->stalls[warp->reason] += MAX(0, when - warp->since);
  warp->since = MAX(when, warp->since);
  warp->awaits = 0;
  make_ready(sm, warp, MAX(when, warp->issued + MAX(1, timing->stall)));
  smb_partition_wake(sm, warp, warp->ready);
}

// --- issue

// The pipe that an instruction waits for: the half of FMA that is free first, or last if it needs both.
static Pipe
choose_pipe(const Multiprocessor *sm, const Partition *partition, Pipe pipe) {
  if (pipe != PIPE_ANY_FMA && pipe != PIPE_BOTH_FMA)
    return pipe;
  const double *pipes = partition->pipes;
  gboolean is_lite_first = pipes[PIPE_FMA_LITE] <= pipes[PIPE_FMA];
  gboolean takes_lite = sm->chip->fma_pipes > 1 && is_lite_first == (pipe == PIPE_ANY_FMA);
  return takes_lite ? PIPE_FMA_LITE : PIPE_FMA;
}

// When its pipe, or its queue, takes the next instruction of a warp.
static double
find_free(const Multiprocessor *sm, const Partition *partition, const SmbTiming *timing) {
  switch ((Way)ways[timing->rate].way) {
  case WAY_ISSUE:
  case WAY_BULK:
    return 0;
  case WAY_FIXED:
  case WAY_GROUP:
    return partition->pipes[choose_pipe(sm, partition, ways[timing->rate].pipe)];
  case WAY_QUEUED:
  case WAY_MEMORY:
  case WAY_TEXTURE:
  case WAY_PHASE:
  case WAY_MEET:
    return queue_room(partition);
  }
  return 0;
}

// @free: when its pipe, or its queue, took it
static void
count_stall(Multiprocessor *sm, const Partition *partition, const TimedWarp *warp,
            const SmbTiming *timing, double now, double free) {
  double *stalls = sm->stalls;
  double ready = MIN(warp->ready, now);
  stalls[SMB_STALL_SELECTED] += 1;
  stalls[SMB_STALL_WAIT] += MAX(0, warp->stalled - warp->since);
  stalls[warp->reason] += MAX(0, ready - MAX(warp->stalled, warp->since));
  Way way = ways[timing->rate].way;
  double blocked = CLAMP(free - ready, 0, now - ready), waited = now - ready - blocked;
  // The sub-partition was held for its registers for that part of the time since the warp's last instruction.
  double part = MIN(1, (partition->held - warp->held) / MAX(1, now - warp->issued));
  stalls[way == WAY_FIXED || way == WAY_GROUP ? SMB_STALL_MATH : SMB_STALL_MIO] += blocked;
  stalls[SMB_STALL_DISPATCH] += waited * part;
  stalls[SMB_STALL_NOT_SELECTED] += waited * (1 - part);
}

static const SmbTimedRequest *
request_of(const TimedWarp *warp, const SmbEvent *event) {
  return event->request
             ? &g_array_index(warp->record->requests, SmbTimedRequest, event->request - 1)
             : NULL;
}

// Occupies a pipe of the sub-partition. ptxas knows when most results are there; a scoreboard says it of double-precision products.
static void
issue_fixed(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbTiming *timing,
            double now) {
  const SmbChip *chip = sm->chip;
  Pipe pipe = ways[timing->rate].pipe;
  double cycles = chip->rate[timing->rate] * timing->repeats;
  if (pipe == PIPE_BOTH_FMA)
    partition->pipes[PIPE_FMA] = partition->pipes[PIPE_FMA_LITE] = now + cycles;
  else
    partition->pipes[choose_pipe(sm, partition, pipe)] = now + cycles;
  gboolean takes_one = pipe_unit(pipe) == SMB_UNIT_FMA && pipe != PIPE_BOTH_FMA;
  sm->busy[pipe_unit(pipe)] += cycles / N_PARTITIONS / (takes_one ? chip->fma_pipes : 1);
  if (timing->rate == SMB_RATE_TENSOR_DOUBLE && timing->write_board < SMB_N_BOARDS)
    smb_board_open(&warp->boards[timing->write_board], now,
                   now + cycles + chip->double_latency + timing->has_late_rows * chip->double_rows,
                   SMB_STALL_SHORT_SCOREBOARD);
}

// Begins a copy in bulk, which goes on by itself.
static void
issue_bulk(Multiprocessor *sm, TimedWarp *warp, const SmbTiming *timing,
           const SmbTimedRequest *request, double now) {
  double there = request ? smb_memory_path_bulk(sm, warp, request, now) : now;
  if (request && request->is_store)
    warp->stored = MAX(warp->stored, there);
  if (request && request->phase)
    smb_phase_copied(sm, warp, request, there);
  sm->end = MAX(sm->end, there);
  if (timing->read_board < SMB_N_BOARDS)
    smb_board_open(&warp->boards[timing->read_board], now, now + sm->chip->operand_latency,
                   SMB_STALL_SHORT_SCOREBOARD);
}

// What an instruction does that waits for no pipe.
static void
issue_plain(Multiprocessor *sm, TimedWarp *warp, const SmbTiming *timing, double now) {
  if (timing->rate == SMB_RATE_COMMIT)
    smb_load_store_commit(sm, warp, timing, now);
  if (timing->rate == SMB_RATE_BULK_COMMIT && timing->read_board < SMB_N_BOARDS)
    smb_board_open(&warp->boards[timing->read_board], now, warp->stored, SMB_STALL_LONG_SCOREBOARD);
}

// When the next instruction of a warp is issued. Warps of the first block have the first numbers.
static void
note_moment(const GPtrArray *moments, const TimedWarp *warp, double now) {
  double *of_warp = g_ptr_array_index(moments, warp->number);
  of_warp[warp->next] = now;
}

// Whether the next instruction of a warp waits for more than the code of the last one says.
static gboolean
waits(const TimedWarp *warp) {
  return warp->awaits || (warp->next < warp->n && warp->reason != SMB_STALL_WAIT);
}

// Blocks keep their order.
static void
go_behind_block(Partition *partition, TimedWarp *warp) {
  guint at = 0;
  while (partition->warps[at] != warp)
    at++;
  for (; at + 1 < partition->n && partition->warps[at + 1]->sequence == warp->sequence; at++)
    partition->warps[at] = partition->warps[at + 1];
  partition->warps[at] = warp;
}

// Issue slots that an instruction keeps for itself.
static double
own_slots(const Multiprocessor *sm, const SmbTiming *timing) {
  return timing->rate == SMB_RATE_MULTIPLY_WIDE ? sm->chip->wide_slots : 1;
}

static void
issue(Multiprocessor *sm, Partition *partition, TimedWarp *warp, double now) {
  if (sm->replay->moments && warp->sequence == 0)
    note_moment(sm->replay->moments, warp, now);
  const SmbEvent *event = &warp->events[warp->next++];
  const SmbTiming *timing = &sm->timings[event->number];
  const SmbTimedRequest *request = request_of(warp, event);
  Pipe pipe = ways[timing->rate].pipe;
  count_stall(sm, partition, warp, timing, now, find_free(sm, partition, timing));
  sm->instructions++;
  sm->busy[SMB_UNIT_ISSUE] += own_slots(sm, timing) / N_PARTITIONS;
  partition->last = warp;
  partition->last_place = smb_warp_place(sm, warp);
  warp->issued = now;
  warp->held = partition->held;
  warp->since = now + 1;
  switch ((Way)ways[timing->rate].way) {
  case WAY_ISSUE:
    issue_plain(sm, warp, timing, now);
    break;
  case WAY_FIXED:
    issue_fixed(sm, partition, warp, timing, now);
    break;
  case WAY_QUEUED:
    issue_queued(sm, partition, warp, timing, now);
    if (pipe == PIPE_XU)
      sm->busy[SMB_UNIT_XU] += sm->chip->rate[timing->rate] / N_PARTITIONS;
    break;
  case WAY_MEMORY:
    smb_load_store_issue(sm, partition, warp, timing, request, now);
    break;
  case WAY_TEXTURE:
    smb_texture_unit_issue(sm, partition, warp, timing, request, now);
    break;
  case WAY_PHASE:
    smb_phase_issue(sm, partition, warp, timing, request, now);
    break;
  case WAY_MEET: // once it is known when the warp would go on
    break;
  case WAY_GROUP:
    sm->busy[SMB_UNIT_TENSOR] +=
        smb_product_issue(sm, &partition->pipes[pipe], warp, timing, now) / N_PARTITIONS;
    break;
  case WAY_BULK:
    issue_bulk(sm, warp, timing, request, now);
    break;
  }
  if (!warp->awaits)
    make_ready(sm, warp, smb_flow_next(sm, partition, warp, event, now));
  if (ways[timing->rate].way == WAY_MEET && request && request->phase)
    smb_phase_meet(sm, partition, warp, timing, request, now);
  if (timing->gives_way)
    partition->last = NULL;
  if (timing->gives_way || waits(warp))
    go_behind_block(partition, warp);
  if (warp->next == warp->n)
    smb_resident_end_warp(sm, partition, warp, now);
}

// Cycles until the sub-partition issues again. A product of matrices holds the slots that follow (H200: beside it, others take as long as
// alone), but not one in double precision, or of a warpgroup.
static double
count_slots(const Multiprocessor *sm, const SmbTiming *timing) {
  if (timing->rate == SMB_RATE_TENSOR || timing->rate == SMB_RATE_TENSOR_SHORT)
    return sm->chip->rate[timing->rate];
  return own_slots(sm, timing);
}

// Returns: when an instruction may be issued, from @now on: what FMA executes not where its result would come at the time of HFMA2.MMA's (an H200)
static double
go_after_half(const Partition *partition, const SmbTiming *timing, double now) {
  gboolean is_late = pipe_unit(ways[timing->rate].pipe) == SMB_UNIT_FMA;
  return now + (is_late && smb_whole_cycle(now) == partition->half_result);
}

// Whether a warp is ready to ask for global memory.
static gboolean
is_asking(const Multiprocessor *sm, const TimedWarp *warp, double now) {
  return warp->ready <= now && sm->timings[warp->events[warp->next].number].rate == SMB_RATE_GLOBAL;
}

// Warps that wait for room in the queue to ask for global memory take turns, by their places (an H200: four warps of each sub-partition that store to four lines
// each, over and over, find hardly any of these again in the buffer of lines, and two nearly all; loads are taken to do the same). Returns: which of them is next, if @chosen is one
static TimedWarp *
choose_next(const Multiprocessor *sm, const Partition *partition, TimedWarp *chosen, double now) {
  if (!is_asking(sm, chosen, now) || queue_room(partition) <= chosen->ready)
    return chosen;
  guint nearest = MAX_RESIDENT_WARPS;
  for (guint i = 0; i < partition->n; i++) {
    TimedWarp *warp = partition->warps[i];
    guint after = (smb_warp_place(sm, warp) - partition->last_place - 1) % MAX_RESIDENT_WARPS;
    if (after >= nearest || !is_asking(sm, warp, now))
      continue;
    nearest = after;
    chosen = warp;
  }
  return chosen;
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
      when = MAX(when, find_free(sm, partition, &sm->timings[warp->events[warp->next].number]));
    if (when <= now)
      chosen = warp;
    next = MIN(next, when);
  }
  if (!chosen) {
    partition->now = next < NEVER ? smb_whole_cycle(next) : NEVER;
    return;
  }
  chosen = choose_next(sm, partition, chosen, now);
  const SmbTiming *timing = &sm->timings[chosen->events[chosen->next].number];
  double slots = count_slots(sm, timing);
  double begun = go_after_half(partition, timing, now);
  double start = smb_registers_read(partition, chosen, timing, begun, slots, sm->chip);
  if (timing->rate == SMB_RATE_HALF_MMA)
    partition->half_result = smb_whole_cycle(start) + sm->chip->half_later;
  guint8 writes = ways[timing->rate].way == WAY_FIXED ? timing->writes : 0;
  double free = smb_registers_write(partition, writes, start, sm->chip);
  partition->held += start - now;
  partition->now = MAX(free, start + slots);
  double held = MAX(free, start + own_slots(sm, timing)) - (start + 1);
  issue(sm, partition, chosen, start);
  partition->held += held;
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

static gboolean
is_cancelled(const SmbReplay *replay, guint64 step) {
  return step % ASK_STEPS == 0 && replay->is_cancelled && replay->is_cancelled(replay->user);
}

static void
run_multiprocessor(Multiprocessor *sm) {
  for (guint b = 0; b < sm->replay->resident; b++)
    smb_resident_start(sm, b, 0, 0);
  for (guint64 step = 0; !is_cancelled(sm->replay, step); step++) {
    Partition *partition = find_partition(sm);
    if (partition)
      step_partition(sm, partition);
    else if (!smb_phase_release_some(sm))
      return;
  }
}

// Of shared memory and the first-level cache, which have one pipe.
static void
share_pipe(double busy[SMB_N_UNITS]) {
  double pipe = busy[SMB_UNIT_SHARED], of_shared = pipe - busy[SMB_UNIT_L1];
  if (busy[SMB_UNIT_L1] > of_shared) {
    busy[SMB_UNIT_SHARED] = of_shared;
    busy[SMB_UNIT_L1] = pipe;
  }
}

// Blocks that were not replayed go on as those did that came after the first wave, as long as all places had one, or as these did from the begin if
// they have hardly begun. By their instructions: some go on while others end.
static void
extend_replay(const Multiprocessor *sm, SmbReplayed *result) {
  guint64 left = sm->replay->n_blocks - sm->ended;
  if (left == 0 || sm->ended == 0)
    return;
  double each = (double)sm->instructions / (double)sm->ended;
  Progress from = sm->warm, to = sm->full;
  if ((double)to.instructions - (double)from.instructions < sm->replay->resident * each / 2)
    from = (Progress){0};
  double cycles = (to.when - from.when) / (double)(to.instructions - from.instructions);
  result->cycles += cycles * each * (double)left;
}

SmbReplayed
smb_multiprocessor_replay(const SmbReplay *replay) {
  Multiprocessor *sm = g_new0(Multiprocessor, 1);
  const SmbChip *chip = replay->chip;
  sm->replay = replay;
  sm->chip = chip;
  sm->timings = (const SmbTiming *)(gpointer)replay->program->timings->data;
  smb_memory_path_start(sm);
  for (guint p = 0; p < N_PARTITIONS; p++)
    sm->partitions[p].half_result = NEVER;
  for (guint i = 0; i < replay->records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(replay->records, i);
    sm->warps_per_block = MAX(sm->warps_per_block, record->warps->len);
  }
  sm->pool = g_new0(TimedWarp, (gsize)replay->resident * sm->warps_per_block);
  guint64 code_bytes = (guint64)replay->program->timings->len * SMB_TIMING_BYTES;
  sm->code = smb_code_fetch_new(chip, code_bytes);
  double left = chip->unified_bytes - (double)replay->shared_bytes;
  sm->cache = smb_l1_cache_new((guint64)MAX(0, MIN(chip->l1_bytes, left)));
  run_multiprocessor(sm);
  smb_store_path_finish(sm);
  sm->end =
      MAX(MAX(sm->end, MAX(sm->l2_writes, sm->l2_turns)), MAX(sm->l2, MAX(sm->dram, sm->port)));
  sm->end = MAX(MAX(sm->end, sm->host_stores), MAX(sm->changes, sm->hottest));
  sm->busy[SMB_UNIT_PCIE] = MAX(sm->host_load_busy, sm->host_store_busy);
  sm->busy[SMB_UNIT_L2] = MAX(sm->busy[SMB_UNIT_L2], MAX(sm->l2_write_busy, sm->l2_turns_busy));
  for (guint i = 0; i < G_N_ELEMENTS(sm->slice_busy); i++)
    sm->busy[SMB_UNIT_L2] = MAX(sm->busy[SMB_UNIT_L2], sm->slice_busy[i]);
  share_pipe(sm->busy);
  sm->busy[SMB_UNIT_L1] = MAX(sm->busy[SMB_UNIT_L1], sm->look_up_busy);
  SmbReplayed result = {.cycles = sm->end, .blocks = sm->ended, .instructions = sm->instructions};
  for (guint u = 0; u < SMB_N_UNITS; u++)
    result.busy[u] = sm->end > 0 ? MIN(1, sm->busy[u] / sm->end) : 0;
  memcpy(result.stalls, sm->stalls, sizeof(result.stalls));
  result.simulated = sm->end;
  extend_replay(sm, &result);
  smb_l1_cache_free(sm->cache);
  smb_code_fetch_free(sm->code);
  for (guint b = 0; b < replay->resident; b++) {
    g_clear_pointer(&sm->blocks[b].lines, smb_block_lines_free);
    g_free(sm->blocks[b].states);
  }
  g_free(sm->looked_up);
  g_free(sm->pool);
  g_free(sm);
  return result;
}
