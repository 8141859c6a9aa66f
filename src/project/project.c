// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/project/project.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/key-file.h"
#include "sim/base/source.h"
#include "sim/base/suggest.h"
#include "src/cli/cli.h"
#include "src/project/key.h"

// A file being read, line by line, beside GLib's reader, which knows no lines.
typedef struct {
  const char *path;
  const char *folder; // NULL: the current one
  GKeyFile *keys;
  guint line;
  char *section;        // the one that the line is in, or NULL
  SmbCase *every;       // [*]
  SmbProject *project;  // what is made of it
  GStrvBuilder *words;  // of the section
  GHashTable *sections; // by name, the line in which each begins
  GHashTable *seen;     // keys of the section
} Reader;

void
smb_case_free(SmbCase *one) {
  if (!one)
    return;
  g_free(one->name);
  g_free(one->path);
  g_free(one->file);
  g_strfreev(one->words);
  g_free(one);
}

void
smb_project_free(SmbProject *project) {
  if (!project)
    return;
  g_free(project->path);
  g_ptr_array_unref(project->cases);
  g_free(project);
}

#define fail_line(reader, error, format, ...)                                                      \
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%u: " format, (reader)->path, (reader)->line,    \
           ##__VA_ARGS__)

// The case that is being read: the last one that began.
static SmbCase *
current_case(const Reader *reader) {
  const GPtrArray *cases = reader->project->cases;
  return strcmp(reader->section, SMB_PROJECT_EVERY) == 0 ? reader->every
                                                         : cases->pdata[cases->len - 1];
}

static void
end_project_section(Reader *reader) {
  if (reader->section)
    current_case(reader)->words = g_strv_builder_end(reader->words);
  g_clear_pointer(&reader->section, g_free);
  g_clear_pointer(&reader->words, g_strv_builder_unref);
  g_hash_table_remove_all(reader->seen);
}

static gboolean
begin_project_section(Reader *reader, const char *name, GError **error) {
  end_project_section(reader);
  gpointer before = g_hash_table_lookup(reader->sections, name);
  if (before)
    return fail_line(reader, error, "[%s] is already on line %u", name, GPOINTER_TO_UINT(before));
  g_hash_table_insert(reader->sections, g_strdup(name), GUINT_TO_POINTER(reader->line));
  SmbCase *one = g_new0(SmbCase, 1);
  one->name = g_strdup(name);
  one->path = g_strdup(reader->path);
  one->line = reader->line;
  if (strcmp(name, SMB_PROJECT_EVERY) == 0)
    reader->every = one;
  else
    g_ptr_array_add(reader->project->cases, one);
  reader->section = g_strdup(name);
  reader->words = g_strv_builder_new();
  return TRUE;
}

static void
add_key_value(Reader *reader, const GOptionEntry *key, const char *value) {
  g_autofree char *resolved = smb_key_resolve(key, value, reader->folder);
  if (strcmp(key->long_name, SMB_KEY_FILE) == 0) {
    current_case(reader)->file = g_steal_pointer(&resolved);
    return;
  }
  if (strcmp(key->long_name, SMB_KEY_NVCC) == 0)
    current_case(reader)->nvcc_line = reader->line;
  g_autofree char *word = g_strconcat("--", key->long_name, "=", resolved, NULL);
  g_strv_builder_add(reader->words, word);
}

// The words of one key. GLib's reason for refusing a value goes without the file.
static gboolean
add_key_words(Reader *reader, const GOptionEntry *key, GError **error) {
  const char *name = key->long_name;
  g_autoptr(GError) reason = NULL;
  if (key->arg == G_OPTION_ARG_NONE) {
    gboolean is_set = g_key_file_get_boolean(reader->keys, reader->section, name, &reason);
    g_autofree char *word = g_strconcat("--", name, NULL);
    if (is_set)
      g_strv_builder_add(reader->words, word);
    return !reason || fail_line(reader, error, "%s: expected true or false", name);
  }
  if (key->arg == G_OPTION_ARG_STRING_ARRAY) {
    g_auto(GStrv) values =
        g_key_file_get_string_list(reader->keys, reader->section, name, NULL, &reason);
    for (guint i = 0; values && values[i]; i++) {
      if (*g_strstrip(values[i]))
        add_key_value(reader, key, values[i]);
    }
  } else {
    g_autofree char *value = g_key_file_get_string(reader->keys, reader->section, name, &reason);
    if (value)
      add_key_value(reader, key, g_strstrip(value));
  }
  return !reason || fail_line(reader, error, "%s: %s", name, reason->message);
}

static gboolean
read_key(Reader *reader, const char *name, GError **error) {
  const GOptionEntry *key = smb_key_find(name);
  if (!key) {
    g_auto(GStrv) names = smb_key_names();
    g_autofree char *meant = smb_suggest(name, (const char *const *)names);
    return fail_line(reader, error, "unknown key '%s'%s", name, meant);
  }
  if (!g_hash_table_add(reader->seen, g_strdup(name)))
    return fail_line(reader, error, "%s is already set in [%s]", name, reader->section);
  return add_key_words(reader, key, error);
}

static gboolean
read_project_line(Reader *reader, char *line, GError **error) {
  g_strstrip(line);
  if (!*line || *line == '#')
    return TRUE;
  if (*line == '[') {
    char *end = strrchr(line, ']');
    if (end)
      *end = '\0';
    return begin_project_section(reader, line + 1, error);
  }
  char *equals = strchr(line, '=');
  if (equals)
    *equals = '\0';
  return read_key(reader, g_strchomp(line), error);
}

static gboolean
read_project_lines(Reader *reader, const char *text, GError **error) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    reader->line = i + 1;
    if (!read_project_line(reader, lines[i], error))
      return FALSE;
  }
  end_project_section(reader);
  return TRUE;
}

// What is said of all cases, in front of what @one says itself. An option without a value that it says is its own.
static void
add_every(const Reader *reader, SmbCase *one) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  for (guint i = 0; reader->every->words[i]; i++) {
    const char *word = reader->every->words[i];
    if (!strchr(word, '=') && g_key_file_has_key(reader->keys, one->name, word + 2, NULL))
      continue;
    g_strv_builder_add(words, word);
    one->n_every++;
  }
  g_strv_builder_addv(words, (const char **)one->words);
  g_strfreev(one->words);
  one->words = g_strv_builder_end(words);
  if (!one->file)
    one->file = g_strdup(reader->every->file);
  if (!one->nvcc_line)
    one->nvcc_line = reader->every->nvcc_line;
}

SmbProject *
smb_project_new_from_data(const char *path, const char *text, gsize length, GError **error) {
  g_autoptr(GKeyFile) keys = smb_key_file_load(path, text, length, error);
  if (!keys)
    return NULL;
  g_autoptr(SmbProject) project = g_new0(SmbProject, 1);
  project->path = g_strdup(path);
  project->cases = g_ptr_array_new_with_free_func((GDestroyNotify)smb_case_free);
  g_autofree char *folder = g_path_get_dirname(path);
  g_autoptr(GHashTable) sections = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  Reader reader = {.path = path,
                   .folder = strcmp(folder, ".") == 0 ? NULL : folder,
                   .keys = keys,
                   .project = project,
                   .sections = sections,
                   .seen = seen};
  g_autofree char *lines = g_strndup(text, length);
  gboolean done = read_project_lines(&reader, lines, error);
  for (guint i = 0; done && reader.every && i < project->cases->len; i++)
    add_every(&reader, project->cases->pdata[i]);
  if (!done)
    end_project_section(&reader);
  smb_case_free(reader.every);
  return done ? g_steal_pointer(&project) : NULL;
}

// In the current folder or above it; NULL: nowhere (transfer full).
static char *
find_project_file(void) {
  g_autofree char *here = g_get_current_dir();
  g_autofree char *path = g_strdup(SMB_PROJECT_FILE);
  for (const char *at = here; at; at = strchr(at + 1, '/')) {
    if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_DIR))
      return g_steal_pointer(&path);
    char *above = g_build_filename("..", path, NULL);
    g_free(path);
    path = above;
  }
  return NULL;
}

SmbProject *
smb_project_load(const char *path, GError **error) {
  g_autofree char *found = path ? g_strdup(path) : find_project_file();
  if (!found) {
    smb_cli_usage_error(error, "no " SMB_PROJECT_FILE
                               " in this folder or above it: name a project file with --project");
    return NULL;
  }
  g_autoptr(SmbSource) source = smb_source_load(found, error);
  return source ? smb_project_new_from_data(found, smb_source_text(source),
                                            smb_source_length(source), error)
                : NULL;
}

const SmbCase *
smb_project_find(const SmbProject *project, const char *name, GError **error) {
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  for (guint i = 0; i < project->cases->len; i++) {
    const SmbCase *one = project->cases->pdata[i];
    if (strcmp(one->name, name) == 0)
      return one;
    g_strv_builder_add(builder, one->name);
  }
  g_auto(GStrv) names = g_strv_builder_end(builder);
  g_autofree char *list = smb_cli_list((const char *const *)names, " and ");
  g_autofree char *meant = smb_suggest(name, (const char *const *)names);
  smb_cli_usage_error(error, "no case '%s' in %s, which has %s%s", name, project->path,
                      *list ? list : "none", meant);
  return NULL;
}

// The file that the value of a word names, if it has one.
static void
note_word(const char *word, SmbFiles *files) {
  g_autofree char *name = g_strndup(word + 2, strcspn(word + 2, "="));
  const char *value = strchr(word, '=');
  const char *path = value ? smb_key_path(smb_key_find(name), value + 1) : NULL;
  const char *at = path ? strrchr(path, '@') : NULL; // a buffer's offset, if it is not of the name
  g_autofree char *shorter = at ? g_strndup(path, (gsize)(at - path)) : NULL;
  smb_files_read(files, path);
  smb_files_read(files, shorter);
}

void
smb_project_note_files(const SmbProject *project, SmbFiles *files) {
  smb_files_read(files, project->path);
  for (guint i = 0; i < project->cases->len; i++) {
    const SmbCase *one = project->cases->pdata[i];
    smb_files_read(files, one->file);
    for (guint j = 0; one->words[j]; j++)
      note_word(one->words[j], files);
  }
}
