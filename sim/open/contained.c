// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Chooses one of the images of a file, by architecture and kernel.
#include "sim/open/contained.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/image/cubin.h"
#include "sim/image/direct-ptx.h"
#include "sim/image/images.h"
#include "sim/program/symbol.h"

gboolean
smb_contained_recognize(const SmbSource *source) {
  GBytes *bytes = smb_source_bytes(source);
  return bytes && !smb_cubin_recognize(bytes);
}

// An image as a source of its own (transfer full). Machine code is called after its file; so is PTX, but messages point
// at places in its text, so that they say whose they are.
static SmbSource *
open_image(const SmbSource *file, const SmbImage *image, GError **error) {
  const char *name = smb_source_name(file);
  g_autoptr(GBytes) bytes = smb_image_load(image, name, error);
  if (!bytes)
    return NULL;
  g_autofree char *what = smb_image_describe(image);
  g_autofree char *own = g_strdup_printf("%s (%s)", name, what);
  gboolean is_cubin = image->kind == SMB_IMAGE_CUBIN;
  if (is_cubin && !smb_cubin_recognize(bytes)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: expected a cubin", own);
    return NULL;
  }
  return is_cubin ? smb_source_new_any(name, bytes, error) : smb_source_new(own, bytes, error);
}

// A kernel of an image.
typedef struct {
  const SmbImage *image;
  gboolean is_linked;
} Candidate;

// The kernels to choose from: their names, and where they are.
typedef struct {
  GPtrArray *symbols;  // owned
  GArray *candidates;  // Candidate, as @symbols
  GHashTable *indices; // name to index, from 1
} Choice;

static void
add_candidate(Choice *choice, const char *symbol, const SmbImage *image, gboolean is_linked) {
  const Candidate candidate = {image, is_linked};
  guint index = GPOINTER_TO_UINT(g_hash_table_lookup(choice->indices, symbol));
  if (index > 0) {
    Candidate *known = &g_array_index(choice->candidates, Candidate, index - 1);
    *known = known->is_linked ? *known : candidate;
    return;
  }
  char *own = g_strdup(symbol);
  g_ptr_array_add(choice->symbols, own);
  g_array_append_val(choice->candidates, candidate);
  g_hash_table_insert(choice->indices, own, GUINT_TO_POINTER(choice->symbols->len));
}

// The kernels of a cubin, or of PTX.
static gboolean
add_kernels(Choice *choice, SmbSource *source, const SmbImage *image, SmbContainedList list,
            GError **error) {
  if (image->kind == SMB_IMAGE_CUBIN) {
    const SmbCubin *cubin = smb_cubin_of(source, NULL, error);
    for (guint i = 0; cubin && i < cubin->functions->len; i++) {
      const SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
      if (function->is_kernel)
        add_candidate(choice, function->name, image, cubin->is_linked);
    }
    return cubin != NULL;
  }
  g_autoptr(SmbEntries) entries = list(source, error);
  for (guint i = 0; entries && i < entries->entries->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, i);
    add_candidate(choice, entry->symbol, image, TRUE);
  }
  return entries != NULL;
}

static gboolean
add_all_kernels(Choice *choice, SmbSource *file, const GPtrArray *images, SmbContainedList list,
                GError **error) {
  for (guint i = 0; i < images->len; i++) {
    const SmbImage *image = g_ptr_array_index(images, i);
    g_autoptr(SmbSource) source = open_image(file, image, error);
    if (!source || !add_kernels(choice, source, image, list, error))
      return FALSE;
  }
  return choice->symbols->len > 0 ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no kernel in it", smb_source_name(file));
}

SmbSource *
smb_contained_choose(SmbSource *file, guint chip, const char *entry, SmbContainedList list,
                     char **symbol, GError **error) {
  const char *name = smb_source_name(file);
  g_autoptr(GPtrArray) all = smb_images_read(smb_source_bytes(file), name, error);
  g_autoptr(GPtrArray) images = all ? smb_images_choose(all, chip, name, error) : NULL;
  g_autoptr(GPtrArray) symbols = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
  g_autoptr(GHashTable) indices = g_hash_table_new(g_str_hash, g_str_equal);
  Choice choice = {symbols, candidates, indices};
  if (!images || !add_all_kernels(&choice, file, images, list, error))
    return NULL;
  gint index = smb_symbol_choose(symbols, entry, name, error);
  if (index < 0)
    return NULL;
  SmbSource *source =
      open_image(file, g_array_index(candidates, Candidate, (guint)index).image, error);
  *symbol = source ? g_strdup(g_ptr_array_index(symbols, (guint)index)) : NULL;
  return source;
}

SmbSource *
smb_contained_find_text(SmbSource *file, guint chip, const char *symbol, SmbContainedList list) {
  const char *name = smb_source_name(file);
  g_autoptr(GPtrArray) all = smb_images_read(smb_source_bytes(file), name, NULL);
  g_autoptr(GPtrArray) texts = all ? smb_direct_ptx_choose(all, chip, name) : NULL;
  for (guint i = 0; texts && i < texts->len; i++) {
    g_autoptr(SmbSource) source = open_image(file, g_ptr_array_index(texts, i), NULL);
    g_autoptr(SmbEntries) entries = source ? list(source, NULL) : NULL;
    for (guint e = 0; entries && e < entries->entries->len; e++)
      if (strcmp(((SmbEntry *)g_ptr_array_index(entries->entries, e))->symbol, symbol) == 0)
        return g_steal_pointer(&source);
  }
  return NULL;
}

// By the place of the first kernel of that name (@data: name to index), then as they are.
static gint
compare_entries(gconstpointer a, gconstpointer b, gpointer data) {
  const SmbEntry *one = *(SmbEntry *const *)a, *other = *(SmbEntry *const *)b;
  guint first = GPOINTER_TO_UINT(g_hash_table_lookup(data, one->symbol));
  guint second = GPOINTER_TO_UINT(g_hash_table_lookup(data, other->symbol));
  return (first > second) - (first < second);
}

// What all have in common: their level, or "several"; the architectures, each once.
static void
describe(SmbEntries *all) {
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GString) targets = g_string_new(NULL);
  for (guint i = 0; i < all->entries->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(all->entries, i);
    const char *level = i == 0 ? entry->level : all->level;
    all->level = strcmp(level, entry->level) == 0 ? level : "several";
    if (g_hash_table_add(seen, (gpointer)entry->target))
      g_string_append_printf(targets, "%s%s", targets->len > 0 ? ", " : "", entry->target);
  }
  all->target = g_string_chunk_insert(all->strings, targets->str);
}

SmbEntries *
smb_contained_entries(SmbSource *file, SmbContainedList list, GError **error) {
  g_autoptr(GPtrArray) images =
      smb_images_read(smb_source_bytes(file), smb_source_name(file), error);
  g_autoptr(SmbEntries) all = smb_entries_new("several", "");
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) places = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; images && i < images->len; i++) {
    g_autoptr(SmbSource) source = open_image(file, g_ptr_array_index(images, i), error);
    g_autoptr(SmbEntries) own = source ? list(source, error) : NULL;
    if (!own)
      return NULL;
    for (guint e = 0; e < own->entries->len; e++) {
      const SmbEntry *entry = g_ptr_array_index(own->entries, e);
      char *key = g_strjoin("\n", entry->symbol, entry->level, entry->target, NULL);
      if (!g_hash_table_contains(seen, key))
        smb_entries_copy(all, entry);
      g_hash_table_add(seen, key);
    }
  }
  for (guint i = all->entries->len; i-- > 0;)
    g_hash_table_insert(places, (gpointer)((SmbEntry *)g_ptr_array_index(all->entries, i))->symbol,
                        GUINT_TO_POINTER(i + 1));
  g_ptr_array_sort_with_data(all->entries, compare_entries, places);
  describe(all);
  return images ? g_steal_pointer(&all) : NULL;
}
