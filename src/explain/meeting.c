// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Who waits for whom, in which passes, and who shares a word.
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/explain/words.h"
#include "src/out/describe.h"

// "Banks 1-15 (15 of them) need more than one wavefront, at most 2."
static void
append_busy_banks(GString *text, const SmbExplanation *e) {
  SmbBanks busy = 0;
  guint most = 0;
  for (guint i = 0; i < e->banks->len; i++) {
    const SmbExplainBank *bank = &g_array_index(e->banks, SmbExplainBank, i);
    if (bank->group != e->collision.group || bank->passes < 2)
      continue;
    busy |= (SmbBanks)1 << bank->bank;
    most = MAX(most, bank->passes);
  }
  guint n = smb_lanes_count(busy);
  if (n == 0)
    return;
  g_string_append_c(text, ' ');
  gsize start = text->len;
  smb_describe_banks(text, busy, e->plan->banks);
  text->str[start] = g_ascii_toupper(text->str[start]);
  gboolean told = !g_str_has_prefix(text->str + start, "Bank"); // "All 32 banks": their number
  if (n > 1 && !told)
    g_string_append_printf(text, " (%u of them)", n);
  g_string_append_printf(text, n > 1 ? " need more than one %s" : " alone needs more than one %s",
                         smb_describe_turn(e->plan));
  if (smb_plan_n_groups(e->plan) > 1)
    g_string_append_printf(text, " in this %s", smb_explain_group_name(e));
  g_string_append_printf(text, n > 1 ? ", at most %u." : ": %u.", most);
}

static void
append_passes(GString *text, const SmbExplanation *e) {
  guint n_groups = 0, of_group[SMB_MAX_GROUPS] = {0};
  for (guint i = 0; i < e->passes.n; i++) {
    of_group[e->passes.group[i]]++;
    n_groups = MAX(n_groups, e->passes.group[i] + 1u);
  }
  if (smb_plan_n_groups(e->plan) == 1) {
    g_string_append(text, smb_arch_say(e->arch, " The warp takes "));
  } else {
    g_string_append_printf(text, " The %s take ", smb_explain_group_names(e).text);
    for (guint i = 0; i < n_groups; i++)
      g_string_append_printf(text, "%s%u", smb_comma_and(i, n_groups), of_group[i]);
    g_string_append(text, ": ");
  }
  smb_describe_turns(text, e->plan, e->passes.n);
  if (e->plan->passes != 1)
    g_string_append_printf(text, smb_arch_say(e->arch, " of %u wavefronts, %u in all"),
                           e->plan->passes, e->cost.wavefronts);
  g_string_append_c(text, '.');
}

static void
append_rounds(GString *text, const SmbExplanation *e) {
  g_string_append_printf(
      text, " The loop takes %s: the loads of the remaining lanes take %s in all, their swaps %u.",
      smb_count(e->loop.rounds, "round").text,
      smb_count(e->loop.load_wavefronts, smb_arch_say(e->arch, "wavefront")).text,
      e->loop.swap_wavefronts);
  if (e->rule->lower_bound)
    g_string_append_printf(text, " This is a lower bound: %s add to it.", e->rule->lower_bound);
}

static void
append_calm(GString *text, const SmbExplanation *e) {
  if (!smb_request_lanes(&e->request)) {
    g_string_append(text, "No lane is active.");
    return;
  }
  g_string_append(text, "No bank conflicts");
  if (e->plan->conflict != SMB_CONFLICT_LOOP && e->passes.n)
    g_string_append_printf(text, ": %s, the minimum for this request",
                           smb_count(e->cost.wavefronts, smb_arch_say(e->arch, "wavefront")).text);
  g_string_append_c(text, '.');
}

char *
smb_explain_meeting(const SmbExplanation *e) {
  if (smb_explain_is_copy(e))
    return smb_explain_copy_meeting(e);
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
do_lanes_overlap(const SmbExplanation *e, SmbLanes lanes) {
  for (SmbLanes a = lanes; a; a &= a - 1) {
    for (SmbLanes b = a & (a - 1); b; b &= b - 1) {
      if (e->request.offset[smb_lanes_first(a)] == e->request.offset[smb_lanes_first(b)])
        return TRUE;
    }
  }
  return FALSE;
}

// What sharing a word means to this kind of request.
static void
append_meaning(GString *text, const SmbExplanation *e, SmbLanes lanes) {
  gboolean overlap = do_lanes_overlap(e, lanes);
  switch ((SmbConflict)e->plan->conflict) {
  case SMB_CONFLICT_WORDS:
    if (smb_explain_class(e) == SMB_OP_CLASS_LOAD)
      g_string_append(text, " It is read once and given to all of them: sharing a word is free.");
    else if (e->rule->lower_bound)
      g_string_append_printf(text, " The cost of that is unknown: %s.", e->rule->lower_bound);
    else if (smb_explain_class(e) == SMB_OP_CLASS_ATOMIC)
      g_string_append(text, " Their additions are made at once, which is free.");
    else if (overlap)
      g_string_append(text, " It is written once, which is free; if they write the same bytes, one "
                            "lane's value remains, and which one is undefined.");
    else
      g_string_append(text, " Each writes bytes of its own, all at once: that is free.");
    break;
  case SMB_CONFLICT_LANES:
    g_string_append(text, " That is not free here: they take turns, one lane at a time.");
    if (e->request.op == SMB_OP_ATOM && lanes == smb_request_lanes(&e->request))
      g_string_append(
          text,
          " All lanes access it: a compiler that can prove that may combine them first (except "
          "exchanges), so that one lane makes the request; 'smembank validate' shows what it did.");
    break;
  case SMB_CONFLICT_LOOP:
    g_string_append(text, " That is not free here: they take turns, one lane at a time.");
    break;
  case SMB_CONFLICT_ADDRESSES:
    g_string_append(text,
                    smb_arch_say(e->arch, " They share a wavefront, which is free; one lane's "
                                          "value remains, and which one is undefined."));
    break;
  case SMB_CONFLICT_ONE_BROADCAST:
    g_string_append(text, " If that word is broadcast, all of them are served at once.");
    break;
  }
}

char *
smb_explain_sharing(const SmbExplanation *e) {
  const SmbWordUse *first = NULL;
  guint n = 0;
  for (guint i = 0; i < e->words->len && !smb_explain_is_copy(e); i++) {
    const SmbWordUse *use = &g_array_index(e->words, SmbWordUse, i);
    if (smb_lanes_count(use->lanes) < 2)
      continue;
    n++;
    if (!first || smb_lanes_count(use->lanes) > smb_lanes_count(first->lanes))
      first = use;
  }
  if (!first)
    return NULL;
  GString *text = g_string_new(NULL);
  smb_describe_lanes(text, first->lanes);
  text->str[0] = 'L';
  gboolean addresses = smb_describe_counts_addresses(e->plan, &e->request);
  g_string_append_printf(text, " access the same %s%u", addresses ? "address, " : "word, at byte ",
                         first->offset);
  if (n > 1 && addresses)
    g_string_append_printf(text, "; %u more address%s shared in the same way", n - 1,
                           n == 2 ? " is" : "es are");
  else if (n > 1)
    g_string_append_printf(text, "; %u more word%s shared in the same way", n - 1,
                           n == 2 ? " is" : "s are");
  g_string_append_c(text, '.');
  append_meaning(text, e, first->lanes);
  return g_string_free(text, FALSE);
}
