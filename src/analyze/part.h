// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of a launch that analyze counts with --shard, in the JSON of its result, and the whole of several.
#pragma once

#include "sim/analysis/part.h"
#include "src/analyze/report.h"
#include "src/shard/parts.h"

/** SmbAnalyzePart: a part; @compiled: (nullable): of what was compiled, if that was counted; @limits: what was given, which is for the
 * whole. */
struct _SmbAnalyzePart {
  SmbShard shard;
  const SmbPart *counts, *compiled;
  const GArray *limits;
};

/** Ends a result with the member "shard": what is needed to add the part to the others. */
void smb_analyze_json_part(JsonBuilder *json, const SmbAnalyzeReport *report);

/** Its formats are those that need no more than what was counted. */
extern const SmbMerger smb_analyze_merger;

/** Writes a whole result, its warnings, and the limits that failed. */
void smb_analyze_write(SmbCli *cli, const SmbAnalyzeReport *report);
