// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A step of the course as text.
#pragma once

#include "src/learn/step.h"

/**
 * smb_learn_write_before:
 * @error: as smb_lesson_text()
 *
 * Writes the title, what stands before the prediction, and the question.
 */
gboolean smb_learn_write_before(SmbCli *cli, const SmbLearnStep *step, GError **error);

/** smb_learn_write_hint: writes the hint. */
gboolean smb_learn_write_hint(SmbCli *cli, const SmbLearnStep *step, GError **error);

/** smb_learn_write_after: writes what follows the answer. */
gboolean smb_learn_write_after(SmbCli *cli, const SmbLearnStep *step, GError **error);

/** Which accesses are counted in a table. */
typedef enum {
  SMB_LEARN_SHARED = 1 << 0, /* to shared memory */
  SMB_LEARN_GLOBAL = 1 << 1, /* to global memory */
} SmbLearnTables;

/**
 * smb_learn_write_counts:
 * @names: what each run is called in the table
 * @runs: (array length=n): runs
 * @tables: which accesses
 *
 * Writes the command line of each run, and tables of what their accesses cost.
 */
void smb_learn_write_counts(SmbCli *cli, const char *const *names, const SmbLearnRun *const *runs,
                            guint n, SmbLearnTables tables);
