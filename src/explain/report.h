// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The result of explain in each format.
#pragma once

#include "src/analysis/access-cost.h"
#include "src/draw/bank-map.h"
#include "src/explain/explain.h"

/**
 * SmbExplainReport: what the writers of SmbFormat take
 * @explanation: (nullable): %NULL if the kernel makes no shared-memory requests, or none in the line that is asked for
 * @tiles: (nullable) (element-type SmbPlacedRows): boxes and operands that are asked for
 * @peers: (nullable) (element-type SmbPeerAccess): accesses to other blocks that are asked for
 * @compiled: (nullable): what nvcc makes of the kernel
 * @time: (nullable): how long the launch takes
 * @all_lanes: in text, every active lane in the table
 * @lanes: in text, else these of them, if any; none: those that matter
 * @passes: in text, the map wavefront by wavefront, after that of the whole request
 */
typedef struct {
  const SmbTarget *target;
  const SmbAnalysis *analysis;
  const SmbExplanation *explanation;
  const GArray *tiles;
  const GArray *peers;
  const SmbCompiledCount *compiled;
  const SmbLaunchTime *time;
  gboolean all_lanes;
  SmbLanes lanes;
  gboolean passes;
} SmbExplainReport;

/** smb_explain_time: Returns: (transfer full) (nullable): how long the launch takes, and what the conflicts of the access cost, in
 * sentences; %NULL: that was not asked for */
char *smb_explain_time(const SmbExplainReport *report);

void smb_explain_write_text(SmbCli *cli, gconstpointer report);
void smb_explain_write_json(SmbCli *cli, gconstpointer report);

/** One row for each active lane */
void smb_explain_write_csv(SmbCli *cli, gconstpointer report);
