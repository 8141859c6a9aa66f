// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// list archs: the architectures, and the rules of each with the evidence for them.
#pragma once

#include "src/cli/cli.h"

/** Lists all architectures, a row each. */
gboolean smb_list_archs(SmbCli *cli, GError **error);

/** Lists the rules of the named architectures; @names ends with NULL; @legends: in text, what the columns mean. */
gboolean smb_list_rules(SmbCli *cli, const char *const *names, gboolean legends, GError **error);
