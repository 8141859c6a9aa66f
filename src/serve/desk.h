// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A question about a text that may be in memory only, as the command line of a process: the commands count, explain and
// advise, nothing here does. A text that is not that of its file is written to a private folder for the process.
#pragma once

#include "src/cli/child.h"
#include "src/compile/workshop.h"

/** SmbDesk: where texts lie that processes read. */
typedef struct _SmbDesk SmbDesk;

/** smb_desk_new: @error: a file error. Returns: (transfer full): an empty one */
SmbDesk *smb_desk_new(GError **error);
void smb_desk_free(SmbDesk *desk);

/**
 * SmbQuestion:
 * @command: the command that is asked
 * @words: (nullable) (array zero-terminated=1): its options
 * @file: (nullable): the kernel's file, seen from @folder; of a @text the last part of it is kept
 * @text: (nullable): its text; %NULL: it is that of the file
 * @folder: (nullable): where the process runs, if there is no @text; %NULL: here
 */
typedef struct {
  const char *command;
  const char *const *words;
  const char *file, *text, *folder;
} SmbQuestion;

/**
 * smb_desk_ask:
 * @copy: (out) (transfer full) (nullable): the text that was written for it, for smb_desk_clear() afterwards
 * @error: a file error: the text cannot be written
 *
 * Messages and results of the process call the file as it is called here; a text, by the last part of it.
 *
 * Returns: (transfer full): what the process does
 */
SmbChildLine *smb_desk_ask(SmbDesk *desk, const SmbQuestion *question, char **copy, GError **error);

/** smb_desk_clear: Removes the copy of a text (nullable). */
void smb_desk_clear(const char *copy);

/** smb_serve_environment: @runs: whether a FILE.cu that is a program may be run to find its launches. Returns: (transfer full): the
 * environment of the processes */
GStrv smb_serve_environment(gboolean runs);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbDesk, smb_desk_free)
