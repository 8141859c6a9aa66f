// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/init/folder.h"

#include <string.h>

#include "sim/cuda/text/host.h"

enum {
  MAX_ROUNDS = 16,     // files that are found include others
  LEVELS = 5,          // the folder of the text, and those above it
  LEVELS_SEARCHED = 3, // whose other folders are looked into as well
  MAX_ENTRIES = 256,
};

// The folder above another one; NULL: there is none (transfer full).
static char *
find_folder_above(const char *folder) {
  g_autofree char *last = g_path_get_basename(folder);
  if (strcmp(last, ".") == 0)
    return g_strdup("..");
  if (strcmp(last, "..") == 0)
    return g_build_filename(folder, "..", NULL);
  char *above = g_path_get_dirname(folder);
  if (strcmp(above, folder) == 0)
    g_clear_pointer(&above, g_free);
  return above;
}

static gint
compare_folder_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// The folders in a folder, by their names (transfer full).
static GPtrArray *
list_folders_in(const char *folder) {
  GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  for (guint n = 0; dir && n < MAX_ENTRIES && (name = g_dir_read_name(dir)) != NULL; n++) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (name[0] != '.' && g_file_test(path, G_FILE_TEST_IS_DIR))
      g_ptr_array_add(folders, g_strdup(name));
  }
  g_ptr_array_sort(folders, compare_folder_names);
  return folders;
}

// @folder/@part if it has the file (transfer full).
static char *
find_in_part(const char *folder, const char *part, const char *file) {
  g_autofree char *inner =
      strcmp(folder, ".") == 0 && *part ? g_strdup(part) : g_build_filename(folder, part, NULL);
  g_autofree char *path = g_build_filename(inner, file, NULL);
  // A project file has ';' between folders.
  return g_file_test(path, G_FILE_TEST_IS_REGULAR) && !strchr(inner, ';') ? g_steal_pointer(&inner)
                                                                          : NULL;
}

// Where a file is, in a folder or in one of those in it; NULL: it has none (transfer full).
static char *
find_beside(const char *folder, const char *file, gboolean is_searched) {
  static const char *const usual[] = {"", "include", "inc"};
  char *found = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(usual) && !found; i++)
    found = find_in_part(folder, usual[i], file);
  g_autoptr(GPtrArray) others = is_searched && !found ? list_folders_in(folder) : NULL;
  for (guint i = 0; others && i < others->len && !found; i++)
    found = find_in_part(folder, others->pdata[i], file);
  return found;
}

// The folder of a file that a text in @start includes. A repository ends at the folder that it is in.
static char *
find_folder(const char *start, const char *name) {
  gboolean is_system = name[0] == '<';
  g_autofree char *folder = g_strdup(start);
  for (guint i = 0; folder && i < LEVELS; i++) {
    char *found = find_beside(folder, name + is_system, !is_system && i < LEVELS_SEARCHED);
    g_autofree char *git = g_build_filename(folder, ".git", NULL);
    if (found || g_file_test(git, G_FILE_TEST_EXISTS))
      return found;
    char *above = find_folder_above(folder);
    g_free(folder);
    folder = above;
  }
  return NULL;
}

// Whether a header is the system's, or the toolkit's: those are not looked for. (Headers of C++ have no ending.)
static gboolean
is_system_header(const char *name) {
  g_autofree char *path = g_build_filename("/usr/include", name + 1, NULL);
  return name[0] == '<' && (!strchr(name, '.') || g_file_test(path, G_FILE_TEST_EXISTS));
}

char **
smb_init_folders(SmbSource *source) {
  g_autofree char *start = g_path_get_dirname(smb_source_name(source));
  g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(g_free);
  gboolean is_done = FALSE;
  g_ptr_array_add(folders, NULL);
  for (guint round = 0; round < MAX_ROUNDS && !is_done; round++) {
    g_auto(GStrv) missing = smb_host_missing(source, (const char *const *)folders->pdata);
    is_done = TRUE;
    for (guint i = 0; missing[i]; i++) {
      char *found = is_system_header(missing[i]) ? NULL : find_folder(start, missing[i]);
      if (found && !g_strv_contains((const char *const *)folders->pdata, found)) {
        g_ptr_array_insert(folders, (int)folders->len - 1, found);
        is_done = FALSE;
      } else
        g_free(found);
    }
  }
  return g_strdupv((char **)folders->pdata);
}
