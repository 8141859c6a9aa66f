// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The case that a command line asks for: --case, or the line in the kernel's text.
#pragma once

#include "src/cli/cli.h"

/** For SmbCliUsage.cases. */
extern const SmbCliCases smb_cases;
