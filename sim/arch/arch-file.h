// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an architecture holds, and its reader. Private to sim/arch.
#pragma once

#include "sim/arch/rule.h"

static inline gboolean
is_power_of_two(guint number) {
  return number != 0 && (number & (number - 1)) == 0;
}

/** How a file splits the lanes of a warp: into 2 to the power of @halvings groups of neighbours, or by @masks. */
typedef struct {
  guint8 halvings;
  guint8 n_masks;
  guint8 masks[SMB_MAX_GROUP_MASKS];
} SmbSplit;

/**
 * SmbRuleText: what a file says of a rule; its plans follow from that and from the geometry of the banks, which an
 * architecture that is like another one may have of its own
 * @group: the group of the file
 * @base: (nullable): the architecture that the rule was taken from
 * @banks: 0: as many as the architecture has
 * @unit_bytes: 0: the width, or a word if that is longer
 */
typedef struct {
  const char *group;
  const char *base;
  SmbSplit split;
  SmbSplit merged_split;
  guint banks;
  guint unit_bytes;
  guint conflict;
  guint counts_empty;
  guint source_lines;
  guint passes;
  guint floor;
  guint merged_floor;
  guint cycles;
} SmbRuleText;

struct _SmbArch {
  gatomicrefcount references;
  SmbArchInfo info;
  SmbRule rules[SMB_N_OPS][SMB_N_WIDTHS];
  SmbRuleText texts[SMB_N_OPS][SMB_N_WIDTHS];
  GStringChunk *strings; // all that info and rules point to
};

/**
 * smb_arch_read:
 * @name: the name that it gets
 * @is_user: whether it is a file of the user's, and @name its path
 * @text: the text of an .ini file
 * @length: its length in bytes
 * @depth: how many architectures are like this one, each like the next
 * @error: as smb_arch_new_from_data()
 *
 * Returns: (transfer full): the architecture
 */
G_GNUC_INTERNAL SmbArch *smb_arch_read(const char *name, gboolean is_user, const char *text,
                                       gsize length, guint depth, GError **error);

/**
 * smb_arch_make_plans:
 * @op, @width: of a rule that is defined
 * @error: SMB_ERROR_INPUT, "KEY: reason"
 *
 * Makes the plans of a rule from its text and the geometry of @arch.
 */
G_GNUC_INTERNAL gboolean smb_arch_make_plans(SmbArch *arch, SmbOp op, guint width, GError **error);

/** smb_arch_load_like: smb_arch_load() for an architecture that another one, at @depth − 1, is like. */
G_GNUC_INTERNAL SmbArch *smb_arch_load_like(const char *name, guint depth, GError **error);

/** Whether there is an architecture of that name; it is not read. */
G_GNUC_INTERNAL gboolean smb_arch_exists(const char *name);
