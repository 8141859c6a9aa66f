// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which request is looked at, how it is served, who waits for whom, and who shares.
#include "src/explain-words.h"

#include "src/describe.h"

char *
smb_explain_choice(const SmbExplanation *e) {
  const SmbTally *total = &e->access->total;
  const char *op = smb_op_class_name(e->access->site->op_class);
  GString *text = g_string_new(NULL);
  switch (e->choice) {
  case SMB_EXPLAIN_WORST:
    g_string_append_printf(text, "The access with the most excess wavefronts is this %s.", op);
    break;
  case SMB_EXPLAIN_FIRST:
    g_string_append_printf(text, "No access has an excess wavefront; the first is this %s.", op);
    break;
  case SMB_EXPLAIN_NAMED:
    g_string_append_printf(text, "The access is this %s.", op);
    break;
  case SMB_EXPLAIN_WORST_OF_LINE:
    g_string_append_printf(text, "Of the %u accesses there, %s this %s (--column chooses another).",
                           e->choices,
                           total->excess ? "the one with the most excess wavefronts is"
                                         : "none has an excess wavefront; the first is",
                           op);
    break;
  }
  gboolean one = total->requests == 1;
  g_string_append_printf(text,
                         " It makes %" G_GUINT64_FORMAT
                         " request%s, which take%s %" G_GUINT64_FORMAT " wavefront%s, ",
                         total->requests, one ? "" : "s", one ? "s" : "", total->wavefronts,
                         total->wavefronts == 1 ? "" : "s");
  if (total->excess)
    g_string_append_printf(text, "%" G_GUINT64_FORMAT " of them in excess.", total->excess);
  else
    g_string_append(text, "none in excess.");
  g_string_append_printf(text, " What follows is the request of warp %u", e->warp);
  if (e->block)
    g_string_append_printf(text, " of block %" G_GUINT64_FORMAT, e->block);
  if (e->count > 1)
    g_string_append_printf(text, ", made %" G_GUINT64_FORMAT " times", e->count);
  g_string_append_printf(text, ": %u wavefront%s", e->cost.wavefronts,
                         e->cost.wavefronts == 1 ? "" : "s");
  if (e->cost.excess)
    g_string_append_printf(text, " where %u would do", e->cost.ideal);
  g_string_append_c(text, '.');
  return g_string_free(text, FALSE);
}

// What the lanes of one group are called.
static const char *
name_group(const SmbExplanation *e) {
  static const char *const names[] = {"warp", "half-warp", "quarter-warp"};
  return e->request.op >= SMB_OP_LDMATRIX_X1 ? "matrix" : names[5 - e->plan->group_shift];
}

static guint
count_groups(const SmbExplanation *e) {
  return MAX(1, smb_op_address_lanes((SmbOp)e->request.op) >> e->plan->group_shift);
}

static void
append_banks(GString *text, const SmbExplanation *e) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  guint stretches = info->row_bytes / (info->banks * info->bank_bytes);
  g_string_append_printf(text, "%s has %u banks of %u bytes: word = byte / %u, bank = word mod %u.",
                         info->name, info->banks, info->bank_bytes, info->bank_bytes, info->banks);
  if (stretches > 1)
    g_string_append_printf(text,
                           " A bank serves the %u words that it has in one row of %u bytes "
                           "together: words %u apart, in one aligned stretch of %u.",
                           stretches, info->row_bytes, info->banks,
                           info->row_bytes / info->bank_bytes);
  if (info->bank_bytes > 4 && e->request.width < info->bank_bytes)
    g_string_append_printf(text,
                           " What lies in one word of %u bytes never conflicts, though lanes ask "
                           "for parts of it.",
                           info->bank_bytes);
}

// Which lanes are served at once, and how many wavefronts that makes at least.
static void
append_groups(GString *text, const SmbExplanation *e) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  guint groups = count_groups(e), size = 1u << e->plan->group_shift;
  const char *op = smb_op_class_name(e->access->site->op_class);
  const char *article = e->access->site->op_class == SMB_OP_CLASS_ATOMIC ? "An" : "A";
  g_string_append_printf(text, " %s %s of %u byte%s a lane", article, op, e->request.width,
                         e->request.width == 1 ? "" : "s");
  if (groups == 1) {
    g_string_append(text, " is served for the whole warp at once.");
    return;
  }
  g_string_append_printf(text, " is served by %ss, one after the other", name_group(e));
  if (smb_explain_unit(e) > info->bank_bytes && size == 1u << e->plan->bank_bits)
    g_string_append_printf(text, ": %u lanes of %u bytes fill all %u banks", size, e->request.width,
                           info->banks);
  guint least = groups * e->plan->passes;
  if (e->plan->passes)
    g_string_append_printf(
        text, ". A full warp so takes %u wavefronts at least: that is no conflict", least);
  g_string_append_c(text, '.');
}

// Whether all active pairs of lanes that are @x apart have one address.
static gboolean
do_pairs_agree(const SmbRequest *request, guint x) {
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++) {
    guint other = lane ^ x;
    if ((request->mask >> lane & request->mask >> other & 1) &&
        request->offset[lane] != request->offset[other])
      return FALSE;
  }
  return TRUE;
}

static void
append_merge(GString *text, const SmbExplanation *e) {
  static const char *const names[] = {"the warp", "half-warps", "quarter-warps"};
  guint from = 5u - e->rule->plan.group_shift, to = 5u - e->rule->merged.group_shift;
  if (!e->rule->merges)
    return;
  if (!smb_request_mergeable(&e->request)) {
    g_string_append_printf(text,
                           " (Were the lanes of each pair, 0 and 1, 2 and 3 and so on, or 0 and 2, "
                           "1 and 3 and so on, on one address, it would be served by %s.)",
                           names[to]);
    return;
  }
  g_string_append_printf(
      text,
      " That is so because the lanes of each pair (%s and so on, as far as both "
      "are active) have one address: such a load is merged. Others are served by "
      "%s.",
      do_pairs_agree(&e->request, 1) ? "0 and 1, 2 and 3" : "0 and 2, 1 and 3", names[from]);
}

static void
append_turns(GString *text, const SmbExplanation *e) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  gboolean loads = e->access->site->op_class == SMB_OP_CLASS_LOAD;
  gboolean rows = info->row_bytes > info->banks * info->bank_bytes;
  switch ((SmbConflict)e->plan->conflict) {
  case SMB_CONFLICT_WORDS:
    g_string_append_printf(text,
                           " In one pass a bank %s %s, %s all lanes that ask for %s; lanes that "
                           "ask the bank for another %s wait.",
                           loads ? "gives" : "takes", rows ? "its words of one row" : "one word",
                           loads ? "to" : "from", rows ? "them" : "it", rows ? "row" : "word");
    break;
  case SMB_CONFLICT_LANES:
    g_string_append(text, " In one pass a bank serves one lane; others wait, also those that ask "
                          "for the same word.");
    break;
  case SMB_CONFLICT_ADDRESSES:
    g_string_append(text, " In one pass a bank takes one address, from all lanes that store to it; "
                          "lanes with another one wait, also within the word.");
    break;
  case SMB_CONFLICT_ONE_BROADCAST:
    g_string_append(text, " In one pass one word is given to all lanes that ask for it; each other "
                          "bank serves one lane.");
    break;
  case SMB_CONFLICT_LOOP:
    g_string_append(text, " It is no instruction but a loop of a load and a swap: in each round a "
                          "bank lets one lane swap; others go round again, also those on the same "
                          "word.");
    break;
  }
  if (e->plan->passes > 1 && e->plan->conflict != SMB_CONFLICT_LOOP)
    g_string_append_printf(text, " Each pass takes %u wavefronts.", e->plan->passes);
  if (e->plan->passes == 0)
    g_string_append(text, " It counts no wavefront here: it goes past the banks' pipe.");
}

char *
smb_explain_rule(const SmbExplanation *e) {
  GString *text = g_string_new(NULL);
  append_banks(text, e);
  append_groups(text, e);
  append_merge(text, e);
  append_turns(text, e);
  if (e->rule->evidence != SMB_EVIDENCE_MEASURED)
    g_string_append_printf(text,
                           " This rule is %s, not measured: 'smembank list archs %s' says %s.",
                           smb_evidence_name(e->rule->evidence), smb_arch_info(e->arch)->name,
                           e->rule->evidence == SMB_EVIDENCE_ASSUMED ? "from what" : "where");
  return g_string_free(text, FALSE);
}

// "Banks 1-15 (15 of them) need more than one pass, none more than 2."
static void
append_busy_banks(GString *text, const SmbExplanation *e) {
  guint32 busy = 0;
  guint most = 0;
  for (guint i = 0; i < e->banks->len; i++) {
    const SmbExplainBank *bank = &g_array_index(e->banks, SmbExplainBank, i);
    if (bank->group != e->collision.group || bank->passes < 2)
      continue;
    busy |= 1u << bank->bank;
    most = MAX(most, bank->passes);
  }
  guint n = (guint)__builtin_popcount(busy);
  const char *pass = e->loop.rounds ? "round" : "pass";
  if (n == 0)
    return;
  g_string_append_c(text, ' ');
  gsize start = text->len;
  smb_describe_banks(text, busy, smb_arch_info(e->arch)->banks);
  text->str[start] = g_ascii_toupper(text->str[start]);
  if (n > 1)
    g_string_append_printf(text, " (%u of them) need more than one %s", n, pass);
  else
    g_string_append_printf(text, " is the only one that needs more than one %s", pass);
  if (count_groups(e) > 1)
    g_string_append_printf(text, " in this %s", name_group(e));
  g_string_append_printf(text, n > 1 ? ", none more than %u." : ": %u.", most);
}

static void
append_passes(GString *text, const SmbExplanation *e) {
  guint n_groups = 0, of_group[SMB_WARP_LANES] = {0};
  for (guint i = 0; i < e->passes.n; i++) {
    of_group[e->passes.group[i]]++;
    n_groups = MAX(n_groups, e->passes.group[i] + 1u);
  }
  if (count_groups(e) == 1) {
    g_string_append_printf(text, " So the warp takes %u passes", e->passes.n);
  } else {
    g_string_append_printf(text, " The %ss take ", name_group(e));
    for (guint i = 0; i < n_groups; i++)
      g_string_append_printf(text, "%s%u",
                             i == 0             ? ""
                             : i + 1 < n_groups ? ", "
                                                : " and ",
                             of_group[i]);
    g_string_append(text, e->passes.n == 1 ? " pass" : " passes");
  }
  g_string_append_printf(text, ": %u wavefront%s.", e->cost.wavefronts,
                         e->cost.wavefronts == 1 ? "" : "s");
}

static void
append_rounds(GString *text, const SmbExplanation *e) {
  g_string_append_printf(
      text,
      " The warp goes round %u time%s: the loads of the lanes that are left take "
      "%u wavefront%s together, their swaps %u.",
      e->loop.rounds, e->loop.rounds == 1 ? "" : "s", e->loop.load_wavefronts,
      e->loop.load_wavefronts == 1 ? "" : "s", e->loop.swap_wavefronts);
  if (e->rule->lower_bound)
    g_string_append_printf(text, " That is a lower bound: %s add to it.", e->rule->lower_bound);
}

static void
append_calm(GString *text, const SmbExplanation *e) {
  const char *const waits[] = {
      [SMB_CONFLICT_WORDS] = "is asked for two words that would have to wait for each other",
      [SMB_CONFLICT_LANES] = "is asked by two lanes",
      [SMB_CONFLICT_ADDRESSES] = "is asked for two addresses",
      [SMB_CONFLICT_ONE_BROADCAST] = "needs a second pass",
      [SMB_CONFLICT_LOOP] = "is asked by two lanes",
  };
  if (!smb_request_lanes(&e->request)) {
    g_string_append(text, "No lane is active.");
    return;
  }
  g_string_append_printf(text, "No bank %s", waits[e->plan->conflict]);
  if (count_groups(e) > 1)
    g_string_append_printf(text, " within one %s", name_group(e));
  g_string_append(text, ".");
  if (e->plan->conflict != SMB_CONFLICT_LOOP && e->passes.n)
    g_string_append_printf(text, " So %u pass%s do%s: %u wavefront%s, as few as there can be.",
                           e->passes.n, e->passes.n == 1 ? "" : "es", e->passes.n == 1 ? "es" : "",
                           e->cost.wavefronts, e->cost.wavefronts == 1 ? "" : "s");
}

char *
smb_explain_meeting(const SmbExplanation *e) {
  GString *text = g_string_new(NULL);
  if (smb_describe_meeting(text, e->arch, &e->request)) {
    text->str[0] = g_ascii_toupper(text->str[0]);
    g_string_append_c(text, '.');
    append_busy_banks(text, e);
    if (e->plan->conflict != SMB_CONFLICT_LOOP)
      append_passes(text, e);
  } else {
    append_calm(text, e);
  }
  if (e->plan->conflict == SMB_CONFLICT_LOOP)
    append_rounds(text, e);
  return g_string_free(text, FALSE);
}

// Whether lanes of one word ask for the same bytes of it.
static gboolean
do_lanes_overlap(const SmbExplanation *e, guint32 lanes) {
  for (guint32 a = lanes; a; a &= a - 1) {
    for (guint32 b = a & (a - 1); b; b &= b - 1) {
      if (e->request.offset[__builtin_ctz(a)] == e->request.offset[__builtin_ctz(b)])
        return TRUE;
    }
  }
  return FALSE;
}

// What sharing a word means to this kind of request.
static void
append_meaning(GString *text, const SmbExplanation *e, guint32 lanes) {
  gboolean overlap = do_lanes_overlap(e, lanes);
  switch ((SmbConflict)e->plan->conflict) {
  case SMB_CONFLICT_WORDS:
    if (e->access->site->op_class == SMB_OP_CLASS_LOAD)
      g_string_append(text, " It is read once and given to all of them: sharing a word is free.");
    else if (e->access->site->op_class == SMB_OP_CLASS_ATOMIC)
      g_string_append(text, " Their additions are made at once, which is free.");
    else if (overlap)
      g_string_append(text, " It is written once, which is free; where they write the same bytes, "
                            "one lane's value stays, and which one is undefined.");
    else
      g_string_append(text, " Each writes bytes of its own, all at once: that is free.");
    break;
  case SMB_CONFLICT_LANES:
  case SMB_CONFLICT_LOOP:
    g_string_append(text, " That is not free here: they take turns, one lane at a time.");
    break;
  case SMB_CONFLICT_ADDRESSES:
    g_string_append(text,
                    " They share a pass, which is free; one lane's value stays, and which one "
                    "is undefined.");
    break;
  case SMB_CONFLICT_ONE_BROADCAST:
    g_string_append(text, " If it is the word that is broadcast in a pass, all of them get it in "
                          "that pass.");
    break;
  }
}

char *
smb_explain_sharing(const SmbExplanation *e) {
  const SmbWordUse *first = NULL;
  guint n = 0;
  for (guint i = 0; i < e->words->len; i++) {
    const SmbWordUse *use = &g_array_index(e->words, SmbWordUse, i);
    if (__builtin_popcount(use->lanes) < 2)
      continue;
    n++;
    if (!first || __builtin_popcount(use->lanes) > __builtin_popcount(first->lanes))
      first = use;
  }
  if (!first)
    return NULL;
  GString *text = g_string_new(NULL);
  smb_describe_lanes(text, first->lanes);
  text->str[0] = 'L';
  g_string_append_printf(text, " ask for %s, that at byte %u",
                         e->plan->conflict == SMB_CONFLICT_ADDRESSES ? "the same address"
                                                                     : "the same word",
                         first->offset);
  if (n > 1)
    g_string_append_printf(text, "; %u more word%s shared in such a way", n - 1,
                           n == 2 ? " is" : "s are");
  g_string_append_c(text, '.');
  append_meaning(text, e, first->lanes);
  return g_string_free(text, FALSE);
}
