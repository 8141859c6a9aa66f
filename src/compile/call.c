// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compile/call.h"

#include <string.h>

#include "sim/base/error.h"

static const char words_name[] = "words";

void
smb_call_free(SmbCall *call) {
  if (!call)
    return;
  g_strfreev(call->nvcc);
  g_strfreev(call->host);
  g_free(call->command);
  g_free(call);
}

// Characters that neither a shell nor nvcc does anything with.
static gboolean
is_plain_word(const char *word) {
  return strspn(word, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_./=:+-,@%") == strlen(word);
}

// Of what a user can copy into a shell.
static void
show_words(GString *command, const char *option, const char *const *values) {
  for (guint i = 0; values && values[i]; i++) {
    g_autoptr(GString) word = g_string_new(values[i]);
    // nvcc takes values of -D and -I apart at commas.
    g_string_replace(word, *option ? "," : "", *option ? "\\," : "", 0);
    g_string_prepend(word, option);
    g_autofree char *quoted = is_plain_word(word->str) ? NULL : g_shell_quote(word->str);
    g_string_append_printf(command, " %s", quoted ? quoted : word->str);
  }
}

static char *
show_command(const SmbCompilation *compilation, GStrv own, GStrv typed) {
  GString *command = g_string_new("nvcc");
  show_words(command, "", (const char *const *)own);
  show_words(command, "-D", compilation->defines);
  show_words(command, "-I", compilation->folders);
  show_words(command, "", (const char *const *)typed);
  return g_string_free(command, FALSE);
}

// What nvcc is given besides the user's flags.
static GStrv
make_own_options(const SmbCompilation *compilation, const SmbFlags *flags, const char *suffix) {
  static const char *const results[] = {"-ptx", "--ptx", "-cubin", "--cubin", NULL};
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_autofree char *arch = g_strconcat("-arch=", compilation->architecture, suffix, NULL);
  if (!smb_flags_has(flags, results))
    g_strv_builder_add(words, compilation->makes_ptx ? "-ptx" : "-cubin");
  g_strv_builder_add(words, "-lineinfo");
  if (!smb_flags_name_architecture(flags))
    g_strv_builder_add(words, arch);
  return g_strv_builder_end(words);
}

// A macro with a line break would be two lines of the preprocessor.
static gboolean
check_call_words(const char *const *words, GError **error) {
  for (guint i = 0; words[i]; i++) {
    if (strpbrk(words[i], "\n\r"))
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      "'%s' has a line break, which cannot be passed to nvcc", words[i]);
  }
  return TRUE;
}

static void
add_values(GStrvBuilder *words, const char *option, const char *const *values) {
  for (guint i = 0; values && values[i]; i++) {
    g_autofree char *word = g_strconcat(option, values[i], NULL);
    g_strv_builder_add(words, word);
  }
}

SmbCall *
smb_call_new(const SmbCompilation *compilation, const SmbFlags *flags, const char *suffix,
             GError **error) {
  g_autoptr(SmbCall) call = g_new0(SmbCall, 1);
  g_autoptr(GStrvBuilder) nvcc = g_strv_builder_new(), host = g_strv_builder_new();
  g_auto(GStrv) own = make_own_options(compilation, flags, suffix);
  const char *const folder[] = {compilation->folder, NULL};
  g_strv_builder_addv(nvcc, (const char **)own);
  g_strv_builder_addv(nvcc, (const char **)flags->nvcc);
  add_values(host, "-D", compilation->defines);
  add_values(host, "-I", compilation->folders);
  g_strv_builder_addv(host, (const char **)flags->host);
  add_values(host, "-iquote", folder); // where #include "…" looks first, but not #include <…>
  call->nvcc = g_strv_builder_end(nvcc);
  call->host = g_strv_builder_end(host);
  call->command = show_command(compilation, own, flags->typed);
  return check_call_words((const char *const *)call->host, error) ? g_steal_pointer(&call) : NULL;
}

// A word as gcc and clang read it in a file: a backslash takes the meaning of what follows it.
static void
append_quoted(GString *text, const char *word) {
  for (const char *at = word; *at; at++) {
    if (!g_ascii_isalnum(*at) && (guchar)*at < 0x80)
      g_string_append_c(text, '\\');
    g_string_append_c(text, *at);
  }
  g_string_append_c(text, '\n');
}

static gboolean
is_macro(const char *word) {
  return g_str_has_prefix(word, "-D") || g_str_has_prefix(word, "-U");
}

gboolean
smb_call_has_macros(const SmbCall *call) {
  for (guint i = 0; call->host[i]; i++) {
    if (is_macro(call->host[i]))
      return TRUE;
  }
  return FALSE;
}

static gboolean
write_call_words(const SmbCall *call, const char *path, const char *inputs, GError **error) {
  g_autoptr(GString) text = g_string_new(NULL);
  const char *const listing[] = {"-MD", "-MF", inputs, "-MT", "all", NULL};
  for (guint i = 0; call->host[i]; i++) {
    if (!call->defines_late || !is_macro(call->host[i]))
      append_quoted(text, call->host[i]);
  }
  for (guint i = 0; inputs && listing[i]; i++)
    append_quoted(text, listing[i]);
  return g_file_set_contents(path, text->str, (gssize)text->len, error);
}

// "-DF(x)=x*2" as a line of a text.
static char *
write_macro(const char *word) {
  g_auto(GStrv) parts = g_strsplit(word + 2, "=", 2);
  return word[1] == 'U' ? g_strdup_printf("#undef %s\n", word + 2)
                        : g_strdup_printf("#define %s %s\n", parts[0] ? parts[0] : "",
                                          parts[0] && parts[1] ? parts[1] : "1");
}

// A header for each macro: what does not end in one, a comment, does not go on in the next.
static gboolean
write_macros(const SmbCall *call, const char *folder, GStrvBuilder *words, GError **error) {
  for (guint i = 0; call->defines_late && call->host[i]; i++) {
    if (!is_macro(call->host[i]))
      continue;
    g_autofree char *line = write_macro(call->host[i]);
    g_autofree char *path = g_strdup_printf("%s/macro-%u.h", folder, i);
    if (!g_file_set_contents(path, line, -1, error))
      return FALSE;
    g_strv_builder_add_many(words, "-include", path, NULL);
  }
  return TRUE;
}

// An option of the preprocessor, which nvcc hands to a shell after it has taken a backslash of each two.
static char *
make_response(const char *path) {
  g_autofree char *at = g_strconcat("@", path, NULL);
  g_autofree char *quoted = is_plain_word(at) ? g_strdup(at) : g_shell_quote(at);
  g_autoptr(GString) word = g_string_new(quoted);
  g_string_replace(word, "\\", "\\\\", 0);
  g_string_replace(word, ",", "\\,", 0);
  return g_strconcat("-Xcompiler=", word->str, NULL);
}

GStrv
smb_call_write(const SmbCall *call, const char *program, const char *folder, const char *inputs,
               const char *text, const char *image, GError **error) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_autofree char *path = g_build_filename(folder, words_name, NULL);
  g_autofree char *response = make_response(path);
  if (strpbrk(folder, "$`\"'\\;|&<>*?(){}[]!#~\n\r\t")) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "TMPDIR: '%s' has shell characters, so nvcc cannot work there", folder);
    return NULL;
  }
  if (!write_call_words(call, path, inputs, error))
    return NULL;
  g_strv_builder_add(words, program);
  g_strv_builder_addv(words, (const char **)call->nvcc);
  if (!write_macros(call, folder, words, error))
    return NULL;
  g_strv_builder_add_many(words, response, "-o", image, text, NULL);
  return g_strv_builder_end(words);
}
