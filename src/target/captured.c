// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/target/captured.h"
#include "sim/base/error.h"

#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "src/target/ranking.h"
#include "src/target/target-impl.h"

gboolean
smb_captured_is_asked(const SmbTargetOptions *options, const char *file) {
  return options->captured_launch || options->captured_worst ||
         (file && smb_capture_recognize(file));
}

gboolean
smb_captured_is_whole(const SmbTargetOptions *options, const char *file) {
  return !options->captured_launch && !options->captured_worst && file &&
         smb_capture_recognize(file);
}

gboolean
smb_captured_check(const SmbTargetOptions *options, GError **error) {
  const struct {
    gboolean is_given;
    const char *option;
  } others[] = {
      {options->block != NULL, "--block"},
      {options->grid != NULL, "--grid"},
      {options->cluster != NULL, "--cluster"},
      {options->dynamic_bytes != NULL, "--dynamic-bytes"},
      {options->args != NULL, "--arg"},
      {options->buffers != NULL, "--buffer"},
      {options->entry != NULL, "--entry"},
      {options->instance != NULL, "--instance"},
      {options->defines != NULL, "-D"},
      {options->folders != NULL, "-I"},
      {options->nvcc != NULL, "--nvcc"},
      {options->triton != NULL, "--triton"},
      {options->kernel != NULL, "--kernel"},
      {options->shape != NULL, "--shape"},
      {options->rows || options->cols || options->pad || options->elem || options->write ||
           options->read || options->dynamic,
       "a tile"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    if (others[i].is_given)
      return smb_cli_usage_error(error,
                                 "%s cannot be combined with a capture: its launches have their "
                                 "own kernel, shape and values",
                                 others[i].option);
  }
  return TRUE;
}

SmbCapture *
smb_captured_open_file(const SmbTargetOptions *options, const char *file, GError **error) {
  SmbCapture *capture = smb_capture_open(file, error);
  if (capture && options->captured_as)
    smb_capture_rename(capture, options->captured_as);
  return capture;
}

// Whether the options and FILE name a launch of a capture.
static gboolean
check_choice(const SmbTargetOptions *options, const char *file, GError **error) {
  const char *option = options->captured_worst ? "--worst" : "--launch";
  if (options->captured_launch && options->captured_worst)
    return smb_cli_usage_error(error, "expected one of --launch and --worst");
  if (!file)
    return smb_cli_usage_error(error, "%s is for a capture: expected FILE, the capture", option);
  if (!smb_capture_recognize(file) && g_file_test(file, G_FILE_TEST_EXISTS))
    return smb_cli_usage_error(error, "%s is for a capture, and '%s' is not a capture", option,
                               file);
  if (!options->captured_launch && !options->captured_worst)
    return smb_cli_usage_error(error,
                               "'%s' is a capture: choose a launch with --launch N or --worst "
                               "('smembank list launches' shows them)",
                               file);
  return smb_captured_check(options, error);
}

// The launch that --launch chooses.
static const SmbCaptureLaunch *
find_captured_launch(const SmbCapture *capture, const char *text, GError **error) {
  guint n = smb_capture_n_launches(capture), number = 0;
  if (n == 0) {
    smb_cli_usage_error(error, "%s has no launch", smb_capture_path(capture));
    return NULL;
  }
  if (!smb_cli_number("--launch", text, 1, n, &number, error))
    return NULL;
  return smb_capture_launch(capture, number - 1);
}

SmbArch *
smb_captured_arch(const SmbCli *cli, const SmbCaptureLaunch *launch, GError **error) {
  if (cli->arch_given)
    return smb_arch_ref(cli->arch);
  SmbArch *arch = smb_cli_load_arch(cli, launch->arch, 0, error);
  if (!arch)
    smb_prefix_error(error, "launch %" G_GUINT64_FORMAT " was captured on %s: ", launch->number,
                     launch->arch);
  return arch;
}

// The launch that has the most excess wavefronts.
static const SmbCaptureLaunch *
choose_worst(SmbCli *cli, const SmbTargetOptions *options, SmbCapture *capture, GError **error) {
  g_autoptr(SmbRanking) ranking = smb_ranking_new(cli, options, capture, NULL);
  const SmbRankRow *worst = smb_ranking_worst(ranking, error);
  if (!worst)
    return NULL;
  smb_target_choose_launch(worst->launch->number);
  smb_spool_printf(cli->messages,
                   "smembank %s: launch %" G_GUINT64_FORMAT
                   " has the most excess wavefronts, %" G_GUINT64_FORMAT ": %s\n",
                   cli->command, worst->launch->number, worst->total.excess, worst->name);
  return worst->launch;
}

gboolean
smb_captured_settle(SmbCli *cli, SmbTargetOptions *options, const char *file, SmbCapture **capture,
                    GError **error) {
  *capture = NULL;
  if (!smb_captured_is_asked(options, file))
    return TRUE;
  if (!check_choice(options, file, error))
    return FALSE;
  *capture = smb_captured_open_file(options, file, error);
  const SmbCaptureLaunch *launch =
      !*capture                 ? NULL
      : options->captured_worst ? choose_worst(cli, options, *capture, error)
                                : find_captured_launch(*capture, options->captured_launch, error);
  SmbArch *arch = launch ? smb_captured_arch(cli, launch, error) : NULL;
  if (!arch)
    return FALSE;
  smb_arch_unref(cli->arch);
  cli->arch = arch;
  options->capture = *capture;
  options->captured = launch;
  return TRUE;
}

SmbTarget *
smb_captured_target(const SmbTargetOptions *options, SmbCapture *capture,
                    const SmbCaptureLaunch *launch, const SmbArch *arch, SmbProgress *progress,
                    GError **error) {
  g_autoptr(SmbTarget) target = smb_target_begin(options, error);
  g_autoptr(SmbSource) code = target ? smb_capture_code(capture, launch, error) : NULL;
  if (!code)
    return NULL;
  target->capture = smb_capture_ref(capture);
  target->captured = launch;
  target->loaded = smb_capture_load(capture, launch, code, error);
  if (!target->loaded)
    return NULL;
  target->entry = g_strdup(launch->kernel);
  target->launch.dynamic_bytes = launch->dynamic_bytes;
  g_strfreev(target->args);
  target->args = g_strdupv(target->loaded->arguments);
  target->launch.buffers = g_ptr_array_ref(target->loaded->buffers);
  target->launch.memory = target->loaded->memory;
  for (guint i = 0; i < 3; i++) {
    target->launch.block[i] = launch->block[i];
    target->launch.grid[i] = launch->grid[i];
    target->launch.cluster[i] = launch->cluster[i];
  }
  if (!smb_target_finish(target, code, arch, progress, error))
    return NULL;
  return g_steal_pointer(&target);
}

SmbTarget *
smb_captured_open(const SmbTargetOptions *options, const char *file, const SmbArch *arch,
                  SmbProgress *progress, GError **error) {
  if (options->captured)
    return smb_captured_target(options, options->capture, options->captured, arch, progress, error);
  if (!check_choice(options, file, error))
    return NULL;
  g_autoptr(SmbCapture) capture = smb_captured_open_file(options, file, error);
  const SmbCaptureLaunch *launch =
      capture ? find_captured_launch(capture, options->captured_launch, error) : NULL;
  return launch ? smb_captured_target(options, capture, launch, arch, progress, error) : NULL;
}

void
smb_captured_note(const SmbCaptureLaunch *launch, GPtrArray *notes) {
  for (guint i = 0; launch->notes[i]; i++)
    g_ptr_array_add(notes, g_strdup(launch->notes[i]));
}

void
smb_captured_write_end(const SmbCapture *capture, SmbSpool *messages) {
  if (!smb_capture_end(capture))
    smb_spool_printf(messages,
                     "%s%s: warning: the capture ends early: the launches in it are complete, but "
                     "there may have been more\n",
                     smb_text_ahead(smb_capture_path(capture)), smb_capture_path(capture));
}

void
smb_captured_write_notes(const SmbTarget *target, SmbSpool *messages) {
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  if (!target->captured)
    return;
  guint64 bytes = smb_capture_left_out(target->captured);
  if (bytes && target->launch.skips_unknown)
    g_ptr_array_add(notes, g_strdup_printf("%s of its memory %s not in the capture",
                                           smb_count(bytes, "byte").text, smb_is_are(bytes)));
  smb_captured_note(target->captured, notes);
  for (guint i = 0; i < notes->len; i++)
    smb_spool_printf(messages, "%s%s: warning: launch %" G_GUINT64_FORMAT ": %s\n",
                     smb_text_ahead(target->file), target->file, target->captured->number,
                     (char *)notes->pdata[i]);
}
