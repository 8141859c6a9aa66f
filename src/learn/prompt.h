// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Questions to the user, one line each: from a terminal, or from a pipe.
#pragma once

#include "src/cli/cli.h"

/** Longest line that is read, in bytes; what is longer is cut off. */
#define SMB_PROMPT_MAX_LINE 4096

typedef struct _SmbPrompt SmbPrompt;

/** smb_prompt_new: Returns: (transfer full): a reader of standard input */
SmbPrompt *smb_prompt_new(void);
void smb_prompt_free(SmbPrompt *prompt);

/**
 * smb_prompt_ask:
 * @cli: what it has written so far is shown first
 * @question: what to ask, on the line of the answer
 * @line: (out) (transfer full): the answer without white space around it; %NULL at the end of the
 *   input
 * @error: a file error
 *
 * Where no terminal shows what is typed, the answer is written behind the question.
 */
gboolean smb_prompt_ask(SmbPrompt *prompt, SmbCli *cli, const char *question, char **line,
                        GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPrompt, smb_prompt_free)
