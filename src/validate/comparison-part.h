// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of a comparison that validate makes with --shard, in the JSON of its result, and the whole of several.
#pragma once

#include "src/shard/parts.h"
#include "src/validate/comparison-report.h"

/** Ends a row of a part with the member "shard": where it belongs in the whole, and what the row does not say. */
void smb_comparison_json_row_part(JsonBuilder *json, const SmbComparison *comparison,
                                  const SmbComparisonRow *row);

/** Ends a result with the member "shard". */
void smb_comparison_json_part(JsonBuilder *json, const SmbComparisonReport *report);

/** Of a device that was measured, the date of the whole is that of the first part. */
extern const SmbMerger smb_comparison_merger;
