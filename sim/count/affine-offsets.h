// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The structure of what lanes access: one stride from lane to lane, or runs of lanes with a stride within
// and another from run to run, as the columns of a tile make them. And the arithmetic that follows: which
// lanes can meet in a bank at all. Structures are recognised exactly or not at all: what an XOR makes of
// indices, or data, is irregular here.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/base/request.h"

G_BEGIN_DECLS

typedef enum {
  SMB_AFFINE_IRREGULAR, /* none that is known here, or too few lanes to tell */
  SMB_AFFINE_STRIDE,    /* base + stride * lane */
  SMB_AFFINE_RUNS, /* base + stride * (i % run) + run_stride * (i / run), where i = lane + phase */
} SmbAffineKind;

/**
 * SmbAffine: the byte offsets of some lanes of a request
 * @lanes: these lanes
 * @base: byte offset of i = 0, whether a lane is there or not: may be negative
 * @stride: bytes from lane to lane (of a run); 0: all on one address; may be negative
 * @run: lanes of a whole run
 * @phase: lanes that the run of lane 0 has before it: a block that is not a multiple of @run wide
 * @run_stride: bytes from the start of a run to that of the next
 */
typedef struct {
  SmbAffineKind kind;
  SmbLanes lanes;
  gint64 base;
  gint64 stride;
  guint run;
  guint phase;
  gint64 run_stride;
} SmbAffine;

/**
 * smb_affine_find:
 * @request: a request
 * @lanes: those of its lanes that are looked at, such as a lane group
 *
 * One stride takes three lanes, or two neighbours; runs take four lanes, two runs of two at least: with fewer
 * anything would do. One stride goes before runs, and of runs the shortest.
 *
 * Returns: how the offsets of the active ones among @lanes are made
 */
SmbAffine smb_affine_find(const SmbRequest *request, SmbLanes lanes);

/** smb_affine_offset: Returns: the byte offset that the structure gives to a lane; not of an irregular one */
gint64 smb_affine_offset(const SmbAffine *affine, guint lane);

/**
 * smb_affine_runs:
 * @runs: (out) (array fixed-size=64): the lanes of each run that has any
 *
 * Returns: their number; of one stride 1
 */
guint smb_affine_runs(const SmbAffine *affine, SmbLanes runs[SMB_MAX_LANES]);

/**
 * smb_affine_run_span: Returns: runs from the first to the last that has an active lane, those between them that
 *   have none included; of one stride 1, without an active lane 0
 */
guint smb_affine_run_span(const SmbAffine *affine);

/**
 * SmbStride: what a stride does to the banks of a plan, for any lanes of one lane group
 * @units: the stride in units of the plan (a bank's word, or what one lane of a wide access asks for at
 *   once); only if it is a whole number of them
 * @banks: units that all banks together give
 * @gcd: greatest common divisor of @units and @banks; @banks if @units is 0
 * @reach: @banks / @gcd: how many places among the banks lanes can fall into. Two lanes ask the same bank if
 *   and only if their numbers differ by a multiple of it.
 */
typedef struct {
  gint64 units;
  guint banks;
  guint gcd;
  guint reach;
} SmbStride;

/**
 * smb_affine_stride:
 * @plan: the plan that serves the request
 * @stride: in bytes
 * @result: (out): what it does to banks
 *
 * Returns: %FALSE if the stride is not a whole number of units, or a row of the banks is not (12 bytes): then lanes do
 *   not go from bank to bank evenly
 */
gboolean smb_affine_stride(const SmbPlan *plan, gint64 stride, SmbStride *result);

G_END_DECLS
