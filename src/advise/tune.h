// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// advise --tune: what a kernel takes for each value of a macro of its own.
#pragma once

#include "gpu/meter.h"
#include "src/target/target.h"

/** The formats of --tune, for smb_cli_view(): the trials, the best first; and those of it with --measure. */
extern const SmbFormat smb_tuning_formats[], smb_tuning_measured_formats[];

/**
 * smb_advise_tune:
 * @options: as the user typed them
 * @file: (nullable): the argument FILE
 * @ranges: (array zero-terminated=1): "NAME=LO..HI"; of several, every combination is tried
 * @top: combinations that the text shows, and that are measured; the present one besides
 * @meter: (nullable): measures, by the rules of the architecture of @cli
 * @error: SMB_ERROR_USAGE; or that of the first value, if the kernel runs for none
 *
 * Writes the result in the format of @cli.
 */
gboolean smb_advise_tune(SmbCli *cli, const SmbTargetOptions *options, const char *file,
                         const char *const *ranges, guint top, SmbMeter *meter, GError **error);
