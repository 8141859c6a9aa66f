// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/learn/prompt.h"

#include <string.h>
#include <unistd.h>

#include "src/cli/input.h"
#include "src/out/table.h"

struct _SmbPrompt {
  GInputStream *input; // opened with the first question
  gboolean echo;       // nobody else shows the answers
  gsize n, at;         // of buffer: bytes that were read, and those of them that are used
  char buffer[SMB_PROMPT_MAX_LINE];
};

SmbPrompt *
smb_prompt_new(void) {
  SmbPrompt *prompt = g_new0(SmbPrompt, 1);
  prompt->echo = !isatty(STDIN_FILENO);
  return prompt;
}

void
smb_prompt_free(SmbPrompt *prompt) {
  if (!prompt)
    return;
  g_clear_object(&prompt->input);
  g_free(prompt);
}

// Has bytes ready; @got is FALSE at the end of the input.
static gboolean
fill(SmbPrompt *prompt, gboolean *got, GError **error) {
  *got = prompt->at < prompt->n;
  if (*got)
    return TRUE;
  gssize n = g_input_stream_read(prompt->input, prompt->buffer, sizeof prompt->buffer, NULL, error);
  if (n < 0)
    return FALSE;
  prompt->at = 0;
  prompt->n = (gsize)n;
  *got = n > 0;
  return TRUE;
}

// Reads to the end of the line; a last line may end without a line feed.
static gboolean
read_line(SmbPrompt *prompt, GString *line, gboolean *ended, GError **error) {
  gboolean got, any = FALSE, complete = FALSE;
  do {
    if (!fill(prompt, &got, error))
      return FALSE;
    const char *from = prompt->buffer + prompt->at;
    gsize left = prompt->n - prompt->at;
    const char *feed = got ? memchr(from, '\n', left) : NULL;
    gsize length = feed ? (gsize)(feed - from) : left;
    gsize room = SMB_PROMPT_MAX_LINE - MIN(SMB_PROMPT_MAX_LINE, line->len);
    g_string_append_len(line, from, (gssize)MIN(length, room));
    prompt->at += length + (feed != NULL);
    any = any || got;
    complete = feed != NULL;
  } while (got && !complete);
  *ended = !any;
  return TRUE;
}

gboolean
smb_prompt_ask(SmbPrompt *prompt, SmbCli *cli, const char *question, char **line, GError **error) {
  g_autoptr(GString) text = g_string_new(NULL);
  gboolean ended;
  *line = NULL;
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, question);
  smb_spool_puts(cli->out, " ");
  if (!smb_cli_flush(cli, error))
    return FALSE;
  if (!prompt->input && !(prompt->input = smb_input_open("-", error)))
    return FALSE;
  if (!read_line(prompt, text, &ended, error)) {
    g_prefix_error(error, "stdin: ");
    return FALSE;
  }
  if (!ended) {
    // A zero byte ends the text, and invalid UTF-8 is marked.
    g_autofree char *valid = g_utf8_make_valid(text->str, -1);
    *line = g_strdup(g_strstrip(valid));
  }
  if (prompt->echo || ended)
    smb_spool_printf(cli->out, "%s\n", *line ? *line : "");
  return TRUE;
}
