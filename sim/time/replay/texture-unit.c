// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/replay/texture-unit.h"

#include "sim/time/replay/multiprocessor-impl.h"

enum {
  QUAD = 4,
  EIGHT = 8,
  EIGHT_SHIFT = 6, // bytes that eight lanes have together, as a power of 2
  TILE_SHIFT = 8,  // bytes of a tile, the same
  MAX_SINGLE = 8,  // bytes of a texel that takes one turn,
  MAX_WEIGHED = 4, // and of one that is weighed
};

// --- turns

// Whether all first texels of eight lanes lie in 64 bytes.
static gboolean
are_close(const SmbTexels *texels, guint first) {
  guint64 least = G_MAXUINT64, most = 0;
  for (guint lane = first; lane < first + EIGHT; lane++) {
    guint64 stretch = texels->places[lane][0] >> EIGHT_SHIFT;
    least = texels->n[lane] ? MIN(least, stretch) : least;
    most = texels->n[lane] ? MAX(most, stretch) : most;
  }
  return most == 0 || least == most;
}

// The first texel of a lane, in sectors: those of a tile one after the other. An array has 32 bytes of 8 rows one after the other, which are a
// tile of texels of up to 4 bytes, and of what a surface has; that of larger texels has 64 bytes of 4 rows.
static guint64
find_sector(const SmbTexels *texels, guint lane) {
  enum {
    ROWS_BIT = 7, // that tells the upper 4 rows from the lower ones,
    HALF_BIT = 8, // and 32 bytes from the next ones
  };
  guint64 place = texels->places[lane][0];
  guint64 differs = (place >> ROWS_BIT ^ place >> HALF_BIT) & 1;
  gboolean is_surface = texels->way == SMB_TEXELS_LOADED || texels->way == SMB_TEXELS_STORED;
  if (texels->is_array && !is_surface && texels->width > MAX_WEIGHED)
    place ^= differs << ROWS_BIT | differs << HALF_BIT;
  return place >> SMB_SECTOR_SHIFT;
}

// How many tiles the first texels of some lanes lie in, of those that are at the same place of a tile; of none one.
static guint
count_conflicts(const SmbTexels *texels, guint first, guint n) {
  guint64 found[QUAD];
  guint n_found = 0, most = 1;
  guint tile = 1u << ((texels->is_array ? TILE_SHIFT : SMB_LINE_SHIFT) - SMB_SECTOR_SHIFT);
  for (guint lane = first; lane < first + n; lane++) {
    guint64 sector = find_sector(texels, lane);
    guint conflicts = 1;
    gboolean is_new = texels->n[lane] > 0;
    for (guint i = 0; i < n_found; i++) {
      is_new = is_new && found[i] != sector;
      conflicts += (sector ^ found[i]) % tile == 0;
    }
    if (!is_new)
      continue;
    found[n_found++] = sector;
    most = MAX(most, conflicts);
  }
  return most;
}

// How many texels a lane asks for, of those that have memory: of several levels more.
static guint
count_sampled_levels(const SmbTexels *texels) {
  guint most = 1, of_level = texels->is_linear ? (texels->has_depth ? 8 : 4) : 1;
  for (SmbLanes rest = texels->mask; rest; rest &= rest - 1)
    most = MAX(most, texels->n[smb_lanes_first(rest)]);
  return texels->way == SMB_TEXELS_GATHERED ? 1 : (most + of_level - 1) / of_level;
}

// Whether eight lanes may go together, and need no more than one turn for any of their texels.
static gboolean
goes_in_eights(const SmbTexels *texels) {
  return texels->way == SMB_TEXELS_ELEMENT || texels->way == SMB_TEXELS_LOADED ||
         texels->way == SMB_TEXELS_STORED ||
         (texels->way == SMB_TEXELS_FIRST_LEVEL && !texels->is_linear);
}

// Of a way that samples: how many lanes go together, and how often they do.
static guint
find_passes(const SmbTexels *texels, guint *lanes) {
  guint single = texels->is_linear ? MAX_WEIGHED : MAX_SINGLE;
  guint parts = MAX(1, texels->width / single), halves = MAX(1, parts / 2);
  *lanes = texels->way == SMB_TEXELS_GRADIENTS ? 1 : parts > 1 ? QUAD / 2 : QUAD;
  guint passes = halves;
  if (texels->is_linear && texels->has_depth)
    passes *= 2 * halves;
  return texels->way == SMB_TEXELS_GATHERED ? 2 * passes : passes;
}

guint
smb_texture_unit_count(const SmbTexels *texels) {
  guint turns = 0, together = QUAD;
  gboolean plain = goes_in_eights(texels);
  guint passes =
      plain && texels->way != SMB_TEXELS_FIRST_LEVEL ? 1 : find_passes(texels, &together);
  for (guint first = 0; first < SMB_NVIDIA_LANES; first += EIGHT) {
    if (plain && are_close(texels, first)) {
      turns++;
      continue;
    }
    for (guint group = first; group < first + EIGHT; group += together)
      turns += passes * count_conflicts(texels, group, together);
  }
  return turns * count_sampled_levels(texels);
}

// --- time

void
smb_texture_unit_issue(Multiprocessor *sm, Partition *partition, TimedWarp *warp,
                       const SmbTiming *timing, const SmbTimedRequest *request, double now) {
  const SmbChip *chip = sm->chip;
  double cycles = (request ? request->turns : 0) * chip->texture_turn;
  double start = smb_queue_start(sm, partition, now, sm->textures);
  if (request && request->n)
    start = smb_memory_path_room(sm, start);
  sm->textures = start + cycles;
  sm->busy[SMB_UNIT_TEXTURES] += cycles;
  smb_queue_leave(sm, partition, start, timing->sends * chip->register_interval);
  double latency = cycles * chip->texture_turn_latency +
                   (request && request->is_element ? chip->element_latency : chip->texture_latency);
  double begun = start - chip->queue_latency, there = begun + latency;
  // What the first-level cache does not have comes as much later as what it has.
  if (request && request->n)
    there = smb_memory_path_ask(sm, warp, request, begun) - chip->l1_latency + latency;
  sm->end = MAX(sm->end, there);
  smb_boards_hold(sm, warp, timing, now, start, there, SMB_STALL_LONG_SCOREBOARD);
}
