// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the library's hints are on the command line: options; of a case: its keys; of a tool: its arguments. The only place that knows
// which.
#pragma once

#include "sim/base/error.h"

/** The variable that has hints given as arguments of a tool, in place of options, and its value: set by src/mcp for its processes. */
#define SMB_HINT_VARIABLE  "SMEMBANK_HINTS"
#define SMB_HINT_ARGUMENTS "arguments"

/** smb_cli_write_hint: Returns: (transfer full): @message with the option that @hint is, at the end of its first line */
char *smb_cli_write_hint(const char *message, const SmbHint *hint);

/** smb_cli_error_text: Returns: (transfer full): what a user is told of an error: its message, with its hints as options */
char *smb_cli_error_text(const GError *error);

/** smb_cli_case_error_text: Returns: (transfer full): the same of a case of a project, with its hints as keys: "arg = n=VALUE" */
char *smb_cli_case_error_text(const GError *error);
