// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/describe.h"

#include "sim/conflict.h"
#include "sim/wavefront.h"

void
smb_describe_lanes(GString *text, guint32 lanes) {
  g_string_append(text, __builtin_popcount(lanes) == 1 ? "lane " : "lanes ");
  for (gboolean first = TRUE; lanes; first = FALSE) {
    guint from = (guint)__builtin_ctz(lanes);
    guint32 above = ~(lanes >> from);
    guint n = above ? (guint)__builtin_ctz(above) : SMB_WARP_LANES;
    guint32 run = n == SMB_WARP_LANES ? 0xffffffffu : ((1u << n) - 1) << from;
    lanes &= ~run;
    g_string_append_printf(text, "%s%u", first ? "" : lanes ? ", " : " and ", from);
    if (n > 1)
      g_string_append_printf(text, "-%u", from + n - 1);
  }
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
append_group(GString *text, const SmbPlan *plan, const SmbRequest *request, guint group) {
  static const char *const names[] = {"warp", "half-warp", "quarter-warp"};
  guint size = 1u << plan->group_shift;
  gboolean matrix = request->op >= SMB_OP_LDMATRIX_X1;
  if (size == SMB_WARP_LANES || plan->conflict == SMB_CONFLICT_LOOP)
    return;
  g_string_append_printf(text, " (of the %s of lanes %u-%u, which is served by itself)",
                         matrix ? "matrix" : names[5 - plan->group_shift], group * size,
                         (group + 1) * size - 1);
}

// The first words that lanes ask of the bank.
static void
append_words(GString *text, const GArray *uses, const SmbCollision *collision) {
  enum {
    MAX_WORDS = 3
  };
  guint shown = 0;
  for (guint i = 0; i < uses->len && shown < MAX_WORDS; i++) {
    const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    if (use->group != collision->group || use->bank != collision->bank)
      continue;
    g_string_append(text, shown ? ", " : ": ");
    smb_describe_lanes(text, use->lanes);
    g_string_append_printf(text, " for the word at byte %u", use->offset);
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
  append_group(text, plan, request, collision.group);
  g_string_append_printf(text, " meet in bank %u", collision.bank);
  if (plan->conflict == SMB_CONFLICT_LANES)
    g_string_append(text, ", where an atomic serves one lane after another, also on one word");
  if (plan->conflict == SMB_CONFLICT_LOOP)
    g_string_append(text, ", where each round of the loop lets one lane through");
  append_words(text, uses, &collision);
  return TRUE;
}
