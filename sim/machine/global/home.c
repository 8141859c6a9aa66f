// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of a process that runs: what a block has written goes to where the process has it (SmbMemoryPiece.home), when
// the block has ended. What has no home, and of what it is not known which value it has, is also kept.
#include <string.h>

#include "sim/machine/access/access.h"
#include "sim/machine/global/global-impl.h"

typedef struct {
  guint64 address;
  guint64 bytes;
  guchar *home;
  guchar *written; // SmbMemoryPiece.written
} Home;

GArray *
smb_homes_new(const SmbLaunch *launch) {
  GArray *homes = NULL;
  for (guint i = 0; launch->memory && i < launch->memory->len; i++) {
    const SmbMemoryPiece *piece = &g_array_index(launch->memory, SmbMemoryPiece, i);
    const Home home = {piece->address, piece->bytes, piece->home, piece->written};
    if (!piece->home)
      continue;
    if (!homes)
      homes = g_array_new(FALSE, FALSE, sizeof(Home));
    g_array_append_val(homes, home);
  }
  return homes;
}

// The home that has an address, or NULL. Neighbours are asked for one after the other.
static const Home *
find_home(SmbGlobal *global, guint64 address) {
  const Home *homes = (const Home *)(gpointer)global->homes->data;
  if (address - homes[global->last_home].address < homes[global->last_home].bytes)
    return &homes[global->last_home];
  guint low = 0, high = global->homes->len;
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (homes[middle].address <= address)
      low = middle;
    else
      high = middle;
  }
  if (address - homes[low].address >= homes[low].bytes)
    return NULL;
  global->last_home = low;
  return &homes[low];
}

static void
note_home_written(const Home *home, guint64 offset, gsize length) {
  for (guint64 bit = offset; home->written && bit < offset + length; bit++)
    home->written[bit / 8] |= (guchar)(1u << bit % 8);
}

// Bytes that were written one after the other. Returns whether all have a home.
static gboolean
put_bytes(SmbGlobal *global, guint64 address, const guchar *bytes, gsize length,
          gboolean *changed) {
  for (gsize done = 0, n; done < length; done += n) {
    const Home *home = find_home(global, address + done);
    if (!home)
      return FALSE;
    guint64 offset = address + done - home->address;
    n = MIN(length - done, home->bytes - offset);
    if (!*changed || global->watch) {
      gboolean differs = memcmp(home->home + offset, bytes + done, n) != 0;
      *changed = *changed || differs;
      if (differs && global->watch)
        global->watch(global->watch_user, home->home + offset, n);
    }
    memcpy(home->home + offset, bytes + done, n);
    note_home_written(home, offset, n);
    if (global->trail)
      smb_trail_add(global->trail, SMB_TRAIL_WRITTEN, address + done, n);
  }
  return TRUE;
}

// The next bytes from *@at on that the chunk has, one after the other: moves *@at there. Returns how many; 0: no more.
static guint
find_written_run(const Chunk *chunk, guint *at) {
  enum {
    BITS = 64,
  };
  guint end = 0;
  for (; *at < CHUNK_BYTES; *at += BITS - *at % BITS) {
    guint64 bits = chunk->written[*at / BITS] >> (*at % BITS);
    if (bits) {
      *at += (guint)__builtin_ctzll(bits);
      break;
    }
  }
  for (end = *at; end < CHUNK_BYTES; end += BITS - end % BITS) {
    guint64 gaps = ~chunk->written[end / BITS] >> (end % BITS);
    if (gaps)
      return end + (guint)__builtin_ctzll(gaps) - *at;
  }
  return end - *at;
}

static gboolean
is_all_known(const Chunk *chunk, guint at, guint length) {
  guchar known = MARK_KNOWN;
  for (guint i = at; i < at + length; i++)
    known &= chunk->marks[i];
  return known != 0;
}

gboolean
smb_homes_put(SmbGlobal *global, const Chunk *chunk, gboolean *changed) {
  guint64 address = smb_chunk_address(global, chunk);
  gboolean is_home = address != 0;
  for (guint i = 0, n; address && (n = find_written_run(chunk, &i)) > 0; i += n)
    is_home = put_bytes(global, address + i, chunk->bytes + i, n, changed) &&
              (!global->tracks || is_all_known(chunk, i, n)) && is_home;
  return is_home;
}

// What is there of a chunk, as far as it goes: bytes that have a home, and what is kept of it.
static void
find_chunk_now(SmbGlobal *global, Chunk *chunk, guint at, gsize length) {
  guint64 address = smb_chunk_address(global, chunk);
  const Home *home = address ? find_home(global, address + at) : NULL;
  const Chunk *kept = global->is_empty ? NULL : g_hash_table_lookup(global->chunks, &chunk->key);
  memset(chunk->bytes + at, 0, length);
  memset(chunk->marks + at, home ? MARK_KNOWN : 0, length);
  if (home)
    memcpy(chunk->bytes + at, home->home + (address + at - home->address),
           MIN(length, home->address + home->bytes - address - at));
  for (guint i = at; kept && i < at + length; i++) {
    if (is_chunk_written(kept, i)) {
      chunk->bytes[i] = kept->bytes[i];
      chunk->marks[i] = kept->marks[i];
    }
  }
}

// The turn of an atomic that was put off. @chunk: room for one
static void
put_deferred(SmbGlobal *global, const Deferred *deferred, Chunk *chunk, gboolean *changed) {
  const Move *move = deferred->move;
  MarkedWords before, operand, after;
  guint width = move->width, n = (width + 3) / 4;
  chunk->key = deferred->key;
  find_chunk_now(global, chunk, deferred->at, width);
  for (guint word = 0; word < n; word++) {
    gsize bytes = MIN(width, 4);
    guint32 mark = MARKS_KNOWN;
    before.values[word][0] = 0;
    memcpy(&before.values[word][0], chunk->bytes + deferred->at + 4 * word, bytes);
    memcpy(&mark, chunk->marks + deferred->at + 4 * word, bytes);
    before.marks[word][0] = mark;
    operand.values[word][0] = deferred->values[word];
    operand.marks[word][0] = MARKS_KNOWN;
  }
  // It flushes denormals: PTX ISA, atom: .add.f32.
  smb_words_update(move, 0, TRUE, &operand, NULL, &before, &after);
  memset(chunk->written, 0, sizeof chunk->written);
  for (guint word = 0; word < n; word++) {
    memcpy(chunk->bytes + deferred->at + 4 * word, &after.values[word][0], MIN(width, 4));
    memcpy(chunk->marks + deferred->at + 4 * word, &after.marks[word][0], MIN(width, 4));
  }
  for (guint i = deferred->at; i < deferred->at + width; i++)
    chunk->written[i / 64] |= (guint64)1 << (i % 64);
  smb_global_merge(global, chunk, changed);
}

void
smb_global_put(SmbGlobal *global, const SmbWritten *written) {
  gboolean changed = FALSE;
  global->blurred = global->blurred || written->blurred;
  for (guint i = 0; i < written->chunks->len; i++)
    smb_global_merge(global, g_ptr_array_index(written->chunks, i), &changed);
  g_autofree Chunk *chunk =
      written->deferred->len > 0 ? g_malloc0(sizeof(Chunk) + CHUNK_BYTES) : NULL;
  for (guint i = 0; i < written->deferred->len; i++)
    put_deferred(global, &g_array_index(written->deferred, Deferred, i), chunk, &changed);
  global->changes += changed;
}

void
smb_global_watch_homes(SmbGlobal *global, SmbHomeWatch watch, gpointer user) {
  global->watch = watch;
  global->watch_user = user;
}

gboolean
smb_global_is_settled(const SmbGlobal *global) {
  return global->is_empty && !global->blurred;
}

gboolean
smb_global_is_blurred(const SmbGlobal *global) {
  return global->blurred;
}

guint64
smb_written_bytes(const SmbWritten *written) {
  return written->chunks->len * (sizeof(Chunk) + CHUNK_BYTES) +
         written->deferred->len * sizeof(Deferred);
}

void
smb_written_free(SmbWritten *written) {
  if (!written)
    return;
  g_ptr_array_unref(written->chunks);
  g_array_unref(written->deferred);
  g_free(written);
}
