// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The commands: each is a function in src/NAME/command.c, and a row in the table of main.c; and the program that they
// make.
#pragma once

#include "src/cli/cli.h"

gboolean smb_cmd_advise(SmbCli *cli, GError **error);
gboolean smb_cmd_analyze(SmbCli *cli, GError **error);
gboolean smb_cmd_capture(SmbCli *cli, GError **error);
gboolean smb_cmd_check(SmbCli *cli, GError **error);
gboolean smb_cmd_compare(SmbCli *cli, GError **error);
gboolean smb_cmd_doctor(SmbCli *cli, GError **error);
gboolean smb_cmd_explain(SmbCli *cli, GError **error);
gboolean smb_cmd_fix(SmbCli *cli, GError **error);
gboolean smb_cmd_fuzz(SmbCli *cli, GError **error);
gboolean smb_cmd_init(SmbCli *cli, GError **error);
gboolean smb_cmd_layout(SmbCli *cli, GError **error);
gboolean smb_cmd_learn(SmbCli *cli, GError **error);
gboolean smb_cmd_list(SmbCli *cli, GError **error);
gboolean smb_cmd_lsp(SmbCli *cli, GError **error);
gboolean smb_cmd_mcp(SmbCli *cli, GError **error);
gboolean smb_cmd_merge(SmbCli *cli, GError **error);
gboolean smb_cmd_report(SmbCli *cli, GError **error);
gboolean smb_cmd_run(SmbCli *cli, GError **error);
gboolean smb_cmd_trace(SmbCli *cli, GError **error);
gboolean smb_cmd_validate(SmbCli *cli, GError **error);
gboolean smb_cmd_verify_proof(SmbCli *cli, GError **error);

/** The word that makes this program the process that measures for another one. */
#define SMB_WORKER_COMMAND "gpu-worker"

/** smb_worker_main: Returns: the exit status of that process */
int smb_worker_main(const SmbCuda *cuda);

/**
 * smb_main: the whole command line
 * @cuda: (transfer none): what the machine offers to measure with
 * @argc, @argv: those of main()
 *
 * Returns: the exit status of the program
 */
int smb_main(const SmbCuda *cuda, int argc, char **argv);
