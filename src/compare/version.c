// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compare/version.h"

#include <string.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

#include "gpu/error.h"
#include "sim/base/file.h"
#include "src/cli/child.h"

void
smb_version_clear(SmbVersion *version) {
  g_free(version->name);
  g_strfreev(version->words);
  g_free(version->folder);
  g_free(version->top);
  g_free(version->above);
  *version = (SmbVersion){NULL};
}

// No kernel begins with a brace or a bracket. What is no regular file can be read once only: a result, from a pipe.
gboolean
smb_version_is_result(const char *path) {
  GStatBuf facts;
  if (g_str_has_suffix(path, ".json"))
    return TRUE;
  if (g_stat(path, &facts) != 0 || S_ISDIR(facts.st_mode))
    return FALSE;
  if (!S_ISREG(facts.st_mode))
    return TRUE;
  g_autoptr(SmbFile) file = smb_file_open(path, NULL);
  char character = ' ';
  while (file && g_ascii_isspace(character) && smb_file_read(file, &character, 1, NULL) == 1)
    continue;
  return character == '{' || character == '[';
}

typedef struct {
  const SmbVersion *versions;
  guint which[2]; // of them is run by each line
  SmbSpool *messages;
  SmbFiles *files;
  SmbProgress *progress;
  SmbResult *results[2];
  GError *errors[2];
} Run;

// Names what is in the folder of a version as it would be in the current one.
static void
hide_folder(const SmbVersion *version, GString *text) {
  g_autofree char *here = version->folder ? g_strconcat(version->folder, "/", NULL) : NULL;
  g_autofree char *top = version->top ? g_strconcat(version->top, "/", NULL) : NULL;
  if (here)
    g_string_replace(text, here, "", 0);
  if (top)
    g_string_replace(text, top, version->above, 0);
}

// Sets the error of a process, with the name of a revision, whose files are called as those of others.
static void
take_version_error(const SmbVersion *version, const SmbChild *child, GError **error) {
  g_autofree char *text = smb_child_describe_end(child);
  int status = WIFEXITED(child->status) ? WEXITSTATUS(child->status) : -1;
  const char *hint = strstr(text, " (see 'smembank ");
  gsize length = hint && status == SMB_EXIT_USAGE ? (gsize)(hint - text) : strcspn(text, "\n");
  g_autofree char *first = g_strndup(text, length);
  const char *rest = hint && status == SMB_EXIT_USAGE ? "" : text + length;
  g_autofree char *whole = version->top
                               ? g_strdup_printf("%s (in %s)%s", first, version->name, rest)
                               : g_strconcat(first, rest, NULL);
  if (status == SMB_EXIT_NO_GPU)
    g_set_error_literal(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, whole);
  else
    g_set_error_literal(error, SMB_ERROR,
                        status == SMB_EXIT_USAGE ? SMB_ERROR_USAGE : SMB_ERROR_INPUT, whole);
}

static void
take_version_result(guint index, const SmbChild *child, gpointer data) {
  Run *run = data;
  guint which = run->which[index];
  const SmbVersion *version = &run->versions[which];
  smb_files_read_all(run->files, (const char *const *)child->read);
  hide_folder(version, child->out);
  hide_folder(version, child->err);
  g_auto(GStrv) messages = smb_child_messages(child);
  // check has a result even if a case could not be counted.
  if (child->status == -1 || !WIFEXITED(child->status) || child->out->len == 0)
    take_version_error(version, child, &run->errors[which]);
  else
    run->results[which] = smb_result_new_from_data(version->name, child->out->str, child->out->len,
                                                   &run->errors[which]);
  for (guint i = 0; which == 1 && run->results[which] && messages[i]; i++)
    smb_spool_printf(run->messages, "%s\n", messages[i]);
  smb_progress_add(run->progress, 1);
}

// Runs what is to be run, both at a time.
static void
run_lines(Run *run) {
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func((GDestroyNotify)smb_child_line_free);
  for (guint i = 0; i < 2; i++) {
    if (!run->versions[i].words)
      continue;
    run->which[lines->len] = i;
    g_ptr_array_add(lines,
                    smb_child_line_new(g_strdupv(run->versions[i].words), run->versions[i].folder));
  }
  if (lines->len > 0)
    smb_progress_begin(run->progress, "versions", lines->len);
  smb_children_run(lines, lines->len, NULL, take_version_result, run);
}

gboolean
smb_versions_read(const SmbVersion versions[2], SmbSpool *messages, SmbFiles *files,
                  SmbProgress *progress, SmbResult *results[2], GError **error) {
  Run run = {.versions = versions, .messages = messages, .files = files, .progress = progress};
  for (guint i = 0; i < 2; i++) {
    if (!versions[i].words && !run.errors[0])
      run.results[i] = smb_result_read(versions[i].name, &run.errors[i]);
  }
  if (!run.errors[0] && !run.errors[1])
    run_lines(&run);
  for (guint i = 0; i < 2; i++)
    results[i] = run.results[i];
  if (!run.errors[0] && !run.errors[1])
    return TRUE;
  g_propagate_error(error, run.errors[0] ? run.errors[0] : run.errors[1]);
  if (run.errors[0])
    g_clear_error(&run.errors[1]);
  g_clear_pointer(&results[0], smb_result_free);
  g_clear_pointer(&results[1], smb_result_free);
  return FALSE;
}
