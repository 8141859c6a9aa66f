// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/program/placement.h"

enum {
  ROW_SHIFT = 7, // a swizzle looks at the address in rows of 128 bytes
};

guint32
smb_placement_at(const SmbPlacement *placement, guint32 line, guint32 x) {
  return x / placement->width * placement->next + x % placement->width +
         line / SMB_PLACED_GROUP * placement->group + line % SMB_PLACED_GROUP * placement->pitch;
}

// Its own inverse: the bits that it looks at are not those that it changes.
static guint32
swizzle_place(const SmbPlacement *placement, guint32 place) {
  if (!placement->span)
    return place;
  const guint32 mask = placement->span / placement->unit - 1;
  return place ^ (((place >> ROW_SHIFT) - placement->base) & mask) * placement->unit;
}

guint32
smb_placement_locate(const SmbPlacement *placement, guint32 line, guint32 x) {
  return swizzle_place(placement, placement->start + smb_placement_at(placement, line, x));
}

gboolean
smb_placement_find(const SmbPlacement *placement, guint32 offset, guint32 *line, guint32 *x) {
  const guint32 place = swizzle_place(placement, offset);
  guint32 rest = place - placement->start, groups = 0, widths = 0;
  if (place < placement->start)
    return FALSE;
  if (placement->next > placement->group) {
    widths = rest / placement->next;
    rest %= placement->next;
  }
  if (placement->group) {
    groups = rest / placement->group;
    rest %= placement->group;
  }
  if (placement->next && placement->next <= placement->group) {
    widths = rest / placement->next;
    rest %= placement->next;
  }
  *line = groups * SMB_PLACED_GROUP + rest / placement->pitch;
  *x = widths * placement->width + rest % placement->pitch;
  return rest % placement->pitch < placement->width;
}

static guint32
count_widths(const SmbPlacement *placement) {
  return (placement->line_bytes + placement->width - 1) / placement->width;
}

static guint32
count_eights(const SmbPlacement *placement) {
  return (placement->lines + SMB_PLACED_GROUP - 1) / SMB_PLACED_GROUP;
}

gboolean
smb_placement_is_sound(const SmbPlacement *placement) {
  const guint32 groups = count_eights(placement), widths = count_widths(placement);
  const guint32 next = placement->next, group = placement->group;
  const guint64 eight = (guint64)MIN(placement->lines, SMB_PLACED_GROUP) * placement->pitch;
  if (placement->width > placement->pitch || (groups > 1 && group < eight) ||
      (widths > 1 && next < eight))
    return FALSE;
  if (groups == 1 || widths == 1)
    return TRUE;
  return next > group ? (guint64)groups * group <= next : (guint64)widths * next <= group;
}

guint32
smb_placement_bytes(const SmbPlacement *placement) {
  return smb_placement_at(placement, placement->lines - 1, placement->line_bytes - 1) + 1;
}

guint32
smb_placement_end(const SmbPlacement *placement) {
  return placement->start + smb_placement_bytes(placement);
}

// Lines up to the end of the last eight.
static guint32
round_lines(const SmbPlacement *placement) {
  return count_eights(placement) * SMB_PLACED_GROUP;
}

SmbPlacement
smb_placement_swizzle(const SmbPlacement *placement, guint32 span) {
  const guint32 period = SMB_PLACED_PERIOD * span;
  SmbPlacement then = *placement;
  then.start = (placement->start + period - 1) / period * period;
  then.width = then.pitch = then.span = span;
  then.unit = SMB_PLACED_CHUNK;
  then.base = 0;
  then.group = placement->lines > SMB_PLACED_GROUP ? SMB_PLACED_GROUP * span : 0;
  then.next = placement->line_bytes > span ? round_lines(placement) * span : 0;
  return then;
}

SmbPlacement
smb_placement_spread(const SmbPlacement *placement, guint32 by, gboolean is_group) {
  SmbPlacement then = *placement;
  if (is_group)
    then.group += by;
  else
    then.next += by;
  if (is_group && placement->next > placement->group)
    then.next += count_eights(placement) * by;
  if (!is_group && placement->group >= placement->next)
    then.group += count_widths(placement) * by;
  return then;
}

SmbLayoutFit
smb_placement_move(const SmbPlacement *from, const SmbPlacement *to, const SmbRequest *request,
                   SmbRequest *moved) {
  SmbRequest result = *request;
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes), offset = request->offset[lane];
    guint32 line, x;
    if (!smb_placement_find(from, offset, &line, &x) || line >= from->lines ||
        x >= from->line_bytes)
      return SMB_LAYOUT_OUTSIDE;
    // What a lane asks for at once is aligned to its width, and so within a chunk, but for 12 bytes.
    if (offset % SMB_PLACED_CHUNK + request->width > SMB_PLACED_CHUNK)
      return SMB_LAYOUT_TORN;
    result.offset[lane] = smb_placement_locate(to, line, x);
  }
  *moved = result;
  return SMB_LAYOUT_FITS;
}

// The bits of a line that a swizzle looks at, in units: "r / 2 % 4 * 16"
static char *
describe_exchange(const SmbPlacement *placement, const char *line) {
  const guint32 in_row = (1u << ROW_SHIFT) / placement->pitch;
  const guint32 mask = placement->span / placement->unit - 1;
  g_autofree char *rows = in_row > 1 ? g_strdup_printf("%s / %u", line, in_row) : g_strdup(line);
  return g_strdup_printf("%s %% %u * %u", rows, mask + 1, placement->unit);
}

char *
smb_placement_index(const SmbPlacement *placement, const char *line) {
  GString *text = g_string_new(NULL);
  const gboolean has_groups = placement->group != SMB_PLACED_GROUP * placement->pitch &&
                              placement->lines > SMB_PLACED_GROUP;
  const gboolean has_widths = placement->line_bytes > placement->width;
  if (has_widths)
    g_string_append_printf(text, "x / %u * %u + ", placement->width, placement->next);
  if (has_groups)
    g_string_append_printf(text, "%s / 8 * %u + ", line, placement->group);
  g_string_append_printf(text, "%s%s * %u", line, has_groups ? " % 8" : "", placement->pitch);
  g_autofree char *x = has_widths ? g_strdup_printf("x %% %u", placement->width) : g_strdup("x");
  if (placement->span) {
    g_autofree char *exchange = describe_exchange(placement, line);
    g_string_append_printf(text, " + (%s ^ %s)", x, exchange);
  } else {
    g_string_append_printf(text, " + %s", x);
  }
  return g_string_free(text, FALSE);
}
