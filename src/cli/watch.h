// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a person sees of a command that takes long: a line on a terminal after two seconds, redrawn and cleared at the
// end; and, when it is interrupted, how far it came. A thread of its own does both, so that no computation has to ask.
#pragma once

#include "sim/base/progress.h"

/** Before that, nothing is shown, in milliseconds. */
#define SMB_WATCH_DELAY_MS 2000

typedef struct _SmbWatch SmbWatch;

/**
 * smb_watch_start:
 * @command: (transfer none): its name, for the line
 * @columns: (nullable): width of the terminal
 * @ends: whether SIGINT is taken by the watch meanwhile: it ends the program at once, by the signal, and says how far it came
 *
 * Watches a progress until smb_watch_stop(). Without @ends all signals are blocked meanwhile: who runs the work reads them. To be called before other threads are started.
 *
 * Returns: (transfer full) (nullable): %NULL where there can be no thread: then nothing is shown, and SIGINT ends
 *   the program as it always does
 */
SmbWatch *smb_watch_start(const char *command, guint columns, gboolean ends);

/** smb_watch_progress: Returns: (transfer none): what is watched */
SmbProgress *smb_watch_progress(SmbWatch *watch);

/** smb_watch_pause: Ends the task of the progress, and clears the line: others may write to the terminal; @watch: (nullable) */
void smb_watch_pause(SmbWatch *watch);

/** Clears the line, and gives SIGINT back. */
void smb_watch_stop(SmbWatch *watch);

/** smb_watch_describe: Returns: (transfer full): "12 of 40 blocks, 30%, 5 s left", of a task that runs for @seconds */
char *smb_watch_describe(const SmbProgress *progress, double seconds);
