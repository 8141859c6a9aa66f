// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch of a program that was run, as options for its text: a command that changes the text needs that, not a capture.
#pragma once

#include "src/run/stand-in.h"

/**
 * smb_launched_text_settle:
 * @argument: index of the argument FILE, which may be absent
 * @stand_in: (out) (nullable) (transfer full): must live as long as the command: it has the contents of buffers and the memory that structures point to; %NULL: FILE was not run
 * @error: SMB_ERROR_USAGE for an option; none of its launches was counted
 *
 * Runs FILE as smb_stand_in_open() does. Block, grid, arguments and contents of buffers are those of the launch with the most excess
 * wavefronts from then on, if the text has its kernel; else FILE is the capture.
 */
gboolean smb_launched_text_settle(SmbCli *cli, guint argument, SmbStandIn **stand_in,
                                  GError **error);
