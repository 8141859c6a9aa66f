// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/describe.h"

#include <string.h>

#include "sim/base/text.h"

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/count/conflict.h"
#include "sim/count/wavefront.h"

enum {
  MAX_LISTED = 4,    // numbers that are evenly apart are listed up to here
  MAX_FILE_NAME = 40 // bytes that are shown whole
};

// The step of a set whose numbers are evenly apart, from the first to the last; else 0.
static guint
find_lane_step(SmbLanes set) {
  SmbLanes rest = set & (set - 1);
  if (!rest)
    return 0;
  guint first = smb_lanes_first(set), step = smb_lanes_first(rest) - first;
  for (guint at = first; set; at += step, set &= set - 1) {
    if (smb_lanes_first(set) != at)
      return 0;
  }
  return step;
}

void
smb_describe_runs(GString *text, guint64 set) {
  for (gboolean first = TRUE; set; first = FALSE) {
    guint from = smb_lanes_first(set);
    SmbLanes above = ~(set >> from);
    guint n = above ? smb_lanes_first(above) : SMB_MAX_LANES;
    SmbLanes run = smb_lanes_below(n) << from;
    set &= ~run;
    g_string_append_printf(text, "%s%u", first ? "" : set ? ", " : " and ", from);
    if (n > 1)
      g_string_append_printf(text, "-%u", from + n - 1);
  }
}

// Adds the numbers of a set; of many that are evenly apart, the first and the last.
static void
append_numbers(GString *text, SmbLanes set) {
  guint step = smb_lanes_count(set) > MAX_LISTED ? find_lane_step(set) : 0;
  if (step <= 1) {
    smb_describe_runs(text, set);
    return;
  }
  guint first = smb_lanes_first(set);
  g_string_append_printf(text, "%u, %u, %u, ..., %u", first, first + step, first + 2 * step,
                         smb_lanes_last(set));
}

void
smb_describe_lanes(GString *text, SmbLanes lanes) {
  g_string_append(text, smb_lanes_count(lanes) == 1 ? "lane " : "lanes ");
  append_numbers(text, lanes);
}

void
smb_describe_banks(GString *text, SmbLanes banks, guint n_banks) {
  guint n = smb_lanes_count(banks);
  if (n == n_banks) {
    g_string_append_printf(text, "all %u banks", n);
  } else if (n > MAX_LISTED && n == n_banks / 2 && find_lane_step(banks) == 2) {
    g_string_append_printf(text, "the %u %s banks", n, banks & 1 ? "even" : "odd");
  } else {
    g_string_append(text, n == 1 ? "bank " : "banks ");
    append_numbers(text, banks);
  }
}

char *
smb_describe_file(const char *file) {
  const char *rest = file, *slash;
  while (strlen(rest) > MAX_FILE_NAME && (slash = strchr(rest, '/')) && slash[1])
    rest = slash + 1;
  return rest == file ? g_strdup(file) : g_strconcat("…/", rest, NULL);
}

char *
smb_describe_extent(const guint extent[3]) {
  if (extent[2] > 1)
    return g_strdup_printf("%ux%ux%u", extent[0], extent[1], extent[2]);
  if (extent[1] > 1)
    return g_strdup_printf("%ux%u", extent[0], extent[1]);
  return g_strdup_printf("%u", extent[0]);
}

// Which lanes are served together, where that is not the warp.
static void
append_lane_group(GString *text, const SmbPlan *plan, const SmbRequest *request, guint group) {
  gboolean matrix = request->op >= SMB_OP_LDMATRIX_X1;
  if (plan->n_groups == 1 || plan->conflict == SMB_CONFLICT_LOOP)
    return;
  g_string_append_printf(text, " (of the %s of ", matrix ? "matrix" : smb_plan_group_name(plan));
  smb_describe_lanes(text, smb_plan_group_lanes(plan, group));
  g_string_append(text, ", which is served on its own)");
}

gboolean
smb_describe_counts_addresses(const SmbPlan *plan, const SmbRequest *request) {
  return plan->conflict == SMB_CONFLICT_ADDRESSES && request->width < plan->unit_bytes;
}

const char *
smb_describe_turn(const SmbPlan *plan) {
  if (plan->conflict == SMB_CONFLICT_LOOP)
    return "round";
  return plan->passes <= 1 ? smb_vendor_say(plan->vendor, "wavefront") : "pass";
}

void
smb_describe_turns(GString *text, const SmbPlan *plan, guint n) {
  g_string_append(text, smb_count(n, smb_describe_turn(plan)).text);
}

// The first bytes that lanes ask of the bank.
static void
append_words(GString *text, const GArray *uses, const SmbCollision *collision, const SmbPlan *plan,
             const SmbRequest *request) {
  static const char *const verbs[SMB_N_OP_CLASSES] = {" read", " write", " update"};
  enum {
    MAX_WORDS = 3
  };
  guint shown = 0;
  SmbOpClass op_class = smb_op_class((SmbOp)request->op);
  // Of narrower accesses, lanes that share a word are somewhere in it.
  gboolean parts =
      request->width < plan->bank_bytes && !smb_describe_counts_addresses(plan, request);
  for (guint i = 0; i < uses->len && shown < MAX_WORDS; i++) {
    const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    if (use->group != collision->group || use->bank != collision->bank)
      continue;
    g_string_append(text, shown ? ", " : ": ");
    smb_describe_lanes(text, use->lanes);
    if (!shown)
      g_string_append_printf(text, "%s%s", verbs[op_class],
                             use->lanes & (use->lanes - 1) ? "" : "s");
    g_string_append_printf(text, "%s byte %u", parts ? " the word at" : "", use->offset);
    shown++;
  }
  if (collision->words > shown)
    g_string_append(text, ", and so on");
}

gboolean
smb_describe_meeting(GString *text, const SmbArch *arch, const SmbRequest *request) {
  SmbCollision collision;
  if (!smb_request_worst_bank(arch, request, &collision))
    return FALSE;
  g_autoptr(GArray) uses = smb_request_words(arch, request);
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  smb_describe_lanes(text, collision.lanes);
  append_lane_group(text, plan, request, collision.group);
  g_string_append_printf(text, " conflict in bank %u", collision.bank);
  if (plan->conflict == SMB_CONFLICT_LANES)
    g_string_append(text, ", which serves one lane at a time, even on the same word");
  if (plan->conflict == SMB_CONFLICT_LOOP)
    g_string_append(text, ", which lets one lane through in each round of the loop");
  append_words(text, uses, &collision, plan, request);
  return TRUE;
}
