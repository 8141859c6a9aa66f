// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The runs of a lesson: each is just what 'smembank analyze' does with the same words.
#pragma once

#include "src/cli/target.h"

/**
 * SmbLearnRun: a command line of analyze, and what it gave.
 * @words: what stands behind 'smembank analyze'
 * @is_course: whether FILE among them is a kernel of the course, not a file
 */
typedef struct {
  GStrv words;
  gboolean is_course;
  SmbArch *arch;
  SmbTarget *target;
  SmbAnalysis *analysis;
} SmbLearnRun;

/**
 * smb_learn_run_new:
 * @words: the words behind 'smembank analyze'
 * @is_course: whether FILE among them is a kernel of the course
 * @error: what analyze would say
 *
 * Returns: (transfer full): the run, made
 */
SmbLearnRun *smb_learn_run_new(const char *const *words, gboolean is_course, GError **error);
void smb_learn_run_free(SmbLearnRun *run);

/** smb_learn_run_command: Returns: (transfer full): the command line, as a shell reads it */
char *smb_learn_run_command(const SmbLearnRun *run);

/** smb_learn_run_kernel: Returns: the name of the course's kernel that FILE is (transfer none), or
 * %NULL */
const char *smb_learn_run_kernel(const SmbLearnRun *run);

/**
 * smb_learn_run_option:
 * @setting: "NAME=VALUE"
 *
 * Returns: the option that sets it (transfer none): "--arg" for a parameter of the kernel, "-D"
 * for a
 *   macro
 */
const char *smb_learn_run_option(const SmbLearnRun *run, const char *setting);

/**
 * smb_learn_run_lacks:
 * @setting: "NAME=VALUE"
 *
 * Returns: whether it sets a macro that the kernel does not have, and so changes nothing
 */
gboolean smb_learn_run_lacks(const SmbLearnRun *run, const char *setting);

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

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLearnRun, smb_learn_run_free)
