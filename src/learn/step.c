// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/learn/step.h"

#include "sim/base/error.h"

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
    if (!run)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: run '%s': %s",
                      smb_source_name(lesson->source), named->name, failure->message);
    g_ptr_array_add(step->runs, run);
    SmbLessonResult result = {run->target->kernel, run->arch, run->analysis};
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
