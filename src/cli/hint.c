// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/hint.h"

#include <string.h>

#include "sim/base/text.h"

// What hints are given as.
typedef enum {
  AS_OPTIONS,   // of the command line
  AS_KEYS,      // of a case
  AS_ARGUMENTS, // of a tool (src/mcp/tool.def)
} Form;

// Hints with the same @before are one list. In @option, "{name}" and "{value}" are those of the hint.
typedef struct {
  const char *before, *option, *after;
} Words;

static const Words option_words[] = {
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
    [SMB_HINT_KERNELS] = {": ", "'smembank list kernels'", " shows them"},
};

static const Words argument_words[] = {
    [SMB_HINT_NONE] = {"", "", ""},
    [SMB_HINT_ARGUMENT] = {": give ", "args {\"{name}\": VALUE}", ""},
    [SMB_HINT_FIELDS] = {": give ", "(or its fields: args {\"{name}+OFFSET\": VALUE})", ""},
    [SMB_HINT_BUFFER] = {": give ", "buffers {\"{name}\": SPEC}", ""},
    [SMB_HINT_OFFSET] = {"; if the pointer starts inside its buffer, give ",
                         "buffers {\"{name}\": \"@{value}\"}", ""},
    [SMB_HINT_BLOCK] = {": give ", "block [X, Y, Z]", ""},
    [SMB_HINT_DYNAMIC_BYTES] = {"; give the kernel dynamic shared memory with ",
                                "dynamic_bytes {value}", ""},
    [SMB_HINT_ENTRY] = {" (choose one with ", "entry", ")"},
    [SMB_HINT_INSTANCE] = {"; choose one with ",
                           "instance \"{name}\", or give its parameters values with defines", ""},
    [SMB_HINT_ARCH] = {" (", "arch \"{value}\"", ")"},
    [SMB_HINT_WAVE] = {" (", "waves of {value} lanes are another arch", ")"},
    [SMB_HINT_LIMIT] = {" (", "no argument allows more: give it less work", ")"},
    [SMB_HINT_SMALLER] = {"; less work may show the same: try ",
                          "args {\"{name}\": VALUE} with less than {value}", ""},
    [SMB_HINT_NAMES] = {"; their names are in ", "{name}", ", which is not here or has changed"},
    [SMB_HINT_UNKNOWN] = {" (", "skip_unknown", " leaves it out of the count)"},
    [SMB_HINT_KERNELS] = {": expected one of ", "{value}", ""},
};

// How hints are given to whoever asks this process.
static Form
choose_form(void) {
  gboolean is_tool = g_strcmp0(g_getenv(SMB_HINT_VARIABLE), SMB_HINT_ARGUMENTS) == 0;
  return is_tool ? AS_ARGUMENTS : AS_OPTIONS;
}

static const Words *
find_hint_words(const SmbHint *hint, Form form) {
  return form == AS_ARGUMENTS ? &argument_words[hint->kind] : &option_words[hint->kind];
}

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

// What a hint is in a form. A name may be of a file that is not trusted: it stays on its line.
static char *
write_hinted_option(const SmbHint *hint, Form form) {
  g_autofree char *name = smb_text_escape_lines(hint->name ? hint->name : "NAME");
  g_autofree char *value = smb_text_escape_lines(hint->value ? hint->value : "N");
  const char *option = find_hint_words(hint, form)->option;
  g_autofree char *key = form == AS_KEYS ? write_key(option) : NULL;
  if (key)
    option = key;
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

// Adds a hint that follows @last (nullable), of the same line.
static void
append_hint(GString *text, const SmbHint *last, const SmbHint *hint, Form form) {
  const Words *words = find_hint_words(hint, form),
              *before = last ? find_hint_words(last, form) : NULL;
  gboolean goes_on = before && strcmp(before->before, words->before) == 0 && !*before->after;
  g_autofree char *option = write_hinted_option(hint, form);
  if (before && !goes_on)
    g_string_append(text, before->after);
  g_string_append(text, goes_on ? form == AS_OPTIONS ? " " : ", " : words->before);
  g_string_append(text, option);
}

char *
smb_cli_write_hint(const char *message, const SmbHint *hint) {
  const gsize first = strcspn(message, "\n");
  const Form form = choose_form();
  GString *text = g_string_new_len(message, (gssize)first);
  append_hint(text, NULL, hint, form);
  g_string_append(text, find_hint_words(hint, form)->after);
  g_string_append(text, message + first);
  return g_string_free(text, FALSE);
}

static char *
write_error(const GError *error, Form form) {
  g_auto(GStrv) lines = g_strsplit(error->message, "\n", -1);
  GString *text = g_string_new(NULL);
  for (guint line = 0; lines[line]; line++) {
    const SmbHint *hint, *last = NULL;
    g_string_append_printf(text, "%s%s", line > 0 ? "\n" : "", lines[line]);
    for (guint i = 0; (hint = smb_error_hint(error, i)); i++) {
      if (hint->line != line)
        continue;
      append_hint(text, last, hint, form);
      last = hint;
    }
    if (last)
      g_string_append(text, find_hint_words(last, form)->after);
  }
  return g_string_free(text, FALSE);
}

char *
smb_cli_error_text(const GError *error) {
  return write_error(error, choose_form());
}

char *
smb_cli_case_error_text(const GError *error) {
  return write_error(error, AS_KEYS);
}
