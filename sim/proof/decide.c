// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/proof/decide.h"

#include "sim/arch/arch.h"

enum {
  MAX_SPREAD = 1 << 20, // bytes between lanes that differ by a constant
};

typedef struct {
  const Terms *all;
  Decision *decision;
  guint32 values[MAX_LEAVES];
} Residues;

static Leaf *
find_leaf(Decision *decision, gint64 atom) {
  for (guint i = 0; i < decision->n_leaves; i++) {
    if (decision->leaves[i].atom == atom)
      return &decision->leaves[i];
  }
  if (decision->n_leaves == MAX_LEAVES) {
    decision->failure = "it depends on too many values";
    return NULL;
  }
  decision->leaves[decision->n_leaves] = (Leaf){atom, 0};
  return &decision->leaves[decision->n_leaves++];
}

static void need_bits(Residues *residues, Term term, guint bits);

// Bits that may be 1 of the result of a bitwise and.
static guint
mask_bits(const Residues *residues, const Atom *atom, guint bits) {
  for (guint i = 0; i < 2; i++) {
    const Sum *sum = smb_term_sum(residues->all, atom->operand[i]);
    if (sum->n == 0)
      bits = MIN(bits, (guint)g_bit_storage(sum->constant) * (sum->constant != 0));
  }
  return bits;
}

static void
need_atom(Residues *residues, guint32 number, guint bits) {
  const Atom *atom = smb_terms_atom(residues->all, number);
  Leaf *leaf;
  if (atom->kind == ATOM_AND)
    bits = mask_bits(residues, atom, bits);
  if (bits == 0 || residues->decision->failure)
    return;
  if (atom->kind >= ATOM_MUL) {
    guint shift =
        atom->kind == ATOM_SHR ? smb_term_sum(residues->all, atom->operand[1])->constant : 0;
    if (bits + shift > 32) {
      residues->decision->failure = "it depends on high bits of a value";
      return;
    }
    need_bits(residues, atom->operand[0], bits + shift);
    need_bits(residues, atom->operand[1], bits);
  } else if ((leaf = find_leaf(residues->decision, number))) {
    leaf->bits = MAX(leaf->bits, bits);
  }
}

// The low bits of a sum follow from low bits of its atoms: fewer of those with even factors.
static void
need_bits(Residues *residues, Term term, guint bits) {
  const Sum *sum = smb_term_sum(residues->all, term);
  for (guint i = 0; i < sum->n; i++) {
    guint zeros = (guint)__builtin_ctz(sum->parts[i].factor);
    need_atom(residues, sum->parts[i].atom, bits > zeros ? bits - zeros : 0);
  }
}

static guint32 low_bits(const Residues *residues, Term term);

static guint32
atom_bits(const Residues *residues, guint32 number) {
  const Atom *atom = smb_terms_atom(residues->all, number);
  if (atom->kind < ATOM_MUL) {
    for (guint i = 0; i < residues->decision->n_leaves; i++) {
      if (residues->decision->leaves[i].atom == number)
        return residues->values[i];
    }
    return 0;
  }
  guint32 a = low_bits(residues, atom->operand[0]), b = low_bits(residues, atom->operand[1]);
  return atom->kind == ATOM_MUL   ? a * b
         : atom->kind == ATOM_AND ? a & b
         : atom->kind == ATOM_OR  ? a | b
         : atom->kind == ATOM_XOR ? a ^ b
                                  : a >> b;
}

static guint32
low_bits(const Residues *residues, Term term) {
  const Sum *sum = smb_term_sum(residues->all, term);
  guint32 value = sum->constant;
  for (guint i = 0; i < sum->n; i++)
    value += sum->parts[i].factor * atom_bits(residues, sum->parts[i].atom);
  return value;
}

// What of the lanes' sums is not a constant, each a class of its own; how many there are.
static guint
classify_lanes(Terms *all, const SmbRequest *request, const Term *terms, Term *classes,
               guint *class_of, gint32 *constants) {
  guint n = 0;
  for (SmbLanes rest = request->mask; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest), i = 0;
    guint32 constant = smb_term_sum(all, terms[lane])->constant;
    Term bare = smb_term_add(all, terms[lane], smb_term_constant(all, constant), G_MAXUINT32);
    while (i < n && classes[i] != bare)
      i++;
    if (i == n)
      classes[n++] = bare;
    class_of[lane] = i;
    constants[lane] = (gint32)constant;
  }
  return n;
}

static gboolean
lanes_are_near(const SmbRequest *request, const gint32 *constants) {
  for (SmbLanes rest = request->mask; rest; rest &= rest - 1) {
    if (ABS((gint64)constants[smb_lanes_first(rest)]) >= MAX_SPREAD)
      return FALSE;
  }
  return TRUE;
}

// Counts with the residues as they are. FALSE: some lanes would not be aligned, so that no launch has these residues.
static gboolean
count_residues(const Residues *residues, const SmbArch *arch, SmbRequest *request,
               const Term *classes, guint n, const guint *class_of, const gint32 *constants,
               SmbWavefronts *cost) {
  guint row = smb_arch_info(arch)->row_bytes;
  guint32 bases[SMB_MAX_LANES] = {0};
  for (guint i = 0; i < n; i++) {
    guint32 low = residues->decision->n_leaves && residues->decision->leaves[0].atom < 0
                      ? residues->values[0]
                      : low_bits(residues, classes[i]);
    bases[i] = (2 * i + 1) * MAX_SPREAD + low % row;
  }
  for (SmbLanes rest = request->mask; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    request->offset[lane] = bases[class_of[lane]] + (guint32)constants[lane];
    if (request->offset[lane] % (request->width == 12 ? 4 : request->width))
      return FALSE;
  }
  *cost = smb_wavefronts_count(arch, request);
  return TRUE;
}

void
smb_decide(const Terms *all, const SmbArch *arch, SmbRequest *request, const Term *terms,
           Decision *decision) {
  Term classes[SMB_MAX_LANES];
  guint class_of[SMB_MAX_LANES], bits = 0;
  gint32 constants[SMB_MAX_LANES];
  Residues residues = {.all = all, .decision = decision};
  guint n = classify_lanes((Terms *)all, request, terms, classes, class_of, constants);
  guint row_bits = (guint)__builtin_ctz(smb_arch_info(arch)->row_bytes);
  *decision = (Decision){.failure = NULL};
  if (n == 1 && !smb_term_is_constant(all, classes[0])) {
    find_leaf(decision, -1)->bits = row_bits;
  } else {
    for (guint i = 0; i < n; i++)
      need_bits(&residues, classes[i], row_bits);
  }
  for (guint i = 0; i < decision->n_leaves; i++)
    bits += decision->leaves[i].bits;
  if (!decision->failure && bits > MAX_RESIDUE_BITS)
    decision->failure = "it depends on too many bits of values";
  if (!decision->failure && !lanes_are_near(request, constants))
    decision->failure = "its lanes are too far apart";
  if (decision->failure)
    return;
  decision->bad = g_byte_array_sized_new(1u << bits);
  for (guint32 which = 0; which >> bits == 0; which++) {
    SmbWavefronts cost = {0};
    guint32 rest = which;
    for (guint i = 0; i < decision->n_leaves; i++) {
      residues.values[i] = rest & ((1u << decision->leaves[i].bits) - 1);
      rest >>= decision->leaves[i].bits;
    }
    gboolean is_real =
        count_residues(&residues, arch, request, classes, n, class_of, constants, &cost);
    guint8 bad = is_real && cost.excess > 0;
    g_byte_array_append(decision->bad, &bad, 1);
    decision->n_bad += bad;
    if (cost.degree > decision->worst.degree || cost.excess > decision->worst.excess)
      decision->worst = cost;
  }
}
