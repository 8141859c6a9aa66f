// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/proof/term.h"

#include <string.h>

static guint
hash_bytes(guint hash, gconstpointer data, gsize n) {
  const guint8 *bytes = data;
  for (gsize i = 0; i < n; i++)
    hash = hash * 33 + bytes[i];
  return hash;
}

static guint
hash_sum(gconstpointer data) {
  const Sum *sum = data;
  return hash_bytes(sum->constant * 2654435761u, sum->parts, sum->n * sizeof(Part));
}

static gboolean
sums_equal(gconstpointer a, gconstpointer b) {
  const Sum *x = a, *y = b;
  return x->constant == y->constant && x->n == y->n &&
         (x->n == 0 || memcmp(x->parts, y->parts, x->n * sizeof(Part)) == 0);
}

static guint
hash_atom(gconstpointer data) {
  const Atom *atom = data;
  return hash_bytes((guint)(atom->kind * 31 + atom->key * 2654435761u), atom->operand,
                    sizeof atom->operand);
}

static gboolean
atoms_equal(gconstpointer a, gconstpointer b) {
  const Atom *x = a, *y = b;
  return x->kind == y->kind && x->key == y->key &&
         memcmp(x->operand, y->operand, sizeof x->operand) == 0;
}

static void
free_sum(gpointer data) {
  Sum *sum = data;
  g_free(sum->parts);
  g_free(sum);
}

// Takes @parts.
static Term
intern_sum(Terms *terms, guint32 constant, Part *parts, guint n) {
  Sum key = {constant, n, parts};
  gpointer found;
  if (g_hash_table_lookup_extended(terms->sum_numbers, &key, NULL, &found)) {
    g_free(parts);
    return GPOINTER_TO_UINT(found);
  }
  Sum *sum = g_new(Sum, 1);
  *sum = key;
  g_ptr_array_add(terms->sums, sum);
  g_hash_table_insert(terms->sum_numbers, sum, GUINT_TO_POINTER(terms->sums->len - 1));
  return terms->sums->len - 1;
}

// The terms of 0 and 1 are 0 and 1.
Terms *
smb_terms_new(void) {
  Terms *terms = g_new0(Terms, 1);
  terms->sums = g_ptr_array_new_with_free_func(free_sum);
  terms->atoms = g_ptr_array_new_with_free_func(g_free);
  terms->sum_numbers = g_hash_table_new(hash_sum, sums_equal);
  terms->atom_numbers = g_hash_table_new(hash_atom, atoms_equal);
  smb_term_constant(terms, 0);
  smb_term_constant(terms, 1);
  return terms;
}

void
smb_terms_free(Terms *terms) {
  g_hash_table_unref(terms->sum_numbers);
  g_hash_table_unref(terms->atom_numbers);
  g_ptr_array_unref(terms->sums);
  g_ptr_array_unref(terms->atoms);
  g_free(terms);
}

Term
smb_term_constant(Terms *terms, guint32 value) {
  return intern_sum(terms, value, NULL, 0);
}

Term
smb_term_atom(Terms *terms, const Atom *atom) {
  gpointer found;
  guint32 number;
  if (g_hash_table_lookup_extended(terms->atom_numbers, atom, NULL, &found)) {
    number = GPOINTER_TO_UINT(found);
  } else {
    Atom *copy = g_memdup2(atom, sizeof *atom);
    number = terms->atoms->len;
    g_ptr_array_add(terms->atoms, copy);
    g_hash_table_insert(terms->atom_numbers, copy, GUINT_TO_POINTER(number));
  }
  Part *part = g_new(Part, 1);
  *part = (Part){number, 1};
  return intern_sum(terms, 0, part, 1);
}

Term
smb_term_add(Terms *terms, Term a, Term b, guint32 factor) {
  const Sum *x = smb_term_sum(terms, a), *y = smb_term_sum(terms, b);
  Part *parts = g_new(Part, x->n + y->n + 1);
  guint n = 0, i = 0, j = 0;
  while (i < x->n || j < y->n) {
    Part part = {0, 0};
    guint32 left = i < x->n ? x->parts[i].atom : G_MAXUINT32;
    guint32 right = j < y->n ? y->parts[j].atom : G_MAXUINT32;
    part.atom = left < right ? left : right;
    if (left == part.atom)
      part.factor += x->parts[i++].factor;
    if (right == part.atom)
      part.factor += y->parts[j++].factor * factor;
    if (part.factor)
      parts[n++] = part;
  }
  return intern_sum(terms, x->constant + y->constant * factor, parts, n);
}

Term
smb_term_mul(Terms *terms, Term a, Term b, guint32 place) {
  const Sum *x = smb_term_sum(terms, a), *y = smb_term_sum(terms, b);
  Term product = smb_term_add(terms, smb_term_constant(terms, 0), a, y->constant);
  const Term bare = smb_term_add(terms, b, smb_term_constant(terms, y->constant), G_MAXUINT32);
  product = smb_term_add(terms, product, bare, x->constant);
  for (guint i = 0; i < x->n; i++) {
    for (guint j = 0; j < y->n; j++) {
      guint32 low = MIN(x->parts[i].atom, y->parts[j].atom);
      guint32 high = MAX(x->parts[i].atom, y->parts[j].atom);
      const Term left = smb_term_atom(terms, smb_terms_atom(terms, low));
      const Term right = smb_term_atom(terms, smb_terms_atom(terms, high));
      const Atom atom = {ATOM_MUL, 0, {left, right, 0}, place};
      product = smb_term_add(terms, product, smb_term_atom(terms, &atom),
                             x->parts[i].factor * y->parts[j].factor);
    }
  }
  return product;
}

Term
smb_term_when(Terms *terms, Term a, Term b, gboolean no) {
  if (smb_term_is_constant(terms, b))
    return (smb_term_sum(terms, b)->constant != 0) != no ? a : 0;
  const Atom atom = {ATOM_UNKNOWN, no ? KEY_AND_NOT : KEY_AND, {a, b, 0}, 0};
  return smb_term_atom(terms, &atom);
}

Term
smb_term_choose(Terms *terms, Term condition, Term yes, Term no) {
  if (yes == no)
    return yes;
  if (smb_term_is_constant(terms, condition))
    return smb_term_sum(terms, condition)->constant ? yes : no;
  const Atom atom = {ATOM_UNKNOWN, KEY_CHOICE, {condition, yes, no}, 0};
  return smb_term_atom(terms, &atom);
}
