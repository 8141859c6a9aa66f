// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/check/trail.h"

enum {
  WORD_BITS = 64,     // of a word, each for a byte
  PIECE_BYTES = 4096, // that have bits together
  N_KINDS = SMB_TRAIL_READ + 1,
};

// @bits: by kind: (nullable): PIECE_BYTES / WORD_BITS words
typedef struct {
  guint64 number; // address / PIECE_BYTES
  guint64 *bits[N_KINDS];
} Piece;

struct _SmbTrail {
  gatomicrefcount references;
  char *kernel;
  GMutex lock;
  GHashTable *pieces; // Piece.number to Piece
};

static void
free_piece(gpointer data) {
  Piece *piece = data;
  for (guint i = 0; i < N_KINDS; i++)
    g_free(piece->bits[i]);
  g_free(piece);
}

SmbTrail *
smb_trail_new(const char *kernel) {
  SmbTrail *trail = g_new0(SmbTrail, 1);
  g_atomic_ref_count_init(&trail->references);
  trail->kernel = g_strdup(kernel);
  g_mutex_init(&trail->lock);
  trail->pieces = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_piece);
  return trail;
}

SmbTrail *
smb_trail_ref(SmbTrail *trail) {
  if (trail)
    g_atomic_ref_count_inc(&trail->references);
  return trail;
}

void
smb_trail_unref(SmbTrail *trail) {
  if (!trail || !g_atomic_ref_count_dec(&trail->references))
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

// The bits of the first bytes from an address on that are in one word. @n: (out): how many
static guint64
find_word_bits(guint64 address, gsize length, gsize *n) {
  guint at = (guint)(address % WORD_BITS);
  *n = MIN(length, (gsize)WORD_BITS - at);
  return G_MAXUINT64 >> (WORD_BITS - *n) << at;
}

static Piece *
open_piece(SmbTrail *trail, SmbTrailKind kind, guint64 number) {
  Piece *piece = g_hash_table_lookup(trail->pieces, &number);
  if (!piece) {
    piece = g_new0(Piece, 1);
    piece->number = number;
    g_hash_table_insert(trail->pieces, &piece->number, piece);
  }
  if (!piece->bits[kind])
    piece->bits[kind] = g_new0(guint64, PIECE_BYTES / WORD_BITS);
  return piece;
}

void
smb_trail_add(SmbTrail *trail, SmbTrailKind kind, guint64 address, gsize length) {
  g_mutex_lock(&trail->lock);
  for (gsize done = 0, n; done < length; done += n) {
    guint64 at = address + done, bits = find_word_bits(at, length - done, &n);
    const Piece *piece = open_piece(trail, kind, at / PIECE_BYTES);
    piece->bits[kind][at % PIECE_BYTES / WORD_BITS] |= bits;
  }
  g_mutex_unlock(&trail->lock);
}

gboolean
smb_trail_has(const SmbTrail *trail, SmbTrailKind kind, guint64 address, gsize length) {
  for (gsize done = 0, n; done < length; done += n) {
    guint64 at = address + done, number = at / PIECE_BYTES;
    guint64 bits = find_word_bits(at, length - done, &n);
    const Piece *piece = g_hash_table_lookup(trail->pieces, &number);
    if (piece && piece->bits[kind] && piece->bits[kind][at % PIECE_BYTES / WORD_BITS] & bits)
      return TRUE;
  }
  return FALSE;
}
