// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From 16 bytes to a SassInstruction: finds the line of the opcode in the tables of opcodes/, and reads the fields
// that it names. What the fields mean is left to sim/sass/decode.
#include "sim/sass/instruction.h"

#include <string.h>

// Of a form (bits 9 to 11 of the opcode): what is in bits 32 to 63. In forms 2, 3 and 7 that is operand C, and
// B is the register at 64; in the others B, and C is the register.
enum {
  FORM_1 = 1 << 1, // a register
  FORM_2 = 1 << 2, // an immediate
  FORM_3 = 1 << 3, // a constant
  FORM_4 = 1 << 4, // an immediate
  FORM_5 = 1 << 5, // a constant
  FORM_6 = 1 << 6, // a uniform register
  FORM_7 = 1 << 7, // a uniform register
  FORMS_B = FORM_1 | FORM_4 | FORM_5 | FORM_6,
  FORMS_C = FORM_1 | FORM_2 | FORM_3 | FORM_7,
  FORMS_ALL = FORMS_B | FORMS_C,
  BOARD = 110, // first bits of what schedules
  WAITS = 116,
  REUSE = 122, // bit of a register in the place of A that is kept; those of B and C follow
};

typedef enum {
  VECTOR,
  UNIFORM
} Datapath;

typedef enum {
  FIELD_NONE,
  FIELD_REGISTER, // of the datapath
  FIELD_UNIFORM,
  FIELD_PREDICATE, // of the datapath
  FIELD_VECTOR_PREDICATE,
  FIELD_UNIFORM_PREDICATE,
  FIELD_B, // what the form says
  FIELD_C,
  FIELD_32, // C, at 32 in all forms
  FIELD_IMMEDIATE,
  FIELD_REAL,
  FIELD_CONSTANT,
  FIELD_ADDRESS,
  FIELD_TARGET,
  FIELD_SPECIAL,
  FIELD_BARRIER,
  FIELD_SCOREBOARD,
  FIELD_SCOREBOARDS,
  FIELD_PREDICATES,
  FIELD_WORD,
} FieldKind;

// Which signs the operands B and C can have.
typedef enum {
  SIGN_NONE,
  SIGN_INTEGER,
  SIGN_NOT,
  SIGN_REAL,
  SIGN_ABSOLUTE
} Sign;

// When an operand is not written: its predicate is PT; is !PT; its register is RZ; its base is; its value is @nothing.
typedef enum {
  HIDE_NEVER,
  HIDE_TRUE,
  HIDE_FALSE,
  HIDE_ZERO,
  HIDE_BASE,
  HIDE_NOTHING
} Hide;

typedef enum {
#define SPLIT_PART(name, ...) name,
#include "sim/sass/opcodes/opcodes.def"
  N_PARTS
} PartName;

typedef enum {
#define OPERAND(name, ...) name,
#include "sim/sass/opcodes/opcodes.def"
  N_OPERANDS
} FieldName;

// The value of a part: a SassPart, or several, the first one in the lowest bits.
enum {
  PART_BITS = 10,
  PART_MASK = (1 << PART_BITS) - 1,
};
#define WITH(part, more) ((part) | (more) << PART_BITS)
#define UNMODELLED_BIT   (1U << 31)
#define UNMODELLED(part) ((part) | UNMODELLED_BIT)
G_STATIC_ASSERT((guint)N_SASS_PARTS <= (guint)PART_MASK);

typedef struct {
  guint8 low, width, high, high_width;
  guint16 n_values;
  const guint32 *values;
} Part;

/**
 * Field:
 * @low, @width: where it is; @high, @high_width: of a number, or a register, in two places, its high bits; of an address, the offset, of
 *   one with a @name its low bits
 * @negate: bit of "-", "!"; @absolute: bit of "|"; 0: none; @inverts_if: bit that makes "-" a "~"
 * @sign: the same of B and C, whose bits are where the form says; at 64 those of @negate and @absolute, if set
 * @is_signed: an integer that is written with a sign
 * @is_flipped: a predicate that 0 means PT of
 * @hide: when it is not written; @nothing: the value that HIDE_NOTHING hides
 * @is_never_reused: the bit for that has no meaning, or another one
 * @real: bytes of a number that an immediate is
 * @only_if, @unless: bit that must be set, or clear, for the operand to be there
 * @uniform_if: bit that makes a predicate a uniform one
 * @uniform: where a uniform register is that is added
 * @wide: bit of ".64" behind the base, otherwise ".U32", if there is a uniform register
 * @describes: bit that makes the uniform register a descriptor, not a summand
 * @bfloat_if: bit that makes a number of 16 bits a bfloat16, which is the high half of a binary32
 * @part: what is written after it; @part_64: of B or C, if it is at 64
 * @name: of what the uniform register of an address describes; @is_next: it is the one behind it
 * @when: the operand is there if this part is one that is written
 */
typedef struct {
  FieldKind kind;
  guint8 low, width, high, high_width;
  guint8 negate, absolute, inverts_if;
  Sign sign;
  gboolean is_signed, is_never_reused, is_flipped;
  guint8 real;
  guint8 only_if, unless, uniform_if, bfloat_if;
  guint8 uniform, wide, describes;
  Hide hide;
  guint8 nothing;
  gboolean is_next;
  PartName part, part_64, name, when;
} Field;

typedef struct {
  guint8 forms, first, last;
  Datapath datapath;
  const char *name;
  guint16 parts[SASS_MAX_PARTS]; // PartName
  guint16 operands[SASS_MAX_OPERANDS];
} Opcode;

#define SPLIT_PART(name, low, width, high, high_width, ...)                                        \
  static const guint32 values_of_##name[] = {__VA_ARGS__};
#include "sim/sass/opcodes/opcodes.def"

static const Part parts[] = {
#define SPLIT_PART(name, low, width, high, high_width, ...)                                        \
  {low, width, high, high_width, G_N_ELEMENTS(values_of_##name), values_of_##name},
#include "sim/sass/opcodes/opcodes.def"
};

static const Field fields[] = {
#define OPERAND(name, ...) {__VA_ARGS__},
#include "sim/sass/opcodes/opcodes.def"
};

// The numbers apart from the rest, which is looked at only if the number is right.
static const guint16 numbers[] = {
#define OPCODE(number, ...) number,
#include "sim/sass/opcodes/opcodes.def"
};

#define LIST(...)                                                                                  \
  { __VA_ARGS__ }
static const Opcode opcodes[] = {
#define OPCODE(number, forms, first, last, datapath, name, handler, argument, parts, operands)     \
  {forms, first, last, datapath, name, LIST parts, LIST operands},
#include "sim/sass/opcodes/opcodes.def"
};

// @seen: the bits that a field has read.
typedef struct {
  guint64 words[2];
  guint64 seen[2];
  guint chip;
  guint form;
  Datapath datapath;
  SassInstruction *instruction;
} Reader;

static guint64
read_bits(Reader *reader, guint low, guint width) {
  guint64 mask = width < 64 ? (1ULL << width) - 1 : G_MAXUINT64;
  guint64 value;
  if (low >= 64) {
    value = reader->words[1] >> (low - 64);
    reader->seen[1] |= mask << (low - 64);
  } else {
    value = reader->words[0] >> low;
    reader->seen[0] |= mask << low;
    if (low + width > 64) {
      value |= reader->words[1] << (64 - low);
      reader->seen[1] |= mask >> (64 - low);
    }
  }
  return value & mask;
}

static gint64
read_signed(Reader *reader, guint low, guint width) {
  return (gint64)(read_bits(reader, low, width) << (64 - width)) >> (64 - width);
}

static gboolean
read_flag(Reader *reader, guint bit) {
  return bit != 0 && read_bits(reader, bit, 1) != 0;
}

// PART_UNKNOWN if the value is not known; as in the tables, but for UNMODELLED_BIT.
static guint32
read_sass_part(Reader *reader, PartName name) {
  const Part *part = &parts[name];
  guint value = part->width ? (guint)read_bits(reader, part->low, part->width) : 0;
  if (part->high_width)
    value |= (guint)read_bits(reader, part->high, part->high_width) << part->width;
  guint32 found = value < part->n_values ? part->values[value] : PART_UNKNOWN;
  if (found == PART_UNKNOWN)
    reader->instruction->is_complete = FALSE;
  if (found & UNMODELLED_BIT)
    reader->instruction->is_modelled = FALSE;
  return found & ~UNMODELLED_BIT;
}

// Uniform registers have 6 bits up to sm_90, and 8 after it.
static guint8
read_uniform(Reader *reader, guint low) {
  if (reader->chip >= 100)
    return (guint8)read_bits(reader, low, 8);
  guint8 number = (guint8)read_bits(reader, low, 6);
  return number == 63 ? SASS_URZ : number;
}

static void
read_register(Reader *reader, guint low, guint slot, gboolean is_uniform, SassOperand *operand) {
  operand->kind = is_uniform ? SASS_UNIFORM : SASS_REGISTER;
  operand->number = is_uniform ? read_uniform(reader, low) : (guint8)read_bits(reader, low, 8);
  operand->slot = is_uniform ? 0 : (guint8)slot;
  operand->is_reused = operand->slot && read_flag(reader, REUSE + operand->slot - 1);
}

// A constant in the place of B or C.
static void
read_bank(Reader *reader, SassOperand *operand) {
  operand->kind = SASS_CONSTANT;
  operand->value = read_signed(reader, 38, 16);
  operand->is_bindless = read_flag(reader, 91);
  if (operand->is_bindless)
    operand->descriptor = read_uniform(reader, 32);
  else
    operand->bank = (guint8)read_bits(reader, 54, 5);
}

static void
read_immediate(Reader *reader, const Field *field, SassOperand *operand) {
  operand->kind = field->real ? SASS_REAL : SASS_IMMEDIATE;
  guint32 value = (guint32)read_bits(reader, 32, 32);
  operand->value = field->is_signed ? (gint32)value : (gint64)value;
  operand->bytes = field->real;
  if (field->real == 8)
    operand->value = (gint64)((guint64)value << 32);
}

static void
read_signs(Reader *reader, const Field *field, guint negate, guint absolute, SassOperand *operand) {
  gboolean is_set = field->sign != SIGN_NONE && read_flag(reader, negate);
  gboolean inverts = field->sign == SIGN_NOT || read_flag(reader, field->inverts_if);
  operand->is_inverted = is_set && inverts;
  operand->is_negated = is_set && !inverts;
  operand->is_absolute = field->sign == SIGN_REAL && read_flag(reader, absolute);
}

// B or C: at 32 what the form says, at 64 a register.
static void
read_slot(Reader *reader, const Field *field, SassOperand *operand) {
  guint form = 1U << reader->form;
  gboolean is_at_32 =
      field->kind == FIELD_32 || (field->kind == FIELD_B) == ((form & FORMS_B) != 0);
  if (is_at_32 && (form & (FORM_2 | FORM_4))) {
    read_immediate(reader, field, operand);
    return;
  }
  if (is_at_32 && (form & (FORM_3 | FORM_5)))
    read_bank(reader, operand);
  else
    read_register(reader, is_at_32 ? 32 : 64, field->kind == FIELD_B ? 2 : 3,
                  reader->datapath == UNIFORM || (is_at_32 && form != FORM_1), operand);
  guint negate = is_at_32 ? 63 : field->negate ? field->negate : 75;
  guint absolute = is_at_32 ? 62 : field->absolute ? field->absolute : 74;
  read_signs(reader, field, negate, absolute, operand);
  PartName part = is_at_32 ? field->part : field->part_64;
  if (part)
    operand->part = read_sass_part(reader, part);
}

static void
read_predicate(Reader *reader, const Field *field, gboolean is_uniform, SassOperand *operand) {
  operand->kind = is_uniform ? SASS_UNIFORM_PREDICATE : SASS_PREDICATE;
  operand->number = (guint8)read_bits(reader, field->low, 3) ^ (field->is_flipped ? 7 : 0);
  operand->is_inverted = read_flag(reader, field->negate);
}

static void
read_constant(Reader *reader, const Field *field, SassOperand *operand) {
  operand->kind = SASS_CONSTANT;
  operand->value = field->high_width ? read_signed(reader, field->high, field->high_width)
                                     : read_signed(reader, 38, 16);
  operand->bank = (guint8)read_bits(reader, 54, 5);
  if (field->low)
    operand->base = (guint8)read_bits(reader, field->low, 8);
  if (field->uniform)
    operand->uniform = read_uniform(reader, field->uniform);
  operand->has_base = field->low != 0;
  operand->has_uniform = field->uniform != 0;
  read_flag(reader, 91);
}

// An offset in two places, whose high bits are at the field's own.
static gint64
read_far_offset(Reader *reader, const Field *field) {
  guint64 high = (guint64)read_signed(reader, field->low, field->width) << field->high_width;
  return (gint64)(high | read_bits(reader, field->high, field->high_width));
}

// Uniform registers of an address are descriptors, mostly; before sm_90 the text shows those that bit 101 marks.
static void
read_sass_address(Reader *reader, const Field *field, SassOperand *operand) {
  operand->kind = SASS_ADDRESS;
  if (field->name) {
    operand->descriptor = read_uniform(reader, field->uniform);
    if (field->is_next && operand->descriptor != SASS_URZ)
      operand->descriptor++;
    if (field->high_width)
      operand->value = read_far_offset(reader, field);
    operand->base_part = read_sass_part(reader, field->name);
    operand->part = field->part ? read_sass_part(reader, field->part) : PART_NONE;
    return;
  }
  operand->has_base = field->low != 0;
  if (field->low)
    operand->base = (guint8)read_bits(reader, field->low, 8);
  if (field->high_width)
    operand->value = read_signed(reader, field->high, field->high_width);
  if (field->part)
    operand->base_part = read_sass_part(reader, field->part);
  gboolean is_wide = read_flag(reader, field->wide);
  gboolean describes = read_flag(reader, field->describes);
  gboolean is_shown = describes && read_flag(reader, 101);
  if (!field->uniform || (field->low && !read_flag(reader, 91)))
    return;
  guint8 uniform = read_uniform(reader, field->uniform);
  if (field->wide)
    operand->base_part = is_wide ? PART_64 : PART_U32;
  operand->has_uniform = !describes;
  if (!describes)
    operand->uniform = uniform;
  else if (reader->chip >= 90 || is_shown)
    operand->descriptor = uniform;
}

// From the end of the instruction, in units of 4 bytes; from sm_90 on the low 8 bits of a branch are apart.
static void
read_branch_target(Reader *reader, const Field *field, SassOperand *operand) {
  gboolean is_in_bytes = field->high == 32;
  gint64 distance = read_signed(reader, is_in_bytes ? 32 : 34, field->width ? field->width : 48);
  if (field->low)
    distance = (gint64)((guint64)distance << 8 | read_bits(reader, field->low, 8));
  operand->kind = SASS_TARGET;
  operand->value = reader->instruction->offset + SASS_BYTES +
                   (gint64)((guint64)distance << (is_in_bytes ? 0 : 2));
}

// Special registers that have a name.
static const gboolean is_special[256] = {
#define SPECIAL(number, name) [number] = TRUE,
#include "sim/sass/opcodes/special.def"
};

static void
read_field_number(Reader *reader, const Field *field, SassOperand *operand) {
  guint64 value = read_bits(reader, field->low, field->width);
  if (field->high_width)
    value |= read_bits(reader, field->high, field->high_width) << field->width;
  const guint unused = field->is_signed ? 64u - field->width : 0;
  operand->value = (gint64)(value << unused) >> unused;
  operand->number = (guint8)value;
  if (field->kind == FIELD_SPECIAL && !is_special[operand->number])
    reader->instruction->is_complete = FALSE;
  static const SassKind kinds[] = {
      [FIELD_IMMEDIATE] = SASS_IMMEDIATE,   [FIELD_REAL] = SASS_REAL,
      [FIELD_SPECIAL] = SASS_SPECIAL,       [FIELD_BARRIER] = SASS_BARRIER,
      [FIELD_SCOREBOARD] = SASS_SCOREBOARD, [FIELD_SCOREBOARDS] = SASS_SCOREBOARDS,
  };
  operand->kind = kinds[field->kind];
  operand->bytes = field->kind == FIELD_REAL || field->width == 64 ? field->width / 8 : 0;
  if (read_flag(reader, field->bfloat_if)) {
    operand->value <<= 16;
    operand->bytes = 4;
  }
}

static guint
find_operand_slot(const Field *field) {
  return field->low == 24 ? 1 : field->low == 32 ? 2 : field->low == 64 ? 3 : 0;
}

static void
read_sass_operand(Reader *reader, const Field *field, SassOperand *operand) {
  gboolean is_uniform = reader->datapath == UNIFORM;
  switch (field->kind) {
  case FIELD_NONE:
    break;
  case FIELD_REGISTER:
  case FIELD_UNIFORM:
    read_register(reader, field->low, find_operand_slot(field),
                  is_uniform || field->kind == FIELD_UNIFORM, operand);
    operand->is_reused &= !field->is_never_reused;
    if (field->high_width) // behind its low three bits
      operand->number = (guint8)(operand->number % 8 + read_bits(reader, field->high, 5) * 8);
    operand->is_negated = read_flag(reader, field->negate);
    operand->is_absolute = read_flag(reader, field->absolute);
    if (operand->is_negated && (field->sign == SIGN_NOT || read_flag(reader, field->inverts_if))) {
      operand->is_negated = FALSE;
      operand->is_inverted = TRUE;
    }
    if (field->part)
      operand->part = read_sass_part(reader, field->part);
    break;
  case FIELD_PREDICATE:
    read_predicate(reader, field, is_uniform || read_flag(reader, field->uniform_if), operand);
    break;
  case FIELD_VECTOR_PREDICATE:
  case FIELD_UNIFORM_PREDICATE:
    read_predicate(reader, field, field->kind == FIELD_UNIFORM_PREDICATE, operand);
    break;
  case FIELD_B:
  case FIELD_C:
  case FIELD_32:
    read_slot(reader, field, operand);
    break;
  case FIELD_CONSTANT:
    read_constant(reader, field, operand);
    break;
  case FIELD_ADDRESS:
    read_sass_address(reader, field, operand);
    break;
  case FIELD_TARGET:
    read_branch_target(reader, field, operand);
    break;
  case FIELD_PREDICATES:
    operand->kind = SASS_PREDICATES;
    break;
  case FIELD_WORD:
    operand->kind = SASS_WORD;
    operand->part = read_sass_part(reader, field->part);
    operand->number = field->width ? (guint8)read_bits(reader, field->low, field->width) : 0;
    break;
  case FIELD_IMMEDIATE:
  case FIELD_REAL:
  case FIELD_SPECIAL:
  case FIELD_BARRIER:
  case FIELD_SCOREBOARD:
  case FIELD_SCOREBOARDS:
    read_field_number(reader, field, operand);
    break;
  }
}

static gboolean
is_hidden_operand(const Field *field, const SassOperand *operand) {
  switch (field->hide) {
  case HIDE_NEVER:
    return FALSE;
  case HIDE_TRUE:
    return operand->number == SASS_PT && !operand->is_inverted;
  case HIDE_FALSE:
    return operand->number == SASS_PT && operand->is_inverted;
  case HIDE_ZERO:
    return operand->number == SASS_RZ;
  case HIDE_BASE:
    return operand->base == SASS_RZ;
  case HIDE_NOTHING:
    return operand->value == field->nothing;
  }
  return FALSE;
}

static gboolean
is_field_present(Reader *reader, const Field *field) {
  if (field->only_if && !read_flag(reader, field->only_if))
    return FALSE;
  gboolean is_named = !field->when || read_sass_part(reader, field->when) > PART_NONE;
  return !read_flag(reader, field->unless) && is_named;
}

static void
add_field_operand(Reader *reader, const Field *field) {
  SassInstruction *instruction = reader->instruction;
  SassOperand operand = {.base = SASS_RZ, .uniform = SASS_URZ, .descriptor = SASS_URZ};
  read_sass_operand(reader, field, &operand);
  if (is_field_present(reader, field) && !is_hidden_operand(field, &operand))
    instruction->operands[instruction->n_operands++] = operand;
}

// Those that the fields of its row name, in their order.
static void
read_parts(Reader *reader, const guint16 *fields_of_row) {
  guint n = 0;
  for (guint i = 0; i < SASS_MAX_PARTS && fields_of_row[i]; i++)
    for (guint32 found = read_sass_part(reader, fields_of_row[i]); found > PART_NONE;
         found >>= PART_BITS)
      smb_sass_add_part(reader->instruction, n++, found & PART_MASK);
}

// The first line from @from on that says how an opcode is read; the number of lines: none does.
static guint
find_opcode_line(guint chip, guint opcode, guint from) {
  guint number = opcode & 0x1ff;
  guint form = 1U << (opcode >> 9);
  for (guint i = from; i < G_N_ELEMENTS(numbers); i++)
    if (numbers[i] == number && (opcodes[i].forms & form) && opcodes[i].first <= chip &&
        chip <= opcodes[i].last)
      return i;
  return G_N_ELEMENTS(numbers);
}

guint
smb_sass_n_lines(guint chip, guint opcode) {
  guint n = 0;
  for (guint i = 0; (i = find_opcode_line(chip, opcode, i)) < G_N_ELEMENTS(numbers); i++)
    n++;
  return n;
}

// Whether fields have read all bits that are set.
static gboolean
is_all_seen(const Reader *reader) {
  const guint64 schedule = G_GUINT64_CONSTANT(0x1fffff)
                           << 41; // and the bits of reuse, whatever is there
  return !(reader->words[0] & ~reader->seen[0]) &&
         !(reader->words[1] & ~reader->seen[1] & ~schedule);
}

gboolean
smb_sass_read(guint chip, const guint8 *bytes, guint32 offset, SassInstruction *instruction) {
  guint64 words[2];
  memcpy(words, bytes, sizeof words);
  *instruction = (SassInstruction){.offset = offset, .guard = SASS_PT};
  Reader reader = {
      .words = {GUINT64_FROM_LE(words[0]), GUINT64_FROM_LE(words[1])},
      .chip = chip,
      .instruction = instruction,
  };
  instruction->opcode = (guint16)read_bits(&reader, 0, 12);
  instruction->guard = (guint8)read_bits(&reader, 12, 3);
  instruction->guard_is_inverted = read_flag(&reader, 15);
  instruction->board = (guint8)read_bits(&reader, BOARD, 3);
  instruction->waits = (guint8)read_bits(&reader, WAITS, 6);
  reader.form = instruction->opcode >> 9;
  // Of lines that do not overlap (tests/test-sass-read.c).
  guint row = find_opcode_line(chip, instruction->opcode, 0);
  if (row == G_N_ELEMENTS(opcodes))
    return FALSE;
  const Opcode *opcode = &opcodes[row];
  instruction->row = (guint16)row;
  reader.datapath = opcode->datapath;
  instruction->name = opcode->name;
  instruction->is_complete = instruction->is_modelled = TRUE;
  instruction->guard_is_uniform = opcode->datapath == UNIFORM;
  if (opcode->datapath == UNIFORM || (1U << reader.form & (FORM_6 | FORM_7)))
    read_flag(&reader, 91);
  read_parts(&reader, opcode->parts);
  for (guint i = 0; i < SASS_MAX_OPERANDS && opcode->operands[i]; i++)
    add_field_operand(&reader, &fields[opcode->operands[i]]);
  smb_sass_name_product(instruction, reader.words);
  instruction->is_complete = instruction->is_complete && is_all_seen(&reader);
  return TRUE;
}
