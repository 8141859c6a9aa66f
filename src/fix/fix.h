// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a profile of Nsight Compute complains of, line by line: the wavefronts that were measured in excess, why, by the
// model, and which layouts remove them, as compiled.
#pragma once

#include "sim/measured/kernel-metrics.h"
#include "sim/measured/profile.h"
#include "src/advise/report.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/target/target.h"

/**
 * SmbFixLine: a line of the source with measured wavefronts in excess; of code without line information, an instruction.
 * @code: (transfer none): the first of its instructions
 * @source: (nullable): its text, without the space around it
 * @instructions: of it, that access shared memory
 * @wavefronts, @ideal: that were measured of all of them; where only the kernel was (SmbFix.measured), that are predicted
 * @excess: sum over the instructions of what is above the ideal, as ncu counts it
 * @predicted: the same instructions, by the model
 * @reason: (nullable): why that is not exact
 * @why: (nullable): which lanes conflict where, of the costliest request; %NULL: no conflict is predicted
 * @arrays: (element-type SmbAdviseArray) (transfer none): what the line accesses, of SmbFix.advice
 */
typedef struct {
  const SmbCodeLine *code;
  char *source;
  guint instructions;
  guint64 wavefronts;
  guint64 ideal;
  guint64 excess;
  SmbTally predicted;
  char *reason;
  char *why;
  GPtrArray *arrays;
} SmbFixLine;

/**
 * SmbFix:
 * @target: (transfer none): the kernel as it was given
 * @machine: (nullable): through a compiler; %NULL: it is machine code
 * @analysis: of the machine code
 * @code: (element-type SmbCodeLine): its instructions; where only the kernel was measured, its accesses
 * @profile: (nullable) (transfer none): what was measured, instruction by instruction
 * @measured: (nullable) (transfer none): what was measured of the kernel, if it is not that
 * @lines: (element-type SmbFixLine): the most excess first
 * @wavefronts, @excess: that were measured of all instructions
 * @advice: (nullable): layouts of the arrays
 * @advice_failure: (nullable): why there is none
 */
typedef struct {
  const SmbTarget *target;
  SmbTarget *machine;
  SmbAnalysis *analysis;
  GPtrArray *code;
  const SmbProfileLaunch *profile;
  const SmbMeasuredLaunch *measured;
  GPtrArray *lines;
  guint64 wavefronts;
  guint64 excess;
  SmbAdviseReport *advice;
  char *advice_failure;
} SmbFix;

/**
 * smb_fix_new:
 * @target: (transfer none): machine code, or CUDA C that is compiled; must outlive the result, as must @profile
 * @file, @number: as of smb_target_find_profile()
 * @search: how layouts are searched
 * @error: those of smb_target_compile(), smb_target_find_profile() and smb_analysis_run()
 *
 * Returns: (transfer full): what was measured, why, and what removes it
 */
SmbFix *smb_fix_new(const SmbTarget *target, SmbArch *arch, const SmbProfile *profile,
                    const char *file, guint number, const SmbAdviseSearch *search, GError **error);
void smb_fix_free(SmbFix *fix);

/**
 * smb_fix_new_metrics:
 * @measured: (transfer none): what was measured of the kernel as a whole; which lines conflict is predicted
 *
 * As smb_fix_new(). CUDA C is compiled if there is a compiler; else its text is counted.
 */
SmbFix *smb_fix_new_metrics(const SmbTarget *target, SmbArch *arch,
                            const SmbMeasuredLaunch *measured, const SmbAdviseSearch *search,
                            GError **error);

/** smb_fix_code: Returns: (transfer none): what was counted: the machine code, or without a compiler the text */
const SmbTarget *smb_fix_code(const SmbFix *fix);

/** smb_fix_place: Returns: where the launch begins in the file of what was measured; @kernel: (out): its name there */
guint smb_fix_place(const SmbFix *fix, const char **kernel);

/** smb_fix_remedies: Returns: (transfer full) (element-type utf8): which layouts take fewer wavefronts of an array, in
 * sentences, the best first; or one that says that none does */
GPtrArray *smb_fix_remedies(const SmbFix *fix, const SmbAdviseArray *array);

/** What the writers of SmbFormat take. @file: the profile; @top: lines that text shows */
typedef struct {
  const SmbFix *fix;
  const char *file;
  guint top;
} SmbFixResult;

void smb_fix_write_text(SmbCli *cli, gconstpointer result);
void smb_fix_write_json(SmbCli *cli, gconstpointer result);

/** A row for each line and array. */
void smb_fix_write_csv(SmbCli *cli, gconstpointer result);

/** Adds what the JSON document has of a kernel. */
void smb_fix_json_members(JsonBuilder *json, const SmbFixResult *result, SmbArch *arch);

/** The columns of CSV. */
#define SMB_FIX_COLUMNS                                                                            \
  "file,line,pc,wavefronts,ideal_wavefronts,excess_wavefronts,predicted_wavefronts,array,layout,"  \
  "array_wavefronts,layout_wavefronts"

/** Adds the rows of a kernel. @of: (nullable): the name of its case, in front of each */
void smb_fix_csv_rows(SmbCsv *csv, const SmbFix *fix, const char *of);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFix, smb_fix_free)
