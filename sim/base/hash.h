// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Hashes that say whether two things are the same: of 64 bits, for one run of the program.
#pragma once

#include <string.h>

#include <glib.h>

/** smb_hash_mix: Adds a word to a hash. */
static inline void
smb_hash_mix(guint64 *hash, guint64 word) {
  guint64 mixed = (*hash ^ word) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  *hash = mixed ^ (mixed >> 32);
}

/** smb_hash_bytes: Adds @length bytes to a hash. */
static inline void
smb_hash_bytes(guint64 *hash, gconstpointer bytes, gsize length) {
  const guchar *from = bytes;
  for (gsize i = 0; i < length; i += sizeof(guint64)) {
    guint64 word = 0;
    memcpy(&word, from + i, MIN(sizeof word, length - i));
    smb_hash_mix(hash, word);
  }
}
