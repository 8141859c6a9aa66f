// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/words.h"

#include <string.h>

#include "sim/base/suggest.h"

// The option of that name, or the only one that begins so.
static const GOptionEntry *
find_long(const GPtrArray *all, const char *name, GError **error) {
  const GOptionEntry *found = NULL;
  g_autoptr(GStrvBuilder) every = g_strv_builder_new(), beginning = g_strv_builder_new();
  for (guint i = 0; i < all->len; i++) {
    const GOptionEntry *entry = all->pdata[i];
    g_autofree char *word = g_strconcat("--", entry->long_name, NULL);
    if (strcmp(entry->long_name, name) == 0)
      return entry;
    g_strv_builder_add(every, word);
    if (*name && g_str_has_prefix(entry->long_name, name)) {
      g_strv_builder_add(beginning, word);
      found = entry;
    }
  }
  g_auto(GStrv) names = g_strv_builder_end(found ? beginning : every);
  if (found && !names[1])
    return found;
  g_autofree char *list = smb_cli_list((const char *const *)names, " or ");
  g_autofree char *word = g_strconcat("--", name, NULL);
  g_autofree char *meant = smb_suggest(word, (const char *const *)names);
  if (found)
    smb_cli_usage_error(error, "ambiguous option %s: expected %s", word, list);
  else
    smb_cli_usage_error(error, "unknown option %s%s", word, meant);
  return NULL;
}

// Adds "--NAME" or "--NAME=VALUE" with the whole name. @awaits: whether the next word is its value.
static gboolean
add_long(GPtrArray *words, const GPtrArray *all, const char *word, gboolean *awaits,
         GError **error) {
  g_auto(GStrv) parts = g_strsplit(word + 2, "=", 2);
  const GOptionEntry *entry = find_long(all, parts[0], error);
  if (!entry)
    return FALSE;
  if (entry->arg == G_OPTION_ARG_NONE && parts[1])
    return smb_cli_usage_error(error, "unexpected value: '%s'", word);
  g_ptr_array_add(words, parts[1] ? g_strconcat("--", entry->long_name, "=", parts[1], NULL)
                                  : g_strconcat("--", entry->long_name, NULL));
  *awaits = entry->arg != G_OPTION_ARG_NONE && !parts[1];
  return TRUE;
}

// An option of one letter that is not there may be meant for a long one that begins with it.
static gboolean
refuse_short(const GPtrArray *all, char letter, GError **error) {
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  const char begun[] = {'-', '-', letter, '\0'};
  for (guint i = 0; i < all->len; i++) {
    const GOptionEntry *entry = all->pdata[i];
    g_autofree char *name = g_strconcat("--", entry->long_name, NULL);
    if (*entry->long_name == letter)
      g_strv_builder_add(builder, name);
  }
  g_auto(GStrv) names = g_strv_builder_end(builder);
  g_autofree char *meant = smb_suggest(begun, (const char *const *)names);
  return smb_cli_usage_error(error, "unknown option -%c%s", letter, meant);
}

// Adds "-v", or "--define" for "-D" and "--define=N=4" for "-DN=4".
static gboolean
add_short(GPtrArray *words, const GPtrArray *all, const char *word, gboolean *awaits,
          GError **error) {
  const GOptionEntry *taker = NULL;
  gboolean is_known = FALSE;
  for (guint i = 0; i < all->len; i++) {
    const GOptionEntry *entry = all->pdata[i];
    is_known |= entry->short_name == word[1];
    if (entry->short_name == word[1] && entry->arg != G_OPTION_ARG_NONE)
      taker = entry;
  }
  if (!is_known && g_ascii_isalpha(word[1]))
    return refuse_short(all, word[1], error);
  *awaits = taker && !word[2];
  g_ptr_array_add(
      words, !taker ? g_strdup(word)
                    : g_strconcat("--", taker->long_name, word[2] ? "=" : NULL, word + 2, NULL));
  return TRUE;
}

// Whether a word is meant as an option, though the one before it lacks its value.
static gboolean
is_option(const char *word, const GPtrArray *all) {
  return g_str_has_prefix(word, "--") && word[2] && smb_words_is_of(word, all);
}

static gboolean
refuse_option_as_value(const char *option, const char *word, GError **error) {
  const char *none = strcmp(option, "--nvcc") == 0 ? "--nvcc='' for none, or " : "";
  return smb_cli_usage_error(
      error,
      "%s needs a value, but the next word is the option '%s': write %s%s='%s' if that is meant",
      option, word, none, option, word);
}

// Makes the value of the option that was added last part of its word.
static void
add_option_value(GPtrArray *words, const char *value) {
  char **last = (char **)&words->pdata[words->len - 1];
  char *whole = g_strconcat(*last, "=", value, NULL);
  g_free(*last);
  *last = whole;
}

GStrv
smb_words_prepare(const char *const *given, guint n, const GPtrArray *all, GError **error) {
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  gboolean awaits = FALSE; // a value
  gboolean ended = FALSE;  // "--" has been seen
  for (guint i = 0; i < n; i++) {
    const char *word = given[i];
    if (awaits) {
      const char *option = words->pdata[words->len - 1];
      if (is_option(word, all)) {
        refuse_option_as_value(option, word, error);
        return NULL;
      }
      add_option_value(words, word);
      awaits = FALSE;
      continue;
    }
    ended = ended || strcmp(word, "--") == 0;
    if (ended || word[0] != '-' || !word[1])
      g_ptr_array_add(words, g_strdup(word));
    else if (word[1] != '-' ? !add_short(words, all, word, &awaits, error)
                            : !add_long(words, all, word, &awaits, error))
      return NULL;
  }
  if (awaits) {
    smb_cli_usage_error(error, "missing argument for %s", given[n - 1]);
    return NULL;
  }
  g_ptr_array_add(words, NULL);
  return (GStrv)g_ptr_array_steal(words, NULL);
}

guint
smb_words_count(const char *const *words) {
  guint n = 0;
  while (words && words[n] && strcmp(words[n], "--") != 0)
    n++;
  return n;
}

const char *
smb_words_find(const char *const *words, const char *name) {
  const char *value = NULL;
  const guint n = smb_words_count(words);
  for (guint i = 0; i < n; i++) {
    if (g_str_has_prefix(words[i], "--") && g_str_has_prefix(words[i] + 2, name) &&
        words[i][2 + strlen(name)] == '=')
      value = words[i] + strlen(name) + 3;
  }
  return value;
}

gboolean
smb_words_has(const char *const *words, const char *name) {
  const guint n = smb_words_count(words);
  for (guint i = 0; i < n; i++) {
    if (g_str_has_prefix(words[i], "--") && strcmp(words[i] + 2, name) == 0)
      return TRUE;
  }
  return FALSE;
}

const char *
smb_words_argument(const char *const *words, guint index) {
  gboolean ended = FALSE;
  for (; *words; words++) {
    gboolean is_option = !ended && (*words)[0] == '-' && (*words)[1];
    ended |= strcmp(*words, "--") == 0;
    if (!is_option && index-- == 0)
      return *words;
  }
  return NULL;
}

gboolean
smb_words_is_of(const char *word, const GPtrArray *options) {
  gsize length = strcspn(word + 2, "=");
  for (guint i = 0; i < options->len; i++) {
    const GOptionEntry *entry = options->pdata[i];
    if (strlen(entry->long_name) == length && strncmp(entry->long_name, word + 2, length) == 0)
      return TRUE;
  }
  return FALSE;
}

static void
add_option(GStrvBuilder *words, const GOptionEntry *entry) {
  gboolean is_flag = entry->arg == G_OPTION_ARG_NONE;
  gboolean is_list = entry->arg == G_OPTION_ARG_STRING_ARRAY;
  const char *one[] = {is_flag || is_list ? NULL : *(const char **)entry->arg_data, NULL};
  const char *const *values = is_list ? *(const char *const **)entry->arg_data : one;
  g_autofree char *flag = g_strconcat("--", entry->long_name, NULL);
  if (is_flag && *(gboolean *)entry->arg_data)
    g_strv_builder_add(words, flag);
  for (guint i = 0; values && values[i]; i++) {
    g_autofree char *word = g_strconcat("--", entry->long_name, "=", values[i], NULL);
    g_strv_builder_add(words, word);
  }
}

GStrv
smb_words_of_options(const SmbCliGroup *const *groups) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  for (guint i = 0; groups[i]; i++) {
    for (const GOptionEntry *entry = groups[i]->entries; entry->long_name; entry++)
      add_option(words, entry);
  }
  return g_strv_builder_end(words);
}
