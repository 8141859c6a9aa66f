// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/target/origin.h"

#include <string.h>

struct _SmbOrigins {
  char *folder; // of the compiled file; NULL: the program has a text of its own
  SmbFiles *files;
  GHashTable *sources; // file → SmbSource, or NULL if it is not at hand
};

static void
unref_source(gpointer data) {
  if (data)
    smb_source_unref(data);
}

SmbOrigins *
smb_origins_new(const SmbProgram *program, SmbFiles *files) {
  SmbOrigins *origins = g_new0(SmbOrigins, 1);
  origins->files = files;
  if (strcmp(smb_program_level(program), "text") != 0)
    origins->folder = g_path_get_dirname(smb_program_file(program));
  origins->sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_source);
  return origins;
}

void
smb_origins_free(SmbOrigins *origins) {
  if (!origins)
    return;
  g_hash_table_unref(origins->sources);
  g_free(origins->folder);
  g_free(origins);
}

static SmbSource *
load_origin(const SmbOrigins *origins, const char *file) {
  g_autofree char *last = g_path_get_basename(file);
  g_autofree char *below =
      g_path_is_absolute(file) ? NULL : g_build_filename(origins->folder, file, NULL);
  g_autofree char *beside = g_build_filename(origins->folder, last, NULL);
  const char *const paths[] = {below, file, beside, last};
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    SmbSource *source = paths[i] && g_file_test(paths[i], G_FILE_TEST_IS_REGULAR)
                            ? smb_source_load(paths[i], NULL)
                            : NULL;
    if (source) {
      smb_files_read(origins->files, paths[i]);
      return source;
    }
  }
  return NULL;
}

SmbSource *
smb_origins_find(SmbOrigins *origins, const char *file) {
  gpointer found = NULL;
  if (!origins->folder || !file)
    return NULL;
  if (!g_hash_table_lookup_extended(origins->sources, file, NULL, &found)) {
    found = load_origin(origins, file);
    g_hash_table_insert(origins->sources, g_strdup(file), found);
  }
  return found;
}

char *
smb_origins_line(SmbOrigins *origins, const SmbSite *site) {
  const SmbSource *source = smb_origins_find(origins, site->file);
  if (!source || site->line < 1 || site->line > smb_source_n_lines(source))
    return NULL;
  return g_strstrip(smb_source_line(source, site->line));
}
