// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Any bytes as lines of a layout and its accesses: read or refused with a reason; what is read makes requests that hardware can execute.
#include "sim/layout/tile-access.h"
#include "tests/fuzz/targets.h"

static void
check_tile_access(const SmbTileAccess *access, const SmbTile *tile, const SmbSource *source) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) requests = smb_tile_access_requests(access, tile, source, &error);
  if ((requests == NULL) != (error != NULL))
    g_error("an access makes requests or is refused with a reason");
  for (guint i = 0; requests && i < requests->len; i++) {
    if (!smb_request_check(&g_array_index(requests, SmbTileRequest, i).request, NULL))
      g_error("a request is aligned and has its width");
  }
  if (smb_tile_access_coverage(access, tile).elements > tile->n)
    g_error("an access has elements of the tile");
}

// The first line is a layout, the others are accesses.
void
fuzz_layout(const guint8 *data, gsize size) {
  static const SmbTileDefaults defaults = {0};
  g_autoptr(GBytes) bytes = g_bytes_new(data, MIN(size, 4096));
  g_autoptr(SmbSource) source = smb_source_new("fuzz", bytes, NULL);
  g_autoptr(SmbTile) tile = NULL;
  for (guint32 at = 0, end; source && at < smb_source_length(source); at = end + 1) {
    const char *text = smb_source_text(source);
    for (end = at; text[end] && text[end] != '\n';)
      end++;
    SmbNotation notation = {.source = source, .at = at, .end = end};
    g_autoptr(GError) error = NULL;
    if (!tile) {
      tile = smb_tile_parse(&notation, &defaults, &error);
      if ((tile == NULL) != (error != NULL))
        g_error("a layout is read or refused with a reason");
      if (!tile)
        return;
      continue;
    }
    g_autoptr(SmbTileAccess) access = smb_tile_access_parse(&notation, tile, 32, &error);
    if ((access == NULL) != (error != NULL))
      g_error("an access is read or refused with a reason");
    if (access)
      check_tile_access(access, tile, source);
  }
}
