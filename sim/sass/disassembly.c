// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An instruction as the toolkit's disassembler writes it, to the letter: sites are named so, and tests compare with
// its output. What it leaves out (a predicate PT, a zero that is added) was left out by the reader already (Hide in
// read-instruction.c), or is here.
#include "sim/sass/instruction.h"

#include <math.h>
#include <string.h>

static const struct {
  guint8 number;
  const char *name;
} specials[] = {
#define SPECIAL(number, name) {number, name},
#include "sim/sass/opcodes/special.def"
};

static const char *const part_names[] = {
    "",
    "",
#define NAME(part)          #part,
#define DOTTED(part, text)  text,
#define SPELLED(part, text) text,
#include "sim/sass/opcodes/parts.def"
};

const char *
smb_sass_part_name(SassPart part) {
  return part_names[part];
}

static void
write_sass_part(GString *text, SassPart part) {
  gboolean is_depth = part >= PART_x8 && part <= PART_x256; // "64x8" and "x16"
  if (part > PART_NONE)
    g_string_append_printf(text, is_depth ? "%s" : ".%s", smb_sass_part_name(part));
}

static void
write_special(GString *text, guint number) {
  for (guint i = 0; i < G_N_ELEMENTS(specials); i++)
    if (specials[i].number == number) {
      g_string_append(text, specials[i].name);
      return;
    }
  g_string_append_printf(text, "SR%u", number);
}

static void
write_register(GString *text, const char *prefix, guint number) {
  if (number == SASS_RZ)
    g_string_append_printf(text, "%sZ", prefix);
  else
    g_string_append_printf(text, "%s%u", prefix, number);
}

// Seven of each kind, and PT.
static void
write_predicate(GString *text, gboolean is_uniform, guint number) {
  if (is_uniform)
    g_string_append_c(text, 'U');
  if (number == SASS_PT)
    g_string_append(text, "PT");
  else
    g_string_append_printf(text, "P%u", number);
}

// Negative ones with a sign, as offsets are.
static void
write_integer(GString *text, gint64 value) {
  if (value < 0)
    g_string_append_printf(text, "-0x%" G_GINT64_MODIFIER "x", -(guint64)value);
  else
    g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x", (guint64)value);
}

// binary16, exactly.
static double
half_value(guint bits) {
  guint exponent = bits >> 10 & 0x1f;
  guint fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return fraction ? NAN : INFINITY;
  return exponent ? ldexp(fraction | 0x400, (int)exponent - 25) : ldexp(fraction, -24);
}

// 20 digits, without zeros after them; of large numbers 21, with them.
static void
write_real(GString *text, guint64 bits, guint bytes) {
  gboolean is_negative = bits >> (8 * bytes - 1) & 1;
  bits &= ~(G_GUINT64_CONSTANT(1) << (8 * bytes - 1));
  double value;
  if (bytes == 2) {
    value = half_value((guint)bits);
  } else if (bytes == 4) {
    guint32 low = (guint32)bits;
    float narrow;
    memcpy(&narrow, &low, sizeof narrow);
    value = narrow;
  } else {
    memcpy(&value, &bits, sizeof value);
  }
  if (is_negative || isnan(value) || isinf(value))
    g_string_append_c(text, is_negative ? '-' : '+');
  if (isnan(value) || isinf(value)) {
    g_string_append(text, isnan(value) ? "QNAN" : "INF");
    return;
  }
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(text,
                  g_ascii_formatd(digits, sizeof digits, value < 1e9 ? "%.20g" : "%.20e", value));
}

// The terms that are not zero, and a zero register if none is; of an address the uniform register in any case.
static void
write_address_sum(GString *text, const SassOperand *operand) {
  gsize begin = text->len;
  gboolean is_address = operand->kind == SASS_ADDRESS;
  gboolean has_uniform =
      operand->uniform != SASS_URZ || (operand->has_uniform && (is_address || !operand->value));
  if (operand->base != SASS_RZ || (operand->has_base && !operand->value && !has_uniform)) {
    write_register(text, "R", operand->base);
    write_sass_part(text, operand->base_part);
  }
  if (has_uniform) {
    if (text->len > begin)
      g_string_append_c(text, '+');
    write_register(text, "UR", operand->uniform);
  }
  if (operand->value || text->len == begin) {
    if (text->len > begin)
      g_string_append_c(text, '+');
    write_integer(text, operand->value);
  }
}

static void
write_sass_address(GString *text, const SassOperand *operand) {
  if (!operand->has_base && !operand->has_uniform) {
    g_string_append_printf(text, "%s[", part_names[operand->base_part]);
    write_register(text, "UR", operand->descriptor);
    if (operand->value) {
      g_string_append_c(text, '+');
      write_integer(text, operand->value);
    }
    g_string_append_c(text, ']');
    return;
  }
  if (operand->descriptor != SASS_URZ) {
    g_string_append(text, "desc[");
    write_register(text, "UR", operand->descriptor);
    g_string_append_c(text, ']');
  }
  g_string_append_c(text, '[');
  write_address_sum(text, operand);
  g_string_append_c(text, ']');
}

// c[bank][place], or cx[…] by a descriptor in a uniform register.
static void
write_constant(GString *text, const SassOperand *operand) {
  if (operand->is_bindless) {
    g_string_append(text, "cx[");
    write_register(text, "UR", operand->descriptor);
    g_string_append(text, "][");
  } else {
    // The blank is the disassembler's.
    g_string_append_printf(text, operand->part > PART_NONE ? "c[0x%x] [" : "c[0x%x][",
                           operand->bank);
  }
  write_address_sum(text, operand);
  g_string_append_c(text, ']');
}

// {2,1}: from the highest on.
static void
write_scoreboards(GString *text, guint64 mask) {
  char separator = '{';
  for (int i = 5; i >= 0; i--)
    if (mask >> i & 1) {
      g_string_append_printf(text, "%c%d", separator, i);
      separator = ',';
    }
  g_string_append_c(text, '}');
}

static void
write_value(GString *text, const SassOperand *operand) {
  switch (operand->kind) {
  case SASS_REGISTER:
    write_register(text, "R", operand->number);
    break;
  case SASS_UNIFORM:
    write_register(text, "UR", operand->number);
    break;
  case SASS_PREDICATE:
  case SASS_UNIFORM_PREDICATE:
    write_predicate(text, operand->kind == SASS_UNIFORM_PREDICATE, operand->number);
    break;
  case SASS_IMMEDIATE:
    if (operand->bytes == 8)
      g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x", (guint64)operand->value);
    else
      write_integer(text, operand->value);
    break;
  case SASS_TARGET:
    write_integer(text, operand->value);
    break;
  case SASS_REAL:
    write_real(text, (guint64)operand->value, operand->bytes);
    break;
  case SASS_CONSTANT:
    write_constant(text, operand);
    break;
  case SASS_ADDRESS:
    write_sass_address(text, operand);
    break;
  case SASS_SPECIAL:
    write_special(text, operand->number);
    break;
  case SASS_BARRIER:
    if (operand->number == SASS_MACTIVE)
      g_string_append(text, "MACTIVE");
    else
      g_string_append_printf(text, "B%u", operand->number);
    break;
  case SASS_SCOREBOARD:
    g_string_append_printf(text, "SB%u", operand->number);
    break;
  case SASS_SCOREBOARDS:
    write_scoreboards(text, (guint64)operand->value);
    break;
  case SASS_PREDICATES:
    g_string_append(text, "PR");
    break;
  case SASS_WORD:
    g_string_append(text, operand->part ? part_names[operand->part] : "?");
    break;
  }
}

// What is before an operand, itself, and what is after it.
static void
write_operand(GString *text, const SassOperand *operand) {
  gboolean is_predicate =
      operand->kind == SASS_PREDICATE || operand->kind == SASS_UNIFORM_PREDICATE;
  if (operand->is_negated)
    g_string_append_c(text, '-');
  if (operand->is_inverted)
    g_string_append_c(text, is_predicate ? '!' : '~');
  if (operand->is_absolute)
    g_string_append_c(text, '|');
  write_value(text, operand);
  if (operand->is_absolute)
    g_string_append_c(text, '|');
  if (operand->is_reused && operand->kind == SASS_REGISTER)
    g_string_append(text, ".reuse");
  if (operand->kind != SASS_WORD)
    write_sass_part(text, operand->part);
}

// The register that a jump takes its target from, and what is added to it, are one operand.
static gboolean
is_register_jump(const SassInstruction *instruction) {
  static const char *const names[] = {"CALL", "RET", "BRX", "BRXU", NULL};
  return instruction->name && g_strv_contains(names, instruction->name);
}

// A target behind the register of a jump is added to it, and has no comma; that of BRX is written as a distance.
static void
write_operands(GString *text, const SassInstruction *instruction) {
  gboolean is_jump = is_register_jump(instruction);
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    const SassOperand *before = i > 0 ? operand - 1 : NULL;
    if (before && before->kind == SASS_REAL && g_ascii_isalpha(text->str[text->len - 1]))
      g_string_append_c(text, ' '); // behind INF and QNAN
    gboolean is_one =
        is_jump && before && (before->kind == SASS_REGISTER || before->kind == SASS_UNIFORM);
    g_string_append(text, !before || is_one ? " " : ", ");
    if (is_one && g_str_has_prefix(instruction->name, "BRX"))
      write_integer(text, operand->value - instruction->offset - SASS_BYTES);
    else
      write_operand(text, operand);
  }
}

static void
write_opcode(GString *text, const SassInstruction *instruction) {
  g_string_append(text, instruction->name ? instruction->name : "?");
  for (const guint16 *part = instruction->parts; *part; part++)
    write_sass_part(text, *part);
}

char *
smb_sass_opcode_text(const SassInstruction *instruction) {
  GString *text = g_string_new(NULL);
  write_opcode(text, instruction);
  return g_string_free(text, FALSE);
}

char *
smb_sass_text(const SassInstruction *instruction) {
  GString *text = g_string_new(NULL);
  if (instruction->guard != SASS_PT || instruction->guard_is_inverted) {
    g_string_append(text, instruction->guard_is_inverted ? "@!" : "@");
    write_predicate(text, instruction->guard_is_uniform, instruction->guard);
    g_string_append_c(text, ' ');
  }
  if (!instruction->name)
    g_string_append_printf(text, "0x%03x", instruction->opcode);
  else
    write_opcode(text, instruction);
  write_operands(text, instruction);
  return g_string_free(text, FALSE);
}
