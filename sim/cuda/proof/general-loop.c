// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loops: executed while their conditions are known, and then in general.
#include <string.h>

#include "sim/cuda/parse/parse.h"
#include "sim/cuda/proof/impl.h"

enum {
  MAX_ITERATIONS = 4096,
  MAX_ROUNDS = 16, // until it is known what a loop changes
};

// Whether all that are active are so by the same condition.
static gboolean
is_same_condition(const Walk *walk, const Term *condition, const Term *active) {
  Term first = 0;
  gboolean any = FALSE;
  for (guint i = 0; i < walk->prover->n; i++) {
    if (!active[i])
      continue;
    if (any && condition[i] != first)
      return FALSE;
    first = condition[i];
    any = TRUE;
  }
  return TRUE;
}

static gboolean
all_known(const Walk *walk, const Term *condition, const Term *active) {
  for (guint i = 0; i < walk->prover->n; i++) {
    if (active[i] && !smb_walk_knows(walk, condition[i]))
      return FALSE;
  }
  return TRUE;
}

// One iteration, whose accesses count only if @walk->quiet is 0. @inside: whose it is; @left: who left the loop, to which those are added that do
static void
iterate(Walk *walk, const Statement *loop, Term *inside, Term *left) {
  const Loop *outer = walk->loop;
  const Loop here = {smb_walk_copy_lanes(walk, inside), smb_walk_new_lanes(walk), left};
  walk->loop = &here;
  smb_walk_execute(walk, loop->then, inside);
  for (guint i = 0; i < walk->prover->n; i++)
    inside[i] = here.continued[i] ? here.continued[i] : inside[i];
  if (loop->step)
    smb_walk_evaluate(walk, loop->step, inside);
  walk->loop = outer;
}

// What a loop does to a local: whether it assigns to it; by how much it changes in each iteration, if by the same; whether it is the
// same for all threads.
typedef struct {
  guint8 *assigned;
  Term **steps; // or NULL
  guint8 *uniform;
} Change;

static void
set_heads(Walk *walk, const Term *start, const Change *change, Term counter, guint32 place) {
  for (guint slot = 0; slot < walk->kernel->locals->len; slot++) {
    Term shared = smb_prover_fresh(walk->prover, place);
    for (guint i = 0; i < walk->prover->n; i++) {
      Term first = start[(gsize)slot * walk->prover->n + i], *head = &walk->locals[slot][i];
      if (!change->assigned[slot])
        *head = first;
      else if (change->steps[slot])
        *head = smb_term_add(
            walk->prover->terms, first,
            smb_term_mul(walk->prover->terms, change->steps[slot][i], counter, place), 1);
      else
        *head = change->uniform[slot] ? shared : smb_prover_fresh(walk->prover, place);
    }
  }
}

// Whether a sum has only atoms from before a loop.
static gboolean
is_older(const Walk *walk, Term term, guint n_atoms) {
  const Sum *sum = smb_term_sum(walk->prover->terms, term);
  return sum->n == 0 || sum->parts[sum->n - 1].atom < n_atoms;
}

// An iteration from what the heads are, to see what it leaves; FALSE: it assigns to more than was known.
static gboolean
try_iteration(Walk *walk, const Statement *loop, const Term *active, Change *change,
              Term *condition) {
  guint n = walk->kernel->locals->len;
  g_autofree guint8 *outer = walk->assigned;
  gboolean is_whole = TRUE;
  walk->assigned = g_new0(guint8, n + 1);
  walk->quiet++;
  Term *inside = smb_walk_copy_lanes(walk, active);
  if (loop->value && loop->tests_first)
    memcpy(condition, smb_walk_evaluate(walk, loop->value, inside), walk->prover->n * sizeof(Term));
  for (guint i = 0; i < walk->prover->n; i++)
    inside[i] = active[i] ? smb_prover_fresh(walk->prover, loop->start) : 0;
  iterate(walk, loop, inside, smb_walk_new_lanes(walk));
  if (loop->value && !loop->tests_first)
    memcpy(condition, smb_walk_evaluate(walk, loop->value, active), walk->prover->n * sizeof(Term));
  walk->quiet--;
  for (guint slot = 0; slot < n; slot++) {
    is_whole = is_whole && walk->assigned[slot] <= change->assigned[slot];
    change->assigned[slot] |= walk->assigned[slot];
    outer[slot] |= walk->assigned[slot];
  }
  g_free(walk->assigned);
  walk->assigned = g_steal_pointer(&outer);
  return is_whole;
}

// Which locals change by the same in each iteration, whatever the others are.
static void
find_steps(Walk *walk, const Term *heads, const Term *active, const Change *change, guint n_atoms) {
  for (guint slot = 0; slot < walk->kernel->locals->len; slot++) {
    Term *steps = smb_walk_new_lanes(walk);
    gboolean is_step = change->assigned[slot];
    for (guint i = 0; is_step && i < walk->prover->n; i++) {
      if (!active[i])
        continue;
      steps[i] = smb_term_add(walk->prover->terms, walk->locals[slot][i],
                              heads[(gsize)slot * walk->prover->n + i], G_MAXUINT32);
      is_step = is_older(walk, steps[i], n_atoms);
    }
    change->steps[slot] = is_step ? steps : NULL;
  }
}

// A loop whose condition is not known, in general. What it has done before is in @start.
static void
generalize(Walk *walk, const Statement *loop, Term *active) {
  guint n = walk->kernel->locals->len, n_atoms = walk->prover->terms->atoms->len;
  const Term *start = smb_walk_copy_locals(walk), *heads = start;
  g_autofree guint8 *assigned = g_new0(guint8, n + 1), *uniform = g_new0(guint8, n + 1);
  g_autofree Term **steps = g_new0(Term *, n + 1);
  Change change = {assigned, steps, uniform};
  Term *condition = smb_walk_new_lanes(walk);
  const Atom counter_atom = {ATOM_COUNTER, ++walk->prover->n_fresh, {0}, loop->start};
  gboolean is_whole = FALSE;
  for (guint round = 0; !is_whole && round < MAX_ROUNDS; round++) {
    memset(steps, 0, n * sizeof *steps);
    set_heads(walk, start, &change, 0, loop->start);
    heads = smb_walk_copy_locals(walk);
    is_whole = try_iteration(walk, loop, active, &change, condition);
  }
  find_steps(walk, heads, active, &change, n_atoms);
  for (guint slot = 0; slot < n; slot++)
    uniform[slot] = assigned[slot] && !steps[slot] &&
                    is_same_condition(walk, start + (gsize)slot * walk->prover->n, active);
  Term counter = smb_term_atom(walk->prover->terms, &counter_atom);
  gboolean is_stable = FALSE;
  while (is_whole && !is_stable && !walk->prover->proof->stopped) {
    is_stable = TRUE;
    set_heads(walk, start, &change, counter, loop->start);
    try_iteration(walk, loop, active, &change, condition);
    for (guint slot = 0; slot < n; slot++) {
      if (uniform[slot] && !is_same_condition(walk, walk->locals[slot], active)) {
        uniform[slot] = FALSE;
        is_stable = FALSE;
      }
    }
  }
  if (!is_whole)
    smb_prover_stop(walk->prover, loop->start, "it is not known what a loop changes");
  gboolean together =
      is_same_condition(walk, condition, active) && is_same_condition(walk, active, active);
  Term in_loop = smb_prover_fresh(walk->prover, loop->start),
       *inside = smb_walk_copy_lanes(walk, active);
  set_heads(walk, start, &change, counter, loop->start);
  if (loop->value && loop->tests_first)
    smb_walk_evaluate(walk, loop->value, active);
  for (guint i = 0; i < walk->prover->n; i++)
    inside[i] = active[i] ? together ? in_loop : smb_prover_fresh(walk->prover, loop->start) : 0;
  walk->general++;
  iterate(walk, loop, inside, smb_walk_new_lanes(walk));
  if (loop->value && !loop->tests_first)
    smb_walk_evaluate(walk, loop->value, inside);
  walk->general--;
  const Atom end_atom = {ATOM_COUNTER, ++walk->prover->n_fresh, {0}, loop->start};
  if (!together) {
    memset(steps, 0, n * sizeof *steps);
    memset(uniform, 0, n);
  }
  set_heads(walk, start, &change, smb_term_atom(walk->prover->terms, &end_atom), loop->start);
}

void
smb_walk_loop(Walk *walk, const Statement *loop, Term *active) {
  Term *inside = smb_walk_copy_lanes(walk, active), *left = smb_walk_new_lanes(walk);
  for (guint round = 0; smb_prover_has_any(walk->prover, inside) && !walk->prover->proof->stopped;
       round++) {
    if (loop->tests_first || round > 0) {
      const Term *before = smb_walk_copy_locals(walk);
      walk->quiet++;
      const Term *condition = loop->value ? smb_walk_evaluate(walk, loop->value, inside) : NULL;
      walk->quiet--;
      if (!condition || round == MAX_ITERATIONS || !all_known(walk, condition, inside)) {
        smb_walk_restore_locals(walk, before);
        generalize(walk, loop, inside);
        break;
      }
      smb_walk_restore_locals(walk, before);
      smb_walk_evaluate(walk, loop->value, inside);
      for (guint i = 0; i < walk->prover->n; i++) {
        left[i] = inside[i] && !smb_walk_number(walk, condition[i]) ? inside[i] : left[i];
        inside[i] = inside[i] && smb_walk_number(walk, condition[i]) ? inside[i] : 0;
      }
    }
    if (!smb_prover_has_any(walk->prover, inside))
      break;
    iterate(walk, loop, inside, left);
  }
  for (guint i = 0; i < walk->prover->n; i++)
    active[i] = left[i] ? left[i] : inside[i];
}
