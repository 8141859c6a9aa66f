// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analyze/counter-example.h"

#include <string.h>

enum {
  MAX_TRIES = 8,
  LARGE = 64, // of a parameter: more than the lanes of a warp
};

// Whether a launch has conflicts at an access.
static gboolean
has_conflicts(const SmbAnalysis *analysis, const SmbSite *site) {
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->site == site && access->total.excess > 0)
      return TRUE;
  }
  return FALSE;
}

// "p=32" for each parameter of an example. @more: times the modulus that is added: a residue has many values.
static GStrv
write_example(const SmbProgram *program, const SmbProofExample *example, guint more) {
  g_autoptr(GStrvBuilder) arguments = g_strv_builder_new();
  for (guint i = 0; i < example->n; i++) {
    g_autofree char *argument = g_strdup_printf(
        "%s=%" G_GUINT64_FORMAT, smb_program_parameter(program, example->parameter[i]).name,
        example->residue[i] + (guint64)more * example->modulus[i]);
    g_strv_builder_add(arguments, argument);
  }
  return g_strv_builder_end(arguments);
}

// All whole numbers of a launch as large ones: conditions that keep lanes out mostly compare with a size.
static GStrv
write_large_example(const char *const *own) {
  g_autoptr(GStrvBuilder) arguments = g_strv_builder_new();
  for (guint i = 0; own && own[i]; i++) {
    const char *equals = strchr(own[i], '=');
    if (!equals || !equals[1] || strspn(equals + 1, "0123456789") != strlen(equals + 1))
      continue;
    g_autofree char *argument = g_strdup_printf("%.*s=%d", (int)(equals - own[i]), own[i], LARGE);
    g_strv_builder_add(arguments, argument);
  }
  return g_strv_builder_end(arguments);
}

static gboolean
is_given_anew(const char *argument, const char *const *others) {
  const char *equals = strchr(argument, '=');
  gsize length = equals ? (gsize)(equals - argument) + 1 : 0;
  for (guint i = 0; others[i]; i++) {
    if (length && strncmp(argument, others[i], length) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
shows_conflicts(const SmbTarget *target, const SmbArch *arch, const SmbSite *site,
                const char *const *arguments) {
  const char *const *own = target->launch.arguments;
  g_autoptr(GStrvBuilder) all = g_strv_builder_new();
  for (guint i = 0; own && own[i]; i++) {
    if (!is_given_anew(own[i], arguments))
      g_strv_builder_add(all, own[i]);
  }
  g_strv_builder_addv(all, (const char **)arguments);
  g_auto(GStrv) words = g_strv_builder_end(all);
  SmbLaunch launch = target->launch;
  launch.arguments = (const char *const *)words;
  g_autoptr(GError) ignored = NULL; // such as an access out of bounds: it is no example
  g_autoptr(SmbAnalysis) analysis =
      smb_analysis_run(target->kernel, arch, &launch, &target->options, &ignored);
  return analysis && has_conflicts(analysis, site);
}

// A word as a shell reads it.
static void
append_word(GString *line, const char *word) {
  gboolean is_plain = *word != 0;
  for (const char *at = word; *at; at++)
    is_plain = is_plain && (g_ascii_isalnum(*at) || strchr("-_=./,:+%@", *at));
  g_autofree char *quoted = is_plain ? g_strdup(word) : g_shell_quote(word);
  g_string_append_printf(line, " %s", quoted);
}

// The command line without what says how the result is written, and with other arguments.
static char *
write_command_line(const SmbCli *cli, const char *const *arguments) {
  static const char *const dropped[] = {"--format", "--output", "-o", NULL};
  GString *line = g_string_new("smembank analyze");
  for (int i = 1; i < cli->argc; i++) {
    const char *word = cli->argv[i];
    if (g_strv_contains(dropped, word))
      i++;
    else if (strcmp(word, "--prove") != 0 && !g_str_has_prefix(word, "--format=") &&
             !g_str_has_prefix(word, "--output="))
      append_word(line, word);
  }
  for (guint i = 0; arguments && arguments[i]; i++) {
    g_string_append(line, " --arg");
    append_word(line, arguments[i]);
  }
  return g_string_free(line, FALSE);
}

static char *
find_example(const SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis,
             const SmbProvedSite *proved) {
  const SmbSite *site = smb_program_site(target->kernel, proved->site);
  if (proved->verdict != SMB_PROVED_FOR && proved->verdict != SMB_NOT_FREE)
    return NULL;
  if (has_conflicts(analysis, site))
    return write_command_line(cli, NULL);
  for (guint i = 0; i < MAX_TRIES; i++) {
    guint which = i / 2;
    if (!proved->examples || which >= proved->examples->len)
      break;
    g_auto(GStrv) arguments = write_example(
        target->kernel, &g_array_index(proved->examples, SmbProofExample, which), i % 2);
    if (shows_conflicts(target, cli->arch, site, (const char *const *)arguments))
      return write_command_line(cli, (const char *const *)arguments);
  }
  g_auto(GStrv) large = write_large_example(target->launch.arguments);
  return shows_conflicts(target, cli->arch, site, (const char *const *)large)
             ? write_command_line(cli, (const char *const *)large)
             : NULL;
}

GPtrArray *
smb_counter_examples_new(const SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis,
                         const SmbKernelProof *proof) {
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < proof->sites->len; i++)
    g_ptr_array_add(lines, find_example(cli, target, analysis, proof->sites->pdata[i]));
  return lines;
}
