// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/learn/prompt.h"

#include <unistd.h>

#include "src/cli/input.h"
#include "src/out/table.h"

struct _SmbPrompt {
  GInputStream *input; // opened with the first question; buffered
  gboolean echo;       // nobody else shows the answers
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

static gboolean
open_input(SmbPrompt *prompt, GError **error) {
  g_autoptr(GInputStream) raw = prompt->input ? NULL : smb_input_open("-", error);
  if (raw)
    prompt->input = g_buffered_input_stream_new(raw);
  return prompt->input != NULL;
}

// Reads to the end of the line; a last line may end without a line feed.
static gboolean
read_line(const SmbPrompt *prompt, GString *line, gboolean *ended, GError **error) {
  GBufferedInputStream *input = G_BUFFERED_INPUT_STREAM(prompt->input);
  g_autoptr(GError) failure = NULL;
  int byte;
  while ((byte = g_buffered_input_stream_read_byte(input, NULL, &failure)) >= 0 && byte != '\n') {
    if (line->len < SMB_PROMPT_MAX_LINE)
      g_string_append_c(line, (char)byte);
  }
  *ended = byte < 0 && line->len == 0;
  if (!failure)
    return TRUE;
  g_propagate_prefixed_error(error, g_steal_pointer(&failure), "stdin: ");
  return FALSE;
}

gboolean
smb_prompt_ask(SmbPrompt *prompt, SmbCli *cli, const char *question, char **line, GError **error) {
  g_autoptr(GString) text = g_string_new(NULL);
  gboolean ended;
  *line = NULL;
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, question);
  smb_spool_puts(cli->out, " ");
  if (!smb_cli_flush(cli, error) || !open_input(prompt, error) ||
      !read_line(prompt, text, &ended, error))
    return FALSE;
  if (!ended) {
    // A zero byte ends the text, and invalid UTF-8 is marked.
    g_autofree char *valid = g_utf8_make_valid(text->str, -1);
    *line = g_strdup(g_strstrip(valid));
  }
  if (prompt->echo || ended)
    smb_spool_printf(cli->out, "%s\n", *line ? *line : "");
  return TRUE;
}
