// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels that store what a function gives for many operands, and what the host's function gave (tests/sass-sweep.py makes
// both): each is run, and each result compared.
#pragma once

#include "sim/base/source.h"

/**
 * SweepCase: a kernel; its parameters are where results go, the operands in memory, and then numbers
 * @kind: what a result is, or a vector of: "bits", "f16", "bf16", "f32", "f64" or "e5m2", of which every NaN is as good as another;
 *   "none": the host has no such function, and results are only to be known; "digest": they are those of @digest
 * @slack: how many numbers may lie between two results, of a function that is approximate
 * @may_be_unknown: it is approximate, and need not be known
 * @columns: (element-type guint): calls, whose operands are in registers, constants, uniform registers or the instruction
 * @bytes: of a result; they lie 16 bytes apart, a column of threads for each call
 * @offset: of its expected results, which are packed
 * @digest: (nullable): SHA-256 of all results, one call after the other, in hexadecimal digits
 * @arguments: (array zero-terminated=1): "2=raw:…"
 */
typedef struct {
  char *name;
  char *kind;
  guint slack;
  gboolean may_be_unknown;
  GArray *columns;
  guint bytes;
  gsize offset;
  char *digest;
  char **arguments;
} SweepCase;

/**
 * Sweep:
 * @threads: of a block
 * @cases: (element-type SweepCase)
 * @inputs: operands in memory
 * @expected: results of the host
 */
typedef struct {
  guint threads;
  GPtrArray *cases;
  GBytes *inputs;
  GBytes *expected;
} Sweep;

/**
 * SweepResult: of a case
 * @refused: (nullable) (transfer full): why it was not run
 * @compared, @wrong, @unknown: results
 * @digest: (nullable) (transfer full): of all results
 * @example: (nullable) (transfer full): of wrong ones, or unknown ones
 */
typedef struct {
  char *refused;
  guint compared, wrong, unknown;
  char *digest;
  char *example;
} SweepResult;

// @manifest: "threads N", and a line for each case: "NAME KIND SLACK UNKNOWN COLUMN,COLUMN,… BYTES OFFSET ARGUMENT...", where the
// digest may stand for the offset. Of wrong ones
// NULL. The bytes are taken over.
Sweep *sweep_new(const char *manifest, GBytes *inputs, GBytes *expected);
void sweep_free(Sweep *sweep);

SweepResult sweep_run(const Sweep *sweep, const SweepCase *kernel, SmbSource *source,
                      const char *chip);
void sweep_result_clear(SweepResult *result);
