// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/learn/step.h"

#include "sim/base/error.h"
#include "src/cli/hint.h"
#include "src/project/case.h"

void
smb_learn_run_free(SmbLearnRun *run) {
  if (!run)
    return;
  smb_analysis_free(run->analysis);
  smb_launch_time_free(run->time);
  smb_target_free(run->code);
  smb_target_free(run->target);
  g_clear_pointer(&run->arch, smb_arch_unref);
  g_strfreev(run->words);
  g_free(run);
}

static SmbTarget *
make_step_target(const SmbTargetOptions *options, const char *file, gboolean is_course,
                 const SmbArch *arch, GError **error) {
  if (!file || !is_course)
    return smb_target_new(options, file, arch, NULL, error);
  g_autoptr(SmbSource) source = smb_lesson_kernel(file, error);
  return source ? smb_target_new_from_source(options, source, arch, error) : NULL;
}

// Parses the words as analyze does, and takes the kernel and the architecture from them.
static gboolean
parse_step_words(SmbLearnRun *run, SmbCli *cli, GError **error) {
  static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, NULL};
  static const SmbCliUsage usage = {.arguments = "[FILE.cu]",
                                    .description = "",
                                    .max_arguments = 1,
                                    .has_arch = TRUE,
                                    .cases = &smb_cases,
                                    .groups = groups};
  g_autoptr(GError) failure = NULL;
  if (smb_cli_parse(cli, &usage, NULL, &failure))
    run->target = make_step_target(smb_target_options(), cli->arguments[0], run->is_course,
                                   cli->arch, &failure);
  smb_target_clear_options();
  if (run->target)
    return TRUE;
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  else
    smb_cli_usage_error(error, "--help cannot be used here");
  return FALSE;
}

// The same launch of the machine code of a kernel of the course, and its time.
static gboolean
predict_run(SmbLearnRun *run, GError **error) {
  g_autoptr(SmbSource) code =
      run->is_course && run->target->file ? smb_lesson_code(run->target->file) : NULL;
  if (!code)
    return TRUE;
  run->code = smb_target_with_code(run->target, code, run->arch, error);
  run->time = run->code ? smb_launch_time_total(run->code, run->arch, error) : NULL;
  return run->time && (run->time->time || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                                                   "its time is not known: %s", run->time->why));
}

SmbLearnRun *
smb_learn_run_new(const char *const *words, gboolean is_course, GError **error) {
  g_autoptr(SmbLearnRun) run = g_new0(SmbLearnRun, 1);
  run->words = g_strdupv((GStrv)words);
  run->is_course = is_course;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_strv_builder_add(builder, "analyze");
  g_strv_builder_addv(builder, (const char **)words);
  g_auto(GStrv) argv = g_strv_builder_end(builder);
  g_autoptr(SmbSpool) out = smb_spool_new();
  SmbCli cli = {.command = "analyze", .out = out, .argc = (int)g_strv_length(argv), .argv = argv};
  gboolean good = parse_step_words(run, &cli, error);
  run->arch = g_steal_pointer(&cli.arch);
  g_strfreev(cli.arguments);
  g_free(cli.case_origin);
  if (good)
    run->analysis = smb_target_analyze(run->target, run->arch, error);
  return run->analysis && predict_run(run, error) ? g_steal_pointer(&run) : NULL;
}

void
smb_learn_step_free(SmbLearnStep *step) {
  if (!step)
    return;
  g_array_unref(step->results);
  g_ptr_array_unref(step->runs);
  g_free(step);
}

static gboolean
make_runs(SmbLearnStep *step, GError **error) {
  const SmbLesson *lesson = step->lesson;
  for (guint i = 0; i < lesson->runs->len; i++) {
    const SmbLessonRun *named = &g_array_index(lesson->runs, SmbLessonRun, i);
    g_autoptr(GError) failure = NULL;
    SmbLearnRun *run = smb_learn_run_new((const char *const *)named->words, TRUE, &failure);
    g_autofree char *told = run ? NULL : smb_cli_error_text(failure);
    if (!run)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: run '%s': %-s",
                      smb_source_name(lesson->source), named->name, told);
    g_ptr_array_add(step->runs, run);
    SmbLessonResult result = {run->target->kernel, run->arch, run->analysis,
                              run->time ? run->time->time : NULL, &run->target->launch};
    g_array_append_val(step->results, result);
  }
  return TRUE;
}

SmbLearnStep *
smb_learn_step_new(const GPtrArray *lessons, guint number, GError **error) {
  g_autoptr(SmbLearnStep) step = g_new0(SmbLearnStep, 1);
  step->lesson = lessons->pdata[number - 1];
  step->number = number;
  step->n_steps = lessons->len;
  step->runs = g_ptr_array_new_with_free_func((GDestroyNotify)smb_learn_run_free);
  step->results = g_array_new(FALSE, FALSE, sizeof(SmbLessonResult));
  if (!make_runs(step, error) ||
      !smb_lesson_check(step->lesson, smb_learn_step_results(step), error))
    return NULL;
  return g_steal_pointer(&step);
}
