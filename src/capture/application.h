// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The application that is recorded: the command is started so that the driver loads the injection library into each of its
// processes, and these are listened to until it has ended.
#pragma once

#include "src/capture/recorder.h"

/**
 * SmbApplication:
 * @words: (array zero-terminated=1): a program, found in $PATH unless it is a path, and its arguments
 * @library: path of the injection library
 * @cupti: path of CUPTI
 * @memory_bytes: most memory that is recorded of a launch
 * @first, @last, @every: which of the launches that match are recorded, in each process
 */
typedef struct {
  const char *const *words;
  const char *library;
  const char *cupti;
  guint64 memory_bytes;
  guint64 first, last, every;
} SmbApplication;

/**
 * smb_application_run:
 * @status: (out) (transfer full): how it ended, in words
 * @error: SMB_ERROR_INPUT if it cannot be started; a file error
 *
 * Runs it with the standard input and outputs of this program. Signals that ask this program to end are passed on: it ends
 * when the application does.
 */
gboolean smb_application_run(const SmbApplication *application, SmbRecorder *recorder,
                             char **status, GError **error);
