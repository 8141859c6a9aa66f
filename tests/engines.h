// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A text that is run by both of its executors, as long as there are two: what comes out has to be the same.
#pragma once

#include "tests/kernel-run.h"

// Runs @text as steps, and fails the test if that is another result than @run. SMEMBANK_ENGINES: a file that gets a line for each
// text: "lowered", or what of it has no steps.
void engines_compare(const KernelRun *run, const char *name, const char *text,
                     const KernelSetup *setup);
