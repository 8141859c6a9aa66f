// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Global memory: buffers that read as their element numbers, and what blocks write over them. A block
// writes into its own overlay, chunk by chunk; what it leaves behind is committed when it ends.
#include <string.h>

#include "sim/machine/global/global-impl.h"

guint64
smb_overlay_buffer_key(guint buffer) {
  return (guint64)buffer << 48;
}

guint64
smb_overlay_address_key(guint64 address) {
  return ADDRESS_KEYS + address / CHUNK_BYTES;
}

static guint64
make_chunk_key(const Object *object, guint64 offset) {
  return object->key + offset / CHUNK_BYTES;
}

static guint
hash_key(gconstpointer key) {
  return (guint)((*(const guint64 *)key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)) >> 32);
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
  global->map = smb_map_new(program, launch);
  global->homes = smb_homes_new(launch);
  global->trail = launch->trail;
  global->is_empty = TRUE;
  global->n_parameters = smb_program_n_parameters(program);
  global->n_numbered = global->n_parameters + program->regions->len;
  global->chunks = g_hash_table_new_full(hash_key, g_int64_equal, NULL, g_free);
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
  smb_map_free(global->map);
  g_clear_pointer(&global->homes, g_array_unref);
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

// Lays the bytes that a chunk has over @bytes, which start @at bytes into it.
static void
lay_over(const Chunk *chunk, guint at, guchar *bytes, guchar *marks, gsize length) {
  for (guint i = 0; chunk && i < length; i++) {
    if (!is_chunk_written(chunk, at + i))
      continue;
    bytes[i] = chunk->bytes[at + i];
    if (marks)
      marks[i] = chunk->marks[at + i];
  }
}

// Lays what was written from a place on, behind the first byte of the chunk @key, over @bytes.
static void
lay_chunks_over(const SmbGlobal *global, guint64 key, guint64 offset, guchar *bytes, gsize length) {
  for (gsize done = 0; done < length;) {
    guint at = (guint)((offset + done) % CHUNK_BYTES);
    gsize n = MIN(CHUNK_BYTES - at, length - done);
    guint64 chunk = key + (offset + done) / CHUNK_BYTES;
    lay_over(g_hash_table_lookup(global->chunks, &chunk), at, bytes + done, NULL, n);
    done += n;
  }
}

void
smb_global_read(const SmbGlobal *global, guint parameter, guint64 offset, gpointer bytes,
                gsize length) {
  smb_contents_read(&g_array_index(global->contents, SmbContents, parameter), offset, bytes,
                    length);
  lay_chunks_over(global, smb_overlay_buffer_key(parameter), offset, bytes, length);
}

void
smb_global_read_memory(const SmbGlobal *global, guint64 address, gpointer bytes, gsize length) {
  guchar *to = bytes;
  for (gsize done = 0, n; done < length; done += n) {
    guint64 at = address + done;
    const MapVariable *variable = global->map ? smb_map_variable(global->map, at) : NULL;
    n = global->map ? smb_map_span(global->map, at, length - done) : length;
    if (variable) {
      smb_contents_read(&variable->contents, at - variable->address, to + done, n);
      lay_chunks_over(global, smb_overlay_buffer_key(global->n_parameters + variable->region),
                      at - variable->address, to + done, n);
    } else if (global->map) {
      smb_map_read(global->map, at, FALSE, to + done, NULL, n);
      lay_chunks_over(global, ADDRESS_KEYS, at, to + done, n);
    } else
      memset(to, 0, n);
  }
}

guint64
smb_chunk_address(const SmbGlobal *global, const Chunk *chunk) {
  guint64 buffer = chunk->key >> 48;
  guint64 offset = (chunk->key - smb_overlay_buffer_key((guint)buffer)) * CHUNK_BYTES;
  if (buffer == ADDRESS_KEYS >> 48)
    return offset;
  const MapVariable *variable =
      global->map && buffer >= global->n_parameters
          ? smb_map_region(global->map, (guint)buffer - global->n_parameters)
          : NULL;
  return variable ? variable->address + offset : 0;
}

// How many of the bytes of a chunk are not known.
static gsize
count_unknown(const SmbGlobal *global, const Chunk *chunk, guint at, guint length) {
  gsize n = 0;
  for (guint i = at; global->tracks && i < at + length; i++)
    n += !(chunk->marks[i] & MARK_KNOWN);
  return n;
}

void
smb_global_each_written(const SmbGlobal *global, SmbWrittenVisitor visit, gpointer user) {
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init(&iter, global->chunks);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    const Chunk *chunk = value;
    guint64 address = smb_chunk_address(global, chunk);
    for (guint i = 0, n; address && i < CHUNK_BYTES; i += n + 1) {
      for (n = 0; i + n < CHUNK_BYTES && is_chunk_written(chunk, i + n);)
        n++;
      if (n > 0)
        visit(user, address + i, chunk->bytes + i, n, count_unknown(global, chunk, i, n));
    }
  }
}

// Whether what a buffer holds depends on the order of threads.
static gboolean
is_order_dependent_buffer(const SmbGlobal *global, guint buffer) {
  return buffer < global->ordered->len && g_array_index(global->ordered, guint8, buffer);
}

// Sets those of @bytes to 0 that are not known, and says how many are. @buffer: whose they are; @given: which were,
// before the launch; the first of them lies @offset behind the first byte of the chunk @key.
static gsize
mask_chunks(const SmbGlobal *global, guint buffer, guint64 key, guint64 offset, guchar *bytes,
            const guchar *given, gsize length) {
  gboolean is_lost = global->blurred || is_order_dependent_buffer(global, buffer);
  const Chunk *chunk = NULL;
  gsize n_known = 0;
  for (gsize i = 0; i < length; i++) {
    guint at = (guint)((offset + i) % CHUNK_BYTES);
    guint64 number = key + (offset + i) / CHUNK_BYTES;
    if (i == 0 || at == 0)
      chunk = g_hash_table_lookup(global->chunks, &number);
    guchar mark = chunk && is_chunk_written(chunk, at) ? chunk->marks[at] : given[i];
    gboolean known = !is_lost && mark & MARK_KNOWN;
    bytes[i] = known ? bytes[i] : 0;
    n_known += known;
  }
  return n_known;
}

gsize
smb_global_mask(const SmbGlobal *global, guint parameter, guint64 offset, gpointer bytes,
                gsize length) {
  const SmbContents *contents = &g_array_index(global->contents, SmbContents, parameter);
  if (!global->tracks)
    return length;
  guchar given[CHUNK_BYTES];
  gsize n_known = 0;
  memset(given, contents->fill != SMB_FILL_UNKNOWN ? MARK_KNOWN : 0, sizeof given);
  for (gsize done = 0, n; done < length; done += n) {
    n = MIN(length - done, sizeof given);
    n_known += mask_chunks(global, parameter, smb_overlay_buffer_key(parameter), offset + done,
                           (guchar *)bytes + done, given, n);
  }
  return n_known;
}

gsize
smb_global_mask_memory(const SmbGlobal *global, guint64 address, gpointer bytes, gsize length) {
  guchar given[CHUNK_BYTES];
  gsize n_known = 0;
  for (gsize done = 0, n; global->map && done < length; done += n) {
    guint64 at = address + done;
    const MapVariable *variable = smb_map_variable(global->map, at);
    guchar *masked = (guchar *)bytes + done;
    n = smb_map_span(global->map, at, MIN(length - done, sizeof given));
    if (!global->tracks) {
      n_known += n;
    } else if (variable) {
      guint buffer = global->n_parameters + variable->region;
      memset(given, variable->contents.fill != SMB_FILL_UNKNOWN ? MARK_KNOWN : 0, n);
      n_known += mask_chunks(global, buffer, smb_overlay_buffer_key(buffer), at - variable->address,
                             masked, given, n);
    } else {
      guchar before[CHUNK_BYTES];
      guint buffer = global->n_numbered + smb_map_find(global->map, at);
      smb_map_read(global->map, at, FALSE, before, given, n);
      n_known += mask_chunks(global, buffer, ADDRESS_KEYS, at, masked, given, n);
    }
  }
  return n_known;
}

Overlay *
smb_overlay_new(SmbGlobal *global, const SmbProgram *program) {
  Overlay *overlay = g_new0(Overlay, 1);
  overlay->global = global;
  overlay->reads_through = global && (program->is_serial || global->in_order);
  overlay->chunk_size = sizeof(Chunk) + (program->tracks ? CHUNK_BYTES : 0);
  overlay->n_slots = MIN_SLOTS;
  overlay->slots = g_new0(Chunk *, MIN_SLOTS);
  overlay->storage = g_ptr_array_new_with_free_func(g_free);
  overlay->written = g_ptr_array_new();
  overlay->deferred = g_array_new(FALSE, FALSE, sizeof(Deferred));
  overlay->deferred_in = g_ptr_array_new();
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
  g_free(overlay->slots);
  g_ptr_array_unref(overlay->storage);
  g_ptr_array_unref(overlay->written);
  g_array_unref(overlay->deferred);
  g_ptr_array_unref(overlay->deferred_in);
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
  return is_order_dependent_buffer(overlay->global, object->buffer);
}

// Returns whether that changes what @kept holds.
static gboolean
merge_chunk(Chunk *kept, const Chunk *chunk, gboolean has_marks) {
  gboolean changed = FALSE;
  for (guint i = 0; i < CHUNK_BYTES; i++) {
    if (!is_chunk_written(chunk, i))
      continue;
    changed = changed || !is_chunk_written(kept, i) || kept->bytes[i] != chunk->bytes[i] ||
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
smb_global_merge(SmbGlobal *global, const Chunk *chunk, gboolean *changed) {
  gsize marks = global->tracks ? CHUNK_BYTES : 0;
  gboolean is_home = global->homes && smb_homes_put(global, chunk, changed);
  Chunk *kept = global->is_empty ? NULL : g_hash_table_lookup(global->chunks, &chunk->key);
  if (kept) {
    *changed = merge_chunk(kept, chunk, marks > 0) || *changed;
  } else if (!is_home) {
    kept = g_memdup2(chunk, sizeof *chunk + marks);
    g_hash_table_insert(global->chunks, &kept->key, kept);
    global->is_empty = FALSE;
    *changed = TRUE;
  }
}

void
smb_overlay_commit(Overlay *overlay) {
  gboolean changed = FALSE;
  if (!overlay->global)
    return;
  overlay->global->blurred = overlay->global->blurred || overlay->blurred;
  for (guint i = 0; i < overlay->used; i++)
    smb_global_merge(overlay->global, g_ptr_array_index(overlay->storage, i), &changed);
  overlay->global->changes += changed;
}

void
smb_overlay_leave(Overlay *overlay) {
  if (overlay->global && overlay->global->homes)
    smb_overlay_commit(overlay);
}

SmbWritten *
smb_overlay_take(Overlay *overlay) {
  SmbWritten *written = g_new0(SmbWritten, 1);
  *written = (SmbWritten){overlay->storage, overlay->deferred, overlay->blurred};
  g_ptr_array_set_size(written->chunks, (gint)overlay->used); // the others are spare
  overlay->storage = g_ptr_array_new_with_free_func(g_free);
  overlay->deferred = g_array_new(FALSE, FALSE, sizeof(Deferred));
  smb_overlay_clear(overlay);
  return written;
}

void
smb_overlay_clear(Overlay *overlay) {
  for (guint i = 0; i < overlay->written->len; i++)
    ((Object *)g_ptr_array_index(overlay->written, i))->written = FALSE;
  g_ptr_array_set_size(overlay->written, 0);
  for (guint i = 0; i < overlay->deferred_in->len; i++)
    ((Object *)g_ptr_array_index(overlay->deferred_in, i))->deferred = FALSE;
  g_ptr_array_set_size(overlay->deferred_in, 0);
  g_array_set_size(overlay->deferred, 0);
  overlay->conflicts = FALSE;
  memset(overlay->slots, 0, overlay->n_slots * sizeof(Chunk *));
  overlay->used = 0;
  overlay->last = NULL;
  overlay->blurred = FALSE;
  overlay->watches = FALSE;
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

// Where a chunk is, or belongs.
static Chunk **
find_chunk_slot(const Overlay *overlay, guint64 key) {
  for (guint i = hash_key(&key);; i++) {
    Chunk **slot = &overlay->slots[i & (overlay->n_slots - 1)];
    if (!*slot || (*slot)->key == key)
      return slot;
  }
}

static void
grow_table(Overlay *overlay) {
  overlay->n_slots *= 2;
  g_free(overlay->slots);
  overlay->slots = g_new0(Chunk *, overlay->n_slots);
  for (guint i = 0; i < overlay->used; i++) {
    Chunk *chunk = g_ptr_array_index(overlay->storage, i);
    *find_chunk_slot(overlay, chunk->key) = chunk;
  }
}

static Chunk *
find_chunk(Overlay *overlay, guint64 key) {
  if (overlay->last && overlay->last->key == key)
    return overlay->last;
  Chunk *chunk = *find_chunk_slot(overlay, key);
  if (chunk)
    overlay->last = chunk;
  return chunk;
}

static Chunk *
make_chunk(Overlay *overlay, guint64 key) {
  if (overlay->used >= overlay->n_slots / 2)
    grow_table(overlay);
  if (overlay->used == overlay->storage->len)
    g_ptr_array_add(overlay->storage, g_malloc(overlay->chunk_size));
  Chunk *chunk = g_ptr_array_index(overlay->storage, overlay->used++);
  chunk->key = key;
  memset(chunk->written, 0, sizeof chunk->written);
  *find_chunk_slot(overlay, key) = chunk;
  overlay->last = chunk;
  return chunk;
}

// What a launch keeps also says how far buffers are used.
gboolean
smb_overlay_is_bare(const Overlay *overlay, const Object *object) {
  const SmbGlobal *global = overlay->global;
  gboolean has_left = global && (!global->homes || !global->is_empty || global->blurred);
  return !has_left && !object->written && !object->deferred && !overlay->blurred;
}

gboolean
smb_overlay_has(const Overlay *overlay, const Object *object, guint64 offset) {
  const Chunk *chunk =
      object->written ? *find_chunk_slot(overlay, make_chunk_key(object, offset)) : NULL;
  return object->deferred || overlay->blurred ||
         (chunk && is_chunk_written(chunk, (guint)(offset % CHUNK_BYTES)));
}

// An access is aligned and at most 16 bytes wide: it is in one chunk.
void
smb_overlay_read(Overlay *overlay, const Object *object, guint64 offset, gboolean changes,
                 guchar *bytes, guchar *marks, gsize length) {
  gboolean through = overlay->global && (overlay->reads_through || changes);
  gboolean guesses = changes && overlay->guesses;
  gboolean known = object->contents.fill != SMB_FILL_UNKNOWN || (changes && object->is_loaded);
  note_reach(overlay->global, object, offset + length);
  overlay->conflicts = overlay->conflicts || object->deferred;
  if (object->map)
    smb_map_read(object->map, object->address + offset, guesses, bytes, marks, length);
  else if (guesses)
    smb_contents_read_former(&object->contents, offset, bytes, length);
  else
    smb_contents_read(&object->contents, offset, bytes, length);
  if (marks && (!object->map || guesses))
    memset(marks, known || guesses ? MARK_KNOWN : 0, length);
  guint at = (guint)(offset % CHUNK_BYTES);
  guint64 key = make_chunk_key(object, offset);
  if (through && !overlay->global->is_empty)
    lay_over(g_hash_table_lookup(overlay->global->chunks, &key), at, bytes, marks, length);
  if (object->written)
    lay_over(find_chunk(overlay, key), at, bytes, marks, length);
  if (marks && (overlay->blurred || (through && overlay->global->blurred)))
    memset(marks, 0, length);
}

void
smb_overlay_watch(Overlay *overlay, gboolean watches) {
  overlay->watches = watches;
  overlay->changed = FALSE;
}

gboolean
smb_overlay_changed(const Overlay *overlay) {
  return overlay->changed;
}

// Whether bytes that are written are what the chunk has of that place.
static gboolean
has_same_bytes(const Chunk *chunk, guint at, const guchar *bytes, const guchar *marks,
               gsize length) {
  for (guint i = 0; i < length; i++) {
    if (!is_chunk_written(chunk, at + i) || chunk->bytes[at + i] != bytes[i] ||
        (marks && chunk->marks[at + i] != marks[i]))
      return FALSE;
  }
  return TRUE;
}

// A word, mostly.
static inline void
copy_bytes(guchar *to, const guchar *from, gsize length) {
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

static void
note_written_chunk(Overlay *overlay, Object *object) {
  overlay->conflicts = overlay->conflicts || object->deferred;
  if (!object->written)
    g_ptr_array_add(overlay->written, object);
  object->written = TRUE;
}

void
smb_overlay_write(Overlay *overlay, Object *object, guint64 offset, const guchar *bytes,
                  const guchar *marks, gsize length) {
  guint at = (guint)(offset % CHUNK_BYTES);
  note_reach(overlay->global, object, offset + length);
  Chunk *chunk = open_chunk(overlay, make_chunk_key(object, offset));
  note_written_chunk(overlay, object);
  if (G_UNLIKELY(overlay->watches))
    overlay->changed = overlay->changed || !has_same_bytes(chunk, at, bytes, marks, length);
  copy_bytes(chunk->bytes + at, bytes, length);
  if (marks)
    copy_bytes(chunk->marks + at, marks, length);
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
    guint64 offset = (guint64)offsets[lane], here = make_chunk_key(object, offset);
    guint at = (guint)(offset % CHUNK_BYTES);
    if (!chunk || here != key)
      chunk = open_chunk(overlay, key = here);
    if (G_UNLIKELY(overlay->watches))
      overlay->changed =
          overlay->changed || !has_same_bytes(chunk, at, (const guchar *)&words[lane],
                                              (const guchar *)&marks[lane], WORD_BYTES);
    memcpy(chunk->bytes + at, &words[lane], WORD_BYTES);
    memcpy(chunk->marks + at, &marks[lane], WORD_BYTES);
    chunk->written[at / 64] |= (guint64)WORD_WRITTEN << (at % 64);
    end = MAX(end, offset + WORD_BYTES);
  }
  note_reach(overlay->global, object, end);
  note_written_chunk(overlay, object);
}

void
smb_overlay_set_guesses(Overlay *overlay) {
  overlay->guesses = TRUE;
}

void
smb_overlay_mark_unknown(Overlay *overlay) {
  if (overlay->guesses)
    return;
  overlay->blurred = TRUE;
  overlay->changed = TRUE;
}

void
smb_overlay_defer(Overlay *overlay, Object *object, guint64 offset, const Move *move,
                  const guint32 *values) {
  Deferred deferred = {
      .move = move, .key = make_chunk_key(object, offset), .at = (guint)(offset % CHUNK_BYTES)};
  memcpy(deferred.values, values, sizeof deferred.values);
  g_array_append_val(overlay->deferred, deferred);
  if (!object->deferred)
    g_ptr_array_add(overlay->deferred_in, object);
  object->deferred = TRUE;
}

gboolean
smb_overlay_conflicts(const Overlay *overlay) {
  return overlay->conflicts;
}
