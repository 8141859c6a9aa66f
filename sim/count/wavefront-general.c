// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts requests by any plan: any lane groups, up to 64 lanes and banks, accesses of 12 bytes. Of each lane group,
// every word that a lane asks for is put into its bank; the words and the lanes of a bank give its passes.
//
// Compute capability 1.x reads in steps: in each, one word is broadcast to all lanes that ask for it, and every other
// bank serves one lane (CUDA C Programming Guide 4.2, F.3.3). Which word is unspecified: what is counted is the
// fewest steps that the procedure permits.
//
// Atomics that are loops: in each round the remaining lanes load and try to swap. The lane groups swap one
// after the other, and of the lanes of a group in one bank the lowest swaps; it succeeds unless a group
// before it changed the same word in this round. What is counted is a warp alone, each of whose swaps
// changes what it swaps: only addresses are known here.
#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

#include <string.h>

// What the lanes of one group ask of one bank: distinct words (or addresses), and how many lanes ask for each.
typedef struct {
  guint n;
  guint lanes;
  guint32 words[SMB_MAX_LANES];
  guint8 shares[SMB_MAX_LANES];
} Bank;

static void
add_word(Bank *bank, guint32 word) {
  guint i = 0;
  while (i < bank->n && bank->words[i] != word)
    i++;
  if (i == bank->n) {
    bank->words[i] = word;
    bank->shares[i] = 0;
    bank->n++;
  }
  bank->shares[i]++;
  bank->lanes++;
}

// Steps that a bank needs when @broadcasts of its words, those with the most lanes, are broadcast.
static guint
steps_after_broadcasts(const Bank *bank, guint broadcasts) {
  guint8 shares[SMB_MAX_LANES];
  guint steps = bank->lanes;
  memcpy(shares, bank->shares, bank->n);
  for (guint i = 0; i < broadcasts; i++) {
    guint best = 0;
    for (guint j = 1; j < bank->n; j++)
      best = shares[j] > shares[best] ? j : best;
    steps -= shares[best] ? (guint)shares[best] - 1 : 0;
    shares[best] = 0;
  }
  return steps;
}

// Fewest steps for one group: as many as broadcasts that keep every bank within that many steps.
static guint
count_steps(const Bank *banks, guint n_banks) {
  for (guint steps = 1;; steps++) {
    guint needed = 0;
    for (guint b = 0; b < n_banks && needed <= steps; b++) {
      guint broadcasts = 0;
      while (broadcasts < banks[b].n && steps_after_broadcasts(&banks[b], broadcasts) > steps)
        broadcasts++;
      needed += steps_after_broadcasts(&banks[b], broadcasts) > steps ? steps + 1 : broadcasts;
    }
    if (needed <= steps)
      return steps;
  }
}

// Puts the words that a lane asks for at @offset into their banks.
static void
deal_words(const SmbPlan *plan, guint32 offset, guint bytes, Bank *banks) {
  guint64 word = plan->bank_bytes;
  for (guint64 at = offset; at < (guint64)offset + bytes; at = (at / word + 1) * word) {
    guint32 row = (guint32)(at >> plan->row_shift);
    add_word(&banks[at / word & (plan->banks - 1u)],
             plan->conflict == SMB_CONFLICT_ADDRESSES ? (guint32)at : row);
  }
}

// Passes of one lane group; the most words of a bank raise @degree.
static guint
count_group(const SmbPlan *plan, const Bank *banks, guint *degree) {
  guint words = 0, lanes = 0;
  for (guint b = 0; b < plan->banks; b++) {
    words = MAX(words, banks[b].n);
    lanes = MAX(lanes, banks[b].lanes);
  }
  *degree = MAX(*degree, words);
  if (plan->conflict == SMB_CONFLICT_LANES)
    return lanes;
  return plan->conflict == SMB_CONFLICT_ONE_BROADCAST ? count_steps(banks, plan->banks) : words;
}

Passes
smb_count_passes_general(const SmbPlan *plan, const SmbRequest *request) {
  SmbLanes active = request->mask & plan->lanes;
  Passes passes = {0, smb_plan_count_groups(plan, active), 0};
  guint bytes = MIN(request->width, plan->unit_bytes);
  Bank banks[SMB_MAX_BANKS];

  for (guint group = 0; group < plan->n_groups && active; group++) {
    SmbLanes lanes = active & plan->groups[group];
    if (!lanes) {
      passes.group_passes += plan->counts_empty;
      continue;
    }
    for (guint b = 0; b < plan->banks; b++)
      banks[b].n = banks[b].lanes = 0;
    for (; lanes; lanes &= lanes - 1)
      deal_words(plan, request->offset[smb_lanes_first(lanes)], bytes, banks);
    passes.group_passes += count_group(plan, banks, &passes.degree);
  }
  return passes;
}

// Copies from global memory, by where their bytes come from (doc/model.md). Through the first-level cache, the lanes of a
// group are served together whose banks differ, those of shared memory as well as those of the source, which has as many:
// lanes that write to one bank, and those that read from one, take turns, also on the same word. What bypasses the cache
// (of 16 bytes) goes line by line, in ways: sectors go to columns of banks of a row, which are as wide. Ways share a
// wavefront that differ in sector and column, and are otherwise alike (Way).
enum {
  LINE_SECTORS = SMB_SOURCE_LINE_BYTES / SMB_SOURCE_SECTOR_BYTES,
  SECTOR_WORDS = SMB_SOURCE_LINE_WORDS / LINE_SECTORS,
  HALF_BYTES = SMB_SOURCE_SECTOR_BYTES / 2,
};

// Turns of a lane group.
typedef struct {
  guint wavefronts;
  guint writes; // most lanes of one bank of shared memory
  guint reads;  // most lanes of one bank of the source
} Turns;

static SmbBanks
find_banks(const SmbPlan *plan, guint32 word, guint width) {
  return smb_lanes_below(MAX(width / 4, 1)) << (word & (plan->banks - 1u));
}

// The most lanes that read from one bank of the source.
static guint
count_reads(const SmbPlan *plan, const SmbRequest *request, SmbLanes lanes) {
  guint8 reads[SMB_MAX_BANKS] = {0};
  guint most = 0;
  for (; lanes; lanes &= lanes - 1) {
    guint source = request->source[smb_lanes_first(lanes)];
    SmbBanks banks = source == SMB_SOURCE_NONE ? 0 : find_banks(plan, source, request->width);
    for (; banks; banks &= banks - 1) {
      guint bank = smb_lanes_first(banks);
      reads[bank]++;
      most = MAX(most, reads[bank]);
    }
  }
  return most;
}

// In each turn each bank of shared memory is written to by the lowest of its lanes; the banks of the source are read one
// lane after the other, beside the turns that follow: no group took more than all of both but one. Lanes that write zeros read
// none.
static Turns
count_turns(const SmbPlan *plan, const SmbRequest *request, SmbLanes lanes) {
  Turns turns = {.reads = count_reads(plan, request, lanes)};
  while (lanes) {
    SmbBanks used = 0;
    SmbLanes now = 0;
    for (SmbLanes left = lanes; left; left &= left - 1) {
      guint lane = smb_lanes_first(left);
      SmbBanks banks = find_banks(plan, request->offset[lane] / 4, request->width);
      if (used & banks)
        continue;
      used |= banks;
      now |= (SmbLanes)1 << lane;
    }
    turns.wavefronts += MAX(count_reads(plan, request, now), 1);
    turns.writes++;
    lanes &= ~now;
  }
  if (turns.reads > 0 && turns.writes > 0)
    turns.wavefronts = MIN(turns.wavefronts, turns.reads + turns.writes - 1);
  return turns;
}

// Bytes of one sector that go to one column of one row of shared memory.
typedef struct {
  guint32 row;
  guint8 sector;
  guint8 column;
  guint8 halves;   // of the column that are written, as bits
  gboolean turned; // the halves of the sector become each other's in the column
} Way;

// Sectors that are half a line apart and columns that are half a row apart go together.
static gboolean
shares_pass(const Way *a, const Way *b) {
  return a->row == b->row && a->turned == b->turned && a->halves == b->halves &&
         ((a->sector ^ a->column ^ b->sector ^ b->column) & 1) == 0;
}

// Zeros go as if they came from a sector that suits their column.
static Way
find_way(const SmbRequest *request, guint lane) {
  guint to = request->offset[lane] / HALF_BYTES, source = request->source[lane];
  guint from = source == SMB_SOURCE_NONE ? to : source * 4u / HALF_BYTES;
  return (Way){.row = request->offset[lane] / SMB_SOURCE_LINE_BYTES,
               .sector = from / 2 % LINE_SECTORS,
               .column = to / 2 % LINE_SECTORS,
               .halves = (guint8)(1 << to % 2),
               .turned = (from ^ to) & 1};
}

// The ways of a line's lanes. Returns how many.
static guint
find_ways(const SmbRequest *request, SmbLanes lanes, Way *ways) {
  guint n = 0;
  for (; lanes; lanes &= lanes - 1) {
    Way way = find_way(request, smb_lanes_first(lanes));
    guint i = 0;
    while (i < n && (ways[i].row != way.row || ways[i].turned != way.turned ||
                     ways[i].sector != way.sector || ways[i].column != way.column))
      i++;
    if (i == n)
      ways[n++] = way;
    ways[i].halves |= way.halves;
  }
  return n;
}

// The ways that are alike take as many wavefronts as the most of them leave one sector or come to one column.
static guint
count_pieces(const SmbRequest *request, SmbLanes lanes) {
  Way ways[SMB_MAX_LANES];
  guint pieces = 0;
  for (guint n = find_ways(request, lanes, ways), left = 0; n > 0; n = left) {
    guint of_sector[LINE_SECTORS] = {0}, of_column[LINE_SECTORS] = {0}, most = 0;
    Way first = ways[0];
    left = 0;
    for (guint i = 0; i < n; i++) {
      Way way = ways[i];
      if (!shares_pass(&first, &way)) {
        ways[left++] = way;
        continue;
      }
      of_sector[way.sector]++;
      of_column[way.column]++;
      most = MAX(most, MAX(of_sector[way.sector], of_column[way.column]));
    }
    pieces += most;
  }
  return pieces;
}

// Of the lanes that copy to one place the lowest one does.
static SmbLanes
find_writers(const SmbRequest *request, SmbLanes lanes) {
  SmbLanes writers = lanes;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    for (SmbLanes rest = writers & lanes & (lanes - 1); rest; rest &= rest - 1) {
      guint other = smb_lanes_first(rest);
      if (request->offset[other] == request->offset[lane])
        writers &= ~((SmbLanes)1 << other);
    }
  }
  return writers;
}

// The lanes that read the line of the lowest of @lanes.
static SmbLanes
find_line(const SmbRequest *request, SmbLanes lanes) {
  guint line = request->source[smb_lanes_first(lanes)] / SMB_SOURCE_LINE_WORDS;
  SmbLanes same = 0;
  for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    same |= (SmbLanes)(request->source[lane] / SMB_SOURCE_LINE_WORDS == line) << lane;
  }
  return same;
}

static void
count_lines(const SmbRequest *request, SmbWavefronts *result) {
  for (SmbLanes left = find_writers(request, request->mask); left;) {
    SmbLanes lanes = find_line(request, left);
    result->wavefronts += count_pieces(request, lanes);
    left &= ~lanes;
  }
}

static SmbWavefronts
count_copy(const SmbPlan *plan, const SmbRequest *request) {
  SmbWavefronts result = {0};
  SmbRequest active = *request;
  active.mask &= plan->lanes;
  guint bytes = (guint)__builtin_popcountll(active.mask) * request->width;
  // Where all lanes write zeros, shared memory is all that counts; some count as lanes of one more line.
  gboolean by_lines =
      request->op == SMB_OP_CP_ASYNC_CG && smb_request_zeros(&active) != active.mask;
  if (by_lines)
    count_lines(&active, &result);
  for (guint group = 0; group < plan->n_groups; group++) {
    Turns turns = count_turns(plan, request, active.mask & plan->groups[group]);
    result.wavefronts += by_lines ? 0 : turns.wavefronts;
    result.degree = MAX(result.degree, turns.writes);
  }
  result.ideal = (bytes + SMB_SOURCE_LINE_BYTES - 1) / SMB_SOURCE_LINE_BYTES;
  result.ideal = MIN(result.ideal, result.wavefronts);
  result.excess = result.wavefronts - result.ideal;
  result.cycles =
      result.wavefronts ? MAX(result.wavefronts * plan->cycles, (guint32)plan->floor) : 0;
  return result;
}

// Where several lanes copy the same bytes to several places, a device took more wavefronts in 10 of 83 requests.
static SmbCopyDoubt
doubt_lines(const SmbPlan *plan, const SmbRequest *request) {
  SmbLanes zeros = smb_request_zeros(request);
  if (zeros)
    return zeros == request->mask ? SMB_COPY_CERTAIN : SMB_COPY_ZEROS;
  for (SmbLanes writers = find_writers(request, request->mask & plan->lanes); writers;
       writers &= writers - 1) {
    guint lane = smb_lanes_first(writers);
    for (SmbLanes rest = writers & (writers - 1); rest; rest &= rest - 1) {
      if (request->source[smb_lanes_first(rest)] == request->source[lane])
        return SMB_COPY_SHARED;
    }
  }
  return SMB_COPY_CERTAIN;
}

SmbCopyDoubt
smb_wavefronts_copy_doubt(const SmbArch *arch, const SmbRequest *request) {
  const SmbPlan *plan = &smb_arch_rule(arch, (SmbOp)request->op, request->width)->plan;
  if (!request->has_source || !plan->source_lines)
    return SMB_COPY_NO_SOURCE;
  if (request->op == SMB_OP_CP_ASYNC_CG)
    return doubt_lines(plan, request);
  SmbCopyDoubt doubt = SMB_COPY_CERTAIN;
  for (guint group = 0; group < plan->n_groups; group++) {
    Turns turns = count_turns(plan, request, request->mask & plan->groups[group]);
    doubt |= turns.writes > 1 && turns.reads > 1 ? SMB_COPY_BOTH : SMB_COPY_CERTAIN;
  }
  return doubt;
}

// One round's swaps. Returns the lanes of @left that succeed.
static SmbLanes
swap_round(const SmbPlan *plan, const SmbRequest *request, SmbLanes left) {
  guint32 changed[SMB_MAX_LANES]; // offsets that were swapped in this round
  guint n_changed = 0;
  SmbLanes done = 0;
  for (guint group = 0; group < plan->n_groups; group++) {
    SmbBanks taken = 0; // units of the banks
    guint n_before = n_changed;
    for (SmbLanes rest = left & plan->groups[group]; rest; rest &= rest - 1) {
      guint lane = smb_lanes_first(rest);
      guint32 offset = request->offset[lane];
      guint bank = offset >> plan->unit_shift & ((1u << plan->bank_bits) - 1);
      if (taken >> bank & 1)
        continue;
      taken |= (SmbBanks)1 << bank;
      gboolean stale = FALSE;
      for (guint i = 0; i < n_before; i++)
        stale |= changed[i] == offset;
      if (stale)
        continue;
      changed[n_changed++] = offset;
      done |= (SmbLanes)1 << lane;
    }
  }
  return done;
}

static Passes
count_passes(const SmbPlan *plan, const SmbRequest *request) {
  return plan->narrow ? smb_count_passes_narrow(plan, request)
                      : smb_count_passes_general(plan, request);
}

// All rounds of a request; @passes: of the load of the first round.
static SmbLoop
run_loop(const SmbRule *rule, const SmbRequest *request, Passes *passes) {
  SmbLoop loop = {0};
  SmbRequest left = *request;
  left.mask &= rule->plan.lanes;
  *passes = (Passes){0, 0, 0};
  for (; left.mask; loop.rounds++) {
    gboolean merged = rule->merges && smb_request_mergeable(&left);
    Passes load = count_passes(merged ? &rule->merged : &rule->plan, &left);
    if (loop.rounds == 0)
      *passes = load;
    loop.load_wavefronts += load.group_passes;
    loop.swap_wavefronts += rule->plan.passes * smb_plan_count_groups(&rule->plan, left.mask);
    SmbLanes done = swap_round(&rule->plan, &left, left.mask);
    left.mask &= ~done;
    for (; done; done &= done - 1)
      loop.round[smb_lanes_first(done)] = (guint8)loop.rounds;
  }
  return loop;
}

static SmbWavefronts
count_loop(const SmbRule *rule, const SmbRequest *request) {
  const SmbPlan *plan = &rule->plan;
  Passes passes;
  SmbLoop loop = run_loop(rule, request, &passes);
  guint groups = smb_plan_count_groups(plan, request->mask & plan->lanes);
  SmbWavefronts result;
  result.wavefronts = loop.load_wavefronts + loop.swap_wavefronts;
  result.ideal = passes.groups + groups * plan->passes;
  result.excess = result.wavefronts - result.ideal;
  result.degree = passes.degree;
  result.cycles = groups == 0 ? 0 : MAX(result.wavefronts * plan->cycles, (guint32)plan->floor);
  return result;
}

SmbWavefronts
smb_count_general(const SmbRule *rule, const SmbRequest *request) {
  if (rule->plan.conflict == SMB_CONFLICT_LOOP)
    return count_loop(rule, request);
  if (rule->plan.source_lines && request->has_source)
    return count_copy(&rule->plan, request);
  gboolean merges = rule->merges && smb_request_mergeable(request);
  const SmbPlan *plan = merges ? &rule->merged : &rule->plan;
  return finish_count(plan, smb_count_passes_general(plan, request));
}

SmbLoop
smb_wavefronts_loop(const SmbArch *arch, const SmbRequest *request) {
  const SmbRule *rule = smb_arch_rule(arch, (SmbOp)request->op, request->width);
  Passes passes;
  if (rule->plan.conflict != SMB_CONFLICT_LOOP)
    return (SmbLoop){0};
  return run_loop(rule, request, &passes);
}
