// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/list/list.h"

#include "sim/arch/arch.h"
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/request.h"
#include "sim/base/text.h"
#include "src/list/listing.h"

// "measured", or "20 measured, 1 assumed": how the rules of an architecture are known.
static char *
summarize_evidence(const SmbArch *arch) {
  GString *text = g_string_new(NULL);
  for (guint e = SMB_EVIDENCE_MEASURED; e <= SMB_EVIDENCE_USER; e++) {
    guint n = 0;
    for (guint op = 0; op < SMB_N_OPS; op++) {
      for (guint i = 0; i < SMB_N_WIDTHS; i++) {
        const SmbRule *rule = smb_arch_rule(arch, (SmbOp)op, smb_width(i));
        n += rule->defined && rule->evidence == e;
      }
    }
    if (n > 0)
      g_string_append_printf(text, "%s%u %s", text->len ? ", " : "", n,
                             smb_evidence_name((SmbEvidence)e));
  }
  return g_string_free(text, FALSE);
}

// What a multiprocessor holds (sim/arch/occupancy.h); as text it is shown with the rules.
#define MULTIPROCESSOR_COLUMNS(HEADER)                                                             \
  {"sm_blocks", HEADER("blocks"), SMB_LISTING_NUMBER},                                             \
      {"sm_warps", HEADER("warps"), SMB_LISTING_NUMBER},                                           \
      {"sm_shared_bytes", HEADER("shared bytes"), SMB_LISTING_NUMBER},                             \
      {"block_reserved_bytes", HEADER("reserved"), SMB_LISTING_NUMBER},                            \
      {"shared_unit_bytes", HEADER("unit"), SMB_LISTING_NUMBER}, {                                 \
    "sm_source", HEADER("source"), SMB_LISTING_TEXT                                                \
  }
#define SHOWN(header)  header
#define HIDDEN(header) NULL

static void
add_multiprocessor(SmbListing *listing, const SmbArchInfo *info) {
  const guint numbers[] = {info->sm_blocks, info->sm_warps, info->sm_shared_bytes,
                           info->block_reserved_bytes, info->shared_unit_bytes};
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    if (info->sm_shared_bytes)
      smb_listing_number(listing, numbers[i]);
    else
      smb_listing_text(listing, NULL);
  }
  smb_listing_text(listing, info->sm_source);
}

gboolean
smb_list_archs(SmbCli *cli, GError **error) {
  static const SmbListingColumn columns[] = {
      {"name", "name", SMB_LISTING_TEXT},     {"title", "chips", SMB_LISTING_TEXT},
      {"banks", "banks", SMB_LISTING_NUMBER}, {"bank_width", "bank bytes", SMB_LISTING_NUMBER},
      {"rules", "rules", SMB_LISTING_TEXT},   {"source", "source", SMB_LISTING_TEXT},
      {"aliases", NULL, SMB_LISTING_TEXT},    {"wave_size", NULL, SMB_LISTING_NUMBER},
      MULTIPROCESSOR_COLUMNS(HIDDEN),
  };
  g_autoptr(SmbListing) listing = smb_listing_new("archs", columns, G_N_ELEMENTS(columns));
  g_auto(GStrv) names = smb_arch_list();
  for (guint i = 0; names[i]; i++) {
    g_autoptr(SmbArch) arch = smb_arch_load(names[i], error);
    if (!arch)
      return FALSE;
    const SmbArchInfo *info = smb_arch_info(arch);
    g_autofree char *evidence = summarize_evidence(arch);
    smb_listing_text(listing, info->name);
    smb_listing_text(listing, info->title);
    smb_listing_number(listing, info->banks);
    smb_listing_number(listing, info->bank_bytes);
    smb_listing_text(listing, evidence);
    smb_listing_text(listing, info->source);
    smb_listing_text(listing, info->aliases);
    smb_listing_number(listing, info->lanes);
    add_multiprocessor(listing, info);
  }
  smb_listing_set_note(listing, "'smembank list archs NAME' shows where each rule comes from.");
  cli->format->write(cli, listing);
  return TRUE;
}

// "warp" ("wave"), "half", "quarter", or the masks: "0x20 0x08 0x14".
static void
add_lane_group(SmbListing *listing, const SmbPlan *plan) {
  static const char *const names[] = {"warp", "half", "quarter"};
  g_autoptr(GString) masks = g_string_new(NULL);
  for (guint i = 0; i < plan->n_masks; i++)
    g_string_append_printf(masks, "%s0x%02x", i ? " " : "", plan->masks[i]);
  gboolean named =
      !g_str_equal(smb_plan_group_name(plan), smb_vendor_say(plan->vendor, "lane group"));
  smb_listing_text(listing,
                   named ? smb_vendor_say(plan->vendor, names[plan->n_masks]) : masks->str);
}

// Of what a profiler's counter per instruction counts otherwise (sim/count/instruction-counter.h).
static void
append_instructions(GString *source, const SmbArchInfo *info, SmbOp op, guint width) {
  gboolean is_wide = (op == SMB_OP_LD || op == SMB_OP_LD_GENERIC) && (width == 8 || width == 16);
  if (is_wide && info->counts_instructions_apart)
    g_string_append_printf(
        source, "; for machine code, wavefronts per instruction are counted differently (%s): %s",
        smb_evidence_name(info->evidence), info->instruction_source);
}

static void
add_rule(SmbListing *listing, const SmbArch *arch, SmbOp op, guint width) {
  const SmbRule *rule = smb_arch_rule(arch, op, width);
  if (!rule->defined)
    return;
  smb_listing_text(listing, smb_arch_info(arch)->name);
  smb_listing_text(listing, smb_op_name(op));
  smb_listing_number(listing, width);
  add_lane_group(listing, &rule->plan);
  if (rule->merges)
    add_lane_group(listing, &rule->merged);
  else
    smb_listing_text(listing, NULL);
  smb_listing_text(listing, smb_conflict_name((SmbConflict)rule->plan.conflict));
  smb_listing_number(listing, rule->plan.passes);
  smb_listing_number(listing, rule->plan.floor);
  smb_listing_text(listing, rule->since);
  smb_listing_text(listing, smb_evidence_name(rule->evidence));
  g_autoptr(GString) source = g_string_new(rule->source);
  if (rule->disputed)
    g_string_append_printf(source, "; disputed: %s", rule->disputed);
  if (rule->lower_bound)
    g_string_append_printf(source, "; a lower bound, which does not count %s", rule->lower_bound);
  if (rule->cycles_lower_bound)
    g_string_append_printf(source, "; cycles are a lower bound, without %s",
                           rule->cycles_lower_bound);
  if (rule->plan.banks != smb_arch_info(arch)->banks)
    g_string_append_printf(source, "; %s", smb_count(rule->plan.banks, "bank").text);
  if (rule->plan.counts_empty)
    g_string_append(source, smb_arch_say(arch, "; empty lane groups take a wavefront"));
  append_instructions(source, smb_arch_info(arch), op, width);
  smb_listing_text(listing, source->str);
  smb_listing_number(listing, rule->plan.banks);
  smb_listing_text(listing, rule->disputed);
}

static gboolean
add_rules(const SmbCli *cli, SmbListing *listing, const char *name, GError **error) {
  g_autoptr(SmbArch) arch = smb_cli_load_arch(cli, name, 0, error);
  if (!arch)
    return FALSE;
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++)
      add_rule(listing, arch, (SmbOp)op, smb_width(i));
  }
  return TRUE;
}

static const char rules_legend[] =
    "lane group: lanes that are served together; paired: the group if lanes come in pairs with "
    "equal addresses. conflict: what conflicts in one bank: different words, any two lanes, "
    "different addresses, or lanes that do not access the word that is broadcast; loop: rounds of "
    "loads and swaps, until each lane has swapped. floor: fewest cycles in a saturated pipe.";

static const char multiprocessors_legend[] =
    "The most blocks, warps and shared memory of a multiprocessor. reserved: bytes that a block "
    "takes in addition to its own; unit: a block takes a multiple of it. Missing values are "
    "unknown.";

// Whose words tell of all these architectures: AMD's if all are AMD's.
static SmbVendor
find_vendor(const SmbCli *cli, const char *const *names) {
  for (guint i = 0; names[i]; i++) {
    g_autoptr(SmbArch) arch = smb_cli_load_arch(cli, names[i], 0, NULL);
    if (!arch || smb_arch_info(arch)->vendor != SMB_VENDOR_AMD)
      return SMB_VENDOR_NVIDIA;
  }
  return SMB_VENDOR_AMD;
}

// The multiprocessors of the architectures, behind their rules, as far as they are known.
static gboolean
add_multiprocessors(const SmbCli *cli, SmbListing *rules, const char *const *names,
                    gboolean legends, GError **error) {
  static const SmbListingColumn columns[] = {{"name", "arch", SMB_LISTING_TEXT},
                                             MULTIPROCESSOR_COLUMNS(SHOWN)};
  g_autoptr(SmbListing) listing = smb_listing_new("archs", columns, G_N_ELEMENTS(columns));
  gboolean any = FALSE;
  for (guint i = 0; names[i]; i++) {
    g_autoptr(SmbArch) arch = smb_cli_load_arch(cli, names[i], 0, error);
    if (!arch)
      return FALSE;
    if (!smb_arch_info(arch)->sm_shared_bytes)
      continue;
    smb_listing_text(listing, names[i]);
    add_multiprocessor(listing, smb_arch_info(arch));
    any = TRUE;
  }
  if (legends)
    smb_listing_set_note(listing, multiprocessors_legend);
  if (any)
    smb_listing_set_next(rules, g_steal_pointer(&listing));
  return TRUE;
}

// The names that architectures have here, of names as --arch takes them (transfer full).
static GStrv
resolve_names(const SmbCli *cli, const char *const *words, GError **error) {
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  for (guint i = 0; words[i]; i++) {
    g_autoptr(SmbArch) arch = smb_cli_load_arch(cli, words[i], 0, error);
    if (!arch)
      return NULL;
    g_strv_builder_add(names, smb_arch_info(arch)->name);
  }
  return g_strv_builder_end(names);
}

gboolean
smb_list_rules(SmbCli *cli, const char *const *words, gboolean legends, GError **error) {
  static const SmbListingColumn columns[] = {
      {"arch", "arch", SMB_LISTING_TEXT},
      {"op", "op", SMB_LISTING_TEXT},
      {"width", "width", SMB_LISTING_NUMBER},
      {"lane_group", "lane group", SMB_LISTING_TEXT},
      {"paired_lane_group", "paired", SMB_LISTING_TEXT},
      {"conflict", "conflict", SMB_LISTING_TEXT},
      {"passes", "passes", SMB_LISTING_NUMBER},
      {"floor_cycles", "floor", SMB_LISTING_NUMBER},
      {"since", "since", SMB_LISTING_TEXT},
      {"evidence", "evidence", SMB_LISTING_TEXT},
      {"source", "source", SMB_LISTING_TEXT},
      {"banks", NULL, SMB_LISTING_NUMBER},
      {"disputed", NULL, SMB_LISTING_TEXT},
  };
  g_auto(GStrv) resolved = resolve_names(cli, words, error);
  const char *const *names = (const char *const *)resolved;
  if (!names)
    return FALSE;
  g_autoptr(SmbListing) listing = smb_listing_new("rules", columns, G_N_ELEMENTS(columns));
  for (guint i = 0; names[i]; i++) {
    if (!add_rules(cli, listing, names[i], error))
      return FALSE;
  }
  if (!add_multiprocessors(cli, listing, names, legends, error))
    return FALSE;
  if (legends)
    smb_listing_set_note(listing, rules_legend);
  smb_listing_set_vendor(listing, find_vendor(cli, names));
  cli->format->write(cli, listing);
  return TRUE;
}
