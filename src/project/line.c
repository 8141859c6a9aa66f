// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/project/line.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "src/cli/cli.h"
#include "src/cli/words.h"
#include "src/project/key.h"

#define LINE_TAG "smembank:"

// What stands behind the tag of a line; NULL: it has none (transfer full).
static char *
find_options(const char *line) {
  while (g_ascii_isspace(*line))
    line++;
  gboolean is_block = g_str_has_prefix(line, "/*");
  if (!is_block && !g_str_has_prefix(line, "//"))
    return NULL;
  for (line += 2; g_ascii_isspace(*line); line++)
    continue;
  if (!g_str_has_prefix(line, LINE_TAG))
    return NULL;
  char *text = g_strdup(line + strlen(LINE_TAG));
  char *end = is_block ? strstr(text, "*/") : NULL;
  if (end)
    *end = '\0';
  return g_strstrip(text);
}

// Takes the "[NAME]" in front off; NULL: there is none (transfer full).
static char *
take_case_name(char *text) {
  const char *end = *text == '[' ? strchr(text, ']') : NULL;
  if (!end)
    return NULL;
  char *name = g_strndup(text + 1, (gsize)(end - text) - 1);
  memmove(text, end + 1, strlen(end));
  return name;
}

// A word with the file in it, if it has one, seen from the current folder. FALSE with an error: it is not an option.
static gboolean
resolve_word(char **word, const char *folder, GError **error) {
  if (!g_str_has_prefix(*word, "--"))
    return smb_cli_usage_error(error, "expected an option, not '%s'", *word);
  g_autofree char *name = g_strndup(*word + 2, strcspn(*word + 2, "="));
  const char *equals = strchr(*word, '=');
  const GOptionEntry *key = smb_key_find(name);
  if (!equals && key->arg != G_OPTION_ARG_NONE)
    return smb_cli_usage_error(error, "missing argument for --%s", name);
  g_autofree char *value = equals ? smb_key_resolve(key, equals + 1, folder) : NULL;
  char *resolved = g_strconcat("--", name, value ? "=" : NULL, value, NULL);
  g_free(*word);
  *word = resolved;
  return TRUE;
}

static gboolean
take_options(SmbCase *one, const char *text, const char *folder, GError **error) {
  g_auto(GStrv) argv = NULL;
  int argc = 0;
  if (!*text)
    return smb_cli_usage_error(error, "expected options after '" LINE_TAG "'");
  if (!g_shell_parse_argv(text, &argc, &argv, error))
    return FALSE;
  g_autoptr(GPtrArray) keys = smb_key_list_of_source();
  one->words = smb_words_prepare((const char *const *)argv, (guint)argc, keys, error);
  for (guint i = 0; one->words && one->words[i]; i++) {
    if (!resolve_word(&one->words[i], folder, error))
      return FALSE;
  }
  return one->words != NULL;
}

// The case of a line; *@one is NULL if it is no such line.
static gboolean
read_kernel_line(const char *path, guint number, const char *line, SmbCase **one, GError **error) {
  g_autofree char *text = find_options(line);
  if (!text)
    return TRUE;
  g_autofree char *folder = g_path_get_dirname(path);
  g_autoptr(SmbCase) read = g_new0(SmbCase, 1);
  g_autoptr(GError) reason = NULL;
  read->path = g_strdup(path);
  read->line = number;
  read->name = take_case_name(text);
  if (!take_options(read, g_strstrip(text), strcmp(folder, ".") == 0 ? NULL : folder, &reason))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%u: %s", path, number, reason->message);
  *one = g_steal_pointer(&read);
  return TRUE;
}

// Whether both name a kernel alike: "k" is "app::k", too.
static gboolean
is_named_alike(const char *a, const char *b) {
  gsize n = strlen(a), m = strlen(b);
  const char *longer = n > m ? a : b, *shorter = n > m ? b : a;
  const char *tail = longer + (MAX(n, m) - MIN(n, m));
  return strcmp(tail, shorter) == 0 && (tail == longer || (tail - longer > 1 && tail[-1] == ':'));
}

// Whether a line is for a kernel of that name: TRUE of one that names none. @is_said: (out): it names this one.
static gboolean
is_line_for(const SmbCase *one, const char *entry, gboolean *is_said) {
  const char *const *words = (const char *const *)one->words;
  const char *own = smb_words_find(words, "entry");
  const char *instance = own ? NULL : smb_words_find(words, "instance");
  g_autofree char *name = instance ? g_strndup(instance, strcspn(instance, "<")) : g_strdup(own);
  *is_said = name && is_named_alike(name, entry);
  return *is_said || !name;
}

// How well a line fits what is asked for: 2: it names that kernel; 1: it is for any; 0: not at all.
static guint
rate_line(const SmbCase *one, const char *name, const char *entry) {
  gboolean is_said = TRUE;
  if (g_strcmp0(one->name, name) != 0 || (entry && !is_line_for(one, entry, &is_said)))
    return 0;
  return is_said ? 2 : 1;
}

// The first of those that fit best; its index, or that behind the last: there is none.
static guint
find_fitting_line(const GPtrArray *all, const char *name, const char *entry) {
  guint best = all->len, best_rate = 0;
  for (guint i = 0; i < all->len; i++) {
    guint rate = rate_line(all->pdata[i], name, entry);
    if (rate > best_rate) {
      best = i;
      best_rate = rate;
    }
  }
  return best;
}

GPtrArray *
smb_cases_in_text(const char *path, const char *text, GError **error) {
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)smb_case_free);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    SmbCase *one = NULL;
    if (!read_kernel_line(path, i + 1, lines[i], &one, error))
      return NULL;
    if (one)
      g_ptr_array_add(all, one);
  }
  return g_steal_pointer(&all);
}

gboolean
smb_case_in_source(const char *path, const char *name, const char *entry, SmbCase **one,
                   GError **error) {
  // A pipe is not to be read from: who reads the kernel would miss what was read here.
  gboolean is_text = (g_str_has_suffix(path, ".cu") || g_str_has_suffix(path, ".hip")) &&
                     g_file_test(path, G_FILE_TEST_IS_REGULAR);
  g_autoptr(SmbSource) source = is_text ? smb_source_load(path, NULL) : NULL;
  g_autoptr(GPtrArray) all =
      source ? smb_cases_in_text(path, smb_source_text(source), error) : g_ptr_array_new();
  guint found = all ? find_fitting_line(all, name, entry) : 0;
  *one = all && found < all->len ? g_steal_pointer(&all->pdata[found]) : NULL;
  return all != NULL;
}

GPtrArray *
smb_cases_of_kernel(const GPtrArray *all, const char *entry) {
  GPtrArray *found = g_ptr_array_new();
  guint unnamed = find_fitting_line(all, NULL, entry);
  for (guint i = 0; i < all->len; i++) {
    const SmbCase *one = all->pdata[i];
    if (one->name ? rate_line(one, one->name, entry) > 0 : i == unnamed)
      g_ptr_array_add(found, (gpointer)one);
  }
  return found;
}
