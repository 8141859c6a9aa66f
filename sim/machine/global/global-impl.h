// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What global memory is made of: chunks that blocks have written. Private to global.c and home.c.
#pragma once

#include "sim/check/trail.h"
#include "sim/machine/machine.h"

enum {
  CHUNK_BYTES = 128,
  MIN_SLOTS = 64,
};

// Chunks of memory at addresses, whose numbers are those of no buffer.
#define ADDRESS_KEYS (G_GUINT64_CONSTANT(0xffff) << 48)

typedef struct {
  guint64 key; // number of the buffer, and of the chunk
  guint64 written[CHUNK_BYTES / 64];
  guchar bytes[CHUNK_BYTES];
  guchar marks[]; // CHUNK_BYTES of a program that tracks them
} Chunk;

struct _SmbGlobal {
  GHashTable *chunks; // &Chunk.key → Chunk
  gboolean is_empty;  // there are none
  GArray *contents;   // SmbContents by parameter: what was there before the launch
  GPtrArray *buffers; // that these are of, or NULL
  MemoryMap *map;     // (nullable): memory at addresses, before the launch
  GArray *homes;      // (nullable) Home: home.c
  guint last_home;
  SmbHomeWatch watch; // (nullable)
  gpointer watch_user;
  SmbTrail *trail;  // (nullable): SmbLaunch.trail
  guint n_numbered; // buffers that are no stretches of it
  guint n_parameters;
  GArray *reach;     // guint64 by number: end of the farthest byte that was accessed
  gboolean tracks;   // chunks have marks
  gboolean in_order; // smb_global_keep_order()
  gboolean blurred;  // nothing of it is known
  GArray *ordered;   // guint8 by number: smb_overlay_is_ordered()
  guint64 changes;   // smb_global_changes()
};

struct _Overlay {
  SmbGlobal *global; // may be NULL
  gboolean reads_through;
  gsize chunk_size;
  gboolean guesses;   // smb_block_set_guesses()
  gboolean blurred;   // nothing of it is known
  gboolean watches;   // smb_overlay_watch()
  gboolean changed;   // since then
  Chunk **slots;      // of chunks by key: a table that stays as large as a block needed it
  guint n_slots;      // a power of 2, more than twice as many as are used
  GPtrArray *storage; // Chunks, reused by the next block
  GPtrArray *written; // Objects, since it was cleared
  guint used;
  GArray *deferred;       // Deferred
  GPtrArray *deferred_in; // Objects, since it was cleared
  gboolean conflicts;     // smb_overlay_conflicts()
  Chunk *last;            // the chunk that was accessed last: neighbours are accessed together
};

// An atomic that was put off, of one lane.
typedef struct {
  const Move *move;
  guint64 key; // of its chunk
  guint at;    // in that
  guint32 values[DEFERRED_BYTES / 4];
} Deferred;

// What a block wrote.
struct _SmbWritten {
  GPtrArray *chunks; // Chunk
  GArray *deferred;  // Deferred: after these
  gboolean blurred;  // nothing of global memory is known
};

G_STATIC_ASSERT((int)CHUNK_BYTES == (int)MAP_STRETCH_BYTES);

static inline gboolean
is_chunk_written(const Chunk *chunk, guint i) {
  return chunk->written[i / 64] >> (i % 64) & 1;
}

// Where a chunk lies; 0: it has no address.
guint64 smb_chunk_address(const SmbGlobal *global, const Chunk *chunk);

// Where pieces of memory go that are written; NULL: nowhere, what is written is kept.
GArray *smb_homes_new(const SmbLaunch *launch);

// Writes what has a home there. @changed: (out): whether other bytes were there. Returns whether that is all of it, and
// all is known: nothing has to be kept.
gboolean smb_homes_put(SmbGlobal *global, const Chunk *chunk, gboolean *changed);

// Adds a chunk to what is kept, and takes it home.
void smb_global_merge(SmbGlobal *global, const Chunk *chunk, gboolean *changed);
