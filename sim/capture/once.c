// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A cache whose entries are made once, by whichever thread asks first; the least recently used ones are dropped.
#include "sim/capture/once.h"

typedef struct {
  gpointer thing; // NULL while it is made
  gsize size;
  guint64 asked; // when it was asked for last
} Entry;

struct _SmbOnce {
  const SmbOnceKind *kind;
  gsize room;
  GMutex lock; // of what follows
  GCond made;
  GHashTable *entries; // (element-type utf8 Entry)
  gsize size;          // of all things
  guint64 n_asked;
};

SmbOnce *
smb_once_new(const SmbOnceKind *kind, gsize room) {
  SmbOnce *once = g_new0(SmbOnce, 1);
  once->kind = kind;
  once->room = room;
  g_mutex_init(&once->lock);
  g_cond_init(&once->made);
  once->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  return once;
}

static void
drop_entry(SmbOnce *once, const char *key, Entry *entry) {
  once->size -= entry->size;
  once->kind->unref(entry->thing);
  g_hash_table_remove(once->entries, key);
}

void
smb_once_free(SmbOnce *once) {
  GHashTableIter iter;
  gpointer entry;
  g_hash_table_iter_init(&iter, once->entries);
  while (g_hash_table_iter_next(&iter, NULL, &entry))
    once->kind->unref(((Entry *)entry)->thing);
  g_hash_table_unref(once->entries);
  g_cond_clear(&once->made);
  g_mutex_clear(&once->lock);
  g_free(once);
}

// Drops what was asked for the longest time ago until the rest has room; never @newest.
static void
make_room(SmbOnce *once, const Entry *newest) {
  while (once->size > once->room) {
    GHashTableIter iter;
    gpointer key, value, oldest_key = NULL;
    Entry *oldest = NULL;
    g_hash_table_iter_init(&iter, once->entries);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
      Entry *entry = value;
      if (entry->thing && entry != newest && (!oldest || entry->asked < oldest->asked)) {
        oldest = entry;
        oldest_key = key;
      }
    }
    if (!oldest)
      return;
    drop_entry(once, oldest_key, oldest);
  }
}

gpointer
smb_once_get(SmbOnce *once, const char *key, gpointer (*make)(gpointer user, GError **error),
             gpointer user, GError **error) {
  G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&once->lock);
  Entry *entry;
  while ((entry = g_hash_table_lookup(once->entries, key)) && !entry->thing)
    g_cond_wait(&once->made, &once->lock);
  if (!entry) {
    entry = g_new0(Entry, 1);
    g_hash_table_insert(once->entries, g_strdup(key), entry);
    g_mutex_unlock(&once->lock);
    gpointer thing = make(user, error);
    g_mutex_lock(&once->lock);
    g_cond_broadcast(&once->made);
    if (!thing) {
      g_hash_table_remove(once->entries, key);
      return NULL;
    }
    entry->thing = thing;
    entry->size = once->kind->size ? once->kind->size(thing) : 1;
    once->size += entry->size;
    make_room(once, entry);
  }
  entry->asked = ++once->n_asked;
  return once->kind->ref(entry->thing);
}
