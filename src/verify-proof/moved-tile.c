// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/verify-proof/moved-tile.h"

#include "src/out/json.h"
#include "src/verify-proof/check-impl.h"

enum {
  BANK_BYTES = 4,
  MAX_ELEMENT_BYTES = 16,
  MAX_SHIFT = 30,
};

// --- reading

static gboolean
read_moved(JsonObject *request, const char *chip, guint64 n, SmbMoved *moved) {
  JsonArray *lanes = smb_json_get_array(request, "lanes");
  const char *mask = smb_json_get_text(request, "mask");
  gint64 width = smb_json_get_number(request, "width");
  gint64 times = smb_json_get_number(request, "times");
  guint given = 0;
  moved->width = (guint)CLAMP(width, 0, 17);
  moved->rule = smb_recount_rule(chip, smb_json_get_text(request, "op"), moved->width);
  moved->mask = mask ? g_ascii_strtoull(mask, NULL, 16) : 0;
  moved->times = (guint64)times;
  if (!moved->rule.access || times < 1 || times > G_MAXUINT32)
    return FALSE;
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++) {
    if (!(moved->mask >> lane & 1))
      continue;
    gint64 element = given < smb_verify_length(lanes) ? smb_verify_number(lanes, given++) : -1;
    if (lane >= moved->rule.givers || element < 0 || (guint64)element >= n)
      return FALSE;
    moved->element[lane] = (guint32)element;
  }
  return given > 0 && given == smb_verify_length(lanes);
}

SmbMovedTile *
smb_moved_tile_read(JsonObject *certificate, const char *chip) {
  g_autoptr(SmbMovedTile) tile = g_new0(SmbMovedTile, 1);
  JsonArray *requests = smb_json_get_array(certificate, "requests");
  gint64 bytes = smb_json_get_number(certificate, "element_bytes");
  gint64 n = smb_json_get_number(certificate, "elements");
  gint64 columns = smb_json_get_number(certificate, "columns");
  tile->requests = g_array_new(FALSE, FALSE, sizeof(SmbMoved));
  if (bytes < 1 || bytes > MAX_ELEMENT_BYTES || n < 1 || n > 1 << SMB_MOVED_MAX_BITS ||
      columns < 1 || columns > n)
    return NULL;
  tile->element_bytes = (guint)bytes;
  tile->n = (guint64)n;
  tile->columns = (guint64)columns;
  for (guint i = 0; i < smb_verify_length(requests); i++) {
    SmbMoved moved = {.width = 0};
    if (!read_moved(smb_verify_object(requests, i), chip, tile->n, &moved))
      return NULL;
    g_array_append_val(tile->requests, moved);
    tile->steps +=
        (guint64)__builtin_popcountll(moved.mask) * MAX(moved.width / tile->element_bytes, 1);
  }
  return tile->requests->len > 0 ? g_steal_pointer(&tile) : NULL;
}

void
smb_moved_tile_free(SmbMovedTile *tile) {
  if (!tile)
    return;
  g_array_unref(tile->requests);
  g_free(tile);
}

gboolean
smb_moved_layout_read(JsonObject *certificate, const SmbMovedTile *tile, SmbMovedLayout *layout) {
  JsonObject *object = smb_json_get_object(certificate, "layout");
  JsonArray *bases = smb_json_get_array(object, "bases");
  gint64 pad = smb_json_get_number(object, "pad"), bits = smb_json_get_number(object, "bits");
  gint64 base = smb_json_get_number(object, "base"), shift = smb_json_get_number(object, "shift");
  *layout = (SmbMovedLayout){.n_bases = smb_verify_length(bases)};
  for (guint i = 0; i < layout->n_bases; i++) {
    gint64 place = i < SMB_MOVED_MAX_BITS ? smb_verify_number(bases, i) : -1;
    if (place < 1 || (guint64)place >= tile->n)
      return FALSE;
    layout->bases[i] = (guint32)place;
  }
  if (layout->n_bases)
    return tile->n == (guint64)1 << layout->n_bases;
  if (!object || pad < 0 || pad > G_MAXUINT16 || bits < 0 || bits > MAX_SHIFT || base < 0 ||
      base > MAX_SHIFT || shift > MAX_SHIFT || shift < -MAX_SHIFT)
    return FALSE;
  layout->pad = (guint64)pad;
  layout->bits = (guint)bits;
  layout->base = (guint)base;
  layout->shift = (gint)shift;
  return TRUE;
}

// --- counting

static guint64
find_moved_place(const SmbMovedTile *tile, const SmbMovedLayout *layout, guint64 i) {
  guint64 place = 0, mask = ((guint64)1 << layout->bits) - 1;
  for (guint bit = 0; bit < layout->n_bases; bit++)
    place ^= i >> bit & 1 ? layout->bases[bit] : 0;
  if (layout->n_bases)
    return place;
  if (layout->shift >= 0)
    i ^= (i >> layout->base >> layout->shift & mask) << layout->base;
  else
    i ^= (i >> layout->base & mask) << layout->base << -layout->shift;
  return i / tile->columns * (tile->columns + layout->pad) + i % tile->columns;
}

static gboolean
find_moved_addresses(const SmbMovedTile *tile, const SmbMovedLayout *layout, const SmbMoved *moved,
                     guint64 *address) {
  guint n = MAX(moved->width / tile->element_bytes, 1);
  guint alignment = moved->width == 12 ? BANK_BYTES : moved->width;
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++) {
    if (!(moved->mask >> lane & 1))
      continue;
    guint64 first = find_moved_place(tile, layout, moved->element[lane]);
    address[lane] = first * tile->element_bytes;
    if (address[lane] % alignment || moved->element[lane] + n > tile->n)
      return FALSE;
    for (guint i = 1; i < n; i++) {
      if (find_moved_place(tile, layout, moved->element[lane] + i) != first + i)
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
smb_moved_tile_count(const SmbMovedTile *tile, const SmbMovedLayout *layout, SmbRecount *sum) {
  *sum = (SmbRecount){0, 0, 0};
  for (guint i = 0; i < tile->requests->len; i++) {
    const SmbMoved *moved = &g_array_index(tile->requests, SmbMoved, i);
    guint64 address[SMB_RECOUNT_LANES] = {0};
    if (!find_moved_addresses(tile, layout, moved, address))
      return FALSE;
    SmbRecount one = smb_recount(&moved->rule, moved->width, moved->mask, address);
    sum->wavefronts += one.wavefronts * (guint)moved->times;
    sum->ideal += one.ideal * (guint)moved->times;
    sum->degree = MAX(sum->degree, one.degree);
  }
  return TRUE;
}

guint
smb_moved_tile_row_bytes(const SmbMovedTile *tile) {
  guint bytes = 0;
  for (guint i = 0; i < tile->requests->len; i++)
    bytes = MAX(bytes, g_array_index(tile->requests, SmbMoved, i).rule.banks * BANK_BYTES);
  return bytes;
}
