// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What advise tells: for each shared array the layouts that a search found, and the kernel rewritten for
// the best of each kind, evaluated again. Layouts of one array are searched as if the others stayed as they
// are; what all arrays take together is evaluated in the end.
#pragma once

#include "sim/advise/advise.h"
#include "sim/advise/merge.h"
#include "sim/advise/proof.h"
#include "sim/arch/occupancy.h"
#include "src/advise/compiled.h"
#include "src/advise/written.h"
#include "src/target/target.h"

/** Bytes of loads of which layouts are tried that keep them whole, from these on: narrower ones are few. */
enum {
  SMB_ADVISE_MIN_VECTOR = 8
};

/** Where an array can be kept in a layout, by its size alone. */
typedef enum {
  SMB_ADVISE_FITS,   /* as it is declared */
  SMB_ADVISE_OPT_IN, /* as dynamic shared memory that the launch opts in to */
  SMB_ADVISE_TOO_LARGE,
} SmbAdviseFit;

/**
 * SmbAdviseLayout: a layout that is shown.
 * @candidate: (transfer none): the layout, and what it costs
 * @kind: of the search that found it; 0 for the present layout
 * @name: "pad 1", "Swizzle<3,2,3>", "pad 4 + Swizzle<3,2,3>" or "as it is"
 * @index: the index in plain C
 * @extra_bytes: shared memory more than now
 * @vector_bytes: widest access, up to 16 bytes, that stays whole and aligned in every row
 * @fits: where the array can be kept
 * @occupancy: blocks of a multiprocessor
 * @merged: what the requests cost if a compiler merges loads, and stores, of adjacent elements as far as the layout lets it
 * @keeps_vector: whether it lets it make loads as wide as any layout does
 * @is_first: whether it is the best of its kind, in the text or with accesses merged
 * @is_declared: whether only rows are longer, which the declaration says
 * @is_trial: it keeps vectors whole that the text does not have, and is here since a compiler makes most of it
 * @proof: (nullable): the kernel rewritten for it; %NULL if that was not tried
 * @compiled: (nullable): and through a compiler
 * @time: (nullable): of another layout of a tile (src/advise/mode.h): how long the launch takes if the present code finds it so
 */
typedef struct {
  const SmbCandidate *candidate;
  SmbAdviseKinds kind;
  char *name;
  char *index;
  gint64 extra_bytes;
  guint vector_bytes;
  SmbAdviseFit fits;
  SmbOccupancy occupancy;
  SmbTally merged;
  gboolean keeps_vector;
  gboolean is_first;
  gboolean is_declared;
  gboolean is_trial;
  SmbProof *proof;
  SmbAdviseCompiled *compiled;
  SmbLaunchTime *time;
} SmbAdviseLayout;

/**
 * SmbAdviseArray:
 * @kinds: what was searched; 0: all
 * @search: the search: the size of the space, and the best layouts
 * @merged: (nullable): the array with the accesses merged that a compiler may merge; %NULL: there are none
 * @merged_search: (nullable): the search with them: layouts that keep vectors whole
 * @now: the present layout
 * @layouts: (element-type SmbAdviseLayout): the best of each kind, the best of all first: as compiled, if that is known, those that are no better than now last; else
 *   those that keep vectors before others, and then those that take the fewest wavefronts with accesses merged; of equal ones
 *   those that are written with the fewest changes, then those of which only the declaration changes, and then those that take the fewest bytes
 * @unseen: (element-type guint): lines that mention the array where nothing is evaluated
 * @is_compiled: whether the kernel is compiled code: it is not rewritten, and its arrays are bytes unless --array says more
 */
typedef struct {
  SmbAdviseKinds kinds;
  SmbAdvice *search;
  SmbMergedUse *merged;
  SmbAdvice *merged_search;
  SmbAdviseLayout *now;
  GPtrArray *layouts;
  GPtrArray *candidates; // of @merged_search and of trials, counted as the text asks
  GArray *unseen;
  gboolean is_compiled;
} SmbAdviseArray;

/**
 * SmbAdviseReport:
 * @target: (transfer none): what was asked about
 * @analysis: the launch as it is, with its requests
 * @uses: its arrays
 * @global: what it leaves in global memory
 * @arrays: (element-type SmbAdviseArray): in the order of the text
 * @names: where the text has their names
 * @can_compile: whether there is a compiler for the kernel, and it is asked
 * @together: (nullable): the kernel with a layout of each array, if several change
 * @joined: (nullable) (element-type SmbAdviseLayout): these layouts, by array; %NULL: it stays as it is
 * @joins: what layouts of several arrays are tried together (src/advise/prove.c)
 * @now: (nullable): the kernel as it is, through a compiler
 * @compiled: (nullable): the same @together
 * @written: (nullable): of a kernel that was compiled, or of a text that no layout can be written into: paddings in its source
 * @present: (nullable): the kernel as it is, if it is compiled code, or a text that no layout can be written into
 * @modes: (nullable): how long the launch takes with the best other layout of each of several tiles
 * @text: (nullable) (transfer none): a text that cannot be run: all of this is of what a compiler makes of it, and layouts are written
 *   into the text all the same
 * @text_failure: (nullable): why it cannot be run
 * @machine: (nullable): what a compiler makes of @text: @target
 * @text_arrays: (nullable) (element-type SmbArray): of @text
 */
struct _SmbAdviseReport {
  const SmbTarget *target;
  SmbArch *arch;
  SmbAnalysis *analysis;
  SmbArrayUses *uses;
  SmbGlobal *global;
  GPtrArray *arrays;
  SmbRewriteNames *names;
  gboolean can_compile;
  SmbProof *together;
  GPtrArray *joined;
  GPtrArray *joins;
  SmbAdviseCompiled *now;
  SmbAdviseCompiled *compiled;
  SmbAdviseWritten *written;
  SmbAdviseCompiled *present;
  SmbLaunchTime *modes;
  const SmbTarget *text;
  char *text_failure;
  SmbTarget *machine;
  GArray *text_arrays;
};

/**
 * SmbAdviseSearch:
 * @arrays: (nullable) (array zero-terminated=1): only the arrays of these names, if there are any; those with "=" after them
 * are shapes (smb_shapes_parse())
 * @rows: (nullable) (array zero-terminated=1): "N" or "NAME=N": elements of a row of all arrays, or of one: as
 *   SmbAdviseOptions.row
 * @kinds: which layouts are searched; 0: all
 * @top: layouts of each kind that are shown
 * @all: also those that are no better than the present one or than others that are shown
 * @max_counts: as SmbAdviseOptions.max_counts
 * @compiles: whether forms go through a compiler, if there is one
 * @writes: whether the source of what was compiled is padded, too
 */
typedef struct {
  const char *const *arrays;
  const char *const *rows;
  SmbAdviseKinds kinds;
  guint top;
  gboolean all;
  guint64 max_counts;
  gboolean compiles;
  gboolean writes;
} SmbAdviseSearch;

/**
 * smb_advise_report_new:
 * @target: (transfer none): must outlive the report
 * @error: SMB_ERROR_USAGE if there is no such array, SMB_ERROR_INPUT if the kernel cannot be run, makes
 *   more requests than are kept, or a search takes more counts than it may
 *
 * Of a text that cannot be run, what a compiler makes of it is, if there is one (SmbAdviseReport.text).
 *
 * Returns: (transfer full): the advice
 */
SmbAdviseReport *smb_advise_report_new(const SmbTarget *target, SmbArch *arch,
                                       const SmbAdviseSearch *options, GError **error);
void smb_advise_report_free(SmbAdviseReport *report);

/** smb_advise_report_run: as smb_advise_report_new(), without any search: only @analysis, @global and what is needed for
 * them are set, and @arrays is empty */
SmbAdviseReport *smb_advise_report_run(const SmbTarget *target, SmbArch *arch, GError **error);

/** smb_advise_row: Returns: the row of an array that @asked says, or 0 */
guint64 smb_advise_row(const SmbAdviseSearch *asked, const SmbArray *array);

/** smb_advise_select: Returns: (transfer container) (element-type SmbArrayUse): the arrays that are asked
 * about, or %NULL with an error: those with rows and requests, and of them those of these names, if there are any */
GPtrArray *smb_advise_select(const SmbAdviseReport *report, const char *const *names,
                             GError **error);

/** smb_advise_proven: Returns: (transfer none) (nullable): the best layout of an array that is cheaper
 * than now, and whose rewritten kernel holds, and is better as compiled, as far as that is known */
const SmbAdviseLayout *smb_advise_proven(const SmbAdviseReport *report,
                                         const SmbAdviseArray *array);

/** smb_advise_is_worse: @compiled: (nullable). Returns: whether a form is no better as compiled than the kernel as it is
 * (smb_advise_compiled_gains()) */
gboolean smb_advise_is_worse(const SmbAdviseReport *report, const SmbAdviseCompiled *compiled);

/** smb_advise_time: Returns: (transfer none) (nullable): how long the launch takes as it is; %NULL: not machine code, and not compiled */
const SmbLaunchTime *smb_advise_time(const SmbAdviseReport *report);

/** smb_advise_sample: Returns: how many blocks are taken for all, in the text or as compiled; 0: those that are run are known to stand for them */
guint64 smb_advise_sample(const SmbAdviseReport *report);

/** smb_advise_is_free: Returns: whether the launch is predicted to gain less than would be recommended if it had no bank conflict at all */
gboolean smb_advise_is_free(const SmbAdviseReport *report);

/** smb_advise_is_better: Returns: whether a layout is better than the present one: as compiled; where that is not known, with
 * accesses merged, unless conflicts cost nothing */
gboolean smb_advise_is_better(const SmbAdviseReport *report, const SmbAdviseArray *array,
                              const SmbAdviseLayout *layout);

/** smb_advise_layout_order: Returns: below 0 if @a costs less than @b: as compiled, or with accesses merged */
int smb_advise_layout_order(const SmbAdviseLayout *a, const SmbAdviseLayout *b);

/** smb_advise_sort: sorts SmbAdviseArray.layouts */
void smb_advise_sort(const SmbAdviseReport *report, const SmbAdviseArray *array);

/** smb_advise_final: Returns: (transfer none) (nullable): the rewritten kernel that is best of all */
const SmbProof *smb_advise_final(const SmbAdviseReport *report);

/** smb_advise_name_layouts: Returns: (transfer full): the layouts of a rewritten kernel: "tile: pad 1, rows: Swizzle<3,2,3>" */
char *smb_advise_name_layouts(const SmbAdviseReport *report, const SmbProof *proof);

/** smb_advise_padded: Returns: (transfer none) (nullable): the padding in the source that is recommended */
const SmbAdvisePadding *smb_advise_padded(const SmbAdviseReport *report);

/** smb_advise_is_compiled: Returns: whether the kernel is compiled code, such as PTX, which is not rewritten */
gboolean smb_advise_is_compiled(const SmbTarget *target);

/** smb_advise_declare: Returns: (transfer full): an array as it is declared: "int tile[32][33]" */
char *smb_advise_declare(const SmbArray *array);

/** "yes", "opt-in" or "no" (transfer none). */
const char *smb_advise_fit_name(SmbAdviseFit fit);

/** "pad", "swizzle", "both" or, of the present layout, "now" (transfer none). */
const char *smb_advise_kind_name(SmbAdviseKinds kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAdviseReport, smb_advise_report_free)
