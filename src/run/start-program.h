// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A program that runs without a GPU: how it is started with the libraries that stand in for CUDA's.
#pragma once

#include "src/run/build-program.h"
#include "src/run/running.h"

/** smb_run_is_text: Returns: whether a word is the name of a text that nvcc is given: an executable may be called so, too */
gboolean smb_run_is_text(const char *word);

/**
 * smb_run_words:
 * @workshop: takes what is compiled
 * @error: SMB_ERROR_INPUT: it cannot be compiled
 *
 * Returns: (transfer full) (element-type utf8): the words that start the program, with a %NULL at the end
 */
GPtrArray *smb_run_words(const SmbRunText *text, SmbWorkshop *workshop, GError **error);

/** Where the standard output of the program goes: to that of this program, or to its standard error. */
typedef enum {
  SMB_RUN_OUTPUT_OWN,
  SMB_RUN_OUTPUT_ERROR,
} SmbRunOutput;

/**
 * smb_run_start:
 * @wait_status: (out): how it ended
 * @error: as smb_application_run(); the libraries are not there
 *
 * Runs the program to its end.
 */
gboolean smb_run_start(SmbRunning *running, const char *const *words, SmbRunOutput output,
                       int *wait_status, GError **error);
