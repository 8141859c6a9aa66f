// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The result of advise in each format.
#pragma once

#include "src/advise/measure.h"
#include "src/advise/mode.h"
#include "src/advise/report.h"
#include "src/out/table.h"

/** What the writers of SmbFormat take. @measured: (nullable): what a device says */
typedef struct {
  const SmbAdviseReport *report;
  const SmbAdviseMeasured *measured;
  gboolean all;     /* also what each access costs in each layout, and arrays without conflicts */
  gboolean verbose; /* also what the columns mean */
  gboolean quiet;   /* what is recommended, in one line */
} SmbAdviseResult;

/** For each array a table of layouts, the costs of each access, and the changed lines. */
void smb_advise_write_text(SmbCli *cli, gconstpointer result);
void smb_advise_write_json(SmbCli *cli, gconstpointer result);

/** A row for each access of each layout. */
void smb_advise_write_csv(SmbCli *cli, gconstpointer result);

/** smb_advise_write_quiet: writes what is recommended and what it gains, or why nothing is, in one line */
void smb_advise_write_quiet(SmbCli *cli, const SmbAdviseReport *report);

/** Writes that no array is accessed, and why, as far as that is known. */
void smb_advise_write_nothing(SmbCli *cli, const SmbAdviseReport *report);

/** smb_advise_describe: Returns: (transfer full): what the search of an array found, in sentences */
char *smb_advise_describe(const SmbAdviseReport *report, const SmbAdviseArray *array);

/** smb_advise_append_tensor_mode: appends what tensor cores, and what copies for them, would call a layout of an array that is no tile: a space and a
 * sentence, or nothing */
void smb_advise_append_tensor_mode(GString *text, const SmbAdviseReport *report,
                                   const SmbAdviseArray *array, const SmbCandidate *candidate);

/** smb_advise_append_tile: appends what a tile is, and why only few layouts of it were searched: a space and sentences */
void smb_advise_append_tile(GString *text, const SmbAdviseReport *report, const SmbArrayUse *use);

/** smb_advise_append_mode_time: @then: (nullable): with other layouts of tiles. Appends how long the launch takes then: a space and a sentence, or nothing */
void smb_advise_append_mode_time(GString *text, const SmbAdviseReport *report,
                                 const SmbLaunchTime *then);

/** smb_advise_write_mode: writes what is to be changed for a mode */
void smb_advise_write_mode(SmbCli *cli, const SmbAdviseReport *report, const SmbAdviseArray *array,
                           const SmbAdviseLayout *layout, const char *title);

/** smb_advise_write_modes: writes what the best modes of several tiles take together */
void smb_advise_write_modes(SmbCli *cli, const SmbAdviseReport *report);

/** smb_advise_describe_verdict: Returns: (transfer full) (element-type utf8): what is to be changed, or why not, in a
 * sentence for the best layout of each kind that was tried: the best first; empty: no layout is better */
GPtrArray *smb_advise_describe_verdict(const SmbAdviseReport *report, const SmbAdviseArray *array);

/** smb_advise_describe_unseen: Returns: (transfer full) (nullable): the lines that a rewriting of an
 * array leaves alone, in a sentence; %NULL if there are none, or no rewriting */
char *smb_advise_describe_unseen(const SmbAdviseReport *report, const SmbAdviseArray *array);

/** smb_advise_write_present: writes what the kernel takes as compiled, if a compiler was asked */
void smb_advise_write_present(SmbCli *cli, const SmbAdviseReport *report);

/** smb_advise_write_changes: writes the lines that edits (element-type SmbEdit) change, before and after */
void smb_advise_write_changes(SmbCli *cli, const SmbSource *source, const GArray *edits);

/** smb_advise_write_written: writes what longer rows in the source give */
void smb_advise_write_written(SmbCli *cli, const SmbAdviseReport *report);

/** smb_advise_describe_compiled: Returns: (transfer full): "8 -> 2 wavefronts; 400 -> 420 instructions" */
char *smb_advise_describe_compiled(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then);

/** Writes the predicted time of a form (nullable), if it is known. */
void smb_advise_write_time_cell(SmbTable *table, const SmbAdviseCompiled *compiled);

/** smb_advise_describe_gain: Returns: (transfer full): how long it takes then, in a sentence; "" where that is not predicted */
char *smb_advise_describe_gain(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then);

/** smb_advise_describe_layout_compiled: Returns: (transfer full): what a layout gives beside the text: as compiled, or with
 * what a compiler may merge: a space and a sentence, or nothing */
char *smb_advise_describe_layout_compiled(const SmbAdviseReport *report,
                                          const SmbAdviseArray *array,
                                          const SmbAdviseLayout *layout);

/** smb_advise_describe_worse: Returns: (transfer full): why a form of the kernel is not recommended: what it takes in the
 * text, and as compiled */
char *smb_advise_describe_worse(const SmbAdviseReport *report, const SmbProof *proof,
                                const SmbAdviseCompiled *compiled);

/** smb_advise_describe_refusal: Returns: (transfer full): why a layout is not recommended (smb_advise_is_better()): what it takes as
 * compiled, that conflicts cost nothing, or what a compiler may make of it */
char *smb_advise_describe_refusal(const SmbAdviseReport *report, const SmbAdviseArray *array,
                                  const SmbAdviseLayout *layout);
