// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of a launch that analyze counts with --shard, in the JSON of its result, and the whole of several.
#pragma once

#include "sim/analysis/part.h"
#include "src/analyze/report.h"
#include "src/cli/shard.h"

/** SmbAnalyzePart: a part; @limits: what was given, which is for the whole. */
struct _SmbAnalyzePart {
  SmbShard shard;
  SmbPart *counts;
  const GArray *limits;
};

/** Ends a result with the member "shard": what is needed to add the part to the others. */
void smb_analyze_json_part(JsonBuilder *json, const SmbAnalyzeReport *report);

/**
 * smb_analyze_merge:
 * @cli: takes the result of the whole launch, in its format, as analyze would have written it
 * @names: (array zero-terminated=1): what messages call the parts
 * @parts: (element-type JsonObject): their results, of the same kernel, launch and options, as far as "shard" says
 * @error: SMB_ERROR_INPUT
 */
gboolean smb_analyze_merge(SmbCli *cli, const char *const *names, const GPtrArray *parts,
                           GError **error);

/** The formats of a whole that was merged: those that need no more than what was counted. */
extern const SmbFormat smb_analyze_merged_formats[];

/** Writes a whole result, its warnings, and the limits that failed. */
void smb_analyze_write(SmbCli *cli, const SmbAnalyzeReport *report);
