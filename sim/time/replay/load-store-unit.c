// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The pipe of shared memory and the first-level cache: what instructions take of it, in which order it serves them, and when their results are there. The
// first-level cache looks up lines besides, which shared memory does not need.
#include <math.h>

#include "sim/time/replay/multiprocessor-impl.h"

enum {
  WIDEST_COPY = 16,  // bytes of a lane
  LINES_A_CYCLE = 4, // that the first-level cache looks up
  SECTORS_A_WAVEFRONT = 4,
};

// Cycles of the pipe; at least one. That of a request without active lanes is one, or two where the pipe exchanges or reads a register.
static double
count_cycles(const Multiprocessor *sm, const SmbTimedRequest *request, const SmbTiming *timing) {
  if (!request)
    return timing->rate == SMB_RATE_REDUCE || timing->rate == SMB_RATE_SYSTEM ? 2 : 1;
  gboolean is_relieved = sm->replay->relieved && sm->replay->relieved[request->site];
  double shared = is_relieved ? request->ideal : request->wavefronts;
  // A copy past the first-level cache takes two slots (dispatch_pipe.copy_past, an H200), another one its wavefronts and one more, but those of 16 bytes
  // have room for it among theirs if copies follow each other (interval.ldgsts_128; beside 15 LDS it takes five, dispatch_pipe.copy_128_lds).
  if (timing->rate == SMB_RATE_COPY)
    return smb_program_site(sm->replay->program, request->site)->width == WIDEST_COPY
               ? MAX(2, shared)
               : shared + 1;
  // Lanes of an atomic that change one word go one after the other (an H200: 32 of them take 32 cycles).
  if (request->is_load && request->is_store)
    return MAX(MAX(1, request->same), sm->chip->atomic_interval * request->sectors);
  // What global memory of the device brings looks up its lines besides.
  gboolean looks_up = request->is_load && !request->is_store;
  return MAX(1, shared + (looks_up ? request->banks : request->loads));
}

// Cycles of the look-up of lines in the first-level cache, which shared memory does not need (dispatch_pipe.hit_32 and its row with LDS, an H200).
static double
count_look_up(const SmbTimedRequest *request) {
  return MAX(1, (double)request->n / LINES_A_CYCLE);
}

// Cycles in which a copy writes what comes past the first-level cache to shared memory (interval.ldgsts_128_cg, an H200); 0: it does not.
static double
count_fill(const SmbTimedRequest *request) {
  return request->wavefronts ? 0 : (double)request->sectors / SECTORS_A_WAVEFRONT;
}

// What a load takes besides, of both, that waits for some of its lines. Its wavefronts bring as much as it has sectors, four of which go into one
// (dispatch_pipe.miss and its rows).
static void
wait_for_lines(Multiprocessor *sm, const SmbTimedRequest *request) {
  double wavefronts = (double)request->sectors / SECTORS_A_WAVEFRONT;
  double more = sm->chip->l1_miss + MAX(0, wavefronts - MAX(1, request->banks));
  sm->lsu += more;
  sm->busy[SMB_UNIT_SHARED] += more;
  sm->busy[SMB_UNIT_L1] += more;
  double lines = request->n * sm->chip->l1_miss_line - count_look_up(request);
  sm->look_up += MAX(0, lines);
  sm->look_up_busy += MAX(0, lines);
}

// Each further wavefront comes two cycles later, as does what an atomic sends in addition.
static double
find_latency(const SmbChip *chip, const SmbTiming *timing, double wavefronts) {
  double first = timing->write_board == SMB_NO_BOARD || timing->sends < 2
                     ? chip->shared_latency
                     : chip->atomic_latency + 2 * (timing->sends - 2) * chip->register_interval;
  return first + MAX(0, wavefronts - 1) * chip->wavefront_latency;
}

// What is loaded comes from the first-level cache two wavefronts at once; each further one comes later, and so do lines that it looks up later
// (latency.ldg_64_l1 and its rows with 32, 128 and 136 bytes between lanes). Copies do not come by registers (ldgsts_mbarrier).
static double
find_delay(const SmbChip *chip, const SmbTimedRequest *request) {
  enum {
    AT_ONCE = 2 // wavefronts
  };
  double banks = ((double)request->banks - AT_ONCE) * chip->l1_wavefront_latency;
  return MAX(MAX(banks, (double)request->n / LINES_A_CYCLE - 1), 0);
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

// --- one instruction

typedef struct {
  Multiprocessor *sm;
  Partition *partition;
  TimedWarp *warp;
  const SmbTiming *timing;
  const SmbTimedRequest *request; // NULL: no lane is active, or it is not known what it asks for
  double now;
  double wavefronts, looks_up, fills; // cycles
  gboolean is_global;                 // it uses global memory
  gboolean is_load;                   // that may find lines in the first-level cache, by registers
} Access;

static Access
open_access(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbTiming *timing,
            const SmbTimedRequest *request, double now) {
  Access access = {sm, partition, warp, timing, request, now};
  access.wavefronts = count_cycles(sm, request, timing);
  access.is_global = request && request->n;
  gboolean is_copy = timing->rate == SMB_RATE_COPY;
  access.fills = is_copy && request ? count_fill(request) : 0;
  gboolean looks_up =
      access.is_global && request->is_load && !request->is_store && access.fills == 0;
  access.looks_up = looks_up ? MAX(count_look_up(request), request->banks) : 0;
  access.is_load = looks_up && !is_copy;
  return access;
}

// When the pipe takes it. While one waits for its sub-partition, or for its warp's last one, the pipe serves others.
static double
take_turn(const Access *access) {
  Multiprocessor *sm = access->sm;
  double turn = MAX(access->now + sm->chip->queue_latency, sm->lsu);
  sm->lsu = turn + access->wavefronts;
  if (access->looks_up > 0) {
    turn = MAX(turn, sm->look_up);
    sm->look_up = turn + access->looks_up;
  }
  if (access->fills > 0) {
    turn = MAX(turn, sm->fill);
    sm->fill = turn + access->fills;
  }
  double start = MAX(turn, MAX(access->partition->dequeued, access->warp->lsu));
  if (access->is_global)
    start = smb_memory_path_room(sm, start);
  if (access->request && access->request->packets)
    start = smb_cluster_port_room(sm, start);
  return start;
}

static void
keep_busy(const Access *access, double start) {
  Multiprocessor *sm = access->sm;
  // Atomics of global memory and copies do not take longer if they are of one warp (an H200: RED, LDGSTS).
  gboolean is_change = access->is_global && access->request->is_load && access->request->is_store;
  gboolean is_even = is_change || access->timing->rate == SMB_RATE_COPY;
  double taken = MAX(access->wavefronts, access->looks_up);
  access->warp->lsu = start + taken * (is_even ? 1 : sm->chip->same_warp);
  sm->busy[SMB_UNIT_SHARED] += access->wavefronts;
  sm->busy[SMB_UNIT_L1] += access->is_global ? access->wavefronts : 0;
  sm->look_up_busy += access->looks_up;
}

// When the pipe has taken it at @start + the latency of the queue: when its result is there.
static double
find_arrival(const Access *access, double start, SmbStall *reason) {
  Multiprocessor *sm = access->sm;
  const SmbTimedRequest *request = access->request;
  double there = 0;
  *reason = SMB_STALL_LONG_SCOREBOARD;
  if (access->is_global) {
    there = smb_memory_path_ask(sm, access->warp, request, start);
    if (access->is_load && there > start + sm->chip->l1_latency)
      wait_for_lines(sm, request);
    there += access->is_load ? find_delay(sm->chip, request) : 0;
    access->warp->is_exposed = TRUE;
  }
  if (request && request->packets)
    there = smb_cluster_port_ask(sm, request, start);
  if (there > 0)
    return there;
  *reason = SMB_STALL_SHORT_SCOREBOARD;
  SmbRate rate = (SmbRate)access->timing->rate;
  if (rate == SMB_RATE_SHUFFLE || rate == SMB_RATE_REDUCE || rate == SMB_RATE_SYSTEM)
    return start + exchange_latency(sm->chip, access->timing);
  return start + find_latency(sm->chip, access->timing, access->wavefronts);
}

// When it is done that the pipe takes at @start, and whose result is @there: then its warp may end. What is stored has left the pipe, and the
// multiprocessor.
static double
find_release(const Access *access, double start, double there) {
  const Multiprocessor *sm = access->sm;
  if (access->timing->write_board < SMB_N_BOARDS || access->timing->rate == SMB_RATE_COPY)
    return there;
  double end = start + access->wavefronts;
  if (access->is_global && access->request->is_store)
    end = MAX(end, sm->leaving);
  return end + sm->chip->drain_latency;
}

void
smb_load_store_issue(Multiprocessor *sm, Partition *partition, TimedWarp *warp,
                     const SmbTiming *timing, const SmbTimedRequest *request, double now) {
  const SmbChip *chip = sm->chip;
  const Access access = open_access(sm, partition, warp, timing, request, now);
  SmbStall reason;
  double start = take_turn(&access);
  keep_busy(&access, start);
  // Where no lane is active, no registers are sent (an H200: one such instruction a cycle).
  gboolean is_idle =
      !request && (timing->rate == SMB_RATE_SHARED || timing->rate == SMB_RATE_GLOBAL);
  smb_queue_leave(sm, partition, start, is_idle ? 1 : timing->sends * chip->register_interval);
  if (!is_idle)
    smb_registers_send(partition, timing, now);
  double there = find_arrival(&access, start - chip->queue_latency, &reason);
  if (request && request->phase) // it completes bytes on a barrier
    smb_phase_copied(sm, warp, request, there);
  if (timing->rate == SMB_RATE_COPY)
    warp->copies = MAX(warp->copies, there);
  // Wavefronts of which each has a result of part of the lanes wait for nobody (an H200).
  if (MAX(access.wavefronts, access.looks_up) <= timing->turns && !is_idle)
    smb_registers_return(partition, timing, there - chip->result_lead);
  sm->blocks[warp->block].has_asked |= timing->rate == SMB_RATE_SHARED;
  sm->end = MAX(sm->end, there);
  warp->done = MAX(warp->done, find_release(&access, start, there));
  smb_boards_hold(sm, warp, timing, now, start, there, reason);
}

// It does not wait for room in the queue here.
void
smb_load_store_commit(Multiprocessor *sm, TimedWarp *warp, const SmbTiming *timing, double now) {
  double turn = now + sm->chip->queue_latency;
  sm->lsu = MAX(turn, sm->lsu) + sm->chip->commit;
  sm->look_up = MAX(turn, sm->look_up) + sm->chip->commit_look_up;
  sm->busy[SMB_UNIT_SHARED] += sm->chip->commit;
  sm->look_up_busy += sm->chip->commit_look_up;
  if (timing->write_board < SMB_N_BOARDS)
    smb_board_open(&warp->boards[timing->write_board], now, warp->copies,
                   SMB_STALL_LONG_SCOREBOARD);
}
