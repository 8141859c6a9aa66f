// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/learn/trial.h"
#include "sim/base/error.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "src/analysis/warning.h"
#include "src/cli/hint.h"
#include "src/learn/text.h"
#include "src/out/file.h"

struct _SmbLearnTrial {
  const SmbLearnStep *step;
  GStrv settings; // NAME=VALUE, each name once: macros, parameters and options of the launch
  char *folder;   // of the copy, or NULL
  char *path;     // of the copy
  char *original; // what the copy was before it was edited
  GStrv words;    // the run of the copy
};

static const SmbLearnRun *
original_run(const SmbLearnTrial *trial) {
  return trial->step->runs->pdata[0];
}

SmbLearnTrial *
smb_learn_trial_new(const SmbLearnStep *step) {
  SmbLearnTrial *trial = g_new0(SmbLearnTrial, 1);
  trial->step = step;
  trial->settings = g_new0(char *, 1);
  return trial;
}

static gboolean
is_edited(const SmbLearnTrial *trial) {
  g_autoptr(GBytes) now = smb_source_read_bytes(trial->path, SMB_SOURCE_MAX_BYTES, NULL);
  gsize length = now ? g_bytes_get_size(now) : 0;
  return now && (length != strlen(trial->original) ||
                 memcmp(g_bytes_get_data(now, NULL), trial->original, length) != 0);
}

void
smb_learn_trial_free(SmbLearnTrial *trial) {
  if (!trial)
    return;
  if (trial->path && !is_edited(trial)) {
    g_unlink(trial->path);
    g_rmdir(trial->folder);
  }
  g_strfreev(trial->settings);
  g_free(trial->folder);
  g_free(trial->path);
  g_free(trial->original);
  g_strfreev(trial->words);
  g_free(trial);
}

// "--block" of "block=16,16"; NULL of what is not an option of the launch.
static const char *
find_launch_option(const char *setting) {
  static const char *const options[] = {"--block", "--grid", "--arch"};
  gsize length = strcspn(setting, "=");
  for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
    if (strlen(options[i] + 2) == length && strncmp(options[i] + 2, setting, length) == 0)
      return options[i];
  }
  return NULL;
}

// The option that sets "NAME=VALUE": of a parameter of the kernel, of its launch, or of a macro.
static const char *
choose_option(const SmbLearnRun *run, const char *setting) {
  gsize length = strcspn(setting, "=");
  for (guint i = 0; i < smb_program_n_parameters(run->target->kernel); i++) {
    SmbParameter parameter = smb_program_parameter(run->target->kernel, i);
    if (strlen(parameter.name) == length && strncmp(parameter.name, setting, length) == 0)
      return "--arg";
  }
  const char *option = find_launch_option(setting);
  return option ? option : "-D";
}

// Whether "NAME=VALUE" sets a macro that the kernel does not have, and so changes nothing.
static gboolean
lacks_macro(const SmbLearnRun *run, const char *setting) {
  g_autofree char *name = g_strndup(setting, strcspn(setting, "="));
  g_auto(GStrv) unused = smb_program_unused_defines(run->target->kernel);
  return g_strv_contains((const char *const *)unused, name);
}

// Whether something that was set takes the place of an option of the run.
static gboolean
is_replaced(const SmbLearnTrial *trial, const char *word) {
  for (guint i = 0; trial->settings[i]; i++) {
    if (g_strcmp0(find_launch_option(trial->settings[i]), word) == 0)
      return TRUE;
  }
  return FALSE;
}

// The words of the run with what was set: of the copy, if there is one.
static GStrv
trial_words(const SmbLearnTrial *trial) {
  GStrv words = trial->words ? trial->words : original_run(trial)->words;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  for (guint i = 0; words[i]; i++) {
    if (words[i + 1] && is_replaced(trial, words[i]))
      i++;
    else
      g_strv_builder_add(builder, words[i]);
  }
  for (guint i = 0; trial->settings[i]; i++) {
    const char *setting = trial->settings[i];
    const char *option = choose_option(original_run(trial), setting);
    gboolean is_launch = option == find_launch_option(setting);
    g_strv_builder_add_many(builder, option, is_launch ? strchr(setting, '=') + 1 : setting, NULL);
  }
  return g_strv_builder_end(builder);
}

static guint64
sum_global_excess(const SmbLearnRun *run) {
  guint64 excess = 0;
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    excess += run->analysis->global_totals[c].segments - run->analysis->global_totals[c].ideal;
  return excess;
}

// Shared memory, where there are requests of it; global memory, where the step speaks of it.
static SmbLearnTables
choose_tables(const SmbLearnStep *step, const SmbLearnRun *run) {
  const GArray *parts = step->lesson->after;
  guint tables = run->analysis->accesses->len > 0 ? SMB_LEARN_SHARED : 0;
  for (guint i = 0; i < parts->len; i++) {
    if (g_array_index(parts, SmbLessonPart, i).kind == SMB_LESSON_SECTORS)
      tables |= SMB_LEARN_GLOBAL;
  }
  return (SmbLearnTables)(tables ? tables : SMB_LEARN_GLOBAL);
}

static void
write_trial_error(SmbCli *cli, const char *message) {
  g_autofree char *placed = smb_cli_place_error(cli, message);
  g_autofree char *shortened = smb_text_shorten_quotes(placed ? placed : message);
  smb_spool_printf(cli->out, "%-s\n\n", shortened);
}

static void
write_trial_failure(SmbCli *cli, const GError *failure) {
  g_autofree char *message = smb_cli_error_text(failure);
  write_trial_error(cli, message);
}

static void
write_excess(SmbCli *cli, const char *of, guint64 before, guint64 after) {
  smb_spool_printf(cli->out, "%s in excess: %s before, %s after.\n", of, smb_number(before).text,
                   smb_number(after).text);
}

// Runs what is tried, and writes it beside the run of the lesson.
static gboolean
run_lesson_trial(const SmbLearnTrial *trial, SmbCli *cli, const char *setting) {
  static const char *const names[] = {"before", "after"};
  g_auto(GStrv) words = trial_words(trial);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbLearnRun) run =
      smb_learn_run_new((const char *const *)words, trial->words == NULL, &error);
  if (!run) {
    write_trial_failure(cli, error);
    return FALSE;
  }
  if (setting && lacks_macro(run, setting)) {
    g_autofree char *message =
        g_strdup_printf("'%s': the kernel has no such macro or parameter", setting);
    write_trial_error(cli, message);
    return FALSE;
  }
  const SmbLearnRun *runs[] = {original_run(trial), run};
  smb_spool_puts(cli->out, "\n");
  SmbLearnTables tables = choose_tables(trial->step, run);
  smb_learn_write_counts(cli, names, runs, 2, tables);
  smb_analyze_write_warnings(run->target, run->analysis, cli->out);
  if (tables & SMB_LEARN_SHARED)
    write_excess(cli, "Wavefronts", smb_analysis_total(runs[0]->analysis).excess,
                 smb_analysis_total(run->analysis).excess);
  if (tables & SMB_LEARN_GLOBAL)
    write_excess(cli, run->analysis->segment_bytes == 32 ? "Sectors" : "Lines",
                 sum_global_excess(runs[0]), sum_global_excess(run));
  smb_spool_puts(cli->out, "\n");
  return TRUE;
}

// The settings with one more, in the place of that of the same name if there is one.
static GStrv
add_setting(GStrv settings, const char *setting) {
  gsize length = strcspn(setting, "=") + 1;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  gboolean placed = FALSE;
  for (guint i = 0; settings[i]; i++) {
    gboolean same = strncmp(settings[i], setting, length) == 0;
    g_strv_builder_add(builder, same ? setting : settings[i]);
    placed = placed || same;
  }
  if (!placed)
    g_strv_builder_add(builder, setting);
  return g_strv_builder_end(builder);
}

// The text with a macro set: in its definition, or above the first line.
static char *
set_macro(const char *text, const char *define) {
  g_auto(GStrv) parts = g_strsplit(define, "=", 2);
  g_autofree char *pattern = g_strdup_printf("^(#define %s)\\b.*$", parts[0]);
  g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
  const char *value = parts[1] ? parts[1] : "1";
  if (!regex || !g_regex_match(regex, text, 0, NULL))
    return g_strdup_printf("#define %s %s\n%s", parts[0], value, text);
  g_autofree char *line = g_strdup_printf("#define %s %s", parts[0], value);
  return g_regex_replace_literal(regex, text, -1, 0, line, 0, NULL);
}

static void
add_extents(GStrvBuilder *words, const char *option, const guint extents[3]) {
  g_autofree char *text = extents[2] > 1
                              ? g_strdup_printf("%u,%u,%u", extents[0], extents[1], extents[2])
                          : extents[1] > 1 ? g_strdup_printf("%u,%u", extents[0], extents[1])
                                           : g_strdup_printf("%u", extents[0]);
  g_strv_builder_add_many(words, option, text, NULL);
}

// The bytes of dynamic memory: as the catalogue says it, since macros may change, or a number.
static char *
describe_dynamic_bytes(const SmbTarget *target) {
  g_autoptr(GPtrArray) catalog = target->shape ? smb_catalog_load(NULL) : NULL;
  const SmbCatalogEntry *entry =
      catalog ? smb_catalog_find(catalog, target->name, target->shape, NULL, NULL) : NULL;
  if (entry && entry->dynamic_bytes)
    return g_strdup(entry->dynamic_bytes);
  return g_strdup_printf("%" G_GSIZE_FORMAT, target->launch.dynamic_bytes);
}

// The words that launch a copy of the kernel as the run launches it.
static GStrv
launch_words(const SmbLearnRun *run, const char *path) {
  const SmbTarget *target = run->target;
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_strv_builder_add(words, path);
  if (g_strv_contains((const char *const *)run->words, "--entry"))
    g_strv_builder_add_many(words, "--entry", target->entry, NULL);
  add_extents(words, "--block", target->launch.block);
  if (target->launch.grid[0] * target->launch.grid[1] * target->launch.grid[2] > 1)
    add_extents(words, "--grid", target->launch.grid);
  for (guint i = 0; target->args[i]; i++)
    g_strv_builder_add_many(words, "--arg", target->args[i], NULL);
  for (guint i = 0; target->buffers[i]; i++)
    g_strv_builder_add_many(words, "--buffer", target->buffers[i], NULL);
  if (target->launch.dynamic_bytes > 0) {
    g_autofree char *bytes = describe_dynamic_bytes(target);
    g_strv_builder_add_many(words, "--dynamic-bytes", bytes, NULL);
  }
  if (strcmp(smb_arch_info(run->arch)->name, SMB_DEFAULT_ARCH) != 0)
    g_strv_builder_add_many(words, "--arch", smb_arch_info(run->arch)->name, NULL);
  return g_strv_builder_end(words);
}

char *
smb_learn_copy(const SmbLearnRun *run, const char *folder, GStrv *words, GError **error) {
  g_autofree char *base = g_path_get_basename(run->target->file);
  g_autofree char *path = g_build_filename(folder, base, NULL);
  g_autofree char *text = g_strdup(smb_source_text(smb_program_source(run->target->kernel)));
  for (guint i = 0; run->target->defines[i]; i++) {
    char *set = set_macro(text, run->target->defines[i]);
    g_free(text);
    text = set;
  }
  g_autoptr(SmbOutFile) copy = smb_out_file_new("copy", path, error);
  if (!copy || !smb_out_file_write(copy, text, strlen(text), error))
    return NULL;
  *words = launch_words(run, path);
  return g_steal_pointer(&path);
}

static gboolean
make_copy(SmbLearnTrial *trial, GError **error) {
  if (trial->path)
    return TRUE;
  if (!trial->folder && !(trial->folder = g_dir_make_tmp("smembank-learn-XXXXXX", error)))
    return FALSE;
  trial->path = smb_learn_copy(original_run(trial), trial->folder, &trial->words, error);
  g_autoptr(SmbSource) copy = trial->path ? smb_source_load(trial->path, error) : NULL;
  trial->original = copy ? g_strdup(smb_source_text(copy)) : NULL;
  return copy != NULL;
}

void
smb_learn_trial_set(SmbLearnTrial *trial, SmbCli *cli, const char *setting) {
  // A built-in kernel has its shapes, for any architecture; a copy of it is launched as one likes.
  g_autoptr(GError) error = NULL;
  const char *option = find_launch_option(setting);
  if (option && strcmp(option, "--arch") != 0 && !make_copy(trial, &error)) {
    write_trial_failure(cli, error);
    return;
  }
  g_auto(GStrv) before = trial->settings;
  trial->settings = add_setting(before, setting);
  if (!run_lesson_trial(trial, cli, setting)) {
    g_strfreev(trial->settings);
    trial->settings = g_steal_pointer(&before);
  }
}

// In the process of the editor: what its parent ignores meanwhile.
static void
restore_signals(gpointer user) {
  (void)user;
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
}

// Runs the editor as a shell does, since $EDITOR may hold options, and waits for it.
static gboolean
run_editor(const char *path, GError **error) {
  const char *editor = g_getenv("VISUAL");
  if (!editor || !*editor)
    editor = g_getenv("EDITOR");
  if (!editor || !*editor)
    editor = "vi";
  g_autofree char *script = g_strconcat(editor, " \"$1\"", NULL);
  const char *const argv[] = {"/bin/sh", "-c", script, "sh", path, NULL};
  int status = 0;
  // What interrupts the editor is not meant for the course.
  void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
  void (*quit)(int) = signal(SIGQUIT, SIG_IGN);
  gboolean good = g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_CHILD_INHERITS_STDIN,
                               restore_signals, NULL, NULL, NULL, &status, error);
  signal(SIGINT, interrupt);
  signal(SIGQUIT, quit);
  if (!good || g_spawn_check_wait_status(status, error))
    return good;
  smb_prefix_error(error, "the editor '%s': ", editor);
  return FALSE;
}

gboolean
smb_learn_trial_edit(SmbLearnTrial *trial, SmbCli *cli, GError **error) {
  g_autoptr(GError) failure = NULL;
  gboolean good = make_copy(trial, &failure);
  if (good) {
    smb_spool_printf(cli->out, "%s: your copy of the kernel.\n", trial->path);
    if (!smb_cli_flush(cli, error))
      return FALSE;
    good = run_editor(trial->path, &failure);
  }
  if (!good)
    write_trial_failure(cli, failure);
  else
    run_lesson_trial(trial, cli, NULL);
  return TRUE;
}

// The arguments of the command: what was typed, or the copy of the step's kernel with what was set.
static GStrv
ask_words(SmbLearnTrial *trial, const char *words, GError **error) {
  GStrv typed = NULL;
  if (*words)
    return g_shell_parse_argv(words, NULL, &typed, error) ? typed : NULL;
  return make_copy(trial, error) ? trial_words(trial) : NULL;
}

gboolean
smb_learn_trial_ask(SmbLearnTrial *trial, SmbCli *cli, const char *command, const char *words,
                    GError **error) {
  g_autoptr(GError) failure = NULL;
  g_auto(GStrv) arguments = ask_words(trial, words, &failure);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_strv_builder_add_many(builder, "/proc/self/exe", command, NULL);
  for (guint i = 0; arguments && arguments[i]; i++)
    g_strv_builder_add(builder, arguments[i]);
  g_auto(GStrv) argv = g_strv_builder_end(builder);
  smb_spool_puts(cli->out, "\n");
  if (!smb_cli_flush(cli, error))
    return FALSE;
  // How it ends is for it to say.
  if (!arguments ||
      !g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, NULL, &failure))
    write_trial_failure(cli, failure);
  smb_spool_puts(cli->out, "\n");
  return TRUE;
}
