// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rules once more, slow and obvious: what the counters are checked against. It knows nothing of
// plans, units and virtual banks; it puts the words of each lane group into sets, one for each bank.
#pragma once

#include "sim/request.h"
#include "sim/wavefront.h"

// What distinguishes the families of architectures.
typedef struct Oracle Oracle;

// The rules of an architecture by its name; any that is not older is of the modern family.
const Oracle *oracle_find(const char *arch_name);

// What a request that passed its checks costs.
SmbWavefronts oracle_count(const Oracle *oracle, const SmbRequest *request);

// Fewest steps in which compute capability 1.x reads one 32-bit word for each lane of a half-warp, found
// by trying every choice that each step has. @words: word index of each lane; exponential, so for few.
guint oracle_search_steps(const guint32 *words, guint n_lanes);
