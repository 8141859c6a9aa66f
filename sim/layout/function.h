// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A layout as a function: from a coordinate to an index, and from there, step by step, to the place. What the readers of notations fill
// and sim/layout/tile.c evaluates. Private to sim/layout.
#pragma once

#include "sim/layout/expression.h"
#include "sim/layout/tile.h"

/** What makes an index of a coordinate. */
typedef enum {
  SMB_FUNCTION_ROWS,       /* row by row; the dimensions in @order, the fastest first */
  SMB_FUNCTION_TUPLE,      /* strides */
  SMB_FUNCTION_EXPRESSION, /* an expression */
  SMB_FUNCTION_BASES,      /* XOR of a place for each bit of a coordinate */
} SmbFunctionKind;

/** What is done to an index then. */
typedef enum {
  SMB_STEP_SWIZZLE, /* CuTe's Swizzle<B,M,S>: @bits, @base, @shift */
  SMB_STEP_ADD,     /* @amount is added */
  SMB_STEP_PAD,     /* after each @interval, @amount is left out */
  SMB_STEP_BYTES,   /* from elements to bytes: later steps are of these */
} SmbStepKind;

typedef struct {
  SmbStepKind kind;
  SmbLayout swizzle;
  gint64 amount;
  guint64 interval;
  guint index; // of a STEP_PAD: several of one list are of the index before all of them
} SmbFunctionStep;

/** Most bits of a coordinate, or of an index of SMB_FUNCTION_BASES. */
#define SMB_FUNCTION_BITS 20

/**
 * SmbFunction:
 * @vec, @per_phase, @max_phase: of Triton's swizzled_shared; @vec is 0 of others
 * @row_bytes: what a row may have at most; 0: anything
 * @is_divided: a longer row is divided: all rows of the first @row_bytes, then those of the next ones
 * @steps: (element-type SmbFunctionStep): in the order in which they are done
 * @bases: by dimension, then by bit
 * @at: byte offset of the notation in the source
 * @is_open, @is_assumed: as of SmbTile
 */
typedef struct {
  SmbFunctionKind kind;
  guint rank;
  guint64 extent[SMB_TUPLE_MAX_RANK];
  const SmbElement *element;
  guint order[SMB_TUPLE_MAX_RANK];
  guint64 vec, per_phase, max_phase;
  SmbTuple *tuple;
  SmbExpression *expression;
  guint64 bases[SMB_TUPLE_MAX_RANK][SMB_FUNCTION_BITS];
  GArray *steps;
  guint row_bytes;
  gboolean is_divided;
  guint32 at;
  gboolean is_open, is_assumed;
} SmbFunction;

/** smb_function_parse_triton: reads what comes after "#": an encoding of shared memory, without the shape after it */
gboolean smb_function_parse_triton(SmbNotation *notation, SmbFunction *function, GError **error);

/** smb_function_add_span: the swizzle of a tensor map in rows of 32, 64 or 128 bytes, @row_bytes: chunks of 16 bytes; 0: none */
void smb_function_add_span(SmbFunction *function, guint row_bytes);

/** smb_function_add: adds a step in front of those that are there (CuTe writes the last one first), or after them */
void smb_function_add(SmbFunction *function, const SmbFunctionStep *step, gboolean in_front);
