// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a learner tries with the kernel of a step: macros set, and a copy of the text edited. Each
// trial is a run of analyze, and is shown next to the run of the lesson.
#pragma once

#include "src/learn/step.h"

typedef struct _SmbLearnTrial SmbLearnTrial;

/** smb_learn_trial_new: @step: (transfer none): must outlive it. Returns: (transfer full): nothing
 * tried yet */
SmbLearnTrial *smb_learn_trial_new(const SmbLearnStep *step);

/** Releases it. A copy that was edited stays where it is; one that was not is removed. */
void smb_learn_trial_free(SmbLearnTrial *trial);

/**
 * smb_learn_trial_set:
 * @setting: "NAME=VALUE": a macro, a scalar parameter, or the "block", "grid" or "arch" of the launch, which stays set in
 *   this step
 *
 * Writes what the accesses cost before and after; or why the kernel cannot be run so, and forgets
 * @setting.
 */
void smb_learn_trial_set(SmbLearnTrial *trial, SmbCli *cli, const char *setting);

/**
 * smb_learn_trial_edit:
 * @error: the terminal cannot be written to
 *
 * Opens a copy of the kernel in $VISUAL or $EDITOR (vi if neither is set), and writes what its
 * accesses cost, or the error in its text. The next edit goes on with the same copy.
 */
gboolean smb_learn_trial_edit(SmbLearnTrial *trial, SmbCli *cli, GError **error);

/**
 * smb_learn_trial_ask:
 * @command: "explain" or "advise"
 * @words: what follows it, as a shell reads it; empty: the kernel of the step, with what was tried
 * @error: the terminal cannot be written to
 *
 * Runs the command in a process of its own, which writes to the same terminal.
 */
gboolean smb_learn_trial_ask(SmbLearnTrial *trial, SmbCli *cli, const char *command,
                             const char *words, GError **error);

/**
 * smb_learn_copy:
 * @run: a run
 * @folder: where the copy goes
 * @words: (out) (transfer full): the words of a run of the copy, launched as @run is
 * @error: a file error
 *
 * Writes the text of the kernel into a file. The macros that @run sets are set in the text, so
 * that the copy stands for itself and every line of it can be changed.
 *
 * Returns: (transfer full): the path of the file
 */
char *smb_learn_copy(const SmbLearnRun *run, const char *folder, GStrv *words, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLearnTrial, smb_learn_trial_free)
