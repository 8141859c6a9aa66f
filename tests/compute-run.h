// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Computing instructions on given operands, for the tests of sim/exec and sim/ptx/instruction.
#pragma once

#include "sim/ptx/instruction.h"

enum {
  RUN_SOURCES = COMPUTE_SOURCES,
  RUN_PREDICATES = 3,
};

// Operands and results of one lane; a 32-bit row is the low half of a number.
typedef struct {
  guint64 source[RUN_SOURCES];
  guint64 source_unknown[RUN_SOURCES];
  gboolean in[RUN_PREDICATES];
  gboolean in_unknown[RUN_PREDICATES];
  guint64 d, d_unknown;
  gboolean p, p_unknown, q, q_unknown;
} RunLane;

typedef struct _Runner Runner;

Runner *runner_new(guint n_lanes);
void runner_free(Runner *runner);
Registers *runner_registers(Runner *runner);

// Executes an instruction in @lanes; its operands are those of @run in the order in which PTX writes them.
void runner_run(Runner *runner, const ComputeForm *form, SmbLanes lanes, RunLane *run);

// The same of an opcode, "mad.lo.s32"; FALSE if there is none.
gboolean runner_find(const char *opcode, guint result_bytes, ComputeForm *form);

// A number of those that break things, or any.
guint64 runner_number(GRand *random);

// The bits of a floating-point number of one of the types that an opcode names, not too far from 1, or of two of 16 bits.
guint64 runner_real(GRand *random, const char *opcode);

// Calls @call for all ways to choose one of "a|b" at each place of "x a|b c", joined by points.
void runner_expand(const char *pattern, void (*call)(const char *opcode, gpointer user),
                   gpointer user);

// Calls @call for each opcode of the table and of the families that it does not list.
void runner_each_opcode(void (*call)(const char *opcode, gpointer user), gpointer user);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Runner, runner_free)
