// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which request is looked at, and how such a request is served.
#include "src/explain/words.h"

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analysis/verdict.h"
#include "src/out/describe.h"

// What an access is the first of that are asked for, by its excess: (transfer full).
static char *
describe_rank(const SmbExplanation *e) {
  gboolean has_excess = e->access->total.excess > 0;
  const char *most = smb_arch_say(e->arch, "the one with the most excess wavefronts");
  if (e->is_compiled && e->compiled_excess)
    return g_strdup_printf("%s as compiled is", most);
  if (e->is_compiled && has_excess)
    return g_strdup_printf("none has bank conflicts as compiled; as written, %s is", most);
  return has_excess ? g_strdup_printf("%s is", most)
                    : g_strdup_printf("none has bank conflicts%s; the first is",
                                      smb_analyze_qualify(e->analysis));
}

// That it is the access with the most excess, or one of the alike instructions with the most.
static void
append_costliest_choice(GString *text, const SmbExplanation *e, const char *op) {
  g_autofree char *rank = describe_rank(e);
  if (e->is_compiled)
    g_string_append_printf(text, "Of the accesses in the text, %s this %s.", rank, op);
  else if (e->alike > 1)
    g_string_append_printf(
        text,
        smb_arch_say(e->arch, "%u × %s of one line have the most excess wavefronts; none of them "
                              "has more than this %s."),
        e->alike, e->access->site->opcode, op);
  else
    g_string_append_printf(
        text, smb_arch_say(e->arch, "The access with the most excess wavefronts is this %s."), op);
}

char *
smb_explain_choice(const SmbExplanation *e) {
  const SmbTally *total = &e->access->total;
  const char *op = smb_op_class_name(e->access->site->op_class);
  g_autofree char *rank = describe_rank(e);
  GString *text = g_string_new(NULL);
  switch (e->choice) {
  case SMB_EXPLAIN_WORST:
    append_costliest_choice(text, e, op);
    break;
  case SMB_EXPLAIN_FIRST:
    g_string_append_printf(text, "No access has bank conflicts%s; the first is this %s.",
                           smb_analyze_qualify(e->analysis), op);
    break;
  case SMB_EXPLAIN_NAMED:
    g_string_append_printf(text, "The access is this %s.", op);
    break;
  case SMB_EXPLAIN_WORST_OF_SOME:
    g_string_append_printf(text,
                           "Of the %u accesses asked for, %s this %s (--line, --column and --op "
                           "choose another).",
                           e->choices, rank, op);
    break;
  }
  gboolean one = total->requests == 1;
  g_string_append_printf(text, " %s makes %s request%s, which take%s %s, ",
                         e->is_compiled ? "In the text, it" : "It",
                         smb_number(total->requests).text, one ? "" : "s", one ? "s" : "",
                         smb_count(total->wavefronts, smb_arch_say(e->arch, "wavefront")).text);
  if (total->excess)
    g_string_append_printf(text, "%s of them in excess.", smb_number(total->excess).text);
  else
    g_string_append(text, "none of them in excess.");
  // A warp may make requests that differ, in a loop or over blocks.
  gboolean others = e->access->warps[e->warp].requests > MAX(e->count, 1);
  g_string_append_printf(text, smb_arch_say(e->arch, " Below is %s of warp %u"),
                         !others          ? "the request"
                         : e->cost.excess ? "the costliest request"
                                          : "a request",
                         e->warp);
  if (e->block)
    g_string_append_printf(text, smb_arch_say(e->arch, " of block %s"), smb_number(e->block).text);
  if (e->count > 1)
    g_string_append_printf(text, ", made %s times", smb_number(e->count).text);
  g_string_append_printf(text, ": %s",
                         smb_count(e->cost.wavefronts, smb_arch_say(e->arch, "wavefront")).text);
  if (e->cost.excess)
    g_string_append_printf(text, " instead of %u", e->cost.ideal);
  g_string_append_c(text, '.');
  return g_string_free(text, FALSE);
}

static void
append_banks(GString *text, const SmbExplanation *e) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  guint row_bytes = 1u << e->plan->row_shift;
  guint stretches = row_bytes / (e->plan->banks * info->bank_bytes);
  g_string_append_printf(text, "%s has %s of %u bytes: word = byte / %u, bank = word mod %u.",
                         info->name, smb_count(e->plan->banks, "bank").text, info->bank_bytes,
                         info->bank_bytes, e->plan->banks);
  if (stretches > 1)
    g_string_append_printf(text,
                           " A bank serves its %u words in one row of %u bytes together: words %u "
                           "apart, in one aligned range of %u.",
                           stretches, row_bytes, e->plan->banks, row_bytes / info->bank_bytes);
  if (info->bank_bytes > 4 && e->request.width < info->bank_bytes)
    g_string_append_printf(text, " Accesses to parts of one word of %u bytes never conflict.",
                           info->bank_bytes);
}

// The lanes of each group, where they are not neighbours.
static void
append_phases(GString *text, const SmbExplanation *e) {
  SmbLanes first = e->plan->groups[0];
  if (first == smb_lanes_below(smb_lanes_count(first)))
    return;
  g_string_append_printf(text, " The %s are lanes ", smb_explain_group_names(e).text);
  for (guint group = 0; group < e->plan->n_groups; group++) {
    g_string_append(text, group ? "; " : "");
    smb_describe_runs(text, e->plan->groups[group]);
  }
  g_string_append_c(text, '.');
}

// Which lanes are served at once, and how many wavefronts that makes at least.
static void
append_groups(GString *text, const SmbExplanation *e) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  guint groups = smb_plan_n_groups(e->plan), size = smb_lanes_count(e->plan->groups[0]);
  const char *op = smb_op_class_name(smb_explain_class(e));
  const char *article = smb_explain_class(e) == SMB_OP_CLASS_ATOMIC ? "An" : "A";
  if (e->plan->conflict == SMB_CONFLICT_LOOP) {
    g_string_append_printf(
        text,
        smb_arch_say(
            e->arch,
            " This %s of %u bytes per lane is not one instruction but a loop of a load and "
            "a swap, which the lanes of a warp run together"),
        op, e->request.width);
    if (e->plan->n_groups > 1)
      g_string_append_printf(text, "; they swap by %s, one after the other",
                             smb_explain_group_names(e).text);
    g_string_append_c(text, '.');
    return;
  }
  g_string_append_printf(text, " %s %s of %s per lane", article, op,
                         smb_count(e->request.width, "byte").text);
  if (groups == 1) {
    g_string_append(text, smb_arch_say(e->arch, " is served for the whole warp at once."));
    return;
  }
  if (e->request.op >= SMB_OP_LDMATRIX_X1)
    g_string_append(text, " is served one 8x8 matrix at a time");
  else
    g_string_append_printf(text, " is served by %s, one after the other",
                           smb_explain_group_names(e).text);
  if (e->plan->unit_bytes > info->bank_bytes &&
      size * e->plan->unit_bytes == e->plan->banks * e->plan->bank_bytes)
    g_string_append_printf(text, ": %u lanes of %u bytes fill all %u banks", size, e->request.width,
                           e->plan->banks);
  guint least = groups * e->plan->passes;
  if (e->plan->passes)
    g_string_append_printf(
        text,
        smb_arch_say(e->arch, ". A full warp takes at least %u wavefronts, even without conflicts"),
        least);
  g_string_append_c(text, '.');
  append_phases(text, e);
}

// Whether all active pairs of lanes that are @x apart have one address.
static gboolean
do_pairs_agree(const SmbRequest *request, guint x) {
  for (guint lane = 0; lane < smb_request_span(request); lane++) {
    guint other = lane ^ x;
    if ((request->mask >> lane & request->mask >> other & 1) &&
        request->offset[lane] != request->offset[other])
      return FALSE;
  }
  return TRUE;
}

// "the warp", "half-warps"
static char *
name_groups(const SmbPlan *plan) {
  const char *name = smb_plan_group_name(plan);
  return plan->n_groups == 1 ? g_strdup_printf("the %s", name)
                             : g_strdup(smb_noun(plan->n_groups, name).text);
}

static void
append_merge(GString *text, const SmbExplanation *e) {
  if (!e->rule->merges)
    return;
  g_autofree char *from = name_groups(&e->rule->plan);
  g_autofree char *to = name_groups(&e->rule->merged);
  if (e->plan->conflict == SMB_CONFLICT_LOOP) {
    g_string_append_printf(text,
                           " If the lanes of each pair (0 and 1, 2 and 3 and so on, or 0 and 2, 1 "
                           "and 3 and so on) have one address, the load is served by %s.",
                           to);
    return;
  }
  if (!smb_request_mergeable(&e->request)) {
    g_string_append_printf(text,
                           " (If the lanes of each pair, 0 and 1, 2 and 3 and so on, or 0 and 2, 1 "
                           "and 3 and so on, had one address, it would be served by %s.)",
                           to);
    return;
  }
  g_string_append_printf(
      text,
      " This is because the lanes of each pair (%s and so on, if both are active) have one "
      "address: such a load is merged. Others are served by %s.",
      do_pairs_agree(&e->request, 1) ? "0 and 1, 2 and 3" : "0 and 2, 1 and 3", from);
}

static void
append_word_turns(GString *text, const SmbExplanation *e) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  const char *turn = smb_describe_turn(e->plan);
  gboolean loads = smb_explain_class(e) == SMB_OP_CLASS_LOAD;
  gboolean rows = 1u << e->plan->row_shift > e->plan->banks * info->bank_bytes;
  switch ((SmbConflict)e->plan->conflict) {
  case SMB_CONFLICT_WORDS:
    g_string_append_printf(text,
                           " In each %s a bank %s %s, %s all lanes that access %s; lanes that "
                           "access another %s of the bank wait.",
                           turn, loads ? "delivers" : "takes",
                           rows ? "its words of one row" : "one word", loads ? "to" : "from",
                           rows ? "them" : "it", rows ? "row" : "word");
    break;
  case SMB_CONFLICT_LANES:
    g_string_append(
        text,
        " A bank serves one lane at a time; others wait, even those that access the same word.");
    break;
  case SMB_CONFLICT_ADDRESSES:
    g_string_append_printf(text,
                           " In each %s a bank takes one address, from all lanes that store to it; "
                           "lanes with another one wait, even within the word.",
                           turn);
    break;
  case SMB_CONFLICT_ONE_BROADCAST:
    g_string_append_printf(text,
                           " In each %s one word is broadcast to all lanes that access it; each "
                           "other bank serves one lane.",
                           turn);
    break;
  case SMB_CONFLICT_LOOP:
    g_string_append(text, " In each round a bank lets one lane swap");
    if (e->plan->n_groups > 1)
      g_string_append_printf(text,
                             " of each %s, unless another one has changed the same word since the "
                             "load",
                             smb_explain_group_name(e));
    g_string_append(text, "; others take another round, even those on the same word.");
    break;
  }
  if (e->plan->passes > 1 && e->plan->conflict != SMB_CONFLICT_LOOP)
    g_string_append_printf(text, smb_arch_say(e->arch, " Each pass takes %u wavefronts."),
                           e->plan->passes);
  if (e->plan->passes == 0)
    g_string_append(
        text,
        smb_arch_say(e->arch, " It counts no wavefronts: it bypasses the shared-memory pipe."));
}

char *
smb_explain_rule(const SmbExplanation *e) {
  GString *text = g_string_new(NULL);
  append_banks(text, e);
  if (smb_explain_class(e) != e->access->site->op_class)
    g_string_append(text,
                    " This atomic is a loop that swaps only while it has something to change: only "
                    "its first load is counted.");
  if (smb_explain_is_copy(e)) {
    if (e->request.op != SMB_OP_CP_ASYNC_CG)
      append_groups(text, e);
    smb_explain_append_copy_rule(text, e);
  } else {
    append_groups(text, e);
    append_merge(text, e);
    append_word_turns(text, e);
  }
  if (e->rule->evidence == SMB_EVIDENCE_USER)
    g_string_append_printf(text, " This rule is yours: %s.", smb_arch_info(e->arch)->name);
  else if (e->rule->evidence != SMB_EVIDENCE_MEASURED)
    g_string_append_printf(text,
                           " This rule is %s, not measured: 'smembank list archs %s' says %s.",
                           smb_evidence_name(e->rule->evidence), smb_arch_info(e->arch)->name,
                           e->rule->evidence == SMB_EVIDENCE_ASSUMED ? "from what" : "where");
  if (e->rule->disputed)
    g_string_append_printf(text, " It is disputed: %s.", e->rule->disputed);
  return g_string_free(text, FALSE);
}
