// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an access to the shared memory of another block takes (doc/model.md, "Shared memory of other blocks"): packets of 32 bytes, and no wavefronts.
#include "src/analysis/peer-access.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "sim/count/peer-packets.h"
#include "sim/time/chip.h"

enum {
  PACKET_BYTES = 32,
  SHIFT = 32,      // of the number of a block, above the bytes of its memory
  SHOWN_LANES = 3, // as examples
};

GArray *
smb_peer_accesses_choose(const SmbProgram *program, const SmbAnalysis *analysis, const char *file,
                         guint line) {
  GArray *chosen = g_array_new(FALSE, FALSE, sizeof(SmbPeerAccess));
  for (guint i = 0; analysis->peers && i < analysis->peers->len; i++) {
    const SmbPeerAccess *access = &g_array_index(analysis->peers, SmbPeerAccess, i);
    if (!line ||
        (access->site->line == line && smb_program_site_is_in(program, access->site, file)))
      g_array_append_val(chosen, *access);
  }
  return chosen;
}

// red.async, which is listed as a store.
static gboolean
is_reduction(const SmbPeerAccess *access) {
  const char *opcode = access->site->opcode ? access->site->opcode : "";
  return g_str_has_prefix(opcode, "red") || g_str_has_prefix(opcode, "REDAS");
}

// That, and st.async.
static gboolean
is_async_access(const SmbPeerAccess *access) {
  const char *opcode = access->site->opcode ? access->site->opcode : "";
  return strstr(opcode, ".async") || g_str_has_prefix(opcode, "STAS") ||
         g_str_has_prefix(opcode, "REDAS");
}

char *
smb_peer_access_name(const SmbPeerAccess *access) {
  g_autofree char *place = smb_site_place(access->site);
  return g_strdup_printf("%s at %s, in another block's shared memory", access->site->expression,
                         place);
}

guint
smb_peer_access_packets(const SmbPeerAccess *access) {
  guint64 addresses[SMB_MAX_LANES];
  if (is_async_access(access))
    return smb_lanes_count(access->lanes);
  for (guint lane = 0; lane < SMB_MAX_LANES; lane++)
    addresses[lane] = (guint64)access->rank[lane] << SHIFT | access->offset[lane];
  return (guint)smb_peer_packets(access->site->op_class, access->lanes, access->width, addresses)
      .packets;
}

// The blocks that are asked, as bits.
static guint
find_ranks(const SmbPeerAccess *access) {
  guint ranks = 0;
  for (SmbLanes rest = access->lanes; rest; rest &= rest - 1)
    ranks |= 1u << access->rank[smb_lanes_first(rest)];
  return ranks;
}

// "block 1", "blocks 1, 2 and 3"
static void
append_ranks(GString *text, guint ranks) {
  guint n = 0, all = (guint)__builtin_popcount(ranks);
  g_string_append(text, all == 1 ? "block " : "blocks ");
  for (; ranks; ranks &= ranks - 1, n++)
    g_string_append_printf(text, "%s%d",
                           n == 0         ? ""
                           : n + 1 == all ? " and "
                                          : ", ",
                           __builtin_ctz(ranks));
}

// Examples: where some lanes go.
static void
append_peer_lanes(GString *text, const SmbPeerAccess *access, gboolean names_blocks) {
  guint n = 0;
  for (SmbLanes rest = access->lanes; rest && n < SHOWN_LANES; rest &= rest - 1, n++) {
    guint lane = smb_lanes_first(rest);
    g_string_append_printf(text, "%slane %u %sbyte %u", n == 0 ? ": " : ", ", lane,
                           n == 0 ? "accesses " : "", access->offset[lane]);
    if (names_blocks)
      g_string_append_printf(text, " of block %u", access->rank[lane]);
  }
  g_string_append(text, smb_lanes_count(access->lanes) > SHOWN_LANES ? ", and so on." : ".");
}

// What packets take on an H200, which is the device on which they were measured first.
static void
append_packet_cycles(GString *text, SmbOpClass op_class, guint packets) {
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbChip) chip = arch ? smb_chip_load("h200", arch, NULL) : NULL;
  if (!chip)
    return;
  double cycles = smb_chip_packet_cycles(chip, op_class, packets);
  g_string_append_printf(text,
                         ". Where two blocks ask each other, a packet takes %.2f cycles (H200), "
                         "and the request %.0f",
                         cycles, packets * cycles);
}

static void
append_packets(GString *text, const SmbPeerAccess *access) {
  static const char *const rules[] = {
      [SMB_OP_CLASS_LOAD] = "one for each sector that the lanes read",
      [SMB_OP_CLASS_STORE] = "one for each sector, and two for one in which the lanes leave gaps",
      [SMB_OP_CLASS_ATOMIC] = "in each sector as many as there are lanes at one word"};
  const SmbOpClass op_class = access->site->op_class;
  guint packets = smb_peer_access_packets(access), n = smb_lanes_count(access->lanes);
  guint least = (n * access->width + PACKET_BYTES - 1) / PACKET_BYTES;
  g_string_append(text, " Banks matter little there, and there are no wavefronts: the request "
                        "goes through the port of the multiprocessor in packets of 32 bytes");
  if (is_async_access(access)) {
    g_string_append_printf(text,
                           ". Of an asynchronous one each lane is taken to send its own, %u in "
                           "all, which was not measured.",
                           packets);
    return;
  }
  g_string_append_printf(text, ", %s. This request takes %u", rules[op_class], packets);
  if (packets > least)
    g_string_append_printf(text, "; if its %u bytes followed each other it would take %u",
                           n * access->width, least);
  append_packet_cycles(text, op_class, packets);
  g_string_append_c(text, '.');
}

char *
smb_peer_access_describe(const SmbPeerAccess *access) {
  static const char *const verbs[][2] = {[SMB_OP_CLASS_LOAD] = {"loads", "from"},
                                         [SMB_OP_CLASS_STORE] = {"stores", "to"},
                                         [SMB_OP_CLASS_ATOMIC] = {"updates", "of"}};
  gboolean reduces = access->site->op_class == SMB_OP_CLASS_ATOMIC || is_reduction(access);
  const char *const *verb = verbs[reduces ? SMB_OP_CLASS_ATOMIC : access->site->op_class];
  GString *text = g_string_new(NULL);
  guint n = smb_lanes_count(access->lanes), ranks = find_ranks(access);
  g_string_append_printf(text, "Warp %u of block 0 %s %u bytes a lane, in %u lane%s, %s ",
                         access->warp, verb[0], access->width, n, smb_plural(n), verb[1]);
  append_ranks(text, ranks);
  g_string_append(text, " of its cluster");
  append_peer_lanes(text, access, (ranks & (ranks - 1)) != 0);
  append_packets(text, access);
  return g_string_free(text, FALSE);
}
