// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rules once more, slow and obvious: what the counters are checked against. It knows nothing of
// plans, units and virtual banks; it puts the words of each lane group into sets, one for each bank.
#pragma once

#include "sim/base/request.h"
#include "sim/count/wavefront.h"

// What the lanes of a group wait for.
typedef enum {
  WAIT_END,      // end of a table
  WAIT_WORDS,    // C(S): distinct words in a bank
  WAIT_LANES,    // A(S): lanes in a bank
  WAIT_PLACES,   // distinct addresses in a bank
  WAIT_ANNOUNCE, // lanes in a bank, but one word of one bank goes to all its lanes in each step
  WAIT_ROUNDS,   // rounds of a load and a swap, until every lane has swapped
} Wait;

enum {
  ORACLE_MAX_MASKS = 4
};

// Lanes with equal parities under each mask are a group; the first zero ends the masks.
typedef struct {
  guint8 masks[ORACLE_MAX_MASKS + 1];
} Groups;

// One line: operations of a family in some widths. Times are cycles.
typedef struct {
  Wait wait;
  guint ops;    // bit set of SmbOp
  guint widths; // bit set: 1u << width
  Groups groups;
  gboolean merges; // pairs of lanes on one address make the groups below
  Groups merged_groups;
  guint rounds; // wavefronts of one pass: 2 for compare-and-swap, 0 where none is counted
  guint pace;   // cycles of a wavefront
  guint least;  // cycles under saturation, at least
  guint merged_least;
  guint banks;       // 0: those of the architecture
  guint piece;       // bytes of the requests that a wider one is split into; 0: none
  gboolean pays_all; // a group without an active lane costs a pass
} Line;

// What distinguishes the families of architectures.
typedef struct {
  const char *name;
  guint lanes;
  guint banks;
  guint bank_bytes; // successive pieces of this size lie in successive banks
  guint rows;       // rows of all banks that are served together: 1, or 2 for Kepler
  Line lines[SMB_N_OPS * SMB_N_WIDTHS + 1];
} Oracle;

// The rules of an architecture by its name; any that is not older is of the modern family.
const Oracle *oracle_find(const char *arch_name);

// What a request that passed its checks costs.
SmbWavefronts oracle_count(const Oracle *oracle, const SmbRequest *request);

// Fewest steps in which compute capability 1.x reads one 32-bit word for each lane of a half-warp, found
// by trying every choice that each step has. @words: word index of each lane; exponential, so for few.
guint oracle_search_steps(const guint32 *words, guint n_lanes);
