// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions that the device's run-time system provides (runtime-function.def). Where a launch is only counted, what they do is taken not to
// matter: their results are not known.
// Private to sim/exec and the front ends that make steps.
#pragma once

#include "sim/exec/step.h"

typedef struct {
  const char *name;
  StepOpcode opcode;
  guint passed;   // rows
  guint returned; // rows
} Provided;

// NULL: it is none of the table.
const Provided *smb_provided_find(const char *name);

// Whether any other function of that name is known not to touch shared memory: what a run does not have (STEP_UNSUPPORTED).
gboolean smb_provided_is_harmless(const char *name);
