// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/arch/arch.h"
#include "tests/random-arch.h"

static guint
below(SmbRandom *random, guint n) {
  return smb_random_below(random, n);
}

static gboolean
happens(SmbRandom *random, guint once_in) {
  return below(random, once_in) == 0;
}

// Masks none of which is made of others: each halves what the others leave.
static Groups
make_groups(SmbRandom *random, guint n_lanes, guint n_masks) {
  Groups groups = {{0}};
  for (guint n = 0; n < n_masks;) {
    guint8 mask = (guint8)(1 + below(random, n_lanes - 1));
    gboolean made_of_others = FALSE;
    for (guint set = 0; set < 1u << n; set++) {
      guint8 sum = 0;
      for (guint i = 0; i < n; i++)
        sum ^= set >> i & 1 ? groups.masks[i] : 0;
      made_of_others |= sum == mask;
    }
    if (!made_of_others)
      groups.masks[n++] = mask;
  }
  return groups;
}

static void
append_groups(GString *text, const char *key, const Groups *groups, guint n_lanes) {
  const guint8 *masks = groups->masks;
  g_string_append_printf(text, "%s=", key);
  if (!masks[0]) {
    g_string_append(text, "warp\n");
  } else if (masks[0] == n_lanes / 2 && !masks[1]) {
    g_string_append(text, "half\n");
  } else if (masks[0] == n_lanes / 2 && masks[1] == n_lanes / 4 && !masks[2]) {
    g_string_append(text, "quarter\n");
  } else {
    for (guint i = 0; masks[i]; i++)
      g_string_append_printf(text, "%s0x%x", i ? " " : "", masks[i]);
    g_string_append_c(text, '\n');
  }
}

// Half of them are those that chips have: neighbours.
static Groups
choose_groups(SmbRandom *random, guint n_lanes, guint n_masks) {
  if (happens(random, 2))
    return make_groups(random, n_lanes, n_masks);
  Groups groups = {{0}};
  for (guint i = 0; i < n_masks; i++)
    groups.masks[i] = (guint8)(n_lanes >> (i + 1));
  return groups;
}

static Wait
choose_wait(SmbRandom *random, SmbOp op) {
  static const Wait waits[] = {WAIT_WORDS, WAIT_WORDS, WAIT_LANES, WAIT_PLACES, WAIT_ANNOUNCE};
  if (op == SMB_OP_ATOM_LOOP && happens(random, 2))
    return WAIT_ROUNDS;
  return waits[below(random, G_N_ELEMENTS(waits))];
}

// The bytes that a lane asks for at once; 0: there is no way to serve the width with these banks.
static guint
choose_unit(SmbRandom *random, const Oracle *oracle, const Line *line, guint width) {
  guint word = oracle->bank_bytes, banks = line->banks ? line->banks : oracle->banks;
  guint whole = MAX(width, word);
  if (whole > banks * word || (line->wait == WAIT_ANNOUNCE && width == 12))
    return 0;
  if (line->wait == WAIT_ANNOUNCE)
    return oracle->rows == 1 ? word : 0;
  gboolean splits = whole > word && width != 12 && line->wait != WAIT_ROUNDS && happens(random, 8);
  return splits ? word << below(random, (guint)__builtin_ctz(whole / word)) : whole;
}

static const char *const wait_names[] = {
    [WAIT_WORDS] = "words",      [WAIT_LANES] = "lanes",
    [WAIT_PLACES] = "addresses", [WAIT_ANNOUNCE] = "one-broadcast",
    [WAIT_ROUNDS] = "loop",
};

// Adds a rule to the text and to the oracle, or none.
static void
add_rule(SmbRandom *random, SmbOp op, guint width, Oracle *oracle, guint *n_lines, GString *text) {
  gboolean matrix = smb_op_address_lanes(op) < oracle->lanes;
  Line line = {.wait = choose_wait(random, op), .ops = 1u << op, .widths = 1u << width};
  if (happens(random, 3))
    line.banks = 1u << below(random, 7);
  guint unit = choose_unit(random, oracle, &line, width);
  if (!unit)
    return;
  // The oracle tries all sets of shared words to announce: few lanes then.
  guint n_masks = below(random, 5);
  if (line.wait == WAIT_ANNOUNCE)
    n_masks = MAX(n_masks, oracle->lanes == 64 ? 3u : 2u);
  line.groups = choose_groups(random, oracle->lanes, n_masks);
  line.piece = unit < width ? unit : 0;
  line.rounds = line.piece ? 1 : (line.wait == WAIT_ROUNDS) + below(random, 3);
  line.pace = 1 + below(random, 3);
  line.least = 1 + below(random, 8);
  line.merged_least = line.wait == WAIT_ROUNDS ? line.least : 1 + below(random, 4);
  line.merges = n_masks > 0 && !matrix && line.wait != WAIT_ANNOUNCE && happens(random, 3);
  line.pays_all = !matrix && line.wait != WAIT_ROUNDS && happens(random, 3);
  g_string_append_printf(text, "[%s %u]\n", smb_op_name(op), width);
  append_groups(text, "group", &line.groups, oracle->lanes);
  if (line.merges) {
    line.merged_groups = choose_groups(random, oracle->lanes, below(random, n_masks));
    append_groups(text, "merged-group", &line.merged_groups, oracle->lanes);
    if (line.wait != WAIT_ROUNDS)
      g_string_append_printf(text, "merged-floor=%u\n", line.merged_least);
  }
  if (line.banks)
    g_string_append_printf(text, "banks=%u\n", line.banks);
  if (unit != MAX(width, oracle->bank_bytes) || happens(random, 4))
    g_string_append_printf(text, "unit-bytes=%u\n", unit);
  if (line.pays_all)
    g_string_append(text, "empty-groups=count\n");
  g_string_append_printf(text,
                         "conflict=%s\npasses=%u\nfloor=%u\ncycles-per-wavefront=%u\n"
                         "evidence=assumed\nsource=made up\n",
                         wait_names[line.wait], line.piece ? width / line.piece : line.rounds,
                         line.least, line.pace);
  oracle->lines[(*n_lines)++] = line;
}

char *
random_arch_text(SmbRandom *random, Oracle *oracle) {
  GString *text = g_string_new(NULL);
  guint n_lines = 0;
  *oracle = (Oracle){.name = "made-up",
                     .lanes = happens(random, 2) ? 64 : 32,
                     .banks = 1u << below(random, 7),
                     .bank_bytes = happens(random, 3) ? 8 : 4,
                     .rows = happens(random, 3) ? 2 << below(random, 2) : 1};
  g_string_append_printf(text,
                         "[arch]\ntitle=made up\ncompute-capability=9.0\nlanes=%u\nbanks=%u\n"
                         "bank-bytes=%u\n",
                         oracle->lanes, oracle->banks, oracle->bank_bytes);
  if (oracle->rows > 1 || happens(random, 2))
    g_string_append_printf(text, "row-bytes=%u\n",
                           oracle->banks * oracle->bank_bytes * oracle->rows);
  g_string_append(text, "static-shared-bytes=49152\nmax-shared-bytes=65536\nmax-threads=1024\n"
                        "global-segment-bytes=32\nevidence=assumed\nsource=made up\n");
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++) {
      if (smb_op_has_width((SmbOp)op, smb_width(i)))
        add_rule(random, (SmbOp)op, smb_width(i), oracle, &n_lines, text);
    }
  }
  return g_string_free(text, FALSE);
}

SmbArch *
random_arch(SmbRandom *random, Oracle *oracle) {
  g_autofree char *text = random_arch_text(random, oracle);
  g_autoptr(GError) error = NULL;
  SmbArch *arch = smb_arch_new_from_data("made-up", text, &error);
  if (!arch)
    g_error("%s in\n%s", error->message, text);
  return arch;
}
