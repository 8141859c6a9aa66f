// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What list lists from files of its own: the architectures, the rules of each with the evidence for them, devices, and
// the kernels of a file.
#pragma once

#include "src/cli/cli.h"

/** Lists all architectures, a row each. */
gboolean smb_list_archs(SmbCli *cli, GError **error);

/** Lists the rules of architectures; @words: NULL-terminated, as --arch takes them; @legends: in text, what the columns mean. */
gboolean smb_list_rules(SmbCli *cli, const char *const *words, gboolean legends, GError **error);

/** Lists the kernels of a file of compiled code; "-" is standard input. */
gboolean smb_list_entries(SmbCli *cli, const char *file, GError **error);

/** Lists the launches of a capture. */
gboolean smb_list_launches(SmbCli *cli, const char *file, GError **error);

/** Lists what this machine has to measure with, and what it lacks. */
gboolean smb_list_devices(SmbCli *cli, GError **error);
