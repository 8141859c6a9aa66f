// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sentences about one request: which lanes conflict in which bank, and over what.
#pragma once

#include "sim/arch/forward.h"
#include "sim/base/request.h"

/** Adds the numbers of the bits that are set: "3", "0-15, 20 and 31". */
void smb_describe_runs(GString *text, guint64 set);

/** Adds "lane 3", "lanes 1 and 16", "lanes 0-15, 20 and 31" or "lanes 0, 2, 4, ..., 30". */
void smb_describe_lanes(GString *text, SmbLanes lanes);

/** smb_describe_extent: Returns: (transfer full): "32", "32x16" or "8x8x4": no more than is needed */
char *smb_describe_extent(const guint extent[3]);

/** smb_describe_file: Returns: (transfer full): the name of a file for a table: of a long one the last folders, after "…/" */
char *smb_describe_file(const char *file);

/**
 * smb_describe_banks:
 * @banks: banks, one at least
 * @n_banks: how many there are
 *
 * Adds "bank 3", "banks 0-15", "the 16 even banks", "all 32 banks" or "banks 0, 4, 8, ..., 28".
 */
void smb_describe_banks(GString *text, SmbLanes banks, guint n_banks);

/**
 * smb_describe_counts_addresses:
 *
 * Returns: whether lanes that access different parts of one word wait for each other, so that it is addresses
 *   that count and not words: stores of less than a word to the first devices
 */
gboolean smb_describe_counts_addresses(const SmbPlan *plan, const SmbRequest *request);

/**
 * smb_describe_turn: Returns: (transfer none): what one pass of a lane group is called: "wavefront"; "pass" where it
 *   takes several wavefronts (compare-and-swap) or none, and of a loop "round"
 */
const char *smb_describe_turn(const SmbPlan *plan);

/** smb_describe_turns: Adds "1 wavefront", "3 passes" or "2 rounds". */
void smb_describe_turns(GString *text, const SmbPlan *plan, guint n);

/**
 * smb_describe_meeting:
 * @text: takes the words
 * @request: a request that passed its checks
 *
 * Adds which lanes conflict in the bank that the request waits for most: "lanes 1 and 16 conflict in bank 1:
 * lane 1 reads byte 132, lane 16 byte …". Without an end of the sentence.
 *
 * Returns: %FALSE, and nothing added, if every bank is done in one pass
 */
gboolean smb_describe_meeting(GString *text, const SmbArch *arch, const SmbRequest *request);
