// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an operation makes of sums: sums, products, shifts and bits of what is not known remain expressions. Any other operation on equal operands is
// one unknown value.
#include "sim/exec/compute/bits.h"
#include "sim/exec/proof/step-walk.h"

// Keys of unknown values of this file: an operation with all that varies it, and which of its results.
#define KEY_TUPLE ((guint64)1 << 62)

// --- bits of a sum

static KnownBits
find_atom_bits(StepWalk *walk, const Atom *atom) {
  Bits a, b, result = bits_unknown(G_MAXUINT32);
  if (atom->kind < ATOM_MUL && !(atom->kind == ATOM_UNKNOWN && atom->key == KEY_CHOICE))
    return (KnownBits){TRUE, 0, G_MAXUINT32};
  gboolean is_choice = atom->kind == ATOM_UNKNOWN;
  KnownBits x = smb_step_walk_bits(walk, atom->operand[is_choice ? 1 : 0]);
  KnownBits y = smb_step_walk_bits(walk, atom->operand[is_choice ? 2 : 1]);
  a = bits_make(x.value, x.unknown);
  b = bits_make(y.value, y.unknown);
  if (is_choice)
    result = bits_either(a, b);
  else if (atom->kind == ATOM_MUL)
    result = bits_multiply(a, b);
  else if (atom->kind == ATOM_AND)
    result = bits_and(a, b);
  else if (atom->kind == ATOM_OR)
    result = bits_or(a, b);
  else if (atom->kind == ATOM_XOR)
    result = bits_xor(a, b);
  else if (atom->key == TERM_SHIFT_LOGICAL)
    result = bits_right(a, y.value & 31);
  return (KnownBits){TRUE, (guint32)result.value, (guint32)result.unknown};
}

KnownBits
smb_step_walk_bits(StepWalk *walk, Term term) {
  const Sum *sum = smb_term_sum(walk->prover->terms, term);
  if (sum->n == 0)
    return (KnownBits){TRUE, sum->constant, 0};
  if (term < walk->bits->len && g_array_index(walk->bits, KnownBits, term).is_set)
    return g_array_index(walk->bits, KnownBits, term);
  Bits all = bits_of(sum->constant);
  for (guint i = 0; i < sum->n; i++) {
    KnownBits one = find_atom_bits(walk, smb_terms_atom(walk->prover->terms, sum->parts[i].atom));
    Bits part = bits_multiply(bits_make(one.value, one.unknown), bits_of(sum->parts[i].factor));
    all = bits_field(bits_add(all, bits_field(part, 32)), 32);
  }
  KnownBits known = {TRUE, (guint32)all.value, (guint32)all.unknown};
  if (term >= walk->bits->len)
    g_array_set_size(walk->bits, term + 1);
  g_array_index(walk->bits, KnownBits, term) = known;
  return known;
}

// --- expressions

gboolean
smb_step_term_is_known(const StepWalk *walk, Term term, guint32 *value) {
  const Sum *sum = smb_term_sum(walk->prover->terms, term);
  *value = sum->constant;
  return sum->n == 0;
}

static Term
make_bits(StepWalk *walk, AtomKind kind, Term a, Term b, guint32 place) {
  Terms *terms = walk->prover->terms;
  KnownBits x = smb_step_walk_bits(walk, a), y = smb_step_walk_bits(walk, b);
  guint32 may_a = x.value | x.unknown, may_b = y.value | y.unknown;
  if (kind == ATOM_AND && (may_a & may_b) == 0)
    return 0;
  if (kind == ATOM_AND && !y.unknown && (may_a & ~y.value) == 0)
    return a;
  if (kind == ATOM_AND && !x.unknown && (may_b & ~x.value) == 0)
    return b;
  if (kind != ATOM_AND && (may_a & may_b) == 0)
    return smb_term_add(terms, a, b, 1);
  if (!x.unknown && !y.unknown)
    return smb_term_constant(terms, kind == ATOM_AND  ? x.value & y.value
                                    : kind == ATOM_OR ? x.value | y.value
                                                      : x.value ^ y.value);
  const Atom atom = {kind, 0, {MIN(a, b), MAX(a, b), 0}, place};
  return smb_term_atom(terms, &atom);
}

static Term
shift_right(StepWalk *walk, Term a, guint32 by, gboolean is_signed, guint32 place) {
  Terms *terms = walk->prover->terms;
  KnownBits x = smb_step_walk_bits(walk, a);
  gboolean is_positive = ((x.value | x.unknown) & 0x80000000) == 0;
  if (by == 0)
    return a;
  if (by > 31 && !is_signed)
    return 0;
  const Atom atom = {ATOM_SHR,
                     is_signed && !is_positive ? TERM_SHIFT_SIGNED : TERM_SHIFT_LOGICAL,
                     {a, smb_term_constant(terms, MIN(by, 31)), 0},
                     place};
  return smb_term_atom(terms, &atom);
}

static Term
shift_left(StepWalk *walk, Term a, guint32 by) {
  return by > 31 ? 0 : smb_term_add(walk->prover->terms, 0, a, 1u << by);
}

// A function of the bits of three operands, as the exclusive or of products of them.
static Term
look_up_bits(StepWalk *walk, guint table, const Term *operand, guint32 place) {
  guint form = table; // by which operands are in a product: 4 the first, 2 the second, 1 the third
  Term result = 0, all = smb_term_constant(walk->prover->terms, G_MAXUINT32);
  for (guint bit = 1; bit < 8; bit <<= 1) {
    for (guint i = 0; i < 8; i++) {
      if (i & bit)
        form ^= (form >> (i ^ bit) & 1) << i;
    }
  }
  for (guint i = 0; i < 8; i++) {
    Term product = all;
    if (!(form >> i & 1))
      continue;
    for (guint k = 0; k < 3; k++) {
      if (i & 4 >> k)
        product =
            product == all ? operand[k] : make_bits(walk, ATOM_AND, product, operand[k], place);
    }
    result = make_bits(walk, ATOM_XOR, result, product, place);
  }
  return result;
}

// By a condition, which is 0 or 1: @no + (@yes - @no) * condition, as long as that is a short sum.
Term
smb_step_walk_choose(StepWalk *walk, Term condition, Term yes, Term no) {
  enum {
    MAX_PARTS = 12,
  };
  Terms *terms = walk->prover->terms;
  guint32 known;
  if (yes == no || smb_step_term_is_known(walk, condition, &known))
    return smb_term_choose(terms, condition, yes, no);
  Term difference = smb_term_add(terms, yes, no, G_MAXUINT32);
  if (smb_term_sum(terms, difference)->n > MAX_PARTS)
    return smb_term_choose(terms, condition, yes, no);
  return smb_term_add(
      terms, no, smb_term_mul(terms, difference, make_bits(walk, ATOM_AND, condition, 1, 0), 0), 1);
}

// The word that begins @by bits above the lowest one of two.
static Term
funnel(StepWalk *walk, Term low, Term high, guint32 by, guint32 place) {
  if (by == 0 || by >= 32)
    return by == 0 ? low : shift_right(walk, high, by - 32, FALSE, place);
  return smb_term_add(walk->prover->terms, shift_right(walk, low, by, FALSE, place), high,
                      1u << (32 - by));
}

// @a put into @b, from bit @by on.
static Term
insert_bits(StepWalk *walk, Term a, Term b, guint by, guint length, guint32 place) {
  Terms *terms = walk->prover->terms;
  guint32 where = by < 32 ? (guint32)(mask_below(length) << by) : 0;
  Term outside = make_bits(walk, ATOM_AND, b, smb_term_constant(terms, ~where), place);
  Term inside =
      make_bits(walk, ATOM_AND, shift_left(walk, a, by), smb_term_constant(terms, where), place);
  return smb_term_add(terms, outside, inside, 1);
}

// An operation on operands, and on @n_in predicates, whatever it is: the same of the same.
static Term
make_unknown(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
             guint n_in, guint result, guint32 place) {
  Terms *terms = walk->prover->terms;
  Atom atom = {ATOM_UNKNOWN, KEY_TUPLE, {0}, place};
  Term all[2 * COMPUTE_SOURCES + 3], last = 0;
  guint n = 0;
  for (guint i = 0; i < compute->n_sources; i++) {
    for (guint r = 0; r < compute->n_rows[1 + i]; r++)
      all[n++] = operands->source[i][r][thread];
  }
  for (guint i = 0; i < n_in; i++)
    all[n++] = operands->in[i][thread];
  for (guint i = 0; i < n; i++) {
    atom.operand[0] = last;
    atom.operand[1] = all[i];
    last = smb_term_atom(terms, &atom);
  }
  atom.key = (guint64)1 << 63 | (guint64)compute->operation << 44 |
             (guint64)compute->modifiers << 28 | (guint64)compute->table << 20 |
             (guint64)(compute->from & 31) << 15 | (guint64)(compute->to & 31) << 10 |
             (guint64)(compute->bytes & 15) << 4 | result;
  atom.operand[0] = last;
  atom.operand[1] = 0;
  return smb_term_atom(terms, &atom);
}

// --- operations

#define WORD(i) (operands->source[i][0][thread])
#define HIGH(i) (operands->source[i][1][thread])

// Sums and products, of the low words. FALSE: it is none
static gboolean
add_term_words(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
               guint32 place, Term *result) {
  Terms *terms = walk->prover->terms;
  const guint32 minus = G_MAXUINT32;
  switch ((guint)compute->operation) {
  case OPERATION_ADD_32:
  case OPERATION_ADD_64:
    *result = smb_term_add(terms, WORD(0), WORD(1), 1);
    return TRUE;
  case OPERATION_ADD3_32:
    *result = smb_term_add(terms, smb_term_add(terms, WORD(0), WORD(1), 1), WORD(2), 1);
    return TRUE;
  case OPERATION_SUB_32:
  case OPERATION_SUB_64:
    *result = smb_term_add(terms, WORD(0), WORD(1), minus);
    return TRUE;
  case OPERATION_SUB_ADD_32:
    *result = smb_term_add(terms, smb_term_add(terms, WORD(0), WORD(1), minus), WORD(2), 1);
    return TRUE;
  case OPERATION_NEG_32:
  case OPERATION_NEG_64:
    *result = smb_term_add(terms, 0, WORD(0), minus);
    return TRUE;
  case OPERATION_MUL_32:
  case OPERATION_MUL_64:
  case OPERATION_MUL_WIDE_U32:
  case OPERATION_MUL_WIDE_S32:
    *result = smb_term_mul(terms, WORD(0), WORD(1), place);
    return TRUE;
  case OPERATION_MAD_32:
  case OPERATION_MAD_64:
  case OPERATION_MAD_WIDE_U32:
  case OPERATION_MAD_WIDE_S32:
    *result = smb_term_add(terms, smb_term_mul(terms, WORD(0), WORD(1), place), WORD(2), 1);
    return TRUE;
  default:
    return FALSE;
  }
}

// IADD3 and the like: what is carried in has to be known.
static gboolean
add_with_carry(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
               Term *result) {
  Terms *terms = walk->prover->terms;
  guint32 carry[2];
  gboolean known[2];
  for (guint i = 0; i < 2; i++)
    known[i] = smb_step_term_is_known(walk, operands->in[i][thread], &carry[i]);
  if (compute->modifiers & MODIFIER_NOT_IN)
    carry[0] = !carry[0];
  switch ((guint)compute->operation) {
  case OPERATION_ADD3_CARRY_32:
    *result = 0;
    for (guint i = 0; i < 3; i++)
      *result =
          smb_term_add(terms, *result, WORD(i), compute->table & SUM_MINUS << i ? G_MAXUINT32 : 1);
    for (guint i = 0; i < 2; i++) {
      if (compute->table & SUM_CARRY << i && !known[i])
        return FALSE;
      if (compute->table & SUM_CARRY << i)
        *result = smb_term_add(terms, *result, 1, carry[i]);
    }
    return TRUE;
  case OPERATION_ADD_CARRY_32:
  case OPERATION_ADD_CARRY_64:
    *result = smb_term_add(terms, smb_term_add(terms, WORD(0), WORD(1), 1), 1, carry[0]);
    return known[0];
  default:
    return FALSE;
  }
}

// Shifts by what is known, of words.
static gboolean
shift_words(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
            guint32 place, Term *result) {
  guint32 by, length;
  switch ((guint)compute->operation) {
  case OPERATION_SHL_32:
  case OPERATION_SHL_64:
    *result = smb_step_term_is_known(walk, WORD(1), &by) ? shift_left(walk, WORD(0), by) : 0;
    return smb_step_term_is_known(walk, WORD(1), &by);
  case OPERATION_SHR_U32:
  case OPERATION_SHR_S32:
    if (!smb_step_term_is_known(walk, WORD(1), &by))
      return FALSE;
    *result = shift_right(walk, WORD(0), by, compute->operation == OPERATION_SHR_S32, place);
    return TRUE;
  case OPERATION_SHR_U64:
    if (!smb_step_term_is_known(walk, WORD(1), &by))
      return FALSE;
    *result = funnel(walk, WORD(0), HIGH(0), by, place);
    return TRUE;
  case OPERATION_SHF_R_WRAP:
  case OPERATION_SHF_R_CLAMP:
  case OPERATION_SHF_L_WRAP:
  case OPERATION_SHF_L_CLAMP:
    if (!smb_step_term_is_known(walk, WORD(2), &by))
      return FALSE;
    by = compute->operation == OPERATION_SHF_R_WRAP || compute->operation == OPERATION_SHF_L_WRAP
             ? by & 31
             : MIN(by, 32);
    *result =
        compute->operation == OPERATION_SHF_R_WRAP || compute->operation == OPERATION_SHF_R_CLAMP
            ? funnel(walk, WORD(0), WORD(1), by, place)
            : funnel(walk, WORD(0), WORD(1), 32 - by, place);
    return TRUE;
  case OPERATION_SHF_R_U64:
    if (!smb_step_term_is_known(walk, WORD(2), &by))
      return FALSE;
    *result = funnel(walk, WORD(0), WORD(1), by, place);
    return TRUE;
  case OPERATION_BFE_U32:
    if (!smb_step_term_is_known(walk, WORD(1), &by) ||
        !smb_step_term_is_known(walk, WORD(2), &length) || length > 255)
      return FALSE;
    *result = make_bits(walk, ATOM_AND, shift_right(walk, WORD(0), by & 255, FALSE, place),
                        smb_term_constant(walk->prover->terms, (guint32)mask_below(length)), place);
    return TRUE;
  case OPERATION_BFI_32:
    if (!smb_step_term_is_known(walk, WORD(2), &by) ||
        !smb_step_term_is_known(walk, WORD(3), &length))
      return FALSE;
    *result = insert_bits(walk, WORD(0), WORD(1), by & 255, length & 255, place);
    return TRUE;
  default:
    return FALSE;
  }
}

// Bits of words, without shifts; @word: 0 or 1, of two.
static gboolean
combine_term_words(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
                   guint word, guint32 place, Term *result) {
  const Term *const *a = operands->source[0], *const *b = operands->source[1];
  Terms *terms = walk->prover->terms;
  Term three[3] = {0};
  switch ((guint)compute->operation) {
  case OPERATION_AND_32:
  case OPERATION_AND_64:
    *result = make_bits(walk, ATOM_AND, a[word][thread], b[word][thread], place);
    return TRUE;
  case OPERATION_OR_32:
  case OPERATION_OR_64:
    *result = make_bits(walk, ATOM_OR, a[word][thread], b[word][thread], place);
    return TRUE;
  case OPERATION_XOR_32:
  case OPERATION_XOR_64:
    *result = make_bits(walk, ATOM_XOR, a[word][thread], b[word][thread], place);
    return TRUE;
  case OPERATION_NOT_32:
  case OPERATION_NOT_64:
    *result =
        smb_term_add(terms, smb_term_constant(terms, G_MAXUINT32), a[word][thread], G_MAXUINT32);
    return TRUE;
  case OPERATION_LOP3:
  case OPERATION_LOP3_TEST:
    for (guint i = 0; i < 3; i++)
      three[i] = operands->source[i][0][thread];
    *result = look_up_bits(walk, compute->table, three, place);
    return TRUE;
  default:
    return FALSE;
  }
}

// What a word is of moves and conversions.
static gboolean
move_words(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
           guint word, guint32 place, Term *result) {
  Terms *terms = walk->prover->terms;
  guint32 mask = 0;
  switch ((guint)compute->operation) {
  case OPERATION_MOV_64:
    *result = operands->source[0][word][thread];
    return TRUE;
  case OPERATION_MOV_16:
  case OPERATION_MOV_32:
  case OPERATION_PART_32:
  case OPERATION_CVT_32_64:
    *result = WORD(0);
    return TRUE;
  case OPERATION_CVT_64_U32:
    *result = word ? 0 : WORD(0);
    return TRUE;
  case OPERATION_CVT_64_S32:
    *result = WORD(0);
    return word == 0;
  case OPERATION_LOW_8:
  case OPERATION_CVT_32_U8:
    mask = 0xff;
    break;
  case OPERATION_LOW_16:
  case OPERATION_CVT_32_U16:
    mask = 0xffff;
    break;
  case OPERATION_SELECT_32:
  case OPERATION_SELECT_64:
    *result =
        compute->modifiers & MODIFIER_NOT_IN
            ? smb_step_walk_choose(walk, operands->in[0][thread], operands->source[1][word][thread],
                                   operands->source[0][word][thread])
            : smb_step_walk_choose(walk, operands->in[0][thread], operands->source[0][word][thread],
                                   operands->source[1][word][thread]);
    return TRUE;
  default:
    return FALSE;
  }
  *result = make_bits(walk, ATOM_AND, WORD(0), smb_term_constant(terms, mask), place);
  return TRUE;
}

// An address of shared memory, or of local memory, stays one when something is added: its upper word says what it is.
static gboolean
keep_window(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
            Term *result) {
  gboolean adds = compute->operation == OPERATION_ADD_64 || compute->operation == OPERATION_SUB_64;
  for (guint i = 0; adds && i < 2; i++) {
    guint32 high;
    if (smb_step_term_is_known(walk, HIGH(i), &high) &&
        (high == (guint32)(make_pointer(REGION_SHARED, 0) >> 32) ||
         high == (guint32)(make_pointer(REGION_LOCAL, 0) >> 32))) {
      *result = HIGH(i);
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
make_result_word(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
                 guint word, guint32 place, Term *result) {
  if (combine_term_words(walk, compute, operands, thread, word, place, result) ||
      move_words(walk, compute, operands, thread, word, place, result))
    return TRUE;
  if (word == 1)
    return keep_window(walk, compute, operands, thread, result);
  return add_term_words(walk, compute, operands, thread, place, result) ||
         add_with_carry(walk, compute, operands, thread, result) ||
         shift_words(walk, compute, operands, thread, place, result);
}

// A comparison as its positive form, so that it and its opposite are known to be that.
static void
compare_terms(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
              guint32 place) {
  Terms *terms = walk->prover->terms;
  Compute plain = *compute;
  plain.modifiers &= (guint16) ~(MODIFIER_NOT | MODIFIER_COMBINE | MODIFIER_NOT_IN);
  guint combine = compute->modifiers & MODIFIER_COMBINE;
  guint32 in = 0;
  gboolean knows_in = smb_step_term_is_known(walk, operands->in[0][thread], &in);
  if (compute->modifiers & MODIFIER_NOT_IN)
    in = !in;
  Term truth = make_unknown(walk, &plain, operands, thread, 0, RESULT_P, place);
  Term falsehood = smb_term_add(terms, 1, truth, G_MAXUINT32);
  gboolean is_opposite = (compute->modifiers & MODIFIER_NOT) != 0;
  gboolean is_plain = combine == 0 || (knows_in && (in != 0) == (combine == MODIFIER_AND));
  operands->result[RESULT_P][thread] =
      !is_plain     ? make_unknown(walk, compute, operands, thread, 3, RESULT_P, place)
      : is_opposite ? falsehood
                    : truth;
  operands->result[RESULT_Q][thread] =
      !is_plain     ? make_unknown(walk, compute, operands, thread, 3, RESULT_Q, place)
      : is_opposite ? truth
                    : falsehood;
}

// A function of predicates that is one of them, or its opposite, where the others are known.
static Term
combine_predicates(StepWalk *walk, const Compute *compute, const Operands *operands, guint thread,
                   guint32 place) {
  guint unknown = 0, at = 0;
  for (guint i = 0; i < 3; i++) {
    guint32 value;
    if (!smb_step_term_is_known(walk, operands->in[i][thread], &value)) {
      unknown = unknown ? 8 : 4u >> i;
      continue;
    }
    if (i == 0 && compute->modifiers & MODIFIER_NOT_IN)
      value = !value;
    at |= value ? 4u >> i : 0;
  }
  gboolean without = compute->table >> (at & 7) & 1,
           with = compute->table >> ((at | unknown) & 7) & 1;
  if (unknown == 0 || unknown == 8 || with == without)
    return make_unknown(walk, compute, operands, thread, 3, RESULT_P, place);
  Term one = operands->in[unknown == 4 ? 0 : unknown == 2 ? 1 : 2][thread];
  gboolean is_opposite = without;
  if (unknown == 4 && compute->modifiers & MODIFIER_NOT_IN)
    is_opposite = !is_opposite;
  return is_opposite ? smb_term_add(walk->prover->terms, 1, one, G_MAXUINT32) : one;
}

void
smb_step_operands_compute(StepWalk *walk, const Step *step, const Operands *operands,
                          guint thread) {
  const Compute *compute = &step->compute;
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  if (info->result == SHAPE_PREDICATE && compute->operation == OPERATION_PREDICATE) {
    operands->result[RESULT_P][thread] =
        combine_predicates(walk, compute, operands, thread, step->place);
    return;
  }
  if (info->result == SHAPE_PREDICATE && !compute->bytes) {
    compare_terms(walk, compute, operands, thread, step->place);
    return;
  }
  for (guint word = 0; word < compute->n_rows[0]; word++) {
    Term *result = &operands->result[word][thread];
    if (info->result == SHAPE_PREDICATE ||
        !make_result_word(walk, compute, operands, thread, word, step->place, result))
      *result = make_unknown(walk, compute, operands, thread, 3, word, step->place);
  }
  if (compute->p != PREDICATE_TRUE)
    operands->result[RESULT_P][thread] =
        make_unknown(walk, compute, operands, thread, 3, RESULT_P, step->place);
  if (compute->q != PREDICATE_TRUE)
    operands->result[RESULT_Q][thread] =
        make_unknown(walk, compute, operands, thread, 3, RESULT_Q, step->place);
}
