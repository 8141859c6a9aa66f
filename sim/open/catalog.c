// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads the catalogue of built-in kernels.
#include "sim/open/catalog.h"

#include <string.h>

#include "sim/base/data.h"
#include "sim/base/error.h"
#include "sim/base/key-file.h"
#include "sim/base/suggest.h"
#include "sim/launch/launch.h"

#define CATALOG_FILE "data/kernels/catalog.ini"

// Largest grid extent: that of x on every device since compute capability 3.0.
enum {
  MAX_EXTENT = 0x7fffffff
};

// Where a catalogue is being read; group says where an error is.
typedef struct {
  GKeyFile *keys;
  const char *group;
} Reader;

static void
free_catalog_entry(gpointer data) {
  SmbCatalogEntry *entry = data;
  g_free(entry->name);
  g_free(entry->shape);
  g_free(entry->file);
  g_free(entry->entry);
  g_free(entry->shows);
  g_strfreev(entry->defines);
  g_strfreev(entry->args);
  g_free(entry->dynamic_bytes);
  g_free(entry);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCatalogEntry, free_catalog_entry)

#define refuse_key(reader, key, error, format, ...)                                                \
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, CATALOG_FILE ": [%s] %s: " format, (reader)->group,  \
           key, ##__VA_ARGS__)

static gboolean
is_identifier(const char *text, gsize length) {
  if (length == 0 || !(g_ascii_isalpha(text[0]) || text[0] == '_'))
    return FALSE;
  for (gsize i = 1; i < length; i++) {
    if (!g_ascii_isalnum(text[i]) && text[i] != '_')
      return FALSE;
  }
  return TRUE;
}

static gboolean
check_keys(const Reader *reader, GError **error) {
  static const char *const known[] = {"file", "entry", "block",         "grid", "defines",
                                      "args", "shows", "dynamic-bytes", NULL};
  g_auto(GStrv) keys = g_key_file_get_keys(reader->keys, reader->group, NULL, NULL);
  for (guint i = 0; keys && keys[i]; i++) {
    if (!g_strv_contains(known, keys[i]))
      return refuse_key(reader, keys[i], error, "no such key");
  }
  return TRUE;
}

static gboolean
read_catalog_text(const Reader *reader, const char *key, char **value, GError **error) {
  *value = g_key_file_get_string(reader->keys, reader->group, key, NULL);
  if (!*value || !**value)
    return refuse_key(reader, key, error, "missing");
  return TRUE;
}

static gboolean
read_identifier(const Reader *reader, const char *key, char **value, GError **error) {
  if (!read_catalog_text(reader, key, value, error))
    return FALSE;
  if (!is_identifier(*value, strlen(*value)))
    return refuse_key(reader, key, error, "'%s' is not a name", *value);
  return TRUE;
}

static gboolean
read_kernel_file(const Reader *reader, char **value, GError **error) {
  if (!read_catalog_text(reader, "file", value, error))
    return FALSE;
  if (strchr(*value, '/') || !g_str_has_suffix(*value, ".cu"))
    return refuse_key(reader, "file", error, "'%s' is not the name of a .cu file in that folder",
                      *value);
  return TRUE;
}

// Threads or blocks: X, X,Y or X,Y,Z; what is not said is 1.
static gboolean
read_extents(const Reader *reader, const char *key, guint extents[3], GError **error) {
  extents[0] = extents[1] = extents[2] = 1;
  if (!g_key_file_has_key(reader->keys, reader->group, key, NULL))
    return TRUE;
  g_autofree char *text = g_key_file_get_value(reader->keys, reader->group, key, NULL);
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  if (g_strv_length(parts) > 3 || !parts[0])
    return refuse_key(reader, key, error, "'%s': expected X, X,Y or X,Y,Z", text);
  for (guint i = 0; parts[i]; i++) {
    guint64 number;
    if (!g_ascii_string_to_unsigned(g_strstrip(parts[i]), 10, 1, MAX_EXTENT, &number, NULL))
      return refuse_key(reader, key, error, "'%s' is not a number from 1", parts[i]);
    extents[i] = (guint)number;
  }
  return TRUE;
}

static gboolean
read_shape_block(const Reader *reader, guint block[3], GError **error) {
  if (!g_key_file_has_key(reader->keys, reader->group, "block", NULL))
    return refuse_key(reader, "block", error, "missing");
  if (!read_extents(reader, "block", block, error))
    return FALSE;
  const SmbLaunch launch = {.block = {block[0], block[1], block[2]}, .grid = {1, 1, 1}};
  g_autoptr(GError) problem = NULL;
  return smb_launch_check(&launch, NULL, &problem) ||
         refuse_key(reader, "block", error, "%s", problem->message);
}

// A list of NAME=VALUE; absent is empty.
static gboolean
read_settings(const Reader *reader, const char *key, GStrv *settings, GError **error) {
  *settings = g_key_file_get_string_list(reader->keys, reader->group, key, NULL, NULL);
  if (!*settings)
    *settings = g_new0(char *, 1);
  for (guint i = 0; (*settings)[i]; i++) {
    const char *setting = g_strstrip((*settings)[i]);
    const char *equals = strchr(setting, '=');
    if (!equals || !equals[1] || !is_identifier(setting, (gsize)(equals - setting)))
      return refuse_key(reader, key, error, "'%s': expected NAME=VALUE", setting);
  }
  return TRUE;
}

static gboolean
read_dynamic_bytes(const Reader *reader, char **expression, GError **error) {
  *expression = g_key_file_get_string(reader->keys, reader->group, "dynamic-bytes", NULL);
  if (!*expression)
    return TRUE;
  gsize valid = strspn(*expression, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_+-*/%() ");
  if (valid == 0 || (*expression)[valid])
    return refuse_key(reader, "dynamic-bytes", error,
                      "'%s': expected an integer expression over the macros", *expression);
  return TRUE;
}

static SmbCatalogEntry *
read_entry(const Reader *reader, GError **error) {
  g_autoptr(SmbCatalogEntry) entry = g_new0(SmbCatalogEntry, 1);
  g_auto(GStrv) words = g_strsplit(reader->group, " ", -1);
  if (g_strv_length(words) != 2 || !is_identifier(words[0], strlen(words[0])) || !*words[1]) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, CATALOG_FILE ": [%s]: expected [NAME SHAPE]",
             reader->group);
    return NULL;
  }
  entry->name = g_strdup(words[0]);
  entry->shape = g_strdup(words[1]);
  if (!check_keys(reader, error) || !read_kernel_file(reader, &entry->file, error) ||
      !read_identifier(reader, "entry", &entry->entry, error) ||
      !read_catalog_text(reader, "shows", &entry->shows, error) ||
      !read_shape_block(reader, entry->block, error) ||
      !read_extents(reader, "grid", entry->grid, error) ||
      !read_settings(reader, "defines", &entry->defines, error) ||
      !read_settings(reader, "args", &entry->args, error) ||
      !read_dynamic_bytes(reader, &entry->dynamic_bytes, error))
    return NULL;
  return g_steal_pointer(&entry);
}

static GPtrArray *
read_catalog(const char *text, gsize length, GError **error) {
  g_autoptr(GKeyFile) keys = smb_key_file_load(CATALOG_FILE, text, length, error);
  if (!keys)
    return NULL;
  g_autoptr(GPtrArray) catalog = g_ptr_array_new_with_free_func(free_catalog_entry);
  g_auto(GStrv) groups = g_key_file_get_groups(keys, NULL);
  for (guint i = 0; groups[i]; i++) {
    Reader reader = {keys, groups[i]};
    SmbCatalogEntry *entry = read_entry(&reader, error);
    if (!entry)
      return NULL;
    g_ptr_array_add(catalog, entry);
  }
  return g_steal_pointer(&catalog);
}

GPtrArray *
smb_catalog_new_from_data(const char *text, GError **error) {
  return read_catalog(text, strlen(text), error);
}

GPtrArray *
smb_catalog_load(GError **error) {
  g_autoptr(GBytes) bytes = smb_data_load("kernels/catalog.ini", error);
  if (!bytes)
    return NULL;
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return read_catalog(text ? text : "", length, error);
}

static void
set_unknown_name(const GPtrArray *catalog, const char *name, GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = catalog->pdata[i];
    if (!g_ptr_array_find_with_equal_func(names, entry->name, g_str_equal, NULL))
      g_ptr_array_add(names, entry->name);
  }
  g_ptr_array_add(names, NULL);
  g_autofree char *meant = smb_suggest(name, (const char *const *)names->pdata);
  g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "no built-in kernel '%s'%s", name, meant);
  smb_hint(error, SMB_HINT_KERNELS, NULL, all);
}

static void
set_unknown_shape(const GPtrArray *catalog, const char *name, const char *shape, GError **error) {
  g_autoptr(GString) shapes = g_string_new(NULL);
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = catalog->pdata[i];
    if (strcmp(entry->name, name) == 0)
      g_string_append_printf(shapes, "%s%s", shapes->len ? ", " : "", entry->shape);
  }
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "kernel '%s' has no shape '%s': expected one of %s",
           name, shape, shapes->str);
}

const SmbCatalogEntry *
smb_catalog_find(const GPtrArray *catalog, const char *name, const char *shape, const guint *block,
                 GError **error) {
  const SmbCatalogEntry *first = NULL;
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = catalog->pdata[i];
    if (strcmp(entry->name, name) != 0)
      continue;
    if (!first)
      first = entry;
    if (shape ? strcmp(entry->shape, shape) == 0
              : block && memcmp(entry->block, block, sizeof entry->block) == 0)
      return entry;
  }
  if (!first) {
    set_unknown_name(catalog, name, error);
    return NULL;
  }
  if (shape) {
    set_unknown_shape(catalog, name, shape, error);
    return NULL;
  }
  return first;
}

SmbSource *
smb_catalog_file(const char *file, GError **error) {
  g_autofree char *path = g_strdup_printf("kernels/%s", file);
  g_autofree char *name = g_strdup_printf("data/%s", path);
  g_autoptr(GBytes) text = smb_data_load(path, error);
  if (!text) {
    smb_prefix_error(error, "%s: ", name);
    return NULL;
  }
  return smb_source_new(name, text, error);
}

gboolean
smb_catalog_defines(const SmbCatalogEntry *entry, const char *name) {
  for (guint i = 0; entry->defines[i]; i++) {
    if (g_str_has_prefix(entry->defines[i], name) && entry->defines[i][strlen(name)] == '=')
      return TRUE;
  }
  return FALSE;
}
