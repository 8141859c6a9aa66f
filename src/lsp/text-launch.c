// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How a text is launched: as its lines "// smembank: OPTION…" say, or the cases of the project file above it that name it, or as defaults
// have it.
#include <string.h>

#include "src/cli/words.h"
#include "src/lsp/server.h"
#include "src/project/line.h"

static void
free_lsp_launch(gpointer data) {
  SmbLspLaunch *launch = data;
  g_strfreev(launch->words);
  g_free(launch->failure);
  g_free(launch);
}

// @failure: (nullable)
static void
add_text_launch(GPtrArray *launches, GStrvBuilder *words, gboolean is_given, const char *failure) {
  if (launches->len == SMB_LSP_MOST_LAUNCHES)
    return;
  SmbLspLaunch *launch = g_new(SmbLspLaunch, 1);
  *launch = (SmbLspLaunch){g_strv_builder_end(words), is_given, g_strdup(failure)};
  g_ptr_array_add(launches, launch);
}

// Commands read the lines of these alone, and these alone include headers.
static gboolean
is_source(const SmbDocument *document) {
  return !g_str_has_suffix(document->uri, ".ptx");
}

// Headers that the text includes are in its folder, wherever the text is.
static void
add_folder(GStrvBuilder *words, const SmbDocument *document) {
  g_autofree char *folder =
      document->path && is_source(document) ? g_path_get_dirname(document->path) : NULL;
  g_autofree char *word = folder ? g_strconcat("--include=", folder, NULL) : NULL;
  if (word)
    g_strv_builder_add(words, word);
}

// Of the file itself, the command reads the line, and is only told which one. A text in memory is launched by its words.
static void
add_line_launch(GPtrArray *launches, const SmbDocument *document, const SmbCase *one,
                gboolean is_saved) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  const char *entry = smb_words_find((const char *const *)one->words, "entry");
  g_autofree char *choice = one->name ? g_strconcat("--case=", one->name, NULL)
                            : entry   ? g_strconcat("--entry=", entry, NULL)
                                      : NULL;
  if (!is_saved || !is_source(document))
    g_strv_builder_addv(words, (const char **)one->words);
  if (!is_saved)
    add_folder(words, document);
  else if (choice && is_source(document))
    g_strv_builder_add(words, choice);
  add_text_launch(launches, words, TRUE, NULL);
}

// Whether a line without a name says the same kernel as one before it, which is the one that counts.
static gboolean
is_said_before(const GPtrArray *cases, guint index) {
  const SmbCase *one = cases->pdata[index];
  const char *entry = smb_words_find((const char *const *)one->words, "entry");
  for (guint i = 0; i < index; i++) {
    const SmbCase *before = cases->pdata[i];
    const char *other = smb_words_find((const char *const *)before->words, "entry");
    if (g_strcmp0(before->name, one->name) == 0 && (one->name || g_strcmp0(entry, other) == 0))
      return TRUE;
  }
  return FALSE;
}

// If a line cannot be read, none counts, as commands have it.
static void
add_line_launches(GPtrArray *launches, const SmbDocument *document, gboolean is_saved) {
  const char *path = document->path ? document->path : "untitled.cu";
  g_autofree char *name = g_path_get_basename(path);
  g_autoptr(GStrvBuilder) none = g_strv_builder_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) cases = smb_cases_in_text(path, document->text->str, &error);
  if (!cases)
    add_text_launch(launches, none, TRUE, error->message + strlen(path) - strlen(name));
  for (guint i = 0; cases && i < cases->len; i++) {
    if (!is_said_before(cases, i))
      add_line_launch(launches, document, cases->pdata[i], is_saved);
  }
}

// The project file in the folder of a file or above it (transfer full); NULL: there is none.
static char *
find_project_above(const char *file) {
  g_autofree char *folder = g_path_get_dirname(file);
  for (;;) {
    g_autofree char *path = g_build_filename(folder, SMB_PROJECT_FILE, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer(&path);
    char *above = g_path_get_dirname(folder);
    gboolean is_root = strcmp(above, folder) == 0;
    g_free(folder);
    folder = above;
    if (is_root)
      return NULL;
  }
}

static gboolean
is_file_of(const char *a, const char *b) {
  g_autofree char *first = g_canonicalize_filename(a, NULL);
  g_autofree char *second = g_canonicalize_filename(b, NULL);
  return strcmp(first, second) == 0;
}

static void
add_case_launches(GPtrArray *launches, const SmbDocument *document, gboolean is_saved) {
  g_autofree char *path = document->path ? find_project_above(document->path) : NULL;
  g_autoptr(SmbProject) project = path ? smb_project_load(path, NULL) : NULL;
  for (guint i = 0; project && i < project->cases->len; i++) {
    const SmbCase *one = project->cases->pdata[i];
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    g_autofree char *which = g_strconcat("--project=", path, NULL);
    g_autofree char *name = g_strconcat("--case=", one->name, NULL);
    if (!one->file || !is_file_of(one->file, document->path))
      continue;
    g_strv_builder_add_many(words, which, name, NULL);
    if (!is_saved)
      add_folder(words, document);
    add_text_launch(launches, words, TRUE, NULL);
  }
}

GPtrArray *
smb_lsp_launches(const SmbDocument *document, gboolean is_saved) {
  GPtrArray *launches = g_ptr_array_new_with_free_func(free_lsp_launch);
  g_autoptr(GStrvBuilder) none = g_strv_builder_new();
  add_line_launches(launches, document, is_saved);
  if (launches->len == 0)
    add_case_launches(launches, document, is_saved);
  if (launches->len > 0)
    return launches;
  if (!is_saved)
    add_folder(none, document);
  add_text_launch(launches, none, FALSE, NULL);
  return launches;
}
