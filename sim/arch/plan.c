// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From what a file says of a rule, and from the geometry of the banks, to the plans by which requests are counted.
#include "sim/arch/arch-file.h"

#include "sim/arch/rule.h"
#include "sim/base/error.h"

// One rule whose plans are made.
typedef struct {
  const SmbArchInfo *info;
  const SmbRuleText *text;
  SmbOp op;
  guint width;
  GError **error;
} Task;

// Says which key of the rule is wrong, and why.
#define refuse(task, key, format, ...)                                                             \
  smb_fail((task)->error, SMB_ERROR, SMB_ERROR_INPUT, "%s: " format, key, ##__VA_ARGS__)

// The lanes whose parities under all masks are those of @lane.
static SmbLanes
find_group(const SmbPlan *plan, guint n_lanes, guint lane) {
  SmbLanes group = 0;
  for (guint other = 0; other < n_lanes; other++) {
    gboolean same = TRUE;
    for (guint i = 0; i < plan->n_masks; i++)
      same &= !__builtin_parity((lane ^ other) & plan->masks[i]);
    group |= (SmbLanes)same << other;
  }
  return group;
}

static gboolean
split_lanes(const Task *task, const char *key, const SmbSplit *split, SmbPlan *plan) {
  guint n_lanes = task->info->lanes;
  SmbLanes taken = 0;
  plan->n_masks = split->n_masks;
  for (guint i = 0; i < split->n_masks; i++) {
    plan->masks[i] = split->masks[i];
    if (split->masks[i] >= n_lanes)
      return refuse(task, key, "mask 0x%x: a warp has %u lanes", split->masks[i], n_lanes);
  }
  for (guint i = 0; i < split->halvings; i++)
    plan->masks[plan->n_masks++] = (guint8)(n_lanes >> (i + 1));
  for (guint lane = 0; lane < n_lanes; lane++) {
    if (taken >> lane & 1)
      continue;
    plan->groups[plan->n_groups] = find_group(plan, n_lanes, lane);
    taken |= plan->groups[plan->n_groups++];
  }
  if (plan->n_groups != 1u << plan->n_masks)
    return refuse(task, key, "a mask splits nothing that the others do not split");
  return TRUE;
}

// The words that a lane accesses at once: those of different banks.
static gboolean
find_unit(const Task *task, SmbPlan *plan) {
  guint word = task->info->bank_bytes, longest = MAX(task->width, word);
  guint unit = task->text->unit_bytes ? task->text->unit_bytes : longest;
  if (longest > plan->banks * word)
    return refuse(task, "banks", "%u: %u bytes of a lane need as many words, each in its own bank",
                  plan->banks, task->width);
  // The parts of 12 bytes begin at any word: they would not all wait for each other as the first ones do.
  gboolean divides = is_power_of_two(longest) && is_power_of_two(unit);
  if (unit != longest && !(divides && unit >= word && unit < longest))
    return refuse(task, "unit-bytes", "%u: expected %u%s", unit, longest,
                  is_power_of_two(longest) && longest > word ? ", or a smaller power of two" : "");
  if (task->text->conflict == SMB_CONFLICT_ONE_BROADCAST && unit != word)
    return refuse(task, "unit-bytes", "%u: one word of %u bytes is broadcast", unit, word);
  plan->unit_bytes = (guint16)unit;
  return TRUE;
}

// Whether the fast counters know it; see SmbPlan.
static gboolean
is_narrow(const SmbArchInfo *info, const SmbPlan *plan) {
  return info->lanes == 32 && !plan->source_lines && plan->n_groups <= 4 &&
         plan->groups[0] == smb_lanes_below(info->lanes / plan->n_groups) && !plan->counts_empty &&
         is_power_of_two(plan->unit_bytes) && plan->row_shift >= 6 &&
         (plan->n_groups << plan->bank_bits) <= 32;
}

static gboolean
make_plan(const Task *task, const char *key, const SmbSplit *split, guint floor, SmbPlan *plan) {
  const SmbArchInfo *info = task->info;
  const SmbRuleText *text = task->text;
  guint banks = text->banks ? text->banks : info->banks;
  *plan = (SmbPlan){.lanes = smb_lanes_below(MIN(smb_op_address_lanes(task->op), info->lanes)),
                    .vendor = (guint8)info->vendor,
                    .counts_empty = (guint8)text->counts_empty,
                    .banks = (guint8)banks,
                    .bank_bytes = (guint8)info->bank_bytes,
                    .conflict = (guint8)text->conflict,
                    .source_lines = (guint8)text->source_lines,
                    .passes = (guint8)text->passes,
                    .floor = (guint8)floor,
                    .cycles = (guint8)text->cycles};
  if (!is_power_of_two(banks) || banks > SMB_MAX_BANKS)
    return refuse(task, "banks", "%u: expected a power of two from 1 to %d", banks, SMB_MAX_BANKS);
  if (!split_lanes(task, key, split, plan) || !find_unit(task, plan))
    return FALSE;
  if (text->conflict == SMB_CONFLICT_LOOP && text->counts_empty)
    return refuse(task, "empty-groups", "the groups of a loop cost nothing when they are empty");
  if (text->conflict == SMB_CONFLICT_LOOP && !text->passes)
    return refuse(task, "passes", "0: the swaps of a loop take wavefronts");
  if (text->conflict == SMB_CONFLICT_ONE_BROADCAST &&
      info->row_bytes > info->banks * info->bank_bytes)
    return refuse(task, "conflict", "one word is broadcast: row-bytes is more than one row");
  if (text->counts_empty && smb_op_address_lanes(task->op) < info->lanes)
    return refuse(task, "empty-groups", "only %u lanes give an address",
                  smb_op_address_lanes(task->op));
  // Rows of a rule with its own banks hold as many words of each bank as the architecture's.
  guint row_bytes = info->row_bytes / info->banks * banks;
  plan->row_shift = (guint8)__builtin_ctz(row_bytes);
  plan->unit_shift = (guint8)__builtin_ctz(plan->unit_bytes);
  plan->bank_bits = (guint8)(31 - __builtin_clz(banks * info->bank_bytes / plan->unit_bytes));
  plan->group_shift = (guint8)__builtin_ctz(info->lanes / plan->n_groups);
  plan->narrow = is_narrow(info, plan);
  return TRUE;
}

// Whether what is said of mergeable requests makes sense beside the rest of the rule.
static gboolean
check_merge(const Task *task, const SmbRule *rule) {
  if (rule->plan.lanes != smb_lanes_below(task->info->lanes))
    return refuse(task, "merged-group", "lanes have no partners: only %u give an address",
                  smb_lanes_count(rule->plan.lanes));
  if (rule->merged.n_groups < rule->plan.n_groups)
    return TRUE;
  return refuse(task, "merged-group", "%u groups: expected fewer than those of 'group', %u",
                rule->merged.n_groups, rule->plan.n_groups);
}

gboolean
smb_arch_make_plans(SmbArch *arch, SmbOp op, guint width, GError **error) {
  guint i = smb_width_index(width);
  SmbRule *rule = &arch->rules[op][i];
  const SmbRuleText *text = &arch->texts[op][i];
  Task task = {&arch->info, text, op, width, error};
  if (!make_plan(&task, "group", &text->split, text->floor, &rule->plan))
    return FALSE;
  rule->merged = rule->plan;
  if (rule->merges &&
      (!make_plan(&task, "merged-group", &text->merged_split, text->merged_floor, &rule->merged) ||
       !check_merge(&task, rule)))
    return FALSE;
  rule->narrow = rule->plan.narrow && rule->merged.narrow && text->conflict != SMB_CONFLICT_LOOP;
  return TRUE;
}
