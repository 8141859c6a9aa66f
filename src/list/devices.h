// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// list devices: what this machine has to measure with, and what it lacks.
#pragma once

#include "src/cli/cli.h"

gboolean smb_list_devices(SmbCli *cli, GError **error);
