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
  const char *passed; // a letter for each argument
  guint returned;     // rows
  gboolean gives;     // pieces of memory
} Provided;

// NULL: it is none of the table.
const Provided *smb_provided_find(const char *name);

// A row of the table: Step.argument of STEP_SERVICE.
guint32 smb_provided_number(const Provided *provided);
const Provided *smb_provided_row(guint32 number);

// The row of an argument, after those that *@rows counts, which then counts it as well; its bytes.
guint smb_provided_place(char letter, guint *rows, guint *bytes);

// Rows of all arguments.
guint smb_provided_rows(const Provided *provided);

// Whether any other function of that name is known not to touch shared memory: what a run does not have (STEP_UNSUPPORTED).
gboolean smb_provided_is_harmless(const char *name);
