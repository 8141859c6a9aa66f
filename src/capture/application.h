// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An application that is started with a library of ours in each of its processes, which are listened to until it has ended.
#pragma once

#include <glib.h>

/**
 * SmbListener: what is done with a process that has connected.
 * @start: @fd: (transfer full): the connection. Returns: (transfer full): the process
 * @fd: the connection of a process
 * @read: reads what there is, and does what it says. Returns: whether there may be more
 * @end: hangs up and frees it
 */
typedef struct {
  gpointer (*start)(int fd, gpointer user);
  int (*fd)(gconstpointer process);
  gboolean (*read)(gpointer process);
  void (*end)(gpointer process);
} SmbListener;

/** An application that runs. */
typedef struct _SmbStage SmbStage;

/**
 * SmbApplication:
 * @words: (array zero-terminated=1): a program, found in $PATH unless it is a path, and its arguments
 * @environment: (array zero-terminated=1): what its environment has in addition, each name before its value
 * @socket_variable: the variable of its environment that gets the path of the socket
 * @listener: (transfer none)
 * @user: for SmbListener.start
 * @stage: (nullable) (out): the application, as long as it runs
 * @turns_output: whether its standard output is the standard error of this program, and its standard input is empty
 */
typedef struct {
  const char *const *words;
  const char *const *environment;
  const char *socket_variable;
  const SmbListener *listener;
  gpointer user;
  SmbStage **stage;
  gboolean turns_output;
} SmbApplication;

/**
 * smb_application_run:
 * @wait_status: (out): how it ended, as waitpid() says
 * @error: SMB_ERROR_INPUT if it cannot be started; a file error
 *
 * Runs it with the standard input and outputs of this program. Signals that ask this program to end are passed on: it ends
 * when the application does.
 */
gboolean smb_application_run(const SmbApplication *application, int *wait_status, GError **error);

/** smb_application_pass_signals: Passes signals on that have come, for a listener that is busy for long; in any thread. */
void smb_application_pass_signals(SmbStage *stage);

/** smb_application_describe_end: Returns: (transfer full): how a program called @name ended, in words */
char *smb_application_describe_end(int wait_status, const char *name);
