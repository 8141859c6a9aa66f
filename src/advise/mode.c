// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/mode.h"

#include <string.h>

#include "sim/advise/tile-mode.h"
#include "sim/arch/arch.h"
#include "sim/base/text.h"

enum {
  WGMMA_MAJOR = 9, // of the only chips with wgmma; later ones have tcgen05
  MAX_STARTS = 8,  // of the parts that a product reads, which are listed
};

gboolean
smb_advise_is_mode(const SmbAdviseLayout *layout) {
  return layout->candidate->mode.lines > 0;
}

void
smb_mode_descriptor(const SmbPlacement *mode, guint32 *leading, guint32 *stride) {
  const gboolean is_exchanged = mode->is_turned && !mode->span;
  *leading = is_exchanged ? mode->group : mode->next;
  *stride = is_exchanged ? mode->next : mode->group;
}

guint
smb_mode_bits(const SmbArch *arch, guint span) {
  guint bits = span ? 4 - (guint)__builtin_ctz(span / SMB_PLACED_CHUNK) : 0;
  return smb_arch_info(arch)->capability_major == WGMMA_MAJOR ? bits : 2 * bits;
}

char *
smb_mode_name(const SmbPlacedTile *tile, const SmbPlacement *mode) {
  guint32 leading, stride, leading_now, stride_now;
  if (mode->span)
    return g_strdup_printf("%u-byte swizzle", mode->span);
  smb_mode_descriptor(&tile->placement, &leading_now, &stride_now);
  smb_mode_descriptor(mode, &leading, &stride);
  if (leading != leading_now && stride != stride_now)
    return g_strdup_printf("byte offsets %u and %u", leading, stride);
  return leading != leading_now ? g_strdup_printf("leading byte offset %u", leading)
                                : g_strdup_printf("stride byte offset %u", stride);
}

char *
smb_mode_index(const SmbPlacement *mode) {
  return smb_placement_index(mode, mode->is_turned ? "k" : "r");
}

char *
smb_tile_index(const SmbPlacedTile *tile) {
  const SmbPlacement *now = &tile->placement;
  if (tile->is_torn || (now->span && (now->base || now->unit != SMB_PLACED_CHUNK ||
                                      now->start % (SMB_PLACED_PERIOD * now->span))))
    return NULL;
  return smb_mode_index(now);
}

// --- what changes

static SmbModeChange *
add_mode_change(GArray *changes, const char *what, char *text) {
  const SmbModeChange change = {what, g_ptr_array_new(), text};
  g_array_append_val(changes, change);
  return &g_array_index(changes, SmbModeChange, changes->len - 1);
}

static void
clear_change(gpointer data) {
  SmbModeChange *change = data;
  g_ptr_array_unref(change->sites);
  g_free(change->text);
}

static void
add_change_site(SmbModeChange *change, const SmbSite *site) {
  for (guint i = 0; i < change->sites->len; i++) {
    if (smb_site_shares_line(g_ptr_array_index(change->sites, i), site))
      return;
  }
  g_ptr_array_add(change->sites, (gpointer)site);
}

char *
smb_mode_places(const SmbModeChange *change) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < change->sites->len; i++) {
    g_autofree char *place = smb_site_place(g_ptr_array_index(change->sites, i));
    g_string_append_printf(text, "%s%s", smb_comma_and(i, change->sites->len), place);
  }
  return g_string_free(text, FALSE);
}

static const char *
name_map_swizzle(guint32 span) {
  return span == 128  ? "CU_TENSOR_MAP_SWIZZLE_128B"
         : span == 64 ? "CU_TENSOR_MAP_SWIZZLE_64B"
         : span == 32 ? "CU_TENSOR_MAP_SWIZZLE_32B"
                      : "CU_TENSOR_MAP_SWIZZLE_NONE";
}

// Whether two parts are described alike, but for where they begin.
static gboolean
are_parts_alike(const SmbPlacedRows *a, const SmbPlacedRows *b) {
  SmbPlacement moved = b->placement;
  moved.start = a->placement.start;
  return a->name == b->name && memcmp(&a->placement, &moved, sizeof moved) == 0;
}

// The parts that are described like number @first (transfer container) (element-type SmbPlacedRows); NULL: one before it is.
static GPtrArray *
find_parts_alike(const SmbPlacedTile *tile, guint first) {
  const SmbPlacedRows *part = g_ptr_array_index(tile->parts, first);
  g_autoptr(GPtrArray) alike = g_ptr_array_new();
  for (guint i = 0; i < tile->parts->len; i++) {
    const SmbPlacedRows *other = g_ptr_array_index(tile->parts, i);
    if (!are_parts_alike(part, other))
      continue;
    if (i < first)
      return NULL;
    g_ptr_array_add(alike, (gpointer)other);
  }
  return g_steal_pointer(&alike);
}

static char *
describe_map(const SmbPlacedTile *tile, const SmbPlacedRows *part, const SmbPlacement *mode) {
  const SmbPlacement *box = &part->placement;
  const guint32 row = MIN(mode->line_bytes, mode->width);
  GString *text = g_string_new(NULL);
  g_string_printf(text, "its tensor map has %s in place of %s", name_map_swizzle(mode->span),
                  name_map_swizzle(box->span));
  if (row != box->line_bytes)
    g_string_append_printf(text, ", and rows of %u bytes in place of %u", row, box->line_bytes);
  if (tile->placement.line_bytes > mode->width)
    g_string_append_printf(text, ": %u boxes, each %u bytes behind the one before",
                           mode->line_bytes / mode->width, mode->next);
  return g_string_free(text, FALSE);
}

// Where parts begin, from the beginning of the tile on: "0, 32, 64 and 96"
static void
append_starts(GString *text, const SmbPlacedTile *tile, const GPtrArray *parts,
              const SmbPlacement *placement) {
  g_autoptr(GArray) starts = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint i = 0; i < parts->len; i++) {
    guint32 line, x;
    smb_placed_tile_locate(tile, g_ptr_array_index(parts, i), &line, &x);
    guint32 start = smb_placement_at(placement, line, x);
    g_array_append_val(starts, start);
  }
  const guint n = MIN(starts->len, MAX_STARTS);
  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, "%s%u", n < starts->len && i ? ", " : smb_comma_and(i, n),
                           g_array_index(starts, guint32, i));
  if (n < starts->len)
    g_string_append(text, ", …");
}

static void
append_byte_offset(GString *text, const char *name, guint32 offset, guint32 now) {
  if (offset)
    g_string_append_printf(text, ", the %s byte offset %u", name, offset);
  else if (now)
    g_string_append_printf(text, ", the %s byte offset is not read", name);
  if (now)
    g_string_append_printf(text, " (now %u)", now);
}

static char *
describe_descriptor(const SmbAdviseReport *report, const SmbPlacedTile *tile,
                    const GPtrArray *parts, const SmbPlacement *mode) {
  const SmbPlacedRows *part = g_ptr_array_index(parts, 0);
  const gboolean is_wgmma = smb_arch_info(report->arch)->capability_major == WGMMA_MAJOR;
  SmbPlacement then = *mode; // as far as this product reads
  GString *text = g_string_new(NULL);
  guint32 leading, stride, leading_now, stride_now;
  if (part->placement.line_bytes <= mode->width)
    then.next = 0;
  smb_mode_descriptor(&then, &leading, &stride);
  smb_mode_descriptor(&part->placement, &leading_now, &stride_now);
  g_string_printf(text, "the descriptor of operand %c has ", part->name);
  if (mode->span != part->placement.span)
    g_string_append_printf(text, "%u in bits %s (%u-byte swizzle; now %u), the base offset 0",
                           smb_mode_bits(report->arch, mode->span), is_wgmma ? "62-63" : "61-63",
                           mode->span, smb_mode_bits(report->arch, part->placement.span));
  else
    g_string_append(text, "no swizzle, as now");
  append_byte_offset(text, "stride", stride, stride_now);
  append_byte_offset(text, "leading", leading, leading_now);
  g_string_append(text, ", and a start address ");
  append_starts(text, tile, parts, mode);
  g_string_append(text, " bytes behind the beginning of the tile (now ");
  append_starts(text, tile, parts, &tile->placement);
  g_string_append_c(text, ')');
  return g_string_free(text, FALSE);
}

static char *
describe_moved_bytes(const SmbPlacedTile *tile, const SmbPlacement *mode) {
  g_autofree char *index = smb_mode_index(mode), *before = smb_tile_index(tile);
  return g_strdup_printf("byte x of %s lies %s bytes behind the beginning of the tile%s%s%s",
                         mode->is_turned ? "k" : "row r", index, before ? " (now " : "",
                         before ? before : "", before ? ")" : "");
}

static void
add_access_change(GArray *changes, const SmbAdviseReport *report, const SmbAdviseArray *array,
                  const SmbPlacement *mode) {
  const GArray *accesses = array->now->candidate->accesses;
  SmbModeChange *change =
      add_mode_change(changes, "accesses", describe_moved_bytes(array->search->use->tile, mode));
  for (guint i = 0; i < accesses->len; i++)
    if (g_array_index(accesses, SmbTally, i).requests > 0)
      add_change_site(change, g_array_index(report->analysis->accesses, SmbAccess, i).site);
}

// The descriptions of a tile.
static void
add_part_changes(GArray *changes, const SmbAdviseReport *report, const SmbPlacedTile *tile,
                 const SmbPlacement *mode) {
  for (guint i = 0; i < tile->parts->len; i++) {
    const SmbPlacedRows *part = g_ptr_array_index(tile->parts, i);
    g_autoptr(GPtrArray) alike = find_parts_alike(tile, i);
    if (!alike)
      continue;
    SmbModeChange *change =
        part->name == SMB_PLACED_BOX
            ? add_mode_change(changes, "tensor map", describe_map(tile, part, mode))
            : add_mode_change(changes, "descriptor",
                              describe_descriptor(report, tile, alike, mode));
    for (guint j = 0; j < alike->len; j++)
      add_change_site(change, ((const SmbPlacedRows *)g_ptr_array_index(alike, j))->site);
  }
}

static gboolean
has_plain_copies(const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->traffic->len; i++) {
    SmbTraffic kind = g_array_index(analysis->traffic, SmbOtherTraffic, i).kind;
    if (kind == SMB_TRAFFIC_BULK || kind == SMB_TRAFFIC_STORE || kind == SMB_TRAFFIC_CLUSTER)
      return TRUE;
  }
  return FALSE;
}

static char *
describe_alignment(const SmbPlacedTile *tile, guint32 align) {
  const guint32 rest = tile->first % align;
  return rest ? g_strdup_printf("the tile begins at a multiple of %u bytes of shared memory, of "
                                "which it is %u behind one now",
                                align, rest)
              : g_strdup_printf(
                    "the tile begins at a multiple of %u bytes of shared memory, as it does now",
                    align);
}

GArray *
smb_mode_changes(const SmbAdviseReport *report, const SmbAdviseArray *array,
                 const SmbAdviseLayout *layout) {
  const SmbPlacement *mode = &layout->candidate->mode;
  const SmbPlacedTile *tile = array->search->use->tile;
  const guint32 align = SMB_PLACED_PERIOD * mode->span;
  GArray *changes = g_array_new(FALSE, FALSE, sizeof(SmbModeChange));
  g_array_set_clear_func(changes, clear_change);
  add_part_changes(changes, report, tile, mode);
  add_access_change(changes, report, array, mode);
  if (align)
    add_mode_change(changes, "alignment", describe_alignment(tile, align));
  if (has_plain_copies(report->analysis))
    add_mode_change(changes, "source",
                    g_strdup("what copies of consecutive bytes, or other blocks, bring to the tile "
                             "lies as it is to lie there"));
  return changes;
}

// --- how long it takes

const SmbAdviseLayout *
smb_advise_best_mode(const SmbAdviseArray *array) {
  for (guint i = 0; i < array->layouts->len; i++) {
    const SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, i);
    if (smb_advise_is_mode(layout) &&
        layout->candidate->total.wavefronts < array->now->candidate->total.wavefronts)
      return layout;
  }
  return NULL;
}

static void
add_tile_move(GArray *moves, const SmbAdviseArray *array, const SmbAdviseLayout *layout) {
  const SmbTileMove move = {&array->search->use->tile->placement, &layout->candidate->mode};
  g_array_append_val(moves, move);
}

static SmbLaunchTime *
predict_modes(const SmbAdviseReport *report, const GArray *moves) {
  const SmbAdviseCompiled *now = report->present;
  const SmbTimedMove move = {smb_tile_moves_apply, moves};
  return smb_launch_time_like(now->machine, report->arch, now->time, &move);
}

void
smb_advise_time_modes(SmbAdviseReport *report) {
  const SmbAdviseCompiled *now = report->present;
  g_autoptr(GArray) best = g_array_new(FALSE, FALSE, sizeof(SmbTileMove));
  if (!now || !now->time || !now->time->time)
    return;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    const SmbAdviseLayout *first = smb_advise_best_mode(array);
    for (guint j = 0; j < array->layouts->len; j++) {
      SmbAdviseLayout *layout = g_ptr_array_index(array->layouts, j);
      g_autoptr(GArray) moves = g_array_new(FALSE, FALSE, sizeof(SmbTileMove));
      if (!smb_advise_is_mode(layout))
        continue;
      add_tile_move(moves, array, layout);
      layout->time = predict_modes(report, moves);
    }
    if (first)
      add_tile_move(best, array, first);
  }
  if (best->len > 1)
    report->modes = predict_modes(report, best);
}

// Whether the launch is predicted to gain; @is_known: (out): whether anything is
static gboolean
time_gains(const SmbAdviseReport *report, const SmbLaunchTime *then, gboolean *is_known) {
  const SmbLaunchTime *now = smb_advise_time(report);
  if (!now || !now->time || !then || !then->time)
    return FALSE;
  *is_known = TRUE;
  return smb_advise_time_gains(now->time->cycles, then->time->cycles);
}

gboolean
smb_advise_mode_gains(const SmbAdviseReport *report, const SmbAdviseArray *array,
                      const SmbAdviseLayout *layout) {
  gboolean is_known = FALSE;
  if (layout->candidate->total.wavefronts >= array->now->candidate->total.wavefronts ||
      smb_advise_is_free(report))
    return FALSE;
  return time_gains(report, layout->time, &is_known) ||
         (layout == smb_advise_best_mode(array) && time_gains(report, report->modes, &is_known)) ||
         !is_known;
}

const SmbAdviseLayout *
smb_advise_recommended_mode(const SmbAdviseReport *report, const SmbAdviseArray *array) {
  const SmbAdviseLayout *best = smb_advise_best_mode(array);
  return best && smb_advise_mode_gains(report, array, best) ? best : NULL;
}
