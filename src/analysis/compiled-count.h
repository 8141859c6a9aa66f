// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a compiler makes of a text, counted beside the text itself: it merges accesses, removes them and adds others, and what it
// makes is what runs.
#pragma once

#include "src/target/target.h"

/**
 * SmbCompiledLine: what the instructions of one line, of one class, take together: those of one array, if the code says which array
 * each accesses
 * @site: of the first of them
 * @n: how many
 * @first: (nullable): the first access of that class in that line of the text; %NULL: the text has none there
 * @n_first: how many it has there
 * @assumed: (nullable): the first of these that depends on contents that were not given (SmbAccess.data_source)
 * @array: (nullable): the array that the text accesses there, or, if it accesses none, the code; %NULL: none, or several
 */
typedef struct {
  const SmbSite *site;
  guint n;
  SmbTally total;
  const SmbSite *first;
  guint n_first;
  const SmbAccess *assumed;
  const char *array;
} SmbCompiledLine;

/**
 * SmbCompiledCount:
 * @target: (nullable): the kernel through a compiler, launched alike; %NULL: it could not be compiled
 * @analysis: (nullable): of @target; its arrays are those of the text, by SmbCompiledLine.array
 * @failure: (nullable): why there is none, in a line
 * @lines: (element-type SmbCompiledLine): of @analysis, in its order
 */
typedef struct {
  SmbTarget *target;
  SmbAnalysis *analysis;
  char *failure;
  GArray *lines;
  GHashTable *by_place;  /* indices of @lines, from 1 */
  GHashTable *undivided; /* places whose arrays are not told apart */
} SmbCompiledCount;

/** smb_target_can_compile: Returns: whether @target is a file of CUDA C that was read as it is, and there is a compiler for the
 * architecture, which may be asked */
gboolean smb_target_can_compile(const SmbTarget *target, const SmbArch *arch);

/** smb_target_lacks_compiler: Returns: whether only the compiler is missing */
gboolean smb_target_lacks_compiler(const SmbTarget *target, const SmbArch *arch);

/**
 * smb_compiled_count_new:
 * @target: (transfer none): must outlive the result, as must @text
 * @text: what was counted of it
 *
 * Compiles it, unless that was done before, and counts the same launch.
 *
 * Returns: (transfer full) (nullable): the count; %NULL: there is no compiler for it (smb_target_can_compile())
 */
SmbCompiledCount *smb_compiled_count_new(const SmbTarget *target, const SmbAnalysis *text,
                                         const SmbArch *arch);

/* The same in steps, for a part of a launch, and for a whole of parts. */

/** smb_compiled_count_begin: as smb_compiled_count_new(), which compiles only. */
SmbCompiledCount *smb_compiled_count_begin(const SmbTarget *target, const SmbArch *arch);

/** smb_compiled_count_of: @compiled: (nullable) (transfer full). Returns: (transfer full): of which nothing is counted yet */
SmbCompiledCount *smb_compiled_count_of(SmbTarget *compiled);

/** Notes why it could not be compiled or counted: the first line of @error. */
void smb_compiled_count_fail(SmbCompiledCount *count, const GError *error);

/** Notes what was counted of its target. @analysis: (transfer full); @text: must outlive @count */
void smb_compiled_count_take(SmbCompiledCount *count, SmbAnalysis *analysis,
                             const SmbAnalysis *text);
void smb_compiled_count_free(SmbCompiledCount *count);

/** smb_compiled_count_has: @count: (nullable). Returns: whether there is a compiled count, which verdict and limits are of then */
gboolean smb_compiled_count_has(const SmbCompiledCount *count);

/** smb_compiled_count_line: @access: of the text, or of @count. Returns: (nullable) (transfer none): what is compiled of accesses of its
 * class in its line, and to its array if these are told apart; %NULL: nothing */
const SmbCompiledLine *smb_compiled_count_line(const SmbCompiledCount *count,
                                               const SmbAccess *access);

/** smb_compiled_count_share: @count: (nullable); @access: of the text; @tally: (out): what smb_compiled_count_line() takes. Returns:
 * whether @access is the first that this stands for; FALSE without a compiled count */
gboolean smb_compiled_count_share(const SmbCompiledCount *count, const SmbAccess *access,
                                  SmbTally *tally);

/** smb_compiled_count_shares: @count: (nullable). Returns: whether it is not, for one of the accesses of the text */
gboolean smb_compiled_count_shares(const SmbCompiledCount *count, const SmbAnalysis *text);

/** smb_compiled_count_agrees: Returns: whether text and compiled code take as many wavefronts, and as many in excess */
gboolean smb_compiled_count_agrees(const SmbCompiledCount *count, const SmbAnalysis *text);

/** smb_compiled_count_tell: Returns: (transfer full): a sentence that says which count is which, and by how much they differ */
char *smb_compiled_count_tell(const SmbCompiledCount *count, const SmbAnalysis *text);

/** smb_compiled_count_tell_line: @access: of the text. Returns: (transfer full): a sentence that says which instructions its line has
 * become, and what they take (smb_compiled_count_line()) */
char *smb_compiled_count_tell_line(const SmbCompiledCount *count, const SmbAccess *access);

/** smb_compiled_count_name: @count: (nullable); @access: of what is judged: the first of @n alike ones. Returns: (transfer full):
 * "the load of a[t]"; of code that was compiled "the load of a[t] (4 × LDS)" in the words of the text, if it is one access there, else
 * "the load of LDS R4, [R3]", or "4 × LDS" */
char *smb_compiled_count_name(const SmbCompiledCount *count, const SmbAccess *access, guint n);

/** smb_compiled_count_written: @count: (nullable); @access: of what is judged. Returns: (nullable) (transfer none): the access of the
 * text that it was compiled from, if it is one */
const SmbSite *smb_compiled_count_written(const SmbCompiledCount *count, const SmbAccess *access);

/** Warns if @count (nullable) is none: @target alone is counted, and why. */
void smb_compiled_count_warn(const SmbCompiledCount *count, const SmbTarget *target,
                             SmbSpool *messages);

/** smb_compiled_count_summarize: @count: (nullable). Returns: (transfer full): the verdict, which count is which, and what else
 * smb_analyze_summarize() says */
char *smb_compiled_count_summarize(const SmbCompiledCount *count, const SmbAnalysis *text,
                                   const SmbArch *arch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCompiledCount, smb_compiled_count_free)
