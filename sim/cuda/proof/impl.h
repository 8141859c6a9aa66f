// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The walk through a text (walk.c, general-loop.c), and the requests that it meets (text-request.c).
#pragma once

#include "sim/cuda/tree/ast.h"
#include "sim/proof/prover.h"

/** Loop: an iteration of one that is executed: conditions of threads. */
typedef struct {
  const Term *entered;
  Term *continued;
  Term *left;
} Loop;

/**
 * Walk:
 * @kept: what lives as long as it, @n_kept terms
 * @locals: values of threads, by slot
 * @assigned: by slot: what was assigned to
 * @current: the old value of the assignment around
 * @entered: (nullable): of the function that was called: with which threads
 * @quiet: above 0: accesses do not count
 * @general: above 0: in a loop whose conditions are not known
 */
typedef struct {
  SmbProver *prover;
  const SmbKernel *kernel;
  GPtrArray *kept;
  gsize n_kept;
  Term **locals;
  guint8 *assigned;
  Term *current;
  const Term *entered;
  const Loop *loop;
  guint quiet;
  guint general;
} Walk;

typedef enum {
  WALK_SHARED,
  WALK_OTHER,
  WALK_UNKNOWN,
} WalkSpace;

// What an address points into.
WalkSpace smb_walk_space(const Walk *walk, Term address);
// An access of threads, in pieces of @width bytes.
void smb_walk_access(Walk *walk, gint site, guint width, guint bytes, const Term *address,
                     const Term *active);
// An atomic, of the node of its function: decided if the chip has an instruction for it.
void smb_walk_atomic(Walk *walk, const Node *node, const Term *address, const Term *active);
// One that cannot be decided, if it asks for shared memory.
void smb_walk_refuse(Walk *walk, gint site, const Term *address, const Term *active,
                     const char *why);

// SmbFrontEnd.prove.
void smb_walk_prove(SmbProver *prover);

// --- between walk.c and general-loop.c: values and conditions of all threads are arrays of terms, which live as long as the walk

Term *smb_walk_new_lanes(Walk *walk);
Term *smb_walk_copy_lanes(Walk *walk, const Term *lanes);
Term *smb_walk_evaluate(Walk *walk, const Node *node, const Term *active);
// @active: (inout): threads that have left are 0 behind it
void smb_walk_execute(Walk *walk, const Statement *statement, Term *active);
void smb_walk_loop(Walk *walk, const Statement *loop, Term *active);
// All locals, slot by slot.
Term *smb_walk_copy_locals(Walk *walk);
void smb_walk_restore_locals(Walk *walk, const Term *saved);

static inline gboolean
smb_walk_knows(const Walk *walk, Term term) {
  return smb_term_is_constant(walk->prover->terms, term);
}

static inline gint32
smb_walk_number(const Walk *walk, Term term) {
  return (gint32)smb_term_sum(walk->prover->terms, term)->constant;
}
