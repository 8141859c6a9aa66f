// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Executes a launch of a process for its results: every block is run once, and counted in that run if that is wanted. What the
// blocks leave goes to the memory of the process (SmbMemoryPiece.home).
#pragma once

#include "sim/analysis/analysis.h"

G_BEGIN_DECLS

/**
 * smb_execute_launch:
 * @launch: of machine code, whose memory has homes
 * @options: @limits, @threads, @in_order, @only_runs, @is_cancelled, @write_hint and @progress; the others are ignored
 * @global: made of @program and @launch; holds afterwards what was written that has no home or is not known
 * @in_order: (out): whether blocks ran one after the other
 * @analysis: (out) (optional) (transfer full): what was counted; %NULL with @only_runs
 * @error: that of the first block that fails; those before it, and what it did itself, are in memory
 *
 * Blocks run in several threads, in waves: each block of a wave sees what the waves before it left, and what it writes itself.
 * When all have ended, what they wrote is put into memory, in the order of the blocks. So results are those of blocks that run at
 * the same time, and the same each time. Atomics whose result nothing uses are done then, too. A launch with a block that looks at
 * what others do while they run (another atomic on global memory, a fence, a strong load, a barrier of the grid) is run in order from that wave on: one thread runs block after block,
 * each of which sees what the ones before it left; those that wait for others are resident together.
 */
gboolean smb_execute_launch(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                            const SmbAnalysisOptions *options, SmbGlobal *global,
                            gboolean *in_order, SmbAnalysis **analysis, GError **error);

G_END_DECLS
