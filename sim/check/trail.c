// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/check/trail.h"

enum {
  PIECE_BYTES = 64, // that have a bit each of a word
  N_KINDS = SMB_TRAIL_READ + 1,
};

typedef struct {
  guint64 number; // address / PIECE_BYTES
  guint64 bytes[N_KINDS];
} Piece;

struct _SmbTrail {
  char *kernel;
  GMutex lock;
  GHashTable *pieces; // Piece.number to Piece
};

SmbTrail *
smb_trail_new(const char *kernel) {
  SmbTrail *trail = g_new0(SmbTrail, 1);
  trail->kernel = g_strdup(kernel);
  g_mutex_init(&trail->lock);
  trail->pieces = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
  return trail;
}

void
smb_trail_free(SmbTrail *trail) {
  if (!trail)
    return;
  g_hash_table_unref(trail->pieces);
  g_mutex_clear(&trail->lock);
  g_free(trail->kernel);
  g_free(trail);
}

const char *
smb_trail_kernel(const SmbTrail *trail) {
  return trail->kernel;
}

// The bits of the first bytes from an address on that are in one piece. @n: (out): how many
static guint64
find_piece_bits(guint64 address, gsize length, gsize *n) {
  guint at = (guint)(address % PIECE_BYTES);
  *n = MIN(length, (gsize)PIECE_BYTES - at);
  return G_MAXUINT64 >> (PIECE_BYTES - *n) << at;
}

void
smb_trail_add(SmbTrail *trail, SmbTrailKind kind, guint64 address, gsize length) {
  g_mutex_lock(&trail->lock);
  for (gsize done = 0, n; done < length; done += n) {
    guint64 number = (address + done) / PIECE_BYTES;
    guint64 bits = find_piece_bits(address + done, length - done, &n);
    Piece *piece = g_hash_table_lookup(trail->pieces, &number);
    if (!piece) {
      piece = g_new0(Piece, 1);
      piece->number = number;
      g_hash_table_insert(trail->pieces, &piece->number, piece);
    }
    piece->bytes[kind] |= bits;
  }
  g_mutex_unlock(&trail->lock);
}

gboolean
smb_trail_has(const SmbTrail *trail, SmbTrailKind kind, guint64 address, gsize length) {
  for (gsize done = 0, n; done < length; done += n) {
    guint64 number = (address + done) / PIECE_BYTES;
    guint64 bits = find_piece_bits(address + done, length - done, &n);
    const Piece *piece = g_hash_table_lookup(trail->pieces, &number);
    if (piece && piece->bytes[kind] & bits)
      return TRUE;
  }
  return FALSE;
}
