// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The option --prove, for the commands that count a launch and those that check cases.
#pragma once

#include "src/cli/cli.h"

/** --prove, for SmbCliUsage.groups. */
extern const SmbCliGroup smb_prove_group;

/** smb_prove_is_asked: Returns: whether it was given */
gboolean smb_prove_is_asked(void);
