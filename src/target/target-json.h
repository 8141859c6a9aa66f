// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The members that JSON documents of several commands have: "kernel", "arch", counts and "totals".
#pragma once

#include <json-glib/json-glib.h>

#include "src/target/target.h"

/** "kernel": name, file, block, grid, shared_bytes, defines. */
void smb_json_target(JsonBuilder *json, const SmbTarget *target, gsize shared_bytes);

/** A member that holds macros as an object: numbers where they are numbers. */
void smb_json_defines(JsonBuilder *json, const char *const *defines);

/** "arch": name, banks, bank_width. */
void smb_json_arch(JsonBuilder *json, const SmbArch *arch);

/** The members requests, wavefronts, ideal_wavefronts and excess_wavefronts. */
void smb_json_tally(JsonBuilder *json, const SmbTally *tally);

/** A member that holds those of smb_json_tally(); null for %NULL. */
void smb_json_tally_object(JsonBuilder *json, const char *key, const SmbTally *tally);

/** The members of smb_json_tally(), max_degree and cycles. */
void smb_json_costs(JsonBuilder *json, const SmbTally *tally);

/** "totals": a tally for each class of operations; and "async", if there are @copies (nullable). */
void smb_json_totals(JsonBuilder *json, const SmbTally totals[SMB_N_OP_CLASSES],
                     const SmbTally *copies);
