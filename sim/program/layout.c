// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/program/layout.h"

#include <stdlib.h>

#include "sim/base/error.h"

// Bits that the number of an element may have in a swizzle: offsets have 32.
enum {
  MAX_SWIZZLE_BITS = 32
};

// The lowest of the bits that a swizzle changes.
static guint
find_swizzled_bit(const SmbLayout *layout) {
  return layout->base + (layout->shift < 0 ? (guint)-layout->shift : 0);
}

// One of the numbers of "Swizzle<B,M,S>".
static int
read_swizzle_number(GMatchInfo *match, int group) {
  g_autofree char *digits = g_match_info_fetch(match, group);
  return atoi(digits);
}

gboolean
smb_layout_parse_swizzle(const char *text, SmbLayout *layout, GError **error) {
  g_autoptr(GRegex) form = g_regex_new("^\\s*(?:cute\\s*::\\s*)?Swizzle\\s*<\\s*(\\d{1,2})\\s*,"
                                       "\\s*(\\d{1,2})\\s*,\\s*(-?\\d{1,2})\\s*>\\s*$",
                                       0, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  if (!g_regex_match(form, text, 0, &match))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "'%s' is not a swizzle: expected Swizzle<B,M,S> such as Swizzle<3,3,3>", text);
  int bits = read_swizzle_number(match, 1), base = read_swizzle_number(match, 2),
      shift = read_swizzle_number(match, 3);
  if (ABS(shift) < bits)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "'%s': the bits that it reads and changes overlap: expected S of at least %d "
                    "or at most -%d",
                    text, bits, bits);
  if (bits + base + ABS(shift) > MAX_SWIZZLE_BITS)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "'%s' takes %d bits: expected B + M + |S| of at most %d", text,
                    bits + base + ABS(shift), MAX_SWIZZLE_BITS);
  layout->bits = (guint)bits;
  layout->base = (guint)base;
  layout->shift = shift;
  return TRUE;
}

guint
smb_layout_tensor_span(const SmbLayout *layout, guint64 row_bytes) {
  enum {
    CHUNK = 16, // bytes
    SHIFT = 3,  // from the number of a chunk to the row of 128 bytes that it is in
  };
  guint span = CHUNK << layout->bits;
  gboolean has_rows = layout->pad == 0 && (row_bytes == 0 || row_bytes == span);
  return layout->bits > 0 && layout->bits <= SHIFT && layout->shift == SHIFT && has_rows &&
                 layout->element_bytes << layout->base == CHUNK
             ? span
             : 0;
}

guint64
smb_layout_place(const SmbLayout *layout, guint64 n) {
  guint64 m = smb_layout_swizzle(layout, n);
  return (m / layout->columns * (layout->columns + layout->pad) + m % layout->columns) *
         layout->element_bytes;
}

gboolean
smb_layout_find(const SmbLayout *layout, guint64 offset, guint64 *n) {
  guint64 place = offset / layout->element_bytes, pitch = layout->columns + layout->pad;
  if (place % pitch >= layout->columns)
    return FALSE;
  // A swizzle whose bits do not overlap is its own inverse.
  *n = smb_layout_swizzle(layout, place / pitch * layout->columns + place % pitch);
  return TRUE;
}

guint64
smb_layout_bytes(const SmbLayout *layout, guint64 n) {
  guint64 unit =
      layout->bits ? G_GUINT64_CONSTANT(1) << (find_swizzled_bit(layout) + layout->bits) : 1;
  guint64 reached = (n + unit - 1) / unit * unit;
  if (n > layout->columns && n % layout->columns == 0)
    reached = (reached + layout->columns - 1) / layout->columns * layout->columns;
  return (reached + reached / layout->columns * layout->pad) * layout->element_bytes;
}

guint
smb_layout_vector_bytes(const SmbLayout *layout, guint64 n) {
  guint64 row = layout->columns * layout->element_bytes, pad = layout->pad * layout->element_bytes;
  guint64 element = layout->element_bytes & (0u - layout->element_bytes);
  gboolean has_rows = n > layout->columns;
  guint bytes = SMB_MAX_WIDTH;
  while (bytes > 1 && ((has_rows && (row % bytes || pad % bytes)) ||
                       (layout->bits && element << layout->base < bytes)))
    bytes /= 2;
  return bytes;
}

// Where the @width bytes go that one lane asks for at @offset of the array.
static SmbLayoutFit
move_lane(const SmbLayout *from, const SmbLayout *to, guint32 offset, guint width, guint64 *moved) {
  guint element = from->element_bytes, part = offset % element;
  guint64 n = 0;
  for (guint at = 0; at < part + width; at += element) {
    if (!smb_layout_find(from, offset - part + at, &n))
      return SMB_LAYOUT_OUTSIDE;
    guint64 place = smb_layout_place(to, n);
    if (at == 0)
      *moved = place + part;
    else if (place + part != *moved + at)
      return SMB_LAYOUT_TORN;
  }
  return SMB_LAYOUT_FITS;
}

SmbLayoutFit
smb_layout_move(const SmbLayout *from, const SmbLayout *to, guint32 array_base,
                const SmbRequest *request, SmbRequest *moved) {
  guint width = request->width;
  SmbRequest result = *request;
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    guint64 place = 0;
    if (request->offset[lane] < array_base)
      return SMB_LAYOUT_OUTSIDE;
    SmbLayoutFit fit = move_lane(from, to, request->offset[lane] - array_base, width, &place);
    if (fit != SMB_LAYOUT_FITS)
      return fit;
    if ((array_base + place) % smb_width_alignment(width))
      return SMB_LAYOUT_MISALIGNED;
    result.offset[lane] = (guint32)(array_base + place);
  }
  *moved = result;
  return SMB_LAYOUT_FITS;
}
