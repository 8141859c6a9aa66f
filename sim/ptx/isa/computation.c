// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Forms of computations: those of instructions.def, and comparisons and conversions, whose combinations of types are
// too many for lines. A form is an operation of sim/exec/compute with modifiers (PTX ISA 9.0, sections 9.7.1 to 9.7.8,
// and "cvt").
#include "sim/ptx/isa/computation.h"

#include <string.h>

#include "sim/exec/compute/real.h"
#include "sim/ptx/isa/instruction.h"
#include "sim/ptx/isa/type.h"

// --- modifiers

typedef struct {
  const char *name;
  guint16 bits;
} Modifier;

// What parts that a line allows beside its own do.
static const Modifier modifiers[] = {
    {"rn", MODIFIER_NEAREST},   {"rz", MODIFIER_ZERO},
    {"rm", MODIFIER_DOWN},      {"rp", MODIFIER_UP},
    {"ftz", MODIFIER_FLUSH},    {"sat", MODIFIER_SATURATE},
    {"relu", MODIFIER_RELU},    {"NaN", MODIFIER_NAN},
    {"abs", MODIFIER_ABSOLUTE}, {"xorsign", MODIFIER_XOR_SIGN},
    {"and", MODIFIER_AND},      {"or", MODIFIER_OR},
    {"xor", MODIFIER_XOR},
};

// Returns FALSE if the part is not a modifier.
static gboolean
add_modifier(const char *part, ComputeForm *form) {
  for (guint i = 0; i < G_N_ELEMENTS(modifiers); i++)
    if (g_str_equal(part, modifiers[i].name)) {
      form->modifiers |= modifiers[i].bits;
      return TRUE;
    }
  return FALSE;
}

// --- operands

// Bytes of a register or constant of this shape.
static guint8
shape_bytes(Shape shape) {
  switch (shape) {
  case SHAPE_U8:
  case SHAPE_S8:
    return 1;
  case SHAPE_U16:
  case SHAPE_S16:
    return 2;
  case SHAPE_U64:
  case SHAPE_S64:
  case SHAPE_F64:
    return 8;
  case SHAPE_U32:
  case SHAPE_S32:
  case SHAPE_F32:
  case SHAPE_NONE:
  case SHAPE_PREDICATE:
    break;
  }
  return 4;
}

// One letter of the operands column.
static void
add_form_operand(ComputeForm *form, char letter, gboolean is_real) {
  const OperationInfo *info = smb_operation_info((Operation)form->operation);
  if (letter == 'I')
    form->carries_in = TRUE;
  if (letter == 'O')
    form->carries_out = TRUE;
  if (letter == 'I' || letter == 'O')
    return;
  FormOperand *operand = &form->operands[form->n_operands++];
  *operand = (FormOperand){.role = ROLE_RESULT, .bytes = shape_bytes((Shape)info->result)};
  if (letter == 'p')
    *operand = (FormOperand){.role = ROLE_P};
  else if (letter == 't')
    *operand = (FormOperand){.role = ROLE_TABLE, .bytes = 1};
  else if (letter == 'm')
    *operand = (FormOperand){.role = ROLE_MEMBERS, .bytes = 4};
  else if (g_ascii_isdigit(letter))
    *operand = (FormOperand){.role = ROLE_IN, .slot = (guint8)(letter - '0')};
  else if (letter != 'd') {
    guint8 slot = (guint8)(strchr("abce", letter) - "abce");
    guint8 bytes = shape_bytes((Shape)info->sources[slot]);
    gboolean as_result = bytes == shape_bytes((Shape)info->result);
    gboolean real = info->sources[slot] == SHAPE_F32 || info->sources[slot] == SHAPE_F64;
    *operand = (FormOperand){.role = ROLE_SOURCE,
                             .slot = slot,
                             .bytes = bytes,
                             .is_real = real || (is_real && as_result)};
  }
}

static void
add_operands(ComputeForm *form, const char *letters, gboolean is_real) {
  const OperationInfo *info = smb_operation_info((Operation)form->operation);
  if (!letters) {
    add_form_operand(form, 'd', is_real);
    for (guint i = 0; i < COMPUTE_SOURCES && info->sources[i]; i++)
      add_form_operand(form, "abce"[i], is_real);
    return;
  }
  for (; *letters && *letters != '/'; letters++)
    add_form_operand(form, *letters, is_real);
  // Nothing is carried in: 0, and of a difference, which borrows where it is 0, 1.
  gboolean carries = form->carries_out && !form->carries_in;
  gboolean subtracts =
      form->operation == OPERATION_SUB_CARRY_32 || form->operation == OPERATION_SUB_CARRY_64;
  form->modifiers |= carries && !subtracts ? MODIFIER_NOT_IN : 0;
}

// --- the table

// For each line of instructions.def; N_OPERATIONS: it is not a computation.
typedef struct {
  guint16 operation;
  guint16 modifiers;
  guint8 table;
} Computation;

static const Computation computations[] = {
#define INSTRUCTION(words, operands, handler, argument, fate) {.operation = N_OPERATIONS},
#define COMPUTATION(words, more, operation, operands, modifiers, table, handler, fate)             \
  {OPERATION_##operation, modifiers, table},
#include "sim/ptx/isa/instructions.def"
};

static gboolean
is_real_type(const char *part) {
  return smb_ptx_is_among(part, "f16 f16x2 bf16 bf16x2 f32 f32x2 f64", ' ');
}

// The form of an opcode that a line matches.
static gboolean
match_form_line(guint number, const char *const *parts, ComputeForm *form) {
  const PtxLine *line = smb_ptx_line(number);
  const Computation *computation = &computations[number];
  gboolean is_real = FALSE;
  if (computation->operation == N_OPERATIONS)
    return FALSE;
  *form = (ComputeForm){.operation = computation->operation,
                        .modifiers = computation->modifiers,
                        .table = computation->table};
  for (; *parts; parts++) {
    is_real = is_real || is_real_type(*parts);
    if (smb_ptx_is_among(*parts, line->more, ' ') && !add_modifier(*parts, form))
      return FALSE;
  }
  add_operands(form, line->operands, is_real);
  return TRUE;
}

// --- comparisons: setp and set

// Relations of which all others are made.
typedef enum {
  BASE_EQUAL,
  BASE_LESS,
  BASE_AT_MOST,   // of floating point, as are those below
  BASE_DIFFER,    // ordered, and not equal
  BASE_UNORDERED, // one is NaN
  N_BASES,
} Base;

// A type of numbers that are compared, and its operations.
typedef struct {
  const char *type;
  guint16 operations[N_BASES]; // N_OPERATIONS: it has none
} Compared;

#define INTEGERS(equal, less)                                                                      \
  { equal, less, N_OPERATIONS, N_OPERATIONS, N_OPERATIONS }
#define REALS(type)                                                                                \
  {                                                                                                \
    OPERATION_EQ_##type, OPERATION_LT_##type, OPERATION_LE_##type, OPERATION_LG_##type,            \
        OPERATION_UNO_##type                                                                       \
  }

static const Compared compared[] = {
    {"b16", INTEGERS(OPERATION_EQ_16, N_OPERATIONS)},
    {"u16", INTEGERS(OPERATION_EQ_16, OPERATION_LT_U16)},
    {"s16", INTEGERS(OPERATION_EQ_16, OPERATION_LT_S16)},
    {"b32", INTEGERS(OPERATION_EQ_32, N_OPERATIONS)},
    {"u32", INTEGERS(OPERATION_EQ_32, OPERATION_LT_U32)},
    {"s32", INTEGERS(OPERATION_EQ_32, OPERATION_LT_S32)},
    {"b64", INTEGERS(OPERATION_EQ_64, N_OPERATIONS)},
    {"u64", INTEGERS(OPERATION_EQ_64, OPERATION_LT_U64)},
    {"s64", INTEGERS(OPERATION_EQ_64, OPERATION_LT_S64)},
    {"f32", REALS(F32)},
    {"f64", REALS(F64)},
    {"f16", REALS(F16)},
    {"bf16", REALS(BF16)},
};

typedef struct {
  const char *names;
  Base base;
  gboolean exchanged; // the operands
  gboolean negated;
} Relation;

static const Relation integer_relations[] = {
    {"eq", BASE_EQUAL, FALSE, FALSE},   {"ne", BASE_EQUAL, FALSE, TRUE},
    {"lt lo", BASE_LESS, FALSE, FALSE}, {"gt hi", BASE_LESS, TRUE, FALSE},
    {"ge hs", BASE_LESS, FALSE, TRUE},  {"le ls", BASE_LESS, TRUE, TRUE},
};

static const Relation real_relations[] = {
    {"eq", BASE_EQUAL, FALSE, FALSE},     {"ne", BASE_DIFFER, FALSE, FALSE},
    {"lt", BASE_LESS, FALSE, FALSE},      {"gt", BASE_LESS, TRUE, FALSE},
    {"le", BASE_AT_MOST, FALSE, FALSE},   {"ge", BASE_AT_MOST, TRUE, FALSE},
    {"equ", BASE_DIFFER, FALSE, TRUE},    {"neu", BASE_EQUAL, FALSE, TRUE},
    {"ltu", BASE_AT_MOST, TRUE, TRUE},    {"gtu", BASE_AT_MOST, FALSE, TRUE},
    {"leu", BASE_LESS, TRUE, TRUE},       {"geu", BASE_LESS, FALSE, TRUE},
    {"num", BASE_UNORDERED, FALSE, TRUE}, {"nan", BASE_UNORDERED, FALSE, FALSE},
};

// Types of the result of set.
typedef struct {
  const char *types;
  guint8 bytes;
  guint8 scalar;
} Truth;

static const Truth truths[] = {
    {"u32 s32 b32", 4, SMB_SCALAR_U32}, {"u16 s16 b16", 2, SMB_SCALAR_U16},
    {"f32", 4, SMB_SCALAR_F32},         {"f16", 2, SMB_SCALAR_F16},
    {"bf16", 2, SMB_SCALAR_BF16},
};

static const Compared *
find_compared(const char *type) {
  for (guint i = 0; i < G_N_ELEMENTS(compared); i++)
    if (g_str_equal(type, compared[i].type))
      return &compared[i];
  return NULL;
}

// A relation such as .lt or .ltu; those of integers and reals have other names.
static const Relation *
find_relation(const char *name, gboolean is_real) {
  const Relation *relations = is_real ? real_relations : integer_relations;
  guint n = is_real ? G_N_ELEMENTS(real_relations) : G_N_ELEMENTS(integer_relations);
  for (guint i = 0; i < n; i++)
    if (smb_ptx_is_among(name, relations[i].names, ' '))
      return &relations[i];
  return NULL;
}

// The type that set gives its result.
static gboolean
add_truth(const char *type, ComputeForm *form) {
  for (guint i = 0; i < G_N_ELEMENTS(truths); i++)
    if (smb_ptx_is_among(type, truths[i].types, ' ')) {
      form->bytes = truths[i].bytes;
      form->to = truths[i].scalar;
      return TRUE;
    }
  return FALSE;
}

// setp.lt{.and}{.ftz}.s32, set.lt{.and}{.ftz}.u32.s32
static gboolean
find_comparison(const char *const *parts, ComputeForm *form) {
  guint n = g_strv_length((char **)parts);
  gboolean sets = g_str_equal(parts[0], "set");
  if (n < (sets ? 4 : 3))
    return FALSE;
  const Compared *types = find_compared(parts[n - 1]);
  const Relation *relation = find_relation(parts[1], is_real_type(parts[n - 1]));
  if (!relation || !types || types->operations[relation->base] == N_OPERATIONS)
    return FALSE;
  *form = (ComputeForm){.operation = types->operations[relation->base],
                        .modifiers = relation->negated ? MODIFIER_NOT : 0};
  guint end = n - 1;
  if (sets && !add_truth(parts[--end], form))
    return FALSE;
  for (guint i = 2; i < end; i++)
    if (!smb_ptx_is_among(parts[i], "and or xor ftz", ' ') || !add_modifier(parts[i], form))
      return FALSE;
  add_operands(form, sets ? "d" : "p", FALSE);
  add_operands(form, relation->exchanged ? "ba" : "ab", is_real_type(types->type));
  if (form->modifiers & MODIFIER_COMBINE)
    add_operands(form, "0", FALSE);
  if (sets)
    form->operands[0].bytes = form->bytes;
  return TRUE;
}

// --- conversions

static const PtxType *
find_number(const char *name) {
  const PtxType *type = smb_ptx_type_named(name);
  return type && type->is_number ? type : NULL;
}

static guint
integer_bytes(const char *type) {
  const PtxType *number = find_number(type);
  return number && !number->is_float && type[0] != 't' ? number->bytes : 0;
}

// Of integers: the low bits of the narrower of two types, extended to the register.
static gboolean
find_extension(const char *to, const char *from, guint result_bytes, ComputeForm *form) {
  static const struct {
    const char *narrow;
    guint16 operations[3]; // into 2, 4 and 8 bytes
  } extensions[] = {
      {"u8", {OPERATION_CVT_16_U8, OPERATION_CVT_32_U8, OPERATION_CVT_64_U8}},
      {"s8", {OPERATION_CVT_16_S8, OPERATION_CVT_32_S8, OPERATION_CVT_64_S8}},
      {"u16", {OPERATION_MOV_16, OPERATION_CVT_32_U16, OPERATION_CVT_64_U16}},
      {"s16", {OPERATION_MOV_16, OPERATION_CVT_32_S16, OPERATION_CVT_64_S16}},
      {"u32", {N_OPERATIONS, OPERATION_MOV_32, OPERATION_CVT_64_U32}},
      {"s32", {N_OPERATIONS, OPERATION_MOV_32, OPERATION_CVT_64_S32}},
      {"u64", {N_OPERATIONS, N_OPERATIONS, OPERATION_MOV_64}},
      {"s64", {N_OPERATIONS, N_OPERATIONS, OPERATION_MOV_64}},
  };
  guint to_bytes = integer_bytes(to), from_bytes = integer_bytes(from);
  const char *narrow = to_bytes <= from_bytes ? to : from;
  guint bytes = MAX(result_bytes, to_bytes);
  // First extended with its sign, then with zeros: no operation of its own.
  if (bytes > to_bytes && to_bytes > from_bytes && from[0] == 's' && to[0] != 's')
    return FALSE;
  guint column = bytes == 8 ? 2 : bytes == 4 ? 1 : 0;
  // For a wide number in a register of 32 bits that is its value, which is noted if it is affine.
  gboolean halves = bytes == 4 && to_bytes == 4 && from_bytes == 8;
  for (guint i = 0; i < G_N_ELEMENTS(extensions); i++)
    if (g_str_equal(narrow, extensions[i].narrow)) {
      form->operation = halves ? OPERATION_CVT_32_64 : extensions[i].operations[column];
      return form->operation != N_OPERATIONS;
    }
  return FALSE;
}

static const Modifier conversion_modifiers[] = {
    {"rni", MODIFIER_INTEGER | MODIFIER_NEAREST},
    {"rzi", MODIFIER_INTEGER | MODIFIER_ZERO},
    {"rmi", MODIFIER_INTEGER | MODIFIER_DOWN},
    {"rpi", MODIFIER_INTEGER | MODIFIER_UP},
    {"rna", MODIFIER_AWAY},
    {"satfinite", MODIFIER_FINITE},
};

static gboolean
add_conversion_modifier(const char *part, ComputeForm *form) {
  for (guint i = 0; i < G_N_ELEMENTS(conversion_modifiers); i++)
    if (g_str_equal(part, conversion_modifiers[i].name)) {
      form->modifiers |= conversion_modifiers[i].bits;
      return TRUE;
    }
  return smb_ptx_is_among(part, "rn rz rm rp ftz sat relu", ' ') && add_modifier(part, form);
}

// Those that loops compute well, rounded in any way.
static guint
find_fast_conversion(const char *to, const char *from) {
  static const struct {
    const char *to, *from;
    guint operation;
  } fast[] = {
      {"f32", "s32", OPERATION_CVT_F32_S32}, {"f32", "u32", OPERATION_CVT_F32_U32},
      {"f64", "s32", OPERATION_CVT_F64_S32}, {"f64", "u32", OPERATION_CVT_F64_U32},
      {"f64", "f32", OPERATION_CVT_F64_F32}, {"f32", "f64", OPERATION_CVT_F32_F64},
  };
  for (guint i = 0; i < G_N_ELEMENTS(fast); i++)
    if (g_str_equal(to, fast[i].to) && g_str_equal(from, fast[i].from))
      return fast[i].operation;
  return N_OPERATIONS;
}

// A conversion from or to a floating-point number, with any rounding.
static gboolean
find_real_conversion(const char *to, const char *from, guint result_bytes, ComputeForm *form) {
  const PtxType *target = find_number(to), *source = find_number(from);
  if (!target || !source || g_str_equal(from, "tf32"))
    return FALSE;
  gboolean real = smb_scalar_is_real((SmbScalar)target->scalar);
  form->from = source->scalar;
  form->to = target->scalar;
  form->bytes = (guint8)(real ? target->bytes : MAX(result_bytes, MAX(target->bytes, 2)));
  form->table = g_str_equal(to, "tf32") ? CONVERT_TF32 : 0;
  guint fast = find_fast_conversion(to, from);
  if (fast != N_OPERATIONS && !(form->modifiers & ~MODIFIER_ROUND))
    form->operation = (guint16)fast;
  else if (form->bytes == 8)
    form->operation = source->bytes == 8 ? OPERATION_CONVERT_64 : OPERATION_CONVERT_64_32;
  else
    form->operation = source->bytes == 8 ? OPERATION_CONVERT_32_64 : OPERATION_CONVERT_32;
  add_operands(form, "da", FALSE);
  form->operands[0].bytes = form->bytes;
  form->operands[1].bytes = source->bytes;
  form->operands[1].is_real = smb_scalar_is_real((SmbScalar)source->scalar);
  return TRUE;
}

// cvt.rn.f16x2.f32: of two operands.
static gboolean
find_pair_conversion(const char *to, const char *from, ComputeForm *form) {
  if (!smb_ptx_is_among(to, "f16x2 bf16x2", ' ') || !g_str_equal(from, "f32"))
    return FALSE;
  form->operation = OPERATION_CONVERT_PAIR;
  form->from = SMB_SCALAR_F32;
  form->to = to[0] == 'b' ? SMB_SCALAR_BF16 : SMB_SCALAR_F16;
  form->bytes = 2;
  add_operands(form, NULL, TRUE);
  return TRUE;
}

// Pairs of numbers of 4, 6 and 8 bits: of two of 32 bits, or of two halves; and back.
static gboolean
find_narrow_conversion(const char *to, const char *from, ComputeForm *form) {
  static const struct {
    const char *name;
    guint8 format, bytes;
  } pairs[] = {
      {"e4m3x2", NARROW_E4M3, 2}, {"e5m2x2", NARROW_E5M2, 2}, {"e2m3x2", NARROW_E2M3, 2},
      {"e3m2x2", NARROW_E3M2, 2}, {"e2m1x2", NARROW_E2M1, 1}, {"ue8m0x2", NARROW_UE8M0, 2},
  };
  for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
    gboolean powers = pairs[i].format == NARROW_UE8M0;
    gboolean narrows = g_str_equal(to, pairs[i].name);
    if (!narrows && !g_str_equal(from, pairs[i].name))
      continue;
    const char *other = narrows ? from : to;
    form->table = pairs[i].format;
    form->operation = !narrows                       ? OPERATION_WIDEN_PAIR
                      : g_str_equal(other, "f32")    ? OPERATION_NARROW_PAIR
                      : g_str_equal(other, "bf16x2") ? OPERATION_NARROW_BF16X2
                                                     : OPERATION_NARROW_F16X2;
    add_operands(form, NULL, TRUE);
    form->operands[narrows ? 0 : 1].bytes = pairs[i].bytes;
    return g_str_equal(other, powers ? "bf16x2" : "f16x2") ||
           (narrows && g_str_equal(other, "f32"));
  }
  return FALSE;
}

// cvt{.…}.TO.FROM
static gboolean
find_cvt_form(const char *const *parts, guint result_bytes, ComputeForm *form) {
  guint n = g_strv_length((char **)parts);
  *form = (ComputeForm){0};
  if (n < 3)
    return FALSE;
  for (guint i = 1; i < n - 2; i++)
    if (!add_conversion_modifier(parts[i], form))
      return FALSE;
  const char *to = parts[n - 2], *from = parts[n - 1];
  if (integer_bytes(to) && integer_bytes(from) && !form->modifiers &&
      find_extension(to, from, result_bytes, form)) {
    add_operands(form, NULL, FALSE);
    return TRUE;
  }
  return find_pair_conversion(to, from, form) || find_narrow_conversion(to, from, form) ||
         find_real_conversion(to, from, result_bytes, form);
}

// --- all

gboolean
smb_ptx_compute_form(guint line, const char *const *parts, guint result_bytes, ComputeForm *form) {
  if (g_str_equal(parts[0], "setp") || g_str_equal(parts[0], "set"))
    return find_comparison(parts, form);
  if (g_str_equal(parts[0], "cvt") && find_cvt_form(parts, result_bytes, form))
    return TRUE;
  return line != PTX_NO_LINE && match_form_line(line, parts, form);
}

gboolean
smb_ptx_find_compute(const char *const *parts, guint result_bytes, ComputeForm *form) {
  return smb_ptx_compute_form(smb_ptx_find_line(parts), parts, result_bytes, form);
}

guint
smb_ptx_form_count(const ComputeForm *form) {
  guint n = 0;
  for (guint i = 0; i < form->n_operands; i++)
    n += i == 0 || form->operands[i].role != ROLE_P || form->operands[i - 1].role != ROLE_RESULT;
  return n;
}

guint
smb_ptx_computation_count(guint line) {
  ComputeForm form = {.operation = computations[line].operation};
  add_operands(&form, smb_ptx_line(line)->operands, FALSE);
  return smb_ptx_form_count(&form);
}

void
smb_ptx_compute_init(const ComputeForm *form, Compute *compute) {
  *compute = (Compute){.operation = form->operation,
                       .modifiers = form->modifiers,
                       .table = form->table,
                       .from = form->from,
                       .to = form->to,
                       .bytes = form->bytes};
}
