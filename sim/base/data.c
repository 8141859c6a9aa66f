// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Data files: compiled in, or from SMEMBANK_DATADIR.
#include "sim/base/data.h"

#include <gio/gio.h>
#include <string.h>

#include "data/smb-resources.h"
#include "sim/base/source.h"

static const char resource_prefix[] = "/smembank/";

// What is compiled in. The first call registers it; GLib (2.74) gives NULL to a thread that asks meanwhile.
static GResource *
get_resource(void) {
  static gsize resource = 0;
  if (g_once_init_enter(&resource))
    g_once_init_leave(&resource, (gsize)smb_data_get_resource());
  return GSIZE_TO_POINTER(resource);
}

GBytes *
smb_data_load(const char *path, GError **error) {
  const char *folder = g_getenv("SMEMBANK_DATADIR");
  if (folder && *folder) {
    g_autofree char *file = g_build_filename(folder, path, NULL);
    if (g_file_test(file, G_FILE_TEST_EXISTS))
      return smb_source_read_bytes(file, SMB_SOURCE_MAX_BYTES, error);
  }
  g_autofree char *name = g_strconcat(resource_prefix, path, NULL);
  return g_resource_lookup_data(get_resource(), name, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
}

static int
compare_data_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The paths below data/ of the files in a folder, and in the folders in it: those of $SMEMBANK_DATADIR first.
static void
add_paths(GPtrArray *paths, const char *folder, GStrv children, const char *suffix) {
  for (guint i = 0; children && children[i]; i++) {
    if (g_str_has_suffix(children[i], suffix))
      g_ptr_array_add(paths, g_strconcat(folder, "/", children[i], NULL));
  }
}

// What a folder of the user's has; a folder ends in "/", as in a resource.
static GStrv
list_own(const char *folder) {
  const char *top = g_getenv("SMEMBANK_DATADIR");
  g_autofree char *path = g_build_filename(top && *top ? top : "", folder, NULL);
  g_autoptr(GDir) dir = top && *top ? g_dir_open(path, 0, NULL) : NULL;
  GPtrArray *names = g_ptr_array_new();
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *file = g_build_filename(path, name, NULL);
    gboolean is_folder = g_file_test(file, G_FILE_TEST_IS_DIR);
    g_ptr_array_add(names, g_strconcat(name, is_folder ? "/" : NULL, NULL));
  }
  g_ptr_array_sort(names, compare_data_names);
  g_ptr_array_add(names, NULL);
  return (GStrv)g_ptr_array_free(names, FALSE);
}

static GStrv
list_compiled_in(const char *folder) {
  g_autofree char *path = g_strconcat(resource_prefix, folder, NULL);
  return g_resource_enumerate_children(get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
}

static GPtrArray *
list_paths(const char *folder, const char *suffix) {
  GStrv (*const lists[])(const char *) = {list_own, list_compiled_in};
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  for (guint l = 0; l < G_N_ELEMENTS(lists); l++) {
    g_auto(GStrv) children = lists[l](folder);
    add_paths(paths, folder, children, suffix);
    for (guint i = 0; children && children[i]; i++) {
      if (!g_str_has_suffix(children[i], "/"))
        continue;
      g_autofree char *inner =
          g_strdup_printf("%s/%.*s", folder, (int)strlen(children[i]) - 1, children[i]);
      g_auto(GStrv) files = lists[l](inner);
      add_paths(paths, inner, files, suffix);
    }
  }
  return paths;
}

// The name that a path of list_paths() has without its folder and @suffix.
static char *
take_data_name(const char *path, const char *suffix) {
  const char *start = strrchr(path, '/') + 1;
  return g_strndup(start, strlen(start) - strlen(suffix));
}

char *
smb_data_find(const char *folder, const char *name, const char *suffix) {
  g_autoptr(GPtrArray) paths = list_paths(folder, suffix);
  for (guint i = 0; i < paths->len; i++) {
    const char *path = g_ptr_array_index(paths, i);
    g_autofree char *own = take_data_name(path, suffix);
    if (strcmp(own, name) == 0)
      return g_strdup(path);
  }
  return NULL;
}

GStrv
smb_data_list(const char *folder, const char *suffix) {
  g_autoptr(GPtrArray) paths = list_paths(folder, suffix);
  GPtrArray *names = g_ptr_array_new();
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *name = take_data_name(g_ptr_array_index(paths, i), suffix);
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
      g_ptr_array_add(names, g_steal_pointer(&name));
  }
  g_ptr_array_sort(names, compare_data_names);
  g_ptr_array_add(names, NULL);
  return (GStrv)g_ptr_array_free(names, FALSE);
}
