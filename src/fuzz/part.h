// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of the requests that fuzz measures with --shard, in the JSON of its result, and the whole of several.
#pragma once

#include <json-glib/json-glib.h>

#include "src/fuzz/fuzz.h"

/** Ends a result with the member "shard". */
void smb_fuzz_json_part(JsonBuilder *json, const SmbFuzzReport *report);

/**
 * smb_fuzz_merge:
 * @cli: takes the result of all requests, in its format, as fuzz would have written it; seconds are those of all devices together
 * @names: (array zero-terminated=1): what messages call the parts
 * @parts: (element-type JsonObject): their results, of the same device and options, as far as the members say that merge compares
 * @error: SMB_ERROR_INPUT; SMB_GPU_ERROR_UNAVAILABLE if nothing could be measured
 */
gboolean smb_fuzz_merge(SmbCli *cli, const char *const *names, const GPtrArray *parts,
                        GError **error);
