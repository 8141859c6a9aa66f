// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an analysis and its workers share. Private to them.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/machine/signature.h"

// The distinct requests that a worker saw (analysis-request.c).
typedef struct _Requests Requests;

// A block that is run, and how many blocks of the grid it stands for: itself, and those that make the same requests.
typedef struct {
  guint64 block;
  guint64 times;
} Share;

// One thread's part of the blocks: counts by site, which are added up in the end.
typedef struct {
  const SmbArch *arch;
  const SmbProgram *program;
  const SmbAnalysisOptions *options;
  SmbCounter counter;
  guint segment_shift;
  guint n_sites;
  SmbAccess *accesses; // without totals
  SmbGlobalAccess *globals;
  SmbConstantAccess *constants;
  SmbOtherTraffic *traffic;
  guint64 *first_block; // by site: the block that named its array
  guint64 instructions;
  GArray *warnings;
  Requests *requests; // or NULL: not kept
  SmbBlock *block;
  Share now; // the block that runs
} Worker;

// What the workers share.
typedef struct {
  GMutex lock;
  guint64 next;
  guint64 n;            // that are run
  GArray *shares;       // Share, in rising order; or NULL: each block, for itself
  guint64 failed_block; // G_MAXUINT64: none
  GError *error;
  SmbProgress *progress; // or NULL
} Queue;

// A worker that takes its blocks to @global, or an error of the launch (transfer full).
Worker *smb_worker_new(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                       const SmbAnalysisOptions *options, SmbGlobal *global, GError **error);
void smb_worker_free(Worker *worker);

// Runs all blocks of the queue, each worker in a thread of its own.
void smb_workers_run(const GPtrArray *workers, Queue *queue);

// Counts what the variants of a program make of a launch: accesses whose counts differ get a warning that says the range.
gboolean smb_variants_compare(SmbAnalysis *analysis, const SmbProgram *program, const SmbArch *arch,
                              const SmbLaunch *launch, const SmbAnalysisOptions *options,
                              GError **error);

Requests *smb_requests_new(void);
void smb_requests_free(Requests *requests);
// Takes a request that a site made in a block; blocks are not mixed, and run in rising order.
void smb_requests_note(Requests *requests, guint site, guint warp, const Share *share,
                       const SmbRequest *request);
// What all workers kept becomes the requests of the analysis, whose accesses are complete.
void smb_requests_collect(SmbAnalysis *analysis, const SmbProgram *program,
                          const GPtrArray *workers);

// The blocks of a launch that have to be run so that all are counted, in rising order: far fewer than there are. NULL:
// all of them have to be (or it would take as long to find out).
GArray *smb_repeat_search(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                          const SmbAnalysisOptions *options, guint64 max_blocks);

// An array of SmbAnalysisWarning; of those alike it keeps the one of the first block.
GArray *smb_warnings_new(void);
void smb_warnings_note(GArray *warnings, const SmbAnalysisWarning *warning);
