// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A private folder in which other programs work for us, each within a time limit. Whatever ends this program, a signal
// included, those programs and what they have started are killed, and the folder is removed.
#pragma once

#include <glib.h>

typedef struct _SmbWorkshop SmbWorkshop;

/**
 * SmbWorkshopRun: how a program ended.
 * @status: as of waitpid(); 0: it did what it was to do
 * @is_late: it was killed at the time limit
 * @output: what it wrote to standard output and error: the first @max_output bytes
 * @max_output: set before it is run; 0: SMB_WORKSHOP_MAX_OUTPUT
 */
typedef struct {
  int status;
  gboolean is_late;
  GString *output;
  gsize max_output;
} SmbWorkshopRun;

/** Bytes that are kept of what a program writes; it may write more. */
#define SMB_WORKSHOP_MAX_OUTPUT (256u << 10)

/** smb_workshop_new: @work: what is done there, for the folder's name; @error: a file error. Returns: (transfer full): an empty
 * folder, below $TMPDIR */
SmbWorkshop *smb_workshop_new(const char *work, GError **error);

/** Kills what still runs, and removes the folder. */
void smb_workshop_free(SmbWorkshop *workshop);

/** smb_workshop_folder: Returns: (transfer none): its absolute path */
const char *smb_workshop_folder(const SmbWorkshop *workshop);

/**
 * smb_workshop_run:
 * @words: (array zero-terminated=1): a program, found in $PATH unless it is a path, and its arguments
 * @seconds: how long it may take
 * @error: SMB_ERROR_INPUT if it cannot be started
 *
 * Runs a program, with $TMPDIR set to the folder and nothing to read on standard input, until it ends or is late; what
 * it has started and left behind is killed then.
 *
 * Returns: whether it was started; @run is to be cleared then
 */
gboolean smb_workshop_run(SmbWorkshop *workshop, const char *const *words, guint seconds,
                          SmbWorkshopRun *run, GError **error);

void smb_workshop_run_clear(SmbWorkshopRun *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbWorkshop, smb_workshop_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbWorkshopRun, smb_workshop_run_clear)
