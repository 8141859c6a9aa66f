// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The list of the kernels of a file.
#include "sim/program/entry.h"

static void
free_program_entry(gpointer data) {
  SmbEntry *entry = data;
  g_array_unref(entry->parameters);
  g_array_unref(entry->arrays);
  g_free(entry);
}

SmbEntries *
smb_entries_new(const char *level, const char *target) {
  SmbEntries *entries = g_new0(SmbEntries, 1);
  entries->strings = g_string_chunk_new(1024);
  entries->level = level;
  entries->target = g_string_chunk_insert(entries->strings, target);
  entries->entries = g_ptr_array_new_with_free_func(free_program_entry);
  return entries;
}

void
smb_entries_free(SmbEntries *entries) {
  if (!entries)
    return;
  g_ptr_array_unref(entries->entries);
  g_string_chunk_free(entries->strings);
  g_free(entries);
}

SmbEntry *
smb_entries_add(SmbEntries *entries, const char *name, const char *symbol) {
  SmbEntry *entry = g_new0(SmbEntry, 1);
  entry->name = g_string_chunk_insert(entries->strings, name);
  entry->symbol = g_string_chunk_insert(entries->strings, symbol);
  entry->parameters = g_array_new(FALSE, FALSE, sizeof(SmbEntryItem));
  entry->arrays = g_array_new(FALSE, FALSE, sizeof(SmbEntryItem));
  entry->level = entries->level;
  entry->target = entries->target;
  g_ptr_array_add(entries->entries, entry);
  return entry;
}

static void
copy_items(SmbEntries *all, GArray *to, const GArray *items) {
  for (guint i = 0; i < items->len; i++) {
    SmbEntryItem item = g_array_index(items, SmbEntryItem, i);
    item.name = g_string_chunk_insert_const(all->strings, item.name);
    item.type = g_string_chunk_insert_const(all->strings, item.type);
    g_array_append_val(to, item);
  }
}

void
smb_entries_copy(SmbEntries *all, const SmbEntry *entry) {
  SmbEntry *copy = smb_entries_add(all, entry->name, entry->symbol);
  const SmbEntry own = *copy;
  *copy = *entry;
  copy->name = own.name;
  copy->symbol = own.symbol;
  copy->target = g_string_chunk_insert_const(all->strings, entry->target);
  copy->parameters = own.parameters;
  copy->arrays = own.arrays;
  copy_items(all, copy->parameters, entry->parameters);
  copy_items(all, copy->arrays, entry->arrays);
}
