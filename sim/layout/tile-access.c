// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From elements to requests.
#include "sim/layout/tile-access.h"

void
smb_tile_access_free(SmbTileAccess *access) {
  if (!access)
    return;
  g_free(access->text);
  g_free(access->element);
  g_free(access);
}

static gboolean
moves_matrices(const SmbTileAccess *access) {
  return access->op >= SMB_OP_LDMATRIX_X1;
}

// Bytes of @n elements; 0: they are no whole bytes.
static guint
whole_bytes(const SmbTile *tile, guint n) {
  guint bits = n * tile->element->bits;
  return bits % 8 ? 0 : bits / 8;
}

static gboolean
has_width(const SmbTileAccess *access, const SmbTile *tile, guint n) {
  return smb_op_has_width(access->op, whole_bytes(tile, n));
}

// Whether one instruction can move @n elements of a thread from @value on: they are adjacent, and aligned to all of them.
static gboolean
is_vector(const SmbTileAccess *access, const SmbTile *tile, guint warp, guint lane, guint value,
          guint n) {
  guint32 first = smb_tile_access_element(access, warp, lane, value);
  guint bits = tile->element->bits, bytes = whole_bytes(tile, n);
  if (first != SMB_TILE_NONE &&
      smb_tile_place(tile, first) % (bytes ? 8 * smb_width_alignment(bytes) : bits))
    return FALSE;
  for (guint i = 1; i < n; i++) {
    guint32 next = smb_tile_access_element(access, warp, lane, value + i);
    if ((first == SMB_TILE_NONE) != (next == SMB_TILE_NONE) ||
        (first != SMB_TILE_NONE &&
         smb_tile_place(tile, next) != smb_tile_place(tile, first) + (guint64)i * bits))
      return FALSE;
  }
  return TRUE;
}

// The first thread whose elements are not vectors of @n: (warp * lanes + lane) * values + value; G_MAXUINT: all are.
static guint
find_torn(const SmbTileAccess *access, const SmbTile *tile, guint n) {
  for (guint warp = 0; warp < access->n_warps; warp++) {
    for (guint lane = 0; lane < access->n_lanes; lane++) {
      for (guint value = 0; value < access->n_values; value += n) {
        if (!is_vector(access, tile, warp, lane, value, n))
          return (warp * access->n_lanes + lane) * access->n_values + value;
      }
    }
  }
  return G_MAXUINT;
}

// The widest vectors that all threads can use.
static guint
choose_vector(const SmbTileAccess *access, const SmbTile *tile) {
  guint most = 1u << (g_bit_storage(8 * SMB_MAX_WIDTH / tile->element->bits) - 1);
  for (guint n = MAX(most, 1); n > 1; n /= 2) {
    if (access->n_values % n == 0 && has_width(access, tile, n) &&
        find_torn(access, tile, n) == G_MAXUINT)
      return n;
  }
  return 1;
}

static gboolean
refuse_torn(const SmbTileAccess *access, const SmbTile *tile, guint at, const SmbSource *source,
            GError **error) {
  guint thread = at / access->n_values, value = at % access->n_values;
  g_autofree char *first =
      smb_tile_name(tile, smb_tile_access_element(access, thread / access->n_lanes,
                                                  thread % access->n_lanes, value));
  return smb_source_error(source, access->at, error,
                          "lane %u of warp %u cannot move %u elements at once from %s on: in this "
                          "layout they are not adjacent, or not aligned to %u bytes",
                          thread % access->n_lanes, thread / access->n_lanes, access->vector, first,
                          whole_bytes(tile, access->vector));
}

// One instruction of a warp.
static SmbTileRequest
make_request(const SmbTileAccess *access, const SmbTile *tile, guint warp, guint value,
             guint vector) {
  SmbTileRequest made = {
      .warp = warp,
      .request = {.op = (guint8)access->op, .width = (guint8)whole_bytes(tile, vector)}};
  for (guint lane = 0; lane < access->n_lanes; lane++) {
    guint32 element = smb_tile_access_element(access, warp, lane, value);
    if (element != SMB_TILE_NONE || moves_matrices(access))
      made.request.mask |= (SmbLanes)1 << lane;
    made.request.offset[lane] = element == SMB_TILE_NONE ? 0 : tile->offset[element];
  }
  return made;
}

GArray *
smb_tile_access_requests(const SmbTileAccess *access, const SmbTile *tile, const SmbSource *source,
                         GError **error) {
  guint vector = access->is_given ? access->vector : choose_vector(access, tile);
  guint torn = find_torn(access, tile, vector);
  if (torn != G_MAXUINT) {
    refuse_torn(access, tile, torn, source, error);
    return NULL;
  }
  if (!has_width(access, tile, vector)) {
    smb_source_error(source, access->at, error, "%s does not access %u bits",
                     smb_op_name(access->op), vector * tile->element->bits);
    return NULL;
  }
  GArray *requests = g_array_new(FALSE, FALSE, sizeof(SmbTileRequest));
  for (guint value = 0; value < access->n_values; value += vector) {
    for (guint warp = 0; warp < access->n_warps; warp++) {
      SmbTileRequest made = make_request(access, tile, warp, value, vector);
      if (made.request.mask)
        g_array_append_val(requests, made);
    }
  }
  return requests;
}

SmbTileCoverage
smb_tile_access_coverage(const SmbTileAccess *access, const SmbTile *tile) {
  SmbTileCoverage coverage = {.shared = SMB_TILE_NONE};
  g_autofree guint32 *threads = g_new0(guint32, tile->n);
  g_autofree guint32 *last = g_new0(guint32, tile->n); // the last thread that was counted, from 1
  for (guint thread = 0; thread < access->n_warps * access->n_lanes; thread++) {
    for (guint value = 0; value < access->n_values; value++) {
      guint32 element = access->element[(gsize)thread * access->n_values + value];
      if (element == SMB_TILE_NONE || last[element] == thread + 1)
        continue;
      coverage.elements += threads[element]++ == 0;
      last[element] = thread + 1;
      if (threads[element] > coverage.most_threads) {
        coverage.most_threads = threads[element];
        coverage.shared = element;
      }
    }
  }
  return coverage;
}
