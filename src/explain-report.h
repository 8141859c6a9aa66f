// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The result of explain in each format.
#pragma once

#include "src/bank-map.h"
#include "src/explain.h"

G_BEGIN_DECLS

/**
 * SmbExplainView: what the text shows besides
 * @all_lanes: every active lane in the table
 * @lanes: else these of them, if any; none: those that matter
 * @passes: the map pass by pass, after that of the whole request
 */
typedef struct {
  gboolean all_lanes;
  guint32 lanes;
  gboolean passes;
} SmbExplainView;

void smb_explain_write_text(SmbCli *cli, const SmbExplanation *explanation,
                            const SmbExplainView *view);

/** @explanation: (nullable): %NULL if the kernel makes no request of shared memory */
void smb_explain_write_json(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis,
                            const SmbExplanation *explanation);

/** One row for each active lane; @explanation: (nullable): as above */
void smb_explain_write_csv(SmbCli *cli, const SmbExplanation *explanation);

G_END_DECLS
