// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Straight-line kernels of PTX at random, of all instructions that compute (sim/ptx/isa/instructions.def, and the families
// that sim/ptx/isa/computation.c finds), and what our machine computes of them. The results of all instructions are kept:
// to be compared with what a device computes.
#pragma once

#include <glib.h>

/**
 * RandomOpcodes: opcodes with all their modifiers, "add.rn.ftz.f32"
 * @names: (element-type utf8)
 * @lines: (element-type guint): the line of the tables that each is of
 * @n_lines: of the tables
 */
typedef struct {
  GPtrArray *names;
  GArray *lines;
  guint n_lines;
} RandomOpcodes;

// All that sim/ptx can decode, more than PTX has: an assembler knows which of them there are (transfer full).
RandomOpcodes *random_opcodes_new(void);
void random_opcodes_free(RandomOpcodes *opcodes);

// Keeps those that are lines of a text; FALSE if there are none.
gboolean random_opcodes_keep(RandomOpcodes *opcodes, const char *text);

// What stands in a line of the tables: "add cc u32|s32" (transfer none).
const char *random_opcodes_line(guint line);

// A module with one instruction of each opcode, a line each, the first in line RANDOM_PROBE_LINE (transfer full).
#define RANDOM_PROBE_LINE 7
char *random_opcodes_probe(const RandomOpcodes *opcodes, const char *target);

enum {
  RANDOM_INSTRUCTIONS = 60, // of a kernel
  RANDOM_THREADS = 256,     // of a block
  RANDOM_MAX_SOURCES = 8,
};

/**
 * RandomResult: a register that an instruction writes
 * @name: of the register
 * @bytes: 2, 4 or 8; 0: a predicate, which is kept as 0 or 1
 * @opcode: its number in RandomOpcodes
 * @text: the instruction
 * @is_approximate: the instruction is one whose results PTX does not define to the last bit
 * @is_between_lanes: it depends on its sources in all lanes of the warp
 * @sources, @n_sources: results that it depends on
 */
typedef struct {
  char name[8];
  guint bytes;
  guint opcode;
  char *text;
  gboolean is_approximate;
  gboolean is_between_lanes;
  guint sources[RANDOM_MAX_SOURCES];
  guint n_sources;
} RandomResult;

/**
 * RandomPtx: a kernel k(out, in) for blocks of RANDOM_THREADS threads
 * @text: the module
 * @results: (element-type RandomResult): result i of thread t is in out[], 8 bytes each, at i * threads + t
 * @n_inputs: likewise of in[]: input i of thread t
 */
typedef struct {
  char *text;
  GArray *results;
  guint n_inputs;
} RandomPtx;

// @n_threads: of all blocks, whole ones.
RandomPtx *random_ptx_new(const RandomOpcodes *opcodes, const char *target, guint32 seed,
                          guint n_threads);
void random_ptx_free(RandomPtx *ptx);

// The bytes of in[]: numbers of all kinds, those that break things among them (transfer full).
GBytes *random_ptx_inputs(const RandomPtx *ptx, guint32 seed, guint n_threads);

/**
 * RandomOutcome: what a kernel leaves in out[]
 * @values: of result i and thread t: [i * threads + t]
 * @known: (element-type guint8): likewise; 0: our machine does not say
 */
typedef struct {
  guint64 *values;
  guint8 *known;
} RandomOutcome;

// Runs it on our machine; if there is an @image, for the architecture @target, the machine code of that.
gboolean random_ptx_run(const RandomPtx *ptx, GBytes *image, const char *target, GBytes *inputs,
                        guint n_threads, RandomOutcome *outcome, GError **error);
void random_outcome_clear(RandomOutcome *outcome);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RandomOpcodes, random_opcodes_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RandomPtx, random_ptx_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RandomOutcome, random_outcome_clear)
