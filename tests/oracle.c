// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rules are transcribed from the measured table of the H200 (data/measured/h200-requests.txt shows
// them) and from the chapters of the CUDA C Programming Guide that data/archs/*.ini cite.
#include "tests/oracle.h"

#include <string.h>

enum {
  MAX_BANKS = 32
};

// What the lanes of a group wait for.
typedef enum {
  WAIT_END,      // end of a table
  WAIT_WORDS,    // C(S): distinct words in a bank
  WAIT_LANES,    // A(S): lanes in a bank
  WAIT_PLACES,   // distinct addresses in a bank
  WAIT_ANNOUNCE, // lanes in a bank, but one word of one bank goes to all its lanes in each step
  WAIT_ROUNDS,   // rounds of a load and a swap, until every lane has swapped
} Wait;

// One line: operations of a family in some widths. Sizes are lanes, times are cycles.
typedef struct {
  Wait wait;
  guint ops;          // bit set of SmbOp
  guint widths;       // bit set, as numbers: 1 | 2 | 4
  guint group;        // lanes of a group
  guint merged_group; // 0: never merged
  guint rounds;       // wavefronts of one pass: 2 for compare-and-swap, 0 where none is counted
  guint pace;         // cycles of a wavefront
  guint least;        // cycles under saturation, at least
  guint merged_least;
} Line;

struct Oracle {
  const char *name;
  guint banks;
  guint bank_bytes;    // successive pieces of this size lie in successive banks
  guint segment_bytes; // pieces of one bank in one aligned segment of this size do not conflict
  Line lines[32];
};

#define LD        (1u << SMB_OP_LD)
#define ST        (1u << SMB_OP_ST)
#define ATOM      (1u << SMB_OP_ATOM)
#define UNIFORM   (1u << SMB_OP_RED_UNIFORM)
#define CAS       (1u << SMB_OP_CAS)
#define LOOP      (1u << SMB_OP_ATOM_LOOP)
#define LD_ANY    (1u << SMB_OP_LD_GENERIC)
#define ST_ANY    (1u << SMB_OP_ST_GENERIC)
#define COPY_CA   (1u << SMB_OP_CP_ASYNC_CA)
#define COPY_CG   (1u << SMB_OP_CP_ASYNC_CG)
#define MATRIX_X1 (1u << SMB_OP_LDMATRIX_X1 | 1u << SMB_OP_STMATRIX_X1)
#define MATRIX_X2 (1u << SMB_OP_LDMATRIX_X2 | 1u << SMB_OP_STMATRIX_X2)
#define MATRIX_X4 (1u << SMB_OP_LDMATRIX_X4 | 1u << SMB_OP_STMATRIX_X4)

#define KEPLER_LINES                                                                               \
  {                                                                                                \
    {WAIT_WORDS, LD | ST, 1 | 2 | 4 | 8, 32, 0, 1, 1, 1, 0},                                       \
        {WAIT_WORDS, LD | ST, 16, 16, 0, 1, 1, 2, 0},                                              \
        {WAIT_LANES, ATOM | UNIFORM | LOOP, 4 | 8, 32, 0, 1, 1, 1, 0},                             \
        {WAIT_LANES, CAS, 4 | 8, 32, 0, 2, 1, 1, 0},                                               \
  }

static const Oracle oracles[] = {
    {"sm_10",
     16,
     4,
     4,
     {
         {WAIT_ANNOUNCE, LD, 1 | 2 | 4, 16, 0, 1, 2, 4, 0},
         {WAIT_ANNOUNCE, LD, 8, 16, 0, 1, 2, 8, 0},
         {WAIT_ANNOUNCE, LD, 16, 16, 0, 1, 2, 16, 0},
         {WAIT_PLACES, ST, 1 | 2 | 4, 16, 0, 1, 2, 4, 0},
         {WAIT_PLACES, ST, 8, 16, 0, 1, 2, 8, 0},
         {WAIT_PLACES, ST, 16, 16, 0, 1, 2, 16, 0},
     }},
    {"sm_20",
     32,
     4,
     4,
     {
         {WAIT_WORDS, LD | ST, 1 | 2 | 4, 32, 0, 1, 2, 2, 0},
         {WAIT_WORDS, LD | ST, 8, 16, 0, 1, 2, 4, 0},
         {WAIT_WORDS, LD | ST, 16, 8, 0, 1, 2, 8, 0},
         {WAIT_LANES, ATOM | UNIFORM | LOOP, 4, 32, 0, 1, 1, 1, 0},
         {WAIT_LANES, ATOM | LOOP, 8, 16, 0, 1, 1, 1, 0},
         {WAIT_LANES, CAS, 4, 32, 0, 2, 1, 1, 0},
         {WAIT_LANES, CAS, 8, 16, 0, 2, 1, 1, 0},
     }},
    {"sm_30_4B", 32, 4, 256, KEPLER_LINES},
    {"sm_30_8B", 32, 8, 8, KEPLER_LINES},
    {"modern",
     32,
     4,
     4,
     {
         {WAIT_WORDS, LD | ST, 1 | 2 | 4, 32, 0, 1, 1, 1, 0},
         {WAIT_WORDS, LD, 8, 16, 32, 1, 1, 2, 1},
         {WAIT_WORDS, LD, 16, 8, 16, 1, 1, 4, 2},
         {WAIT_WORDS, ST, 8, 16, 0, 1, 1, 2, 0},
         {WAIT_WORDS, ST, 16, 8, 0, 1, 1, 4, 0},
         {WAIT_LANES, ATOM, 4, 32, 0, 1, 1, 1, 0},
         {WAIT_LANES, ATOM, 8, 16, 0, 1, 1, 2, 0},
         {WAIT_WORDS, UNIFORM, 4, 32, 0, 1, 1, 1, 0},
         {WAIT_ROUNDS, LOOP, 4, 32, 0, 2, 1, 6, 0},
         {WAIT_ROUNDS, LOOP, 8, 16, 32, 2, 1, 6, 6},
         {WAIT_WORDS, LD_ANY, 1 | 2 | 4, 32, 0, 1, 1, 1, 0},
         {WAIT_WORDS, ST_ANY, 1 | 2 | 4, 32, 0, 1, 1, 2, 0},
         {WAIT_WORDS, LD_ANY, 8, 16, 0, 1, 1, 2, 0},
         {WAIT_WORDS, LD_ANY, 16, 8, 0, 1, 1, 4, 0},
         {WAIT_WORDS, ST_ANY, 8, 16, 0, 1, 1, 3, 0},
         {WAIT_WORDS, ST_ANY, 16, 8, 0, 1, 1, 5, 0},
         {WAIT_LANES, COPY_CA, 4, 32, 0, 1, 1, 2, 0},
         {WAIT_LANES, COPY_CA, 8, 16, 0, 1, 1, 2, 0},
         {WAIT_LANES, COPY_CA, 16, 8, 0, 1, 1, 2, 0},
         {WAIT_LANES, COPY_CG, 16, 8, 0, 0, 1, 1, 0},
         {WAIT_LANES, CAS, 4, 32, 0, 2, 1, 2, 0},
         {WAIT_LANES, CAS, 8, 16, 0, 2, 1, 4, 0},
         {WAIT_WORDS, MATRIX_X1, 16, 8, 0, 1, 1, 1, 0},
         {WAIT_WORDS, MATRIX_X2, 16, 8, 0, 1, 1, 2, 0},
         {WAIT_WORDS, MATRIX_X4, 16, 8, 0, 1, 1, 4, 0},
     }},
};

const Oracle *
oracle_find(const char *arch_name) {
  for (guint i = 0; i < G_N_ELEMENTS(oracles); i++) {
    if (strcmp(oracles[i].name, arch_name) == 0)
      return &oracles[i];
  }
  return &oracles[G_N_ELEMENTS(oracles) - 1];
}

// What one bank is asked for: things (words or addresses), each with the number of lanes that ask.
typedef struct {
  guint n;
  guint lanes;
  guint32 thing[SMB_WARP_LANES];
  guint askers[SMB_WARP_LANES];
} Bank;

static void
ask(Bank *bank, guint32 thing) {
  guint i = 0;
  bank->lanes++;
  while (i < bank->n && bank->thing[i] != thing)
    i++;
  if (i == bank->n) {
    bank->thing[i] = thing;
    bank->askers[i] = 0;
    bank->n++;
  }
  bank->askers[i]++;
}

// Fewest steps: tries every set of words to announce. A set takes at least a step for each of its words,
// and each bank takes a step for each announced word and one for each lane of the other words. A word
// of one lane gains nothing from being announced.
static guint
count_announced(const Bank *banks, guint n_banks) {
  struct {
    guint bank;
    guint saved;
  } shared[SMB_WARP_LANES / 2];
  guint n_shared = 0, fewest = G_MAXUINT;

  for (guint b = 0; b < n_banks; b++) {
    for (guint i = 0; i < banks[b].n; i++) {
      if (banks[b].askers[i] > 1) {
        shared[n_shared].bank = b;
        shared[n_shared++].saved = banks[b].askers[i] - 1;
      }
    }
  }
  for (guint set = 0; set < 1u << n_shared; set++) {
    guint steps = 0, saved[MAX_BANKS] = {0};
    for (guint i = 0; i < n_shared; i++) {
      if (set >> i & 1) {
        steps++;
        saved[shared[i].bank] += shared[i].saved;
      }
    }
    for (guint b = 0; b < n_banks; b++)
      steps = MAX(steps, banks[b].lanes - saved[b]);
    fewest = MIN(fewest, steps);
  }
  return fewest;
}

// Every operation that an architecture has is in its table.
static const Line *
find_line(const Oracle *oracle, const SmbRequest *request) {
  const Line *line = oracle->lines;
  while (!(line->ops >> request->op & 1 && line->widths & request->width)) {
    line++;
    g_assert(line->wait != WAIT_END);
  }
  return line;
}

static gboolean
is_active(const SmbRequest *request, guint lane) {
  guint n_lanes = request->op == SMB_OP_LDMATRIX_X1 || request->op == SMB_OP_STMATRIX_X1   ? 8
                  : request->op == SMB_OP_LDMATRIX_X2 || request->op == SMB_OP_STMATRIX_X2 ? 16
                                                                                           : 32;
  return lane < n_lanes && (request->mask >> lane & 1);
}

// For x = 1 or for x = 2, every active lane whose partner is active has its partner's address.
static gboolean
pairs_agree(const SmbRequest *request) {
  gboolean agree[3] = {FALSE, TRUE, TRUE};
  for (guint x = 1; x <= 2; x++) {
    for (guint lane = 0; lane < 32; lane++) {
      if (is_active(request, lane) && is_active(request, lane ^ x) &&
          request->offset[lane] != request->offset[lane ^ x])
        agree[x] = FALSE;
    }
  }
  return agree[1] || agree[2];
}

// Adds what one lane group costs when each lane asks for @bytes bytes at @skip bytes past its offset.
static void
add_group(const Oracle *oracle, const Line *line, const SmbRequest *request, guint first,
          guint n_lanes, guint skip, guint bytes, SmbWavefronts *sum) {
  Bank banks[MAX_BANKS];
  guint lanes = 0, things = 0;
  for (guint b = 0; b < oracle->banks; b++)
    banks[b].n = banks[b].lanes = 0;
  for (guint lane = first; lane < first + n_lanes; lane++) {
    if (!is_active(request, lane))
      continue;
    guint32 begin = request->offset[lane] + skip;
    for (guint part = 0; part < bytes; part += oracle->bank_bytes) {
      guint32 address = begin + part;
      Bank *bank = &banks[address / oracle->bank_bytes % oracle->banks];
      ask(bank, line->wait == WAIT_PLACES ? address : address / oracle->segment_bytes);
    }
  }
  for (guint b = 0; b < oracle->banks; b++) {
    lanes = MAX(lanes, banks[b].lanes);
    things = MAX(things, banks[b].n);
  }
  guint cost = line->wait == WAIT_LANES      ? lanes
               : line->wait == WAIT_ANNOUNCE ? count_announced(banks, oracle->banks)
                                             : things;
  // What a loop loads costs one wavefront a pass; its swaps are added apart.
  guint rounds = line->wait == WAIT_ROUNDS ? 1 : line->rounds;
  sum->wavefronts += cost * rounds;
  sum->ideal += (lanes != 0) * rounds;
  sum->degree = MAX(sum->degree, things);
}

// Whether @lane shares a bank with a lane below it in its group that is left as well.
static gboolean
is_behind(const Oracle *oracle, const Line *line, const SmbRequest *left, guint lane) {
  for (guint lower = lane / line->group * line->group; lower < lane; lower++) {
    for (guint a = 0; a < left->width && is_active(left, lower); a += oracle->bank_bytes) {
      for (guint b = 0; b < left->width; b += oracle->bank_bytes) {
        if ((left->offset[lower] + a) / oracle->bank_bytes % oracle->banks ==
            (left->offset[lane] + b) / oracle->bank_bytes % oracle->banks)
          return TRUE;
      }
    }
  }
  return FALSE;
}

// Rounds: what is left loads, then each group swaps. The lowest lane of each bank tries; it has swapped,
// and is done, if no lane of an earlier group has swapped the same place since the load.
static SmbWavefronts
count_rounds(const Oracle *oracle, const Line *line, const SmbRequest *request) {
  SmbRequest left = *request;
  SmbWavefronts total = {0};
  for (gboolean first_round = TRUE; left.mask; first_round = FALSE) {
    SmbWavefronts round = {0};
    guint loaders = line->merged_group && pairs_agree(&left) ? line->merged_group : line->group;
    guint32 swapped = 0;
    for (guint first = 0; first < 32; first += loaders)
      add_group(oracle, line, &left, first, loaders, 0, left.width, &round);
    for (guint first = 0; first < 32; first += line->group) {
      guint32 before = swapped, tries = 0;
      for (guint lane = first; lane < first + line->group; lane++) {
        if (!is_active(&left, lane))
          continue;
        tries = line->rounds;
        gboolean stale = FALSE;
        for (guint other = 0; other < first; other++)
          stale |= (before >> other & 1) && left.offset[other] == left.offset[lane];
        if (!is_behind(oracle, line, &left, lane) && !stale)
          swapped |= 1u << lane;
      }
      round.wavefronts += tries;
      round.ideal += tries;
    }
    total.wavefronts += round.wavefronts;
    if (first_round) {
      total.ideal = round.ideal;
      total.degree = round.degree;
    }
    left.mask &= ~swapped;
  }
  return total;
}

SmbWavefronts
oracle_count(const Oracle *oracle, const SmbRequest *request) {
  const Line *line = find_line(oracle, request);
  gboolean merged = line->merged_group && pairs_agree(request);
  guint group = merged ? line->merged_group : line->group;
  guint least = merged ? line->merged_least : line->least;
  // Compute capability 1.x splits a wide request into requests of 32 bits.
  gboolean splits = line->wait == WAIT_PLACES || line->wait == WAIT_ANNOUNCE;
  guint bytes = splits ? MIN(request->width, 4u) : request->width;
  SmbWavefronts sum = {0};

  if (line->wait == WAIT_ROUNDS)
    sum = count_rounds(oracle, line, request);
  for (guint skip = 0; line->wait != WAIT_ROUNDS && skip < request->width; skip += bytes) {
    for (guint first = 0; first < 32; first += group)
      add_group(oracle, line, request, first, group, skip, bytes, &sum);
  }
  sum.excess = sum.wavefronts - sum.ideal;
  if (sum.degree)
    sum.cycles = MAX(sum.wavefronts * line->pace, least);
  return sum;
}
