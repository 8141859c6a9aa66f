// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Between the walk through a text (walk.c) and what is proved of the requests that it meets (proof.c).
#pragma once

#include "sim/cuda/proof/proof.h"
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
 * @kept: what lives as long as it
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
