// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel costs: its blocks are run, and the requests that they make are counted per access, per
// warp and in total. Blocks run in several threads; the result is the same for any number of them.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/base/error.h"
#include "sim/base/progress.h"
#include "sim/machine/block.h"
#include "sim/count/wavefront.h"

G_BEGIN_DECLS

/** Most blocks of a launch that are run, unless SmbAnalysisOptions.max_blocks says otherwise. */
#define SMB_ANALYSIS_MAX_BLOCKS (G_GUINT64_CONSTANT(1) << 20)

/** Most blocks of a launch if most of them repeat others: their sums fit in 64 bits. */
#define SMB_ANALYSIS_MAX_REPEATS (G_GUINT64_CONSTANT(1) << 32)

/** Most threads that run the blocks of a launch. */
#define SMB_ANALYSIS_MAX_THREADS 256u

/**
 * SmbTally: sums over requests of shared memory
 * @pipe_wavefronts: that the pipe takes; of machine code @wavefronts may be others, since they are counted per
 *   instruction, as profilers do (sim/count/instruction-counter.h), and each of @idle_issues takes one
 * @idle_issues: executions of machine code in which no lane was active: no requests
 * @max_degree: of their requests
 * @max_queue: the most wavefronts of a request for each ideal one, rounded up
 */
typedef struct {
  guint64 requests;
  guint64 wavefronts;
  guint64 pipe_wavefronts;
  guint64 idle_issues;
  guint64 ideal;
  guint64 excess;
  guint64 cycles; /* under saturation */
  guint max_degree;
  guint max_queue;
} SmbTally;

/**
 * SmbLoopTally: of the requests of atomics, those that are loops of loads and swaps, the way that hardware
 * counts them: what is here of loads belongs to its loads, the rest to its atomics
 * @requests: requests that are loops
 * @loads: load instructions that they execute
 * @load_wavefronts: of their wavefronts, those of these loads
 * @swaps: atomic instructions that they execute
 */
typedef struct {
  guint64 requests;
  guint64 loads;
  guint64 load_wavefronts;
  guint64 swaps;
} SmbLoopTally;

/**
 * SmbAccess: one access to shared memory, in one direction.
 * @site: its place in the source
 * @array: (nullable): the __shared__ variable that it accesses (that of its first request); %NULL if none is counted
 * @first_block: that made a request; 0 if none is counted
 * @exact: whether the hardware makes just the requests that are counted
 * @reason: (nullable): why it is not exact, in words (smb_access_is_lower_bound() says which way); lives as long as
 *   the analysis
 * @is_by_order: whether its threads decide by who comes first, or by time: a device may also make fewer requests
 * @is_loop: whether it is an atomic without an instruction of its own: its wavefronts are a lower bound
 * @data_source: (nullable): smb_launch_data_source(): counted with what was put in the place of its contents
 * @no_source: for a copy from global memory: whether it is not known where a request comes from: these are the least
 * @uncounted: requests that are not counted, because their addresses, or whether they are made, is not known
 * @total: over all warps and blocks, of those that are counted
 * @lanes: active in these requests, all together
 * @loops: what is a loop of it
 * @warps: by the number of the warp in its block, over all blocks
 * @worst: the request with the most excess wavefronts; the first of them
 * @worst_cost: what it costs
 * @worst_block: the block and warp that made it
 */
typedef struct {
  const SmbSite *site;
  const char *array;
  guint64 first_block;
  gboolean exact;
  const char *reason;
  gboolean is_by_order;
  gboolean is_loop;
  const char *data_source;
  gboolean no_source;
  guint64 uncounted;
  SmbTally total;
  guint64 lanes;
  SmbLoopTally loops;
  SmbTally warps[SMB_MAX_WARPS];
  SmbRequest worst;
  SmbWavefronts worst_cost;
  guint64 worst_block;
  guint worst_warp;
} SmbAccess;

/**
 * SmbGlobalAccess: one access to global memory, in one direction.
 * @buffer: the parameter whose buffer it accesses
 * @first_block: that made a request
 * @requests: warp requests
 * @segments: segments of the architecture's size (32-byte sectors, 128-byte lines) over all requests
 * @ideal: segments if the bytes that each request accesses lay side by side
 * @max_segments: most segments of one request
 * @bytes: that the active lanes access, each lane's own, over all requests
 * @uncounted: requests that were made, or may have been, and it is not known where; nothing else counts them
 */
typedef struct {
  const SmbSite *site;
  const char *buffer;
  guint64 first_block;
  guint64 requests;
  guint64 segments;
  guint64 ideal;
  guint max_segments;
  guint64 bytes;
  guint64 uncounted;
} SmbGlobalAccess;

/**
 * SmbConstantAccess: one access to constant memory by loads that compute where.
 * @variable: (nullable): what it accesses: a variable, or the kernel's parameters
 * @first_block: that made a request that is counted
 * @uncounted: requests that were made, or may have been, and it is not known where
 * @reason: (nullable): why the hardware may make other requests than those that are counted; lives as long as the
 *   analysis
 * @hint: what would change that, if its kind is not SMB_HINT_NONE
 * @total: its distinct words, served one after the other, are wavefronts here
 */
typedef struct {
  const SmbSite *site;
  const char *variable;
  guint64 first_block;
  guint64 uncounted;
  const char *reason;
  SmbHint hint;
  SmbTally total;
} SmbConstantAccess;

/**
 * SmbOtherTraffic: an instruction that uses shared memory and makes no request that is counted.
 * @kind: what it does
 * @executions: by a warp
 * @unsized: executions of which it is not known how many bytes they move
 * @bytes: of shared memory that all others move
 * @packets, @ideal_packets: of 32 bytes, to and from other blocks of the cluster (smb_peer_packets()): those that they take, and as few as the
 *   bytes of each execution take
 */
typedef struct {
  const SmbSite *site;
  SmbTraffic kind;
  guint64 executions;
  guint64 unsized;
  guint64 bytes;
  guint64 packets;
  guint64 ideal_packets;
} SmbOtherTraffic;

#define SMB_PLACED_BOX '-'

/** Most distinct boxes and operands that an analysis keeps. */
#define SMB_ANALYSIS_MAX_PLACED 4096u

/**
 * SmbPlacedRows: a box of a tensor that is copied, or an operand of a product, in shared memory of block 0
 * @name: 'A' or 'B': that operand; SMB_PLACED_BOX
 * @placement: how it lies
 * @request: what moves eight of its rows, 16 bytes a lane: lanes 0 to 7 the first 16 bytes of each row, 8 to 15 the next ones, up to 64
 */
typedef struct {
  const SmbSite *site;
  char name;
  SmbPlacement placement;
  SmbRequest request;
} SmbPlacedRows;

/**
 * SmbPeerAccess: what a warp of block 0 asked of the shared memory of other blocks of the cluster, when it came to it first
 * @width: bytes of a lane
 * @rank, @offset: by lane: the block, and the byte in its memory
 */
typedef struct {
  const SmbSite *site;
  guint warp;
  guint width;
  SmbLanes lanes;
  guint8 rank[SMB_MAX_LANES];
  guint32 offset[SMB_MAX_LANES];
} SmbPeerAccess;

/**
 * SmbAccessRequest: a request that an access made, and how often one warp of a block made just that.
 * @access: index of SmbAnalysis.accesses
 * @warp: the number of the warp in its block
 * @block: the first block in which it did
 * @count: times, over all blocks
 * @request: what was asked; the offsets of lanes that ask nothing are 0
 */
typedef struct {
  guint access;
  guint warp;
  guint64 block;
  guint64 count;
  SmbRequest request;
} SmbAccessRequest;

/** Most distinct requests that one thread of an analysis keeps. */
#define SMB_ANALYSIS_MAX_REQUESTS (1u << 17)

/** A warning, with the block that it was seen in first, and what would make it go away (SMB_HINT_NONE: nothing). */
typedef struct {
  SmbWarning kind;
  guint site; /* indices of smb_program_site() */
  guint other;
  guint64 block;
  char *message;
  SmbHint hint;
} SmbAnalysisWarning;

/** SmbHintWriter: Returns: (transfer full): a message with its hint in the words of the caller */
typedef char *(*SmbHintWriter)(const char *message, const SmbHint *hint);

/**
 * SmbAnalysis:
 * @accesses: (element-type SmbAccess): those that were executed, in the order of the text
 * @globals: (element-type SmbGlobalAccess): the same
 * @constants: (element-type SmbConstantAccess): the same, if the architecture has a rule for them
 * @traffic: (element-type SmbOtherTraffic): the same; in no total
 * @tiles: (nullable) (element-type SmbPlacedRows): if options asked to keep requests: the distinct ones, up to SMB_ANALYSIS_MAX_PLACED, by their place in the text,
 *   then the order in which block 0 came to them
 * @peers: (nullable) (element-type SmbPeerAccess): the same
 * @totals: of @accesses but copies, by SmbOpClass
 * @copies: of those that smb_access_is_copy(), which hardware counters do not count among stores
 * @least, @most: between what requests and wavefronts of @totals lie, if it depends on where an assembler lets lanes
 * reconverge (SMB_WARNING_MEETING); else those of @totals; nothing else is set
 * @loops: of @accesses
 * @global_totals: of @globals, by SmbOpClass; only the numbers are set
 * @constant_total: of @constants
 * @missing_globals: by SmbOpClass: whether requests of global memory are missing there, because it is not known where,
 *   or whether, they are made
 * @idle: without @accesses, of a text the first condition that turned all threads of a block away; of compiled code how
 *   many accesses to shared memory no thread reaches; or %NULL
 * @idle_at: where that condition stands: only its place is set; of compiled code the first access
 * @warnings: (element-type SmbAnalysisWarning): in the order of the text
 * @order: (nullable): the first place, in words, that threads reach or not by who comes first; also where that decides
 *   of global memory alone, of which @warnings does not tell
 * @assumed: (nullable): what the kernel executes by the documents alone, in words
 * @requests: (nullable) (element-type SmbAccessRequest): if options asked to keep them: the distinct
 *   requests, by access, then warp, then the order in which they were first made
 * @requests_dropped: requests that are in no count of @requests, because there were too many to keep
 * @vendor: SmbVendor: who makes the chips
 * @segment_bytes: what the segments of @globals are: SmbArchInfo.global_segment_bytes
 * @n_blocks: blocks of the grid
 * @n_blocks_run: of them; each of the others makes the same requests as one of these
 * @is_sampled: or it is only taken to (SmbAnalysisOptions.sample): the counts of the launch are estimates
 * @n_warps: warps of a block
 * @shares: (nullable) (element-type SmbShare): which these are, of a launch that was run here and of which few are
 *   enough
 * @instructions: of machine code, that warps execute; 0 of other programs
 * @is_cooperative: whether blocks need others beside them (smb_block_is_cooperative()), of a launch that was run here
 * @shared_bytes: static and dynamic shared memory of a block
 */
typedef struct {
  GArray *accesses;
  GArray *globals;
  GArray *constants;
  GArray *traffic;
  GArray *tiles;
  GArray *peers;
  SmbTally totals[SMB_N_OP_CLASSES];
  SmbTally copies;
  SmbTally least[SMB_N_OP_CLASSES];
  SmbTally most[SMB_N_OP_CLASSES];
  SmbLoopTally loops;
  SmbGlobalAccess global_totals[SMB_N_OP_CLASSES];
  SmbTally constant_total;
  gboolean missing_globals[SMB_N_OP_CLASSES];
  char *idle;
  SmbSite idle_at;
  GArray *warnings;
  char *order;
  char *assumed;
  GArray *requests;
  guint64 requests_dropped;
  guint vendor;
  guint segment_bytes;
  guint64 n_blocks;
  guint64 n_blocks_run;
  gboolean is_sampled;
  GArray *shares;
  guint n_warps;
  guint64 instructions;
  gboolean is_cooperative;
  gsize shared_bytes;
} SmbAnalysis;

/** SmbShare: a block, by its number, and how many it stands for: itself, and others that make the same requests. */
typedef struct {
  guint64 block;
  guint64 times;
} SmbShare;

/**
 * SmbAnalysisOptions: zeros stand for the defaults.
 * @limits: of the kernel
 * @max_blocks: most blocks that are run
 * @threads: how many blocks run at once; 0: one for each processor
 * @global: (nullable): keeps what the kernel writes to global memory; one thread then
 * @few: with @global: only blocks that others repeat write there (SmbAnalysis.shares), where few are enough
 * @shares: (nullable) (element-type SmbShare): blocks that are known to stand for all, in rising order; with @global
 *   only they write there
 * @sample: if more than four times as many blocks would have to be run, so many, spread over the grid, stand for all; 0: they do not
 * @keep_requests: whether SmbAnalysis.requests is wanted
 * @every_block: whether blocks are run that are known to repeat others: the result is the same
 * @in_order: whether blocks see what earlier ones left (smb_global_keep_order()); else that is done if what is counted
 *   depends on it
 * @races: (nullable): smb_block_set_races(): what an analysis found out before; it runs the blocks again with what it
 *   finds, unless their memory is kept (@global) or each request is told (@request)
 * @write_hint: (nullable): makes the messages of warnings, and what SmbAccess.reason says; %NULL: they are without
 *   hints
 * @progress: (nullable): counts blocks
 * @request: (nullable): is told each request of shared memory as it is made, by a warp of a block: of every block of
 *   the grid, one after the other, in one thread
 * @user: is handed to @request
 * @only_runs: for smb_execute_launch(): whether nothing is counted
 * @lengths: (nullable) (element-type guint32): the same: of all blocks: is set to the instructions of machine code that each executes
 * @is_cancelled: (nullable): the same: asked now and then, in any thread, whether to stop, with @cancel_user
 */
typedef struct {
  SmbProgramLimits limits;
  guint64 max_blocks;
  guint threads;
  SmbGlobal *global;
  gboolean few;
  GArray *shares;
  guint sample;
  gboolean keep_requests;
  gboolean every_block;
  gboolean in_order;
  const guint8 *races;
  SmbHintWriter write_hint;
  SmbProgress *progress;
  void (*request)(gpointer user, guint64 block, guint warp, const SmbSite *site,
                  const SmbRequest *request);
  gpointer user;
  gboolean only_runs;
  GArray *lengths;
  gboolean (*is_cancelled)(gpointer cancel_user);
  gpointer cancel_user;
} SmbAnalysisOptions;

/**
 * smb_analysis_run:
 * @program: (transfer none): must outlive the result
 * @options: (nullable)
 * @error: the errors of smb_block_new() and smb_block_run(); of several blocks that fail, the first's
 *
 * Returns: (transfer full): what @launch of @program costs on @arch
 */
SmbAnalysis *smb_analysis_run(const SmbProgram *program, const SmbArch *arch,
                              const SmbLaunch *launch, const SmbAnalysisOptions *options,
                              GError **error);
void smb_analysis_free(SmbAnalysis *analysis);

/** smb_warning_is_of_order: Returns: whether who comes first, or time, decides how often something is done */
static inline gboolean
smb_warning_is_of_order(const SmbAnalysisWarning *warning) {
  return warning->kind == SMB_WARNING_ORDER || warning->kind == SMB_WARNING_TIMING;
}

/** smb_access_is_copy: Returns: whether it is a copy of global memory that continues by itself (cp.async) */
gboolean smb_access_is_copy(const SmbAccess *access);

/**
 * smb_access_is_lower_bound:
 *
 * Returns: whether an access costs at least what is counted: an atomic that is a loop, or one with requests that are
 *   not counted
 */
gboolean smb_access_is_lower_bound(const SmbAccess *access);

/** Whether what an access asks for depends on contents of memory that the launch does not give. */
gboolean smb_access_depends_on_data(const SmbAccess *access);

/** Whether traffic is what hardware moves, and not a lower bound: all sizes are known, and it does not poll. */
gboolean smb_other_traffic_is_exact(const SmbOtherTraffic *traffic);

/**
 * smb_other_traffic_wavefronts:
 * @vendor: SmbVendor: who makes the chip
 * @wavefronts: (out): what it takes of the pipe of shared memory, never in excess: one for each shuffle; of operands of
 *   wgmma 128 bytes in each, in any layout (measured on an H200, doc/model.md)
 *
 * Returns: whether there is a rule for it: of AMD's shuffles (ds_bpermute_b32) none is known
 */
gboolean smb_other_traffic_wavefronts(const SmbOtherTraffic *traffic, guint vendor,
                                      guint64 *wavefronts);

/** Whether some of the traffic is operands of wgmma. */
gboolean smb_other_traffic_is_product(const SmbOtherTraffic *traffic);

/** The access with the most excess wavefronts, or the first (transfer none, nullable): none at all. */
const SmbAccess *smb_analysis_worst(const SmbAnalysis *analysis);

/** smb_analysis_total: Returns: what all accesses to shared memory cost together */
SmbTally smb_analysis_total(const SmbAnalysis *analysis);

/**
 * smb_analysis_global_bytes:
 *
 * Returns: the bytes that the launch loads from and stores to global memory, as its lanes access them: what
 * effective bandwidth is made of (CUDA C++ Best Practices Guide, "Effective Bandwidth Calculation"). An
 * atomic loads and stores.
 */
guint64 smb_analysis_global_bytes(const SmbAnalysis *analysis);

/** Adds a request that was made @times times, and what it costs each time. */
void smb_tally_count(SmbTally *tally, const SmbWavefronts *cost, guint64 times);

/** Adds the numbers of one tally to another. */
void smb_tally_add(SmbTally *tally, const SmbTally *more);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAnalysis, smb_analysis_free)

G_END_DECLS
