// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How the result of fuzzing is written.
#pragma once

#include "src/cli/cli.h"
#include "src/fuzz/fuzz.h"

/** What is written: what was asked of which device, and what it said. */
typedef struct {
  const SmbMeter *meter;
  const SmbArch *arch;
  const SmbFuzzOptions *options;
  const SmbFuzzReport *report;
} SmbFuzzOutcome;

/** The formats of an SmbFuzzOutcome. CSV has no place for mismatches: they are messages. */
extern const SmbFormat smb_fuzz_formats[];

/** Sum over the instructions that were measured. */
SmbFuzzResult smb_fuzz_report_total(const SmbFuzzReport *report);
