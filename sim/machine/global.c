// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Global memory: buffers that read as their element numbers, and what blocks write over them. A block
// writes into its own overlay, chunk by chunk; what it leaves behind is committed when it ends.
#include <string.h>

#include "sim/machine/machine.h"

enum {
  CHUNK_BYTES = 128
};

typedef struct {
  guint64 key; // number of the buffer, and of the chunk
  guint64 written[CHUNK_BYTES / 64];
  guchar bytes[CHUNK_BYTES];
  guchar marks[]; // CHUNK_BYTES of a program that tracks them
} Chunk;

struct _SmbGlobal {
  GHashTable *chunks; // &Chunk.key → Chunk
  GArray *contents;   // SmbContents by parameter: what was there before the launch
  GPtrArray *buffers; // that these are of, or NULL
  GArray *reach;      // guint64 by number: end of the farthest byte that was touched
  gboolean tracks;    // chunks have marks
  gboolean in_order;  // smb_global_keep_order()
  gboolean blurred;   // nothing of it is known
  GArray *ordered;    // guint8 by number: smb_overlay_is_ordered()
  guint64 changes;    // smb_global_changes()
};

struct _Overlay {
  SmbGlobal *global; // may be NULL
  gboolean reads_through;
  gsize chunk_size;
  gboolean blurred; // nothing of it is known
  GHashTable *chunks;
  GPtrArray *storage; // Chunks, reused by the next block
  guint used;
  Chunk *last; // the chunk that was touched last: neighbours are touched together
};

static guint64
make_key(guint buffer, guint64 offset) {
  return (guint64)buffer << 48 | offset / CHUNK_BYTES;
}

static guint
hash_key(gconstpointer key) {
  return (guint)((*(const guint64 *)key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)) >> 32);
}

static GHashTable *
new_table(GDestroyNotify free_chunk) {
  return g_hash_table_new_full(hash_key, g_int64_equal, NULL, free_chunk);
}

SmbGlobal *
smb_global_new(const SmbProgram *program, const SmbLaunch *launch) {
  SmbGlobal *global = g_new0(SmbGlobal, 1);
  global->contents = g_array_new(FALSE, TRUE, sizeof(SmbContents));
  global->buffers = launch->buffers ? g_ptr_array_ref(launch->buffers) : NULL;
  for (guint i = 0; i < smb_program_n_parameters(program); i++) {
    SmbContents contents = smb_launch_contents(launch, program, i);
    g_array_append_val(global->contents, contents);
  }
  global->chunks = new_table(g_free);
  global->tracks = program->tracks;
  global->reach = g_array_new(FALSE, TRUE, sizeof(guint64));
  global->ordered = g_array_new(FALSE, TRUE, sizeof(guint8));
  return global;
}

void
smb_global_keep_order(SmbGlobal *global) {
  global->in_order = TRUE;
}

void
smb_global_free(SmbGlobal *global) {
  if (!global)
    return;
  g_hash_table_unref(global->chunks);
  g_array_unref(global->contents);
  g_clear_pointer(&global->buffers, g_ptr_array_unref);
  g_array_unref(global->reach);
  g_array_unref(global->ordered);
  g_free(global);
}

guint64
smb_global_reach(const SmbGlobal *global, guint parameter) {
  return parameter < global->reach->len ? g_array_index(global->reach, guint64, parameter) : 0;
}

void
smb_global_take(SmbGlobal *global, SmbGlobal *from) {
  SmbGlobal held = *global;
  *global = *from;
  *from = held;
}

guint64
smb_global_changes(const SmbGlobal *global) {
  return global->changes;
}

static void
note_reach(SmbGlobal *global, const Object *object, guint64 end) {
  if (!global)
    return;
  if (object->buffer >= global->reach->len)
    g_array_set_size(global->reach, object->buffer + 1);
  guint64 *reach = &g_array_index(global->reach, guint64, object->buffer);
  *reach = MAX(*reach, end);
}

static gboolean
is_written(const Chunk *chunk, guint i) {
  return chunk->written[i / 64] >> (i % 64) & 1;
}

// Lays the bytes that a chunk has over @bytes, which start @at bytes into it.
static void
lay_over(const Chunk *chunk, guint at, guchar *bytes, guchar *marks, gsize length) {
  for (guint i = 0; chunk && i < length; i++) {
    if (!is_written(chunk, at + i))
      continue;
    bytes[i] = chunk->bytes[at + i];
    if (marks)
      marks[i] = chunk->marks[at + i];
  }
}

void
smb_global_read(const SmbGlobal *global, guint parameter, guint64 offset, gpointer bytes,
                gsize length) {
  smb_contents_read(&g_array_index(global->contents, SmbContents, parameter), offset, bytes,
                    length);
  for (gsize done = 0; done < length;) {
    guint at = (guint)((offset + done) % CHUNK_BYTES);
    gsize n = MIN(CHUNK_BYTES - at, length - done);
    guint64 key = make_key(parameter, offset + done);
    lay_over(g_hash_table_lookup(global->chunks, &key), at, (guchar *)bytes + done, NULL, n);
    done += n;
  }
}

// Whether what a buffer holds depends on the order of threads.
static gboolean
is_ordered(const SmbGlobal *global, guint buffer) {
  return buffer < global->ordered->len && g_array_index(global->ordered, guint8, buffer);
}

// What is known of the bytes, before and after what was written over them.
static guchar
is_known(const SmbGlobal *global, const Chunk *chunk, guint at, gboolean given) {
  if (global->blurred)
    return FALSE;
  return chunk && is_written(chunk, at) ? chunk->marks[at] & MARK_KNOWN : given;
}

gsize
smb_global_mask(const SmbGlobal *global, guint parameter, guint64 offset, gpointer bytes,
                gsize length) {
  const SmbContents *contents = &g_array_index(global->contents, SmbContents, parameter);
  gboolean given = contents->fill != SMB_FILL_UNKNOWN;
  guchar *masked = bytes;
  gsize n_known = 0;
  if (!global->tracks)
    return length;
  if (is_ordered(global, parameter)) {
    memset(bytes, 0, length);
    return 0;
  }
  const Chunk *chunk = NULL;
  for (gsize i = 0; i < length; i++) {
    guint at = (guint)((offset + i) % CHUNK_BYTES);
    guint64 key = make_key(parameter, offset + i);
    if (i == 0 || at == 0)
      chunk = g_hash_table_lookup(global->chunks, &key);
    gboolean known = is_known(global, chunk, at, given);
    masked[i] = known ? masked[i] : 0;
    n_known += known;
  }
  return n_known;
}

Overlay *
smb_overlay_new(SmbGlobal *global, const SmbProgram *program) {
  Overlay *overlay = g_new0(Overlay, 1);
  overlay->global = global;
  overlay->reads_through = global && (program->is_serial || global->in_order);
  overlay->chunk_size = sizeof(Chunk) + (program->tracks ? CHUNK_BYTES : 0);
  overlay->chunks = new_table(NULL);
  overlay->storage = g_ptr_array_new_with_free_func(g_free);
  return overlay;
}

gboolean
smb_overlay_reads_through(const Overlay *overlay) {
  return overlay->reads_through;
}

void
smb_overlay_free(Overlay *overlay) {
  if (!overlay)
    return;
  g_hash_table_unref(overlay->chunks);
  g_ptr_array_unref(overlay->storage);
  g_free(overlay);
}

void
smb_overlay_set_ordered(Overlay *overlay, const Object *object) {
  GArray *ordered = overlay->global->ordered;
  if (object->buffer >= ordered->len)
    g_array_set_size(ordered, object->buffer + 1);
  g_array_index(ordered, guint8, object->buffer) = TRUE;
}

gboolean
smb_overlay_is_ordered(const Overlay *overlay, const Object *object) {
  return is_ordered(overlay->global, object->buffer);
}

// Returns whether that changes what @kept holds.
static gboolean
merge_chunk(Chunk *kept, const Chunk *chunk, gboolean has_marks) {
  gboolean changed = FALSE;
  for (guint i = 0; i < CHUNK_BYTES; i++) {
    if (!is_written(chunk, i))
      continue;
    changed = changed || !is_written(kept, i) || kept->bytes[i] != chunk->bytes[i] ||
              (has_marks && kept->marks[i] != chunk->marks[i]);
    kept->bytes[i] = chunk->bytes[i];
    if (has_marks)
      kept->marks[i] = chunk->marks[i];
  }
  for (guint i = 0; i < G_N_ELEMENTS(kept->written); i++)
    kept->written[i] |= chunk->written[i];
  return changed;
}

void
smb_overlay_commit(Overlay *overlay) {
  GHashTableIter iter;
  gpointer value;
  gboolean changed = FALSE;
  if (!overlay->global)
    return;
  overlay->global->blurred = overlay->global->blurred || overlay->blurred;
  g_hash_table_iter_init(&iter, overlay->chunks);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    const Chunk *chunk = value;
    Chunk *kept = g_hash_table_lookup(overlay->global->chunks, &chunk->key);
    if (kept) {
      changed = merge_chunk(kept, chunk, overlay->chunk_size > sizeof *kept) || changed;
      continue;
    }
    kept = g_memdup2(chunk, overlay->chunk_size);
    g_hash_table_insert(overlay->global->chunks, &kept->key, kept);
    changed = TRUE;
  }
  overlay->global->changes += changed;
}

void
smb_overlay_clear(Overlay *overlay) {
  g_hash_table_remove_all(overlay->chunks);
  overlay->used = 0;
  overlay->last = NULL;
  overlay->blurred = FALSE;
}

gsize
smb_overlay_bytes(const Overlay *overlay) {
  gsize kept = overlay->global ? g_hash_table_size(overlay->global->chunks) : 0;
  return (kept + overlay->used) * overlay->chunk_size;
}

// A store lies in one chunk.
guint64
smb_overlay_capacity(guint64 max_memory) {
  return max_memory / sizeof(Chunk);
}

static Chunk *
find_chunk(Overlay *overlay, guint64 key) {
  if (overlay->last && overlay->last->key == key)
    return overlay->last;
  Chunk *chunk = g_hash_table_lookup(overlay->chunks, &key);
  if (chunk)
    overlay->last = chunk;
  return chunk;
}

static Chunk *
make_chunk(Overlay *overlay, guint64 key) {
  if (overlay->used == overlay->storage->len)
    g_ptr_array_add(overlay->storage, g_malloc(overlay->chunk_size));
  Chunk *chunk = g_ptr_array_index(overlay->storage, overlay->used++);
  chunk->key = key;
  memset(chunk->written, 0, sizeof chunk->written);
  g_hash_table_insert(overlay->chunks, &chunk->key, chunk);
  overlay->last = chunk;
  return chunk;
}

// What a launch keeps also says how far buffers are used.
gboolean
smb_overlay_is_bare(const Overlay *overlay, const Object *object) {
  return !overlay->global && !object->written && !overlay->blurred;
}

// An access is aligned and at most 16 bytes wide: it lies in one chunk.
void
smb_overlay_read(Overlay *overlay, const Object *object, guint64 offset, gboolean changes,
                 guchar *bytes, guchar *marks, gsize length) {
  gboolean through = overlay->global && (overlay->reads_through || changes);
  gboolean known = object->contents.fill != SMB_FILL_UNKNOWN || (changes && object->is_loaded);
  note_reach(overlay->global, object, offset + length);
  smb_contents_read(&object->contents, offset, bytes, length);
  if (marks)
    memset(marks, known ? MARK_KNOWN : 0, length);
  guint at = (guint)(offset % CHUNK_BYTES);
  guint64 key = make_key(object->buffer, offset);
  if (through)
    lay_over(g_hash_table_lookup(overlay->global->chunks, &key), at, bytes, marks, length);
  if (object->written)
    lay_over(find_chunk(overlay, key), at, bytes, marks, length);
  if (marks && (overlay->blurred || (through && overlay->global->blurred)))
    memset(marks, 0, length);
}

// A word, mostly.
static inline void
copy(guchar *to, const guchar *from, gsize length) {
  if (length == 4)
    memcpy(to, from, 4);
  else
    memcpy(to, from, length);
}

static Chunk *
open_chunk(Overlay *overlay, guint64 key) {
  Chunk *chunk = find_chunk(overlay, key);
  return chunk ? chunk : make_chunk(overlay, key);
}

void
smb_overlay_write(Overlay *overlay, Object *object, guint64 offset, const guchar *bytes,
                  const guchar *marks, gsize length) {
  guint at = (guint)(offset % CHUNK_BYTES);
  note_reach(overlay->global, object, offset + length);
  Chunk *chunk = open_chunk(overlay, make_key(object->buffer, offset));
  object->written = TRUE;
  copy(chunk->bytes + at, bytes, length);
  if (marks)
    copy(chunk->marks + at, marks, length);
  chunk->written[at / 64] |= (length == 64 ? G_MAXUINT64 : ((guint64)1 << length) - 1) << (at % 64);
}

void
smb_overlay_write_words(Overlay *overlay, Object *object, SmbLanes lanes, const gint64 *offsets,
                        const guint32 *words, const guint32 *marks) {
  enum {
    WORD_BYTES = sizeof *words,
    WORD_WRITTEN = (1 << WORD_BYTES) - 1,
  };
  Chunk *chunk = NULL;
  guint64 key = 0, end = 0;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    guint64 offset = (guint64)offsets[lane], here = make_key(object->buffer, offset);
    guint at = (guint)(offset % CHUNK_BYTES);
    if (!chunk || here != key)
      chunk = open_chunk(overlay, key = here);
    memcpy(chunk->bytes + at, &words[lane], WORD_BYTES);
    memcpy(chunk->marks + at, &marks[lane], WORD_BYTES);
    chunk->written[at / 64] |= (guint64)WORD_WRITTEN << (at % 64);
    end = MAX(end, offset + WORD_BYTES);
  }
  note_reach(overlay->global, object, end);
  object->written = TRUE;
}

void
smb_overlay_blur(Overlay *overlay) {
  overlay->blurred = TRUE;
}
