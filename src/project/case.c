// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/project/case.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/cuda/text/host.h"
#include "src/analysis/launch-time.h"
#include "src/cli/words.h"
#include "src/compile/flags.h"
#include "src/project/key.h"
#include "src/project/line.h"
#include "src/target/target.h"

// Whether an option says how the text of a kernel is read.
static gboolean
is_for_text(const char *word) {
  static const char *const options[] = {"--include=", "--define=", "--nvcc="};
  for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
    if (g_str_has_prefix(word, options[i]))
      return TRUE;
  }
  return FALSE;
}

// A file, if it can be read, and more than once, and is CUDA C or HIP; NULL: it is not (transfer full).
static SmbSource *
load_text(const char *file) {
  g_autoptr(SmbSource) source =
      file && g_file_test(file, G_FILE_TEST_IS_REGULAR) ? smb_source_load_any(file, NULL) : NULL;
  gboolean is_text = source && g_strcmp0(smb_program_recognize(source), "text") == 0;
  return is_text ? g_steal_pointer(&source) : NULL;
}

// The kernel's file that the words name; NULL: none.
static const char *
find_kernel_file(const SmbCliUsage *usage, const char *const *words) {
  return usage->file_option ? smb_words_find(words, usage->file_option)
                            : smb_words_argument(words + 1, usage->max_arguments - 1);
}

// --device of a prediction is not that of a measurement: options of time are for commands that predict one.
static gboolean
is_for_command(const SmbCliUsage *usage, const char *word) {
  gboolean predicts = FALSE, is_of_time = FALSE;
  for (guint i = 0; usage->groups && usage->groups[i]; i++)
    predicts = predicts || usage->groups[i] == &smb_launch_time_group ||
               usage->groups[i] == &smb_launch_time_own_device_group;
  for (const GOptionEntry *entry = smb_launch_time_group.entries; entry->long_name; entry++) {
    gsize length = strlen(entry->long_name);
    is_of_time = is_of_time || (strncmp(word + 2, entry->long_name, length) == 0 &&
                                strchr("=", word[2 + length]));
  }
  return predicts || !is_of_time;
}

// Puts the words of a case in front of the user's, which win so. What is said of all cases of how texts are read is not for compiled
// kernels, nor for built-in ones.
static void
add_project_case(const SmbCliUsage *usage, const SmbCase *one, const GPtrArray *all, GStrv *words) {
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_autoptr(SmbSource) text = load_text(one->file);
  g_strv_builder_add(builder, (*words)[0]);
  for (guint i = 0; one->words[i]; i++) {
    gboolean is_apt = i >= one->n_every || text || !is_for_text(one->words[i]);
    if (is_apt && is_for_command(usage, one->words[i]) && smb_words_is_of(one->words[i], all))
      g_strv_builder_add(builder, one->words[i]);
  }
  if (one->file && usage->file_option) {
    g_autofree char *word = g_strconcat("--", usage->file_option, "=", one->file, NULL);
    g_strv_builder_add(builder, word);
  }
  g_strv_builder_addv(builder, (const char **)*words + 1);
  g_strfreev(*words);
  *words = g_strv_builder_end(builder);
}

// A project file may come from anybody. Unless the user trusts it, the options that it gives to nvcc are of those that run nothing.
static gboolean
check_trust(const SmbCase *one, const char *const *words, GError **error) {
  const char *flags = smb_words_find((const char *const *)one->words, SMB_KEY_NVCC);
  gboolean is_used = flags && !smb_words_find(words, SMB_KEY_NVCC);
  g_autoptr(GError) reason = NULL;
  if (!is_used || smb_words_has(words, SMB_TRUST_OPTION) || smb_flags_check_file(flags, &reason))
    return TRUE;
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%u: " SMB_KEY_NVCC ": %s", one->path,
                  one->nvcc_line, reason->message);
}

// What is put in front of the user's words; all of it is NULL if nothing is.
typedef struct {
  SmbProject *project; // that has @one
  SmbCase *line;       // of the kernel's text, which is @one then
  const SmbCase *one;
} Launch;

static void
launch_clear(Launch *launch) {
  smb_project_free(launch->project);
  smb_case_free(launch->line);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Launch, launch_clear)

// What the kernel's text says of its launch. The user, who did not ask for it, is told.
static gboolean
find_case_line(SmbCli *cli, const SmbCliUsage *usage, const char *const *words, const char *name,
               Launch *launch, GError **error) {
  const char *file = find_kernel_file(usage, words);
  if (!file)
    return TRUE;
  if (!smb_case_in_source(file, name, smb_words_find(words, "entry"), &launch->line, error))
    return FALSE;
  launch->one = launch->line;
  if (!launch->line)
    return TRUE;
  cli->case_origin = g_strdup_printf("%s:%u", launch->line->path, launch->line->line);
  if (!name && cli->messages)
    smb_spool_printf(cli->messages, "%s:1: note: options of this line are used\n",
                     cli->case_origin);
  return TRUE;
}

// The case that the words ask for, of the kernel's text or of a project.
static gboolean
find_project_case(SmbCli *cli, const SmbCliUsage *usage, const char *const *words, Launch *launch,
                  GError **error) {
  const char *name = smb_words_find(words, SMB_CASE_OPTION);
  const char *path = smb_words_find(words, SMB_PROJECT_OPTION);
  if (path && !name && !usage->takes_project)
    return smb_cli_usage_error(error, "--project '%s': expected --case NAME as well", path);
  if (!path && !find_case_line(cli, usage, words, name, launch, error))
    return FALSE;
  if (launch->one || !name)
    return TRUE;
  launch->project = smb_project_load(path, error);
  launch->one = launch->project ? smb_project_find(launch->project, name, error) : NULL;
  if (!launch->one)
    return FALSE;
  cli->case_origin =
      g_strdup_printf("--case %s, %s:%u", name, launch->one->path, launch->one->line);
  cli->case_project = g_strdup(launch->project->path);
  return TRUE;
}

// HIP is counted for a chip of AMD's, unless words say another, or what nvcc compiles for. @file: (nullable): of the kernel
static void
add_hip_arch(const char *file, GStrv *words) {
  const char *const *given = (const char *const *)*words;
  if (smb_words_find(given, "arch") || smb_words_find(given, SMB_KEY_NVCC))
    return;
  g_autoptr(SmbSource) text = load_text(file);
  if (!text || !smb_host_is_hip(text))
    return;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_strv_builder_add_many(builder, given[0], "--arch=" SMB_HIP_ARCH, NULL);
  g_strv_builder_addv(builder, (const char **)given + 1);
  g_strfreev(*words);
  *words = g_strv_builder_end(builder);
}

static gboolean
prepare_case(SmbCli *cli, const SmbCliUsage *usage, const GPtrArray *all, GStrv *words, char **file,
             GError **error) {
  const char *const *own = (const char *const *)*words;
  g_auto(Launch) launch = {NULL, NULL, NULL};
  gboolean takes_case = smb_words_is_of("--" SMB_CASE_OPTION, all) && !usage->hands_case_on;
  if (takes_case && !find_project_case(cli, usage, own, &launch, error))
    return FALSE;
  if (launch.one && !check_trust(launch.one, own, error))
    return FALSE;
  if (launch.one) {
    add_project_case(usage, launch.one, all, words);
    *file = g_strdup(launch.one->file);
  }
  if (takes_case && usage->has_arch)
    add_hip_arch(*file ? *file : find_kernel_file(usage, (const char *const *)*words), words);
  return TRUE;
}

// What options of nvcc compile for; NULL: they do not say.
static char *
find_case_arch(void) {
  const char *text = smb_target_options()->nvcc;
  g_autoptr(SmbFlags) flags = text ? smb_flags_parse(text, NULL) : NULL;
  return flags ? g_steal_pointer(&flags->architecture) : NULL;
}

const SmbCliCases smb_cases = {prepare_case, smb_target_note_in, find_case_arch};
