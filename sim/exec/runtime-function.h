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

// Which rows are taken by the arguments so far: each takes the first ones that are free, and is aligned. CUDA's compilers have 12 registers
// for them, and pass on the stack what does not fit into those that are left.
typedef struct {
  guint most; // rows that there are for them
  guint64 taken;
  guint stack_bytes;
} Passing;

enum {
  PASSED_REGISTERS = 12, // of machine code
  PASSED_ROWS = 64,      // where there is no limit
};

// The bytes of an argument.
guint smb_provided_bytes(char letter);

// Where the next argument is: its row, TRUE; or its offset on the stack, FALSE.
gboolean smb_provided_pass(Passing *passing, char letter, guint *place);

// Rows of all arguments, if all are in rows.
guint smb_provided_rows(const Provided *provided);

// Whether any other function of that name is known not to touch shared memory: what a run does not have (STEP_UNSUPPORTED).
gboolean smb_provided_is_harmless(const char *name);
