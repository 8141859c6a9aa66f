// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an instruction of PTX computes, written a second time from the PTX ISA, by the words of its opcode, slowly.
#pragma once

#include "tests/compute-run.h"

// Fills in the results of @run; FALSE if the ISA does not say what they are. @table: the constant of lop3.
gboolean oracle_compute(const char *opcode, guint table, RunLane *run);

// The same of floating point (tests/compute-real.c), and whether an instruction is one of those.
gboolean oracle_compute_real(const char *opcode, RunLane *run);
gboolean oracle_is_real(const char *opcode);

// Bits of the result that an instruction writes; 0: it writes predicates.
guint oracle_result_bits(const char *opcode);
