// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The course as a talk: each step asks for a prediction before it shows the answer.
#pragma once

#include "src/cli/cli.h"

/**
 * smb_learn_session_run:
 * @course: (element-type SmbLesson): the course
 * @first: the step to begin with, from 1
 * @error: as smb_learn_step_new(), or a file error of standard input and output
 *
 * Reads answers from standard input until the course, or the input, ends.
 */
gboolean smb_learn_session_run(SmbCli *cli, const GPtrArray *course, guint first, GError **error);
