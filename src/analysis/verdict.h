// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an analysis says in sentences: its verdict, its costliest access, and what is not exact.
#pragma once

#include "src/analysis/compiled-count.h"

/** smb_analyze_exact_of: Returns: (transfer none): what counts are exact of, where they are, and what may differ from it */
const char *smb_analyze_exact_of(const SmbProgram *program);

/** smb_analyze_verdict: Returns: (transfer full): how many wavefronts are due to conflicts, in a sentence */
char *smb_analyze_verdict(const SmbAnalysis *analysis);

/** Writes how many wavefronts are due to conflicts, in a sentence and an empty line. */
void smb_analyze_write_verdict(SmbCli *cli, const SmbAnalysis *analysis);

/**
 * smb_analyze_append_bounds:
 * @but: (nullable): an access of which nothing is said
 *
 * Adds sentences about what is not exact, and why; none if all is.
 */
void smb_analyze_append_bounds(GString *text, const SmbAnalysis *analysis, const SmbAccess *but);

/** Whether these sentences, of all accesses, tell what a warning says: of its access, or that the same is true of it. */
gboolean smb_analyze_bounds_tell(const SmbAnalysis *analysis, const SmbAnalysisWarning *warning);

/** Writes these sentences, if there are some. */
void smb_analyze_write_bounds(SmbCli *cli, const SmbAnalysis *analysis);

/**
 * smb_analyze_write_worst:
 * @compiled: (nullable): whose @analysis that may be: its accesses have the words of the text then
 * @is_first: (inout): whether an empty line is above already; FALSE once something is written
 *
 * Writes sentences about the accesses of a row with the most excess wavefronts: which lanes conflict in which bank, and what that
 * costs; and which counts are lower bounds. Nothing, if there is nothing to say.
 */
void smb_analyze_write_worst(SmbCli *cli, const SmbAnalysis *analysis,
                             const SmbCompiledCount *compiled, gboolean *is_first);

/** Writes, each after an empty line, what the vendor's counters have, and how many blocks were run, if not all. */
void smb_analyze_write_end(SmbCli *cli, const SmbAnalysis *analysis);

/** Adds a space and a sentence, if they conflict: which lanes of the worst request of @access meet where. */
void smb_analyze_append_meeting(GString *text, const SmbArch *arch, const SmbAccess *access);

/** smb_analyze_summarize: Returns: (transfer full): the verdict, which lanes of the costliest access conflict where, and
 *   which counts are lower bounds; @compiled: (nullable): as of smb_analyze_write_worst() */
char *smb_analyze_summarize(const SmbArch *arch, const SmbAnalysis *analysis,
                            const SmbCompiledCount *compiled);

/** smb_analyze_uncounted: Returns: requests of all accesses that are not counted */
guint64 smb_analyze_uncounted(const SmbAnalysis *analysis);

/** smb_analyze_assumes: Returns: whether counts hold only for what was put in place of contents that were not given
 * (SmbAccess.data_source) */
gboolean smb_analyze_assumes(const SmbAnalysis *analysis);

/** smb_analyze_qualify: Returns: (transfer none): for which requests a verdict holds, behind what it says of them; "" for all */
const char *smb_analyze_qualify(const SmbAnalysis *analysis);

/** smb_analyze_describe_reason: Returns: (transfer full): why an access is not exact, as a sentence */
char *smb_analyze_describe_reason(const SmbAccess *access);

/**
 * smb_analyze_describe_constants:
 *
 * Returns: (nullable) (transfer full): what the loads of constant memory cost, of which that is counted; %NULL: there are
 *   none
 */
char *smb_analyze_describe_constants(const SmbArch *arch, const SmbAnalysis *analysis);
