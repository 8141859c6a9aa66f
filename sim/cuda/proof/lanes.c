// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Values of all threads, which live as long as the walk.
#include <string.h>

#include "sim/cuda/proof/impl.h"

enum {
  MAX_TERMS = 4000000,
  MAX_KEPT = 1 << 28, // a gigabyte
};

static Term *
keep_terms(Walk *walk, gsize n) {
  Term *terms = g_new0(Term, n + 1);
  g_ptr_array_add(walk->kept, terms);
  walk->n_kept += n;
  if (walk->prover->terms->sums->len > MAX_TERMS || walk->n_kept > MAX_KEPT)
    smb_prover_stop(walk->prover, 0, "it takes too much memory");
  return terms;
}

Term *
smb_walk_new_lanes(Walk *walk) {
  return keep_terms(walk, walk->prover->n);
}

Term *
smb_walk_copy_lanes(Walk *walk, const Term *lanes) {
  Term *copy = smb_walk_new_lanes(walk);
  memcpy(copy, lanes, walk->prover->n * sizeof(Term));
  return copy;
}

Term *
smb_walk_copy_locals(Walk *walk) {
  guint n = walk->kernel->locals->len;
  Term *saved = keep_terms(walk, (gsize)n * walk->prover->n);
  for (guint slot = 0; slot < n; slot++)
    memcpy(saved + (gsize)slot * walk->prover->n, walk->locals[slot],
           walk->prover->n * sizeof(Term));
  return saved;
}

void
smb_walk_restore_locals(Walk *walk, const Term *saved) {
  for (guint slot = 0; slot < walk->kernel->locals->len; slot++)
    memcpy(walk->locals[slot], saved + (gsize)slot * walk->prover->n,
           walk->prover->n * sizeof(Term));
}
