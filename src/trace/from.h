// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The requests of a kernel as a trace.
#pragma once

#include "src/target/target.h"

/**
 * smb_trace_from:
 * @file: a kernel, launched as the options of the command line say
 * @error: as of smb_target_new() and smb_analysis_run()
 *
 * Writes each request of shared memory, in the format that trace reads, with its place and warp as a comment. Requests
 * that are not known (--unknown skip) are missing, which a message says.
 */
gboolean smb_trace_from(SmbCli *cli, const char *file, GError **error);
