// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The first lines of a result.
#pragma once

#include "src/target/target.h"

/** The heading of the text formats: kernel, block, grid, memory, architecture. */
void smb_analyze_write_heading(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis);
