// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/files.h"

#include <string.h>

#include "sim/base/text.h"

// What begins a line of smb_files_tell(): a character that no message holds, since they show it as "\x1d".
#define TOLD '\035'

struct _SmbFiles {
  GMutex lock;     // of what is read
  GPtrArray *read; // names, each once
  GHashTable *seen;
  GPtrArray *written; // SmbOutFile
};

SmbFiles *
smb_files_new(void) {
  SmbFiles *files = g_new0(SmbFiles, 1);
  g_mutex_init(&files->lock);
  files->read = g_ptr_array_new_with_free_func(g_free);
  files->seen = g_hash_table_new(g_str_hash, g_str_equal);
  files->written = g_ptr_array_new_with_free_func((GDestroyNotify)smb_out_file_free);
  return files;
}

void
smb_files_free(SmbFiles *files) {
  if (!files)
    return;
  g_hash_table_unref(files->seen);
  g_ptr_array_unref(files->read);
  g_ptr_array_unref(files->written);
  g_mutex_clear(&files->lock);
  g_free(files);
}

void
smb_files_read(SmbFiles *files, const char *path) {
  if (!files || !path)
    return;
  g_mutex_lock(&files->lock);
  if (!g_hash_table_contains(files->seen, path)) {
    char *own = g_strdup(path);
    g_ptr_array_add(files->read, own);
    g_hash_table_add(files->seen, own);
  }
  g_mutex_unlock(&files->lock);
}

void
smb_files_read_all(SmbFiles *files, const char *const *paths) {
  for (guint i = 0; paths && paths[i]; i++)
    smb_files_read(files, paths[i]);
}

gsize
smb_files_match(SmbFiles *files, const char *message) {
  gsize longest = 0;
  g_mutex_lock(&files->lock);
  for (guint i = 0; i < files->read->len; i++) {
    g_autofree char *shown = smb_text_show_line(files->read->pdata[i]);
    if (g_str_has_prefix(message, shown))
      longest = MAX(longest, strlen(shown));
  }
  g_mutex_unlock(&files->lock);
  return longest;
}

const SmbOutFile *
smb_files_open(SmbFiles *files, const char *option, const char *path, GError **error) {
  SmbOutFile *file = smb_out_file_new(option, path, error);
  if (!file)
    return NULL;
  g_ptr_array_add(files->written, file);
  return smb_files_check(files, error) ? file : NULL;
}

static gboolean
check_one(SmbFiles *files, const SmbOutFile *file, GError **error) {
  gboolean good = smb_out_file_check_streams(file, error);
  g_mutex_lock(&files->lock);
  for (guint i = 0; good && i < files->read->len; i++)
    good = smb_out_file_protect(file, files->read->pdata[i], error);
  g_mutex_unlock(&files->lock);
  return good;
}

gboolean
smb_files_check(SmbFiles *files, GError **error) {
  for (guint i = 0; i < files->written->len; i++) {
    const SmbOutFile *file = files->written->pdata[i];
    for (guint j = 0; j < i; j++) {
      if (!smb_out_file_check_other(file, files->written->pdata[j], error))
        return FALSE;
    }
    if (!check_one(files, file, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_files_write(SmbFiles *files, const SmbOutFile *file, const char *text, gsize length,
                GError **error) {
  return smb_files_check(files, error) && smb_out_file_write(file, text, length, error);
}

gboolean
smb_files_save(SmbFiles *files, const SmbOutFile *file, SmbSpool *spool, gsize *length,
               GError **error) {
  return smb_files_check(files, error) && smb_out_file_save(file, spool, length, error);
}

void
smb_files_tell(SmbFiles *files, int fd) {
  if (g_strcmp0(g_getenv(SMB_FILES_VARIABLE), SMB_FILES_ASKED) != 0)
    return;
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < files->read->len; i++) {
    g_autofree char *escaped = g_strescape(files->read->pdata[i], NULL);
    g_string_append_printf(text, "%c%s\n", TOLD, escaped);
  }
  smb_spool_write_to(fd, text->str, text->len); // without standard error there is no one to tell
}

GStrv
smb_files_take(GString *text, const char *folder) {
  g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
  g_autoptr(GString) rest = g_string_new(NULL);
  g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    if (lines[i][0] == TOLD) {
      g_autofree char *path = g_strcompress(lines[i] + 1);
      g_autofree char *whole = folder ? g_canonicalize_filename(path, folder) : g_strdup(path);
      g_strv_builder_add(paths, whole);
    } else {
      g_string_append(rest, lines[i]);
      g_string_append(rest, lines[i + 1] ? "\n" : "");
    }
  }
  g_string_assign(text, rest->str);
  return g_strv_builder_end(paths);
}
