// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/completion.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/open/catalog.h"

// How a shell is told of commands and options, in this order, in texts that fit between single quotes.
typedef struct {
  const char *head;
  void (*name)(SmbSpool *out, const char *command, const char *summary);
  const char *middle;
  void (*begin)(SmbSpool *out, const char *command); // or NULL
  // @values: words with spaces between; NULL: none are known
  void (*option)(SmbSpool *out, const char *command, const GOptionEntry *option,
                 const char *summary, const char *values);
  // @words: what can follow besides files, with spaces between, or ""
  void (*end)(SmbSpool *out, const char *command, const char *words);
  const char *tail;
} Shell;

static gboolean
takes_value(const GOptionEntry *option) {
  return option->arg != G_OPTION_ARG_NONE;
}

static gboolean
takes_file(const GOptionEntry *option) {
  return option->arg == G_OPTION_ARG_FILENAME;
}

// What stands between single quotes: without such.
static char *
strip_quotes(const char *text) {
  char *plain = g_strdup(text ? text : "");
  return g_strdelimit(plain, "'", '"');
}

static void
name_for_bash(SmbSpool *out, const char *command, G_GNUC_UNUSED const char *summary) {
  smb_spool_printf(out, "%s ", command);
}

static void
write_bash_option(SmbSpool *out, const char *command, const GOptionEntry *option,
                  G_GNUC_UNUSED const char *summary, const char *values) {
  if (!takes_value(option))
    return;
  smb_spool_printf(out, "    '%s --%s'", command, option->long_name);
  if (option->short_name)
    smb_spool_printf(out, " | '%s -%c'", command, option->short_name);
  smb_spool_printf(out, ") words='%s' files=%s ;;\n", values ? values : "",
                   takes_file(option) ? "yes" : "no");
}

static void
end_bash_command(SmbSpool *out, const char *command, const char *words) {
  smb_spool_printf(out, "    '%s '*) words='%s' ;;\n", command, words);
}

static void
name_for_zsh(SmbSpool *out, const char *command, const char *summary) {
  smb_spool_printf(out, "    '%s:%s'\n", command, summary);
}

static void
begin_zsh_command(SmbSpool *out, const char *command) {
  smb_spool_printf(out, "  %s)\n    _arguments \\\n", command);
}

static void
write_zsh_option(SmbSpool *out, G_GNUC_UNUSED const char *command, const GOptionEntry *option,
                 const char *summary, const char *values) {
  const char *star = option->arg == G_OPTION_ARG_STRING_ARRAY ? "*" : ""; // may be given again
  g_autofree char *text = g_strdup(summary);
  g_strdelimit(text, "[]:", ' ');
  smb_spool_printf(out, "      '%s--%s%s[%s]", star, option->long_name,
                   takes_value(option) ? "=" : "", text);
  if (takes_file(option))
    smb_spool_puts(out, ":file:_files");
  else if (values)
    smb_spool_printf(out, ":value:(%s)", values);
  else if (takes_value(option))
    smb_spool_puts(out, ":value: ");
  smb_spool_puts(out, "' \\\n");
  if (option->short_name)
    smb_spool_printf(out, "      '%s-%c[%s]%s' \\\n", star, option->short_name, text,
                     takes_value(option) ? ":value: " : "");
}

static void
end_zsh_command(SmbSpool *out, G_GNUC_UNUSED const char *command, const char *words) {
  if (*words)
    smb_spool_printf(out, "      '1:what:(%s)' \\\n", words);
  smb_spool_puts(out, "      '*:file:_files'\n    ;;\n");
}

static void
name_for_fish(SmbSpool *out, const char *command, const char *summary) {
  smb_spool_printf(out, "complete -c smembank -n __fish_use_subcommand -a %s -d '%s'\n", command,
                   summary);
}

static void
write_fish_option(SmbSpool *out, const char *command, const GOptionEntry *option,
                  const char *summary, const char *values) {
  smb_spool_printf(out, "complete -c smembank -n '__fish_seen_subcommand_from %s' -l %s", command,
                   option->long_name);
  if (option->short_name)
    smb_spool_printf(out, " -s %c", option->short_name);
  if (takes_value(option))
    smb_spool_puts(out, takes_file(option) ? " -r -F" : " -x");
  if (values)
    smb_spool_printf(out, " -a '%s'", values);
  smb_spool_printf(out, " -d '%s'\n", summary);
}

static void
end_fish_command(SmbSpool *out, const char *command, const char *words) {
  if (*words)
    smb_spool_printf(out, "complete -c smembank -f -n '__fish_seen_subcommand_from %s' -a '%s'\n",
                     command, words);
}

// In the order of SMB_COMPLETION_SHELLS.
static const Shell shells[] = {
    {"# bash completion of smembank; made by 'smembank completion bash'\n"
     "_smembank() {\n"
     "  local current=$2 previous=$3 words= files=\n"
     "  [[ $current == = ]] && current=\n"
     "  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
     "  if ((COMP_CWORD == 1)); then\n    files=yes words='",
     name_for_bash,
     "--help --version'\n"
     "  else\n    case \"${COMP_WORDS[1]} $previous\" in\n",
     NULL, write_bash_option, end_bash_command,
     "    *) files=yes ;;\n    esac\n"
     "    if [[ -z $files && $current == -* ]]; then\n"
     "      words=$(smembank \"${COMP_WORDS[1]}\" --help 2>/dev/null |\n"
     "        sed -n 's/^  \\(-., \\)\\{0,1\\}\\(--[a-z-]*\\).*/\\2/p')\n"
     "    elif [[ -z $files && -z $words ]]; then\n"
     "      files=yes\n"
     "    fi\n"
     "  fi\n"
     "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
     "  if [[ $files == yes ]]; then\n"
     "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$current\")\n"
     "  fi\n"
     "}\n"
     "complete -o filenames -F _smembank smembank\n"},
    {"#compdef smembank\n# made by 'smembank completion zsh'\n"
     "_smembank() {\n  local -a commands\n  commands=(\n",
     name_for_zsh,
     "  )\n"
     "  if ((CURRENT == 2)); then\n    _describe command commands\n    _files\n    return\n  fi\n"
     "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n"
     "  case $command in\n",
     begin_zsh_command, write_zsh_option, end_zsh_command,
     "  *) _files ;;\n  esac\n}\n_smembank \"$@\"\n"},
    {"# fish completion of smembank; made by 'smembank completion fish'\n", name_for_fish, "", NULL,
     write_fish_option, end_fish_command, ""},
};

typedef struct {
  const Shell *shell;
  SmbSpool *out;
  char *archs;   // with spaces between
  char *kernels; // likewise
} Script;

// The values that the description of one lists, or that the data have; NULL: none are known.
static char *
list_values(const Script *script, const char *description) {
  if (!description)
    return NULL;
  if (strcmp(description, SMB_CLI_ARCH_NAME) == 0)
    return g_strdup(script->archs);
  if (strcmp(description, SMB_CLI_KERNEL_NAME) == 0)
    return g_strdup(script->kernels);
  if (!strchr(description, '|'))
    return NULL;
  char *values = g_strdup(description);
  return g_strdelimit(values, "|", ' ');
}

// Of "kernels|archs [NAME]" the words that are meant as they are.
static char *
list_words(const char *arguments) {
  GString *words = g_string_new(NULL);
  g_auto(GStrv) first = g_strsplit(arguments ? arguments : "", " ", 2);
  g_auto(GStrv) parts = g_strsplit(first[0] ? first[0] : "", "|", -1);
  for (guint i = 0; parts[i] && parts[1]; i++) {
    if (strspn(parts[i], G_CSET_a_2_z) == strlen(parts[i]))
      g_string_append_printf(words, "%s%s", words->len ? " " : "", parts[i]);
  }
  return g_string_free(words, FALSE);
}

static void
visit_options(const SmbCli *cli, const SmbCliUsage *usage, const SmbCliGroup *groups,
              guint n_groups, gpointer data) {
  const Script *script = data;
  const Shell *shell = script->shell;
  g_autofree char *words = list_words(usage->arguments);
  if (shell->begin)
    shell->begin(script->out, cli->command);
  for (guint i = 0; i < n_groups; i++) {
    for (const GOptionEntry *entry = groups[i].entries; entry->long_name; entry++) {
      g_autofree char *summary = strip_quotes(entry->description);
      g_autofree char *values = list_values(script, entry->arg_description);
      shell->option(script->out, cli->command, entry, summary, values);
    }
  }
  shell->end(script->out, cli->command, words);
}

// A command whose argument is one of a few words, and which has no options.
static void
write_choice(const Script *script, const char *command, const char *words) {
  if (script->shell->begin)
    script->shell->begin(script->out, command);
  script->shell->end(script->out, command, words);
}

static char *
complete_archs(void) {
  g_auto(GStrv) names = smb_arch_list();
  g_autofree char *list = g_strjoinv(" ", names);
  return g_strconcat(list, " native", NULL);
}

static char *
complete_kernels(GError **error) {
  g_autoptr(GPtrArray) catalog = smb_catalog_load(error);
  GString *names = catalog ? g_string_new(NULL) : NULL;
  const char *last = "";
  for (guint i = 0; catalog && i < catalog->len; i++) {
    const SmbCatalogEntry *entry = g_ptr_array_index(catalog, i);
    if (strcmp(entry->name, last) != 0)
      g_string_append_printf(names, "%s%s", names->len ? " " : "", entry->name);
    last = entry->name;
  }
  return names ? g_string_free(names, FALSE) : NULL;
}

gboolean
smb_completion_write(SmbCli *cli, const char *shell, const SmbCommand *commands, GError **error) {
  guint choice = 0;
  if (!smb_cli_choice("completion", shell, SMB_COMPLETION_SHELLS, &choice, error))
    return FALSE;
  g_autofree char *archs = complete_archs(), *kernels = complete_kernels(error);
  if (!kernels)
    return FALSE;
  Script script = {&shells[choice], cli->out, archs, kernels};
  const SmbCliVisitor visitor = {visit_options, &script};
  g_autoptr(GString) names = g_string_new("completion");
  g_autofree char *known = list_words(SMB_COMPLETION_SHELLS);
  smb_spool_puts(cli->out, script.shell->head);
  for (const SmbCommand *command = commands; command->summary; command++) {
    g_autofree char *summary = strip_quotes(command->summary);
    script.shell->name(cli->out, command->name, summary);
    g_string_append_printf(names, " %s", command->name);
  }
  script.shell->name(cli->out, "completion", "write a script by which a shell completes commands");
  script.shell->name(cli->out, "help", "show the options of a command");
  smb_spool_puts(cli->out, script.shell->middle);
  for (const SmbCommand *command = commands; command->summary; command++) {
    // Reads its tables in place of the command line, and runs nothing.
    SmbCli other = {.command = command->name, .out = cli->out, .visitor = &visitor};
    command->run(&other, NULL);
  }
  write_choice(&script, "completion", known);
  write_choice(&script, "help", names->str);
  smb_spool_puts(cli->out, script.shell->tail);
  return TRUE;
}
