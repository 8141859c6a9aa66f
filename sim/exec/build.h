// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How all decoders make code. A decoder sets the place and the guard of an instruction (Builder), reads its operands
// into rows, and calls the function for what the instruction does. Only these functions know which fields of a step, a
// transfer and a Move that takes, and how one field follows from another.
#pragma once

#include "sim/exec/code.h"

// Makes an empty program with the regions that all have; smb_program_init() has been called.
void smb_code_init(Code *code);
void smb_code_clear(Code *code);

// New registers, which nothing is known of.
Row smb_code_new_rows(Code *code, guint n);
Predicate smb_code_new_predicate(Code *code);
// A transfer, a bulk and a product of the code, which nothing is known of yet.
Transfer *smb_code_new_transfer(Code *code);
Bulk *smb_code_new_bulk(Code *code, SmbTraffic kind, guint quantum);
Product *smb_code_new_product(Code *code);
TensorStep *smb_code_new_tensor(Code *code);
// The next step of the code, and one that is there.
void smb_code_add(Code *code, Step *step);
Step *smb_code_step(Code *code, guint32 number);
// What a step that is not a computation writes: @n rows from @row on; a predicate.
void smb_code_writes_row(Code *code, Step *step, Row row, guint n);
void smb_code_writes_predicate(Code *code, Step *step, Predicate predicate);
// Once all is decoded: what the code as a whole decides. Loads and atomics of memory that other threads change become
// steps of their own, and sites of shared memory are said to be (SmbSite.is_shared).
void smb_code_finish(Code *code);
// Whether there is such a step.
gboolean smb_code_has(const Code *code, StepOpcode opcode);
// The region that malloc gives pieces of, unless there is one.
void smb_code_add_heap(Code *code);
// The next parameter: one that may be a pointer is one, unless it is given a value. Compiled code has no names for
// them: @name and @type, for messages, outlive the code.
void smb_code_add_parameter(Code *code, const char *name, const char *type, ParameterPlace place,
                            gboolean is_pointer);

// --- steps of an instruction

/**
 * Builder: what all steps of an instruction have in common
 * @code: they are added to it
 * @add_site: (nullable): adds a site for an access of @width bytes a lane, and returns its number; NULL: accesses are
 *   not the program's own (they save registers of a call), and have no site
 * @decoder: for @add_site
 * @place: in the source
 * @guard, @unless: as of a Step
 */
typedef struct {
  Code *code;
  guint (*add_site)(gpointer decoder, SmbOpClass op_class, guint width);
  gpointer decoder;
  guint32 place;
  Predicate guard;
  gboolean unless;
} Builder;

// A step of the instruction, to be added by smb_code_add().
Step smb_build_step(const Builder *builder, StepOpcode opcode);
// Adds a step with only a number, Step.argument; or with a row, Compute.s[0], and a number: a jump to an address, a
// mask of lanes.
void smb_build_plain(const Builder *builder, StepOpcode opcode, guint32 argument);
void smb_build_with(const Builder *builder, StepOpcode opcode, Row row, guint32 argument);
void smb_build_branch(const Builder *builder, StepOpcode opcode, guint32 target);

// A computation. @is_among: if lanes exchange values in it (smb_compute_has_members()), it is a STEP_EXCHANGE among the
// lanes of the mask in @members, or among the active lanes (NO_ROW).
void smb_build_compute(const Builder *builder, const Compute *compute, gboolean is_among,
                       Row members);
// Lists a shuffle; the computation that moves the values follows.
void smb_build_shuffle(const Builder *builder);

// A product of matrices: whose form and rows are set, but for the rule of @chip (90 of sm_90).
void smb_build_product(const Builder *builder, Product *product, guint chip);

// Columns of tensor memory are given, or taken back. Returns the row of their address. @site: where findings say that it is
// @blocks: 2: in both blocks of the pair, and in the same place
Row smb_build_tensor_allocate(const Builder *builder, Row columns, guint blocks);
void smb_build_tensor_free(const Builder *builder, Row address, Row columns, const Transfer *site);
// STEP_TENSOR_LOAD, …: what @tensor says (smb_code_new_tensor()). @site: where it is listed, if it reads shared memory, and findings say that it is; (nullable) of STEP_TENSOR_SHIFT
void smb_build_tensor(const Builder *builder, StepOpcode opcode, const TensorStep *tensor,
                      const Transfer *site);
// The same of what the first lane executes for its warp: TENSOR_OF_WARP
void smb_build_tensor_of_warp(const Builder *builder, StepOpcode opcode, const TensorStep *tensor,
                              const Transfer *site);

// --- requests. The caller has set the address, the components and their rows of the transfer
// (smb_code_new_transfer()). A load or an atomic writes the rows of Transfer.data.

// @is_generic: the instruction names no state space.
void smb_build_access(const Builder *builder, Transfer *transfer, gboolean loads,
                      gboolean is_generic);

/**
 * AtomicAccess: what differs between atomics
 * @width: bytes of all components
 * @is_used: its result is read
 * @is_cast: a compare-and-swap whose result is only whether it succeeded: 1 in the row @done (NO_ROW: nowhere), and
 *   true in @done_p (PREDICATE_TRUE: nowhere)
 */
typedef struct {
  Atomic atomic;
  SmbScalar kind;
  guint width;
  gboolean is_used;
  gboolean is_cast;
  Row done;
  Predicate done_p;
} AtomicAccess;

void smb_build_atomic(const Builder *builder, Transfer *transfer, const AtomicAccess *access);

// @n matrices of 8 rows: 1, 2 or 4, a row of each. @values: MatrixValues
void smb_build_matrix(const Builder *builder, Transfer *transfer, gboolean loads, guint n,
                      guint values);
// A copy from global memory of @width bytes a lane. @is_past_cache: it bypasses the first-level cache (cp.async.cg).
void smb_build_copy(const Builder *builder, Transfer *to, Transfer *from, guint width,
                    gboolean is_past_cache);

// --- shared memory apart from requests

// A transfer with a site of its own, at which an instruction is listed.
Transfer *smb_build_apart(const Builder *builder, SmbOpClass op_class, guint width);
// An end of a copy that is listed at @site, or its mbarrier (SMB_OP_CLASS_ATOMIC).
Transfer *smb_build_end(const Builder *builder, const Transfer *site, SmbOpClass op_class);
// STEP_BULK, STEP_BULK_ONCE or STEP_FRAGMENT, listed at @site; to be added by smb_code_add().
Step smb_build_bulk(const Builder *builder, StepOpcode opcode, const Transfer *site,
                    const Bulk *bulk);
// An operation on the mbarrier @at: STEP_MBARRIER, STEP_MBARRIER_ONCE or STEP_ARRIVE. @number: its operand, one row;
// @phase: the parity that it begins with, of MBARRIER_INIT; @state: two rows for the resulting state; each may be NO_ROW.
void smb_build_mbarrier(const Builder *builder, StepOpcode opcode, Transfer *at, guint action,
                        Row number, Row phase, Row state);
// The same on one of each block of the cluster that a row names, as bits, without an operand or a result.
void smb_build_mbarrier_each(const Builder *builder, Transfer *at, guint action, Row blocks);
// A test of its phase (MBARRIER_PARITY, MBARRIER_STATE), with the answer in @p.
void smb_build_mbarrier_wait(const Builder *builder, Transfer *at, guint how, Row phase,
                             Predicate p);

// --- textures and surfaces

// What nothing is set of but the kind; of the code.
Sampling *smb_build_sampling(const Builder *builder, SamplingKind kind);
// Its step.
void smb_build_sample(const Builder *builder, const Sampling *sampling);

// --- where threads meet

/**
 * ThreadBarrier: a barrier of the block
 * @action: BARRIER_SYNC, …
 * @number: of the barrier, a row
 * @threads: how many it waits for, a row; NO_ROW: all of the block
 * @in, @is_negated: what a thread contributes to the result
 * @d, @p: the result: a row for BARRIER_POPC, else a predicate
 */
typedef struct {
  guint action;
  Row number, threads;
  Predicate in;
  gboolean is_negated;
  Row d;
  Predicate p;
} ThreadBarrier;

void smb_build_barrier(const Builder *builder, const ThreadBarrier *barrier);
