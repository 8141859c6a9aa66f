// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rules are transcribed from the measured table of the H200 (data/measured/h200-requests.txt shows
// them) and from the chapters of the CUDA C Programming Guide that data/archs/nvidia/*.ini cite.
#include "sim/arch/rule.h"
#include "tests/oracle.h"

#include <string.h>

#define WARP                                                                                       \
  {                                                                                                \
    { 0 }                                                                                          \
  }
#define HALF                                                                                       \
  {                                                                                                \
    { 0x10 }                                                                                       \
  }
#define QUARTER                                                                                    \
  {                                                                                                \
    { 0x10, 0x08 }                                                                                 \
  }

#define SMALL (1u << 1 | 1u << 2 | 1u << 4)
#define B4    (1u << 4)
#define B8    (1u << 8)
#define B16   (1u << 16)

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
#define LD_CONST  (1u << SMB_OP_LD_CONST)
#define MATRIX_X1 (1u << SMB_OP_LDMATRIX_X1 | 1u << SMB_OP_STMATRIX_X1)
#define MATRIX_X2 (1u << SMB_OP_LDMATRIX_X2 | 1u << SMB_OP_STMATRIX_X2)
#define MATRIX_X4 (1u << SMB_OP_LDMATRIX_X4 | 1u << SMB_OP_STMATRIX_X4)

#define KEPLER_LINES                                                                               \
  {                                                                                                \
    {WAIT_WORDS, LD | ST, SMALL | B8, WARP, FALSE, WARP, 1, 1, 1, 0},                              \
        {WAIT_WORDS, LD | ST, B16, HALF, FALSE, WARP, 1, 1, 2, 0},                                 \
        {WAIT_LANES, ATOM | UNIFORM | LOOP, B4 | B8, WARP, FALSE, WARP, 1, 1, 1, 0},               \
        {WAIT_LANES, CAS, B4 | B8, WARP, FALSE, WARP, 2, 1, 1, 0},                                 \
  }

// AMD (doc/model.md): words in a bank, one cycle each; a phase costs a cycle also where no lane is active.
#define B12 (1u << 12)
#define PHASES(ops, widths, banks, ...)                                                            \
  { WAIT_WORDS, ops, widths, __VA_ARGS__, FALSE, WARP, 1, 1, 1, 0, banks, 0, TRUE }
#define MASKS(...)                                                                                 \
  {                                                                                                \
    { __VA_ARGS__ }                                                                                \
  }
#define WAVE64_HALF    MASKS(0x20)
#define WAVE64_QUARTER MASKS(0x20, 0x10)
#define WAVE64_EIGHTH  MASKS(0x20, 0x10, 0x08)
#define CDNA3_LINES                                                                                \
  {                                                                                                \
    PHASES(LD | ST | ATOM | CAS, SMALL, 0, WAVE64_HALF),                                           \
        PHASES(LD | ST | ATOM | CAS, B8, 0, WAVE64_QUARTER),                                       \
        PHASES(LD, B12 | B16, 0, MASKS(0x20, 0x08, 0x14)),                                         \
        PHASES(ST, B12 | B16, 0, WAVE64_EIGHTH),                                                   \
  }
#define RDNA_LINES(wide)                                                                           \
  {                                                                                                \
    PHASES(LD | ST | ATOM | CAS, SMALL, 0, WARP), PHASES(LD | ST | ATOM | CAS, B8, 0, HALF),       \
        PHASES(LD, B12 | B16, 0, wide), PHASES(ST, B12 | B16, 0, QUARTER),                         \
  }
#define RDNA_WAVE64_LINES(wide)                                                                    \
  {                                                                                                \
    PHASES(LD | ST | ATOM | CAS, SMALL, 0, WAVE64_HALF),                                           \
        PHASES(LD | ST | ATOM | CAS, B8, 0, WAVE64_QUARTER), PHASES(LD, B12 | B16, 0, wide),       \
        PHASES(ST, B12 | B16, 0, WAVE64_EIGHTH),                                                   \
  }

static const Oracle oracles[] = {
    {"gfx90a", 64, 32, 4, 1, CDNA3_LINES},
    {"gfx942", 64, 32, 4, 1, CDNA3_LINES},
    {"gfx950",
     64,
     64,
     4,
     1,
     {
         PHASES(LD, SMALL, 0, WARP),
         PHASES(LD, B8, 0, WAVE64_HALF),
         PHASES(LD, B12, 32, MASKS(0x20, 0x08, 0x14)),
         PHASES(LD, B16, 0, MASKS(0x20, 0x1c)),
         PHASES(ST | ATOM | CAS, SMALL, 32, WAVE64_HALF),
         PHASES(ST | ATOM | CAS, B8, 32, WAVE64_QUARTER),
         PHASES(ST, B12 | B16, 32, WAVE64_EIGHTH),
     }},
    {"gfx1100", 32, 32, 4, 1, RDNA_LINES(MASKS(0x08, 0x14))},
    {"gfx1100_wave64", 64, 32, 4, 1, RDNA_WAVE64_LINES(MASKS(0x20, 0x08, 0x14))},
    {"gfx1201", 32, 32, 4, 1, RDNA_LINES(QUARTER)},
    {"gfx1201_wave64", 64, 32, 4, 1, RDNA_WAVE64_LINES(WAVE64_EIGHTH)},
    {"sm_10",
     32,
     16,
     4,
     1,
     {
         {WAIT_ANNOUNCE, LD, SMALL, HALF, FALSE, WARP, 1, 2, 4, 0},
         {WAIT_ANNOUNCE, LD, B8, HALF, FALSE, WARP, 1, 2, 8, 0, 0, 4},
         {WAIT_ANNOUNCE, LD, B16, HALF, FALSE, WARP, 1, 2, 16, 0, 0, 4},
         {WAIT_PLACES, ST, SMALL, HALF, FALSE, WARP, 1, 2, 4, 0},
         {WAIT_PLACES, ST, B8, HALF, FALSE, WARP, 1, 2, 8, 0, 0, 4},
         {WAIT_PLACES, ST, B16, HALF, FALSE, WARP, 1, 2, 16, 0, 0, 4},
     }},
    {"sm_20",
     32,
     32,
     4,
     1,
     {
         {WAIT_WORDS, LD | ST, SMALL, WARP, FALSE, WARP, 1, 2, 2, 0},
         {WAIT_WORDS, LD | ST, B8, HALF, FALSE, WARP, 1, 2, 4, 0},
         {WAIT_WORDS, LD | ST, B16, QUARTER, FALSE, WARP, 1, 2, 8, 0},
         {WAIT_LANES, ATOM | UNIFORM | LOOP, B4, WARP, FALSE, WARP, 1, 1, 1, 0},
         {WAIT_LANES, ATOM | LOOP, B8, HALF, FALSE, WARP, 1, 1, 1, 0},
         {WAIT_LANES, CAS, B4, WARP, FALSE, WARP, 2, 1, 1, 0},
         {WAIT_LANES, CAS, B8, HALF, FALSE, WARP, 2, 1, 1, 0},
     }},
    {"sm_30_4B", 32, 32, 4, 2, KEPLER_LINES},
    {"sm_30_8B", 32, 32, 8, 1, KEPLER_LINES},
    {"modern",
     32,
     32,
     4,
     1,
     {
         {WAIT_WORDS, LD | ST, SMALL, WARP, FALSE, WARP, 1, 1, 1, 0},
         {WAIT_WORDS, LD, B8, HALF, TRUE, WARP, 1, 1, 2, 1},
         {WAIT_WORDS, LD, B16, QUARTER, TRUE, HALF, 1, 1, 4, 2},
         {WAIT_WORDS, ST, B8, HALF, FALSE, WARP, 1, 1, 2, 0},
         {WAIT_WORDS, ST, B16, QUARTER, FALSE, WARP, 1, 1, 4, 0},
         {WAIT_LANES, ATOM, B4, WARP, FALSE, WARP, 1, 1, 1, 0},
         {WAIT_LANES, ATOM, B8, HALF, FALSE, WARP, 1, 1, 2, 0},
         {WAIT_WORDS, UNIFORM, B4, WARP, FALSE, WARP, 1, 1, 1, 0},
         {WAIT_ROUNDS, LOOP, B4, WARP, FALSE, WARP, 2, 1, 6, 0},
         {WAIT_ROUNDS, LOOP, B8, HALF, TRUE, WARP, 2, 1, 6, 6},
         {WAIT_WORDS, LD_ANY, SMALL, WARP, FALSE, WARP, 1, 1, 1, 0},
         {WAIT_WORDS, ST_ANY, SMALL, WARP, FALSE, WARP, 1, 1, 2, 0},
         {WAIT_WORDS, LD_ANY, B8, HALF, FALSE, WARP, 1, 1, 2, 0},
         {WAIT_WORDS, LD_ANY, B16, QUARTER, FALSE, WARP, 1, 1, 4, 0},
         {WAIT_WORDS, ST_ANY, B8, HALF, FALSE, WARP, 1, 1, 3, 0},
         {WAIT_WORDS, ST_ANY, B16, QUARTER, FALSE, WARP, 1, 1, 5, 0},
         {WAIT_LANES, COPY_CA, B4, WARP, FALSE, WARP, 1, 1, 2, 0},
         {WAIT_LANES, COPY_CA, B8, HALF, FALSE, WARP, 1, 1, 2, 0},
         {WAIT_LANES, COPY_CA, B16, QUARTER, FALSE, WARP, 1, 1, 2, 0},
         {WAIT_LANES, COPY_CG, B16, QUARTER, FALSE, WARP, 0, 1, 1, 0},
         {WAIT_LANES, CAS, B4, WARP, FALSE, WARP, 2, 1, 2, 0},
         {WAIT_LANES, CAS, B8, HALF, FALSE, WARP, 2, 1, 4, 0},
         {WAIT_PLACES, LD_CONST, SMALL & ~B4, WARP, FALSE, WARP, 1, 2, 2, 0, 1},
         {WAIT_WORDS, LD_CONST, B4, WARP, FALSE, WARP, 1, 2, 2, 0, 1},
         {WAIT_WORDS, LD_CONST, B8, WARP, FALSE, WARP, 1, 2, 2, 0, 2},
         {WAIT_WORDS, MATRIX_X1, B16, QUARTER, FALSE, WARP, 1, 1, 1, 0},
         {WAIT_WORDS, MATRIX_X2, B16, QUARTER, FALSE, WARP, 1, 1, 2, 0},
         {WAIT_WORDS, MATRIX_X4, B16, QUARTER, FALSE, WARP, 1, 1, 4, 0},
     }},
};

// Architectures that have the rules of "modern": each is named, so that a new one is not taken for one of these.
static const char *const modern[] = {
    "sm_50", "sm_52", "sm_53", "sm_60", "sm_61",  "sm_62",  "sm_70",  "sm_72",  "sm_75",  "sm_80",
    "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121", NULL};

const Oracle *
oracle_find(const char *arch_name) {
  const char *name = g_strv_contains(modern, arch_name) ? "modern" : arch_name;
  for (guint i = 0; i < G_N_ELEMENTS(oracles); i++) {
    if (strcmp(oracles[i].name, name) == 0)
      return &oracles[i];
  }
  g_error("no oracle knows the rules of '%s': write them (tests/oracle.c)", arch_name);
}

// What one bank is asked for: things (words or addresses), each with the number of lanes that ask.
typedef struct {
  guint n;
  guint lanes;
  guint64 thing[SMB_MAX_LANES];
  guint askers[SMB_MAX_LANES];
} Bank;

static void
ask(Bank *bank, guint64 thing) {
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
  } shared[SMB_MAX_LANES / 2];
  guint n_shared = 0, fewest = G_MAXUINT;

  for (guint b = 0; b < n_banks; b++) {
    for (guint i = 0; i < banks[b].n; i++) {
      if (banks[b].askers[i] > 1) {
        shared[n_shared].bank = b;
        shared[n_shared++].saved = banks[b].askers[i] - 1;
      }
    }
  }
  for (guint64 set = 0; set < (guint64)1 << n_shared; set++) {
    guint steps = 0, saved[SMB_MAX_BANKS] = {0};
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
  while (!(line->ops >> request->op & 1 && line->widths >> request->width & 1)) {
    line++;
    g_assert(line->wait != WAIT_END);
  }
  return line;
}

static gboolean
is_active(const SmbRequest *request, guint lane) {
  guint n_lanes = request->op == SMB_OP_LDMATRIX_X1 || request->op == SMB_OP_STMATRIX_X1   ? 8
                  : request->op == SMB_OP_LDMATRIX_X2 || request->op == SMB_OP_STMATRIX_X2 ? 16
                  : request->op == SMB_OP_LDMATRIX_X4 || request->op == SMB_OP_STMATRIX_X4 ? 32
                                                                                           : 64;
  return lane < n_lanes && (request->mask >> lane & 1);
}

// For x = 1 or for x = 2, every active lane whose partner is active has its partner's address.
static gboolean
pairs_agree(const SmbRequest *request) {
  gboolean agree[3] = {FALSE, TRUE, TRUE};
  for (guint x = 1; x <= 2; x++) {
    for (guint lane = 0; lane < 64; lane++) {
      if (is_active(request, lane) && is_active(request, lane ^ x) &&
          request->offset[lane] != request->offset[lane ^ x])
        agree[x] = FALSE;
    }
  }
  return agree[1] || agree[2];
}

static gboolean
are_odd(guint bits) {
  gboolean odd = FALSE;
  for (; bits; bits >>= 1)
    odd ^= bits & 1;
  return odd;
}

static gboolean
same_group(const Groups *groups, guint a, guint b) {
  for (guint i = 0; groups->masks[i]; i++) {
    if (are_odd(a & groups->masks[i]) != are_odd(b & groups->masks[i]))
      return FALSE;
  }
  return TRUE;
}

// Whether a lane is the lowest of its group: each group is gone through once, from there.
static gboolean
begins_group(const Groups *groups, guint lane) {
  for (guint lower = 0; lower < lane; lower++) {
    if (same_group(groups, lower, lane))
      return FALSE;
  }
  return TRUE;
}

static guint
count_banks(const Oracle *oracle, const Line *line) {
  return line->banks ? line->banks : oracle->banks;
}

// The banks of the bytes from @begin on; TRUE for each that is touched.
static void
find_banks(const Oracle *oracle, const Line *line, guint64 begin, guint bytes, gboolean *touched) {
  for (guint b = 0; b < SMB_MAX_BANKS; b++)
    touched[b] = FALSE;
  for (guint64 byte = begin; byte < begin + bytes; byte++)
    touched[byte / oracle->bank_bytes % count_banks(oracle, line)] = TRUE;
}

// Adds what the lane group of @first costs when each lane asks for @bytes bytes at @skip bytes past its offset.
static void
add_group(const Oracle *oracle, const Line *line, const SmbRequest *request, const Groups *groups,
          guint first, guint skip, guint bytes, SmbWavefronts *sum) {
  Bank banks[SMB_MAX_BANKS];
  guint n_banks = count_banks(oracle, line), lanes = 0, things = 0;
  for (guint b = 0; b < n_banks; b++)
    banks[b].n = banks[b].lanes = 0;
  for (guint lane = first; lane < oracle->lanes; lane++) {
    if (!is_active(request, lane) || !same_group(groups, first, lane))
      continue;
    guint64 begin = (guint64)request->offset[lane] + skip;
    guint64 last_word = G_MAXUINT64;
    for (guint64 byte = begin; byte < begin + bytes; byte++) {
      guint64 word = byte / oracle->bank_bytes;
      guint64 row = byte / (n_banks * oracle->bank_bytes * oracle->rows);
      if (word != last_word)
        ask(&banks[word % n_banks], line->wait == WAIT_PLACES ? byte : row);
      last_word = word;
    }
  }
  for (guint b = 0; b < n_banks; b++) {
    lanes = MAX(lanes, banks[b].lanes);
    things = MAX(things, banks[b].n);
  }
  guint cost = line->wait == WAIT_LANES      ? lanes
               : line->wait == WAIT_ANNOUNCE ? count_announced(banks, n_banks)
                                             : things;
  // What a loop loads costs one wavefront a pass; its swaps are added apart.
  guint rounds = line->wait == WAIT_ROUNDS ? 1 : line->rounds;
  gboolean pays = lanes != 0 || line->pays_all;
  sum->wavefronts += MAX(cost, (guint)pays) * rounds;
  sum->ideal += (guint)pays * rounds;
  sum->degree = MAX(sum->degree, things);
}

// Whether @lane shares a bank with a lane below it in its group that is left as well.
static gboolean
is_behind(const Oracle *oracle, const Line *line, const SmbRequest *left, guint lane) {
  gboolean mine[SMB_MAX_BANKS], others[SMB_MAX_BANKS];
  find_banks(oracle, line, left->offset[lane], left->width, mine);
  for (guint lower = 0; lower < lane; lower++) {
    if (!is_active(left, lower) || !same_group(&line->groups, lower, lane))
      continue;
    find_banks(oracle, line, left->offset[lower], left->width, others);
    for (guint b = 0; b < SMB_MAX_BANKS; b++) {
      if (mine[b] && others[b])
        return TRUE;
    }
  }
  return FALSE;
}

// Rounds: what is left loads, then each group swaps, the one with the lowest lane first. The lowest lane of each
// bank tries; it has swapped, and is done, if no lane of an earlier group has swapped the same place since the load.
static SmbWavefronts
count_rounds(const Oracle *oracle, const Line *line, const SmbRequest *request) {
  SmbRequest left = *request;
  SmbWavefronts total = {0};
  for (gboolean first_round = TRUE; left.mask; first_round = FALSE) {
    SmbWavefronts round = {0};
    const Groups *loaders =
        line->merges && pairs_agree(&left) ? &line->merged_groups : &line->groups;
    SmbLanes swapped = 0;
    for (guint first = 0; first < oracle->lanes; first++) {
      if (begins_group(loaders, first))
        add_group(oracle, line, &left, loaders, first, 0, left.width, &round);
    }
    for (guint first = 0; first < oracle->lanes; first++) {
      SmbLanes before = swapped;
      guint tries = 0;
      if (!begins_group(&line->groups, first))
        continue;
      for (guint lane = first; lane < oracle->lanes; lane++) {
        if (!is_active(&left, lane) || !same_group(&line->groups, first, lane))
          continue;
        tries = line->rounds;
        gboolean stale = FALSE;
        for (guint other = 0; other < oracle->lanes; other++)
          stale |= (before >> other & 1) && left.offset[other] == left.offset[lane];
        if (!is_behind(oracle, line, &left, lane) && !stale)
          swapped |= (SmbLanes)1 << lane;
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
  gboolean merged = line->merges && pairs_agree(request), any = FALSE;
  const Groups *groups = merged ? &line->merged_groups : &line->groups;
  guint least = merged ? line->merged_least : line->least;
  // Compute capability 1.x splits a wide request into requests of 32 bits.
  guint bytes = line->piece ? MIN(request->width, line->piece) : request->width;
  SmbWavefronts sum = {0};

  for (guint lane = 0; lane < oracle->lanes; lane++)
    any |= is_active(request, lane);
  if (!any)
    return sum;
  if (line->wait == WAIT_ROUNDS)
    sum = count_rounds(oracle, line, request);
  for (guint skip = 0; line->wait != WAIT_ROUNDS && skip < request->width; skip += bytes) {
    for (guint first = 0; first < oracle->lanes; first++) {
      if (begins_group(groups, first))
        add_group(oracle, line, request, groups, first, skip, bytes, &sum);
    }
  }
  sum.excess = sum.wavefronts - sum.ideal;
  sum.cycles = MAX(sum.wavefronts * line->pace, least);
  return sum;
}
