// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A hash table with chains. Leaving a block removes its entries in the reverse order of adding, which is always the
// head of a chain.
#include "sim/ptx/read/names.h"

#include <string.h>

// An entry of a chain. Entries come and go as a stack, so that the last of a name is the first of its chain, and
// the one that goes is the first of its chain.
typedef struct {
  const char *text;
  guint32 length;
  guint32 hash;
  guint32 next;  // entry + 1 of the same chain; 0: none
  guint32 count; // of a range; 0: a name
  PtxMeaning meaning;
} Entry;

struct _PtxNames {
  GArray *entries;  // Entry
  GArray *blocks;   // guint: number of entries before each block
  guint32 *chains;  // entry + 1, by hash
  guint32 n_chains; // a power of two
  guint32 seed;
  guint n_ranges;
};

PtxNames *
smb_ptx_names_new(void) {
  PtxNames *names = g_new0(PtxNames, 1);
  names->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  names->blocks = g_array_new(FALSE, FALSE, sizeof(guint));
  names->n_chains = 256;
  names->chains = g_new0(guint32, names->n_chains);
  names->seed = g_random_int(); // no text makes all names fall into one chain
  return names;
}

void
smb_ptx_names_free(PtxNames *names) {
  g_array_unref(names->entries);
  g_array_unref(names->blocks);
  g_free(names->chains);
  g_free(names);
}

guint
smb_ptx_names_depth(const PtxNames *names) {
  return names->blocks->len;
}

void
smb_ptx_names_enter(PtxNames *names) {
  g_array_append_val(names->blocks, names->entries->len);
}

static guint32 *
find_chain(const PtxNames *names, guint32 hash) {
  return &names->chains[hash & (names->n_chains - 1)];
}

void
smb_ptx_names_leave(PtxNames *names) {
  guint start = g_array_index(names->blocks, guint, names->blocks->len - 1);
  for (guint i = names->entries->len; i-- > start;) {
    const Entry *entry = &g_array_index(names->entries, Entry, i);
    *find_chain(names, entry->hash) = entry->next;
    names->n_ranges -= entry->count > 0;
  }
  g_array_set_size(names->entries, start);
  g_array_set_size(names->blocks, names->blocks->len - 1);
}

static void
link_entry(PtxNames *names, guint i) {
  Entry *entry = &g_array_index(names->entries, Entry, i);
  guint32 *chain = find_chain(names, entry->hash);
  entry->next = *chain;
  *chain = i + 1;
}

// FNV-1a
static guint32
hash_text(const PtxNames *names, const char *text, gsize length, gboolean is_range) {
  guint32 hash = 2166136261u ^ names->seed ^ (guint32)is_range;
  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar)text[i]) * 16777619u;
  return hash ^ hash >> 15;
}

static void
add_ptx_name(PtxNames *names, const char *text, gsize length, PtxMeaning meaning, guint32 count) {
  guint32 hash = hash_text(names, text, length, count > 0);
  Entry entry = {text, (guint32)length, hash, 0, count, meaning};
  entry.meaning.depth = names->blocks->len;
  names->n_ranges += count > 0;
  g_array_append_val(names->entries, entry);
  if (names->entries->len <= names->n_chains) {
    link_entry(names, names->entries->len - 1);
    return;
  }
  names->n_chains *= 2;
  g_free(names->chains);
  names->chains = g_new0(guint32, names->n_chains);
  for (guint i = 0; i < names->entries->len; i++)
    link_entry(names, i);
}

void
smb_ptx_names_add(PtxNames *names, const char *text, gsize length, PtxMeaning meaning) {
  add_ptx_name(names, text, length, meaning, 0);
}

void
smb_ptx_names_add_range(PtxNames *names, const char *text, gsize length, PtxMeaning meaning,
                        guint32 count) {
  if (count > 0)
    add_ptx_name(names, text, length, meaning, count);
}

// The innermost entry of a name, or the innermost range that has a number.
static const Entry *
find_entry(const PtxNames *names, const char *text, gsize length, gboolean is_range,
           guint32 number) {
  guint32 hash = hash_text(names, text, length, is_range);
  for (guint32 i = *find_chain(names, hash); i > 0;) {
    const Entry *entry = &g_array_index(names->entries, Entry, i - 1);
    if (entry->hash == hash && entry->length == length &&
        (is_range ? number < entry->count : entry->count == 0) &&
        memcmp(entry->text, text, length) == 0)
      return entry;
    i = entry->next;
  }
  return NULL;
}

// More digits than a number of a range has; its length is below PTX_MAX_REGISTERS.
enum {
  MAX_DIGITS = 9
};

// The range that a name with digits at its end is of.
static PtxMeaning
find_in_range(const PtxNames *names, const char *text, gsize length) {
  static const PtxMeaning nothing = {PTX_MEANS_NOTHING};
  gsize prefix = length;
  while (prefix > 0 && g_ascii_isdigit(text[prefix - 1]))
    prefix--;
  if (prefix == length || length - prefix > MAX_DIGITS || names->n_ranges == 0)
    return nothing;
  guint32 number = 0;
  for (gsize i = prefix; i < length; i++)
    number = number * 10 + (guint32)(text[i] - '0');
  const Entry *entry = find_entry(names, text, prefix, TRUE, number);
  if (!entry)
    return nothing;
  PtxMeaning meaning = entry->meaning;
  meaning.index += number;
  return meaning;
}

PtxMeaning
smb_ptx_names_find(const PtxNames *names, const char *text, gsize length) {
  PtxMeaning of_range = find_in_range(names, text, length);
  const Entry *entry = find_entry(names, text, length, FALSE, 0);
  gboolean inner =
      entry && (of_range.kind == PTX_MEANS_NOTHING || entry->meaning.depth > of_range.depth);
  return inner ? entry->meaning : of_range;
}
