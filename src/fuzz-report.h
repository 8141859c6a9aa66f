// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How the result of fuzzing is written.
#pragma once

#include "src/cli.h"
#include "src/fuzz.h"

G_BEGIN_DECLS

/** Writes the report in the format of @cli. CSV has no place for mismatches: they are messages. */
void smb_fuzz_report_write(SmbCli *cli, const SmbMeter *meter, const SmbArch *arch,
                           const SmbFuzzOptions *options, const SmbFuzzReport *report);

/** Sum over the instructions that were measured. */
SmbFuzzResult smb_fuzz_report_total(const SmbFuzzReport *report);

G_END_DECLS
