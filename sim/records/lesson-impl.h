// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the files of lessons share: sim/records/lesson.c reads them, lesson-text.c and lesson-value.c say
// what their texts and expressions mean. With results of NULL they check without a value.
#pragma once

#include "sim/records/lesson.h"

/**
 * smb_lesson_substitute:
 * @offset: where @text begins in the lesson
 * @text: an expression
 * @results: (nullable): NULL checks the names of the quantities only
 *
 * Returns: (transfer full): the expression with numbers in the place of its names
 */
char *smb_lesson_substitute(const SmbLesson *lesson, guint32 offset, const char *text,
                            const SmbLessonResult *results, GError **error);

/**
 * smb_lesson_evaluate:
 * @offset, @text, @results: as smb_lesson_substitute()
 * @value: (out): the value of the expression; 1 without results
 */
gboolean smb_lesson_evaluate(const SmbLesson *lesson, guint32 offset, const char *text,
                             const SmbLessonResult *results, gint64 *value, GError **error);
