// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Between the walk through a text (walk.c) and what is proved of the requests that it meets (kernel-proof.c).
#pragma once

#include "sim/cuda/proof/kernel-proof.h"
#include "sim/cuda/proof/term.h"
#include "sim/cuda/tree/ast.h"

/** Loop: an iteration of one that is executed: conditions of threads. */
typedef struct {
  const Term *entered;
  Term *continued;
  Term *left;
} Loop;

/**
 * Walk:
 * @n: threads of the block
 * @kept: what lives as long as it, @n_kept terms
 * @locals: values of threads, by slot
 * @assigned: by slot: what was assigned to
 * @current: the old value of the assignment around
 * @entered: (nullable): of the function that was called: with which threads
 * @quiet: above 0: accesses do not count
 * @general: above 0: in a loop whose conditions are not known
 * @seen: requests that were decided
 */
typedef struct {
  const SmbKernel *kernel;
  const SmbArch *arch;
  SmbKernelProof *proof;
  Terms *terms;
  guint block[3];
  guint n;
  guint64 n_fresh;
  GPtrArray *kept;
  gsize n_kept;
  Term **locals;
  guint8 *assigned;
  Term *current;
  const Term *entered;
  const Loop *loop;
  guint quiet;
  guint general;
  GHashTable *seen;
} Walk;

typedef enum {
  WALK_SHARED,
  WALK_OTHER,
  WALK_UNKNOWN,
} WalkSpace;

// Nothing behind this place is proved.
void smb_walk_stop(Walk *walk, guint32 place, const char *why);
// What an address points into.
WalkSpace smb_walk_space(const Walk *walk, Term address);
// An access of threads, in pieces of @width bytes.
void smb_walk_access(Walk *walk, gint site, guint width, guint bytes, const Term *address,
                     const Term *active);
// One that cannot be decided, if it asks for shared memory.
void smb_walk_refuse(Walk *walk, gint site, const Term *address, const Term *active,
                     const char *why);

void smb_walk_run(Walk *walk);

// --- between walk.c and general-loop.c: values and conditions of all threads are arrays of terms, which live as long as the walk

Term *smb_walk_new_lanes(Walk *walk);
Term *smb_walk_copy_lanes(Walk *walk, const Term *lanes);
// Something that is not known, and like nothing else.
Term smb_walk_fresh(Walk *walk, guint32 place);
gboolean smb_walk_is_any(const Walk *walk, const Term *active);
Term *smb_walk_evaluate(Walk *walk, const Node *node, const Term *active);
// @active: (inout): threads that have left are 0 behind it
void smb_walk_execute(Walk *walk, const Statement *statement, Term *active);
void smb_walk_loop(Walk *walk, const Statement *loop, Term *active);
// All locals, slot by slot.
Term *smb_walk_copy_locals(Walk *walk);
void smb_walk_restore_locals(Walk *walk, const Term *saved);

static inline gboolean
smb_walk_knows(const Walk *walk, Term term) {
  return smb_term_is_constant(walk->terms, term);
}

static inline gint32
smb_walk_number(const Walk *walk, Term term) {
  return (gint32)smb_term_sum(walk->terms, term)->constant;
}
