// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an analysis and its workers share. Private to them.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/analysis/part.h"
#include "sim/base/json-member.h"
#include "sim/count/recall.h"
#include "sim/machine/signature.h"

// The distinct requests that a worker saw (distinct-request.c).
typedef struct _Requests Requests;

// What was counted of some blocks of a launch, by site. Sums of other blocks of it are added up in any order.
typedef struct {
  guint n_sites;
  SmbAccess *accesses; // without totals
  SmbGlobalAccess *globals;
  SmbConstantAccess *constants;
  SmbOtherTraffic *traffic;
  guint64 instructions;
  GArray *warnings;
  // Of a text smb_block_idle(), with its place, if it has shared memory; of compiled code smb_sums_note_unreached();
  // else NULL.
  char *idle;
  guint32 idle_place;
  guint idle_line;
  guint idle_column;
  guint idle_site;   // 1 + the number of the site that stands there; 0: none does
  gboolean diverged; // smb_block_diverged(): the counts may be others in a variant of the program
  gboolean misses_others;  // smb_block_misses_others()
  gboolean is_cooperative; // smb_block_is_cooperative(); not of a part that was read
} Sums;

// A place of a part that was written: @place as the program has it, but for @frames; @data_source:
// smb_launch_data_source().
typedef struct {
  guint site;
  SmbSite place;
  GArray *frames; // SmbFrame
  const char *data_source;
  gboolean data_address;
} PartSite;

// Whether two parts say the same of a place.
gboolean smb_part_sites_equal(const PartSite *a, const PartSite *b);

// A part of a launch (part.h).
struct _SmbPart {
  gboolean in_order; // blocks were run in order, those before this part without being counted
  // blocks that are counted; each of the others makes the same requests as one of these
  guint64 n_run;
  gboolean is_sampled; // or is only taken to: SmbAnalysisOptions.sample
  // SmbShare: for a whole launch: the blocks that stand for all; NULL: each for itself
  GArray *shares;
  Sums sums;
  // SmbPart: of each variant of the program; NULL: no lanes diverged, so that they are the same
  GPtrArray *variants;
  GPtrArray *requests; // Requests: that were kept, of each thread; NULL: none
  GArray *tiles;       // SmbPlacedRows; NULL: none
  GArray *peers;       // SmbPeerAccess; the same
  // What is known of the program of a part that is written or was read; else nothing.
  // counted as profilers do, per instruction (sim/count/instruction-counter.h)
  gboolean by_instruction;
  const char *irregular; // SmbProgram.irregular
  const char *assumed;   // SmbProgram.assumed
  GStrv parameters;      // their names
  GArray *sites;         // PartSite: of which something was counted
  GStringChunk *texts;   // for a part that was read: its names
};

// One thread's part of the blocks.
typedef struct {
  const SmbArch *arch;
  const SmbProgram *program;
  const SmbLaunch *launch;
  const SmbAnalysisOptions *options;
  SmbGlobal *global; // or NULL
  SmbCounter counter;
  SmbRecall *recall; // counts requests, of machine code as profilers do per instruction
  guint segment_shift;
  Sums sums;
  Requests *requests; // or NULL: not kept
  GArray *tiles;      // SmbPlacedRows, of block 0; or NULL: the same
  GArray *peers;      // SmbPeerAccess; the same
  SmbBlock *block;
  SmbSink sink; // nothing for blocks that are not counted
  SmbShare now; // the block that runs
} Worker;

// What the workers share.
typedef struct {
  GMutex lock;
  guint64 next;
  guint64 first;        // that is counted: blocks before it are run for what they leave in memory
  guint64 end;          // after the last one
  GArray *shares;       // SmbShare, in rising order; or NULL: each block, for itself
  gboolean is_sampled;  // @shares stand for others that they are not known to be like
  guint64 failed_block; // G_MAXUINT64: none
  GError *error;
  gboolean waited;       // blocks did, for others
  SmbProgress *progress; // or NULL
} Queue;

// A worker that takes its blocks to @global, or an error of the launch (transfer full).
Worker *smb_worker_new(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                       const SmbAnalysisOptions *options, SmbGlobal *global, GError **error);
void smb_worker_free(Worker *worker);

// Runs all blocks of the queue, each worker in a thread of its own.
void smb_workers_run(const GPtrArray *workers, Queue *queue);

// Runs all blocks of the queue, in one thread, if they wait for others with these; they see what others leave.
void smb_worker_run_resident(Worker *worker, Queue *queue);

// The next block of the queue; FALSE: there is none, or an earlier one has failed. The queue is locked.
gboolean smb_queue_take(Queue *queue, SmbShare *share);
// Another block for the worker, in addition to its own (transfer full).
SmbBlock *smb_worker_new_block(Worker *worker, GError **error);
// What blocks do from now on is counted for @share.
void smb_worker_turn_to(Worker *worker, const SmbShare *share);
// That one has ended; @error: (transfer full) (nullable): it failed.
void smb_worker_end_block(Worker *worker, const SmbBlock *block, Queue *queue, GError *error);
// What the machine knows of all blocks that it ran.
void smb_worker_note_facts(Worker *worker, const SmbBlock *block);

void smb_loops_add(SmbLoopTally *into, const SmbLoopTally *more);
void smb_global_access_add(SmbGlobalAccess *into, const SmbGlobalAccess *more);

// What Sums has of each site for one kind of traffic: an array of structs, all zero where nothing was counted.
typedef struct {
  const char *rows; // what a part calls them
  gsize at;         // where Sums has the array
  gsize size;       // of an element
  const SmbMember *members;
  guint n_members;
  // where an element has what its first request touched, and the block that made it; 0: it has none
  gsize name;
  gsize first_block;
  gboolean (*has_first)(gconstpointer element); // whether a request was counted
} SumsKind;

enum {
  SUMS_SHARED,
  SUMS_GLOBAL,
  SUMS_CONSTANT,
  SUMS_TRAFFIC,
  N_SUMS,
};

extern const SumsKind smb_sums_kinds[N_SUMS];
// What was counted of a site (SumsKind); smb_sums_find: NULL if nothing was.
gpointer smb_sums_element(const Sums *sums, guint kind, guint site);
gpointer smb_sums_find(const Sums *sums, guint kind, guint site);

// Makes room in sums whose other members are zero.
void smb_sums_init(Sums *sums, guint n_sites);
void smb_sums_clear(Sums *sums);
// What those of so many sites take.
gsize smb_sums_bytes(guint n_sites);
// Adds what was counted elsewhere, of the same sites.
void smb_sums_add(Sums *into, const Sums *from);

// Of a program that cannot tell as it runs (SmbFrontEnd.by_order): which requests that were made depend on the order of
// atomics.
void smb_sums_note_order(Sums *sums, const SmbProgram *program);

// For compiled code: that no thread reaches any of its accesses to shared memory, if it has some.
void smb_sums_note_unreached(Sums *sums, const SmbProgram *program);

// Keeps the numbers alone: names may not outlive the program that was counted.
void smb_sums_forget(Sums *sums);

// The analysis of all blocks that were counted, of a program without regard to its variants.
SmbAnalysis *smb_sums_collect(const Sums *sums, const SmbProgram *program, const SmbArch *arch,
                              const SmbLaunch *launch);

// Hints become part of messages, before these become the reasons of accesses.
void smb_warnings_write_hints(SmbAnalysis *analysis, SmbHintWriter write_hint);
// Says of each access whether its count is exact, once it has all of its warnings.
void smb_accesses_judge(SmbAnalysis *analysis, const SmbProgram *program, const SmbArch *arch);

// Accesses whose counts differ in the analyses of variants of the program (SmbAnalysis) get a warning that says the
// range.
void smb_variants_compare(SmbAnalysis *analysis, const SmbProgram *program,
                          const GPtrArray *variants);

Requests *smb_requests_new(void);
void smb_requests_free(Requests *requests);
// Takes a request that a site made in a block.
void smb_requests_note(Requests *requests, guint site, guint warp, const SmbShare *share,
                       const SmbRequest *request);
// Tiles that were kept become those of the analysis, in the order of the text.
void smb_tiles_collect(SmbAnalysis *analysis, const GArray *tiles);
void smb_peers_collect(SmbAnalysis *analysis, const GArray *peers);
// What was kept (Requests) becomes the requests of the analysis, whose accesses are complete.
void smb_requests_collect(SmbAnalysis *analysis, const SmbProgram *program, const GPtrArray *kept);

// How many blocks run at once.
guint smb_analysis_threads(const SmbAnalysisOptions *options);

// The blocks of a launch that have to be run so that all are counted, in rising order: far fewer than there are. NULL:
// all of them have to be (or it would take as long to find out).
GArray *smb_repeat_search(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                          const SmbAnalysisOptions *options, guint64 max_blocks);

// An array of SmbAnalysisWarning; of those alike it keeps the one of the first block.
GArray *smb_warnings_new(void);
void smb_warnings_note(GArray *warnings, const SmbAnalysisWarning *warning);
