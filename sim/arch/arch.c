// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Architectures by name: those that come with the program, their aliases, and the nearest one to an unknown chip.
#include "sim/arch/arch.h"

#include <stdlib.h>
#include <string.h>

#include "sim/arch/arch-file.h"
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/data.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/source.h"
#include "sim/base/suggest.h"

// Of a file of the user's.
enum {
  MAX_FILE_BYTES = 1 << 20
};

SmbArch *
smb_arch_new_from_data(const char *name, const char *text, GError **error) {
  return smb_arch_read(name, FALSE, text, strlen(text), 0, error);
}

gboolean
smb_arch_exists(const char *name) {
  g_autofree char *path = smb_data_find("archs", name, ".ini");
  return path != NULL;
}

SmbArch *
smb_arch_load_file(const char *path, GError **error) {
  g_autoptr(GBytes) bytes = smb_source_read_bytes(path, MAX_FILE_BYTES, error);
  if (!bytes)
    return NULL;
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return smb_arch_read(path, TRUE, text ? text : "", length, 0, error);
}

// "gfx90a" as 9, 0 and 10, "sm_86" as 8, 6 and 0; of waves of another size and of modes: not.
static gboolean
read_chip(const char *name, guint chip[3]) {
  const char *prefixes[] = {"gfx", "sm_"};
  for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++) {
    const char *digits = name + strlen(prefixes[i]);
    guint apart = i == 0 ? 2 : 1; // the last digits are each for themselves
    if (!g_str_has_prefix(name, prefixes[i]))
      continue;
    gsize length = strspn(digits, "0123456789abcdef");
    if (length <= apart || length > 5 || digits[length])
      return FALSE;
    g_autofree char *major = g_strndup(digits, length - apart);
    chip[0] = (guint)g_ascii_strtoull(major, NULL, 10);
    chip[1] = (guint)g_ascii_xdigit_value(digits[length - apart]);
    chip[2] = apart == 2 ? (guint)g_ascii_xdigit_value(digits[length - 1]) : 0;
    return TRUE;
  }
  return FALSE;
}

static gint64
number_chip(const guint chip[3], gboolean is_amd) {
  return is_amd ? ((gint64)chip[0] << 16) + (chip[1] << 8) + chip[2] : chip[0] * 10 + chip[1];
}

// How far apart two chips are. AMD's from gfx10 on are another family than those before.
static gint64
measure_chip_distance(const guint a[3], const guint b[3], gboolean is_amd) {
  const gint64 apart = is_amd && (a[0] >= 10) != (b[0] >= 10) ? G_MAXINT32 : 0;
  return apart + ABS(number_chip(a, is_amd) - number_chip(b, is_amd));
}

// The architecture of the same vendor whose number is the nearest (transfer full), or NULL of what is not written as a
// chip.
static char *
find_nearest(const char *name, const char *const *names) {
  guint chip[3], other[3];
  gint64 least = G_MAXINT64;
  const char *nearest = NULL;
  for (guint i = 0; read_chip(name, chip) && names[i]; i++) {
    if (names[i][0] != name[0] || !read_chip(names[i], other))
      continue;
    gint64 distance = measure_chip_distance(chip, other, name[0] == 'g');
    if (distance < least)
      nearest = names[i];
    least = MIN(least, distance);
  }
  return g_strdup(nearest);
}

// What to end the message with: the chip that may be meant, or the nearest one.
static char *
suggest(const char *name, const char *const *names) {
  g_autofree char *nearest = find_nearest(name, names);
  g_autoptr(SmbArch) arch = nearest ? smb_arch_load_like(nearest, 0, NULL) : NULL;
  if (!arch)
    return smb_suggest(name, names);
  return g_strdup_printf("; the nearest is '%s', %s, whose rules may not be those of '%s'", nearest,
                         arch->info.title, name);
}

SmbArch *
smb_arch_load_like(const char *name, guint depth, GError **error) {
  g_autofree char *path = smb_data_find("archs", name, ".ini");
  if (!path) {
    g_auto(GStrv) names = smb_arch_list();
    g_autofree char *list = g_strjoinv(", ", names);
    g_autofree char *meant = suggest(name, (const char *const *)names);
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "no architecture '%s': expected one of %s%s", name,
             list, meant);
    return NULL;
  }
  g_autoptr(GBytes) bytes = smb_data_load(path, error);
  if (!bytes)
    return NULL;
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return smb_arch_read(name, FALSE, text ? text : "", length, depth, error);
}

static gboolean
has_alias(const char *name, const char *alias) {
  g_autoptr(SmbArch) arch =
      smb_arch_load_like(name, 0, NULL); // a broken one is told when it is asked for
  g_auto(GStrv) aliases = g_strsplit(arch && arch->info.aliases ? arch->info.aliases : "", " ", -1);
  return g_strv_contains((const char *const *)aliases, alias);
}

// The architecture that is named so but for the case, or has such an alias; NULL: none.
static char *
find_alias(const char *name) {
  g_autofree char *alias = g_ascii_strdown(name, -1);
  g_auto(GStrv) names = smb_arch_list();
  for (guint i = 0; names[i]; i++) {
    if (g_ascii_strcasecmp(names[i], name) == 0 || has_alias(names[i], alias))
      return g_strdup(names[i]);
  }
  return NULL;
}

SmbArch *
smb_arch_load(const char *name, GError **error) {
  g_autofree char *meant = smb_arch_exists(name) ? NULL : find_alias(name);
  return smb_arch_load_like(meant ? meant : name, 0, error);
}

SmbArch *
smb_arch_load_wave(const char *name, guint lanes, GError **error) {
  g_autoptr(SmbArch) arch = smb_arch_load(name, error);
  if (!arch || !lanes || lanes == arch->info.lanes)
    return g_steal_pointer(&arch);
  g_autofree char *other = g_strdup_printf("%s_wave%u", arch->info.name, lanes);
  if (smb_arch_exists(other))
    return smb_arch_load(other, error);
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has no waves of %u lanes, only of %u",
           arch->info.name, lanes, arch->info.lanes);
  return NULL;
}

static int
compare_arch_names(gconstpointer a, gconstpointer b) {
  const char *names[2] = {*(const char *const *)a, *(const char *const *)b};
  guint64 numbers[2];
  gboolean amd[2];
  for (guint i = 0; i < 2; i++) {
    const char *digits = strpbrk(names[i], "0123456789");
    amd[i] = g_str_has_prefix(names[i], "gfx");
    // AMD's steppings are hexadecimal digits: gfx90a.
    numbers[i] = digits ? g_ascii_strtoull(digits, NULL, amd[i] ? 16 : 10) : G_MAXUINT64;
  }
  return smb_order(amd[0], amd[1]) ?: smb_order(numbers[0], numbers[1])
         ?: strcmp(names[0], names[1]);
}

GStrv
smb_arch_list(void) {
  GStrv names = smb_data_list("archs", ".ini");
  qsort(names, g_strv_length(names), sizeof *names, compare_arch_names);
  return names;
}

SmbArch *
smb_arch_ref(SmbArch *arch) {
  g_atomic_ref_count_inc(&arch->references);
  return arch;
}

void
smb_arch_unref(SmbArch *arch) {
  if (!arch || !g_atomic_ref_count_dec(&arch->references))
    return;
  g_string_chunk_free(arch->strings);
  g_free(arch);
}

const SmbArchInfo *
smb_arch_info(const SmbArch *arch) {
  return &arch->info;
}

const SmbRule *
smb_arch_rule(const SmbArch *arch, SmbOp op, guint width) {
  return &arch->rules[op][smb_width_index(width)];
}

gboolean
smb_arch_check_rule(const SmbArch *arch, SmbOp op, guint width, GError **error) {
  if (smb_arch_rule(arch, op, width)->defined)
    return TRUE;
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s has no rule for %s of %u bytes",
                  arch->info.name, smb_op_name(op), width);
}

guint
smb_arch_warps(const SmbArch *arch, guint threads) {
  return (threads + arch->info.lanes - 1) / arch->info.lanes;
}

gboolean
smb_arch_check_request(const SmbArch *arch, const SmbRequest *request, GError **error) {
  if (!smb_arch_check_rule(arch, (SmbOp)request->op, request->width, error))
    return FALSE;
  if (!(request->mask & ~smb_lanes_below(arch->info.lanes)))
    return TRUE;
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  smb_arch_say(arch, "lane %u is active: a warp of %s has %u lanes"),
                  smb_lanes_last(request->mask), arch->info.name, arch->info.lanes);
}

guint
smb_plan_group(const SmbPlan *plan, guint lane) {
  guint group = 0;
  if (plan->conflict == SMB_CONFLICT_LOOP)
    return 0;
  while (group + 1u < plan->n_groups && !(plan->groups[group] >> lane & 1))
    group++;
  return group;
}

SmbLanes
smb_plan_group_lanes(const SmbPlan *plan, guint group) {
  SmbLanes lanes = plan->groups[group];
  for (guint i = 1; plan->conflict == SMB_CONFLICT_LOOP && i < plan->n_groups; i++)
    lanes |= plan->groups[i];
  return lanes;
}

guint
smb_plan_n_groups(const SmbPlan *plan) {
  return plan->conflict == SMB_CONFLICT_LOOP ? 1 : smb_plan_count_groups(plan, plan->lanes);
}

guint
smb_plan_count_groups(const SmbPlan *plan, SmbLanes lanes) {
  guint n = 0;
  if (plan->counts_empty && lanes)
    return plan->n_groups;
  for (guint group = 0; group < plan->n_groups; group++)
    n += (plan->groups[group] & lanes) != 0;
  return n;
}

const char *
smb_plan_group_name(const SmbPlan *plan) {
  static const char *const names[] = {"warp", "half-warp", "quarter-warp"};
  SmbLanes first = plan->groups[0];
  gboolean neighbours = first == smb_lanes_below(smb_lanes_count(first));
  gboolean named = neighbours && plan->n_masks < G_N_ELEMENTS(names);
  return smb_vendor_say(plan->vendor, named ? names[plan->n_masks] : "lane group");
}
