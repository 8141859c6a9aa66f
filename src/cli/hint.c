// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/hint.h"

#include <string.h>

#include "sim/base/text.h"

// Hints with the same @before are one list. In @option, "{name}" and "{value}" are those of the hint.
static const struct {
  const char *before, *option, *after;
} words[] = {
    [SMB_HINT_NONE] = {"", "", ""},
    [SMB_HINT_ARGUMENT] = {": give ", "--arg {name}=VALUE", ""},
    [SMB_HINT_FIELDS] = {": give ", "(or its fields: --arg {name}+OFFSET=VALUE)", ""},
    [SMB_HINT_BUFFER] = {": give ", "--buffer {name}=SPEC", ""},
    [SMB_HINT_OFFSET] = {"; if the pointer starts inside its buffer, give ",
                         "--buffer {name}=@{value}", ""},
    [SMB_HINT_BLOCK] = {": give ", "--block X,Y,Z", ""},
    [SMB_HINT_DYNAMIC_BYTES] = {"; give the kernel dynamic shared memory with ",
                                "--dynamic-bytes {value}", ""},
    [SMB_HINT_ENTRY] = {" (choose one with ", "--entry", ")"},
    [SMB_HINT_INSTANCE] = {"; choose one with ",
                           "--instance '{name}', or give its parameters values with -D", ""},
    [SMB_HINT_ARCH] = {" (", "--arch {value}", ")"},
    [SMB_HINT_WAVE] = {" (", "--wave {value}", ")"},
    [SMB_HINT_LIMIT] = {" (", "--{name}", " allows more)"},
    [SMB_HINT_SMALLER] = {"; less work may show the same: try ",
                          "--arg {name}=VALUE with less than {value}", ""},
    [SMB_HINT_NAMES] = {"; their names are in ", "{name}", ", which is not here or has changed"},
    [SMB_HINT_UNKNOWN] = {" (", "--unknown skip", " leaves it out of the count)"},
};

// What is written of an option as the key of a case: "--arg {name}=VALUE" is "arg = {name}=VALUE".
static char *
write_key(const char *option) {
  static const char *const forms[][2] = {{"--([a-z-]+) '([^']*)'", "\\1 = \\2"},
                                         {"--([a-z-]+) ([^ )]+)", "\\1 = \\2"},
                                         {"--", ""},
                                         {" -D$", " define"}};
  char *text = g_strdup(option);
  for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
    g_autoptr(GRegex) form = g_regex_new(forms[i][0], G_REGEX_RAW, (GRegexMatchFlags)0, NULL);
    g_autofree char *before = text;
    text = g_regex_replace(form, before, -1, 0, forms[i][1], (GRegexMatchFlags)0, NULL);
  }
  return text;
}

// The option that a hint is, or the key. A name may be of a file that is not trusted: it stays on its line.
static char *
write_hinted_option(const SmbHint *hint, gboolean as_key) {
  g_autofree char *name = smb_text_escape_lines(hint->name ? hint->name : "NAME");
  g_autofree char *value = smb_text_escape_lines(hint->value ? hint->value : "N");
  g_autofree char *key = as_key ? write_key(words[hint->kind].option) : NULL;
  const char *option = key ? key : words[hint->kind].option;
  GString *text = g_string_new(NULL);
  if (hint->kind == SMB_HINT_LIMIT)
    g_strdelimit(name, "_", '-'); // a member of a structure
  while (*option) {
    gboolean is_name = g_str_has_prefix(option, "{name}");
    gboolean is_value = g_str_has_prefix(option, "{value}");
    if (is_name || is_value)
      g_string_append(text, is_name ? name : value);
    else
      g_string_append_c(text, *option);
    option += is_name ? strlen("{name}") : is_value ? strlen("{value}") : 1;
  }
  return g_string_free(text, FALSE);
}

// Adds a hint that follows @last (nullable), of the same line. @as_keys: as keys of a case, in place of options
static void
append_hint(GString *text, const SmbHint *last, const SmbHint *hint, gboolean as_keys) {
  gboolean goes_on = last && strcmp(words[last->kind].before, words[hint->kind].before) == 0 &&
                     !*words[last->kind].after;
  g_autofree char *option = write_hinted_option(hint, as_keys);
  if (last && !goes_on)
    g_string_append(text, words[last->kind].after);
  g_string_append(text, goes_on ? as_keys ? ", " : " " : words[hint->kind].before);
  g_string_append(text, option);
}

char *
smb_cli_write_hint(const char *message, const SmbHint *hint) {
  const gsize first = strcspn(message, "\n");
  GString *text = g_string_new_len(message, (gssize)first);
  append_hint(text, NULL, hint, FALSE);
  g_string_append(text, words[hint->kind].after);
  g_string_append(text, message + first);
  return g_string_free(text, FALSE);
}

static char *
write_error(const GError *error, gboolean as_keys) {
  g_auto(GStrv) lines = g_strsplit(error->message, "\n", -1);
  GString *text = g_string_new(NULL);
  for (guint line = 0; lines[line]; line++) {
    const SmbHint *hint, *last = NULL;
    g_string_append_printf(text, "%s%s", line > 0 ? "\n" : "", lines[line]);
    for (guint i = 0; (hint = smb_error_hint(error, i)); i++) {
      if (hint->line != line)
        continue;
      append_hint(text, last, hint, as_keys);
      last = hint;
    }
    if (last)
      g_string_append(text, words[last->kind].after);
  }
  return g_string_free(text, FALSE);
}

char *
smb_cli_error_text(const GError *error) {
  return write_error(error, FALSE);
}

char *
smb_cli_case_error_text(const GError *error) {
  return write_error(error, TRUE);
}
