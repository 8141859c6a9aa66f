// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The state of a multiprocessor that replays blocks. Private to the sources of this folder. Times are cycles from the start of the
// launch.
#pragma once

#include "sim/time/replay/block-lines.h"
#include "sim/time/replay/code-fetch.h"
#include "sim/time/replay/l1-cache.h"
#include "sim/time/replay/multiprocessor.h"
#include "sim/time/replay/server-load.h"
#include "sim/time/replay/store-buffer.h"

#define NEVER 1e300

enum {
  N_PARTITIONS = 4,
  MAX_RESIDENT_WARPS = SMB_MAX_TIMED_WARPS,
  MAX_SLICES = SMB_MAX_SLICES,
  MAX_OPEN = 8, // instructions that hold a scoreboard open, of which the times are kept
  MAX_QUEUE = SMB_MAX_QUEUE,
  N_COLLECTORS = 2,      // instructions of a sub-partition whose registers are read at a time
  MAX_SENT = 64,         // registers of a bank that wait to be read for the queue
  MAX_SENT_STORES = 128, // and ends of warps that have not come to the buffer of lines
  MAX_STORE_TIMES = N_PARTITIONS * MAX_SENT_STORES,
  MAX_RESULTS = 64, // that wait to be written to its registers; more of them are taken to have been
  CHANGED_LINES = 8,                // of which it is known when others have changed them
  MAX_BLOCKS = SMB_MAX_TIMED_WARPS, // resident: each has a warp
  SECTOR_BYTES = 1 << SMB_SECTOR_SHIFT,
  PAIR_BYTES = 2 * SECTOR_BYTES,
};

// Pipes of a sub-partition; LSU is shared by all.
typedef enum {
  PIPE_NONE,
  PIPE_FMA,
  PIPE_FMA_LITE, // the other half
  PIPE_ANY_FMA,
  PIPE_BOTH_FMA,
  PIPE_ALU,
  PIPE_FP64,
  PIPE_UNIFORM,
  PIPE_TENSOR,
  PIPE_XU,
  PIPE_TO_UNIFORM,
  PIPE_CONSTANT,
  PIPE_LSU,
  PIPE_INDIRECT,
  N_PIPES,
} Pipe;

// A scoreboard of a warp: until when the instructions that opened it hold it open, in rising order.
typedef struct {
  double until[MAX_OPEN];
  guint n;
  SmbStall reason; // of a wait for it
} Scoreboard;

typedef struct {
  const SmbEvent *events;
  guint n, next;
  guint partition;
  guint block;    // of the resident ones
  guint8 number;  // in the order in which warps came
  guint sequence; // the block's number, which tells lines of its own from those of other blocks
  const SmbBlockRecord *record;
  double issued;       // the last one
  double ready;        // the next one, but for its pipe
  double lsu;          // the pipe takes its next request
  double copies;       // until the copies that it asked for are complete
  double stored;       // until those in bulk have read shared memory
  double done;         // until all that it asked for is done: it keeps its place for so long
  double products;     // until those of its warpgroup are complete
  gboolean is_exposed; // it has used global memory since its last fence
  double phases;       // what keeps barriers in shared memory takes its next instruction
  guint awaits;        // a phase of the block, from 1; 0: none
  double wake;         // from the end of that to its next instruction
  double since;        // its time is not counted yet
  SmbStall reason;     // why it is not ready before
  double stalled;      // from when on
  double held;         // its sub-partition's, at its last instruction
  Scoreboard boards[SMB_N_ALL_BOARDS];
} TimedWarp;

typedef struct {
  guint left;   // arrivals
  double until; // the last of those so far
} PhaseState;

typedef struct {
  guint living; // warps
  double ended; // the last one, with all that it asked for
  gboolean is_used;
  gboolean has_asked;           // for something of shared memory since its last barrier
  PhaseState *states;           // of the phases of its barriers
  SmbBlockLines *lines;         // (nullable): that it has asked for; NULL: that need not be known
  guint phase;                  // how many have ended, from 1
  guint asked_phase;            // the last one in which it asked for something of global memory,
  double asked;                 // and when it did first
  guint phase_of[SMB_SHARINGS]; // in which it was decided
  gboolean is_first[SMB_SHARINGS]; // whether it is the first to ask for what it shares
} TimedBlock;

// A register that is kept for an instruction that reads it in the same place.
typedef struct {
  const TimedWarp *warp; // NULL: there is none
  guint number;
} KeptRegister;

// What comes at any time, and is written to registers when their banks have a cycle for it.
typedef struct {
  double from; // when it could be
  guint8 banks;
  guint8 turns; // that it takes
} Result;

typedef struct {
  Result waiting[MAX_RESULTS]; // the first ones first
  guint n;
  guint tries; // cycles in which the first one found its banks busy
  double next; // the cycle in which the next one may be written
} ResultQueue;

// A register that is read for the queue: in the first of two cycles if its bank is free, else in the second, for which other instructions wait.
typedef struct {
  double from;
  gboolean has_tried;
  gboolean is_first; // of a load, which is read at once
} SentRead;

typedef struct {
  SentRead waiting[MAX_SENT]; // in a ring
  guint at;                   // the first one
  guint n;
} SentReads;

// A store that the pipe takes; or a warp has ended.
typedef struct {
  const SmbTimedRequest *request; // NULL: it has ended
  const SmbTimedLine *lines;
  guint sequence; // of its block
  guint place;    // of its warp
  double leaving; // cycles that its way is taken if each line is sent as it is
} SentStore;

typedef struct {
  SentStore waiting[MAX_SENT_STORES]; // in a ring
  guint at;                           // the first one
  guint n;
} SentStores;

typedef struct {
  TimedWarp *warps[MAX_RESIDENT_WARPS]; // that live, in the order in which they are tried
  guint n;
  guint resident; // warps of blocks that have not ended
  TimedWarp *last;
  guint last_place;        // of the warp that issued last
  double pipes[N_PIPES];   // free again
  double queue[MAX_QUEUE]; // when the last entries left, in a ring
  guint queue_at;
  double left;                      // when the last one of them did,
  double dequeued;                  // and when it had sent its registers
  double banks[SMB_REGISTER_BANKS]; // of registers: have read all that was asked for
  KeptRegister kept[SMB_REGISTER_SLOTS][SMB_REGISTER_BANKS];
  double last_read;                      // of registers by an instruction of a pipe,
  guint8 last_banks[SMB_REGISTER_SLOTS]; // and a bit for the bank that each of its places read
  SentReads sent[SMB_REGISTER_BANKS];
  double sending;                  // until all of these have their cycles
  SentStores stores;               // that have not come to the buffer of lines
  double collectors[N_COLLECTORS]; // free again, in a ring
  guint collector_at;
  ResultQueue results;
  double half_result; // of the last HFMA2.MMA: comes with that of what FMA begins then
  double held;        // cycles in which it issued nothing for its registers
  double now;         // its next cycle
} Partition;

// A line that atomics of several multiprocessors have changed.
typedef struct {
  guint64 tag;
  double until; // the last of those changes
  double each;  // from one compare-and-swap that succeeds to the next
} ChangedLine;

// How far it was when.
typedef struct {
  double when; // 0: that never was
  guint64 instructions;
} Progress;

typedef struct {
  const SmbReplay *replay;
  const SmbChip *chip;
  const SmbTiming *timings;
  Partition partitions[N_PARTITIONS];
  TimedBlock blocks[MAX_BLOCKS];
  TimedWarp *pool;
  guint warps_per_block;
  guint64 started, ended;                                  // blocks
  guint n_warps;                                           // that came so far
  double next_block;                                       // may be launched
  double lsu, look_up, fill, l2, l2_writes, dram, barrier; // free again
  double l2_turns;                // the same of what the second-level cache does for stores
  double phases;                  // the same of what keeps barriers in shared memory,
  double fences, block_fences;    // a fence may begin, for the device and for a block
  double bulk_writes;             // and of the unit that copies in bulk, out of shared memory
  double leaving;                 // the way of stores to the second-level cache: free again
  double textures;                // the unit that looks them up: free again
  double port;                    // to the shared memory of other blocks: free again
  double host_loads, host_stores; // the ways from and to the memory of the host: free again,
  double host_load_busy, host_store_busy; // and how long they worked
  double look_up_busy;                    // how long the first-level cache looked up lines
  double l2_write_busy;                   // how long the way into the second-level cache worked,
  double l2_turns_busy;                   // and that cache for stores
  SmbLoad l2_load, l2_write_load, dram_load, dram_writes;
  gboolean reads_dram; // since the launch began
  double changes;      // what atomics take of all slices of the second-level cache: free again
  double slices[MAX_SLICES]; // what those of all multiprocessors take of one: free again
  double slice_busy[MAX_SLICES];
  ChangedLine changed[CHANGED_LINES]; // the last ones, in a ring
  guint changed_at;
  double hottest;                    // the last of these
  double hot_cycles;                 // of what it was asked for last
  double given;                      // multiprocessors that get blocks,
  double working;                    // those that have as much to do as this one,
  double alike;                      // for how many of them a block that is replayed asks
  double head_start;                 // of the first one of these: DRAM makes up for it later
  double chip_cycles;                // of all multiprocessors that have blocks, in a second
  double l2_read, l2_port, l2_write; // bytes a cycle that each of them has
  double dram_latency;
  double due[SMB_SHARINGS]; // of lines that are shared, what DRAM has not served yet
  double local_due;         // requests of local memory that DRAM has to serve, not served yet
  double *looked_up;        // by site: pairs of sectors that all multiprocessors have asked for
  double end;
  double busy[SMB_N_UNITS];
  double stalls[SMB_N_STALLS];
  guint64 instructions;
  Progress warm; // when as many blocks had ended as are resident
  Progress full; // when a block had ended, and none came in its place
  SmbL1Cache *cache;
  SmbStoreBuffer stores;
  double store_times[MAX_STORE_TIMES]; // when the pipe takes stores, the last one first
  guint n_store_times;
  guint store_turn; // sub-partition
  SmbCodeFetch *code;
} Multiprocessor;

/** smb_whole_cycle: Returns: the first whole cycle that is not before @time; as ceil(), without a call */
static inline double
smb_whole_cycle(double time) {
  double cycle = (double)(gint64)time;
  return cycle < time ? cycle + 1 : cycle;
}

/** smb_warp_place: Returns: the place of a warp, below %SMB_MAX_TIMED_WARPS, that no other one has before it ends */
static inline guint
smb_warp_place(const Multiprocessor *sm, const TimedWarp *warp) {
  return (guint)(warp - sm->pool);
}

// --- multiprocessor.c

/** smb_board_open: An instruction holds a scoreboard of a warp open; @reason: what waiting for it is called */
void smb_board_open(Scoreboard *board, double now, double until, SmbStall reason);

/** smb_boards_hold: What left the queue at @start holds its warp's scoreboards open: until its operands are read, and until its result is @there */
void smb_boards_hold(const Multiprocessor *sm, TimedWarp *warp, const SmbTiming *timing, double now,
                     double start, double there, SmbStall reason);

/** smb_queue_start: Returns: when what is issued at @now comes out of the queue of its sub-partition, to @taker, which is free then */
double smb_queue_start(Multiprocessor *sm, Partition *partition, double now, double taker);

/** smb_queue_leave: It leaves the queue, which takes so long */
void smb_queue_leave(Multiprocessor *sm, Partition *partition, double when, double takes);

/** smb_warp_resume: A warp may issue again from @when on */
void smb_warp_resume(Multiprocessor *sm, TimedWarp *warp, double when);

/** smb_partition_wake: A warp of a sub-partition may issue from @when on */
void smb_partition_wake(Multiprocessor *sm, const TimedWarp *warp, double when);

// --- resident-blocks.c

/** smb_resident_start: Puts the next block in the place of one that has ended, or in a place that none has had, if there is one. It begins at @when, or later */
void smb_resident_start(Multiprocessor *sm, guint index, double now, double when);

/** smb_resident_end_warp: A warp has ended, and its block if it was the last one */
void smb_resident_end_warp(Multiprocessor *sm, Partition *partition, TimedWarp *warp, double now);

// --- phase.c

/** smb_phase_start_block: All phases of a block begin */
void smb_phase_start_block(TimedBlock *block, const SmbBlockRecord *record);

/** smb_phase_meet: What an instruction does at a barrier of the block, in the order in which its warps run; the unit of those barriers takes
 * some cycles for each warp */
void smb_phase_meet(Multiprocessor *sm, Partition *partition, TimedWarp *warp,
                    const SmbTiming *timing, const SmbTimedRequest *request, double now);

/** smb_phase_issue: What an instruction does at a barrier in shared memory */
void smb_phase_issue(Multiprocessor *sm, Partition *partition, TimedWarp *warp,
                     const SmbTiming *timing, const SmbTimedRequest *request, double now);

/** smb_phase_copied: A copy in bulk completes at @when */
void smb_phase_copied(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                      double when);

/** smb_phase_release_some: Warps go on that wait for ones that never come. Returns: whether there were any */
gboolean smb_phase_release_some(Multiprocessor *sm);

// --- going-on.c

/** smb_flow_next: Returns: when a warp may issue the instruction that follows one that no other unit executes, and that it issued at @now */
double smb_flow_next(Multiprocessor *sm, Partition *partition, TimedWarp *warp,
                     const SmbEvent *event, double now);

// --- register-banks.c

/** smb_registers_read: Reads the registers of an instruction, which takes so many slots of issue. Returns: when it is issued, from @now on */
double smb_registers_read(Partition *partition, const TimedWarp *warp, const SmbTiming *timing,
                          double now, double slots, const SmbChip *chip);

/** smb_registers_send: The registers of an instruction are read for the queue after those that were issued before */
void smb_registers_send(Partition *partition, const SmbTiming *timing, double now);

/** smb_registers_return: The result of an instruction comes at any time; it could be written from @from on */
void smb_registers_return(Partition *partition, const SmbTiming *timing, double from);

/** smb_registers_write: An instruction is issued at @now, which writes to @writes (a bit for each bank) at a fixed time. Results that come at any time are
 * written where it leaves room. Returns: when the next one may follow */
double smb_registers_write(Partition *partition, guint8 writes, double now, const SmbChip *chip);

// --- load-store-unit.c

/** smb_load_store_issue: An instruction of memory, or that exchanges registers, goes through the queue of its sub-partition to the pipe of shared memory and the
 * first-level cache. @request: (nullable): no lane is active, or it is not known what it asks for */
void smb_load_store_issue(Multiprocessor *sm, Partition *partition, TimedWarp *warp,
                          const SmbTiming *timing, const SmbTimedRequest *request, double now);

/** smb_load_store_commit: A warp commits its copies: what it issues takes the pipe, too. */
void smb_load_store_commit(Multiprocessor *sm, TimedWarp *warp, const SmbTiming *timing,
                           double now);

// --- texture-unit.c

/** smb_texture_unit_issue: An instruction of textures or surfaces goes through the queue of its sub-partition to the unit that all share */
void smb_texture_unit_issue(Multiprocessor *sm, Partition *partition, TimedWarp *warp,
                            const SmbTiming *timing, const SmbTimedRequest *request, double now);

// --- warpgroup.c

/** smb_product_issue: A product of a warpgroup, of one of its warps. Returns: the cycles that it occupies the tensor cores */
double smb_product_issue(Multiprocessor *sm, double *pipe, TimedWarp *warp, const SmbTiming *timing,
                         double now);

// --- cluster-port.c

/** smb_cluster_port_room: Returns: when, from @start on, so little is on its way to other blocks that more may be sent */
double smb_cluster_port_room(const Multiprocessor *sm, double start);

/** smb_cluster_port_ask: A request of the shared memory of other blocks comes to the port at @start. Returns: when its answer is there */
double smb_cluster_port_ask(Multiprocessor *sm, const SmbTimedRequest *request, double start);

/** smb_cluster_port_copy: The same of a copy in bulk. Returns: when all its bytes are there */
double smb_cluster_port_copy(Multiprocessor *sm, const SmbTimedRequest *request, double start);

// --- host-path.c

/** smb_host_path_load: A request of memory of the host comes to the pipe at @start. Returns: when what it loads is there */
double smb_host_path_load(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                          double start);

/** smb_host_path_store: Sends what is stored to a line of the host's memory; @sectors: a bit for each; @partial: how many of them are not whole */
void smb_host_path_store(Multiprocessor *sm, guint8 sectors, guint partial, double start);

// --- dram-path.c

/** smb_dram_path_read: DRAM loads so many bytes, or as many as take as long */
void smb_dram_path_read(Multiprocessor *sm, double start, double bytes);

/** smb_dram_path_write: It writes some; @longer: how many times as long they take as their bytes say */
void smb_dram_path_write(Multiprocessor *sm, double start, double bytes, double longer);

/** smb_dram_path_arrival: Returns: when a request is there that has come to DRAM at @start; @luck: the largest of as many random numbers from 0 to 1 as
 * there are slices that it loads from: those take their own time each; 0: their mean */
double smb_dram_path_arrival(Multiprocessor *sm, double start, double luck);

// --- store-path.c

/** smb_store_path_ask: The pipe takes a store to global memory at @start */
void smb_store_path_ask(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                        double start);

/** smb_store_path_end: A warp has ended: what it has stored goes to the second-level cache */
void smb_store_path_end(Multiprocessor *sm, const TimedWarp *warp);

/** smb_store_path_finish: All warps have ended */
void smb_store_path_finish(Multiprocessor *sm);

// --- memory-path.c

/** smb_memory_path_start: What this multiprocessor has of what all share, at the begin of a launch; to be released: looked_up */
void smb_memory_path_start(Multiprocessor *sm);

/** smb_memory_path_bulk: A warp begins a copy in bulk. Returns: when its bytes are there, or have left shared memory */
double smb_memory_path_bulk(Multiprocessor *sm, TimedWarp *warp, const SmbTimedRequest *request,
                            double now);

/** smb_memory_path_tag: Returns: what tells a line of the block from the same one of another block, unless they share it. One of a table that all blocks
 * look up, by chance, is any of its lines */
guint64 smb_memory_path_tag(const Multiprocessor *sm, guint sequence, const SmbTimedLine *line,
                            guint32 site);

/** smb_memory_path_room: Returns: when, from @start on, so little is on its way that more may be asked of the second-level cache */
double smb_memory_path_room(const Multiprocessor *sm, double start);

/** smb_memory_path_leave: Returns: cycles in which a multiprocessor sends so many sectors of a line; @partial: of which a part is stored */
double smb_memory_path_leave(const SmbChip *chip, guint sectors, guint partial);

/** smb_memory_path_send: The second-level cache takes so many sectors of a line; @partial: of which a part is stored */
void smb_memory_path_send(Multiprocessor *sm, double start, guint sectors, guint partial);

/** smb_memory_path_ask: A request of global memory comes to the pipe at @start. Returns: when what it loads is there */
double smb_memory_path_ask(Multiprocessor *sm, const TimedWarp *warp,
                           const SmbTimedRequest *request, double start);
