// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/serve/desk.h"

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "src/run/stand-in.h"

struct _SmbDesk {
  SmbWorkshop *workshop;
  guint n; // texts that were written
};

SmbDesk *
smb_desk_new(GError **error) {
  SmbWorkshop *workshop = smb_workshop_new("serve", error);
  if (!workshop)
    return NULL;
  SmbDesk *desk = g_new0(SmbDesk, 1);
  desk->workshop = workshop;
  return desk;
}

void
smb_desk_free(SmbDesk *desk) {
  smb_workshop_free(desk->workshop);
  g_free(desk);
}

// Writes a text into a folder of its own (transfer full); NULL with an error: it cannot be.
static char *
write_copy(SmbDesk *desk, const SmbQuestion *question, GError **error) {
  g_autofree char *name = g_path_get_basename(question->file);
  g_autofree char *folder =
      g_strdup_printf("%s/%u", smb_workshop_folder(desk->workshop), ++desk->n);
  g_autofree char *path = g_build_filename(folder, name, NULL);
  if (g_mkdir(folder, 0700) != 0) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: cannot be made", folder);
    return NULL;
  }
  return g_file_set_contents(path, question->text, -1, error) ? g_steal_pointer(&path) : NULL;
}

SmbChildLine *
smb_desk_ask(SmbDesk *desk, const SmbQuestion *question, char **copy, GError **error) {
  g_autofree char *path = question->text ? write_copy(desk, question, error) : NULL;
  if (question->text && !path)
    return NULL;
  g_autofree char *folder = path ? g_path_get_dirname(path) : g_strdup(question->folder);
  g_autofree char *file = path ? g_path_get_basename(path) : g_strdup(question->file);
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_strv_builder_add(words, question->command);
  if (question->words)
    g_strv_builder_addv(words, (const char **)question->words);
  if (file)
    g_strv_builder_add_many(words, "--", file, NULL);
  *copy = g_steal_pointer(&path);
  return smb_child_line_new(g_strv_builder_end(words), folder);
}

void
smb_desk_clear(const char *copy) {
  g_autofree char *folder = copy ? g_path_get_dirname(copy) : NULL;
  if (!copy)
    return;
  g_unlink(copy);
  g_rmdir(folder);
}

GStrv
smb_serve_environment(gboolean runs) {
  g_auto(GStrv) own = g_get_environ();
  return runs ? g_steal_pointer(&own)
              : g_environ_setenv(g_steal_pointer(&own), SMB_STAND_IN_VARIABLE,
                                 SMB_STAND_IN_FORBIDDEN, TRUE);
}
