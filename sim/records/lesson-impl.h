// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the files of lessons share: sim/records/lesson.c reads them, lesson-text.c and lesson-value.c say
// what their texts and expressions mean. With results of NULL they check without a value.
#pragma once

#include "sim/records/lesson.h"

/**
 * lesson_substitute:
 * @offset: where @text begins in the lesson
 * @text: an expression
 * @results: (nullable): NULL checks the names of the quantities only
 *
 * Returns: (transfer full): the expression with numbers in the place of its names
 */
char *smb_lesson_substitute(const SmbLesson *lesson, guint32 offset, const char *text,
                            const SmbLessonResult *results, GError **error);

/**
 * lesson_evaluate:
 * @offset, @text, @results: as smb_lesson_substitute()
 * @value: (out): the value of the expression; 1 without results
 */
gboolean smb_lesson_evaluate(const SmbLesson *lesson, guint32 offset, const char *text,
                             const SmbLessonResult *results, gint64 *value, GError **error);

/** lesson_render: smb_lesson_text(); without @results nothing but the syntax is checked. */
char *smb_lesson_render(const SmbLesson *lesson, guint32 offset, const char *text,
                        const SmbLessonResult *results, GError **error);

/** lesson_claim: whether a condition holds; if not, the error has its numbers and what @claims it. */
gboolean smb_lesson_claim(const SmbLesson *lesson, guint32 offset, const char *text,
                          const char *claims, const SmbLessonResult *results, GError **error);

/** lesson_find_access: smb_lesson_access(); without @results the names are checked, and the return is
 * NULL without an error. */
const SmbAccess *smb_lesson_find_access(const SmbLesson *lesson, const SmbLessonPart *part,
                                        const SmbLessonResult *results, guint *run, GError **error);
