// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Values of a thread as sums modulo 2^32: a constant, plus atoms times constants. An atom is a name for a value that is not known, such as
// a parameter, or an operation on values of which one is not known. Equal operations on equal values are one atom, so that
// equal sums are equal values. What sums say of 64-bit values are their low 32 bits. Private to what proves.
#pragma once

#include <glib.h>

typedef enum {
  ATOM_SHARED,    // where shared memory begins
  ATOM_MEMORY,    // where other memory begins
  ATOM_PARAMETER, // key: its number
  ATOM_BLOCK,     // key: 0 to 2
  ATOM_GRID,
  ATOM_COUNTER, // iterations of a loop before this one: the same for all threads; key: which loop
  ATOM_UNKNOWN, // operation: of a node, on operands; it may be anything
  ATOM_MUL,     // from here on the low bits are decided by low bits of the operands
  ATOM_AND,
  ATOM_OR,
  ATOM_XOR,
  ATOM_SHR, // by operand b, a constant
} AtomKind;

// Keys of %ATOM_UNKNOWN that are operations on conditions.
enum {
  KEY_AND = 1,
  KEY_AND_NOT,
  KEY_EITHER,
  KEY_CHOICE,
};

// Keys of %ATOM_SHR: what comes in from above.
enum {
  TERM_SHIFT_LOGICAL,
  TERM_SHIFT_SIGNED,
};

// Numbers of sums.
typedef guint32 Term;

/**
 * Atom:
 * @key: what tells it from others of its kind
 * @place: offset in the text that stands for it
 */
typedef struct {
  AtomKind kind;
  guint64 key;
  Term operand[3];
  guint32 place;
} Atom;

typedef struct {
  guint32 atom;
  guint32 factor;
} Part;

/** Sum: @parts: (array length=n): by rising atoms */
typedef struct {
  guint32 constant;
  guint n;
  Part *parts;
} Sum;

typedef struct {
  GPtrArray *sums;  // Sum, by Term
  GPtrArray *atoms; // Atom
  GHashTable *sum_numbers;
  GHashTable *atom_numbers;
} Terms;

Terms *smb_terms_new(void);
void smb_terms_free(Terms *terms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Terms, smb_terms_free)

Term smb_term_constant(Terms *terms, guint32 value);
Term smb_term_atom(Terms *terms, const Atom *atom);
// a + b * factor
Term smb_term_add(Terms *terms, Term a, Term b, guint32 factor);
Term smb_term_mul(Terms *terms, Term a, Term b, guint32 place);
// Of conditions, of which @a may hold: both; @no: @a and not @b.
Term smb_term_when(Terms *terms, Term a, Term b, gboolean no);
Term smb_term_choose(Terms *terms, Term condition, Term yes, Term no);

static inline const Sum *
smb_term_sum(const Terms *terms, Term term) {
  return terms->sums->pdata[term];
}

static inline const Atom *
smb_terms_atom(const Terms *terms, guint32 atom) {
  return terms->atoms->pdata[atom];
}

static inline gboolean
smb_term_is_constant(const Terms *terms, Term term) {
  return smb_term_sum(terms, term)->n == 0;
}
