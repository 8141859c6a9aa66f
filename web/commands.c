// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The program of the page: the commands that need neither another process nor a GPU, run as from a command line. What they read and write
// is a file system in memory.
#include "config.h"

#include "src/commands.h"

#include <string.h>

static const SmbCommand commands[] = {
    {"advise", smb_cmd_advise, ""},   {"analyze", smb_cmd_analyze, ""},
    {"explain", smb_cmd_explain, ""}, {"layout", smb_cmd_layout, ""},
    {"learn", smb_cmd_learn, ""},     {"list", smb_cmd_list, ""},
    {"report", smb_cmd_report, ""},
};

static gboolean
reject_page_command(SmbCli *cli, GError **error) {
  return smb_cli_usage_error(error, "no command '%s' in a browser", cli->argv[0]);
}

static const SmbCommand unknown = {"", reject_page_command, NULL};

int
main(int argc, char **argv) {
  static char none[] = "";
  char *words[] = {none, NULL};
  const SmbCommand *command = &unknown;
  for (guint i = 0; argc > 1 && i < G_N_ELEMENTS(commands); i++) {
    if (strcmp(commands[i].name, argv[1]) == 0)
      command = &commands[i];
  }
  return (int)smb_cli_run(command, smb_cuda_real(), argc > 1 ? argc - 1 : 1,
                          argc > 1 ? argv + 1 : words);
}
