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
// (of 16 bytes) goes line by line, and of these by rows of shared memory, halves of sectors that become the other half of
// a column of banks, as wide as a sector, apart from those that stay; of these, a sector goes to one column at a time.
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
    SmbBanks banks = find_banks(plan, request->source[smb_lanes_first(lanes)], request->width);
    for (; banks; banks &= banks - 1) {
      guint bank = smb_lanes_first(banks);
      reads[bank]++;
      most = MAX(most, reads[bank]);
    }
  }
  return most;
}

// In each turn each bank of shared memory is written to by the lowest of its lanes; the banks of the source are read one
// lane after the other.
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
    turns.wavefronts += count_reads(plan, request, now);
    turns.writes++;
    lanes &= ~now;
  }
  return turns;
}

// Sectors of one line, as bits, by the column that they go to, and the other way around.
typedef struct {
  guint of_column[LINE_SECTORS];
  guint of_sector[LINE_SECTORS];
} Feed;

static guint
find_column(const SmbRequest *request, guint lane) {
  return request->offset[lane] / SMB_SOURCE_SECTOR_BYTES % LINE_SECTORS;
}

static guint
find_sector(const SmbRequest *request, guint lane) {
  return request->source[lane] / SECTOR_WORDS % LINE_SECTORS;
}

static void
add_feed(Feed *feed, const SmbRequest *request, guint lane) {
  feed->of_column[find_column(request, lane)] |= 1u << find_sector(request, lane);
  feed->of_sector[find_sector(request, lane)] |= 1u << find_column(request, lane);
}

static guint
find_most(const guint *sets) {
  guint most = 0;
  for (guint i = 0; i < LINE_SECTORS; i++)
    most = MAX(most, (guint)__builtin_popcount(sets[i]));
  return most;
}

// Which row of shared memory a lane writes, and whether the half of its sector becomes the other half of a column.
static guint32
find_target(const SmbRequest *request, guint lane) {
  guint half = request->source[lane] % SECTOR_WORDS * 4 / HALF_BYTES;
  guint32 offset = request->offset[lane];
  return offset / SMB_SOURCE_LINE_BYTES * 2 + ((offset / HALF_BYTES ^ half) & 1);
}

static guint
count_pieces(const SmbRequest *request, SmbLanes lanes) {
  guint pieces = 0;
  while (lanes) {
    guint32 target = find_target(request, smb_lanes_first(lanes));
    Feed feed = {{0}, {0}};
    for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
      guint lane = smb_lanes_first(rest);
      if (find_target(request, lane) != target)
        continue;
      add_feed(&feed, request, lane);
      lanes &= ~((SmbLanes)1 << lane);
    }
    pieces += MAX(find_most(feed.of_column), find_most(feed.of_sector));
  }
  return pieces;
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
  for (SmbLanes left = request->mask; left;) {
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
  if (request->op == SMB_OP_CP_ASYNC_CG)
    count_lines(&active, &result);
  for (guint group = 0; group < plan->n_groups; group++) {
    Turns turns = count_turns(plan, request, active.mask & plan->groups[group]);
    result.wavefronts += request->op == SMB_OP_CP_ASYNC_CG ? 0 : turns.wavefronts;
    result.degree = MAX(result.degree, turns.writes);
  }
  result.ideal = (bytes + SMB_SOURCE_LINE_BYTES - 1) / SMB_SOURCE_LINE_BYTES;
  result.ideal = MIN(result.ideal, result.wavefronts);
  result.excess = result.wavefronts - result.ideal;
  result.cycles =
      result.wavefronts ? MAX(result.wavefronts * plan->cycles, (guint32)plan->floor) : 0;
  return result;
}

// Whether sectors that are half a line apart go to columns of a row that are, too. Others were seen to take twice the wavefronts
// (rows of 64 bytes, two to a line, written 4 KiB and 32 bytes apart).
static gboolean
keeps_halves(const SmbRequest *request, SmbLanes lanes) {
  for (SmbLanes left = lanes; left; left &= left - 1) {
    guint a = smb_lanes_first(left);
    for (SmbLanes rest = left & (left - 1); rest; rest &= rest - 1) {
      guint b = smb_lanes_first(rest);
      gboolean halves = (find_sector(request, a) ^ find_sector(request, b)) == LINE_SECTORS / 2;
      gboolean columns = (find_column(request, a) ^ find_column(request, b)) == LINE_SECTORS / 2;
      if (halves && !columns && find_target(request, a) == find_target(request, b))
        return FALSE;
    }
  }
  return TRUE;
}

// Of a line that bypasses the cache: whether its lanes would take as many wavefronts by their banks and columns alone.
static gboolean
is_plain_line(const SmbPlan *plan, const SmbRequest *request, SmbLanes lanes) {
  Feed feed = {{0}, {0}};
  Bank banks[SMB_MAX_BANKS];
  guint words = 0, pieces = count_pieces(request, lanes);
  gboolean keeps = keeps_halves(request, lanes);
  for (guint b = 0; b < plan->banks; b++)
    banks[b].n = banks[b].lanes = 0;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    deal_words(plan, request->offset[lane], request->width, banks);
    add_feed(&feed, request, lane);
  }
  for (guint b = 0; b < plan->banks; b++)
    words = MAX(words, banks[b].n);
  return keeps && pieces == words && find_most(feed.of_column) <= words;
}

static SmbCopyDoubt
doubt_lines(const SmbPlan *plan, const SmbRequest *request) {
  SmbCopyDoubt doubt = SMB_COPY_CERTAIN;
  guint halves = 0;
  for (SmbLanes left = request->mask & plan->lanes; left;) {
    SmbLanes lanes = find_line(request, left);
    gboolean first = FALSE;
    for (SmbLanes rest = lanes; rest; rest &= rest - 1)
      first |= request->source[smb_lanes_first(rest)] % SMB_SOURCE_LINE_WORDS <
               SMB_SOURCE_LINE_WORDS / 2;
    doubt |= is_plain_line(plan, request, lanes) ? SMB_COPY_CERTAIN : SMB_COPY_COLUMNS;
    halves += !first;
    left &= ~lanes;
  }
  return halves > 1 ? doubt | SMB_COPY_HALVES : doubt;
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
