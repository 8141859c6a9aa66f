// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of a comparison that validate makes with --shard, in the JSON of its result, and the whole of several.
#pragma once

#include <json-glib/json-glib.h>

#include "src/validate/comparison-report.h"

/** Ends a row of a part with the member "shard": where it belongs in the whole, and what the row does not say. */
void smb_comparison_json_row_part(JsonBuilder *json, const SmbComparison *comparison,
                                  const SmbComparisonRow *row);

/** Ends a result with the member "shard". */
void smb_comparison_json_part(JsonBuilder *json, const SmbComparisonReport *report);

/**
 * smb_comparison_merge:
 * @cli: takes the whole comparison, in its format, as validate would have written it; of a device that was measured, the date is that of
 *   the first part
 * @names: (array zero-terminated=1): what messages call the parts
 * @parts: (element-type JsonObject): their results, of the same device and options, as far as "shard" says
 * @error: SMB_ERROR_INPUT
 */
gboolean smb_comparison_merge(SmbCli *cli, const char *const *names, const GPtrArray *parts,
                              GError **error);
