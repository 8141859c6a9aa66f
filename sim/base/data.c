// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/data.h"

#include <gio/gio.h>
#include <string.h>

#include "data/smb-resources.h"

static const char resource_prefix[] = "/smembank/";

GBytes *
smb_data_load(const char *path, GError **error) {
  const char *folder = g_getenv("SMEMBANK_DATADIR");
  if (folder && *folder) {
    g_autofree char *file = g_build_filename(folder, path, NULL);
    char *text = NULL;
    gsize length = 0;
    if (g_file_test(file, G_FILE_TEST_EXISTS)) {
      if (!g_file_get_contents(file, &text, &length, error))
        return NULL;
      return g_bytes_new_take(text, length);
    }
  }
  g_autofree char *name = g_strconcat(resource_prefix, path, NULL);
  return g_resource_lookup_data(smb_data_get_resource(), name, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
}

static int
compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
add_name(GPtrArray *names, const char *file, const char *suffix) {
  if (!g_str_has_suffix(file, suffix))
    return;
  char *name = g_strndup(file, strlen(file) - strlen(suffix));
  if (g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
    g_free(name);
  else
    g_ptr_array_add(names, name);
}

GStrv
smb_data_list(const char *folder, const char *suffix) {
  GPtrArray *names = g_ptr_array_new();
  g_autofree char *path = g_strconcat(resource_prefix, folder, NULL);
  g_auto(GStrv) children = g_resource_enumerate_children(smb_data_get_resource(), path,
                                                         G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  for (guint i = 0; children && children[i]; i++)
    add_name(names, children[i], suffix);

  const char *top = g_getenv("SMEMBANK_DATADIR");
  if (top && *top) {
    g_autofree char *dir_path = g_build_filename(top, folder, NULL);
    g_autoptr(GDir) dir = g_dir_open(dir_path, 0, NULL);
    const char *file;
    while (dir && (file = g_dir_read_name(dir)))
      add_name(names, file, suffix);
  }
  g_ptr_array_sort(names, compare_names);
  g_ptr_array_add(names, NULL);
  return (GStrv)g_ptr_array_free(names, FALSE);
}
