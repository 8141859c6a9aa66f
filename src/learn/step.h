// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A lesson with its runs: made, and checked, before a word of it is shown. Each run is just what 'smembank analyze' does
// with the same words.
#pragma once

#include "src/analysis/launch-time.h"
#include "src/learn/lesson.h"
#include "src/target/target.h"

/**
 * SmbLearnRun: a command line of analyze, and what it gave.
 * @words: what stands after 'smembank analyze'
 * @is_course: whether FILE among them is a kernel of the course, not a file
 * @code, @time: (nullable): its machine code, launched alike, and how long that takes (smb_lesson_code())
 */
typedef struct {
  GStrv words;
  gboolean is_course;
  SmbArch *arch;
  SmbTarget *target;
  SmbAnalysis *analysis;
  SmbTarget *code;
  SmbLaunchTime *time;
} SmbLearnRun;

/**
 * smb_learn_run_new:
 * @words: the words after 'smembank analyze'
 * @is_course: whether FILE among them is a kernel of the course
 * @error: what analyze would say
 *
 * Returns: (transfer full): the run, made
 */
SmbLearnRun *smb_learn_run_new(const char *const *words, gboolean is_course, GError **error);
void smb_learn_run_free(SmbLearnRun *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLearnRun, smb_learn_run_free)

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

/** The results of the runs, as src/learn/lesson.h wants them. */
static inline const SmbLessonResult *
smb_learn_step_results(const SmbLearnStep *step) {
  return (const SmbLessonResult *)(gconstpointer)step->results->data;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLearnStep, smb_learn_step_free)
