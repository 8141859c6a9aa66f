// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of the requests that fuzz measures with --shard, in the JSON of its result, and the whole of several.
#pragma once

#include "src/fuzz/fuzz.h"
#include "src/shard/parts.h"

/** Ends a result with the member "shard". */
void smb_fuzz_json_part(JsonBuilder *json, const SmbFuzzReport *report);

/** Adds the numbers of @more to those of @sum. */
void smb_fuzz_result_add(SmbFuzzResult *sum, const SmbFuzzResult *more);

/** Seconds of the whole are those of all devices together; SMB_GPU_ERROR_UNAVAILABLE if nothing could be measured. */
extern const SmbMerger smb_fuzz_merger;
