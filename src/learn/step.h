// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A lesson with its runs: made, and checked, before a word of it is shown.
#pragma once

#include "sim/records/lesson.h"
#include "src/learn/run.h"

/** SmbLearnStep: a lesson with its runs made, in the order of the lesson. */
typedef struct {
  const SmbLesson *lesson;
  guint number; /* from 1 */
  guint n_steps;
  GPtrArray *runs; /* SmbLearnRun */
  GArray *results; /* SmbLessonResult */
} SmbLearnStep;

/**
 * smb_learn_step_new:
 * @lessons: the course
 * @number: which lesson, from 1
 * @error: what a run says, or a claim of the lesson that does not hold
 *
 * Returns: (transfer full): the lesson, all of it checked on the model
 */
SmbLearnStep *smb_learn_step_new(const GPtrArray *lessons, guint number, GError **error);
void smb_learn_step_free(SmbLearnStep *step);

/** The results of the runs, as sim/records/lesson.h wants them. */
static inline const SmbLessonResult *
smb_learn_step_results(const SmbLearnStep *step) {
  return (const SmbLessonResult *)(gconstpointer)step->results->data;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLearnStep, smb_learn_step_free)
